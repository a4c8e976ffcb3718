"""Published tables, and the marts that several modules compare with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pandas as pd
import pytest

Tables = dict[str, pd.DataFrame]
Published = Callable[[str], pd.DataFrame]


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


@pytest.fixture(scope="module")
def marts(built_release: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The built release, to read."""
    with duckdb.connect(str(built_release), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def models(marts: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Display name to model id, for models with base answers."""
    rows = marts.execute(
        "select display_name, model_id from marts.model "
        "where model_id in (select model_id from marts.hotel_board)"
    ).fetchall()
    assert len(rows) >= 1
    return dict(rows)


@pytest.fixture(scope="module")
def published(published_tables: Tables, models: dict[str, str]) -> Published:
    """Return a published table's rows of the models that are built, all of them."""

    def read(name: str) -> pd.DataFrame:
        table = published_tables[name]
        table = table[table["model"].isin(models)]
        assert set(table["model"]) == set(models)
        return table

    return read
