"""The scorecard for programs: rows for csv, nested lists for json, every digit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pricebench.board import READINGS, Study
from pricebench.reader import Grid


def wide_rows(studies: Sequence[Study]) -> Grid:
    """Lay the board out as one row per study and model.

    Parameters
    ----------
    studies : sequence of Study
        What `read_board` returned.

    Returns
    -------
    Grid
        Facts of the study, shared columns, then every figure as
        ``<figure>_as_published`` and ``<figure>_audited``, then
        ``<figure>_difference`` and ``<figure>_reason``, and the smallest detectable
        difference of the study's headline. No digit is rounded. No columns where there
        is no study.
    """
    records: list[dict[str, Any]] = []
    for study in studies:
        for model in study.models:
            record = dict(study.facts) | dict(model.shared)
            for reading in READINGS:
                figures = model.readings[reading].items()
                record |= {f"{name}_{reading}": value for name, value in figures}
            record["smallest_detectable"] = study.smallest_detectable
            record |= {f"{k}_difference": v for k, v in model.difference.items()}
            record |= {f"{k}_reason": v for k, v in model.reasons.items()}
            records.append(record)
    columns = tuple(dict.fromkeys(name for record in records for name in record))
    lead = ("study_id", "model_id", "display_name")
    columns = tuple(sorted(columns, key=lambda one: one not in lead))
    return Grid(columns, tuple(tuple(map(one.get, columns)) for one in records))


def nested(studies: Sequence[Study]) -> list[dict[str, Any]]:
    """Lay the board out as studies that hold models that hold readings.

    Parameters
    ----------
    studies : sequence of Study
        What `read_board` returned.

    Returns
    -------
    list of dict
        One entry per study, ready for JSON. ``not_comparable_with_above`` lists the
        facts that differ from the study before; null in the first of an instrument and
        where there are no models. ``also_loaded`` lists variants that stand in the
        marts only.
    """
    return [
        {
            "instrument": study.instrument,
            "study_id": study.study_id,
            **study.facts,
            "not_comparable_with_above": list(study.differs) or None,
            "left_out": list(study.left_out),
            "smallest_detectable": study.smallest_detectable,
            "also_loaded": list(study.variants),
            "models": [
                {
                    **model.shared,
                    **model.readings,
                    "difference": dict(model.difference),
                    "reason": dict(model.reasons),
                }
                for model in study.models
            ],
        }
        for study in studies
    ]
