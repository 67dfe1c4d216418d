"""One round as people tap it: taps in, out comes the order in which things happened, and what is sure in any order."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from companion.rules.actions import Action, Discard, Draw, End, Mark, Pass, Play
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation as V
from companion.tracking.costs import ACCUSED, POSSIBLE, TAPPED_KEEP, TAPPED_UNSEEN, Cause
from companion.tracking.evidence import ITEMS, Evidence, Piece
from companion.tracking.explain import uncollected
from companion.tracking.filter import Checkpoint, Hypothesis, Shares, TableFilter
from companion.tracking.pieces import Step
from companion.tracking.tapped import starting
from companion.tracking.verdict import NOT_SETTLED

FAR = 60
"""Somebody else did it than is tapped: hardly ever."""

LAG = 40
"""So many taps back the order may still change: more than two rounds of the table."""

TOO_EARLY = frozenset(map(str, (V.OUT_OF_TURN, V.EXTRA_TILE, V.MX_TOO_EARLY, V.FIRST_TURN_OWN_ONLY)))
"""Laid where it was not the player's to lay, whichever of the two is said of it."""

NEAR = 24
"""A fault may be held against another act of the same player in another order, so many taps away at most."""


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
        self._known: dict[bool, tuple[Shares, float]] = {}

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
        return min(self._filter.all, key=lambda one: one.cost + one.pending)

    # ---- in which order ------------------------------------------------------------------------------------------

    def order(self) -> list[int]:
        """The taps in the order in which they most likely happened; those that say nothing new are left out."""
        turns, likeliest = _Turns(self._acts, len(self.players)), self.likeliest
        for number, steps in likeliest.path:
            for step in steps:
                turns.add(step)
            act, by = self._acts[number]
            if isinstance(act, (End, Pass)) and by is not None:
                dropped = any(step.item == number * ITEMS and step.act is None for step in steps)
                turns.end(number, act, by, dropped=dropped)
        due = [item // ITEMS for item in likeliest.state.kept_and_due()]
        return [*(tap for turn in turns.rows for tap in turn if tap not in due), *due]

    # ---- what is sure --------------------------------------------------------------------------------------------

    def is_sure(self, tap: int, code: str, player: str | None, *, over: bool = False) -> bool:
        """Whether `code` is held against `player` for an act about this tap in every order that is likely at all.

        `over`: nothing of this round is still to be tapped.
        """
        shares, total = self._shares(over)
        held = [(item // ITEMS, said, p) for (item, said, who), p in shares.items() if who == player]
        same = max((p for at, said, p in held if said == code and abs(at - tap) <= NEAR), default=0.0)
        alike = sum(p for at, said, p in held if at == tap and TOO_EARLY.issuperset((said, code)))
        lost = self._filter.weight_lost(tap - NEAR)
        return max(same, alike) * total / (total + lost) >= ACCUSED

    def possible(self, *, over: bool = False) -> dict[int, list[tuple[str, str]]]:
        """Tap -> each (code, player) that is held against somebody there in an order that is not unlikely."""
        found: dict[int, list[tuple[str, str]]] = {}
        for (item, code, player), p in self._shares(over)[0].items():
            if p >= POSSIBLE:
                found.setdefault(item // ITEMS, []).append((code, player))
        return found

    def _shares(self, over: bool) -> tuple[Shares, float]:
        """What is held against whom, and in which share of the hypotheses; the weight of these."""
        known = self._known.get(over)
        if known is None:
            several = self._filter.all
            weights = [10.0 ** (-(one.cost + (one.state.unpaid if over else one.pending)) / 10.0) for one in several]
            total, shares = sum(weights), dict(self._settled)
            for one, weight in zip(several, weights, strict=True):
                for key, p in one.codes.items():
                    if not any((key[0], cause) in one.causes for cause in NOT_SETTLED):
                        shares[key] = shares.get(key, 0.0) + p * weight / total
            known = self._known[over] = (shares, total)
        return known


class _Turns:
    """The taps of a round, each in the turn to which it belongs; the common first lap is one turn.

    `owing`: player and whether it is a draw -> the turns that lack one; `early`: tap -> the turn in which it was
    tapped, before its own; `ended`: player -> the last turn; `silent`: player -> turns of which nothing was tapped.
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

    def add(self, step: Step) -> None:
        now = len(self.rows) - 1
        if step.act is None or isinstance(step.act, End):
            for cause in step.causes:
                if cause in (Cause.DRAW_TO_COME, Cause.MARKER_TO_COME):
                    self.owing.setdefault((step.player, cause is Cause.DRAW_TO_COME), []).append(now)
        if isinstance(step.act, End):
            self.ended[step.player] = now
            if not self.rows[-1]:
                self.silent.setdefault(step.player, []).append(now)
            self.rows.append([])
        elif step.act is None and step.item is None:
            # The lap is over, or somebody begins out of turn.
            self.lap = now if self.lap is None and not step.codes else self.lap
            self.rows.append([])
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
