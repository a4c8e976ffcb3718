-- grain: one row per run of a study (study_id, run_id)
-- study_id: short hash of instrument, bank, prompt, protocol and source; nothing is
-- ever pooled across studies
{{ require_green('hotel_raw') }}
with run as (
    select * from {{ source('raw_hotel', 'run') }}
),

hotel_release_tag as (
    select * from {{ ref('hotel_release_tag') }}
),

excluded_run as (
    select * from {{ source('quality', 'excluded_run') }}
    where instrument = 'hotel'
),

stg_hotel_run as (
    select
        {{ short_hash([
            "'hotel'", 'run.bank_sha256', "coalesce(run.prompt_sha256, '')",
            'run.protocol', 'run.source',
        ]) }} as study_id,
        run.run_id,
        run.source,
        coalesce(
            hotel_release_tag.model_id,
            case
                when run.source = 'release' then 'release/' || run.model_tag
                else run.model_tag
            end
        ) as model_id,
        run.model_id_served,
        run.variant,
        run.bank_sha256,
        run.prompt_sha256,
        run.protocol,
        run.settings,
        {{ settings_label('run.settings') }} as settings_label,
        run.providers_served,
        run.run_date,
        run.cost_usd,
        excluded_run.run_id is not null as is_excluded,
        excluded_run.reason as excluded_reason
    from run
    left join hotel_release_tag
        on run.source = 'release' and run.model_tag = hotel_release_tag.model_tag
    left join excluded_run on run.run_id = excluded_run.run_id
)

select * from stg_hotel_run
