"""The simulated rounds without pictures: each still table is told to the session exactly as it lies.

The same seeds, hands and planted faults as the filmed rounds, so what goes wrong here goes wrong at the desk and not
before the camera; a round takes seconds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.events import TableChange
from companion.rules.notation import Change
from companion.rules.position import MEXICAN, SECOND_MEXICAN, Action, Discard, LinePosition, Play, Position
from companion.rules.referee import Referee
from companion.rules.tile import Tile
from companion.tracking.evidence import Evidence
from datasets.bots import BotTurn
from datasets.bots.watching import difference
from datasets.simulator.camera import SimCamera
from datasets.simulator.plan import TablePlan
from datasets.simulator.script import Scene, Script


class UnfilmedRound(SimCamera):
    """A simulated round without a frame filmed: the same deal and turns, and nothing need find room."""

    def _roomy(self, usual: TablePlan) -> TablePlan:
        return usual


class Meddled(Game):
    """Somebody taps now and then after a change, true or not."""

    rng: random.Random

    def observe(self, *args: Any, **named: Any) -> Any:
        events = super().observe(*args, **named)
        plays = [play for play in self.snapshot().plays if play["event"] == "tile_played" and not play["taken_back"]]
        if plays and self.rng.random() < 0.15:
            play, who = self.rng.choice(plays[-4:]), self.rng.choice(self.header.players)
            try:
                match self.rng.randrange(5):
                    case 0:
                        self.correct(play["seq"], {"withdrawn": True})
                    case 1:
                        self.correct(play["seq"], {"tile": [play["tile"][0], 5]})
                    case 2:
                        self.undo()
                    case 3:
                        self.done(who)
                    case _:
                        self.correct(play["seq"], {"by": who})
            except CommandRejected:
                pass
        return events


class ToldTable:
    """The scenes of one simulated round, told one by one.

    `turns` are those that were told to their end, `changes` the still tables as evidence, and `shown` says of each turn
    which change was the last that it made (-1: none yet).
    """

    def __init__(self, camera: SimCamera) -> None:
        self.camera = camera
        self.turns: list[BotTurn] = []
        self.changes: list[Evidence] = []
        self.shown: list[int] = []
        self.scenes = 0

    def tell(self, session: Game) -> None:
        camera = self.camera
        spread = camera.plan.boneyard_spread and not camera.plan.chinese
        counted = spread or camera.plan.chinese
        session.start_round(camera.round.engine, camera.round.starter, draws_seen=counted)
        script = Script(camera.round, camera.plan, camera._rng, camera.settings.troubles, camera.settings.show_hands)
        referee: Any = Referee(camera.round.rules)
        table: Any = camera.round.start
        for count, scene in enumerate(script.scenes()):
            if camera.settings.most_scenes is not None and count >= camera.settings.most_scenes:
                return
            self.scenes += 1
            if scene.shows is not None:
                if session.phase == "ended":
                    session.show_hand(*scene.shows, source="camera")
                continue
            after = table
            for player, act in scene.plays:
                after = referee.apply(replace(after, turn=player), as_seen(act))
            for seen in reports_of(table, after, scene, spread):
                self.changes.append(Evidence.of(len(self.changes), seen))
                session.observe(seen)
            self.turns += scene.turns
            self.shown += [len(self.changes) - 1] * len(scene.turns)
            table = after


def reports_of(before: Any, after: Any, scene: Scene, boneyard: bool) -> Iterator[TableChange]:
    if isinstance(before, LinePosition):
        discards: dict[str, int] = {}
        faces: dict[str, tuple[Tile, ...]] = {}
        line: list[Change] = []
        for player, act in scene.plays:
            if isinstance(act, Play):
                line.append(Play(act.tile, act.train))
            elif isinstance(act, Discard):
                discards[player] = discards.get(player, 0) + 1
                if act.tile is not None:
                    faces[player] = (*faces.get(player, ()), act.tile)
        if line or discards:
            yield TableChange(tuple(line), discards=discards, faces=faces)
        return
    assert isinstance(after, Position)
    delta = difference(before, after, boneyard=boneyard)
    flips = tuple(sorted(after.flipped - before.flipped))
    if delta or flips:
        yield TableChange(tuple(delta), flips=flips)


def as_seen(act: Action) -> Action:
    """A second Mexican train lies where the first one does."""
    return Play(act.tile, MEXICAN) if isinstance(act, Play) and act.train == SECOND_MEXICAN else act
