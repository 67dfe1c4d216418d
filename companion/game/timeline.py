"""The game with its past: after each event the match as it stood, and the present findings of every event.

Live play and replay both go through `Timeline.of`, so that a game read from its journal has the rulings it had.
Conclusions from the rules alone (a pass that somebody's tile implies, the end of a round, a score) are worked out anew
each time; their lines in the journal only give them a number.

Questions about taps, on record: each as a line, with the answer.

`tracking.asked` finds the misfits. A question is written when it is asked, and stands as long as it arises from the
taps; of its line only the chosen key is read again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from companion.log.corrections import EffectiveEvent, TurnPlace, open_questions, withdrawn_corrections
from companion.log.event_fields import ANOTHER_ENGINE, Candidate, Finding, Header, QuestionKind
from companion.log.events import (
    Announced,
    Corrected,
    Discarded,
    Drew,
    Event,
    HandShown,
    MatchEnded,
    Passed,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.log.journal import PHONE
from companion.play.course import DEALT, NO_LAST_TILE, Course
from companion.play.event_actions import act_of, action_of, is_act, uncounted, unsettled
from companion.play.match import Findings, Match
from companion.rules.notation import print_laid
from companion.rules.position import Draw, Play
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Certainty, Violation
from companion.tracking.asked import AskedRound, Confirmed, Tap, TapAnswer, TapQuestion
from companion.tracking.edits import Kind
from companion.tracking.strict import Fault

USUAL_FINE = 2
"""Tiles that are drawn for a last tile that was not announced where the rules name no number. Source: docs/rules.md."""

REVEALED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REVEAL)
"""Codes that shown hands tell of earlier acts; they are worked out anew with the hands."""

ENGINE_ASKED = frozenset({ANOTHER_ENGINE, "NO_HUB"})
"""Questions of a camera about the engine."""

NO_LOOKS: Mapping[int, int] = {}

Answers = Mapping[int, Sequence[TapAnswer]]
NO_ANSWERS: Answers = {}


@dataclass(frozen=True, slots=True)
class AppliedEvent:
    """One event, with the match after it."""

    held: EffectiveEvent
    """As the line holds it."""
    event: Event | None
    """As it counts; None where the line only carried something that no longer follows."""
    after: Match
    findings: tuple[Finding, ...] = ()
    """Its own, at its time."""
    late: Findings = field(default_factory=dict)
    """Those of earlier acts, by index, that changed with it."""
    place: TurnPlace | None = None
    """Its turn, as far as the belief says."""


class Timeline:
    """Acts in order. Grows by `take`; a change of the past makes a new one, to which the old one lends the rounds that
    did not change.

    >>> from companion.rules import load_ruleset
    >>> timeline = Timeline(Header("tactic", "double-12", ("Ann", "Ben", "Cy")), load_ruleset("tactic"))
    >>> begun = RoundStarted(seq=1, round=1, engine=Laid(12, 12), starter="Ann")
    >>> for event in (begun, TilePlayed(seq=2, by="Ann", tile=Laid(5, 6), train="Ann")):
    ...     _ = timeline.take(EffectiveEvent(event))
    >>> [(one.code, one.open) for one in timeline.findings(1)]
    [('WRONG_ROOT', True)]
    >>> timeline.match.course.mover
    'Ben'
    """

    def __init__(
        self, header: Header, rules: RuleSet, looks: Mapping[int, int] = NO_LOOKS, answers: Answers = NO_ANSWERS
    ) -> None:
        """`looks`: the line that began a round -> the last one before the camera first saw something in it. `answers`:
        the line of a tap -> what people answered about it."""
        self.start = Match.of(header, rules)
        self.looks = looks
        self.answers = answers
        self.taken: list[EffectiveEvent] = []
        """The events in the order in which they were told."""
        self.acts: list[AppliedEvent] = []
        """The same in the order in which they happened: in a round that people tap, an answer may have moved one
        (tracking.asked)."""
        self.found: dict[int, tuple[Finding, ...]] = {}
        """By act, findings that no order affects: reports of people, proofs from shown hands and, in rounds that a
        camera watches, those in the lines."""
        self.asked: AskedRound | None = None
        """The round that people tap; None where a camera watches."""
        self.settled: dict[int, tuple[Finding, ...]] = {}
        """Line of an earlier tapped round -> its findings."""
        self._now: Mapping[int, tuple[Finding, ...]] | None = None
        self._row: tuple[tuple[int, TurnPlace], ...] = ()

    @classmethod
    def of(
        cls,
        header: Header,
        rules: RuleSet,
        held: Sequence[EffectiveEvent],
        base: Timeline | None = None,
        *,
        looks: Mapping[int, int] = NO_LOOKS,
        answers: Answers = NO_ANSWERS,
    ) -> Timeline:
        """The history of these events; `base` lends what the same rounds have come to."""
        timeline = cls(header, rules, looks, answers)
        for part in by_round(held):
            timeline.tell(part, base)
        return timeline

    def tell(self, part: Sequence[EffectiveEvent], base: Timeline | None = None) -> None:
        """Take the events of a round. The result is that of `base` for the first of them, as far as everything before
        was the same."""
        part, first, self._now = _in_force(part), len(self.taken), None
        if base is not None and (not first or any(one is self.acts[-1] for one in base.acts[first - 1 : first])):
            rest = range(first + 1, len(base.taken))
            end = next((n for n in rest if isinstance(base.taken[n].event, RoundStarted)), len(base.taken))
            last, known = end == len(base.taken), base.taken[first:end]
            same = known == list(part[: len(known)]) and (last or len(known) == len(part))
            if same and all(self.answers.get(one.event.seq) == base.answers.get(one.event.seq) for one in part):
                self.taken += known
                self.acts += base.acts[first:end]
                self.found |= {n: found for n, found in base.found.items() if first <= n < end}
                self.settled |= {
                    one.event.seq: base.settled[one.event.seq] for one in known if one.event.seq in base.settled
                }
                self.asked, self._row = (copy(base.asked), base._row) if last else (None, ())
        for item in part[len(self.taken) - first :]:
            self.take(item)

    def copy(self) -> Timeline:
        """Another one to try something with."""
        other = copy(self)
        other.acts, other.found, other.taken = list(self.acts), dict(self.found), list(self.taken)
        other.asked, other.settled = copy(self.asked), dict(self.settled)
        return other

    @property
    def match(self) -> Match:
        return self.acts[-1].after if self.acts else self.start

    def findings(self, index: int) -> tuple[Finding, ...]:
        """Findings known by now against the event of an act."""
        seq = self.acts[index].held.event.seq
        if seq in self.settled:
            return self.settled[seq]
        if self._now is None:
            self._now = self._held_against()
        return self._now[seq] if seq in self._now else self.found.get(index, ())

    def reads(self, index: int) -> Event:
        """The event of an act as it counts by now, with what is known against it."""
        act = self.acts[index]
        return with_findings(act.held.event if act.event is None else act.event, self.findings(index))

    def _held_against(self) -> dict[int, tuple[Finding, ...]]:
        """Line of each tap of this round, and of its start -> its findings by now: open, until somebody says that it
        was so. Questions that the source leaves open are nobody's fault."""
        begun = self.begun
        found = self._against_the_start(begun)
        if self.asked is None:
            return found
        against = self.asked.against()
        taps = {tap.seq for tap in self.asked.taps}
        for n in range(max(0, begun), len(self.acts)):
            event = self.acts[n].held.event
            if event.seq in taps:
                mine = [_finding(one, said, _whose(event)) for one, said in against.get(event.seq, ()) if one.sure]
                found[event.seq] = (*mine, *self._besides(n))
            elif isinstance(event, RoundEnded) and self._anything_open():
                told = self.found.get(n, ())
                found[event.seq] = tuple(replace(one, certain=False, open=True) if one.certain else one for one in told)
        return found

    @property
    def begun(self) -> int:
        """The place of the act that began this round; -1 before the first."""
        return _begun([one.held for one in self.acts])

    def _against_the_start(self, begun: int) -> dict[int, tuple[Finding, ...]]:
        """The findings against the engine that people began this round with; a camera has read its own."""
        event = self.acts[begun].held.event if begun >= 0 else None
        # A journal from before names no picture, and mostly an author.
        if event is None or event.frame or (event.author is None and event.seq in self.looks):
            return {}
        seq, told = event.seq, self.found.get(begun, ())
        said = next((one for one in reversed(self.answers.get(seq, ())) if one.kind is Kind.SO), None)
        if said is None:
            return {seq: tuple(replace(one, certain=False, open=True) for one in told)}
        return {seq: tuple(replace(one, confirmed_by=said.by, confirmed_in=said.seq) for one in told)}

    def _besides(self, index: int) -> tuple[Finding, ...]:
        """Findings that do not depend on the order of acts. Those from shown hands rest on earlier acts: they are
        open while one of those is, or was moved."""
        found = tuple(
            one for one in self.found.get(index, ()) if one.code != Violation.PLAY_AFTER_END or not one.certain
        )
        if not any(one.code in REVEALED_CODES for one in found):
            return found
        open_ = self._anything_open() or not self._stayed_in_its_turn(index)
        return tuple(
            replace(one, certain=False, open=True) if open_ and one.code in REVEALED_CODES else one for one in found
        )

    def _anything_open(self) -> bool:
        """Whether something that was tapped in this round does not fit, and nobody has said yet what it was."""
        return self.asked is not None and bool(self.asked.questions() or self.asked.silent())

    def _stayed_in_its_turn(self, index: int) -> bool:
        """Whether the same tiles come before the act in the order of taps and in the one it is in; before a pass, the
        same draws of its player as well."""
        act = self.acts[index].held
        draws = () if isinstance(act.event, Drew) else (Drew,)
        told = next(n for n, one in enumerate(self.taken) if one is act)
        before = ([one.held for one in self.acts[:index]], self.taken[:told])
        on_the_table = [
            {
                id(one)
                for one in row
                if isinstance(one.event, TilePlayed)
                or (isinstance(one.event, draws) and one.event.who == act.event.who)
            }
            for row in before
        ]
        return on_the_table[0] == on_the_table[1]

    def take(self, held: EffectiveEvent) -> AppliedEvent:
        """Add an event. In a round that the camera saw, the findings are the belief's and stand in the lines."""
        if isinstance(held.event, RoundStarted):
            self._settle()
        self._now = None
        self.taken.append(held)
        if isinstance(held.event, Announced) and held.event.what == DEALT:
            self.asked = None
        if not self._is_tapped(held, self.match.course):
            return self._take(held)
        asked = self._told_so_far()
        asked.take(self._tap(held, asked))
        row, before = tuple(asked.turns().items()), self._row
        self._row = row
        if row[:-1] == before and row and row[-1][0] == held.event.seq and not self._ends_nowhere():
            return self._take(held, row[-1][1])
        self._put_in_order()
        return next(act for act in reversed(self.acts) if act.held is held)

    def _is_tapped(self, held: EffectiveEvent, course: Course | None) -> bool:
        """Whether people tapped this act in a round that no camera watches."""
        if course is None or act_of(held.event) is None or self._believed(held, course):
            return False
        return not course.watched and held.event.source != "camera"

    def _believed(self, held: EffectiveEvent, course: Course) -> bool:
        return held.event.seq > self.looks.get(course.start_seq, held.event.seq)

    def _ends_nowhere(self) -> bool:
        """Whether the end of this round was counted, and somebody has played past it."""
        ended = next((n for n in range(len(self.taken) - 1, -1, -1) if isinstance(self.taken[n].event, RoundEnded)), -1)
        later = [one.event for one in self.taken[ended + 1 :]]
        return ended > _begun(self.taken) and _may_be_nothing(self.taken[ended].event, later)

    def _tap(self, held: EffectiveEvent, asked: AskedRound) -> Tap:
        event, act = held.event, act_of(held.event)
        assert act is not None
        course, who = self.match.course, _whose(event)
        # Past an end that was only counted people play on because the count was wrong.
        late = course is not None and course.ended is not None and course.ended_by == "person"
        return Tap(
            event.seq,
            act,
            who if who is not None and who in self.start.header.players else asked.reading.now.mover,
            outer_only=getattr(event, "outer_only", False),
            late=late and isinstance(act, Play),
            turn=event.turn,
            end=getattr(event, "end", None),
            put_in=held.put_in,
            fines=self._fines(who) if isinstance(act, Draw) else 0,
        )

    def _fines(self, player: str | None) -> int:
        """How many tiles this player may have drawn because a last tile was not announced."""
        rules, round_ = self.start.rules, self.taken[_begun(self.taken) :]
        said = [one.event for one in round_ if isinstance(one.event, Announced) and one.event.what == NO_LAST_TILE]
        each = max(USUAL_FINE, rules.announce_penalty) if rules.announce is not None else 0
        return each * sum(event.by == player for event in said)

    def _take(self, held: EffectiveEvent, place: TurnPlace | None = None) -> AppliedEvent:
        event = self._as_it_counts(held.event)
        if event is None:
            act = AppliedEvent(held, None, self.match)
        else:
            step = self.match.take(event, len(self.acts), held.place or place)
            found, course = step.findings, step.match.course
            if is_act(event) and course is not None and not self._is_tapped(held, course):
                # What a belief has against it stands in its line.
                told: tuple[Finding, ...] = getattr(held.event, "violations", ())
                found = (*(one for one in told if one.code not in REVEALED_CODES), *found)
            act = AppliedEvent(held, event, step.match, tuple(dict.fromkeys(found)), step.late, place)
        self._keep(act)
        return act

    def implied(self, event: Event) -> tuple[Passed, ...]:
        """The passes that have to be recorded before `event`."""
        course = self.match.course
        return () if course is None else course.passes_before(event)

    def consequence(self) -> Event | None:
        """The next event that follows from the rules and is not recorded: the end of a round, its score, or of a match.
        While something that was tapped is open, nobody is out of whom not all of its answers say so."""
        due = self._due()
        if isinstance(due, RoundEnded) and due.how == "out" and self.asked is not None and self._anything_open():
            players = self.start.header.players if due.out is None else (due.out,)
            return due if all(map(self.asked.is_out, players)) else None
        return due

    def _due(self) -> Event | None:
        match = self.match
        if match.course is None:
            return None
        if match.phase == "playing":
            due = match.course.over
            counted_down = due is not None and due.how == "out" and match.course.watched
            return None if counted_down and self.misses_a_draw() else due
        if match.phase == "ended":
            return match.scored()
        return match.match_end() if match.phase == "scored" else None

    def misses_a_draw(self) -> bool:
        """Whether a turn of this round seems to lack its draw: the hands may then hold more than was counted."""
        begun = max(0, _begun([act.held for act in self.acts]))
        return any(one.code == Violation.NO_DRAW for n in range(begun, len(self.acts)) for one in self.findings(n))

    # ---- the order of acts ---------------------------------------------------------------------------------------

    def _told_so_far(self) -> AskedRound:
        """This round with all that was tapped in it before the event that was taken last."""
        if self.asked is None:
            begun = _begun([act.held for act in self.acts])
            course = self.acts[begun].after.course
            assert course is not None
            wrongly, table = self._wrongly_dealt(), course.table
            table = uncounted(table, wrongly, boneyard=True) if wrongly else table
            self.asked = AskedRound(
                course.rules, table, course.starter, starter_known=course.starter_known, answers=self.answers
            )
            for item in self.taken[_begun(self.taken) : -1]:
                if self._is_tapped(item, course):
                    self.asked.take(self._tap(item, self.asked))
        return self.asked

    def _wrongly_dealt(self) -> list[str]:
        """Players whose hand was reported to be of the wrong size this round: nothing can be counted since."""
        begun = _begun([act.held for act in self.acts])
        events = (act.event for act in self.acts[begun + 1 :] if act.findings)
        reports = [event for event in events if isinstance(event, Announced) and event.what == DEALT]
        return [report.by for report in reports if report.by is not None]

    def _put_in_order(self) -> None:
        """Take this round's acts again in the order in which they happened, each in its turn."""
        begun = _begun([act.held for act in self.acts])
        lines = [act.held for act in self.acts[begun + 1 :] if _is_implied(act.held.event)]
        again = self._from(begun + 1)
        for held, turn, counts in self._in_order():
            if counts:
                for passed in again.implied(held.event):
                    line = next((one for one in lines if one.event.who == passed.by), None)
                    if line is not None:
                        lines.remove(line)
                        again._take(line)
                again._take(held, turn)
            else:
                again._keep(AppliedEvent(held, None, again.match, place=turn))
        for line in lines:
            again._keep(AppliedEvent(line, None, again.match))
        self.acts, self.found = again.acts, again.found

    def _in_order(self) -> list[tuple[EffectiveEvent, TurnPlace | None, bool]]:
        """This round's lines in the order in which they happened, each with its turn, and whether
        it says anything."""
        turns = dict(self._row)
        order = {seq: n for n, seq in enumerate(turns)}
        assert self.asked is not None
        taps = {tap.seq for tap in self.asked.taps}
        row: list[tuple[tuple[int, bool, int], TurnPlace | None, bool]] = []
        latest = -1
        for place in range(_begun(self.taken) + 1, len(self.taken)):
            event = self.taken[place].event
            if _is_implied(event):
                continue
            if event.seq in order:
                latest = max(latest, order[event.seq])
                row.append(((order[event.seq], False, place), turns[event.seq], True))
            else:
                later = self.taken[place + 1 :] if isinstance(event, RoundEnded) else ()
                nothing = event.seq in taps or _may_be_nothing(event, [one.event for one in later])
                row.append(((latest, True, place), None, not nothing))
        return [(self.taken[key[2]], turn, counts) for key, turn, counts in sorted(row, key=lambda one: one[0])]

    def _from(self, first: int) -> Timeline:
        """The acts before place `first`, then the rest in another order."""
        other = self.copy()
        other.acts, other.found = [], {}
        for act in self.acts[:first]:
            other._keep(act)
        return other

    def _settle(self) -> None:
        """Another round begins."""
        self.settled |= self._held_against() if self._now is None else self._now
        self.asked, self._row = None, ()

    def _keep(self, act: AppliedEvent) -> None:
        self.acts.append(act)
        if act.findings:
            self.found[len(self.acts) - 1] = act.findings
        for earlier, findings in act.late.items():
            event = self.acts[earlier].event if earlier >= 0 else None
            if event is None or not unsettled(event):
                self.found[earlier] = findings

    def _as_it_counts(self, event: Event) -> Event | None:
        """The event without rulings, which are made anew; what follows from the rules is worked out again."""
        match = self.match
        if event.source == "rule" and isinstance(event, (RoundEnded, RoundScored, MatchEnded)):
            due = self._due()
            other_end = isinstance(due, RoundEnded) and isinstance(event, RoundEnded) and due.how != event.how
            if due is None or type(due) is not type(event) or other_end:
                return None
            return replace(due, seq=event.seq, at=event.at)
        if isinstance(event, MatchEnded):
            # People say that it is over; who has won follows from the points.
            now = match.ended_now()
            return replace(event, winners=now.winners, totals=now.totals)
        if _is_implied(event) and match.course is not None and not _is_due(match.course, event):
            return None
        if self.asked is not None and isinstance(event, TilePlayed) and event.outer_only:
            return replace(event, tile=self.asked.tiles().get(event.seq, event.tile), violations=())
        if unsettled(event) or not getattr(event, "violations", ()):
            return event
        plain: dict[str, Any] = {"violations": ()}
        return replace(event, **plain)


