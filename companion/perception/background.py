"""The bare table, and the things on it that nobody recognised.

A small picture of each frame, made once: bare table, unknown things and lifted markers are all asked about it.

Changes of colour alone: a red marker as bright as the green cloth leaves no trace in a picture's brightness.

The settler looks at brightness, because light must not disturb it. Here the things that a hand has left are looked for
once more, in the colour channels, which shadows and lamps of one colour change little.

Is a place on the table empty? A tile that is not found may be gone, or under a cup.

The bare table is learnt while watching: wherever nothing lies, the picture is the table. A place that was never seen
bare is compared with the bare table around it.

Small things that came to lie on the table and were not recognised: any of them may be somebody's marker.

"A marker is missing" is a charge that rests on something unseen. So every change between two still tables that is
neither tile nor marker is remembered by its place, whatever it is; beside a train it speaks for that train's owner.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.geometry.hub import outside
from companion.geometry.joints import distance
from companion.geometry.layout import Point, SeenTile
from companion.perception.projection import outline
from vision.calibration import Calibration
from vision.frame import Frame, Image, halved
from vision.settle import Region, regions_of, without_specks

Floats = NDArray[np.float32]
Halves = Callable[[tuple[int, int]], Image]


Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class SmallPicture:
    """A picture of the table made small, and where the table is in it.

    >>> calibration = Calibration.from_corners([(0, 0), (1920, 0), (1920, 1440), (0, 1440)], (960.0, 720.0))
    >>> picture = SmallPicture.of(np.zeros((1440, 1920, 3), np.uint8), calibration)
    >>> picture.points.shape, picture.scale, picture.px((10.0, 20.0))
    ((720, 960, 3), 0.5, (10, 20))
    """

    points: Floats
    """(h, w, 3) BGR."""
    scale: float
    calibration: Calibration
    """The calibration of the full picture."""

    @classmethod
    def of(cls, image: Image, calibration: Calibration, halves: Halves | None = None) -> SmallPicture:
        """(h, w, 3) uint8 BGR, small; `halves` of it that a frame keeps."""
        h, w = image.shape[:2]
        scale = min(1.0, WIDTH_PX / w)
        size = (max(1, round(w * scale)), max(1, round(h * scale)))
        small = halved(image, size)[0] if halves is None else halves(size)
        return cls(np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.float32), scale, calibration)

    @property
    def px_per_mm(self) -> float:
        return self.scale * self.calibration.px_per_mm

    def px(self, place: Point) -> tuple[int, int]:
        """The point (x, y) at which a place of the table is seen."""
        x, y = (self.calibration.to_px(np.array([place], np.float64))[0] * self.scale).round()
        return int(x), int(y)

    def mask(self, tiles: Sequence[SeenTile], grow: float) -> Mask:
        """(h, w): 1 where tiles lie, each `grow` mm larger on every side; 0 elsewhere."""
        mask = np.zeros(self.points.shape[:2], np.uint8)
        if not tiles:
            return mask
        corners_mm = np.array([outline(tile, grow) for tile in tiles], np.float64)
        corners_px = self.calibration.to_px(corners_mm.reshape(-1, 2)) * self.scale
        for corners in np.asarray(corners_px, np.int32).reshape(-1, 4, 2):
            cv2.fillConvexPoly(mask, corners, 1)
        return mask


@dataclass(slots=True)
class Thumbnails:
    """Keeps the small picture of the frame it was asked about last; the frame itself must not be painted on.

    >>> thumbnails, frame = Thumbnails(), Frame(np.zeros((1200, 1600, 3), np.uint8), 0.0, "frame-1")
    >>> calibration = Calibration.from_corners([(0, 0), (1600, 0), (1600, 1200), (0, 1200)], (800.0, 600.0))
    >>> thumbnails.of(frame, calibration).points is thumbnails.of(frame, calibration).points
    True
    """

    _of: weakref.ref[Image] | None = field(default=None, init=False)
    _made: SmallPicture | None = field(default=None, init=False)

    def of(self, frame: Frame, calibration: Calibration) -> SmallPicture:
        if self._made is None or self._of is None or self._of() is not frame.image:
            self._made = SmallPicture.of(frame.image, calibration, frame.halved)
            self._of = weakref.ref(frame.image)
        return replace(self._made, calibration=calibration)


COLOUR_WIDTH_PX = 640
"""The picture is compared at this width."""
THRESHOLD = 14.0
"""A pixel's colour has changed beyond this, in units of CIE a*, b* (0 to 255 in OpenCV)."""
SMALLEST = 8e-5
"""The least changed region, as a part of the area."""
REACH = 0.02
"""Changes this near to each other are one region, in parts of the width."""


