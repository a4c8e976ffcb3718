"""Which files of a run folder its figures are made from."""

from __future__ import annotations

import search_folder

from pricebench.search_run import artifacts


def test_summaries_pages_and_second_rulings_are_no_artifacts_of_a_run(tmp_path):
    example = search_folder.example()
    run = search_folder.write(tmp_path / "run", example)
    for name in (
        *("summary_exact.json", "verify_second_exact.json", "verify_exact.html"),
        *("notes.json", "notes.csv", ".review.pending"),
    ):
        (run / name).write_text("{}")
    found = artifacts(run)
    assert list(found) == sorted(one for one in example if "/" not in one)
    assert found["tasks.json"] == run / "tasks.json"
    assert "shipping_policy.csv" in found
