"""What other rooms say in English, said in the viewer's language: refusals of the desk, troubles of camera and disk.

Those rooms know no language. Their sentences are listed here as templates; a sentence that fits one is translated, with
what stood in the places of its `%(name)s`; any other is shown as it is, never swallowed.
"""

from __future__ import annotations

import re
from functools import cache

from companion.web.languages import gettext
from companion.web.languages import marked as _

REFUSALS = (
    _("no round is being played"),
    _("the round is still being played; end it first"),
    _("the last round is not scored; show the hands first"),
    _("the match is over"),
    _("all rounds of this match have been played"),
    _("there is no boneyard in this game"),
    _("no tiles are put away in this game"),
    _("no. %(seq)s is no tile that lies on the table"),
    _("hands are shown when the round is over; end it first"),
    _("you can enter points once a round is over and has none yet"),
    _("round %(number)s has its points already, or was not played"),
    _("expected points for %(names)s"),
    _("a match ends between two rounds"),
    _("there is nothing to undo"),
    _("it is another player's turn"),
    _("the first tile must be played"),
    _("the table has changed in the meantime; look again and repeat it if it is still right"),
    _("no. %(seq)s is no open question"),
    _("no. %(seq)s has answers 0 to %(last)s"),
    _("%(name)s does not play in this game"),
    _("expected one of %(names)s"),
    _("expected a tile such as (12, 5), not %(tile)s"),
    _("%(verb)s cannot be previewed"),
)
"""Of companion.game.session."""

CORRECTIONS = (
    _("corrects: there is no event %(seq)s before it"),
    _("what: says no change"),
    _("what: %(event)s has no %(field)s"),
    _("what.tile: expected two numbers such as [12, 5], not %(tile)s"),
)
"""Of companion.log.corrections."""

TROUBLES = (
    _("the camera is starting"),
    _("the camera gives no pictures; it is being restarted"),
    _("the camera is not there; plug it in again, it comes back by itself"),
    _("the camera keeps showing the same picture; it is being restarted"),
    _("the picture is black: is the lens covered, is the light off?"),
    _("the picture is white: is a lamp shining into the camera?"),
    _("the camera was moved: check the four corners"),
    _("the camera was moved; the table was found again"),
    _("the recording has ended"),
    _("the demo is over"),
    _("the film is over"),
    _("the disk is full: pictures are not kept, the game is"),
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
    _("table.corners_px: not given, and corner markers %(numbers)s are not in the picture %(name)s"),
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
    return tuple((_pattern(template), template) for template in (*REFUSALS, *CORRECTIONS, *TROUBLES, *PHOTOGRAPHS))


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"%\((\w+)\)s", template)
    written = [re.escape(part) if n % 2 == 0 else f"(?P<{part}>.+?)" for n, part in enumerate(parts)]
    return re.compile("".join(written), re.DOTALL)


def say(sentence: str) -> str:
    """The sentence in the viewer's language, beginning with a capital; a detail in brackets stays as it is."""
    for pattern, template in _patterns():
        match = pattern.fullmatch(sentence)
        if match is not None:
            return _capital(gettext(template, **match.groupdict()))
    plain, bracket, detail = sentence.partition(" (")
    if bracket and any(pattern.fullmatch(plain) for pattern, _template in _patterns()):
        return f"{say(plain)} ({detail}"
    return _capital(sentence)


def status_words(code: int) -> str | None:
    return gettext(STATUS[code]) if code in STATUS else None


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
