"""Sketched rounds with somebody at the page: `python -m bench.meddling --rounds 28 --slips`.

People's words while the camera watches must never end in an accusation of an innocent player, at any moment of the
round. Counted are the certain accusations that ever stood and that the turns as they were made do not support. Some
halves are not read, and some tiles are always read as another one, as a scratch would have it; somebody may say so.
Where a picture proves that a tile lies wrong and somebody says whose it was, the page says so too; what an untrue name
does there is counted apart.

Resumable like `bench.table`: rounds already in the file are left out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from bench.counting import accusations
from bench.somebody import SLIPS, TRUE, Somebody
from bench.stand_ins.sketch import LARGER, KnowingEye, sketched
from bench.stand_ins.watching import watching
from bench.table import FIRST_SEED, faults, with_faults
from companion.game.game import Game
from companion.rules.ruleset import RULESET_NAMES
from datasets.simulator.camera import SimCamera
from datasets.simulator.lying import Lying
from vision.reading import HalfReading, TileReading

RESULTS = Path(__file__).parent / "results" / "somebody.json"


@dataclass(frozen=True, slots=True)
class Meddled:
    """`taps` by their kind; `false`: (frame, CODE by PLAYER) of accusations that the truth does not hold, when they
    came up; `true` those it does; `named`: those in which a person had named the wrong player.
    `lying` tiles lie there at the end, `recorded` of them are on record."""

    seed: int
    rules: str
    taps: dict[str, int]
    false: tuple[tuple[int, str], ...]
    true: int
    lying: int
    recorded: int
    questions: int
    named: tuple[tuple[int, str], ...] = ()


class StubbornEye(KnowingEye):
    """Reads some tiles always as another one, surely enough to be believed. `misread`: how many of them."""

    def __init__(self, camera: SimCamera, *, misread: float, unread: float, seed: int) -> None:
        super().__init__(camera, unread=unread, missed=0.0, seed=seed)
        self.misread, self.seed = misread, seed

    def _read(self, quad: Any, lying: Lying) -> TileReading:
        reading = super()._read(quad, lying)
        chance = Random(f"{self.seed} {lying.laid.tile}")
        if reading.halves is None or chance.random() >= self.misread:
            return reading
        true, halves = lying.laid.tile.high, list(reading.halves)
        place = next((n for n in (0, 1) if halves[n].value == true), None)
        if place is None:
            return reading
        halves[place] = HalfReading(true - 1 if true > 1 else true + 1, 0.9, ((true, 0.08),))
        return replace(reading, halves=(halves[0], halves[1]))


def meddle(
    seed: int,
    taps: Sequence[str],
    *,
    scenes: int | None = None,
    unread: float = 0.0,
    misread: float = 0.0,
    size_wh: tuple[int, int] = LARGER,
) -> tuple[Meddled, Somebody]:
    """One round with somebody at the page."""
    rules = RULESET_NAMES[(seed - FIRST_SEED) % len(RULESET_NAMES)]
    camera = sketched(seed, with_faults(rules, scenes), size_wh)
    with tempfile.TemporaryDirectory() as folder:
        session, _, watcher = watching(camera, Path(folder) / "game.jsonl")
        eye = StubbornEye(camera, misread=misread, unread=unread, seed=seed)
        watcher.reader.eye = eye  # type: ignore[assignment]
        person = Somebody(camera, session, watcher, tuple(taps), seed)
        accused, named = _watch(session, watcher, person)
        turns = [turn for filmed in camera.truth for turn in filmed.scene.turns]
        turns += camera.filming.turns if camera.filming is not None else ()
        real = {f"{code} by {by}" for code, player in faults(rules, turns) for by in (None, player)}
        false = tuple((frame, one) for one, frame in accused.items() if one not in real)
        untrue = tuple((frame, one) for one, frame in named.items() if one not in real and one not in accused)
        lying = Counter((tuple(tile.laid), train) for train, row in _rows(camera).items() for tile in row)
        plays = [one for one in session.snapshot().plays if one.get("event") == "tile_played"]
        standing = [one for one in plays if not one.get("taken_back")]
        record = Counter((tuple(one["tile"]), "" if camera.plan.chinese else one["train"]) for one in standing)
        questions = sum(event.KIND == "unclear" for event in session.events)
        session.close()
    done = dict(Counter(what for _, what, _ in person.done))
    right = (lying & record).total()
    true = len(accused) - len(false)
    return Meddled(seed, rules, done, false, true, lying.total(), right, questions, untrue), person


def _watch(session: Game, watcher: Any, person: Somebody) -> tuple[dict[str, int], dict[str, int]]:
    """Every certain accusation that ever stood, with the frame at which it came up; apart from them those in which a
    person had said whose play it was."""
    accused: dict[str, int] = {}
    named: dict[str, int] = {}
    frame, seen = 0, -1
    while watcher.step():
        frame += 1
        person.look()
        if session.seq == seen:
            continue
        seen = session.seq
        for play in session.snapshot().plays:
            for code, by, certain in accusations([play]):
                if certain:
                    (named if _is_named(play, by) else accused).setdefault(f"{code} by {by}", frame)
    return accused, named


def _is_named(play: Mapping[str, Any], player: str | None) -> bool:
    """Whether it is a person's word that this player made the play."""
    seen = play.get("original")
    return bool(play.get("corrected")) and seen is not None and player is not None and seen.get("by") != player


def _rows(camera: SimCamera) -> dict[str, list[Lying]]:
    return {"": camera.table.line} if camera.plan.chinese else dict(camera.table.trains)


def summary(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All rounds together."""
    taps: Counter[str] = Counter()
    for one in rounds:
        taps.update(one["taps"])
    return {
        "rounds": len(rounds),
        "taps": sum(taps.values()),
        "false_accusations": sum(len(one["false"]) for one in rounds),
        "named_by_a_slip": sum(len(one.get("named", ())) for one in rounds),
        "true_accusations": sum(one["true"] for one in rounds),
        "lying": sum(one["lying"] for one in rounds),
        "recorded": sum(one["recorded"] for one in rounds),
        "questions_per_round": round(sum(one["questions"] for one in rounds) / max(1, len(rounds)), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=28)
    parser.add_argument("--seeds", type=int, nargs="+", help="these rounds instead of the first ones")
    parser.add_argument("--scenes", type=int, help="stop every round after so many scenes")
    parser.add_argument("--slips", action="store_true", help="also what was not so")
    parser.add_argument("--unread", type=float, default=0.01, help="share of the halves that are not read")
    parser.add_argument("--misread", type=float, default=0.03, help="share of the tiles that are read as another one")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    kept: dict[str, Any] = json.loads(args.out.read_text()) if args.out.exists() else {}
    part = kept.setdefault("slips" if args.slips else "true", {"rounds": {}})
    for seed in args.seeds or range(FIRST_SEED, FIRST_SEED + args.rounds):
        if str(seed) in part["rounds"]:
            continue
        taps = TRUE + SLIPS if args.slips else TRUE
        result, _ = meddle(seed, taps, scenes=args.scenes, unread=args.unread, misread=args.misread)
        part["rounds"][str(seed)] = asdict(result)
        part["summary"] = summary(list(part["rounds"].values()))
        args.out.write_text(json.dumps(kept, indent=1) + "\n")
        print(json.dumps(asdict(result)), flush=True)
    print(json.dumps(part.get("summary", {}), indent=1))


if __name__ == "__main__":
    main()
