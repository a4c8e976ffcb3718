"""Samples for conditional logits, and equality of fits in every bit."""

from __future__ import annotations

import numpy as np

from models.choice_data import ChoiceData, choice_data
from models.conditional_logit import LogitFit


def binary_sample(
    seed: int, n: int, k: int, *, steep: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of an intercept and k - 1 differences, and whether A was chosen."""
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(n), rng.normal(size=(n, k - 1))])
    beta = rng.normal(size=k) * steep
    return rows, (rows @ beta + rng.logistic(size=n) > 0).astype(int)


def as_choices(rows: np.ndarray, picks_a: np.ndarray) -> ChoiceData:
    """Write a binary logit of rows as sets of two options, the second all zero."""
    x = np.zeros((len(rows), 2, rows.shape[1]))
    x[:, 0] = rows
    return choice_data(x, 1 - picks_a)


def ternary_sample(
    seed: int, n: int, k: int, j: int = 3
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, j, k))
    utility = x @ rng.normal(size=k) + rng.gumbel(size=(n, j))
    return x, utility.argmax(axis=1)


def same(a: LogitFit, b: LogitFit) -> bool:
    """Equal in every bit, NaN included."""
    arrays = [(getattr(a, f), getattr(b, f)) for f in ("estimate", "covariance")]
    return (
        all(np.array_equal(p, q, equal_nan=True) for p, q in arrays)
        and (a.log_likelihood, a.status) == (b.log_likelihood, b.status)
        and a.term_status == b.term_status
    )
