"""Printing what a build did."""

from __future__ import annotations

from pathlib import Path

from pricebench.build_report import BuildReport
from pricebench.errors import CommandError
from pricebench.paths import dbt_folder
from pricebench.reader import Grid
from pricebench.render import to_table


def print_report(report: BuildReport) -> str:
    """Print counts per layer, the gates, and one line per failure.

    Parameters
    ----------
    report : BuildReport
        What `pricebench.build.build` returned.

    Returns
    -------
    str
        The text; without gates where none has ever run.
    """
    parts = [to_table(report.layers)]
    if report.gates.rows:
        words = {True: "yes", False: "no"}
        columns = ("gate", "status", "current", "last green (UTC)")
        rows = tuple(
            (gate, status, words[current], green and f"{green:%Y-%m-%d %H:%M}")
            for gate, status, current, green in report.gates.rows
        )
        parts.append(to_table(Grid(columns, rows)))
    bypassed = [gate for gate, status, *_ in report.gates.rows if status == "bypassed"]
    if bypassed:
        parts.append(
            f"left out: {', '.join(bypassed)}, which judge what was built; the board "
            "stays closed until `pricebench build` has run them"
        )
    if report.failures:
        parts.append("\n".join(f"FAILED {line}" for line in report.failures))
    return "\n\n".join(parts)


def require_success(report: BuildReport, warehouse: Path) -> None:
    """Raise if anything failed.

    Parameters
    ----------
    report : BuildReport
        What `pricebench.build.build` returned.
    warehouse : Path
        Absolute path, for the message.

    Raises
    ------
    CommandError
        Saying how many failed, whether the warehouse was replaced and where dbt's log
        stands.
    """
    if not report.failures:
        return
    red = [gate for gate, status, *_ in report.gates.rows if _is_red(status)]
    log = dbt_folder(warehouse) / "logs" / "dbt.log"
    if report.published:
        one = len(red) == 1
        which = f"gate {red[0]} is" if one else f"gates {', '.join(red)} are"
        raise CommandError(
            f"{which} red: what depends on {'it' if one else 'them'} was not built and "
            "no board is shown; repair the rows named above and build again, with "
            "--full-refresh where they stand in a built table"
        )
    raise CommandError(
        f"{len(report.failures)} failed, see above: {warehouse} is unchanged; mend "
        f"them and build again (dbt's log: {log})"
    )


def _is_red(status: str) -> bool:
    # a skipped gate waits for the red one before it, a bypassed one for its next run
    return status not in ("green", "empty", "skipped", "bypassed")
