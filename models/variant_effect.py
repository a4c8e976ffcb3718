"""What a change of prompt or temperature does to a model's figures."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, families, read_rows
from models.correlation import correlate
from models.hotel_logit import FEWEST_CLUSTERS
from models.inference import holm, normal_interval, z_test
from models.ordering import Ints
from models.paired import DETECTABLE_ERRORS, Differences, align, differences
from models.tables import Row, build_table

# published: an ordering of fewer models is not worth a rank correlation
FEWEST_MODELS_IN_ORDERING = 4

_NUMBER = pa.float64()
_KEYS = ("study_id", "reading", "model_id", "variant", "statistic")
VARIANT_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        *(
            field
            for side in ("", "base_")
            for field in (
                pa.field(f"{side}estimate", _NUMBER),
                pa.field(f"{side}std_error", _NUMBER),
                pa.field(f"{side}status", pa.string(), nullable=False),
                pa.field(f"{side}cluster_id", pa.list_(pa.string())),
                pa.field(f"{side}influence", pa.list_(_NUMBER)),
            )
        ),
    ]
)
ORDERING_INPUT = pa.schema(
    [VARIANT_INPUT.field(name) for name in (*_KEYS, "estimate", "base_estimate")]
)
VARIANT_SCHEMA = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("method", pa.string(), nullable=False),
        pa.field("estimate", _NUMBER),
        pa.field("base_estimate", _NUMBER),
        pa.field("difference", _NUMBER),
        pa.field("std_error", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("z", _NUMBER),
        pa.field("p_value", _NUMBER),
        pa.field("p_holm", _NUMBER),
        pa.field("n_paired", pa.int64()),
        pa.field("smallest_detectable", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
ORDERING_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("statistic", pa.string(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("spearman_rho", _NUMBER),
        pa.field("spearman_p", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
_FIRST: Ints = np.zeros(1, dtype=np.int64)


def variant_effect_table(columns: Columns) -> pa.Table:
    """Set each figure of a variant against the main run cut to the same tasks.

    As published (Kireyev 2026, section 6): the difference over the root of the sum of
    squared standard errors, as if the two runs had answered different tasks. Audited:
    the same tasks were answered, so the difference is taken cluster by cluster.

    Parameters
    ----------
    columns
        ``VARIANT_INPUT``, one row for each model, variant (a prompt, or a temperature)
        and statistic; the ``base_`` columns hold the main run on the same tasks.
        Clusters and influences are used in the audited reading only.

    Returns
    -------
    pyarrow.Table
        ``VARIANT_SCHEMA``, in ascending order of the keys; ``method`` is
        ``independent`` or ``paired``. Null where a side has no estimate. The status is
        the worse of the two sides; audited ``too_few`` below 30 shared clusters,
        ``no_variation`` where the two runs are the same. Holm's adjustment runs over
        all ``ok`` rows of one study and reading. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, an unknown reading, or an audited estimate without
        influences; the message names the row.
    """
    rows = read_rows(columns, VARIANT_INPUT, _KEYS, what="variant figures")
    found: list[Row] = []
    for family in families(rows, _KEYS[:2]):
        block = [_row(row) for row in family]
        adjusted = holm(
            [row["p_value"] if row["status"] == status.OK else np.nan for row in block]
        )
        found += [
            row | {"p_holm": p} for row, p in zip(block, adjusted.tolist(), strict=True)
        ]
    return build_table(found, VARIANT_SCHEMA)


def _row(row: Row) -> Row:
    methods = {"as_published": "independent", "audited": "paired"}
    if row["reading"] not in methods:
        raise ValueError(f"variant figures: unknown reading {row['reading']!r}")
    method = methods[row["reading"]]
    out: Row = {
        **{key: row[key] for key in (*_KEYS, "estimate", "base_estimate")},
        "method": method,
        **dict.fromkeys(
            ("difference", "std_error", "ci_lo", "ci_hi", "z", "p_value"), np.nan
        ),
        "n_paired": None,
        "smallest_detectable": np.nan,
        "status": status.worst((row["status"], row["base_status"])),
    }
    if row["estimate"] is None or row["base_estimate"] is None:
        return out
    if method == "independent":
        return out | _independent(row)
    result = _paired(row)
    shared = int(result.shared[0])
    reasons = [out["status"]]
    if shared < FEWEST_CLUSTERS:
        reasons.append(status.TOO_FEW)
    elif np.isnan(result.std_error[0]):
        reasons.append(status.NO_VARIATION)
    return out | {
        **_tested(float(result.difference[0]), float(result.std_error[0])),
        "n_paired": shared,
        "status": status.worst(reasons),
    }


def _independent(row: Row) -> Row:
    errors = [row["std_error"], row["base_std_error"]]
    error = np.nan if None in errors else float(np.hypot(*errors))
    return _tested(row["estimate"] - row["base_estimate"], error)


def _paired(row: Row) -> Differences:
    sides = ("", "base_")
    for side in sides:
        ids, values = row[f"{side}cluster_id"], row[f"{side}influence"]
        if ids is None or values is None or len(ids) != len(values) or None in values:
            name = " ".join(row[key] for key in _KEYS)
            raise ValueError(
                f"variant figures: {name} has an estimate but not one "
                f"{side}influence for each of its clusters"
            )
    figures = align(
        [row[f"{side}estimate"] for side in sides],
        [row[f"{side}cluster_id"] for side in sides],
        [row[f"{side}influence"] for side in sides],
    )
    return differences(figures, _FIRST, _FIRST + 1)


def _tested(difference: float, error: float) -> Row:
    lo, hi = normal_interval(difference, error)
    return {
        "difference": difference,
        "std_error": error,
        "ci_lo": float(lo),
        "ci_hi": float(hi),
        "z": difference / error if error > 0 else np.nan,
        "p_value": float(z_test(difference, error)),
        "smallest_detectable": DETECTABLE_ERRORS * error,
    }


def variant_ordering_table(columns: Columns) -> pa.Table:
    """Ask whether a variant leaves the order of models as it was.

    Parameters
    ----------
    columns
        ``ORDERING_INPUT``, one row for each model, variant and statistic; figures as
        they are to be ordered.

    Returns
    -------
    pyarrow.Table
        ``ORDERING_SCHEMA``, one row for each study, reading, variant and statistic:
        Spearman's rho over the models with both figures (Kireyev 2026, section 6, takes
        the absolute price coefficient and the willingness to pay); null and
        ``too_few`` below 4 models. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema.
    """
    rows = read_rows(columns, ORDERING_INPUT, _KEYS, what="variant figures")
    keys = ("study_id", "reading", "variant", "statistic")
    rows.sort(key=lambda row: tuple(row[key] for key in keys))
    found: list[Row] = []
    for family in families(rows, keys):
        sides = (
            [np.nan if row[side] is None else row[side] for row in family]
            for side in ("estimate", "base_estimate")
        )
        result = correlate(*sides, fewest=FEWEST_MODELS_IN_ORDERING)
        found.append(
            {
                **{key: family[0][key] for key in keys},
                "n": result.n,
                "spearman_rho": result.spearman_rho,
                "spearman_p": result.spearman_p,
                "status": result.status,
            }
        )
    return build_table(found, ORDERING_SCHEMA)
