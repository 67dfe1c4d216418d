"""One round as people tap it: taps in, out come the order in which things happened, the turn to which each belongs,
and what is held against whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import NamedTuple

from companion.log.event_fields import Finding
from companion.play.course import Place
from companion.rules.actions import Action, Discard, Draw, End, Mark, Pass, Play, Unmark
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation as V
from companion.tracking.costs import ACCUSED, HELD_AGAINST, POSSIBLE, TAPPED_KEEP, TAPPED_UNSEEN, Cause
from companion.tracking.evidence import ITEMS, Evidence, Piece
from companion.tracking.explain import uncollected
from companion.tracking.filter import Checkpoint, Hypothesis, Shares, TableFilter
from companion.tracking.pieces import Step
from companion.tracking.tapped import TO_COME_CAUSES, starting
from companion.tracking.verdict import NOT_SETTLED

FAR = 60
"""Somebody else did it than is tapped: hardly ever."""

LAG = 40
"""So many taps back the order may still change: more than two rounds of the table."""

TOO_EARLY = frozenset(map(str, (V.OUT_OF_TURN, V.EXTRA_TILE, V.MX_TOO_EARLY, V.FIRST_TURN_OWN_ONLY)))
"""Laid where it was not the player's to lay, whichever of the two is said of it."""

NEAR = 24
"""What was dropped so many taps before a fault may explain it."""

BY_ORDER = frozenset(
    map(
        str,
        (
            V.CLOSED_TRAIN, V.OPEN_DOUBLE_IGNORED, V.DOUBLE_NOT_FOLLOWED, V.EXTRA_TILE, V.OUT_OF_TURN, V.PLAY_AFTER_END,
            V.FIRST_TURN_OWN_ONLY, V.MX_TOO_EARLY, V.MARKER_MISSING, V.MARKER_UNEARNED, V.MARKER_REMOVED_WRONGLY,
            V.MARKER_NOT_REMOVED, V.NO_DRAW, V.EXTRA_DRAW, V.DRAW_FIRST_TURN, V.DRAW_FROM_EMPTY, V.PASS_WITHOUT_DISCARD,
        ),
    )
)  # fmt: skip
"""Faults that the order of acts may explain; the others lie on the table in any order."""

OF_END = frozenset(
    map(
        str,
        (V.NO_DRAW, V.MARKER_MISSING, V.MARKER_NOT_REMOVED, V.PASS_WITHOUT_DISCARD, V.DOUBLE_NOT_FOLLOWED),
    )
)
"""What a turn lacks that is over."""

OWED = {"+": V.MARKER_MISSING, "-": V.MARKER_NOT_REMOVED, "d": V.NO_DRAW, "p": V.PASS_WITHOUT_DISCARD}
"""What it will be, if a debt is not tapped in time (`TappedState.debts`)."""

ONE_STORY = 0.01
"""While something is still to be tapped, what is held against somebody in one story of a hundred is told as possible:
that a tap is late is the likelier story by 14 dB."""


class Against(NamedTuple):
    """What is held against whom, and whether it is so in every order that is likely at all."""

    code: str
    player: str
    sure: bool

    def of(self, whose: str | None) -> Finding:
        """The same of an act of this player."""
        return Finding(self.code, certain=self.sure, by=None if self.player == whose else self.player)


