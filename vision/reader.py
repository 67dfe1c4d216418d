"""Reads found tiles from crops of the full-resolution picture.

Every tile is read as it was found; where that leaves any doubt it is read again turned round and a little shifted,
grown and shrunk, because a box that drifts over the divider turns a 3 into a 5. Values on which the views do not agree
are doubtful, and a doubtful half is unreadable. What is no tile at all in the reader's eyes is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision import by_hand, chains, high_values
from vision.adaptation import Adaptation
from vision.backs import BackJudge
from vision.chains import LONGEST, SAME, SHORTEST, ChainSettings
from vision.covering import BELIEVED, COVERED
from vision.cuts import Cuts
from vision.detections import Detections, Kind
from vision.dividers import (
    LEAST_FACES,
    MANY_ALIKE,
    Side,
    has_divider,
    nearest,
    usual_divider,
    which_side,
    with_dividers,
)
from vision.face_down import BACK, HINT_OF_BACK, FaceDown, FaceDownSettings, among_others, lying_face_down
from vision.familiar import Appearance
from vision.frame import Image, Picture, level
from vision.inference import Network, Workers
from vision.known_set import KnownSet, softened, weigh
from vision.packing import PackSettings, pack_finds
from vision.plausibility import alike_in_colour, body_colours, gaps, half_grounds, lightest_beside, strangers
from vision.reading import CLASSES, NONE, OFFSETS, VALUES, HalfReading, TileReading, TileScores
from vision.realign import HOPELESS, REACH, SIZE_FACTOR, RealignSettings, agreed, beside, coarse, places, typical_sizes
from vision.rectify import half_corners, put_right, seen_through, shifted, side_px, surroundings
from vision.rotated import covered, sides
from vision.tile_size import TileSize
from vision.weights import WeightsError

Floats = NDArray[np.float32]


READABLE = 0.9
PHANTOM = 0.5
"""What the network calls *none* more surely than this is no half of a tile."""
SHAKY_DETECTION = 0.45
DOUBTFUL_DETECTION = 0.6
PLAIN_DETECTION = 0.8
"""A detection so sure is a tile even where its size or colour is odd."""
FAINT_DETECTION = 0.35
SURELY_NOTHING = 0.97
"""A detection less sure than the first counts only when the reader reads both halves, one less sure than the
second only when it reads one of them."""
HINT_OF_NOTHING = 0.1
"""What lies between two tiles in line counts whatever is read of it, unless the reader calls it *none* more than
so much or it was found more faintly than `FAINT_DETECTION`."""
CORRECTIONS = 2
"""How often an outline may be put right."""
WORTH_CORRECTING = 0.02
WORTH_READING_AGAIN = 0.07
"""Corner offsets, in tile widths, from which an outline is put right, and from which a certain reading is read
again inside it; what is not certain is from the first on."""
SMALLEST_HALF_PX = 9.0
"""A half with shorter sides than this in the picture is never read."""
BATCHES = (4, 64)
"""The least and the most crops that go through the network at once."""
OTHERS_FROM = 0.002
"""Values less probable than this are not passed on."""
MAY_BE_A_MARKER = 0.3
"""What the judge gives at least this may hide the half of a tile that is not read."""
TOO_SHORT, TOO_LONG, UNFITTED = 0.93, 1.1, 0.6
"""An outline outside these shares of the length that a tile has there is fitted again. Where none of that length fits,
what was read counts so much less that it stays unread."""
VARIANTS = ((0.0, 0.0, 0.0, 0.0), (0.02, 0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """`certain` is the probability from which one look is enough; `READABLE` the least for a claimed value.

    `VARIANTS` are (shift along, shift across, grow along, grow across) in parts of the tile's length and width;
    every second one is read turned by 180 degrees.
    """

    threads: int = 2
    temperature: float = 1.0
    certain: float = 0.98
    realign: RealignSettings = field(default_factory=RealignSettings)
    packing: PackSettings = field(default_factory=PackSettings)
    chains: ChainSettings = field(default_factory=ChainSettings)
    face_down: FaceDownSettings = field(default_factory=FaceDownSettings)
    """What was found face down and is no clear back is called face up, and unreadable, rather than face down."""


class Reader:
    """`read` turns detections into readings; `scores` gives the bare probabilities."""

    def __init__(
        self,
        model_path: Path,
        backs: BackJudge,
        settings: ReaderSettings | None = None,
        adaptation: Adaptation | None = None,
    ) -> None:
        self.settings = settings or ReaderSettings()
        self._network = Network(model_path)
        self._workers = Workers(self.settings.threads)
        shape_in, shape_out = self._network.input_shape, self._network.output_shape
        high, wide = shape_in[2:] if len(shape_in) == 4 else (0, 0)
        fits = isinstance(high, int) and wide == 2 * high and tuple(shape_out[1:]) == (2, CLASSES + OFFSETS)
        if not fits or shape_in[1] != 3:
            raise WeightsError(
                f"{model_path}: input {shape_in}, output {shape_out}; "
                f"expected (n, 3, side, 2 side) and (n, 2, {CLASSES + OFFSETS})"
            )
        self.adaptation = adaptation
        self.backs = backs
        self.crop_wh: tuple[int, int] = (int(wide), int(high))

    def read(
        self,
        picture: Picture,
        detections: Detections,
        known: KnownSet | None = None,
        familiar: Appearance | None = None,
        tile_length_px: float | None = None,
        size: TileSize | None = None,
    ) -> list[TileReading]:
        """One reading per tile, face up or down, in the order of the detections, phantoms left out.

        `known` is what lies on the table where the players have said so; without it the readings only lend each
        other likelihood. `familiar` is what earlier pictures of the same box have shown; it learns from this one.
        `tile_length_px` is how long a tile is here, where a calibrated table says so, and `size` how large anywhere.
        """
        s = self.settings
        tiles = detections.select(detections.kind <= Kind.FACE_DOWN)
        found = len(tiles)
        tiles = tiles.together(chains.half_beside(tiles, DOUBTFUL_DETECTION))
        there = np.arange(len(tiles)) < found
        one_box = familiar is not None
        familiar = Appearance() if familiar is None else familiar
        image, cut = level(picture, 1)[0], self.cuts(picture)
        scores = self._fitted(cut, self._scores(cut, tiles.quads_px), tiles.confidence, size)
        length, short = self._fragments(scores, tiles.confidence, one_box)
        tiles, scores, extra = self._in_chains(cut, tiles, scores.nothing_at(short), there, short, length)
        _, short = self._fragments(scores, tiles.confidence, one_box)
        scores = scores.nothing_at(short)
        tiles, seen = chains.as_found(tiles, scores.quads, found, SAME)
        scores = self._familiar(cut, scores, tiles.confidence, seen, length, familiar)
        scores = self._realigned(cut, scores, tiles.confidence)
        markers = detections.select((detections.kind == Kind.MARKER) & (detections.confidence >= BELIEVED))
        scores = self._without_half_grounds(cut, scores, tiles.confidence, markers)
        none = scores.none.min(1)
        once = pack_finds(scores, tiles.confidence, seen, length, s.packing, known)
        lying = lying_face_down(image, tiles, scores, once, seen, self.backs, tile_length_px, s.face_down)
        kept = np.isin(np.arange(len(tiles)), once)
        crops = np.zeros((len(tiles), *self.crop_wh[::-1], 3), np.uint8)
        crops[once] = cut(scores.quads[once])
        colours = np.zeros((len(tiles), 3), np.float32)
        colours[once] = body_colours(crops[once])
        if one_box:
            of_one = (self.backs, s.chains, s.face_down)
            lying = among_others(image, tiles, scores, colours, once, seen, lying, *of_one)
        scores = replace(scores, quads=lying.quads)
        lying, scores, or_blank = self._told_from_blanks(image, tiles, scores, colours, once, lying, known)
        down, lies_down = lying.down, lying.believed
        # Only what stays is weighed: the same tile found twice would leave one of the two without a tile of the set.
        up = np.flatnonzero(kept & ~down & (none <= PHANTOM))
        p = familiar.weighed(scores.values[up].astype(np.float64), crops[up])
        if one_box:  # in a photograph from the side the halves of one value differ by their light and slant
            p = familiar.believed(p, crops[up])
        p = high_values.printed(p, crops[up], known)
        p = softened(p) if known is None else _with_rest(weigh(_normal(p), known).halves, p)
        p = high_values.supported(p, crops[up], known)
        p = by_hand.doubted(picture, scores.quads[up], p, familiar.spreads)
        halves = {int(tile): self._halves(p[i], scores.quads[tile]) for i, tile in enumerate(up)}
        unread = np.array([_without_evidence(halves.get(i)) for i in range(len(tiles))], np.intp)
        sure = kept & (unread == 0) & (tiles.confidence > DOUBTFUL_DETECTION)
        blank = [i for i in once if _is_blank(halves.get(int(i))) and tiles.confidence[i] >= FAINT_DETECTION]
        unread[np.array(blank, np.intp)[with_dividers(image, scores.quads[blank], scores.quads[sure])]] = 0
        read = [halves[int(i)] for i in np.flatnonzero(sure)]
        familiar.bodies.learn([(a.value or 0, b.value or 0) for a, b in read], colours[sure])
        foreign = np.zeros(len(tiles), np.bool_)
        if one_box:  # a photograph may show the tiles of two makers
            beside = lightest_beside(scores.quads, colours, sure)
            printed = (p[:, :, 1:].max(2).min(1) >= s.certain) & (tiles.confidence[up] >= PLAIN_DETECTION)
            foreign[up] = familiar.bodies.foreign(crops[up], beside[up]) & ~printed
        strange = strangers(scores.quads, colours, sure)
        backs = once[lies_down[once] > 0]
        trusted = np.where(tiles.kind[backs] == Kind.FACE_DOWN, lies_down[backs], 1.0)
        unlike = backs[gaps(scores.quads[backs], colours[backs], trusted)]
        gap = np.isin(np.arange(len(tiles)), unlike)
        gap &= lies_down < PLAIN_DETECTION  # a back that the light gilds is sure of itself
        held = np.zeros(len(tiles), np.bool_)
        under = self._under_things(scores, detections, tiles, halves, size)
        filling = ~(seen | extra)[up] & (scores.none[up].max(1) <= PHANTOM)
        held[up] = chains.enclosed(scores.quads[up], s.chains) & ((none[up] <= HINT_OF_NOTHING) | filling)
        held &= tiles.confidence >= FAINT_DETECTION
        readings = []
        for i in sorted(once.tolist()):
            confidence = float(tiles.confidence[i])
            if down[i]:
                if lies_down[i] > 0 and not gap[i]:
                    readings.append(TileReading(scores.quads[i], "down", None, float(lies_down[i]), i in or_blank))
            elif i in halves and not foreign[i]:
                needed = (0.0, SHAKY_DETECTION, DOUBTFUL_DETECTION)[unread[i]]
                odd = strange[i] and confidence < PLAIN_DETECTION
                doubted = bool(unread[i]) and (odd or not seen[i])
                imagined = extra[i] and (strange[i] or unread[i] == 2)
                if not imagined and (held[i] or under[i] or (confidence >= needed and not doubted)):
                    readings.append(TileReading(scores.quads[i], "up", halves[i], confidence))
        return readings

    def _told_from_blanks(
        self,
        image: Image,
        tiles: Detections,
        scores: TileScores,
        colours: Floats,
        once: NDArray[np.intp],
        lying: FaceDown,
        known: KnownSet | None,
    ) -> tuple[FaceDown, TileScores, set[int]]:
        """The same, where what looks like a back and shows a divider is a face, and a double blank that shows none is
        not read; and which backs may as well be the double blank."""
        if known is not None and 0 not in known.values():
            return lying, scores, set()
        clear = scores.values.max(2).min(1)
        blank = (scores.values.argmax(2) == 0).all(1)
        sure = once[(clear[once] >= self.settings.certain) & (tiles.confidence[once] > DOUBTFUL_DETECTION)]
        sure = sure[~lying.down[sure] & ~blank[sure]]
        faces, bodies = scores.quads[sure], colours[sure]
        down, values, back, or_blank = lying.down.copy(), scores.values.copy(), scores.back.copy(), set()
        backs = once[lying.down[once] & (lying.believed[once] > 0)]
        if len(backs):
            alike = alike_in_colour(colours[backs], colours[backs]).sum(1)
            for n in backs[alike < MANY_ALIKE]:
                side = which_side(image, scores.quads[n], colours[n], faces, bodies)
                if side is Side.UNSETTLED:
                    or_blank.add(int(n))
                elif side is Side.FACE:
                    down[n], back[n] = False, 0.0
                    values[n] /= np.maximum(values[n].sum(1, keepdims=True), 1e-6)
        for n in once[blank[once] & ~lying.down[once] & (clear[once] >= READABLE)]:
            near = nearest(scores.quads[n], faces)
            usual = usual_divider(image, faces[near]) if len(near) >= LEAST_FACES else 0.0
            if usual and has_divider(image, scores.quads[n], usual) is False:
                values[n] *= PHANTOM
        return replace(lying, down=down), replace(scores, values=values, back=back), or_blank

    def _under_things(
        self,
        scores: TileScores,
        detections: Detections,
        tiles: Detections,
        halves: dict[int, tuple[HalfReading, HalfReading]],
        size: TileSize | None,
    ) -> NDArray[np.bool_]:
        """(n,) which finds, however faint, are tiles on which a toy or a coin stands: of the set's size, one half read
        surely, and something on the other that may be a marker."""
        found = np.zeros(len(tiles), np.bool_)
        things = detections.quads_px[(detections.kind == Kind.MARKER) & (detections.confidence >= MAY_BE_A_MARKER)]
        if size is None or not len(things) or not halves:
            return found
        some = np.array(sorted(halves), np.intp)
        shares = size.shares(scores.quads[some])
        fits = (np.abs(shares[:, 0] - 1) < 1 - TOO_SHORT + 0.03) & (np.abs(shares[:, 1] - 1) < 0.15)
        for i in some[fits]:
            read = [half.value is not None and half.p >= self.settings.certain for half in halves[int(i)]]
            if read[0] != read[1]:
                hidden = half_corners(scores.quads[i], int(read[0])).astype(np.float32)[None]
                found[i] = covered(hidden, things)[0] >= COVERED
        return found

    def scores(self, image: Picture, quads: Floats) -> TileScores:
        """Calibrated probabilities of all halves. Outlines are put right first; doubtful tiles are read in all variants
        and averaged."""
        return self._scores(self.cuts(image), quads)

    def likeliest(self, image: Picture, quads: Floats) -> NDArray[np.intp]:
        """(n, 2) the likeliest value of each half within these very outlines, however askew they seem."""
        return np.asarray(self.classify(self.cuts(image)(quads))[0][:, :, :VALUES].argmax(2), np.intp)

    def cuts(self, image: Picture) -> Cuts:
        """What the network gets to see of this picture's outlines, each cut once."""
        return Cuts(image, self.crop_wh, self._workers)

    def _scores(self, cut: Cuts, quads: Floats) -> TileScores:
        s = self.settings
        q = np.array(quads, np.float32)
        if not len(q):
            return TileScores.of(q, np.zeros((0, 2, CLASSES), np.float32))
        p, offsets = self.classify(cut(q))
        # What is plainly nothing deserves no second look.
        alive = p[:, :, NONE].min(1) < SURELY_NOTHING
        for _ in range(CORRECTIONS):
            off = np.abs(offsets).max((1, 2))
            far = np.flatnonzero(alive & (off > WORTH_CORRECTING))
            if not len(far):
                break
            q[far] = [put_right(q[i], offsets[i]) for i in far]
            offsets[far] = 0.0
            again = far[(p[far, :, :VALUES].max(2).min(1) < s.certain) | (off[far] > WORTH_READING_AGAIN)]
            if len(again):
                p[again], offsets[again] = self.classify(cut(q[again]))
        doubtful = np.flatnonzero(alive & (p[:, :, NONE].min(1) < PHANTOM) & (p.max(2).min(1) < s.certain))
        if len(doubtful):
            total = p[doubtful]
            for i, variant in enumerate(VARIANTS):
                moved = shifted(q[doubtful], variant)
                turned = i % 2 == 0
                again, _ = self.classify(cut(np.roll(moved, 2, axis=1) if turned else moved))
                total += again[:, ::-1] if turned else again
            p[doubtful] = total / (1 + len(VARIANTS))
        return TileScores.of(q, p)

    def _in_chains(
        self,
        cut: Cuts,
        tiles: Detections,
        scores: TileScores,
        seen: NDArray[np.bool_],
        short: NDArray[np.intp],
        length: float,
    ) -> tuple[Detections, TileScores, NDArray[np.bool_]]:
        """The tiles with places added where their chains have gaps of half a tile or a whole one, and of which `short`
        outlines may be an end; which of all are thought into such a gap."""
        once = pack_finds(scores, tiles.confidence, seen, length, self.settings.packing)
        clear = scores.values.max(2).min(1)
        likely = (tiles.confidence >= SHAKY_DETECTION) | (clear >= READABLE)
        likely &= (scores.none.min(1) <= PHANTOM) & (tiles.kind == Kind.FACE_UP)
        there = once[likely[once]]
        new = chains.proposals(scores.quads[there], self.settings.chains)
        first, second = scores.values[there].argmax(2).T
        # Halves of two neighbours look like a tile and like none, or, as like lies at like, like a double in line.
        vague = (clear[there] < READABLE) & (scores.none[there].min(1) > HINT_OF_NOTHING)
        doubles = first == second
        moved = chains.in_line(scores.quads[there], self.settings.chains) & doubles
        moved |= chains.out_of_step(scores.quads[there], doubles, self.settings.chains)
        astray = there[vague | moved]
        unread = there[clear[there] < READABLE]
        long, pieces = chains.cut_short(scores.quads[unread], LONGEST)
        beside = [shifted(scores.quads[astray], (by, 0.0, 0.0, 0.0)) for by in (0.5, -0.5)]
        parts, grown = chains.stretched(scores.quads[short], length)
        quads = np.concatenate([new.quads, *beside, pieces, grown])
        extra = np.zeros(len(tiles) + len(quads), np.bool_)
        extra[len(tiles) : len(tiles) + len(new.moved)] = ~new.moved
        if not len(quads):
            return tiles, scores, extra
        sources = np.concatenate([there[new.sources], astray, astray, unread[long], short[parts]])
        confidence = np.asarray(tiles.confidence[sources] * np.float32(0.9), np.float32)
        added = Detections(quads, np.full(len(quads), Kind.FACE_UP, np.int8), confidence)
        return tiles.together(added), scores.together(self._scores(cut, quads)), extra

    def _familiar(
        self,
        cut: Cuts,
        scores: TileScores,
        confidence: Floats,
        seen: NDArray[np.bool_],
        length: float,
        familiar: Appearance,
    ) -> TileScores:
        """The same with doubtful halves weighed by the looks of surely read ones, where they lie as they were found."""
        once = pack_finds(scores, confidence, seen, length, self.settings.packing)
        readable = scores.none[once].min(1) <= PHANTOM
        alive = once[readable & (scores.back[once].min(1) <= BACK)]
        p, crops = scores.values[alive].astype(np.float64), cut(scores.quads[alive])
        familiar.learn(p, crops)
        values = scores.values.copy()
        values[alive] = familiar.weighed(p, crops)
        return TileScores(scores.quads, values, scores.none, scores.back)

    def _realigned(self, cut: Cuts, scores: TileScores, confidence: Floats) -> TileScores:
        """The same with doubtful tiles read where they fit in best with the clearly read ones."""
        s = self.settings
        clear = scores.values.max(2).min(1)
        nothing = scores.none.max(1)
        sizes = typical_sizes(scores.quads, (clear >= s.certain) & (confidence > DOUBTFUL_DETECTION), s.realign)
        own = np.stack(sides(scores.quads), 1) if len(clear) else sizes
        fits = (np.abs(np.log(own / sizes)) < np.log(SIZE_FACTOR)).all(1)
        doubtful = np.flatnonzero(
            fits
            & (clear < READABLE)
            & ((nothing < PHANTOM) | (confidence > DOUBTFUL_DETECTION))
            & (scores.back.max(1) < HINT_OF_BACK)
        )
        quads, p = scores.quads.copy(), np.dstack([scores.values, scores.none, scores.back])
        for i in doubtful[np.argsort(-confidence[doubtful])][: s.realign.most]:
            found = self._placed(cut, scores.quads[i], sizes[i])
            if found is not None:
                quads[i], p[i] = found
        return TileScores.of(quads, p)

    def _fitted(self, cut: Cuts, scores: TileScores, confidence: Floats, size: TileSize | None) -> TileScores:
        """The same with tiles whose outlines contradict the known `size` read where one of that size fits; what is read
        within the wrong outline counts for nothing."""
        s = self.settings
        if size is None or not len(scores.quads):
            return scores
        clear = scores.values.max(2).min(1)
        sizes = size.expected(scores.quads, (clear >= s.certain) & (confidence > DOUBTFUL_DETECTION))
        long = sides(scores.quads)[0] / sizes[:, 0]
        wrong = ((long < TOO_SHORT) & (long >= SHORTEST)) | ((long > TOO_LONG) & (long <= SIZE_FACTOR))
        wrong &= (clear >= HOPELESS) & (scores.none.max(1) < PHANTOM) & (scores.back.max(1) < HINT_OF_BACK)
        quads, p = scores.quads.copy(), np.dstack([scores.values, scores.none, scores.back])
        solid = scores.quads[(clear >= s.certain) & (long >= TOO_SHORT) & (long <= TOO_LONG)]
        contradicted = np.flatnonzero(wrong)
        for n, i in enumerate(contradicted[np.argsort(-confidence[contradicted])]):
            found = self._placed(cut, scores.quads[i], sizes[i], solid) if n < s.realign.most else None
            if found is not None:
                quads[i], p[i] = found
                solid = np.concatenate([solid, quads[i : i + 1]])
            else:
                p[i, :, :VALUES] *= UNFITTED
        return TileScores.of(quads, p)

    def _placed(
        self, cut: Cuts, quad: Floats, size: Floats, solid: Floats | None = None
    ) -> tuple[Floats, Floats] | None:
        """Where about this outline one of `size` (length, width) fits, and the (2, 21) probabilities there; None where
        several places agree on nothing. No place lies over the `solid` (n, 4, 2) tiles beside."""
        s = self.settings
        tried = places(quad, size, s.realign)
        # The places differ by little: the picture is cut and reduced once for all of them.
        around, to_around = surroundings(cut.image, tried[0], REACH)
        crops = self.crops(around, seen_through(tried, to_around))
        few = coarse(s.realign)
        found = np.zeros((len(tried), 2, CLASSES), np.float32)
        found[few], _ = self.classify(crops[few])
        if found[few][:, :, :VALUES].max(2).min(1).max() < HOPELESS:
            return None
        rest = np.setdiff1d(np.arange(len(tried)), few)
        found[rest], _ = self.classify(crops[rest])
        if solid is not None:
            found[~beside(tried, solid)] = 0.0
        best = agreed(found[:, :, :VALUES], s.realign)
        return None if best is None else (tried[best[0]], found[list(best[1])].mean(0))

    def _fragments(self, scores: TileScores, confidence: Floats, one_box: bool) -> tuple[float, NDArray[np.intp]]:
        """How long tiles are in px, and which outlines are too short for one: half of one may read as another. Where
        all are as far from the camera."""
        whole = (scores.values.max(2).min(1) >= self.settings.certain) & (confidence > DOUBTFUL_DETECTION)
        if not one_box or not whole.any():
            return 0.0, np.zeros(0, np.intp)
        lengths = np.maximum(*sides(scores.quads))
        typical = float(np.median(lengths[whole]))
        return typical, np.flatnonzero(lengths < SHORTEST * typical)

    def _without_half_grounds(
        self, cut: Cuts, scores: TileScores, confidence: Floats, markers: Detections
    ) -> TileScores:
        """The same with finds called nothing of which one half is a tile's and the other, read as blank, the ground. A
        half on which a marker may lie looks like no tile's."""
        s = self.settings
        blank = scores.values[:, :, 0] >= READABLE
        clear = scores.values.max(2).min(1)
        doubted = np.flatnonzero(blank.any(1) & ~blank.all(1) & (clear >= READABLE))
        halves = np.array([half_corners(scores.quads[i], int(blank[i, 1])) for i in doubted], np.float32)
        doubted = doubted[covered(halves.reshape(-1, 4, 2), markers.quads_px) < COVERED]
        plain = np.flatnonzero((clear >= s.certain) & (confidence > DOUBTFUL_DETECTION) & ~blank.any(1))
        known = body_colours(cut(scores.quads[plain]))
        grounds = half_grounds(cut(scores.quads[doubted]), blank[doubted], known)
        return scores.nothing_at(doubted[grounds])

    def classify(self, crops: Image) -> tuple[Floats, Floats]:
        """(n, side, 2 side, 3) crops of whole tiles -> (n, 2, 21) probabilities at the calibrated temperature and
        (n, 2, 4) corner offsets."""
        s = self.settings
        answers = self._workers.each(self._answer, self._workers.batches(crops, *BATCHES))
        both = np.concatenate([np.zeros((0, 2, CLASSES + OFFSETS), np.float32), *answers])
        p, offsets = both[:, :, :CLASSES], both[:, :, CLASSES:]
        if s.temperature != 1.0:
            p = np.asarray(np.maximum(p, 1e-9) ** (1 / s.temperature), np.float32)
        p = np.asarray(p / p.sum(2, keepdims=True), np.float32)
        return (p if self.adaptation is None else self.adaptation.weighed(p, crops, VALUES)), offsets

    def _answer(self, crops: Image) -> Floats:
        return self._network(np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32) / np.float32(255))

    def crops(self, image: Image, quads: Floats) -> Image:
        """(n, side, 2 side, 3): what the network gets to see of each tile."""
        return self.cuts(image)(quads)

    def _halves(self, p: NDArray[np.float64], quad: Floats) -> tuple[HalfReading, HalfReading]:
        a, b = (self._half(p[i], side_px(half_corners(quad, i))) for i in (0, 1))
        return a, b

    def _half(self, p: NDArray[np.float64], side: float) -> HalfReading:
        order = np.argsort(-p, kind="stable")
        ranked = [(int(v), round(float(p[v]), 4)) for v in order[:4]]
        best, best_p = ranked[0]
        others = tuple(one for one in ranked[1:] if one[1] >= OTHERS_FROM)
        if best_p < READABLE or side < SMALLEST_HALF_PX:
            return HalfReading(None, best_p, ((best, best_p), *others))
        return HalfReading(best, best_p, others)


def _is_blank(halves: tuple[HalfReading, HalfReading] | None) -> bool:
    return halves is not None and all(half.value == 0 for half in halves)


def _without_evidence(halves: tuple[HalfReading, HalfReading] | None) -> int:
    """How many halves do not show that a tile lies here. Two blanks show nothing: any plain patch is as blank."""
    values = [None, None] if halves is None else [half.value for half in halves]
    return 2 if _is_blank(halves) else values.count(None)


def _normal(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(p / np.maximum(p.sum(2, keepdims=True), 1e-9), np.float64)


def _with_rest(weighed: NDArray[np.float64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weighed values with what the network gave to "none" and "back" still missing from them."""
    return np.asarray(weighed * np.minimum(p.sum(2, keepdims=True), 1.0), np.float64)
