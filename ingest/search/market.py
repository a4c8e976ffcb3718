"""A made-up market: ten products, the shops that sell them, and every offer there is.

No shop and no product exists, but for one host: the rule for members of amazon.com asks
for its name, so the offers that the rule concerns stand there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Shop:
    """A shop and its shipping rule.

    Attributes
    ----------
    name, host
        As shown and as in addresses.
    threshold
        Item price from which shipping is free, inclusive; None: not known. A shop
        without a rule in the policy table has no ``rule``.
    below
        Shipping below it.
    surcharge_pct
        Percent of the item price that a buyer pays on top.
    min_order
        Least item price that is sold alone.
    rule
        Row of the policy table; None: shipping stands on the page.
    is_walled
        Pages cannot be read by a machine.
    currency
        Of its prices.
    """

    name: str
    host: str
    threshold: str | None = "0.00"
    below: str = "0.00"
    surcharge_pct: str | None = None
    min_order: str | None = None
    rule: str | None = None
    is_walled: bool = False
    currency: str = "USD"

    def shipping(self, price: Decimal) -> Decimal | None:
        """Return shipping of one order, None where it is not known."""
        if self.threshold is None:
            return None
        free = price >= Decimal(self.threshold)
        return Decimal("0.00") if free else Decimal(self.below)

    def fees(self, price: Decimal) -> Decimal:
        """Return the surcharge on one order, rounded half up."""
        share = Decimal(self.surcharge_pct or "0") / 100
        return (price * share).quantize(CENT, ROUND_HALF_UP)


AMAZON = Shop("Amazon", "amazon.com", "35.00", "6.99", rule="amazon:first_party")
LARDER = Shop("Larder", "larder.example", "35.00", "6.99", rule="larder:any")
BULK = Shop("Bulk Barn", "bulkbarn.example", surcharge_pct="5", rule="bulkbarn:any")
PANTRY = Shop("Pet Pantry", "petpantry.example", "49.00", "4.95", rule="petpantry:any")
CORNER = Shop(
    "Corner",
    "corner.example",
    threshold="35.00",
    below="5.99",
    min_order="25.00",
    rule="corner:any",
)
PLAIN = Shop("Plain Goods", "plaingoods.example", rule="plaingoods:any")
OUTLET = Shop("Outlet", "outlet.example", "60.00", "7.50")
HARBOR = Shop("Harbor Supply", "harborsupply.example", "25.00", "3.49")
WALLED = Shop("Castle", "castle.example", is_walled=True)
OVERSEAS = Shop("Overseas", "overseas.example", currency="EUR")
MYSTERY = Shop("Mystery Mart", "mysterymart.example", None, rule="mysterymart:any")
SHOPS = (
    *(AMAZON, LARDER, BULK, PANTRY, CORNER, PLAIN, OUTLET, HARBOR, WALLED, OVERSEAS),
    MYSTERY,
)

# what an offer is in relation to the reference -> whether the exact track, and the
# other track, should take it
RELATIONS = {
    "same": (True, True),
    "equivalent": (False, True),
    "other_colour": (False, False),
    "other_size": (False, False),
    "accessory": (False, False),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A page that sells something.

    Attributes
    ----------
    shop
        Who sells it.
    price
        Of the item, without shipping.
    relation
        One of ``RELATIONS``.
    pack
        Identical items; None: the page leaves it open.
    votes
        How the three seats vote, V, I or - (no vote); None: by what the offer is.
    sure
        Agents that always find it.
    claim
        Item price that agents claim instead of the true one.
    condition, availability
        As on the page.
    """

    shop: Shop
    price: str
    relation: str = "same"
    pack: int | None = 1
    votes: str | None = None
    sure: tuple[str, ...] = ()
    claim: str | None = None
    condition: str = "new"
    availability: str = "in_stock"


@dataclass(frozen=True, slots=True)
class Product:
    """A product with its reference offer and all other offers.

    Attributes
    ----------
    name, brand, category, retailer
        In words; the category and retailer are those of the cell.
    reference
        The offer that agents are to beat.
    offers
        All others.
    colour
        Of its picture.
    unit
        Size of one item.
    """

    name: str
    brand: str
    category: str
    retailer: str
    reference: Offer
    offers: Sequence[Offer]
    colour: tuple[int, int, int]
    unit: tuple[str, str] = ("1", "item")


