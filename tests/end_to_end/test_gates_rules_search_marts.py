"""Every later search rule holds on worked examples and catches its offender."""

from __future__ import annotations

from end_to_end.planted_search_marts import PLANTED_IN
from gate_rules import GateRules


class TestSearchMartRules(GateRules):
    instrument = "search"
    warehouse = "built_search_marts"
    planted = PLANTED_IN
    layers = tuple(PLANTED_IN)
    planted_layers = tuple(PLANTED_IN)
