"""Loading purchase decisions: banks, replacement, quarantine and the books."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from purchase_data import MODEL, decision, whole_run, write_bank, write_runs

from ingest.purchase.bank import bank_sha256, make_bank
from ingest.purchase.release import LoadError, load_purchase
from ingest.purchase.scenario import to_json
from ingest.warehouse import open_database

PUBLISHED = "593c83171420839092447467ea42be7d32e2cb90f99499e9b98dd483c74edc8b"


@pytest.fixture(scope="module")
def bank():
    return make_bank(8, 8001)


def ask(warehouse: Path, sql: str) -> list[tuple[Any, ...]]:
    with open_database(warehouse, read_only=True) as connection:
        return connection.execute(sql).fetchall()


def books(warehouse: Path) -> list[tuple[Any, ...]]:
    return ask(
        warehouse,
        "select table_name, rows_read, rows_accepted, rows_quarantined, "
        "rows_superseded from quality.row_accounting order by loaded_at, table_name",
    )


def test_the_published_run_with_its_bank_and_again(release_purchase, empty_warehouse):
    report = load_purchase(release_purchase, empty_warehouse)
    assert (report.errors, report.notes, report.quarantined) == ((), (), 0)
    assert report.rows == 48 + 2 * (576 + 1)
    found = ask(
        empty_warehouse,
        "select source, bank_sha256, count(*), count(choice), "
        "count(*) filter (where reply_state = 'failed'), "
        "count(*) filter (where reply_state = 'invalid'), sum(cost_usd)::varchar "
        "from raw_purchase.response group by all order by all",
    )
    assert [row[:-1] for row in found] == [
        ("derived", PUBLISHED, 576, 576, 0, 0),
        ("release", PUBLISHED, 576, 330, 235, 11),
    ]
    assert round(float(found[1][-1]), 4) == 0.1886
    before = books(empty_warehouse)
    again = load_purchase(release_purchase, empty_warehouse)
    assert (again.rows, again.files, len(again.skipped)) == (0, (), 3)
    assert books(empty_warehouse) == before


def test_one_file_draws_its_bank_again_to_the_bit(release_purchase, empty_warehouse):
    runs = release_purchase / "runs" / "z-ai__glm-5.3-flash.jsonl"
    report = load_purchase(runs, empty_warehouse)
    assert report.errors == ()
    assert "drawn again from seed 8008" in report.notes[0]
    assert ask(
        empty_warehouse, "select distinct bank_sha256 from raw_purchase.run"
    ) == [(PUBLISHED,)]
    # the bank itself, loaded afterwards, is known under its hash
    again = load_purchase(release_purchase / "bank_8008.json", empty_warehouse)
    assert (again.rows, again.skipped) == (0, ("bank_8008.json",))


def test_a_folder_and_an_archive_of_it_are_one(bank, tmp_path, empty_warehouse):
    folder = tmp_path / "agentbuy"
    write_bank(folder / "bank_8001.json", bank)
    write_runs(folder / "runs" / "acme.jsonl", whole_run(bank, 1))
    (folder / "notes.txt").write_text("x")
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in sorted(folder.rglob("*.*")):
            out.write(path, path.relative_to(tmp_path))
    report = load_purchase(archive, empty_warehouse)
    assert (report.rows, report.ignored) == (8 + 32 + 1, ("notes.txt",))
    assert load_purchase(folder, empty_warehouse).rows == 0


def test_a_bank_of_another_size_is_named_or_asked_for(bank, tmp_path, empty_warehouse):
    runs = write_runs(tmp_path / "s" / "acme.jsonl", whole_run(bank, 1))
    refused = load_purchase(runs, empty_warehouse)
    assert refused.rows == 0
    assert "asked with another bank (line " in refused.errors[0]
    assert "--size" in refused.errors[0]
    report = load_purchase(runs, empty_warehouse, size=8)
    assert report.errors == ()
    assert ask(
        empty_warehouse, "select distinct bank_sha256 from raw_purchase.run"
    ) == [(bank_sha256(bank),)]
    # now that the bank is loaded, other runs of it need no word about its size
    other = write_runs(tmp_path / "t" / "b.jsonl", whole_run(bank, 1, model="acme/b"))
    assert load_purchase(other, empty_warehouse).errors == ()


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("V", 1.5, "line 2, O8-8001-001: V is 1.5 there and "),
        ("optimal", "buy_one", "optimal is buy_one there and "),
        ("optimal_bonded", "buy_one", "optimal_bonded is buy_one there and "),
    ],
)
def test_a_run_that_disagrees_with_its_bank_is_refused_with_the_first_difference(
    bank, tmp_path, empty_warehouse, key, value, says
):
    rows = [decision(bank[0]), decision(bank[1], **{key: value}), decision(bank[2])]
    write_bank(tmp_path / "s" / "bank_8001.json", bank)
    write_runs(tmp_path / "s" / "acme.jsonl", rows)
    report = load_purchase(tmp_path / "s", empty_warehouse)
    assert len(report.errors) == 1
    assert says in report.errors[0]
    assert ask(empty_warehouse, "select count(*) from raw_purchase.response") == [(0,)]


def test_trap_the_optimum_of_a_bonded_row_is_the_bonded_one(
    bank, tmp_path, empty_warehouse
):
    whole = make_bank()
    moved = next(one for one in whole if one.optimal != one.optimal_bonded)
    right = decision(moved, "B")
    assert right["optimal"] == right["optimal_bonded"] == "certificate"
    write_bank(tmp_path / "s" / "bank_8008.json", whole)
    runs = tmp_path / "s" / "acme.jsonl"
    write_runs(runs, [right, decision(moved, "none")])
    assert load_purchase(tmp_path / "s", empty_warehouse).errors == ()
    # with the ordinary optimum it was scored on another menu
    write_runs(runs, [decision(moved, "B", optimal=moved.optimal)])
    (error,) = load_purchase(tmp_path / "s", empty_warehouse).errors
    assert "optimal is skip there and certificate in bank 593c83171420" in error


def test_the_last_row_of_a_question_wins_and_earlier_ones_stay(
    bank, tmp_path, empty_warehouse
):
    rows = [
        decision(bank[0], choice="FAILED"),
        decision(bank[1]),
        decision(bank[0], choice="skip"),
    ]
    runs = write_runs(tmp_path / "a.jsonl", rows)
    report = load_purchase(runs, empty_warehouse, size=8)
    assert "1 rows are superseded by a later one" in " ".join(report.notes)
    kept = ask(
        empty_warehouse,
        "select scenario_id, choice, reply_state from raw_purchase.response "
        "order by _source_row",
    )
    assert kept == [
        ("O8-8001-000", None, "failed"),
        ("O8-8001-001", bank[1].optimal, "json"),
        ("O8-8001-000", "skip", "json"),
    ]


def test_lines_that_are_no_rows_are_set_aside_and_blank_ones_are_none(
    bank, tmp_path, empty_warehouse
):
    cut = json.dumps(decision(bank[1]))[:-20]
    lines = [decision(bank[0]), "", "[1]", "not json", "[" * 50_000, cut]
    runs = write_runs(tmp_path / "a.jsonl", lines)
    runs.write_bytes(b"\xef\xbb\xbf" + runs.read_bytes() + b"\xff\n")
    report = load_purchase(runs, empty_warehouse, size=8)
    aside = {row.source_row: row.reason for row in report.quarantined_rows}
    assert sorted(aside) == [3, 4, 5, 6, 7]
    assert aside[3] == "the line is no JSON object"
    assert aside[7] == "the line is not UTF-8"
    assert ("response", 6, 1, 5, 0) in books(empty_warehouse)


def test_other_scores_are_reported_and_ours_used(bank, tmp_path, empty_warehouse):
    rows = [
        decision(bank[0], regret_share_V=0.25),
        decision(bank[1], is_optimal=False, bought=False),
        decision(bank[2]),
    ]
    runs = write_runs(tmp_path / "a.jsonl", rows)
    told = " ".join(load_purchase(runs, empty_warehouse, size=8).notes)
    assert (
        "1 rows state another regret_share than the bank gives (line 1: 0.25 stated, "
        "0.0 ours); ours is used" in told
    )
    assert "another is_optimal" in told
    assert "another buy_optimal" not in told


def test_the_same_run_twice_needs_a_word(bank, tmp_path, empty_warehouse):
    first = write_runs(tmp_path / "a.jsonl", whole_run(bank, 1))
    load_purchase(first, empty_warehouse, size=8)
    more = write_runs(tmp_path / "b.jsonl", whole_run(bank, 2))
    refused = load_purchase(more, empty_warehouse)
    assert "--replace puts this one in its place" in refused.errors[0]
    report = load_purchase(more, empty_warehouse, replace=True)
    assert (report.errors, report.superseded) == ((), 32 + 1)
    assert ask(empty_warehouse, "select count(*) from raw_purchase.response") == [(64,)]
    assert ask(empty_warehouse, "select count(*) from raw_purchase.run") == [(1,)]
    # a source that holds one run in two files is at odds with itself
    both = tmp_path / "both"
    both.mkdir()
    other = whole_run(bank, 1, model="acme/c")
    write_runs(both / "c1.jsonl", other)
    write_runs(both / "c2.jsonl", [*other, *other])
    report = load_purchase(both, empty_warehouse)
    assert "stands in c1.jsonl of the same source too" in report.errors[0]


def test_a_file_of_two_models_is_two_runs(bank, tmp_path, empty_warehouse):
    rows = [decision(bank[0]), decision(bank[0], model="acme/other", date="2026-10-01")]
    load_purchase(write_runs(tmp_path / "a.jsonl", rows), empty_warehouse, size=8)
    runs = ask(
        empty_warehouse,
        "select run_id, model_tag, protocol, run_date::varchar from raw_purchase.run "
        "order by all",
    )
    assert runs == [
        (f"release/{MODEL}", MODEL, "published", "2026-09-30"),
        ("release/acme/other", "acme/other", "published", "2026-10-01"),
    ]


def test_settings_that_vary_within_a_run_are_all_kept(bank, tmp_path, empty_warehouse):
    low = decision(bank[0])["settings"]
    high = {**low, "reasoning": "high"}
    rows = [decision(bank[0]), decision(bank[1], settings=high), decision(bank[2])]
    report = load_purchase(
        write_runs(tmp_path / "a.jsonl", rows), empty_warehouse, size=8
    )
    assert (
        f"rows of release/{MODEL} have 2 different values of settings; the run is "
        "listed with each of them" in " ".join(report.notes)
    )
    ((settings,),) = ask(empty_warehouse, "select settings from raw_purchase.run")
    assert json.loads(settings) == {"mixed": [low, high]}


def test_questions_of_another_form_are_a_run_of_another_protocol(
    bank, tmp_path, empty_warehouse
):
    other = {**decision(bank[0])["settings"], "family": "N"}
    rows = [decision(bank[0], settings=other), decision(bank[1])]
    load_purchase(write_runs(tmp_path / "a.jsonl", rows), empty_warehouse, size=8)
    assert ask(
        empty_warehouse,
        "select run_id, protocol, count(scenario_id) from raw_purchase.run "
        "join raw_purchase.response using (run_id) group by all order by all",
    ) == [
        (f"release/{MODEL}", "published", 1),
        (f"release/{MODEL}/N-C0", "published/N/C0", 1),
    ]


def test_sources_whose_files_have_one_name_stand_side_by_side(
    bank, tmp_path, empty_warehouse
):
    folders = []
    for model in ("acme/a", "acme/b"):
        folders.append(tmp_path / model / "runs")
        write_runs(folders[-1] / "decisions.jsonl", whole_run(bank, 1, model=model))
    for folder in folders:
        assert load_purchase(folder, empty_warehouse, size=8).errors == ()
    before = books(empty_warehouse)
    for folder in folders:
        again = load_purchase(folder, empty_warehouse, size=8)
        assert (again.errors, again.rows) == ((), 0)
        assert again.skipped == ("decisions.jsonl",)
    assert books(empty_warehouse) == before
    # one replaces its own run only
    write_runs(folders[0] / "decisions.jsonl", whole_run(bank, 2, model="acme/a"))
    report = load_purchase(folders[0], empty_warehouse, replace=True)
    assert (report.errors, report.superseded) == ((), 32 + 1)
    assert ask(
        empty_warehouse,
        "select run_id, count(*) from raw_purchase.response group by all order by all",
    ) == [("release/acme/a", 64), ("release/acme/b", 32)]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty; "),
        (b"\n \n", "the file is empty; "),
        (b"\x1f\x8b\x08\x00\xff\xfe", "(line 1: the line is not UTF-8); "),
        (b'{"model": "a\n', "(line 1: the line is no JSON (Unterminated"),
        (b'{"model": "a/b", "sid": 7}\n', "(line 1: sid names no scenario); "),
    ],
)
def test_a_file_without_a_readable_line_is_an_error_and_the_others_load(
    bank, tmp_path, empty_warehouse, content, says
):
    write_runs(tmp_path / "s" / "good.jsonl", whole_run(bank, 1))
    write_runs(tmp_path / "s" / "log.jsonl", [{"event": "start"}])
    (tmp_path / "s" / "cut.jsonl").write_bytes(content)
    report = load_purchase(tmp_path / "s", empty_warehouse, size=8)
    (error,) = report.errors
    assert error.startswith("not loaded: cut.jsonl: ")
    assert says in error
    # whole lines of something else are no decisions, and no error
    assert report.ignored == ("log.jsonl",)
    assert report.rows == 8 + 32 + 1


@pytest.mark.parametrize(
    ("repeats", "told"),
    [
        ((0, 1, 2), None),
        ((0, 1, 2, 3, 4), None),
        ((0, 1, 7, 100), "repeats are numbered 0, 1, 7, 100, not from 0 without a gap"),
        ((1, 2, 3), "repeats are numbered 1, 2, 3, not from 0"),
    ],
)
def test_any_repeat_counts_and_numbers_with_a_gap_are_told(
    bank, tmp_path, empty_warehouse, repeats, told
):
    rows = [decision(one, rep=rep) for one in bank for rep in repeats]
    report = load_purchase(
        write_runs(tmp_path / "a.jsonl", rows), empty_warehouse, size=8
    )
    notes = " ".join(report.notes)
    assert "repeats are" not in notes if told is None else told in notes
    assert report.quarantined == 0


def test_a_bank_that_contradicts_itself_stops_its_runs(bank, tmp_path, empty_warehouse):
    folder = tmp_path / "s"
    write_runs(folder / "a.jsonl", whole_run(bank, 1))
    items = [to_json(scenario) for scenario in bank]
    (folder / "bank_8001.json").write_text(json.dumps([items[0], items[0]]))
    report = load_purchase(folder, empty_warehouse)
    assert "names a scenario twice" in report.errors[0]
    assert "the bank file beside it could not be read" in report.errors[1]
    assert report.rows == 0


def test_layout_does_not_change_the_identity_of_a_bank(bank, tmp_path, empty_warehouse):
    items = [to_json(scenario) for scenario in bank]
    (tmp_path / "bank_8001.json").write_text(json.dumps(items, indent=1))
    load_purchase(tmp_path / "bank_8001.json", empty_warehouse)
    assert ask(
        empty_warehouse, "select distinct bank_sha256 from raw_purchase.scenario"
    ) == [(bank_sha256(bank),)]


def test_what_holds_no_decisions_is_refused(tmp_path, empty_warehouse):
    (tmp_path / "s").mkdir()
    write_runs(tmp_path / "s" / "log.jsonl", [{"event": "start"}])
    with pytest.raises(LoadError, match=r"holds no purchase data \(files seen: 1\)"):
        load_purchase(tmp_path / "s", empty_warehouse)


def test_ids_that_no_seed_explains_need_the_bank(bank, tmp_path, empty_warehouse):
    runs = write_runs(tmp_path / "a.jsonl", [decision(bank[0], sid="X1")])
    report = load_purchase(runs, empty_warehouse)
    assert "no bank has its scenarios (X1, …)" in report.errors[0]
    only = write_runs(tmp_path / "b.jsonl", [decision(bank[0], label="Z")])
    report = load_purchase(only, empty_warehouse, size=8)
    assert "b.jsonl: none of its 1 rows can be used (line 1, label:" in report.errors[0]


def test_loading_decisions_touches_no_other_instrument(
    bank, tmp_path, empty_warehouse, small_release
):
    from ingest.hotel.release import load_hotel

    small_release.tasks()
    small_release.answers("phi", ["1,A,A"])
    load_hotel(small_release.folder, empty_warehouse)
    hash_of = "select data_sha256 from quality.loaded_data where instrument = 'hotel'"
    before = ask(empty_warehouse, hash_of)
    runs = write_runs(tmp_path / "a.jsonl", whole_run(bank, 1))
    load_purchase(runs, empty_warehouse, size=8)
    assert ask(empty_warehouse, hash_of) == before
    shutil.rmtree(small_release.folder)
