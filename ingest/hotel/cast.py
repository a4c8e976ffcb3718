"""Who shops: the named shoppers of the demo, and casts drawn at random.

Tastes are in utility, so willingness to pay follows: at a $250 rate one review point is
worth ``250 * review_score / -log_price`` dollars.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ingest.hotel.shoppers import Shopper, ShopperError
from ingest.sources import SIMULATED_PREFIX

# Spread of a taste over groups of hotels, as a share of the size of its mean. Fits that
# know no random tastes then find a mean taste 1-2 % too small: for the review score
# about 0.1 standard errors of a 300-task run and 0.2 of one with the published 3,600
# tasks (log price: 0.2 and 0.4). At 0.15 it would be twice that.
TASTE_SPREAD = 0.1

_BALANCED = {
    "stars": 0.8,
    "bed_rank": 0.2,
    "cancel": 0.5,
    "breakfast": 0.4,
    "review_score": 1.5,
    "review_count_100": 0.01,
    "log_price": -3.0,
}


def named_tag(name: str) -> str:
    """Return the model id of a shopper: a name without provider is a simulated one.

    Parameters
    ----------
    name : str
        ``bargain-hunter``, or an id that holds a ``/`` already.

    Returns
    -------
    str
        ``simulated/bargain-hunter``, or the id as it is.
    """
    return name if "/" in name else f"{SIMULATED_PREFIX}{name}"


def spread(
    tastes: Mapping[str, float], share: float = TASTE_SPREAD
) -> dict[str, float]:
    """Return standard deviations of ``share`` times the size of each taste."""
    return {term: round(share * abs(value), 12) for term, value in tastes.items()}


def _scaled(tastes: Mapping[str, float], factor: float) -> dict[str, float]:
    return {term: round(factor * value, 12) for term, value in tastes.items()}


def default_cast() -> tuple[Shopper, ...]:
    """Return the ten shoppers of the demo, one for each thing the scorecard must tell.

    Returns
    -------
    tuple of Shopper
        Three tastes that differ in what a review point is worth ($30, $125, $208 at
        $250), one who barely cares, one who counts dollars rather than proportions, one
        leaning to the second card, one who takes it in about 90 % of answers with the
        same tastes beneath, one locked on the first card, one whose replies are
        unreadable half the time, and one with a fifth of calls failing.
    """
    bargain = _BALANCED | {"stars": 0.3, "review_score": 0.6, "log_price": -5.0}
    starry = _BALANCED | {"stars": 2.0, "review_score": 1.0, "log_price": -1.2}
    dollars = {k: v for k, v in _BALANCED.items() if k != "log_price"} | {
        "price": -0.012
    }
    slight = _scaled(_BALANCED, 0.1)
    second = {"binary": (0.0, 0.8), "ternary": (0.0, 0.8, 0.0)}
    nearly_always_second = {"binary": (0.0, 3.5), "ternary": (0.0, 4.2, 0.0)}
    return (
        _shopper("bargain-hunter", bargain),
        _shopper("star-lover", starry),
        _shopper("balanced", _BALANCED),
        _shopper("near-indifferent", slight),
        _shopper("dollar-counter", dollars),
        _shopper("second-card-leaner", _BALANCED, leaning=second),
        _shopper("second-card-taker", _BALANCED, leaning=nearly_always_second),
        Shopper(named_tag("first-card-locked"), lock_slot=1, lock_share=1.0),
        _shopper("mumbler", _BALANCED, invalid_share=0.5),
        _shopper("dropped-calls", _BALANCED, failed_share=0.2),
    )


def _shopper(
    name: str,
    tastes: Mapping[str, float],
    *,
    leaning: Mapping[str, tuple[float, ...]] | None = None,
    invalid_share: float = 0.0,
    failed_share: float = 0.0,
) -> Shopper:
    return Shopper(
        named_tag(name),
        tastes,
        spread(tastes),
        leaning or {},
        invalid_share=invalid_share,
        failed_share=failed_share,
    )


def random_cast(count: int, *, seed: int) -> tuple[Shopper, ...]:
    """Return shoppers around the balanced one, for studies of coverage and of speed.

    Parameters
    ----------
    count : int
        1 or more.
    seed : int
        0 or more. The first shoppers of a longer cast are those of a shorter one.

    Returns
    -------
    tuple of Shopper
        ``count`` shoppers named ``simulated/random-001`` on: each taste 0.5 to 1.5
        times the balanced one, a slot leaning that is normal with standard deviation
        0.5, no invalid replies and no failed calls.

    Raises
    ------
    ShopperError
        When ``count`` is below 1.
    """
    if count < 1:
        raise ShopperError(f"random shoppers: {count} asked; ask for 1 or more")
    return tuple(_random_shopper(number, seed) for number in range(1, count + 1))


def _random_shopper(number: int, seed: int) -> Shopper:
    rng = np.random.default_rng([seed, number])
    tastes = {term: value * rng.uniform(0.5, 1.5) for term, value in _BALANCED.items()}
    first, second = rng.normal(0.0, 0.5, size=2)
    return _shopper(
        f"random-{number:03d}",
        tastes,
        leaning={"binary": (first, 0.0), "ternary": (first, second, 0.0)},
    )
