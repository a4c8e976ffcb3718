{# Schemas carry their plain names, and stored SQL carries no database name, so that a
   warehouse file may be copied, moved and renamed. #}

{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ custom_schema_name or target.schema }}
{%- endmacro %}

{% macro ref() %}
    {% set relation = builtins.ref(*varargs, **kwargs) %}
    {{ return(relation.include(database=false)) }}
{% endmacro %}

{% macro source() %}
    {% set relation = builtins.source(*varargs) %}
    {{ return(relation.include(database=false)) }}
{% endmacro %}
