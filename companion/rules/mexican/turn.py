"""Which codes rest on a question that a rule set's source leaves open, so that they are possible and never certain.

Dead doubles and provable blocks: what the table alone proves. Source: docs/rules.md 7.3.

A turn of Mexican Train while it is being played: record first, judge second.

Every act changes the table, right or wrong, and leaves behind what was wrong with it. Source: docs/rules.md 7.1, whose
order of root causes is the order of the checks here. A fault that rests on an open question of the source is never
certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.rules.position import MEXICAN, SECOND_MEXICAN, Action, Chain, Draw, Flip, Mark, Play, Position, Unmark
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid, double_set, suit_ways
from companion.rules.violations import Violation as V
from companion.rules.written import written


def open_codes(rules: RuleSet) -> frozenset[V]:
    """The codes that this rule set can only hold to be possible."""
    return _resting_on(rules.open_fields, rules.contradicted_fields, rules.dead_double == "blocks")


@lru_cache(maxsize=64)
def _resting_on(silent: frozenset[str], contradicted: frozenset[str], locks: bool) -> frozenset[V]:
    # Where a dead double locks the table, it is only open whether it still binds: `blocks.bound_for_certain`.
    fields = (silent | contradicted) - ({"dead_double"} if locks else set())
    codes = written("rules/codes.toml")["codes"].items()
    return frozenset(V(code) for code, words in codes if not fields.isdisjoint(words.get("open_with", ())))


def live_doubles(rules: RuleSet, position: Position) -> tuple[str, ...]:
    """The trains of `open` that bind the player to move, in the order of laying. Source: docs/rules.md 7.1.

    Nobody who lays a long first train is bound.
    """
    if not position.open or (rules.long_first and position.first_turn):
        return ()
    return tuple(
        train
        for train in position.open
        if train not in position.flipped
        and (rules.dead_double == "blocks" or not position.exhausted(position.value_due(train)))
    )


def bound_for_certain(rules: RuleSet, position: Position, live: tuple[str, ...]) -> bool:
    """Whether one of these doubles binds however the source's open questions are answered: a dead one may not."""
    if not rules.leaves_open("dead_double"):
        return bool(live)
    return any(not position.exhausted(position.value_due(train)) for train in live)


def flip_is_open(rules: RuleSet) -> bool:
    """Whether turning over a dead double is a question that the source leaves open.

    Where such a double binds nobody, turning it over changes nothing. Where it locks the table, it would.
    """
    return rules.dead_double == "release" and rules.leaves_open("dead_double")


