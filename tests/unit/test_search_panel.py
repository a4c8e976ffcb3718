"""Candidates, votes and verdicts: search.md 6.1, 6.3 (re-asking) and 6.4."""

from __future__ import annotations

import pytest

from ingest.search.judges.panel import (
    counted,
    grade_of,
    needed,
    replies_of,
    shuffled,
    vote_of,
    wants_again,
)
from ingest.search.judges.pool import candidate_record, is_judged, is_self, pool
from ingest.search.judges.seats import seats_of
from ingest.search.read_panel import candidate_id

VOTE = {"V": "valid", "I": "invalid", "–": None}


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [
        # the table of search.md 6.4
        ("VVI", "valid"),
        ("V–V", "valid"),
        ("I–I", "invalid"),
        ("VI–", "no_majority"),
        ("V––", "no_majority"),
        ("–––", "no_majority"),
        # row 25 of 10.1: two that survive and disagree; a lost vote is no "no"
        ("–VI", "no_majority"),
        # most of all seats, not of those that answered
        ("VVV––", "valid"),
        ("VV–––", "no_majority"),
        ("IIIVV", "invalid"),
        ("VV", "valid"),
        ("V–", "no_majority"),
        ("VVII", "no_majority"),
        ("I", "invalid"),
    ],
)
def test_most_of_all_seats_decide(votes, verdict):
    found = counted([VOTE[one] for one in votes], len(votes))
    assert found == {
        "n_valid": votes.count("V"),
        "n_invalid": votes.count("I"),
        "n_missing": votes.count("–"),
        "verdict": verdict,
    }


def test_more_than_half_is_needed():
    assert [needed(seats) for seats in (1, 2, 3, 4, 5, 7)] == [1, 2, 2, 3, 3, 4]


def test_each_judge_has_an_order_of_its_own_that_the_seed_decides():
    ids = [f"c_{n:016}" for n in range(20)]
    orders = {judge: shuffled(ids, judge, "7") for judge in "abc"}
    assert len({tuple(order) for order in orders.values()}) == 3
    assert all(sorted(order) == ids for order in orders.values())
    # who found them, and in which order they come, changes nothing
    assert shuffled(reversed(ids), "a", "7") == orders["a"]
    assert shuffled(ids, "a", "8") != orders["a"]


def reply(attempt, verdict, state=None, **more):
    return {
        **{"candidate_id": "c_1", "judge": "a", "attempt": attempt},
        **{"verdict": verdict, "reason": None, "vote_error": None, "reply": "text"},
        "reply_state": state or ("json" if verdict else "invalid"),
        **{"prompt_tokens": 700, "completion_tokens": 30, "cost_usd": 0.0021},
        **{"asked_at": "2026-11-02T17:00:00+00:00", "error": None},
        **more,
    }


LOST = {"state": "failed", "error": "timeout: slow", "cost_usd": None}


def test_a_reply_that_is_no_vote_is_asked_for_once_more():
    silent = reply(1, None, vote_error="ambiguous")
    assert wants_again([silent])
    assert not wants_again([reply(1, "valid")])
    # not before the transport works again: that is no reply
    assert not wants_again([reply(1, None, **LOST)])
    assert vote_of("a", [silent]) is None
    vote = vote_of("a", [silent, reply(2, "invalid")])
    assert (vote["verdict"], vote["attempts"], vote["error"]) == ("invalid", 2, None)
    # both askings are paid for
    assert vote["usage"] == {
        **{"input_tokens": 1400, "output_tokens": 60},
        "cost_usd": "0.004200000",
    }


def test_a_vote_is_missing_after_two_replies_that_are_none():
    both = [reply(1, None, vote_error="no_verdict")]
    both.append(reply(2, None, vote_error="ambiguous", reply="cut \ud83d"))
    vote = vote_of("a", both)
    assert (vote["verdict"], vote["attempts"], vote["error"]) == (None, 2, "ambiguous")
    assert vote["raw"] == "cut \\ud83d"
    assert vote["at"] == "2026-11-02T17:00:00Z"


def test_a_lost_vote_is_missing_until_a_later_session_gets_it():
    lost = reply(1, None, **LOST)
    vote = vote_of("a", [lost])
    assert (vote["verdict"], vote["error"]) == (None, "transport: timeout: slow")
    assert vote_of("a", [lost, reply(1, "valid")])["verdict"] == "valid"
    again = [reply(1, None), reply(2, None, **LOST)]
    assert vote_of("a", again)["error"].startswith("transport")
    assert vote_of("a", [*again, reply(2, "valid")])["verdict"] == "valid"
    assert vote_of("a", []) is None


