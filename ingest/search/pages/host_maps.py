"""Maps of shops: where each keeps what its pages leave out of structured data (4.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from ingest.errors import LoadError
from ingest.search.address import host_of

_FILE = Path(__file__).with_name("host_maps.yaml")
_FACTS = frozenset(
    {
        *("title", "brand", "image_url", "price", "currency", "list_price", "shipping"),
        *("availability", "condition", "gtin", "mpn", "sku", "size", "color"),
    }
)


@dataclass(frozen=True, slots=True)
class Variants:
    """Where a state keeps its variants: a list, their key, and facts within each."""

    at: str
    id: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HostMap:
    """Where one shop, or one shop software, keeps facts.

    Attributes
    ----------
    name
        For messages.
    hosts
        Of the shop, subdomains included; ``*`` for any.
    path
        Pattern that the page's path has to match; None for any.
    script, assigned, whole
        Where the state stands: CSS of a script, a variable, or all of the answer.
    minor_units
        Decimals of whole numbers; None: prices are taken as written.
    fields
        Fact to its path of keys in the state.
    variants
        Its variants, if it has any.
    dom
        Fact to CSS, with ``@attribute`` where it is not the text.
    """

    name: str
    hosts: Sequence[str]
    path: str | None = None
    script: str | None = None
    assigned: str | None = None
    whole: bool = False
    minor_units: int | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    variants: Variants | None = None
    dom: Mapping[str, str] = field(default_factory=dict)

    def is_for(self, url: str) -> bool:
        """Return whether a page's address is one of this map's."""
        host = host_of(url)
        try:
            path = urlsplit(url).path
        except ValueError:
            return False
        own = any(
            name in ("*", host) or host.endswith(f".{name}") for name in self.hosts
        )
        return own and (self.path is None or re.search(self.path, path) is not None)


@cache
def host_maps() -> tuple[HostMap, ...]:
    """Return the maps that are kept with the code.

    Returns
    -------
    tuple of HostMap
        In the order in which they are tried.
    """
    return read_host_maps(_FILE.read_text(encoding="utf-8"), _FILE.name)


def read_host_maps(text: str, name: str) -> tuple[HostMap, ...]:
    """Return the maps of a YAML file.

    Parameters
    ----------
    text
        Of the file.
    name
        For messages.

    Returns
    -------
    tuple of HostMap
        In the order of the file.

    Raises
    ------
    LoadError
        Where it is no list of maps, or one has a key or fact that there is not.
    """
    try:
        stated = yaml.safe_load(text)
        return tuple(_map(entry) for entry in stated)
    except (yaml.YAMLError, TypeError, ValueError) as error:
        shown = str(error).splitlines()[0]
        raise LoadError(
            f"{name} is no list of host maps ({shown}); correct it"
        ) from None


def _map(entry: object) -> HostMap:
    if not isinstance(entry, Mapping):
        raise TypeError(f"{entry!r} is no map")
    known = {one.name for one in fields(HostMap)}
    other = sorted(set(entry) - known)
    if other:
        raise ValueError(f"{entry.get('name')} has the unknown key {other[0]}")
    values = dict(entry)
    variants = values.pop("variants", None)
    made = HostMap(**values)
    inner = Variants(**variants) if isinstance(variants, dict) else None
    for facts in (made.fields, made.dom, inner.fields if inner else {}):
        odd = sorted(set(facts) - _FACTS)
        if odd:
            raise ValueError(f"{made.name} has the unknown fact {odd[0]}")
    return HostMap(**values, variants=inner)
