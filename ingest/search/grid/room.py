"""Whether retailers bound to few categories find room in them: a flow (2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Flow = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Shortage:
    """Why demands do not fit.

    Attributes
    ----------
    retailer
        The first, in the order given, that does not find its cells.
    missing
        Cells that it lacks.
    categories
        The full categories that stand in its way; all that compete for them are bound
        to them (Hall's condition).
    """

    retailer: str
    missing: int
    categories: tuple[str, ...]


def find_shortage(
    demands: Mapping[str, int],
    allowed: Mapping[str, Sequence[str]],
    room: Mapping[str, int],
) -> Shortage | None:
    """Return why demands do not fit into categories, None where they do.

    Parameters
    ----------
    demands
        Retailer -> cells that it needs.
    allowed
        Retailer -> categories that it may have.
    room
        Category -> cells that it has.

    Returns
    -------
    Shortage or None
        A maximum flow, found by augmenting paths, decides.
    """
    flow: Flow = {category: {} for category in room}
    for retailer, needed in demands.items():
        placed = 0
        while placed < needed:
            seen = _reached(retailer, flow, allowed)
            end = next((one for one in seen if _free(one, flow, room) > 0), None)
            if end is None:
                names = tuple(one for one in room if one in seen)
                return Shortage(retailer, needed - placed, names)
            placed += _push(retailer, end, seen, flow, room, needed - placed)
    return None


def _free(category: str, flow: Flow, room: Mapping[str, int]) -> int:
    return room[category] - sum(flow[category].values())


def _reached(
    retailer: str, flow: Flow, allowed: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, str] | None]:
    """Return the categories in reach -> retailer who moves, and where from."""
    seen: dict[str, tuple[str, str] | None] = dict.fromkeys(allowed[retailer])
    queue = list(seen)
    for category in queue:
        for holder, cells in flow[category].items():
            for other in allowed[holder] if cells else ():
                if other not in seen:
                    seen[other] = (holder, category)
                    queue.append(other)
    return seen


def _push(
    retailer: str,
    end: str,
    seen: Mapping[str, tuple[str, str] | None],
    flow: Flow,
    room: Mapping[str, int],
    most: int,
) -> int:
    """Move cells along the way to a category with room; return how many."""
    moves: list[tuple[str, str, str]] = []
    place = end
    while (step := seen[place]) is not None:
        moves.append((step[0], step[1], place))
        place = step[1]
    held = [flow[origin][holder] for holder, origin, _ in moves]
    amount = min([most, _free(end, flow, room), *held])
    for holder, origin, to in moves:
        flow[origin][holder] -= amount
        flow[to][holder] = flow[to].get(holder, 0) + amount
    flow[place][retailer] = flow[place].get(retailer, 0) + amount
    return amount
