"""Every code can be said to a player, in every rule set, with the rule and its source."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from string import Formatter

import pytest

from companion.rules.board import Board
from companion.rules.reasons import Facts, explain, explain_all, train_text, words_of
from companion.rules.ruleset import RULESET_NAMES, SHIPPED, house_file, load_ruleset
from companion.rules.ruleset_fields import CHINESE, FIELDS, MEXICAN
from companion.rules.tile import RulesError
from companion.rules.violations import Violation
from companion.rules.written import written

TACTIC = load_ruleset("tactic")


def test_no_code_is_without_an_explanation() -> None:
    known = written("rules/codes.toml")["codes"]
    assert list(known) == list(Violation)
    assert all(words_of(code).sentence and words_of(code).rule for code in Violation)


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_every_code_reads_well_in_every_rule_set(name: str) -> None:
    rules = load_ruleset(name)
    for code, facts in product(Violation, (Facts(), Facts("Ann", "5-7", "Ben"))):
        reason = explain(rules, code, facts)
        assert reason.sentence[0].isupper() or reason.sentence[0].isdigit()
        assert reason.sentence.endswith(".") and reason.rule.endswith(".")
        assert "{" not in reason.sentence + reason.rule + reason.source
        assert reason.source.startswith(f"{rules.source}, {rules.title}: ")


def test_the_facts_stand_in_the_sentence() -> None:
    reason = explain(TACTIC, Violation.CLOSED_TRAIN, Facts("Cy", "9-2", "Ann"))
    assert reason.sentence == "Cy played 9-2 on Ann's train, which is closed to others."


def test_the_rule_is_the_one_of_this_rule_set_and_house() -> None:
    assert "in the order in which" in explain(TACTIC, Violation.DOUBLE_ORDER).rule
    assert "reverse" in explain(load_ruleset("tactic", {"order": "lifo"}), Violation.DOUBLE_ORDER).rule
    assert "or in reverse" in explain(load_ruleset("tactic", {"order": "either"}), Violation.DOUBLE_ORDER).rule
    assert "that same double" in explain(load_ruleset("cz"), Violation.EXTRA_NOT_ON_DOUBLE).rule
    assert "house rule" in explain(load_ruleset("tactic", {"order": "lifo"}), Violation.DOUBLE_ORDER).source
    changed = explain(load_ruleset("tactic", {"draws": "until_playable"}), Violation.EXTRA_DRAW).source
    assert "take one from the pile" not in changed, "the house has changed what that sentence says"


@pytest.mark.parametrize("name", SHIPPED)
def test_a_source_is_quoted_in_the_reader_s_language_and_without_marks(name: str) -> None:
    rules = load_ruleset(name)
    for code in Violation:
        said = explain(rules, code).source.partition(": ")[2]
        foreign = {letter for letter in said if letter.isalpha() and not letter.isascii()}
        assert said and not foreign and not re.search(r"\[\w+\]", said), code


def test_a_house_s_own_file_quotes_the_text_of_its_game(tmp_path: Path) -> None:
    home = tmp_path / "home.toml"
    home.write_text(house_file("tactic", "At home", {"announce_penalty": 2}), encoding="utf-8")
    for rules in (TACTIC, Board(home).rules):
        said = explain(rules, Violation.OPEN_DOUBLE_IGNORED).source
        assert said.endswith('"A double must always be covered; only then can tiles be laid on other trains."')
    assert "all 12 tiles" in explain(TACTIC, Violation.DEAD_TRAIN).source


def test_a_source_says_where_its_text_leaves_something_open() -> None:
    assert explain(TACTIC, Violation.MARKER_UNEARNED).source.endswith("; the text leaves part of this open")
    reeves = explain(load_ruleset("reeves"), Violation.PASSED_WITH_PLAYABLE).source
    assert reeves.endswith("; the text contradicts itself here")


def test_a_board_explains_the_turn_of_anybody() -> None:
    board = Board("tactic", ["Ann", "Ben", "Cy"])
    [closed] = board.explain("play 12-5@Ann", by="Ann") or [None]
    assert closed is None
    codes = [reason.code for reason in board.explain("play 12-5@Ann", by="Ben")]
    assert codes == sorted(board.copy().push("play 12-5@Ann", by="Ben").codes)
    assert Violation.OUT_OF_TURN in codes and Violation.CLOSED_TRAIN in codes
    with pytest.raises(RulesError, match="by: expected one of Ann, Ben, Cy"):
        board.explain("play 12-5@Ann", by="Dan")


def test_possible_faults_are_explained_only_when_asked_for_and_are_marked() -> None:
    board = Board("cz", ["Ann", "Ben"], trains={"Ann": "12-5", "Ben": "12-3"}, first_turn=False, boneyard=9)
    turn = "mark Ann"
    assert board.judge(turn).may, "a turn with a possible fault"
    told = board.explain(turn, may=True)
    assert {reason.code for reason in told if not reason.certain} == board.judge(turn).may
    assert [reason for reason in told if reason.certain] == board.explain(turn)


def test_the_mexican_train_is_called_by_its_name() -> None:
    assert train_text("MX") == "the Mexican train"
    assert train_text(None) == "a train"


def test_codes_without_facts_are_told_of_the_player() -> None:
    reasons = explain_all(TACTIC, [Violation.NO_DRAW, Violation.MARKER_MISSING], player="Ben")
    assert [str(reason.code) for reason in reasons] == ["MARKER_MISSING", "NO_DRAW"]
    assert all("Ben" in reason.sentence for reason in reasons)


def test_a_translation_keeps_the_places() -> None:
    said = explain(TACTIC, Violation.NO_DRAW, Facts("Ben"), translate=lambda text: "«" + text + "»")
    assert said.sentence.startswith("«Ben")


def test_texts_name_only_known_places_and_fields() -> None:
    all_words = [words_of(code, family) for code in Violation for family in (MEXICAN, CHINESE)]
    for text in (words.sentence for words in all_words):
        assert {name for _, name, _, _ in Formatter().parse(text) if name} <= {"player", "tile", "train"}
        assert not re.search(r"[A-Z]{3,}", text), "no code names in what players read"
    for words in all_words:
        assert words.rests_on in FIELDS if words.variants else words.rests_on in (None, *FIELDS)
        for value in words.variants:
            assert (
                words.rests_on and FIELDS[words.rests_on].value({"true": True, "false": False}.get(value, value)) != ""
            )
