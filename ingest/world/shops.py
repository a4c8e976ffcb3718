"""The shops of the world: any path of a shop, and what is sent for it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from html import escape

from ingest.search.market import Shop
from ingest.search.picture import picture
from ingest.world.catalogue import STORES, TIDE, Listing, catalogue, listings
from ingest.world.sent import Sent
from ingest.world.shapes import SHAPES, Facts, microdata_body

_HTML = {"content-type": "text/html; charset=utf-8"}
_WALL = (
    "<!doctype html><title>Access denied</title><h1>Robot check</h1>"
    "<p>Please complete the captcha to verify you are human.</p>"
)
# before each product that tasks are made of stand so many others
_FILLERS = 2
HOSTS = tuple(shop.host for shop in STORES)


def shop_page(host: str, path: str) -> Sent:
    """Return what a shop sends.

    Parameters
    ----------
    host
        Of the shop, without a port.
    path
        Path, without the query: variants of a product share their page.

    Returns
    -------
    Sent
        ``/`` and ``/best/<category>`` are lists, ``/p/<code>`` and ``/products/<code>``
        products, ``/img/…`` pictures; ``/deals/<code>`` lead elsewhere or nowhere. 404
        for anything else.
    """
    room, _, name = path.lstrip("/").partition("/")
    if room == "":
        return _page("Welcome", _links(host))
    if room == "best" and (host, name) in best_sellers():
        return _page(f"Best sellers: {name}", _list(best_sellers()[host, name]))
    if room == "img":
        return _picture(host, name.removesuffix(".jpg"))
    listing = _by_code().get((host, name))
    if listing is None:
        return _page("Not found", "<p>There is no such page.</p>", 404)
    if path == listing.page_path.partition("?")[0]:
        return _product_page(listing)
    return _link(listing, room)


@cache
def best_sellers() -> Mapping[tuple[str, str], tuple[Listing, ...]]:
    """Return the lists of best sellers by host and category.

    Returns
    -------
    mapping
        Host and category to listings, the best seller first. Ranks 3, 6 and so on are
        the products that tasks are made of; the others are whatever the shop sells.
    """
    found: dict[tuple[str, str], list[Listing]] = {}
    others = {host: [one for one in listings() if _fills(one, host)] for host in HOSTS}
    for item in catalogue():
        host = item.reference.offer.shop.host
        ranked = found.setdefault((host, item.product.category), [])
        fill = others[host]
        start = len(ranked) // (_FILLERS + 1) * _FILLERS
        ranked += [fill[(start + n) % len(fill)] for n in range(_FILLERS)]
        ranked.append(item.reference)
    return {key: tuple(ranked) for key, ranked in found.items()}


def _fills(listing: Listing, host: str) -> bool:
    return listing.place > 0 and listing.offer.shop.host == host


@cache
def _by_code() -> Mapping[tuple[str, str], Listing]:
    return {(one.offer.shop.host, one.code): one for one in listings()}


def _links(host: str) -> str:
    names = [category for at, category in best_sellers() if at == host]
    return "".join(f'<a href="/best/{name}">{name}</a> ' for name in names)


def _list(ranked: tuple[Listing, ...]) -> str:
    lines = "".join(
        f'<li><a href="{one.page_path}">{escape(one.title)}</a> '
        f'<span class="price">${one.offer.price}</span></li>'
        for one in ranked
    )
    return f'<ol class="best-sellers">{lines}</ol>'


def _link(listing: Listing, room: str) -> Sent:
    """Follow a link of two steps that moved, or one that leads to no product."""
    link = listing.idea.link
    if link == "moved" and room in ("deals", "go"):
        place = f"/go/{listing.code}" if room == "deals" else listing.page_path
        return Sent(b"", 301 if room == "deals" else 302, {"location": place})
    if link == "home" and room == "deals":
        return Sent(b"", 302, {"location": "/"})
    return _page("Not found", "<p>This offer has ended.</p>", 404)


def _product_page(listing: Listing) -> Sent:
    offer, shape = listing.offer, listing.idea.shape
    if listing.idea.link in ("gone", "home"):
        return _page("Not found", "<p>This offer has ended.</p>", 404)
    if offer.shop.is_walled:
        # one shop says so with its status, the other only in words
        status = 403 if listing.number % 2 else 200
        return Sent(_WALL.encode(), status, _HTML)
    facts = facts_of(listing)
    sold = "disabled>Sold out" if offer.availability == "out" else ">Add to cart"
    mark = {"USD": "$", "EUR": "€"}[facts.currency]
    shown = f"from {mark}{facts.price}" if shape == "range" else f"{mark}{facts.price}"
    body = "".join(
        [
            microdata_body(facts) if shape == "microdata" else "",
            f'<img src="{facts.image}" alt="">',
            f'<p class="price">{shown}</p>',
            _shipping_line(facts.shipping),
            f"<button {sold}</button>",
        ]
    )
    head = f'<link rel="canonical" href="{facts.url}">{SHAPES[shape](facts)}'
    return _page(listing.title, body, head=head)


def facts_of(listing: Listing) -> Facts:
    """Return what the page of an offer states."""
    offer = listing.offer
    price = Decimal(offer.price)
    words = listing.title.split(" ", 1)
    return Facts(
        code=listing.code,
        title=listing.title,
        brand=words[0],
        price=price,
        currency=offer.shop.currency,
        availability=offer.availability,
        condition=offer.condition,
        shipping=stated_shipping(offer.shop, price),
        url=f"https://{offer.shop.host}{listing.page_path}",
        image=f"https://{offer.shop.host}/img/{listing.code}.jpg",
    )


def stated_shipping(shop: Shop, price: Decimal) -> Decimal | None:
    """Return the shipping that a shop's pages state; None: they state none."""
    return shop.shipping(price) if shop.host == TIDE.host else None


def _shipping_line(shipping: Decimal | None) -> str:
    if shipping is None:
        return ""
    told = f"Shipping: ${shipping}" if shipping else "Free shipping"
    return f'<p class="shipping">{told}</p>'


def _picture(host: str, code: str) -> Sent:
    listing = _by_code().get((host, code))
    if listing is None:
        return _page("Not found", "<p>There is no such picture.</p>", 404)
    red, green, blue = catalogue()[listing.number - 1].product.colour
    # the same product has the same stripes; what else is sold has a grey one on top
    first = (red, green, blue) if listing.offer.relation == "same" else (128, 128, 128)
    content = picture([first, (255, 255, 255), (red, green, blue)])
    return Sent(content, headers={"content-type": "image/jpeg"})


def _page(title: str, body: str, status: int = 200, *, head: str = "") -> Sent:
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>{head}</head>"
        f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )
    return Sent(text.encode(), status, _HTML)
