"""Reads found tiles from crops of the full-resolution picture.

Every tile is read as it was found; where that leaves any doubt it is read again turned round and a little shifted,
because a box that drifts over the divider turns a 3 into a 5. Finds become readings in five stages over one table of
candidates:

    found -> split -> read -> doubted -> settled

Each stage takes a picture's `Look` and the records of the stage before, and gives records of its own; `settled` gives
the reading. A stage can be tried alone:

>>> import cv2
>>> from vision.eye import open_eye
>>> picture = np.full((200, 300, 3), 60, np.uint8)
>>> picture[80:120, 100:180] = 235  # a 1-0
>>> pip = cv2.circle(picture, (120, 100), 5, (20, 20, 20), -1)
>>> line = cv2.line(picture, (140, 84), (140, 116), (20, 20, 20), 2)
>>> quad = np.array([[100, 120], [100, 80], [180, 80], [180, 120]], np.float32)
>>> here = Detections(quad[None], np.zeros(1, np.int8), np.full(1, 0.9, np.float32))
>>> look = open_eye().reader.at(picture)
>>> finds = found(look, here)
>>> finds.values.argmax(2).tolist(), finds.seen.tolist()
([[1, 0]], [True])
>>> len(split(look, finds))  # nothing lies beside it
1
>>> tiles = read(look, split(look, finds))  # of what shares a place the best
>>> doubted(look, tiles).down.tolist()
[False]
>>> [tile.values for tile in settled(look, doubted(look, tiles))]
[(1, 0)]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision import by_hand, chains, prints
from vision.adaptation import Adaptation
from vision.backs import BACK as LIKE_A_BACK
from vision.backs import HINT_OF_BACK, BackJudge, among_others, lying_face_down
from vision.detections import Detections, Finds, Kind, clear, joined, records, some
from vision.dividers import MANY_ALIKE, Side, which_side, with_dividers
from vision.familiar import Appearance
from vision.frame import Image, Picture, level
from vision.inference import THREADS, Network, Workers, as_input
from vision.known_set import KnownSet, softened, weigh
from vision.markers import COVERED
from vision.packing import pack_finds
from vision.plausibility import alike_in_colour, body_colours, gaps, strangers
from vision.reading import BACK, CLASSES, NONE, OFFSETS, VALUES, HalfReading, TileReading
from vision.rectify import TILE_SIDE, cut_tile, half_corners, put_right, seen_through, shifted, side_px, surroundings
from vision.rotated import covered, sides
from vision.tile_size import HOPELESS, REACH, SIZE_FACTOR, TileSize, agreed, beside, coarse, places, typical_sizes

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Halves = tuple[HalfReading, HalfReading]

CERTAIN = 0.98
"""From this probability on one look is enough."""
READABLE = 0.9
"""The least probability of a claimed value. From 0.5 on three more halves would be wrong of 1,145 on photographs and
five of 300 on traced tables, and none more right.
bench.gates, a value less probable than READABLE: photographs -1/+2/0, toys +6/+3/0, racks +7/-2/0, traced +6/+19/+9,
tables -."""
PHANTOM = 0.5
"""A half that the network calls *none* more surely than this is no half of a tile. No labelled half hangs on it, but a
6-4 across two tiles of `leaning/mattu.jpg`, whose labels do not list every tile.
bench.gates, none more surely than a half: photographs 0/0/0, toys 0/0/0, racks +2/-2/-1, traced 0/+1/+2, tables
0/0/0."""
SHAKY_DETECTION, DOUBTFUL_DETECTION = 0.45, 0.6
"""A detection less sure than the second counts only when the reader reads both halves, one less sure than the first
only when it reads one of them. Without the first three more halves would be wrong and one right of 300 on traced
tables, and none more on photographs.
bench.gates, found faintly and half read: photographs -1/0/0, toys +3/0/0, racks +1/+1/+1, traced +1/+4/+4, tables -.
bench.gates, found faintly and not read: photographs -2/0/+12, toys +1/+1/0, racks -4/-6/-2, traced 0/+1/+18, tables
-."""
PLAIN_DETECTION = 0.8
"""A detection so sure is a tile even where its size or colour is odd."""
FAINT_DETECTION = 0.35
"""Two blank halves found more faintly show no tile, whatever is in their middle."""
HINT_OF_NOTHING = 0.1
"""An unread find of a chain that is *none* more surely than this on both halves is looked for half a tile off."""
THOUGHT_OF = 0.9
"""A place that is only thought of is found so much less surely than what it was derived from."""
SMALLEST_HALF_PX = 9.0
"""A half with shorter sides than this in the picture is never read.
bench.gates, a half of a few pixels: photographs -, toys -, racks -, traced -, tables -."""
OTHERS_FROM, MOST_OTHERS = 0.002, 4
"""Values less probable than the first are not passed on, and no more than so many."""
MAY_BE_A_MARKER = 0.3
"""A marker to which the judge gives at least this may hide an unread half of a tile."""
TOO_SHORT, TOO_LONG, UNFITTED = 0.93, 1.1, 0.6
"""An outline outside these shares of the length that a tile has there is fitted again. Where none of that length fits,
what was read counts so much less that it stays unread."""
MOST_REALIGNED = 12
"""How many doubtful tiles of one picture are looked for about their places."""


LEAST_TO_SHARE = 8
"""Fewer crops are cut sooner than the work is shared out."""


class Cuts:
    """Crops of `image`, which may not change while this lives, as the reader wants them."""

    def __init__(self, image: Picture, workers: Workers) -> None:
        self.image = image
        self._workers = workers
        self._made: dict[bytes, Image] = {}

    def __call__(self, quads: NDArray[np.float32]) -> Image:
        """(n, 4, 2) -> (n, side, 2 side, 3) of whole tiles with their surroundings, in new memory."""
        names = [np.ascontiguousarray(quad, np.float32).tobytes() for quad in quads]
        wanted = {name: n for n, name in enumerate(names) if name not in self._made}
        for made in self._workers.each(
            lambda part: [(names[n], cut_tile(self.image, quads[n])) for n in part],
            self._workers.batches(np.array([*wanted.values()], np.intp), LEAST_TO_SHARE, max(1, len(wanted))),
        ):
            self._made.update(made)
        out = np.empty((len(names), TILE_SIDE, 2 * TILE_SIDE, 3), np.uint8)
        for n, name in enumerate(names):
            out[n] = self._made[name]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One picture that is read, and what is known beforehand."""

    reader: Reader
    picture: Picture
    cut: Cuts
    things: Detections
    """The markers that the detector found."""
    known: KnownSet | None
    """The tiles that lie on the table, where the players have said so."""
    familiar: Appearance
    """The look of the box in earlier pictures."""
    one_box: bool
    """There are earlier pictures of the same box: all tiles are equally far from the camera."""
    length_px: float | None
    """How long a tile is here, where a calibrated table says so."""
    size: TileSize | None
    """How large a tile is anywhere on that table."""

    @property
    def image(self) -> Image:
        return level(self.picture, 1)[0]