class TappedRound:
    """The belief about a round that people tap in, tap by tap. It can go back to before any of them."""

    def __init__(
        self, rules: RuleSet, table: Position | LinePosition, starter: str, *, starter_known: bool = True
    ) -> None:
        self.players = table.players
        begun = starting(rules, table, starter, anyone=not starter_known)
        self._filter = TableFilter((begun,), LAG, keep=TAPPED_KEEP, unseen=TAPPED_UNSEEN)
        self._acts: list[tuple[Action, str | None]] = []
        self._before: list[tuple[Checkpoint, Shares]] = []
        self._settled: Shares = {}
        self._known: dict[bool, dict[int, list[Against]]] = {}
        self._common = rules.first_simultaneous

    def __len__(self) -> int:
        return len(self._acts)

    def copy(self) -> TappedRound:
        other = copy(self)
        other._filter, other._acts, other._before = self._filter.fork(), list(self._acts), list(self._before)
        other._known = dict(self._known)
        return other

    def back_to(self, taps: int) -> None:
        """Forget all but the first so many taps."""
        if taps < len(self._acts):
            kept, self._settled = self._before[taps]
            self._filter.restore(kept)
            del self._acts[taps:], self._before[taps:]
            self._known = {}

    def take(self, act: Action, by: str | None, maybe: Sequence[str] = ()) -> None:
        """The next tap: `by` did `act`, or one of those who may have."""
        number = len(self._acts)
        self._known = {}
        self._before.append((self._filter.checkpoint(), self._settled))
        self._settle()
        self._acts.append((act, by))
        with uncollected():
            self._filter.advance(Evidence(number, (self._piece(number * ITEMS, act, by, maybe),)))

    def _settle(self) -> None:
        """Keep what is found of taps that are about to be too long ago."""
        first = self._filter.snapshots[0].evidence.number * ITEMS if self._filter.snapshots else 0
        several = self._filter.all
        total = sum(one.weight for one in several)
        old: Shares = {}
        for one in several:
            for key, p in one.codes.items():
                if key[0] < first:
                    old[key] = old.get(key, 0.0) + p * one.weight / total
        if old:
            self._settled = {**self._settled, **old}

    def _piece(self, item: int, act: Action, by: str | None, maybe: Sequence[str]) -> Piece:
        if isinstance(act, (End, Pass)):
            # Whoever passes says so at some time; whoever presses that the turn is over may say nothing new.
            return Piece(item, End(), by=by, arm=by if isinstance(act, Pass) else None)
        if isinstance(act, Discard):
            return Piece(item, act, by=by)
        could = {by, *maybe} - {None}
        against = {name: FAR for name in self.players if could and name not in could}
        follows = len(self._acts) > 1 and by is not None and self._acts[-2][1] == by
        return Piece(item, act, actors=against, arm=by, follows=follows)

    @property
    def likeliest(self) -> Hypothesis:
        """The likeliest; of two equal ones that in which ordinary turns have begun."""
        return min(self._filter.all, key=lambda one: (round(one.cost + one.pending, 6), one.state.lap))

    # ---- in which order ------------------------------------------------------------------------------------------

    def turns(self) -> dict[int, Place]:
        """Each tap with the turn to which it most likely belongs, in the order in which they happened; those that say
        nothing new are left out."""
        turns, likeliest = _Turns(self._acts, len(self.players)), self.likeliest
        for number, steps in likeliest.path:
            for step in steps:
                turns.add(step)
            act, by = self._acts[number]
            if isinstance(act, (End, Pass)) and by is not None:
                dropped = any(step.item == number * ITEMS and step.act is None for step in steps)
                turns.end(number, act, by, dropped=dropped)
        turns.whose[len(turns.rows) - 1] = likeliest.state.mover
        due = [item // ITEMS for item in likeliest.state.kept_and_due()]
        return turns.places(due, common=self._common, going_on=likeliest.state.lap)

    # ---- what is held against whom -------------------------------------------------------------------------------

    def charges(self, *, over: bool = False) -> dict[int, list[Against]]:
        """Tap -> what is held against whom there, what will be unless something is tapped in time included.

        `over`: nothing of this round is still to be tapped.
        """
        if over not in self._known:
            self._known[over] = self._charges(over)
        return self._known[over]

    def _charges(self, over: bool) -> dict[int, list[Against]]:
        several = self._filter.all
        weights = [10.0 ** (-(one.cost + (one.state.unpaid if over else one.pending)) / 10.0) for one in several]
        total = sum(weights)
        shares, doubts = dict(self._settled), Shares()
        for one, weight in zip(several, weights, strict=True):
            for key, p in one.codes.items():
                p *= weight / total
                shares[key] = shares.get(key, 0.0) + p
                if any((key[0], cause) in one.causes for cause in NOT_SETTLED):
                    doubts[key] = doubts.get(key, 0.0) + p
        found: dict[int, list[Against]] = {}
        owing = not over and any(self.likeliest.state.debts())
        for key, p in sorted(shares.items()):
            item, code, player = key
            settled = p - doubts.get(key, 0.0)
            if settled >= (ONE_STORY if owing else POSSIBLE) or p >= HELD_AGAINST:
                alike = [shares.get((item, one, player), 0.0) for one in TOO_EARLY] if code in TOO_EARLY else []
                held = sum(alike) if alike and p == max(alike) else settled
                lost = self._filter.weight_lost(item // ITEMS - NEAR) if code in BY_ORDER else 0.0
                sure = held * total / (total + lost) >= ACCUSED
                found.setdefault(item // ITEMS, []).append(Against(code, player, sure))
        for tap, code, player in () if over else self._owed():
            row = found.setdefault(tap, [])
            if all((code, player) != one[:2] for one in row):
                row.append(Against(code, player, False))
        return found

    def _owed(self) -> Iterator[tuple[int, str, str]]:
        """What will be held against whom, and where, if it is not tapped in time."""
        likeliest = self.likeliest
        due = [(str(OWED[key[0]]), key[1:]) for key in likeliest.state.debts()]
        for number, steps in reversed(likeliest.path):
            for step in reversed(steps):
                if isinstance(step.act, Draw) and Cause.DRAW_TO_COME in step.causes and step.item is not None:
                    # Drawn after the last tile of the turn, or tapped after it.
                    yield step.item // ITEMS, str(V.EXTRA_DRAW), step.player
                if isinstance(step.act, End) and not TO_COME_CAUSES.isdisjoint(step.causes):
                    for code in dict.fromkeys(code for code, player in due if player == step.player):
                        due.remove((code, step.player))
                        yield number if step.item is None else step.item // ITEMS, code, step.player


class _Turns:
    """The taps of a round, each in the turn to which it belongs; the common first lap is one turn.

    `owing`: player and whether it is a draw -> the turns that lack one; `early`: tap -> the turn in which it was
    tapped, before its own; `ended`: player -> the last turn; `silent`: player -> turns of which nothing was tapped;
    `whose`: the players of the turns; `astray`: those that began out of turn.
    """

    def __init__(self, acts: Sequence[tuple[Action, str | None]], players: int) -> None:
        self.acts = acts
        self.window = 2 * players + 1
        self.rows: list[list[int]] = [[]]
        self.owing: dict[tuple[str, bool], list[int]] = {}
        self.early: dict[int, int] = {}
        self.ended: dict[str, int] = {}
        self.silent: dict[str, list[int]] = {}
        self.lap: int | None = None
        self.whose: dict[int, str] = {}
        self.astray: set[int] = set()

    def places(self, due: Sequence[int], *, common: bool, going_on: bool) -> dict[int, Place]:
        """Each tap with its turn. `due`: taps that happen next, each in a turn of its player's; `common`: the round
        began with a common lap, which is `going_on`. Who has passed and still owes a tap is awaited."""
        found: dict[int, Place] = {}
        passed: list[str] = []
        owing = {n for rows in self.owing.values() for n in rows}
        awaited = False
        number = 0
        for n, row in enumerate(self.rows):
            lap = common and (going_on or (self.lap is not None and n <= self.lap))
            mine = [tap for tap in row if tap not in due]
            if mine:
                whose = self.whose.get(n) or self.acts[mine[-1]][1] or ""
                astray = awaited or n in self.astray
                place = Place(number, whose, () if lap or astray else tuple(passed), astray, lap)
                found |= dict.fromkeys(mine, place)
                number, passed, awaited = number + 1, [], False
            elif n in self.whose:
                passed.append(self.whose[n])
                awaited = awaited or n in owing
        for tap in due:
            whose = self.acts[tap][1] or ""
            number += not found or next(reversed(found.values())).player != whose
            found[tap] = Place(number, whose)
        return found

    def add(self, step: Step) -> None:
        now = len(self.rows) - 1
        if step.act is None or isinstance(step.act, End):
            for cause in step.causes:
                if cause in (Cause.DRAW_TO_COME, Cause.MARKER_TO_COME):
                    self.owing.setdefault((step.player, cause is Cause.DRAW_TO_COME), []).append(now)
        if isinstance(step.act, End):
            self.ended[step.player] = now
            self.whose[now] = step.player
            if not self.rows[-1]:
                self.silent.setdefault(step.player, []).append(now)
            self.rows.append([])
        elif step.act is None and step.item is None:
            # The lap is over, or somebody begins out of turn.
            self.lap = now if self.lap is None and not step.codes else self.lap
            self.rows.append([])
            if step.codes:
                self.astray.add(now + 1)
        elif step.act is not None and step.item is not None and Cause.NOTHING_NEW not in step.causes:
            self._place(step.item // ITEMS, step)

    def _place(self, tap: int, step: Step) -> None:
        if tap in self.early:
            # It happens now.
            self.rows[self.early.pop(tap)].remove(tap)
        if Cause.TAPPED_EARLY in step.causes:
            self.early[tap] = len(self.rows) - 1
        turn = self.rows[-1]
        if Cause.TAPPED_LATE in step.causes and Cause.DRAW_TO_COME in step.causes:
            self._before_last_tile(turn, tap, step.player)
            return
        if Cause.TAPPED_LATE in step.causes:
            drawn = isinstance(step.act, (Draw, Discard))
            due = self.owing.get((step.player, drawn), [])
            # Older ones came to nothing. One marker lies on a train, and is put on once.
            due[:] = [one for one in due if one >= len(self.rows) - self.window]
            if drawn and step.cost and step.player in self.ended:
                # Nobody owed it.
                self._before_last_tile(self.rows[self.ended[step.player]], tap, step.player)
                return
            lately = self.lap is not None and self.lap >= len(self.rows) - self.window
            turn = self.rows[
                due.pop(0 if drawn else -1) if due else self.lap if self.lap is not None and lately else -1
            ]
        elif Cause.TAPPED_EARLY not in step.causes and not isinstance(step.act, (Mark, Unmark)):
            self.whose[len(self.rows) - 1] = step.player
        self._insert(turn, tap, step)

    def _before_last_tile(self, turn: list[int], tap: int, player: str) -> None:
        """A draw goes there, or before the end of a turn without one."""
        laid = [n for n, one in enumerate(turn) if isinstance(self.acts[one][0], Play) and self._is_of(one, player)]
        if laid:
            turn.insert(laid[-1], tap)
        else:
            self._insert(turn, tap, Step(player, Draw(), None, (), (), 0))

    def _insert(self, turn: list[int], tap: int, step: Step) -> None:
        # The draw comes before the marker of the same turn, both before its end.
        after: tuple[type[Action], ...] = (Mark, End, Pass) if isinstance(step.act, Draw) else (End, Pass)
        place = len(turn)
        while place and isinstance(self.acts[turn[place - 1]][0], after) and self._is_of(turn[place - 1], step.player):
            place -= 1
        turn.insert(place, tap)

    def _is_of(self, tap: int, player: str) -> bool:
        return self.acts[tap][1] == player

    def end(self, tap: int, act: Action, by: str, *, dropped: bool) -> None:
        """The end of a turn; where it is `dropped` it says nothing new, but that a turn without a tap was one."""
        if not dropped:
            self.rows[self.ended.get(by, -1)].append(tap)
        elif isinstance(act, Pass) and self.silent.get(by):
            self.rows[self.silent[by].pop()].append(tap)
