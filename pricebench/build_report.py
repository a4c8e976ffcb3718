"""What a build did: counts per layer, the gates, and one line per failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pricebench.errors import one_line
from pricebench.reader import Grid, fetch, open_reader

LAYERS = ("seeds", "staging", "intermediate", "estimates", "marts", "gates")
_BAD = ("error", "fail", "runtime error", "partial success")
_GATE = "gate_"
# the generic test of the project, see dbt_project/tests/generic
_PROMISES = "grain_and_identities"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    layers: Grid  # per layer: relations built, skipped, failed; tests likewise
    gates: Grid  # per gate: status, whether it speaks of the data now loaded
    failures: tuple[str, ...]  # one line each
    published: bool  # False: the warehouse is as it was before


def summarise(results: Sequence[Any], copy: Path) -> BuildReport:
    """Turn dbt's results into a report.

    Parameters
    ----------
    results : sequence of dbt RunResult
        One per node that dbt ran or skipped.
    copy : Path
        The warehouse that was built; its gates are read.

    Returns
    -------
    BuildReport
        ``published`` says whether the copy may replace the warehouse.
    """
    bad = [result for result in results if str(result.status) in _BAD]
    red = [result for result in bad if result.node.name.startswith(_GATE)]
    gates, rows = _read_gates(copy)
    report = BuildReport(
        layers=_count_layers(results),
        gates=gates,
        failures=tuple(_explain(result, rows, copy) for result in bad),
        published=len(red) == len(bad) or _halted_by_gate(bad, red),
    )
    return replace(report, failures=tuple(dict.fromkeys(report.failures)))


def _halted_by_gate(bad: Sequence[Any], red: Sequence[Any]) -> bool:
    # A dependent that asked its gate and was refused failed because of the gate.
    rest = [result for result in bad if result not in red]
    return all(re.search(r"\bgate \S+ (is|has) ", r.message or "") for r in rest)


def _count_layers(results: Sequence[Any]) -> Grid:
    columns = ("layer", "built", "failed", "skipped", "tests", "tests failed", "warned")
    counts = {layer: [0] * (len(columns) - 1) for layer in LAYERS}
    for result in results:
        if result.node.resource_type == "operation" and str(result.status) not in _BAD:
            continue
        line = counts.setdefault(_layer(result.node), [0] * (len(columns) - 1))
        status = str(result.status)
        test = result.node.resource_type == "test"
        if test:
            line[3] += status != "skipped"
            line[4] += status in _BAD
            line[5] += status == "warn"
        else:
            line[0] += status == "success"
            line[1] += status in _BAD
        line[2] += status == "skipped"
    rows = tuple((layer, *line) for layer, line in counts.items() if any(line))
    return Grid(columns, rows)


def _layer(node: Any) -> str:
    if node.resource_type == "seed":
        return "seeds"
    folder = node.fqn[1] if len(node.fqn) > 1 else ""
    return folder if folder in LAYERS else "project"


def _read_gates(copy: Path) -> tuple[Grid, Grid]:
    with open_reader(copy) as connection:
        gates = fetch(
            connection,
            "select gate, status, is_current, last_green_at from quality.gate_status "
            "order by instrument, layer_number",
        )
        rows = fetch(
            connection,
            "select results.* from quality.gate_results as results "
            "join quality.gate_status as newest "
            "on results.gate = newest.gate and results.run_at = newest.run_at "
            "where results.status in ('failed', 'error') "
            "and results.expectation <> 'gate' "
            "order by gate, table_name, expectation, column_name",
        )
    return gates, rows


def _explain(result: Any, gate_rows: Grid, copy: Path) -> str:
    name = result.node.name
    mine = [
        row
        for row in gate_rows.records()
        if name == f"{_GATE}{row['gate']}" and row["severity"] == "stop"
    ]
    if mine:
        return f"{name}: " + "; ".join(map(_expectation_line, mine))
    kind = getattr(getattr(result.node, "test_metadata", None), "name", None)
    if kind == _PROMISES and str(result.status) == "fail":
        return f"{name.removeprefix(f'{_PROMISES}_')}: {_promises(result, copy)}"
    text = one_line(Exception(_cause(result.message or str(result.status))))
    return f"{name}: {text[:400]}{'…' if len(text) > 400 else ''}"


def _cause(message: str) -> str:
    """Return what a Python model raised, without the way that led there."""
    # a traceback's own lines stand further in than the error that ends it
    trace = re.search(
        r"^( *)Traceback \(most recent call last\)", message, re.MULTILINE
    )
    if trace is None:
        return message
    raised = list(re.finditer(rf"^{trace[1]}[\w.]+: \S", message, re.MULTILINE))
    return message[raised[-1].start() :] if raised else message


def _promises(result: Any, copy: Path) -> str:
    """Ask a failed test of a grain and its identities once more which ones broke."""
    with open_reader(copy) as connection:
        found = fetch(connection, result.node.compiled_code).records()
    return "; ".join(f"{row['broken']} rows break: {row['promise']}" for row in found)


def _expectation_line(row: dict[str, Any]) -> str:
    column = f".{row['column_name']}" if row["column_name"] else ""
    line = f"{row['expectation']} on {row['table_name']}{column} {row['status']}"
    if row["unexpected_count"] is not None:
        line += f", {row['unexpected_count']} of {row['element_count']} rows"
    if row["unexpected_sample"]:
        line += f", such as {row['unexpected_sample']}"
    if row["source_files"]:
        line += f", from {row['source_files']}"
    return line
