"""The game with its past: after each event the match as it stood, and what every event is found to be by now.

Live play and replay both go through `Timeline.of`, so that a game read from its journal has the rulings it had. What
follows from the rules alone (a pass that somebody's tile implies, the end of a round, a score) is worked out anew each
time; its lines in the journal only carry it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.log.corrections import EffectiveEvent
from companion.log.event_fields import Finding
from companion.log.events import (
    Corrected,
    Discarded,
    Drew,
    Event,
    Header,
    MarkerPlaced,
    MarkerRemoved,
    MatchEnded,
    Passed,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.play.event_actions import action_of, is_act, unsettled
from companion.play.match import Match
from companion.play.round import Course, Findings
from companion.play.round_over import over_by_rule
from companion.play.steps import Steps
from companion.play.tap_order import (
    FEWER_STEPS,
    MOST_STEPS,
    WINDOW,
    Burden,
    Order,
    best_order,
    is_loose,
    recent,
    whose,
)
from companion.play.taps_to_come import LACKING, MENDED_LATE, may_still_come, of_those_passed_over
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Certainty, Violation

REPORTED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REPORTED)
"""Codes that only a person can report; they stay as they were said."""

REVEALED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REVEAL)
"""Codes that shown hands tell of earlier acts; they are worked out anew with the hands."""

COUNTED = frozenset(
    map(
        str,
        (
            Violation.NO_DRAW,
            Violation.EXTRA_DRAW,
            Violation.DRAW_FROM_EMPTY,
            Violation.DRAW_FIRST_TURN,
            Violation.EXTRA_TILE,
            Violation.PASS_WITHOUT_DISCARD,
            Violation.OUT_OF_TURN,
            Violation.MARKER_WRONG_TRAIN,
            Violation.MARKER_MISSING,
            Violation.MARKER_NOT_REMOVED,
        ),
    )
)
"""Never certain while a camera watches. These faults rest on a count of face-down tiles, on turn order alone, on a hand
that moved a marker unseen, or on a marker that no picture shows: one oversight of the camera would accuse an innocent
player."""


NO_LOOKS: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class AppliedEvent:
    """One event: what was held, the event as it counts, the match after it, and what it showed.

    `event` is None where the line only carried something that does not follow any more. `findings` are its own at its
    time, `late` those of earlier acts (by index) that changed with it.
    """

    held: EffectiveEvent
    event: Event | None
    after: Match
    findings: tuple[Finding, ...] = ()
    late: Findings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reordered:
    """After so many events had been `taken`, the acts from place `first` on were put in another order."""

    taken: int
    first: int


Charges = Counter[tuple[str, str | None, bool]]
"""(code, player, whether it is certain) -> how often."""

MOST_CHARGES = 12
"""Where more than this is held against people within a few taps, no late tap explains it: no time is spent on it."""

MOST_ACTS_TO_MOVE = 40
"""Longer than the longest first train with all that goes with it."""

BY_ORDER = frozenset(
    map(
        str,
        (
            Violation.CLOSED_TRAIN,
            Violation.OPEN_DOUBLE_IGNORED,
            Violation.DOUBLE_NOT_FOLLOWED,
            Violation.EXTRA_TILE,
            Violation.OUT_OF_TURN,
            Violation.PLAY_AFTER_END,
            Violation.FIRST_TURN_OWN_ONLY,
            Violation.MX_TOO_EARLY,
            Violation.MARKER_MISSING,
            Violation.MARKER_UNEARNED,
            Violation.MARKER_REMOVED_WRONGLY,
            Violation.MARKER_NOT_REMOVED,
            Violation.NO_DRAW,
            Violation.EXTRA_DRAW,
            Violation.DRAW_FIRST_TURN,
            Violation.DRAW_FROM_EMPTY,
            Violation.PASS_WITHOUT_DISCARD,
        ),
    )
)
"""Faults that the order of acts may explain; the others lie on the table in any order."""


OPEN = frozenset(map(str, (Violation.OUT_OF_TURN, Violation.PLAY_AFTER_END)))
"""Where one of these stands it is open whose turn it is, or whether the round goes on."""


class Timeline:
    """Acts in order. Grows by `take`; a change of the past makes a new one that shares what did not change.

    `taken` are the events in the order in which they were told, `acts` in the order in which they are held to have
    happened: in a round that people tap in that may be another one (play.tap_order). `moved` says where they part;
    `doubts`: (line, code) of what another order would explain -> after how many events that was seen.
    `unsure`: (line, code) of what is only possible because the journal says so. `doubted`: some of this round was
    taken so. `steps`: what acts came to that were tried.
    """

    def __init__(self, header: Header, rules: RuleSet, looks: Mapping[int, int] = NO_LOOKS) -> None:
        """`looks`: the line that began a round -> the last one before the camera first saw something in it."""
        self.start = Match.of(header, rules)
        self.looks = looks
        self.taken: list[EffectiveEvent] = []
        self.acts: list[AppliedEvent] = []
        self.found: dict[int, tuple[Finding, ...]] = {}
        self.moved: list[Reordered] = []
        self.doubts: dict[tuple[int, str], int] = {}
        self.unsure: frozenset[tuple[int, str]] = frozenset()
        self.doubted = False
        self.steps = Steps()

    @classmethod
    def of(
        cls,
        header: Header,
        rules: RuleSet,
        held: Sequence[EffectiveEvent],
        base: Timeline | None = None,
        *,
        looks: Mapping[int, int] = NO_LOOKS,
        doubted: bool = False,
    ) -> Timeline:
        """The history of these events; `base` lends the acts up to the first difference. `doubted`: see `take`."""
        in_force = _in_force(held)
        timeline = cls(header, rules, looks)
        if base is not None:
            timeline.start = base.start
            timeline._share(base, in_force)
        for item in in_force[len(timeline.acts) :]:
            timeline.take(item, doubted=doubted)
        if base is None:
            timeline.unsure = timeline._written_as_possible()
        return timeline

    def _written_as_possible(self) -> frozenset[tuple[int, str]]:
        """What the journal holds to be only possible, for a reason that its lines do not tell: a camera looked on that
        saw nothing. What the belief holds to be possible may become certain."""
        return frozenset(
            (act.held.event.seq, finding.code)
            for n, act in enumerate(self.acts)
            if act.after.course is None or not self._believed(act.held, act.after.course)
            for finding in getattr(act.held.event, "violations", ())
            if n in self.found
            and not finding.certain
            and (act.held.event.seq, finding.code) not in self.doubts
            and not self._waits(n, finding)
        )

    def _share(self, base: Timeline, in_force: Sequence[EffectiveEvent]) -> None:
        """Take over what the first of these events came to in `base`."""
        alike = _alike(base, in_force)
        for moved in reversed(base.moved):
            if moved.taken > alike:
                alike = min(alike, moved.first)
        self.doubts = {key: taken for key, taken in base.doubts.items() if taken <= alike}
        self.unsure, self.doubted, self.steps = base.unsure, base.doubted, base.steps
        anew = {id(known): item for known, item in zip(base.taken[:alike], in_force, strict=False)}
        for act in base.acts[:alike]:
            self._keep(_as_held(act, anew[id(act.held)]))
        self.taken = list(in_force[:alike])
        self.moved = [moved for moved in base.moved if moved.taken <= alike]

    def copy(self) -> Timeline:
        """Another one to try something with."""
        other = Timeline.__new__(Timeline)
        other.start, other.acts, other.found = self.start, list(self.acts), dict(self.found)
        other.taken, other.moved, other.doubts = list(self.taken), list(self.moved), dict(self.doubts)
        other.looks, other.unsure, other.doubted, other.steps = self.looks, self.unsure, self.doubted, self.steps
        return other

    @property
    def match(self) -> Match:
        return self.acts[-1].after if self.acts else self.start

    def findings(self, index: int) -> tuple[Finding, ...]:
        """What is known by now against the event of an act."""
        found = self.found.get(index, ())
        if not found:
            return ()
        found = self._less_sure(index, found, {*self.doubts, *self.unsure})
        return tuple(replace(one, certain=one.certain and not self._waits(index, one)) for one in found)

    def _waits(self, index: int, finding: Finding) -> bool:
        """Whether a tap that is still to come may explain what is found: a marker, a draw, what others did who were
        passed over. Too late for that, it is certain."""
        act, code = self.acts[index], finding.code
        course = act.after.course
        if code not in BY_ORDER or course is None or course.watched or self._believed(act.held, course):
            return False
        player, most = finding.by or whose(act.held.event), len(course.players) - 1
        if not may_still_come((one.held.event for one in self.acts[index + 1 :] if _counts(one)), player, most):
            return False
        return code in MENDED_LATE or not self._stands_if_tapped(index)

    def _stands_if_tapped(self, index: int) -> bool:
        """Whether the act is at fault all the same if whoever was passed over before has done what the rules ask for,
        and draws and markers count for nothing that were themselves found to be out of place."""
        latest = [act.held.event for act in self.acts[max(0, index + 1 - WINDOW) : index + 1]]
        first = index + 1 - recent(latest, len(self.start.header.players))
        first = next((n + 1 for n in range(index, first - 1, -1) if _begins(self.acts[n])), first)
        other = self._from(first, first)
        for n in range(first, index + 1):
            act = self.acts[n]
            misplaced = (
                n < index and is_loose(act.held.event) and any(one.code in BY_ORDER for one in self.found.get(n, ()))
            )
            if not _counts(act) or misplaced:
                continue
            for _ in self.start.header.players:
                course = other.match.course
                for event in () if course is None else of_those_passed_over(course, act.held.event):
                    other._take(EffectiveEvent(event))
            other._go_on(act.held, self, first)
        return any(one.certain and one.code in BY_ORDER for one in other.found.get(len(other.acts) - 1, ()))

    def take(self, held: EffectiveEvent, *, doubted: bool = False, fresh: bool = False) -> AppliedEvent:
        """Add an event. `doubted`: nothing that it newly shows is certain.

        Where the journal holds what the camera saw, what is held against the acts of the round is the belief's to say
        and stands in their lines. `fresh`: this line has not been written yet, and nobody has weighed it.
        """
        self.taken.append(held)
        self.doubted = doubted or (self.doubted and not isinstance(held.event, RoundStarted))
        course = self.match.course
        if doubted or held.event.source != "person" or not is_act(held.event) or not self._goes_by_taps(held, course):
            return self._take(held, doubted=doubted, fresh=fresh)
        since = len(self.acts) - recent([act.held.event for act in self.acts[-WINDOW:]], len(self.start.header.players))
        # The passes that this act implies were taken before it, and are part of what it brings up.
        told = next((n for n in range(len(self.acts), 0, -1) if not _is_implied(self.acts[n - 1].held.event)), 0)
        earlier = self if told == len(self.acts) else self._from(told, since)
        due = earlier._charges(since, closed=True)
        before, stood = earlier._charges(since), earlier._held_against(since, certain=True)
        out_of_place = _is_out_of_turn(course, held.event)
        self._take(held, fresh=fresh)
        out_of_place = out_of_place or bool(_weighty(self._charges(since, closed=True), OPEN) - _weighty(due, OPEN))
        self._find_order(held.event, before, stood, since, out_of_place)
        return next(act for act in reversed(self.acts) if act.held is held)

    def _goes_by_taps(self, held: EffectiveEvent, course: Course | None) -> bool:
        """Whether a round runs that people tap in and no camera watches."""
        if course is None or course.watched or self._believed(held, course):
            return False
        return course.turn is None or len(course.turn.actions) <= MOST_ACTS_TO_MOVE

    def _believed(self, held: EffectiveEvent, course: Course) -> bool:
        return held.event.seq > self.looks.get(course.start_seq, held.event.seq)

    def _take(self, held: EffectiveEvent, *, doubted: bool = False, fresh: bool = False) -> AppliedEvent:
        event = self._as_it_counts(held.event)
        if event is None:
            act = AppliedEvent(held, None, self.match)
        else:
            step = self.steps.take(self.match, event, len(self.acts))
            reported = tuple(finding for finding in getattr(event, "violations", ()) if finding.code in REPORTED_CODES)
            findings = (*step.findings, *(finding for finding in reported if finding not in step.findings))
            course = step.match.course
            watched = course is not None and course.watched
            believed = course is not None and self._believed(held, course)
            late = step.late
            if not believed:
                late = {key: self._weighed_late(key, found, doubted or watched) for key, found in late.items()}
            elif action_of(event) is None:
                late = {key: self._with_revealed(key, found) for key, found in late.items()}
            else:
                late = {}
            if believed and not fresh and action_of(event) is not None:
                findings = tuple(one for one in held.event.violations if one.code not in REVEALED_CODES)  # type: ignore[attr-defined]
            elif findings and (watched or doubted):
                findings = _weighed(held.event, findings, watched, doubted)
            act = AppliedEvent(held, event, step.match, findings, late)
        self._keep(act)
        return act

    def _weighed_late(self, key: int, found: tuple[Finding, ...], doubted: bool) -> tuple[Finding, ...]:
        return _weighed(self.acts[key].held.event, found, doubted, doubted) if doubted and key >= 0 else found

    def _with_revealed(self, key: int, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """What stands against an act of a watched round, with what the shown hands tell of it."""
        if key < 0 or action_of(self.acts[key].held.event) is None:
            return found
        known = self.findings(key)
        return (*known, *(one for one in found if one.code in REVEALED_CODES and one not in known))

    def implied(self, event: Event) -> tuple[Passed, ...]:
        """The passes that have to be recorded before `event`."""
        course = self.match.course
        return () if course is None else course.passes_before(event)

    def consequence(self) -> Event | None:
        """What follows from the rules now and is not recorded yet: the end of the round, its score, the match's end."""
        match = self.match
        if match.course is None:
            return None
        if match.phase == "playing":
            due = over_by_rule(match.course)
            counted_down = due is not None and due.how == "out" and match.course.watched
            return None if counted_down and self.misses_a_draw() else due
        if match.phase == "ended":
            return match.scored()
        return match.match_end() if match.phase == "scored" else None

    def misses_a_draw(self) -> bool:
        """Whether a turn of this round seems to lack its draw: the hands may then hold more than was counted."""
        begun = max((n for n, act in enumerate(self.acts) if isinstance(act.event, RoundStarted)), default=0)
        findings = (finding for n, found in self.found.items() if n >= begun for finding in found)
        return any(finding.code == Violation.NO_DRAW for finding in findings)

    # ---- the order of acts ---------------------------------------------------------------------------------------

    def _charges(self, since: int, *, closed: bool = False, without: Collection[int] = ()) -> Charges:
        """What stands in this round, of the acts from place `since` on, and rests on the order of acts. `closed`: also
        what will stand against a turn that is finished once the next one begins; `without` these acts."""
        found = Charges()
        for n, finding in self._by_order(since, closed=closed):
            if n in without:
                continue
            found[finding.code, finding.by or whose(self.acts[n].held.event), finding.certain] += 1
        return found

    def _by_order(self, since: int, *, closed: bool) -> Iterator[tuple[int, Finding]]:
        """Act and finding."""
        course = self.match.course
        if course is None:
            return
        over = closed and course.turn is not None and course.turn.finished(course.rules)
        closing = course.close()[1] if over else {}
        late = {n for n in range(since, len(self.acts)) if self._after_end(n)} if course.ended is not None else set()
        for n in {*self.found, *closing, *late}:
            if n < since or self._begun(n) != course.start_seq:
                continue
            found = [one for one in closing.get(n, self.found.get(n, ())) if one.code in BY_ORDER]
            if n in late and all(one.code != Violation.PLAY_AFTER_END for one in found):
                found.append(Finding(str(Violation.PLAY_AFTER_END), certain=False))
            for finding in self._less_sure(n, tuple(found), self.doubts):
                yield n, finding

    def _begun(self, index: int) -> int | None:
        """The line that began the round of this act."""
        course = self.acts[index].after.course
        return None if course is None else course.start_seq

    def _after_end(self, index: int) -> bool:
        """Whether a tile was laid, drawn or put away in a round that was over by the counts."""
        before = self.acts[index - 1].after.course if index else None
        over = before is not None and before.ended is not None and before.ended_by == "rule"
        return over and isinstance(self.acts[index].event, (TilePlayed, Drew, Discarded))

    def _find_order(
        self, event: Event, before: Charges, stood: Collection[tuple[int, str]], since: int, out_of_place: bool
    ) -> None:
        """Put this round's acts in the order in which least is found, now that `event` has been tapped.

        Another order is taken where somebody owes the act, or could not have acted then. Else the taps stand as they
        came, and what another order would explain is only possible. `before`: what stood before the tap;
        `out_of_place`: it was not its player's turn, or it brings something up.
        """
        while True:
            now, opening = self._charges(since), self._opening()
            open_turn = any(code in opening for code, _player, _ in now)
            heavy = _weighty(now, opening)
            why = heavy if open_turn or is_loose(event) else heavy - _weighty(before, opening)
            if not why or now.total() > MOST_CHARGES:
                return
            owing = out_of_place and is_loose(event) and not getattr(event, "done", False)
            mends = why - before or owing or any(player == whose(event) for _code, player, _ in why)
            order, proved = self._better_order(since, MOST_STEPS if mends else FEWER_STEPS)
            if order is None:
                if mends and not proved:
                    against = None if why - before else whose(event)
                    self._doubt(
                        self._held_against(since, certain=True, by=against).difference(stood if not against else ())
                    )
                if isinstance(event, MarkerRemoved):
                    # Taken off late, or tapped late, and whoever has laid there since laid on a closed train.
                    late = self._held_against(since, certain=True, by=whose(event))
                    self._doubt(one for one in late if one[1] == Violation.MARKER_NOT_REMOVED)
                return
            tried = self._in_order(order)
            gone = self._held_against(since) - tried._held_against(since)
            mended = {code for seq, code in gone if seq != event.seq}
            owed = bool(mended) if order.far and out_of_place else not order.far and bool(mended & LACKING)
            owed = owed and is_loose(event)
            if not owed and not any(code in opening for _, code in gone):
                # What is certain here and not in the other order is only possible.
                self._doubt(self._held_against(since, certain=True) - tried._held_against(since, certain=True))
                return
            self.acts, self.found, self.moved = tried.acts, tried.found, tried.moved

    def _opening(self) -> Collection[str]:
        """The codes that leave it open whose turn it is: also of a marker tapped early, once the turn has come to which
        it belongs, and of a long first train that goes on after it."""
        course, found = self.match.course, set(OPEN)
        if course is not None and course.marked_before:
            found.add(str(Violation.MARKER_UNEARNED))
        if course is not None and course.resumes_first_train:
            found.add(str(Violation.EXTRA_TILE))
        return found

    def _doubt(self, found: Iterable[tuple[int, str]]) -> None:
        """What another order explains, or may explain that was not tried."""
        self.doubts.update(dict.fromkeys(found, len(self.taken)))

    def _held_against(self, since: int, *, certain: bool = False, by: str | None = None) -> set[tuple[int, str]]:
        """(line, code) of what is found, or of what is certain; against one player only."""
        return {
            (self.acts[n].held.event.seq, finding.code)
            for n, finding in self._by_order(since, closed=True)
            if (finding.certain or not certain) and by in (None, finding.by or whose(self.acts[n].held.event))
        }

    def _less_sure(
        self, index: int, findings: tuple[Finding, ...], doubts: Collection[tuple[int, str]]
    ) -> tuple[Finding, ...]:
        if not doubts:
            return findings
        seq = self.acts[index].held.event.seq
        return tuple(
            replace(one, certain=False) if one.certain and (seq, one.code) in doubts else one for one in findings
        )

    def _better_order(self, since: int, steps: int) -> tuple[Order | None, bool]:
        """The place from which on, and the order of this round's acts in which, least is found; and whether every
        order was tried.

        It must take something away and bring nothing that is not found in the order of now; else None.
        """
        start = next((n + 1 for n in range(len(self.acts) - 1, -1, -1) if _begins(self.acts[n])), len(self.acts))
        places = [n for n in range(max(start, since), len(self.acts)) if _counts(self.acts[n])]
        if not places:
            return None, True
        now = self._charges(since, closed=True)
        first = max(start, since)
        current = [self.acts[n].held for n in places]
        told = {id(item): n for n, item in enumerate(self.taken)}
        acts = sorted(current, key=lambda item: told[id(item)])
        before = self._from(first, since)
        begun = _Tried(before, self, since, first, now, _lifting(before.match.course, acts))
        order, proved = best_order(acts, len(self.start.header.players), begun, _weight(now), steps)
        if order is not None:
            alike = next((n for n, (a, b) in enumerate(zip(order.acts, current, strict=False)) if a is not b), None)
            alike = min(len(order.acts), len(current)) if alike is None else alike
            # The passes between are worked out anew, also those right before.
            place = places[alike - 1] + 1 if alike else first
            order = order._replace(first=place, acts=order.acts[alike:])
        return order, proved

    def _from(self, first: int, since: int) -> Timeline:
        """The acts up to place `first`, of which those from place `first` on come in another order. What was found of
        acts before `since` is left out."""
        other = Timeline.__new__(Timeline)
        since = min(since, first)
        other.start, other.acts, other.found = self.start, self.acts[:since], {}
        other.taken, other.doubts, other.unsure, other.looks = self.taken, self.doubts, self.unsure, self.looks
        other.doubted, other.steps = self.doubted, self.steps
        other.moved = [*self.moved, Reordered(len(self.taken), first)]
        for act in self.acts[since:first]:
            other._keep(act)
        return other

    def _go_on(self, item: EffectiveEvent, taps: Timeline, first: int) -> None:
        """Take this act next, and before it the passes that it implies, whose lines are among the acts of `taps` from
        place `first` on."""
        for passed in self.implied(item.event):
            used = {id(act.held) for act in self.acts[first:]}
            lines = (act.held for act in taps.acts[first:] if _is_implied(act.held.event) and id(act.held) not in used)
            line = next((one for one in lines if one.event.who == passed.by), None)
            if line is not None:
                self._take(line)
        self._take(item)

    def _in_order(self, order: Order) -> Timeline:
        """The acts in this order; what is not among them counts for nothing."""
        other = self._from(order.first, 0)
        for item in order.acts:
            other._go_on(item, self, order.first)
        there = {id(act.held) for act in other.acts}
        for act in self.acts[order.first :]:
            if id(act.held) not in there:
                other._keep(AppliedEvent(act.held, None, other.match))
        return other

    def rename(self, index: int, held: EffectiveEvent) -> None:
        """Put the recorded event, with its seq and time, in the place of the one that was tried."""
        act = self.acts[index]
        self.taken[next(n for n in range(len(self.taken) - 1, -1, -1) if self.taken[n] is act.held)] = held
        self.acts[index] = _as_held(act, held)

    def _keep(self, act: AppliedEvent) -> None:
        self.acts.append(act)
        if act.findings:
            self.found[len(self.acts) - 1] = act.findings
        for earlier, findings in act.late.items():
            event = self.acts[earlier].event if earlier >= 0 else None
            if event is None or not unsettled(event):
                self.found[earlier] = findings

    def _as_it_counts(self, event: Event) -> Event | None:
        """The event without rulings, which are made anew; what follows from the rules is worked out again.

        Where nothing was ever corrected, an end or a score that cannot be worked out stands as it was written.
        """
        match = self.match
        if event.source == "rule" and isinstance(event, (RoundEnded, RoundScored, MatchEnded)):
            due = self.consequence()
            other_end = isinstance(due, RoundEnded) and isinstance(event, RoundEnded) and due.how != event.how
            if due is None or type(due) is not type(event) or other_end:
                told_in_order = event.seq == len(self.acts) + 1 and not self.moved
                return event if told_in_order and not any(act.held.by_people for act in self.acts) else None
            return replace(due, seq=event.seq, at=event.at)
        if isinstance(event, MatchEnded):
            # People say that it is over; who has won follows from the points.
            now = match.ended_now()
            return replace(event, winners=now.winners, totals=now.totals)
        if _is_implied(event) and match.course is not None and not _is_due(match.course, event):
            return None
        if isinstance(event, (Unclear, Corrected)) or (match.course is None and not isinstance(event, RoundStarted)):
            return event
        if unsettled(event) or isinstance(event, TileTakenBack):
            return event
        if getattr(event, "violations", ()):
            kept = tuple(finding for finding in event.violations if finding.code in REPORTED_CODES)  # type: ignore[attr-defined]
            changed: dict[str, Any] = {"violations": kept}
            return replace(event, **changed)
        return event


