"""Discounts, bumps and thresholds by hand, and where a curve says nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.price_curve import (
    DECILE_TERMS,
    combine,
    decile_weights,
    find_bump,
    find_threshold,
)
from models.price_lever import (
    BIN_INPUT,
    FIT_INPUT,
    LEVER_SCHEMA,
    SHAPE_SCHEMA,
    price_lever_table,
    price_shape_table,
)

Z = 1.959963984540054
MEDIANS = np.array([114, 162, 196, 224, 251, 281, 317.5, 369, 490, 920.5])
EDGES = [141, 180, 210, 237, 265, 297.4, 340, 410, 641.1, 1624]
OK = ["ok"] * 9
CURVE = np.array([0.6, 0.5, 0.1, -0.1, -0.2, -0.9, -1.0, -1.2, -1.5])
ERRORS = np.diag(np.full(9, 0.01))


def test_combination_by_hand() -> None:
    covariance = np.array([[0.04, 0.01], [0.01, 0.09]])
    found = combine(np.array([1.0, -2.0]), np.array([3.0, 1.0]), covariance, OK[:2])
    # 3 - 2; .04 - 4 x .01 + 4 x .09 = .36
    assert (found.value, found.std_error) == (1.0, pytest.approx(0.6))
    assert found.interval.lo == pytest.approx(1 - Z * 0.6)
    assert found.status == "weak"
    nothing = combine(np.zeros(2), np.array([np.nan, 1.0]), covariance, OK[:2])
    assert nothing.status == "no_variation"
    assert np.isnan([nothing.value, nothing.std_error]).all()
    # what has no weight does not matter
    one = combine(
        np.array([0.0, 1.0]), np.array([np.nan, 1.0]), covariance, ["separated", "ok"]
    )
    assert (one.value, one.std_error, one.status) == (1.0, pytest.approx(0.3), "ok")


def test_bump_and_threshold_by_hand() -> None:
    bump = find_bump(CURVE, ERRORS, OK)
    assert (bump.decile, bump.height.value) == (2, 0.6)
    assert bump.height.std_error == pytest.approx(0.1)
    assert bump.height.status == "ok"
    threshold = find_threshold(CURVE, ERRORS, OK)
    assert threshold is not None
    # from decile 6 (-.2) to decile 7 (-.9): errors .1 and .1 without covariance
    assert threshold.after == 6
    assert threshold.drop.value == pytest.approx(0.7)
    assert threshold.drop.std_error == pytest.approx(np.sqrt(0.02))


def test_curve_that_only_falls_has_no_bump() -> None:
    falling = -np.arange(1.0, 10.0) / 8
    bump = find_bump(falling, ERRORS, OK)
    assert (bump.decile, bump.height.value) == (None, -0.125)
    # 1.96 errors of .1 reach above 0
    assert bump.height.status == "weak"
    threshold = find_threshold(falling, ERRORS, OK)
    # the first of equal drops is the one from decile 1, whose coefficient is 0
    assert threshold is not None
    assert (threshold.after, threshold.drop.value) == (1, 0.125)
    assert threshold.drop.std_error == pytest.approx(0.1)


def test_missing_coefficient_leaves_bump_and_threshold_undefined() -> None:
    curve, labels = CURVE.copy(), OK.copy()
    curve[1], labels[1] = np.nan, "separated"
    bump = find_bump(curve, ERRORS, labels)
    assert bump.decile is None
    assert np.isnan(bump.height.value)
    assert bump.height.status == "separated"
    assert find_threshold(curve, ERRORS, labels) is None


def test_weights_run_straight_in_the_log_of_the_price() -> None:
    for decile in range(2, 11):
        weights = decile_weights(MEDIANS[decile - 1], MEDIANS)
        np.testing.assert_allclose(weights, np.eye(9)[decile - 2], atol=1e-12)
    # half way, in logs, between deciles 4 and 5
    middle = decile_weights(np.sqrt(224 * 251), MEDIANS)
    np.testing.assert_allclose(middle, (np.eye(9)[2] + np.eye(9)[3]) / 2, atol=1e-12)
    # level below decile 1 and above decile 10
    assert not decile_weights(50.0, MEDIANS).any()
    np.testing.assert_array_equal(decile_weights(2000.0, MEDIANS), np.eye(9)[8])


def fit_row(
    specification: str, names: list[str], estimate: Any, variances: Any, **changes: Any
) -> dict[str, Any]:
    matrix = np.diag(np.array(variances, dtype=float))
    return {
        "study_id": "s",
        "model_id": "m",
        "variant": "base",
        "block": "pooled",
        "specification": specification,
        "design": "audited",
        "input_fingerprint": "f",
        "term": names,
        "estimate": list(estimate),
        "term_status": ["ok"] * len(names),
        "covariance": (matrix * 100).ravel().tolist(),
        "cluster_covariance": matrix.ravel().tolist(),
    } | changes


LOG = fit_row("log", ["slot", "log_price"], [0.3, -2.0], [1.0, 0.04])
LINEAR = fit_row("linear", ["slot", "price"], [0.3, -0.01], [1.0, 4e-6])
DECILE = fit_row(
    "decile", ["slot", *DECILE_TERMS], [0.3, *CURVE], [1.0, *np.full(9, 0.01)]
)
BINS = {
    "study_id": ["s"] * 10,
    "block": ["pooled"] * 10,
    "decile": list(range(1, 11)),
    "upper_usd": EDGES,
    "median_usd": MEDIANS,
}


def levers(*rows: dict[str, Any]) -> dict[tuple[str, str, float], dict[str, Any]]:
    table = price_lever_table(pa.Table.from_pylist(list(rows), FIT_INPUT), BINS)
    return {
        (row["specification"], row["lever"], row["price_usd"]): row
        for row in table.to_pylist()
    }


def test_discounts_by_hand() -> None:
    found = levers(LOG, LINEAR, DECILE)
    assert len(found) == 3 * 2 * 3
    # log: -2 ln .9 at every price
    for price in (100, 250, 800):
        row = found["log", "minus_10_pct", price]
        assert row["utility_change"] == pytest.approx(-2 * np.log(0.9))
        assert row["share_change"] == pytest.approx(1 / (1 + 0.9**2) - 0.5)
        assert row["discounted_usd"] == pytest.approx(0.9 * price)
    # linear: 20 dollars are .2 in utility everywhere, with an error of 20 x .002
    row = found["linear", "minus_20_usd", 800]
    assert row["utility_change"] == pytest.approx(0.2)
    assert row["utility_change_std_error"] == pytest.approx(0.04)
    assert row["share_change"] == pytest.approx(1 / (1 + np.exp(-0.2)) - 0.5)
    assert row["ci_lo"] == pytest.approx(1 / (1 + np.exp(-(0.2 - Z * 0.04))) - 0.5)
    assert row["status"] == "ok"


def test_discount_along_the_decile_curve() -> None:
    found = levers(DECILE)
    row = found["decile", "minus_20_usd", 250]
    # between the medians 224 (.1) and 251 (-.1) at 250 and at 230
    share = [np.log(p / 224) / np.log(251 / 224) for p in (250, 230)]
    assert row["utility_change"] == pytest.approx((share[0] - share[1]) * 0.2)
    # below the first median the curve says nothing, not that nothing changes
    below = found["decile", "minus_20_usd", 100]
    assert {below[name] for name in ("utility_change", "share_change", "ci_lo")} == {
        None
    }
    assert below["status"] == "no_variation"


def test_published_design_takes_the_plain_covariance() -> None:
    plain = levers(LINEAR | {"design": "as_published"})
    row = plain["linear", "minus_20_usd", 800]
    assert row["utility_change_std_error"] == pytest.approx(0.4)
    assert row["status"] == "weak"


def test_missing_price_is_null_with_its_status() -> None:
    gone = LOG | {"estimate": [0.3, None], "term_status": ["ok", "separated"]}
    row = levers(gone)["log", "minus_10_pct", 250.0]
    assert (row["share_change"], row["ci_hi"], row["status"]) == (
        None,
        None,
        "separated",
    )


def test_other_specifications_are_skipped() -> None:
    assert levers(LOG | {"specification": "brand"}) == {}


def test_shape_of_a_decile_curve() -> None:
    table = price_shape_table(pa.Table.from_pylist([LOG, DECILE], FIT_INPUT), BINS)
    (row,) = table.to_pylist()
    assert (row["bump_decile"], row["bump"], row["bump_status"]) == (2, 0.6, "ok")
    # the edge between deciles 6 and 7
    assert (row["threshold_usd"], row["drop_status"]) == (297.4, "ok")
    assert row["drop"] == pytest.approx(0.7)
    gone = DECILE | {
        "estimate": [0.3, None, *CURVE[1:]],
        "term_status": ["ok", "failed", *OK[1:]],
    }
    (row,) = price_shape_table(
        pa.Table.from_pylist([gone], FIT_INPUT), BINS
    ).to_pylist()
    for name in ("bump_decile", "bump", "threshold_usd", "drop"):
        assert row[name] is None
    assert (row["bump_status"], row["drop_status"]) == ("failed", "failed")


@pytest.mark.parametrize("median", [None, MEDIANS[3]])
def test_a_bank_with_too_few_prices_has_no_curve(median: float | None) -> None:
    few = {**BINS, "median_usd": [*MEDIANS[:4], median, *MEDIANS[5:]]}
    fits = pa.Table.from_pylist([DECILE, LOG], FIT_INPUT)
    rows = price_lever_table(fits, few).to_pylist()
    for row in rows:
        parts = row["share_change"], row["ci_lo"], row["utility_change"]
        if row["specification"] == "decile":
            assert (*parts, row["status"]) == (None, None, None, "too_few")
        else:
            assert row["status"] == "ok"
            assert None not in parts
    (shape,) = price_shape_table(fits, few).to_pylist()
    assert (shape["bump"], shape["bump_decile"], shape["bump_status"]) == (
        None,
        None,
        "too_few",
    )
    assert (shape["threshold_usd"], shape["drop"], shape["drop_status"]) == (
        None,
        None,
        "too_few",
    )


def test_refusals() -> None:
    fits = pa.Table.from_pylist([DECILE], FIT_INPUT)
    other = {**BINS, "block": ["ternary"] * 10}
    with pytest.raises(ValueError, match="none for study and block"):
        price_lever_table(fits, other)
    with pytest.raises(ValueError, match="needs deciles 1 to 10, each once"):
        price_lever_table(fits, {**BINS, "decile": list(range(10))})
    bare = pa.Table.from_pylist([LOG | {"term": ["slot", "price"]}], FIT_INPUT)
    with pytest.raises(ValueError, match="log audited has no term 'log_price'"):
        price_lever_table(bare, BINS)


def test_empty_input_gives_empty_tables() -> None:
    for function, schema in (
        (price_lever_table, LEVER_SCHEMA),
        (price_shape_table, SHAPE_SCHEMA),
    ):
        table = function(FIT_INPUT.empty_table(), BIN_INPUT.empty_table())
        assert (table.schema, table.num_rows) == (schema, 0)
