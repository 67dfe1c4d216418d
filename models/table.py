"""Print the accuracy table of bench/results/photographs.md from models/baseline.json: `python -m models.table`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BASELINE = Path(__file__).parent / "baseline.json"
HEAD = """\
| photographs | pictures | tiles | found | precision | exactly right | wrong of claimed | perfect pictures |
|---|---|---|---|---|---|---|---|"""

TOTALS = """\
| total of | pictures | right | open | wrong |
|---|---|---|---|---|"""

VIEWS = {"from above": 20.0, "leaning 20 to 40": 40.0, "leaning 40 to 60": 90.0}
"""How far the camera leans at most in each view, degrees."""
RENDERED = ("western", "chinese", "all", "without_printed_dominoes")


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def row(name: str, figures: dict[str, Any]) -> str:
    cells = [
        name,
        str(figures["photos"]),
        str(figures["tiles"]),
        *(percent(figures[column]) for column in ("recall", "precision", "exact", "wrong")),
        figures["perfect"],
    ]
    return f"| {' | '.join(cells)} |"


def tables(baseline: dict[str, Any]) -> str:
    """Real photographs, group by group, and rendered tables apart from them; then whose totals are right."""
    real = [row(name, figures) for name, figures in baseline["photographs"].items() if name != "totals"]
    found = baseline["rendered"]
    rendered = [row(f"rendered: {name.replace('_', ' ')}", found[name]) for name in RENDERED if name in found]
    if "traced" in baseline:
        traced = baseline["traced"]
        views = [(view, traced["kinds"][view]) for view in VIEWS if view in traced["kinds"]]
        rendered += [row(f"traced: {name}", figures) for name, figures in (*views, ("all", traced["all"]))]
    of = {name: baseline.get(name, {}).get("totals") for name in ("photographs", "rendered", "traced")}
    parts = [(name, each) for name, each in of.items() if each]
    added_up = [total_row(f"{name}: {kind}", figures) for name, each in parts for kind, figures in each.items()]
    return "\n".join([HEAD, *real, *rendered, *(["", TOTALS] if added_up else []), *added_up])


def total_row(name: str, figures: dict[str, Any]) -> str:
    cells = [name, str(figures["count"]), *(percent(figures[column]) for column in ("right", "open", "wrong"))]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(tables(json.loads(BASELINE.read_text())))
