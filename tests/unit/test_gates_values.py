"""What counts as a value, and rules on a table without rows."""

from __future__ import annotations

import os
import signal

import duckdb
import pytest

from expectations.rules import Suite, not_null, one_of, unique, within
from expectations.validation import as_table, validate
from models.workers import start_aside


@pytest.mark.parametrize("value", ["null", "'nan'::double"])
def test_neither_null_nor_not_a_number_is_a_value(value):
    connection = duckdb.connect()
    connection.execute(f"create table figure as select 1 as id, {value} as figure")
    suite = Suite({"figure": ("id",)}, tuple(not_null("figure", "id", "figure")))
    figure = as_table(connection.table("figure"))
    [held, broken] = validate(connection, suite, {"figure": figure})
    assert (held.column, held.status) == ("id", "ok")
    assert (broken.column, broken.status) == ("figure", "failed")
    assert (broken.element_count, broken.unexpected_count) == (1, 1)


def test_a_text_that_says_nan_is_a_value():
    connection = duckdb.connect()
    connection.execute("create table figure as select 'nan' as figure")
    suite = Suite({"figure": ("figure",)}, tuple(not_null("figure", "figure")))
    figure = as_table(connection.table("figure"))
    [outcome] = validate(connection, suite, {"figure": figure})
    assert outcome.status == "ok"


def test_a_table_without_rows_satisfies_every_rule_about_rows():
    connection = duckdb.connect()
    connection.execute("create table figure (id integer, figure double)")
    rules = [
        *unique("figure", "id"),
        *within("figure", "figure", low=0),
        *one_of("figure", "reading", ["audited"]),
    ]
    suite = Suite({"figure": ("id",)}, tuple(rules))
    tables = {"figure": as_table(connection.table("figure"))}
    once, inside, unknown = validate(connection, suite, tables)
    assert [(one.status, one.element_count) for one in (once, inside)] == [
        ("ok", 0)
    ] * 2
    assert (unknown.status, unknown.sample) == ("error", "figure has no column reading")


def _die(_job: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_check_whose_process_is_killed_is_asked_again():
    connection = duckdb.connect()
    connection.execute("create table figure as select 1 as id")
    suite = Suite({"figure": ("id",)}, tuple(within("figure", "id", low=2)))
    # the question waits behind the job that kills the process
    start_aside(_die, 0)
    [outcome] = validate(
        connection, suite, {"figure": as_table(connection.table("figure"))}
    )
    assert (outcome.status, outcome.unexpected_count) == ("failed", 1)
