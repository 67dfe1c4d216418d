"""Faults on demand: turns in which the judge finds exactly one code.

A fault is looked for, not constructed: a pool of bent turns (a tile in the wrong place, a marker forgotten, a second
draw ...) is put before the judge, and one on which it rules with exactly the wanted code is played. So a planted turn
is a fault by the same rules that have to find it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from companion.rules.mexican.judge import legal_plays, play_out
from companion.rules.position import (
    MEXICAN,
    SECOND_MEXICAN,
    Action,
    Discard,
    Draw,
    End,
    Flip,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    Unmark,
)
from companion.rules.tile import Laid, Tile
from companion.rules.violations import Violation
from datasets.bots.mexican import TurnMaker
from datasets.bots.rounds import BotRound

Bent = tuple[str, tuple[Action, ...]]
"""The player and the acts of a turn."""

AT_THE_DEAL = frozenset({Violation.WRONG_ENGINE, Violation.ENGINE_NOT_DOUBLE})
BY_HIDDEN_HANDS = frozenset({Violation.NEEDLESS_DRAW, Violation.PASSED_WITH_PLAYABLE, Violation.DISCARD_WITH_PLAYABLE})
"""Legal to the eye; proved, if at all, when the hands are shown."""

IN_A_LINE = frozenset(
    {
        Violation.TILE_NOT_IN_SET,
        Violation.MULTIPLICITY,
        Violation.MISMATCH,
        Violation.EXTRA_TILE,
        Violation.CLOSED_END,
        Violation.PASS_WITHOUT_DISCARD,
        Violation.DISCARD_FACE_UP,
        Violation.LEAD_MUST_PLAY,
    }
)
"""The codes that a turn of a Chinese game can be bent to."""

MOST_TRIALS = 400
"""Bent turns put before the judge for one code at one moment."""


def plantable(rules_name: str) -> tuple[Violation, ...]:
    """The codes that bots can plant under a published rule set.

    In `reeves` a marker "may" come off, so that MARKER_NOT_REMOVED is never certain there.
    """
    bent = {Violation.OUT_OF_TURN, *BY_HIDDEN_HANDS, *AT_THE_DEAL, *IN_A_LINE, *BENDING}
    if rules_name == "reeves":
        bent -= {Violation.MARKER_NOT_REMOVED}
    return tuple(code for code in sorted(bent) if rules_name in code.games)


@dataclass(slots=True)
class Plan:
    """When and what to plant: one of `codes` in a share `rate` of the turns, at most `most` times a round.

    In a share `latitude` of the turns the bot takes a liberty: a turn that is legal only because the source leaves a
    question open.
    """

    codes: tuple[Violation, ...]
    rate: float
    most: int | None
    rng: Random
    planted: int = 0
    latitude: float = 0.0

    def turn(
        self, game: BotRound, position: Position | LinePosition
    ) -> tuple[str, tuple[Action, ...], str | None] | None:
        """A faulty turn for this moment, with its code, or a liberty without one; None where a plain legal turn is to
        be made."""
        if self.latitude and isinstance(position, Position) and self.rng.random() < self.latitude:
            taken = liberty(game, position, self.rng)
            if taken is not None:
                return position.turn, taken, None
        if not self._wanted() or self.rng.random() >= self.rate:
            return None
        codes = [code for code in self.codes if code not in AT_THE_DEAL]
        self.rng.shuffle(codes)
        for code in codes:
            bent = bend(game, position, code, self.rng)
            if bent is not None:
                self.planted += 1
                return (*bent, str(code))
        return None

    def engine(self, engine: Laid, set_max: int) -> tuple[Laid, str | None]:
        """The engine that is laid in the middle, and the code if it is a wrong one."""
        codes = [code for code in self.codes if code in AT_THE_DEAL]
        if not codes or not self._wanted() or self.rng.random() >= self.rate:
            return engine, None
        self.planted += 1
        code = self.rng.choice(codes)
        other = (engine.outer + self.rng.randint(1, set_max)) % (set_max + 1)
        return (Laid(other, other) if code is Violation.WRONG_ENGINE else Laid(other, engine.outer)), str(code)

    def _wanted(self) -> bool:
        return bool(self.codes) and (self.most is None or self.planted < self.most)


def bend(game: BotRound, position: Position | LinePosition, code: Violation, rng: Random) -> Bent | None:
    """A turn at `position` that breaks exactly `code`, or None where none was found."""
    if code is Violation.OUT_OF_TURN:
        return _out_of_turn(game, position, rng)
    pool: Iterable[tuple[Action, ...]]
    if isinstance(position, LinePosition):
        hidden = code is Violation.DISCARD_WITH_PLAYABLE
        pool = _hidden_discard(game, position) if hidden else _bent_line_turns(game, position, rng)
    else:
        pool = _hidden(game, position, code, rng) if code in BY_HIDDEN_HANDS else _bent_turns(game, position, code, rng)
    wanted = frozenset[Violation]() if code in BY_HIDDEN_HANDS else frozenset({code})
    for trial, actions in enumerate(pool):
        if trial >= MOST_TRIALS:
            break
        if game.referee.judge(position, actions).codes == wanted:
            return position.turn, actions
    return None


def liberty(game: BotRound, position: Position, rng: Random) -> tuple[Action, ...] | None:
    """A turn that is legal, and against which something is possible all the same; None where none was found."""
    kinds = [_misplaced, _with_markers_wrong, _with_draws_wrong]
    rng.shuffle(kinds)
    for kind in kinds:
        for trial, actions in enumerate(kind(game, position, rng)):
            if trial >= MOST_TRIALS // 4:
                break
            ruling = game.referee.judge(position, actions)
            if ruling.legal and ruling.may and _honest(game, position, actions):
                return actions
    return None


def _honest(game: BotRound, position: Position, actions: tuple[Action, ...]) -> bool:
    """Whether nobody draws or passes in this turn who could, and must, have laid a tile."""
    hand, pile = set(game.hands[position.turn]), list(game.pile)
    for n, act in enumerate((*actions, End())):
        done = actions[:n]
        if isinstance(act, (Draw, End)):
            turn = play_out(game.rules, position, done)
            must = turn.feeding or not (game.rules.may_decline or turn.long)
            if must and not turn.complete and legal_plays(game.rules, position, hand, done, surely=True):
                return False
        if isinstance(act, Draw) and pile:
            hand.add(pile.pop())
        elif isinstance(act, Play):
            hand.discard(act.tile.tile)
        elif isinstance(act, End):
            return True
    return True


def _out_of_turn(game: BotRound, position: Position | LinePosition, rng: Random) -> Bent | None:
    """Another player makes a faultless turn, although the expected one cannot have passed unseen.

    Not the one who moved last: that would be a tile too many.
    """
    others = [name for name in position.players if name != position.turn and position.after(name) != position.turn]
    rng.shuffle(others)
    if game.rules.first_simultaneous and game.moved < set(position.players):
        return None
    skipped = game.referee.judge(position, (Pass() if isinstance(position, LinePosition) else End(),))
    if skipped.legal:
        return None
    for player in others:
        theirs: Position | LinePosition
        if isinstance(position, LinePosition):
            theirs = replace(position, turn=player)
            plays = game.referee.legal_plays(theirs, game.hands[player])
            if plays and position.line:
                return player, (rng.choice(plays),)
            continue
        theirs = replace(position, turn=player, first_turn=player not in game.moved)
        maker = _maker(game, theirs, rng)
        actions = maker.make()
        if maker.complete and not maker.drawn_ever:
            return player, actions
    return None


def _maker(game: BotRound, position: Position, rng: Random) -> TurnMaker:
    return TurnMaker(game.rules, position, list(game.hands[position.turn]), list(game.pile), rng)


def _bent_turns(game: BotRound, position: Position, code: Violation, rng: Random) -> Iterator[tuple[Action, ...]]:
    """Turns of a Mexican Train that are wrong in a way which may come to `code`."""
    moment = WHEN.get(code)
    if moment is not None and not moment(game, position):
        return
    for kind in BENDING.get(code, ()):
        yield from kind(game, position, rng)


def _finished(maker: TurnMaker) -> tuple[Action, ...]:
    maker.set_marker()
    return (*maker.acts, End())


def _misplaced(game: BotRound, position: Position, rng: Random) -> Iterator[tuple[Action, ...]]:
    """Each tile of the hand anywhere, either way round; also after an own double."""
    trains = [*position.players, MEXICAN, SECOND_MEXICAN]
    ways = [
        Play(laid, train)
        for tile in game.hands[position.turn]
        for laid in {Laid(tile.low, tile.high), Laid(tile.high, tile.low)}
        for train in trains
    ]
    rng.shuffle(ways)
    ways.sort(key=lambda play: play.tile.inner != position.value_due(play.train))
    doubles = [play for play in _maker(game, position, rng).options() if play.tile.is_double]
    for play in ways[: MOST_TRIALS // 4]:
        maker = _maker(game, position, rng)
        maker.lay(play)
        if not maker.complete:
            maker.lay_on()
        yield _finished(maker)
    for double in doubles:
        for play in ways[: MOST_TRIALS // 8]:
            maker = _maker(game, position, rng)
            maker.lay(double)
            if play.tile != double.tile:
                second = next((other for other in maker.options() if other.tile.is_double), None)
                if second is not None and second.tile != play.tile and rng.random() < 0.5:
                    maker.lay(second)
                maker.lay(play)
                yield _finished(maker)


def _with_markers_wrong(game: BotRound, position: Position, rng: Random) -> Iterator[tuple[Action, ...]]:
    for _ in range(4):
        actions = _maker(game, position, rng).make()
        body = [action for action in actions if not isinstance(action, (Mark, Unmark, End))]
        own = position.turn
        marks = [action for action in actions if isinstance(action, (Mark, Unmark))]
        yield (*body, End())
        yield (*body, Mark(own), End())
        yield (*body, Unmark(own), End())
        for player in position.players:
            if player != own:
                change = Unmark(player) if player in position.markers else Mark(player)
                yield (*body, *marks, change, End())


def _with_draws_wrong(game: BotRound, position: Position, rng: Random) -> Iterator[tuple[Action, ...]]:
    marked = position.turn in position.markers
    marks: tuple[Action, ...] = () if marked else (Mark(position.turn),)
    yield (*marks, End())
    yield (Draw(), *marks, End())
    yield (Draw(), Draw(), *marks, End())
    maker = _maker(game, position, rng)
    actions = maker.make()[:-1]
    yield (*actions, Draw(), End())
    yield (Draw(), *actions, End())


def _one_too_many(game: BotRound, position: Position, rng: Random) -> Iterator[tuple[Action, ...]]:
    """A legal turn and one more fitting tile."""
    for _ in range(3):
        maker = _maker(game, position, rng)
        maker.lay_on()
        if not maker.complete:
            return
        for tile in rng.sample(maker.hand, len(maker.hand)):
            for train in (position.turn, MEXICAN):
                due = _due_after(position, maker.acts, train)
                if tile.has(due):
                    outer = tile.high if tile.low == due else tile.low
                    more = TurnMaker(game.rules, position, list(maker.hand), list(maker.pile), rng)
                    more.acts, more.complete, more.qualified = list(maker.acts), True, maker.qualified
                    more.drawn = more.drawn_ever = maker.drawn_ever
                    more.lay(Play(Laid(due, outer), train))
                    yield _finished(more)


def _due_after(position: Position, acts: Sequence[Action], train: str) -> int:
    due = position.value_due(train)
    for act in acts:
        if isinstance(act, Play) and act.train == train:
            due = act.tile.outer
    return due


def _not_followed(game: BotRound, position: Position, rng: Random) -> Iterator[tuple[Action, ...]]:
    """A double, and nothing after it."""
    maker = _maker(game, position, rng)
    for play in maker.options():
        if play.tile.is_double:
            yield (play, End())


def _flips(game: BotRound, position: Position, rng: Random) -> Iterator[tuple[Action, ...]]:
    actions = _maker(game, position, rng).make()
    for train in (*position.players, MEXICAN):
        chain = position.trains[train]
        if chain and chain[-1].is_double and train not in position.flipped:
            yield (Flip(train), *actions)


def _strange_tiles(game: BotRound, position: Position, rng: Random) -> Iterator[tuple[Action, ...]]:
    """A tile of another box: one that lies there already, or one above the set."""
    live = position.open[:1] or (position.turn,)
    for train in (*live, position.turn, MEXICAN, *sorted(position.flipped)):
        due = position.value_due(train)
        known = [tile for tile in sorted(position.visible) if tile.has(due) and not tile.is_double]
        rng.shuffle(known)
        strangers = [Tile(due, position.set_max + 1), *known[:3]]
        rng.shuffle(strangers)
        for tile in strangers:
            maker = _maker(game, position, rng)
            maker.lay(Play(Laid(due, tile.high if tile.low == due else tile.low), train))
            yield _finished(maker)


def _hidden(game: BotRound, position: Position, code: Violation, rng: Random) -> Iterator[tuple[Action, ...]]:
    """A draw or a pass by a player who could have laid."""
    maker = _maker(game, position, rng)
    options = maker.options()
    if not options or maker.long:
        return
    if code is Violation.NEEDLESS_DRAW and game.pile:
        maker.draw()
        maker.lay(maker.liked(options))
        if not maker.complete:
            maker.lay_on()
        yield _finished(maker)
    elif code is Violation.PASSED_WITH_PLAYABLE:
        maker.draw_if_due()
        yield _finished(maker)


def _bent_line_turns(game: BotRound, position: LinePosition, rng: Random) -> Iterator[tuple[Action, ...]]:
    """Turns of a Chinese game with something wrong in them."""
    hand = sorted(set(game.hands[position.turn]))
    rng.shuffle(hand)
    yield (Pass(),)
    yield (Discard(),)
    yield (Discard(face_up=True),)
    ways = [
        Play(laid, arm)
        for tile in hand
        for laid in {Laid(tile.low, tile.high), Laid(tile.high, tile.low)}
        for arm in ("R", "L")
    ]
    rng.shuffle(ways)
    for play in ways:
        yield (play,)
    for play in game.referee.legal_plays(position, hand):
        for other in ways:
            if other.tile.tile != play.tile.tile and other.train == "R" and other.tile.inner == play.tile.outer:
                yield (play, other)
        yield (play, Discard())
    if position.ends is not None:
        due = position.ends[1]
        for value in rng.sample(range(7), 7):
            yield (Play(Laid(due, value), "R"),)


def _hidden_discard(game: BotRound, position: LinePosition) -> Iterator[tuple[Action, ...]]:
    if position.line and game.referee.legal_plays(position, game.hands[position.turn]):
        yield (Discard(),)


_PLACES = (_misplaced,)
_MARKERS = (_with_markers_wrong,)
_DRAWS = (_with_draws_wrong,)

BENDING: Mapping[Violation, tuple[Callable[[BotRound, Position, Random], Iterator[tuple[Action, ...]]], ...]] = {
    Violation.CLOSED_TRAIN: _PLACES,
    Violation.DEAD_TRAIN: (_strange_tiles, _misplaced),
    Violation.DOUBLE_NOT_FOLLOWED: (_not_followed,),
    Violation.DOUBLE_ORDER: _PLACES,
    Violation.DRAW_FIRST_TURN: _DRAWS,
    Violation.DRAW_FROM_EMPTY: _DRAWS,
    Violation.DUPLICATE_TILE: (_strange_tiles,),
    Violation.EXTRA_DRAW: _DRAWS,
    Violation.EXTRA_NOT_ON_DOUBLE: _PLACES,
    Violation.EXTRA_NOT_ON_FIRST_DOUBLE: _PLACES,
    Violation.EXTRA_TILE: (_one_too_many,),
    Violation.FIRST_TURN_OWN_ONLY: _PLACES,
    Violation.FLIP_NOT_IN_RULES: (_flips,),
    Violation.MARKER_MISSING: _MARKERS,
    Violation.MARKER_NOT_REMOVED: _MARKERS,
    Violation.MARKER_REMOVED_WRONGLY: _MARKERS,
    Violation.MARKER_UNEARNED: _MARKERS,
    Violation.MARKER_WRONG_TRAIN: _MARKERS,
    Violation.MISMATCH: _PLACES,
    Violation.MX_TOO_EARLY: _PLACES,
    Violation.NO_DRAW: _DRAWS,
    Violation.OPEN_DOUBLE_IGNORED: _PLACES,
    Violation.SECOND_MEXICAN: _PLACES,
    Violation.TILE_NOT_IN_SET: (_strange_tiles,),
    Violation.WRONG_FLIP: (_flips,),
    Violation.WRONG_ROOT: _PLACES,
}
"""Which bent turns may come to which code."""

WHEN: Mapping[Violation, Callable[[BotRound, Position], bool]] = {
    Violation.DEAD_TRAIN: lambda game, position: bool(position.flipped),
    Violation.DOUBLE_ORDER: lambda game, position: len(position.open) > 1,
    Violation.DRAW_FIRST_TURN: lambda game, position: position.first_turn,
    Violation.DRAW_FROM_EMPTY: lambda game, position: not game.pile,
    # After a first train that ends on a double one draw more may have been for that double.
    Violation.EXTRA_DRAW: lambda game, position: (
        not (
            game.rules.leaves_open("first_double_opens")
            and position.trains[position.turn][-1:]
            and position.trains[position.turn][-1].is_double
        )
    ),
    Violation.FIRST_TURN_OWN_ONLY: lambda game, position: position.first_turn,
    Violation.MX_TOO_EARLY: lambda game, position: position.first_turn,
    Violation.OPEN_DOUBLE_IGNORED: lambda game, position: bool(position.open),
}
"""Moments at which a code cannot arise need no search."""
