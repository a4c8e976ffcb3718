"""What an offer holds as numbers: the covariates of shoppers and of design tables."""

from __future__ import annotations

import math
from collections.abc import Callable

from ingest.hotel.bank import Option

# First substring found decides; a room that names none ranks as a double.
BED_RANKS = (
    ("king", 3),
    ("queen", 2),
    ("double", 1),
    ("full", 1),
    ("twin", 0),
    ("single", 0),
    ("bunk", 1),
)
_BED_RANK_UNNAMED = 1


def bed_rank(room_type: str) -> int:
    """Return the bed size rank read off a room type, 0 (twin) to 3 (king)."""
    text = room_type.lower()
    ranks = (rank for bed, rank in BED_RANKS if bed in text)
    return next(ranks, _BED_RANK_UNNAMED)


# term of the choice models -> its number for one option
COVARIATES: dict[str, Callable[[Option], float]] = {
    "stars": lambda option: option.stars,
    "bed_rank": lambda option: bed_rank(option.room_type),
    "cancel": lambda option: option.cancellation_free,
    "breakfast": lambda option: option.breakfast_included,
    "review_score": lambda option: option.review_score,
    "review_count_100": lambda option: option.review_count / 100,
    "log_price": lambda option: math.log(option.price),
    "price": lambda option: option.price,
}
