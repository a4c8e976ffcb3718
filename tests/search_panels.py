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
        unasked,
    ]
