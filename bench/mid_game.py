"""Watching begins on a table in play: `python -m bench.mid_game --seeds 139300 139301 139302`.

Sketched rounds in which all but the last twenty changes are over before the first picture. Counted are the tiles that
lay there (`adopted`, of `lying`; a wall hides those below it), and of the plays after that how many are on record with
the right name, a wrong one, nobody's, and not at all. Nobody breaks a rule: every certain accusation is false.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.counting import Laid
from bench.stand_ins.sketch import KnowingEye, in_play
from bench.table import watch
from companion.rules.position import Play
from companion.rules.ruleset import RULESET_NAMES
from datasets.simulator.script import Scene


def laid_in(scenes: Iterable[Scene]) -> list[tuple[str, Laid]]:
    """(player, tile and train) of every tile laid, in order."""
    plays = [play for scene in scenes for play in scene.plays]
    return [(player, (tuple(act.tile), act.train)) for player, act in plays if isinstance(act, Play)]


def names_of(later: Sequence[tuple[str, Laid]], recorded: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """How the plays after the first picture are on record. Of equal Chinese tiles the last on record are these."""
    left = [
        ((tuple(line["tile"]), line["train"]), line.get("by")) for line in recorded if line["event"] == "tile_played"
    ]
    found: Counter[str] = Counter(named=0, unnamed=0, misnamed=0, lost=0)
    for player, laid in reversed(later):
        at = next((n for n in reversed(range(len(left))) if left[n][0] == laid), None)
        by = None if at is None else left.pop(at)[1]
        found["lost" if at is None else "unnamed" if by is None else "named" if by == player else "misnamed"] += 1
    return found


def mid_game(seed: int, rules: str, hub: bool, arms: bool) -> dict[str, Any]:
    """One round whose end is watched, and what of it is on record."""
    camera = in_play(seed, rules, hand_frames=4, hub=hub)
    with tempfile.TemporaryDirectory() as folder:
        session, log = watch(camera, KnowingEye(camera, seed=seed), Path(folder) / "game.jsonl", flat=True, arms=arms)
        recorded = session.snapshot().plays
        reasons = [getattr(event, "reason", "") for event in session.events if event.KIND == "unclear"]
        session.close()
    lying, later = laid_in(camera.before), laid_in(filmed.scene for filmed in camera.truth)
    names = names_of(later, recorded)
    tiles = sum(line["event"] == "tile_played" for line in recorded)
    return {
        "seed": seed,
        "rules": rules,
        "lying": len(lying),
        "adopted": tiles - (len(later) - names["lost"]),
        "later": len(later),
        **names,
        "accused": sorted(str(code) for code, _ in log.ever),
        "questions": [reason.split(" at ")[0] for reason in reasons],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="watching begins on a table in play")
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    parser.add_argument("--rules", nargs="+", choices=RULESET_NAMES, default=RULESET_NAMES, help="only these rule sets")
    parser.add_argument("--no-hub", action="store_true", help="trains begin around the engine alone")
    parser.add_argument("--no-arms", action="store_true", help="nobody is named by an arm")
    args = parser.parse_args()
    total: dict[str, Counter[str]] = {}
    for seed in args.seeds:
        rules = args.rules[seed % len(args.rules)]
        found = mid_game(seed, rules, not args.no_hub, not args.no_arms)
        print(json.dumps(found), flush=True)
        told = {name: n for name, n in found.items() if name not in ("seed", "rules")}
        counts = {name: n if isinstance(n, int) else len(n) for name, n in told.items()}
        total.setdefault(rules, Counter()).update(counts)
    print(json.dumps(total, indent=1))


if __name__ == "__main__":
    main()