def found(look: Look, detections: Detections) -> Finds:
    """The tiles among the detections as the network reads them.

    Where the size of a tile is known, what is read within an outline of another counts for nothing."""
    tiles = detections.select(detections.kind <= Kind.FACE_DOWN)
    finds = look.reader.finds(look.cut, tiles)
    finds.seen = True
    return _fitted(look, finds)


def split(look: Look, finds: Finds) -> Finds:
    """The same with tiles that chains hide: in their gaps, half a tile off, in outlines across two. Parts are no
    tiles."""
    finds = finds.copy()
    short = _parts(look, finds)
    finds.none[short] = 1.0
    finds = joined(finds, _in_chains(look, finds, short))
    finds.none[_parts(look, finds)] = 1.0
    return chains.as_found(finds)


def read(look: Look, finds: Finds) -> Finds:
    """Those that lie there, one a tile: doubtful ones read by the looks of the others, or where they fit in best."""
    finds, length = finds.copy(), _length(look, finds)
    once = pack_finds(finds, length)
    alive = once[(finds.none[once].min(1) <= PHANTOM) & (finds.back[once].min(1) <= LIKE_A_BACK)]
    p, crops = finds.values[alive].astype(np.float64), look.cut(finds.quads[alive])
    look.familiar.learn(p, crops)
    finds.values[alive] = look.familiar.weighed(p, crops)
    _realign(look, finds)
    once = pack_finds(finds, length, look.known)
    lying_face_down(look.image, finds, once, look.reader.backs, look.length_px)
    return some(finds, np.sort(once))


