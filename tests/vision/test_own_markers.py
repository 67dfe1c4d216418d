"""The family's own markers: known again by colours and size, on any ground, and never in something else."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from companion.app.learning import LearningDesk, open_teacher
from companion.app.own_set import own_markers
from companion.cli import photographs as teach_command
from vision.adaptation import AdaptationError
from vision.own_markers import ColouredPicture, MarkerLook, OwnMarkers, learn_row
from vision.reading import PictureReading, TileReading
from vision.teaching import RowError, teach_markers

RED, GREEN, IVORY, CLOTH = (40, 40, 170), (60, 140, 40), (215, 225, 230), (90, 100, 60)
Drawn = NDArray[np.uint8]


def table(ground: tuple[int, int, int] = CLOTH, light: float = 1.0, seed: int = 1) -> Drawn:
    noise = np.random.default_rng(seed).normal(0, 4, (300, 420, 3))
    return np.clip((np.array(ground) + noise) * light, 0, 255).astype(np.uint8)


def put(
    picture: Drawn, at: tuple[int, int], colour: tuple[int, int, int], radius: int = 9, light: float = 1.0
) -> Drawn:
    shown = picture.copy()
    cv2.circle(shown, at, radius, [round(c * light) for c in colour], -1)
    return shown


def tile(picture: Drawn, at: tuple[int, int]) -> Drawn:
    shown = picture.copy()
    cv2.rectangle(shown, (at[0] - 25, at[1] - 12), (at[0] + 25, at[1] + 12), IVORY, -1)
    for dx in (-18, -12, 12, 18):
        cv2.circle(shown, (at[0] + dx, at[1] - 5), 2, RED, -1)
    return shown


def of(picture: Drawn) -> ColouredPicture:
    return ColouredPicture.of(picture, 1.0)


@pytest.fixture
def own() -> OwnMarkers:
    """A red button that was learned on the cloth, as Ann's."""
    return OwnMarkers().with_one(of(put(table(), (100, 100), RED)).learn((101.0, 99.0), "Ann"))


@pytest.mark.parametrize("ground", [CLOTH, (120, 60, 40), (200, 200, 205)])
@pytest.mark.parametrize("light", [0.95, 1.05])
def test_it_is_known_on_other_grounds_and_on_a_tile(
    own: OwnMarkers, ground: tuple[int, int, int], light: float
) -> None:
    there = put(tile(table(ground, light, seed=2), (200, 150)), (213, 150), RED, light=light)
    there = put(there, (320, 80), RED, light=light)
    for place in ((213.0, 150.0), (321.0, 78.0)):
        shown = own.at(of(there), place)
        assert shown is not None and shown[0].owner == "Ann"
    found = own.search(of(there), np.ones(there.shape[:2], np.bool_))
    assert sorted((round(x, -1), round(y, -1)) for (x, y), _ in found) == [(210, 150), (320, 80)]


@pytest.mark.parametrize(("colour", "radius"), [(GREEN, 9), (RED, 3), (RED, 30), (IVORY, 9)])
def test_another_colour_or_size_is_another_thing(own: OwnMarkers, colour: tuple[int, int, int], radius: int) -> None:
    there = put(tile(table(), (60, 60)), (200, 150), colour, radius)
    assert own.at(of(there), (200.0, 150.0)) is None and own.at(of(there), (60.0, 60.0)) is None
    assert own.search(of(there), np.ones(there.shape[:2], np.bool_)) == []


def test_a_marker_that_looks_like_its_ground_says_nothing() -> None:
    dotted = table()
    for x in range(20, 420, 40):
        for y in range(20, 300, 40):
            dotted = put(dotted, (x, y), RED)
    look = of(dotted).learn((100.0, 100.0), "Ann")
    assert not look.useful and OwnMarkers().with_one(look).at(of(put(table(), (200, 150), RED)), (200.0, 150.0)) is None


def test_it_is_searched_where_something_has_changed(own: OwnMarkers) -> None:
    there = put(table(), (320, 80), RED)
    left = np.zeros(there.shape[:2], np.bool_)
    left[:, :200] = True
    assert own.search(of(there), left) == []


def test_a_player_has_one_marker_and_one_thing_is_one_marker(own: OwnMarkers) -> None:
    green = of(put(table(), (200, 150), GREEN)).learn((200.0, 150.0), "Ann")
    assert [one.owner for one in own.with_one(green).looks] == ["Ann"]
    red = of(put(table(seed=3), (250, 200), RED)).learn((250.0, 200.0))
    assert [one.owner for one in own.with_one(red).looks] == [None]
    assert len(own.with_one(of(put(table(), (200, 150), GREEN)).learn((200.0, 150.0), "Ben")).looks) == 2


