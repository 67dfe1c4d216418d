"""Where tiles lie: chains, rows, scatters and heaps, in millimetres, and the deck they are drawn from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from datasets.render.styles import TileStyle

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Placed:
    """A tile: its middle (mm), the heading of half 1 from half 0 (radians), its values, its face, its height (mm)."""

    x: float
    y: float
    heading: float
    first: int
    second: int
    face_up: bool = True
    z: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0


def footprint(x: float, y: float, heading: float, length: float, width: float) -> Points:
    c, s = math.cos(heading), math.sin(heading)
    corners = ((-1, -1), (-1, 1), (1, 1), (1, -1))
    return np.array(
        [(x + a * length / 2 * c - b * width / 2 * s, y + a * length / 2 * s + b * width / 2 * c) for a, b in corners]
    )


@dataclass(slots=True)
class Occupancy:
    """Which ground is taken, on a grid of 1.25 mm over a square of `half` mm to each side."""

    half: float = 900.0
    cell: float = 1.25
    _taken: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        n = int(2 * self.half / self.cell) + 1
        self._taken = np.zeros((n, n), np.uint8)

    def _cells(self, polygon: Points) -> NDArray[np.int32]:
        return np.round((polygon + self.half) / self.cell).astype(np.int32)

    def free(self, polygon: ArrayLike, shrink: float = 0.94) -> bool:
        p = np.asarray(polygon, float)
        middle = p.mean(0)
        q = self._cells(middle + (p - middle) * shrink)
        lo, hi = q.min(0), q.max(0)
        n = self._taken.shape[0]
        if lo.min() < 0 or hi.max() >= n:
            return False
        w, h = hi - lo + 1
        mask = np.zeros((h, w), np.uint8)
        cv2.fillConvexPoly(mask, q - lo, 1)
        return not (self._taken[lo[1] : hi[1] + 1, lo[0] : hi[0] + 1] & mask).any()

    def add(self, polygon: ArrayLike) -> None:
        p = np.asarray(polygon, float)
        middle = p.mean(0)
        cv2.fillConvexPoly(self._taken, self._cells(middle + (p - middle) * 0.96), 1)


# eleven of the twenty-one Chinese tiles are in the deck twice (rules of the 32-tile set: the "civil" tiles)
CHINESE_TWICE = ((6, 6), (1, 1), (4, 4), (1, 3), (5, 5), (3, 3), (2, 2), (5, 6), (4, 6), (1, 6), (1, 5))


class Deck:
    """Tiles of one set, drawn without replacement; when the set runs out a second one is opened."""

    def __init__(self, family: str, set_max: int, rng: np.random.Generator) -> None:
        lowest = 1 if family == "chinese" else 0
        tiles = [(a, b) for a in range(lowest, set_max + 1) for b in range(a, set_max + 1)]
        if family == "chinese":
            tiles += CHINESE_TWICE
        self._rng = rng
        self._whole = tiles
        self._left: list[tuple[int, int]] = []
        self._open()

    def __len__(self) -> int:
        return len(self._whole)

    def _open(self) -> None:
        """Shuffles; tiles with values above 6 come up sooner, because big sets are otherwise mostly small values."""
        weight = np.array([1 + 0.6 * ((a > 6) + (b > 6)) for a, b in self._whole])
        order = np.argsort(self._rng.exponential(1.0, len(self._whole)) / weight)
        self._left = [self._whole[i] for i in order[::-1]]

    def draw(self) -> tuple[int, int]:
        if not self._left:
            self._open()
        a, b = self._left.pop()
        return (a, b) if self._rng.random() < 0.5 else (b, a)

    def take_matching(self, value: int) -> tuple[int, int] | None:
        """A tile turned so that `value` comes first, or None."""
        for i in range(len(self._left) - 1, -1, -1):
            a, b = self._left[i]
            if value in (a, b):
                self._left.pop(i)
                return (a, b) if a == value else (b, a)
        return None

    def take_double(self, value: int) -> tuple[int, int]:
        if (value, value) in self._left:
            self._left.remove((value, value))
        return (value, value)

    def put_back(self, tile: tuple[int, int]) -> None:
        self._left.insert(0, (min(tile), max(tile)))


@dataclass(frozen=True, slots=True)
class ChainEnd:
    x: float
    y: float
    heading: float


def chain(
    rng: np.random.Generator,
    deck: Deck,
    ground: Occupancy,
    style: TileStyle,
    start: ChainEnd,
    value: int,
    count: int,
    limit: tuple[float, float],
    *,
    wobble: float = 0.02,
    gap: tuple[float, float] = (0, 1.2),
    doubles_across: bool = True,
    turns: int = 4,
    matching: bool = True,
) -> tuple[list[Placed], ChainEnd]:
    """A line of play from `start`; it turns where it meets the `limit` (half extents, mm) or other tiles."""
    length, width = style.body.length, style.body.width
    placed: list[Placed] = []
    x, y, heading = start.x, start.y, start.heading
    while len(placed) < count:
        tile = deck.take_matching(value) if matching else deck.draw()
        if tile is None:
            break
        across = tile[0] == tile[1] and doubles_across
        bends = [0.0]
        if placed and turns > 0:
            bends += [math.pi / 2, -math.pi / 2] if rng.random() < 0.8 else [math.pi / 4, -math.pi / 4]
            if rng.random() < 0.06:
                bends = bends[1:] + bends[:1]
        for bend in bends:
            onward = heading + bend
            along = width if across else length
            sx, sy = x, y
            if bend:  # leave from the side of the last half
                sx += (math.cos(onward) - math.cos(heading)) * width / 2
                sy += (math.sin(onward) - math.sin(heading)) * width / 2
            space, aside = rng.uniform(*gap), rng.normal(0, 0.5)
            cx = sx + math.cos(onward) * (along / 2 + space) - aside * math.sin(onward)
            cy = sy + math.sin(onward) * (along / 2 + space) + aside * math.cos(onward)
            lies = onward + rng.normal(0, wobble) + (math.pi / 2 if across else 0)
            shape = footprint(cx, cy, lies, length, width)
            if abs(shape[:, 0]).max() > limit[0] or abs(shape[:, 1]).max() > limit[1] or not ground.free(shape, 0.9):
                continue
            ground.add(shape)
            placed.append(Placed(cx, cy, lies, *tile))
            x, y = cx + math.cos(onward) * along / 2, cy + math.sin(onward) * along / 2
            turns -= 1 if bend else 0
            heading, value = onward, tile[1]
            break
        else:
            deck.put_back(tile)
            break
    return placed, ChainEnd(x, y, heading)


def rows(
    rng: np.random.Generator,
    deck: Deck,
    ground: Occupancy,
    style: TileStyle,
    middle: ChainEnd,
    count: int,
    per_row: int,
    *,
    face_up: bool = True,
    gap: tuple[float, float] = (0, 2.5),
    loose: float = 0.02,
) -> list[Placed]:
    """Tiles side by side, or end to end, in rows."""
    length, width = style.body.length, style.body.width
    placed = []
    space = rng.uniform(*gap)
    between = rng.uniform(*gap) * 2 if rng.random() < 0.7 else rng.uniform(2, 14)
    c, s = math.cos(middle.heading), math.sin(middle.heading)
    flat = rng.random() < 0.25  # the long axis along the row
    step, row_step = (length, width) if flat else (width, length)
    n_rows = math.ceil(count / per_row)
    shift = 0.0
    for i in range(count):
        r, k = divmod(i, per_row)
        if k == 0:
            shift = rng.normal(0, 2.0)
        u = (k - (per_row - 1) / 2) * (step + space) + shift + rng.normal(0, 0.5)
        v = (r - (n_rows - 1) / 2) * (row_step + between) + rng.normal(0, 0.8)
        x, y = middle.x + u * c - v * s, middle.y + u * s + v * c
        tile = deck.draw()
        lies = middle.heading + (0 if flat else math.pi / 2) + rng.normal(0, loose)
        lies += math.pi if rng.random() < 0.5 else 0
        shape = footprint(x, y, lies, length, width)
        if ground.free(shape, 0.86):
            ground.add(shape)
            placed.append(Placed(x, y, lies, *tile, face_up=face_up))
    return placed


def scatter(
    rng: np.random.Generator,
    deck: Deck,
    ground: Occupancy,
    style: TileStyle,
    count: int,
    box: tuple[float, float, float, float],
    *,
    face_down: float = 0.15,
    tries: int = 40,
    shrink: float = 0.98,
    headings: list[float] | None = None,
) -> list[Placed]:
    """Tiles anywhere in `box` (x0, y0, x1, y1) without overlap; a share `face_down` of them face down."""
    placed = []
    for _ in range(count):
        for _ in range(tries):
            x, y = rng.uniform(box[0], box[2]), rng.uniform(box[1], box[3])
            lies = rng.uniform(0, 2 * math.pi)
            if headings is not None:
                lies = headings[rng.integers(len(headings))] + rng.normal(0, 0.06)
            shape = footprint(x, y, lies, style.body.length, style.body.width)
            if ground.free(shape, shrink):
                ground.add(shape)
                placed.append(Placed(x, y, lies, *deck.draw(), face_up=bool(rng.random() > face_down)))
                break
    return placed


def stacks(
    rng: np.random.Generator,
    deck: Deck,
    ground: Occupancy,
    style: TileStyle,
    middle: ChainEnd,
    count: int,
    levels: int,
    face_down: float,
) -> list[Placed]:
    """A wall: `count` neat stacks side by side, up to `levels` high, as walls and woodpiles are built."""
    body = style.body
    c, s = math.cos(middle.heading), math.sin(middle.heading)
    end_to_end = rng.random() < 0.2
    step = (body.length if end_to_end else body.width) + rng.choice([0.0, 0.4, 2.0])
    turn = 0.0 if end_to_end else math.pi / 2
    placed = []
    for k in range(count):
        u = (k - (count - 1) / 2) * step
        x, y = middle.x + u * c, middle.y + u * s
        lies = middle.heading + turn + rng.normal(0, 0.01)
        shape = footprint(x, y, lies, body.length, body.width)
        if not ground.free(shape, 0.86):
            continue
        ground.add(shape)
        for level in range(levels if rng.random() < 0.85 else int(rng.integers(1, levels + 1))):
            dx, dy = rng.normal(0, 0.35, 2)
            up = bool(rng.random() > face_down)
            placed.append(Placed(x + dx, y + dy, lies, *deck.draw(), face_up=up, z=level * body.thickness))
    return placed


def heap(
    rng: np.random.Generator, deck: Deck, style: TileStyle, count: int, radius: float, face_down: float
) -> list[Placed]:
    """An overlapping heap about the origin: a tile lies on what is below it and tips over edges."""
    body = style.body
    placed = []
    n = 256
    cell = (radius * 2 + 2 * body.length) / n
    height = np.zeros((n, n), np.float32)
    for _ in range(count):
        r, a = radius * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
        x, y, lies = r * math.cos(a), r * math.sin(a), rng.uniform(0, 2 * math.pi)
        mask = np.zeros((n, n), np.uint8)
        shape = footprint(x, y, lies, body.length, body.width)
        cv2.fillConvexPoly(mask, np.round(shape / cell + n / 2).astype(np.int32), 1)
        below = height[mask > 0]
        if below.size == 0 or below.max() > 3.2 * body.thickness:
            continue
        z = float(below.max())
        support = float((below > z - 0.5).mean())
        pitch = roll = 0.0
        lies_at = z
        if z > 0.5 and support < 0.75:  # rests on an edge and tips to the unsupported side
            ys, xs = np.nonzero((mask > 0) & (height > z - 0.5))
            ax, ay = (xs.mean() - n / 2) * cell - x, (ys.mean() - n / 2) * cell - y
            u = ax * math.cos(lies) + ay * math.sin(lies)
            v = -ax * math.sin(lies) + ay * math.cos(lies)
            k = rng.uniform(0.3, 1.0) * (1 - support)
            pitch = -k * math.atan2(body.thickness * 0.8, body.length / 2) * np.sign(u)
            pitch *= min(1, abs(u) / (body.length / 5))
            roll = k * math.atan2(body.thickness * 0.6, body.width) * np.sign(v) * min(1, abs(v) / (body.width / 4))
            lies_at = z * (0.62 + 0.38 * support)
        height[mask > 0] = z + body.thickness
        up = bool(rng.random() > face_down)
        placed.append(Placed(x, y, lies, *deck.draw(), up, lies_at, float(pitch), float(roll)))
    return placed