def with_findings(event: Event, findings: tuple[Finding, ...]) -> Event:
    if getattr(event, "violations", findings) == findings:
        return event
    changed: dict[str, Any] = {"violations": findings}
    return replace(event, **changed)


def _whose(event: Event) -> str | None:
    """The player of the act: a marker's owner where nobody is named."""
    return event.who or getattr(event, "train", None)


def _begun(row: Sequence[EffectiveEvent]) -> int:
    """Where the last round begins; -1 before the first."""
    return next((n for n in range(len(row) - 1, -1, -1) if isinstance(row[n].event, RoundStarted)), -1)


def _may_be_nothing(event: Event, later: Sequence[Event]) -> bool:
    """Whether a counted end may be wrong: a player with no tiles left goes on, or somebody plays in a blocked round."""
    if not isinstance(event, RoundEnded) or event.source != "rule" or any(isinstance(one, HandShown) for one in later):
        return False
    if event.how == "out":
        acts = (TilePlayed, Drew, Discarded, Passed)
        return any(isinstance(one, acts) and one.who == event.out and not getattr(one, "done", False) for one in later)
    return event.how == "blocked_declared" and any(isinstance(one, TilePlayed) for one in later)


def _is_implied(event: Event) -> bool:
    """Whether it is a pass that the rules wrote, because somebody else went on."""
    return isinstance(event, Passed) and event.source == "rule"


