"""What a run says where replies came from the cache."""

from __future__ import annotations

import pytest

from ingest.run_calls import Tally
from pricebench.run import _left
from pricebench.run_print import describe_pilot, describe_tally


def pilot(cached, sent, **more):
    """Return a pilot of 16 whose calls cost 25 cents and took 3 seconds each."""
    return Tally(
        16,
        asked=cached + sent,
        cached=cached,
        states={"letter": cached + sent},
        session_usd=0.25 * sent,
        latency_s=[3.0] * sent,
        **more,
    )


def test_a_tally_counts_what_the_cache_answered():
    said = describe_tally(pilot(10, 6))
    assert said == "16 of 16 answered; 10 from the cache; $0.0000 spent"
    assert "cache" not in describe_tally(pilot(0, 16))


def test_a_pilot_is_estimated_from_what_was_sent_alone():
    # 4 calls of 25 cents in 8 seconds, so 2 seconds a call; 600 calls
    said = describe_pilot(pilot(12, 4), 600, 8.0).splitlines()
    assert said[1:] == [
        "valid replies: 16 of 16",
        "cost of 600 calls: about $150.00",
        "time: about 20 min (median reply 3.0 s)",
        "cost and time are those of the 4 calls sent now, not of the 12 from the cache",
    ]


def test_a_pilot_that_the_cache_knows_estimates_nothing():
    said = describe_pilot(pilot(16, 0), 600, 0.1)
    assert said.splitlines()[1:] == [
        "valid replies: 16 of 16",
        "cost and time of 600 calls: unknown, every reply is from the cache",
    ]


def test_a_pilot_without_a_cache_says_nothing_of_one():
    # 16 calls in 8 seconds: half a second a call
    said = describe_pilot(pilot(0, 16), 600, 8.0).splitlines()
    assert said[2:] == [
        "cost of 600 calls: about $150.00",
        "time: about 5 min (median reply 3.0 s)",
    ]


@pytest.mark.parametrize(
    ("cached", "sent", "shown"),
    # 4 calls in 8 seconds and 90 left: 180 seconds, whatever the cache knew
    [(0, 4, "3 min"), (6, 4, "3 min"), (6, 0, "?")],
)
def test_what_is_left_is_told_from_what_was_sent(cached, sent, shown):
    tally = pilot(cached, sent)
    tally.wanted = tally.asked + 90
    assert _left(tally, 8.0) == shown
