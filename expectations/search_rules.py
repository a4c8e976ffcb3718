"""Rules that layers of the search instrument share, as queries for offenders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from expectations.rules import EmptyRule, Rule, Severity
from expectations.vocabulary import quoted

FILE = "_source_file, _source_row"


def keyed(keys: Mapping[str, tuple[str, ...]]) -> list[Rule]:
    """Return the rules that rows are keyed and unique.

    Parameters
    ----------
    keys
        Table -> its key.

    Returns
    -------
    list of Rule
        One for each table: no part of a key is null and no key stands twice.
    """
    return [
        EmptyRule(
            table,
            "every_key_is_whole_and_stands_once",
            f"""
            select {", ".join(key)}, count(*) as rows_of_key
            from {table} group by {", ".join(key)}
            having count(*) > 1 or {" or ".join(f"{one} is null" for one in key)}
            """,
        )
        for table, key in keys.items()
    ]


def closed_sets(
    keys: Mapping[str, tuple[str, ...]],
    sets: Mapping[str, Mapping[str, tuple[str, ...]]],
    shown: str = FILE,
) -> list[Rule]:
    """Return the rules that columns hold members of closed sets or null.

    Parameters
    ----------
    keys
        Table -> its key.
    sets
        Table -> column -> closed set.
    shown
        Columns that say where a row came from.

    Returns
    -------
    list of Rule
        One for each table.
    """
    return [
        EmptyRule(
            table,
            "every_word_is_of_its_closed_set",
            f"""
            select {", ".join([*keys[table], *(set(columns) - set(keys[table]))])},
                {shown}
            from {table}
            where {
                " or ".join(
                    f"{column} not in ({quoted(words)})"
                    for column, words in columns.items()
                )
            }
            """,
        )
        for table, columns in sets.items()
    ]


def referred(
    name: str, child: str, parent: str, key: Iterable[str], shown: str = FILE
) -> EmptyRule:
    """Return the rule that every row of one table has a row in another.

    Parameters
    ----------
    name
        The rule as a statement.
    child, parent
        The tables.
    key
        Columns by which the one refers to the other.
    shown
        Columns that say where a row came from.

    Returns
    -------
    EmptyRule
        One rule.
    """
    columns = ", ".join(key)
    return EmptyRule(
        child,
        name,
        f"select {columns}, {shown} from {child} anti join {parent} using ({columns})",
    )


def breaks(
    table: str,
    name: str,
    condition: str,
    columns: str,
    severity: Severity = "stop",
    shown: str = FILE,
) -> EmptyRule:
    """Return the rule that no row of a table meets a condition.

    Parameters
    ----------
    table
        The table.
    name
        The rule as a statement.
    condition
        SQL that is true for a row that breaks the rule.
    columns
        Columns that a message shows.
    severity
        ``stop`` or ``warn``.
    shown
        Columns that say where a row came from.

    Returns
    -------
    EmptyRule
        One rule.
    """
    return EmptyRule(
        table,
        name,
        f"select {columns}, {shown} from {table} where {condition}",
        severity,
    )
