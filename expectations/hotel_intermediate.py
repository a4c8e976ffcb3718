"""What must hold of the hotel answers once they are joined to tasks and options."""

from __future__ import annotations

from expectations.rules import (
    EmptyRule,
    Rule,
    Suite,
    not_null,
    one_of,
    typed,
    unique,
    within,
)
from expectations.run_rules import run_rules
from expectations.vocabulary import (
    CHOICES,
    FORMAT_OPTIONS,
    FORMATS,
    READINGS,
    REPLY_STATES,
    SOURCES,
    quoted,
)
from models.hotel_terms import (
    AREAS,
    CHAINS,
    POOLED,
    REFERENCE_AREA,
    REFERENCE_CHAIN,
)

_COUNT_OF_FORMAT = " ".join(
    f"when '{name}' then {options}" for name, options in FORMAT_OPTIONS.items()
)
_COVARIATES = (
    "hotel_id",
    "stars",
    "bed_rank",
    "cancel",
    "breakfast",
    "review_score",
    "review_count_100",
    "price_usd",
    "log_price",
    "luxury",
    "dropped_listing",
)
_LEFT_OUT = (
    "invalid_count",
    "failed_count",
    "duplicate_count",
    "other_offset_count",
    "other_choice_count",
)


# what the two readings of a reply are called in a column: ours has no prefix
_READERS = ("", "published_")


def _slot_is_not_of(reader: str) -> str:
    return f"""
        {reader}shown_slot is distinct from case
            when {reader}choice is null then null
            when ordering = 'original' then ascii({reader}choice) - 64
            else option_count + 65 - ascii({reader}choice)
        end
    """


def _one_chosen(column: str, belongs: str) -> EmptyRule:
    """Return the rule on how many options of an answer a reading marks as chosen.

    ``belongs`` says, in columns of ``int_hotel_answer``, whether the answer is part
    of the reading: then one option is chosen, otherwise none is so much as marked.
    """
    return EmptyRule(
        "int_hotel_choice",
        f"exactly_one_option_is_{column}",
        f"""
        with counted as (
            select answer_key, count(*) as options, count({column}) as marked,
                count(*) filter (where {column}) as chosen
            from int_hotel_choice group by answer_key
        )
        select counted.*, answer.source_file, answer.source_row
        from counted
        left join int_hotel_answer as answer using (answer_key)
        where case
            when {belongs} then counted.marked != counted.options or counted.chosen != 1
            else counted.marked != 0
        end
        """,
    )


_OPTIONS: list[Rule] = [
    *typed(
        "int_hotel_option",
        {"price_usd": "DECIMAL(12,2)", "log_price": "DOUBLE", "hotel_id": "BIGINT"},
    ),
    *not_null("int_hotel_option", "bank_sha256", "task_id", "option", "option_number"),
    *not_null("int_hotel_option", "option_count", "format", "group_id", "chain"),
    *not_null("int_hotel_option", *_COVARIATES),
    *unique("int_hotel_option", "bank_sha256", "task_id", "option"),
    *one_of("int_hotel_option", "format", FORMAT_OPTIONS),
    *one_of("int_hotel_option", "option", CHOICES),
    EmptyRule(
        "int_hotel_option",
        "every_chain_and_area_has_a_term_or_is_a_reference",
        f"""
        select bank_sha256, task_id, option, chain, area
        from int_hotel_option
        where chain not in ({quoted((*CHAINS, REFERENCE_CHAIN))})
            or area not in ({quoted((*AREAS, REFERENCE_AREA))})
        """,
    ),
    *unique("int_hotel_price_decile", "bank_sha256", "block", "decile"),
    *not_null("int_hotel_price_decile", "lower_usd", "upper_usd", "price_count"),
    EmptyRule(
        "int_hotel_price_decile",
        "the_deciles_of_a_bank_hold_all_its_prices",
        f"""
        with wanted as (
            select bank_sha256, blocks.block, count(*) as prices
            from int_hotel_option
            cross join unnest([format, '{POOLED.name}']) as blocks (block)
            where format in ({quoted(POOLED.formats)})
            group by all
        )
        select bank_sha256, block, prices, count(decile) as deciles,
            sum(price_count) as in_deciles
        from wanted
        left join int_hotel_price_decile using (bank_sha256, block)
        group by all
        having deciles != 10 or in_deciles != prices
        """,
    ),
    EmptyRule(
        "int_hotel_answer",
        "the_shown_slot_is_that_of_choice_and_ordering",
        f"""
        select answer_key, ordering, choice, shown_slot, published_choice,
            published_shown_slot, option_count, source_file, source_row
        from int_hotel_answer
        where {" or ".join(map(_slot_is_not_of, _READERS))}
        """,
    ),
    EmptyRule(
        "int_hotel_option",
        "every_task_has_the_options_of_its_format",
        f"""
        select stg_hotel_task.bank_sha256, stg_hotel_task.task_id,
            stg_hotel_task.format, count(int_hotel_option.option) as options,
            any_value(stg_hotel_task.source_file) as source_file,
            any_value(stg_hotel_task.source_row) as source_row
        from stg_hotel_task
        left join int_hotel_option using (bank_sha256, task_id)
        group by all
        having options != case stg_hotel_task.format {_COUNT_OF_FORMAT} end
            or max(int_hotel_option.option_count) is distinct from options
            or max(int_hotel_option.option_number) is distinct from options
        """,
    ),
]

