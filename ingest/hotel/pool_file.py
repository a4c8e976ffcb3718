"""Hotel pools as data: one hotel, and the JSON file that holds a list of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ingest.errors import LoadError
from ingest.hotel.read_reference import read_pool
from ingest.hotel.shapes import POOL
from ingest.parsed_file import FileId


class PoolError(LoadError):
    """A pool that tasks cannot be drawn from; the message is one line."""


@dataclass(frozen=True, slots=True)
class Hotel:
    """One hotel of a pool: what is fixed, and the ranges that tasks draw from.

    Attributes
    ----------
    id : int
        Position in the pool, from 1.
    name, neighborhood : str
        As printed on a card.
    stars : float
        0 to 5, whole or half; a whole number is an int, and is printed as one.
    review_score_base : float
        Centre of the review score draws, points out of 10.
    review_count_base : int
        Centre of the review count draws.
    price_min, price_max : int
        Inclusive range of the nightly price, whole US dollars.
    room_types : tuple of str
        One is drawn for an appearance; the bed size stands in the name.
    cancellation_free_prob, breakfast_prob : float
        Chance in [0, 1] that an appearance carries the flag.
    amenities : tuple of str
        Fixed for the hotel.
    """

    id: int
    name: str
    stars: float
    neighborhood: str
    review_score_base: float
    review_count_base: int
    price_min: int
    price_max: int
    room_types: tuple[str, ...]
    cancellation_free_prob: float
    breakfast_prob: float
    amenities: tuple[str, ...]


def pool_json(pool: Sequence[Hotel]) -> bytes:
    """Write a pool as the JSON of the published release: one key, ``hotels``.

    Parameters
    ----------
    pool : sequence of Hotel
        Any length.

    Returns
    -------
    bytes
        UTF-8, two spaces of indent, one line feed at the end.
    """
    hotels = [asdict(hotel) for hotel in pool]
    text = json.dumps({"hotels": hotels}, indent=2, ensure_ascii=False)
    return f"{text}\n".encode()


def pool_sha256(pool: Sequence[Hotel]) -> str:
    """Return the sha256 of the pool's JSON bytes, in hex."""
    return hashlib.sha256(pool_json(pool)).hexdigest()


def read_hotels(content: bytes, origin: str = POOL) -> tuple[Hotel, ...]:
    """Read a pool to draw from; unlike a load, it sets no hotel aside.

    Parameters
    ----------
    content : bytes
        JSON of the shape ``{"hotels": [...]}``.
    origin : str
        Name of the file, for messages.

    Returns
    -------
    tuple of Hotel
        In file order.

    Raises
    ------
    LoadError
        When the content is no such JSON, or a hotel breaks the contract of the pool
        file; the message names file, place in the list and field.
    """
    parsed = read_pool(FileId(origin, hashlib.sha256(content).hexdigest()), content)
    for row in parsed.quarantined:
        raise PoolError(
            f"{origin}: hotel {row.source_row}, field {row.field}: {row.reason}; mend "
            "it, a draw needs the whole pool"
        )
    return tuple(_from_row(row, origin) for row in parsed.table.to_pylist())


def _from_row(row: dict[str, Any], origin: str) -> Hotel:
    for name in ("price_min", "price_max"):
        if row[name] % 1:
            raise PoolError(
                f"{origin}: hotel {row['_source_row']}, field {name}: {row[name]}; "
                "prices are drawn in whole dollars, round it"
            )
    stars = row["stars"]
    return Hotel(
        id=row["hotel_id"],
        name=row["name"],
        stars=int(stars) if stars.is_integer() else stars,
        neighborhood=row["neighborhood"],
        review_score_base=row["review_score_base"],
        review_count_base=row["review_count_base"],
        price_min=int(row["price_min"]),
        price_max=int(row["price_max"]),
        room_types=tuple(json.loads(row["room_types"])),
        cancellation_free_prob=row["cancellation_free_prob"],
        breakfast_prob=row["breakfast_prob"],
        amenities=tuple(json.loads(row["amenities"])),
    )
