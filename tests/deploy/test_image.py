"""The recipe for a card's image: what is on the card, and what each box makes for itself."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.deploy.pretended import DEPLOY, Box

STAGE = DEPLOY / "image/stage-companion"


def conf(box: Box) -> Path:
    return box.root / "etc/companion/companion.conf"


def pin(box: Box) -> str:
    return next(
        line for line in conf(box).read_text(encoding="utf-8").splitlines() if line.startswith("COMPANION_PIN=")
    )


def test_an_image_holds_the_program_and_no_secret_and_starts_nothing(box: Box) -> None:
    (box.folder / "model").unlink()
    result = box.run("--image")
    assert result.returncode == 0, result.stderr
    assert (box.home / "current/deploy/units").is_dir()
    assert not conf(box).exists(), "a PIN on the image would be everybody's"
    assert "systemctl enable --quiet companion-first-start.service" in box.calls
    assert "systemctl enable --quiet companion.service companion-backup.timer" in box.calls
    assert not any(call.startswith(("systemctl start", "systemctl restart", "companion doctor")) for call in box.calls)
    assert any("python3-picamera2" in call for call in box.calls), "it is for a Raspberry Pi, wherever it is built"


def test_each_box_has_a_pin_of_its_own_that_its_card_tells(box: Box) -> None:
    box.run("--image")
    boot = box.root / "boot/firmware"
    boot.mkdir(parents=True)
    pins = []
    for _ in range(2):
        conf(box).unlink(missing_ok=True)
        result = box.run("--first-start")
        assert result.returncode == 0, result.stderr
        assert conf(box).stat().st_mode & 0o777 == 0o600
        pins.append(pin(box))
        told = (boot / "companion.txt").read_text(encoding="utf-8").split()
        assert told[2] == "http://box.local:8000" and f"COMPANION_PIN={told[-1]}" == pins[-1]
    assert len(set(pins)) == 2
    assert "COMPANION_ARGS=--camera picamera\n" in conf(box).read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [["--broker"], ["--camera", "usb:0"], ["--rollback"], ["--port", "8001"]])
def test_what_belongs_to_one_box_is_no_part_of_an_image(box: Box, words: list[str]) -> None:
    result = box.run("--image", *words)
    assert result.returncode == 2 and "--image" in result.stderr
    assert box.files() == {} and box.calls == []


def test_pi_gen_finds_the_stage_as_it_looks_for_it() -> None:
    """As its README says: scripts are executable and numbered, and EXPORT_IMAGE makes a stage an image."""
    for script in (STAGE / "prerun.sh", STAGE / "00-install/00-run.sh", DEPLOY / "image/build"):
        assert script.stat().st_mode & 0o111, script
    assert (STAGE / "EXPORT_IMAGE").is_file()
    settings = dict(
        line.split("=", 1) for line in (DEPLOY / "image/config").read_text(encoding="utf-8").splitlines() if "=" in line
    )
    assert shlex.split(settings["STAGE_LIST"])[0].split()[-1] == STAGE.name
    assert settings["RELEASE"] in (DEPLOY / "install.sh").read_text(encoding="utf-8")


def test_without_docker_or_pi_gen_the_command_says_so(tmp_path: Path) -> None:
    build = str(DEPLOY / "image/build")
    (tmp_path / "git").symlink_to("/bin/true")
    for tool in ("bash", "dirname", "env"):
        (tmp_path / tool).symlink_to(Path("/usr/bin") / tool)
    bare = subprocess.run(
        ["/bin/bash", build], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert bare.returncode == 1 and bare.stderr == "deploy/image/build: needs docker, in which pi-gen builds\n"
    (tmp_path / "docker").symlink_to("/bin/true")
    wrong = subprocess.run(
        ["/bin/bash", build, str(tmp_path)], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 1 and "expected a folder with pi-gen in it" in wrong.stderr
