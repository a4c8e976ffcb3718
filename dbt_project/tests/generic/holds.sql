{# Rows for which an identity does not hold; an identity that is null does not hold.
   `gate` names the gate that judges first, so that its results name the rows. #}
{% test holds(model, identity, where_clause=none, gate=none) %}
{%- if gate %}{% do ref('gate_' ~ gate) %}{% endif %}
select *
from {{ model }}
where ({{ identity }}) is not true
{%- if where_clause %}
    and ({{ where_clause }})
{%- endif %}
{% endtest %}
