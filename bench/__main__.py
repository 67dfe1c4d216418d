"""`make bench`: how fast everything is, measured in one run."""

from __future__ import annotations

import json
import sys

from bench import arm_cost, correction, eye, first_view, growth, page, referee

PARTS = {
    "referee": referee.measure,
    "belief": correction.measure,
    "eye": eye.measure,
    "arms": arm_cost.measure,
    "page": page.measure,
    "growth": growth.measure,
    "first view": first_view.measure,
}


def main() -> None:
    figures = {}
    for part, measure in PARTS.items():
        print(part)
        figures[part] = measure()
        for name, value in figures[part].items():
            print(f"  {name:55} {value:12,.2f}", flush=True)
    if "--json" in sys.argv:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
