"""The invented pool: what it spans, that it is ours, and reading a pool file."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from ingest.hotel.covariates import BED_RANKS
from ingest.hotel.pool import make_pool
from ingest.hotel.pool_file import PoolError, pool_json, pool_sha256, read_hotels
from ingest.hotel.pool_names import (
    HOTEL_WORDS,
    NAME_PATTERNS,
    NEIGHBORHOODS,
    STREET_KINDS,
    STREET_WORDS,
)

POOL = make_pool()
PINNED_SHA256 = "c110015af01e988ccd04fa1c4381b5eff82959062819693adfe67cd86274b307"

# The published chain rule (Kireyev 2026): the first chain with a hit wins.
CHAINS = {
    "Hilton": "Hampton Inn; Hilton Garden Inn; DoubleTree; Conrad; Embassy Suites; "
    "Tempo by Hilton; Motto by Hilton; New York Hilton; Ink 48",
    "Marriott": "Courtyard by Marriott; Fairfield Inn; Residence Inn; SpringHill "
    "Suites; AC Hotel; Renaissance; Sheraton; Westin; W New York; Moxy; Aloft; "
    "Marriott; Ritz-Carlton; EDITION; St. Regis; Lotte",
    "IHG": "Holiday Inn; Crowne Plaza; Hotel Indigo; Even Hotel; InterContinental; "
    "Kimpton; voco",
    "Hyatt": "Hyatt; Park Hyatt; Thompson; Andaz",
    "Wyndham": "Days Inn; La Quinta; Ramada; Wyndham; Best Western",
}


def chain(name: str) -> str:
    for one, substrings in CHAINS.items():
        if any(s.lower() in name.lower() for s in substrings.split("; ")):
            return one
    return "Independent"


def test_the_pool_is_one_pool() -> None:
    # Pinned: a bank drawn from another pool is another bank, so every figure of the
    # demo would move with it.
    assert pool_sha256(POOL) == PINNED_SHA256
    assert make_pool() == POOL
    assert make_pool(1) != POOL


def test_there_are_179_hotels_with_their_own_ids_and_names() -> None:
    assert [hotel.id for hotel in POOL] == list(range(1, 180))
    assert len({hotel.name for hotel in POOL}) == 179


def test_stars_prices_and_reviews_span_the_published_ranges() -> None:
    # Published pool: 1, 10, 62, 75, 31 hotels of 1 to 5 stars; $45 to $1,650 a night;
    # review levels 6.5 to 9.4.
    stars = Counter(hotel.stars for hotel in POOL)
    assert stars == {1: 1, 2: 10, 3: 62, 4: 75, 5: 31}
    assert min(hotel.price_min for hotel in POOL) == 45
    assert max(hotel.price_max for hotel in POOL) == 1650
    assert min(hotel.review_score_base for hotel in POOL) == 6.5
    assert max(hotel.review_score_base for hotel in POOL) == 9.4
    assert all(hotel.price_min < hotel.price_max for hotel in POOL)


def test_every_chain_and_every_area_label_occurs() -> None:
    chains = Counter(chain(hotel.name) for hotel in POOL)
    assert chains == {
        "Hilton": 24,
        "Marriott": 34,
        "IHG": 18,
        "Hyatt": 14,
        "Wyndham": 12,
        "Independent": 77,
    }
    assert Counter(hotel.neighborhood for hotel in POOL) == NEIGHBORHOODS
    assert len(NEIGHBORHOODS) == 36


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_any_seed_gives_the_same_classes_and_prices(seed: int) -> None:
    pool = make_pool(seed)
    assert Counter(h.stars for h in pool) == Counter(h.stars for h in POOL)
    assert sorted(h.price_max for h in pool) == sorted(h.price_max for h in POOL)


def test_no_invented_name_reads_as_a_chain_by_accident() -> None:
    independents = [p.format(word) for word in HOTEL_WORDS for p in NAME_PATTERNS]
    assert [name for name in independents if chain(name) != "Independent"] == []
    streets = [f"{word} {kind}" for word in STREET_WORDS for kind in STREET_KINDS]
    assert [street for street in streets if chain(street) != "Independent"] == []


def test_every_room_names_a_bed() -> None:
    beds = [bed for bed, _ in BED_RANKS]
    rooms = {room for hotel in POOL for room in hotel.room_types}
    assert [
        room for room in rooms if not any(bed in room.lower() for bed in beds)
    ] == []


def test_better_reviewed_hotels_of_a_class_tend_to_charge_more() -> None:
    # Of the pairs of four-star hotels that differ in both, more agree than disagree in
    # order, yet price is far from a function of the reviews.
    four = [hotel for hotel in POOL if hotel.stars == 4]
    signs = [
        (a.price_min - b.price_min) * (a.review_score_base - b.review_score_base)
        for i, a in enumerate(four)
        for b in four[:i]
    ]
    agree = sum(sign > 0 for sign in signs) / sum(sign != 0 for sign in signs)
    assert 0.55 < agree < 0.8


def test_a_pool_survives_being_written_and_read() -> None:
    assert read_hotels(pool_json(POOL)) == POOL


def test_a_half_star_stays_a_half_star() -> None:
    pool = (replace(POOL[0], stars=3.5),)
    assert read_hotels(pool_json(pool))[0].stars == 3.5


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("price_min", "80", "field price_min: '80' is not a number"),
        ("price_min", 80.5, "field price_min: 80.50; prices are drawn in whole"),
        ("room_types", [], "field room_types: an empty list"),
        ("stars", None, "field stars: None is not a number"),
    ],
)
def test_a_broken_hotel_is_named_with_its_place_and_field(
    field: str, value: object, message: str
) -> None:
    document = json.loads(pool_json(POOL[:3]))
    document["hotels"][1][field] = value
    content = json.dumps(document).encode()
    with pytest.raises(PoolError) as error:
        read_hotels(content, "mine.json")
    assert str(error.value).startswith(f"mine.json: hotel 2, {message}")
    assert "\n" not in str(error.value)
