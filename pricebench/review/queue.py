"""What a person has to rule on, in which order, so that no score is left to a machine.

A page's price, once known, and a machine's rejection are taken as read: whoever doubts
one finds the page among the optional ones. Under that, ruling the queue until it is
empty gives the scores of ruling on every page that the panel did not refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Cost = Fraction | None
Costs = tuple[Cost, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate as it stands after rulings; the reference itself is none.

    Attributes
    ----------
    candidate_id, task_id
        Which page, for which product.
    finders
        Who listed it; never shown.
    panel_verdict
        valid, invalid or no_majority.
    validity, status
        After rulings.
    ruled_validity, ruled_status
        The rulings; None where there is none.
    costs, references
        Its cost and that of its product in each scenario, in dollars a unit; None:
        unknown.
    claimed
        What it costs by its cheapest claim, which only orders pages without a cost.
    is_void
        Its product counts for nothing.
    """

    candidate_id: str
    task_id: str
    finders: frozenset[str]
    panel_verdict: str
    validity: str
    status: str
    ruled_validity: str | None
    ruled_status: str | None
    costs: Costs
    references: Costs
    claimed: Cost = None
    is_void: bool = False

    @property
    def is_settled(self) -> bool:
        """Return whether nothing about it is left to a person."""
        if self.ruled_validity == "invalid" or self.ruled_status == "rejected":
            return True
        # a person's "verified" does not hold where the pack has become unknown
        is_known = self.status in ("verified", "rejected") or (
            self.ruled_status == self.status
        )
        return self.ruled_validity == "valid" and is_known

    @property
    def is_accepted(self) -> bool:
        """Return whether it counts as a find where it is cheaper."""
        return self.validity == "valid" and self.status == "verified"

    def could_be_best(self, scenario: int) -> bool:
        """Return whether a ruling could make it a cheaper find in a scenario."""
        if self.is_void or self.validity == "invalid" or self.status == "rejected":
            return False
        cost, reference = self.costs[scenario], self.references[scenario]
        return cost is None or reference is None or cost < reference


@dataclass(frozen=True, slots=True)
class Worklist:
    """Candidates by what a person has to do about them; each stands in one part.

    Attributes
    ----------
    queue
        To rule on, the most urgent first.
    optional
        Those that can't move a score as things stand.
    settled
        Those that were ruled on.
    """

    queue: tuple[str, ...]
    optional: tuple[str, ...]
    settled: tuple[str, ...]


def work_on(offers: Iterable[Offer], tasks: Sequence[str]) -> Worklist:
    """Return what is to be ruled on, in the order of products.

    Parameters
    ----------
    offers
        Candidates of one track.
    tasks
        Products in the order of the run.

    Returns
    -------
    Worklist
        Of each product first the pages without a majority, then those that could be an
        agent's best, from the cheapest up. An agent's pages end with its cheapest one
        that a person settled as a find, apart from those whose cost is unknown.
    """
    by_task: dict[str, list[Offer]] = {task: [] for task in tasks}
    for offer in offers:
        by_task[offer.task_id].append(offer)
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])
    for found in by_task.values():
        wanted = _wanted(found)
        for offer in sorted(found, key=_order):
            place = 2 if offer.is_settled else int(offer.candidate_id not in wanted)
            parts[place].append(offer.candidate_id)
    return Worklist(*map(tuple, parts))


def _order(offer: Offer) -> tuple[bool, bool, Fraction, str]:
    known = [cost for cost in offer.costs if cost is not None]
    cost = min(known, default=offer.claimed)
    return (
        offer.panel_verdict != "no_majority",
        cost is None,
        cost or Fraction(0),
        offer.candidate_id,
    )


def _wanted(offers: Sequence[Offer]) -> set[str]:
    """Return the candidates of one product on which its scores depend."""
    wanted = {
        one.candidate_id
        for one in offers
        if one.panel_verdict == "no_majority" and not one.is_void
    }
    scenarios = range(max((len(one.costs) for one in offers), default=0))
    for agent in {agent for one in offers for agent in one.finders}:
        own = [one for one in offers if agent in one.finders]
        for scenario in scenarios:
            best = _settled_best(own, scenario)
            for one in own:
                cost = one.costs[scenario]
                is_dearer = best is not None and cost is not None and cost >= best
                if one.could_be_best(scenario) and not is_dearer:
                    wanted.add(one.candidate_id)
    return wanted


def _settled_best(offers: Iterable[Offer], scenario: int) -> Cost:
    return min(
        (
            cost
            for one in offers
            if one.is_settled and one.is_accepted
            if (cost := one.costs[scenario]) is not None and cost > 0
        ),
        default=None,
    )
