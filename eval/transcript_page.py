"""Writes the transcript for readers: the tally of the verdicts first, then each question with its answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from eval.transcripts import RULINGS, Entry, Verdict

UNJUDGED = "not judged"
OUTDATED = "judged before it changed"


def as_jsonl(entries: Sequence[Entry]) -> str:
    """A line a question, with the answer object as the API gives it."""
    rows = [
        {"id": e.asked.id, "tenant": e.tenant, "answerable": e.asked.answerable, "digest": e.digest} | e.answer
        for e in entries
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_page(entries: Sequence[Entry], verdicts: Mapping[str, Verdict]) -> str:
    """The transcript as Markdown."""
    tenants = list(dict.fromkeys(entry.tenant for entry in entries))
    parts = [
        "# Transcripts\n",
        "Questions that were written before the first run, and what the product answered: extractive, without a"
        " language model, over the starter notes and the genuine documents of `eval/corpus.yaml`. Made by"
        " `make transcripts`; the raw answers are in [transcripts.jsonl](transcripts.jsonl), the verdicts of a reader"
        " who saw only question, sources and answer in [transcripts-verdicts.yaml](transcripts-verdicts.yaml).\n",
        _tally(entries, verdicts, tenants),
    ]
    for tenant in tenants:
        parts.append(f"## {tenant}\n")
        parts += [_shown(entry, verdicts) for entry in entries if entry.tenant == tenant]
    return "\n".join(parts)


def ruling(entry: Entry, verdicts: Mapping[str, Verdict]) -> str:
    """The verdict on this answer; one on an earlier answer does not count."""
    verdict = verdicts.get(entry.asked.id)
    if verdict is None:
        return UNJUDGED
    return verdict.verdict if verdict.of in (None, entry.digest) else OUTDATED


def _tally(entries: Sequence[Entry], verdicts: Mapping[str, Verdict], tenants: Sequence[str]) -> str:
    counts = {tenant: Counter(ruling(e, verdicts) for e in entries if e.tenant == tenant) for tenant in tenants}
    rows = [
        f"| {name} | " + " | ".join(str(counts[tenant][name]) for tenant in tenants) + f" | {total} |"
        for name in (*RULINGS, OUTDATED, UNJUDGED)
        if (total := sum(count[name] for count in counts.values()))
    ]
    rows.append("| questions | " + " | ".join(str(counts[t].total()) for t in tenants) + f" | {len(entries)} |")
    head = "| verdict | " + " | ".join(tenants) + " | all |\n|---|" + "---|" * (len(tenants) + 1)
    return "\n".join([head, *rows, ""])


def _shown(entry: Entry, verdicts: Mapping[str, Verdict]) -> str:
    answer, verdict = entry.answer, verdicts.get(entry.asked.id)
    confidence = "" if answer["confidence"] is None else f", confidence {answer['confidence']:.2f}"
    kind = answer["kind"] if answer["reason"] == "none" else f"{answer['kind']} ({answer['reason']})"
    expected = "answerable" if entry.asked.answerable else "not answerable"
    lines = [
        f"### {entry.asked.id}: {entry.asked.question}\n",
        f"*{kind}{confidence}; meant as {expected}; answer {entry.digest}*\n",
        *(f"> {line}".rstrip() for line in answer["answer"].splitlines()),
        "",
        *(_source(answer, citation) for citation in answer["citations"]),
        "",
        f"**{ruling(entry, verdicts)}**{f': {verdict.why}' if verdict else ''}\n",
    ]
    return "\n".join(lines)


def _source(answer: dict[str, object], citation: dict[str, object]) -> str:
    sources = answer["sources"]
    assert isinstance(sources, list)
    name = sources[int(str(citation["source"]))]["citation"]
    title = f"[{citation['heading']}]({citation['url']})" if citation["url"] else citation["heading"]
    return f"{citation['number']}. {title}, {name}"
