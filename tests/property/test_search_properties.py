"""What must hold of every search run, whatever agents find."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from search_random import random_run
from search_run import SearchRun
from search_scorer import aggregate, score

SCENARIOS = ("base", "prime")
seeds = st.integers(min_value=0, max_value=10**9)
checked = settings(max_examples=60, deadline=None)


def captures(run: SearchRun, scenario: str) -> dict[tuple[str, str], object]:
    return {key: one.capture for key, one in score(run, "exact", scenario).items()}


@checked
@given(seeds, st.sampled_from(SCENARIOS))
def test_captures_lie_between_0_and_1_and_someone_has_1(seed, scenario):
    found = score(random_run(Random(seed)), "exact", scenario)
    for (_, task), one in found.items():
        assert one.capture is None or 0 <= one.capture <= 1
        assert (one.capture is None) == (one.opportunity == 0)
        if one.capture is not None:
            best = [other.capture for (_, t), other in found.items() if t == task]
            assert max(best) == 1


@checked
@given(seeds, st.sampled_from(SCENARIOS))
def test_success_is_savings_and_recall_is_success(seed, scenario):
    for one in score(random_run(Random(seed)), "exact", scenario).values():
        assert one.success == (one.savings > 0)
        assert one.success or not one.recall
        assert one.savings >= 0
        assert 0 <= one.found < 1


@checked
@given(seeds, st.integers(1, 20))
def test_another_candidate_never_lowers_its_finders_savings(seed, price):
    run = random_run(Random(seed))
    before = score(run)
    agent, task = run.agents[0], run.tasks[0]["task_id"]
    run.listing(agent, task, f"{price}.00", pack=2, url="https://new.example/p/1")
    for key, one in score(run).items():
        if key == (agent, task):
            assert one.savings >= before[key].savings
        elif key[1] != task:
            assert one == before[key]


@checked
@given(seeds, st.integers(1, 20), st.sampled_from(SCENARIOS))
def test_another_agent_never_raises_a_capture(seed, price, scenario):
    run = random_run(Random(seed))
    before = captures(run, scenario)
    run.agents = (*run.agents, "new")
    for task in run.tasks:
        run.listing("new", task["task_id"], f"{price}.00", pack=3)
    after = captures(run, scenario)
    for key, capture in before.items():
        if capture is not None:
            assert after[key] is not None
            assert after[key] <= capture


@checked
@given(seeds, st.randoms(use_true_random=False))
def test_order_of_agents_products_and_listings_changes_nothing(seed, random):
    run = random_run(Random(seed))
    mixed = deepcopy(run)
    mixed.agents = tuple(random.sample(run.agents, len(run.agents)))
    random.shuffle(mixed.tasks)
    names = list(mixed.candidates.get("exact", {}))
    random.shuffle(names)
    mixed.candidates = {"exact": {one: run.candidates["exact"][one] for one in names}}
    for entry in (one for own in mixed.entries.values() for one in own.values()):
        random.shuffle(entry["listings"])
    assert score(mixed) == score(run)


@checked
@given(seeds, st.integers(2, 9))
def test_captures_and_shares_do_not_depend_on_the_unit_of_money(seed, times):
    run = random_run(Random(seed))
    before = score(run)
    scaled = deepcopy(run)
    _scale(scaled, times)
    for key, one in score(scaled).items():
        assert one.capture == before[key].capture
        assert one.found == before[key].found
        assert one.savings == times * before[key].savings


@checked
@given(seeds)
def test_figures_are_those_of_their_rows(seed):
    run = random_run(Random(seed))
    found = score(run)
    for agent in run.agents:
        figures = aggregate(found, agent)
        rows = [one for (name, _), one in found.items() if name == agent]
        chances = [one for one in rows if one.opportunity > 0]
        if rows:
            assert figures["savings_found"] * len(rows) == sum(x.found for x in rows)
        if chances:
            saved = sum(x.savings / x.opportunity for x in chances)
            assert figures["savings_capture"] * len(chances) == saved
        lo, hi = figures["capture_bound_lo"], figures["capture_bound_hi"]
        if lo is not None and hi is not None and not any(x.failed for x in rows):
            capture = figures["savings_capture"]
            assert capture is None or lo <= capture <= hi


def _scale(run: SearchRun, times: int) -> None:
    def scale(record, *names):
        for name in names:
            if record.get(name) not in (None, ""):
                record[name] = str(Decimal(record[name]) * times)

    for task in run.tasks:
        scale(task, "price", "landed")
        scale(task["shipping"], "amount", "fees")
    for entry in (one for own in run.entries.values() for one in own.values()):
        for listing in entry["listings"]:
            scale(listing, "item_price", "shipping_price", "landed_price")
    for audit in run.audits.get("exact", {}).values():
        scale(audit, "price", "shipping", "fees", "landed")
    for label in (*run.labels.get("exact", {}).values(), *run.refs.values()):
        scale(label["fields"], "price", "shipping", "fees")
    for row in run.policy:
        scale(row, "threshold", "below_fee", "at_or_above_fee", "min_order")
