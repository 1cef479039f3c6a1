# make app    set up if needed, then open the app with the sample project ready
# make test   set up if needed, then run every test, browser tests included
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHROMIUM := /usr/bin/chromium
NGINX := /usr/sbin/nginx
POSTGRES := /usr/lib/postgresql/*/bin/postgres
QUIET := --quiet --disable-pip-version-check
# From the locks: these files and no others, and nothing is built on the way.
HASHED := $(QUIET) --require-hashes
LOCKED := $(HASHED) --only-binary :all:

.PHONY: help setup app compiled test docs lint bench bench-quality browser nginx postgresql sample lexicon lock \
  licenses sbom audit check-deploy clean

help:
	@echo "make app     set up if needed, then open the app on the sample project"
	@echo "make test    set up if needed, then run every test"
	@echo "make setup   only set up: .venv, Debian's chromium, nginx and PostgreSQL (when root), the sample, the lexicon"
	@echo "make lint    ruff, mypy, import-linter, oxlint"
	@echo "make docs    the documentation as a site, in build/docs"
	@echo "make bench   the benchmarks, CORPORA=folder for those on real corpora"
	@echo "make bench-quality CORPORA=folder   the tables of docs/evaluation; resumes where it stopped"
	@echo "make lock    the locks, from requirements*.txt (LOCK=--upgrade for the newest of what those need)"
	@echo "make check-deploy   read deploy/Dockerfile and deploy/taxocom.service with the tools made for it"
	@echo "make licenses sbom audit   LICENSES.md; build/sbom.cdx.json (CycloneDX); known weaknesses of what is installed"

setup: $(VENV)/.ready browser nginx postgresql lexicon sample compiled

# Debian keeps venv in a package of its own; without it `python3 -m venv` cannot bring pip.
$(VENV)/.ready: requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed; $(PYTHON) is older. Say which: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  test "$$(id -u)" = 0 || { echo "Python's venv is missing: sudo apt-get install python3-venv"; exit 1; }; \
	  apt-get update -qq && apt-get install -y -qq python3-venv; }
	@echo "Installing the locked requirements into $(VENV); the first time this takes minutes."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(LOCKED) -r requirements-dev.lock
	$(BIN)/python -m pip install $(QUIET) --no-deps --no-build-isolation --editable .
	@touch $@

# The browser tests need Chromium; the app does not, so its absence is a message and not a failure.
browser:
	@test -x $(CHROMIUM) || { \
	  if [ "$$(id -u)" = 0 ]; then \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } \
	    || echo "Chromium could not be installed; the browser tests need it."; \
	  else echo "For the browser tests: sudo apt-get install chromium"; fi; }

# For the test of deploy/nginx.conf. It is not to serve here: Debian would start it at once and at every boot.
nginx:
	@test -x $(NGINX) || { \
	  if [ "$$(id -u)" = 0 ]; then \
	    systemctl mask --quiet --runtime nginx 2>/dev/null; \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nginx-light >/dev/null; } \
	    || echo "nginx could not be installed; the test of deploy/nginx.conf needs it."; \
	    systemctl unmask --quiet --runtime nginx 2>/dev/null; systemctl disable --quiet nginx 2>/dev/null; true; \
	  else echo "For the test of deploy/nginx.conf: sudo apt-get install nginx-light"; fi; }

# For the tests of the store, which start a server of their own: Debian is to make none.
postgresql:
	@ls $(POSTGRES) >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ]; then \
	    mkdir -p /etc/postgresql-common; \
	    test -e /etc/postgresql-common/createcluster.conf \
	      || echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf; \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	      -o Dpkg::Options::=--force-confold postgresql >/dev/null; } \
	    || echo "PostgreSQL could not be installed; the tests of the store need it."; \
	  else echo "For the tests of the store: sudo apt-get install postgresql"; fi; }

# After the lexicon, which the topics of the sample are found with. The app opens without the sample too and says how
# to get it, so no network is no failure here.
sample: $(VENV)/.ready
	@$(BIN)/taxocom sample > /dev/null || echo "The sample could not be fetched; the app opens without it."

lexicon: $(VENV)/.ready
	@$(BIN)/taxocom lexicon > /dev/null \
	  || echo "The lexicon could not be fetched; everything works without it, a little worse."

app: $(VENV)/.ready browser lexicon sample
	$(BIN)/python -m streamlit run app.py

# Once for all processes of the tests: each would else compile the same by itself, all of them at once.
compiled: $(VENV)/.ready
	@$(BIN)/python -m taxocom.jobs.warming kernels & $(BIN)/python -m taxocom.jobs.warming map & wait

# The share of lines that the tests reach is printed at the end and may not fall below what pyproject.toml says.
test: setup compiled
	$(BIN)/python -m pytest --cov --cov-report=

# Nothing in it is loaded from another host. A warning is an error.
docs: $(VENV)/.ready
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "Open build/docs/index.html"

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/oxlint --deny-warnings taxocom

bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks $(if $(CORPORA),--corpora "$(CORPORA)") $(NAMES)

# The systems we compare with are dependencies of the evaluation alone. On some machines hdbscan has to be built.
$(VENV)/.ready-eval: $(VENV)/.ready requirements-eval.lock
	$(BIN)/python -m pip install $(HASHED) --no-deps -r requirements-eval.lock
	@touch $@

# Rows that were run are kept in CACHE (the user's cache by default) and not run again. ONLY=own,others or systems by
# name runs a part, JOBS says how many at a time (every core by default).
bench-quality: $(VENV)/.ready-eval
	@test -n "$(CORPORA)" || { echo "Say where the corpora are: make bench-quality CORPORA=folder"; exit 2; }
	QUALITY_CACHE="$(CACHE)" QUALITY_ONLY="$(ONLY)" QUALITY_JOBS="$(JOBS)" \
	  $(BIN)/python -m benchmarks --corpora "$(CORPORA)" quality

# The tools about the supply, and beside them what the app alone runs on, to be listed: neither mixes with the rest.
SUPPLY := $(VENV)/supply/bin
$(VENV)/.ready-supply: $(VENV)/.ready requirements-supply.lock
	$(BIN)/python -m venv $(VENV)/supply
	$(SUPPLY)/python -m pip install $(LOCKED) -r requirements-supply.lock
	@touch $@

$(VENV)/.ready-runtime: $(VENV)/.ready requirements.lock
	$(BIN)/python -m venv --clear --without-pip $(VENV)/runtime
	$(BIN)/python -m pip --python $(VENV)/runtime/bin/python install $(LOCKED) -r requirements.lock
	@touch $@

# For every system and Python from 3.11 on; versions that fit are kept. Each lock agrees with the one before.
COMPILE = $(SUPPLY)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock" $(LOCK)
lock: $(VENV)/.ready-supply
	$(COMPILE) requirements.txt -o requirements.lock
	$(COMPILE) -c requirements.lock requirements-dev.txt -o requirements-dev.lock
	$(COMPILE) -c requirements-dev.lock requirements-eval.txt -o requirements-eval.lock
	$(COMPILE) requirements-supply.txt -o requirements-supply.lock

licenses: $(VENV)/.ready-supply $(VENV)/.ready-runtime
	@{ printf '%s\n' '# Licences' '' \
	     'What the app runs on (`requirements.lock`, on Linux), as each package says of itself. Made by `make licenses`.' \
	     'TaxoCom Studio is under the Apache License 2.0 (`LICENSE`); the lexicon, which is fetched, under the MIT licence.' ''; \
	   $(SUPPLY)/pip-licenses --python $(VENV)/runtime/bin/python --from=mixed --format=markdown; } > LICENSES.md

sbom: $(VENV)/.ready-supply $(VENV)/.ready-runtime
	@mkdir -p build
	$(SUPPLY)/cyclonedx-py environment --pyproject pyproject.toml --mc-type application --output-reproducible \
	  --output-file build/sbom.cdx.json $(VENV)/runtime/bin/python

# It asks a service on the network, so it is no part of the tests. Without --strict a service that knows no package at
# all would count as good news.
audit: $(VENV)/.ready-supply
	@mkdir -p build
	@$(SUPPLY)/pip-audit --strict --require-hashes --disable-pip -r requirements.lock -r requirements-dev.lock \
	  2> build/audit.log && cat build/audit.log || { tail -n 3 build/audit.log; \
	  grep -q '^Found' build/audit.log || echo "The list of known weaknesses could not be read, so nothing was audited." \
	  "Run this where the Python package index answers in full."; exit 1; }

# The unit is read with this checkout in the place of /opt/taxocom: what it starts must be there.
check-deploy: $(VENV)/.ready-supply
	$(SUPPLY)/hadolint deploy/Dockerfile
	@mkdir -p build && sed 's|/opt/taxocom|$(CURDIR)|' deploy/taxocom.service > build/taxocom.service
	systemd-analyze verify build/taxocom.service
	systemd-analyze security --offline=yes --threshold=20 --no-pager deploy/taxocom.service > build/exposure.txt
	@tail -n 1 build/exposure.txt

clean:
	rm -rf $(VENV) build dist *.egg-info
