"""Draws that were seen, of rounds recorded by `bench.corpus`: `python -m bench.drawn DIR ...`.

Counted is what the product had on record when the round was filmed: draws with the right name, with none, with
another's, not seen, and recorded though nobody drew; of boneyards that lie spread and of those that are stacked.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from bench.armed import true_draws
from bench.counting import count_draws
from bench.replay import Recorded
from datasets.folder_argument import RECORDED, folder_with


def drawn(rounds: Iterable[Recorded]) -> Iterator[tuple[str, str, Mapping[str, int]]]:
    """(seed and rules, spread or stacked, counts) of every round of trains."""
    for one in rounds:
        if one.rules.is_mexican:
            how = "spread" if one.head["spread"] else "stacked"
            yield f"{one.head['seed']} {one.rules.name}", how, count_draws(true_draws(one), one.golden["plays"])


def line_of(counts: Mapping[str, int]) -> str:
    seen, invented = counts["drawn"] - counts["unseen"], counts["invented"]
    classes = ", ".join(f"{counts[name]} {name}" for name in ("named", "unnamed", "misnamed"))
    return f"{_share(seen, counts['drawn'])} draws seen: {classes}; invented {_share(invented, counts['drawn'])}"


def _share(part: int, of: int) -> str:
    return f"{part} of {of} ({100 * part / max(1, of):.1f} %)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=folder_with(RECORDED), nargs="+")
    args = parser.parse_args()
    total: dict[str, Counter[str]] = {}
    paths = [path for folder in args.folders for path in sorted(folder.glob("*.jsonl"))]
    for name, how, counts in drawn(map(Recorded.read, paths)):
        print(f"{name} {how}: {line_of(counts)}", flush=True)
        total.setdefault(how, Counter()).update(counts)
    for how, counts in total.items():
        print(f"all {how}: {line_of(counts)}")


if __name__ == "__main__":
    main()
