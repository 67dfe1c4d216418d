"""The check-up of this machine, the choice of a runtime, and the safe start.

The check-up says in words which parts work on this machine, which do not, and how to mend them. Shared by `companion
doctor` and `/health`.

A check looks and never changes anything that stays. Each gives one `Finding`; a check that trips over a strange machine
gives a finding too, never an exception. The folders, the port and the place of sysfs are passed in, so that tests can
hand a check another machine.

Which runtime finds the tiles on this machine: tried by `companion doctor` in a child that may crash, and kept in the
data folder for `serve`. Without a trial, or where ncnn is missing, broken, different or no faster: the reference.
"""

from __future__ import annotations

import errno
import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from companion.app.fonts import is_written
from companion.log.copies import is_whole
from companion.rules.written import written
from companion.storage.state_file import write_state
from vision.weights import RUNTIME, WeightsError, shipped_weights

if TYPE_CHECKING:
    from hardware.camera.stack import StackFault


OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)
LEAST_DISK_MB = 500
"""Room for an evening's evidence and a release to roll back to."""
LEAST_MEMORY_MB = 350
"""The detector and the reader with one 12-megapixel frame took 163 to 437 MB when they were measured."""
NOT_BEFORE = datetime(2026, 1, 1, tzinfo=UTC)
"""A clock before the program was written was never set."""
READ_ONLY = "the card is read-only, nothing more can be written"
"""So the system leaves a card on which it has found errors."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the doctor's report."""

    name: str
    ok: bool
    found: str
    mend: str = ""
    """The remedy; empty where `ok`."""
    needed: bool = True
    """False: the companion plays without it."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the checks look. The defaults are the machine the program runs on."""

    data: Path = field(default_factory=lambda: Path("data"))
    port: int = 8000
    camera: str | None = None
    root: Path = Path("/")
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


MachineCheck = Callable[[Machine], CheckResult]


def _told(code: str, **about: object) -> CheckResult:
    """The finding of a check, in the words of `checkup.toml`."""
    name, how = code.split(".")
    words = written("app/checkup.toml")[name][how]
    found, mend = (words.get(part, "").format(**about) for part in ("found", "mend"))
    return CheckResult(name, "ok" in words, found, mend, "optional" not in words)


def check_all(machine: Machine) -> Iterator[CheckResult]:
    """Every finding in the order in which a person would mend them. A check that fails to check is itself a finding."""
    for name, check in CHECKS.items():
        try:
            yield check(machine)
        except Exception as error:  # a doctor who faints helps nobody
            why = f"{type(error).__name__}: {error}".splitlines()[0]
            yield CheckResult(name, False, f"could not be checked ({why})", "please report this line", needed=False)


def quick_reasons(machine: Machine) -> list[str]:
    """Faults that can be seen in a millisecond, for `/health`: a disk that fills up or has become read-only, a clock
    that was never set."""
    reasons = []
    folder = _nearest(machine.data)
    try:
        free = shutil.disk_usage(folder).free // 1_000_000
        if free < LEAST_DISK_MB:
            reasons.append(f"only {free} MB are free for games and pictures")
        if _read_only(folder, machine.root):
            reasons.append(READ_ONLY)
    except OSError as error:
        reasons.append(f"{folder} cannot be looked at ({error.strerror})")
    if machine.now() < NOT_BEFORE:
        reasons.append("the clock was never set")
    return reasons


def _read_only(folder: Path, root: Path) -> bool:
    """Whether nothing can be written there. After a fault of the card a Linux of now says so in its mounts alone."""
    device = folder.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    mounts = root / "proc/self/mountinfo"
    lines = [line.split() for line in mounts.read_text(errors="replace").splitlines()] if mounts.is_file() else []
    given_up = any(line[2] == number and "emergency_ro" in line[-1].split(",") for line in lines)
    return given_up or bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def check_python(machine: Machine) -> CheckResult:
    version = sys.version_info[:2]
    how = "fits" if OLDEST_PYTHON <= version <= NEWEST_PYTHON else "other"
    return _told(f"python.{how}", version=sys.version.split()[0])


