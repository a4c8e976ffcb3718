"""What a worked example of the search method is: a run and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from search_run import SearchRun

Key = tuple[str, str, str, str]  # scenario, track, agent, product


@dataclass
class Example:
    """A run and what must come of it.

    Attributes
    ----------
    run
        The run.
    outcomes
        Scenario, track, agent, product -> field -> value, rounded to six places.
    figures
        Agent -> metric -> value, exact track, base.
    unscored
        Products without an outcome.
    """

    run: SearchRun
    outcomes: dict[Key, dict[str, Any]] = field(default_factory=dict)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    unscored: tuple[str, ...] = ()

    def expect(
        self,
        agent: str,
        task: str = "t001",
        *,
        scenario: str = "base",
        track: str = "exact",
        **values: Any,
    ) -> None:
        """Add what must come of a product."""
        self.outcomes.setdefault((scenario, track, agent, task), {}).update(values)


EXAMPLES: dict[str, Callable[[], Example]] = {}


def example(make: Callable[[Example], None]) -> Callable[[Example], None]:
    """Register an example under the name of its function."""

    def build() -> Example:
        made = Example(SearchRun(make.__name__.replace("_", "-")))
        make(made)
        return made

    EXAMPLES[make.__name__] = build
    return make


NOTHING: dict[str, Any] = {"savings": 0, "success": False, "recall": False, "found": 0}


def rounded(value: Any) -> Any:
    """Return a figure to six places, other values as they are."""
    if isinstance(value, bool) or value is None:
        return value
    return round(float(Fraction(value)), 6)
