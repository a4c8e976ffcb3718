"""The edge cases of the search method, and its rules on rulings and shipping."""

from __future__ import annotations

from search_example import NOTHING, Example, example

# --- rows of the edge-case table


@example
def no_qualifying_finds(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "10.00", votes="III")
    it.run.listing("b", task, "15.00")
    it.expect("a", **NOTHING, capture=0)


@example
def qualifying_but_dearer(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "25.00")
    it.expect("a", **NOTHING, capture=None)


@example
def equal_to_the_reference(it: Example) -> None:
    # 10.00 for 3 is as much a unit as 20.00 for 6
    task = it.run.task("20.00", pack=6)
    it.run.listing("a", task, "10.00", pack=3)
    it.expect("a", **NOTHING, capture=None)


@example
def ties_for_the_oracle(it: Example) -> None:
    task = it.run.task("20.00", pack=6)
    it.run.listing("a", task, "9.00", pack=3)
    it.run.listing("b", task, "18.00", pack=6)
    for agent in ("a", "b"):
        it.expect(agent, capture=1, recall=True, loo_capture=1)


@example
def negative_shipping(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "10.00", "-1.00")
    it.expect("a", **NOTHING, capture=None)


@example
def negative_price(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "-10.00")
    it.expect("a", **NOTHING, capture=None)


@example
def a_negative_claim_leaves_the_page_alone(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "10.00", claim={"item_price": "-10.00"})
    it.expect("a", best_cost=10, capture=1)


@example
def shipping_missing(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "10.00", None)
    it.expect("a", **NOTHING, capture=None)


@example
def currency_not_usd(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "10.00", currency="CAD")
    it.expect("a", **NOTHING, capture=None)


@example
def pack_unknown_and_multipack_reference(it: Example) -> None:
    task = it.run.task("20.00", pack=6)
    page = it.run.listing("a", task, "3.00", pack=None)
    it.run.rule(page, status="verified")
    it.expect("a", **NOTHING, capture=None)


@example
def pack_unknown_and_single_reference(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "3.00", pack=None)
    it.expect("a", best_cost=3, capture=1)


@example
def correction_makes_the_reference_a_multipack(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "3.00", pack=None)
    it.run.listing("b", task, "9.00", pack=3)
    it.run.correct(task, pack_count=4)
    it.expect("a", **NOTHING, ref_cost=5, capture=0)
    it.expect("b", best_cost=3, capture=1)


@example
def same_page_from_several_agents(it: Example) -> None:
    task = it.run.task("20.00")
    for agent in ("a", "b"):
        it.run.listing(agent, task, "10.00", url="https://shop.example/p/1")
    for agent in ("a", "b"):
        it.expect(agent, capture=1, recall=True, success=True)


@example
def same_page_in_both_tracks(it: Example) -> None:
    task = it.run.task("20.00")
    for track, votes in (("exact", "IIV"), ("equiv", "VVI")):
        url = "https://shop.example/p/1"
        it.run.listing("a", task, "10.00", votes=votes, track=track, url=url)
    it.expect("a", **NOTHING, capture=None)
    it.expect("a", track="equiv", capture=1)


@example
def reference_void(it: Example) -> None:
    task, other = it.run.task("20.00"), it.run.task("20.00")
    for track in ("exact", "equiv"):
        for one in (task, other):
            it.run.listing("a", one, "10.00", track=track)
    it.run.correct(task, void=True)
    it.unscored = (task,)
    for track in ("exact", "equiv"):
        it.expect("a", other, track=track, capture=1)


@example
def only_leave_one_out_exceeds_one(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "5.00")
    it.run.listing("b", task, "19.00")
    it.expect("a", capture=1, loo_capture=15)
    it.expect("b", capture=0.066667, loo_capture=0.066667)


@example
def only_one_agent_finds_anything(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "5.00")
    it.expect("a", capture=1, loo_capture=None)
    it.expect("b", **NOTHING, capture=0, loo_capture=0)
    it.figures = {
        "a": {"only_this_agent_count": 1, "capture_leave_one_out_median": None}
    }


# --- rulings


