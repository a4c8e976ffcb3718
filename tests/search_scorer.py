"""A second scorer of the search instrument: plain Python, exact fractions, no SQL.

It follows the written rules word by word and shares no code with the project, so that
the two can be held against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import median
from typing import Any

from search_settle import Offer, Record, lowest, reference_cost, settle

CENT = Fraction(1, 100)


@dataclass
class Outcome:
    """What one agent made of one product; captures are null without an opportunity."""

    ref: Fraction
    best: Fraction | None
    ties: list[str]
    oracle: Fraction | None
    others: Fraction | None
    units: int
    failed: bool
    bound_lo: Fraction | None = None
    bound_hi: Fraction | None = None
    savings: Fraction = field(init=False)
    opportunity: Fraction = field(init=False)

    def __post_init__(self) -> None:
        self.savings = self.ref - self.best if self.best is not None else Fraction(0)
        gap = self.ref - self.oracle if self.oracle is not None else Fraction(0)
        self.opportunity = gap

    @property
    def capture(self) -> Fraction | None:
        return self.savings / self.opportunity if self.opportunity > 0 else None

    @property
    def found(self) -> Fraction:
        return self.savings / self.ref

    @property
    def success(self) -> bool:
        return self.best is not None

    @property
    def recall(self) -> bool:
        if self.best is None or self.oracle is None:
            return False
        return self.opportunity > 0 and self.best - self.oracle <= CENT

    @property
    def left_out(self) -> Fraction | None:
        """Capture against the best of the other agents."""
        return None if self.others is None else self.savings / (self.ref - self.others)


def score(run: Any, track: str = "exact", scenario: str = "base") -> dict[Any, Outcome]:
    """Score a run (``search_run.SearchRun``): (agent, product) -> outcome."""
    out: dict[Any, Outcome] = {}
    for task in run.tasks:
        ref, units = reference_cost(task, run.refs, run.policy, scenario)
        is_void = run.refs.get(task["task_id"], {}).get("void", False)
        if is_void or ref is None:
            continue
        offers = [
            settle(run, track, scenario, task, one, units)
            for one, record in run.candidates.get(track, {}).items()
            if record["task_id"] == task["task_id"]
        ]
        asked = [
            agent
            for agent in run.agents
            if task["task_id"] in run.answered(agent, track)
        ]
        out.update(_score_task(run, track, task, offers, asked, ref, units))
    return out


def _score_task(
    run: Any,
    track: str,
    task: Record,
    offers: Sequence[Offer],
    asked: Sequence[str],
    ref: Fraction,
    units: int,
) -> dict[Any, Outcome]:
    best = {
        agent: lowest(
            one.cost for one in offers if one.qualifies and agent in one.finders
        )
        for agent in asked
    }
    best = {a: c if c is not None and c < ref else None for a, c in best.items()}
    oracle = lowest(best.values())
    out = {}
    for agent in asked:
        found = Outcome(
            ref=ref,
            best=best[agent],
            ties=sorted(
                one.candidate_id
                for one in offers
                if one.qualifies and agent in one.finders and one.cost == best[agent]
            ),
            oracle=oracle,
            others=lowest(cost for one, cost in best.items() if one != agent),
            units=units,
            failed=run.answered(agent, track)[task["task_id"]]["status"]
            == "transport_error",
        )
        _bound(found, agent, offers)
        out[agent, task["task_id"]] = found
    return out


def _bound(found: Outcome, agent: str, offers: Sequence[Offer]) -> None:
    """Capture if every open page were what is best, or worst, for the agent."""
    ref = found.ref
    cheap = [
        one
        for one in offers
        if one.is_open and one.possible is not None and 0 < one.possible < ref
    ]
    own = lowest([found.best, *(one.possible for one in cheap if agent in one.finders)])
    rival = lowest(one.possible for one in cheap if agent not in one.finders)
    oracle_hi, oracle_lo = lowest([found.oracle, own]), lowest([found.oracle, rival])
    if oracle_hi is not None:
        gained = ref - own if own is not None else Fraction(0)
        found.bound_hi = gained / (ref - oracle_hi)
    if oracle_lo is not None:
        found.bound_lo = found.savings / (ref - oracle_lo)


def aggregate(outcomes: Mapping[Any, Outcome], agent: str) -> dict[str, Any]:
    """Return the metrics of an agent, published ones over every product."""
    own = [one for (name, _), one in outcomes.items() if name == agent]
    kept = [one for one in own if not one.failed]
    chances = [one for one in own if one.capture is not None]
    rated = [one for one in kept if one.left_out is not None]
    return {
        "savings_capture": _mean([one.capture for one in chances]),
        "savings_found": _mean([one.found for one in own]),
        "success_rate": _mean([Fraction(one.success) for one in own]),
        "best_price_recall": _mean([Fraction(one.recall) for one in chances]),
        "best_price_recall_all": _mean([Fraction(one.recall) for one in own]),
        "capture_ratio_of_sums": _ratio(
            [(one.savings * one.units, one.opportunity * one.units) for one in kept]
        ),
        "capture_leave_one_out_median": median(one.left_out for one in rated)
        if rated
        else None,
        "capture_leave_one_out_ratio_of_sums": _ratio(
            [
                (one.savings * one.units, (one.ref - one.others) * one.units)
                for one in rated
            ]
        ),
        "only_this_agent_count": sum(
            one.best is not None and one.others is None for one in kept
        ),
        "capture_bound_lo": _mean(
            [one.bound_lo for one in kept if one.bound_lo is not None]
        ),
        "capture_bound_hi": _mean(
            [one.bound_hi for one in kept if one.bound_hi is not None]
        ),
        "zero_as_one": _mean(
            [Fraction(1) if one.capture is None else one.capture for one in own]
        ),
        "zero_as_zero": _mean(
            [Fraction(0) if one.capture is None else one.capture for one in own]
        ),
    }


def _mean(values: Sequence[Any]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def _ratio(pairs: Sequence[tuple[Fraction, Fraction]]) -> Fraction | None:
    below = sum((pair[1] for pair in pairs), Fraction(0))
    return sum((pair[0] for pair in pairs), Fraction(0)) / below if below else None
