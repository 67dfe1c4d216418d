"""Each trouble of a camera has the right words, and asks for no repair that belongs to another."""

from __future__ import annotations

import errno
import itertools
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow

import companion.supervise.camera as supervised
from bench.stand_ins.cameras import open_troubled, set_mode, table_picture
from companion.app.state import AppState
from companion.app.table_service import FILM_OVER, WatchedTable
from companion.supervise.pictures import AwayError, CameraState, Health, PictureJudge
from hardware.camera import CameraError, CameraFault, open_camera, picamera
from hardware.camera.guard import GuardedCamera
from hardware.camera.listing import usb_listed
from hardware.camera.network import NetworkCamera
from hardware.camera.source import CameraSettings, FrameSource
from hardware.camera.stack import fault_of
from hardware.camera.usb import UsbCamera
from hardware.camera.v4l2 import REQBUFS, Mode, Offer, why_not
from tests.box.test_pictures import seen, turned
from tests.camera.test_devices import QUICK, FakeCapture, noise
from tests.camera.test_recordings import film, motion_jpeg, read_on
from tests.camera.test_v4l2 import WEBCAM_4K, Driver, plug_in
from tests.vision.test_pictures import save_picture
from tests.web.real_table import Table
from vision.frame import Frame, Image

MENDS = {
    "plug it in": r"\bplug",
    "install": r"apt install (?!--reinstall)",
    "let it be seen": r"--system-site-packages",
    "install anew": r"--force-reinstall|--reinstall",
    "end the other program": r"\bend (it|that)\b",
    "allow it": r"usermod",
    "more light": r"more light|is the light off",
    "uncover the lens": r"lens covered",
    "turn the lamp": r"lamp shining",
    "check the corners": r"four corners",
    "another size": r"--camera-size|lists its sizes",
    "restart the machine": r"restart this machine",
}
"""Repair -> words by which a sentence asks for it."""

FAST = "nothing was said"


def usb(frames: Iterator[np.ndarray | None], device: str = "/dev/video99", **settings: object) -> UsbCamera:
    asked = replace(QUICK, **settings)  # type: ignore[arg-type]
    return UsbCamera(device, asked, opener=lambda _: FakeCapture(frames), offer=lambda _: None)


def said_by(step: Callable[[], object]) -> str:
    with pytest.raises(CameraError) as caught:
        step()
    return str(caught.value)


def of_the_page(picture: Image, frames: int = 24) -> str:
    """The page's sentence for a camera that showed the table and now shows this."""
    judge = PictureJudge()
    judge.remember_view(table_picture())
    state = seen(judge, picture, frames)[-1]
    return (CameraState.LIVE if state is None else state).sentence


def missing(tmp_path: Path) -> str:
    return fault_of(ModuleNotFoundError("No module named 'picamera2'", name="picamera2"), tmp_path).line


def hidden(tmp_path: Path) -> str:
    (tmp_path / "picamera2").mkdir()
    return missing(tmp_path)


def broken(tmp_path: Path) -> str:
    return fault_of(ValueError("numpy.dtype size changed, may indicate binary incompatibility"), tmp_path).line


def refused(number: int) -> Callable[[Path], str]:
    def told(tmp_path: Path) -> str:
        (tmp_path / "video0").touch()
        driver = Driver(WEBCAM_4K)
        driver.refuses = {REQBUFS: number}
        return str(why_not(str(tmp_path / "video0"), driver, tmp_path))

    return told


def busy_on_the_ribbon(_tmp_path: Path) -> str:
    def held() -> None:
        raise RuntimeError("Camera __init__ sequence did not complete.")

    module = SimpleNamespace(Picamera2=held)
    held.global_camera_info = lambda: [{"Model": "imx708"}]  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picamera, "import_picamera2", lambda: module)
        return said_by(picamera.open_picamera2)


