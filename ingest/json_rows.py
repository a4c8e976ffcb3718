"""Reading a file of one JSON object per line; no line and no key is lost."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from ingest.parsed_file import RowError

_SHOWN = 60
_DOLLAR_DIGITS = Decimal("1e-12")
_MOST_USD = 1e5
HALF_CHARACTER = "a text holds half a character, like \\ud83d without its pair"


@dataclass(frozen=True, slots=True)
class JsonRow:
    """One line that is not blank.

    Attributes
    ----------
    line
        Its number, from 1.
    text
        The line without its break.
    value
        The object; None where the line is none.
    reason
        Why it is none; empty where it is one.
    """

    line: int
    text: str
    value: Mapping[str, Any] | None
    reason: str = ""


def read_json_rows(data: bytes) -> list[JsonRow]:
    """Take a file apart.

    Parameters
    ----------
    data
        The file's bytes, UTF-8. A byte order mark is no part of the first line.

    Returns
    -------
    list of JsonRow
        One per line that is not blank, in file order; none for an empty file.
    """
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [_row(n, line) for n, line in enumerate(lines, start=1) if line.strip()]


def no_key_twice(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object from its pairs, as ``object_pairs_hook`` of ``json.loads``.

    Parameters
    ----------
    pairs
        Keys and values in file order.

    Returns
    -------
    dict
        The same.

    Raises
    ------
    ValueError
        For a key that stands twice: which value is meant, nobody knows, and Python
        would keep the last without a word.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"key {twice!r} stands twice in one object")
    return found


def _row(number: int, line: bytes) -> JsonRow:
    text = line.decode("utf-8", errors="replace").rstrip("\r")
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=no_key_twice)
    except UnicodeDecodeError:
        return JsonRow(number, text, None, "the line is not UTF-8")
    except json.JSONDecodeError as error:
        return JsonRow(number, text, None, f"the line is no JSON ({error.msg})")
    except RecursionError:
        return JsonRow(number, text, None, "the line is no JSON (nested too deeply)")
    except ValueError as error:
        return JsonRow(number, text, None, str(error))
    if not isinstance(value, dict):
        return JsonRow(number, text, None, "the line is no JSON object")
    if holds_half_characters(value, line):
        return JsonRow(number, text, None, HALF_CHARACTER)
    return JsonRow(number, text, value)


def holds_half_characters(value: Any, data: bytes) -> bool:
    r"""Say whether a text of a JSON value can't be stored.

    An escape such as ``\ud83d`` alone is half of a pair: JSON lets it pass, as where
    a reply was cut inside an emoji, and no encoding can write it.

    Parameters
    ----------
    value
        What was read.
    data
        The JSON that it was read from.

    Returns
    -------
    bool
        Whether a key or a text of it has such a half.
    """
    # asked of few: writing all of it again takes as long as reading it
    if b"\\ud" not in data.lower():
        return False
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return True
    return False


def text_of(row: Mapping[str, Any], key: str) -> str:
    """Return a text that is there and not blank, or raise RowError."""
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise RowError(key, _not_a("text", row, key))
    return value


def optional_text(row: Mapping[str, Any], key: str) -> str | None:
    """Return a text, None where it is absent, null or blank, or raise RowError."""
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise RowError(key, _not_a("text", row, key))
    return value if value and value.strip() else None


def whole_of(row: Mapping[str, Any], key: str, *, least: int = 0) -> int:
    """Return a whole number of at least ``least``, or raise RowError."""
    value = row.get(key)
    # a flag is a whole number to Python
    if not isinstance(value, int) or isinstance(value, bool):
        raise RowError(key, _not_a("whole number", row, key))
    if not least <= value < 2**63:
        raise RowError(key, f"{value} is not in [{least}, 2^63)")
    return value


def number_of(row: Mapping[str, Any], key: str, *, least: float = 0.0) -> float:
    """Return a finite number of at least ``least``, or raise RowError."""
    value = row.get(key)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise RowError(key, _not_a("number", row, key))
    if not math.isfinite(value) or value < least:
        raise RowError(key, f"{value} is not a finite number of {least} or more")
    return float(value)


def dollars_of(row: Mapping[str, Any], key: str) -> Decimal:
    """Return what one call cost, to twelve places, or raise RowError."""
    cost = number_of(row, key)
    if cost >= _MOST_USD:
        raise RowError(key, f"{cost} dollars for one call")
    # the shortest text of the double is what the file holds
    return Decimal(repr(cost)).quantize(_DOLLAR_DIGITS, ROUND_HALF_EVEN)


def flag_of(row: Mapping[str, Any], key: str) -> bool:
    """Return true or false, or raise RowError."""
    value = row.get(key)
    if not isinstance(value, bool):
        raise RowError(key, _not_a("flag", row, key))
    return value


def member_of(row: Mapping[str, Any], key: str, allowed: Sequence[str]) -> str:
    """Return a text of a closed set, or raise RowError."""
    value = row.get(key)
    if not isinstance(value, str) or value not in allowed:
        raise RowError(key, f"{_shown(value)} is not one of {', '.join(allowed)}")
    return value


def _not_a(kind: str, row: Mapping[str, Any], key: str) -> str:
    return f"{_shown(row[key])} is not a {kind}" if key in row else "missing"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
