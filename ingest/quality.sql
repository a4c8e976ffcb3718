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
