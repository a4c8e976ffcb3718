"""What the hotel board says below a model's name: whatever limits its readings."""

from __future__ import annotations

import pytest
from unit.test_cli_board import OK, UNDEFINED, board_rows, lines_of, run_row

from pricebench.board import arrange
from pricebench.render import Format


@pytest.mark.parametrize(
    ("facts", "flagged"),
    [
        ({"one_order_only": True}, True),
        ({"one_order_only": False}, False),
        ({"one_order_only": None}, False),
        ({}, False),
        # no answers come from no order
        ({"one_order_only": True, "n": 0}, False),
    ],
)
def test_a_model_asked_in_one_order_only_is_marked(facts, flagged):
    rows = [row | facts for row in board_rows("s", "release", "M", OK)]
    studies = arrange(rows, [], [run_row("s", "release")])
    lines = lines_of(studies)
    at = next(n for n, line in enumerate(lines) if line.startswith("M  "))
    assert lines[at + 2].startswith("one order only") == flagged
    (row,) = (line for line in lines_of(studies, Format.md) if line.startswith("| M |"))
    assert ("| 3,600, one order only |" in row) == flagged


@pytest.mark.parametrize(
    ("form", "marked"),
    [("linear", True), ("log", False), ("tie", False), (None, False)],
)
def test_a_model_whose_linear_form_fits_better_shows_its_dollars(form, marked):
    facts = {"price_form": form, "linear_wtp_usd": 911.006}
    rows = [row | facts for row in board_rows("s", "release", "M", OK)]
    studies = arrange(rows, [], [run_row("s", "release")])
    lines = lines_of(studies)
    at = next(n for n, line in enumerate(lines) if line.startswith("M  "))
    assert lines[at + 2].startswith("linear price fits") == marked
    assert lines[at + 3].startswith("better: $911") == marked
    (row,) = (line for line in lines_of(studies, Format.md) if line.startswith("| M |"))
    assert ("| 3,600, linear price fits better: $911 |" in row) == marked


def test_a_model_without_pairs_shows_what_it_has():
    # three-option answers only: the published rate pools them, ours has none
    nothing = UNDEFINED | dict.fromkeys(("failed_count", "invalid_count"), 0)
    nothing |= {"status": "too_few", "log_price_status": "too_few", "n": 0}
    nothing |= {"review_score_status": "too_few", "other_offset_count": 0}
    published = nothing | {"answers": 240, "verdict": "engaged"}
    audited = {"answers": 0, "first_shown_rate": None, "verdict": "no_data"}
    rows = board_rows("s", "release", "M", OK)
    rows = [rows[0] | published, rows[1] | nothing | audited]
    studies = arrange(rows, [], [run_row("s", "release")])
    lines = lines_of(studies)
    at = next(n for n, line in enumerate(lines) if line.startswith("M  "))
    first, second, third, fourth = (" ".join(one.split()) for one in lines[at : at + 4])
    assert first == "M published 18.5% engaged – too_few – too_few – too_few"
    assert second == "n 0 audited – no_data – too_few – too_few – too_few"
    assert (third, fourth) == ("no two-option difference – – – –", "answers")
    (row,) = (line for line in lines_of(studies, Format.md) if line.startswith("| M |"))
    assert "| 0, no two-option answers |" in row
