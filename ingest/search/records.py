"""Records of a JSON artifact: reading their fields strictly, and counting every one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ingest.json_rows import flag_of, member_of, text_of, whole_of
from ingest.parsed_file import FileId, ParsedFile, RowError, collect
from ingest.search.schemas import RAW_SEARCH

Record = Mapping[str, Any]

# Dollars before the point: price, shipping and a surcharge add up to a decimal(12, 2).
DOLLARS = "[0-9]{1,8}"
_MONEY = re.compile(rf"-?{DOLLARS}\.[0-9]{{2}}")
AMOUNT = "amount below 100,000,000"
_COST = re.compile(r"[0-9]{1,5}(?:\.[0-9]{1,9})?")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ADDRESS = re.compile(r"https://[^/?#:@\s]+(?:[/?#]|$)")
_SHOWN = 60
# Units of a pack up to which costs compare exactly (macro cost_key).
MOST_UNITS = 10**9
# Of tokens, searches and so on; sums over the calls of a run stay whole numbers.
MOST_COUNTED = 10**12


@dataclass
class Records:
    """Records of one kind in one artifact: every one is accepted or set aside.

    Attributes
    ----------
    table
        Raw table without schema.
    file
        The artifact, with its bank.
    run_id
        The run.
    """

    table: str
    file: FileId
    run_id: str
    accepted: list[dict[str, Any]] = field(default_factory=list)
    aside: list[tuple[int, str, str, str]] = field(default_factory=list)

    def take(
        self, name: str, record: Any, parse: Callable[[Record], dict[str, Any]]
    ) -> dict[str, Any] | None:
        """Read one record; set it aside where it breaks the contract.

        Parameters
        ----------
        name
            What the reason calls it, for instance its id.
        record
            As it stands in the artifact.
        parse
            A JSON object to values by column; raises RowError.

        Returns
        -------
        dict or None
            The values; None where it was set aside.
        """
        place = len(self.accepted) + len(self.aside) + 1
        try:
            if not isinstance(record, dict):
                raise RowError("*", f"{_shown(record)} is no JSON object")
            values = parse(record)
        except RowError as error:
            text = json.dumps(record, ensure_ascii=False, sort_keys=True)
            self.aside.append((place, error.field, f"{name}: {error.reason}", text))
            return None
        self.accepted.append({**values, "_source_row": place})
        return values

    def parsed(self, notes: tuple[str, ...] = ()) -> ParsedFile:
        """Return the rows with their account."""
        key = {"run_id": self.run_id, "bank_sha256": self.file.bank_sha256}
        rows = [{**key, **row} for row in self.accepted]
        read = collect(self.file, self.table, RAW_SEARCH[self.table], rows, self.aside)
        return ParsedFile(
            read.table_name, read.table, read.account, read.quarantined, notes
        )


def part_of(record: Record, key: str) -> Record:
    """Return a JSON object, empty where it is absent or null, or raise RowError."""
    value = record.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RowError(key, f"{_shown(value)} is no JSON object")
    return value


def list_of(record: Record, key: str) -> list[Any]:
    """Return a JSON array, empty where it is absent or null, or raise RowError."""
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RowError(key, f"{_shown(value)} is no JSON array")
    return value


def money_of(record: Record, key: str, *, least: Decimal | None = None) -> Decimal:
    """Return an exact amount, or raise RowError.

    Parameters
    ----------
    record
        A JSON object.
    key
        Where the amount stands: a text with two decimals.
    least
        The least amount allowed; None for none.

    Returns
    -------
    Decimal
        With two decimals; negative ones where ``least`` allows them.
    """
    value = record.get(key)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise RowError(key, f'{value} is a number; money is a text like "{value:.2f}"')
    if not isinstance(value, str) or _MONEY.fullmatch(value) is None:
        raise RowError(key, f"{_missing(record, key)} is no {AMOUNT} of two decimals")
    amount = Decimal(value)
    if least is not None and amount < least:
        raise RowError(key, f"{value} is below {least}")
    return amount


def cost_of(record: Record, key: str) -> Decimal | None:
    """Return a price of a call in US dollars, None where absent, or raise RowError."""
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or _COST.fullmatch(value) is None:
        raise RowError(
            key, f"{_shown(value)} is no amount below 100,000 of at most nine decimals"
        )
    return Decimal(value)


def time_of(record: Record, key: str) -> datetime:
    """Return a time in UTC without its zone, or raise RowError."""
    value = record.get(key)
    try:
        if not isinstance(value, str) or _TIME.fullmatch(value) is None:
            raise ValueError
        return datetime.fromisoformat(value).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise RowError(
            key, f"{_missing(record, key)} is no time like 2026-11-30T12:00:00Z"
        ) from error


def sha256_of(record: Record, key: str) -> str | None:
    """Return a hash, None where it is absent or null, or raise RowError."""
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or _SHA256.fullmatch(value) is None:
        raise RowError(key, f"{_shown(value)} is no sha256 of 64 lower-case hex digits")
    return value


def number_or_none(record: Record, key: str, most: float = float("inf")) -> Any:
    """Return a number in [0, most], None where absent or null, or raise RowError."""
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RowError(key, f"{_shown(value)} is not a number")
    if not 0 <= value <= min(most, 1e15):
        raise RowError(key, f"{value} is not in [0, {most}]")
    return float(value)


def or_none(
    read: Callable[..., Any], record: Record, key: str, *rest: Any, **options: Any
) -> Any:
    """Return what a reader gives, None where the field is absent or null."""
    if record.get(key) is None:
        return None
    return read(record, key, *rest, **options)


def flag_or(record: Record, key: str, default: bool) -> bool:
    """Return a flag, the default where it is absent or null, or raise RowError."""
    return default if record.get(key) is None else flag_of(record, key)


def json_text(value: Any) -> str:
    """Return a value as JSON with its keys in order."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def known(record: Record, key: str, allowed: Mapping[str, Any] | set[str]) -> str:
    """Return a text that names something known, or raise RowError."""
    value = text_of(record, key)
    if value not in allowed:
        raise RowError(key, f"no {key.removesuffix('_id')} {value}")
    return value


def web_address(record: Record, key: str) -> str:
    """Return a canonical address, which starts with https://, or raise RowError."""
    value = text_of(record, key)
    if _ADDRESS.match(value) is None:
        raise RowError(key, f"{value[:_SHOWN]} is no address like https://shop/page")
    return value


def count_of(
    record: Record, key: str, *, least: int = 0, most: int = MOST_COUNTED
) -> int:
    """Return a whole number in [least, most], or raise RowError."""
    found = whole_of(record, key, least=least)
    if found > most:
        raise RowError(key, f"{found} is not in [{least}, {most}]")
    return found


def wholes(record: Record, *keys: str) -> dict[str, int | None]:
    """Return whole numbers by key, None where one is absent or null."""
    return {key: or_none(count_of, record, key) for key in keys}


def units_of(record: Record, key: str) -> dict[str, int | None]:
    """Return the units of a pack by key, None where it is absent or null."""
    return {key: or_none(count_of, record, key, least=1, most=MOST_UNITS)}


def members(record: Record, key: str, allowed: tuple[str, ...]) -> str | None:
    """Return a text of a closed set, None where it is absent or null."""
    return None if record.get(key) is None else member_of(record, key, allowed)


def _missing(record: Record, key: str) -> str:
    return _shown(record[key]) if key in record else "missing, which"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