def _is_due(course: Course, event: Event) -> bool:
    """Whether a pass that somebody's act implied when it was written can still be one: a turn without a tile is open.
    In a round that a camera watches it is the belief's."""
    turn = course.turn
    return course.watched or turn is None or (turn.player == event.who and not turn.finished(course.rules))


def first_looks(events: Sequence[Event], looks: Iterable[int]) -> Mapping[int, int]:
    """The line that began a round -> the last one before the camera first saw something in it; `looks` are the last
    lines before all that it saw."""
    begun = [event.seq for event in events if isinstance(event, RoundStarted)]
    found: dict[int, int] = {}
    for look in looks:
        place = bisect_right(begun, look)
        if place:
            found.setdefault(begun[place - 1], look)
    return found


def by_round(held: Sequence[EffectiveEvent]) -> Iterator[list[EffectiveEvent]]:
    """The events round by round; first those before the first, if there are any."""
    part: list[EffectiveEvent] = []
    for one in held:
        if isinstance(one.event, RoundStarted) and part:
            yield part
            part = []
        part.append(one)
    if part:
        yield part


def _in_force(held: Sequence[EffectiveEvent]) -> tuple[EffectiveEvent, ...]:
    """Without tiles that were taken back, and without the passes that a tile implied which is gone again."""
    there = [
        item
        for item in held
        if not item.undone and not (isinstance(item.event, TileTakenBack) and item.event.undoes is not None)
    ]
    kept: list[EffectiveEvent] = []
    following: Event | None = None
    for item in reversed(there):
        event = item.event
        if isinstance(event, Passed) and event.source == "rule":
            if following is None or following.who == event.by:
                continue
        elif action_of(event) is not None or isinstance(event, RoundEnded):
            following = event
        elif isinstance(event, RoundStarted):
            following = None
        kept.append(item)
    return tuple(reversed(kept))