_ANSWERS: list[Rule] = [
    *not_null("int_hotel_answer", "answer_key", "study_id", "model_id", "run_id"),
    *not_null("int_hotel_answer", "variant", "source", "bank_sha256", "format"),
    *not_null("int_hotel_answer", "task_id", "group_id", "ordering", "reply_state"),
    *not_null("int_hotel_answer", "is_valid", "is_audited", "is_joined_as_published"),
    *not_null("int_hotel_answer", "is_valid_as_published"),
    *unique("int_hotel_answer", "answer_key"),
    *one_of("int_hotel_answer", "source", SOURCES),
    *one_of("int_hotel_answer", "format", FORMAT_OPTIONS),
    *one_of("int_hotel_answer", "reply_state", REPLY_STATES),
    EmptyRule(
        "int_hotel_answer",
        "every_answer_of_a_kept_run_is_here_once",
        """
        with kept as (
            select stg_hotel_response.answer_key, stg_hotel_response.source_file,
                stg_hotel_response.source_row
            from stg_hotel_response
            inner join stg_hotel_run using (source, run_id, bank_sha256)
            where not stg_hotel_run.is_excluded
                and not stg_hotel_response.is_superseded
        )
        select
            coalesce(kept.answer_key, answer.answer_key) as answer_key,
            kept.answer_key is null as is_unknown,
            coalesce(kept.source_file, answer.source_file) as source_file,
            coalesce(kept.source_row, answer.source_row) as source_row
        from kept
        full join int_hotel_answer as answer using (answer_key)
        where kept.answer_key is null or answer.answer_key is null
        """,
    ),
    EmptyRule(
        "int_hotel_answer",
        "a_slot_is_shown_where_a_choice_was_read",
        """
        select answer_key, choice, shown_slot, option_count, source_file, source_row
        from int_hotel_answer
        where (choice is null) != (shown_slot is null)
            or shown_slot not between 1 and option_count
        """,
    ),
]

