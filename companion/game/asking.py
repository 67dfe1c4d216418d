"""What people are asked about their taps, on record: the question as a line, and what they answered.

`tracking.asked` says what does not fit. A question is written when it is asked and withdrawn when it is settled by what
came after; what stands in it is not read again but for the key that somebody chose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.game.timeline import Timeline
from companion.log.author import PHONE
from companion.log.corrections import open_questions, withdrawn_corrections
from companion.log.event_fields import Candidate
from companion.log.events import Corrected, Event, Unclear
from companion.log.question import QuestionKind
from companion.tracking.asked import Answer, Question
from companion.tracking.edits import Kind

ORDERS = frozenset({Kind.SO, Kind.LATER, Kind.EARLIER, Kind.BONEYARD, Kind.ORDER})
"""Answers about the order of taps; the others put a line right, in or out, and stand in corrections of their own."""


def answers_of(lines: Sequence[Event]) -> Mapping[int, Sequence[Answer]]:
    """Line of a tap -> what people answered about it and did not take back, in the order in which they did."""
    undone = withdrawn_corrections(lines)
    found: dict[int, list[Answer]] = {}
    for line in lines:
        if not isinstance(line, Corrected) or line.seq in undone:
            continue
        if line.what.get("so") is True:
            found.setdefault(line.corrects, []).append(Answer(Kind.SO, (), who_said(line), line.seq))
        if "answer" not in line.what:
            continue
        asked, choice = lines[line.corrects - 1], line.what["answer"]
        if not isinstance(asked, Unclear) or asked.about is None or choice is None:
            continue
        key = asked.candidates[choice]
        if key.kind not in ORDERS:
            continue
        events = ({"order": list(line.what["order"])},) if "order" in line.what else key.events
        found.setdefault(asked.about, []).append(Answer(Kind(key.kind or Kind.SO), events, who_said(line), line.seq))
    return found


def who_said(line: Corrected) -> str:
    """Whoever entered this line: the name of the phone."""
    return line.author or line.by or PHONE


def asking(timeline: Timeline, lines: Sequence[Event]) -> list[Event]:
    """The lines that bring what stands as asked in step with what does not fit: new questions, and those settled."""
    due = {} if timeline.asked is None else {one.seq: _unclear(one) for one in timeline.asked.questions()}
    made: list[Event] = []
    for line in open_questions(lines):
        if line.about is None:
            continue
        new = due.get(line.about)
        if new is not None and new.candidates == line.candidates:
            del due[line.about]
        else:
            made.append(Corrected(source="rule", corrects=line.seq, what={"withdrawn": True}))
    return [*made, *due.values()]


def _unclear(question: Question) -> Unclear:
    keys = [Candidate(_story(key.kind), key.events, kind=str(key.kind)) for key in question.keys]
    # One answer confirms what one player did, and nobody else's fault with it.
    accused = sorted(dict.fromkeys(fault.player for fault in question.faults), key=lambda name: name != question.whose)
    so = [_was_so(question, player) for player in accused]
    other = Candidate("It was in another order.", kind=str(Kind.ORDER))
    reason = str(QuestionKind.DOES_NOT_FIT)
    return Unclear(reason=reason, candidates=(*keys, *so, other), about=question.seq, source="rule")


def _was_so(question: Question, player: str) -> Candidate:
    faults = list(dict.fromkeys(fault for fault in question.faults if fault.player == player))
    held = tuple(
        {"seq": question.seq if one.tap is None else one.tap, "violation": one.code, "by": one.player} for one in faults
    )
    codes = tuple(dict.fromkeys(fault.code for fault in faults))
    return Candidate("It was really so.", held, codes=codes, kind=str(Kind.SO))


STORIES = {
    Kind.LATER: "A turn before it is not tapped yet.",
    Kind.EARLIER: "It was earlier.",
    Kind.MISSING: "Something before it was forgotten.",
    Kind.NAME: "It was somebody else.",
    Kind.START: "Another player began.",
    Kind.TWICE: "It was tapped twice.",
    Kind.BONEYARD: "The boneyard was counted wrongly.",
}


def _story(kind: Kind) -> str:
    """What a key says, for whoever reads the journal alone; the page says it with names."""
    return STORIES[kind]
