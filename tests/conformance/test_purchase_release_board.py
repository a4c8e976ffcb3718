"""What the command line shows of the published purchase decisions."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pricebench.cli import main
from pricebench.scorecards import PURCHASE

pytestmark = pytest.mark.release


def test_the_question_about_failed_calls_shows_the_paired_effects(
    built_purchase_release, capsys
):
    name = "purchase_which_conclusions_rest_on_failed_calls.sql"
    file = Path(__file__).parents[2] / "analyses" / name
    typed = ["query", "--file", str(file), "--warehouse", str(built_purchase_release)]
    assert main([*typed, "--format", "json"]) == 0
    rows = {row["metric"]: row for row in json.loads(capsys.readouterr().out)}
    shown = {
        metric: (
            *(round(row["as_published"], 3), row["failed_calls"], row["pairs"]),
            *(row["scenarios"], round(row["paired_difference"], 3)),
            row["audited_status"],
        )
        for metric, row in rows.items()
    }
    assert shown == {
        "badge_effect": (-0.229, 92, 52, 20, -0.135, "too_few"),
        "verified_minus_badge": (0.181, 92, 52, 20, 0.0, "too_few"),
        "bond_shift": (-0.361, 143, 1, 1, 1.0, "too_few"),
    }
    # each was published with an interval that leaves out 0
    assert {row["published_as_real"] for row in rows.values()} == {True}
    assert {row["display_name"] for row in rows.values()} == {"GLM 5.3 Flash"}


def test_the_board_shows_the_published_row(
    built_purchase_release, release_purchase, capsys
):
    typed = ["board", "purchase", "--warehouse", str(built_purchase_release)]
    assert main([*typed, "--format", "json"]) == 0
    studies = json.loads(capsys.readouterr().out)
    assert [len(study["models"]) for study in studies] == [1, 0]
    (model,) = studies[0]["models"]
    with (release_purchase / "published_board.csv").open() as file:
        published = {row["metric"]: float(row["value"]) for row in csv.DictReader(file)}
    shown = {
        metric: round(model["as_published"][figure], 3)
        for figure, metric in PURCHASE.metrics.items()
    }
    assert shown == published
    assert main(typed) == 0
    text = " ".join(capsys.readouterr().out.split())
    for words in (
        "run date 2026-09-30; settings reasoning low, temperature provider default, ",
        "task bank 593c83171420",
        "576 calls, 235 failed (40.8%), 11 invalid; $0.590 per 1,000",
        "audited too_few: badge, record, bond, resp, bond loss",
        "failed_calls_scored: badge, record, bond, resp, bond loss",
        "served by Modal 153; Wafer 68; Together 44; Morph 35; OpenInference 35; ",
    ):
        assert words in text
    assert "GPT-6.1 Sol" not in text
