"""A game as its journal's lines and the pictures come to, round by round (`round`). Nothing of it is stored."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace

from companion.game.round import Round
from companion.log.corrections import EffectiveEvent, standing_corrections
from companion.log.event_fields import Finding, Header
from companion.log.events import (
    Corrected,
    Event,
    RoundStarted,
    SeenLine,
    Unclear,
)
from companion.play.event_actions import action_of
from companion.play.match import Match
from companion.rules.ruleset import RuleSet


def rounds_of(lines: Sequence[Event]) -> dict[int, int | None]:
    """Line -> the line that began its round; 0 before the first. A correction belongs to what it corrects. None: an act
    of a round whose beginning was withdrawn.

    >>> from companion.log.events import Passed
    >>> lines = [RoundStarted(seq=seq, round=n, engine=None, starter="Ann") for n, seq in ((1, 1), (2, 2))]
    >>> rounds_of([*lines, Passed(seq=3, by="Ann"), Corrected(seq=4, corrects=1, what={"starter": "Ben"})])
    {1: 1, 2: 2, 3: 2, 4: 1}
    """
    said = (line for line in standing_corrections(lines) if "withdrawn" in line.what)
    gone = {line.corrects: line.what["withdrawn"] is True for line in said}
    found: dict[int, int | None] = {}
    begun, never = 0, False
    for line in lines:
        if isinstance(line, RoundStarted):
            never = gone.get(line.seq, False)
            begun = begun if never else line.seq
        about = line.corrects if isinstance(line, Corrected) else getattr(line, "undoes", None)
        found[line.seq] = found[about] if about in found else None if never and action_of(line) is not None else begun
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
        other.rounds = {**self.rounds, next(reversed(self.rounds)): other.last}
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
        void = {seq for seq, act in self.acts.items() if act.void}
        return [replace(one, event=self.reads(one.event)) for one in self.held if one.event.seq not in void]

    def is_past(self, seq: int) -> bool:
        """Whether the line is of an earlier round, or corrects one that is."""
        return self.rounds.get(self.round_of.get(seq) or 0) is not self.last