def _finding(fault: Fault, said: Confirmed | None, whose: str | None) -> Finding:
    """A fault as it stands in the line of an act of `whose`."""
    by = None if fault.player == whose else fault.player
    if said is not None:
        return Finding(fault.code, by=by, confirmed_by=said.by, confirmed_in=said.seq)
    return Finding(fault.code, certain=False, by=by, open=True)


ORDERS = frozenset({Kind.SO, Kind.LATER, Kind.EARLIER, Kind.BONEYARD, Kind.ORDER})
"""Answers about the order of taps; the others put a line right, in or out, and stand in corrections of their own."""


def answers_of(lines: Sequence[Event]) -> Mapping[int, Sequence[TapAnswer]]:
    """Line of a tap, or of a round's start -> what people answered about it and did not take back, in the order in
    which they did. Whoever puts an engine right, or tells a camera which one it is, says what lies there."""
    undone = withdrawn_corrections(lines)
    found: dict[int, list[TapAnswer]] = {}
    for line in lines:
        if not isinstance(line, Corrected) or line.seq in undone:
            continue
        if line.what.get("so") is True or (line.source == "person" and "engine" in line.what):
            found.setdefault(line.corrects, []).append(TapAnswer(Kind.SO, (), who_said(line), line.seq))
        if "answer" not in line.what:
            continue
        asked, choice = lines[line.corrects - 1], line.what["answer"]
        if not isinstance(asked, Unclear) or choice is None:
            continue
        if asked.about is None:
            if ENGINE_ASKED.intersection(asked.question.troubles):
                begun = max((one.seq for one in lines[: asked.seq] if isinstance(one, RoundStarted)), default=0)
                found.setdefault(begun, []).append(TapAnswer(Kind.SO, (), who_said(line), line.seq))
            continue
        key = asked.candidates[choice]
        if key.kind not in ORDERS:
            continue
        events = ({"order": list(line.what["order"])},) if "order" in line.what else key.events
        found.setdefault(asked.about, []).append(TapAnswer(Kind(key.kind or Kind.SO), events, who_said(line), line.seq))
    return found


