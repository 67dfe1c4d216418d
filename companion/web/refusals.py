"""What other rooms say, said in the viewer's language: rejected commands, troubles of camera and disk.

Those rooms know no language. A rejected command comes as a code. The troubles come as English sentences, listed here as
templates; a sentence that fits one is translated, with what stood in the places of its `%(name)s`; any other is shown
as it is, never swallowed.
"""

from __future__ import annotations

import re
from functools import cache

from companion.game.rejected import CommandRejected, Reason
from companion.web.languages import gettext
from companion.web.languages import marked as _

REFUSALS = {
    Reason.NO_ROUND: _("no round is being played"),
    Reason.ROUND_RUNS: _("the round is still being played; end it first"),
    Reason.ROUND_UNSCORED: _("the last round is not scored; show the hands first"),
    Reason.MATCH_OVER: _("the match is over"),
    Reason.ALL_ROUNDS_PLAYED: _("all rounds of this match have been played"),
    Reason.NO_BONEYARD: _("there is no boneyard in this game"),
    Reason.END_NOT_RECORDED: _("a tile lies there that is not recorded, so nobody can tell what fits there"),
    Reason.NO_MARKERS: _("there are no markers in this game"),
    Reason.NO_DISCARDS: _("no tiles are put away in this game"),
    Reason.NO_SUCH_TILE: _("no. %(seq)s is no tile that lies on the table"),
    Reason.HANDS_TOO_EARLY: _("hands are shown when the round is over; end it first"),
    Reason.POINTS_TOO_EARLY: _("you can enter points once a round is over and has none yet"),
    Reason.ROUND_HAS_POINTS: _("round %(number)s has its points already, or was not played"),
    Reason.POINTS_OF_ALL: _("expected points for %(names)s"),
    Reason.MATCH_IN_ROUND: _("a match ends between two rounds"),
    Reason.NOTHING_TO_UNDO: _("there is nothing to undo"),
    Reason.NOT_YOUR_TURN: _("it is another player's turn"),
    Reason.FIRST_TILE_DUE: _("the first tile must be played"),
    Reason.TABLE_CHANGED: _("the table has changed in the meantime; look again and repeat it if it is still right"),
    Reason.NO_OPEN_QUESTION: _("no. %(seq)s is no open question"),
    Reason.NO_SUCH_ANSWER: _("no. %(seq)s has answers 0 to %(last)s"),
    Reason.NO_SUCH_PLAYER: _("%(name)s does not play in this game"),
    Reason.NO_SUCH_REPORT: _("expected one of %(names)s"),
    Reason.NO_TILE: _("%(tile)s is no tile. Write one like this: 12-5."),
    Reason.NO_EARLIER_EVENT: _("This game has no entry number %(seq)s to correct."),
    Reason.NO_CHANGE: _("what: says no change"),
    Reason.NO_SUCH_FIELD: _("what: %(event)s has no %(field)s"),
}
"""Why a command was rejected, by its code. Its params stand in the places of `%(name)s`."""

