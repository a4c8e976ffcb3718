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
    For `on-run-end`: records every gate that no longer speaks for its layer, whatever an
    earlier run found. `skipped` and `error`: this run should have run the gate and did
    not, because a step before it failed or it broke itself; one that closed has recorded
    so already. `bypassed`: this run built a table of its layer and left the gate out.
#}
{% macro record_unfinished_gates(results) %}
    {%- set seen, built = {}, [] %}
    {%- for result in results if result.node.resource_type == 'model' %}
        {%- do seen.update({result.node.unique_id: result.status}) %}
        {%- if result.status == 'success' %}{% do built.append(result.node.unique_id) %}{% endif %}
    {%- endfor %}
    {#- While dbt parses there is no graph yet. -#}
    {%- for node in graph.get('nodes', {}).values()
        if node.resource_type == 'model' and 'gate' in node.tags
    %}
        {%- set parents = node.depends_on.nodes | select('in', built) | list %}
        {%- set status = seen.get(node.unique_id, 'bypassed' if parents else 'success') %}
        {%- if status != 'success' %}
            {%- do run_query(record_gate(node.name | replace('gate_', '', 1), status)) %}
        {%- endif %}
    {%- endfor %}
{% endmacro %}

{% macro record_gate(gate, status) %}
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
        '{{ status }}' as status
    from {{ source('quality', 'loaded_data') }} as loaded_data
    where loaded_data.instrument = '{{ instrument }}'
        {%- if status in ('error', 'bypassed') %}
        and not exists (
            select 1
            from {{ source('quality', 'gate_status') }} as gate_status
            where gate_status.gate = '{{ gate }}'
                and gate_status.status not in ('green', 'empty')
        )
        {%- endif %}
{% endmacro %}
