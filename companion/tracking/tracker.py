"""One round from evidence to verdicts: the belief, the tiles as they lie, and what is settled already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.chinese.line import tiles_of
from companion.position import LinePosition, Position
from companion.ruleset import RuleSet
from companion.tile import Laid
from companion.tracking.costs import NAMED, SURE
from companion.tracking.evidence import Evidence, Piece
from companion.tracking.explain import State
from companion.tracking.filter import TableFilter
from companion.tracking.line import LineState, line_value_faults
from companion.tracking.mexican import MexicanState, value_faults
from companion.tracking.questions import Question, question
from companion.tracking.verdict import Charge, Marginals, Verdict, judge_item
from companion.turn import Action, Mark, Play, Unmark
from companion.violation import Violation as V

MOST_MOVED = 2
"""So many laid tiles may have been moved from one still table to the next; where more are gone they were not seen."""


@dataclass(slots=True)
class _Entry:
    """A piece on record: its last verdict, and what one picture proves of it."""

    piece: Piece
    number: int
    verdict: Verdict
    proved: tuple[str, ...] = ()
    taken_back: bool = False


class RoundTracker:
    """Feeds the evidence of one round to the belief and keeps a verdict on every piece."""

    def __init__(self, rules: RuleSet, table: Position | LinePosition, starter: str, *, starter_known: bool = True):
        self.rules = rules
        self.table = table
        self.players = table.players
        start: State
        if isinstance(table, LinePosition):
            start = LineState(rules, table, anyone=not starter_known)
        else:
            start = MexicanState(rules, table, starter, anyone=not starter_known)
        self.filter = TableFilter([start], lag=4 * len(self.players))
        self.entries: dict[int, _Entry] = {}
        self.number = 0
        self.moved: list[Verdict] = []
        self.questions: list[str] = []
        self.asked: Question | None = None

    def observe(self, evidence: Evidence) -> None:
        """Take the next change of the table."""
        evidence = replace(evidence, number=self.number) if evidence.number != self.number else evidence
        if evidence.gone:
            evidence = self._take_back(evidence)
        if evidence.pieces:
            self._see(evidence)
        self.number += 1
        self._judge()

    def _see(self, evidence: Evidence) -> None:
        for piece in evidence.pieces:
            self._keep(piece, evidence.number)
        self.filter.advance(evidence)

    def _keep(self, piece: Piece, number: int) -> None:
        proved: tuple[str, ...] = ()
        if isinstance(piece.act, Play):
            proved = self._proved(piece.act)
            self._lay(piece.act)
        known = self.entries.get(piece.item)
        if known is None:
            self.entries[piece.item] = _Entry(piece, number, Verdict(piece.item, piece.act, None, 0.0), proved)

    def _proved(self, play: Play) -> tuple[str, ...]:
        if isinstance(self.table, LinePosition):
            return line_value_faults(self.rules, self.table, play, tiles_of(self.rules, len(self.players)))
        return value_faults(self.rules, self.table, play.tile, play.train)

    def _lay(self, play: Play) -> None:
        if isinstance(self.table, LinePosition):
            line = self.table.line
            row = (play.tile, *line) if play.train == "L" else (*line, play.tile)
            self.table = replace(self.table, line=row)
        else:
            chain = (*self.table.trains.get(play.train, ()), play.tile)
            self.table = replace(self.table, trains={**self.table.trains, play.train: chain})

    def _lift(self, laid: Laid, train: str) -> None:
        if isinstance(self.table, LinePosition):
            line = list(self.table.line)
            places = [n for n, one in enumerate(line) if one.tile == laid.tile]
            if places:
                del line[places[0] if train == "L" else places[-1]]
            self.table = replace(self.table, line=tuple(line))
        else:
            chain = list(self.table.trains.get(train, ()))
            places = [n for n, one in enumerate(chain) if one.tile == laid.tile]
            if places:
                del chain[places[-1]]
            self.table = replace(self.table, trains={**self.table.trains, train: tuple(chain)})

    def _take_back(self, evidence: Evidence) -> Evidence:
        """Vanished tiles: the last ones laid were taken back; another one was moved, which nobody may."""
        standing = [one for one in self.entries.values() if isinstance(one.piece.act, Play) and not one.taken_back]
        last = standing[-len(evidence.gone) :]
        wanted = Counter((laid.tile, train) for laid, train in evidence.gone)
        undone = wanted == Counter((one.piece.act.tile.tile, one.piece.act.train) for one in last)  # type: ignore[union-attr]
        if not undone:
            return self._moved(evidence)
        for entry in last:
            entry.taken_back = True
            act = entry.piece.act
            assert isinstance(act, Play)
            self._lift(act.tile, act.train)
        steps = self.filter.rewind(min(one.number for one in last))
        if steps is None:
            # Settled long ago: the belief has to begin anew with the table as it lies.
            self._begin_anew()
            return replace(evidence, gone=())
        back = list(evidence.pieces)
        returned = evidence.returned
        lifted = {one.piece.item for one in last}
        again: list[Evidence] = []
        for step in reversed(steps):
            kept: list[Piece] = []
            for piece in reversed(step.pieces):
                turned = next((one for one in back if one.act == _turned_back(piece.act)), None)
                if piece.item in lifted:
                    continue
                if turned is not None:
                    back.remove(turned)
                    self.entries[piece.item].taken_back = True
                elif returned and type(piece.act).__name__ == "Draw":
                    returned -= 1
                    self.entries[piece.item].taken_back = True
                else:
                    kept.insert(0, piece)
            again.insert(0, replace(step, pieces=tuple(kept), gone=()))
        for step in again:
            if step.pieces:
                self.filter.advance(step)
        return replace(evidence, gone=(), pieces=tuple(back))

    def _moved(self, evidence: Evidence) -> Evidence:
        doubtful = evidence.clouded or len(evidence.gone) > MOST_MOVED or any(map(self._hardly_read, evidence.gone))
        if doubtful:
            self.questions.append("several_stories")
            return replace(evidence, gone=(), clouded=True)
        for laid, train in evidence.gone:
            entry = self._entry_of(laid, train)
            if entry is not None:
                entry.taken_back = True
            self._lift(laid, train)
            charge = Charge(str(V.TILE_MOVED), None, True, 1.0)
            self.moved.append(Verdict(-1, Play(laid, train), None, 0.0, (), (charge,)))
        self._begin_anew()
        return replace(evidence, gone=())

    def _entry_of(self, laid: Laid, train: str) -> _Entry | None:
        for entry in reversed(self.entries.values()):
            act = entry.piece.act
            if isinstance(act, Play) and (act.tile.tile, act.train) == (laid.tile, train) and not entry.taken_back:
                return entry
        return None

    def _hardly_read(self, gone: tuple[Laid, str]) -> bool:
        entry = self._entry_of(*gone)
        return entry is not None and entry.piece.p is not None and min(entry.piece.p) < SURE

    def _begin_anew(self) -> None:
        """Every hypothesis with the tiles as they lie now; what is settled stays so."""
        self._judge()
        for one in self.filter.all:
            one.state = one.state.on_table(self.table)
        self.filter.snapshots.clear()

    def _judge(self) -> None:
        """The verdicts on all pieces that are not settled yet."""
        marginals = Marginals.over(self.filter.all)
        for item in marginals.actors.keys() | marginals.codes.keys():
            entry = self.entries.get(item)
            if entry is not None:
                entry.verdict = judge_item(item, entry.piece.act, marginals, entry.proved, self.players)

    def hear(self, item: int, by: str, decibans: int) -> None:
        """Somebody says, or an arm shows, that `by` made this piece; `decibans`: what it costs that it was another.

        Where it is settled already the word alone counts.
        """
        entry = self.entries.get(item)
        if entry is None:
            return
        if self.filter.hear(item, {player: decibans for player in self.players if player != by}):
            self._judge()
        else:
            entry.verdict = replace(entry.verdict, by=by, maybe=())

    def end(self) -> tuple[str, str | None] | None:
        """How the round has ended (and who went out), where that is as sure as a name has to be."""
        over, share = self.filter.end()
        return over if share >= NAMED else None

    def question(self) -> Question | None:
        """What is worth asking now, once a round: whom people name goes to `hear`."""
        if self.asked is None:
            last = self.number - len(self.players)
            ripe = [item for item, entry in self.entries.items() if last - len(self.players) < entry.number <= last]
            self.asked = question(self.verdicts(), ripe)
            return self.asked
        return None

    def verdicts(self) -> list[Verdict]:
        """Every piece on record in the order of coming."""
        found = [replace(one.verdict, taken_back=one.taken_back) for one in self.entries.values()]
        return [*found, *self.moved]


def _turned_back(act: Action) -> Action | None:
    if isinstance(act, Mark):
        return Unmark(act.player)
    return Mark(act.player) if isinstance(act, Unmark) else None


__all__: Sequence[str] = ("RoundTracker",)
