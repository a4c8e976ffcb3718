"""Brand similarity: correlations, permutations, refusals."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from models.permutation import (
    SIMILARITY_INPUT,
    SIMILARITY_SCHEMA,
    Generator,
    pair_correlations,
    similarity_table,
    similarity_test,
)

# two pairs of opposite tastes: r is 1 inside a provider and -1 across
VECTORS = np.array([[1.0, 2, 3], [2, 4, 6], [3, 2, 1], [6, 4, 2]])
PROVIDERS = ["p", "p", "q", "q"]
BOTH: tuple[Generator, ...] = ("as_published", "audited")


def long(vectors: np.ndarray, providers: list[str], reading: str) -> dict[str, Any]:
    m, b = vectors.shape
    return {
        "study_id": ["s"] * m * b,
        "reading": [reading] * m * b,
        "specification": ["brand"] * m * b,
        "display_name": np.repeat([f"m{row}" for row in range(m)], b),
        "provider": np.repeat(providers, b),
        "brand": [f"b{column}" for column in range(b)] * m,
        "estimate": vectors.ravel(),
    }


def test_correlations_agree_with_numpy_and_flat_vectors_have_none() -> None:
    vectors = np.random.default_rng(3).normal(size=(6, 5))
    np.testing.assert_allclose(
        pair_correlations(vectors), np.corrcoef(vectors), atol=1e-14
    )
    vectors[2] = 0.1
    r = pair_correlations(vectors)
    assert np.isnan(r[2]).all()
    assert np.isfinite(np.delete(np.delete(r, 2, 0), 2, 1)).all()


@pytest.mark.parametrize("generator", BOTH)
def test_gap_and_p_by_hand(generator: Generator) -> None:
    test = similarity_test(VECTORS, PROVIDERS, generator=generator)
    assert (test.within, test.across) == (pytest.approx(1), pytest.approx(-1))
    assert test.gap == pytest.approx(2)
    assert (test.within_pairs, test.across_pairs, test.skipped_pairs) == (2, 4, 0)
    # other partitions put opposite tastes together: within -1, across (1 + 1 - 1 - 1)/4
    assert set(np.round(test.permuted, 12)) == {2.0, -1.0}
    # one partition in three keeps the providers, and ties with the observed gap
    assert test.at_least_as_large == (test.permuted > 0).sum()
    assert test.p_value == pytest.approx(1 / 3, abs=0.04)
    extra = generator == "audited"
    assert test.p_value == (test.at_least_as_large + extra) / (2000 + extra)


def test_audited_p_is_near_that_of_all_permutations() -> None:
    vectors = np.random.default_rng(8).normal(size=(6, 5))
    providers = ["p", "p", "q", "q", "r", "r"]
    test = similarity_test(vectors, providers, generator="audited")
    first, second = np.triu_indices(6, k=1)
    r = np.corrcoef(vectors)[first, second]
    gaps = []
    for order in permutations(providers):
        same = np.array(
            [order[a] == order[b] for a, b in zip(first, second, strict=True)]
        )
        gaps.append(r[same].mean() - r[~same].mean())
    exact = np.mean(np.array(gaps) >= test.gap - 1e-12)
    # four standard errors of a share of 2,000 draws
    assert test.p_value == pytest.approx(exact, abs=4 * 0.5 / np.sqrt(2000))


def test_p_is_never_zero_in_the_audited_reading() -> None:
    vectors = np.concatenate(
        [np.tile([1.0, 2, 4], (9, 1)), np.tile([4.0, 1, 0], (9, 1))]
    )
    vectors += np.random.default_rng(1).normal(scale=0.01, size=vectors.shape)
    providers = ["p"] * 9 + ["q"] * 9
    # a permutation that keeps the partition has a chance of 1 in 24,310
    published = similarity_test(vectors, providers, generator="as_published")
    audited = similarity_test(vectors, providers, generator="audited")
    assert published.p_value == 0
    assert audited.p_value == 1 / 2001


@pytest.mark.parametrize("providers", [["p"] * 4, ["p", "q", "r", "t"]])
def test_one_side_without_pairs_is_too_few(providers: list[str]) -> None:
    test = similarity_test(VECTORS, providers, generator="audited")
    assert test.status == "too_few"
    assert np.isnan([test.gap, test.p_value]).all()


def test_side_without_a_correlation_has_no_variation() -> None:
    vectors = VECTORS.copy()
    vectors[[0, 2]] = 1.0
    test = similarity_test(vectors, PROVIDERS, generator="audited")
    assert (test.status, test.skipped_pairs) == ("no_variation", 5)
    assert np.isnan(test.gap)


def test_providers_must_match() -> None:
    with pytest.raises(ValueError, match="one for each of 4 models, got 3"):
        similarity_test(VECTORS, PROVIDERS[:3], generator="audited")


def test_table_counts_what_it_leaves_out() -> None:
    columns = long(VECTORS, PROVIDERS, "audited")
    columns["estimate"] = [*columns["estimate"][:-1], None]
    (row,) = similarity_table(columns).to_pylist()
    assert (row["models"], row["models_left_out"]) == (3, 1)
    assert row["all_brands_positive_models"] == 3
    assert (row["within_pairs"], row["across_pairs"]) == (1, 2)
    assert row["status"] == "ok"


def test_row_order_changes_nothing() -> None:
    columns = long(
        np.random.default_rng(5).normal(size=(8, 5)), PROVIDERS * 2, "audited"
    )
    shuffled = {name: list(values)[::-1] for name, values in columns.items()}
    assert similarity_table(columns).equals(similarity_table(shuffled))


def test_undefined_test_shows_nulls() -> None:
    (row,) = similarity_table(long(VECTORS[:1], ["p"], "as_published")).to_pylist()
    assert row["status"] == "too_few"
    for name in ("gap", "p_value", "at_least_as_large", "null_sd", "null_p95"):
        assert row[name] is None


def test_empty_input_gives_an_empty_table() -> None:
    table = similarity_table(SIMILARITY_INPUT.empty_table())
    assert (table.schema, table.num_rows) == (SIMILARITY_SCHEMA, 0)


def test_refusals_name_the_row() -> None:
    with pytest.raises(ValueError, match="unknown reading 'guessed'"):
        similarity_table(long(VECTORS, PROVIDERS, "guessed"))
    columns = long(VECTORS, PROVIDERS, "audited")
    columns["provider"][0] = "q"
    with pytest.raises(ValueError, match="m0 has providers"):
        similarity_table(columns)
