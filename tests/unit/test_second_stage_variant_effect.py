"""Variants against the main run, and audited figures from fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.clusters import cluster_sums, prepare_clusters
from models.hotel_figures import (
    FIGURE_INPUT,
    FIGURE_SCHEMA,
    figure_table,
    with_statuses,
)
from models.influence import cluster_variance
from models.variant_effect import (
    ORDERING_SCHEMA,
    VARIANT_INPUT,
    VARIANT_SCHEMA,
    variant_effect_table,
    variant_ordering_table,
)

CLUSTERS = [str(cluster) for cluster in range(40)]
NOISE = np.random.default_rng(4).normal(scale=0.1, size=(2, 40))


def row(**changes: Any) -> dict[str, Any]:
    return {
        "study_id": "s",
        "reading": "audited",
        "model_id": "m",
        "variant": "json",
        "statistic": "log_price",
        "estimate": -1.0,
        "std_error": 0.3,
        "status": "ok",
        "cluster_id": CLUSTERS,
        "influence": NOISE[0].tolist(),
        "base_estimate": -3.0,
        "base_std_error": 0.4,
        "base_status": "ok",
        "base_cluster_id": CLUSTERS,
        "base_influence": NOISE[1].tolist(),
    } | changes


def effects(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    columns = {name: [r[name] for r in rows] for name in VARIANT_INPUT.names}
    found: list[dict[str, Any]] = variant_effect_table(columns).to_pylist()
    return found


def test_published_difference_by_hand() -> None:
    (found,) = effects(row(reading="as_published", influence=None, cluster_id=None))
    # errors .3 and .4 make .5; 2 / .5 = 4
    assert found["method"] == "independent"
    assert (found["difference"], found["z"]) == (2, pytest.approx(4))
    assert found["std_error"] == pytest.approx(0.5)
    assert found["n_paired"] is None


def test_audited_difference_is_paired() -> None:
    (found,) = effects(row())
    gap = NOISE[0] - NOISE[1]
    assert found["method"] == "paired"
    assert found["std_error"] == pytest.approx(np.sqrt(gap @ gap * 40 / 39), rel=1e-12)
    assert (found["n_paired"], found["status"]) == (40, "ok")


def test_family_and_statuses() -> None:
    found = effects(
        row(),
        row(variant="cot", estimate=-2.9),
        row(variant="persona", base_status="weak"),
        row(variant="reorder", estimate=None, status="separated", influence=None),
        row(
            variant="temp07",
            influence=NOISE[1].tolist(),
        ),
    )
    by_name = {r["variant"]: r for r in found}
    assert {name: r["status"] for name, r in by_name.items()} == {
        "json": "ok",
        "cot": "ok",
        "persona": "weak",
        "reorder": "separated",
        "temp07": "no_variation",
    }
    # two ok rows: the smaller p doubles, the larger stands
    json, cot = by_name["json"], by_name["cot"]
    assert json["p_holm"] == pytest.approx(2 * json["p_value"])
    assert cot["p_holm"] == pytest.approx(max(cot["p_value"], json["p_holm"]))
    assert by_name["persona"]["p_holm"] is None
    assert by_name["reorder"]["difference"] is None
    assert by_name["temp07"]["z"] is None


def test_few_shared_clusters_are_too_few() -> None:
    few = {"cluster_id": CLUSTERS[:20], "influence": NOISE[0][:20].tolist()}
    (found,) = effects(row(**few))
    assert (found["n_paired"], found["status"], found["p_holm"]) == (
        20,
        "too_few",
        None,
    )


def test_refusals_name_the_row() -> None:
    with pytest.raises(ValueError, match="unknown reading 'guess'"):
        effects(row(reading="guess"))
    with pytest.raises(
        ValueError, match=r"m json log_price has an estimate .* base_inf"
    ):
        effects(row(base_influence=None))


def test_ordering_needs_four_models() -> None:
    rows = [
        row(model_id=f"m{place}", estimate=float(place), base_estimate=float(base))
        for place, base in enumerate([1, 2, 3, 5, 4])
    ]
    names = VARIANT_INPUT.names
    five = {name: [r[name] for r in rows] for name in names}
    (found,) = variant_ordering_table(five).to_pylist()
    # one swap of neighbours among five: 1 - 6 x 2 / 120
    assert (found["n"], found["spearman_rho"]) == (5, pytest.approx(0.9))
    three = {name: [r[name] for r in rows[:3]] for name in names}
    (found,) = variant_ordering_table(three).to_pylist()
    assert (found["spearman_rho"], found["status"]) == (None, "too_few")


def test_empty_inputs_give_empty_tables() -> None:
    for schema, out, function in (
        (VARIANT_INPUT, VARIANT_SCHEMA, variant_effect_table),
        (VARIANT_INPUT, ORDERING_SCHEMA, variant_ordering_table),
        (FIGURE_INPUT, FIGURE_SCHEMA, figure_table),
    ):
        table = function(schema.empty_table())
        assert (table.schema, table.num_rows) == (out, 0)


# fits as the table of logits holds them, with the influences of clusters beside them
TERMS = ["slot", "review_score", "log_price"]


def fit_row(**changes: Any) -> dict[str, Any]:
    rng = np.random.default_rng(6)
    situations = rng.normal(scale=0.02, size=(120, 3))
    sums = cluster_sums(situations, prepare_clusters(np.repeat(np.arange(40), 3)))
    return {
        "study_id": "s",
        "model_id": "m",
        "variant": "base",
        "specification": "log",
        "design": "audited",
        "term": TERMS,
        "estimate": [0.5, 2.0, -4.0],
        "ci_lo": [0.1, 1.0, -5.0],
        "ci_hi": [0.9, 3.0, -3.0],
        "term_status": ["ok", "ok", "ok"],
        "cluster_id": CLUSTERS,
        "cluster_influence": sums.ravel().tolist(),
    } | changes


def figures(*rows: dict[str, Any]) -> dict[str, dict[str, Any]]:
    table = figure_table(pa.Table.from_pylist(list(rows), schema=FIGURE_INPUT))
    return {found["metric"]: found for found in table.to_pylist()}


def test_dollar_values_carry_the_delta_method() -> None:
    given = fit_row()
    found = figures(given)
    influence = np.array(given["cluster_influence"]).reshape(40, 3)
    covariance = influence.T @ influence * 40 / 39
    for metric, place, value in (
        # 2 / 4 x 250 and .5 / 4 x 250
        ("wtp_review_score_usd", 1, 125.0),
        ("slot_usd", 0, 31.25),
    ):
        part = covariance[np.ix_([place, 2], [place, 2])]
        a, b = given["estimate"][place], -4.0
        gradient = np.array([-1 / b, a / b**2]) * 250
        row = found[metric]
        assert row["estimate"] == pytest.approx(value)
        assert cluster_variance(np.array(row["influence"])) == pytest.approx(
            gradient @ part @ gradient, rel=1e-10
        )
        assert row["status"] == "ok"
    assert found["log_price"]["estimate"] == -4


def test_weak_and_missing_terms_show_in_the_figures() -> None:
    found = figures(fit_row(ci_hi=[0.9, 3.0, 0.1]))
    assert found["wtp_review_score_usd"]["status"] == "weak"
    assert found["review_score"]["status"] == "ok"
    influence = [np.nan if place % 3 == 1 else 0.1 for place in range(120)]
    found = figures(
        fit_row(
            estimate=[0.5, None, -4.0],
            term_status=["ok", "separated", "ok"],
            cluster_influence=influence,
        )
    )
    for metric in ("wtp_review_score_usd", "review_score"):
        assert found[metric]["estimate"] is None
        assert found[metric]["influence"] == []
        assert found[metric]["status"] == "separated"
    assert found["slot_usd"]["estimate"] == 31.25


def test_published_fits_are_skipped_and_short_influences_refused() -> None:
    assert figures(fit_row(design="as_published")) == {}
    with pytest.raises(
        ValueError, match="s m base log audited has 3 influences; 40 clu"
    ):
        figures(fit_row(cluster_influence=[0.1, 0.2, 0.3]))


def test_figures_of_both_forms_have_names_of_their_own() -> None:
    linear = {"specification": "linear", "term": ["slot", "review_score", "price"]}
    found = figures(fit_row(), fit_row(**linear))
    assert set(found) == {
        *("log_price", "review_score", "slot", "wtp_review_score_usd", "slot_usd"),
        *("price", "review_score_linear", "slot_linear"),
        *("wtp_review_score_linear_usd", "slot_linear_usd"),
    }
    # 2 / 4, dollars for dollars
    assert found["wtp_review_score_linear_usd"]["estimate"] == 0.5


def test_a_status_known_elsewhere_lowers_that_of_a_figure() -> None:
    table = figure_table(pa.Table.from_pylist([fit_row()], schema=FIGURE_INPUT))
    statuses = {
        "study_id": ["s", "s", "s", "other"],
        "model_id": ["m"] * 4,
        "specification": ["log"] * 4,
        "term": ["log_price", "slot", "slot", "review_score"],
        "in_usd": [False, False, True, False],
        "status": ["locked", "ok", "weak", "failed"],
    }
    lowered = with_statuses(table, statuses)
    assert lowered.schema == FIGURE_SCHEMA
    found = {row["metric"]: row["status"] for row in lowered.to_pylist()}
    assert (found.pop("log_price"), found.pop("slot_usd")) == ("locked", "weak")
    assert set(found.values()) == {"ok"}
    none = with_statuses(FIGURE_SCHEMA.empty_table(), statuses)
    assert (none.schema, none.num_rows) == (FIGURE_SCHEMA, 0)
    twice = {name: values * 2 for name, values in statuses.items()}
    with pytest.raises(ValueError, match="statuses: other m log review_score False st"):
        with_statuses(table, twice)
