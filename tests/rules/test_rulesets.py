"""Rule sets are data, each field with its source (docs/rules.md, section 3)."""

from __future__ import annotations

import os
import re
from importlib import resources

import pytest

from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.rules.ruleset_fields import ANY_SET, RuleSetError, fields_of

# docs/rules.md, section 3, columns poltava, cz, reeves, tactic ("-" is no).
PRESETS = """
long_first True True False False
first_simultaneous False True False False
first_optional False True False False
strict_first_train False False False False
first_draw False False True True
finish_first_lap True True False False
mx_from_turn 2 2 1 1
others_from_turn 2 2 1 1
mx_root engine engine engine engine
may_decline False True False False
extra_tile anywhere this_double anywhere_but_first_if_many anywhere
max_doubles_per_turn None 1 None None
close_order any single fifo fifo
closings_per_turn 1 1 1 1
redraw_after_drawn_double True True True True
marker_off any own own own
marker_off_required True True False True
marker_on_empty_boneyard required optional required required
dead_double flip blocks release release
block_rule provable_stop empty_and_all_pass empty_and_all_pass empty_and_all_pass
scoring penalty penalty penalty penalty
blocked_winner_zero False True False False
double_blank 0 50 50 0
announce None None tap_or_say tap
decline_draws True True True True
first_double_opens True False False False
extra_in_order False False True False
marker_after nothing_laid nothing_laid nothing_laid nothing_laid
open_hands False False False False
rounds None None None None
first_engine None None None None
"""


@pytest.mark.parametrize("line", PRESETS.split("\n")[1:-1])
def test_every_preset_field_is_the_tables(line: str) -> None:
    field, *values = line.split()
    for name, expected in zip(("poltava", "cz", "reeves", "tactic"), values, strict=True):
        assert str(getattr(load_ruleset(name), field)) == expected, name


def test_a_field_is_open_where_its_source_is_silent_until_the_house_decides_it() -> None:
    assert load_ruleset("cz").leaves_open("mx_root")
    assert not load_ruleset("cz", {"mx_root": "engine"}).leaves_open("mx_root")
    assert not load_ruleset("tactic").leaves_open("mx_root")


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_every_field_of_a_shipped_rule_set_stands_with_its_source(name: str) -> None:
    rules = load_ruleset(name)
    assert set(rules.sources) == set(fields_of(rules.family))
    for field, source in rules.sources.items():
        assert source.mark in {"T", "I", "A", "E"}, field
        assert source.text.startswith(rules.source), field


def test_hand_tables_are_those_of_section_2_1() -> None:
    tactic, poltava, cz = load_ruleset("tactic"), load_ruleset("poltava"), load_ruleset("cz")
    assert [tactic.hand_size(12, n) for n in range(2, 9)] == [16, 16, 15, 14, 12, 10, 9]
    assert [tactic.hand_size(9, n) for n in range(2, 6)] == [15, 13, 10, None]
    assert [poltava.hand_size(9, n) for n in range(2, 10)] == [10, 10, 10, 9, 9, 7, 7, None]
    assert [poltava.hand_size(12, n) for n in range(2, 12)] == [15, 15, 15, 12, 12, 10, 10, 8, 8, None]
    assert [cz.hand_size(18, n) for n in range(1, 10)] == [None, 15, 15, 15, 11, 11, 8, 8, None]
    assert load_ruleset("reeves").hand_size(15, 9) is None
    assert load_ruleset("chedeng").players_allowed() == (4,)


def test_options_change_single_fields_and_order_is_close_order() -> None:
    rules = load_ruleset("reeves", {"order": "lifo", "rounds": 12, "announce": None, "first_engine": 9})
    assert (rules.close_order, rules.rounds_of(12), rules.announce, rules.first_engine_of(12)) == ("lifo", 12, None, 9)
    assert rules.sources["close_order"].mark == "house"
    assert load_ruleset("reeves").close_order == "fifo"
    assert load_ruleset("jielong", {"arms": 2, "head_tail": [6, 7]}).head_tail == (6, 7)
    assert load_ruleset("cz", {"hand_table": {"any": {"2": 9}}}).hand_table == {ANY_SET: {2: 9}}


