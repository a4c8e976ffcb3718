"""`pricebench report search`: summaries rebuilt from the artifacts of a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pricebench import console
from pricebench.errors import CommandError
from pricebench.reader import Grid, open_reader
from pricebench.render import Format, render
from pricebench.search_run import TRACKS, artifacts, private_warehouse, run_folder
from pricebench.search_summary import first_difference, summarise

SCENARIOS = ("base", "prime")
# of a header, what says when and by what a summary was made
_WHEN = ("created_at", "updated_at", "tool_version")


def report_search(
    run: Path | None,
    *,
    tracks: Sequence[str],
    prime: bool,
    check: bool,
    show: bool = True,
) -> None:
    """Rebuild the summaries of a run, write or compare them, and print the tables.

    Parameters
    ----------
    run
        The run folder; by default ``runs/$PRICEBENCH_DIR``.
    tracks
        Tracks to report; those without answers are left out.
    prime
        Report the scenario with Amazon's shipping at 0 too.
    check
        Compare with the stored summaries and write nothing.
    show
        Print the tables.

    Raises
    ------
    CommandError
        No such run, artifacts that can't be loaded, an agent that was not asked about
        every product, or a stored summary that is missing or differs, which names the
        first field.
    """
    folder = run_folder(run)
    label, files = f"{folder} cannot be reported", artifacts(folder)
    scenarios = SCENARIOS if prime else SCENARIOS[:1]
    with (
        console.progress("report") as say,
        private_warehouse(label, files, say, ["gate_search_marts"]) as warehouse,
        open_reader(warehouse) as connection,
    ):
        run_id, source, asked = _identity(connection)
        wanted = [one for one in tracks if one in asked]
        if not wanted:
            raise CommandError(
                f"{folder} holds no answers of track {', '.join(tracks)}"
            )
        made = {
            (track, scenario): summarise(connection, run_id, track, scenario)
            for track in wanted
            for scenario in scenarios
        }
    for (track, scenario), body in made.items():
        name = summary_name(track, scenario)
        body["inputs"] = _inputs(folder, track)
        if check:
            refuse_other(folder / name, body)
        else:
            _write(folder / name, body, run_id, source)
        if show:
            console.emit(_table(name, body))


def summary_name(track: str, scenario: str) -> str:
    """Return the file name of a summary."""
    return f"summary_{track}{'_prime' if scenario == 'prime' else ''}.json"


def write_missing(folder: Path) -> None:
    """Write all summaries of a run, unless all are there.

    Parameters
    ----------
    folder
        The run folder.

    Raises
    ------
    CommandError
        As `report_search`.
    """
    wanted = (summary_name(track, one) for track in TRACKS for one in SCENARIOS)
    if not all((folder / name).is_file() for name in wanted):
        report_search(folder, tracks=TRACKS, prime=True, check=False, show=False)


def _identity(connection: Any) -> tuple[str, str, set[str]]:
    found = connection.execute(
        "select distinct run_id, source, track from marts.run "
        "join marts.search_coverage using (run_id)"
    ).fetchall()
    if not found:
        return "", "", set()
    return found[0][0], found[0][1], {track for *_, track in found}


def _inputs(folder: Path, track: str) -> dict[str, str]:
    other = next(one for one in TRACKS if one != track)
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in artifacts(folder).values()
        if not path.stem.endswith(f"_{other}")
    }


def _write(path: Path, body: Mapping[str, Any], run_id: str, source: str) -> None:
    from importlib.metadata import version

    from ingest.search.write_artifact import artifact_text
    from ingest.whole_file import put_whole

    rest = {name: value for name, value in body.items() if name != "inputs"}
    text = artifact_text(
        "summary",
        rest,
        run_id=run_id,
        at=datetime.now(UTC),
        inputs=body["inputs"],
        tool_version=version("pricebench"),
        source=source,
    )
    put_whole(path, text.encode())


def refuse_other(path: Path, body: Mapping[str, Any]) -> None:
    """Refuse a stored summary that is not what its artifacts give.

    Parameters
    ----------
    path
        The stored summary.
    body
        What the artifacts give: a summary without its header, but with ``inputs``.

    Raises
    ------
    CommandError
        It is missing, no JSON or differs; names the first field that does.
    """
    if not path.is_file():
        raise CommandError(
            f"no {path.name} to check: write it with `pricebench report search`"
        )
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path.name} is no JSON ({error})") from error
    if not isinstance(stored, dict):
        raise CommandError(f"{path.name} holds no JSON object")
    header = (*_WHEN, "schema", "run_id", "protocol", "source")
    kept = {name: value for name, value in stored.items() if name not in header}
    found = first_difference(kept, json.loads(json.dumps(body)))
    if found:
        raise CommandError(f"{path.name} differs from its artifacts: {found}")


def _table(name: str, body: Mapping[str, Any]) -> str:
    columns = (
        *("agent", "capture", "ci_lo", "ci_hi", "found", "success", "recall"),
        *("recall_all", "ratio_of_sums", "leave_one_out", "bound_lo", "bound_hi"),
        *("errors", "unverifiable", "median_s", "usd"),
    )
    rows = []
    for agent, one in body["agents"].items():
        capture = one["savings_capture"]
        lo, hi = capture["ci"] or (None, None)
        rows.append(
            (
                *(agent, capture["mean"], lo, hi, one["savings_found"]["mean"]),
                *(one["success_rate"]["value"], one["best_price_recall"]["value"]),
                one["best_price_recall_all"]["value"],
                one["capture_ratio_of_sums"]["value"],
                one["capture_leave_one_out"]["median"],
                *one["capture_bounds"],
                sum(one["errors"].values()),
                one["unverifiable_candidates"],
                one["latency_s"]["median"],
                one["cost_usd"]["total"],
            )
        )
    head = (
        f"{name}: {body['n_tasks']} products, {body['n_void']} void, "
        f"{body['n_opportunity']} with an opportunity, {body['n_tiny_opportunity']} of "
        f"them of at most a cent a unit; pool of {len(body['pool'])}"
    )
    return f"{head}\n{render(Grid(columns, tuple(rows)), Format.table)}"
