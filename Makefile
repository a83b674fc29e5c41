# Every target makes what it needs from Python >= 3.11 with pip, and git.
# `make test PYTHON=/path/to/python3.13` chooses the Python; each version has its own environment.

PYTHON ?= python3
# Worker processes of `make test`.
JOBS ?= 2
# Random expressions and calls of `make fuzz`, and the seed of the first.
N ?= 10000
ifndef SEED
SEED := $(shell $(PYTHON) -c 'import secrets; print(secrets.randbelow(10**9))')
endif

# What `make bench` compares, by commas; all where not given. WRITE=1 puts it into docs/.
PROBLEMS ?=
FRAMEWORKS ?=
SIZES ?=
THREADS ?=
ROUNDS ?=
BUDGET ?=
WRITE ?=

VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
VENV := .venv-$(VERSION)
RUN := $(VENV)/bin/python
RUNTIME := $(VENV)/.runtime
COMMA := ,
DEVELOPMENT := $(VENV)/.development
OPTIONAL := $(VENV)/.optional
# PyTorch without CUDA.
TORCH := https://download.pytorch.org/whl/cpu
SITE := $(VENV)/.site

.PHONY: help demo test thorough rest quick links coverage lint format bench fuzz mutants outputs docs \
	site clean
.DELETE_ON_ERROR:

help:
	@echo "make demo      install eggrad and differentiate three real expressions"
	@echo "make test      run every test, with some of its cases where they take long"
	@echo "               (JOBS=$(JOBS), PYTHON=$(PYTHON))"
	@echo "make thorough  run every case of every test, with more random samples"
	@echo "make rest      run what make test leaves out of make thorough"
	@echo "make quick     run a few cases of every test that is not slow"
	@echo "make coverage  make thorough, and report the lines that no test reaches"
	@echo "make lint      ruff, pyright, import-linter"
	@echo "make format    let ruff put the files into shape"
	@echo "make bench     time, e-nodes and operation counts; compiled functions against"
	@echo "               others, PROBLEMS=quadratic,network FRAMEWORKS=numpy,eggrad,jax"
	@echo "               SIZES=10,100 THREADS=1 ROUNDS=1 (seconds for each: BUDGET=0.1), WRITE=1"
	@echo "make fuzz      N=$(N) random derivatives against the oracle, and as many wrong calls"
	@echo "               of public functions, SEED=..."
	@echo "make mutants   N=40 wrong signs, indices, conditions and numbers in the source, SEED=...:"
	@echo "               which tests see them"
	@echo "make outputs   printed Python and LaTeX of the public cases, run by others"
	@echo "make docs      write the pages of laws, and the tables of architecture and functions"
	@echo "make site      build the documentation site in site/"
	@echo "make clean     remove environments, caches and builds"

# pip installs into the environment from outside: Debian's Python has no ensurepip of its own.
$(RUNTIME): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python >= 3.11, please")'
	$(PYTHON) -m venv --clear --without-pip $(VENV)
	$(PYTHON) -m pip --python $(RUN) install --quiet --disable-pip-version-check --editable .
	@touch $@

$(DEVELOPMENT): $(RUNTIME)
	$(PYTHON) -m pip --python $(RUN) install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# What some tests and tables ask for; they do without what cannot be had.
$(OPTIONAL): $(DEVELOPMENT)
	@for extra in bench isl prove; do \
		$(PYTHON) -m pip --python $(RUN) install -qq --disable-pip-version-check --retries 0 \
			--timeout 20 --extra-index-url $(TORCH) --editable ".[$$extra]" \
			|| echo ".[$$extra] cannot be installed here: tests and tables do without"; \
	done
	@touch $@

demo: $(RUNTIME)
	@$(RUN) -m eggrad.frontend.cli.demo

# Git leaves text files where it may not make links; the package does without them.
links:
	@test -d src/eggrad/engine || echo "src/eggrad has no symbolic links, which make lint and some" \
		"tests need: git config core.symlinks true && git checkout -f src"

test: $(OPTIONAL) links
	@$(RUN) -m pytest -q -n $(JOBS)

thorough: $(OPTIONAL) links
	@$(RUN) -m pytest -q -n $(JOBS) --tier thorough

rest: $(OPTIONAL) links
	@$(RUN) -m pytest -q -n $(JOBS) --tier rest

quick: $(DEVELOPMENT) links
	@$(RUN) -m pytest -q -n $(JOBS) --tier quick --durations 10

coverage: $(OPTIONAL) links
	@$(RUN) -m pytest -q -n $(JOBS) --tier thorough --cov --cov-report term-missing:skip-covered --cov-fail-under 95

lint: $(DEVELOPMENT) links
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/pyright --pythonpath $(RUN)
	$(VENV)/bin/lint-imports

format: $(DEVELOPMENT)
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(OPTIONAL)
	@$(RUN) -m tests.benchmarks.pages $(if $(WRITE),--write)
	@$(RUN) -m tests.benchmarks.stability
	@$(RUN) -m tests.benchmarks.equivalence
	@$(RUN) -m tests.benchmarks.harness $(if $(PROBLEMS),--problems $(PROBLEMS)) \
		$(if $(FRAMEWORKS),--frameworks $(FRAMEWORKS)) $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(THREADS),--threads $(THREADS)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(BUDGET),--budget $(BUDGET))
	@$(RUN) -m tests.benchmarks.report $(if $(WRITE),--write)
	@OPENBLAS_NUM_THREADS=1 $(RUN) -m tests.benchmarks.losses $(if $(BUDGET),--budget $(BUDGET))
	@$(RUN) -m tests.benchmarks.first_calls --held-out
	@OPENBLAS_NUM_THREADS=1 $(RUN) -m tests.benchmarks.backends \
		$(if $(PROBLEMS),--problems $(PROBLEMS)) $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(BUDGET),--budget $(BUDGET)) $(if $(WRITE),--write)
	@for threads in $(or $(subst $(COMMA), ,$(THREADS)),1 2); do \
		OPENBLAS_NUM_THREADS=$$threads $(RUN) -m tests.benchmarks.paired \
			$(if $(PROBLEMS),--problems $(PROBLEMS)) $(if $(SIZES),--sizes $(SIZES)) \
			$(if $(BUDGET),--budget $(BUDGET)) || exit 1; \
	done
	@$(if $(WRITE),$(RUN) -m tests.benchmarks.plots)

fuzz: $(DEVELOPMENT)
	@echo "make fuzz N=$(N) SEED=$(SEED)"
	@$(RUN) -m tests.support.fuzz $(N) $(SEED)
	@$(RUN) -m tests.support.fuzz_calls $(N) $(SEED)

mutants: N = 40
mutants: $(DEVELOPMENT) links
	@echo "make mutants N=$(N) SEED=$(SEED)"
	@$(RUN) -m tests.support.mutants $(N) $(SEED) --jobs $(JOBS)

outputs: $(DEVELOPMENT)
	@$(RUN) -W ignore -m tests.support.check_outputs

docs: $(DEVELOPMENT)
	@$(RUN) -m eggrad.frontend.workbench.rule_docs
	@$(RUN) -m tests.docs.architecture
	@$(RUN) -m tests.docs.functions

$(SITE): $(RUNTIME)
	$(PYTHON) -m pip --python $(RUN) install --quiet --disable-pip-version-check --editable '.[site]'
	@touch $@

# A warning is an error (`strict` in mkdocs.yml), which --quiet would not see. The variable turns
# off an advertisement.
site: $(SITE)
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build

clean:
	rm -rf .venv-* build dist site .coverage .hypothesis .ruff_cache .import_linter_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
