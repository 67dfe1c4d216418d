"""An eye for photographs of still tables: one picture gives one reading, however often it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vision.eye import Eye, Region
from vision.frame import Image
from vision.known_set import KnownSet
from vision.reading import PictureReading
from vision.tile_size import TileSize


class StillEye:
    """`look` and `look_again` of an `Eye`; the answers about the picture at hand are kept."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye
        self._image: Image | None = None
        self._answers: dict[tuple[Any, ...], PictureReading] = {}

    def look(
        self,
        image: Image,
        tile_length_px: float | None = None,
        known: KnownSet | None = None,
        size: TileSize | None = None,
    ) -> PictureReading:
        key = ("whole", tile_length_px)
        answers = self._about(image)
        if key not in answers:
            answers[key] = self._eye.look(image, tile_length_px, known, size)
        return answers[key]

    def look_again(
        self,
        image: Image,
        regions: Sequence[Region],
        tile_length_px: float,
        known: KnownSet | None = None,
        size: TileSize | None = None,
    ) -> PictureReading:
        key = (tuple(regions), tile_length_px)
        answers = self._about(image)
        if key not in answers:
            answers[key] = self._eye.look_again(image, regions, tile_length_px, known, size)
        return answers[key]

    def _about(self, image: Image) -> dict[tuple[Any, ...], PictureReading]:
        if image is not self._image:
            self._image, self._answers = image, {}
        return self._answers
