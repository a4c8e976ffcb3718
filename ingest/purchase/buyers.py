"""Simulated buyers: models whose habits are known, deciding on a bank.

A buyer works out what every option is worth on the menu shown,

    W_j = EV_j + noise * V * g_j

with a fresh Gumbel draw ``g_j`` for each option of each decision, and takes the
largest. Without a habit that is the best option, always.

Axes: n decisions, j options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.errors import LoadError
from ingest.purchase.scenario import (
    BOND,
    LABELS,
    OPTIONS,
    Scenario,
    Terms,
    expected_values,
)
from ingest.sources import SIMULATED_PREFIX

REPEATS = 3
BADGE = "D"
CERTIFICATE = "certificate"

# The price that a slip puts in the wrong place, and by how much: a decimal place.
SLIPS = (
    ("document_price", 10.0),
    ("document_price", 0.1),
    ("certificate_price", 10.0),
    ("certificate_price", 0.1),
)


class BuyerError(LoadError):
    """A buyer that cannot be simulated; the message is one line."""


@dataclass(frozen=True, slots=True)
class Buyer:
    """A simulated model.

    Attributes
    ----------
    model_tag : str
        Model id as asked; holds a ``/`` (``simulated/rational``).
    always : str or None
        Option taken whatever it is worth.
    noise : float
        Scale of the Gumbel noise on every option, as a share of the value, 0 or more.
    slip_share : float
        Chance in [0, 1] that one of the two prices is taken for ten times too much or
        too little; the four slips of ``SLIPS`` are equally likely.
    badge_pull : float
        Chance in [0, 1] that the popularity badge decides for the certificate.
    bond_blind : bool
        Whether the bond is left out of the sums.
    invalid_share, failed_share : float
        Chance in [0, 1] that a reply names no option, and that a call fails; a failed
        call is never invalid as well.
    answered_share : float
        Share in [0, 1] of the calls, in the order they are made, after which the
        budget is spent and every further call fails.

    Raises
    ------
    BuyerError
        When an option or a share is out of its range.
    """

    model_tag: str
    always: str | None = None
    noise: float = 0.0
    slip_share: float = 0.0
    badge_pull: float = 0.0
    bond_blind: bool = False
    invalid_share: float = 0.0
    failed_share: float = 0.0
    answered_share: float = 1.0

    def __post_init__(self) -> None:
        for problem in _problems(self):
            raise BuyerError(f"buyer {self.model_tag!r}, {problem}")


def _problems(buyer: Buyer) -> list[str]:
    found = []
    if "/" not in buyer.model_tag:
        found.append("model_tag: holds no '/'; write provider/name")
    if buyer.always is not None and buyer.always not in OPTIONS:
        found.append(f"always: {buyer.always!r}; give one of {', '.join(OPTIONS)}")
    if not 0 <= buyer.noise < float("inf"):
        found.append(f"noise: {buyer.noise}; give 0 or more")
    shares = (
        *("slip_share", "badge_pull", "invalid_share", "failed_share"),
        "answered_share",
    )
    for name in shares:
        if not 0 <= getattr(buyer, name) <= 1:
            found.append(f"{name}: {getattr(buyer, name)}; give a share in [0, 1]")
    return found


class Decision(NamedTuple):
    """What a buyer said to one question; no choice where the reply names none.

    ``reply_state`` is ``json``, ``invalid`` or ``failed``.
    """

    scenario: Scenario
    label: str
    repeat: int
    choice: str | None
    reply_state: str


def decide(
    buyer: Buyer, bank: Sequence[Scenario], rng: np.random.Generator
) -> list[Decision]:
    """Let a buyer decide on every scenario under every label, three times each.

    Parameters
    ----------
    buyer : Buyer
        Who decides.
    bank : sequence of Scenario
        What is for sale.
    rng : numpy.random.Generator
        The buyer's own stream. The same draws are taken whatever the buyer's habits, so
        that two buyers on equal streams differ by their habits alone.

    Returns
    -------
    list of Decision
        In the published order of calls: label, scenario, repeat; empty for an empty
        bank.
    """
    asked = [
        (scenario, label, repeat)
        for label in LABELS
        for scenario in bank
        for repeat in range(REPEATS)
    ]
    n = len(asked)
    noise = rng.gumbel(size=(n, len(OPTIONS)))
    slips = rng.random(n) < buyer.slip_share
    kinds = rng.integers(len(SLIPS), size=n)
    pulled = rng.random(n) < buyer.badge_pull
    failed = rng.random(n) < buyer.failed_share
    failed |= np.arange(n) >= round(buyer.answered_share * n)
    invalid = rng.random(n) < buyer.invalid_share
    decisions = []
    for at, (scenario, label, repeat) in enumerate(asked):
        state = "failed" if failed[at] else "invalid" if invalid[at] else "json"
        terms = slip(scenario.terms, int(kinds[at])) if slips[at] else scenario.terms
        choice = _choice(buyer, terms, label, bool(pulled[at]), noise[at])
        said = choice if state == "json" else None
        decisions.append(Decision(scenario, label, repeat, said, state))
    return decisions


def decide_once(
    buyer: Buyer, terms: Terms, label: str, rng: np.random.Generator
) -> tuple[str | None, str]:
    """Let a buyer decide on one question.

    Parameters
    ----------
    buyer : Buyer
        Who decides; nobody's budget is spent by one question.
    terms : Terms
        The numbers of the scenario.
    label : str
        One of ``LABELS``.
    rng : numpy.random.Generator
        Decides this answer.

    Returns
    -------
    tuple of str or None and str
        Choice and reply state, distributed as each of ``decide``.
    """
    noise = rng.gumbel(size=len(OPTIONS))
    slips, pull, fails, mumbles = rng.random(4)
    kind = int(rng.integers(len(SLIPS)))
    if fails < buyer.failed_share:
        return None, "failed"
    if mumbles < buyer.invalid_share:
        return None, "invalid"
    seen = slip(terms, kind) if slips < buyer.slip_share else terms
    return _choice(buyer, seen, label, pull < buyer.badge_pull, noise), "json"


def _choice(
    buyer: Buyer,
    terms: Terms,
    label: str,
    is_pulled: bool,
    noise: NDArray[np.float64],
) -> str:
    if is_pulled and label == BADGE:
        return CERTIFICATE
    return buyer.always or _worth_most(buyer, terms, label, noise)


def slip(terms: Terms, kind: int) -> Terms:
    """Return the numbers as a buyer reads them who slips.

    Parameters
    ----------
    terms : Terms
        The numbers.
    kind : int
        Place in ``SLIPS``.

    Returns
    -------
    Terms
        With one price ten times too high or too low.
    """
    name, factor = SLIPS[kind]
    return replace(terms, **{name: factor * getattr(terms, name)})


def _worth_most(
    buyer: Buyer, terms: Terms, label: str, noise: NDArray[np.float64]
) -> str:
    values = expected_values(terms, bonded=label == BOND and not buyer.bond_blind)
    worth = np.array(list(values.values())) + buyer.noise * terms.value * noise
    return OPTIONS[int(worth.argmax())]


class _Habit(NamedTuple):
    """How a buyer of one name is made: its share or scale, if it has one."""

    make: Callable[[str, float], Buyer]
    usual: float | None = None


# The named buyers, one for each thing that the scorecard must tell.
_HABITS: Mapping[str, _Habit] = MappingProxyType(
    {
        "rational": _Habit(lambda tag, _: Buyer(tag)),
        "always-skip": _Habit(lambda tag, _: Buyer(tag, always="skip")),
        "always-certificate": _Habit(lambda tag, _: Buyer(tag, always=CERTIFICATE)),
        "arithmetic-slips": _Habit(lambda tag, x: Buyer(tag, slip_share=x), 0.3),
        "badge-swayed": _Habit(lambda tag, x: Buyer(tag, badge_pull=x), 0.4),
        "bond-blind": _Habit(lambda tag, _: Buyer(tag, bond_blind=True)),
        "noisy": _Habit(lambda tag, x: Buyer(tag, noise=x, invalid_share=0.02), 0.05),
        "failing-calls": _Habit(lambda tag, x: Buyer(tag, failed_share=x), 0.2),
        "spent-budget": _Habit(lambda tag, x: Buyer(tag, answered_share=x), 0.6),
    }
)
NAMES = tuple(_HABITS)


def default_buyers() -> tuple[Buyer, ...]:
    """Return the nine buyers of the demo.

    Returns
    -------
    tuple of Buyer
        One who is always right; one who never buys and one who always takes the
        certificate; one who misplaces a decimal in three answers of ten; one whom the
        badge decides for in four of ten; one blind to the bond; one with noise, a few
        of whose replies cannot be read; one with a fifth of calls failing; and one
        whose budget is spent after three fifths of them, so that the bonded cell and
        most of the badge cell hold failed calls alone.
    """
    return tuple(map(named_buyer, NAMES))


def named_buyer(text: str) -> Buyer:
    """Return a buyer from how a person writes it.

    Parameters
    ----------
    text : str
        One of ``NAMES``, with ``=SHARE`` where it has one: ``rational``,
        ``arithmetic-slips=0.25``.

    Returns
    -------
    Buyer
        Named ``simulated/<name>``, and ``simulated/<name>-<share>`` for another share
        than the usual one.

    Raises
    ------
    BuyerError
        When there is no such name, or the share is none.
    """
    name, given, share = text.partition("=")
    habit = _HABITS.get(name)
    if habit is None:
        raise BuyerError(f"no buyer {name!r}: name one of {', '.join(NAMES)}")
    usual = habit.usual
    if not given:
        return habit.make(f"{SIMULATED_PREFIX}{name}", usual or 0.0)
    if usual is None:
        raise BuyerError(f"buyer {text!r}: {name} has no share; leave out ={share}")
    try:
        value = float(share)
    except ValueError as error:
        raise BuyerError(
            f"buyer {text!r}: {share!r} is no number; write {name}={usual:g}"
        ) from error
    tag = f"{SIMULATED_PREFIX}{name}" + ("" if value == usual else f"-{value:g}")
    return habit.make(tag, value)
