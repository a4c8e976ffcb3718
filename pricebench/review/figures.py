"""Costs, statuses and verdicts of a run, worked out again after every ruling.

No rule of theirs stands here: the project's own SQL, as dbt compiled it for the run's
private warehouse, is run again on the changed label rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pricebench.paths import dbt_folder

if TYPE_CHECKING:
    import duckdb

    from ingest.parsed_file import ParsedFile

# what rulings change, in the order in which they are built from each other
TASKS, CANDIDATES = "int_search_task", "int_search_candidate"
# what is built at first: listings say who found what, which no ruling changes
TARGET = "int_search_listing"
_COMPILED = Path("target", "compiled", "pricebench", "models", "intermediate", "search")

Row = Mapping[str, Any]

_LISTED = """
    select track, candidate_id, list(distinct agent) as finders,
        arg_min(
            {'num': open_num, 'den': open_den}, open_num::hugeint * 1000000 // open_den
        ) as claim
    from intermediate.int_search_listing
    where candidate_id is not null
    group by track, candidate_id
"""


class Figures:
    """The intermediate tables of one run.

    Parameters
    ----------
    connection
        Open on the warehouse, with the right to write.
    statements
        Table -> the query that fills it, in the order of building.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, statements: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self._statements = statements
        # rows as they were read since the last change; "" stands for products
        self._read: dict[str, dict[str, Row]] = {}
        self._listed = {
            (row["track"], row["candidate_id"]): row for row in self._rows(_LISTED)
        }

    @classmethod
    @contextmanager
    def open(cls, warehouse: Path) -> Iterator[Self]:
        """Open the warehouse of a run in which ``TARGET`` is built.

        Parameters
        ----------
        warehouse
            As ``pricebench.build`` left it, with the compiled SQL beside it.

        Yields
        ------
        Figures
        """
        from ingest.raw_tables import open_database

        folder = dbt_folder(warehouse) / _COMPILED
        statements = {
            name: (folder / f"{name}.sql").read_text(encoding="utf-8")
            for name in (TASKS, CANDIDATES)
        }
        with open_database(warehouse) as connection:
            yield cls(connection, statements)

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Keep the changes of a block if it ends well, and undo them if it raises."""
        self._connection.begin()
        try:
            yield
        except BaseException:
            self._connection.rollback()
            self._read.clear()
            raise
        self._connection.commit()

    def replace(self, files: Sequence[ParsedFile]) -> None:
        """Put rows of label files in the place of what those files held before.

        Parameters
        ----------
        files
            Rows for raw tables, one file and table each.
        """
        for one in files:
            table = f"raw_search.{one.table_name}"
            self._connection.execute(
                f"delete from {table} where _source_file = ?",
                [one.account.source_file],
            )
            self._connection.register("changed_rows", one.table)
            self._connection.execute(
                f"insert into {table} by name "
                "select *, 'review' as _dlt_load_id from changed_rows"
            )
            self._connection.unregister("changed_rows")

    def work_out(self, *, with_references: bool) -> None:
        """Fill the tables again from the raw rows as they are now.

        Parameters
        ----------
        with_references
            Products too; they change with the corrections of references alone.
        """
        self._read.clear()
        for name, query in self._statements.items():
            if name == CANDIDATES or with_references:
                self._connection.execute(
                    f"create or replace table intermediate.{name} as\n{query}"
                )

    def tasks(self) -> dict[str, Row]:
        """Return the products by id, in the order of the run."""
        if "" in self._read:
            return self._read[""]
        rows = self._rows(
            """
            select task.*, stg_search_task.pack_is_ambiguous, correction.pack_count
                is not null as is_pack_settled
            from intermediate.int_search_task as task
            inner join staging.stg_search_task using (run_id, task_id)
            left join staging.stg_search_ref_label as correction
                using (run_id, task_id)
            order by task.position, task.task_id
            """
        )
        self._read[""] = {row["task_id"]: row for row in rows}
        return self._read[""]

    def candidates(self, track: str) -> dict[str, Row]:
        """Return the candidates of a track by id; the references themselves are none.

        Parameters
        ----------
        track
            exact or equiv.

        Returns
        -------
        dict
            With the ruled status, who listed each, and its cheapest claim.
        """
        if track in self._read:
            return self._read[track]
        rows = self._rows(
            """
            select candidate.*, label.status as ruled_status
            from intermediate.int_search_candidate as candidate
            left join staging.stg_search_label as label
                using (run_id, track, candidate_id)
            where track = ? and not is_self_match
            order by candidate.candidate_id
            """,
            [track],
        )
        nobody: Row = {"finders": [], "claim": None}
        self._read[track] = {
            row["candidate_id"]: {
                **row,
                **self._listed.get((track, row["candidate_id"]), nobody),
            }
            for row in rows
        }
        return self._read[track]

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        found = self._connection.execute(query, list(values))
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
