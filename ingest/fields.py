"""Reading one field: text in, typed value out, or a reason why not."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

Parser = Callable[[str], Any]

# ASCII digits only: Python's own int() and float() also take underscores, spaces,
# digits of other scripts, nan and inf
_WHOLE = re.compile(r"([+-]?[0-9]{1,18})(?:\.0*)?")
_DECIMAL = re.compile(r"[0-9]{1,10}(?:\.[0-9]*)?")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?")
_SHOWN = 60


class FieldError(ValueError):
    """A field that does not hold what its column promises; the text is the reason."""


def whole(minimum: int | None = None, maximum: int | None = None) -> Parser:
    """Return a parser of whole numbers; ``173.0`` reads as 173.

    Parameters
    ----------
    minimum, maximum
        Inclusive bounds; None for none.

    Returns
    -------
    callable
        Text to int; raises FieldError.
    """

    def parse(text: str) -> int:
        match = _WHOLE.fullmatch(text)
        if match is None:
            raise FieldError(_not_a("whole number", text))
        value = int(match[1])
        _check_range(value, minimum, maximum)
        return value

    return parse


def number(minimum: float | None = None, maximum: float | None = None) -> Parser:
    """Return a parser of finite numbers.

    Parameters
    ----------
    minimum, maximum
        Inclusive bounds; None for none.

    Returns
    -------
    callable
        Text to float; raises FieldError, also for nan and inf.
    """

    def parse(text: str) -> float:
        if _NUMBER.fullmatch(text) is None:
            raise FieldError(_not_a("number", text))
        value = float(text)
        if not math.isfinite(value):
            raise FieldError(_not_a("finite number", text))
        _check_range(value, minimum, maximum)
        return value

    return parse


def price(text: str) -> Decimal:
    """Return an amount of money, exact.

    Parameters
    ----------
    text
        Digits with at most two decimals that are not 0; above 0, below 10**10.

    Returns
    -------
    Decimal
        With two decimals.

    Raises
    ------
    FieldError
        For anything else.
    """
    if _DECIMAL.fullmatch(text) is None:
        raise FieldError(_not_a("price", text))
    exact = Decimal(text)
    rounded = exact.quantize(Decimal("0.01"))
    if rounded != exact:
        raise FieldError(f"{_quote(text)} has more than two decimals")
    if rounded <= 0:
        raise FieldError(f"{_quote(text)} is not above 0")
    return rounded


def filled(text: str) -> str:
    """Return a text that must not be blank.

    Raises
    ------
    FieldError
        For an empty text or blanks alone.
    """
    if not text.strip():
        raise FieldError("missing")
    return text


def optional(parser: Parser) -> Parser:
    """Return a parser that reads an empty field as None.

    Parameters
    ----------
    parser
        For a field that is not empty.

    Returns
    -------
    callable
        Text to value or None.
    """
    return lambda text: parser(text) if text else None


def one_of(allowed: tuple[str, ...]) -> Parser:
    """Return a parser that takes a few texts only.

    Parameters
    ----------
    allowed
        The closed set.

    Returns
    -------
    callable
        Text to the same text; raises FieldError.
    """

    def parse(text: str) -> str:
        if text not in allowed:
            raise FieldError(
                f"{_quote(text)} is not one of {', '.join(allowed)}"
                if text
                else "missing"
            )
        return text

    return parse


def _not_a(kind: str, text: str) -> str:
    return f"{_quote(text)} is not a {kind}" if text else "missing"


def _quote(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _check_range(value: float, minimum: float | None, maximum: float | None) -> None:
    if minimum is not None and value < minimum:
        raise FieldError(f"{value} is below {minimum}")
    if maximum is not None and value > maximum:
        raise FieldError(f"{value} is above {maximum}")
