"""A turn of Mexican Train while it is being played: record first, judge second.

Every act changes the table, right or wrong, and leaves behind what was wrong with it. Source: rules.md 7.1, whose order
of root causes is the order of the checks here.
"""

from __future__ import annotations

from companion.mexican.blocks import due_doubles, live_doubles, provably_blocked
from companion.position import Chain, Position
from companion.ruleset import RuleSet
from companion.tile import Laid, suit_ways
from companion.turn import MEXICAN, SECOND_MEXICAN, Action, Draw, Flip, Mark, Play, Unmark
from companion.violation import Violation as V


class TurnState:
    """The table of one turn by `position.turn`, changed by `act`, closed by `finish`.

    `codes` and `may` grow as the turn goes on; their meaning is that of `Ruling`.
    """

    __slots__ = (
        "boneyard",
        "codes",
        "complete",
        "doubles",
        "drawn",
        "drawn_ever",
        "flipped",
        "hand",
        "last_was_double",
        "live",
        "long",
        "markers",
        "may",
        "open",
        "own_plays",
        "player",
        "plays",
        "position",
        "qualified",
        "rules",
        "seen",
        "took_off",
        "trains",
    )

    def __init__(self, rules: RuleSet, position: Position) -> None:
        self.rules = rules
        self.position = position
        self.player = position.turn
        self.trains: dict[str, Chain] = dict(position.trains)
        self.markers = set(position.markers)
        self.open = list(position.open)
        self.flipped = set(position.flipped)
        self.seen = set(position.visible)
        self.boneyard = position.boneyard
        self.hand = position.hands.get(position.turn)
        self.long = rules.long_first and position.first_turn
        self.live: tuple[str, ...] = () if self.long or not position.open else live_doubles(rules, position)
        self.complete = False
        self.drawn = False
        self.drawn_ever = False
        self.doubles: list[str] = []
        self.plays = 0
        self.own_plays = 0
        self.qualified = False
        self.took_off = False
        self.last_was_double = False
        self.codes: set[V] = set()
        self.may: set[V] = set()

    def act(self, act: Action) -> None:
        match act:
            case Play(tile, train):
                self.play(tile, train)
            case Draw():
                self.draw()
            case Mark(player):
                self.mark(player)
            case Unmark(player):
                self.unmark(player)
            case Flip(train):
                self.flip(train)

    def value_due(self, train: str) -> int:
        chain = self.trains.get(train, ())
        return chain[-1].outer if chain else self.position.engine.outer

    def faults_of(self, laid: Laid, train: str) -> list[V]:
        """Everything wrong with laying this tile there now, the root cause first."""
        rules = self.rules
        first = self.plays == 0
        faults: list[V] = []
        stranger = train not in (self.player, MEXICAN, SECOND_MEXICAN)
        if laid.inner > self.position.set_max or laid.outer > self.position.set_max:
            faults.append(V.TILE_NOT_IN_SET)
        if train in self.flipped:
            faults.append(V.DEAD_TRAIN)
        if laid.tile in self.seen:
            faults.append(V.DUPLICATE_TILE)
        if train == SECOND_MEXICAN:
            faults.append(V.SECOND_MEXICAN)
        if self.position.first_turn and train == MEXICAN and rules.mx_from_turn > 1:
            faults.append(V.MX_TOO_EARLY)
        if self.long and stranger:
            faults.append(V.FIRST_TURN_OWN_ONLY)
        if self.complete and not self.long:
            faults.append(V.EXTRA_TILE)
        closes = False
        if first and self.live:
            due = due_doubles(rules, self.live)
            if train not in self.live:
                faults.append(V.OPEN_DOUBLE_IGNORED)
            elif train not in due:
                faults.append(V.DOUBLE_ORDER)
            closes = train in due
        elif self.doubles and not self.long:
            faults.extend(self._faults_after_doubles(laid, train))
        if stranger and train not in self.markers and not closes and not self._own_double_at(train):
            faults.append(V.CLOSED_TRAIN)
        chain = self.trains.get(train, ())
        if chain:
            if laid.inner != chain[-1].outer:
                faults.append(V.MISMATCH)
        elif laid.inner != self.position.engine.outer and not (rules.mx_root == "any" and train == MEXICAN):
            faults.append(V.WRONG_ROOT)
        return faults

    def _faults_after_doubles(self, laid: Laid, train: str) -> list[V]:
        rules = self.rules
        if rules.extra_tile == "this_double":
            return [V.EXTRA_NOT_ON_DOUBLE] if train != self.doubles[-1] else []
        if (
            rules.max_doubles_per_turn is not None
            and laid.is_double
            and len(self.doubles) >= rules.max_doubles_per_turn
        ):
            return [V.EXTRA_TILE]
        if rules.extra_tile == "anywhere_but_first_if_many" and len(self.doubles) >= 2 and not laid.is_double:
            wanted = self.doubles[-1] if rules.close_order == "lifo" else self.doubles[0]
            return [V.EXTRA_NOT_ON_FIRST_DOUBLE] if train != wanted else []
        return []

    def _own_double_at(self, train: str) -> bool:
        chain = self.trains.get(train, ())
        return train in self.doubles and bool(chain) and chain[-1].is_double

    def play(self, laid: Laid, train: str) -> None:
        faults = self.faults_of(laid, train)
        if faults:
            self.codes.add(faults[0])
            self.may.update(faults[1:])
        self.trains[train] = (*self.trains.get(train, ()), laid)
        self.seen.add(laid.tile)
        self.plays += 1
        if train == self.player:
            self.own_plays += 1
        if train in self.open:
            self.open.remove(train)
        if self.hand is not None:
            self.hand -= 1
        if laid.is_double and not self.long:
            self.open.append(train)
            self.doubles.append(train)
            if self.rules.redraw_after_drawn_double:
                self.drawn = False
        self.last_was_double = laid.is_double and not self.long
        completes = self.long or not laid.is_double or self.hand == 0
        if completes and not self.complete:
            self.complete = True
            self.qualified = self.rules.marker_off == "any" or train == self.player

    def draw(self) -> None:
        self.last_was_double = False
        if self.long and not self.rules.first_draw:
            self.codes.add(V.DRAW_FIRST_TURN)
        elif self.complete or self.drawn:
            self.codes.add(V.EXTRA_DRAW)
        if self.boneyard == 0:
            self.codes.add(V.DRAW_FROM_EMPTY)
        if self.rules.block_rule == "provable_stop" and self._blocked():
            self.may.add(V.DRAW_WHEN_BLOCKED)
        if self.boneyard:
            self.boneyard -= 1
        if self.hand is not None:
            self.hand += 1
        self.drawn = self.drawn_ever = True

    def _blocked(self) -> bool:
        return provably_blocked(self.rules, self.table())

    def mark(self, player: str) -> None:
        if player not in (self.player, MEXICAN):
            self.codes.add(V.MARKER_WRONG_TRAIN)
        self.markers.add(player)

    def unmark(self, player: str) -> None:
        if player not in (self.player, MEXICAN):
            self.codes.add(V.MARKER_WRONG_TRAIN)
        elif player == self.player and player in self.markers:
            self.took_off = True
        self.markers.discard(player)

    def flip(self, train: str) -> None:
        if self.rules.dead_double != "flip":
            self.codes.add(V.FLIP_NOT_IN_RULES)
        elif train not in self.open or not self._exhausted(self.value_due(train)):
            self.codes.add(V.WRONG_FLIP)
        self.flipped.add(train)
        if train in self.open:
            self.open.remove(train)

    def _exhausted(self, value: int) -> bool:
        suit = suit_ways(self.position.set_max, value)
        return bool(suit) and all(way.tile in self.seen for way in suit)

    def finish(self) -> None:
        """The end of the turn: what was due and did not happen, what happened to the own marker."""
        if self.complete:
            self._finish_complete()
        else:
            self._finish_incomplete()

    def _finish_incomplete(self) -> None:
        rules, marked = self.rules, self.player in self.markers
        undrawn = not self.long and not self.drawn
        empty_pass = rules.marker_on_empty_boneyard == "optional" and not self.drawn_ever
        missing: V | None = None
        if not marked:
            missing = V.MARKER_REMOVED_WRONGLY if self.took_off else V.MARKER_MISSING
        if missing is V.MARKER_MISSING and empty_pass and self.boneyard == 0:
            missing = None
        if self.last_was_double and undrawn and not marked and self.boneyard != 0:
            if self.boneyard is not None:
                self.codes.add(V.DOUBLE_NOT_FOLLOWED)
                self.may.update((V.NO_DRAW, missing or V.MARKER_MISSING))
                return
            self.may.add(V.DOUBLE_NOT_FOLLOWED)
        if undrawn and self.boneyard is None:
            self.may.add(V.NO_DRAW)
        elif undrawn and self.boneyard:
            self.codes.add(V.NO_DRAW)
        if missing is V.MARKER_MISSING and empty_pass and self.boneyard is None:
            self.may.add(missing)
        elif missing is not None:
            self.codes.add(missing)

    def _finish_complete(self) -> None:
        before, after = self.player in self.position.markers, self.player in self.markers
        if after and not before:
            self.codes.add(V.MARKER_UNEARNED)
        elif before and not after:
            if not self._may_take_off():
                self.codes.add(V.MARKER_REMOVED_WRONGLY)
        elif before and after and self.qualified:
            (self.codes if self.rules.marker_off_required else self.may).add(V.MARKER_NOT_REMOVED)

    def _may_take_off(self) -> bool:
        return self.plays > 0 if self.rules.marker_off == "any" else self.own_plays > 0

    def table(self, turn: str | None = None, first_turn: bool | None = None) -> Position:
        """The position as it lies now, with `turn` to move next (None: still the same player)."""
        hands = dict(self.position.hands)
        if self.hand is not None:
            hands[self.player] = self.hand
        trains = self.trains if turn is not None else dict(self.trains)
        return Position(
            set_max=self.position.set_max,
            players=self.position.players,
            engine=self.position.engine,
            trains=trains,
            markers=frozenset(self.markers),
            open=tuple(self.open),
            flipped=frozenset(self.flipped),
            turn=self.player if turn is None else turn,
            first_turn=self.position.first_turn if first_turn is None else first_turn,
            boneyard=self.boneyard,
            hands=hands,
            round=self.position.round,
            first_engine=self.position.first_engine,
            _seen=(trains, self.position.engine, frozenset(self.seen)),
        )
