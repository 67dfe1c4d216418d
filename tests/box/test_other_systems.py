"""macOS, Windows and machines that lack something: a command works there, or says in one line what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from companion.__main__ import what_is_missing

WITHOUT_UNIX = (
    "import sys\n"
    "for name in ('fcntl', 'resource', 'termios', 'pwd', 'grp'): sys.modules[name] = None\n"
    "from companion.__main__ import main\n"
    "sys.argv = ['companion', *sys.argv[1:]]\n"
    "main()"
)


def on_windows(*words: str) -> subprocess.CompletedProcess[str]:
    """The command where Python has none of the modules that only Unix has."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX, *words], capture_output=True, text=True, check=False, input="", timeout=120
    )


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [["--help"], ["read", "no-such.jpg"], ["score", "no-such.jpg"], ["judge"], ["sheets", "--help"], ["cameras"]],
    ids=" ".join,
)
def test_what_needs_no_journal_works_anywhere(words: list[str]) -> None:
    answer = on_windows(*words)
    assert "Traceback" not in answer.stderr and "fcntl" not in answer.stderr
    assert answer.returncode in (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["serve", "--port", "0"], ["replay", "none.jsonl"], ["demo", "--port", "0"]], ids=" ".join
)
def test_what_needs_more_says_so_in_one_line(words: list[str]) -> None:
    answer = on_windows(*words)
    assert answer.returncode == 1 and answer.stdout == ""
    assert answer.stderr.startswith("Error: this command needs Linux or macOS (fcntl is missing on this system)")
    assert answer.stderr.count("\n") == 1


def test_a_missing_system_library_is_one_line_and_a_fault_of_ours_is_none() -> None:
    said = what_is_missing(ImportError("libGL.so.1: cannot open shared object file: No such file or directory"))
    assert said is not None and said.endswith("sudo apt install libgl1 libglib2.0-0")
    other = what_is_missing(ModuleNotFoundError("No module named 'av'", name="av"))
    assert other is not None and "the package av is missing" in other
    assert what_is_missing(ImportError("cannot import name 'x' from 'companion.y'", name="companion.y")) is None


WITHOUT_LIBGL = (
    "import sys, importlib.abc\n"
    "class Broken(importlib.abc.MetaPathFinder):\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        if name == 'cv2': raise ImportError('libGL.so.1: cannot open shared object file')\n"
    "sys.meta_path.insert(0, Broken())\n"
    "from companion.__main__ import main\n"
    "sys.argv = ['companion', *sys.argv[1:]]\n"
    "main()"
)


@pytest.mark.slow
def test_without_libgl_the_doctor_still_speaks_and_the_others_say_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_LIBGL]
    doctor = subprocess.run(
        [*command, "doctor", "--port", "0", "--data", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert doctor.returncode == 1 and "-> sudo apt install libgl1 libglib2.0-0" in doctor.stdout, doctor.stderr
    assert " clock " in doctor.stdout, "the other checks are made as well"
    read = subprocess.run([*command, "read", "a.jpg"], capture_output=True, text=True, check=False)
    assert read.returncode == 1 and read.stderr.endswith("sudo apt install libgl1 libglib2.0-0\n")
    assert read.stderr.count("\n") == 1
