"""Driving the review page in a real browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from review_state import small_state

from pricebench.review.page import render

# Debian's browser, installed by `make setup-browser`
CHROMIUM = "chromium"
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
DESK = {"width": 1440, "height": 900}
PHONE = {"width": 375, "height": 812}
REVIEWER = "Robin"


@contextmanager
def launched() -> Iterator[Any]:
    """Start the browser, and end it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which(CHROMIUM), args=list(FLAGS)
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Any, address: str, viewport: dict[str, int] = DESK, **options: Any
) -> Iterator[Any]:
    """Open a page in a window of its own; an error that it reports fails the test.

    What the browser says of a request that the server refused is not one.
    """
    context = browser.new_context(viewport=viewport, **options)
    faults: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console",
        lambda line: (
            faults.append(line.text)
            if line.type == "error" and "Failed to load resource" not in line.text
            else None
        ),
    )
    page.set_default_timeout(10_000)
    page.goto(address)
    try:
        yield page
    finally:
        context.close()
    assert faults == []


def sign(page: Any, name: str = REVIEWER) -> None:
    """Say who reviews, and leave the field."""
    page.get_by_label("Reviewer").fill(name)
    page.keyboard.press("Escape")


def write_page(folder: Path, **changes: Any) -> str:
    """Write the page of a small review as a file; return its address."""
    path = folder / "verify_exact.html"
    path.write_text(render(small_state(**changes)), encoding="utf-8")
    return path.as_uri()


def show(page: Any, one_id: str) -> None:
    """Choose a candidate in the list, whose group may be folded."""
    row = page.locator(f'#list [data-key="c:{one_id}"]')
    if not row.is_visible():
        row.locator("xpath=ancestor::details").locator("summary").first.click()
    row.click()


def exported(page: Any, name: str = "verify_labels_exact.json") -> dict[str, Any]:
    """Export a label file, and return what it holds."""
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    page.get_by_role("button", name="Close").click()
    found: dict[str, Any] = json.loads(Path(download.value.path()).read_text())
    return found


def serious_faults(page: Any) -> list[str]:
    """Return what the accessibility checker calls serious or worse, with its place."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def sideways(page: Any) -> int:
    """Return by how many pixels the page is wider than its window."""
    root = "document.documentElement"
    width: int = page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")
    return width
