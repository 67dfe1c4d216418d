"""The recipe for a container installs what the installer installs, and starts what the program understands."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import yaml

from companion.__main__ import companion
from companion.supervise.camera import SLOTS

ROOT = Path(__file__).resolve().parents[2]
RECIPE = (ROOT / "deploy/oci/Containerfile").read_text(encoding="utf-8")


def service() -> dict[str, Any]:
    found = yaml.safe_load((ROOT / "deploy/oci/compose.yaml").read_text(encoding="utf-8"))["services"]["companion"]
    assert isinstance(found, dict)
    return found


def words(instruction: str) -> list[str]:
    """The words of an instruction in exec form, the last one of its kind."""
    return [str(word) for word in yaml.safe_load(re.findall(rf"^{instruction} (\[.*\])$", RECIPE, re.M)[-1])]


def test_it_starts_a_command_that_the_program_understands() -> None:
    for command in (words("CMD"), service()["command"]):
        known = companion.get_command(click.Context(companion), command[0])
        assert known is not None
        context = known.make_context(command[0], command[1:])
        assert context.params["data_dir"] == Path("/data")


def test_it_installs_the_packages_of_the_installer() -> None:
    installer = (ROOT / "deploy/install.sh").read_text(encoding="utf-8")
    always = re.search(r"^packages\(\) \{\n  echo (.*)$", installer, re.M)
    assert always
    for package in always[1].split():
        assert re.search(rf"\s{re.escape(package)}\s", RECIPE), package
    assert "--require-hashes" in RECIPE and "/src/deploy/hashes.txt" in RECIPE


def test_games_outlive_the_container_and_phones_reach_the_page() -> None:
    asked = service()
    assert asked["volumes"] == ["companion-data:/data"] and "VOLUME /data" in RECIPE
    assert asked["network_mode"] == "host"
    largest_picture = 4056 * 3040 * 3  # of the cameras in hardware/cameras.toml
    assert int(asked["shm_size"].removesuffix("m")) * 1024**2 >= SLOTS * largest_picture


def test_nothing_runs_as_root_and_its_health_is_asked() -> None:
    assert RECIPE.index("USER companion") < RECIPE.index("ENTRYPOINT")
    assert "HEALTHCHECK" not in RECIPE, "an OCI image has no place for it"
    assert "/health" in service()["healthcheck"]["test"][-1]


def test_the_compose_file_names_the_recipe() -> None:
    build = service()["build"]
    folder = (ROOT / "deploy/oci" / build["context"]).resolve()
    assert folder == ROOT and (folder / build["dockerfile"]).is_file()


def test_every_variable_of_the_compose_file_may_be_left_out() -> None:
    text = (ROOT / "deploy/oci/compose.yaml").read_text(encoding="utf-8")
    assert re.findall(r"\$\{(\w+)(?!:-|\w)", text) == []


def test_each_step_is_a_line_that_a_shell_understands() -> None:
    shell = shutil.which("sh")
    assert shell is not None
    steps = re.findall(r"^RUN ((?:.*\\\n)*.*)$", RECIPE, re.M)
    assert len(steps) == 2
    for step in steps:
        assert subprocess.run([shell, "-n", "-c", step], check=False).returncode == 0, step
        assert shlex.split(step.replace("\\\n", " "))
