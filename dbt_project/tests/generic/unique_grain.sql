{# Rows that share all columns of the grain; none may exist, and no key may be null.
   `gate` names the gate that judges first, so that its results name the rows. #}
{% test unique_grain(model, columns, gate=none) %}
{%- if gate %}{% do ref('gate_' ~ gate) %}{% endif %}
select {{ columns | join(', ') }}, count(*) as row_count
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1 or {{ columns | join(' is null or ') }} is null
{% endtest %}
