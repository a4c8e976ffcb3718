"""Asks Great Expectations whether rules hold on frames pulled from DuckDB."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from expectations.rules import (
    FILE_COLUMNS,
    ROW_COLUMNS,
    EmptyRule,
    RowRule,
    Rule,
    Suite,
)

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

# Rows named in a result; the count beside them is complete.
SAMPLE_ROWS = 5

# What a rule on columns and their types reads.
_COLUMNS = "layer_column"

_HASH = re.compile("[0-9a-f]{64}")

# The library keeps its current context in a global, and dbt runs gates in threads.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a layer as a query.

    Attributes
    ----------
    query
        A select that returns its rows.
    types
        Column -> DuckDB type.
    """

    query: str
    types: Mapping[str, str]


def as_table(relation: duckdb.DuckDBPyRelation) -> Table:
    """Return a relation as a query that any cursor of its database can run.

    Parameters
    ----------
    relation
        A relation over stored tables and views.

    Returns
    -------
    Table
        Its query and column types; no row is read.
    """
    kinds = (str(kind) for kind in relation.types)
    types = dict(zip(relation.columns, kinds, strict=True))
    return Table(query=relation.sql_query(), types=types)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one rule.

    Attributes
    ----------
    table, expectation, column, severity
        Which rule; ``column`` is null for a rule on whole rows.
    status
        ``ok``, ``failed`` (rows break it) or ``error`` (it could not be checked).
    element_count, unexpected_count
        Rows of the table and rows that break the rule; null after an error.
    sample
        The first offenders, by key, file and row, or the error's text; null where the
        rule holds.
    source_files
        Files that the sampled offenders came from; null where none is known.
    """

    table: str
    expectation: str
    column: str | None
    severity: str
    status: str
    element_count: int | None = None
    unexpected_count: int | None = None
    sample: str | None = None
    source_files: str | None = None


def validate(
    connection: duckdb.DuckDBPyConnection, suite: Suite, tables: Mapping[str, Table]
) -> list[Outcome]:
    """Check every rule of a suite.

    Parameters
    ----------
    connection
        An open connection that sees the tables and is in no transaction of its own:
        a query that fails would otherwise take the rest down with it.
    suite
        The rules.
    tables
        Name -> table, for every table that a rule names.

    Returns
    -------
    list of Outcome
        One per rule, in the suite's order. A rule that cannot be checked, for
        instance because its column or table is missing, has status ``error``; the
        others are checked all the same. Tables without rows satisfy every rule
        about rows.
    """
    outcomes: dict[int, Outcome] = {}
    with _ONE_AT_A_TIME:
        check = _frame_checker()
        for name in dict.fromkeys(rule.table for rule in suite.rules):
            rules = {
                number: rule
                for number, rule in enumerate(suite.rules)
                if isinstance(rule, RowRule) and rule.table == name
            }
            outcomes |= _check_rows(connection, suite, tables.get(name), rules, check)
        outcomes |= _check_empty(connection, suite, tables, check)
    return [outcomes[number] for number in sorted(outcomes)]


_Checker = Callable[
    ["pd.DataFrame", Sequence[tuple[str, Mapping[str, object]]]], Sequence[Any]
]


def _frame_checker() -> _Checker:
    """Return a function that validates expectations on a frame, one result for each."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(),
        progress_bars=ProgressBarsConfig(globally=False),
    )
    context = gx.get_context(mode="ephemeral", project_config=config)
    source = context.data_sources.add_pandas("warehouse")
    batches = source.add_dataframe_asset("frame").add_batch_definition_whole_dataframe(
        "all"
    )

    def check(
        frame: pd.DataFrame, wanted: Sequence[tuple[str, Mapping[str, object]]]
    ) -> list[Any]:
        suite = gx.ExpectationSuite(
            name="rules",
            expectations=[
                getattr(gx.expectations, name)(**kwargs, meta={"number": number})
                for number, (name, kwargs) in enumerate(wanted)
            ],
        )
        # Row numbers, not `unexpected_index_column_names`: that option takes minutes
        # on a large frame in which most rows break a rule.
        result_format = {
            "result_format": "SUMMARY",
            "partial_unexpected_count": SAMPLE_ROWS,
        }
        batch = batches.get_batch({"dataframe": frame})
        results = batch.validate(suite, result_format=result_format).results
        by_number = {item.expectation_config.meta["number"]: item for item in results}
        return [by_number[number] for number in range(len(wanted))]

    return check


