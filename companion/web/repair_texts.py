"""The words for what is wrong with the box: what it is, what it means, and what a person can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.storage.game_folders import number_of
from companion.storage.repairs import LASTING_TROUBLE, Repair
from companion.web.languages import gettext
from companion.web.languages import marked as _
from companion.web.refusals import translated


@dataclass(frozen=True, slots=True)
class RepairText:
    """`title` what is wrong; `meaning` what that means for the players; `remedy` what helps; `command` for a terminal.

    `page` is where a person mends it, an address of this page; `button` what the button says that mends it.
    """

    title: str
    meaning: str
    remedy: str = ""
    command: str = ""
    page: str = ""
    button: str = ""


_NEW_CARD = _("If this happens again, save the games on the Games page and put in a new card.")
_BACKUP = "sudo deploy/install.sh --restore /var/backups/companion/companion-....tar.gz"

TEXTS: Mapping[str, RepairText] = {
    "JOURNAL_SHORT": RepairText(
        _("The end of game %(game)s was missing on the card; %(back)s entries are back from its copy."),
        _("Nothing is lost. The card had not kept what was written to it; what it still held lies in %(aside)s."),
        _NEW_CARD,
    ),
    "JOURNAL_DAMAGED": RepairText(
        _("Game %(game)s was damaged on the card and has been repaired; it has %(events)s entries."),
        _("The damaged file is kept as %(aside)s. What was found: %(why)s."),
        _NEW_CARD,
    ),
    "JOURNAL_MISSING": RepairText(
        _("Game %(game)s was gone; it is back from its copy with %(events)s entries."),
        _("If somebody deleted it on purpose, delete its copy in the folder “copies” too."),
    ),
    "JOURNAL_LOST": RepairText(
        _("Game %(game)s cannot be repaired: its beginning is lost in the journal and in its copy."),
        _("What is left is kept as %(aside)s. A backup may still hold the game."),
        command=_BACKUP,
    ),
    "JOURNAL_GAP": RepairText(
        _("Game %(game)s goes to entry %(events)s: the next one is lost, and %(beyond)s later ones wait in %(aside)s."),
        _("What the lost entry was cannot be known, and nobody is judged by a guess. Compare the table with the page."),
        _NEW_CARD,
        command=_BACKUP,
    ),
    "JOURNAL_END_LOST": RepairText(
        _("The end of game %(game)s is lost: it had %(lost)s more entries after entry %(events)s."),
        _("Neither the journal nor its copy holds them. Compare the table and the points with the page."),
        _NEW_CARD,
        command=_BACKUP,
    ),
    "JOURNAL_GONE": RepairText(
        _("Game %(game)s is gone: neither a journal nor a copy is left; it had %(lost)s entries."),
        _("If somebody deleted it on purpose, nothing is wrong. Otherwise a backup may still hold it."),
        command=_BACKUP,
    ),
    "JOURNAL_IN_DOUBT": RepairText(
        _("Some entries of game %(game)s may be wrong: %(entries)s."),
        _("Nothing proves them: the journal and its copy differ there, or another version of the program wrote them."),
        _("Look at them in the replay and correct what is wrong."),
        page="/games/%(game)s/replay?at=%(first)s",
    ),
    "COPY_DAMAGED": RepairText(
        _("The copy of game %(game)s was damaged; there is a new one."),
        _("The game itself is whole. The damaged copy is kept as %(aside)s."),
        _NEW_CARD,
    ),
    "COPY_DIFFERS": RepairText(
        _("The copy of game %(game)s held something else; it is kept as %(aside)s, and there is a new one."),
        _("The game is as its journal has it. Nothing was overwritten."),
    ),
    "COPY_REFUSED": RepairText(
        _("Game %(game)s is not being copied: its copy holds something else, or more."),
        _("The game is kept, but only once. When the companion is started again it compares the two."),
        command="sudo systemctl restart companion",
    ),
    "REPAIR_FAILED": RepairText(
        _("Game %(game)s is damaged and could not be repaired: %(why)s"),
        _("Nothing was changed. The next start tries again."),
        _("Make room on the disk, then start the companion again."),
        command="sudo systemctl restart companion",
    ),
    "GAME_CLOSED": RepairText(
        _("The last game, %(game)s, cannot be opened: %(why)s"),
        _("It is kept as it is. Meanwhile a new game can be started."),
        command=_BACKUP,
    ),
    "PICTURES_LEFT": RepairText(
        _("Deleted pictures are still on the disk: %(count)s (%(why)s)."),
        _("They were emptied where that was possible. After a restart you can delete them again."),
        _NEW_CARD,
    ),
    "CLOCK_LEAPT": RepairText(
        _("The clock may be wrong: it has jumped since the last evening, %(last)s."),
        _("Until it is right no pictures are deleted for their age. Games do not depend on the clock."),
        _("Compare the date above with a calendar. A network sets the clock by itself."),
        command="sudo timedatectl set-time '2026-11-20 19:00'",
        button=_("The date above is right"),
    ),
    "SAFE_MODE": RepairText(
        _("The box runs in safe mode: no camera, no broker, no learned set."),
        _("You tap the plays in. Every game is kept."),
        button=_("Start normally"),
    ),
    "DISK_REFUSES": RepairText(
        _("The disk takes no new files: %(why)s."),
        _("You can look at scores and sheets and save games; what cannot be written is refused."),
        _("Delete pictures on the Games page, or put in a new card. It goes on by itself."),
        page="/games",
    ),
    "PART_SILENT": RepairText(
        _("No sign of life from: %(part)s."),
        _("It hangs. The page says so until it goes on; what you enter is kept."),
        _("If it does not go on by itself, switch the box off and on."),
        command="sudo systemctl restart companion",
    ),
    "PART_FAILED": RepairText(
        _("This does not work just now: %(part)s (%(why)s)."),
        _("It is tried again every few seconds, and goes on by itself."),
    ),
    "RULES_FILE": RepairText(
        _("A file of your house rules cannot be used: %(why)s"),
        _("Games that were begun with it go on; it is not offered for a new one."),
        _("Mend it, or take it out of the folder “rules”."),
    ),
    "RULES_ASIDE": RepairText(
        _("A file of your house rules could not be used and was set aside as %(aside)s: %(why)s"),
        _("Games that were begun with it go on; it is not offered for a new one."),
        _("Mend it, and give it its old name."),
    ),
    "STATE_FILE": RepairText(
        _("The file %(file)s made no sense and was set aside as %(aside)s."),
        _("What it held starts afresh, or you are asked for it again. No game was in it."),
    ),
}
"""By the code of a case; `%(name)s` is filled in from what it is about."""


PARTS: Mapping[str, str] = {
    "referee": _("watching the table"),
    "reader": _("reading the tiles"),
    "camera": _("the camera"),
    "game": _("the game"),
    "page": _("the page"),
    "copies": _("copying the game"),
    "publisher": _("telling the other tables"),
    "buttons": _("the buttons"),
    "lamp": _("the lamp"),
    "trail": _("keeping what was changed"),
    "pictures": _("keeping the pictures"),
    "address": _("following the box's address"),
    "watchdog": _("looking after all of these"),
}
"""What each long-lived part does, in words for people."""


_CAMERA = RepairText("", _("Meanwhile you can tap the plays in."), _("Check camera and table."), page="/table")

READER_SLOW = _("Reading is slow just now. Play on: what lies on the table is read next.")

_READER_SLOW = RepairText(
    READER_SLOW,
    _("The box has much to do. What you enter is kept."),
    _("If it goes on for minutes, switch the box off and on."),
    command="sudo systemctl restart companion",
)

REMEDIES: Mapping[str, RepairText] = {
    "the reader did not answer": _READER_SLOW,
    "only ": RepairText(
        "",
        _("When the disk is full, nothing more can be recorded."),
        _("Delete pictures on the Games page."),
        page="/games",
    ),
    "the disk is full": RepairText(
        "", _("The game goes on without pictures."), _("Delete pictures on the Games page."), page="/games"
    ),
    "the clock was never set": RepairText(
        "",
        _("Games do not depend on the clock; the dates shown do."),
        command="sudo timedatectl set-time '2026-11-20 19:00'",
    ),
    "the broker": RepairText("", _("The other tables hear of it as soon as the broker is back. Nothing is lost.")),
    "the camera": _CAMERA,
    "the picture is": _CAMERA,
    "the reader": _CAMERA,
    "table.": _CAMERA,
}
"""By how the sentence of another part begins, in English."""


def repair_text(repair: Repair) -> RepairText:
    """The words for one case in the viewer's language."""
    if repair.code == LASTING_TROUBLE:
        return _trouble_text(str(repair.about.get("words")))
    text = TEXTS.get(repair.code, _unknown(repair))
    if repair.code == "PART_SILENT" and repair.about.get("part") == "reader":
        text = _READER_SLOW
    about = _shown(repair)
    if "part" in about:
        about["part"] = gettext(PARTS.get(str(about["part"]), str(about["part"])))
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
    for beginning, text in REMEDIES.items():
        if sentence.startswith(beginning):
            meaning, remedy = gettext(text.meaning), gettext(text.remedy) if text.remedy else ""
            title = gettext(text.title) if text.title else translated(sentence)
            return RepairText(title, meaning, remedy, text.command, text.page)
    return RepairText(translated(sentence), gettext(_("The game goes on.")))


def in_english(repair: Repair) -> str:
    """What is wrong, for `/health`, the terminal and the log."""
    if repair.code == LASTING_TROUBLE:
        return str(repair.about.get("words"))
    return TEXTS.get(repair.code, _unknown(repair)).title % _shown(repair)


def _shown(repair: Repair) -> dict[str, str | int]:
    """What a case is about, as people call it: game 3, not game-0003."""
    about = dict(repair.about)
    number = number_of(str(about.get("game", "")))
    return {**about, "game": number} if number else about


def _unknown(repair: Repair) -> RepairText:
    """A case that another release has reported."""
    return RepairText(repair.code.replace("%", "%%"), "")
