"""Clustered covariances against statsmodels, written-out sums and special cases."""

from __future__ import annotations

import numpy as np
import pytest

from models.choice_data import choice_data
from models.clusters import (
    carrying_clusters,
    cluster_sums,
    prepare_clusters,
)
from models.conditional_logit import LogitFit, fit
from models.covariance import (
    ABSENT,
    cluster_covariance,
    prepare_shared_members,
    prepare_twoway,
    shared_member_spread,
    twoway_covariance,
)


def binary_fit(
    seed: int, n: int, k: int = 3
) -> tuple[LogitFit, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, k))
    picks = (rows @ rng.normal(size=k) + rng.logistic(size=n) > 0).astype(int)
    x = np.zeros((n, 2, k))
    x[:, 0] = rows
    return fit(choice_data(x, 1 - picks)), rows, picks


def spread_over_pairs(influence: np.ndarray, related: np.ndarray) -> np.ndarray:
    """Write out the sum of influence products over related pairs of situations."""
    total = np.zeros((influence.shape[1],) * 2)
    for a in range(len(influence)):
        for b in range(len(influence)):
            if related[a, b]:
                total += np.outer(influence[a], influence[b])
    return total


def share_any(members: np.ndarray) -> np.ndarray:
    sets = [set(row.tolist()) - {ABSENT} for row in members]
    return np.array([[bool(a & b) for b in sets] for a in sets])


@pytest.mark.parametrize("seed", range(4))
def test_crv1_equals_statsmodels(seed: int) -> None:
    import statsmodels.api as sm

    n, k = 400, 3
    result, rows, picks = binary_fit(seed, n, k)
    groups = np.random.default_rng(seed + 100).integers(0, 40, n)
    clusters = prepare_clusters(groups)
    other = sm.Logit(picks, rows).fit(
        disp=0, tol=1e-14, cov_type="cluster", cov_kwds={"groups": groups}
    )
    # statsmodels multiplies by (n - 1) / (n - k) as well; audited errors do not
    undone = other.cov_params() * (n - k) / (n - 1)
    np.testing.assert_allclose(
        cluster_covariance(result.influence, clusters), undone, rtol=1e-9, atol=1e-14
    )


def test_every_row_its_own_cluster_is_the_sandwich() -> None:
    result, rows, picks = binary_fit(5, 100)
    p = 1 / (1 + np.exp(-rows @ result.estimate))
    meat = (rows * ((picks - p) ** 2)[:, None]).T @ rows
    sandwich = result.covariance @ meat @ result.covariance * 100 / 99
    clustered = cluster_covariance(result.influence, prepare_clusters(range(100)))
    np.testing.assert_allclose(clustered, sandwich, rtol=1e-10)


def test_clustered_by_hand() -> None:
    influence = np.array([[1.0], [2.0], [-3.0], [0.5]])
    # clusters {1, 2} and {3, 4}: sums 3 and -2.5, squares 9 + 6.25 = 15.25, factor 2/1
    clustered = cluster_covariance(influence, prepare_clusters(["a", "a", "b", "b"]))
    assert clustered == pytest.approx(np.array([[30.5]]), rel=1e-15)


def test_one_cluster_has_no_error() -> None:
    result, _, _ = binary_fit(6, 50)
    assert np.isnan(
        cluster_covariance(result.influence, prepare_clusters([1] * 50))
    ).all()
    assert np.isnan(cluster_covariance(np.zeros((0, 2)), prepare_clusters([]))).all()


