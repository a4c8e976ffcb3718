"""Every purchase rule holds on a build of made-up buyers and catches its offender."""

from __future__ import annotations

from end_to_end.planted_purchase import PLANTED_IN
from gate_rules import LAYERS, GateRules


class TestPurchaseRules(GateRules):
    instrument = "purchase"
    warehouse = "built_purchase"
    planted = PLANTED_IN
    layers = LAYERS
    planted_layers = LAYERS
