-- grain: one row per decision of a run that is not excluded, superseded ones left out
-- (answer_key)
-- scored under the menu shown: the bonded one with label B; a reply without a choice
-- acts as a skip, is never optimal and stays a category of its own
{{ require_green('purchase_staging') }}
with stg_purchase_run as (
    select * from {{ ref('stg_purchase_run') }}
    where not is_excluded
),

stg_purchase_response as (
    select * from {{ ref('stg_purchase_response') }}
    where not is_superseded
),

int_purchase_option as (
    select * from {{ ref('int_purchase_option') }}
),

count_scenarios as (
    select bank_sha256, count(distinct scenario_id) as bank_scenarios
    from int_purchase_option
    group by bank_sha256
),

find_optima as (
    select
        bank_sha256,
        scenario_id,
        max(optimal) filter (where menu = 'ordinary') as optimal_ordinary,
        max(optimal) filter (where menu = 'bonded') as optimal_bonded
    from int_purchase_option
    group by bank_sha256, scenario_id
),

int_purchase_decision as (
    select
        stg_purchase_response.answer_key,
        stg_purchase_run.study_id,
        stg_purchase_run.model_id,
        stg_purchase_run.run_id,
        stg_purchase_run.source,
        stg_purchase_response.bank_sha256,
        stg_purchase_response.scenario_id,
        stg_purchase_response.label,
        stg_purchase_response.repeat,
        stg_purchase_response.choice,
        stg_purchase_response.category,
        coalesce(stg_purchase_response.reply_state = 'failed', false) as is_failed,
        acted.option as action,
        acted.optimal,
        find_optima.optimal_ordinary,
        find_optima.optimal_bonded,
        coalesce(stg_purchase_response.choice = acted.optimal, false) as is_optimal,
        acted.option != 'skip' as bought,
        acted.optimal != 'skip' as buy_optimal,
        acted.regret_share,
        acted.value_usd,
        count_scenarios.bank_scenarios,
        stg_purchase_response.provider,
        stg_purchase_response.cost_usd,
        stg_purchase_response.prompt_tokens,
        stg_purchase_response.completion_tokens,
        stg_purchase_response.reasoning_tokens,
        stg_purchase_response.secs,
        stg_purchase_response.stated_regret_share,
        stg_purchase_response.stated_is_optimal,
        stg_purchase_response.stated_bought,
        stg_purchase_response.stated_buy_optimal,
        stg_purchase_response.source_file,
        stg_purchase_response.source_row
    from stg_purchase_run
    inner join stg_purchase_response
        on stg_purchase_run.run_id = stg_purchase_response.run_id
        and stg_purchase_run.bank_sha256 = stg_purchase_response.bank_sha256
        and stg_purchase_run.source = stg_purchase_response.source
    inner join int_purchase_option as acted
        on stg_purchase_response.bank_sha256 = acted.bank_sha256
        and stg_purchase_response.scenario_id = acted.scenario_id
        and coalesce(stg_purchase_response.choice, 'skip') = acted.option
        and acted.menu
        = case when stg_purchase_response.label = 'B' then 'bonded' else 'ordinary' end
    inner join find_optima
        on stg_purchase_response.bank_sha256 = find_optima.bank_sha256
        and stg_purchase_response.scenario_id = find_optima.scenario_id
    inner join count_scenarios
        on stg_purchase_response.bank_sha256 = count_scenarios.bank_sha256
)

select * from int_purchase_decision
