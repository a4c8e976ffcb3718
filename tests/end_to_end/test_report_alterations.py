"""Whatever price, vote or ruling of a run is altered, its summaries no longer hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from search_alterations import KINDS, alterations, renamed
from search_folder import example, write

from ingest.search.release import load_search
from pricebench.build import build
from pricebench.errors import CommandError
from pricebench.report import refuse_other
from pricebench.search_summary import summarise

DOZEN = alterations(seed=5, count=12)
# of these a figure rests on the one that is drawn
ALWAYS_COUNT = (
    *("price of a reference", "vote", "ruling on validity", "price by a ruling"),
    "price of a reference by a ruling",
)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory) -> Path:
    """The example and a dozen altered copies, each under a name of its own."""
    folder = tmp_path_factory.mktemp("altered")
    write(folder / "source" / "plain", renamed(example(), "plain"))
    for number, (_, _, files) in enumerate(DOZEN):
        own = f"altered-{number}"
        write(folder / "source" / own, renamed(files, own))
    loaded = load_search(folder / "source", folder / "warehouse.duckdb")
    assert not loaded.errors
    assert not loaded.quarantined_rows
    built = build(
        folder / "warehouse.duckdb", lambda line: None, select=["gate_search_marts"]
    )
    assert built.failures == ()
    return folder / "warehouse.duckdb"


@pytest.fixture(scope="module")
def made(warehouse):
    def summary(run_id: str, files: Mapping[str, bytes], track: str) -> dict:
        with duckdb.connect(str(warehouse), read_only=True) as connection:
            body = summarise(connection, run_id, track, "base")
        other = "equiv" if track == "exact" else "exact"
        hashes = {
            name: hashlib.sha256(data).hexdigest()
            for name, data in files.items()
            if "/" not in name and not name.endswith(f"_{other}.json")
        }
        return body | {"inputs": hashes}

    return summary


@pytest.fixture(scope="module")
def stored(made, tmp_path_factory):
    """The summaries of the example as it was."""
    folder = tmp_path_factory.mktemp("stored")
    for track in ("exact", "equiv"):
        text = json.dumps(made("plain", example(), track))
        (folder / f"summary_{track}.json").write_text(text)
    return folder


def test_a_dozen_covers_every_kind():
    assert len(DOZEN) == 12
    assert {kind for kind, *_ in DOZEN} == set(KINDS)
    assert all(files != example() for *_, files in DOZEN)


def test_what_was_not_altered_holds(made, stored):
    for track in ("exact", "equiv"):
        summary = stored / f"summary_{track}.json"
        refuse_other(summary, made("plain", example(), track))


@pytest.mark.parametrize("number", range(12), ids=[kind for kind, *_ in DOZEN])
def test_what_was_altered_is_found(number, made, stored):
    kind, name, files = DOZEN[number]
    told = []
    for track in ("exact", "equiv"):
        if name.endswith("_exact.json") and track == "equiv":
            continue
        body = made(f"altered-{number}", files, track)
        with pytest.raises(CommandError) as refused:
            refuse_other(stored / f"summary_{track}.json", body)
        told.append(str(refused.value))
    assert all("differs from its artifacts: " in one for one in told)
    figures = [one for one in told if "artifacts: inputs." not in one]
    # a page that was not the best may cost what it likes: then its file is named
    assert figures or f"inputs.{name}: stored " in told[0]
    assert figures or kind not in ALWAYS_COUNT
