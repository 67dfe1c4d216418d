"""An unrecognised thing on the table may be a marker: it is remembered, and counts for the owner of its train."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from bench.stand_ins.seen_tables import SETUP, back, eastward, tile, view
from companion.game.game import Game
from companion.geometry import reconstruct
from companion.geometry.diff import difference
from companion.geometry.layout import Point, SeenMarker, SeenTile
from companion.observing.game_sink import GameSink
from companion.perception.background import BackgroundModel, Blobs, SmallPicture
from companion.perception.marker_evidence import PresumedMarkers, StillLook, in_time
from companion.perception.projection import LEAST_THING_CONFIDENCE, on_table, square_of
from companion.perception.setup_file import setup_from_json
from companion.perception.tracks import Looked, MarkerTrack, TableMemory
from companion.rules.notation import Drawing
from companion.rules.tile import double_set
from tests.shown import state_of
from vision.calibration import Calibration
from vision.reading import HalfReading, PictureReading, TileReading

SIZE = (1200.0, 900.0)
CORNERS = np.array([[0, 0], [1200, 0], [1200, 900], [0, 900]], np.float32)
CALIBRATION = Calibration.from_corners(CORNERS, SIZE, 0.0, size_wh=(1200, 900))


@cache
def cloth(light: int) -> NDArray[np.uint8]:
    rng = np.random.default_rng(4)
    return rng.normal(120 + light, 3, (900, 1200, 3)).clip(0, 255).astype(np.uint8)


def table(*things: tuple[Point, int], light: int = 0) -> NDArray[np.uint8]:
    """A grey cloth, 1 px a millimetre, with round things (place, radius) on it."""
    picture = cloth(light).copy()
    for (x, y), radius in things:
        cv2.circle(picture, (int(x), int(y)), radius, (40, 40, 160), -1)
    return picture


def near(places: tuple[Point, ...], place: Point) -> bool:
    return any(np.hypot(x - place[0], y - place[1]) < 5 for x, y in places)


def test_a_half_that_was_refused_may_be_anything_on_the_table() -> None:
    """The guess offered in a question about a photograph is no evidence: a 6 with two pips under a toy reads as a 4."""
    quad = np.float32([[100, 120], [100, 96], [148, 96], [148, 120]])
    open_half, refused = HalfReading(None, 0.6, ((4, 0.6), (2, 0.3))), HalfReading(4, 0.99).refused()
    seen = on_table(
        PictureReading((1200, 900), (TileReading(quad, "up", (open_half, refused), 0.9),)), CALIBRATION, (48, 24, 9)
    )
    (lying,) = seen.tiles
    assert lying.halves is not None
    assert [half.others for half in lying.halves] == [open_half.others, ()]


def test_a_small_new_thing_is_remembered_until_it_is_lifted() -> None:
    things = Blobs()
    things.keep(SmallPicture.of(table(), CALIBRATION), [])
    assert things.places == ()
    coin = ((400.0, 300.0), 9)
    assert near(things.now(SmallPicture.of(table(coin), CALIBRATION), []), coin[0])
    things.keep(SmallPicture.of(table(coin), CALIBRATION), [])
    things.keep(SmallPicture.of(table(coin, light=9), CALIBRATION), [])
    assert near(things.places, coin[0]) and len(things.places) == 1
    assert not things.recent(coin[0]) and things.recent((700.0, 300.0))
    things.keep(SmallPicture.of(table(), CALIBRATION), [])
    assert things.places == ()


def test_tiles_cups_and_another_light_are_no_such_things() -> None:
    things = Blobs()
    things.keep(SmallPicture.of(table(), CALIBRATION), [])
    laid = tile(700.0, 500.0, 0.0, 3, 4)
    seen = table(((700.0, 500.0), 12), ((250.0, 250.0), 60), light=30)
    assert things.now(SmallPicture.of(seen, CALIBRATION), [laid]) == ()
    things.keep(SmallPicture.of(seen, CALIBRATION), [laid])
    # Where the tile was taken away nothing new lies.
    gone: list[SeenTile] = []
    assert things.now(SmallPicture.of(table(((250.0, 250.0), 60), light=30), CALIBRATION), gone) == ()


def test_a_missing_marker_is_not_alleged_where_something_lies(tmp_path: Path) -> None:
    """Ann passes and puts something beside her train that nobody recognises; Ben plays on it."""
    accused, marked = [], []
    for maybe in (frozenset[str](), frozenset({"Ann"})):
        setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
        session = Game.create(tmp_path / f"{len(accused)}.jsonl", setup.header)
        session.start_round((12, 12), "Ann", draws_seen=False)
        sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
        first, second = eastward([(12, 5), (5, 9)])
        ben = tile(515.0, 450.0, 180.0, 12, 7)
        tables = [[], [first], [first, ben], [first, ben, second, tile(467.0, 450.0, 180.0, 7, 1)]]
        layouts = [reconstruct(view([]), SETUP)]
        for lying in tables[1:]:
            layouts.append(reconstruct(view(lying), SETUP, layouts[-1]))
        for before, after in itertools.pairwise(layouts):
            sink.record(replace(difference(before, after), maybe_marked=maybe), after, "")
        # Both have played; now Ben lays on Ann's train although no marker was seen there.
        third = [*tables[-1], eastward([(12, 5), (5, 9), (9, 2)])[2], eastward([(12, 5), (5, 9), (9, 2), (2, 3)])[3]]
        after = reconstruct(view(third), SETUP, layouts[-1])
        sink.record(replace(difference(layouts[-1], after), maybe_marked=maybe), after, "")
        plays = state_of(session)["plays"]
        accused.append(any(play.get("violations") for play in plays))
        marked.append("Ann" in sink.marked())
        session.close()
    assert accused == [True, False]
    assert marked == [False, True]


@pytest.mark.parametrize(
    ("maybe", "arm", "marked"),
    [
        ((), None, False),
        (("Ann",), None, True),
        (("Ann",), "Ann", True),
        (("Ann",), "Ben", False),
        (("Ann", "Ben"), None, False),
    ],
)
def test_what_comes_beside_the_train_of_who_draws_is_a_marker(
    tmp_path: Path, maybe: tuple[str, ...], arm: str | None, marked: bool
) -> None:
    """Ann has the turn, draws, and beside her train lies something new that nobody recognises. Where the arm over the
    draw is clearly Ben's, she did not."""
    setup = setup_from_json({"rules": "reeves", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "g.jsonl", setup.header)
    session.start_round((12, 12), "Ann", draws_seen=True)
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
    ann, ben = eastward([(12, 5)])[0], tile(515.0, 450.0, 180.0, 12, 7)
    boneyard = [back(100, 100), back(160, 100)]
    before = reconstruct(view(boneyard), SETUP)
    for lying in ([ann, *boneyard], [ann, ben, *boneyard], [ann, ben, boneyard[0]]):
        after = reconstruct(view(lying), SETUP, before)
        drawn = after.boneyard == 1
        seen = replace(difference(before, after), maybe_marked=frozenset(maybe if drawn else ()))
        sink.record(replace(seen, whose={Drawing(1): arm} if drawn and arm else {}), after, "")
        before = after
    assert ("Ann" in sink.marked()) == marked
    session.close()


def test_a_pattern_that_was_always_there_has_not_changed() -> None:
    things = Blobs()
    printed = ((500.0, 300.0), 9)
    assert things.changed(SmallPicture.of(table(printed), CALIBRATION), printed[0])  # nothing to compare with yet
    things.keep(SmallPicture.of(table(printed), CALIBRATION), [])
    assert not things.changed(SmallPicture.of(table(printed, light=6), CALIBRATION), printed[0])
    coin = ((420.0, 640.0), 9)
    assert things.changed(SmallPicture.of(table(printed, coin), CALIBRATION), coin[0])


def test_a_figure_of_the_cloth_is_no_marker_when_a_tile_is_laid_on_part_of_it() -> None:
    """The tile's shadow changes what is left of a flower, and it passed for a marker beside the first train."""
    flower, laid, coin = ((500.0, 303.0), 9), tile(500.0, 286.0, 0.0, 3, 4), ((548.0, 303.0), 9)
    cloth, now = table(flower), table(flower, coin)
    now[290:320, 470:590] = (now[290:320, 470:590] * 0.75).astype(np.uint8)
    cv2.rectangle(now, (476, 274), (524, 298), (235, 240, 240), -1)
    things = Blobs()
    things.keep(SmallPicture.of(cloth, CALIBRATION), [])
    place = StillLook(SmallPicture.of(now, CALIBRATION), 24.0, things, BackgroundModel())
    beside = SeenMarker(flower[0], 0.77), SeenMarker(coin[0], 0.9)
    assert all(things.changed(SmallPicture.of(now, CALIBRATION), one.center_mm) for one in beside)
    assert in_time(beside, [laid], TableMemory(known=1), Looked(), place) == [beside[1]]


def test_a_marker_was_lifted_where_only_its_own_place_changed() -> None:
    coin = ((400.0, 300.0), 9)
    things = Blobs()
    things.keep(SmallPicture.of(table(coin), CALIBRATION), [])
    assert things.only_here(SmallPicture.of(table(), CALIBRATION), coin[0])
    assert not things.only_here(SmallPicture.of(table(coin, light=8), CALIBRATION), coin[0]), "it lies there still"
    assert not things.only_here(SmallPicture.of(table(((405.0, 300.0), 60)), CALIBRATION), coin[0]), (
        "a cup stands on it"
    )


def test_a_thing_taken_for_a_marker_goes_when_the_marker_is_found() -> None:
    first, second = eastward([(12, 5), (5, 9)])
    lying = view([first, second])
    before = reconstruct(lying, SETUP)
    owner = next(name for name, train in before.trains.items() if train)
    beside = (second.center_mm[0], second.center_mm[1] + 25.0)
    supposed, memory = PresumedMarkers(), TableMemory()
    assert supposed.look([beside], [beside], (), SETUP, before, before) == frozenset()
    assert supposed.look([beside], [beside], [owner], SETUP, before, before) == {owner}
    assert supposed.look([beside], [], (), SETUP, before, before) == {owner}
    supposed.take({owner}, memory)
    assert [one.seen.center_mm for one in memory.markers] == [beside]
    assert not supposed.drop_needless(memory, SETUP, before, before)
    assert len(memory.markers) == 1, "nothing else speaks for the owner yet"
    real = MarkerTrack(SeenMarker((first.center_mm[0], first.center_mm[1] + 25.0), 0.9), 1)
    memory.markers.append(real)
    assert supposed.drop_needless(memory, SETUP, before, before)
    assert memory.markers == [real]


def test_what_lies_on_a_tile_is_no_second_marker_of_its_owner() -> None:
    first, second = eastward([(12, 5), (5, 9)])
    before = reconstruct(view([first, second]), SETUP)
    thing = MarkerTrack(SeenMarker(second.center_mm, 0.5, recognised=False), 1)
    real = MarkerTrack(SeenMarker((first.center_mm[0], first.center_mm[1] + 25.0), 0.9), 1)
    memory = TableMemory(markers=[thing, real])
    real.missing = 1
    assert not PresumedMarkers().drop_needless(memory, SETUP, before, before), "the marker may have been moved there"
    real.missing = 0
    assert PresumedMarkers().drop_needless(memory, SETUP, before, before)
    assert memory.markers == [real]


TRAIN_TILE = tile(400.0, 300.0, 0.0, 5, 3)


def with_a_tile(picture: NDArray[np.uint8], at: Point = (400.0, 300.0)) -> NDArray[np.uint8]:
    """The same with a white tile of two rows of pips lying there."""
    x, y = int(at[0]), int(at[1])
    cv2.rectangle(picture, (x - 24, y - 12), (x + 24, y + 12), (235, 235, 235), -1)
    for dx in (-16, -6, 6, 16):
        for dy in (-6, 6):
            cv2.circle(picture, (x + dx, y + dy), 2, (20, 20, 20), -1)
    return picture


def markers_on(
    picture: NDArray[np.uint8], things: Blobs, lying: SeenTile = TRAIN_TILE, *seen: SeenMarker
) -> list[SeenMarker]:
    place = StillLook(SmallPicture.of(picture, CALIBRATION), 24.0, things, BackgroundModel())
    return in_time(seen, [lying], TableMemory(known=1), Looked(), place)


def on_the_tile(picture: NDArray[np.uint8], lying: SeenTile = TRAIN_TILE) -> list[SeenMarker]:
    things = Blobs()
    things.keep(SmallPicture.of(with_a_tile(table()), CALIBRATION), [TRAIN_TILE])
    return markers_on(picture, things, lying)


def test_what_comes_to_lie_on_a_tile_is_a_marker() -> None:
    picture = with_a_tile(table())
    cv2.circle(picture, (408, 301), 9, (40, 40, 160), -1)
    (marker,) = on_the_tile(picture)
    assert near((marker.center_mm,), (408.0, 301.0))


def test_a_ring_on_a_tile_is_one_though_its_middle_looks_as_before() -> None:
    picture = with_a_tile(table())
    cv2.circle(picture, (410, 300), 10, (40, 40, 200), 4)
    (marker,) = on_the_tile(picture)
    assert near((marker.center_mm,), (410.0, 300.0))


def test_a_toy_over_a_whole_half_stands_out_from_the_tile_and_not_from_the_table() -> None:
    """A white half on a dark table stands out more than the grey toy that covers it."""
    bare = table() // 4
    for picture in (bare, covered := bare.copy()):
        cv2.rectangle(picture, (376, 288), (424, 312), (235, 235, 235), -1)
    cv2.rectangle(covered, (402, 289), (422, 311), (150, 150, 150), -1)
    things = Blobs()
    things.keep(SmallPicture.of(bare, CALIBRATION), [TRAIN_TILE])
    (marker,) = markers_on(covered, things)
    assert near((marker.center_mm,), (412.0, 300.0))
    lifted = Blobs()
    lifted.keep(SmallPicture.of(covered, CALIBRATION), [TRAIN_TILE])
    assert markers_on(bare, lifted) == []


def test_an_outline_that_wavers_under_a_marker_hides_it_not() -> None:
    picture = with_a_tile(table())
    cv2.circle(picture, (408, 301), 9, (40, 40, 160), -1)
    assert len(on_the_tile(picture, replace(TRAIN_TILE, center_mm=(396.0, 301.0)))) == 1


def test_a_marker_that_was_recognised_there_is_none_more() -> None:
    picture = with_a_tile(table())
    cv2.circle(picture, (408, 301), 9, (40, 40, 160), -1)
    things = Blobs()
    things.keep(SmallPicture.of(with_a_tile(table()), CALIBRATION), [TRAIN_TILE])
    seen = SeenMarker((407.0, 300.0), 0.9)
    assert markers_on(picture, things, TRAIN_TILE, seen) == [seen]
    faint = replace(seen, confidence=0.4)
    (found,) = markers_on(picture, things, TRAIN_TILE, faint)
    assert found.confidence >= LEAST_THING_CONFIDENCE, "it takes nothing from the thing"


def test_shadows_nudges_and_new_tiles_are_no_markers() -> None:
    shaded = with_a_tile(table())
    shaded[250:350, 380:480] = shaded[250:350, 380:480] // 2
    assert on_the_tile(shaded) == []
    for nudged in ((401.0, 301.0), (404.0, 300.0), (400.0, 304.0), (403.0, 303.0)):
        assert on_the_tile(with_a_tile(table(), nudged), replace(TRAIN_TILE, center_mm=nudged)) == []
    moved = replace(TRAIN_TILE, center_mm=(400.0, 314.0))
    assert on_the_tile(with_a_tile(table(), (400.0, 314.0)), moved) == []


def test_a_marker_taken_from_a_tile_is_not_seen_there() -> None:
    picture = with_a_tile(table())
    cv2.circle(picture, (408, 301), 9, (40, 40, 160), -1)
    things = Blobs()
    things.keep(SmallPicture.of(picture, CALIBRATION), [TRAIN_TILE])
    assert markers_on(with_a_tile(table()), things) == []


def test_what_a_lifted_marker_had_covered_is_no_marker() -> None:
    """It lay half on the tile, hiding pips; they stand out from the tile as a marker would."""
    picture = with_a_tile(table())
    cv2.circle(picture, (408, 312), 12, (140, 160, 200), -1)
    bared = with_a_tile(table())
    cv2.circle(bared, (408, 305), 6, (20, 20, 20), -1)
    unknown, known = Blobs(), Blobs()
    unknown.keep(SmallPicture.of(picture, CALIBRATION), [TRAIN_TILE])
    known.keep(SmallPicture.of(picture, CALIBRATION), [TRAIN_TILE, square_of(SeenMarker((408.0, 312.0), 0.9), 24.0)])
    assert len(markers_on(bared, unknown)) == 1
    assert markers_on(bared, known) == []


def test_a_light_that_falls_on_several_tiles_lays_no_markers() -> None:
    second = tile(600.0, 300.0, 0.0, 5, 3)
    before = with_a_tile(with_a_tile(table()), (600.0, 300.0))
    things = Blobs()
    things.keep(SmallPicture.of(before, CALIBRATION), [TRAIN_TILE, second])
    lit = before.copy()
    for x in (408, 608):
        cv2.circle(lit, (x, 301), 9, (120, 120, 120), -1)
    place = StillLook(SmallPicture.of(lit, CALIBRATION), 24.0, things, BackgroundModel())
    assert in_time([], [TRAIN_TILE, second], TableMemory(known=1), Looked(), place) == []


def test_what_does_not_look_like_a_marker_proves_no_fault() -> None:
    """The game takes it for a marker, but accuses nobody of putting it there."""
    bare = reconstruct(view(eastward([(12, 5)])), SETUP)
    thing = SeenMarker((684.0, 450.0), 0.5, recognised=False)
    marked = reconstruct(replace(view(eastward([(12, 5)])), markers=(thing,)), SETUP, bare)
    assert marked.markers == marked.supposed == {"Ann"}
    assert difference(bare, marked).clouded
    plain = reconstruct(replace(view(eastward([(12, 5)])), markers=(replace(thing, recognised=True),)), SETUP, bare)
    assert plain.markers == {"Ann"} and not plain.supposed
    assert not difference(bare, plain).clouded
    assert not difference(marked, marked).clouded


def lying_on_a_tile(now: NDArray[np.uint8], seen_at: Point = (408.0, 301.0)) -> bool:
    """Is a marker that was seen on a train's tile, and is not found now, held to lie there still?"""
    before = with_a_tile(table())
    cv2.circle(before, (408, 301), 9, (40, 40, 160), -1)
    things, bare = Blobs(), BackgroundModel()
    things.keep(SmallPicture.of(before, CALIBRATION), [TRAIN_TILE])
    bare.learn(SmallPicture.of(before, CALIBRATION), [TRAIN_TILE])
    track = MarkerTrack(SeenMarker(seen_at, 0.5, recognised=False), 2, 2)
    return not StillLook(SmallPicture.of(now, CALIBRATION), 24.0, things, bare).is_empty(track, [track], [TRAIN_TILE])


def test_a_marker_on_a_tile_is_lifted_when_it_is_gone_and_not_when_the_light_changes() -> None:
    marked = with_a_tile(table())
    cv2.circle(marked, (408, 301), 9, (40, 40, 160), -1)
    assert lying_on_a_tile(marked)
    darker = marked.copy()
    darker[200:400, 300:500] = darker[200:400, 300:500] // 2
    assert lying_on_a_tile(darker)
    assert not lying_on_a_tile(with_a_tile(table()))


def test_a_marker_is_seen_to_go_although_a_tile_is_laid_beside_it() -> None:
    picture = with_a_tile(with_a_tile(table()), (449.0, 300.0))
    assert not lying_on_a_tile(picture)
    cv2.circle(picture, (409, 302), 9, (40, 40, 160), -1)
    assert lying_on_a_tile(picture)


def half_beside_the_tile(now: NDArray[np.uint8]) -> bool:
    """Is a marker that lay over the tile's long side, half on the table, held to lie there still?"""
    before = with_a_tile(table())
    cv2.circle(before, (408, 314), 12, (110, 60, 20), -1)
    things, bare = Blobs(), BackgroundModel()
    things.keep(SmallPicture.of(before, CALIBRATION), [TRAIN_TILE])
    bare.learn(SmallPicture.of(with_a_tile(table()), CALIBRATION), [TRAIN_TILE])
    track = MarkerTrack(SeenMarker((408.0, 314.0), 0.9), 2, 2)
    return not StillLook(SmallPicture.of(now, CALIBRATION), 24.0, things, bare).is_empty(track, [track], [TRAIN_TILE])


def test_a_marker_that_reached_over_a_tiles_edge_is_lifted_when_the_table_shows_there() -> None:
    assert not half_beside_the_tile(with_a_tile(table()))
    marked = with_a_tile(table())
    cv2.circle(marked, (408, 314), 12, (110, 60, 20), -1)
    assert half_beside_the_tile(marked)
    cv2.circle(marked, (408, 314), 12, (130, 80, 40), -1)
    assert half_beside_the_tile(marked)


BETWEEN = (434.0, 319.0)
NEXT_TRAIN = tile(400.0, 338.0, 0.0, 2, 6)


def ends_of_two_trains(coin: bool, lamp: float = 1.0) -> NDArray[np.uint8]:
    """Two tiles 14 mm apart and a light patch of the cloth, on which a coin may lie between their ends."""
    picture = table()
    picture[270:370, 376:480] = picture[270:370, 376:480] // 3 + 160
    for at in ((400.0, 300.0), (400.0, 338.0)):
        picture = with_a_tile(picture, at)
    if coin:
        cv2.circle(picture, (434, 319), 9, (20, 20, 60), -1)
    return np.asarray(picture * lamp, np.uint8)


def lies_between(now: NDArray[np.uint8], found: list[SeenTile]) -> bool:
    things, bare = Blobs(), BackgroundModel()
    track = MarkerTrack(SeenMarker(BETWEEN, 0.9), 2, 2)
    known = [TRAIN_TILE, NEXT_TRAIN, square_of(track.seen, 24.0)]
    things.keep(SmallPicture.of(ends_of_two_trains(True), CALIBRATION), known)
    bare.learn(SmallPicture.of(ends_of_two_trains(True), CALIBRATION), known)
    lifted = StillLook(SmallPicture.of(now, CALIBRATION), 24.0, things, bare)
    return not lifted.is_empty(track, [track], [TRAIN_TILE, NEXT_TRAIN], found)


def test_a_marker_between_two_tiles_has_gone_where_both_are_found_and_it_is_not() -> None:
    empty = ends_of_two_trains(False, lamp=0.6)
    assert not lies_between(empty, [TRAIN_TILE, NEXT_TRAIN])
    # A cup may stand there: one of the tiles is not found either.
    assert lies_between(empty, [NEXT_TRAIN])
    assert lies_between(ends_of_two_trains(True, lamp=0.6), [TRAIN_TILE, NEXT_TRAIN])


def test_a_marker_on_a_tile_outlives_a_bump_of_the_camera() -> None:
    """Nothing is known of the table as it was then, so nothing has gone from it."""
    track = MarkerTrack(SeenMarker((408.0, 301.0), 0.5, recognised=False), 2, 2)
    lifted = StillLook(SmallPicture.of(with_a_tile(table()), CALIBRATION), 24.0, Blobs(), BackgroundModel())
    assert not lifted.is_empty(track, [track], [TRAIN_TILE])
