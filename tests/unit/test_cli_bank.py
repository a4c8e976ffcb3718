"""Making a task bank: a hash alone on standard output, files only where asked."""

from __future__ import annotations

import csv
import hashlib
import re
from pathlib import Path

import pytest

from ingest.errors import LoadError
from ingest.hotel.bank import draw_bank
from ingest.hotel.pool import make_pool
from ingest.hotel.pool_file import pool_json
from ingest.hotel.sized_bank import sized_bank
from pricebench.bank import describe_design
from pricebench.cli import main


def bank(folder: Path, *options: str) -> int:
    warehouse = folder / "w.duckdb"
    return main(["bank", "hotel", "--warehouse", str(warehouse), *options])


def only_line(out: str) -> str:
    assert re.fullmatch(r"[0-9a-f]{64}\n", out)
    return out.strip()


def test_the_hash_stands_alone_and_is_that_of_the_file(tmp_path, capsys):
    out = tmp_path / "conjoint_tasks.csv"
    assert bank(tmp_path, "--size", "48", "--seed", "3", "--out", str(out)) == 0
    printed = capsys.readouterr()
    sha256 = only_line(printed.out)
    assert hashlib.sha256(out.read_bytes()).hexdigest() == sha256
    assert f"48 tasks written to {out}" in printed.err
    assert "D-error" not in printed.err
    assert not (tmp_path / "w.duckdb").exists()
    # 24 tasks of 6 pairs and 24 of 4 triples
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = [(row["task_type"], row["group_id"]) for row in rows]
    assert len(rows) == 48
    assert len({group for kind, group in kinds if kind == "binary"}) == 6
    assert len({group for kind, group in kinds if kind == "ternary"}) == 4
    # the same seed, size and pool, given by name, are the same bank
    pool = tmp_path / "hotel_pool.json"
    pool.write_bytes(pool_json(make_pool()))
    assert bank(tmp_path, "--size", "48", "--seed", "3", "--pool", str(pool)) == 0
    again = capsys.readouterr()
    assert only_line(again.out) == sha256
    assert "no file written" in again.err


def test_a_bank_that_was_made_can_be_loaded(tmp_path, capsys):
    folder = tmp_path / "bank"
    folder.mkdir()
    out = folder / "tasks_5opt.csv"
    assert bank(tmp_path, "--kind", "fiveopt", "--size", "7", "--out", str(out)) == 0
    only_line(capsys.readouterr().out)
    warehouse = str(tmp_path / "w.duckdb")
    assert main(["load", "hotel", str(folder), "--warehouse", warehouse]) == 0
    assert (
        "1 file, 7 rows, 0 runs loaded; 0 rows quarantined" in capsys.readouterr().out
    )


def test_sizes_keep_the_published_proportions():
    pool = make_pool()
    published = draw_bank(
        pool, pairs=450, pair_reps=4, triples=300, triple_reps=6, seed=2026
    )
    assert sized_bank(pool, "conjoint") == published
    assert len(sized_bank(pool, "fiveopt")) == 300
    with pytest.raises(LoadError, match="'tasks': unknown"):
        sized_bank(pool, "tasks")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--size", "25"], "size: 25 tasks asked; ask for a multiple of 24 from 24"),
        (["--size", "0"], "from 24 to 9984"),
        (["--size", "10008"], "from 24 to 9984"),
        (["--kind", "fiveopt", "--size", "10000"], "multiple of 1 from 1 to 9999"),
        (["--seed", "-1"], "seed: -1; give 0 or more"),
        (["--pool", "nowhere.json"], "pool nowhere.json cannot be read (No such file"),
        (["--pool", "."], "cannot be read (Is a directory)"),
    ],
)
def test_a_bank_that_cannot_be_drawn_is_one_line(tmp_path, options, says, capsys):
    assert bank(tmp_path, *options) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err.splitlines()[-1]


def test_a_small_pool_has_few_groups(tmp_path, capsys):
    pool = tmp_path / "pool.json"
    pool.write_bytes(pool_json(make_pool()[:3]))
    # 3 hotels are 3 pairs but 1 triple, and 24 tasks show 2 triples
    assert bank(tmp_path, "--size", "24", "--pool", str(pool)) == 1
    assert "a pool of 3 hotels has 1 groups of 3" in capsys.readouterr().err


def test_outputs_go_over_nothing_that_is_needed(tmp_path, capsys):
    pool = tmp_path / "pool.json"
    pool.write_bytes(pool_json(make_pool()))
    before = pool.read_bytes()
    warehouse = tmp_path / "w.duckdb"
    warehouse.write_bytes(b"figures")
    small = ["--size", "24", "--pool", str(pool)]
    for options, says in [
        (["--out", str(warehouse)], "belongs to the warehouse"),
        (["--latin", str(warehouse)], "belongs to the warehouse"),
        (["--out", str(pool)], "is the pool that is read: name another --out"),
        (["--latin", str(pool)], "is the pool that is read: name another --latin"),
        (
            ["--out", str(tmp_path / "a"), "--latin", str(tmp_path / "x" / ".." / "a")],
            "is what --out names: name another --latin",
        ),
        (["--out", str(tmp_path / "no" / "a.csv")], "cannot write"),
    ]:
        assert bank(tmp_path, *small, *options) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert says in err.splitlines()[-1]
    assert warehouse.read_bytes() == b"figures"
    assert pool.read_bytes() == before
    assert not (tmp_path / "a").exists()


