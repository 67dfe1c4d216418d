"""A second Mexican train is proved once there are more trains than the table can have, in three pictures."""

from __future__ import annotations

import pytest

from tests.tracking.rounds import charges, play, see, tracked

LAP = ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"]


@pytest.mark.parametrize(
    ("before", "clear", "certain"),
    [
        ([*LAP, "+12-4@MX"], False, [False, False, True]),
        ([*LAP[:2], "mark Cy", "+1-6@Ann", "+12-4@MX"], False, [False, False, False]),
        ([*LAP[:2], "mark Cy", "+1-6@Ann", "+12-4@MX"], True, [False, False, True]),
    ],
)
def test_it_takes_three_pictures_and_that_no_player_may_begin_there(
    before: list[str], clear: bool, certain: list[bool]
) -> None:
    belief = tracked("reeves", before)
    found = []
    for change in ("+12-5@MX2", "+5-8@MX2", "+8-9@MX2"):
        see(belief, change, two_mexican=clear)
        found.append(charges(play(belief, "12-5@MX2"))["SECOND_MEXICAN"][1])
    assert found == certain
