"""The plain scorer gives every worked example and edge case of the method."""

from __future__ import annotations

import pytest
import search_edges
import search_worked
from search_example import EXAMPLES, Example, rounded
from search_scorer import Outcome, aggregate, score

assert search_worked is not None
assert search_edges is not None

_NAMES = {
    **{"ref_cost": "ref", "best_cost": "best", "oracle_cost": "oracle"},
    "loo_capture": "left_out",
}
_NAMES |= {f"capture_{name}": name for name in ("bound_lo", "bound_hi")}


def field_of(outcome: Outcome, name: str):
    return rounded(getattr(outcome, _NAMES.get(name, name)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    made: Example = EXAMPLES[name]()
    assert made.outcomes or made.figures
    for (scenario, track, agent, task), expected in made.outcomes.items():
        found = score(made.run, track, scenario)
        got = {one: field_of(found[agent, task], one) for one in expected}
        assert got == {one: rounded(value) for one, value in expected.items()}
        assert not [key for key in found if key[1] in made.unscored]
    for agent, figures in made.figures.items():
        got = aggregate(score(made.run), agent)
        named = {name: value for name, value in figures.items() if name[:3] != "ci_"}
        assert {name: rounded(got[name]) for name in named} == named
