"""Formats that phones send: the reader behind the page opens every one that `read` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.app.games import HandReader
from tests.vision.test_pictures import save_picture

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "suffix", [".heic", *(pytest.param(one, marks=pytest.mark.nightly) for one in (".avif", ".tif"))]
)
def test_a_phones_own_format_is_read_behind_the_page(tmp_path: Path, suffix: str) -> None:
    save_picture(tmp_path / f"hand{suffix}", (2016, 1512))
    reader = HandReader(tmp_path)
    try:
        hand = reader((tmp_path / f"hand{suffix}").read_bytes(), {"set": "double-12"})
    finally:
        reader.close()
    assert hand["tiles"] == [] and hand["unreadable"] == 0
