{# Rows for which an identity does not hold; an identity that is null does not hold. #}
{% test holds(model, identity, where_clause=none) %}
select *
from {{ model }}
where ({{ identity }}) is not true
{%- if where_clause %}
    and ({{ where_clause }})
{%- endif %}
{% endtest %}
