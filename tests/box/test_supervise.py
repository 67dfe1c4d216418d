"""The supervised camera and eye against children that hang, crash, freeze and go away."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

import companion.supervise.camera as supervised
import companion.supervise.child as children
from bench.stand_ins.cameras import (
    HEIGHT,
    SLOW_S,
    WIDTH,
    open_nervous,
    open_nothing,
    open_troubled,
    set_mode,
    table_picture,
)
from bench.stand_ins.fakes import FakeClock
from companion.supervise.camera import MOST_PER_S, SupervisedCamera, SupervisionSettings
from companion.supervise.child import STIR_S, Silence, is_due, processor_s
from companion.supervise.eye import FAILED_IN_A_ROW, EyeAwayError, SlowEyeError, SupervisedEye
from companion.supervise.parts import Parts
from companion.supervise.pictures import AwayError, CameraState, Health, PictureLimits
from hardware.camera import Camera, CameraError, CameraSettings
from vision.frame import Frame

pytestmark = pytest.mark.slow

PATIENCE_S = 60.0
"""How long a test waits for something that normally takes a second; only a failure takes so long."""

QUICK = SupervisionSettings(
    silent_s=1.0, retry_s=(0.05,), answer_s=0.2, judging=PictureLimits(frozen_after_s=0.3, frozen_frames=3)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    set_mode(tmp_path, "good")
    return tmp_path


@pytest.fixture
def camera(folder: Path) -> Iterator[SupervisedCamera]:
    with SupervisedCamera(f"usb:{folder}", supervision=QUICK, opener=open_troubled) as camera:
        assert camera.wait_for(live, PATIENCE_S)
        yield camera


def live(health: Health) -> bool:
    return health.state is CameraState.LIVE


def mapped_shelves() -> set[Path]:
    """The shared memory this process holds."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return {Path(line.split(maxsplit=5)[5]) for line in lines if "/dev/shm/" in line}


def next_picture(camera: SupervisedCamera) -> Frame:
    """The next trusted picture, however long the camera is away."""
    for _ in range(int(PATIENCE_S / QUICK.answer_s)):
        try:
            frame = camera.read()
        except AwayError:
            continue
        assert frame is not None
        return frame
    raise AssertionError(f"no picture: {camera.health}")


def test_it_is_a_camera_and_its_pictures_arrive_whole(camera: SupervisedCamera) -> None:
    assert isinstance(camera, Camera)
    assert camera.live
    frames = [next_picture(camera) for _ in range(5)]
    assert len({frame.name for frame in frames}) == 5
    assert [frame.at for frame in frames] == sorted(frame.at for frame in frames)
    for frame in frames:
        assert frame.image.shape == (HEIGHT, WIDTH, 3)
        assert np.abs(frame.image.astype(int) - table_picture()).max() <= 4
        assert frame.small is not None
        assert np.array_equal(frame.small, frame.image[::2, ::2])


def test_a_fast_camera_is_taken_no_faster_than_anybody_reads(camera: SupervisedCamera) -> None:
    times = [next_picture(camera).at for _ in range(4)]
    assert all(later - earlier >= 1 / MOST_PER_S - 1e-6 for earlier, later in itertools.pairwise(times))


def test_with_little_shared_memory_the_pictures_come_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int, _from: int, _size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    before = mapped_shelves()
    with SupervisedCamera(f"usb:{folder}", supervision=QUICK, opener=open_troubled) as camera:
        assert next_picture(camera).image.shape == (HEIGHT, WIDTH, 3)
        assert next_picture(camera).small is not None
        [note] = camera.notes
        assert mapped_shelves() == before, "nothing of the shelf that did not fit stays behind"
    assert "little shared memory" in note and "MB are wanted" in note


def test_a_camera_that_works_slowly_is_left_alone(camera: SupervisedCamera, folder: Path) -> None:
    before = camera.pid
    set_mode(folder, "slow")
    assert QUICK.silent_s < SLOW_S
    for _ in range(4):
        next_picture(camera)
    assert (camera.pid, camera.health.restarts) == (before, 0)


