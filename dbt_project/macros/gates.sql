{#
    Places the model behind a gate: `{{ require_green('hotel_raw') }}` at the top of a
    model's SQL. It draws the edge to `gate_<name>`, and while the model is being built
    it stops unless that gate's newest run is green (or empty) for the data now loaded.
    It writes nothing into the SQL.

    The rule and its sentence stand in one place, the database macro
    `quality.gate_refusal`, which the Python models ask as well.
#}
{% macro require_green(gate) %}
    {#- A unit test runs on given rows alone and may name no other relation. -#}
    {%- if model.resource_type == 'model' -%}
        {%- do ref('gate_' ~ gate) -%}
        {#- Asked here, at compile time, because dbt compiles a node right before it
            runs it, after all its parents: an older table can't slip past. -#}
        {%- if execute and flags.WHICH in ('run', 'build') -%}
            {%- set answer = run_query("select quality.gate_refusal('" ~ gate ~ "')") -%}
            {%- set refusal = answer.columns[0].values()[0] -%}
            {%- if refusal is not none -%}
                {%- do exceptions.raise_compiler_error(refusal) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}

{#
    For `on-run-end`: a gate that this run should have run and did not, because a step
    before it failed, is not green, whatever an earlier run found. A gate that closed by
    itself has recorded so already.
#}
{% macro record_unfinished_gates(results) %}
    {%- for result in results
        if result.node.resource_type == 'model'
        and 'gate' in result.node.tags
        and result.status in ('skipped', 'error')
    %}
    {%- set gate = result.node.name | replace('gate_', '', 1) %}
    {%- set instrument = gate.split('_')[0] %}
    insert into quality.gate_results (
        gate, instrument, layer, run_at, data_sha256, table_name, expectation,
        severity, status
    )
    select
        '{{ gate }}' as gate,
        loaded_data.instrument,
        '{{ gate | replace(instrument ~ '_', '', 1) }}' as layer,
        now() at time zone 'UTC' as run_at,
        loaded_data.data_sha256,
        '*' as table_name,
        'gate' as expectation,
        'stop' as severity,
        '{{ result.status }}' as status
    from {{ source('quality', 'loaded_data') }} as loaded_data
    where loaded_data.instrument = '{{ instrument }}'
        {%- if result.status == 'error' %}
        and not exists (
            select 1
            from {{ source('quality', 'gate_status') }} as gate_status
            where gate_status.gate = '{{ gate }}'
                and gate_status.status not in ('green', 'empty')
        )
        {%- endif %}
    ;
    {%- endfor %}
{% endmacro %}