def colours(frame: Frame) -> NDArray[np.float32]:
    """(h, w, 2) a* and b* of the picture at the working width."""
    w, h = frame.size_wh
    scale = min(1.0, COLOUR_WIDTH_PX / w)
    size = (max(1, round(w * scale)), max(1, round(h * scale)))
    small = cv2.resize(frame.halved(size), size, interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (3, 3), 0), cv2.COLOR_BGR2LAB)
    return np.asarray(lab[..., 1:], np.float32)


def recoloured(before: NDArray[np.float32], now: NDArray[np.float32], full_wh: tuple[int, int]) -> tuple[Region, ...]:
    """Regions (px of the full picture) whose colour has changed; a change of the light's own colour is taken out."""
    if before.shape != now.shape:
        return ()
    apart = now - before
    # Some points spread over the picture say well enough how the light has changed.
    apart -= np.median(apart[::4, ::4], axis=(0, 1))
    raw = (apart[..., 0] ** 2 + apart[..., 1] ** 2 > THRESHOLD**2).astype(np.uint8)
    mask = without_specks(raw, max(3, round(SMALLEST * raw.size)))
    return regions_of(mask, full_wh, max(1, round(REACH * raw.shape[1])))


REACHES_MM = (60.0, 110.0, 180.0)
"""How far around a place bare table is looked for: farther than a cup that stands on it reaches."""

LEAST_PX = 12

INSIDE_MM = 5.0
"""A place is judged by its inside: where its neighbours stood close, their flanks and shadows reach over its edges."""


FLANK_MM = 1.5
"""How far around a tile its flank and its shadow may be seen."""


WIDTH_PX = 960
"""The width of the small picture."""
LIKENESS = 8.0
"""A bare place differs from the table, the light's own change taken out, by at most this many grey levels of 255 in the
middle. Rather strict: white tiles lie on white cloths; a tile wrongly counted as gone is an accusation, one wrongly
counted as hidden only waits."""
ROUGHNESS = 24.0
"""And by at most this many at its tenth worst point."""
GRAIN = 1.6
"""Without a picture of the place it must be as smooth as its surroundings, up to this factor."""
AMONG = 0.9
"""A tile lying face down matters less, and boneyards are packed: its place may be in the shade and patterned like the
table around. It is bare where this share of its points look more like that table than like the tiles of that face."""
OF_A_TILE = 0.5
"""At most this share of the points of a tile of that face may look like the table, or its colours tell nothing."""
NEAREST = 12
"""How many such tiles are compared, the nearest; farther off the light differs."""
SHADES = (1.0, 0.85, 0.7)
"""The brightnesses of the table that are tried."""
WITHIN = 3.0
"""The place's points lie within this many deviations of the table, as a median."""
GREY = 5.0
"""A deviation counts as this many grey levels at least."""


ALIKE, TOLD_APART = 1, 2
"""A place has the table's colours, and tiles have them too, or have others."""


