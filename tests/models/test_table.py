"""The accuracy tables in the documents are the committed baseline, row by row."""

from __future__ import annotations

import json
from pathlib import Path

from models.table import BASELINE, VIEWS, tables

ROOT = Path(__file__).parents[2]


def test_the_table_group_by_group_shows_the_baseline_as_it_is() -> None:
    shown = (ROOT / "bench" / "results" / "photographs.md").read_text()
    for line in tables(json.loads(BASELINE.read_text())).splitlines():
        assert line in shown, f"run python -m models.table and paste its rows: {line}"


def test_the_results_show_the_sums_of_the_baseline() -> None:
    results = (ROOT / "docs" / "results.md").read_text()
    rows = tables(json.loads(BASELINE.read_text())).splitlines()
    sums = [row for row in rows if row.startswith(("| all |", "| rendered: all |"))]
    assert len(sums) == 2
    for row in sums:
        assert row in results, f"run python -m models.table and paste this row: {row}"


def test_traced_tables_stand_apart_by_how_far_the_camera_leans() -> None:
    baseline = json.loads(BASELINE.read_text())
    traced = [row for row in tables(baseline).splitlines() if row.startswith("| traced: ") and row.count("|") == 9]
    pictures = [int(row.split("|")[2]) for row in traced]
    assert [row.split("|")[1].strip() for row in traced] == [*(f"traced: {view}" for view in VIEWS), "traced: all"]
    assert sum(pictures[:-1]) == pictures[-1]
    del baseline["traced"]
    assert "traced" not in tables(baseline)
