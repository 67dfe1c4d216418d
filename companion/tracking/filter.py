"""Every likely way in which one change of the table may have come about, from every hypothesis: the one search.

Best first over the successor generator (`MexicanState.moves`, `LineState.moves`): the cheapest explanation is found
first, then all within a reach of it; `at_least` keeps it from ways that become dear. The ways left out (faults, where a
faultless one is near) are dearer than the reach, so nothing likely is lost.

The belief: a fixed-lag beam of hypotheses about the round, fed with one Evidence after the other.

While every change has a faultless explanation the beam is narrow. When one has none, the changes of the last lap are
explained again with faults allowed: the rule may have been broken there without anybody noticing. Beside them there is
always the outlier, "much happened unseen", which explains everything at a price and blames nobody. Hypotheses that come
to the same state are one: what they disagree about stays as probabilities.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from typing import Any, TypeVar

from companion.rules.position import Play
from companion.tracking.costs import (
    BACK_REACH,
    BACK_WORK,
    CALM_BEAM,
    CALM_KEEP,
    CALM_REACH,
    CALM_WORK,
    CERTAIN,
    COST,
    ERRORS,
    FARTHEST,
    ILLEGAL,
    WIDE_BEAM,
    WIDE_REACH,
    WIDE_WORK,
    Cause,
)
from companion.tracking.evidence import ITEMS, Evidence, Piece, Pieces, Rest, Step
from companion.tracking.round_state import FEW

HypothesisState = Any
"""MexicanState or LineState: `moves(pieces, rest, faults=, within=)`, `at_least(pieces, rest)`, `sign`, `at_rest`,
`after_outlier(pieces, unknown=)`, `counts`, `counted(more)`."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One explanation of a change."""

    parent: int
    """Number of the hypothesis that it continues."""
    state: HypothesisState
    """After the change."""
    steps: tuple[Step, ...]
    cost: float
    """Decibans of the whole."""

    @property
    def errs(self) -> bool:
        """Whether somebody, the camera included, has erred in it."""
        return any(cause in ERRORS for step in self.steps for cause in step.causes)


def explain(
    beam: Sequence[tuple[float, HypothesisState]],
    pieces: Pieces,
    *,
    faults: bool,
    reach: float,
    most: int,
    work: int,
    keep: float = 0.0,
    enough: Callable[[Explanation], bool] | None = None,
) -> tuple[list[Explanation], bool]:
    """The explanations within `reach` of the cheapest, and the cheapest from each hypothesis within `keep`; at most
    `most`, and whether the search was cut short. It ends at the cheapest where that is `enough`.

    `beam`: cost and state of each hypothesis. Without `faults` nothing that breaks a rule is tried.
    """
    heap: list[tuple[float, float, int, int, HypothesisState, Rest, tuple[Any, ...], frozenset[Any], Pieces]] = []
    variants = [(pieces.denied, pieces, ()), *pieces.doubted()]
    count = 0
    done: dict[int, Rest] = {}
    for doubt, kept, gone in variants:
        done[id(kept)] = kept.done
        start, dropped = kept.start, _dropped(gone)
        for parent, (cost, state) in enumerate(beam):
            ahead = state.at_least(kept, start)
            heappush(
                heap, (cost + doubt + ahead, cost + doubt, count, parent, state, start, dropped, frozenset(), kept)
            )
            count += 1
    cheapest = min((cost for cost, _ in beam), default=0.0)
    limit = far = cheapest + FARTHEST
    explained: set[int] = set()
    found: list[Explanation] = []
    seen: set[tuple[object, ...]] = set()
    opened = 0
    while heap:
        least, cost, _, parent, state, rest, steps, who, kept = heappop(heap)
        if least > far or len(found) >= most:
            break
        if least > limit and parent in explained:
            continue
        if type(state) is partial:
            state = state()
            due = cost + state.at_least(kept, rest)
            if due > least:
                if due <= (limit if parent in explained else far):
                    count += 1
                    heappush(heap, (due, cost, count, parent, state, rest, steps, who, kept))
                continue
        who = _named(who, steps)
        key = (parent, state.sign, rest, who, id(kept))
        if key in seen:
            continue
        seen.add(key)
        if rest == done[id(kept)]:
            if not found:
                limit = cost + reach
                far = cost + max(reach, keep)
            explained.add(parent)
            found.append(Explanation(parent, state.at_rest(), _unrolled(steps), cost))
            if enough is not None and len(found) == 1 and enough(found[0]):
                break
            continue
        opened += 1
        if opened > work:
            return found, True
        bound = limit if parent in explained else far
        for more, after, left, step in state.moves(kept, rest, faults=faults, within=bound - cost + HAIR):
            total = cost + more
            due = total if total > least else least
            if due <= bound:
                count += 1
                heappush(heap, (due, total, count, parent, after, left, (steps, step), who, kept))
    return found, False


