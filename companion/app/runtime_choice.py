"""Which runtime finds the tiles on this machine: tried by `companion doctor` in a child that may crash, and kept in the
data folder for `serve`. Without a trial, or where ncnn is missing, broken, different or no faster: the reference.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from companion.app.checkup import Finding
from companion.storage.state_file import write_state
from vision.weights import RUNTIME, WeightsError, shipped_weights

KEPT, NCNN = "runtime.json", "ncnn"
TRIAL = (sys.executable, "-m", "vision.runtime_trial")
TRIAL_S = 180.0
REFERENCE = "onnxruntime finds the tiles"
WORTH = 1.1
"""From so many times the reference's speed on ncnn is chosen."""


def follow_choice(data: Path) -> None:
    """What was chosen is what the eyes of this program and of its children find tiles with, from here on."""
    if (data / KEPT).is_file():
        os.environ[RUNTIME] = str(data / KEPT)


def choose_runtime(data: Path, trial: tuple[str, ...] = TRIAL) -> Finding:
    """Try ncnn and keep in `data`, where that folder is there, what is to be used; no OSError."""
    if importlib.util.find_spec(NCNN) is None:
        return _kept(data, None, Finding("runtime", True, f"{REFERENCE}; {NCNN} is not installed"))
    try:
        from vision.runtimes import tried_with

        tried = tried_with(shipped_weights("tiles"))
        worst, speed = _asked(trial)
    except (ImportError, OSError, ValueError, WeightsError) as error:
        wrong = f"{REFERENCE}: {NCNN} cannot be used ({error})"
        return _kept(
            data, None, Finding("runtime", False, wrong, "pip uninstall ncnn, or install it again", needed=False)
        )
    if worst:
        wrong = f"{REFERENCE}: {NCNN} answers otherwise on this machine ({worst})"
        return _kept(data, None, Finding("runtime", False, wrong, "pip uninstall ncnn", needed=False))
    if speed < WORTH:
        found = f"{REFERENCE}; {NCNN} answers alike, {speed:.1f} times as fast"
        return _kept(data, None, Finding("runtime", True, found))
    found = f"{NCNN} finds the tiles: it answers as onnxruntime does, {speed:.1f} times as fast"
    return _kept(data, tried, Finding("runtime", True, found))


def _asked(trial: tuple[str, ...]) -> tuple[str, float]:
    """How ncnn differs ("" where it does not) and how many times as fast it is. ValueError where the child gave no
    answer, in its last words."""
    from vision.runtime_trial import alike

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


def _kept(data: Path, tried: dict[str, str] | None, finding: Finding) -> Finding:
    """The finding, once the choice stands in the data folder; a folder that is not there gets none."""
    file = data / KEPT
    try:
        if tried is None:
            file.unlink(missing_ok=True)
        elif data.is_dir():
            write_state(file, {"runtime": NCNN, "tried": tried})
        else:
            return Finding("runtime", True, f"{finding.found}; kept once {data} is there")
    except OSError as error:
        return Finding("runtime", False, f"{finding.found}; not kept ({file}: {error.strerror})", needed=False)
    return finding
