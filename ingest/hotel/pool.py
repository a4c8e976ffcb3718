"""Our own hotel pool: 179 invented hotels, and how they are made.

No hotel here exists. Neighbourhood labels are those of New York City, so that area
models have something to read; a chain prefix stands before an invented street name, so
that the chain rule has something to read. Ranges and quartiles per star class (prices,
review scores, review counts) span those of the published pool; every row is our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.hotel.pool_file import Hotel
from ingest.hotel.pool_names import (
    AMENITIES,
    BRANDS,
    HOTEL_WORDS,
    INDEPENDENT_STARS,
    NAME_PATTERNS,
    NEIGHBORHOODS,
    ROOM_TYPES,
    STREET_KINDS,
    STREET_WORDS,
)

POOL_SEED = 20260


class _Identity(NamedTuple):
    name: str
    stars: int
    breakfast_prob: float | None


class _StarClass(NamedTuple):
    """Values of one star class at ``_QUANTILES``, and the chances drawn from."""

    price_min: tuple[int, ...]
    price_max: tuple[int, ...]
    review_score: tuple[float, ...]
    review_count: tuple[int, ...]
    cancellation: tuple[float, ...]
    breakfast: tuple[float, ...]


_QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)
_STAR_CLASSES = {
    1: _StarClass((45,) * 6, (90,) * 6, (7.0,) * 6, (3200,) * 6, (0.2,), (0.0,)),
    2: _StarClass(
        (65, 70, 78, 86, 90, 90),
        (125, 140, 155, 166, 175, 180),
        (6.5, 7.1, 7.4, 7.9, 8.2, 8.2),
        (800, 940, 1580, 2250, 3900, 5200),
        (0.2, 0.3, 0.4),
        (0.0, 0.1),
    ),
    3: _StarClass(
        (75, 120, 140, 156, 175, 195),
        (145, 240, 280, 310, 350, 390),
        (7.4, 7.9, 8.0, 8.2, 8.5, 9.2),
        (500, 1400, 1800, 2400, 3800, 6900),
        (0.4, 0.5, 0.6),
        (0.0, 0.05, 0.1, 0.2, 0.3),
    ),
    4: _StarClass(
        (130, 175, 200, 220, 270, 310),
        (260, 360, 400, 440, 540, 620),
        (7.5, 8.0, 8.3, 8.6, 9.0, 9.2),
        (500, 980, 1700, 2800, 4600, 14600),
        (0.5, 0.6, 0.6),
        (0.05, 0.1, 0.1, 0.15, 0.3),
    ),
    5: _StarClass(
        (250, 320, 480, 650, 800, 830),
        (520, 640, 960, 1300, 1600, 1650),
        (7.8, 8.6, 8.8, 9.1, 9.3, 9.4),
        (400, 700, 1100, 1800, 2800, 3800),
        (0.5, 0.6),
        (0.15, 0.2),
    ),
}
# Better reviewed hotels of a class charge more, as everywhere; price is still far from
# a function of the reviews.
_SCORE_PRICE_CORRELATION = 0.4


def make_pool(seed: int = POOL_SEED) -> tuple[Hotel, ...]:
    """Make the 179 invented hotels.

    Parameters
    ----------
    seed : int
        Seed of the generator (PCG64); one seed gives one pool.

    Returns
    -------
    tuple of Hotel
        179 hotels, ids 1 to 179. How many hotels a chain, a star class and a
        neighbourhood have, and which prices and review levels occur in a class, is the
        same for every seed; the seed settles who has what.
    """
    rng = np.random.default_rng(seed)
    identities = [*_chain_identities(rng), *_independent_identities(rng)]
    # Ids must say nothing about class: option A is always the lower id.
    identities = [identities[i] for i in rng.permutation(len(identities))]
    areas = [area for area, count in NEIGHBORHOODS.items() for _ in range(count)]
    areas = [areas[i] for i in rng.permutation(len(areas))]
    levels = _levels([identity.stars for identity in identities], rng)
    return tuple(
        _hotel(number, identity, area, level, rng)
        for number, (identity, area, level) in enumerate(
            zip(identities, areas, levels, strict=True), start=1
        )
    )


def _chain_identities(rng: np.random.Generator) -> Iterator[_Identity]:
    streets = [f"{word} {kind}" for word in STREET_WORDS for kind in STREET_KINDS]
    order = iter(rng.permutation(len(streets)))
    for brand in BRANDS:
        for _ in range(brand.hotels):
            name = f"{brand.prefix} {streets[next(order)]}"
            yield _Identity(name, brand.stars, brand.breakfast_prob)


def _independent_identities(rng: np.random.Generator) -> Iterator[_Identity]:
    words = iter(rng.permutation(len(HOTEL_WORDS)))
    for stars, hotels in INDEPENDENT_STARS.items():
        for _ in range(hotels):
            pattern = NAME_PATTERNS[int(rng.integers(len(NAME_PATTERNS)))]
            yield _Identity(pattern.format(HOTEL_WORDS[next(words)]), stars, None)


class _Level(NamedTuple):
    price_min: int
    price_max: int
    review_score: float
    review_count: int


def _levels(stars: Sequence[int], rng: np.random.Generator) -> list[_Level]:
    """Spread each class evenly over its quantiles; ranks are drawn, values are not."""
    levels: dict[int, _Level] = {}
    for star_class, spec in _STAR_CLASSES.items():
        members = [i for i, value in enumerate(stars) if value == star_class]
        size = len(members)
        quality = rng.standard_normal(size)
        noise = rng.standard_normal(size)
        tied = _SCORE_PRICE_CORRELATION
        price_rank = _ranks(tied * quality + np.sqrt(1 - tied**2) * noise)
        lows, highs = _grid(spec.price_min, size, 5), _grid(spec.price_max, size, 5)
        scores, counts = (
            _grid(spec.review_score, size, 0.1)[_ranks(quality)],
            _grid(spec.review_count, size, 10)[_ranks(rng.standard_normal(size))],
        )
        for k, member in enumerate(members):
            levels[member] = _Level(
                int(lows[price_rank[k]]),
                int(highs[price_rank[k]]),
                round(float(scores[k]), 1),
                int(counts[k]),
            )
    return [levels[i] for i in range(len(stars))]


def _ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.argsort(np.argsort(values, kind="stable"), kind="stable")


def _grid(quantiles: Sequence[float], size: int, step: float) -> NDArray[np.float64]:
    """Return ``size`` rising values from the smallest to the largest, in steps."""
    at = np.interp(np.linspace(0, 1, size), _QUANTILES, quantiles)
    return np.rint(at / step) * step


def _hotel(
    number: int,
    identity: _Identity,
    area: str,
    level: _Level,
    rng: np.random.Generator,
) -> Hotel:
    spec = _STAR_CLASSES[identity.stars]
    rooms = ROOM_TYPES[identity.stars]
    # Most hotels sell two kinds of room, a few one or three.
    kinds = int(rng.choice([1, 2, 3], p=[0.03, 0.92, 0.05]))
    drawn_rooms = rng.choice(len(rooms), size=min(kinds, len(rooms)), replace=False)
    cancellation = spec.cancellation[int(rng.integers(len(spec.cancellation)))]
    breakfast = spec.breakfast[int(rng.integers(len(spec.breakfast)))]
    extras = AMENITIES[identity.stars]
    extra_count = int(rng.integers(0, min(len(extras), identity.stars + 1) + 1))
    drawn_extras = sorted(rng.choice(len(extras), size=extra_count, replace=False))
    return Hotel(
        id=number,
        name=identity.name,
        stars=identity.stars,
        neighborhood=area,
        review_score_base=level.review_score,
        review_count_base=level.review_count,
        price_min=level.price_min,
        price_max=level.price_max,
        room_types=tuple(rooms[i] for i in sorted(drawn_rooms)),
        cancellation_free_prob=cancellation,
        breakfast_prob=(
            breakfast if identity.breakfast_prob is None else identity.breakfast_prob
        ),
        amenities=("Free WiFi", *(extras[i] for i in drawn_extras)),
    )