def _check_rows(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    table: Table | None,
    rules: Mapping[int, RowRule],
    check: _Checker,
) -> dict[int, Outcome]:
    if not rules:
        return {}
    numbers, ordered = list(rules), list(rules.values())
    try:
        if table is None:
            raise LookupError(f"the gate was given no table {ordered[0].table}")
        frame = _pull(connection, table, suite.keys[ordered[0].table], ordered)
        results = check(frame, [(rule.expectation, rule.kwargs) for rule in ordered])
    except Exception as error:  # whatever was raised, the rules stand unchecked
        return {number: _error(rules[number], error) for number in numbers}
    return {
        number: _row_outcome(rules[number], result, frame, suite)
        for number, result in zip(numbers, results, strict=True)
    }


def _pull(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    keys: tuple[str, ...],
    rules: Sequence[RowRule],
) -> pd.DataFrame:
    """Return the rows with the columns that the rules and their messages need.

    A column that the table lacks is left to its expectation, which then errs.
    """
    read = [column for rule in rules for column in rule.columns]
    wanted = dict.fromkeys((*keys, *read, *FILE_COLUMNS, *ROW_COLUMNS))
    columns = ", ".join(f'"{name}"' for name in wanted if name in table.types)
    return connection.execute(f"select {columns} from ({table.query})").df()


def _row_outcome(
    rule: RowRule, result: Any, frame: pd.DataFrame, suite: Suite
) -> Outcome:
    raised = _exception_message(result.exception_info)
    if raised is not None:
        return _error(rule, raised)
    counts = result.result
    outcome = Outcome(
        table=rule.table,
        expectation=rule.name,
        column=_column(rule),
        severity=rule.severity,
        status="ok" if result.success else "failed",
        element_count=counts["element_count"],
        unexpected_count=counts["unexpected_count"],
    )
    if result.success:
        return outcome
    shown = (*suite.keys[rule.table], *rule.columns)
    offenders = frame.iloc[counts["partial_unexpected_index_list"]]
    return _with_sample(outcome, offenders, shown)


def _check_empty(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    tables: Mapping[str, Table],
    check: _Checker,
) -> dict[int, Outcome]:
    """Check all rules across tables in one go: the library is slow to start."""
    outcomes: dict[int, Outcome] = {}
    found: dict[int, tuple[EmptyRule, pd.DataFrame, int]] = {}
    for number, rule in enumerate(suite.rules):
        if not isinstance(rule, EmptyRule):
            continue
        try:
            found[number] = (rule, *_find_offenders(connection, tables, rule))
        except Exception as error:  # whatever was raised, the rule stands unchecked
            outcomes[number] = _error(rule, error)
    try:
        results = _count_offenders([frame for _, frame, _ in found.values()], check)
    except Exception as error:  # whatever was raised, the rules stand unchecked
        return outcomes | {n: _error(rule, error) for n, (rule, _, _) in found.items()}
    for (number, (rule, frame, rows)), result in zip(
        found.items(), results, strict=True
    ):
        outcomes[number] = _empty_outcome(rule, result, frame, rows)
    return outcomes


def _find_offenders(
    connection: duckdb.DuckDBPyConnection, tables: Mapping[str, Table], rule: EmptyRule
) -> tuple[pd.DataFrame, int]:
    """Return the rows that break a rule and the number of rows of its table."""
    ctes = _as_ctes(tables, rule.offenders)
    query = f"with {ctes} select * from ({rule.offenders}) as offenders"
    frame = connection.execute(query).df()
    counted = f"select count(*) from ({tables[rule.table].query})"
    return frame, connection.execute(counted).fetchall()[0][0]


