"""Five-option predictions by hand, and what cannot be predicted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.five_option import (
    ANSWER_INPUT,
    PREDICTION_SCHEMA,
    TASTE_INPUT,
    TERMS,
    five_option_table,
    score_predictions,
)


def test_ties_go_to_the_earlier_option() -> None:
    utility = np.array([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0], [3.0, 1.0, 2.0]])
    scores = score_predictions(utility, np.array([2, 0, 1]))
    assert scores.rank.tolist() == [2, 1, 3]
    # e^2 / (e + 2 e^2), 1/3, e / (e^3 + e + e^2)
    e = np.e
    np.testing.assert_allclose(
        np.exp(scores.log_probability),
        [e**2 / (e + 2 * e**2), 1 / 3, e / (e**3 + e + e**2)],
    )
    assert len(score_predictions(np.zeros((0, 5)), np.zeros(0, dtype=int)).rank) == 0


def answers(
    prices: list[list[float]], picks: list[int], reading: str
) -> dict[str, Any]:
    n, j = len(prices), len(prices[0])
    columns: dict[str, Any] = {
        "study_id": ["s"] * n * j,
        "model_id": ["m"] * n * j,
        "reading": [reading] * n * j,
        "answer_key": np.repeat([f"t{place:03d}" for place in range(n)], j),
        "option": list("ABCDE")[:j] * n,
        "group_id": np.repeat(np.arange(n) // 2, j),
        "chosen": (np.arange(j) == np.array(picks)[:, None]).ravel(),
    }
    columns |= {term: np.zeros(n * j) for term in TERMS}
    columns["log_price"] = np.array(prices, dtype=float).ravel()
    return columns


def tastes(reading: str, **changes: Any) -> dict[str, Any]:
    names = ["slot", *TERMS]
    values = dict.fromkeys(names, 1.0) | {"log_price": -2.0} | changes
    return {
        "study_id": ["s"] * 8,
        "model_id": ["m"] * 8,
        "reading": [reading] * 8,
        "term": names,
        "estimate": [values[name] for name in names],
        "status": ["ok" if values[name] is not None else "separated" for name in names],
    }


def test_rates_and_clustered_intervals_by_hand() -> None:
    # cheaper is better: A first, then B, then C; four sets of hotels, two orders each
    prices = [[1.0, 2.0, 3.0]] * 8
    picks = [0, 0, 0, 1, 2, 1, 0, 0]
    (row,) = five_option_table(
        answers(prices, picks, "audited"), tastes("audited")
    ).to_pylist()
    assert (row["n"], row["clusters"], row["status"]) == (8, 4, "too_few")
    assert row["hit_rate"] == row["cheapest_hit_rate"] == 5 / 8
    assert row["top_two_rate"] == 7 / 8
    assert row["mean_rank"] == (5 + 2 * 2 + 3) / 8
    assert row["hit_rate_chance"] == pytest.approx(1 / 3)
    assert row["mean_rank_chance"] == 2
    assert row["log_score_chance"] == pytest.approx(-np.log(3))
    # hits by set 2, 1, 0, 2 against an expected 1.25: .75, -.25, -1.25, .75, over 8;
    # squares add up to 2.75 / 64, times 4/3
    half = 1.959963984540054 * np.sqrt(2.75 / 64 * 4 / 3)
    assert row["hit_rate_ci_lo"] == pytest.approx(5 / 8 - half)
    assert row["hit_rate_ci_hi"] == pytest.approx(5 / 8 + half)
    # utilities -2, -4, -6
    base = np.log(1 + np.exp(-2) + np.exp(-4))
    assert row["log_score"] == pytest.approx(-base - (2 * 2 + 4) / 8)


def test_published_reading_has_no_intervals() -> None:
    (row,) = five_option_table(
        answers([[1.0, 2.0]] * 4, [0, 1, 0, 0], "as_published"), tastes("as_published")
    ).to_pylist()
    assert row["hit_rate"] == 0.75
    assert (row["hit_rate_ci_lo"], row["mean_rank_ci_hi"]) == (None, None)


def test_missing_tastes_leave_nulls_and_keep_the_count() -> None:
    given = answers([[1.0, 2.0]] * 4, [0, 1, 0, 0], "audited")
    (row,) = five_option_table(given, tastes("audited", stars=None)).to_pylist()
    assert (row["n"], row["hit_rate"], row["log_score"]) == (4, None, None)
    assert row["status"] == "separated"
    (row,) = five_option_table(given, tastes("as_published")).to_pylist()
    assert (row["hit_rate"], row["status"]) == (None, "too_few")


def test_row_order_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    given = answers(
        rng.normal(size=(40, 5)).tolist(), rng.integers(0, 5, 40).tolist(), "audited"
    )
    turned = {name: list(values)[::-1] for name, values in given.items()}
    assert five_option_table(given, tastes("audited")).equals(
        five_option_table(turned, tastes("audited"))
    )


def test_answers_must_have_one_choice_and_all_options() -> None:
    given = answers([[1.0, 2.0]] * 2, [0, 1], "audited")
    given["chosen"] = [True, False, True, True]
    with pytest.raises(
        ValueError, match="s m audited t001 has 2 options and 2 choices"
    ):
        five_option_table(given, tastes("audited"))
    short = {name: list(values)[:3] for name, values in given.items()}
    with pytest.raises(ValueError, match="t001 has 1 options"):
        five_option_table(short, tastes("audited"))


def test_empty_input_gives_an_empty_table() -> None:
    table = five_option_table(ANSWER_INPUT.empty_table(), TASTE_INPUT.empty_table())
    assert (table.schema, table.num_rows) == (PREDICTION_SCHEMA, 0)
