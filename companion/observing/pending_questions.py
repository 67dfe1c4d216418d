"""Unread tiles of a game: asked about, waited for, and at last held to be what they most likely are.

A play that waits for an answer stands still for everybody. So where nobody answers for a while the likeliest tile goes
on record as an unsure reading, which anybody can put right, and nothing that rests on it is ever certain. Where nobody
has answered several times, as when a whole table lies in a glare, only one question is asked at a time, and seldom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.game.session import Session
from companion.geometry import Layout
from companion.geometry.diff import Observation
from companion.geometry.line_places import read_part
from companion.log.event_fields import Candidate
from companion.log.question import Question, QuestionKind
from companion.log.table_change import TableChange
from companion.observing.hypotheses import HypothesisSettings
from companion.observing.line_input import ends_beyond
from companion.observing.unread import Unread, unread_in_line, unread_tiles
from companion.rules.actions import RIGHT
from companion.rules.notation import Laying
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid, Tile

Keep = Callable[[str], str | None]
"""Frame name -> the name under which its picture is kept as evidence, None where it is not."""


class PendingQuestions:
    """`guesses`: (train, place from the engine outwards) -> the tile that an unread one is held to be; of a line, (arm,
    place from the tile that came first)."""

    def __init__(self, session: Session, box: Mapping[Tile, int], settings: HypothesisSettings, keep: Keep) -> None:
        self.session = session
        self.box = box
        self.settings = settings
        self.keep = keep
        self.guesses: dict[tuple[str, int], Laid] = {}
        self._asked: dict[tuple[str, int], int] = {}
        self._waited = 0
        self._guessed = False
        self._settled: set[int] = set()
        self._unheard = 0
        self._quiet = 0

    def forget(self) -> None:
        """Another round: what was guessed lies there no more."""
        self.guesses.clear()
        self._waited = 0

    def stirred(self) -> bool:
        """Has a tile been guessed since the last look? Then what was held back for it is looked at again."""
        guessed, self._guessed = self._guessed, False
        return guessed

    def holds_back(self, layout: Layout, table: Position | LinePosition) -> bool:
        """Is this change to wait because an unread tile was laid before it? Whose turn it is hangs on that tile.

        Recorded without it, each later play would be its predecessor's, and the answer an accusation. A tile that
        nobody names for too many changes is guessed; where that cannot be, the game goes on without it.
        """
        still_open = {question.seq for question in self.session.questions}
        pending = []
        for one in self._unread(layout, table):
            seq = self._asked.get(one.key)
            if seq in still_open or (seq is None and self._is_due(one, table)):
                pending.append(one)
        self._waited = self._waited + 1 if pending else 0
        if self._waited <= self.settings.unread_patience:
            return bool(pending)
        for one in pending:
            seq = self._asked.get(one.key)
            if seq is not None and seq in still_open:
                self._settled.add(seq)
                self.drop(seq)
            if one.likely and one.likely[0][0] >= self.settings.guess:
                self.guesses[one.key] = one.likely[0][1]
                self._guessed = True
        return self._guessed

    def beside_a_guess(self, observation: Observation, layout: Layout, table: Position | LinePosition) -> bool:
        """Does a tile now laid lie next to a guessed one, or is it one itself?"""
        if isinstance(table, LinePosition):
            return bool(layout.line) and self._beside_a_guess_in_line(observation, layout)
        known = {train: len(table.trains.get(train, ())) for train in {change.train for change in observation.laid}}
        return any(train in known and place >= known[train] - 1 for train, place in self.guesses)

    def _beside_a_guess_in_line(self, observation: Observation, layout: Layout) -> bool:
        part = read_part(layout.line)
        laid = [part.place(n) for n, tile in enumerate(layout.line) if tile.id in observation.news]
        return any(arm == other and place >= at - 1 for arm, place in self.guesses for other, at in laid)

    def ask(self, layout: Layout, table: Position | LinePosition, frame: str) -> None:
        """One question for each train's first unread tile; a question goes as soon as its tile is known or gone."""
        unread = {one.key: one for one in self._unread(layout, table)}
        still_open = {question.seq for question in self.session.questions}
        if answered := {seq for seq in self._asked.values() if seq not in still_open} - self._settled:
            self._settled |= answered
            self._unheard = 0
        for key in [key for key in self._asked if key not in unread]:
            self.drop(self._asked.pop(key))
        self._quiet += 1
        if self.session.phase != "playing":
            return
        for key, one in unread.items():
            if key not in self._asked and self._may_ask():
                candidates = [self._candidate(one, tile, p, table) for p, tile in one.likely]
                asked = self.session.ask(
                    Question(QuestionKind.UNREADABLE_TILE, train=one.train), candidates, frame=self.keep(frame)
                )
                self._asked[key] = asked[0].seq
                self._quiet = 0
                self._unheard += 1

    def _may_ask(self) -> bool:
        """Does anybody listen? Else only now and then, while no other question of these waits."""
        if self._unheard < self.settings.unheard:
            return True
        still_open = {question.seq for question in self.session.questions}
        return self._quiet >= self.settings.quiet and not still_open & set(self._asked.values())

    def drop(self, seq: int | None) -> None:
        """Withdraw a question, where it is still open."""
        if seq is not None and any(question.seq == seq for question in self.session.questions):
            self.session.drop_question(seq)

    def _unread(self, layout: Layout, table: Position | LinePosition) -> list[Unread]:
        if isinstance(table, LinePosition):
            return list(unread_in_line(layout, self.box))
        return list(unread_tiles(layout, table.engine.outer, self.box))

    def _is_due(self, one: Unread, table: Position | LinePosition) -> bool:
        return any(self.session.foresee(TableChange(_with_inner(one, tile, table))) for _, tile in one.likely)

    def _candidate(self, one: Unread, tile: Laid, p: float, table: Position | LinePosition) -> Candidate:
        """What would be recorded if the unread tile were this one: by whoever may lay it, else by who is to move."""
        delta = _with_inner(one, tile, table)
        events = self.session.foresee(TableChange(delta))
        if events:
            lines = tuple({k: v for k, v in event.to_json().items() if k not in ("seq", "at")} for event in events)
        else:
            lines = as_lines(delta, table.turn)
        return Candidate(f"{tile.inner}-{tile.outer}", lines, p)


def _with_inner(one: Unread, tile: Laid, table: Position | LinePosition) -> tuple[Laying, ...]:
    """The tile after those before it in its train that are not on record yet."""
    if isinstance(table, LinePosition):
        left, right = ends_beyond(one.inner, table.line) or ((), ())
        hidden = (Laid(one.inner[-1].outer, tile.inner),) if one.covers and one.inner else ()
        new = (*right, *hidden) if one.train == RIGHT else tuple(reversed(left))
        return tuple(Laying(laid, one.train) for laid in (*new, tile) if laid is not None)
    known = len(table.trains.get(one.train, ()))
    return tuple(Laying(laid, one.train) for laid in (*one.inner[known:], tile))


def as_lines(laid: Sequence[Laying], by: str | None = None) -> tuple[dict[str, Any], ...]:
    """The journal's lines of these tiles."""
    return tuple(
        {
            "event": "tile_played",
            "source": "camera",
            "by": by,
            "tile": [change.tile.inner, change.tile.outer],
            "train": change.train,
        }
        for change in laid
    )
