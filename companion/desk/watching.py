"""The camera's side of the desk: a change between two still tables becomes events, or a question.

Tiles taken back undo their plays; a change that several stories explain is recorded as the cheapest legal one, with
nobody named where they differ (worlds.py); a change that no legal story explains is recorded with what all cheapest
faulty stories share as certain; what nothing explains is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.desk.course import Course
from companion.desk.ledger import Ledger
from companion.desk.stories import Telling, agreed, findings_of
from companion.desk.worlds import Outcome, World, follow
from companion.event_fields import Certainty, Finding, Story
from companion.events import (
    Corrected,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    MatchEnded,
    Passed,
    RoundEnded,
    RoundScored,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.notation import Change, Laying, Vanishing
from companion.position import Position
from companion.turn import Mark, Unmark
from companion.violation import Violation

MOST_CANDIDATES = 6


@dataclass(frozen=True, slots=True)
class Sight:
    """One change of the table: referee changes, trains flipped, Chinese discards by player, and the picture's name.

    `readings` says how surely each laid tile was read.
    """

    delta: tuple[Change, ...]
    flips: tuple[str, ...] = ()
    discards: Mapping[str, int] = field(default_factory=dict)
    frame: str | None = None
    readings: Mapping[Laying, Certainty] = field(default_factory=dict)

    def shown(self, event: Event) -> Event:
        """The event with the picture that shows it, and how surely its tile was read."""
        if isinstance(event, TilePlayed):
            return replace(event, frame=self.frame, reading=self.readings.get(Laying(event.tile, event.train)))
        return replace(event, frame=self.frame)

    @property
    def gone(self) -> tuple[Vanishing, ...]:
        return tuple(change for change in self.delta if isinstance(change, Vanishing))

    @property
    def empty(self) -> bool:
        return not (self.delta or self.flips or self.discards)


class Watching:
    """The worlds in which the table may be, on top of the ledger. Forgets them whenever a person has a say.

    `_shaken` counts the changes until a fault without a name is a lap back.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._worlds: tuple[World, ...] = ()
        self._since: list[int] = []
        self._seen = -1
        self._shaken = 0

    def see(self, sight: Sight) -> tuple[Event, ...]:
        """Record a change of the table; the events that it brought."""
        phase = self.ledger.match.phase
        course = self.ledger.match.course
        if course is None or sight.empty:
            return ()
        if phase != "playing":
            return self._after_the_end(sight) if phase == "ended" else ()
        if self._seen != self.ledger.journal.last_seq or not self._worlds:
            self._worlds, self._since = (World(course),), []
        events: list[Event] = []
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
        fresh = self._seen != self.ledger.journal.last_seq or not self._worlds
        worlds = (World(course),) if fresh else self._worlds
        recorded = [] if fresh else self._recorded()
        outcome = follow(worlds, recorded, sight.delta, flips=sight.flips, discards=sight.discards)
        return not outcome.legal

    def foresee(self, sight: Sight) -> tuple[Event, ...]:
        """What would be recorded for this change where it breaks no rule and mends nothing earlier; else nothing."""
        course = self.ledger.match.course
        if course is None or self.ledger.match.phase != "playing":
            return ()
        outcome = follow((World(course),), [], sight.delta, flips=sight.flips, discards=sight.discards)
        return outcome.events if outcome.legal and not outcome.mends else ()

    def _recorded(self) -> list[Event]:
        held = {item.event.seq: item.event for item in self.ledger.held}
        return [held[seq] for seq in self._since if seq in held]

    def _tell(self, sight: Sight) -> list[Event]:
        outcome = follow(self._worlds, self._recorded(), sight.delta, flips=sight.flips, discards=sight.discards)
        if outcome.legal:
            self._shaken = max(0, self._shaken - 1)
            return self._record_legal(outcome, sight)
        self._worlds, self._since = (), []
        shaken = self._shaken > 0
        if outcome.tellings:
            course = self.ledger.match.course
            assert course is not None
            if len({telling.blame for telling in outcome.tellings}) > 1:
                self._shaken = len(course.players)
            return list(self.ledger.record(*_faulty(course, outcome.tellings, sight, shaken=shaken)))
        return list(self.ledger.record(self._question(sight)))

    def _record_legal(self, outcome: Outcome, sight: Sight) -> list[Event]:
        appended: list[Event] = []
        since: list[list[int]] = [[seq] for seq in self._since]
        for mend in outcome.mends:
            seq = self._since[mend.index]
            for what in _single(mend.what):
                lines = self.ledger.amend(Corrected(corrects=seq, what=what, source="camera"))
                appended += lines
                if "insert" in what:
                    since[mend.index].insert(-1, lines[0].seq)
                elif "withdrawn" in what:
                    since[mend.index] = []
        record = [seq for seqs in since for seq in seqs]
        if outcome.events:
            lines = self.ledger.record(*(sight.shown(event) for event in outcome.events))
            appended += lines
            record += [event.seq for event in lines if not isinstance(event, _FOLLOWING)]
        course = self.ledger.match.course
        assert course is not None
        first, *others = outcome.worlds
        self._worlds = (replace(first, course=course), *others)
        self._since = record[outcome.settled :]
        if len(self._since) != len(first.events):
            self._worlds, self._since = (World(course),), []
        return appended

    def _take_back(self, sight: Sight) -> tuple[list[Event], Sight]:
        """Vanished tiles: the last ones laid were taken back; any other was moved, which nobody may."""
        plays = self._plays_to_undo(sight.gone)
        events: list[Event] = []
        rest: tuple[Change, ...] = tuple(change for change in sight.delta if not isinstance(change, Vanishing))
        if plays is None:
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
            rest, undone = self._undo_markers(rest, first)
            events += undone
        course = self.ledger.match.course
        assert course is not None
        self._worlds, self._since = (World(course),), []
        return events, replace(sight, delta=rest)

    def _plays_to_undo(self, gone: Sequence[Vanishing]) -> list[TilePlayed] | None:
        """The plays of the vanished tiles, where they are just the last tiles laid in this round; else None."""
        laid = [item.event for item in self._round() if isinstance(item.event, TilePlayed) and not item.undone]
        last = laid[-len(gone) :]
        wanted = sorted((change.tile.tile, change.train) for change in gone)
        return last if sorted((play.tile.tile, play.train) for play in last) == wanted else None

    def _round(self) -> list[Any]:
        held = self.ledger.held
        start = max((n for n, item in enumerate(held) if item.event.KIND == "round_started"), default=0)
        return held[start:]

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

    def _after_the_end(self, sight: Sight) -> tuple[Event, ...]:
        """When the round is over people clear the table. Only a single tile more is still a play."""
        if len(sight.delta) != 1 or not isinstance(sight.delta[0], Laying) or sight.discards or sight.flips:
            return ()
        laying = sight.delta[0]
        event = sight.shown(TilePlayed(by=None, tile=laying.tile, train=laying.train, source="camera"))
        return self.ledger.record(event)

    def _question(self, sight: Sight) -> Unclear:
        """Nothing explains it: who laid these tiles?"""
        laid = [change for change in sight.delta if isinstance(change, Laying)]
        course = self.ledger.match.course
        assert course is not None
        candidates = []
        for player in course.players[:MOST_CANDIDATES] if laid else ():
            lines: list[Mapping[str, Any]] = [
                sight.shown(TilePlayed(by=player, tile=one.tile, train=one.train, source="camera")).to_json()
                for one in laid
            ]
            words = ", ".join(f"play {one.tile.inner}-{one.tile.outer}@{one.train}" for one in laid)
            candidates.append(Story(f"{player}: {words}", tuple(_bare(line) for line in lines)))
        return Unclear(reason="several_stories", candidates=tuple(candidates), source="camera", frame=sight.frame)


