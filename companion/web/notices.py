"""Notices of the big screen: what has to be said to the room now, each in one line, the most urgent first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.game.game_view import GameView
from companion.game.standing import confirmed
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.refusals import translated
from companion.web.wording import (
    apart_text,
    camera_message,
    fault_text,
    faults_title,
    proof_text,
    reads_slowly,
    reason_text,
    retraction_cause,
    retraction_text,
    settle_text,
)

MOST_LINES = 3
"""More lines would take the table its room; what is left out is counted."""

TURNS_SHOWN = 2
"""So many turns after a fault the room has seen it; it stays in the list of plays and at the tile."""


@dataclass(frozen=True, slots=True)
class Notice:
    """`kind` fault, question or note; `fading`: shown for the last turn."""

    kind: str
    title: str
    detail: str = ""
    fading: bool = False

    @property
    def sign(self) -> str:
        return {"fault": "!", "question": "?"}.get(self.kind, "i")


def notices(
    board: GameView, camera: Mapping[str, Any] | None, troubles: Sequence[str]
) -> tuple[tuple[Notice, ...], int]:
    """The lines to show and how many more there are."""
    found = [*_faults(board), *_retractions(board), *_questions(board), *_misfits(board), *_camera(camera)]
    found += [*_block(board), *_apart(board)]
    said = {notice.title for notice in found}
    found += [Notice("note", words) for words in dict.fromkeys(map(translated, troubles)) if words not in said]
    if len(found) <= MOST_LINES:
        return tuple(found), 0
    return tuple(found[: MOST_LINES - 1]), len(found) - MOST_LINES + 1


def turns_since(board: GameView, seq: int) -> int:
    """How many turns have been begun by others since that entry."""
    begun = board.play(seq)
    turns, actor = 0, None if begun is None else begun.get("by")
    for play in board.lines:
        by = play.get("by")
        if play["seq"] > seq and by is not None and by != actor:
            turns, actor = turns + 1, by
    return turns


def recent_faults(board: GameView) -> list[Mapping[str, Any]]:
    """The faults that are still news, the newest first."""
    return [play for play in board.faults if turns_since(board, play["seq"]) <= _turns_shown(board, play)]


def _turns_shown(board: GameView, play: Mapping[str, Any]) -> int:
    return TURNS_SHOWN + len(board.seats) if confirmed(play) else TURNS_SHOWN


def _faults(board: GameView) -> list[Notice]:
    found = []
    for play in recent_faults(board):
        title = faults_title(play)
        last_turn = turns_since(board, int(play.get("seq") or 0)) == _turns_shown(board, play)
        told = fault_text(play, board.family)
        if play.get("corrected") or confirmed(play):
            told += " " + proof_text(play, [seat.name for seat in board.seats])
        found.append(Notice("fault", title, told, last_turn))
    return found


def _retractions(board: GameView) -> list[Notice]:
    return [
        Notice("note", " ".join(retraction_text(gone) for gone in one.retracts), retraction_cause(one.because))
        for one in board.fell_lately
    ]


def _questions(board: GameView) -> list[Notice]:
    if not board.asked:
        return []
    more = len(board.asked) - 1
    detail = ngettext("And one more question.", "And %(num)s more questions.", more) if more else ""
    return [Notice("question", reason_text(board.asked[0]), detail)]


def _misfits(board: GameView) -> list[Notice]:
    """How many things people are asked about what they tapped: whose they are, the room need not know."""
    if not board.misfits:
        return []
    return [Notice("note", settle_text(len(board.misfits)))]


def _camera(camera: Mapping[str, Any] | None) -> list[Notice]:
    state = (camera or {}).get("state")
    if state == "unseated":
        return [Notice("question", _("Who sits where?"))]
    if state in ("lost", "ended"):
        assert camera is not None
        urgent = state == "lost" and not reads_slowly(camera)
        return [Notice("question" if urgent else "note", camera_message(camera))]
    return []


def _apart(board: GameView) -> list[Notice]:
    return [Notice("note", apart_text(board.apart))] if board.apart else []


def _block(board: GameView) -> list[Notice]:
    if not board.playing or not board.blocked:
        return []
    if board.blocked.provable:
        values = ", ".join(str(value) for value in board.blocked.values)
        return [
            Notice("note", _("No tile fits any more"), _("Every tile with %(values)s is on the table.", values=values))
        ]
    return [Notice("note", _("Nearly blocked"))] if board.blocked.nearly else []
