"""The purchase scorecard: ranks, failed calls, cost, and boards of all instruments."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from typing import Any

import pytest
from unit.test_cli_board import OK as HOTEL_OK
from unit.test_cli_board import board_rows as hotel_rows
from unit.test_cli_board import run_row

from pricebench.board import Study, arrange
from pricebench.board_print import print_board
from pricebench.render import Format
from pricebench.scorecards import PURCHASE

OTHERS = tuple(name for name in PURCHASE.metrics if name != "value")
OK = {
    **{"value": 65.97222222222221, "ci_lo": 54.86, "ci_hi": 77.08, "status": "ok"},
    **{"rank_lo": 2.0, "rank_hi": 4.0, "n": 144},
    **dict.fromkeys(OTHERS, 0.25),
    **{f"{name}_status": "ok" for name in OTHERS},
}
GONE = ("badge_effect", "bond_shift", "bond_responsiveness")


def without(row: dict[str, Any], *names: str, status: str = "too_few"):
    return row | dict.fromkeys(names) | {f"{n}_status": status for n in names}


UNDEFINED = without(OK, "regret_pct_v") | {
    **{"value": None, "ci_lo": None, "ci_hi": None, "status": "too_few", "n": 0},
    **{"rank_lo": None, "rank_hi": None},
}


def board_rows(
    model: str, audited: dict[str, Any], source: str = "release", **shared: Any
) -> list[dict[str, Any]]:
    base = {
        **{"study_id": source, "source": source, "bank_sha256": "bank-of-64-digits"},
        **{"model_id": f"maker/{model.lower()}", "display_name": model},
        **{"instrument": "purchase", "scope": "base", "headline": "optimal_pct"},
        **{"run_date": date(2026, 9, 30), "settings_label": "reasoning low"},
        **{"providers_served": "none 235; Modal 153; Wafer 68", "cost_usd": None},
        **{"usd_per_1000_decisions": 0.5902103290277778, "failed_share": 235 / 576},
        **{"answers": 576, "invalid_count": 11, "failed_count": 235},
        **{"usd_per_1000_answers": 0.5902103290277778},
        **{"scenarios": 48, "bank_scenarios": 48},
    }
    return [
        base | shared | OK | {"reading": "as_published"},
        base | shared | audited | {"reading": "audited"},
    ]


def arranged(*rows, gaps=(), runs=(), detectable=()) -> tuple[Study, ...]:
    board = [row for group in rows for row in group]
    return arrange(board, gaps, runs, (), detectable, "purchase")


def gap(metric: str, difference: float | None = None, reason: str | None = None):
    study = {"study_id": "release", "scope": "base", "model_id": "maker/glm"}
    study["metric"] = metric
    return study | {"difference": difference, "reason": reason}


@pytest.fixture
def glm() -> tuple[Study, ...]:
    gaps = [gap(PURCHASE.metrics[name], None, "failed_calls_scored") for name in GONE]
    return arranged(
        board_rows("GLM", without(OK, *GONE)), gaps=[*gaps, gap("optimal_pct", -1.04)]
    )


def words(studies, form: Format = Format.table) -> list[str]:
    return [" ".join(one.split()) for one in print_board(studies, form).split("\n")]


def test_a_model_is_a_block_of_both_readings_their_difference_and_what_it_cost(glm):
    lines = words(glm)
    at = lines.index(
        "GLM: n 144; 576 calls, 235 failed (40.8%), 11 invalid; $0.590 per 1,000"
    )
    # loss and bond loss to two decimals, half to even; the others to three
    assert lines[at + 1] == (
        "published 66.0 [54.9, 77.1] 2–4 0.25 0.250 0.250 0.250 0.250 0.250 0.250 "
        "0.250 0.25"
    )
    assert lines[at + 2] == (
        "audited 66.0 [54.9, 77.1] 2–4 0.25 0.250 0.250 – 0.250 – 0.250 – 0.25"
    )
    assert lines[at + 3] == "difference -1.0 – – – – – – – – –"
    assert lines[at + 4 : at + 7] == [
        "audited too_few: badge, bond, resp",
        "failed_calls_scored: badge, bond, resp",
        "served by Modal 153; Wafer 68; none 235",
    ]
    assert "run date 2026-09-30; settings reasoning low" in " ".join(lines)


def test_markdown_holds_the_same_in_a_row_per_model(glm):
    header, _, row = (
        line for line in print_board(glm, Format.md).split("\n") if line[:1] == "|"
    )
    names, cells = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in (header, row)
    )
    found = dict(zip(names, cells, strict=True))
    assert found["bond, audited"] == "– too_few"
    assert found["bond, published"] == "0.250"
    assert found["rank, audited"] == "2–4"
    assert found["why"] == "failed_calls_scored: badge, bond, resp"
    assert found["$ per 1,000"] == "$0.590"
    assert found["served by"] == "Modal 153; Wafer 68; none 235"
    assert (found["run date"], found["settings"]) == ("2026-09-30", "reasoning low")
    assert found["bank"] == "bank-of-64-d"


def test_models_stand_by_rank_ties_by_loss_then_name_and_unranked_ones_last():
    loss = OK | {"regret_pct_v": 0.1}
    studies = arranged(
        board_rows("Unranked", UNDEFINED),
        board_rows("Worse", OK),
        board_rows("Also", OK),
        board_rows("Less", loss),
        board_rows("Best", OK | {"value": 70.0}),
    )
    names = [model.shared["display_name"] for model in studies[0].models]
    assert names == ["Best", "Less", "Also", "Worse", "Unranked"]
    lines = words(studies)
    at = lines.index(
        "Unranked: n 0; 576 calls, 235 failed (40.8%), 11 invalid; $0.590 per 1,000"
    )
    assert lines[at + 2].startswith("audited – – – 0.250")
    assert lines[at + 4] == "audited too_few: best % [95 %], loss %"


def test_what_was_not_observed_stands_on_no_board_and_is_named():
    runs = [run_row("implied", "derived", variants=["base"]), run_row("release", "x")]
    runs[1]["source"] = "release"
    studies = arranged(board_rows("GLM", OK), runs=runs)
    lines = words(studies)
    assert (
        "studies of derived answers, on no board since nobody gave them: implied"
        in (" ".join(lines))
    )
    named = json.loads(print_board(studies, Format.json))
    assert [(one["source"], len(one["models"])) for one in named] == [
        ("release", 1),
        ("derived", 0),
    ]


def test_simulated_buyers_are_marked_in_every_format():
    buyer = board_rows(
        *("Rational", OK, "simulated"),
        **{"usd_per_1000_decisions": None, "failed_count": 0, "invalid_count": 0},
    )
    studies = arranged(buyer, runs=[run_row("simulated", "simulated")])
    text = print_board(studies, Format.table)
    assert "SIMULATED BUYERS, no real model answered (1 model)" in text
    assert "Rational: simulated; n 144; 576 calls; – per 1,000" in text
    assert "| Rational (simulated) |" in print_board(studies, Format.md)
    (row,) = csv.DictReader(io.StringIO(print_board(studies, Format.csv)))
    assert row["source"] == "simulated"
    (study,) = json.loads(print_board(studies, Format.json))
    assert (study["instrument"], study["source"]) == ("purchase", "simulated")


@pytest.mark.parametrize("count", [0.0001234, 0.59, 11.02, 123456.0])
def test_the_widest_figures_fit_a_hundred_columns(count):
    widest = OK | {"value": 88.88, "ci_lo": 77.77, "ci_hi": 99.94, "rank_hi": 60.0}
    widest |= {"rank_lo": 10.0}
    widest |= dict.fromkeys(("regret_pct_v", "bond_regret_pct_v"), 27.724)
    widest |= {"bond_responsiveness": -6.857, "discrimination": -0.5}
    rows = board_rows(
        *("A-model-of-a-very-long-name-indeed", widest),
        **{"usd_per_1000_decisions": count, "answers": 57600},
        providers_served="; ".join(f"Provider number {n} {n}" for n in range(20)),
    )
    other = board_rows("Other", OK, settings_label="reasoning none (unsupported)" * 3)
    gaps = [
        gap(metric, -88.8888) | {"model_id": rows[0]["model_id"]}
        for metric in ("optimal_pct", "regret_pct_V", "bond_regret_pct_V")
    ]
    gaps += [
        gap(metric, -0.8888) | {"model_id": rows[0]["model_id"]}
        for metric in PURCHASE.metrics.values()
        if metric not in [one["metric"] for one in gaps]
    ]
    perfect = board_rows("Perfect", OK | {"value": 100.0, "ci_lo": 99.96, "ci_hi": 1e2})
    studies = arranged(rows, other, perfect, gaps=gaps)
    assert "100 [100, 100]" in print_board(studies, Format.table)
    lines = print_board(studies, Format.table).split("\n")
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("form", [Format.table, Format.md])
def test_the_smallest_detectable_difference_stands_below_its_table(form):
    least = [{"study_id": "release", "scope": "base", "smallest_detectable": 12.34}]
    text = " ".join(words(arranged(board_rows("GLM", OK), detectable=least), form))
    assert (
        "smallest detectable difference in audited best choices: 12.3 percentage "
        "points (found four times in five"
    ) in text


def test_instruments_stand_one_below_the_other_each_with_its_own_words():
    hotel = arrange(hotel_rows("s1", "release", "Alpha", HOTEL_OK), [], [])
    studies = (*hotel, *arranged(board_rows("GLM", OK)))
    text = print_board(studies, Format.table)
    assert text.index("Hotel choice") < text.index("WTP = dollars a night")
    assert text.index("WTP = dollars a night") < text.index("Purchase decisions")
    # another instrument is no other study of the same one
    assert "NOT COMPARABLE" not in text
    rows = list(csv.DictReader(io.StringIO(print_board(studies, Format.csv))))
    assert [row["instrument"] for row in rows] == ["hotel", "purchase"]
    assert (rows[0]["flip_rate_audited"], rows[1]["log_price_audited"]) == ("", "")
    assert float(rows[1]["value_audited"]) == OK["value"]
    named = json.loads(print_board(studies, Format.json))
    assert [one["not_comparable_with_above"] for one in named] == [None, None]


def test_a_part_of_the_bank_and_calls_that_cost_nothing_are_named():
    # of 30 calls without a label 10 failed: what 20 replies cost, over 30 and over 20
    rows = board_rows(
        "Short",
        OK | {"n": 20},
        **{"scenarios": 10, "bank_scenarios": 48},
        **{"usd_per_1000_decisions": 0.2, "usd_per_1000_answers": 0.3},
    )
    (line,) = (one for one in words(arranged(rows)) if one.startswith("Short: "))
    assert line.startswith("Short: n 20 on 10 of 48 scenarios; 576 calls, ")
    text = " ".join(words(arranged(rows)))
    assert "; $0.200 ($0.300 answered) per 1,000" in text
    (row,) = (one for one in words(arranged(rows), Format.md) if "| Short |" in one)
    assert "| 20 on 10 of 48 scenarios | " in row
    assert "| $0.200 ($0.300 answered) | " in row


def test_a_whole_bank_and_calls_that_all_came_back_need_no_remark(glm):
    text = " ".join(words(glm))
    assert "GLM: n 144; 576 calls, " in text
    assert "; $0.590 per 1,000" in text
