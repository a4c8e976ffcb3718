"""Bootstrap of the published answers against the published intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from models.bootstrap import bootstrap
from models.bootstrap_draws import draw_counts
from models.bootstrap_passes import NumpyPasses
from models.choice_data import choice_data
from models.clusters import prepare_clusters
from models.conditional_logit import fit
from models.hotel_bootstrap import bootstrap_table
from models.hotel_bootstrap_ranks import bootstrap_rank_table, count_disjoint
from models.hotel_terms import CONTROLS
from models.inference import Interval

pytestmark = pytest.mark.release

TAGS = {
    "Gemma2 9B": "gemma2_9b",
    "GPT-5.4 Nano": "gpt-5_4-nano",
    "Qwen3 8B": "qwen3_latest",
    "Gemma3 4B": "gemma3_latest",
}
# names of the statistics in the published table
PUBLISHED = {
    "log_price": "b_logp",
    "review_score": "b_review",
    "wtp_review_score_usd": "wtp",
}
BEDS = {"king": 3, "queen": 2, "double": 1, "full": 1, "twin": 0, "single": 0}


def bed_rank(room: str) -> float:
    found = [rank for word, rank in BEDS.items() if word in room.lower()]
    return float(found[0]) if found else 1.0


def options(tasks: pd.DataFrame, letters: str) -> pd.DataFrame:
    parts = []
    for letter in letters:
        column = {name: tasks[f"{letter}_{name}"] for name in ("stars", "review_score")}
        part = pd.DataFrame(
            {
                **column,
                "task_id": tasks["task_id"],
                "group_id": tasks["group_id"],
                "option": letter.upper(),
                "hotel_id": tasks[f"{letter}_hotel_id"].astype(int),
                "bed_rank": tasks[f"{letter}_room_type"].map(bed_rank),
                "cancel": tasks[f"{letter}_cancellation_free"].astype(float),
                "breakfast": tasks[f"{letter}_breakfast_included"].astype(float),
                "review_count_100": tasks[f"{letter}_review_count"] / 100,
                "price_usd": tasks[f"{letter}_price"].astype(float),
            }
        )
        parts.append(part.assign(log_price=np.log(part["price_usd"])))
    return pd.concat(parts)


def answers(folder: Path, tag: str) -> pd.DataFrame:
    original = pd.read_csv(folder / f"conjoint_results_{tag}.csv")
    swapped = pd.read_csv(folder / f"conjoint_results_{tag}_swap.csv")
    swapped["task_id"] -= 10000
    return pd.concat([original.assign(sign=1.0), swapped.assign(sign=-1.0)])


@pytest.fixture(scope="module")
def tasks(release_hotel: Path) -> pd.DataFrame:
    return pd.read_csv(release_hotel / "conjoint_tasks.csv")


@pytest.fixture(scope="module")
def long_answers(release_hotel: Path, tasks: pd.DataFrame) -> pa.Table:
    binary = options(tasks[tasks["task_type"] == "binary"], "ab")
    parts = []
    for model, tag in TAGS.items():
        rows = answers(release_hotel, tag).merge(binary, on="task_id")
        is_a = rows["option"] == "A"
        picked = rows["choice"] == rows["option"]
        parts.append(
            rows.assign(
                study_id="release",
                model_id=model,
                variant="base",
                input_fingerprint="-",
                answer_key=rows["task_id"].astype(str) + rows["sign"].astype(str),
                slot_sign=np.where(is_a, rows["sign"], 0.0),
                chosen_as_published=(rows["choice"] == "A") == is_a,
                chosen_audited=picked.astype(object).where(
                    rows["choice"].notna(), None
                ),
            ).drop(columns="raw_output")
        )
    return pa.Table.from_pandas(pd.concat(parts), preserve_index=False)


@pytest.fixture(scope="module")
def published(release_hotel: Path) -> pd.DataFrame:
    path = release_hotel / "published" / "rank_stability_cis.csv"
    return pd.read_csv(path, float_precision="round_trip").set_index("model")


@pytest.fixture(scope="module")
def bootstraps(long_answers: pa.Table, tasks: pd.DataFrame) -> pa.Table:
    binary = tasks.loc[tasks["task_type"] == "binary", "group_id"].unique()
    pairs = {"study_id": ["release"] * len(binary), "group_id": binary}
    return bootstrap_table(long_answers, pairs)


def one(bootstraps: pa.Table, model: str, statistic: str, reading: str) -> dict:
    (row,) = [
        row
        for row in bootstraps.to_pylist()
        if (row["model_id"], row["statistic"], row["reading"])
        == (model, statistic, reading)
    ]
    return row


@pytest.mark.parametrize("statistic", PUBLISHED)
@pytest.mark.parametrize("model", TAGS)
def test_published_intervals(
    bootstraps: pa.Table, published: pd.DataFrame, model: str, statistic: str
) -> None:
    row = one(bootstraps, model, statistic, "as_published")
    expected = published.loc[model]
    short = PUBLISHED[statistic]
    assert row["point"] == pytest.approx(expected[short], rel=1e-9)
    assert row["ci_lo"] == pytest.approx(expected[f"{short}_ci_lo"], rel=1e-7)
    assert row["ci_hi"] == pytest.approx(expected[f"{short}_ci_hi"], rel=1e-7)
    assert row["replicates"] == 500
    assert row["failed_replicates"] == expected["n_boot_fail"] == 0
    assert row["status"] == "ok"


def test_intervals_of_the_paper_for_qwen3_8b(bootstraps: pa.Table) -> None:
    for statistic, lo, hi, digits in (
        ("log_price", -0.6667596, -0.4418415, 5e-8),
        ("review_score", 0.4908555, 0.6878248, 5e-8),
        ("wtp_review_score_usd", 220.1258, 321.1755, 5e-5),
    ):
        row = one(bootstraps, "Qwen3 8B", statistic, "as_published")
        assert row["ci_lo"] == pytest.approx(lo, abs=digits)
        assert row["ci_hi"] == pytest.approx(hi, abs=digits)


def test_order_of_the_four_models_is_the_published_one(
    bootstraps: pa.Table, published: pd.DataFrame
) -> None:
    verdicts = {
        "study_id": ["release"] * len(TAGS),
        "model_id": list(TAGS),
        "engaged": [True] * len(TAGS),
        "locked": [False] * len(TAGS),
    }
    ranked = {
        row["statistic"]: row
        for row in bootstrap_rank_table(bootstraps, verdicts).to_pylist()
        if row["reading"] == "as_published"
    }
    for statistic, column in (
        ("log_price", "rank_absb_point"),
        ("wtp_review_score_usd", "rank_wtp_point"),
    ):
        row = ranked[statistic]
        expected = published.loc[row["model_id"], column].rank()
        assert row["rank"] == expected.tolist()


def test_interval_pairs_of_the_published_table(published: pd.DataFrame) -> None:
    # the paper counts 148 disjoint pairs among the 190 of its 20 identified models
    rows = published[published["in_screen20"]]
    intervals = [
        Interval(lo, hi)
        for lo, hi in zip(rows["wtp_ci_lo"], rows["wtp_ci_hi"], strict=True)
    ]
    assert count_disjoint(intervals) == (190, 148)


@pytest.mark.parametrize("model", TAGS)
def test_audited_intervals_agree_with_clustered_errors(
    release_hotel: Path, bootstraps: pa.Table, model: str
) -> None:
    audited = pd.read_csv(release_hotel / "audited_binary_logit.csv")
    audited = audited[audited["model"] == model].set_index(["specification", "term"])
    for statistic, key in (
        ("log_price", ("log", "log_price")),
        ("review_score", ("log", "review_score")),
        ("price", ("linear", "price")),
        ("review_score_linear", ("linear", "review_score")),
    ):
        row = one(bootstraps, model, statistic, "audited")
        expected = audited.loc[key]
        assert row["point"] == pytest.approx(expected["estimate"], rel=1e-7)
        assert row["replicates"] == 2000
        # both estimate the same spread; 2,000 draws give it to about 2 %, and the
        # clustered error is itself an approximation in a sample of 450 pairs
        half = (row["ci_hi"] - row["ci_lo"]) / 2 / 1.959964
        assert half == pytest.approx(expected["cluster_std_error"], rel=0.12)
        assert row["ci_lo"] < row["point"] < row["ci_hi"]


def test_engines_agree_on_a_published_ternary_block(
    release_hotel: Path, tasks: pd.DataFrame
) -> None:
    ternary = tasks[tasks["task_type"] == "ternary"]
    rows = answers(release_hotel, "gemma2_9b").dropna(subset="choice")
    rows = rows.merge(options(ternary, "abc"), on="task_id").sort_values(
        ["sign", "task_id", "option"]
    )
    place = rows["option"].map({"A": 0, "B": 1, "C": 2}).to_numpy()
    slot = np.where(rows["sign"] < 0, 2 - place, place)
    names = ["slot1", "slot2", *CONTROLS, "log_price"]
    rows = rows.assign(slot1=slot == 0, slot2=slot == 1)
    x = rows[names].to_numpy(dtype=float).reshape(-1, 3, len(names))
    chosen = (rows["choice"] == rows["option"]).to_numpy().reshape(-1, 3).argmax(axis=1)
    clusters = prepare_clusters(rows["group_id"].to_numpy()[::3])
    counts = draw_counts(60, clusters.count)
    assert clusters.count == 300
    compiled = bootstrap(x, chosen, clusters.codes, counts, order_terms=2)
    plain = bootstrap(
        x, chosen, clusters.codes, counts, order_terms=2, passes=NumpyPasses()
    )
    np.testing.assert_allclose(compiled.estimate, plain.estimate, rtol=0, atol=1e-10)
    for replicate in (0, 31, 59):
        weights = counts[replicate, clusters.codes]
        alone = fit(choice_data(x, chosen, weights=weights))
        np.testing.assert_allclose(
            compiled.estimate[replicate], alone.estimate, rtol=0, atol=1e-8
        )
