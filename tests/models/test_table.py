"""The accuracy table in docs/results.md is the committed baseline, row by row."""

from __future__ import annotations

import json
from pathlib import Path

from models.table import BASELINE, tables


def test_the_results_show_the_baseline_as_it_is() -> None:
    results = (Path(__file__).parents[2] / "docs" / "results.md").read_text()
    for line in tables(json.loads(BASELINE.read_text())).splitlines():
        assert line in results, f"run python -m models.table and paste its rows: {line}"
