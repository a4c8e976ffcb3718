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

{# Published metric -> the cells whose decisions it rests on; bond_rational is the
   bank's. The gate of the marts holds it to models.purchase_terms. #}
{% macro purchase_metric_cells() -%}
    {{ return({
        'optimal_pct': ['none'], 'regret_pct_V': ['none'], 'flip_rate': ['none'],
        'discrimination': ['none'], 'badge_effect': ['none', 'D'],
        'verified_minus_badge': ['D', 'A'], 'bond_shift': ['A', 'B'],
        'bond_responsiveness': ['A', 'B'], 'bond_regret_pct_V': ['B'],
    }) }}
{%- endmacro %}
