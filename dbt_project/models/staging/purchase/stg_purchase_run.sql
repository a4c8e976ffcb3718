-- grain: one row per run of a study (study_id, run_id)
-- study_id: short hash of instrument, bank, prompt, protocol and source; nothing is
-- ever pooled across studies
{{ require_green('purchase_raw') }}
with run as (
    select * from {{ source('raw_purchase', 'run') }}
),

excluded_run as (
    select * from {{ source('quality', 'excluded_run') }}
    where instrument = 'purchase'
),

-- settings that vary within a run stand together in it: each has its words
list_settings as (
    select
        run_id,
        bank_sha256,
        source,
        {{ unnest_lists({json_list('settings', 'mixed'): 'one_setting'}) }}
    from run
),

label_mixed_settings as (
    select
        run_id,
        bank_sha256,
        source,
        'mixed: ' || {{ join_distinct('settings_label') }} as settings_label
    from (
        select
            *,
            coalesce(
                nullif({{ settings_label('one_setting') }}, ''), 'none stated'
            ) as settings_label
        from list_settings
    )
    group by run_id, bank_sha256, source
),

stg_purchase_run as (
    select
        {{ short_hash([
            "'purchase'", 'run.bank_sha256', "coalesce(run.prompt_sha256, '')",
            'run.protocol', 'run.source',
        ]) }} as study_id,
        run.run_id,
        run.source,
        case
            when run.model_tag like '%/%' then run.model_tag
            else run.source || '/' || run.model_tag
        end as model_id,
        run.variant,
        run.bank_sha256,
        run.prompt_sha256,
        run.protocol,
        run.settings,
        coalesce(
            label_mixed_settings.settings_label, {{ settings_label('run.settings') }}
        ) as settings_label,
        run.run_date,
        excluded_run.run_id is not null as is_excluded,
        excluded_run.reason as excluded_reason,
        run._source_file as source_file
    from run
    left join label_mixed_settings
        on run.run_id = label_mixed_settings.run_id
        and run.bank_sha256 = label_mixed_settings.bank_sha256
        and run.source = label_mixed_settings.source
    left join excluded_run on run.run_id = excluded_run.run_id
)

select * from stg_purchase_run
