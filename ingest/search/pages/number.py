"""The grammar of numbers in prices: which mark is the decimal one (4.4)."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

# what the warehouse holds
MOST = Decimal("9999999999.99")
LONGEST = 64

_PLAIN = re.compile(r"[0-9]*\.[0-9]+|[0-9]+")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_THOUSANDS_DOT = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+")
_COMMA = re.compile(r"[0-9]*,[0-9]{1,2}")

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED_CENTS = re.compile(rf"(?<=[0-9])[{_RAISED}]{{2}}(?![{_RAISED}])")
_RAISED_DIGITS = {ord(raised): str(digit) for digit, raised in enumerate(_RAISED)}
_FOOTNOTES = re.compile(rf"[{_RAISED}]+")

# the characters that pages use for spaces, signs, digits, fractions and units. All of
# NFKC would do the same, but takes the square of the length of text made to be slow
_FORMS = (
    *((0xA0, 0xBF), (0x2000, 0x206F), (0x20A0, 0x218F), (0x3000, 0x3000)),
    *((0x3371, 0x33DF), (0xFE50, 0xFE6F), (0xFF00, 0xFFEF), (0x1D7CE, 0x1D7FF)),
)
_USUAL = {
    code: unicodedata.normalize("NFKC", chr(code))
    for first, last in _FORMS
    for code in range(first, last + 1)
}


def read_number(text: str) -> Decimal | None:
    """Return the number that digits with marks stand for.

    Parameters
    ----------
    text
        Digits, ``.`` and ``,``. A lone ``.`` is the decimal mark however many digits
        follow; ``,`` before groups of three is a thousands mark, before one or two
        final digits the decimal mark; with both, the last is the decimal mark.

    Returns
    -------
    Decimal or None
        Zero or more, and no more than the warehouse holds; None for anything else.
    """
    if len(text) > LONGEST:
        return None
    if _PLAIN.fullmatch(text):
        plain = text
    elif _THOUSANDS.fullmatch(text):
        plain = text.replace(",", "")
    elif _THOUSANDS_DOT.fullmatch(text):
        plain = text.replace(".", "").replace(",", ".")
    elif _COMMA.fullmatch(text):
        plain = text.replace(",", ".")
    else:
        return None
    return in_bounds(Decimal(plain))


def in_bounds(amount: Decimal) -> Decimal | None:
    """Return an amount, None where it is negative, no number or too large to be one."""
    return amount if amount.is_finite() and 0 <= amount <= MOST else None


def plain_text(text: str) -> str:
    """Return a text with the usual forms of digits, signs and letters.

    Parameters
    ----------
    text
        Anything. Two raised digits after a digit are cents (``$13⁴⁴``), any other
        raised digit is a footnote.

    Returns
    -------
    str
        With the characters that NFKC would put.
    """
    cents = _RAISED_CENTS.sub(
        lambda found: "." + found[0].translate(_RAISED_DIGITS), text
    )
    return _FOOTNOTES.sub(" ", cents).translate(_USUAL)
