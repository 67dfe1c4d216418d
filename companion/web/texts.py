"""The words for codes, rules, refusals and repairs in the viewer's language.

The words for codes in the reader's language; the words themselves are in `companion/rules/codes.toml`.

The rule sets in a player's words: what is special about each, who may play, and which house rules can be chosen.

The rules themselves live in the rule sets; this is only what the set-up page says about them (docs/rules.md 2-4), read
from `texts/games.toml` and `texts/house_rules.toml`.

Messages of other rooms in the viewer's language: rejected commands, troubles of camera and disk.

Those rooms know no language. A rejected command comes as a code. The troubles come as English sentences, listed in
`texts/refusals.toml` as templates; a sentence that fits one is translated, with what stood in the places of its
`%(name)s`; any other is shown as it is, never swallowed.

The page's answers when the disk refuses: in words for people, never with the place of a file.

The words for what is wrong with the box: what it is, what it means, and what a person can do about it.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain

from werkzeug.exceptions import HTTPException, ServiceUnavailable

from companion.game.rejected import CommandRejected
from companion.log.journal import JournalError
from companion.rules.reasons import rule_text, words_of
from companion.rules.ruleset import SHIPPED, RuleSet, load_ruleset
from companion.rules.ruleset_fields import FIELDS, fields_of
from companion.rules.violations import Violation
from companion.rules.written import written
from companion.storage.game_folders import number_of
from companion.storage.repairs import LASTING_TROUBLE, Repair
from companion.web.languages import gettext, marked
from companion.web.languages import gettext as _
from companion.web.languages import gettext as translate


def code_title(code: str) -> str:
    """The violation's name; an unknown code is shown as it is, never swallowed."""
    return translate(words_of(Violation(code)).title) if code in Violation.__members__ else code


def reminder(code: str) -> str:
    """A reminder of something the rules ask for at this moment: a hint, never a fault."""
    return translate(marked("Opening the Mexican train is announced.")) if code == "MX_ANNOUNCE" else code_rule(code)


def code_rule(code: str, rules: str = "") -> str:
    """The rule that was broken, in one sentence, as the rule set of that name has it."""
    if code not in Violation.__members__:
        return ""
    known = load_ruleset(rules) if rules in SHIPPED else None
    return translate(rule_text(known, Violation(code)))


@dataclass(frozen=True, slots=True)
class RuleSetText:
    """One rule set on the set-up page."""

    name: str
    family: str
    sets: tuple[str, ...]
    """In order of preference."""
    players: tuple[int, int]
    special: tuple[str, ...]
    source: str
    """The text that it rests on."""
    house_rules: bool = False
    """Some house plays by it, and no box."""


@dataclass(frozen=True, slots=True)
class HouseOption:
    """One house rule."""

    field: str
    """The field of the rule set."""
    question: str
    choices: tuple[tuple[str, str], ...]
    """(value, text), the written one first."""
    main: bool
    """It is shown at once and not among all other rules."""
    open_question: bool
    """The source is silent about it."""


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

    The choices of `own` are among them, though nobody else offers them.
    """
    rules = load_ruleset(name)
    known = written(HOUSE_RULES)
    fields = [field for field in fields_of(rules.family) if field not in (*known["silent"], *known["lengths"])]
    offered = [_option(rules, field, (own or {}).get(field)) for field in fields]
    return tuple(sorted(offered, key=lambda option: not option.main))


def offered_lengths(family: str) -> Mapping[str, str]:
    """The fields that say how long a match of these games is, and the words for what holds where none is chosen."""
    known = written(HOUSE_RULES)
    fields = [field for field in known["lengths"] if field in fields_of(family)]
    return {field: str(known["choices"].get(field, {}).get(FIELDS[field].absent, "")) for field in fields}


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


REFUSALS = "web/texts/refusals.toml"


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    known = written(REFUSALS)
    same = tuple((_pattern(template), template) for template in chain(*known["troubles"].values()))
    return same + tuple((_pattern(english), template) for english, template in known["plainer"].items())


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"%\((\w+)\)s", template)
    written = [re.escape(part) if n % 2 == 0 else f"(?P<{part}>.+?)" for n, part in enumerate(parts)]
    return re.compile("".join(written), re.DOTALL)


def why(refusal: Exception) -> str:
    """Why a command was refused, in the viewer's language; "" where it does not say."""
    if isinstance(refusal, CommandRejected):
        sentence = written(REFUSALS)["refusals"].get(refusal.code)
        if sentence is not None:
            return _capital(gettext(sentence, **refusal.params))
        return _capital(str(refusal.params["fault"]))
    text = str(refusal.args[0]) if refusal.args else ""
    return translated(text) if text else ""


