"""Runs whose judges agree in known ways, and one with an answer missing."""

from __future__ import annotations

from search_run import SearchRun


def panel_run(run_id: str, *votes: str) -> SearchRun:
    """Return a run with one candidate for each row of votes."""
    run = SearchRun(run_id)
    task = run.task("20.00")
    for row in votes:
        run.listing("a", task, "10.00", votes=row)
    return run


def panels() -> list[SearchRun]:
    """Return runs by how their judges agree."""
    unasked = SearchRun("unasked")
    for _ in range(2):
        unasked.listing("a", unasked.task("20.00"), "10.00")
    unasked.listing("b", "t001", "9.00")
    unasked.unasked.add(("b", "exact", "t002"))
    return [
        panel_run("two-and-two", "VVV", "VVI", "III", "VII"),
        panel_run("missing-votes", "VV-", "III", "VI-"),
        panel_run("all-valid", "VVV", "VVV"),
        panel_run("majority", "VVI", "V-V", "I-I", "VI-", "V--", "---"),
        unasked,
    ]


def altered() -> dict[str, SearchRun]:
    """Return a run, and the same with one thing altered, by what that is."""
    out = {}
    for what in ("nothing", "price", "vote", "ruling", "reference"):
        run = SearchRun(f"altered-{what}")
        task = run.task("20.00", pack=3)
        price = "9.01" if what == "price" else "9.00"
        run.listing("a", task, price, pack=2)
        votes = "VII" if what == "vote" else "VVI"
        page = run.listing("b", task, "6.00", pack=2, votes=votes)
        if what == "ruling":
            run.rule(page, "invalid")
        if what == "reference":
            run.correct(task, price="20.01")
        out[what] = run
    return out
