"""Whether this machine has what the verbs need, and how to mend what it lacks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from datetime import datetime
from importlib import metadata
from pathlib import Path

from ingest.keys import KEYS
from pricebench.errors import CommandError, one_line
from pricebench.gates import PASSING, first_refusals, green_date, read_gates
from pricebench.paths import LOCK_FILE
from pricebench.reader import Grid, open_reader

# The packages whose behaviour the warehouse leans on; their versions stand in the lock.
PINNED = ("duckdb", "dbt-core", "dbt-duckdb", "dlt", "great-expectations")
MEND_PACKAGES = "make setup"

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")
NODE_AT_LEAST = 20
SPACE_AT_LEAST_GB = 2.0

COLUMNS = ("check", "state", "found", "mend")
Row = tuple[str, str, str, str | None]


def examine(warehouse: Path) -> Grid:
    """Run every check.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse; it may be missing.

    Returns
    -------
    Grid
        One row per check: ``state`` is ``ok``, ``wrong`` (something cannot work),
        ``absent`` (only a part that is optional cannot work) or ``due`` (a build is
        still to come); ``mend`` says how, and is null where the state is ``ok``.
    """
    rows: list[Row] = [check_python(sys.version_info[:2])]
    rows += [check_package(name, locked_versions(LOCK_FILE)) for name in PINNED]
    rows += [check_warehouse(warehouse), check_gates(warehouse), check_space(warehouse)]
    rows += [check_key(name) for name in KEYS]
    rows += [check_node(), check_browser()]
    return Grid(COLUMNS, tuple(rows))


def check_python(version: tuple[int, ...]) -> Row:
    """Check the interpreter's version against the supported range."""
    found = ".".join(str(part) for part in version[:2])
    if (3, 11) <= version[:2] < (3, 14):
        return ("python", "ok", found, None)
    return ("python", "wrong", found, "make setup PYTHON=/path/to/python3.12")


def locked_versions(lock: Path) -> dict[str, str]:
    """Read the pinned version of every package.

    Parameters
    ----------
    lock : Path
        A requirements file with lines ``name==version``.

    Returns
    -------
    dict
        Version by package name; empty where the file is missing.
    """
    if not lock.exists():
        return {}
    pins = re.findall(
        r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock.read_text(), re.MULTILINE
    )
    return dict(pins)


def check_package(name: str, locked: dict[str, str]) -> Row:
    """Check the installed version of a package against the lock.

    Parameters
    ----------
    name : str
        The package.
    locked : dict
        Version by package name.

    Returns
    -------
    tuple
        A row of `examine`; ``wrong`` where the package or its pin is missing or the
        two differ.
    """
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        return (name, "wrong", "not installed", MEND_PACKAGES)
    wanted = locked.get(name)
    if wanted is None:
        return (name, "wrong", f"{found}, not in {LOCK_FILE.name}", "make lock")
    if found != wanted:
        return (name, "wrong", f"{found}, lock has {wanted}", MEND_PACKAGES)
    return (name, "ok", found, None)


def check_warehouse(warehouse: Path) -> Row:
    """Check that the warehouse opens; one that is not there yet is ``absent``."""
    if not warehouse.exists():
        return ("warehouse", "absent", f"none at {warehouse}", "pricebench init")
    try:
        with open_reader(warehouse):
            size = warehouse.stat().st_size / 1e6
    except CommandError as error:
        found, _, mend = one_line(error).rpartition(": ")
        return ("warehouse", "wrong", found, mend)
    return ("warehouse", "ok", f"{warehouse}, {size:.0f} MB", None)


def check_gates(warehouse: Path) -> Row:
    """Check that the warehouse was built and its gates are green.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse; it may be missing.

    Returns
    -------
    tuple
        A row of `examine`; ``wrong`` where a gate is red, ``due`` where a build is
        still to come: nothing is broken then, but no figure is current.
    """
    import duckdb

    try:
        with open_reader(warehouse) as connection:
            gates = read_gates(connection)
    except CommandError as error:
        mend = one_line(error).rpartition(": ")[-1]
        return ("gates", "absent", "no warehouse to read", mend)
    except duckdb.Error:
        return ("gates", "absent", f"no gates in {warehouse}", "pricebench init")
    refusal = next(iter(first_refusals(gates).values()), None)
    if refusal is not None:
        red = any(gate["status"] not in PASSING for gate in gates)
        found, _, mend = refusal.partition("; ")
        return ("gates", "wrong" if red else "due", found, mend)
    last = [gate for gate in gates if gate["layer"] == "marts"]
    if not last:
        return ("gates", "due", "not built to the end", "pricebench build")
    # an instrument without data was never green
    newest = max(last, key=lambda gate: gate["last_green_at"] or datetime.min)
    return ("gates", "ok", f"{len(gates)} pass, built {green_date(newest)}", None)


def check_space(warehouse: Path) -> Row:
    """Check the free space beside the warehouse, where working copies are made."""
    folder = next(path for path in warehouse.parents if path.exists())
    free = shutil.disk_usage(folder).free / 1e9
    found = f"{free:.1f} GB free in {folder}"
    if free < SPACE_AT_LEAST_GB:
        return ("disk", "wrong", found, f"free {SPACE_AT_LEAST_GB:.0f} GB there")
    return ("disk", "ok", found, None)


def check_key(name: str) -> Row:
    """Check that an environment variable with a key is set; its value is not shown."""
    if os.environ.get(name, "").strip():
        return (name, "ok", "set", None)
    return (
        name,
        "absent",
        "not set",
        f"export {name}=…, for {KEYS[name]}; .env.example lists all",
    )


def check_node() -> Row:
    """Check for Node, which only the site needs."""
    mend = f"install Node {NODE_AT_LEAST} or newer, to build the site"
    program = shutil.which("node")
    if program is None:
        return ("node", "absent", "not found", mend)
    answer = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=False
    )
    found = answer.stdout.strip()
    major = re.match(r"v(\d+)\.", found)
    if major is None or int(major.group(1)) < NODE_AT_LEAST:
        return ("node", "absent", found or "does not run", mend)
    return ("node", "ok", found, None)


def check_browser() -> Row:
    """Check for a browser, which only the site's tests need."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        return (
            "browser",
            "absent",
            "none found",
            "install Chromium, for tests in a browser",
        )
    return ("browser", "ok", found, None)


def require_sound(grid: Grid) -> None:
    """Raise if something is wrong; what is merely absent is no failure.

    Parameters
    ----------
    grid : Grid
        What `examine` returned.

    Raises
    ------
    CommandError
        Naming what is wrong.
    """
    wrong = [row["check"] for row in grid.records() if row["state"] == "wrong"]
    if wrong:
        raise CommandError(
            f"wrong: {', '.join(wrong)}; the column mend says how to put each right"
        )
