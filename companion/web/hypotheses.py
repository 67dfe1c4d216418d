"""Who it may have been, on the page: the hypotheses and costs of `companion explain`, in the reader's language."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from flask import Blueprint, current_app, render_template
from werkzeug.exceptions import NotFound

from companion.app.state import SessionLike
from companion.game.disputes import Dispute, NoSuchPlayError
from companion.tracking.costs import Cause
from companion.web.api import app_state
from companion.web.code_texts import code_title
from companion.web.languages import gettext
from companion.web.languages import marked as _
from companion.web.page_view import page_view_of
from companion.web.plays import line_of, shown_play
from companion.web.turns import in_turn

hypotheses = Blueprint("hypotheses", __name__)

ASSUMED: dict[Cause, str] = {
    Cause.UNSETTLED: _("the sources leave open whether this is allowed"),
    Cause.UNSETTLED_END: _("a turn ended as hardly anybody ends it, though no source forbids it"),
    Cause.SILENT_PASS: _("somebody passed and nothing shows it"),
    Cause.TURN_IN_BETWEEN: _("two turns lie between two still tables"),
    Cause.ANOTHER_IN_BETWEEN: _("a further turn lies between them"),
    Cause.PASS_AT_DOUBLE: _("somebody could not close a double, passed, and nothing shows it"),
    Cause.CLOSED_DOUBLE: _("a tile went on a double that somebody had left open"),
    Cause.MARKED_AND_CLOSED_DOUBLE: _("somebody with a marker on the train closed a double left open"),
    Cause.MARKED_ON_OWN_TRAIN: _("somebody with a marker on the train laid a tile on it"),
    Cause.MARKED_ON_MEXICAN_TRAIN: _("somebody with a marker on the train laid a tile on the Mexican train"),
    Cause.SKIPPED_FIRST_TRAIN: _("somebody did not start in the common first lap"),
    Cause.MARKED_IN_LAP: _("somebody marked a first train that had begun while others laid theirs"),
    Cause.PLAYED_ON_AFTER_MARKING: _("somebody marked and played on"),
    Cause.MISSED_DRAW: _("the camera missed a draw"),
    Cause.MISSED_DISCARD: _("the camera missed a tile that was put away"),
    Cause.LIES_OPEN: _("a tile only lies open before a player and was not put away"),
    Cause.PHANTOM_DRAW: _("the camera saw a draw that was none"),
    Cause.REACHED_FOR_NOTHING: _("an arm reached into the boneyard and took nothing"),
    Cause.MARKER_NOT_SEEN: _("a marker lies there unseen or comes late"),
    Cause.MARKER_STILL_SEEN: _("a marker was taken off or goes late"),
    Cause.DISCARD_UNSEEN_AGAIN: _("another picture does not show it either"),
    Cause.MARKER_UNSEEN_AGAIN: _("another picture does not show it either"),
    Cause.STILL_TO_COME: _("a marker is still to be moved at the end of a turn"),
    Cause.MARKER_LEFT_ON: _("a marker stays on that might have come off"),
    Cause.NO_MARKER: _("what was recognised as a marker is none"),
    Cause.DOUBTFUL_MARKER: _("a thing that does not look like a marker is none"),
    Cause.MISREAD: _("a half was misread"),
    Cause.ANOTHER_TILE: _("it is another tile than was read"),
    Cause.ON_ANOTHER_TILE: _("it lies on a tile that is another one than was read"),
    Cause.FITS_BY_CHANCE: _("a tile fits by chance what was misread"),
    Cause.DOUBTFUL_NEIGHBOUR: _("a tile beside it was misread"),
    Cause.MISCOUNTED_HAND: _("a hand was counted wrongly"),
    Cause.WRONG_STATEMENT: _("what a person entered is wrong"),
    Cause.LATE_STATEMENT: _("what a person entered was known already"),
    Cause.BLIND_STATEMENT: _("what a person entered counts for nothing"),
    Cause.UNSEEN: _("a lot happened out of the camera's sight"),
    Cause.UNSEEN_IN_CLUTTER: _("something that was not understood hid what happened"),
    Cause.CUT_SHORT: _("not everything possible was looked through"),
}
"""What a hypothesis assumes besides what was seen. What is usual needs no words (`tracking.dispute.UNLISTED`)."""


AGAIN: dict[str, str] = {
    "no legal play explains it": _("no legal play explained it"),
    "a draw may have brought a marker": _("a draw might have brought a marker"),
    "the round may end with it": _("the round might have ended with it"),
}
"""Why the game asked the camera for another look (`perception.sink.Why`), as a journal says it."""

MOST_KEPT = 32
"""Entries of which it is kept what the belief said of them."""


def explained(session: SessionLike, seq: int) -> Dispute | None:
    """What the belief says of entry `seq`, once for each state of the game; None where nothing is known of it."""
    kept: OrderedDict[tuple[str, int, int], Dispute | None] = current_app.extensions["companion_disputes"]
    mark = app_state().game, len(session.events), seq
    if mark not in kept:
        try:
            kept[mark] = session.dispute(seq)
        except NoSuchPlayError:
            kept[mark] = None
        while len(kept) > MOST_KEPT:
            kept.popitem(last=False)
    return kept[mark]


@hypotheses.get("/play/<int:seq>/why")
@in_turn
def show(seq: int) -> str:
    """The ways in which an entry may have come about, the likeliest first, each with its share, the faults it holds
    against somebody and what it assumes."""
    line = line_of(seq)
    found = explained(app_state().session, seq)
    if found is None:
        raise NotFound(gettext("Nothing more is known about entry number %(number)s.", number=seq))
    board = page_view_of(app_state().session.snapshot())
    ways = sorted(found.alternatives, key=lambda one: -one.p)
    shares = whole_percent([*(one.p for one in ways), found.rest])
    rows = [
        {
            "by": one.player,
            "share": share,
            "tile": one.tile,
            "faults": [(code_title(code), player) for code, player in one.codes],
            "assumes": [gettext(ASSUMED[cause]) for cause in one.assumes],
        }
        for one, share in zip(ways, shares, strict=False)
        if share
    ]
    named = {code for one, share in zip(ways, shares, strict=False) if share for code, _by in one.codes}
    # What is held to be possible by a share too small for any one line is a reason all the same.
    doubts = [
        f"{code_title(one.code)} ({max(1, round(100 * one.p))} %)"
        for one in found.verdict.charges
        if found.watched and not one.certain and one.code not in named
    ]
    again = [gettext(AGAIN[why]) for why in found.again if why in AGAIN]
    return render_template(
        "why.html",
        again=again,
        doubts=doubts,
        board=board,
        line=line,
        play=shown_play(seq, board),
        rows=rows,
        rest=shares[-1],
        alone=len(ways) == 1 and not shares[-1],
        watched=found.watched,
        tv=False,
    )


def whole_percent(shares: Sequence[float]) -> list[int]:
    """Shares of one in whole per cent that add up to 100, each rounded up or down; the largest remainders go up."""
    if not sum(shares):
        return [0] * len(shares)
    exact = [100 * one / sum(shares) for one in shares]
    found = [int(one) for one in exact]
    by_remainder = sorted(range(len(exact)), key=lambda n: found[n] - exact[n])
    for n in by_remainder[: 100 - sum(found)]:
        found[n] += 1
    return found
