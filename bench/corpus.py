"""The evidence of simulated rounds, recorded once: `python -m bench.corpus told --rounds 70 --out DIR`.

    told      every still table given exactly as it lies (seconds a round)
    sketched  sketched frames and an eye that errs on purpose
    meddled   the same with somebody at the page who also slips
    filmed    rendered frames with arms and the shipped weights (minutes a round)
    toys      the same with markers that no network was trained on, half of them on tiles (bench/toys.py)
    foreign   the same with the frames of another renderer (--renderer DIR)
    third     the same drawn by VTK (bench/third_film.py)
    traced    the same traced by Blender's Cycles (bench/traced_film.py)

One file a round, `KIND-SEED.jsonl`: a header, then in order what the game was told (`call`: each change the camera
reported, each thing a person said) and what the camera saw (`look`: the table behind that change), last the truth and
what today's engine made of it (`golden`). Rounds already there are left out. `python -m bench.replay` tries an engine
on these files without an eye.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.counting import accusations
from bench.foreign_film import ForeignFilm
from bench.round_end import CUT, how_it_ended
from bench.somebody import SLIPS, TRUE, Somebody
from bench.stand_ins.sketch import LARGER, KnowingEye, sketched
from bench.table import FIRST_SEED, watcher_before, with_faults
from bench.third_film import ThirdFilm
from bench.told import ToldTable, UnfilmedRound
from bench.toys import ToyFilm
from bench.traced_film import TracedFilm
from companion.game.game import Game
from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.log.events import Event, TableChange
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.perception import Watcher
from companion.perception.attributing import attribution_for
from companion.perception.table_reader import box_of, known_set
from companion.rules.notation import print_act, print_change
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.rules.tile import Tile
from datasets.bots import BotTurn
from datasets.folder_argument import RENDERER, folder_with
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.room import BlankFilm

KINDS = ("told", "sketched", "meddled", "filmed", "toys", "foreign", "third", "traced")
SAID = (
    "play", "draw", "pass_turn", "discard", "mark", "unmark", "flip", "end_round", "undo", "correct",
    "answer", "drop_question", "show_hand", "start_round", "ask",
)  # fmt: skip
"""The sentences of a session that are recorded; `observe` is recorded in its own words."""


class RecordedSession(Game):
    """A session that notes what it is told, and how many events each call brought."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self.lines: list[dict[str, Any]] = []
        self._depth = 0
        super().__init__(*args, **named)
        self.ever: set[tuple[str, str | None]] = set()

    def noted(self, line: dict[str, Any], call: Callable[[], tuple[Event, ...]]) -> tuple[Event, ...]:
        if self._depth:
            return call()
        self._depth += 1
        before, start = self.seq, time.process_time()
        try:
            return call()
        finally:
            self._depth -= 1
            line["seq"] = before
            line["ms"] = round(1000 * (time.process_time() - start), 2)
            self.ever |= {one[:2] for one in accusations(self.snapshot().plays) if one[2]}
            self.lines.append(line)

    def observe(self, change: TableChange) -> tuple[Event, ...]:
        line = {"call": "observe", **change.to_json()}
        return self.noted(line, lambda: super(RecordedSession, self).observe(change))


def _saying(verb: str) -> Callable[..., tuple[Event, ...]]:
    def said(self: RecordedSession, *args: Any, **named: Any) -> tuple[Event, ...]:
        line = {"call": verb, "args": plain(args), "named": plain(named)}
        return self.noted(line, lambda: getattr(super(RecordedSession, self), verb)(*args, **named))

    return said


for _verb in SAID:
    setattr(RecordedSession, _verb, _saying(_verb))


class RecordedSink(GameSink):
    """Notes the table behind each change that is about to be recorded, also where it is held back."""

    def record(self, observation: Observation, layout: Layout, frame: str) -> bool:
        lines = self.session.lines
        lines.append({"look": frame, **observation_line(observation), "layout": layout_line(layout)})
        kept = super().record(observation, layout, frame)
        if not kept:
            lines.append({"held_back": frame})
        return kept


def plain(value: Any) -> Any:
    """The value in JSON's types."""
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, Tile):
        return [value.low, value.high]
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    return value.to_json() if hasattr(value, "to_json") else str(value)