def who_said(line: Corrected) -> str:
    """Whoever entered this line: the name of the phone."""
    return line.author or line.by or PHONE


def standing_questions(timeline: Timeline, lines: Sequence[Event]) -> tuple[Unclear, ...]:
    """Questions still open: nobody has answered them, and no later tap has settled them."""
    due = _due_questions(timeline, lines)
    return tuple(
        one
        for one in open_questions(lines)
        if one.about is None or (one.about in due and due[one.about].candidates == one.candidates)
    )


def asking(timeline: Timeline, lines: Sequence[Event]) -> list[Unclear]:
    """The questions that arise now and were not asked yet."""
    asked = {one.about for one in standing_questions(timeline, lines)}
    return [one for about, one in _due_questions(timeline, lines).items() if about not in asked]


def _due_questions(timeline: Timeline, lines: Sequence[Event]) -> dict[int, Unclear]:
    taps = () if timeline.asked is None else timeline.asked.questions()
    return _about_the_start(timeline, lines) | {one.seq: _unclear(one) for one in taps}


def _about_the_start(timeline: Timeline, lines: Sequence[Event]) -> dict[int, Unclear]:
    """The question whether the round really began with the engine that people named, unless the camera asks which one
    it is."""
    place = timeline.begun
    held = tuple(one for one in timeline.findings(place) if one.open) if place >= 0 else ()
    begun = timeline.acts[place].held.event if held else None
    if not isinstance(begun, RoundStarted) or any(
        ENGINE_ASKED.intersection(one.question.troubles) for one in open_questions(lines[begun.seq :])
    ):
        return {}
    due = timeline.match.engine_due(begun.round)
    other = () if due in (None, begun.engine) else (_began_with(due),)
    codes = tuple(one.code for one in held)
    so = Candidate(SO_STORY, tuple({"seq": begun.seq, "violation": code} for code in codes), "so", codes=codes)
    reason = str(QuestionKind.DOES_NOT_FIT)
    return {begun.seq: Unclear(reason=reason, candidates=(*other, so), about=begun.seq, source="rule")}


