"""What happened between two still tables: every row of turns that explains the change is weighed.

Legal if any story is legal; else the cheapest faulty ones are named. Source: docs/rules.md section 9. The search walks
player by player; while a legal story is looked for a faulty turn ends its branch, and faulty ones are only looked for
with as many faulty turns as are needed, so the work stays bounded for a change of four tiles and eight players.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations_with_replacement, permutations, product

from companion.rules.actions import MEXICAN, Action, Draw, Mark, Play, Unmark
from companion.rules.mexican.judge import after_turn, judge_turn, play_out
from companion.rules.mexican.stories import Inference, Story, TurnStory
from companion.rules.notation import Change, Drawing, Laying, Vanishing
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.ruling import Ruling
from companion.rules.violations import Violation as V

MOST_WORK = 40_000
"""Acts ruled on before the search gives up: nothing is explained and nobody is blamed. It is reached by changes of six
and more tiles that fit nowhere; four tiles take less than a tenth of it."""
MOST_MIXED_TILES = 5
"""More tiles than this in one faulty turn are told train by train only, not in every mixed order."""
ASSUMED_DRAWS = 2
"""At most so many draws are assumed in one turn where the boneyard cannot be counted, beyond one for each double."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """A part of a change: plays per train from the inside out, draws, markers."""

    plays: tuple[tuple[Play, ...], ...]
    draws: int
    markers: tuple[Mark | Unmark, ...]

    @property
    def empty(self) -> bool:
        return not self.draws and not self.markers and not any(self.plays)

    @property
    def tiles(self) -> int:
        return sum(map(len, self.plays))


def infer(rules: RuleSet, before: Position, delta: Iterable[Change], expected: str) -> Inference:
    """Explain the change `delta` of the table `before`, `expected` to move next. Source: docs/rules.md section 9."""
    changes = tuple(c for c in delta if c != Drawing(0))
    if any(isinstance(c, Vanishing) for c in changes):
        return Inference(explainable=False, vanished=True)
    if not changes:
        return Inference(explainable=True)
    first_turn = before.first_turn
    if expected != before.turn:
        first_turn = first_turn and not before.trains.get(expected) and expected not in before.markers
    table = replace(before, turn=expected, first_turn=first_turn)
    rest = _remainder(changes)
    search = _Search(rules, table)
    try:
        legal = tuple(search.stories(table, rest, 0))
        if legal:
            return Inference(explainable=True, stories=legal)
        return Inference(explainable=False, stories=_cheapest(search, table, rest))
    except _TooManyError:
        return Inference(explainable=False)


def _remainder(changes: Sequence[Change]) -> Remainder:
    trains: dict[str, list[Play]] = {}
    for change in changes:
        if isinstance(change, Laying):
            trains.setdefault(change.train, []).append(Play(change.tile, change.train))
    draws = sum(c.count for c in changes if isinstance(c, Drawing))
    markers = tuple(dict.fromkeys(c for c in changes if isinstance(c, Mark | Unmark)))
    return Remainder(tuple(map(tuple, trains.values())), draws, markers)


def _cheapest(search: _Search, table: Position, rest: Remainder) -> tuple[Story, ...]:
    """The faulty stories with the fewest faulty turns, the dominated ones dropped."""
    for budget in range(1, len(table.players) + 1):
        stories = [*search.stories(table, rest, budget)]
        if budget == 1 and not search.laid_together(table):
            stories.extend(search.out_of_turn(table, rest))
        if stories:
            return _undominated(stories)
    return ()


def _undominated(stories: Sequence[Story]) -> tuple[Story, ...]:
    """Of two that blame the same players, the one whose codes include all of the other's is dropped."""
    distinct: dict[str, tuple[Story, dict[str, frozenset[V]]]] = {}
    for story in stories:
        distinct.setdefault(str(story), (story, story.blames))
    kept = []
    for text, (story, blames) in distinct.items():
        for other_text, (_, other) in distinct.items():
            if text != other_text and blames.keys() == other.keys() and all(blames[p] >= other[p] for p in blames):
                break
        else:
            kept.append(story)
    return tuple(kept)


class _TooManyError(Exception):
    """The search has ruled on more turns than it is worth."""


