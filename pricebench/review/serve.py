"""`pricebench review`: the review of a run on this machine."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from pricebench import console
from pricebench.errors import CommandError
from pricebench.reader import Grid
from pricebench.render import Format, render
from pricebench.review.case import Case
from pricebench.review.documents import label_file, read_document, write
from pricebench.review.sample import share_of
from pricebench.review.wish import ADDRESS, Wish
from pricebench.search_run import TRACKS, run_folder


def review(run: Path | None, wish: Wish) -> None:
    """Serve the review of a run until it is ended, or write its pages.

    Parameters
    ----------
    run
        The run folder; by default ``runs/$PRICEBENCH_DIR``.
    wish
        What is asked.

    Raises
    ------
    CommandError
        No such run, nothing to review in it, wishes that exclude each other, or a port
        that is taken.
    """
    from pricebench.review import page

    folder = run_folder(run)
    _refuse_odd(wish)
    share = None if wish.sample is None else share_of(wish.sample)
    listener = None if wish.write else _listen(wish.port)
    with ExitStack() as stack:
        if listener is not None:
            stack.enter_context(listener)
        with console.progress("review") as say:
            opened = Case.open(
                folder, say, is_references=wish.references, is_second=wish.second
            )
            case = stack.enter_context(opened)
        if share is not None:
            for track, size in case.draw_sample(share, wish.seed).items():
                console.note(f"track {track}: {size} candidates drawn at random")
        if listener is None:
            _write_pages(case, page)
        else:
            _serve(case, page, listener)


def _refuse_odd(wish: Wish) -> None:
    for is_odd, why in (
        (wish.references and wish.second, "--second rules on candidates"),
        (wish.references and wish.write, "--write makes the pages of candidates"),
        (wish.references and wish.sample, "--sample draws candidates"),
        (
            wish.second and wish.write,
            "--second is ruled on the server",
        ),
        (wish.second and wish.sample, "--sample is the first reviewer's"),
    ):
        if is_odd:
            raise CommandError(f"{why}: leave one of the two options out")


def _listen(port: int) -> socket.socket:
    # asyncio sends small packets at once only where the protocol is named
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
    except OSError as error:
        listener.close()
        raise CommandError(
            f"port {port} of {ADDRESS} cannot be used ({error.strerror}): end what "
            "uses it, or name another with --port"
        ) from error
    return listener


def _serve(case: Case, page: ModuleType, listener: socket.socket) -> None:
    import uvicorn

    from pricebench.review.app import review_app

    port = listener.getsockname()[1]
    config = uvicorn.Config(
        review_app(case, page, port),
        log_level="warning",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    console.note(_to_do(case))
    console.emit(f"http://{ADDRESS}:{port}/")
    # the way a review is ended
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
    console.note(f"review ended; every ruling is saved in {case.files.folder}")


def _to_do(case: Case) -> str:
    if case.is_references:
        count = len(case.state(case.tracks[0])["open_references"])
        return f"references to settle: {count}; end with ctrl-C"
    counts = [f"{track} {len(case.state(track)['queue'])}" for track in case.tracks]
    return f"candidates to rule on: {', '.join(counts)}; end with ctrl-C"


def _write_pages(case: Case, page: ModuleType) -> None:
    for track in case.tracks:
        path = case.files.folder / f"verify_{track}.html"
        state = {**case.state(track), "mode": "file"}
        try:
            write(path, page.render(state))
        except OSError as error:
            raise CommandError(f"cannot write {path} ({error.strerror})") from error
        console.emit(str(path))


def show_agreement(run: Path | None) -> None:
    """Print how far two reviewers agree on the candidates that both ruled on.

    Parameters
    ----------
    run
        The run folder; by default ``runs/$PRICEBENCH_DIR``.

    Raises
    ------
    CommandError
        No such run, no second reviewer, or a label file that can't be read.
    """
    from models.search_agreement import two_raters

    folder = run_folder(run)
    rows = []
    for track in TRACKS:
        pairs = _pairs(folder, track)
        if pairs is None:
            continue
        found = two_raters(
            [first == "valid" for first, _ in pairs],
            [second == "valid" for _, second in pairs],
        )
        shown = [None if x != x else x for x in (found.raw, found.kappa)]
        rows.append((track, found.n, *shown, found.kappa_degenerate))
    if not rows:
        raise CommandError(
            f"{folder} has no rulings of a second reviewer: make them with "
            "`pricebench review RUN --second`"
        )
    columns = ("track", "n", "raw_agreement", "cohen_kappa", "kappa_degenerate")
    console.emit(render(Grid(columns, tuple(rows)), Format.table))


def _pairs(folder: Path, track: str) -> list[tuple[str, str]] | None:
    """Return what both ruled, by candidate; None where nobody ruled a second time."""
    started = {"labels": {}, "history": [], "version": 0}
    documents = [
        read_document(folder, label_file(track, is_second), track, started)
        for is_second in (False, True)
    ]
    first = {one: _validity(label) for one, label in documents[0].records.items()}
    # a second opinion may stand within the first one's label too
    second = {
        one: (label.get("blind") or {}).get("validity")
        for one, label in documents[0].records.items()
    }
    second |= {one: _validity(label) for one, label in documents[1].records.items()}
    if not any(second.values()):
        return None
    return [
        (ruling, other)
        for one, ruling in sorted(first.items())
        if ruling and (other := second.get(one))
    ]


def _validity(label: Mapping[str, Any]) -> Any:
    return label["ruling"]["validity"]
