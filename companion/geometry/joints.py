"""Where tiles can be joined, and the chains that follow from it.

Ports: the places of a tile where another one can be joined to it, and how well two of them meet.

A half can be joined at its short end (the straight train), or at its long side (a bend at a right angle). A tile lying
crosswise is joined at the middles of its long sides. Long sides never meet long sides: that is two trains lying side by
side, and the one exception is a crosswise tile laid against another crosswise one.

All the ways in which the tiles of a view can be joined, each with its price.

Chains: joints chosen cheapest first, so that every tile has at most two neighbours and every chain one root.

The same greedy order as Kruskal's spanning tree, with two more refusals: a half is joined once, and two chains that
both begin at the hub never grow together. A joint that loses its place to a cheaper one is kept as a rival: it is how a
fork shows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from companion.geometry.layout import Point, SeenTile


class PortKind(Enum):
    END = "end"
    SIDE = "side"
    MIDDLE = "middle"


@dataclass(frozen=True, slots=True)
class Port:
    """A place of a tile where another may join it."""

    kind: PortKind
    half: int | None
    """0 or 1; None for the middle of a long side."""
    place: Point
    normal: Point
    """The unit vector that points out of the tile."""


@dataclass(frozen=True, slots=True)
class JointLimits:
    """How far two tiles may be apart and still belong together. Lengths in tile widths, angles in degrees.

    Chosen so that hand-laid trains hold: gaps of up to 10 mm between 24 mm wide tiles, and shifts up to the half-way
    point between a half's middle and the tile's middle, where a bend and a crosswise tile become each other.
    """

    gap: float = 0.5
    overlap: float = 0.5
    lateral: float = 0.42
    angle_deg: float = 40.0
    least_facing: float = field(init=False)
    """The cosine of the angle: asked of thousands of pairs."""
    farthest: float = field(init=False)
    """No ports farther apart, in tile widths, meet within these limits."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "least_facing", math.cos(math.radians(self.angle_deg)))
        along = max(self.gap + math.sin(math.radians(self.angle_deg) / 2), self.overlap)
        object.__setattr__(self, "farthest", math.hypot(along, self.lateral) + 1e-6)


@dataclass(frozen=True, slots=True)
class JointPrices:
    """Prices of a joint, in millimetres of gap on a 24 mm tile: the dearer, the less likely."""

    lateral: float = 0.7
    per_degree: float = 0.12
    bend: float = 2.0
    crosswise_single: float = 6.0
    crosswise_unread: float = 2.0
    straight_double: float = 1.0
    bent_double: float = 3.0
    other_than_the_engine: float = 4.0


LIMITS = JointLimits()
FAR_LIMITS = JointLimits(gap=1.1, overlap=0.5, lateral=0.7, angle_deg=50.0)
"""For a tile that touches nothing but clearly points at one train: joined, and reported as LOOSE_JOINT."""

PRICES = JointPrices()


def heading(tile: SeenTile) -> Point:
    return _direction(tile.heading_deg)


def _direction(heading_deg: float) -> Point:
    angle = math.radians(heading_deg)
    return math.cos(angle), math.sin(angle)


def ports_of(tile: SeenTile, length: float, width: float) -> tuple[Port, ...]:
    """The eight ports of a tile of nominal size; measured sizes are noisier than the set's own."""
    return _ports_at(tile.center_mm, tile.heading_deg, length, width)


@lru_cache(maxsize=2048)
def _ports_at(center: Point, heading_deg: float, length: float, width: float) -> tuple[Port, ...]:
    """One look asks for the same tiles' ports half a dozen times, and most tiles lie where they lay."""
    cx, cy = center
    ux, uy = _direction(heading_deg)
    vx, vy = -uy, ux

    def at(along: float, across: float) -> Point:
        return cx + ux * along + vx * across, cy + uy * along + vy * across

    ports = [
        Port(PortKind.END, 0, at(-length / 2, 0.0), (-ux, -uy)),
        Port(PortKind.END, 1, at(length / 2, 0.0), (ux, uy)),
    ]
    for sign in (1.0, -1.0):
        normal = (sign * vx, sign * vy)
        ports.append(Port(PortKind.SIDE, 0, at(-length / 4, sign * width / 2), normal))
        ports.append(Port(PortKind.SIDE, 1, at(length / 4, sign * width / 2), normal))
        ports.append(Port(PortKind.MIDDLE, None, at(0.0, sign * width / 2), normal))
    return tuple(ports)


