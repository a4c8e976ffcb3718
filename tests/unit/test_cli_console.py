"""What the verbs write where: results, notes, files, and outputs that take nothing."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pricebench import console
from pricebench.errors import CommandError
from pricebench.reader import Grid
from pricebench.render import Format, render

PRICEBENCH = Path(sys.executable).parent / "pricebench"
needs_full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="no /dev/full on this system"
)


def shell(typed: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        f"{shlex.quote(str(PRICEBENCH))} {typed}",
        shell=True,
        executable="/bin/bash",
        env=os.environ | environment,
        capture_output=True,
        check=False,
    )


def query(warehouse: Path, sql: str, more: str = "") -> str:
    return f"query --warehouse {shlex.quote(str(warehouse))} {shlex.quote(sql)} {more}"


def test_no_result_is_no_line(capsys, tmp_path):
    console.emit("")
    console.emit("x")
    assert capsys.readouterr().out == "x\n"
    console.write_file(tmp_path / "out.csv", "")
    assert (tmp_path / "out.csv").read_bytes() == b""


def test_a_terminal_that_lacks_a_character_shows_another(empty_warehouse):
    sql = "select 'é' as letter, 'œ' as other, null as nothing"
    done = shell(query(empty_warehouse, sql), PYTHONIOENCODING="latin-1")
    assert done.returncode == 0
    head, rule, row = done.stdout.decode("latin-1").strip().split("\n")
    assert head.split() == ["letter", "other", "nothing"]
    assert set(rule.strip()) == {"-"}
    assert row.split() == ["é", "?", "-"]
    # what is lost is more than a rule of ours, so it is said
    (line,) = done.stderr.decode("latin-1").splitlines()
    assert line.startswith("note: ")
    assert line.endswith("PYTHONIOENCODING=utf-8 to keep them")
    plain = shell(query(empty_warehouse, "select null as n"), PYTHONIOENCODING="ascii")
    assert (plain.returncode, plain.stderr) == (0, b"")


@needs_full
@pytest.mark.parametrize("rows", [1, 100_000])
def test_a_full_disk_behind_the_result_is_one_line(rows, empty_warehouse):
    sql = f"select * from range({rows})"
    done = shell(query(empty_warehouse, sql, "--format csv > /dev/full"))
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "pricebench: standard output cannot be written (No space left on device): the "
        "result is not complete; make room or send it elsewhere\n"
    )


@needs_full
def test_help_that_cannot_be_written_is_one_line():
    done = shell("board --help > /dev/full")
    assert done.returncode == 1
    err = done.stderr.decode()
    assert err.startswith("pricebench: standard output cannot be written (No space")
    assert err.count("\n") == 1


@pytest.mark.parametrize("shape", ["table", "csv"])
def test_a_closed_standard_output_is_one_line(shape, empty_warehouse):
    done = shell(query(empty_warehouse, "select 1 as n", f"--format {shape} >&-"))
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "pricebench: standard output is closed: the result was not written; send it "
        "to a file or to /dev/null\n"
    )


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full"])
@needs_full
def test_a_standard_error_that_takes_nothing_stops_no_work(closed, tmp_path):
    code = (
        "from pricebench import console\n"
        "console.prepare()\n"
        "with console.progress('at work') as say:\n"
        "    say('half way')\n"
        "console.emit('done')"
    )
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {closed}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "done\n")
    failed = shell(f"runs --warehouse {tmp_path / 'none.duckdb'} {closed}")
    assert (failed.returncode, failed.stdout, failed.stderr) == (1, b"", b"")


def test_no_file_takes_the_number_of_a_closed_stream(tmp_path):
    code = (
        "import os, sys\n"
        "from pricebench.console import prepare\n"
        "prepare()\n"
        f"found = os.open({str(tmp_path / 'f')!r}, os.O_CREAT | os.O_WRONLY)\n"
        "sys.exit(found)"
    )
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} <&- >&- 2>&-",
        shell=True,
        executable="/bin/bash",
        check=False,
    )
    assert done.returncode >= 3


def write(path: Path, text: str = "new") -> None:
    console.write_file(path, text)


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path):
    out = tmp_path / "board.csv"
    write(out)
    assert out.read_text() == "new\n"
    out.chmod(0o640)
    write(out, "newer\n")
    assert out.read_text() == "newer\n"
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["board.csv"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_its_target_is_written(exists, tmp_path):
    target = tmp_path / "there" / "board.csv"
    target.parent.mkdir()
    if exists:
        target.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to("there/board.csv")
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new\n"
    assert [path.name for path in target.parent.iterdir()] == ["board.csv"]


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe)
    reader.join(timeout=10)
    assert got == ["new\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_file_behind_standard_output_is_added_to(tmp_path):
    log = tmp_path / "log"
    log.write_text("before\n")
    code = (
        "from pathlib import Path\n"
        "from pricebench.console import write_file\n"
        "write_file(Path('link'), 'new')"
    )
    # as /dev/stdout is one; the true one is nothing to try a writer on
    (tmp_path / "link").symlink_to("/dev/fd/1")
    with log.open("a") as opened:
        subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, stdout=opened, check=True
        )
    assert log.read_text() == "before\nnew\n"


def test_a_link_to_itself_or_a_folder_is_one_line(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (loop, tmp_path):
        with pytest.raises(CommandError, match=r"^cannot write .*name a file in a fo"):
            write(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
def test_a_read_only_file_is_not_replaced(tmp_path):
    out = tmp_path / "board.csv"
    out.write_text("old")
    out.chmod(0o444)
    with pytest.raises(CommandError, match="Permission denied"):
        write(out)
    assert out.read_text() == "old"


GRID = Grid(("n",), ((1,),))


@pytest.mark.parametrize(
    ("terminal", "variable", "coloured"),
    [(True, "", True), (True, "1", False), (False, "", False)],
)
def test_colours_are_for_a_terminal_that_wants_them(
    terminal, variable, coloured, monkeypatch
):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", variable)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert ("\x1b" in render(GRID, Format.table)) == coloured
