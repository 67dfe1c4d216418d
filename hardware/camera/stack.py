"""Can this Python use picamera2, and if it cannot, which of three things is wrong: missing, hidden, or broken?

picamera2 comes with the system (`apt`), never from the package index. So a virtual environment sees it only where it
was made with `--system-site-packages`, and its compiled helpers fit only the system's own Python and the numpy they
were built for.

    python -m hardware.camera.stack      # one line; exit status 0: it can be used
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import subprocess
import sys
import traceback
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

SYSTEM_PACKAGES = Path("/usr/lib/python3/dist-packages")
"""Where Debian and Raspberry Pi OS put Python packages."""

INSTALL = "sudo apt install python3-picamera2"

FROM_APT = {
    "libcamera": "python3-libcamera",
    "pykms": "python3-kms++",
    "kms": "python3-kms++",
    "prctl": "python3-prctl",
    "av": "python3-av",
    "piexif": "python3-piexif",
    "pidng": "python3-pidng",
    "v4l2": "python3-v4l2",
    "videodev2": "python3-videodev2",
}
"""Import of picamera2 -> its package on Raspberry Pi OS."""

ANOTHER_NUMPY = re.compile(r"binary incompatib|compiled using NumPy|numpy\.core\.multiarray failed", re.IGNORECASE)

ANSWER_S = 30.0
"""Importing picamera2 takes seconds on a Pi with a slow card."""


class StackTrouble(StrEnum):
    MISSING = "missing"
    HIDDEN = "hidden"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class StackFault:
    """Why picamera2 cannot be used. `words` says what is wrong, `mend` what to type."""

    trouble: StackTrouble
    words: str
    mend: str

    @property
    def line(self) -> str:
        return f"{self.words}: {self.mend}"


class StackError(Exception):
    """picamera2 cannot be imported here; `fault` says why."""

    def __init__(self, fault: StackFault) -> None:
        super().__init__(fault.line)
        self.fault = fault


def import_picamera2(system: Path = SYSTEM_PACKAGES) -> Any:
    """The module. Raises StackError, whatever its import raises: an ABI clash is a ValueError."""
    try:
        return importlib.import_module("picamera2")
    except Exception as error:
        raise StackError(fault_of(error, system)) from error


def fault_of(error: Exception, system: Path = SYSTEM_PACKAGES) -> StackFault:
    """The fault of this machine behind an error of `import picamera2`."""
    if isinstance(error, ModuleNotFoundError) and error.name == "picamera2":
        if (system / "picamera2").is_dir():
            words = (
                f"picamera2 is installed, but the Python environment {sys.prefix} does not see the system's packages"
            )
            mend = f"run `make run` again, or `/usr/bin/python3 -m venv --system-site-packages {sys.prefix}`"
            return StackFault(StackTrouble.HIDDEN, words, mend)
        return StackFault(StackTrouble.MISSING, "picamera2 is not installed", INSTALL)
    return StackFault(
        StackTrouble.BROKEN, f"picamera2 is installed but cannot be loaded ({_told(error)})", _mend_of(error)
    )


def _mend_of(error: Exception) -> str:
    pip = f"{sys.executable} -m pip install --upgrade --force-reinstall --no-deps"
    if ANOTHER_NUMPY.search(str(error)):
        # Bookworm's simplejpeg was built for numpy 1; the index has one for numpy 2.
        return f"{pip} simplejpeg"
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        name = error.name.partition(".")[0]
        if name in FROM_APT:
            return f"sudo apt install {FROM_APT[name]}; this environment has to be made with /usr/bin/python3"
        return f"{pip} {name}"
    return "sudo apt install --reinstall python3-picamera2 python3-libcamera"


def _told(error: Exception) -> str:
    """The error's own words on one line, and the module in which it came up."""
    text = " ".join(str(error).split())[:200]
    frames = traceback.extract_tb(error.__traceback__)
    where = Path(frames[-1].filename) if frames else None
    at = "" if where is None or where.name.startswith("<") else f", in {where.parent.name}/{where.name}"
    return f"{type(error).__name__}: {text}{at}"


def ask_in_child(system: Path = SYSTEM_PACKAGES) -> StackFault | None:
    """Try the import in a process of its own, because it may crash or hang; None: it works."""
    command = [sys.executable, "-m", f"{__package__}.stack", "--machine", str(system)]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_S, check=False)
    except subprocess.TimeoutExpired:
        return _crashed(f"no answer within {ANSWER_S:g} s")
    if answer.returncode == 0:
        return None
    if answer.returncode < 0:
        return _crashed(f"its import was ended by signal {-answer.returncode}")
    parts = (answer.stdout.strip().splitlines() or [""])[-1].split("\t")
    if len(parts) == 3 and parts[0] in list(StackTrouble):
        return StackFault(StackTrouble(parts[0]), parts[1], parts[2])
    return _crashed((answer.stderr.strip().splitlines() or [f"exit status {answer.returncode}"])[-1])


def _crashed(why: str) -> StackFault:
    mend = "sudo apt install --reinstall python3-picamera2 python3-libcamera"
    return StackFault(StackTrouble.BROKEN, f"picamera2 is installed but cannot be loaded ({why})", mend)


def main(arguments: list[str]) -> int:
    for_machine = arguments[:1] == ["--machine"]
    system = Path(arguments[1]) if len(arguments) > 1 else SYSTEM_PACKAGES
    try:
        import_picamera2(system)
    except StackError as error:
        fault = error.fault
        print("\t".join((fault.trouble, fault.words, fault.mend)) if for_machine else fault.line)
        return 1
    print("picamera2 can be used")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
