"""Whether two-option and three-option answers share one vector of tastes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.special import chdtrc

from models import status
from models.columns import Columns, read_rows
from models.tables import Row, build_table

# the search behind a published maximum stops short of it, which can make the statistic
# a little negative; anything lower is a mistake in the input
ROUNDING = 5e-3

_NUMBER = pa.float64()
_PARTS = ("binary", "ternary", "pooled")
_KEYS = ("study_id", "model_id", "reading")
POOLING_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        *(pa.field(f"{part}_log_likelihood", _NUMBER) for part in _PARTS),
        pa.field("binary_terms", pa.int64()),
        pa.field("ternary_terms", pa.int64()),
        pa.field("pooled_terms", pa.int64()),
        pa.field("binary_price_std_error", _NUMBER),
        pa.field("pooled_price_std_error", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
POOLING_SCHEMA = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("lr_chi2", _NUMBER),
        pa.field("lr_df", pa.int64()),
        pa.field("p_value", _NUMBER),
        pa.field("std_error_ratio", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)


class LikelihoodRatio(NamedTuple):
    """A chi-square statistic with its degrees of freedom and tail probability."""

    chi2: float
    df: int
    p_value: float


def likelihood_ratio(restricted: float, free: float, df: int) -> LikelihoodRatio:
    """Compare two nested models by twice the difference of their log-likelihoods.

    Parameters
    ----------
    restricted, free
        Log-likelihoods at the maximum, at most 0; NaN where there is none.
    df
        Restrictions, at least 1.

    Returns
    -------
    LikelihoodRatio
        Never negative: a shortfall below 0.005, from a search that stopped early,
        counts as 0. NaN where an input is.

    Raises
    ------
    ValueError
        No restriction, or a free model that is clearly worse than the restricted one.
    """
    if df < 1:
        raise ValueError(f"likelihood ratio: at least one restriction, got {df}")
    chi2 = 2.0 * (free - restricted)
    if chi2 < -ROUNDING:
        raise ValueError(
            f"likelihood ratio: free model {free} is worse than restricted {restricted}"
        )
    if np.isnan(chi2):
        return LikelihoodRatio(float(np.nan), df, float(np.nan))
    chi2 = max(chi2, 0.0)
    return LikelihoodRatio(chi2, df, float(chdtrc(df, chi2)))


def pooling_table(columns: Columns) -> pa.Table:
    """Test, model by model, one taste vector for both formats against one for each.

    Kireyev (2026): interacting every term with the format separates the likelihood, so
    the free model is the two formats fitted apart.

    Parameters
    ----------
    columns
        ``POOLING_INPUT``, one row for each model: log-likelihoods and fitted terms of
        the two blocks and of the pooled fit, on the same answers, standard errors of
        the price coefficient, and the worst status of the three fits. Null where a
        model has no answers of a format.

    Returns
    -------
    pyarrow.Table
        ``POOLING_SCHEMA``, in ascending order of the keys. Null where a block has no
        maximum; the status is then at least ``too_few``, or ``no_variation`` where no
        taste could be fitted for both. ``std_error_ratio`` is pooled over binary. An
        empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, or fits that are not nested.
    """
    rows = read_rows(columns, POOLING_INPUT, _KEYS, what="pooled fits")
    return build_table([_row(row) for row in rows], POOLING_SCHEMA)


def _row(row: Row) -> Row:
    values = [row[f"{part}_log_likelihood"] for part in _PARTS]
    terms = [row[f"{part}_terms"] for part in _PARTS]
    errors = row["binary_price_std_error"], row["pooled_price_std_error"]
    out: Row = {
        **{key: row[key] for key in _KEYS},
        "lr_chi2": None,
        "lr_df": None,
        "p_value": None,
        "std_error_ratio": None
        if None in errors or not errors[0] > 0
        else errors[1] / errors[0],
        "status": status.worst((row["status"], status.TOO_FEW)),
    }
    if None in values or None in terms:
        return out
    binary, ternary, pooled = values
    restrictions = terms[0] + terms[1] - terms[2]
    if restrictions < 1:
        return out | {"status": status.worst((row["status"], status.NO_VARIATION))}
    test = likelihood_ratio(pooled, binary + ternary, restrictions)
    return out | {
        "lr_chi2": test.chi2,
        "lr_df": test.df,
        "p_value": test.p_value,
        "status": row["status"],
    }
