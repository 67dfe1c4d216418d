"""The licence promises everybody at the table the source of what runs: the page hands it out itself."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from companion.app.state import AppState
from companion.web import archive
from companion.web.app import create_app


def test_the_page_hands_out_its_own_source() -> None:
    answer = create_app(AppState()).test_client().get("/source", headers={"Host": "127.0.0.1"})
    assert answer.status_code == 200
    names = zipfile.ZipFile(io.BytesIO(answer.data)).namelist()
    assert "tabletop-companion/companion/web/archive.py" in names
    assert "tabletop-companion/LICENSE" in names
    assert "tabletop-companion/bench/__main__.py" in names
    assert not [name for name in names if "__pycache__" in name]


def test_an_installed_wheel_hands_out_itself_and_nothing_that_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("companion/web/archive.py", "datasets/somebody_elses.py", "LICENSE"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    monkeypatch.setattr(archive, "CLONE", tmp_path)
    packed = io.BytesIO()
    archive.write_source(packed)
    assert zipfile.ZipFile(packed).namelist() == ["tabletop-companion/companion/web/archive.py"]
