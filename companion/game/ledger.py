"""The game on its journal: facts go in and reach the disk; what they come to is worked out.

Of a round that the camera watches the events in force are what the belief comes to (`watched_round`); its lines are
written as pieces appear and never corrected by the program. Every other round is what its lines say, corrections
applied. Not safe for threads; `companion.game.session` holds the lock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from companion.game.timeline import (
    Answers,
    Timeline,
    answers_of,
    asking,
    by_round,
    first_looks,
    standing_questions,
)
from companion.game.watched_round import WatchedRound
from companion.log.corrections import EffectiveEvent, effective_events
from companion.log.event_fields import Header
from companion.log.events import Corrected, Event, Passed, RoundEnded, RoundStarted, SeenLine, TileTakenBack, Unclear
from companion.log.journal import Journal
from companion.play.match import Match
from companion.rules.ruleset import RuleSet

MOST_TRIED = 8
"""Games as they would stand with a change that are kept: two of each hand, say, of a round that is counted again."""

MOST_LOOKED_AT = 4
"""Games as they stood at some time that are kept, for whoever steps through the game."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a journal.

    >>> from companion.rules import Laid
    >>> lines = [RoundStarted(seq=seq, round=n, engine=Laid(12, 12), starter="Ann") for n, seq in ((1, 1), (2, 40))]
    >>> rounds = Rounds.of(lines, looks=[43, 45])
    >>> rounds.of_line(39), rounds.of_line(45), rounds.looks
    (1, 40, {40: 43})
    """

    begun: Sequence[int]
    """The lines that began them."""
    looks: Mapping[int, int]
    """Of each round that a camera watched: the last line before it first saw something."""

    @classmethod
    def of(cls, lines: Sequence[Event], looks: Iterable[int]) -> Rounds:
        return cls([line.seq for line in lines if isinstance(line, RoundStarted)], first_looks(lines, looks))

    def of_line(self, seq: int) -> int:
        """The line that began the round of this line; 0 before the first."""
        place = bisect_right(self.begun, seq)
        return self.begun[place - 1] if place else 0


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
    """A journal's lines worked out: the events in force, the game with its past, and the belief about each round that a
    camera watched, by the line that began it.

    `beliefs` and `base` are those of lines that say in part the same.
    """

    def __init__(
        self,
        header: Header,
        rules: RuleSet,
        lines: Sequence[Event],
        seen: Sequence[SeenLine],
        *,
        looks: Iterable[int] | None = None,
        beliefs: Mapping[int, WatchedRound] | None = None,
        base: Timeline | None = None,
    ) -> None:
        self.rounds = Rounds.of(lines, (one.after for one in seen) if looks is None else looks)
        self.beliefs: dict[int, WatchedRound] = {}
        self.held: list[EffectiveEvent] = []
        self.timeline = Timeline(header, rules, self.rounds.looks, answers_of(lines))
        for part in by_round(effective_events(lines)):
            begun = part[0].event
            if isinstance(begun, RoundStarted) and begun.seq in self.rounds.looks:
                course = self.timeline.match.take(begun, 0).match.course
                assert course is not None
                told = WatchedRound.told_on(
                    (beliefs or {}).get(begun.seq),
                    begun,
                    course,
                    lines_of(begun.seq, lines),
                    self._seen_in(begun, seen),
                )
                self.beliefs[begun.seq] = told
                part = told.held()
            self.timeline.tell(part, base)
            self.held += part

    def _seen_in(self, begun: RoundStarted, seen: Iterable[SeenLine]) -> list[SeenLine]:
        return [one for one in seen if self.rounds.of_line(one.after) == begun.seq]


class Ledger:
    """Journal, events in force and history, always in step.

    >>> from tempfile import mkdtemp
    >>> from companion.log.events import TilePlayed
    >>> from companion.rules import Laid, load_ruleset
    >>> journal = Journal.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    >>> ledger = Ledger(journal, load_ruleset("tactic"))
    >>> _ = ledger.add(RoundStarted(round=1, engine=Laid(12, 12), starter="Ann"))
    >>> _ = ledger.add(TilePlayed(by="Ann", tile=Laid(12, 5), train="Ann"))
    >>> _ = ledger.add(Corrected(corrects=2, what={"tile": [12, 6]}))
    >>> [one.event.tile.outer for one in ledger.held[1:]], ledger.last_seq
    ([6], 3)
    >>> journal.close()
    """

    confirms: Callable[[RoundEnded], bool]
    """Whether to write an end of the round that follows from the counts now; the camera's belief may know better."""

    def __init__(self, journal: Journal, rules: RuleSet) -> None:
        self.journal = journal
        self.rules = rules
        self.header = journal.header
        self.confirms = lambda due: True
        self._looked_on: int | None = None
        self._tried: deque[tuple[Any, list[Event], History]] = deque(maxlen=MOST_TRIED)
        self._looked_at: deque[tuple[int, History]] = deque(maxlen=MOST_LOOKED_AT)
        self._take_over(History(self.header, rules, journal.events, journal.seen, looks=journal.looks))

    def _take_over(self, history: History) -> None:
        self.rounds, self.held, self.timeline = history.rounds, list(history.held), history.timeline.copy()
        self._beliefs = {begun: told.at_rest() for begun, told in history.beliefs.items() if begun != self._begun_at}
        if self._begun_at in history.beliefs:
            self._beliefs[self._begun_at] = history.beliefs[self._begun_at].fork()

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
        """A function that works out the events in force and the game after that line. It may take seconds and needs
        no lock, but one at a time is worked out."""
        written, base, told = self.lines, self.timeline.copy(), dict(self._beliefs)
        lines, seen = written[:seq], [one for one in self.seen if one.after < seq]
        kept = self._looked_at

        def work_out() -> History:
            then = next((one for at, one in kept if at == seq), None)
            if then is None:
                before = {begun: one for begun, one in told.items() if lines_of(begun, written)[-1].seq < seq}
                then = History(self.header, self.rules, lines, seen, beliefs=before, base=base)
                kept.append((seq, then))
            return then

        return work_out

    def rehearsal(self) -> Ledger:
        """The game as it stands now, to try changes on: nothing reaches the disk. The result of the same change is
        known afterwards."""
        other = copy(self)
        other.journal, other.held, other.timeline = self.journal.rehearsal(), list(self.held), self.timeline.copy()
        other._beliefs = dict(self._beliefs)
        if self.is_believed:
            other._beliefs[self._begun_at] = self.belief().fork()
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
        """The events in force as they count by now, each with what stands against it."""
        acts = self.timeline.acts
        place = {act.held.event.seq: n for n, act in enumerate(acts)}
        return [
            one if n is None else replace(one, event=self.timeline.reads(n))
            for one in self.held
            if (n := place.get(one.event.seq)) is None
            or acts[n].event
            or not (one.event.source == "rule" or one.put_in)
        ]

    def ruled_line(self, seq: int) -> EffectiveEvent | None:
        """The event in force that this line brought, with its findings by now; None: no event."""
        held = next((one for one in self.held if one.event.seq == seq), None)
        place = next((n for n, act in enumerate(self.timeline.acts) if act.held.event.seq == seq), None)
        return held if held is None or place is None else replace(held, event=self.timeline.reads(place))

    def questions(self) -> tuple[Unclear, ...]:
        """Questions neither answered nor settled yet."""
        return standing_questions(self.timeline, self.lines)

    @property
    def looks(self) -> Mapping[int, int]:
        """The line that began a round -> the last one before the camera first saw something in it."""
        return first_looks(self.journal.events, self.journal.looks)

    # ---- a round that the camera watches -------------------------------------------------------------------------

    @property
    def begun(self) -> RoundStarted | None:
        """The beginning of this round, as it counts now."""
        events = (item.event for item in reversed(self.held))
        return next((event for event in events if isinstance(event, RoundStarted)), None)

    def now(self, begun: int | None = None) -> dict[int, dict[int, Event]]:
        """By the line that began it (0: before the first), how the lines in force of each round read by now; `begun`:
        of that round alone. Questions count to the last one."""
        found: dict[int, dict[int, Event]] = {}
        first = 0 if begun is None else _place(begun, self.held)
        acts = self.timeline.acts
        start = 0 if begun is None else _place(begun, [act.held for act in acts])
        place = {acts[n].held.event.seq: n for n in range(start, len(acts))}
        row = found.setdefault(begun or 0, {})
        for one in self.held[first:]:
            if isinstance(one.event, RoundStarted):
                row = found.setdefault(one.event.seq, {})
            n = place.get(one.event.seq)
            if n is None:
                gone = not one.undone and not isinstance(one.event, TileTakenBack)
            else:
                gone = isinstance(one.event, Unclear) or (acts[n].event is None and one.event.source == "rule")
            if not gone:
                row[one.event.seq] = one.event if n is None else self.timeline.reads(n)
        row.update({question.seq: question for question in self.questions()})
        return found

    @property
    def is_believed(self) -> bool:
        """Whether the camera has seen something in this round: then it is what the belief comes to."""
        return self.begun is not None and self.begun.seq in self.looks

    def belief(self) -> WatchedRound:
        """The belief about this round, with everything that was seen and said in it."""
        known = self._beliefs.get(self._begun_at)
        if known is None or known.stale:
            known = self._beliefs[self._begun_at] = self._told_again(self.lines)
        return known

    @property
    def _begun_at(self) -> int:
        """The line that began this round; 0 before the first."""
        return 0 if self.begun is None else self.begun.seq

    def _told_again(self, lines: Sequence[Event]) -> WatchedRound:
        mine = lines_of(self._begun_at, lines)
        now = effective_events(mine)[0]
        opened = self._timeline([*self._before(), now]).match.course
        assert opened is not None
        seen = [one for one in self.seen if self.rounds.of_line(one.after) == self._begun_at]
        return WatchedRound.told(now.event, opened, mine, seen)

    def _before(self) -> list[EffectiveEvent]:
        """The events in force of the rounds before."""
        return self.held[: _place(self._begun_at, self.held)]

    def _timeline(
        self, held: Sequence[EffectiveEvent], base: Timeline | None = None, answers: Answers | None = None
    ) -> Timeline:
        """The game with its past by these events; `answers` where anybody may have answered anything new."""
        base = self.timeline if base is None else base
        answers = base.answers if answers is None else answers
        return Timeline.of(self.header, self.rules, held, base, looks=self.looks, answers=answers)

    # ---- what is added -------------------------------------------------------------------------------------------

    def add(self, *events: Event) -> tuple[Event, ...]:
        """Append facts and their consequences, with one trip to the disk.

        A tap goes behind the passes that it implies and nobody recorded. In a round that the camera watches the pieces
        that have no line yet go along. Raises EventError, JournalError; then nothing has changed.
        """
        changes = [event for event in events if isinstance(event, (Corrected, TileTakenBack))]
        try:
            if self._is_about_the_belief(events, changes):
                return self._believe(events)
            written = self._tell_again(events) if changes else self._enter(events)
        except BaseException:
            # The belief may be ahead of a disk that took nothing: it is told again from what is on record.
            self._beliefs.pop(self._begun_at, None)
            raise
        if any(isinstance(event, RoundStarted) for event in events):
            # Of the last one only what it came to is kept.
            self._beliefs = {begun: told.at_rest() for begun, told in self._beliefs.items()}
            self.rounds = Rounds.of(self.lines, self.journal.looks)
        return (*written, *self.settle()) if changes and self.is_believed else written

    def _is_about_the_belief(self, events: Sequence[Event], changes: Iterable[Corrected | TileTakenBack]) -> bool:
        begun = self.begun
        if begun is None or not self.is_believed or any(isinstance(event, RoundStarted) for event in events):
            return False
        for change in changes:
            about = change.corrects if isinstance(change, Corrected) else change.undoes or begun.seq
            undoes = isinstance(change, Corrected) and about == begun.seq and "withdrawn" in change.what
            if undoes or self._root(about) < begun.seq:
                return False
        return True

    def _believe(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Add to a round that the camera watches. Changes that the belief was shown before go to the disk with it."""
        belief, before = self.belief(), self._before()
        lines = self.journal.stamped(events)
        belief.add(lines)
        if belief.stale:
            belief = self._beliefs[self._begun_at] = self._told_again([*self.lines, *lines])
        new = self.journal.stamped(belief.unwritten(), self.last_seq + len(lines))
        belief.add(new)
        lines += new
        held = [*before, *belief.held()]
        said = any(isinstance(event, Corrected) for event in events)
        timeline = self._timeline(held, answers=answers_of([*self.lines, *lines]) if said else None)
        while (due := self._due(timeline)) is not None:
            lines += self.journal.stamped((due,), self.last_seq + len(lines))
            belief.add(lines[-1:])
            held = [*before, *belief.held()]
            timeline = self._timeline(held, timeline)
        written = self.journal.append_all(lines)
        self.rounds = Rounds(self.rounds.begun, self.looks)
        self.held, self.timeline = held, timeline
        return written

    def _enter(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Add what people tap, behind the passes that it implies."""
        lines = self.journal.stamped(self._with_passes(events))
        held, timeline = list(map(EffectiveEvent, lines)), self.timeline.copy()
        for one in held:
            timeline.take(one)
        written = self._write(lines, [*self.held, *held], timeline)
        if self._begun_at in self._beliefs and not any(isinstance(event, RoundStarted) for event in events):
            self._beliefs[self._begun_at].add(written)
        return written

    def _with_passes(self, events: Sequence[Event]) -> list[Event]:
        """Events with the passes that they imply, but for those that they imply no more in the order that is found."""
        trial, told = self.timeline.copy(), list[Event]()
        for event in events:
            for one in (*trial.implied(event), event):
                told.append(replace(one, seq=self.last_seq + len(told) + 1))
                if len(events) > 1 or _is_implied(one) or _is_implied(told[0]):
                    trial.take(EffectiveEvent(told[-1]))
        still = {act.held.event.seq for act in trial.acts if act.event is not None}
        return [one for one in told if not _is_implied(one) or one.seq in still]

    def _tell_again(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Add lines that change the past; the rounds that they are about are told again. Results of an earlier trial
        are known."""
        lines = self.journal.stamped(events)
        asked = self.last_seq, [replace(line, at="") for line in lines]
        tried = next(((lines, history) for known, lines, history in self._tried if known == asked), None)
        if tried is not None:
            written = self.journal.append_all(tried[0])
            self._take_over(tried[1])
            return written
        looks = self.journal.looks
        history = History(
            self.header,
            self.rules,
            [*self.lines, *lines],
            self.seen,
            looks=looks,
            beliefs=self._beliefs,
            base=self.timeline,
        )
        written = self._write(lines, history.held, history.timeline)
        history.held, history.timeline = self.held, self.timeline
        self._take_over(history)
        self._tried.append((asked, list(written), history))
        return written

    def _write(self, lines: list[Event], held: Sequence[EffectiveEvent], timeline: Timeline) -> tuple[Event, ...]:
        """Append lines, what follows from them where no camera watches, and what they give to ask."""
        held = list(held)

        def add(event: Event) -> None:
            lines.extend(self.journal.stamped((event,), self.last_seq + len(lines)))
            held.append(EffectiveEvent(lines[-1]))
            timeline.take(held[-1])

        while not self.is_believed and (due := self._due(timeline)) is not None:
            add(due)
        for question in asking(timeline, [*self.lines, *lines]):
            add(question)
        written = self.journal.append_all(lines)
        self.held, self.timeline = held, timeline
        return written

    def _due(self, timeline: Timeline) -> Event | None:
        """The event that now follows from the rules, if it is to be written."""
        due = timeline.consequence()
        return None if isinstance(due, RoundEnded) and not self.confirms(due) else due

    def look_on(self) -> None:
        """The camera looks at the table of this round."""
        self._looked_on = self._round

    @property
    def _round(self) -> int | None:
        course = self.timeline.match.course
        return None if course is None else course.number

    def settle(self) -> tuple[Event, ...]:
        """Record what follows from the rules by now, if anything does, and the pieces that have no line yet (after a
        crash between two lines, say)."""
        if self.is_believed and not self.belief().unwritten():
            due, found = self.timeline.consequence(), self.belief().tracker.end()
            # Of an end that follows from the counts alone the belief may know better.
            if due is None or (isinstance(due, RoundEnded) and found != (due.how, due.out)):
                return ()
        return self.add()

    def is_past(self, seq: int) -> bool:
        """Whether the line is of an earlier round, or corrects one that is."""
        return self.begun is not None and self._root(seq) < self.begun.seq

    def _root(self, seq: int) -> int:
        """The line that a correction of this line is about in the end."""
        while 0 < seq <= self.last_seq and isinstance(line := self.lines[seq - 1], Corrected):
            seq = line.corrects
        return seq


def _is_implied(event: Event) -> bool:
    return isinstance(event, Passed) and event.source == "rule"


def _place(begun: int, held: Sequence[EffectiveEvent]) -> int:
    """The place of the round that line `begun` began; 0 for any other line."""
    return next((n for n in range(len(held) - 1, -1, -1) if held[n].event.seq == begun), 0)