_ALLOWED = {
    frozenset({PortKind.END}),
    frozenset({PortKind.END, PortKind.SIDE}),
    frozenset({PortKind.END, PortKind.MIDDLE}),
    frozenset({PortKind.MIDDLE}),
}


def meeting(a: Port, b: Port, width: float, limits: JointLimits) -> float | None:
    """The price in mm (of a 24 mm tile) of joining two ports, or None where they do not meet within the limits."""
    facing = -(a.normal[0] * b.normal[0] + a.normal[1] * b.normal[1])
    if facing < limits.least_facing:
        return None
    angle = math.acos(min(1.0, facing))
    nx, ny = a.normal[0] - b.normal[0], a.normal[1] - b.normal[1]
    norm = math.hypot(nx, ny)
    nx, ny = nx / norm, ny / norm
    dx, dy = b.place[0] - a.place[0], b.place[1] - a.place[1]
    apart = dx * nx + dy * ny
    # Two edges that meet at an angle touch at their corners while their middles are still apart.
    gap = apart - width * math.sin(angle / 2) if apart > 0 else apart
    gap = max(gap, 0.0) if apart > 0 else gap
    lateral = abs(dx * ny - dy * nx)
    if gap > limits.gap * width or gap < -limits.overlap * width or lateral > limits.lateral * width:
        return None
    if frozenset({a.kind, b.kind}) not in _ALLOWED:
        return None
    scale = 24.0 / width
    return (abs(gap) + PRICES.lateral * lateral) * scale + PRICES.per_degree * math.degrees(angle)


KEPT = 1000.0
"""Bonus of a joint that held on the last still table: laid tiles keep their neighbours."""

TIE_MM = 2.0
"""Joints whose prices fall into the same step of this size count as geometrically equal."""


@dataclass(frozen=True, slots=True)
class Joint:
    """Two tiles of the view that may be joined."""

    price: float
    a: int
    """Index of the inner tile."""
    b: int
    """Index of the tile that continues it."""
    a_port: int
    b_port: int
    matches: bool
    """The values agree."""

    @property
    def order(self) -> tuple[float, bool, float]:
        """Geometry first, in steps; equal geometry is decided by matching values, then by the exact price."""
        return math.floor(self.price / TIE_MM), not self.matches, self.price


@dataclass(frozen=True, slots=True)
class TileShapes:
    """The tiles of a view with their ports; all the same nominal size."""

    tiles: Sequence[SeenTile]
    ports: Sequence[tuple[Port, ...]]
    length: float
    width: float

    @staticmethod
    def of(tiles: Sequence[SeenTile], length: float, width: float) -> TileShapes:
        return TileShapes(tiles, [ports_of(tile, length, width) for tile in tiles], length, width)


def find_joints(
    shapes: TileShapes,
    members: Collection[int],
    kept: Collection[tuple[int, int]] = (),
    limits: JointLimits = LIMITS,
    one_of: Collection[int] | None = None,
) -> list[Joint]:
    """Every joint between two of `members` (one of them in `one_of`), cheapest first.

    `kept` are pairs (a, b) that were joined before.
    """
    found: list[Joint] = []
    reach = shapes.length * (1.0 + limits.gap)
    pairs = [
        (a, b)
        for a, b in _neighbours(shapes.tiles, sorted(members), reach)
        if one_of is None or a in one_of or b in one_of
    ]
    for a, b, i, j in _perhaps_meeting(shapes, pairs, limits):
        first, second = shapes.ports[a][i], shapes.ports[b][j]
        price = meeting(first, second, shapes.width, limits)
        if price is None:
            continue
        price += _kind_price(shapes.tiles[a], first, second) + _kind_price(shapes.tiles[b], second, first)
        bonus = KEPT if (a, b) in kept or (b, a) in kept else 0.0
        matches = _values_match(shapes.tiles[a], first, shapes.tiles[b], second)
        found.append(Joint(price - bonus, a, b, i, j, matches))
    found.sort(key=lambda joint: joint.order)
    return found