TROUBLES = (
    _("the camera is starting"),
    _("the camera gives no pictures; it is being restarted"),
    _("the camera gives no picture just now"),
    _("the camera is not there; plug it in again, it comes back by itself"),
    _("the camera keeps showing the same picture; it is being restarted"),
    _("the picture is black: is the lens covered, is the light off?"),
    _("it is too dark to read the table: switch on more light"),
    _("the picture is white: is a lamp shining into the camera?"),
    _("the camera was moved: check the four corners"),
    _("the camera was moved; the table was found again"),
    _("the recording has ended"),
    _("the camera's software on this machine does not work"),
    _("another program uses the camera; end that one, and the camera comes back by itself"),
    _("the companion may not open the camera"),
    _("there is not enough memory for the camera's pictures"),
    _("the camera's driver failed; it is being started again"),
    _("the camera's pictures are of a kind that cannot be used"),
    _("the camera cannot be reached over the network; it is being tried again"),
    _("asked for %(asked)s, the camera gives %(given)s; `companion cameras` lists its sizes"),
    _("the camera gives %(given)s: its own application or page sets the size"),
    _("the camera gives grey pictures: if it has two, this is the infrared one"),
    _("the camera gives %(rate)s pictures a second: a smaller --camera-size or more light helps"),
    _("the lamps run on %(hz)s Hz, though this time zone's country has %(usual)s Hz"),
    _("there is little shared memory (/dev/shm), %(megabytes)s MB are wanted: pictures come more slowly"),
    _("%(count)s tiles stand in a row and %(hidden)s of them have an end hidden; lift them out to read those"),
    _("these tiles carry digits; teach it your set first"),
    _("the demo is over"),
    _("the film is over"),
    _("nothing is recorded just now (%(why)s)"),
    _("nothing is recorded just now (the referee gives no sign of life)"),
    _("the disk is full: pictures are not kept, the game is"),
    _("the disk is slow: pictures are not kept, the game is"),
    _("the disk is full: the game goes on without pictures"),
    _("a picture could not be kept (%(why)s): the game goes on without pictures"),
    _("only %(megabytes)s MB are free for games and pictures"),
    _("%(folder)s cannot be read (%(why)s)"),
    _("the clock was never set"),
    _("the reader could not read this picture (%(why)s)"),
    _("the reader cannot be opened (%(why)s)"),
    _("the reader's process ended; it is started again for the next picture"),
    _("the reader did not answer within %(seconds)s s; it is started again for the next picture"),
    _("the broker cannot be reached; %(number)s events wait for it"),
    _("the broker refuses this user or password; %(number)s events wait for it"),
    _("another box tells the broker of a table called %(name)s, too"),
    _("table.size_mm: not given, and no tile lies in the first picture to measure the table by"),
    _("table.corners_px: corner %(number)s (%(place)s) lies outside the picture of %(size)s"),
)
"""Of camera, evidence, disk, clock, broker and table."""

PHOTOGRAPHS = (
    _("damaged picture"),
    _("not a picture (%(kinds)s are read)"),
    _("%(size)s pixels, at most %(most)s megapixels are opened"),
    _("%(size)s pixels, expected at least %(least)s"),
    _("more than %(most)s megapixels"),
    _("too large for this machine's memory"),
    _("it needs more memory than it may have"),
    _("it was not read within %(seconds)s s"),
    _("the reading process ended"),
)
"""Of a phone's photograph and whoever reads it."""

PLAINER = {
    "table.corners_px: not given, and corner markers %(numbers)s are not in the picture %(name)s": _(
        "The printed markers are not all in the picture. "
        "Print them and lay them on the corners, or set the corners by hand."
    ),
}
"""Troubles that are worded for whoever writes a set-up file, and what the page says instead."""

STATUS = {
    400: _("We did not understand that request."),
    404: _("There is no such page."),
    405: _("That cannot be done with this page."),
    413: _("That is too large."),
    415: _("We cannot read that kind of file."),
    500: _("The box made a mistake. Your game is safe; look again."),
}
"""By HTTP status, where nobody wrote a sentence of their own."""


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    same = tuple((_pattern(template), template) for template in (*TROUBLES, *PHOTOGRAPHS))
    return same + tuple((_pattern(english), template) for english, template in PLAINER.items())


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"%\((\w+)\)s", template)
    written = [re.escape(part) if n % 2 == 0 else f"(?P<{part}>.+?)" for n, part in enumerate(parts)]
    return re.compile("".join(written), re.DOTALL)


def why(refusal: Exception) -> str:
    """Why a command was refused, in the viewer's language; "" where it does not say."""
    if isinstance(refusal, CommandRejected):
        if refusal.code in REFUSALS:
            return _capital(gettext(REFUSALS[refusal.code], **refusal.params))
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
    return gettext(STATUS[code]) if code in STATUS else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
