"""Finds tiles, markers and the hub in a picture of any size.

Tiles may be 40 px long or 1000: nothing here is absolute in pixels. The network was trained on tiles 25 to 110 px
long, so the picture is first looked at in a few coarse scales that agree on how long its tiles are, and is then
searched once more at the scale where they have the best length, in overlapping pieces where it is large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.detections import Detections, Kind
from vision.frame import Image, Levels, Picture, pyramid, reduced
from vision.inference import THREADS, Workers
from vision.rotated import covered, quads_of, sides, suppress
from vision.runtimes import open_detector
from vision.weights import WeightsError

Floats = NDArray[np.float32]
Boxes = tuple[Floats, Floats, NDArray[np.int8]]
"""(n, 5) cx, cy, w, h, angle; (n,) scores; (n,) kinds."""

_STRIDE = 32
_GREY = 114
MOST_ANCHORS = 3000
CLASSES = ("tile_face_up", "tile_face_down", "marker", "hub")


MARKER = 0.005
"""Markers are passed on however faintly they are found, under a tile found more surely too: see
vision/markers.py."""
SAME_MARKER = 0.85
"""Two boxes for markers are one where they share so much of their union."""
CROWDING = 0.02
"""A likely marker this sure takes the place of a tile found more faintly."""
CLEAR = 0.18
"""A find this sure stays, whatever else lies there."""
FAINT = 0.03
"""Tiles found so faintly are candidates where nothing else lies: the reader and the judge of backs decide."""
FAINT_COVER = 0.4
"""A tile found faintly goes where clearer ones cover more of it than this."""
VOTE_CONFIDENCE = 0.4
"""Tiles found so surely tell the scale of a picture."""
LOOKS_PX = (128, 256, 512, 1056)
LARGE_LOOK_PX = 1000
"""A coarse look above this takes four times as long as all others together, and is saved where they are settled."""
SAME_LENGTH, ANOTHER_LENGTH, HINTED = 1.15, 1.35, 0.3
"""Looks agree that tell lengths within the first factor; what is found so surely and off by more than the second
factor may be a tile of another size."""
LAST_LOOK_PX = 2112
"""Where the coarse looks find no tile: the tiles of a large picture may be tiny."""
BEST_LENGTH = 70.0
"""Pixels that a tile is long in the picture that the network searches."""
HELPFUL_LENGTHS = (44.0, 112.0)
"""A coarse look whose tiles have such lengths lends its boxes too."""
TRUSTED_LENGTHS = (22.0, 130.0)
"""Outside these lengths in pixels a coarse look does not tell the scale."""
SMALL_PX = 260_000
SECOND_LOOKS = (0.8, 1.2)
"""A changed region up to `SMALL_PX` pixels, reduced, is also looked at in these parts of the scale."""
CLOSER_LOOK = 1.3
"""Any other picture is searched so much larger, where it has more to show. Where nobody looked for its scale it is
searched at that as well: what one look misses the other finds."""
CLOSER_PIXELS = 4_500_000
"""The closer look never gets more pixels than this."""
WORTH_CLOSER = 1.15
"""A closer look that is larger by no more than this factor is left out."""
CLOSER_ALONE = 0.7
"""A tile that only the closer look finds keeps this share of its confidence: squares of a tiled cloth are such
finds."""
GOOD_ENOUGH = 1.2
"""A coarse look whose tiles are within this factor of the best length is not repeated."""
SIZE_SPREAD = 1.7
"""Tiles of one picture differ in length by no more than this factor from their middle."""
ASPECT = (1.45, 2.9)
SURE = 0.4
SLANTED_SPREAD = 2.6
SLANTED_ASPECT = (1.2, 3.4)
"""The same for what is found more surely than `SURE` by a camera that may lean: what is nearer looks larger, and a
tile longer or shorter than it is."""
PIECE_PX = 1024
"""A large picture is searched in pieces of this width and height."""
OVERLAP_LENGTHS = 1.5
"""Tile lengths by which two pieces overlap, so that one of them shows a tile whole."""
MOST_PIXELS = 2_700_000
"""The search never gets more pixels than this, unless somebody asks for more."""
IOU = 0.5
COVER = 0.85
"""Lenient: of two boxes that share half, the reader can tell which one is the tile."""


@dataclass(frozen=True, slots=True)
class ScaleLook:
    """One pass at one scale, in pixels of the picture."""

    scale: float
    boxes: Floats
    """(n, 5): cx, cy, w, h and the angle."""
    scores: Floats
    """(n,)"""
    kinds: NDArray[np.int8]
    """(n,)"""

    def lengths(self) -> Floats:
        return np.asarray(self.boxes[:, 2:4].max(1), np.float32)


@dataclass(frozen=True, slots=True)
class _Pass:
    """A picture at one scale, and the (x0, y0, x1, y1) of its overlapping pieces."""

    scale: float
    small: Image
    ratio: tuple[float, float]
    places: tuple[tuple[int, int, int, int], ...]
    overlap: int

    @classmethod
    def at(cls, levels: Levels, scale: float) -> _Pass:
        h, w = levels[1].shape[:2]
        wide, high = max(_STRIDE, round(w * scale)), max(_STRIDE, round(h * scale))
        small, ratio = reduced(levels[1], (wide, high), levels)
        overlap = round(BEST_LENGTH * OVERLAP_LENGTHS)
        across, down = pieces(wide, PIECE_PX, overlap), pieces(high, PIECE_PX, overlap)
        return cls(scale, small, ratio, tuple((x0, y0, x1, y1) for y0, y1 in down for x0, x1 in across), overlap)

    def piece(self, k: int) -> Image:
        x0, y0, x1, y1 = self.places[k]
        return self.small[y0:y1, x0:x1]

    def look(self, found: list[Boxes]) -> ScaleLook:
        """The finds of all pieces, in pixels of the picture."""
        high, wide = self.small.shape[:2]
        parts: list[Boxes] = []
        for place, (boxes, scores, kinds) in zip(self.places, found, strict=True):
            inner = _whole(boxes, place, (wide, high), self.overlap / 2)
            shift = np.array([place[0], place[1], 0, 0, 0], np.float32)
            parts.append((boxes[inner] + shift, scores[inner], kinds[inner]))
        boxes, scores, kinds = _together(parts)
        boxes[:, [0, 2]] *= self.ratio[0]
        boxes[:, [1, 3]] *= self.ratio[1]
        return ScaleLook(self.scale, boxes, scores, kinds)


class Detector:
    """`find` returns everything in one picture as Detections in its own pixels."""

    def __init__(self, model_path: Path, threads: int = THREADS) -> None:
        self._network = open_detector(model_path)
        self._workers = Workers(threads)
        channels = self._network.output_shape[1] if len(self._network.output_shape) == 3 else None
        if len(self._network.input_shape) != 4 or channels != 5 + len(CLASSES):
            raise WeightsError(
                f"{model_path}: output {self._network.output_shape}, expected (1, {5 + len(CLASSES)}, anchors) "
                f"for the classes {', '.join(CLASSES)}"
            )

    def find(self, picture: Picture, tile_length_px: float | None = None) -> Detections:
        """Everything found. `tile_length_px`, where it is known (a calibrated table), saves the coarse looks."""
        levels = picture if isinstance(picture, dict) else pyramid(picture)
        image = levels[1]
        looks: list[ScaleLook] = []
        length = tile_length_px
        if length is None:
            looks, length = self._coarse(levels)
            if length is None:
                return self._gather(looks, None, leaning=True)
        scale = self._final_scale(image, length)
        helpful = [k for k in looks if HELPFUL_LENGTHS[0] <= k.scale * length <= HELPFUL_LENGTHS[1]]
        scales = [] if any(1 / GOOD_ENOUGH <= k.scale / scale <= GOOD_ENOUGH for k in helpful) else [scale]
        small = tile_length_px is not None and image.shape[0] * image.shape[1] * scale * scale < SMALL_PX
        closer = min(1.0, self._final_scale(image, length / CLOSER_LOOK, CLOSER_PIXELS))
        second_look = not small and closer > WORTH_CLOSER * scale
        if small:
            # In a small part of a picture little stands around a tile to tell it by, a blank one above all.
            scales += [scale * other for other in SECOND_LOOKS]
        elif second_look and scales and tile_length_px is None and not has_larger(looks, length):
            # Of a photograph that was searched for its scale the closer look alone shows as much as both.
            scales, second_look = [closer], False
        elif second_look:
            scales.append(closer)
        more = self._looks(levels, scales)
        if second_look:
            trust = np.where(more[-1].kinds <= Kind.FACE_DOWN, np.float32(CLOSER_ALONE), np.float32(1))
            more[-1] = replace(more[-1], scores=more[-1].scores * trust)
        return self._gather(helpful + more, length, leaning=tile_length_px is None)

    def find_at(self, levels: Levels, tile_length_px: float) -> Detections:
        """Everything found in one closer look at a photograph with tiles of roughly known length."""
        scale = min(1.0, self._final_scale(levels[1], tile_length_px / CLOSER_LOOK, CLOSER_PIXELS))
        return self._gather(self._looks(levels, [scale]), tile_length_px, leaning=True)

    def _coarse(self, levels: Levels) -> tuple[list[ScaleLook], float | None]:
        """The coarse looks at a picture, and how long they agree that its tiles are. The largest look is saved where
        the others settle it."""
        long_side = max(levels[1].shape[:2])
        scales = [px / long_side for px in LOOKS_PX if px <= 1.6 * long_side]
        large = [scale for scale in scales if scale * long_side > LARGE_LOOK_PX]
        looks = self._looks(levels, scales[: len(scales) - len(large)])
        length = agreed_length(looks)
        if large and (length is None or not is_settled(looks, length)):
            looks += self._looks(levels, large)
            length = agreed_length(looks)
        if length is None and long_side > 1.2 * LOOKS_PX[-1]:
            looks += self._looks(levels, [min(1.0, LAST_LOOK_PX / long_side)])
            length = agreed_length(looks)
        return looks, length

    def _final_scale(self, image: Image, length: float, most_pixels: int | None = None) -> float:
        h, w = image.shape[:2]
        affordable = float(np.sqrt((most_pixels or MOST_PIXELS) / (h * w)))
        return min(BEST_LENGTH / length, affordable)

    def _gather(self, looks: list[ScaleLook], length: float | None, leaning: bool) -> Detections:
        """All that is plausible in the looks, each thing once; the camera may be `leaning`."""
        if not looks:
            return Detections.none()
        boxes, scores, kinds = _together([(one.boxes, one.scores, one.kinds) for one in looks])
        quads = quads_of(boxes)
        along, across = sides(quads)
        is_tile = kinds <= Kind.FACE_DOWN
        shaped = tile_shaped(along, across, length, ASPECT, SIZE_SPREAD)
        if leaning:
            shaped |= (scores >= SURE) & tile_shaped(along, across, length, SLANTED_ASPECT, SLANTED_SPREAD)
        keep = np.flatnonzero(~is_tile | shaped)
        quads, scores, kinds = quads[keep], scores[keep], kinds[keep]
        chosen: list[NDArray[np.intp]] = []
        for group in (kinds <= Kind.FACE_DOWN, kinds == Kind.HUB):
            index = np.flatnonzero(group)
            chosen.append(index[suppress(quads[index], scores[index], IOU, COVER)])
        # Every outline of a marker is passed on, the judge knows which is the best.
        index = np.flatnonzero(kinds == Kind.MARKER)
        chosen.append(index[suppress(quads[index], scores[index], SAME_MARKER, 1.0)])
        kept = np.concatenate(chosen)
        found = Detections(quads[kept], kinds[kept], scores[kept])
        # The clear finds, and the faint ones that lie beside them rather than on them.
        clear = found.confidence >= CLEAR
        keep = clear | (found.kind == Kind.MARKER)
        keep[~keep] = covered(found.quads_px[~keep], found.quads_px[clear]) <= FAINT_COVER
        return found.select(keep)

    def _looks(self, levels: Levels, scales: list[float]) -> list[ScaleLook]:
        """One pass over the whole picture at each scale, in overlapping pieces where that is large."""
        passes = self._workers.each(lambda scale: _Pass.at(levels, scale), scales)
        jobs = [(n, k) for n, one in enumerate(passes) for k in range(len(one.places))]
        # The largest first, so that no thread has to wait for another's last one.
        jobs.sort(key=lambda job: -passes[job[0]].piece(job[1]).size)
        found = self._workers.each(lambda job: self._run(passes[job[0]].piece(job[1])), jobs)
        by_job = dict(zip(jobs, found, strict=True))
        return [one.look([by_job[n, k] for k in range(len(one.places))]) for n, one in enumerate(passes)]

    def _run(self, piece: Image) -> Boxes:
        """Boxes of one piece in its own pixels, thinned to one per thing."""
        h, w = piece.shape[:2]
        high, wide = -(-h // _STRIDE) * _STRIDE, -(-w // _STRIDE) * _STRIDE
        canvas = np.full((high, wide, 3), _GREY, np.uint8)
        canvas[:h, :w] = piece
        blob = np.ascontiguousarray(canvas[:, :, ::-1].transpose(2, 0, 1)[None], np.float32) / np.float32(255)
        raw = self._network(blob)[0]
        classes = raw[4:-1]
        scores, best = classes.max(0), classes.argmax(0).astype(np.int8)
        wanted = np.array([FAINT, FAINT, CROWDING, CLEAR], np.float32)
        things = _once(raw, np.flatnonzero(scores >= wanted[best]), scores, best)
        others = np.flatnonzero(things[2] != Kind.MARKER)
        # Where a marker stands on a tile, the tile is what the network is surest of there.
        as_marker = classes[Kind.MARKER]
        markers = _once(raw, np.flatnonzero(as_marker >= MARKER), as_marker, np.full_like(best, Kind.MARKER))
        return _together([(things[0][others], things[1][others], things[2][others]), markers])


def _together(parts: Sequence[Boxes]) -> Boxes:
    boxes, scores, kinds = zip(*parts, strict=True)
    return np.concatenate(boxes), np.concatenate(scores), np.concatenate(kinds)


def _once(raw: Floats, anchors: NDArray[np.intp], scores: Floats, kinds: NDArray[np.int8]) -> Boxes:
    """The things found by these anchors of the network's answer (4 + classes + 1, n), each once; `scores` and `kinds`
    are (n,)."""
    if len(anchors) > MOST_ANCHORS:
        anchors = anchors[np.argsort(-scores[anchors])[:MOST_ANCHORS]]
    boxes = np.concatenate([raw[:4, anchors], raw[-1:, anchors]]).T.astype(np.float32)
    kept = suppress(quads_of(boxes), scores[anchors], 0.6)
    return boxes[kept], scores[anchors][kept], kinds[anchors][kept]


def tile_shaped(
    along: Floats, across: Floats, length: float | None, aspect: tuple[float, float], spread: float
) -> NDArray[np.bool_]:
    """(n,) which boxes, so long and so wide in px, have a tile's proportions, between those of `ASPECT`, and its
    `length`, where that is known, within the factor `spread`."""
    ratio = along / np.maximum(across, 1e-3)
    fits = (ratio >= aspect[0]) & (ratio <= aspect[1])
    if length is not None:
        fits &= (along < length * spread) & (along > length / spread)
    return np.asarray(fits, np.bool_)


def agreed_length(looks: list[ScaleLook]) -> float | None:
    """The tile length most of the found tiles agree on, each look counted only where it can be trusted."""
    lengths, weights, scores = [], [], []
    for look in looks:
        length = look.lengths()
        seen = length * look.scale
        fits = (look.kinds <= Kind.FACE_DOWN) & (look.scores >= VOTE_CONFIDENCE)
        fits &= (seen >= TRUSTED_LENGTHS[0]) & (seen <= TRUSTED_LENGTHS[1])
        if fits.any():
            # the middle of the trained range is trusted more than its ends
            off = np.abs(np.log(seen[fits] / BEST_LENGTH))
            lengths.append(np.log(length[fits]))
            weights.append(look.scores[fits] ** 2 * np.exp(-off * off))
            scores.append(look.scores[fits])
    if not lengths:
        return None
    log_length, weight = np.concatenate(lengths), np.concatenate(weights)
    near = np.abs(log_length[:, None] - log_length[None]) < np.log(1.35)
    # Few tiles found surely outvote many squares of a cloth that look a little like some.
    support = near @ (weight * np.concatenate(scores))
    peak = near[int(np.argmax(support))]
    return float(np.exp(np.average(log_length[peak], weights=weight[peak])))


def is_settled(looks: list[ScaleLook], length: float) -> bool:
    """Whether every look that tells a tile's length tells this one, two at least, and nothing like a tile of another
    size was found: small tiles may lie among larger ones that are printed."""
    told = [one for one in (agreed_length([look]) for look in looks) if one is not None]
    if len(told) < 2 or any(abs(np.log(one / length)) > np.log(SAME_LENGTH) for one in told):
        return False
    for look in looks:
        hinted = (look.kinds <= Kind.FACE_DOWN) & (look.scores >= HINTED)
        if (np.abs(np.log(look.lengths()[hinted] / length)) > np.log(ANOTHER_LENGTH)).any():
            return False
    return True


def has_larger(looks: list[ScaleLook], length: float) -> bool:
    """Whether tiles larger than that are found surely: a closer look would be too close for these."""
    tiles = [look.lengths()[(look.kinds <= Kind.FACE_DOWN) & (look.scores >= VOTE_CONFIDENCE)] for look in looks]
    return bool((np.concatenate(tiles) > ANOTHER_LENGTH * length).any())


def pieces(length: int, piece: int, overlap: int) -> list[tuple[int, int]]:
    """(start, end) of equal overlapping pieces, none longer than `piece`, that cover `length`."""
    if length <= piece:
        return [(0, length)]
    count = -(-(length - overlap) // (piece - overlap))
    size = min(length, -(-(length + (count - 1) * overlap) // count))
    starts = [round(i * (length - size) / (count - 1)) for i in range(count)]
    return [(start, start + size) for start in starts]


def _whole(boxes: Floats, piece: tuple[int, int, int, int], whole: tuple[int, int], margin: float) -> NDArray[np.bool_]:
    """Boxes whose centre is not in the half of an overlap that the neighbouring piece sees better."""
    x0, y0, x1, y1 = piece
    x, y = boxes[:, 0], boxes[:, 1]
    left = x >= (margin * 0.9 if x0 > 0 else -np.inf)
    right = x <= (x1 - x0 - margin * 0.9 if x1 < whole[0] else np.inf)
    top = y >= (margin * 0.9 if y0 > 0 else -np.inf)
    bottom = y <= (y1 - y0 - margin * 0.9 if y1 < whole[1] else np.inf)
    return np.asarray(left & right & top & bottom)
