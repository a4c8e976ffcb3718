"""The part of the demo that asks: over sockets, as a real model would be asked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pricebench import console
from pricebench.run_request import Request
from pricebench.runs import list_runs


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked about a bank of which size."""

    instrument: str
    model: str
    size: int


# 600 calls: 240 tasks in two orders, which show 30 pairs; 10 scenarios under four
# labels, three times. With less of either its figures are too few to be stated.
SHOPPER = Asked("hotel", "simulated/balanced", 240)
BUYER = Asked("purchase", "simulated/rational", 10)


def ask_scripted_models(warehouse: Path) -> None:
    """Serve the offline world, ask a shopper and a buyer of it, and load the journals.

    Parameters
    ----------
    warehouse : Path
        Absolute path. Whoever was asked before is not asked again.

    Raises
    ------
    CommandError
        If a call failed or the warehouse cannot be read.
    LoadError
        If the world cannot be served, or a journal cannot be written or loaded.
    """
    todo = [one for one in (SHOPPER, BUYER) if not _was_asked(warehouse, one)]
    if not todo:
        console.emit(
            f"{SHOPPER.model} and {BUYER.model} were asked over sockets before"
        )
        return
    calls = _ask(warehouse, todo)
    told = " and ".join(f"{count:,} to {model}" for model, count in calls.items())
    console.emit(f"asked over sockets, as a real model would be: {told}")


def _was_asked(warehouse: Path, one: Asked) -> bool:
    """Return whether a run of somebody is loaded that has the hash of its settings."""
    asked = re.compile(rf"{re.escape(one.model)}/[0-9a-f]{{8}}")
    return any(
        run["instrument"] == one.instrument and asked.fullmatch(str(run["run_id"]))
        for run in list_runs(warehouse).records()
    )


def _ask(warehouse: Path, who: list[Asked]) -> dict[str, int]:
    """Ask, load, and return how many calls each model had."""
    from ingest.world.server import serving
    from pricebench.run import run_hotel, run_purchase

    with serving() as world, TemporaryDirectory() as folder, _no_proxy():
        for one in who:
            request = Request(
                model=one.model,
                api_base=world.api_base,
                size=one.size,
                # the address is new every time, so no reply could be found again
                no_cache=True,
                out=Path(folder),
                warehouse=warehouse,
            )
            if one is SHOPPER:
                run_hotel(request, variant="base", subset=None, bank_path=None)
            else:
                run_purchase(request, labels=None, subset=None)
        return dict(world.door.calls)


@contextmanager
def _no_proxy() -> Iterator[None]:
    """Ask this machine directly: a proxy of the person's cannot reach it."""
    from ingest.world.place import ADDRESS

    names = ("NO_PROXY", "no_proxy")
    before = {name: os.environ.get(name) for name in names}
    for name, given in before.items():
        os.environ[name] = f"{given},{ADDRESS}" if given else ADDRESS
    try:
        yield
    finally:
        for name, given in before.items():
            if given is None:
                del os.environ[name]
            else:
                os.environ[name] = given