@dataclass(frozen=True, slots=True)
class _Tried:
    """A timeline in which the acts of `taps` from place `first` on are tried in another order; `most`: what is found
    there of those from place `since` on; `lifting`: the `id` of each act that took off a marker that lay there, which
    it cannot have done before the marker came."""

    timeline: Timeline
    taps: Timeline
    since: int
    first: int
    most: Charges
    lifting: frozenset[int] = frozenset()
    charges: Charges = field(default_factory=Charges)

    def then(self, act: EffectiveEvent) -> _Tried | None:
        course = self.timeline.match.course
        lying = course.table.markers if course is not None and isinstance(course.table, Position) else ()
        if id(act) in self.lifting and isinstance(act.event, MarkerRemoved) and act.event.train not in lying:
            return None
        other = self.timeline.copy()
        other._go_on(act, self.taps, self.first)
        charges = other._charges(self.since)
        return replace(self, timeline=other, charges=charges) if _within(charges, self.most) else None

    @property
    def found(self) -> int:
        return self.charges.total()

    def awaits(self, player: str | None) -> bool:
        course = self.timeline.match.course
        if course is None or course.ended is not None or player is None:
            return False
        return course.turn_open or course.laying_together or course.in_turn(player)

    @property
    def settled(self) -> Burden:
        course = self.timeline.match.course
        keys = () if course is None or course.turn is None else course.turn.keys
        if not keys or not self.charges:
            return _weight(self.charges)
        return _weight(self.timeline._charges(self.since, without=keys))

    @property
    def state(self) -> Hashable:
        course = self.timeline.match.course
        if course is None:
            return None
        turn = course.turn
        markers = getattr(course.table, "markers", None)
        made = None if turn is None else (turn.player, turn.actions, turn.passed is None)
        return made, markers, course.table.turn, course.moved, course.ended, frozenset(self.charges.items())

    @property
    def burden(self) -> Burden | None:
        then = self.timeline._charges(self.since, closed=True)
        return _weight(then) if _within(then, self.most) else None


