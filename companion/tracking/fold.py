"""One round's changes folded into a belief, the tiles as they lie and a verdict on every piece.

Nothing is ever mended in place: what changes an earlier step goes back to a checkpoint before it and runs again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

from companion.play.event_actions import lifted
from companion.play.misfits import misfits, misfits_in_line
from companion.rules.actions import Action, Draw, End, Mark, Pass, Play, Unmark
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.evidence import Doubtful, Evidence, Piece
from companion.tracking.explain import State
from companion.tracking.filter import Checkpoint, TableFilter
from companion.tracking.verdict import Charge, Marginals, Verdict, judge_item

MOST_MOVED = 2
"""So many laid tiles may have been moved from one still table to the next; where more are gone they were not seen."""

MOST_MISFITS = 2
"""Where more tiles of one change do not fit, the picture was misread or some lay out of sight: nobody errs so often."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A piece on record: its last verdict, what one picture proves of it, and the step it came with."""

    piece: Piece
    number: int
    verdict: Verdict
    proved: tuple[str, ...] = ()
    taken_back: bool = False


@dataclass(frozen=True, slots=True)
class FoldState:
    """All that a fold knows before one step, to come back to."""

    belief: Checkpoint
    table: Position | LinePosition
    entries: dict[int, Entry]
    moved: tuple[Verdict, ...]
    unclear: tuple[str, ...]