@dataclass(slots=True)
class BackgroundModel:
    """The table as it looks with nothing on it, as far as it has been seen.

    >>> table = np.full((300, 400, 3), 90, np.uint8)
    >>> calibration = Calibration.from_corners([(0, 0), (400, 0), (400, 300), (0, 300)], (800.0, 600.0))
    >>> tile = SeenTile((400.0, 300.0), 0.0, 56.0, 28.0, True, None, 1.0)
    >>> laid = table.copy()
    >>> laid[143:157, 186:214] = 240
    >>> model, before, now = BackgroundModel(), SmallPicture.of(table, calibration), SmallPicture.of(laid, calibration)
    >>> model.learn(before, [])
    >>> model.is_bare(before, tile, []), model.is_bare(now, tile, [])
    (True, False)
    """

    _known: Floats | None = None
    _seen: Mask | None = None

    def learn(self, picture: SmallPicture, tiles: Sequence[SeenTile]) -> None:
        """Everything outside the tiles of a still picture is bare table, or lies there for good."""
        small, covered = picture.points, picture.mask(tiles, 4.0)
        if self._known is None or self._known.shape != small.shape:
            self._known, self._seen = small.copy(), (1 - covered).astype(np.uint8)
            return
        assert self._seen is not None
        free = (covered == 0).view(np.uint8)
        # In place, and many times faster than by an index of booleans.
        cv2.copyTo(small, free, self._known)
        cv2.bitwise_or(self._seen, free, self._seen)

    def is_bare(
        self, picture: SmallPicture, tile: SeenTile, others: Sequence[SeenTile], beside: Sequence[SeenTile] = ()
    ) -> bool:
        """Does the place where `tile` lay look like the table? False where that cannot be told.

        Only what of it lies outside the tiles `beside` is looked at.
        """
        small = picture.points
        inside, blocked = picture.mask([tile], -INSIDE_MM), picture.mask([tile, *others], 4.0)
        for reach in REACHES_MM:
            # In a packed boneyard the nearest bare table is some tiles away.
            ring = (picture.mask([tile], reach) == 1) & (blocked == 0)
            # As much bare table as the place itself is large makes a fair comparison.
            if ring.sum() > max(LEAST_PX, int(inside.sum())):
                break
        place = (inside == 1) & (picture.mask(beside, FLANK_MM) == 0)
        if place.sum() < LEAST_PX or ring.sum() < LEAST_PX:
            return False
        if self._known is not None and self._seen is not None and self._known.shape == small.shape:
            known = place & (self._seen == 1)
            if known.sum() > 0.8 * place.sum():
                light = small[ring].mean(0) - self._known[ring & (self._seen == 1)].mean(0) if ring.any() else 0.0
                apart = np.abs(small[known] - self._known[known] - light)
                median, worst = np.median(apart), np.percentile(apart, 90)
                if median <= LIKENESS and worst <= ROUGHNESS:
                    return True
        apart = np.abs(np.median(small[place], axis=0) - np.median(small[ring], axis=0))
        rough = small[place].std(0).mean() / max(2.0, float(small[ring].std(0).mean()))
        if apart.max() <= LIKENESS and rough <= GRAIN:
            return True
        return not tile.face_up and self.among_the_table(picture, tile, others) == TOLD_APART

    def among_the_table(self, picture: SmallPicture, tile: SeenTile, others: Sequence[SeenTile]) -> int:
        """Are the colours of the place where `tile` lay face down the table's rather than those of such tiles?

        `TOLD_APART`: yes. `ALIKE`: one of the tiles around would pass for the table as well, which alone does not say
        that it is bare. 0: no, or it cannot be told.
        """
        small = picture.points
        backs = [one for one in others if not one.face_up]
        backs.sort(key=lambda one: distance(one.center_mm, tile.center_mm))
        tiles = [small[picture.mask([one], -INSIDE_MM) == 1] for one in backs]
        tiles = [points for points in tiles if len(points)]
        blocked = picture.mask([tile, *others], 4.0)
        table = small[(picture.mask([tile], REACHES_MM[-1]) == 1) & (blocked == 0)]
        place = small[picture.mask([tile], -INSIDE_MM) == 1]
        if not tiles or len(table) < LEAST_PX or len(place) < LEAST_PX:
            return 0
        every = np.concatenate(tiles)
        body, body_spread = every.mean(0), np.maximum(every.std(0), GREY)
        ground, ground_spread = table.mean(0), np.maximum(table.std(0), GREY)

        def to_table(points: Floats) -> Floats:
            apart = [np.linalg.norm((points - f * ground) / ground_spread, axis=1) for f in SHADES]
            return np.asarray(np.min(apart, axis=0), np.float32)

        def is_table(points: Floats) -> float:
            to_tile = np.linalg.norm((points - body) / body_spread, axis=1)
            return float((to_table(points) < to_tile).mean())

        if is_table(place) < AMONG or float(np.median(to_table(place))) > WITHIN:
            return 0
        return TOLD_APART if max(map(is_table, tiles[:NEAREST])) <= OF_A_TILE else ALIKE

    def forget(self) -> None:
        self._known = self._seen = None


