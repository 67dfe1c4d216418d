"""Which finds lie face down, where the reader and the judge of backs are told what they say."""

from __future__ import annotations

import numpy as np
import pytest

from vision.backs import among_others, lying_face_down
from vision.detections import Detections, Finds, Kind, records
from vision.judging import JudgeSettings
from vision.reading import CLASSES
from vision.rotated import sides

IMAGE = np.zeros((600, 600, 3), np.uint8)
LENGTH, WIDTH = 50.0, 25.0
BACK = CLASSES - 1


class Told:
    """A judge that believes outlines of about a tile's width and no other, but those at `denied` not at all."""

    settings = JudgeSettings()

    def __init__(self, denied: tuple[int, ...] = (), logit: float = 4.0) -> None:
        self.denied, self.logit = denied, logit

    def logits(self, image, quads_px) -> np.ndarray:
        return np.where(np.abs(np.minimum(*sides(quads_px)) - WIDTH) < 1.0, self.logit, -4.0).astype(np.float32)

    def confidences(self, image, tiles, clear, asked, length_px=None) -> np.ndarray:
        logits = np.where(np.isin(asked, self.denied), -4.0, self.logits(image, tiles.quads_px[asked]))
        return self.settings.confidence(logits.astype(np.float32), tiles.confidence[asked])


def rows(count: int = 12) -> np.ndarray:
    """Tiles of 25 by 50 in rows of four, 30 and 55 apart."""
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, LENGTH], [0, LENGTH]], np.float32)
    return np.stack([corners + np.float32([30 * (n % 4), 55 * (n // 4)]) + 100 for n in range(count)])


def read_as(count: int) -> np.ndarray:
    """(count, 2, classes): every half a plain back."""
    p = np.full((count, 2, CLASSES), 0.0, np.float32)
    p[:, :, BACK] = 1.0
    return p


def lie(
    quads: np.ndarray,
    p: np.ndarray,
    judge: Told,
    found: float = 0.7,
    kind: int = Kind.FACE_DOWN,
    image: np.ndarray = IMAGE,
) -> Finds:
    finds = finds_of(quads, p, found, kind)
    lying_face_down(image, finds, np.arange(len(quads)), judge, None)  # type: ignore[arg-type]
    among_others(image, finds, judge)  # type: ignore[arg-type]
    return finds


def finds_of(quads: np.ndarray, p: np.ndarray, found: float, kind: int = Kind.FACE_DOWN) -> Finds:
    """All of one colour, found as this kind."""
    n = len(quads)
    finds = records(Detections(quads, np.full(n, kind, np.int8), np.full(n, found, np.float32)), p)
    finds.seen, finds.colours = True, 128.0
    return finds


def narrow(quads: np.ndarray, n: int) -> np.ndarray:
    """The n-th outline as if its right quarter had not been seen."""
    out = quads.copy()
    out[n, 1:3, 0] -= 6
    return out


def test_what_shows_no_print_and_is_believed_lies_face_down() -> None:
    lying = lie(rows(), read_as(12), Told())
    assert lying.down.all() and (lying.believed > 0.9).all()


def test_an_outline_too_narrow_is_judged_again_in_the_size_of_its_neighbours() -> None:
    quads = rows()
    lying = lie(narrow(quads, 0), read_as(12), Told(), found=0.5)
    assert lying.believed[0] > 0.9
    assert np.abs(sides(lying.quads[:1])[1] - WIDTH).max() < 1.0
    assert np.linalg.norm(lying.quads[0].mean(0) - quads[0].mean(0)) < 4.0


def test_what_was_hardly_found_is_not_judged_again() -> None:
    lying = lie(narrow(rows(), 0), read_as(12), Told(), found=0.3)
    assert lying.believed[0] == 0.0 and (lying.believed[1:] > 0.9).all()


def test_one_of_another_colour_is_not_judged_again() -> None:
    finds = finds_of(narrow(rows(), 0), read_as(12), 0.5)
    finds.colours[0, 0] += 100
    lying_face_down(IMAGE, finds, np.arange(12), Told(), None)  # type: ignore[arg-type]
    among_others(IMAGE, finds, Told())  # type: ignore[arg-type]
    assert finds.believed[0] == 0.0


@pytest.mark.parametrize(("found", "believed"), [(0.7, True), (0.5, False)])
def test_one_half_like_a_back_is_enough_where_the_detector_is_sure(found: float, believed: bool) -> None:
    p = read_as(3)
    p[0, 1] = 0.0
    p[0, 1, 2] = 0.45
    lying = lie(rows(3), p, Told(), found=found)
    assert bool(lying.believed[0] > 0) == believed


def test_a_tile_that_is_read_stays_face_up_whatever_the_detector_says() -> None:
    p = read_as(3)
    p[0, 1] = 0.0
    p[0, 1, 2] = 0.98
    p[0, 0] = p[0, 1]
    assert not lie(rows(3), p, Told(), found=0.9).down[0]


def test_a_corner_of_the_rows_that_is_denied_lies_there_with_its_neighbours() -> None:
    """Its neighbour below is denied as well, and is one of the rows itself only by the others."""
    lying = lie(rows(), read_as(12), Told(denied=(0, 4)))
    assert lying.believed[0] == np.float32(0.7) and lying.believed[4] == np.float32(0.7)


def test_a_shining_back_far_from_the_rows_that_is_denied_is_none() -> None:
    quads = rows(13)
    quads[12] += 250
    lying = lie(quads, read_as(13), Told(denied=(12,)))
    assert lying.believed[12] == 0.0


def test_what_is_found_hardly_at_all_is_no_back_of_a_row() -> None:
    p = read_as(12)
    p[0] = 0.0
    p[0, :, 1] = 0.5
    assert lie(rows(), p, Told(), found=0.7, kind=Kind.FACE_UP).believed[0] > 0
    assert lie(rows(), p, Told(), found=0.3, kind=Kind.FACE_UP).believed[0] == 0.0


def test_a_stripe_of_the_cloth_that_goes_on_at_both_ends_is_no_back():
    quads = rows(8)
    quads[-1] += np.float32([60, 0])
    image = np.full((600, 600, 3), (40, 150, 80), np.uint8)
    for quad in quads[:-1]:
        (x0, y0), (x1, y1) = quad.min(0).astype(int), quad.max(0).astype(int)
        image[y0:y1, x0:x1] = 230
    left, right = quads[-1, :, 0].min().astype(int), quads[-1, :, 0].max().astype(int)
    image[:, left:right] = 225
    lying = lie(quads, read_as(8), Told(logit=1.0), image=image)
    assert (lying.believed > 0).tolist() == [True] * 7 + [False]


def test_a_back_with_two_faint_edges_stays_where_the_others_have_no_clearer_ones():
    quads = rows(8)
    image = np.full((600, 600, 3), 120, np.uint8)
    for quad in quads:
        (x0, y0), (x1, y1) = quad.min(0).astype(int), quad.max(0).astype(int)
        image[y0:y1, x0:x1] = 124
    assert (lie(quads, read_as(8), Told(logit=1.0), image=image).believed > 0).all()