def test_a_child_that_is_killed_is_not_told_to_be_plugged_in(camera: SupervisedCamera, folder: Path) -> None:
    set_mode(folder, "crash")
    assert camera.wait_for(lambda health: health.state is CameraState.CRASHED, PATIENCE_S)
    assert "SIGKILL" in camera.health.message and "plug" not in camera.health.message


def test_another_choice_of_size_films_anew(camera: SupervisedCamera) -> None:
    before = camera.pid
    camera.use(CameraSettings(size_wh=(640, 480)))
    assert camera.wait_for(
        lambda health: camera.pid not in (0, before) and health.state is CameraState.LIVE, PATIENCE_S
    )


@pytest.mark.parametrize(
    ("trouble", "state"),
    [("hang", CameraState.SILENT), ("crash", CameraState.CRASHED), ("unplugged", CameraState.GONE)],
)
def test_a_child_that_fails_is_noticed_said_and_replaced(
    camera: SupervisedCamera, folder: Path, trouble: str, state: CameraState
) -> None:
    before = camera.pid
    set_mode(folder, trouble)
    assert camera.wait_for(lambda health: health.state is state, PATIENCE_S)
    with pytest.raises(AwayError) as away:
        while True:
            camera.read()
    assert away.value.health.state is state
    assert away.value.health.message
    set_mode(folder, "good")
    assert camera.wait_for(live, PATIENCE_S)
    next_picture(camera)
    assert camera.pid != before
    assert camera.health.restarts >= 1


@pytest.mark.parametrize(
    ("trouble", "state"),
    [("black", CameraState.BLACK), ("white", CameraState.OVEREXPOSED), ("frozen", CameraState.FROZEN)],
)
def test_a_faulty_picture_is_never_handed_on(
    camera: SupervisedCamera, folder: Path, trouble: str, state: CameraState
) -> None:
    set_mode(folder, trouble)
    assert camera.wait_for(lambda health: health.state is state, PATIENCE_S)
    for _ in range(5):
        with pytest.raises(AwayError):
            camera.read()
    set_mode(folder, "good")
    frame = next_picture(camera)
    assert np.abs(frame.image.astype(int) - table_picture()).max() <= 4


def test_a_moved_camera_waits_for_its_new_calibration(camera: SupervisedCamera, folder: Path) -> None:
    camera.remember_view(next_picture(camera).image)
    set_mode(folder, "moved")
    assert camera.wait_for(lambda health: health.state is CameraState.MOVED, PATIENCE_S)
    camera.remember_view(table_picture(shift=17))
    assert camera.wait_for(live, PATIENCE_S)
    assert next_picture(camera).image.shape == (HEIGHT, WIDTH, 3)


def test_telling_the_view_never_waits_for_a_camera_that_hangs(camera: SupervisedCamera, folder: Path) -> None:
    next_picture(camera)
    set_mode(folder, "hang")
    # Nobody empties the pipe any more, and 36 MB would fill it.
    camera.remember_view(np.zeros((3040, 4056, 3), np.uint8))
    assert camera.wait_for(lambda health: health.state is CameraState.SILENT, PATIENCE_S)
    set_mode(folder, "good")
    assert camera.wait_for(lambda health: health.restarts >= 1, PATIENCE_S)


def test_a_camera_whose_driver_holds_its_process_is_said_so_and_holds_nobody_up(
    camera: SupervisedCamera, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "thread_states", lambda pid: iter("SD"))
    monkeypatch.setattr(children, "KILLED_S", 0.1)
    assert camera._child is not None
    held = camera._child._process
    monkeypatch.setattr(held, "kill", lambda: None)
    set_mode(folder, "hang")
    assert camera.wait_for(lambda health: "its driver" in health.message, PATIENCE_S)
    assert camera.health.state is CameraState.SILENT
    set_mode(folder, "good")
    assert camera.wait_for(live, PATIENCE_S) and camera.pid != held.pid
    assert held.is_alive() and held.pid is not None
    os.kill(held.pid, signal.SIGKILL)
    held.join()


