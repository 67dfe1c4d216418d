"""The rule sets in a player's words: what is special about each, who may play, and which house rules can be chosen.

The rules themselves live in the rule sets; this is only what the set-up page says about them (docs/rules.md 2-4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.ruleset_fields import FIELDS, fields_of
from companion.web.languages import marked as _


@dataclass(frozen=True, slots=True)
class RuleSetText:
    """One rule set on the set-up page. `sets` in order of preference; `source` names the text it rests on.

    `house_rules`: a set that some house plays by, and no box.
    """

    name: str
    family: str
    sets: tuple[str, ...]
    players: tuple[int, int]
    special: tuple[str, ...]
    source: str
    house_rules: bool = False


@dataclass(frozen=True, slots=True)
class HouseOption:
    """One house rule: a field of the rule set, and its choices as (value, text), the written one first.

    `main`: shown at once and not among all other rules. `open_question`: the source is silent about it.
    """

    field: str
    question: str
    choices: tuple[tuple[str, str], ...]
    main: bool
    open_question: bool


RULES: Mapping[str, RuleSetText] = {
    text.name: text
    for text in (
        RuleSetText(
            "tactic",
            "mexican",
            ("double-12", "double-9"),
            (2, 8),
            (
                _("Your first turn is one tile, on your own train or the Mexican train."),
                _("Open doubles are covered in the order in which they were played."),
                _("The marker comes off when you play on your own train."),
                _("Knock on the table with your last tile."),
            ),
            _("Leaflet of the boxed game, in Russian"),
        ),
        RuleSetText(
            "reeves",
            "mexican",
            ("double-12", "double-9", "double-15", "double-18"),
            (2, 12),
            (
                _("Your first turn is one tile, on your own train or the Mexican train."),
                _("After two or more doubles, the extra tile goes on the first one."),
                _("Announce your last tile."),
                _("0-0 counts 50 points."),
            ),
            _("Reeves' rules, in Bengali"),
        ),
        RuleSetText(
            "cz",
            "mexican",
            ("double-12", "double-9", "double-6", "double-15", "double-18"),
            (2, 8),
            (
                _("In the first turn everybody builds a long train at the same time."),
                _("If you play a double, cover that same double."),
                _("You may decline to play; then you draw and mark your train."),
                _("A blocked round is won by the lowest hand; 0-0 counts 50 points."),
            ),
            _("Czech rules"),
        ),
        RuleSetText(
            "poltava",
            "mexican",
            ("double-12", "double-9"),
            (2, 10),
            (
                _("In your first turn you build a long train of your own."),
                _("Once every tile of its value is out, a double is turned over and its train is closed."),
                _("Any play takes the marker off."),
                _("The round stops as soon as no tile fits any more."),
            ),
            _("Ukrainian rules"),
        ),
        RuleSetText(
            "goodsam",
            "mexican",
            ("double-12",),
            (2, 8),
            (
                _("Whoever holds the starting double begins."),
                _("Your first turn is one tile, on your own train or the Mexican train."),
                _("If you play a double, cover that same double."),
            ),
            "idahogoodsam.org/gamerules/9",
            house_rules=True,
        ),
        RuleSetText(
            "goodsam-florida",
            "mexican",
            ("double-12",),
            (2, 6),
            (
                _("Twelve tiles each; the first round begins with 9-9."),
                _("Your first turn is one tile, on your own train or the Mexican train."),
                _("After a double the next tile goes anywhere it fits."),
            ),
            "goodsams-florida.org",
            house_rules=True,
        ),
        RuleSetText(
            "owlshollow",
            "mexican",
            ("double-12",),
            (2, 8),
            (
                _("The highest double in a hand is the engine."),
                _("If you cannot play, draw until a tile fits."),
            ),
            "shop.owlshollow.com",
            house_rules=True,
        ),
        RuleSetText(
            "longtrain",
            "mexican",
            ("double-12",),
            (2, 10),
            (
                _("The highest double in a hand is the engine."),
                _("In your first turn you build a long train of your own."),
                _("If you play a double, cover that same double."),
            ),
            "htfbw.com/games-cards/Games/76098",
            house_rules=True,
        ),
        RuleSetText(
            "ninesteps",
            "mexican",
            ("double-12",),
            (2, 10),
            (
                _("Whoever holds the starting double begins."),
                _("In your first turn you play on your own train only."),
                _("If you cannot play, draw until a tile fits."),
            ),
            "lightskybluesweet.pages.dev",
            house_rules=True,
        ),
        RuleSetText(
            "jielong",
            "chinese",
            ("chinese",),
            (2, 4),
            (
                _("One line of tiles; matching halves touch."),
                _("If you cannot play, you put a tile away, face down, and its pips count."),
                _("With one or two open ends."),
            ),
            _("Ukrainian text on Chinese dominoes"),
        ),
        RuleSetText(
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
        RuleSetText(
            "kkori",
            "chinese",
            ("chinese",),
            (2, 4),
            (
                _("One line with one open end."),
                _("With two or three players, the tiles 3:3 to 6:6 are left out."),
                _("The highest hand pays the winner, and so does every hand over 30."),
            ),
            _("Ukrainian text on Chinese dominoes"),
        ),
    )
}

YES, NO = _("yes"), _("no")

MAIN = ("scoring", "rounds", "double_blank", "hand", "arms", "settlement", "match_points", "match_deals")
"""What tables most often do otherwise."""

SILENT = frozenset({"sets", "quick_set", "hand_table", "closings_per_turn", "small_deck_players"})
"""Not offered: the set is chosen by itself, and nobody plays the others otherwise."""

FREE_NUMBERS: Mapping[str, tuple[int, ...]] = {
    "double_blank": (0, 25, 50),
    "max_doubles_per_turn": (1, 2, 3),
    "match_points": (50, 100, 150, 200, 300, 500),
    "match_deals": (4, 6, 8, 10, 12, 16, 20),
    "rounds": (1, 4, 7, 10, 12, 13),
    "first_engine": (12, 9, 6),
    "redeal_doubles": (7,),
    "hand": tuple(range(5, 21)),
    "mx_from_turn": (1, 2),
    "others_from_turn": (1, 2),
    "announce_penalty": (0, 1, 2),
    "arms": (1, 2),
}
"""The numbers offered where a field holds any."""

QUESTIONS: Mapping[str, str] = {
    "may_decline": _("May you decline to play?"),
    "decline_draws": _("If you decline, do you draw first?"),
    "open_hands": _("Are the hands open?"),
    "hand": _("How many tiles is everybody dealt?"),
    "long_first": _("Is the first turn a long train?"),
    "first_simultaneous": _("Does everybody build the first train at the same time?"),
    "first_optional": _("May you refuse to start your train?"),
    "strict_first_train": _("Must the first train be as long as possible?"),
    "first_draw": _("May you draw in your first turn?"),
    "first_double_opens": _("Must a double at the end of a first train be covered?"),
    "finish_first_lap": _("Does everybody still get a first turn when somebody goes out?"),
    "mx_from_turn": _("From which turn may you start the Mexican train?"),
    "others_from_turn": _("From which turn may you play on other players' marked trains?"),
    "mx_root": _("How does the Mexican train start?"),
    "mx_sign": _("What shows that the Mexican train has begun?"),
    "engine_from": _("Where does the engine come from?"),
    "starter_by": _("Who starts?"),
    "draws": _("How many tiles do you draw if you cannot play?"),
    "extra_tile": _("Where does the tile after a double go?"),
    "extra_in_order": _("Does the extra tile cover your doubles in their order?"),
    "max_doubles_per_turn": _("How many doubles may you play in a turn?"),
    "close_order": _("Which open double is covered first?"),
    "redraw_after_drawn_double": _("If you draw a double, do you draw again?"),
    "marker_after": _("When does the marker go on?"),
    "marker_off": _("What takes the marker off?"),
    "marker_off_required": _("Must the marker then come off?"),
    "marker_on_empty_boneyard": _("If you pass with an empty boneyard, must you mark your train?"),
    "dead_double": _("What becomes of a double that nobody can cover?"),
    "block_rule": _("When does a blocked round end?"),
    "scoring": _("How is a round scored?"),
    "blocked_winner_zero": _("Does the winner of a blocked round score nothing?"),
    "double_blank": _("How many points does 0-0 count?"),
    "announce": _("How is the last tile announced?"),
    "announce_penalty": _("How many tiles do you draw if you do not announce it?"),
    "rounds": _("How many rounds?"),
    "first_engine": _("With which double does the first round begin?"),
    "arms": _("How many open ends?"),
    "settlement": _("Who pays whom?"),
    "head_tail": _("When does a player pay double?"),
    "multipliers": _("Are payments doubled for a clean finish?"),
    "redeal_doubles": _("Are seven doubles in a hand dealt again?"),
    "next_leader": _("Who leads the next deal?"),
    "match_points": _("How many points end a match?"),
    "match_deals": _("How many deals make a match?"),
}
"""Field -> the question that the set-up page asks."""

NOTHING = _("nothing")
ANYWHERE = _("anywhere it fits")
ENDED_BY_PLAYERS = _("you say when it ends")

CHOICE_TEXTS: Mapping[str, Mapping[str, str]] = {
    "hand": {"table": _("as the rules say")},
    "mx_from_turn": {"1": _("the first"), "2": _("the second")},
    "others_from_turn": {"1": _("the first"), "2": _("the second")},
    "mx_root": {"engine": _("with the engine's value"), "any": _("with any tile")},
    "mx_sign": {"none": NOTHING, "marker": _("a marker"), "announce": _("its player says so")},
    "engine_from": {
        "set_aside": _("it is set aside before the deal"),
        "holder": _("whoever holds it plays it"),
        "highest_hand": _("it is the highest double in a hand"),
    },
    "starter_by": {
        "chosen": _("somebody is chosen"),
        "highest_tile": _("whoever draws the highest tile"),
        "engine": _("whoever plays the engine"),
    },
    "draws": {"one": _("one"), "until_playable": _("as many as it takes")},
    "extra_tile": {
        "this_double": _("on that same double"),
        "anywhere": ANYWHERE,
        "anywhere_but_first_if_many": _("anywhere; after several doubles, on the first"),
    },
    "max_doubles_per_turn": {"no limit": _("without limit"), "1": _("one"), "2": _("two")},
    "close_order": {
        "fifo": _("the first one played"),
        "lifo": _("the last one played"),
        "either": _("the first or the last one played"),
        "any": _("any of them"),
    },
    "marker_after": {
        "nothing_laid": _("when nothing was played"),
        "nothing_on_own": _("when nothing was played on your own train"),
    },
    "marker_off": {"own": _("a play on your own train"), "any": _("any play")},
    "marker_on_empty_boneyard": {"required": YES, "optional": NO},
    "dead_double": {
        "flip": _("it is turned over"),
        "release": _("nobody has to cover it any more"),
        "blocks": _("it locks the table"),
    },
    "block_rule": {
        "provable_stop": _("at once"),
        "empty_and_all_pass": _("when the boneyard is empty and all have passed"),
    },
    "scoring": {
        "penalty": _("everybody scores their own pips"),
        "winner_takes": _("the winner scores everybody else's pips"),
        "first_out": _("a round won counts one point"),
    },
    "announce": {"none": _("not at all"), "tap": _("by a knock"), "tap_or_say": _("by a knock or aloud")},
    "rounds": {"set + 1": _("down to 0-0"), "1": _("a single round")},
    "first_engine": {"set": _("the highest of the set")},
    "arms": {"1": _("one"), "2": _("two")},
    "settlement": {
        "pairwise": _("everybody pays the difference"),
        "kkori": _("the highest sum pays, and whoever has more than 30"),
        "winner_chip": _("every loser pays one chip"),
        "points": _("nobody: plain points, the fewest win"),
    },
    "head_tail": {"7,8": _("head seven, tail eight"), "6,7": _("head six, tail seven")},
    "redeal_doubles": {"none": NO, "7": YES},
    "next_leader": {
        "winner": _("the winner of the last one"),
        "rotate": _("each in turn"),
        "holder_of_2:5": _("whoever holds 2:5"),
    },
    "match_points": {"none": ENDED_BY_PLAYERS},
    "match_deals": {"none": ENDED_BY_PLAYERS},
}
"""Field -> value -> the words of the choice; a flag is yes or no, and a number stands for itself."""


def options_of(name: str, own: Mapping[str, object] | None = None) -> tuple[HouseOption, ...]:
    """Every house rule that this rule set has, those that tables most often change first.

    What `own` has chosen is among the choices, though nobody else offers it.
    """
    rules = load_ruleset(name)
    fields = [field for field in fields_of(rules.family) if field not in SILENT]
    offered = [_option(rules, field, (own or {}).get(field)) for field in fields]
    return tuple(sorted(offered, key=lambda option: not option.main))


def choice_of(field: str, value: object) -> str:
    """A value of a rule file as the form's choices write it."""
    return _as_choice(FIELDS[field].value(value), field)


