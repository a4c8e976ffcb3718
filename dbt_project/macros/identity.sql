{# Twelve hex digits over the parts of an identity. #}
{% macro short_hash(parts) -%}
    substr({{ sha256_hex("concat_ws('|', " ~ parts | join(', ') ~ ")") }}, 1, 12)
{%- endmacro %}

{# Settings of a run in words, in the order a reader asks for them. #}
{% macro settings_label(settings) -%}
    concat_ws(
        ', ',
        'reasoning ' || {{ json_text(settings, 'reasoning') }},
        'temperature ' || {{ json_text(settings, 'temperature') }},
        {{ json_text(settings, 'max_tokens') }} || ' tokens',
        'routing ' || translate(
            coalesce(
                {{ json_text(settings, 'provider_order') }},
                {{ json_text(settings, 'route') }}
            ),
            '[]"', ''
        ),
        'seed ' || {{ json_text(settings, 'seed') }},
        'not accepted: ' || replace(
            translate({{ json_text(settings, 'not_accepted') }}, '[]"', ''), ',', ', '
        )
    )
{%- endmacro %}
