"""The table of hotel mixed logits: contract, statuses, row order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.choice_data import choice_data
from models.clusters import prepare_clusters
from models.covariance import cluster_covariance
from models.hotel_choices import INPUT_SCHEMA
from models.hotel_mixed_logit import MIXED_LOGIT_SCHEMA, mixed_logit_table
from models.hotel_terms import CONTROLS
from models.mixed_logit import fit_mixed
from models.status import STATUSES

Row = dict[str, Any]
DRAWS = 40
TERMS = ["slot", *CONTROLS, "log_price"]


def long_answers(
    seed: int, pairs: int = 40, reps: int = 3, model: str = "a/b"
) -> pa.Table:
    """Answers of a model whose tastes for price, reviews and slot vary by pair."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for pair in range(pairs):
        z = rng.normal(size=3)
        for rep in range(reps):
            price = np.round(rng.uniform(60, 600, 2))
            offer = {
                "stars": rng.integers(1, 6, 2) * 1.0,
                "bed_rank": rng.integers(0, 4, 2) * 1.0,
                "cancel": rng.integers(0, 2, 2) * 1.0,
                "breakfast": rng.integers(0, 2, 2) * 1.0,
                "review_score": np.round(rng.uniform(6, 10, 2), 1),
                "review_count_100": rng.integers(1, 4000, 2) / 100,
                "log_price": np.log(price),
                "price_usd": price,
            }
            worth = (
                0.4 * offer["stars"]
                + 0.5 * offer["cancel"]
                + (1.0 + 0.6 * z[0]) * offer["review_score"]
                + (-1.5 + 0.8 * z[1]) * offer["log_price"]
            )
            for order, sign in (("original", 1.0), ("swapped", -1.0)):
                gain = worth[0] - worth[1] + (0.5 + 0.7 * z[2]) * sign
                first = bool(gain + rng.logistic() > 0)
                for option in (0, 1):
                    rows.append(
                        {
                            "study_id": "s",
                            "model_id": model,
                            "variant": "base",
                            "input_fingerprint": "f",
                            "answer_key": f"{pair:03d}-{rep}-{order}",
                            "group_id": pair,
                            "hotel_id": 2 * pair + option,
                            "option": "AB"[option],
                            "slot_sign": sign if option == 0 else 0.0,
                            **{k: float(v[option]) for k, v in offer.items()},
                            "chosen_as_published": first == (option == 0),
                            "chosen_audited": first == (option == 0),
                        }
                    )
    return pa.Table.from_pylist(rows, schema=INPUT_SCHEMA)


@pytest.fixture(scope="module")
def answers() -> pa.Table:
    return long_answers(1)


@pytest.fixture(scope="module")
def table(answers: pa.Table) -> pa.Table:
    return mixed_logit_table(answers, draws=DRAWS)


def rows_of(table: pa.Table, specification: str = "log") -> dict[str, Row]:
    return {
        row["term"]: row
        for row in table.to_pylist()
        if row["specification"] == specification
    }


def blanked(answers: pa.Table, keys: set[str]) -> pa.Table:
    rows = answers.to_pylist()
    for row in rows:
        if row["answer_key"] in keys:
            row["chosen_audited"] = None
    return pa.Table.from_pylist(rows, schema=INPUT_SCHEMA)


def test_rows_and_their_order(table: pa.Table) -> None:
    assert table.schema == MIXED_LOGIT_SCHEMA
    assert table["specification"].to_pylist() == ["log"] * 11 + ["linear"] * 11
    deviations = ["sd_slot", "sd_review_score", "sd_log_price"]
    assert table["term"].to_pylist()[:11] == [*TERMS, *deviations]
    assert table["term"].to_pylist()[-1] == "sd_price"
    random = [row["term"] for row in rows_of(table).values() if row["random"]]
    assert random == ["slot", "review_score", "log_price", *deviations]


def test_values_are_those_of_the_array_function(
    answers: pa.Table, table: pa.Table
) -> None:
    listed = answers.sort_by([("answer_key", "ascending"), ("option", "ascending")])
    x = np.stack(
        [
            listed[name if name != "slot" else "slot_sign"].to_numpy().reshape(-1, 2)
            for name in TERMS
        ],
        axis=2,
    )
    picked = np.array(listed["chosen_audited"].to_pylist()).reshape(-1, 2)
    groups = listed["group_id"].to_numpy()[::2]
    fit = fit_mixed(
        choice_data(x, picked.argmax(axis=1)),
        prepare_clusters(groups),
        [0, 5, 7],
        draws=DRAWS,
    )
    clusters = prepare_clusters(np.arange(40))
    clustered = np.sqrt(np.diag(cluster_covariance(fit.influence, clusters)))
    rows = list(rows_of(table).values())
    for name, expected in (
        ("estimate", [*fit.estimate, *fit.sd]),
        ("std_error", fit.std_error),
        ("cluster_std_error", clustered),
    ):
        found = [row[name] for row in rows]
        kept = [value is not None for value in found]
        assert kept == [
            name != "cluster_std_error" or row["status"] == "ok" for row in rows
        ]
        np.testing.assert_allclose(
            np.array(found, dtype=float)[kept], np.array(expected)[kept], rtol=1e-9
        )
    first = rows[0]
    assert (first["n"], first["panels"], first["draws"]) == (240, 40, DRAWS)
    assert first["log_likelihood"] == pytest.approx(fit.log_likelihood, rel=1e-12)
    assert first["null_log_likelihood"] == pytest.approx(-240 * np.log(2))
    assert first["log_likelihood"] > first["conditional_log_likelihood"]


