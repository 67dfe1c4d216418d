"""The acts of a turn, one frozen value each. The one-line notation of each stands in `notation`.

The table between two turns, as far as it is known. Source: docs/rules.md section 1 (`state`).

Both positions follow the table: an illegal tile is part of them like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from companion.rules.ruleset_fields import ANY_SET
from companion.rules.tile import Laid, RulesError, Tile, suit_ways

MEXICAN = "MX"
"""The Mexican train's name among the trains."""
SECOND_MEXICAN = "MX2"
"""An attempted second Mexican train."""
RIGHT = "R"
LEFT = "L"
SOMEBODY = "?"
"""Stands for a player where a tile was put away and nobody knows who sits there."""


@dataclass(frozen=True, slots=True)
class Play:
    """A tile laid on a train or at an end of a Chinese line.

    >>> from companion.rules import parse_act
    >>> parse_act('play 12-5@Ann')
    Play(tile=Laid(inner=12, outer=5), train='Ann')
    """

    tile: Laid
    """In a Chinese line `inner` is the left half and `outer` the right half, wherever the tile was added."""
    train: str
    """A player's name, `MX` or `MX2`; in a Chinese line `R` or `L`."""

    def __str__(self) -> str:
        """The act in notation: what `Board.push` and `Board.explain` take."""
        sign = ":" if self.train in (RIGHT, LEFT) else "-"
        return f"play {self.tile.inner}{sign}{self.tile.outer}@{self.train}"


