"""The quick measure that guards the shipped weights, and what counts as a drop."""

from __future__ import annotations

import json
from typing import Any

import pytest

from models.evaluate import BASELINE, SAMPLES, drops, kinds_of, label_of, open_eye, rendered

GOOD = {"recall": 0.99, "precision": 0.98, "exact": 0.95, "wrong": 0.001}


def thing(**changed: Any) -> dict[str, Any]:
    plain = {
        "cls": 0,
        "quad": [[0, 60], [0, 0], [120, 0], [120, 60]],
        "values": [3, 4],
        "vis": 1.0,
        "half_vis": [1.0, 1.0],
        "in_frame": 1.0,
    }
    return plain | changed


@pytest.mark.slow
def test_the_shipped_weights_are_as_good_as_the_baseline_says() -> None:
    before = json.loads(BASELINE.read_text(encoding="utf-8"))["quick"]
    now = rendered(SAMPLES, open_eye())["all"]
    assert drops(now, before) == []
    assert now["tiles"] >= 40


def test_the_samples_stay_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*.*")) < 300_000


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [("recall", 0.9, "recall"), ("precision", 0.9, "precision"), ("exact", 0.9, "exact"), ("wrong", 0.02, "wrong")],
)
def test_a_drop_is_named_with_both_figures(key: str, value: float, word: str) -> None:
    assert drops(GOOD | {key: value}, GOOD) == [f"{word}: {value}, was {GOOD[key]}"]


def test_a_measure_that_vanished_is_a_drop() -> None:
    assert drops(GOOD | {"exact": None}, GOOD) == ["exact: None, was 0.95"]


def test_another_processors_rounding_is_no_drop() -> None:
    assert drops(GOOD | {"recall": 0.985, "wrong": 0.003}, GOOD) == []


@pytest.mark.parametrize(
    ("changed", "face", "values"),
    [
        ({}, "up", [3, 4]),
        ({"half_vis": [1.0, 0.5]}, "up", None),
        ({"quad": [[0, 15], [0, 0], [30, 0], [30, 15]]}, "up", None),
        ({"in_frame": 0.7}, "up", None),
        ({"cls": 1, "values": None}, "down", None),
        ({"cls": 1, "values": None, "half_vis": [0.3, 1.0]}, "up", None),
    ],
)
def test_only_tiles_a_person_could_read_must_be_read(
    changed: dict[str, Any], face: str, values: list[int] | None
) -> None:
    (tile,) = label_of("a.jpg", "tables", {"objects": [thing(**changed)]})["tiles"]
    assert (tile["face"], tile["values"]) == (face, values)


def test_markers_hubs_and_hidden_tiles_are_no_tiles_to_find() -> None:
    things = [thing(cls=2, values=None), thing(cls=3, values=None), thing(vis=0.05)]
    assert label_of("a.jpg", "tables", {"objects": things})["tiles"] == []


def test_a_table_is_of_several_kinds() -> None:
    meta = {"scene": "train", "tilt_deg": 29.2, "px_per_mm": 0.8, "nmax": 15, "objects": [thing()]}
    assert kinds_of(meta) == {"scene train without a hub", "leaning 20 to 40", "small tiles", "values over 12"}
    meta |= {"tilt_deg": 3.0, "px_per_mm": 2.0, "nmax": 12, "objects": [thing(cls=3)]}
    assert kinds_of(meta) == {"scene train with a hub", "from above", "large tiles"}
    assert kinds_of(meta | {"scene": "pile"}) == {"scene pile", "from above", "large tiles"}
