"""Titles to packs: every row of the tables in search 4.6 and 10.1."""

import pytest

from ingest.search.pages.pack import LONGEST_TITLE, read_pack

# search 4.6, test table: title, count, contents, ambiguous
TABLE = [
    ("12 Double Rolls", 12, None, False),
    ("12 fl oz, 24 Pack", 24, None, False),
    ("Pack of 6", 6, None, False),
    ("AA Batteries, 24 Count", 1, 24, True),
    ("250 Softgels", 1, 250, False),
    ("60 ct (Pack of 2)", 2, 60, False),
    ("2 x 100 g", 2, None, False),
    ("2-in-1 Laptop", 1, None, False),
    ("3-Piece Luggage Set", 1, None, False),
    ("Twin Pack", 2, None, False),
    ("1 Dozen", 12, None, False),
    ("6 Pairs", 6, None, False),
    ("Buy 2 Get 1 Free", 1, None, False),
    ("128GB", 1, None, False),
    ("12 oz Cans, 8 pk", 8, None, False),
    ("1,000 Sheets, 6 Rolls", 6, 1000, False),
    ("30x60 cm", 1, None, False),
    ("27 in 1440p 165Hz", 1, None, False),
    # rule 3, outer and inner
    ("4-Pack Sponges (Pack of 2)", 8, None, True),
]

# search 10.1, rows 17 to 20: title, count, size of one, unit
ROWS = [
    pytest.param("Drinking Water 24 Pack 16oz", 24, "16", "oz", id="17 pack and size"),
    pytest.param("10+2 eggs 660g", 12, None, None, id="17 bonus, size of all"),
    pytest.param("3 Liters", 1, "3000", "ml", id="17 spelled out"),
    pytest.param("1,5 kg", 1, "1500", "g", id="17 decimal comma"),
    pytest.param(".33 l", 1, "330", "ml", id="18 no leading zero"),
    pytest.param("4x45g", 4, "45", "g", id="18 count times size"),
    pytest.param("0,5 кг/500 г", 1, "500", "g", id="19 the same size twice"),
    pytest.param("cable 3 x 1,5 мм², 10 м", 1, None, None, id="19 cross-section"),
    pytest.param("3 pz da 330 ml Cad. 990 ml", 3, "330", "ml", id="20 pieces of size"),
    pytest.param("4 шт х 400г", 4, "400", "g", id="20 pieces times size"),
]


@pytest.mark.parametrize(("title", "count", "contents", "ambiguous"), TABLE)
def test_a_title_of_the_table_has_its_pack(title, count, contents, ambiguous):
    pack = read_pack(title)
    assert (pack.count, pack.contents, pack.ambiguous) == (count, contents, ambiguous)


@pytest.mark.parametrize(("title", "count", "size", "unit"), ROWS)
def test_a_title_of_a_bug_report_has_its_pack_and_size(title, count, size, unit):
    pack = read_pack(title)
    assert (pack.count, pack.unit_size, pack.unit) == (count, size, unit)
    assert not pack.ambiguous


@pytest.mark.parametrize(
    ("title", "count"),
    [
        ("7UP 12 pack", 12),
        ("Phone case A15", 1),
        ("WD-40 Pack", 1),
        ("Case of 24", 24),
        ("box of 10 pens", 10),
        ("6-pk", 6),
        ("2 dozen roses", 24),
        ("330ml × 24", 24),
        ("12 pcs x 50 g", 12),
        ("Jeans 32 x 30", 1),
        ("8GB+128GB", 1),
        ("8.5 x 11 in paper", 1),
        ("SPF 50+ 3 pack", 3),
    ],
)
def test_numbers_of_models_and_sides_are_no_packs(title, count):
    assert read_pack(title).count == count


@pytest.mark.parametrize(
    ("title", "count"),
    [
        ("12 Mega Rolls = 48 Regular Rolls", 12),
        ("6 Pack or 12 Pack", 6),
        ("6 Rolls (Pack of 2)", 2),
        ("6 x 4 x 330 ml", 24),
    ],
)
def test_titles_that_can_be_read_twice_are_ambiguous(title, count):
    pack = read_pack(title)
    assert (pack.count, pack.ambiguous) == (count, True)


@pytest.mark.parametrize(
    ("title", "size", "unit"),
    [
        ("1,000 g", "1000", "g"),
        ("0,500 kg", "500", "g"),
        ("16.9 fl. oz. bottle", "16.9", "fl oz"),
        ("12-oz can", "12", "oz"),
        ("5 pounds", "5", "lb"),
        ("5G phone", None, None),
        ("500 mg tablets", None, None),
    ],
)
def test_a_size_is_of_one_item_in_its_unit(title, size, unit):
    pack = read_pack(title)
    assert (pack.unit_size, pack.unit) == (size, unit)


def test_the_words_that_decide_are_kept():
    assert read_pack("Cola 12 oz, 24 Pack").evidence == "title: '24 Pack'"
    assert read_pack("Cola").evidence is None


@pytest.mark.parametrize(
    "title", ["pack of 0", "0 pack", "99999 pack", "pack of 99999"]
)
def test_no_pack_is_empty_or_larger_than_any_that_is_sold(title):
    assert read_pack(title).count == 1


def test_a_title_that_is_too_long_to_read_is_for_a_person():
    assert read_pack("a" * LONGEST_TITLE + " 6 pack").ambiguous
    assert not read_pack("a" * LONGEST_TITLE).ambiguous
