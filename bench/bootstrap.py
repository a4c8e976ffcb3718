"""How fast the cluster bootstrap is against the packages an analyst would loop over.

Every library is held to one thread. Sides are interleaved, the best of five rounds
counts, times are seconds of CPU, and ratios are within one run; absolute times depend
on the machine. Neither side's clock holds the full-sample fit and the drawing of
clusters; what folding the answers and preparing tables takes is in ours.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from models.bootstrap import bootstrap
from models.bootstrap_draws import draw_counts
from models.bootstrap_kernels import CompiledPasses
from models.bootstrap_passes import NumpyPasses, Passes
from models.choice_data import choice_data
from models.conditional_logit import LogitFit, fit

ROUNDS = 5
REPLICATES = 2000
# replicates that the other side fits in each round; it takes milliseconds for each
PEER_FITS = 8
LARGEST_ERROR = 1e-8
TASTES = np.array([0.5, 0.2, 0.8, 0.7, 1.2, 0.1, -1.5])
ENGINES: dict[str, Passes] = {"numpy": NumpyPasses(), "numba": CompiledPasses()}


@dataclass(frozen=True)
class Case:
    """One sample, the peer that fits it, and the ratios to reach by engine."""

    name: str
    x: np.ndarray
    chosen: np.ndarray
    codes: np.ndarray
    clusters: int
    order_terms: int
    peer: str
    targets: dict[str, float]


def shoppers(
    options: int, groups: int, repetitions: int, *, repeating: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Simulate 3,600 answers of the published shape, each task in both orders.

    Slot terms come first, then seven terms of the offers. ``repeating`` gives all
    repetitions of a group the same offers; as published each has its own.
    """
    rng = np.random.default_rng(2026)
    tasks = groups * repetitions
    group = np.repeat(np.arange(groups), repetitions)
    offers = rng.normal(size=(tasks, options, len(TASTES)))
    if repeating:
        offers = offers[group * repetitions]
    taste = rng.normal(scale=0.5, size=(groups, options))[group]
    slots = np.vstack([np.eye(options - 1), np.zeros(options - 1)])
    if options == 2:
        # half of a difference of +1 or -1
        slots = np.array([[1.0], [0.0]])
    parts, picks = [], []
    for shown in (slots, -slots if options == 2 else slots[::-1]):
        value = 0.5 * (offers @ TASTES) + taste + 0.5 * shown.sum(axis=1)
        picks.append((value + rng.gumbel(size=value.shape)).argmax(axis=1))
        dummies = np.broadcast_to(shown, (tasks, options, options - 1))
        parts.append(np.concatenate([dummies, offers], axis=2))
    return np.concatenate(parts), np.concatenate(picks), np.tile(group, 2)


def cases() -> list[Case]:
    """Return the four cases with the targets that the project sets itself."""
    listed = []
    for name, options, groups, repeating, peer, targets in (
        ("binary_distinct", 2, 450, False, "statsmodels", (25.0, 60.0)),
        ("binary_repeating", 2, 450, True, "statsmodels", (80.0, 200.0)),
        ("ternary_distinct", 3, 300, False, "xlogit", (40.0, 60.0)),
        ("ternary_repeating", 3, 300, True, "xlogit", (150.0, 300.0)),
    ):
        x, chosen, codes = shoppers(
            options, groups, 1800 // groups, repeating=repeating
        )
        by_engine = dict(zip(ENGINES, targets, strict=True))
        listed.append(
            Case(name, x, chosen, codes, groups, options - 1, peer, by_engine)
        )
    return listed


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of one call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def peer_fit(case: Case, rows: np.ndarray) -> Callable[[], object]:
    """Return a call that fits resampled rows with the other package."""
    if case.peer == "statsmodels":
        from statsmodels.discrete.discrete_model import Logit

        differences = case.x[rows, 0] - case.x[rows, 1]
        first = 1.0 - case.chosen[rows]
        return lambda: Logit(first, differences).fit(disp=0)
    from xlogit import MultinomialLogit

    s, j, k = case.x[rows].shape
    arguments: dict[str, Any] = {
        "X": case.x[rows].reshape(s * j, k),
        "y": (case.chosen[rows, None] == np.arange(j)).ravel().astype(float),
        "varnames": [f"x{term}" for term in range(k)],
        "ids": np.repeat(np.arange(s), j),
        "alts": np.tile(np.arange(j), s),
        "skip_std_errs": True,
        "verbose": 0,
    }
    return lambda: MultinomialLogit().fit(**arguments)