_CHOICES: list[Rule] = [
    *typed(
        "int_hotel_choice",
        {"chosen_as_published": "BOOLEAN", "chosen_audited": "BOOLEAN"},
    ),
    *not_null("int_hotel_choice", "answer_key", "study_id", "model_id", "variant"),
    *not_null("int_hotel_choice", "option", "group_id", "shown_slot", *_COVARIATES),
    *unique("int_hotel_choice", "answer_key", "option"),
    EmptyRule(
        "int_hotel_choice",
        "every_answer_has_all_options_in_slots_of_their_own",
        """
        select int_hotel_answer.answer_key, int_hotel_answer.option_count,
            count(int_hotel_choice.option) as options,
            count(distinct int_hotel_choice.shown_slot) as slots,
            any_value(int_hotel_answer.source_file) as source_file,
            any_value(int_hotel_answer.source_row) as source_row
        from int_hotel_answer
        full join int_hotel_choice using (answer_key)
        group by all
        having int_hotel_answer.option_count is distinct from options
            or slots != options
        """,
    ),
    _one_chosen(
        "chosen_as_published",
        "answer.is_joined_as_published and (answer.is_valid_as_published or "
        "answer.format = 'binary' and answer.variant = 'base')",
    ),
    _one_chosen(
        "chosen_as_published_valid",
        "answer.is_joined_as_published and answer.is_valid_as_published",
    ),
    _one_chosen("chosen_audited", "answer.is_audited"),
    EmptyRule(
        "int_hotel_choice",
        "every_price_is_in_one_decile_of_each_block",
        f"""
        with blocks as (
            select answer_key, option, bank_sha256, price_usd, format as block,
                price_decile as decile
            from int_hotel_choice
            union all
            select answer_key, option, bank_sha256, price_usd,
                case when format in ({quoted(POOLED.formats)}) then '{POOLED.name}' end,
                pooled_price_decile
            from int_hotel_choice
        )
        select blocks.answer_key, blocks.option, blocks.block, blocks.price_usd,
            blocks.decile
        from blocks
        left join int_hotel_price_decile as edges
            on blocks.bank_sha256 = edges.bank_sha256
            and blocks.block = edges.block and blocks.decile = edges.decile
        where case
            when blocks.block in ({quoted((*POOLED.formats, POOLED.name))})
                then not coalesce(blocks.price_usd > edges.lower_usd
                    and blocks.price_usd <= edges.upper_usd, false)
            else blocks.decile is not null
        end
        """,
    ),
]

_COUNTS: list[Rule] = [
    *unique(
        "int_hotel_slot_count", "study_id", "model_id", "variant", "format", "reading"
    ),
    *not_null(
        "int_hotel_slot_count", "study_id", "model_id", "variant", "n", "answers"
    ),
    *one_of("int_hotel_slot_count", "format", FORMATS),
    *one_of("int_hotel_slot_count", "reading", READINGS),
    *within("int_hotel_slot_count", "n", low=0),
    EmptyRule(
        "int_hotel_slot_count",
        "every_answer_is_counted_in_one_class",
        f"""
        select study_id, model_id, variant, format, reading, answers, n
        from int_hotel_slot_count where answers != n + {" + ".join(_LEFT_OUT)}
        """,
    ),
    EmptyRule(
        "int_hotel_slot_count",
        "slot_picks_add_to_n",
        """
        select study_id, model_id, variant, format, reading, n
        from int_hotel_slot_count
        where n != coalesce(slot1_count, 0) + coalesce(slot2_count, 0)
            + coalesce(slot3_count, 0) + coalesce(slot4_count, 0)
            + coalesce(slot5_count, 0)
        """,
    ),
    *unique("int_hotel_study_model", "study_id", "model_id"),
    *not_null("int_hotel_study_model", "input_fingerprint"),
    EmptyRule(
        "int_hotel_answer",
        "every_answer_is_of_the_current_fingerprint",
        """
        select study_id, model_id, input_fingerprint, count(*) as answers
        from int_hotel_answer
        anti join int_hotel_study_model using (study_id, model_id, input_fingerprint)
        group by all
        """,
    ),
]

SUITE = Suite(
    keys={
        "int_hotel_option": ("bank_sha256", "task_id", "option"),
        "int_hotel_price_decile": ("bank_sha256", "block", "decile"),
        "int_hotel_answer": ("answer_key",),
        "int_hotel_choice": ("answer_key", "option"),
        "int_hotel_slot_count": (
            "study_id",
            "model_id",
            "variant",
            "format",
            "reading",
        ),
        "int_hotel_study_model": ("study_id", "model_id"),
        "int_hotel_run": ("study_id", "run_id"),
        "int_hotel_model": ("model_id",),
    },
    rules=(*_OPTIONS, *_ANSWERS, *_CHOICES, *_COUNTS, *run_rules("hotel")),
)
