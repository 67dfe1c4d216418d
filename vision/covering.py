"""A half under a marker or a coin shows nothing: whatever was read of it is not a reading.

And the other way round: what is read as clearly as print can be read has nothing lying on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.reading import Found, HalfReading, TileReading
from vision.rectify import half_corners
from vision.rotated import covered

COVERED = 0.25
"""From this share of a half on under one thing, its pips cannot be counted."""
BELIEVED = 0.5
"""A less sure marker covers nothing: print in a tile's middle may look like one."""
SURELY = 0.9
"""So surely a thing has to be found to hide a part of pips that are read clearly: letters printed on a board curl
beside tiles like a coin."""
CLEARLY, MOSTLY = 0.98, 0.5
"""A half with pips read at the first confidence has no marker on the second share of it that is found less surely: on
402 rendered tables, of seven such finds one was a marker. A plain chip may well be read as a blank."""


def bare(tiles: Sequence[TileReading], markers: Sequence[Found]) -> list[Found]:
    """The same markers; those that clearly read pips contradict are not believed."""
    clear = [
        (half_corners(tile.quad_px, n), half.p)
        for tile in tiles
        if tile.halves is not None
        for n, half in enumerate(tile.halves)
        if half.value and half.p >= CLEARLY
    ]
    out = list(markers)
    believed = [n for n, marker in enumerate(markers) if marker.confidence >= BELIEVED]
    if not clear or not believed:
        return out
    halves = np.array([quad for quad, _ in clear], np.float32)
    read = np.array([p for _, p in clear])
    for n in believed:
        hidden = covered(halves, np.asarray(markers[n].quad_px, np.float32)[None]) >= MOSTLY
        if (hidden & (read > markers[n].confidence)).any():
            out[n] = replace(markers[n], confidence=min(markers[n].confidence, BELIEVED - 0.01))
    return out


def uncovered(tiles: Sequence[TileReading], things: Sequence[Found]) -> list[TileReading]:
    """The same tiles, their halves unreadable where a thing lies on them; clear pips only where it surely is one."""
    believed = [thing for thing in things if thing.confidence >= BELIEVED]
    on_top = np.array([thing.quad_px for thing in believed], np.float32)
    plain = np.array([thing.quad_px for thing in believed if thing.confidence >= SURELY], np.float32)
    up = [n for n, tile in enumerate(tiles) if tile.halves is not None]
    out = list(tiles)
    if not len(on_top) or not up:
        return out
    halves = np.array([half_corners(tiles[n].quad_px, half) for n in up for half in (0, 1)], np.float32)
    hidden = covered(halves, on_top).reshape(-1, 2) >= COVERED
    clear = np.array([[bool(half.value) and half.p >= CLEARLY for half in tiles[n].halves or ()] for n in up])
    surely = covered(halves, plain.reshape(-1, 4, 2)).reshape(-1, 2) >= COVERED
    hidden &= surely | ~clear
    for n, (first, second) in zip(up, hidden.tolist(), strict=True):
        halves_of = tiles[n].halves
        if halves_of is not None and (first or second):
            a, b = halves_of
            out[n] = replace(tiles[n], halves=(_unread(a) if first else a, _unread(b) if second else b))
    return out


def _unread(half: HalfReading) -> HalfReading:
    return half if half.value is None else HalfReading(None, 0.0)
