"""The made-up run: the same for the same seed, fictitious, and full of variety."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from search_folder import example, read

from ingest.errors import LoadError
from ingest.search.example_agents import AGENTS
from ingest.search.example_run import example_files
from ingest.search.picture import picture
from ingest.search.schemas import TRACKS
from ingest.search.simulation import write_example


def artifacts():
    """Return every JSON artifact by name."""
    return {
        name: read(example(), name)
        for name in example()
        if name.endswith(".json") and "/" not in name
    }


def test_the_same_seed_gives_the_same_run_and_another_another():
    assert example_files(7) == example_files(7)
    other = example_files(8)
    assert other["tasks.json"] != example()["tasks.json"]
    assert json.loads(other["tasks.json"])["run_id"] == "example-8"


def test_every_artifact_is_there_and_reads_well_in_a_comparison():
    names = {name for name in example() if "/" not in name}
    agents = [f"raw_{agent.slug}" for agent in AGENTS]
    by_track = ["candidates", "grades", "audit", "verify_labels", *agents]
    assert names == {
        *("cells.json", "sourcing_log.json", "tasks.json", "shipping_policy.csv"),
        "verify_labels_refs.json",
        *(f"{name}_{track}.json" for name in by_track for track in TRACKS),
    }
    for name, body in artifacts().items():
        text = json.dumps(body, sort_keys=True, indent=2, ensure_ascii=False)
        assert example()[name].decode() == f"{text}\n"
        assert body["source"] == "simulated"


def test_no_shop_exists_but_the_one_that_a_rule_names():
    text = b"\n".join(data for name, data in example().items() if name[-4:] == "json")
    hosts = set(re.findall(r"https?://([^/\"? ]+)", text.decode()))
    assert all(host.endswith(".example") or host == "amazon.com" for host in hosts)
    assert "amazon.com" in hosts


def test_the_run_has_what_the_rules_speak_of():
    grades = [read(example(), f"grades_{track}.json")["grades"] for track in TRACKS]
    verdicts = Counter(one["verdict"] for part in grades for one in part.values())
    assert set(verdicts) == {"valid", "invalid", "no_majority"}
    audits = [read(example(), f"audit_{track}.json")["audits"] for track in TRACKS]
    reasons = Counter(one["reason"] for part in audits for one in part.values())
    assert set(reasons) == {
        *(None, "self_match", "blocked", "out_of_stock", "not_new", "not_usd"),
        *("min_order", "ambiguous_pack", "shipping_unknown"),
    }
    assert any(one["price_mismatch"] for part in audits for one in part.values())
    states = Counter(
        entry["status"]
        for name, body in artifacts().items()
        if name.startswith("raw_")
        for entry in body["entries"].values()
    )
    assert set(states) == {
        *("ok", "empty", "refused", "unparsable", "truncated", "transport_error"),
    }
    tasks = read(example(), "tasks.json")["tasks"]
    assert Counter(task["basis"] for task in tasks) == {"per_unit": 5, "total": 5}
    assert [task["position"] for task in tasks] == sorted(
        task["position"] for task in tasks
    )
    cells = read(example(), "cells.json")["cells"]
    assert Counter(cell["status"] for cell in cells) == {"filled": 10, "unfilled": 2}
    refs = read(example(), "verify_labels_refs.json")["refs"].values()
    assert [one["void"] for one in refs].count(True) == 1
    assert [one["fields"]["price"] for one in refs if not one["void"]] == ["34.49"]


def test_a_person_overturns_settles_samples_and_is_doubted():
    labels = [read(example(), f"verify_labels_{track}.json") for track in TRACKS]
    rulings = [one for part in labels for one in part["labels"].values()]
    codes = {one["reason_code"] for one in rulings if one["overturns_panel"]}
    assert {"R04_COLOR_FASHION", "R11_SAME_PRODUCT", "R12_EQUIVALENT"} <= codes
    assert any(one["fields"]["pack_count"] == 2 for one in rulings)
    sampled = [one for one in rulings if one.get("sampled")]
    assert all(one["inclusion_probability"] == 0.2 for one in sampled)
    agree = [one["blind"]["validity"] == one["ruling"]["validity"] for one in sampled]
    assert {True, False} == set(agree)
    for part in labels:
        assert part["version"] == len(part["history"]) == len(part["labels"]) + 1


def test_a_picture_is_a_small_jpeg():
    data = picture([(10, 20, 30), (200, 100, 0)])
    assert data.startswith(b"\xff\xd8")
    assert data.endswith(b"\xff\xd9")
    # the frame: 64 x 64, three channels of eight bits
    assert b"\xff\xc0\x00\x11\x08\x00\x40\x00\x40\x03" in data
    assert picture([(10, 20, 30)]) != data


def test_writing_the_run_replaces_nothing(tmp_path):
    folder = write_example(tmp_path / "run")
    assert {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    } == example()
    write_example(folder)
    with pytest.raises(LoadError, match=r"holds another .* nothing was written"):
        write_example(folder, seed=8)
    assert (folder / "tasks.json").read_bytes() == example()["tasks.json"]
    (tmp_path / "file").write_text("-")
    with pytest.raises(LoadError, match="cannot be written"):
        write_example(tmp_path / "file" / "run")
