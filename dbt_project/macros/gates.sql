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