def _named(who: frozenset[Any], steps: tuple[Any, ...]) -> frozenset[Any]:
    """`who` made which item, of which other tile, and broke which rule, with the last of the steps."""
    if not steps:
        return who
    step = steps[1]
    if step.item is not None and step.act is not None:
        who |= {(step.item, step.player)}
        if _is_another(step):
            who |= {(step.item, step.act)}
    if step.codes:
        # A fault and a camera error that come to the same are two explanations.
        who |= {(code, step.player) for code in step.codes}
    return who


def _is_another(step: Step) -> bool:
    """Whether it lays another tile than is on record: its neighbours may be the same, and yet it is told apart."""
    return Cause.UNREAD_TILE in step.causes or Cause.ANOTHER_TILE in step.causes


HAIR = 1e-6
"""Costs of hypotheses are sums of fractions: what is within a bound may be over it by so much in another order."""


def _dropped(gone: Sequence[Piece]) -> tuple[Any, ...]:
    """The steps that say that these pieces, which people entered, did not happen."""
    steps: tuple[Any, ...] = ()
    for piece in gone:
        cost = piece.doubt or 0
        who = piece.stated_player or piece.by or ""
        causes = (Cause.WRONG_STATEMENT,) if cost else ()
        steps = (steps, Step(who, None, piece.item, (), causes, cost))
    return steps


def _unrolled(steps: tuple[Any, ...]) -> tuple[Step, ...]:
    row: list[Step] = []
    while steps:
        steps, step = steps
        row.append(step)
    return tuple(reversed(row))