class _Search:
    """The walk over the row of turns from `table.turn` on."""

    def __init__(self, rules: RuleSet, table: Position) -> None:
        self.rules = rules
        self.countable = table.boneyard is not None
        self.players = len(table.players)
        self.first = table.turn
        self._work = 0
        self._walked: dict[tuple[object, ...], tuple[tuple[TurnStory, ...], ...]] = {}

    def stories(self, table: Position, rest: Remainder, budget: int) -> Iterator[Story]:
        """All stories with exactly `budget` faulty turns (0: the faultless ones)."""
        if self.laid_together(table):
            for turns in self._together(table, rest, budget):
                yield Story(turns)
            return
        for turns in self._walk(table, rest, budget, ended=False):
            yield Story(turns)

    def laid_together(self, table: Position) -> bool:
        """Whether everybody lays the first train at the same time."""
        return self.rules.first_simultaneous and table.first_turn

    def _together(self, table: Position, rest: Remainder, budget: int) -> Iterator[tuple[TurnStory, ...]]:
        """First trains in any order: each player's tiles and marker are his. What is left was anybody's in that lap,
        or, when all have begun (who has not put the marker on is at fault), an ordinary turn's."""
        start = table.players.index(self.first)
        row = table.players[start:] + table.players[:start]
        own = {
            player: Remainder(
                tuple(plays for plays in rest.plays if plays and plays[0].train == player),
                0,
                tuple(marker for marker in rest.markers if marker.player == player),
            )
            for player in row
        }
        left = Remainder(
            tuple(plays for plays in rest.plays if plays and plays[0].train not in row),
            rest.draws,
            tuple(marker for marker in rest.markers if marker.player not in row),
        )
        for shares in self._dealt_out(own, left):
            for turns, _ in self._first_turns(table, shares, budget):
                if sum(bool(turn.ruling.codes) for turn in turns) == budget:
                    yield turns
        if left.empty:
            return
        for turns, following in self._first_turns(table, own, budget):
            faulty = sum(bool(turn.ruling.codes) for turn in turns)
            late = [name for name in row if not following.trains.get(name) and name not in following.markers]
            passes = tuple(self._tell(_to(following, name, True), (), _NOTHING, False) for name in late)
            if faulty + len(late) > budget:
                continue
            self.first = _starter(table, row)
            for tail in self._walk(_to(following, self.first, False), left, budget - faulty - len(late), ended=False):
                yield (*turns, *passes, *tail)
            self.first = row[0]

    def _dealt_out(self, own: dict[str, Remainder], left: Remainder) -> Iterator[dict[str, Remainder]]:
        """Every way in which the players may have done what is left, beside what is their own."""
        units: list[Play | None] = [play for plays in left.plays for play in plays] + [None] * left.draws
        for players in product(own, repeat=len(units)):
            self._count_work(1)
            shares = dict(own)
            for unit, player in zip(units, players, strict=True):
                share = shares[player]
                if unit is None:
                    shares[player] = replace(share, draws=share.draws + 1)
                else:
                    shares[player] = replace(share, plays=_with_play(share.plays, unit))
            if left.markers:
                last = next((name for name in reversed(own) if not shares[name].empty), self.first)
                shares[last] = replace(shares[last], markers=(*shares[last].markers, *left.markers))
            yield shares

    def _first_turns(
        self, table: Position, shares: dict[str, Remainder], budget: int
    ) -> Iterator[tuple[tuple[TurnStory, ...], Position]]:
        """The turns of all who have done something, with at most `budget` faulty ones, and the table after them.

        Whose tile came first matters only where one lies there twice.
        """
        seats = list(shares)
        row = [(player, share) for player, share in shares.items() if not share.empty]
        laid = [play.tile.tile for _, share in row for plays in share.plays for play in plays]

        def go(
            busy: Sequence[tuple[str, Remainder]], n: int, now: Position, faulty: int
        ) -> Iterator[tuple[tuple[TurnStory, ...], Position]]:
            if n == len(busy):
                yield (), now
                return
            player, share = busy[n]
            mine = _to(now, player, True)
            for turn in self._tellings(mine, share, False, budget - faulty):
                worse = faulty + bool(turn.ruling.codes)
                if worse <= budget:
                    following = play_out(self.rules, mine, turn.acts).table()
                    for tail, after in go(busy, n + 1, following, worse):
                        yield (turn, *tail), after

        for busy in permutations(row) if len(set(laid)) < len(laid) else (row,):
            for turns, after in go(busy, 0, table, 0):
                yield tuple(sorted(turns, key=lambda turn: seats.index(turn.player))), after

    def _walk(self, table: Position, rest: Remainder, budget: int, ended: bool) -> tuple[tuple[TurnStory, ...], ...]:
        """The rows of turns from `table.turn` on. What is left of the change determines the table but for the order of
        the open doubles and the counts of the hands, so rows that meet again share their tails."""
        key = (table.turn, rest, budget, ended, table.open, table.first_turn, tuple(table.hands.items()))
        known = self._walked.get(key)
        if known is None:
            known = self._walked[key] = tuple(self._step(table, rest, budget, ended))
        return known

    def _step(self, table: Position, rest: Remainder, budget: int, ended: bool) -> Iterator[tuple[TurnStory, ...]]:
        last_seat = table.after(table.turn) == self.first
        counts = _counts([len(plays) for plays in rest.plays]) if budget else self._legal_counts(table, rest)
        for share, left in self._shares(table, rest, counts, last_seat):
            if last_seat and not left.empty:
                continue
            visible = bool(share.tiles or share.draws or share.markers)
            for turn in self._tellings(table, share, ended, budget):
                faulty = 1 if turn.ruling.codes else 0
                if left.empty:
                    if visible and faulty == budget:
                        yield (turn,)
                elif faulty <= budget:
                    following = after_turn(self.rules, table, turn.acts)
                    over = ended or self._went_out(table, following)
                    for tail in self._walk(following, left, budget - faulty, over):
                        yield (turn, *tail)

    def _count_work(self, acts: int) -> None:
        self._work += acts
        if self._work > MOST_WORK:
            raise _TooManyError

    def _legal_counts(self, table: Position, rest: Remainder) -> Iterator[tuple[int, ...]]:
        """How many tiles of each train a faultless turn can have laid.

        In a long turn the own train's only, and all of them when everybody after is in a long turn too; in an ordinary
        turn the first tile that is no double completes it.
        """
        if self.rules.long_first and table.first_turn:
            mine = {table.turn, MEXICAN} if self.rules.mx_from_turn == 1 else {table.turn}
            lengths = [len(plays) if plays and plays[0].train in mine else 0 for plays in rest.plays]
            whole = self.rules.mx_from_turn > 1 and self._all_begin(table)
            return iter([tuple(lengths)]) if whole else _counts(lengths)
        return _counts_with_one_plain(rest.plays)

    def _all_begin(self, table: Position) -> bool:
        """Whether every player who can follow in the row has not begun yet."""
        player = table.after(table.turn)
        while player != self.first:
            if table.trains.get(player) or player in table.markers:
                return False
            player = table.after(player)
        return True

    def _went_out(self, before: Position, after: Position) -> bool:
        """Whether the hand is known to be empty and the round ends with it."""
        out = after.hands.get(before.turn) == 0
        return out and not (self.rules.finish_first_lap and before.first_turn)

    def _shares(
        self, table: Position, rest: Remainder, every_count: Iterable[tuple[int, ...]], last_seat: bool
    ) -> Iterator[tuple[Remainder, Remainder]]:
        """Every part of the change that this player may have made, with what is left for the others."""
        for counts in every_count:
            self._count_work(1)
            mine = tuple(plays[:n] for plays, n in zip(rest.plays, counts, strict=True))
            others = tuple(plays[n:] for plays, n in zip(rest.plays, counts, strict=True))
            for draws in range(rest.draws + 1):
                final = not any(others) and draws == rest.draws
                for markers, left in self._marker_shares(table, rest.markers, final, last_seat):
                    yield Remainder(mine, draws, markers), Remainder(others, rest.draws - draws, left)

    def _marker_shares(
        self, table: Position, markers: tuple[Mark | Unmark, ...], final: bool, last_seat: bool
    ) -> Iterator[tuple[tuple[Mark | Unmark, ...], tuple[Mark | Unmark, ...]]]:
        """A change on P's train belongs to P's turn or, when P has none in the row, to the last turn.

        So this turn takes the own changes; and where it can be the row's last turn, it may take those of everybody
        who has no turn in the row.
        """
        own = tuple(m for m in markers if m.player == table.turn)
        others = tuple(m for m in markers if m.player != table.turn)
        if not last_seat or not final:
            yield own, others
        if final and others and all(self._is_later(table, m.player) for m in others):
            yield (*own, *others), ()
        elif last_seat and final and not others:
            yield own, ()

    def _is_later(self, table: Position, player: str) -> bool:
        """Whether `player` has no turn up to and including this one (or is no player at all)."""
        if player not in table.players:
            return True
        start = table.players.index(self.first)
        reach = (table.players.index(table.turn) - start) % self.players
        return (table.players.index(player) - start) % self.players > reach

    def _tellings(self, table: Position, share: Remainder, ended: bool, budget: int) -> Iterator[TurnStory]:
        """The share as a turn, in every order of its tiles; without a budget only in the faultless ones."""
        if not budget:
            orders = self._faultless_orders(replace(table, hands={}), (), share.plays)
        elif share.tiles > MOST_MIXED_TILES:
            orders = (tuple(chain.from_iterable(blocks)) for blocks in permutations(share.plays))
        else:
            orders = _orders(share.plays)
        for plays in orders:
            turn = self._tell(table, plays, share, ended)
            if budget or turn.ruling.legal:
                yield turn

    def _faultless_orders(
        self, table: Position, laid: tuple[Play, ...], rest: Sequence[tuple[Play, ...]]
    ) -> Iterator[tuple[Play, ...]]:
        """The orders in which every tile may be laid, grown tile by tile. `table` knows no hand: only the count of a
        hand could make a draw matter here."""
        if not any(rest):
            yield laid
            return
        self._count_work(1 + len(laid))
        turn = play_out(self.rules, table, laid)
        for i, plays in enumerate(rest):
            if plays and not turn.faults_of(plays[0].tile, plays[0].train).certain:
                yield from self._faultless_orders(table, (*laid, plays[0]), (*rest[:i], plays[1:], *rest[i + 1 :]))

    def _tell(self, table: Position, plays: tuple[Play, ...], share: Remainder, ended: bool) -> TurnStory:
        """The earliest legal place of each draw, or the place that leaves the fewest codes."""
        counts: Iterable[int] = (share.draws,)
        if not self.countable:
            # A tile that is no double completes the turn: a draw more could mend nothing, unless the hand is counted or
            # the source may let whoever drew put the marker on all the same.
            needless = table.turn not in table.hands and any(not p.tile.is_double for p in plays)
            if self.rules.leaves_open("marker_after") and Mark(table.turn) in share.markers:
                needless = False
            counts = (0,) if needless else range(ASSUMED_DRAWS + sum(p.tile.is_double for p in plays))
        best: TurnStory | None = None
        for draws in counts:
            for places in combinations_with_replacement(range(len(plays) + 1), draws):
                acts: list[Action] = []
                for i in range(len(plays) + 1):
                    acts.extend(Draw() for place in places if place == i)
                    acts.extend(plays[i : i + 1])
                acts.extend(share.markers)
                self._count_work(1 + len(acts))
                ruling = judge_turn(self.rules, table, acts, after_round_end=ended)
                turn = TurnStory(table.turn, tuple(acts), ruling)
                if ruling.legal and (self.countable or V.NO_DRAW not in ruling.may):
                    return turn
                if best is None or _cost(ruling) < _cost(best.ruling):
                    best = turn
        assert best is not None
        return best

    def out_of_turn(self, table: Position, rest: Remainder) -> Iterator[Story]:
        """Another player than the expected one made the whole change in one turn, faultless but for its moment."""
        for player in table.players:
            if player == table.turn:
                continue
            first_turn = table.first_turn and not table.trains.get(player) and player not in table.markers
            theirs = replace(table, turn=player, first_turn=first_turn)
            for turn in self._tellings(theirs, rest, False, 0):
                yield Story((replace(turn, ruling=Ruling.of([V.OUT_OF_TURN])),))
                break


