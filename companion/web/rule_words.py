"""The rule sets in a player's words: what is special about each, who may play, and which house rules can be chosen.

The rules themselves live in the rule sets; this is only what the set-up page says about them (docs/rules.md 2-4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.web.languages import marked as _


@dataclass(frozen=True, slots=True)
class RuleWords:
    """One rule set on the set-up page. `sets` in order of preference; `source` names the text it rests on."""

    name: str
    family: str
    sets: tuple[str, ...]
    players: tuple[int, int]
    special: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class HouseOption:
    """One house rule: a field of the rule set, the rule sets that offer it, and its choices as (value, words)."""

    field: str
    question: str
    rules: tuple[str, ...]
    choices: tuple[tuple[str, str], ...]
    source: str


RULES: Mapping[str, RuleWords] = {
    words.name: words
    for words in (
        RuleWords(
            "tactic",
            "mexican",
            ("double-12", "double-9"),
            (2, 8),
            (
                _("One tile in the first turn, on the own train or the Mexican train."),
                _("Open doubles are covered in the order in which they were laid."),
                _("The marker comes off after a play on the own train."),
                _("Knock on the table with your last tile."),
            ),
            _("Leaflet of the boxed game, in Russian"),
        ),
        RuleWords(
            "reeves",
            "mexican",
            ("double-12", "double-9"),
            (2, 8),
            (
                _("One tile in the first turn, on the own train or the Mexican train."),
                _("After two or more doubles the extra tile goes on the first of them."),
                _("Announce your last tile."),
                _("0-0 counts 50 points."),
            ),
            _("Reeves' rules, in Bengali"),
        ),
        RuleWords(
            "cz",
            "mexican",
            ("double-12", "double-9"),
            (2, 8),
            (
                _("In the first turn all build a long train at the same time."),
                _("Who lays a double covers that same double."),
                _("You may decline to play; then you draw and mark your train."),
                _("A blocked round is won by the lowest hand; 0-0 counts 50 points."),
            ),
            _("Czech rules"),
        ),
        RuleWords(
            "poltava",
            "mexican",
            ("double-12", "double-9"),
            (2, 10),
            (
                _("In the first turn everybody builds a long train of the own."),
                _("A double whose value is used up is turned over and closes its train."),
                _("Any play takes the marker off."),
                _("The round stops as soon as nothing can be laid any more."),
            ),
            _("Ukrainian rules"),
        ),
        RuleWords(
            "jielong",
            "chinese",
            ("chinese",),
            (2, 4),
            (
                _("One line; equal halves touch."),
                _("Who cannot play puts one tile away, face down; those pips count."),
                _("With one or two open ends."),
            ),
            _("Ukrainian text on Chinese dominoes"),
        ),
        RuleWords(
            "chedeng",
            "chinese",
            ("chinese",),
            (4, 4),
            (
                _("Exactly four players, eight tiles each."),
                _("One line with one open end."),
                _("Payments double for a clean finish and for too many tiles put away."),
            ),
            _("Ukrainian text on Chinese dominoes"),
        ),
        RuleWords(
            "kkori",
            "chinese",
            ("chinese",),
            (2, 4),
            (
                _("One line with one open end."),
                _("With two or three players the tiles 3:3 to 6:6 stay out."),
                _("The highest sum pays the winner, and whoever has more than 30."),
            ),
            _("Ukrainian text on Chinese dominoes"),
        ),
    )
}

YES, NO = _("yes"), _("no")

OPTIONS: tuple[HouseOption, ...] = (
    HouseOption(
        "scoring",
        _("How is a round counted?"),
        ("cz",),
        (("penalty", _("everybody writes the own pips")), ("winner_takes", _("the winner gets all others' pips"))),
        _("Czech rules"),
    ),
    HouseOption(
        "rounds",
        _("How many rounds?"),
        ("cz",),
        (("13", _("13, down to 0-0")), ("12", _("12, down to 1-1"))),
        _("Czech rules"),
    ),
    HouseOption(
        "close_order",
        _("Which open double is covered first?"),
        ("reeves",),
        (("fifo", _("the first laid")), ("lifo", _("the last laid"))),
        _("Reeves' rules, in Bengali"),
    ),
    HouseOption(
        "strict_first_train",
        _("Must the first train be as long as possible?"),
        ("poltava",),
        (("false", NO), ("true", YES)),
        _("Ukrainian rules"),
    ),
    HouseOption(
        "may_decline",
        _("May one decline to play?"),
        ("reeves",),
        (("false", NO), ("true", YES)),
        _("Reeves' rules, in Bengali"),
    ),
    HouseOption(
        "open_hands",
        _("Do the hands lie open?"),
        ("tactic",),
        (("false", NO), ("true", YES)),
        _("Leaflet of the boxed game, in Russian"),
    ),
    HouseOption(
        "mx_root",
        _("How does the Mexican train start?"),
        ("cz",),
        (("engine", _("with the engine's value")), ("any", _("with any tile"))),
        _("Czech rules"),
    ),
    HouseOption(
        "arms",
        _("How many open ends?"),
        ("jielong",),
        (("1", _("one")), ("2", _("two"))),
        _("Ukrainian text on Chinese dominoes"),
    ),
)


def option_value(text: str) -> bool | int | str:
    """A choice of the form as the rule set's field holds it."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdigit() else text
