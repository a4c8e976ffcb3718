"""The README shows what the commands print, and its SQL runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pricebench.cli import main

README = (Path(__file__).parents[2] / "README.md").read_text()


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


@pytest.mark.release
def test_the_board_in_the_readme_is_what_the_release_gives(built_release, capsys):
    assert main(["board", "hotel", "--warehouse", str(built_release)]) == 0
    printed = {line.rstrip() for line in capsys.readouterr().out.splitlines()}
    (picture,) = fenced("text")
    assert len(picture.splitlines()) >= 10
    assert set(picture.splitlines()) <= printed


def test_the_sql_in_the_readme_gives_rows(
    built_demo, built_purchase, built_search_marts, capsys
):
    statements = [
        sql
        for block in fenced("sh")
        for sql in re.findall(r'^pricebench query "(.*?)"$', block, re.DOTALL | re.M)
    ]
    assert len(statements) == 5
    built_for = {"marts.purchase_": built_purchase, "marts.search_": built_search_marts}
    for sql in statements:
        found = (built_for[mart] for mart in built_for if mart in sql)
        built = next(found, built_demo)
        command = ["query", sql, "--format", "csv", "--warehouse", str(built)]
        assert main(command) == 0
        assert len(capsys.readouterr().out.splitlines()) > 2, sql


def test_the_folders_of_the_map_exist():
    root = Path(__file__).parents[2]
    rooms = re.findall(r"^\| `(\w+)/` \|", README, re.MULTILINE)
    assert len(rooms) >= 7
    assert all((root / room).is_dir() for room in rooms)
