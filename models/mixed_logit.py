"""Mixed logit: a conditional logit whose tastes differ from panel to panel.

Some coefficients are normal, with a mean and a standard deviation; all answers of a
panel (a pair of hotels) share one draw of them. Axes: n situations, c panels, k terms,
m random coefficients, p = k + m parameters: the means, then the deviations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from models import status
from models.choice_data import ChoiceData, equal_share_log_likelihood
from models.clusters import Clusters, prepare_clusters
from models.conditional_logit import LogitFit, weigh_scores
from models.conditional_logit import fit as fit_conditional
from models.halton import normal_draws
from models.inference import Z
from models.mixed_likelihood import MixedPoint, Simulation, evaluate, prepare
from models.mixed_panels import Panels, as_choices, lay_out
from models.ordering import Floats, Ints

DRAWS = 500
# a few draws lead close to the maximum of many, at a tenth of the work
FIRST_DRAWS = 50
FIRST_DECREMENT = 1e-3
# squared length of a step in standard errors; the error that the step leaves is about
# its square, so the step below this is taken without looking again
LAST_DECREMENT = 1e-9
QUADRATIC_DECREMENT = 1e-6
LIMIT = 50
HALVINGS = 30
# tastes that add this much utility decide every choice: the likelihood then grows for
# ever, and its slope is lost in rounding before the search would notice
LARGEST_UTILITY = 300.0
# deviations start where the utility they add has this spread: at 0 the likelihood has
# a stationary point
FIRST_SPREAD = 0.5


@dataclass(frozen=True, slots=True)
class MixedFit:
    """A fitted mixed logit; what could not be estimated is NaN with a status.

    Attributes
    ----------
    estimate
        Shape (k,), coefficients; means where they are random.
    sd
        Shape (m,), standard deviations of the random coefficients, at least 0: the
        model says the same with either sign, so the absolute value stands here. A
        given set of draws is not symmetric: with other signs its likelihood has other
        maxima, apart by the error of the simulation. The search starts from plus.
    covariance
        Shape (p, p), inverse of the observed information of the simulated likelihood.
    influence
        Shape (c, p), covariance times the score of each panel, in ascending order of
        panel ids; ``cluster_covariance`` with one panel a cluster makes clustered
        errors of them.
    log_likelihood, conditional_log_likelihood, null_log_likelihood
        Of this model, of the conditional logit with the same terms, and of equal
        shares.
    draws
        For each panel.
    iterations
        Newton steps, those on the first few draws included. The last one is shorter
        than 1e-4 standard errors; scores and information are those before it.
    converged
        Whether a maximum was found.
    n, panels
        Situations of positive weight and the panels they belong to.
    status
        ``ok``; ``weak`` when some ``sd_status`` is; ``separated`` when the conditional
        logit is, ``too_few`` without situations, ``no_variation`` when no term varies,
        ``failed`` without convergence.
    term_status
        Length k: ``ok`` or why there is no estimate.
    sd_status
        Length m: as ``term_status``, and ``weak`` when the 95 % interval of the
        deviation contains 0, the boundary, where normal theory does not hold.
    """

    estimate: Floats
    sd: Floats
    covariance: Floats
    influence: Floats
    log_likelihood: float
    conditional_log_likelihood: float
    null_log_likelihood: float
    draws: int
    iterations: int
    converged: bool
    n: int
    panels: int
    status: str
    term_status: tuple[str, ...]
    sd_status: tuple[str, ...]

    @property
    def std_error(self) -> Floats:
        """Shape (p,), square roots of the diagonal of ``covariance``."""
        errors: Floats = np.sqrt(np.diagonal(self.covariance))
        return errors


def fit_mixed(
    data: ChoiceData,
    panels: Clusters,
    random: Sequence[int],
    *,
    draws: int = DRAWS,
    conditional: LogitFit | None = None,
) -> MixedFit:
    """Fit a mixed logit with normal coefficients by maximum simulated likelihood.

    Newton's method with the exact Hessian, from the conditional logit; Halton draws.
    Train (2009), Discrete Choice Methods with Simulation, chapters 6, 9 and 10.

    Parameters
    ----------
    data
        n situations with j options and k terms. A weight says how often a situation
        counts within its panel; weight 0 leaves it out.
    panels
        The panel of each situation. Panels may differ in size.
    random
        Ascending positions of the terms with a random coefficient, at least 1, at most
        8.
    draws
        For each panel, at least 1. The draws are those of ``normal_draws``, panels in
        ascending order of their ids.
    conditional
        The conditional logit of the same data where it is at hand.

    Returns
    -------
    MixedFit
        Never raises on what the data hold. No situations: ``too_few``. A term without
        variation is left out and the others are fitted. Separation of the conditional
        logit: no estimate at all, since larger tastes always fit better. One panel is
        fitted like any other; its clustered errors are undefined. Input order changes
        nothing, bit for bit.

    Raises
    ------
    ValueError
        ``random`` or ``draws`` out of range, or panels for another number of rows.
    """
    positions = _check(data, panels, random, draws)
    used = data.weights > 0
    if not used.all():
        data = ChoiceData(
            data.x[used], data.available[used], data.chosen[used], data.weights[used]
        )
        panels = prepare_clusters(panels.ids[panels.codes[used]])
        conditional = None
    sets = lay_out(data, panels)
    first = fit_conditional(as_choices(sets)) if conditional is None else conditional
    base = _nothing(data, panels, positions, draws, first)
    kept = np.flatnonzero([label == status.OK for label in first.term_status])
    if first.status in (status.SEPARATED, status.FAILED) or not len(kept):
        return base
    sets = replace(sets, x=np.ascontiguousarray(sets.x[..., kept]))
    random_kept = np.flatnonzero(np.isin(kept, positions))
    climb = _solve(sets, random_kept, first.estimate[kept], draws)
    sd_places = len(first.estimate) + np.flatnonzero(np.isin(positions, kept))
    return _report(base, climb, kept, np.concatenate([kept, sd_places]))


def _check(
    data: ChoiceData, panels: Clusters, random: Sequence[int], draws: int
) -> Ints:
    n, _, k = data.x.shape
    positions = np.asarray(random, dtype=np.int64)
    if len(panels.codes) != n:
        raise ValueError(f"panels: {len(panels.codes)} rows for {n} situations")
    inside = ((positions >= 0) & (positions < k)).all()
    if not len(positions) or not inside or not (np.diff(positions) > 0).all():
        raise ValueError(
            f"random coefficients: {list(random)}; give ascending positions of terms, "
            f"0 to {k - 1}"
        )
    if draws < 1:
        raise ValueError(f"draws: {draws}; give 1 or more")
    return positions


@dataclass(frozen=True, slots=True)
class _Climb:
    """Where Newton's method ended; no inverse information unless it converged."""

    point: MixedPoint
    inverse: Floats | None
    iterations: int