def test_latin_orders_show_every_option_in_every_slot(tmp_path, capsys):
    orders = tmp_path / "orders.csv"
    assert bank(tmp_path, "--size", "24", "--latin", str(orders)) == 0
    printed = capsys.readouterr()
    only_line(printed.out)
    with orders.open(newline="") as file:
        rows = list(csv.DictReader(file))
    # 12 pairs in 2 showings, 12 triples in 3
    assert len(rows) == 12 * 2 + 12 * 3
    for task, letters in (("1", "AB"), ("24", "ABC")):
        shown = [row for row in rows if row["task_id"] == task]
        for slot in range(1, len(letters) + 1):
            assert sorted(row[f"slot{slot}"] for row in shown) == sorted(letters)
    assert {row["slot3"] for row in rows if row["task_id"] == "1"} == {""}
    # three showings of a triple instead of two, so 36 answers to 12 tasks
    assert "ternary, log, 12 tasks, 36 answers: D-error " in printed.err


def test_an_orthogonal_design_prints_its_efficiency(tmp_path, capsys):
    plain, other = tmp_path / "a.csv", tmp_path / "b.csv"
    small = ["--size", "480", "--seed", "1"]
    assert bank(tmp_path, *small, "--out", str(plain)) == 0
    drawn = only_line(capsys.readouterr().out)
    assert bank(tmp_path, *small, "--orthogonal", "--out", str(other)) == 0
    printed = capsys.readouterr()
    assert only_line(printed.out) != drawn
    for block in ("binary", "ternary"):
        for form, price in (("log", "log_price"), ("linear", "price")):
            (line,) = re.findall(rf"^{block}, {form}, .*$", printed.err, re.MULTILINE)
            found = re.search(
                r"D-error (\S+) \((\S+)\), D-efficiency (\d+)%", line
            ).groups()
            own, was, efficiency = (float(value) for value in found)
            # at equal numbers of answers the ratio of the D-errors, rounded as printed
            assert efficiency == pytest.approx(100 * was / own, abs=1)
            after = printed.err.split(line)[1].splitlines()
            assert f"{price} " in after[1]
            assert "stars $" in after[2]
    # price and stars part company: both are told more sharply than in the plain draw
    errors = printed.err.split("binary, log")[1].splitlines()[1]
    for term in ("stars", "log_price"):
        own, was = re.search(rf"{term} (\S+) \((\S+)\)", errors).groups()
        assert float(own) < float(was)


def test_the_plain_design_is_as_efficient_as_itself():
    bank = sized_bank(make_pool(), "conjoint", size=48, seed=2)
    lines = describe_design(bank, bank)
    assert sum("D-efficiency 100%" in line for line in lines) == 4


def test_more_orders_do_not_make_a_bank_look_better():
    # three orders of a triple instead of two are half as many answers again; with as
    # many answers the same offers tell as much of the price
    bank = sized_bank(make_pool(), "conjoint", size=48, seed=2)
    lines = describe_design(bank, bank, latin=True)
    [at] = [n for n, line in enumerate(lines) if line.startswith("ternary, log")]
    assert "24 tasks, 72 answers" in lines[at]
    own, was = re.search(r"log_price (\S+) \((\S+)\)", lines[at + 1]).groups()
    assert float(own) / float(was) == pytest.approx(1, abs=0.05)


def test_a_design_too_small_for_its_terms_says_so():
    bank = sized_bank(make_pool(), "fiveopt", size=1, seed=2)
    assert any("D-efficiency" in line for line in describe_design(bank, bank))


@pytest.mark.release
@pytest.mark.parametrize(
    ("kind", "seed", "name"),
    [("conjoint", "2026", "conjoint_tasks.csv"), ("fiveopt", "2027", "tasks_5opt.csv")],
)
def test_the_published_pool_and_seed_give_the_published_bank(
    release_hotel, tmp_path, capsys, kind, seed, name
):
    out = tmp_path / name
    pool = str(release_hotel / "hotel_pool.json")
    options = ["--kind", kind, "--seed", seed, "--pool", pool, "--out", str(out)]
    assert bank(tmp_path, *options) == 0
    published = (release_hotel / name).read_bytes()
    assert out.read_bytes() == published
    assert only_line(capsys.readouterr().out) == hashlib.sha256(published).hexdigest()
    # these seeds are also what is taken where none is given
    assert bank(tmp_path, "--kind", kind, "--pool", pool) == 0
    assert only_line(capsys.readouterr().out) == hashlib.sha256(published).hexdigest()


def test_show_prints_the_exact_question_in_both_orders(capsys):
    assert main(["bank", "hotel", "--size", "24", "--show", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines[0]) == 64  # the bank's hash, alone on its line
    assert lines[2] == "task 2, binary; variant base"
    assert lines[3].startswith("prompt hotel-1, sha256 ")
    orders = [at for at, line in enumerate(lines) if line.startswith("== user, ")]
    assert [lines[at] for at in orders] == [
        "== user, original order",
        "== user, swapped order",
    ]
    first, second = (lines[at:] for at in orders)
    names = [line for line in first if line.startswith("  Hotel: ")]
    # two orders of two cards: the second shows them the other way round
    assert names == [names[0], names[1], names[1], names[0]]
    assert names[0] != names[1]
    assert second[-1].endswith("Answer with the letter alone: A or B.")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--show", "25"], "no task 25 in this bank: it has 1 to 24"),
        (["--show", "0"], "no task 0 in this bank"),
        (["--show", "1", "--variant", "xml"], "variant: no 'xml'; one of base, json"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(arguments, reason, capsys):
    assert main(["bank", "hotel", "--size", "24", *arguments]) == 1
    said = capsys.readouterr().err.strip().splitlines()
    assert reason in said[-1]