class RoundFold:
    """The belief about one round after the steps that it was given.

    `entries`: item -> what is on record; `moved`: tiles that somebody moved; `unclear`: what could not be understood.
    """

    def __init__(self, rules: RuleSet, table: Position | LinePosition, begun: State) -> None:
        self.rules = rules
        self.table = table
        self.players = table.players
        self.filter = TableFilter((begun,), lag=4 * len(self.players))
        self.entries: dict[int, Entry] = {}
        self.moved: list[Verdict] = []
        self.unclear: list[str] = []

    def state(self) -> FoldState:
        entries, moved, unclear = dict(self.entries), tuple(self.moved), tuple(self.unclear)
        return FoldState(self.filter.checkpoint(), self.table, entries, moved, unclear)

    def restore(self, kept: FoldState) -> None:
        self.filter.restore(kept.belief)
        self.table, self.entries = kept.table, dict(kept.entries)
        self.moved, self.unclear = list(kept.moved), list(kept.unclear)

    def step(self, evidence: Evidence) -> None:
        """Take the next change of the table."""
        if evidence.gone:
            evidence = self._take_back(evidence)
        if evidence.pieces:
            for piece in evidence.pieces:
                if piece.denied is None:
                    self._keep(piece, evidence)
            # Of several tiles of one change each may lie on one that was hardly read.
            evidence = replace(evidence, doubtful_tiles=self._doubtful())
            kept = (self.entries.get(piece.item) for piece in evidence.laid)
            if sum(bool(entry.proved) for entry in kept if entry is not None) > MOST_MISFITS:
                evidence = replace(evidence, clouded=True)
            self.filter.advance(evidence)
        self._judge()

    def _doubtful(self) -> dict[tuple[Laid, str], Doubtful]:
        """The tiles that only people have seen, or that were not surely read, and what it costs that others lie
        there."""
        found = {}
        for entry in self.entries.values():
            act, piece = entry.piece.act, entry.piece
            if isinstance(act, Play) and not entry.taken_back and not piece.is_sure:
                found[act.tile, act.train] = Doubtful(piece.cost_of_another, piece.item)
        return found

    def _keep(self, piece: Piece, evidence: Evidence) -> None:
        proved: tuple[str, ...] = ()
        if isinstance(piece.act, Play):
            # A tile that lies beside another need not have been laid at it where some are buried.
            proved = () if evidence.adopted else self._proved(piece.act)
            self._lay(piece.act)
        known = self.entries.get(piece.item)
        if known is None:
            by = piece.by if isinstance(piece.act, (End, Pass)) else None
            self.entries[piece.item] = Entry(piece, evidence.number, Verdict(piece.item, piece.act, by, 0.0), proved)

    def _proved(self, play: Play) -> tuple[str, ...]:
        """What is wrong with the tile by what was read of it and by what is believed: one alone proves nothing."""
        read = self._misfits(self.table, play)
        believed = self._believed() if read else self.table
        if believed is self.table:
            return read
        return tuple(code for code in read if code in self._misfits(believed, play))

    def _misfits(self, table: Position | LinePosition, play: Play) -> tuple[str, ...]:
        if isinstance(table, LinePosition):
            return misfits_in_line(self.rules, table, play)
        return misfits(self.rules, table, table.trains.get(play.train, ()), play)

    def _believed(self) -> Position | LinePosition:
        """The tiles as they most likely lie; `table` itself where that is as they were read."""
        others = {}
        for entry in self.entries.values():
            read, lies = entry.piece.act, entry.verdict.act
            if isinstance(read, Play) and isinstance(lies, Play) and read != lies and not entry.taken_back:
                others[read.tile, read.train] = lies.tile
        if not others:
            return self.table
        if isinstance(self.table, LinePosition):
            in_line = {read: lies for (read, _), lies in others.items()}
            return replace(self.table, line=tuple(in_line.get(tile, tile) for tile in self.table.line))
        trains = {
            train: tuple(others.get((tile, train), tile) for tile in chain)
            for train, chain in self.table.trains.items()
        }
        return replace(self.table, trains=trains)

    def _lay(self, play: Play) -> None:
        if isinstance(self.table, LinePosition):
            line = self.table.line
            row = (play.tile, *line) if play.train == "L" else (*line, play.tile)
            self.table = replace(self.table, line=row)
        else:
            chain = (*self.table.trains.get(play.train, ()), play.tile)
            self.table = replace(self.table, trains={**self.table.trains, play.train: chain})

    def fork(self) -> RoundFold:
        """The same belief, to be tried further."""
        other = copy(self)
        other.filter, other.entries = self.filter.fork(), dict(self.entries)
        other.moved, other.unclear = list(self.moved), list(self.unclear)
        return other

    # ---- tiles that are gone -----------------------------------------------------------------------------------

    def last_laid(self, gone: Sequence[tuple[Laid, str]]) -> list[Entry] | None:
        """The entries of the vanished tiles, where they are just the last tiles laid; else None."""
        standing = [one for one in self.entries.values() if isinstance(one.piece.act, Play) and not one.taken_back]
        last = standing[-len(gone) :] if gone else []
        acts = (one.piece.act for one in last)
        lying = Counter((act.tile.tile, act.train) for act in acts if isinstance(act, Play))
        return last if lying == Counter((laid.tile, train) for laid, train in gone) else None

    def _take_back(self, evidence: Evidence) -> Evidence:
        """Vanished tiles: the last ones laid were taken back; another one was moved, which nobody may."""
        last = self.last_laid(evidence.gone)
        if last is None:
            return self._moved(evidence)
        for entry in last:
            self._set_aside(entry.piece.item)
            act = entry.piece.act
            assert isinstance(act, Play)
            self.table = lifted(self.table, act.train, act.tile)
        steps = self.filter.rewind(min(one.number for one in last))
        if steps is None:
            # Settled long ago: the belief has to begin anew with the table as it lies.
            self._begin_anew()
            return replace(evidence, gone=())
        back = list(evidence.pieces)
        returned = evidence.returned
        items = {one.piece.item for one in last}
        again: list[Evidence] = []
        for step in reversed(steps):
            kept: list[Piece] = []
            for piece in reversed(step.pieces):
                turned = next((one for one in back if one.act == _turned_back(piece.act)), None)
                if piece.item in items:
                    continue
                if turned is not None:
                    back.remove(turned)
                    self._set_aside(piece.item)
                elif returned and isinstance(piece.act, Draw):
                    returned -= 1
                    self._set_aside(piece.item)
                else:
                    kept.insert(0, piece)
            again.insert(0, replace(step, pieces=tuple(kept), gone=()))
        for step in again:
            if step.pieces:
                self.filter.advance(step)
        return replace(evidence, gone=(), pieces=tuple(back))

    def _set_aside(self, item: int) -> None:
        if item in self.entries:
            self.entries[item] = replace(self.entries[item], taken_back=True)

    def _moved(self, evidence: Evidence) -> Evidence:
        doubtful = evidence.clouded or len(evidence.gone) > MOST_MOVED or any(map(self._hardly_read, evidence.gone))
        if doubtful:
            self.unclear.append("several_stories")
            return replace(evidence, gone=(), clouded=True)
        for laid, train in evidence.gone:
            entry = self._entry_of(laid, train)
            if entry is not None:
                self._set_aside(entry.piece.item)
            self.table = lifted(self.table, train, laid)
            charge = Charge(str(V.TILE_MOVED), None, True, 1.0)
            self.moved.append(Verdict(-1, Play(laid, train), None, 0.0, (), (charge,)))
        self._begin_anew()
        return replace(evidence, gone=())

    def _entry_of(self, laid: Laid, train: str) -> Entry | None:
        for entry in reversed(self.entries.values()):
            act = entry.piece.act
            if isinstance(act, Play) and (act.tile.tile, act.train) == (laid.tile, train) and not entry.taken_back:
                return entry
        return None

    def _hardly_read(self, gone: tuple[Laid, str]) -> bool:
        entry = self._entry_of(*gone)
        if entry is None:
            return False
        return not entry.piece.is_sure

    def _begin_anew(self) -> None:
        """Every hypothesis with the tiles as they lie now; what is settled stays so."""
        self._judge()
        table = self._believed()
        self.filter.put_on(lambda state: state.on_table(table))

    # ---- verdicts ----------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        """The verdicts on all pieces that are not settled yet."""
        marginals = Marginals.over(self.filter.all)
        pieces = [entry.piece for entry in self.entries.values() if not entry.taken_back]
        arms = {piece.item: piece.actors for piece in pieces if piece.actors}
        for item in marginals.actors.keys() | marginals.codes.keys():
            entry = self.entries.get(item)
            if entry is not None:
                verdict = judge_item(item, entry.piece.act, marginals, entry.proved, self.players, pieces, arms)
                self.entries[item] = Entry(entry.piece, entry.number, verdict, entry.proved, entry.taken_back)

    def verdicts(self) -> list[Verdict]:
        """Every piece on record in the order of coming."""
        entries = self.entries.values()
        found = [replace(one.verdict, taken_back=True) if one.taken_back else one.verdict for one in entries]
        return [*found, *self.moved]


def _turned_back(act: Action) -> Action | None:
    if isinstance(act, Mark):
        return Unmark(act.player)
    return Mark(act.player) if isinstance(act, Unmark) else None