_APART = 4
RING_PX = 4
"""The ground around a patch is this wide."""
RING_MM, PLACES_AROUND = 9.0, 8
"""This far from its middle a ring changes everything; it is looked at in so many places."""


CONTRAST = 18.0
"""A thing differs by so many grey levels of 255 from what was there."""
SIZES_MM = (8.0, 42.0)
"""The smallest and the largest width of a thing."""
FILLED = 0.4
"""It fills this share of the box around it."""
ASIDE_MM = 5.0
"""It is this far from every tile and marker."""
SAME_MM = 12.0
"""Two things nearer than this are one."""
AROUND_MM = 24.0
"""A thing that was lifted changes little farther off: `PLACES_AROUND` places this far away are looked at."""
MOST_BESIDE = 3
"""At most so many of them see the change: a tile may have been laid beside it."""
PATCH_MM = 11.0
"""This far around a place pictures are compared."""
SAME_LOOK = 0.5
"""A thing is still there where two pictures correlate by this."""
SAME_PRINT = 0.8
"""The visible part of a figure beside a new tile is still there from this on: a print came to 0.93, markers on prints
to 0.38."""
LEAST_SEEN = 0.4
"""At least this share of the patch has to be visible for that."""
RIM_MM = (4.0, 14.0)
"""The ground around a tile lies between these distances from it."""
SHADOW, ONE_LIGHT = (0.4, 1.0), 0.12
"""A shadow leaves a share of the light between the two, and the same share of each colour but for `ONE_LIGHT`."""


class Difference(NamedTuple):
    """A difference of a thing's size from the last still table.

    >>> put = Difference((120.0, 340.0), now=40.0, before=2.0, narrow_mm=12.0, shade=False)
    >>> put.came, put.went
    (True, False)
    """

    place: Point
    now: float
    """By how many grey levels it stands out from the ground around it now."""
    before: float
    """By how many it stood out before."""
    narrow_mm: float
    """How wide it is at least."""
    shade: bool
    """It may be a shadow: the same ground with less light."""

    @property
    def came(self) -> bool:
        return self.now > self.before

    @property
    def went(self) -> bool:
        """Is little to be seen of what was there? In another light a thing stands out about as it did."""
        return self.now < self.before / 2


