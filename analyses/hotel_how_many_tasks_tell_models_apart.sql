-- How many tasks tell two models apart that differ by $25 in what they would pay?
-- One row per task bank, block, price form and attribute: the smallest difference that
-- the bank shows in 80 % of cases, and how many tasks of its kind $25 would take.
-- Errors fall with the root of the tasks; where tastes vary by hotel it takes more.
with hotel_design as (
    select * from {{ ref('hotel_design') }}
    where status = 'ok' and wtp_detectable_difference_usd is not null
),

count_tasks as (
    select
        bank_sha256,
        block,
        specification,
        term as attribute,
        tasks,
        round(wtp_usd, 2) as assumed_wtp_usd,
        round(wtp_detectable_difference_usd, 2) as detectable_usd,
        ceil(tasks * (wtp_detectable_difference_usd / 25) ^ 2)::bigint
            as tasks_for_25_usd
    from hotel_design
)

select * from count_tasks
order by bank_sha256, block, specification, tasks_for_25_usd