def _solve(sets: Panels, random: Ints, mean: Floats, draws: int) -> _Climb:
    spread = _utility_spread(sets)
    theta = np.concatenate([mean, FIRST_SPREAD / spread[random]])
    largest = LARGEST_UTILITY / np.concatenate([spread, spread[random]])
    values = normal_draws(sets.count, draws, len(random))
    taken = 0
    if draws > FIRST_DRAWS:
        few = prepare(sets, random, values[:, :, :FIRST_DRAWS])
        attempt = _climb(few, theta, largest, FIRST_DECREMENT)
        taken = attempt.iterations
        if attempt.inverse is not None:
            theta = attempt.point.theta
    final = _climb(prepare(sets, random, values), theta, largest, LAST_DECREMENT)
    return replace(final, iterations=taken + final.iterations)


def _utility_spread(sets: Panels) -> Floats:
    """Return the root mean square difference of each term, shape (k,)."""
    asked = sets.answers > 0
    rivals = float(np.sum(~sets.absent[asked]))
    spread: Floats = np.sqrt((sets.x**2).sum(axis=(0, 1, 2)) / rivals)
    return spread


def _climb(
    simulation: Simulation, start: Floats, largest: Floats, enough: float
) -> _Climb:
    point = evaluate(simulation, start)
    for taken in range(LIMIT):
        step, inverse = _newton_step(point)
        decrement = float(point.gradient @ step)
        if inverse is not None and decrement <= enough:
            end = replace(
                point,
                theta=point.theta + step,
                log_likelihood=point.log_likelihood + decrement / 2,
            )
            return _Climb(end, inverse, taken + 1)
        ahead = _advance(simulation, point, step, decrement, inverse is not None)
        if ahead is None or (np.abs(ahead.theta) > largest).any():
            return _Climb(point, None, taken)
        point = ahead
    return _Climb(point, None, LIMIT)


