"""Fixtures that several test modules share."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ingest.schemas import OPTION_FIELDS
from ingest.warehouse import init

RELEASE_VARIABLE = "PRICEBENCH_RELEASE_DIR"
WAREHOUSE = "warehouse.duckdb"


@pytest.fixture(scope="session")
def release_hotel() -> Path:
    """Folder of the published hotel release; a missing one fails under CI."""
    return _release("hotel")


@pytest.fixture(scope="session")
def release_purchase() -> Path:
    """Folder of the published purchase decisions; a missing one fails under CI."""
    return _release("purchase")


def _release(instrument: str) -> Path:
    folder = os.environ.get(RELEASE_VARIABLE)
    path = Path(folder or "") / instrument
    if folder and path.is_dir():
        return path
    why = (
        f"{path} is not a folder"
        if folder
        else f"{RELEASE_VARIABLE} does not name the folder of the published release"
    )
    # elsewhere the release may rightly be absent; where CI names it, it may not
    if os.environ.get("CI") or folder:
        pytest.fail(f"{why}; tests of published figures cannot be left out here")
    pytest.skip(why)


_OPTION = (
    "{id},Hotel {id},{stars},Midtown,{score},{count},Queen Room (1 queen bed),1,0,"
    "Free WiFi; Bar,{price}"
)


def _header(letters: str) -> str:
    names = [f"{letter}_{field}" for letter in letters for field, _ in OPTION_FIELDS]
    return ",".join(["task_id", "task_type", "group_id", "rep", *names])


def _option(place: int, task: int) -> str:
    return _OPTION.format(
        id=place + 1,
        stars=1 + place,
        score=f"8.{place}",
        count=1000 + task,
        price=100 + 10 * place + task,
    )


def _task(task_id: int, kind: str, options: int, width: int) -> str:
    cards = [_option(place, task_id) for place in range(options)]
    blanks = ["," * 10] * (width - options)
    return ",".join([str(task_id), kind, str(task_id), "1", *cards, *blanks])


@dataclass(frozen=True)
class SmallRelease:
    """A source of the published shape, small enough to count by hand.

    Tasks 1-4 have two options, tasks 5 and 6 three; five-option tasks are 1 and 2.
    """

    folder: Path

    def write(self, name: str, lines: Iterable[str] | str | bytes) -> Path:
        """Write a file, from lines, a text or bytes."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(lines, bytes):
            path.write_bytes(lines)
        else:
            text = lines if isinstance(lines, str) else "".join(f"{x}\n" for x in lines)
            path.write_bytes(text.encode())
        return path

    def task_lines(self) -> list[str]:
        """Return the lines of the task file, header first."""
        rows = [_task(n, "binary", 2, 3) for n in range(1, 5)]
        return [_header("abc"), *rows, *(_task(n, "ternary", 3, 3) for n in (5, 6))]

    def tasks(self, lines: Iterable[str] | None = None) -> Path:
        """Write the task file, as it should be or from given lines."""
        return self.write("conjoint_tasks.csv", lines or self.task_lines())

    def quintets(self) -> Path:
        """Write the five-option task file."""
        rows = [_task(n, "fiveopt", 5, 5) for n in (1, 2)]
        return self.write("tasks_5opt.csv", [_header("abcde"), *rows])

    def answers(self, stem: str, rows: Iterable[str]) -> Path:
        """Write an answer file from rows ``task_id,choice,raw_output``."""
        name = f"conjoint_results_{stem}.csv"
        return self.write(name, ["task_id,choice,raw_output", *rows])


MakeOnce = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MakeOnce:
    """Fill a folder once, however many processes share the run of tests."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent

    def make(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = base / "once" / name, base / "once" / f"{name}.done"
        folder.parent.mkdir(exist_ok=True)
        with (base / "once" / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make


@pytest.fixture(scope="session")
def pristine_warehouse(made_once: MakeOnce) -> Path:
    """A warehouse with every table empty; read it, never write to it."""
    return made_once("pristine", lambda folder: init(folder / "w.duckdb")) / "w.duckdb"


@pytest.fixture
def empty_warehouse(pristine_warehouse: Path, tmp_path: Path) -> Path:
    """A warehouse of one's own with every table empty."""
    return Path(shutil.copy(pristine_warehouse, tmp_path / "w.duckdb"))


@pytest.fixture
def small_release(tmp_path: Path) -> SmallRelease:
    """An empty folder with a writer for hotel data in it."""
    folder = tmp_path / "source"
    folder.mkdir()
    return SmallRelease(folder)


Builder = Callable[[Path], None]


@pytest.fixture(scope="session")
def build_all() -> Builder:
    """Build every layer of a warehouse; a red gate or a failed test is an error."""

    def run(warehouse: Path) -> None:
        from pricebench.build import build

        report = build(warehouse, lambda line: None)
        assert report.failures == ()

    return run


@pytest.fixture(scope="session")
def built_release(release_hotel: Path, made_once: MakeOnce, build_all: Builder) -> Path:
    """Warehouse of the published release, loaded and built; copy it before writing."""
    from ingest.hotel.release import load_hotel

    def fill(folder: Path) -> None:
        report = load_hotel(release_hotel, folder / WAREHOUSE)
        assert not report.errors
        build_all(folder / WAREHOUSE)

    return made_once("release", fill) / WAREHOUSE


