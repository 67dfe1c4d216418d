"""An evening at the simulated table: round after round, match after match, on one table."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from bench.stand_ins.sketch import SketchFilm
from companion.rules.ruleset import load_ruleset
from datasets.bots import BotGame
from datasets.simulator.camera import SimSettings
from datasets.simulator.evening import EveningSettings, SimEvening, evening_table, place_of
from datasets.simulator.film import FilmSettings
from datasets.simulator.plan import TablePlan
from datasets.simulator.room import BlankFilm, Rehearsal, plan_with_room
from datasets.simulator.script import Troubles

QUICK = SimSettings(
    film=FilmSettings(size_wh=(96, 72)), hand_frames=0, still_frames=1, troubles=Troubles.none(), most_scenes=2
)


def test_round_follows_round_and_match_follows_match(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("datasets.simulator.evening.Film", SketchFilm)
    settings = EveningSettings(rules="jielong", players=2, speed=1000.0, table=QUICK)
    evening = SimEvening(3, settings, clock=lambda: 0.0, rest=lambda seconds: None)
    seen: list[tuple[int, int]] = []
    while not seen or seen[-1] != (3, 1):
        frame = evening.read()
        assert frame is not None
        if not seen or seen[-1] != place_of(frame.name):
            seen.append(place_of(frame.name))
    assert seen == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]


def test_an_evening_of_so_many_rounds_ends(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("datasets.simulator.evening.Film", SketchFilm)
    settings = EveningSettings(rules="jielong", players=2, rounds=3, speed=1000.0, table=QUICK)
    with SimEvening(3, settings, clock=lambda: 0.0, rest=lambda seconds: None) as evening:
        assert {place_of(frame.name) for frame in evening} == {(1, 1), (1, 2), (2, 1)}


def test_a_frame_that_came_late_shortens_the_pause_after_it(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("datasets.simulator.evening.Film", SketchFilm)
    table = replace(QUICK, still_frames=9)
    now, rests = [0.0], []

    def rest(seconds: float) -> None:
        rests.append(round(seconds, 3))
        now[0] += seconds

    evening = SimEvening(3, EveningSettings(rules="jielong", players=2, table=table), clock=lambda: now[0], rest=rest)
    evening.read()
    now[0] += 1.0
    for _ in range(6):
        evening.read()
    assert rests == [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2], "five frames a second on the whole"
    now[0] += 100.0
    rests.clear()
    for _ in range(40):
        evening.read()
    assert 0 < rests.count(0.0) < 30, "but a long break is not made up for"


def test_the_table_of_a_match_stays_as_large_as_it_is_and_everybody_stays_where_they_sit() -> None:
    settings = EveningSettings(rules="cz", players=2)
    plans = [evening_table(6, settings, 1, number, BlankFilm).plan for number in (1, 2, 3)]
    assert {plan.size_mm for plan in plans} == {(1320.0, 990.0)}
    assert {tuple(plan.stations.items()) for plan in plans} == {tuple(plans[0].stations.items())}


def test_the_winner_of_a_chinese_round_leads_the_next() -> None:
    rules = load_ruleset("jielong")
    game = BotGame(rules, 3, 5)
    before, led_by_winner = None, 0
    for played in game.rounds():
        if before is not None:
            left = {
                player: sum(tile.pips for tile in (*before.hands[player], *before.discards.get(player, ())))
                for player in game.players
            }
            assert left[played.starter] == min(left.values())
            led_by_winner += 1
        for _ in played.turns():
            pass
        before = played
    assert led_by_winner == 2


def test_a_round_is_the_same_whether_it_is_rehearsed_or_filmed() -> None:
    settings = EveningSettings(rules="poltava", players=4)
    first, again = (evening_table(Random(n).randrange(1), settings, 1, 2, BlankFilm) for n in (1, 2))
    for camera in (first, again):
        assert camera.play_out().stuck is None
    assert [filmed.scene.plays for filmed in first.truth] == [filmed.scene.plays for filmed in again.truth]
    assert replace(first.plan) == again.plan


def test_a_train_that_another_blocks_finds_room_when_that_one_bends() -> None:
    plan = TablePlan(("Ann", "Ben"), (1320.0, 990.0), stations={"Ann": 0.0, "Ben": 120.0, "MX": 240.0})

    def rehearse(tried: TablePlan) -> Rehearsal:
        bent = any(train == "Ben" for train, _ in tried.bends)
        return Rehearsal(62) if bent else Rehearsal(59, "Ann", 1)

    found = plan_with_room(plan, rehearse, Random(4), fixed_size=True)
    assert found is not None and found.size_mm == plan.size_mm
    assert any(train == "Ben" for train, _ in found.bends)
