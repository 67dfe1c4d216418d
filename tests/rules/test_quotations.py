"""For every fault, one tap shows the words of the game's own text."""

from __future__ import annotations

import pytest

from companion.rules.reasons import about, quotation, quotations_of
from companion.rules.ruleset import HOUSE_SET_NAMES, RULESET_NAMES, load_ruleset
from companion.rules.ruleset_fields import fields_of
from companion.rules.violations import Violation

UNSAID = {
    Violation.TILE_NOT_IN_SET, Violation.DUPLICATE_TILE, Violation.MULTIPLICITY, Violation.TILE_MOVED,
    Violation.MARKER_WRONG_TRAIN, Violation.HAND_COUNT_INCONSISTENT, Violation.UNACCOUNTED_TILE,
    Violation.SETTLEMENT_ERROR,
}  # fmt: skip
"""Faults against sense and not against a sentence."""


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_most_faults_have_the_words_of_the_text(name: str) -> None:
    codes = [code for code in Violation if name in code.games and code not in UNSAID]
    without = [str(code) for code in codes if quotation(name, code) is None]
    assert len(codes) > 5 and len(without) <= 6, without


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_what_is_quoted_is_about_something_that_is_asked(name: str) -> None:
    fields = set(fields_of(load_ruleset(name).family))
    for topic, quoted in quotations_of(name).items():
        assert quoted.words and quoted.meaning and "«" not in quoted.words[:1]
        assert any(one in Violation.__members__ or one in fields for one in about()[topic]), topic


@pytest.mark.parametrize("name", HOUSE_SET_NAMES)
def test_other_people_s_house_rules_are_not_quoted(name: str) -> None:
    """Only their addresses are told: nobody could read all of the pages again."""
    assert quotation(name, "scoring") is None