def _lifting(course: Course | None, acts: Iterable[EffectiveEvent]) -> frozenset[int]:
    """The `id` of each of these acts, in the order of the taps, that takes off a marker that lies there."""
    if course is None or not isinstance(course.table, Position):
        return frozenset()
    lying, found = set(course.table.markers), set[int]()
    for act in acts:
        if isinstance(act.event, MarkerPlaced):
            lying.add(act.event.train)
        elif isinstance(act.event, MarkerRemoved) and act.event.train in lying:
            lying.remove(act.event.train)
            found.add(id(act))
    return frozenset(found)


def _weighty(charges: Charges, opening: Collection[str]) -> Charges:
    """What accuses somebody, or leaves it open whose turn it is: the codes `opening`."""
    return Charges({key: n for key, n in charges.items() if key[2] or key[0] in opening})


def _weight(charges: Charges) -> Burden:
    return sum(n for key, n in charges.items() if key[2]), charges.total()


def _within(charges: Charges, most: Charges) -> bool:
    """Whether no fault is among these that is not among the most, and none is certain that is only possible there."""
    return all(
        n <= most[code, player, True] + (0 if certain else most[code, player, False])
        for (code, player, certain), n in charges.items()
    )


def _is_out_of_turn(course: Course | None, event: Event) -> bool:
    """Whether this act does not go on with a turn, nor begins the next one. A marker begins none by itself."""
    player = whose(event)
    if course is None or player not in course.players:
        return False
    if course.turn is not None and course.turn.player == player and course.turn.actions:
        return course.turn.finished(course.rules) and not course.in_turn(player)
    return isinstance(event, (MarkerPlaced, MarkerRemoved)) or not course.in_turn(player)