def test_term_without_estimate_stays_undefined_and_alone() -> None:
    influence = np.array([[1.0, np.nan], [2.0, np.nan], [4.0, np.nan]])
    clustered = cluster_covariance(influence, prepare_clusters([1, 2, 3]))
    # (1 + 4 + 16) x 3/2
    assert clustered[0, 0] == pytest.approx(31.5)
    assert np.isnan(clustered[1]).all()
    assert np.isnan(clustered[:, 1]).all()


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_shared_members_equal_the_sum_over_pairs(m: int) -> None:
    rng = np.random.default_rng(m)
    influence = rng.normal(size=(40, 2))
    members = np.array([rng.choice(12, m, replace=False) for _ in range(40)])
    if m == 3:
        members[::4, 1] = ABSENT
        members[1::4, 2] = members[1::4, 0]
    shared = shared_member_spread(influence, prepare_shared_members(members))
    np.testing.assert_allclose(
        shared, spread_over_pairs(influence, share_any(members)), rtol=1e-11, atol=1e-12
    )


def test_shared_members_by_hand() -> None:
    influence = np.array([[1.0], [10.0], [100.0]])
    members = np.array([[1, 2], [2, 3], [3, 4]])
    # pairs that share a hotel: each with itself, first and second, second and third:
    # 1 + 100 + 10000 + 2 x 10 + 2 x 1000 = 12121
    shared = shared_member_spread(influence, prepare_shared_members(members))
    assert shared == pytest.approx(np.array([[12121.0]]), rel=1e-15)


def test_two_ways_equal_statsmodels_where_hotels_divide_the_rows() -> None:
    import statsmodels.api as sm
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    # one hotel a situation: the textbook case of two crossed divisions
    n, k = 600, 3
    result, rows, picks = binary_fit(7, n, k)
    rng = np.random.default_rng(8)
    groups, hotels = rng.integers(0, 30, n), rng.integers(0, 20, n)
    other = sm.Logit(picks, rows).fit(disp=0, tol=1e-14)
    both, by_group, _ = cov_cluster_2groups(other, groups, hotels, use_correction=True)
    clusters = prepare_clusters(groups)
    ours = twoway_covariance(
        result.influence, prepare_twoway(clusters, hotels[:, None])
    )
    assert ours is not None
    undo = (n - k) / (n - 1)
    np.testing.assert_allclose(
        cluster_covariance(result.influence, clusters), by_group * undo, rtol=1e-9
    )
    np.testing.assert_allclose(ours, both * undo, rtol=1e-8, atol=1e-14)


def test_two_ways_written_out_for_pairs_of_hotels() -> None:
    rng = np.random.default_rng(9)
    n = 120
    result, _, _ = binary_fit(9, n)
    groups = rng.integers(0, 30, n)
    members = np.array([rng.choice(25, 2, replace=False) for _ in range(n)])
    same_group = groups[:, None] == groups[None]
    share = share_any(members)
    both = len({(g, *sorted(m)) for g, m in zip(groups, members.tolist(), strict=True)})
    g, h = len(set(groups.tolist())), len(set(members.ravel().tolist()))
    written_out = (
        spread_over_pairs(result.influence, same_group) * g / (g - 1)
        + spread_over_pairs(result.influence, share) * h / (h - 1)
        - spread_over_pairs(result.influence, share & same_group) * both / (both - 1)
    )
    ours = twoway_covariance(
        result.influence, prepare_twoway(prepare_clusters(groups), members)
    )
    assert np.linalg.eigvalsh(written_out)[0] > 0
    assert ours is not None
    np.testing.assert_allclose(ours, written_out, rtol=1e-9, atol=1e-12)


def test_groups_of_fixed_hotels_leave_the_sum_by_hotel() -> None:
    rng = np.random.default_rng(10)
    result, _, _ = binary_fit(10, 160)
    pair_of_group = np.array([rng.choice(40, 2, replace=False) for _ in range(40)])
    groups = np.repeat(np.arange(40), 4)
    members = pair_of_group[groups]
    ours = twoway_covariance(
        result.influence, prepare_twoway(prepare_clusters(groups), members)
    )
    h = len(np.unique(pair_of_group))
    by_hotel = spread_over_pairs(result.influence, share_any(members)) * h / (h - 1)
    assert ours is not None
    np.testing.assert_allclose(ours, by_hotel, rtol=1e-9, atol=1e-12)


