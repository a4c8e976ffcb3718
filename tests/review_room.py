"""A review of the example run that a test may rule in, and its server."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from pricebench.review.app import review_app
from pricebench.review.case import Case
from pricebench.review.figures import Figures
from pricebench.review.run_files import read_run_files

PORT = 8799
HOME = f"http://127.0.0.1:{PORT}"


class StandIn:
    """A page that shows its state and nothing else."""

    def render(self, state: Any) -> str:
        return json.dumps(state)

    def content_policy(self) -> str:
        return "default-src 'none'"


@contextmanager
def room(
    built: tuple[Path, Path],
    folder: Path,
    *,
    prepare: Callable[[Path], object] = lambda run: None,
    is_references: bool = False,
    is_second: bool = False,
) -> Iterator[Case]:
    """Take up the review of a copy of the example run in a folder."""
    run, warehouse = built
    own = folder / "run"
    if not own.exists():
        shutil.copytree(run, own)
    prepare(own)
    place = Path(shutil.copytree(warehouse.parent, folder / f"built-{is_second}"))
    with Figures.open(place / warehouse.name) as figures:
        yield Case(read_run_files(own), figures, is_references, is_second)


def ask(case: Case, method: str, path: str, **request: Any) -> httpx.Response:
    """Send one request to the server of a review, from its own page unless told."""
    headers = {"origin": HOME, **request.pop("headers", {})}
    headers = {name: value for name, value in headers.items() if value is not None}

    async def send() -> httpx.Response:
        app = review_app(case, StandIn(), PORT)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=HOME) as client:
            return await client.request(method, path, headers=headers, **request)

    return asyncio.run(send())


def ruling(
    validity: str | None = None, status: str | None = None, **parts: Any
) -> dict[str, Any]:
    """Return a label as the page posts it."""
    known = {"reason_code", "note", "reviewer"}
    return {
        "ruling": {"validity": validity, "status": status},
        "fields": {name: parts[name] for name in parts if name not in known},
        "reason_code": parts.get("reason_code"),
        "note": parts.get("note"),
        "reviewer": parts.get("reviewer", "Ann"),
    }


def post(
    case: Case,
    one_id: str,
    label: Any,
    track: str = "exact",
    version: int | None = None,
) -> httpx.Response:
    """Post a ruling on the version that stands, unless told."""
    based_on = case.version(track) if version is None else version
    body = {"version": based_on, "candidate_id": one_id, "label": label}
    return ask(case, "POST", f"/labels/{track}", json=body)


def saved(case: Case, name: str = "verify_labels_exact.json") -> dict[str, Any]:
    """Return a label file as it stands on the disk."""
    return json.loads((case.files.folder / name).read_text(encoding="utf-8"))


def find(state: dict[str, Any], **wanted: Any) -> str:
    """Return the first candidate, in the order of the page, with such values."""
    order = (*state["queue"], *state["optional"], *state["settled"])

    def holds(one: dict[str, Any]) -> bool:
        values = {**one["audited"], **one, "verdict": one["panel"]["verdict"]}
        return all(values[name] == value for name, value in wanted.items())

    return next(one for one in order if holds(state["candidates"][one]))