@pytest.mark.parametrize(
    ("rules", "options", "field", "expected"),
    [
        ("tactic", {"frist_draw": True}, "frist_draw", "no such field"),
        ("tactic", {"arms": 2}, "arms", "no such field"),
        ("kkori", {"first_draw": True}, "first_draw", "no such field"),
        ("tactic", {"first_draw": 1}, "first_draw", "true or false"),
        ("tactic", {"rounds": True}, "rounds", "whole number"),
        ("tactic", {"match_until": "24:00"}, "match_until", "22:30"),
        ("kkori", {"match_until": 2230}, "match_until", "none"),
        ("tactic", {"rounds": 12.0}, "rounds", "set + 1"),
        ("tactic", {"order": "random"}, "order", "fifo"),
        ("tactic", {"order": "fifo", "close_order": "lifo"}, "twice", "twice"),
        ("tactic", {"closings_per_turn": 2}, "closings_per_turn", "expected 1"),
        ("jielong", {"arms": 3}, "arms", "from 1 to 2"),
        ("chedeng", {"head_tail": [8, 7]}, "head_tail", "[7, 8] or [6, 7]"),
        ("cz", {"hand_table": {"12": {"2": -1}}}, "hand_table", "players: tiles"),
        ("cz", {"double_blank": float("nan")}, "options", "plain values"),
    ],
)
def test_a_wrong_option_is_one_line_with_the_field_and_what_was_expected(
    rules: str, options: dict[str, object], field: str, expected: str
) -> None:
    with pytest.raises(RuleSetError) as refused:
        load_ruleset(rules, options)
    line = str(refused.value)
    assert field in line and expected in line and "\n" not in line


def test_an_unknown_rule_set_names_the_known_ones() -> None:
    with pytest.raises(RuleSetError, match=r"chess.*tactic, reeves"):
        load_ruleset("chess")


def test_a_house_file_extends_a_rule_set(tmp_path) -> None:
    house = tmp_path / "ours.toml"
    house.write_text('extends = "tactic"\ntitle = "Ours"\ndouble_blank = 25\nfirst_draw = {value = false}\n', "utf-8")
    rules = load_ruleset(house, {"announce": "tap_or_say"})
    assert (rules.name, rules.title, rules.double_blank, rules.first_draw) == ("ours", "Ours", 25, False)
    assert (rules.announce, rules.close_order) == ("tap_or_say", "fifo")
    assert rules.sources["double_blank"].mark == "house"
    assert rules.sources["close_order"].mark == "T"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('extends = "tactic"\nanounce = "tap"\n', "anounce: no such field"),
        ('extends = "tactic"\nannounce = "shout"\n', 'announce: expected one of tap, tap_or_say, or "none"'),
        ('extends = "tactic"\narms = 2\n', "arms: no such field in the mexican games"),
        ('extends = "tactic"\nfamily = "chinese"\n', "family: expected mexican"),
        ('extends = "chess"\n', "extends: no rule set"),
        ('extends = "ours.toml"\n', "extend each other in a circle"),
        ('extends = "other.toml"\n', "other.toml"),
        ("extends = 3\n", "extends: expected"),
        ('title = "alone"\n', "family: missing"),
        ('extends = "tactic"\nfirst_draw = {value = true, mark = "X"}\n', "first_draw.mark"),
        ('extends = "tactic"\nfirst_draw = {value = true, whence = "004"}\n', "not whence"),
        ("first_draw = maybe\n", "expected TOML"),
    ],
)
def test_a_wrong_house_file_is_one_line_with_file_and_field(tmp_path, text: str, said: str) -> None:
    house = tmp_path / "ours.toml"
    house.write_text(text, "utf-8")
    with pytest.raises(RuleSetError) as refused:
        load_ruleset(str(house))
    line = str(refused.value)
    assert "ours.toml" in line or "other.toml" in line
    assert said in line and "\n" not in line


def test_a_house_file_that_is_no_text_is_refused(tmp_path) -> None:
    house = tmp_path / "ours.toml"
    house.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RuleSetError, match="UTF-8"):
        load_ruleset(house)


def test_the_house_file_of_the_guide_works(tmp_path) -> None:
    guide = resources.files("companion.rules") / "rulesets" / "README.md"
    found = re.search(r"```toml\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    house = tmp_path / "kitchen.toml"
    house.write_text(found[1], "utf-8")
    rules = load_ruleset(house)
    assert (rules.double_blank, rules.close_order, rules.hand_size(12, 4), rules.hand_size(12, 8)) == (
        50,
        "lifo",
        15,
        None,
    )


def test_a_pipe_is_refused_and_not_waited_for(tmp_path) -> None:
    os.mkfifo(tmp_path / "home.toml")
    with pytest.raises(RuleSetError, match="is a pipe, expected a rule set"):
        load_ruleset(tmp_path / "home.toml")
