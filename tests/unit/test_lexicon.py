"""The words of the lexical leg."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from rag import lexicon


def test_an_identifier_is_kept_whole_and_in_parts() -> None:
    assert lexicon.words("s3:GetObject") == ["s3:getobject", "s3", "getobject", "object"]
    assert {"aws_s3_bucket", "aw", "s3", "bucket"} <= set(lexicon.words("aws_s3_bucket"))


def test_inflections_share_a_stem_and_stop_words_are_left_out() -> None:
    assert lexicon.words("Which of the policies are evaluated?") == lexicon.words("policy evaluation")


def test_an_apostrophe_splits_no_word() -> None:
    assert lexicon.words("doesn't") == [] and lexicon.words("tenant's") == lexicon.words("tenants")


def test_a_dimension_is_the_same_in_every_process() -> None:
    code = "from rag.lexicon import dimension; print(dimension('s3:getobject'))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(other.stdout) == lexicon.dimension("s3:getobject")


@given(st.text())
def test_any_text_has_dimensions_in_the_accepted_range(text: str) -> None:
    assert all(1 <= place <= lexicon.DIMENSIONS for place in lexicon.dimensions(text))


@given(st.text(alphabet="abc XYZ.:_-/@19", max_size=200))
def test_case_does_not_matter_for_whole_words(text: str) -> None:
    assert set(lexicon.words(text.lower())) <= set(lexicon.words(text)) | set(lexicon.words(text.lower()))


@given(st.lists(st.sampled_from("bucket policy route state".split()), min_size=1, max_size=30))
def test_a_weight_stays_below_its_bound_and_grows_with_the_count(words: list[str]) -> None:
    weights, length = lexicon.weights(" ".join(words), average=10)
    assert length == len(words)
    assert all(0 < weight < lexicon.K1 + 1 for weight in weights.values())


def test_a_chunk_keeps_at_most_the_terms_that_storage_holds() -> None:
    text = " ".join(f"word{number}x" for number in range(3 * lexicon.MAX_TERMS))
    assert len(lexicon.weights(text, 100)[0]) == lexicon.MAX_TERMS
