"""The text of the review page: what it may run, and what strangers put into it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from review_state import HOSTILE, small_state

from pricebench.review.page import content_policy, render

STATIC = Path(__file__).parents[2] / "pricebench" / "review" / "static"


class Elements(HTMLParser):
    """Elements of a page with their attributes, and the text of script and style."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag in ("title", "style", "script"):
            self._inside = tag
            self.texts.append("")

    def handle_endtag(self, tag):
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data):
        if self._inside:
            self.texts[-1] += data


@pytest.fixture(scope="module")
def page() -> Elements:
    elements = Elements()
    elements.feed(render(small_state()))
    return elements


def digest(text: str) -> str:
    found = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(found).decode()}'"


def test_hostile_titles_add_no_element_and_arrive_whole(page):
    harmless = Elements()
    harmless.feed(render(small_state(candidates={}, queue=[], tasks={})))
    assert page.found == harmless.found
    _, _, state, _ = page.texts
    assert not re.search(r"[<>&]|[^\x00-\x7f]", state)
    titles = [one["title"] for one in json.loads(state)["candidates"].values()]
    assert sorted(titles) == sorted(HOSTILE.values())


def test_the_name_of_a_run_is_text_in_the_title(page):
    assert page.texts[0] == "Review of run <&> 1, exact"


def test_only_the_script_and_the_style_of_the_page_may_run(page):
    _, style, _, script = page.texts
    policy = dict(
        rule.strip().split(" ", 1) for rule in content_policy().split(";") if rule
    )
    assert policy["script-src"] == digest(script)
    assert policy["style-src"] == digest(style)
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    meta = next(a for _, a in page.found if a.get("http-equiv"))
    # a page can't forbid its framing itself
    assert meta["content"] == content_policy().rsplit("; frame-ancestors", 1)[0]


def test_the_page_asks_nobody_for_anything(page):
    for _, attributes in page.found:
        for name in ("src", "href"):
            address = attributes.get(name) or ""
            assert address.startswith("#") or address in ("", "data:,"), attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert "style" not in attributes


def test_every_control_has_a_name(page):
    labelled = {attributes.get("for") for _, attributes in page.found}
    for at, (tag, attributes) in enumerate(page.found):
        if tag not in ("input", "select", "textarea"):
            continue
        wrapped = "label" in [tag for tag, _ in page.found[at - 2 : at]]
        assert (
            attributes.get("id") in labelled or "aria-label" in attributes or wrapped
        ), attributes


def test_text_becomes_markup_nowhere():
    scripts = sorted(STATIC.glob("*.js"))
    assert len(scripts) == 5
    for path in scripts:
        text = path.read_text()
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b"
            r"|new Function|DOMParser",
            text,
        ), path
        assert len(text.splitlines()) < 400, path


def test_a_state_that_no_json_can_hold_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        render(small_state(version=float("nan")))
