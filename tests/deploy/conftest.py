"""The pretended Raspberry Pi every test here starts from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.deploy.pretended import DEPLOY, RECORDED, STUBS, Box


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """A fresh Raspberry Pi with Bookworm, nothing installed on it."""
    box = Box(tmp_path)
    for folder in (box.root, box.stub, tmp_path / "bin", box.source):
        folder.mkdir()
    stubs = {**{name: f'echo "{name} $*" >> "$STUB/calls"\n' for name in RECORDED}, **STUBS}
    for name, body in stubs.items():
        stub = tmp_path / "bin" / name
        stub.write_text(f"#!/bin/bash\n{body}", encoding="utf-8")
        stub.chmod(0o755)
    shutil.copytree(DEPLOY, box.source / "deploy", ignore=shutil.ignore_patterns("__pycache__"))
    (box.source / "docs").mkdir()
    (box.source / "docs/install.md").write_text("# Install\n", encoding="utf-8")
    for room in ("companion", "vision", "hardware", "datasets", "models"):
        (box.source / room).mkdir()
        (box.source / room / "__init__.py").write_text("", encoding="utf-8")
    (box.source / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n', encoding="utf-8")
    for name in ("constraints.txt", "README.md", "LICENSE"):
        (box.source / name).write_text(name, encoding="utf-8")
    box.new_version("first")
    (tmp_path / "os-release").write_text("ID=debian\nVERSION_CODENAME=bookworm\n", encoding="ascii")
    (tmp_path / "model").write_text("Raspberry Pi 5 Model B Rev 1.0", encoding="ascii")
    box.set("accounts", "group video\ngroup render\ngroup gpio\ngroup input")
    box.set("packages", "python3")
    box.set("phase", "waiting")
    return box