_NOTHING = Remainder((), 0, ())


def _starter(table: Position, row: tuple[str, ...]) -> str:
    """Who started the round, when the first of `row` is the next who has not begun: whoever begins the row of those
    before him who have."""
    starter = row[0]
    for player in reversed(row[1:]):
        if not table.trains.get(player) and player not in table.markers:
            break
        starter = player
    return starter


def _to(table: Position, player: str, first_turn: bool) -> Position:
    return replace(table, turn=player, first_turn=first_turn)


def _with_play(chains: tuple[tuple[Play, ...], ...], play: Play) -> tuple[tuple[Play, ...], ...]:
    """The tiles by train, with one more at the end of its train."""
    for n, plays in enumerate(chains):
        if plays[0].train == play.train:
            return (*chains[:n], (*plays, play), *chains[n + 1 :])
    return (*chains, (play,))


def _cost(ruling: Ruling) -> tuple[int, int]:
    return len(ruling.codes), len(ruling.may)


def _counts(lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """How many tiles of each train one turn may have laid: every tuple up to `lengths`."""
    if not lengths:
        yield ()
        return
    for n in range(lengths[0] + 1):
        for rest in _counts(lengths[1:]):
            yield (n, *rest)


def _orders(chains: Sequence[tuple[Play, ...]]) -> Iterator[tuple[Play, ...]]:
    """Every order of the tiles that keeps each train's order from the inside out."""
    if not any(chains):
        yield ()
        return
    for i, plays in enumerate(chains):
        if plays:
            rest = (*chains[:i], plays[1:], *chains[i + 1 :])
            for tail in _orders(rest):
                yield (plays[0], *tail)


def _counts_with_one_plain(chains: Sequence[tuple[Play, ...]]) -> Iterator[tuple[int, ...]]:
    """The counts that hold at most one tile which is no double."""

    def grow(i: int, plain: int) -> Iterator[tuple[int, ...]]:
        if i == len(chains):
            yield ()
            return
        for n in range(len(chains[i]) + 1):
            if n and not chains[i][n - 1].tile.is_double:
                plain += 1
            if plain > 1:
                return
            for tail in grow(i + 1, plain):
                yield (n, *tail)

    return grow(0, 0)