def translated(sentence: str) -> str:
    """The sentence in the viewer's language, beginning with a capital; a detail in brackets stays as it is."""
    for pattern, template in _patterns():
        match = pattern.fullmatch(sentence)
        if match is not None:
            return _capital(gettext(template, **match.groupdict()))
    plain, bracket, detail = sentence.partition(" (")
    if bracket and any(pattern.fullmatch(plain) for pattern, _template in _patterns()):
        return f"{translated(plain)} ({detail}"
    return _capital(sentence)


def status_text(code: int) -> str | None:
    sentence = written(REFUSALS)["status"].get(str(code))
    return None if sentence is None else gettext(sentence)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(HTTPException):
    """Nothing was changed, since there was no room for it."""

    code = 507
    description = "Insufficient storage."


def why_of(fault: Exception) -> str:
    """The reason without the place."""
    if isinstance(fault, JournalError):
        return fault.why
    if isinstance(fault, OSError):
        return fault.strerror or type(fault).__name__
    return str(fault)


def disk_is_full(fault: Exception) -> bool:
    return getattr(fault, "errno", None) in FULL


def disk_fault(fault: Exception, sentence: str, retry_after: int | None = None) -> HTTPException:
    """The answer to a JournalError or OSError. `sentence` is translated already and has a place for `%(why)s`."""
    if disk_is_full(fault):
        return DiskFull(
            _("The disk is full, so nothing was changed. Delete pictures on the Games page, then try again.")
        )
    return ServiceUnavailable(sentence % {"why": why_of(fault)}, retry_after=retry_after)


@dataclass(frozen=True, slots=True)
class RepairText:
    """The words for one repair."""

    title: str = ""
    """The fault."""
    meaning: str = ""
    """Its meaning for the players."""
    remedy: str = ""
    """The remedy."""
    command: str = ""
    """For a terminal."""
    page: str = ""
    """Where a person mends it: an address of this page."""
    button: str = ""
    """The words on the button that mends it."""


REPAIRS = "web/texts/repairs.toml"


@cache
def cases() -> Mapping[str, RepairText]:
    """By the code of a case; `%(name)s` is filled in from what it is about."""
    return {code: RepairText(**words) for code, words in written(REPAIRS)["cases"].items()}


@cache
def remedies() -> Mapping[str, RepairText]:
    """By how the sentence of another part begins, in English."""
    return {
        beginning: RepairText(**{name: text for name, text in words.items() if name != "begins"})
        for words in written(REPAIRS)["remedies"]
        for beginning in words["begins"]
    }


def reader_slow() -> RepairText:
    """Nothing but a reader that takes its time is the matter."""
    return remedies()["the reader did not answer"]


def part_text(part: str) -> str:
    """The task of a long-lived part, in the viewer's language."""
    parts = written(REPAIRS)["parts"]
    return gettext(parts.get(part, part))


def repair_text(repair: Repair) -> RepairText:
    """The words for one case in the viewer's language."""
    if repair.code == LASTING_TROUBLE:
        return _trouble_text(str(repair.about.get("words")))
    text = cases().get(repair.code, _unknown(repair))
    if repair.code == "PART_SILENT" and repair.about.get("part") == "reader":
        text = reader_slow()
    about = _shown(repair)
    if "part" in about:
        about["part"] = part_text(str(about["part"]))
    return RepairText(
        gettext(text.title, **about),
        gettext(text.meaning, **about),
        gettext(text.remedy) if text.remedy else "",
        text.command % dict(repair.about),
        text.page % dict(repair.about) if text.page else "",
        gettext(text.button) if text.button else "",
    )


def _trouble_text(sentence: str) -> RepairText:
    """The remedy for a trouble that another part of the program reports."""
    for beginning, text in remedies().items():
        if sentence.startswith(beginning):
            meaning, remedy = gettext(text.meaning), gettext(text.remedy) if text.remedy else ""
            title = gettext(text.title) if text.title else translated(sentence)
            return RepairText(title, meaning, remedy, text.command, text.page)
    return RepairText(translated(sentence), gettext("The game goes on."))


def in_english(repair: Repair) -> str:
    """The fault in English, for `/health`, the terminal and the log."""
    if repair.code == LASTING_TROUBLE:
        return str(repair.about.get("words"))
    return cases().get(repair.code, _unknown(repair)).title % _shown(repair)


def _shown(repair: Repair) -> dict[str, str | int]:
    """The subject of a case as people call it: game 3, not game-0003."""
    about = dict(repair.about)
    number = number_of(str(about.get("game", "")))
    return {**about, "game": number} if number else about


def _unknown(repair: Repair) -> RepairText:
    """A case that another release has reported."""
    return RepairText(repair.code.replace("%", "%%"), "")
