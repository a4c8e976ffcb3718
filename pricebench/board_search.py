"""The search scorecard as text: shares of savings, ranks, pages nobody could verify."""

from __future__ import annotations

from functools import partial

from pricebench.board import ModelLine
from pricebench.board_blocks import Block, block_grid, block_table, calls, rank
from pricebench.board_layout import (
    Look,
    count,
    dollars,
    interval,
    percent,
    three_digits,
)
from pricebench.render import NOTHING
from pricebench.scorecards import SEARCH

# Figure of the board -> its heading; the headline stands with its interval.
HEADINGS = {
    "value": "capture % [95 %]",
    "savings_found": "found",
    "success_rate": "success",
    "best_price_recall": "recall",
    "capture_bound_lo": "worst",
    "capture_bound_hi": "best",
    "capture_leave_one_out_median": "to others",
    "only_this_agent_count": "alone",
}
RANK = "rank"
FIGURES = (HEADINGS["value"], RANK, *tuple(HEADINGS.values())[1:])
# The source has no such figures: no dash stands for them.
_AUDITED_ONLY = tuple(name for name in HEADINGS if name not in SEARCH.metrics)
LEGEND = (
    "published = the source's own rules to the digit, a call that failed is no find; "
    "audited = ours: products whose call failed count for nothing, whole retailers are "
    "resampled; difference = audited - published, in percentage points.",
    "capture = share of the savings that any agent of the pool found, mean over "
    "products where there were any, with its 95 % interval; found = savings in percent "
    "of what the reference costs, shipping and fees included; success = percent of "
    "products with anything cheaper; recall = of those with savings, within a cent a "
    "unit of the best find.",
    "rank = published: by capture; audited: the ranks that hold for all models at "
    "once; models that cannot be told apart share them.",
    "worst, best = capture if each page that nobody could verify is as claimed: those "
    "that only others found, those it found itself; to others = median capture against "
    "the best of the other agents (above 1: better than they); alone = products on "
    "which no other agent found anything. These four are audited only.",
    "n = products with savings behind the audited figures, of all that are scored; "
    "not judged yet = pages without a vote or a ruling, unverifiable = pages that "
    "could not be verified: both count as no find; dollars = what 100 products cost to "
    "ask about.",
    "failed_calls_scored, … = why the readings part: failed_calls_scored, the "
    "published figure scores calls that failed as no find; undefined_…, the figure "
    "exists in one reading only.",
    "scope exact = the same product, equiv = one that does the same; base = with "
    "Amazon's own shipping fees, marts.search_metric has prime, without them.",
    f"{NOTHING} = undefined; its status stands below the model (any status but ok is "
    "shown; too_few: fewer than 30 products or 10 retailers).",
)


def reading_cells(model: ModelLine, reading: str) -> tuple[str, ...]:
    """Return the figures of one reading as text, in the order of `FIGURES`."""
    row = model.readings[reading]
    _, *others = HEADINGS
    left_out = () if reading == "audited" else _AUDITED_ONLY
    shown = (
        "" if name in left_out else _number(row.get(name), name) for name in others
    )
    return (interval(row, _share), rank(row), *shown)


def difference_cells(model: ModelLine) -> tuple[str, ...]:
    """Return audited minus published as text, likewise ordered, where both exist."""
    first, *others = (
        "" if name in _AUDITED_ONLY else _share(model.difference[name], "+")
        for name in HEADINGS
    )
    return (first, "", *others)


def _facts(model: ModelLine) -> dict[str, str]:
    shared = model.shared
    n = count(model.readings["audited"].get("n"))
    facts = {
        "n": f"{n} of {count(shared['products'])}",
        "calls": calls(model),
        **_unjudged(model),
        "unverifiable": unverifiable(model),
        "$ per 100": dollars(shared["usd_per_100_products"]),
    }
    if shared["median_latency_s"] is not None:
        facts["seconds"] = three_digits(shared["median_latency_s"])
    return facts


def _unjudged(model: ModelLine) -> dict[str, str]:
    """Say how many pages wait for the panel, where any do."""
    pages = model.shared["unjudged_pages"]
    return {"not judged": count(pages)} if pages else {}


def unverifiable(model: ModelLine) -> str:
    """Say how many pages could not be verified, and their share of what it found."""
    pages, share = (
        model.shared[f"unverifiable_{name}"] for name in ("candidates", "share")
    )
    return f"{count(pages)} ({share:.1%})" if pages else count(pages)


def _remarks(model: ModelLine) -> dict[str, str]:
    return {}


def _share(value: float | None, sign: str = "") -> str:
    return NOTHING if value is None else percent(100 * value, sign)


def _number(value: float | None, figure: str) -> str:
    if value is None:
        return NOTHING
    if figure == "only_this_agent_count":
        return f"{value:.0f}"
    if figure == "capture_leave_one_out_median":
        return f"{value:.3f}"
    return _share(value)


def _detectable(least: float) -> str:
    return (
        f"smallest detectable difference in audited capture: {_share(least)} "
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
        "n": "n {} products",
        "not judged": "{} not judged yet",
        "unverifiable": "{} unverifiable",
        "$ per 100": "{} per 100 products",
        "seconds": "{} s a call",
    },
)
LOOK = Look(
    title="Product search",
    simulated="SIMULATED AGENTS, no real model answered",
    no_table="studies without answers that could be scored",
    legend=LEGEND,
    table=partial(block_table, block=BLOCK),
    grid=partial(block_grid, block=BLOCK),
    detectable=_detectable,
    scope_titles={
        "exact/base": "Product search, the same product",
        "equiv/base": "Product search, the same or an equivalent",
    },
)
