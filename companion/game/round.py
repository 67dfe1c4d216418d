"""One round: its lines and what the camera saw, the events in force, and its acts in the order in which they happened.
`History` is the game round by round. Nothing of it is stored.

A round has one of two sources of acts: the belief (`watched_round`) where a camera saw something, else the round as
people tap it (`tracking.asked`). Conclusions from the rules alone (a pass that somebody's tile implies, the end of a
round, a score) are worked out anew each time; their lines in the journal only give them a number. So are questions
about taps: one stands as long as it arises from the taps, and of its line only the chosen key is read again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple

from companion.game.corrections import EffectiveEvent, effective_events, open_questions, standing_corrections
from companion.game.course import DEALT, NO_LAST_TILE, Course, act_of, action_of, reported, unsettled
from companion.game.match import Match
from companion.game.watched_round import WatchedRound
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
    SeenLine,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.log.journal import PHONE
from companion.rules.notation import print_laid
from companion.rules.position import Draw, Play, uncounted
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Certainty, Violation
from companion.tracking.asked import AskedRound, Confirmed, Tap, TapAnswer, TapQuestion
from companion.tracking.edits import EditKind
from companion.tracking.evidence import ITEMS
from companion.tracking.strict import Fault, TurnPlace
from companion.tracking.verdict import Alternative, Charge, Verdict, alternatives

USUAL_FINE = 2
"""Tiles that are drawn for a last tile that was not announced where the rules name no number. Source: docs/rules.md."""

REVEALED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REVEAL)
"""Codes that shown hands tell of earlier acts; they are worked out anew with the hands."""

ENGINE_ASKED = frozenset({ANOTHER_ENGINE, "NO_HUB"})
"""Questions of a camera about the engine."""


class AppliedEvent(NamedTuple):
    """One event, with the match after it.

    >>> from companion.log.event_fields import Header
    >>> from companion.rules import Laid, load_ruleset
    >>> match = Match.of(Header("tactic", "double-12", ("Ann", "Ben", "Cy")), load_ruleset("tactic"))
    >>> AppliedEvent(EffectiveEvent(Passed(seq=3, by="Ben", source="rule")), None, match).void
    True
    """

    held: EffectiveEvent
    """As the line holds it."""
    event: Event | None
    """As it counts; None where it says nothing."""
    after: Match

    @property
    def void(self) -> bool:
        """Whether the line carried something that no longer follows, or gave way to the tap for which it was put in."""
        return self.event is None and (self.held.event.source == "rule" or self.held.put_in)


class Round:
    """One round as it stands, with the lines and acts of whatever came after it, until the next one begins. It
    never changes.

    Args:
        before: the match when it begins.
        lines: those of the round, and all that correct them, whenever that was said.
        seen: what the camera saw in it.
        known: the same round with fewer lines, or some other round.

    >>> from companion.log.event_fields import Header
    >>> from companion.rules import Laid, load_ruleset
    >>> match = Match.of(Header("tactic", "double-12", ("Ann", "Ben", "Cy")), load_ruleset("tactic"))
    >>> begun = RoundStarted(seq=1, round=1, engine=Laid(12, 12), starter="Ann")
    >>> now = Round(match, (begun, TilePlayed(seq=2, by="Ann", tile=Laid(5, 6), train="Ann")))
    >>> [(one.code, one.open) for one in now.findings(2)]
    [('WRONG_ROOT', True)]
    >>> now.match.course.mover
    'Ben'
    """

    def __init__(
        self, before: Match, lines: Sequence[Event] = (), seen: Sequence[SeenLine] = (), known: Round | None = None
    ) -> None:
        self.before = before
        self.lines = tuple(lines)
        self.seen = tuple(seen)
        self.answers = answers_of(lines)
        """Line of a tap -> what people answered about it."""
        self._asked = open_questions(lines)
        self._belief: WatchedRound | None = None
        self._known = None if known is None else known._belief
        self.held = list(effective_events(lines))
        """The events in force, in the order in which they were told."""
        self.acts: dict[int, AppliedEvent] = {}
        """Line -> those that count, in the order in which they happened: an answer may have moved one."""
        self.found: dict[int, tuple[Finding, ...]] = {}
        """Line of an act -> findings that no order affects: reports of people, proofs from shown hands and, of what a
        camera saw, those of the belief."""
        begun = (one.event for one in self.held if isinstance(one.event, RoundStarted))
        self.begun = next(begun, None)
        """The beginning, as it counts; None before the first round."""
        if seen:
            self.held = self.belief.held()
        self.taken = _in_force(self.held)
        """Those of them that count, in the order in which they were told."""
        goes_on = (
            known is not None
            and known.before is before
            and known.taken == self.taken[: len(known.taken)]
            and bool(known.seen) == bool(seen)
            and all(self.answers.get(one.event.seq) == known.answers.get(one.event.seq) for one in self.taken)
        )
        self.asked = self._taps(known if goes_on else None)
        """The taps of this round in order; None where nobody tapped."""
        self._row = self._in_order()
        self._fold(known if goes_on else None)

    def trial(self) -> Round:
        """The same with a belief of its own."""
        other = copy(self)
        other._belief = self._belief and self._belief.fork()
        return other

    @property
    def belief(self) -> WatchedRound:
        """The belief from everything seen and said in this round."""
        if self._belief is None:
            self._belief = self.believed(known=self._known)
        return self._belief

    def believed(self, known: WatchedRound | None = None, until: int | None = None) -> WatchedRound:
        """The same, told again; `known` and `until` as in `WatchedRound.told`."""
        assert self.begun is not None
        return WatchedRound.told(self.begun, self._start, self.lines, self.seen, known=known, until=until)

    @property
    def _start(self) -> Course:
        """The course before anything has happened in it."""
        course = None if self.begun is None else self.before.take(self.begun).match.course
        assert course is not None
        return course

    def rest(self) -> None:
        """Another round has begun: of this one only what it came to is kept."""
        if self._belief is not None:
            self._belief.tracker.rest()

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self.acts[next(reversed(self.acts))].after if self.acts else self.before

    @property
    def only_counted(self) -> bool:
        """Whether nothing but a count says that the round is over."""
        match, course = self.match, self.match.course
        if course is None or match.shown:
            return False
        return course.ended_by == "camera" or bool(self.seen and course.ended_by == "rule" and course.ended == "out")

    def may_tap_for(self, player: str) -> bool:
        """Whether a tap may say something of this player, who need not be to move: not where a camera watches. Among
        taps a neighbour may only have been quicker."""
        course = self.match.course
        return not self.seen or (course is not None and not course.turn_open and course.mover == player)

    def explained(self, event: Event) -> tuple[Verdict, Sequence[Alternative]] | None:
        """The verdict on an act of this round, and the hypotheses about it a lap later, the cheapest first; none where
        it is settled. None: the belief knows of no such act."""
        if not self.seen:
            return _as_entered(self.reads(event))
        verdict = self.verdict_on(event)
        if verdict is None:
            return None
        lap = self.believed(until=verdict.item // ITEMS + len(self.before.header.players) + 2).tracker
        later = next((one for one in lap.verdicts() if one.item == verdict.item), verdict)
        return later, alternatives(lap.filter, verdict.item)

    def verdict_on(self, event: Event) -> Verdict | None:
        """The belief's verdict on an act of this round; None where it knows of no such act."""
        if not self.seen:
            return None
        item = self.belief.item_of.get(event.seq) if event.piece is None else event.piece
        return None if item is None else self.belief.verdicts.get(item)

    def findings(self, seq: int) -> tuple[Finding, ...]:
        """Findings known by now against the event of line `seq`."""
        return self._now[seq] if seq in self._now else self.found.get(seq, ())

    def reads(self, event: Event) -> Event:
        """The event as it counts by now, with what is known against it."""
        act, changed = self.acts.get(event.seq), dict[str, Any](violations=self.findings(event.seq))
        event = event if act is None else act.event or event
        same = act is None or getattr(event, "violations", changed["violations"]) == changed["violations"]
        return event if same else replace(event, **changed)

    @cached_property
    def readings(self) -> Sequence[Event]:
        """The events in force as they read by now, without questions."""
        found = list[Event]()
        for one in self.held:
            act = self.acts.get(one.event.seq)
            if act is None:
                gone = not one.undone and not isinstance(one.event, TileTakenBack)
            else:
                gone = isinstance(one.event, Unclear) or act.void
            found += [] if gone else [self.reads(one.event)]
        return found

    @cached_property
    def _now(self) -> Mapping[int, tuple[Finding, ...]]:
        return self._held_against()

    def _held_against(self) -> dict[int, tuple[Finding, ...]]:
        """Line of each tap of this round, and of its start -> its findings by now: open, until somebody says that it
        was so. Questions that the source leaves open are nobody's fault."""
        found = self._against_the_start()
        if self.asked is None:
            return found
        against = self.asked.against()
        taps = {tap.seq for tap in self.asked.taps}
        for seq, act in self.acts.items():
            event = act.held.event
            if seq in taps:
                mine = [_finding(one, said, _whose(event)) for one, said in against.get(seq, ()) if one.sure]
                found[seq] = (*mine, *self._besides(act.held))
            elif isinstance(event, RoundEnded) and self._anything_open():
                told = self.found.get(seq, ())
                found[seq] = tuple(replace(one, certain=False, open=True) if one.certain else one for one in told)
        return found

    def _against_the_start(self) -> dict[int, tuple[Finding, ...]]:
        """The findings against the engine that people began this round with; a camera has read its own."""
        event = self.begun
        # A camera begins a round with a picture, or, where pictures are not kept, in nobody's name. So may people where
        # no phone is signed in: nobody but them has seen such a round.
        if event is None or event.frame or (event.author is None and self.seen):
            return {}
        seq, told = event.seq, self.found.get(event.seq, ())
        said = next((one for one in reversed(self.answers.get(seq, ())) if one.kind is EditKind.SO), None)
        if said is None:
            return {seq: tuple(replace(one, certain=False, open=True) for one in told)}
        return {seq: tuple(replace(one, confirmed_by=said.by, confirmed_in=said.seq) for one in told)}

    def _besides(self, act: EffectiveEvent) -> tuple[Finding, ...]:
        """Findings that do not depend on the order of acts. Those from shown hands rest on earlier acts: they are
        open while one of those is, or was moved."""
        found = tuple(
            one for one in self.found.get(act.event.seq, ()) if one.code != Violation.PLAY_AFTER_END or not one.certain
        )
        if not any(one.code in REVEALED_CODES for one in found):
            return found
        open_ = self._anything_open() or not self._stayed_in_its_turn(act)
        return tuple(
            replace(one, certain=False, open=True) if open_ and one.code in REVEALED_CODES else one for one in found
        )

    def _anything_open(self) -> bool:
        """Whether something that was tapped in this round does not fit, and nobody has said yet what it was."""
        return self.asked is not None and bool(self.asked.questions() or self.asked.silent())

    def _stayed_in_its_turn(self, act: EffectiveEvent) -> bool:
        """Whether the same tiles come before the act in the order of taps and in the one it is in; before a pass, the
        same draws of its player as well."""
        drawn = not isinstance(act.event, Drew)

        def before(row: Iterable[EffectiveEvent]) -> set[int]:
            events = (one.event for one in takewhile(lambda one: one.event.seq != act.event.seq, row))
            own = (one for one in events if isinstance(one, TilePlayed) or one.who == act.event.who)
            return {one.seq for one in own if isinstance(one, TilePlayed) or (drawn and isinstance(one, Drew))}

        return before(one.held for one in self.acts.values()) == before(self.taken)

    def implied(self, event: Event) -> tuple[Passed, ...]:
        """The passes that have to be recorded before `event`."""
        course = self.match.course
        return () if course is None else course.passes_before(event)

    def with_passes(self, events: Sequence[Event], after: int) -> list[Event]:
        """Events with the passes that they imply, but for those that they imply no more in the order that is found.
        `after`: the last line."""
        if self.seen or any(isinstance(event, (Corrected, TileTakenBack)) for event in events):
            return list(events)
        now, told = self, list[Event]()
        for event in events:
            row = (*now.implied(event), event)
            told += [replace(one, seq=after + n) for n, one in enumerate(row, len(told) + 1)]
            if len(events) > 1 or len(row) > 1:
                now = Round(self.before, (*self.lines, *told), known=now)
        still = {seq for seq, act in now.acts.items() if act.event is not None}
        return [one for one in told if not _is_implied(one) or one.seq in still]

    def guesses(self) -> dict[int, str]:
        """Line -> the probable player, where nobody is named and there are no findings: a guess."""
        return self.belief.guesses() if self.seen else {}

    def due(self, *, counted: bool) -> Sequence[Event]:
        """The lines to write next: the pieces that have no line yet, else what follows from the rules, else a
        question. `counted`: an end that only the counts tell is one, though the belief should know better."""
        if self.seen and (new := self.belief.unwritten()):
            return new
        due = self.consequence()
        if isinstance(due, RoundEnded) and self.seen and not counted:
            due = due if self.belief.tracker.end() == (due.how, due.out) else None
        return self.asking()[:1] if due is None else [due]

    def consequence(self) -> Event | None:
        """The next event that follows from the rules and is not recorded: the end of a round or a match, or a score.
        While a tap is open, a player is out only if every possible answer says so."""
        due = self._due()
        if isinstance(due, RoundEnded) and due.how == "out" and self.asked is not None and self._anything_open():
            players = self.before.header.players if due.out is None else (due.out,)
            return due if all(map(self.asked.is_out, players)) else None
        return due

    def _due(self) -> Event | None:
        match = self.match
        if match.course is None:
            return None
        if match.phase == "playing":
            due = match.course.over
            if due is None or due.how != "out" or not self.seen:
                return due
            # Where a turn seems to lack its draw, the hands may hold more than was counted.
            found = self.found | self._held_against()
            misses_a_draw = any(one.code == Violation.NO_DRAW for seq in self.acts for one in found.get(seq, ()))
            return None if misses_a_draw else due
        if match.phase == "ended":
            return match.scored()
        return match.match_end() if match.phase == "scored" else None

    # ---- questions -----------------------------------------------------------------------------------------------

    def questions(self) -> tuple[Unclear, ...]:
        """Questions still open: nobody has answered them, and no later tap has settled them."""
        due = self._arising
        return tuple(
            one
            for one in self._asked
            if one.about is None or (one.about in due and due[one.about].candidates == one.candidates)
        )

    def asking(self) -> list[Unclear]:
        """The questions that arise now and were not asked yet."""
        asked = {one.about for one in self.questions()}
        return [one for about, one in self._arising.items() if about not in asked]

    @cached_property
    def _arising(self) -> Mapping[int, Unclear]:
        taps = () if self.asked is None else self.asked.questions()
        return self._about_the_start() | {one.seq: _unclear(one) for one in taps}

    def _about_the_start(self) -> dict[int, Unclear]:
        """The question whether the round really began with the engine that people named, unless the camera asks which
        one it is."""
        begun = self.begun
        held = () if begun is None else tuple(one for one in self.findings(begun.seq) if one.open)
        asked = (one.question.troubles for one in self._asked)
        if begun is None or not held or any(map(ENGINE_ASKED.intersection, asked)):
            return {}
        due = self.before.engine_due(begun.round)
        keys = list[Candidate]()
        if due is not None and due != begun.engine:
            event = {"event": "round_started", "engine": list(due)}
            keys.append(Candidate(f"The round began with {print_laid(due)}.", (event,), kind=str(EditKind.START)))
        codes = tuple(one.code for one in held)
        so = Candidate(SO_STORY, tuple({"seq": begun.seq, "violation": code} for code in codes), "so", codes=codes)
        reason = str(QuestionKind.DOES_NOT_FIT)
        return {begun.seq: Unclear(reason=reason, candidates=(*keys, so), about=begun.seq, source="rule")}

    # ---- the order of acts ---------------------------------------------------------------------------------------

    def _taps(self, known: Round | None) -> AskedRound | None:
        """The taps in order; `known`: this round with fewer of them. Where a hand was dealt wrongly, nothing can be
        counted in all of it."""
        said = [one.event for one in self.taken if isinstance(one.event, Announced) and one.event.what == DEALT]
        asked, done = None, 0
        if known is not None and all(one.seq in known.acts for one in said):
            asked, done = copy(known.asked), len(known.taken)
        for n in range(done, len(self.taken)):
            event = self.taken[n].event
            watched = event.source == "camera" or (self.seen and event.seq > self.seen[0].after)
            if self.begun is not None and not watched and act_of(event) is not None:
                if asked is None:
                    start, rules = self._start, self.before.rules
                    wrongly = [one.by for one in said if one.by is not None and reported(rules, start.table, one)]
                    table = uncounted(start.table, wrongly, boneyard=True) if wrongly else start.table
                    asked = AskedRound(
                        rules, table, start.starter, starter_known=start.starter_known, answers=self.answers
                    )
                asked.take(self._tap(n, asked))
        return asked

    def _tap(self, n: int, asked: AskedRound) -> Tap:
        held, told, rules = self.taken[n], [one.event for one in self.taken[:n]], self.before.rules
        event, act, who = held.event, act_of(held.event), _whose(held.event)
        assert act is not None
        missed = [one for one in told if isinstance(one, Announced) and one.what == NO_LAST_TILE and one.by == who]
        each = max(USUAL_FINE, rules.announce_penalty) if rules.announce is not None else 0
        # Past an end that was only counted people play on because the count was wrong.
        late = isinstance(act, Play) and any(isinstance(one, RoundEnded) and one.source == "person" for one in told)
        return Tap(
            event.seq,
            act,
            who if who is not None and who in self.before.header.players else asked.reading.now.mover,
            outer_only=getattr(event, "outer_only", False),
            late=late,
            turn=event.turn,
            end=getattr(event, "end", None),
            put_in=held.put_in,
            fines=each * len(missed) if isinstance(act, Draw) else 0,
        )

    def _in_order(self) -> list[tuple[EffectiveEvent, TurnPlace | None, bool]]:
        """The round's acts in the order in which they happened, without the passes that taps imply. Each comes with its
        turn, and with whether it counts."""
        if self.asked is None:
            return [(one, None, True) for one in self.taken]
        turns = self.asked.turns()
        order = {seq: n for n, seq in enumerate(turns)}
        taps = {tap.seq for tap in self.asked.taps}
        row: list[tuple[tuple[int, bool, int], TurnPlace | None, bool]] = []
        latest = -1
        for place, one in enumerate(self.taken):
            event = one.event
            if _is_implied(event):
                continue
            if event.seq in order:
                latest = max(latest, order[event.seq])
                row.append(((order[event.seq], False, place), turns[event.seq], True))
            else:
                later = takewhile(lambda one: not isinstance(one.event, RoundEnded), self.taken[place + 1 :])
                nothing = event.seq in taps or (not self.seen and _may_be_nothing(event, [one.event for one in later]))
                row.append(((latest, True, place), None, not nothing))
        return [(self.taken[key[2]], turn, counts) for key, turn, counts in sorted(row, key=lambda one: one[0])]

    def _fold(self, known: Round | None) -> None:
        """Take the acts in their order. `known`: this round with fewer of them."""
        done = 0
        if known is not None and known._row == self._row[: len(known._row)]:
            done, self.found = len(known._row), dict(known.found)
            self.acts = {seq: act for seq, act in known.acts.items() if not (act.void and _is_implied(act.held.event))}
        implied = [one for one in self.taken if _is_implied(one.event) and one.event.seq not in self.acts]
        implied = implied if self.asked is not None else []
        for held, turn, counts in self._row[done:]:
            for passed in self.implied(held.event) if counts and implied else ():
                line = next((one for one in implied if one.event.who == passed.by), None)
                if line is not None:
                    implied.remove(line)
                    self.take(line)
            if counts:
                self.take(held, turn)
            else:
                self.acts[held.event.seq] = AppliedEvent(held, None, self.match)
        self.acts |= {line.event.seq: AppliedEvent(line, None, self.match) for line in implied}

    def take(self, held: EffectiveEvent, place: TurnPlace | None = None) -> None:
        """Add an event. In a round that the camera saw, the findings are the belief's and stand in the lines."""
        event = self._as_it_counts(held.event)
        if event is None:
            self.acts[held.event.seq] = AppliedEvent(held, None, self.match)
            return
        step = self.match.take(event, held.place or place, sure=not self.seen)
        found, course = step.findings, step.match.course
        if place is None and course is not None and action_of(event) is not None:
            # Its line holds the belief's findings.
            told: tuple[Finding, ...] = getattr(held.event, "violations", ())
            found = (*(one for one in told if one.code not in REVEALED_CODES), *found)
        self.acts[held.event.seq] = AppliedEvent(held, event, step.match)
        if found:
            self.found[held.event.seq] = tuple(dict.fromkeys(found))
        for earlier, findings in step.late.items():
            about = self.acts[earlier].event
            if about is None or not unsettled(about):
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
        if isinstance(event, RoundScored):
            # People say the points of one round; what they come to follows from all.
            return replace(event, totals=match.with_scores(event.scores).totals)
        if self.asked is not None and isinstance(event, TilePlayed) and event.outer_only:
            return replace(event, tile=self.asked.tiles().get(event.seq, event.tile), violations=())
        if not getattr(event, "violations", ()) or unsettled(event):
            return event
        plain: dict[str, Any] = {"violations": ()}
        return replace(event, **plain)


