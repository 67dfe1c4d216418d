"""The common first lap of Mexican Train, as cz has it: everybody lays the first train at the same time.

What lies on a train is its owner's, in any order and by several players in one change; turn order begins with the
second lap, at the starter. Source: docs/rules.md 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from typing import ClassVar

from companion.rules.actions import End, Flip, Mark, Play, Unmark
from companion.rules.mexican.turn import TurnState
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation as V
from companion.tracking.ahead import at_least, begun
from companion.tracking.costs import COST, Cause
from companion.tracking.evidence import Piece
from companion.tracking.mexican import MexicanState
from companion.tracking.pieces import Move, Pieces, Rest, Step


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
        """What explaining the rest costs at least: a tile that does not fit is wrong in any order."""
        return at_least(self.turn, pieces, rest, several=True, between=False, misread=self.misread | self.unknown)

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
                # Whoever has laid a first train and now lays elsewhere is ahead of the others.
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
                for one in own._laid(piece, train, pieces, faults):
                    lap = partial(_back, one.state, self.starter, self.moved | {player})
                    cost = one.cost + fixed
                    held = (*one.codes, str(V.OUT_OF_TURN)) if hasty else one.codes
                    causes = (*one.causes, *late, *wrong)
                    step = Step(player, one.act, piece.item, held, causes, cost, one.misread_below)
                    yield Move(cost, lap, after, step)

    def _plays_on(self, player: str) -> bool:
        """Whether this player has laid a tile since any marker was due: it is strange once."""
        chain = self.turn.trains.get(player)
        return bool(chain) and not self._may_feed(player)

    def _layers(self, piece: Piece, train: str, faults: bool) -> tuple[str, ...]:
        """Who may have laid the tile: its owner; with `faults` anybody. Where it may be the owner's, it may still be
        the first of somebody who has laid nothing else."""
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
        """Ordinary turns begin with the starter; whoever lays no first train has marked."""
        missing = [player for player in self.players if player not in self.moved]
        # Who lays no first train marks.
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
