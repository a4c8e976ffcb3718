"""`pricebench bank search` as a person meets it."""

from __future__ import annotations

import json

import pytest

from pricebench.cli import main


def test_the_hash_stands_alone_and_the_grid_is_written_with_its_header(
    tmp_path, capsys
):
    out = tmp_path / "mine"
    assert main(["bank", "search", "--seed", "pricebench-v1", "--out", str(out)]) == 0
    captured = capsys.readouterr()
    body = json.loads((out / "cells.json").read_text())
    assert captured.out == f"{body['grid_sha256']}\n"
    assert body["schema"] == "search-bench/cells/1"
    assert (body["run_id"], body["n"], body["seed"]) == ("mine", 100, "pricebench-v1")
    assert body["cells"][0] == {
        **{"cell_id": "home_depot.furniture_home.01", "position": 0},
        **{"retailer": "home_depot", "kind": "locked", "category": "furniture_home"},
        **{"subcategory": None, "stratum": None, "status": "planned"},
        "source_list": {"name": "best sellers: furniture_home", "url": None},
    }
    row = next(one for one in captured.err.splitlines() if one.startswith("amazon"))
    assert row.split() == ["amazon", *"8856438"]
    # a row for each list that the grid needs; the parts of `other` have their own
    rows = (out / "sources" / "lists.csv").read_text().splitlines()
    assert "chewy,other,pet,best sellers: pet,,,," in rows
    assert "apple,electronics,,best sellers: electronics,,,," in rows
    assert not any(one.startswith("longtail") for one in rows)


def test_the_same_grid_again_leaves_what_was_found_and_another_is_refused(
    tmp_path, capsys
):
    out = tmp_path / "mine"
    typed = ["bank", "search", "--size", "10", "--out", str(out)]
    assert main(typed) == 0
    path = out / "cells.json"
    found = path.read_text().replace('"planned"', '"filled"', 1)
    path.write_text(found)
    assert main(typed) == 0
    assert path.read_text() == found
    capsys.readouterr()
    assert main([*typed, "--seed", "other"]) == 1
    assert "holds another grid" in capsys.readouterr().err.splitlines()[-1]
    assert path.read_text() == found


def test_both_methods_and_any_weights_may_be_asked_for(tmp_path, capsys):
    assert main(["bank", "search", "--grid-method", "retailer_major"]) == 0
    lines = capsys.readouterr().err.splitlines()
    row = next(one for one in lines if one.startswith("amazon"))
    assert row.split() == ["amazon", "11", "11", "6", "5", "2", "0", "7"]
    shops = tmp_path / "shops.csv"
    shops.write_text(
        "retailer,weight,kind,allowed_categories,domains,own_brands,brand_optional\n"
        "only,1,locked,toys_hobby,only.example,false,false\n"
    )
    assert main(["bank", "search", "--size", "5", "--retailers", str(shops)]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    # of 5 cells toys have 0.35, so none: the other remainders are larger
    assert "no room for 5 cells of only in toys_hobby (0)" in error


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["--size", "0"], "a grid has 1 to 10,000 cells, not 0"),
        (["--retailers", "no.csv"], "cannot read no.csv (No such file"),
    ],
)
def test_what_cannot_be_made_is_one_line(typed, says, capsys):
    assert main(["bank", "search", *typed]) == 1
    captured = capsys.readouterr()
    assert says in captured.err.splitlines()[-1]
    assert captured.out == ""


@pytest.mark.parametrize("name", ["cells.json", "retailers.csv"])
def test_a_grid_that_was_changed_by_hand_is_refused(name, tmp_path, capsys):
    out = tmp_path / "mine"
    typed = ["bank", "search", "--size", "3", "--out", str(out)]
    assert main(typed) == 0
    path = out / name
    path.write_text(path.read_text().replace("amazon", "amazing"))
    assert main(typed) == 1
    says = "was changed by hand" if name == "cells.json" else "is not what cells.json"
    assert says in capsys.readouterr().err.splitlines()[-1]
