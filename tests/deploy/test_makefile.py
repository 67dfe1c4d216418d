"""The environment that `make run` makes: on a Raspberry Pi, and only there, it sees the system's camera package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def planned(tmp_path: Path, *, pi: bool) -> str:
    """The commands by which `make` would set up an environment in `tmp_path`."""
    model = tmp_path / "model"
    model.write_text("Raspberry Pi 5 Model B Rev 1.0" if pi else "another board", encoding="ascii")
    venv = tmp_path / "venv"
    answer = subprocess.run(
        ["make", "--dry-run", f"VENV={venv}", f"{venv}/.runtime"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "COMPANION_MODEL_FILE": str(model)},
        capture_output=True,
        text=True,
        check=True,
    )
    return answer.stdout


def made_without(venv: Path, home: str) -> None:
    """An environment as an earlier `make run` made it."""
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n", encoding="ascii")
    (venv / ".runtime").touch()


def test_only_a_pi_gets_an_environment_that_sees_the_systems_packages(tmp_path: Path) -> None:
    assert "/usr/bin/python3 -m venv --system-site-packages" in planned(tmp_path, pi=True)
    assert "--editable '.[box,pi]'" in planned(tmp_path, pi=True)
    elsewhere = planned(tmp_path, pi=False)
    assert "--system-site-packages" not in elsewhere and "--editable '.[box]'" in elsewhere


@pytest.mark.parametrize(("home", "anew"), [("/usr/bin", False), ("/home/pi/.pyenv/versions/3.12.1/bin", True)])
def test_an_environment_that_hides_them_is_mended(tmp_path: Path, home: str, anew: bool) -> None:
    made_without(tmp_path / "venv", home)
    plan = planned(tmp_path, pi=True)
    assert "-m venv --system-site-packages" in plan and ("--clear" in plan) is anew
    assert "--system-site-packages" not in planned(tmp_path, pi=False), "elsewhere nothing is made again"