def rounds_of(lines: Sequence[Event]) -> dict[int, int | None]:
    """Line -> the line that began its round; 0 before the first. A correction belongs to what it corrects. None: an act
    of a round whose beginning was withdrawn.

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

    >>> from companion.log.event_fields import Header
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
            known = None if base is None else base.rounds.get(begun)
            same = known is not None and known.before is match and len(known.seen) == len(looks)
            now = known if known is not None and same and known.lines == (*row,) else Round(match, row, looks, known)
            self.rounds[begun], match = now, now.match
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
        events = (event for one in self.changed(other) for event in one.readings)
        return {event.seq: event for event in (*events, *self.questions())}

    def ruled(self) -> list[EffectiveEvent]:
        """The events in force as they count by now, each with what stands against it."""
        void = {seq for seq, act in self.acts.items() if act.void}
        return [replace(one, event=self.reads(one.event)) for one in self.held if one.event.seq not in void]

    def is_past(self, seq: int) -> bool:
        """Whether the line is of an earlier round, or corrects one that is."""
        return self.rounds.get(self.round_of.get(seq) or 0) is not self.last


def _as_entered(event: Event) -> tuple[Verdict, Sequence[Alternative]]:
    """An act explained by the record alone."""
    act = act_of(event)
    assert act is not None
    found = getattr(event, "violations", ())
    charges = tuple(Charge(one.code, one.by or event.who, one.certain, float(one.certain)) for one in found)
    codes = tuple(sorted((one.code, one.by or "") for one in charges if one.certain))
    rows = () if event.who is None else (Alternative(event.who, 0, 1.0, codes, ()),)
    return Verdict(0, act, event.who, float(event.who is not None), event.perhaps, charges), rows


def _whose(event: Event) -> str | None:
    """The player of the act: a marker's owner where nobody is named."""
    return event.who or getattr(event, "train", None)