@contextmanager
def uncollected() -> Iterator[None]:
    """The collector of cycles rests until the end of the block, unless it was switched off anyway.

    A search makes hundreds of thousands of small values and no cycle of them.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


Shares = dict[Any, float]
NOBODY: Shares = {}

Counts = Mapping[tuple[int, ...], float]
"""How many more tiles than its state says (`HypothesisState.counts`) a hypothesis holds each to have -> share."""
AS_COUNTED: Counts = {}

LEAST_COUNTED = 1.0 - CERTAIN
"""Counts with a smaller share are forgotten."""

MOST_OUTLIERS = 8


@dataclass(slots=True)
class Hypothesis:
    """One state of the round and the ways to it. A share is a part of 1."""

    state: HypothesisState
    cost: float
    """Decibans, relative to the best hypothesis."""
    actors: dict[int, Shares] = field(default_factory=dict)
    """Item -> player -> share."""
    codes: Shares = field(default_factory=dict)
    """(item, code, player) -> share."""
    causes: Shares = field(default_factory=dict)
    """(item, cause) -> share."""
    others: Shares = field(default_factory=dict)
    """(item, tile) -> share of its being this tile, which is not the one that was read."""
    path: tuple[tuple[int, tuple[Step, ...]], ...] = ()
    """The steps of the cheapest way, newest last."""
    born: int | None = None
    """The evidence at which it began as an outlier."""
    pending: int = 0
    counted: Counts = field(default_factory=lambda: AS_COUNTED)
    """Differences from the counts of its state, with their shares; empty: none."""
    first: int = 0
    """Everything before this item is forgotten."""

    @property
    def shown_weight(self) -> float:
        """The weight to show now: what is still to come counts."""
        return float(10.0 ** (-(self.cost + self.pending) / 10.0))

    @property
    def weight(self) -> float:
        return float(10.0 ** (-self.cost / 10.0))

    def since(self, first: int) -> Hypothesis:
        """The same; how it came to what happened before item `first` is forgotten."""
        if first <= self.first:
            return self
        actors = {item: row for item, row in self.actors.items() if item >= first}
        codes = {key: share for key, share in self.codes.items() if key[0] >= first}
        causes = {key: share for key, share in self.causes.items() if key[0] >= first}
        others = {key: share for key, share in self.others.items() if key[0] >= first}
        return Hypothesis(
            self.state, self.cost, actors, codes, causes, others, self.path, self.born, self.pending, self.counted,
            first,
        )  # fmt: skip

    def after(self, explanation: Explanation, evidence: Evidence) -> Hypothesis:
        """This hypothesis gone on by an explanation of the evidence."""
        actors, codes, causes, others = dict(self.actors), dict(self.codes), dict(self.causes), dict(self.others)
        read = {piece.item: piece.act for piece in evidence.laid}
        loose: list[tuple[str, str]] = []
        assumed: list[Cause] = []
        for step in explanation.steps:
            item = step.item
            if item is None:
                loose += [(code, step.player) for code in step.codes]
                assumed += step.causes
                continue
            if step.act is not None and item not in actors:
                actors[item] = {step.player: 1.0}
            if isinstance(step.act, Play) and step.act != read.get(item, step.act):
                others[item, step.act.tile] = 1.0
            for code, player in (*((code, step.player) for code in step.codes), *loose):
                codes[item, code, player] = 1.0
            for cause in (*step.causes, *assumed):
                causes[item, cause] = 1.0
            if step.below is not None and step.below.tile is None:
                causes[step.below.item, Cause.MISREAD] = 1.0
            elif step.below is not None:
                causes[step.below.item, Cause.ANOTHER_TILE] = 1.0
                others[step.below] = 1.0
            loose, assumed = [], []
        path = (*self.path, (evidence.number, explanation.steps))
        return Hypothesis(
            explanation.state,
            explanation.cost,
            actors,
            codes,
            causes,
            others,
            path,
            self.born,
            explanation.state.pending,
            self.counted,
            self.first,
        )

    @classmethod
    def merged(cls, several: Sequence[Hypothesis]) -> Hypothesis:
        """They are one: shares weighed, the cheapest one's way kept."""
        if len(several) == 1:
            return several[0]
        weights = [one.weight for one in several]
        total = sum(weights)
        shares = [weight / total for weight in weights]
        actors: dict[int, Shares] = {}
        for item in dict.fromkeys([item for one in several for item in one.actors]):
            actors[item] = _mixed([one.actors.get(item, NOBODY) for one in several], shares)
        codes = _mixed([one.codes for one in several], shares)
        causes = _mixed([one.causes for one in several], shares)
        others = _mixed([one.others for one in several], shares)
        first = min(several, key=lambda one: one.cost)
        cost = cost_of(total)
        begun = [one.born for one in several if one.born is not None]
        born = max(begun) if len(begun) == len(several) else None
        counted = _counted(first, several, shares)
        return cls(
            first.state, cost, actors, codes, causes, others, first.path, born, first.pending, counted,
            min([one.first for one in several]),
        )  # fmt: skip

    def told_apart(self) -> Sequence[Hypothesis]:
        """One hypothesis for each count that it leaves open, where they make a difference by now."""
        if not self.counted:
            return (self,)
        counts = self.state.counts
        rows = [[0 if now is None else now + n for n, now in zip(more, counts, strict=True)] for more in self.counted]
        if not any(min(column) < min(FEW, max(column)) for column in zip(*rows, strict=True)):
            return (self,)
        apart = []
        for (more, p), row in zip(self.counted.items(), rows, strict=True):
            if min(row) >= 0:
                state, cost = self.state.counted(more), self.cost + cost_of(p)
                apart.append(replace(self, state=state, cost=cost, pending=state.pending, counted=AS_COUNTED))
        return apart or (self,)


def _counted(first: Hypothesis, several: Sequence[Hypothesis], shares: Sequence[float]) -> Counts:
    """How the counts of `several` merged hypotheses differ from those of the `first`, with shares."""
    base = first.state.counts
    if all(one.counted is AS_COUNTED and one.state.counts == base for one in several):
        return AS_COUNTED
    found: dict[tuple[int, ...], float] = {}
    for one, share in zip(several, shares, strict=True):
        less = [(n or 0) - (of or 0) for n, of in zip(one.state.counts, base, strict=True)]
        for more, p in (one.counted or {(0,) * len(base): 1.0}).items():
            key = tuple([n + m for n, m in zip(more, less, strict=True)])
            found[key] = found.get(key, 0.0) + share * p
    kept = {more: p for more, p in found.items() if p >= LEAST_COUNTED}
    total = sum(kept.values())
    return {more: p / total for more, p in kept.items()}


def _merged(several: Iterable[Hypothesis]) -> list[Hypothesis]:
    """Those that have come to the same state made one."""
    alike: dict[object, list[Hypothesis]] = {}
    for one in several:
        alike.setdefault(one.state.sign, []).append(one)
    return list(map(Hypothesis.merged, alike.values()))


