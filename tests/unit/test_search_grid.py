"""The grid of a search bank, against the tables of search.md 2."""

from __future__ import annotations

import pytest

from ingest.errors import LoadError
from ingest.search.grid.cells import body_sha256, make_grid, shuffled
from ingest.search.grid.config import parse_config, read_config
from ingest.search.grid.fill import fill_grid, quotas, slot_sequence
from ingest.search.grid.long_tail import strata
from ingest.search.grid.quotas import largest_remainder

PUBLISHED = read_config()
ONE = b"category,weight,subcategories\n"
SHOPS = b"retailer,weight,kind,allowed_categories,domains,own_brands,brand_optional\n"


def config(retailers: str, categories: str):
    """Return a configuration of `name weight kind allowed` and `name weight` lines."""
    shops, kinds = [], []
    for line in retailers.splitlines():
        name, weight, kind, allowed = (*line.split(), "")[:4]
        shops.append(f"{name},{weight},{kind},{allowed},,false,false\n")
    for line in categories.splitlines():
        name, weight, parts = (*line.split(), "")[:3]
        kinds.append(f"{name},{weight},{parts}\n")
    return parse_config(SHOPS + "".join(shops).encode(), ONE + "".join(kinds).encode())


# retailers, then categories, in canonical order (2.1, 2.2)
AT_100 = ([42, 28, 10, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1], [19, 19, 16, 15, 9, 7, 15])


@pytest.mark.parametrize(
    ("size", "shops", "kinds"),
    [
        (1, [1] + [0] * 13, [1, 0, 0, 0, 0, 0, 0]),
        (10, [4, 3, 1, 1, 1] + [0] * 9, [2, 2, 2, 1, 1, 1, 1]),
        (50, [21, 14, 5, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0], [10, 10, 8, 8, 4, 3, 7]),
        (100, *AT_100),
        (200, *([2 * one for one in half] for half in AT_100)),
    ],
)
def test_quotas_are_those_of_the_table(size, shops, kinds):
    found = quotas(PUBLISHED, size)
    assert [list(one.values()) for one in found] == [shops, kinds]


def test_left_seats_go_to_the_larger_weight_and_then_to_the_earlier_name():
    # shares 1.5, 0.5, 0.5, 0.5 of 3: fractions tie; a has the larger weight
    assert largest_remainder({"c": 1, "a": 3, "b": 1, "d": 1}, 3) == {
        **{"c": 1, "a": 2, "b": 0, "d": 0}
    }


LOCKED = {
    **{"kroger": "2000000", "shein": "0200000", "apple": "0030000"},
    **{"best_buy": "0010000", "home_depot": "0002000", "wayfair": "0001000"},
    "chewy": "0000001",
}
INTERLEAVED = {
    **{"amazon": "8856438", "longtail": "7553224", "walmart": "2302201"},
    **{"ebay": "0000021", "target": "0110000", "temu": "0011000"},
    **{"costco": "0000100", **LOCKED},
}
RETAILER_MAJOR = {
    **{"longtail": "4444444", "walmart": "1112221", "ebay": "1100001"},
    **{"target": "0011000", "temu": "0000110", "costco": "0000001", **LOCKED},
}
# more than nine in a cell
MAJOR_AMAZON = [11, 11, 6, 5, 2, 0, 7]


def test_the_interleaved_grid_of_100_is_that_of_the_table():
    found = fill_grid(PUBLISHED, 100, "interleaved")
    assert {
        name: "".join(map(str, row.values())) for name, row in found.items()
    } == INTERLEAVED


def test_the_retailer_major_grid_of_100_is_that_of_the_table():
    found = fill_grid(PUBLISHED, 100, "retailer_major")
    assert list(found.pop("amazon").values()) == MAJOR_AMAZON
    assert {
        name: "".join(map(str, row.values())) for name, row in found.items()
    } == RETAILER_MAJOR


def test_the_turns_of_100_begin_as_the_text_says():
    seats = quotas(PUBLISHED, 100)[0]
    free = {one.name: seats[one.name] for one in PUBLISHED.retailers if not one.allowed}
    turns = list(slot_sequence(free))
    assert turns[:10] == [
        *("amazon", "longtail", "amazon", "walmart", "longtail"),
        *("amazon", "amazon", "longtail", "ebay", "amazon"),
    ]
    assert {name: turns.count(name) for name in free} == free


def test_no_size_up_to_500_fails_and_both_margins_are_the_quotas():
    for size in range(1, 501):
        found = fill_grid(PUBLISHED, size)
        shops, kinds = quotas(PUBLISHED, size)
        assert {name: sum(row.values()) for name, row in found.items()} == shops
        assert {
            name: sum(row[name] for row in found.values()) for name in kinds
        } == kinds


def test_cells_are_shuffled_by_the_hash_of_seed_and_id():
    ids = ["a.x.01", "a.y.01", "b.x.01", "b.y.01"]
    wanted = ["b.y.01", "a.x.01", "b.x.01", "a.y.01"]
    assert shuffled(ids, "7") == wanted
    assert shuffled(reversed(ids), "7") == wanted
    # a cell that is added moves no two others
    more = shuffled([*ids, "c.x.01"], "7")
    assert [one for one in more if one in ids] == wanted


def test_the_published_seed_begins_as_the_text_says():
    grid = make_grid(PUBLISHED, 100, "pricebench-v1")
    assert [one.cell_id for one in grid.cells[:5]] == [
        *("home_depot.furniture_home.01", "amazon.grocery.02", "amazon.other.06"),
        *("longtail.electronics.05", "amazon.other.02"),
    ]
    assert [one.position for one in grid.cells] == list(range(100))
    assert len({one.cell_id for one in grid.cells}) == 100


