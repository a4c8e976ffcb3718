"""The review page opened as a file in a real browser: what it shows, keeps and exports.

Nothing answers here; what a server answers is in test_review_browser.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from review_browser import exported, opened, show, sideways, sign, write_page
from review_state import HOSTILE, small_state

NAMES = list(HOSTILE)


@pytest.fixture
def page(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    with opened(chromium, write_page(tmp_path)) as page:
        sign(page)
        yield page


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_title_is_text_and_does_nothing(page, name):
    show(page, f"c_{name}")
    shown = page.locator("#candidate h3 bdi").last
    assert shown.evaluate("node => node.textContent") == HOSTILE[name]
    assert page.locator("main script, main img[onerror], main iframe").count() == 0
    assert page.evaluate("window.hit") is None
    # its marks of direction end with it
    assert shown.evaluate("node => getComputedStyle(node).unicodeBidi") == "isolate"
    assert sideways(page) == 0


def test_only_web_addresses_become_links(page):
    show(page, "c_quotes")
    for link in page.locator("main a[href], #list a[href]").all():
        assert link.get_attribute("href").startswith("https://"), link
        assert "noopener" in link.get_attribute("rel")
    assert "data:text/html" in page.locator("#reference").inner_text()
    assert "javascript:window.hit=5" in page.locator("#candidate").inner_text()
    # no picture from outside the folder of the run
    assert page.locator("main img").count() == 0


def test_a_ruling_is_kept_and_exported_with_its_history(page):
    show(page, "c_quotes")
    page.keyboard.press("v")
    page.keyboard.press("1")
    assert page.locator("#saving").inner_text() == "2 changes in memory: export to keep"
    found = exported(page)
    label = found["labels"]["c_quotes"]
    assert label["ruling"] == {"validity": "valid", "status": "verified"}
    assert label["reviewer"] == "Robin"
    assert label["overturns_panel"] is False
    assert found["version"] == 2
    first, second = found["history"]
    assert first["before"] is None
    assert second["before"] == first["after"]
    assert second["after"] == label
    assert page.locator("#saving").inner_text() == "All exported"


def test_overturning_the_panel_needs_a_reason_and_one_of_them_a_note(page):
    show(page, "c_quotes")
    page.keyboard.press("i")
    assert "a reason is needed" in page.locator("#problem").inner_text()
    assert page.locator("#reason").get_attribute("aria-invalid") == "true"
    assert exported(page)["labels"] == {}
    page.keyboard.press("r")
    page.locator("#reason").select_option("R99_OTHER")
    assert "needs a note" in page.locator("#problem").inner_text()
    assert exported(page)["labels"] == {}
    page.locator("#note").fill("the strap is missing")
    page.locator("#note").blur()
    label = exported(page)["labels"]["c_quotes"]
    assert label["overturns_panel"] is True
    assert label["reason_code"] == "R99_OTHER"
    assert label["note"] == "the strap is missing"


def test_agreement_and_a_panel_without_majority_need_no_reason(page):
    for name, key in (("quotes", "v"), ("markup", "i")):
        show(page, f"c_{name}")
        page.keyboard.press(key)
    found = exported(page)["labels"]
    assert [found[f"c_{name}"]["overturns_panel"] for name in ("quotes", "markup")] == [
        False,
        False,
    ]


def test_the_verdict_of_the_panel_is_hidden_until_somebody_ruled(page):
    show(page, "c_quotes")
    assert page.locator("#panel-body").is_hidden()
    assert "invalid)" not in page.locator("body").inner_text()
    page.keyboard.press("p")
    assert "2 valid, 1 invalid" in page.locator("#panel-body").inner_text()
    page.keyboard.press("j")
    assert page.locator("#panel-body").is_hidden()
    page.keyboard.press("v")
    assert page.locator("#panel-body").is_visible()


def test_amounts_are_dollars_and_cents_or_are_not_kept(page):
    show(page, "c_quotes")
    page.get_by_label("Price").last.fill("$ 17.5")
    page.get_by_label("Price").last.blur()
    assert exported(page)["labels"]["c_quotes"]["fields"]["price"] == "17.50"
    assert page.get_by_label("Price").last.input_value() == "17.50"
    for text in ("-1", "1,000", "17.505", "free", "1e3"):
        page.get_by_label("Price").last.fill(text)
        page.get_by_label("Price").last.blur()
        assert "dollars and cents" in page.locator("#problem").inner_text(), text
    assert exported(page)["labels"]["c_quotes"]["fields"]["price"] == "17.50"


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("pack_count", "0", "whole number"),
        ("pack_count", "1.5", "whole number"),
        ("currency", "US", "three capital letters"),
        ("final_url", "javascript:alert(1)", "http or https"),
    ],
)
def test_a_value_that_no_field_can_have_is_not_kept(page, field, text, words):
    show(page, "c_quotes")
    page.locator(f"#field-{field}").fill(text)
    page.locator(f"#field-{field}").blur()
    assert words in page.locator("#problem").inner_text()
    assert exported(page)["labels"] == {}


def test_verified_needs_what_a_cost_is_made_of(chromium, tmp_path):
    state = small_state()
    del state["mode"]
    state["candidates"]["c_quotes"]["audited"].update(
        shipping=None, status="temporarily_unverifiable"
    )
    with opened(chromium, write_page(tmp_path, **state)) as page:
        sign(page)
        show(page, "c_quotes")
        page.keyboard.press("1")
        assert "needs a known shipping" in page.locator("#problem").inner_text()
        page.locator("#field-shipping").fill("0")
        page.locator("#field-shipping").blur()
        fields = exported(page)["labels"]["c_quotes"]["fields"]
        assert fields["shipping"] == "0.00"


def test_verified_does_not_go_with_a_page_that_says_otherwise(page):
    show(page, "c_quotes")
    page.keyboard.press("1")
    page.locator("#field-availability").select_option("out")
    assert (
        "Verified does not go with stock out" in page.locator("#problem").inner_text()
    )
    label = exported(page)["labels"]["c_quotes"]
    assert label["fields"]["availability"] is None
    page.keyboard.press("2")
    label = exported(page)["labels"]["c_quotes"]
    assert label["fields"]["availability"] == "out"
    assert label["ruling"]["status"] == "rejected"


def test_a_reference_is_corrected_made_void_and_taken_back(page):
    page.get_by_text("Correct the reference").click()
    page.locator("#ref-shipping").fill("3")
    page.locator("#ref-shipping").blur()
    assert "was $5.00" in page.locator("#reference").inner_text()
    page.locator("#ref-void").check()
    assert "needs a reason" in page.locator("#ref-problem").inner_text()
    page.locator("#ref-void_reason").fill("page is gone")
    page.locator("#ref-void_reason").blur()
    found = exported(page, "verify_labels_refs.json")
    ref = found["refs"]["t001"]
    assert ref["fields"]["shipping"] == "3.00"
    assert (ref["void"], ref["void_reason"]) == (True, "page is gone")
    assert [one["task_id"] for one in found["history"]] == ["t001"] * found["version"]
    page.get_by_role("button", name="Take the correction back").click()
    assert exported(page, "verify_labels_refs.json")["refs"] == {}


def test_undo_takes_back_one_change_after_the_other(page):
    show(page, "c_quotes")
    page.keyboard.press("v")
    page.keyboard.press("1")
    show(page, "c_long")
    page.keyboard.press("v")
    page.keyboard.press("u")
    assert set(exported(page)["labels"]) == {"c_quotes"}
    page.keyboard.press("u")
    ruling = {"validity": "valid", "status": None}
    assert exported(page)["labels"]["c_quotes"]["ruling"] == ruling
    page.keyboard.press("u")
    found = exported(page)
    assert found["labels"] == {}
    # history only grows
    assert len(found["history"]) == found["version"] == 6
    assert page.get_by_role("button", name="Undo").is_disabled()


def test_what_is_not_kept_is_undone_first(page):
    show(page, "c_quotes")
    page.keyboard.press("v")
    page.keyboard.press("i")
    assert page.locator("#problem").is_visible()
    page.keyboard.press("u")
    assert page.locator("#problem").is_hidden()
    assert page.get_by_label("Valid v", exact=True).is_checked()


def test_what_a_page_says_is_kept_for_the_other_track_too(page):
    show(page, "c_quotes")
    page.keyboard.press("v")
    assert exported(page, "verify_labels_equiv.json")["labels"] == {}
    page.keyboard.press("2")
    shared = exported(page, "verify_labels_equiv.json")
    label = shared["labels"]["c_quotes"]
    assert label["ruling"] == {"validity": None, "status": "rejected"}
    assert label["overturns_panel"] is False
    page.keyboard.press("u")
    shared = exported(page, "verify_labels_equiv.json")
    assert shared["labels"] == {}
    assert (shared["version"], len(shared["history"])) == (2, 2)
    show(page, "c_long")  # which stands in this track alone
    page.keyboard.press("2")
    assert exported(page, "verify_labels_equiv.json")["version"] == 2


def test_an_exported_file_is_read_back(chromium, page, tmp_path):
    show(page, "c_quotes")
    page.keyboard.press("v")
    first = exported(page)
    path = tmp_path / "verify_labels_exact.json"
    path.write_text(json.dumps(first))
    with opened(chromium, write_page(tmp_path)) as again:
        sign(again)
        again.locator("#import-files").set_input_files(path)
        again.get_by_text("1 read").wait_for()
        assert exported(again) == first
        for name, text, words in (
            ("x.json", "{", "is no JSON"),
            ("x.json", "{}", "is no label file"),
            (
                "x.json",
                json.dumps({**first, "run_id": "other"}),
                "belongs to run other",
            ),
            (
                "x.json",
                json.dumps({**first, "labels": {"c_strange": {}}}),
                "rules on c_strange",
            ),
        ):
            bad = {
                "name": name,
                "mimeType": "application/json",
                "buffer": text.encode(),
            }
            again.locator("#import-files").set_input_files(bad)
            again.get_by_text(words).wait_for()
        assert exported(again) == first


def test_the_keyboard_alone_does_everything(page):
    def chosen() -> str:
        found: str = page.locator("#list [aria-current]").get_attribute("data-key")
        return found

    start = chosen()
    page.keyboard.press("j")
    assert chosen() != start
    page.keyboard.press("ArrowUp")
    assert chosen() == start
    page.keyboard.press("v")
    page.keyboard.press("o")
    assert chosen() != start
    page.keyboard.press("n")
    page.keyboard.type("viju12")  # in a field keys are letters
    assert page.locator("#note").input_value() == "viju12"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").is_hidden()
    # every control is reached by Tab, and shows that it is
    seen = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        seen.add(
            page.evaluate("document.activeElement.id || document.activeElement.name")
        )
    wanted = {"reason", "note", "status", "validity", "field-price", "next", "undo"}
    assert wanted <= seen


def test_single_keys_can_be_turned_off(page):
    page.keyboard.press("?")
    page.get_by_label("Single keys do something").uncheck()
    page.keyboard.press("Escape")
    show(page, "c_quotes")
    page.keyboard.press("v")
    assert exported(page)["labels"] == {}


def test_nothing_is_kept_without_a_name_and_the_name_is_remembered(chromium, tmp_path):
    address = write_page(tmp_path)
    with opened(chromium, address) as page:
        page.keyboard.press("Escape")
        show(page, "c_quotes")
        page.keyboard.press("v")
        assert "Say who you are" in page.locator("#problem").inner_text()
        assert exported(page)["labels"] == {}
        sign(page, "Sascha")
        assert exported(page)["labels"]["c_quotes"]["reviewer"] == "Sascha"
        page.goto("about:blank")
        page.goto(address)
        assert page.get_by_label("Reviewer").input_value() == "Sascha"
