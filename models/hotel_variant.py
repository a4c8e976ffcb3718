"""Figures of a prompt variant beside those of the base prompt on the same tasks."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from models.hotel_figures import figure_table
from models.hotel_plan import BASE_VARIANT
from models.hotel_terms import BINARY, HEADLINE_ATTRIBUTE, LOG, worth_name
from models.hotel_wtp import wtp_table
from models.tables import Row, build_table
from models.variant_effect import ORDERING_INPUT, VARIANT_INPUT

WORTH = worth_name(HEADLINE_ATTRIBUTE, LOG)
# what a variant is compared on (Kireyev 2026, section 6)
STATISTICS = (LOG.price_term, HEADLINE_ATTRIBUTE, WORTH)
PRICE_SIZE = f"abs_{LOG.price_term}"
ORDERED = (PRICE_SIZE, *STATISTICS[1:])

_Key = tuple[str, ...]


def variant_figures(fits: pa.Table, base_fits: pa.Table) -> pa.Table:
    """Pair the two-option figures of each variant with those of the base prompt.

    Log form (Kireyev 2026, section 6): price and review coefficient, and dollars for a
    review point at $250. Audited figures carry the influence of each pair of hotels.

    Parameters
    ----------
    fits
        Rows of ``hotel_logit.FIT_SCHEMA`` for the answers to the variants; those of the
        base prompt, of other blocks, forms and designs are left out.
    base_fits
        The same for the answers to the base prompt, cut to the tasks of the variant
        that ``variant`` names.

    Returns
    -------
    pyarrow.Table
        ``variant_effect.VARIANT_INPUT``, one row for each study, reading, variant,
        model and member of ``STATISTICS`` that both sides have, in ascending order. A
        variant without base answers has no row. Empty inputs give an empty table.

    Raises
    ------
    ValueError
        A fit that stands twice, or influences that do not fit it.
    """
    sides = _figures(_two_option_log(fits)), _figures(_two_option_log(base_fits))
    rows = [
        {
            **dict(zip(_KEYS, key, strict=True)),
            **sides[0][key],
            **{f"base_{name}": value for name, value in sides[1][key].items()},
        }
        for key in sorted(sides[0].keys() & sides[1].keys())
    ]
    return build_table(rows, VARIANT_INPUT)


def ordering_figures(effects: pa.Table) -> pa.Table:
    """Make the figures of variants those by which models are ordered.

    Parameters
    ----------
    effects
        Rows with the columns of ``variant_effect.ORDERING_INPUT``, for instance those
        of ``variant_effect_table``, of the members of ``STATISTICS``.

    Returns
    -------
    pyarrow.Table
        ``ORDERING_INPUT``: price coefficients by their size (Kireyev 2026, section 6),
        as ``abs_log_price``; other figures as they are. An empty input gives an empty
        table.
    """
    rows = effects.select(ORDERING_INPUT.names).to_pylist()
    for row in rows:
        if row["statistic"] == LOG.price_term:
            row["statistic"] = PRICE_SIZE
            for side in ("estimate", "base_estimate"):
                row[side] = None if row[side] is None else abs(row[side])
    return build_table(rows, ORDERING_INPUT)


_KEYS = VARIANT_INPUT.names[:5]


def _two_option_log(fits: pa.Table) -> pa.Table:
    keep = [
        (block, specification) == (BINARY.name, LOG.name) and variant != BASE_VARIANT
        for block, specification, variant in zip(
            *(fits[name].to_pylist() for name in ("block", "specification", "variant")),
            strict=True,
        )
    ]
    return fits.filter(pa.array(keep, pa.bool_()))


def _figures(fits: pa.Table) -> dict[_Key, Row]:
    return _published(fits) | _audited(fits)


def _published(fits: pa.Table) -> dict[_Key, Row]:
    found: dict[_Key, Row] = {}
    for fit in fits.to_pylist():
        if fit["design"] != "as_published":
            continue
        for term in STATISTICS[:2]:
            place = fit["term"].index(term)
            found[_key(fit, "as_published", term)] = _side(
                fit["estimate"][place],
                fit["std_error"][place],
                fit["term_status"][place],
            )
    for worth in wtp_table(fits).to_pylist():
        if (worth["design"], worth["attribute"]) == (
            "as_published",
            HEADLINE_ATTRIBUTE,
        ):
            found[_key(worth, "as_published", WORTH)] = _side(
                worth["wtp_usd"], worth["std_error"], worth["status"]
            )
    return found


def _audited(fits: pa.Table) -> dict[_Key, Row]:
    return {
        _key(figure, "audited", figure["metric"]): _side(
            figure["estimate"],
            None,
            figure["status"],
            figure["cluster_id"],
            figure["influence"],
        )
        for figure in figure_table(fits).to_pylist()
        if figure["metric"] in STATISTICS
    }


def _key(row: Row, reading: str, statistic: str) -> _Key:
    values = {**row, "reading": reading, "statistic": statistic}
    return tuple(values[name] for name in _KEYS)


def _side(
    estimate: float | None,
    std_error: float | None,
    label: str,
    cluster_id: Sequence[str] = (),
    influence: Sequence[float] = (),
) -> Row:
    return {
        "estimate": estimate,
        "std_error": std_error,
        "status": label,
        "cluster_id": cluster_id,
        "influence": influence,
    }
