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

from companion.rules.actions import (
    MEXICAN,
    SECOND_MEXICAN,
    Action,
    Discard,
    Draw,
    End,
    Flip,
    Mark,
    Pass,
    Play,
    Unmark,
)
from companion.rules.audit import Status, is_offence, status_by_ends, status_of
from companion.rules.board import Board, PlayedTurn
from companion.rules.chinese.line import LineDeal, must_redeal
from companion.rules.chinese.line import deal as deal_line
from companion.rules.chinese.settlement import SETTLEMENTS, Settlement, settle
from companion.rules.errors import RulesError
from companion.rules.explain import Facts, Reason, explain, explain_all, rule_text
from companion.rules.mexican.scoring import (
    SCORE_MODES,
    Deal,
    RoundEnd,
    ScoringError,
    announcement,
    deal,
    engine_due,
    last_round,
    match_winners,
    pips,
    round_end,
    round_of,
    score,
    starters,
    tiles_in,
)
from companion.rules.notation import (
    NotationError,
    parse_act,
    parse_action,
    parse_chain,
    parse_laid,
    parse_tile,
    print_act,
    print_action,
    print_chain,
    print_laid,
)
from companion.rules.position import LinePosition, Position
from companion.rules.referee import LineReferee, MexicanReferee, referee_for, undealt
from companion.rules.reveal import count_is_inconsistent, unaccounted, wrong_scores
from companion.rules.ruleset import (
    HOUSE_SET_NAMES,
    RULESET_NAMES,
    RuleSet,
    RuleSetError,
    Source,
    contradictions,
    house_file,
    load_ruleset,
    with_options,
)
from companion.rules.ruling import LEGAL, Ruling
from companion.rules.tile import Laid, Tile, chinese_set, double_set
from companion.rules.violations import Certainty, Violation

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
    "LineReferee",
    "Mark",
    "MexicanReferee",
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
    "referee_for",
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
