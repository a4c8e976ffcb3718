"""Names of the hotel choice models: terms, specifications, designs, attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from models.conditional_logit import NullModel

# attributes of an option, in the order of the published tables
CONTROLS = (
    "stars",
    "bed_rank",
    "cancel",
    "breakfast",
    "review_score",
    "review_count_100",
)
ATTRIBUTES = ("stars", "review_score", "cancel", "breakfast")
# the one whose worth in dollars models are compared by
HEADLINE_ATTRIBUTE = "review_score"
INTERCEPT = "intercept"
SLOT = "slot"
# the cheapest tenth of prices, hotels without a chain and Midtown are the references
DECILES = tuple(f"D{decile}" for decile in range(2, 11))
CHAINS = ("Hilton", "Marriott", "IHG", "Hyatt", "Wyndham")
REFERENCE_CHAIN = "Independent"
AREAS = (
    "Downtown",
    "Chelsea/Flatiron/NoMad",
    "Villages",
    "Upper Manhattan",
    "Brooklyn",
    "Queens",
)
REFERENCE_AREA = "Midtown"
LUXURY = "luxury"

# nightly rate at which a log-price model is turned into dollars
REFERENCE_PRICE_USD = 250.0

# format -> its options
FORMAT_OPTIONS = {
    "binary": ("A", "B"),
    "ternary": ("A", "B", "C"),
    "fiveopt": ("A", "B", "C", "D", "E"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """Answers that are fitted together.

    Attributes
    ----------
    name
        ``binary``, ``ternary``, ``pooled`` or ``fiveopt``.
    formats
        Formats of the tasks whose answers it stacks.
    decile_column
        Input column with the price decile by the edges that belong to the block.
    """

    name: str
    formats: tuple[str, ...]
    decile_column: str = "price_decile"


BINARY = Block("binary", ("binary",))
TERNARY = Block("ternary", ("ternary",))
POOLED = Block("pooled", ("binary", "ternary"), "pooled_price_decile")
FIVEOPT = Block("fiveopt", ("fiveopt",))
BLOCKS = (BINARY, TERNARY, POOLED, FIVEOPT)


@dataclass(frozen=True, slots=True)
class PriceForm:
    """One number for the price.

    Attributes
    ----------
    term
        Name of the term.
    column
        Input column that holds it.
    reference_usd
        Rate at which a willingness to pay holds; None where it holds at any rate.
    """

    term: str
    column: str
    reference_usd: float | None


@dataclass(frozen=True, slots=True)
class Specification:
    """What enters the utility besides the leading terms and the six controls.

    Attributes
    ----------
    name
        ``log``, ``linear``, ``decile``, ``brand`` and its kin.
    terms
        Names of the further terms, in order.
    price
        How the price enters as one number; None where it enters as deciles.
    drops_listing
        Whether answers to tasks that show the listing in question are left out.
    """

    name: str
    terms: tuple[str, ...]
    price: PriceForm | None = None
    drops_listing: bool = False

    @property
    def price_term(self) -> str:
        """Name of the one price term; empty where there is none."""
        return self.price.term if self.price else ""

    @property
    def price_column(self) -> str:
        """Input column of the one price term; empty where there is none."""
        return self.price.column if self.price else ""

    @property
    def reference_price_usd(self) -> float | None:
        """Rate at which a willingness to pay holds; None where at any rate."""
        return self.price.reference_usd if self.price else None


_LOG = PriceForm("log_price", "log_price", REFERENCE_PRICE_USD)
_LINEAR = PriceForm("price", "price_usd", None)
LOG = Specification("log", (_LOG.term,), _LOG)
LINEAR = Specification("linear", (_LINEAR.term,), _LINEAR)
DECILE = Specification("decile", DECILES)
BRAND = Specification("brand", (*CHAINS, *DECILES))
BRAND_AREA = Specification("brand_area", (*CHAINS, *AREAS, *DECILES))
BRAND_LUXURY = Specification("brand_luxury", (*CHAINS, LUXURY, *DECILES))
BRAND_DROP_LISTING = Specification(
    "brand_drop_listing", BRAND.terms, drops_listing=True
)

# those that give a willingness to pay
SPECIFICATIONS = (LOG, LINEAR)
BRAND_SPECIFICATIONS = (BRAND, BRAND_AREA, BRAND_LUXURY, BRAND_DROP_LISTING)
ALL_SPECIFICATIONS = (*SPECIFICATIONS, DECILE, *BRAND_SPECIFICATIONS)

Lead = Literal["intercept", "slots", "none"]


@dataclass(frozen=True, slots=True)
class Design:
    """Which answers are used, with which leading terms and which errors.

    Attributes
    ----------
    name
        ``as_published``, ``audited``, ``published_on_audited`` (published terms on
        the answers of the audited reading, to tell apart why readings differ) or
        ``published_without_intercept`` (published terms without the intercept on the
        answers that name an option: one side of the published pooling test).
    chosen_column
        Input column that says which option was chosen; null where the answer does not
        belong to the reading.
    lead
        First terms: an ``intercept`` (1 on option A), one term for each shown slot but
        a reference (``slots``), or ``none``.
    null
        Null model of the pseudo-R2.
    inference
        Errors behind p-values and intervals.
    """

    name: str
    chosen_column: str
    lead: Lead
    null: NullModel
    inference: Literal["information", "clustered"]


AS_PUBLISHED = Design(
    "as_published", "chosen_as_published", "intercept", "option_shares", "information"
)
AUDITED = Design("audited", "chosen_audited", "slots", "equal_shares", "clustered")
PUBLISHED_ON_AUDITED = Design(
    "published_on_audited",
    "chosen_audited",
    "intercept",
    "option_shares",
    "information",
)
# conditional logits on answers that name an option, as published without constants
AS_PUBLISHED_CONDITIONAL = Design(
    "as_published",
    "chosen_as_published_valid",
    "none",
    "equal_shares",
    "information",
)
PUBLISHED_WITHOUT_INTERCEPT = Design(
    "published_without_intercept",
    "chosen_as_published_valid",
    "none",
    "equal_shares",
    "information",
)

DESIGNS = (AS_PUBLISHED, AUDITED, PUBLISHED_ON_AUDITED)
DESIGN_NAMES = (*(one.name for one in DESIGNS), PUBLISHED_WITHOUT_INTERCEPT.name)


def slot_terms(block: Block) -> tuple[str, ...]:
    """Return the names of the slot terms of a block.

    Parameters
    ----------
    block
        What is fitted together.

    Returns
    -------
    tuple of str
        ``slot`` for two options (+1 on option A when it was shown first, -1 when
        second); ``slot1`` ... ``slot<m-1>`` for m of them (1 on the option in that
        slot; the last is the reference); in a block of several formats those of each.
    """
    names: list[str] = []
    for options in (FORMAT_OPTIONS[name] for name in block.formats):
        if len(options) == 2:
            names.append(SLOT)
        else:
            names += [f"{SLOT}{slot}" for slot in range(1, len(options))]
    return tuple(names)


def terms(
    design: Design, specification: Specification, block: Block = BINARY
) -> tuple[str, ...]:
    """Return the names of the terms in the order in which they stand in a fit.

    Parameters
    ----------
    design, specification, block
        What is fitted.

    Returns
    -------
    tuple of str
        Leading terms, six controls, those of the specification.
    """
    leads: dict[Lead, tuple[str, ...]] = {
        "intercept": (INTERCEPT,),
        "slots": slot_terms(block),
        "none": (),
    }
    return (*leads[design.lead], *CONTROLS, *specification.terms)


def figure_name(term: str, specification: Specification) -> str:
    """Return the name of a coefficient as a figure of a model.

    Parameters
    ----------
    term
        Name of the term.
    specification
        Form of the fit.

    Returns
    -------
    str
        The term itself in the log form and where it tells the form by itself (the
        price), else with the form behind it, as in ``review_score_linear``.
    """
    if specification is LOG or term == specification.price_term:
        return term
    return f"{term}_{specification.name}"


def worth_name(attribute: str, specification: Specification) -> str:
    """Return the name of what an attribute or the first slot is worth in dollars.

    Parameters
    ----------
    attribute
        An attribute, or ``slot``.
    specification
        Form of the fit.

    Returns
    -------
    str
        As in ``wtp_review_score_usd``, ``wtp_review_score_linear_usd``, ``slot_usd``.
    """
    paid = "" if attribute == SLOT else "wtp_"
    return f"{paid}{figure_name(attribute, specification)}_usd"
