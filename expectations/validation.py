"""Asks Great Expectations whether rules hold on frames pulled from DuckDB."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from expectations.outcome import SAMPLE_ROWS, Outcome, counted, errored
from expectations.rules import FILE_COLUMNS, ROW_COLUMNS, EmptyRule, RowRule, Suite

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

# What a rule on columns and their types reads.
_COLUMNS = "layer_column"

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


_Wanted = Sequence[tuple[str, Mapping[str, object]]]
_Checker = Callable[["pd.DataFrame", _Wanted, int], Sequence[Any]]


@cache
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

    def check(frame: pd.DataFrame, wanted: _Wanted, named: int) -> list[Any]:
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
            "partial_unexpected_count": named,
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
        if frame.empty:
            return {number: _of_nothing(rules[number], table) for number in numbers}
        wanted = [(rule.expectation, rule.kwargs) for rule in ordered]
        results = check(frame, wanted, SAMPLE_ROWS)
    except Exception as error:  # whatever was raised, the rules stand unchecked
        return {number: errored(rules[number], error) for number in numbers}
    return {
        number: _row_outcome(rules[number], result, frame, suite)
        for number, result in zip(numbers, results, strict=True)
    }


def _of_nothing(rule: RowRule, table: Table) -> Outcome:
    """Return the outcome on a table without rows: the library would take as long."""
    import pandas as pd

    absent = [column for column in rule.columns if column not in table.types]
    if absent:
        return errored(rule, f"{rule.table} has no column {', '.join(absent)}")
    return counted(rule, True, 0, 0, pd.DataFrame(), ())


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
        return errored(rule, raised)
    found = result.result
    offenders = frame.iloc[found["partial_unexpected_index_list"]]
    rows, broken = found["element_count"], found["unexpected_count"]
    return counted(
        rule, result.success, rows, broken, offenders, suite.keys[rule.table]
    )


def _check_empty(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    tables: Mapping[str, Table],
    check: _Checker,
) -> dict[int, Outcome]:
    """Check all queries for offenders by one expectation on their numbers of rows."""
    outcomes: dict[int, Outcome] = {}
    found: dict[int, tuple[EmptyRule, pd.DataFrame]] = {}
    for number, rule in enumerate(suite.rules):
        if not isinstance(rule, EmptyRule):
            continue
        try:
            found[number] = (rule, _find_offenders(connection, tables, rule))
        except Exception as error:  # whatever was raised, the rule stands unchecked
            outcomes[number] = errored(rule, error)
    try:
        broken = _not_empty(
            {number: len(frame) for number, (_, frame) in found.items()}, check
        )
    except Exception as error:  # whatever was raised, the rules stand unchecked
        return outcomes | {n: errored(rule, error) for n, (rule, _) in found.items()}
    rows = _count_rows(connection, tables, [rule for rule, _ in found.values()])
    for number, (rule, frame) in found.items():
        outcomes[number] = counted(
            rule,
            number not in broken,
            rows[rule.table],
            len(frame),
            frame.head(SAMPLE_ROWS),
            suite.keys.get(rule.table, ()),
        )
    return outcomes


def _find_offenders(
    connection: duckdb.DuckDBPyConnection, tables: Mapping[str, Table], rule: EmptyRule
) -> pd.DataFrame:
    """Return the rows that break a rule; a table that is not there is an error."""
    if rule.table not in tables:
        raise LookupError(f"the gate was given no table {rule.table}")
    ctes = _as_ctes(tables, rule.offenders)
    query = f"with {ctes} select * from ({rule.offenders}) as offenders"
    return connection.execute(query).df()


def _not_empty(offenders: Mapping[int, int], check: _Checker) -> set[int]:
    """Return the rules that have offenders, as the library finds them."""
    import pandas as pd

    if not offenders:
        return set()
    frame = pd.DataFrame({"offenders": list(offenders.values())})
    none = {"column": "offenders", "min_value": 0, "max_value": 0}
    # the library is slow to start: a question for each rule would take seconds
    [result] = check(frame, [("ExpectColumnValuesToBeBetween", none)], len(frame))
    raised = _exception_message(result.exception_info)
    if raised is not None:
        raise RuntimeError(raised)
    numbers = list(offenders)
    return {numbers[row] for row in result.result["partial_unexpected_index_list"]}


def _count_rows(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[str, Table],
    rules: Sequence[EmptyRule],
) -> dict[str, int]:
    counts = {}
    for name in {rule.table for rule in rules}:
        counted_rows = f"select count(*) from ({tables[name].query})"
        counts[name] = connection.execute(counted_rows).fetchall()[0][0]
    return counts


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


def _exception_message(info: Mapping[str, Any]) -> str | None:
    """Return what an expectation raised, from either shape the library reports."""
    entries = [info] if "raised_exception" in info else list(info.values())
    raised = [entry for entry in entries if entry.get("raised_exception")]
    return str(raised[0]["exception_message"]) if raised else None