def test_intervals_use_clustered_errors(table: pa.Table) -> None:
    for row in table.to_pylist():
        if row["status"] == "weak":
            continue
        half = 1.959963984540054 * row["cluster_std_error"]
        low = row["estimate"] - half
        if row["term"].startswith("sd_"):
            assert row["p_value"] is None
            assert row["estimate"] >= 0
            low = max(low, 0.0)
        else:
            assert 0 <= row["p_value"] <= 1
        assert (row["ci_lo"], row["ci_hi"]) == pytest.approx(
            (low, row["estimate"] + half), rel=1e-12
        )


def test_a_deviation_at_the_boundary_has_no_interval() -> None:
    # tastes for stars don't vary in these answers
    table = mixed_logit_table(long_answers(1), draws=DRAWS, random_terms=("stars",))
    row = rows_of(table)["sd_stars"]
    assert (row["status"], row["fit_status"]) == ("weak", "weak")
    assert row["estimate"] < 1.96 * row["std_error"]
    assert (row["cluster_std_error"], row["ci_lo"], row["ci_hi"]) == (None,) * 3


def test_input_order_changes_nothing(answers: pa.Table, table: pa.Table) -> None:
    moved = np.random.default_rng(0).permutation(answers.num_rows)
    assert mixed_logit_table(answers.take(moved), draws=DRAWS).equals(table)


def test_missing_answers_are_left_out(answers: pa.Table) -> None:
    gone = {"000-0-original", *(f"001-{r}-{o}" for r in range(3) for o in ORDERS)}
    rows = rows_of(mixed_logit_table(blanked(answers, gone), draws=DRAWS))
    assert (rows["slot"]["n"], rows["slot"]["panels"]) == (233, 39)
    assert rows["log_price"]["estimate"] is not None


ORDERS = ("original", "swapped")


def test_few_pairs_lower_the_status_and_keep_the_estimates() -> None:
    # 29 pairs, one below the least
    rows = rows_of(mixed_logit_table(long_answers(2, pairs=29), draws=DRAWS))
    assert {row["status"] for row in rows.values()} == {"too_few"}
    assert rows["slot"]["fit_status"] == "too_few"
    assert rows["slot"]["estimate"] is not None


def test_a_model_without_valid_answers(answers: pa.Table) -> None:
    everything = set(answers["answer_key"].to_pylist())
    table = mixed_logit_table(blanked(answers, everything), draws=DRAWS)
    assert table.num_rows == 22
    for row in table.to_pylist():
        assert (row["status"], row["fit_status"], row["n"]) == (
            "too_few",
            "too_few",
            0,
        )
        for name in ("estimate", "std_error", "ci_hi", "log_likelihood"):
            assert row[name] is None
        assert row["null_log_likelihood"] is None


def test_separated_answers_are_said_to_be() -> None:
    rows = long_answers(3).to_pylist()
    for row in rows:
        # always the first shown
        first = row["answer_key"].endswith("original") == (row["option"] == "A")
        row["chosen_audited"] = first
    table = mixed_logit_table(
        pa.Table.from_pylist(rows, schema=INPUT_SCHEMA), draws=DRAWS
    )
    assert set(table["fit_status"].to_pylist()) == {"separated"}
    assert set(table["estimate"].to_pylist()) == {None}


def test_models_stand_in_order_and_share_nothing(table: pa.Table) -> None:
    both = pa.concat_tables([long_answers(4, model="z/z"), long_answers(1)])
    result = mixed_logit_table(both, draws=DRAWS)
    assert result["model_id"].to_pylist() == ["a/b"] * 22 + ["z/z"] * 22
    assert result.slice(0, 22).equals(table)


def test_statuses_are_of_the_closed_set(table: pa.Table) -> None:
    assert set(table["status"].to_pylist()) <= set(STATUSES)
    assert set(table["fit_status"].to_pylist()) <= {"ok", "weak"}


def test_other_random_terms(answers: pa.Table) -> None:
    rows = rows_of(mixed_logit_table(answers, draws=20, random_terms=("stars",)))
    assert [term for term in rows if term.startswith("sd_")] == [
        "sd_stars",
        "sd_log_price",
    ]
    with pytest.raises(ValueError, match="'area': unknown"):
        mixed_logit_table(answers, random_terms=("area",))


def test_empty_input_gives_an_empty_table() -> None:
    table = mixed_logit_table(INPUT_SCHEMA.empty_table())
    assert (table.schema, table.num_rows) == (MIXED_LOGIT_SCHEMA, 0)
