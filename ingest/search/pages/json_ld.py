"""Reading JSON-LD: each script on its own, and which product the page sells (4.2).

Nothing is repaired by guessing: a wrong price is worse than none.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ingest.search.pages.nodes import Node, nodes, text, types
from ingest.search.pages.same_page import UrlSelection

# pages hold dozens of nodes; more are made to keep a reader busy
MOST_NODES = 20_000
# an offer within an aggregate, its shipping, its rate
_DEEPEST = 6

_TYPE = "application/ld+json"
# what stands before the first value; what stands behind it is ignored in any case
_OPENING = re.compile(r"(?:[\s\ufeff>]|//|/\*|\*/|<!--|-->|<!\[CDATA\[)*+")
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]++|\\.)*+")|,(?=\s*[}\]])', re.DOTALL)
_JUNK = re.compile(r"[\s;,]*")

_PRODUCTS = frozenset(
    {
        *("product", "productgroup", "individualproduct", "productmodel"),
        *("someproducts", "productcollection", "vehicle", "dietarysupplement"),
    }
)
_GROUP = "productgroup"
# where a walk goes on, and whether what it finds there is beside the page's product
_WAYS: Mapping[str, bool] = {
    **{"@graph": False, "mainEntity": False, "mainEntityOfPage": False},
    **{"itemListElement": True, "item": False, "hasVariant": False},
    **{"isVariantOf": False, "isRelatedTo": True, "isSimilarTo": True, "review": True},
    **{"itemReviewed": False, "subjectOf": False},
}
IDENTIFIERS = ("sku", "productID", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "mpn")


@dataclass(slots=True)
class Candidate:
    """A product that the page may be about.

    Attributes
    ----------
    node
        Its node; for variants that name their group, that of the group.
    variants
        Nodes of its variants.
    selected
        The one variant that stands on the page itself and not in the group's list.
    twins
        Nodes that name the same product again.
    is_aside
        It stands in a list, among related products or in a review.
    """

    node: Node
    variants: list[Node] = field(default_factory=list)
    selected: Node | None = None
    twins: list[Node] = field(default_factory=list)
    is_aside: bool = False

    def members(self) -> list[Node]:
        """Return its own node and those of its variants."""
        return [self.node, *self.variants]


@dataclass(frozen=True, slots=True)
class _Found:
    """A product node, whether it is aside, and the group in whose list it stands."""

    node: Node
    is_aside: bool
    listed_in: str | None


def is_json_ld(script_type: str | None) -> bool:
    """Return whether a script's ``type`` says JSON-LD, whatever its charset."""
    return (script_type or "").split(";")[0].strip().lower() == _TYPE


def parse_script(script: str) -> list[Any]:
    """Return the objects and lists of one script.

    Parameters
    ----------
    script
        Its text; anything.

    Returns
    -------
    list
        Of the first reading that yields one value or more; empty where none does.
    """
    for rung in _rungs(script):
        found = list(_values(rung))
        if found:
            return found
    return []


def find_products(values: Iterable[Any]) -> list[Candidate]:
    """Return the products of a page's nodes, variants under their group.

    Parameters
    ----------
    values
        Of all scripts of the page, or nodes made from its microdata.

    Returns
    -------
    list of Candidate
        In the order of the page.
    """
    whole = list(values)
    named = _named(whole)
    return _grouped(_walk(whole, named), named)


def choose_product(
    candidates: Iterable[Candidate], selection: UrlSelection
) -> Candidate | None:
    """Return the product that a page is about.

    Parameters
    ----------
    candidates
        As found.
    selection
        Addresses of the page.

    Returns
    -------
    Candidate or None
        None where there is none, or several and nothing that tells them apart.
    """
    known = list(candidates)
    rules: tuple[Callable[[Candidate], bool], ...] = (
        lambda one: _is_at(one, selection),
        lambda one: _is_named(one, selection),
        lambda one: not one.is_aside and any(map(_has_offer, one.members())),
        lambda one: not one.is_aside,
    )
    for rule in rules:
        found = [one for one in known if rule(one)]
        if found and all(_is_twin(found[0], other) for other in found[1:]):
            found[0].twins = [other.node for other in found[1:]]
            return found[0]
        known = found or known
    return None


def _rungs(script: str) -> Iterator[str]:
    """Yield a script as it stands, unwrapped, unescaped, without trailing commas."""
    yield script
    unwrapped = _OPENING.sub("", script, count=1)
    yield unwrapped
    unescaped = html.unescape(unwrapped)
    yield unescaped
    yield _TRAILING_COMMA.sub(_string_or_nothing, unescaped)


def _string_or_nothing(found: re.Match[str]) -> str:
    return found[1] or ""


def _constant(_: str) -> None:
    """Take NaN and Infinity, which are no JSON, as nothing."""


def _values(script: str) -> Iterator[Any]:
    """Yield values in a row until something that is none."""
    decoder = json.JSONDecoder(
        strict=False, parse_float=Decimal, parse_constant=_constant
    )
    place = 0
    while True:
        junk = _JUNK.match(script, place)
        place = junk.end() if junk else place
        try:
            value, place = decoder.raw_decode(script, place)
        except (ValueError, RecursionError, ArithmeticError):
            return
        if isinstance(value, dict | list) and value:
            yield value


