"""The family's own markers: the colours each one shows and how much of each, however it lies and whatever it lies on.

No network was trained on your buttons and toys, and the same one scores .02 in one picture and .79 in the next. But it
is one thing: its colours stay the same all evening, and so does its size. A look keeps the area that it shows of each
colour, less that of the ground around it. Lengths are in units of a fiftieth of a tile's length, so a photograph with
one tile in it teaches as much as the table's own camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Floats = NDArray[np.float32]
Colours = NDArray[np.uint16]
PointPx = tuple[float, float]

OF_A_TILE = 50.0
"""A tile is so many units long."""
LIGHTS, HUES, HUE_STEP = 10, 24, 5
"""Steps of light, and of each of the two axes of colour (CIE Lab, of 256) and how wide these are."""
SPREAD = 1.0, 2.0
"""A colour counts for those beside it as well (standard deviation in steps of light and colour): no light is steady."""
THING, GAP, GROUND = 15.0, 3.0, 30.0
"""A marker lies within the first of its middle; from a gap beyond that to the last lies its ground."""
OF_THE_GROUND = 1.5
"""How many times the ground's share of a colour is taken off the marker's: the ground under it may show more."""
OTHER = 0.5
"""A colour that shows beside a marker counts this much against it: a tile under it is ground, but its rim is not all
around."""
LEAST_AREA = 40.0
"""Square units of colours of its own; what shows less cannot be told from its ground."""
ALIKE, CLEARLY = 0.6, 0.1
"""A place shows a marker from the first likeness on, if that is the second more than any other place of the picture
showed in which the marker was learned. On eight drawn tables (bench.markers, toys and the other renderer's) 32 of 33
markers that had moved came to .75 and more; no other place came to more than .60, no other marker to more than .48."""

PEAK, OTHERS, MOST_PEAKS = 0.45, 0.3, 200
"""A place where so much of a marker's area shows in its colours is looked at; the second of what else is like it."""
THING_AREAS = (40.0, 1600.0)
RARE = 0.004
"""A colour with a smaller share of the picture than this does not belong to the ground."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkerLook:
    """The look of one of the household's own markers."""

    areas: Floats
    """(n,) square units of each colour."""
    alike: float
    """How similar the most similar other place was."""
    owner: str | None = None
    """The player it belongs to, where somebody has said."""

    @property
    def least(self) -> float:
        """From this likeness on a place shows this marker; above 1 where it cannot be told from others."""
        return max(ALIKE, self.alike + CLEARLY)

    @property
    def useful(self) -> bool:
        return self.least <= 1.0 and float(self.areas.sum()) >= LEAST_AREA

    def likeness(self, areas: Floats) -> float:
        """0 to 1: what both show of each colour, of what this marker shows and `OTHER` of what else lies there."""
        both, own = float(np.minimum(self.areas, areas).sum()), float(self.areas.sum())
        return both / max(own + OTHER * (float(areas.sum()) - both), own, LEAST_AREA)

    def to_json(self) -> dict[str, Any]:
        shown = np.flatnonzero(self.areas)
        areas = {str(n): round(float(self.areas[n]), 2) for n in shown}
        return {"areas": areas, "alike": round(self.alike, 3), "owner": self.owner}

    @staticmethod
    def of_json(data: Any) -> MarkerLook:
        """Raises ValueError, KeyError, TypeError and IndexError for any other JSON."""
        areas = np.zeros(LIGHTS * HUES * HUES, np.float32)
        for n, area in data["areas"].items():
            areas[int(n)] = float(area)
        owner = data["owner"]
        if (owner is not None and not isinstance(owner, str)) or not np.isfinite(areas).all() or (areas < 0).any():
            raise ValueError("no look of a marker")
        return MarkerLook(areas, float(data["alike"]), owner)


@dataclass(frozen=True, slots=True, eq=False)
class ColouredPicture:
    """A picture by colours."""

    colours: Colours
    """(h, w) the colour of each pixel."""
    unit_px: float
    """Pixels of a unit."""

    @staticmethod
    def of(small: NDArray[np.generic], unit_px: float) -> ColouredPicture:
        """(h, w, 3) BGR from 0 to 255, in which a unit is about a pixel."""
        lab = cv2.cvtColor(np.clip(small, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB).astype(np.int16)
        light = lab[..., 0] * LIGHTS // 256
        a, b = (np.clip((lab[..., n] - 128) // HUE_STEP + HUES // 2, 0, HUES - 1) for n in (1, 2))
        return ColouredPicture(((light * HUES + a) * HUES + b).astype(np.uint16), unit_px)

    def areas(self, place_px: PointPx) -> Floats:
        """(n,) square units of each colour around a place that its ground does not show."""
        x, y = place_px
        reach = int(GROUND * self.unit_px) + 1
        left, top = max(0, round(x) - reach), max(0, round(y) - reach)
        part = self.colours[top : max(0, round(y) + reach + 1), left : max(0, round(x) + reach + 1)]
        if part.size == 0:
            return np.zeros(LIGHTS * HUES * HUES, np.float32)
        down, across = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]]
        away = np.hypot(across - x, down - y) / self.unit_px
        thing, ground = away <= THING, (away > THING + GAP) & (away <= GROUND)
        shown, around = _counted(part[thing]), _counted(part[ground])
        around *= thing.sum() / max(int(ground.sum()), 1)
        return np.asarray(np.maximum(shown - OF_THE_GROUND * around, 0) / self.unit_px**2, np.float32)

    def learn(self, place_px: PointPx, owner: str | None = None) -> MarkerLook:
        """How the marker at a place looks, and how similar the most similar other place of this picture is."""
        look = MarkerLook(self.areas(place_px), 0.0, owner)
        far = GROUND * self.unit_px
        others = [at for at in self.peaks(look, OTHERS) if np.hypot(at[0] - place_px[0], at[1] - place_px[1]) > far]
        return MarkerLook(look.areas, max((look.likeness(self.areas(at)) for at in others), default=0.0), owner)

    def peaks(self, look: MarkerLook, least: float, where: NDArray[np.bool_] | None = None) -> list[PointPx]:
        """The places, in a part (h, w) of the picture, around which at least so much of a marker's area shows in
        colours that are its own and not the picture's."""
        ground = _counted(self.colours) / self.colours.size * np.pi * THING**2
        like = (look.areas / np.maximum(look.areas + ground, 1e-6)).astype(np.float32)[self.colours]
        side = max(3, round(2 * THING * self.unit_px) | 1)
        summed = cv2.boxFilter(like, -1, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT)
        around = np.asarray(summed, np.float32) / np.float32(self.unit_px**2)
        peak = (around >= least * look.areas.sum()) & (around >= cv2.dilate(around, np.ones((side, side), np.uint8)))
        if where is not None:
            peak &= where
        return [_middle(like, float(x), float(y), side // 2) for y, x in np.argwhere(peak)[:MOST_PEAKS]]


@dataclass(frozen=True, slots=True, eq=False)
class OwnMarkers:
    """The markers that a family has shown or said are theirs."""

    looks: tuple[MarkerLook, ...] = ()

    def with_one(self, look: MarkerLook) -> OwnMarkers:
        """With one more; the one that this player had before, or that looks the same, is another now."""
        kept = [
            one
            for one in self.looks
            if (one.owner is None or one.owner != look.owner) and one.likeness(look.areas) < max(one.least, look.least)
        ]
        return OwnMarkers((*kept, look))

    def at(self, picture: ColouredPicture, place_px: PointPx) -> tuple[MarkerLook, float] | None:
        """Which of them a place shows, and how alike it is; None: none of them."""
        if not self.looks:
            return None
        areas = picture.areas(place_px)
        alike = [(one.likeness(areas), n) for n, one in enumerate(self.looks) if one.useful]
        found = [(p, n) for p, n in alike if p >= self.looks[n].least]
        return (self.looks[max(found)[1]], max(found)[0]) if found else None

    def search(self, picture: ColouredPicture, where: NDArray[np.bool_]) -> list[tuple[PointPx, MarkerLook]]:
        """Where in a part of the picture, (h, w), any of them shows."""
        if not where.any():
            return []
        found: list[tuple[float, PointPx, MarkerLook]] = []
        for look in self.looks:
            for place in picture.peaks(look, PEAK, where) if look.useful else ():
                shown = self.at(picture, place)
                if shown is not None and shown[0] is look:
                    found.append((shown[1], place, look))
        apart = 2 * THING * picture.unit_px
        kept: list[tuple[PointPx, MarkerLook]] = []
        for _, place, look in sorted(found, key=lambda one: -one[0]):
            if all(np.hypot(place[0] - other[0], place[1] - other[1]) > apart for other, _ in kept):
                kept.append((place, look))
        return kept

    def to_json(self) -> dict[str, Any]:
        return {"version": 1, "markers": [one.to_json() for one in self.looks]}

    @staticmethod
    def of_json(data: Any) -> OwnMarkers:
        """Raises what `MarkerLook.of_json` raises."""
        if data["version"] != 1:
            raise ValueError("another version of this file")
        return OwnMarkers(tuple(MarkerLook.of_json(one) for one in data["markers"]))


def learn_row(picture: ColouredPicture, tiles_px: Sequence[Floats]) -> list[MarkerLook]:
    """The markers that lie in a picture with nothing but tiles, (4, 2) outlines each, on one ground."""
    counts = _counted(picture.colours)
    rare = (counts < RARE * counts.sum())[picture.colours].astype(np.uint8)
    for outline in tiles_px:
        grown = np.asarray(outline, np.float32).mean(0) + 1.3 * (outline - np.asarray(outline, np.float32).mean(0))
        cv2.fillConvexPoly(rare, grown.round().astype(np.int32), 0)
    side = max(3, round(4 * picture.unit_px) | 1)
    solid = cv2.morphologyEx(rare, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))
    count, _, stats, centres = cv2.connectedComponentsWithStats(solid, connectivity=8)
    areas = stats[:, cv2.CC_STAT_AREA] / picture.unit_px**2
    things = [n for n in range(1, count) if THING_AREAS[0] <= areas[n] <= THING_AREAS[1]]
    return [picture.learn((float(centres[n][0]), float(centres[n][1]))) for n in things]


def coloured(image: Image, tile_px: float) -> tuple[ColouredPicture, float]:
    """A photograph in which a tile is `tile_px` long, so small that a unit is a pixel; and its scale."""
    scale = min(1.0, OF_A_TILE / tile_px)
    h, w = image.shape[:2]
    small = cv2.resize(image, (max(1, round(w * scale)), max(1, round(h * scale))), interpolation=cv2.INTER_AREA)
    return ColouredPicture.of(small, tile_px * scale / OF_A_TILE), scale


def _counted(colours: Colours) -> Floats:
    """(n,) how many pixels show each colour, each spread a little over the colours beside it."""
    counts = np.bincount(colours.ravel(), minlength=LIGHTS * HUES * HUES).reshape(LIGHTS, HUES, HUES)
    light, hue = _spreading(LIGHTS, SPREAD[0]), _spreading(HUES, SPREAD[1])
    return np.asarray(np.einsum("il,jm,kn,lmn->ijk", light, hue, hue, counts, optimize=True).ravel(), np.float32)


@cache
def _spreading(steps: int, spread: float) -> NDArray[np.float64]:
    """(steps, steps) how much of what shows one of them counts for each."""
    away = np.arange(steps)[:, None] - np.arange(steps)
    share = np.exp(-0.5 * (away / spread) ** 2)
    return np.asarray(share / share.sum(0), np.float64)


def _middle(like: Floats, x: float, y: float, reach: int) -> PointPx:
    """The middle of what looks alike around a place."""
    left, top = max(0, round(x) - reach), max(0, round(y) - reach)
    part = like[top : round(y) + reach + 1, left : round(x) + reach + 1]
    total = float(part.sum())
    if total <= 0:
        return x, y
    down, across = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]]
    return float((part * across).sum() / total), float((part * down).sum() / total)
