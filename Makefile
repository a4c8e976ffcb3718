# The one list of verbs: continuous integration and the README use only these.
# A line `name: ... ## text` shows in `make help`.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-browser demo audit build board test proof bench lint lock clean

# uv must never fetch an interpreter: the machine's own Python is used.
export UV_PYTHON_DOWNLOADS := never

# A file's tests share what they build, so files are what the processes divide.
TEST_PROCESSES ?= 2

BIN := .venv/bin
READY := .venv/.ready

# Name another interpreter with `make setup PYTHON=/path/to/python3.12`.
PYTHON ?=
CANDIDATES := $(or $(PYTHON),python3 python3.13 python3.12 python3.11)
USABLE := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))

help: ## list these verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## build .venv from requirements.lock; nothing to do when it is current

$(READY): requirements.lock pyproject.toml
	@if ! $(BIN)/python -c '$(USABLE)' 2>/dev/null; then \
	  for candidate in $(CANDIDATES); do \
	    if $$candidate -c '$(USABLE)' 2>/dev/null; then chosen=$$candidate; break; fi; \
	  done; \
	  if [ -z "$${chosen:-}" ]; then \
	    echo "setup: no Python 3.11, 3.12 or 3.13 with venv among: $(CANDIDATES);" \
	      "install one, or name it: make setup PYTHON=/path/to/python3.12" >&2; \
	    exit 1; \
	  fi; \
	  echo "setup: making .venv with $$($$chosen --version)"; \
	  $$chosen -m venv --clear .venv; \
	fi
	@[ -x $(BIN)/uv ] || { \
	  awk '/^[^ ]/ {keep = /^uv==/} keep' requirements.lock > .venv/uv.txt; \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps \
	    --require-hashes -r .venv/uv.txt; \
	}
	@$(BIN)/uv pip sync -q --python $(BIN)/python --compile-bytecode \
	  --require-hashes requirements.lock
	@$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	@$(BIN)/python -m pricebench.prepare
	@touch $@

setup-browser: ## Debian's Chromium, in which the tests drive the review page
	@command -v chromium >/dev/null || { \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -q; \
	  $$as_root apt-get install -q -y --no-install-recommends chromium; \
	}

demo: setup ## simulated subjects from nothing to the boards, in ./warehouse.duckdb
	@$(BIN)/pricebench demo

audit: setup ## both runs of MODEL after one price to confirm; YES=1 API_BASE= MAX_USD=
	@$(BIN)/pricebench run audit \
	  --model "$${MODEL:?name one: make audit MODEL=openai/gpt-5.4-nano}" \
	  $${YES:+--yes} $${API_BASE:+--api-base "$$API_BASE"} \
	  $${MAX_USD:+--max-usd "$$MAX_USD"}

build: setup ## dbt build of ./warehouse.duckdb, with gates
	@$(BIN)/pricebench build

board: setup ## the scorecards of ./warehouse.duckdb
	@$(BIN)/pricebench board

test: setup ## every test; PRICEBENCH_RELEASE_DIR=DIR adds those on the published release
	@$(BIN)/pytest -n $(TEST_PROCESSES) --dist loadfile

proof: setup ## statistical proof by simulation, whole; `make test` runs a tenth of it
	@PRICEBENCH_PROOF=whole $(BIN)/pytest -s \
	  tests/conformance/test_proof_by_simulation.py

bench: setup ## speed against peers: bootstrap, search scoring, asking; build of 28 models; JSON
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 \
	  $(BIN)/python -m bench

lint: setup ## ruff, mypy and sqlfluff
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@PRICEBENCH_WAREHOUSE="$$(mktemp -d)/lint.duckdb" \
	  $(BIN)/sqlfluff lint -q dbt_project/models analyses

lock: setup ## refresh requirements.lock from pyproject.toml
	@UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile -q pyproject.toml \
	  --group dev --universal --generate-hashes -o requirements.lock

clean: ## remove caches and dbt leftovers; keeps .venv and every warehouse
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist \
	  dbt_project/target dbt_project/logs dbt_project/.user.yml logs
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
