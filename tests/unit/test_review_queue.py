"""The order in which a person rules, by hand on small products."""

from __future__ import annotations

from fractions import Fraction

from pricebench.review.queue import Offer, work_on

TASKS = ("t2", "t1")


def offer(name: str, cost: int | None, **changes) -> Offer:
    values = {
        **{"candidate_id": name, "task_id": "t1", "finders": frozenset("a")},
        **{"panel_verdict": "valid", "validity": "valid", "status": "verified"},
        **{"ruled_validity": None, "ruled_status": None},
        "costs": (None if cost is None else Fraction(cost),) * 2,
        "references": (Fraction(10), Fraction(10)),
        **changes,
    }
    return Offer(**values)


def settled(name: str, cost: int, **changes) -> Offer:
    return offer(name, cost, ruled_validity="valid", **changes)


def queue(*offers: Offer) -> tuple[str, ...]:
    return work_on(offers, TASKS).queue


def test_pages_without_a_majority_come_first_then_the_cheapest():
    nobody = {"panel_verdict": "no_majority", "validity": "no_majority"}
    assert queue(
        offer("dear", 9), offer("cheap", 3), offer("open", 8, **nobody), offer("mid", 5)
    ) == ("open", "cheap", "mid", "dear")


def test_products_come_in_the_order_of_the_run():
    assert queue(offer("one", 3), offer("two", 9, task_id="t2")) == ("two", "one")


def test_what_is_not_cheaper_than_the_reference_is_optional():
    found = work_on([offer("same", 10), offer("less", 9)], TASKS)
    assert (found.queue, found.optional) == (("less",), ("same",))


def test_what_a_panel_or_a_page_refused_is_optional():
    found = work_on(
        [
            offer("refused", 3, panel_verdict="invalid", validity="invalid"),
            offer("sold_out", 3, status="rejected"),
        ],
        TASKS,
    )
    assert found.queue == ()
    assert found.optional == ("refused", "sold_out")


def test_the_rest_is_optional_once_an_agents_cheapest_is_settled():
    own, other = frozenset("a"), frozenset("b")
    found = work_on(
        [
            settled("best", 3, finders=own),
            offer("dearer", 5, finders=own),
            offer("of_both", 5, finders=own | other),
            offer("cheaper", 2, finders=own),
        ],
        TASKS,
    )
    assert found.queue == ("cheaper", "of_both")
    assert (found.optional, found.settled) == (("dearer",), ("best",))


def test_an_unknown_cost_is_never_too_dear():
    assert queue(settled("best", 3), offer("open", None, status="needs_human")) == (
        "open",
    )


def test_the_queue_is_the_union_of_base_and_prime():
    def costs(base: int, prime: int) -> tuple[Fraction, Fraction]:
        return Fraction(base), Fraction(prime)

    assert queue(offer("prime_only", 0, costs=costs(12, 6))) == ("prime_only",)
    # 4 is settled in base; with free shipping the other one costs 3 against 4
    assert queue(settled("best", 4), offer("other", 0, costs=costs(7, 3))) == ("other",)


def test_a_ruling_that_does_not_hold_is_asked_again():
    again = settled("flip", 3, ruled_status="verified", status="needs_human")
    assert queue(again) == ("flip",)
    waits = settled("later", 3, status="temporarily_unverifiable")
    assert queue(waits) == ("later",)
    told = settled(
        "told",
        3,
        ruled_status="temporarily_unverifiable",
        status="temporarily_unverifiable",
    )
    assert work_on([told], TASKS).settled == ("told",)


def test_a_ruling_on_the_status_alone_leaves_the_validity_open():
    half = offer("half", 3, ruled_status="verified")
    assert queue(half) == ("half",)
    assert work_on(
        [offer("gone", 3, ruled_status="rejected", status="rejected")], TASKS
    ).settled == ("gone",)


def test_a_void_product_needs_nobody():
    nobody = {"panel_verdict": "no_majority", "validity": "no_majority"}
    found = work_on([offer("void", 3, is_void=True, **nobody)], TASKS)
    assert (found.queue, found.optional) == ((), ("void",))


def test_nothing_found_is_nothing_to_do():
    assert work_on([], TASKS) == work_on([], ())