def test_the_small_sites_of_the_long_tail_are_every_third():
    assert [i for i, one in enumerate(strata(28)) if one == "small"] == list(
        range(3, 28, 3)
    )
    assert [strata(cells).count("large") for cells in (28, 14, 7)] == [19, 9, 5]
    assert strata(0) == []
    assert strata(1) == ["large"]


def test_small_sites_by_category_are_those_of_the_text():
    cells = make_grid(PUBLISHED, 100, "any").cells
    small = [one.category for one in cells if one.stratum == "small"]
    counted = {one.name: small.count(one.name) for one in PUBLISHED.categories}
    assert list(counted.values()) == [2, 1, 2, 1, 1, 0, 2]
    assert all((one.stratum is None) == (one.retailer != "longtail") for one in cells)


def test_other_is_split_evenly_and_chewy_sells_for_pets():
    cells = make_grid(PUBLISHED, 100, "any").cells
    parts = {one.cell_id: one.subcategory for one in cells if one.category == "other"}
    names = ("office", "pet", "books_media", "auto_parts")
    counted = [list(parts.values()).count(one) for one in names]
    assert counted == [4, 4, 4, 3]
    assert parts["chewy.other.01"] == "pet"
    # cell order, largest deficit first: pet is one short because of chewy
    # (4 3 4 3) -> office, books_media; then (3 3 3 3) -> office, pet, books_media, auto
    assert [parts[f"amazon.other.0{i}"] for i in range(1, 7)] == [
        *("office", "books_media", "office", "pet", "books_media", "auto_parts")
    ]
    assert {one.subcategory for one in cells if one.category != "other"} == {None}


def test_a_locked_retailer_without_room_is_named_with_its_category():
    # quotas of 10: shop 5, bound 5; toys 1, food 9
    narrow = config("shop 1 generalist\nbound 1 locked toys", "toys 1\nfood 9")
    with pytest.raises(LoadError) as error:
        fill_grid(narrow, 10)
    assert str(error.value).startswith(
        "a grid of 10 has no room for 5 cells of bound in toys (1): "
    )


def test_retailers_that_share_too_little_room_are_named_together():
    # 4 and 4 cells for toys (2) and games (4): each alone fits, both do not
    narrow = config(
        "one 4 locked toys;games\ntwo 4 locked toys;games\nshop 2 generalist",
        "toys 2\ngames 4\nfood 4",
    )
    with pytest.raises(
        LoadError, match=r"cells of two in toys \(2\), games \(4\)"
    ) as e:
        fill_grid(narrow, 10)
    assert "beside one (4)" in str(e.value)


def test_a_retailer_with_a_choice_leaves_room_for_those_after_it():
    # one, alone allowed less, is filled first; two would take most of the largest
    # deficit (toys 5), which three needs whole
    tight = config(
        "two 5 locked toys;games\nthree 5 locked toys;food", "toys 5\ngames 3\nfood 2"
    )
    found = fill_grid(tight, 10)
    # food has 2 cells, so three needs 3 of toys; two has the rest: 2 toys, 3 games
    assert found == {
        "two": {"toys": 2, "games": 3, "food": 0},
        "three": {"toys": 3, "games": 0, "food": 2},
    }


@pytest.mark.parametrize(
    ("shops", "kinds", "says"),
    [
        (b"a,0,generalist,,,false,false", b"x,1,", "line 2: weight 0 is below 1"),
        (b"a,1,shop,,,false,false", b"x,1,", "kind 'shop' is not one of generalist"),
        (
            b"a,1,locked,,,false,false",
            b"x,1,",
            "a is locked and is allowed no category",
        ),
        (b"a,1,generalist,x,,false,false", b"x,1,", "a is generalist and is allowed x"),
        (b"a,1,locked,y,,false,false", b"x,1,", "allowed y, which is no category"),
        (b"a,1,locked,x/p,,false,false", b"x,1,q", "allowed x/p, which is no category"),
        (b"a,1,generalist,,,yes,false", b"x,1,", "own_brands 'yes' is not one of true"),
        (
            b"a,1,generalist,,,false,false\na,1,generalist,,,false,false",
            b"x,1,",
            "twice",
        ),
        (b"A,1,generalist,,,false,false", b"x,1,", "'A' is no name of a-z, 0-9 and _"),
        (b"", b"x,1,", "retailers.csv has no rows"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused_in_one_line(shops, kinds, says):
    with pytest.raises(LoadError) as error:
        parse_config(SHOPS + shops + b"\n", ONE + kinds + b"\n")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_the_identity_counts_seed_and_method_and_no_status():
    grid = make_grid(PUBLISHED, 20, "7")
    changed = grid.body({grid.cells[0].cell_id: "filled"})
    assert changed["cells"][0]["status"] == "filled"
    assert body_sha256(changed) == grid.sha256
    others = [
        make_grid(PUBLISHED, 20, "8"),
        make_grid(PUBLISHED, 20, "7", "retailer_major"),
    ]
    assert len({grid.sha256, *(one.sha256 for one in others)}) == 3


def test_an_unknown_method_is_named_with_those_there_are():
    with pytest.raises(LoadError, match="'spiral': choose interleaved or retailer_maj"):
        fill_grid(PUBLISHED, 10, "spiral")
