"""The words for what is wrong with the box: what it is, what it means, and what a person can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from companion.rules.written import written
from companion.storage.game_folders import number_of
from companion.storage.repairs import LASTING_TROUBLE, Repair
from companion.web.languages import gettext
from companion.web.refusals import translated


@dataclass(frozen=True, slots=True)
class RepairText:
    """`title` what is wrong; `meaning` what that means for the players; `remedy` what helps; `command` for a terminal.

    `page` is where a person mends it, an address of this page; `button` what the button says that mends it.
    """

    title: str = ""
    meaning: str = ""
    remedy: str = ""
    command: str = ""
    page: str = ""
    button: str = ""


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
    """What a long-lived part does, in the viewer's language."""
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
        text.command,
        text.page % dict(repair.about) if text.page else "",
        gettext(text.button) if text.button else "",
    )


def _trouble_text(sentence: str) -> RepairText:
    """What helps with what another part of the program says about itself."""
    for beginning, text in remedies().items():
        if sentence.startswith(beginning):
            meaning, remedy = gettext(text.meaning), gettext(text.remedy) if text.remedy else ""
            title = gettext(text.title) if text.title else translated(sentence)
            return RepairText(title, meaning, remedy, text.command, text.page)
    return RepairText(translated(sentence), gettext("The game goes on."))


def in_english(repair: Repair) -> str:
    """What is wrong, for `/health`, the terminal and the log."""
    if repair.code == LASTING_TROUBLE:
        return str(repair.about.get("words"))
    return cases().get(repair.code, _unknown(repair)).title % _shown(repair)


def _shown(repair: Repair) -> dict[str, str | int]:
    """What a case is about, as people call it: game 3, not game-0003."""
    about = dict(repair.about)
    number = number_of(str(about.get("game", "")))
    return {**about, "game": number} if number else about


def _unknown(repair: Repair) -> RepairText:
    """A case that another release has reported."""
    return RepairText(repair.code.replace("%", "%%"), "")
