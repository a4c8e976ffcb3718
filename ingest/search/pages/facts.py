"""What one source of a page says, before sources are merged (4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from ingest.search.pages.stock import UNKNOWN

JSON_LD, OPEN_GRAPH, MICRODATA = "json-ld", "opengraph", "microdata"
EMBEDDED, DOM = "embedded-state", "dom"
# in the order in which they are believed
SOURCES = (JSON_LD, OPEN_GRAPH, MICRODATA, EMBEDDED, DOM)

# names of what a person should look at
PRICE_CONFLICT = "price_conflict"
PRICE_EXPIRED = "price_expired"
CENTS_SUSPECTED = "cents_suspected"
PRODUCT_AMBIGUOUS = "product_ambiguous"
VARIANT_UNCONFIRMED = "variant_unconfirmed"
JSONLD_UNPARSABLE = "jsonld_unparsable"
PAGE_TOO_DEEP = "page_too_deep"
DOES_NOT_SHIP = "does_not_ship"


@dataclass(frozen=True, slots=True)
class Facts:
    """What one source says of the product; None and ``unknown`` where it is silent.

    Attributes
    ----------
    source
        One of ``SOURCES``.
    title, brand, image_url, gtin, mpn, sku, size, color, canonical_url
        Of the selected variant where there is one, addresses as written.
    price, currency, list_price
        The one standing price and the usual one.
    has_range
        Several prices, none of them selected.
    is_selected
        The price is that of the variant which the address selects.
    availability, condition
        As `ProductPage` has them; condition None where the source is silent.
    shipping, free_shipping_threshold
        To a buyer in the United States.
    warnings
        What a person should look at.
    """

    source: str
    title: str | None = None
    brand: str | None = None
    image_url: str | None = None
    canonical_url: str | None = None
    price: Decimal | None = None
    currency: str | None = None
    list_price: Decimal | None = None
    has_range: bool = False
    is_selected: bool = False
    availability: str = UNKNOWN
    condition: str | None = None
    gtin: str | None = None
    mpn: str | None = None
    sku: str | None = None
    size: str | None = None
    color: str | None = None
    shipping: Decimal | None = None
    free_shipping_threshold: Decimal | None = None
    warnings: tuple[str, ...] = ()
