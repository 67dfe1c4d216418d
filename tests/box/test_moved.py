"""A camera that was away or was knocked: nothing is read before it is known where the table lies now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bench.stand_ins.cameras import open_troubled, set_mode, table_picture
from companion.app.table_place import ViewKeeper
from companion.supervise.camera import SupervisedCamera
from companion.supervise.pictures import AwayError, CameraState, Health
from vision.frame import Frame, Image

CORNERS = np.array([[40.0, 30.0], [280.0, 30.0], [280.0, 210.0], [40.0, 210.0]])
AWAY = AwayError(Health(CameraState.GONE, 0.0))
KNOCKED = AwayError(Health(CameraState.MOVED, 0.0))


class ToldCamera:
    def __init__(self) -> None:
        self.told: list[Image | None] = []

    def remember_view(self, image: Image | None) -> None:
        self.told.append(image)


def frame(shift: int = 0) -> Frame:
    return Frame(table_picture(shift), 0.0, "frame")


def test_a_knocked_camera_is_asked_for_pictures_again_and_the_table_is_measured_twice() -> None:
    camera = ToldCamera()
    keeper = ViewKeeper(camera)
    keeper.looks_right(frame())
    assert not keeper.in_doubt
    keeper.away(KNOCKED)
    assert keeper.in_doubt
    assert camera.told[-1] is None
    assert keeper.corners_now(frame(17), CORNERS) is None, "one picture may be from the middle of the movement"
    corners = keeper.corners_now(frame(17), CORNERS)
    assert corners is not None
    assert np.abs(corners - CORNERS - [17, 0]).max() < 1.0
    keeper.looks_right(frame(17))
    assert not keeper.in_doubt
    assert camera.told[-1] is not None


def test_a_camera_that_is_still_being_moved_is_waited_for() -> None:
    keeper = ViewKeeper(ToldCamera())
    keeper.looks_right(frame())
    keeper.away(AWAY)
    assert keeper.corners_now(frame(5), CORNERS) is None
    assert keeper.corners_now(frame(25), CORNERS) is None
    assert keeper.corners_now(frame(25), CORNERS) is not None


def test_what_cannot_be_compared_is_not_guessed() -> None:
    keeper = ViewKeeper(ToldCamera())
    keeper.looks_right(frame())
    keeper.away(AWAY)
    elsewhere = Frame(np.random.default_rng(2).integers(0, 255, (240, 320, 3), dtype=np.uint8), 0.0, "wall")
    assert keeper.corners_now(elsewhere, CORNERS) is None
    assert keeper.corners_now(elsewhere, CORNERS) is None
    keeper.corners_now(frame(), CORNERS)
    back = keeper.corners_now(frame(), CORNERS)
    assert back is not None, "put back where it was"
    assert np.abs(back - CORNERS).max() < 0.5


def test_a_recording_is_never_in_doubt() -> None:
    keeper = ViewKeeper(object())
    keeper.looks_right(frame())
    keeper.away(AWAY)
    assert not keeper.in_doubt


@pytest.fixture
def camera(tmp_path: Path) -> Iterator[SupervisedCamera]:
    set_mode(tmp_path, "good")
    with SupervisedCamera(f"usb:{tmp_path}", opener=open_troubled) as camera:
        yield camera


def next_picture(camera: SupervisedCamera, keeper: ViewKeeper) -> tuple[Frame, set[CameraState]]:
    """The next picture, and what was said before it came."""
    said = set()
    for _ in range(200):
        try:
            seen = camera.read()
        except AwayError as away:
            keeper.away(away)
            said.add(away.health.state)
        else:
            assert seen is not None
            return seen, said
    raise AssertionError("the camera stayed away")


def test_through_the_supervised_camera_a_knock_is_said_and_the_table_found_again(
    camera: SupervisedCamera, tmp_path: Path
) -> None:
    keeper = ViewKeeper(camera)
    first, _ = next_picture(camera, keeper)
    keeper.looks_right(first)
    set_mode(tmp_path, "moved")
    while not keeper.in_doubt:
        moved, said = next_picture(camera, keeper)
    assert CameraState.MOVED in said
    corners = keeper.corners_now(moved, CORNERS)
    while corners is None:
        moved, _ = next_picture(camera, keeper)
        corners = keeper.corners_now(moved, CORNERS)
    assert np.abs(corners - CORNERS - [17, 0]).max() < 1.0
    keeper.looks_right(moved)
    still, said = next_picture(camera, keeper)
    assert CameraState.MOVED not in said
    assert still.size_wh == (320, 240)
