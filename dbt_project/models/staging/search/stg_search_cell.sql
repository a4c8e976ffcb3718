-- grain: one row per cell of the grid (run_id, cell_id)
{{ require_green('search_raw') }}
with cell as (
    select * from {{ source('raw_search', 'cell') }}
),

selection as (
    select * from {{ source('raw_search', 'selection') }}
),

stg_search_cell as (
    select
        cell.run_id,
        cell.cell_id,
        cell.position,
        cell.retailer,
        cell.kind,
        cell.category,
        cell.subcategory,
        cell.stratum,
        cell.source_list_name,
        cell.source_list_url,
        cell.status,
        selection.selected_url,
        selection.selected_rank,
        selection.walk_pass,
        cell._source_file as source_file,
        cell._source_row as source_row
    from cell
    left join selection
        on cell.run_id = selection.run_id
        and cell.cell_id = selection.cell_id
)

select * from stg_search_cell
