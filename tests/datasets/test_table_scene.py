"""Given tables: what the simulator sees is where it was put, and the same every time."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from datasets.render.faces import FaceMaker
from datasets.render.printing import Pip, dotted
from datasets.render.styles import make_style
from datasets.render.table import (
    TableCamera,
    TableHand,
    TableHub,
    TableMarker,
    TableScene,
    TableTile,
    corners_px,
    project,
    render_table,
)

CAMERA = TableCamera(width=480, height=360, height_mm=900.0, lean_deg=6.0, lean_toward_deg=30.0, distortion=-0.03)
SCENE = TableScene(
    tiles=(
        TableTile((500.0, 450.0), 20.0, (3, 5)),
        TableTile((700.0, 450.0), 110.0, (0, 6)),
        TableTile((600.0, 600.0), 0.0, (1, 2), face_up=False),
    ),
    camera=CAMERA,
    set_max=6,
)


def _same(a: list, b: list) -> bool:
    return [(o["cls"], o["quad"], o["values"], o["vis"]) for o in a] == [
        (o["cls"], o["quad"], o["values"], o["vis"]) for o in b
    ]


def test_the_same_table_and_seed_give_the_same_picture() -> None:
    first, labels = render_table(SCENE, 5)
    render_table(SCENE, 6)
    again, same_labels = render_table(SCENE, 5)
    assert np.array_equal(first, again)
    assert _same(labels, same_labels)


def test_the_next_frame_differs_in_noise_only() -> None:
    first, _ = render_table(SCENE, 5)
    second, _ = render_table(replace(SCENE, frame=1), 5)
    difference = np.abs(first.astype(int) - second.astype(int))
    assert 0 < difference.mean() < 6


def test_a_tile_that_moves_leaves_the_rest_of_the_picture_alone() -> None:
    moved = replace(SCENE, tiles=(*SCENE.tiles[:2], TableTile((640.0, 600.0), 0.0, (1, 2), face_up=False)))
    first, second = render_table(SCENE, 5)[0].astype(int), render_table(moved, 5)[0].astype(int)
    x, y = project(SCENE, [(500.0, 450.0)])[0].astype(int)
    assert np.abs(first - second)[y - 10 : y + 10, x - 10 : x + 10].mean() < 2
    assert np.abs(first - second).max() > 40


@pytest.mark.parametrize("marker", [False, True])
def test_what_is_lit_again_only_in_part_is_the_same_picture(marker: bool) -> None:
    other = replace(
        SCENE,
        tiles=SCENE.tiles[1:],
        markers=(TableMarker((800.0, 500.0), "#c8202a", kind="coin"),) if marker else (),
    )
    render_table(SCENE, 5)
    after_another, _ = render_table(other, 5)
    for seed in (6, 7, 8):
        render_table(SCENE, seed)  # the table of seed 5 is forgotten
    assert np.array_equal(after_another, render_table(other, 5)[0])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_labels_lie_where_the_tile_was_put(seed: int) -> None:
    """The label of each tile is the projection of its top corners; the tile's own slight tilt is under half a pixel."""
    _, labels = render_table(SCENE, seed)
    assert sorted(o["index"] for o in labels) == [0, 1, 2]
    for found in labels:
        tile = SCENE.tiles[found["index"]]
        a = np.radians(tile.heading_deg)
        along, across = np.array([np.cos(a), np.sin(a)]) * 25.4, np.array([-np.sin(a), np.cos(a)]) * 12.7
        middle = np.array(tile.center_mm)
        corners = [middle - along + across, middle - along - across, middle + along - across, middle + along + across]
        expected = project(SCENE, corners, 9.5)
        assert np.abs(np.array(found["quad"]) - expected).max() < 0.6


def test_the_edge_named_first_is_the_end_with_the_first_value() -> None:
    """A 0-6 tile: the half at the edge 0-1 is blank, so the other half has much more contrast."""
    for seed in range(4):
        image, labels = render_table(replace(SCENE, camera=replace(CAMERA, width=960, height=720)), seed)
        quad = np.array(next(o for o in labels if o.get("values") == [0, 6])["quad"], np.float32)
        flat = np.array([[0, 0], [0, 40], [80, 40], [80, 0]], np.float32)[[1, 0, 3, 2]]
        tile = cv2.warpPerspective(image, cv2.getPerspectiveTransform(quad, flat), (80, 40)).mean(2)
        assert tile[6:-6, 46:-5].std() > 2 * tile[6:-6, 5:34].std()


