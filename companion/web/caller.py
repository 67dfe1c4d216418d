"""The caller: what was played and by whom, for the voice, the sounds and screen readers. Nothing is said twice."""

from __future__ import annotations

from typing import TypedDict

from companion.game.game_view import GameView
from companion.game.standing import is_fault, standing_faults
from companion.web import wording
from companion.web.notices import recent_faults

MOST_CALLED = 4
"""Of the latest plays: whoever was away for longer is not told of an evening."""


class Call(TypedDict):
    """`key` names what is said, so that a page says it once; a fault that is found later has a key of its own. `tone`:
    the sound that goes with it (play, fault, question, good)."""

    key: str
    text: str
    tone: str


def calls_of(board: GameView) -> list[Call]:
    """What there is to say now, faults and fallen accusations first, then the plays in their order."""
    faults: list[Call] = []
    plays: list[Call] = []
    latest = board.lines[-MOST_CALLED:]
    for play in (*(play for play in reversed(recent_faults(board)) if play not in latest), *latest):
        if play.get("taken_back") or play.get("withdrawn"):
            continue
        text, key = str(wording.event_text(play, board.family)), str(play["seq"])
        if is_fault(play):
            titles = " ".join(f"{wording.fault_title(play, code)}." for code in standing_faults(play))
            faults.append({"key": f"{key}!", "text": f"{titles} {text}", "tone": "fault"})
        else:
            plays.append({"key": key, "text": text, "tone": "play"})
    for one in board.fell_lately:
        words = " ".join(wording.retraction_text(gone) for gone in one.retracts)
        faults.append({"key": f"{one.seq}-", "text": words, "tone": "good"})
    asked: list[Call] = [
        {"key": f"{question['seq']}?", "text": wording.reason_text(question), "tone": "question"}
        for question, _seqs in board.cards
    ]
    return [*faults, *plays, *asked]
