"""Reading the scorecard out of the marts: one row per model, both readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.sources import DERIVED, SIMULATED, SOURCES
from pricebench.errors import CommandError
from pricebench.gates import loaded_instruments, refuse_unless_green
from pricebench.reader import fetch, open_reader
from pricebench.scorecards import INSTRUMENTS, SCORECARDS, Scorecard

READINGS = ("as_published", "audited")
BASE = "base"  # the variant whose answers the scorecard holds

# What a study is; also what can make two tables incomparable.
FACTS = ("source", "protocol", "bank_sha256", "prompt_sha256")
SEVERAL = "several"  # models of a table differ in it

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

_GAP_KEY = ("study_id", "scope", "model_id", "metric")

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
-- of the files that stand now; one that belongs to no run speaks of all of its bank
aside as (
    select distinct
        run.study_id, file.source_file, file.source_sha256, file.rows_quarantined
    from quality.standing_file as file
    inner join marts.run as run
        on file.instrument = run.instrument and file.bank_sha256 = run.bank_sha256
        and (len(file.run_ids) = 0 or list_contains(file.run_ids, run.run_id))
    where file.instrument = ?
),
quarantined as (
    select study_id, sum(rows_quarantined) as n
    from aside
    group by study_id
)
select study_id, what from excluded
union
select study_id, n || if(n = 1, ' row', ' rows') || ' quarantined' as what
from quarantined
where n > 0
order by study_id, what
"""

# What two models must differ by to be told apart; half of the pairs need less.
_DETECTABLE = """
select study_id, scope, median(smallest_detectable) as smallest_detectable
from marts.comparison
where instrument = ? and status = 'ok'
    and (study_id, scope, metric) in (
        select (study_id, scope, headline) from marts.board where instrument = ?
    )
group by study_id, scope
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

    It is a study, or one scope of a study. A study without models has no table, since
    no run of it that counts gave answers that the board shows; it is named, so that
    nothing loaded goes unsaid.
    """

    study_id: str
    facts: Mapping[str, Any]
    differs: tuple[str, ...]  # facts that differ from the table above; () for the first
    models: tuple[ModelLine, ...]
    left_out: tuple[str, ...] = ()  # what was loaded and counts in no figure
    variants: tuple[str, ...] = ()  # variants in the marts that the table leaves out
    excluded: bool = False  # every run of it was taken out
    smallest_detectable: float | None = None  # of the headline; median over pairs
    instrument: str = INSTRUMENTS[0]
    scope: str | None = None  # the part of the study; null without a table

    @property
    def derived(self) -> bool:
        """Whether its answers were not observed."""
        return bool(self.facts["source"] == DERIVED)

    @property
    def simulated(self) -> bool:
        """Whether no real model answered."""
        return bool(self.facts["source"] == SIMULATED)


def read_boards(warehouse: Path) -> tuple[tuple[Study, ...], tuple[str, ...]]:
    """Read the scorecards of all instruments that have data.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.

    Returns
    -------
    studies : tuple of Study
        As in `read_board`, one instrument after the other.
    refusals : tuple of str
        Why the board of an instrument with data cannot be shown, a line each.

    Raises
    ------
    CommandError
        If the warehouse cannot be read.
    """
    with open_reader(warehouse) as connection:
        loaded = loaded_instruments(connection, warehouse)
    studies: list[Study] = []
    refusals: dict[str, str] = {}
    for instrument in INSTRUMENTS:
        try:
            studies += read_board(warehouse, instrument)
        except CommandError as error:
            refusals[instrument] = str(error)
    told = [line for instrument, line in refusals.items() if instrument in loaded]
    if not told and len(refusals) == len(INSTRUMENTS):
        # nothing was loaded and nothing built: one line says so
        told = [refusals[INSTRUMENTS[0]]]
    return tuple(studies), tuple(told)


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
        Published data first, simulated data last, then studies without a table; scopes
        and models in the order of the instrument's `Scorecard`. Empty where the
        instrument has no data.

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
            "select study_id, scope, model_id, metric, difference, reason "
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
        instrument,
    )


