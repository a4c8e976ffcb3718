"""A product page as the walk meets it: what it says, its text and its picture."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from ingest.search.address import canonical
from ingest.search.pages.page import ProductPage, read_page
from ingest.search.pages.picture import Picture, read_picture
from ingest.web import Fetched

HTTP, RENDERED, SAVED = "http", "rendered", "human_saved_dom"
Fetch = Callable[[str], Awaitable[Fetched]]


class ReadPage(Protocol):
    """Reading a product page, as ``ingest.search.pages.page.read_page`` does."""

    def __call__(
        self,
        html: str,
        url: str,
        *,
        status: int | None = 200,
        now: datetime,
        final_url: str | None = None,
    ) -> ProductPage:
        """Return what the page says."""


@dataclass(frozen=True, slots=True)
class Shipping:
    """What it costs to have a reference sent, as far as sourcing can tell.

    Attributes
    ----------
    amount, fees
        US dollars.
    source, policy_row, note
        As in ``tasks.json``.
    """

    amount: Decimal
    fees: Decimal
    source: str
    policy_row: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Visit:
    """A product page that was looked at.

    Attributes
    ----------
    page
        What it says.
    text
        Its words, as a visitor sees them.
    picture
        None where it has none that can be used.
    html
        As it came.
    fetcher
        ``http``, ``rendered`` or ``human_saved_dom``.
    at
        When, UTC.
    refusal
        Why no fetcher got it, in one line; None where one did.
    """

    page: ProductPage
    text: str
    picture: Picture | None
    html: bytes
    fetcher: str
    at: datetime
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Tools:
    """What sourcing reaches the world with; tests and the offline world give others.

    Attributes
    ----------
    fetch
        Address -> answer; never raises for what a server does.
    now
        The time, UTC.
    read_page
        Text -> product page.
    canonical
        Address -> the one address of the page; raises ValueError for none.
    picture
        Bytes -> normalised picture, None where they are none that can be used.
    render
        Address -> answer from a browser; None where no such service is set up.
    shipping
        Page and retailer -> shipping, None where it is unknown (X10); None leaves it to
        the phase after this one.
    ask
        Question -> a model's reply, for the order of a list; with ``model``, its name.
    """

    fetch: Fetch
    now: Callable[[], datetime]
    read_page: ReadPage = read_page
    canonical: Callable[[str], str] = canonical
    picture: Callable[[bytes], Picture | None] = read_picture
    render: Fetch | None = None
    shipping: Callable[[ProductPage, str], Shipping | None] | None = None
    ask: Callable[[str], Awaitable[str]] | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Seated:
    """What is taken already.

    Attributes
    ----------
    urls
        Canonical addresses of the products chosen so far.
    brands
        Normal brand -> retailers whose cells have it.
    """

    urls: frozenset[str] = frozenset()
    brands: Mapping[str, frozenset[str]] | None = None

    def retailers(self, brand: str) -> frozenset[str]:
        """Return the retailers that have a brand, by its normal name."""
        return (self.brands or {}).get(brand, frozenset())
