"""The one front door: a picture in, everything on it out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.adaptation import Adaptation
from vision.backs import BackJudge
from vision.detections import Detections, Kind
from vision.detector import CLASSES as DETECTED
from vision.detector import Detector
from vision.digits import refused_by_digits
from vision.dividers import Lines, by_elimination, well_outlined
from vision.familiar import Appearance
from vision.frame import Image, Levels, lifted, pyramid
from vision.hand_group import standing
from vision.hidden import Covers
from vision.inference import give_back_memory, share_one_heap
from vision.judging import JudgeSettings
from vision.known_set import KnownSet
from vision.markers import MarkerJudge, bare, markers_on, uncovered
from vision.overlooked import overlooked
from vision.reader import Reader
from vision.reading import Found, PictureReading, TileReading
from vision.second_look import merged, straightened
from vision.tile_shape import cut_short_doubted
from vision.tile_size import TileSize
from vision.weights import folder_of, shipped, shipped_weights

Region = tuple[int, int, int, int]
JUDGES = ("markers", "backs")
NETWORKS = ("tiles", "pips", *JUDGES, "covers")
CLASSES = {"tiles": DETECTED}
"""The meaning of a network's outputs."""


@dataclass(eq=False)
class Eye:
    """Finds and reads; keeps nothing from one picture to the next but, for a table's camera, how the box looks."""

    detector: Detector
    reader: Reader
    judge: MarkerJudge
    covers: Covers
    familiar: Appearance | None = None

    def look(
        self,
        image: Image,
        tile_length_px: float | None = None,
        known: KnownSet | None = None,
        size: TileSize | None = None,
    ) -> PictureReading:
        """(h, w, 3) uint8 BGR -> all tiles, markers and the hub.

        Args:
            image: the picture, as `open_picture` opens it.
            tile_length_px: how long a tile is in it, which saves the search; None finds out.
            known: the tiles that may lie there, `KnownSet.double(12)`; None forces the readings into no set.
            size: how large tiles are where a calibrated camera looks, to weed out other things; None in a photograph.
        """
        start = time.perf_counter()
        levels = pyramid(lifted(image))
        things = self._things(levels, self.detector.find(levels, tile_length_px), tile_length_px, size)
        seen = self._seen(levels, things, known, tile_length_px, size)
        if self.familiar is None and tile_length_px is None:  # a photograph
            seen = self._straightened(levels, seen, things, known)
            outlines = np.array([tile.quad_px for tile in seen.tiles], np.float32).reshape(-1, 4, 2)
            found = things.quads_px[things.kind <= Kind.FACE_DOWN]
            lost = overlooked(found, outlines, image.shape[1::-1], lambda quads: self.reader.scores(levels, quads))
            seen = replace(seen, overlooked=tuple(lost))
        return self._reading(levels, seen, start, known)

    def look_again(
        self,
        image: Image,
        regions: Sequence[Region],
        tile_length_px: float,
        known: KnownSet | None = None,
        size: TileSize | None = None,
    ) -> PictureReading:
        """Only what lies in regions (x0, y0, x1, y1), in pixels of the whole picture: what changed on a still table."""
        start = time.perf_counter()
        image = lifted(image)
        together = Detections.none()
        for x0, y0, x1, y1 in regions:
            part = image[max(y0, 0) : y1, max(x0, 0) : x1]
            if part.size == 0:
                continue
            found = self.detector.find(part, tile_length_px)
            shift = np.array([max(x0, 0), max(y0, 0)], np.float32)
            together = together.together(replace(found, quads_px=found.quads_px + shift))
        things = self._things({1: image}, together, tile_length_px, size)
        seen = self._seen({1: image}, things, known, tile_length_px, size)
        return self._reading({1: image}, seen, start, known)

    def _things(self, levels: Levels, found: Detections, length_px: float | None, size: TileSize | None) -> Detections:
        """The finds without those of a wrong size for a tile, and with markers as their judge sees them."""
        found = found if size is None else size.weeded(found)
        return self.judge.judge(levels, found, length_px)

    def _seen(
        self,
        levels: Levels,
        things: Detections,
        known: KnownSet | None,
        length_px: float | None = None,
        size: TileSize | None = None,
    ) -> _Seen:
        """The result of one look at a picture."""
        image = levels[1]
        look = self.reader.at(levels, things, known, self.familiar, length_px, size)
        tiles = self.reader.read(look, things)
        lines = Lines.of(levels, {n: tile.quad_px for n, tile in enumerate(tiles) if tile.values is not None})
        digits = self.reader.adaptation is not None and self.reader.adaptation.digits
        divided, photograph = digits or not lines.undivided, self.familiar is None
        tiles = self.covers.settled(levels, tiles, known, digits=digits, divided=divided, photograph=photograph)
        markers = bare(tiles, _of_kind(things, Kind.MARKER))
        markers += markers_on(levels, tiles, markers, self.judge)
        hub = max(_of_kind(things, Kind.HUB), key=lambda h: h.confidence, default=None)
        tiles = uncovered(tiles, markers)
        tiles = well_outlined(image, tiles, lines, lambda quads: self.reader.likeliest(levels, quads))
        if self.familiar is None and not digits:  # a part of digits reads as none of them
            tiles = cut_short_doubted(tiles)
        return _Seen(tiles, tuple(markers), hub)

    def _straightened(self, levels: Levels, seen: _Seen, things: Detections, known: KnownSet | None) -> _Seen:
        """The same with what a second look tells of the tiles, where the picture leans."""
        image = levels[1]
        straight = straightened(seen.tiles, (image.shape[1], image.shape[0]))
        if straight is None:
            return seen
        flat = pyramid(straight.of(levels))
        found = self.detector.find(flat) if straight.tile_px is None else self.detector.find_at(flat, straight.tile_px)
        others = straight.there(things.select(things.kind > Kind.FACE_DOWN))
        again = self._seen(flat, found.select(found.kind <= Kind.FACE_DOWN).together(others), known)
        second = [straight.back(tile) for tile in again.tiles]
        tiles = merged(seen.tiles, second, lambda quads: self.reader.scores(levels, quads).values)
        return replace(seen, tiles=uncovered(tiles, seen.markers))

    def _reading(self, levels: Levels, seen: _Seen, start: float, known: KnownSet | None) -> PictureReading:
        image, tiles, why = levels[1], seen.tiles, list[str]()
        if self.reader.adaptation is None:
            tiles, named = refused_by_digits(image, tiles, self.familiar)
            why += [named] if named else []
        if self.familiar is None and not why:
            rack = standing(tiles)
            why += [rack] if rack else []
        tiles = by_elimination(tiles, known)
        give_back_memory()  # a hundred MB and more, for a hundredth of a second
        return PictureReading(
            size_wh=(int(image.shape[1]), int(image.shape[0])),
            tiles=tuple(tiles),
            markers=seen.markers,
            hub=seen.hub,
            overlooked=seen.overlooked,
            warnings=tuple(why),
            ms=(time.perf_counter() - start) * 1000,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    tiles: list[TileReading]
    markers: tuple[Found, ...]
    hub: Found | None
    overlooked: tuple[NDArray[np.float32], ...] = ()


def _of_kind(detections: Detections, kind: Kind) -> list[Found]:
    index = np.flatnonzero(detections.kind == kind)
    return [Found(detections.quads_px[i], float(detections.confidence[i])) for i in index]


def open_eye(learned: Path | None = None, *, one_box: bool = False) -> Eye:
    """The eye with the weights in use, after their hashes were checked, and what it learned of the players' own set.

    `one_box`: all its pictures show the same tiles, as a table's camera does, so each helps to read the next.
    Raises WeightsError and AdaptationError.
    """
    share_one_heap()
    files = {name: shipped_weights(name, CLASSES.get(name), folder_of(name)) for name in NETWORKS}
    said = {name: shipped(name, folder_of(name)) for name in files}
    judges = {name: (files[name], JudgeSettings.weighed(files[name], said[name].confidence)) for name in JUDGES}
    adaptation = None if learned is None else Adaptation.load(learned)
    reader = Reader(files["pips"], BackJudge(*judges["backs"]), said["pips"].temperature, adaptation)
    detector, markers, covers = Detector(files["tiles"]), MarkerJudge(*judges["markers"]), Covers(files["covers"])
    return Eye(detector, reader, markers, covers, Appearance() if one_box else None)
