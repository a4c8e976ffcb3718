"""Currency marks of shops: symbols and codes, and what each says (4.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping

USD = "USD"

# a bare dollar sign says less than a code: whether it is USD depends on the page
DOLLAR = "$"
CENT = "¢"

SYMBOLS: Mapping[str, str] = {
    **{"US$": USD, "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD"},
    **{"NZ$": "NZD", "HK$": "HKD", "MX$": "MXN", "R$": "BRL", "S$": "SGD"},
    **{"SG$": "SGD", "NT$": "TWD", "€": "EUR", "£": "GBP", "¥": "JPY"},
    **{"₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₴": "UAH"},
    **{"₫": "VND", "₪": "ILS", "₦": "NGN", "₱": "PHP", "฿": "THB", "zł": "PLN"},
}

# left out: codes that are English words in capitals (ALL, COP, CUP, PEN, TOP, TRY)
_CODES = """
    USD CAD AUD NZD HKD MXN BRL SGD TWD EUR GBP JPY CNY INR KRW CHF SEK NOK DKK PLN CZK
    HUF RON BGN ISK ILS THB MYR PHP IDR VND ZAR EGP AED SAR QAR KWD BHD OMR JOD MAD TND
    RUB UAH KZT NGN KES GHS PKR BDT LKR CLP ARS UYU
"""
CODES = frozenset(_CODES.split())

_CODE = "|".join(sorted(CODES))
_PREFIXED = "|".join(sorted(mark[:-1] for mark in SYMBOLS if len(mark) == 3))
_LETTER = "".join(
    sorted(mark[0] for mark in SYMBOLS if mark[-1:] == "$" and len(mark) == 2)
)
_SIGNS = "".join(mark for mark in SYMBOLS if len(mark) == 1)

# "A $5 coupon" holds an article, so that one letter has to touch its dollar sign
MARK = (
    rf"(?<![A-Za-z])(?:US\s|{_PREFIXED})\$|(?<![A-Za-z])[{_LETTER}]\$|[{_SIGNS}$¢]|zł\b"
    rf"|(?<![A-Za-z])(?i:{_CODE})(?![A-Za-z])"
)

_ISO = re.compile(r"[A-Za-z]{3}")
_WRITTEN_CODE = re.compile(rf"(?<![A-Za-z])(?:{_CODE})(?![A-Za-z])")


def currency_code(value: object) -> str | None:
    """Return the code that a page's currency field holds.

    Parameters
    ----------
    value
        Anything: a code in any case, or a symbol.

    Returns
    -------
    str or None
        Three capitals; None where the field holds no code. A bare ``$`` is none.
    """
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _ISO.fullmatch(text):
        return text.upper()
    return SYMBOLS.get(text)


def mark_code(mark: str) -> str | None:
    """Return the code of a mark that ``MARK`` found, None for a bare ``$`` or ``¢``."""
    plain = re.sub(r"\s", "", mark)
    return SYMBOLS.get(plain) or (plain.upper() if plain.upper() in CODES else None)


def written_codes(text: str) -> set[str]:
    """Return the codes that stand in a text in capitals."""
    return set(_WRITTEN_CODE.findall(text))
