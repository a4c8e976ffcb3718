"""Does a maximum of the likelihood exist? Decided exactly, by linear programming.

A direction b recedes when moving along it never makes a rival more attractive than the
chosen option (z'b <= 0 for every rival) and makes at least one less so: the likelihood
then rises for ever and the coefficients that b moves have no finite estimate. Albert
and Anderson (1984) for the cases; Geyer (2009), sections 3.12-3.15, for what remains:
rivals that a receding direction rules out get probability 0, drop out of their choice
sets, and the coefficients that no receding direction moves are estimated from the rest.

Axes: m pairs of a situation and one of its rivals, k terms.
"""

from __future__ import annotations

import numpy as np

from models.ordering import Bools, Floats
from models.rank import scaled_columns

# with columns in [-1, 1] and b in the unit box, HiGHS keeps its constraints to 1e-10;
# a margin above this is no rounding
MARGIN = 1e-7
SOLVER_TOLERANCE = 1e-10
# weights from which a proof of overlap is tried, largest set of pairs first
WEIGHT_FLOORS = (0.0, 1e-9, 1e-7, 1e-5, 1e-3)


def ruled_out_rivals(differences: Floats) -> Bools:
    """Mark the rivals that some receding direction rules out.

    Parameters
    ----------
    differences
        Shape (m, k), rival minus chosen option, finite, rows in canonical order.

    Returns
    -------
    numpy.ndarray
        Shape (m,). All false when the choices overlap, so that a finite maximum exists
        (up to collinear terms); all true under complete separation; some under
        quasi-complete separation. Empty for m = 0.

    Raises
    ------
    RuntimeError
        As for ``lowest_receding``.
    """
    columns = scaled_columns(differences)
    out = np.zeros(differences.shape[0], dtype=bool)
    # one direction need not rule out all that can be: what it leaves is asked again,
    # at most k times, since each round lowers the rank of the rest
    while not out.all():
        left = np.flatnonzero(~out)
        direction = lowest_receding(columns[left], columns[left].sum(axis=0))
        found = columns[left] @ direction < -MARGIN
        if not found.any():
            break
        out[left[found]] = True
    return out


def lowest_receding(columns: Floats, objective: Floats) -> Floats:
    """Minimise an objective over the directions of the unit box that never lose.

    Parameters
    ----------
    columns
        Shape (m, k), rival minus chosen option, scaled to [-1, 1].
    objective
        Shape (k,).

    Returns
    -------
    numpy.ndarray
        Shape (k,), a direction that makes no rival more attractive, to the tolerance of
        the solver. Zeros when only those do, as without separation.

    Raises
    ------
    RuntimeError
        The solver gives no answer; the programme always has one (0 is feasible and the
        box is bounded), so this points at a broken installation.
    """
    # scipy.optimize takes most of a second to import, and few fits come this far
    from scipy.optimize import linprog

    solution = linprog(
        objective,
        A_ub=columns,
        b_ub=np.zeros(columns.shape[0]),
        bounds=[(-1.0, 1.0)] * columns.shape[1],
        method="highs",
        options={
            "primal_feasibility_tolerance": SOLVER_TOLERANCE,
            "dual_feasibility_tolerance": SOLVER_TOLERANCE,
        },
    )
    if solution.x is None:
        raise RuntimeError(
            f"separation test: HiGHS stopped with status {solution.status} "
            f"({solution.message}); check the scipy installation"
        )
    return np.asarray(solution.x, dtype=np.float64)


def proves_overlap(differences: Floats, multipliers: Floats) -> bool:
    """Say whether positive multipliers prove that no receding direction exists.

    By Stiemke's theorem there is none exactly if positive weights make the differences
    sum to zero. At a maximum the choice probabilities are such weights up to rounding;
    the proof holds when the least change that makes the sum exactly zero keeps every
    one of them positive. Pairs of full column rank that overlap among themselves are
    proof for all, so pairs with next to no weight, which rounding could turn negative,
    may be left out. It spares the linear programme, never overrules it.

    Parameters
    ----------
    differences
        Shape (m, k), rival minus chosen option, with full column rank.
    multipliers
        Shape (m,), candidate weights, for instance fitted probabilities.

    Returns
    -------
    bool
        True is a proof that a finite maximum exists; False says nothing.
    """
    for floor in WEIGHT_FLOORS:
        kept = multipliers > floor
        if not kept.any():
            return False
        if _sums_to_zero(differences[kept], multipliers[kept]):
            return True
    return False


def _sums_to_zero(differences: Floats, multipliers: Floats) -> bool:
    columns = scaled_columns(differences)
    gram = columns.T @ columns
    rest = columns.T @ multipliers
    try:
        correction = columns @ np.linalg.solve(gram, rest)
    except np.linalg.LinAlgError:
        return False
    # bound on what rounding can hide: of the sum, carried through the worst direction
    rounding = np.finfo(np.float64).eps * float(multipliers.sum()) * columns.size
    reach = float(np.sqrt((columns**2).sum(axis=1).max()))
    least = float(np.linalg.eigvalsh(gram)[0])
    if least <= 0:
        return False
    change = float(np.abs(correction).max()) + reach * rounding / least
    return bool(change < 0.5 * float(multipliers.min()))
