"""Sketched rounds with somebody at the page: `python -m tests.bench.meddling --rounds 28`.

What people say while the camera watches must never end in an accusation of an innocent player, at no moment of the
round. Counted are the accusations that ever stood and that neither the turns as they were made nor what somebody
mistyped support.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from companion.ruleset import RULESET_NAMES
from datasets.simulator.camera import VISIBLE_FAULTS, SimSettings
from tests.bench.somebody import SLIPS, TRUE, Somebody
from tests.bench_table import FIRST_SEED, accusations, faults
from tests.table.sketch import sketched
from tests.table.watching import watching


@dataclass(frozen=True, slots=True)
class Meddled:
    """`false`: (frame, CODE by PLAYER) of accusations that the truth does not hold, at the moment they came up."""

    seed: int
    rules: str
    taps: dict[str, int]
    false: tuple[tuple[int, str], ...]
    true: int
    plays: int
    exact: int
    questions: int


def meddle(
    seed: int, taps: tuple[str, ...], *, scenes: int | None = None, unread: float = 0.0
) -> tuple[Meddled, Somebody]:
    rules = RULESET_NAMES[(seed - FIRST_SEED) % len(RULESET_NAMES)]
    camera = sketched(
        seed, SimSettings(rules=rules, plant=VISIBLE_FAULTS, plants=2, plant_rate=0.05, most_scenes=scenes)
    )
    with tempfile.TemporaryDirectory() as folder:
        session, _, watcher = watching(camera, Path(folder) / "game.jsonl", unread=unread)
        person = Somebody(camera, session, watcher, taps, seed)
        said: dict[str, int] = {}
        frame = 0
        seen = -1
        while watcher.step():
            frame += 1
            person.look()
            if session.seq != seen:
                seen = session.seq
                for code, by, sure in accusations(session.snapshot()["plays"]):
                    if sure:
                        said.setdefault(f"{code} by {by}", frame)
        turns = [turn for filmed in camera.truth for turn in filmed.scene.turns]
        if camera.filming is not None:
            turns += camera.filming.turns
        real = faults(rules, turns)
        true = {f"{code} by {by}" for code, player in real for by in (None, player)}
        false = tuple((frame, one) for one, frame in said.items() if one not in true)
        plays = session.snapshot()["plays"]
        rows = {**camera.table.trains, "": camera.table.line}
        laid = Counter((tuple(tile.laid), name) for name, row in rows.items() for tile in row)
        record = Counter(
            (tuple(one["tile"]), "" if camera.plan.chinese else one["train"]) for one in plays
            if one.get("event") == "tile_played" and not one.get("taken_back")
        )  # fmt: skip
        session.close()
    done = Counter(what for _, what, _ in person.done)
    questions = sum(event.KIND == "unclear" for event in session.events)
    result = Meddled(
        seed, rules, dict(done), false, len(said) - len(false), laid.total(), (laid & record).total(), questions
    )
    return result, person


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=28)
    parser.add_argument("--seeds", type=int, nargs="+")
    parser.add_argument("--scenes", type=int)
    parser.add_argument("--slips", action="store_true", help="also what was not so")
    parser.add_argument("--unread", type=float, default=0.0)
    args = parser.parse_args()
    taps = TRUE + SLIPS if args.slips else TRUE
    for seed in args.seeds or range(FIRST_SEED, FIRST_SEED + args.rounds):
        result, _ = meddle(seed, taps, scenes=args.scenes, unread=args.unread)
        print(json.dumps(asdict(result)), flush=True)


if __name__ == "__main__":
    main()