def doubted(look: Look, finds: Finds) -> Finds:
    """The same without what is neither a face nor a back; `p` says how probable each value of a face is, all told."""
    finds = finds.copy()
    finds.colours = body_colours(look.cut(finds.quads))
    if look.one_box:
        among_others(look.image, finds, look.reader.backs)
    if look.known is None or 0 in look.known.values():
        _tell_from_blanks(look, finds)
    finds = some(finds, finds.down | (finds.none.min(1) <= PHANTOM))
    up = np.flatnonzero(~finds.down)
    crops = look.cut(finds.quads[up])
    # Only what stays is weighed: the same tile found twice would leave one of the two without a tile of the set.
    p = look.familiar.weighed(finds.values[up].astype(np.float64), crops)
    if look.one_box:  # in a photograph from the side the halves of one value differ by their light and slant
        p = look.familiar.believed(p, crops)
    p = prints.printed(p, crops, look.known)
    if look.known is None:
        p = softened(p)
    else:  # what the network gave to "none" and "back" stays missing
        total = p.sum(2, keepdims=True)
        p = weigh(p / np.maximum(total, 1e-9), look.known) * np.minimum(total, 1.0)
    p = prints.supported(p, crops, look.known)
    finds.p[up] = by_hand.doubted(look.picture, finds.quads[up], p, look.familiar.spreads)
    return finds


def settled(look: Look, finds: Finds) -> list[TileReading]:
    """The reading to report. Of finds that are not wholly read, only those that certainly lie there."""
    halves = [None if finds.down[n] else halves_of(finds.p[n], finds.quads[n]) for n in range(len(finds))]
    unread = np.array([_without_evidence(one) for one in halves], np.intp)
    sure = (unread == 0) & (finds.confidence > DOUBTFUL_DETECTION)
    blank = np.array([_is_blank(one) for one in halves], np.bool_) & (finds.confidence >= FAINT_DETECTION)
    blank[blank] = with_dividers(look.image, finds.quads[blank], finds.quads[sure])
    unread[blank] = 0
    strange = strangers(finds.quads, finds.colours, sure)
    plain = finds.confidence >= PLAIN_DETECTION
    up = ~finds.down
    up &= ~(finds.extra & (strange | (unread == 2)))
    needed = np.array([0.0, SHAKY_DETECTION, DOUBTFUL_DETECTION])[unread]
    doubtful = (unread > 0) & ((strange & ~plain) | ~finds.seen)
    up &= _under_things(look, finds, halves) | ((finds.confidence >= needed) & ~doubtful)
    down = finds.down & (finds.believed > 0)
    backs = np.flatnonzero(down)
    trusted = np.where(finds.kind[backs] == Kind.FACE_DOWN, finds.believed[backs], 1.0)
    framed = gaps(finds.quads[backs], finds.colours[backs], trusted)
    down[backs[framed]] = finds.believed[backs[framed]] >= PLAIN_DETECTION  # a back that the light gilds is sure
    told = list[TileReading]()
    for n in np.flatnonzero(up | down):
        quad, confidence, believed = finds.quads[n], float(finds.confidence[n]), float(finds.believed[n])
        if finds.down[n]:
            told.append(TileReading(quad, "down", None, believed, bool(finds.or_blank[n])))
        else:
            told.append(TileReading(quad, "up", halves[n], confidence))
    return told


