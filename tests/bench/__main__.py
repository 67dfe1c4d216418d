"""`make bench`: every figure of the README's speed table, measured in one run."""

from __future__ import annotations

import json
import sys

from tests.bench import eye, first_view, page, referee


def main() -> None:
    figures = {
        "referee": referee.measure(),
        "eye": eye.measure(),
        "page": page.measure(),
        "first view": first_view.measure(),
    }
    for part, rows in figures.items():
        print(part)
        for name, value in rows.items():
            print(f"  {name:55} {value:12,.2f}")
    if "--json" in sys.argv:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