def cost_of(weight: float) -> float:
    return -10.0 * math.log10(max(weight, 1e-300))


def _mixed(rows: Sequence[Shares], shares: Sequence[float]) -> Shares:
    """The rows weighed by their shares; where all are alike, the first itself."""
    first = rows[0]
    if rows.count(first) == len(rows):
        return first
    found: Shares = {}
    for row, share in zip(rows, shares, strict=True):
        for key, p in row.items():
            found[key] = found.get(key, 0.0) + p * share
    return found


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The hypotheses before a change."""

    beam: list[Hypothesis]
    outliers: list[Hypothesis]
    spent: float
    """Decibans of the best of them since the round began."""
    evidence: Evidence
    """The change."""
    wide: bool
    """Faults have been looked for up to there."""


AnyOwner = TypeVar("AnyOwner")


def copied(one: AnyOwner) -> AnyOwner:
    """The same with lists, dicts and sets of its own.

    >>> belief = TableFilter([], lag=12)
    >>> copied(belief).beam is belief.beam
    False
    """
    other = copy(one)
    for name, value in vars(one).items():
        if isinstance(value, (list, dict, set)):
            setattr(other, name, value.copy())
    return other


class TableFilter:
    """The belief about one round. `advance` takes the next evidence.

    >>> from companion.rules import Board, Laid, load_ruleset
    >>> from companion.rules.position import Play
    >>> from companion.tracking.mexican_rounds import MexicanState
    >>> belief = TableFilter([MexicanState(load_ruleset("reeves"), Board("reeves").position, "Ann")], lag=12)
    >>> belief.advance(Evidence(0, (Piece(0, Play(Laid(12, 5), "Ann")),)))
    True
    >>> belief.beam[0].actors[0]
    {'Ann': 1.0}
    """

    def __init__(self, starts: Iterable[HypothesisState], lag: int) -> None:
        self.beam = [Hypothesis(state, 0.0) for state in starts]
        """The hypotheses."""
        self.outliers: list[Hypothesis] = []
        """Hypotheses in which much happened unseen."""
        self.lag = lag
        """An explanation may still change so many changes back; older ones are settled."""
        self.snapshots: list[Snapshot] = []
        self.spent = 0.0
        self.wide = False
        self.surprised = False
        self.cut_short = False

    def advance(self, evidence: Evidence) -> bool:
        """Let the belief explain this change; False where only the outlier explains it."""
        pieces = Pieces.of(evidence)
        self.snapshots.append(Snapshot(self.beam, self.outliers, self.spent, evidence, self.wide))
        first, spent = self._first_item(), self.spent
        if evidence.adopted:
            self._adopt(pieces, evidence, first)
            return False
        found, _ = self._explained(self.beam, pieces, partial(self._surprising, evidence))
        self.surprised = not found or self._surprising(evidence, found[0])
        self.cut_short = False
        self.wide = self.surprised
        if not self.surprised:
            grown = self._grown(self.beam, found, evidence, first)
            self.beam = grown[:CALM_BEAM]
        else:
            self._look_again()
        self._grow_outliers(pieces, evidence, first, spent)
        self._scale()
        while len(self.snapshots) > self.lag:
            self.snapshots.pop(0)
        if not self.beam:
            self.beam, self.outliers = self.outliers, []
            self.wide = False
            return False
        return True

    def _surprising(self, evidence: Evidence, cheapest: Explanation) -> bool:
        """Whether a broken rule may be as likely as this."""
        best = self.beam[0].cost
        unlikely = self.beam[cheapest.parent].cost >= best + UNLIKELY or cheapest.cost >= best + ILLEGAL
        return cheapest.errs or unlikely or _against_arms(cheapest, evidence) >= UNLIKE_ARM

    def _adopt(self, pieces: Pieces, evidence: Evidence, first: int) -> None:
        """Begin with the table as it lies: nobody can tell how it came about, and nobody looks for that again."""
        self.outliers, self.surprised, self.cut_short = [], True, False
        self._grow_outliers(pieces, evidence, first, self.spent)
        self.beam, self.outliers, self.wide = self.outliers, [], False
        self._scale()
        self.snapshots.clear()

    def settle(self) -> None:
        """Keep the likeliest hypothesis alone: nothing more comes."""
        self.beam, self.outliers = [min(self.all, key=lambda one: one.cost + one.pending)], []
        self.snapshots.clear()

    def explanations(self, evidence: Evidence, beam: Sequence[Hypothesis] | None = None) -> list[Explanation]:
        """How this change may have come about without a broken rule, the likeliest first; nothing is believed of it."""
        return self._explained(self.beam if beam is None else beam, Pieces.of(evidence))[0]

    def _first_item(self) -> int:
        return self.snapshots[0].evidence.number * ITEMS if self.snapshots else 0

    def _explained(
        self, beam: Sequence[Hypothesis], pieces: Pieces, enough: Callable[[Explanation], bool] | None = None
    ) -> tuple[list[Explanation], bool]:
        """Without a broken rule; no more than the cheapest where that is `enough`."""
        row, most = _row(beam), 2 * CALM_BEAM
        reach, keep, work = CALM_REACH, CALM_KEEP, CALM_WORK
        return explain(row, pieces, faults=False, reach=reach, keep=keep, most=most, work=work, enough=enough)

    def _look_again(self) -> None:
        """The last changes explained anew, with faults; the beam is empty where that fails too."""
        players = len(self.beam[0].state.players)
        start = max(0, len(self.snapshots) - players - 2)
        start = max((n for n in range(start, len(self.snapshots)) if self.snapshots[n].wide), default=start)
        beam, spent = self.snapshots[start].beam, self.snapshots[start].spent
        for n in range(start, len(self.snapshots)):
            step = self.snapshots[n]
            if n > start:
                self.snapshots[n] = replace(step, beam=beam, spent=spent, wide=True)
            pieces = Pieces.of(step.evidence)
            last = n == len(self.snapshots) - 1
            reach, work = (WIDE_REACH, WIDE_WORK) if last else (BACK_REACH, BACK_WORK)
            found, cut = explain(_row(beam), pieces, faults=True, reach=reach, most=2 * WIDE_BEAM, work=work)
            self.cut_short = self.cut_short or cut
            if not found:
                self.beam = []
                return
            grown = self._grown(beam, found, step.evidence, self._first_item())
            beam = grown[:WIDE_BEAM]
            spent += _scaled(beam)
        self.beam, self.spent = beam, spent

    def _grown(
        self, beam: Sequence[Hypothesis], found: Sequence[Explanation], evidence: Evidence, first: int
    ) -> list[Hypothesis]:
        """The hypotheses after these explanations, merged by state. Of explanations that assign the same players to the
        same pieces only the cheapest is kept: the others only permute acts."""
        alike: dict[object, list[Hypothesis]] = {}
        taken: set[object] = set()
        recent = {n: beam[n].since(first) for n in {one.parent for one in found}}
        for one in found:
            parent = recent[one.parent]
            sign = one.state.sign
            same = (one.parent, sign, _assigned(one.steps))
            if same in taken:
                continue
            taken.add(same)
            alike.setdefault(sign, []).append(parent.after(one, evidence))
        grown = list(map(Hypothesis.merged, alike.values()))
        apart = [variant for one in grown for variant in one.told_apart()]
        return sorted(grown if len(apart) == len(grown) else _merged(apart), key=lambda one: one.cost)

    def _grow_outliers(self, pieces: Pieces, evidence: Evidence, first: int, spent: float) -> None:
        """The outliers that were there go on; the change itself may be one where it has no faultless explanation.

        `spent`: what their costs are relative to.
        """
        grown: list[Hypothesis] = []
        alive = [
            replace(one, cost=one.cost + spent - self.spent)
            for one in self.outliers
            if one.born is not None and one.born * ITEMS >= first
        ]
        if alive:
            found, _ = explain(_row(alive), pieces, faults=False, reach=9, most=2 * MOST_OUTLIERS, work=CALM_WORK // 4)
            grown = self._grown(alive, found, evidence, first)
        if self.surprised:
            before = self.snapshots[-1].beam
            best = before[0]
            # The names of earlier acts stay as open as they were.
            outlier = Hypothesis.merged(before)
            clouded = evidence.clouded or evidence.guessed or evidence.adopted or len(evidence.laid) > MOST_AT_ONCE
            cause = Cause.UNSEEN_IN_CLUTTER if clouded else Cause.UNSEEN
            price = COST[cause]
            cost = best.cost + self.snapshots[-1].spent - self.spent + price
            if self.cut_short and self.beam:
                # A search that was cut short proves nothing.
                cost = min(cost, self.beam[0].cost + COST[Cause.CUT_SHORT])
            # Tiles that lay there before anybody watched are taken as they are read.
            unknown = (clouded or self.cut_short) and not evidence.adopted
            state = best.state.after_outlier(pieces, unknown=unknown)
            players = best.state.players
            steps = tuple(
                Step(piece.by or players[0], piece.act, piece.item, (), (cause,), 0 if n else price)
                for n, piece in enumerate(evidence.pieces)
            )
            outlier = outlier.since(first).after(Explanation(0, state, steps, cost), evidence)
            for piece in evidence.pieces:
                anybody = (piece.by,) if piece.by else players
                shares = {player: 10.0 ** (-piece.against(player)[0] / 10.0) for player in anybody}
                total = sum(shares.values())
                outlier.actors[piece.item] = {player: share / total for player, share in shares.items()}
            outlier.born = evidence.number
            grown.append(outlier)
        self.outliers = sorted(grown, key=lambda one: one.cost)[:MOST_OUTLIERS]

    def _scale(self) -> None:
        self.spent += _scaled((*self.beam, *self.outliers))

    @property
    def all(self) -> list[Hypothesis]:
        return [*self.beam, *self.outliers]

    def end(self) -> tuple[tuple[str, str | None] | None, float]:
        """The likeliest end of the round as it stands, and its share; None: it goes on."""
        shares: dict[tuple[str, str | None] | None, float] = {}
        for one in self.all:
            over = one.state.over
            shares[over] = shares.get(over, 0.0) + one.shown_weight
        likeliest = max(shares, key=lambda over: shares[over])
        return likeliest, shares[likeliest] / sum(shares.values())

    # ---- tiles taken back --------------------------------------------------------------------------------------

    def rewind(self, number: int) -> list[Evidence] | None:
        """The belief as it was before evidence `number`, and the changes from there on; None where it is settled."""
        if not self.snapshots or self.snapshots[0].evidence.number > number:
            return None
        for n, step in enumerate(self.snapshots):
            if step.evidence.number >= number:
                self.beam, self.outliers, self.spent, self.wide = step.beam, step.outliers, step.spent, step.wide
                rest = [one.evidence for one in self.snapshots[n:]]
                del self.snapshots[n:]
                return rest
        return []

    def put_on(self, states: Callable[[HypothesisState], HypothesisState]) -> None:
        """Every hypothesis goes on in another state, and nothing before can be explained anew."""
        self.beam = [replace(one, state=states(one.state)) for one in self.beam]
        self.outliers = [replace(one, state=states(one.state)) for one in self.outliers]
        self.snapshots.clear()


UNLIKELY = ILLEGAL + COST[Cause.ON_OWN_TRAIN] - CALM_REACH
"""Where only a hypothesis so much dearer than the best explains a change, a broken rule from the best one would be
within the reach of that. So it may be as likely where the best explanation is as dear as a broken rule. At 12, one of
280 told rounds accused an innocent player, at 9 one of 14 others."""

UNLIKE_ARM = 8
"""Where the cheapest explanation is so unlike the arms that were seen, somebody else may have broken a rule."""

MOST_AT_ONCE = 5
"""Most of a change of more tiles was out of sight, so a seeming fault in it proves little."""


def _scaled(hypotheses: Iterable[Hypothesis]) -> float:
    """Make the cheapest of them cost nothing; what it cost."""
    hypotheses = list(hypotheses)
    least = min((one.cost for one in hypotheses), default=0.0)
    for one in hypotheses:
        one.cost -= least
    return least


def _against_arms(found: Explanation, evidence: Evidence) -> int:
    """The cost of an explanation where other players' arms were seen."""
    arms = {piece.item: piece.actors for piece in evidence.pieces if piece.actors}
    return sum(
        arms[step.item].get(step.player, 0) for step in found.steps if step.act is not None and step.item in arms
    )


def _row(hypotheses: Sequence[Hypothesis]) -> list[tuple[float, HypothesisState]]:
    """The states that the search starts from, with their costs; things still unseen add theirs."""
    return [(one.cost + one.state.overdue, one.state) for one in hypotheses]


def _assigned(steps: Sequence[Step]) -> frozenset[tuple[object, object]]:
    """The player of each item, the tiles that are others, and the codes against each player."""
    made = {(step.item, step.player) for step in steps if step.item is not None and step.act is not None}
    others = {(step.item, step.act) for step in steps if _is_another(step)}
    return frozenset(made | others | {(code, step.player) for step in steps for code in step.codes})
