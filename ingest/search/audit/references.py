"""The phase ``shipping``: what references cost is settled before any agent searches.

By the table first, then by the page, then by a person (`pricebench review RUN
--references`), whose values are stamped into ``tasks.json`` too.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from ingest.errors import LoadError
from ingest.search.artifact import (
    HEADER,
    POLICY_FILE,
    Artifact,
    kind_of,
    read_artifact,
)
from ingest.search.audit.check import page_shipping
from ingest.search.audit.policy import (
    FIRST_PARTY,
    SEED,
    Policy,
    Shipping,
    read_table,
    shipping_of,
)
from ingest.search.capture import Clock, Look, Say
from ingest.search.lag import describe_lag
from ingest.search.read_bank import FREE, some
from ingest.search.run_folder import TASKS_FILE
from ingest.search.run_store import RunStore, encoded, open_store
from ingest.search.schemas import TRACKS
from ingest.search.scope import Scope
from ingest.search.write_artifact import time_text
from ingest.whole_file import write_whole

Record = Mapping[str, Any]

REFS_FILE = "verify_labels_refs.json"
TABLE, PAGE, HUMAN = "policy_table", "page", "human"


@dataclass(frozen=True, slots=True)
class ShippingReport:
    """What came of settling the references in scope.

    Attributes
    ----------
    settled
        Source -> products whose shipping it gave, earlier sessions included.
    open_products
        A line for each product that a person must settle.
    """

    settled: Mapping[str, int] = field(default_factory=dict)
    open_products: tuple[str, ...] = ()


def open_parts(task: Record) -> list[str]:
    """Return what of a reference is not settled, so that no agent may be asked.

    Parameters
    ----------
    task
        Record of ``tasks.json``.

    Returns
    -------
    list of str
        ``shipping`` where it is not known, ``pack`` where nobody confirmed an ambiguous
        one; empty for a product that is ready.
    """
    pack, shipping = task.get("pack") or {}, task.get("shipping") or {}
    parts = ["shipping"] if shipping.get("amount") is None else []
    if pack.get("ambiguous") and pack.get("source") != HUMAN:
        parts.append("pack")
    return parts


def open_products(tasks: Iterable[Record], void: Iterable[str] = ()) -> list[str]:
    """Return the products that are not ready for agents.

    Parameters
    ----------
    tasks
        Records of ``tasks.json``.
    void
        Products that a person took out; they are asked about by nobody.

    Returns
    -------
    list of str
        A line for each: its label, and what is open.
    """
    gone = set(void)
    return [
        f"{task['label']}: {' and '.join(parts)}"
        for task in tasks
        if task["task_id"] not in gone and (parts := open_parts(task))
    ]


def asked_about(
    folder: Path, scope: Scope, products: Iterable[Record], say: Say = lambda _: None
) -> list[Record]:
    """Return the products in scope that a person did not take out.

    Parameters
    ----------
    folder
        Of the run.
    scope
        Which products.
    products
        Records of ``tasks.json``.
    say
        Told which were taken out.

    Returns
    -------
    list of mapping
        In order of position.

    Raises
    ------
    LoadError
        Where the scope names what is not there, holds no other products, or the
        rulings on references break their contract.
    """
    gone = _void(_labels(folder))
    tasks = scope.tasks(products)
    left = [str(one["label"]) for one in tasks if one["task_id"] in gone]
    if left:
        say(f"left out, since they are void: {some(left)}")
    if len(left) == len(tasks):
        raise LoadError(f"{folder}: every product in scope is void; widen the scope")
    return [one for one in tasks if one["task_id"] not in gone]


def _void(labels: Mapping[str, Record]) -> set[str]:
    return {task_id for task_id, label in labels.items() if label.get("void")}


async def settle_shipping(
    folder: Path,
    scope: Scope,
    look: Look,
    *,
    clock: Clock,
    table: Path | None = None,
    say: Say = lambda _: None,
) -> ShippingReport:
    """Settle what references cost, and stamp value and source into ``tasks.json``.

    Parameters
    ----------
    folder
        Of the run. Its ``shipping_policy.csv`` is the locked table; where there is none
        one is copied in.
    scope
        Which products.
    look
        Looks at a page as a buyer at the run's ZIP would see it.
    clock
        Gives the time, UTC.
    table
        What is copied in; by default the shipped table, which knows no amount.
    say
        Told how far the phase is.

    Returns
    -------
    ShippingReport

    Raises
    ------
    LoadError
        Where agents have answered already, so that nothing may change any more; where
        another table is locked; for artifacts or a table that cannot be used.
    """
    store = open_store(folder)
    policy = lock_policy(folder, table, store.tasks.protocol["buyer_zip"])
    labels = _labels(folder)
    tasks = scope.tasks(store.products.values())
    for line in describe_lag(tasks, clock()):
        say(line)
    new = {
        str(task["task_id"]): await _settled(task, labels, policy, look, clock)
        for task in tasks
    }
    changed = [one for one in tasks if new[one["task_id"]] != one]
    if changed:
        _refuse_answered(store, changed)
        _write(
            store, [new.get(one, task) for one, task in store.products.items()], clock
        )
    left = open_products(new.values(), _void(labels))
    for line in left:
        say(f"open: {line}")
    told = ((one.get("shipping") or {}).get("source") for one in new.values())
    return ShippingReport(dict(Counter(one for one in told if one)), tuple(left))


def lock_policy(
    folder: Path, table: Path | None = None, buyer_zip: str | None = None
) -> Policy:
    """Return the shipping policy of a run, copied in where it has none yet.

    Parameters
    ----------
    folder
        Of the run.
    table
        The CSV to lock; None: the one that is there, else the shipped one.
    buyer_zip
        Of the run; None: of any.

    Returns
    -------
    Policy

    Raises
    ------
    LoadError
        Where another one is locked already, or the table cannot be used.
    """
    path = folder / POLICY_FILE
    source = table or (path if path.is_file() else SEED)
    try:
        data = source.read_bytes()
    except OSError as error:
        raise LoadError(f"{source} cannot be read ({error.strerror})") from error
    policy = read_table(data, str(source), buyer_zip)
    if not path.is_file():
        write_whole(path, data)
    elif path.read_bytes() != data:
        raise LoadError(
            f"{path} is locked and differs from {source}; change the file in the run "
            "itself, as long as no agent has answered"
        )
    return policy


def _labels(folder: Path) -> dict[str, Record]:
    """Return what a person settled, by product.

    The file may name the products as they were before the last stamp: what it says of a
    product holds all the same, so its ``inputs`` are not looked at.
    """
    artifact = _refs(folder)
    return dict(artifact.body["refs"]) if artifact else {}


def _refs(folder: Path) -> Artifact | None:
    path, kind = folder / REFS_FILE, kind_of(REFS_FILE)
    if kind is None or not path.is_file():
        return None
    return read_artifact(REFS_FILE, path.read_bytes(), kind)


async def _settled(
    task: Record,
    labels: Mapping[str, Record],
    policy: Policy,
    look: Look,
    clock: Clock,
) -> Record:
    """Return a product with what can be settled of it."""
    fields = (labels.get(task["task_id"]) or {}).get("fields") or {}
    made = _with_pack(task, fields.get("pack_count"))
    old = dict(made.get("shipping") or {})
    price = Decimal(made["price"])
    if fields.get("shipping") is not None:
        amount, fees = (
            Decimal(fields["shipping"]),
            Decimal(fields.get("fees") or "0.00"),
        )
        return _stamped(made, Shipping(amount, fees, HUMAN), clock())
    if old.get("amount") is not None and old.get("source") != TABLE:
        return _with_basis(made)
    known = old.get("amount") is not None
    day = datetime.fromisoformat(old["at"]) if known and old.get("at") else clock()
    found = _look_up(made, policy, day, price, None)
    if found.amount is None and not found.is_below_minimum:
        page = (await look(str(task["url"]))).page
        if page.state == "ok" and page.currency in (None, "USD"):
            found = _look_up(made, policy, day, price, page_shipping(page))
    return _stamped(made, found, clock())


def _look_up(
    task: Record, policy: Policy, day: datetime, price: Decimal, on_page: Decimal | None
) -> Shipping:
    return shipping_of(
        policy,
        url=task["url_canonical"],
        # a reference comes from the shop's own list, and so does the figures' look-up
        seller=FIRST_PARTY,
        category=task["category"],
        day=day.date(),
        price=price,
        on_page=on_page,
    )


def _with_pack(task: Record, count: int | None) -> dict[str, Any]:
    pack = task.get("pack") or {}
    if count is None or (pack.get("count") == count and pack.get("source") == HUMAN):
        return dict(task)
    return {
        **task,
        "pack": {**pack, "count": count, "ambiguous": False, "source": HUMAN},
    }


def _stamped(task: Record, found: Shipping, at: datetime) -> Record:
    """Return a product with its shipping; the time stays where nothing has changed."""
    old = dict(task.get("shipping") or {})
    note = None
    if found.is_below_minimum:
        note = "the shop sells it in larger orders only"
    stamp = {
        "amount": None if found.amount is None else str(found.amount),
        "fees": None if found.amount is None else str(found.fees or FREE),
        **{"source": found.source, "policy_row": found.row_id, "note": note},
    }
    if all(old.get(key) == value for key, value in stamp.items()):
        return _with_basis(task)
    settled_at = None if found.amount is None else time_text(at)
    return _with_basis({**task, "shipping": {**stamp, "at": settled_at}})


def _with_basis(task: Record) -> Record:
    shipping, count = task.get("shipping") or {}, (task.get("pack") or {}).get("count")
    landed = None
    if shipping.get("amount") is not None:
        fees = Decimal(shipping.get("fees") or "0.00")
        landed = str(Decimal(task["price"]) + Decimal(shipping["amount"]) + fees)
    basis = "per_unit" if (count or 1) > 1 else "total"
    return {**task, "landed": landed, "basis": basis}


def _refuse_answered(store: RunStore, changed: Iterable[Record]) -> None:
    names = [str(one["label"]) for one in changed]
    for track in TRACKS:
        for agent in store.answers(track):
            raise LoadError(
                f"{some(names)} would change, and agent {agent} has answered in track "
                f"{track}: correct them with `pricebench review RUN --references`, "
                "which the figures count"
            )


def _write(store: RunStore, tasks: list[Record], clock: Clock) -> None:
    """Write the products, and let what a person settled name them as they are now.

    The file of rulings goes first: if the process dies between the two, the next
    session stamps the same again and mends it.
    """
    body = {
        key: value
        for key, value in store.tasks.body.items()
        if key not in (*HEADER, "source")
    }
    at = clock()
    made_of = [*store.tasks.inputs, POLICY_FILE]
    data = encoded(store.text(TASKS_FILE, {**body, "tasks": tasks}, at, made_of))
    refs = _refs(store.folder)
    if refs is not None:
        inputs = {**refs.inputs, TASKS_FILE: hashlib.sha256(data).hexdigest()}
        now = {**refs.body, "inputs": inputs}
        told = json.dumps(now, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
        write_whole(store.folder / REFS_FILE, encoded(told))
    write_whole(store.folder / TASKS_FILE, data)