@dataclass(slots=True)
class Blobs:
    """Unrecognised things on the table.

    >>> table = np.full((300, 400, 3), 90, np.uint8)
    >>> calibration = Calibration.from_corners([(0, 0), (400, 0), (400, 300), (0, 300)], (800.0, 600.0))
    >>> blobs, put = Blobs(), table.copy()
    >>> put[100:110, 200:210] = 200
    >>> blobs.keep(SmallPicture.of(table, calibration), [])
    >>> now = blobs.now(SmallPicture.of(put, calibration), [])
    >>> [[round(along, -1) for along in place] for place in now]
    [[410.0, 210.0]]
    """

    places: tuple[Point, ...] = ()
    """Where things lie that came after the first still table."""
    _recent: tuple[Point, ...] = ()
    _before: Floats | None = None
    _lay: tuple[SeenTile, ...] = ()
    _compared: tuple[Floats, Floats, Floats] | None = None

    def change(self, picture: SmallPicture) -> Floats | None:
        """(h, w) grey levels by which each point differs from the last still table, the light's own change taken out;
        asked often of one picture. None while it has no such table to compare with."""
        now, before = picture.points, self._before
        if before is None or before.shape != now.shape:
            return None
        if self._compared is None or self._compared[0] is not now or self._compared[1] is not before:
            apart = now - before
            # Some points spread over the picture say well enough how the light has changed.
            light = np.median(apart[::_APART, ::_APART].reshape(-1, 3), axis=0)
            apart -= light.astype(np.float32)
            blue, green, red = cv2.split(np.abs(apart, out=apart))
            self._compared = (now, before, np.asarray(cv2.max(cv2.max(blue, green), red), np.float32))
        return self._compared[2]

    def now(self, picture: SmallPicture, known: Sequence[SeenTile]) -> tuple[Point, ...]:
        """The places as they are in this picture of a still table; `known` are tiles and markers, as squares."""
        if self.change(picture) is None:
            return ()
        put: list[Point] = []
        lifted: list[Point] = []
        for one in self._differing(picture, picture.mask([*known, *self._lay], ASIDE_MM) == 0):
            (put if one.came else lifted).append(one.place)
        same = SAME_MM
        kept = [
            old
            for old in self.places
            if not any(distance(old, gone) < same for gone in lifted)
            and not any(distance(old, tile.center_mm) < same for tile in known)
        ]
        return (*kept, *(new for new in put if not any(distance(new, old) < same for old in kept)))

    def came(self, picture: SmallPicture, tiles: Sequence[SeenTile]) -> list[Difference]:
        """Things of a marker's size that have come since the last still table, beside the tiles or on one that has not
        moved."""
        return [
            one
            for one in self._on_and_beside(picture, tiles, [*tiles, *self._lay])
            if one.came and one.narrow_mm >= SIZES_MM[0]
        ]

    def lifted(self, picture: SmallPicture, tiles: Sequence[SeenTile]) -> list[Point]:
        """Places from which a thing of a marker's size was taken since the last still table, beside the tiles or on one
        that has not moved."""
        return [one.place for one in self._on_and_beside(picture, tiles, []) if one.went]

    def _on_and_beside(
        self, picture: SmallPicture, tiles: Sequence[SeenTile], apart: Sequence[SeenTile]
    ) -> Iterator[Difference]:
        """Differences of a thing's size on tiles that have not moved, and on the table beside them and clear of
        `apart`."""
        lying = [old for old in self._lay if old.halves is not None and _lies_there(old, tiles)]
        fresh = [tile for tile in tiles if not self.lay(tile)]
        on_tiles = (picture.mask(lying, 0.0) == 1) & (picture.mask(fresh, ASIDE_MM) == 0)
        beside = picture.mask([*lying, *fresh, *apart], ASIDE_MM) == 0
        for where in (on_tiles, beside):
            yield from self._differing(picture, where)

    def bared(self, place: Point) -> bool:
        """Did a marker lie here, or so near that it hid this, when the table was still last?"""
        lay = (one.center_mm for one in self._lay if one.length_mm == one.width_mm)
        return any(distance(place, one) < AROUND_MM for one in lay)

    @property
    def forgotten(self) -> bool:
        """Is there no earlier picture to compare with?"""
        return self._before is None

    def lay(self, tile: SeenTile) -> bool:
        """Did this tile lie there, face up, when the table was still last? True where that was forgotten."""
        if tile.halves is None or self._before is None:
            return tile.halves is not None
        return _lies_there(tile, self._lay)

    def went(self, picture: SmallPicture, place: Point) -> bool:
        """Is what was seen at this place not seen there any more, in whatever light, or a nudge aside?"""
        small, mm = picture.points, picture.px_per_mm
        if self._before is None or self._before.shape != small.shape:
            return False
        x, y = picture.px(place)
        patch, around = round(PATCH_MM * mm), round((PATCH_MM + SAME_MM / 2) * mm)
        was = self._before[max(0, y - patch) : y + patch + 1, max(0, x - patch) : x + patch + 1]
        now = small[max(0, y - around) : y + around + 1, max(0, x - around) : x + around + 1]
        if was.size == 0 or now.shape[0] < was.shape[0] or now.shape[1] < was.shape[1]:
            return False
        return float(cv2.matchTemplate(now, was, cv2.TM_CCOEFF_NORMED).max()) < SAME_LOOK

    def is_print(self, picture: SmallPicture, place: Point, fresh: Sequence[SeenTile]) -> bool:
        """Is what shows here beside the tiles a figure that was there before, in whatever light?

        The shadow of a `fresh` tile that was laid on part of it changes it. The tiles that lay there are the same
        before and after, and say nothing of it. False on one of those, and where too little of it is seen.
        """
        small = picture.points
        lay = [old for old in self._lay if old.length_mm != old.width_mm]
        on_one = any(outside(old, place) <= 0.0 for old in lay)
        if self._before is None or self._before.shape != small.shape or on_one:
            return False
        x, y = picture.px(place)
        patch = round(PATCH_MM * picture.px_per_mm)
        part = slice(max(0, y - patch), y + patch + 1), slice(max(0, x - patch), x + patch + 1)
        free = picture.mask([*fresh, *lay], FLANK_MM)[part] == 0
        if free.mean() < LEAST_SEEN:
            return False
        was, now = (points - points.mean(0) for points in (self._before[part][free], small[part][free]))
        if was.std() < CONTRAST or now.std() == 0:
            return False
        return float((was * now).mean() / (was.std() * now.std())) >= SAME_PRINT

    def _differing(self, picture: SmallPicture, where: NDArray[np.bool_]) -> Iterator[Difference]:
        """Differences of a thing's size from the last still table there."""
        small, change = picture.points, self.change(picture)
        if self._before is None or change is None:
            return
        strong = ((change > CONTRAST) & where).astype(np.uint8)
        if not strong.any():
            return
        left, top, width, height = cv2.boundingRect(strong)
        part = strong[top : top + height, left : left + width]
        count, labels, stats, centres = cv2.connectedComponentsWithStats(part, connectivity=8)
        mm = picture.px_per_mm
        for n in range(1, count):
            column, row, wide, high, area = stats[n]
            low, high_mm = SIZES_MM
            if not low * mm <= max(wide, high) <= high_mm * mm or area < FILLED * wide * high:
                continue
            middle = (centres[n] + (left, top)) / picture.scale
            x, y = picture.calibration.to_mm(np.array([middle], np.float64))[0]
            x0, y0 = max(0, left + column - RING_PX), max(0, top + row - RING_PX)
            near = np.s_[y0 : top + row + high + RING_PX, x0 : left + column + wide + RING_PX]
            here = np.zeros(strong[near].shape, np.bool_)
            down, across = top + row - y0, left + column - x0
            here[down : down + high, across : across + wide] = labels[row : row + high, column : column + wide] == n
            now, before = small[near], self._before[near]
            ground = where[near]
            out, was = (self._stands_out(patch, here, ground) for patch in (now, before))
            light = now[here].mean(0) / np.maximum(before[here].mean(0), 1.0)
            shade = bool(SHADOW[0] < light.min() and light.max() < SHADOW[1] and np.ptp(light) < ONE_LIGHT)
            yield Difference((float(x), float(y)), out, was, min(wide, high) / mm, shade)

    def changed(self, picture: SmallPicture, place: Point) -> bool:
        """Does the picture differ at this place from the last still table? True where that cannot be told.

        A ring leaves its middle as it was, and differs all around it."""
        here, *around = self.changes(picture, [place, *_around(place, RING_MM)])
        return here or all(around)

    def only_here(self, picture: SmallPicture, place: Point, fresh: Sequence[SeenTile] = ()) -> bool:
        """Does it differ at this place and hardly around it? Anything that covers a small thing is larger.

        Places under `fresh` tiles do not count, but half of those around have to be left.
        """
        around = [one for one in _around(place, AROUND_MM) if all(outside(tile, one) > ASIDE_MM for tile in fresh)]
        beside = self.changes(picture, around)
        few = len(beside) >= PLACES_AROUND / 2 and sum(beside) <= MOST_BESIDE
        return few and self.changed(picture, place)

    def around(self, picture: SmallPicture, place: Point) -> float:
        """How much of what is around a place has changed, 0 to 1."""
        return sum(self.changes(picture, _around(place, AROUND_MM))) / PLACES_AROUND

    def shares(self, picture: SmallPicture, tile: SeenTile, gone: Sequence[SeenTile]) -> tuple[float, float] | None:
        """How much of where this tile lay has changed since the last still table, and how much around it, 0 to 1. The
        places of the others that are `gone` tell nothing. None without an earlier picture."""
        change = self.change(picture)
        inside = picture.mask([tile], -INSIDE_MM) == 1
        around = (picture.mask([tile], RIM_MM[1]) == 1) & (picture.mask([tile, *gone], RIM_MM[0]) == 0)
        if change is None or not inside.any() or not around.any():
            return None
        changed = change > CONTRAST
        return float(changed[inside].mean()), float(changed[around].mean())

    def changes(self, picture: SmallPicture, places: Sequence[Point]) -> list[bool]:
        """The same for many places at once."""
        change = self.change(picture)
        if change is None:
            return [True] * len(places)
        reach = max(1, round(SIZES_MM[0] / 2 * picture.px_per_mm))
        found = []
        for x, y in picture.calibration.to_px(np.array(places, np.float64)) * picture.scale:
            low_y, low_x = max(0, round(float(y)) - reach), max(0, round(float(x)) - reach)
            patch = change[low_y : round(float(y)) + reach + 1, low_x : round(float(x)) + reach + 1]
            found.append(bool(patch.size == 0 or patch.mean() > CONTRAST / 2))
        return found

    def changed_places(self, picture: SmallPicture) -> NDArray[np.bool_]:
        """(h, w): where `changes` finds a change."""
        change = self.change(picture)
        if change is None:
            return np.ones(picture.points.shape[:2], np.bool_)
        reach = max(1, round(SIZES_MM[0] / 2 * picture.px_per_mm))
        return np.asarray(cv2.blur(change, (2 * reach + 1, 2 * reach + 1)) > CONTRAST / 2)

    def keep(self, picture: SmallPicture, known: Sequence[SeenTile]) -> None:
        """The table has been read: what lies there now is compared with the next one. Markers are squares."""
        was, self.places = self.places, self.now(picture, known)
        self._recent = tuple(place for place in self.places if not self._near(place, was))
        self._before, self._lay = picture.points, tuple(known)

    def recent(self, place: Point) -> bool:
        """Did a thing come to lie here since the last still table but one?"""
        return not self._near(place, self.places) or self._near(place, self._recent)

    def _near(self, place: Point, places: Sequence[Point]) -> bool:
        return any(distance(place, one) < SAME_MM for one in places)

    def forget(self) -> None:
        self.places, self._recent, self._before, self._lay, self._compared = (), (), None, (), None

    def _stands_out(self, picture: Floats, where: NDArray[np.bool_], ground: NDArray[np.bool_]) -> float:
        """How much a patch differs from what of the ground is around it: on a tile, from the tile alone."""
        side = 2 * RING_PX + 1
        around = cv2.dilate(where.astype(np.uint8), np.ones((side, side), np.uint8)).astype(bool) & ~where
        around = around & ground if (around & ground).any() else around
        return float(np.abs(picture[where].mean(0) - picture[around].mean(0)).max())


def _around(place: Point, far_mm: float) -> list[Point]:
    turns = np.arange(PLACES_AROUND) * 2 * np.pi / PLACES_AROUND
    return [(place[0] + far_mm * float(np.cos(a)), place[1] + far_mm * float(np.sin(a))) for a in turns]


def _lies_there(tile: SeenTile, others: Sequence[SeenTile]) -> bool:
    """Is one of the others this tile, but for a nudge?"""
    reach = tile.width_mm / 2
    return any(one.halves is not None and distance(tile.center_mm, one.center_mm) < reach for one in others)
