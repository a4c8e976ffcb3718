"""Known tastes through the audited estimator: intervals must cover what is true.

Shoppers answer 300 tasks in two orders; their tastes vary by pair of hotels by a tenth
of the mean (``ingest.hotel.cast.TASTE_SPREAD``), their slot leanings by shopper. Seeds
were written down before the first run and are not to be changed to make a test pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ingest.hotel.bank import ORDERINGS
from ingest.hotel.cast import default_cast, random_cast
from ingest.hotel.covariates import bed_rank
from ingest.simulate import Simulation, simulate_hotel
from models.hotel_logit import fit_table

CAST_SEED = 2026
SIMULATION_SEED = 2027
Fit = Mapping[str, Any]


def long_table(simulation: Simulation) -> pa.Table:
    """Return the two-option answers as the estimator reads them, a row per option."""
    tasks = {row["task_id"]: row for row in simulation.tables["task"].to_pylist()}
    rows = [
        row
        for answer in simulation.tables["response"].to_pylist()
        if tasks[answer["bank_task_id"]]["task_type"] == "binary"
        for row in _rows(answer, tasks[answer["bank_task_id"]])
    ]
    return pa.Table.from_pylist(rows)


def _rows(answer: Mapping[str, Any], task: Mapping[str, Any]) -> Iterable[Fit]:
    # Published reading: an empty choice counts as "not A", that is as B.
    published = answer["choice"] or "B"
    for letter in "AB":
        offer = {
            name.removeprefix(f"{letter.lower()}_"): value
            for name, value in task.items()
            if name.startswith(f"{letter.lower()}_")
        }
        first = answer["ordering"] == ORDERINGS[0]
        yield {
            "study_id": "study",
            "model_id": answer["run_id"],
            "variant": "base",
            "input_fingerprint": "none",
            "answer_key": f"{answer['ordering']}/{answer['bank_task_id']}",
            "option": letter,
            "group_id": task["group_id"],
            "hotel_id": offer["hotel_id"],
            "slot_sign": (1.0 if first else -1.0) if letter == "A" else 0.0,
            "stars": offer["stars"],
            "bed_rank": float(bed_rank(offer["room_type"])),
            "cancel": float(offer["cancellation_free"]),
            "breakfast": float(offer["breakfast_included"]),
            "review_score": offer["review_score"],
            "review_count_100": offer["review_count"] / 100,
            "log_price": float(np.log(float(offer["price"]))),
            "price_usd": float(offer["price"]),
            "chosen_as_published": letter == published,
            "chosen_audited": (
                None if answer["choice"] is None else letter == answer["choice"]
            ),
        }


def truth(simulation: Simulation) -> dict[tuple[str, str], float]:
    rows = simulation.tables["simulated_taste"].to_pylist()
    return {(row["run_id"], row["term"]): row["value"] for row in rows}


def fits(simulation: Simulation, design: str) -> dict[str, dict[str, Fit]]:
    """Return estimate, error, interval and status by run and term, log form."""
    columns = ("estimate", "cluster_std_error", "ci_lo", "ci_hi", "term_status")
    return {
        row["model_id"]: {
            term: {name: row[name][position] for name in columns}
            for position, term in enumerate(row["term"])
        }
        for row in fit_table(long_table(simulation)).to_pylist()
        if (row["design"], row["specification"]) == (design, "log")
    }


@pytest.fixture(scope="module")
def fifty() -> Simulation:
    return simulate_hotel(
        seed=SIMULATION_SEED, shoppers=random_cast(50, seed=CAST_SEED)
    )


@pytest.fixture(scope="module")
def audited(fifty: Simulation) -> dict[str, dict[str, Fit]]:
    return fits(fifty, "audited")


def covered(
    audited: Mapping[str, Mapping[str, Fit]],
    true: Mapping[tuple[str, str], float],
    term: str,
) -> int:
    return sum(
        fit[term]["ci_lo"] <= true[run_id, term] <= fit[term]["ci_hi"]
        for run_id, fit in audited.items()
    )


@pytest.mark.parametrize("term", ["review_score", "log_price", "slot"])
def test_audited_intervals_cover_the_truth_in_42_of_50(
    fifty: Simulation, audited: dict[str, dict[str, Fit]], term: str
) -> None:
    # At 95 % each, 50 intervals cover 47.5 times; fewer than 42 has chance 0.08 %.
    assert len(audited) == 50
    assert {fit[term]["term_status"] for fit in audited.values()} == {"ok"}
    assert covered(audited, truth(fifty), term) >= 42


def test_the_intervals_are_narrow_enough_to_tell_shoppers_apart(
    fifty: Simulation, audited: dict[str, dict[str, Fit]]
) -> None:
    # The truth of the next shopper is another one (0.75 to 2.25, so sd 0.43 against
    # errors near 0.27): the same count must fall below the bar that is passed above.
    true = truth(fifty)
    runs = list(audited)
    shifted = {
        (run, "review_score"): true[after, "review_score"]
        for run, after in zip(runs, runs[1:] + runs[:1], strict=True)
    }
    assert covered(audited, shifted, "review_score") < 42
    estimates = [fit["review_score"]["estimate"] for fit in audited.values()]
    values = [true[run, "review_score"] for run in runs]
    assert np.corrcoef(estimates, values)[0, 1] > 0.6


def test_tastes_of_one_who_nearly_always_takes_the_second_card_are_recovered() -> None:
    # 1,500 tasks, 900 of them with two options. Four standard errors for the audited
    # figure; the published design, which omits the slot, loses most of it.
    taker = [s for s in default_cast() if s.model_tag == "simulated/second-card-taker"]
    simulation = simulate_hotel(tasks=1500, seed=SIMULATION_SEED, shoppers=taker)
    true = truth(simulation)
    fitted = fits(simulation, "audited")["simulated/second-card-taker/seed-2027"]
    published = fits(simulation, "as_published")[
        "simulated/second-card-taker/seed-2027"
    ]
    for term in ("review_score", "log_price", "slot"):
        fit = fitted[term]
        gap = fit["estimate"] - true["simulated/second-card-taker/seed-2027", term]
        assert abs(gap) < 4 * fit["cluster_std_error"]
    share = published["log_price"]["estimate"] / fitted["log_price"]["estimate"]
    assert 0 < share < 0.5
