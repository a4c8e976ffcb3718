"""The tables with which a run finds its products in the shops of the world."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence

from ingest.world.bank import policy_csv
from ingest.world.catalogue import catalogue
from ingest.world.seats import seats_yaml
from ingest.world.shops import best_sellers

# cells of a grid that finds a product for each of them; any smaller than 17 does too
GRID = 20
_SELECTOR = "ol.best-sellers a"


def source_files(address: str) -> dict[str, bytes]:
    """Return what the phases of a search run want to be given on this world.

    Parameters
    ----------
    address
        ``http://127.0.0.1:<port>``.

    Returns
    -------
    dict
        Name -> content: ``retailers.csv`` and ``categories.csv`` for a grid of ``GRID``
        cells, ``lists.csv`` with every list of best sellers, ``shipping_policy.csv``
        and ``seats.yaml``.
    """
    shops = Counter(item.product.retailer for item in catalogue())
    kinds = Counter(item.product.category for item in catalogue())
    lists = [(_name(host), host, kind) for host, kind in best_sellers()]
    texts = {
        "retailers.csv": _csv(
            "retailer,weight,kind,allowed_categories,domains,own_brands,brand_optional",
            [
                [
                    *(shop, weight, "locked", _sold(lists, shop)),
                    *(f"{shop}.example", "false", "false"),
                ]
                for shop, weight in shops.items()
            ],
        ),
        "categories.csv": _csv(
            "category,weight,subcategories",
            [[kind, weight, ""] for kind, weight in kinds.items()],
        ),
        "lists.csv": _csv(
            "site,category,subcategory,name,url,selector,order,note",
            [
                [
                    *(shop, kind, "", f"best sellers: {kind}"),
                    *(f"https://{host}/best/{kind}", _SELECTOR, "", ""),
                ]
                for shop, host, kind in lists
            ],
        ),
        "shipping_policy.csv": policy_csv(),
        "seats.yaml": seats_yaml(address),
    }
    return {name: text.encode() for name, text in texts.items()}


def _name(host: str) -> str:
    return host.partition(".")[0]


def _sold(lists: Iterable[tuple[str, str, str]], shop: str) -> str:
    return ";".join(kind for one, _, kind in lists if one == shop)


def _csv(head: str, rows: Iterable[Sequence[object]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head.split(","))
    writer.writerows(rows)
    return stream.getvalue()
