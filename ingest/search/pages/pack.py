"""From a title to a pack: how many items, of what size, with what inside (4.6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pack:
    """How much a title sells.

    Attributes
    ----------
    count
        Identical items that could be sold one by one; 1 where the title names none.
    unit_size
        Size of one item in ``unit``, a plain decimal; None where it is not named.
    unit
        ``ml``, ``l``, ``fl oz``, ``oz``, ``lb``, ``g`` and so on; None without a size.
    contents
        Pieces inside one item (tablets, sheets, wipes).
    ambiguous
        A person has to confirm it before it is compared.
    evidence
        The words of the title that say so; None where there are none.
    """

    count: int = 1
    unit_size: str | None = None
    unit: str | None = None
    contents: int | None = None
    ambiguous: bool = False
    evidence: str | None = None
