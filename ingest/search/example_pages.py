"""Pages of the made-up market: addresses, titles, pictures and snapshots."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Any

from ingest.search.market import Offer, Product
from ingest.search.picture import picture
from ingest.search.read_panel import candidate_id

_SUFFIXES = {
    "same": "",
    "equivalent": " (house brand)",
    "other_colour": " in grey",
    "other_size": ", travel size",
    "accessory": " replacement cap",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One offer as a page.

    Attributes
    ----------
    product
        Number of the product in the market, from 1.
    task_id
        Its id in the run.
    offer
        What it sells.
    title
        Of the page.
    url
        Its canonical address.
    image
        Bytes of its picture.
    snapshot
        Its HTML; empty for a page that no machine can read.
    """

    product: int
    task_id: str
    offer: Offer
    title: str
    url: str
    image: bytes
    snapshot: str

    @property
    def candidate_id(self) -> str:
        """Return the id of the candidate that it is for its product."""
        return candidate_id(self.task_id, self.url)

    @property
    def image_sha256(self) -> str:
        """Return the hash of its picture."""
        return hashlib.sha256(self.image).hexdigest()

    @property
    def evidence(self) -> str | None:
        """Return the hash of its snapshot, None where there is none."""
        if not self.snapshot:
            return None
        return hashlib.sha256(self.snapshot.encode()).hexdigest()

    @property
    def price(self) -> Decimal:
        """Return the item price."""
        return Decimal(self.offer.price)

    @property
    def shipping(self) -> Decimal | None:
        """Return shipping of one order, None where it is not known."""
        return self.offer.shop.shipping(self.price)

    @property
    def fees(self) -> Decimal:
        """Return the surcharge of one order."""
        return self.offer.shop.fees(self.price)

    @property
    def landed(self) -> Decimal | None:
        """Return what a buyer pays, None where shipping is not known."""
        shipping = self.shipping
        return None if shipping is None else self.price + shipping + self.fees

    def files(self) -> dict[str, bytes]:
        """Return picture and snapshot by their names within the run folder."""
        found = {f"images/{self.image_sha256}.jpg": self.image}
        if self.snapshot:
            packed = gzip.compress(self.snapshot.encode(), mtime=0)
            found[f"evidence/{self.evidence}.html.gz"] = packed
        return found


def pages_of(number: int, task_id: str, product: Product) -> tuple[Page, list[Page]]:
    """Return the reference page of a product and the pages of all other offers.

    Parameters
    ----------
    number
        Of the product in the market, from 1.
    task_id
        Its id in the run.
    product
        The product.

    Returns
    -------
    tuple of Page and list of Page
        In the order of the market.
    """
    made = [
        _page(number, task_id, product, offer, place)
        for place, offer in enumerate([product.reference, *product.offers])
    ]
    return made[0], made[1:]


def _page(
    number: int, task_id: str, product: Product, offer: Offer, place: int
) -> Page:
    shop, name = offer.shop, product.name.split(",")[0]
    packs = {None: " family pack", 1: ""}.get(offer.pack, f", {offer.pack} Pack")
    title = f"{product.brand} {name}{_SUFFIXES[offer.relation]}{packs}"
    code = f"{number:02}{place:02}"
    path = f"dp/B0EXAMPL{number % 10}{place}" if "amazon" in shop.host else f"p/{code}"
    shade = tuple(max(0, level - 12 * place) for level in product.colour)
    stripes = [(255, 255, 255), (shade[0], shade[1], shade[2]), product.colour]
    url = f"https://{shop.host}/{path}"
    stock = {"in_stock": "InStock", "out": "OutOfStock"}[offer.availability]
    data = {
        **{"@context": "https://schema.org", "@type": "Product", "name": title},
        "brand": product.brand,
        "offers": {
            **{"@type": "Offer", "price": offer.price, "priceCurrency": shop.currency},
            "availability": f"https://schema.org/{stock}",
        },
    }
    return Page(
        product=number,
        task_id=task_id,
        offer=offer,
        title=title,
        url=url,
        image=picture([*stripes, stripes[(number + place) % 3]]),
        snapshot="" if shop.is_walled else _snapshot(title, url, data),
    )


def _snapshot(title: str, url: str, data: dict[str, Any]) -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>{escape(title)}</title>'
        f'<link rel="canonical" href="{url}"><script type="application/ld+json">'
        f"{json.dumps(data, sort_keys=True)}</script></head>"
        f"<body><h1>{escape(title)}</h1></body></html>\n"
    )
