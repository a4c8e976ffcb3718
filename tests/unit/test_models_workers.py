"""Jobs over several processes: order, errors, and no worker without its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from models.workers import WorkerKilled, cores, in_workers, start_aside

ROOT = Path(__file__).parents[2]
PARENT = """
import os, sys, time
from models.workers import in_workers

if __name__ == "__main__":
    print(*in_workers(int, ["1", "2"], 2), flush=True)
    time.sleep(120)
"""

DEAF = """
import signal
from models.workers import start_aside

if __name__ == "__main__":
    start_aside(signal.raise_signal, signal.SIGINT)()
    print("done")
"""


def test_results_come_in_the_order_of_the_jobs():
    jobs = [str(number) for number in range(20)]
    assert list(in_workers(int, jobs, 2)) == list(range(20))
    assert list(in_workers(int, jobs, 1)) == list(range(20))
    assert list(in_workers(int, [], 2)) == []


def test_work_is_done_elsewhere_only_where_several_workers_are_asked_for():
    mine = str(os.getpid())
    assert list(in_workers(os.getenv, ["NONE"] * 3, 1)) == [None] * 3
    # each worker says who it is
    found = {str(pid) for pid in in_workers(_pid, range(4), 2)}
    assert mine not in found
    assert set(in_workers(_pid, range(4), 0)) == {os.getpid()}


def _pid(_job: int) -> int:
    return os.getpid()


def test_an_error_of_a_job_is_raised_here():
    with pytest.raises(ValueError, match="invalid literal"):
        list(in_workers(int, ["1", "two"], 2))
    assert list(in_workers(int, ["3"], 2)) == [3]


def _die(_job: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_is_named_and_replaced():
    with pytest.raises(WorkerKilled, match="a worker process was killed"):
        list(in_workers(_die, range(2), 2))
    assert list(in_workers(int, ["3"], 2)) == [3]


def test_a_job_aside_is_waited_for_and_keeps_its_process():
    first, second = start_aside(_pid, 0), start_aside(_pid, 1)
    assert first() == second() == start_aside(_pid, 2)() != os.getpid()
    with pytest.raises(ValueError, match="invalid literal"):
        start_aside(int, "two")()


def test_jobs_aside_of_a_killed_process_say_so_and_new_ones_are_done():
    waiting = [start_aside(_die, 0), start_aside(_pid, 1), start_aside(_pid, 2)]
    with pytest.raises(WorkerKilled):
        waiting[0]()
    again = start_aside(_pid, 3)()
    # what the killed process had still to do is lost, what came after is not
    for lost in waiting[1:]:
        with pytest.raises(WorkerKilled):
            lost()
    assert start_aside(_pid, 4)() == again


def test_jobs_are_taken_a_few_at_a_time():
    taken = []

    def jobs():
        for number in range(10):
            taken.append(number)
            yield str(number)

    results = in_workers(int, jobs(), 2)
    assert next(results) == 0
    # two in work, one waiting, and one for the result that is out
    assert len(taken) == 4
    assert list(results) == list(range(1, 10))


def test_there_is_a_core():
    assert cores() >= 1


def test_the_first_process_of_a_program_is_deaf_to_ctrl_c_too(tmp_path):
    script = tmp_path / "deaf.py"
    script.write_text(DEAF)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, str(script)], env=environment, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"1 2\n"
    workers = _children(parent.pid)
    assert len(workers) >= 2
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    until = time.monotonic() + 30
    while any(map(_lives, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(_lives, workers))


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in listed.split()]


def _lives(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
