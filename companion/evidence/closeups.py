"""A played tile from close by: which crops lie beside the journal, and where the tile is in them.

The index beside a picture (`evidence-....json`) lists the tiles that lay on the table: `values` as read, `p` of each
half, `quad` (4 points, half 0 at the edge 0-1) and `size` in pixels of the crops, the crops' names, whether the tile
was `new` in that picture, and whether it `stood` on the still table before it already. It is a file like any other, so
nothing in it is believed before it was checked.

Each tile from close by at full resolution: the place before it was laid, and the tile as it was read.

A tile is photographed when it is first seen on a still table, and the place of it is cut out of the still table before.
A close-up belongs to a place and to what lies on top there: a tile laid on another one, as in a wall of Chinese tiles,
or in its stead is photographed anew.
The crops wait in memory until a picture of the game is kept that they belong to, and are small JPEGs from then on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.geometry.layout import Point, SeenTile, turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vision.frame import Image

LARGEST_INDEX = 200_000
"""Bytes; sixty tiles take 15 000."""


@dataclass(frozen=True, slots=True)
class Label:
    """One half's value where it is written over the crop."""

    x: float
    y: float
    value: str
    p: float | None


@dataclass(frozen=True, slots=True)
class CloseUpView:
    """One tile and its halves, as the page shows them."""

    after: str
    before: str | None
    width: int
    """Pixels of the picture."""
    height: int
    """Pixels of the picture."""
    outline: str
    """The tile as an SVG polygon in that picture."""
    labels: tuple[Label, Label]
    type_px: float
    """Size of the labels."""

    @property
    def unread(self) -> bool:
        """Nothing was read there: not a half of a tile, or no tile lies there at all."""
        return all(label.value == "?" for label in self.labels)


def close_up(folder: Path, frames: Iterable[str], tile: Sequence[int], after: str = "") -> CloseUpView | None:
    """The crops of `tile` in the first of these pictures that knows it.

    `frames` are names of pictures in the journal, the most likely one first. Crops made at the picture `after` or
    earlier show another tile of these values, one of the round before or the first of two in the box.
    """
    found = _found(folder, frames, tile)
    return next((made for row, made in found if not after or photographed_at(row) > Path(after).stem), None)


def unread_close_up(folder: Path, frame: str) -> CloseUpView | None:
    """The crops of the tile that is new in this picture and not read; None where there are several of them."""
    found = list(_found(folder, [frame], None))
    return found[0][1] if len(found) == 1 else None


def stood_before(folder: Path, frame: str, tile: Sequence[int] | None) -> bool:
    """Whether `tile` lay there already on the picture that was kept as the table before `frame`."""
    return any(row.get("stood") is True for row in rows_of(folder, frame) if _shows(row, tile))


def lies_in(folder: Path, frame: str, tile: Sequence[int] | None) -> bool:
    """Whether this picture is known to show `tile`, or with None one that is new in it and not read."""
    return any(_shows(row, tile) for row in rows_of(folder, frame))


def rows_of(folder: Path, frame: str) -> list[Mapping[str, Any]]:
    """The index of this picture."""
    return read_index(folder / f"{Path(frame).stem}.json")


def photographed_at(row: Mapping[str, Any]) -> str:
    """The name without its ending of the picture with which a row's crops were kept. Names sort by time."""
    return str(row["after"]).partition("-tile-")[0]


def find_tile(folder: Path, frames: Iterable[str], tile: Sequence[int] | None) -> Mapping[str, Any] | None:
    """The checked index row that `close_up` shows."""
    return next((row for row, _made in _found(folder, frames, tile)), None)


def _found(
    folder: Path, frames: Iterable[str], tile: Sequence[int] | None
) -> Iterator[tuple[Mapping[str, Any], CloseUpView]]:
    for frame in frames:
        fitting = [row for row in rows_of(folder, frame) if _shows(row, tile)]
        # Chinese tiles exist twice, and what was new in a picture is what its play laid.
        for row in sorted(fitting, key=lambda row: not row.get("new")):
            made = _made(folder, row)
            if made is not None:
                yield row, made


