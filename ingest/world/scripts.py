"""What scripted models say: shoppers book rooms, buyers decide on information.

Every model answers both instruments. A shopper of the cast decides on information as
the buyer who is always right, a buyer books rooms as the balanced shopper. A reply
depends on the model, the question and the seed of the request alone: asked again, a
model repeats itself, as at temperature 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from ingest.errors import LoadError
from ingest.hotel.bank import Task
from ingest.hotel.cast import default_cast, named_tag
from ingest.hotel.shoppers import UNREADABLE_REPLY, Shopper, answer_shown, shown_shares
from ingest.purchase.buyers import Buyer, decide_once, default_buyers, named_buyer
from ingest.schemas import OPTION_LETTERS
from ingest.sources import SIMULATED_PREFIX
from ingest.world.hotel_question import read_hotel_question, thinks_aloud
from ingest.world.purchase_question import PurchaseQuestion, read_purchase_question

# tastes so strong that luck decides nothing: the option worth most is taken
DECIDED = "-decided"
_CERTAIN = 1e6
_REMEMBERED = 4096
_WEIGHED = "I weighed the price against the stars and the reviews of each room."
_WORKED_OUT = "Worked out from the records and prices shown."


@dataclass(frozen=True, slots=True)
class Script:
    """A scripted model.

    Attributes
    ----------
    model
        Its id.
    shopper
        Whom it books rooms as.
    buyer
        Whom it decides on information as.
    """

    model: str
    shopper: Shopper
    buyer: Buyer


@dataclass(frozen=True, slots=True)
class Said:
    """What a script says to one question.

    Attributes
    ----------
    text
        The reply as asked for; None where the call is to fail.
    choice
        What it names: a letter, or an option of the menu; None: nothing.
    """

    text: str | None
    choice: str | None


@cache
def scripts() -> Mapping[str, Script]:
    """Return the named scripts by model id.

    Returns
    -------
    mapping of str to Script
        The casts of the demo, shoppers also ``-decided``. The buyer whose budget is
        spent is not among them: one question knows nothing of a budget.
    """
    shoppers = {one.model_tag: one for one in default_cast()}
    shoppers |= {f"{tag}{DECIDED}": _decided(one) for tag, one in shoppers.items()}
    buyers = {one.model_tag: one for one in default_buyers() if one.answered_share == 1}
    usual = shoppers[named_tag("balanced")], buyers[named_tag("rational")]
    made = {tag: Script(tag, one, usual[1]) for tag, one in shoppers.items()}
    return made | {tag: Script(tag, usual[0], one) for tag, one in buyers.items()}


@cache
def find_script(model: str) -> Script | None:
    """Return the script of a model id.

    Parameters
    ----------
    model
        Id without manners; buyers with a share may name another than the usual one,
        ``simulated/arithmetic-slips-0.1``.

    Returns
    -------
    Script or None
        None: there is none of this name.
    """
    found = scripts().get(model)
    if found is not None or not model.startswith(SIMULATED_PREFIX):
        return found
    name, _, share = model.removeprefix(SIMULATED_PREFIX).rpartition("-")
    try:
        buyer = named_buyer(f"{name}={share}")
    except LoadError:
        return None
    shopper = scripts()[named_tag("balanced")].shopper
    return Script(model, shopper, buyer) if buyer.answered_share == 1 else None


def _decided(shopper: Shopper) -> Shopper:
    return replace(
        shopper,
        model_tag=f"{shopper.model_tag}{DECIDED}",
        tastes={term: _CERTAIN * value for term, value in shopper.tastes.items()},
        taste_sd={},
        leaning={
            name: tuple(_CERTAIN * value for value in slots)
            for name, slots in shopper.leaning.items()
        },
    )


def say(script: Script, question: str, seed: int | None = None) -> Said | None:
    """Answer a question.

    Parameters
    ----------
    script
        Who is asked.
    question
        The user's message.
    seed
        Of the request, if it names one.

    Returns
    -------
    Said or None
        None: it is neither a booking nor a decision on information.
    """
    return _say(script.model, question, seed)


@lru_cache(maxsize=_REMEMBERED)
def _say(model: str, question: str, seed: int | None) -> Said | None:
    script = find_script(model)
    if script is None:
        return None
    rng = _generator(model, question, seed)
    task = read_hotel_question(question)
    if task is not None:
        return _book(script, task, thinks_aloud(question), rng)
    asked = read_purchase_question(question)
    return None if asked is None else _decide(script.buyer, asked, rng)


def letter_shares(script: Script, question: str) -> dict[str, float]:
    """Return how likely each letter was.

    Parameters
    ----------
    script
        Who is asked.
    question
        The user's message.

    Returns
    -------
    dict
        Letter -> chance; empty where the question is no booking.
    """
    task = read_hotel_question(question)
    if task is None:
        return {}
    shares = shown_shares(task, script.shopper, _tastes(script.model, task))
    return dict(zip(OPTION_LETTERS, shares, strict=False))


def _tastes(model: str, task: Task) -> np.random.Generator:
    """Return what decides the tastes in a group of hotels, however it is shown."""
    return _generator(model, *sorted(option.name for option in task.options))


def _generator(*parts: object) -> np.random.Generator:
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16])))


def _book(script: Script, task: Task, thinks: bool, rng: np.random.Generator) -> Said:
    answer = answer_shown(task, script.shopper, _tastes(script.model, task), rng)
    if answer.reply_state == "failed":
        return Said(None, None)
    if answer.choice is None:
        return Said(UNREADABLE_REPLY, None)
    if not thinks:
        return Said(answer.choice, answer.choice)
    return Said(f"{_WEIGHED}\nFinal answer: {answer.choice}", answer.choice)


def _decide(buyer: Buyer, asked: PurchaseQuestion, rng: np.random.Generator) -> Said:
    choice, state = decide_once(buyer, asked.terms, asked.label, rng)
    if state == "failed":
        return Said(None, None)
    if choice is None:
        return Said(UNREADABLE_REPLY, None)
    return Said(json.dumps({"choice": choice, "reason": _WORKED_OUT}), choice)