def _neighbours(tiles: Sequence[SeenTile], members: Sequence[int], reach: float) -> Iterator[tuple[int, int]]:
    for n, a in enumerate(members):
        ax, ay = tiles[a].center_mm
        for b in members[n + 1 :]:
            bx, by = tiles[b].center_mm
            if abs(ax - bx) < reach and abs(ay - by) < reach:
                yield a, b


def _perhaps_meeting(
    shapes: TileShapes, pairs: Sequence[tuple[int, int]], limits: JointLimits
) -> Iterator[tuple[int, int, int, int]]:
    """(a, b, port of a, port of b) of all that `meeting` may join: of thousands of pairs of ports some dozens face each
    other and are near enough."""
    far, least = limits.farthest * shapes.width, limits.least_facing
    plain = [[(*port.place, *port.normal) for port in ports] for ports in shapes.ports]
    for a, b in pairs:
        for i, (ax, ay, au, av) in enumerate(plain[a]):
            for j, (bx, by, bu, bv) in enumerate(plain[b]):
                if abs(ax - bx) <= far and abs(ay - by) <= far and -(au * bu + av * bv) >= least:
                    yield a, b, i, j


def _kind_price(tile: SeenTile, own: Port, other: Port) -> float:
    """How unusual it is to join this tile at this port."""
    if own.kind is PortKind.MIDDLE:
        if tile.double:
            return 0.0
        return PRICES.crosswise_unread if tile.values is None else PRICES.crosswise_single
    if own.kind is PortKind.SIDE:
        return PRICES.bent_double if tile.double else PRICES.bend
    if tile.double and other.kind is PortKind.END:
        return PRICES.straight_double
    return 0.0


def value_at(tile: SeenTile, port: Port) -> tuple[int | None, ...]:
    """The value a port shows: one half's, or both for the middle of a long side."""
    if tile.halves is None:
        return (None,)
    if port.half is None:
        return tile.halves[0].value, tile.halves[1].value
    return (tile.halves[port.half].value,)


def _values_match(a: SeenTile, a_port: Port, b: SeenTile, b_port: Port) -> bool:
    first = {value for value in value_at(a, a_port) if value is not None}
    second = {value for value in value_at(b, b_port) if value is not None}
    return bool(first & second)


def distance(a: Point, b: Point) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])


@dataclass(frozen=True, slots=True)
class Root:
    """A tile of the view that may begin a train."""

    price: float
    tile: int
    """Its index."""
    port: int
    """The port that faces the hub."""
    angle_deg: float
    """Around the hub."""

    @property
    def order(self) -> tuple[float, bool, float]:
        """Comparable with a joint's: geometry alone."""
        return math.floor(self.price / TIE_MM), False, self.price


@dataclass(frozen=True, slots=True)
class Link:
    """A tile in a chain."""

    tile: int
    """Its index."""
    inward: int | None
    """The port towards the inner neighbour; None at that end of the chain."""
    outward: int | None
    """The port towards the outer neighbour; None at that end."""


@dataclass(frozen=True, slots=True)
class TileChain:
    """Tiles in order; rooted chains from the hub outwards, others from either end."""

    links: tuple[Link, ...]
    root: Root | None = None