def due_doubles(rules: RuleSet, live: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the live doubles that may be closed now, by the rule set's order of closing."""
    match rules.close_order:
        case "fifo":
            return live[:1]
        case "lifo":
            return live[-1:]
        case "either":
            return tuple(dict.fromkeys(live[:1] + live[-1:]))
    return live


def dead_status(position: Position, train: str) -> str:
    """Whether the open double of `train` is dead and can no longer be covered: `certain`, `possible`, or `no` without
    one."""
    chain = position.trains.get(train, ())
    if train not in position.open or train in position.flipped or not chain or not chain[-1].is_double:
        return "no"
    return "certain" if position.exhausted(chain[-1].outer) else "possible"


def reachable_trains(rules: RuleSet, position: Position) -> tuple[str, ...]:
    """The trains on which somebody could play: the open doubles due, or else every train that is not flipped."""
    live = live_doubles(rules, position)
    if live:
        return due_doubles(rules, live)
    return tuple(t for t in (*position.players, MEXICAN) if t not in position.flipped)


def provably_blocked(rules: RuleSet, position: Position) -> bool:
    """Whether no tile that is not on the table fits anywhere, whoever holds it."""
    for train in reachable_trains(rules, position):
        if rules.mx_root == "any" and train == MEXICAN and not position.trains.get(MEXICAN):
            if double_set(position.set_max) - position.visible:
                return False
        elif not position.exhausted(position.value_due(train)):
            return False
    return True


class Faults(NamedTuple):
    """The faults of one tile."""

    certain: list[V]
    """The root cause first."""
    open: list[V]
    """The faults that open questions of the rules leave possible."""


def qualifies(rules: RuleSet, player: str, plays: Sequence[Play]) -> bool:
    """Whether one of these tiles of a completed turn takes the player's marker off: any tile on their own train, and
    where the rules say so any tile at all. Source: docs/rules.md 7.1, "qualifying play"."""
    return any(rules.marker_off == "any" or play.train == player for play in plays)


class TurnState:
    """The table of one turn by `position.turn`, changed by `act`, closed by `finish`.

    `codes` and `may` grow as the turn goes on; their meaning is that of `Ruling`.
    """

    __slots__ = (
        "boneyard",
        "bound",
        "codes",
        "complete",
        "doubles",
        "drawn",
        "drawn_ever",
        "fines",
        "flipped",
        "hand",
        "laid",
        "last_was_double",
        "live",
        "long",
        "markers",
        "may",
        "open",
        "open_codes",
        "own_marker",
        "player",
        "position",
        "rules",
        "seen",
        "trains",
    )

    def __init__(self, rules: RuleSet, position: Position) -> None:
        self.rules = rules
        self.open_codes = open_codes(rules)
        self.position = position
        self.player = position.turn
        self.trains: Mapping[str, Chain] = position.trains
        self.markers = position.markers
        self.open = position.open
        self.flipped = position.flipped
        self.seen = position.visible
        self.boneyard = position.boneyard
        self.hand = position.hands.get(position.turn)
        self.long = rules.long_first and position.first_turn
        self.live = live_doubles(rules, position)
        self.bound = bound_for_certain(rules, position, self.live)
        self.complete = False
        self.drawn = False
        self.drawn_ever = False
        self.fines = 0
        self.doubles: tuple[tuple[str, int], ...] = ()
        self.laid: tuple[Play, ...] = ()
        self.own_marker: bool | None = None
        """Whether this turn has put the player's marker on or taken it off last; None: neither."""
        self.last_was_double = False
        self.codes: frozenset[V] = frozenset()
        self.may: frozenset[V] = frozenset()

    def copy(self) -> TurnState:
        """The same turn, to be played further: an act puts new values in place of what it changes."""
        other = TurnState.__new__(TurnState)
        other.boneyard = self.boneyard
        other.bound = self.bound
        other.codes = self.codes
        other.complete = self.complete
        other.doubles = self.doubles
        other.drawn = self.drawn
        other.drawn_ever = self.drawn_ever
        other.fines = self.fines
        other.flipped = self.flipped
        other.hand = self.hand
        other.laid = self.laid
        other.last_was_double = self.last_was_double
        other.live = self.live
        other.long = self.long
        other.markers = self.markers
        other.may = self.may
        other.open = self.open
        other.open_codes = self.open_codes
        other.own_marker = self.own_marker
        other.player = self.player
        other.position = self.position
        other.rules = self.rules
        other.seen = self.seen
        other.trains = self.trains
        return other

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

    def faults_of(self, laid: Laid, train: str) -> Faults:
        """Everything wrong with laying this tile there now."""
        rules = self.rules
        first = not self.laid
        faults: list[V] = []
        doubts: list[V] = []
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
        if stranger and (self.long or (self.position.first_turn and rules.others_from_turn > 1)):
            settled = self.long or not rules.leaves_open("others_from_turn")
            (faults if settled else doubts).append(V.FIRST_TURN_OWN_ONLY)
        if self.complete and not self.long:
            faults.append(V.EXTRA_TILE)
        closes = False
        perhaps_open = stranger and self._first_train_double_at(train)
        if first and self.live:
            due = due_doubles(rules, self.live)
            if train not in self.live:
                (doubts if perhaps_open or not self.bound else faults).append(V.OPEN_DOUBLE_IGNORED)
            elif train not in due:
                faults.append(V.DOUBLE_ORDER)
            elif self._is_in_order(train, self.live):
                doubts.append(V.DOUBLE_ORDER)
            closes = train in due or (train in self.live and V.DOUBLE_ORDER in self.open_codes)
        elif self.doubles and not self.long:
            after = self._faults_after_doubles(laid, train)
            faults.extend(after.certain)
            doubts.extend(after.open)
        if stranger and train not in self.markers and not closes and not self._own_double_at(train):
            (doubts if perhaps_open else faults).append(V.CLOSED_TRAIN)
        chain = self.trains.get(train, ())
        if chain:
            if laid.inner != chain[-1].outer:
                faults.append(V.MISMATCH)
        elif laid.inner != self.position.engine.outer:
            if train != MEXICAN or (rules.mx_root == "engine" and not rules.leaves_open("mx_root")):
                faults.append(V.WRONG_ROOT)
            elif rules.mx_root == "engine":
                doubts.append(V.WRONG_ROOT)
        if self.open_codes:
            doubts += [code for code in faults if code in self.open_codes]
            faults = [code for code in faults if code not in self.open_codes]
        return Faults(faults, doubts)

    def _faults_after_doubles(self, laid: Laid, train: str) -> Faults:
        rules = self.rules
        if rules.extra_tile == "this_double":
            return Faults([V.EXTRA_NOT_ON_DOUBLE] if train != self.doubles[-1][0] else [], [])
        if (
            rules.max_doubles_per_turn is not None
            and laid.is_double
            and len(self.doubles) >= rules.max_doubles_per_turn
        ):
            return Faults([V.EXTRA_TILE], [])
        if len(self.doubles) < 2 or laid.is_double:
            return Faults([], [])
        alive = self._own_doubles_alive()
        in_reverse = rules.close_order in ("lifo", "either")
        wanted = alive[-1] if alive and in_reverse else alive[0] if alive else train
        if train == wanted:
            return Faults([], [])
        in_order = self._is_in_order(train, alive)
        if rules.extra_tile == "anywhere_but_first_if_many":
            # With one left alive it is open whether it is still the first of several or like a single double.
            certain = len(alive) > 1 and not in_order
            return Faults(*([V.EXTRA_NOT_ON_FIRST_DOUBLE] if one else [] for one in (certain, not certain)))
        if train in alive and rules.close_order != "any":
            unsure = rules.leaves_open("extra_in_order")
            certain = rules.extra_in_order and not unsure and not in_order
            unsure = unsure or (rules.extra_in_order and in_order)
            return Faults(*([V.DOUBLE_ORDER] if one else [] for one in (certain, unsure)))
        return Faults([], [])

    def _is_in_order(self, train: str, doubles: Sequence[str]) -> bool:
        """Whether covering the double of this train keeps to the order of laying where the house may go backwards:
        «যেতে পারে». Source: docs/rules.md 2.5."""
        return self.rules.close_order == "either" and len(doubles) > 1 and train == doubles[0]

    def _own_doubles_alive(self) -> list[str]:
        """The trains that still end in a double of this turn which can be closed, in the order of laying."""
        return [
            train
            for train, value in self.doubles
            if self.trains[train][-1] == Laid(value, value) and not self._exhausted(value)
        ]

    def _own_double_at(self, train: str) -> bool:
        chain = self.trains.get(train, ())
        return bool(chain) and chain[-1].is_double and any(train == name for name, _ in self.doubles)

    def _first_train_double_at(self, train: str) -> bool:
        """Whether this train ends in a double of a first train which, the source being silent, may be open or not."""
        if not self.rules.long_first or not self.rules.leaves_open("first_double_opens"):
            return False
        chain = self.trains.get(train, ())
        return bool(chain) and chain[-1].is_double and train not in self.open and train not in self.flipped

    def _hold(self, code: V, *, certain: bool) -> None:
        if certain and code not in self.open_codes:
            self.codes |= {code}
        else:
            self.may |= {code}

    def play(self, laid: Laid, train: str) -> None:
        faults = self.faults_of(laid, train)
        if faults.certain or faults.open:
            self.codes = self.codes.union(faults.certain[:1])
            self.may = self.may.union(faults.certain[1:], faults.open)
        self.trains = {**self.trains, train: (*self.trains.get(train, ()), laid)}
        self.seen |= {laid.tile}
        self.laid = (*self.laid, Play(laid, train))
        self._cover(train)
        if self.hand is not None:
            self.hand -= 1
        if laid.is_double and (not self.long or self.rules.first_double_opens):
            self.open = (*self.open, train)
        if laid.is_double and not self.long:
            self.doubles = (*self.doubles, (train, laid.outer))
            if self.rules.redraw_after_drawn_double:
                self.drawn = False
        self.last_was_double = laid.is_double and not self.long
        if self.long or not laid.is_double or self.hand == 0:
            self.complete = True

    def _cover(self, train: str) -> None:
        if train in self.open:
            self.open = tuple(name for name in self.open if name != train)

    def draw(self) -> None:
        self.last_was_double = False
        if self.long and not self.rules.first_draw:
            feeding = self._first_train_double_at(self.player)
            # A second draw, and one after a tile, is wrong also where a first turn may have one.
            before_all = self.rules.leaves_open("first_draw") and not self.complete
            self._hold(V.DRAW_FIRST_TURN, certain=self.drawn or not (feeding or before_all))
        elif self.complete and self.rules.announce is not None and (self.hand == 1 or self.fines):
            # Drawn for a last tile that was not announced, as far as the house does so.
            self.fines += 1
            if self.fines > self.rules.announce_penalty:
                self._hold(V.EXTRA_DRAW, certain=True)
        elif self.complete or (self.drawn and self.rules.draws == "one"):
            self._hold(V.EXTRA_DRAW, certain=self.complete or not self.rules.leaves_open("draws"))
        if self.boneyard == 0:
            self.codes |= {V.DRAW_FROM_EMPTY}
        if self.rules.block_rule == "provable_stop" and self._blocked():
            self.may |= {V.DRAW_WHEN_BLOCKED}
        if self.boneyard:
            self.boneyard -= 1
        if self.hand is not None:
            self.hand += 1
        if not 0 < self.fines <= self.rules.announce_penalty:
            self.drawn = self.drawn_ever = True

    def _blocked(self) -> bool:
        return provably_blocked(self.rules, self.table())

    def mark(self, player: str) -> None:
        if player not in (self.player, MEXICAN):
            self.codes |= {V.MARKER_WRONG_TRAIN}
        if player == self.player:
            self.own_marker = True
        self.markers |= {player}

    def unmark(self, player: str) -> None:
        if player not in (self.player, MEXICAN):
            self.codes |= {V.MARKER_WRONG_TRAIN}
        elif player == self.player and player in self.markers:
            self.own_marker = False
        self.markers -= {player}

    def flip(self, train: str) -> None:
        if self.rules.dead_double != "flip":
            dead = train in self.open and self._exhausted(self.value_due(train))
            self._hold(V.FLIP_NOT_IN_RULES, certain=not (dead and flip_is_open(self.rules)))
        elif train not in self.open or not self._exhausted(self.value_due(train)):
            self._hold(V.WRONG_FLIP, certain=True)
        self.flipped |= {train}
        self._cover(train)

    def _exhausted(self, value: int) -> bool:
        suit = suit_ways(self.position.set_max, value)
        return bool(suit) and all(way.tile in self.seen for way in suit)

    def finish(self) -> None:
        """The end of the turn: what was due and did not happen, what happened to their own marker."""
        if self.complete:
            self._finish_complete()
        else:
            self._finish_incomplete()

    def _finish_incomplete(self) -> None:
        rules, marked = self.rules, self.player in self.markers
        undrawn = not self.long and not self.drawn
        empty_pass = rules.marker_on_empty_boneyard == "optional" and not self.drawn_ever
        missing: V | None = None
        if not marked and not self.own_marker:
            missing = V.MARKER_MISSING if self.own_marker is None else V.MARKER_REMOVED_WRONGLY
        if missing is V.MARKER_MISSING and empty_pass and self.boneyard == 0:
            missing = None
        # With an empty boneyard it may be open whether a pass asks for the marker.
        unsure_pass = self.boneyard == 0 and not self.drawn_ever and rules.leaves_open("marker_on_empty_boneyard")
        if self.last_was_double and undrawn and not marked and self.boneyard != 0:
            if self.boneyard is not None:
                self.codes |= {V.DOUBLE_NOT_FOLLOWED}
                self.may |= {V.NO_DRAW, missing or V.MARKER_MISSING}
                return
            self.may |= {V.DOUBLE_NOT_FOLLOWED}
        declining = rules.may_decline and not self.bound and not self.doubles
        if undrawn and self.boneyard != 0 and (not declining or rules.decline_draws):
            unsure = self.boneyard is None or (declining and rules.leaves_open("decline_draws"))
            unsure = unsure or (self.drawn_ever and rules.leaves_open("redraw_after_drawn_double"))
            self._hold(V.NO_DRAW, certain=not unsure)
        if missing is V.MARKER_MISSING and empty_pass and self.boneyard is None:
            self.may |= {missing}
        elif missing is not None:
            self._hold(missing, certain=not (unsure_pass and missing is V.MARKER_MISSING))

    def _finish_complete(self) -> None:
        rules, player = self.rules, self.player
        before, after = player in self.position.markers, player in self.markers
        drawn_for_others = self.drawn_ever and not any(play.train == player for play in self.laid)
        due = rules.marker_after == "nothing_on_own" and drawn_for_others
        if after and not before and self.own_marker and not due:
            on_a_double = self.long and self._first_train_double_at(player)
            unsure = on_a_double or (drawn_for_others and rules.leaves_open("marker_after"))
            self._hold(V.MARKER_UNEARNED, certain=not unsure)
        elif before and not after and not self.qualifies:
            # Where the marker may come off, a tile laid on their own train in an earlier turn is still good for it.
            earned = not rules.marker_off_required and bool(self.position.trains.get(player))
            self._hold(V.MARKER_REMOVED_WRONGLY, certain=not earned)
        elif before and after and self.qualifies:
            # Nobody takes a marker off once the round is over.
            self._hold(V.MARKER_NOT_REMOVED, certain=rules.marker_off_required and self.hand != 0)
        elif due and not after:
            self._hold(V.MARKER_MISSING, certain=not rules.leaves_open("marker_after"))

    @property
    def qualifies(self) -> bool:
        """Whether this turn has laid a tile for which their own marker comes off. Source: docs/rules.md 7.1."""
        return qualifies(self.rules, self.player, self.laid)

    @property
    def feeding(self) -> bool:
        """Whether a double must be covered now: one that was open when the turn began, or one that this turn laid."""
        return not self.complete and bool(self.doubles or self.live)

    def table(self, turn: str | None = None, first_turn: bool | None = None) -> Position:
        """The position as it lies now, with `turn` to move next (None: still the same player)."""
        hands = dict(self.position.hands)
        if self.hand is not None:
            hands[self.player] = self.hand
        return Position(
            set_max=self.position.set_max,
            players=self.position.players,
            engine=self.position.engine,
            trains=self.trains,
            markers=self.markers,
            open=self.open,
            flipped=self.flipped,
            turn=self.player if turn is None else turn,
            first_turn=self.position.first_turn if first_turn is None else first_turn,
            boneyard=self.boneyard,
            hands=hands,
            round=self.position.round,
            first_engine=self.position.first_engine,
            gone=self.position.gone,
            _seen=(self.trains, self.position.engine, self.seen),
        )
