from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from eval.dataset import Phrasing
from eval.evaluation_page import as_part
from eval.gate import Verdict
from eval.metrics import Ranking
from eval.report import as_json, show
from eval.retrieval import Measured, Request, fit_gates
from eval.runner import VARIANTS, Result
from rag.errors import UserError


def result(variant: str, seed: int = 1) -> Result:
    """Thirty answerable questions, and fifteen others that are mostly told apart."""
    draw = np.random.default_rng(seed)
    phrasings: tuple[Phrasing, ...] = ("question", "paraphrase")
    ranks = [None if rank > 8 else int(rank) for rank in draw.integers(1, 12, 60)]
    asked = [(f"q{n:02}", phrasing) for n in range(30) for phrasing in phrasings]
    rankings = [Ranking(q, "t", "notes", p, rank, 900, 0.01) for (q, p), rank in zip(asked, ranks, strict=True)]
    inside = [Verdict(q, "t", p, "", draw.uniform(0.4, 0.9), 0.8) for q, p in asked]
    outside = [
        Verdict(f"u{n:02}", "t", phrasing, "not_covered", draw.uniform(0, 0.6), 0.4)
        for n in range(15)
        for phrasing in phrasings
    ]
    return Result(variant, tuple(rankings), (*inside, *outside))


def measured(*variants: str) -> Measured:
    return Measured(tuple(result(variant, seed) for seed, variant in enumerate(variants)), 0, ())


def shown(what: Measured) -> str:
    console = Console(file=StringIO(), width=160)
    show(what, console)
    file = console.file
    assert isinstance(file, StringIO)
    return file.getvalue()


def test_an_unknown_variant_is_named_with_the_known_ones() -> None:
    with pytest.raises(UserError, match="There is no variant 'best'"):
        Request(variants=("best",)).chosen()


def test_a_tenant_without_questions_is_named() -> None:
    with pytest.raises(UserError, match="no questions of tenant 'nobody'"):
        Request(tenant="nobody").gold()


def test_all_variants_are_asked_unless_some_are_named() -> None:
    assert Request().chosen() == tuple(VARIANTS)
    assert Request(variants=("rrf",)).chosen() == ("rrf",)


def test_every_curve_of_a_fit_is_tried_over_the_notes_alone() -> None:
    modes = ("hybrid", "dense", "sparse")
    fits = fit_gates(measured(*modes).results, [result(mode, 9) for mode in modes])
    assert [fitted.fit.mode for fitted in fits] == list(modes)
    assert all(fitted.elsewhere and fitted.elsewhere.fixed.threshold == 0.5 for fitted in fits)


def test_what_is_shown_states_the_number_of_questions_and_what_one_is_worth() -> None:
    assert "n = 60; one question is 1.7 points." in shown(measured("hybrid", "dense"))


def test_a_fit_is_shown_as_the_line_to_paste() -> None:
    one = measured("hybrid")
    fits = fit_gates(one.results, one.results)
    curve = fits[0].fit.centred
    assert f"hybrid: Curve({curve.slope}, {curve.offset})" in shown(Measured(one.results, 0, (), fits))


def test_everything_measured_can_be_written_as_json() -> None:
    body = json.loads(json.dumps(as_json(measured("hybrid", "dense"))))
    assert len(body["variants"]["dense"]["questions"]) == 60
    assert {row["phrasing"] for row in body["against_first"]} == {"all", "question", "paraphrase"}


@pytest.mark.parametrize("fitting", [False, True])
def test_every_row_of_a_written_table_has_as_many_cells_as_its_head(fitting: bool) -> None:
    one = measured("hybrid", "dense")
    part = as_part(Measured(one.results, 2, (), fit_gates(one.results, one.results) if fitting else ()))
    for table in part.split("\n\n"):
        widths = {line.count("|") for line in table.splitlines() if line.startswith("|")}
        assert len(widths) <= 1, table


def test_without_ir_measures_the_remedy_is_named() -> None:
    code = "import sys; sys.modules['ir_measures'] = None\nfrom bot.__main__ import main; main()"
    arguments = [sys.executable, "-c", code, "eval", "retrieval"]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ended.returncode == 3 and "make install-dev" in ended.stderr
