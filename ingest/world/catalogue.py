"""The catalogue of the offline world: four shops, 24 products, every offer of each.

No shop and no product exists. What a product is worth looking for follows one of eight
stories, so that each rule of verification decides somewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import NamedTuple

from ingest.search.market import CENT, Offer, Product, Shop

# shipping by the policy table, stated on pages, free and partly walled, never stated
BIRCH = Shop("Birch Row", "birchrow.example", "35.00", "6.99", rule="birchrow:any")
TIDE = Shop("Tideline", "tideline.example", "50.00", "3.49")
FORT = Shop("Fort Depot", "fortdepot.example", rule="fortdepot:any")
MIST = Shop("Mist Mart", "mistmart.example", None)
STORES = (BIRCH, TIDE, FORT, MIST)


class Idea(NamedTuple):
    """An offer of a story.

    Attributes
    ----------
    shop
        Who sells it.
    percent
        Its price as a share of the reference's for as many items.
    shape
        How its page states what it sells, one of ``SHAPES`` of the pages.
    relation
        One of ``RELATIONS`` of the market.
    pack
        Items as a multiple of the reference's pack; 0: one single item.
    condition, availability
        As on the page.
    walled
        Its page shows a wall to machines.
    currency
        Of its price.
    link
        How its address leads to it: ``direct``, ``moved`` (a redirect), ``gone`` (404)
        or ``home`` (a redirect to the front page).
    """

    shop: Shop
    percent: int
    shape: str = "product"
    relation: str = "same"
    pack: int = 1
    condition: str = "new"
    availability: str = "in_stock"
    walled: bool = False
    currency: str = "USD"
    link: str = "direct"


# story -> shop and shape of the reference, and all other offers
_STORIES: dict[str, tuple[Shop, str, Sequence[Idea]]] = {
    # the cheapest two cannot be verified, the third decides
    "walls": (
        *(BIRCH, "product"),
        [
            Idea(TIDE, 86, "graph"),
            Idea(FORT, 70, "product", walled=True),
            Idea(MIST, 75, "microdata"),
            Idea(FORT, 93, "microdata"),
            Idea(TIDE, 60, "og", "accessory"),
        ],
    ),
    # costs by the item: a double pack, a single one, a smaller size
    "packs": (
        *(BIRCH, "graph"),
        [
            Idea(TIDE, 81, "trailing", pack=2),
            Idea(FORT, 88, "product", pack=0),
            Idea(BIRCH, 94, "specification"),
            Idea(FORT, 55, "og", "other_size"),
            Idea(TIDE, 77, "product", "equivalent"),
        ],
    ),
    # the address selects a variant; without it the price is a range
    "variants": (
        *(TIDE, "group"),
        [
            Idea(BIRCH, 90, "group"),
            Idea(FORT, 92, "aggregate"),
            Idea(FORT, 65, "range"),
            Idea(MIST, 80, "group", "equivalent"),
        ],
    ),
    # shipping and sold-out pages leave nothing cheaper
    "nothing": (
        *(FORT, "microdata"),
        [
            Idea(BIRCH, 104, "product"),
            Idea(TIDE, 82, "product", availability="out"),
            Idea(MIST, 85, "og"),
            Idea(FORT, 103, "graph", "equivalent"),
        ],
    ),
    # used and foreign goods
    "odd": (
        *(TIDE, "product"),
        [
            Idea(FORT, 60, "product", condition="refurbished"),
            Idea(BIRCH, 72, "product", currency="EUR"),
            Idea(BIRCH, 80, "broken_beside"),
            Idea(FORT, 88, "state"),
            Idea(FORT, 85, "og", "equivalent"),
        ],
    ),
    # colour counts in fashion
    "colours": (
        *(BIRCH, "group"),
        [
            Idea(TIDE, 58, "product", "other_colour"),
            Idea(FORT, 89, "product"),
            Idea(TIDE, 83, "specification", "equivalent"),
            Idea(MIST, 70, "product", availability="out"),
        ],
    ),
    # links that lead elsewhere
    "links": (
        *(FORT, "graph"),
        [
            Idea(TIDE, 84, "aggregate", link="moved"),
            Idea(BIRCH, 66, "product", link="gone"),
            Idea(BIRCH, 68, "product", link="home"),
            Idea(FORT, 95, "trailing"),
            Idea(TIDE, 50, "product", "accessory"),
        ],
    ),
    # only another brand is cheaper
    "brands": (
        *(BIRCH, "specification"),
        [
            Idea(FORT, 79, "product", "equivalent"),
            Idea(TIDE, 87, "aggregate", "equivalent"),
            Idea(BIRCH, 101, "product"),
            Idea(MIST, 60, "product", walled=True),
        ],
    ),
}

# name, brand, category, story, price, pack, colour of its picture
_ROWS = (
    ("Drip Kettle Arne", "Nordal", "furniture_home", "walls", "48.00", 1, 0x7A5C44),
    ("Paper Filters No. 4", "Melinor", "grocery", "packs", "23.40", 6, 0xD8C9A0),
    ("Trail Jacket Moss", "Fellgate", "apparel", "colours", "89.00", 1, 0x4E6B3A),
    ("Night Light Owl", "Lumkin", "furniture_home", "nothing", "18.50", 1, 0xE8C35A),
    ("Bike Pump Mini", "Veloria", "toys_hobby", "odd", "34.90", 1, 0x33415C),
    ("Sketch Pens", "Inkhollow", "other", "packs", "15.60", 12, 0x2B2B2B),
    ("Wall Clock Oslo", "Tikkfall", "furniture_home", "variants", "57.00", 1, 0x9DB4C0),
    ("Garden Shears Pro", "Hedgewick", "furniture_home", "links", "41.25", 1, 0x6A8D3C),
    ("Hand Cream Sage", "Brookmere", "health_beauty", "brands", "14.00", 1, 0x9FB89B),
    ("Chess Set Walnut", "Rookley", "toys_hobby", "walls", "72.50", 1, 0x5A3A22),
    ("Green Lentils", "Fieldhand", "grocery", "packs", "28.80", 8, 0x7C8B4F),
    ("Wool Scarf Rust", "Lochmere", "apparel", "colours", "45.00", 1, 0xA4502F),
    ("USB Hub Seven", "Corvane", "electronics", "variants", "39.99", 1, 0x555B66),
    ("Desk Fan Breeze", "Zephyra", "electronics", "odd", "52.00", 1, 0x8FB7D9),
    ("Dog Brush Soft", "Pawsley", "other", "links", "17.75", 1, 0xC58F6A),
    ("Face Towels", "Frotta", "health_beauty", "packs", "31.00", 4, 0xEFE6DA),
    ("Puzzle Harbour", "Piecework", "toys_hobby", "nothing", "24.00", 1, 0x3F6C8A),
    ("Headphones Calm", "Audelle", "electronics", "walls", "119.00", 1, 0x22262B),
    ("Olive Oil Early", "Olivetta", "grocery", "brands", "26.50", 1, 0x8A8B2E),
    ("Rain Boots Tide", "Puddler", "apparel", "colours", "62.00", 1, 0x1F4E5F),
    ("Label Printer Tag", "Markwell", "electronics", "links", "84.00", 1, 0x70757D),
    ("Bath Salts Pine", "Saltfern", "health_beauty", "odd", "21.30", 1, 0x5F8A70),
    ("Reading Lamp Bow", "Glimmar", "furniture_home", "variants", "66.00", 1, 0xD9A441),
    ("Cat Litter Scoop", "Scoopsy", "other", "brands", "12.25", 1, 0x8896A8),
)
_FASHION = "apparel"
_PERCENT = Decimal(100)


@dataclass(frozen=True, slots=True)
class Listing:
    """One offer as the world serves it.

    Attributes
    ----------
    number
        Of the product, from 1.
    place
        Of the offer: 0 is the reference.
    offer
        What is sold.
    idea
        The story's offer that it follows.
    title
        Of its page.
    """

    number: int
    place: int
    offer: Offer
    idea: Idea
    title: str

    @property
    def code(self) -> str:
        """Return what names its page."""
        return f"{self.number:02}{self.place}"

    @property
    def path(self) -> str:
        """Return the path under which agents know it."""
        if self.idea.link == "direct":
            return self.page_path
        return f"/deals/{self.code}"

    @property
    def page_path(self) -> str:
        """Return the path of its page, once redirects are over."""
        # the software that embeds its state has paths of its own
        room = "products" if self.idea.shape == "state" else "p"
        query = f"?variant={self.code}1" if self.idea.shape == "group" else ""
        return f"/{room}/{self.code}{query}"

    @property
    def url(self) -> str:
        """Return the address under which agents know it, without a port."""
        return f"https://{self.offer.shop.host}{self.path}"


@dataclass(frozen=True, slots=True)
class Item:
    """A product of the catalogue with every page that sells it.

    Attributes
    ----------
    product
        As in the made-up market.
    listings
        The reference first.
    """

    product: Product
    listings: tuple[Listing, ...]

    @property
    def reference(self) -> Listing:
        """Return the offer that agents are to beat."""
        return self.listings[0]

    @property
    def is_fashion(self) -> bool:
        """Return whether colour counts."""
        return self.product.category == _FASHION


@cache
def catalogue() -> tuple[Item, ...]:
    """Return the products of the world.

    Returns
    -------
    tuple of Item
        24, three to a story, in their fixed order.
    """
    return tuple(_item(number, *row) for number, row in enumerate(_ROWS, 1))


def listings() -> Iterator[Listing]:
    """Yield every offer of the world."""
    for item in catalogue():
        yield from item.listings


def _item(
    number: int,
    name: str,
    brand: str,
    category: str,
    story: str,
    price: str,
    pack: int,
    colour: int,
) -> Item:
    shop, shape, ideas = _STORIES[story]
    sold = [Idea(shop, 100, shape), *ideas]
    offers = [_offer(idea, Decimal(price), pack) for idea in sold]
    product = Product(
        *(f"{name}{_packed(pack)}", brand, category, shop.host.split(".")[0]),
        offers[0],
        offers[1:],
        (colour >> 16, colour >> 8 & 255, colour & 255),
    )
    made = zip(sold, offers, strict=True)
    return Item(
        product,
        tuple(
            Listing(number, place, offer, idea, _title(brand, name, idea, offer))
            for place, (idea, offer) in enumerate(made)
        ),
    )


def _offer(idea: Idea, price: Decimal, pack: int) -> Offer:
    count = 1 if idea.pack == 0 else pack * idea.pack
    asked = price * idea.percent / _PERCENT * count / pack
    shop = replace(idea.shop, currency=idea.currency, is_walled=idea.walled)
    return Offer(
        shop,
        str(asked.quantize(CENT, ROUND_HALF_UP)),
        idea.relation,
        count,
        condition=idea.condition,
        availability=idea.availability,
    )


def _packed(pack: int | None) -> str:
    return f", {pack} Pack" if pack and pack > 1 else ""


_SUFFIXES = {
    "same": "",
    "equivalent": " (house brand)",
    "other_colour": " in grey",
    "other_size": ", travel size",
    "accessory": " replacement part",
}


def _title(brand: str, name: str, idea: Idea, offer: Offer) -> str:
    brand = "Plainway" if idea.relation == "equivalent" else brand
    used = " (Renewed)" if idea.condition != "new" else ""
    suffix = _SUFFIXES[idea.relation]
    return f"{brand} {name}{suffix}{_packed(offer.pack)}{used}"
