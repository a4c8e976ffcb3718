"""Estimators on the published answers against the published and audited tables.

The rows are put together here from the CSV files alone, without the warehouse, so that
a fault in the SQL cannot hide one in the estimators.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from models.choice_data import choice_data
from models.clusters import prepare_clusters
from models.conditional_logit import fit
from models.covariance import cluster_covariance
from models.hotel_logit import fit_table
from models.hotel_terms import CONTROLS
from models.hotel_wtp import wtp_table

pytestmark = pytest.mark.release

TAGS = {
    "Gemma2 9B": "gemma2_9b",
    "GPT-5.4 Nano": "gpt-5_4-nano",
    "Qwen3 8B": "qwen3_latest",
    "Gemma3 4B": "gemma3_latest",
}
# the published tables name two controls differently
PUBLISHED_NAME = {name: f"b_d_{name}" for name in CONTROLS} | {"bed_rank": "b_d_bed"}
BED_WORDS = {
    "king": 3,
    "queen": 2,
    "double": 1,
    "full": 1,
    "twin": 0,
    "single": 0,
    "bunk": 1,
}


def bed_rank(room: str) -> float:
    found = [rank for word, rank in BED_WORDS.items() if word in room.lower()]
    return float(found[0]) if found else 1.0


def options(tasks: pd.DataFrame, letters: str) -> pd.DataFrame:
    """One row for each option of each task, with the terms of the models."""
    parts = []
    for position, letter in enumerate(letters):
        part = pd.DataFrame(
            {
                "task_id": tasks["task_id"],
                "group_id": tasks["group_id"],
                "position": position,
                "option": letter.upper(),
                "hotel_id": tasks[f"{letter}_hotel_id"].astype(int),
                "stars": tasks[f"{letter}_stars"].astype(float),
                "bed_rank": tasks[f"{letter}_room_type"].map(bed_rank),
                "cancel": tasks[f"{letter}_cancellation_free"].astype(float),
                "breakfast": tasks[f"{letter}_breakfast_included"].astype(float),
                "review_score": tasks[f"{letter}_review_score"].astype(float),
                "review_count_100": tasks[f"{letter}_review_count"] / 100,
                "price_usd": tasks[f"{letter}_price"].astype(float),
            }
        )
        parts.append(part)
    stacked = pd.concat(parts)
    stacked["log_price"] = np.log(stacked["price_usd"])
    return stacked


def answers(folder: Path, tag: str) -> pd.DataFrame:
    original = pd.read_csv(folder / f"conjoint_results_{tag}.csv")
    swapped = pd.read_csv(folder / f"conjoint_results_{tag}_swap.csv")
    swapped["task_id"] -= 10000
    return pd.concat([original.assign(swap=False), swapped.assign(swap=True)])


def long_table(
    tasks: pd.DataFrame, folder: Path, tag: str, model: str, variant: str = "base"
) -> pd.DataFrame:
    rows = answers(folder, tag).merge(options(tasks, "ab"), on="task_id")
    is_a = rows["option"] == "A"
    return rows.assign(
        study_id="release",
        model_id=model,
        variant=variant,
        input_fingerprint="-",
        answer_key=rows["task_id"].astype(str) + rows["swap"].astype(str),
        slot_sign=np.where(is_a, np.where(rows["swap"], -1.0, 1.0), 0.0),
        # an empty choice counts as B in the published reading
        chosen_as_published=(rows["choice"] == "A") == is_a,
        chosen_audited=(rows["choice"] == rows["option"])
        .astype(object)
        .where(rows["choice"].notna(), None),
    ).drop(columns="raw_output")


@pytest.fixture(scope="module")
def long_answers(release_hotel: Path) -> pa.Table:
    tasks = pd.read_csv(release_hotel / "conjoint_tasks.csv")
    binary = tasks[tasks["task_type"] == "binary"]
    parts = [long_table(binary, release_hotel, tag, name) for name, tag in TAGS.items()]
    return pa.Table.from_pandas(pd.concat(parts), preserve_index=False)


@pytest.fixture(scope="module")
def fits(long_answers: pa.Table) -> pa.Table:
    return fit_table(long_answers)


def one_fit(fits: pa.Table, model: str, specification: str, design: str) -> dict:
    (row,) = [
        row
        for row in fits.to_pylist()
        if (row["model_id"], row["specification"], row["design"])
        == (model, specification, design)
    ]
    return row


@pytest.fixture(scope="module")
def personality(release_hotel: Path) -> pd.DataFrame:
    table = pd.read_csv(
        release_hotel / "published" / "personality.csv", float_precision="round_trip"
    )
    return table.set_index("model")


@pytest.mark.parametrize("model", TAGS)
@pytest.mark.parametrize(
    ("specification", "short"), [("log", "logp"), ("linear", "linp")]
)
def test_published_binary_fits(
    fits: pa.Table,
    personality: pd.DataFrame,
    model: str,
    specification: str,
    short: str,
) -> None:
    row, published = (
        one_fit(fits, model, specification, "as_published"),
        personality.loc[model],
    )
    suffix = "log" if specification == "log" else "lin"
    assert row["n"] == published["n"]
    assert row["aic"] == pytest.approx(published[f"aic_{suffix}"], abs=1e-8)
    # the published null model is itself a numerical maximum
    assert row["pseudo_r2"] == pytest.approx(published[f"r2_{suffix}"], rel=1e-8)
    names = {row["term"][-1]: f"b_{short}"}
    if specification == "log":
        names |= PUBLISHED_NAME
    for term, column in names.items():
        place = row["term"].index(term)
        assert row["estimate"][place] == pytest.approx(published[column], rel=1e-9)
        assert row["std_error"][place] == pytest.approx(
            published[f"{column}_se"], rel=1e-9
        )
        # a p-value at z = 35 magnifies a relative error of z by z squared
        assert row["p_value"][place] == pytest.approx(
            published[f"{column}_p"], rel=1e-7
        )


@pytest.mark.parametrize("model", TAGS)
def test_published_willingness_to_pay(
    fits: pa.Table,
    personality: pd.DataFrame,
    release_hotel: Path,
    model: str,
) -> None:
    rows = {
        (row["specification"], row["attribute"]): row
        for row in wtp_table(fits).to_pylist()
        if row["model_id"] == model and row["design"] == "as_published"
    }
    columns = {
        "stars": "wtp_star",
        "review_score": "wtp_review",
        "cancel": "wtp_cancel",
        "breakfast": "wtp_breakfast",
    }
    for attribute, column in columns.items():
        linear = rows["linear", attribute]
        assert linear["wtp_usd"] == pytest.approx(
            personality.loc[model, column], rel=1e-9
        )
        assert linear["std_error"] is None
    reference = pd.read_csv(
        release_hotel / "published" / "wtp_reference.csv", index_col="model"
    )
    headline = rows["log", "review_score"]
    assert headline["wtp_usd"] == pytest.approx(
        reference.loc[model, "wtp_250"], rel=1e-9
    )
    # the published table lists exactly the well-identified engaged models
    assert headline["p_identified"] is True


def test_published_variants_with_errors_of_willingness_to_pay(
    release_hotel: Path,
) -> None:
    published = pd.read_csv(
        release_hotel / "published" / "variant_ablation.csv",
        float_precision="round_trip",
    )
    published = published[published["model"] == "Gemma2 9B"].set_index("variant")
    tasks = pd.read_csv(release_hotel / "tasks_binary_r2.csv")
    parts = [
        long_table(
            tasks,
            release_hotel,
            "gemma2_9b" if variant == "baseline" else f"gemma2_9b_{variant}",
            "Gemma2 9B",
            variant,
        )
        for variant in published.index
    ]
    table = fit_table(pa.Table.from_pandas(pd.concat(parts), preserve_index=False))
    worth = {
        row["variant"]: row
        for row in wtp_table(table).to_pylist()
        if (row["attribute"], row["specification"], row["design"])
        == ("review_score", "log", "as_published")
    }
    assert set(worth) == set(published.index) >= {"baseline", "json", "cot"}
    for row in table.to_pylist():
        if (row["specification"], row["design"]) != ("log", "as_published"):
            continue
        variant = row["variant"]
        expected = published.loc[variant]
        assert row["n"] == expected["n"]
        for term, column in (("log_price", "b_logp"), ("review_score", "b_review")):
            place = row["term"].index(term)
            assert row["estimate"][place] == pytest.approx(expected[column], rel=1e-9)
            assert row["std_error"][place] == pytest.approx(
                expected[f"{column}_se"], rel=1e-9
            )
        assert worth[variant]["wtp_usd"] == pytest.approx(expected["wtp250"], rel=1e-9)
        assert worth[variant]["std_error"] == pytest.approx(
            expected["wtp250_se"], rel=1e-9
        )


@pytest.mark.parametrize("model", TAGS)
@pytest.mark.parametrize("specification", ["log", "linear"])
def test_audited_binary_fits(
    fits: pa.Table, release_hotel: Path, model: str, specification: str
) -> None:
    table = pd.read_csv(release_hotel / "audited_binary_logit.csv")
    table = table[
        (table["model"] == model) & (table["specification"] == specification)
    ].set_index("term")
    row = one_fit(fits, model, specification, "audited")
    assert row["term"] == table.index.tolist()
    assert [row["n"]] * 8 == table["n"].tolist()
    assert [row["clusters"]] * 8 == table["clusters"].tolist()
    for column in ("estimate", "std_error", "cluster_std_error"):
        np.testing.assert_allclose(row[column], table[column], rtol=1e-7)
    np.testing.assert_allclose(
        row["log_likelihood"], table["log_likelihood"], rtol=1e-12
    )
    assert row["status"] == "ok"
    assert set(row["term_status"]) == {"ok"}
    assert None not in row["twoway_std_error"]


def ternary_design(
    folder: Path, tag: str, price: str, *, slots: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Terms of the three options, chosen positions and groups of the ternary answers.

    Slots: the original order shows A, B, C in slots 1, 2, 3; the swapped one reverses.
    """
    tasks = pd.read_csv(folder / "conjoint_tasks.csv")
    stacked = options(tasks[tasks["task_type"] == "ternary"], "abc")
    given = answers(folder, tag).dropna(subset="choice")
    rows = given.merge(stacked, on="task_id").sort_values(
        ["swap", "task_id", "position"]
    )
    slot = np.where(rows["swap"], 2 - rows["position"], rows["position"])
    names = [*CONTROLS, price]
    if slots:
        rows = rows.assign(slot1=slot == 0, slot2=slot == 1)
        names = ["slot1", "slot2", *names]
    x = rows[names].to_numpy(dtype=float).reshape(-1, 3, len(names))
    picked = (rows["choice"] == rows["option"]).to_numpy().reshape(-1, 3)
    assert (picked.sum(axis=1) == 1).all()
    return x, picked.argmax(axis=1), rows["group_id"].to_numpy()[::3]


