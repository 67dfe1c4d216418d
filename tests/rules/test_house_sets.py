"""Well-known ways to play, from public pages: what a page says holds, and what it does not say accuses nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.judge_api.questions import answer
from companion.rules.ruleset import HOUSE_SET_NAMES, load_ruleset
from companion.rules.ruleset_fields import RuleSetError, fields_of
from datasets.bots import BotGame
from tests.rules.mexican_table import codes, may, seen

UNSTARTED = {"trains": {}, "first_turn": True}
HANDS = {
    "goodsam": {2: 16, 3: 15, 4: 14, 5: 13, 6: 12, 7: 11, 8: 10, 9: None},
    "goodsam-florida": {2: 12, 6: 12, 7: None},
    "owlshollow": {2: 15, 4: 15, 5: 11, 6: 11, 7: 8, 8: 8, 9: None},
    "longtrain": {4: 15, 6: 12, 8: 10, 10: 8, 11: None},
    "ninesteps": {2: 12, 6: 12, 8: 10, 10: 8},
}


@pytest.mark.parametrize("name", HOUSE_SET_NAMES)
def test_every_field_stands_with_the_page_or_is_open(name: str) -> None:
    rules = load_ruleset(name)
    assert set(rules.sources) == set(fields_of("mexican"))
    for field, source in rules.sources.items():
        assert source.mark in {"T", "I", "A"}, field
        assert source.text.startswith(rules.source), field
    assert {source.mark for source in rules.sources.values()} >= {"T", "A"}


@pytest.mark.parametrize("name", HOUSE_SET_NAMES)
def test_the_hands_are_the_page_s(name: str) -> None:
    rules = load_ruleset(name)
    assert {players: rules.hand_size(12, players) for players in HANDS[name]} == HANDS[name]
    asked = answer({"id": 1, "kind": "setup", "rules": name, "set": 12, "players": 4})
    assert asked["verdict"] == "ok"
    assert asked["hand"] == rules.hand_size(12, 4)
    assert asked["boneyard"] == 91 - 4 * asked["hand"] - (name == "goodsam-florida")


@pytest.mark.parametrize("name", HOUSE_SET_NAMES)
def test_bots_play_a_round_that_the_judge_finds_legal(name: str) -> None:
    rules = load_ruleset(name)
    game = BotGame(rules, 4, 1, set_max=12, rounds=1)
    for played in game.rounds():
        for turn in played.turns():
            assert game.referee.judge(turn.before, turn.actions).legal, turn


class TestGoodSam:
    """The layer, or else the next player, satisfies that very double."""

    def test_the_extra_tile_goes_on_the_double(self) -> None:
        assert codes("goodsam", "play 8-8@Cy; play 6-3@MX") == {"EXTRA_NOT_ON_DOUBLE"}
        assert codes("goodsam", "play 8-8@Cy; play 8-3@Cy") == set()
        assert codes("goodsam-florida", "play 8-8@Cy; play 6-3@MX") == set()

    def test_the_first_turn_is_one_tile_on_the_own_or_the_mexican_train(self) -> None:
        assert codes("goodsam", "play 12-3@MX", **UNSTARTED) == set()
        assert codes("goodsam", "play 12-3@Cy; play 3-5@Cy", **UNSTARTED) == {"EXTRA_TILE"}

    def test_florida_begins_with_the_double_nine(self) -> None:
        assert seen("goodsam-florida", engine="9-9", trains={"Ann": "9-3"}, round=1) == set()
        assert seen("goodsam-florida", engine="12-12", trains={"Ann": "12-3"}, round=1) == {"WRONG_ENGINE"}

    def test_a_knock_is_a_courtesy(self) -> None:
        assert load_ruleset("goodsam-florida").leaves_open("announce")


class TestBoxed:
    """15, 11 and 8 tiles: one draws until a tile can be played."""

    def test_several_draws_are_right(self) -> None:
        assert codes("owlshollow", "draw; draw; draw; play 8-3@Cy") == set()
        assert codes("owlshollow", "play 8-3@Cy; draw") == {"EXTRA_DRAW"}
        assert codes("goodsam", "draw; draw; mark Cy") == {"EXTRA_DRAW"}

    def test_the_engine_is_whatever_double_was_the_highest_in_a_hand(self) -> None:
        assert seen("owlshollow", engine="10-10", trains={"Ann": "10-3"}, round=1) == set()

    def test_where_doubles_are_closed_first_is_not_said(self) -> None:
        two = {"trains": {"Ann": "12-4 4-4", "Cy": "12-1 1-8", "MX": "12-6 6-6"}, "open": ["MX", "Ann"]}
        assert codes("owlshollow", "play 4-0@Ann", **two) == set()
        assert may("owlshollow", "play 4-0@Ann", **two) == {"DOUBLE_ORDER"}


class TestLongTrain:
    def test_the_first_train_is_long_and_the_own(self) -> None:
        first = {"trains": {"Ann": "12-4"}, "turn": "Ben", "first_turn": True}
        assert codes("longtrain", "play 12-3@Ben; play 3-3@Ben; play 3-5@Ben", **first) == set()
        assert codes("longtrain", "play 4-3@Ann", **first) == {"FIRST_TURN_OWN_ONLY"}
        assert codes("longtrain", "draw; mark Ben", **first) == set()


class TestNineSteps:
    def test_the_mexican_train_waits_for_the_second_turn(self) -> None:
        assert codes("ninesteps", "play 12-3@MX", **UNSTARTED) == set()
        assert may("ninesteps", "play 12-3@MX", **UNSTARTED) == {"MX_TOO_EARLY"}
        assert codes("ninesteps", "draw; draw; play 12-3@Cy", **UNSTARTED) == set()

    def test_another_player_s_marked_train_waits_for_the_second_turn(self) -> None:
        marked = {"trains": {"Ann": "12-4"}, "markers": ["Ann"]}
        assert codes("ninesteps", "play 4-3@Ann", **marked, first_turn=True) == {"FIRST_TURN_OWN_ONLY"}
        assert codes("ninesteps", "play 4-3@Ann", **marked, first_turn=False) == set()
        assert codes("goodsam", "play 4-3@Ann", **marked, first_turn=True) == set()


@pytest.mark.parametrize("name", HOUSE_SET_NAMES)
def test_what_a_page_does_not_say_accuses_nobody(name: str) -> None:
    """Of the markers these pages say that one goes on after a draw, not that it must come off the moment it may."""
    marked = {"markers": ["Cy"]}
    assert codes(name, "play 8-3@Cy", **marked) == set()
    assert may(name, "play 8-3@Cy", **marked) == {"MARKER_NOT_REMOVED"}
    assert codes(name, "play 5-3@MX", trains={"Ann": "12-4", "Cy": "12-1"}) == set()


@pytest.mark.parametrize(
    ("written", "fields"),
    [
        ('extends = "tactic"\nfirst_simultaneous = true', ("first_simultaneous", "long_first")),
        ('extends = "cz"\nmx_from_turn = 1', ("mx_from_turn", "long_first")),
        ('extends = "cz"\nstrict_first_train = true', ("strict_first_train", "first_optional")),
        ('extends = "tactic"\nextra_tile = "this_double"', ("max_doubles_per_turn", "extra_tile")),
        ('extends = "tactic"\nclose_order = "single"', ("close_order", "extra_tile")),
        ('extends = "poltava"\nextra_in_order = true', ("extra_in_order", "close_order")),
        ('extends = "kkori"\nmultipliers = true', ("multipliers", "settlement")),
        ('extends = "jielong"\nmatch_points = 100', ("match_points", "settlement")),
    ],
)
def test_a_contradiction_names_its_two_fields(tmp_path: Path, written: str, fields: tuple[str, str]) -> None:
    house = tmp_path / "kitchen.toml"
    house.write_text(written + '\ntitle = "Our kitchen"\n', encoding="utf-8")
    with pytest.raises(RuleSetError) as refused:
        load_ruleset(house)
    assert str(refused.value).startswith(f"{house}: {fields[0]} and {fields[1]}: ")
    assert "\n" not in str(refused.value)


def test_a_house_takes_a_public_set_as_its_start(tmp_path: Path) -> None:
    house = tmp_path / "kitchen.toml"
    house.write_text('extends = "goodsam"\ndouble_blank = 25\nhand = 7\n', encoding="utf-8")
    rules = load_ruleset(house)
    assert (rules.extra_tile, rules.double_blank, rules.hand_size(12, 11)) == ("this_double", 25, 7)
    assert rules.sources["double_blank"].mark == "house"
