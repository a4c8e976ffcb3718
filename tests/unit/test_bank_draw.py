"""Drawing a bank: its structure, its bounds, its file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import groupby

import pytest

from ingest.hotel.bank import (
    BankError,
    Option,
    bank_kind,
    bank_sha256,
    draw_bank,
    draw_quintets,
    reflect,
    write_tasks_csv,
)
from ingest.hotel.pool import make_pool
from ingest.schemas import OPTION_FIELDS

POOL = make_pool()
BANK = draw_bank(POOL, pairs=5, pair_reps=4, triples=3, triple_reps=6, seed=3)


def test_an_option_has_the_fields_of_the_task_file_in_their_order() -> None:
    assert Option._fields == tuple(name for name, _ in OPTION_FIELDS)


def test_pairs_come_first_then_triples_numbered_through() -> None:
    # 5 pairs x 4 = 20 tasks, then 3 triples x 6 = 18.
    assert [task.task_id for task in BANK] == list(range(1, 39))
    assert [task.task_type for task in BANK] == ["binary"] * 20 + ["ternary"] * 18
    assert Counter(task.group_id for task in BANK) == {
        **dict.fromkeys(range(1, 6), 4),
        **dict.fromkeys(range(6, 9), 6),
    }
    assert [task.rep for task in BANK[:5]] == [1, 2, 3, 4, 1]


def test_a_group_keeps_its_hotels_and_no_two_groups_share_theirs() -> None:
    groups = [
        {tuple(option.hotel_id for option in task.options) for task in tasks}
        for _, tasks in groupby(BANK, key=lambda task: task.group_id)
    ]
    assert all(len(hotels) == 1 for hotels in groups)
    ids = [next(iter(hotels)) for hotels in groups]
    assert len(set(ids)) == 8
    assert all(list(one) == sorted(one) for one in ids)
    assert ids[:5] == sorted(ids[:5])


def test_offers_stay_within_what_the_hotel_allows() -> None:
    for option in (option for task in BANK for option in task.options):
        hotel = POOL[option.hotel_id - 1]
        assert hotel.price_min <= option.price <= hotel.price_max
        assert option.room_type in hotel.room_types
        # U(-0.2, 0.2), then rounded to one decimal: at most 0.2 away, but for the
        # last bits of a float.
        assert abs(option.review_score - hotel.review_score_base) < 0.2 + 1e-9
        assert 0.899 < option.review_count / hotel.review_count_base < 1.101
        assert {option.cancellation_free, option.breakfast_included} <= {0, 1}


def test_price_bounds_are_both_drawn() -> None:
    # One hotel at $45 to $90: 2 x 46 values, 4,000 draws miss a given one with
    # chance (45/46)**4000 < 1e-38.
    one_star = next(hotel for hotel in POOL if hotel.stars == 1)
    others = [hotel for hotel in POOL if hotel is not one_star][:1]
    bank = draw_bank(
        [one_star, *others], pairs=1, pair_reps=4000, triples=0, triple_reps=1, seed=1
    )
    prices = {task.options[0].price for task in bank}
    assert (min(prices), max(prices)) == (45, 90)


def test_one_seed_gives_one_bank() -> None:
    again = draw_bank(POOL, pairs=5, pair_reps=4, triples=3, triple_reps=6, seed=3)
    other = draw_bank(POOL, pairs=5, pair_reps=4, triples=3, triple_reps=6, seed=4)
    assert bank_sha256(again) == bank_sha256(BANK)
    assert bank_sha256(other) != bank_sha256(BANK)


def test_quintets_are_drawn_once_each() -> None:
    bank = draw_quintets(POOL, quintets=7, seed=3)
    assert [len(task.options) for task in bank] == [5] * 7
    assert [(task.task_id, task.group_id, task.rep) for task in bank] == [
        (n, n, 1) for n in range(1, 8)
    ]
    assert bank_kind(bank) == "fiveopt"


def test_no_groups_give_an_empty_bank() -> None:
    bank = draw_bank(POOL, pairs=0, pair_reps=1, triples=0, triple_reps=1, seed=3)
    assert bank == ()
    assert write_tasks_csv(bank).count(b"\n") == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        # C(4, 2) = 6 pairs and C(4, 3) = 4 triples of four hotels.
        ({"pairs": 7}, "binary groups: 7 asked, a pool of 4 hotels has 6 groups of 2"),
        ({"triples": 5}, "ternary groups: 5 asked, a pool of 4 hotels has 4 groups"),
        ({"pairs": -1}, "binary groups: -1 asked"),
        ({"pair_reps": 0}, "binary draws per group: 0; ask for 1 or more"),
        ({"seed": -1}, "seed: -1; give 0 or more"),
    ],
)
def test_an_impossible_bank_is_refused_in_one_line(
    changed: dict[str, int], message: str
) -> None:
    request = {"pairs": 6, "pair_reps": 1, "triples": 4, "triple_reps": 1, "seed": 3}
    assert len(draw_bank(POOL[:4], **request)) == 10
    with pytest.raises(BankError) as error:
        draw_bank(POOL[:4], **(request | changed))
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_third_option_that_some_tasks_lack_is_written_with_decimals() -> None:
    rows = list(csv.DictReader(io.StringIO(write_tasks_csv(BANK).decode())))
    assert {rows[0][f"c_{name}"] for name, _ in OPTION_FIELDS} == {""}
    third = BANK[20].options[2]
    assert rows[20]["c_price"] == f"{third.price}.0"
    assert rows[20]["c_stars"] == f"{third.stars}.0"
    assert rows[20]["c_review_score"] == f"{third.review_score:.1f}"
    assert rows[20]["b_price"] == str(BANK[20].options[1].price)


def test_a_third_option_that_no_task_lacks_is_written_plain() -> None:
    bank = draw_bank(POOL, pairs=0, pair_reps=1, triples=2, triple_reps=1, seed=3)
    rows = list(csv.DictReader(io.StringIO(write_tasks_csv(bank).decode())))
    assert rows[0]["c_price"] == str(bank[0].options[2].price)


def test_five_option_tasks_cannot_share_a_file_with_others() -> None:
    mixed = (*BANK, *draw_quintets(POOL, quintets=1, seed=3))
    with pytest.raises(BankError, match="keep five-option tasks on their own"):
        write_tasks_csv(mixed)


def test_the_swapped_ordering_is_a_full_reversal() -> None:
    assert [reflect(place, 3, "original") for place in range(3)] == [0, 1, 2]
    assert [reflect(place, 3, "swapped") for place in range(3)] == [2, 1, 0]
    assert [reflect(place, 2, "swapped") for place in range(2)] == [1, 0]
