"""The random sample that tells how often a panel errs."""

from __future__ import annotations

import pytest

from pricebench.errors import CommandError
from pricebench.review.sample import draw, marked, share_of, stored, waiting


def verdicts(valid: int, invalid: int, nobody: int = 0) -> dict[str, str]:
    made = ["valid"] * valid + ["invalid"] * invalid + ["no_majority"] * nobody
    return {f"c_{number:04}": verdict for number, verdict in enumerate(made)}


def test_a_share_of_each_verdict_is_drawn_and_at_least_thirty_or_all():
    among = verdicts(1000, 400, 12)
    chances = draw(among, 0.05, 7, "exact")
    size = {
        verdict: sum(among[one] == verdict for one in chances)
        for verdict in ("valid", "invalid", "no_majority")
    }
    # 5 % of 1000 are 50; of 400 they are 20, below 30; of 12 all are drawn
    assert size == {"valid": 50, "invalid": 30, "no_majority": 12}
    by_verdict = {among[one]: chance for one, chance in chances.items()}
    assert by_verdict == {"valid": 0.05, "invalid": 0.075, "no_majority": 1.0}


def test_the_weights_of_a_sample_add_up_to_the_run():
    among = verdicts(1000, 400, 12)
    weights = sum(1 / chance for chance in draw(among, 0.05, 7, "exact").values())
    assert weights == pytest.approx(1412)


def test_a_seed_draws_the_same_and_tracks_are_drawn_apart():
    among = verdicts(500, 500)
    first = draw(among, 0.1, 7, "exact")
    assert draw(dict(reversed(among.items())), 0.1, 7, "exact") == first
    assert draw(among, 0.1, 8, "exact") != first
    assert draw(among, 0.1, 7, "equiv") != first


def test_every_candidate_is_drawn_as_often_as_its_chance_says():
    # 30 of 60: over 400 seeds a candidate is drawn 200 times, give or take 10 (one
    # standard deviation of the binomial, sqrt(400 / 4))
    counts = dict.fromkeys(verdicts(60, 0), 0)
    for seed in range(400):
        for one in draw(verdicts(60, 0), 0.05, seed, "exact"):
            counts[one] += 1
    assert sum(counts.values()) == 400 * 30
    assert min(counts.values()) > 150
    assert max(counts.values()) < 250


@pytest.mark.parametrize(
    ("text", "share"), [("5%", 0.05), ("100 %", 1), ("0.5%", 0.005)]
)
def test_a_share_is_read(text, share):
    assert share_of(text) == share


@pytest.mark.parametrize("text", ["5", "0%", "101%", "-5%", "5%%", "", "nan%"])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(CommandError, match="such as 5%"):
        share_of(text)


def test_a_draw_is_kept_and_marks_labels():
    body = {
        "sample": {"share": 0.05, "seed": 7, "chances": {"c_1": 0.5, "c_2": 0.5}},
        "labels": {"c_3": {"sampled": True, "inclusion_probability": 0.2}, "c_4": {}},
    }
    assert stored(body) == {"c_1": 0.5, "c_2": 0.5, "c_3": 0.2}
    assert stored({"labels": {}}) == {}
    assert marked({"note": "n"}, "c_1", stored(body)) == {
        **{"note": "n", "sampled": True, "inclusion_probability": 0.5},
    }
    assert marked({"note": "n"}, "c_9", stored(body)) == {"note": "n"}


def test_what_waits_for_its_validity_is_in_an_order_that_tells_nothing():
    labels = {
        "c_1": {"ruling": {"validity": "valid"}},
        "c_2": {"ruling": {"validity": None}},
    }
    assert waiting(["c_3", "c_2", "c_1"], labels) == ["c_2", "c_3"]
