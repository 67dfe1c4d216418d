"""Chains: joints chosen cheapest first, so that every tile has at most two neighbours and every chain one root.

The same greedy order as Kruskal's spanning tree, with two more refusals: a half is joined once, and two chains that
both begin at the hub never grow together. A joint that loses its place to a cheaper one is kept as a rival: it is how a
fork shows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from companion.geometry.joints import TIE_MM, Joint, TileShapes
from companion.geometry.ports import Port, PortKind


@dataclass(frozen=True, slots=True)
class Root:
    """Tile `tile` begins a train with its port `port`, at `angle_deg` around the hub."""

    price: float
    tile: int
    port: int
    angle_deg: float

    @property
    def order(self) -> tuple[float, bool, float]:
        """Comparable with a joint's: geometry alone."""
        return math.floor(self.price / TIE_MM), False, self.price


@dataclass(frozen=True, slots=True)
class Link:
    """A tile in a chain: its index and the ports towards the inner and the outer neighbour (None at the ends)."""

    tile: int
    inward: int | None
    outward: int | None


@dataclass(frozen=True, slots=True)
class Chain:
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

    def chains(self, members: Sequence[int]) -> list[Chain]:
        """All chains of `members`, single tiles included; the rooted ones first."""
        groups: dict[int, list[int]] = {}
        for tile in members:
            groups.setdefault(self.group(tile), []).append(tile)
        found = [self._chain(tiles) for tiles in groups.values()]
        return sorted(found, key=lambda chain: (chain.root is None, chain.links[0].tile))

    def _chain(self, tiles: Sequence[int]) -> Chain:
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
        return Chain(tuple(links), root)

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
