"""Reading what stands beside tasks and answers: the hotel pool, capability scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ingest.csv_rows import Row, read_csv
from ingest.errors import LoadError, one_line
from ingest.fields import FieldError, filled, number, optional, price, whole
from ingest.json_rows import HALF_CHARACTER, holds_half_characters
from ingest.parsed_file import (
    FileId,
    ParsedFile,
    RowError,
    collect,
    parse_csv,
    parse_fields,
)
from ingest.schemas import RAW_HOTEL

_NUMBERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "id": ("hotel_id", whole(1)),
    "stars": ("stars", number(0, 5)),
    "review_score_base": ("review_score_base", number(0, 10)),
    "review_count_base": ("review_count_base", whole(0)),
    "price_min": ("price_min", price),
    "price_max": ("price_max", price),
    "cancellation_free_prob": ("cancellation_free_prob", number(0, 1)),
    "breakfast_prob": ("breakfast_prob", number(0, 1)),
}
_TEXTS = ("name", "neighborhood")
_LISTS = ("room_types", "amenities")
POOL_KEYS = (*_NUMBERS, *_TEXTS, *_LISTS)

_score = optional(number())
_CAPABILITY: dict[str, Callable[[str], Any]] = {
    "model": filled,
    "score_aa": _score,
    "score_arena": _score,
    "score_mmlu": _score,
    "source_aa": optional(str),
    "source_arena": optional(str),
    "source_mmlu": optional(str),
    "retrieved": optional(str),
}


def read_pool(file: FileId, data: bytes) -> ParsedFile:
    """Read a pool of hotels.

    Parameters
    ----------
    file
        What is read; its hash names the pool.
    data
        JSON: an object whose key ``hotels`` has a list of objects. Other keys of the
        outer object are notes and are not read.

    Returns
    -------
    ParsedFile
        For ``raw_hotel.hotel``; ``_source_row`` is the place in the list, from 1.
        A hotel with a missing, unknown or impossible entry, or an id that stood
        before, is set aside.

    Raises
    ------
    LoadError
        Where the file is not such JSON, or no hotel in it can be read.
    """
    accepted: list[dict[str, Any]] = []
    aside: list[tuple[int, str, str, str]] = []
    places: dict[int, int] = {}
    for place, entry in enumerate(_hotels(file, data), start=1):
        try:
            if holds_half_characters(entry, data):
                raise RowError("*", HALF_CHARACTER)
            values = _hotel(entry)
            seen = places.setdefault(values["hotel_id"], place)
            if seen != place:
                raise RowError("id", f"id {entry['id']} is that of hotel {seen} too")
            accepted.append(
                {"pool_sha256": file.sha256, **values, "_source_row": place}
            )
        except RowError as error:
            text = json.dumps(entry, ensure_ascii=False, default=str)
            text = text.encode("utf-8", "backslashreplace").decode()
            aside.append((place, error.field, error.reason, text))
    if not accepted:
        raise LoadError(f"{file.name} holds no readable hotel; fetch it again")
    return collect(file, "hotel", RAW_HOTEL["hotel"], accepted, aside)


def _hotels(file: FileId, data: bytes) -> list[Any]:
    try:
        content = json.loads(data.decode("utf-8-sig"), parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise LoadError(
            f"{file.name} is not JSON ({one_line(error)}); fetch it again"
        ) from error
    hotels = content.get("hotels") if isinstance(content, dict) else None
    if not isinstance(hotels, list):
        raise LoadError(
            f"{file.name} has no list under the key 'hotels'; see the pool's format "
            "in the README of the release"
        )
    return hotels


def _hotel(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise RowError("*", "not an object")
    for key in (*POOL_KEYS, *entry):
        if (key in entry) != (key in POOL_KEYS):
            raise RowError(key, "missing" if key in POOL_KEYS else "an unknown key")
    values: dict[str, Any] = {}
    for key, (column, parse) in _NUMBERS.items():
        values[column] = _json_number(key, entry[key], parse)
    for key in _TEXTS:
        if not isinstance(entry[key], str) or not entry[key].strip():
            raise RowError(key, "not a text, or a blank one")
        values[key] = entry[key]
    for key in _LISTS:
        items = entry[key]
        if not isinstance(items, list) or not all(isinstance(i, str) for i in items):
            raise RowError(key, "not a list of texts")
        values[key] = json.dumps(items, ensure_ascii=False)
    if not entry["room_types"]:
        raise RowError("room_types", "an empty list")
    if values["price_min"] > values["price_max"]:
        raise RowError("price_min", "above price_max")
    return values


def _json_number(key: str, value: Any, parse: Callable[[str], Any]) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        raise RowError(key, f"{value!r} is not a number")
    try:
        return parse(f"{value:f}" if isinstance(value, Decimal) else str(value))
    except FieldError as error:
        raise RowError(key, str(error)) from error


def read_capability(file: FileId, data: bytes) -> ParsedFile:
    """Read outside benchmark scores by model.

    Parameters
    ----------
    file
        What is read.
    data
        CSV with ``model``, three scores, their sources and the day of retrieval; a
        blank score is null.

    Returns
    -------
    ParsedFile
        For ``raw_hotel.capability_score``. A model that stood before is set aside.

    Raises
    ------
    LoadError
        Where the file cannot be read as a whole.
    """
    names = tuple(_CAPABILITY)
    parsers = tuple(_CAPABILITY.values())
    seen: set[str] = set()

    def parse(row: Row) -> dict[str, Any]:
        values = parse_fields(names, parsers, row.fields)
        model = values.pop("model")
        if model in seen:
            raise RowError("model", f"{model!r} stands in an earlier row already")
        seen.add(model)
        return {"model_name": model, **values}

    content = read_csv(file.name, data, names)
    schema = RAW_HOTEL["capability_score"]
    return parse_csv(file, "capability_score", schema, content, parse)
