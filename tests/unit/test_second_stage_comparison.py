"""Paired differences, families, ranks: by hand, against stacking, by simulation."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from models.choice_data import choice_data
from models.clusters import cluster_sums, prepare_clusters
from models.comparison import (
    COMPARISON_INPUT,
    COMPARISON_SCHEMA,
    RANK_SCHEMA,
    comparison_table,
    rank_table,
)
from models.conditional_logit import fit
from models.covariance import cluster_covariance
from models.inference import holm
from models.influence import cluster_variance, mean_influence, ratio_influence
from models.paired import (
    DETECTABLE_ERRORS,
    Figures,
    align,
    differences,
    rank_intervals,
)

Z = 1.959963984540054
ONE = np.array([0]), np.array([1])


def every_pair(m: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(m, k=1)


def test_difference_by_hand() -> None:
    # second lacks cluster c: differences of influences .1 - .3, -.2 + .3, .1 - 0
    figures = align(
        [2.0, 1.0], [["a", "b", "c"], ["b", "a"]], [[0.1, -0.2, 0.1], [-0.3, 0.3]]
    )
    result = differences(figures, *ONE)
    # squares .04 + .01 + .01 = .06, times 3/2 for three clusters in all
    assert result.std_error[0] == pytest.approx(0.3, rel=1e-12)
    assert (result.difference[0], result.shared[0], result.clusters[0]) == (1, 2, 3)
    assert result.ci_lo[0] == pytest.approx(1 - Z * 0.3, rel=1e-12)
    # z.975 + z.8 = 1.95996 + 0.84162
    assert pytest.approx(2.801585, abs=5e-7) == DETECTABLE_ERRORS
    assert result.smallest_detectable[0] == pytest.approx(0.3 * DETECTABLE_ERRORS)


def test_figures_without_common_ground_have_no_error() -> None:
    apart = align([1.0, 2.0], [["a", "b"], ["c", "d"]], [[0.1, -0.1], [0.2, -0.2]])
    same = align([1.0, 1.0], [["a", "b"]] * 2, [[0.1, -0.1]] * 2)
    one = align([1.0, 2.0], [["a"]] * 2, [[0.1], [0.2]])
    for figures, shared in ((apart, 0), (same, 2), (one, 1)):
        result = differences(figures, *ONE)
        assert result.shared[0] == shared
        assert np.isnan([result.std_error[0], result.p_value[0]]).all()


@pytest.mark.parametrize(
    ("ids", "influence", "message"),
    [
        (["a"], [0.1, 0.2], "figure 0: needs one finite influence"),
        (["a"], [np.nan], "figure 0: needs one finite influence"),
        (["a", "a"], [0.1, 0.2], "figure 0: a cluster stands twice"),
    ],
)
def test_misfitting_influences_are_refused(
    ids: list[str], influence: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        align([1.0], [ids], [influence])


def answers(
    beta: list[float], seed: int, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.random.default_rng(99).normal(size=(len(groups), 2, len(beta)))
    return x, (x @ np.array(beta) + rng.gumbel(size=(len(groups), 2))).argmax(axis=1)


def test_paired_error_is_that_of_the_stacked_models() -> None:
    from statsmodels.api import Logit

    groups = np.repeat(np.arange(60), 4)
    betas = [1.0, -0.5], [0.4, -0.8]
    data = [answers(beta, seed, groups) for seed, beta in enumerate(betas)]
    clusters = prepare_clusters(groups)
    fits = [fit(choice_data(x, chosen)) for x, chosen in data]
    names = [str(name) for name in clusters.ids]
    figures = align(
        [result.estimate[0] for result in fits],
        [names, names],
        [cluster_sums(result.influence, clusters)[:, 0] for result in fits],
    )
    result = differences(figures, *ONE)

    # one logit of both models, every term also times "second model"; clusters shared
    d = [x[:, 0] - x[:, 1] for x, _ in data]
    y = np.concatenate([chosen == 0 for _, chosen in data]).astype(float)
    stacked = np.block([[d[0], np.zeros_like(d[0])], [d[1], d[1]]])
    outside = Logit(y, stacked).fit(
        disp=0,
        method="newton",
        tol=1e-12,
        cov_type="cluster",
        cov_kwds={"groups": np.tile(groups, 2), "use_correction": False},
    )
    assert result.difference[0] == pytest.approx(-outside.params[2], rel=1e-9)
    assert result.std_error[0] == pytest.approx(
        outside.bse[2] * np.sqrt(60 / 59), rel=1e-8
    )


def test_influences_on_ratio_and_mean() -> None:
    groups = np.repeat(np.arange(40), 3)
    x, chosen = answers([1.0, -0.5], 5, groups)
    clusters = prepare_clusters(groups)
    result = fit(choice_data(x, chosen))
    influence = cluster_sums(result.influence, clusters)
    covariance = cluster_covariance(result.influence, clusters)
    assert cluster_variance(influence[:, 0]) == pytest.approx(
        covariance[0, 0], rel=1e-12
    )
    a, b = result.estimate
    # the delta method on the clustered covariance, written out
    gradient = np.array([-1 / b, a / b**2]) * 250
    on_ratio = ratio_influence(a, b, influence[:, 0], influence[:, 1], scale=250)
    assert cluster_variance(on_ratio) == pytest.approx(
        gradient @ covariance @ gradient, rel=1e-10
    )
    assert np.isnan(ratio_influence(1.0, 0.0, influence[:, 0], influence[:, 1])).all()
    # a mean of 0.75 over two clusters: (1 - 2 x .75) / 4 and (2 - 2 x .75) / 4
    shares = mean_influence(
        np.array([1.0, 0.0, 1.0, 1.0]), prepare_clusters([1, 1, 2, 2])
    )
    np.testing.assert_allclose(shares, [-0.125, 0.125])
    assert np.isnan(cluster_variance(shares[:1]))
    assert len(mean_influence(np.zeros(0), prepare_clusters([]))) == 0


def board(
    estimates: list[float | None], clusters: int = 40, **changes: list[Any]
) -> dict[str, Any]:
    m = len(estimates)
    noise = np.random.default_rng(7).normal(scale=0.01, size=(m, clusters))
    names = [str(cluster) for cluster in range(clusters)]
    return {
        "study_id": ["s"] * m,
        "reading": ["audited"] * m,
        "metric": ["wtp"] * m,
        "model_id": [f"m{place:02d}" for place in range(m)],
        "estimate": estimates,
        "status": ["ok"] * m,
        "cluster_id": [names] * m,
        "influence": [row.tolist() for row in noise],
    } | changes


def test_family_holds_the_pairs_that_are_ok() -> None:
    columns = board([1.0, 2.0, 3.0, None], status=["ok", "ok", "weak", "separated"])
    rows = comparison_table(columns).to_pylist()
    assert [(row["model_a"], row["model_b"]) for row in rows] == [
        ("m00", "m01"),
        ("m00", "m02"),
        ("m01", "m02"),
    ]
    assert [row["status"] for row in rows] == ["ok", "weak", "weak"]
    assert {row["family_tests"] for row in rows} == {1}
    assert rows[0]["p_adjusted"] == rows[0]["p_value"]
    assert rows[1]["p_adjusted"] is None
    assert rows[1]["p_value"] is not None


def test_holm_over_all_pairs() -> None:
    rows = comparison_table(board([0.0, 0.05, 0.2])).to_pylist()
    raw = [row["p_value"] for row in rows]
    first, second, third = sorted(range(3), key=raw.__getitem__)
    assert rows[first]["p_adjusted"] == pytest.approx(3 * raw[first])
    assert rows[second]["p_adjusted"] == pytest.approx(2 * raw[second])
    assert rows[third]["p_adjusted"] == pytest.approx(raw[third])


def test_few_shared_clusters_and_twins_are_told() -> None:
    columns = board([1.0, 2.0], clusters=29)
    (row,) = comparison_table(columns).to_pylist()
    assert (row["n_paired"], row["status"], row["p_adjusted"]) == (29, "too_few", None)
    columns = board([1.0, 1.0])
    columns["influence"][1] = columns["influence"][0]
    (row,) = comparison_table(columns).to_pylist()
    assert (row["difference"], row["std_error"]) == (0, None)
    assert row["status"] == "no_variation"


def test_above_sixty_models_neighbours_and_listed_pairs_are_compared() -> None:
    rng = np.random.default_rng(2)
    estimates = rng.permutation(61).astype(float).tolist()
    listed = [("m07", "m03"), ("m00", "absent")]
    rows = comparison_table(board(estimates), listed).to_pylist()
    near = {
        (row["model_a"], row["model_b"]) for row in rows if abs(row["difference"]) == 1
    }
    assert len(near) == 60
    assert {(row["model_a"], row["model_b"]) for row in rows} == near | {("m03", "m07")}
    assert {row["family_tests"] for row in rows} == {len(rows)}
    assert comparison_table(board(estimates[:60])).num_rows == 60 * 59 // 2


def test_ranks_by_hand() -> None:
    # errors of .1: 0 and .1 cannot be told apart, 5 stands alone
    estimate = np.array([0.0, 5.0, 0.1])
    first, second = every_pair(3)
    best, worst = rank_intervals(estimate, first, second, np.full(3, 0.1))
    assert best.tolist() == [2, 1, 2]
    assert worst.tolist() == [3, 1, 3]
    best, worst = rank_intervals(estimate, first, second, np.full(3, np.nan))
    assert (best.tolist(), worst.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_rank_table_shares_ranks_and_leaves_out_what_is_not_ok() -> None:
    columns = board([3.0, 9.0, 3.0, 1.0], status=["ok", "weak", "ok", "ok"])
    rows = rank_table(columns).to_pylist()
    assert [row["rank"] for row in rows] == [1, None, 1, 3]
    assert [(row["rank_lo"], row["rank_hi"]) for row in rows] == [
        (1, 2),
        (None, None),
        (1, 2),
        (3, 3),
    ]
    assert {row["ranked_models"] for row in rows} == {3}
    assert rows[1]["smallest_detectable"] is None
    pairs = comparison_table(columns).to_pylist()
    own = [
        row["smallest_detectable"]
        for row in pairs
        if "m03" in (row["model_a"], row["model_b"]) and row["status"] == "ok"
    ]
    assert rows[3]["smallest_detectable"] == pytest.approx(np.median(own), rel=1e-12)


def test_a_listed_metric_is_ranked_from_its_smallest_estimate() -> None:
    columns = board([-3.0, -1.0, -3.0])
    for listed, ranks in (("wtp", [1, 3, 1]), ("other", [2, 1, 2])):
        rows = rank_table(columns, [listed]).to_pylist()
        assert [row["rank"] for row in rows] == ranks
        assert [row["estimate"] for row in rows] == columns["estimate"]
        ends = [(row["rank_lo"], row["rank_hi"]) for row in rows]
        assert ends[0] == ends[2] == (min(ranks[::2]), min(ranks[::2]) + 1)


def test_one_model_ranks_first_and_none_ranks_nothing() -> None:
    (row,) = rank_table(board([3.0])).to_pylist()
    assert (row["rank"], row["rank_lo"], row["rank_hi"]) == (1, 1, 1)
    assert row["smallest_detectable"] is None
    (row,) = rank_table(board([None])).to_pylist()
    assert (row["rank"], row["ranked_models"]) == (None, 0)
    assert comparison_table(board([3.0])).num_rows == 0


def test_row_and_cluster_order_change_nothing() -> None:
    columns = board([1.0, 3.0, 2.0, 2.0])
    turned = {name: values[::-1] for name, values in columns.items()}
    turned["cluster_id"] = [names[::-1] for names in turned["cluster_id"]]
    turned["influence"] = [values[::-1] for values in turned["influence"]]
    assert comparison_table(columns).equals(comparison_table(turned))
    assert rank_table(columns).equals(rank_table(turned))


def test_estimate_without_influences_is_refused() -> None:
    columns = board([1.0, 2.0])
    columns["influence"] = [columns["influence"][0], None]
    for function in (comparison_table, rank_table):
        with pytest.raises(ValueError, match="s audited wtp m01 has an estimate"):
            function(columns)


def test_empty_input_gives_empty_tables() -> None:
    for function, schema in (
        (comparison_table, COMPARISON_SCHEMA),
        (rank_table, RANK_SCHEMA),
    ):
        table = function(COMPARISON_INPUT.empty_table())
        assert (table.schema, table.num_rows) == (schema, 0)


def shares(rng: np.random.Generator, truth: np.ndarray, clusters: int) -> Figures:
    """Mean figures of models that share what is particular to a task."""
    common = rng.normal(size=clusters)
    values = (
        truth[:, None] + common + rng.normal(scale=0.5, size=(len(truth), clusters))
    )
    means = values.mean(axis=1)
    influence = (values - means[:, None]) / clusters
    return Figures(means, influence, np.ones(values.shape, dtype=bool))


def test_paired_test_keeps_its_size_where_the_unpaired_one_does_not() -> None:
    rng = np.random.default_rng(20260)
    rejected, unpaired = 0, 0
    replicates = 4000
    for _ in range(replicates):
        figures = shares(rng, np.zeros(2), 200)
        result = differences(figures, *ONE)
        rejected += result.p_value[0] < 0.05
        alone = np.sqrt(sum(cluster_variance(row) for row in figures.influence))
        unpaired += abs(result.difference[0]) > Z * alone
    assert 0.04 <= rejected / replicates <= 0.06
    # two independent samples would have an error of sqrt(2.5), not sqrt(.5)
    assert unpaired / replicates < 0.01


@pytest.fixture
def quick_collection() -> Iterator[None]:
    """Hide long-lived objects from the collection that statsmodels forces per call."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("quick_collection")
