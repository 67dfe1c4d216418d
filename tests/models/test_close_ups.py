"""Close-ups of tiles to train the reader on."""

import numpy as np

from models.close_ups import sheets
from models.crops import NONE

GROUND = [np.full((720, 960, 3), 90, np.uint8)]


def nothing(crops):
    """How many of each sheet's sixteen crops show no tile that lies straight."""
    return (crops.labels == NONE).all(1).reshape(-1, 16).sum(1)


def test_seams_are_shown_as_often_as_asked_where_a_set_has_dividing_lines():
    few, many = (nothing(sheets(5, 3, GROUND, seams=share)) for share in (0.06, 1.0))
    assert few.max() < 9
    assert many.max() == 16


def test_the_same_seed_draws_the_same_sheets():
    one, other = sheets(1, 5, GROUND, rare=0.5), sheets(1, 5, GROUND, rare=0.5)
    assert (one.context == other.context).all() and (one.labels == other.labels).all()
    assert not (one.context == sheets(1, 6, GROUND, rare=0.5).context).all()
