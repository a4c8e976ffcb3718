"""Do more capable models decide more sharply, and do they value quality more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, families, read_rows
from models.correlation import correlate, tied_ranks
from models.inference import holm
from models.tables import Row, build_table

# published: an axis with fewer scored models is not correlated with anything
FEWEST_MATCHES = 10
SIGNIFICANT_P = 0.05

_NUMBER = pa.float64()
_KEYS = ("study_id", "reading", "axis", "model_id")
CAPABILITY_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("score", _NUMBER),
        pa.field("family", pa.string()),
        pa.field("open_weights", pa.bool_(), nullable=False),
        pa.field("engaged", pa.bool_(), nullable=False),
        pa.field("well_identified", pa.bool_(), nullable=False),
        pa.field("log_price", _NUMBER),
        pa.field("log_price_p_value", _NUMBER),
        pa.field("pseudo_r2", _NUMBER),
        pa.field("net_pseudo_r2", _NUMBER),
        pa.field("wtp_usd", _NUMBER),
    ]
)
CAPABILITY_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        pa.field("axis", pa.string(), nullable=False),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("subset", pa.string(), nullable=False),
        pa.field("scored_models", pa.int64(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("pearson_r", _NUMBER),
        pa.field("pearson_p", _NUMBER),
        pa.field("pearson_p_holm", _NUMBER),
        pa.field("spearman_rho", _NUMBER),
        pa.field("spearman_p", _NUMBER),
        pa.field("spearman_p_holm", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
CAPABILITY_RANK_SCHEMA = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("engaged", pa.bool_(), nullable=False),
        pa.field("score", _NUMBER),
        pa.field("score_rank", pa.int64()),
        pa.field("scored_models", pa.int64(), nullable=False),
    ]
)


def _significant(row: Row) -> bool:
    p = row["log_price_p_value"]
    return p is not None and p < SIGNIFICANT_P


@dataclass(frozen=True, slots=True)
class Subset:
    """Models over which a correlation is taken."""

    name: str
    holds: Callable[[Row], bool]


_DECISIVENESS = (
    Subset("engaged", lambda row: row["engaged"]),
    Subset("engaged_open", lambda row: row["engaged"] and row["open_weights"]),
    Subset("engaged_significant", lambda row: row["engaged"] and _significant(row)),
    Subset(
        "engaged_open_significant",
        lambda row: row["engaged"] and row["open_weights"] and _significant(row),
    ),
    Subset(
        "engaged_without_gpt_5_4",
        lambda row: row["engaged"] and row["family"] != "GPT-5.4",
    ),
    # a lock never takes a model out of an audited comparison
    Subset("all", lambda row: True),
)
_DIRECTION = (
    Subset("well_identified", lambda row: row["well_identified"]),
    Subset(
        "well_identified_open",
        lambda row: row["well_identified"] and row["open_weights"],
    ),
)
MEASURES: dict[str, tuple[Subset, ...]] = {
    "pseudo_r2": _DECISIVENESS,
    "net_pseudo_r2": _DECISIVENESS,
    "abs_log_price": _DECISIVENESS,
    "wtp_usd": _DIRECTION,
}


def capability_table(columns: Columns) -> pa.Table:
    """Correlate a capability score with decisiveness and with willingness to pay.

    Kireyev (2026): decisiveness is the pseudo-R2 of the log form and the absolute price
    coefficient, direction the willingness to pay. Audited, decisiveness is repeated net
    of slot: pseudo-R2 minus that of a model with nothing but slots.

    Parameters
    ----------
    columns
        ``CAPABILITY_INPUT``, one row for each axis and model (any axis: an index, an
        arena rating, the logarithm of the parameter count); ``score`` is null for a
        model without one, ``net_pseudo_r2`` for a reading without it, and an estimate
        wherever its status keeps it out.

    Returns
    -------
    pyarrow.Table
        ``CAPABILITY_SCHEMA``, one row for each axis, measure and subset (``MEASURES``),
        in that order. A measure that no model of the reading has is left out. Below 10
        scored models an axis is ``too_few`` throughout, as is a subset of fewer than 3;
        a figure that is the same for all gives ``no_variation``; values are then null.
        Holm's adjustment runs over all correlations of one study, reading and axis. An
        empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema.
    """
    rows = read_rows(columns, CAPABILITY_INPUT, _KEYS, what="capability scores")
    found: list[Row] = []
    for axis in families(rows, _KEYS[:3]):
        block = [
            _row(axis, measure, subset)
            for measure, subsets in MEASURES.items()
            if any(_figure(row, measure) is not None for row in axis)
            for subset in subsets
        ]
        for name in ("pearson_p", "spearman_p"):
            adjusted = holm([row[name] for row in block])
            for row, p in zip(block, adjusted, strict=True):
                row[f"{name}_holm"] = p
        found += block
    return build_table(found, CAPABILITY_SCHEMA)


def _figure(row: Row, measure: str) -> float | None:
    if measure != "abs_log_price":
        value: float | None = row[measure]
        return value
    return None if row["log_price"] is None else abs(row["log_price"])


def _row(axis: list[Row], measure: str, subset: Subset) -> Row:
    scored = [row for row in axis if row["score"] is not None]
    pairs = [
        (row["score"], figure)
        for row in scored
        if subset.holds(row) and (figure := _figure(row, measure)) is not None
    ]
    enough = len(scored) >= FEWEST_MATCHES
    score, figures = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    nan = np.full(len(pairs), np.nan)
    result = correlate(score if enough else nan, figures)
    return {
        **{key: axis[0][key] for key in _KEYS[:3]},
        "measure": measure,
        "subset": subset.name,
        "scored_models": len(scored),
        "n": len(pairs),
        "pearson_r": result.pearson_r,
        "pearson_p": result.pearson_p,
        "spearman_rho": result.spearman_rho,
        "spearman_p": result.spearman_p,
        "status": result.status if enough else status.TOO_FEW,
    }


def capability_rank_table(columns: Columns) -> pa.Table:
    """Rank every model on every capability axis, lowest score first.

    Parameters
    ----------
    columns
        As for ``capability_table``.

    Returns
    -------
    pyarrow.Table
        ``CAPABILITY_RANK_SCHEMA``, in ascending order of the keys. Equal scores share
        the lowest rank; a model without a score has a null rank. An empty input gives
        an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema.
    """
    rows = read_rows(columns, CAPABILITY_INPUT, _KEYS, what="capability scores")
    found: list[Row] = []
    for axis in families(rows, _KEYS[:3]):
        scores = [np.nan if row["score"] is None else row["score"] for row in axis]
        ranks = tied_ranks(scores, descending=False)
        scored = int(np.isfinite(ranks).sum())
        for row, rank in zip(axis, ranks.tolist(), strict=True):
            found.append(
                {
                    **{key: row[key] for key in (*_KEYS, "engaged", "score")},
                    "score_rank": None if np.isnan(rank) else int(rank),
                    "scored_models": scored,
                }
            )
    return build_table(found, CAPABILITY_RANK_SCHEMA)