def test_a_killed_child_leaves_no_process_and_no_memory_behind(camera: SupervisedCamera, folder: Path) -> None:
    for _ in range(2):
        victim, shelves = camera.pid, mapped_shelves()
        assert len(shelves) == 1
        os.kill(victim, signal.SIGKILL)
        assert camera.wait_for(lambda health: not live(health), PATIENCE_S)
        assert camera.wait_for(live, PATIENCE_S)
        assert not Path(f"/proc/{victim}").exists()
        assert not any(shelf.exists() for shelf in shelves)
    camera.close()
    assert mapped_shelves() == set()
    assert camera.read() is None
    assert camera.pid == 0


def test_a_camera_that_is_not_there_at_the_start_comes_when_it_is_plugged_in(folder: Path) -> None:
    set_mode(folder, "unplugged")
    with SupervisedCamera(f"usb:{folder}", supervision=QUICK, opener=open_troubled) as camera:
        assert camera.wait_for(
            lambda health: health.state is CameraState.GONE and "not there" in health.detail, PATIENCE_S
        )
        set_mode(folder, "good")
        assert camera.wait_for(live, PATIENCE_S)


def test_a_recording_is_given_whole_in_order_and_ends(tmp_path: Path) -> None:
    for number in range(8):
        # Two sizes: the second does not fit where the first did.
        size = (60 + 40 * (number // 4), 80, 3)
        cv2.imwrite(str(tmp_path / f"{number}.png"), np.full(size, number * 20, np.uint8))
    with SupervisedCamera(str(tmp_path)) as camera:
        frames = list(camera)
        assert [frame.name for frame in frames] == [f"{number}.png" for number in range(8)]
        assert [int(frame.image.mean()) for frame in frames] == [number * 20 for number in range(8)]
        assert not camera.live
        assert camera.stills
        assert camera.read() is None
        assert camera.health.state is CameraState.ENDED


def test_a_recording_that_is_cut_short_says_why(tmp_path: Path) -> None:
    for number in range(30):  # more than it reads ahead
        cv2.imwrite(str(tmp_path / f"{number:02}.png"), np.zeros((40, 40, 3), np.uint8))
    with SupervisedCamera(str(tmp_path)) as camera:
        assert camera.wait_for(lambda health: camera.pid != 0, PATIENCE_S)
        os.kill(camera.pid, signal.SIGKILL)
        assert camera.wait_for(lambda health: health.state is CameraState.ENDED, PATIENCE_S)
        assert "SIGKILL" in camera.cut_short


def test_a_bad_picture_in_a_recording_is_named_and_the_next_one_follows(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.zeros((40, 40, 3), np.uint8))
    (tmp_path / "2.png").write_bytes(b"nonsense")
    cv2.imwrite(str(tmp_path / "3.png"), np.zeros((40, 40, 3), np.uint8))
    with SupervisedCamera(str(tmp_path)) as camera:
        assert camera.read() is not None
        with pytest.raises(CameraError, match=r"2\.png"):
            camera.read()
        frame = camera.read()
        assert frame is not None
        assert frame.name == "3.png"
        assert camera.read() is None


def test_a_recording_that_is_not_there_says_so_once_and_ends(tmp_path: Path) -> None:
    with SupervisedCamera(str(tmp_path / "nowhere")) as camera:
        with pytest.raises(CameraError, match="nowhere"):
            camera.read()
        assert camera.read() is None


def picture(value: int) -> np.ndarray:
    return np.full((30, 40, 3), value, np.uint8)


def test_the_eye_answers_from_its_own_process() -> None:
    with SupervisedEye(open_nervous) as eye:
        assert eye.look(picture(3)).ms == 3
        assert eye.pid not in (0, os.getpid())
        assert eye.look(np.full((300, 400, 3), 5, np.uint8)).size_wh == (400, 300), "a larger one than before"


def test_an_eye_reads_with_little_shared_memory_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int, _from: int, _size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with SupervisedEye(open_nervous) as eye:
        assert eye.look(picture(3)).ms == 3
        monkeypatch.setattr(os, "posix_fallocate", full)
        assert eye.look(np.full((300, 400, 3), 5, np.uint8)).size_wh == (400, 300)
        monkeypatch.undo()
        assert eye.look(np.full((300, 400, 3), 6, np.uint8)).ms == 6
        assert eye.restarts == 0


@pytest.mark.parametrize(("value", "why"), [(13, "did not answer"), (14, "process ended")])
def test_an_eye_that_hangs_or_dies_costs_one_picture(value: int, why: str) -> None:
    with SupervisedEye(open_nervous, silent_s=2.0) as eye:
        eye.open()
        with pytest.raises(EyeAwayError, match=why):
            eye.look(picture(value))
        assert eye.restarts == 1
        assert eye.look(picture(8)).ms == 8


@pytest.mark.parametrize(
    ("works", "due", "opening_s", "within_s"),
    [(False, False, 1.0, 15), (True, False, 0.0, 300), (False, True, 1.0, 300), (False, True, 9.0, 900)],
)
def test_an_eye_that_works_is_waited_for_however_slow_the_machine_is(
    works: bool, due: bool, opening_s: float, within_s: int
) -> None:
    """Also where others take all of its processor."""
    clock = FakeClock()
    asked, begun = False, clock.now_s

    def beat() -> None:
        clock.now_s += 5.0 * asked

    def used(pid: int) -> float:
        assert pid
        return opening_s + works * (clock.now_s - begun)

    with SupervisedEye(open_nervous, clock=clock, used=used, due=lambda _: due, beat=beat, beat_s=0.01) as eye:
        eye.open()
        asked = True
        with pytest.raises(SlowEyeError, match=f"did not answer within {within_s} s"):
            eye.look(picture(13))
        assert eye.restarts == 1


def test_an_eye_that_gets_a_tenth_of_a_busy_processor_has_ten_times_as_long() -> None:
    clock = FakeClock()
    silence = Silence(1, clock, used=lambda _: 0.1 * clock.now_s, due=lambda _: True)
    while silence.left_s(15.0, 300.0) > 0:
        clock.now_s += 2.0
    assert 2990 <= clock.now_s - FakeClock().now_s <= 3010


def test_an_eye_that_gets_no_processor_at_all_is_given_up() -> None:
    clock = FakeClock()
    silence = Silence(1, clock, used=lambda _: 0.0, due=lambda _: True)
    while silence.left_s(15.0, 300.0) > 0:
        clock.now_s += 2.0
    assert clock.now_s - FakeClock().now_s == 300


def test_a_process_uses_processor_time_while_it_works() -> None:
    before = processor_s(os.getpid())
    assert before is not None and processor_s(2**22 + 1) is None
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    after = processor_s(os.getpid())
    assert after is not None and after - before >= STIR_S


def test_a_process_that_computes_wants_a_processor_and_one_that_sleeps_does_not() -> None:
    assert is_due(os.getpid()) and not is_due(2**22 + 1)
    with SupervisedEye(open_nervous) as eye:
        eye.open()
        deadline = time.monotonic() + PATIENCE_S
        while is_due(eye.pid):
            assert time.monotonic() < deadline


def test_closing_an_eye_waits_for_no_picture() -> None:
    waits = threading.Event()
    with SupervisedEye(open_nervous, silent_s=1000.0, beat=waits.set, beat_s=0.01) as eye:
        eye.open()
        said: list[str] = []

        def look() -> None:
            waits.clear()
            try:
                eye.look(picture(13))
            except EyeAwayError as away:
                said.append(str(away))

        looking = threading.Thread(target=look)
        looking.start()
        assert waits.wait(PATIENCE_S)
        eye.close()
        looking.join(PATIENCE_S)
    assert said == ["the reader was closed"] and eye.pid == 0


def test_an_eye_that_is_broken_is_not_started_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []
    eye = SupervisedEye(open_nervous)
    monkeypatch.setattr(eye._closed, "wait", rests.append)
    monkeypatch.setattr(eye._worker, "ask", lambda *_: None)
    for _ in range(5 * FAILED_IN_A_ROW):
        with pytest.raises(EyeAwayError, match="nothing"):
            eye.look(picture(1))
    assert eye.restarts == 5 and rests == [0.0, 1.0, 2.0, 4.0, 4.0]


def test_an_eye_that_stumbles_over_one_picture_lives_on() -> None:
    with SupervisedEye(open_nervous) as eye:
        eye.open()
        alive = eye.pid
        with pytest.raises(EyeAwayError, match="nobody can read"):
            eye.look(picture(15))
        assert eye.look(picture(1)).ms == 1
        assert eye.pid == alive
        assert eye.restarts == 0


def test_an_answer_that_cannot_be_one_is_a_failure() -> None:
    with SupervisedEye(open_nervous) as eye:
        for value, why in ((16, "nothing"), (17, "no tile has"), (18, "cannot be"), (19, "cannot be")):
            with pytest.raises(EyeAwayError, match=why):
                eye.look(picture(value))
            assert eye.look(picture(1)).ms == 1
            assert eye.restarts == 0


def test_an_eye_that_fails_at_every_picture_is_replaced() -> None:
    with SupervisedEye(open_nervous) as eye:
        eye.open()
        first = eye.pid
        for value in (15, 1, 16, 15):
            with contextlib.suppress(EyeAwayError):
                eye.look(picture(value))
        assert eye.pid == first, "it has read one in between"
        with pytest.raises(EyeAwayError):
            eye.look(picture(18))
        assert eye.restarts == 1 and eye.pid == 0
        assert eye.look(picture(1)).ms == 1
        assert eye.pid not in (0, first)


def test_who_waits_for_a_slow_eye_is_alive_for_the_watchdog() -> None:
    """The eye may take a minute to open; the watchdog gives the referee less between two beats."""
    clock = FakeClock()
    parts = Parts(clock)
    referee = parts.add("referee")
    looking = False
    hung: list[bool] = []

    def beat() -> None:
        if looking:
            referee.beat()
            clock.now_s += 5.0
            hung.append(referee.sign().hangs)

    limits = {"beat_s": 0.01, "used": lambda _: 0.0, "due": lambda _: False}
    with SupervisedEye(open_nervous, silent_s=60.0, clock=clock, beat=beat, **limits) as eye:
        eye.open()
        looking = True
        with pytest.raises(EyeAwayError, match="did not answer within 60 s"):
            eye.look(picture(13))
    assert hung == [False] * 12


@pytest.mark.parametrize("works", [True, False])
def test_a_reader_that_works_slowly_is_not_named_and_one_that_hangs_is(works: bool) -> None:
    clock = FakeClock()
    reader = Parts(clock).add("reader")
    looking = False
    hung: list[bool] = []

    def beat() -> None:
        if looking:
            clock.now_s += 5.0
            hung.append(reader.sign().hangs)

    limits = {"beat": beat, "busy": reader.busy, "works": reader.beat, "beat_s": 0.01, "due": lambda _: works}
    with SupervisedEye(open_nervous, silent_s=30.0, longest_s=60.0, clock=clock, used=lambda _: 0.0, **limits) as eye:
        eye.open()
        looking = True
        with pytest.raises(EyeAwayError, match="did not answer"):
            eye.look(picture(13))
    assert len(hung) > 2 and any(hung) is not works


def test_who_waits_for_anothers_picture_is_alive_too() -> None:
    waited = threading.Event()
    with SupervisedEye(open_nervous, silent_s=60.0, beat=waited.set, beat_s=0.01) as eye:
        eye.open()
        with eye._worker._turn():
            waited.clear()
            answers: list[float] = []
            other = threading.Thread(target=lambda: answers.append(eye.look(picture(7)).ms))
            other.start()
            assert waited.wait(PATIENCE_S)
            assert answers == []
        other.join(PATIENCE_S)
    assert answers == [7]


def test_an_eye_without_its_model_says_which() -> None:
    with SupervisedEye(open_nothing) as eye, pytest.raises(EyeAwayError, match=r"pips\.onnx: truncated"):
        eye.open()


def test_a_live_camera_that_is_late_is_not_said_to_be_lost_and_live() -> None:
    camera = SupervisedCamera.__new__(SupervisedCamera)
    camera.live = True
    camera._changed, camera._closing = threading.Condition(), threading.Event()
    camera._waiting, camera._health = deque(), Health(CameraState.LIVE, 0.0)
    camera._supervision = SupervisionSettings(answer_s=0.01)
    with pytest.raises(AwayError) as away:
        camera.read()
    assert away.value.health.message == "the camera gives no picture just now"
