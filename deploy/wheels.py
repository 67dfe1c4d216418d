"""Fill a folder with every package that an installation needs, for machines without internet: `make wheels`.

    python -m deploy.wheels --into wheels             # checked against deploy/hashes.txt
    python -m deploy.wheels --into wheels --renew     # after constraints.txt has changed: writes the hashes anew

The folder serves x86-64 and aarch64 with Python 3.11 and 3.13: Debian bookworm and trixie, Raspberry Pi OS of the same
age.
pip checks each file against the hashes, here and again when it installs.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HASHES = ROOT / "deploy" / "hashes.txt"
CONSTRAINTS = ROOT / "constraints.txt"
EXTRAS = ("eye", "box", "gpio", "mqtt", "pi")
ON_THE_BOX = {"opencv-python": "opencv-python-headless"}
"""The same OpenCV without windows: nothing here opens one, and a box is spared libGL and 38 system packages."""
PYTHONS = ("3.11", "3.13")
MACHINES = ("x86_64", "aarch64")
GLIBC = ("2_17", "2_24", "2_27", "2_28", "2_31", "2_34", "2_35")
"""manylinux tags that Debian bookworm (glibc 2.36) can run."""


def needed() -> list[str]:
    """The requirements of an installation, as pyproject.toml writes them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for extra in EXTRAS:
        parts += project["project"]["optional-dependencies"][extra]
    own = project["project"]["name"]
    return [_boxed(part) for part in parts if not part.startswith(own)]


def _boxed(requirement: str) -> str:
    for ours, theirs in ON_THE_BOX.items():
        requirement = re.sub(rf"^{ours}(?=[<>=~! ]|$)", theirs, requirement)
    return requirement


def constraints() -> str:
    """constraints.txt for a box."""
    return "\n".join(_boxed(line) for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines()) + "\n"


def platforms(machine: str) -> list[str]:
    return [f"manylinux{'' if tag.startswith('20') else '_'}{tag}_{machine}" for tag in ("2014", *GLIBC)]


def download(into: Path, machine: str, python: str, *, checked: bool) -> None:
    """Every wheel for one kind of machine. Raises CalledProcessError."""
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary=:all:",
        "--implementation", "cp", "--abi", f"cp{python.replace('.', '')}", "--abi", "abi3", "--abi", "none",
        "--python-version", python, "--dest", str(into),
        *(word for platform in platforms(machine) for word in ("--platform", platform)),
    ]  # fmt: skip
    if checked:
        command += ["--require-hashes", "--no-deps", "--requirement", str(HASHES)]
        subprocess.run(command, check=True)
        return
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as pinned:
        pinned.write(constraints())
        pinned.flush()
        subprocess.run([*command, "--constraint", pinned.name, *needed()], check=True)


def hashed(folder: Path) -> str:
    """The wheels of a folder as pip's requirements with hashes, one package a line."""
    found: dict[str, list[str]] = defaultdict(list)
    for wheel in sorted(folder.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        found[f"{name.replace('_', '-').lower()}=={version}"].append(hashlib.sha256(wheel.read_bytes()).hexdigest())
    lines = [f"{name} " + " ".join(f"--hash=sha256:{one}" for one in sorted(hashes)) for name, hashes in found.items()]
    return "# Written by `python -m deploy.wheels --renew`: every wheel of an installation.\n" + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=Path("wheels"))
    parser.add_argument("--renew", action="store_true", help="write deploy/hashes.txt anew from what is downloaded")
    parser.add_argument("--machine", choices=MACHINES, action="append", help="only this kind; repeatable")
    parser.add_argument("--python", choices=PYTHONS, action="append", help="only this version; repeatable")
    chosen = parser.parse_args()
    chosen.into.mkdir(parents=True, exist_ok=True)
    for machine in chosen.machine or MACHINES:
        for python in chosen.python or PYTHONS:
            print(f"{machine}, Python {python}", file=sys.stderr, flush=True)
            download(chosen.into, machine, python, checked=not chosen.renew)
    if chosen.renew:
        HASHES.write_text(hashed(chosen.into), encoding="utf-8")


if __name__ == "__main__":
    main()
