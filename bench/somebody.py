"""Somebody at the page while the camera watches: true and untrue taps at random moments of a simulated round.

The person who taps sees the table as it lies, so entries, corrections and answers are true; a *slip* is not: a play
taken back that was made, a half mistyped, a round ended too early. A slip is noticed a little later, or never.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from companion.game.game import Game
from companion.game.rejected import CommandRejected, RejectionReason
from companion.perception import Watcher
from companion.rules.position import SECOND_MEXICAN, Draw, Mark, Play, Unmark
from companion.rules.tile import Laid
from datasets.simulator.camera import SimCamera
from datasets.simulator.plan import MEXICAN
from datasets.simulator.script import Scene

TRUE = ("enter", "draw", "mark", "pass", "name", "answer", "dismiss", "read_now", "right")
SLIPS = ("undo", "withdraw", "typo", "unmark", "end")


class Somebody:
    """`rate`: how often (per frame) something is tapped; `noticed`: the share of the slips that are put right.

    `done` are the taps as (frame, what, journal line).
    """

    def __init__(
        self, camera: SimCamera, session: Game, watcher: Watcher, taps: tuple[str, ...], seed: int,
        *, rate: float = 0.12, noticed: float = 0.5,
    ) -> None:  # fmt: skip
        self.camera, self.session, self.watcher, self.taps = camera, session, watcher, taps
        self.rate, self.noticed = rate, noticed
        self.rng = Random(f"somebody {seed}")
        self.done: list[tuple[int, str, int]] = []
        self._frames = 0
        self._scene: Scene | None = None
        self._from = 0
        self._again: list[tuple[int, str]] = []

    def look(self) -> None:
        """After each frame: perhaps tap something, perhaps notice a slip."""
        self._frames += 1
        self._drew_since(self.camera.filming)
        due = [what for at, what in self._again if at <= self._frames]
        self._again = [(at, what) for at, what in self._again if at > self._frames]
        for what in due:
            self._try(what)
        if self.rng.random() < self.rate:
            self._try(self.rng.choice(self.taps))

    def _try(self, what: str) -> None:
        before = self.session.seq
        try:
            getattr(self, f"_{what}")()
        except CommandRejected:
            return
        if self.session.seq > before:
            self.done.append((self._frames, what, self.session.seq))

    def _slipped(self, mend: str) -> None:
        if self.rng.random() < self.noticed:
            self._again.append((self._frames + self.rng.randint(3, 30), mend))

    def _standing(self) -> list[Mapping[str, Any]]:
        plays = self.session.snapshot().plays
        return [one for one in plays if one.get("event") == "tile_played" and not one.get("taken_back")]

    def _unsaid(self) -> Iterator[tuple[str, Any]]:
        """The acts being done just now and not on record."""
        scene = self.camera.filming
        known = Counter((tuple(one["tile"]), one["train"]) for one in self._standing())
        for player, act in () if scene is None or scene.trouble == "take_back" else scene.plays:
            if isinstance(act, Play):
                train = MEXICAN if act.train == SECOND_MEXICAN else act.train
                if known[tuple(act.tile), train]:
                    known[tuple(act.tile), train] -= 1
                else:
                    yield player, Play(act.tile, train)
            elif not isinstance(act, Draw) or not self._drew_since(scene):
                yield player, act

    def _drew_since(self, scene: Scene | None) -> bool:
        """Whether a draw has come on record while this is being filmed."""
        if scene is not self._scene:
            self._scene, self._from = scene, self.session.seq
        return any(event.KIND == "drew" for event in self.session.events[self._from :])

    def _enter(self) -> None:
        player, act = next(self._of(Play))
        self.session.play(act.tile, act.train, by=player)

    def _of(self, *kinds: type) -> Iterator[tuple[str, Any]]:
        yield from (one for one in self._unsaid() if isinstance(one[1], kinds))
        raise CommandRejected(RejectionReason.NOTHING_TO_UNDO)

    def _draw(self) -> None:
        player, _ = next(self._of(Draw))
        self.session.draw(by=player)

    def _mark(self) -> None:
        player, act = next(self._of(Mark, Unmark))
        if (act.player in self._marked()) == isinstance(act, Unmark):
            verb = self.session.mark if isinstance(act, Mark) else self.session.unmark
            verb(act.player, by=player)

    def _marked(self) -> frozenset[str]:
        return getattr(self.session.position, "markers", frozenset())

    def _pass(self) -> None:
        """The turn that has just been completed without a tile was a pass."""
        filmed = self.camera.truth[-1:]
        for one in filmed:
            for turn in one.scene.turns:
                if not any(isinstance(act, Play) for act in turn.actions) and turn.player == self._mover():
                    self.session.pass_turn(by=turn.player)

    def _mover(self) -> str | None:
        return self.session.snapshot().turn

    def _name(self) -> None:
        """That was Ben."""
        for one, player in self._layers():
            if one.get("by") != player:
                self.session.correct(one["seq"], {"by": player})
                return

    def _layers(self) -> Iterator[tuple[Mapping[str, Any], str]]:
        """The plays on record with who laid them; not of tiles that two people may have laid."""
        true: dict[tuple[tuple[int, ...], str], set[str]] = {}
        scenes = [filmed.scene for filmed in self.camera.truth]
        for scene in [*scenes, *([self.camera.filming] if self.camera.filming is not None else [])]:
            for player, act in scene.plays:
                if isinstance(act, Play):
                    train = MEXICAN if act.train == SECOND_MEXICAN else act.train
                    true.setdefault((tuple(act.tile), train), set()).add(player)
        for one in self._standing():
            players = true.get((tuple(one["tile"]), one["train"]), set())
            if len(players) == 1:
                yield one, next(iter(players))

    def _right(self) -> None:
        """A tile that lies there otherwise than it is on record is put right."""
        for one in reversed(self._standing()):
            lies = self._lies_at(one)
            if lies is not None and lies != Laid(*one["tile"]):
                self.session.correct(one["seq"], {"tile": list(lies)})
                return

    def _lies_at(self, play: Mapping[str, Any]) -> Laid | None:
        """The tile at this play's place in its train."""
        lying = [tile.laid for tile in self.camera.table.trains.get(play["train"], ())]
        mine = [one["seq"] for one in self._standing() if one["train"] == play["train"]]
        record = list(getattr(self.session.position, "trains", {}).get(play["train"], ()))
        place = mine.index(play["seq"])
        return lying[place] if len(record) == len(mine) == len(lying) else None

    def _answer(self) -> None:
        """The candidate that is true, else none of them."""
        for question in self.session.questions:
            for n, candidate in enumerate(question.candidates):
                if candidate.events and all(self._is_true(line) for line in candidate.events):
                    self.session.answer(question.seq, n)
                    return

    def _is_true(self, line: Mapping[str, Any]) -> bool:
        if line.get("event") != "tile_played":
            return True
        lying = [tile.laid for tile in self.camera.table.trains.get(line["train"], ())]
        return Laid(*line["tile"]) in lying

    def _dismiss(self) -> None:
        """None of these: but only where none is true."""
        for question in self.session.questions:
            if not any(one.events and all(map(self._is_true, one.events)) for one in question.candidates):
                self.session.answer(question.seq, None)
                return

    def _read_now(self) -> None:
        self.watcher.read_now()

    def _undo(self) -> None:
        self.session.undo()

    def _put_back(self) -> None:
        """The last slip is undone."""
        self.session.undo()

    def _withdraw(self) -> None:
        """Some play of this round is taken off the record by hand."""
        standing = self._standing()
        if standing:
            self.session.correct(self.rng.choice(standing)["seq"], {"withdrawn": True})
            self._slipped("put_back")

    def _typo(self) -> None:
        player, act = next(self._of(Play))
        wrong = Laid(act.tile.inner, (act.tile.outer + 1) % 7)
        self.session.play(wrong, act.train, by=player)
        self._slipped(self.rng.choice(("put_back", "right")))

    def _unmark(self) -> None:
        markers = sorted(self._marked())
        if markers:
            owner = self.rng.choice(markers)
            self.session.unmark(owner, by=owner)
            self._slipped("put_back")

    def _end(self) -> None:
        if self.rng.random() < 0.3:
            self.session.end_round("abandoned")
            self._again.append((self._frames + self.rng.randint(2, 20), "resume"))

    def _resume(self) -> None:
        """It is noticed that the round has not ended."""
        while self.session.phase in ("ended", "scored"):
            self.session.undo()
