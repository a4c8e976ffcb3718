"""Published tables that several modules compare with."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

Tables = dict[str, pd.DataFrame]


@pytest.fixture(scope="session")
def published_tables(release_hotel: Path) -> Tables:
    return {
        path.stem: pd.read_csv(path, float_precision="round_trip")
        for path in (release_hotel / "published").glob("*.csv")
    }


@pytest.fixture(scope="session")
def published_models(release_hotel: Path, published_tables: Tables) -> pd.DataFrame:
    """The 28 usable models: fits, verdicts and scores."""
    table = published_tables["personality"].dropna(subset="b_logp")
    scores = pd.read_csv(release_hotel / "capability_scores.csv")
    table = table.merge(scores, on="model", how="left").merge(
        published_tables["triage"][["model", "provider"]], on="model"
    )
    table["engaged"] = table["verdict"] == "engaged"
    table["wtp"] = table["b_d_review_score"] / table["b_logp"].abs() * 250
    table["identified"] = (
        table["engaged"]
        & (table["b_logp_p"] < 0.001)
        & (table["b_d_review_score_p"] < 0.001)
    )
    assert (len(table), table["engaged"].sum(), table["identified"].sum()) == (
        28,
        23,
        20,
    )
    return table
