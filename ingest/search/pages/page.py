"""A product page as one record, merged field by field from what the page says (4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from ingest.search.pages.pack import Pack


@dataclass(frozen=True, slots=True)
class ProductPage:
    """What a product page says, and how far it could be read.

    Attributes
    ----------
    url, final_url
        As asked for, and where redirects ended; both with their fragment.
    http_status
        Of the last answer; None where there was none.
    state
        ``ok``; ``blocked`` (a wall for machines, or the shop is busy); ``dead`` (gone,
        or sent to a page that is no product's); ``unreadable``. The fields below are
        empty unless it is ``ok``.
    title, brand, image_url, canonical_url
        As on the page, addresses made absolute; None where the page has none.
    price, currency
        The one standing price, above zero; None where there is not one.
    list_price
        Price that the page shows as the usual one.
    has_range
        Several prices and none of them selected, so that there is no single one.
    availability
        ``in_stock``, ``not_now``, ``out``, ``store_only`` or ``unknown``.
    condition
        ``new`` or ``not_new``.
    pack
        Read from the title.
    gtin, mpn, sku
        Of the selected variant where there is one.
    shipping
        What the page asks of every buyer in the United States; None: not said.
    free_shipping_threshold
        Item price from which the page says that shipping is free.
    variant
        ``size`` and ``color`` of the selected variant.
    source
        Where the price came from, as ``extraction.source`` has it; None without one.
    warnings
        Names of what a person should look at, each once.
    """

    url: str
    final_url: str
    http_status: int | None
    state: str
    title: str | None = None
    brand: str | None = None
    image_url: str | None = None
    canonical_url: str | None = None
    price: Decimal | None = None
    currency: str | None = None
    list_price: Decimal | None = None
    has_range: bool = False
    availability: str = "unknown"
    condition: str = "new"
    pack: Pack = field(default_factory=Pack)
    gtin: str | None = None
    mpn: str | None = None
    sku: str | None = None
    shipping: Decimal | None = None
    free_shipping_threshold: Decimal | None = None
    variant: Mapping[str, str | None] = field(
        default_factory=lambda: {"size": None, "color": None}
    )
    source: str | None = None
    warnings: tuple[str, ...] = ()


def read_page(
    html: str,
    url: str,
    *,
    status: int = 200,
    now: datetime,
    final_url: str | None = None,
) -> ProductPage:
    """Return what a page says.

    Parameters
    ----------
    html
        Its text; anything.
    url
        As asked for, fragment included: it may select a variant.
    status
        HTTP status of the answer.
    now
        When it was fetched, with its time zone; prices may have an end.
    final_url
        Where redirects ended; None: at ``url``.

    Returns
    -------
    ProductPage
        Never an exception, whatever the text.
    """
    raise NotImplementedError