@dataclass(frozen=True, slots=True)
class Draw:
    """One tile taken from the boneyard.

    >>> from companion.rules import Draw, print_act
    >>> print_act(Draw())
    'draw'
    """

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker put on a train.

    >>> from companion.rules import Mark, print_act
    >>> print_act(Mark('Ann'))
    'mark Ann'
    """

    player: str
    """The owner of the train."""

    def __str__(self) -> str:
        return f"mark {self.player}"


@dataclass(frozen=True, slots=True)
class Unmark:
    """A marker taken off a train.

    >>> from companion.rules import Unmark, print_act
    >>> print_act(Unmark('Ann'))
    'unmark Ann'
    """

    player: str
    """The owner of the train."""

    def __str__(self) -> str:
        return f"unmark {self.player}"


@dataclass(frozen=True, slots=True)
class Flip:
    """An open double turned face down at the end of its train.

    >>> from companion.rules import Flip, print_act
    >>> print_act(Flip('Ann'))
    'flip Ann'
    """

    train: str

    def __str__(self) -> str:
        return f"flip {self.train}"


@dataclass(frozen=True, slots=True)
class Discard:
    """Chinese games: an own tile laid aside instead of a play.

    >>> from companion.rules import Discard, print_act
    >>> print_act(Discard(), ':')
    'discard'
    """

    face_up: bool = False
    tile: Tile | None = None
    """Its face, where it lies face up."""

    def __str__(self) -> str:
        shown = f" {self.tile.low}:{self.tile.high}" if self.tile is not None else ""
        return f"discard faceup{shown}" if self.face_up or shown else "discard"


@dataclass(frozen=True, slots=True)
class Pass:
    """The turn ends without a play; as an act of its own it says so aloud.

    >>> from companion.rules import Pass, print_act
    >>> print_act(Pass())
    'pass'
    """

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class End:
    """The turn is over.

    >>> from companion.rules import End, print_act
    >>> print_act(End())
    'end'
    """

    def __str__(self) -> str:
        return "end"


@dataclass(frozen=True, slots=True)
class Leave:
    """A player goes away in the middle of the round, and the hand is put aside. The rules know no such act.

    >>> from companion.rules.position import Leave
    >>> str(Leave())
    'leave'
    """

    def __str__(self) -> str:
        return "leave"


Action = Play | Draw | Mark | Unmark | Flip | Discard | Pass | End

TableAct = Action | Leave
"""An event of a round: an act that the rules know, or a player goes away."""


def ruled(act: TableAct) -> Action:
    """The act as one that the rules know: `Leave` is none."""
    assert not isinstance(act, Leave)
    return act


Chain = tuple[Laid, ...]

Seen = tuple[Mapping[str, Chain], Laid, frozenset[Tile]]
"""The tiles of a table, with the trains and the engine they were read from: they hold for these and no others."""


@dataclass(frozen=True, slots=True)
class Position:
    """A Mexican Train table. Nothing is checked here: what is wrong with a table is for the judge to say.

    >>> from companion.rules import Board
    >>> Board('tactic', trains={'Ann': '12-5'}, markers=['Ben']).position.markers
    frozenset({'Ben'})
    """

    set_max: int
    players: tuple[str, ...]
    """Clockwise."""
    engine: Laid
    trains: Mapping[str, Chain]
    """Every player and `MX`; an empty chain is not started."""
    markers: frozenset[str] = frozenset()
    open: tuple[str, ...] = ()
    """The trains that end in an uncovered double, in the order of laying."""
    flipped: frozenset[str] = frozenset()
    """The trains that a face-down dead double closes; the double stays the last tile of the chain."""
    turn: str = ""
    first_turn: bool = False
    boneyard: int | None = None
    """None: it cannot be counted."""
    hands: Mapping[str, int] = field(default_factory=dict)
    """Tile counts before the turn; a player who is not named holds more than one tile."""
    round: int | None = None
    """None: the value of the engine is not checked."""
    first_engine: int | None = None
    gone: frozenset[str] = frozenset()
    """Players who have left in the middle of the round: they have no more turn."""
    _seen: Seen | None = field(default=None, repr=False, compare=False)

    def value_due(self, train: str) -> int:
        """The value that the next tile of `train` must show inwards. Raises RulesError.

        >>> from companion.rules import Board
        >>> Board('tactic', trains={'Ann': '12-5 5-7'}).position.value_due('Ann')
        7
        """
        try:
            chain = self.trains.get(train, ())
        except TypeError:
            raise RulesError(f"train: expected a name, not {train!r}") from None
        return chain[-1].outer if chain else self.engine.outer

    def laid(self) -> Iterator[Laid]:
        """Every tile on the table, the engine first, flipped doubles included.

        >>> from companion.rules import Board
        >>> list(Board('tactic', trains={'Ann': '12-5'}).position.laid())
        [Laid(inner=12, outer=12), Laid(inner=12, outer=5)]
        """
        yield self.engine
        for chain in self.trains.values():
            yield from chain

    @property
    def visible(self) -> frozenset[Tile]:
        """The different tiles on the table (a tile seen twice counts once).

        >>> from companion.rules import Board
        >>> sorted(Board('tactic', trains={'Ann': '12-5'}).position.visible)
        [Tile(low=5, high=12), Tile(low=12, high=12)]
        """
        seen = self._seen
        if seen is None or seen[0] is not self.trains or seen[1] != self.engine:
            seen = (self.trains, self.engine, frozenset(t.tile for t in self.laid()))
            object.__setattr__(self, "_seen", seen)
        return seen[2]

    def count(self, value: int) -> int:
        """How many different tiles of the set with `value` lie on the table. Source: docs/rules.md 7.3, n(v).

        >>> from companion.rules import Board
        >>> Board('tactic', trains={'Ann': '12-5 5-7'}).position.count(5)
        2
        """
        return sum(1 for t in self.visible if t.has(value) and t.high <= self.set_max)

    def exhausted(self, value: int) -> bool:
        """Whether all set_max + 1 tiles with `value` lie on the table. Source: docs/rules.md 7.3. Raises RulesError.

        >>> from companion.rules import Board
        >>> Board('tactic', trains={'Ann': '12-5 5-7'}).position.exhausted(5)
        False
        """
        try:
            suit = suit_ways(self.set_max, value)
        except TypeError:
            raise RulesError(f"value: expected a whole number, not {value!r}") from None
        return bool(suit) and all(way.tile in self.visible for way in suit)

    def train_names(self) -> tuple[str, ...]:
        """The trains there are: each player's, the Mexican one, and a second Mexican one if it was begun.

        >>> from companion.rules import Board
        >>> Board('tactic').position.train_names()
        ('Ann', 'Ben', 'MX')
        """
        names = (*self.players, MEXICAN)
        return (*names, SECOND_MEXICAN) if SECOND_MEXICAN in self.trains else names

    def after(self, player: str) -> str:
        """The player to the left of `player`. Raises RulesError.

        >>> from companion.rules import Board
        >>> Board('tactic', ['Ann', 'Ben', 'Cy']).position.after('Cy')
        'Ann'
        """
        return _after(self.players, player, self.gone)


@dataclass(frozen=True, slots=True)
class LinePosition:
    """A Chinese line.

    >>> from companion.rules import Board
    >>> Board('jielong', line='2:6 6:4').position.line
    (Laid(inner=2, outer=6), Laid(inner=6, outer=4))
    """

    set_max: ClassVar[int] = ANY_SET
    """There is one Chinese set alone, no boneyard, no marker and no first turn of another kind."""
    boneyard: ClassVar[None] = None
    markers: ClassVar[frozenset[str]] = frozenset()
    first_turn: ClassVar[bool] = False

    players: tuple[str, ...]
    """Counter-clockwise, which is the playing order."""
    line: Chain = ()
    """From left to right."""
    turn: str = ""
    discards: Mapping[str, int] = field(default_factory=dict)
    """How many tiles each player has laid aside face down."""
    hands: Mapping[str, int] = field(default_factory=dict)
    """Tile counts, where known."""
    passes: int = 0
    """In a row until now."""
    gone: frozenset[str] = frozenset()
    """Players who have left in the middle of the deal: they have no more turn."""

    @property
    def ends(self) -> tuple[int, int] | None:
        """The values at the left and the right end; None while nothing is laid.

        >>> from companion.rules import Board
        >>> Board('jielong', line='2:6 6:4').position.ends
        (2, 4)
        """
        return (self.line[0].inner, self.line[-1].outer) if self.line else None

    def after(self, player: str) -> str:
        """The player who is next after `player`. Raises RulesError.

        >>> from companion.rules import Board
        >>> Board('jielong', ['Ann', 'Ben', 'Cy']).position.after('Ann')
        'Ben'
        """
        return _after(self.players, player, self.gone)


def _after(players: tuple[str, ...], player: str, gone: frozenset[str]) -> str:
    if player not in players:
        raise RulesError(f"player: expected one of {', '.join(players)}, not {player!r}")
    place = players.index(player) + 1
    row = (*players[place:], *players[:place])
    return next((name for name in row if name not in gone), player)


Table = Position | LinePosition
AnyTable = TypeVar("AnyTable", Position, LinePosition, Position | LinePosition)


def lifted(table: Table, train: str, tile: Laid) -> Table:
    """The table without `tile` in `train` (the outermost, if it lies there twice); unchanged if it is not there."""
    if isinstance(table, LinePosition):
        line = _without(table.line, tile, from_left=train == "L")
        return replace(table, line=line)
    chain = table.trains.get(train, ())
    rest = _without(chain, tile)
    if rest == chain:
        return table
    was_last = chain[-1].tile == tile.tile
    open_ends = tuple(name for name in table.open if not (was_last and name == train))
    if was_last and rest and rest[-1].is_double and train not in table.flipped:
        open_ends = (*open_ends, train)
    flipped = table.flipped - {train} if was_last else table.flipped
    return replace(table, trains={**table.trains, train: rest}, open=open_ends, flipped=flipped)


def turned_to(table: Table, player: str, moved: Collection[str]) -> Table:
    """The table with `player` to act; `moved` have had their first turn."""
    if isinstance(table, Position):
        return replace(table, turn=player, first_turn=player not in moved)
    return replace(table, turn=player)


def _without(chain: tuple[Laid, ...], tile: Laid, *, from_left: bool = False) -> tuple[Laid, ...]:
    places = [n for n, laid in enumerate(chain) if laid.tile == tile.tile]
    if not places:
        return chain
    place = places[0] if from_left else places[-1]
    return chain[:place] + chain[place + 1 :]


def uncounted(table: Table, players: Collection[str], *, boneyard: bool = False) -> Table:
    """The table where nobody can say how many tiles these hold; nor, with `boneyard`, how many are left to draw."""
    hands = {name: count for name, count in table.hands.items() if name not in players}
    if boneyard and isinstance(table, Position):
        return replace(table, hands=hands, boneyard=None)
    return replace(table, hands=hands)


def without(table: AnyTable, player: str) -> AnyTable:
    """The table where this player has left, with the hand put aside, which counts for nothing more."""
    hands = {name: count for name, count in table.hands.items() if name != player}
    return replace(table, hands=hands, gone=table.gone | {player})
