"""Search runs drawn at random, with prices on a coarse grid so that ties occur."""

from __future__ import annotations

from random import Random
from typing import Any

from search_run import SearchRun

_VOTES = ("VVV", "VVV", "VVI", "VV-", "VI-", "III", "V--", "---")
_PAGES: tuple[dict[str, Any], ...] = (
    *({}, {}, {}, {}, {}),
    {"status": "temporarily_unverifiable", "price": None, "shipping": None},
    {"status": "temporarily_unverifiable", "shipping": None},
    {"status": "needs_human"},
    {"status": "rejected", "availability": "out"},
    *({"currency": "CAD"}, {"shipping": None}, {"availability": "unknown"}),
)


def random_run(random: Random, run_id: str = "random") -> SearchRun:
    """Return a run of some agents on some products, with rulings and corrections."""
    run = SearchRun(run_id, tuple("abcd"[: random.randint(1, 4)]))
    run.policy_row("shop", "shop.example", threshold="12.00", below_fee="3.00")
    for _ in range(random.randint(1, 4)):
        _random_task(run, random)
    for agent in run.agents:
        for task in run.tasks:
            _random_listings(run, random, agent, task["task_id"])
    pages = sorted(run.candidates.get("exact", {}))
    for page in random.sample(pages, len(pages) // 4):
        _random_ruling(run, random, page)
    if random.random() < 0.3:
        run.correct(
            random.choice(run.tasks)["task_id"],
            price=random.choice((None, "9.00", "16.00")),
            pack_count=random.choice((None, 2)),
            void=random.random() < 0.2,
        )
    return run


def _random_task(run: SearchRun, random: Random) -> None:
    number = len(run.tasks) + 1
    host = random.choice(("ref", "amazon"))
    url = {
        "ref": f"https://ref{number}.example/p/{number}",
        "amazon": f"https://amazon.com/dp/B00000000{number}",
    }[host]
    run.task(
        f"{random.randint(8, 20)}.00",
        random.choice(("0.00", "0.00", "3.00")),
        random.choice((None, None, 2, 3, 6)),
        url=url,
    )


def _random_listings(run: SearchRun, random: Random, agent: str, task: str) -> None:
    if random.random() < 0.1:
        run.call(agent, task, random.choice(("transport_error", "refused")))
        return
    for _ in range(random.randint(0, 4)):
        place = random.randint(1, 6)
        url = random.choice(
            (
                f"https://site{place}.example/{task}",
                f"https://amazon.com/dp/C0000{task[1:]}0{place}",
                f"https://shop.example/{task}/{place}",
            )
        )
        if any(
            url == one["url_canonical"]
            for one in run.answered(agent, "exact")[task]["listings"]
        ):
            continue
        run.listing(
            *(agent, task, f"{random.randint(2, 20)}.00"),
            random.choice(("0.00", "0.00", "2.00", None)),
            random.choice((None, 1, 2, 3, 6)),
            votes=random.choice(_VOTES),
            url=url,
            page=random.choice(_PAGES),
        )


def _random_ruling(run: SearchRun, random: Random, page: str) -> None:
    run.rule(
        page,
        random.choice((None, "valid", "invalid")),
        random.choice((None, "verified", "rejected", "temporarily_unverifiable")),
        price=random.choice((None, None, "5.00")),
        shipping=random.choice((None, "0.00")),
        pack_count=random.choice((None, 2)),
    )


def wide_run() -> SearchRun:
    """Return a run of enough products and stores for audited figures.

    On 36 products agent a always finds 10 of 50 dollars, b on two of three, c the same
    but for a call that failed, d nothing; the panel is checked on a random sample of
    one half.
    """
    run = SearchRun("wide", ("a", "b", "c", "d"))
    drawn = {"sampled": True, "inclusion_probability": 0.5}
    for number in range(36):
        task = run.task("50.00")
        run.rule(run.listing("a", task, "40.00"), "valid", **drawn)
        if number % 3:
            run.listing("b", task, "40.00")
            run.listing("c", task, "40.00")
        # of the refused ones, six were valid; no page of them can be bought
        page = run.listing("d", task, "30.00", votes="III", status="rejected")
        run.rule(page, "valid" if number % 6 == 0 else "invalid", **drawn)
    run.call("c", "t001", "transport_error")
    return run
