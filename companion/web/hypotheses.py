"""Who it may have been, on the page: the hypotheses and costs of `companion explain`, in the reader's language."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from flask import Blueprint, current_app, render_template
from werkzeug.exceptions import NotFound

from companion.app.state import SessionLike
from companion.game.disputes import Dispute, NoSuchPlayError
from companion.rules.written import written
from companion.web.api import app_state
from companion.web.code_texts import code_title
from companion.web.languages import gettext
from companion.web.plays import line_of, shown_play
from companion.web.turns import in_turn

hypotheses = Blueprint("hypotheses", __name__)

HYPOTHESES = "web/texts/hypotheses.toml"
"""What a hypothesis assumes besides what was seen, and why the game looked again (`perception.sink.Why`)."""

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
    board = app_state().session.snapshot()
    ways = sorted(found.alternatives, key=lambda one: -one.p)
    shares = whole_percent([*(one.p for one in ways), found.rest])
    assumed, looked_again = (written(HYPOTHESES)[name] for name in ("assumed", "again"))
    rows = [
        {
            "by": one.player,
            "share": share,
            "tile": one.tile,
            "faults": [(code_title(code), player) for code, player in one.codes],
            "assumes": [gettext(assumed[cause]) for cause in one.assumes],
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
    again = [gettext(looked_again[why]) for why in found.again if why in looked_again]
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
