"""A person reviews the example run in a real browser, and the server keeps it all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from review_browser import DESK, PHONE, opened, serious_faults, show, sideways, sign
from review_server import TITLES, Served


@pytest.fixture
def page(chromium: Any, served: Served) -> Iterator[Any]:
    with opened(chromium, f"{served.address}/verify_exact.html") as page:
        sign(page)
        yield page


def saved(page: Any) -> None:
    page.locator('#saving[data-kind="saved"]').get_by_text("All saved").wait_for()


def unruled(served: Served, verdict: str = "valid", track: str = "exact") -> str:
    """Return a candidate that nobody has ruled on, of a verdict of the panel."""
    candidates = served.state(track)["candidates"]
    return next(
        one
        for one, own in candidates.items()
        if own["label"] is None
        and own["panel"]["verdict"] == verdict
        and own["status"] == "verified"
    )


def test_a_ruling_is_saved_as_it_is_made(page, served):
    one_id = unruled(served)
    done = page.locator("#count").inner_text()
    show(page, one_id)
    page.keyboard.press("v")
    saved(page)
    label = served.labels()[one_id]
    assert label["ruling"] == {"validity": "valid", "status": None}
    assert (label["reviewer"], label["overturns_panel"]) == ("Robin", False)
    assert page.locator("#count").inner_text() != done
    page.keyboard.press("u")
    page.get_by_text("Not ruled").locator("xpath=..").locator("input").wait_for()
    page.locator(f'#list [data-key="c:{one_id}"]', has_text="open").wait_for()
    assert one_id not in served.labels()
    history = served.file("verify_labels_exact.json")["history"]
    assert [bool(own["after"]) for own in history if own["candidate_id"] == one_id] == [
        True,
        False,
    ]


def test_overturning_needs_a_reason_on_the_page_and_at_the_server(page, served):
    one_id = unruled(served)
    show(page, one_id)
    page.keyboard.press("i")
    page.get_by_text("This overturns the panel: a reason is needed.").wait_for()
    assert one_id not in served.labels()
    label = {
        **{"ruling": {"validity": "invalid", "status": None}, "fields": {}},
        **{"reason_code": None, "note": None, "reviewer": "Robin"},
    }
    version = served.state()["version"]
    status, body = served.ask(
        "POST",
        "/labels/exact",
        {"version": version, "candidate_id": one_id, "label": label},
        Origin=served.address,
    )
    assert (status, body["field"]) == (422, "reason_code")
    page.locator("#reason").select_option("R03_SIZE_DIFFERS")
    saved(page)
    label = served.labels()[one_id]
    assert label["overturns_panel"] is True
    assert label["reason_code"] == "R03_SIZE_DIFFERS"


def test_what_the_server_refuses_is_said_at_the_field(page, served):
    one_id = unruled(served)
    show(page, one_id)
    page.keyboard.press("1")
    page.locator("#field-availability").select_option("out")
    page.locator("#problem:not([hidden])").wait_for()
    invalid = page.locator("#field-availability").get_attribute("aria-invalid")
    assert invalid == "true"
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    saved(page)
    assert served.labels()[one_id]["ruling"]["status"] == "rejected"


def test_status_and_fields_stand_in_both_tracks(chromium, page, served):
    exact, equiv = served.state("exact"), served.state("equiv")
    one_id = next(
        one
        for one, own in exact["candidates"].items()
        if one in equiv["candidates"]
        and own["label"] is None
        and equiv["candidates"][one]["label"] is None
        and own["status"] == "verified"
    )
    show(page, one_id)
    page.locator("#field-price").fill("7.5")
    page.locator("#field-price").blur()
    saved(page)
    assert "was $" in page.locator("#candidate").inner_text()
    other = served.labels("equiv")[one_id]
    assert other["fields"]["price"] == "7.50"
    assert other["ruling"]["validity"] is None
    with opened(chromium, f"{served.address}/verify_equiv.html") as second:
        show(second, one_id)
        assert "$7.50 was $" in second.locator("#candidate").inner_text()


def test_a_corrected_reference_changes_both_tracks(chromium, page, served):
    before = {track: served.state(track) for track in ("exact", "equiv")}
    task_id = next(
        one
        for one, own in before["exact"]["tasks"].items()
        if own["label"] is None and own["reference"]["cost"]
    )
    ids = {
        track: next(
            one
            for one, own in state["candidates"].items()
            if own["task_id"] == task_id and own["comparison"]["saving"]
        )
        for track, state in before.items()
    }
    show(page, ids["exact"])
    table = page.locator("#comparison").inner_text()
    page.get_by_text("Correct the reference").click()
    page.locator("#ref-shipping").fill("99.99")
    page.locator("#ref-shipping").blur()
    saved(page)
    assert page.locator("#comparison").inner_text() != table
    assert "$99.99 was" in page.locator("#reference").inner_text()
    assert (
        served.file("verify_labels_refs.json")["refs"][task_id]["fields"]["shipping"]
        == "99.99"
    )
    with opened(chromium, f"{served.address}/verify_equiv.html") as second:
        show(second, ids["equiv"])
        assert "$99.99 was" in second.locator("#reference").inner_text()
        saving = served.state("equiv")["candidates"][ids["equiv"]]["comparison"][
            "saving"
        ]
        assert (
            saving
            != before["equiv"]["candidates"][ids["equiv"]]["comparison"]["saving"]
        )
        assert saving.lstrip("-") in second.locator("#comparison").inner_text()
    page.keyboard.press("u")
    page.get_by_text("$99.99 was").wait_for(state="detached")
    assert task_id not in served.file("verify_labels_refs.json")["refs"]


def test_a_reload_in_the_middle_loses_nothing(page, served):
    first = unruled(served)
    show(page, first)
    page.keyboard.press("v")
    saved(page)
    second = unruled(served)
    show(page, second)
    page.keyboard.press("i")  # not saved: a reason is needed
    page.locator("#note").fill("half a thought")
    page.reload()
    assert (
        page.locator("#list [aria-current]").get_attribute("data-key") == f"c:{second}"
    )
    assert page.locator("#note").input_value() == "half a thought"
    assert "a reason is needed" in page.locator("#problem").inner_text()
    page.locator("#reason").select_option("R01_DIFFERENT_PRODUCT")
    saved(page)
    assert {first, second} <= set(served.labels())
    assert page.get_by_label("Reviewer").input_value() == "Robin"
    page.reload()
    assert page.locator("#note").input_value() == "half a thought"


def test_two_tabs_in_conflict_show_both_rulings(chromium, page, served):
    one_id = unruled(served)
    with opened(chromium, f"{served.address}/verify_exact.html") as second:
        sign(second, "Sascha")
        for tab in (page, second):
            show(tab, one_id)
        page.keyboard.press("v")
        saved(page)
        second.keyboard.press("i")
        second.locator("#reason").select_option("R07_BUNDLE")
        conflict = second.locator("#conflict")
        conflict.wait_for()
        assert "Saved by Robin" in conflict.inner_text()
        assert "R07_BUNDLE" in conflict.inner_text()
        # nothing is saved over the first ruling until somebody chose
        assert served.labels()[one_id]["reviewer"] == "Robin"
        assert serious_faults(second) == []
        second.get_by_role("button", name="Save yours instead").click()
        saved(second)
        assert conflict.is_hidden()
    label = served.labels()[one_id]
    assert (label["reviewer"], label["reason_code"]) == ("Sascha", "R07_BUNDLE")


def test_the_saved_ruling_can_be_kept(chromium, page, served):
    one_id = unruled(served)
    with opened(chromium, f"{served.address}/verify_exact.html") as second:
        sign(second, "Sascha")
        for tab in (page, second):
            show(tab, one_id)
        page.keyboard.press("v")
        saved(page)
        second.keyboard.press("2")
        second.get_by_role("button", name="Keep the saved one").click()
        assert second.locator("#conflict").is_hidden()
        assert second.locator("input[value=valid]").is_checked()
    assert served.labels()[one_id]["ruling"]["status"] is None


def test_tabs_on_other_candidates_do_not_disturb_each_other(chromium, page, served):
    with opened(chromium, f"{served.address}/verify_exact.html") as second:
        sign(second, "Sascha")
        one_id = unruled(served)
        show(page, one_id)
        page.keyboard.press("v")
        saved(page)
        other = unruled(served)
        show(second, other)
        second.keyboard.press("v")
        saved(second)
        assert second.locator("#conflict").is_hidden()
        reviewers = [served.labels()[one]["reviewer"] for one in (one_id, other)]
    assert reviewers == ["Robin", "Sascha"]


def test_a_server_killed_between_two_saves_loses_nothing(page, served):
    first = unruled(served)
    show(page, first)
    page.keyboard.press("v")
    saved(page)
    second = unruled(served)
    served.kill()
    show(page, second)
    page.keyboard.press("v")
    page.get_by_text("Not saved: no server, trying again").wait_for()
    assert first in served.labels()
    served.start()
    saved(page)
    found = served.labels()
    assert found[first]["ruling"]["validity"] == "valid"
    assert found[second]["ruling"]["validity"] == "valid"


@pytest.mark.parametrize("name", list(TITLES))
def test_a_hostile_title_of_a_run_is_text(page, served, name):
    candidates = served.state()["candidates"]
    one_id = next(
        one for one, own in candidates.items() if own["title"] == TITLES[name]
    )
    show(page, one_id)
    shown = page.locator("#candidate h3 bdi").last
    assert shown.evaluate("node => node.textContent") == TITLES[name]
    assert page.evaluate("window.hit") is None
    assert sideways(page) == 0


@pytest.mark.parametrize(
    ("track", "viewport", "scheme"),
    [
        ("exact", DESK, "light"),
        ("exact", PHONE, "dark"),
        ("equiv", DESK, "dark"),
        ("equiv", PHONE, "light"),
    ],
    ids=["desk light", "phone dark", "desk dark", "phone light"],
)
def test_the_run_is_shown_without_fault_on_any_screen(
    chromium, served, track, viewport, scheme
):
    address = f"{served.address}/verify_{track}.html"
    with opened(chromium, address, viewport, color_scheme=scheme) as page:
        sign(page)
        assert page.locator("#reference img").evaluate("one => one.naturalWidth > 0")
        for _ in range(12):
            page.keyboard.press("j")
            assert sideways(page) == 0
        assert serious_faults(page) == []


def test_a_page_snapshot_is_shown_as_the_text_it_is(page, served):
    path = page.get_by_role("link", name="page kept").first.get_attribute("href")
    status, text = served.ask("GET", f"/{path}")
    assert status == 200
    assert b"<" in text
    page.goto(f"{served.address}/{path}")
    assert page.locator("pre").inner_text().lstrip().startswith("<")
    assert page.evaluate("document.contentType") == "text/plain"