def _counts(act: AppliedEvent) -> bool:
    """Whether it was somebody's act, and no pass that the rules implied."""
    return act.event is not None and not _is_implied(act.held.event)


def _begins(act: AppliedEvent) -> bool:
    return isinstance(act.held.event, RoundStarted)


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


def _as_held(act: AppliedEvent, held: EffectiveEvent) -> AppliedEvent:
    """The same act by a line that differs in nothing that it comes to."""
    if act.held is held:
        return act
    event = None if act.event is None else replace(act.event, seq=held.event.seq, at=held.event.at)
    return replace(act, held=held, event=event)


def _alike(base: Timeline, held: Sequence[EffectiveEvent]) -> int:
    """How many of these events, from the first on, come to what they came to in `base`. In a round that people tap in
    every ruling is made anew, and what stands in a line of it says nothing."""
    tapped = False
    for n, (known, item) in enumerate(zip(base.taken, held, strict=False)):
        event = item.event
        if isinstance(event, RoundStarted):
            tapped = not base.doubted and event.seq not in base.looks
        tapped = tapped and event.source != "camera"
        if known is not item and known != item and not (tapped and _says_the_same(known, item)):
            return n
    return min(len(base.taken), len(held))


def _says_the_same(known: EffectiveEvent, item: EffectiveEvent) -> bool:
    """Whether two lines say that somebody did the same, whenever it was written and whatever was found."""
    a, b = known.event, item.event
    if type(a) is not type(b) or known.by_people != item.by_people or not is_act(a) or unsettled(a):
        return False
    said: dict[str, Any] = {"violations": b.violations, "at": b.at}  # type: ignore[attr-defined]
    return replace(a, **said) == b and _reported(a) == _reported(b)


def _reported(event: Event) -> list[Finding]:
    return [one for one in getattr(event, "violations", ()) if one.code in REPORTED_CODES]


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


def _weighed(event: Event, findings: tuple[Finding, ...], watched: bool, doubted: bool) -> tuple[Finding, ...]:
    """The findings, of which new ones are uncertain where they are doubted, and in a `watched` round where they are
    counted or about an act that somebody told."""
    if action_of(event) is None:
        return findings
    stored: tuple[Finding, ...] = getattr(event, "violations", ())
    known = {finding.code: finding.certain for finding in stored}

    def certain(code: str) -> bool:
        return known.get(code, not (doubted or (watched and (code in COUNTED or event.source == "person"))))

    return tuple(replace(one, certain=one.certain and certain(one.code)) for one in findings)
