"""Tiles that stand side by side in a rack whose lip hides their lower ends.

Two upper halves beside each other look like one tile that lies across. It is told by its flank: beyond the lower one
the bodies go on, down to the lip, with lines and pips on them, beyond the upper one they do not. Where a row of finds
is like that, each half of theirs is the upper half of a tile that stands. And where the dividing lines of a row lie off
the middles to one side, the lip hides that much of the lower halves: a value stands as under a toy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dividers import line_across
from vision.frame import Picture
from vision.hidden import HALF_CELLS, may_be_another
from vision.known_set import KnownSet
from vision.prints import prints_of
from vision.reading import SEEN_WHOLE, HalfReading, TileReading
from vision.rectify import cut_wh, tile_plane
from vision.rotated import iou, sides

Floats = NDArray[np.float64]

LEAST = 3
PARALLEL = 0.94
"""The cosine of the angle between two neighbours at least."""
OFF = 0.3
"""In tile lengths: by how much a neighbour may stand higher or lower."""
PITCH = (0.8, 1.35)
"""In tile widths: how far apart the middles of two neighbours are."""
MOSTLY, ALONE = 0.5, 0.33
"""Of the row more than the first have the half unread that is at the rack's edge, and the second that half alone: glare
and digits leave both unread."""
END_TO_END = (0.8, 1.75)
"""In tile lengths: how far apart the middles of two finds are that lie in line, a standing tile between them or not."""
STRIP = (0.06, 0.2)
"""Beyond a flank this much is looked at, in tile widths from it."""
SAME_BODY = 8.0
"""Levels of L*a*b* (L counts half) by which the same body may differ."""
GOES_ON, ENDS, PRINTED = 0.35, 0.1, 60.0
"""Beyond the one flank so much at least has the colour of the bodies and beyond the other so much at most, and the
brightness of the first varies by so many levels: a cloth of that colour and a tile's own flank do not."""
IN_SHADE, MOST_OF_THEM, NOTHING = 0.12, 0.04, 0.02
"""The same where the lip's shadow lies on the bodies of three finds and more: less of their colour, so much at least
beyond three of four, but nothing of it beyond any other flank, and dividing lines beyond each."""
BESIDE = 0.2
"""Other finds cover less of what lies beyond it."""
A_LINE, ALIKE, A_LIP = 8.0, 0.03, 0.05
"""The dividing lines of a row, of so many levels, lie off the middles to one side by so much at least, in tile lengths,
where a lip hides the lower ends; by as much in all of them but for the second."""
TOO_WIDE = 0.56
"""Tiles of a row are wider than this, for their length, where a lip hides an end. Where no lines tell which, a half
counts that is read as only what shows whole is: the lower half of what shows may be two pips, a pin and two pips."""
_SIDE = 64


def stood_up(picture: Picture, tiles: list[TileReading], known: KnownSet | None) -> list[TileReading]:
    """The same tiles; finds that are the upper halves of two are told apart, and what the lip may hide is unread."""
    return _behind_the_lip(picture, _upright(picture, tiles), known)


