"""The rule sets in a player's words: what is special about each, who may play, and which house rules can be chosen.

The rules themselves live in the rule sets; this is only what the set-up page says about them (docs/rules.md 2-4), read
from `texts/games.toml` and `texts/house_rules.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.ruleset_fields import FIELDS, fields_of
from companion.rules.written import written


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


GAMES = "web/texts/games.toml"
HOUSE_RULES = "web/texts/house_rules.toml"


@cache
def rule_sets() -> Mapping[str, RuleSetText]:
    """Every rule set on the set-up page, by its name."""
    return {
        name: RuleSetText(
            name,
            words["family"],
            tuple(words["sets"]),
            (words["players"][0], words["players"][1]),
            tuple(words["special"]),
            words.get("source") or words["address"],
            words.get("house_rules", False),
        )
        for name, words in written(GAMES)["games"].items()
    }


def question_about(field: str) -> str:
    """The question that the set-up page asks about a field of a rule set, in English."""
    return str(written(HOUSE_RULES)["questions"].get(field, field))


def options_of(name: str, own: Mapping[str, object] | None = None) -> tuple[HouseOption, ...]:
    """Every house rule that this rule set has, those that tables most often change first.

    What `own` has chosen is among the choices, though nobody else offers it.
    """
    rules = load_ruleset(name)
    fields = [field for field in fields_of(rules.family) if field not in written(HOUSE_RULES)["silent"]]
    offered = [_option(rules, field, (own or {}).get(field)) for field in fields]
    return tuple(sorted(offered, key=lambda option: not option.main))


def choice_of(field: str, value: object) -> str:
    """A value of a rule file as the form's choices write it."""
    return _as_choice(FIELDS[field].value(value), field)


def _option(rules: RuleSet, field: str, own: object = None) -> HouseOption:
    default = _as_choice(getattr(rules, field), field)
    known = written(HOUSE_RULES)
    numbers = [str(number) for number in known["numbers"].get(field, ())]
    worded = list(known["choices"].get(field, {})) or ([] if numbers else ["false", "true"])
    chosen = [] if own is None else [choice_of(field, own)]
    values = dict.fromkeys([default, *worded, *numbers, *chosen])
    if rules.close_order != "single":
        values.pop("single", None)
    choices = tuple((value, _choice_text(field, value)) for value in values)
    return HouseOption(field, question_about(field), choices, field in known["main"], rules.leaves_open(field))


def _as_choice(value: object, field: str) -> str:
    if value is None:
        return str(FIELDS[field].absent)
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _choice_text(field: str, value: str) -> str:
    known = written(HOUSE_RULES)
    return str(known["choices"].get(field, {}).get(value) or known["flags"].get(value, value))


def option_value(text: str) -> bool | int | str | list[int]:
    """A choice of the form as the rule set's field holds it."""
    if text in ("true", "false"):
        return text == "true"
    if "," in text:
        return [int(part) for part in text.split(",")]
    return int(text) if text.isdigit() else text