def halves_of(p: NDArray[np.float64], quad: Floats) -> Halves:
    """(2, v) probabilities -> both halves; what is too small or not probable enough is unread.

    >>> p = np.zeros((2, 19)); p[0, 6], p[0, 4], p[1, 1] = 0.95, 0.05, 0.8
    >>> square = np.array([[0, 20], [0, 0], [40, 0], [40, 20]], np.float32)
    >>> [(half.value, half.others) for half in halves_of(p, square)]
    [(6, ((4, 0.05),)), (None, ((1, 0.8),))]
    """
    a, b = (_half(p[n], side_px(half_corners(quad, n))) for n in (0, 1))
    return a, b


def _half(p: NDArray[np.float64], side: float) -> HalfReading:
    order = np.argsort(-p, kind="stable")[:MOST_OTHERS]
    (best, best_p), *rest = [(int(v), round(float(p[v]), 4)) for v in order]
    others = tuple(one for one in rest if one[1] >= OTHERS_FROM)
    if best_p < READABLE or side < SMALLEST_HALF_PX:
        return HalfReading(None, best_p, ((best, best_p), *others))
    return HalfReading(best, best_p, others)


def _is_blank(halves: Halves | None) -> bool:
    return halves is not None and all(half.value == 0 for half in halves)


def _without_evidence(halves: Halves | None) -> int:
    """How many halves do not show that a tile lies here. Two blanks show nothing: any plain patch is as blank."""
    return 2 if halves is None or _is_blank(halves) else sum(half.value is None for half in halves)


def _sure(finds: Finds) -> Mask:
    return np.asarray((clear(finds) >= CERTAIN) & (finds.confidence > DOUBTFUL_DETECTION))


def _length(look: Look, finds: Finds) -> float:
    """How long tiles are in px where all are as far from the camera; 0 where that is not known."""
    lengths = np.maximum(*sides(finds.quads[_sure(finds)]))
    return float(np.median(lengths)) if look.one_box and len(lengths) else 0.0


def _parts(look: Look, finds: Finds) -> NDArray[np.intp]:
    """Which outlines are too short for a tile: half of one may read as another.

    bench.gates, a part of a tile: photographs -, toys -, racks -, traced -, tables 0/0/0.
    """
    return np.flatnonzero(np.maximum(*sides(finds.quads)) < chains.SHORTEST * _length(look, finds))


def _in_chains(look: Look, finds: Finds, short: NDArray[np.intp]) -> Finds:
    """The places where chains have gaps of half a tile or a whole one, and those that `short` outlines may be an end
    of.

    bench.gates, places in chains: photographs -8/+2/+1, toys +3/0/0, racks +2/-8/-4, traced -2/+4/+3, tables 0/0/0.
    """
    once = pack_finds(finds, _length(look, finds))
    vague = clear(finds) < READABLE
    likely = ((finds.confidence >= SHAKY_DETECTION) | ~vague) & (finds.kind == Kind.FACE_UP)
    nothing = finds.none.min(1) > PHANTOM
    there, across = once[(likely & ~nothing)[once]], once[(likely & nothing)[once]]
    quads, vague = finds.quads[there], vague[there]
    new = chains.proposals(quads)
    # Halves of two neighbours look like a tile and like none, or, as like lies at like, like a double in line.
    first, second = finds.values[there].argmax(2).T
    doubles = first == second
    moved = chains.in_line(quads) & doubles
    astray = np.concatenate([there[(vague & (finds.none[there].min(1) > HINT_OF_NOTHING)) | moved], across])
    unread = there[vague]
    long, pieces = chains.cut_short(finds.quads[unread])
    off = [shifted(finds.quads[astray], (by, 0.0, 0.0, 0.0)) for by in (0.5, -0.5)]
    ends, grown = chains.stretched(finds.quads[short], _length(look, finds))
    sources = np.concatenate([there[new.sources], astray, astray, unread[long], short[ends]])
    confidence = np.asarray(finds.confidence[sources] * np.float32(THOUGHT_OF), np.float32)
    kind = np.full(len(sources), Kind.FACE_UP, np.int8)
    added = look.reader.finds(look.cut, Detections(np.concatenate([new.quads, *off, pieces, grown]), kind, confidence))
    added.extra[: len(new.moved)] = ~new.moved
    return added