def _walk(values: list[Any], named: Mapping[str, Node]) -> list[_Found]:
    """Return every product node once, references within the page resolved."""
    found: dict[int, _Found] = {}
    seen: set[int] = set()
    waiting: list[tuple[Any, bool, str | None]] = [(values, False, None)]
    steps = 0
    while waiting and steps < MOST_NODES:
        value, is_aside, listed_in = waiting.pop()
        steps += 1
        if isinstance(value, list):
            waiting.extend((one, is_aside, listed_in) for one in reversed(value))
        if not isinstance(value, dict):
            continue
        node = _resolved(value, named)
        if id(node) in seen:
            if listed_in and id(node) in found:
                found[id(node)] = _Found(node, found[id(node)].is_aside, listed_in)
            continue
        seen.add(id(node))
        if _PRODUCTS & types(node):
            found[id(node)] = _Found(node, is_aside, listed_in)
        for way, leads_aside in _WAYS.items():
            if way in node:
                owner = _key(node) if way == "hasVariant" else None
                waiting.append((node[way], is_aside or leads_aside, owner))
    return list(found.values())


def _named(values: list[Any]) -> dict[str, Node]:
    """Return nodes by their ``@id``, of several the one that says most."""
    found: dict[str, Node] = {}
    waiting, seen = list(values), 0
    while waiting and seen < MOST_NODES:
        value = waiting.pop()
        seen += 1
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            name = value.get("@id")
            if isinstance(name, str) and len(value) > len(found.get(name, ())):
                found[name] = value
            waiting.extend(
                one for one in value.values() if isinstance(one, dict | list)
            )
    return found


def _resolved(node: Node, named: Mapping[str, Node]) -> Node:
    name = node.get("@id")
    is_reference = isinstance(name, str) and len(node) <= 2
    return named.get(name, node) if is_reference and isinstance(name, str) else node


def _whole(node: Node, named: Mapping[str, Node], depth: int = 0) -> Node:
    """Return a node with what it refers to by ``@id`` in its place."""
    node = _resolved(node, named)
    if depth == _DEEPEST:
        return node
    return {
        key: value if key in _WAYS else _inside(value, named, depth + 1)
        for key, value in node.items()
    }


def _inside(value: Any, named: Mapping[str, Node], depth: int) -> Any:
    if isinstance(value, dict):
        return _whole(value, named, depth)
    if isinstance(value, list):
        return [
            _inside(one, named, depth) if isinstance(one, dict) else one
            for one in value
        ]
    return value


def _grouped(found: list[_Found], named: Mapping[str, Node]) -> list[Candidate]:
    """Put variants under their group, whichever of the two names the other."""
    whole = {id(one.node): _whole(one.node, named) for one in found}
    groups: dict[str, Candidate] = {}
    for one in found:
        if _is_group(one.node):
            new = Candidate(whole[id(one.node)], is_aside=one.is_aside)
            groups.setdefault(_key(one.node), new)
    candidates = list(groups.values())
    alone: dict[str, list[Node]] = {}
    for one in found:
        if _is_group(one.node):
            continue
        key = one.listed_in or _claimed(one.node, named)
        owner = groups.get(key) if key else None
        if owner is None or key is None:
            new = Candidate(whole[id(one.node)], is_aside=one.is_aside)
            candidates.append(new)
            continue
        owner.variants.append(whole[id(one.node)])
        if one.listed_in is None:
            alone.setdefault(key, []).append(whole[id(one.node)])
    for key, members in alone.items():
        if len(members) == 1:
            groups[key].selected = members[0]
    return candidates


def _is_group(node: Node) -> bool:
    return _GROUP in types(node) or "hasVariant" in node


def _key(node: Node) -> str:
    for name in ("@id", "productGroupID"):
        value = node.get(name)
        if isinstance(value, str) and value:
            return f"{name} {value}"
    return f"node {id(node)}"


def _claimed(node: Node, named: Mapping[str, Node]) -> str | None:
    for group in nodes(node.get("isVariantOf")):
        whole = _resolved(group, named)
        if _is_group(whole):
            return _key(whole)
    return None


def _is_at(one: Candidate, selection: UrlSelection) -> bool:
    return any(
        isinstance(address, str) and selection.is_page(address)
        for member in one.members()
        for address in (member.get("url"), member.get("@id"))
    )


def _is_named(one: Candidate, selection: UrlSelection) -> bool:
    return any(
        selection.holds(text(member.get(name)) or "")
        for member in one.members()
        for name in IDENTIFIERS
    )


def _has_offer(node: Node) -> bool:
    return any(nodes(node.get("offers")))


def _is_twin(one: Candidate, other: Candidate) -> bool:
    """Return whether two candidates are one product that two parts of the page name."""
    for name in ("sku", "name"):
        mine, its = text(one.node.get(name)), text(other.node.get(name))
        if mine and its:
            return mine.casefold() == its.casefold()
    return False