@example
def no_majority_counts_only_after_a_ruling(it: Example) -> None:
    first, second = it.run.task("20.00"), it.run.task("20.00")
    it.run.listing("a", first, "10.00", votes="VI-")
    ruled = it.run.listing("a", second, "10.00", votes="V--")
    it.run.rule(ruled, "valid")
    it.expect("a", first, **NOTHING, capture=None)
    it.expect("a", second, capture=1)


@example
def a_ruling_overturns_the_panel(it: Example) -> None:
    first, second = it.run.task("20.00"), it.run.task("20.00")
    refused = it.run.listing("a", first, "10.00", votes="IIV")
    accepted = it.run.listing("a", second, "10.00", votes="VVV")
    it.run.rule(refused, "valid")
    it.run.rule(accepted, "invalid")
    it.expect("a", first, capture=1)
    it.expect("a", second, **NOTHING, capture=None)


@example
def a_corrected_price_is_looked_up_again(it: Example) -> None:
    it.run.policy_row("shop", "shop.example", threshold="35.00", below_fee="6.99")
    task = it.run.task("60.00")
    page = it.run.listing(
        "a",
        task,
        "40.00",
        url="https://shop.example/p/2",
        shipping_source="policy_table",
    )
    it.run.rule(page, price="30.00")
    it.expect("a", best_cost=36.99)


@example
def a_corrected_price_with_corrected_shipping_is_not(it: Example) -> None:
    a_corrected_price_is_looked_up_again(it)
    (page,) = it.run.labels["exact"]
    it.run.labels["exact"][page]["fields"]["shipping"] = "1.00"
    it.outcomes = {}
    it.expect("a", best_cost=31)


@example
def only_a_ruling_changes_the_status(it: Example) -> None:
    first, second = it.run.task("20.00"), it.run.task("20.00")
    waiting = {"status": "needs_human", "availability": "unknown"}
    corrected = it.run.listing("a", first, "10.00", **waiting)
    ruled = it.run.listing("a", second, "10.00", **waiting)
    it.run.rule(corrected, price="9.00", availability="in_stock")
    it.run.rule(ruled, status="verified", price="9.00", availability="in_stock")
    it.expect("a", first, **NOTHING, capture=None)
    it.expect("a", second, best_cost=9, capture=1)


@example
def the_gravest_status_holds(it: Example) -> None:
    task = it.run.task("20.00")
    it.run.listing("a", task, "10.00", availability="out")
    it.run.listing("a", task, "11.00", http_status=404)
    it.run.listing("a", task, "12.00", condition="used")
    it.run.listing("a", task, "13.00", status="needs_human")
    it.expect("a", **NOTHING, capture=None)


@example
def the_most_specific_row_holds(it: Example) -> None:
    paid = {"threshold": "0.00", "at_or_above_fee": "9.00"}
    free = {"threshold": "0.00", "at_or_above_fee": "1.00"}
    it.run.policy_row("any", "shop.example", **paid)
    it.run.policy_row("own", "shop.example", **paid, seller_scope="first_party")
    it.run.policy_row("food", "shop.example", **free, category_scope="grocery")
    it.run.policy_row("toys", "shop.example", **paid, category_scope="toys_hobby")
    old = {"effective_to": "2026-11-01", "category_scope": "grocery"}
    it.run.policy_row(
        "old", "shop.example", **{**paid, **old}, seller_scope="first_party"
    )
    task = it.run.task("20.00")
    page = {"url": "https://www.shop.example/p/2", "seller_scope": "first_party"}
    it.run.listing("a", task, "10.00", None, **page)
    it.expect("a", best_cost=11)


@example
def the_last_day_of_a_row_is_in_it(it: Example) -> None:
    it.run.policy_row(
        "last", "shop.example", threshold="0.00", at_or_above_fee="1.00",
        effective_to="2026-11-02",
    )  # fmt: skip
    task = it.run.task("20.00")
    it.run.listing("a", task, "10.00", None, url="https://shop.example/p/2")
    it.expect("a", best_cost=11)


@example
def a_failed_call_is_no_find_as_published(it: Example) -> None:
    first, second = it.run.task("20.00"), it.run.task("20.00")
    it.run.listing("a", first, "10.00")
    it.run.call("a", second, "transport_error")
    it.expect("a", second, **NOTHING, capture=None)
    it.figures = {"a": {"success_rate": 0.5}}
