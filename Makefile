# `make run` and `make test` do all the set-up. `make help` lists the rest.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
CANDIDATES := python3 python3.11 python3.12 python3.13 python3.14
PYTHON ?= $(shell for p in $(CANDIDATES); do $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

.DEFAULT_GOAL := help
.PHONY: help install install-dev run chat test check lint format lock bench eval transcripts clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | while IFS='|' read -r n d; do printf '  make %-12s %s\n' "$$n" "$$d"; done

install: $(VENV)/.installed ## install the program into .venv
install-dev: $(VENV)/.installed-dev ## install what tests and evaluation need, too

run: install ## take in the documents, then serve the page and the API
	@exec $(BIN)/certcoach run

chat: install ## talk on the terminal
	@exec $(BIN)/certcoach chat

test: install-dev ## run all tests
	$(BIN)/python -m pytest

check: lint ## the fast gate: format, lint, types, unit tests, architecture
	$(BIN)/python -m pytest -q tests/unit tests/test_architecture.py

lint: install-dev ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: install-dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

eval: install-dev ## measure retrieval on the gold questions
	$(BIN)/certcoach eval retrieval

transcripts: install-dev ## regenerate docs/transcripts.md
	$(BIN)/certcoach eval transcripts

bench: install-dev ## measure speed and memory, into docs/benchmarks.md
	$(BIN)/certcoach eval bench

lock: ## write the lock files anew (needs uv)
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --upgrade -q -o requirements.lock
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --upgrade -q -o requirements-dev.lock

clean: ## remove the virtual environment (the data in .certcoach stays)
	rm -rf $(VENV)

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "CertCoach needs Python 3.11 or newer, and found none. Install it, or name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11. Name a newer one: make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) lacks venv. On Debian or Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; }
	@echo "Making the virtual environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.installed: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing the program from the lock file, about half a minute …"
	@$(PIP) install --require-hashes --no-deps -r requirements.lock
	@$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing the program and its tests from the lock file, about a minute …"
	@$(PIP) install --require-hashes --no-deps -r requirements-dev.lock
	@$(PIP) install --no-deps -e .
	@touch $@ $(VENV)/.installed
