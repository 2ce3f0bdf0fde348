"""Postal addresses: a run of capitalised words and numbers that holds a street, or follows the word for an address."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrails.rule import Found, Match, Rule, rule

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪĮİĶŁĽŃŇŌŐŘŚŞŠŢŤŪŮŰŲŹŻŽ"
_STREET = re.compile(
    rf"\b\d{{1,5}}[A-Za-z]? (?:[{_UPPER}][\w'’.-]{{0,20}},? ){{1,4}}(?i:street|st|road|rd|avenue|ave|blvd|boulevard"
    r"|lane|ln|drive|dr|court|ct|way|place|pl|plaza|square|sq"
    r"|terrace|close|crescent|highway|parkway|row|hill|nagar|colony|marg|layout|vihar|enclave|chowk)\b"
    r"|\b\d{1,5},? ?(?:bis |ter )?(?:[Rr]ue|[Cc]hemin|[Ii]mpasse|[Qq]uai|avenue|boulevard|place|allée)\b"
    r"|\b(?i:calle|c/|avenida|avda|av|paseo|carrer|carretera|rua|travessa|alameda|praça|estrada|via|viale|piazza"
    r"|corso|vicolo|ulica|ul|aleja|jalan|jl|plaza)\b[^\n\d]{2,40}\d"
    r"|\w{2,24}(?:straße|strasse|str\.|weg|gasse|platz|allee|damm|ufer|straat|laan|gracht|gatan|vägen|gade|vej|veien"
    r"|katu) ?\d"
    r"|\b(?i:p\.? ?o\.? ?box|postfach|apartado|plot|flat|apt|apartment|house no)\b\.? ?#?\d"
)
_WHERE = re.compile(
    r"(?i:\baddress(?: is)?\b|\blive (?:at|in|on)\b|\bliving at\b|\bship\b|\bsend\b|\bmail (?:it|to)\b"
    r"|\bdeliver\w*\b|\bmy (?:home|place|flat|house)\b|\bpost (?:it|to)\b"
    r"|\badresse?\b|\banschrift\b|\bwohne?\b|\bdirecci[oó]n\b|\bdomicilio\b|\bvivo\b|\bendereço\b|\bmoro\b"
    r"|\bj'habite\b|\bhabite\b|\bindirizzo\b|\babito\b|\bwoon\b|\bbor på\b"
    r"|\bmieszkam\b|\bpata\b|\brehta\b|\brehti\b|\balamat\b|\badres\w{0,4}\b)|住所|地址|العنوان|адрес|주소|पता"
)
_PARTICLE = r"(?:de|do|da|dos|das|del|la|las|los|el|des|du|of|van|der|den|dem|am|im|an|zum|zur|bis|ter|y|e|di|della)"
_PIECE = (
    rf"(?:[{_UPPER}][\w'’.°º/-]{{0,30}}|[ld]['’][{_UPPER}]\w{{1,20}}|\d[\w°º/-]{{0,11}}|#\d{{1,5}}|c/o"
    rf"|{_PARTICLE}(?=[ \n])|(?i:rua|calle|rue|via|avenue|avenida|boulevard|chemin|plot|flat|apt\.?|apto\.?|unit"
    r"|ul\.|jalan)(?=[ \n]))"
)
_RUN = re.compile(rf"(?<![\w/.:@-]){_PIECE}(?:(?:, ?|,?[ \n]{{1,2}}| [-–] ){_PIECE}){{1,18}}")
_TAIL = re.compile(rf"(?:[ ,\n–-]{{1,3}}{_PARTICLE})+$|[.,\s]+$")
_WORD = re.compile(rf"[{_UPPER}][a-zà-ÿ'’A-ZÀ-Þ-]{{2,}}")
_POSTCODE = re.compile(r"\b\d{5,6}\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b")
_TOO_FAR = 35
"""Characters between the word for an address and the address."""


class Addresses:
    """Postal addresses written in Latin letters."""

    def find(self, text: str) -> Iterator[Found]:
        """Every run that holds a street with a number, or that follows the word for an address."""
        if not any(character.isdigit() for character in text):
            return
        for run in _RUN.finditer(text):
            start, end = _trimmed(run)
            if _is_address(text, start, end):
                yield Found(start, end, "ADDRESS")


def _trimmed(run: Match) -> tuple[int, int]:
    """Without the sentence's own first words ("My …", "I live …") and without trailing particles."""
    found = run[0]
    head = re.match(
        r"(?:(?i:my|i|the|in|is|hi|hello|please|pls|ship|send|to|at|live|and|ich|wohne|der|den|die|das|vivo|en"
        r"|address|adresse|de|da|do|la|el) ?[:,]? ){0,4}",
        found,
    )
    start = run.start() + (head.end() if head else 0)
    tail = _TAIL.search(found)
    return start, run.start() + (tail.start() if tail else len(found))


def _is_address(text: str, start: int, end: int) -> bool:
    shown = text[start:end]
    numbers = re.findall(r"(?<![\w.])#?\d{1,6}\w?\b", shown)
    words = _WORD.findall(shown)
    street = _STREET.search(shown)
    if not numbers or not words or len(shown) < 8:
        return False
    parts = len(re.split(r"[,\n]", shown))
    before = text[max(0, start - _TOO_FAR) : start]
    announced = bool(_WHERE.search(before)) and not any(character.isdigit() for character in before)
    if street is not None:
        return announced or (parts >= 2 and len(words) >= 2) or len(words) >= 3
    return announced and parts >= 2 and len(words) >= 2 and bool(_POSTCODE.search(shown))


JAPANESE: Rule = rule(
    "ADDRESS",
    r"(?:〒?\d{3}-\d{4} ?)?[一-龯]{2,4}[都道府県][一-龯ぁ-んァ-ヶ]{1,12}[市区町村][一-龯ぁ-んァ-ヶ]{0,12}"
    r"\d{1,4}(?:(?:-|丁目|番地?|号)\d{0,4}){1,4}(?: ?[ァ-ヶー一-龯A-Za-z]{2,20} ?\d{1,5}(?:号室)?)?",
)
CHINESE: Rule = rule(
    "ADDRESS",
    r"[一-龯]{2,8}[省市][一-龯]{1,10}[区县市][一-龯]{1,14}(?:路|街|道|巷)\d{1,5}号?(?:[一-龯\d-]{1,16}[室号楼])?",
)
