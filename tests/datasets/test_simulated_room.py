"""Every simulated round has room: nobody runs out of table, and what fitted before lies as it did."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from datasets.simulator import camera as camera_module
from datasets.simulator.__main__ import cut_rounds, numbers_of_players
from datasets.simulator.camera import VISIBLE_FAULTS, SimCamera, SimSettings
from datasets.simulator.plan import TablePlan
from datasets.simulator.room import BlankFilm, Rehearsal, plan_with_room
from datasets.simulator.tabletop import TableFullError

TABLES = [(name, players) for name in RULESET_NAMES for players in numbers_of_players(load_ruleset(name))]


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_no_round_is_cut(rules: str, players: int) -> None:
    settings = SimSettings(rules=rules, players=players, plant=VISIBLE_FAULTS)
    assert cut_rounds(settings, range(2))[0] == []


@pytest.mark.parametrize(("rules", "players", "seed"), [("cz", 2, 0), ("cz", 2, 7), ("tactic", 3, 1)])
def test_a_round_that_ran_out_of_table_bends_its_trains_or_gets_a_larger_one(
    rules: str, players: int, seed: int
) -> None:
    settings = SimSettings(rules=rules, players=players, plant=VISIBLE_FAULTS)
    camera = SimCamera(seed, settings, BlankFilm)
    usual = camera._usual
    assert SimCamera(seed, settings, BlankFilm, usual).play_out().stuck is not None
    assert camera.plan.size_mm != usual.size_mm or camera.plan.bends
    assert camera.play_out().stuck is None and camera.round.how is not None


def test_a_round_that_has_room_is_played_on_the_usual_table() -> None:
    camera = SimCamera(0, SimSettings(rules="tactic", players=5, plant=VISIBLE_FAULTS), BlankFilm)
    assert camera.plan.size_mm == (1200.0, 900.0) and not camera.plan.bends


def test_a_round_that_is_filmed_again_is_not_rehearsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SimSettings(rules="cz", players=2, plant=VISIBLE_FAULTS)
    once = SimCamera(7, settings, BlankFilm)
    assert once.plan.bends or once.plan.size_mm != (1200.0, 900.0)
    monkeypatch.setattr(camera_module, "plan_with_room", lambda *_, **__: None)
    again = SimCamera(7, replace(settings, most_scenes=4, hand_frames=3, still_frames=7), BlankFilm)
    assert again.plan == once.plan
    with pytest.raises(TableFullError):
        SimCamera(7, replace(settings, plant=()), BlankFilm)


def test_a_table_of_a_given_size_is_not_made_larger() -> None:
    settings = SimSettings(rules="cz", players=2, plant=VISIBLE_FAULTS, size_mm=(1320.0, 990.0))
    cut, widest = cut_rounds(settings, range(2))
    assert (cut, widest) == ([], 1320.0)


def test_a_table_on_which_the_round_has_no_room_is_refused_before_the_first_frame() -> None:
    with pytest.raises(TableFullError, match="no room for round 1 of seed 3"):
        SimCamera(3, SimSettings(rules="tactic", players=2, size_mm=(420.0, 420.0)), BlankFilm)


def test_what_brought_a_round_further_is_kept() -> None:
    usual, seen = TablePlan(("Ann", "Ben")), []

    def rehearse(plan: TablePlan) -> Rehearsal:
        seen.append(plan)
        laid = 40 + len(plan.bends)
        return Rehearsal(laid, "Ann", 400) if laid < 50 else Rehearsal(laid)

    plan = plan_with_room(usual, rehearse, Random(1), fixed_size=True)
    assert plan is not None and len(plan.bends) == 10
    assert seen[0] == usual and all(train == "Ann" for train, _ in plan.bends)
