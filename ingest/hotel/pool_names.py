"""Words and counts that the invented pool is made of: data, no code.

Hotel counts over ``BRANDS`` and ``INDEPENDENT_STARS`` add up to 179, and so do those of
``NEIGHBORHOODS``.
"""

from __future__ import annotations

from typing import NamedTuple


class Brand(NamedTuple):
    """A chain's brand: name prefix, star class, hotels, breakfast share if its own."""

    prefix: str
    stars: int
    hotels: int
    breakfast_prob: float | None = None


# 102 hotels that the published chain rule reads as Hilton 24, Marriott 34, IHG 18,
# Hyatt 14, Wyndham 12. Wyndham has more than in the published pool (5), where its
# coefficient hangs on 21 pairs.
BRANDS = (
    Brand("Hampton Inn", 3, 6, 0.85),
    Brand("Hilton Garden Inn", 3, 5, 0.3),
    Brand("DoubleTree by Hilton", 4, 6),
    Brand("Embassy Suites", 4, 4, 0.9),
    Brand("Conrad", 5, 3),
    Brand("Courtyard by Marriott", 3, 6),
    Brand("Fairfield Inn", 3, 3, 0.8),
    Brand("Residence Inn", 3, 3, 0.8),
    Brand("Moxy", 3, 3),
    Brand("AC Hotel", 4, 5),
    Brand("Sheraton", 4, 4),
    Brand("The Westin", 4, 4),
    Brand("Renaissance", 4, 3),
    Brand("The Ritz-Carlton", 5, 2),
    Brand("The St. Regis", 5, 1),
    Brand("Holiday Inn", 3, 4),
    Brand("Holiday Inn Express", 3, 3, 0.85),
    Brand("Crowne Plaza", 4, 5),
    Brand("Kimpton", 4, 3),
    Brand("InterContinental", 5, 3),
    Brand("Hyatt Place", 3, 3, 0.6),
    Brand("Hyatt Centric", 4, 4),
    Brand("Hyatt Regency", 4, 4),
    Brand("Andaz", 5, 1),
    Brand("Park Hyatt", 5, 2),
    Brand("Days Inn", 2, 4),
    Brand("La Quinta Inn", 2, 2, 0.5),
    Brand("Ramada by Wyndham", 3, 3),
    Brand("Wyndham Grand", 4, 2),
    Brand("Best Western", 3, 1, 0.3),
)

# 77 hotels without a chain, by stars.
INDEPENDENT_STARS = {1: 1, 2: 4, 3: 22, 4: 31, 5: 19}

STREET_WORDS = (
    "Quillfeather",
    "Tanglewick",
    "Orrery",
    "Fennimoss",
    "Brackenshaw",
    "Candlewright",
    "Dovetail",
    "Emberlow",
    "Foxhollow",
    "Gingerbrook",
    "Hobnail",
    "Inkhorn",
    "Juniperdale",
    "Kettlestone",
    "Larkmoor",
    "Mossgate",
    "Nettlefold",
    "Owlbarrow",
    "Pennyroyal",
    "Quarterstaff",
    "Ravelin",
    "Saltwhistle",
    "Tumbledown",
    "Umbermill",
    "Vesperlight",
    "Wherrymans",
)
STREET_KINDS = ("Street", "Row", "Yard", "Square")