def test_the_corners_of_the_table_run_clockwise_from_the_top_left() -> None:
    corners = corners_px(SCENE)
    assert corners[0, 0] < corners[1, 0]
    assert corners[0, 1] < corners[3, 1]
    assert cv2.contourArea(corners.astype(np.float32), True) > 0


def test_a_hand_over_a_tile_hides_it_and_is_no_label_itself() -> None:
    covered = replace(SCENE, hands=(TableHand((560.0, 390.0), -45.0),))
    before = {o["index"]: o["vis"] for o in render_table(SCENE, 2)[1]}
    after = {o["index"]: o["vis"] for o in render_table(covered, 2)[1]}
    assert before[0] > 0.95
    assert after[0] < 0.8
    assert len(after) <= len(before)


def test_hub_and_markers_are_labelled_where_they_stand() -> None:
    scene = replace(SCENE, hub=TableHub((300.0, 300.0)), markers=(TableMarker((900.0, 600.0), "#2050d0"),))
    _, labels = render_table(scene, 2)
    hub, marker = next(o for o in labels if o["cls"] == 3), next(o for o in labels if o["cls"] == 2)
    assert np.allclose(np.mean(hub["quad"], 0), project(scene, [(300.0, 300.0)])[0], atol=4)
    assert np.allclose(np.mean(marker["quad"], 0), project(scene, [(900.0, 600.0)])[0], atol=6)


def test_a_dim_room_makes_a_dark_picture() -> None:
    assert render_table(replace(SCENE, light=0.25), 5)[0].mean() < 0.75 * render_table(SCENE, 5)[0].mean()


def test_a_given_set_is_drawn_by_every_seed_and_a_cast_changes_its_colours_alone() -> None:
    style = make_style(np.random.default_rng(4), "western", 6)
    red = np.tile(np.float32([0.3, 0.004, 0.004]), (19, 1))
    pips = replace(style.pips, palette=red, numerals=False, moulded=False)
    scene = replace(SCENE, style=replace(style, pips=pips), soft_light=True)
    for seed in (5, 6):
        image, labels = render_table(scene, seed)
        quad = np.array(next(one["quad"] for one in labels if one.get("index") == 0))
        x0, y0, x1, y1 = (*quad.min(0).astype(int), *quad.max(0).astype(int) + 1)
        blue, _, red_ = (image[y0:y1, x0:x1, n].astype(int) for n in range(3))
        assert (red_ - blue).max() > 40, "red pips"
    warm, same = render_table(replace(scene, cast=(1.5, 1.0, 0.5)), 6)
    assert _same(labels, same)
    assert warm[..., 2].mean() > image[..., 2].mean() and warm[..., 0].mean() < image[..., 0].mean()


def test_pips_dotted_by_hand_stand_near_their_places_and_differ_from_tile_to_tile() -> None:
    pip = Pip(5.0, 5.0, 1.0, np.zeros(3, np.float32))
    rng = np.random.default_rng(3)
    one, other = dotted(pip, 0.3, rng), dotted(pip, 0.3, rng)
    assert [(blot.u, blot.v) for blot in one] != [(blot.u, blot.v) for blot in other]
    assert all(np.hypot(blot.u - 5.0, blot.v - 5.0) < 2.5 for blot in (*one, *other))
    plain = make_style(np.random.default_rng(4), "western", 6)
    style = replace(plain, pips=replace(plain.pips, by_hand=0.4, numerals=False, moulded=False))
    maker = FaceMaker(style, 6.0, np.random.default_rng(1))
    first, second = (maker.face(5, 4, np.random.default_rng(n)).albedo for n in (1, 2))
    printed = FaceMaker(replace(style, pips=replace(style.pips, by_hand=0.0)), 6.0, np.random.default_rng(1))
    third, fourth = (printed.face(5, 4, np.random.default_rng(n)).albedo for n in (1, 2))
    assert np.abs(first - second).mean() > 2 * np.abs(third - fourth).mean()
