"""The game on its journal: facts go in and reach the disk; what they come to is worked out.

Each round is what its lines and the pictures of it come to (`round`). Its lines are written as pieces appear and never
corrected by the program. Not safe for threads; `companion.game.session` holds the lock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from companion.game.round import Round
from companion.log.corrections import EffectiveEvent, withdrawn_corrections
from companion.log.event_fields import Finding, Header
from companion.log.events import (
    Corrected,
    Event,
    RoundStarted,
    SeenLine,
    TableChange,
    TileTakenBack,
    Unclear,
)
from companion.log.journal import Journal
from companion.play.event_actions import is_act
from companion.play.match import Match
from companion.rules.ruleset import RuleSet

MOST_TRIED = 8
"""Games as they would stand with a change that are kept: two of each hand, say, of a round that is counted again."""

MOST_LOOKED_AT = 4
"""Games as they stood at some time that are kept, for whoever steps through the game."""


def rounds_of(lines: Sequence[Event]) -> dict[int, int | None]:
    """Line -> the line that began its round; 0 before the first. A correction belongs to what it corrects. None: an act
    of a round whose beginning was withdrawn.

    >>> from companion.log.events import Passed
    >>> lines = [RoundStarted(seq=seq, round=n, engine=None, starter="Ann") for n, seq in ((1, 1), (2, 2))]
    >>> rounds_of([*lines, Passed(seq=3, by="Ann"), Corrected(seq=4, corrects=1, what={"starter": "Ben"})])
    {1: 1, 2: 2, 3: 2, 4: 1}
    """
    undone = withdrawn_corrections(lines)
    said = (line for line in lines if isinstance(line, Corrected) and line.seq not in undone)
    gone = {line.corrects: line.what["withdrawn"] is True for line in said if "withdrawn" in line.what}
    found: dict[int, int | None] = {}
    begun, never = 0, False
    for line in lines:
        if isinstance(line, RoundStarted):
            never = gone.get(line.seq, False)
            begun = begun if never else line.seq
        about = line.corrects if isinstance(line, Corrected) else getattr(line, "undoes", None)
        found[line.seq] = found[about] if about in found else None if never and is_act(line) else begun
    return found


class History:
    """A journal's lines, and what the camera saw, worked out round by round. It never changes; `told` makes the next.

    `base` is one of lines that say in part the same.

    >>> from companion.log.events import Passed
    >>> from companion.rules import Laid, load_ruleset
    >>> begun = RoundStarted(seq=1, round=1, engine=Laid(12, 12), starter="Ann")
    >>> then = History(Header("tactic", "double-12", ("Ann", "Ben", "Cy")), load_ruleset("tactic"), [begun], ())
    >>> now = then.told([Passed(seq=2, by="Ann")])
    >>> then.match.course.mover, now.match.course.mover
    ('Ann', 'Ben')
    """

    def __init__(
        self,
        header: Header,
        rules: RuleSet,
        lines: Sequence[Event],
        seen: Sequence[SeenLine],
        base: History | None = None,
    ) -> None:
        self.header = header
        self.rules = rules
        self.lines = tuple(lines)
        self.seen = tuple(seen)
        self.start: Match = Match.of(header, rules) if base is None else base.start
        self.round_of = rounds_of(self.lines)
        parts: dict[int, tuple[list[Event], list[SeenLine]]] = {0: ([], [])}
        for line in lines:
            begun = self.round_of[line.seq]
            if begun is not None:
                parts.setdefault(begun, ([], []))[0].append(line)
        begun_at = [line.seq for line in lines if isinstance(line, RoundStarted)]
        for look in seen:
            place = bisect_right(begun_at, look.after)
            if place and begun_at[place - 1] in parts:
                parts[begun_at[place - 1]][1].append(look)
        self.rounds: dict[int, Round] = {}
        """By the line that began it (0: before the first)."""
        match = self.start
        for begun, (row, looks) in parts.items():
            self.rounds[begun] = Round.told(match, row, looks, None if base is None else base.rounds.get(begun))
            match = self.rounds[begun].match
        *earlier, self.last = self.rounds.values()
        for one in earlier:
            one.rest()
        self.held = [held for one in self.rounds.values() for held in one.held]
        """The events in force, in the order in which they were told."""
        self.acts = {seq: act for one in self.rounds.values() for seq, act in one.acts.items()}
        """Line -> the same, in the order in which they happened."""

    def told(self, lines: Iterable[Event] = (), seen: Iterable[SeenLine] = ()) -> History:
        """The same with more lines, or with more that was seen."""
        return History(self.header, self.rules, (*self.lines, *lines), (*self.seen, *seen), self)

    def trial(self) -> History:
        """The same, to try changes on while others go on with this one."""
        other = copy(self)
        other.last = self.last.trial()
        other.rounds = {begun: other.last if one is self.last else one for begun, one in self.rounds.items()}
        return other

    @property
    def match(self) -> Match:
        return self.last.match

    def findings(self, seq: int) -> tuple[Finding, ...]:
        """Findings known by now against the event of line `seq`."""
        return self.rounds[self.round_of[seq] or 0].findings(seq)

    def reads(self, event: Event) -> Event:
        """The event as it counts by now, with what is known against it."""
        return self.rounds[self.round_of[event.seq] or 0].reads(event)

    def questions(self) -> tuple[Unclear, ...]:
        """Questions neither answered nor settled yet. Of taps in earlier rounds nothing is asked any more."""
        rounds = self.rounds.values()
        return tuple(one for now in rounds for one in now.questions() if now is self.last or one.about is None)

    def changed(self, other: History | None) -> list[Round]:
        """The rounds that `other` may have otherwise."""
        return [one for begun, one in self.rounds.items() if other is None or other.rounds.get(begun) is not one]

    def readings(self, other: History | None = None) -> dict[int, Event]:
        """Line -> how it reads by now, of those in force and of open questions, in rounds that `other` may have
        otherwise."""
        events = (event for one in self.changed(other) for event in one.readings())
        return {event.seq: event for event in (*events, *self.questions())}

    def ruled(self) -> list[EffectiveEvent]:
        """The events in force as they count by now, each with what stands against it."""
        counting = (
            one
            for one in self.held
            if not (one.event.source == "rule" or one.put_in)
            or (act := self.acts.get(one.event.seq)) is None
            or act.event is not None
        )
        return [replace(one, event=self.reads(one.event)) for one in counting]

    def ruled_line(self, seq: int) -> EffectiveEvent | None:
        """The event in force that this line brought, with its findings by now; None: no event."""
        held = next((one for one in self.held if one.event.seq == seq), None)
        return held and replace(held, event=self.reads(held.event))

    def is_past(self, seq: int) -> bool:
        """Whether the line is of an earlier round, or corrects one that is."""
        return self.rounds.get(self.round_of.get(seq) or 0) is not self.last


class Ledger:
    """Journal and history, always in step.

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

    def __init__(self, journal: Journal, rules: RuleSet) -> None:
        self.journal = journal
        self.history = History(journal.header, rules, journal.events, journal.seen)
        self._tried: deque[tuple[Any, list[Event], History]] = deque(maxlen=MOST_TRIED)
        self._looked_at: deque[tuple[int, History]] = deque(maxlen=MOST_LOOKED_AT)

    @property
    def lines(self) -> Sequence[Event]:
        """The journal's events, in order."""
        return self.history.lines

    @property
    def held(self) -> Sequence[EffectiveEvent]:
        """The events in force, in the order in which they were told."""
        return self.history.held

    @property
    def last_seq(self) -> int:
        return self.journal.last_seq

    @property
    def match(self) -> Match:
        return self.history.match

    @property
    def round(self) -> Round:
        """The round at hand."""
        return self.history.last

    @property
    def begun(self) -> RoundStarted | None:
        """The beginning of this round, as it counts now."""
        return self.history.last.begun

    def at(self, seq: int) -> Callable[[], History]:
        """A function that works out the game after that line. It may take seconds and needs no lock, but one at a time
        is worked out."""
        now, kept = self.history, self._looked_at

        def work_out() -> History:
            then = next((one for at, one in kept if at == seq), None)
            if then is None:
                seen = [one for one in now.seen if one.after < seq]
                then = History(now.header, now.rules, now.lines[:seq], seen, now)
                kept.append((seq, then))
            return then

        return work_out

    def rehearsal(self) -> Ledger:
        """The game as it stands now, to try changes on: nothing reaches the disk. The result of the same change is
        known afterwards."""
        other = copy(self)
        other.journal, other.history = self.journal.rehearsal(), self.history.trial()
        return other

    def seeing(self, report: TableChange) -> History:
        """The game with this change of the table, which reaches the disk with the lines that it brings (`add`)."""
        self.journal.see(report)
        return self.history.told(seen=[SeenLine(len(self.history.seen) + 1, self.last_seq, "", report)])

    def add(self, *events: Event, onto: History | None = None) -> tuple[Event, ...]:
        """Append facts and their consequences, with one trip to the disk; `onto`: after what was just seen.

        A tap goes behind the passes that it implies and nobody recorded. The pieces that a camera showed and that have
        no line yet go along. Raises EventError, JournalError; then nothing has changed.
        """
        then = self.history if onto is None else onto
        lines = self.journal.stamped(self.history.last.with_passes(events, self.last_seq))
        asked = self.last_seq, len(then.seen), [replace(line, at="") for line in lines]
        tried = next(((lines, then) for known, lines, then in self._tried if known == asked), None)
        if tried is None:
            then = then.told(lines)
            said = any(line.source == "person" and not then.is_past(line.seq) for line in lines)
            while more := then.last.due(counted=said):
                lines += self.journal.stamped(more, self.last_seq + len(lines))
                then = then.told(lines[-len(more) :])
            if any(isinstance(line, (Corrected, TileTakenBack)) for line in lines):
                self._tried.append((asked, lines, then))
        else:
            lines, then = tried
        written = self.journal.append_all(lines)
        self.history = then
        return written
