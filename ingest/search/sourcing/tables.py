"""The tables that a person gives: lists, rosters, filter answers, brand aliases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.csv_rows import read_csv
from ingest.errors import LoadError
from ingest.fields import FieldError, one_of, whole
from ingest.search.grid.cells import Cell
from ingest.search.sourcing.brands import normal_brand
from ingest.whole_file import write_whole

ROOM = "sources"
LISTS_FILE = f"{ROOM}/lists.csv"
FILTERS_FILE = f"{ROOM}/filters.csv"
ALIASES_FILE = f"{ROOM}/brand_aliases.csv"
ROSTERS = "roster*.csv"
ROSTER_FILE = f"{ROOM}/roster.csv"
ANSWERS = PASS, FAIL = ("pass", "fail")
BY_MODEL = "model"
_LIST = ("site", "category", "subcategory", "name", "url", "selector", "order", "note")
_ALIAS = ("alias", "brand")
_ROSTER = ("category", "rank", "domain", "name")
_FILTER = ("domain", "category", "filter", "answer", "decided_by", "note")


@dataclass(frozen=True, slots=True)
class ListSource:
    """Where a site shows its best sellers.

    Attributes
    ----------
    site
        Retailer of the grid, or domain of a long-tail site.
    category, subcategory
        What it is for; empty: for all.
    name, url
        What the list is called, and its address.
    selector
        CSS of its links; empty: the page says its list to machines.
    order
        ``model`` where a model puts the items in order; empty: they stand in it.
    note
        Why this list, for instance which department was taken.
    """

    site: str
    category: str
    subcategory: str
    name: str
    url: str
    selector: str
    order: str
    note: str


@dataclass(frozen=True, slots=True)
class Site:
    """A site of a category report: its rank there, domain and name."""

    category: str
    rank: int
    domain: str
    name: str


@dataclass(frozen=True, slots=True)
class FilterAnswer:
    """Whether a site passes a filter, by whom, and what was noted."""

    answer: str
    decided_by: str
    note: str


@dataclass(frozen=True, slots=True)
class Tables:
    """All of them.

    Attributes
    ----------
    lists
        In file order.
    roster
        In order of category file and rank.
    filters
        (Domain, category or empty, filter) -> answer.
    aliases
        Normal brand -> normal brand.
    inputs
        File within the run folder -> hash of its bytes.
    """

    lists: tuple[ListSource, ...]
    roster: tuple[Site, ...]
    filters: Mapping[tuple[str, str, str], FilterAnswer]
    aliases: Mapping[str, str]
    inputs: Mapping[str, str]

    def list_of(self, site: str, cell: Cell) -> ListSource | None:
        """Return the list of a site for a cell, the most particular one there is.

        Parameters
        ----------
        site
            Retailer or domain.
        cell
            The cell.

        Returns
        -------
        ListSource or None
            By sub-category, else by category, else for the site as a whole.
        """
        wanted = [(cell.category, ""), ("", "")]
        if cell.subcategory is not None:
            wanted.insert(0, (cell.category, cell.subcategory))
        for place in wanted:
            for one in self.lists:
                if one.site == site and (one.category, one.subcategory) == place:
                    return one
        return None

    def sites(self, cell: Cell) -> list[Site]:
        """Return the report for a cell, top first; a sub-category has its own."""
        for name in (cell.subcategory, cell.category):
            found = [one for one in self.roster if name and one.category == name]
            if found:
                return sorted(found, key=lambda one: one.rank)
        return []


def read_tables(folder: Path, filters: Iterable[str]) -> Tables:
    """Read the tables of a run folder; one that is absent is empty.

    Parameters
    ----------
    folder
        The run folder.
    filters
        Codes of the filters there are.

    Returns
    -------
    Tables

    Raises
    ------
    LoadError
        Where a table cannot be read or a row of it says what cannot be.
    """
    inputs: dict[str, str] = {}
    codes = tuple(filters)

    def rows(name: str, columns: Sequence[str]) -> list[tuple[str, Mapping[str, str]]]:
        path = folder / name
        if not path.is_file():
            return []
        data = path.read_bytes()
        inputs[name] = hashlib.sha256(data).hexdigest()
        read = read_csv(name, data, columns)
        for broken in read.broken:
            raise LoadError(f"{name} line {broken.line}: {broken.reason}; correct it")
        return [
            (
                f"{name} line {row.line}",
                dict(zip(columns, map(str.strip, row.fields), strict=True)),
            )
            for row in read.rows
        ]

    rosters = sorted(one.name for one in (folder / ROOM).glob(ROSTERS))
    # a row without an address is one that a person has not come to yet
    lists = [_list(where, row) for where, row in rows(LISTS_FILE, _LIST) if row["url"]]
    sites = [
        _site(where, row)
        for name in rosters
        for where, row in rows(f"{ROOM}/{name}", _ROSTER)
    ]
    answers = {}
    for where, row in rows(FILTERS_FILE, _FILTER):
        key = (row["domain"].lower(), row["category"], row["filter"])
        answers[key] = _answer(where, row, codes)
    aliases = {
        normal_brand(row["alias"]): normal_brand(row["brand"])
        for _, row in rows(ALIASES_FILE, _ALIAS)
    }
    return Tables(tuple(lists), tuple(sites), answers, aliases, inputs)


def write_templates(folder: Path, cells: Iterable[Cell]) -> None:
    """Write the tables that a person fills in, those that are there left alone.

    Parameters
    ----------
    folder
        The run folder.
    cells
        Of its grid: each list that they need has a row, without its address.

    Raises
    ------
    LoadError
        Where one cannot be written.
    """
    wanted = dict.fromkeys(
        (one.retailer, one.category, one.subcategory or "")
        for one in sorted(cells, key=lambda one: one.cell_id)
        if one.stratum is None
    )
    rows = [f"{','.join(one)},best sellers: {one[2] or one[1]},,,," for one in wanted]
    texts = {
        LISTS_FILE: "\n".join([",".join(_LIST), *rows]),
        FILTERS_FILE: ",".join(_FILTER),
        ALIASES_FILE: ",".join(_ALIAS),
        ROSTER_FILE: ",".join(_ROSTER),
    }
    for name, text in texts.items():
        if not (folder / name).exists():
            write_whole(folder / name, f"{text}\n".encode())


def _list(where: str, row: Mapping[str, str]) -> ListSource:
    if not row["url"].startswith(("http://", "https://")):
        raise LoadError(f"{where}: url {row['url'][:60]!r} is no address; correct it")
    if row["order"] not in ("", BY_MODEL):
        raise LoadError(
            f"{where}: order {row['order'][:60]!r} is neither empty nor {BY_MODEL}; "
            "correct it"
        )
    if not row["site"]:
        raise LoadError(f"{where}: site is empty; name the retailer or the domain")
    return ListSource(*(row[name] for name in _LIST))


def _site(where: str, row: Mapping[str, str]) -> Site:
    try:
        rank = whole(1)(row["rank"])
    except FieldError as error:
        raise LoadError(f"{where}: rank {error}; correct it") from error
    if not row["domain"] or not row["name"]:
        raise LoadError(f"{where}: domain or name is empty; fill it in")
    return Site(row["category"], rank, row["domain"].lower(), row["name"])


def _answer(
    where: str, row: Mapping[str, str], filters: tuple[str, ...]
) -> FilterAnswer:
    for name, allowed in (("filter", filters), ("answer", ANSWERS)):
        try:
            one_of(allowed)(row[name])
        except FieldError as error:
            raise LoadError(f"{where}: {name} {error}; correct it") from error
    if not row["decided_by"]:
        raise LoadError(f"{where}: decided_by is empty; say who or what decided")
    return FilterAnswer(row["answer"], row["decided_by"], row["note"])
