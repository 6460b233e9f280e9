# make run and make test set everything up by themselves, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= runs/steady-seed1

.PHONY: run test check bench conformance docs clean

run: $(VENV)/.run  ## play one 500-day company; records and picture go to $(OUT)
	$(BIN)/ceo-gym run --policy steady --seed 1 --out $(OUT)

test: $(VENV)/.dev  ## the whole quick suite
	$(BIN)/python -m pytest -n auto --dist loadscope -m "not slow"

check: $(VENV)/.dev  ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.run  ## speed and memory by size of the company, the env, its vectors and tables; runs/bench.json
	$(BIN)/python -m benchmarks --json runs/bench.json
	$(BIN)/python -m benchmarks.ceobench_tables

conformance: $(VENV)/.dev  ## against recordings of the published program; writes docs/conformance.md
	$(BIN)/python -m tests.conformance.ceobench.report
	$(BIN)/python -m pytest -n auto --dist loadscope -m slow -s

docs: $(VENV)/.docs  ## the HTML pages, in docs/_build
	$(BIN)/python -m sphinx -W -b html docs docs/_build

$(VENV)/.run: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[plot]"
	touch $@

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(VENV)/.docs: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) docs/_build