def _may_be_nothing(event: Event, later: Sequence[Event]) -> bool:
    """Whether a counted end may be wrong: a player with no tiles left goes on, or somebody plays in a blocked round."""
    if not isinstance(event, RoundEnded) or event.source != "rule" or any(isinstance(one, HandShown) for one in later):
        return False
    if event.how == "out":
        acts = (TilePlayed, Drew, Discarded, Passed)
        return any(isinstance(one, acts) and one.who == event.out and not getattr(one, "done", False) for one in later)
    return event.how == "blocked_declared" and any(isinstance(one, TilePlayed) for one in later)


def _is_implied(event: Event) -> bool:
    """Whether it is a pass that the rules wrote, because somebody else went on; the belief's has a name of its own."""
    return isinstance(event, Passed) and event.source == "rule" and event.piece is None


def _in_force(held: Sequence[EffectiveEvent]) -> list[EffectiveEvent]:
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
    return kept[::-1]


def _finding(fault: Fault, said: Confirmed | None, whose: str | None) -> Finding:
    """A fault as it stands in the line of an act of `whose`."""
    by = None if fault.player == whose else fault.player
    if said is not None:
        return Finding(fault.code, by=by, confirmed_by=said.by, confirmed_in=said.seq)
    return Finding(fault.code, certain=False, by=by, open=True)


