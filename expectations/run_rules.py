"""Rules on runs and on what is staged, which every instrument keeps in one way."""

from __future__ import annotations

from collections.abc import Sequence

from expectations.rules import EmptyRule, Rule, unique


def staging_rules(
    instrument: str, tables: Sequence[str], *, models: str = "run"
) -> list[Rule]:
    """Return the rules that staging loses nothing and tells runs and studies apart.

    Parameters
    ----------
    instrument
        Instrument of the tables.
    tables
        Its raw tables, one staging view for each; one of them is ``run``.
    models
        The one whose view names the models.

    Returns
    -------
    list of Rule
        Row counts, identity of studies, prefixes of model ids, marks of exclusions.
    """
    runs = f"stg_{instrument}_run"
    counts = " union all ".join(
        f"""
        select '{table}' as table_name,
            (select count(*) from raw_{table}) as raw_rows,
            (select count(*) from stg_{instrument}_{table}) as staged_rows
        """
        for table in tables
    )
    return [
        EmptyRule(
            f"stg_{instrument}_{tables[0]}",
            "every_raw_row_is_staged_once",
            f"select * from ({counts}) as counted where raw_rows != staged_rows",
        ),
        EmptyRule(
            runs,
            "a_study_is_one_bank_prompt_protocol_and_source",
            f"""
            select study_id, count(distinct identity) as identities
            from (
                select study_id,
                    concat_ws('|', bank_sha256, coalesce(prompt_sha256, ''), protocol,
                        source) as identity
                from {runs}
            ) as identified
            group by study_id having count(distinct identity) > 1
            """,
        ),
        EmptyRule(
            f"stg_{instrument}_{models}",
            "every_model_id_has_a_provider",
            f"""
            select run_id, model_id
            from stg_{instrument}_{models} where not contains(model_id, '/')
            """,
        ),
        EmptyRule(
            runs,
            "every_exclusion_is_marked",
            f"""
            select excluded_run.run_id, excluded_run.reason
            from excluded_run
            anti join (select * from {runs} where is_excluded) as marked using (run_id)
            """,
        ),
    ]


def run_rules(instrument: str) -> list[Rule]:
    """Return the rules on the counted runs of an instrument and on its models.

    Parameters
    ----------
    instrument
        Instrument of ``int_<instrument>_run`` and ``int_<instrument>_model``.

    Returns
    -------
    list of Rule
        Their keys, and that every run has a model and no more bad calls than calls.
    """
    runs, models = f"int_{instrument}_run", f"int_{instrument}_model"
    return [
        *unique(runs, "study_id", "run_id"),
        *unique(models, "model_id"),
        *unique(models, "slug"),
        EmptyRule(
            runs,
            "every_run_has_a_model_and_adds_up",
            f"""
            select study_id, run_id, model_id, calls, failed_calls, invalid_replies
            from {runs}
            where model_id not in (select model_id from {models})
                or failed_calls + invalid_replies > calls
            """,
        ),
    ]
