"""Scripted models over sockets: what they choose, what they state, how they fail."""

from __future__ import annotations

import asyncio
import json
import math
from statistics import fmean

import httpx
import numpy as np
import pytest

from ingest.calls import Question, Settings
from ingest.hotel.bank import ORDERINGS
from ingest.hotel.pool import make_pool
from ingest.hotel.prompt import make_prompt, option_letters
from ingest.hotel.reply import read_reply
from ingest.hotel.shoppers import Shopper, shown_shares
from ingest.hotel.simulation import simulated_bank
from ingest.llm import Model, SetupRefused, litellm
from ingest.purchase.bank import make_bank
from ingest.purchase.prompt import make_prompt as ask_purchase
from ingest.purchase.reply import read_reply as read_purchase_reply
from ingest.purchase.scenario import LABELS, best_option, expected_values
from ingest.registry import hotel_variants
from ingest.world.chat import Chat
from ingest.world.hotel_question import read_hotel_question, thinks_aloud
from ingest.world.judges import JUDGES
from ingest.world.manners import MANNERS
from ingest.world.purchase_question import read_purchase_question
from ingest.world.scripts import find_script, letter_shares, say, scripts
from ingest.world.server import serving

BANK = simulated_bank(make_pool(), tasks=30)
HOTEL = make_prompt(BANK[0], "original")
SCENARIOS = make_bank()


@pytest.fixture(scope="module")
def world():
    litellm()  # its import takes seconds that no time limit should count
    with serving() as served:
        yield served


def ask(world, model, prompts, *, timeout_s=20.0, waits=None, **settings):
    async def sleep(seconds):
        if waits is not None:
            waits.append(seconds)

    async def work():
        wanted = Settings(model, api_base=world.api_base, **settings)
        asked = Model(wanted, timeout_s=timeout_s, sleep=sleep)
        questions = [Question(prompt) for prompt in prompts]
        return await asyncio.gather(*(asked.ask(one) for one in questions))

    return asyncio.run(work())


@pytest.mark.parametrize("variant", hotel_variants())
def test_a_booking_is_read_back_from_every_prompt(variant):
    for task in BANK:
        for ordering in ORDERINGS:
            text = make_prompt(task, ordering, variant)
            read = read_hotel_question(text)
            shown = task.options if ordering == "original" else task.options[::-1]
            assert read.task_type == task.task_type
            # ids of hotels stand in no prompt
            assert read.options == tuple(one._replace(hotel_id=0) for one in shown)
            assert thinks_aloud(text) == (variant == "cot")


def test_a_decision_is_read_back_from_every_prompt():
    for scenario in [*SCENARIOS, *make_bank(20, 5)]:
        for label in LABELS:
            read = read_purchase_question(ask_purchase(scenario, label).user)
            assert read == (scenario.terms, label)
    assert read_purchase_question(HOTEL) is None
    assert read_hotel_question(ask_purchase(SCENARIOS[0], "A").user) is None


def test_every_variant_gets_the_reply_it_asks_for():
    for variant in hotel_variants():
        thinks = variant == "cot"
        for task in BANK[:20]:
            prompt = make_prompt(task, "original", variant)
            said = say(find_script("simulated/balanced"), prompt)
            letters = option_letters(task.task_type)
            read = read_reply(said.text, letters, thinks_aloud=thinks)
            assert (read.letter, read.state) == (said.choice, "letter")
            assert (said.text == said.choice) == (not thinks)


def test_a_shopper_over_sockets_books_as_often_as_its_tastes_say(world):
    prompts = [make_prompt(task, order) for task in BANK for order in ORDERINGS]
    answers = ask(world, "simulated/second-card-taker", prompts)
    booked = [answer.text for answer in answers]
    assert set(booked) <= {"A", "B", "C"}
    # one answer a prompt: the count of B is a sum of independent draws with these
    # chances, and four standard deviations of it are missed once in 16,000 seeds
    script = find_script("simulated/second-card-taker")
    shares = [letter_shares(script, prompt)["B"] for prompt in prompts]
    spread = math.sqrt(sum(p * (1 - p) for p in shares))
    assert abs(booked.count("B") - sum(shares)) < 4 * spread
    assert fmean(shares) > 0.8


def test_chances_of_the_letters_are_those_of_the_logit():
    stars = Shopper("simulated/stars", {"stars": 1.0})
    for task in BANK:
        shares = shown_shares(task, stars, np.random.default_rng(1))
        odds = [math.exp(one.stars) for one in task.options]
        expected = [one / sum(odds) for one in odds]
        assert shares == pytest.approx(expected, rel=1e-12)


