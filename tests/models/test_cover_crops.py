"""Training views of covered tiles: what is hidden is known to the cell."""

from __future__ import annotations

import json

import cv2
import numpy as np

from models.cover_crops import bare_tiles, covered_views
from models.cover_cutouts import SIDE, Cutouts, cutouts
from models.crops import CONTEXT_WH, Crops
from vision.hidden import CELL_PX, MASK_WH, TILE_CELLS

RED = (0.0, 0.0, 1.0)


def grey_tiles(count: int) -> Crops:
    context = np.full((count, CONTEXT_WH[1], CONTEXT_WH[0], 3), 128, np.uint8)
    true = np.ones(count, bool)
    return Crops(context, np.ones((count, 2), np.int16), np.full(count, 50, np.float32), true, true)


def red_squares() -> Cutouts:
    """One thing: a square of 30 px that casts no shadow."""
    colour = np.zeros((1, SIDE, SIDE, 3), np.float16)
    colour[..., 0] = 1.0
    shown = np.zeros((1, SIDE, SIDE), np.uint8)
    shown[0, 80:110, 80:110] = 255
    return Cutouts(colour, shown, np.full((1, SIDE, SIDE), 255, np.uint8), np.zeros(1, np.int8))


def test_what_a_thing_covers_is_the_answer() -> None:
    views, hidden = covered_views(grey_tiles(60), np.arange(60), red_squares(), np.random.default_rng(1))
    assert views.shape[1:] == (*MASK_WH[::-1], 3) and hidden.shape[1:] == (16, 26)
    red = (views[..., 2].astype(int) - views[..., 1]) > 60
    shares = red.reshape(60, 16, CELL_PX, 26, CELL_PX).mean((2, 4))
    things = red.any((1, 2))
    assert things.sum() > 25
    on_tile = np.abs(shares - hidden)[things][:, TILE_CELLS[0], TILE_CELLS[1]]
    assert np.percentile(on_tile, 95) < 0.2
    assert (hidden.max((1, 2)) == 0).sum() > 8, "some tiles have nothing on them"


def test_things_are_drawn_alone_with_their_outline() -> None:
    few = cutouts(4, 3)
    assert few.colour.shape == (4, SIDE, SIDE, 3) and few.shown.max() == 255 and few.shade.min() < 255
    assert all((few.shown[n] > 128).any() and not (few.shown[n] > 128).all() for n in range(4))


def test_of_rendered_tables_the_tiles_on_which_nothing_lies_are_bare(tmp_path) -> None:
    whole = {
        "cls": 0,
        "quad": [[20, 60], [20, 20], [100, 20], [100, 60]],
        "values": [1, 2],
        "vis": 1.0,
        "in_frame": 1.0,
    }
    whole |= {"half_vis": [1.0, 1.0], "half_contrast": [90, 90], "style": {"numerals": False}}
    others = [{"half_vis": [1.0, 0.95]}, {"half_contrast": [90, 3]}, {"in_frame": 0.97}, {"cls": 1}]
    unmeasured = {name: value for name, value in whole.items() if name != "half_contrast"}
    for folder in ("images", "meta"):
        (tmp_path / folder).mkdir()
    cv2.imwrite(str(tmp_path / "images" / "a.jpg"), np.full((120, 120, 3), 90, np.uint8))
    objects = [whole, unmeasured, *(whole | other for other in others)]
    (tmp_path / "meta" / "a.json").write_text(json.dumps({"objects": objects}))
    assert bare_tiles(tmp_path).labels.tolist() == [[1, 2], [1, 2]]
