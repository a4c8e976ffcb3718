"""Reading the scorecard out of the marts: one row per model, both readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pricebench.errors import CommandError
from pricebench.gates import refuse_unless_green
from pricebench.reader import Grid, fetch, open_reader

READINGS = ("as_published", "audited")
INSTRUMENTS = ("hotel",)
BASE = "base"  # the variant whose answers the scorecard holds

# What a study is; also what can make two tables incomparable.
FACTS = ("source", "protocol", "bank_sha256", "prompt_sha256")

# Columns of the board that belong to the model in its study, not to a reading.
SHARED = (
    "study_id",
    "source",
    "bank_sha256",
    "model_id",
    "display_name",
    "run_date",
    "settings_label",
    "providers_served",
    "cost_usd",
    "instrument",
    "scope",
    "headline",
)

# Figure on the board -> its metric in `reading_difference`.
METRICS = {
    "first_shown_rate": "first_shown_rate",
    "verdict": "verdict",
    "log_price": "log_price",
    "review_score": "review_score",
    "pseudo_r2": "pseudo_r2",
    "value": "wtp_review_score_usd",
}
NUMBERS = tuple(name for name in METRICS if name != "verdict")

_ORDER = ("release", "collected", "simulated", "derived")

# Excluded runs count in no figure, but the study they belong to is named.
_RUNS = f"""
select
    study_id, {", ".join(FACTS)},
    list_sort(list(distinct variant) filter (not is_excluded and variant is not null))
        as variants,
    bool_and(is_excluded) as is_excluded
from marts.run
where instrument = ?
group by study_id, {", ".join(FACTS)}
"""

# Nothing is dropped silently: what was loaded and is in none of the figures.
EXCLUDED = " excluded: "  # in a line about a run that was taken out
_LEFT_OUT = f"""
with excluded as (
    select study_id, 'run ' || run_id || '{EXCLUDED}' || excluded_reason as what
    from marts.run
    where instrument = ? and is_excluded
),
quarantined as (
    select bank_sha256, count(*) || ' rows quarantined' as what
    from quality.quarantine
    where instrument = ? and bank_sha256 is not null
    group by bank_sha256
)
select study_id, what from excluded
union
select run.study_id, quarantined.what from quarantined join marts.run as run
using (bank_sha256)
order by study_id, what
"""

# What two models must differ by to be told apart; half of the pairs need less.
_DETECTABLE = """
select study_id, median(smallest_detectable) as smallest_detectable
from marts.comparison
where instrument = ? and status = 'ok'
    and (study_id, scope, metric) in (
        select (study_id, scope, headline) from marts.board where instrument = ?
    )
group by study_id
"""


@dataclass(frozen=True, slots=True)
class ModelLine:
    """One model's row: shared columns, figures per reading, what parts the readings."""

    shared: Mapping[str, Any]
    readings: Mapping[str, Mapping[str, Any]]  # reading -> column -> value
    difference: Mapping[str, float | None]  # figure -> audited minus as published
    reasons: Mapping[str, str | None]  # figure -> why they part; null: they agree


@dataclass(frozen=True, slots=True)
class Study:
    """One table of the board: models that may be compared with each other.

    A study without models has no table, since no run of it that counts gave base
    answers of two or three options; it is named, so that nothing loaded goes unsaid.
    """

    study_id: str
    facts: Mapping[str, Any]
    differs: tuple[str, ...]  # facts that differ from the table above; () for the first
    models: tuple[ModelLine, ...]
    left_out: tuple[str, ...] = ()  # what was loaded and counts in no figure
    variants: tuple[str, ...] = ()  # variants in the marts that the table leaves out
    excluded: bool = False  # every run of it was taken out
    smallest_detectable: float | None = None  # of the headline; median over pairs

    @property
    def simulated(self) -> bool:
        """Whether no real model answered."""
        return bool(self.facts["source"] == "simulated")


def read_board(warehouse: Path, instrument: str) -> tuple[Study, ...]:
    """Read the scorecard of one instrument.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.
    instrument : str
        One of `INSTRUMENTS`.

    Returns
    -------
    tuple of Study
        Published data first, simulated data last, then studies without a table; models
        in order of their names, since no value of the headline is better than another.
        Empty where the instrument has no data.

    Raises
    ------
    CommandError
        If there is no such instrument, its marts were never built, or a gate of it is
        not green for the data now loaded: the message names the gate and the date of
        the last good figures.
    """
    if instrument not in INSTRUMENTS:
        raise CommandError(
            f"no board for {instrument!r}: name one of {', '.join(INSTRUMENTS)}"
        )
    with open_reader(warehouse) as connection:
        refuse_unless_green(connection, warehouse, instrument)
        board = fetch(
            connection,
            "select board.*, model.display_name "
            f"from marts.{instrument}_board as board "
            "left join marts.model as model using (model_id)",
        )
        parted = fetch(
            connection,
            "select study_id, model_id, metric, difference, reason "
            "from marts.reading_difference where instrument = ?",
            [instrument],
        )
        runs = fetch(connection, _RUNS, [instrument])
        left_out = fetch(connection, _LEFT_OUT, [instrument, instrument])
        detectable = fetch(connection, _DETECTABLE, [instrument, instrument])
    return arrange(
        board.records(),
        parted.records(),
        runs.records(),
        left_out.records(),
        detectable.records(),
    )


