"""The camera's side of a game: a change between two still tables goes to the belief, and what it comes to on record.

The belief (companion.tracking) is told everything that was seen and said since the round's start. Names and faults on
record are its verdicts; what one change brings is put right in one step. When people have had a say the belief is
worked out anew from the events in force.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from companion.game.belief_input import View, is_put_right, is_stated, remember, withdrawals
from companion.game.believed import Believed, as_people_say, believed, judged, shown
from companion.game.camera_record import CameraRecord, Line
from companion.game.evidence_run import EvidenceRun, apply_statements
from companion.game.ledger import Ledger
from companion.game.proof import Clarity, PictureProof, Shown
from companion.log.corrections import EffectiveEvent, open_questions
from companion.log.event_fields import Candidate, Finding
from companion.log.events import Corrected, Event, RoundEnded, RoundStarted, TilePlayed, TileTakenBack, Unclear
from companion.log.question import QuestionKind
from companion.log.table_change import TableChange
from companion.play.event_actions import event_of
from companion.play.line_ends import at_the_open_end
from companion.play.round import Course
from companion.rules.actions import Play
from companion.rules.notation import Laying
from companion.rules.position import LinePosition
from companion.rules.tile import Laid
from companion.rules.violations import Violation
from companion.tracking.costs import NAMED
from companion.tracking.evidence import ITEMS, Evidence
from companion.tracking.filter import Hypothesis
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Verdict

ALIKE_DB = 3
"""Of hypotheses so close to the best the one is put on record that leaves the record as it is."""

MOST_WAYS = 4
"""So many of them are compared with the record at most: each comparison goes over all lines that may still change."""

GUESSED = 0.71
"""From this share of the belief on the page says who it probably was. Nobody is named by it, nothing rests on it."""

UNSEEN = Shown()


class CameraIngest:
    """The belief about the round, on top of the ledger.

    `_begun` is the event that began the round, `_upto` the last line that the belief knows, `_items` the line of each
    item. `_views` says by the number of a change how it was seen, `_stated_items` are those that only people say.
    `_asked`: the line that began the round in which something was asked, the question's line, and the item that it is
    about. `_since_the_end`: by the round's number, the markers and draws seen after an end that may be none.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        ledger.confirms = self._confirms
        self._tracker: RoundTracker | None = None
        self._record = CameraRecord()
        self._begun: Event | None = None
        self._upto = -1
        self._views: dict[int, View] = {}
        self._items: dict[int, int] = {}
        self._proof = PictureProof()
        self._stated_items: set[int] = set()
        self._writing = False
        self._asked: tuple[int, int, int] | None = None
        self._reopened: int | None = None
        self._since_the_end: list[tuple[int, TableChange]] = []

    # ---- what the camera reports and asks ------------------------------------------------------------------------

    def see(self, report: TableChange) -> tuple[Event, ...]:
        """Record a change of the table; the events that it brought."""
        phase = self.ledger.match.phase
        if self.ledger.match.course is None or report.empty:
            return ()
        if phase != "playing" and (phase != "ended" or not self._goes_on(report)):
            return self._after_the_end(report) if phase == "ended" else ()
        number = self.ledger.match.course.number
        waiting = self._since_the_end
        seen = [*(one for round_, one in waiting if round_ == number), report]
        self._since_the_end = []
        events: list[Event] = self._reopen() if phase == "ended" else []
        tracker = self._caught_up()
        self._writing = True
        try:
            for one in map(self._placed, seen):
                self.ledger.journal.see(one)
                events += self._believe(tracker, one)
                self.ledger.journal.flush()
            events += self._ask(tracker)
            events += self._end_of_round(tracker)
            if self.ledger.match.phase != "playing":
                events += self._settle(tracker)
        except BaseException:
            # The belief may be ahead of a disk that took nothing: it is worked out anew from what is on record.
            self._tracker, self._since_the_end = None, waiting
            raise
        finally:
            self._writing = False
            self.ledger.journal.unsee()
        self._upto = self.ledger.journal.last_seq
        return tuple(events)

    def update_earlier(self) -> tuple[Event, ...]:
        """Put right at once what people's statements tell of other acts of the round, also after its end."""
        course = self.ledger.match.course
        if course is None or not course.watched or not self._round():
            return ()
        tracker = self._caught_up()
        # What a picture had proved before people had a say is to be proved again, as after a restart.
        self._proof.lying = {}
        self._writing = True
        try:
            held = {one.event.seq: one.event for one in self._round() if not one.undone}
            earlier = self._earlier(tracker, self._verdicts(tracker, TableChange()), held)
            events = self._record.bring_up(self.ledger, [[]], earlier, [], [], held)
        except BaseException:
            self._tracker = None
            raise
        finally:
            self._writing = False
        self._upto = self.ledger.journal.last_seq
        return tuple(events)

    def accuses(self, report: TableChange) -> bool:
        """Whether recording this change would find a fault."""
        if not self._playing:
            return False
        tracker = self._caught_up()
        evidence = Evidence.of(tracker.number, self._placed(report))
        if evidence.gone:
            return not tracker.takes_back(evidence.gone)
        return bool(evidence.pieces) and not tracker.faultless(evidence)

    def expects(self, report: TableChange) -> bool:
        """Whether whoever may have the turn could have made this change without a fault."""
        if not self._playing or report.gone:
            return False
        tracker = self._caught_up()
        return tracker.expected(Evidence.of(tracker.number, self._placed(report)))

    def other_tiles(self, report: TableChange) -> list[dict[Laying, Laid]]:
        """Which other tiles those now laid may be, the likeliest first, where that breaks no rule and is hardly less
        likely than that what was read lies there."""
        if not self._playing or report.gone:
            return []
        tracker = self._caught_up()
        evidence = Evidence.of(tracker.number, self._placed(report))
        laid = {piece.item: laying for piece, laying in zip(evidence.laid, report.laid, strict=True)}
        return [{laid[item]: tile for item, tile in one.items()} for one in tracker.other_tiles(evidence)]

    def foresee(self, report: TableChange) -> tuple[Event, ...]:
        """What would be recorded for this change where it breaks no rule; else nothing."""
        if not self._playing or report.gone:
            return ()
        tracker = self._caught_up()
        number = tracker.number
        evidence = Evidence.of(number, self._placed(report))
        if not evidence.pieces or not tracker.faultless(evidence):
            return ()
        tried = tracker.fork()
        tried.observe(evidence)
        verdicts = {item: tried.entries[item].verdict for item in tried.standing}
        return tuple(one.event for one in believed(_likeliest(tried)[0], number, verdicts, tried.players, tried.read))

    def _placed(self, report: TableChange) -> TableChange:
        course = self.ledger.match.course
        if course is None or not isinstance(course.position, LinePosition):
            return report
        return at_the_open_end(report, course.rules, course.position.line)

    @property
    def _playing(self) -> bool:
        return self.ledger.match.course is not None and self.ledger.match.phase == "playing"

    # ---- the belief, up to date ----------------------------------------------------------------------------------

    def _caught_up(self) -> RoundTracker:
        """The belief with everything that was seen and said in this round."""
        if self._tracker is None or self._begun != self._round()[0].event:
            self._tracker = self._work_out()
        elif not self._untouched():
            self._tracker = self._with_statements(self._tracker) or self._work_out()
        self._upto = self.ledger.last_seq
        return self._tracker

    def rehearsal(self, ledger: Ledger) -> CameraIngest:
        """The same belief on top of a copy of the game."""
        other = copy(self)
        other.ledger, ledger.confirms = ledger, other._confirms
        other._tracker = None if self._tracker is None else self._tracker.fork()
        other._views, other._items, other._stated_items = dict(self._views), dict(self._items), set(self._stated_items)
        other._proof, other._record = self._proof.copy(), self._record.copy()
        other._since_the_end = list(self._since_the_end)
        return other

    def _untouched(self) -> bool:
        """Whether nobody else has written in the journal since; questions do not touch the game."""
        lines = self.ledger.lines
        return all(_about_questions(line, lines) for line in lines[self._upto :])

    def _work_out(self) -> RoundTracker:
        """The belief worked out anew from the events in force."""
        held, lines = self._round(), self.ledger.lines
        course = self._start()
        if self._begun is None or self._begun.seq != held[0].event.seq:
            self._proof.clarity, self._views, self._items = Clarity(), {}, {}
        run = EvidenceRun(self._new_tracker(course), held, lines, self.ledger.seen)
        if run.is_watched:
            clarity, self._proof.clarity = self._proof.clarity, Clarity()
            views_now, self._views = self._views, {}
            if run.run(self._note(run.tracker)):
                self._begun, self._items, self._stated_items, self._proof.lying = (
                    held[0].event,
                    run.items,
                    run.stated_items,
                    {},
                )
                self._keep_order(run.tracker)
                return run.tracker
            self._proof.clarity, self._views = clarity, views_now
        tracker = self._new_tracker(course)
        views = {seq: self._views[item // ITEMS] for item, seq in self._items.items() if item // ITEMS in self._views}
        self._begun, self._items, self._views, self._stated_items, self._proof.lying = held[0].event, {}, {}, set(), {}
        for known in remember(tracker, held, lines, views):
            event = known.event
            self._items[known.item] = event.seq
            if known.stated:
                self._stated_items.add(known.item)
            elif event.seq in views:
                self._views[known.number] = replace(views[event.seq], number=known.number)
            if isinstance(event, TilePlayed):
                self._proof.shown[known.item] = Shown(event.frame, event.reading, event.arm, event.tile)
        self._keep_order(tracker)
        return tracker

    def _new_tracker(self, course: Course) -> RoundTracker:
        return RoundTracker(course.rules, course.table, course.starter, starter_known=course.starter_known)

    def _note(self, tracker: RoundTracker) -> Callable[[TableChange, Evidence], None]:
        """Keeps of each change how it was seen, before the belief takes it."""

        def note(change: TableChange, evidence: Evidence) -> None:
            self._proof.note(change, evidence)
            self._views[evidence.number] = _view(change, evidence)

        return note

    def _with_statements(self, tracker: RoundTracker) -> RoundTracker | None:
        """The belief after what people have said and changed since; None where it has to be worked out anew."""
        lines = self.ledger.lines
        if not apply_statements(tracker, self._items, self._stated_items, self._round(), lines, self._upto):
            return None
        self._keep_order(tracker)
        return tracker

    def _keep_order(self, tracker: RoundTracker) -> None:
        """People have had a say: of the lines until now only the names and faults may still change, and only the faults
        of what people say."""
        held = Counter(one.event.seq for one in self._round() if not one.undone)
        self._record = CameraRecord()
        self._record.fixed = tracker.number
        if self._begun is None or self._begun.seq not in self.ledger.looks:
            # Nobody knows any more what the camera saw: what is on record stands.
            return
        # Of several events that one line put in (journals of earlier releases) none can be meant by itself.
        self._record.lines = [
            Line(seq, item // ITEMS, item, item) for item, seq in self._items.items() if held[seq] == 1
        ]

    def _start(self) -> Course:
        """The course of the round before anything happened in it."""
        begun = next(act for act in reversed(self.ledger.timeline.acts) if isinstance(act.event, RoundStarted))
        assert begun.after.course is not None
        return begun.after.course

    def _round(self) -> list[EffectiveEvent]:
        held = self.ledger.held
        start = max((n for n, item in enumerate(held) if item.event.KIND == "round_started"), default=0)
        return list(held[start:])

    def guesses(self) -> dict[int, str]:
        """Line -> who it probably was, where nobody is named and nothing is held against anybody: a guess."""
        if self._tracker is None or self._begun is None:
            return {}
        verdicts = {item: entry.verdict for item, entry in self._tracker.entries.items() if not entry.taken_back}
        likely = {item: self._probably(item, one) for item, one in verdicts.items() if one.by is None}
        return {self._items[item]: name for item, name in likely.items() if name is not None and item in self._items}

    def _probably(self, item: int, verdict: Verdict) -> str | None:
        if verdict.charges or item in self._stated_items or not GUESSED <= verdict.p < NAMED:
            return None
        return next(iter(verdict.maybe), None)

    # ---- from the belief to the record ---------------------------------------------------------------------------

    def _believe(self, tracker: RoundTracker, report: TableChange) -> list[Event]:
        """Let the belief explain the change, and bring the record up to it in one step."""
        number = tracker.number
        evidence = Evidence.of(number, report)
        self._proof.note(report, evidence)
        lying = tracker.standing
        moved, asked = tracker.moved, len(tracker.unclear)
        tracker.observe(evidence)
        gone = (lying - tracker.standing).intersection(tracker.entries)
        lifted = list(self._lifted(tracker, gone, report, moved=tracker.moved > moved))
        back = self._put_back(tracker, evidence)
        on_record = self.ledger.draft(back, ()).held if back else self.ledger.held
        held = {one.event.seq: one.event for one in on_record if not one.undone}
        self._record.drop(gone)
        questions = [Unclear(reason=one, source="camera", frame=report.frame) for one in tracker.unclear[asked:]]
        self._views[number] = _view(report, evidence, clouded=bool(questions))
        likeliest = _likeliest(tracker)
        self._record.forget(min((number for number, _ in likeliest[0].path), default=number))
        verdicts = self._verdicts(tracker, report)
        ways = [self._way(tracker, one, verdicts) for one in likeliest]
        earlier = self._earlier(tracker, verdicts, held)
        events = self._record.bring_up(self.ledger, ways, earlier, [*back, *lifted], questions, held)
        self._items = {item: seq for item, seq in self._items.items() if item not in gone}
        self._items |= {one.item: one.seq for one in self._record.lines if one.item is not None}
        return events

    def _settle(self, tracker: RoundTracker) -> list[Event]:
        """The round is over: nothing waits for another picture of it any more."""
        held = {one.event.seq: one.event for one in self._round() if not one.undone}
        verdicts = self._verdicts(tracker, TableChange())
        ways = [self._way(tracker, one, verdicts) for one in _likeliest(tracker)]
        return self._record.bring_up(self.ledger, ways, self._earlier(tracker, verdicts, held), [], [], held)

    def _put_back(self, tracker: RoundTracker, evidence: Evidence) -> list[Corrected]:
        """The lines that put back on record what people have withdrawn and the camera sees there all the same."""
        standing = {one.event.seq for one in self._round() if not one.undone}
        lines: list[Corrected] = []
        for piece in evidence.pieces:
            there = tracker.shown.get(piece.item)
            seq = None if there is None else self._items.get(there.item)
            if there is None or seq is None or seq in standing:
                continue
            seqs = withdrawals(seq, self.ledger.journal.events)
            lines += [Corrected(corrects=one, what={"withdrawn": True}, source="camera") for one in seqs]
            if there.item not in self._stated_items:
                self._record.lines.append(Line(seq, there.item // ITEMS, there.item, there.item))
        return lines

    def _lifted(
        self, tracker: RoundTracker, gone: Iterable[int], report: TableChange, *, moved: bool
    ) -> Iterable[Corrected | TileTakenBack]:
        """The lines that say of pieces that they are gone: tiles taken back or moved, draws and markers undone."""
        for item in sorted(gone, reverse=True):
            act = tracker.entries[item].verdict.act
            line = self._record.line_of(item)
            if isinstance(act, Play):
                common: dict[str, Any] = {"tile": act.tile, "train": act.train, "source": "camera"}
                common["frame"] = report.frame
                play = next((one.event for one in reversed(self._round()) if _has(one, act)), None)
                if moved or not isinstance(play, TilePlayed):
                    yield TileTakenBack(by=None, violations=(Finding(str(Violation.TILE_MOVED)),), **common)
                else:
                    yield TileTakenBack(by=play.by, undoes=play.seq, **common)
            elif line is not None:
                yield Corrected(corrects=line.seq, what={"withdrawn": True}, source="camera")

    def _verdicts(self, tracker: RoundTracker, report: TableChange) -> dict[int, Verdict]:
        """Item -> the verdict on it, as far as what the camera saw and no statement proves it."""
        course = self.ledger.match.course
        over = course is None or course.ended is not None
        start = self._start().table
        return self._proof.verdicts(tracker, self._stated_items, start, self._round(), report, over=over)

    def _way(self, tracker: RoundTracker, way: Hypothesis, verdicts: Mapping[int, Verdict]) -> list[Believed]:
        """The acts that may still be put in order, as this hypothesis has them."""
        acts = believed(way, self._record.fixed, verdicts, tracker.players, tracker.read)
        return [one if one.item is None else shown(one, self._proof.shown.get(one.item, UNSEEN)) for one in acts]

    def _earlier(
        self, tracker: RoundTracker, verdicts: Mapping[int, Verdict], held: Mapping[int, Event]
    ) -> dict[int, Believed]:
        """Item -> the verdict by now on each act whose line keeps its place; `held`: seq -> the event on record."""
        players = self.ledger.header.players
        lines = self.ledger.lines
        told = {
            one.event.seq
            for one in self._round()
            if is_stated(one, lines) or any(is_put_right(one, lines, name) for name in ("by", "tile", "train"))
        }
        found: dict[int, Believed] = {}
        for line in self._record.kept:
            if line.item is not None and line.item in verdicts and line.seq in held:
                event, verdict = held[line.seq], verdicts[line.item]
                if line.seq in told:
                    found[line.item] = as_people_say(line.number, verdict, event, tracker.entries[line.item].proved)
                    continue
                first = (event.who, *event.perhaps, *players)
                who = next(name for name in first if name is not None)
                found[line.item] = judged(line.number, verdict, who, players)
        return found

    def _ask(self, tracker: RoundTracker) -> list[Event]:
        """At most one question a round, where a fault hangs on a name that the table will not tell; it is dropped once
        the table tells all the same."""
        begun = self._round()[0].event.seq
        if self._asked is not None and self._asked[0] == begun:
            _, asked, item = self._asked
            waits = any(one.seq == asked for one in open_questions(self.ledger.journal.events))
            entry = tracker.entries.get(item)
            if waits and (entry is None or entry.taken_back or entry.verdict.by is not None):
                return list(self.ledger.amend(Corrected(corrects=asked, what={"withdrawn": True}, source="camera")))
            return []
        question = tracker.question()
        seq = None if question is None else self._items.get(question.item)
        if question is None or seq is None or question.item in self._stated_items:
            return []
        plays = {name: event_of(question.play, name) for name in question.players}
        candidates = tuple(Candidate(name, ({**play.to_insert(), "seq": seq},)) for name, play in plays.items())
        frame = self._proof.shown.get(question.item, UNSEEN).frame
        asked_now = self.ledger.record(
            Unclear(reason=str(QuestionKind.SEVERAL_EXPLANATIONS), candidates=candidates, source="camera", frame=frame)
        )
        self._asked = (begun, asked_now[0].seq, question.item)
        return list(asked_now)

    # ---- the end of a round --------------------------------------------------------------------------------------

    def _confirms(self, due: RoundEnded) -> bool:
        """Whether the belief has that end too, while it is at work; else the counts alone tell."""
        return not self._writing or self._tracker is None or self._tracker.end() == (due.how, due.out)

    def _end_of_round(self, tracker: RoundTracker) -> list[Event]:
        """The round's end, where the belief has it and the record alone cannot tell."""
        due, course = tracker.end(), self.ledger.match.course
        if due is None or course is None or course.ended is not None or course.number == self._reopened:
            return []
        return list(self.ledger.record(RoundEnded(how=due[0], out=due[1], source="camera")))

    def _goes_on(self, report: TableChange) -> bool:
        """Was the end only counted, and do they play on as if there was none? Then the count was wrong."""
        match, course = self.ledger.match, self.ledger.match.course
        if course is None or match.shown or not report.laid or report.gone:
            return False
        ruled = course.ended_by == "rule" and course.ended == "out" and course.watched
        if course.ended_by != "camera" and not ruled:
            return False
        tracker = self._caught_up()
        return bool(tracker.filter.explanations(Evidence.of(tracker.number, report)))

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
        return events

    def _after_the_end(self, report: TableChange) -> tuple[Event, ...]:
        """When the round is over people clear the table. Only a single tile more is still a play.

        Markers and draws are kept: they count if the end turns out to be none.
        """
        if len(report.delta) != 1 or not isinstance(report.delta[0], Laying) or report.discards or report.flips:
            course = self.ledger.match.course
            if course is not None and not report.gone and not report.laid:
                self._since_the_end.append((course.number, report))
            return ()
        laying = report.delta[0]
        event = report.shown(TilePlayed(by=None, tile=laying.tile, train=laying.train, source="camera"))
        return self.ledger.record(event)


def _view(change: TableChange, evidence: Evidence, *, clouded: bool = False) -> View:
    arms = {piece.act: (piece.actors, piece.arm) for piece in evidence.pieces if piece.actors}
    return View(evidence.number, change.clouded or clouded, change.guessed, arms, change.adopted, change.unread)


def _likeliest(tracker: RoundTracker) -> Sequence[Hypothesis]:
    """The hypotheses about as likely as the best, the best first."""
    ranked = sorted(tracker.filter.all, key=lambda one: one.cost + one.pending)
    most = ranked[0].cost + ranked[0].pending + ALIKE_DB
    return [one for one in ranked if one.cost + one.pending <= most][:MOST_WAYS]


def _has(item: EffectiveEvent, act: Play) -> bool:
    event = item.event
    if not isinstance(event, TilePlayed) or item.undone:
        return False
    return (event.tile.tile, event.train) == (act.tile.tile, act.train)


def _about_questions(line: Event, events: Sequence[Event]) -> bool:
    """Whether a line only asks something, withdraws a question, or says what stands no longer."""
    if isinstance(line, Corrected):
        if "retracts" in line.what:
            return True
        asked = events[line.corrects - 1] if 0 < line.corrects <= len(events) else None
        return isinstance(asked, Unclear) and "insert" not in line.what and "answer" not in line.what
    return isinstance(line, Unclear)
