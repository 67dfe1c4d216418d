# Two commands set everything up, each on its own:  make run   and   make test.   make help lists the others.
# On a Raspberry Pi the camera's Python package, picamera2, belongs to the system: only the system's own Python can load
# it, and only an environment made with --system-site-packages sees it.
ON_PI  := $(shell grep -qs 'Raspberry Pi' "$${COMPANION_MODEL_FILE:-/proc/device-tree/model}" && echo yes)
ifeq ($(ON_PI),yes)
PYTHON ?= /usr/bin/python3
EXTRAS := [box,pi]
TESTED := [pi,test]
SEEING := --system-site-packages
endif
PYTHON ?= python3
EXTRAS ?= [box]
TESTED ?= [test]
VENV   ?= .venv
BIN    := $(VENV)/bin
# An environment that was made without it is mended; one of another Python is made anew.
ifeq ($(ON_PI)$(shell grep -qs 'include-system-site-packages = false' $(VENV)/pyvenv.cfg && echo hidden),yeshidden)
HIDDEN := system-packages-hidden
SEEING += $(shell grep -qs 'home = /usr/bin$$' $(VENV)/pyvenv.cfg || echo --clear)
endif
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
# --no-compile below: Python compiles what it imports when it first does; pip would compile every file of every package.
# Python keeps what it has compiled: a run of the tests starts hundreds of processes, each of which would compile it all.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: $(HIDDEN) help run test test-fast test-tools test-nightly bench bench-table soak faults damage fuzz wheels release docs pictures train-env trace-env clean

help:
	@echo 'make run         the demo: a simulated table on the live page'
	@echo 'make test        installs everything, then lint, types, import contracts and the tests of the product'
	@echo 'make test-fast   the same without the tests that take seconds each'
	@echo 'make test-tools  the tests of bench, datasets, models and deploy'
	@echo 'make test-nightly  every attack and endurance run, of which make test keeps one of each kind'
	@echo 'make bench       speed, as ratios measured side by side'
	@echo 'make wheels      every package of an installation, for machines without the internet'
	@echo 'make release     wheel, sdist, bill of materials, notes and hashes'
	@echo 'make docs        the documents as a site'
	@echo 'make pictures    the pictures of the page in the README, anew'
	@echo 'make train-env   torch and ultralytics for training, in an environment of their own'
	@echo 'make trace-env   Blender as a package, for pictures with real light, in an environment of their own'
	@echo 'make clean       removes the environments and what was built'

run: $(VENV)/.runtime
	$(BIN)/companion demo

# The tests of tools are not even loaded, as each worker would.
PRODUCT := --ignore=tests/datasets --ignore=tests/deploy --ignore=tests/models

# Collecting compiles every test once, while mypy has the other processor, before the workers would do it side by side.
# mypy goes on beside them: it fills what they leave while they wait.
COMPILE = $(BIN)/python -m pytest $(PRODUCT) --collect-only -qq > /dev/null

# More than there are processors, because many tests wait for a page, a pause or a child: three where memory allows it
# (a worker comes to 1 GB), else one.
WORKERS ?= $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + $$(awk '/^MemTotal/ { more = ($$2 > 12000000) ? 3 : 1; print more }' /proc/meminfo 2>/dev/null || echo 1) )))

test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	.ci/chromium > /dev/null
	.ci/broker > /dev/null
	$(BIN)/mypy & types=$$!; $(COMPILE); \
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(PRODUCT) -m "not nightly and not tools"; \
	tests=$$?; wait $$types && exit $$tests

# The tests of bench, datasets, models and deploy: .ci/run runs them when one of these has changed.
test-tools: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "tools and not nightly"

# Every attack and every endurance run, of which `make test` keeps one of each kind.
test-nightly: $(VENV)/.test
	.ci/chromium > /dev/null
	.ci/broker > /dev/null
	.ci/home-assistant > /dev/null
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m nightly

# What a change is tried against while it is being made: everything but the tests that take seconds each.
test-fast: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(PRODUCT) -m "not slow and not browser and not nightly and not tools"

bench: $(VENV)/.test
	.ci/chromium > /dev/null
	$(BIN)/python -m bench

# Whole simulated rounds through the real camera path; resumable, hours on a small machine.
bench-table: $(VENV)/.test
	$(BIN)/python -m bench.table

soak: $(VENV)/.test
	$(BIN)/python -m bench.attacks.soak

faults: $(VENV)/.test
	$(BIN)/python -m bench.attacks.faults

# Ten thousand damaged journals and copies.
damage: $(VENV)/.test
	$(BIN)/python -m bench.attacks.damage

# Ten minutes at each door: journal, notation, set-up file, pictures, HTTP.
fuzz: $(VENV)/.test
	$(BIN)/python -m bench.attacks.fuzz_runs --seconds 600

# The runtime: what a Raspberry Pi installs. No torch, no ultralytics.
define install
test -x $(BIN)/python -a -z "$(HIDDEN)" || $(PYTHON) -m venv $(SEEING) $(VENV)
$(PIP) install --no-compile --constraint constraints.txt --editable '.$(1)'
test "$(ON_PI)" != yes || $(BIN)/python -m hardware.camera.stack || true
touch $(VENV)/.runtime $@
endef

$(VENV)/.runtime: pyproject.toml constraints.txt $(HIDDEN)
	$(call install,$(EXTRAS))

$(VENV)/.test: pyproject.toml constraints.txt $(HIDDEN)
	$(call install,$(TESTED))

# Training lives in an environment of its own: torch for the CPU, ultralytics without its CUDA-sized dependencies.
TRAIN_VENV ?= .venv-train
train-env: $(TRAIN_VENV)/.ready

$(TRAIN_VENV)/.ready: models/constraints-train.txt
	test -x $(TRAIN_VENV)/bin/python || $(PYTHON) -m venv $(TRAIN_VENV)
	$(TRAIN_VENV)/bin/python -m pip --quiet install --requirement models/constraints-train.txt
	$(TRAIN_VENV)/bin/python -m pip --quiet install --no-deps ultralytics==8.4.190 ultralytics-thop==2.2.3
	touch $@

# Pictures with real light are traced by Blender's Cycles, as a package of Python 3.11 alone.
TRACE_VENV ?= .venv-trace
TRACE_PYTHON ?= python3.11
trace-env: $(TRACE_VENV)/.ready

$(TRACE_VENV)/.ready: datasets/traced/constraints.txt
	test -x $(TRACE_VENV)/bin/python || $(TRACE_PYTHON) -m venv $(TRACE_VENV)
	$(TRACE_VENV)/bin/python -m pip --quiet install --only-binary :all: --requirement datasets/traced/constraints.txt
	touch $@

# Every package of an installation, for machines without internet; checked against deploy/hashes.txt.
wheels: $(VENV)/.runtime
	$(BIN)/python -m deploy.wheels --into wheels

# Wheel, sdist, bill of materials, notes, the sentences for translators, and the hash of each.
release: $(VENV)/.runtime
	$(BIN)/python -m deploy.release --into dist

pictures: $(VENV)/.test
	$(BIN)/python -m bench.page_pictures

# The documents as a site in the folder site.
docs: $(VENV)/.docs
	$(BIN)/python -m deploy.site --into site

$(VENV)/.docs: $(VENV)/.runtime
	$(PIP) install --constraint constraints.txt --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) $(TRAIN_VENV) $(TRACE_VENV) .venv-home-assistant build *.egg-info
