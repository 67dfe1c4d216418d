"""One round's changes folded into a belief, the tiles as they lie and a verdict on every piece.

Nothing is ever mended in place: what changes an earlier step goes back to a checkpoint before it and runs again.

One round from evidence to verdicts: the changes of the table and what people say of them, whenever they say it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import methodcaller
from typing import NamedTuple

from companion.log.event_fields import Confidence
from companion.rules.notation import Vanishing
from companion.rules.position import (
    LEFT,
    Discard,
    Draw,
    End,
    Flip,
    Leave,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    TableAct,
    Unmark,
    lifted,
    without,
)
from companion.rules.referee import misfits
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation as V
from companion.tracking.chinese_deals import LineState
from companion.tracking.costs import COST, NAMED, Cause
from companion.tracking.evidence import ITEMS, Doubtful, Evidence, Piece
from companion.tracking.filter import HypothesisState, TableFilter, copied, uncollected
from companion.tracking.mexican_rounds import starting
from companion.tracking.verdict import (
    NO_STATEMENT,
    Charge,
    Marginals,
    NameInDoubt,
    Statement,
    Verdict,
    entered,
    judge_item,
    question,
    with_statements,
)

MOST_MOVED = 2
"""At most this many laid tiles are moved from one still table to the next; where more are gone, they were not seen."""

MOST_MISFITS = 2
"""Where more tiles of one change do not fit, the picture was misread or some lay out of sight: nobody errs so often."""


@dataclass(frozen=True, slots=True)
class PieceRecord:
    """A piece on record."""

    piece: Piece
    number: int
    """The step that it came with."""
    verdict: Verdict
    """The last one."""
    proved: tuple[str, ...] = ()
    """The codes that one picture proves of it."""
    taken_back: bool = False


class RoundFold:
    """The belief about one round after the steps that it was given.

    >>> from companion.rules import Board, Laid, load_ruleset
    >>> rules, table = load_ruleset("reeves"), Board("reeves").position
    >>> fold = RoundFold(rules, table, starting(rules, table, "Ann"))
    >>> fold.step(Evidence(0, (Piece(0, Play(Laid(12, 5), "Ann")),)))
    >>> [one.by for one in fold.verdicts()]
    ['Ann']
    """

    def __init__(self, rules: RuleSet, table: Position | LinePosition, begun: HypothesisState) -> None:
        self.rules = rules
        self.table = table
        self.players = table.players
        self.filter = TableFilter((begun,), lag=4 * len(self.players))
        self.entries: dict[int, PieceRecord] = {}
        """Item -> its record."""
        self.moved: list[Verdict] = []
        """Tiles that somebody moved."""
        self.unclear: list[str] = []
        """Things that could not be understood."""
        self.judged = self.last = -1
        """The last steps that the verdicts know of and that the belief has taken."""

    def step(self, evidence: Evidence) -> None:
        """Take the next change of the table."""
        self._judge_settling(evidence)
        left = [piece for piece in evidence.pieces if isinstance(piece.act, Leave)]
        for player in (piece.stated_player for piece in left if piece.stated_player is not None):
            self.filter.put_on(methodcaller("without", player))
            self.table = without(self.table, player)
        if left:
            evidence = replace(evidence, pieces=tuple(piece for piece in evidence.pieces if piece not in left))
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
        self.last = evidence.number

    def rest(self) -> None:
        """The round is over: the likeliest hypothesis alone is kept, and all verdicts."""
        self.judge()
        self.filter.settle()

    def _doubtful(self) -> dict[Play, Doubtful]:
        """The tiles that only people have seen, or that were not surely read, and what it costs that others lie
        there."""
        found = {}
        line = isinstance(self.table, LinePosition)
        for n, entry in enumerate(self.entries.values()):
            act, piece, first = entry.piece.act, entry.piece, line and not n
            if isinstance(act, Play) and not entry.taken_back and not piece.is_sure:
                # Both halves of a line's first tile are open.
                cost = piece.cost_of_another if first else piece.cost_at(0 if act.train == LEFT else 1)
                found[act] = Doubtful(cost, piece.item, frozenset(other.tile for other in piece.others))
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
            self.entries[piece.item] = PieceRecord(
                piece, evidence.number, Verdict(piece.item, piece.act, by, 0.0), proved
            )

    def _proved(self, play: Play) -> tuple[str, ...]:
        """Codes that both the reading of the tile and the belief find: one alone proves nothing."""
        read = misfits(self.rules, self.table, play)
        believed = self._believed() if read else self.table
        if believed is self.table:
            return read
        return tuple(code for code in read if code in misfits(self.rules, believed, play))

    def _believed(self) -> Position | LinePosition:
        """The tiles as they most likely lie; `table` itself where that is as they were read."""
        self.judge()
        others = {}
        for entry in self.entries.values():
            read, lies = entry.piece.act, entry.verdict.act
            if isinstance(read, Play) and isinstance(lies, Play) and read != lies and not entry.taken_back:
                others[read] = lies.tile
        if not others:
            return self.table
        if isinstance(self.table, LinePosition):
            in_line = {read.tile: lies for read, lies in others.items()}
            return replace(self.table, line=tuple(in_line.get(tile, tile) for tile in self.table.line))
        trains = {
            train: tuple(others.get(Play(tile, train), tile) for tile in chain)
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
        other = copied(self)
        other.filter = copied(self.filter)
        return other

    # ---- tiles that are gone -----------------------------------------------------------------------------------

    def last_laid(self, gone: Sequence[Vanishing]) -> list[PieceRecord] | None:
        """The entries of the vanished tiles, where they are just the last tiles laid; else None."""
        standing = [one for one in self.entries.values() if isinstance(one.piece.act, Play) and not one.taken_back]
        last = standing[-len(gone) :] if gone else []
        acts = (one.piece.act for one in last)
        lying = Counter((act.tile.tile, act.train) for act in acts if isinstance(act, Play))
        return last if lying == Counter((one.tile.tile, one.train) for one in gone) else None

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
        for gone in evidence.gone:
            entry = self._entry_of(gone)
            if entry is not None:
                self._set_aside(entry.piece.item)
            self.table = lifted(self.table, gone.train, gone.tile)
            charge = Charge(str(V.TILE_MOVED), None, True, 1.0)
            self.moved.append(Verdict(-1, Play(gone.tile, gone.train), None, 0.0, (), (charge,)))
        self._begin_anew()
        return replace(evidence, gone=())

    def _entry_of(self, gone: Vanishing) -> PieceRecord | None:
        for entry in reversed(self.entries.values()):
            act = entry.piece.act
            if (
                isinstance(act, Play)
                and (act.tile.tile, act.train) == (gone.tile.tile, gone.train)
                and not entry.taken_back
            ):
                return entry
        return None

    def _hardly_read(self, gone: Vanishing) -> bool:
        entry = self._entry_of(gone)
        return entry is not None and not entry.piece.is_sure

    def _begin_anew(self) -> None:
        """Every hypothesis with the tiles as they lie now; what is settled stays so."""
        self._judge(Marginals.over(self.filter.all))
        table = self._believed()
        self.filter.put_on(lambda state: state.on_table(table))

    # ---- verdicts ----------------------------------------------------------------------------------------------

    def judge(self) -> None:
        """Bring the verdicts up to what the belief has taken."""
        if self.judged != self.last:
            self._judge(Marginals.over(self.filter.all))
            self.judged = self.last

    def _judge_settling(self, evidence: Evidence) -> None:
        """Bring those verdicts up to it that the belief forgets with the next change, or with what is taken back."""
        steps = self.filter.snapshots
        if not steps or evidence.gone or any(isinstance(piece.act, Leave) for piece in evidence.pieces):
            self.judge()
        elif self.judged != self.last:
            self._judge(Marginals.over(self.filter.all, before=steps[0].evidence.number * ITEMS))

    def _judge(self, marginals: Marginals) -> None:
        pieces = [one.piece for one in self.entries.values() if not one.taken_back and one.number <= self.last]
        arms = {piece.item: piece.actors for piece in pieces if piece.actors}
        for item in marginals.actors.keys() | marginals.codes.keys():
            entry = self.entries.get(item)
            if entry is not None:
                verdict = judge_item(item, entry.piece.act, marginals, entry.proved, self.players, pieces, arms)
                self.entries[item] = PieceRecord(entry.piece, entry.number, verdict, entry.proved, entry.taken_back)

    def verdicts(self) -> list[Verdict]:
        """Every piece on record in the order of coming."""
        self.judge()
        entries = self.entries.values()
        found = [replace(one.verdict, taken_back=True) if one.taken_back else one.verdict for one in entries]
        return [*found, *self.moved]


def _turned_back(act: TableAct) -> TableAct | None:
    if isinstance(act, Mark):
        return Unmark(act.player)
    return Mark(act.player) if isinstance(act, Unmark) else None


LATELY = 3
"""A marker or a tile that is in the box twice, entered by hand, is the one that a picture shows so many steps later at
most."""


ENTERED = 500
"""Pieces of a change from here on are what people have put in beside what it shows."""


class Touch(NamedTuple):
    """A statement about a piece that contradicts a picture: tiles or markers of a train lie otherwise."""

    item: int
    step: int
    train: str
    until: int
    """How many steps there were when it was said."""


class Untouched(NamedTuple):
    """Whether nobody has touched the train of a piece, and the round up to a lap after it."""

    train: bool
    round: bool


class RoundTracker:
    """Feeds the evidence of one round to the belief and keeps a verdict on every piece.

    `starter_known` False: anybody may begin. A statement about an earlier piece (`name_player`, `put_right`,
    `withdraw`, `restore`) re-runs the belief from there.

    >>> from companion.log.events import TableChange
    >>> from companion.rules import Board, Laid, load_ruleset
    >>> from companion.rules.position import Play
    >>> tracker = RoundTracker(load_ruleset("reeves"), Board("reeves").position, "Ann")
    >>> for tile, train in ((Laid(12, 5), "Ann"), (Laid(12, 4), "Ben"), (Laid(3, 6), "Cy")):
    ...     _ = tracker.observe(Evidence.of(tracker.number, TableChange((Play(tile, train),))))
    >>> [(one.by, [charge.code for charge in one.charges]) for one in tracker.verdicts()]
    [('Ann', []), ('Ben', []), (None, ['WRONG_ROOT', 'CLOSED_TRAIN'])]
    >>> tracker.verdicts()[2].charges[0].proved
    True
    """

    def __init__(
        self,
        rules: RuleSet,
        table: Position | LinePosition,
        starter: str,
        *,
        starter_known: bool = True,
    ) -> None:
        self.rules = rules
        self.players = table.players
        self._begun: HypothesisState
        if isinstance(table, LinePosition):
            self._begun = LineState(rules, table, anyone=not starter_known)
        else:
            self._begun = starting(rules, table, starter, anyone=not starter_known)
        self._start = table
        self.log: list[Evidence] = []
        self.statements: dict[int, Statement] = {}
        self.shown: dict[int, Piece] = {}
        self.touched: list[Touch] = []
        self.entered_at: dict[int, int] = {}
        self.number = 0
        self._trusting = FoldedLog(RoundFold(rules, table, self._begun))
        self._blind: FoldedLog | None = None
        self._answers: list[tuple[Evidence, bool]] = []

    @property
    def filter(self) -> TableFilter:
        return self._trusting.fold.filter

    @property
    def table(self) -> Position | LinePosition:
        """The tiles as they lie."""
        return self._trusting.fold.table

    @property
    def unclear(self) -> list[str]:
        return self._trusting.fold.unclear

    @property
    def entries(self) -> Mapping[int, PieceRecord]:
        """Item -> what is on record."""
        self._trusting.fold.judge()
        return self._trusting.fold.entries

    @property
    def standing(self) -> frozenset[int]:
        """The items on record that were not taken back."""
        return frozenset(item for item, entry in self.entries.items() if not entry.taken_back)

    @property
    def read(self) -> dict[int, TableAct]:
        """Item -> the act as it was read."""
        return {item: entry.piece.act for item, entry in self.entries.items()}

    @property
    def moved(self) -> int:
        """How many tiles somebody has moved."""
        return len(self._trusting.fold.moved)

    # ---- what the camera saw -----------------------------------------------------------------------------------

    def observe(self, evidence: Evidence) -> int:
        """Take the next change of the table; its number, which is `evidence.number` where that is still to come."""
        number = max(self.number, evidence.number)
        if evidence.number != number:
            pieces = (replace(one, item=one.item % ITEMS + number * ITEMS) for one in evidence.pieces)
            evidence = replace(evidence, number=number, pieces=tuple(pieces))
        for taken, by_now in evidence.read_since.items():
            self._read_anew(taken, *by_now)
        for piece in evidence.pieces:
            there = self._withdrawn_before(piece)
            if there is not None:
                # It lies there after all, and where it came to lie there has not changed.
                self.shown[piece.item] = there
                self.statements[there.item] = replace(self.statements[there.item], withdrawn=False)
                continue
            earlier = self._entered_already(piece)
            if earlier is not None:
                self.shown[piece.item] = earlier
                self.statements[earlier.item] = replace(self.statements.get(earlier.item, NO_STATEMENT), seen=number)
                self.touched = [one for one in self.touched if one.item != earlier.item]
        self._append(evidence)
        return number

    def _read_anew(self, taken: Play, read: Play, reading: Confidence) -> None:
        """Let the tile that was `taken` for another have been `read` when it came."""
        for n in reversed(range(len(self.log))):
            step = self.log[n]
            if any(piece.act == taken for piece in step.pieces):
                pieces = (replace(one, act=read).read_as(reading) if one.act == taken else one for one in step.pieces)
                self.log[n] = replace(step, pieces=tuple(pieces))
                return

    def _append(self, evidence: Evidence) -> None:
        self.log.append(evidence)
        self.number = evidence.number + 1
        self._run()

    def _entered_already(self, piece: Piece) -> Piece | None:
        """The piece with which somebody has entered this act, if no picture has shown it yet.

        One draw is like another: of those that people had entered before the picture, whoever reports it has taken off
        as many (`observing.unread`), and what is left is new.
        """
        if isinstance(piece.act, (Draw, Discard)):
            return None
        for step in self.log[self._recent(piece) :]:
            for one in step.pieces:
                statement = self.statements.get(one.item, NO_STATEMENT)
                if one.doubt is None or statement.seen is not None or statement.withdrawn:
                    continue
                if (statement.act or one.act) == piece.act and one.by in (None, piece.by):
                    return one
        return None

    def _recent(self, piece: Piece) -> int:
        """The first step whose pieces may be this one: in Mexican Train each tile exists only once."""
        once = isinstance(piece.act, Play) and not isinstance(self._start, LinePosition)
        return 0 if once else max(0, len(self.log) - LATELY)

    def _withdrawn_before(self, piece: Piece) -> Piece | None:
        """The same act, seen before, that somebody has taken off the record since; the last one."""
        if isinstance(piece.act, (Draw, Discard)):
            # One is like the other: what comes now may be new.
            return None
        for step in reversed(self.log[self._recent(piece) :]):
            for one in step.pieces:
                statement = self.statements.get(one.item, NO_STATEMENT)
                seen = one.doubt is None or statement.seen is not None
                if (
                    statement.withdrawn
                    and not statement.lifted
                    and seen
                    and one.act == piece.act
                    and one.by == piece.by
                ):
                    return one
        return None

    # ---- what people say ---------------------------------------------------------------------------------------

    def enter(self, act: TableAct, by: str | None = None, *, before: int | None = None) -> int:
        """Somebody enters what `by` did (`Pass()`: nothing was laid, `End()`: the turn is over); returns its item.

        A picture that shows the same later shows this piece and no other. `before`: it happened before this item, and
        is explained with the change that shows that.
        """
        number = self.number
        if before is None:
            item, step = number * ITEMS, len(self.log)
            self.entered_at[item] = step
            self._touch(item, act, step)
            self._append(Evidence(number, (entered(item, act, by),)))
            return item
        step = self._step_of(before)
        there = self.log[step]
        item = max(there.number * ITEMS + ENTERED, *(piece.item + 1 for piece in there.pieces))
        self.entered_at[item] = len(self.log)
        place = next(n for n, piece in enumerate(there.pieces) if piece.item == before)
        piece = entered(item, act, by)
        for late in self._seen_late(act, step):
            self.shown[late.item] = piece
        self.log[step] = replace(there, pieces=(*there.pieces[:place], piece, *there.pieces[place:]))
        self.number += 1
        self._touch(item, act, step)
        self._run()
        return item

    def _seen_late(self, act: TableAct, step: int) -> list[Piece]:
        """The same move of a marker, if a picture has shown it from this step on: it was seen late."""
        if not isinstance(act, (Mark, Unmark)):
            return []
        pieces = (piece for one in self.log[step:] for piece in one.pieces if piece.doubt is None)
        moves = (one for one in pieces if isinstance(one.act, (Mark, Unmark)) and one.act.player == act.player)
        return [one for one in islice(moves, 1) if one.act == act]

    def name_player(self, item: int, by: str | None) -> None:
        """Somebody says that `by` made this piece. None: nobody does."""
        self._change(item, by=by)

    def put_right(self, item: int, act: TableAct | None) -> None:
        """Somebody says that it was another tile, or on another train; None: nobody does."""
        self._change(item, act=act)

    def withdraw(self, item: int, *, lifted: bool = False) -> None:
        """Somebody says that this did not happen, or that the tile was taken back (`lifted`)."""
        self._change(item, withdrawn=True, lifted=lifted)

    def restore(self, item: int) -> None:
        """It did happen after all."""
        self._change(item, withdrawn=False, lifted=False)

    def _change(self, item: int, **what: object) -> None:
        before = self.statements.get(item, NO_STATEMENT)
        after = replace(before, **what)  # type: ignore[arg-type]
        if after == before:
            return
        step = self._step_of(item)
        if (before.act, before.withdrawn) != (after.act, after.withdrawn):
            piece = self._piece(step, item)
            entered = piece.doubt is not None and after.seen is None
            unsaid = after.withdrawn and entered and not self._looked_since(self.entered_at.get(item, step))
            after = replace(after, unsaid=unsaid)
            if after.unsaid or (after.act is None and not after.withdrawn):
                # Where nobody has looked since, it is as if nothing had been said.
                self.touched = [one for one in self.touched if one.item != item or self._looked_since(one.until)]
            else:
                for act in {before.act, after.act, piece.act} - {None}:
                    self._touch(item, act, step)
        self.statements[item] = after
        self._run()

    def _looked_since(self, step: int) -> bool:
        return any(not one.is_statement for one in self.log[step:])

    def _touch(self, item: int, act: TableAct | None, step: int) -> None:
        """Note that from here on people and pictures may have another table in mind."""
        match act:
            case Play(_, train) | Flip(train):
                self.touched.append(Touch(item, step, train, len(self.log)))
            case Mark(owner) | Unmark(owner):
                self.touched.append(Touch(item, step, owner, len(self.log)))
            case Discard():
                self.touched.append(Touch(item, step, "", len(self.log)))

    def _piece(self, step: int, item: int) -> Piece:
        return next(piece for piece in self.log[step].pieces if piece.item == item)

    def _step_of(self, item: int) -> int:
        """The step that this piece came with; raises KeyError."""
        for n, step in enumerate(self.log):
            if any(piece.item == item for piece in step.pieces):
                return n
        raise KeyError(item)

    def _run(self) -> None:
        self._answers.clear()
        if self._blind is None and (self.statements or self.entered_at):
            # Until now both have taken the same.
            self._blind = self._trusting.fork()
        self._trusting.run(self._believed(blind=False))

    def _believed(self, *, blind: bool) -> list[Evidence]:
        """The steps as they are believed after all that people have said."""
        if self.statements or self.shown or blind:
            return [with_statements(one, self.statements, self.shown, blind=blind) for one in self.log]
        return list(self.log)

    # ---- what may come -----------------------------------------------------------------------------------------

    def fork(self) -> RoundTracker:
        """The same round, to be tried further."""
        other = copied(self)
        other._trusting, other._blind = self._trusting.fork(), self._blind and self._blind.fork()
        return other

    def rest(self) -> None:
        """The round is over: what only another change needs is forgotten."""
        for fold in (self._trusting, self._blind):
            if fold is not None:
                fold.rest()

    def faultless(self, evidence: Evidence) -> bool:
        """Whether this change can have come about without anybody erring, the camera included.

        One change is asked about several times before it is taken; it is explained once.
        """
        known = next((answer for asked, answer in self._answers if asked == evidence), None)
        if known is None:
            known = any(not one.errs for one in self.filter.explanations(evidence))
            self._answers.append((evidence, known))
        return known

    def expected(self, evidence: Evidence) -> bool:
        """The same, whichever of the likely hypotheses is true."""
        likely = [one for one in self.filter.all if one.cost <= COST[Cause.MISSED_DRAW]]
        return all(any(not found.errs for found in self.filter.explanations(evidence, [one])) for one in likely)

    def takes_back(self, gone: Sequence[Vanishing]) -> bool:
        """Whether the vanished tiles are just the last tiles laid."""
        return self._trusting.fold.last_laid(gone) is not None

    # ---- what comes of it --------------------------------------------------------------------------------------

    def end(self) -> tuple[str, str | None] | None:
        """How the round has ended (and who went out), where that is as sure as a name has to be."""
        over, share = self.filter.end()
        return over if share >= NAMED else None

    def question(self) -> NameInDoubt | None:
        """The name worth asking for now; the answer goes to `name_player`."""
        last = len(self.log) - 1 - len(self.players)
        steps = self.log[max(0, last - len(self.players) + 2) : max(0, last + 2)]
        return question(self.verdicts(), [piece.item for step in steps for piece in step.pieces])

    def verdicts(self) -> list[Verdict]:
        """Every piece on record in the order of coming; what people have withdrawn counts as taken back."""
        found = self._trusting.fold.verdicts()
        if self._blind is None:
            return found
        if any(charge.certain for one in found for charge in one.charges):
            self._blind.run(self._believed(blind=True))
            blind = {(one.item, one.act): one for one in self._blind.fold.verdicts()}
            found = [_without_statements(one, blind.get((one.item, one.act)), self._untouched(one)) for one in found]
        return [*found, *self._off_the_record()]

    def _untouched(self, verdict: Verdict) -> Untouched:
        """The parts that people have left as the pictures show them: the train of this piece, and the round up to a lap
        after."""
        if not self.touched:
            return Untouched(True, True)
        trains = {one.train for one in self.touched}
        line = isinstance(self._start, LinePosition)
        train = isinstance(verdict.act, Play) and not line and verdict.act.train not in trains
        step = next((n for n, one in enumerate(self.log) if any(p.item == verdict.item for p in one.pieces)), None)
        before = step is not None and all(one.step > step + len(self.players) for one in self.touched)
        return Untouched(train or before, before)

    def _off_the_record(self) -> list[Verdict]:
        gone = [
            piece
            for step in self.log
            for piece in step.pieces
            if self.statements.get(piece.item, NO_STATEMENT).withdrawn
        ]
        return [Verdict(piece.item, piece.act, None, 0.0, taken_back=True) for piece in gone]


class FoldedLog:
    """The fold of a tracker's log and where it can begin again: before every step of late, and once a lap before.

    >>> from companion.rules import Board, Laid, load_ruleset
    >>> rules, table = load_ruleset("reeves"), Board("reeves").position
    >>> log = FoldedLog(RoundFold(rules, table, starting(rules, table, "Ann")))
    >>> read = [Evidence(n, (Piece(1000 * n, Play(Laid(12, 5 - n), by)),)) for n, by in enumerate(("Ann", "Ben"))]
    >>> log.run(read)
    >>> log.run([read[0], Evidence(1, (Piece(1000, Play(Laid(12, 3), "Ben")),))])
    >>> [one.act.tile.outer for one in log.fold.verdicts()]
    [5, 3]
    """

    def __init__(self, fold: RoundFold) -> None:
        self.fold = fold
        self.taken: list[Evidence] = []
        """The steps as it has taken them."""
        self.kept: dict[int, RoundFold] = {}
        self.rests = False

    def rest(self) -> None:
        """Keep what it has come to; should anything change, all is taken again."""
        self.rests = True
        self.kept = {n: kept for n, kept in self.kept.items() if not n}
        self.fold.rest()

    def fork(self) -> FoldedLog:
        other = copied(self)
        other.fold = self.fold.fork()
        return other

    def run(self, due: list[Evidence]) -> None:
        """Take the steps of the log as they are `due` by now, from the first one on that it has not taken so."""
        same = next((n for n, (one, other) in enumerate(zip(self.taken, due, strict=False)) if one != other), None)
        if self.rests and due != self.taken:
            same, self.rests = 0, False
        if same is not None and self.kept:
            last = max(n for n in self.kept if n <= same)
            self.fold = self.kept[last].fork()
            del self.taken[last:]
            self.kept = {n: kept for n, kept in self.kept.items() if n <= last}
        with uncollected():
            for n in range(len(self.taken), len(due)):
                self.kept[n] = self.fold.fork()
                self.kept.pop(self._stale(n), None)
                self.fold.step(due[n])
        self.taken = due

    def _stale(self, n: int) -> int:
        players = len(self.fold.players)
        old = n - 2 * players
        return old if old % players else -1


def _without_statements(verdict: Verdict, blind: Verdict | None, untouched: Untouched) -> Verdict:
    """The verdict with its certain faults only possible, unless the belief holds them against the same player without
    anybody's statement (`blind`), and people and pictures agree about the table (`untouched`)."""
    if not any(charge.certain for charge in verdict.charges):
        return verdict
    blind_charges = {charge.code: charge for charge in blind.charges if charge.certain} if blind is not None else {}
    charges = []
    for charge in verdict.charges:
        same = blind_charges.get(charge.code)
        if charge.proved:
            # Certain without a name, or with the name on which both agree.
            named = verdict.by is None or (blind is not None and blind.by == verdict.by)
            sure = charge.certain and same is not None and untouched.train and named
            charges.append(replace(charge, certain=sure, by=charge.by if verdict.by is not None else None))
        else:
            agreed = same is not None and same.by == charge.by and blind is not None and blind.by == verdict.by
            charges.append(replace(charge, certain=charge.certain and agreed and untouched.round))
    return replace(verdict, charges=tuple(charges))
