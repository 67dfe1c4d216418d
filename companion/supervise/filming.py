"""The camera's child: opens the camera, films, puts pictures on the shelf. It trusts its parent and nobody trusts it.

Messages to the parent: ("goes_on",) between two steps of opening, ("opened", live, stills, slot_bytes, LiveMode),
("picture", Shelved), ("picture", Frame) for one that fits no slot, ("fault", State), ("problem", text, Fault),
("ended",). From the parent: ("shelf", name, slots, slot_bytes), ("free", slot), ("remember", image | None). A picture
with a fault is announced and kept back: what was never sent cannot be played.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

from companion.supervise.health import State
from companion.supervise.pictures import JudgeSettings, PictureJudge
from companion.supervise.shelf import Shelf
from hardware.camera import Camera, CameraError, CameraSettings, Fault
from vision.frame import Frame

Opener = Callable[[str, CameraSettings], Camera]


@dataclass(frozen=True, slots=True)
class Shelved:
    """A frame whose pictures lie in `slot`, the small one behind the large one."""

    slot: int
    shape: tuple[int, ...]
    small_shape: tuple[int, ...] | None
    at: float
    name: str


def film(
    pipe: Connection,
    source: str,
    settings: CameraSettings,
    opener: Opener,
    judging: JudgeSettings,
    pace_s: float,
    after: State | None,
) -> None:
    """The child's whole life. `pace_s`: a live camera shows at most one picture in so many seconds. `after`: the fault
    for which the child before this one was given up."""

    def goes_on() -> None:
        pipe.send(("goes_on",))

    try:
        with opener(source, replace(settings, goes_on=goes_on)) as camera:
            _film(pipe, camera, judging, pace_s if camera.live else 0.0, after)
    except CameraError as error:
        pipe.send(("problem", error.problem, error.fault))
    except MemoryError:
        pipe.send(("problem", "not enough memory for this camera's pictures", Fault.MEMORY))
    except (EOFError, BrokenPipeError):
        raise
    except Exception as error:  # whatever a driver raises, somebody has to be told
        pipe.send(("problem", f"{type(error).__name__}: {' '.join(str(error).split())[:200]}", Fault.CRASHED))


def _film(pipe: Connection, camera: Camera, judging: JudgeSettings, pace_s: float, after: State | None) -> None:
    first, trouble = _next(camera)
    room = 0 if first is None else first.image.nbytes + (0 if first.small is None else first.small.nbytes)
    pipe.send(("opened", camera.live, camera.stills, room, camera.live_mode))
    film = _Film(pipe, PictureJudge(judging, live=camera.live, after=after), wait=not camera.live)
    shown_at = float("-inf")
    while first is not None or trouble is not None:
        if first is None:
            pipe.send(("problem", trouble, Fault.FORMAT))
        elif first.at - shown_at >= pace_s:
            # Faster than this nobody reads, and 36 MB at 14 a second would cost a core of a small board. The driver is
            # asked all the same, or its queue would fill with old pictures.
            film.show(first)
            shown_at = first.at
        first, trouble = _next(camera)
    pipe.send(("ended",))


def _next(camera: Camera) -> tuple[Frame | None, str | None]:
    """The next frame, or what is wrong with a recording's next picture. A live camera's error ends the process."""
    try:
        return camera.read(), None
    except CameraError as error:
        if camera.live:
            raise
        return None, str(error)


class _Film:
    """Slots, and the parent's wishes between two frames. `wait`: a recording loses no picture, a live camera's late
    ones are dropped so that the driver never waits for us."""

    def __init__(self, pipe: Connection, judge: PictureJudge, *, wait: bool) -> None:
        self._pipe, self._judge, self._wait = pipe, judge, wait
        self._shelf: Shelf | None = None
        self._free: deque[int] = deque()
        self._fault: State | None = None
        self._shelf_is_coming = True

    def show(self, frame: Frame) -> None:
        self._listen(block=self._shelf_is_coming)
        fault = self._judge.see(frame)
        if fault is not self._fault or fault is not None:
            self._fault = fault
            self._pipe.send(("fault", fault))
        if fault is not None:
            return
        if self._shelf is None or not self._fits(frame):
            # A picture of another size than the first (a folder of photographs): seldom, and small enough to pickle.
            self._pipe.send(("picture", frame))
            return
        while self._wait and not self._free:
            self._listen(block=True)
        if self._free:
            self._pipe.send(("picture", self._put(self._shelf, frame)))

    def _fits(self, frame: Frame) -> bool:
        assert self._shelf is not None
        both = frame.image.nbytes + (0 if frame.small is None else frame.small.nbytes)
        return both <= self._shelf.slot_bytes

    def _put(self, shelf: Shelf, frame: Frame) -> Shelved:
        slot = self._free.popleft()
        shelf.put(slot, frame.image)
        if frame.small is not None:
            shelf.put(slot, frame.small, after=frame.image.nbytes)
        small = None if frame.small is None else frame.small.shape
        return Shelved(slot, frame.image.shape, small, frame.at, frame.name)

    def _listen(self, *, block: bool) -> None:
        for message in _messages(self._pipe, block=block):
            match message:
                case ("shelf", str(name), int(slots), int(slot_bytes)):
                    self._shelf_is_coming = False
                    self._shelf = Shelf(slots, slot_bytes, name)
                    self._free.extend(range(slots))
                case ("shelf", None, _, _):
                    self._shelf_is_coming = False
                case ("free", int(slot)):
                    self._free.append(slot)
                case ("remember", None):
                    self._judge.forget_view()
                case ("remember", image):
                    self._judge.remember_view(image)


def _messages(pipe: Connection, *, block: bool) -> Iterator[Any]:
    """What the parent has said; with `block`, at least one message."""
    if block:
        yield pipe.recv()
    while pipe.poll():
        yield pipe.recv()
