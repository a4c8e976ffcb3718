"""A product page as the walk meets it: what it says, its text and its picture."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from ingest.search.pages.page import ProductPage

HTTP, RENDERED, SAVED = "http", "rendered", "human_saved_dom"


class Answer(Protocol):
    """What fetching an address gave."""

    @property
    def final_url(self) -> str:
        """Return where redirects ended."""

    @property
    def status(self) -> int | None:
        """Return the HTTP status, None where there was no answer."""

    @property
    def body(self) -> bytes:
        """Return the bytes."""

    @property
    def error(self) -> str | None:
        """Return why there was none, in one line."""


class Normalised(Protocol):
    """A picture as every agent and judge will see it (search.md 4.7)."""

    @property
    def data(self) -> bytes:
        """Return the JPEG."""

    @property
    def width(self) -> int:
        """Return its width in pixels."""

    @property
    def height(self) -> int:
        """Return its height in pixels."""


class ReadPage(Protocol):
    """Reading a product page, as ``ingest.search.pages.page.read_page`` does."""

    def __call__(
        self,
        html: str,
        url: str,
        *,
        status: int = 200,
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
class Picture:
    """A frozen picture: JPEG, its size in pixels, and where it came from."""

    data: bytes
    width: int
    height: int
    source_url: str

    @property
    def sha256(self) -> str:
        """Return the hash of its bytes."""
        return hashlib.sha256(self.data).hexdigest()


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
    read_page
        Text -> product page.
    canonical
        Address -> the one address of the page; raises ValueError for none.
    picture
        Bytes -> normalised picture, None where they are none that can be used.
    now
        The time, UTC.
    render
        Address -> answer from a browser; None where no such service is set up.
    shipping
        Page and retailer -> shipping, None where it is unknown (X10); None leaves it to
        the phase after this one.
    ask
        Question -> a model's reply, for the order of a list; with ``model``, its name.
    """

    fetch: Callable[[str], Awaitable[Answer]]
    read_page: ReadPage
    canonical: Callable[[str], str]
    picture: Callable[[bytes], Normalised | None]
    now: Callable[[], datetime]
    render: Callable[[str], Awaitable[Answer]] | None = None
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
