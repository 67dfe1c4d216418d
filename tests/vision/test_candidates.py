"""The detector passes each thing on once, and both a tile and a marker that stands on it."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detections import Kind
from vision.detector import Detector
from vision.weights import shipped_weights


class Answering:
    """A network that answers the same whatever it is shown: rows of cx, cy, w, h, four class scores, angle."""

    def __init__(self, *anchors: tuple[float, ...]) -> None:
        self.answer = np.array(anchors, np.float32).T[None]

    def __call__(self, blob: np.ndarray) -> np.ndarray:
        assert blob.shape[1:] == (3, 128, 128)
        return self.answer


@pytest.fixture
def seen():
    def found(*anchors: tuple[float, ...]) -> dict[Kind, list[float]]:
        detector = Detector(shipped_weights("tiles"), threads=1)
        detector._network = Answering(*anchors)  # type: ignore[assignment]
        _, scores, kinds = detector._run(np.full((128, 128, 3), 90, np.uint8))
        return {
            kind: sorted(round(float(one), 3) for one in scores[kinds == kind])
            for kind in Kind
            if (kinds == kind).any()
        }

    return found


def test_a_marker_on_a_tile_is_a_candidate_though_the_network_is_surer_of_the_tile(seen) -> None:
    tile = (60.0, 60.0, 70.0, 35.0, 0.9, 0.0, 0.004, 0.0, 0.0)
    on_it = (75.0, 60.0, 30.0, 30.0, 0.5, 0.0, 0.03, 0.0, 0.0)
    assert seen(tile, on_it) == {Kind.FACE_UP: [0.5, 0.9], Kind.MARKER: [0.03]}


def test_a_marker_takes_the_place_of_a_fainter_tile_and_is_passed_on_once(seen) -> None:
    marker = (60.0, 60.0, 60.0, 30.0, 0.1, 0.0, 0.6, 0.0, 0.0)
    again = (61.0, 60.0, 60.0, 30.0, 0.3, 0.0, 0.2, 0.0, 0.0)
    assert seen(marker, again) == {Kind.MARKER: [0.6]}


def test_neither_faint_hubs_nor_the_faintest_markers_are_passed_on(seen) -> None:
    assert seen((60.0, 60.0, 60.0, 60.0, 0.0, 0.0, 0.004, 0.1, 0.0)) == {}
