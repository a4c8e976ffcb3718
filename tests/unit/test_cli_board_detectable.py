"""The board says how far two models must differ to be told apart."""

from __future__ import annotations

import csv
import io
import json

import pytest
from unit.test_cli_board import OK, board_rows

from pricebench.board import arrange
from pricebench.board_print import print_board
from pricebench.render import Format

ROWS = [
    *board_rows("s1", "release", "Alpha", OK),
    *board_rows("s2", "simulated", "Beta", OK),
]
DETECTABLE = [
    {"study_id": "s1", "scope": "base", "smallest_detectable": 95.91592236925042}
]


@pytest.mark.parametrize("form", [Format.table, Format.md])
def test_the_smallest_detectable_difference_stands_below_its_table(form):
    printed = print_board(arrange(ROWS, [], [], (), DETECTABLE), form)
    words = " ".join(printed.split())
    assert words.count("smallest detectable difference in audited WTP: $95.9") == 1
    # below the table of its study, above that of the next
    assert words.index("smallest detectable") < words.index("study s2")
    # one model alone is compared with nobody
    assert "smallest detectable" not in print_board(arrange(ROWS, [], []), form)


def test_data_formats_carry_every_digit_of_it():
    studies = arrange(ROWS, [], [], (), DETECTABLE)
    rows = list(csv.DictReader(io.StringIO(print_board(studies, Format.csv))))
    found = {row["study_id"]: row["smallest_detectable"] for row in rows}
    assert found == {"s1": "95.91592236925042", "s2": ""}
    nested = json.loads(print_board(studies, Format.json))
    assert [one["smallest_detectable"] for one in nested] == [95.91592236925042, None]
