"""Which other tiles a laid one may be, by its reading: values of halves are part of a hypothesis like anything else.

One change of the table as the camera reports it, piece by piece: the only thing the belief is fed with.

A change taken apart for the search: what may come next in which train, and how much is explained already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

from companion.log.event_fields import Confidence
from companion.log.events import TableChange
from companion.rules.notation import Change, Drawing, Vanishing
from companion.rules.position import LEFT, RIGHT, SOMEBODY, Discard, Draw, End, Flip, Mark, Pass, Play, TableAct, Unmark
from companion.rules.tile import Laid
from companion.tracking.costs import COST, READ, SURE, Cause, decibans, misread


class OtherTile(NamedTuple):
    """Another tile than the one that was read."""

    cost: int
    """Decibans of its lying there instead."""
    tile: Laid


def other_tiles(read: Laid, train: str, reading: Confidence | None) -> tuple[int, tuple[OtherTile, ...]]:
    """The cost of this tile being the one on record, and the other tiles that it may be, the likeliest first; 0 and
    none where nobody knows how it was read.

    One half is another one, or both where neither was read surely. Readings of one picture err together, so two halves
    cost no more than the dearer of them. A tile across its train is mostly a double, one along it mostly none.
    """
    if reading is None:
        return 0, ()
    inner, outer = (_costs(one, p, others) for one, p, others in zip(read, reading.p, reading.others, strict=True))
    found: dict[Laid, int] = {}
    for tile, cost in _others(read, inner, outer, sure=max(reading.p) >= SURE):
        cost += _habit(tile, train, reading.across)
        found[tile] = min(cost, found.get(tile, cost))
    least, most = min(found.values()), COST[Cause.ANOTHER_TILE]
    as_taken = min(most, found.pop(read) - least)
    return as_taken, tuple(
        sorted(OtherTile(cost - least, tile) for tile, cost in found.items() if cost - least <= most)
    )


def _others(
    read: Laid, inner: Mapping[int, int], outer: Mapping[int, int], *, sure: bool
) -> Iterator[tuple[Laid, int]]:
    yield from ((Laid(a, read.outer), max(cost, outer[read.outer])) for a, cost in inner.items())
    yield from ((Laid(read.inner, b), max(cost, inner[read.inner])) for b, cost in outer.items())
    if not sure:
        yield from ((Laid(a, b), max(cost, more)) for a, cost in inner.items() for b, more in outer.items())


def _costs(value: int, p: float, others: tuple[tuple[int, float], ...]) -> dict[int, int]:
    """Value of a half -> decibans of its odds against the likeliest; `value` is the one on record."""
    odds = {**dict(others), value: p}
    most = max(odds.values())
    return {one: decibans(q / most) if most > 0.0 else 0 for one, q in odds.items() if q > 0.0 or one == value}


def _habit(tile: Laid, train: str, across: bool | None) -> int:
    """The cost of a tile lying along or across as this one does."""
    if across is None or train in (LEFT, RIGHT) or across == tile.is_double:
        return 0
    return COST[Cause.NO_DOUBLE_ACROSS] if across else COST[Cause.DOUBLE_ALONG]


WRONG_STATEMENT = COST[Cause.WRONG_STATEMENT]


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that changed.

    >>> piece = Piece(0, Play(Laid(12, 5), "Ann"), p=(0.999, 0.8), actors={"Ben": 12})
    >>> piece.is_sure, piece.cost_at(0) > piece.cost_at(1), piece.against("Ben")
    (False, True, (12, ()))
    """

    item: int
    """Its number for good."""
    act: TableAct
    """The act that somebody must have done for it."""
    p: tuple[float, float] | None = None
    """How surely the inner and the outer half of a tile were read; None: surely."""
    actors: Mapping[str, int] = field(default_factory=dict)
    """Player -> decibans of the arm that was seen over the place, where one was. Players who are not named are all as
    likely."""
    arm: str | None = None
    """The one player whose arm it clearly was."""
    by: str | None = None
    """The only player it can have been: a Chinese tile put away lies with its owner."""
    stated_player: str | None = None
    """The player whom people named."""
    doubt: int | None = None
    """The cost of its not having happened at all; None: the camera saw it."""
    denied: int | None = None
    """The cost of its having happened although somebody has withdrawn it; None: nobody has."""
    value_doubt: int | None = None
    """The cost of another tile lying there than people said."""
    two_mexican: bool = False
    """Two trains lay where no player without a train may still begin one."""
    stray: bool = False
    """It begins a player's train, and lies where no seat is."""
    others: tuple[OtherTile, ...] = ()
    """Tiles that it may be instead of the one in `act`, the likeliest first; the belief weighs them."""
    listed: tuple[float, float] | None = None
    """How surely each half has the value that was read or one that the `others` have; None: as surely as it was
    read."""
    as_taken: int = 0
    """Decibans of the tile in `act`, where the eye holds another one for likelier."""

    @property
    def train(self) -> str | None:
        """Where a tile lies; None for anything else."""
        return self.act.train if isinstance(self.act, Play) else None

    @property
    def is_sure(self) -> bool:
        """Whether the camera saw it, and read a tile's halves surely."""
        return self.value_doubt is None and (self.p is None or min(self.p) >= SURE)

    def read_as(self, reading: Confidence) -> Piece:
        """The same tile, read like this."""
        assert isinstance(self.act, Play)
        as_taken, others = other_tiles(self.act.tile, self.act.train, reading)
        (p, inner), (q, outer) = zip(reading.p, reading.others, strict=True)
        listed = _listed(p, inner), _listed(q, outer)
        return replace(self, p=reading.p, others=others, listed=listed, as_taken=as_taken)

    def fitting(self, due: int | None, told: int | None) -> Sequence[OtherTile]:
        """The other tiles that show `due` towards the engine or the line and `told` outwards, where these are known;
        where none shows both, all that show the first."""
        within, beyond = (1, 0) if self.train == LEFT else (0, 1)
        fit = self.others if due is None else [one for one in self.others if one.tile[within] == due]
        both = fit if told is None else [one for one in fit if one.tile[beyond] == told]
        return both or fit

    def instead(self, tile: Laid) -> Cause:
        """What it takes for this tile to lie there: that a half was misread, or just that it was not read."""
        assert isinstance(self.act, Play) and self.p is not None
        misread = any(p >= READ and a != b for p, a, b in zip(self.p, self.act.tile, tile, strict=True))
        return Cause.ANOTHER_TILE if misread else Cause.UNREAD_TILE

    @property
    def cost_of_another(self) -> int:
        """The cost of the tile showing other values than were read, or said, or than it may have."""
        listed = self.listed or self.p
        return self._cost(None if listed is None else min(listed))

    def cost_at(self, end: int) -> int:
        """The same of its inner half (0) or its outer one (1) alone."""
        listed = self.listed or self.p
        return self._cost(None if listed is None else listed[end])

    def _cost(self, p: float | None) -> int:
        return misread(p) if self.value_doubt is None else min(misread(p), self.value_doubt)

    def against(self, player: str) -> tuple[int, tuple[Cause, ...]]:
        """The cost, by arm and statement, of `player` having made this piece, and the causes to assume."""
        if self.stated_player is None or self.stated_player == player:
            return self.actors.get(player, 0), ()
        return self.actors.get(player, 0) + WRONG_STATEMENT, (Cause.WRONG_STATEMENT,)