def arrange(
    board: Sequence[Mapping[str, Any]],
    parted: Sequence[Mapping[str, Any]],
    runs: Sequence[Mapping[str, Any]],
    left_out: Sequence[Mapping[str, Any]] = (),
    detectable: Sequence[Mapping[str, Any]] = (),
) -> tuple[Study, ...]:
    """Group the rows of the marts into studies and models.

    Parameters
    ----------
    board : sequence of mapping
        Rows of ``hotel_board`` with ``display_name``, one per study, model, reading.
    parted : sequence of mapping
        Rows of ``reading_difference``.
    runs : sequence of mapping
        ``study_id``, `FACTS`, ``variants`` and ``is_excluded`` (every run is) of every
        study that was loaded.
    left_out : sequence of mapping
        ``study_id`` and ``what``: runs and rows that count in no figure.
    detectable : sequence of mapping
        ``study_id`` and ``smallest_detectable``, where models are compared.

    Returns
    -------
    tuple of Study
        As in `read_board`. A study whose runs do not name a fact has null there.
    """
    loaded = {row["study_id"]: row for row in runs}
    least = {row["study_id"]: row["smallest_detectable"] for row in detectable}
    gaps = {(row["study_id"], row["model_id"], row["metric"]): row for row in parted}
    found = {row["study_id"]: row["source"] for row in (*runs, *board)}
    shown = {row["study_id"] for row in board}
    order = sorted(
        found, key=lambda one: (one not in shown, _ORDER.index(found[one]), one)
    )
    studies: list[Study] = []
    for study_id in order:
        mine = [row for row in board if row["study_id"] == study_id]
        known = loaded[study_id] if study_id in loaded else mine[0]
        named = {name: known.get(name) for name in FACTS}
        above = studies[-1].facts if studies and mine else named
        studies.append(
            Study(
                study_id,
                named,
                tuple(name for name in FACTS if named[name] != above[name]),
                _lines(mine, gaps),
                tuple(row["what"] for row in left_out if row["study_id"] == study_id),
                tuple(
                    one
                    for one in known.get("variants") or ()
                    if one != BASE or not mine
                ),
                bool(known.get("is_excluded")),
                least.get(study_id),
            )
        )
    return tuple(studies)


def _lines(
    rows: Sequence[Mapping[str, Any]],
    gaps: Mapping[tuple[str, str, str], Mapping[str, Any]],
) -> tuple[ModelLine, ...]:
    names = {row["model_id"]: row["display_name"] for row in rows}
    order = sorted(names, key=lambda one: ((names[one] or one).lower(), one))
    return tuple(
        _line([row for row in rows if row["model_id"] == one], gaps) for one in order
    )


def _line(
    rows: Sequence[Mapping[str, Any]],
    gaps: Mapping[tuple[str, str, str], Mapping[str, Any]],
) -> ModelLine:
    shared = {name: rows[0].get(name) for name in SHARED}
    own = [name for name in rows[0] if name not in (*SHARED, "reading")]
    readings = {row["reading"]: {name: row[name] for name in own} for row in rows}
    study_id, model_id = str(shared["study_id"]), str(shared["model_id"])
    gap = {
        name: gaps.get((study_id, model_id, metric), {})
        for name, metric in METRICS.items()
    }
    return ModelLine(
        shared,
        {reading: readings.get(reading, {}) for reading in READINGS},
        {name: gap[name].get("difference") for name in NUMBERS},
        {name: gap[name].get("reason") for name in METRICS},
    )


def wide_rows(studies: Sequence[Study]) -> Grid:
    """Lay the board out as one row per study and model.

    Parameters
    ----------
    studies : sequence of Study
        What `read_board` returned.

    Returns
    -------
    Grid
        Facts of the study, shared columns, then every figure as
        ``<figure>_as_published`` and ``<figure>_audited``, then
        ``<figure>_difference`` and ``<figure>_reason``, and the smallest detectable
        difference of the study's headline. No digit is rounded. No columns where there
        is no study.
    """
    records: list[dict[str, Any]] = []
    for study in studies:
        for model in study.models:
            record = dict(study.facts) | dict(model.shared)
            for reading in READINGS:
                figures = model.readings[reading].items()
                record |= {f"{name}_{reading}": value for name, value in figures}
            record["smallest_detectable"] = study.smallest_detectable
            record |= {f"{k}_difference": v for k, v in model.difference.items()}
            record |= {f"{k}_reason": v for k, v in model.reasons.items()}
            records.append(record)
    columns = tuple(dict.fromkeys(name for record in records for name in record))
    lead = ("study_id", "model_id", "display_name")
    columns = tuple(sorted(columns, key=lambda one: one not in lead))
    return Grid(columns, tuple(tuple(map(one.get, columns)) for one in records))


def nested(studies: Sequence[Study]) -> list[dict[str, Any]]:
    """Lay the board out as studies that hold models that hold readings.

    Parameters
    ----------
    studies : sequence of Study
        What `read_board` returned.

    Returns
    -------
    list of dict
        One entry per study, ready for JSON. ``not_comparable_with_above`` lists the
        facts that differ from the study before; null in the first and where there are
        no models. ``also_loaded`` lists variants that stand in the marts only.
    """
    return [
        {
            "study_id": study.study_id,
            **study.facts,
            "not_comparable_with_above": (
                list(study.differs) if at and study.models else None
            ),
            "left_out": list(study.left_out),
            "smallest_detectable": study.smallest_detectable,
            "also_loaded": list(study.variants),
            "models": [
                {
                    **model.shared,
                    **model.readings,
                    "difference": dict(model.difference),
                    "reason": dict(model.reasons),
                }
                for model in study.models
            ],
        }
        for at, study in enumerate(studies)
    ]
