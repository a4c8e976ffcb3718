"""Choosing a long-tail site: a category report from the top, eight filters (2.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ingest.search.grid.cells import Cell
from ingest.search.grid.long_tail import SMALL
from ingest.search.sourcing.brands import normal_brand
from ingest.search.sourcing.tables import FAIL, PASS, FilterAnswer, Site, Tables
from ingest.search.sourcing.visit import Seated

FILTERS: Mapping[str, str] = MappingProxyType(
    {
        "F01": "own_storefront",
        "F02": "physical_goods_in_category",
        "F03": "marketplace",
        "F04": "aggregator",
        "F05": "coupon_site",
        "F06": "named_retailer",
        "F07": "ships_us",
        "F08": "brand_already_used",
    }
)
_NAMED, _USED = "F06", "F08"
# ranks of a category report that small sites are taken from, both inclusive
SMALL_RANKS = (150, 500)
_CODE = "code"


@dataclass(frozen=True, slots=True)
class SiteWalk:
    """A walk down a category report.

    Attributes
    ----------
    site
        The first that passes every filter; None where there is none, or where the walk
        is blocked.
    records
        Sites walked, as the log holds them.
    blocked
        The site at which filters are unanswered, None for none.
    unanswered
        Their codes.
    """

    site: Site | None
    records: tuple[dict[str, Any], ...]
    blocked: Site | None = None
    unanswered: tuple[str, ...] = ()


def walk_sites(
    cell: Cell,
    tables: Tables,
    *,
    named: Iterable[str],
    used: Iterable[str],
    seated: Seated,
) -> SiteWalk:
    """Choose the site of a long-tail cell.

    Parameters
    ----------
    cell
        With its stratum: small sites are those of rank 150 to 500.
    tables
        Roster, answers of the filters, and aliases.
    named
        Domains of the retailers of the grid.
    used
        Domains that other cells have.
    seated
        Brands that are taken.

    Returns
    -------
    SiteWalk
        An unanswered filter blocks it at that site; the first that fails rejects the
        site. What code can tell (F06, F08), it tells, unless a person has failed it.
    """
    taken = {_bare(one) for one in used}
    shops = {_bare(one) for one in named}
    records: list[dict[str, Any]] = []
    for site in tables.sites(cell):
        if cell.stratum == SMALL and not SMALL_RANKS[0] <= site.rank <= SMALL_RANKS[1]:
            continue
        told = _told(site, shops, taken, seated, tables.aliases)
        answers = {code: _answer(site, cell, code, tables, told) for code in FILTERS}
        # the first that is no pass decides: the site fails it, or nobody has answered
        stop = next((code for code in FILTERS if not _passes(answers[code])), None)
        if stop is not None and answers[stop] is None:
            left = tuple(code for code, one in answers.items() if one is None)
            return SiteWalk(None, tuple(records), site, left)
        records.append(_record(site, answers, stop))
        if stop is None:
            return SiteWalk(site, tuple(records))
    return SiteWalk(None, tuple(records))


def _told(
    site: Site,
    shops: set[str],
    taken: set[str],
    seated: Seated,
    aliases: Mapping[str, str],
) -> dict[str, str]:
    """Return the filters that code can see a site fail, with the reason."""
    told = {}
    if _is_of(site.domain, shops):
        told[_NAMED] = "a retailer of the grid"
    if _bare(site.domain) in taken:
        told[_USED] = "another cell has this site"
    elif seated.retailers(normal_brand(site.name, aliases)):
        told[_USED] = f"another cell has the brand {site.name}"
    return told


def _answer(
    site: Site, cell: Cell, code: str, tables: Tables, told: Mapping[str, str]
) -> FilterAnswer | None:
    """Return whether a site passes a filter, None where nobody has answered."""
    given = None
    for category in (cell.subcategory, cell.category, ""):
        if category is not None and given is None:
            given = tables.filters.get((site.domain, category, code))
    if given is not None and given.answer == FAIL:
        return given
    if code in told:
        return FilterAnswer(FAIL, _CODE, told[code])
    if given is None and code in (_NAMED, _USED):
        return FilterAnswer(PASS, _CODE, "")
    return given


def _passes(answer: FilterAnswer | None) -> bool:
    return answer is not None and answer.answer == PASS


def _record(
    site: Site, answers: Mapping[str, FilterAnswer | None], stop: str | None
) -> dict[str, Any]:
    """Return a site as the log holds it: every answer up to the one that decided."""
    codes = list(FILTERS)
    heard = codes if stop is None else codes[: codes.index(stop) + 1]
    record: dict[str, Any] = {
        **{"rank": site.rank, "domain": site.domain},
        "outcome": "selected" if stop is None else "rejected",
        "answers": {
            code: {"answer": one.answer, "decided_by": one.decided_by, "note": one.note}
            for code in heard
            if (one := answers[code]) is not None
        },
    }
    if stop is not None:
        record["filter"] = f"{stop} {FILTERS[stop]}"
        record["note"] = record["answers"][stop]["note"]
    return record


def _bare(domain: str) -> str:
    return domain.lower().removeprefix("www.")


def _is_of(domain: str, shops: set[str]) -> bool:
    name = _bare(domain)
    return any(name == shop or name.endswith(f".{shop}") for shop in shops)
