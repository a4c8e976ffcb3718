"""Published capability correlations and pooling tests from the published tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from models.capability import capability_rank_table, capability_table
from models.correlation import correlate
from models.pooling import pooling_table

pytestmark = pytest.mark.release

Tables = dict[str, pd.DataFrame]

PROPRIETARY = ("GPT", "Claude")
AXES = ("score_aa", "score_arena", "score_mmlu")


@pytest.fixture(scope="module")
def capability_input(published_models: pd.DataFrame) -> pa.Table:
    rows = [
        {
            "study_id": "release",
            "reading": "as_published",
            "axis": axis,
            "model_id": row["model"],
            "score": None if np.isnan(row[axis]) else float(row[axis]),
            "family": "GPT-5.4" if row["model"].startswith("GPT-5.4") else None,
            "open_weights": not row["model"].startswith(PROPRIETARY),
            "engaged": bool(row["engaged"]),
            "well_identified": bool(row["identified"]),
            "log_price": row["b_logp"],
            "log_price_p_value": row["b_logp_p"],
            "pseudo_r2": row["r2_log"],
            "net_pseudo_r2": None,
            "wtp_usd": row["wtp"],
        }
        for axis in AXES
        for _, row in published_models.iterrows()
    ]
    return pa.Table.from_pylist(rows)


MEASURES = {"r2_log": "pseudo_r2", "|b_logp|": "abs_log_price", "WTP": "wtp_usd"}
SUBSETS = {
    "engaged pooled": "engaged",
    "engaged open-only": "engaged_open",
    "engaged pooled, sig price": "engaged_significant",
    "engaged open-only, sig price": "engaged_open_significant",
    "WTP subset pooled": "well_identified",
    "WTP subset open-only": "well_identified_open",
    "engaged pooled, excl GPT-5.4 family": "engaged_without_gpt_5_4",
}


def test_every_correlation_of_the_capability_axis(
    capability_input: pa.Table, published_tables: Tables
) -> None:
    found = {
        (row["axis"], row["measure"], row["subset"]): row
        for row in capability_table(capability_input).to_pylist()
    }
    expected = published_tables["capability_axis_results"]
    expected = expected[expected["analysis"].str.contains(" vs ")]
    assert len(expected) == 22
    for _, there in expected.iterrows():
        measure = MEASURES[there["analysis"].removesuffix(" vs score")]
        row = found[there["axis"], measure, SUBSETS[there["subset"]]]
        assert row["n"] == there["n"]
        for column in ("pearson_r", "pearson_p", "spearman_rho", "spearman_p"):
            assert row[column] == pytest.approx(there[column], rel=1e-9)
    headline = found["score_aa", "pseudo_r2", "engaged"]
    assert headline["pearson_r"] == pytest.approx(0.632, abs=5e-4)
    # 7 models have an arena rating: fewer than the 10 that a correlation needs
    arena = found["score_arena", "pseudo_r2", "engaged"]
    assert (arena["scored_models"], arena["pearson_r"], arena["status"]) == (
        7,
        None,
        "too_few",
    )


def test_every_rank_and_gap_of_the_capability_axis(
    capability_input: pa.Table, published_tables: Tables
) -> None:
    rows = capability_rank_table(capability_input).to_pylist()
    found = {(row["axis"], row["model_id"]): row for row in rows}
    expected = published_tables["capability_axis_results"]
    locked = expected[expected["analysis"] == "locked_rank"]
    assert len(locked) == 15
    for _, there in locked.iterrows():
        row = found[there["axis"], there["subset"]]
        assert not row["engaged"]
        assert row["scored_models"] == there["n"]
        if np.isnan(there["pearson_r"]):
            assert (row["score"], row["score_rank"]) == (None, None)
        else:
            # the published table keeps score and rank in its columns for r and rho
            assert (row["score"], row["score_rank"]) == (
                there["pearson_r"],
                there["spearman_rho"],
            )
    for _, there in expected[expected["analysis"] == "coverage"].iterrows():
        own = [row for row in rows if row["axis"] == there["axis"]]
        missing = {row["model_id"] for row in own if row["score"] is None}
        assert missing == set(there["note"].removeprefix("missing: ").split("; "))
        assert {row["scored_models"] for row in own} == {there["n"]}


def test_size_and_willingness_to_pay(published_models: pd.DataFrame) -> None:
    registry = pd.read_csv(
        Path(__file__).parents[2] / "dbt_project" / "seeds" / "model_registry.csv"
    ).set_index("display_name")
    sizes = np.log10(
        registry["parameters_b"].reindex(published_models["model"]).to_numpy()
    )
    is_open = (
        registry["open_weights"].reindex(published_models["model"]).to_numpy(dtype=bool)
    )
    # open models among the 20: n = 14; open engaged models against pseudo-R2: n = 17
    for keep, column, n, r, rho in (
        (published_models["identified"] & is_open, "wtp", 14, -0.537, -0.625),
        (published_models["engaged"] & is_open, "r2_log", 17, 0.624, 0.659),
    ):
        mask = keep.to_numpy(dtype=bool)
        result = correlate(sizes[mask], published_models[column].to_numpy()[mask])
        assert result.n == n
        assert result.pearson_r == pytest.approx(r, abs=5e-4)
        assert result.spearman_rho == pytest.approx(rho, abs=5e-4)


def test_pooling_test_of_every_model(published_tables: Tables) -> None:
    pooled = published_tables["personality_pooled"].merge(
        published_tables["personality_ternary"][["model", "llf_log"]],
        on="model",
        how="left",
    )
    has = pooled["llf_log"].notna()
    table = pooling_table(
        {
            "study_id": ["release"] * len(pooled),
            "reading": ["as_published"] * len(pooled),
            "model_id": pooled["model"],
            "binary_log_likelihood": pooled["llf_bin"],
            "ternary_log_likelihood": pooled["llf_log"],
            "pooled_log_likelihood": pooled["llf_pool"],
            "binary_terms": [7] * len(pooled),
            "ternary_terms": [7 if known else None for known in has],
            "pooled_terms": [7] * len(pooled),
            "binary_price_std_error": pooled["se_logp_bin"],
            "pooled_price_std_error": pooled["se_logp_pool"],
            "status": ["ok"] * len(pooled),
        }
    )
    rows = {row["model_id"]: row for row in table.to_pylist()}
    expected = published_tables["pooling_comparison"].set_index("model")
    chi2 = pooled.set_index("model")["lr_chi2"]
    assert len(rows) == 23
    for name, row in rows.items():
        assert row["std_error_ratio"] == pytest.approx(
            expected.loc[name, "se_ratio"], rel=1e-12
        )
        if name == "Claude Haiku 4.5":
            assert (row["lr_chi2"], row["p_value"]) == (None, None)
            assert row["status"] == "too_few"
            continue
        # the published free fit is a search that stopped short of its maximum
        assert row["lr_chi2"] == pytest.approx(chi2[name], abs=5e-3)
        assert row["lr_df"] == 7
        assert row["p_value"] == pytest.approx(
            expected.loc[name, "lr_p"], rel=1e-2, abs=1e-300
        )
        assert row["p_value"] < 0.01
    ratios = [row["std_error_ratio"] for row in rows.values()]
    assert np.mean(ratios) == pytest.approx(0.627, abs=5e-4)
