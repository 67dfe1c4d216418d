"""Every code can be said to a player, in every rule set, with the rule and its source."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from companion.rules.explain import Facts, explain, explain_all, train_text
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.rules.ruleset_fields import FIELDS
from companion.rules.texts import CHINESE_RULES, CHINESE_SENTENCES, RULES, SENTENCES
from companion.rules.violations import Violation

TACTIC = load_ruleset("tactic")


def test_no_code_is_without_an_explanation() -> None:
    assert set(SENTENCES) == set(Violation)
    assert set(RULES) == set(Violation)


@pytest.mark.parametrize("name", RULESET_NAMES)
@pytest.mark.parametrize("code", list(Violation))
def test_every_code_reads_well_in_every_rule_set(name: str, code: Violation) -> None:
    rules = load_ruleset(name)
    for facts in (Facts(), Facts("Ann", "5-7", "Ben")):
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
    assert "that same double" in explain(load_ruleset("cz"), Violation.EXTRA_NOT_ON_DOUBLE).rule
    assert "[house]" in explain(load_ruleset("tactic", {"order": "lifo"}), Violation.DOUBLE_ORDER).source


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
    for text in (*SENTENCES.values(), *CHINESE_SENTENCES.values()):
        assert {name for _, name, _, _ in Formatter().parse(text) if name} <= {"player", "tile", "train"}
        assert not re.search(r"[A-Z]{3,}", text), "no code names in what players read"
    for rule in (*RULES.values(), *CHINESE_RULES.values()):
        assert rule.rests_on is None or rule.rests_on in FIELDS
