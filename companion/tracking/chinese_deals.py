"""A deal of a Chinese connecting game as one hypothesis has it, and every way in which it may go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import ClassVar, Self

from companion.rules.chinese import apply, judge_turn
from companion.rules.position import LEFT, RIGHT, Action, Discard, End, LinePosition, Play, Position, ruled, without
from companion.rules.referee import Referee
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.costs import COST, OF_VALUES, Cause, fault
from companion.tracking.evidence import Below, Move, Piece, Pieces, Rest, Step, told_by


class LineState:
    """The line in the middle of a turn, treated as a value.

    >>> from companion.rules import Board, Laid, load_ruleset
    >>> from companion.rules.position import Play
    >>> from companion.tracking.evidence import Evidence
    >>> state = LineState(load_ruleset("jielong"), Board("jielong").position)
    >>> pieces = Pieces.of(Evidence(0, (Piece(0, Play(Laid(2, 5), "R")),)))
    >>> [(move.step.player, move.step.codes) for move in state.moves(pieces, pieces.start, faults=False)]
    [('Ann', ())]
    """

    errors: ClassVar[bool] = True
    """Whether the camera may have erred."""

    __slots__ = (
        "another", "anyone", "between", "done", "last", "resume", "rules", "table", "tail", "unknown", "unseen",
    )  # fmt: skip

    def __init__(self, rules: RuleSet, table: LinePosition, *, anyone: bool = False) -> None:
        self.rules = rules
        self.table = table
        self.done = 0
        """Tiles laid or put away in this turn."""
        self.anyone = anyone
        self.resume: str | None = None
        self.last: str | None = None
        self.tail: int | None = None
        self.unseen: tuple[str, ...] = ()
        """Players who have put a tile away that no picture shows yet, once for each tile."""
        self.between = False
        """The turn began in the middle of the change that is being explained."""
        self.another: frozenset[str] = frozenset()
        """Ends with another tile than was read, which is known."""
        self.unknown: frozenset[str] = frozenset()
        """Ends with an unknown tile, because much happened there unseen."""

    def copy(self) -> Self:
        other = type(self).__new__(type(self))
        other.another = self.another
        other.anyone = self.anyone
        other.between = self.between
        other.done = self.done
        other.last = self.last
        other.resume = self.resume
        other.rules = self.rules
        other.table = self.table
        other.tail = self.tail
        other.unknown = self.unknown
        other.unseen = self.unseen
        return other

    @property
    def players(self) -> tuple[str, ...]:
        return self.table.players

    @property
    def mover(self) -> str:
        return self.table.turn

    @property
    def lap(self) -> bool:
        return False

    @property
    def sign(self) -> tuple[object, ...]:
        table = self.table
        ends = (table.line[:1], table.line[-1:])
        hands, away = tuple(table.hands.items()), tuple(sorted(table.discards.items()))
        late = self.unseen, self.between, self.another, self.unknown
        return table.turn, self.done, self.anyone, self.resume, hands, away, ends, late

    @property
    def counts(self) -> tuple[int | None, ...]:
        """None that hypotheses of one `sign` could differ in."""
        return ()

    def counted(self, more: Sequence[int]) -> LineState:
        return self

    @property
    def overdue(self) -> int:
        """The cost of one more picture that does not show the tiles put away."""
        return COST[Cause.DISCARD_UNSEEN_AGAIN] * len(self.unseen)

    @property
    def pending(self) -> int:
        return 0

    @property
    def over(self) -> tuple[str, str | None] | None:
        """Whether all tiles are laid or put away."""
        return Referee(self.rules).over(self.table)

    def at_least(self, pieces: Pieces, rest: Rest) -> int:
        """A lower bound on the cost of the rest: every further tile is another turn, or one too many."""
        left = sum(len(row) - done for (_, row), done in zip(pieces.trains, rest.tiles, strict=True))
        more = left - (not self.done)
        return COST[Cause.ANOTHER_IN_BETWEEN] * max(0, more - 1)

    def at_rest(self) -> Self:
        """The same state between two changes of the table."""
        if not self.between:
            return self
        other = self.copy()
        other.between = False
        return other

    def moves(self, pieces: Pieces, rest: Rest, *, faults: bool, within: float = inf) -> Iterator[Move]:
        """Every way on, while `rest` is not all explained; with `faults` also those that break a rule."""
        if self.anyone and not self.done:
            for player in self.players:
                begun = self._begun(player)
                begun.anyone = False
                cost = COST[Cause.ANYBODY]
                yield Move(cost, begun, rest, Step(player, None, None, (), (Cause.ANYBODY,), cost))
            return
        me = self.table.turn
        for n, (_, row) in enumerate(pieces.trains):
            if rest.tiles[n] < len(row):
                piece = row[rest.tiles[n]]
                after = rest._replace(tiles=(*rest.tiles[:n], rest.tiles[n] + 1, *rest.tiles[n + 1 :]))
                doubt, below = self._doubt(piece, pieces)
                against, wrong = piece.against(me)
                told = told_by(row, rest.tiles[n])
                for act, cost, state, codes, causes in self._laid(piece, faults, doubt, told):
                    cost += against
                    step = Step(
                        me, act, piece.item, codes, (*causes, *wrong), cost, below if Cause.MISREAD in causes else None
                    )
                    yield Move(cost, state, after, step)
        for n, (player, row) in enumerate(pieces.discards):
            if rest.discards[n] == len(row):
                continue
            piece = row[rest.discards[n]]
            after = rest._replace(discards=(*rest.discards[:n], rest.discards[n] + 1, *rest.discards[n + 1 :]))
            shown = isinstance(piece.act, Discard) and piece.act.face_up
            for late in self._late(player) if faults or not shown else ():
                wrong, codes = ((Cause.RARELY_ILLEGAL,), (str(V.DISCARD_FACE_UP),)) if shown else ((), ())
                cost = sum(COST[one] for one in wrong)
                step = Step(late, piece.act, piece.item, codes, wrong, cost)
                yield Move(cost, self._seen_late(late), after, step)
            if self.errors and shown and piece.doubt is None and not self.done:
                cost = COST[Cause.LIES_OPEN]
                yield Move(cost, self, after, Step(me, None, piece.item, (), (Cause.LIES_OPEN,), cost))
            if player in (me, ""):
                for cost, state, codes, causes in self._with(ruled(piece.act), piece.item, faults):
                    yield Move(cost, state, after, Step(me, piece.act, piece.item, codes, causes, cost))
        yield from self._ends(pieces, rest, faults)
        if faults and not self.done:
            for player in self.players:
                if player not in (me, self.last):
                    begun = self._begun(player)
                    begun.resume = self.resume or me
                    cost = COST[Cause.ILLEGAL]
                    step = Step(player, None, None, (str(V.OUT_OF_TURN),), (Cause.ILLEGAL,), cost)
                    yield Move(cost, begun, rest, step)

    def _laid(
        self, piece: Piece, faults: bool, doubt: tuple[int, int], told: int | None
    ) -> Iterator[tuple[Action, int, LineState, tuple[str, ...], tuple[Cause, ...]]]:
        """The tile as read, laid by the player of the turn; or one of the others that it may be, where that fits
        the end and what is `told` by the next one."""
        act = piece.act
        assert isinstance(act, Play)
        read = list(self._with(act, piece.item, faults, doubt))
        on_another = (Cause.ON_ANOTHER_TILE,) if act.train in self.another else ()
        # The first tile is both ends.
        ends = {act.train} if self.table.line else {LEFT, RIGHT}
        for cost, state, codes, causes in read:
            state.another = self.another - {act.train}
            cost += 0 if Cause.MISREAD in causes else piece.as_taken
            yield act, cost, state, codes, (*causes, *on_another)
        if any(not codes and not causes for _, _, codes, causes in read) and piece.is_sure:
            return
        line = self.table.line
        due = None if not line else line[0].inner if act.train == LEFT else line[-1].outer
        for cost, tile in piece.fitting(due, told):
            other = Play(tile, act.train)
            for more, state, codes, causes in self._with(other, piece.item, faults):
                if not OF_VALUES.intersection(codes) and Cause.MISREAD not in causes:
                    state.another = self.another | ends
                    yield other, cost + more, state, codes, (piece.instead(tile), *causes)

    def _with(
        self, act: Action, item: int, faults: bool, doubts: tuple[int, int] = (99, 99)
    ) -> Iterator[tuple[int, LineState, tuple[str, ...], tuple[Cause, ...]]]:
        codes = set(judge_turn(self.rules, self.table, (act,)).codes)
        doubt = doubts[OF_VALUES.intersection(codes) != {V.MISMATCH}]
        if self.done:
            codes.add(V.EXTRA_TILE)
        other = self.copy()
        other.table = apply(self.table, act)
        other.done += 1
        other.tail = item
        if isinstance(act, Play) and act.train in self.unknown:
            other.unknown = self.unknown - {act.train}
            doubt = 0
        if not codes:
            yield 0, other, (), ()
            return
        rest = codes - OF_VALUES
        if self.errors and rest != codes and not rest and (faults or doubt < COST[Cause.ILLEGAL]):
            yield doubt, other._doubting(act), (), (Cause.MISREAD,)
        if faults:
            causes = (fault(codes), *(Cause.ALSO_ILLEGAL for _ in range(len(codes) - 1)))
            yield sum(COST[one] for one in causes), other, tuple(sorted(map(str, codes))), causes

    def _doubting(self, act: Action) -> LineState:
        """The same state if the tile just laid shows other values than were read."""
        if not isinstance(act, Play):
            return self
        other = self.copy()
        other.unknown = self.unknown | {act.train}
        return other

    def _doubt(self, piece: Piece, pieces: Pieces) -> tuple[tuple[int, int], Below | None]:
        """The cost of the halves that meet showing other values, and that of any half; and the tile it lies at where
        that one is likelier to be another."""
        assert isinstance(piece.act, Play)
        cost, either = piece.cost_at(0 if piece.act.train == RIGHT else 1), piece.cost_of_another
        if pieces.evidence.guessed:
            cost = min(cost, COST[Cause.DOUBTFUL_NEIGHBOUR])
        if pieces.evidence.doubtful_tiles and self.table.line:
            end = self.table.line[0 if piece.act.train == LEFT else -1]
            doubts = [doubtful for play, doubtful in pieces.evidence.doubtful_tiles.items() if play.tile == end]
            below = min(doubts, default=None)
            if below is not None and below.cost < cost:
                new, left = piece.act.tile, piece.act.train == LEFT
                told = Laid(new.outer, end.outer) if left else Laid(end.inner, new.inner)
                return (below.cost, min(below.cost, either)), below.told(told)
        return (cost, min(cost, either)), None

    def _ends(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        me = self.table.turn
        rest = pieces.ended(rest, me, bool(self.done)) or rest
        if self.done or self.table.hands.get(me) == 0:
            yield from self._over(self.table, pieces, rest, (), ())
            return
        if self.table.line:
            away = apply(self.table, Discard())
            yield from self._put_away(me)._over(away, pieces, rest, (), (Cause.MISSED_DISCARD,))
        if faults:
            codes = (str(V.PASS_WITHOUT_DISCARD),)
            yield from self._over(self.table, pieces, rest, codes, (Cause.ILLEGAL,))

    def _over(
        self, table: LinePosition, pieces: Pieces, rest: Rest, codes: tuple[str, ...], causes: tuple[Cause, ...]
    ) -> Iterator[Move]:
        """The end of the turn, after which the deal stands at `table`."""
        me = self.table.turn
        begun = any(rest.tiles) or any(rest.discards)
        if begun:
            causes = (*causes, Cause.ANOTHER_IN_BETWEEN if self.between else Cause.TURN_IN_BETWEEN)
        cost = sum(COST[one] for one in causes)
        after = table.after(me)
        for _ in self.players:
            if table.hands.get(after) != 0:
                break
            after = table.after(after)
        following = [after]
        if self.resume is not None and self.resume != after:
            following.insert(0, self.resume)
        for who in following:
            other = self._begun(who, table)
            other.last = me
            other.between = begun
            yield Move(cost, other, rest, Step(me, End(), self.tail, codes, causes, cost))

    def _late(self, player: str) -> tuple[str, ...]:
        """The players whose earlier discard this may be: `player`, or anybody where no places are known."""
        return tuple(dict.fromkeys(one for one in self.unseen if player in (one, "")))

    def _put_away(self, player: str) -> Self:
        other = self.copy()
        other.unseen = tuple(sorted((*self.unseen, player)))
        return other

    def _seen_late(self, player: str) -> Self:
        other = self.copy()
        at = self.unseen.index(player)
        other.unseen = (*self.unseen[:at], *self.unseen[at + 1 :])
        return other

    def _begun(self, player: str, table: LinePosition | None = None) -> Self:
        """`player` has the turn, at this `table`; nothing is done in it yet."""
        other = self.copy()
        other.table = replace(table or self.table, turn=player)
        other.done = 0
        other.resume = None
        other.tail = None
        return other

    def without(self, player: str) -> Self:
        """The same where this player has left the deal, in the middle of a turn too."""
        table = without(self.table, player)
        other = self._begun(table.after(player), table) if self.table.turn == player else self.copy()
        other.table = replace(other.table, hands=table.hands, gone=table.gone)
        other.resume = None if self.resume == player else self.resume
        return other

    def on_table(self, table: Position | LinePosition) -> LineState:
        """The same state of the deal with these tiles in the line."""
        assert isinstance(table, LinePosition)
        other = self.copy()
        other.table = replace(self.table, line=table.line)
        other.another = frozenset()
        return other

    def after_outlier(self, pieces: Pieces, *, unknown: bool) -> LineState:
        """The line as it lies after the change, whoever made it; anybody may be next. `unknown` as in a round."""
        table = self.table
        for piece in pieces.evidence.pieces:
            if isinstance(piece.act, Play):
                table = apply(replace(table, hands={}), piece.act)
            elif isinstance(piece.act, Discard) and piece.by is not None:
                table = apply(replace(table, hands={}, turn=piece.by), piece.act)
        other = self.copy()
        other.table = replace(table, hands={})
        other.done = 0
        other.anyone = True
        other.resume = other.last = other.tail = None
        other.another = frozenset()
        other.unseen = ()
        laid = {piece.act.train for piece in pieces.evidence.pieces if isinstance(piece.act, Play)}
        if unknown:
            other.unknown |= laid if self.table.line or not laid else {LEFT, RIGHT}
        return other
