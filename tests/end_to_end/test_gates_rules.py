"""Every hotel rule holds on a build of simulated shoppers and catches its offender."""

from __future__ import annotations

import re

from end_to_end.planted_hotel import PLANTED_IN
from gate_rules import LAYERS, GateRules


def _spell_out(plant: str) -> str:
    answer = r"(select min(answer_key) from int_hotel_answer where \1)"
    fit = "status = 'ok' and design = 'audited' and specification = 'log'"
    return re.sub(r"ANSWER\((.*?)\)", answer, plant).replace("AN_OK_FIT", fit)


SPELT_OUT = {
    layer: {rule: list(map(_spell_out, plants)) for rule, plants in rules.items()}
    for layer, rules in PLANTED_IN.items()
}


class TestHotelRules(GateRules):
    instrument = "hotel"
    warehouse = "built_demo"
    planted = SPELT_OUT
    layers = LAYERS
    planted_layers = LAYERS[1:]  # those of the raw layer: test_gates_run.py
