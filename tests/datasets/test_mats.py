"""Gaming mats: blotches that stand out from each other, by name only."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.render.mats import camouflage, ground, stars, terrazzo
from datasets.render.picture import draw_crop
from datasets.render.surfaces import KINDS, make_surface


@pytest.mark.parametrize("painter", [camouflage, terrazzo, ground, stars])
@pytest.mark.parametrize("seed", range(3))
def test_a_mat_has_patches_of_several_colours_and_they_are_colours(painter, seed: int) -> None:
    image = painter(np.random.default_rng(seed), 160, 1.5)
    assert image.shape == (160, 160, 3) and np.isfinite(image).all()
    assert image.min() >= -0.01 and image.max() <= 1.25
    assert image.std(axis=(0, 1)).max() > 0.004, "not of one colour"


def test_mats_come_only_by_their_name() -> None:
    assert "mat" in KINDS
    drawn = {make_surface(np.random.default_rng(seed), 24, 8.0).kind for seed in range(300)}
    assert drawn == set(KINDS) - {"mat"}
    picture = draw_crop(np.random.default_rng(5), 96, 96, (30.0, 40.0), surface="mat")
    assert picture.meta["background"] == "mat"


def test_the_same_seed_paints_the_same_mat() -> None:
    first, second = (make_surface(np.random.default_rng(9), 80, 3.0, "mat").albedo for _ in range(2))
    assert np.array_equal(first, second)