def observation_line(one: Observation) -> dict[str, Any]:
    line = {"delta": [print_change(change) for change in one.delta]}
    extra = {
        "flips": one.flips, "discards": one.discards, "faces": one.faces, "hands": one.hands,
        "clouded": one.clouded,
        "doubts": [str(problem) for problem in one.doubts], "maybe_marked": sorted(one.maybe_marked),
        "returned": one.returned,
    }  # fmt: skip
    return line | {name: plain(value) for name, value in extra.items() if value}


def layout_line(layout: Layout) -> dict[str, Any]:
    """The table and its unexplained parts, without the millimetres of the explained ones."""
    return {
        "trains": {name: [_placed(tile) for tile in train] for name, train in layout.trains.items() if train},
        "line": [_placed(tile) for tile in layout.line],
        "markers": sorted(layout.markers),
        "supposed": sorted(layout.supposed),
        "flipped": sorted(layout.flipped),
        "boneyard": layout.boneyard,
        "loose": [_placed(tile) for tile in layout.loose],
        "hands": {name: [_placed(tile) for tile in tiles] for name, tiles in layout.hands.items()},
        "problems": [str(problem) for problem in layout.problems],
    }


def _placed(tile: PlacedTile) -> list[Any]:
    """[identity, inner value, its p, outer value, its p]."""
    if tile.halves is None:
        return [tile.id]
    inner, outer = tile.halves[tile.inner_half], tile.halves[1 - tile.inner_half]
    return [tile.id, inner.value, round(inner.p, 4), outer.value, round(outer.p, 4)]


def turn_line(turn: BotTurn) -> dict[str, Any]:
    sign = ":" if isinstance(turn.before, LinePosition) else "-"
    line: dict[str, Any] = {
        "player": turn.player,
        "actions": [print_act(act, sign) for act in turn.actions],
        "before": table_line(turn.before),
    }
    return line | ({"planted": str(turn.planted)} if turn.planted is not None else {})


def table_line(table: Position | LinePosition) -> dict[str, Any]:
    if isinstance(table, LinePosition):
        return {
            "players": list(table.players), "line": [list(laid) for laid in table.line], "turn": table.turn,
            "discards": dict(table.discards), "hands": dict(table.hands), "passes": table.passes,
        }  # fmt: skip
    return {
        "set_max": table.set_max, "players": list(table.players), "engine": list(table.engine),
        "trains": {name: [list(laid) for laid in chain] for name, chain in table.trains.items()},
        "markers": sorted(table.markers), "open": list(table.open), "flipped": sorted(table.flipped),
        "turn": table.turn, "first_turn": table.first_turn, "boneyard": table.boneyard, "hands": dict(table.hands),
        "round": table.round, "first_engine": table.first_engine,
    }  # fmt: skip


def settings_of(seed: int, scenes: int | None, rules: str | None = None, hub: bool = True) -> SimSettings:
    rules = rules or RULESET_NAMES[(seed - FIRST_SEED) % len(RULESET_NAMES)]
    return with_faults(rules, scenes, hub=hub)


def watching(camera: SimCamera, eye: Any, journal: Path, *, flat: bool) -> tuple[RecordedSession, Watcher]:
    """The product's own way from the set-up file to the session, with recorders in it."""
    setup = camera.setup()
    if flat:
        setup = replace(setup, tile_mm=(*setup.tile_mm[:2], 0.001))
    rules = load_ruleset(setup.header.rules)
    session = RecordedSession(Journal.create(journal, setup.header), rules)
    sink = RecordedSink(session, setup, box_of(known_set(setup)))
    return session, watcher_before(camera, eye, setup, sink, attribution_for(setup, off=flat))