@pytest.mark.parametrize("model", TAGS)
@pytest.mark.parametrize(
    ("specification", "price"), [("log", "log_price"), ("linear", "price_usd")]
)
def test_audited_ternary_fits_by_the_same_core(
    release_hotel: Path, model: str, specification: str, price: str
) -> None:
    table = pd.read_csv(release_hotel / "audited_ternary_logit.csv")
    table = table[(table["model"] == model) & (table["specification"] == specification)]
    x, chosen, groups = ternary_design(release_hotel, TAGS[model], price, slots=True)
    result = fit(choice_data(x, chosen))
    clusters = prepare_clusters(groups)
    clustered = cluster_covariance(result.influence, clusters)
    assert [result.n] * len(table) == table["n"].tolist()
    assert [clusters.count] * len(table) == table["clusters"].tolist()
    np.testing.assert_allclose(result.estimate, table["estimate"], rtol=1e-6)
    np.testing.assert_allclose(result.std_error, table["std_error"], rtol=1e-6)
    np.testing.assert_allclose(
        np.sqrt(np.diagonal(clustered)), table["cluster_std_error"], rtol=1e-6
    )
    np.testing.assert_allclose(
        result.log_likelihood, table["log_likelihood"], rtol=1e-10
    )


@pytest.mark.parametrize("model", TAGS)
@pytest.mark.parametrize(
    ("short", "ll", "price"),
    [("logp", "llf_log", "log_price"), ("linp", "llf_lin", "price_usd")],
)
def test_published_ternary_fits_by_the_same_core(
    release_hotel: Path, model: str, short: str, ll: str, price: str
) -> None:
    published = pd.read_csv(
        release_hotel / "published" / "personality_ternary.csv", index_col="model"
    )
    if model not in published.index:
        pytest.fail(f"{model} is not in the published ternary table")
    x, chosen, _ = ternary_design(release_hotel, TAGS[model], price, slots=False)
    result = fit(choice_data(x, chosen))
    row = published.loc[model]
    # the published search stopped short of the maximum, by about 1e-5 in coefficients
    assert result.estimate[-1] == pytest.approx(row[f"b_{short}"], abs=1e-4)
    assert result.std_error[-1] == pytest.approx(row[f"b_{short}_se"], rel=1e-3)
    assert result.log_likelihood == pytest.approx(row[ll], rel=1e-9)
    assert result.log_likelihood >= row[ll] - 1e-9


