-- Schema `quality`, the one schema that may hold clock times (UTC). Idempotent.
-- Placeholders are filled in: raw_counts with one row per raw table (instrument, entry,
-- row_count, is_file), run_files with one per file and run of a raw table (instrument,
-- source_file, source_sha256, bank_sha256, run_id).

create schema if not exists quality;
create table if not exists quality.quarantine (
    instrument varchar not null, source_file varchar not null,
    source_sha256 varchar not null, bank_sha256 varchar, source_row bigint,
    field varchar not null, reason varchar not null, row_text varchar,
    quarantined_at timestamp not null
);
create table if not exists quality.row_accounting (
    instrument varchar not null, table_name varchar not null,
    source_file varchar not null, source_sha256 varchar not null,
    bank_sha256 varchar, rows_read bigint not null, rows_accepted bigint not null,
    rows_quarantined bigint not null, rows_superseded bigint not null,
    loaded_at timestamp not null, is_superseded boolean default false
);
alter table quality.row_accounting
add column if not exists is_superseded boolean default false;
update quality.row_accounting set is_superseded = true
where rows_superseded > 0 and not is_superseded;
create table if not exists quality.excluded_run (
    instrument varchar not null, run_id varchar not null, reason varchar not null,
    excluded_at timestamp not null
);
create table if not exists quality.gate_results (
    gate varchar not null, instrument varchar not null, layer varchar not null,
    run_at timestamp not null, data_sha256 varchar, table_name varchar not null,
    expectation varchar not null, column_name varchar, severity varchar not null,
    status varchar not null, element_count bigint, unexpected_count bigint,
    unexpected_sample varchar, source_files varchar
);

-- loaded_data: one row per instrument. data_sha256 covers every accounted file, every
-- excluded run and the row count of every raw table; clock times are left out, so two
-- warehouses with the same hash hold the same observations. row_count is that of all raw
-- tables. is_untouched: no file was ever loaded, no row stands there and no gate ever saw
-- one, so that there is nothing to build.
create or replace view quality.loaded_data as
with entries as (
    select
        instrument,
        concat_ws(
            ':', table_name, source_file, source_sha256, coalesce(bank_sha256, '-'),
            rows_accepted, rows_quarantined, rows_superseded
        ) as entry,
        0 as row_count,
        true as is_file
    from quality.row_accounting
    union all
    select instrument, 'excluded:' || run_id as entry, 0 as row_count, false as is_file
    from quality.excluded_run
    union all
    $raw_counts
)
select
    instrument,
    sha256(string_agg(entry, '|' order by entry)) as data_sha256,
    sum(row_count)::bigint as row_count,
    sum(row_count) = 0
    and not bool_or(is_file)
    and not exists (
        select 1
        from quality.gate_results
        where gate_results.instrument = entries.instrument
            and gate_results.expectation = 'gate'
            and gate_results.status <> 'empty'
    ) as is_untouched
from entries
group by instrument;

-- standing_file: one row per file and bank whose rows stand now, those that were replaced
-- left out. run_ids: the runs of its accepted rows, empty where it belongs to none, such
-- as a task bank or a file all of whose rows were set aside.
create or replace view quality.standing_file as
with run_file as (
    $run_files
),
runs_of_file as (
    select
        instrument, source_file, source_sha256, bank_sha256,
        list(distinct run_id) as run_ids
    from run_file
    group by instrument, source_file, source_sha256, bank_sha256
),
standing as (
    select
        instrument, source_file, source_sha256, bank_sha256,
        sum(rows_quarantined)::bigint as rows_quarantined
    from quality.row_accounting
    where not is_superseded
    group by instrument, source_file, source_sha256, bank_sha256
)
select
    standing.instrument, standing.source_file, standing.source_sha256,
    standing.bank_sha256, standing.rows_quarantined,
    coalesce(runs_of_file.run_ids, []) as run_ids
from standing
left join runs_of_file
    on standing.instrument = runs_of_file.instrument
    and standing.source_file = runs_of_file.source_file
    and standing.source_sha256 = runs_of_file.source_sha256
    and standing.bank_sha256 is not distinct from runs_of_file.bank_sha256;

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
