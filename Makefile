.PHONY: check format types test test-slow bench screenshot

PYTHON ?= python

check:
	$(PYTHON) -m ruff format --check src tests benchmarks examples docs
	$(PYTHON) -m ruff check src tests benchmarks examples docs
	$(PYTHON) -m mypy
	$(PYTHON) -m pytest -q tests/test_architecture.py

format:
	$(PYTHON) -m ruff format src tests benchmarks examples docs
	$(PYTHON) -m ruff check --fix src tests benchmarks examples docs

test:
	$(PYTHON) -m pytest -q -n 2 --dist loadfile

test-slow:
	$(PYTHON) -m pytest -q -n 2 --dist loadfile -m slow

bench:
	$(PYTHON) benchmarks/session_throughput.py
	$(PYTHON) benchmarks/startup.py

screenshot:
	$(PYTHON) docs/screenshot.py
