"""A face without pips shows a line or a pin in its middle, a back neither; where nothing tells, nobody says which."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.dividers import (
    Lines,
    Side,
    by_elimination,
    has_divider,
    line_across,
    usual_divider,
    well_outlined,
    which_side,
    with_dividers,
)
from vision.known_set import KnownSet
from vision.reading import HalfReading, TileReading

BODY = 40.0
WIDTH, LENGTH, GAP = 60, 120, 20


def sheet(contrasts: list[float], pin: bool = False, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A dark sheet of dark tiles in a row, each with a line or a pin by so many levels lighter, and their outlines."""
    image = np.full((LENGTH, (WIDTH + GAP) * len(contrasts), 3), 90.0)
    quads = []
    for n, contrast in enumerate(contrasts):
        x0 = n * (WIDTH + GAP)
        image[:, x0 : x0 + WIDTH] = BODY
        if pin:
            cv2.circle(image, (x0 + WIDTH // 2, LENGTH // 2), 4, [BODY + contrast] * 3, -1)
        else:
            image[LENGTH // 2 - 2 : LENGTH // 2 + 2, x0 + 6 : x0 + WIDTH - 6] += contrast
        quads.append([[x0, LENGTH], [x0, 0], [x0 + WIDTH, 0], [x0 + WIDTH, LENGTH]])
    outlines = np.array([quad[1:] + quad[:1] for quad in quads], np.float32)
    image += np.random.default_rng(seed).normal(0, 2.0, image.shape)
    return image.clip(0, 255).astype(np.uint8), outlines


def side_of_the_last(contrasts: list[float], colour: tuple[float, float, float], pin: bool = False) -> Side:
    image, quads = sheet(contrasts, pin)
    faces = np.full((len(quads) - 1, 3), (50.0, 128.0, 128.0), np.float32)
    return which_side(image, quads[-1], np.array(colour, np.float32), quads[:-1], faces)


ALIKE, OTHER = (52.0, 128.0, 128.0), (52.0, 160.0, 150.0)


@pytest.mark.parametrize("pin", [False, True])
@pytest.mark.parametrize("contrast", [40.0, -35.0])
def test_a_blank_tile_with_the_divider_of_the_others_is_a_face(contrast: float, pin: bool) -> None:
    assert side_of_the_last([contrast] * 5, ALIKE, pin) is Side.FACE
    assert side_of_the_last([contrast] * 4 + [0.0], ALIKE, pin) is Side.BACK
    assert side_of_the_last([contrast] * 4 + [contrast * 0.35], ALIKE, pin) is Side.UNSETTLED


def test_where_no_face_shows_a_divider_the_colour_alone_settles_nothing() -> None:
    assert side_of_the_last([0.0] * 5, ALIKE) is Side.UNSETTLED
    assert side_of_the_last([0.0] * 5, OTHER) is Side.BACK


def test_without_faces_beside_it_a_back_is_one() -> None:
    assert side_of_the_last([40.0], ALIKE) is Side.BACK


@pytest.mark.parametrize("faces", [1, 2])
def test_beside_one_or_two_faces_a_blank_tile_of_their_colour_is_a_back_only_where_they_show_what_it_does_not(
    faces: int,
) -> None:
    """A hand of a 0-0 and one tile more: whether it counts 50 is not said where nobody can tell."""
    assert side_of_the_last([40.0] * faces + [0.0], ALIKE) is Side.BACK
    assert side_of_the_last([40.0] * faces + [40.0], ALIKE) is Side.UNSETTLED, "too few to say what is usual"
    assert side_of_the_last([0.0] * faces + [0.0], ALIKE) is Side.UNSETTLED
    assert side_of_the_last([0.0] * faces + [0.0], OTHER) is Side.BACK


def test_grain_is_no_divider() -> None:
    image, quads = sheet([0.0] * 6, seed=3)
    assert usual_divider(image, quads) == 0.0
    assert has_divider(image, quads[0], 30.0) is False


def read(*pairs: tuple[int, int]) -> list[TileReading]:
    quad = np.array([[0, 20], [0, 0], [40, 0], [40, 20]], np.float32)
    return [TileReading(quad, "up", (HalfReading(a, 0.99), HalfReading(b, 0.98)), 0.9) for a, b in pairs]


def test_the_only_tile_of_the_box_that_is_not_there_is_the_double_blank() -> None:
    known = KnownSet.double(2)
    others = read((0, 1), (0, 2), (1, 1), (2, 1), (2, 2))
    back = TileReading(others[0].quad_px, "down", None, 0.9, True)
    told = by_elimination([*others, back], known)[-1]
    assert (told.face, told.values, told.or_blank) == ("up", (0, 0), False)
    for tiles in ([*others[:-1], back], [*others, back, back], [*others, TileReading(back.quad_px, "down", None, 0.9)]):
        assert by_elimination(tiles, known) == tiles
    assert by_elimination([*others, back], None)[-1].values == (0, 0), "the whole double-2 lies there"
    assert by_elimination([*others[1:], back], None)[-1] is back
    assert by_elimination([back], None) == [back]


def test_a_double_blank_with_the_divider_of_the_others_is_a_tile_however_faintly_it_was_found() -> None:
    image, quads = sheet([40.0] * 5 + [0.0, 40.0])
    assert with_dividers(image, quads[5:], quads[:5]).tolist() == [False, True]
    assert with_dividers(image, quads[6:], quads[:2]).tolist() == [False], "two faces tell nothing"
    assert with_dividers(image, quads[:0], quads).tolist() == []


def outlined(
    offs: list[float], told: tuple[int, int] = (4, 3), lines: list[float] | None = None
) -> list[tuple[int, int] | None]:
    """The values that remain of tiles whose outlines are shifted lengthwise by `offs`, in parts of a tile. Other
    outlines read as `told`; the dividing lines stand out by `lines` levels."""
    image, quads = sheet(lines or [30.0] * len(offs))
    shift = np.array([0.0, LENGTH], np.float32)
    tiles = [
        TileReading(q + off * shift, "up", (HalfReading(4, 0.99), HalfReading(2, 0.99)), 0.9)
        for q, off in zip(quads, offs, strict=True)
    ]
    lines_of = Lines.of(image, {n: tile.quad_px for n, tile in enumerate(tiles)})
    return [
        tile.values for tile in well_outlined(image, tiles, lines_of, lambda around: np.array([told] * len(around)))
    ]


def test_an_outline_with_the_divider_off_its_middle_is_not_read() -> None:
    assert outlined([0.0, 0.02, -0.02, 0.01]) == [(4, 2)] * 4
    assert outlined([0.0, 0.02, -0.15, 0.01]) == [(4, 2), (4, 2), None, (4, 2)]
    assert outlined([0.0, 0.02, -0.15, 0.01], (4, 2)) == [(4, 2)] * 4, "it is read so however it is outlined"
    assert outlined([0.15, 0.15, 0.15, 0.15]) == [(4, 2)] * 4, "these have their lines elsewhere"
    assert outlined([0.0, 0.15]) == [(4, 2)] * 2, "two tell nothing"
    some = [30.0, 30.0, 30.0, 0.0, 0.0]
    assert outlined([0.0, 0.15, 0.01, 0.0, 0.0], lines=some) == [(4, 2), None, *[(4, 2)] * 3], "not all need show one"


@pytest.mark.parametrize("off", [0.15, -0.15])
def test_a_half_that_is_sure_counts_unless_it_is_another_at_its_own_length(off: float) -> None:
    image, quads = sheet([70.0] * 4)
    quads[0] += off * np.array([0.0, LENGTH], np.float32)
    tiles = [TileReading(quad, "up", (HalfReading(4, 0.9999), HalfReading(2, 0.9999)), 0.9) for quad in quads]
    lines = Lines.of(image, dict(enumerate(quads)))

    def left(longer: tuple[int, int], shorter: tuple[int, int]) -> tuple[int, int] | None:
        def read_in(around: np.ndarray) -> np.ndarray:
            lengths = np.linalg.norm(around[:, 2] - around[:, 1], axis=1)
            return np.array([shorter if length < LENGTH - 1 else longer for length in lengths])

        return well_outlined(image, tiles, lines, read_in)[0].values

    assert left(longer=(9, 9), shorter=(4, 2)) == (4, 2), "a longer outline takes in the next tile"
    assert left(longer=(4, 2), shorter=(4, 3)) is None, "pips of the next tile made it"


def test_a_column_of_pips_is_no_line() -> None:
    image, quads = sheet([40.0] * 4)
    for n in range(4):
        image[30:90, n * (WIDTH + GAP) : n * (WIDTH + GAP) + WIDTH] = BODY
        for x in (12, 30, 48):
            cv2.circle(image, (n * (WIDTH + GAP) + x, 45), 6, [220] * 3, -1)
    assert all(abs(line_across(image, quad)[0]) < 30 for quad in quads)
