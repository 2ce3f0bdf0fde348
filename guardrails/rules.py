"""The deterministic rules for secrets and personal data: a pattern and, where there is one, its check sum.

Every pattern runs in time linear in the text: no nested or adjacent open repetition, bounded look-behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

EXAMPLE_KEYS = frozenset({"AKIAIOSFODNN7EXAMPLE", "AKIAI44QH8DHBEXAMPLE"})
"""Access key ids that AWS's own documentation uses; they are not secrets."""


def _always(value: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern`'s group 1, or the whole match where it has none, is `type` if `holds` says so."""

    type: str
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = _always


def luhn(number: str) -> bool:
    """Whether a card number's check digit fits (ISO/IEC 7812-1, annex B); spaces and hyphens do not count."""
    digits = [int(character) for character in number if character.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = [digit if index % 2 == 0 else sum(divmod(2 * digit, 10)) for index, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _rule(type_: str, pattern: str, holds: Callable[[str], bool] = _always) -> Rule:
    return Rule(type_, re.compile(pattern), holds)


SECRETS = (
    _rule("PRIVATE_KEY", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,30}-----|\Z)"),
    _rule(
        "AWS_ACCESS_KEY",
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        lambda key: key not in EXAMPLE_KEYS,
    ),
    _rule(
        "AWS_SECRET_KEY",
        r"(?i:secret[_ ]?(?:access[_ ]?)?key)[\"']?\s{0,3}(?:[:=]|is)\s{0,3}[\"']?"
        r"([A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])",
    ),
    _rule("GCP_API_KEY", r"(?<![A-Za-z0-9_-])AIza[0-9A-Za-z_-]{30,45}(?![A-Za-z0-9_-])"),
    _rule("GCP_OAUTH_TOKEN", r"(?<![A-Za-z0-9_.-])ya29\.[0-9A-Za-z_-]{16,512}"),
    _rule("TFC_TOKEN", r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{20,128}"),
    _rule("VAULT_TOKEN", r"(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{20,256}"),
    _rule("GITHUB_TOKEN", r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9_]{20,255}|github_pat_[A-Za-z0-9_]{20,255})"),
    _rule("SLACK_WEBHOOK", r"https://hooks\.slack\.com/[A-Za-z0-9/_-]{10,256}"),
    _rule("SLACK_TOKEN", r"(?<![A-Za-z0-9])(?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,256}"),
    _rule(
        "DISCORD_WEBHOOK", r"https://(?:\w{1,20}\.)?discord(?:app)?\.com/api/webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{10,128}"
    ),
    _rule("DISCORD_TOKEN", r"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}"),
    _rule("JWT", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,1000}"),
    _rule("API_KEY", r"(?<![A-Za-z0-9_-])sk-(?:[a-z]{2,8}-){0,3}[A-Za-z0-9_-]{20,256}"),
    _rule("API_KEY", r"(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{30,64}"),
    _rule("PASSWORD", r"(?<![A-Za-z])[a-z][a-z0-9+.-]{1,15}://[^\s/:@]{1,64}:([^\s/@]{1,128})@"),
)
"""What gives access to something; whoever posted one is told to revoke it."""

PERSONAL = (
    _rule("CREDIT_CARD", r"(?<![\d.-])(?:\d[ -]?){12,18}\d(?![\d.-])", luhn),
    _rule("EMAIL", r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![\w-])"),
)
