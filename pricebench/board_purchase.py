"""The purchase scorecard as text: digits, ranks, what a model cost, its rows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from pricebench.board import READINGS, ModelLine, Study
from pricebench.board_layout import (
    LABELS,
    SHARED_WORDS,
    WIDTH,
    Look,
    align,
    fact,
    is_common,
    measure,
    model_name,
    text,
    total,
    with_status,
)
from pricebench.reader import Grid
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
    "n = decisions without a label behind the audited figures; calls = all labels; "
    "dollars = what 1,000 decisions without a label cost.",
    "failed_calls_scored, … = why the readings part: failed_calls_scored, the "
    "published figure scores calls that failed as a skip; unpaired_rows, it compares "
    "cells with different questions; undefined_…, the figure exists in one reading "
    "only.",
    f"{NOTHING} = undefined; its status stands below the model (any status but ok is "
    "shown).",
)


def reading_cells(model: ModelLine, reading: str) -> tuple[str, ...]:
    """Return the figures of one reading as text, in the order of `FIGURES`."""
    row = model.readings[reading]
    first, *others = (_number(row.get(name), name) for name in HEADINGS)
    if row.get("ci_lo") is not None and row.get("ci_hi") is not None:
        first += f" [{_percent(row['ci_lo'])}, {_percent(row['ci_hi'])}]"
    return (first, _rank(row), *others)


def difference_cells(model: ModelLine) -> tuple[str, ...]:
    """Return audited minus published as text, likewise ordered; ranks have none."""
    first, *others = (_number(model.difference[name], name, "+") for name in HEADINGS)
    return (first, "", *others)


def statuses(model: ModelLine, reading: str) -> dict[str, list[str]]:
    """Return the headings of the figures that are not to be relied on, by status."""
    row = model.readings[reading]
    found: dict[str, list[str]] = {}
    for name, heading in HEADINGS.items():
        status = row.get("status" if name == "value" else f"{name}_status")
        if status not in (None, "ok"):
            found.setdefault(status, []).append(heading)
    return found


def reasons(model: ModelLine) -> dict[str, list[str]]:
    """Return the headings of the figures whose readings part, by the reason."""
    found: dict[str, list[str]] = {}
    for name, heading in HEADINGS.items():
        reason = model.reasons[name]
        if reason is not None:
            found.setdefault(reason, []).append(heading)
    return found


def calls(model: ModelLine) -> str:
    """Say how many calls were made, failed and could not be read."""
    shared = model.shared
    counts = [f"{_count(shared['answers'])} calls"]
    if shared["failed_count"]:
        share = f"{shared['failed_share']:.1%}"
        counts.append(f"{_count(shared['failed_count'])} failed ({share})")
    if shared["invalid_count"]:
        counts.append(f"{_count(shared['invalid_count'])} invalid")
    return ", ".join(counts)


def dollars(value: float | None) -> str:
    """Show at least three digits that count; csv and json carry all."""
    if value is None:
        return NOTHING
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"${value:,.{digits}f}"


def served(model: ModelLine) -> str:
    """Name the endpoints with their numbers of decisions; nobody served those last."""
    listed = text(model.shared["providers_served"]).split("; ")
    return "; ".join(sorted(listed, key=lambda one: one.startswith(_NOBODY)))


def terminal_table(study: Study) -> str:
    """Return a table of at most 100 columns, a block of lines per model."""
    header = ("reading", *FIGURES)
    blocks = [_rows(model) for model in study.models]
    widths, gap = measure([header, *(row for block in blocks for row in block)])
    right = range(2, len(header))
    shown = [
        "\n".join(
            [
                *_fold(_who(study, model), ""),
                *(align(row, widths, gap, right) for row in block),
                *_notes(model),
            ]
        )
        for model, block in zip(study.models, blocks, strict=True)
    ]
    rule = "─" * total(widths, gap)
    return "\n".join([align(header, widths, gap, right), rule, "\n\n".join(shown)])


def _rows(model: ModelLine) -> list[tuple[str, ...]]:
    rows = [(LABELS[one], *reading_cells(model, one)) for one in READINGS]
    return [*rows, (LABELS["difference"], *difference_cells(model))]


def _who(study: Study, model: ModelLine) -> str:
    n = model.readings["audited"].get("n")
    facts = ["simulated"] if study.simulated else []
    facts += [f"n {NOTHING if n is None else _count(n)}", calls(model)]
    facts.append(f"{dollars(model.shared['usd_per_1000_decisions'])} per 1,000")
    facts += [
        text(model.shared[name]) for name in SHARED_WORDS if not is_common(study, name)
    ]
    return f"{model_name(model)}: {'; '.join(facts)}"


def _notes(model: ModelLine) -> Iterator[str]:
    for reading in READINGS:
        for status, headings in statuses(model, reading).items():
            yield from _fold(f"{LABELS[reading]} {status}: {', '.join(headings)}")
    for reason, headings in reasons(model).items():
        yield from _fold(f"{reason}: {', '.join(headings)}")
    yield from _fold(f"served by {served(model)}")


def _fold(line: str, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        line, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  "
    )


def markdown_grid(study: Study) -> Grid:
    """Return a row per model, every figure a column."""
    columns = ["model"]
    columns += [f"{name}, {LABELS[one]}" for one in READINGS for name in FIGURES]
    parted = [name for name in FIGURES if name != RANK]
    columns += [f"{name}, {LABELS['difference']}" for name in parted]
    columns += ["why", "n", "calls", "$ per 1,000", "served by"]
    columns += [*SHARED_WORDS.values(), "bank"]
    rows = []
    for model in study.models:
        mark = " (simulated)" if study.simulated else ""
        cells = [model_name(model) + mark]
        cells += [cell for one in READINGS for cell in _marked(model, one)]
        cells += [cell for cell in difference_cells(model) if cell]
        why = (f"{name}: {', '.join(at)}" for name, at in reasons(model).items())
        cells += ["; ".join(why) or NOTHING]
        cells += [text(model.readings["audited"].get("n")), calls(model)]
        cells += [dollars(model.shared["usd_per_1000_decisions"]), served(model)]
        cells += [text(model.shared[name]) for name in SHARED_WORDS]
        cells += [fact(study, "bank_sha256")]
        rows.append(tuple(cells))
    return Grid(tuple(columns), tuple(rows))


def _marked(model: ModelLine, reading: str) -> Iterator[str]:
    """Yield the figures of one reading, each with its status beside it."""
    found = {
        heading: status
        for status, headings in statuses(model, reading).items()
        for heading in headings
    }
    for heading, cell in zip(FIGURES, reading_cells(model, reading), strict=True):
        yield with_status(cell, found.get(heading))


def _rank(row: Mapping[str, Any]) -> str:
    best, worst = row.get("rank_lo"), row.get("rank_hi")
    if best is None or worst is None:
        return NOTHING
    return f"{best:.0f}" if best == worst else f"{best:.0f}–{worst:.0f}"


def _number(value: float | None, figure: str, sign: str = "") -> str:
    if value is None:
        return NOTHING
    if figure == "value":
        return _percent(value, sign)
    # z: what rounds to nothing has no sign.
    return f"{value:{sign}z.{_DIGITS.get(figure, 3)}f}"


def _percent(value: float, sign: str = "") -> str:
    # three digits, as many as below a hundred
    digits = 0 if abs(value) >= 99.95 else 1
    return f"{value:{sign}z.{digits}f}"


def _count(number: int) -> str:
    return f"{number:,}"


def _detectable(least: float) -> str:
    return (
        f"smallest detectable difference in audited best choices: {_percent(least)} "
        "percentage points"
    )


LOOK = Look(
    title="Purchase decisions",
    simulated="SIMULATED BUYERS, no real model answered",
    no_table="studies without decisions",
    legend=LEGEND,
    table=terminal_table,
    grid=markdown_grid,
    detectable=_detectable,
)
