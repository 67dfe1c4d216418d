"""The slots printed on a hub look like markers, and markers wait beside stations: neither marks anybody's train."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bench.stand_ins.seen_tables import HUB, LENGTH, SETUP, back, eastward, tile, train, view
from companion.geometry import Trouble, reconstruct
from companion.geometry.layout import SeenHub, SeenMarker
from companion.perception.projection import LEAST_THING_CONFIDENCE, on_table
from companion.perception.tracks import ABSENT, Looked, TableMemory
from vision.calibration import Calibration
from vision.reading import Found, HalfReading, PictureReading, TileReading

EVERYWHERE = Looked()
CORNERS = np.array([[0, 0], [900, 0], [900, 600], [0, 600]], np.float32)
CALIBRATION = Calibration.from_corners(CORNERS, (900.0, 600.0), 0.0, size_wh=(900, 600))


def square(x: float, y: float, side: float) -> np.ndarray:
    return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * side / 2 + np.array([x, y], np.float32)


@pytest.mark.parametrize(
    ("place", "confidence", "believed"),
    [
        ((450, 350), 0.9, False),  # a slot within the rim
        ((450, 350), 0.99, True),
        ((450, 325), 0.99, False),  # beside the engine: a letter of the hub's name
        ((450, 380), 0.9, False),  # the outline of a dark hub is drawn too small
        ((450, 400), 0.9, True),  # beside the hub
    ],
)
def test_on_a_hub_only_what_is_surely_a_marker_is_one(
    place: tuple[float, float], confidence: float, believed: bool
) -> None:
    hub = Found(square(450, 300, 140), 0.9)
    reading = PictureReading((900, 600), (), (Found(square(*place, 25), confidence),), hub)
    (marker,) = on_table(reading, CALIBRATION, (50.0, 25.0, 10.0)).markers
    assert (marker.confidence >= LEAST_THING_CONFIDENCE) is believed


def test_a_hub_whose_middle_seems_to_lie_just_beyond_the_table_is_one() -> None:
    """Where the picture ends a hub is outlined as far as it is seen: its print is still no marker."""
    print_ = Found(square(4, 321, 25), 0.94)
    for middle, believed in (((-1, 300), False), ((-60, 300), True)):
        seen = on_table(
            PictureReading((900, 600), (), (print_,), Found(square(*middle, 100), 0.75)),
            CALIBRATION,
            (50.0, 25.0, 10.0),
        )
        assert (seen.hub is None) is believed
        assert (seen.markers[0].confidence >= LEAST_THING_CONFIDENCE) is believed


@pytest.mark.parametrize(
    ("values", "is_print"),
    [((None, None), True), ((0, 0), True), ((None, 0), True), ((12, None), False), ((3, 4), False)],
)
def test_the_gap_between_two_slots_of_a_hub_found_too_small_is_no_train(
    values: tuple[int | None, int | None], is_print: bool
) -> None:
    """It took the place of the train that begins before it, and that became a second Mexican train (162065)."""
    small = replace(HUB, radius_mm=47.0)
    turned = math.radians(25.0)
    gap = tile(600.0 + 43.0 * math.cos(turned), 450.0 + 43.0 * math.sin(turned), 25.0, *values)
    first = tile(684.0, 450.0, 0.0, 12, 5)
    layout = reconstruct(view([gap, first], hub=small), SETUP)
    if is_print:
        assert train(layout, "Ann") == "12-5" and train(layout, "MX") == "" and layout.loose == ()
    else:
        assert len([name for name in layout.trains if layout.trains[name]]) == 2
    alone = reconstruct(view([gap], hub=small), SETUP)
    assert len(alone.trains["Ann"]) == (values != (0, 0)), "a single blank at the rim is none from the first"
    later = reconstruct(view([gap, first], hub=small), SETUP, alone)
    assert (train(later, "Ann") == "12-5") is is_print


def test_a_gap_that_lies_across_is_no_train_either() -> None:
    """162094: it began no train's length nearer than the others, and yet it lay where none can."""
    small = replace(HUB, radius_mm=54.9)
    turned = math.radians(105.0)
    gap = tile(600.0 + 50.0 * math.cos(turned), 450.0 + 50.0 * math.sin(turned), 15.0, None, None)
    first = tile(660.0 + LENGTH / 2, 450.0, 0.0, 12, 5)
    layout = reconstruct(view([gap, first], hub=small), SETUP)
    assert train(layout, "Ann") == "12-5" and train(layout, "MX") == ""