@dataclass(slots=True)
class ChainBuilder:
    """Takes roots and joints, and refuses those that no train can have."""

    shapes: TileShapes
    used: dict[int, dict[int, int]] = field(default_factory=dict)
    """tile -> port -> the neighbouring tile."""
    roots: dict[int, Root] = field(default_factory=dict)
    rivals: list[Joint] = field(default_factory=list)
    prices: dict[int, tuple[float, bool, float]] = field(default_factory=dict)
    """tile -> the order of the first joint or root it took."""
    _group: dict[int, int] = field(default_factory=dict)
    _rooted: set[int] = field(default_factory=set)

    def group(self, tile: int) -> int:
        while self._group.get(tile, tile) != tile:
            tile = self._group[tile]
        return tile

    def rooted(self, tile: int) -> bool:
        return self.group(tile) in self._rooted

    def hold(self, tile: int) -> None:
        """The train of this tile stands for itself, though it does not begin at the hub."""
        self._rooted.add(self.group(tile))

    def take_root(self, root: Root) -> bool:
        group = self.group(root.tile)
        if group in self._rooted or not self._free(root.tile, root.port):
            return False
        self.roots[root.tile] = root
        self.prices.setdefault(root.tile, root.order)
        self._rooted.add(group)
        return True

    def take_joint(self, joint: Joint) -> bool:
        first, second = self.group(joint.a), self.group(joint.b)
        if first == second or (first in self._rooted and second in self._rooted):
            return False
        if not (self._free(joint.a, joint.a_port) and self._free(joint.b, joint.b_port)):
            self.rivals.append(joint)
            return False
        self.prices.setdefault(joint.a, joint.order)
        self.prices.setdefault(joint.b, joint.order)
        self.used.setdefault(joint.a, {})[joint.a_port] = joint.b
        self.used.setdefault(joint.b, {})[joint.b_port] = joint.a
        self._group[second] = first
        if second in self._rooted:
            self._rooted.add(first)
        return True

    def chains(self, members: Sequence[int]) -> list[TileChain]:
        """All chains of `members`, single tiles included; the rooted ones first."""
        groups: dict[int, list[int]] = {}
        for tile in members:
            groups.setdefault(self.group(tile), []).append(tile)
        found = [self._chain(tiles) for tiles in groups.values()]
        return sorted(found, key=lambda chain: (chain.root is None, chain.links[0].tile))

    def _chain(self, tiles: Sequence[int]) -> TileChain:
        root = next((self.roots[tile] for tile in tiles if tile in self.roots), None)
        start = root.tile if root is not None else self._an_end(tiles)
        links: list[Link] = []
        tile: int | None = start
        inward = root.port if root is not None else None
        came_from: int | None = None
        while tile is not None:
            onward = [(port, other) for port, other in self.used.get(tile, {}).items() if other != came_from]
            outward, following = onward[0] if onward else (None, None)
            links.append(Link(tile, inward, outward))
            if following is None:
                break
            came_from = tile
            inward = next(port for port, other in self.used[following].items() if other == tile)
            tile = following
        return TileChain(tuple(links), root)

    def _an_end(self, tiles: Sequence[int]) -> int:
        return next((tile for tile in tiles if len(self.used.get(tile, {})) < 2), tiles[0])

    def _free(self, tile: int, port: int) -> bool:
        """True where the tile's other joint, if any, leaves this port usable."""
        ports = self.shapes.ports[tile]
        taken = [ports[p] for p in self.used.get(tile, {})]
        if tile in self.roots:
            taken.append(ports[self.roots[tile].port])
        return len(taken) < 2 and all(_together(ports[port], other) for other in taken)


def _together(a: Port, b: Port) -> bool:
    """Can one tile be joined at both ports? At different halves; or across, at both sides or a side and an end."""
    if a.half is not None and b.half is not None:
        return a.half != b.half
    if a.half is None and b.half is None:
        return a is not b and a.normal != b.normal
    return PortKind.END in (a.kind, b.kind)


def forks(builder: ChainBuilder, loose: Mapping[int, int]) -> list[tuple[int, int]]:
    """(loose tile, tile it touches) where the place at that tile's half is taken. `loose`: tile -> its chain."""
    found: list[tuple[int, int]] = []
    seen: set[int] = set()
    for joint in builder.rivals:
        for a, b in ((joint.a, joint.b), (joint.b, joint.a)):
            if a in loose and b not in loose and loose[a] not in seen:
                seen.add(loose[a])
                found.append((a, b))
    return found
