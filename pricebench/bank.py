"""Making a task bank: its files, its hash, and what its design can teach."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pricebench import console
from pricebench.errors import CommandError
from pricebench.paths import refuse_as_output

if TYPE_CHECKING:
    from ingest.hotel.bank import Task, Tasks

_LATIN = "latin"
# terms whose precision the design is about, in the order in which they are printed
_SHOWN = ("log_price", "price", "stars", "review_score")
_HEADING = (
    "design, in brackets that of the published procedure with as many answers; the "
    "D-efficiency is over all terms, controls and slots included:"
)
_ERRORS = ("expected_std_error", "wtp_detectable_difference")
_Rows = dict[tuple[str, str], list[dict[str, Any]]]


class Kind(StrEnum):
    """Which task file a bank is."""

    conjoint = "conjoint"
    fiveopt = "fiveopt"


def make_hotel_bank(
    warehouse: Path,
    kind: Kind,
    *,
    seed: int | None = None,
    size: int | None = None,
    pool: Path | None = None,
    orthogonal: bool = False,
    out: Path | None = None,
    latin: Path | None = None,
    show: int | None = None,
    variant: str = "base",
) -> None:
    """Draw a bank of hotel tasks, write what was asked for and print its hash.

    Parameters
    ----------
    warehouse : Path
        Absolute path; never written to, and no output may go over it.
    kind : Kind
        Pairs and triples, or quintets.
    seed, size : int, optional
        Of the draws; those of the published bank by default.
    pool : Path, optional
        A pool file; our own pool by default.
    orthogonal : bool
        Draw prices and review scores independent of the stars.
    out : Path, optional
        Where the task file goes; without it none is written.
    latin : Path, optional
        Where the orders of Latin squares go.
    show : int, optional
        A task whose questions follow the hash, one for each order.
    variant : str
        The prompt variant that is shown.

    Raises
    ------
    CommandError
        If an output is the warehouse, the pool or the other output, or cannot be
        written, or the bank has no such task.
    LoadError
        If the pool cannot be read, the bank cannot be drawn or there is no such
        variant.
    """
    from ingest.hotel.bank import write_tasks_csv
    from ingest.hotel.orthogonal import orthogonal_bank, write_orders_csv
    from ingest.hotel.sized_bank import PUBLISHED_SEED, read_pool_file, sized_bank

    _check_outputs(warehouse, pool, {"--out": out, "--latin": latin})
    with console.progress("drawing the bank"):
        hotels = read_pool_file(pool)
        drawn = bank = sized_bank(hotels, kind.value, size=size, seed=seed)
        if orthogonal:
            chosen = PUBLISHED_SEED[kind.value] if seed is None else seed
            bank = orthogonal_bank(drawn, hotels, seed=chosen)
        content = write_tasks_csv(bank)
    shown = None if show is None else describe_task(find_task(bank, show), variant)
    if out is not None:
        console.write_file(out, content.decode())
        console.note(f"{len(bank):,} tasks written to {out}")
    if latin is not None:
        console.write_file(latin, write_orders_csv(bank, _LATIN).decode())
        console.note(f"orders written to {latin}")
    if out is None and latin is None and shown is None:
        console.note("no file written: name one with --out")
    if orthogonal or latin is not None:
        for line in describe_design(drawn, bank, latin=latin is not None):
            console.note(line)
    console.emit(hashlib.sha256(content).hexdigest())
    if shown is not None:
        console.emit(f"\n{shown}")


def find_task(bank: Tasks, task_id: int) -> Task:
    """Return a task of a bank.

    Parameters
    ----------
    bank : tuple of Task
        Not empty, in the order of its ids.
    task_id : int
        As in the task file.

    Returns
    -------
    Task
        The one meant.

    Raises
    ------
    CommandError
        If the bank has none such.
    """
    for task in bank:
        if task.task_id == task_id:
            return task
    raise CommandError(
        f"no task {task_id} in this bank: it has {bank[0].task_id} to "
        f"{bank[-1].task_id}"
    )


def describe_task(task: Task, variant: str) -> str:
    """Return the exact questions about a task, one for each order.

    Parameters
    ----------
    task : Task
        What is offered.
    variant : str
        A prompt variant.

    Returns
    -------
    str
        Id and kind, version and hash of the wording, then the one message of each
        order under a heading.

    Raises
    ------
    LoadError
        If there is no such variant.
    """
    from ingest.hotel.bank import ORDERINGS
    from ingest.hotel.prompt import PROMPT_VERSION, make_prompt, prompt_sha256

    if task.task_type == "fiveopt" and variant == "base":
        variant = "fiveopt"
    parts = [
        f"task {task.task_id}, {task.task_type}; variant {variant}\n"
        f"prompt {PROMPT_VERSION}, sha256 {prompt_sha256()}"
    ]
    parts += [
        f"== user, {ordering} order\n{make_prompt(task, ordering, variant)}"
        for ordering in ORDERINGS
    ]
    return "\n\n".join(parts)


def _check_outputs(
    warehouse: Path, pool: Path | None, outputs: Mapping[str, Path | None]
) -> None:
    taken = [] if pool is None else [(pool.resolve(), "the pool that is read")]
    for option, path in outputs.items():
        if path is None:
            continue
        refuse_as_output(path, warehouse)
        for other, what in taken:
            if path.resolve() == other or _is_same(path, other):
                raise CommandError(f"{path} is {what}: name another {option}")
        taken.append((path.resolve(), f"what {option} names"))


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def describe_design(drawn: Tasks, bank: Tasks, *, latin: bool = False) -> list[str]:
    """Say what a design can teach, beside the draw of the published procedure.

    Parameters
    ----------
    drawn : tuple of Task
        The bank as the published procedure draws it, asked in the two published orders.
    bank : tuple of Task
        The bank that was made: same tasks, perhaps other prices and review scores.
    latin : bool
        Whether it is asked in the orders of Latin squares.

    Returns
    -------
    list of str
        For each block and price form the D-error, the D-efficiency per answer (the
        D-error of the draw over that of the design, at equal numbers of answers; above
        100 % the design is the better one), expected standard errors and the smallest
        differences in willingness to pay that are found, with those of the draw in
        brackets, at the design's number of answers too: information grows with their
        number, errors fall with its root. The tastes that are assumed stand in
        ``models.hotel_design``.
    """
    from ingest.hotel.orthogonal import design_rows
    from models.hotel_design import design_table

    orders = _LATIN if latin else "reversal"
    before = _by_fit(design_table(design_rows(drawn)).to_pylist())
    after = _by_fit(design_table(design_rows(bank, orders)).to_pylist())
    lines = [_HEADING]
    for fit, rows in after.items():
        lines += _describe_fit(fit, rows, before[fit])
    return lines


def _by_fit(rows: Sequence[dict[str, Any]]) -> _Rows:
    found: _Rows = {}
    for row in rows:
        found.setdefault((row["block"], row["specification"]), []).append(row)
    return found


def _describe_fit(
    fit: tuple[str, str],
    rows: Sequence[dict[str, Any]],
    before: Sequence[dict[str, Any]],
) -> list[str]:
    first, drawn = rows[0], before[0]
    title = f"{', '.join(fit)}, {first['tasks']:,} tasks, {first['answers']:,} answers"
    # a Latin square asks a task more often than the two published orders
    fewer = drawn["answers"] / first["answers"]
    own, was = first["d_error"], _scaled(drawn["d_error"], fewer)
    efficiency = "unknown" if own is None or was is None else f"{was / own:.0%}"
    old = {
        row["term"]: {name: _scaled(row[name], fewer**0.5) for name in _ERRORS}
        for row in before
    }
    shown = [row for row in rows if row["term"] in _SHOWN]
    valued = [row for row in shown if row["wtp_usd"] is not None]
    error, detectable = _ERRORS
    return [
        f"{title}: D-error {_beside(own, was)}, D-efficiency {efficiency}",
        "  expected standard errors: " + _listed(shown, old, error, "{:.3g}"),
        "  smallest differences in willingness to pay found in 80 %: "
        + _listed(valued, old, detectable, "${:.3g}"),
    ]


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _listed(
    rows: Sequence[dict[str, Any]],
    before: Mapping[str, Mapping[str, float | None]],
    name: str,
    form: str,
) -> str:
    parts = [
        f"{row['term']} {_beside(row[name], before[row['term']][name], form)}"
        for row in rows
    ]
    return ", ".join(parts) or "none"


def _beside(value: float | None, was: float | None, form: str = "{:.3g}") -> str:
    own, other = ("none" if v is None else form.format(v) for v in (value, was))
    return f"{own} ({other})"
