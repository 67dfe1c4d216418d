"""Tiles beside the trains: `python -m bench.beside faces --tables 8`, `python -m bench.beside hands --tables 8`.

`faces`: beside a Chinese line players put tiles away, face up or face down, one after the other; each is compared with
what the watcher tells of it. All of them lie in full view. `hands`: of a round that is on record up to there the last
scenes are filmed, in which the hands are laid open; in every second one a loose tile lies about. A hand on record is
right or wrong; any other is `asked` about, `waits` while another question is open, or is passed over in silence
(`silent`). They lie in a row with gaps, or as `--lying` says: edge to edge (`close`), as a fan (`arc`), in a heap, or
with one tile half under another (`lapped`). Shares have a 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.foreign_film import ForeignFilm
from bench.hanging import Accepting, Filming, of_all
from bench.table import watcher_before
from bench.third_film import ThirdFilm
from companion.game.game import Game
from companion.geometry import TableSetup
from companion.geometry.layout import Family
from companion.log.event_fields import OF_A_HAND, Question, QuestionKind
from companion.log.events import HandShown
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.perception.table_reader import box_of, chinese_box, known_set
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, Tile
from datasets.bots.recording import events_of, opening
from datasets.folder_argument import RENDERER, folder_with
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.lying import Lying
from datasets.simulator.placing import overlap
from datasets.simulator.plan import TablePlan
from datasets.simulator.random_tables import PLAYERS
from datasets.simulator.script import Troubles
from datasets.simulator.tabletop import TableFullError, TableTop
from vision.eye import Eye, open_eye

FACE_UP = 0.7
"""The share of tiles put away that lie face up."""
ACTS = 10
RULES = ("reeves", "chedeng", "cz", "kkori")
CLEAR_MM = 260.0


def faces(seed: int, make: Callable[..., Any], eye: Eye, size_wh: tuple[int, int]) -> Counter[str]:
    rng = random.Random(f"faces {seed}")
    players = PLAYERS[:4]
    stations = {name: 90.0 - 90.0 * n for n, name in enumerate(players)}
    plan = TablePlan(players, (900.0, 675.0), (48.0, 24.0, 9.0), 0.0, stations, False, chinese=True)
    table = TableTop(plan, np.random.default_rng(seed))
    table.set_up(None, None)
    box = [Tile(a, b) for a, b in chinese_box().copies]
    end = rng.randint(1, 6)
    for _ in range(6):
        outer = rng.randint(1, 6)
        table.lay_in_line(Laid(end, outer), "R")
        end = outer
    sink = Accepting()
    setup = TableSetup(Family.CHINESE, players, stations, tile_mm=plan.tile_mm, boneyard_spread=False, set_max=None)
    filming = Filming.of(make(plan, seed, FilmSettings(size_wh=size_wh), "chinese", 6), eye, setup, chinese_box(), sink)
    filming.read(table)
    count: Counter[str] = Counter()
    for _ in range(ACTS):
        player, tile = rng.choice(players), rng.choice(box)
        shown = rng.random() < FACE_UP
        if len(table.discards[player]) > 7:
            continue
        known = len(sink.seen)
        lying = table.discard(player, tile if shown else None)
        filming.read(table, lying.center_mm)
        if len(sink.seen) == known:
            filming.wait()
        now = sink.seen[known:]
        away = sum((Counter(one.discards) for one in now), Counter[str]())
        told = [one for change in now for name, tiles in change.faces.items() for one in tiles if name == player]
        kind = "face up" if shown else "face down"
        right = away == {player: 1} and told == ([tile] if shown else [])
        count.update({kind: 1, f"{kind} right": int(right), "faces invented": int(not shown and bool(told))})
        if not right:
            doubts = [str(doubt.trouble) for change in now for doubt in change.doubts]
            print(seed, kind, player, tile, dict(away), told, doubts, flush=True)
    return count


class OpenTable(TableTop):
    """A table on which hands are laid open otherwise than in a row with gaps."""

    lying = "row"

    def show_hand(self, player: str, tiles: Sequence[Tile]) -> bool:
        before = TableTop.rects(self)
        if not TableTop.show_hand(self, player, tiles) or self.lying == "row":
            return player in self.hands
        row = self.hands[player]
        length, width, _ = self.plan.tile_mm
        moved = list(self._otherwise(row)) if len({one.heading_deg for one in row}) == 1 else row
        rects = [one.rect(length + 2.0, width + 2.0) for one in moved]
        w, h = self.plan.size_mm
        on_it = all(0 < x < w and 0 < y < h for rect in rects for x, y in rect.corners())
        if on_it and not any(overlap(rect, other) for rect in rects for other in before):
            self.hands[player] = moved
        return True

    def _otherwise(self, row: Sequence[Lying]) -> Iterator[Lying]:
        length, width, _ = self.plan.tile_mm
        heading = row[0].heading_deg
        mid = np.mean([one.center_mm for one in row], axis=0)
        inward = np.array([0.0, 1.0] if heading == 90.0 else [1.0, 0.0])
        inward *= np.sign(np.array(self.plan.size_mm) / 2 - mid)
        along = inward[::-1]
        pitch = (width + 0.4) * (1.25 if self.lying == "arc" else 1.0)
        for n, one in enumerate(row):
            off, depth, sway = pitch * (n - (len(row) - 1) / 2), 0.0, 0.0
            if self.lying == "lapped" and 0 < n == len(row) - 1:
                off -= 0.55 * width
            if self.lying == "arc":
                sway = math.degrees(off / (2.5 * length))
                depth = 2.5 * length * (1.0 - math.cos(math.radians(sway)))
                sway *= 1.0 if along[0] * inward[1] - along[1] * inward[0] > 0 else -1.0
            if self.lying == "heap":
                wide = math.ceil(len(row) / 2)
                off, depth = (width + 5.0) * (n % wide - (wide - 1) / 2), (length + 5.0) * (n // wide)
                sway = float(self.rng.uniform(-9, 9))
            x, y = mid + along * off + inward * depth
            yield replace(one, center_mm=(float(x), float(y)), heading_deg=heading + sway)


def hands(seed: int, make: Callable[..., Any], eye: Eye, size_wh: tuple[int, int], lying: str = "row") -> Counter[str]:
    rules = load_ruleset(RULES[seed // 2 % len(RULES)])
    film = FilmSettings(size_wh=size_wh)
    settings = SimSettings(
        rules.name, troubles=Troubles.none(), film=film, hand_frames=3, still_frames=7, last_scenes=9, arms=False
    )
    camera = SimCamera(seed, settings, make)
    table = OpenTable(*(getattr(camera.table, one.name) for one in fields(TableTop)))
    table.lying, camera.table = lying, table
    if seed % 2:
        camera.table.hands[""] = [_loose(camera.table, random.Random(f"loose {seed}"))]
    setup = camera.setup()
    first = replace(opening(camera.round), draws_seen=setup.boneyard != "stacked")
    with tempfile.TemporaryDirectory() as folder:
        log = Journal.create(Path(folder) / "game.jsonl", setup.header)
        log.append(first)
        session = Game(log, rules)
        seen = _Late(camera, session)
        watcher_before(seen, eye, setup, GameSink(session, setup, box_of(known_set(setup)))).run()
        hands_shown = [event for event in session.events if isinstance(event, HandShown)]
        shown = {event.by: (*event.tiles, *event.discards) for event in hands_shown}
        asked = [question.question for question in session.questions]
        phase = session.phase
        session.close()
    count: Counter[str] = Counter()
    due: dict[str, tuple[Tile, ...]] = {}
    for player, tiles in (filmed.scene.shows for filmed in camera.truth if filmed.scene.shows):
        due[player] = (*due.get(player, ()), *tiles)
    for player, tiles in due.items():
        kind = "hands" if not seed % 2 else "hands beside a loose tile"
        outcome = _outcome(player, tiles, shown.get(player), asked)
        count.update({kind: 1, f"{kind} {outcome}": 1})
        if outcome != "right":
            due_tiles, seen_tiles = (" ".join(map(str, sorted(some))) for some in (tiles, shown.get(player, ())))
            left = "; ".join(map(str, asked))
            print(f"{seed} {rules.name} {player} {outcome}: {due_tiles} [{seen_tiles}] {phase} {left}", flush=True)
    return count


def _outcome(player: str, due: Sequence[Tile], shown: Sequence[Tile] | None, open_now: Sequence[Question]) -> str:
    """`right` and `wrong`: the hand is on record. Else `asked`: a question of this hand or of the set's sum is open;
    `waits`: another question is; `silent`: none."""
    if shown is not None:
        return "right" if Counter(shown) == Counter(due) else "wrong"
    own = (
        one for one in open_now if one.kind is QuestionKind.SET_SUM or (one.player == player and one.kind in OF_A_HAND)
    )
    return "asked" if any(own) else "waits" if open_now else "silent"


class _Late:
    """The camera; what was played before its first frame is put on record with it."""

    live = stills = False

    def __init__(self, camera: SimCamera, session: Game) -> None:
        self.camera, self.session, self.begun = camera, session, False

    def read(self) -> Any:
        frame = self.camera.read()
        if not self.begun:
            self.begun = True
            for event in self._before():
                self.session._add(event)
        return frame

    def _before(self) -> Iterator[Any]:
        for scene in self.camera.before:
            for turn in scene.turns:
                yield from events_of(turn)


def _loose(table: TableTop, rng: random.Random) -> Lying:
    """A tile that belongs nowhere, clear of all that lies there and of the middle."""
    w, h = table.plan.size_mm
    highest = 6 if table.plan.chinese else 12
    while True:
        place = rng.uniform(90, w - 90), rng.uniform(90, h - 90)
        far = [np.hypot(place[0] - one.center_mm[0], place[1] - one.center_mm[1]) for one in table.all_tiles()]
        if np.hypot(place[0] - w / 2, place[1] - h / 2) > CLEAR_MM and min(far, default=CLEAR_MM) > 70:
            low = rng.randint(1, highest)
            return Lying(Laid(low, rng.randint(low, highest)), place, rng.uniform(0, 360))


def summary(count: Mapping[str, int]) -> dict[str, Any]:
    kinds = ("face up", "face down", "hands", "hands beside a loose tile")
    found: dict[str, Any] = {kind: of_all(count[f"{kind} right"], count[kind]) for kind in kinds if count.get(kind)}
    others = [f"{kind} {outcome}" for kind in kinds[2:] for outcome in ("wrong", "asked", "waits", "silent")]
    return found | {name: count[name] for name in ("faces invented", *others) if name in count}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("faces", "hands"))
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--first", type=int, default=7000)
    parser.add_argument("--renderer", type=folder_with(RENDERER), help="folder of another renderer")
    parser.add_argument("--lying", choices=("row", "close", "arc", "heap", "lapped"), default="row")
    parser.add_argument("--third", action="store_true", help="drawn by VTK (bench/third_film.py)")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), metavar=("W", "H"))
    args = parser.parse_args()
    make: Any = partial(ForeignFilm, folder=args.renderer) if args.renderer else Film
    make = ThirdFilm if args.third else make
    total: Counter[str] = Counter()
    for seed in range(args.first, args.first + args.tables):
        try:
            count: Any = partial(hands, lying=args.lying) if args.what == "hands" else faces
            total += count(seed, make, open_eye(one_box=True), tuple(args.size))
        except TableFullError:
            continue
        print(seed, json.dumps(summary(total)), flush=True)


if __name__ == "__main__":
    main()