ORDERS = frozenset({EditKind.SO, EditKind.LATER, EditKind.EARLIER, EditKind.BONEYARD, EditKind.ORDER})
"""Answers about the order of taps; the others put a line right, in or out, and stand in corrections of their own."""


def answers_of(lines: Sequence[Event]) -> Mapping[int, Sequence[TapAnswer]]:
    """Line of a tap, or of a round's start -> what people answered about it and did not take back, in the order in
    which they did. An engine that somebody puts right, or names for a camera, is confirmed."""
    told = {line.seq: line for line in lines}
    begun = next((line.seq for line in lines if isinstance(line, RoundStarted)), 0)
    found: dict[int, list[TapAnswer]] = {}
    for line in standing_corrections(lines):
        asked, choice = told.get(line.corrects), line.what.get("answer")
        about, kind, events = line.corrects, str(EditKind.SO), tuple[Mapping[str, Any], ...]()
        if not isinstance(asked, Unclear):
            if line.what.get("so") is not True and (line.source != "person" or "engine" not in line.what):
                continue
        elif choice is None or (asked.about is None and not ENGINE_ASKED.intersection(asked.question.troubles)):
            continue
        elif asked.about is None:
            about = begun
        else:
            key = asked.candidates[choice]
            about, kind = asked.about, key.kind or kind
            events = ({"order": list(line.what["order"])},) if "order" in line.what else key.events
        if kind in ORDERS:
            found.setdefault(about, []).append(
                TapAnswer(EditKind(kind), events, line.author or line.by or PHONE, line.seq)
            )
    return found


