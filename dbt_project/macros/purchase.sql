{# Small vocabulary shared by the purchase models. #}

{# Options in canonical order, which decides ties. #}
{% macro purchase_options() -%}
    {{ return(['skip', 'buy_one', 'buy_all', 'teaser', 'certificate']) }}
{%- endmacro %}

{# Cells in the order of the protocol, and how they are shown. #}
{% macro purchase_labels() -%}
    {{ return({
        'none': 'none', 'A': 'verified record', 'D': 'badge', 'B': 'bond',
    }) }}
{%- endmacro %}
