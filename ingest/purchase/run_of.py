"""Which run a decision belongs to, and what a run is: model, form, settings, day."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from ingest.json_rows import JsonRow, text_of
from ingest.parsed_file import FileId, ParsedFile, collect
from ingest.purchase.bank import SEED
from ingest.schemas import RAW_PURCHASE
from ingest.sources import DERIVED, RELEASE, SIMULATED, SIMULATED_PREFIX

# prompts of the board: the numbers in natural units, no assistance
_BOARD_FORM = ("I", "C0")


def run_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the run of a decision.

    Parameters
    ----------
    row
        As it stands in its file.

    Returns
    -------
    run_id, source : str
        ``release/<model>``; for prompts of another form than the board's
        ``release/<model>/<family>-<condition>``.

    Raises
    ------
    RowError
        For a row that names no model.
    """
    model = text_of(row, "model")
    if row.get("source") == SIMULATED:
        return simulated_run_id(model, settings_of(row).get("seed")), SIMULATED
    source = DERIVED if row.get("derived") is True else RELEASE
    # another form of the question is another protocol, and so a run of its own
    form = _form(settings_of(row))
    variant = "" if form == _BOARD_FORM else f"/{'-'.join(form)}"
    return f"{source}/{model}{variant}", source


def simulated_run_id(model_tag: str, seed: Any) -> str:
    """Return the run id of a simulated buyer.

    Parameters
    ----------
    model_tag
        ``simulated/rational``, or the id of a real model.
    seed
        Seed of the simulation, written unless it is that of the published bank.

    Returns
    -------
    str
        ``simulated/rational``, ``simulated/rational/seed-7``,
        ``simulated/openai/gpt-6-luna``.
    """
    name = f"{SIMULATED_PREFIX}{model_tag.removeprefix(SIMULATED_PREFIX)}"
    return name if seed in (None, SEED) else f"{name}/seed-{seed}"


def settings_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings that a row states; none where they are no object."""
    settings = row.get("settings")
    return settings if isinstance(settings, dict) else {}


def what_varies(run_id: str, rows: Sequence[JsonRow]) -> list[str]:
    """Say which facts of a run differ between its rows.

    Parameters
    ----------
    run_id
        The run.
    rows
        Its lines.

    Returns
    -------
    list of str
        A line for settings and one for dates, where there are several.
    """
    notes = []
    for key, shown in (("settings", "each of them"), ("date", "the first")):
        texts = {_as_text((row.value or {}).get(key)) for row in rows}
        if len(texts) > 1:
            notes.append(
                f"rows of {run_id} have {len(texts)} different values of {key}; the "
                f"run is listed with {shown}"
            )
    return notes


def run_rows(file: FileId, rows_of: Mapping[str, Sequence[JsonRow]]) -> ParsedFile:
    """Return the runs of a file as rows of their own.

    Parameters
    ----------
    file
        Where they come from.
    rows_of
        Run -> its lines, at least one.

    Returns
    -------
    ParsedFile
        Rows of ``raw_purchase.run``, each described by the run's first line; settings
        that vary stand together as ``{"mixed": [...]}``. Providers, model served and
        cost stand on every decision and not here again.
    """
    runs = []
    for run_id, rows in rows_of.items():
        values = [row.value or {} for row in rows]
        settings = {_as_text(one): one for one in map(settings_of, values)}
        first, source = values[0], run_id.split("/", 1)[0]
        # settings that vary within a run stay together, so that none hides another
        held = {"mixed": list(settings.values())} if len(settings) > 1 else None
        protocol = _protocol(settings_of(first))
        runs.append(
            {
                "run_id": run_id,
                "bank_sha256": file.bank_sha256,
                "source": source,
                "model_tag": first["model"],
                "variant": "base",
                "protocol": SIMULATED if source == SIMULATED else protocol,
                "settings": _as_text(held or settings_of(first)),
                "run_date": _date(first.get("date")),
                "_source_row": rows[0].line,
            }
        )
    return collect(file, "run", RAW_PURCHASE["run"], runs, [])


def _as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _form(settings: Mapping[str, Any]) -> tuple[str, str]:
    return (
        str(settings.get("family", _BOARD_FORM[0])),
        str(settings.get("condition", _BOARD_FORM[1])),
    )


def _protocol(settings: Mapping[str, Any]) -> str:
    form = _form(settings)
    return "published" if form == _BOARD_FORM else "/".join(("published", *form))


def _date(text: Any) -> date | None:
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        return None
