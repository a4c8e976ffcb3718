"""How a figure of the scorecard reads: digits, statuses, what is lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pricebench.board import ModelLine, Study
from pricebench.render import NOTHING

FIGURES = ("first", "verdict", "log price", "review", "WTP $ [95 %]")
LABELS = {"as_published": "published", "audited": "audited", "difference": "difference"}
ONE_ORDER = "one order only"
NO_PAIRS = "no two-option answers"
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
        _with_status(_coefficient(row.get(term)), row.get(f"{term}_status"))
        for term in ("log_price", "review_score")
    )
    share = _share(row.get("first_shown_rate"))
    return (share, text(row.get("verdict")), *terms, _interval(row))


def difference_cells(model: ModelLine) -> tuple[str, ...]:
    """Return audited minus published as text, and why they part, likewise ordered."""
    gap = model.difference
    worth = f"{dollars(gap['value'], '+')} {model.reasons['value'] or ''}".rstrip()
    terms = (_coefficient(gap[term], "+") for term in ("log_price", "review_score"))
    rate = gap["first_shown_rate"]
    points = NOTHING if rate is None else f"{100 * rate:+.1f}"
    return (points, _verdict_reason(model), *terms, worth)


def _verdict_reason(model: ModelLine) -> str:
    labels = {row.get("verdict") for row in model.readings.values()}
    reason = model.reasons["verdict"] or model.reasons["first_shown_rate"]
    return reason or "" if len(labels) > 1 else ""


def model_name(model: ModelLine) -> str:
    """Return the display name, or the id of a model that has none."""
    return text(model.shared["display_name"] or model.shared["model_id"])


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
    no_pairs = model.readings["audited"].get("answers") == 0
    return (ONE_ORDER,) * one_order + (NO_PAIRS,) * no_pairs


def is_common(study: Study, column: str) -> bool:
    """Return whether all models of a study share a value."""
    return len({model.shared[column] for model in study.models}) == 1


def text(value: Any) -> str:
    """Return a value as text; one that is missing or empty as a dash."""
    return NOTHING if value is None or value == "" else str(value)


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1%}"


def dollars(value: float | None, sign: str = "") -> str:
    """Show at least three digits that count; csv and json carry all."""
    if value is None:
        return NOTHING
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:{sign}.{digits}f}"


def _coefficient(value: float | None, sign: str = "") -> str:
    # z: what rounds to nothing has no sign.
    return NOTHING if value is None else f"{value:{sign}z.3f}"


def _interval(row: Mapping[str, Any]) -> str:
    shown = dollars(row.get("value"))
    if row.get("ci_lo") is not None and row.get("ci_hi") is not None:
        shown += f" [{dollars(row['ci_lo'])}, {dollars(row['ci_hi'])}]"
    return _with_status(shown, row.get("status"))


def _with_status(shown: str, status: str | None) -> str:
    return shown if status in (None, "ok") else f"{shown} {status}"
