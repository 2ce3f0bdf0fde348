"""Writes how the rules for follow-ups did as Markdown tables."""

from __future__ import annotations

from eval.followups import PRODUCT, Followed, Kind
from eval.metrics import measure
from eval.paired import compare

SHOWN = ("recall@1", "recall@5", "mrr@10")
SLICES: tuple[tuple[str, Kind | None], ...] = (
    ("all", None),
    ("leaning", "leaning"),
    ("new subject", "new"),
    ("gold after gold", "gold"),
)


def as_tables(followed: Followed) -> str:
    """The rules by kind of question, and the difference of each to the product's with its 95 % interval."""
    sizes = {name: len(followed.of(PRODUCT, kind)) for name, kind in SLICES}
    worth = ", ".join(f"{100 / n:.1f} points of {name} ({n})" for name, n in sizes.items())
    said = f"n = {sizes['all']}. Percent; one question is worth {worth}."
    head = "| rule | questions | n | " + " | ".join(SHOWN) + " |\n|---|---|" + "---:|" * (1 + len(SHOWN))
    rows = [_row(followed, rule, name, kind) for rule in followed.rankings for name, kind in SLICES]
    parts = [said, "\n".join([head, *rows]), _differences(followed)]
    if followed.left_out:
        parts.append(f"{followed.left_out} questions were left out, because their documents are not here.")
    return "\n\n".join(parts)


def _row(followed: Followed, rule: str, name: str, kind: Kind | None) -> str:
    found = measure(followed.of(rule, kind))
    return f"| {rule} | {name} | {found.n} | " + " | ".join(f"{100 * found.values[each]:.1f}" for each in SHOWN) + " |"


def _differences(followed: Followed) -> str:
    head = "| against the product's | questions | recall@5 | 95 % interval | won | lost |\n|---|---|" + "---:|" * 4
    rows = []
    for rule in [rule for rule in followed.rankings if rule != PRODUCT]:
        for name, kind in SLICES:
            found = compare(followed.of(PRODUCT, kind), followed.of(rule, kind))
            interval = f"{100 * found.low:+.1f} … {100 * found.high:+.1f}{'' if found.is_noise else ' (beyond chance)'}"
            rows.append(f"| {rule} | {name} | {100 * found.mean:+.1f} | {interval} | {found.won} | {found.lost} |")
    return "\n".join([head, *rows])
