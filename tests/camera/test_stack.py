"""picamera2 missing, hidden, broken: three troubles with three mends, told by whoever needs the camera."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import companion.app.checkup as checkup
from companion.app.checkup import Machine
from companion.supervise.camera import SupervisedCamera
from companion.supervise.pictures import CameraState
from hardware.camera import CameraError, CameraFault, CameraSettings
from hardware.camera.guard import GuardedCamera
from hardware.camera.stack import StackError, StackTrouble, ask_in_child, fault_of, import_picamera2

ROOT = Path(__file__).resolve().parents[2]
ABI_CLASH = (
    'raise ValueError("numpy.dtype size changed, may indicate binary incompatibility. '
    'Expected 96 from C header, got 88 from PyObject")\n'
)


def put_picamera2(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the package that every child of this process imports."""
    package = folder / "stand-in/picamera2"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(body, encoding="utf-8")
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(package.parent), str(ROOT)]))


def broken(words: str) -> Exception:
    return ModuleNotFoundError(f"No module named {words!r}", name=words)


def test_missing_hidden_and_broken_are_three_things(tmp_path: Path) -> None:
    missing = fault_of(broken("picamera2"), tmp_path)
    assert missing.trouble is StackTrouble.MISSING and missing.mend == "sudo apt install python3-picamera2"
    (tmp_path / "picamera2").mkdir()
    hidden = fault_of(broken("picamera2"), tmp_path)
    assert (
        hidden.trouble is StackTrouble.HIDDEN and "--system-site-packages" in hidden.mend and "apt" not in hidden.mend
    )
    clash = fault_of(ValueError("numpy.dtype size changed, may indicate binary incompatibility"), tmp_path)
    assert clash.trouble is StackTrouble.BROKEN and "ValueError: numpy.dtype size changed" in clash.words
    assert "simplejpeg" in clash.mend
    libcamera = fault_of(broken("libcamera"), tmp_path)
    assert libcamera.trouble is StackTrouble.BROKEN and "python3-libcamera" in libcamera.mend


def test_a_child_that_cannot_import_it_passes_on_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_picamera2(tmp_path, ABI_CLASH, monkeypatch)
    fault = ask_in_child()
    assert fault is not None and fault.trouble is StackTrouble.BROKEN
    assert "Expected 96 from C header" in fault.words and "picamera2/__init__.py" in fault.words


def test_an_import_that_kills_its_process_is_broken_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_picamera2(tmp_path, "import os\nos.kill(os.getpid(), 11)\n", monkeypatch)
    fault = ask_in_child()
    assert fault is not None and fault.trouble is StackTrouble.BROKEN and "signal 11" in fault.words


def test_a_working_one_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_picamera2(tmp_path, "class Picamera2: ...\n", monkeypatch)
    assert ask_in_child() is None
    answer = subprocess.run(
        [sys.executable, "-m", "hardware.camera.stack"], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stdout) == (0, "picamera2 can be used\n")


def test_doctor_says_which_of_the_three_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_picamera2(tmp_path, ABI_CLASH, monkeypatch)
    finding = checkup.check_cameras(Machine(camera="picamera", root=tmp_path))
    assert not finding.ok and finding.needed
    assert "ValueError: numpy.dtype size changed" in finding.found and "ribbon" not in finding.mend
    model = tmp_path / "proc/device-tree/model"
    model.parent.mkdir(parents=True)
    model.write_bytes(b"Raspberry Pi 5 Model B Rev 1.0\0")
    unasked = checkup.check_cameras(Machine(root=tmp_path))
    assert "numpy.dtype size changed" in unasked.found and not unasked.needed


def test_without_picamera2_doctor_names_the_package(tmp_path: Path) -> None:
    try:
        import_picamera2()
    except StackError:
        finding = checkup.check_cameras(Machine(camera="picamera", root=tmp_path))
        assert "not installed" in finding.found and finding.mend == "sudo apt install python3-picamera2"
    else:
        pytest.skip("picamera2 is installed here")


@pytest.mark.slow
def test_the_page_is_told_of_the_software_and_not_of_a_plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_picamera2(tmp_path, ABI_CLASH, monkeypatch)
    with SupervisedCamera("picamera") as camera:
        assert camera.wait_for(lambda health: health.state is not CameraState.OPENING, 60)
        health = camera.health
    assert health.state is CameraState.SOFTWARE
    assert "numpy.dtype size changed" in health.message and "simplejpeg" in health.message
    assert "plug" not in health.message and "work without a camera" not in health.message


def raising(source: str, settings: CameraSettings) -> GuardedCamera:
    raise ValueError("a driver's own trouble")


@pytest.mark.slow
def test_a_guarded_camera_says_what_its_driver_raised() -> None:
    with pytest.raises(CameraError, match="ValueError: a driver's own trouble") as caught:
        GuardedCamera("usb:0", CameraSettings(), opener=raising)
    assert caught.value.fault is CameraFault.CRASHED
