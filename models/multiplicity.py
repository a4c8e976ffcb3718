"""P-values of a declared family of tests, adjusted for their number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models.columns import Columns, families, read_rows
from models.inference import adjust_family
from models.ordering import Floats
from models.tables import Row, build_table

ALPHA = 0.05

_KEYS = ("study_id", "reading", "model_id", "specification", "term")
_NUMBER = pa.float64()
MULTIPLICITY_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("p_value", _NUMBER),
        pa.field("claimed", pa.bool_(), nullable=False),
    ]
)
MULTIPLICITY_SCHEMA = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("claimed", pa.bool_(), nullable=False),
        pa.field("family_tests", pa.int64(), nullable=False),
        pa.field("p_raw", _NUMBER),
        pa.field("p_bonferroni", _NUMBER),
        pa.field("p_holm", _NUMBER),
        pa.field("p_bh", _NUMBER),
        pa.field("significant_raw", pa.bool_()),
        pa.field("significant_bonferroni", pa.bool_()),
        pa.field("significant_holm", pa.bool_()),
        pa.field("significant_bh", pa.bool_()),
    ]
)
METHODS = ("raw", "bonferroni", "holm", "bh")
SUMMARY_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("tests", pa.int64(), nullable=False),
        pa.field("tests_not_made", pa.int64(), nullable=False),
        pa.field("rejections", pa.int64(), nullable=False),
        pa.field("claimed_tests", pa.int64(), nullable=False),
        pa.field("claimed_rejections", pa.int64(), nullable=False),
        pa.field("claimed_largest_p", _NUMBER),
    ]
)


class Adjusted(NamedTuple):
    """P-values of one family, each of shape (f,)."""

    raw: Floats
    bonferroni: Floats
    holm: Floats
    bh: Floats


def adjust(p_values: npt.ArrayLike) -> Adjusted:
    """Adjust the p-values of one family three ways.

    Bonferroni and Holm (1979) bound the chance of any false rejection, Benjamini and
    Hochberg (1995) the expected share of false ones, in independent tests.

    Parameters
    ----------
    p_values
        Shape (f,), in [0, 1]; NaN for a test that could not be made, which is then no
        member of the family.

    Returns
    -------
    Adjusted
        In [0, 1]; NaN where the input is. Empty for f = 0.

    Raises
    ------
    ValueError
        A p-value outside [0, 1]; the message gives it.
    """
    raw = np.asarray(p_values, dtype=np.float64)
    made = np.isfinite(raw)
    outside = raw[made & ~((raw >= 0) & (raw <= 1))]
    if len(outside):
        raise ValueError(f"p-values: {float(outside[0])} is not between 0 and 1")
    return Adjusted(
        raw,
        bonferroni=adjust_family(raw, "bonferroni"),
        holm=adjust_family(raw, "holm"),
        bh=adjust_family(raw, "fdr_bh"),
    )


def multiplicity_table(columns: Columns) -> pa.Table:
    """Adjust every family of tests: one for each study and reading.

    Published family (Kireyev 2026): the engaged models, each with the price coefficient
    of both price forms and the six controls of the log form, 184 tests at 23 models.

    Parameters
    ----------
    columns
        ``MULTIPLICITY_INPUT``, one row for each test of the family; ``claimed`` marks
        the tests on which a published statement rests.

    Returns
    -------
    pyarrow.Table
        ``MULTIPLICITY_SCHEMA``, in ascending order of the keys. Significant means an
        (adjusted) p below 0.05. A test that could not be made has nulls and does not
        count in ``family_tests``. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, or a p-value outside [0, 1].
    """
    rows = read_rows(columns, MULTIPLICITY_INPUT, _KEYS, what="family of tests")
    found: list[Row] = []
    for family in families(rows, _KEYS[:2]):
        raw = [np.nan if row["p_value"] is None else row["p_value"] for row in family]
        adjusted = adjust(raw)
        tests = int(np.isfinite(adjusted.raw).sum())
        for place, row in enumerate(family):
            p = {name: float(getattr(adjusted, name)[place]) for name in METHODS}
            found.append(
                {
                    **{key: row[key] for key in (*_KEYS, "claimed")},
                    "family_tests": tests,
                    **{f"p_{name}": value for name, value in p.items()},
                    **{
                        f"significant_{name}": None
                        if np.isnan(value)
                        else value < ALPHA
                        for name, value in p.items()
                    },
                }
            )
    return build_table(found, MULTIPLICITY_SCHEMA)


def multiplicity_summary_table(adjusted: pa.Table) -> pa.Table:
    """Count rejections, family by family and method by method.

    Parameters
    ----------
    adjusted
        Rows of ``MULTIPLICITY_SCHEMA``, in any order.

    Returns
    -------
    pyarrow.Table
        ``SUMMARY_SCHEMA``, four rows (one for each of ``METHODS``) for each study and
        reading. ``claimed_largest_p`` is the largest p among claimed tests after the
        adjustment, null when none was made. An empty input gives an empty table.
    """
    rows = read_rows(adjusted, MULTIPLICITY_SCHEMA, _KEYS, what="adjusted tests")
    found: list[Row] = []
    for family in families(rows, _KEYS[:2]):
        made = [row for row in family if row["p_raw"] is not None]
        claimed = [row for row in made if row["claimed"]]
        for method in METHODS:
            p = [row[f"p_{method}"] for row in claimed]
            found.append(
                {
                    "study_id": family[0]["study_id"],
                    "reading": family[0]["reading"],
                    "method": method,
                    "tests": len(made),
                    "tests_not_made": len(family) - len(made),
                    "rejections": sum(row[f"significant_{method}"] for row in made),
                    "claimed_tests": len(claimed),
                    "claimed_rejections": sum(
                        row[f"significant_{method}"] for row in claimed
                    ),
                    "claimed_largest_p": max(p, default=None),
                }
            )
    return build_table(found, SUMMARY_SCHEMA)
