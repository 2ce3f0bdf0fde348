"""The components of messages and modals: their limits, their text, and the ones that people can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.wire.discord_refusals import Form
from tests.wire.discord_world import Json

ROW, BUTTON, SELECT, TEXT_INPUT, SECTION, TEXT_DISPLAY, CONTAINER, LABEL = 1, 2, 3, 4, 9, 10, 17, 18
UPLOAD, RADIOS, CHECKBOXES, CHECKBOX = 19, 21, 22, 23
SELECTS = (SELECT, 5, 6, 7, 8)
LAYOUT = (SECTION, TEXT_DISPLAY, 11, 12, 13, 14, CONTAINER)
LINK = 5


def inside(component: Json) -> list[Json]:
    """The components directly inside one."""
    single = [component[name] for name in ("accessory", "component") if component.get(name)]
    return [*(component.get("components") or []), *single]


def walk(components: Sequence[Json]) -> Iterator[Json]:
    """All components, outer ones first."""
    for component in components:
        yield component
        yield from walk(inside(component))


def text_of(components: Sequence[Json]) -> Iterator[str]:
    """The texts that components display."""
    return (str(each.get("content") or "") for each in walk(components) if each.get("type") == TEXT_DISPLAY)


def usable(components: Sequence[Json]) -> list[Json]:
    """Buttons and selects, in their order on the screen."""
    return [each for each in walk(components) if each.get("type") in (BUTTON, *SELECTS)]


def check_components(form: Form, components: Sequence[Json], *, v2: bool) -> None:
    """Note what is wrong with the components of a message."""
    # PLATFORMS.md: "Components V2 (flag 1<<15, cannot be unset): ≤40 components …"
    if v2 and sum(1 for _ in walk(components)) > 40:
        form.wrong("components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "Total number of components exceeds 40")
    if not v2:
        form.size("components", components, 5)
    for index, component in enumerate(components):
        _check(form, component, f"components.{index}", v2=v2)
    names = [each["custom_id"] for each in walk(components) if each.get("custom_id")]
    if len(set(names)) < len(names):
        form.wrong("components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")


def _check(form: Form, component: Json, path: str, *, v2: bool) -> None:
    kind = component.get("type")
    if kind == ROW:
        _check_row(form, component, path)
    elif kind == BUTTON:
        _check_button(form, component, path)
    elif kind in SELECTS:
        check_select(form, component, path)
    elif not v2 or kind not in LAYOUT:
        # PLATFORMS.md: "Radio group …, checkbox group …, file upload: modals only"
        form.wrong(f"{path}.type", "BASE_TYPE_CHOICES", 'Value of field "type" must be one of (1,).')
    if kind == TEXT_DISPLAY:
        form.size(f"{path}.content", component.get("content"), 4000, 1)
    for index, each in enumerate(component.get("components") or []):
        _check(form, each, f"{path}.components.{index}", v2=v2)
    if component.get("accessory"):
        _check(form, component["accessory"], f"{path}.accessory", v2=v2)


def _check_row(form: Form, row: Json, path: str) -> None:
    # PLATFORMS.md: "Action row: ≤5 buttons or one select; label ≤80; custom_id ≤100; select ≤25 options"
    children = row.get("components") or []
    has_select = any(child.get("type") in SELECTS for child in children)
    form.size(f"{path}.components", children, 1 if has_select else 5, 1)
    if any(child.get("type") not in (BUTTON, *SELECTS) for child in children):
        form.wrong(
            f"{path}.components", "BASE_TYPE_CHOICES", 'Value of field "type" must be one of (2, 3, 5, 6, 7, 8).'
        )


def _check_button(form: Form, button: Json, path: str) -> None:
    # PLATFORMS.md: "Action row: ≤5 buttons or one select; label ≤80; custom_id ≤100 …"
    form.size(f"{path}.label", button.get("label") or "", 80)
    if not button.get("label") and not button.get("emoji"):
        form.wrong(path, "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED", "A button needs a label or an emoji")
    if button.get("style") == LINK:
        form.size(f"{path}.url", button.get("url"), 512, 1)
        if button.get("custom_id"):
            form.wrong(path, "BUTTON_COMPONENT_CUSTOM_ID_WITH_URL", "A custom id and url cannot both be specified")
    else:
        form.size(f"{path}.custom_id", button.get("custom_id"), 100, 1)
        if button.get("url"):
            form.wrong(f"{path}.url", "BUTTON_COMPONENT_URL_WITHOUT_LINK_STYLE", "Only a link button has a url")


def check_select(form: Form, select: Json, path: str) -> None:
    """Note what is wrong with a select."""
    # PLATFORMS.md: "Action row: … custom_id ≤100 (store an id, not the state); select ≤25 options"
    form.size(f"{path}.custom_id", select.get("custom_id"), 100, 1)
    form.size(f"{path}.placeholder", select.get("placeholder") or "", 150)
    if select.get("type") == SELECT:
        _check_options(form, select.get("options"), path, (1, 25))
    for name in ("min_values", "max_values"):
        if not 0 <= int(select.get(name, 1)) <= 25:
            form.wrong(f"{path}.{name}", "NUMBER_TYPE_MAX", "int value should be between 0 and 25.")


def _check_options(form: Form, options: Sequence[Json] | None, path: str, limits: tuple[int, int]) -> None:
    least, most = limits
    form.size(f"{path}.options", options, most, least)
    for index, option in enumerate(options or []):
        form.size(f"{path}.options.{index}.label", option.get("label"), 100, 1)
        form.size(f"{path}.options.{index}.value", option.get("value"), 100, 1)
        form.size(f"{path}.options.{index}.description", option.get("description") or "", 100)
    values = [option.get("value") for option in options or []]
    if len(set(values)) < len(values):
        form.wrong(f"{path}.options", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "Option values must be unique")


def check_field(form: Form, component: Json, path: str) -> None:
    """Note what is wrong with a top-level component of a modal: a label, a text, or a row with one text input."""
    kind = component.get("type")
    if kind == TEXT_DISPLAY:
        form.size(f"{path}.content", component.get("content"), 4000, 1)
    elif kind == LABEL:
        form.size(f"{path}.label", component.get("label"), 45, 1)
        form.size(f"{path}.description", component.get("description") or "", 100)
        _check_input(form, component.get("component") or {}, f"{path}.component")
    elif kind == ROW:
        form.size(f"{path}.components", component.get("components"), 1, 1)
        for index, each in enumerate(component.get("components") or []):
            form.size(f"{path}.components.{index}.label", each.get("label"), 45, 1)
            _check_input(form, each, f"{path}.components.{index}")
    else:
        form.wrong(f"{path}.type", "BASE_TYPE_CHOICES", 'Value of field "type" must be one of (1, 10, 18).')


def _check_input(form: Form, each: Json, path: str) -> None:
    kind = each.get("type")
    if kind == TEXT_INPUT:
        _check_text_input(form, each, path)
    elif kind in SELECTS:
        check_select(form, each, path)
    elif kind in (UPLOAD, CHECKBOX, RADIOS, CHECKBOXES):
        form.size(f"{path}.custom_id", each.get("custom_id"), 100, 1)
    else:
        form.wrong(f"{path}.type", "BASE_TYPE_CHOICES", 'Value of field "type" must be an input.')
    # PLATFORMS.md: "Radio group (2-10 options) and checkbox group (1-10), file upload: modals only"
    if kind in (RADIOS, CHECKBOXES):
        _check_options(form, each.get("options"), path, (2 if kind == RADIOS else 1, 10))


def _check_text_input(form: Form, each: Json, path: str) -> None:
    # PLATFORMS.md: "Modals: … title ≤45; 1-5 components; text input ≤4000"
    form.size(f"{path}.custom_id", each.get("custom_id"), 100, 1)
    form.size(f"{path}.value", each.get("value") or "", 4000)
    form.size(f"{path}.placeholder", each.get("placeholder") or "", 100)
    for name, least in (("min_length", 0), ("max_length", 1)):
        if not least <= int(each.get(name) or least) <= 4000:
            form.wrong(f"{path}.{name}", "NUMBER_TYPE_MAX", f"int value should be between {least} and 4000.")
