"""Takes out of a document's text what is meant for machines alone, and says what was there.

A document is data and stays data in the prompt; this keeps hidden payloads out of the index, and flags what is left.
"""

from __future__ import annotations

import re

from rag.sentences import sentence_starts

_INVISIBLE = "\u200b\u200c\u200d\u2060-\u2064\ufeff\u00ad\u180e"
_SPELLED = re.compile(rf"(?:[^\n{_INVISIBLE}][{_INVISIBLE}]{{1,4}}){{4,2000}}[^\s{_INVISIBLE}]?")
_RUN = re.compile("[\u200b\u200c\u2060-\u2064\ufeff\u180e]{4,}")
_STRAY = re.compile("[\u200b\u2060-\u2064\ufeff\u180e]")
_OVERRIDE = re.compile("[\u202d\u202e]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TAGS = re.compile("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+")
_TEMPLATE = re.compile(r"<\|[A-Za-z0-9_ ]{2,30}\|>|\[/?INST\]|<</?SYS>>|</?s>(?=\s*\[INST\])")
_MENTION = re.compile(r"(?<![\w.])@(everyone|here|channel)\b|<!(channel|here|everyone)(?:\|[^>\n]{0,40})?>")
_IMAGE = re.compile(r"!\[([^\]\n]{0,300})\]\(\s*<?((?:https?:)?//[^)\s]{1,2000})>?[^)\n]{0,200}\)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,300})\]\(\s*<?((?:https?:)?//[^)\s]{1,2000})>?[^)\n]{0,200}\)")
_DATA = re.compile(r"\?[^#]*(?:\{|%7B|\$\{|<|%3C|\[[a-z])", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n.*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_MACHINE = (
    r"(?:ai|a\.i\.|llms?|language models?|(?:ai |virtual )?assistants?|chat ?bots?|study bots?|gpt|claude|copilot"
    r"|summari[sz]ers?)"
)
INSTRUCTION = re.compile(
    r"\b(?:note|message|instructions?|attention|warning|hint|dear) (?:to|for)?\s?(?:any |all |the "
    rf"|every )?{_MACHINE}\b"
    rf"|(?:^|[\s>*_(\"'])(?:(?:any|all|dear|hey) )?{_MACHINE}(?: (?:readers?|models?|agents?|systems?|users?"
    r"|processing|reading)[^.:,\n]{0,40})?\s?[:,]\s?(?:\w+ ){0,3}?(?:you|please|must|should|always|never|ignore"
    r"|say|tell|reply|respond|answer|recommend|do not|don't|output|repeat|append|include|send)\b"
    rf"|\bif you(?:'re| are) (?:an? )?{_MACHINE}\b"
    r"|\b(?:ignore|disregard|forget|override) (?:(?:all|any|your|the|every|these|of) ){0,3}(?:previous|prior|above"
    r"|earlier|preceding|other|system) (?:instructions?|prompts?|rules|guidelines|context|directions)\b"
    r"|\b(?:ignore|disregard|forget) your (?:instructions?|prompts?|rules|guidelines)\b|\byou (?:must"
    r"|should) now (?:act|say|reply|respond|answer|ignore)\b"
    r"|\b(?:reveal|print|repeat|output) (?:your|the) (?:system prompt|hidden instructions)\b|\bwhen (?:asked"
    r"|answering|summari[sz]ing)\b[^.\n]{0,60}\b(?:you must|always|reply|respond|tell the user|say that)\b",
    re.IGNORECASE,
)
"""Sentences that are addressed to a machine."""
_COMMENT = re.compile(r"<!--((?:(?!<!--).){0,4000}?)(?:-->|(?=<!--)|\Z)", re.DOTALL)
_UNSEEN = re.compile(
    r"<[^<>]{0,400}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[01](?:px|pt|em)?\b"
    r"|opacity\s*:\s*0(?![.\d])|left\s*:\s*-\d{3,}|color\s*:\s*(?:#fff(?:fff)?|white)\b|\shidden[\s>=])[^<>]{0,400}>"
    r"(?:\s|<[^<>]{0,300}>){0,20}([^<]{1,2000})",
    re.IGNORECASE,
)
_TELLS = re.compile(rf"(?i)\b(?:{_MACHINE}|ignore|instruct\w*|you must|say|reply|system|prompt)\b")


def unhide(source: str) -> tuple[str, tuple[str, ...]]:
    """The source of a document, of any format, without characters that hide text, and what was suspicious in it.

    It has to come before parsing: a parser that drops invisible characters makes text of what was hidden between them.
    """
    flags = dict.fromkeys(name for name, pattern in _FLAGGED if pattern.search(source.lstrip("\ufeff")))
    if any(INSTRUCTION.search(f" {match[1].strip()}") for match in _COMMENT.finditer(source)):
        flags["comment"] = None
    if any(_TELLS.search(match[1]) for match in _UNSEEN.finditer(source)):
        flags["hidden element"] = None
    if any(_DATA.search(match[2]) for match in _IMAGE.finditer(source)):
        flags["data in an address"] = None
    return _visible(source), tuple(flags)


def sanitise(markdown: str) -> tuple[str, tuple[str, ...]]:
    """The text without what nobody sees or should obey, and the names of what was suspicious in it.

    Ordinary images, mentions and a byte-order mark go without a flag. Code blocks keep their sentences.
    """
    flags = dict.fromkeys(name for name, pattern in _FLAGGED if pattern.search(markdown.lstrip("\ufeff")))
    text = _MENTION.sub(lambda match: match[1] or match[2], _visible(markdown))
    if any(_DATA.search(match[2]) for pattern in (_IMAGE, _LINK) for match in pattern.finditer(text)):
        flags["data in an address"] = None
    text = _IMAGE.sub(lambda match: "" if _DATA.search(match[2]) else match[1], text)
    text = _LINK.sub(lambda match: match[1] if _DATA.search(match[2]) else match[0], text)
    kept = _without_instructions(text)
    if kept != text:
        flags["instruction"] = None
    return kept, tuple(flags)


def _visible(text: str) -> str:
    for pattern in (_SPELLED, _RUN, _STRAY, _BIDI, _TAGS, _TEMPLATE):
        text = pattern.sub("", text)
    return text


_FLAGGED = (
    ("spelled", _SPELLED),
    ("zero-width", _RUN),
    ("direction", _OVERRIDE),
    ("tags", _TAGS),
    ("template", _TEMPLATE),
)


def _without_instructions(text: str) -> str:
    pieces, position = [], 0
    for fence in _FENCE.finditer(text):
        pieces += [_sentences_kept(text[position : fence.start()]), fence[0]]
        position = fence.end()
    return "".join([*pieces, _sentences_kept(text[position:])])


def _sentences_kept(text: str) -> str:
    if not INSTRUCTION.search(text):
        return text
    starts = sentence_starts(text)
    sentences = (text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True))
    return "".join(_lines_kept(sentence) for sentence in sentences)


def _lines_kept(sentence: str) -> str:
    """A sentence may span lines, and a list has none: only the lines that instruct go, with their sentence."""
    if not INSTRUCTION.search(sentence):
        return sentence
    tail = sentence[len(sentence.rstrip()) :]
    lines = sentence.rstrip().split("\n")
    return "\n".join(line for line in lines if not INSTRUCTION.search(line)) + tail
