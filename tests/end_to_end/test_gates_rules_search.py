"""Every search rule to staging holds on the example run and catches its offender."""

from __future__ import annotations

from end_to_end.planted_search import PLANTED_IN
from gate_rules import GateRules


class TestSearchRules(GateRules):
    instrument = "search"
    warehouse = "built_search"
    planted = PLANTED_IN
    layers = tuple(PLANTED_IN)
    planted_layers = tuple(PLANTED_IN)
