"""12 to 18 are told apart by their prints."""

import cv2
import numpy as np
import pytest

from datasets.render.faces import FaceMaker
from datasets.render.styles import TileStyle, make_style
from tests.lanes import nightly
from vision.known_set import KnownSet
from vision.prints import FITS, MANY, RARE, fits_of, printed, supported
from vision.rectify import READ_MARGIN, TILE_SIDE, cut_tile, outward_halves

BODY = (225, 230, 232)


def as_sold(rng: np.random.Generator) -> TileStyle:
    """A double-18 set with pips on a plain body, its high values printed as real sets have them."""
    while True:
        style = make_style(rng, "western", 18)
        plain = style.pips.relief in ("flat", "print") and not style.pips.numerals and style.body.specks is None
        if plain and style.maker.as_sold and not style.body.film and style.body.material in ("white", "black"):
            return style


def crop(style: TileStyle, first: int, second: int, blur: float = 0.0) -> np.ndarray:
    """(48, 96, 3) uint8 BGR as the reader cuts a tile."""
    texture = FaceMaker(style, 6.0, np.random.default_rng(2)).face(first, second, np.random.default_rng(3))
    face = (np.clip(texture.albedo[..., 2::-1], 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)
    h, w = face.shape[:2]
    table = cv2.copyMakeBorder(face, h, h, h, h, cv2.BORDER_CONSTANT, value=(60, 90, 70))
    if blur:
        table = cv2.GaussianBlur(table, (0, 0), blur * h)
    quad = np.array([[h, 2 * h], [h, h], [h + w, h], [h + w, 2 * h]], np.float32)
    return cut_tile(table, quad, (2 * TILE_SIDE, TILE_SIDE), READ_MARGIN)


def claimed(value: int) -> np.ndarray:
    """(1, 2, 19): half 0 surely read as `value`, half 1 as a three."""
    p = np.full((1, 2, 19), 0.002)
    p[0, 0, value] = p[0, 1, 3] = 0.964
    return p


@pytest.mark.parametrize("seed", [0, *map(nightly, (1, 2))])
def test_a_clear_print_fits_its_own_value_best(seed: int) -> None:
    style = as_sold(np.random.default_rng(seed))
    for value in MANY:
        for half in outward_halves(crop(style, value, value)[None])[0]:
            fits = fits_of(half)
            assert max(fits, key=fits.__getitem__) == value and fits[value] > FITS


@pytest.mark.parametrize("known", [None, KnownSet.double(18)])
def test_a_clear_print_is_read_where_the_reader_takes_it_for_another(known: KnownSet | None) -> None:
    read = []
    for seed in range(2):
        style = as_sold(np.random.default_rng(seed))
        for value, claim in ((13, 16), (14, 16), (15, 16), (18, 17)):
            crops = crop(style, value, 3)[None]
            p = supported(printed(claimed(claim), crops, known), crops, known)
            assert p[0, 0].max() < 0.9 or p[0, 0].argmax() == value, "unread, but never another value"
            assert np.array_equal(p[0, 1], claimed(claim)[0, 1])
            read.append(p[0, 0].max() > 0.9)
    assert sum(read) >= 7


@pytest.mark.parametrize("seed", range(3))
def test_a_twelve_stays_a_twelve(seed: int) -> None:
    crops = crop(as_sold(np.random.default_rng(seed)), 12, 3)[None]
    for known in (None, KnownSet.double(12), KnownSet.double(15), KnownSet.double(18)):
        p = supported(printed(claimed(12), crops, known), crops, known)
        assert p[0, 0].argmax() == 12 and p[0, 0].max() > 0.9


@pytest.mark.parametrize("seed", [0, 5, *map(nightly, (1, 2, 3, 4))])
@pytest.mark.parametrize("shown", [12, 15])
def test_nothing_above_fifteen_is_claimed_of_a_twelve_or_a_fifteen(shown: int, seed: int) -> None:
    style = as_sold(np.random.default_rng(seed))
    for blur in (0.0, 0.02, 0.05):
        crops = crop(style, shown, 3, blur)[None]
        for value in RARE:
            p = supported(claimed(value), crops, None)
            assert p[0, 0].max() < 0.9
            assert p[0, 1, 3] == claimed(value)[0, 1, 3]


def test_a_known_set_needs_the_print_as_well() -> None:
    crops = crop(as_sold(np.random.default_rng(0)), 15, 3)[None]
    for known in (None, KnownSet.double(18)):
        assert supported(claimed(16), crops, known)[0, 0].max() < 0.9
    assert supported(claimed(14), crops, KnownSet.double(15))[0, 0].max() < 0.9
    # A set that ends with 12 has nothing to tell it apart from.
    assert np.array_equal(printed(claimed(12), crops, KnownSet.double(12)), claimed(12))
    assert np.array_equal(supported(claimed(12), crops, KnownSet.double(12)), claimed(12))


def test_lower_values_are_as_they_were_read() -> None:
    crops = crop(as_sold(np.random.default_rng(0)), 16, 3)[None]
    assert np.array_equal(supported(claimed(15), crops, None), claimed(15))


def test_a_bare_half_shows_no_value_at_all() -> None:
    bare = np.full((1, TILE_SIDE, 2 * TILE_SIDE, 3), BODY, np.uint8)
    assert supported(claimed(18), bare, None)[0, 0].max() < 0.9
