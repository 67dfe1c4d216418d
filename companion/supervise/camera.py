"""The camera's child: opens the camera, films, puts pictures on the shelf. It trusts its parent and nobody trusts it.

Messages to the parent: ("goes_on",) between two steps of opening, ("opened", live, stills, slot_bytes, LiveMode),
("picture", Shelved), ("picture", Frame) for one that fits no slot, ("fault", State), ("problem", text, CameraFault),
("ended",). From the parent: ("shelf", name, slots, slot_bytes), ("free", slot), ("remember", image | None). A picture
with a fault is announced and kept back: what was never sent cannot be played.

A camera that may hang, crash, freeze, go dark or be unplugged, without anybody noticing more than a line on the
page.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any

from companion.supervise.child import Child, Shelf, Silence, thread_states
from companion.supervise.parts import Part, line_of, plain_loop
from companion.supervise.pictures import AwayError, CameraState, Health, PictureJudge, PictureLimits, to_remember
from hardware.camera import Camera, CameraError, CameraFault, CameraSettings, open_camera
from hardware.camera.guard import ended_how
from hardware.camera.opening import is_live
from hardware.camera.source import FrameSource
from vision.frame import Frame, Image

Opener = Callable[[str, CameraSettings], Camera]


@dataclass(frozen=True, slots=True)
class Shelved:
    """A frame whose pictures lie in shared memory."""

    slot: int
    """The small picture lies behind the large one."""
    shape: tuple[int, ...]
    small_shape: tuple[int, ...] | None
    at: float
    name: str


def film(
    pipe: Connection,
    source: str,
    settings: CameraSettings,
    opener: Opener,
    judging: PictureLimits,
    pace_s: float,
    after: CameraState | None,
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
        pipe.send(("problem", "not enough memory for this camera's pictures", CameraFault.MEMORY))
    except (EOFError, BrokenPipeError):
        raise
    except Exception as error:  # whatever a driver raises, somebody has to be told
        pipe.send(("problem", f"{type(error).__name__}: {' '.join(str(error).split())[:200]}", CameraFault.CRASHED))


def _film(pipe: Connection, camera: Camera, judging: PictureLimits, pace_s: float, after: CameraState | None) -> None:
    first, trouble = _next(camera)
    room = 0 if first is None else first.image.nbytes + (0 if first.small is None else first.small.nbytes)
    pipe.send(("opened", camera.live, camera.stills, room, camera.live_mode))
    film = _Film(pipe, PictureJudge(judging, live=camera.live, after=after), wait=not camera.live)
    shown_at = float("-inf")
    while first is not None or trouble is not None:
        if first is None:
            pipe.send(("problem", trouble, CameraFault.FORMAT))
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
        self._fault: CameraState | None = None
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
    """Messages from the parent; with `block`, at least one."""
    if block:
        yield pipe.recv()
    while pipe.poll():
        yield pipe.recv()


SLOTS = 3
"""One being filled, one waiting, one being taken."""


MOST_PER_S = 8.0
"""Pictures that a live camera hands over at most."""

LITTLE_SHARED_MEMORY = "there is little shared memory (/dev/shm), {} MB are wanted: pictures come more slowly"
"""A container has 64 MB of it unless it is given more."""

LASTING = frozenset({CameraState.SOFTWARE, CameraState.FORBIDDEN, CameraState.FORMAT})
"""Troubles that nobody mends with a cable: tried again every `LASTING_RETRY_S`, because each try starts a process."""

LASTING_RETRY_S = 20.0

WORKS_TIMES = 20
"""A child that works all the time is given up after so many times its patience: a slow machine decodes slowly."""


HELD = "its process waits for a slow card or in its driver; where that goes on, pull the camera's cable"
"""Said of one that no kill reaches."""


@dataclass(frozen=True, slots=True)
class SupervisionSettings:
    """How long to wait for a camera, in seconds."""

    silent_s: float = 2.5
    """A live camera without a picture for so long hangs, noticed within 3 s; unless its process works."""
    recording_silent_s: float = 60.0
    """The same for recordings, whose pictures may have to be rendered."""
    opening_s: float = 30.0
    """From one step of opening to the next; importing OpenCV, settling the light and focusing are many."""
    retry_s: tuple[float, ...] = (0.2, 1.0, 1.5, 2.0)
    """Pauses before trying again, the last one for ever; short enough to be back within 10 s of the cable."""
    answer_s: float = 1.0
    """How long one `read` waits before it says that the camera is away."""
    judging: PictureLimits = field(default_factory=PictureLimits)


def open_unguarded(source: str, settings: CameraSettings) -> Camera:
    """The device in this process: the child is the guard."""
    return open_camera(source, settings, guarded=False)


class SupervisedCamera(FrameSource):
    """The Camera protocol over a child process that is restarted whenever it fails.

    `read` gives only pictures that can be trusted. Without one it raises `AwayError` (a CameraError with a `health`):
    tell the page, forget half-seen movement, ask again. It returns None once a recording has ended. Thread-safe.
    """

    def __init__(
        self,
        source: str,
        settings: CameraSettings | None = None,
        *,
        supervision: SupervisionSettings | None = None,
        opener: Opener = open_unguarded,
        clock: Callable[[], float] = time.monotonic,
        part: Part | None = None,
    ) -> None:
        """`part` watches over the keeper, which beats several times a second, also while the camera is away."""
        self.source = source
        self.live = is_live(source)
        self.stills = False
        self.live_mode = None
        self._settings = settings or CameraSettings()
        self._supervision = supervision or SupervisionSettings()
        self._opener, self._clock = opener, clock
        self._beat: Callable[[], None] = (lambda: None) if part is None else part.beat
        self._changed = threading.Condition()
        self._waiting: deque[Shelved | Frame | CameraError] = deque()
        self._health = Health(CameraState.OPENING, clock())
        self._shelf: Shelf | None = None
        self._child: Child | None = None
        self._view: Image | None = None
        self._frames = 0
        self._complained = False
        self._cramped = ""
        self._closing, self._renew = threading.Event(), threading.Event()
        loop = plain_loop if part is None else part.loop
        self._failures = 0
        self._keeper = threading.Thread(target=loop, args=(self._keep,), name="camera-keeper", daemon=True)
        self._keeper.start()

    @property
    def health(self) -> Health:
        with self._changed:
            return self._health

    @property
    def cut_short(self) -> str:
        """Why a recording ended before its last picture; "" where it did not."""
        health = self.health
        return health.detail if health.state is CameraState.ENDED else ""

    @property
    def pid(self) -> int:
        """The child's process id; 0 while none runs."""
        with self._changed:
            return 0 if self._child is None else self._child.pid

    @property
    def notes(self) -> tuple[str, ...]:
        """Troubles that do not stop the pictures, one sentence each: settings that could not be met, say."""
        with self._changed:
            said = () if self.live_mode is None else self.live_mode.notes
            return (*said, self._cramped) if self._cramped else said

    def use(self, settings: CameraSettings) -> None:
        """Film as these settings say from now on: the child is started anew."""
        with self._changed:
            self._settings = settings
        self._renew.set()

    def wait_for(self, wanted: Callable[[Health], bool], timeout_s: float) -> bool:
        """Wait until the health is as `wanted`; False when it took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: wanted(self._health), timeout_s)

    def read(self) -> Frame | None:
        """The next picture that can be trusted; None when a recording has ended. Raises AwayError, or CameraError for
        one unreadable picture of a recording."""
        with self._changed:
            before = self._health
            self._changed.wait_for(lambda: self._can_answer(before), self._supervision.answer_s if self.live else None)
            if self._waiting:
                return self._take(self._waiting.popleft())
            if self._health.state is CameraState.ENDED or self._closing.is_set():
                return None
            late = replace(self._health, state=CameraState.LATE)  # nobody has given the camera up yet
            raise AwayError(late if self._health.state is CameraState.LIVE else self._health)

    def remember_view(self, image: Image | None) -> None:
        """The camera looks as in `image` now, and a shift from it is `MOVED`; None: do not watch for that."""
        # The child listens once a picture only: what does not fit into the pipe would keep us waiting for the next one.
        view = None if image is None else to_remember(image)
        with self._changed:
            self._view = view
            if self._child is not None:
                self._child.send(("remember", view))

    def close(self) -> None:
        """End the child, whatever it does. Twice is no error."""
        self._closing.set()
        self._keeper.join()

    def _can_answer(self, before: Health) -> bool:
        """A picture, an end, or news; trouble that is known already is waited out, so that no caller runs hot."""
        if self._waiting or self._closing.is_set() or self._health.state is CameraState.ENDED:
            return True
        return self._health is not before and not self._health.ok

    def _take(self, item: Shelved | Frame | CameraError) -> Frame:
        if isinstance(item, CameraError):
            raise item
        if isinstance(item, Shelved):
            assert self._shelf is not None
            image = self._shelf.take(item.slot, item.shape)
            small = None
            if item.small_shape is not None:
                small = self._shelf.take(item.slot, item.small_shape, after=image.nbytes)
            self._release(item)
            item = Frame(image, item.at, item.name, small)
        if self.live:
            # The child counts from nothing after each restart; names in the evidence must not repeat.
            item = Frame(item.image, item.at, f"frame-{self._frames:07d}", item.small)
        self._frames += 1
        return item

    def _release(self, item: Shelved) -> None:
        if self._child is not None:
            self._child.send(("free", item.slot))

    def _keep(self) -> bool:
        """The keeper's step: one child after the other until the camera is closed or the recording has ended."""
        if self._closing.is_set():
            self._put_away()
            with self._changed:
                self._changed.notify_all()
            return False
        if self.health.state is CameraState.ENDED:
            self._closing.wait(0.5)
            return True
        try:
            opened = self._one_child()
        except BaseException as fault:
            # Not the camera's: no process, no memory or no room for its pictures could be had here.
            self._put_away()
            self._turn(CameraState.GONE, line_of(fault), given_up=True)
            raise
        self._failures = 0 if opened else self._failures + 1
        pauses = self._supervision.retry_s
        lasting = self._failures > 1 and self.health.state in LASTING
        self._pause(LASTING_RETRY_S if lasting else pauses[min(self._failures, len(pauses) - 1)])
        return True

    def _pause(self, seconds: float) -> None:
        until = self._clock() + seconds
        while not self._closing.wait(min(0.5, max(0.0, until - self._clock()))) and self._clock() < until:
            self._beat()

    def _one_child(self) -> bool:
        """Start a child and listen to it until it has to be given up. True when it had given pictures."""
        self._put_away()
        after = self.health.state if self.health.state is CameraState.FROZEN else None
        pace_s = 1 / MOST_PER_S
        child = Child(film, self.source, self._settings, self._opener, self._supervision.judging, pace_s, after)
        with self._changed:
            self._child = child
        silence = Silence(child.pid, self._clock)
        opened_at: float | None = None
        told = False
        patience = self._supervision.opening_s
        while not self._closing.is_set():
            self._beat()
            if self._renew.is_set():
                self._renew.clear()
                self._turn(CameraState.OPENING)
                break
            try:
                ready = child.pipe.poll(0.1)
                message: Any = child.pipe.recv() if ready else None
            except (EOFError, OSError):
                self._died(None if told else child.exit_code(), told=told)
                break
            if message is None:
                if silence.left_s(patience, WORKS_TIMES * patience) > 0:
                    continue
                if self.live:
                    held = HELD if "D" in thread_states(child.pid) else ""
                    self._turn(CameraState.SILENT, held, given_up=True)
                else:
                    self._end_recording("it gives no pictures")
                break
            silence.heard()
            if message[0] == "opened":
                opened_at = self._clock()
                patience = self._patience(message)
            self._handle(message)
            told = message[0] == "problem"
            frozen = message == ("fault", CameraState.FROZEN)
            if frozen and opened_at is not None and self._clock() - opened_at > self._supervision.silent_s:
                self._turn(CameraState.FROZEN, given_up=True)
                break
            if message[0] == "ended":
                break
        if self._health.state is not CameraState.ENDED:
            self._put_away()
        return opened_at is not None

    def _patience(self, opened: tuple[Any, ...]) -> float:
        if not opened[1]:
            return self._supervision.recording_silent_s
        return max(self._supervision.silent_s, 0.0 if opened[4] is None else opened[4].silent_s)

    def _handle(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("opened", bool(live), bool(stills), int(room), live_mode):
                with self._changed:
                    self.live, self.stills, self.live_mode = live, stills, live_mode
                self._make_shelf(room)
            case ("picture", item):
                self._arrived(item)
            case ("fault", CameraState() as fault):
                self._turn(fault)
            case ("fault", None):
                self._turn(CameraState.LIVE)
            case ("problem", str(text), CameraFault() as kind) if self.live:
                self._turn(CameraState.of(kind), text)
            case ("problem", str(text), _):
                self._complain(text)
            case ("ended",):
                self._turn(CameraState.GONE if self.live else CameraState.ENDED)

    def _died(self, exit_code: int | None, *, told: bool) -> None:
        """The child is dead. A live camera comes back; a recording does not, because it would begin again."""
        if not self.live:
            self._end_recording(ended_how(exit_code))
            return
        if told:
            self._turn(self._health.state, self._health.detail, given_up=True)
        else:
            self._turn(CameraState.CRASHED, ended_how(exit_code), given_up=True)

    def _end_recording(self, why: str) -> None:
        with self._changed:
            if not self._complained:
                self._complain(f"{self.source}: {why}")
            self._turn(CameraState.ENDED, why)

    def _complain(self, text: str) -> None:
        with self._changed:
            self._complained = True
            self._waiting.append(CameraError(text))
            self._changed.notify_all()

    def _make_shelf(self, room: int) -> None:
        with self._changed:
            assert self._child is not None
            self._shelf, self._cramped = None, ""
            try:
                self._shelf = Shelf(SLOTS, room) if room else None
            except OSError:
                # Pictures come through the pipe then: slower, and complete.
                self._cramped = LITTLE_SHARED_MEMORY.format(room * SLOTS // 1_000_000 + 1)
            self._child.send(("shelf", None if self._shelf is None else self._shelf.name, SLOTS, room))
            if self._view is not None:
                self._child.send(("remember", self._view))

    def _arrived(self, item: Shelved | Frame) -> None:
        with self._changed:
            # The newest picture is the one that counts.
            self._drop_pictures()
            self._waiting.append(item)
            self._turn(CameraState.LIVE)
            self._changed.notify_all()

    def _turn(self, state: CameraState, detail: str = "", *, given_up: bool = False) -> None:
        with self._changed:
            before = self._health
            restarts = before.restarts + given_up
            if state is not CameraState.LIVE and state is not CameraState.ENDED:
                self._drop_pictures()
            if (before.state, before.detail, before.restarts) != (state, detail, restarts):
                since = before.since if before.state is state else self._clock()
                self._health = Health(state, since, detail, restarts)
                self._changed.notify_all()

    def _drop_pictures(self) -> None:
        """Let go of what nobody took: pictures from before a trouble are not read after it."""
        while self.live and self._waiting:
            old = self._waiting.popleft()
            if isinstance(old, Shelved):
                self._release(old)

    def _put_away(self) -> None:
        with self._changed:
            child, shelf = self._child, self._shelf
            self._child = self._shelf = None
            self._waiting = deque(item for item in self._waiting if not isinstance(item, Shelved))
        if child is not None:
            child.end()
        if shelf is not None:
            shelf.close()