def test_the_decided_take_what_is_worth_most_and_the_locked_their_card():
    # tastes vary by group of hotels, but not those of a decided shopper: it takes what
    # is worth most to the mean taste, and the terms of the balanced one are these
    tastes = {"stars": 0.8, "cancel": 0.5, "breakfast": 0.4, "review_score": 1.5}
    decided = find_script("simulated/balanced-decided")
    for task in BANK:
        worth = [
            sum(
                (
                    tastes["stars"] * one.stars,
                    tastes["cancel"] * one.cancellation_free,
                    tastes["breakfast"] * one.breakfast_included,
                    tastes["review_score"] * one.review_score,
                    0.01 * one.review_count / 100,
                    -3.0 * math.log(one.price),
                    0.2 * _bed(one.room_type),
                )
            )
            for one in task.options
        ]
        best = "ABC"[worth.index(max(worth))]
        assert say(decided, make_prompt(task, "original")).text == best
    shares = letter_shares(find_script("simulated/first-card-locked"), HOTEL)
    assert shares == {"A": 1.0, "B": 0.0}


def _bed(room):
    ranks = {"king": 3, "queen": 2, "twin": 0, "single": 0}
    return next((rank for bed, rank in ranks.items() if bed in room.lower()), 1)


def test_tastes_are_the_same_for_all_tasks_of_a_group_and_no_others():
    script = find_script("simulated/balanced")
    shown = [letter_shares(script, make_prompt(BANK[0], order)) for order in ORDERINGS]
    # no leaning: a hotel's chance does not depend on its slot
    assert shown[0]["A"] == pytest.approx(shown[1]["B"], rel=1e-12)


def test_a_question_has_one_answer_and_a_seed_another_draw():
    script = find_script("simulated/near-indifferent")
    assert say(script, HOTEL) == say(script, HOTEL)
    drawn = {say(script, HOTEL, seed).text for seed in range(40)}
    assert drawn == {"A", "B"}


def test_the_rational_buyer_takes_the_best_option_of_all_192_questions(world):
    asked = [(scenario, label) for label in LABELS for scenario in SCENARIOS]
    assert len(asked) == 192
    rational = find_script("simulated/rational")
    for scenario, label in asked:
        text = say(rational, ask_purchase(scenario, label).user).text
        values = expected_values(scenario.terms, bonded=label == "B")
        read = read_purchase_reply(text)
        assert (read.state, read.choice) == ("json", best_option(values))
    prompts = [ask_purchase(*one).user for one in asked[::8]]
    answers = ask(world, "simulated/rational", prompts)
    assert [one.text for one in answers] == [
        say(rational, prompt).text for prompt in prompts
    ]


def test_habits_of_buyers_show_where_they_should():
    def choices(model, label):
        script = find_script(model)
        prompts = [ask_purchase(one, label).user for one in SCENARIOS]
        return [say(script, prompt).choice for prompt in prompts]

    best = [one.optimal for one in SCENARIOS]
    assert choices("simulated/always-skip", "none") == ["skip"] * 48
    assert choices("simulated/bond-blind", "B") == best
    # a pull of 1: the badge decides every time, and nothing else does
    assert choices("simulated/badge-swayed-1", "D") == ["certificate"] * 48
    assert choices("simulated/badge-swayed-1", "none") == best


def test_every_model_answers_both_instruments():
    prompt = ask_purchase(SCENARIOS[0], "none").user
    for script in scripts().values():
        assert say(script, prompt) is not None
        assert say(script, HOTEL) is not None
    assert find_script("simulated/spent-budget") is None
    assert find_script("simulated/nobody-0.3") is None
    assert find_script("openai/rational") is None


def test_usage_cost_and_likely_tokens_are_stated(world):
    (answer,) = ask(world, "simulated/balanced", [HOTEL], logprobs=True)
    prompt_tokens = math.ceil(len(HOTEL) / 4)
    assert (answer.prompt_tokens, answer.completion_tokens) == (prompt_tokens, 1)
    # $0.10 and $0.40 a million
    cost = (prompt_tokens * 0.10 + 1 * 0.40) / 1e6
    assert answer.cost_usd == pytest.approx(cost, rel=1e-12)
    assert answer.cost_source == "endpoint"
    assert (answer.provider, answer.finish) == ("simulated", "stop")
    shares = letter_shares(find_script("simulated/balanced"), HOTEL)
    logs = {letter: math.log(share) for letter, share in shares.items()}
    assert answer.first_tokens == pytest.approx(logs, rel=1e-12)


