"""A photograph of the doubles in a row becomes a learned set; a later one becomes its self-test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.adaptation import Adaptation, AdaptationError, learn, row_order
from vision.detections import Kind
from vision.digits import carry_digits
from vision.eye import Eye
from vision.frame import Image, lifted
from vision.own_markers import MarkerLook, coloured, learn_row
from vision.reader import SHAKY_DETECTION
from vision.reading import VALUES
from vision.rectify import shifted
from vision.rotated import sides, suppress

VIEWS = (
    (0.0, 0.0, 0.0, 0.0),
    (0.02, 0.0, 0.0, 0.0),
    (-0.02, 0.0, 0.0, 0.0),
    (0.0, 0.04, 0.0, 0.0),
    (0.0, -0.04, 0.0, 0.0),
    (0.0, 0.0, 0.04, 0.04),
    (0.0, 0.0, -0.03, -0.04),
    (0.02, 0.03, 0.0, 0.0),
    (-0.02, -0.03, 0.0, 0.0),
)
"""How a tile is seen when its box is a little off: (shift along, across, grow along, across)."""

KNOWN_PRINT = 0.25
"""From this mean probability of the row's values on the network knows such prints, and which way round the row lies."""
SURE_OF_IT = 0.6
"""A network that is so sure, on average, of other values than the row's knows the print: it is another row."""
BLANK = 0.4
"""The double blank shows this part of the print of the row's others at most."""


class RowError(AdaptationError):
    """The picture does not show the row: `found` tiles and not `expected`, or as many in another order."""

    def __init__(self, message: str, found: int, expected: int) -> None:
        super().__init__(message)
        self.found, self.expected = found, expected


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """The result of teaching by a row of the box. Shares are of halves read right among those left out."""

    adaptation: Adaptation
    tiles: int
    before: float
    """Without what was learned."""
    after: float
    """With it."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Halves of a known row."""

    right: int
    wrong: int
    unread: int


def teach(eye: Eye, image: Image, doubles: list[int], name: str) -> Lesson:
    """Learn the print from a picture in which the doubles lie side by side in this order (or the other way round).

    Raises AdaptationError, one line, where the row is not what was asked for.
    """
    image = lifted(image)
    quads = _row(eye, image, len(doubles))
    scores = eye.reader.scores(image, quads)
    network = scores.values
    order = row_order(scores.quads.mean(1))
    forwards, backwards = (_agreement(network[list(o)], doubles) for o in (order, order[::-1]))
    strange = max(forwards, backwards) < KNOWN_PRINT
    if strange and doubles[0] == 0 and float(network.max(2).mean()) < SURE_OF_IT:
        blank_first = blank_end(eye.reader.cuts(image)(scores.quads[order]))
        if blank_first is None:
            why = "the print is of no known kind, and neither end of the row is the double blank; "
            raise RowError(why + "lay the doubles side by side, the blank one first", len(doubles), len(doubles))
        order = order if blank_first else order[::-1]
    elif strange:
        why = f"the row does not look like {doubles[0]}-{doubles[0]} to {doubles[-1]}-{doubles[-1]} in order; "
        raise RowError(why + "lay the doubles side by side, lowest first", len(doubles), len(doubles))
    elif backwards > forwards:
        order = order[::-1]
    quads = scores.quads[order]
    seen = np.stack([eye.reader.cuts(image)(shifted(quads, view)) for view in VIEWS], 1)
    truth = [(value, value) for value in doubles]
    adaptation, before, after = learn(name, seen, truth, network[order], carry_digits(image, list(quads)))
    return Lesson(adaptation, len(doubles), before, after)


def teach_markers(eye: Eye, image: Image) -> list[MarkerLook]:
    """How the markers look that lie in a picture beside one tile, which says how large they are.

    Raises AdaptationError, one line, where there is not one tile, no marker, or only such as look like the ground.
    """
    tiles = [tile for tile in eye.look(image).tiles if tile.face == "up"]
    if len(tiles) != 1:
        raise RowError(f"{len(tiles)} tiles found, expected one tile and your markers", len(tiles), 1)
    outline = np.asarray(tiles[0].quad_px, np.float32)
    picture, scale = coloured(image, float(max(sides(outline[None])[0][0], sides(outline[None])[1][0])))
    looks = learn_row(picture, [outline * scale])
    useful = [look for look in looks if look.useful]
    if not useful:
        raise AdaptationError(
            "no marker found beside the tile; lay them apart from each other, on a cloth of another colour"
        )
    return useful


def blank_end(crops: Image) -> bool | None:
    """(n, side, 2 side, 3) crops of a row of doubles -> whether the blank one is the first, not the last; None where it
    is neither."""
    side = crops.shape[1]
    rim, bar = round(0.14 * side), round(0.08 * side)
    left, right = crops[:, rim:-rim, rim : side - bar], crops[:, rim:-rim, side + bar : -rim]
    pixels = np.concatenate([left.reshape(len(crops), -1, 3), right.reshape(len(crops), -1, 3)], 1).astype(np.float32)
    shown = np.abs(pixels - np.median(pixels, axis=1, keepdims=True)).mean((1, 2))
    first, last, usual = shown[0], shown[-1], np.median(shown[1:-1])
    if min(first, last) > BLANK * usual:
        return None
    return bool(first < last)


def self_test(eye: Eye, image: Image, doubles: list[int]) -> SelfTest:
    """How the eye, as it is now, reads a row of doubles it is told about."""
    tiles = [tile for tile in eye.look(image).tiles if tile.face == "up"]
    if len(tiles) != len(doubles):
        expected = len(doubles)
        raise RowError(f"{len(tiles)} tiles found, expected {expected} doubles in one row", len(tiles), expected)
    centres = np.array([tile.quad_px.mean(0) for tile in tiles], np.float32)
    order = row_order(centres)
    results = []
    for one in (order, order[::-1]):
        counts = [0, 0, 0]
        for i, value in zip(one, doubles, strict=True):
            for half in tiles[int(i)].halves or ():
                counts[2 if half.value is None else 0 if half.value == value else 1] += 1
        results.append(SelfTest(*counts))
    return max(results, key=lambda r: r.right)


def _row(eye: Eye, image: Image, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """The outlines of the `count` tiles the picture shows; the reader's doubt about their print is no reason to drop
    one: that is what it is here to learn."""
    found = eye.detector.find(image)
    tiles = found.select(found.kind <= Kind.FACE_DOWN)
    sure = tiles.select(tiles.confidence >= SHAKY_DETECTION)
    kept = sure.quads_px[suppress(sure.quads_px, sure.confidence, 0.35, 0.7)]
    if len(kept) != count:
        message = f"{len(kept)} tiles found, expected {count} doubles in one row and nothing else"
        raise RowError(message, len(kept), count)
    return kept


def _agreement(network: np.ndarray[tuple[int, ...], np.dtype[np.float32]], doubles: list[int]) -> float:
    """The mean probability the network gives to the row being this one."""
    return float(np.mean([network[i, :, value].mean() for i, value in enumerate(doubles) if value < VALUES]))
