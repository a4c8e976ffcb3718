"""The worked examples of the search method."""

from __future__ import annotations

from search_example import NOTHING, Example, example


@example
def e1_single_item(it: Example) -> None:
    task = it.run.task("25.00", "5.99")
    it.run.listing("a", task, "24.00")
    it.run.listing("b", task, "20.00", "6.95")
    it.expect("a", ref_cost=30.99, oracle_cost=24.00, opportunity=6.99, savings=6.99)
    it.expect("a", capture=1, found=0.225557, recall=True, loo_capture=1.730198)
    it.expect("b", savings=4.04, capture=0.577969, found=0.130365, recall=False)
    it.figures = {"a": {"capture_leave_one_out_median": 1.730198}}


@example
def e2_multipack_reference(it: Example) -> None:
    task = it.run.task("40.00", pack=8)
    it.run.listing("a", task, "24.00", pack=6)
    it.run.listing("b", task, "4.75", pack=1)
    it.expect("a", ref_cost=5, best_cost=4, opportunity=1, capture=1, found=0.2)
    it.expect("b", best_cost=4.75, savings=0.25, capture=0.25, found=0.05)


@example
def e3_single_reference_multipack_offer(it: Example) -> None:
    task = it.run.task("8.00")
    it.run.listing("a", task, "20.00", pack=4)
    it.run.listing("b", task, "7.50", pack=2)
    it.expect("a", **NOTHING, capture=0, oracle_cost=7.5, opportunity=0.5)
    it.expect("b", best_cost=7.5, capture=1, found=0.0625)


@example
def e4_shipping_eats_it(it: Example) -> None:
    task = it.run.task("30.00")
    it.run.listing("a", task, "22.00", "9.99")
    it.expect("a", **NOTHING, opportunity=0, capture=None, oracle_cost=None)


@example
def e5_threshold_is_inclusive(it: Example) -> None:
    it.run.policy_row("shop", "shop.example", threshold="35.00", below_fee="6.99")
    task = it.run.task("34.99", None, url="https://shop.example/p/1")
    page = {"shipping_source": "policy_table"}
    it.run.listing("a", task, "35.00", None, url="https://shop.example/p/2", **page)
    it.expect("a", ref_cost=41.98, best_cost=35, savings=6.98, found=0.166270)


def _behind_a_wall(it: Example) -> str:
    task = it.run.task("20.00")
    walled = {"status": "temporarily_unverifiable", "reason": "blocked"}
    unread = {"price": None, "shipping": None, "http_status": 403, "landed": None}
    hidden = it.run.listing("a", task, "10.00", **walled, page=unread)
    it.run.listing("b", task, "15.00")
    return hidden


@example
def e6_unverifiable(it: Example) -> None:
    _behind_a_wall(it)
    it.expect("a", **NOTHING, oracle_cost=15, opportunity=5, capture=0)
    it.expect("a", capture_bound_lo=0, capture_bound_hi=1)
    it.expect("b", capture=1, capture_bound_lo=0.5, capture_bound_hi=1)


@example
def e6_unverifiable_then_verified_by_a_person(it: Example) -> None:
    hidden = _behind_a_wall(it)
    it.run.rule(hidden, status="verified", price="10.00", shipping="0.00")
    it.expect("a", opportunity=10, capture=1)
    it.expect("b", opportunity=10, capture=0.5)


@example
def e7_one_cent_per_unit(it: Example) -> None:
    it.run.agents = ("a", "b", "c")
    task = it.run.task("30.00", pack=6)
    it.run.listing("a", task, "24.00", pack=6)
    it.run.listing("b", task, "24.06", pack=6)
    it.run.listing("c", task, "24.07", pack=6)
    it.expect("a", oracle_cost=4, recall=True)
    it.expect("b", best_cost=4.01, recall=True, capture=0.99)
    it.expect("c", best_cost=4.011667, recall=False, capture=0.988333)


@example
def e8_prime_turns_the_order(it: Example) -> None:
    task = it.run.task("20.00", "6.99", url="https://amazon.com/dp/B000000001")
    it.run.listing("a", task, "24.00")
    it.run.listing("b", task, "19.00", "6.99", url="https://amazon.com/dp/B000000002")
    it.expect("a", opportunity=2.99, capture=1)
    it.expect("b", savings=1, capture=0.334448)
    it.expect("a", scenario="prime", **NOTHING, ref_cost=20, capture=0)
    it.expect("b", scenario="prime", best_cost=19, opportunity=1, capture=1)


