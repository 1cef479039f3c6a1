# make app    set up if needed, then open the app with the sample project ready
# make test   set up if needed, then run every test, browser tests included
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHROMIUM := /usr/bin/chromium

.PHONY: help setup app test lint bench bench-quality browser sample lexicon clean

help:
	@echo "make app     set up if needed, then open the app on the sample project"
	@echo "make test    set up if needed, then run every test"
	@echo "make setup   only set up: .venv, Debian's chromium (when root), the sample, the lexicon"
	@echo "make lint    ruff, mypy, import-linter"
	@echo "make bench   the benchmarks, CORPORA=folder for those on real corpora"
	@echo "make bench-quality CORPORA=folder   the tables of EVALUATION.md; resumes where it stopped"

setup: $(VENV)/.ready browser sample lexicon

# Debian keeps venv in a package of its own; without it `python3 -m venv` cannot bring pip.
$(VENV)/.ready: requirements.txt requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed; $(PYTHON) is older. Say which: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  test "$$(id -u)" = 0 || { echo "Python's venv is missing: sudo apt-get install python3-venv"; exit 1; }; \
	  apt-get update -qq && apt-get install -y -qq python3-venv; }
	@echo "Installing the pinned requirements into $(VENV); the first time this takes minutes."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

# The browser tests need Chromium; the app does not, so its absence is a message and not a failure.
browser:
	@test -x $(CHROMIUM) || { \
	  if [ "$$(id -u)" = 0 ]; then \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } \
	    || echo "Chromium could not be installed; the browser tests need it."; \
	  else echo "For the browser tests: sudo apt-get install chromium"; fi; }

# The app opens without the sample too and says how to get it, so no network is no failure here.
sample: $(VENV)/.ready
	@$(BIN)/taxocom sample > /dev/null || echo "The sample could not be fetched; the app opens without it."

lexicon: $(VENV)/.ready
	@$(BIN)/taxocom lexicon > /dev/null \
	  || echo "The lexicon could not be fetched; everything works without it, a little worse."

app: setup
	$(BIN)/python -m streamlit run app.py

test: setup
	$(BIN)/python -m pytest

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks $(if $(CORPORA),--corpora "$(CORPORA)") $(NAMES)

# The systems we compare with are dependencies of the evaluation alone.
$(VENV)/.ready-eval: $(VENV)/.ready requirements-eval.txt requirements-eval-nodeps.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -r requirements-eval.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-eval-nodeps.txt
	@touch $@

# Rows that were run are kept in CACHE (the user's cache by default) and not run again. ONLY=own,others or systems by
# name runs a part, JOBS says how many at a time (every core by default).
bench-quality: $(VENV)/.ready-eval
	@test -n "$(CORPORA)" || { echo "Say where the corpora are: make bench-quality CORPORA=folder"; exit 2; }
	QUALITY_CACHE="$(CACHE)" QUALITY_ONLY="$(ONLY)" QUALITY_JOBS="$(JOBS)" \
	  $(BIN)/python -m benchmarks --corpora "$(CORPORA)" quality

clean:
	rm -rf $(VENV) build dist *.egg-info
