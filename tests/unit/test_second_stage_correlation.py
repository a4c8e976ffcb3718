"""Checked rows, correlations, ranks, splits and the tables built on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.capability import (
    CAPABILITY_INPUT,
    CAPABILITY_RANK_SCHEMA,
    CAPABILITY_SCHEMA,
    capability_rank_table,
    capability_table,
)
from models.columns import read_rows
from models.correlation import correlate, median_split, tied_ranks
from models.price_response import (
    RESPONSE_INPUT,
    RESPONSE_SCHEMA,
    price_response_table,
    responds_to_price,
)
from models.reference_price import (
    REFERENCE_INPUT,
    REFERENCE_SCHEMA,
    REFERENCE_SUMMARY_SCHEMA,
    reference_price_table,
    reference_summary_table,
)

SCHEMA = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("value", pa.float64()),
    ]
)
Columns = dict[str, Any]


def keyed(names: list[str]) -> Columns:
    return {
        "study_id": ["s"] * len(names),
        "reading": ["audited"] * len(names),
        "model_id": names,
    }


def test_rows_come_in_order_of_the_keys_with_none_for_undefined() -> None:
    columns = {
        "name": ["b", "a", "c"],
        "value": [1.0, np.nan, np.inf],
        "other": [1, 2, 3],
    }
    assert read_rows(columns, SCHEMA, ("name",), what="things") == [
        {"name": "a", "value": None},
        {"name": "b", "value": 1.0},
        {"name": "c", "value": None},
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"name": ["a"]}, "things: no column 'value'"),
        ({"name": ["a", "a"], "value": [1.0, 2.0]}, "things: a stands twice"),
        ({"name": ["a", None], "value": [1.0, 2.0]}, "things: row 1: name is missing"),
        ({"name": ["a"], "value": ["dear"]}, "column 'value' must hold double"),
    ],
)
def test_broken_columns_are_refused_in_one_line(columns: Columns, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        read_rows(columns, SCHEMA, ("name",), what="things")
    assert "\n" not in str(error.value)


def test_correlation_by_hand() -> None:
    # deviations -1.5, -.5, .5, 1.5 and -2, 0, -1, 3: products 3 + 0 - .5 + 4.5 = 7,
    # squares 5 and 14, r = 7 / sqrt(70); ranks 1 2 3 4, 1 3 2 4: rho = 1 - 6 x 2 / 60
    result = correlate([1, 2, 3, 4], [0, 2, 1, 5])
    assert result.n == 4
    assert result.pearson_r == pytest.approx(7 / np.sqrt(70), rel=1e-14)
    assert result.spearman_rho == pytest.approx(0.8, rel=1e-14)
    # two degrees of freedom: the tail beyond t is 1/2 - t / (2 sqrt(2 + t^2)), that is
    # p = 1 - |r|
    assert result.pearson_p == pytest.approx(1 - 7 / np.sqrt(70), rel=1e-12)
    assert result.spearman_p == pytest.approx(0.2, rel=1e-12)


def test_correlation_that_cannot_be_taken_has_no_numbers() -> None:
    few = correlate([1, 2, np.nan], [1, 2, 3])
    assert (few.n, few.status) == (2, "too_few")
    flat = correlate([1, 1, 1], [1, 2, 3])
    assert (flat.n, flat.status) == (3, "no_variation")
    assert np.isnan([*few[1:5], *flat[1:5]]).all()
    with pytest.raises(ValueError, match="do not agree"):
        correlate([1, 2], [1, 2, 3])


def test_equal_figures_share_the_best_rank() -> None:
    figures = [3.0, 1.0, np.nan, 3.0, 2.0]
    np.testing.assert_array_equal(
        tied_ranks(figures, descending=True), [1, 4, np.nan, 1, 3]
    )
    np.testing.assert_array_equal(
        tied_ranks(figures, descending=False), [3, 1, np.nan, 3, 2]
    )
    assert len(tied_ranks([], descending=True)) == 0


def test_split_at_the_medians_is_strict_on_one_side_only() -> None:
    split = median_split([1, 2, 3], [1, 2, 3])
    assert (split.x_median, split.y_median) == (2, 2)
    assert split.x_high.tolist() == [False, False, True]
    assert split.y_high.tolist() == [False, True, True]
    assert np.isnan(median_split([], []).x_median)


@pytest.mark.parametrize(
    ("log_price", "p", "top", "answer"),
    [
        (-1.0, 0.01, -0.5, True),
        (1.0, 0.01, -0.5, False),
        (-1.0, 0.05, -0.5, False),
        (-1.0, 0.01, -0.3, False),
        (None, 0.01, -0.5, None),
        (-1.0, 0.01, None, None),
    ],
)
def test_price_response(
    log_price: float | None, p: float, top: float | None, answer: bool | None
) -> None:
    assert responds_to_price(log_price, p, top) is answer


def test_map_leaves_a_model_without_a_coefficient_off_but_shows_it() -> None:
    rows = price_response_table(
        {
            **keyed(["a", "b", "c", "d"]),
            "log_price": [-3.0, -1.0, -2.0, None],
            "log_price_p_value": [0.001] * 4,
            "review_score": [1.0, 3.0, 2.0, 9.0],
            "top_decile": [-2.0] * 4,
            "status": ["ok", "ok", "weak", "separated"],
        }
    ).to_pylist()
    # medians 2 and 2 over a, b, c: c is at the price median (low) and the review median
    assert [row["quadrant"] for row in rows] == [
        "price_only",
        "quality_only",
        "quality_only",
        None,
    ]
    assert [row["status"] for row in rows] == ["ok", "ok", "weak", "separated"]
    assert rows[3]["responds_to_price"] is None
    assert rows[0]["pearson_r"] == pytest.approx(-1.0, rel=1e-12)


def test_missing_coefficient_cannot_be_ok() -> None:
    (row,) = price_response_table(
        {
            **keyed(["a"]),
            "log_price": [-1.0],
            "log_price_p_value": [0.001],
            "review_score": [None],
            "top_decile": [-2.0],
            "status": ["ok"],
        }
    ).to_pylist()
    assert (row["quadrant"], row["status"]) == (None, "failed")
    assert (row["abs_log_price_median"], row["responds_to_price"]) == (None, True)


def test_reference_prices_by_hand() -> None:
    table = reference_price_table(
        {
            **keyed(["a", "b", "c", "d"]),
            "wtp_log_usd": [250.0, 500.0, 250.0, None],
            "wtp_linear_usd": [300.0, 100.0, 200.0, 50.0],
            "status": ["ok"] * 4,
        }
    )
    a, b, _, d = table.to_pylist()
    # a: one dollar of value per dollar of rate
    assert (a["wtp_per_usd"], a["wtp_100_usd"], a["wtp_600_usd"]) == (1, 100, 600)
    assert (a["rank_250"], a["rank_linear"], a["rank_shift"]) == (2, 1, -1)
    assert (b["rank_250"], b["rank_linear"], b["rank_shift"]) == (1, 3, 2)
    assert (d["wtp_100_usd"], d["rank_100"], d["rank_shift"]) == (None, None, None)
    assert (d["rank_linear"], d["status"]) == (4, "weak")
    (summary,) = reference_summary_table(table).to_pylist()
    assert (summary["n"], summary["median_wtp_usd"]) == (3, 250)
    assert (summary["log_spread"], summary["linear_spread"]) == (2, 6)
    assert summary["largest_rank_shift"] == 2


def test_spread_over_a_negative_value_is_undefined() -> None:
    table = reference_price_table(
        {
            **keyed(["a", "b"]),
            "wtp_log_usd": [-1.0, 2.0],
            "wtp_linear_usd": [1.0, 2.0],
            "status": ["ok", "locked"],
        }
    )
    assert [row["status"] for row in table.to_pylist()] == ["ok", "locked"]
    (summary,) = reference_summary_table(table).to_pylist()
    assert (summary["log_spread"], summary["linear_spread"]) == (None, 2)
    assert (summary["spearman_rho"], summary["status"]) == (None, "too_few")


def scored(scores: list[float | None], **changes: list[Any]) -> Columns:
    m = len(scores)
    steps = np.arange(m, dtype=float)
    return {
        **keyed([f"m{index:02d}" for index in range(m)]),
        "axis": ["index"] * m,
        "score": scores,
        "family": [None] * m,
        "open_weights": [True] * m,
        "engaged": [True] * m,
        "well_identified": [True] * m,
        "log_price": -steps - 1,
        "log_price_p_value": [0.01] * m,
        "pseudo_r2": steps**2,
        "net_pseudo_r2": -steps,
        "wtp_usd": [5.0] * m,
    } | changes


def test_capability_measures_and_their_family() -> None:
    rows = capability_table(scored([float(x) for x in range(10)])).to_pylist()
    found = {(row["measure"], row["subset"]): row for row in rows}
    assert found["abs_log_price", "engaged"]["pearson_r"] == pytest.approx(1)
    assert found["net_pseudo_r2", "engaged"]["pearson_r"] == pytest.approx(-1)
    assert found["pseudo_r2", "all"]["spearman_rho"] == pytest.approx(1)
    # the same willingness to pay for all cannot be correlated
    flat = found["wtp_usd", "well_identified"]
    assert (flat["n"], flat["pearson_r"], flat["status"]) == (10, None, "no_variation")
    # 3 measures x 6 subsets were made; Holm multiplies the smallest p by 18
    made = [row for row in rows if row["pearson_p"] is not None]
    assert len(made) == 18
    smallest = min(made, key=lambda row: row["pearson_p"])
    assert smallest["pearson_p_holm"] == pytest.approx(18 * smallest["pearson_p"])


def test_capability_subsets_take_the_models_they_name() -> None:
    m = 12
    columns = scored(
        [float(x) for x in range(m)],
        engaged=[False] * 2 + [True] * 10,
        open_weights=[True] * 9 + [False] * 3,
        log_price_p_value=[0.01] * 4 + [0.05] + [0.01] * 7,
        family=["GPT-5.4"] * 4 + [None] * 8,
        well_identified=[True] * 4 + [False] * 8,
    )
    n = {
        row["subset"]: row["n"]
        for row in capability_table(columns).to_pylist()
        if row["measure"] in ("pseudo_r2", "wtp_usd")
    }
    assert n == {
        "engaged": 10,
        "engaged_open": 7,
        "engaged_significant": 9,
        "engaged_open_significant": 6,
        "engaged_without_gpt_5_4": 8,
        "all": 12,
        "well_identified": 4,
        "well_identified_open": 4,
    }


def test_axis_with_nine_scores_is_too_few_and_a_missing_measure_is_left_out() -> None:
    columns = scored([1.0] * 9 + [None], net_pseudo_r2=[None] * 10)
    rows = capability_table(columns).to_pylist()
    assert {row["measure"] for row in rows} == {"pseudo_r2", "abs_log_price", "wtp_usd"}
    assert {row["status"] for row in rows} == {"too_few"}
    assert {row["pearson_r"] for row in rows} == {None}
    ranks = capability_rank_table(columns).to_pylist()
    assert [row["score_rank"] for row in ranks] == [1] * 9 + [None]
    assert {row["scored_models"] for row in ranks} == {9}


def test_empty_inputs_give_empty_tables() -> None:
    for schema, out, function in (
        (CAPABILITY_INPUT, CAPABILITY_SCHEMA, capability_table),
        (CAPABILITY_INPUT, CAPABILITY_RANK_SCHEMA, capability_rank_table),
        (REFERENCE_INPUT, REFERENCE_SCHEMA, reference_price_table),
        (REFERENCE_SCHEMA, REFERENCE_SUMMARY_SCHEMA, reference_summary_table),
        (RESPONSE_INPUT, RESPONSE_SCHEMA, price_response_table),
    ):
        table = function(schema.empty_table())
        assert (table.schema, table.num_rows) == (out, 0)
