"""Filling the grid: a category for each cell of a retailer (search.md 2.3, 2.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ingest.errors import LoadError
from ingest.search.grid.config import GridConfig, Retailer
from ingest.search.grid.quotas import largest_remainder
from ingest.search.grid.room import Shortage, find_shortage

METHODS = ("interleaved", "retailer_major")
Matrix = dict[str, dict[str, int]]


def quotas(config: GridConfig, size: int) -> tuple[dict[str, int], dict[str, int]]:
    """Return the cells of each retailer and of each category.

    Parameters
    ----------
    config
        Retailers and categories with their weights.
    size
        Cells of the grid.

    Returns
    -------
    tuple of dict
        Both in canonical order, zeros included.
    """
    shops = {one.name: one.weight for one in config.retailers}
    kinds = {one.name: one.weight for one in config.categories}
    return largest_remainder(shops, size), largest_remainder(kinds, size)


def fill_grid(config: GridConfig, size: int, method: str = METHODS[0]) -> Matrix:
    """Return how many cells each retailer has of each category.

    Parameters
    ----------
    config
        Retailers and categories with their weights.
    size
        Cells of the grid, 1 or more.
    method
        ``interleaved``: the shops that sell everything take turns by their quotas;
        ``retailer_major``: one has all its turns before the next.

    Returns
    -------
    dict
        Retailer -> category -> cells; both margins are exactly the quotas.

    Raises
    ------
    LoadError
        Where a retailer bound to categories finds no room in them.
    """
    if method not in METHODS:
        raise LoadError(f"no grid method {method!r}: choose {' or '.join(METHODS)}")
    seats, deficit = quotas(config, size)
    matrix: Matrix = {name: dict.fromkeys(deficit, 0) for name in seats}
    bound = sorted(
        (one for one in config.retailers if one.allowed),
        key=lambda one: len(one.allowed),
    )
    _check_room(bound, seats, deficit, size)
    for retailer, category in _bound_cells(bound, seats, deficit):
        matrix[retailer][category] += 1
    free = {one.name: seats[one.name] for one in config.retailers if not one.allowed}
    for retailer in slot_sequence(free, method):
        category = max(deficit, key=deficit.__getitem__)
        deficit[category] -= 1
        matrix[retailer][category] += 1
    return matrix


def slot_sequence(seats: Mapping[str, int], method: str = METHODS[0]) -> Iterator[str]:
    """Yield whose turn it is, as often as each has seats.

    Parameters
    ----------
    seats
        Retailer -> turns, in canonical order.
    method
        One of ``METHODS``; ``interleaved`` is the smooth weighted round robin: every
        turn each retailer gains its seats in credit, the one with most credit (of
        equals the first) has the turn and pays the total.

    Yields
    ------
    str
    """
    if method == "retailer_major":
        for retailer, turns in seats.items():
            yield from [retailer] * turns
        return
    names = [name for name, turns in seats.items() if turns]
    gains = [seats[name] for name in names]
    total = sum(gains)
    credit = [0] * len(names)
    for _ in range(total):
        credit = [had + gain for had, gain in zip(credit, gains, strict=True)]
        chosen = credit.index(max(credit))
        credit[chosen] -= total
        yield names[chosen]


def _check_room(
    bound: Iterable[Retailer],
    seats: Mapping[str, int],
    room: Mapping[str, int],
    size: int,
) -> None:
    shops = list(bound)
    demands = {one.name: seats[one.name] for one in shops}
    allowed = _allowed(shops)
    short = find_shortage(demands, allowed, room)
    if short is None:
        return
    places = ", ".join(f"{name} ({room[name]})" for name in short.categories)
    rivals = [
        f"{name} ({cells})"
        for name, cells in demands.items()
        if cells and name != short.retailer and set(allowed[name]) <= _names(short)
    ]
    beside = f" beside {', '.join(rivals)}" if rivals else ""
    raise LoadError(
        f"a grid of {size:,} has no room for {demands[short.retailer]} cells of "
        f"{short.retailer} in {places}{beside}: give it a smaller weight, the category "
        "a larger one, or allow it more categories"
    )


def _names(short: Shortage) -> set[str]:
    return set(short.categories)


def _allowed(shops: Iterable[Retailer]) -> dict[str, list[str]]:
    return {one.name: [category for category, _ in one.allowed] for one in shops}


def _bound_cells(
    bound: Sequence[Retailer], seats: Mapping[str, int], deficit: dict[str, int]
) -> Iterator[tuple[str, str]]:
    """Yield the cells of bound retailers, taking each from the deficit.

    A retailer with a choice takes the largest deficit that leaves room for all who
    come after it.
    """
    allowed = _allowed(bound)
    order = {name: place for place, name in enumerate(deficit)}
    left = {one.name: seats[one.name] for one in bound}
    for one in bound:
        names = sorted(allowed[one.name], key=lambda name: order[name])
        while left[one.name]:
            left[one.name] -= 1
            for category in sorted(names, key=lambda name: -deficit[name]):
                if not deficit[category]:
                    continue
                deficit[category] -= 1
                if len(names) == 1 or find_shortage(left, allowed, deficit) is None:
                    yield one.name, category
                    break
                deficit[category] += 1