PRODUCTS = (
    # a multipack at a shop that the scenario for members concerns
    Product(
        *("Oat Drink Barista, 12 Pack", "Haverlane", "grocery", "amazon"),
        Offer(AMAZON, "19.99", pack=12),
        [
            Offer(AMAZON, "18.49", pack=12, sure=("bazaar",)),
            Offer(LARDER, "35.00", pack=24, sure=("thorough",)),
            Offer(PLAIN, "2.15", sure=("frugal",)),
            Offer(BULK, "21.90", pack=12),
            Offer(PLAIN, "20.40", "equivalent", pack=12),
            Offer(HARBOR, "19.20", "other_size", pack=6),
        ],
        (222, 184, 135),
        ("32", "fl oz"),
    ),
    # the threshold for free shipping is inclusive: one cent more is cheaper
    Product(
        *("Coffee Beans Dawn Roast", "Mornwell", "grocery", "longtail"),
        Offer(LARDER, "34.99"),
        [
            Offer(LARDER, "35.00", sure=("thorough", "frugal")),
            Offer(HARBOR, "36.50"),
            Offer(OUTLET, "29.90", sure=("hasty",), claim="24.90"),
            Offer(PLAIN, "31.00", "equivalent", sure=("bazaar",)),
            Offer(CORNER, "9.50", "accessory", sure=("hasty",)),
        ],
        (94, 60, 30),
        ("2", "lb"),
    ),
    # what cannot count: walled, foreign, used, sold out
    Product(
        *("Travel Charger 65 W", "Voltaire & Sons", "electronics", "longtail"),
        Offer(HARBOR, "45.00"),
        [
            Offer(WALLED, "24.00", sure=("thorough", "bazaar")),
            Offer(OVERSEAS, "27.00", sure=("scattered",)),
            Offer(OUTLET, "28.00", condition="refurbished", sure=("hasty",)),
            Offer(PLAIN, "38.50", sure=("thorough",)),
            Offer(CORNER, "39.00", availability="out", sure=("hasty",)),
            Offer(MYSTERY, "30.00", sure=("bazaar",)),
            Offer(PLAIN, "33.00", "equivalent"),
        ],
        (70, 70, 80),
    ),
    # fashion: the panel overlooks a colour, a person does not
    Product(
        *("Running Socks Blue, 6 Pairs", "Fleetfoot", "apparel", "amazon"),
        Offer(AMAZON, "24.00", pack=6),
        [
            Offer(OUTLET, "9.90", "other_colour", 6, "VVI", ("hasty", "thorough")),
            Offer(AMAZON, "22.50", pack=6, sure=("bazaar",)),
            Offer(PLAIN, "25.80", pack=6, sure=("thorough",)),
            Offer(HARBOR, "13.00", pack=3),
            Offer(PLAIN, "21.00", "equivalent", pack=6),
        ],
        (30, 90, 200),
    ),
    # shipping eats it: nobody finds anything cheaper
    Product(
        *("Desk Lamp Heron", "Lumenry", "furniture_home", "longtail"),
        Offer(PLAIN, "30.00"),
        [
            Offer(OUTLET, "22.60", sure=("thorough", "frugal")),
            Offer(LARDER, "23.50"),
            Offer(BULK, "29.00", sure=("bazaar",)),
            Offer(OUTLET, "23.00", "equivalent"),
        ],
        (245, 200, 60),
    ),
    # void: the reference page was gone the next day
    Product(
        *("Wooden Train Set", "Railwick", "toys_hobby", "longtail"),
        Offer(HARBOR, "48.00"),
        [Offer(PLAIN, "41.00", sure=("thorough",)), Offer(OUTLET, "39.00")],
        (180, 60, 60),
    ),
    # a pack that the page leaves open, which a person settles
    Product(
        *("Shampoo Cedar, Pack of 2", "Brook & Bay", "health_beauty", "longtail"),
        Offer(CORNER, "25.00", pack=2),
        [
            Offer(PLAIN, "32.00", pack=None, sure=("thorough", "frugal")),
            Offer(HARBOR, "13.40"),
            Offer(LARDER, "26.00", pack=2, sure=("bazaar",)),
            Offer(PLAIN, "23.80", "equivalent", pack=2, sure=("hasty",)),
            Offer(OUTLET, "12.00", "other_size", 1, "IIV"),
        ],
        (110, 160, 120),
        ("12", "fl oz"),
    ),
    # a judge who cannot be read, one who errs: no majority until a person rules
    Product(
        *("Board Game Copper Coast", "Meeplewood", "toys_hobby", "longtail"),
        Offer(PLAIN, "44.00"),
        [
            Offer(HARBOR, "33.00", votes="VI-", sure=("thorough", "bazaar")),
            Offer(OUTLET, "36.00", votes="V--", sure=("scattered",)),
            Offer(LARDER, "37.50", votes="V-V", sure=("frugal",)),
            Offer(PLAIN, "14.00", "accessory", sure=("hasty",)),
            Offer(CORNER, "35.00", "equivalent", votes="IIV"),
        ],
        (200, 120, 60),
    ),
    # a surcharge, and an order too small to be sold alone
    Product(
        *("Cat Food Salmon, 24 Cans", "Whiskerby", "other", "petpantry"),
        Offer(PANTRY, "47.52", pack=24),
        [
            Offer(BULK, "44.00", pack=24, sure=("thorough",)),
            Offer(CORNER, "18.00", pack=12, sure=("hasty", "frugal")),
            Offer(PANTRY, "49.50", pack=24, sure=("bazaar",)),
            Offer(HARBOR, "24.10", pack=12, votes="III", sure=("scattered",)),
            Offer(PLAIN, "46.80", "equivalent", pack=24),
        ],
        (240, 140, 120),
        ("3", "oz"),
    ),
    # the reference itself comes back, cheaper than it was frozen
    Product(
        *("Vacuum Bags Type G, 10 Pack", "Dustwell", "furniture_home", "amazon"),
        Offer(AMAZON, "21.00", pack=10),
        [
            Offer(PLAIN, "18.90", pack=10, sure=("thorough", "hasty"), claim="17.50"),
            Offer(HARBOR, "10.20", pack=5, sure=("frugal",)),
            Offer(AMAZON, "20.10", pack=10, sure=("bazaar",)),
            Offer(PLAIN, "16.00", "equivalent", pack=10, sure=("bazaar",)),
            Offer(OUTLET, "6.00", "accessory", pack=10),
        ],
        (150, 150, 160),
    ),
)

# products by their number from 1, for what happens to some of them
VOID, SELF_MATCH, CORRECTED = 6, 10, 2
