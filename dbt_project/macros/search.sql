{# Small vocabulary shared by the search models. #}

{# Model of an agent: as configured, under the provider that its adapter speaks to where
   the model is named without one; else the agent itself. #}
{% macro search_model_id() -%}
case
            when model_asked like '%/%' then model_asked
            {%- for adapter, provider in {
                'openai': 'openai', 'anthropic': 'anthropic', 'gemini': 'google',
                'google': 'google', 'perplexity': 'perplexity',
            }.items() %}
            when model_asked is not null and adapter like '{{ adapter }}%'
                then '{{ provider }}/' || model_asked
            {%- endfor %}
            else 'agent/' || agent
        end
{%- endmacro %}
