"""Reading a hotel question back: the options that a prompt shows, slot by slot."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ingest.hotel.bank import Option, Task
from ingest.schemas import OPTION_COUNT

_TYPES = {count: name for name, count in OPTION_COUNT.items()}
_CARD = "Option "
_RECORD = '{"option"'
_THINKING = "Final answer:"


def read_hotel_question(text: str) -> Task | None:
    """Return what a hotel prompt shows.

    Parameters
    ----------
    text
        A message as ``ingest.hotel.prompt`` writes it, of any variant.

    Returns
    -------
    Task or None
        Options in the order shown, A first, with 0 for what no prompt names (ids, group
        and draw); None for any other text.
    """
    blocks = text.split("\n\n")
    cards = [_card(block) for block in blocks if block.startswith(_CARD)]
    if not cards:
        records = next((one for one in blocks if one.startswith(_RECORD)), "")
        cards = [_record(json.loads(line)) for line in records.splitlines()]
    task_type = _TYPES.get(len(cards))
    return None if task_type is None else Task(0, task_type, 0, 0, tuple(cards))


def thinks_aloud(text: str) -> bool:
    """Return whether a hotel prompt asks for reasons before the letter."""
    return _THINKING in text


def _card(block: str) -> Option:
    lines = block.split("\n")[1:]
    said = dict(line.strip().split(": ", 1) for line in lines if ": " in line)
    score, _, count = said["Guest review score"].partition("/10 (")
    return Option(
        hotel_id=0,
        name=said["Hotel"],
        stars=float(said["Star rating"].removesuffix(" stars")),
        neighborhood=said["Neighborhood"],
        review_score=float(score),
        review_count=_whole(count.removesuffix(" reviews)")),
        room_type=said["Room type"],
        cancellation_free=int(said["Free cancellation"] == "Yes"),
        breakfast_included=int(said["Breakfast included"] == "Yes"),
        amenities="; ".join(said.get("Key amenities", "").split(", ")),
        price=_whole(said["Price per night"].removeprefix("$")),
    )


def _record(said: Mapping[str, object]) -> Option:
    amenities = said["key_amenities"]
    return Option(
        hotel_id=0,
        name=str(said["hotel"]),
        stars=float(str(said["star_rating"])),
        neighborhood=str(said["neighborhood"]),
        review_score=float(str(said["guest_review_score"]).removesuffix("/10")),
        review_count=int(str(said["review_count"])),
        room_type=str(said["room_type"]),
        cancellation_free=int(said["free_cancellation"] is True),
        breakfast_included=int(said["breakfast_included"] is True),
        amenities="; ".join(amenities) if isinstance(amenities, list) else "",
        price=int(str(said["price_per_night_usd"])),
    )


def _whole(text: str) -> int:
    return int(text.replace(",", ""))
