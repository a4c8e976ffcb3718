{# Small vocabulary shared by the hotel models. #}

{% macro hotel_option_letters() -%}
    {{ return(['a', 'b', 'c', 'd', 'e']) }}
{%- endmacro %}

{# Slot in which an option was shown: the swapped order is the full reversal, for any
   number of options. #}
{% macro shown_slot(option_number) -%}
    case
        when stg_hotel_response.ordering = 'original' then {{ option_number }}
        else describe_tasks.option_count + 1 - {{ option_number }}
    end
{%- endmacro %}

{# The answers of a relation once for each reading, with what its reader took the reply
   for: is_read, read_choice and read_slot. #}
{% macro answers_by_reading(relation) -%}
    select
        'as_published' as reading,
        is_valid_as_published as is_read,
        published_choice as read_choice,
        published_shown_slot as read_slot,
        *
    from {{ relation }}
    union all
    select
        'audited' as reading,
        is_valid as is_read,
        choice as read_choice,
        shown_slot as read_slot,
        *
    from {{ relation }}
{%- endmacro %}

{# Bed size rank read off a room type: the first substring that occurs, in this order,
   decides ("Full Pod (1 twin bed)" ranks 1); no bed named ranks 1. #}
{% macro bed_rank(room_type) -%}
    case
        {%- for bed, rank in [
            ('king', 3), ('queen', 2), ('double', 1), ('full', 1), ('twin', 0),
            ('single', 0), ('bunk', 1),
        ] %}
        when lower({{ room_type }}) like '%{{ bed }}%' then {{ rank }}
        {%- endfor %}
        else 1
    end
{%- endmacro %}

{# Decile of a price by the edges of int_hotel_price_decile, laid side by side as
   `edge_1` ... `edge_10`; a price on an edge belongs to the decile below it. #}
{% macro decile_of(price, alias) -%}
    case
        {%- for decile in range(1, 11) %}
        when {{ price }} <= {{ alias }}.edge_{{ decile }} then {{ decile }}
        {%- endfor %}
    end
{%- endmacro %}

{# Largest distance of a slot share from an equal share; null for `all`, whose formats
   have different numbers of slots. #}
{% macro largest_imbalance(alias) -%}
    case
        when {{ alias }}.n > 0 then greatest(
            {%- for slot in range(1, 6) %}
            coalesce(abs(
                {{ alias }}.slot{{ slot }}_share - 1.0::double / {{ alias }}.slot_count
            ), 0){{ "," if not loop.last }}
            {%- endfor %}
        ) + case when {{ alias }}.slot_count is null then null else 0 end
    end
{%- endmacro %}

{# Verdict of the published triage, which looks at `all` only. #}
{% macro published_verdict(alias) -%}
    case
        when {{ alias }}.format != 'all' then null
        when {{ alias }}.n = 0 then 'no data'
        when abs({{ alias }}.first_shown_share - 0.5) <= {{ var('hotel_published_band') }}
            then 'engaged'
        when {{ alias }}.first_shown_share > 0.5 then 'locked-primacy'
        else 'locked-recency'
    end
{%- endmacro %}

{# Chains of the seed hotel_chain_rule, in its order, with what matches no rule last. #}
{% macro hotel_chains() -%}
    {{ return(['Hilton', 'Marriott', 'IHG', 'Hyatt', 'Wyndham', 'Independent']) }}
{%- endmacro %}

{# Why the answers of two readings differ: the class that most of the answers left out of
   the audited reading belong to. #}
{% macro largest_answer_loss(alias) -%}
    case greatest(
        {{ alias }}.invalid_count, {{ alias }}.failed_count,
        {{ alias }}.duplicate_count, {{ alias }}.other_offset_count
    )
        when 0 then 'other_rows'
        when {{ alias }}.invalid_count then 'invalid_scored'
        when {{ alias }}.failed_count then 'failed_calls_scored'
        when {{ alias }}.duplicate_count then 'duplicates_counted'
        else 'offsets_joined'
    end
{%- endmacro %}

{# x ln x, which is 0 for a share of 0. #}
{% macro x_log_x(share) -%}
    case when {{ share }} > 0 then {{ share }} * ln({{ share }}) else 0 end
{%- endmacro %}

{# What kind of text a reply is (Kireyev 2026, section 5.1); null where its source left
   the text out. #}
{% macro reply_kind(text, is_valid) -%}
    case
        when {{ text }} in ('A', 'B', 'C') then 'bare'
        when length({{ text }}) > 50 then 'long_verbose'
        when lower({{ text }}) like '%a%' or lower({{ text }}) like '%b%'
            or lower({{ text }}) like '%c%' then 'short_verbose'
        when {{ text }} != '' or not {{ is_valid }} then 'empty_other'
    end
{%- endmacro %}

{% macro hotel_reply_kinds() -%}
    {{ return(['bare', 'short_verbose', 'long_verbose', 'empty_other']) }}
{%- endmacro %}
