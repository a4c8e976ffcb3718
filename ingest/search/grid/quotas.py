"""Seats by weight: the largest remainder, in exact arithmetic (search.md 2.2)."""

from __future__ import annotations

from collections.abc import Mapping


def largest_remainder(weights: Mapping[str, int], seats: int) -> dict[str, int]:
    """Share seats out in proportion to weights.

    Parameters
    ----------
    weights
        Positive whole numbers in canonical order; they need not sum to anything.
    seats
        How many there are, 0 or more.

    Returns
    -------
    dict
        In the order of ``weights``; the seats sum up. Each has the whole part of its
        share, and what is left goes to the largest fractions; of equals to the larger
        weight, then to the earlier one.
    """
    total = sum(weights.values())
    # share = weight * seats / total: the remainder compares as the fraction does
    parts = {name: divmod(weight * seats, total) for name, weight in weights.items()}
    left = seats - sum(whole for whole, _ in parts.values())
    order = sorted(parts, key=lambda name: (-parts[name][1], -weights[name]))
    more = set(order[:left])
    return {name: whole + (name in more) for name, (whole, _) in parts.items()}
