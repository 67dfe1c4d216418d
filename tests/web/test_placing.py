"""Camera and table before play: what is wrong is said in words, and corners set by hand are really used."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient
from numpy.typing import NDArray

from bench.stand_ins.fakes import FakeCamera, FakeTable
from companion.app.state import AppState
from companion.app.table_place import (
    FilmingChoice,
    TablePlace,
    look_over,
    read_place,
    write_place,
)
from companion.web.placing import cause_text
from hardware.camera import CameraSettings
from vision.fiducials import DICTIONARY
from vision.frame import Frame

SQUARE = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))


@pytest.fixture
def table(app_state: AppState) -> FakeTable:
    made = FakeTable()
    app_state.table = made
    return made


def form(**more: str) -> dict[str, str]:
    corners = {f"{axis}{n}": str(100 * SQUARE[n][i]) for n in range(4) for i, axis in enumerate("xy")}
    return {**corners, "width_mm": "1200", "height_mm": "900", **more}


def test_what_is_wrong_is_said_with_what_helps(anyone: FlaskClient, table: FakeTable) -> None:
    page = anyone.get("/table").get_data(as_text=True)
    assert "2 of the four printed markers are not in the picture." in page
    assert "Glare on the table." in page and "Move the lamp" in page


@pytest.mark.parametrize(
    "cause", ["FROZEN", "DARK", "GLARE", "BLURRED", "TOO_SMALL", "SMALL", "UNEVEN", "OUTSIDE", "NO_BORDER"]
)
def test_every_cause_has_words(cause: str) -> None:
    assert cause_text(cause)[0] != cause


def test_corners_are_kept_as_shares_of_the_picture(keeper: FlaskClient, table: FakeTable) -> None:
    assert keeper.post("/table", data=form(do="keep")).status_code == 303
    assert table.placed == [([list(corner) for corner in SQUARE], [1200.0, 900.0])]


def test_trying_corners_keeps_nothing(keeper: FlaskClient, table: FakeTable) -> None:
    page = keeper.post("/table", data=form(do="try", width_mm="", height_mm="")).get_data(as_text=True)
    assert "1.61 px/mm" in page and "You can play." in page and "The pips are small." in page
    assert table.placed == []


def test_the_printed_markers_can_be_gone_back_to(keeper: FlaskClient, table: FakeTable) -> None:
    keeper.post("/table", data={"do": "markers"})
    assert table.placed == [(None, None)]


def test_the_watching_have_no_say(anyone: FlaskClient, table: FakeTable) -> None:
    assert anyone.post("/api/table", json={"corners": SQUARE}).status_code == 401
    assert table.placed == []


@pytest.mark.parametrize(
    "fields",
    [
        {"corners": []},
        {"corners": [[0, 0]] * 3},
        {"corners": "x"},
        {"corners": [[0, 0], [1, 0], [1, 1], ["a", 1]]},
        {"corners": [[0, 0], [1, 0], [1, 1], [True, 1]]},
        {"corners": [[0, 0], [9, 0], [9, 9], [0, 9]]},
        {"corners": [list(c) for c in SQUARE], "size_mm": [1, 2]},
        {"corners": [list(c) for c in SQUARE], "size_mm": "big"},
        {"corners": [list(c) for c in SQUARE], "size_mm": [1e300, 1e300]},
        {"corners": [list(c) for c in SQUARE], "do": "dance"},
        {},
    ],
)
def test_corners_that_are_none_are_refused(keeper: FlaskClient, table: FakeTable, fields: dict[str, Any]) -> None:
    answer = keeper.post("/api/table", json=fields)
    assert answer.status_code == 400 and answer.get_json()["error"].count("\n") == 0
    assert table.placed == []


def test_a_keeper_has_the_table_read_at_once(
    keeper: FlaskClient, anyone: FlaskClient, app_state: AppState, table: FakeTable
) -> None:
    app_state.camera = FakeCamera()
    assert "Read the table now" in keeper.get("/").get_data(as_text=True)
    assert "Read the table now" not in anyone.get("/").get_data(as_text=True)
    answer = keeper.post("/api/read-now", json={})
    assert answer.status_code == 200 and answer.get_json()["camera"] == app_state.camera_status()
    assert keeper.post("/api/read-now", data={}, content_type="application/x-www-form-urlencoded").status_code == 303
    assert table.read == 2
    assert anyone.post("/api/read-now", json={}).status_code in (401, 403) and table.read == 2


def test_a_game_without_a_camera_says_so(anyone: FlaskClient) -> None:
    assert "No camera is connected" in anyone.get("/table").get_data(as_text=True)
    assert anyone.get("/api/table").status_code == 409


def test_without_a_camera_nothing_can_be_read_now(keeper: FlaskClient) -> None:
    assert "Read the table now" not in keeper.get("/").get_data(as_text=True)
    assert keeper.post("/api/read-now", json={}).status_code == 409


def test_what_was_kept_is_read_again_and_rubbish_is_not(tmp_path: Path) -> None:
    place = TablePlace(SQUARE, (1200.0, 900.0))
    write_place(tmp_path / "table.json", place)
    assert read_place(tmp_path / "table.json") == place
    for rubbish in ("", "[]", "{}", '{"corners": 3}', json.dumps({"corners": [[5, 5]] * 4})):
        (tmp_path / "table.json").write_text(rubbish, encoding="utf-8")
        assert read_place(tmp_path / "table.json") is None
    write_place(tmp_path / "table.json", None)
    assert not (tmp_path / "table.json").exists()


class NoEye:
    """Sees no tile."""

    def look(self, *_arguments: object) -> Any:
        return type("Nothing", (), {"tiles": ()})()


@cache
def cloth() -> NDArray[np.uint8]:
    return np.random.default_rng(0).normal(110, 12, (1000, 1400, 3)).clip(0, 255).astype(np.uint8)


def seen(*corners: tuple[int, int]) -> Frame:
    """A table at 2 px a mm with printed markers whose outer corners are there."""
    image = cloth().copy()
    kind = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    for k, (x, y) in enumerate(corners):
        image[y - 12 : y + 92, x - 12 : x + 92] = 235
        image[y : y + 80, x : x + 80] = np.maximum(cv2.aruco.generateImageMarker(kind, k, 80), 20)[:, :, None]
    return Frame(image, 0.0, "table")


MARKED = ((100, 100), (1220, 100), (1220, 820), (100, 820))


def test_printed_markers_measure_the_table_and_their_own_error() -> None:
    found = look_over(seen(*MARKED), None, NoEye())  # type: ignore[arg-type]
    assert (found["by"], found["fit"], found["causes"]) == ("markers", True, [])
    assert found["size_mm"] == pytest.approx([600, 400], abs=2)
    assert found["error_mm"] < 0.5 and found["worst_px_per_mm"] == pytest.approx(2, rel=0.05)


def test_corners_set_by_hand_count_where_no_marker_is() -> None:
    bare = seen()
    assert look_over(bare, None, NoEye())["why"] == "MARKERS"  # type: ignore[arg-type]
    found = look_over(bare, TablePlace(SQUARE, (560.0, 400.0)), NoEye())  # type: ignore[arg-type]
    assert (found["by"], found["error_mm"]) == ("person", None)
    assert np.array(found["corners"]) == pytest.approx(np.array(SQUARE), abs=1e-4)


def test_a_table_nobody_measured_needs_a_tile_on_it() -> None:
    found = look_over(seen(), TablePlace(SQUARE), NoEye())  # type: ignore[arg-type]
    assert (found["by"], found["why"]) == (None, "NO_TILES")


def test_a_lamp_in_the_table_and_a_table_far_away_are_named() -> None:
    glaring = seen(*MARKED)
    glaring.image[300:600, 400:900] = 255
    assert "GLARE" in look_over(glaring, None, NoEye())["causes"]  # type: ignore[arg-type]
    far = look_over(seen(), TablePlace(SQUARE, (2400.0, 1800.0)), NoEye())  # type: ignore[arg-type]
    assert "TOO_SMALL" in far["causes"] and far["fit"] is False


def test_a_picture_that_ends_at_the_table_is_played_by_and_says_so(anyone: FlaskClient, table: FakeTable) -> None:
    whole = seen(*MARKED)
    cut = Frame(np.ascontiguousarray(whole.image[:904]), 0.0, "table")
    found = look_over(cut, None, NoEye())  # type: ignore[arg-type]
    assert (found["causes"], found["fit"]) == (["NO_BORDER"], True)
    table.answer = found
    page = anyone.get("/table").get_data(as_text=True)
    assert "You can play." in page and "The picture ends at the table" in page
    assert "the camera sees whose arm comes in" in page


def test_a_blurred_table_is_told_from_a_bare_one() -> None:
    sharp = seen(*MARKED)
    soft = Frame(np.asarray(cv2.GaussianBlur(sharp.image, (0, 0), 6.0), np.uint8), 0.0, "table")
    place = TablePlace(((1 / 14, 0.1), (13 / 14, 0.1), (13 / 14, 0.9), (1 / 14, 0.9)), (600.0, 400.0))
    assert "BLURRED" in look_over(soft, place, NoEye())["causes"]  # type: ignore[arg-type]
    bare = Frame(np.full((1000, 1400, 3), 90, np.uint8), 0.0, "table")
    for fine in (sharp, bare):
        assert "BLURRED" not in look_over(fine, place, NoEye())["causes"]  # type: ignore[arg-type]


LIVE = {
    "size": None,
    "mains": "auto",
    "films": {"size": [3840, 2160], "mains_hz": 60},
    "notes": ["the lamps run on 60 Hz, though this time zone's country has 50 Hz"],
}


def test_the_page_says_how_the_camera_films_and_takes_another_choice(
    keeper: FlaskClient, anyone: FlaskClient, table: FakeTable
) -> None:
    table.films = LIVE
    page = keeper.get("/table").get_data(as_text=True)
    assert "3840 × 2160 pixels" in page and "For lamps on 60 Hz." in page and "The lamps run on 60 Hz, though" in page
    assert "How the camera films" not in anyone.get("/table").get_data(as_text=True)
    assert keeper.post("/api/filming", data={"size": "1920 x 1080", "mains": "60"}).status_code == 303
    assert table.chosen == ((1920, 1080), 60)
    assert keeper.post("/api/filming", json={"size": "", "mains": "auto"}).get_json() == {"filming": LIVE}
    assert table.chosen == (None, None)
    assert anyone.post("/api/filming", json={}).status_code in (401, 403)


def test_a_recording_is_filmed_as_it_is(keeper: FlaskClient, table: FakeTable) -> None:
    assert "How the camera films" not in keeper.get("/table").get_data(as_text=True)


@pytest.mark.parametrize("fields", [{"size": "huge"}, {"size": "1x1"}, {"size": "9" * 40}, {"mains": "55"}])
def test_a_choice_that_is_none_is_refused(keeper: FlaskClient, table: FakeTable, fields: dict[str, str]) -> None:
    table.films = LIVE
    answer = keeper.post("/api/filming", json=fields)
    assert answer.status_code == 400 and answer.get_json()["error"].count("\n") == 0
    assert table.chosen is None


def test_the_choice_outlives_a_restart_and_goes_before_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "camera.json"
    given = CameraSettings(size_wh=(1280, 720), mains_hz=50)
    assert FilmingChoice(file, given).settings == given
    FilmingChoice(file, given).choose((1920, 1080), None)
    again = FilmingChoice(file, given)
    assert again.settings.size_wh == (1920, 1080) and again.settings.mains_hz is None
    with pytest.raises(ValueError, match="expected a size"):
        again.choose((5, 5), None)
    file.write_text('{"size": [1], "mains_hz": 55}', encoding="ascii")
    asides: list[Path] = []
    assert FilmingChoice(file, given, asides.append).settings == given and len(asides) == 1


def test_the_picture_of_now_is_for_whoever_has_the_pin(
    anyone: FlaskClient, keeper: FlaskClient, app_state: AppState
) -> None:
    table = FakeTable()
    app_state.table = table
    assert anyone.get("/api/view").status_code == 401 and "/api/view" not in anyone.get("/").text
    assert keeper.get("/api/view").json == {"picture": None} and "/api/view" in keeper.get("/").text
    tile = {"quad": [[0.1, 0.1], [0.2, 0.1], [0.2, 0.2], [0.1, 0.2]], "values": [3, 4]}
    table.seen = {"jpeg": b"jpeg", "size": [4, 3], "tiles": [tile], "arms": [{"at": [0.5, 0.5], "name": "Ann"}]}
    answer = keeper.get("/api/view")
    assert answer.json["picture"].startswith("data:image/jpeg;base64,") and answer.json["tiles"] == [tile]  # type: ignore[index]
    assert answer.headers["Cache-Control"] == "no-store"
    assert "/api/view" in anyone.get("/tv?screen=the-boxes-own").text, "the box's own screen shows it too"