def arrange(
    board: Sequence[Mapping[str, Any]],
    parted: Sequence[Mapping[str, Any]],
    runs: Sequence[Mapping[str, Any]],
    left_out: Sequence[Mapping[str, Any]] = (),
    detectable: Sequence[Mapping[str, Any]] = (),
    instrument: str = INSTRUMENTS[0],
) -> tuple[Study, ...]:
    """Group the rows of the marts into studies and models.

    Parameters
    ----------
    board : sequence of mapping
        Rows of ``<instrument>_board`` with ``display_name``, one per study, scope,
        model and reading.
    parted : sequence of mapping
        Rows of ``reading_difference``.
    runs : sequence of mapping
        ``study_id``, `FACTS`, ``variants`` and ``is_excluded`` (every run is) of every
        study that was loaded.
    left_out : sequence of mapping
        ``study_id`` and ``what``: runs and rows that count in no figure.
    detectable : sequence of mapping
        ``study_id``, ``scope`` and ``smallest_detectable``, where models are compared.
    instrument : str
        One of `INSTRUMENTS`.

    Returns
    -------
    tuple of Study
        As in `read_board`. A study whose runs do not name a fact has null there.
    """
    card = SCORECARDS[instrument]
    loaded = {row["study_id"]: row for row in runs}
    least = {
        (row["study_id"], row["scope"]): row["smallest_detectable"]
        for row in detectable
    }
    gaps = {tuple(row[name] for name in _GAP_KEY): row for row in parted}
    studies: list[Study] = []
    for study_id, scope in _tables(board, runs, card):
        mine = [
            row for row in board if (row["study_id"], row["scope"]) == (study_id, scope)
        ]
        known = loaded[study_id] if study_id in loaded else mine[0]
        named = _facts(known, mine, card)
        above = studies[-1].facts if studies and mine else named
        studies.append(
            Study(
                study_id,
                named,
                tuple(name for name in named if named[name] != above[name]),
                _lines(mine, gaps, card),
                tuple(row["what"] for row in left_out if row["study_id"] == study_id),
                tuple(
                    one
                    for one in known.get("variants") or ()
                    if one != BASE or not mine
                ),
                bool(known.get("is_excluded")),
                least.get((study_id, scope)),
                instrument,
                scope,
            )
        )
    return tuple(studies)


def _tables(
    board: Sequence[Mapping[str, Any]],
    runs: Sequence[Mapping[str, Any]],
    card: Scorecard,
) -> list[tuple[str, Any]]:
    """Order the studies by source, those without a table last, and their scopes."""
    source = {row["study_id"]: row["source"] for row in (*runs, *board)}
    place = {study: SOURCES.index(one) for study, one in source.items()}
    shown = dict.fromkeys((row["study_id"], row["scope"]) for row in board)
    bare = [(one, None) for one in source if one not in {study for study, _ in shown}]
    return [
        *sorted(
            shown,
            key=lambda at: (place[at[0]], at[0], _place_of(at[1], card)),
        ),
        *sorted(bare, key=lambda at: (place[at[0]], at[0])),
    ]


def _place_of(scope: str, card: Scorecard) -> tuple[int, str]:
    known = card.scopes
    return (known.index(scope) if scope in known else len(known), scope)


def _facts(
    known: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], card: Scorecard
) -> dict[str, Any]:
    """Return what a table is: by its own rows where they tell, else by its runs."""
    facts: dict[str, Any] = {}
    for name in (*FACTS, *card.facts):
        told = {row[name] for row in rows if name in row} or {known.get(name)}
        facts[name] = told.pop() if len(told) == 1 else SEVERAL
    return facts


def _lines(
    rows: Sequence[Mapping[str, Any]],
    gaps: Mapping[tuple[Any, ...], Mapping[str, Any]],
    card: Scorecard,
) -> tuple[ModelLine, ...]:
    ids = dict.fromkeys(row["model_id"] for row in rows)
    lines = [
        _line([row for row in rows if row["model_id"] == one], gaps, card)
        for one in ids
    ]
    return tuple(sorted(lines, key=lambda line: _place(line, card)))


def _place(line: ModelLine, card: Scorecard) -> tuple[Any, ...]:
    model_id, audited = str(line.shared["model_id"]), line.readings["audited"]
    name = str(line.shared["display_name"] or model_id).lower()
    ranked = audited.get("status") == "ok"
    figures = [
        (-audited[figure] if largest else audited[figure]) if ranked else 0
        for figure, largest in card.best_first
    ]
    return (bool(figures) and not ranked, *figures, name, model_id)


def _line(
    rows: Sequence[Mapping[str, Any]],
    gaps: Mapping[tuple[Any, ...], Mapping[str, Any]],
    card: Scorecard,
) -> ModelLine:
    common = (*SHARED, *card.shared)
    shared = {name: rows[0].get(name) for name in common}
    own = [name for name in rows[0] if name not in (*common, "reading")]
    readings = {row["reading"]: {name: row[name] for name in own} for row in rows}
    at = tuple(shared[name] for name in _GAP_KEY[:-1])
    gap = {name: gaps.get((*at, metric), {}) for name, metric in card.metrics.items()}
    return ModelLine(
        shared,
        {reading: readings.get(reading, {}) for reading in READINGS},
        {name: gap[name].get("difference") for name in card.numbers},
        {name: gap[name].get("reason") for name in card.metrics},
    )
