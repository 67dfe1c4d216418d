"""Rounds of journals that do not say what the camera saw: its events stand for that, those of one picture together.

The game on its journal: events go in, are judged, and reach the disk together with what follows from them.

Of a round that the camera watches the events in force are what the belief comes to (`watched_round`); its lines are
written as pieces appear and never corrected by the program. Every other round is what its lines say, corrections
applied. Not safe for threads; `companion.game.session` holds the lock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from companion.game.timeline import Timeline, answers_of, asking, first_looks
from companion.game.watched_round import WatchedRound, differences
from companion.log.corrections import EffectiveEvent, effective_events
from companion.log.event_fields import Finding, Header
from companion.log.events import (
    OWN_FIELDS,
    Corrected,
    Discarded,
    DoubleFlipped,
    Event,
    MatchEnded,
    Passed,
    RoundEnded,
    RoundScored,
    RoundStarted,
    SeenLine,
    TableChange,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.log.journal import Journal
from companion.play.course import Course
from companion.play.event_actions import action_of, is_act
from companion.play.match import Match
from companion.rules.notation import Change, Drawing, Laying, Vanishing
from companion.rules.position import SOMEBODY, Draw, Mark, Unmark
from companion.rules.ruleset import RuleSet


def pictured(lines: Sequence[Event], until: int | None = None, *, clouded: bool = True) -> Iterator[SeenLine]:
    """What the camera must have seen for its events among `lines`, up to the line `until` (None: all), each before its
    events. `clouded`: nothing tells whether the table was understood."""
    there = {one.event.seq for one in effective_events(lines) if not one.undone}
    acts = [
        line
        for line in lines
        if line.source == "camera"
        and line.piece is None
        and (until is None or line.seq <= until)
        and (isinstance(line, TileTakenBack) or (line.seq in there and action_of(line) is not None))
    ]
    for _, group in groupby(acts, key=_picture):
        row = list(group)
        changes: list[Change] = []
        discards: dict[str, int] = {}
        for line in row:
            act = action_of(line)
            if isinstance(line, TilePlayed):
                changes.append(Laying(line.tile, line.train))
            elif isinstance(line, TileTakenBack):
                changes.append(Vanishing(line.tile, line.train))
            elif isinstance(line, Discarded):
                discards[line.by or SOMEBODY] = discards.get(line.by or SOMEBODY, 0) + 1
            elif isinstance(act, Draw):
                changes.append(Drawing(1))
            elif isinstance(act, (Mark, Unmark)):
                changes.append(act)
        tiles = [line for line in row if isinstance(line, TilePlayed)]
        change = TableChange(
            tuple(changes),
            flips=tuple(line.train for line in row if isinstance(line, DoubleFlipped)),
            discards=discards,
            frame=row[0].frame,
            readings={Laying(line.tile, line.train): line.reading for line in tiles if line.reading is not None},
            clouded=clouded,
        )
        yield SeenLine(0, row[0].seq - 1, row[0].at, change)


def _picture(line: Event) -> tuple[object, ...]:
    return line.frame, None if line.frame else line.at, isinstance(line, TileTakenBack)


MOST_TRIED = 8
"""Games as they would stand with a change that are kept: two of each hand, say, of a round that is counted again."""

MOST_LOOKED_AT = 4
"""Games as they stood at some time that are kept, for whoever steps through the game."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Lines that would be written together, and what the game comes to with them."""

    held: Sequence[EffectiveEvent]
    timeline: Timeline
    lines: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a journal by the lines that began them: `looks` says of each that a camera watched which was the
    last line before it first saw something."""

    begun: Sequence[int]
    looks: Mapping[int, int]

    @classmethod
    def of(cls, lines: Sequence[Event], looks: Iterable[int]) -> Rounds:
        return cls([line.seq for line in lines if isinstance(line, RoundStarted)], first_looks(lines, looks))

    def of_line(self, seq: int) -> int:
        """The line that began the round of this line; 0 before the first."""
        place = bisect_right(self.begun, seq)
        return self.begun[place - 1] if place else 0

    def is_believed(self, event: Event) -> bool:
        """Whether this is an act in a round that a camera watches, from its first look on."""
        return is_act(event) and event.seq > self.looks.get(self.of_line(event.seq), event.seq)

    def concludes(self, correction: Corrected, event: Event) -> bool:
        """Whether a correction only says what the program made of such an act by then."""
        return correction.source != "person" and "retracts" not in correction.what and self.is_believed(event)


def lines_of(begun: int, lines: Sequence[Event]) -> list[Event]:
    """The lines of a round from the one that began it on, and all that correct them, whenever that was said."""
    following = next((line.seq for line in lines[begun:] if isinstance(line, RoundStarted)), len(lines) + 1)
    mine, found = set[int](), list[Event]()
    for line in lines[begun - 1 :]:
        if line.corrects in mine if isinstance(line, Corrected) else line.seq < following:
            mine.add(line.seq)
            found.append(line)
    return found


class History:
    """What has happened, from the lines of a journal: the events in force, and the game with its past.

    `told`: rounds that have been told to a belief already, by the line that began them. `worked_out`: games that share
    some of it with this one and are known, as are the beliefs in `retold`.
    """

    def __init__(
        self,
        header: Header,
        rules: RuleSet,
        lines: Sequence[Event],
        seen: Sequence[SeenLine],
        *,
        looks: Iterable[int] | None = None,
        told: Mapping[int, Sequence[EffectiveEvent]] | None = None,
        base: Timeline | None = None,
        worked_out: Sequence[Timeline] = (),
        retold: deque[tuple[Any, WatchedRound]] | None = None,
    ) -> None:
        self.rounds = Rounds.of(lines, (one.after for one in seen) if looks is None else looks)
        self.belief: WatchedRound | None = None
        self.told = dict(told or {})
        self.held: list[EffectiveEvent] = []
        answers = answers_of(lines)
        in_force = effective_events(lines, self.rounds.concludes)
        worked_out = list(worked_out)
        for part in _by_round(in_force):
            begun, self.belief = part[0].event, None
            if isinstance(begun, RoundStarted) and begun.seq in self.rounds.looks:
                known = self.told.get(begun.seq)
                if known is None:
                    opened = Timeline.of(
                        header,
                        rules,
                        [*self.held, part[0]],
                        base=base,
                        looks=self.rounds.looks,
                        answers=answers,
                        known=worked_out,
                    )
                    worked_out.append(opened)
                    base, course = base or opened, opened.match.course
                    assert course is not None
                    told_of = lines_of(begun.seq, lines), _within(seen, begun.seq, self.rounds)
                    self.belief = _told(begun, course, *told_of, deque(maxlen=0) if retold is None else retold)
                    known = self.told[begun.seq] = self.belief.held()
                self.held += known
            else:
                self.held += part
        if self.belief is not None:
            # This round goes on.
            del self.told[self.belief.begun.seq]
        self.timeline = Timeline.of(
            header, rules, self.held, base=base, looks=self.rounds.looks, answers=answers, known=worked_out
        )


def _told(
    begun: RoundStarted, start: Course, lines: list[Event], seen: list[SeenLine], known: deque[tuple[Any, WatchedRound]]
) -> WatchedRound:
    """The round told to a belief, or the one among `known` that was told the same."""
    mark = begun, start.table, start.starter, start.starter_known, [replace(line, at="") for line in lines], seen
    for other, told in list(known):
        if other == mark:
            again = told.fork()
            again.stamp(lines)
            return again
    told = WatchedRound.told(begun, start, lines, seen)
    known.append((mark, told.fork()))
    return told


def _within(seen: Iterable[SeenLine], begun: int, rounds: Rounds) -> list[SeenLine]:
    return [one for one in seen if rounds.of_line(one.after) == begun]


def _by_round(held: Sequence[EffectiveEvent]) -> Iterator[list[EffectiveEvent]]:
    part: list[EffectiveEvent] = []
    for one in held:
        if isinstance(one.event, RoundStarted) and part:
            yield part
            part = []
        part.append(one)
    if part:
        yield part


class Ledger:
    """Journal, events in force and history, always in step.

    `confirms`: whether an end of the round that follows from the counts is to be written now; the camera's belief may
    know better.
    """

    confirms: Callable[[RoundEnded], bool]

    def __init__(self, journal: Journal, rules: RuleSet) -> None:
        self.journal = journal
        self.rules = rules
        self.header = journal.header
        self.confirms = lambda due: True
        self._looked_on: int | None = None
        self._belief: WatchedRound | None = None
        self._told: dict[int, Sequence[EffectiveEvent]] = {}
        self._tried: deque[Timeline] = deque(maxlen=MOST_TRIED)
        self._retold: deque[tuple[Any, WatchedRound]] = deque(maxlen=MOST_TRIED)
        self._looked_at: deque[tuple[int, History]] = deque(maxlen=MOST_LOOKED_AT)
        self._take(History(self.header, rules, journal.events, journal.seen, looks=journal.looks))

    def _take(self, history: History) -> None:
        self.held, self.timeline, self.rounds = list(history.held), history.timeline, history.rounds
        self._told = history.told
        if history.belief is not None:
            self._belief = history.belief
        elif self._belief is not None:
            # It goes on, and nothing in it was changed.
            self._told.pop(self._belief.begun.seq, None)

    @property
    def lines(self) -> Sequence[Event]:
        """The journal's events, in order."""
        return self.journal.events

    @property
    def seen(self) -> Sequence[SeenLine]:
        """What the camera saw, in order."""
        return self.journal.seen

    @property
    def last_seq(self) -> int:
        return self.journal.last_seq

    def at(self, seq: int) -> Callable[[], History]:
        """What works out the events in force and the game as they stood after that line. It may take seconds and needs
        no lock, but one at a time is worked out."""
        written, base, told = self.lines, self.timeline.copy(), dict(self._told)
        lines, seen = written[:seq], [one for one in self.seen if one.after < seq]
        kept = self._looked_at

        def work_out() -> History:
            then = next((one for at, one in kept if at == seq), None)
            if then is None:
                before = {begun: held for begun, held in told.items() if lines_of(begun, written)[-1].seq < seq}
                known = [one.timeline for _, one in kept]
                then = History(self.header, self.rules, lines, seen, told=before, base=base, worked_out=known)
                kept.append((seq, then))
            return then

        return work_out

    def rehearsal(self) -> Ledger:
        """The game as it stands now, to be tried on: nothing reaches the disk. What the same change comes to is known
        afterwards."""
        other = copy(self)
        other.journal, other.held, other.timeline = self.journal.rehearsal(), list(self.held), self.timeline.copy()
        other._belief = None if self._belief is None else self._belief.fork()
        other._told = dict(self._told)
        return other

    @property
    def match(self) -> Match:
        return self.timeline.match

    @property
    def watched(self) -> bool:
        """Whether the camera has looked at this round, though it saw no tile yet, what it saw was withdrawn, or the
        round was dealt again."""
        if self._looked_on is not None and self._looked_on == self._round:
            return True
        seen, number = False, None
        for line in reversed(self.journal.events):
            seen = seen or line.source == "camera"
            if isinstance(line, RoundStarted):
                if number not in (None, line.round):
                    return False
                if seen:
                    return True
                number = line.round
        return False

    def ruled(self) -> list[EffectiveEvent]:
        """The events in force, each with what stands against it by now."""
        found = {id(act.held): self.timeline.findings(n) for n, act in enumerate(self.timeline.acts)}
        return [
            replace(one, event=_with_findings(one.event, found[id(one)])) if id(one) in found else one
            for one in self.held
        ]

    def ruled_line(self, seq: int) -> EffectiveEvent | None:
        """The event in force that this line brought, with what stands against it by now; None: there is none."""
        held = next((one for one in self.held if one.event.seq == seq), None)
        place = next((n for n, act in enumerate(self.timeline.acts) if act.held is held), None)
        if held is None or place is None:
            return held
        return replace(held, event=_with_findings(held.event, self.timeline.findings(place)))

    @property
    def looks(self) -> Mapping[int, int]:
        """The line that began a round -> the last one before the camera first saw something in it."""
        return first_looks(self.journal.events, self.journal.looks)

    # ---- a round that the camera watches -------------------------------------------------------------------------

    @property
    def begun(self) -> RoundStarted | None:
        """The beginning of this round, as it is held to have been."""
        events = (item.event for item in reversed(self.held))
        return next((event for event in events if isinstance(event, RoundStarted)), None)

    def round_now(self) -> dict[int, Event]:
        """The events in force of this round by their lines."""
        begun = 0 if self.begun is None else self.begun.seq
        return {one.event.seq: one.event for one in self.held[len(self._before(begun)) :]}

    @property
    def is_believed(self) -> bool:
        """Whether the camera has seen something in this round: then it is what the belief comes to."""
        return self.begun is not None and self.begun.seq in self.looks

    def belief(self) -> WatchedRound:
        """The belief about this round, with everything that was seen and said in it."""
        begun = self.begun
        assert begun is not None
        if self._belief is None or self._belief.begun.seq != begun.seq or self._belief.stale:
            self._belief = self._told_again(self.lines)
        return self._belief

    def _told_again(self, lines: Sequence[Event]) -> WatchedRound:
        begun = self.begun
        assert begun is not None
        mine = lines_of(begun.seq, lines)
        now = effective_events(mine, self.rounds.concludes)[0]
        opened = self._timeline([*self._before(begun.seq), now], self.rounds.looks)
        assert opened.match.course is not None
        seen = [*pictured(mine, self.looks.get(begun.seq)), *_within(self.seen, begun.seq, self.rounds)]
        return WatchedRound.told(now.event, opened.match.course, mine, seen)

    def _before(self, begun: int) -> list[EffectiveEvent]:
        """The events in force of the rounds before."""
        return self.held[: _place(begun, self.held)]

    def commit(self, *events: Event) -> tuple[Event, ...]:
        """Append events of a round that the camera watches, pieces that have no line yet, and what follows from them.

        What the belief was shown before goes to the disk with them. Raises EventError, JournalError; then nothing has
        changed.
        """
        first = self.last_seq
        lines = [replace(event, seq=seq) for seq, event in enumerate(events, first + 1)]
        looks = self.looks
        before = self._before(self.begun.seq if self.begun is not None else 0)
        try:
            belief = self.belief()
            belief.add(lines)
            if belief.stale:
                belief = self._belief = self._told_again([*self.lines, *lines])
            new = [replace(event, seq=seq) for seq, event in enumerate(belief.unwritten(), first + len(lines) + 1)]
            belief.add(new)
            held = [*before, *belief.held()]
            timeline = self._timeline(held, looks)
            rounds = Rounds(self.rounds.begun, looks)
            since = 0 if self.begun is None else self.begun.seq
            ruled = _rulings_that_changed(held, timeline, first + 1, rounds, since)
            after = first + len(lines) + len(new) + 1
            ruled = [replace(event, seq=seq) for seq, event in enumerate(ruled, after)]
            following = self._following(timeline, after + len(ruled))
            belief.add((*ruled, *following))
            found = _found_since(first, timeline)
            lines = [_with_findings(line, found.get(line.seq, ())) for line in (*lines, *new)]
            stamped = self.journal.append_all(self._settled(belief, [*lines, *ruled, *following]))
        except BaseException:
            # The belief may be ahead of a disk that took nothing: it is told again from what is on record.
            self._belief = None
            raise
        belief.stamp(stamped)
        self.rounds = rounds
        self.held = [*before, *belief.held()]
        self.timeline = self._stamped(timeline, first)
        return stamped

    def _timeline(
        self, held: Sequence[EffectiveEvent], looks: Mapping[int, int], base: Timeline | None = None
    ) -> Timeline:
        """The game with its past by these events, where nobody has answered anything new."""
        base = self.timeline if base is None else base
        return Timeline.of(self.header, self.rules, held, base=base, looks=looks, answers=base.answers)

    def _settled(self, belief: WatchedRound, lines: list[Event]) -> list[Event]:
        """The lines; with the end or the score of the round goes how its lines read by now, for whoever reads the
        journal alone."""
        if not any(isinstance(line, (RoundEnded, RoundScored)) for line in lines):
            return lines
        written = {line.seq: line for line in (*self.lines[belief.begun.seq :], *lines) if is_act(line)}
        now = {one.event.seq: one.event for one in belief.held()}
        found = differences(written, {seq: event for seq, event in now.items() if seq in written})
        settled = {str(seq): dict(what) for seq, what in found}
        over = (RoundEnded, RoundScored)
        return [replace(line, settled=settled or None) if isinstance(line, over) else line for line in lines]

    def _stamped(self, timeline: Timeline, first: int) -> Timeline:
        """The game with its past once the lines after `first` have their times."""
        new = [one for one in self.held if one.event.seq > first]
        by_seq = {one.event.seq: one for one in new}
        known = {id(act.held) for act in timeline.acts if act.held.event.seq <= first}
        standing = (one for one in _in_this_round(self.held) if one.event.seq <= first and not one.undone)
        same = all(id(one) in known for one in standing)
        if not same or len(by_seq) < len(new):
            # A ruling that was corrected, or what is certain of the last picture of a round that has ended.
            return self._timeline(self.held, self.looks, timeline)
        for n, act in enumerate(timeline.acts):
            if act.held.event.seq in by_seq:
                timeline.rename(n, by_seq[act.held.event.seq])
        return timeline

    def _following(self, timeline: Timeline, seq: int) -> list[Event]:
        """What follows from the rules now, from line `seq` on; `timeline` goes on with it."""
        lines: list[Event] = []
        while (due := timeline.consequence()) is not None:
            if isinstance(due, RoundEnded) and not self.confirms(due):
                break
            timeline.take(EffectiveEvent(replace(due, seq=seq + len(lines))))
            act = timeline.acts[-1]
            lines.append(_with_findings(act.held.event, timeline.findings(len(timeline.acts) - 1)))
        return lines

    def look_on(self) -> None:
        """The camera looks at the table of this round."""
        self._looked_on = self._round

    @property
    def _round(self) -> int | None:
        course = self.timeline.match.course
        return None if course is None else course.number

    def record(self, *events: Event) -> tuple[Event, ...]:
        """Append events, each with its ruling, the passes it implies before it and what follows from it behind it.

        Of what people tap nothing is certain before somebody says that it was so.
        """
        if self.is_believed and not any(isinstance(event, RoundStarted) for event in events):
            return self.commit(*(self._ruled_after_the_end(event) for event in events))
        trial = self.timeline.copy()
        told: list[Event] = []
        for event in events:
            told += (*trial.implied(event), event)
            if len(events) > 1:
                trial.take(EffectiveEvent(event))
        draft = self.draft((), told)
        still = {act.held.event.seq for act in draft.timeline.acts if act.event is not None}
        # Of the passes that they implied those that they still imply in the order that was found.
        kept = [
            line for seq, line in enumerate(told, self.journal.last_seq + 1) if not _is_implied(line) or seq in still
        ]
        stamped = self.write(draft if len(kept) == len(told) else self.draft((), kept))
        if any(isinstance(event, RoundStarted) for event in stamped):
            self._close_round()
        return stamped

    def _close_round(self) -> None:
        """Another round has begun: of the last one only what it came to is kept."""
        if self._belief is not None and self._belief.first is not None:
            self._told[self._belief.begun.seq] = self._belief.held()
        self._belief = None
        self.rounds = Rounds.of(self.lines, self.journal.looks)

    def _ruled_after_the_end(self, event: Event) -> Event:
        """A tile that the camera sees laid when the round is over is nothing that the belief explains."""
        if event.source != "camera" or action_of(event) is None or self.match.phase == "playing":
            return event
        trial = self.timeline.copy()
        trial.take(EffectiveEvent(replace(event, seq=self.last_seq + 1)))
        return _with_findings(event, trial.findings(len(trial.acts) - 1))

    def settle(self) -> tuple[Event, ...]:
        """Record what follows from the rules by now, if anything does, and the pieces that have no line yet (after a
        crash between two lines, say)."""
        if self.is_believed:
            if self.belief().unwritten():
                return self.commit()
            due, found = self.timeline.consequence(), self.belief().tracker.end()
            # Of an end that follows from the counts alone the belief may know better.
            return () if isinstance(due, RoundEnded) and found != (due.how, due.out) else self.commit()
        due = self.timeline.consequence()
        if asking(self.timeline, self.lines):
            return self.write(self.draft((), ()))
        return () if due is None or (isinstance(due, RoundEnded) and not self.confirms(due)) else self.record(due)

    def amend(self, event: Corrected | TileTakenBack) -> tuple[Event, ...]:
        """Append a change of the past, and the rulings that change with it. Raises EventError where it cannot be
        applied."""
        about = event.corrects if isinstance(event, Corrected) else event.undoes
        begun = self.begun
        mine = begun is not None and self._root(about or 0) >= begun.seq
        undoes = begun is not None and about == begun.seq and isinstance(event, Corrected) and "withdrawn" in event.what
        if mine and self.is_believed and not undoes:
            return self.commit(event)
        return self.write(self.draft([event], ()))

    def is_past(self, seq: int) -> bool:
        """Whether the line is of an earlier round, or corrects one that is."""
        return self.begun is not None and self._root(seq) < self.begun.seq

    def _root(self, seq: int) -> int:
        """The line that a correction of this line is about in the end."""
        while 0 < seq <= self.last_seq and isinstance(line := self.lines[seq - 1], Corrected):
            seq = line.corrects
        return seq

    def draft(self, changes: Sequence[Corrected | TileTakenBack], new: Sequence[Event]) -> Draft:
        """Changes of the past and new events, all at once, each line with the ruling that it has in the end, and what
        they give to ask."""
        first = self.journal.last_seq
        lines = [replace(event, seq=seq) for seq, event in enumerate((*changes, *new), first + 1)]
        if changes:
            history = self._history([*self.journal.events, *lines], changes, self.timeline)
            held, timeline, rounds = history.held, history.timeline, history.rounds
        else:
            held, rounds = [*self.held, *map(EffectiveEvent, lines)], self.rounds
            timeline = self._timeline(held, self.looks)
        found = _found_since(first, timeline)
        ruled = [
            _with_rulings(line, timeline) if isinstance(line, Corrected) else _with_findings(line, found[line.seq])
            for line in lines
            if isinstance(line, Corrected) or line.seq in found
        ]
        ruled += [line for line in lines if not isinstance(line, Corrected) and line.seq not in found]
        ruled.sort(key=lambda line: line.seq)
        since = 0 if changes or self.begun is None else self.begun.seq
        changed = _rulings_that_changed(held, timeline, first + 1, rounds, since)
        following = self._following(timeline, first + len(ruled) + len(changed) + 1)
        known = {line.corrects for line in changed}
        late = _rulings_that_changed(held, timeline, first + 1, rounds, since) if following else []
        late = [line for line in late if line.corrects not in known]
        written = [*ruled, *changed, *following, *late]
        for line in asking(timeline, [*self.journal.events, *lines]):
            written.append(replace(line, seq=first + len(written) + 1))
            if isinstance(line, Unclear):
                timeline.take(EffectiveEvent(written[-1]))
        return Draft(held, timeline, tuple(written))

    def _history(self, lines: Sequence[Event], changes: Iterable[Event], base: Timeline) -> History:
        """What has happened by these lines; rounds that `changes` are about are told again."""
        about = {self.rounds.of_line(self._root(one.corrects)) for one in changes if isinstance(one, Corrected)}
        told = {begun: held for begun, held in self._told.items() if begun not in about}
        now = self._belief
        if now is not None and now.begun.seq in about:
            self._belief = None
        elif now is not None and now.first is not None and not now.stale:
            told[now.begun.seq] = now.held()
        looks = self.journal.looks
        history = History(
            self.header, self.rules, lines, self.seen, looks=looks, told=told, base=base,
            worked_out=list(self._tried), retold=self._retold,
        )  # fmt: skip
        self._tried.append(history.timeline)
        return history

    def write(self, draft: Draft) -> tuple[Event, ...]:
        """Append the lines of a draft of this moment, and what follows from them."""
        first = self.last_seq
        stamped = self.journal.append_all(draft.lines)
        if any(isinstance(event, (Corrected, TileTakenBack)) for event in stamped):
            self._take(self._history(self.journal.events, stamped, draft.timeline))
        else:
            self.held = [*self.held, *map(EffectiveEvent, stamped)]
            self.timeline = self._stamped(draft.timeline, first)
            if self._belief is not None and not any(isinstance(event, RoundStarted) for event in stamped):
                self._belief.add(stamped)
        return (*stamped, *self.settle())


