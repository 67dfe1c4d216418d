"""Plays that change nothing the camera would notice: `python -m bench.blind --rounds 7`.

The change detection is switched off while every tenth play is made and until the next one begins. The tile must be on
record within ten seconds all the same, because a table that lies still is looked at as a whole again, and nobody may be
accused. Sketched frames and an eye that errs nowhere: this is about the watcher, not about the reader.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from bench.stand_ins.sketch import LARGER, KnowingEye, sketched
from companion.game.game import Game
from companion.log.events import TilePlayed
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.perception import Watcher
from companion.perception.table_reader import box_of, known_set
from companion.rules.position import Play
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.rules.tile import Tile
from datasets.simulator.camera import FRAME_S, SimCamera, SimSettings
from datasets.simulator.script import Troubles
from vision.calibration import Calibration
from vision.frame import Frame
from vision.settle import Settler, SettleState, TableState

HAND_FRAMES, STILL_FRAMES = 4, 55
SHARE = 0.1
WITHIN_S = 10.0


class BlindSettler(Settler):
    """Notices nothing while `camera` films a scene of `blind` ones, and takes what lies there then for known."""

    def __init__(self, camera: SimCamera, blind: frozenset[int]) -> None:
        super().__init__()
        self._camera, self._blind = camera, blind

    def see(self, frame: Frame, still: bool = False) -> SettleState:
        state = super().see(frame, still)
        if self._camera.filming is None or len(self._camera.truth) not in self._blind:
            return state
        self.done()
        return SettleState(TableState.READ)


@dataclass(frozen=True, slots=True)
class BlindRound:
    """`late_s`: how long after the hand had left each tile that changed nothing was on record; None: it never was."""

    seed: int
    rules: str
    plays: int
    missed: int
    invented: int
    late_s: tuple[float | None, ...]
    accused: tuple[str, ...]
    taken_back: int


def blind_round(
    seed: int,
    rules: str,
    scenes: int,
    share: float = SHARE,
    still_frames: int = STILL_FRAMES,
    missed: float = 0.0,
    size_wh: tuple[int, int] = LARGER,
) -> BlindRound:
    """One sketched round; the scenes that are not noticed follow from the seed, the first never among them.

    `missed` is the share of tiles that the eye overlooks in a look.
    """
    settings = SimSettings(
        rules=rules,
        most_scenes=scenes,
        troubles=Troubles.none(),
        hand_frames=HAND_FRAMES,
        still_frames=still_frames,
        show_hands=False,
    )
    camera = sketched(seed, settings, size_wh)
    count = max(1, round(share * scenes))
    blind = frozenset(Random(f"blind {seed}").sample(range(1, scenes), count))
    setup = replace(camera.setup(), tile_mm=(*camera.plan.tile_mm[:2], 0.001))
    first = camera.read()
    assert first is not None and setup.table.corners_px is not None and setup.table.size_mm is not None
    known = known_set(setup)
    box = box_of(known)
    with tempfile.TemporaryDirectory() as folder:
        session = Game(Journal.create(Path(folder) / "game.jsonl", setup.header), load_ruleset(rules))
        watcher = Watcher(
            camera,
            KnowingEye(camera, unread=0.0, missed=missed),  # type: ignore[arg-type]
            BlindSettler(camera, blind),
            Calibration.from_corners(setup.table.corners_px, setup.table.size_mm, 0.001, size_wh=first.size_wh),
            setup.table_setup(),
            GameSink(session, setup, box),
            known=known,
        )
        watcher.see(first)
        watcher.run()
        session.close()
    shown: dict[tuple[Tile, str], list[str | None]] = {}
    for event in session.events:
        if isinstance(event, TilePlayed):
            shown.setdefault((event.tile, event.train), []).append(event.frame)
    laid = [
        ((act.tile, act.train), number, filmed.frame)
        for number, filmed in enumerate(camera.truth)
        for _, act in filmed.scene.plays
        if isinstance(act, Play)
    ]
    late: list[float | None] = []
    for n, (place, number, last) in enumerate(laid):
        # A Chinese set has tiles twice: the first laid is the first on record.
        on_record = shown.get(place, ())[sum(other == place for other, _, _ in laid[:n]) :]
        if number in blind:
            late.append((_number(on_record[0]) - _number(last) + still_frames) * FRAME_S if on_record else None)
    certain = [found for event in session.events for found in getattr(event, "violations", ()) if found.certain]
    places = Counter(place for place, _, _ in laid)
    recorded = Counter({place: len(frames) for place, frames in shown.items()})
    return BlindRound(
        seed=seed,
        rules=rules,
        plays=len(laid),
        missed=(places - recorded).total(),
        invented=(recorded - places).total(),
        late_s=tuple(None if one is None else round(one, 1) for one in late),
        accused=tuple(str(found.code) for found in certain),
        taken_back=sum(event.KIND == "tile_taken_back" for event in session.events),
    )


def _number(frame: str | None) -> int:
    return int((frame or "-1").rpartition("-")[2])


def main() -> None:
    parser = argparse.ArgumentParser(description="plays that change nothing the camera would notice")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--first-seed", type=int, default=8801)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--share", type=float, default=SHARE)
    args = parser.parse_args()
    late: list[float | None] = []
    for n in range(args.rounds):
        told = blind_round(args.first_seed + n, RULESET_NAMES[n % len(RULESET_NAMES)], args.scenes, args.share)
        late += told.late_s
        print(told, flush=True)
    on_record = [one for one in late if one is not None]
    in_time = sum(one <= WITHIN_S for one in on_record)
    print(json.dumps({"plays not noticed": len(late), "on record": len(on_record), "within 10 s": in_time}))


if __name__ == "__main__":
    main()
