"""How product pages of the world state what they sell: one function for each shape.

Each returns what stands in the head of a page. Shapes are those that search.md 4.1 to
4.3 tell apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from types import MappingProxyType
from typing import Any

_SCHEMA = "https://schema.org/"
_STOCK = {"in_stock": "InStock", "out": "OutOfStock"}
_CONDITION = {"new": "NewCondition", "refurbished": "RefurbishedCondition"}
_DEARER = Decimal("1.25")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a page states.

    Attributes
    ----------
    code
        Names the page; variants add a digit to it.
    title, brand, price, currency
        Of what is sold.
    availability, condition
        As the market has them.
    shipping
        Of this order where the page states it; None: it does not.
    url, image
        Canonical address, and address of the picture.
    colours
        Names of variants, the one for sale here first.
    """

    code: str
    title: str
    brand: str
    price: Decimal
    currency: str
    availability: str
    condition: str
    shipping: Decimal | None
    url: str
    image: str
    colours: tuple[str, str] = ("natural", "black")

    @property
    def sku(self) -> str:
        """Return the number of the variant that is for sale here."""
        return f"{self.code}1"

    @property
    def list_price(self) -> Decimal:
        """Return a price that nobody pays."""
        return (self.price * _DEARER).quantize(Decimal("0.01"))


def product(facts: Facts) -> str:
    """Return a JSON-LD Product with an Offer."""
    return _script(_context(_product(facts, _offer(facts))))


def graph(facts: Facts) -> str:
    """Return a JSON-LD @graph in which the Product stands among other things."""
    shop = {"@type": "WebSite", "@id": "#site", "name": "A shop"}
    trail = {"@type": "BreadcrumbList", "itemListElement": []}
    made = {**_product(facts, {"@id": "#offer"}), "@id": facts.url}
    offer = {**_offer(facts), "@id": "#offer"}
    return _script(_context({"@graph": [shop, trail, made, offer]}))


def group(facts: Facts) -> str:
    """Return a JSON-LD ProductGroup whose dearer variant is not for sale here."""
    variants = []
    for place, colour in enumerate(facts.colours, 1):
        price = facts.price if place == 1 else facts.list_price
        sku = f"{facts.code}{place}"
        variants.append(
            {
                **_product(facts, {**_offer(facts), "price": str(price)}),
                **{"sku": sku, "color": colour},
                "url": f"{facts.url.partition('?')[0]}?variant={sku}",
            }
        )
    return _script(
        _context(
            {
                "@type": "ProductGroup",
                "name": facts.title,
                "brand": {"@type": "Brand", "name": facts.brand},
                "image": facts.image,
                "productGroupID": facts.code,
                "variesBy": f"{_SCHEMA}color",
                "hasVariant": variants,
            }
        )
    )


def aggregate(facts: Facts) -> str:
    """Return a JSON-LD AggregateOffer whose ends are the same."""
    price = str(facts.price)
    offer = {
        "@type": "AggregateOffer",
        **{"lowPrice": price, "highPrice": price, "offerCount": 1},
        "priceCurrency": facts.currency,
        "availability": _stock(facts),
        "offers": [_offer(facts)],
    }
    return _script(_context(_product(facts, offer)))


def price_range(facts: Facts) -> str:
    """Return a JSON-LD AggregateOffer whose ends differ: no single price."""
    offer = {
        "@type": "AggregateOffer",
        **{"lowPrice": str(facts.price), "highPrice": str(facts.list_price)},
        "priceCurrency": facts.currency,
        "availability": _stock(facts),
    }
    return _script(_context(_product(facts, offer)))


def specification(facts: Facts) -> str:
    """Return a JSON-LD Offer that tells the price beside a struck one."""
    offer = _offer(facts)
    del offer["price"]
    ends = {"priceCurrency": facts.currency, "@type": "UnitPriceSpecification"}
    struck = {"price": str(facts.list_price), "priceType": f"{_SCHEMA}ListPrice"}
    offer["priceSpecification"] = [
        {**ends, **struck},
        {**ends, "price": str(facts.price)},
    ]
    return _script(_context(_product(facts, offer)))


def trailing(facts: Facts) -> str:
    """Return JSON-LD that ends with a semicolon, in a script of an odd type."""
    text = json.dumps(_context(_product(facts, _offer(facts))))
    return f'<script type="application/LD+JSON; charset=utf-8">{text};\n</script>'


