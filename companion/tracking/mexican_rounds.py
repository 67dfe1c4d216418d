"""A round of Mexican Train as one hypothesis has it, and every way in which it may go on: the one successor generator.

Legality is `TurnState`'s, the judge's own, asked act by act. Errors of the camera and acts that nobody could see are
moves like any other, with a cost (costs.py). Nothing here decides who is named or blamed.

The common first lap of Mexican Train, as cz has it: everybody lays the first train at the same time.

The tiles on a train are its owner's, in any order and by several players in one change; turn order begins with the
second lap, at the starter. Source: docs/rules.md 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from typing import ClassVar, NamedTuple, Self

from companion.rules.mexican.turn import TurnState
from companion.rules.position import (
    MEXICAN,
    SECOND_MEXICAN,
    Action,
    End,
    Flip,
    Mark,
    Play,
    Position,
    Unmark,
    ruled,
)
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.costs import COST, OF_VALUES, Cause, fault
from companion.tracking.evidence import Below, Move, Piece, Pieces, Rest, Step, told_by
from companion.tracking.round_state import RoundState, at_least, begun, due_on, endings, misreading, with_hands

_UNMARKED = (Cause.ON_OWN_TRAIN, Cause.ON_MEXICAN_TRAIN)
_MARKED = (Cause.MARKED_ON_OWN_TRAIN, Cause.MARKED_ON_MEXICAN_TRAIN)

_END = End()

MOST_UNDRAWN = 2
"""At most this many draws that no picture has shown yet are waited for."""


class LaidAs(NamedTuple):
    """One way of having laid a tile."""

    act: Play
    cost: int
    state: partial[MexicanState]
    """After it."""
    codes: tuple[str, ...]
    """The rules that it breaks."""
    causes: tuple[Cause, ...]
    """Its assumptions."""
    below: Below | None = None
    """The tile below it, if that counts as misread."""


class MexicanState(RoundState):
    """The same with every way on from it. An ordinary turn is being made, or a long first one in turn order.

    >>> from companion.rules import Board, Laid, load_ruleset
    >>> from companion.tracking.evidence import Evidence
    >>> state = MexicanState(load_ruleset("reeves"), Board("reeves").position, "Ann")
    >>> pieces = Pieces.of(Evidence(0, (Piece(0, Play(Laid(12, 5), "Ann")),)))
    >>> [(move.step.player, move.step.act, move.cost) for move in state.moves(pieces, pieces.start, faults=False)]
    [('Ann', Play(tile=Laid(inner=12, outer=5), train='Ann'), 2), ('Ann', End(), 38)]
    """

    __slots__ = ()

    errors: ClassVar[bool] = True
    """Whether the camera may have erred: not where both tables are given (`exact`)."""

    unseen: ClassVar[bool] = True
    """Whether something that a turn seems to lack may be there though no picture shows it."""

    def at_least(self, pieces: Pieces, rest: Rest) -> int:
        """A lower bound on the cost of explaining the rest."""
        turn = self.turn
        open_first_turns = self.rules.long_first and len(self.moved) < len(self.players)
        several = V.EXTRA_TILE in turn.open_codes or open_first_turns
        turns = 0 if self.anyone or pieces.evidence.clouded else self._turns_to_end(pieces, rest)
        misread = self.misread | self.unknown
        return at_least(turn, pieces, rest, several=several, between=self.between, misread=misread, turns=turns)

    def _turns_to_end(self, pieces: Pieces, rest: Rest) -> int:
        """How many turns must end before everybody has moved who alone may make one of the moves left: it is their
        marker, or a tile on their closed train."""
        turn = self.turn
        due = set()
        for n, (train, row) in enumerate(pieces.trains if V.CLOSED_TRAIN not in turn.open_codes else ()):
            done = rest.tiles[n]
            if done < len(row) and train not in turn.markers and not row[done].stray:
                chain = turn.trains.get(train)
                if not chain or not chain[-1].is_double:
                    due.add(train)
        for n, piece in enumerate(pieces.markers):
            act = piece.act
            if isinstance(act, (Mark, Unmark)) and piece.doubt is None and not rest.markers >> n & 1:
                assumed = self.unseen_on if isinstance(act, Mark) else self.unseen_off
                due |= {act.player} - assumed
        due = due.intersection(self.players) - turn.position.gone - {turn.player}
        if due and self.resume is not None:
            return 1
        who, turns = turn.player, 0
        while due:
            who = turn.position.after(who)
            turns += 1
            due.discard(who)
        return turns

    # ---- moves -------------------------------------------------------------------------------------------------

    def moves(self, pieces: Pieces, rest: Rest, *, faults: bool, within: float = inf) -> Iterator[Move]:
        """Every way on, while `rest` is not all explained; with `faults` also those that break a rule. Moves that cost
        more than `within` may be left out."""
        if self.anyone and not self.acted:
            yield from self._anybody(rest)
            return
        yield from self._acts(pieces, rest, faults, within)
        yield from self._ends(pieces, rest, faults, within)
        if faults and not self.acted and within >= COST[Cause.ILLEGAL]:
            for player in self._hasty(pieces, rest):
                cost = COST[Cause.ILLEGAL]
                step = Step(player, None, None, (str(V.OUT_OF_TURN),), (Cause.ILLEGAL,), cost)
                yield Move(cost, partial(self._out_of_turn, player), rest, step)

    def _anybody(self, rest: Rest) -> Iterator[Move]:
        for player in self.players:
            step = Step(player, None, None, (), (Cause.ANYBODY,), COST[Cause.ANYBODY])
            yield Move(COST[Cause.ANYBODY], partial(self._known, player), rest, step)

    def _known(self, player: str) -> MexicanState:
        other = self._begun(player, self.turn, self.moved)
        other.anyone = False
        return other

    def _out_of_turn(self, player: str) -> MexicanState:
        other = self._begun(player, self.turn, self.moved)
        other.resume = self.resume or self.turn.player
        return other

    def _hasty(self, pieces: Pieces, rest: Rest) -> list[str]:
        """Players who may have moved out of turn: those whose train or marker has changed, and the next but one."""
        owners = {
            train for n, (train, row) in enumerate(pieces.trains) if rest.tiles[n] < len(row) and train in self.players
        }
        for n, piece in enumerate(pieces.markers):
            if not rest.markers >> n & 1 and isinstance(piece.act, (Mark, Unmark)):
                owners.add(piece.act.player)
        owners.add(self.turn.position.after(self.turn.player))
        return [name for name in self.players if name in owners and name not in (self.turn.player, self.last)]

    def _acts(self, pieces: Pieces, rest: Rest, faults: bool, within: float = inf) -> Iterator[Move]:
        me = self.turn.player
        late: tuple[Cause, ...] = (Cause.PLAYED_ON_AFTER_MARKING,) if self.put_on else ()
        if self.acted and not begun(rest):
            late = (*late, Cause.TURN_IN_PARTS)
        on = sum([COST[cause] for cause in late])
        for n, (train, row) in enumerate(pieces.trains if on <= within else ()):
            done = rest.tiles[n]
            if done < len(row):
                piece = row[done]
                tiles = (*rest.tiles[:n], done + 1, *rest.tiles[n + 1 :])
                after = Rest(tiles, rest.draws, rest.discards, rest.flips, rest.markers, rest.ends)
                against, wrong = piece.against(me)
                for one in self._laid(piece, train, pieces, faults, told_by(row, done)):
                    cost = one.cost + on + against
                    if cost <= within:
                        causes = (*one.causes, *late, *wrong)
                        step = Step(me, one.act, piece.item, one.codes, causes, cost, one.below)
                        yield Move(cost, one.state, after, step)
        for n, piece in enumerate(pieces.flips):
            if not rest.flips >> n & 1 and isinstance(piece.act, Flip):
                cost, state, codes, causes = self._done(piece, faults)
                if cost < COST[Cause.ILLEGAL] or faults:
                    after = rest._replace(flips=rest.flips | 1 << n)
                    against, wrong = piece.against(me)
                    cost += against
                    yield Move(cost, state, after, Step(me, piece.act, piece.item, codes, (*causes, *wrong), cost))
        if rest.draws < len(pieces.draws):
            piece = pieces.draws[rest.draws]
            after = rest._replace(draws=rest.draws + 1)
            cost, state, codes, causes = self._done(piece, faults)
            if cost < COST[Cause.ILLEGAL] or faults:
                against, wrong = piece.against(me)
                cost += on + against
                yield Move(cost, state, after, Step(me, piece.act, piece.item, codes, (*causes, *late, *wrong), cost))
            # One draw is like another: what shows late is the first.
            first = not (any(rest.tiles) or rest.markers or rest.flips or (rest.draws and self.acted))
            for player in dict.fromkeys(self.undrawn if first else ()):
                against, wrong = piece.against(player)
                step = Step(player, piece.act, piece.item, (), wrong, against)
                yield Move(against, partial(self._drawn_late, player), after, step)
            if piece.doubt is None and self.errors:
                phantom = Cause.PHANTOM_DRAW if self.turn.boneyard is not None else Cause.REACHED_FOR_NOTHING
                cost = COST[phantom]
                yield Move(cost, self, after, Step(me, None, piece.item, (), (phantom,), cost))
        if pieces.markers:
            yield from self._markers(pieces, rest, faults and within >= COST[Cause.RARELY_ILLEGAL])

    def _laid(self, piece: Piece, train: str, pieces: Pieces, faults: bool, told: int | None) -> Iterator[LaidAs]:
        """The tile laid by the player of the turn: legally, against a rule, or read wrongly. `told`: the value that the
        next one makes its outer half, where that is read."""
        act = piece.act
        assert isinstance(act, Play)
        wrong, unsettled = self.turn.faults_of(act.tile, train)
        aside = (Cause.STRAY_START,) if piece.stray else ()
        off = COST[Cause.STRAY_START] if piece.stray else 0
        where = self._where(train) + off
        state = partial(self._with_play, act.tile, train, piece.item)
        if piece.stray and self.errors:
            yield from self._as_nobodys(act, piece, faults, told)
        after_misread, unknown = train in self.misread, train in self.unknown
        on_another = (Cause.ON_ANOTHER_TILE,) if train in self.another else ()
        if self.errors and piece.others and (wrong or not piece.is_sure):
            yield from self._as_another(piece, train, where, faults, told)
        if not wrong:
            where += COST[Cause.UNSETTLED] if unsettled else 0
            chance = (Cause.FITS_BY_CHANCE,) if after_misread else ()
            cost = where + piece.as_taken + sum(COST[cause] for cause in chance)
            yield LaidAs(act, cost, state, (), (*aside, *chance, *on_another))
            return
        if self.errors and OF_VALUES.intersection(wrong):
            others = [code for code in wrong if code not in OF_VALUES]
            joint = OF_VALUES.intersection(wrong) == {V.MISMATCH}
            free = (after_misread or unknown) and joint
            more, below = (0, None) if free else misreading(self.turn, piece, train, pieces, joint=joint)
            cost = where + more
            causes: tuple[Cause, ...] = (Cause.MISREAD,)
            held = state if free else partial(self._with_play, act.tile, train, piece.item, misread=True)
            if others:
                root = fault(others)
                cost, causes = cost + COST[root], (Cause.MISREAD, root)
            if faults or cost < COST[Cause.ILLEGAL]:
                yield LaidAs(act, cost, held, tuple(map(str, others[:1])), causes, below)
        if faults:
            # Where a tile may be another, one that fits broke the other rule: that it does not fit either is a second.
            either = train in self.another or (bool(piece.others) and not piece.is_sure)
            both = either and OF_VALUES.intersection(wrong) and not OF_VALUES.issuperset(wrong)
            roots = (fault((wrong[0],)), *((Cause.ILLEGAL,) if both else ()))
            cost = sum([COST[root] for root in roots]) + COST[Cause.ON_OWN_TRAIN] + piece.as_taken + off
            yield LaidAs(act, cost, state, (str(wrong[0]),), (*aside, *roots, *on_another))

    def _as_nobodys(self, act: Play, piece: Piece, faults: bool, told: int | None) -> Iterator[LaidAs]:
        """The same where it begins no player's train: the Mexican one, or a second one."""
        train = SECOND_MEXICAN if self.turn.trains.get(MEXICAN) else MEXICAN
        others = () if piece.is_sure else piece.fitting(due_on(self.turn, act.train), told)
        for price, tile in ((piece.as_taken, act.tile), *others):
            wrong, unsettled = self.turn.faults_of(tile, train)
            if OF_VALUES.intersection(wrong):
                continue
            another = tile != act.tile
            causes = (piece.instead(tile),) if another else ()
            state = partial(self._with_play, tile, act.train, piece.item, another=another)
            if not wrong:
                cost = self._where(MEXICAN) + (COST[Cause.UNSETTLED] if unsettled else 0)
                yield LaidAs(Play(tile, act.train), cost + price, state, (), causes)
            elif faults:
                cause = fault((wrong[0],))
                cost = COST[cause] + COST[Cause.ON_OWN_TRAIN]
                yield LaidAs(Play(tile, act.train), cost + price, state, (str(wrong[0]),), (*causes, cause))

    def _as_another(self, piece: Piece, train: str, where: int, faults: bool, told: int | None) -> Iterator[LaidAs]:
        """The same where it is one of the other tiles that it may be, and fits what lies before and behind it."""
        for cost, tile in piece.fitting(due_on(self.turn, train), told):
            wrong, unsettled = self.turn.faults_of(tile, train)
            if OF_VALUES.intersection(wrong):
                continue
            causes: tuple[Cause, ...] = (piece.instead(tile),)
            cost += where + (COST[Cause.UNSETTLED] if unsettled else 0)
            if wrong:
                root = fault(wrong)
                cost, causes = cost + COST[root], (*causes, root)
            if faults or not wrong:
                state = partial(self._with_play, tile, train, piece.item, another=True)
                yield LaidAs(Play(tile, train), cost, state, tuple(map(str, wrong[:1])), causes)

    def _where(self, train: str) -> int:
        """How usual it is to lay there; the first tile of a turn in which no open double binds tells most."""
        turn = self.turn
        if turn.laid or turn.long:
            return 0
        marked = turn.player in turn.position.markers
        if turn.live:
            return COST[Cause.MARKED_AND_CLOSED_DOUBLE if marked else Cause.CLOSED_DOUBLE]
        own, mexican = _MARKED if marked else _UNMARKED
        place = own if train == turn.player else mexican if train == MEXICAN else Cause.ON_ANOTHERS_TRAIN
        laid = COST[Cause.MARKED_AND_LAID] if marked and turn.boneyard is None else 0
        return laid + COST[place]

    def _with_play(
        self, laid: Laid, train: str, item: int, *, misread: bool = False, another: bool = False
    ) -> MexicanState:
        other = self.copy()
        if another or train in self.another:
            other.another = self.another | {train} if another else self.another - {train}
        if misread or train in self.misread:
            other.misread = self.misread | {train} if misread else self.misread - {train}
        other.unknown -= {train}
        other.turn = self.turn.copy()
        other.turn.play(laid, train)
        other.acted = True
        other.anchors = (item, item, *self.anchors[2:])
        return other

    def _done(self, piece: Piece, faults: bool) -> tuple[int, Self, tuple[str, ...], tuple[Cause, ...]]:
        """A draw or a flip by the player of the turn."""
        other = self.copy()
        other.turn = self.turn.copy()
        other.turn.codes = frozenset()
        other.turn.act(ruled(piece.act))
        codes = tuple(sorted(map(str, other.turn.codes)))
        other.turn.codes |= self.turn.codes
        other.acted = True
        other.anchors = (self.anchors[0], piece.item, *self.anchors[2:])
        causes = (fault(codes),) if codes else ()
        return sum(COST[cause] for cause in causes), other, codes, causes

    def _drawn_late(self, player: str) -> MexicanState:
        other = self.copy()
        n = self.undrawn.index(player)
        other.undrawn = (*self.undrawn[:n], *self.undrawn[n + 1 :])
        return other

    def _markers(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        me = self.turn.player
        for n, piece in enumerate(pieces.markers):
            if rest.markers >> n & 1:
                continue
            tiles, draws, discards, flips, markers, ends = rest
            after = Rest(tiles, draws, discards, flips, markers | 1 << n, ends)
            act = piece.act
            assert isinstance(act, (Mark, Unmark))
            owner, placed = act.player, isinstance(act, Mark)
            believed = self.unseen_on if placed else self.unseen_off
            if owner in believed:
                on, off = (
                    (self.unseen_on - {owner}, self.unseen_off) if placed else (self.unseen_on, believed - {owner})
                )
                cost, assumed = piece.against(owner)
                step = Step(owner, act, piece.item, (), assumed, cost)
                yield Move(cost, partial(self._unseen, on, off), after, step)
                continue
            if owner in self.players and piece.doubt is not None and (owner in self.turn.markers) == placed:
                # Entered although it lay there already.
                yield Move(0, self, after, Step(owner, act, piece.item, (), (), 0))
            elif owner == me:
                cost, assumed = piece.against(me)
                step = Step(me, act, piece.item, (), assumed, cost)
                yield Move(cost, partial(self._with_marker, act, piece.item), after, step)
            elif owner in self.players and faults:
                moved = partial(self._with_marker, act, piece.item)
                rare = Cause.RARELY_ILLEGAL
                cost = COST[rare] + piece.actors.get(me, 0)
                wrong = str(V.MARKER_WRONG_TRAIN)
                yield Move(cost, moved, after, Step(me, act, piece.item, (wrong,), (rare,), cost))
                stray = partial(self._strayed, owner, placed)
                code = str(V.MARKER_UNEARNED if placed else V.MARKER_REMOVED_WRONGLY)
                cost = COST[rare] + piece.actors.get(owner, 0)
                yield Move(cost, stray, after, Step(owner, act, piece.item, (code,), (rare,), cost))
            elif owner not in self.players:
                yield Move(0, partial(self._with_marker, act, piece.item), after, Step(me, act, piece.item, (), (), 0))
            if piece.doubt is not None or not self.errors:
                continue
            cause = Cause.DOUBTFUL_MARKER if pieces.evidence.clouded else Cause.NO_MARKER
            if faults or COST[cause] < COST[Cause.ILLEGAL]:
                on = self.unseen_on if placed else self.unseen_on | {owner}
                off = self.unseen_off | {owner} if placed else self.unseen_off
                ignored = partial(self._unseen, on, off)
                yield Move(COST[cause], ignored, after, Step(owner, None, piece.item, (), (cause,), COST[cause]))

    def _unseen(self, on: frozenset[str], off: frozenset[str]) -> MexicanState:
        other = self.copy()
        other.unseen_on, other.unseen_off = on, off
        return other

    def _strayed(self, owner: str, placed: bool) -> MexicanState:
        other = self.copy()
        other.turn = self.turn.copy()
        markers = self.turn.markers
        other.turn.markers = markers | {owner} if placed else markers - {owner}
        return other

    def _with_marker(self, act: Action, item: int) -> MexicanState:
        other = self.copy()
        other.turn = self.turn.copy()
        other.turn.act(act)
        other.acted = True
        own = act == Mark(self.turn.player)
        other.put_on = self.put_on or own
        if act == Unmark(self.turn.player):
            other.put_on = False
        last, _, on, off = self.anchors
        if own:
            on = item
        elif act == Unmark(self.turn.player):
            off = item
        other.anchors = (last, item, on, off)
        return other

    # ---- the end of a turn -------------------------------------------------------------------------------------

    def _ends(self, pieces: Pieces, rest: Rest, faults: bool, within: float) -> Iterator[Move]:
        """The turn is over: what it then lacks is a fault, or something that no picture showed."""
        had_begun = begun(rest)
        ended_rest = pieces.ended(rest, self.turn.player, bool(self.turn.laid)) if pieces.ends else None
        rest = ended_rest or rest
        however: tuple[Cause, ...] = ()
        if not self.acted and ended_rest is None:
            however = (Cause.PASS_AT_DOUBLE if self.turn.live else Cause.SILENT_PASS,)
        if had_begun:
            however = (*however, Cause.ANOTHER_IN_BETWEEN if self.between else Cause.TURN_IN_BETWEEN)
        fixed = sum([COST[cause] for cause in however])
        if fixed > within:
            return
        left = within - fixed
        every = endings(self.turn, self.unseen_on, self.unseen_off, faults=faults, unseen=self.unseen, within=left)
        for cost, turn, codes, causes, on, off, missed in every:
            cost, causes = cost + fixed, (*causes, *however)
            player = turn.player
            moved = self.moved if player in self.moved else self.moved | {player}
            if turn.hand == 0 and not (self.rules.finish_first_lap and not set(self.players) <= moved):
                # The round went on: the count was wrong.
                cost, causes = cost + COST[Cause.MISCOUNTED_HAND], (*causes, Cause.MISCOUNTED_HAND)
                turn.hand = None
                hands = {name: count for name, count in turn.position.hands.items() if name != player}
                turn.position = with_hands(turn.position, hands)
            undrawn = (*self.undrawn, player)[-MOST_UNDRAWN:] if missed else self.undrawn
            following = [turn.position.after(player)]
            if self.resume is not None and self.resume not in following:
                following.insert(0, self.resume)
            for who in following:
                step = Step(player, _END, self._anchor(codes), codes, causes, cost)
                state = partial(self._next, who, turn, moved, on, off, undrawn, had_begun)
                yield Move(cost, state, rest, step)

    def _next(
        self,
        who: str,
        turn: TurnState,
        moved: frozenset[str],
        on: frozenset[str],
        off: frozenset[str],
        undrawn: tuple[str, ...],
        between: bool,
    ) -> MexicanState:
        """`who` has the turn after `turn`, which is over."""
        other = self._begun(who, turn, moved)
        other.undrawn = undrawn
        other.unseen_on, other.unseen_off = on, off
        other.last = turn.player
        other.between = between
        other.silent = 0 if turn.laid else 1 if self.put_on else self.silent + 1
        return other

    def _anchor(self, codes: tuple[str, ...]) -> int | None:
        last, any_act, on, off = self.anchors
        if codes:
            if str(V.MARKER_UNEARNED) in codes and on is not None:
                return on
            if str(V.MARKER_REMOVED_WRONGLY) in codes and off is not None:
                return off
        return last if last is not None else any_act


def starting(rules: RuleSet, table: Position, starter: str, *, anyone: bool = False) -> MexicanState:
    """The round before anything has happened in it."""
    return (FirstLapState if rules.first_simultaneous else MexicanState)(rules, table, starter, anyone=anyone)


class FirstLapState(MexicanState):
    """The table while first trains are laid; `turn` is nobody's in particular."""

    __slots__ = ()

    lap: ClassVar[bool] = True

    @property
    def over(self) -> tuple[str, str | None] | None:
        return None

    def at_least(self, pieces: Pieces, rest: Rest) -> int:
        """A lower bound on the cost of the rest: a tile that does not fit is wrong in any order."""
        misread = self.misread | self.unknown
        return at_least(self.turn, pieces, rest, several=True, between=False, misread=misread, turns=0)

    def moves(self, pieces: Pieces, rest: Rest, *, faults: bool, within: float = inf) -> Iterator[Move]:
        """Every way on; the lap is over with the first act that can only be an ordinary turn's."""
        if self.anyone and not self.acted:
            yield from self._anybody(rest)
            return
        yield from self._tiles(pieces, rest, faults, within)
        yield from self._marker_moves(pieces, rest, faults)
        yield from self._draws(pieces, rest, faults)
        yield from self._flips(pieces, rest, faults)
        yield from self._entered_ends(pieces, rest)
        if within >= COST[Cause.SKIPPED_FIRST_TRAIN] * (len(self.players) - len(self.moved)):
            yield self._end_of_lap(rest)

    def _tiles(self, pieces: Pieces, rest: Rest, faults: bool, within: float) -> Iterator[Move]:
        for n, (train, row) in enumerate(pieces.trains):
            done = rest.tiles[n]
            if done == len(row):
                continue
            piece = row[done]
            after = rest._replace(tiles=(*rest.tiles[:n], done + 1, *rest.tiles[n + 1 :]))
            for player in self._layers(piece, train, faults):
                # A player who has laid a first train and now lays elsewhere is ahead of the others.
                hasty = player in self.moved and player != train
                late: tuple[Cause, ...] = ()
                if player in self.turn.markers and not self._plays_on(player):
                    late = (Cause.PLAYED_ON_AFTER_MARKING,)
                elif hasty:
                    late = (Cause.ILLEGAL,)
                elif player in self.moved and not done:
                    late = (Cause.TURN_IN_PARTS,)
                against, wrong = piece.against(player)
                fixed = against + sum([COST[cause] for cause in late])
                if fixed > within:
                    continue
                own = self._begun(player, self.turn, self.moved if hasty else self.moved - {player})
                for one in own._laid(piece, train, pieces, faults, told_by(row, done)):
                    lap = partial(_back, one.state, self.starter, self.moved | {player})
                    cost = one.cost + fixed
                    held = (*one.codes, str(V.OUT_OF_TURN)) if hasty else one.codes
                    causes = (*one.causes, *late, *wrong)
                    step = Step(player, one.act, piece.item, held, causes, cost, one.below)
                    yield Move(cost, lap, after, step)

    def _plays_on(self, player: str) -> bool:
        """Whether this player has laid a tile since any marker was due: it is strange once."""
        chain = self.turn.trains.get(player)
        return bool(chain) and not self._may_feed(player)

    def _layers(self, piece: Piece, train: str, faults: bool) -> tuple[str, ...]:
        """Players who may have laid the tile: the train's owner; with `faults` anybody. Where it may be the owner's, it
        may still be the first of somebody who has laid nothing else."""
        if not faults:
            return (train,) if train in self.players else ()
        fits = self._fits(piece, train)
        return tuple(name for name in self.players if name == train or not fits or name not in self.moved)

    def _marker_moves(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        for n, piece in enumerate(pieces.markers):
            act = piece.act
            if rest.markers >> n & 1 or not isinstance(act, (Mark, Unmark)):
                continue
            laid = bool(self.turn.trains.get(act.player))
            wrongly = laid and not self._may_feed(act.player) if isinstance(act, Mark) else not laid
            if wrongly and not faults:
                continue
            if piece.doubt is not None and (act.player in self.turn.markers) == isinstance(act, Mark):
                after = rest._replace(markers=rest.markers | 1 << n)
                yield Move(0, self, after, Step(act.player, act, piece.item, (), (), 0))
                continue
            back = self.copy()
            turn, markers = self.turn.copy(), self.turn.markers
            turn.markers = markers | {act.player} if isinstance(act, Mark) else markers - {act.player}
            back.turn = TurnState(self.rules, turn.table(self.starter, True))
            back.moved = self.moved | {act.player}
            after = rest._replace(markers=rest.markers | 1 << n)
            code, cause = V.MARKER_REMOVED_WRONGLY, Cause.ILLEGAL
            if isinstance(act, Mark):
                code, cause = V.MARKER_UNEARNED, Cause.MARKED_IN_LAP
            faulty = ((str(code),), (cause,), COST[cause]) if wrongly else ((), (), 0)
            yield Move(faulty[2], back, after, Step(act.player, act, piece.item, *faulty))

    def _draws(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        if rest.draws < len(pieces.draws):
            piece = pieces.draws[rest.draws]
            after = rest._replace(draws=rest.draws + 1)
            for player in self.players:
                feeds = self._may_feed(player)
                if not (feeds or faults):
                    continue
                cost = 0 if feeds else COST[Cause.ILLEGAL]
                own = self._begun(player, self.turn, self.moved if feeds else self.moved - {player})
                _, state, codes, causes = own._done(piece, faults)
                step = Step(player, piece.act, piece.item, codes, causes, cost)
                yield Move(cost, state._back_in_lap(self.starter), after, step)

    def _flips(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        """Turning a double over begins nobody's train."""
        for n, piece in enumerate(pieces.flips):
            if rest.flips >> n & 1 or not isinstance(piece.act, Flip):
                continue
            after = rest._replace(flips=rest.flips | 1 << n)
            for player in self.players:
                own = self._begun(player, self.turn, self.moved - {player})
                cost, state, codes, causes = own._done(piece, faults)
                if not codes or faults:
                    back = state._back_in_lap(self.starter)
                    back.moved = self.moved
                    yield Move(cost, back, after, Step(player, piece.act, piece.item, codes, causes, cost))

    def _entered_ends(self, pieces: Pieces, rest: Rest) -> Iterator[Move]:
        for player in self.players:
            ended_rest = pieces.ended(rest, player, bool(self.turn.trains.get(player))) if pieces.ends else None
            if ended_rest is not None:
                back = self.copy()
                back.moved = self.moved | {player}
                yield Move(0, back, ended_rest, Step(player, End(), None, (), (), 0))

    def _end_of_lap(self, rest: Rest) -> Move:
        """Ordinary turns begin with the starter; a player without a first train has marked."""
        missing = [player for player in self.players if player not in self.moved]
        # A player without a first train marks.
        turn = self.turn.copy()
        turn.markers = turn.markers.union(missing)
        ended = self.copied_as(MexicanState)._begun(self.starter, turn, frozenset(self.players))
        ended.unseen_on = self.unseen_on | frozenset(missing)
        unmarked = Cause.MARKER_NOT_SEEN
        causes = (Cause.SKIPPED_FIRST_TRAIN, unmarked) * len(missing)
        if begun(rest):
            causes = (*causes, Cause.TURN_IN_BETWEEN)
            ended.between = True
        cost = sum(COST[cause] for cause in causes)
        return Move(cost, ended, rest, Step(self.starter, None, None, (), causes, cost))

    def _may_feed(self, player: str) -> bool:
        """Whether the first train of `player` ends in a double that may have to be fed: the source is silent."""
        chain = self.turn.trains.get(player)
        open_ = chain is not None and bool(chain) and chain[-1].is_double and player not in self.turn.flipped
        return open_ and self.rules.leaves_open("first_double_opens")

    def _fits(self, piece: Piece, train: str) -> bool:
        """Whether the owner of the train may lay this tile now; then nobody broke a rule with it."""
        act = piece.act
        assert isinstance(act, Play)
        if train not in self.players:
            return False
        own = self._begun(train, self.turn, self.moved - {train})
        return not own.turn.faults_of(act.tile, train).certain

    def after_outlier(self, pieces: Pieces, *, unknown: bool) -> MexicanState:
        return super().after_outlier(pieces, unknown=unknown).copied_as(MexicanState)

    def _back_in_lap(self, starter: str) -> FirstLapState:
        other = self.copy()
        other.turn = TurnState(self.rules, self.turn.table(starter, True))
        other.acted = other.put_on = False
        return other


def _back(state: partial[MexicanState], starter: str, moved: frozenset[str]) -> MexicanState:
    """The common first lap after one tile of it."""
    laid = state()
    assert isinstance(laid, FirstLapState)
    back = laid._back_in_lap(starter)
    back.moved = moved
    return back
