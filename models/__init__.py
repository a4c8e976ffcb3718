"""Estimators: pure functions on arrays that know neither DuckDB nor dbt."""
