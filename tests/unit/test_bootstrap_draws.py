"""The draws of the bootstrap: published values, shapes, limits."""

from __future__ import annotations

import numpy as np
import pytest

from models.bootstrap_draws import REPLICATES, SEED, draw_blocks, draw_counts


def test_published_draws() -> None:
    # Kireyev (2026) prints of the 500 x 450 places: the first five, the last three,
    # and their sum; counts keep the sum as sum over places of place x count
    places = np.random.default_rng(SEED).integers(0, 450, (500, 450))
    assert places[0, :5].tolist() == [40, 348, 294, 197, 194]
    assert places[-1, -3:].tolist() == [182, 444, 420]
    counts = draw_counts(REPLICATES["as_published"], 450).astype(np.int64)
    assert int((counts @ np.arange(450)).sum()) == 50_558_365
    for row in (0, 499):
        expected = np.bincount(places[row], minlength=450)
        assert counts[row].tolist() == expected.tolist()


def test_row_by_row_is_the_same_as_all_at_once() -> None:
    rng = np.random.default_rng(SEED)
    rows = [np.bincount(rng.integers(0, 7, 7), minlength=7) for _ in range(9)]
    assert np.array_equal(draw_counts(9, 7), rows)


def test_every_replicate_has_as_many_clusters_as_the_sample() -> None:
    assert (draw_counts(REPLICATES["audited"], 31).sum(axis=1) == 31).all()


def test_a_shorter_draw_begins_a_longer_one() -> None:
    assert np.array_equal(draw_counts(500, 450), draw_counts(2000, 450)[:500])


def test_limits() -> None:
    assert draw_counts(3, 0).shape == (3, 0)
    assert draw_counts(0, 5).shape == (0, 5)
    assert draw_counts(4, 1).tolist() == [[1]] * 4
    with pytest.raises(ValueError, match="replicates: at least 0 needed, got -1"):
        draw_counts(-1, 5)
    with pytest.raises(ValueError, match="clusters: 0 to 65535"):
        draw_counts(1, 65536)


def test_blocks_put_together_are_one_draw() -> None:
    for rows in (1, 4, 9, 50):
        blocks = list(draw_blocks(9, 7, seed=5, rows=rows))
        assert max(len(block) for block in blocks) <= rows
        assert np.array_equal(np.concatenate(blocks), draw_counts(9, 7, seed=5))
