"""What can be quoted of a passage as it stands."""

from __future__ import annotations

from rag.units import split_units

MARKDOWN = """## Storage

S3 keeps objects in buckets. A bucket has a name,
which is unique (e.g. across accounts).

- Versioning keeps old versions.
- Lifecycle rules
  delete them later.

| class | use |
|---|---|
| Standard | often read |
| Glacier | archive |

```hcl
bucket = "x"
```

> Note that names are global.
"""


def test_prose_is_split_into_sentences_over_line_breaks() -> None:
    texts = [unit.text for unit in split_units(MARKDOWN) if unit.kind == "sentence"]
    assert texts[:2] == [
        "S3 keeps objects in buckets.",
        "A bucket has a name, which is unique (e.g. across accounts).",
    ]


def test_an_item_is_whole_without_its_bullet() -> None:
    assert [unit.text for unit in split_units(MARKDOWN) if unit.kind == "item"] == [
        "Versioning keeps old versions.",
        "Lifecycle rules delete them later.",
    ]


def test_a_row_knows_its_header() -> None:
    rows = [unit for unit in split_units(MARKDOWN) if unit.kind == "row"]
    assert [row.text for row in rows] == ["| Standard | often read |", "| Glacier | archive |"]
    assert {row.lead for row in rows} == {"| class | use |\n|---|---|"}


def test_a_fence_is_one_unit_and_headings_are_none() -> None:
    units = split_units(MARKDOWN)
    assert [unit.text for unit in units if unit.kind == "fence"] == ['```hcl\nbucket = "x"\n```']
    assert not [unit for unit in units if "## Storage" in unit.text]


def test_a_quoted_note_is_prose() -> None:
    assert split_units(MARKDOWN)[-1].text == "Note that names are global."


def test_an_open_fence_ends_with_the_text() -> None:
    assert [unit.kind for unit in split_units("```\nx = 1")] == ["fence"]
