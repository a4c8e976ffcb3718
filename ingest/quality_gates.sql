-- What the rows of quality.gate_results say of the data now loaded. Idempotent; follows
-- quality.sql, whose views it reads.

-- gate_status: one row per gate that ever ran. `refusal` is null when the gate lets its
-- dependents pass (newest run green or empty, on the data now loaded), else one line.
create or replace view quality.gate_status as
with summary as (
    select
        gate, instrument, layer, status, data_sha256, run_at,
        list_position(
            ['raw', 'staging', 'intermediate', 'estimates', 'marts'], layer
        ) as layer_number,
        max(run_at) filter (where status = 'green') over (partition by gate)
            as last_green_at,
        row_number() over (partition by gate order by run_at desc, rowid desc) as age
    from quality.gate_results
    where expectation = 'gate'
),
judged as (
    select
        summary.gate, summary.instrument, summary.layer, summary.layer_number,
        summary.status, summary.run_at, summary.last_green_at,
        coalesce(summary.data_sha256 = loaded.data_sha256, false) as is_current,
        coalesce(
            'last green ' || strftime(summary.last_green_at, '%Y-%m-%d %H:%M'),
            'never green'
        ) as since
    from summary
    left join quality.loaded_data as loaded
        on summary.instrument = loaded.instrument
    where summary.age = 1
)
select
    gate, instrument, layer, layer_number, status, run_at, last_green_at, is_current,
    case
        when status = 'skipped' then
            'gate ' || gate || ' did not run because a step before it failed, ' || since
            || '; mend what the build named, then run pricebench build again'
        when status = 'bypassed' then
            'gate ' || gate || ' was left out when its layer was last built, ' || since
            || '; run pricebench build, or select the gate too: +gate_' || gate
        when status not in ('green', 'empty') then
            'gate ' || gate || ' is red (' || status || '), ' || since
            || '; read quality.gate_results where gate = ''' || gate
            || ''', repair the rows it names, then run pricebench build'
        when not is_current then
            'gate ' || gate || ' is out of date for the data now loaded, ' || since
            || '; run pricebench build'
    end as refusal
from judged;
-- gate_refusal(gate): null when what stands behind the gate may be built, else one line.
-- A gate passes only with every earlier gate of its instrument; one that never ran (no
-- row in the view) does not pass.
create or replace macro quality.gate_refusal(gate_name) as (
    with asked as (
        select instrument, layer_number from quality.gate_status where gate = gate_name
    )
    select
        case
            when (select count(*) from asked) = 0 then
                'gate ' || gate_name || ' has not run, never green; run pricebench build'
            else first(earlier.refusal order by earlier.layer_number)
                filter (where earlier.refusal is not null)
        end
    from quality.gate_status as earlier
    inner join asked
        on earlier.instrument = asked.instrument
        and earlier.layer_number <= asked.layer_number
);
