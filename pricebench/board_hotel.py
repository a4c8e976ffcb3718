"""The hotel scorecard as text: digits, statuses, what is lost, rows and columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from pricebench.board import READINGS, ModelLine, Study
from pricebench.board_layout import (
    LABELS,
    SHARED_WORDS,
    WIDTH,
    Look,
    align,
    dollars,
    fact,
    interval,
    is_common,
    measure,
    model_name,
    text,
    three_digits,
    total,
    with_status,
)
from pricebench.reader import Grid
from pricebench.render import NOTHING

NAME_WIDTH = 19
FIGURES = ("first", "verdict", "log price", "review", "WTP $ [95 %]")
_RIGHT = FIGURES.index("first") + 2
ONE_ORDER = "one order only"
NO_PAIRS = "no two-option answers"
LINEAR = "linear price fits better"
LEGEND = (
    "published = the source's own rules to the digit; audited = ours: valid answers, "
    "slot terms, errors clustered by pair; difference = audited - published.",
    "first = published: of options A and B, the one shown earlier, two- and "
    "three-option answers pooled, C left out; audited: share of slot 1 in two-option "
    "answers; its difference in percentage points.",
    "log price, review = coefficients of the two-option logit; with a slot term the "
    "whole scale changes, so compare ratios (WTP) across readings.",
    "n = two-option answers of the audited reading; below it those left out (odd "
    "ids: of a second block, numbered by an unusual offset).",
    f"{ONE_ORDER} = every answer comes from one order, so slot 1 and option A cannot "
    "be told apart.",
    "WTP = dollars a night for one point on the ten-point review score, log form at "
    "$250, with its 95 % interval (published: the paper's delta rule with zero "
    "covariance; audited: clustered by pair).",
    f"{LINEAR} = by AIC, audited; behind it the WTP of that form, since dollars depend "
    "on the form.",
    "slot_omitted, … = why the readings part: slot_omitted, the published logit has no "
    "slot term; invalid_scored / failed_calls_scored, replies without a choice counted "
    "as option B; duplicates_counted, repeated answers counted again; formats_pooled, "
    "as under first; undefined_…, the figure exists in one reading only.",
    f"{NOTHING} = undefined; the word beside it is its status (any status but ok is "
    "shown).",
)
_LOST = (
    ("invalid", "invalid"),
    ("failed", "failed"),
    ("duplicate", "repeated"),
    ("other_offset", "odd ids"),
)


def reading_cells(model: ModelLine, reading: str) -> tuple[str, ...]:
    """Return the figures of one reading as text, in the order of `FIGURES`."""
    row = model.readings[reading]
    terms = (
        with_status(_coefficient(row.get(term)), row.get(f"{term}_status"))
        for term in ("log_price", "review_score")
    )
    share = _share(row.get("first_shown_rate"))
    return (share, text(row.get("verdict")), *terms, _interval(row))


def difference_cells(model: ModelLine) -> tuple[str, ...]:
    """Return audited minus published as text, and why they part, likewise ordered."""
    gap = model.difference
    worth = f"{three_digits(gap['value'], '+')} {model.reasons['value'] or ''}".rstrip()
    terms = (_coefficient(gap[term], "+") for term in ("log_price", "review_score"))
    rate = gap["first_shown_rate"]
    points = NOTHING if rate is None else f"{100 * rate:+.1f}"
    return (points, _verdict_reason(model), *terms, worth)


def _verdict_reason(model: ModelLine) -> str:
    labels = {row.get("verdict") for row in model.readings.values()}
    reason = model.reasons["verdict"] or model.reasons["first_shown_rate"]
    return reason or "" if len(labels) > 1 else ""


def size(model: ModelLine) -> str:
    """Return the number of answers behind the audited figures."""
    n = model.readings["audited"].get("n")
    return f"n {NOTHING if n is None else format(n, ',')}"


def lost(model: ModelLine) -> tuple[str, ...]:
    """Count the answers that are not behind the audited figures, by why."""
    row = model.readings["audited"]
    return tuple(
        f"{row[f'{state}_count']:,} {word}"
        for state, word in _LOST
        if row.get(f"{state}_count")
    )


def remarks(model: ModelLine) -> tuple[str, ...]:
    """Say what limits the readings of a model whatever their figures are."""
    one_order = any(
        # No answers come from no order.
        row.get("one_order_only") and row.get("n")
        for row in model.readings.values()
    )
    audited = model.readings["audited"]
    no_pairs = audited.get("answers") == 0
    linear = audited.get("price_form") == "linear"
    form = f"{LINEAR}: {dollars(audited.get('linear_wtp_usd'))}"
    return (ONE_ORDER,) * one_order + (NO_PAIRS,) * no_pairs + (form,) * linear


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1%}"


def _coefficient(value: float | None, sign: str = "") -> str:
    # z: what rounds to nothing has no sign.
    return NOTHING if value is None else f"{value:{sign}z.3f}"


def _interval(row: Mapping[str, Any]) -> str:
    return with_status(interval(row, three_digits), row.get("status"))


def terminal_table(study: Study) -> str:
    """Return a table of at most 100 columns, a block of lines per model."""
    header = ("model", "reading", *FIGURES)
    blocks = [list(_block(study, model)) for model in study.models]
    widths, gap = measure([header, *(row for block in blocks for row in block)])
    over = total(widths, gap) - WIDTH
    if over > 0:
        blocks = [list(_narrow(block, widths[-1] - over)) for block in blocks]
        widths[-1] -= over
    shown = [
        "\n".join(align(row, widths, gap, (_RIGHT,)) for row in block)
        for block in blocks
    ]
    rule = "─" * total(widths, gap)
    return "\n".join([align(header, widths, gap, (_RIGHT,)), rule, "\n\n".join(shown)])


def _narrow(block: Sequence[tuple[str, ...]], width: int) -> Iterator[tuple[str, ...]]:
    """Fold the last column, never inside an interval."""
    for *cells, last in block:
        folded = textwrap.wrap(last.replace(", ", ",\N{NO-BREAK SPACE}"), width) or [""]
        for at, part in enumerate(folded):
            shown = cells if at == 0 else [""] * len(cells)
            yield (*shown, part.replace("\N{NO-BREAK SPACE}", " "))


def _block(study: Study, model: ModelLine) -> Iterator[tuple[str, ...]]:
    """Yield the lines of one model: who it is at the left, its readings beside it."""
    lines = [(LABELS[one], *reading_cells(model, one)) for one in READINGS]
    lines.append((LABELS["difference"], *difference_cells(model)))
    blank = ("",) * len(lines[0])
    for left, cells in zip_longest(_identity(study, model), lines):
        yield (left or "", *(cells or blank))


def _identity(study: Study, model: ModelLine) -> list[str]:
    what = f"simulated, {size(model)}" if study.simulated else size(model)
    varies = [
        text(model.shared[name]) for name in SHARED_WORDS if not is_common(study, name)
    ]
    return [
        line
        for words in (model_name(model), what, *remarks(model), *lost(model), *varies)
        for line in textwrap.wrap(words, NAME_WIDTH)
    ]


def markdown_grid(study: Study) -> Grid:
    """Return a row per model, every figure a column."""
    columns = ["model"]
    columns += [f"{name}, {LABELS[one]}" for one in READINGS for name in FIGURES]
    columns += [f"{name}, {LABELS['difference']}" for name in FIGURES]
    columns += ["n", "left out", "run date", "settings", "bank"]
    rows = []
    for model in study.models:
        mark = " (simulated)" if study.simulated else ""
        cells = [model_name(model) + mark]
        cells += [cell for one in READINGS for cell in reading_cells(model, one)]
        cells += [cell or NOTHING for cell in difference_cells(model)]
        cells += [", ".join([size(model).removeprefix("n "), *remarks(model)])]
        cells += ["; ".join(lost(model)) or NOTHING]
        cells += [text(model.shared[name]) for name in SHARED_WORDS]
        cells += [fact(study, "bank_sha256")]
        rows.append(tuple(cells))
    return Grid(tuple(columns), tuple(rows))


def _detectable(least: float) -> str:
    return f"smallest detectable difference in audited WTP: ${three_digits(least)}"


LOOK = Look(
    title="Hotel choice",
    simulated="SIMULATED SHOPPERS, no real model answered",
    no_table="studies without base answers of two or three options",
    legend=LEGEND,
    table=terminal_table,
    grid=markdown_grid,
    detectable=_detectable,
)
