"""The rules of seven domino games as a library: tables, turns, rulings, scores. Standard library only.

    >>> from companion import rules
    >>> board = rules.Board("tactic", ["Ann", "Ben", "Cy"])
    >>> board.push("play 12-5@Ann; end").legal
    True
    >>> board.explain("play 5-6@Ann; end")[0].sentence
    "Ben played 5-6 on Ann's train, which is closed to others."

`Board` is the front door. Beside it stand the values that it is made of (`Tile`, `Position`, `Play` ...), the rule sets
(`load_ruleset`), the notation (`parse_...`, `print_...`), and single questions (`deal`, `score`, `settle` ...).
What `__all__` names is public and keeps its meaning; docs/library.md says how names go. Everything else may change.

Values of tiles are pips, and counts are whole numbers. What cannot be used raises `RulesError`, and nothing else.
An illegal play is a `Ruling`, never an exception. Pure: no clock, no randomness, no files but the rule sets.
"""

from companion.rules import audit as _audit
from companion.rules import chinese as _chinese
from companion.rules import explain as _explain
from companion.rules import notation as _notation
from companion.rules import referee as _referee
from companion.rules import ruleset as _ruleset
from companion.rules import tile as _tile
from companion.rules.audit import Status
from companion.rules.board import Board, PlayedTurn
from companion.rules.chinese import SETTLEMENTS, LineDeal, Settlement
from companion.rules.explain import Facts, Reason
from companion.rules.mexican import judge as _judge
from companion.rules.mexican.judge import SCORE_MODES, Deal, RoundEnd, ScoringError
from companion.rules.notation import NotationError
from companion.rules.position import (
    MEXICAN,
    SECOND_MEXICAN,
    Action,
    Discard,
    Draw,
    End,
    Flip,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    Unmark,
)
from companion.rules.ruleset import HOUSE_SET_NAMES, RULESET_NAMES, RuleSet, Source
from companion.rules.ruleset_fields import RuleSetError
from companion.rules.ruleset_fields import checked as _checked
from companion.rules.tile import Laid, RulesError, Tile
from companion.rules.violations import LEGAL, Certainty, Ruling, Violation

__all__ = [
    "HOUSE_SET_NAMES",
    "LEGAL",
    "MEXICAN",
    "RULESET_NAMES",
    "SCORE_MODES",
    "SECOND_MEXICAN",
    "SETTLEMENTS",
    "Action",
    "Board",
    "Certainty",
    "Deal",
    "Discard",
    "Draw",
    "End",
    "Facts",
    "Flip",
    "Laid",
    "LineDeal",
    "LinePosition",
    "Mark",
    "NotationError",
    "Pass",
    "Play",
    "PlayedTurn",
    "Position",
    "Reason",
    "RoundEnd",
    "RuleSet",
    "RuleSetError",
    "RulesError",
    "Ruling",
    "ScoringError",
    "Settlement",
    "Source",
    "Status",
    "Tile",
    "Unmark",
    "Violation",
    "announcement",
    "chinese_set",
    "contradictions",
    "count_is_inconsistent",
    "deal",
    "deal_line",
    "double_set",
    "engine_due",
    "explain",
    "explain_all",
    "house_file",
    "is_offence",
    "last_round",
    "load_ruleset",
    "match_winners",
    "must_redeal",
    "parse_act",
    "parse_action",
    "parse_chain",
    "parse_laid",
    "parse_tile",
    "pips",
    "print_act",
    "print_action",
    "print_chain",
    "print_laid",
    "round_end",
    "round_of",
    "rule_text",
    "score",
    "settle",
    "starters",
    "status_by_ends",
    "status_of",
    "tiles_in",
    "unaccounted",
    "undealt",
    "with_options",
    "wrong_scores",
]

announcement = _checked(_judge.announcement)
chinese_set = _checked(_tile.chinese_set)
contradictions = _checked(_ruleset.contradictions)
count_is_inconsistent = _checked(_audit.count_is_inconsistent)
deal = _checked(_judge.deal)
deal_line = _checked(_chinese.deal)
double_set = _checked(_tile.double_set)
engine_due = _checked(_judge.engine_due)
explain = _checked(_explain.explain)
explain_all = _checked(_explain.explain_all)
house_file = _checked(_ruleset.house_file)
is_offence = _checked(_audit.is_offence)
last_round = _checked(_judge.last_round)
load_ruleset = _checked(_ruleset.load_ruleset)
match_winners = _checked(_judge.match_winners)
must_redeal = _checked(_chinese.must_redeal)
parse_act = _checked(_notation.parse_act)
parse_action = _checked(_notation.parse_action)
parse_chain = _checked(_notation.parse_chain)
parse_laid = _checked(_notation.parse_laid)
parse_tile = _checked(_notation.parse_tile)
pips = _checked(_judge.pips)
print_act = _checked(_notation.print_act)
print_action = _checked(_notation.print_action)
print_chain = _checked(_notation.print_chain)
print_laid = _checked(_notation.print_laid)
round_end = _checked(_judge.round_end)
round_of = _checked(_judge.round_of)
rule_text = _checked(_explain.rule_text)
score = _checked(_judge.score)
settle = _checked(_chinese.settle)
starters = _checked(_judge.starters)
status_by_ends = _checked(_audit.status_by_ends)
status_of = _checked(_audit.status_of)
tiles_in = _checked(_judge.tiles_in)
unaccounted = _checked(_audit.unaccounted)
undealt = _checked(_referee.undealt)
with_options = _checked(_ruleset.with_options)
wrong_scores = _checked(_audit.wrong_scores)
