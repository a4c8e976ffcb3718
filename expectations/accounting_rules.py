"""Rules on the books of a loader, which every instrument keeps in one way."""

from __future__ import annotations

from collections.abc import Mapping

from expectations.rules import EmptyRule, Rule


def accounting_rules(raw_tables: Mapping[str, bool]) -> list[Rule]:
    """Return the rules that no row of a loaded file went missing.

    Parameters
    ----------
    raw_tables
        Raw tables, and whether their rows belong to a bank.

    Returns
    -------
    list of Rule
        Rows read are accepted, quarantined or superseded; accepted ones stand in the
        raw tables and quarantined ones in ``quarantine``, file by file.
    """
    return [
        EmptyRule(
            "row_accounting",
            "read_is_accepted_quarantined_or_superseded",
            """
            select table_name, source_file, rows_read, rows_accepted, rows_quarantined,
                rows_superseded
            from row_accounting
            where rows_read != rows_accepted + rows_quarantined + rows_superseded
            """,
        ),
        EmptyRule(
            "row_accounting",
            "accepted_rows_are_the_raw_rows",
            f"""
            with raw as ({_raw_rows(raw_tables)}),
            accounted as (
                select table_name, source_file, source_sha256, bank_sha256,
                    sum(rows_accepted) as accepted_rows
                from row_accounting group by all
            )
            select
                coalesce(raw.table_name, accounted.table_name) as table_name,
                coalesce(raw.source_file, accounted.source_file) as source_file,
                coalesce(accounted.accepted_rows, 0)::bigint as accepted_rows,
                coalesce(raw.raw_rows, 0) as raw_rows
            from raw
            full join accounted
                on raw.table_name = accounted.table_name
                and raw.source_file = accounted.source_file
                and raw.source_sha256 = accounted.source_sha256
                and raw.bank_sha256 is not distinct from accounted.bank_sha256
            where coalesce(raw.raw_rows, 0) != coalesce(accounted.accepted_rows, 0)
            """,
        ),
        EmptyRule(
            "row_accounting",
            "quarantined_rows_are_the_rows_in_quarantine",
            """
            with held as (
                select source_file, source_sha256, bank_sha256, count(*) as held_rows
                from quarantine group by all
            ),
            accounted as (
                select source_file, source_sha256, bank_sha256,
                    sum(rows_quarantined) as quarantined_rows
                from row_accounting group by all
            )
            select
                coalesce(held.source_file, accounted.source_file) as source_file,
                coalesce(accounted.quarantined_rows, 0)::bigint as quarantined_rows,
                coalesce(held.held_rows, 0) as held_rows
            from held
            full join accounted
                on held.source_file = accounted.source_file
                and held.source_sha256 = accounted.source_sha256
                and held.bank_sha256 is not distinct from accounted.bank_sha256
            where coalesce(held.held_rows, 0) != coalesce(accounted.quarantined_rows, 0)
            """,
        ),
    ]


def _raw_rows(raw_tables: Mapping[str, bool]) -> str:
    """Return the query for raw rows counted by table, file and bank."""
    return " union all ".join(
        f"""
        select '{table}' as table_name, _source_file as source_file,
            _source_sha256 as source_sha256,
            {"bank_sha256" if has_bank else "null::varchar"} as bank_sha256,
            count(*) as raw_rows
        from {table} group by all
        """
        for table, has_bank in raw_tables.items()
    )