@pytest.fixture(scope="session")
def built_purchase_release(release_purchase: Path, made_once: MakeOnce) -> Path:
    """Warehouse of the published purchase decisions, loaded and built."""
    from ingest.purchase.release import load_purchase

    def fill(folder: Path) -> None:
        assert not load_purchase(release_purchase, folder / WAREHOUSE).errors
        _build_purchase(folder / WAREHOUSE)

    return made_once("purchase_release", fill) / WAREHOUSE


@pytest.fixture(scope="session")
def built_purchase(made_once: MakeOnce) -> Path:
    """Warehouse of made-up buyers, loaded and built; copy it before writing."""
    return made_once("purchase", _fill_purchase) / WAREHOUSE


def _fill_purchase(folder: Path) -> None:
    from purchase_data import cast, whole_run, write_bank, write_runs

    from ingest.purchase.bank import make_bank
    from ingest.purchase.release import load_purchase

    bank, pilot = make_bank(), make_bank(8, 8001)
    write_bank(folder / "source" / "bank_8008.json", bank)
    for name, rows in cast(bank).items():
        write_runs(folder / "source" / name, rows)
    write_bank(folder / "source" / "bank_8001.json", pilot)
    trial = whole_run(pilot, 2, model="acme/pilot")
    write_runs(folder / "source" / "pilot.jsonl", trial)
    assert not load_purchase(folder / "source", folder / WAREHOUSE).errors
    _build_purchase(folder / WAREHOUSE)


@pytest.fixture(scope="session")
def built_search(made_once: MakeOnce) -> Path:
    """Warehouse of the example run, loaded and staged; copy it before writing."""
    from ingest.search.simulation import load_example

    def fill(folder: Path) -> None:
        assert not load_example(folder / WAREHOUSE).errors
        _build(folder / WAREHOUSE, "gate_search_staging")

    return made_once("search", fill) / WAREHOUSE


@pytest.fixture(scope="session")
def built_search_marts(made_once: MakeOnce) -> Path:
    """Warehouse of every worked example and edge case of search, loaded and built."""
    return made_once("search_marts", _fill_search_marts) / WAREHOUSE


def _fill_search_marts(folder: Path) -> None:
    from random import Random

    import search_edges
    import search_worked
    from search_example import EXAMPLES
    from search_panels import altered, panels
    from search_random import random_run, wide_run

    from ingest.search.release import load_search

    assert search_worked.example is search_edges.example
    drawn = [random_run(Random(seed), f"random-{seed}") for seed in range(25)]
    examples = [make().run for make in EXAMPLES.values()]
    small = (*panels(), *altered().values(), wide_run())
    for run in (*examples, *drawn, *small):
        run.write(folder / "source")
    report = load_search(folder / "source", folder / WAREHOUSE)
    assert not report.errors
    assert not report.quarantined_rows
    _build(
        folder / WAREHOUSE,
        "gate_search_marts",
        *("board", "comparison", "reading_difference", "run", "model"),
    )


def _build_purchase(warehouse: Path) -> None:
    _build(warehouse, "gate_purchase_marts")


def _build(warehouse: Path, *select: str) -> None:
    from pricebench.build import build

    report = build(warehouse, lambda line: None, select=list(select))
    assert report.failures == ()


@pytest.fixture(scope="session")
def built_demo(made_once: MakeOnce, build_all: Builder) -> Path:
    """Warehouse of the simulated cast, loaded and built; copy it before writing."""
    from ingest.simulate import load_simulated_hotel, load_simulated_purchase

    def fill(folder: Path) -> None:
        load_simulated_hotel(folder / WAREHOUSE)
        load_simulated_purchase(folder / WAREHOUSE)
        build_all(folder / WAREHOUSE)

    return made_once("demo", fill) / WAREHOUSE


@pytest.fixture(scope="session")
def has_chromium() -> None:
    """Debian's browser; where it is missing its tests are skipped, but not under CI."""
    from review_browser import CHROMIUM

    if shutil.which(CHROMIUM) is None:
        why = "no Chromium on the path: `make setup-browser` installs Debian's"
        if os.environ.get("CI"):
            pytest.fail(f"{why}; tests of the review page cannot be left out here")
        pytest.skip(why)


@pytest.fixture(scope="module")
def chromium(has_chromium: None) -> Iterator[Any]:
    """The browser, per module: its driver keeps an event loop running meanwhile."""
    from review_browser import launched

    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def example_run(made_once: MakeOnce) -> Path:
    """Folder of the example run of search; copy it before writing."""
    from ingest.search.simulation import load_example

    def fill(folder: Path) -> None:
        assert not load_example(folder / WAREHOUSE, out=folder / "run").errors

    return made_once("example", fill) / "run"


@pytest.fixture(scope="session")
def served(
    has_chromium: None, example_run: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A review of the example run with hostile titles; a test rules on its own."""
    from review_server import Served, write_hostile

    folder = tmp_path_factory.mktemp("served") / "run"
    server = Served(write_hostile(example_run, folder))
    yield server
    server.kill()


@pytest.fixture(scope="session")
def built_review(made_once: MakeOnce) -> tuple[Path, Path]:
    """Run folder and private warehouse of the example run; copy both before writing."""
    import search_folder

    from ingest.search.release import load_search
    from pricebench.review.figures import TARGET

    def fill(folder: Path) -> None:
        run = search_folder.write(folder / "run", search_folder.example())
        warehouse = folder / "built" / WAREHOUSE
        warehouse.parent.mkdir()
        assert not load_search(run, warehouse).errors
        _build(warehouse, TARGET)

    folder = made_once("review", fill)
    return folder / "run", folder / "built" / WAREHOUSE
