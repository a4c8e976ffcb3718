"""Driving the review page in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