def _unclear(question: TapQuestion) -> Unclear:
    keys = [Candidate(STORIES[key.kind], key.events, kind=str(key.kind)) for key in question.keys]
    # One answer confirms what one player did, and nobody else's fault with it.
    accused = sorted(dict.fromkeys(fault.player for fault in question.faults), key=lambda name: name != question.whose)
    so = []
    for player in accused:
        faults = list(dict.fromkeys(fault for fault in question.faults if fault.player == player))
        held = tuple(
            {"seq": question.seq if one.tap is None else one.tap, "violation": one.code, "by": player} for one in faults
        )
        codes = tuple(dict.fromkeys(fault.code for fault in faults))
        so.append(Candidate(SO_STORY, held, codes=codes, kind=str(EditKind.SO)))
    other = Candidate("It was in another order.", kind=str(EditKind.ORDER))
    reason = str(QuestionKind.DOES_NOT_FIT)
    return Unclear(reason=reason, candidates=(*keys, *so, other), about=question.seq, source="rule")


SO_STORY = "It was really so."

STORIES = {
    EditKind.LATER: "A turn before it is not tapped yet.",
    EditKind.EARLIER: "It was earlier.",
    EditKind.MISSING: "Something before it was forgotten.",
    EditKind.NAME: "It was somebody else.",
    EditKind.START: "Another player began.",
    EditKind.TWICE: "It was tapped twice.",
    EditKind.BONEYARD: "The boneyard was counted wrongly.",
}
"""Keys in words for readers of the journal; the page says them with names."""
