"""Learn my set on the page: the row of doubles, why it was refused, and corrections kept to learn from."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeDesk
from companion.app.games import create_game
from companion.app.learning import LabelKeeper, LearningDesk, delete_samples, oriented, pack, samples
from companion.app.own_set import LEARNED, learned_for, usable
from companion.app.state import AppState
from companion.app.table_service import WatchedTable
from companion.evidence.store import Deleter, EvidenceStore
from companion.geometry.layout import SeenHalf, SeenTile
from companion.rules.position import Play
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from datasets.render.table import TableCamera, TableScene, TableTile, render_table
from vision.adaptation import Adaptation, AdaptationError
from vision.frame import Frame

JPEG = b"\xff\xd8\xff" + b"0" * 40


@pytest.fixture
def desk(app_state: AppState) -> FakeDesk:
    made = FakeDesk()
    app_state.learning = made
    return made


def learn_page(client: FlaskClient, desk: FakeDesk, **told: Any) -> str:
    desk.told |= told
    return client.get("/learn").get_data(as_text=True)


def test_the_set_of_the_game_is_offered_first(anyone: FlaskClient, desk: FakeDesk) -> None:
    assert 'value="double-12" required checked' not in learn_page(anyone, desk), "only who has the PIN chooses"


def test_a_row_is_learned_from_the_live_camera_or_from_a_photograph(keeper: FlaskClient, desk: FakeDesk) -> None:
    assert 'value="double-12" required checked' in learn_page(keeper, desk)
    keeper.post("/learn", data={"do": "learn", "set": "double-9"})
    keeper.post("/learn", data={"do": "test", "set": "chinese", "photo": (io.BytesIO(JPEG), "row.jpg")})
    assert desk.begun == [("learn", "double-9", None), ("test", "chinese", JPEG)]


def test_markers_are_taught_beside_one_tile(keeper: FlaskClient, desk: FakeDesk) -> None:
    page = learn_page(keeper, desk, markers=2)
    assert "Teach it my markers" in page and "2 markers are known." in page
    keeper.post("/learn", data={"do": "markers", "set": "double-12", "photo": (io.BytesIO(JPEG), "markers.jpg")})
    assert desk.begun == [("markers", "double-12", JPEG)]
    assert "4 markers were learned." in learn_page(keeper, desk, last={"task": "markers", "markers": 4})
    failed = learn_page(keeper, desk, last={"task": "markers", "why": "ROW", "found": 0, "expected": 1})
    assert "on a cloth of another colour" in failed


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ({"why": "ROW", "found": 12, "expected": 13}, "12 tiles were found. There must be 13 doubles"),
        ({"why": "ROW", "found": 13, "expected": 13}, "The row is in another order."),
        ({"why": "NO_PICTURE"}, "There is no picture from a camera."),
        ({"why": "PICTURE"}, "That is not a photograph"),
        (
            {"why": "OTHER", "text": "the reader cannot be opened (no memory)"},
            "the reader cannot be opened (no memory)",
        ),
        ({"task": "test", "right": 25, "wrong": 1, "unread": 0}, "Self-test: 25 halves right, 1 wrong, 0 not read."),
        ({"task": "learn", "kept": False, "before": 1.0, "after": 0.9}, "Nothing was kept"),
        ({"task": "learn", "kept": True, "tiles": 13}, "Learned from 13 doubles."),
    ],
)
def test_how_it_ended_is_said(anyone: FlaskClient, desk: FakeDesk, last: dict[str, Any], words: str) -> None:
    assert words in learn_page(anyone, desk, last={"task": "learn", **last})


def test_what_was_learned_is_shown_with_its_accuracy(keeper: FlaskClient, desk: FakeDesk) -> None:
    lesson = {
        "learn": {"set": "double-9", "before": 0.9, "after": 0.95},
        "test": {"right": 19, "wrong": 0, "unread": 1},
    }
    page = learn_page(keeper, desk, lesson=lesson)
    assert page.count("95 %") == 2 and "90 %" in page
    keeper.post("/learn", data={"do": "forget"})
    assert desk.forgotten == 1


@pytest.mark.parametrize("fields", [{"do": "learn"}, {"do": "dance", "set": "double-6"}, {"do": "learn", "set": "x"}])
def test_what_cannot_be_learned_is_refused(keeper: FlaskClient, desk: FakeDesk, fields: dict[str, str]) -> None:
    assert keeper.post("/learn", data=fields).status_code == 400
    assert desk.begun == []


def test_one_row_at_a_time_and_only_with_the_pin(anyone: FlaskClient, keeper: FlaskClient, desk: FakeDesk) -> None:
    assert anyone.post("/learn", json={"do": "learn", "set": "double-6"}).status_code == 401
    desk.told["busy"] = "learn"
    assert keeper.post("/learn", data={"do": "learn", "set": "double-6"}).status_code == 409
    assert 'data-busy="/api/learn"' in learn_page(anyone, desk)
    bad = keeper.post("/learn", data={"do": "learn", "set": "double-6", "photo": (io.BytesIO(b"GIF89a"), "x.gif")})
    assert bad.status_code == 400


def test_corrections_are_handed_out_when_there_are_any(keeper: FlaskClient, desk: FakeDesk) -> None:
    assert keeper.get("/corrections.zip").status_code == 404
    desk.told["corrections"] = 3
    answer = keeper.get("/corrections.zip")
    assert answer.mimetype == "application/zip" and answer.data == b"PK"


def photographed_row(tilt: float, frame: int) -> bytes:
    tiles = tuple(TableTile((70 + 38.0 * v, 120.0), 90.0 + tilt, (v, v)) for v in range(7))
    camera = TableCamera(width=1280, height=960, height_mm=330)
    scene = TableScene((360.0, 240.0), tiles, camera=camera, set_max=6, background="cloth", frame=frame)
    return cv2.imencode(".png", render_table(scene, 21)[0])[1].tobytes()


@pytest.mark.slow
def test_a_real_row_is_learned_tested_and_read_with(tmp_path: Path) -> None:
    changes: list[str] = []
    before_the_camera = photographed_row(0, 0)
    desk = LearningDesk(tmp_path, lambda: before_the_camera, changed=lambda: changes.append("changed"))
    try:
        assert desk.begin("learn", "double-6")
        assert not desk.begin("learn", "double-6"), "one at a time"
        desk.wait(180)
        status = desk.status()
        assert status["last"]["kept"] and status["last"]["tiles"] == 7 and changes == ["changed"]
        assert desk.begin("test", "double-6", photographed_row(6, 1))
        desk.wait(180)
        test = desk.status()["lesson"]["test"]
        assert (test["wrong"], test["right"] + test["unread"]) == (0, 14)
        assert learned_for(tmp_path, "double-12") == tmp_path / LEARNED
        assert learned_for(tmp_path, "chinese") is None, "another kind of print"
        assert desk.begin("learn", "double-9")
        desk.wait(180)
        assert (desk.status()["last"]["found"], desk.status()["last"]["expected"]) == (7, 10)
        desk.forget()
        assert desk.status()["lesson"] is None and learned_for(tmp_path, "double-6") is None
    finally:
        desk.close()


def test_a_damaged_learned_set_is_named_and_not_used(tmp_path: Path) -> None:
    (tmp_path / LEARNED).write_bytes(b"PK nothing")
    with pytest.raises(AdaptationError, match="teach the set again"):
        learned_for(tmp_path, "double-12")
    path, why = usable(tmp_path, "double-12")
    assert path is None and LEARNED in why


def test_without_a_camera_a_photograph_is_asked_for(tmp_path: Path) -> None:
    desk = LearningDesk(tmp_path)
    assert desk.begin("learn", "double-6")
    assert desk.status()["last"]["why"] == "NO_PICTURE"
    desk.close()


class Table:
    """A real game whose first tile was seen by a camera as 12-4, and is 12-5."""

    def __init__(self, folder: Path) -> None:
        (folder / "games/one").mkdir(parents=True)
        self.folder = folder
        store = EvidenceStore(folder / "games", free_bytes=lambda _: 10**12)
        header = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "options": {}}
        self.session = create_game(folder / "games/one/journal.jsonl", header)
        LabelKeeper(folder).follow("one", self.session)
        self.session.start_round((12, 12), "Ann")
        image = np.full((400, 600, 3), 60, np.uint8)
        image[200:230, 300:360] = 240
        quad = ((360.0, 200.0), (360.0, 230.0), (300.0, 230.0), (300.0, 200.0))
        seen = SeenTile((330, 215), 180.0, 60, 30, True, (SeenHalf(4, 0.8), SeenHalf(12, 0.99)), 0.9, quad)
        corners = [[0.0, 0.0], [600.0, 0.0], [600.0, 400.0], [0.0, 400.0]]
        name = store.keep("one", Frame(image, 0.0, "f"), corners, tiles=[seen])
        store.close()
        self.session.observe(table_change([Play(Laid(12, 4), "Ann")], name))

    def close(self) -> None:
        self.session.journal.close()


def test_a_corrected_tile_becomes_a_labelled_crop_in_yolos_format(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.session.correct(2, {"tile": [12, 5]}, by="Ann")
    table.session.correct(2, {"by": "Ben"}, by="Ann")
    table.close()
    (label,) = samples(tmp_path)
    assert {path.stat().st_mode & 0o777 for path in label.parent.iterdir()} == {0o600}
    told = json.loads(label.read_text(encoding="utf-8"))
    assert (told["tile"], told["read"], told["set"]) == ([5, 12], [4, 12], "double-12"), "in the order of the crop"
    into = io.BytesIO()
    pack(tmp_path, into)
    with zipfile.ZipFile(into) as zipped:
        names = zipped.namelist()
        assert "data.yaml" in names and sum(name.startswith("images/") for name in names) == 1
        (text,) = (zipped.read(name).decode() for name in names if name.startswith("labels/"))
        image = cv2.imdecode(np.frombuffer(zipped.read(next(n for n in names if n.startswith("images/"))), np.uint8), 1)
    rows = [line.split() for line in text.splitlines()]
    assert [row[0] for row in rows] == ["5", "12"] and all(len(row) == 9 for row in rows)
    shares = np.array([[float(share) for share in row[1:]] for row in rows]).reshape(2, 4, 2)
    assert ((shares >= 0) & (shares <= 1)).all()
    right, left = (shares[:, :, 0].mean(1) * image.shape[1])[0], (shares[:, :, 0].mean(1) * image.shape[1])[1]
    assert right > left, "the five lies where the camera had read a four"
    assert delete_samples(tmp_path, Deleter()) == 1 and samples(tmp_path) == []


def test_a_correction_that_is_undone_teaches_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.session.correct(2, {"tile": [12, 5]}, by="Ann")
    assert len(samples(tmp_path)) == 1
    table.session.undo()
    table.close()
    assert samples(tmp_path) == []


def test_a_correction_without_a_picture_teaches_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.session.play((12, 7), "MX")
    table.session.correct(3, {"tile": [12, 8]})
    table.close()
    assert samples(tmp_path) == []


@pytest.mark.parametrize(
    ("seen", "read", "told", "label"),
    [
        ([4, 12], [12, 4], (12, 5), (5, 12)),
        ([12, 4], [12, 4], (12, 5), (12, 5)),
        ([9, 9], [9, 9], (9, 12), None),
        ([None, 12], None, (12, 5), (5, 12)),
        ([None, None], None, (12, 5), None),
        ([None, None], None, (5, 5), (5, 5)),
    ],
)
def test_halves_are_labelled_only_where_it_is_known_which_is_which(
    seen: list[int | None], read: list[int] | None, told: tuple[int, int], label: tuple[int, int] | None
) -> None:
    assert oriented(seen, read, told) == label


def test_the_learned_set_is_that_of_the_players(tmp_path: Path) -> None:
    adaptation = Adaptation("chinese", np.eye(3, 8, dtype=np.float32), np.array([1, 2, 3], np.int16), 5.0, 0.5)
    adaptation.save(tmp_path / LEARNED)
    assert learned_for(tmp_path, "chinese") == tmp_path / LEARNED
    assert learned_for(tmp_path, "double-12") is None


class NoCamera:
    stills = False

    def read(self) -> None:
        return None

    def close(self) -> None:
        return


def test_the_table_is_read_with_the_learned_set_as_soon_as_there_is_one(app_state: AppState, tmp_path: Path) -> None:
    table = WatchedTable(app_state, "none", tmp_path, camera=NoCamera())  # type: ignore[arg-type]
    shipped = table._eye
    table._read_with("double-12")
    assert table._eye is shipped, "nothing was learned"
    patterns = np.eye(3, 8, dtype=np.float32)
    Adaptation("double-12", patterns, np.array([1, 2, 3], np.int16), 5.0, 0.5).save(tmp_path / LEARNED)
    table._read_with("double-12")
    taught = table._eye
    assert taught is not shipped and taught.opener.args == (tmp_path / LEARNED,)  # type: ignore[attr-defined]
    table._read_with("double-9")
    assert table._eye is taught, "the same print"
    table.learned()
    table._read_with("double-12")
    assert table._eye is not taught, "learned anew"
    (tmp_path / LEARNED).write_bytes(b"broken")
    table._read_with("double-12")
    assert table._eye.opener.args == (None,) and "teach the set again" in table.troubles()[0]  # type: ignore[attr-defined]
    table._eye.close()
    table._evidence.close()
