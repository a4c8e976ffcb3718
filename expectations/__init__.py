"""Great Expectations suites, one module per instrument and layer."""