def _newton_step(point: MixedPoint) -> tuple[Floats, Floats | None]:
    """Return an uphill step, and the inverse information where it is positive."""
    diagonal = np.abs(np.diagonal(point.information))
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = point.information / np.outer(scale, scale)
    slope = point.gradient / scale
    try:
        inverse = cho_solve(cho_factor(scaled, lower=True), np.eye(len(scale)))
    except np.linalg.LinAlgError:
        # between a stationary point at deviation 0 and the maximum the surface bends
        # the wrong way; the same step with every curvature turned right leads uphill
        values, vectors = np.linalg.eigh(scaled)
        bent = np.maximum(np.abs(values), 1e-3)
        return vectors @ ((vectors.T @ slope) / bent) / scale, None
    inverse = (inverse + inverse.T) / 2 / np.outer(scale, scale)
    return inverse @ point.gradient, inverse


def _advance(
    simulation: Simulation,
    point: MixedPoint,
    step: Floats,
    decrement: float,
    positive: bool,
) -> MixedPoint | None:
    length = 1.0
    for _ in range(HALVINGS):
        ahead = evaluate(simulation, point.theta + length * step)
        # near the top the gain is lost in rounding, and a full step is safe
        near = positive and decrement < QUADRATIC_DECREMENT
        if np.isfinite(ahead.information).all() and (
            near or ahead.log_likelihood > point.log_likelihood
        ):
            return ahead
        length /= 2
    return None


def _nothing(
    data: ChoiceData, panels: Clusters, random: Ints, draws: int, first: LogitFit
) -> MixedFit:
    """Return the result as it stands when no mixed logit has been fitted."""
    n, _, k = data.x.shape
    p = k + len(random)
    labels = first.term_status
    if first.status in (status.SEPARATED, status.FAILED):
        labels = tuple(
            label if label == status.NO_VARIATION else first.status for label in labels
        )
    return MixedFit(
        estimate=np.full(k, np.nan),
        sd=np.full(len(random), np.nan),
        covariance=np.full((p, p), np.nan),
        influence=np.full((panels.count, p), np.nan),
        log_likelihood=float(np.nan),
        conditional_log_likelihood=first.log_likelihood,
        null_log_likelihood=equal_share_log_likelihood(data) if n else float(np.nan),
        draws=draws,
        iterations=0,
        converged=False,
        n=n,
        panels=panels.count,
        status=first.status,
        term_status=labels,
        sd_status=tuple(labels[place] for place in random),
    )


def _report(base: MixedFit, climb: _Climb, kept: Ints, places: Ints) -> MixedFit:
    """Lay out what was fitted by term; ``places`` are the parameters it covers."""
    terms = np.array(base.term_status, dtype=object)
    deviations = np.array(base.sd_status, dtype=object)
    fitted_sd = places[len(kept) :] - len(terms)
    if climb.inverse is None:
        terms[kept] = deviations[fitted_sd] = status.FAILED
        return replace(
            base,
            iterations=climb.iterations,
            status=status.FAILED,
            term_status=tuple(terms.tolist()),
            sd_status=tuple(deviations.tolist()),
        )
    sign = np.ones(len(places))
    sign[len(kept) :] = np.where(climb.point.theta[len(kept) :] < 0, -1.0, 1.0)
    theta, inverse = climb.point.theta * sign, climb.inverse * np.outer(sign, sign)
    values = np.full(len(base.covariance), np.nan)
    covariance, influence = base.covariance.copy(), base.influence.copy()
    values[places] = theta
    covariance[np.ix_(places, places)] = inverse
    influence[:, places] = weigh_scores(climb.point.scores * sign, inverse)
    errors = np.sqrt(np.diagonal(inverse))[len(kept) :]
    boundary = theta[len(kept) :] <= Z * errors
    deviations[fitted_sd[boundary]] = status.WEAK
    return replace(
        base,
        estimate=values[: len(terms)],
        sd=values[len(terms) :],
        covariance=covariance,
        influence=influence,
        log_likelihood=climb.point.log_likelihood,
        iterations=climb.iterations,
        converged=True,
        status=status.WEAK if boundary.any() else status.OK,
        term_status=tuple(terms.tolist()),
        sd_status=tuple(deviations.tolist()),
    )
