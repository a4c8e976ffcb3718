"""Looking at a page: fetched as anybody would, read, with the picture it names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ingest.search.capture import Capture, Clock, Look
from ingest.search.pages.page import read_fetched
from ingest.search.pages.picture import read_picture
from ingest.web import Fetched

Fetch = Callable[[str], Awaitable[Fetched]]


def web_look(clock: Clock, fetched: Fetch) -> Look:
    """Return how phases look at pages of the public internet.

    Parameters
    ----------
    clock
        Gives the time, with its zone: prices on a page may have an end.
    fetched
        Gets an address: ``ingest.web.fetch``, which refuses whatever is not public at
        every hop, with the client of whoever looks, since making one takes its time.

    Returns
    -------
    Look
        It never fails: a page that cannot be had is one, with its error.
    """

    async def look(url: str) -> Capture:
        got = await fetched(url)
        page = read_fetched(got, clock())
        image = None
        if page.image_url is not None:
            named = await fetched(page.image_url)
            picture = read_picture(named.body) if named.status == 200 else None
            image = picture.data if picture else None
        return Capture(page, snapshot=got.body, image=image, error=got.error)

    return look
