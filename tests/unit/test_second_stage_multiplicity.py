"""Adjusted p-values, likelihood ratios and Wilson intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.multiplicity import (
    MULTIPLICITY_INPUT,
    MULTIPLICITY_SCHEMA,
    SUMMARY_SCHEMA,
    adjust,
    multiplicity_summary_table,
    multiplicity_table,
)
from models.pooling import (
    POOLING_INPUT,
    POOLING_SCHEMA,
    likelihood_ratio,
    pooling_table,
)
from models.proportion import SHARE_INPUT, SHARE_SCHEMA, share_table, wilson_interval


def test_adjustments_by_hand() -> None:
    found = adjust([0.04, 0.01, np.nan, 0.03, 0.02])
    # four tests; Bonferroni: times 4
    np.testing.assert_allclose(found.bonferroni, [0.16, 0.04, np.nan, 0.12, 0.08])
    # Holm: .01 x 4, .02 x 3, .03 x 2, .04 x 1, then the running largest: .06 twice more
    np.testing.assert_allclose(found.holm, [0.06, 0.04, np.nan, 0.06, 0.06])
    # Benjamini-Hochberg: .01 x 4/1, .02 x 4/2, .03 x 4/3, .04 x 4/4, all .04
    np.testing.assert_allclose(found.bh, [0.04, 0.04, np.nan, 0.04, 0.04])


def test_adjusting_nothing_gives_nothing() -> None:
    assert len(adjust([]).holm) == 0
    assert np.isnan(adjust([np.nan]).bh).all()
    with pytest.raises(ValueError, match=r"1\.5 is not between 0 and 1"):
        adjust([0.5, 1.5])


def family_of(*p_values: float | None, study: str = "s") -> list[dict[str, Any]]:
    return [
        {
            "study_id": study,
            "reading": "audited",
            "model_id": f"m{place}",
            "specification": "log",
            "term": "log_price",
            "p_value": p,
            "claimed": place == 0,
        }
        for place, p in enumerate(p_values)
    ]


def columns_of(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in MULTIPLICITY_INPUT.names}


def test_families_are_apart_and_a_missing_test_is_no_member() -> None:
    rows = family_of(0.03, 0.04, None) + family_of(0.03, study="t")
    table = multiplicity_table(columns_of(rows))
    found = table.to_pylist()
    assert [row["family_tests"] for row in found] == [2, 2, 2, 1]
    assert [row["p_bonferroni"] for row in found] == pytest.approx(
        [0.06, 0.08, None, 0.03]
    )
    assert [row["significant_bonferroni"] for row in found] == [
        False,
        False,
        None,
        True,
    ]
    summary = multiplicity_summary_table(table).to_pylist()
    raw = summary[0]
    assert (raw["study_id"], raw["method"]) == ("s", "raw")
    assert (raw["tests"], raw["tests_not_made"], raw["rejections"]) == (2, 1, 2)
    assert (raw["claimed_tests"], raw["claimed_largest_p"]) == (1, 0.03)
    assert [row["rejections"] for row in summary[1:4]] == [0, 0, 2]


def test_likelihood_ratio_by_hand() -> None:
    # two degrees of freedom: the tail is exp(-x / 2)
    test = likelihood_ratio(-105.0, -100.0, 2)
    assert test.chi2 == 10
    assert test.p_value == pytest.approx(np.exp(-5), rel=1e-13)
    # a search that stopped early leaves a shortfall, not a negative statistic
    assert likelihood_ratio(-100.0, -100.001, 2)[::2] == (0.0, 1.0)
    assert np.isnan(likelihood_ratio(np.nan, -100.0, 2).p_value)
    with pytest.raises(ValueError, match="is worse than restricted"):
        likelihood_ratio(-100.0, -101.0, 2)
    with pytest.raises(ValueError, match="at least one restriction"):
        likelihood_ratio(-100.0, -99.0, 0)


def pooled(**changes: Any) -> dict[str, list[Any]]:
    row = {
        "study_id": "s",
        "model_id": "m",
        "reading": "audited",
        "binary_log_likelihood": -40.0,
        "ternary_log_likelihood": -60.0,
        "pooled_log_likelihood": -105.0,
        "binary_terms": 4,
        "ternary_terms": 5,
        "pooled_terms": 7,
        "binary_price_std_error": 0.2,
        "pooled_price_std_error": 0.1,
        "status": "ok",
    } | changes
    return {name: [value] for name, value in row.items()}


def test_pooling_counts_the_terms_that_were_fitted() -> None:
    (row,) = pooling_table(pooled()).to_pylist()
    assert (row["lr_chi2"], row["lr_df"], row["std_error_ratio"]) == (10, 2, 0.5)
    assert row["p_value"] == pytest.approx(np.exp(-5), rel=1e-13)
    assert row["status"] == "ok"


def test_pooling_without_one_format() -> None:
    (row,) = pooling_table(
        pooled(ternary_log_likelihood=None, ternary_terms=None)
    ).to_pylist()
    assert (row["lr_chi2"], row["lr_df"], row["p_value"]) == (None, None, None)
    assert (row["std_error_ratio"], row["status"]) == (0.5, "too_few")
    (row,) = pooling_table(
        pooled(binary_price_std_error=None, status="separated")
    ).to_pylist()
    assert (row["std_error_ratio"], row["status"]) == (None, "separated")


def test_wilson_interval_by_hand() -> None:
    # 5 of 10: centre 1/2, half width z / (2 sqrt(n + z^2))
    z = 1.959963984540054
    lo, hi = wilson_interval(5, 10)
    assert (lo + hi) / 2 == pytest.approx(0.5, rel=1e-14)
    assert hi - lo == pytest.approx(z / np.sqrt(10 + z * z), rel=1e-12)
    # 0 of n: from 0 to z^2 / (n + z^2)
    lo, hi = wilson_interval(0, 10)
    assert lo == pytest.approx(0, abs=1e-15)
    assert hi == pytest.approx(z * z / (10 + z * z), rel=1e-12)
    assert np.isnan(wilson_interval(0, 0)).all()
    with pytest.raises(ValueError, match="count 3 is not between 0 and n = 2"):
        wilson_interval(3, 2)


def test_shares_without_answers_are_null() -> None:
    rows = share_table(
        {
            "study_id": ["s", "s"],
            "reading": ["audited", "audited"],
            "model_id": ["a", "b"],
            "variant": ["base", "base"],
            "statistic": ["first_shown", "first_shown"],
            "count": [1, 0],
            "n": [4, 0],
        }
    ).to_pylist()
    assert (rows[0]["share"], rows[0]["status"]) == (0.25, "ok")
    assert (rows[1]["share"], rows[1]["ci_lo"], rows[1]["status"]) == (
        None,
        None,
        "too_few",
    )


def test_empty_inputs_give_empty_tables() -> None:
    for schema, out, function in (
        (MULTIPLICITY_INPUT, MULTIPLICITY_SCHEMA, multiplicity_table),
        (MULTIPLICITY_SCHEMA, SUMMARY_SCHEMA, multiplicity_summary_table),
        (POOLING_INPUT, POOLING_SCHEMA, pooling_table),
        (SHARE_INPUT, SHARE_SCHEMA, share_table),
    ):
        table = function(schema.empty_table())
        assert (table.schema, table.num_rows) == (out, 0)