def read_index(path: Path) -> list[Mapping[str, Any]]:
    """The tiles of one picture; [] for no index, or a broken one."""
    try:
        if path.stat().st_size > LARGEST_INDEX:
            return []
        rows = json.loads(path.read_text(encoding="utf-8")).get("tiles")
    except (OSError, ValueError, AttributeError, RecursionError):
        return []
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _shows(row: Mapping[str, Any], tile: Sequence[int] | None) -> bool:
    values = row.get("values")
    if not isinstance(values, list) or len(values) != 2:
        return False
    if tile is None:
        return bool(row.get("new")) and None in values
    return None not in values and sorted(values, key=str) == sorted(tile, key=str)


def _made(folder: Path, row: Mapping[str, Any]) -> CloseUpView | None:
    try:
        quad = [(float(x), float(y)) for x, y in row["quad"]]
        width, height = (int(side) for side in row["size"])
        values = list(row["values"])
        p = [None if one is None else float(one) for one in row.get("p") or (None, None)]
        after, before = str(row["after"]), row.get("before")
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    numbers = [number for point in quad for number in point]
    if len(quad) != 4 or len(p) != 2 or not (0 < width < 9000 and 0 < height < 9000):
        return None
    if not all(math.isfinite(number) for number in numbers) or not _lies_in(folder, after):
        return None
    length = math.dist(_middle(quad[0], quad[1]), _middle(quad[2], quad[3]))
    return CloseUpView(
        after=after,
        before=before if isinstance(before, str) and _lies_in(folder, before) else None,
        width=width,
        height=height,
        outline=" ".join(f"{x:.1f},{y:.1f}" for x, y in quad),
        labels=(_label(quad, 0, values[0], p[0]), _label(quad, 1, values[1], p[1])),
        type_px=max(10.0, round(0.3 * length, 1)),
    )


def _label(quad: Sequence[tuple[float, float]], half: int, value: Any, p: float | None) -> Label:
    """Beside the half, where trains leave room: beyond its end the next tile lies."""
    near, far = _middle(quad[0], quad[1]), _middle(quad[2], quad[3])
    end, other = (near, far) if half == 0 else (far, near)
    side, across = _middle(quad[1], quad[2]), _middle(quad[3], quad[0])
    x, y = (0.75 * end[i] + 0.25 * other[i] + 0.95 * (side[i] - across[i]) for i in (0, 1))
    return Label(round(x, 1), round(y, 1), "?" if value is None else str(value)[:3], p)


