"""The camera's side of a game: a change between two still tables goes to the belief, and on record is what it comes to.

`watched_round` says what that is, and the ledger writes the pieces that are new. Here is what goes with it: tiles that
went, what is asked, and how a round ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

from companion.game.ledger import Ledger
from companion.game.proof import UNSEEN
from companion.game.watched_round import Change, WatchedRound, judged
from companion.log.corrections import UNDONE, open_questions, withdrawn_corrections
from companion.log.event_fields import Candidate, Finding
from companion.log.events import Corrected, Event, RoundEnded, TilePlayed, TileTakenBack, Unclear
from companion.log.question import QuestionKind
from companion.log.table_change import TableChange
from companion.play.event_actions import event_of
from companion.play.line_ends import at_the_open_end
from companion.rules.actions import End, Play
from companion.rules.notation import Laying
from companion.rules.position import LinePosition
from companion.rules.tile import Laid
from companion.rules.violations import Violation
from companion.tracking.evidence import Evidence
from companion.tracking.tracker import RoundTracker


class CameraIngest:
    """What the camera reports, on top of the ledger.

    `_asked`: the line that began the round in which something was asked, the question's line, and the item that it is
    about. `_since_the_end`: by the round's number, what was seen after an end that may be none.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        ledger.confirms = self._confirms
        self._writing = False
        self._asked: tuple[int, int, int] | None = None
        self._since_the_end: list[tuple[int, TableChange]] = []

    def guesses(self) -> dict[int, str]:
        """Line -> who it probably was, where nobody is named and nothing is held against anybody: a guess."""
        return self.ledger.belief().guesses() if self.ledger.is_believed else {}

    def rehearsal(self, ledger: Ledger) -> CameraIngest:
        """The same on top of a copy of the game."""
        other = copy(self)
        other.ledger, ledger.confirms = ledger, other._confirms
        other._since_the_end = list(self._since_the_end)
        return other

    # ---- what the camera reports and asks ------------------------------------------------------------------------

    def see(self, report: TableChange) -> tuple[Event, ...]:
        """Record a change of the table; the events that it brought."""
        phase = self.ledger.match.phase
        if self.ledger.match.course is None or report.empty:
            return ()
        if phase != "playing" and (phase != "ended" or not self._goes_on(report)):
            return self._after_the_end(report) if phase == "ended" else ()
        waiting, seen = self._since_the_end, [*self._waiting, self._placed(report)]
        self._since_the_end = []
        events: list[Event] = [*self.reopen("camera")] if phase == "ended" else []
        self._writing = True
        try:
            for one in seen:
                events += self._believe(one)
            events += self._ask()
            events += self._end_of_round()
        except BaseException:
            self._since_the_end = waiting
            raise
        finally:
            self._writing = False
            self.ledger.journal.unsee()
        return tuple(events)

    def _believe(self, report: TableChange) -> tuple[Event, ...]:
        """Let the belief explain the change, and write what it brings with one trip to the disk."""
        ledger = self.ledger
        belief, after = ledger.belief(), ledger.last_seq
        ledger.journal.see(report)
        change = belief.observe(report, after)
        unclear = [Unclear(reason=one, source="camera", frame=report.frame) for one in change.unclear]
        return ledger.commit(*_put_back(belief, change), *self._gone(belief, change, report), *unclear)

    def _gone(self, belief: WatchedRound, change: Change, report: TableChange) -> Iterator[TileTakenBack]:
        """The lines that say of tiles that they were taken back, or moved, which nobody may."""
        for item in change.gone:
            act, seq = belief.tracker.entries[item].verdict.act, belief.line_of.get(item)
            if not isinstance(act, Play):
                continue
            common: dict[str, Any] = {"tile": act.tile, "train": act.train, "source": "camera", "frame": report.frame}
            held = reversed(self.ledger.held)
            play = next((one.event for one in held if one.event.seq == seq and not one.undone), None)
            if change.moved or not isinstance(play, TilePlayed):
                yield TileTakenBack(by=None, violations=(Finding(str(Violation.TILE_MOVED)),), **common)
            else:
                yield TileTakenBack(by=play.by, undoes=play.seq, **common)

    def accuses(self, report: TableChange) -> bool:
        """Whether recording this change would find a fault."""
        if not self._playing:
            return False
        tracker = self._tracker
        evidence = Evidence.of(tracker.number, self._placed(report))
        if evidence.gone:
            return not tracker.takes_back(evidence.gone)
        return bool(evidence.pieces) and not tracker.faultless(evidence)

    def expects(self, report: TableChange) -> bool:
        """Whether whoever may have the turn could have made this change without a fault."""
        if not self._playing or report.gone:
            return False
        tracker = self._tracker
        return tracker.expected(Evidence.of(tracker.number, self._placed(report)))

    def other_tiles(self, report: TableChange) -> list[dict[Laying, Laid]]:
        """Which other tiles those now laid may be, the likeliest first, where that breaks no rule and is hardly less
        likely than that what was read lies there."""
        if not self._playing or report.gone:
            return []
        tracker = self._tracker
        evidence = Evidence.of(tracker.number, self._placed(report))
        laid = {piece.item: laying for piece, laying in zip(evidence.laid, report.laid, strict=True)}
        return [{laid[item]: tile for item, tile in one.items()} for one in tracker.other_tiles(evidence)]

    def foresee(self, report: TableChange) -> tuple[Event, ...]:
        """What would be recorded for this change where it breaks no rule; else nothing."""
        if not self._playing or report.gone:
            return ()
        tracker = self._tracker
        evidence = Evidence.of(tracker.number, self._placed(report))
        if not evidence.pieces or not tracker.faultless(evidence):
            return ()
        tried = tracker.fork()
        tried.observe(evidence)
        way = min(tried.filter.all, key=lambda one: one.cost + one.pending)
        acts = [step for step in way.path[-1][1] if step.item in tried.standing and not isinstance(step.act, End)]
        return tuple(
            judged(tried.entries[step.item].verdict, step.player if step.act else None, tried.players)
            for step in acts
            if step.item is not None
        )

    def _placed(self, report: TableChange) -> TableChange:
        course = self.ledger.match.course
        if course is None or not isinstance(course.position, LinePosition):
            return report
        return at_the_open_end(report, course.rules, course.position.line)

    @property
    def _playing(self) -> bool:
        return self.ledger.match.course is not None and self.ledger.match.phase == "playing"

    @property
    def _tracker(self) -> RoundTracker:
        return self.ledger.belief().tracker

    def _ask(self) -> list[Event]:
        """At most one question a round, where a fault hangs on a name that the table will not tell; it is dropped once
        the table tells all the same."""
        belief = self.ledger.belief()
        tracker, begun = belief.tracker, belief.begun.seq
        if self._asked is not None and self._asked[0] == begun:
            _, asked, item = self._asked
            waits = any(one.seq == asked for one in open_questions(self.ledger.journal.events))
            entry = tracker.entries.get(item)
            if waits and (entry is None or entry.taken_back or entry.verdict.by is not None):
                return list(self.ledger.amend(Corrected(corrects=asked, what={"withdrawn": True}, source="camera")))
            return []
        question = tracker.question()
        seq = None if question is None else belief.line_of.get(question.item)
        if question is None or seq is None or question.item in belief.stated:
            return []
        plays = {name: event_of(question.play, name) for name in question.players}
        candidates = tuple(Candidate(name, ({**play.to_insert(), "seq": seq},)) for name, play in plays.items())
        frame = belief.proof.shown.get(question.item, UNSEEN).frame
        asked_now = self.ledger.record(
            Unclear(reason=str(QuestionKind.SEVERAL_EXPLANATIONS), candidates=candidates, source="camera", frame=frame)
        )
        self._asked = (begun, asked_now[0].seq, question.item)
        return list(asked_now)

    # ---- the end of a round --------------------------------------------------------------------------------------

    def _confirms(self, due: RoundEnded) -> bool:
        """Whether the belief has that end too, while it is at work; else the counts alone tell."""
        return not self._writing or self._tracker.end() == (due.how, due.out)

    def _end_of_round(self) -> list[Event]:
        """The round's end, where the belief has it and the record alone cannot tell."""
        due, course = self._tracker.end(), self.ledger.match.course
        if due is None or course is None or course.ended is not None or self._miscounted:
            return []
        return list(self.ledger.record(RoundEnded(how=due[0], out=due[1], source="camera")))

    def _goes_on(self, report: TableChange) -> bool:
        """Was the end only counted, and do they play on as if there was none? Then the count was wrong."""
        course = self.ledger.match.course
        if course is None or not report.laid or report.gone or not self.only_counted:
            return False
        tried = self._tracker.fork()
        for one in (*self._waiting, self._placed(report)):
            tried.observe(Evidence.of(tried.number, one))
        way = min(tried.filter.all, key=lambda one: one.cost + one.pending)
        return way.born is None and not any(step.codes for step in way.path[-1][1])

    @property
    def only_counted(self) -> bool:
        """Whether nothing but a count says that the round is over."""
        match, course = self.ledger.match, self.ledger.match.course
        if course is None or match.shown:
            return False
        return course.ended_by == "camera" or (course.ended_by == "rule" and course.ended == "out" and course.watched)

    @property
    def _miscounted(self) -> bool:
        """Whether a counted end of this round was taken back, by the table or by somebody: what is counted counts for
        nothing then."""
        begun, lines = self.ledger.begun, self.ledger.journal.events
        if begun is None:
            return False
        undone = withdrawn_corrections(lines[begun.seq :])
        return any(
            isinstance(ended := lines[line.corrects - 1], RoundEnded) and ended.source != "person"
            for line in lines[begun.seq :]
            if isinstance(line, Corrected) and line.what.get("withdrawn") is True and line.seq not in undone
        )

    def reopen(self, source: str) -> tuple[Event, ...]:
        """`source` takes the end back. Whose tiles were counted down to none can no longer be counted in this round."""
        course = self.ledger.match.course
        assert course is not None
        events: tuple[Event, ...] = ()
        begun = self.ledger.begun
        if course.ended_by == "rule" and begun is not None and begun.draws_seen:
            events += self.ledger.amend(Corrected(corrects=begun.seq, what={"draws_seen": False}, source="camera"))
        ended = next((item.event for item in reversed(self.ledger.held) if isinstance(item.event, RoundEnded)), None)
        if ended is not None:
            what = UNDONE if source == "person" else {"withdrawn": True}
            events += self.ledger.amend(Corrected(corrects=ended.seq, what=what, source=source))
        return events

    @property
    def _waiting(self) -> list[TableChange]:
        """What was seen since this round's end."""
        course = self.ledger.match.course
        return [one for number, one in self._since_the_end if course is not None and number == course.number]

    def _after_the_end(self, report: TableChange) -> tuple[Event, ...]:
        """When the round is over people clear the table. Only a single tile more is still a play.

        Markers and draws are kept, and tiles where only a count says that it is over: they count if the end turns out
        to be none.
        """
        course = self.ledger.match.course
        if course is not None and not report.gone and (self.only_counted or not report.laid):
            self._since_the_end.append((course.number, self._placed(report)))
            return ()
        if len(report.delta) != 1 or not isinstance(report.delta[0], Laying) or report.discards or report.flips:
            return ()
        laying = report.delta[0]
        event = report.shown(TilePlayed(by=None, tile=laying.tile, train=laying.train, source="camera"))
        return self.ledger.record(event)


def _put_back(belief: WatchedRound, change: Change) -> Iterator[Corrected]:
    """The lines that put back on record what people have withdrawn and the camera sees there all the same."""
    for item in change.back:
        for seq in belief.withdrawals(item):
            yield Corrected(corrects=seq, what={"withdrawn": True}, source="camera")
