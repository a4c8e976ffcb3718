"""Which files are hotel data, and what the name of an answer file says."""

from __future__ import annotations

import json

import pytest

from ingest.hotel.shapes import answer_file, by_basename, is_hotel_data
from ingest.registry import hotel_variants

# tags and file names of the published release, spelled out
PUBLISHED = [
    ("conjoint_results_gemma2_9b.csv", "gemma2_9b", "base", "original"),
    ("conjoint_results_gemma2_9b_swap.csv", "gemma2_9b", "base", "swapped"),
    ("conjoint_results_gemma2_9b_json.csv", "gemma2_9b", "json", "original"),
    ("conjoint_results_gemma2_9b_5opt_swap.csv", "gemma2_9b", "fiveopt", "swapped"),
    (
        "conjoint_results_gemma3_latest_temp07.csv",
        "gemma3_latest",
        "temp07",
        "original",
    ),
    (
        "conjoint_results_openaigpt-5_4-nano_cot.csv",
        "openaigpt-5_4-nano",
        "cot",
        "original",
    ),
    ("conjoint_results_llama3_2_latest.csv", "llama3_2_latest", "base", "original"),
    (
        "conjoint_results_qwen3_30b-a3b-instruct-2507-q4_K_M_swap.csv",
        "qwen3_30b-a3b-instruct-2507-q4_K_M",
        "base",
        "swapped",
    ),
    ("conjoint_results_claude-haiku-4.5.csv", "claude-haiku-4.5", "base", "original"),
]


@pytest.mark.parametrize(("name", "tag", "variant", "ordering"), PUBLISHED)
def test_names_of_the_release(name: str, tag: str, variant: str, ordering: str) -> None:
    found = answer_file(f"some/folder/{name}")
    assert found is not None
    assert (found.tag, found.variant, found.ordering) == (tag, variant, ordering)


def test_run_ids() -> None:
    base = answer_file("conjoint_results_phi_swap.csv")
    json_run = answer_file("conjoint_results_phi_json_swap.csv")
    assert base is not None
    assert json_run is not None
    assert base.run_id == "release/phi"
    assert json_run.run_id == "release/phi/json"
    assert json_run.bank_kind == "conjoint"


def test_a_suffix_alone_is_a_tag() -> None:
    found = answer_file("conjoint_results_json.csv")
    assert found is not None
    assert (found.tag, found.variant) == ("json", "base")


@pytest.mark.parametrize(
    "name",
    [
        "tasks_binary_r2.csv",
        "triage.csv",
        "conjoint_results_.csv",
        "conjoint_results_phi.csv.bak",
        "conjoint_results_phi.txt",
        "my_conjoint_results_phi.csv",
        "conjoint_results_phi (1).csv",
        "conjoint_tasks.csv.gz",
    ],
)
def test_other_names(name: str) -> None:
    assert not is_hotel_data(name)


def test_every_variant_has_a_file_suffix_of_its_own() -> None:
    suffixes = [one.file_suffix for one in hotel_variants().values()]
    assert len(set(suffixes)) == len(suffixes)
    for variant in hotel_variants().values():
        tail = f"_{variant.file_suffix}" if variant.file_suffix else ""
        found = answer_file(f"conjoint_results_some_tag{tail}.csv")
        assert found is not None
        assert (found.tag, found.variant) == ("some_tag", variant.name)


def test_settings_are_those_of_the_variant() -> None:
    # published method: 16 tokens at temperature 0; 512 for cot; 0.7 for temp07
    expected = {"phi": (0.0, 16), "phi_cot": (0.0, 512), "phi_temp07": (0.7, 16)}
    for stem, (temperature, max_tokens) in expected.items():
        found = answer_file(f"conjoint_results_{stem}.csv")
        assert found is not None
        assert json.loads(found.settings) == {
            "temperature": temperature,
            "max_tokens": max_tokens,
        }


def test_names_are_grouped_by_their_last_part() -> None:
    assert by_basename(["b/x.csv", "a/x.csv", "y.csv"]) == {
        "x.csv": ["a/x.csv", "b/x.csv"],
        "y.csv": ["y.csv"],
    }