HOTEL_WORDS = (
    "Alderwhisk",
    "Applecross Lantern",
    "Barleymow",
    "Bellwether",
    "Blue Heronry",
    "Bramblecote",
    "Brightwater Loom",
    "Candlemoth",
    "Cartographer",
    "Cinderpath",
    "Clockmaker",
    "Cloudberry",
    "Copperleaf",
    "Cranefly",
    "Damson Gate",
    "Dandelion Clock",
    "Driftglass",
    "Duskmantle",
    "Elderwhistle",
    "Evenfall",
    "Featherstitch",
    "Fernsworth",
    "Fiddlehead",
    "Firefly Parlour",
    "Flintlock Rose",
    "Foxglove Stair",
    "Gallimaufry",
    "Gannet",
    "Glasswing",
    "Goldfinch Attic",
    "Greenbriar Knot",
    "Halyard",
    "Hartsease",
    "Honeycomb Court",
    "Hummingtop",
    "Iris Quay",
    "Ivorine",
    "Jackdaw",
    "Kestrel Lamp",
    "Kingcup",
    "Lanternfish",
    "Larkspur Dial",
    "Limewood",
    "Longcase",
    "Magpie Ledger",
    "Maplewick",
    "Marigold Hour",
    "Meadowsweet",
    "Merganser",
    "Mistlethrush",
    "Moonraker",
    "Mulberry Cipher",
    "Nightjar",
    "Oakmoss",
    "Orchard Sextant",
    "Osprey Bell",
    "Paperlark",
    "Pemberwick",
    "Periwinkle",
    "Pigeonwing",
    "Plover",
    "Quince Compass",
    "Rookery Glass",
    "Rosehip",
    "Rushlight",
    "Saltmarsh",
    "Sandpiper Reel",
    "Silverbirch",
    "Skylark Annex",
    "Snowdrop Mill",
    "Sorrel",
    "Starwort",
    "Sundial Garden",
    "Swallowtail",
    "Teasel",
    "Thimblerow",
    "Thistledown",
    "Tidewrack",
    "Turnstone",
    "Velvetleaf",
    "Wagtail",
    "Waxwing",
    "Wayfarer Ink",
    "Whimbrel",
    "Willowherb",
    "Windlass",
    "Wrenfield",
    "Yarrow",
    "Yellowhammer",
    "Zephyrine",
)
NAME_PATTERNS = (
    "The {} Hotel",
    "Hotel {}",
    "{} House",
    "The {} Rooms",
    "The {}, A Garden Hotel",
)

# Every label of the seven areas that the area model tells apart occurs.
NEIGHBORHOODS = {
    # Midtown
    "Midtown": 24,
    "Midtown East": 13,
    "Midtown West": 8,
    "Upper Midtown": 3,
    "Times Square": 19,
    "Theater District": 4,
    "Hell's Kitchen": 5,
    "Hudson Yards": 3,
    # Downtown
    "Financial District": 12,
    "TriBeCa": 6,
    "SoHo": 7,
    "Little Italy": 2,
    "NoHo": 2,
    "Lower East Side": 7,
    # Chelsea, Flatiron, NoMad
    "Chelsea": 9,
    "Flatiron": 4,
    "NoMad": 6,
    "Meatpacking District": 2,
    # Villages
    "Gramercy": 3,
    "Union Square": 2,
    "Greenwich Village": 3,
    "West Village": 2,
    "East Village": 4,
    "Murray Hill": 3,
    # Upper Manhattan
    "Upper East Side": 4,
    "Upper West Side": 4,
    "Washington Heights": 1,
    # Brooklyn
    "Brooklyn": 1,
    "Brooklyn Heights": 1,
    "Downtown Brooklyn": 3,
    "Williamsburg, Brooklyn": 5,
    "Boerum Hill, Brooklyn": 1,
    "Greenpoint, Brooklyn": 1,
    "Park Slope, Brooklyn": 1,
    # Queens
    "Long Island City, Queens": 3,
    "Rockaway Beach, Queens": 1,
}

# By stars. Each name holds a bed word, since the bed rank is read off the name.
ROOM_TYPES = {
    1: ("Dorm Bunk (1 bunk bed)", "Private Single (1 single bed)"),
    2: (
        "Cabin (1 twin bed)",
        "Compact Full (1 full bed)",
        "Compact Queen (1 queen bed)",
        "Bunk Cabin (1 bunk bed)",
        "Double Cabin (1 double bed)",
    ),
    3: (
        "King Room (1 king bed)",
        "Queen Room (1 queen bed)",
        "Double Room (2 double beds)",
        "Small Queen (1 queen bed)",
        "Twin Room (2 twin beds)",
    ),
    4: (
        "King Room (1 king bed)",
        "Double Room (2 double beds)",
        "Queen Room (1 queen bed)",
        "Corner King (1 king bed)",
        "Superior Queen (1 queen bed)",
    ),
    5: (
        "Garden King (1 king bed)",
        "Deluxe King (1 king bed)",
        "Deluxe Double (2 double beds)",
        "Library Suite (1 king bed)",
        "Deluxe Queen (1 queen bed)",
    ),
}

# By stars, beside the free WiFi that every hotel has.
AMENITIES = {
    1: ("Shared kitchen", "Lounge"),
    2: ("Air conditioning", "Lounge", "Vending area"),
    3: ("Fitness center", "Restaurant", "Bar", "Business center", "Coffee bar"),
    4: ("Fitness center", "Restaurant", "Bar", "Rooftop bar", "Pool", "City views"),
    5: ("Fitness center", "Restaurant", "Bar", "Spa", "Pool", "Concierge", "Terrace"),
}
