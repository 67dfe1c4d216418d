"""Claims that stand over innocents when a round ends: `python -m bench.standing DIR --missed 0 0.02`.

The told rounds of a corpus (bench/corpus.py) are told again, each marker left out for good with this probability, as if
no picture had ever shown it. Counted are the findings, possible and certain, that stand at the end against players in
whose turns no such rule was broken, and how many there are a round. A player who broke any rule is not innocent.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.reissue import calls, said_by_people, tell
from bench.replay import Recorded
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.journal import Journal
from datasets.folder_argument import RECORDED, folder_with

MARK, UNMARK = "mark ", "-mark "


def overlooking(lines: Iterator[Mapping[str, Any]], share: float, rng: random.Random) -> Iterator[Mapping[str, Any]]:
    """The calls as an eye makes them that never finds this share of the markers, nor sees those go."""
    unseen: set[str] = set()
    for line in lines:
        if line["call"] != "observe":
            yield line
            continue
        delta = []
        for change in line["delta"]:
            owner = change.removeprefix(MARK) if change.startswith(MARK) else change.removeprefix(UNMARK)
            if change.startswith(MARK) and rng.random() < share:
                unseen.add(owner)
            elif change.startswith(UNMARK) and owner in unseen:
                unseen.discard(owner)
            else:
                delta.append(change)
        line = {**line, "delta": delta}
        if delta or line.get("flips") or line.get("discards"):
            yield line


def standing(recorded: Recorded, share: float) -> Iterator[tuple[str, str, bool, str]]:
    """(code, player, certain, tile) of each finding that stands at the end against an innocent."""
    with tempfile.TemporaryDirectory() as folder:
        header = Header.from_json(dict(recorded.head["header"]))
        session = Game(Journal.create(Path(folder) / "game.jsonl", header), recorded.rules)
        rng = random.Random(f"{recorded.head['seed']} {share}")
        for line in overlooking(calls(recorded, arms=True), share, rng):
            tell(session, line)
        plays = session.snapshot().plays
        session.close()
    guilty = {turn["player"] for turn in recorded.truth["turns"] if "planted" in turn}
    for play in plays:
        for one in play.get("violations", ()):
            whose = one.get("by", play.get("by"))
            if whose is not None and whose not in guilty:
                yield one["code"], whose, one["certain"], str(play.get("tile"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=folder_with(RECORDED))
    parser.add_argument("--missed", type=float, nargs="+", default=(0.0, 0.02), help="shares of the markers")
    parser.add_argument("--each", action="store_true", help="a line for each claim")
    args = parser.parse_args()
    rounds = [Recorded.read(path) for path in sorted(args.folder.glob("*.jsonl"))]
    rounds = [one for one in rounds if one.rules.is_mexican and not said_by_people(one)]
    for share in args.missed:
        claims: Counter[str] = Counter()
        for recorded in rounds:
            for code, player, certain, tile in standing(recorded, share):
                claims[f"{code} {'certain' if certain else 'possible'}"] += 1
                if args.each:
                    print(recorded.head["seed"], share, code, player, tile, flush=True)
        rate = round(claims.total() / max(1, len(rounds)), 3)
        print(json.dumps({"missed": share, "rounds": len(rounds), "a round": rate, **claims}), flush=True)


if __name__ == "__main__":
    main()