def test_a_storm_passes_and_says_how_long_to_wait(world):
    waits = []
    model = "simulated/balanced+storm"
    (answer,) = ask(world, model, [HOTEL], waits=waits)
    assert answer.text == say(find_script("simulated/balanced"), HOTEL).text
    assert [one.status for one in answer.attempts] == [429, 429, None]
    assert waits == [1.0, 1.0]
    assert world.door.calls[model] == 3
    assert httpx.get(f"{world.address}/calls").json()[model] == 3


@pytest.mark.parametrize(
    ("manner", "says", "attempts"),
    [
        ("hang", "timeout", 4),
        ("half-body", "Connection error", 4),
        ("html", "Bad gateway", 4),
        ("error-body", "upstream failed", 4),
        ("overloaded", "overloaded", 4),
        ("no-choices", "no choices", 4),
    ],
)
def test_a_model_fails_as_its_manner_says(world, manner, says, attempts):
    timeout = 0.4 if manner == "hang" else 20.0
    model = f"simulated/balanced+{manner}"
    (answer,) = ask(world, model, [HOTEL], timeout_s=timeout)
    assert answer.text is None
    assert says in answer.error
    assert len(answer.attempts) == attempts == world.door.calls[model]


def test_replies_may_be_hard_to_read(world):
    def read(manner, prompt, reader):
        (answer,) = ask(world, f"simulated/balanced+{manner}", [prompt])
        return answer.finish, reader(answer.text).state

    def hotel(text):
        return read_reply(text, ("A", "B"))

    decision = ask_purchase(SCENARIOS[0], "none").user
    assert read("prose", HOTEL, hotel) == ("stop", "salvaged")
    assert read("prose", decision, read_purchase_reply) == ("stop", "json_embedded")
    assert read("mumble", HOTEL, hotel) == ("stop", "invalid")
    assert read("mumble", decision, read_purchase_reply) == ("stop", "invalid")
    assert read("cut-off", HOTEL, hotel) == ("length", "invalid")
    assert read("cut-off", decision, read_purchase_reply) == ("length", "salvaged")


def test_settings_may_be_refused_and_costs_left_open(world):
    model = "simulated/balanced+refuses-temperature+refuses-seed+free"
    settings = {"temperature": 0.0, "seed": 5, "top_p": 1.0}
    (answer,) = ask(world, model, [HOTEL], **settings)
    assert answer.not_accepted == ("seed", "temperature")
    assert answer.text in ("A", "B")
    assert (answer.prompt_tokens, answer.cost_source) in ((None, None), (0, None))


def test_failing_calls_fail_as_often_as_scripted(world):
    chat = Chat()
    prompts = [ask_purchase(one, label).user for one in SCENARIOS for label in LABELS]
    body = {"model": "simulated/failing-calls"}
    sent = [
        chat.answer({**body, "messages": [{"role": "user", "content": text}]})
        for text in prompts
    ]
    failed = [one for one in sent if one.status == 503]
    # 192 draws with chance 0.2: 38.4 on average, standard deviation 5.54; four of them
    assert abs(len(failed) - 38.4) < 22.2
    assert all(one.headers == {"retry-after": "0"} for one in failed)


def test_who_does_not_exist_cannot_be_asked(world):
    for model in ("simulated/nobody", "simulated/balanced+sulks"):
        with pytest.raises(SetupRefused, match="does not exist"):
            ask(world, model, [HOTEL])
    (answer,) = ask(world, "simulated/balanced", ["How are you?"])
    assert "no script answers this question" in answer.error
    listed = httpx.get(f"{world.api_base}/models").json()["data"]
    assert [one["id"] for one in listed] == [*scripts(), *JUDGES]


def test_odd_requests_are_refused_and_the_server_goes_on(world):
    url = f"{world.api_base}/chat/completions"
    for body in (b"", b"[]", b"{}", b'{"model": "simulated/balanced"}'):
        assert httpx.post(url, content=body).status_code in (400, 404)
    assert len(MANNERS) > 10
    good = {"model": "simulated/rational", "messages": [{"role": "user", "content": 7}]}
    assert httpx.post(url, content=json.dumps(good)).status_code == 400
    parts = [{"type": "text", "text": HOTEL}, {"type": "image_url", "image_url": {}}]
    good["messages"][0]["content"] = parts
    assert httpx.post(url, content=json.dumps(good)).status_code == 200
