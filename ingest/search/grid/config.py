"""Who sells what in a grid: retailers and categories with their weights (2.1, 2.3)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.csv_rows import CsvFile, read_csv
from ingest.errors import LoadError
from ingest.fields import FieldError, one_of, whole
from ingest.search.read_bank import CELL_KINDS

RETAILERS_FILE = "retailers.csv"
CATEGORIES_FILE = "categories.csv"
_HERE = Path(__file__).parent
_NAME = re.compile(r"[a-z0-9_]{1,40}")
_DOMAIN = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")


@dataclass(frozen=True, slots=True)
class Retailer:
    """A retailer of the grid, or the long tail as a whole.

    Attributes
    ----------
    name, weight
        Slug, and its weight among retailers, 1 or more.
    kind
        ``generalist``, ``locked`` (to the categories it is allowed) or ``longtail``.
    allowed
        Category and, where it is bound to one, sub-category; empty: every category.
    domains
        Hosts that it sells on; empty where it is no single shop.
    own_brands
        It sells mostly its own brand, so that its cells may share one (A-23).
    brand_optional
        It sells goods without a brand (A-24).
    """

    name: str
    weight: int
    kind: str
    allowed: tuple[tuple[str, str | None], ...] = ()
    domains: tuple[str, ...] = ()
    own_brands: bool = False
    brand_optional: bool = False


@dataclass(frozen=True, slots=True)
class Category:
    """A category of the grid: slug, weight, and sub-categories in canonical order."""

    name: str
    weight: int
    subcategories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GridConfig:
    """What a grid is made from.

    Attributes
    ----------
    retailers, categories
        In canonical order, which decides ties.
    files
        Name -> bytes of what was read.
    """

    retailers: tuple[Retailer, ...]
    categories: tuple[Category, ...]
    files: Mapping[str, bytes]

    @property
    def inputs(self) -> dict[str, str]:
        """Return the hash of each file."""
        return {
            name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()
        }

    def retailer(self, name: str) -> Retailer:
        """Return a retailer by its name; raise LoadError where there is none."""
        for one in self.retailers:
            if one.name == name:
                return one
        raise LoadError(
            f"no retailer {name} in {RETAILERS_FILE}: use the file that the grid was "
            "made from"
        )


def read_config(
    retailers: Path | None = None, categories: Path | None = None
) -> GridConfig:
    """Return what a grid is made from.

    Parameters
    ----------
    retailers, categories
        CSV files; None for the published weights.

    Returns
    -------
    GridConfig

    Raises
    ------
    LoadError
        Where a file cannot be read or a row of it says what cannot be.
    """
    named = {
        RETAILERS_FILE: retailers or _HERE / RETAILERS_FILE,
        CATEGORIES_FILE: categories or _HERE / CATEGORIES_FILE,
    }
    data = {name: _bytes(path) for name, path in named.items()}
    return parse_config(
        data[RETAILERS_FILE],
        data[CATEGORIES_FILE],
        names=(str(named[RETAILERS_FILE]), str(named[CATEGORIES_FILE])),
    )


def parse_config(
    retailers: bytes,
    categories: bytes,
    *,
    names: tuple[str, str] = (RETAILERS_FILE, CATEGORIES_FILE),
) -> GridConfig:
    """Return what a grid is made from, by the bytes of its two files.

    Parameters
    ----------
    retailers, categories
        CSV with the columns of the published files.
    names
        How messages call them.

    Returns
    -------
    GridConfig

    Raises
    ------
    LoadError
        As `read_config`.
    """
    kinds = _rows(names[1], categories, _CATEGORY, _category)
    known = {one.name: one for one in kinds}
    shops = _rows(names[0], retailers, _RETAILER, lambda row: _retailer(row, known))
    files = {RETAILERS_FILE: retailers, CATEGORIES_FILE: categories}
    return GridConfig(tuple(shops), tuple(kinds), files)


def flag(text: str) -> bool:
    """Return true or false as a CSV has it, else raise FieldError."""
    return bool(one_of(("true", "false"))(text) == "true")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LoadError(
            f"cannot read {path} ({error.strerror}); name another file"
        ) from error


def _slug(text: str) -> str:
    if _NAME.fullmatch(text) is None:
        raise FieldError(f"{text[:60]!r} is no name of a-z, 0-9 and _")
    return text


def _several(one: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    return lambda text: tuple(one(part.strip()) for part in text.split(";") if part)


def _domain(text: str) -> str:
    if _DOMAIN.fullmatch(text) is None:
        raise FieldError(f"{text[:60]!r} is no domain like example.com")
    return text


_RETAILER: dict[str, Callable[[str], Any]] = {
    "retailer": _slug,
    "weight": whole(1),
    "kind": one_of(CELL_KINDS),
    "allowed_categories": _several(str),
    "domains": _several(_domain),
    "own_brands": flag,
    "brand_optional": flag,
}
_CATEGORY: dict[str, Callable[[str], Any]] = {
    **{"category": _slug, "weight": whole(1), "subcategories": _several(_slug)},
}


def _rows(
    name: str,
    data: bytes,
    columns: Mapping[str, Callable[[str], Any]],
    make: Callable[[Sequence[Any]], Any],
) -> list[Any]:
    read: CsvFile = read_csv(name, data, list(columns))
    for broken in read.broken:
        raise LoadError(f"{name} line {broken.line}: {broken.reason}; correct it")
    made: dict[str, Any] = {}
    for row in read.rows:
        where = f"{name} line {row.line}"
        values = []
        for (column, parse), text in zip(columns.items(), row.fields, strict=True):
            try:
                values.append(parse(text))
            except FieldError as error:
                raise LoadError(f"{where}: {column} {error}; correct it") from error
        try:
            one = make(values)
        except FieldError as error:
            raise LoadError(f"{where}: {error}; correct it") from error
        if one.name in made:
            raise LoadError(f"{where}: {one.name} stands twice; take one out")
        made[one.name] = one
    if not made:
        raise LoadError(f"{name} has no rows; a grid needs one at least")
    return list(made.values())


def _category(values: Sequence[Any]) -> Category:
    name, weight, subcategories = values
    if len(set(subcategories)) < len(subcategories):
        raise FieldError(f"{name} names a sub-category twice")
    return Category(name, weight, subcategories)


def _retailer(values: Sequence[Any], known: Mapping[str, Category]) -> Retailer:
    name, weight, kind, allowed, domains, own_brands, optional = values
    places = [_place(name, text, known) for text in allowed]
    if (kind == "locked") != bool(places):
        raise FieldError(
            f"{name} is {kind} and is allowed {', '.join(allowed) or 'no category'}; "
            "a locked retailer, and no other, names allowed_categories"
        )
    if len({category for category, _ in places}) < len(places):
        raise FieldError(f"{name} is allowed one category twice")
    return Retailer(name, weight, kind, tuple(places), domains, own_brands, optional)


def _place(
    name: str, text: str, known: Mapping[str, Category]
) -> tuple[str, str | None]:
    category, _, part = text.partition("/")
    if category not in known or (part and part not in known[category].subcategories):
        raise FieldError(f"{name} is allowed {text}, which is no category of the grid")
    return category, part or None