def _began_with(engine: Laid) -> Candidate:
    event = {"event": "round_started", "engine": list(engine)}
    return Candidate(f"The round began with {print_laid(engine)}.", (event,), kind=str(Kind.START))


def _unclear(question: TapQuestion) -> Unclear:
    keys = [Candidate(_story(key.kind), key.events, kind=str(key.kind)) for key in question.keys]
    # One answer confirms what one player did, and nobody else's fault with it.
    accused = sorted(dict.fromkeys(fault.player for fault in question.faults), key=lambda name: name != question.whose)
    so = [_was_so(question, player) for player in accused]
    other = Candidate("It was in another order.", kind=str(Kind.ORDER))
    reason = str(QuestionKind.DOES_NOT_FIT)
    return Unclear(reason=reason, candidates=(*keys, *so, other), about=question.seq, source="rule")


def _was_so(question: TapQuestion, player: str) -> Candidate:
    faults = list(dict.fromkeys(fault for fault in question.faults if fault.player == player))
    held = tuple(
        {"seq": question.seq if one.tap is None else one.tap, "violation": one.code, "by": one.player} for one in faults
    )
    codes = tuple(dict.fromkeys(fault.code for fault in faults))
    return Candidate(SO_STORY, held, codes=codes, kind=str(Kind.SO))


SO_STORY = "It was really so."

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
    """A key in words for readers of the journal; the page says it with names."""
    return STORIES[kind]
