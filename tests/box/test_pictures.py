"""The judge of pictures: what is a fault, and what at a table is none."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import cv2
import numpy as np
import pytest

from bench.stand_ins.cameras import table_picture
from companion.supervise.pictures import (
    MOVED_FRAMES,
    AwayError,
    CameraState,
    JudgedFilm,
    PictureJudge,
    judged,
    to_remember,
)
from hardware.camera.source import FrameSource
from tests.lanes import nightly
from vision.frame import Frame, Image, reduced


@cache
def some_grain(size: int, most: int) -> Image:
    return np.random.default_rng(1).integers(0, most, size, dtype=np.uint8)


def grain_of(shape: tuple[int, ...], number: int, most: int) -> Image:
    """Noise of a picture, another for each number: one row of noise, begun elsewhere each time."""
    size = math.prod(shape)
    return some_grain(size + 40 * 7919, most)[number % 40 * 7919 :][:size].reshape(shape)


def film(pictures: Iterable[Image], *, noise: bool = True, every_s: float = 0.2) -> list[Frame]:
    frames = []
    for number, picture in enumerate(pictures):
        grain = grain_of(picture.shape, number, 3) if noise else np.zeros_like(picture)
        frames.append(Frame(np.minimum(picture, 252) + grain, number * every_s, str(number)))
    return frames


def verdicts(judge: PictureJudge, frames: list[Frame]) -> list[CameraState | None]:
    return [judge.see(frame) for frame in frames]


def test_a_table_is_no_fault() -> None:
    assert set(verdicts(PictureJudge(), film([table_picture()] * 30))) == {None}


def test_a_frozen_picture_is_noticed_within_3_seconds_and_a_thawed_one_trusted_again() -> None:
    judge = PictureJudge()
    frozen = verdicts(judge, film([table_picture()] * 20, noise=False))
    first = frozen.index(CameraState.FROZEN)
    assert first * 0.2 < 3.0
    assert set(frozen[first:]) == {CameraState.FROZEN}
    thawed = verdicts(judge, film([table_picture()] * 5))
    assert thawed[-1] is None


def test_a_camera_restarted_for_freezing_must_show_a_second_picture_first() -> None:
    judge = PictureJudge(after=CameraState.FROZEN)
    assert set(verdicts(judge, film([table_picture()] * 9, noise=False))) == {CameraState.FROZEN}
    assert verdicts(judge, film([table_picture()] * 4))[-1] is None


def test_a_covered_lens_is_black_and_never_frozen() -> None:
    covered = film([np.zeros((240, 320, 3), np.uint8)] * 30, noise=False)
    assert set(verdicts(PictureJudge(), covered)) == {CameraState.BLACK}
    knows_the_table = PictureJudge()
    knows_the_table.remember_view(table_picture())
    assert set(verdicts(knows_the_table, film([np.zeros((240, 320, 3), np.uint8)] * 30))) == {CameraState.BLACK}


def test_a_lamp_into_the_lens_is_overexposed_but_a_sheet_of_paper_is_not() -> None:
    white = film([np.full((240, 320, 3), 255, np.uint8)] * 3)
    assert set(verdicts(PictureJudge(), white)) == {CameraState.OVEREXPOSED}
    paper = table_picture()
    paper[40:180, 40:200] = 255
    assert set(verdicts(PictureJudge(), film([paper] * 3))) == {None}


def test_a_bumped_camera_has_moved_and_says_so_until_it_is_calibrated_again() -> None:
    judge = PictureJudge()
    judge.remember_view(table_picture())
    assert set(verdicts(judge, film([table_picture()] * 10))) == {None}
    moved = verdicts(judge, film([table_picture(shift=9)] * 10))
    assert moved[-1] is CameraState.MOVED
    assert moved.index(CameraState.MOVED) == MOVED_FRAMES - 1
    judge.remember_view(table_picture(shift=9))
    assert verdicts(judge, film([table_picture(shift=9)] * 4))[-1] is None


CAMERAS = [nightly((2028, 1520)), nightly((4608, 2592)), (1456, 1088)]


@pytest.mark.slow
@pytest.mark.parametrize("size_wh", CAMERAS, ids=lambda wh: "x".join(map(str, wh)))
def test_the_view_is_remembered_small_and_compared_whatever_the_camera_size(size_wh: tuple[int, int]) -> None:
    def picture(shift: int) -> Image:
        return np.asarray(cv2.resize(table_picture(shift), size_wh, interpolation=cv2.INTER_LINEAR), np.uint8)

    for view in (to_remember(picture(0)), reduced(picture(0), (640, round(640 * size_wh[1] / size_wh[0])))[0]):
        judge = PictureJudge()
        judge.remember_view(view)
        assert set(verdicts(judge, film([picture(0)] * 6))) == {None}
        assert verdicts(judge, film([picture(6)] * 6))[-1] is CameraState.MOVED
    # It has to fit into a pipe that is emptied once a picture.
    assert to_remember(picture(0)).nbytes < 200_000


@pytest.mark.parametrize("what", ["hand", "tiles", "lamp"])
def test_a_hand_new_tiles_and_a_lamp_are_no_movement_of_the_camera(what: str) -> None:
    judge = PictureJudge()
    judge.remember_view(table_picture())
    pictures = []
    for number in range(25):
        picture = table_picture().astype(np.int16)
        if what == "hand":
            picture[: 60 + 6 * number, 100:190] = (120, 140, 190)
        elif what == "tiles":
            for tile in range(number):
                picture[20 + 8 * tile : 26 + 8 * tile, 150:170] = 240
        else:
            picture = picture * (100 - 2 * number) // 100
        pictures.append(np.clip(picture, 0, 255).astype(np.uint8))
    assert set(verdicts(judge, film(pictures))) == {None}


def test_a_recording_is_taken_as_it_is() -> None:
    judge = PictureJudge(live=False)
    still = film([np.zeros((240, 320, 3), np.uint8)] * 30, noise=False)
    assert set(verdicts(judge, still)) == {None}


def turned(picture: Image, degrees: float) -> Image:
    h, w = picture.shape[:2]
    turn = cv2.getRotationMatrix2D((w / 2, h / 2), degrees, 1.0)
    return np.asarray(cv2.warpAffine(picture, turn, (w, h), borderMode=cv2.BORDER_REFLECT), np.uint8)


def seen(judge: PictureJudge, picture: Image, frames: int = 24) -> list[CameraState | None]:
    """The judge's answers over three seconds of a still, noisy table."""
    return [
        judge.see(Frame(np.minimum(picture, 252) + grain_of(picture.shape, n, 4), n / 8, f"{n}")) for n in range(frames)
    ]