def test_holm_keeps_the_chance_of_any_false_difference() -> None:
    rng = np.random.default_rng(20262)
    first, second = every_pair(5)
    replicates, any_adjusted, any_raw = 2000, 0, 0
    for _ in range(replicates):
        result = differences(shares(rng, np.zeros(5), 200), first, second)
        any_adjusted += bool((holm(result.p_value) < 0.05).any())
        any_raw += bool((result.p_value < 0.05).any())
    assert any_adjusted / replicates <= 0.06
    # ten unadjusted tests would err in about a quarter of boards
    assert any_raw / replicates > 0.15


@pytest.mark.usefixtures("quick_collection")
def test_rank_intervals_cover_all_ranks_at_once() -> None:
    rng = np.random.default_rng(20261)
    # spacing of about one error: some neighbours are told apart, some not; no ties
    truth = np.linspace(1.0, 0.0, 8)
    first, second = every_pair(8)
    replicates, covered, widths = 400, 0, 0.0
    for _ in range(replicates):
        figures = shares(rng, truth, 100)
        result = differences(figures, first, second)
        best, worst = rank_intervals(figures.estimate, first, second, result.std_error)
        ranks = np.arange(1, 9)
        covered += bool(((best <= ranks) & (ranks <= worst)).all())
        widths += float((worst - best).mean()) / replicates
    # 400 draws of at least 95 %: two standard errors below is 92.8 %
    assert covered / replicates >= 0.928
    # and they say something: far narrower than 1 to 8
    assert 0 < widths < 3
