"""The published design against the orthogonal one, on the published pool."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from ingest.hotel.bank import draw_bank, write_tasks_csv
from ingest.hotel.orthogonal import design_rows, orthogonal_bank
from ingest.hotel.pool_file import read_hotels
from models.hotel_design import correlation_table, design_table

pytestmark = pytest.mark.release

# what the published bank was drawn with
PUBLISHED = {
    "pairs": 450,
    "pair_reps": 4,
    "triples": 300,
    "triple_reps": 6,
    "seed": 2026,
}


@pytest.fixture(scope="module")
def designs(release_hotel: Path) -> tuple[dict, dict]:
    pool = read_hotels((release_hotel / "hotel_pool.json").read_bytes())
    bank = draw_bank(pool, **PUBLISHED)
    published = (release_hotel / "conjoint_tasks.csv").read_bytes()
    assert write_tasks_csv(bank) == published
    return design_rows(bank), design_rows(orthogonal_bank(bank, pool, seed=2026))


def correlation(rows: dict, one: str, other: str, block: str = "binary") -> float:
    (found,) = [
        row["correlation"]
        for row in correlation_table(rows).to_pylist()
        if (row["block"], row["specification"]) == (block, "log")
        and {row["term"], row["other_term"]} == {one, other}
    ]
    return found


def test_correlations_of_the_published_design(designs: tuple[dict, dict]) -> None:
    published, _ = designs
    assert round(correlation(published, "log_price", "stars"), 2) == 0.81
    assert round(correlation(published, "review_score", "stars"), 2) == 0.62


@pytest.mark.parametrize("block", ["binary", "ternary"])
def test_the_orthogonal_design_has_next_to_none(
    designs: tuple[dict, dict], block: str
) -> None:
    _, orthogonal = designs
    for one, other in (
        ("log_price", "stars"),
        ("review_score", "stars"),
        ("log_price", "review_score"),
    ):
        assert abs(correlation(orthogonal, one, other, block)) < 0.01


def test_it_measures_price_and_stars_more_sharply(designs: tuple[dict, dict]) -> None:
    errors = [errors_of(design_table(rows)) for rows in designs]
    # variance inflation 3.5 and 3.3 against 1.2 and 1.0, less what larger differences
    # in utility cost
    assert errors[1]["stars"] < 0.8 * errors[0]["stars"]
    assert errors[1]["log_price"] < 0.85 * errors[0]["log_price"]
    assert errors[1]["review_score"] < errors[0]["review_score"]


def errors_of(table: pa.Table) -> dict[str, float]:
    return {
        row["term"]: row["expected_std_error"]
        for row in table.to_pylist()
        if (row["block"], row["specification"]) == ("binary", "log")
    }
