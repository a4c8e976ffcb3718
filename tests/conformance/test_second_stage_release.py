"""Second-stage statistics, fed with the published tables, give the published ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from models.multiplicity import multiplicity_summary_table, multiplicity_table
from models.permutation import similarity_table, similarity_test
from models.price_response import price_response_table
from models.reference_price import reference_price_table, reference_summary_table

pytestmark = pytest.mark.release

Tables = dict[str, pd.DataFrame]

# terms of the published family, by column of the published table
FAMILY = {
    "b_logp": ("log", "log_price"),
    "b_linp": ("linear", "price"),
    "b_d_stars": ("log", "stars"),
    "b_d_bed": ("log", "bed_rank"),
    "b_d_cancel": ("log", "cancel"),
    "b_d_breakfast": ("log", "breakfast"),
    "b_d_review_score": ("log", "review_score"),
    "b_d_review_count_100": ("log", "review_count_100"),
}


def keyed(rows: int) -> dict[str, list[str]]:
    return {"study_id": ["release"] * rows, "reading": ["as_published"] * rows}


@pytest.fixture(scope="module")
def similarity(published_tables: Tables) -> dict[str, Any]:
    coefs = published_tables["brand_coefs"]
    table = similarity_table(
        {
            **keyed(len(coefs)),
            "specification": ["brand"] * len(coefs),
            "display_name": coefs["model"],
            "provider": coefs["provider"],
            "brand": coefs["brand"],
            "estimate": coefs["coef"],
        }
    )
    (row,) = table.to_pylist()
    return row


def test_brand_similarity(similarity: dict[str, Any], release_hotel: Path) -> None:
    expected = json.loads((release_hotel / "published/brand_cluster.json").read_text())
    assert similarity["models"] == expected["n_engaged_models"] == 23
    assert similarity["models_left_out"] == similarity["skipped_pairs"] == 0
    assert similarity["within_pairs"] == expected["n_within_pairs"]
    assert similarity["across_pairs"] == expected["n_across_pairs"]
    for name, column in (
        ("within_provider_mean_r", "within_r"),
        ("across_provider_mean_r", "across_r"),
        ("gap", "gap"),
    ):
        assert similarity[column] == pytest.approx(expected[name], rel=1e-12)
    assert similarity["gap"] == pytest.approx(-0.0112, abs=5e-5)
    assert (similarity["at_least_as_large"], similarity["permutations"]) == (962, 2000)
    assert similarity["p_value"] == expected["permutation_p"]


def test_null_distribution_of_the_brand_gap(similarity: dict[str, Any]) -> None:
    # reproduced once outside the project: percentiles and spread of permuted gaps
    for column, value in (("null_p05", -0.157), ("null_p50", -0.017)):
        assert similarity[column] == pytest.approx(value, abs=5e-4)
    assert similarity["null_p95"] == pytest.approx(0.241, abs=5e-4)
    assert similarity["null_sd"] == pytest.approx(0.12, abs=5e-3)


def test_first_permuted_gaps(published_tables: Tables) -> None:
    matrix = published_tables["brand_matrix"]
    providers = published_tables["triage"].set_index("model")["provider"]
    test = similarity_test(
        matrix.drop(columns="model").to_numpy(),
        providers.loc[matrix["model"]].tolist(),
        generator="as_published",
    )
    np.testing.assert_allclose(
        test.permuted[:3], [0.2118043, -0.1332564, 0.0623576], atol=5e-8
    )


def test_models_with_all_chains_positive(similarity: dict[str, Any]) -> None:
    assert similarity["all_brands_positive_models"] == 11


@pytest.fixture(scope="module")
def adjusted(published_models: pd.DataFrame) -> pa.Table:
    rows = [
        {
            "study_id": "release",
            "reading": "as_published",
            "model_id": model["model"],
            "specification": specification,
            "term": term,
            "p_value": model[f"{column}_p"],
            "claimed": bool(model["identified"])
            and column in ("b_logp", "b_d_review_score"),
        }
        for _, model in published_models[published_models["engaged"]].iterrows()
        for column, (specification, term) in FAMILY.items()
    ]
    return multiplicity_table(pa.Table.from_pylist(rows))


def test_every_row_of_the_multiplicity_audit(
    adjusted: pa.Table, published_tables: Tables
) -> None:
    audit = published_tables["multiplicity_audit"].set_index(["model", "coef"])
    columns = {term: column for column, term in FAMILY.items()}
    rows = adjusted.to_pylist()
    assert len(rows) == len(audit) == 184
    for row in rows:
        column = columns[row["specification"], row["term"]]
        expected = audit.loc[(row["model_id"], column)]
        assert row["family_tests"] == 184
        assert row["claimed"] == expected["paper_claimed"]
        # the audit read its p-values back with 17 digits, leading zeros included
        for name, there in (
            ("p_raw", "p_raw"),
            ("p_bonferroni", "p_bonferroni"),
            ("p_bh", "p_bh"),
        ):
            assert row[name] == pytest.approx(expected[there], rel=1e-9, abs=1e-15)
        assert row["significant_raw"] == expected["sig_raw_05"]
        assert row["significant_bonferroni"] == expected["sig_bonferroni_05"]
        assert row["significant_bh"] == expected["sig_bh_05"]


def test_multiplicity_counts(adjusted: pa.Table) -> None:
    summary = {
        row["method"]: row for row in multiplicity_summary_table(adjusted).to_pylist()
    }
    counts = {name: row["rejections"] for name, row in summary.items()}
    assert counts["raw"] == 155
    assert counts["bonferroni"] == 138
    assert counts["bh"] == 155
    # Holm rejects no fewer than Bonferroni and no more than the raw tests
    assert 138 <= counts["holm"] <= 155
    for name, largest in (("raw", 7.73e-7), ("bonferroni", 1.42e-4), ("bh", 1.14e-6)):
        row = summary[name]
        assert (row["tests"], row["tests_not_made"]) == (184, 0)
        assert (row["claimed_tests"], row["claimed_rejections"]) == (40, 40)
        assert row["claimed_largest_p"] == pytest.approx(largest, rel=5e-3)


@pytest.fixture(scope="module")
def responses(
    published_models: pd.DataFrame, published_tables: Tables
) -> dict[str, dict[str, Any]]:
    engaged = published_models[published_models["engaged"]]
    deciles = published_tables["decile_pooled"]
    top = deciles[deciles["decile"] == 10].set_index("model")["coef"]
    table = price_response_table(
        {
            **keyed(len(engaged)),
            "model_id": engaged["model"],
            "log_price": engaged["b_logp"],
            "log_price_p_value": engaged["b_logp_p"],
            "review_score": engaged["b_d_review_score"],
            "top_decile": top.loc[engaged["model"]].to_numpy(),
            "status": ["ok"] * len(engaged),
        }
    )
    return {row["model_id"]: row for row in table.to_pylist()}


def test_forms_of_the_models_that_answer_to_price(
    responses: dict[str, dict[str, Any]], published_models: pd.DataFrame
) -> None:
    forms = published_models.set_index("model")["fit_form"]
    found = [forms[name] for name, row in responses.items() if row["responds_to_price"]]
    assert len(found) == 21
    assert {form: found.count(form) for form in set(found)} == {
        "linear": 10,
        "log": 10,
        "tie": 1,
    }
    # the two without a price response
    flat = {name for name, row in responses.items() if not row["responds_to_price"]}
    assert flat == {"Gemma3 1B", "Phi-2 2.7B"}


def test_price_quality_map(responses: dict[str, dict[str, Any]]) -> None:
    quadrants: dict[str, list[str]] = {}
    for name, row in responses.items():
        quadrants.setdefault(row["quadrant"], []).append(name)
    assert len(quadrants["both"]) == len(quadrants["neither"]) == 10
    assert quadrants["price_only"] == ["Gemma2 9B"]
    assert sorted(quadrants["quality_only"]) == ["Llama3.2 3B", "Phi-4 Mini"]
    row = responses["Gemma2 9B"]
    assert row["abs_log_price_median"] == pytest.approx(1.590, abs=5e-4)
    assert row["review_score_median"] == pytest.approx(1.938, abs=5e-4)
    assert row["pearson_r"] == pytest.approx(0.547, abs=5e-4)
    assert row["spearman_rho"] == pytest.approx(0.665, abs=5e-4)


@pytest.fixture(scope="module")
def reference(published_models: pd.DataFrame) -> pa.Table:
    known = published_models[published_models["identified"]]
    return reference_price_table(
        {
            **keyed(len(known)),
            "model_id": known["model"],
            "wtp_log_usd": known["wtp"],
            "wtp_linear_usd": known["wtp_review"],
            "status": ["ok"] * len(known),
        }
    )


def test_every_row_of_the_reference_prices(
    reference: pa.Table, published_tables: Tables
) -> None:
    expected = published_tables["wtp_reference"].set_index("model")
    rows = reference.to_pylist()
    assert sorted(expected.index) == [row["model_id"] for row in rows]
    for row in rows:
        there = expected.loc[row["model_id"]]
        for rate in (100, 250, 600):
            assert row[f"wtp_{rate}_usd"] == pytest.approx(
                there[f"wtp_{rate}"], rel=1e-12
            )
            assert row[f"rank_{rate}"] == there[f"rank_{rate}"]
        assert row["wtp_per_usd"] == pytest.approx(there["wtp_unit"], rel=1e-12)
        assert row["wtp_linear_usd"] == pytest.approx(there["wtp_linear"], rel=1e-12)
        assert row["rank_linear"] == there["rank_linear"]
        assert row["rank_shift"] == there["rank_shift"]


def test_log_and_linear_values_agree_in_rank(reference: pa.Table) -> None:
    (row,) = reference_summary_table(reference).to_pylist()
    assert row["n"] == 20
    assert row["spearman_rho"] == pytest.approx(0.974, abs=5e-4)
    assert row["pearson_r"] == pytest.approx(0.914, abs=5e-4)
    assert row["median_wtp_usd"] == pytest.approx(269.35, abs=5e-3)
    assert row["log_spread"] == pytest.approx(15.64, abs=5e-3)
    assert row["linear_spread"] == pytest.approx(31.4, abs=5e-2)
    assert row["largest_rank_shift"] == 3