@pytest.mark.parametrize("degrees", [3, nightly(-3), nightly(5), 8, nightly(12), -12])
def test_a_camera_that_was_turned_by_some_degrees_is_noticed(degrees: float) -> None:
    judge = PictureJudge()
    judge.remember_view(table_picture())
    assert seen(judge, turned(table_picture(), degrees))[-1] is CameraState.MOVED


def test_a_camera_that_hangs_still_is_not_turned() -> None:
    judge = PictureJudge()
    judge.remember_view(table_picture())
    assert set(seen(judge, table_picture())) == {None}
    covered = table_picture()
    covered[:120, 160:] = 140
    assert CameraState.MOVED not in seen(judge, covered), "an arm over a quarter of it is no turn"


def another(what: str) -> Image:
    """A picture that a camera might show instead of its table."""
    generator = np.random.default_rng(3)
    if what == "noise":
        return generator.integers(0, 250, (240, 320, 3), dtype=np.uint8)
    if what == "the table, half as large":
        small = cv2.resize(table_picture(), (160, 120), interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.copyMakeBorder(small, 0, 120, 0, 160, cv2.BORDER_CONSTANT, value=(90, 90, 90)), np.uint8)
    room = np.full((240, 320, 3), 140, np.uint8)
    for _ in range(70):
        x, y, side = (int(value) for value in generator.integers((0, 0, 6), (300, 220, 40)))
        cv2.rectangle(
            room, (x, y), (x + side, y + side // 2), [int(value) for value in generator.integers(20, 230, 3)], -1
        )
    return room


@pytest.mark.parametrize("what", ["a room", *map(nightly, ("noise", "the table, half as large"))])
def test_another_view_is_noticed_within_seven_seconds(what: str) -> None:
    judge = PictureJudge()
    judge.remember_view(table_picture())
    said = seen(judge, another(what), frames=8 * 7)
    assert said[-1] is CameraState.MOVED
    judge.forget_view()
    judge.remember_view(table_picture())
    assert seen(judge, table_picture())[-1] is None


def test_a_table_that_is_shuffled_or_cleared_is_no_other_view() -> None:
    judge = PictureJudge()
    judge.remember_view(table_picture())
    shuffled, cleared = table_picture(), table_picture()
    shuffled[40:200, 40:280] = another("a room")[40:200, 40:280]
    cleared[40:200, 40:280] = 110
    for picture in (shuffled, cleared):
        assert CameraState.MOVED not in seen(judge, picture, frames=8 * 7)


@pytest.mark.parametrize("light", [0.12, 0.2, 0.35])
def test_between_black_and_normal_it_is_dark_and_nothing_is_read(light: float) -> None:
    judge = PictureJudge()
    judge.remember_view(table_picture())
    assert set(seen(judge, (table_picture() * light).astype(np.uint8))) == {CameraState.DARK}
    assert seen(judge, table_picture())[-1] is None, "the light is on again"


def test_evening_light_is_not_dark() -> None:
    judge = PictureJudge()
    judge.remember_view(table_picture())
    assert set(seen(judge, (table_picture() * 0.6).astype(np.uint8))) == {None}


class Film(FrameSource):
    """A recording of these pictures."""

    def __init__(self, pictures: list[Image]) -> None:
        self._frames = iter([Frame(picture, n / 8, f"frame-{n}") for n, picture in enumerate(pictures)])

    def read(self) -> Frame | None:
        return next(self._frames, None)


def test_a_film_is_judged_like_a_camera() -> None:
    good, dark = table_picture(), (table_picture() * 0.2).astype(np.uint8)
    film = JudgedFilm(Film([good] * 3 + [dark] * 5 + [good] * 4 + [turned(good, 6)] * 12 + [good] * 12))
    names, said = [], []
    while True:
        try:
            frame = film.read()
        except AwayError as error:
            said.append((error.health.state, error.health.detail))
            continue
        if frame is None:
            break
        names.append(int(frame.name.removeprefix("frame-")))
        film.looks_right() if len(names) == 3 else None
    assert said[0] == (CameraState.DARK, "frame-3") and said[1][0] is CameraState.MOVED
    assert not set(names) & set(range(3, 8)), "nothing is read in the dark"
    assert names[-1] == 35, "and the film goes on"


def test_only_films_are_judged() -> None:
    film = Film([])
    assert judged(film, "sim:7") is film
    assert isinstance(judged(film, "evening.mp4"), JudgedFilm)
