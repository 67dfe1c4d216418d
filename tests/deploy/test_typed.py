"""The documents' commands, typed as they stand there, on this machine with a stand-in for a Raspberry Pi's camera.

`.ci/documents SUITE` does the same in a Debian root from nothing: apt, make, install.sh and all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.typed_commands import FOR_HOURS, REFUSED, WITHOUT, lines_of, pages

ROOT = Path(__file__).resolve().parents[2]


def test_every_exception_still_stands_in_a_document() -> None:
    typed = {line for page in pages(ROOT) for line in lines_of(page, ROOT)}
    assert set(WITHOUT) | set(REFUSED) <= typed
    assert len(typed) >= 30
    assert all(list(lines_of(page, ROOT)) for page in FOR_HOURS)


def test_a_block_that_names_its_language_is_not_typed(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("```json\n{}\nno\n```\n\ntext\n\n```\nyes  # why\n```\n", encoding="utf-8")
    assert list(lines_of("page.md", tmp_path)) == ["yes"]


@pytest.mark.slow
def test_the_commands_of_the_documents_do_what_they_say(tmp_path: Path) -> None:
    source = tmp_path / "companion"
    shutil.copytree(ROOT / "docs", source / "docs")
    shutil.copy(ROOT / "README.md", source)
    (source / "deploy").mkdir()
    shutil.copy(ROOT / "deploy/README.md", source / "deploy")
    activate = source / ".venv/bin/activate"
    activate.parent.mkdir(parents=True)
    stand_in = ROOT / "tests/deploy/stand_in"
    activate.write_text(f'PATH="{Path(sys.executable).parent}:$PATH"\nexport PYTHONPATH="{stand_in}:{ROOT}"\n')
    answer = subprocess.run(
        [sys.executable, str(ROOT / "tests/deploy/typed_commands.py"), str(source), "--only", ". ,companion "],
        env={**os.environ, "COMPANION_DATA": str(tmp_path / "games"), "COMPANION_PORT": "0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "companion calibrate picamera" in answer.stdout and "companion serve --camera picamera" in answer.stdout