def check_opencv(machine: Machine) -> CheckResult:
    twice = [name for name in ("opencv-python", "opencv-python-headless") if _installed(name)]
    if len(twice) == 2:
        return _told("opencv.twice")
    try:
        module = importlib.import_module("cv2")
    except ImportError as error:
        lacks_system = "libGL" in str(error) or "libgthread" in str(error)
        return _told("opencv.lacks_system" if lacks_system else "opencv.missing", why=_line(error))
    return _told("opencv.loaded", version=module.__version__)


def check_inference(machine: Machine) -> CheckResult:
    try:
        from vision.inference import load_runtime

        module = load_runtime()
    except ImportError as error:
        return _told("inference.missing", why=_line(error))
    return _told("inference.loaded", version=module.__version__)


def check_weights(machine: Machine) -> CheckResult:
    """The shipped models: present, of the right size and hash, and the engine opens them."""
    from vision.weights import WEIGHTS, WeightsError, folder_of, shipped_weights

    try:
        files = [shipped_weights(name, folder=folder_of(name)) for name in weight_names(WEIGHTS)]
    except WeightsError as error:
        return _told("weights.wrong", why=error)
    if not files:
        return _told("weights.wrong", why=f"{WEIGHTS} lists no models")
    from vision.inference import Network

    for file in files:
        try:
            Network(file, threads=1)
        except (ImportError, WeightsError) as error:
            return _told("weights.wrong", why=f"{file.name} cannot be opened ({_line(error)})")
    sizes = ", ".join(f"{file.name} {file.stat().st_size / 1e6:.1f} MB" for file in files)
    own = [file.name for file in files if file.parent != WEIGHTS]
    return _told("weights.right", sizes=sizes, own=f"; your own: {', '.join(own)}" if own else "")


def weight_names(folder: Path) -> list[str]:
    """The models the manifest lists; none where it cannot be read."""
    try:
        return sorted(json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["weights"])
    except (OSError, ValueError, KeyError, TypeError):
        return []


def check_cameras(machine: Machine) -> CheckResult:
    """Cameras that are there. With `machine.camera` named, that one is needed; otherwise none is."""
    wanted = machine.camera
    stack = ask_in_child() if wanted == "picamera" or on_a_pi(machine.root) else None
    if stack is not None and wanted == "picamera":
        return CheckResult("camera", False, stack.words, stack.mend)
    usb, ribbon = usb_cameras(machine.root), ribbon_cameras()
    seen = [*usb, *ribbon]
    if wanted is not None and re.match(r"usb:\d+$|/dev/|picamera$", wanted):
        device = Path(f"/dev/video{wanted.removeprefix('usb:')}" if wanted.startswith("usb:") else wanted)
        there = bool(ribbon) if wanted == "picamera" else (machine.root / device.relative_to("/")).exists()
        if not there:
            others = f"; found instead: {', '.join(seen)}" if seen else ""
            return _told(f"camera.no_{'ribbon' if wanted == 'picamera' else 'usb'}", wanted=wanted, others=others)
        return _told("camera.there", wanted=wanted, films="")
    if wanted is not None:
        return _opened(wanted)
    if seen:
        return _told("camera.seen", seen=", ".join(seen))
    if stack is not None:
        return CheckResult("camera", False, stack.words, stack.mend, needed=False)
    return _told("camera.none")


def _opened(source: str) -> CheckResult:
    """Whether a camera in the network or a recording can be opened: only trying it tells."""
    from hardware.camera import CameraError, open_camera
    from hardware.camera.address import shown

    try:
        with open_camera(source) as camera:
            films = "" if camera.live_mode is None else f": {camera.live_mode.words}"
    except CameraError as fault:
        return CheckResult("camera", False, fault.problem)
    return _told("camera.there", wanted=shown(source), films=films)


def ask_in_child() -> StackFault | None:
    """Why picamera2 cannot be used. Imported here, because the doctor has to speak where OpenCV cannot be loaded."""
    from hardware.camera import stack

    return stack.ask_in_child()


def ribbon_cameras() -> list[str]:
    """Raspberry Pi cameras, asked for in a process of its own: the camera stack can hang."""
    from hardware.camera import listing

    return listing.ribbon_cameras()


def on_a_pi(root: Path = Path("/")) -> bool:
    try:
        return b"Raspberry Pi" in (root / "proc/device-tree/model").read_bytes()
    except OSError:
        return False


