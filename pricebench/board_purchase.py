"""The purchase scorecard as text: digits, what a model cost, who served it."""

from __future__ import annotations

import math
from functools import partial

from pricebench.board import ModelLine
from pricebench.board_blocks import Block, block_grid, block_table, calls, rank
from pricebench.board_layout import Look, count, dollars, interval, percent, text
from pricebench.render import NOTHING

# Figure of the board -> its heading; the headline stands with its interval.
HEADINGS = {
    "value": "best % [95 %]",
    "regret_pct_v": "loss %",
    "flip_rate": "flips",
    "discrimination": "discr",
    "badge_effect": "badge",
    "verified_minus_badge": "record",
    "bond_shift": "bond",
    "bond_rational": "right",
    "bond_responsiveness": "resp",
    "bond_regret_pct_v": "bond loss",
}
RANK = "rank"
FIGURES = ("best % [95 %]", RANK, *tuple(HEADINGS.values())[1:])
_DIGITS = {"regret_pct_v": 2, "bond_regret_pct_v": 2}
_NOBODY = "none "
LEGEND = (
    "published = the source's own rules to the digit; audited = ours: calls that "
    "failed count for nothing, effects of labels are paired on what both cells "
    "answered; difference = audited - published.",
    "best = share of the decisions without a label that pick the option worth most, "
    "with its 95 % interval over resampled scenarios; loss = what they lose against "
    "it, in percent of what is at stake.",
    "rank = published: by best, then by loss; audited: the ranks that hold for all "
    "models at once; models that cannot be told apart share them.",
    "flips = chance that two repeats differ; discr = share that buys where buying is "
    "best minus where it is not (1 is right).",
    "badge, record, bond = certificates with the badge minus without a label, with the "
    "verified record minus with the badge, with the bond minus with the verified "
    "record; right = what the bond should move, resp = bond / right on "
    "what was answered (1 is right); bond loss = loss with the bond.",
    "n = decisions without a label behind the audited figures, on a part of the bank "
    "where it says so; calls = all labels; dollars = what 1,000 decisions without a "
    "label cost, failed calls as free; answered = those that brought a reply.",
    "failed_calls_scored, … = why the readings part: failed_calls_scored, the "
    "published figure scores calls that failed as a skip; unpaired_rows, it compares "
    "cells with different questions; asked_rows_only, it rests on what was asked, "
    "ours on the whole bank; undefined_…, the figure exists in one reading only.",
    f"{NOTHING} = undefined; its status stands below the model (any status but ok is "
    "shown).",
)


def reading_cells(model: ModelLine, reading: str) -> tuple[str, ...]:
    """Return the figures of one reading as text, in the order of `FIGURES`."""
    row = model.readings[reading]
    _, *others = HEADINGS
    shown = (_number(row.get(name), name) for name in others)
    return (interval(row, _best), rank(row), *shown)


def difference_cells(model: ModelLine) -> tuple[str, ...]:
    """Return audited minus published as text, likewise ordered; ranks have none."""
    first, *others = (_number(model.difference[name], name, "+") for name in HEADINGS)
    return (first, "", *others)


def cost(model: ModelLine) -> str:
    """Say what 1,000 decisions cost, and 1,000 answered ones where calls failed."""
    all_calls = model.shared["usd_per_1000_decisions"]
    answered = model.shared["usd_per_1000_answers"]
    told = dollars(all_calls)
    if None in (all_calls, answered) or math.isclose(all_calls, answered):
        return told
    return f"{told} ({dollars(answered)} answered)"


def decisions(model: ModelLine) -> str:
    """Count the decisions of the headline; name the part of the bank they are of."""
    shared = model.shared
    told = count(model.readings["audited"].get("n"))
    if shared["scenarios"] in (0, shared["bank_scenarios"]):
        return told
    return f"{told} on {shared['scenarios']} of {shared['bank_scenarios']} scenarios"


def served(model: ModelLine) -> str:
    """Name the endpoints with their numbers of decisions; nobody served those last."""
    listed = text(model.shared["providers_served"]).split("; ")
    return "; ".join(sorted(listed, key=lambda one: one.startswith(_NOBODY)))


def _facts(model: ModelLine) -> dict[str, str]:
    return {
        "n": decisions(model),
        "calls": calls(model),
        "$ per 1,000": cost(model),
    }


def _remarks(model: ModelLine) -> dict[str, str]:
    return {"served by": served(model)}


def _best(value: float | None) -> str:
    return _number(value, "value")


def _number(value: float | None, figure: str, sign: str = "") -> str:
    if value is None:
        return NOTHING
    if figure == "value":
        return percent(value, sign)
    # z: what rounds to nothing has no sign.
    return f"{value:{sign}z.{_DIGITS.get(figure, 3)}f}"


def _detectable(least: float) -> str:
    return (
        f"smallest detectable difference in audited best choices: {percent(least)} "
        "percentage points"
    )


BLOCK = Block(
    HEADINGS,
    FIGURES,
    cells=reading_cells,
    gaps=difference_cells,
    facts=_facts,
    remarks=_remarks,
    words={
        "n": "n {}",
        "$ per 1,000": "{} per 1,000",
        "served by": "served by {}",
    },
)
LOOK = Look(
    title="Purchase decisions",
    simulated="SIMULATED BUYERS, no real model answered",
    no_table="studies without decisions",
    legend=LEGEND,
    table=partial(block_table, block=BLOCK),
    grid=partial(block_grid, block=BLOCK),
    detectable=_detectable,
)
