"""A round that the camera watches, as the belief has it from all that was seen and said, and what its pictures prove.

A tile that does not fit where it lies is certain once the belief was sure of it, and stays so while it lies there,
whoever laid it; so are two equal tiles that were both surely read. Any other certain fault waits for another picture or
the round's end: somebody else's fault may explain it as well.

The camera's lines tell when a piece was first shown, and under which number. The likeliest course counts, with the
belief's present names and faults; people's statements stay where they put them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from companion.game.corrections import EffectiveEvent, effective_events
from companion.game.course import Course, act_of, action_of, event_of
from companion.log.event_fields import Confidence, Finding
from companion.log.events import Corrected, Event, Passed, RoundEnded, SeenLine, TableChange, TilePlayed, TileTakenBack
from companion.rules.position import Draw, End, Flip, Leave, LinePosition, Pass, Play, Position, TableAct
from companion.rules.tile import Tile
from companion.rules.violations import Violation
from companion.tracking.costs import CERTAIN, NAMED, Cause
from companion.tracking.evidence import ITEMS, Evidence, Step
from companion.tracking.filter import Hypothesis, copied
from companion.tracking.strict import TurnPlace
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Charge, Verdict

SURE_OF_TWO = 0.995
"""Least probability of each of the four halves where the same tile seems to lie there twice. A box holds each tile
once, so below that a misreading is likelier. Source: docs/rules.md 5.1."""


class Shown(NamedTuple):
    """Which picture shows a piece, how surely its tile was read and as what, whose arm laid it; None: not told."""

    frame: str | None = None
    reading: Confidence | None = None
    arm: str | None = None
    read: Play | None = None


UNSEEN = Shown()


class PictureProof:
    """The faults of a round's pieces that its pictures prove.

    >>> from companion.rules import Laid
    >>> proof, change = PictureProof(), TableChange((Play(Laid(12, 5), "Ann"),), frame="0001.jpg")
    >>> evidence = Evidence.of(0, change)
    >>> proof.note(change, evidence)
    >>> proof.shown[evidence.pieces[0].item].frame
    '0001.jpg'
    """

    def __init__(self) -> None:
        self.shown: dict[int, Shown] = {}
        """Item -> the picture that shows it."""
        self.lying: dict[int, frozenset[str]] = {}
        """Item -> the codes that a picture has proved of its tile."""
        self.held_at: dict[int, int] = {}
        """Item -> the last picture at which the belief held the name that is shown, or none where none is."""
        self.fallen: dict[int, set[str]] = {}
        """Item -> the codes that were certain of it and taken back, since people last had a say."""
        self.doubtful: frozenset[Play] = frozenset()
        """Tiles that lie at a joint that was not surely read, or where people say that something else lies."""
        self.clouded: frozenset[Play] = frozenset()
        """Tiles that came while part of the table was not understood, as long as it is not."""

    def note(self, change: TableChange, evidence: Evidence) -> None:
        """Remember how a change of the table was seen, piece by piece."""
        if change.delta:
            self.doubtful = (
                self.doubtful.union(change.laid) if change.guessed else self.doubtful.difference(change.laid)
            )
            self.clouded = self.clouded.union(change.laid) if change.clouded else frozenset()
        for piece in evidence.pieces:
            act = piece.act
            laid = act if isinstance(act, Play) else None
            read, whose = (change.readings.get(laid), change.whose.get(laid)) if laid else (None, None)
            self.shown[piece.item] = Shown(change.frame, read, whose, laid)
        for taken, by_now in evidence.read_since.items():
            item = next((item for item, one in reversed(self.shown.items()) if one.read == taken), None)
            if item is not None:
                self.shown[item] = self.shown[item]._replace(read=by_now[0], reading=by_now[1])

    def is_clear(self, laid: Play) -> bool:
        """Whether this tile was seen clearly when it came."""
        return laid not in self.doubtful and laid not in self.clouded

    def verdicts(
        self,
        tracker: RoundTracker,
        stated: Collection[int],
        told: Collection[int],
        start: Position | LinePosition,
        before: Mapping[int, Verdict],
        *,
        over: bool,
    ) -> dict[int, Verdict]:
        """Item -> the verdict on it, with what pictures prove of it.

        `stated` are items that only people say; of those in `told` they say what they are. `start` is the table before
        the round, `before` the verdicts until now. `over`: no more pictures of this round come.
        """
        last = max((step.number for step in tracker.log if not (step.empty or step.is_statement)), default=0)
        pictured = self._pictured(tracker, told, start)
        found: dict[int, Verdict] = {}
        for one in tracker.verdicts():
            if one.taken_back or one.item < 0:
                continue
            if one.item in stated:
                found[one.item] = one
                continue
            proof = pictured.get(one.item, ())
            lying = self.lying.get(one.item, frozenset()).intersection(proof)
            one = as_pictured(one, proof, lying, tracker.players)
            if one.item // ITEMS >= last and not over:
                one = on_one_picture(one, proof)
            self.lying[one.item] = lying.union(charge.code for charge in one.charges if charge.certain)
            known = before.get(one.item)
            if known is None or (one.by is None if known.by is None else holds(one, known.by, NEARLY)):
                self.held_at[one.item] = last
            lasts = FIRST if known is None or known.by is None else SETTLING
            lately = not over and last - self.held_at.get(one.item, last) <= lasts
            one = steady(one, known, lately=lately)
            if not over:
                one = self._never_again(one, known)
            found[one.item] = one
        return found

    def _never_again(self, verdict: Verdict, before: Verdict | None) -> Verdict:
        """The verdict with nothing certain that was certain `before` and taken back: what comes and goes is possible
        until the round is over."""
        stood = {one.code for one in before.charges if one.certain} if before is not None else set[str]()
        fallen = stood.difference(one.code for one in verdict.charges if one.certain)
        fallen |= self.fallen.get(verdict.item, set())
        if not fallen:
            return verdict
        self.fallen[verdict.item] = fallen
        return replace(
            verdict,
            charges=tuple(replace(one, certain=one.certain and one.code not in fallen) for one in verdict.charges),
        )

    def _pictured(
        self, tracker: RoundTracker, told: Collection[int], start: Position | LinePosition
    ) -> dict[int, tuple[str, ...]]:
        """Item -> what the pictures prove of its tile."""
        found = {item: entry.proved for item, entry in tracker.entries.items() if not entry.taken_back}
        if not isinstance(start, Position):
            return found
        twice = self._twice(tracker, told)
        lying = set(start.visible)
        for item in found:
            act = tracker.entries[item].piece.act
            if isinstance(act, Play):
                if act.tile.tile in twice and act.tile.tile in lying:
                    found[item] = (*found[item], str(Violation.DUPLICATE_TILE))
                lying.add(act.tile.tile)
        return found

    def _twice(self, tracker: RoundTracker, told: Collection[int]) -> frozenset[Tile]:
        """The tiles that surely lie there twice: all plays of them were seen clearly and read surely."""
        read: dict[Tile, list[bool]] = {}
        for item, entry in tracker.entries.items():
            act, shown = entry.verdict.act, self.shown.get(item, UNSEEN)
            if isinstance(act, Play) and not entry.taken_back:
                sure = shown.reading is not None and min(shown.reading.p) >= SURE_OF_TWO
                surely = sure and item not in told and act == entry.piece.act
                read.setdefault(act.tile.tile, []).append(surely and self.is_clear(act))
        return frozenset(tile for tile, all_sure in read.items() if len(all_sure) > 1 and all(all_sure))


def as_pictured(verdict: Verdict, proved: Collection[str], lying: Collection[str], players: Sequence[str]) -> Verdict:
    """The verdict with the proofs of pictures about a tile. Two equal tiles that were surely read are certain, while it
    is open which of them is the wrong one.

    `lying` are the codes of `proved` that were certain before: they stay so while the tile lies there. The culprit is
    open where the belief alone would no longer be certain.
    """
    twice = str(Violation.DUPLICATE_TILE)
    if twice not in lying and sum(one.p for one in verdict.charges if one.code == twice) < CERTAIN:
        # A half that was surely read may still be misread: what is laid on it tells.
        proved = [code for code in proved if code != twice]
    charges: list[Charge] = []
    for one in verdict.charges:
        if one.code != twice or twice not in proved:
            charges.append(replace(one, certain=True) if one.code in lying else one)
    lapsed = any(one.certain for one in charges) and not any(one.certain for one in verdict.charges)
    if twice in proved:
        charges.append(Charge(twice, None, True, 1.0, True))
    if not lapsed and twice not in proved:
        return verdict if tuple(charges) == verdict.charges else replace(verdict, charges=tuple(charges))
    return replace(verdict, by=None, maybe=(*verdict.maybe, *players), charges=tuple(charges))


def on_one_picture(verdict: Verdict, proved: Collection[str]) -> Verdict:
    """The verdict with nothing certain but what the picture itself proves: no other has come since."""
    charges = (replace(one, certain=one.certain and (one.proved or one.code in proved)) for one in verdict.charges)
    return replace(verdict, charges=tuple(charges))


def steady(verdict: Verdict, before: Verdict | None, *, lately: bool) -> Verdict:
    """The verdict with the name it had `before`, if the belief held it `lately` or nearly does so: no new charge. Where
    it had none, it has none yet."""
    if before is None or verdict.by == before.by:
        return verdict
    certain = [one for one in verdict.charges if one.certain]
    if before.by is None:
        return replace(verdict, by=None, maybe=before.maybe) if lately and not certain else verdict
    accused = {one.code for one in before.charges if one.certain}
    stays = lately or (verdict.by is None and holds(verdict, before.by, NEARLY))
    if certain:
        stays = verdict.by is None and holds(verdict, before.by, CERTAIN)
        stays = stays and all(one.code in accused and one.p >= CERTAIN for one in certain)
    if not stays:
        return verdict
    others = any(one.by not in (None, before.by) for one in verdict.charges)
    return replace(verdict, by=before.by, maybe=verdict.maybe if others else ())


def holds(verdict: Verdict, player: str, least: float) -> bool:
    """Whether this player has made the piece with at least so much of the belief."""
    return verdict.p >= least and player == (verdict.by or next(iter(verdict.maybe), None))


GUESSED = 0.71
"""From this share of the belief on the page says who it probably was. Nobody is named by it, nothing rests on it."""

NEARLY, SETTLING, FIRST = 0.87, 3, 1
"""A shown name stays from the first on, a share of the belief, and for the second number of pictures below it: the next
mostly tell. A play that had no name gets one once the belief has held it for the third number of pictures more."""

PASSES = 900
"""Pieces of a change from here on are passes, which no picture shows: ten numbers for each player."""


class Said(NamedTuple):
    """A piece as people have it by now."""

    there: bool = True
    """Not taken back."""
    lifted: bool = False
    """It was taken back."""
    by: str | None = None
    """The player who made it."""
    act: TableAct | None = None
    """The act itself."""


@dataclass(frozen=True, slots=True)
class ChangeEffect:
    """The effect of a change on earlier pieces, and what of it the belief could not understand."""

    gone: tuple[int, ...]
    moved: bool
    unclear: tuple[str, ...]
    back: tuple[int, ...]
    """The lines by which people have withdrawn what is seen there all the same."""


class WatchedRound:
    """One round from its beginning on: `add` the journal's lines, `observe` what is seen, and `held` is what counts.

    >>> from companion.log.event_fields import Header
    >>> from companion.log.events import RoundStarted
    >>> from companion.game.match import Match
    >>> from companion.rules import Laid, load_ruleset
    >>> begun = RoundStarted(seq=1, round=1, engine=Laid(12, 12), starter="Ann")
    >>> match = Match.of(Header("tactic", "double-12", ("Ann", "Ben", "Cy")), load_ruleset("tactic"))
    >>> one = WatchedRound(begun, match.take(begun).match.course)
    >>> one.add([begun])
    >>> one.observe(TableChange((Play(Laid(12, 5), "Ann"),)), after=1)
    >>> [(event.who, event.tile.outer) for event in one.unwritten()]
    [('Ann', 5)]
    """

    def __init__(self, begun: Event, start: Course) -> None:
        self.begun = begun
        self.opened = _with(begun, ()), start.table, start.starter, start.starter_known
        self.start = start.table
        self.players = start.players
        self._places: dict[int, TurnPlace] = {}
        self.tracker = RoundTracker(start.rules, start.table, start.starter, starter_known=start.starter_known)
        self.proof = PictureProof()
        self.verdicts: dict[int, Verdict] = {}
        self.first: int | None = None
        """The last line before the camera first saw something; None: it has not. Until then lines are ruled as taps."""
        self.looks = 0
        """How many times the camera has seen something."""
        self.effect = ChangeEffect((), False, (), ())
        """The effect of what it saw last."""
        self.stale = False
        """Something was changed that everything rests on: the round has to be told again."""
        self.line_of: dict[int, int] = {}
        """Item -> its line."""
        self.stated: set[int] = set()
        """Items that only people say."""
        self._said: dict[int, Said] = {}
        self._after: dict[int, int] = {}
        """Change -> the last line before it."""
        self.lines: list[Event] = []
        self._place: dict[int, int] = {}
        self._people: list[EffectiveEvent] = []
        self._ways: tuple[dict[int, list[Event]], dict[int, list[Event]]] | None = None
        self._events: dict[int, tuple[Verdict, str | None, Event]] = {}

    @property
    def item_of(self) -> dict[int, int]:
        """Line -> its item."""
        return {seq: item for item, seq in self.line_of.items()}

    @classmethod
    def told(
        cls,
        begun: Event,
        start: Course,
        lines: Sequence[Event],
        seen: Sequence[SeenLine],
        *,
        known: WatchedRound | None = None,
        until: int | None = None,
    ) -> WatchedRound:
        """The round told from `lines`, its own and those about them, and from what was `seen` in it. `known` is the
        round as it was told before the last of these, if it was.

        `until`: only before the change of this number.
        """
        one = cls(begun, start)
        corrections = [line for line in lines if isinstance(line, Corrected)]
        void = {line.seq for line in lines if any(_voids(one, line) for one in corrections)}
        if known is not None and known.opened == one.opened and known.lines == list(lines[: len(known.lines)]):
            if known.looks == len(seen) and len(known.lines) == len(lines):
                return known
            one = known.fork() if known.looks <= len(seen) else one
        for n in range(one.looks, len(seen)):
            look = seen[n]
            one.add([line for line in lines[len(one.lines) :] if line.seq <= look.after])
            if until is not None and one.tracker.number >= until:
                return one
            later = seen[n + 1].after if n + 1 < len(seen) else lines[-1].seq if lines else 0
            if not any(look.after < seq <= later for seq in void):
                one.observe(look.change, look.after)
            one.looks = n + 1
        one.add(lines[len(one.lines) :])
        if one.stale and known is not None:
            return cls.told(begun, start, lines, seen)
        one.stale = False
        return one

    def fork(self) -> WatchedRound:
        """The same round, to be tried on."""
        other = copied(self)
        other.tracker, other.proof = self.tracker.fork(), copied(self.proof)
        return other

    # ---- what is seen and said -----------------------------------------------------------------------------------

    def observe(self, change: TableChange, after: int) -> None:
        """Take a change of the table that was seen after line `after`."""
        tracker = self.tracker
        evidence = Evidence.of(tracker.number, change)
        if self.first is None:
            self.first = after
        self._after[evidence.number] = after
        self.proof.note(change, evidence)
        lying, moved, unclear = tracker.standing, tracker.moved, len(tracker.unclear)
        tracker.observe(evidence)
        gone = (lying - tracker.standing).intersection(tracker.entries)
        self._prove()
        back = (tracker.shown[piece.item].item for piece in evidence.pieces if piece.item in tracker.shown)
        withdrawn = {self.line_of.get(item) for item in back if not self._said.get(item, Said()).there}
        self.effect = ChangeEffect(
            tuple(sorted(gone, reverse=True)),
            tracker.moved > moved,
            tuple(tracker.unclear[unclear:]),
            tuple(
                one.seq
                for one in self.lines
                if isinstance(one, Corrected) and one.source == "person" and one.what.get("withdrawn") is True
                if one.corrects in withdrawn
            ),
        )

    def add(self, lines: Iterable[Event]) -> None:
        """Take lines of the journal. Raises EventError where a correction cannot be applied."""
        for line in lines:
            if isinstance(line, Corrected) and line.corrects not in self._place and line.corrects != self.begun.seq:
                continue
            self._place[line.seq] = len(self.lines)
            self.lines.append(line)
            if line.piece is not None:
                self.line_of[line.piece] = line.seq
            if isinstance(line, (Corrected, TileTakenBack)):
                self._correct()
            else:
                self._people.append(EffectiveEvent(line))
            if line.source == "person":
                self._tell()
            if isinstance(self._root(line), RoundEnded):
                self._prove()

    def _correct(self) -> None:
        self._people = list(effective_events(self.lines))
        begun = next((one.event for one in self._people if one.event.seq == self.begun.seq), self.begun)
        last = self.lines[-1]
        void = isinstance(last, Corrected) and any(_voids(last, line) for line in self.lines)
        self.stale = self.stale or _with(begun, ()) != _with(self.begun, ()) or void

    def _tell(self) -> None:
        """Let the belief hear what people have said since."""
        there = {one.event.seq: one for one in self._people if not one.undone}
        lifted = {one.event.seq for one in self._people if one.undone}
        news = False
        for item, seq in [(item, seq) for item, seq in self.line_of.items() if item % ITEMS < PASSES]:
            before, entry = self._said.get(item, Said()), self.tracker.entries.get(item)
            if entry is not None and entry.taken_back and before.there:
                continue
            said = self._said_of(there.get(seq), lifted=seq in lifted)
            if said == before:
                continue
            self._said[item], news = said, True
            if not said.there:
                self.tracker.withdraw(item, lifted=said.lifted)
                continue
            self.tracker.restore(item)
            self.tracker.name_player(item, said.by)
            self.tracker.put_right(item, said.act)
        known = self.item_of
        for one in list(there.values()):
            act = act_of(one.event)
            if act is None or one.event.seq in known or not self._is_stated(one):
                continue
            if isinstance(act, Pass) and self._laid_in_turn(one):
                act = End()
            item = self.tracker.enter(act, one.event.who, before=self._next_piece(one))
            self.line_of[item], news = one.event.seq, True
            # Leaving is no fault, and no act that a belief weighs.
            self.stated |= set() if isinstance(act, Leave) else {item}
        if news:
            # People's words may undo what a picture had proved: prove everything again.
            self.proof.lying, self.proof.fallen = {}, {}
            self._prove({})

    def _next_piece(self, entered: EffectiveEvent) -> int | None:
        """The piece before which people have put this in; None: it is the last thing that happened."""
        item_of = self.item_of
        place = next(n for n, one in enumerate(self._people) if one is entered)
        items = (item_of.get(one.event.seq, PASSES) for one in self._people[place:])
        return next((item for item in items if item % ITEMS < PASSES), None)

    def _said_of(self, one: EffectiveEvent | None, *, lifted: bool) -> Said:
        if one is None:
            return Said(False, lifted)
        other = "tile" in one.put_right or "train" in one.put_right
        by = one.event.who if "by" in one.put_right else None
        return Said(True, False, by, act_of(one.event) if other else None)

    def _laid_in_turn(self, passed: EffectiveEvent) -> bool:
        """Whether the player who passes has laid a tile since anybody else did anything."""
        people = list(self._held_so_far())
        place = next((n for n, one in enumerate(people) if one.event.seq == passed.event.seq), 0)
        for one in reversed(people[:place]):
            if act_of(one.event) is None or one.undone:
                continue
            if one.event.who != passed.event.who:
                return False
            if isinstance(one.event, TilePlayed):
                return True
        return False

    def _held_so_far(self) -> Iterator[EffectiveEvent]:
        """The lines in force with the names that are believed by now."""
        item_of = self.item_of
        for one in self._people:
            verdict = self.verdicts.get(item_of.get(one.event.seq, -1))
            if verdict is None or one.event.source == "person" or "by" in one.put_right:
                yield one
            else:
                changed: dict[str, Any] = {"by": verdict.by}
                yield replace(one, event=replace(one.event, **changed))

    def _is_stated(self, one: EffectiveEvent) -> bool:
        """Whether people say that this happened, and not the camera."""
        return one.event.source == "person" or self._line(one.event.seq).source == "person"

    def _line(self, seq: int) -> Event:
        return self.lines[self._place[seq]]

    def _prove(self, before: Mapping[int, Verdict] | None = None) -> None:
        """The verdicts of now; `before`: those until now, where people have not had a say since."""
        before = self.verdicts if before is None else before
        told = self.stated.union(item for item, said in self._said.items() if said.act is not None)
        over = any(isinstance(one.event, RoundEnded) for one in self._people)
        self.verdicts |= self.proof.verdicts(self.tracker, self.stated, told, self.start, before, over=over)
        self._ways = None

    def guesses(self) -> dict[int, str]:
        """Line -> the probable player, where nobody is named and there are no findings: a guess."""
        entries = self.tracker.entries
        verdicts = {item: one.verdict for item, one in entries.items() if not one.taken_back and item in self.line_of}
        unnamed = {item: one for item, one in verdicts.items() if one.by is None and one.maybe and not one.charges}
        probable = {item: one.maybe[0] for item, one in unnamed.items() if GUESSED <= one.p < NAMED}
        return {self.line_of[item]: name for item, name in probable.items() if item not in self.stated}

    # ---- what it comes to ----------------------------------------------------------------------------------------

    @property
    def likeliest(self) -> Hypothesis:
        return min(self.tracker.filter.all, key=lambda one: one.cost + one.pending)

    def unwritten(self) -> list[Event]:
        """The pieces that have no line yet, as they are believed now."""
        rows, before = self._way()
        acts = [*(one for row in rows.values() for one in row), *(one for row in before.values() for one in row)]
        return [one for one in acts if one.piece is not None and one.piece not in self.line_of]

    def held(self) -> list[EffectiveEvent]:
        """The round's events in force, in the order in which they happened."""
        rows, before = self._way()
        people = {one.event.seq: one for one in self._people}
        stated, pieces = {self.line_of[item]: item for item in self.stated}, self.item_of
        beside: dict[int, tuple[list[EffectiveEvent], list[EffectiveEvent]]] = {}
        passed: set[int] = set()
        out: list[EffectiveEvent] = []
        waiting = sorted(rows)
        ended = False

        def emit(until: int) -> None:
            while waiting and self._after.get(waiting[0], -1) < until:
                number = waiting.pop(0)
                for event in rows[number]:
                    seq = self.line_of.get(event.piece if event.piece is not None else -1)
                    around = beside.pop(seq, ([], [])) if seq is not None else ([], [])
                    one = None if seq is None else self._pictured(event, people.get(seq))
                    out.extend((*around[0], *((one,) if one is not None else ()), *around[1]))
                for seq in [seq for seq in beside if pieces[seq] // ITEMS == number]:
                    out.extend((*beside[seq][0], *beside.pop(seq)[1]))

        for one in self._people:
            seq = one.event.seq
            line = self._line(seq)
            if self.first is None or seq <= self.first:
                out.append(one)
                continue
            root = self._root(line)
            if line is not root and root.seq > self.first and root.seq in pieces and root.seq not in stated:
                beside.setdefault(root.seq, ([], []))[root.seq in passed].append(one)
                continue
            if not isinstance(line, Corrected) and not self._is_stated(one):
                passed.add(seq)
                if seq in pieces or (isinstance(one.event, Passed) and one.event.source == "rule"):
                    continue
                if action_of(one.event) is not None and not ended:
                    continue
            emit(root.seq)
            ended = ended or isinstance(one.event, RoundEnded)
            item = stated.get(seq)
            if item is not None:
                for event in before.get(item, ()):
                    passed_by = self._pictured(event, people.get(self.line_of.get(event.piece or -1, -1)))
                    out.extend((passed_by,) if passed_by is not None else ())
                one = self._as_stated(one, item)
            out.append(one)
        emit(10**9)
        return out

    def _root(self, line: Event) -> Event:
        """The line that a correction is about in the end; any other line is its own."""
        while isinstance(line, Corrected) and line.corrects in self._place:
            line = self._line(line.corrects)
        return line

    def _way(self) -> tuple[dict[int, list[Event]], dict[int, list[Event]]]:
        """The events of each change as the likeliest way has them, and the passes before what people have entered."""
        if self._ways is not None:
            return self._ways
        rows: dict[int, list[Event]] = {}
        before: dict[int, list[Event]] = {}
        entries, read = self.tracker.entries, self.tracker.read
        together = self.tracker.rules.first_simultaneous
        places, turn = dict[int, TurnPlace](), TurnPlace(0 if together else 1, "")
        passes, placed = list[TurnPlace](), set[int]()
        for _, steps in self.likeliest.path:
            for step in steps:
                if isinstance(step.act, End):
                    passes += [turn._replace(player=step.player)] if _passed(step, read) else []
                    turn = TurnPlace(turn.number + 1, "") if turn.number else turn
                elif step.item is None:
                    # A turn begins that shows nothing yet; the common lap is over with the first.
                    number = turn.number if Cause.ANYBODY in step.causes else max(1, turn.number)
                    turn = turn._replace(number=number, astray=str(Violation.OUT_OF_TURN) in step.codes)
                else:
                    item, passing, passes = step.item, passes, []
                    if item not in entries or item in placed:
                        continue
                    placed.add(item)
                    if step.act is not None:
                        places[item] = turn._replace(player=step.player)
                    number = item // ITEMS
                    if item in self.stated:
                        before[item] = list(self._passes(number, passing, (), places))
                    else:
                        row = rows.setdefault(number, [])
                        row += self._passes(number, passing, row, places)
                        row += self._event(item, step.player if step.act else None)
        self._places = places
        for item, entry in entries.items():
            if item not in placed and item not in self.stated:
                verdict = entry.verdict
                first = next(who for who in (verdict.by, *verdict.maybe, *self.players) if who is not None)
                rows.setdefault(item // ITEMS, []).extend(self._event(item, first))
        self._ways = rows, before
        return self._ways

    def _passes(
        self, number: int, passing: Sequence[TurnPlace], row: Sequence[Event], places: dict[int, TurnPlace]
    ) -> Iterator[Event]:
        known = [one.who for one in row if isinstance(one, Passed)]
        for place in passing:
            player = place.player
            piece = number * ITEMS + PASSES + 10 * self.players.index(player) + known.count(player)
            known.append(player)
            places[piece] = place
            yield Passed(by=player, source="rule", piece=piece)

    def _event(self, item: int, first: str | None) -> Iterator[Event]:
        """The event of a piece that the camera saw; `first` is whose it is in the likeliest way (None: nobody's)."""
        entry, verdict = self.tracker.entries[item], self.verdicts.get(item)
        if verdict is None or (entry.taken_back and not isinstance(verdict.act, Play)):
            return
        known = self._events.get(item)
        if known is None or known[:2] != (verdict, first):
            event = _shown(judged(verdict, first, self.players), self.proof.shown.get(item, UNSEEN))
            known = self._events[item] = verdict, first, replace(event, piece=item)
        yield known[2]

    def _pictured(self, event: Event, known: EffectiveEvent | None) -> EffectiveEvent | None:
        """An event with the number of its line and with what people say of it; None where they have withdrawn it."""
        piece = event.piece
        seq = None if piece is None else self.line_of.get(piece)
        if known is None or seq is None or piece is None:
            return None
        line = self._line(seq)
        event = replace(event, seq=line.seq, at=line.at, piece=line.piece)
        names = [name for name in ("by", "tile", "train") if name in known.put_right]
        if names:
            fields: dict[str, Any] = {name: getattr(known.event, name) for name in names}
            if "by" in names and event.perhaps:
                fields["maybe"] = ()
            if isinstance(event, TilePlayed) and isinstance(line, TilePlayed):
                said_so = "tile" in names and fields["tile"] == line.tile
                fields["reading"] = None if said_so else line.reading
            event = replace(event, **fields)
            if piece in self.verdicts:
                event = as_people_say(self.verdicts[piece], event, self.tracker.entries[piece].proved)
        disputed = self._is_disputed(event, piece) if "by" in names else False
        original = line if names else None
        return EffectiveEvent(
            event, known.changed_by, original, known.overruled, known.undone, frozenset(names), ruling_open=disputed,
            place=self._place_of(event, piece),
        )  # fmt: skip

    def _as_stated(self, one: EffectiveEvent, item: int) -> EffectiveEvent:
        """An act that people entered, with the findings that the belief has against it."""
        verdict = self.verdicts.get(item)
        proved = self.tracker.entries[item].proved if item in self.tracker.entries else ()
        event = as_people_say(verdict, one.event, proved) if verdict is not None else _with(one.event, ())
        disputed, place = self._is_disputed(event, item), self._place_of(event, item)
        return replace(one, event=event, ruling_open=disputed, place=place)

    def _place_of(self, event: Event, item: int) -> TurnPlace | None:
        """The turn of a piece in the likeliest way, with the player that people named."""
        place = self._places.get(item)
        return place if place is None or event.who is None else place._replace(player=event.who)

    def _is_disputed(self, event: Event, item: int) -> bool:
        """Whether people say of a piece that it was somebody else than the belief has it."""
        verdict = self.verdicts.get(item)
        return verdict is not None and event.who is not None and verdict.by != event.who


def _voids(correction: Corrected, line: Event) -> bool:
    """Whether it says that a line is of a look that saw nothing of the game: the table was being cleared."""
    withdrawn = correction.source == "camera" and correction.what.get("withdrawn") is True
    shown = line.source == "camera" and (isinstance(line, TileTakenBack) or line.piece is not None)
    return withdrawn and shown and correction.corrects == line.seq


def judged(verdict: Verdict, first: str | None, players: Sequence[str]) -> Event:
    """One act with its verdict; `first` is its player in the likeliest course; None: there it did not happen."""
    by = verdict.by if first is not None else None
    findings = tuple(
        Finding(one.code, certain=one.certain, by=None if one.certain and one.by == by else one.by)
        for one in verdict.charges
    )
    maybe: tuple[str, ...] = ()
    if by is None:
        likely = verdict.maybe if len(set(verdict.maybe)) > 1 else players
        maybe = tuple(dict.fromkeys((*((first,) if first is not None else ()), *likely)))
    elif any(not one.certain for one in findings) or any(one.by not in (None, by) for one in findings):
        maybe = tuple(dict.fromkeys((by, *(one.by for one in findings if one.by is not None))))
    return event_of(verdict.act, by, maybe=maybe, violations=findings)


def as_people_say(verdict: Verdict, event: Event, misfits: Sequence[str]) -> Event:
    """An act whose player or content people have stated: it stands as they say, and nothing is certain but the proof of
    a picture. A misfit (`misfits`) is reported even where the belief finds that they are mistaken. Its findings against
    somebody else then say nothing about the player they name."""
    mistaken = event.who not in (None, verdict.by)
    others = [one for one in verdict.charges if mistaken and one.by not in (None, event.who)]
    charges = [one for one in verdict.charges if one.proved or one not in others]
    charged = {one.code for one in charges}
    findings = (
        *(
            Finding(one.code, certain=False)
            if one in others
            else Finding(one.code, certain=one.certain and one.proved, by=None if one.by == event.who else one.by)
            for one in charges
        ),
        *(Finding(code, certain=False) for code in misfits if code not in charged),
    )
    return _with(event, findings)


def _with(event: Event, findings: tuple[Finding, ...]) -> Event:
    changed: dict[str, Any] = {"violations": findings}
    return replace(event, **changed)


def _passed(end: Step, seen: Mapping[int, TableAct]) -> bool:
    """Whether this end of a turn was a pass: nothing shows the turn, or it laid no tile and put no marker on."""
    if Cause.SILENT_PASS in end.causes or str(Violation.PASS_WITHOUT_DISCARD) in end.codes:
        return True
    return end.item is not None and isinstance(seen.get(end.item), (Draw, Flip))


def _shown(event: Event, by: Shown) -> Event:
    """The event with the picture that shows it, how surely its tile was read, and whose arm laid it."""
    extra: dict[str, Any] = {"frame": by.frame}
    if isinstance(event, TilePlayed):
        reading = by.reading
        if reading is not None and by.read is not None and by.read.tile != event.tile:
            reading = reading.of_another(by.read.tile, event.tile)
        extra |= {"reading": reading, "arm": by.arm}
    return replace(event, **extra)