def test_what_was_learned_is_read_again_and_nonsense_is_refused(own: OwnMarkers) -> None:
    again = OwnMarkers.of_json(json.loads(json.dumps(own.to_json())))
    assert again.at(of(put(table(), (300, 200), RED)), (300.0, 200.0)) is not None
    for wrong in ({"version": 2, "markers": []}, {"version": 1, "markers": [{"areas": {"9999": 1}}]}):
        with pytest.raises((ValueError, KeyError, IndexError)):
            OwnMarkers.of_json(wrong)
    with pytest.raises(ValueError, match="no look"):
        MarkerLook.of_json({"areas": {"3": -1.0}, "alike": 0.1, "owner": None})


def test_a_row_of_markers_beside_a_tile_is_learned() -> None:
    laid = tile(table(seed=4), (60, 150))
    for x, colour in ((140, RED), (200, GREEN), (260, (150, 60, 140))):
        laid = put(laid, (x, 150), colour)
    outline = np.array([(35, 138), (85, 138), (85, 162), (35, 162)], np.float32)
    looks = learn_row(of(laid), [outline])
    assert len(looks) == 3 and all(look.useful and look.owner is None for look in looks)
    own = OwnMarkers(tuple(looks))
    assert own.at(of(put(table((150, 150, 150)), (300, 90), GREEN)), (300.0, 90.0)) is not None


class Eye:
    """Sees tiles where it is told to, in a picture of any size."""

    def __init__(self, *quads: NDArray[np.float32]) -> None:
        self.quads = quads

    def look(self, image: Drawn) -> PictureReading:
        return PictureReading((420, 300), tuple(TileReading(quad, "up", None, 1.0) for quad in self.quads))


def test_one_picture_with_one_tile_teaches_them_and_any_other_is_refused() -> None:
    laid = put(put(tile(table(seed=4), (60, 150)), (140, 150), RED), (220, 150), GREEN)
    large = cv2.resize(laid, None, fx=3.0, fy=3.0)
    outline = np.array([(35, 138), (85, 138), (85, 162), (35, 162)], np.float32)
    looks = teach_markers(Eye(3 * outline), large)  # type: ignore[arg-type]
    own = OwnMarkers(tuple(looks))
    assert len(looks) == 2 and own.at(of(put(table(), (300, 90), RED)), (300.0, 90.0)) is not None
    for eye in (Eye(), Eye(3 * outline, outline)):
        with pytest.raises(RowError):
            teach_markers(eye, large)  # type: ignore[arg-type]
    with pytest.raises(AdaptationError, match="no marker"):
        teach_markers(Eye(outline), tile(table(seed=4), (60, 150)))  # type: ignore[arg-type]


def test_the_command_and_the_page_teach_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outline = np.array([(35, 138), (85, 138), (85, 162), (35, 162)], np.float32)
    monkeypatch.setattr("companion.cli.photographs.eye_for", lambda: Eye(outline))
    monkeypatch.setattr("vision.eye.open_eye", lambda: Eye(outline))
    ground = tile(table(seed=4), (60, 150))
    laid = put(put(ground, (140, 150), RED), (220, 150), GREEN)
    cv2.imwrite(str(tmp_path / "two.png"), laid)
    cv2.imwrite(str(tmp_path / "none.png"), ground)
    taught = [str(tmp_path / "two.png"), "--data", str(tmp_path / "data")]
    for _ in range(2):
        done = CliRunner().invoke(teach_command.teach, ["--markers", *taught])
        assert (done.exit_code, done.output) == (0, "2 markers learned, 2 known\n"), "once learned is known"
    assert len(own_markers(tmp_path / "data").looks) == 2
    desk = LearningDesk(tmp_path / "data", opener=open_teacher)
    assert desk.status()["markers"] == 2
    desk.forget()
    assert desk.status()["markers"] == 0
    answer, picture = open_teacher(), (tmp_path / "two.png").read_bytes()
    assert answer("markers", picture, "double-12", str(tmp_path / "data" / "learned-set.npz")) == {"markers": 2}
    assert desk.status()["markers"] == 2
    desk.close()
    none = CliRunner().invoke(teach_command.teach, ["--markers", str(tmp_path / "none.png"), "--data", str(tmp_path)])
    assert none.exit_code == 1 and "no marker found beside the tile" in none.output
