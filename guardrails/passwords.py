"""Passwords: the word for one, and beside it something that looks like one and not like a reference to one."""

from __future__ import annotations

import re

from guardrails.rule import Match, Rule, rule, value

_WORD = (
    r"(?i:pass ?word|passwd|passwort|kennwort|passphrase|passcode|contraseñ?a|mot ?de ?passe|senha|palavra-passe"
    r"|wachtwoord|has[łl]o|parola|lösenord|пароль|(?<![a-z])(?:pwd|pw|pass(?!port|ag|role|ed|ing|thr)|mdp))"
)
_FOREIGN = r"(?:パスワード|密码|密碼|비밀번호|كلمة (?:المرور|السر)|पासवर्ड)"
_IS = r"(?i:is|was|ist|war|es|era|est|é|are|hai|:=|を)"
_TECHNICAL = re.compile(
    r"(?i)^(?:base64|sha-?\d+|md5|utf-?8|x509|bcrypt|scrypt|argon2\w*|aes-?\d+\w*|v?\d[\d.]*\w?|\d+[a-z]{1,10}"
    r"|[a-z]+\d+(?:days?|hours?|h|d|min|chars?)|[a-z]+-c\d\d)$"
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[$<{\[%!(].*|.*\$\{.*|x{3,}|\*{3,}|\.{3,}|…|your.*|my_?password|change_?me|secret|password\d?|passwd"
    r"|pass|pwd|"
    r"true|false|null|none|string|sensitive|required|optional|example|placeholder|redacted|mock\w*|data\..*|var\..*|"
    r"local\..*|ephemeral\..*|random_password.*|os\.\w+.*|env\..*|process\.env.*|getenv.*|file\(.*|ref\b.*)$"
)
_PATH = re.compile(
    r"^[A-Za-z_][\w-]*(?:\[[^\]]*\])?(?:\.[A-Za-z_*][\w\[\]\"*-]*)+$|^[a-z_]\w*\(|^(?:[\w.-]*/)+[\w.-]*$"
)


def _kinds(text: str) -> int:
    special = any(not c.isalnum() and c not in "-_./'’,:" for c in text)
    letters = any(c.islower() for c in text), any(c.isupper() for c in text)
    return sum(letters) + any(c.isdigit() for c in text) + special


def _reference(text: str) -> bool:
    return bool(_PLACEHOLDER.match(text) or _PATH.match(text) or _TECHNICAL.match(text))


def _quoted(match: Match) -> bool:
    return not _reference(value(match)) and not value(match).isspace()


def _assigned(match: Match) -> bool:
    return not _reference(value(match)) and _kinds(value(match)) >= 2


def _said(match: Match) -> bool:
    text = value(match)
    symbols = any(c.isdigit() for c in text) or any(not c.isalnum() and c not in "-_./'’,:" for c in text)
    return symbols and any(c.isalpha() for c in text) and _assigned(match)


def _bare(match: Match) -> bool:
    return _said(match) and _kinds(value(match)) >= 3


def _in_code(match: Match) -> bool:
    return "\n" in match.string.strip() and _plain(match)


def _plain(match: Match) -> bool:
    return not _reference(value(match))


_OWNED = (
    r"(?i:my|mera|the|lab|wifi|wi-fi|root|admin|db|console|login|master|user|rds|sql|account|temp|temporary|default"
    r"|vpn|und|and|y|with|sudo)"
)
_FREE = r"(?P<v>[^\s\"'`,<>()]{3,127}[^\s\"'`,<>().:?…])"
_VALUE = r"(?P<v>[^\s\"'`;,<>&|()]{3,127}[^\s\"'`;,<>&|().:?…])"
PASSWORDS: tuple[Rule, ...] = (
    rule(
        "PASSWORD",
        rf"{_WORD}\w{{0,3}}[\"']?\s{{0,20}}(?:[:=]|=>|:=)\s{{0,20}}(?P<q>[\"'])(?P<v>[^\"'\n]{{3,128}})(?P=q)",
        _quoted,
    ),
    rule(
        "PASSWORD",
        rf"(?:{_WORD}|{_FOREIGN})\w{{0,3}}[^\n\w:=\"']{{0,3}}(?:\([^)\n]{{0,20}}\))?(?: ?[a-zA-Z]{{1,8}}){{0,2}}"
        rf"[ \t]{{0,20}}(?:[:=]{{1,2}}|->|→|=>)[ \t]{{0,20}}{_VALUE}",
        _assigned,
    ),
    rule("PASSWORD", rf"(?:{_WORD}|{_FOREIGN})[^\n\w]{{1,3}}(?:\w{{1,10}} ){{0,5}}?{_IS}[ :\"'`]{{1,3}}{_FREE}", _said),
    rule("PASSWORD", rf"{_FOREIGN}[^\n!-~]{{0,4}} ?(?P<v>[!-~]{{4,128}})", _said),
    rule("PASSWORD", rf"(?i:not my) {_WORD}[^\n\w]{{1,3}}(?i:it'?s|its|it is)[ \"'`]{{1,3}}{_FREE}", _said),
    rule("PASSWORD", rf"{_WORD} [\"'`]?{_FREE}", _bare),
    rule("PASSWORD", r"\b(?i:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p(?P<v>[^\s\"'$]{4,128})", _plain),
    rule(
        "PASSWORD",
        r"\b(?i:sshpass|docker login|podman login|az login|helm registry login|sqlcmd|redis-cli)\b[^\n]{0,200}?"
        r"\s-(?:p|P|a)[ =]?[\"']?(?P<v>[^\s\"'$]{4,128})",
        _plain,
    ),
    rule("PASSWORD", rf"--?{_WORD}[ =][\"']?{_VALUE}", _assigned),
    rule(
        "PASSWORD",
        r"\b(?:curl|wget|http)\b[^\n]{0,300}?\s(?:-u|--user)[ =][\"']?[\w.@%+-]{1,64}:(?P<v>[^\s\"'$]{3,128})",
        _plain,
    ),
    rule("PASSWORD", r"(?<![A-Za-z])[a-z][a-z0-9+.-]{1,15}://[^\s/:@]{0,64}:(?P<v>[^\s/@]{1,128})@", _plain),
    rule("PASSWORD", rf"\b{_OWNED} {_WORD} [\"'`]?{_FREE}", _said),
    rule("PASSWORD", rf"{_WORD}=(?P<v>[a-z]{{6,40}})(?=\s|$|;|&)", _plain),
    rule("PASSWORD", rf"(?m)^[ \t-]*[\w.]{{0,30}}{_WORD}: {{1,8}}(?P<v>[a-z]{{6,40}})$", _in_code),
    rule("PASSWORD", rf"(?<![A-Za-z])(?i:pwd|pw|passwd|mdp)(?:'s)? [\"'`]?{_FREE}", _said),
    rule("PASSWORD", rf"(?i:identified by|with {_WORD}|{_WORD}) (?P<q>[\"'])(?P<v>[^\"'\n]{{4,64}})(?P=q)", _assigned),
    rule(
        "PASSWORD",
        rf"{_WORD}[^\n\w]{{1,3}}(?:\w{{1,10}} ){{0,3}}?(?i:to|as|lautet|equals|auf|à|को)[ :\"'`]{{1,3}}{_FREE}",
        _bare,
    ),
    rule(
        "PASSWORD",
        r"(?<![^\s\"'`(])(?P<v>[!-~]{6,64}) (?i:is|ist|es|est|é) (?i:my|the|mein|das|mi|la|mon|le|minha"
        rf"|a) (?:\w{{1,12}} )?{_WORD}",
        _bare,
    ),
    rule(
        "PASSWORD",
        r"(?i:creds?|credentials|login|log in|zugangsdaten|credenciales|identifiants"
        rf"|user ?/ ?{_WORD})[^\n\w]{{1,4}}[\w.@-]{{1,40}} ?[/:|] ?{_FREE}",
        _bare,
    ),
    rule("PASSWORD", r"(?i:authorization: ?basic) (?P<v>[A-Za-z0-9+/]{8,400}={0,2})"),
)