def test_figures_computed_outside_for_a_model_that_leans_to_the_second_slot(
    long_answers: pa.Table, fits: pa.Table
) -> None:
    # Qwen3 8B, log form, by other packages on the released files: clustered errors of
    # the published terms, the fit without an intercept, and with intercept and slot
    row = one_fit(fits, "Qwen3 8B", "log", "as_published")
    clustered = dict(zip(row["term"], row["cluster_std_error"], strict=True))
    # that package's clustered errors also hold a factor (n - 1) / (n - k)
    more = np.sqrt(3599 / 3592)
    assert clustered["log_price"] * more == pytest.approx(0.0601, abs=5e-5)
    assert clustered["review_score"] * more == pytest.approx(0.0533, abs=5e-5)

    table = long_answers.to_pandas()
    table = table[table["model_id"] == "Qwen3 8B"].sort_values(["answer_key", "option"])
    names = ["slot_sign", *CONTROLS, "log_price"]
    x = table[names].to_numpy(dtype=float).reshape(-1, 2, 8)
    chosen = 1 - table["chosen_as_published"].to_numpy(dtype=int)[::2]
    bare = fit(choice_data(x[:, :, 1:], chosen))
    assert bare.estimate[-1] == pytest.approx(-0.5550810921, abs=5e-11)
    assert bare.std_error[-1] == pytest.approx(0.0784941703, abs=5e-11)
    assert bare.log_likelihood == pytest.approx(-2397.2491294, abs=5e-8)

    intercept = np.zeros((len(x), 2, 1))
    intercept[:, 0] = 1
    full = fit(
        choice_data(np.concatenate([intercept, x], axis=2), chosen),
        null="option_shares",
    )
    found = dict(zip(["intercept", *names], full.estimate, strict=True))
    errors = dict(zip(["intercept", *names], full.std_error, strict=True))
    for term, value, error in (
        ("slot_sign", -3.3593, 0.1100),
        ("log_price", -2.0525, 0.1685),
        ("review_score", 2.0341, 0.1436),
    ):
        assert found[term] == pytest.approx(value, abs=5e-5)
        assert errors[term] == pytest.approx(error, abs=5e-5)
    r2 = 1 - full.log_likelihood / full.null_log_likelihood
    assert r2 == pytest.approx(0.6887, abs=5e-5)
