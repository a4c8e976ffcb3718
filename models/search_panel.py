"""What the judges of each track agreed on, and how often the panel errs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from models.columns import Columns, families, read_rows
from models.search_agreement import agreement, corrected_share, panel_errors
from models.tables import Row, build_table

_TEXT, _NUMBER, _COUNT, _FLAG = pa.string(), pa.float64(), pa.int64(), pa.bool_()
_KEYS = ("study_id", "run_id", "track", "candidate_id")
CANDIDATE_INPUT = pa.schema(
    [
        *(pa.field(key, _TEXT, nullable=False) for key in _KEYS),
        pa.field("is_self_match", _FLAG, nullable=False),
        pa.field("seats", _COUNT, nullable=False),
        pa.field("n_valid", _COUNT, nullable=False),
        pa.field("n_invalid", _COUNT, nullable=False),
        pa.field("panel_verdict", _TEXT, nullable=False),
        pa.field("is_ruled", _FLAG, nullable=False),
        pa.field("is_overturned", _FLAG, nullable=False),
        pa.field("ruled_validity", _TEXT),
        pa.field("is_sampled", _FLAG, nullable=False),
        pa.field("inclusion_probability", _NUMBER),
    ]
)
PANEL_SCHEMA = pa.schema(
    [
        *(pa.field(key, _TEXT, nullable=False) for key in _KEYS[:3]),
        pa.field("seats", _COUNT, nullable=False),
        pa.field("n", _COUNT, nullable=False),
        pa.field("complete_count", _COUNT, nullable=False),
        pa.field("pairable_count", _COUNT, nullable=False),
        pa.field("raw_agreement", _NUMBER),
        pa.field("pairwise_agreement", _NUMBER),
        pa.field("fleiss_kappa", _NUMBER),
        pa.field("kappa_degenerate", _FLAG, nullable=False),
        pa.field("krippendorff_alpha", _NUMBER),
        pa.field("alpha_degenerate", _FLAG, nullable=False),
        pa.field("valid_share", _NUMBER),
        pa.field("ruled_count", _COUNT, nullable=False),
        pa.field("overturned_count", _COUNT, nullable=False),
        pa.field("sampled_count", _COUNT, nullable=False),
        pa.field("panel_sensitivity", _NUMBER),
        pa.field("panel_specificity", _NUMBER),
        pa.field("corrected_valid_share", _NUMBER),
        pa.field("correction_status", _TEXT, nullable=False),
    ]
)


def panel_table(candidates: Columns) -> pa.Table:
    """Return agreement and errors of every panel.

    Parameters
    ----------
    candidates
        ``CANDIDATE_INPUT``, one row for each candidate of a track. The reference itself
        is never judged and counts for nothing. Rulings count towards the errors where
        the candidate was drawn at random.

    Returns
    -------
    pyarrow.Table
        ``PANEL_SCHEMA``, one row for each run and track, in ascending order.
        ``valid_share`` is the share of candidates that the panel accepted, corrected by
        the errors of the panel where these are known (``correction_status`` ``ok``). An
        empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, or more votes than seats.
    """
    rows = read_rows(candidates, CANDIDATE_INPUT, _KEYS, what="search candidates")
    found = [_panel(family) for family in families(rows, _KEYS[:3])]
    return build_table(found, PANEL_SCHEMA)


def _panel(family: Sequence[Row]) -> Row:
    judged = [row for row in family if not row["is_self_match"]]
    seats = max((row["seats"] for row in family), default=0)
    agreed = agreement(
        [row["n_valid"] for row in judged],
        [row["n_invalid"] for row in judged],
        max(seats, 1),
    )
    drawn = [
        row
        for row in judged
        if row["is_sampled"]
        and row["ruled_validity"] is not None
        and row["inclusion_probability"] is not None
    ]
    errors = panel_errors(
        np.array([row["panel_verdict"] == "valid" for row in drawn], dtype=bool),
        np.array([row["ruled_validity"] == "valid" for row in drawn], dtype=bool),
        np.array([row["inclusion_probability"] for row in drawn], dtype=np.float64),
    )
    accepted = [row["panel_verdict"] == "valid" for row in judged]
    share = float(np.mean(accepted)) if accepted and seats else float(np.nan)
    return {
        **{key: family[0][key] for key in _KEYS[:3]},
        "seats": seats,
        "n": len(judged),
        "complete_count": agreed.complete,
        "pairable_count": agreed.pairable,
        "raw_agreement": agreed.raw,
        "pairwise_agreement": agreed.pairwise,
        "fleiss_kappa": agreed.fleiss_kappa,
        "kappa_degenerate": agreed.kappa_degenerate,
        "krippendorff_alpha": agreed.krippendorff_alpha,
        "alpha_degenerate": agreed.alpha_degenerate,
        "valid_share": share,
        "ruled_count": sum(row["is_ruled"] for row in family),
        "overturned_count": sum(row["is_overturned"] for row in family),
        "sampled_count": errors.sampled,
        "panel_sensitivity": errors.sensitivity,
        "panel_specificity": errors.specificity,
        "corrected_valid_share": corrected_share(share, errors),
        "correction_status": errors.status,
    }
