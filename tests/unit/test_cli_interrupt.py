"""Ctrl-C ends a verb with one line and leaves nothing half done."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys

import pytest

from ingest.errors import WarehouseError
from ingest.interrupts import termination_as_interrupt
from ingest.warehouse import working_copy
from pricebench.cli import main


def interrupt_quietly() -> None:
    """Press ctrl-C under code that makes something else of it, as dbt and dlt do."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt as error:
        raise RuntimeError("a step failed") from error


def test_an_interrupt_is_told_from_the_failure_made_of_it(empty_warehouse):
    def work(*, go_on: bool) -> None:
        with working_copy(empty_warehouse) as copy:
            copy.write_bytes(b"half")
            with contextlib.suppress(RuntimeError if go_on else ()):
                interrupt_quietly()

    before = empty_warehouse.read_bytes()
    for go_on in (False, True):
        with pytest.raises(KeyboardInterrupt):
            work(go_on=go_on)
    assert empty_warehouse.read_bytes() == before
    assert not empty_warehouse.with_name(f"{empty_warehouse.name}.next").exists()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(WarehouseError), working_copy(empty_warehouse):
        raise WarehouseError("a failure stays one")


def test_an_interrupt_that_the_program_ignores_changes_nothing(empty_warehouse):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with working_copy(empty_warehouse):
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_signal_to_terminate_is_heard_like_an_interrupt():
    with termination_as_interrupt() as terminated:
        assert not terminated()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert terminated()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_where_ctrl_c_is_ignored_a_signal_to_terminate_still_ends_the_program():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with termination_as_interrupt():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, before)


INTERRUPTED = (
    "pricebench: interrupted: the warehouse is as the last finished step left it; run "
    "the same command again"
)


def test_an_interrupted_load_is_one_line(
    small_release, empty_warehouse, monkeypatch, capsys
):
    from dlt.load.load import Load

    def press(self: Load, pool: object) -> None:
        signal.raise_signal(signal.SIGINT)

    small_release.tasks()
    monkeypatch.setattr(Load, "run", press)
    before = empty_warehouse.read_bytes()
    typed = ["load", "hotel", str(small_release.folder)]
    assert main([*typed, "--warehouse", str(empty_warehouse)]) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == INTERRUPTED
    assert empty_warehouse.read_bytes() == before
    monkeypatch.undo()
    assert main([*typed, "--warehouse", str(empty_warehouse)]) == 0


@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_command_that_is_interrupted_before_it_began_is_one_line(
    number, code, monkeypatch, capsys
):
    def press(**_options: object) -> None:
        signal.raise_signal(getattr(signal, number))

    monkeypatch.setattr("pricebench.cli.app", press)
    assert main(["doctor"]) == code
    assert capsys.readouterr() == ("", f"{INTERRUPTED}\n")


def test_an_interrupted_query_ends_at_once(empty_warehouse):
    sql = "select count(*) from range(100000000) a, range(1000000) b where a <> b"
    code = (
        "import os, signal, sys, threading\n"
        "from pricebench.cli import main\n"
        "threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "query", sql, "--warehouse", empty_warehouse],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 130
    assert done.stdout == ""
    assert done.stderr == f"{INTERRUPTED}\n"