def _realign(look: Look, finds: Finds) -> None:
    """Reads doubtful tiles where they fit in best with the clearly read ones.

    bench.gates, doubtful tiles looked for about their places: photographs -8/0/0, toys -10/0/0, racks -2/-9/-5, traced
    -1/+2/+1, tables -.
    """
    vague = clear(finds) < READABLE
    sizes = typical_sizes(finds.quads, _sure(finds))
    own = np.stack(sides(finds.quads), 1)
    fits = (np.abs(np.log(own / sizes)) < np.log(SIZE_FACTOR)).all(1)
    there = (finds.none.max(1) < PHANTOM) | (finds.confidence > DOUBTFUL_DETECTION)
    doubtful = np.flatnonzero(fits & vague & there & (finds.back.max(1) < HINT_OF_BACK))
    for i in doubtful[np.argsort(-finds.confidence[doubtful])][:MOST_REALIGNED]:
        _place(look, finds, int(i), sizes[i])


def _fitted(look: Look, finds: Finds) -> Finds:
    """The same with tiles whose outlines contradict the known size read where one of that size fits; what is read
    within the wrong outline counts for nothing.

    bench.gates, an outline of another size than a tile has there: photographs -, toys -, racks -, traced -, tables
    0/0/0.
    """
    if look.size is None or not len(finds):
        return finds
    reads = clear(finds)
    sizes = look.size.expected(finds.quads, _sure(finds))
    long = sides(finds.quads)[0] / sizes[:, 0]
    wrong = ((long < TOO_SHORT) & (long >= chains.SHORTEST)) | ((long > TOO_LONG) & (long <= SIZE_FACTOR))
    wrong &= (reads >= HOPELESS) & (finds.none.max(1) < PHANTOM) & (finds.back.max(1) < HINT_OF_BACK)
    solid = finds.quads[(reads >= CERTAIN) & (long >= TOO_SHORT) & (long <= TOO_LONG)]
    contradicted = np.flatnonzero(wrong)
    for n, i in enumerate(contradicted[np.argsort(-finds.confidence[contradicted])]):
        if n < MOST_REALIGNED and _place(look, finds, int(i), sizes[i], solid):
            solid = np.concatenate([solid, finds.quads[i : i + 1]])
        else:
            finds.values[i] *= UNFITTED
    return finds


def _place(look: Look, finds: Finds, i: int, size: Floats, solid: Floats | None = None) -> bool:
    """Whether about this find's outline one of `size` (length, width) fits, which it then is. Several places have to
    agree, and none lies over the `solid` (n, 4, 2) tiles beside."""
    tried, few = places(finds.quads[i], size), coarse()
    # The places differ by little: the picture is cut and reduced once for all of them.
    around, to_around = surroundings(look.picture, tried[0], REACH)
    crops = look.reader.cuts(around)(seen_through(tried, to_around))
    p = np.zeros((len(tried), 2, CLASSES), np.float32)
    p[few], _ = look.reader.classify(crops[few])
    if p[few][:, :, :VALUES].max(2).min(1).max() < HOPELESS:
        return False
    rest = np.setdiff1d(np.arange(len(tried)), few)
    p[rest], _ = look.reader.classify(crops[rest])
    if solid is not None:
        p[~beside(tried, solid)] = 0.0
    best = agreed(p[:, :, :VALUES])
    if best is None:
        return False
    one = p[list(best[1])].mean(0)
    finds.quads[i], finds.values[i] = tried[best[0]], one[:, :VALUES]
    finds.none[i], finds.back[i] = one[:, NONE], one[:, BACK]
    return True


