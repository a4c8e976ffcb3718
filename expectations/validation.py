"""Checks whether rules hold on frames pulled from DuckDB."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from expectations.frame_check import Answer, Question, start_check
from expectations.outcome import SAMPLE_ROWS, Outcome, counted, errored
from expectations.rules import FILE_COLUMNS, ROW_COLUMNS, EmptyRule, RowRule, Suite

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

# What a rule on columns and their types reads.
_COLUMNS = "layer_column"

_Finish = Callable[[], dict[int, Outcome]]


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
    started = [
        _start_rows(connection, suite, tables.get(name), rules)
        for name, rules in _by_table(suite).items()
    ]
    # asked while the library looks at the rows
    outcomes = _check_empty(connection, suite, tables)
    for finish in started:
        outcomes |= finish()
    return [outcomes[number] for number in sorted(outcomes)]


def _by_table(suite: Suite) -> dict[str, dict[int, RowRule]]:
    grouped: dict[str, dict[int, RowRule]] = {}
    for number, rule in enumerate(suite.rules):
        if isinstance(rule, RowRule):
            grouped.setdefault(rule.table, {})[number] = rule
    return grouped


def _start_rows(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    table: Table | None,
    rules: Mapping[int, RowRule],
) -> _Finish:
    """Begin to check the rules on the rows of one table; the result waits for them."""
    name = next(iter(rules.values())).table
    try:
        if table is None:
            raise LookupError(f"the gate was given no table {name}")
        rows = _pull(connection, table, suite.keys[name], [*rules.values()])
        if not rows.num_rows:
            nothing = {n: _of_nothing(rule, table) for n, rule in rules.items()}
            return lambda: nothing
        wanted = [(rule.expectation, rule.kwargs) for rule in rules.values()]
        answers = start_check(Question(rows, wanted, SAMPLE_ROWS))
    except Exception as error:  # whatever was raised, the rules stand unchecked
        unchecked = {number: errored(rule, error) for number, rule in rules.items()}
        return lambda: unchecked

    def finish() -> dict[int, Outcome]:
        try:
            answered = answers()
        except Exception as error:  # the same
            return {number: errored(rule, error) for number, rule in rules.items()}
        return {
            number: _row_outcome(connection, rule, answer, rows, suite.keys[name])
            for (number, rule), answer in zip(rules.items(), answered, strict=True)
        }

    return finish


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
) -> pa.Table:
    """Return the rows with the columns that the rules and their messages need.

    A column that the table lacks is left to its expectation, which then errs.
    """
    read = [column for rule in rules for column in rule.columns]
    wanted = dict.fromkeys((*keys, *read, *FILE_COLUMNS, *ROW_COLUMNS))
    columns = ", ".join(f'"{name}"' for name in wanted if name in table.types)
    return connection.sql(f"select {columns} from ({table.query})").to_arrow_table()


def _row_outcome(
    connection: duckdb.DuckDBPyConnection,
    rule: RowRule,
    answer: Answer,
    rows: pa.Table,
    keys: tuple[str, ...],
) -> Outcome:
    import pyarrow as pa

    if answer.raised is not None:
        return errored(rule, answer.raised)
    broken = rows.take(pa.array(answer.named, pa.int64()))
    offenders = connection.from_arrow(broken).df()
    return counted(rule, answer.holds, answer.rows, answer.broken, offenders, keys)


def _check_empty(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    tables: Mapping[str, Table],
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
        broken = _not_empty({n: len(frame) for n, (_, frame) in found.items()})
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


def _not_empty(offenders: Mapping[int, int]) -> set[int]:
    """Return the rules that have offenders, as the library finds them."""
    import pyarrow as pa

    if not offenders:
        return set()
    counts = pa.table({"offenders": list(offenders.values())})
    none = {"column": "offenders", "min_value": 0, "max_value": 0}
    # the library is slow to start: a question for each rule would take seconds
    asked = [("ExpectColumnValuesToBeBetween", none)]
    [answer] = start_check(Question(counts, asked, len(offenders)))()
    if answer.raised is not None:
        raise RuntimeError(answer.raised)
    numbers = list(offenders)
    return {numbers[row] for row in answer.named}


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
