# Everything a stranger or CI needs. `make run` and `make test` work on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run install browser dev test test-slow check format bench conformance image-check lock env clean

help: ## Show these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make run PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

install: $(VENV)/.installed ## Create the virtual environment and install the locked dependencies

dev: $(VENV)/.installed-dev ## Install what tests and checks need too

browser: install ## Install the driver of BROWSER_PATH; the browser itself comes from your system
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-browser.lock

run: install ## Start the server
	$(BIN)/python main.py

test: dev ## Run the tests (under three minutes); those of the house are part of `check`
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not live" --ignore=tests/test_house.py

test-slow: dev ## Run the slow tests: hostile inputs, soak, kill -9
	$(BIN)/python -m pytest -m "slow and not live"

check: dev ## Lint, format, types, layers, sizes (under one minute)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q tests/test_house.py

format: dev ## Format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: dev ## Benchmarks against peers and limits; results go to bench/results
	$(BIN)/python -m bench

conformance: dev ## The official MCP conformance suite against this server (needs npm)
	bash tests/conformance/run.sh

image-check: dev ## The Dockerfile's steps in a bare Debian, its server on a read-only root (needs root, debootstrap)
	$(BIN)/python tests/image/run.py

lock: dev ## Renew the locked versions (needs uv)
	uv pip compile pyproject.toml --universal --generate-hashes --no-header -q -o requirements.lock
	uv pip compile pyproject.toml --extra browser --universal --generate-hashes --no-header -q -o requirements-browser.lock
	uv pip compile pyproject.toml --extra otel --universal --generate-hashes --no-header -q -o requirements-otel.lock
	echo "hatchling>=1.27,<2" | uv pip compile - --universal --generate-hashes --no-header -q -o requirements-build.lock
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-header -q -o requirements-dev.lock

env: install ## Renew .env.example and the README's tables from the program
	$(BIN)/python -m research_mcp env > .env.example.new && mv .env.example.new .env.example
	$(BIN)/python -m research_mcp env --readme README.md

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build
