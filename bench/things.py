"""The things beside the trains that a corpus (bench/corpus.py) has on record: `python -m bench.things DIR`.

Markers placed and removed, draws, tiles put away and those of them face up, hands laid open; each with how many there
were, how many are on record at the right player's train or seat, and how many are on record that never were. Things of
one kind and player are counted, not told apart: what is taken off the record again does not count. `standing`:
possible findings that stand at the end against players who broke no such rule in the film, and certain ones.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.rules.notation import parse_act
from companion.rules.position import Discard, Draw, Mark, Unmark
from datasets.folder_argument import RECORDED, folder_with

KINDS = ("marker placed", "marker removed", "draw", "put away", "put away face up", "hand")


def true_things(turns: Sequence[Mapping[str, Any]], *, counted: bool) -> Iterator[tuple[str, str]]:
    """(kind, player) of everything that the turns of a film did. Without a `counted` boneyard nobody sees a draw."""
    for turn in turns:
        for text in turn["actions"]:
            sign = ":" if text.startswith("discard") else "-"
            match None if "@" in text else parse_act(text, sign):
                case Mark(owner):
                    yield "marker placed", owner
                case Unmark(owner):
                    yield "marker removed", owner
                case Draw() if counted:
                    yield "draw", ""
                case Discard(face_up):
                    yield ("put away face up" if face_up else "put away"), turn["player"]


def recorded_things(events: Sequence[Mapping[str, Any]], *, counted: bool) -> Iterator[tuple[str, str]]:
    """The same of what is on record in the end."""
    withdrawn = {
        event["corrects"] for event in events if event["event"] == "corrected" and event["what"].get("withdrawn")
    }
    named = {event["corrects"]: event["what"]["by"] for event in events if "by" in (event.get("what") or {})}
    for event in events:
        if event["seq"] in withdrawn:
            continue
        match event["event"]:
            case "marker_placed":
                yield "marker placed", event["train"]
            case "marker_removed":
                yield "marker removed", event["train"]
            case "drew" if counted:
                yield "draw", ""
            case "discarded":
                kind = "put away face up" if event.get("face_up") else "put away"
                yield kind, named.get(event["seq"], event.get("by")) or ""
            case "hand_shown":
                yield "hand", event["by"]


def counts(files: Sequence[Path]) -> dict[str, Any]:
    """Kind -> there, on record, missed, invented; and the claims that stand over innocents."""
    total: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    standing: Counter[str] = Counter()
    for path in files:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        first, truth, golden = lines[0], lines[-2]["truth"], lines[-1]["golden"]
        counted = bool(first.get("spread"))
        true = Counter(true_things(truth["turns"], counted=counted))
        if truth.get("hands"):
            true.update(("hand", player) for player in truth["hands"])
        seen = Counter(recorded_things(golden["events"], counted=counted))
        if not truth.get("hands"):
            seen = Counter({key: n for key, n in seen.items() if key[0] != "hand"})
        # Its owner is another question than whether it was seen.
        for kind in ("put away", "put away face up"):
            unnamed = seen.pop((kind, ""), 0)
            for key in [key for key in true if key[0] == kind]:
                more = min(unnamed, true[key] - seen[key])
                seen[key] += max(0, more)
                unnamed -= max(0, more)
            seen[kind, ""] += unnamed
        for kind, player in {*true, *seen}:
            there, found = true[kind, player], seen[kind, player]
            total[kind].update(
                there=there,
                found=min(there, found),
                missed=max(0, there - found),
                invented=max(0, found - there),
            )
        standing.update(_standing(truth, golden))
    return {"rounds": len(files), **{kind: dict(found) for kind, found in total.items()}, "standing": dict(standing)}


def _standing(truth: Mapping[str, Any], golden: Mapping[str, Any]) -> Iterator[str]:
    planted = {(turn["planted"], turn["player"]) for turn in truth["turns"] if "planted" in turn}
    guilty = {player for _, player in planted}
    for play in golden["plays"]:
        for one in play.get("violations", ()):
            whose = one.get("by", play.get("by"))
            if whose is not None and whose not in guilty:
                yield "certain" if one["certain"] else "possible"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=folder_with(RECORDED), nargs="+", help="with the files of bench.corpus")
    args = parser.parse_args()
    for folder in args.folder:
        found = counts(sorted(folder.glob("*.jsonl")))
        print(folder, json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
