"""What could not be read is held against what could: size and body colour of one box of tiles."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.plausibility import Bodies, body_colours, lightest_beside, strangers
from vision.rotated import quads_of


def tiles(sizes):
    return quads_of(np.array([[100.0 * i, 50, s, s / 2, 0.1 * i] for i, s in enumerate(sizes)], np.float32))


def crops(colours):
    return np.array([np.full((48, 96, 3), c, np.uint8) for c in colours])


IVORY, TEAL, SHADED = (200, 220, 230), (150, 130, 20), (150, 168, 176)


def test_a_find_of_another_colour_is_a_stranger_and_a_shaded_tile_is_not():
    colours = body_colours(crops([IVORY, IVORY, IVORY, IVORY, TEAL, SHADED]))
    sure = np.array([True] * 4 + [False] * 2)
    assert strangers(tiles([60] * 6), colours, sure).tolist() == [False] * 4 + [True, False]


def test_a_find_of_another_size_is_a_stranger():
    colours = body_colours(crops([IVORY] * 6))
    sure = np.array([True] * 4 + [False] * 2)
    assert strangers(tiles([60, 62, 58, 61, 90, 66]), colours, sure).tolist() == [False] * 4 + [True, False]


def test_of_two_sets_on_one_table_neither_is_strange():
    colours = body_colours(crops([IVORY] * 4 + [(20, 20, 20)] * 4 + [(22, 20, 21), IVORY]))
    sure = np.array([True] * 8 + [False] * 2)
    assert not strangers(tiles([60] * 10), colours, sure).any()


def test_two_sure_tiles_are_no_measure():
    colours = body_colours(crops([IVORY, IVORY, TEAL]))
    assert not strangers(tiles([60] * 3), colours, np.array([True, True, False])).any()
    assert body_colours(crops([])[:0].reshape(0, 48, 96, 3)).shape == (0, 3)


def test_pips_do_not_change_a_body():
    plain, spotted = np.full((1, 48, 96, 3), 220, np.uint8), np.full((1, 48, 96, 3), 220, np.uint8)
    spotted[:, ::6, ::3] = 10
    assert np.abs(body_colours(plain) - body_colours(spotted)).max() < 2


BLACK, CLOTH = [35.0, 128.0, 132.0], [200.0, 128.0, 144.0]


def known(colours: list[list[float]]) -> Bodies:
    bodies = Bodies()
    bodies.learn([(0, n) for n in range(len(colours))], np.array(colours, np.float32))
    return bodies


def looks(lab: list[float], pips: list[float] | None = None, share: float = 0.0) -> NDArray[np.uint8]:
    """(1, 48, 96, 3) BGR: a tile of one colour, the upper `share` of it in another."""
    tile = np.full((1, 48, 96, 3), lab, np.uint8)
    if pips is not None:
        tile[:, : round(48 * share)] = pips
    return np.asarray(cv2.cvtColor(tile[0], cv2.COLOR_LAB2BGR)[None], np.uint8)


def test_dots_of_a_pale_cloth_are_no_tile_of_a_black_box() -> None:
    bodies = known([BLACK] * 9 + [CLOTH])
    crowded = looks(BLACK, [240.0, 128.0, 128.0], 0.7)
    found = np.concatenate([looks(BLACK), crowded, looks(CLOTH, [110.0, 165.0, 140.0], 0.3)])
    assert bodies.foreign(found).tolist() == [False, False, True]


def test_few_tiles_or_two_boxes_are_no_measure() -> None:
    assert not known([BLACK] * 7).foreign(looks(CLOTH)).any()
    assert not known([BLACK] * 7 + [CLOTH] * 4).foreign(np.concatenate([looks(CLOTH), looks(BLACK)])).any()


def test_the_same_tile_read_again_counts_once() -> None:
    bodies = known([BLACK] * 4)
    for _ in range(5):
        bodies.learn([(5, 5)], np.array([CLOTH], np.float32))
    assert not bodies.foreign(looks(CLOTH)).any()


def test_a_tile_in_a_glare_has_the_colour_of_its_neighbour_there() -> None:
    """Wood burnt out to white by a lamp is foreign to the box, but not beside a tile of the same white."""
    wood, burnt = [200.0, 132.0, 170.0], [252.0, 128.0, 130.0]
    bodies = known([wood] * 9)
    assert bodies.foreign(looks(burnt)).all()
    quads = np.array([[[0, 30], [0, 0], [60, 0], [60, 30]]] * 2, np.float32) + np.array([[[0, 0]], [[62, 0]]])
    near = lightest_beside(quads, np.array([burnt, burnt], np.float32), np.array([True, False]))
    assert not bodies.foreign(looks(burnt), near[1:]).any()
    apart = quads + np.array([[[0, 0]], [[200, 0]]])
    far = lightest_beside(apart, np.array([burnt, burnt], np.float32), np.array([True, False]))
    assert bodies.foreign(looks(burnt), far[1:]).all()
