"""Check sums and ranges that tell real numbers from numbers that look like them."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, ip_address

IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24,
    "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24,
    "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VG": 24, "XK": 20,
}  # fmt: skip
"""Characters of an account number by country (SWIFT, IBAN Registry, release 99)."""


def luhn(number: str) -> bool:
    """Whether a card number's check digit fits (ISO/IEC 7812-1, annex B); spaces and hyphens do not count."""
    digits = [int(character) for character in number if character.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = [digit if index % 2 == 0 else sum(divmod(2 * digit, 10)) for index, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def iban(number: str) -> bool:
    """Whether an account number has its country's length and check digits (ISO 13616, mod 97)."""
    plain = "".join(character for character in number.upper() if character.isalnum())
    if IBAN_LENGTHS.get(plain[:2]) != len(plain) or not plain.isascii():
        return False
    return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97 == 1


def public_address(address: str) -> bool:
    """Whether an IP address may be somebody's: not private, link-local or reserved.

    The documentation's own ranges (RFC 5737) count: where such an address stands, a real one would stand, too.
    """
    try:
        parsed = ip_address(address)
    except (AddressValueError, ValueError):
        return False
    documentation = isinstance(parsed, IPv4Address) and str(parsed).startswith(
        ("192.0.2.", "198.51.100.", "203.0.113.")
    )
    return documentation or parsed.is_global