def broken_beside(facts: Facts) -> str:
    """Return good JSON-LD beside a script that cannot be read."""
    broken = '<script type="application/ld+json">{"@type": "Organization", </script>'
    return broken + product(facts)


def opengraph(facts: Facts) -> str:
    """Return Open Graph and product meta tags, and nothing else."""
    stock = {"in_stock": "instock", "out": "oos"}[facts.availability]
    tags = {
        "og:type": "product",
        "og:title": facts.title,
        "og:image": facts.image,
        "og:url": facts.url,
        "product:brand": facts.brand,
        "product:price:amount": str(facts.price),
        "product:price:currency": facts.currency,
        "product:availability": stock,
        "product:condition": "new" if facts.condition == "new" else "refurbished",
    }
    return "".join(
        f'<meta property="{name}" content="{escape(value)}">'
        for name, value in tags.items()
    )


def state(facts: Facts) -> str:
    """Return the state that a widespread shop software embeds, prices in cents."""
    cents = int(facts.price * 100)
    sold = {"price": cents, "available": facts.availability == "in_stock"}
    made = {
        "id": int(facts.code),
        "title": facts.title,
        "vendor": facts.brand,
        "featured_image": facts.image,
        **{**sold, "compare_at_price": None},
        "variants": [{"id": int(facts.sku), "sku": facts.sku, **sold}],
    }
    text = json.dumps(made)
    return f'<script type="application/json" data-product-json>{text}</script>'


def microdata(facts: Facts) -> str:
    """Return nothing for the head: ``microdata_body`` states everything."""
    return ""


def microdata_body(facts: Facts) -> str:
    """Return a Product as itemprop attributes, for the body of a page."""
    return (
        f'<div itemscope itemtype="{_SCHEMA}Product">'
        f'<span itemprop="name">{escape(facts.title)}</span>'
        f'<meta itemprop="brand" content="{escape(facts.brand)}">'
        f'<img itemprop="image" src="{facts.image}" alt="">'
        f'<div itemprop="offers" itemscope itemtype="{_SCHEMA}Offer">'
        f'<meta itemprop="price" content="{facts.price}">'
        f'<meta itemprop="priceCurrency" content="{facts.currency}">'
        f'<link itemprop="availability" href="{_stock(facts)}">'
        f'<link itemprop="itemCondition" href="{_SCHEMA}{_CONDITION[facts.condition]}">'
        "</div></div>"
    )


SHAPES: Mapping[str, Callable[[Facts], str]] = MappingProxyType(
    {
        "product": product,
        "graph": graph,
        "group": group,
        "aggregate": aggregate,
        "range": price_range,
        "specification": specification,
        "trailing": trailing,
        "broken_beside": broken_beside,
        "og": opengraph,
        "microdata": microdata,
        "state": state,
    }
)


def _product(facts: Facts, offer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "Product",
        "name": facts.title,
        "brand": {"@type": "Brand", "name": facts.brand},
        "image": [facts.image],
        "sku": facts.sku,
        "url": facts.url,
        "offers": dict(offer),
    }


def _offer(facts: Facts) -> dict[str, Any]:
    made: dict[str, Any] = {
        "@type": "Offer",
        "price": str(facts.price),
        "priceCurrency": facts.currency,
        "availability": _stock(facts),
        "itemCondition": f"{_SCHEMA}{_CONDITION[facts.condition]}",
    }
    if facts.shipping is not None:
        made["shippingDetails"] = {
            "@type": "OfferShippingDetails",
            "shippingRate": {
                "@type": "MonetaryAmount",
                "value": str(facts.shipping),
                "currency": facts.currency,
            },
            "shippingDestination": {"@type": "DefinedRegion", "addressCountry": "US"},
        }
    return made


def _stock(facts: Facts) -> str:
    return f"{_SCHEMA}{_STOCK[facts.availability]}"


def _context(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"@context": "https://schema.org", **body}


def _script(body: Mapping[str, Any]) -> str:
    # a title may hold what would end the script
    text = json.dumps(body, sort_keys=True).replace("</", "<\\/")
    return f'<script type="application/ld+json">{text}</script>'