def test_a_grade_has_its_votes_in_the_order_of_the_seats():
    seats = seats_of("x/a,y/b,z/c")
    votes = {slot: {"judge": slot, "verdict": "valid"} for slot in "cab"}
    grade = grade_of(seats, votes)
    assert [vote["judge"] for vote in grade["votes"]] == ["a", "b", "c"]
    assert (grade["n_valid"], grade["verdict"]) == (3, "valid")


def test_records_are_told_apart_by_candidate_and_seat():
    records = [(2, reply(1, "valid")), (3, {**reply(1, "valid"), "judge": "b"})]
    assert set(replies_of(records)) == {("c_1", "a"), ("c_1", "b")}


REFERENCE = {
    **{"task_id": "t001", "title": "Oat Milk", "image": {"sha256": "f" * 64}},
    "url_canonical": "https://shop.example/p/9",
    "extraction": {"at": "2026-11-02T10:00:00Z"},
}


def listing(agent, rank, url, **more):
    one_id = f"{agent}.exact.t001.{rank:02}"
    return {"listing_id": one_id, "url": url, "url_canonical": None, **more}


def answers(**listings):
    return {
        agent: {"entries": {"t001": {"listings": list(of)}}}
        for agent, of in listings.items()
    }


def test_a_page_that_several_agents_found_is_one_candidate():
    # E10 of search.md 8.3: the same page under two tracking tags
    found = pool(
        answers(
            b=[listing("b", 1, "http://www.other.example/p/2?utm_source=x#top")],
            a=[
                listing(
                    "a", 1, "https://other.example/p/2/?gclid=7", title="Oat\nMilk"
                ),
                listing("a", 2, "https://other.example/p/3", item_price="4.00"),
            ],
        ),
        ["t001"],
    )
    two = candidate_id("t001", "https://other.example/p/2")
    three = candidate_id("t001", "https://other.example/p/3")
    assert set(found) == {two, three}
    assert found[two].listings == {"a.exact.t001.01": "a", "b.exact.t001.01": "b"}
    assert found[two].agent_title == "Oat Milk"
    assert found[three].prices == {"a.exact.t001.02": "4.00"}


@pytest.mark.parametrize(
    "url",
    ["ftp://shop.example/p", "javascript:alert(1)", "shop", "http://localhost/p", None],
)
def test_what_is_no_public_web_page_is_no_candidate(url):
    assert pool(answers(a=[listing("a", 1, url)]), ["t001"]) == {}
    assert pool(answers(a=[listing("a", 1, "https://x.example/p")]), ["t002"]) == {}


def seen(**page):
    return {
        **{"at": "2026-11-02T16:30:00Z", "state": "ok", "http_status": 200},
        **{"final_url": "https://other.example/p/2", "title": "Oat Milk 1 l"},
        **{"image_sha256": "a" * 64, "evidence": None, "error": None},
        **page,
    }


def one_found(url="https://other.example/p/2", title="Claimed"):
    (found,) = pool(answers(a=[listing("a", 1, url, title=title)]), ["t001"]).values()
    return found


def test_a_page_that_was_read_gives_title_and_picture():
    record = candidate_record(one_found(), REFERENCE, seen())
    assert (record["title"], record["title_source"]) == ("Oat Milk 1 l", "page")
    assert (record["image_sha256"], record["image_missing"]) == ("a" * 64, False)
    # frozen at 10:00, looked at at 16:30
    assert record["lag_hours"] == 6.5
    assert is_judged(record)


def test_a_page_that_was_not_read_goes_by_an_agents_title_without_a_picture():
    wall = seen(state="blocked", title=None, http_status=403)
    record = candidate_record(one_found(), REFERENCE, wall)
    assert (record["title"], record["title_source"]) == ("Claimed", "agent")
    assert (record["image_sha256"], record["image_missing"]) == (None, True)
    assert is_judged(record)


def test_a_dead_link_is_not_judged():
    assert not is_judged(candidate_record(one_found(), REFERENCE, seen(state="dead")))


@pytest.mark.parametrize(
    ("listed", "final"),
    [
        ("https://www.shop.example/p/9?utm_source=x", None),
        ("https://go.example/x", "https://www.shop.example/p/9/?ref=go"),
    ],
)
def test_the_reference_itself_is_not_judged_listed_or_redirected_to(listed, final):
    found = one_found(listed)
    record = candidate_record(found, REFERENCE, final and seen(final_url=final))
    assert record["self_match"]
    assert is_self(found, REFERENCE, final)
    assert not is_judged(record)