def test_a_slot_on_the_hub_that_looks_like_a_back_is_none_of_the_boneyard() -> None:
    tiles = [back(200.0, 200.0), back(HUB.center_mm[0] - 45.0, HUB.center_mm[1] + 25.0, 30.0)]
    layout = reconstruct(view([*eastward([(12, 3)]), *tiles]), SETUP)
    assert layout.boneyard == 1
    beside = back(HUB.center_mm[0] - 80.0, HUB.center_mm[1] + 40.0)
    assert reconstruct(view([*eastward([(12, 3)]), tiles[0], beside]), SETUP).boneyard == 2


def test_what_lies_before_three_first_tiles_on_a_hub_is_its_print_at_first_sight() -> None:
    hub = Found(square(450, 300, 140), 0.9)
    places = [(450 + 55 * x, 300 + 55 * y) for x, y in ((1, 0), (-1, 0), (0, 1))]
    tiles = []
    for x, y in places:
        out = np.array([(x - 450) / 55, (y - 300) / 55])
        u, v, c = out * 25, out[::-1] * [-12, 12], np.array([450, 300]) + out * 100
        quad = np.array([c - u - v, c - u + v, c + u + v, c + u - v], np.float32)
        tiles.append(TileReading(quad, "up", (HalfReading(3, 0.99), HalfReading(4, 0.99)), 0.9))
    believed = []
    for some, known in ((3, None), (2, None), (3, SeenHub((450.0, 300.0), 70.0, 0.9))):
        slots = tuple(Found(square(*place, 25), 0.99) for place in places[:some])
        seen = on_table(PictureReading((900, 600), tuple(tiles), slots, hub), CALIBRATION, (50.0, 25.0, 10.0), known)
        assert len(seen.tiles) == 3
        believed.append(sum(marker.confidence >= LEAST_THING_CONFIDENCE for marker in seen.markers))
    assert believed == [0, 2, 3]


def test_a_hub_too_faint_to_be_believed_still_casts_doubt() -> None:
    hub = Found(square(450, 300, 140), 0.3)
    reading = PictureReading((900, 600), (), (Found(square(450, 350, 25), 0.9),), hub)
    seen = on_table(reading, CALIBRATION, (50.0, 25.0, 10.0))
    assert seen.hub is None
    assert seen.markers[0].confidence < LEAST_THING_CONFIDENCE


def test_a_hub_known_from_before_casts_doubt_where_it_is_not_found_now() -> None:
    reading = PictureReading((900, 600), (), (Found(square(450, 350, 25), 0.9),), None)
    known = SeenHub((450.0, 300.0), 70.0, 0.9)
    (marker,) = on_table(reading, CALIBRATION, (50.0, 25.0, 10.0), known).markers
    assert marker.confidence < LEAST_THING_CONFIDENCE


def test_where_a_hub_is_known_the_part_of_it_that_is_seen_now_does_not_tell_where_its_middle_is() -> None:
    known = SeenHub((450.0, 300.0), 70.0, 0.9)
    for part, known_hub, believed in ((0.9, known, True), (0.3, None, True), (0.9, None, False)):
        reading = PictureReading(
            (900, 600), (), (Found(square(450, 385, 25), 0.99),), Found(square(450, 370, 100), part)
        )
        (marker,) = on_table(reading, CALIBRATION, (50.0, 25.0, 10.0), known_hub).markers
        assert (marker.confidence >= LEAST_THING_CONFIDENCE) is believed


def test_without_a_hub_nothing_is_doubted() -> None:
    reading = PictureReading((900, 600), (), (Found(square(450, 350, 25), 0.6),), None)
    (marker,) = on_table(reading, CALIBRATION, (50.0, 25.0, 10.0)).markers
    assert marker.confidence == pytest.approx(0.6)


