{# Rows that share all columns of the grain; none may exist, and no key may be null. #}
{% test unique_grain(model, columns) %}
select {{ columns | join(', ') }}, count(*) as row_count
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1 or {{ columns | join(' is null or ') }} is null
{% endtest %}
