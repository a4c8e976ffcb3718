"""What a page opened as a file exports is what the server saves of the same rulings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from review_browser import exported, opened, show, sign
from review_server import Served

from pricebench.review.page import render

FILES = ("verify_labels_exact.json", "verify_labels_equiv.json")
REFS = "verify_labels_refs.json"
# when, and hashes of files that the server finds beside its own
VOLATILE = {"at", "updated_at", "created_at", "inputs"}


def lasting(value: Any) -> Any:
    """Return a body without what says when it was written."""
    if isinstance(value, dict):
        return {key: lasting(one) for key, one in value.items() if key not in VOLATILE}
    return [lasting(one) for one in value] if isinstance(value, list) else value


def cast(state: dict[str, Any]) -> dict[str, str]:
    """Return candidates for each kind of ruling; all stand in both tracks."""
    open_ones = [
        one
        for one in state["shared"]
        if one in state["candidates"]
        and state["candidates"][one]["label"] is None
        and state["candidates"][one]["panel"]["verdict"] == "valid"
        and state["candidates"][one]["status"] == "verified"
    ]
    names = ("agreed", "overturned", "rejected", "undone", "noted")
    assert len(open_ones) >= len(names)
    found = dict(zip(names, open_ones, strict=False))
    # ruled on before the page was made, and drawn at random
    found["sampled"] = next(
        one
        for one, own in state["candidates"].items()
        if own["label"] and own["label"].get("sampled")
    )
    return found


def review(page: Any, ids: dict[str, str]) -> None:
    """Rule as a person does: agree, overturn, correct, take back, note, void."""

    def settled() -> None:
        page.locator("#saving:is([data-kind=saved], [data-kind=memory])").wait_for()

    show(page, ids["agreed"])
    page.keyboard.press("v")
    settled()
    show(page, ids["overturned"])
    page.keyboard.press("i")
    page.locator("#reason").select_option("R02_DIFFERENT_MODEL")
    settled()
    show(page, ids["rejected"])
    page.locator("#field-availability").select_option("out")
    page.locator("#problem:not([hidden])").wait_for()  # still verified as checked
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    settled()
    page.locator("#field-price").fill("5")
    page.locator("#field-price").blur()
    settled()
    show(page, ids["undone"])
    page.keyboard.press("v")
    settled()
    page.keyboard.press("u")
    settled()
    show(page, ids["noted"])
    page.keyboard.press("i")
    page.locator("#reason").select_option("R99_OTHER")
    page.locator("#note").fill("  a lid is missing\n\u202e\u2028<b>  ")
    page.locator("#note").blur()
    settled()
    show(page, ids["sampled"])
    page.locator("#note").fill("looked again")
    page.locator("#note").blur()
    settled()
    page.get_by_text("Correct the reference").click()
    page.locator("#ref-shipping").fill("4.9")
    page.locator("#ref-shipping").blur()
    settled()
    page.locator("#ref-is_fashion").select_option("true")
    settled()


def test_the_same_rulings_make_the_same_files(chromium, served: Served, tmp_path: Path):
    state = served.state()
    ids = cast(state)
    path = tmp_path / "verify_exact.html"
    path.write_text(render({**state, "mode": "file"}), encoding="utf-8")
    with opened(chromium, f"{served.address}/verify_exact.html") as page:
        sign(page)
        review(page, ids)
        on_server = {name: exported(page, name) for name in (*FILES, REFS)}
    with opened(chromium, path.as_uri()) as page:
        sign(page)
        review(page, ids)
        in_memory = {name: exported(page, name) for name in (*FILES, REFS)}
    for name in (*FILES, REFS):
        saved = lasting(served.file(name))
        assert saved["history"], name
        assert lasting(in_memory[name]) == saved, name
        # the server's own page exports what stands in the run folder
        assert lasting(on_server[name]) == saved, name
    labels = served.labels()
    assert labels[ids["overturned"]]["overturns_panel"] is True
    assert labels[ids["sampled"]]["sampled"] is True
    assert ids["undone"] not in labels
    other = served.labels("equiv")[ids["rejected"]]
    assert other["fields"]["availability"] == "out"
