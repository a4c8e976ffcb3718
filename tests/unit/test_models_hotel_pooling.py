"""The pooling test from fit rows: by hand, and where it can't be made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chi2

from models.hotel_logit import FIT_SCHEMA
from models.hotel_pooling import HOTEL_POOLING_SCHEMA, hotel_pooling_table
from models.hotel_terms import CONTROLS
from models.tables import build_table

Row = dict[str, Any]


def fit_row(
    block: str,
    design: str,
    log_likelihood: float,
    *,
    leads: tuple[str, ...] = (),
    price: float = -1.0,
    error: float = 0.1,
    status: str = "ok",
    n: int = 500,
) -> Row:
    terms = [*leads, *CONTROLS, "log_price"]
    k = len(terms)
    estimate = np.zeros(k)
    estimate[-1] = price
    covariance = np.eye(k) * error**2
    return {
        "study_id": "s",
        "model_id": "m/m",
        "variant": "base",
        "input_fingerprint": "f",
        "block": block,
        "specification": "log",
        "design": design,
        "n": n,
        "clusters": 50,
        "log_likelihood": log_likelihood,
        "null_log_likelihood": -900.0,
        "pseudo_r2": 0.5,
        "aic": 36.0,
        "status": status,
        "iterations": 5,
        "term": terms,
        "estimate": estimate,
        "std_error": np.full(k, error / 2),
        "cluster_std_error": np.full(k, error),
        "twoway_std_error": np.full(k, np.nan),
        "p_value": np.full(k, 0.5),
        "ci_lo": estimate - 1,
        "ci_hi": estimate + 1,
        "term_status": ["ok"] * k,
        "covariance": (covariance / 4).ravel(),
        "cluster_covariance": covariance.ravel(),
        "cluster_id": [],
        "cluster_influence": np.zeros(0),
    }


def published(**change: Any) -> list[Row]:
    return [
        fit_row("binary", "published_without_intercept", -200.0),
        fit_row("ternary", "as_published", -300.0, **change),
        fit_row("pooled", "as_published", -510.0, error=0.08, n=1000),
        # the fit with an intercept is no part of the test
        fit_row("binary", "as_published", -100.0, leads=("intercept",)),
    ]


def judged(rows: list[Row]) -> list[Row]:
    return hotel_pooling_table(build_table(rows, FIT_SCHEMA)).to_pylist()


def test_likelihood_ratio_by_hand() -> None:
    (row,) = judged(published())
    # 2 (-200 - 300 + 510) = 20, seven slopes held equal; chi-square tail .0055705
    assert (row["reading"], row["lr_chi2"], row["lr_df"]) == ("as_published", 20.0, 7)
    assert row["lr_p_value"] == pytest.approx(chi2.sf(20, 7), rel=1e-12)
    assert (row["binary_n"], row["ternary_n"], row["pooled_n"]) == (500, 500, 1000)
    # 0.04 / 0.05, errors of the inverse information
    assert row["std_error_ratio"] == pytest.approx(0.8)
    assert (row["wald_chi2"], row["wald_df"], row["wald_p_value"]) == (None,) * 3
    assert row["status"] == "ok"


def test_clustered_wald_by_hand() -> None:
    rows = [
        fit_row("binary", "audited", -200.0, leads=("slot",), price=-1.0, error=0.3),
        fit_row(
            "ternary",
            "audited",
            -300.0,
            leads=("slot1", "slot2"),
            price=-2.0,
            error=0.4,
        ),
        fit_row("pooled", "audited", -505.0, leads=("slot", "slot1", "slot2")),
    ]
    (row,) = judged(rows)
    # the price slopes differ by 1 with variance 0.09 + 0.16, the others not at all
    assert row["wald_chi2"] == pytest.approx(4.0, rel=1e-12)
    assert row["wald_df"] == 7
    assert row["wald_p_value"] == pytest.approx(chi2.sf(4, 7), rel=1e-12)
    # 8 + 9 terms against 10
    assert (row["lr_chi2"], row["lr_df"]) == (10.0, 7)
    assert row["binary_std_error"] == 0.3


def unidentified(row: Row, *terms: str) -> Row:
    """Return a fit whose tasks never vary in some terms."""
    k = len(row["term"])
    gone = np.isin(row["term"], terms)
    estimate = np.where(gone, np.nan, row["estimate"])
    covariance = row["cluster_covariance"].reshape(k, k).copy()
    covariance[gone] = covariance[:, gone] = np.nan
    return row | {"estimate": estimate, "cluster_covariance": covariance.ravel()}


def audited(*missing: str, missing_in_pairs: tuple[str, ...] = ()) -> list[Row]:
    pairs = fit_row("binary", "audited", -200.0, leads=("slot",), error=0.3)
    triples = fit_row(
        "ternary", "audited", -300.0, leads=("slot1", "slot2"), price=-2.0, error=0.4
    )
    pooled = fit_row("pooled", "audited", -505.0, leads=("slot", "slot1", "slot2"))
    return [
        unidentified(pairs, *missing, *missing_in_pairs),
        unidentified(triples, *missing),
        unidentified(pooled, *missing),
    ]


@pytest.mark.parametrize("how", [{}, {"missing_in_pairs": ("review_score",)}])
def test_a_slope_that_never_varies_is_left_out(how: dict[str, Any]) -> None:
    (row,) = judged(audited(*([] if how else ["review_score"]), **how))
    # six slopes are left to compare; those of price differ by 1, variance 0.09 + 0.16
    assert (row["lr_df"], row["wald_df"]) == (6, 6)
    assert row["wald_chi2"] == pytest.approx(4.0, rel=1e-12)
    assert row["wald_p_value"] == pytest.approx(chi2.sf(4, 6), rel=1e-12)
    assert row["status"] == "ok"


def test_options_that_differ_in_nothing_but_their_slots_are_not_tested() -> None:
    (row,) = judged(audited(*CONTROLS, "log_price"))
    # slots alone: 1 + 2 terms apart, 3 pooled, so nothing is held equal
    assert [row[name] for name in ("lr_chi2", "lr_df", "wald_chi2")] == [None] * 3
    assert row["status"] == "no_variation"


def test_a_slope_without_spread_is_no_certainty() -> None:
    rows = audited()
    for row in rows:
        k = len(row["term"])
        spread = row["cluster_covariance"].reshape(k, k).copy()
        # as where one pair alone carries the term: its errors add up to 0
        spread[-2] = spread[:, -2] = 0.0
        row["cluster_covariance"] = spread.ravel()
    (row,) = judged(rows)
    assert (row["wald_chi2"], row["wald_p_value"], row["status"]) == (
        None,
        None,
        "weak",
    )
    assert row["lr_chi2"] == 10.0


def test_model_without_triples_is_not_tested() -> None:
    rows = [row for row in published() if row["block"] != "ternary"]
    (row,) = judged(rows)
    assert (row["ternary_n"], row["ternary_log_price"]) == (0, None)
    assert (row["lr_chi2"], row["lr_p_value"], row["status"]) == (None, None, "too_few")
    assert row["binary_log_price"] == -1.0


@pytest.mark.parametrize("label", ["too_few", "separated"])
def test_fit_that_is_not_ok_is_not_tested(label: str) -> None:
    (row,) = judged(published(status=label))
    assert (row["lr_chi2"], row["status"]) == (None, label)


def test_other_fits_and_no_fits() -> None:
    assert hotel_pooling_table(FIT_SCHEMA.empty_table()).equals(
        HOTEL_POOLING_SCHEMA.empty_table()
    )
    other = [row | {"variant": "json"} for row in published()]
    assert judged(other) == []
    table = build_table(published(), FIT_SCHEMA)
    assert hotel_pooling_table(table).schema == HOTEL_POOLING_SCHEMA
    backwards = table.take(pa.array(range(len(table) - 1, -1, -1)))
    assert hotel_pooling_table(backwards).equals(hotel_pooling_table(table))