def largest_error(case: Case, counts: np.ndarray, estimate: np.ndarray) -> float:
    """Return the largest distance of a coefficient from a converged outside fit."""
    errors = []
    for replicate in range(0, REPLICATES, REPLICATES // 10):
        if case.peer == "statsmodels":
            from statsmodels.discrete.discrete_model import Logit

            rows = np.repeat(np.arange(len(case.codes)), counts[replicate][case.codes])
            differences = case.x[rows, 0] - case.x[rows, 1]
            model = Logit(1.0 - case.chosen[rows], differences)
            expected = model.fit(disp=0, tol=1e-14, maxiter=200).params
        else:
            # xlogit stops about 1e-5 short; the project's own fit is checked elsewhere
            weights = counts[replicate, case.codes]
            expected = fit(choice_data(case.x, case.chosen, weights=weights)).estimate
        errors.append(np.abs(estimate[replicate] - expected).max())
    return float(max(errors))


def measure(case: Case) -> dict[str, Any]:
    """Time all sides of a case, interleaved, and compare estimates."""
    counts = draw_counts(REPLICATES, case.clusters)
    answers = (case.x, case.chosen, case.codes, counts)
    point: LogitFit = fit(choice_data(case.x, case.chosen))
    # once outside the clock: numba compiles or reads its cache
    replicates = {
        name: bootstrap(*answers, order_terms=case.order_terms, passes=engine)
        for name, engine in ENGINES.items()
    }
    peers = [
        peer_fit(case, np.repeat(np.arange(len(case.codes)), row[case.codes]))
        for row in counts[:PEER_FITS]
    ]
    peers[0]()
    times: dict[str, list[float]] = {name: [] for name in ("peer", "fit", *ENGINES)}
    for _ in range(ROUNDS):
        # both sides: a loop over replicates, divided by their number
        loop = sum(cpu_seconds(peer) for peer in peers)
        times["peer"].append(loop / len(peers))
        times["fit"].append(cpu_seconds(lambda: fit(choice_data(case.x, case.chosen))))
        for name, engine in ENGINES.items():
            job = partial(
                bootstrap,
                *answers,
                order_terms=case.order_terms,
                point=point,
                passes=engine,
            )
            times[name].append(cpu_seconds(job) / REPLICATES)
    best = {name: min(rounds) for name, rounds in times.items()}
    return {
        "peer": case.peer,
        "peer_us_per_fit": round(1e6 * best["peer"], 1),
        "full_sample_fit_ms": round(1e3 * best["fit"], 1),
        "engines": {
            name: {
                **ratios(case, name, best),
                "largest_error": largest_error(case, counts, found.estimate),
                "exp_passes_per_fit": round(float(found.exp_passes.mean()), 3),
                "full_newton_replicates": found.newton,
                "fitted_alone": found.alone,
            }
            for name, found in replicates.items()
        },
    }


def ratios(case: Case, name: str, best: dict[str, float]) -> dict[str, Any]:
    """Compare an engine's time for each fit with the peer's and with the target."""
    with_fit = best[name] + best["fit"] / REPLICATES
    ratio = best["peer"] / best[name]
    return {
        "us_per_fit": round(1e6 * best[name], 2),
        "ratio": round(ratio, 1),
        "ratio_with_full_sample_fit": round(best["peer"] / with_fit, 1),
        "target": case.targets[name],
        "met": ratio >= case.targets[name],
    }


def run() -> dict[str, Any]:
    """Measure all cases.

    Returns
    -------
    dict
        Of the case: the peer, its time, and what each engine made of it.
    """
    results = {}
    for case in cases():
        print(f"bench: {case.name} against {case.peer}", file=sys.stderr)
        results[case.name] = measure(case)
    return {
        "replicates": REPLICATES,
        "answers": 3600,
        "rounds": ROUNDS,
        "cases": results,
    }


def is_sound(result: dict[str, Any]) -> bool:
    """Say whether estimates are exact and no ratio is below half of its target."""
    cases_found = result["cases"].values()
    engines = [one for case in cases_found for one in case["engines"].values()]
    return all(
        one["largest_error"] < LARGEST_ERROR and one["ratio"] >= one["target"] / 2
        for one in engines
    )
