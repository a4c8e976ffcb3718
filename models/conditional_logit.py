"""Conditional logit with any number of options: the one core behind every block.

Two options make the binary logit of differences; a column that is 1 for one option
only is its intercept. Axes: n situations, j options, k terms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from models import status
from models.choice_data import (
    ChoiceData,
    Rivals,
    equal_share_log_likelihood,
    option_share_log_likelihood,
    rivals,
)
from models.newton import Maximum, maximise
from models.ordering import Bools, Floats
from models.rank import determined_coordinates, independent_columns
from models.separation import proves_overlap, ruled_out_rivals

NullModel = Literal["equal_shares", "option_shares"]
_NULLS = {
    "equal_shares": equal_share_log_likelihood,
    "option_shares": option_share_log_likelihood,
}

# ordinary data need fewer than ten steps; a fit that takes longer is first asked
# whether it has a maximum at all
FIRST_LIMIT = 25
FINAL_LIMIT = 200


@dataclass(frozen=True, slots=True)
class LogitFit:
    """A fitted conditional logit; what could not be estimated is NaN with a status.

    Attributes
    ----------
    estimate
        Shape (k,), coefficients.
    covariance
        Shape (k, k), inverse of the observed information.
    influence
        Shape (n, k), covariance times the score of each situation, in input order:
        what the situation adds to the estimate. The columns sum to 0; sums within
        clusters give clustered covariances.
    log_likelihood
        At the maximum, at most 0. Under separation the value that the likelihood
        approaches and never reaches.
    null_log_likelihood
        Of the null model asked for.
    iterations
        Newton steps.
    converged
        Whether a maximum was found (of what remained, under separation).
    n
        Situations, those of weight 0 included.
    fitted
        Number of terms that have an estimate.
    status
        ``ok``; ``separated`` when some term is; ``no_variation`` when no term varies;
        ``too_few`` without situations; ``failed`` without convergence.
    term_status
        Length k: ``ok``, ``separated``, ``no_variation`` (the term does not vary
        within choice sets, or is a combination of terms before it), ``too_few``,
        ``failed``.
    """

    estimate: Floats
    covariance: Floats
    influence: Floats
    log_likelihood: float
    null_log_likelihood: float
    iterations: int
    converged: bool
    n: int
    fitted: int
    status: str
    term_status: tuple[str, ...]

    @property
    def std_error(self) -> Floats:
        """Shape (k,), square roots of the diagonal of ``covariance``."""
        errors: Floats = np.sqrt(np.diagonal(self.covariance))
        return errors


def fit(data: ChoiceData, *, null: NullModel = "equal_shares") -> LogitFit:
    """Fit a conditional logit by maximum likelihood.

    Newton's method with the exact Hessian; Kireyev (2026) fits the binary form the
    same way, and stops a quasi-Newton search short of the maximum for larger sets.

    Parameters
    ----------
    data
        n situations, j options, k terms, checked by ``choice_data``.
    null
        ``equal_shares``: every available option equally likely. ``option_shares``: one
        constant per option and nothing else (every option must be available).

    Returns
    -------
    LogitFit
        Never raises on what the data hold. No situations: ``too_few``. A term without
        variation inside choice sets, or collinear with earlier terms, is left out as
        ``no_variation`` and the others are fitted. Complete separation: every term
        ``separated``. Quasi-complete separation: rivals that the data rule out leave
        their choice sets, the terms that still have a finite estimate get it, the
        others are ``separated``. Input order changes nothing, bit for bit.

    Raises
    ------
    ValueError
        ``option_shares`` asked for with options missing.
    """
    sets = rivals(data)
    sets = replace(sets, available=sets.available & (sets.weights > 0)[:, None])
    null_log_likelihood = _NULLS[null](data)
    k = data.x.shape[2]
    if not (data.weights > 0).any():
        return _report(data, sets, null_log_likelihood, _Solution.nothing(k))
    return _report(data, sets, null_log_likelihood, _solve(sets, k))


@dataclass(frozen=True, slots=True)
class _Solution:
    """What solving came to, before it is laid out by term.

    ``columns`` are the terms in the order in which they were fitted; the first
    ``reported`` of them have an estimate, the rest only complete the model.
    """

    columns: npt.NDArray[np.intp]
    reported: int
    maximum: Maximum | None
    log_likelihood: float
    status: str
    term_status: tuple[str, ...]

    @classmethod
    def nothing(cls, k: int) -> _Solution:
        return cls(
            np.zeros(0, dtype=np.intp),
            0,
            None,
            np.nan,
            status.TOO_FEW,
            (status.TOO_FEW,) * k,
        )


def _solve(sets: Rivals, k: int) -> _Solution:
    pairs = _pairs(sets, np.arange(k))
    varies = np.flatnonzero(independent_columns(pairs))
    labels = np.full(k, status.NO_VARIATION, dtype=object)
    labels[varies] = status.OK
    if not len(varies):
        overall = status.NO_VARIATION if k else status.OK
        return _Solution(
            varies, 0, None, _equal_shares(sets), overall, tuple(labels.tolist())
        )
    differences = pairs[:, varies]
    attempt = _climb(sets, varies, FIRST_LIMIT)
    if not (
        attempt.converged and proves_overlap(differences, _multipliers(sets, attempt))
    ):
        out = ruled_out_rivals(differences)
        if out.any():
            return _solve_on_face(sets, varies, out, labels)
        if not attempt.converged:
            attempt = _climb(sets, varies, FINAL_LIMIT)
    overall = status.OK if attempt.converged else status.FAILED
    labels[varies] = overall
    return _Solution(
        varies,
        len(varies) if attempt.converged else 0,
        attempt,
        attempt.point.log_likelihood if attempt.converged else np.nan,
        overall,
        tuple(labels.tolist()),
    )


def _solve_on_face(
    sets: Rivals,
    varies: npt.NDArray[np.intp],
    out: Bools,
    labels: npt.NDArray[np.object_],
) -> _Solution:
    """Fit what a receding direction leaves: the limit of the model along it."""
    available = sets.available.copy()
    available[sets.available] = ~out
    face = replace(sets, available=available)
    left = _pairs(face, varies)
    finite = determined_coordinates(left)
    labels[varies[~finite]] = status.SEPARATED
    # separated terms that still vary on the face stay in the model, after the others
    ordered = np.concatenate([np.flatnonzero(finite), np.flatnonzero(~finite)])
    columns = varies[ordered[independent_columns(left[:, ordered])]]
    reported = int(finite.sum())
    maximum = _climb(face, columns, FINAL_LIMIT) if len(columns) else None
    value = _equal_shares(face) if maximum is None else maximum.point.log_likelihood
    overall = status.SEPARATED
    if maximum is not None and not maximum.converged:
        labels[varies[finite]] = status.FAILED
        reported, value, overall = 0, np.nan, status.FAILED
    return _Solution(columns, reported, maximum, value, overall, tuple(labels.tolist()))


def _pairs(sets: Rivals, columns: npt.NDArray[np.intp]) -> Floats:
    return sets.z[columns][:, sets.available].T


def _multipliers(sets: Rivals, attempt: Maximum) -> Floats:
    return (attempt.point.probabilities * sets.weights[:, None])[sets.available]


def _climb(sets: Rivals, columns: npt.NDArray[np.intp], limit: int) -> Maximum:
    chosen_terms = replace(sets, z=np.ascontiguousarray(sets.z[columns]))
    return maximise(chosen_terms, start=np.zeros(len(columns)), limit=limit)


def _equal_shares(sets: Rivals) -> float:
    return 0.0 - float(np.sum(sets.weights * np.log1p(sets.available.sum(axis=1))))


def _report(
    data: ChoiceData, sets: Rivals, null_log_likelihood: float, solution: _Solution
) -> LogitFit:
    n, _, k = data.x.shape
    estimate = np.full(k, np.nan)
    covariance = np.full((k, k), np.nan)
    influence = np.full((n, k), np.nan)
    terms = solution.columns[: solution.reported]
    maximum = solution.maximum
    if maximum is not None and maximum.covariance is not None and len(terms):
        kept = slice(0, solution.reported)
        estimate[terms] = maximum.point.beta[kept]
        covariance[np.ix_(terms, terms)] = maximum.covariance[kept, kept]
        influence[np.ix_(sets.order, terms)] = weigh_scores(
            maximum.point.scores, maximum.covariance
        )[:, kept]
    return LogitFit(
        estimate=estimate,
        covariance=covariance,
        influence=influence,
        log_likelihood=solution.log_likelihood,
        null_log_likelihood=null_log_likelihood,
        iterations=0 if maximum is None else maximum.iterations,
        converged=maximum is not None and maximum.converged,
        n=n,
        fitted=len(terms),
        status=solution.status,
        term_status=solution.term_status,
    )


def weigh_scores(scores: Floats, covariance: Floats) -> Floats:
    """Turn scores into influences, row by row.

    Parameters
    ----------
    scores
        Shape (n, k), one row for each situation.
    covariance
        Shape (k, k), inverse information.

    Returns
    -------
    numpy.ndarray
        Shape (n, k), scores times covariance. Summed term by term, so that a row's
        value does not depend on its position, which a matrix product would not promise.
    """
    by_term = np.zeros(scores.shape[::-1])
    for term, of_term in enumerate(np.ascontiguousarray(scores.T)):
        by_term += covariance[term][:, None] * of_term
    influence: Floats = by_term.T
    return influence