def _tell_from_blanks(look: Look, finds: Finds) -> None:
    """An apparent back that shows a divider is a face. Marks backs that may as well be the double blank.

    Of 1,145 halves on photographs it saves two right ones and costs none.

    bench.gates, a face, a back or nobody knows: photographs -2/0/0, toys 0/0/0, racks -, traced 0/0/0, tables -.
    """
    blank = (finds.values.argmax(2) == 0).all(1)
    sure = _sure(finds) & ~finds.down & ~blank
    faces, bodies = finds.quads[sure], finds.colours[sure]
    backs = np.flatnonzero(finds.down & (finds.believed > 0))
    colours = finds.colours[backs]
    alike = alike_in_colour(colours, colours).sum(1) if len(backs) else np.zeros(0)
    for n in backs[alike < MANY_ALIKE]:
        side = which_side(look.image, finds.quads[n], finds.colours[n], faces, bodies)
        finds.or_blank[n] = side is Side.UNSETTLED
        if side is Side.FACE:
            finds.down[n], finds.back[n] = False, 0.0
            finds.values[n] /= np.maximum(finds.values[n].sum(1, keepdims=True), 1e-6)


def _under_things(look: Look, finds: Finds, halves: list[Halves | None]) -> Mask:
    """(n,) which finds, however faint, are tiles on which a toy or a coin stands: of the set's size, one half read
    surely, and something on the other that may be a marker.

    bench.gates, tiles under toys, however faint: photographs -, toys -, racks -, traced -, tables -.
    """
    under = np.zeros(len(finds), np.bool_)
    things = look.things.quads_px[look.things.confidence >= MAY_BE_A_MARKER]
    if look.size is None or not len(things):
        return under
    off = np.abs(look.size.shares(finds.quads) - 1)
    for n in np.flatnonzero((off[:, 0] < 1 - TOO_SHORT + 0.03) & (off[:, 1] < 0.15)):
        read = [half.value is not None and half.p >= CERTAIN for half in halves[n] or ()]
        if read and read[0] != read[1]:
            hidden = half_corners(finds.quads[n], int(read[0])).astype(np.float32)[None]
            under[n] = covered(hidden, things)[0] >= COVERED
    return under


SURELY_NOTHING = 0.97
"""A half that the network calls *none* more surely than this is read but once."""
CORRECTIONS = 2
"""How often an outline may be put right."""
WORTH_CORRECTING, WORTH_READING_AGAIN = 0.02, 0.07
"""Corner offsets, in tile widths, from which an outline is put right, and from which a certain reading is read
again inside it; what is not certain is from the first on."""
VARIANTS = ((0.0, 0.0, 0.0, 0.0), (0.02, 0.0, 0.0, 0.0))
"""A doubtful tile is read again so far (along, across, grown along, grown across; in parts of its length and width),
every second time turned by 180 degrees."""


