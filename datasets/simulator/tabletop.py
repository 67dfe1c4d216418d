"""The made-up table, tile by tile, and how the next one is laid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

import numpy as np

from companion.geometry.layout import Point, SeenHalf, SeenHub, SeenMarker, SeenTile, TableView, turn, wrapped
from companion.rules.position import LEFT, RIGHT
from companion.rules.tile import Laid, Tile
from datasets.simulator.lying import WALL, Lying, wall_place
from datasets.simulator.placing import (
    END_CLEARANCE,
    SIDE_CLEARANCE,
    Rect,
    Spot,
    TrainEnd,
    clear,
    continuations,
    end_after,
    inside,
    overlap,
    step,
)
from datasets.simulator.plan import MEXICAN, STRAIGHT_ON, Bend, TablePlan

LOOK_AHEAD = 4
"""Tiles a player thinks ahead, so that a train does not run into a corner."""

MARKER_RADIUS_MM = 9.0


class TableFullError(RuntimeError):
    """No place is left for a tile of `train`; the made-up players sat down at too small a table."""

    def __init__(self, problem: str, train: str = "") -> None:
        super().__init__(problem)
        self.train = train


@dataclass(slots=True)
class TableTop:
    """Changes only through its verbs; `rng` decides how neatly tiles are laid."""

    plan: TablePlan
    rng: np.random.Generator
    gap_mm: float = 0.8
    sway_deg: float = 1.5
    engine: Laid | None = None
    trains: dict[str, list[Lying]] = field(default_factory=dict)
    line: list[Lying] = field(default_factory=list)
    markers: dict[str, Point] = field(default_factory=dict)
    boneyard: list[Lying] = field(default_factory=list)
    discards: dict[str, list[Lying]] = field(default_factory=dict)
    hands: dict[str, list[Lying]] = field(default_factory=dict)

    def set_up(self, engine: Laid | None, boneyard: int | None) -> None:
        """An empty table with the engine in the middle and `boneyard` face-down tiles."""
        self.engine = engine
        self.trains = {name: [] for name in (*self.plan.players, MEXICAN)}
        self.line, self.markers, self.discards, self.hands = [], {}, {name: [] for name in self.plan.players}, {}
        self.boneyard = self._spread(boneyard or 0)

    def lay(self, laid: Laid, train: str, *, crosswise: bool | None = None) -> Lying:
        """Lay a tile at the end of a train (doubles across unless told otherwise). Raises TableFullError."""
        across = laid.is_double if crosswise is None else crosswise
        end = self._end(train)
        gap = float(self.rng.uniform(0.0, 2 * self.gap_mm))
        blocked = self._blocked(train, end.place)
        bend = self.plan.bends.get((train, len(self.trains.get(train, ()))), STRAIGHT_ON)
        attempts = [(across, depth) for depth in (LOOK_AHEAD, 2, 1)] + [(False, 2), (False, 1)]
        found = ((self._choose(end, way, gap, blocked, depth, bend), way) for way, depth in attempts)
        spot, across = next(((spot, way) for spot, way in found if spot is not None), (None, across))
        if not self.trains.get(train) and train in self.plan.begins:
            spot, across = next(continuations(end, *self.plan.tile_mm[:2], False, gap)), False
        if spot is None:
            raise TableFullError(f"no place for {laid.inner}-{laid.outer} on the train {train}", train)
        lying = Lying(
            laid,
            self._shifted(spot.rect.center),
            self._swayed(spot.heading_deg),
            crosswise=across,
            came_deg=end.direction_deg if across else spot.heading_deg,
        )
        self.trains.setdefault(train, []).append(lying)
        self._make_way(lying)
        return lying

    def lay_in_line(self, laid: Laid, arm: str) -> Lying:
        """Lay a Chinese tile at the right or left end; with one arm the ninth goes on the eighth (a wall)."""
        length = self.plan.tile_mm[0]
        if self.plan.arms == 1 and arm == RIGHT:
            slot, layer, leftward = wall_place(len(self.line))
            x = self.plan.center_mm[0] + (slot - (WALL - 1) / 2) * (length + self.gap_mm)
            heading = 180.0 if leftward else 0.0
            lying = Lying(laid, self._shifted((x, self.plan.center_mm[1])), self._swayed(heading), layer=layer)
        elif not self.line:
            lying = Lying(laid, self._shifted(self.plan.center_mm), self._swayed(0.0))
        else:
            end = self._arm_end(arm)
            gap = float(self.rng.uniform(0.0, 2 * self.gap_mm))
            options = (self._choose(end, False, gap, self.rects(), depth) for depth in (LOOK_AHEAD, 2, 1))
            spot = next((one for one in options if one is not None), None)
            if spot is None:
                raise TableFullError(f"no place for {laid.inner}:{laid.outer} at the arm {arm}")
            # The heading runs from the left half to the right half, whichever arm it lies at.
            heading = spot.heading_deg + (180.0 if arm == LEFT else 0.0)
            lying = Lying(laid, self._shifted(spot.rect.center), self._swayed(heading))
        self.line = [*self.line, lying] if arm == RIGHT else [lying, *self.line]
        return lying

    def discard(self, player: str, shown: Tile | None = None) -> Lying:
        """Put a tile away before its player, face down unless it is `shown`."""
        width = self.plan.tile_mm[1]
        angle = self.plan.stations[player]
        mine = self.discards.setdefault(player, [])
        u = step((0.0, 0.0), angle, 1.0)
        v = (-u[1], u[0])
        reach = min(
            (self.plan.size_mm[0] / 2 - 45.0) / max(abs(u[0]), 1e-6),
            (self.plan.size_mm[1] / 2 - 45.0) / max(abs(u[1]), 1e-6),
        )
        along = (len(mine) - 3.5) * (width + 5.0)
        cx, cy = self.plan.center_mm
        place = (cx + u[0] * reach + v[0] * along, cy + u[1] * reach + v[1] * along)
        laid = Laid(0, 0) if shown is None else Laid(shown.low, shown.high)
        lying = Lying(laid, self._shifted(place), self._swayed(angle), shown is not None)
        mine.append(lying)
        return lying

    def turn_over(self, player: str, tiles: Sequence[Tile]) -> None:
        """Turn the tiles that a player put away face up, in the order in which they were put away."""
        self.discards[player] = [
            replace(lying, laid=Laid(tile.low, tile.high), face_up=True)
            for lying, tile in zip(self.discards[player], tiles, strict=True)
        ]

    def show_hand(self, player: str, tiles: Sequence[Tile]) -> bool:
        """Lay a hand open along the table's edge before its player; False where there is no room for it."""
        length, width, _ = self.plan.tile_mm
        places: list[Lying] = []
        taken = self.rects()
        spots = sorted(self._edge_places(player), key=lambda spot: spot[0])
        for tile in tiles:
            while spots:
                _, place, heading = spots.pop(0)
                rect = Rect(place, heading, length / 2 + 1.0, width / 2 + 1.0)
                if not any(overlap(rect, other) for other in taken):
                    taken.append(rect)
                    places.append(Lying(Laid(tile.low, tile.high), place, heading))
                    break
            else:
                return False
        self.hands[player] = places
        return True

    def _edge_places(self, player: str) -> Iterable[tuple[float, Point, float]]:
        """(distance from the seat, place, heading) of upright tiles along the edges nearest to a player's station."""
        length, width, _ = self.plan.tile_mm
        w, h = self.plan.size_mm
        inset = length / 2 + 8.0
        pitch = width + 4.0
        ring = [((x, y), 90.0) for y in (inset, h - inset) for x in np.arange(inset, w - inset + 1, pitch)]
        ring += [
            ((x, y), 0.0) for x in (inset, w - inset) for y in np.arange(2 * inset + 20, h - 2 * inset - 19, pitch)
        ]
        for (x, y), heading in ring:
            angle = float(np.degrees(np.arctan2(y - h / 2, x - w / 2)))
            off = {name: abs(turn(angle, there)) for name, there in self.plan.seats.items()}
            if min(off, key=lambda name: off[name]) == player:
                yield off[player], (float(x), float(y)), heading

    def nudge(self, count: int, reach_mm: float) -> None:
        """Some tiles are touched and move a little."""
        for train in self.trains.values():
            for n, lying in enumerate(train):
                if count > 0 and self.rng.random() < 0.2:
                    x, y = lying.center_mm
                    dx, dy = self.rng.uniform(-reach_mm, reach_mm, 2)
                    train[n] = replace(lying, center_mm=(x + float(dx), y + float(dy)))
                    count -= 1

    def _make_way(self, lying: Lying) -> None:
        """A marker that lies where the tile was laid is put aside."""
        length, width, _ = self.plan.tile_mm
        rect = lying.rect(length, width)
        for player, place in list(self.markers.items()):
            if overlap(Rect(place, 0.0, MARKER_RADIUS_MM, MARKER_RADIUS_MM), rect):
                self.mark(player)

    def _arm_end(self, arm: str) -> TrainEnd:
        length, width, _ = self.plan.tile_mm
        last = self.line[-1] if arm == RIGHT else self.line[0]
        heading = last.heading_deg + (180.0 if arm == LEFT else 0.0)
        spot = Spot(Rect(last.center_mm, heading, length / 2, width / 2), heading, False, 0)
        return end_after(spot, heading, length, width)

    def _shifted(self, place: Point) -> Point:
        dx, dy = self.rng.uniform(-self.gap_mm / 2, self.gap_mm / 2, 2)
        return place[0] + float(dx), place[1] + float(dy)

    def _swayed(self, heading: float) -> float:
        return heading + float(self.rng.uniform(-self.sway_deg, self.sway_deg))

    def take_back(self, train: str) -> Lying:
        return self.trains[train].pop()

    def flip(self, train: str) -> None:
        """Turn the double at a train's end face down."""
        self.trains[train][-1] = replace(self.trains[train][-1], face_up=False)

    def mark(self, player: str) -> None:
        """Put a marker beside the last tile of a player's train, or on its empty place at the hub."""
        self.markers.pop(player, None)
        self.markers[player] = self._marker_place(player)

    def unmark(self, player: str) -> None:
        self.markers.pop(player, None)

    def draw(self) -> Lying:
        """One tile leaves the boneyard, a random one of those that lie spread out."""
        return self.boneyard.pop(int(self.rng.integers(len(self.boneyard))))

    def foreseen(self) -> TableTop:
        """A copy on which the next tiles are laid exactly as they will be on this table."""
        ahead = self.copy()
        ahead.rng = deepcopy(self.rng)
        return ahead

    def copy(self) -> TableTop:
        """The table as it lies now; what happens later does not change it."""
        return replace(
            self,
            trains={name: list(tiles) for name, tiles in self.trains.items()},
            line=list(self.line),
            markers=dict(self.markers),
            boneyard=list(self.boneyard),
            discards={name: list(tiles) for name, tiles in self.discards.items()},
            hands={name: list(tiles) for name, tiles in self.hands.items()},
        )

    def restore(self, earlier: TableTop) -> None:
        """Everything lies again as in `earlier`, a `copy`."""
        kept = earlier.copy()
        self.trains, self.line, self.markers = kept.trains, kept.line, kept.markers
        self.boneyard, self.discards, self.hands = kept.boneyard, kept.discards, kept.hands

    def rects(self) -> list[Rect]:
        length, width, _ = self.plan.tile_mm
        return [lying.rect(length, width) for lying in self.all_tiles()]

    def all_tiles(self) -> Iterable[Lying]:
        """Every tile, the engine first; of a wall only what lies on top comes last."""
        if self.engine is not None:
            yield Lying(self.engine, self.plan.engine_mm, self.plan.engine_deg)
        for train in self.trains.values():
            yield from train
        yield from self.line
        yield from self.boneyard
        for tiles in (*self.discards.values(), *self.hands.values()):
            yield from tiles

    def visible(self) -> list[Lying]:
        """`all_tiles` without those that others cover."""
        length, width, _ = self.plan.tile_mm
        tiles = list(self.all_tiles())
        tops = [tile.rect(length, width).grown(-width / 4, -width / 4) for tile in tiles]
        return [
            tile
            for n, tile in enumerate(tiles)
            if not any(other.layer > tile.layer and overlap(tops[n], tops[m]) for m, other in enumerate(tiles))
        ]

    def view(self, jitter_mm: float = 0.0, jitter_deg: float = 0.0) -> TableView:
        """The table as a perfect reader would report it, but for the jitter; halves in random order."""
        tiles = [self._seen(lying, jitter_mm, jitter_deg) for lying in self.visible()]
        order = self.rng.permutation(len(tiles))
        hub = None
        if self.plan.hub_radius_mm > 0 and not self.plan.chinese:
            hub = SeenHub(self.plan.center_mm, self.plan.hub_radius_mm, 0.9)
        return TableView(
            tuple(tiles[n] for n in order),
            tuple(SeenMarker(place, 0.9) for place in self.markers.values()),
            hub,
            self.plan.size_mm,
        )

    def _seen(self, lying: Lying, jitter_mm: float, jitter_deg: float) -> SeenTile:
        x, y = lying.center_mm
        dx, dy = self.rng.normal(0.0, 1.0, 2) * jitter_mm
        heading = lying.heading_deg + float(self.rng.normal()) * jitter_deg
        halves = SeenHalf(lying.laid.inner, 0.99), SeenHalf(lying.laid.outer, 0.99)
        if self.rng.random() < 0.5:
            heading, halves = heading + 180.0, (halves[1], halves[0])
        length, width, _ = self.plan.tile_mm
        return SeenTile(
            (x + float(dx), y + float(dy)),
            wrapped(heading),
            length,
            width,
            lying.face_up,
            halves if lying.face_up else None,
            0.99,
        )

    def _end(self, train: str) -> TrainEnd:
        length, width, _ = self.plan.tile_mm
        tiles = self.trains.get(train, [])
        if not tiles:
            return TrainEnd(*self.plan.begin(train))
        last = tiles[-1]
        spot = Spot(last.rect(length, width), last.heading_deg, last.crosswise, 0)
        return end_after(spot, last.came_deg, length, width)

    def _blocked(self, train: str, end: Point) -> list[Rect]:
        """Everything near a train's end that a new tile must keep away from: tiles, the hub, and the empty places of
        other trains."""
        length, width, _ = self.plan.tile_mm
        # No tile of those thought ahead comes farther from the end, nor what it is kept clear of.
        far = LOOK_AHEAD * (length + width + 2 * self.gap_mm) + END_CLEARANCE + SIDE_CLEARANCE + length
        x, y = end
        blocked = [
            lying.rect(length, width)
            for lying in self.all_tiles()
            if abs(lying.center_mm[0] - x) < far and abs(lying.center_mm[1] - y) < far
        ]
        for name in self.plan.stations:
            if name != train and not self.trains.get(name):
                place, heading = self.plan.begin(name)
                blocked.append(Rect(step(place, heading, length), heading, length, width / 2))
        if self.plan.hub_radius_mm > 0:
            reach = 0.7 * (self.plan.hub_radius_mm - 3.0)
            blocked.append(Rect(self.plan.center_mm, 0.0, reach, reach))
        return blocked

    def _choose(
        self,
        end: TrainEnd,
        crosswise: bool,
        gap: float,
        blocked: Sequence[Rect],
        depth: int,
        bend: Bend = STRAIGHT_ON,
    ) -> Spot | None:
        """The first way to go on that leaves room for `depth` tiles, or None."""
        length, width, _ = self.plan.tile_mm
        touching = end.last.rect if end.last is not None else None
        for spot in continuations(end, length, width, crosswise, gap, bend):
            fits = inside(spot.rect, self.plan.size_mm, self.plan.edge_mm) and clear(spot.rect, blocked, touching)
            if not fits:
                continue
            if depth <= 1:
                return spot
            after = end_after(spot, end.direction_deg, length, width)
            if self._choose(after, False, gap, [*blocked, spot.rect], depth - 1) is not None:
                return spot
        return None

    def _marker_place(self, player: str) -> Point:
        length, width, _ = self.plan.tile_mm
        tiles = self.trains.get(player, [])
        away = width / 2 + MARKER_RADIUS_MM + 3.0
        if tiles:
            last = tiles[-1]
            center = last.center_mm
            reach = length / 2 + MARKER_RADIUS_MM + 3.0
            options = [
                step(center, last.heading_deg + side, away if side in (90.0, -90.0) else reach)
                for side in (90.0, -90.0, 0.0, 180.0)
            ]
        else:
            options = []
        begins, angle = self.plan.begin(player)
        slot = step(begins, angle, 1.2 * width)
        options.append(slot)
        options += [step(slot, angle + side, away) for side in (90.0, -90.0)]
        taken = self.rects()
        for place in options:
            spot = Rect(place, 0.0, MARKER_RADIUS_MM, MARKER_RADIUS_MM)
            if inside(spot, self.plan.size_mm, 2.0) and not any(overlap(spot, rect) for rect in taken):
                return place
        return options[0]

    def _spread(self, count: int) -> list[Lying]:
        """Face-down tiles in rows in two corners of the table, or one pile."""
        length, width, _ = self.plan.tile_mm
        w, h = self.plan.size_mm
        if not self.plan.boneyard_spread:
            pile = (self.plan.edge_mm + length / 2, self.plan.edge_mm + width / 2)
            return [Lying(Laid(0, 0), pile, 0.0, False, layer) for layer in range(min(count, 4))]
        tiles: list[Lying] = []
        columns, pitch_x, pitch_y = 5, width + 4.0, length + 5.0
        for n in range(count):
            corner, k = n % 2, n // 2
            x = 12.0 + width / 2 + (k % columns) * pitch_x
            y = 12.0 + length / 2 + (k // columns) * pitch_y
            place = (x, y) if corner == 0 else (w - x, h - y)
            sway = float(self.rng.uniform(-6.0, 6.0))
            tiles.append(Lying(Laid(0, 0), place, 90.0 + sway, False))
        return tiles


def lay_out(
    plan: TablePlan,
    rng: np.random.Generator,
    engine: Laid,
    trains: Mapping[str, Sequence[Laid]],
    markers: Iterable[str] = (),
    flipped: Iterable[str] = (),
    boneyard: int | None = None,
) -> TableTop:
    """A whole position on the table, the trains laid in turns as in a game. Raises TableFullError."""
    table = TableTop(plan, rng)
    table.set_up(engine, boneyard)
    longest = max((len(tiles) for tiles in trains.values()), default=0)
    for n in range(longest):
        for name, tiles in trains.items():
            if n < len(tiles):
                table.lay(tiles[n], name)
    for name in flipped:
        table.flip(name)
    for name in markers:
        table.mark(name)
    return table
