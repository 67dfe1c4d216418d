"""Disturbed photographs: their labels move with them, and the disturbances do what they say."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from models import disturbed
from models.disturbed import DISTURBANCES, moved

SPOT = (130.0, 70.0)


def picture() -> np.ndarray:
    image = np.full((200, 300, 3), 90, np.uint8)
    cv2.circle(image, (int(SPOT[0]), int(SPOT[1])), 6, (250, 250, 250), -1)
    return image


@pytest.mark.parametrize("name", DISTURBANCES)
def test_a_thing_lies_where_its_label_has_moved_to(name: str) -> None:
    image, matrix = DISTURBANCES[name](picture())
    (x, y) = moved({"tiles": [{"center": list(SPOT)}]}, matrix)["tiles"][0]["center"]
    spot = np.argwhere(image.max(2) > image.max() - 40)[:, ::-1].mean(0)
    assert np.abs(spot - [x, y]).max() <= 1.5


def test_outlines_and_the_field_move_too_and_the_label_itself_stays() -> None:
    label = {"image": "a.jpg", "tiles": [{"quad": [[10, 20], [30, 20], [30, 60], [10, 60]], "values": [1, 2]}]}
    label["field_poly"] = [[0, 0], [300, 0], [300, 200]]
    half = np.diag([0.5, 0.5, 1.0])
    there = moved(label, half)
    assert there["tiles"][0] == {"quad": [[5, 10], [15, 10], [15, 30], [5, 30]], "values": [1, 2]}
    assert there["field_poly"] == [[0, 0], [150, 0], [150, 100]]
    assert label["tiles"][0]["quad"][0] == [10, 20]


def test_they_disturb_what_they_are_called_after() -> None:
    image = picture()
    of = {name: make(image)[0] for name, make in DISTURBANCES.items()}
    assert of["darker (power 2.2)"].mean() < image.mean() < of["lighter (power 0.5)"].mean()
    assert of["half the contrast"].std() < image.std()
    assert of["warm light"][..., 2].mean() > of["warm light"][..., 0].mean() + 20
    assert of["0.4 of the size"].shape == (80, 120, 3)
    assert of["turned by 90 degrees"].shape == (300, 200, 3)
    assert of["as it is"] is image


def test_what_is_seen_at_a_slant_is_foreshortened_and_larger_where_it_is_nearer() -> None:
    frame = np.array([[[0, 0], [300, 0], [300, 200], [0, 200]]], np.float64)
    seen, matrix = disturbed.slanted(picture(), 40, 0)
    (a, b, c, d), upright = cv2.perspectiveTransform(frame, matrix)[0], disturbed.slanted(picture(), 0, 0)[0]
    nearer, farther = sorted([np.linalg.norm(b - a), np.linalg.norm(c - d)], reverse=True)
    assert nearer > 1.2 * farther
    assert cv2.contourArea(np.float32([a, b, c, d])) < 0.8 * 300 * 200
    assert seen.shape[1] == 300 and upright.shape == (200, 300, 3)


def test_photographs_are_measured_one_disturbance_after_another(tmp_path, monkeypatch, capsys) -> None:
    from vision.reading import PictureReading, TileReading

    quad = np.array([[40, 40], [40, 20], [80, 20], [80, 40]], np.float32)

    class Blind:
        def look(self, image):
            return PictureReading((300, 200), (TileReading(quad, "down", None, 0.9),), (), None, 1.0)

    cv2.imwrite(str(tmp_path / "a.png"), picture())
    label = {"image": "a.png", "group": "g", "complete": True}
    label["tiles"] = [{"quad": quad.tolist(), "face": "down", "values": None}]
    (tmp_path / "labels.jsonl").write_text(json.dumps(label) + "\n")
    monkeypatch.setattr("vision.eye.open_eye", Blind)
    into = tmp_path / "figures.json"
    monkeypatch.setattr(
        "sys.argv", ["x", "as it is", "0.4 of the size", "--photographs", str(tmp_path), "--into", str(into)]
    )
    disturbed.main()
    figures = json.loads(into.read_text())
    assert figures["as it is"]["recall"] == 1.0 and figures["0.4 of the size"]["recall"] == 0.0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_an_unknown_disturbance_is_named(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["x", "inside out", "--photographs", str(tmp_path)])
    with pytest.raises(SystemExit):
        disturbed.main()
    assert "no disturbance 'inside out', expected one of as it is" in capsys.readouterr().err
