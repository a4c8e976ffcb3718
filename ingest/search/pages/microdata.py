"""Microdata and RDFa-lite as nodes of schema.org, for the reader of JSON-LD (4.1)."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingest.search.pages.nodes import LONGEST_TEXT, Node

_MOST = 5_000
_DEEPEST = 256
_VALUES = {
    "meta": "content",
    "link": "href",
    "a": "href",
    "img": "src",
    "data": "value",
}


def read_microdata(tree: LexborHTMLParser) -> list[Node]:
    """Return the items of a page that stand in no other item.

    Parameters
    ----------
    tree
        The page.

    Returns
    -------
    list of dict
        As JSON-LD would have them.
    """
    found = _items(tree, "itemscope", "itemtype", "itemprop")
    return found or _items(tree, "typeof", "typeof", "property")


def _items(tree: LexborHTMLParser, scope: str, kind: str, name: str) -> list[Node]:
    items: dict[int, Node] = {}
    outer: list[Node] = []
    for tag in tree.css(f"[{scope}],[{name}]")[:_MOST]:
        attributes = tag.attributes
        is_item = scope in attributes
        if is_item:
            items[tag.mem_id] = {"@type": (attributes.get(kind) or "").split()}
        owner = _owner(tag, scope, items)
        names = (attributes.get(name) or "").split()
        if owner is None:
            outer.extend([items[tag.mem_id]] if is_item else [])
            continue
        value = items[tag.mem_id] if is_item else _value(tag)
        for one in names:
            _add(owner, one.rpartition(":")[2], value)
    return outer


def _owner(tag: LexborNode, scope: str, items: dict[int, Node]) -> Node | None:
    above = tag.parent
    for _ in range(_DEEPEST):
        if above is None:
            return None
        if above.mem_id in items and scope in above.attributes:
            return items[above.mem_id]
        above = above.parent
    return None


def _value(tag: LexborNode) -> str:
    attributes = tag.attributes
    for attribute in ("content", _VALUES.get(tag.tag or "", "")):
        value = attributes.get(attribute) if attribute else None
        if value is not None:
            return value
    return tag.text(deep=True)[:LONGEST_TEXT].strip()


def _add(owner: Node, name: str, value: str | Node) -> None:
    if name not in owner:
        owner[name] = value
    elif isinstance(owner[name], list):
        owner[name].append(value)
    else:
        owner[name] = [owner[name], value]
