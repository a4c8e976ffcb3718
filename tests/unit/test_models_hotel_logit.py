"""The table of two-option fits: contract, statuses, thresholds, row order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.choice_data import choice_data
from models.clusters import prepare_clusters
from models.conditional_logit import fit
from models.covariance import cluster_covariance
from models.hotel_choices import INPUT_SCHEMA
from models.hotel_logit import FIT_SCHEMA, fit_table
from models.hotel_terms import CONTROLS
from models.status import STATUSES

TASTES = {
    "stars": 0.5,
    "bed_rank": 0.2,
    "cancel": 0.8,
    "breakfast": 0.7,
    "review_score": 1.2,
    "review_count_100": 0.01,
    "log_price": -1.5,
}
LISTS = [field.name for field in FIT_SCHEMA if pa.types.is_list(field.type)]
Table = dict[str, Any]


def shopper(
    seed: int,
    pairs: int = 40,
    reps: int = 2,
    *,
    slot: float = 0.8,
    model: str = "a/b",
    hotels: int = 179,
) -> Table:
    """Answers of one shopper to every task in both orders, as columns."""
    rng = np.random.default_rng(seed)
    tasks = pairs * reps
    group = np.repeat(np.arange(pairs), reps)
    shown = np.array([rng.choice(hotels, 2, replace=False) for _ in range(pairs)])[
        group
    ]
    price = np.round(rng.uniform(60, 600, (tasks, 2)))
    offer = {
        "stars": rng.integers(1, 6, (tasks, 2)).astype(float),
        "bed_rank": rng.integers(0, 4, (tasks, 2)).astype(float),
        "cancel": rng.integers(0, 2, (tasks, 2)).astype(float),
        "breakfast": rng.integers(0, 2, (tasks, 2)).astype(float),
        "review_score": np.round(rng.uniform(6, 10, (tasks, 2)), 1),
        "review_count_100": rng.integers(1, 4000, (tasks, 2)) / 100,
        "log_price": np.log(price),
        "price_usd": price,
    }
    value = sum(TASTES[name] * offer[name] for name in TASTES)
    parts = []
    for order, sign in (("original", 1.0), ("swapped", -1.0)):
        gain = value[:, 0] - value[:, 1] + slot * sign + rng.logistic(size=tasks)
        for option in (0, 1):
            picked = (gain > 0) == (option == 0)
            parts.append(
                {
                    "study_id": ["s"] * tasks,
                    "model_id": [model] * tasks,
                    "variant": ["base"] * tasks,
                    "input_fingerprint": ["f"] * tasks,
                    "answer_key": [f"{order}:{task:04d}" for task in range(tasks)],
                    "group_id": group,
                    "hotel_id": shown[:, option],
                    "option": ["AB"[option]] * tasks,
                    "slot_sign": np.full(tasks, sign if option == 0 else 0.0),
                    **{name: column[:, option] for name, column in offer.items()},
                    "chosen_as_published": picked.astype(object),
                    "chosen_audited": picked.astype(object),
                }
            )
    return joined(parts)


def joined(parts: list[Table]) -> Table:
    return {
        name: np.concatenate([np.asarray(part[name]) for part in parts])
        for name in parts[0]
    }


def rows_by_key(table: pa.Table) -> dict[tuple[str, str], Table]:
    return {(row["specification"], row["design"]): row for row in table.to_pylist()}


@pytest.fixture(scope="module")
def answers() -> Table:
    return shopper(1)


@pytest.fixture(scope="module")
def fits(answers: Table) -> dict[tuple[str, str], Table]:
    return rows_by_key(fit_table(answers))


def test_every_model_gives_two_forms_in_three_designs(
    fits: dict[tuple[str, str], Table],
) -> None:
    assert set(fits) == {
        (form, design)
        for form in ("log", "linear")
        for design in ("as_published", "audited", "published_on_audited")
    }
    for (form, design), row in fits.items():
        lead = "slot" if design == "audited" else "intercept"
        price = "log_price" if form == "log" else "price"
        assert row["term"] == [lead, *CONTROLS, price]
        assert (row["n"], row["clusters"], row["block"]) == (160, 40, "binary")
        assert row["status"] == "ok"
        for name in set(LISTS) - {"cluster_id", "cluster_influence"}:
            size = 64 if name.endswith("covariance") else 8
            assert len(row[name]) == size


def test_schema_is_the_declared_one_also_when_empty(answers: Table) -> None:
    assert fit_table(answers).schema == FIT_SCHEMA
    empty = fit_table(INPUT_SCHEMA.empty_table())
    assert (empty.schema, empty.num_rows) == (FIT_SCHEMA, 0)


def test_columns_follow_from_the_core(
    answers: Table, fits: dict[tuple[str, str], Table]
) -> None:
    # the audited log form again, put together by position from the same columns
    is_a = np.array(answers["option"]) == "A"
    names = ["slot_sign", *CONTROLS, "log_price"]
    columns = np.column_stack([np.asarray(answers[name], float) for name in names])
    x = np.stack([columns[is_a], columns[~is_a]], axis=1)
    chosen = 1 - np.asarray(answers["chosen_audited"], dtype=int)[is_a]
    core = fit(choice_data(x, chosen))
    clusters = prepare_clusters(np.asarray(answers["group_id"])[is_a])
    clustered = cluster_covariance(core.influence, clusters)
    row = fits["log", "audited"]
    np.testing.assert_allclose(row["estimate"], core.estimate, rtol=1e-12)
    np.testing.assert_allclose(row["std_error"], core.std_error, rtol=1e-12)
    np.testing.assert_allclose(
        row["cluster_std_error"], np.sqrt(np.diagonal(clustered)), rtol=1e-10
    )
    np.testing.assert_allclose(
        row["cluster_covariance"], clustered.ravel(), rtol=1e-8, atol=1e-14
    )
    assert row["log_likelihood"] == pytest.approx(core.log_likelihood, rel=1e-13)
    # no covariates at all: 160 answers at ln(1/2)
    assert row["null_log_likelihood"] == pytest.approx(-160 * np.log(2), rel=1e-14)


def test_published_design_is_a_logit_with_intercept(
    answers: Table, fits: dict[tuple[str, str], Table]
) -> None:
    from statsmodels.discrete.discrete_model import Logit

    is_a = np.array(answers["option"]) == "A"
    columns = [np.asarray(answers[name], float) for name in (*CONTROLS, "price_usd")]
    apart = np.column_stack([column[is_a] - column[~is_a] for column in columns])
    picks = np.asarray(answers["chosen_as_published"], dtype=int)[is_a]
    other = Logit(picks, np.column_stack([np.ones(len(apart)), apart])).fit(
        disp=0, tol=1e-14
    )
    row = fits["linear", "as_published"]
    np.testing.assert_allclose(row["estimate"], other.params, rtol=1e-9)
    np.testing.assert_allclose(row["std_error"], other.bse, rtol=1e-9)
    np.testing.assert_allclose(row["p_value"], other.pvalues, rtol=1e-7)
    np.testing.assert_allclose(
        np.column_stack([row["ci_lo"], row["ci_hi"]]), other.conf_int(), rtol=1e-7
    )
    assert row["aic"] == pytest.approx(other.aic, rel=1e-12)
    assert row["pseudo_r2"] == pytest.approx(other.prsquared, rel=1e-8)


def test_p_values_and_intervals_use_the_errors_of_the_reading(
    fits: dict[tuple[str, str], Table],
) -> None:
    for (_, design), row in fits.items():
        column = "cluster_std_error" if design == "audited" else "std_error"
        half = np.array(row["ci_hi"]) - np.array(row["estimate"])
        np.testing.assert_allclose(half, 1.959963984540054 * np.array(row[column]))


def test_published_terms_on_audited_answers_leave_out_what_the_audit_does(
    answers: Table,
) -> None:
    fewer = {name: np.array(column) for name, column in answers.items()}
    dropped = np.array([key.endswith("3") for key in fewer["answer_key"]])
    fewer["chosen_audited"][dropped] = None
    rows = rows_by_key(fit_table(fewer))
    kept = {name: column[~dropped] for name, column in fewer.items()}
    alone = rows_by_key(fit_table(kept))
    assert rows["log", "as_published"]["n"] == 160
    assert rows["log", "audited"]["n"] == int((~dropped).sum()) // 2
    for design in ("audited", "published_on_audited"):
        assert rows["log", design] == alone["log", design]


@pytest.mark.parametrize("seed", range(3))
def test_row_order_changes_no_bit(seed: int) -> None:
    table = joined([shopper(seed, model=f"m/{name}") for name in "ab"])
    moved = np.random.default_rng(seed).permutation(len(table["option"]))
    shuffled = {name: column[moved] for name, column in table.items()}
    assert fit_table(table).equals(fit_table(shuffled))


def test_other_models_change_nothing(answers: Table) -> None:
    both = fit_table(joined([answers, shopper(2, model="z/z")]))
    assert both.slice(0, 6).equals(fit_table(answers))


def test_arrow_and_arrays_give_the_same(answers: Table) -> None:
    table = pa.table({name: pa.array(column) for name, column in answers.items()})
    assert fit_table(table).equals(fit_table(answers))


def test_tastes_of_a_shopper_are_found() -> None:
    row = rows_by_key(fit_table(shopper(3, pairs=400)))["log", "audited"]
    truth = [0.8, *(TASTES[name] for name in (*CONTROLS, "log_price"))]
    # 1,600 answers and no taste varies by pair: within 3.5 errors of the truth
    z = (np.array(row["estimate"]) - truth) / np.array(row["cluster_std_error"])
    assert np.abs(z).max() < 3.5


def test_below_thirty_pairs_audited_is_too_few_but_shown() -> None:
    for pairs, expected in ((29, "too_few"), (30, "ok")):
        rows = rows_by_key(fit_table(shopper(4, pairs=pairs, reps=4)))
        audited, published = rows["log", "audited"], rows["log", "as_published"]
        assert audited["status"] == expected
        assert set(audited["term_status"]) == {expected}
        assert None not in audited["estimate"]
        assert published["status"] == "ok"


def test_term_that_varies_in_few_pairs_is_weak() -> None:
    table = shopper(5, pairs=60, reps=4)
    for carrying, expected in ((9, "weak"), (10, "ok")):
        changed = dict(table)
        changed["breakfast"] = np.where(
            np.asarray(table["group_id"]) < carrying, table["breakfast"], 0.0
        )
        row = rows_by_key(fit_table(changed))["log", "audited"]
        place = row["term"].index("breakfast")
        statuses = dict(zip(row["term"], row["term_status"], strict=True))
        assert statuses.pop("breakfast") == expected
        assert set(statuses.values()) == {"ok"}
        assert row["status"] == "ok"
        assert row["estimate"][place] is not None


def test_the_same_answer_in_both_orders_is_no_test_of_slots() -> None:
    # whichever hotel is chosen is chosen from both slots: in every pair the slot's
    # errors cancel, and rounding over rounding would be a p-value
    answers = shopper(1)
    half = len(answers["option"]) // 2
    for reading in ("chosen_as_published", "chosen_audited"):
        answers[reading][half:] = answers[reading][:half]
    row = rows_by_key(fit_table(answers))["log", "audited"]
    terms = {
        name: dict(zip(row["term"], row[name], strict=True))
        for name in LISTS
        if len(row[name]) == len(row["term"])
    }
    assert terms["estimate"]["slot"] == pytest.approx(0, abs=1e-12)
    assert terms["cluster_std_error"]["slot"] == 0.0
    for name in ("twoway_std_error", "p_value", "ci_lo", "ci_hi"):
        assert terms[name]["slot"] is None
    assert terms["term_status"]["slot"] == "weak"
    # the tastes have their errors all the same
    assert terms["term_status"]["log_price"] == "ok"
    assert terms["p_value"]["log_price"] < 0.05


def test_two_way_matrix_that_is_not_positive_is_null_and_weak() -> None:
    # pairs drawn from few hotels depend on each other so much that the sum over pairs
    # that share a hotel leaves no positive matrix
    row = rows_by_key(fit_table(shopper(5, pairs=60, reps=4, hotels=12)))
    audited, published = row["log", "audited"], row["log", "as_published"]
    assert set(audited["twoway_std_error"]) == {None}
    assert set(audited["term_status"]) == {"weak"}
    assert audited["status"] == "ok"
    assert None not in audited["cluster_std_error"]
    # the published reading knows no such rule
    assert set(published["term_status"]) == {"ok"}


def test_term_without_variation_is_null_and_the_rest_is_fitted(
    answers: Table,
) -> None:
    changed = dict(answers)
    changed["cancel"] = np.ones(len(answers["option"]))
    rows = rows_by_key(fit_table(changed))
    for row in rows.values():
        place = row["term"].index("cancel")
        assert row["term_status"][place] == "no_variation"
        for name in ("estimate", "std_error", "p_value", "ci_lo", "cluster_std_error"):
            assert row[name][place] is None
            assert sum(value is None for value in row[name]) == 1
        assert row["status"] == "ok"
        # seven terms are left
        assert row["aic"] == pytest.approx(14 - 2 * row["log_likelihood"], rel=1e-12)


def test_model_that_always_takes_the_first_card() -> None:
    table = shopper(6, slot=1e6)
    rows = rows_by_key(fit_table(table))
    # the slot term explains every choice, so no taste can be told
    audited = rows["log", "audited"]
    assert audited["status"] == "separated"
    assert set(audited["term_status"]) == {"separated"}
    assert audited["log_likelihood"] == 0.0
    assert (audited["pseudo_r2"], audited["aic"]) == (None, None)
    for name in ("estimate", "std_error", "cluster_std_error", "p_value", "ci_hi"):
        assert set(audited[name]) == {None}
    assert set(audited["cluster_covariance"]) == {None}
    # without a slot term the two orders cancel: finite, and all but nothing
    published = rows["log", "as_published"]
    assert published["status"] == "ok"
    np.testing.assert_allclose(published["estimate"], 0, atol=1e-12)


def test_always_option_a_has_no_published_fit(answers: Table) -> None:
    changed = dict(answers)
    always = np.array(answers["option"]) == "A"
    changed["chosen_as_published"] = always.astype(object)
    row = rows_by_key(fit_table(changed))["log", "as_published"]
    assert row["status"] == "separated"
    assert set(row["estimate"]) == {None}
    # the null model is certain as well
    assert (row["null_log_likelihood"], row["pseudo_r2"]) == (0.0, None)


def test_no_answer_in_a_reading_gives_a_row_that_says_so(answers: Table) -> None:
    changed = dict(answers)
    changed["chosen_audited"] = np.full(len(answers["option"]), None)
    rows = rows_by_key(fit_table(changed))
    for design in ("audited", "published_on_audited"):
        row = rows["log", design]
        assert (row["n"], row["clusters"], row["status"]) == (0, 0, "too_few")
        assert set(row["estimate"]) == {None}
        assert (row["log_likelihood"], row["null_log_likelihood"]) == (None, None)
        assert set(row["term_status"]) == {"too_few"}
    assert rows["log", "as_published"]["status"] == "ok"


def test_one_pair_has_no_clustered_error() -> None:
    row = rows_by_key(fit_table(shopper(7, pairs=1, reps=200)))["log", "audited"]
    assert (row["clusters"], row["status"]) == (1, "too_few")
    assert set(row["cluster_std_error"]) == {None}
    assert set(row["twoway_std_error"]) == {None}
    assert set(row["p_value"]) == {None}
    assert None not in row["std_error"]


def test_nothing_undefined_is_a_number_and_statuses_are_known() -> None:
    tables = [
        shopper(8, pairs=2, reps=1),
        shopper(9, slot=1e6),
        shopper(10, pairs=3, reps=3),
    ]
    for table in tables:
        for row in fit_table(table).to_pylist():
            assert row["status"] in STATUSES
            for name in LISTS:
                numbers = [v for v in row[name] if isinstance(v, float)]
                assert np.isfinite(numbers).all()
            for estimate, error, label in zip(
                row["estimate"], row["std_error"], row["term_status"], strict=True
            ):
                assert label in STATUSES
                undefined = label in ("separated", "no_variation", "failed")
                assert (estimate is None) == (error is None) == undefined