def _count_offenders(frames: Sequence[pd.DataFrame], check: _Checker) -> Sequence[Any]:
    """Return one result for each frame, which must be empty."""
    import pandas as pd

    if not frames:
        return []
    counts = {f"offenders_{number}": [len(one)] for number, one in enumerate(frames)}
    wanted = [
        (
            "ExpectColumnValuesToBeBetween",
            {"column": column, "min_value": 0, "max_value": 0},
        )
        for column in counts
    ]
    return check(pd.DataFrame(counts), wanted)


def _empty_outcome(
    rule: EmptyRule, result: Any, frame: pd.DataFrame, rows: int
) -> Outcome:
    raised = _exception_message(result.exception_info)
    if raised is not None:
        return _error(rule, raised)
    outcome = Outcome(
        table=rule.table,
        expectation=rule.name,
        column=None,
        severity=rule.severity,
        status="ok" if result.success else "failed",
        element_count=rows,
        unexpected_count=len(frame),
    )
    if result.success:
        return outcome
    return _with_sample(outcome, frame.head(SAMPLE_ROWS), tuple(frame.columns))


def _as_ctes(tables: Mapping[str, Table], offenders: str) -> str:
    """Return the tables that a rule names; reading all of them for each takes long."""
    named = set(re.findall(r"\w+", offenders))
    ctes = [f"{name} as ({tables[name].query})" for name in tables if name in named]
    if _COLUMNS in named or not ctes:
        ctes.append(f"{_COLUMNS} {_column_list(tables)}")
    return ", ".join(ctes)


def _column_list(tables: Mapping[str, Table]) -> str:
    listed = [
        f"('{name}', '{column}', '{kind}')"
        for name, table in tables.items()
        for column, kind in table.types.items()
    ]
    return f"(table_name, column_name, data_type) as (values {', '.join(listed)})"


def _with_sample(
    outcome: Outcome, offenders: pd.DataFrame, shown: tuple[str, ...]
) -> Outcome:
    """Return the outcome with the offenders in words and the files they came from."""
    known = offenders.astype(object).where(offenders.notna(), None)
    rows = known.to_dict("records")
    files = [str(row[name]) for row in rows for name in FILE_COLUMNS if row.get(name)]
    return replace(
        outcome,
        sample="; ".join(_describe(row, shown) for row in rows),
        source_files=", ".join(dict.fromkeys(files)) or None,
    )


def _describe(row: Mapping[str, Any], shown: tuple[str, ...]) -> str:
    """Return ``key=value, ... (file row n)`` for one offender."""
    places = (*FILE_COLUMNS, *ROW_COLUMNS)
    named = ", ".join(
        f"{column}={_shorten(row[column])}"
        for column in dict.fromkeys(shown)
        if column in row and column not in places
    )
    file = next((row[name] for name in FILE_COLUMNS if row.get(name)), None)
    number = next((row[name] for name in ROW_COLUMNS if row.get(name)), None)
    if file is None:
        return named
    return f"{named} ({file}" + (")" if number is None else f" row {number})")


def _shorten(value: Any) -> str:
    """Return a value as text, a hash by its first digits."""
    if value is None:
        return "null"
    text = str(value)
    return f"{text[:12]}…" if _HASH.fullmatch(text) else text


def _exception_message(info: Mapping[str, Any]) -> str | None:
    """Return what an expectation raised, from either shape the library reports."""
    entries = [info] if "raised_exception" in info else list(info.values())
    raised = [entry for entry in entries if entry.get("raised_exception")]
    return str(raised[0]["exception_message"]) if raised else None


def _error(rule: Rule, error: Exception | str) -> Outcome:
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return Outcome(
        table=rule.table,
        expectation=rule.name,
        column=_column(rule),
        severity=rule.severity,
        status="error",
        sample=" ".join(text.split()),
    )


def _column(rule: Rule) -> str | None:
    return None if isinstance(rule, EmptyRule) else ", ".join(rule.columns)
