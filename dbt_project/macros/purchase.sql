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

{# The published metrics, in their order. #}
{% macro purchase_metrics() -%}
    {{ return([
        'optimal_pct', 'regret_pct_V', 'flip_rate', 'discrimination', 'badge_effect',
        'verified_minus_badge', 'bond_shift', 'bond_rational', 'bond_responsiveness',
        'bond_regret_pct_V',
    ]) }}
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