def record(
    kind: str, seed: int, scenes: int | None, renderer: Path | None, size_wh: tuple[int, int], hub: bool = True
) -> list[Any]:
    """The lines of one round's file."""
    settings = settings_of(seed, scenes, hub=hub)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "game.jsonl"
        end = CUT
        person: Somebody | None = None
        if kind == "told":
            camera = UnfilmedRound(seed, settings, BlankFilm)
            told = ToldTable(camera)
            session = RecordedSession(Journal.create(journal, camera.setup().header), load_ruleset(camera.rules_name))
            told.tell(session)
            turns = told.turns
            laid = [(turn.player, act) for turn in turns for act in turn.actions]
        else:
            session, camera, person = _watched(kind, seed, settings, journal, renderer, size_wh)
            turns = [turn for filmed in camera.truth for turn in filmed.scene.turns]
            laid = [one for filmed in camera.truth for one in filmed.scene.plays]
            if person is None:
                end = how_it_ended(camera, session)
            elif camera.filming is not None:
                turns += camera.filming.turns
        chinese = camera.plan.chinese
        header = session.header.to_json() if hasattr(session.header, "to_json") else {}
        first = {"corpus": 1, "kind": kind, "seed": seed, "rules": camera.rules_name, "header": plain(header)}
        first["players"] = list(camera.plan.players)
        first["hub"] = hub
        first["spread"] = camera.plan.boneyard_spread and not chinese
        sign = ":" if chinese else "-"
        truth = {
            "turns": [turn_line(turn) for turn in turns],
            "laid": [[who, print_act(act, sign)] for who, act in laid],
            "end": {"how": camera.round.how, "out": camera.round.out},
        }
        golden = {
            "plays": plain(session.snapshot().plays), "end": end,
            "questions": [plain(event.to_json()) for event in session.events if event.KIND == "unclear"],
            "events": [plain(event.to_json()) for event in session.events],
            "ever": sorted(map(list, session.ever), key=str),
            "seconds": round(time.perf_counter() - start, 1),
        }  # fmt: skip
        lines = [first, *session.lines, {"truth": truth}, {"golden": golden}]
        session.close()
    return lines


def _watched(
    kind: str, seed: int, settings: SimSettings, journal: Path, renderer: Path | None, size_wh: tuple[int, int]
) -> tuple[RecordedSession, SimCamera, Somebody | None]:
    if kind in ("filmed", "toys", "foreign", "third", "traced"):
        from vision.eye import open_eye

        film: Callable[..., Any] = partial(ForeignFilm, folder=renderer) if kind == "foreign" else Film
        film = {"toys": ToyFilm, "third": ThirdFilm, "traced": TracedFilm}.get(kind, film)
        camera = SimCamera(seed, replace(settings, film=FilmSettings(size_wh=size_wh)), film)
        session, watcher = watching(camera, open_eye(one_box=True), journal, flat=False)
        watcher.run()
        return session, camera, None
    camera = sketched(seed, settings, LARGER)
    if kind == "sketched":
        session, watcher = watching(camera, KnowingEye(camera, seed=seed), journal, flat=True)
        watcher.run()
        return session, camera, None
    from bench.meddling import StubbornEye

    session, watcher = watching(camera, KnowingEye(camera, unread=0.0, missed=0.0), journal, flat=True)
    watcher.reader.eye = StubbornEye(camera, misread=0.03, unread=0.01, seed=seed)  # type: ignore[assignment]
    person = Somebody(camera, session, watcher, TRUE + SLIPS, seed)
    while watcher.step():
        person.look()
    return session, camera, person


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--rounds", type=int, default=42)
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="the first seed")
    parser.add_argument("--seeds", type=int, nargs="+", help="these rounds instead")
    parser.add_argument("--scenes", type=int, help="stop every round after so many scenes")
    parser.add_argument("--renderer", type=folder_with(RENDERER), help="folder of another renderer (for `foreign`)")
    parser.add_argument("--no-hub", dest="hub", action="store_false", help="trains begin around the engine alone")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), metavar=("W", "H"))
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for seed in args.seeds or range(args.first, args.first + args.rounds):
        path = args.out / f"{args.kind}-{seed}.jsonl"
        if path.exists():
            continue
        lines = record(args.kind, seed, args.scenes, args.renderer, tuple(args.size), args.hub)
        partial_path = path.with_suffix(".part")
        partial_path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        partial_path.rename(path)
        golden = lines[-1]["golden"]
        print(path.name, len(lines), "lines", golden["end"], golden["seconds"], "s", flush=True)


if __name__ == "__main__":
    main()
