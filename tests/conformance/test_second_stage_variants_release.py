"""Published variants, temperature and price bumps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from models.price_curve import find_bump, find_threshold
from models.proportion import share_table
from models.variant_effect import variant_effect_table, variant_ordering_table

pytestmark = pytest.mark.release

Tables = dict[str, pd.DataFrame]


def keyed(rows: int) -> dict[str, list[str]]:
    return {"study_id": ["release"] * rows, "reading": ["as_published"] * rows}


@pytest.fixture(scope="module")
def variants(published_tables: Tables) -> pa.Table:
    table = published_tables["variant_ablation"]
    base = table[table["variant"] == "baseline"].set_index("model")
    statistics = {
        "log_price": ("b_logp", "b_logp_se"),
        "review_score": ("b_review", "b_review_se"),
        "abs_log_price": ("b_logp", "b_logp_se"),
        "wtp_usd": ("wtp250", "wtp250_se"),
    }
    rows = []
    for _, row in table[table["variant"] != "baseline"].iterrows():
        for statistic, (value, error) in statistics.items():
            sign = abs if statistic == "abs_log_price" else float
            there = base.loc[row["model"]]
            rows.append(
                {
                    "study_id": "release",
                    "reading": "as_published",
                    "model_id": row["model"],
                    "variant": row["variant"],
                    "statistic": statistic,
                    "estimate": sign(row[value]),
                    "std_error": row[error],
                    "status": "ok",
                    "cluster_id": None,
                    "influence": None,
                    "base_estimate": sign(there[value]),
                    "base_std_error": there[error],
                    "base_status": "ok",
                    "base_cluster_id": None,
                    "base_influence": None,
                }
            )
    return pa.Table.from_pylist(rows)


def test_every_variant_against_its_baseline(
    variants: pa.Table, published_tables: Tables
) -> None:
    expected = published_tables["variant_ablation"].set_index(["model", "variant"])
    rows = variant_effect_table(variants).to_pylist()
    checked = 0
    for row in rows:
        there = expected.loc[(row["model_id"], row["variant"])]
        column = {
            "log_price": "z_vs_base_logp",
            "review_score": "z_vs_base_review",
        }.get(row["statistic"])
        if column is not None:
            assert row["z"] == pytest.approx(there[column], rel=1e-10)
            assert row["method"] == "independent"
            checked += 1
    assert checked == 2 * 23


def test_order_of_models_under_variants(variants: pa.Table) -> None:
    rows = variant_ordering_table(variants).to_pylist()
    found = {(row["variant"], row["statistic"]): row for row in rows}
    cot = found["cot", "abs_log_price"]
    assert (cot["n"], cot["spearman_rho"]) == (5, pytest.approx(0.60, abs=5e-3))
    assert found["cot", "wtp_usd"]["spearman_rho"] == pytest.approx(0.70, abs=5e-3)
    single = [
        row["spearman_rho"]
        for (variant, statistic), row in found.items()
        if variant != "cot" and statistic in ("abs_log_price", "wtp_usd")
    ]
    assert len(single) == 6
    assert min(single) == pytest.approx(0.89, abs=5e-3)


def test_first_shown_shares_at_temperature(
    release_hotel: Path, published_tables: Tables
) -> None:
    shares = []
    for suffix, first in (("", "A"), ("_swap", "B")):
        given = pd.read_csv(
            release_hotel / f"conjoint_results_gemma3_latest_temp07{suffix}.csv"
        )["choice"]
        shares.append((int((given == first).sum()), int(given.notna().sum())))
    counts = [*shares, (sum(s[0] for s in shares), sum(s[1] for s in shares))]
    table = share_table(
        {
            **keyed(3),
            "model_id": ["Gemma3 4B"] * 3,
            "variant": ["temp07"] * 3,
            "statistic": ["original", "pooled_last", "swapped"],
            "count": [counts[0][0], counts[2][0], counts[1][0]],
            "n": [counts[0][1], counts[2][1], counts[1][1]],
        }
    ).to_pylist()
    expected = published_tables["temp_check"].set_index("model").loc["Gemma3 4B"]
    names = ("first_shown_ord0", "first_shown_pooled", "first_shown_ord1")
    for row, name in zip(table, names, strict=True):
        assert row["share"] == pytest.approx(expected[name], rel=1e-15)
        assert row["ci_lo"] < row["share"] < row["ci_hi"]


def test_bump_of_gpt_5_4_nano(published_tables: Tables) -> None:
    for table, height, error in (
        ("decile_pooled", 0.643, 0.117),
        ("decile_ternary", 0.695, 0.154),
    ):
        curve = published_tables[table]
        curve = curve[(curve["model"] == "GPT-5.4 Nano") & (curve["decile"] > 1)]
        curve = curve.sort_values("decile")
        covariance = np.full((9, 9), np.nan)
        # the published table has errors only, no covariances
        np.fill_diagonal(covariance, curve["se"].to_numpy() ** 2)
        bump = find_bump(curve["coef"].to_numpy(), covariance, ["ok"] * 9)
        assert bump.decile == 2
        assert bump.height.value == pytest.approx(height, abs=5e-4)
        assert bump.height.std_error == pytest.approx(error, abs=5e-4)
        assert bump.height.status == "ok"
        # the steepest drop of a published curve has a size but no error
        threshold = find_threshold(curve["coef"].to_numpy(), covariance, ["ok"] * 9)
        assert threshold is not None
        steps = -np.diff(np.concatenate([[0.0], curve["coef"].to_numpy()]))
        assert threshold.drop.value == pytest.approx(steps.max(), rel=1e-12)
        assert threshold.drop.status == "failed"