def _upright(picture: Picture, tiles: list[TileReading]) -> list[TileReading]:
    asked = [n for n, tile in enumerate(tiles) if tile.values is not None]
    if len(asked) < 2:
        return tiles
    quads = np.array([tiles[n].quad_px for n in asked], np.float64)
    middles, down = quads.mean(1), (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    long = np.linalg.norm(down, axis=1)
    unit, typical = down / long[:, None], float(np.median(long))
    apart = middles[None] - middles[:, None]
    along = np.abs((apart * unit[:, None]).sum(2))
    across = np.abs(apart[..., 0] * unit[:, None, 1] - apart[..., 1] * unit[:, None, 0])
    in_line = (across < OFF / 2 * typical) & (np.abs(unit @ unit.T) > PARALLEL)
    in_line &= (along > END_TO_END[0] * typical) & (along < END_TO_END[1] * typical)
    new: dict[int, int] = {}  # which flank the bodies go on at
    for row in _groups(in_line):
        if len(row) > 1:
            facing = np.where(unit[row] @ unit[row[0]] > 0, 0, 1)
            seen = np.array(
                [
                    _beyond(picture, tiles, asked[n])[:: -1 if turned else 1]
                    for n, turned in zip(row, facing, strict=True)
                ]
            )
            like, varies, taken = np.median(seen, axis=0).T
            side = int(like.argmax())
            goes_on = like[side] > GOES_ON and like[1 - side] < ENDS and varies[side] > PRINTED
            shaded = like[side] > IN_SHADE and np.quantile(seen[:, side, 0], 0.25) > MOST_OF_THEM
            divided = seen[:, 1 - side, 0].max() < NOTHING and seen[:, side, 1].min() > PRINTED
            goes_on |= len(row) >= LEAST and shaded and divided
            if goes_on and taken[side] < BESIDE:
                new |= {asked[n]: side ^ int(turned) for n, turned in zip(row, facing, strict=True)}
    out = [tile for n, tile in enumerate(tiles) if n not in new]
    there = np.array([tile.quad_px for tile in out], np.float32).reshape(-1, 4, 2)
    for n, side in new.items():
        for one in _two_of(tiles[n], side):
            if all(iou(quad, one.quad_px) < MOSTLY for quad in there):
                out.append(one)
    return out


def _beyond(picture: Picture, tiles: Sequence[TileReading], n: int) -> Floats:
    """(2, 3) of the flanks 1-2 and 0-3: which share of what lies beyond has the body's colour, by how many levels its
    brightness varies, and which share of it other finds cover."""
    quad, far = np.asarray(tiles[n].quad_px, np.float32), STRIP[1]
    cut = cut_wh(
        picture,
        tile_plane(quad, [(0, -far), (2, -far), (2, 1 + far), (0, 1 + far)]),
        (2 * _SIDE, round(_SIDE * (1 + 2 * far))),
    )
    lab = cv2.cvtColor(cut, cv2.COLOR_BGR2LAB).astype(np.float32) * np.array([0.5, 1, 1], np.float32)
    deep = round(far * _SIDE)
    body = np.median(lab[deep:-deep].reshape(-1, 3), axis=0)
    rows = round((far - STRIP[0]) * _SIDE)
    others = [np.asarray(tile.quad_px, np.float32) for k, tile in enumerate(tiles) if k != n]
    out = []
    for strip, y in ((lab[:rows], -far), (lab[-rows:], 1 + far)):
        same = np.linalg.norm(strip - body, axis=2) < SAME_BODY
        low, high = np.percentile(2 * strip[..., 0], (3, 97))
        points = tile_plane(quad, [(x, y) for x in (0.5, 1.0, 1.5)])
        taken = [any(cv2.pointPolygonTest(one, (float(u), float(v)), False) >= 0 for one in others) for u, v in points]
        out.append((float(same.mean()), float(high - low), float(np.mean(taken))))
    return np.array(out)


def _two_of(tile: TileReading, side: int) -> list[TileReading]:
    """The two that stand, of a find across their upper halves; their lower halves go on beyond its flank `side`."""
    out = []
    for k, half in enumerate(tile.halves or ()):
        x = (0.0, 1.0) if k == 0 else (1.0, 2.0)
        top, bottom = ((1.0, -1.0), (0.0, 2.0))[side]
        corners = [(x[0], top), (x[1], top), (x[1], bottom), (x[0], bottom)]
        quad = tile_plane(tile.quad_px, corners if side else [corners[n] for n in (1, 0, 3, 2)])
        out.append(TileReading(np.asarray(quad, np.float32), "up", (half, HalfReading(None, 0.0)), tile.confidence))
    return out


def _behind_the_lip(picture: Picture, tiles: list[TileReading], known: KnownSet | None) -> list[TileReading]:
    up = [n for n, tile in enumerate(tiles) if tile.halves is not None]
    out, values = list(tiles), tuple(range(19)) if known is None else known.values()
    if len(up) < LEAST:
        return out
    for row, facing in _racks([tiles[n] for n in up]):
        quads = np.array([tiles[up[n]].quad_px for n in row], np.float32)
        wide, long = np.sort(np.array(sides(quads)), axis=0)
        if len(row) < LEAST or np.median(wide / long) <= TOO_WIDE:
            continue
        lines = np.array([line_across(picture, quad) for quad in quads])
        shown = (lines[:, 1] * facing)[np.abs(lines[:, 0]) >= A_LINE]
        off = float(np.median(shown)) if len(shown) >= max(LEAST, MOSTLY * len(row)) else 0.0
        told = len(shown) > 0 and np.median(np.abs(shown - off)) <= ALIKE
        hidden = np.zeros((HALF_CELLS, HALF_CELLS), np.bool_)
        hidden[:, : round(HALF_CELLS * 2 * abs(off) / (0.5 + abs(off)))] = abs(off) >= A_LIP
        for k, n in enumerate(row):
            tile = tiles[up[n]]
            halves = [_sure(half) for half in tile.halves or ()]
            if told:
                halves, lower = list(tile.halves or ()), int(off * facing[k] > 0)
                value = halves[lower].value
                if value is not None and (
                    may_be_another(value, hidden, values) or (hidden.any() and _may_lack_a_row(value, values))
                ):
                    halves[lower] = HalfReading(None, 0.0)
            out[up[n]] = replace(tile, halves=(halves[0], halves[1]))
    return out


def _may_lack_a_row(value: int, values: Sequence[int]) -> bool:
    """Whether another of the values shows so many pips where the row at its outer end is hidden: in an outline that
    ends at the lip what is left stands wider apart, and a 12 looks like a 9."""
    for other in values:
        for points in prints_of(other) if other != value else ():
            outer = min((along for along, _ in points), default=0.0)
            if outer < 0 and sum(along > outer for along, _ in points) == value:
                return True
    return False


def _sure(half: HalfReading) -> HalfReading:
    return half if half.value is None or half.p >= SEEN_WHOLE else HalfReading(None, 0.0)


def standing(tiles: Sequence[TileReading]) -> str | None:
    """The sentence for people; None where no row has its lower ends hidden."""
    if len(tiles) < LEAST:
        return None
    row, facing = max(_racks(tiles), key=lambda one: len(one[0]))
    if len(row) < LEAST:
        return None
    unread = np.array([[half.value is None for half in tiles[n].halves or ()] or [True, True] for n in row])
    unread[facing < 0] = unread[facing < 0, ::-1]
    alone = [int((unread[:, end] & ~unread[:, 1 - end]).sum()) for end in (0, 1)]  # that end, and not the other
    at_lip = int(np.argmax(alone))
    hidden = int(unread[:, at_lip].sum())
    if alone[at_lip] < max(LEAST, ALONE * len(row)) or hidden <= MOSTLY * len(row):
        return None
    q = np.array([tiles[n].quad_px for n in row], np.float64)
    across = (q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3]) / 2 * facing[:, None]
    wide = float(np.median(np.linalg.norm(across, axis=1)))
    along = across.mean(0) / np.linalg.norm(across.mean(0))
    beside = np.sort(q.mean(1) @ along)
    steps = np.diff(beside)
    count = 1 + round(float(np.ptp(beside)) / float(np.median(steps[steps > PITCH[0] * wide])))
    return f"{count} tiles stand in a row and {hidden} of them have an end hidden; lift them out to read those"


