"""What a suite is made of: expectations on rows, and rules as tables that stay empty.

Every rule is checked by Great Expectations. A rule about the rows of one table is one
of its expectations on that table's frame; a rule across tables is a query for the rows
that break it, whose number must be 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Severity = Literal["stop", "warn"]

# Where a row came from, under its raw and its staging name.
FILE_COLUMNS = ("_source_file", "source_file")
ROW_COLUMNS = ("_source_row", "source_row")


@dataclass(frozen=True, slots=True)
class RowRule:
    """An expectation that holds for every row of one table.

    Attributes
    ----------
    table
        Name of the table in its layer.
    expectation
        Class of ``great_expectations.expectations``.
    kwargs
        Its arguments.
    columns
        The columns it reads.
    severity
        ``stop`` closes the gate, ``warn`` is only recorded.
    """

    table: str
    expectation: str
    kwargs: Mapping[str, object]
    columns: tuple[str, ...]
    severity: Severity = "stop"

    @property
    def name(self) -> str:
        """Return the expectation as the library's results spell it."""
        spelled = (f"_{c.lower()}" if c.isupper() else c for c in self.expectation)
        return "".join(spelled).removeprefix("_")


@dataclass(frozen=True, slots=True)
class EmptyRule:
    """A query for offenders, which must return none.

    Attributes
    ----------
    table
        Name of the table that the offenders are counted against.
    name
        The rule as a statement, for instance ``every_answer_has_a_run``.
    offenders
        A select over the layer's tables by their names; its columns name the row
        and, where there is one, its source file and line. ``layer_column`` lists
        ``table_name, column_name, data_type`` of every table of the layer.
    severity
        ``stop`` closes the gate, ``warn`` is only recorded.
    columns
        The columns it is about; none where it is about whole rows.
    """

    table: str
    name: str
    offenders: str
    severity: Severity = "stop"
    columns: tuple[str, ...] = ()


Rule = RowRule | EmptyRule


@dataclass(frozen=True, slots=True)
class Suite:
    """The rules of one layer of one instrument.

    Attributes
    ----------
    keys
        Table -> the columns that name a row of it in a message.
    rules
        What must hold, in the order in which it is reported.
    """

    keys: Mapping[str, tuple[str, ...]]
    rules: tuple[Rule, ...]


def unique(table: str, *columns: str, severity: Severity = "stop") -> list[Rule]:
    """Return the rule that no two rows share the values of ``columns``.

    Parameters
    ----------
    table
        Table of the layer.
    *columns
        One column or more; nulls are left to ``not_null``.
    severity
        ``stop`` or ``warn``.

    Returns
    -------
    list of Rule
        One rule.
    """
    if len(columns) == 1:
        kwargs: dict[str, object] = {"column": columns[0]}
        return [
            RowRule(table, "ExpectColumnValuesToBeUnique", kwargs, columns, severity)
        ]
    kwargs = {"column_list": list(columns)}
    return [
        RowRule(table, "ExpectCompoundColumnsToBeUnique", kwargs, columns, severity)
    ]


def not_null(table: str, *columns: str, severity: Severity = "stop") -> list[Rule]:
    """Return the rules that every row has a value in each of ``columns``.

    Parameters
    ----------
    table
        Table of the layer.
    *columns
        Any number of columns.
    severity
        ``stop`` or ``warn``.

    Returns
    -------
    list of Rule
        One rule per column; a number that is not a number is no value.
    """
    return [
        EmptyRule(
            table,
            "every_row_has_a_value",
            f"""
            from {table} where "{column}" is null
            or typeof("{column}") in ('DOUBLE', 'FLOAT') and "{column}"::varchar = 'nan'
            """,
            severity,
            (column,),
        )
        for column in columns
    ]


def one_of(
    table: str, column: str, values: Iterable[object], severity: Severity = "stop"
) -> list[Rule]:
    """Return the rule that a column holds members of a closed set or null.

    Parameters
    ----------
    table
        Table of the layer.
    column
        The column.
    values
        The closed set.
    severity
        ``stop`` or ``warn``.

    Returns
    -------
    list of Rule
        One rule.
    """
    kwargs = {"column": column, "value_set": list(values)}
    return [RowRule(table, "ExpectColumnValuesToBeInSet", kwargs, (column,), severity)]


def within(
    table: str,
    column: str,
    low: float | None = None,
    high: float | None = None,
    severity: Severity = "stop",
) -> list[Rule]:
    """Return the rule that a column's values lie in a closed interval or are null.

    Parameters
    ----------
    table
        Table of the layer.
    column
        A numeric column.
    low, high
        Bounds, inclusive; null leaves that side open.
    severity
        ``stop`` or ``warn``.

    Returns
    -------
    list of Rule
        One rule.
    """
    kwargs = {"column": column, "min_value": low, "max_value": high}
    return [
        RowRule(table, "ExpectColumnValuesToBeBetween", kwargs, (column,), severity)
    ]


def typed(table: str, types: Mapping[str, str]) -> list[Rule]:
    """Return the rule that columns exist with the stated DuckDB types.

    Parameters
    ----------
    table
        Table of the layer.
    types
        Column -> type as DuckDB writes it, for instance ``DECIMAL(12,2)``.

    Returns
    -------
    list of Rule
        One rule; an offender is a column that is absent or has another type.
    """
    wanted = ", ".join(f"('{column}', '{kind}')" for column, kind in types.items())
    sql = f"""
        select
            wanted.column_name,
            wanted.wanted_type,
            coalesce(found.data_type, 'absent') as found_type
        from (values {wanted}) as wanted (column_name, wanted_type)
        left join layer_column as found
            on found.table_name = '{table}' and found.column_name = wanted.column_name
        where found.data_type is distinct from wanted.wanted_type
    """
    return [EmptyRule(table, "columns_have_their_types", sql)]
