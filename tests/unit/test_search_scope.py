"""Which part of a run the options of a phase choose (search.md 7.4)."""

from __future__ import annotations

import pytest

from ingest.errors import LoadError
from ingest.search.scope import Scope, read_scope

# positions have gaps where cells stayed empty, and the file is in any order
TASKS = [
    {"task_id": f"t{n:03}", "label": f"t{n:03}-thing", "position": at}
    for n, at in ((3, 7), (1, 0), (4, 9), (2, 4))
]


def ids(scope, tasks=TASKS):
    return [one["task_id"] for one in scope.tasks(tasks)]


def test_everything_is_in_scope_unless_something_is_chosen():
    scope = read_scope()
    assert scope == Scope()
    assert ids(scope) == ["t001", "t002", "t003", "t004"]
    assert scope.agents(["b", "a"]) == ["a", "b"]
    assert scope.tracks == ("exact", "equiv")


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"first": 2}, ["t001", "t002"]),
        ({"first": 9}, ["t001", "t002", "t003", "t004"]),
        ({"places": "2-3"}, ["t002", "t003"]),
        ({"places": "4-4"}, ["t004"]),
        ({"places": " 3-99 "}, ["t003", "t004"]),
        ({"only": "t003-thing"}, ["t003"]),
        ({"only": "t004, t001-thing"}, ["t001", "t004"]),
    ],
)
def test_products_are_counted_in_the_order_of_position(options, wanted):
    assert ids(read_scope(**options)) == wanted


def test_systems_are_named_by_their_slugs():
    assert read_scope(systems="gpt, own").agents(["own", "gpt", "x"]) == ["gpt", "own"]
    with pytest.raises(LoadError, match=r"no agent 'gtp' in this run \(gpt, own\)"):
        read_scope(systems="gtp").agents(["own", "gpt"])


def test_a_track_can_be_chosen():
    assert read_scope(track="equiv").tracks == ("equiv",)
    assert read_scope(track="both").tracks == ("exact", "equiv")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"first": 0}, "name 1 product or more"),
        ({"places": "3-2"}, "no range like 5-10"),
        ({"places": "0-2"}, "no range like 5-10"),
        ({"places": "2"}, "no range like 5-10"),
        ({"first": 2, "only": "t001"}, "first and only both choose products"),
        ({"systems": " , "}, "nothing is named"),
        ({"track": "all"}, "is not one of exact, equiv, both"),
    ],
)
def test_options_that_cannot_be_are_refused(options, why):
    with pytest.raises(LoadError, match=why):
        read_scope(**options)


def test_products_that_are_not_there_are_refused():
    with pytest.raises(LoadError, match=r"no product 't9' in this run \(t001, "):
        ids(read_scope(only="t9"))
    with pytest.raises(LoadError, match="begins at 5, and the run has 4 products"):
        ids(read_scope(places="5-6"))
    assert ids(read_scope(), []) == []