def usb_cameras(root: Path = Path("/")) -> list[str]:
    """USB cameras by sysfs: the first node of each device on a USB bus, with its name."""
    cameras = []
    for node in sorted((root / "sys/class/video4linux").glob("video*"), key=lambda p: int(p.name[5:] or 0)):
        try:
            on_usb = "/usb" in str((node / "device").resolve())
            first = (node / "index").read_text(encoding="ascii").strip() == "0"
            name = (node / "name").read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            continue
        if on_usb and first:
            cameras.append(f"usb:{node.name[5:]} ({name})")
    return cameras


def check_disk(machine: Machine) -> CheckResult:
    """The data folder (or the nearest folder above it that exists) takes a flushed file and has room."""
    folder = _nearest(machine.data)
    try:
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(b"companion")
            trial.flush()
            os.fsync(trial.fileno())
    except OSError as error:
        how = {errno.ENOSPC: "full", errno.EROFS: "read_only"}.get(error.errno or 0, "refuses")
        return _told(f"disk.{how}", folder=folder, why=error.strerror, read_only=READ_ONLY)
    free = shutil.disk_usage(folder).free // 1_000_000
    return _told("disk.small" if free < LEAST_DISK_MB else "disk.free", free=free, folder=folder, least=LEAST_DISK_MB)


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    folder = folder.absolute()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def check_memory(machine: Machine) -> CheckResult:
    text = (machine.root / "proc/meminfo").read_text(encoding="ascii")
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines() if ":" in line}
    available, total = kilobytes["MemAvailable"] // 1000, kilobytes["MemTotal"] // 1000
    how = "small" if available < LEAST_MEMORY_MB else "free"
    return _told(f"memory.{how}", available=available, total=total, least=LEAST_MEMORY_MB)


def check_power(machine: Machine) -> CheckResult:
    """A Raspberry Pi tells when its supply was too weak or it ran hot; other machines have nothing to say."""
    asker = shutil.which("vcgencmd")
    if asker is None:
        return _told("power.not_a_pi")
    answer = subprocess.run([asker, "get_throttled"], capture_output=True, text=True, timeout=5, check=False)
    bits = int(answer.stdout.strip().partition("=")[2] or "0", 16)
    slowed = bits & 0x8_000E or bits & 0x6_0000
    return _told("power.weak" if bits & 0x1_0001 else "power.slowed" if slowed else "power.fine")


def check_games(machine: Machine) -> CheckResult:
    """Every journal and copy read through; nothing is repaired here."""
    journals = sorted((machine.data / "games").glob("*/journal.jsonl"))
    copies = sorted((machine.data / "copies").glob("*.jsonl"))
    damaged = [path.parent.name for path in journals if not is_whole(path)]
    damaged += [f"the copy of {path.stem}" for path in copies if not is_whole(path)]
    how = "damaged" if damaged else "whole"
    return _told(f"games.{how}", games=len(journals), copies=len(copies), damaged=", ".join(damaged[:5]))


def check_port(machine: Machine) -> CheckResult:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("0.0.0.0", machine.port))
        except PermissionError:
            return _told("port.reserved", port=machine.port)
        except OSError as error:
            reasons = running_here(machine.port)
            if reasons is not None:
                well = "and is well" if not reasons else f"and says: {'; '.join(reasons)}"
                return _told("port.running", port=machine.port, well=well)
            return _told("port.in_use", port=machine.port, why=error.strerror)
    return _told("port.free" if machine.port else "port.not_asked", port=machine.port)


