"""What gives access to something; whoever posts one is told to revoke it.

The shapes are those of the issuers' own documentation and of the rules that gitleaks and GitHub's secret scanning
publish for them.
"""

from __future__ import annotations

import re

from guardrails.rule import Match, Rule, rule, value

_EDGE = r"(?<![A-Za-z0-9_])"
_LINE = r"(?:\s|\\[nrt])"
_BASE64 = r"[A-Za-z0-9+/=]"
_SECRET_CUE = re.compile(r"(?i)secret|A[KS]IA[A-Z0-9]{6}|\bkey\b|clave|schlüssel|\bclé\b|chave")


def _not_documented(match: Match) -> bool:
    """AWS's documentation writes EXAMPLE into its keys; they are not secrets."""
    return "EXAMPLE" not in value(match)


def _looks_random(match: Match) -> bool:
    """Base64 of random bytes has all kinds of characters, which words and paths have not."""
    text = value(match)
    if "\n" in text and len(text) != 41:  # a key of 40 characters that a terminal wrapped
        return False
    kinds = (str.isupper, str.islower, lambda c: c.isdigit() or c in "/+")
    return "EXAMPLE" not in text and all(any(kind(character) for character in text) for kind in kinds)


def _secret_at_hand(match: Match) -> bool:
    around = match.string[max(0, match.start() - 200) : match.end() + 200]
    return _looks_random(match) and bool(_SECRET_CUE.search(around))


def _mixed(match: Match) -> bool:
    text = value(match)
    return any(c.isupper() for c in text) and any(c.islower() for c in text) and any(c.isdigit() for c in text)


SECRETS: tuple[Rule, ...] = (
    rule(
        "GCP_SA_KEY", r"\{[^{}]{0,2000}[\"']service_account[\"'][^{}]{0,8000}(?:\}|\Z)", lambda m: "private_key" in m[0]
    ),
    rule(
        "PRIVATE_KEY",
        rf"-----BEGIN [A-Z0-9 ]{{0,40}}-----{_LINE}{{1,4}}(?=[A-Za-z0-9+/=:,-]{{4}})"
        rf"(?:[^-]|-(?!----)){{1,8000}}-----END [A-Z0-9 ]{{0,40}}-----(?:\\n)?",
    ),
    rule(
        "PRIVATE_KEY",
        rf"-----BEGIN [A-Z0-9 ]{{0,30}}PRIVATE KEY[A-Z ]{{0,8}}-----{_LINE}{{1,4}}"
        rf"(?:{_BASE64}{{4,100}}(?:{_LINE}{{1,4}}|(?=[\"'`])|\Z|(?=…|\.\.))){{1,200}}",
    ),
    rule("PRIVATE_KEY", rf"-----BEGIN [A-Z0-9 ]{{0,30}}PRIVATE KEY[A-Z ]{{0,8}}----- ?{_BASE64}{{16,8000}}"),
    rule(
        "PRIVATE_KEY",
        rf"(?<![A-Za-z0-9+/=])(?:{_BASE64}{{8,100}}{_LINE}{{1,4}}){{1,200}}-----END [A-Z0-9 ]{{0,30}}PRIVATE KEY-----",
    ),
    rule("AWS_ACCESS_KEY", rf"{_EDGE}(?:AKIA|ASIA)[A-Z0-9]{{10,20}}(?![A-Za-z0-9])", _not_documented),
    rule("AWS_ACCESS_KEY", rf"{_EDGE}(?:ABIA|ACCA)[A-Z0-9]{{16}}(?![A-Za-z0-9])", _not_documented),
    rule(
        "AWS_SECRET_KEY",
        r"(?i:secret[_ ]?(?:access)?[_ ]?key|secretkey)(?: ?\[[^\]\n]{0,30}\])?[\"']?\s{0,3}(?:[:=]|\bis\b|->"
        r"|→){0,2}\s{0,3}"
        r"[\"']?(?P<v>[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])|[A-Za-z0-9/+]{8,36}\n[A-Za-z0-9/+]{4,32}(?![A-Za-z0-9/+=])"
        r"|[A-Za-z0-9/+]{16,64}={0,2})(?![A-Za-z0-9/+_.(])",
        _looks_random,
    ),
    rule(
        "AWS_SECRET_KEY",
        r"(?i:(?:session|security)[_ -]?token)[\"']?\s{0,3}(?:[:=]|\bis\b|->){0,2}\s{0,3}[\"']?"
        r"(?P<v>[A-Za-z0-9/+%]{20,4000}={0,2})(?![A-Za-z0-9/+_.(])",
        _looks_random,
    ),
    rule("AWS_SECRET_KEY", r"(?<![A-Za-z0-9/+])(?:IQoJb3|FwoGZX|FQoGZX)[A-Za-z0-9/+%]{20,4000}={0,2}"),
    rule("AWS_SECRET_KEY", r"(?<![A-Za-z0-9/+=_.-])(?!AIza)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])", _secret_at_hand),
    rule("GCP_API_KEY", r"(?<![A-Za-z0-9_-])AIza[0-9A-Za-z_-]{20,45}(?![A-Za-z0-9_-])"),
    rule("GCP_OAUTH_TOKEN", r"(?<![A-Za-z0-9_.-])ya29\.[0-9A-Za-z_.-]{15,2048}[0-9A-Za-z_-]"),
    rule("GCP_OAUTH_TOKEN", r"(?<![A-Za-z0-9_./-])1//0[0-9A-Za-z_-]{16,256}"),
    rule("GCP_OAUTH_TOKEN", r"(?<![A-Za-z0-9_-])GOCSPX-[0-9A-Za-z_-]{16,64}"),
    rule("TFC_TOKEN", r"(?<![A-Za-z0-9])[A-Za-z0-9]{8,20}\.atlasv1\.[A-Za-z0-9_=-]{10,256}"),
    rule("VAULT_TOKEN", r"(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{16,512}"),
    rule("VAULT_TOKEN", r"(?<![A-Za-z0-9_.-])[sb]\.[A-Za-z0-9]{24}(?![A-Za-z0-9_.-])", _mixed),
    rule("GITHUB_TOKEN", r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{10,255}|github_pat_[A-Za-z0-9_]{10,255})"),
    rule(
        "SLACK_WEBHOOK",
        r"(?:https?://)?(?<![A-Za-z0-9.-])hooks\.slack\.com/(?:services|workflows"
        r"|triggers)/[A-Z0-9]{6,}/[A-Za-z0-9/_-]{6,256}",
    ),
    rule("SLACK_TOKEN", r"(?<![A-Za-z0-9])(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,256}"),
    rule(
        "DISCORD_WEBHOOK",
        r"(?:https?://)?(?<![A-Za-z0-9.-])(?:\w{1,20}\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/"
        r"[0-9]{5,25}/[A-Za-z0-9_-]{10,128}",
    ),
    rule("DISCORD_TOKEN", r"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{20,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{20,45}"),
    rule("JWT", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,4000}){0,3}"),
    rule("API_KEY", r"(?<![A-Za-z0-9_-])sk-(?:[a-z]{2,8}[0-9]{0,2}-){0,3}[A-Za-z0-9_-]{20,256}"),
    rule("API_KEY", r"(?<![A-Za-z0-9_])(?:npm_|sk_live_|rk_live_|glpat-|pypi-|dop_v1_)[A-Za-z0-9_-]{16,256}"),
)
"""Tokens and keys by their shape. Passwords, which have none, are in `guardrails.passwords`."""
