"""Ruling the queue alone gives the scores of ruling on everything."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import asdict
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from search_random import random_run
from search_run import SearchRun
from search_scorer import score
from search_settle import majority, reference_cost, settle

from pricebench.review.queue import Offer, Worklist, work_on

SCENARIOS = ("base", "prime")
checked = settings(max_examples=150, deadline=None)


def offers_of(run: SearchRun) -> list[Offer]:
    """The candidates of a run by the plain scorer, which shares no code with it."""
    tasks = {task["task_id"]: task for task in run.tasks}
    made = []
    for one_id, record in run.candidates.get("exact", {}).items():
        task = tasks[record["task_id"]]
        costs, references = [], []
        for scenario in SCENARIOS:
            ref, units = reference_cost(task, run.refs, run.policy, scenario)
            found = settle(run, "exact", scenario, task, one_id, units)
            costs.append(found.cost)
            references.append(ref)
        ruling = run.labels.get("exact", {}).get(one_id, {}).get("ruling", {})
        if found.is_self:
            continue
        made.append(
            Offer(
                candidate_id=one_id,
                task_id=task["task_id"],
                finders=found.finders,
                panel_verdict=majority(run, "exact", one_id),
                validity=found.validity,
                status=found.status,
                ruled_validity=ruling.get("validity"),
                ruled_status=ruling.get("status"),
                costs=tuple(costs),
                references=tuple(references),
                claimed=found.possible,
                is_void=run.refs.get(task["task_id"], {}).get("void", False),
            )
        )
    return made


def worklist(run: SearchRun) -> Worklist:
    return work_on(offers_of(run), [task["task_id"] for task in run.tasks])


def decide(run: SearchRun, one_id: str, truth: dict[str, Any]) -> None:
    """A person rules on a candidate: what is known of its cost is left as it is."""
    (offer,) = (one for one in offers_of(run) if one.candidate_id == one_id)
    before = run.labels.get("exact", {}).get(one_id, {}).get("fields", {})
    fields = {name: value for name, value in before.items() if value is not None}
    status = None if offer.status == "rejected" else truth["status"]
    audit = run.audits["exact"][one_id]
    if status == "verified" and None in offer.costs:
        for name in ("price", "shipping", "pack_count"):
            if audit[name] is None and name not in fields:
                fields[name] = truth[name]
    run.rule(one_id, truth["validity"], status, **fields)


def truths(run: SearchRun, random: Random) -> dict[str, dict[str, Any]]:
    return {
        one_id: {
            "validity": random.choice(("valid", "valid", "invalid")),
            "status": random.choice(
                ("verified", "verified", "rejected", "temporarily_unverifiable")
            ),
            "price": f"{random.randint(2, 20)}.00",
            "shipping": random.choice(("0.00", "2.00")),
            "pack_count": random.randint(1, 6),
        }
        for one_id in sorted(run.candidates.get("exact", {}))
    }


def figures(run: SearchRun) -> dict[Any, Any]:
    return {
        (scenario, *key): {k: v for k, v in asdict(one).items() if k != "ties"}
        for scenario in SCENARIOS
        for key, one in score(run, "exact", scenario).items()
    }


@checked
@given(st.integers(min_value=0, max_value=10**9))
def test_ruling_the_queue_gives_the_scores_of_ruling_everything(seed):
    random = Random(seed)
    run = random_run(random)
    truth = truths(run, random)
    by_queue, everything = deepcopy(run), deepcopy(run)
    rulings = 0
    while waiting := worklist(by_queue).queue:
        decide(by_queue, waiting[0], truth[waiting[0]])
        rulings += 1
        assert rulings <= len(truth)  # each ruling settles its page
    for offer in offers_of(run):
        if not offer.is_settled and offer.panel_verdict != "invalid":
            decide(everything, offer.candidate_id, truth[offer.candidate_id])
    assert figures(by_queue) == figures(everything)


@checked
@given(st.integers(min_value=0, max_value=10**9))
def test_every_candidate_stands_in_one_part(seed):
    run = random_run(Random(seed))
    found = worklist(run)
    everything = [one.candidate_id for one in offers_of(run)]
    assert sorted([*found.queue, *found.optional, *found.settled]) == sorted(everything)


def test_the_queue_is_shorter_than_the_run():
    random = Random(3)
    queued = wide = 0
    for _ in range(40):
        run = random_run(random)
        queued += len(worklist(run).queue)
        wide += len(offers_of(run))
    assert 0 < queued < 0.8 * wide
