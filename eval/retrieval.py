"""One run of the retrieval evaluation: which questions, on which ground, of which variants, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from eval.calibration import MODES, Fit, fit, scored
from eval.dataset import GoldSet, load_gold, load_questions
from eval.gate import Gate, judge_gate
from eval.ground import open_ground
from eval.runner import VARIANTS, Result, askable, run_variants
from rag.errors import ConfigError, UserError
from rag.settings import Settings


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for: the questions, the ground, the variants, and where the figures go."""

    tenant: str | None = None
    variants: tuple[str, ...] = ()
    questions: Path | None = None
    notes: bool = False
    fitting: bool = False
    part: str | None = None
    as_json: bool = False

    def gold(self) -> GoldSet:
        """The questions to ask. Raises UserError when there are none of the kind that is needed."""
        gold = (load_questions(self.questions) if self.questions else load_gold()).of(self.tenant)
        if not gold.answerable:
            raise UserError(f"There are no questions of tenant {self.tenant!r}.")
        if self.fitting and not gold.unanswerable:
            raise UserError("A gate needs unanswerable questions, too. Fit it on the gold questions.")
        return gold

    def chosen(self) -> tuple[str, ...]:
        """The variants to ask. Raises UserError for one that does not exist."""
        if unknown := [name for name in self.variants if name not in VARIANTS]:
            raise UserError(f"There is no variant {unknown[0]!r}. Variants: {', '.join(VARIANTS)}.")
        return tuple(MODES) if self.fitting else self.variants or tuple(VARIANTS)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A mode's fit, and what its curve does over the starter notes alone, which is what an install starts with."""

    fit: Fit
    elsewhere: Gate | None


@dataclass(frozen=True, slots=True)
class Measured:
    """The results by variant; `left_out` counts the questions whose documents are not here."""

    results: tuple[Result, ...]
    left_out: int
    failures: tuple[str, ...]
    fits: tuple[Fitted, ...] = ()


async def measure(settings: Settings, request: Request, console: Console) -> Measured:
    """Ask all questions of all variants, and fit the gate if that is wanted.

    Raises ConfigError when no question can be asked.
    """
    gold, variants = request.gold(), request.chosen()
    measured = await _ask(settings, gold, variants, console, genuine=not request.notes)
    if not request.fitting:
        return measured
    notes = await _ask(settings, gold, variants, console, genuine=False)
    return Measured(measured.results, measured.left_out, measured.failures, fit_gates(measured.results, notes.results))


def fit_gates(results: Sequence[Result], notes: Sequence[Result]) -> tuple[Fitted, ...]:
    """The gate's curve for every mode, from its verdicts, tried on those over the notes alone."""
    fitted = []
    for result, alone in zip(results, notes, strict=True):
        mode = next(mode for mode in MODES if mode == result.variant)
        found = fit(result.verdicts, mode, alone.verdicts)
        fitted.append(Fitted(found, judge_gate(scored(alone.verdicts, found.centred))))
    return tuple(fitted)


async def _ask(
    settings: Settings, gold: GoldSet, variants: Sequence[str], console: Console, *, genuine: bool
) -> Measured:
    async with open_ground(settings, console, genuine=genuine) as ground:
        asked = askable(gold, ground)
        if not asked.answerable:
            raise ConfigError("All questions are about documents that are not here. Run `certcoach eval corpus`.")
        console.print(f"asking {len(asked.answerable)} questions of {', '.join(variants)}", highlight=False)
        results = await run_variants(ground, asked, variants)
        failures = tuple(f"{outcome.key} was rejected: {outcome.reason}." for outcome in ground.rejected)
    return Measured(results, len(gold.answerable) - len(asked.answerable), failures)
