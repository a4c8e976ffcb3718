"""Grids of any configuration: margins, order and strata hold whatever is drawn."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingest.errors import LoadError
from ingest.search.grid.cells import make_grid, shuffled
from ingest.search.grid.config import Category, GridConfig, Retailer
from ingest.search.grid.fill import METHODS, fill_grid, quotas
from ingest.search.grid.long_tail import strata
from ingest.search.grid.quotas import largest_remainder
from ingest.search.grid.room import find_shortage

KINDS = ("k0", "k1", "k2", "k3", "k4")
weights = st.integers(1, 60)


@st.composite
def configs(draw):
    count = draw(st.integers(1, len(KINDS)))
    kinds = [Category(name, draw(weights)) for name in KINDS[:count]]
    shops = []
    for number in range(draw(st.integers(1, 6))):
        places = draw(st.sets(st.sampled_from(KINDS[:count]), max_size=3))
        allowed = tuple((name, None) for name in sorted(places))
        kind = (
            "locked" if allowed else draw(st.sampled_from(["generalist", "longtail"]))
        )
        shops.append(Retailer(f"r{number}", draw(weights), kind, allowed))
    return GridConfig(tuple(shops), tuple(kinds), {})


@settings(max_examples=60)
@given(st.lists(weights, min_size=1, max_size=12), st.integers(0, 400))
def test_quotas_are_whole_parts_and_the_largest_fractions(sizes, seats):
    named = {f"n{place}": weight for place, weight in enumerate(sizes)}
    found = largest_remainder(named, seats)
    shares = {name: Fraction(w * seats, sum(sizes)) for name, w in named.items()}
    more = {name for name, share in shares.items() if found[name] > int(share)}
    assert sum(found.values()) == seats
    assert all(found[n] - int(shares[n]) in (0, 1) for n in named)
    fractions = {name: share - int(share) for name, share in shares.items()}
    for one in more:
        for other in set(named) - more:
            assert (fractions[one], named[one]) >= (fractions[other], named[other])


@settings(deadline=None, max_examples=60)
@given(configs(), st.integers(1, 80), st.sampled_from(METHODS))
def test_margins_are_exact_or_the_shop_without_room_is_named(config, size, method):
    shops, kinds = quotas(config, size)
    try:
        found = fill_grid(config, size, method)
    except LoadError as error:
        refused = str(error)
    else:
        refused = None
    if refused is not None:
        bound = [one.name for one in config.retailers if one.allowed]
        assert any(f"cells of {name} in " in refused for name in bound)
        return
    assert {name: sum(row.values()) for name, row in found.items()} == shops
    assert {name: sum(row[name] for row in found.values()) for name in kinds} == kinds
    for one in config.retailers:
        if one.allowed:
            used = {name for name, count in found[one.name].items() if count}
            assert used <= {name for name, _ in one.allowed}


@settings(deadline=None, max_examples=60)
@given(configs(), st.integers(1, 60))
def test_shops_without_room_break_halls_condition(config, size):
    shops, kinds = quotas(config, size)
    bound = {
        one.name: [name for name, _ in one.allowed]
        for one in config.retailers
        if one.allowed
    }
    demands = {name: shops[name] for name in bound}
    short = find_shortage(demands, bound, kinds)

    # Hall: for every set of categories, those bound inside it fit into it
    def fits(places: frozenset[str]) -> bool:
        inside = [name for name, allowed in bound.items() if set(allowed) <= places]
        return sum(demands[n] for n in inside) <= sum(kinds[n] for n in places)

    subsets = [frozenset()]
    for name in kinds:
        subsets += [one | {name} for one in subsets]
    assert (short is None) == all(map(fits, subsets))
    if short is not None:
        assert not fits(frozenset(short.categories))


@settings(deadline=None, max_examples=60)
@given(configs(), st.integers(1, 40), st.text(max_size=8), st.integers(1, 7))
def test_the_order_depends_on_ids_and_seed_alone(config, size, seed, step):
    try:
        cells = make_grid(config, size, seed).cells
    except LoadError:
        assume(False)
    ids = [one.cell_id for one in cells]
    mixed = [one for start in range(step) for one in sorted(ids)[start::step]]
    assert shuffled(mixed, seed) == ids
    kept = set(mixed[::step])
    assert shuffled(kept, seed) == [one for one in ids if one in kept]


@settings(max_examples=60)
@given(st.integers(0, 300))
def test_small_sites_are_a_third_and_evenly_spread(cells):
    found = strata(cells)
    small = found.count("small")
    assert abs(small - Fraction(cells, 3)) < 1
    for end in range(cells):
        assert found[:end].count("small") == end * small // cells
