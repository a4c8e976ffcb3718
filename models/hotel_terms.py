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
INTERCEPT = "intercept"
SLOT = "slot"

# nightly rate at which a log-price model is turned into dollars
REFERENCE_PRICE_USD = 250.0


@dataclass(frozen=True, slots=True)
class Specification:
    """How the price enters.

    Attributes
    ----------
    name
        ``log`` or ``linear``.
    price_term
        Name of the price term.
    price_column
        Input column that holds it.
    reference_price_usd
        Rate at which a willingness to pay holds; None where it holds at any rate.
    """

    name: str
    price_term: str
    price_column: str
    reference_price_usd: float | None


SPECIFICATIONS = (
    Specification("log", "log_price", "log_price", REFERENCE_PRICE_USD),
    Specification("linear", "price", "price_usd", None),
)


@dataclass(frozen=True, slots=True)
class Design:
    """Which answers are used, with which leading term and which errors.

    Attributes
    ----------
    name
        ``as_published``, ``audited`` or ``published_on_audited`` (published terms on
        the answers of the audited reading, to tell apart why readings differ).
    chosen_column
        Input column that says which option was chosen; null where the answer does not
        belong to the reading.
    lead
        First term, ``intercept`` (1 on option A) or ``slot`` (+1 on option A when it
        was shown first, -1 when second).
    null
        Null model of the pseudo-R2.
    inference
        Errors behind p-values and intervals.
    """

    name: str
    chosen_column: str
    lead: str
    null: NullModel
    inference: Literal["information", "clustered"]


DESIGNS = (
    Design(
        "as_published",
        "chosen_as_published",
        INTERCEPT,
        "option_shares",
        "information",
    ),
    Design("audited", "chosen_audited", SLOT, "equal_shares", "clustered"),
    Design(
        "published_on_audited",
        "chosen_audited",
        INTERCEPT,
        "option_shares",
        "information",
    ),
)


def terms(design: Design, specification: Specification) -> tuple[str, ...]:
    """Return the names of the terms in the order in which they stand in a fit.

    Parameters
    ----------
    design, specification
        What is fitted.

    Returns
    -------
    tuple of str
        Leading term, six controls, price: eight names.
    """
    return (design.lead, *CONTROLS, specification.price_term)
