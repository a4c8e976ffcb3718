"""Which hotel choice models are fitted: block by specification by design."""

from __future__ import annotations

from dataclasses import dataclass

from models.hotel_choices import Layout
from models.hotel_terms import (
    AREAS,
    AS_PUBLISHED,
    AS_PUBLISHED_CONDITIONAL,
    AUDITED,
    BINARY,
    BRAND_SPECIFICATIONS,
    CHAINS,
    DECILE,
    DECILES,
    DESIGNS,
    FIVEOPT,
    FORMAT_OPTIONS,
    INTERCEPT,
    LINEAR,
    LOG,
    POOLED,
    PUBLISHED_WITHOUT_INTERCEPT,
    SLOT,
    SPECIFICATIONS,
    TERNARY,
    Block,
    Design,
    Specification,
    slot_terms,
    terms,
)

BASE_VARIANT = "base"
# published: fewer answers are not fitted, to triples and to the pairs of a variant
FEWEST_TERNARY_ANSWERS = 100
FEWEST_VARIANT_ANSWERS = 50

FORMAT_COLUMN = "format"
CHAIN_COLUMN = "chain"
AREA_COLUMN = "area"
DROPPED_COLUMN = "dropped_listing"
SHOWN_SLOT_COLUMN = "shown_slot"
# terms whose number stands in a column of another name
_COLUMNS = {SLOT: "slot_sign"} | {
    one.price_term: one.price_column for one in SPECIFICATIONS
}


@dataclass(frozen=True, slots=True)
class HotelFit:
    """One choice model.

    Attributes
    ----------
    block, specification, design
        What is fitted to which answers.
    is_base_only
        Whether only the base prompt gets it.
    keeps_influence
        Whether the influence of each cluster is kept, for paired comparisons.
    """

    block: Block
    specification: Specification
    design: Design
    is_base_only: bool = False
    keeps_influence: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """Names of the terms, in order."""
        return terms(self.design, self.specification, self.block)

    def fewest_answers(self, variant: str) -> int:
        """Return the number of answers below which the fit is ``too_few``."""
        if self.design.name != AS_PUBLISHED.name:
            return 0
        if self.block is TERNARY:
            return FEWEST_TERNARY_ANSWERS
        return 0 if variant == BASE_VARIANT else FEWEST_VARIANT_ANSWERS


Plan = tuple[HotelFit, ...]


def _fits(
    block: Block,
    specifications: tuple[Specification, ...],
    designs: tuple[Design, ...],
    *,
    is_base_only: bool = False,
) -> Plan:
    return tuple(
        HotelFit(
            block,
            specification,
            design,
            is_base_only,
            keeps_influence=block is BINARY
            and specification in SPECIFICATIONS
            and design is AUDITED,
        )
        for specification in specifications
        for design in designs
    )


_CONDITIONAL = (AS_PUBLISHED_CONDITIONAL, AUDITED)
# the two price forms of the two-option answers, in all designs
TWO_OPTION_PRICES = _fits(BINARY, SPECIFICATIONS, DESIGNS)
# price forms for every prompt, the rest for the base prompt
EVERY_FIT = (
    *TWO_OPTION_PRICES,
    *_fits(BINARY, (LOG,), (PUBLISHED_WITHOUT_INTERCEPT,), is_base_only=True),
    *_fits(
        BINARY,
        (DECILE, *BRAND_SPECIFICATIONS),
        (AS_PUBLISHED, AUDITED),
        is_base_only=True,
    ),
    *_fits(TERNARY, (LOG, LINEAR), _CONDITIONAL),
    *_fits(TERNARY, (DECILE,), _CONDITIONAL, is_base_only=True),
    *_fits(POOLED, (LOG, DECILE), _CONDITIONAL, is_base_only=True),
    *_fits(FIVEOPT, (LOG,), _CONDITIONAL),
)
# what is refitted on resampled pairs: the source's log form, and both forms of ours
BOOTSTRAPPED = (
    *_fits(BINARY, (LOG,), (AS_PUBLISHED,), is_base_only=True),
    *_fits(BINARY, SPECIFICATIONS, (AUDITED,), is_base_only=True),
)


def formats(plan: Plan) -> tuple[str, ...]:
    """Return the formats whose answers a plan needs, each once."""
    return tuple(
        name
        for name in FORMAT_OPTIONS
        if any(name in fit.block.formats for fit in plan)
    )


def layout(plan: Plan, format_name: str) -> Layout:
    """Return the columns that a plan reads of the answers to one format.

    Parameters
    ----------
    plan
        Fits.
    format_name
        ``binary``, ``ternary`` or ``fiveopt``.

    Returns
    -------
    Layout
        Columns in the order in which the plan first names them.
    """
    numbers: dict[str, None] = {}
    labels: dict[str, None] = {}
    chosen: dict[str, None] = {}
    for fit in plan:
        if format_name not in fit.block.formats:
            continue
        chosen[fit.design.chosen_column] = None
        if fit.specification.drops_listing:
            numbers[DROPPED_COLUMN] = None
        for term in fit.terms:
            column = column_of(term, fit.block, format_name)
            if column in (CHAIN_COLUMN, AREA_COLUMN):
                labels[column] = None
            elif column is not None:
                numbers[column] = None
    options = FORMAT_OPTIONS[format_name]
    return Layout(options, tuple(numbers), tuple(labels), tuple(chosen))


def input_columns(plan: Plan) -> tuple[str, ...]:
    """Return the columns of the long table that a plan reads.

    Parameters
    ----------
    plan
        Fits.

    Returns
    -------
    tuple of str
        The format first, then those of each format, each once.
    """
    names = {FORMAT_COLUMN: None}
    for name in formats(plan):
        names |= dict.fromkeys(layout(plan, name).schema.names)
    return tuple(names)


def column_of(term: str, block: Block, format_name: str) -> str | None:
    """Return the input column behind a term, for the answers to one format.

    Parameters
    ----------
    term
        Name of the term.
    block
        The block that is fitted.
    format_name
        One of its formats.

    Returns
    -------
    str or None
        None for the intercept and for a slot term of another format of the block.
    """
    if term == INTERCEPT:
        return None
    if term in slot_terms(block) and term not in _slot_terms_of(format_name):
        return None
    if term in DECILES:
        return block.decile_column
    if term in CHAINS:
        return CHAIN_COLUMN
    if term in AREAS:
        return AREA_COLUMN
    if term.startswith(SLOT) and term != SLOT:
        return SHOWN_SLOT_COLUMN
    return _COLUMNS.get(term, term)


def _slot_terms_of(format_name: str) -> tuple[str, ...]:
    return slot_terms(Block(format_name, (format_name,)))