@pytest.mark.parametrize(("wide", "is_back", "is_face"), [(26, True, True), (34, True, False), (37, False, False)])
def test_a_back_may_be_outlined_with_its_side(wide: int, is_back: bool, is_face: bool) -> None:
    """Tiles here are 25 mm wide; a face is outlined by its print, a plain back with what is seen of its side."""
    quad = np.array([[400, 300 + wide], [400, 300], [450, 300], [450, 300 + wide]], np.float32)
    for face, halves, kept in (
        ("down", None, is_back),
        ("up", (HalfReading(3, 0.99), HalfReading(4, 0.99)), is_face),
    ):
        reading = PictureReading((900, 600), (TileReading(quad, face, halves, 0.9),), (), None)
        assert bool(on_table(reading, CALIBRATION, (50.0, 25.0, 10.0)).tiles) is kept


def test_what_looks_like_a_marker_before_anybody_has_begun_marks_nobody_until_it_moves() -> None:
    memory = TableMemory()
    slot, faint = SeenMarker((300.0, 300.0), 0.9), (200.0, 200.0)
    memory.see([], [slot, SeenMarker(faint, 0.3)], EVERYWHERE, 24.0)
    assert memory.park() and memory.seen_markers() == []
    memory.see([], [SeenMarker(faint, 0.9)], EVERYWHERE, 24.0)
    assert memory.seen_markers() == []
    memory.see([], [SeenMarker((303.0, 301.0), 0.95)], EVERYWHERE, 24.0)
    assert memory.seen_markers() == []
    moved = SeenMarker((340.0, 300.0), 0.9)
    memory.see([], [slot, moved], EVERYWHERE, 24.0)
    assert memory.seen_markers() == [moved]


def test_a_flower_of_the_cloth_that_looks_faintly_like_a_tile_is_no_play() -> None:
    memory = TableMemory()
    flower, engine = replace(tile(700.0, 200.0, 0.0, 1, 1), confidence=0.38), tile(300.0, 300.0, 0.0, 6, 6)
    pair = [replace(tile(x, 500.0, 0.0, 6, 4), confidence=0.38) for x in (400.0, 452.0)]
    memory.see([flower, engine, *pair], [], EVERYWHERE, 24.0)
    assert memory.park()
    assert [one.center_mm for one in memory.tiles()] == [one.center_mm for one in (engine, *pair)]
    memory.see([replace(flower, center_mm=(702.0, 201.0)), engine], [], EVERYWHERE, 24.0)
    assert flower.center_mm not in [one.center_mm for one in memory.tiles()] and len(memory.tiles()) == 3
    laid = replace(flower, confidence=0.8)
    memory.see([laid, engine], [], EVERYWHERE, 24.0)
    assert laid in [one.seen for one in memory.tracks], "a tile laid on it is one"


def test_the_engine_counts_however_faintly_it_is_found() -> None:
    memory = TableMemory()
    engine = replace(tile(300.0, 300.0, 0.0, 6, 6), confidence=0.38)
    memory.see([engine], [], EVERYWHERE, 24.0)
    assert not memory.park(engine.center_mm) and len(memory.tiles()) == 1


def test_one_marker_found_twice_is_remembered_once_and_can_be_lifted() -> None:
    memory = TableMemory()
    twice = [SeenMarker((165.0, 669.0), 0.88), SeenMarker((166.0, 679.0), 0.66)]
    memory.see([], twice, EVERYWHERE, 24.0)
    assert memory.seen_markers() == twice[:1]
    memory.see([], twice, EVERYWHERE, 24.0)
    assert len(memory.markers) == 1
    for _ in range(ABSENT):
        memory.see([], [], EVERYWHERE, 24.0)
    assert memory.missing_markers() == memory.markers


def test_of_trains_without_a_station_the_third_is_a_riddle_and_part_of_no_other() -> None:
    """Put together they would not meet, and a certain fault would be somebody's (162065)."""
    angles = (0.0, 32.0, -32.0, 64.0)
    tiles = []
    for n, angle in enumerate(angles):
        at = math.radians(angle)
        tiles.append(tile(600.0 + 86.0 * math.cos(at), 450.0 + 86.0 * math.sin(at), angle, 12, n + 1))
    layout = reconstruct(view(tiles), replace(SETUP, mexican_station=None))
    assert [len(row) for name, row in layout.trains.items() if name != "Ben"] == [1, 1, 1]
    assert len(layout.loose) == 1 and layout.has(Trouble.LOOSE_TILE)