def _racks(tiles: Sequence[TileReading]) -> list[tuple[list[int], Floats]]:
    """The rows of tiles that stand side by side, and which way round each stands, 1 or -1."""
    q = np.array([tile.quad_px for tile in tiles], np.float64)
    middles, down = q.mean(1), (q[:, 2] + q[:, 3] - q[:, 0] - q[:, 1]) / 2
    long = np.linalg.norm(down, axis=1)
    wide = float(np.median(np.linalg.norm(q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3], axis=1))) / 2
    unit = down / long[:, None]
    return [(row, np.sign(unit[row] @ unit[row[0]])) for row in _rows(middles, unit, float(np.median(long)), wide)]


def _rows(middles: Floats, unit: Floats, long: float, wide: float) -> list[list[int]]:
    """The groups of tiles that stand side by side."""
    apart = middles[None] - middles[:, None]
    along = np.abs((apart * unit[:, None]).sum(2))
    across = np.abs(apart[..., 0] * unit[:, None, 1] - apart[..., 1] * unit[:, None, 0])
    near = (along < OFF * long) & (across > PITCH[0] * wide) & (across < PITCH[1] * wide)
    near &= np.abs(unit @ unit.T) > PARALLEL
    return _groups(near)


def _groups(near: NDArray[np.bool_]) -> list[list[int]]:
    """The sets of numbers that are near to each other, directly or by others."""
    rows, left = [], set(range(len(near)))
    while left:
        row, found = [], [left.pop()]
        while found:
            n = found.pop()
            row.append(n)
            new = {int(m) for m in np.flatnonzero(near[n] | near[:, n])} & left
            left -= new
            found += new
        rows.append(sorted(row))
    return rows
