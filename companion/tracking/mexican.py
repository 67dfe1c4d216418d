"""A round of Mexican Train as one hypothesis has it, and every way in which it may go on: the one successor generator.

Legality is `TurnState`'s, the judge's own, asked act by act. What the camera may have got wrong and what nobody could
see are moves like any other, with a cost (costs.py). Nothing here decides who is named or blamed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from companion.rules.actions import MEXICAN, Action, End, Flip, Mark, Play, Unmark
from companion.rules.mexican.blocks import provably_blocked
from companion.rules.mexican.turn import TurnState
from companion.rules.position import Chain, LinePosition, Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.costs import PRIORS, Cause, fault, misread
from companion.tracking.endings import BY_DRAW, BY_END, BY_FLIP, BY_MARKER, BY_PLAY, endings, fork
from companion.tracking.evidence import Piece
from companion.tracking.pieces import Pieces, Rest, Step

_C = {cause: prior.decibans for cause, prior in PRIORS.items()}

_UNMARKED = (Cause.ON_OWN_TRAIN, Cause.ON_MEXICAN_TRAIN)
_MARKED = (Cause.MARKED_ON_OWN_TRAIN, Cause.MARKED_ON_MEXICAN_TRAIN)

OF_VALUES = frozenset({V.MISMATCH, V.WRONG_ROOT, V.DUPLICATE_TILE, V.TILE_NOT_IN_SET})
"""Faults that a misread half explains."""


FEW = 4
"""From here on the count of a hand or of the boneyard makes no difference yet: hypotheses that differ in it are one."""


def _few(count: int | None) -> int | None:
    return count if count is None or count < FEW else FEW


def _against(piece: Piece, player: str) -> tuple[int, tuple[Cause, ...]]:
    """What it costs by arm and word that `player` made this piece, and what has to be assumed."""
    if piece.word is None or piece.word[0] == player:
        return piece.actors.get(player, 0), ()
    return piece.against(player), (Cause.WRONG_WORD,)


def begun(rest: Rest) -> bool:
    """Whether some of the change is explained already."""
    return bool(rest.draws or rest.flips or rest.markers or any(rest.tiles))


def _back(state: partial[MexicanState], starter: str, moved: frozenset[str]) -> MexicanState:
    """The common first lap after one tile of it."""
    back = state()._back_in_lap(starter)
    back.moved = moved
    return back


class Ahead(NamedTuple):
    """What is left of a change, whoever's turn it is: tiles, those of them that are no doubles, and what it costs at
    least that some do not fit, and where they lie. `begun`: some of the change is explained already."""

    tiles: int
    closing: int
    misfits: int
    places: int
    begun: bool


class Move(NamedTuple):
    """One way on: the state after it (made only if the search gets there), what is explained then, and the step."""

    cost: int
    state: MexicanState | partial[MexicanState]
    rest: Rest
    step: Step


class MexicanState:
    """The table in the middle of `turn`, treated as a value: a move forks it.

    `acted`: the turn has an act; `put_on`: the player has put the own marker on in it. `anchors`: items of the turn's
    last tile, last act, marker put on, marker taken off. `resume`: the turn is out of order, and that player is still
    expected. `moved` have had their first turn. `unseen_on` are markers that are held to lie there though no picture
    shows them, `unseen_off` the other way. `silent`: turns in a row without a tile. `anyone`: whose turn it is is not
    known. `between`: the turn began in the middle of the change that is being explained. `lap`: the common first lap is
    going on. `last`: who had the turn before.
    """

    __slots__ = (
        "acted", "anchors", "anyone", "between", "lap", "last", "moved", "put_on", "resume", "rules", "silent",
        "starter", "turn", "unseen_off", "unseen_on",
    )  # fmt: skip

    def __init__(self, rules: RuleSet, table: Position, starter: str, *, anyone: bool = False) -> None:
        self.rules = rules
        self.starter = starter
        self.turn = TurnState(rules, table)
        self.acted = False
        self.put_on = False
        self.anchors: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
        self.resume: str | None = None
        self.moved: frozenset[str] = frozenset()
        self.unseen_on: frozenset[str] = frozenset()
        self.unseen_off: frozenset[str] = frozenset()
        self.silent = 0
        self.anyone = anyone
        self.between = False
        self.lap = rules.first_simultaneous
        self.last: str | None = None

    @classmethod
    def adopted(cls, rules: RuleSet, table: Position, starter: str) -> Iterator[MexicanState]:
        """The round as it may stand where it is watched from its middle on: anybody may be next."""
        state = cls(rules, table, starter, anyone=True)
        state.moved = frozenset(name for name in state.players if table.trains.get(name) or name in table.markers)
        if state.lap and state.moved != frozenset(state.players):
            lap = state.copy()
            lap.anyone = False
            yield lap
        state.lap = False
        yield state

    def copy(self) -> MexicanState:
        other = MexicanState.__new__(MexicanState)
        other.acted = self.acted
        other.anchors = self.anchors
        other.anyone = self.anyone
        other.between = self.between
        other.lap = self.lap
        other.last = self.last
        other.moved = self.moved
        other.put_on = self.put_on
        other.resume = self.resume
        other.rules = self.rules
        other.silent = self.silent
        other.starter = self.starter
        other.turn = self.turn
        other.unseen_off = self.unseen_off
        other.unseen_on = self.unseen_on
        return other

    @property
    def players(self) -> tuple[str, ...]:
        return self.turn.position.players

    @property
    def mover(self) -> str:
        return self.turn.player

    @property
    def sign(self) -> tuple[object, ...]:
        """What can matter for what happens next, beside the tiles that all hypotheses have in common."""
        turn = self.turn
        return (
            turn.player, self.acted, self.put_on, self.resume, self.moved, self.unseen_on, self.unseen_off,
            min(self.silent, 2 * len(self.players)), self.anyone, self.between, self.lap,
            turn.complete, turn.drawn, turn.drawn_ever, turn.last_was_double, turn.took_off, turn.qualifies,
            bool(turn.laid), tuple(turn.doubles), turn.live, tuple(turn.open),
            frozenset(turn.markers), frozenset(turn.flipped), _few(turn.boneyard), _few(turn.hand),
            tuple(map(_few, turn.position.hands.values())), tuple(turn.position.hands),
            turn.player in turn.position.markers,
            tuple(chain[-1] if chain else None for chain in turn.trains.values()),
        )  # fmt: skip

    @property
    def overdue(self) -> int:
        """What it costs that another picture does not show the markers that are held to lie there, or to be gone."""
        return _C[Cause.MARKER_UNSEEN_AGAIN] * (len(self.unseen_on) + len(self.unseen_off))

    @property
    def pending(self) -> int:
        """What a complete turn still lacks, if nothing more comes: a marker to be moved mostly moves with the tile."""
        if not self.acted or not self.turn.complete:
            return 0
        judged = fork(self.turn, BY_END)
        judged.finish()
        lacks = judged.codes - self.turn.codes or V.MARKER_NOT_REMOVED in judged.may - self.turn.may
        return _C[Cause.STILL_TO_COME] if lacks else 0

    @property
    def over(self) -> tuple[str, str | None] | None:
        """How the round has ended by the rules and the counts, and who went out. Source: docs/rules.md 2.6."""
        turn = self.turn
        finished = turn.complete or self.put_on
        if self.anyone or self.lap or (self.acted and not finished):
            return None
        moved = self.moved | {turn.player} if self.acted else self.moved
        hands = dict(turn.position.hands)
        if turn.hand is not None:
            hands[turn.player] = turn.hand
        out = next((player for player in self.players if hands.get(player) == 0), None)
        if out is not None:
            laying = self.acted and turn.long and hands.get(turn.player) != 0
            waits = self.rules.finish_first_lap and (laying or not set(self.players) <= moved)
            return None if waits else ("out", out)
        if self.rules.block_rule == "provable_stop":
            blocked = provably_blocked(self.rules, turn.table(turn.position.after(turn.player), False))
            return ("blocked_proved", None) if blocked else None
        silent = self.silent
        if self.acted:
            silent = 0 if turn.laid else 1 if self.put_on else self.silent + 1
        return ("blocked_declared", None) if turn.boneyard == 0 and silent >= len(self.players) else None

    def at_rest(self) -> MexicanState:
        """The same state between two changes of the table."""
        if not self.between:
            return self
        other = self.copy()
        other.between = False
        return other

    def at_least(self, pieces: Pieces, rest: Rest) -> int:
        """What explaining the rest costs at least: no turn but a long first one has two tiles that are no doubles, and
        a tile that does not fit is a fault or was misread, whoever laid it."""
        turn = self.turn
        if self.lap:
            return 0
        trains = turn.trains
        key = (rest, tuple([trains[train][-1] if trains.get(train) else None for train, _ in pieces.trains]))
        ahead = pieces.ahead.get(key)
        if ahead is None:
            ahead = pieces.ahead[key] = self._ahead(pieces, rest)
        if V.EXTRA_TILE in turn.open_codes or (self.rules.long_first and len(self.moved) < len(self.players)):
            return ahead.misfits
        more = max(1, ahead.closing) if turn.complete and ahead.tiles and ahead.begun else max(0, ahead.closing - 1)
        least = ahead.misfits
        if more:
            first = Cause.ANOTHER_IN_BETWEEN if self.between else Cause.TURN_IN_BETWEEN
            least += _C[first] + _C[Cause.ANOTHER_IN_BETWEEN] * (more - 1)
        if not turn.open and not turn.live and (turn.complete or not turn.laid):
            least += ahead.places
        return least

    def _ahead(self, pieces: Pieces, rest: Rest) -> Ahead:
        closing = tiles = misfits = places = 0
        doubles = False
        rows = [(train, row[done:]) for (train, row), done in zip(pieces.trains, rest.tiles, strict=True)]
        for train, row in rows:
            chain = self.turn.trains.get(train)
            due = chain[-1].outer if chain else None if train == MEXICAN else self.turn.position.engine.outer
            for piece in row:
                assert isinstance(piece.act, Play)
                tile = piece.act.tile
                tiles += 1
                closing += not tile.is_double
                doubles = doubles or tile.is_double
                if due is not None and tile.inner != due:
                    cost = min(_C[Cause.ILLEGAL], self._misread(piece, train, pieces))
                    misfits += max(0, cost - _C[Cause.ON_MEXICAN_TRAIN])
                due = tile.outer
        if not doubles:
            own = 1 + (closing - 1) // len(self.players)
            for train, row in rows:
                if train == MEXICAN:
                    places += len(row) * _C[Cause.MARKED_ON_MEXICAN_TRAIN]
                else:
                    mine = min(len(row), own)
                    others = len(row) - mine
                    places += mine * _C[Cause.ON_OWN_TRAIN] + others * _C[Cause.ON_ANOTHERS_TRAIN]
        return Ahead(tiles, closing, misfits, places, begun(rest))

    # ---- moves -------------------------------------------------------------------------------------------------

    def moves(self, pieces: Pieces, rest: Rest, *, faults: bool) -> Iterator[Move]:
        """Every way on, while `rest` is not all explained; with `faults` also those that break a rule."""
        if self.anyone and not self.acted:
            for player in self.players:
                step = Step(player, None, None, (), (Cause.ANYBODY,), _C[Cause.ANYBODY])
                yield Move(_C[Cause.ANYBODY], partial(self._known, player), rest, step)
            return
        if self.lap:
            yield from self._lap_moves(pieces, rest, faults)
            return
        yield from self._acts(pieces, rest, faults)
        yield from self._ends(pieces, rest, faults)
        if faults and not self.acted:
            for player in self._hasty(pieces, rest):
                cost = _C[Cause.ILLEGAL]
                step = Step(player, None, None, (str(V.OUT_OF_TURN),), (Cause.ILLEGAL,), cost)
                yield Move(cost, partial(self._out_of_turn, player), rest, step)

    def _known(self, player: str) -> MexicanState:
        other = self._begun(player, self.turn, self.moved)
        other.anyone = False
        return other

    def _out_of_turn(self, player: str) -> MexicanState:
        other = self._begun(player, self.turn, self.moved)
        other.resume = self.resume or self.turn.player
        return other

    def _hasty(self, pieces: Pieces, rest: Rest) -> list[str]:
        """Who may have moved out of turn: whose train or marker has changed, and who comes next but one."""
        owners = {
            train for n, (train, row) in enumerate(pieces.trains) if rest.tiles[n] < len(row) and train in self.players
        }
        for n, piece in enumerate(pieces.markers):
            if not rest.markers >> n & 1 and isinstance(piece.act, (Mark, Unmark)):
                owners.add(piece.act.player)
        owners.add(self.turn.position.after(self.turn.player))
        return [name for name in self.players if name in owners and name not in (self.turn.player, self.last)]

    def _begun(self, player: str, before: TurnState, moved: frozenset[str]) -> MexicanState:
        """`player` has the turn; nothing is done in it yet."""
        other = self.copy()
        other.turn = TurnState(self.rules, before.table(player, player not in moved))
        other.acted = other.put_on = False
        other.anchors = (None, None, None, None)
        other.moved = moved
        other.resume = None
        return other

    def _acts(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        me = self.turn.player
        late: tuple[Cause, ...] = (Cause.PLAYED_ON_AFTER_MARKING,) if self.put_on else ()
        if self.acted and not begun(rest):
            late = (*late, Cause.TURN_IN_PARTS)
        on = sum(_C[cause] for cause in late)
        for n, (train, row) in enumerate(pieces.trains):
            done = rest.tiles[n]
            if done < len(row):
                after = rest._replace(tiles=(*rest.tiles[:n], done + 1, *rest.tiles[n + 1 :]))
                against, wrong = _against(row[done], me)
                for cost, laid, codes, causes in self._laid(row[done], train, pieces, faults):
                    cost += on + against
                    step = Step(me, row[done].act, row[done].item, codes, (*causes, *late, *wrong), cost)
                    yield Move(cost, laid, after, step)
        for n, piece in enumerate(pieces.flips):
            if not rest.flips >> n & 1 and isinstance(piece.act, Flip):
                cost, state, codes, causes = self._done(piece, faults)
                if cost < _C[Cause.ILLEGAL] or faults:
                    after = rest._replace(flips=rest.flips | 1 << n)
                    against, wrong = _against(piece, me)
                    cost += against
                    yield Move(cost, state, after, Step(me, piece.act, piece.item, codes, (*causes, *wrong), cost))
        if rest.draws < len(pieces.draws):
            piece = pieces.draws[rest.draws]
            after = rest._replace(draws=rest.draws + 1)
            cost, state, codes, causes = self._done(piece, faults)
            if cost < _C[Cause.ILLEGAL] or faults:
                against, wrong = _against(piece, me)
                cost += on + against
                yield Move(cost, state, after, Step(me, piece.act, piece.item, codes, (*causes, *late, *wrong), cost))
            if piece.doubt is None:
                phantom = Cause.PHANTOM_DRAW if self.turn.boneyard is not None else Cause.REACHED_FOR_NOTHING
                cost = _C[phantom]
                yield Move(cost, self, after, Step(me, None, piece.item, (), (phantom,), cost))
        yield from self._markers(pieces, rest, faults)

    def _laid(
        self, piece: Piece, train: str, pieces: Pieces, faults: bool
    ) -> Iterator[tuple[int, partial[MexicanState], tuple[str, ...], tuple[Cause, ...]]]:
        """The tile laid by whoever has the turn: legally, against a rule, or read wrongly."""
        act = piece.act
        assert isinstance(act, Play)
        wrong, unsettled = self.turn.faults_of(act.tile, train)
        where = self._where(train)
        state = partial(self._with_play, act.tile, train, piece.item)
        if not wrong:
            where += _C[Cause.UNSETTLED] if unsettled else 0
            yield where, state, (), ()
            return
        if OF_VALUES.intersection(wrong):
            others = [code for code in wrong if code not in OF_VALUES]
            cost = where + self._misread(piece, train, pieces)
            causes: tuple[Cause, ...] = (Cause.MISREAD,)
            if others:
                root = fault(others)
                cost, causes = cost + _C[root], (Cause.MISREAD, root)
            if faults or cost < _C[Cause.ILLEGAL]:
                yield cost, state, tuple(map(str, others[:1])), causes
        if faults:
            cause = fault((wrong[0],))
            yield _C[cause] + _C[Cause.ON_OWN_TRAIN], state, (str(wrong[0]),), (cause,)

    def _where(self, train: str) -> int:
        """How usual it is to lay there; the first tile of a turn in which no open double binds tells most."""
        turn = self.turn
        if turn.laid or turn.long:
            return 0
        marked = turn.player in turn.position.markers
        if turn.live:
            return _C[Cause.MARKED_AND_CLOSED_DOUBLE if marked else Cause.CLOSED_DOUBLE]
        own, mexican = _MARKED if marked else _UNMARKED
        place = own if train == turn.player else mexican if train == MEXICAN else Cause.ON_ANOTHERS_TRAIN
        laid = _C[Cause.MARKED_AND_LAID] if marked and turn.boneyard is None else 0
        return laid + _C[place]

    def _misread(self, piece: Piece, train: str, pieces: Pieces) -> int:
        sure = None if piece.p is None else min(piece.p)
        cost = misread(sure, pieces.evidence.guessed)
        if piece.value_doubt is not None:
            cost = min(cost, piece.value_doubt)
        chain = self.turn.trains.get(train)
        if chain and pieces.evidence.doubtful_tiles:
            cost = min(cost, pieces.evidence.doubtful_tiles.get((chain[-1], train), cost))
        return cost

    def _with_play(self, laid: Laid, train: str, item: int) -> MexicanState:
        other = self.copy()
        other.turn = fork(self.turn, BY_PLAY)
        other.turn.play(laid, train)
        other.acted = True
        other.anchors = (item, item, *self.anchors[2:])
        return other

    def _done(self, piece: Piece, faults: bool) -> tuple[int, MexicanState, tuple[str, ...], tuple[Cause, ...]]:
        """A draw or a flip by whoever has the turn."""
        other = self.copy()
        other.turn = fork(self.turn, BY_FLIP if isinstance(piece.act, Flip) else BY_DRAW)
        before = set(other.turn.codes)
        other.turn.codes.clear()
        other.turn.act(piece.act)
        codes = tuple(sorted(map(str, other.turn.codes)))
        other.turn.codes |= before
        other.acted = True
        other.anchors = (self.anchors[0], piece.item, *self.anchors[2:])
        causes = (fault(codes),) if codes else ()
        return sum(_C[cause] for cause in causes), other, codes, causes

    def _markers(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        me = self.turn.player
        for n, piece in enumerate(pieces.markers):
            if rest.markers >> n & 1:
                continue
            after = rest._replace(markers=rest.markers | 1 << n)
            act = piece.act
            assert isinstance(act, (Mark, Unmark))
            owner, placed = act.player, isinstance(act, Mark)
            believed = self.unseen_on if placed else self.unseen_off
            if owner in believed:
                on, off = (
                    (self.unseen_on - {owner}, self.unseen_off) if placed else (self.unseen_on, believed - {owner})
                )
                cost, wrong_word = _against(piece, owner)
                yield Move(
                    cost, partial(self._unseen, on, off), after, Step(owner, act, piece.item, (), wrong_word, cost)
                )
                continue
            if owner in self.players and piece.doubt is not None and (owner in self.turn.markers) == placed:
                # Entered although it lay there already.
                yield Move(0, self, after, Step(owner, act, piece.item, (), (), 0))
            elif owner == me:
                cost, wrong_word = _against(piece, me)
                step = Step(me, act, piece.item, (), wrong_word, cost)
                yield Move(cost, partial(self._with_marker, act, piece.item), after, step)
            elif owner in self.players and faults:
                moved = partial(self._with_marker, act, piece.item)
                rare = Cause.RARELY_ILLEGAL
                cost = _C[rare] + piece.actors.get(me, 0)
                wrong = str(V.MARKER_WRONG_TRAIN)
                yield Move(cost, moved, after, Step(me, act, piece.item, (wrong,), (rare,), cost))
                stray = partial(self._strayed, owner, placed)
                code = str(V.MARKER_UNEARNED if placed else V.MARKER_REMOVED_WRONGLY)
                cost = _C[rare] + piece.actors.get(owner, 0)
                yield Move(cost, stray, after, Step(owner, act, piece.item, (code,), (rare,), cost))
            elif owner not in self.players:
                yield Move(0, partial(self._with_marker, act, piece.item), after, Step(me, act, piece.item, (), (), 0))
            if piece.doubt is not None:
                continue
            doubtful = pieces.evidence.clouded or owner in pieces.evidence.doubtful_markers
            cause = Cause.DOUBTFUL_MARKER if doubtful else Cause.NO_MARKER
            if faults or _C[cause] < _C[Cause.ILLEGAL]:
                on = self.unseen_on if placed else self.unseen_on | {owner}
                off = self.unseen_off | {owner} if placed else self.unseen_off
                ignored = partial(self._unseen, on, off)
                yield Move(_C[cause], ignored, after, Step(owner, None, piece.item, (), (cause,), _C[cause]))

    def _unseen(self, on: frozenset[str], off: frozenset[str]) -> MexicanState:
        other = self.copy()
        other.unseen_on, other.unseen_off = on, off
        return other

    def _strayed(self, owner: str, placed: bool) -> MexicanState:
        other = self.copy()
        other.turn = fork(self.turn, BY_MARKER)
        (other.turn.markers.add if placed else other.turn.markers.discard)(owner)
        return other

    def _with_marker(self, act: Action, item: int) -> MexicanState:
        other = self.copy()
        other.turn = fork(self.turn, BY_MARKER)
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

    def _ends(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        """The turn is over: what it then lacks is a fault, or something that no picture showed."""
        had_begun = begun(rest)
        told = pieces.ended(rest, self.turn.player, bool(self.turn.laid)) if pieces.ends else None
        rest = told or rest
        for cost, turn, codes, causes, on, off in endings(self.turn, self.unseen_on, self.unseen_off, faults=faults):
            if not self.acted and told is None:
                silent = Cause.PASS_AT_DOUBLE if self.turn.live else Cause.SILENT_PASS
                cost, causes = cost + _C[silent], (*causes, silent)
            if had_begun:
                another = Cause.ANOTHER_IN_BETWEEN if self.between else Cause.TURN_IN_BETWEEN
                cost, causes = cost + _C[another], (*causes, another)
            player = turn.player
            moved = self.moved | {player}
            hands = dict(turn.position.hands)
            if turn.hand == 0 and not (self.rules.finish_first_lap and not set(self.players) <= moved):
                # The round went on: the count was wrong.
                cost, causes = cost + _C[Cause.MISCOUNTED_HAND], (*causes, Cause.MISCOUNTED_HAND)
                turn.hand = None
                hands.pop(player, None)
                turn.position = _with_hands(turn.position, hands)
            following = [turn.position.after(player)]
            if self.resume is not None and self.resume not in following:
                following.insert(0, self.resume)
            for who in following:
                step = Step(player, End(), self._anchor(codes), codes, causes, cost)
                yield Move(cost, partial(self._next, who, turn, moved, on, off, had_begun), rest, step)

    def _next(
        self, who: str, turn: TurnState, moved: frozenset[str], on: frozenset[str], off: frozenset[str], between: bool
    ) -> MexicanState:
        """`who` has the turn after `turn`, which is over."""
        other = self._begun(who, turn, moved)
        other.unseen_on, other.unseen_off = on, off
        other.last = turn.player
        other.between = between
        other.silent = 0 if turn.laid else 1 if self.put_on else self.silent + 1
        return other

    def _anchor(self, codes: tuple[str, ...]) -> int | None:
        last, any_act, on, off = self.anchors
        if str(V.MARKER_UNEARNED) in codes and on is not None:
            return on
        if str(V.MARKER_REMOVED_WRONGLY) in codes and off is not None:
            return off
        return last if last is not None else any_act

    # ---- the common first lap ----------------------------------------------------------------------------------

    def _lap_moves(self, pieces: Pieces, rest: Rest, faults: bool) -> Iterator[Move]:
        """Everybody lays his first train at the same time: what lies on a train is its owner's, in any order."""
        for n, (train, row) in enumerate(pieces.trains):
            done = rest.tiles[n]
            if done == len(row):
                continue
            piece = row[done]
            after = rest._replace(tiles=(*rest.tiles[:n], done + 1, *rest.tiles[n + 1 :]))
            layers: tuple[str, ...] = (train,) if train in self.players else ()
            if faults:
                # Where the tile may be the owner's, it may still be the first of somebody who has laid nothing else.
                fits = self._fits(piece, train)
                layers = tuple(name for name in self.players if name == train or not fits or name not in self.moved)
            for player in layers:
                # Whoever has laid a first train and now lays elsewhere is ahead of the others.
                hasty = player in self.moved and player != train
                own = self._begun(player, self.turn, self.moved if hasty else self.moved - {player})
                late: tuple[Cause, ...] = ()
                if player in self.turn.markers:
                    late = (Cause.PLAYED_ON_AFTER_MARKING,)
                elif hasty:
                    late = (Cause.ILLEGAL,)
                elif player in self.moved and not done:
                    late = (Cause.TURN_IN_PARTS,)
                for cost, own_turn, codes, causes in own._laid(piece, train, pieces, faults):
                    lap = partial(_back, own_turn, self.starter, self.moved | {player})
                    against, wrong = _against(piece, player)
                    cost += against + sum(_C[cause] for cause in late)
                    held = (*codes, str(V.OUT_OF_TURN)) if hasty else codes
                    step = Step(player, piece.act, piece.item, held, (*causes, *late, *wrong), cost)
                    yield Move(cost, lap, after, step)
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
            back.turn = fork(self.turn, BY_MARKER)
            (back.turn.markers.add if isinstance(act, Mark) else back.turn.markers.discard)(act.player)
            back.turn = TurnState(self.rules, back.turn.table(self.starter, True))
            back.moved = self.moved | {act.player}
            after = rest._replace(markers=rest.markers | 1 << n)
            code = str(V.MARKER_UNEARNED if isinstance(act, Mark) else V.MARKER_REMOVED_WRONGLY)
            faulty = ((code,), (Cause.ILLEGAL,), _C[Cause.ILLEGAL]) if wrongly else ((), (), 0)
            yield Move(faulty[2], back, after, Step(act.player, act, piece.item, *faulty))
        if rest.draws < len(pieces.draws):
            piece = pieces.draws[rest.draws]
            after = rest._replace(draws=rest.draws + 1)
            for player in self.players:
                feeds = self._may_feed(player)
                if not (feeds or faults):
                    continue
                cost = 0 if feeds else _C[Cause.ILLEGAL]
                own = self._begun(player, self.turn, self.moved if feeds else self.moved - {player})
                _, state, codes, causes = own._done(piece, faults)
                step = Step(player, piece.act, piece.item, codes, causes, cost)
                yield Move(cost, state._back_in_lap(self.starter), after, step)
        for player in self.players:
            told = pieces.ended(rest, player, bool(self.turn.trains.get(player))) if pieces.ends else None
            if told is not None:
                back = self.copy()
                back.moved = self.moved | {player}
                yield Move(0, back, told, Step(player, End(), None, (), (), 0))
        missing = [player for player in self.players if player not in self.moved]
        # Who lays no first train marks.
        turn = fork(self.turn, BY_MARKER)
        turn.markers.update(missing)
        ended = self._begun(self.starter, turn, frozenset(self.players))
        ended.lap = False
        ended.unseen_on = self.unseen_on | frozenset(missing)
        causes = (Cause.SKIPPED_FIRST_TRAIN, Cause.MARKER_NOT_SEEN) * len(missing)
        if begun(rest):
            causes = (*causes, Cause.TURN_IN_BETWEEN)
            ended.between = True
        cost = sum(_C[cause] for cause in causes)
        yield Move(cost, ended, rest, Step(self.starter, None, None, (), causes, cost))

    def _may_feed(self, player: str) -> bool:
        """Whether the first train of `player` ends in a double that may have to be fed: the source is silent."""
        chain = self.turn.trains.get(player)
        open_ = chain is not None and bool(chain) and chain[-1].is_double and player not in self.turn.flipped
        return open_ and self.rules.leaves_open("first_double_opens")

    def _fits(self, piece: Piece, train: str) -> bool:
        """Whether the owner of the train may lay this tile now; then nobody is looked for who broke a rule with it."""
        act = piece.act
        assert isinstance(act, Play)
        if train not in self.players:
            return False
        own = self._begun(train, self.turn, self.moved - {train})
        return not own.turn.faults_of(act.tile, train).certain

    def _back_in_lap(self, starter: str) -> MexicanState:
        other = self.copy()
        other.turn = TurnState(self.rules, self.turn.table(starter, True))
        other.acted = other.put_on = False
        return other

    # ---- what nobody can explain -------------------------------------------------------------------------------

    def after_outlier(self, pieces: Pieces) -> MexicanState:
        """The table as it lies after the change, whoever made it; anybody may be next."""
        turn = fork(self.turn, (*BY_PLAY, "markers", "flipped"))
        for train, row in pieces.trains:
            chain: Chain = turn.trains.get(train, ())
            if train in turn.open:
                turn.open.remove(train)
            for piece in row:
                assert isinstance(piece.act, Play)
                chain = (*chain, piece.act.tile)
                turn.seen.add(piece.act.tile.tile)
            turn.trains[train] = chain
            if chain[-1].is_double:
                turn.open.append(train)
        for piece in pieces.flips:
            turn.act(piece.act)
        for piece in pieces.markers:
            if isinstance(piece.act, Mark):
                turn.markers.add(piece.act.player)
            elif isinstance(piece.act, Unmark):
                turn.markers.discard(piece.act.player)
        if turn.boneyard is not None:
            turn.boneyard = max(0, turn.boneyard - len(pieces.draws))
        turn.hand = None
        table = _with_hands(turn.table(turn.player, False), {})
        begun = {name for name in self.players if table.trains.get(name) or name in table.markers}
        other = self.copy()
        other.turn = TurnState(self.rules, table)
        other.moved = self.moved | begun
        other.acted = other.put_on = False
        other.anchors = (None, None, None, None)
        other.resume = None
        other.unseen_on = other.unseen_off = frozenset()
        other.silent = 0
        other.anyone = True
        other.lap = False
        other.last = None
        return other

    def on_table(self, table: Position | LinePosition) -> MexicanState:
        """The same state of the round with these tiles."""
        assert isinstance(table, Position)
        other = self.copy()
        other.turn = fork(self.turn, BY_PLAY)
        turn = other.turn
        turn.trains = dict(table.trains)
        turn.seen = {laid.tile for laid in table.laid()}
        ends = {name for name, chain in turn.trains.items() if chain and chain[-1].is_double}
        was = {name for name, chain in self.turn.trains.items() if chain and chain[-1].is_double}
        turn.open = [name for name in turn.open if name in ends] + sorted(ends - was - turn.flipped)
        return other


def _with_hands(table: Position, hands: Mapping[str, int]) -> Position:
    return Position(
        table.set_max, table.players, table.engine, table.trains, table.markers, table.open, table.flipped, table.turn,
        table.first_turn, table.boneyard, dict(hands), table.round, table.first_engine,
    )  # fmt: skip


def value_faults(rules: RuleSet, table: Position, laid: Laid, train: str) -> tuple[str, ...]:
    """What one picture proves of a tile at the end of `train`, whoever laid it."""
    found = [V.TILE_NOT_IN_SET] if max(laid) > table.set_max else []
    chain = table.trains.get(train, ())
    if chain:
        found += [V.MISMATCH] if laid.inner != chain[-1].outer else []
    elif laid.inner != table.engine.outer and not (rules.mx_root == "any" and train == MEXICAN):
        found.append(V.WRONG_ROOT)
    return tuple(map(str, found))
