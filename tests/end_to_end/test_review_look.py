"""The review page on desk and phone, in light and dark, and its other uses."""

from __future__ import annotations

import pytest
from review_browser import (
    DESK,
    PHONE,
    opened,
    serious_faults,
    show,
    sideways,
    sign,
    write_page,
)
from review_state import HOSTILE


def test_the_next_item_is_shown_from_its_top(chromium, tmp_path):
    with opened(chromium, write_page(tmp_path), PHONE) as page:
        sign(page)
        page.get_by_role("button", name="Next open").click()
        top = page.locator("#place").evaluate("it => it.getBoundingClientRect().top")
        assert 0 <= top < PHONE["height"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_no_serious_fault_of_accessibility_and_no_sideways_scroll(
    chromium, tmp_path, scheme, viewport
):
    with opened(chromium, write_page(tmp_path), viewport, color_scheme=scheme) as page:
        assert page.evaluate(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
        for name in HOSTILE:
            show(page, f"c_{name}")
            assert sideways(page) == 0, name
        page.keyboard.press("Escape")
        page.get_by_text("Correct the reference").click()
        page.keyboard.press("i")  # a problem and the panel are shown
        assert page.locator("#problem").is_visible()
        assert serious_faults(page) == []
        assert sideways(page) == 0
        page.get_by_role("button", name="Keys").click()
        assert serious_faults(page) == []


def test_a_page_of_references_alone(chromium, tmp_path):
    changes = {"candidates": {}, "queue": [], "open_references": ["t001"]}
    address = write_page(tmp_path, phase="references", **changes)
    with opened(chromium, address, PHONE) as page:
        sign(page)
        assert page.locator("#count").inner_text() == "0 of 1 settled"
        assert page.locator("#candidate").is_hidden()
        assert page.locator("#ruling").is_hidden()
        page.locator("#ref-shipping").fill("4.99")
        page.locator("#ref-shipping").blur()
        assert page.locator("#count").inner_text() == "1 of 1 settled"
        assert sideways(page) == 0
        assert serious_faults(page) == []


def test_a_second_reviewer_does_not_correct_references(chromium, tmp_path):
    with opened(chromium, write_page(tmp_path, is_second=True)) as page:
        sign(page)
        assert page.get_by_text("second reading").is_visible()
        assert page.locator("#correct").is_hidden()
        page.get_by_role("button", name="Export").click()
        names = page.locator("#export-files").inner_text().split()
        assert names == ["verify_second_exact.json", "verify_second_equiv.json"]


def test_a_run_with_nothing_to_rule_on_says_so(chromium, tmp_path):
    address = write_page(tmp_path, candidates={}, queue=[], tasks={})
    with opened(chromium, address) as page:
        assert page.locator("#place").inner_text() == "Nothing to rule on."
        page.keyboard.press("v")
        assert page.locator("#ruling").is_hidden()