_FOLLOWING = (Corrected, RoundEnded, RoundScored, MatchEnded)


def _single(what: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """One correction for each event that is put in, so that each can be corrected by itself."""
    if "insert" not in what:
        return [what]
    return [{"insert": [line]} for line in what["insert"]]


def _bare(line: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("seq", "at")}


def _faulty(course: Course, tellings: Sequence[Telling], sight: Sight, *, shaken: bool) -> list[Event]:
    """The events of the cheapest faulty telling; where several are as cheap, what they share and "one of these".

    `shaken`: a fault that nobody could be named for lies less than a lap back, so whose turn it is may be wrong too.
    """
    one = len({telling.blame for telling in tellings}) == 1
    extra = shaken or (one and _goes_on(course, tellings[0]))
    if one and not extra:
        return [sight.shown(event) for event in tellings[0].events]
    events = [sight.shown(event) for event in agreed(tellings)]
    place = max(n for n, event in enumerate(events) if not isinstance(event, Passed) or n == 0)
    event = events[place]
    blamed = sorted({player for telling in tellings for player, _ in telling.blame})
    named = getattr(event, "maybe", ()) or (getattr(event, "by", None),)
    maybe = tuple(dict.fromkeys(name for name in (*named, *blamed, *((course.mover,) if extra else ())) if name))
    findings = findings_of(tellings)
    if extra:
        early = Finding(str(Violation.OUT_OF_TURN), certain=False)
        findings = (*(replace(finding, certain=False) for finding in findings), early)
    if isinstance(event, TilePlayed):
        plain = _faults_of_the_tile(course, [one for one in events[:place] if isinstance(one, TilePlayed)], event)
        findings = (*(Finding(code) for code in plain), *(one for one in findings if one.code not in plain))
    changed: dict[str, Any] = {"by": None, "maybe": maybe, "violations": findings}
    if len(maybe) > 1:
        events[place] = replace(event, **changed)
    return events


def _goes_on(course: Course, telling: Telling) -> bool:
    """Whether the fault is one act too many by whoever is held to have moved last.

    Who moved last was only told from the turn order; it may have been somebody out of turn.
    """
    turn = course.turn
    if turn is None or not turn.complete(course.rules):
        return False
    too_many = {str(Violation.EXTRA_TILE), str(Violation.EXTRA_DRAW)}
    return telling.blame == frozenset((turn.player, code) for _, code in telling.blame) and any(
        code in too_many for _, code in telling.blame
    )


def _faults_of_the_tile(course: Course, earlier: Sequence[TilePlayed], event: TilePlayed) -> list[str]:
    """What one picture proves of a tile at the end of a train, whoever laid it."""
    table, laid = course.position, event.tile
    if not isinstance(table, Position):
        return []
    chain = (*table.trains.get(event.train, ()), *(one.tile for one in earlier if one.train == event.train))
    faults = []
    if max(laid) > table.set_max:
        faults.append(Violation.TILE_NOT_IN_SET)
    if laid.tile in table.visible:
        faults.append(Violation.DUPLICATE_TILE)
    if chain and laid.inner != chain[-1].outer:
        faults.append(Violation.MISMATCH)
    return [str(fault) for fault in faults]
