"""The rules of seven domino games as a library: tables, turns, rulings, scores. Standard library only.

    >>> from companion import rules
    >>> board = rules.Board("tactic", ["Ann", "Ben", "Cy"])
    >>> board.push("play 12-5@Ann; end").legal
    True
    >>> board.explain("play 5-6@Ann; end")[0].sentence
    "Ben played 5-6 on Ann's train, which is closed to others."

`Board` is the front door. Beside it stand the values that it is made of (`Tile`, `Position`, `Play` ...), the rule sets
(`load_ruleset`), the notation (`parse_...`, `print_...`), and single questions (`deal`, `score`, `settle` ...). The
names in `__all__` are public and keep their meaning; docs/library.md says how names go. Everything else may change.

Values of tiles are pips, and counts are whole numbers. Unusable input raises `RulesError`, and nothing else. An illegal
play is a `Ruling`, never an exception. Pure: no clock, no randomness, no files but the rule sets.
"""

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.rules.audit import (
        Status,
        count_is_inconsistent,
        is_offence,
        status_by_ends,
        status_of,
        unaccounted,
        wrong_scores,
    )
    from companion.rules.board import Board, PlayedTurn
    from companion.rules.chinese import SETTLEMENTS, LineDeal, Settlement, deal_line, must_redeal, settle
    from companion.rules.mexican.judge import (
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
    from companion.rules.reasons import Facts, Reason, explain, explain_all, rule_text
    from companion.rules.referee import undealt
    from companion.rules.ruleset import (
        HOUSE_SET_NAMES,
        RULESET_NAMES,
        RuleSet,
        Source,
        contradictions,
        house_file,
        load_ruleset,
        with_options,
    )
    from companion.rules.ruleset_fields import RuleSetError
    from companion.rules.tile import Laid, RulesError, Tile, chinese_set, double_set
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

_MODULES = (
    "tile", "violations", "position", "ruleset_fields", "ruleset", "notation", "reasons", "chinese", "mexican.judge",
    "referee", "board", "audit",
)  # fmt: skip
"""Where the names are, what needs least first. A module is loaded when somebody asks for a name that none before it
has: a program that needs a tile pays for no judge."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """One of the names above. A function checks its arguments."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        modules = (import_module(f"{__name__}.{one}") for one in _MODULES)
        found = next(vars(one)[name] for one in modules if name in vars(one))
        if isinstance(found, FunctionType):
            found = import_module(f"{__name__}.ruleset_fields").checked(found)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """For people who look around in a shell."""
        return sorted({*globals(), *__all__})
