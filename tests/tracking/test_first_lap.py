"""The belief while first trains are laid at the same time, as in cz."""

from __future__ import annotations

from companion.rules.position import Flip
from companion.tracking.evidence import Evidence
from datasets.bots.watching import table_change
from tests.tracking.rounds import charges, play, see, tracked


def test_a_double_turned_over_in_the_lap_is_a_fault_and_the_lap_goes_on() -> None:
    belief = tracked("cz", ["+12-4@Ann, +4-4@Ann"])
    belief.observe(Evidence.of(belief.number, table_change(flips=("Ann",))))
    for change in ("+12-5@Ben, +5-7@Ben", "mark Cy", "+12-6@MX", "+7-8@Ben"):
        see(belief, change)
    held = {type(verdict.act): charges(verdict) for verdict in belief.verdicts() if verdict.charges}
    assert held == {Flip: {"FLIP_NOT_IN_RULES": (None, True)}}
    assert [play(belief, tile).by for tile in ("5-7@Ben", "12-6@MX", "7-8@Ben")] == ["Ben", "Ann", "Ben"]


def test_several_players_lay_in_one_change_and_in_any_order() -> None:
    belief = tracked("cz", ["+12-3@Cy, +12-4@Ann", "+3-5@Cy, mark Ben", "+12-6@MX"])
    assert [play(belief, tile).by for tile in ("12-3@Cy", "12-4@Ann", "3-5@Cy", "12-6@MX")] == [
        "Cy",
        "Ann",
        "Cy",
        "Ann",
    ]
    assert not any(verdict.charges for verdict in belief.verdicts())
