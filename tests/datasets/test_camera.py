"""The camera's arithmetic, which the labels rest on."""

import math

import numpy as np

from datasets.render.camera import Camera


def _leaning(**more: object) -> Camera:
    return Camera(640, 480, 60.0, 700.0, (30.0, -20.0), math.radians(18), 0.7, 0.2, **more)


def test_the_point_aimed_at_is_in_the_middle_of_the_picture() -> None:
    assert np.allclose(_leaning().project([[30.0, -20.0, 0.0]]), [[320, 240]])


def test_straight_above_the_view_is_as_wide_as_asked_and_not_mirrored() -> None:
    camera = Camera(640, 480, 60.0, 640.0)
    assert np.allclose(camera.project([[-320, -240, 0], [320, 240, 0]]), [[0, 0], [640, 480]])


def test_pixels_go_back_to_the_table_they_came_from() -> None:
    camera = _leaning()
    points = np.array([[0.0, 0.0], [100.0, 40.0], [-150.0, 90.0]])
    for z in (0.0, 9.5):
        pixels = camera.project(np.column_stack([points, np.full(3, z)]))
        assert np.allclose(camera.on_plane(pixels, z), points)


def test_the_lens_map_and_the_lens_formula_agree() -> None:
    for k1 in (-0.08, 0.06):
        camera = _leaning(distortion=k1)
        mx, my = camera.undistort_maps()
        for x, y in ((10, 20), (600, 33), (320, 470), (5, 475)):
            straight = np.array([[mx[y, x] + 0.5, my[y, x] + 0.5]])
            assert np.allclose(camera.distort(straight), [[x + 0.5, y + 0.5]], atol=0.02)


def test_what_the_lens_repeats_beyond_the_picture_shows_nobody() -> None:
    """It looks like more of a tile at the edge and hides its pips, so nobody has to read that tile."""
    camera, everywhere = _leaning(distortion=0.06), np.ones((480, 640), np.int16)
    mx, my = camera.undistort_maps()
    drawn = (mx >= 0) & (mx <= 639) & (my >= 0) & (my <= 479)
    bent = camera.bent(everywhere)
    assert (bent[drawn] == 1).all() and (bent[0] == 0).all() and not drawn[0].any()
    assert (_leaning().bent(everywhere) == 1).all()


def test_a_cut_shows_what_the_whole_picture_shows_there() -> None:
    whole = Camera(1600, 1200, 60.0, 900.0, (10.0, 5.0), 0.2, 1.1, 0.3, -0.05)
    x0, y0 = 1000, 200
    cut = Camera(512, 512, 60.0, 900.0, (10.0, 5.0), 0.2, 1.1, 0.3, -0.05, 1600, (800 - x0, 600 - y0))
    points = np.array([[50.0, 20.0, 0.0], [200.0, -100.0, 9.0], [-30.0, 80.0, 30.0]])
    expected = whole.distort(whole.project(points)) - [x0, y0]
    assert np.allclose(cut.distort(cut.project(points)), expected, atol=1e-6)
