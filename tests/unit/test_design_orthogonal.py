"""Orthogonal banks and Latin orders."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest

from ingest.hotel.bank import BankError, Task, draw_bank, draw_quintets
from ingest.hotel.orthogonal import (
    LEVELS,
    RUNS,
    design_rows,
    latin_order,
    orthogonal_array,
    orthogonal_bank,
    shown_orders,
)
from ingest.hotel.pool import make_pool

POOL = make_pool()
PUBLISHED_SIZE = {"pairs": 450, "pair_reps": 4, "triples": 300, "triple_reps": 6}


def test_array_is_balanced_two_by_two() -> None:
    array = orthogonal_array(LEVELS + 1)
    assert array.shape == (RUNS, 12)
    for one, other in combinations(range(12), 2):
        pairs = set(zip(array[:, one].tolist(), array[:, other].tolist(), strict=True))
        assert len(pairs) == RUNS


def test_array_has_no_more_columns() -> None:
    with pytest.raises(BankError, match="at most 12"):
        orthogonal_array(13)


@pytest.fixture(scope="module")
def bank() -> tuple[Task, ...]:
    return draw_bank(POOL, **PUBLISHED_SIZE, seed=1)


@pytest.fixture(scope="module")
def redrawn(bank: tuple[Task, ...]) -> tuple[Task, ...]:
    return orthogonal_bank(bank, POOL, seed=1)


def differences(tasks: list[Task]) -> dict[str, np.ndarray]:
    """Every two options of a task, one minus the other."""
    pairs = [two for task in tasks for two in combinations(task.options, 2)]
    return {
        "log_price": np.array([np.log(a.price / b.price) for a, b in pairs]),
        "stars": np.array([a.stars - b.stars for a, b in pairs]),
        "review": np.array([a.review_score - b.review_score for a, b in pairs]),
    }


@pytest.mark.parametrize("task_type", ["binary", "ternary"])
def test_price_reviews_and_stars_are_unrelated(
    bank: tuple[Task, ...], redrawn: tuple[Task, ...], task_type: str
) -> None:
    before = differences([task for task in bank if task.task_type == task_type])
    after = differences([task for task in redrawn if task.task_type == task_type])
    for one, other in combinations(before, 2):
        # independent draws would leave 1 / sqrt(1800) = 0.024; the array leaves less
        assert abs(np.corrcoef(before[one], before[other])[0, 1]) > 0.4
        assert abs(np.corrcoef(after[one], after[other])[0, 1]) < 0.02


@pytest.mark.parametrize("seed", range(2, 8))
def test_every_seed_does_it(bank: tuple[Task, ...], seed: int) -> None:
    after = differences(
        [t for t in orthogonal_bank(bank, POOL, seed=seed) if t.task_type == "binary"]
    )
    for one, other in combinations(after, 2):
        assert abs(np.corrcoef(after[one], after[other])[0, 1]) < 0.03


def test_all_else_stays(bank: tuple[Task, ...], redrawn: tuple[Task, ...]) -> None:
    assert len(redrawn) == len(bank)
    for old, new in zip(bank, redrawn, strict=True):
        assert (old.task_id, old.task_type, old.group_id, old.rep) == (
            new.task_id,
            new.task_type,
            new.group_id,
            new.rep,
        )
        for before, after in zip(old.options, new.options, strict=True):
            same = before._replace(price=after.price, review_score=after.review_score)
            assert same == after


def test_prices_and_scores_keep_the_spread_of_the_pool(
    redrawn: tuple[Task, ...],
) -> None:
    # the published procedure with the hotel drawn as well, 200,000 times
    rng = np.random.default_rng(7)
    hotels = [POOL[place] for place in rng.integers(len(POOL), size=200_000)]
    low, high, level = np.array(
        [(one.price_min, one.price_max, one.review_score_base) for one in hotels]
    ).T
    offered = {
        "price": rng.integers(low.astype(int), high.astype(int) + 1),
        "review_score": np.round(level + rng.uniform(-0.2, 0.2, len(level)), 1),
    }
    for name, expected in offered.items():
        after = np.array([getattr(o, name) for t in redrawn for o in t.options])
        deciles = np.arange(10, 91, 10)
        # 9,000 stratified draws; prices are thin around the ninth decile
        np.testing.assert_allclose(
            np.percentile(after, deciles), np.percentile(expected, deciles), rtol=0.02
        )
        assert len(set(after.tolist())) > 20
    prices = [option.price for task in redrawn for option in task.options]
    assert min(prices) >= min(hotel.price_min for hotel in POOL)
    assert max(prices) <= max(hotel.price_max for hotel in POOL)
    assert all(isinstance(price, int) for price in prices)
    scores = [option.review_score for task in redrawn for option in task.options]
    assert all(score == round(score, 1) for score in scores)


def test_one_hotel_has_its_own_quantiles() -> None:
    # two hotels alike: prices stay in their range, scores within 0.2 of their level
    hotels = POOL[:2]
    alike = [
        hotels[0],
        type(hotels[1])(
            **{
                name: getattr(hotels[0], name)
                for name in hotels[0].__dataclass_fields__
                if name != "id"
            },
            id=2,
        ),
    ]
    small = draw_bank(alike, pairs=1, pair_reps=500, triples=0, triple_reps=1, seed=1)
    options = [o for t in orthogonal_bank(small, alike, seed=1) for o in t.options]
    low, high = hotels[0].price_min, hotels[0].price_max
    assert all(low <= option.price <= high for option in options)
    # 1,000 stratified draws of at most a few hundred values reach both ends
    assert min(option.price for option in options) <= low + 2
    assert max(option.price for option in options) >= high - 2
    level = hotels[0].review_score_base
    assert all(abs(option.review_score - level) < 0.2 + 1e-9 for option in options)


def test_one_seed_gives_one_bank(
    bank: tuple[Task, ...], redrawn: tuple[Task, ...]
) -> None:
    assert orthogonal_bank(bank, POOL, seed=1) == redrawn
    assert orthogonal_bank(bank, POOL, seed=2) != redrawn


def test_five_options_need_ten_columns() -> None:
    quintets = draw_quintets(POOL, quintets=300, seed=1)
    after = differences(list(orthogonal_bank(quintets, POOL, seed=1)))
    for one, other in combinations(after, 2):
        # 300 tasks: 1 / sqrt(300) = 0.06 for independent draws of one pair of options
        assert abs(np.corrcoef(after[one], after[other])[0, 1]) < 0.06


def test_nothing_to_redraw() -> None:
    assert orthogonal_bank([], POOL, seed=0) == ()


def test_bad_arguments() -> None:
    with pytest.raises(BankError, match="seed: -1"):
        orthogonal_bank([], POOL, seed=-1)
    with pytest.raises(BankError, match="no hotel"):
        orthogonal_bank([], [], seed=1)


@pytest.mark.parametrize("options", [2, 3, 4, 5])
def test_every_option_stands_in_every_slot_once(options: int) -> None:
    for task in range(3 * options):
        rows = [latin_order(options, task, k) for k in range(options)]
        for slot in range(options):
            assert {row[slot] for row in rows} == set(range(options))
        assert all(sorted(row) == list(range(options)) for row in rows)


@pytest.mark.parametrize("options", [2, 3, 4, 5])
def test_one_ordering_is_balanced_over_tasks(options: int) -> None:
    for ordering in range(options):
        rows = [latin_order(options, task, ordering) for task in range(options)]
        for slot in range(options):
            assert {row[slot] for row in rows} == set(range(options))


@pytest.mark.parametrize("options", [3, 4, 5])
def test_every_option_follows_every_other_equally_often(options: int) -> None:
    followed = Counter(
        pair
        for task in range(2 * options)
        for row in [latin_order(options, task, 0)]
        for pair in pairwise(row)
    )
    # 2j rows of j - 1 neighbours, j (j - 1) ordered pairs: 2 each
    assert set(followed.values()) == {2}
    assert len(followed) == options * (options - 1)


def test_first_rows_by_hand() -> None:
    # 0, 1, j-1, 2, j-2
    assert latin_order(5, 0, 0) == (0, 1, 4, 2, 3)
    assert latin_order(5, 0, 1) == (1, 2, 0, 3, 4)
    # the sixth task takes the mirror image
    assert latin_order(5, 5, 0) == (3, 2, 4, 1, 0)


@pytest.mark.parametrize("argument", [(1, 0, 0), (3, -1, 0), (3, 0, 3), (3, 0, -1)])
def test_orders_out_of_range(argument: tuple[int, int, int]) -> None:
    with pytest.raises(BankError, match="order: "):
        latin_order(*argument)


def test_reversal_is_the_published_orders() -> None:
    small = draw_bank(POOL, pairs=1, pair_reps=1, triples=1, triple_reps=1, seed=1)
    orders = [(t.task_id, name, order) for t, name, order in shown_orders(small)]
    assert orders == [
        (1, "original", (0, 1)),
        (1, "swapped", (1, 0)),
        (2, "original", (0, 1, 2)),
        (2, "swapped", (2, 1, 0)),
    ]


def test_latin_moves_the_middle_option() -> None:
    small = draw_bank(POOL, pairs=0, pair_reps=1, triples=4, triple_reps=3, seed=1)
    slots = Counter(
        order.index(1) for _, _, order in shown_orders(small, scheme="latin")
    )
    # 12 tasks in 3 orders
    assert slots == {0: 12, 1: 12, 2: 12}
    assert {order.index(1) for _, _, order in shown_orders(small)} == {1}


def test_unknown_scheme() -> None:
    with pytest.raises(BankError, match="'random'"):
        list(shown_orders([], scheme="random"))


def test_rows_of_a_design() -> None:
    small = draw_bank(POOL, pairs=1, pair_reps=1, triples=0, triple_reps=1, seed=1)
    rows = design_rows(small)
    assert rows["option"] == ["A", "B", "B", "A"]
    assert rows["slot"] == [1, 2, 1, 2]
    assert rows["ordering"] == ["original", "original", "swapped", "swapped"]
    a, b = small[0].options
    assert rows["price_usd"] == [a.price, b.price, b.price, a.price]
    assert rows["log_price"][0] == pytest.approx(np.log(a.price))
    assert rows["review_count_100"][1] == pytest.approx(b.review_count / 100)