def _two_cheaper(it: Example) -> str:
    task = it.run.task("50.00")
    for track in ("exact", "equiv"):
        it.run.listing("a", task, "44.00", track=track)
        it.run.listing("b", task, "47.00", track=track)
    return task


@example
def e9_before_the_reference_is_corrected(it: Example) -> None:
    _two_cheaper(it)
    it.expect("a", opportunity=6, capture=1)
    it.expect("b", capture=0.5)


@example
def e9_reference_corrected(it: Example) -> None:
    it.run.correct(_two_cheaper(it), price="45.00")
    for track in ("exact", "equiv"):
        it.expect("a", track=track, opportunity=1, capture=1)
        it.expect("b", track=track, **NOTHING, capture=0)


@example
def e10_self_match_and_duplicates(it: Example) -> None:
    task = it.run.task("20.00", url="https://shop.example/p/9")
    own = {"url": "https://shop.example/p/9"}
    it.run.listing(
        "a", task, "19.00", **own, status="rejected", reason="self_match",
        claim={"url": "https://www.shop.example/p/9?utm_source=x"},
    )  # fmt: skip
    # the other page is dearer, and listed twice
    first = it.run.listing("a", task, "21.00", url="https://shop.example/p/10")
    again = it.run.listing("a", task, "21.00", url="https://shop.example/p/10")
    assert first == again
    it.expect("a", **NOTHING, opportunity=0, capture=None)


@example
def e10_the_final_address_is_the_reference(it: Example) -> None:
    task = it.run.task("20.00", url="https://shop.example/p/9")
    it.run.listing("a", task, "19.00", final_url="https://shop.example/p/9")
    it.expect("a", **NOTHING, opportunity=0, capture=None)


@example
def e11_aggregate(it: Example) -> None:
    it.run.agents = ("a", "b")
    for price, best, other in (
        ("50.00", "40.00", None),
        ("100.00", "90.00", "80.00"),
        ("40.00", None, "35.00"),
        ("30.00", None, None),
    ):
        task = it.run.task(price)
        for agent, cost in (("a", best), ("b", other)):
            if cost:
                it.run.listing(agent, task, cost)
    it.figures = {
        "a": {
            **{"savings_capture": 0.5, "savings_found": 0.075, "success_rate": 0.5},
            **{"best_price_recall": 0.333333, "best_price_recall_all": 0.25},
            **{"capture_ratio_of_sums": 0.571429, "only_this_agent_count": 1},
            **{"zero_as_one": 0.625, "zero_as_zero": 0.375},
        }
    }


@example
def e12_bootstrap(it: Example) -> None:
    for best in (None, "45.00", "40.00"):
        task = it.run.task("50.00")
        it.run.listing("b", task, "40.00")
        if best:
            it.run.listing("a", task, best)
    it.figures = {
        "a": {"savings_capture": 0.5, "ci_lo": 0, "ci_hi": 1},
        "b": {"savings_capture": 1, "ci_lo": 1, "ci_hi": 1},
    }


@example
def e13_surcharge(it: Example) -> None:
    it.run.policy_row(
        "club", "club.example", threshold="0.00", at_or_above_fee="0.00",
        surcharge_pct="5",
    )  # fmt: skip
    task = it.run.task("104.00")
    it.run.listing("a", task, "100.00", None, url="https://club.example/p/1")
    it.expect("a", **NOTHING, opportunity=0)


@example
def e13_surcharge_below_the_reference(it: Example) -> None:
    e13_surcharge(it)
    it.run.tasks[0].update(price="106.00", landed="106.00")
    it.outcomes = {}
    it.expect("a", best_cost=105, savings=1, capture=1)


@example
def e14_minimum_order(it: Example) -> None:
    it.run.policy_row(
        "big", "big.example", threshold="0.00", at_or_above_fee="0.00",
        min_order="25.00",
    )  # fmt: skip
    task = it.run.task("8.00")
    it.run.listing("a", task, "6.00", url="https://big.example/p/1")
    it.expect("a", **NOTHING, opportunity=0)