def _listed(p: float, others: tuple[tuple[int, float], ...]) -> float:
    """How surely a half has one of its listed values: never beyond doubt where it was not read surely. One that was
    read surely may be anything else."""
    return p if p >= SURE else min(SURE, p + sum(q for _, q in others))


class Doubtful(NamedTuple):
    """A tile that lay there before and may be another."""

    cost: int
    """Decibans of another tile lying there."""
    item: int
    """The piece that laid it."""
    tiles: frozenset[Laid] = frozenset()
    """The others that it may be."""

    def told(self, tile: Laid) -> Below:
        """It is another one, and what lies on it would make `tile` of it."""
        return Below(self.item, tile if tile in self.tiles else None)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The pieces of one change between two still tables.

    >>> from companion.rules.notation import parse_delta
    >>> change = TableChange(parse_delta(["+12-5@Ann", "boneyard-1"]))
    >>> [(piece.item, piece.act) for piece in Evidence.of(3, change).pieces]
    [(3000, Play(tile=Laid(inner=12, outer=5), train='Ann')), (3001, Draw())]
    """

    number: int
    pieces: tuple[Piece, ...]
    gone: tuple[Vanishing, ...] = ()
    """Laid tiles that are no longer there."""
    returned: int = 0
    """How many tiles lie in the boneyard again."""
    clouded: bool = False
    """Something that was not understood lies there."""
    guessed: bool = False
    """A tile beside the new ones was not surely read."""
    doubtful_tiles: Mapping[Play, Doubtful] = field(default_factory=dict)
    """Tiles that lay there before and may be others: they were not surely read, or nobody but a person has seen
    them."""
    adopted: bool = False
    """Nobody can tell how it came about: it lay there before anybody watched, or tiles that nobody saw came before
    it."""
    read_since: Mapping[Play, tuple[Play, Confidence]] = field(default_factory=dict)
    """Tiles of before -> the tiles that they are read as by now, and how surely."""

    @classmethod
    def of(cls, number: int, change: TableChange) -> Evidence:
        """A change of the table as change `number` of the belief; items are numbered from `number * ITEMS` on."""
        return cls(
            number,
            tuple(_pieces(number, change)),
            change.gone,
            change.returned,
            change.clouded,
            change.guessed,
            adopted=change.adopted,
            read_since={one: _by_now(one, how) for one, how in change.readings.items() if one not in change.delta},
        )

    @property
    def laid(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece.act, Play))

    @property
    def empty(self) -> bool:
        return not self.pieces and not self.gone

    @property
    def is_statement(self) -> bool:
        """Whether only people have said it."""
        return bool(self.pieces) and not self.gone and all(piece.doubt is not None for piece in self.pieces)


ITEMS = 1000
"""More pieces than one change can have."""


def _by_now(taken: Play, reading: Confidence) -> tuple[Play, Confidence]:
    tile = reading.likeliest(taken.tile)
    return Play(tile, taken.train), reading.of_another(taken.tile, tile)


def _pieces(number: int, seen: TableChange) -> Iterator[Piece]:
    item = number * ITEMS
    seen_markers: set[Change] = set()
    for change in seen.delta:
        actors, arm = seen.arms.get(change, {}), seen.whose.get(change)
        match change:
            case Play(train=train):
                reading = seen.readings.get(change)
                stray = train in seen.stray and change == next(one for one in seen.laid if one.train == train)
                piece = Piece(item, change, None, actors, arm, two_mexican=seen.two_mexican, stray=stray)
                yield piece if reading is None else piece.read_as(reading)
            case Drawing(count):
                for _ in range(count):
                    yield Piece(item, Draw(), None, actors, arm)
                    item += 1
                continue
            case Mark() | Unmark():
                if change in seen_markers:
                    continue
                seen_markers.add(change)
                yield Piece(item, change, None, actors, arm)
            case _:
                continue
        item += 1
    for train in seen.flips:
        yield Piece(item, Flip(train))
        item += 1
    for player, count in seen.discards.items():
        shown = seen.faces.get(player, ())
        for n in range(count):
            act = Discard(True, shown[n]) if n < len(shown) else Discard()
            yield Piece(item, act, by=None if player == SOMEBODY else player)
            item += 1


class Rest(NamedTuple):
    """How many pieces of each kind are explained."""

    tiles: tuple[int, ...]
    """Tiles of each train."""
    draws: int
    discards: tuple[int, ...]
    """Discards of each player."""
    flips: int
    """A set of bits."""
    markers: int
    """A set of bits."""
    ends: int = 0
    """Ends of turns, as a set of bits."""


class Below(NamedTuple):
    """A tile that shows other values than were read."""

    item: int
    tile: Laid | None
    """The tile that the next one makes it, if the eye thought that possible."""


class Step(NamedTuple):
    """One act of a hypothesis."""

    player: str
    act: TableAct | None
    """May be of another tile than was read."""
    item: int | None
    """None: nothing shows it (a pass, a turn that began out of order)."""
    codes: tuple[str, ...]
    """The violations that it charges `player` with."""
    causes: tuple[Cause, ...]
    """The assumptions it needed."""
    cost: int
    """Decibans of `causes`."""
    below: Below | None = None
    """The tile that it lies on, where that counts as misread."""


class Move(NamedTuple):
    """One way on."""

    cost: int
    state: Any
    """After it; a `partial`, which is made only if the search gets there."""
    rest: Rest
    """The part explained by then."""
    step: Step


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of one `Evidence` by kind.

    >>> acts = Play(Laid(12, 5), "Ann"), Play(Laid(5, 6), "Ann"), Draw()
    >>> pieces = Pieces.of(Evidence(0, tuple(Piece(n, act) for n, act in enumerate(acts))))
    >>> [(train, len(row)) for train, row in pieces.trains], len(pieces.draws)
    ([('Ann', 2)], 1)
    """

    evidence: Evidence
    trains: tuple[tuple[str, tuple[Piece, ...]], ...]
    """The tiles of each train, from the inside out."""
    draws: tuple[Piece, ...]
    discards: tuple[tuple[str, tuple[Piece, ...]], ...]
    flips: tuple[Piece, ...]
    markers: tuple[Piece, ...]
    ends: tuple[Piece, ...] = ()
    unsure: bool = False
    """One of the tiles may be another."""
    ahead: dict[Any, Any] = field(default_factory=dict, compare=False)
    """A search's results for each rest."""

    @classmethod
    def of(cls, evidence: Evidence) -> Pieces:
        trains: dict[str, list[Piece]] = {}
        discards: dict[str, list[Piece]] = {}
        draws, flips, markers, ends = [], [], [], []
        for piece in evidence.pieces:
            match piece.act:
                case Play(_, train):
                    trains.setdefault(train, []).append(piece)
                case Draw():
                    draws.append(piece)
                case Discard():
                    discards.setdefault(piece.by or "", []).append(piece)
                case Flip():
                    flips.append(piece)
                case Mark() | Unmark():
                    markers.append(piece)
                case End() | Pass():
                    ends.append(piece)
        return cls(
            evidence,
            tuple((train, tuple(row)) for train, row in trains.items()),
            tuple(draws),
            tuple((player, tuple(row)) for player, row in discards.items()),
            tuple(flips),
            tuple(markers),
            tuple(ends),
            any(one.others or not one.is_sure for one in evidence.laid),
        )

    @property
    def start(self) -> Rest:
        return Rest((0,) * len(self.trains), 0, (0,) * len(self.discards), 0, 0)

    @property
    def done(self) -> Rest:
        return Rest(
            tuple(len(row) for _, row in self.trains),
            len(self.draws),
            tuple(len(row) for _, row in self.discards),
            (1 << len(self.flips)) - 1,
            (1 << len(self.markers)) - 1,
            (1 << len(self.ends)) - 1,
        )

    def ended(self, rest: Rest, player: str, laid: bool) -> Rest | None:
        """`rest` with the end of `player`'s turn explained, where somebody has entered it; else None. A player who has
        `laid` a tile did not pass."""
        for n, piece in enumerate(self.ends):
            if not rest.ends >> n & 1 and piece.by in (None, player) and not (laid and isinstance(piece.act, Pass)):
                return rest._replace(ends=rest.ends | 1 << n)
        return None

    def doubted(self) -> Iterator[tuple[int, Pieces, tuple[Piece, ...]]]:
        """The same change without what people said and what did not happen: cost, what is left, what is not."""
        doubtful = [piece for piece in self.evidence.pieces if piece.doubt is not None or piece.denied is not None]
        sizes = range(1, len(doubtful) + 1) if len(doubtful) <= MOST_DOUBTED else (1, len(doubtful))
        for gone in (gone for size in sizes for gone in combinations(doubtful, size)):
            kept = tuple(piece for piece in self.evidence.pieces if piece not in gone)
            cost = sum(piece.doubt or 0 for piece in gone)
            left = Pieces.of(replace(self.evidence, pieces=kept))
            yield cost + left.denied, left, gone

    @property
    def denied(self) -> int:
        """The cost of all this having happened although people say that it did not."""
        return sum(piece.denied or 0 for piece in self.evidence.pieces)


def told_by(row: Sequence[Piece], n: int) -> int | None:
    """The value that the next tile of a row makes the `n`-th turn outwards, where that one is read."""
    act = row[n + 1].act if n + 1 < len(row) and row[n + 1].is_sure else None
    if not isinstance(act, Play):
        return None
    return act.tile.outer if act.train == LEFT else act.tile.inner


MOST_DOUBTED = 3
"""With more statements than this in one change, the belief tries only: one of them is wrong, or all are."""