def test_groups_without_a_common_hotel_give_the_one_way_spread() -> None:
    result, _, _ = binary_fit(11, 100)
    groups = np.repeat(np.arange(25), 4)
    members = np.column_stack([2 * groups, 2 * groups + 1])
    clusters = prepare_clusters(groups)
    ours = twoway_covariance(result.influence, prepare_twoway(clusters, members))
    assert ours is not None
    # the same pairs are summed; only the factor counts 50 hotels instead of 25 groups
    one_way = cluster_covariance(result.influence, clusters) * (24 / 25) * (50 / 49)
    np.testing.assert_allclose(ours, one_way, rtol=1e-9)


def test_matrix_that_is_not_positive_is_refused() -> None:
    # two situations of opposite influence share a hotel with a third of none:
    # by group 1 + 1, by hotel (1 - 1)^2 = 0, both 1 + 1: nothing is left
    influence = np.array([[1.0], [-1.0]])
    twoway = prepare_twoway(prepare_clusters([1, 2]), np.array([[1, 2], [2, 3]]))
    assert twoway_covariance(influence, twoway) is None


def test_two_ways_need_two_groups_and_two_hotels() -> None:
    influence = np.array([[1.0], [2.0]])
    one_group = prepare_twoway(prepare_clusters([1, 1]), np.array([[1, 2], [2, 3]]))
    one_hotel = prepare_twoway(prepare_clusters([1, 2]), np.array([[1], [1]]))
    assert twoway_covariance(influence, one_group) is None
    assert twoway_covariance(influence, one_hotel) is None


@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_changes_no_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    influence, groups = rng.normal(size=(200, 3)), rng.integers(0, 20, 200)
    members = np.array([rng.choice(30, 2, replace=False) for _ in range(200)])
    moved = rng.permutation(200)
    first = prepare_clusters(groups), prepare_clusters(groups[moved])
    assert np.array_equal(first[0].codes[moved], first[1].codes)
    assert np.array_equal(
        cluster_covariance(influence, first[0]),
        cluster_covariance(influence[moved], first[1]),
    )
    one = twoway_covariance(influence, prepare_twoway(first[0], members))
    two = twoway_covariance(influence[moved], prepare_twoway(first[1], members[moved]))
    assert (one is None) == (two is None)
    spreads = [
        shared_member_spread(influence, prepare_shared_members(members)),
        shared_member_spread(influence[moved], prepare_shared_members(members[moved])),
    ]
    assert np.array_equal(*spreads)


def test_clusters_by_hand() -> None:
    clusters = prepare_clusters(["b", "a", "b", "c"])
    assert clusters.codes.tolist() == [1, 0, 1, 2]
    assert clusters.counts.tolist() == [1, 2, 1]
    assert (clusters.count, clusters.ids.tolist()) == (3, ["a", "b", "c"])
    sums = cluster_sums(np.array([[1.0], [2.0], [4.0], [8.0]]), clusters)
    assert sums.ravel().tolist() == [2.0, 5.0, 8.0]


def test_no_rows_no_clusters() -> None:
    clusters = prepare_clusters([])
    assert clusters.count == 0
    assert cluster_sums(np.zeros((0, 2)), clusters).shape == (0, 2)


@pytest.mark.parametrize(
    "ids",
    [
        ["a", None, "b"],
        np.array([1.0, np.nan, 2.0]),
        np.array([1, float("nan"), 3], dtype=object),
    ],
)
def test_missing_cluster_id_names_its_row(ids: list[object]) -> None:
    with pytest.raises(ValueError, match="row 1 has none"):
        prepare_clusters(ids)


def test_clusters_that_carry_a_term() -> None:
    varies = np.array([[True, False], [True, False], [False, True], [True, False]])
    carrying = carrying_clusters(varies, prepare_clusters([1, 1, 2, 3]))
    assert carrying.tolist() == [2, 1]
