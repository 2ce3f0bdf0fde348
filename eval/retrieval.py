"""One run of the retrieval evaluation: the ground, the variants, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

from eval.calibration import COLUMNS, Fit, fit
from eval.dataset import GoldSet
from eval.ground import open_ground
from eval.runner import Result, askable, run_variants
from rag.errors import ConfigError
from rag.settings import Settings


@dataclass(frozen=True, slots=True)
class Measured:
    """The results by variant; `left_out` counts the questions whose documents are not here."""

    results: tuple[Result, ...]
    left_out: int
    failures: tuple[str, ...]


async def evaluate(settings: Settings, gold: GoldSet, variants: Sequence[str], console: Console) -> Measured:
    """Ask all questions of all variants.

    Raises ConfigError when no question can be asked.
    """
    async with open_ground(settings, console) as ground:
        asked = askable(gold, ground)
        if not asked.answerable:
            raise ConfigError("All questions are about documents that are not here. Run `certcoach eval corpus`.")
        console.print(f"asking {len(asked.answerable)} questions of {', '.join(variants)}", highlight=False)
        results = await run_variants(ground, asked, variants)
        failures = [f"{outcome.key} was rejected: {outcome.reason}." for outcome in ground.rejected]
    return Measured(results, len(gold.answerable) - len(asked.answerable), tuple(failures))


def fit_gates(results: Sequence[Result]) -> tuple[Fit, ...]:
    """The gate's curve for every mode that was run, from its verdicts."""
    return tuple(fit(result.verdicts, mode) for result in results for mode in COLUMNS if mode == result.variant)
