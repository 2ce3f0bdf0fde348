"""Ways to reach somebody: mail addresses, telephone numbers, and the address of a home's line."""

from __future__ import annotations

import re

from guardrails.checks import public_address
from guardrails.rule import Match, Rule, rule, value

_SERVICE_MAIL = re.compile(
    r"(?i)^(?:git|hg|svn|ec2-user|ubuntu|centos|debian|fedora|root|postgres|user|username|name|you|someone|email)@"
    r"|@[\w.-]*(?:gserviceaccount\.com|\.compute\.internal|\.amazonaws\.com|\.iam)$|@(?:github|gitlab"
    r"|bitbucket)\.(?:com|org)$"
)
_USERINFO = re.compile(r"://[^/\s]*$")
_THOUSANDS = re.compile(r"^\d{1,3}(?:[ .]\d{3})*[ .]000$")
_DIALLED = re.compile(r"[0+(]|\d{3}[ .-]\d{3}[ .-]\d{4}$|1[ .-]\d{3}[ .-]\d{3}[ .-]\d{4}$|\d{10}$")
_RESOLVERS = frozenset({"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "1.2.3.4"})
"""Public name servers, and the address that examples make up."""
_NO_HOST = re.compile(r"(?i)\b(?:the|this|that|my|your|our|a|all|least|most|first|once|which)\b")
_ENDING = (
    "com|org|net|edu|gov|info|io|co|dev|app|me|uk|de|at|ch|fr|es|pt|it|nl|be|se|no|dk|fi|pl|cz|ru|ua|tr|in|jp|cn|kr"
    "|id|br|mx|ar|cl|us|ca|au|nz|za"
)
"""Top-level domains that people spell out."""
_NOT_MINE = re.compile(
    r"(?i)elastic|instance|server|\bec2|\bvm\b|\bnat\b|load ?balancer|\blb\b|gateway|bastion|private|cluster|\bpod\b"
)


def _personal_mail(match: Match) -> bool:
    before = match.string[max(0, match.start() - 200) : match.start()]
    return not _SERVICE_MAIL.search(match[0]) and not _USERINFO.search(before)


def _spelled_mail(match: Match) -> bool:
    return not _NO_HOST.search(match["host"]) and not _NO_HOST.fullmatch(match["local"])


def _digits(match: Match) -> int:
    return sum(character.isdigit() for character in value(match))


def _international(match: Match) -> bool:
    return 8 <= _digits(match) <= 15


def _national(match: Match) -> bool:
    return 7 <= _digits(match) <= 13 and not _THOUSANDS.search(value(match))


def _dialled(match: Match) -> bool:
    """After a word that means other things, too, the number itself has to look like one."""
    return _national(match) and bool(_DIALLED.match(value(match)))


def _home_line(match: Match) -> bool:
    address = value(match).removesuffix("/32")
    return public_address(address) and address not in _RESOLVERS and not _NOT_MINE.search(match[0])


_PHONE_WORD = (
    r"\b(?i:(?:tele)?(?:phone|fon)(?:e|nummer)?s?|tel|tlf|mobile?|cell(?:ulare?)?|whats ?app|zap|handy"
    r"|m[oó]vil|celular|tel[eé]fono|telefone|t[eé]l[eé]phone|portable|num[eé]ro|ruft|sms"
    r""
    r"|fax|cel\b|(?:my|meine|mein|mon|mi|meu|mera) (?:number|nummer|num|no\b|nr)|nummer:|phn|mob"
    r")|電話|携帯|手机|电话|हेलो|फ़ोन|फोन|मोबाइल|هاتف|جوال|رقمي|телефон|전화"
)
_NUMBER = r"\(?\d{1,11}\)?(?:(?:[ .\-/]{1,3}|(?<=\)))\(?\d{1,8}\)?){0,6}"
_IPV4 = r"(?:\d{1,3}\.){3}\d{1,3}"
_DOT = r"(?: ?[\[({<] ?(?:dot|\.|punkt|punto|ponto|point) ?[\])}>] ?| (?:dot|punkt|punto|ponto|point) )"
_HOME = (
    r"(?i:\b(?:my|mine|home|house|own|personal|mera|mere|ghar|mi|mia|mio|meu|minha|mon|ma|mein(?:e|er|em)?|heim\w*"
    r"|zuhause|casa|maison)\b)"
    r"|自宅|我的|家"
)

_LINE = (
    r"\b(?i:(?:at|from|my|for my|mein\w*|mi|mon|ma|our) (?:home|house|flat|apartment|dorm|router|fritz ?box|isp|wifi"
    r"|wi-fi|wlan|laptop|pc|desktop|provider|internet|fib(?:re|er)"
    r"|dsl|cable|phone|hotspot|casa|maison|zuhause|anschluss|office wifi|static ip|public ip|own ip|ip)|home (?:ip"
    r"|line|network|router|internet|wifi|connection|office|address)|residential|ifconfig\.me|whatismyip\w*"
    r"|checkip\w*|icanhazip\w*|ipinfo\.io|ipify\w*|whats my ip|what is my ip|desde casa|von zuhause|de casa|chez moi"
    r"|ghar ka|mera ip|di casa)\b|自宅|我家|家の"
)

CONTACTS: tuple[Rule, ...] = (
    rule(
        "EMAIL",
        r"(?<![A-Za-z0-9À-ɏ._%+/-])[A-Za-z0-9À-ɏ_%+-][A-Za-z0-9À-ɏ._%+-]{0,63}@(?:[A-Za-z0-9À-ɏ-]{1,63}\.){1,5}"
        r"[A-Za-z]{2,24}(?![A-Za-z0-9-]|\.[A-Za-z]{2})",
        _personal_mail,
    ),
    rule(
        "EMAIL",
        r"(?i)(?<![\w.+-])(?P<local>[a-z0-9][\w+.-]{0,40}(?: (?:dot|punkt|punto|ponto|point) [\w-]{1,30}){0,3})"
        r"(?: ?[\[({<] ?(?:at|ät|arroba|@) ?[\])}>] ?| (?:at|ät|arroba|chez) )"
        rf"(?P<host>[a-z0-9-]{{1,40}}(?:{_DOT}[a-z0-9-]{{2,24}}){{0,3}}?{_DOT}(?:{_ENDING}))(?![\w-]"
        rf"|{_DOT}(?:{_ENDING}))",
        _spelled_mail,
    ),
    rule(
        "EMAIL",
        r"(?i)(?<![\w.+-])[a-z0-9][\w+.-]{0,40} ?[\[({<] ?(?:at|ät|arroba"
        r"|@) ?[\])}>] ?(?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,24}(?![\w-])",
    ),
    rule(
        "PHONE",
        rf"(?:(?<![A-Za-z0-9+])\+|(?<![A-Za-z0-9_+.:/-])00 ?(?=[1-9]))\d{{1,3}}[ .\-/]{{0,2}}{_NUMBER}(?![A-Za-z0-9"
        r"_]|[.,:]\d)",
        _international,
    ),
    rule(
        "PHONE",
        r"\b(?i:call(?:ing)?|rings?|text(?: me)?|reach me|dial|contact"
        rf"|sms)\b[^\n\d+(]{{0,30}}?(?P<v>(?<![A-Za-z0-9_+,/-])\+?{_NUMBER})"
        r"(?![A-Za-z0-9_]|[.,:]\d|/\d|%)",
        _dialled,
    ),
    rule(
        "PHONE",
        rf"(?:{_PHONE_WORD})[^\n\d+]{{0,60}}?(?P<v>(?<![A-Za-z0-9_+,/-])\+?{_NUMBER})(?![A-Za-z0-9_]|[.,:]\d|/\d|%)",
        _national,
    ),
    rule(
        "PHONE",
        r"(?<![A-Za-z0-9_.+/:-])(?P<v>\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}[.-]\d{3}[.-]\d{4}|\(\d{2}\) ?9?\d{4}-\d{4}"
        r"|0\d{1,3}-\d{3,4}-\d{4}|07\d{3} \d{6}|01[5-7]\d[ /-]\d{6,8}|0[1-7](?: \d{2}){4}"
        r"|0[1-7](?:\.\d{2}){4})(?![A-Za-z0-9_-]|[.,:]\d)",
    ),
    rule(
        "IP_ADDRESS",
        rf"(?:{_LINE})[^\n]{{0,45}}?(?P<v>(?<![A-Za-z0-9_.]){_IPV4}(?:/32)?)(?![A-Za-z0-9_/]|\.\d)",
        _home_line,
    ),
    rule(
        "IP_ADDRESS",
        rf"(?P<v>(?<![A-Za-z0-9_.]){_IPV4}(?:/32)?)(?![A-Za-z0-9_/]|\.\d)[^\n\d]{{0,25}}?(?:{_LINE})",
        _home_line,
    ),
    rule(
        "IP_ADDRESS",
        rf"(?:{_HOME})[^.\n]{{0,30}}?(?i:\bip(?:v4)?s?\b|ip-adresse"
        rf"|ipの)[^\d\n]{{0,25}}?(?P<v>(?<![A-Za-z0-9_.]){_IPV4}(?:/32)?)(?![A-Za-z0-9_/]|\.\d)",
        _home_line,
    ),
    rule(
        "IP_ADDRESS",
        rf"(?i:\bip)\b[^.\n\d]{{0,30}}?(?:{_HOME})[^\n\d]{{0,25}}?(?P<v>(?<![A-Za-z0-9_.]){_IPV4}(?:/32)?)(?![A-Za-z0-9_/]|\.\d)",
        _home_line,
    ),
    rule(
        "IP_ADDRESS",
        rf"(?P<v>(?<![A-Za-z0-9_.]){_IPV4}(?:/32)?)(?![A-Za-z0-9_/]|\.\d)[^\n\d]{{0,12}}?(?:{_HOME})[^\n\d]{{0,12}}\b(?i:ip|router"
        r"|wifi|wlan|line|fibre)\b",
        _home_line,
    ),
    rule(
        "IP_ADDRESS",
        rf"(?:{_HOME})[^.\n]{{0,30}}?(?i:\bip(?:v6)?\b|ip-adresse)[^\n]{{0,20}}?(?P<v>(?<![\w:.])(?:[0-9a-fA-F]{{1,4"
        r"}:){2,7}"
        rf"(?::?[0-9a-fA-F]{{1,4}}){{1,6}})(?![\w:])",
        _home_line,
    ),
)
"""Rules for ways to reach somebody."""
