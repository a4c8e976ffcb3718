"""A product page as one record, merged field by field from what the page says (4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from selectolax.lexbor import LexborHTMLParser

from ingest.search.pages.facts import PAGE_TOO_DEEP
from ingest.search.pages.merge import Read, merge, read_sources
from ingest.search.pages.pack import Pack, read_pack
from ingest.search.pages.state import (
    BLOCKED,
    DEAD,
    OK,
    UNREADABLE,
    is_sent_away,
    is_walled,
    page_text,
    state_of_status,
)
from ingest.search.pages.stock import condition
from ingest.search.pages.tame import is_tame
from ingest.web import Fetched


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
    status: int | None = 200,
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
        HTTP status of the answer; None where there was none.
    now
        When it was fetched, with its time zone; prices may have an end.
    final_url
        Where redirects ended; None: at ``url``.

    Returns
    -------
    ProductPage
        Never an exception, whatever the text.
    """
    final = final_url or url
    state = state_of_status(status)
    if state != OK:
        return ProductPage(url, final, status, state)
    if not is_tame(html):
        return ProductPage(url, final, status, UNREADABLE, warnings=(PAGE_TOO_DEEP,))
    # a lone surrogate has no bytes
    tree = LexborHTMLParser(html.encode("utf-8", "replace"))
    read = read_sources(html, tree, final, now)
    if read.title is None or (not read.has_data and is_walled(tree)):
        return ProductPage(url, final, status, BLOCKED)
    if not read.has_data and is_sent_away(url, final):
        return ProductPage(url, final, status, DEAD)
    return _page(url, final, status, read)


def read_fetched(fetched: Fetched, now: datetime) -> ProductPage:
    """Return what a fetched page says.

    Parameters
    ----------
    fetched
        From ``ingest.web.fetch``.
    now
        When it was fetched, with its time zone.

    Returns
    -------
    ProductPage
        ``unreadable`` with the name of the error where no whole page arrived.
    """
    if fetched.error is not None:
        return ProductPage(
            *(fetched.url, fetched.final_url, fetched.status, UNREADABLE),
            warnings=(fetched.error,),
        )
    return read_page(
        page_text(fetched.body, fetched.headers.get("content-type", "")),
        fetched.url,
        status=fetched.status,
        now=now,
        final_url=fetched.final_url,
    )


def _page(url: str, final: str, status: int | None, read: Read) -> ProductPage:
    merged = merge(read)
    title = read.title or ""
    return ProductPage(
        url=url,
        final_url=final,
        http_status=status,
        state=OK,
        title=title,
        brand=read.first("brand"),
        image_url=read.address("image_url"),
        canonical_url=read.selection.canonical_url or read.address("canonical_url"),
        price=merged.price,
        currency=merged.currency,
        list_price=merged.list_price,
        has_range=merged.has_range,
        availability=merged.availability,
        condition=condition(read.first("condition"), title),
        pack=read_pack(title),
        gtin=read.first("gtin"),
        mpn=read.first("mpn"),
        sku=read.first("sku"),
        shipping=merged.shipping,
        free_shipping_threshold=merged.free_shipping_threshold,
        variant={"size": read.first("size"), "color": read.first("color")},
        source=merged.source,
        warnings=merged.warnings,
    )