def _middle(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _lies_in(folder: Path, name: str) -> bool:
    """Whether it is a picture of this folder, and no link to one elsewhere."""
    path = folder / name
    return path.name == name and name.endswith(".jpg") and path.is_file() and not path.is_symlink()


SAME_PLACE_MM = 12.0
"""Half a tile's width: only what is found nearer than this to an earlier tile can be that tile."""

SAME_LOOK = 0.9
"""Least correlation of two pictures of one tile with a half that one of them leaves unreadable. On rendered tables two
pictures of one tile correlate at 0.99, pictures of two tiles that share a half at up to 0.86."""

LOOK_WH = (16, 32)
"""Size in pixels of the straightened tile that is compared: pips stay apart, noise does not."""

SURROUNDINGS = 1.1
"""How much of the table around a tile is shown, in tile lengths on each side: its neighbours settle most disputes."""

MOST_AT_ONCE = 24
"""More new tiles than this at once are a table that was set up while nobody watched, and no play."""

QUALITY = 92


@dataclass(slots=True)
class Crop:
    """A piece of a picture. It is painted over and encoded when somebody first asks for it: whoever writes it to the
    disk."""

    image: Image | None
    """(h, w, 3) uint8."""
    corners: NDArray[np.float64]
    """(4, 2): the table's corners, in pixels of the piece."""
    margin: float
    _jpeg: bytes = b""

    def jpeg(self) -> bytes:
        image = self.image
        if image is not None:
            import cv2

            painted = painted_outside(image, self.corners, self.margin)
            self._jpeg = cv2.imencode(".jpg", painted, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
            self.image = None
        return self._jpeg


@dataclass(slots=True)
class TileCloseUp:
    """One tile and its crops."""

    tile: SeenTile
    quad: list[Point]
    """Four points in pixels of the crops, half 0 at the edge 0-1."""
    size_wh: tuple[int, int]
    after: Crop
    before: Crop | None
    look: NDArray[np.float32]
    """The tile alone, straightened and grey, with mean 0 and variance 1."""
    stem: str | None = None
    """The name of its files, once they are kept."""
    stood: bool = False
    """It lay there on the last still table already."""

    def shows(self, image: Image, tile: SeenTile) -> bool:
        """Is `tile`, found at this place in `image`, the one that was photographed?

        A tile with other values is another one: it lies on top of the first, replaced it, or the first was misread. A
        new picture is right in all three cases. Where a half is unreadable the picture decides.
        """
        was, now = _values_along(self.tile, self.tile.heading_deg), _values_along(tile, self.tile.heading_deg)
        if was is None or now is None:
            return was is now
        if any(a is not None and b is not None and a != b for a, b in zip(was, now, strict=True)):
            return False
        if None not in was and None not in now:
            return True
        look = _look(image, tile, self.tile.heading_deg)
        return look is not None and float((look * self.look).mean()) >= SAME_LOOK

    def to_json(self, stem: str) -> dict[str, Any]:
        halves = self.tile.halves
        return {
            "values": None if halves is None else [half.value for half in halves],
            "p": None if halves is None else [round(half.p, 4) for half in halves],
            "quad": [[round(x, 1), round(y, 1)] for x, y in self.quad],
            "size": list(self.size_wh),
            "after": f"{self.stem}.jpg",
            "before": None if self.before is None else f"{self.stem}-before.jpg",
            "new": str(self.stem).startswith(f"{stem}-"),
            "stood": self.stood,
        }


@dataclass(slots=True)
class CloseUps:
    """The close-ups of all tiles that lie on the table now. Not thread-safe: its owner has the lock."""

    margin: float = 0.02
    still: Image | None = None
    _known: list[TileCloseUp] = field(default_factory=list)

    def notice(self, image: Image, tiles: Sequence[SeenTile], corners_px: NDArray[np.float64]) -> None:
        """Cut out new tiles. Those that no longer lie there are forgotten."""
        left = list(self._known)
        now: list[TileCloseUp] = []
        fresh: list[SeenTile] = []
        for tile in tiles:
            near = min(left, key=lambda one: math.dist(one.tile.center_mm, tile.center_mm), default=None)
            far = near is not None and math.dist(near.tile.center_mm, tile.center_mm) >= SAME_PLACE_MM
            if near is None or far or not near.shows(image, tile):
                fresh.append(tile)
            else:
                left.remove(near)
                near.tile = tile
                now.append(near)
        self._known = now
        for tile in fresh[:MOST_AT_ONCE]:
            made = self._cut(image, tile, corners_px)
            if made is not None:
                self._known.append(made)

    def settled(self, image: Image) -> None:
        """This still table is the "before" of whatever comes next. Keeps the picture itself, not a copy."""
        self.still = image
        for one in self._known:
            one.stood = True

    def forget(self) -> None:
        self.still, self._known = None, []

    def to_keep(self, stem: str) -> list[tuple[str, Callable[[], bytes]]]:
        """(file name, what makes its bytes) of what belongs to the picture `stem` and has not been kept yet, and an
        index."""
        files: list[tuple[str, Callable[[], bytes]]] = []
        for number, one in enumerate([one for one in self._known if one.stem is None], start=1):
            one.stem = f"{stem}-tile-{number}"
            files.append((f"{one.stem}.jpg", one.after.jpeg))
            if one.before is not None:
                files.append((f"{one.stem}-before.jpg", one.before.jpeg))
        index = json.dumps({"tiles": [one.to_json(stem) for one in self._known]}, separators=(",", ":")).encode()
        return [*files, (f"{stem}.json", lambda: index)]

    def _cut(self, image: Image, tile: SeenTile, corners_px: NDArray[np.float64]) -> TileCloseUp | None:
        if tile.box_px is None:
            return None
        box = cut_around(tile.box_px, (int(image.shape[1]), int(image.shape[0])))
        x0, y0, x1, y1 = box
        if x1 - x0 < 8 or y1 - y0 < 8:
            return None
        same_size = self.still is not None and self.still.shape == image.shape
        before = _crop(self.still, box, corners_px, self.margin) if self.still is not None and same_size else None
        look = _look(image, tile, tile.heading_deg)
        if look is None:
            return None
        quad = [(x - x0, y - y0) for x, y in tile.box_px]
        after = _crop(image, box, corners_px, self.margin)
        return TileCloseUp(tile, quad, (x1 - x0, y1 - y0), after, before, look)


def _values_along(tile: SeenTile, heading_deg: float) -> tuple[int | None, int | None] | None:
    """Both values, the half first that comes first along `heading_deg`; None for a tile that lies face down."""
    if tile.halves is None:
        return None
    a, b = tile.halves[0].value, tile.halves[1].value
    return (b, a) if _opposed(tile.heading_deg, heading_deg) else (a, b)


def _look(image: Image, tile: SeenTile, heading_deg: float) -> NDArray[np.float32] | None:
    """The tile alone, straightened along `heading_deg`, (h, w) with mean 0 and variance 1; None without an outline."""
    if tile.box_px is None:
        return None
    import cv2
    import numpy as np

    w, h = 4 * LOOK_WH[0], 4 * LOOK_WH[1]
    a, b, c, d = tile.box_px
    box = (c, d, a, b) if _opposed(tile.heading_deg, heading_deg) else (a, b, c, d)
    edges = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32)
    straight = cv2.getPerspectiveTransform(np.array(box, np.float32), edges)
    grey = cv2.cvtColor(cv2.warpPerspective(image, straight, (w, h)), cv2.COLOR_BGR2GRAY)
    grey = cv2.resize(grey, LOOK_WH, interpolation=cv2.INTER_AREA)
    flat = grey.astype(np.float32) - float(grey.mean())
    return flat / max(1.0, float(flat.std()))


def _opposed(heading_deg: float, other_deg: float) -> bool:
    return abs(turn(heading_deg, other_deg)) > 90.0


def cut_around(quad: Sequence[Point], size_wh: tuple[int, int]) -> tuple[int, int, int, int]:
    """The box (x0, y0, x1, y1) that shows a tile with its surroundings, within the picture."""
    import numpy as np

    points = np.asarray(quad, np.float64)
    sides = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    grow = SURROUNDINGS * float(sides.max())
    low, high = np.floor(points.min(0) - grow), np.ceil(points.max(0) + grow)
    return (
        max(0, int(low[0])),
        max(0, int(low[1])),
        min(size_wh[0], int(high[0])),
        min(size_wh[1], int(high[1])),
    )


def painted_outside(image: Image, corners: NDArray[np.float64], margin: float) -> Image:
    """The picture with everything outside the table painted grey. `corners` (4, 2) of the table in its pixels;
    `margin`: how much further out, as a share of the table, because hands at the edge belong to the play."""
    import cv2
    import numpy as np

    middle = corners.mean(axis=0)
    outline = np.rint(middle + (corners - middle) * (1 + margin)).astype(np.int32)
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, outline, 255)
    painted = np.full_like(image, 128)
    painted[mask > 0] = image[mask > 0]
    return painted


def _crop(image: Image, box: tuple[int, int, int, int], corners_px: NDArray[np.float64], margin: float) -> Crop:
    x0, y0, x1, y1 = box
    # The margin belongs to the whole table, so the outline is moved and not measured anew.
    return Crop(image[y0:y1, x0:x1].copy(), corners_px - (x0, y0), margin)
