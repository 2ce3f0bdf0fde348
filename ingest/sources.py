"""The catalogue: what `sources.yaml` says people study, and from which documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from rag.errors import ConfigError, UnknownTenant
from rag.types import Blueprint, Domain, ScreenMode, Source, Tenant

_SECONDS = {"m": 60, "h": 3_600, "d": 86_400}
_WEEKDAYS = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_LATER = ("sitemap", "llms", "prefix")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The tenants by slug, in the order of the file."""

    tenants: Mapping[str, Tenant]

    def tenant(self, slug: str) -> Tenant:
        """The tenant of that slug. Raises UnknownTenant, which lists the known ones."""
        if slug not in self.tenants:
            raise UnknownTenant(slug, self.tenants)
        return self.tenants[slug]


def load_catalogue(path: Path) -> Catalogue:
    """Read and check `sources.yaml`. Relative paths in it count from its folder.

    Raises ConfigError that names the place in the file, what stands there and what was expected.
    """
    raw = _read(path)
    try:
        form = _File.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(path, error.errors(include_url=False)[0])) from None
    root = path.resolve().parent
    return Catalogue({slug: tenant.build(slug, root) for slug, tenant in form.tenants.items()})


# The form of the file.


def _duration(value: object) -> int:
    """Seconds of a duration such as 90m, 3h or 7d."""
    match = re.fullmatch(r"([1-9]\d{0,5})([mhd])", value) if isinstance(value, str) else None
    if not match:
        raise ValueError("expected a duration such as 90m, 3h or 7d")
    return int(match[1]) * _SECONDS[match[2]]


def _clock(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value):
        raise ValueError('expected a time of day in quotes, such as "09:00"')
    return value


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("expected the name of a time zone, such as Europe/Berlin or UTC") from None
    return value


def _web_address(value: str) -> str:
    try:
        parts = urlsplit(value)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.username and parts.port != 0
    except ValueError:
        good = False
    if not good or re.search(r"\s", value):
        raise ValueError("expected an address that starts with http:// or https:// and holds no password")
    return value


