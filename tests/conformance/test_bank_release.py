"""The published banks, drawn again from the published pool byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.hotel.bank import Tasks, draw_bank, draw_quintets, write_tasks_csv
from ingest.hotel.pool import make_pool
from ingest.hotel.pool_file import Hotel, pool_json, read_hotels

pytestmark = pytest.mark.release


@pytest.fixture(scope="module")
def pool(release_hotel: Path) -> tuple[Hotel, ...]:
    return read_hotels((release_hotel / "hotel_pool.json").read_bytes())


@pytest.fixture(scope="module")
def bank(pool: tuple[Hotel, ...]) -> Tasks:
    return draw_bank(
        pool, pairs=450, pair_reps=4, triples=300, triple_reps=6, seed=2026
    )


def test_pairs_and_triples(release_hotel: Path, bank: Tasks) -> None:
    published = (release_hotel / "conjoint_tasks.csv").read_bytes()
    assert write_tasks_csv(bank) == published


@pytest.mark.parametrize("reps", [1, 2])
def test_binary_subsets(release_hotel: Path, bank: Tasks, reps: int) -> None:
    subset = [task for task in bank if task.task_type == "binary" and task.rep <= reps]
    published = (release_hotel / f"tasks_binary_r{reps}.csv").read_bytes()
    assert write_tasks_csv(subset) == published


def test_quintets(release_hotel: Path, pool: tuple[Hotel, ...]) -> None:
    published = (release_hotel / "tasks_5opt.csv").read_bytes()
    assert write_tasks_csv(draw_quintets(pool, quintets=300, seed=2027)) == published


def test_the_pool_file_is_written_as_published(
    release_hotel: Path, pool: tuple[Hotel, ...]
) -> None:
    assert pool_json(pool) == (release_hotel / "hotel_pool.json").read_bytes()


def test_our_pool_shares_ranges_but_no_hotel(pool: tuple[Hotel, ...]) -> None:
    ours = make_pool()
    assert not {hotel.name for hotel in ours} & {hotel.name for hotel in pool}
    assert {h.neighborhood for h in ours} == {h.neighborhood for h in pool}
    for stars in range(1, 6):
        a = [hotel for hotel in ours if hotel.stars == stars]
        b = [hotel for hotel in pool if hotel.stars == stars]
        assert len(a) == len(b)
        assert min(h.price_min for h in a) == min(h.price_min for h in b)
        assert max(h.price_max for h in a) == max(h.price_max for h in b)
        for end in (min, max):
            assert end(h.review_score_base for h in a) == pytest.approx(
                end(h.review_score_base for h in b)
            )
