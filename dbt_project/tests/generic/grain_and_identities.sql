{# The promises of a model that are broken, one row each: two rows of one key or a key that
   is null, and identities that do not hold (one that is null does not). An identity is a
   mapping with `holds` and, where it speaks of some rows only, `where`. One test for all,
   since starting a test takes longer than asking. `gate` names the gate that judges
   first, so that its results name the rows. #}
{% test grain_and_identities(model, grain, identities=[], gate=none) %}
{%- if gate %}{% do ref('gate_' ~ gate) %}{% endif %}
with keys as (
    select {{ grain | join(', ') }}, count(*) as row_count
    from {{ model }}
    group by {{ grain | join(', ') }}
),

promises as (
    select 'one row for each {{ grain | join(', ') }}' as promise, count(*) as broken
    from keys
    where row_count > 1 or {{ grain | join(' is null or ') }} is null
    {%- for identity in identities %}
    union all
    select '{{ identity.holds | replace("'", "''") }}' as promise, count(*) as broken
    from {{ model }}
    where ({{ identity.holds }}) is not true
        {%- if identity.where %}
        and ({{ identity.where }})
        {%- endif %}
    {%- endfor %}
)

select promise, broken
from promises
where broken > 0
{% endtest %}