def running_here(port: int) -> list[str] | None:
    """Why the companion that answers on this port is not well, in its own words; None where none answers."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/health", headers={"Host": "127.0.0.1"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(asked, timeout=3) as answer:
            told = json.loads(answer.read(100_000))
    except urllib.error.HTTPError as error:
        with error:
            try:
                told = json.loads(error.read(100_000))
            except (OSError, ValueError):
                return None
    except (OSError, ValueError):
        return None
    if not isinstance(told, dict) or told.get("status") not in ("ok", "degraded"):
        return None
    return [str(reason) for reason in told.get("reasons") or ()]


LETTERS = {"Latin": "Łé", "Bengali": "রহিম", "Chinese": "奶龙龍", "Korean": "순이"}


def check_fonts(machine: Machine) -> CheckResult:
    """The picture of the scores and a screen on this machine need fonts; phones bring their own."""
    missing = [name for name, letters in LETTERS.items() if not is_written(letters)]
    return _told("fonts.missing" if missing else "fonts.there", missing=", ".join(missing))


def check_buttons(machine: Machine) -> CheckResult:
    """Buttons and lamp need gpiozero and pins; nobody needs buttons and lamp."""
    if not (machine.root / "dev/gpiochip0").exists():
        return _told("buttons.no_pins")
    return _told("buttons.there" if importlib.util.find_spec("gpiozero") else "buttons.no_gpiozero")


def check_clock(machine: Machine) -> CheckResult:
    now = machine.now()
    set_by_network = (machine.root / "run/systemd/timesync/synchronized").exists()
    how = "never_set" if now < NOT_BEFORE else "set" if set_by_network else "unchecked"
    return _told(f"clock.{how}", now=now.strftime("%Y-%m-%d %H:%M UTC"))


def _installed(distribution: str) -> bool:
    try:
        importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]


CHECKS: dict[str, MachineCheck] = {
    "python": check_python,
    "opencv": check_opencv,
    "inference": check_inference,
    "weights": check_weights,
    "camera": check_cameras,
    "disk": check_disk,
    "memory": check_memory,
    "power": check_power,
    "games": check_games,
    "port": check_port,
    "fonts": check_fonts,
    "buttons": check_buttons,
    "clock": check_clock,
}


KEPT, NCNN = "runtime.json", "ncnn"
TRIAL = (sys.executable, "-m", "vision.runtimes")
TRIAL_S = 180.0
WORTH = 1.1
"""ncnn is chosen if it is this many times as fast as the reference."""


def follow_choice(data: Path) -> None:
    """From here on the eyes of this program and of its children find tiles with the runtime that was chosen."""
    if (data / KEPT).is_file():
        os.environ[RUNTIME] = str(data / KEPT)


def choose_runtime(data: Path, trial: tuple[str, ...] = TRIAL) -> CheckResult:
    """Try ncnn and keep in `data`, where that folder is there, what is to be used; no OSError."""
    if importlib.util.find_spec(NCNN) is None:
        return _kept(data, None, _told("runtime.no_ncnn"))
    try:
        from vision.runtimes import tried_with

        tried = tried_with(shipped_weights("tiles"))
        worst, speed = _asked(trial)
    except (ImportError, OSError, ValueError, WeightsError) as error:
        return _kept(data, None, _told("runtime.unusable", why=error))
    if worst:
        return _kept(data, None, _told("runtime.differs", worst=worst))
    if speed < WORTH:
        return _kept(data, None, _told("runtime.no_faster", speed=speed))
    return _kept(data, tried, _told("runtime.chosen", speed=speed))


def _asked(trial: tuple[str, ...]) -> tuple[str, float]:
    """How ncnn differs ("" where it does not) and how many times as fast it is. ValueError where the child gave no
    answer, in its last words."""
    from vision.runtimes import alike

    try:
        done = subprocess.run(trial, capture_output=True, text=True, timeout=TRIAL_S, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError(f"no answer within {TRIAL_S:.0f} s") from None
    if done.returncode < 0:
        raise ValueError(f"it ended by {signal.Signals(-done.returncode).name}")
    if done.returncode:
        raise ValueError((done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
    try:
        told = json.loads(done.stdout)
        worst, taken = told["worst"], told["seconds"]
        differs = "" if alike(worst) else ", ".join(f"{name} by {value:.3g}" for name, value in worst.items())
        return differs, float(taken["onnxruntime"]) / float(taken["ncnn"])
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError):
        raise ValueError(f"no answer that can be read: {done.stdout[:80]!r}") from None


def _kept(data: Path, tried: dict[str, str] | None, finding: CheckResult) -> CheckResult:
    """The finding, once the choice stands in the data folder; a folder that is not there gets none."""
    file = data / KEPT
    try:
        if tried is None:
            file.unlink(missing_ok=True)
        elif data.is_dir():
            write_state(file, {"runtime": NCNN, "tried": tried})
        else:
            return CheckResult("runtime", True, f"{finding.found}; kept once {data} is there")
    except OSError as error:
        return CheckResult("runtime", False, f"{finding.found}; not kept ({file}: {error.strerror})", needed=False)
    return finding