def forbidden(tmp_path: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.open", lambda *_given: (_ for _ in ()).throw(PermissionError(errno.EACCES, "denied")))
        return str(why_not(str(tmp_path / "video0")))


def small_memory(tmp_path: Path) -> str:
    def full(*_given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    set_mode(tmp_path, "good")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervised, "Shelf", full)
        with supervised.SupervisedCamera(f"usb:{tmp_path}", opener=open_troubled) as camera:
            assert camera.wait_for(lambda health: health.ok, 60) and camera.read() is not None, "the game goes on"
            return "; ".join(camera.notes)


def gone_in_play(_tmp_path: Path) -> str:
    def frames() -> Iterator[np.ndarray | None]:
        yield from itertools.islice(noise(), 4)
        yield from itertools.repeat(None)

    camera = usb(frames())
    assert camera.read() is not None
    return said_by(camera.read)


def frozen(_tmp_path: Path) -> str:
    judge, still = PictureJudge(), table_picture()
    return ([judge.see(Frame(still, n / 8, str(n))) for n in range(24)][-1] or CameraState.LIVE).sentence


def hangs(_tmp_path: Path) -> str:
    seconds = itertools.count()
    camera = UsbCamera(
        0,
        QUICK,
        opener=lambda _: FakeCapture(itertools.repeat(np.zeros((48, 64, 3), np.uint8))),
        offer=lambda _: None,
        clock=lambda: float(next(seconds)),
    )
    return said_by(lambda: [camera.read() for _ in range(20)])


def wrong_size(_tmp_path: Path) -> str:
    mode = usb(noise(), size_wh=(1920, 1080)).live_mode
    assert mode is not None
    return "; ".join(mode.notes)


def slow(_tmp_path: Path) -> str:
    seconds = itertools.count(step=1.0)
    camera = UsbCamera(
        0, QUICK, opener=lambda _: FakeCapture(noise()), offer=lambda _: None, clock=lambda: next(seconds)
    )
    assert camera.live_mode is not None and camera.read() is not None, "the game goes on"
    return "; ".join(camera.live_mode.notes)


def bad_frame(tmp_path: Path) -> str:
    path = tmp_path / "hole.avi"
    whole = motion_jpeg(path, 12)
    starts = [n for n in range(len(whole)) if whole[n : n + 2] == b"\xff\xd8"]
    hole = bytearray(whole)
    hole[starts[5] : starts[6] - 8] = bytes(starts[6] - 8 - starts[5])
    path.write_bytes(bytes(hole))
    light, told = read_on(path)
    assert len(light) == 11, "the game goes on"
    return "; ".join(told)


def repeated(_tmp_path: Path) -> str:
    frames = (frame for fresh in noise() for frame in [fresh] * 3)
    camera = usb(frames)
    assert all(camera.read() is not None for _ in range(30))
    assert camera.live_mode is not None
    return "; ".join(camera.live_mode.notes) or FAST


def end_of_film(tmp_path: Path) -> str:
    film(tmp_path / "evening.mp4", 3)
    light, told = read_on(tmp_path / "evening.mp4")
    assert len(light) == 3 and not told
    return f"{CameraState.ENDED.sentence}; {FILM_OVER}"


def interlaced(tmp_path: Path) -> str:
    film(tmp_path / "tv.mp4", 4, interlaced=True)
    light, told = read_on(tmp_path / "tv.mp4")
    assert len(light) == 4 and min(light) > 40, "never black"
    return "; ".join(told) or FAST


def heic(tmp_path: Path) -> str:
    save_picture(tmp_path / "table.heic", (1024, 768))
    frame = open_camera(str(tmp_path)).read()
    assert frame is not None and frame.size_wh == (1024, 768), "never 512x512 of a corner"
    return FAST


def sixteen_bits(tmp_path: Path) -> str:
    picture = np.full((48, 64, 3), 40_000, np.uint16)
    cv2.imwrite(str(tmp_path / "table.png"), picture)
    frame = open_camera(str(tmp_path)).read()
    assert frame is not None and frame.image.mean() == pytest.approx(40_000 / 257, abs=2), "never black"
    return FAST


def portrait(tmp_path: Path) -> str:
    exif = Pillow.Exif()
    exif[0x0112] = 6
    save_picture(tmp_path / "table.jpg", (64, 48), exif)
    frame = open_camera(str(tmp_path)).read()
    assert frame is not None and frame.size_wh == (48, 64)
    return FAST


def two_alike(tmp_path: Path) -> str:
    for number in (0, 2):
        links = {"by-id": "usb-HD_Webcam-index0", "by-path": f"usb-0:{number}-index0"}
        plug_in(tmp_path, number, "HD Webcam", links)
    offer = Offer("HD Webcam", (Mode((1280, 720), 30.0, "MJPG"),))
    found = [one.source for one in usb_listed(tmp_path, lambda _device: offer, tmp_path / "proc")]
    assert len(set(found)) == 2
    return "; ".join(found)


def network_gone(_tmp_path: Path) -> str:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        return said_by(lambda: NetworkCamera(f"http://ann:s3cr3t@127.0.0.1:{nobody.getsockname()[1]}/video"))


@dataclass(frozen=True, slots=True)
class Trouble:
    """`told` gives its sentence, `words` must be in it, and `mends` are those of MENDS that it may ask for."""

    name: str
    told: Callable[[Path], str]
    words: str
    mends: frozenset[str] = frozenset()


def trouble(name: str, told: Callable[[Path], str], words: str, *mends: str) -> Trouble:
    return Trouble(name, told, words, frozenset(mends))


TROUBLES = (
    trouble("missing", missing, "picamera2 is not installed", "install"),
    trouble("hidden", hidden, "does not see the system's packages", "let it be seen"),
    trouble("broken import", broken, "cannot be loaded .*numpy.dtype size changed", "install anew"),
    trouble("busy", refused(errno.EBUSY), "in use by another program", "end the other program"),
    trouble("busy on the ribbon", busy_on_the_ribbon, "another program uses it", "end the other program"),
    trouble("no permission", forbidden, "may not be opened by this user", "allow it"),
    trouble("small shared memory", small_memory, "little shared memory"),
    trouble("gone in play", gone_in_play, "stopped delivering frames .*is not there", "plug it in"),
    trouble("frozen", frozen, "same picture; it is being restarted"),
    trouble("black", lambda _: of_the_page(np.zeros_like(table_picture())), "black", "uncover the lens", "more light"),
    trouble("white", lambda _: of_the_page(np.full_like(table_picture(), 251)), "white", "turn the lamp"),
    trouble("dark", lambda _: of_the_page((table_picture() * 0.25).astype(np.uint8)), "too dark", "more light"),
    trouble("turned", lambda _: of_the_page(turned(table_picture(), 6)), "was moved", "check the corners"),
    trouble("moved", lambda _: of_the_page(table_picture(shift=12)), "was moved", "check the corners"),
    trouble("wrong size", wrong_size, "asked for 1920x1080, the camera gives 64x48", "another size"),
    trouble("slow", slow, r"gives \d\.\d pictures a second", "another size", "more light"),
    trouble("one bad frame", bad_frame, "frame 6 is damaged and was passed over"),
    trouble("repeated frames", repeated, FAST),
    trouble("repeats one frame for ever", hangs, "its driver hangs", "restart the machine"),
    trouble("end of a film", end_of_film, "has ended; the film is over"),
    trouble("interlaced", interlaced, FAST),
    trouble("HEIC", heic, FAST),
    trouble("16 bits", sixteen_bits, FAST),
    trouble("portrait", portrait, FAST),
    trouble("two alike", two_alike, "by-path/usb-0:0.*by-id"),
    trouble("network gone", network_gone, "camera http://127.0.0.1:[0-9]+/video: nobody answers"),
)


def mends_in(sentence: str) -> set[str]:
    return {name for name, words in MENDS.items() if re.search(words, sentence)}


@pytest.mark.parametrize("one", TROUBLES, ids=lambda one: one.name)
def test_each_trouble_has_its_own_words_and_no_other_mend(one: Trouble, tmp_path: Path) -> None:
    sentence = one.told(tmp_path)
    assert re.search(one.words, sentence), sentence
    assert mends_in(sentence) == one.mends, sentence
    assert "\n" not in sentence and "s3cr3t" not in sentence


ASKED_ON_THE_PAGE = {
    CameraFault.UNPLUGGED: {"plug it in"},
    CameraFault.BUSY: {"end the other program"},
}


@pytest.mark.parametrize("fault", CameraFault)
def test_the_page_asks_for_no_plug_unless_it_was_pulled(fault: CameraFault) -> None:
    assert mends_in(CameraState.of(fault).sentence) == ASKED_ON_THE_PAGE.get(fault, set())


class Away(FrameSource):
    """A live camera that gives no picture, for the reason `state`."""

    live = True
    state = CameraState.GONE

    def read(self) -> Frame | None:
        threading.Event().wait(0.005)
        raise AwayError(Health(self.state, 0.0))


def test_whatever_the_camera_suffers_is_said_and_the_game_takes_the_next_play(tmp_path: Path) -> None:
    table, camera = Table(tmp_path, "tactic", "double-12"), Away()
    watched = WatchedTable(AppState(table.session, data_dir=tmp_path), "usb:0", tmp_path, camera=camera)
    watched.start()
    try:
        for number, state in enumerate(one for one in CameraState if one not in (CameraState.LIVE, CameraState.ENDED)):
            camera.state = state
            for _ in range(400):
                if watched.status().get("message") == state.sentence:
                    break
                threading.Event().wait(0.01)
            why = {} if state.seeing else {"why": "away"}
            assert watched.status() == {"state": "lost", "message": state.sentence, **why}
            before = len(table.plays())
            table.lay("Ann", f"12-{number % 12}", by="Ann")
            assert len(table.plays()) == before + 1, state
    finally:
        watched.close()
        table.session.close()


def open_sleeper(source: str, settings: CameraSettings) -> UsbCamera:
    import time

    time.sleep(60)
    raise AssertionError


@pytest.mark.parametrize(
    ("source", "fault", "mends"),
    [
        ("usb:0", CameraFault.CRASHED, {"restart the machine"}),
        ("rtsp://ann:s3cr3t@192.168.1.9/film", CameraFault.NETWORK, set()),
    ],
)
def test_a_driver_that_gives_no_answer_was_not_unplugged(source: str, fault: CameraFault, mends: set[str]) -> None:
    with pytest.raises(CameraError, match="did not answer within") as caught:
        GuardedCamera(source, CameraSettings(), opener=open_sleeper, opening_s=0.1)
    assert caught.value.fault is fault and mends_in(str(caught.value)) == mends
    assert "s3cr3t" not in str(caught.value)
