"""Five-option predictions and paired comparisons from the published answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from models.choice_data import choice_data
from models.clusters import cluster_sums, prepare_clusters
from models.comparison import comparison_table, rank_table
from models.conditional_logit import LogitFit, fit
from models.five_option import TERMS, five_option_table
from models.hotel_figures import figure_table
from models.hotel_terms import CONTROLS
from models.variant_effect import variant_effect_table

pytestmark = pytest.mark.release

Tables = dict[str, pd.DataFrame]

TAGS = {
    "Gemma2 9B": "gemma2_9b",
    "GPT-5.4 Nano": "gpt-5_4-nano",
    "Qwen3 8B": "qwen3_latest",
    "Gemma3 4B": "gemma3_latest",
}
BED_WORDS = ("king", "queen", "double", "full", "twin", "single", "bunk")
BED_RANKS = (3, 2, 1, 1, 0, 0, 1)


def bed_rank(room: str) -> float:
    found = [r for w, r in zip(BED_WORDS, BED_RANKS, strict=True) if w in room.lower()]
    return float(found[0]) if found else 1.0


def option_values(tasks: pd.DataFrame, letters: str) -> np.ndarray:
    """Terms of the options of each task, shape (tasks, options, terms)."""
    return np.stack(
        [
            np.column_stack(
                [
                    tasks[f"{letter}_stars"],
                    tasks[f"{letter}_room_type"].map(bed_rank),
                    tasks[f"{letter}_cancellation_free"],
                    tasks[f"{letter}_breakfast_included"],
                    tasks[f"{letter}_review_score"],
                    tasks[f"{letter}_review_count"] / 100,
                    np.log(tasks[f"{letter}_price"]),
                ]
            ).astype(float)
            for letter in letters
        ],
        axis=1,
    )


def read_answers(folder: Path, name: str) -> pd.DataFrame:
    swapped = pd.read_csv(folder / f"conjoint_results_{name}_swap.csv")
    swapped["task_id"] -= 10000
    original = pd.read_csv(folder / f"conjoint_results_{name}.csv")
    return pd.concat([original.assign(swap=0), swapped.assign(swap=1)])


def test_five_option_prediction_from_the_answers(
    release_hotel: Path, published_tables: Tables
) -> None:
    tasks = pd.read_csv(release_hotel / "conjoint_tasks.csv")
    tasks = tasks[tasks["task_type"] == "binary"].set_index("task_id")
    given = read_answers(release_hotel, "gemma2_9b")
    given = given[given["task_id"].isin(tasks.index)]
    x = option_values(tasks.loc[given["task_id"]], "ab")
    lead = np.zeros((len(x), 2, 1))
    lead[:, 0] = 1
    chosen = (given["choice"] != "A").to_numpy(dtype=int)
    result = fit(choice_data(np.concatenate([lead, x], axis=2), chosen))
    assert (TERMS[:-1], TERMS[-1]) == (CONTROLS, "log_price")

    five = pd.read_csv(release_hotel / "tasks_5opt.csv").set_index("task_id")
    answers = read_answers(release_hotel, "gemma2_9b_5opt").dropna(subset="choice")
    values = option_values(five.loc[answers["task_id"]], "abcde")
    n = len(answers)
    columns: dict[str, Any] = {
        "study_id": ["release"] * 5 * n,
        "model_id": ["Gemma2 9B"] * 5 * n,
        "answer_key": np.repeat(
            answers["task_id"].astype(str) + "-" + answers["swap"].astype(str), 5
        ).tolist(),
        "option": list("ABCDE") * n,
        "group_id": np.repeat(five.loc[answers["task_id"], "group_id"], 5).tolist(),
        "chosen": (
            answers["choice"].to_numpy()[:, None] == np.array(list("ABCDE"))
        ).ravel(),
        **dict(zip(TERMS, values.reshape(-1, 7).T, strict=True)),
    }
    readings = ("as_published", "audited")
    both = {
        reading: five_option_table(
            {**columns, "reading": [reading] * 5 * n},
            {
                "study_id": ["release"] * 8,
                "model_id": ["Gemma2 9B"] * 8,
                "reading": [reading] * 8,
                "term": ["intercept", *TERMS],
                "estimate": result.estimate,
                "status": ["ok"] * 8,
            },
        ).to_pylist()[0]
        for reading in readings
    }
    row = both["as_published"]
    expected = published_tables["fiveopt_results"].set_index("model").loc["Gemma2 9B"]
    assert result.estimate[-1] == pytest.approx(expected["b_logp_binary"], rel=1e-9)
    assert row["n"] == expected["n_valid"] == 600
    assert row["hit_rate"] == pytest.approx(expected["hit_rate"], rel=1e-14)
    assert row["top_two_rate"] == pytest.approx(expected["top2_rate"], rel=1e-14)
    assert row["mean_rank"] == pytest.approx(expected["mean_rank"], rel=1e-14)
    assert row["hit_rate_ci_lo"] is None
    audited = both["audited"]
    assert audited["clusters"] == 300
    assert audited["hit_rate_ci_lo"] > audited["hit_rate_chance"] == 0.2
    assert audited["log_score"] > audited["log_score_chance"]


class Audited:
    """The audited log form of one run on the two-option tasks."""

    def __init__(self, folder: Path, tag: str, tasks: pd.DataFrame) -> None:
        given = read_answers(folder, tag).dropna(subset="choice")
        given = given[given["task_id"].isin(tasks.index)]
        shown = tasks.loc[given["task_id"]]
        slot = np.zeros((len(given), 2, 1))
        slot[:, 0, 0] = 1 - 2 * given["swap"]
        self.x = np.concatenate([slot, option_values(shown, "ab")], axis=2)
        self.chosen = (given["choice"] == "B").to_numpy(dtype=int)
        self.groups = shown["group_id"].to_numpy()
        self.clusters = prepare_clusters(self.groups)
        self.fit: LogitFit = fit(choice_data(self.x, self.chosen))
        self.influence = cluster_sums(self.fit.influence, self.clusters)

    def row(self, model: str) -> dict[str, Any]:
        spread = self.influence.T @ self.influence
        factor = self.clusters.count / (self.clusters.count - 1)
        error = np.sqrt(np.diagonal(spread) * factor)
        return {
            "study_id": "release",
            "model_id": model,
            "variant": "base",
            "specification": "log",
            "design": "audited",
            "term": ["slot", *TERMS],
            "estimate": self.fit.estimate.tolist(),
            "ci_lo": (self.fit.estimate - 1.96 * error).tolist(),
            "ci_hi": (self.fit.estimate + 1.96 * error).tolist(),
            "term_status": list(self.fit.term_status),
            "cluster_id": [str(name) for name in self.clusters.ids],
            "cluster_influence": self.influence.ravel().tolist(),
        }


def stacked_difference(first: Audited, second: Audited) -> tuple[Any, Any]:
    """First minus second by one logit of both, clustered, from statsmodels."""
    from statsmodels.api import Logit

    d = [run.x[:, 0] - run.x[:, 1] for run in (first, second)]
    x = np.block([[d[0], d[0]], [d[1], np.zeros_like(d[1])]])
    y = np.concatenate([run.chosen == 0 for run in (first, second)]).astype(float)
    outside = Logit(y, x).fit(
        disp=0,
        method="newton",
        tol=1e-12,
        cov_type="cluster",
        cov_kwds={
            "groups": np.concatenate([first.groups, second.groups]),
            "use_correction": False,
        },
    )
    return outside.params[8:], outside.bse[8:]


@pytest.fixture(scope="module")
def binary(release_hotel: Path) -> pd.DataFrame:
    tasks = pd.read_csv(release_hotel / "conjoint_tasks.csv")
    return tasks[tasks["task_type"] == "binary"].set_index("task_id")


@pytest.fixture(scope="module")
def runs(release_hotel: Path, binary: pd.DataFrame) -> dict[str, Audited]:
    return {name: Audited(release_hotel, tag, binary) for name, tag in TAGS.items()}


def test_models_compared_in_pairs(
    runs: dict[str, Audited], release_hotel: Path
) -> None:
    fits = [run.row(name) for name, run in runs.items()]
    columns = {name: [row[name] for row in fits] for name in fits[0]}
    figures = figure_table(columns)
    pairs = {
        (row["metric"], row["model_a"], row["model_b"]): row
        for row in comparison_table(figures).to_pylist()
    }
    assert len(pairs) == 5 * 6
    for (metric, a, b), row in pairs.items():
        assert (row["n_paired"], row["clusters"], row["status"]) == (450, 450, "ok")
        assert row["family_tests"] == 6
        assert row["p_value"] <= row["p_adjusted"] <= 1
        # every model once; each such fit takes seconds
        if metric == "log_price" and "Gemma2 9B" in (a, b):
            gap, error = stacked_difference(runs[a], runs[b])
            assert row["difference"] == pytest.approx(gap[-1], rel=1e-7)
            assert row["std_error"] == pytest.approx(
                error[-1] * np.sqrt(450 / 449), rel=1e-6
            )
    # by outside packages: Qwen3 8B is worth 248 dollars a point once its slot is in
    worth = {
        row["model_id"]: row
        for row in rank_table(figures).to_pylist()
        if row["metric"] == "wtp_review_score_usd"
    }
    assert worth["Qwen3 8B"]["estimate"] == pytest.approx(248, abs=0.5)
    table = pd.read_csv(release_hotel / "audited_binary_logit.csv")
    table = table[table["specification"] == "log"].set_index(["model", "term"])
    for name, row in worth.items():
        estimate = table["estimate"]
        expected = -250 * estimate[name, "review_score"] / estimate[name, "log_price"]
        assert row["estimate"] == pytest.approx(expected, rel=1e-6)
        assert 1 <= row["rank_lo"] <= row["rank"] <= row["rank_hi"] <= 4
    # the cheapest point of the four is Gemma2 9B's, and surely so
    assert (worth["Gemma2 9B"]["rank_lo"], worth["Gemma2 9B"]["rank_hi"]) == (4, 4)


def test_persona_against_the_main_run_on_the_same_tasks(release_hotel: Path) -> None:
    tasks = pd.read_csv(release_hotel / "tasks_binary_r2.csv").set_index("task_id")
    base = Audited(release_hotel, "gemma2_9b", tasks)
    persona = Audited(release_hotel, "gemma2_9b_persona", tasks)
    sides = {"": persona, "base_": base}
    row: dict[str, Any] = {
        "study_id": "release",
        "reading": "audited",
        "model_id": "Gemma2 9B",
        "variant": "persona",
        "statistic": "log_price",
    }
    for side, run in sides.items():
        row |= {
            f"{side}estimate": run.fit.estimate[-1],
            f"{side}std_error": run.fit.std_error[-1],
            f"{side}status": "ok",
            f"{side}cluster_id": [str(name) for name in run.clusters.ids],
            f"{side}influence": run.influence[:, -1],
        }
    (found,) = variant_effect_table(
        {name: [value] for name, value in row.items()}
    ).to_pylist()
    gap, error = stacked_difference(persona, base)
    assert (found["method"], found["n_paired"], found["status"]) == (
        "paired",
        450,
        "ok",
    )
    assert found["difference"] == pytest.approx(gap[-1], rel=1e-7)
    assert found["std_error"] == pytest.approx(error[-1] * np.sqrt(450 / 449), rel=1e-6)