def _found_since(first: int, timeline: Timeline) -> dict[int, tuple[Finding, ...]]:
    """Line after `first` -> what stands against its act."""
    acts = enumerate(timeline.acts)
    return {act.held.event.seq: timeline.findings(n) for n, act in acts if act.held.event.seq > first}


def _is_implied(event: Event) -> bool:
    return isinstance(event, Passed) and event.source == "rule"


def _with_findings(event: Event, findings: tuple[Finding, ...]) -> Event:
    if "violations" not in OWN_FIELDS[event.KIND]:
        return event
    changed: dict[str, Any] = {"violations": findings}
    return replace(event, **changed)


def _ruling(seq: int, findings: Sequence[Finding]) -> Corrected:
    return Corrected(source="rule", corrects=seq, what={"violations": [finding.to_json() for finding in findings]})


def _with_rulings(correction: Corrected, timeline: Timeline) -> Corrected:
    """What a correction puts in carries its rulings from the start."""
    if "insert" not in correction.what:
        return correction
    lines = []
    for index, act in enumerate(timeline.acts):
        if act.held.event.seq == correction.seq:
            lines.append(_with_findings(act.held.event, timeline.findings(index)).to_insert())
    return replace(correction, what={**correction.what, "insert": lines}) if lines else correction


def _rulings_that_changed(
    held: Sequence[EffectiveEvent], timeline: Timeline, new_seq: int, rounds: Rounds, since: int = 0
) -> list[Corrected]:
    """Corrections by the rules: rulings, scores and ends of rounds that read otherwise after a change of the past.

    Lines from `new_seq` on are about to be written and need none, nor do acts that the belief has. `since`: the line
    that began the first round in which anything may have changed.
    """
    lines: list[Corrected] = []
    first = _place(since, held)
    acts = list(enumerate(timeline.acts))[_place(since, [act.held for act in timeline.acts]) :]
    in_force = {id(act.held) for _, act in acts}
    counted = Counter(act.held.event.seq for _, act in acts)
    for item in held[first:]:
        dropped = id(item) not in in_force and not item.undone and not isinstance(item.event, TileTakenBack)
        if dropped and item.event.source == "rule" and item.event.seq < new_seq and not rounds.is_believed(item.event):
            lines.append(_withdrawn(item.event.seq))
    for index, act in acts:
        event = act.held.event
        if event.seq >= new_seq or counted[event.seq] > 1 or rounds.is_believed(event):
            # Of several events that one line put in (journals of earlier releases) none can be meant by itself.
            continue
        if act.event is None and event.source == "rule" and not isinstance(event, Passed):
            lines.append(_withdrawn(event.seq))
            continue
        stored = getattr(event, "violations", None)
        if stored is not None and set(stored) != set(timeline.findings(index)):
            lines.append(_ruling(event.seq, timeline.findings(index)))
        follows = event.source == "rule" and isinstance(event, (RoundScored, RoundEnded))
        if (follows or isinstance(event, MatchEnded)) and act.event:
            new = _new_values(event, act.event)
            if new:
                lines.append(Corrected(source="rule", corrects=event.seq, what=new))
    return lines


def _in_this_round(held: Sequence[EffectiveEvent]) -> Iterator[EffectiveEvent]:
    for one in reversed(held):
        yield one
        if isinstance(one.event, RoundStarted):
            return


def _place(begun: int, held: Sequence[EffectiveEvent]) -> int:
    """Where the round begins that line `begun` began; 0 where it is none of these."""
    return next((n for n in range(len(held) - 1, -1, -1) if held[n].event.seq == begun), 0)


def _withdrawn(seq: int) -> Corrected:
    return Corrected(source="rule", corrects=seq, what={"withdrawn": True})


def _new_values(old: Event, new: Event) -> dict[str, Any]:
    before, after = old.to_json(), new.to_json()
    names = [name for name in OWN_FIELDS[old.KIND] if name not in ("violations", "settled")]
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}
