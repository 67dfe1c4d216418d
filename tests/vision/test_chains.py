"""Gaps in chains of tiles: told from geometry, whatever the tiles show."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.chains import (
    as_found,
    cut_short,
    flanked,
    in_line,
    proposals,
    stretched,
)
from vision.detections import Detections, Kind, records
from vision.reading import CLASSES
from vision.rotated import area, shared

LONG, WIDE = 96.0, 48.0
Floats = NDArray[np.float32]


def tile(along: float, aside: float = 0.0, heading_deg: float = 0.0, chain_deg: float = 20.0) -> Floats:
    """A tile so many px along a chain that runs at `chain_deg`, turned by `heading_deg` against it."""
    chain, own = np.radians(chain_deg), np.radians(chain_deg + heading_deg)
    middle = np.array([500.0, 400.0]) + along * _unit(chain) + aside * _unit(chain + np.pi / 2)
    u, v = _unit(own) * LONG / 2, _unit(own + np.pi / 2) * WIDE / 2
    return np.array([middle - u + v, middle - u - v, middle + u - v, middle + u + v], np.float32)


def _unit(angle: float) -> NDArray[np.float64]:
    return np.array([np.cos(angle), np.sin(angle)])


def looked_at(*tiles: Floats) -> Floats:
    return proposals(np.stack(tiles)).quads


def is_among(places: Floats, wanted: Floats) -> bool:
    return any(shared(place, wanted) > 0.9 * area(wanted) for place in places)


def test_a_chain_without_gaps_asks_for_nothing() -> None:
    assert len(looked_at(tile(0), tile(LONG), tile(2 * LONG), tile(2.75 * LONG, heading_deg=90.0))) == 0
    assert len(looked_at(tile(0))) == 0
    assert len(proposals(np.zeros((0, 4, 2), np.float32)).quads) == 0


def test_a_whole_tile_that_is_missing_between_two_is_looked_for() -> None:
    places = looked_at(tile(0), tile(2 * LONG))
    assert is_among(places, tile(LONG))
    assert len(looked_at(tile(0), tile(3 * LONG))) == 0


def test_a_box_across_a_seam_is_tried_half_a_tile_on_either_side() -> None:
    """12-7 and 7-1 found as one tile 7-7; 2-12 before and 1-6 behind them lie as they were found."""
    found = np.stack([tile(0), tile(1.5 * LONG), tile(3 * LONG)])
    places = proposals(found)
    assert is_among(places.quads, tile(LONG)) and is_among(places.quads, tile(2 * LONG))
    moved = places.quads[places.moved]
    assert is_among(moved, tile(LONG)) and is_among(moved, tile(2 * LONG))


def test_several_tiles_out_of_step_are_all_moved() -> None:
    found = [tile(0), tile(1.5 * LONG), tile(2.5 * LONG), tile(4 * LONG)]
    places = looked_at(*found)
    assert all(is_among(places, tile(n * LONG)) for n in (1, 2, 3))


def test_a_gap_of_half_a_tile_may_hold_a_double_across() -> None:
    places = proposals(np.stack([tile(0), tile(1.5 * LONG)]))
    across = tile(0.75 * LONG, heading_deg=90.0)
    assert is_among(places.quads[~places.moved], across)
    # Mirrored outlines would be read as mirrored tiles.
    assert all(_turning(place) == _turning(tile(0)) for place in places.quads)


def _turning(quad: Floats) -> float:
    (ax, ay), (bx, by) = quad[1] - quad[0], quad[2] - quad[1]
    return float(np.sign(ax * by - ay * bx))


@pytest.mark.parametrize("heading_deg", [25.0, 45.0, 60.0])
def test_tiles_that_lie_askew_to_one_another_are_no_chain(heading_deg: float) -> None:
    """An engine and the first tile of a train, say: what lies between them is the table."""
    assert len(looked_at(tile(0), tile(1.6 * LONG, heading_deg=heading_deg))) == 0


def test_trains_side_by_side_have_no_gap_between_them() -> None:
    assert len(looked_at(tile(0), tile(1.25 * LONG, aside=0.8 * WIDE))) == 0


def test_a_tile_is_in_line_where_another_touches_one_of_its_ends() -> None:
    """A crosswise double touches its neighbours with its sides."""
    chain = [tile(0), tile(LONG), tile(1.75 * LONG, heading_deg=90.0)]
    assert in_line(np.stack([*chain, tile(6 * LONG)])).tolist() == [True, True, False, False]
    assert in_line(np.zeros((0, 4, 2), np.float32)).tolist() == []


def test_an_outline_of_one_tile_and_a_half_is_cut_from_either_end() -> None:
    half_more = tile(LONG / 4)
    u = _unit(np.radians(20.0)) * LONG / 4
    half_more = np.array([half_more[0] - u, half_more[1] - u, half_more[2] + u, half_more[3] + u], np.float32)
    which, pieces = cut_short(np.stack([tile(5 * LONG), half_more]))
    assert which.tolist() == [1, 1]
    assert np.allclose(pieces[0], tile(0), atol=0.01) and np.allclose(pieces[1], tile(LONG / 2), atol=0.01)


def test_nothing_is_cut_where_all_are_tiles() -> None:
    which, pieces = cut_short(np.stack([tile(0), tile(LONG)]))
    assert len(which) == 0 and pieces.shape == (0, 4, 2)


def test_a_place_thought_of_where_something_was_found_is_that_find() -> None:
    quads = np.stack([tile(0), tile(LONG), tile(LONG + 4), tile(1.5 * LONG), tile(3 * LONG)])
    kind = np.array([Kind.FACE_UP, Kind.FACE_DOWN, Kind.FACE_UP, Kind.FACE_UP, Kind.FACE_UP], np.int8)
    tiles = Detections(quads, kind, np.array([0.9, 0.7, 0.4, 0.3, 0.8], np.float32))
    finds = records(tiles, np.zeros((5, 2, CLASSES), np.float32))
    finds.seen[:2] = True
    same = as_found(finds)
    assert same.seen.tolist() == [True, True, True, False, False]
    assert same.confidence.tolist() == pytest.approx([0.9, 0.7, 0.7, 0.3, 0.8])
    assert same.kind.tolist() == [Kind.FACE_UP, Kind.FACE_DOWN, Kind.FACE_DOWN, Kind.FACE_UP, Kind.FACE_UP]


def test_a_double_across_its_chain_has_a_tile_at_either_long_side() -> None:
    across = tile(0.75 * LONG, heading_deg=90.0)
    chain = [across, tile(0), tile(1.5 * LONG)]
    assert flanked(np.stack(chain)).tolist() == [True, False, False]
    assert not flanked(np.stack(chain[:2])).any()
    # Rows of a boneyard lie flank to flank, and a chain may pass by the end of another's double.
    assert not flanked(np.stack([tile(0), tile(0, WIDE), tile(0, -WIDE)])).any()
    passing = tile(0.75 * LONG, LONG / 2, heading_deg=90.0)
    assert not flanked(np.stack([passing, tile(0), tile(1.5 * LONG)])).any()
    assert flanked(np.zeros((0, 4, 2), np.float32)).size == 0


def test_a_part_of_a_tile_is_one_end_of_it() -> None:
    """Half a tile, however its corners are numbered, is tried as either half of a tile along either axis."""
    first = tile(0)
    first[2:] = (first[2:] + first[[1, 0]]) / 2
    for turns in range(4):
        which, places = stretched(np.roll(first, turns, axis=0)[None], LONG)
        assert which.tolist() == [0] * 4 and is_among(places, tile(0)) and is_among(places, tile(-LONG / 2))
        assert np.allclose([area(place) for place in places], LONG * WIDE, rtol=0.01)
    assert len(stretched(np.zeros((0, 4, 2), np.float32), LONG)[1]) == 0
