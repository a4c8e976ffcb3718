"""Sizes in titles: a number with a unit of mass or volume (4.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from ingest.search.pages.number import read_number

# unit as stored, how many of it one spelling is -> the spellings. Metric units meet in
# ml and g, so that 0.5 kg and 500 g are one size; mg is left out: it is a dose
_SPELLINGS: Mapping[tuple[str, str], str] = {
    ("ml", "1"): r"ml|millilit(?:er|re)s?|мл",
    ("ml", "10"): r"cl|centilit(?:er|re)s?",
    ("ml", "1000"): r"l|lit(?:er|re)s?|ltr|л",
    ("g", "1"): r"g|gr|grams?|grammes?|г|гр",
    ("g", "1000"): r"kgs?|kilos?|kilograms?|кг",
    ("fl oz", "1"): r"fl\.?[\s-]?oz|fl(?:uid|\.)?[\s-]ounces?",
    ("oz", "1"): r"oz|ounces?",
    ("lb", "1"): r"lbs?|pounds?",
    ("gal", "1"): r"gal|gallons?",
    ("qt", "1"): r"qt|quarts?",
    ("pt", "1"): r"pt|pints?",
}
_READ = {
    unit: re.compile(spelling, re.IGNORECASE) for unit, spelling in _SPELLINGS.items()
}

UNIT = "|".join(_SPELLINGS.values())
SIZE_NUMBER = r"(?:[0-9]{1,6}(?:[.,][0-9]{1,6})?|[.,][0-9]{1,6})"
SIZE = rf"(?P<size>{SIZE_NUMBER})[\s-]?(?P<unit>(?:{UNIT})\b)"
LENGTH = r"(?:(?:mm|cm|m|in|inch|inches|ft|feet|foot|yds?|yards?|мм|см|м)\b|[\"'″′])"

_ONE_OR_TWO = re.compile(r"[0-9]*,[0-9]{1,2}")
_ZERO_COMMA = re.compile(r"0*,[0-9]+")


def read_size(number: str, unit: str) -> tuple[str, str] | None:
    """Return a size in the unit that it is stored in.

    Parameters
    ----------
    number
        As in the title. One or two digits after a comma are decimals, three are
        thousands unless nothing but 0 stands before it.
    unit
        Any spelling of ``UNIT``.

    Returns
    -------
    tuple of str and str, or None
        A plain decimal and its unit; None where the number is none above zero.
    """
    if _ONE_OR_TWO.fullmatch(number) or _ZERO_COMMA.fullmatch(number):
        number = number.replace(",", ".")
    value = read_number(number)
    if not value:
        return None
    for (stored, times), spelling in _READ.items():
        if spelling.fullmatch(unit):
            return _plain(value * Decimal(times)), stored
    return None


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"
