"""Numbers that stand for a person: cards and accounts by their check sums, the others beside the word for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrails.checks import IBAN_LENGTHS, iban, luhn
from guardrails.rule import Found, Match, Rule, rule, value

_SEGMENT = r"[A-Z]{0,6}\d[A-Z0-9]{0,19}"
_NUMBER = rf"(?:[A-Z]{{1,6}}[ .\-]?)?{_SEGMENT}(?:[ .\-/]{_SEGMENT}){{0,6}}(?:[ .\-]?[A-Z](?![A-Za-z0-9]))?"
_LINK = (
    r"(?: ?(?i:number|num|no|nr|nummer|numero|número|n[°ºo]|番号|号码|id|card|book|#|code|is|ist|es|est|é|was|hai"
    r"|it'?s"
    r"|its|says|shows)\b"
    r"|[\s:=#.,°º'\"()\-]|番号|号码|号|是|は|が|を){0,12}"
)
_NATIONAL = (
    r"\b(?i:ssn\b|social(?: security| insurance)?\b(?: (?:number|no))?|dni\b|nie\b|nif\b|cpf\b|cnpj\b|rg\b|bsn\b"
    r"|steuer-?(?:id|nummer|nr)\b"
    r"|codice fiscale|ni(?:no)?\b(?: (?:number|no))?|national insurance|aadhaa?r\b|pan(?: card)?\b|curp\b|rut\b"
    r"|pesel\b|sin\b"
    r"|personalausweis\w*|ausweis\w*|id card\b|identity card\b|national id\b|carte d'identité\b|cni\b|nir\b"
    r"|sécurité sociale"
    r"|ahv\w*|emirates id\b|iqama\b|personnummer\b|cédula\b|cedula\b|hetu\b|egn\b|tc kimlik\b|kimlik\b|nik\b|ktp\b"
    r"|cuil\b|driver'?s? licen[cs]e\b|driving licen[cs]e\b|führerschein\w*|nric|fin no|hkid|cnic"
    r"|sozialversicherungs\w*|rentenversicherungs\w*|sv-?nummer|carta d'identità|insee|avs|rfc|rodné číslo|cnp|oib"
    r"|jmbg|tckn|id (?:number|no|num|nummer|nr)|identification number|social insurance|citizen ?ship (?:no|number)"
    r"|citizen id|voter id|residen(?:ce|t) (?:permit|card|id)|green card|cédula de ciudadanía|cartão de cidadão"
    r"|numéro de sécu|número de seguridad social|dowód|patente|permis de conduire|carnet de conducir|tax id\b"
    r"|government id\b)"
    r"|マイナンバー|身份证|身分證|주민등록번호|ИНН|СНИЛС|паспорт РФ|الهوية|आधार"
)
_PASSPORT = (
    r"(?i:pass?port(?!\.js)|pasaporte|passeport|reisepass|passaporte|paspoort|paszport|pasaport)\w{0,6}|パスポート"
    r"|旅券|护照"
    r"|護照|여권"
    r"|جواز(?: السفر)?|паспорт\w{0,3}|पासपोर्ट"
)
_CANDIDATE = (
    r"\b(?i:candidate?n?(?:en)?[ _-]?(?:id|no|nr|nummer|number|#|code)\b|candidate\b(?= ?#)|kandidaten?-?(?:nummer"
    r"|nr|id)\b|test(?:ing|[ -]?taker)?[ _-]?id\b"
    r"|psi[ _-]?(?:id|number|candidate)\b|(?:registration|exam|examinee|confirmation|appointment|webassessor"
    r"|pearson(?: vue)?|onvue|kryterion|vue|certmetrics|credly)"
    r"[ _-]?(?:id|no|nr|number|#)\b|(?:id|número|numero|numéro|n[°º]) (?:de |do |du |di )?(?:candidato|candidat"
    r"|candidate|candidata)\b|candidat(?:o|a)?\b"
    r"|aws training (?:id|account)\b|cert(?:ification)? (?:id|number)\b)|受験者|候选人|考生|응시자|المرشح"
)
_VOUCHER = re.compile(
    r"(?i)voucher|vouchr|coupon|gutschein|promo|discount code|cup[oó]n|cupom|bon de|ワウチャー|バウチャー|クーポン"
    r"|优惠码|قسيمة|कूपन"
    r"|वाउचर|ваучер"
)
_CODE = r"(?<![A-Za-z0-9_-])(?P<v>[A-Za-z0-9]{2,24}(?:-[A-Za-z0-9]{1,16}){0,6})(?![A-Za-z0-9_-]|\.\w)"
_MONTH = (
    r"(?i:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|ene|abr|ago|set|out|dic|fév|fev|avr|juin|juil"
    r"|ao[uû]|déc|gen|mag|giu|lug|ott)[a-zéûäç]{0,8}\.?"
)
_DATE = (
    r"(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}(?:st|nd|rd|th|er|\."
    rf"|º)?[ -](?:de |of )?{_MONTH}[ ,-]{{1,2}}(?:de |del )?'?\d{{2,4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日)"
)
_BORN = (
    r"\b(?i:d\.? ?o\.? ?b\b\.?|born\b|birth ?(?:day|date)?\b|b-?day\b|date of birth|geburts\w{0,6}|geb(?:oren|\.)"
    r"|née? le\b|date de naissance|fecha de nacimiento|nac[ií]\b|nasc\w{0,8}"
    r"|data di nascita|nato\b|nata\b|geboortedatum|data urodzenia|janam\w{0,8}|janm\w{0,6}|doğum)|生年月日|誕生日"
    r"|生日|出生"
    r"|생년월일|تاريخ (?:ال)?ميلاد\w{0,3}|дата рождения|родил\w{1,3}|जन्म"
)


def _enough_digits(match: Match) -> bool:
    text = value(match)
    digits, characters = sum(c.isdigit() for c in text), sum(c.isalnum() for c in text)
    return characters <= 20 and (digits >= 6 or (digits >= 4 and characters >= 9))


_ANNOUNCED = re.compile(r"(?i)\b(?:no|nr|num\w*|is|hai|ist|es)\b|[#:°º]|番号|号|رقم")


def _passport(match: Match) -> bool:
    text = value(match)
    before = match[0].removesuffix(text)
    announced = len(before) < 12 or bool(_ANNOUNCED.search(before))
    return sum(c.isdigit() for c in text) >= 4 and 6 <= len(text) <= 12 and (announced or not text.isdigit())


def _voucher(match: Match) -> bool:
    text = value(match)
    if len(text) < 9 or sum(c.isdigit() for c in text) < 2 or sum(c.isupper() for c in text) < 3:
        return False
    return bool(_VOUCHER.search(match.string, max(0, match.start() - 80), match.end() + 40))


def _card(match: Match) -> bool:
    digits = re.sub(r"\D", "", value(match))
    return luhn(digits) and digits[0] in "23456"


def _dni(match: Match) -> bool:
    """The letter follows from the number (Spanish Royal Decree 1553/2005)."""
    digits = match[0][:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == match[0][-1]


IDENTIFIERS: tuple[Rule, ...] = (
    rule(
        "CREDIT_CARD",
        r"(?<![A-Za-z0-9_./-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5}"
        r"|3[068]\d{2}([ -]?)\d{6}\3\d{4})(?![A-Za-z0-9_-]|\.\d)",
        _card,
    ),
    rule(
        "CREDIT_CARD",
        r"(?i:\b(?:cvv2?|cvc2?|cid|security code|card code|prüfnummer)\b)\W{0,4}(?:is |ist |es "
        r"|it's )?(?P<v>\d{3,4})(?![A-Za-z0-9_-]|\.\d)",
    ),
    rule("NATIONAL_ID", r"(?<![A-Za-z0-9_-])\d{3}-\d{2}-\d{4}(?![A-Za-z0-9_-])"),
    rule(
        "NATIONAL_ID",
        r"(?<![A-Za-z0-9_.-])(?:756\.\d{4}\.\d{4}\.\d{2}|784-\d{4}-\d{7}-\d|\d{5}-\d{7}-\d"
        r"|[12] \d{2} \d{2} \d{2} \d{3} \d{3}(?: \d{2})?)(?![A-Za-z0-9_-])",
    ),
    rule(
        "NATIONAL_ID",
        rf"(?P<v>(?<![A-Za-z0-9_-]){_NUMBER})(?![A-Za-z0-9])[^\n\d]{{0,6}} (?:is |es |ist |est |é )?(?:my|mi"
        rf"|mein[e]?|mon|meu) (?:{_NATIONAL})",
        _enough_digits,
    ),
    rule(
        "PASSPORT",
        r"(?P<v>(?<![A-Za-z0-9-])(?:[A-Z]{1,3} ?)?\d[A-Z0-9]{5,9})(?![A-Za-z0-9-]) (?:is |es |ist |est "
        rf"|é )?(?:my|mi|mein|mon|meu|the) (?:{_PASSPORT})",
        _passport,
    ),
    rule("NATIONAL_ID", r"(?<![A-Za-z0-9_.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![A-Za-z0-9_-])"),
    rule("NATIONAL_ID", r"(?<![A-Za-z0-9_-])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z0-9_-])"),
    rule("NATIONAL_ID", r"(?<![A-Za-z0-9_-])(?:\d{8}|[XYZ]\d{7})[A-Z](?![A-Za-z0-9_-])", _dni),
    rule("NATIONAL_ID", rf"(?:{_NATIONAL}){_LINK}(?P<v>(?<![A-Za-z0-9]){_NUMBER})(?![A-Za-z0-9])", _enough_digits),
    rule(
        "PASSPORT",
        rf"(?:{_PASSPORT})[^\n]{{0,40}}?(?P<v>(?<![A-Za-z0-9-])(?:[A-Za-z]{{1,3}} ?)?\d[A-Za-z0-9]{{5,9}})(?![A-Za-"
        r"z0-9-]"
        r")",
        _passport,
    ),
    rule(
        "CANDIDATE_ID",
        rf"(?:{_CANDIDATE})[^\n\d]{{0,24}}?(?P<v>(?<![A-Za-z0-9-])(?:[A-Z]{{1,6}}-?)?\d[A-Z0-9]{{3,14}}(?:-[A-Z0-9]{{"
        r"2,12}){0,4})(?![A-Za-z0-9])",
        _enough_digits,
    ),
    rule("CANDIDATE_ID", r"(?<![A-Za-z0-9_-])(?:AWS\d{8}|HC\d{7})(?![A-Za-z0-9_-])"),
    rule("VOUCHER_CODE", _CODE, _voucher),
    rule("DATE_OF_BIRTH", rf"(?:{_BORN})[^\n\d]{{0,24}}?(?P<v>{_DATE})(?!\d|-\d)"),
    rule(
        "DATE_OF_BIRTH",
        rf"(?P<v>(?<![A-Za-z0-9_-]){_DATE})(?!\d|-\d) ?(?:(?i:is|was|ist|es|est|é) )?(?i:my|mein\w*|mi|mon|ma"
        rf"|meu) (?:{_BORN})",
    ),
)
"""Rules for numbers that stand for a person."""


_ALNUM = re.compile(r"[A-Za-z0-9]")


class Accounts:
    """Bank account numbers: the country tells how many of the characters belong to one."""

    _START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[ -]?\d{2}(?=[ .-]?[A-Za-z0-9]{2})")
    _CHARACTER = re.compile(r"[ .\n-]?[A-Za-z0-9]")

    def find(self, text: str) -> Iterator[Found]:
        """Everything with a country's length and check digits."""
        for start in self._START.finditer(text):
            end = self._end(text, start.end(), IBAN_LENGTHS.get(start[0][:2].upper(), 0) - 4)
            if end is not None and iban(text[start.start() : end]):
                yield Found(start.start(), end, "IBAN")

    def _end(self, text: str, position: int, missing: int) -> int | None:
        for _ in range(missing):
            match = self._CHARACTER.match(text, position)
            if match is None:
                return None
            position = match.end()
        return None if _ALNUM.match(text, position) else position
