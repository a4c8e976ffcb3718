"""Figures of a variant beside those of the base prompt, from toy fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.hotel_logit import FIT_SCHEMA
from models.hotel_variant import STATISTICS, ordering_figures, variant_figures
from models.tables import build_table
from models.variant_effect import (
    ORDERING_INPUT,
    VARIANT_INPUT,
    variant_effect_table,
    variant_ordering_table,
)

TERMS = ["slot", "stars", "cancel", "breakfast", "review_score", "log_price"]
PAIRS = [str(number) for number in range(40)]


def fit_row(design: str, variant: str, review: float, price: float) -> dict[str, Any]:
    k = len(TERMS)
    estimate = np.array([0.1, 0.2, 0.3, 0.4, review, price])
    audited = design == "audited"
    influence = np.zeros((len(PAIRS), k))
    # pairs push the price slope up and down in turn, by as much as the variant's slope
    influence[:, -1] = np.where(np.arange(len(PAIRS)) % 2, 1, -1) * price / 100
    return {
        **dict.fromkeys(FIT_SCHEMA.names),
        "study_id": "s",
        "model_id": "m/x",
        "variant": variant,
        "input_fingerprint": "f",
        "block": "binary",
        "specification": "log",
        "design": design,
        "n": 400,
        "clusters": len(PAIRS),
        "status": "ok",
        "iterations": 5,
        "term": TERMS,
        "estimate": estimate,
        "std_error": np.full(k, 0.1),
        "cluster_std_error": np.full(k, 0.1),
        "twoway_std_error": np.full(k, 0.1),
        "p_value": np.full(k, 1e-6),
        "ci_lo": estimate - 0.2,
        "ci_hi": estimate + 0.2,
        "term_status": ["ok"] * k,
        "covariance": (np.eye(k) * 0.01).ravel(),
        "cluster_covariance": (np.eye(k) * 0.01).ravel(),
        "cluster_id": PAIRS if audited else [],
        "cluster_influence": influence.ravel() if audited else np.zeros(0),
    }


def fits(*rows: dict[str, Any]) -> pa.Table:
    return build_table(rows, FIT_SCHEMA)


DESIGNS = ("as_published", "audited", "published_on_audited")
VARIANT = fits(*(fit_row(design, "json", 1.0, -2.0) for design in DESIGNS))
BASE = fits(*(fit_row(design, "json", 2.0, -1.0) for design in DESIGNS))


def test_both_sides_stand_in_one_row_for_each_reading_and_statistic() -> None:
    table = variant_figures(VARIANT, BASE)
    assert table.schema == VARIANT_INPUT
    rows = {(row["reading"], row["statistic"]): row for row in table.to_pylist()}
    readings = ("as_published", "audited")
    assert set(rows) == {(one, two) for one in readings for two in STATISTICS}
    for reading in readings:
        price = rows[reading, "log_price"]
        assert (price["estimate"], price["base_estimate"]) == (-2.0, -1.0)
        worth = rows[reading, "wtp_review_score_usd"]
        # a point over the price slope at $250: 1/2 * 250 and 2/1 * 250
        assert worth["estimate"] == pytest.approx(125.0, rel=1e-14)
        assert worth["base_estimate"] == pytest.approx(500.0, rel=1e-14)
    assert rows["audited", "log_price"]["cluster_id"] == PAIRS
    assert rows["as_published", "log_price"]["std_error"] == 0.1


def test_a_comparison_by_hand() -> None:
    effects = variant_effect_table(variant_figures(VARIANT, BASE)).to_pylist()
    found = {(row["reading"], row["statistic"]): row for row in effects}
    published = found["as_published", "log_price"]
    # -2 + 1 over the root of 0.1^2 + 0.1^2
    assert published["z"] == pytest.approx(-1 / np.sqrt(0.02), rel=1e-12)
    audited = found["audited", "log_price"]
    # influences differ by 0.01 in each of 40 pairs: 0.01 * sqrt(40) * sqrt(40/39)
    error = 0.01 * np.sqrt(40 * 40 / 39)
    assert audited["std_error"] == pytest.approx(error, rel=1e-12)
    assert (audited["method"], audited["n_paired"]) == ("paired", 40)


def test_base_prompt_other_blocks_and_lone_variants_are_left_out() -> None:
    base = fits(fit_row("audited", "base", 1.0, -2.0))
    other = fits(fit_row("audited", "json", 1.0, -2.0) | {"block": "ternary"})
    lone = fits(fit_row("audited", "cot", 1.0, -2.0))
    linear = fits(fit_row("audited", "json", 1.0, -2.0) | {"specification": "linear"})
    for odd in (base, other, lone, linear, FIT_SCHEMA.empty_table()):
        table = variant_figures(odd, BASE)
        assert (table.schema, table.num_rows) == (VARIANT_INPUT, 0)


def test_models_are_ordered_by_the_size_of_their_price_slope() -> None:
    def of(prices: dict[str, float]) -> pa.Table:
        rows = [
            fit_row("as_published", "json", 1.0, price) | {"model_id": model}
            for model, price in prices.items()
        ]
        return fits(*rows)

    # one model has lost its sign under the variant
    variant = of({"m/a": -3.0, "m/b": -2.0, "m/c": -1.0, "m/d": 2.5})
    base = of({"m/a": -3.0, "m/b": -2.0, "m/c": -1.0, "m/d": -0.5})
    effects = variant_effect_table(variant_figures(variant, base))
    rows = variant_ordering_table(ordering_figures(effects)).to_pylist()
    found = {row["statistic"]: row for row in rows}
    # ranks by size: 4 2 1 3 and 4 3 2 1, differences 0 1 1 2:
    # 1 - 6 x 6 / (4 x 15) = 0.4; with signs it would be 1
    assert found["abs_log_price"]["spearman_rho"] == pytest.approx(0.4, abs=1e-12)
    assert found["abs_log_price"]["n"] == 4
    empty = ordering_figures(ORDERING_INPUT.empty_table())
    assert (empty.schema, empty.num_rows) == (ORDERING_INPUT, 0)
