"""The README's accuracy table is the committed baseline, row by row."""

from __future__ import annotations

import json
from pathlib import Path

from models.table import BASELINE, tables


def test_the_readme_shows_the_baseline_as_it_is() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    for line in tables(json.loads(BASELINE.read_text())).splitlines():
        assert line in readme, f"run python -m models.table and paste its rows: {line}"
