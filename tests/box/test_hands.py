"""A phone's photograph is read in a process of its own: whatever it does there, the page lives on."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bench.attacks.siege import bomb
from companion.app.games import HandReader
from companion.app.own_set import LEARNED
from companion.supervise.child import NoAnswerError, Worker
from tests.box.readers import open_nervous, open_nothing
from vision.adaptation import Adaptation

pytestmark = pytest.mark.slow

HEADER = {"rules": "tactic", "set": "double-9"}


@pytest.mark.parametrize(
    ("photograph", "why"),
    [
        (b"hang", "did not answer within 1 s"),
        (b"die", "process ended"),
        (b"eat", "more memory than it may have"),
        (b"refuse", "^damaged picture$"),
    ],
)
def test_a_photograph_that_breaks_its_reader_is_refused_and_the_next_is_read(photograph: bytes, why: str) -> None:
    reader = HandReader(opener=open_nervous, silent_s=1.0)
    try:
        with pytest.raises(ValueError, match=why):
            reader(photograph, HEADER)
        assert reader(b"good", HEADER)["set"] == "double-9"
        assert reader.pid != os.getpid()
    finally:
        reader.close()
    assert reader.pid == 0


def test_what_was_learned_of_the_set_goes_with_the_photograph(tmp_path: Path) -> None:
    reader = HandReader(tmp_path, open_nervous)
    try:
        assert reader(b"good", HEADER)["learned"] == ""
        patterns, shown = np.eye(3, 8, dtype=np.float32), np.array([1, 2, 3], np.int16)
        Adaptation("double-9", patterns, shown, 5.0, 0.5).save(tmp_path / LEARNED)
        assert reader(b"good", HEADER)["learned"] == str(tmp_path / LEARNED)
        assert reader(b"good", {"set": "chinese"})["learned"] == "", "pips of another kind"
        (tmp_path / LEARNED).write_bytes(b"broken")
        assert reader(b"good", HEADER)["learned"] == ""
    finally:
        reader.close()


def test_a_reader_without_its_model_says_which() -> None:
    with Worker(open_nothing) as reader, pytest.raises(NoAnswerError, match=r"pips\.onnx: truncated"):
        reader.ask(b"", "double-9")


def test_a_reader_that_nobody_asks_any_more_is_put_away() -> None:
    with Worker(open_nervous, idle_s=0.05) as reader:
        assert reader.ask(b"good", "double-9")["tiles"] == [[1, 2]]
        first = reader.pid
        waiting = reader._idle
        assert waiting is not None
        waiting.join(20)
        assert reader.pid == 0
        assert not Path(f"/proc/{first}").exists()
        assert reader.ask(b"good", "double-9")["tiles"] == [[1, 2]]


def test_the_shipped_reader_reads_refuses_and_stays_small(capfd: pytest.CaptureFixture[str]) -> None:
    """A real photograph without tiles, a picture that would unpack to 30000 x 30000, and one cut off in the middle."""
    out = io.BytesIO()
    Image.new("RGB", (640, 480), (90, 60, 30)).save(out, "JPEG")
    reader = HandReader()
    try:
        read = reader(out.getvalue(), HEADER)
        assert Image.open(io.BytesIO(read.pop("picture"))).size == (640, 480)
        assert read == {
            "tiles": [],
            "unreadable": 0,
            "size": [640, 480],
            "why": [],
            "found": [],
        }
        with pytest.raises(ValueError, match="megapixels"):
            reader(bomb(), HEADER)
        with pytest.raises(ValueError, match="damaged picture"):
            reader(out.getvalue()[:400], HEADER)
    finally:
        reader.close()
    assert capfd.readouterr().err == ""