class Reader:
    """`read` turns detections into readings; `scores` gives the bare probabilities."""

    def __init__(
        self,
        model_path: Path,
        backs: BackJudge,
        temperature: float = 1.0,
        adaptation: Adaptation | None = None,
        threads: int = THREADS,
    ) -> None:
        """`temperature`: at which the network's probabilities are calibrated. Raises WeightsError."""
        self._network = Network(model_path).shaped((3, TILE_SIDE, 2 * TILE_SIDE), (2, CLASSES + OFFSETS))
        self._workers = Workers(threads)
        self.adaptation, self.backs, self.temperature = adaptation, backs, temperature

    def at(
        self,
        picture: Picture,
        things: Detections | None = None,
        known: KnownSet | None = None,
        familiar: Appearance | None = None,
        tile_length_px: float | None = None,
        size: TileSize | None = None,
    ) -> Look:
        """The look at a picture, for the stages of reading it.

        `known` are the tiles on the table, where the players have said so; without them the readings only lend each
        other likelihood. `familiar` is the look of the same box in earlier pictures; it learns from this one.
        `tile_length_px` is how long a tile is here, where a calibrated table says so, and `size` how large anywhere.
        """
        markers = Detections.none() if things is None else things.select(things.kind == Kind.MARKER)
        seen, one_box = familiar or Appearance(), familiar is not None
        return Look(self, picture, self.cuts(picture), markers, known, seen, one_box, tile_length_px, size)

    def read(self, look: Look, detections: Detections) -> list[TileReading]:
        """One reading per tile, face up or down, in the order of the detections, phantoms left out."""
        finds = split(look, found(look, detections))
        return settled(look, doubted(look, read(look, finds)))

    def scores(self, image: Picture, quads: Floats) -> Finds:
        """Calibrated probabilities of all halves within (n, 4, 2) outlines."""
        n = len(quads)
        return self.finds(self.cuts(image), Detections(quads, np.zeros(n, np.int8), np.zeros(n, np.float32)))

    def likeliest(self, image: Picture, quads: Floats) -> NDArray[np.intp]:
        """(n, 2) the likeliest value of each half within these very outlines, however askew they seem."""
        return np.asarray(self.classify(self.cuts(image)(quads))[0][:, :, :VALUES].argmax(2), np.intp)

    def cuts(self, image: Picture) -> Cuts:
        """The network's crops of this picture's outlines, each cut once."""
        return Cuts(image, self._workers)

    def finds(self, cut: Cuts, tiles: Detections) -> Finds:
        """A record of every tile. Outlines are put right first; doubtful ones are read in all variants and averaged."""
        q = tiles.quads_px.copy()
        p, offsets = self.classify(cut(q))
        # Plain misses deserve no second look.
        alive = p[:, :, NONE].min(1) < SURELY_NOTHING
        for _ in range(CORRECTIONS):
            off = np.abs(offsets).max((1, 2))
            far = np.flatnonzero(alive & (off > WORTH_CORRECTING))
            if not len(far):
                break
            q[far] = [put_right(q[i], offsets[i]) for i in far]
            offsets[far] = 0.0
            again = far[(p[far, :, :VALUES].max(2).min(1) < CERTAIN) | (off[far] > WORTH_READING_AGAIN)]
            if len(again):
                p[again], offsets[again] = self.classify(cut(q[again]))
        doubtful = np.flatnonzero(alive & (p[:, :, NONE].min(1) < PHANTOM) & (p.max(2).min(1) < CERTAIN))
        if len(doubtful):
            total = p[doubtful]
            for i, variant in enumerate(VARIANTS):
                moved = shifted(q[doubtful], variant)
                turned = i % 2 == 0
                again, _ = self.classify(cut(np.roll(moved, 2, axis=1) if turned else moved))
                total += again[:, ::-1] if turned else again
            p[doubtful] = total / (1 + len(VARIANTS))
        return records(replace(tiles, quads_px=q), p)

    def classify(self, crops: Image) -> tuple[Floats, Floats]:
        """(n, side, 2 side, 3) crops of whole tiles -> (n, 2, 21) probabilities at the calibrated temperature and
        (n, 2, 4) corner offsets."""
        answers = self._workers.each(lambda part: self._network(as_input(part)), self._workers.batches(crops))
        both = np.concatenate([np.zeros((0, 2, CLASSES + OFFSETS), np.float32), *answers])
        p, offsets = both[:, :, :CLASSES], both[:, :, CLASSES:]
        if self.temperature != 1.0:
            p = np.asarray(np.maximum(p, 1e-9) ** (1 / self.temperature), np.float32)
        p = np.asarray(p / p.sum(2, keepdims=True), np.float32)
        return (p if self.adaptation is None else self.adaptation.weighed(p, crops, VALUES)), offsets