def _option(rules: RuleSet, field: str, own: object = None) -> HouseOption:
    default = _as_choice(getattr(rules, field), field)
    numbers = [str(number) for number in FREE_NUMBERS.get(field, ())]
    known = list(CHOICE_TEXTS.get(field, {})) or ([] if numbers else ["false", "true"])
    chosen = [] if own is None else [choice_of(field, own)]
    values = dict.fromkeys([default, *known, *numbers, *chosen])
    if rules.close_order != "single":
        values.pop("single", None)
    choices = tuple((value, _choice_text(field, value)) for value in values)
    return HouseOption(field, QUESTIONS[field], choices, field in MAIN, rules.leaves_open(field))


def _as_choice(value: object, field: str) -> str:
    if value is None:
        return str(FIELDS[field].absent)
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _choice_text(field: str, value: str) -> str:
    text = CHOICE_TEXTS.get(field, {}).get(value)
    return text or {"true": YES, "false": NO, "single": ANY_OF_THEM}.get(value, value)


ANY_OF_THEM = _("any of them")


def option_value(text: str) -> bool | int | str | list[int]:
    """A choice of the form as the rule set's field holds it."""
    if text in ("true", "false"):
        return text == "true"
    if "," in text:
        return [int(part) for part in text.split(",")]
    return int(text) if text.isdigit() else text
