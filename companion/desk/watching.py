"""The camera's side of the desk: a change between two still tables becomes events, or a question.

Tiles taken back undo their plays; a change that several stories explain is recorded as the cheapest legal one, with
nobody named where they differ (worlds.py); a change that no legal story explains is recorded with what all cheapest
faulty stories share as certain; what nothing explains is recorded as it lies, with nobody named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.desk.acts import action_of
from companion.desk.course import Course
from companion.desk.ledger import Ledger
from companion.desk.minutes import Charges, Mend, mends, minutes
from companion.desk.misfits import Clarity
from companion.desk.sight import SURE_TO_ACCUSE, Sight
from companion.desk.worlds import MOST_EVENTS, Trail, World, onward
from companion.event_fields import Finding
from companion.events import (
    Corrected,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    MatchEnded,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.notation import Change, Laying, Vanishing
from companion.position import Position
from companion.turn import Mark, Unmark
from companion.violation import Violation


class Watching:
    """The worlds in which the table may be, on top of the ledger. Forgets them whenever a person has a say.

    `_since` are the seqs of the events on record since the worlds were one.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._trail: Trail | None = None
        self._charges: Charges | None = None
        self._since: list[int] = []
        self._seen = -1
        self._reopened: int | None = None
        self._gave_up = False
        self._clarity = Clarity()
        self._number: int | None = None

    def see(self, sight: Sight) -> tuple[Event, ...]:
        """Record a change of the table; the events that it brought."""
        phase = self.ledger.match.phase
        course = self.ledger.match.course
        if course is None or sight.empty:
            return ()
        if phase != "playing" and (phase != "ended" or not self._goes_on(sight)):
            return self._after_the_end(sight) if phase == "ended" else ()
        if course.number != self._number:
            self._number, self._clarity = course.number, Clarity()
        if isinstance(course.position, Position):
            self._clarity.note(sight, course.rules, course.position)
        events: list[Event] = self._reopen() if phase == "ended" else []
        if sight.gone:
            undone, sight = self._take_back(sight)
            events += undone
        if not sight.empty:
            events += self._tell(sight)
        self._seen = self.ledger.journal.last_seq
        return tuple(events)

    def accuses(self, sight: Sight) -> bool:
        """Whether recording this change would find a fault."""
        course = self.ledger.match.course
        if course is None or self.ledger.match.phase != "playing":
            return False
        if sight.gone:
            plays = self._plays_to_undo(sight.gone)
            return plays is None
        trail = self._trail if self._untouched() else None
        return not (trail or self._new_trail(course)).legal(sight)

    def expects(self, sight: Sight) -> bool:
        """Whether whoever may have the turn could have made this change without a fault."""
        course = self.ledger.match.course
        if course is None or self.ledger.match.phase != "playing" or sight.gone:
            return False
        trail = self._trail if self._untouched() else None
        return (trail or self._new_trail(course)).expects(sight)

    def foresee(self, sight: Sight) -> tuple[Event, ...]:
        """What would be recorded for this change where it breaks no rule and mends nothing earlier; else nothing."""
        course = self.ledger.match.course
        if course is None or self.ledger.match.phase != "playing":
            return ()
        worlds = onward([World(course)], sight)
        return minutes(Charges(course), worlds) if worlds else ()

    def _untouched(self) -> bool:
        """Whether nobody else has written in the journal since; questions do not touch the game."""
        lines = self.ledger.journal.events[self._seen :] if self._seen >= 0 else ()
        return self._seen >= 0 and all(_about_questions(line, self.ledger.journal.events) for line in lines)

    def _was_told(self) -> bool:
        """Whether somebody has said or changed since what happened at the table."""
        lines = self.ledger.journal.events[self._seen :] if self._seen >= 0 else ()
        said = (line for line in lines if line.source == "person" and (isinstance(line, Corrected) or action_of(line)))
        return any(not _about_questions(line, self.ledger.journal.events) for line in said)

    def _new_trail(self, course: Course) -> Trail:
        reach = 2 * len(course.players)
        return Trail(course, reach, unsure=reach if self._gave_up else 0)

    def _begin_anew(self) -> None:
        course = self.ledger.match.course
        assert course is not None
        # Whoever has a say in between settles on one of the worlds without a word about the rest.
        self._gave_up = self._gave_up or self._was_told()
        self._trail, self._since = self._new_trail(course), []
        self._gave_up = False

    def _recorded(self) -> list[Event]:
        held = {item.event.seq: item.event for item in self.ledger.held}
        return [held[seq] for seq in self._since if seq in held]

    def _tell(self, sight: Sight) -> list[Event]:
        if self._trail is None or not self._untouched():
            self._begin_anew()
        trail = self._trail
        assert trail is not None
        if not trail.follow(sight):
            trail.lose(sight)
        return self._bring_up(trail, sight)

    def _bring_up(self, trail: Trail, sight: Sight) -> list[Event]:
        """The record as the worlds have it now."""
        recorded = self._recorded()
        best = trail.worlds[0]
        # Of worlds that cost the same the one that leaves the record as it is.
        alike = [one for one in trail.worlds if (one.faults, one.cost) == (best.faults, best.cost)]
        smooth = [one for one in alike if mends(recorded, one.events)[2]]
        if smooth:
            trail.prefer(smooth[0])
        if self._charges is None or self._charges.base is not trail.base:
            self._charges = Charges(trail.base)
        twice = self._clarity.twice(self._round(), sight)
        wanted = minutes(self._charges, trail.worlds, clouded=trail.clouded, clarity=self._clarity, twice=twice)
        changed, start, _ = mends(recorded, wanted)
        events = self._put_right(changed, [sight.shown(event) for event in wanted[start:]])
        if len(self._since) != len(wanted) or len(wanted) > MOST_EVENTS:
            self._trail, self._gave_up = None, trail.torn()
        else:
            self._since = self._since[trail.settle() :]
        return events + self._end_of_round(trail)

    def _end_of_round(self, trail: Trail) -> list[Event]:
        """The round's end, where every world has it and the record alone cannot tell."""
        due = trail.over()
        course = self.ledger.match.course
        if due is None or course is None or course.ended is not None or course.number == self._reopened:
            return []
        if due.how == "out" and self.ledger.history.misses_a_draw():
            return []
        return list(self.ledger.record(replace(due, source="camera")))

    def _put_right(self, changed: Sequence[Mend], new: Sequence[Event]) -> list[Event]:
        """Write what changes in the record, and what is new."""
        appended: list[Event] = []
        since: list[list[int]] = [[seq] for seq in self._since]
        for mend in changed:
            seq = self._since[mend.index]
            for what in _single(mend.what):
                lines = self.ledger.amend(Corrected(corrects=seq, what=what, source="camera"))
                appended += lines
                if "insert" in what:
                    since[mend.index].insert(-1, lines[0].seq)
                elif "withdrawn" in what:
                    since[mend.index] = []
        self._since = [seq for seqs in since for seq in seqs]
        if new:
            lines = self.ledger.record(*new, doubted=self._trail is not None and self._trail.doubted)
            appended += lines
            self._since += [event.seq for event in lines if not isinstance(event, _FOLLOWING)]
        return appended

    def _take_back(self, sight: Sight) -> tuple[list[Event], Sight]:
        """Vanished tiles: the last ones laid were taken back; any other was moved, which nobody may."""
        plays = self._plays_to_undo(sight.gone)
        trail = self._trail if self._untouched() else None
        events: list[Event] = []
        rest: tuple[Change, ...] = tuple(change for change in sight.delta if not isinstance(change, Vanishing))
        if plays is None and (sight.clouded or len(sight.gone) > MOST_MOVED or self._hardly_read(sight.gone)):
            # Nobody moves so much at once, and what is not understood, or was never read surely, is no proof: the
            # record stays as it is.
            events += self.ledger.record(Unclear(reason="several_stories", source="camera", frame=sight.frame))
            sight = replace(sight, clouded=True)
        elif plays is None:
            for gone in sight.gone:
                moved = (Finding(str(Violation.TILE_MOVED)),)
                taken = TileTakenBack(
                    by=None, tile=gone.tile, train=gone.train, source="camera", frame=sight.frame, violations=moved
                )
                events += self.ledger.record(taken)
        else:
            first = min(play.seq for play in plays)
            for play in sorted(plays, key=lambda play: -play.seq):
                by = play.by if play.by is not None else None
                taken = TileTakenBack(
                    by=by, tile=play.tile, train=play.train, undoes=play.seq, source="camera", frame=sight.frame
                )
                events += self.ledger.amend(taken)
            left = trail.take_back(sight) if trail is not None else None
            if trail is not None and left is not None:
                seqs = {play.seq for play in plays}
                self._since = [seq for seq in self._since if seq not in seqs]
                events += self._bring_up(trail, sight)
                self._seen = self.ledger.journal.last_seq
                return events, replace(sight, delta=left)
            rest, undone = self._undo_markers(rest, first)
            events += undone + self._undo_draws(sight.returned, first)
        self._begin_anew()
        self._seen = self.ledger.journal.last_seq
        return events, replace(sight, delta=rest)

    def _plays_to_undo(self, gone: Sequence[Vanishing]) -> list[TilePlayed] | None:
        """The plays of the vanished tiles, where they are just the last tiles laid in this round; else None."""
        laid = [item.event for item in self._round() if isinstance(item.event, TilePlayed) and not item.undone]
        last = laid[-len(gone) :]
        wanted = sorted((change.tile.tile, change.train) for change in gone)
        return last if sorted((play.tile.tile, play.train) for play in last) == wanted else None

    def _hardly_read(self, gone: Sequence[Vanishing]) -> bool:
        """Was one of these tiles not read surely? Then it may lie there still, read as what it is."""
        plays = [item.event for item in self._round() if isinstance(item.event, TilePlayed) and not item.undone]
        vanished = {(change.tile.tile, change.train) for change in gone}
        read = [play.reading for play in plays if (play.tile.tile, play.train) in vanished]
        return any(one is not None and min(one.p) < SURE_TO_ACCUSE for one in read)

    def _round(self) -> list[Any]:
        held = self.ledger.held
        start = max((n for n, item in enumerate(held) if item.event.KIND == "round_started"), default=0)
        return held[start:]

    def _undo_draws(self, returned: int, since: int) -> list[Event]:
        """The last draws since then, as many as lie in the boneyard again."""
        drawn = [item.event for item in self._round() if isinstance(item.event, Drew) and not item.undone]
        events: list[Event] = []
        for event in [one for one in reversed(drawn) if one.seq > since - 3][:returned]:
            events += self.ledger.amend(Corrected(corrects=event.seq, what={"withdrawn": True}, source="camera"))
        return events

    def _undo_markers(self, delta: tuple[Change, ...], since: int) -> tuple[tuple[Change, ...], list[Event]]:
        """Marker changes that only turn back what happened since: those events did not happen either."""
        rest: list[Change] = []
        events: list[Event] = []
        for change in delta:
            kind = MarkerRemoved if isinstance(change, Mark) else MarkerPlaced if isinstance(change, Unmark) else None
            undone = None
            if kind is not None and isinstance(change, (Mark, Unmark)):
                for item in reversed(self._round()):
                    event = item.event
                    if isinstance(event, kind) and event.train == change.player and event.seq > since - 3:
                        undone = event
                        break
            if undone is None:
                rest.append(change)
            else:
                correction = Corrected(corrects=undone.seq, what={"withdrawn": True}, source="camera")
                events += self.ledger.amend(correction)
        return tuple(rest), events

    def _goes_on(self, sight: Sight) -> bool:
        """Was the end only counted, and do they play on as if there was none? Then the count was wrong."""
        match, course = self.ledger.match, self.ledger.match.course
        if course is None or match.shown or not sight.laid or sight.gone:
            return False
        ruled = course.ended_by == "rule" and course.ended == "out" and course.watched
        if course.ended_by != "camera" and not ruled:
            return False
        trail = self._trail if self._untouched() else None
        return trail.legal(sight) if trail is not None else ruled and len(sight.delta) == 1

    def _reopen(self) -> list[Event]:
        """Take the end back. Whose tiles were counted down to none can no longer be counted in this round."""
        course = self.ledger.match.course
        assert course is not None
        self._reopened = course.number
        events: list[Event] = []
        begun = next(item.event for item in reversed(self.ledger.held) if isinstance(item.event, RoundStarted))
        if course.ended_by == "rule" and begun.draws_seen:
            events += self.ledger.amend(Corrected(corrects=begun.seq, what={"draws_seen": False}, source="camera"))
        ended = next((item.event for item in reversed(self._round()) if isinstance(item.event, RoundEnded)), None)
        if ended is not None:
            events += self.ledger.amend(Corrected(corrects=ended.seq, what={"withdrawn": True}, source="camera"))
        if course.ended_by == "rule":
            self._begin_anew()
        self._seen = self.ledger.journal.last_seq
        return events

    def _after_the_end(self, sight: Sight) -> tuple[Event, ...]:
        """When the round is over people clear the table. Only a single tile more is still a play."""
        if len(sight.delta) != 1 or not isinstance(sight.delta[0], Laying) or sight.discards or sight.flips:
            return ()
        laying = sight.delta[0]
        event = sight.shown(TilePlayed(by=None, tile=laying.tile, train=laying.train, source="camera"))
        return self.ledger.record(event)


MOST_MOVED = 2
"""So many laid tiles may have been moved from one still table to the next; where more are gone they were not seen."""

_FOLLOWING = (Corrected, RoundEnded, RoundScored, MatchEnded)


def _single(what: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """One correction for each event that is put in, so that each can be corrected by itself."""
    if "insert" not in what:
        return [what]
    return [{"insert": [line]} for line in what["insert"]]


def _about_questions(line: Event, events: Sequence[Event]) -> bool:
    """Whether a line only asks something, withdraws a question, or says what stands no longer."""
    if isinstance(line, Corrected):
        if "retracts" in line.what:
            return True
        asked = events[line.corrects - 1] if 0 < line.corrects <= len(events) else None
        return isinstance(asked, Unclear) and "insert" not in line.what and "answer" not in line.what
    return isinstance(line, Unclear)
