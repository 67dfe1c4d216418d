"""How fast everything is, measured in one run: `make bench`, or single parts by name."""

from __future__ import annotations

import argparse
import json

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


def main(written: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print all figures once more, as one JSON object")
    parser.add_argument("--only", action="append", choices=PARTS, metavar="PART", help=f"one of: {', '.join(PARTS)}")
    asked = parser.parse_args(written)
    figures = {}
    for part in asked.only or PARTS:
        print(part)
        figures[part] = PARTS[part]()
        for name, value in figures[part].items():
            print(f"  {name:55} {value:12,.2f}", flush=True)
    if asked.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
