"""Close-ups of tiles to train the reader on."""

import numpy as np
import pytest

from models.close_ups import SheetSettings, sheets
from models.crops import NONE

RARE = SheetSettings(rare=0.5)
GROUND = [np.full((720, 960, 3), 90, np.uint8)]


def nothing(crops):
    """How many of each sheet's sixteen crops show no tile that lies straight."""
    return (crops.labels == NONE).all(1).reshape(-1, 16).sum(1)


@pytest.mark.slow
def test_seams_are_shown_as_often_as_asked_where_a_set_has_dividing_lines():
    few, many = (nothing(sheets(5, 3, GROUND, SheetSettings(seams=share))) for share in (0.06, 1.0))
    assert few.max() < 9
    assert many.max() == 16


def test_the_same_seed_draws_the_same_sheets():
    one, other = sheets(1, 5, GROUND, RARE), sheets(1, 5, GROUND, RARE)
    assert (one.context == other.context).all() and (one.labels == other.labels).all()
    assert not (one.context == sheets(1, 6, GROUND, RARE).context).all()


@pytest.mark.slow
def test_high_sets_are_drawn_as_often_as_asked():
    def above_twelve(share):
        labels = sheets(6, 7, GROUND, SheetSettings(high=share)).labels
        return ((labels > 12) & (labels < NONE)).any(1).mean()

    assert above_twelve(0.0) == 0
    assert above_twelve(1.0) > 0.15


@pytest.mark.slow
def test_every_other_place_on_a_dotted_cloth_is_bare():
    none, all_ = (nothing(sheets(5, 9, GROUND, SheetSettings(dotted=share))) for share in (0.0, 1.0))
    assert none.mean() < 5
    assert 6 <= all_.mean() <= 12


def test_the_dots_of_a_cloth_are_seen_where_nothing_lies():
    crops = sheets(3, 9, GROUND, SheetSettings(dotted=1.0))
    bare = crops.context[(crops.labels == NONE).all(1)]
    assert np.median(bare.std((1, 2)).max(1)) > 12