def _day(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


_Duration = Annotated[int, BeforeValidator(_duration)]
_Clock = Annotated[str, BeforeValidator(_clock)]
_Zone = Annotated[str, AfterValidator(_zone)]
_WebAddress = Annotated[str, AfterValidator(_web_address)]
_Day = Annotated[str, BeforeValidator(_day), Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
_Text = Annotated[str, Field(min_length=1)]
_Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Domain(_Form):
    name: _Text
    weight: float | None = Field(None, gt=0, le=100)


class _Blueprint(_Form):
    version: _Text
    date: _Day
    official: bool
    domains: list[_Domain] = Field(min_length=1)

    @model_validator(mode="after")
    def _add_up(self) -> Self:
        weights = [domain.weight for domain in self.domains if domain.weight is not None]
        if len(weights) == len(self.domains) and abs(sum(weights) - 100) > 1:
            raise ValueError(f"expected weights in percent that add up to 100, found a sum of {sum(weights):g}")
        return self


class _Quiz(_Form):
    at: _Clock = "09:00"
    weekdays: list[_WEEKDAYS] = Field(["mon", "tue", "wed", "thu", "fri"], min_length=1)
    count: int = Field(1, ge=1, le=20)
    window: _Duration = 3 * 3_600
    open: _Duration = 8 * 3_600


class _Channel(_Form):
    platform: Literal["slack", "discord"]
    workspace: _Text
    channel: _Text
    mode: Literal["mention", "auto", "off"] = "mention"


class _Source(_Form):
    url: _WebAddress | None = None
    file: _Text | None = None
    kind: Literal["page", "file", "sitemap", "llms", "prefix"] | None = None
    citation: _Text
    cite_url: _WebAddress | None = None
    licence: _Text | None = None
    refresh: _Duration = 7 * 86_400
    include: list[_Text] = []
    exclude: list[_Text] = []
    corpus: bool = True

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.kind in _LATER:
            raise ValueError(f"kind {self.kind} is not supported yet; expected page or file")
        if (self.url is None) == (self.file is None):
            raise ValueError("expected either url (a page) or file (a path or pattern), and not both")
        if self.kind not in {None, "page" if self.url else "file"}:
            raise ValueError("expected kind page with url, or kind file with file")
        if self.include or self.exclude:
            raise ValueError("include and exclude are not supported yet; name the pages, or use a pattern as file")
        return self

    def build(self, tenant: str, root: Path) -> Source:
        return Source(
            tenant=tenant,
            location=self.url or str(root / (self.file or "")),
            kind="page" if self.url else "file",
            citation=self.citation,
            root=str(root),
            url=self.cite_url,
            licence=self.licence,
            refresh=self.refresh,
            corpus=self.corpus,
        )


class _Tenant(_Form):
    title: _Text
    exam: _Text
    timezone: _Zone = "UTC"
    topics: list[_Text] = Field(min_length=1)
    blueprint: _Blueprint
    quiz: _Quiz | None = None
    channels: list[_Channel] = []
    guard: dict[Literal["pii", "topic", "output"], ScreenMode] = {}
    sources: list[_Source] = []

    @model_validator(mode="after")
    def _differ(self) -> Self:
        first: dict[str, int] = {}
        for nth, source in enumerate(self.sources):
            location = source.url or source.file or ""
            if location in first:
                raise ValueError(f"sources[{nth}] repeats sources[{first[location]}] ({location}); remove one of them")
            first[location] = nth
        return self

    def build(self, slug: str, root: Path) -> Tenant:
        domains = tuple(Domain(domain.name, domain.weight) for domain in self.blueprint.domains)
        plan = Blueprint(self.blueprint.version, self.blueprint.date, self.blueprint.official, domains)
        sources = tuple(source.build(slug, root) for source in self.sources)
        guard = tuple(self.guard.items())
        return Tenant(slug, self.title, self.exam, self.timezone, tuple(self.topics), plan, sources, guard)


class _File(_Form):
    version: Literal[1]
    tenants: dict[_Slug, _Tenant] = Field(min_length=1)


# Reading it, and saying what is wrong with it.


class _Loader(yaml.SafeLoader):
    """YAML in which a key that stands twice is an error, not the loss of the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[object] = set()
        for key_node, _ in node.value:
            if isinstance(key_node, yaml.ScalarNode) and key_node.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key_node.value!r} twice", key_node.start_mark
                )
            seen.add(key_node.value if isinstance(key_node, yaml.ScalarNode) else id(key_node))
        return super().construct_mapping(node, deep=deep)


def _read(path: Path) -> object:
    try:
        return yaml.load(path.read_bytes(), _Loader)
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist. Create it, or let CERTCOACH_SOURCES name your file.") from None
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}. Correct CERTCOACH_SOURCES or its rights."
        ) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "somewhere"
        raise ConfigError(f"{path.name}: {where}: not valid YAML: {error.problem}.") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{path.name}: not valid YAML: {str(error).splitlines()[0]}.") from None


def _explain(path: Path, error: ErrorDetails) -> str:
    place = "".join(_steps(error["loc"])).lstrip(".")
    found = _shown(error["input"])
    match error["type"]:
        case "missing":
            said = "is missing"
        case "extra_forbidden":
            said = "is not a key here; correct or remove it"
        case "value_error":
            said = error["msg"].removeprefix("Value error, ") + (f", found {found}" if found else "")
        case _:
            said = (
                error["msg"]
                .replace("Input should be", "expected")
                .replace("String should", "expected text that should")
            )
            said += f", found {found}" if found else ""
    return f"{path.name}: {place + ': ' if place else ''}{said}."


def _steps(location: tuple[int | str, ...]) -> Iterator[str]:
    for step in location:
        if step != "[key]":
            yield f"[{step}]" if isinstance(step, int) else f".{step}"


def _shown(value: object) -> str:
    """A scalar as it is shown in an error; whole mappings and models are not."""
    if isinstance(value, str | int | float | bool | date) or value is None:
        return repr(value) if len(repr(value)) <= 80 else repr(value)[:80] + "…"
    return "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else ""
