"""Where clear arms and the table together make a fault certain that the table alone leaves open, code by code.

Turn order, counts and markers make nothing certain by themselves (`verdict.NEVER_CERTAIN`): the acts that the fault is
made of may be another player's. Where the arms over them were clear, that story is excluded. The belief has to be as
sure of the fault as of any other, so an arm alone never outweighs a legal story.

The result of the belief: who laid what, who broke which rule, and how surely. Thresholds are in costs.py.

Ask people at most one good question, where the table will not tell and an answer decides something.

Why the belief names whom it names: the hypotheses about one piece, what each costs and what it rests on.

People's statements about the pieces of a round are evidence with a price for being wrong.

A statement never resets the belief. A charge that may be certain is judged a second time as if statements counted for
nothing: nobody is accused for certain because of what somebody entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from companion.log.event_fields import Confidence
from companion.rules.notation import print_laid
from companion.rules.position import MEXICAN, SECOND_MEXICAN, Discard, Draw, End, Mark, Pass, Play, TableAct
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.costs import (
    ACCUSED,
    CERTAIN,
    CLOSE_DB,
    COST,
    HELD_AGAINST,
    NAMED,
    OF_VALUES,
    POSSIBLE,
    PRIORS,
    READ,
    WEIGHTY,
    Cause,
)
from companion.tracking.evidence import ITEMS, Evidence, Piece, Step
from companion.tracking.filter import Hypothesis, TableFilter, cost_of

MOST_DB = 10
"""For a certain accusation no arm counts for more. With a quarter of confusing arms one clear arm in ten is somebody
else's (models/CARD-arms.md), and one told round in 150 accused a neighbour before this was so."""

Proof = Callable[[Sequence[Piece], int, str], bool]
"""The standing pieces of the round in order, the place of the piece that is charged, and the player."""


def arms_doubted(
    actors: Mapping[str, float], codes: Mapping[tuple[str, str], float], arm: Mapping[str, int]
) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    """The shares of the players of a piece, and of the violations by player, if its arm counts for `MOST_DB` at most.

    `arm`: player -> decibans that the belief has weighed.
    """
    back = {player: 10.0 ** (max(0, arm.get(player, 0) - MOST_DB) / 10.0) for player in actors}
    total = sum(share * back[player] for player, share in actors.items())
    if not total:
        return dict(actors), dict(codes)
    return (
        {player: share * back[player] / total for player, share in actors.items()},
        {(code, player): share * back.get(player, 1.0) / total for (code, player), share in codes.items()},
    )


def proved_by_arms(code: str, player: str, item: int, pieces: Sequence[Piece]) -> bool:
    """Whether the arms over the acts that this charge is made of were clear, and this player's."""
    proof = _PROOFS.get(code)
    place = next((n for n, piece in enumerate(pieces) if piece.item == item), None)
    return proof is not None and place is not None and pieces[place].arm == player and proof(pieces, place, player)


def _marked_after_own_tile(pieces: Sequence[Piece], place: int, player: str) -> bool:
    """The tile before the marker is not somebody else's, after whom the player had to mark."""
    marker = pieces[place]
    if marker.act != Mark(player):
        return False
    with_it = [piece for piece in pieces if isinstance(piece.act, Play) and _change(piece) == _change(marker)]
    if with_it:
        return any(piece.arm == player for piece in with_it)
    before = _tile_before(pieces, place)
    return before is not None and before.arm == player and _change(marker) - _change(before) == 1


def _laid_by_this_hand(pieces: Sequence[Piece], place: int, player: str) -> bool:
    """The tile is not of somebody who may lay there already."""
    return isinstance(pieces[place].act, Play)


_PROOFS: dict[str, Proof] = {
    str(V.MARKER_UNEARNED): _marked_after_own_tile,
    str(V.MX_TOO_EARLY): _laid_by_this_hand,
}


def _tile_before(pieces: Sequence[Piece], place: int) -> Piece | None:
    return next((piece for piece in reversed(pieces[:place]) if isinstance(piece.act, Play)), None)


def _change(piece: Piece) -> int:
    return piece.item // ITEMS


COUNTED = frozenset(
    map(
        str,
        (
            V.NO_DRAW, V.EXTRA_DRAW, V.DRAW_FROM_EMPTY, V.DRAW_FIRST_TURN, V.EXTRA_TILE, V.PASS_WITHOUT_DISCARD,
            V.OUT_OF_TURN, V.MARKER_WRONG_TRAIN, V.MARKER_MISSING, V.MARKER_NOT_REMOVED,
        ),
    )
)  # fmt: skip
"""Faults that rest on a count of face-down tiles, on turn order alone, on a hand that moved a marker unseen, or on a
marker that no picture shows: one oversight of the camera would accuse an innocent player."""

NEVER_CERTAIN = COUNTED.union(
    map(str, (V.MARKER_UNEARNED, V.DUPLICATE_TILE, V.MULTIPLICITY, V.MX_TOO_EARLY, V.SECOND_MEXICAN))
)
"""Policy: violations inferred from counts, turn order, marker state or a second reading are never certain while the
camera watches, except where clear arms tell who acted (`proved_by_arms`). Relax it code by code, with evidence. A
second Mexican train is more often a player's train that begins in the wrong place: it is proved once it lies there in
`ENOUGH_PICTURES` beside the Mexican train and a train of every player."""

ENOUGH_PICTURES = 3


OF_DOUBLES = frozenset(map(str, (V.OPEN_DOUBLE_IGNORED, V.DOUBLE_ORDER, V.DOUBLE_NOT_FOLLOWED, V.EXTRA_NOT_ON_DOUBLE)))
"""Violations that rest on an open double."""


NO_PROOF = (Cause.MISREAD, Cause.ANOTHER_TILE, Cause.UNREAD_TILE, Cause.ON_ANOTHER_TILE, Cause.UNSEEN_IN_CLUTTER)
"""Innocent reasons for a tile that does not fit: a picture that was not understood proves nothing."""


NOT_SETTLED = (Cause.MARKED_IN_LAP,)
"""No source says whether this is a fault: what may rest on it is possible at most."""


NO_ARMS: Mapping[int, Mapping[str, int]] = {}


@dataclass(frozen=True, slots=True)
class Charge:
    """A violation that the belief finds."""

    code: str
    by: str | None
    """None: it is open who it was."""
    certain: bool
    """Its share is beyond the threshold."""
    p: float
    proved: bool = False
    """One picture proves it, whoever it was."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One piece as the belief has it."""

    item: int
    act: TableAct
    """With the tile that most likely lies there, which may be another one than was read."""
    by: str | None
    """None: nobody can be named."""
    p: float
    """The share of the likeliest player."""
    maybe: tuple[str, ...] = ()
    """The players it may have been, the likeliest first."""
    charges: tuple[Charge, ...] = ()
    taken_back: bool = False
    tiles: tuple[tuple[Laid, float], ...] = ()
    """The tiles that it may be, the likeliest first; none where the eye read it and nothing speaks against that."""

    def unread(self, reading: Confidence) -> tuple[bool, bool]:
        """Whether its inner and its outer half are a mere guess: the eye did not read it as what is shown (`reading`),
        or much speaks against that, and the table does not tell it either.

        >>> verdict = Verdict(1, Play(Laid(5, 9), "Ann"), "Ann", 1.0, tiles=((Laid(5, 9), 0.7), (Laid(5, 10), 0.3)))
        >>> verdict.unread(Confidence((0.6, 0.6), (((4, 0.4),), ((10, 0.3),))))
        (False, True)
        """
        inner, outer = (self._is_open(half, p) for half, p in enumerate(reading.p))
        return inner, outer

    def _is_open(self, half: int, p: float) -> bool:
        shares: dict[int, float] = {}
        for tile, share in self.tiles:
            shares[tile[half]] = shares.get(tile[half], 0.0) + share
        shown, *others = shares.values()
        return min(p, shown) < READ and (shown < TOLD or max(others, default=0.0) > NOTHING_ELSE)


TOLD, NOTHING_ELSE = 0.95, 0.01
"""A half that it has not read shows the value of which the belief holds the first at least, if no other has more than
the second."""


@dataclass(slots=True)
class Marginals:
    """Shares of players, charges, causes and other tiles over all hypotheses, each item by itself.

    >>> from companion.rules import Board, load_ruleset
    >>> from companion.rules.position import Play
    >>> from companion.tracking.evidence import Evidence, Piece
    >>> from companion.tracking.filter import TableFilter
    >>> from companion.tracking.mexican_rounds import MexicanState
    >>> start = MexicanState(load_ruleset("reeves"), Board("reeves").position, "Ann", anyone=True)
    >>> belief = TableFilter([start], lag=12)
    >>> seen = belief.advance(Evidence(0, (Piece(0, Play(Laid(12, 5), "MX")),)))
    >>> {player: round(share, 2) for player, share in Marginals.over(belief.beam).actors[0].items()}
    {'Ann': 0.5, 'Ben': 0.5}
    """

    actors: dict[int, dict[str, float]] = field(default_factory=dict)
    codes: dict[int, dict[tuple[str, str], float]] = field(default_factory=dict)
    causes: dict[int, dict[Cause, float]] = field(default_factory=dict)
    others: dict[int, dict[Laid, float]] = field(default_factory=dict)

    @classmethod
    def over(cls, hypotheses: Sequence[Hypothesis], before: float = inf) -> Marginals:
        """Of all items, or of those `before` one."""
        found = cls()
        if all(one.first >= before for one in hypotheses):
            return found
        total = sum(one.shown_weight for one in hypotheses)
        rows: dict[tuple[int, int], tuple[dict[str, float], float]] = {}
        charged: dict[tuple[int, str, str], float] = {}
        assumed: dict[tuple[int, Cause], float] = {}
        for one in hypotheses:
            share = one.shown_weight / total
            for item, row in one.actors.items():
                if item >= before:
                    continue
                # Most hypotheses have most rows in common.
                key = (item, id(row))
                known = rows.get(key)
                rows[key] = (row, share if known is None else known[1] + share)
            for charge, p in one.codes.items():
                if charge[0] < before:
                    charged[charge] = charged.get(charge, 0.0) + share * p
            for cause, p in one.causes.items():
                if cause[0] < before:
                    assumed[cause] = assumed.get(cause, 0.0) + share * p
            for (item, tile), p in one.others.items():
                tiles = found.others.setdefault(item, {})
                tiles[tile] = tiles.get(tile, 0.0) + share * p
        for (item, _), (row, share) in rows.items():
            actors = found.actors.setdefault(item, {})
            for player, p in row.items():
                actors[player] = actors.get(player, 0.0) + share * p
        for (item, code, player), p in charged.items():
            found.codes.setdefault(item, {})[code, player] = p
        for (item, why), p in assumed.items():
            found.causes.setdefault(item, {})[why] = p
        return found

    def tiles_of(self, item: int, act: Play) -> tuple[tuple[Laid, float], ...]:
        """The tiles that most likely lie there: the one that was read, and others.

        That it is some other tile, nobody knows which, says nothing for one of them.
        """
        others = self.others.get(item, {})
        as_read = 1.0 - sum(others.values()) - self.causes.get(item, {}).get(Cause.MISREAD, 0.0)
        rows = {act.tile: max(0.0, as_read), **others}
        return tuple(sorted(rows.items(), key=lambda one: (one[1], one[0] == act.tile, one[0]), reverse=True))


def judge_item(
    item: int,
    act: TableAct,
    marginals: Marginals,
    proved: Sequence[str],
    players: Sequence[str],
    pieces: Sequence[Piece] = (),
    arms: Mapping[int, Mapping[str, int]] = NO_ARMS,
) -> Verdict:
    """The verdict on one piece. `proved`: what one picture proves of the tile, if it was read rightly; `pieces`: all of
    the round that stand; `arms`: item -> what it costs by the arms that were seen that a player made it."""
    actors = marginals.actors.get(item, {})
    ranked = list(actors.items())
    if len(ranked) > 1:
        seats = {player: n for n, player in enumerate(players)}
        ranked.sort(key=lambda one: (-round(one[1], 9), seats.get(one[0], len(seats))))
    best, p = ranked[0] if ranked else (None, 0.0)
    codes = marginals.codes.get(item, {})
    arm = arms.get(item)
    # Nobody is accused for certain on the strength of an arm.
    doubted, doubted_codes = arms_doubted(actors, codes, arm) if arm else (actors, codes)
    told = doubted_codes, marginals.causes.get(item, {})
    mine = next((piece for piece in pieces if piece.item == item), None)
    stated = None if mine is None else mine.stated_player
    charges = list(_charges(item, codes, *told, proved, pieces, players, best if p >= NAMED else stated))
    tiles: tuple[tuple[Laid, float], ...] = ()
    lies = act
    if isinstance(act, Play) and (item in marginals.others or (mine is not None and not mine.is_sure)):
        tiles = marginals.tiles_of(item, act)
        lies = Play(tiles[0][0], act.train)
    if lies != act:
        # Faults of the misread tile do not count against one that fits.
        charges = [charge for charge in charges if charge.code not in OF_VALUES]
    if any(charge.certain for charge in charges):
        by = best if best is not None and min(p, doubted[best]) >= ACCUSED else None
    else:
        by = best if p >= NAMED else None
    likely = tuple(name for name, share in ranked if share >= 0.01)
    blamed = tuple(charge.by for charge in charges if charge.by is not None)
    maybe = tuple(dict.fromkeys((*likely, *blamed)))
    if by is not None and not any(name != by for name in blamed):
        maybe = ()
    return Verdict(item, lies, by, p, maybe, tuple(charges), tiles=tiles)


def _charges(
    item: int,
    codes: Mapping[tuple[str, str], float],
    doubted: Mapping[tuple[str, str], float],
    causes: Mapping[Cause, float],
    proved: Sequence[str],
    pieces: Sequence[Piece],
    players: Sequence[str],
    known: str | None = None,
) -> list[Charge]:
    """`doubted` is what is left of the shares `codes` where arms count for less; `known`: whose the act
    is, or who people say made it."""
    least = {key: min(share, doubted.get(key, 0.0)) for key, share in codes.items()}
    found: list[Charge] = []
    right = 1.0 - sum(causes.get(cause, 0.0) for cause in NO_PROOF)
    settled = 1.0 - sum(causes.get(cause, 0.0) for cause in NOT_SETTLED)
    for code in proved if right >= POSSIBLE else ():
        # While it lies there it stays proved; whose it is may be open.
        found.append(Charge(code, _only(least, code), right >= CERTAIN, right, True))
    for code in sorted({code for code, _ in codes}):
        if code in proved:
            continue
        p = sum(share for (one, _), share in codes.items() if one == code)
        if p < POSSIBLE:
            continue
        surely = sum(share for (one, _), share in least.items() if one == code)
        certain = min(surely, settled) >= CERTAIN and (
            code not in NEVER_CERTAIN
            or _by_arms(item, least, code, pieces)
            or _one_too_many(item, code, pieces, players)
        )
        if certain and not (code in OF_DOUBLES and _beside_a_doubtful_double(item, pieces)):
            found.append(Charge(code, _only(least, code), True, p))
        else:
            held = [
                Charge(code, player, False, share)
                for (one, player), share in sorted(codes.items())
                if one == code and share >= (POSSIBLE if player == known else HELD_AGAINST)
            ]
            found += held or ([Charge(code, None, False, p)] if p >= HELD_AGAINST else [])
    return found


def _beside_a_doubtful_double(item: int, pieces: Sequence[Piece]) -> bool:
    """Whether a train ended in a double that was not surely read when this piece came. It may be no double, or no tile:
    a gap between two slots of a hub has passed for a 0-0."""
    ends = {piece.act.train: piece for piece in pieces if isinstance(piece.act, Play) and piece.item < item}
    return any(isinstance(one.act, Play) and one.act.tile.is_double and not one.is_sure for one in ends.values())


def _by_arms(item: int, codes: Mapping[tuple[str, str], float], code: str, pieces: Sequence[Piece]) -> bool:
    player = _only(codes, code)
    return player is not None and proved_by_arms(code, player, item, pieces)


def _one_too_many(item: int, code: str, pieces: Sequence[Piece], players: Sequence[str]) -> bool:
    """Whether in pictures enough there have been more trains than can be: all players have theirs as well, or both lie
    where none of the others may still begin."""
    if code != V.SECOND_MEXICAN:
        return False
    begun = {piece.act.train: piece.item // ITEMS for piece in reversed(pieces) if isinstance(piece.act, Play)}
    since = max(begun.get(MEXICAN, 0), begun.get(SECOND_MEXICAN, 0), *(begun.get(name, 0) for name in players))
    pictures = {piece.item // ITEMS for piece in pieces if piece.item // ITEMS >= since and piece.doubt is None}
    if begun.keys() >= {*players, MEXICAN, SECOND_MEXICAN} and len(pictures) >= ENOUGH_PICTURES:
        return True
    return len({piece.item // ITEMS for piece in pieces if piece.two_mexican}) >= ENOUGH_PICTURES


def _only(codes: Mapping[tuple[str, str], float], code: str) -> str | None:
    """The one player who is charged with `code` beyond the threshold, if there is one."""
    return next((player for (one, player), share in codes.items() if one == code and share >= ACCUSED), None)


@dataclass(frozen=True, slots=True)
class NameInDoubt:
    """A play whose player is open."""

    item: int
    play: Play
    players: tuple[str, ...]
    """One of them laid it; the likeliest first."""


def question(verdicts: Iterable[Verdict], ripe: Iterable[int]) -> NameInDoubt | None:
    """The question about the oldest of the `ripe` pieces that is worth one.

    A piece is ripe once a lap has passed since: later turns mostly settle it. It is worth a question if nobody can be
    named for it and a fault hangs on who laid it.
    """
    items = frozenset(ripe)
    for verdict in sorted(verdicts, key=lambda one: one.item):
        act = verdict.act
        if verdict.item not in items or not isinstance(act, Play) or verdict.by is not None or verdict.taken_back:
            continue
        hangs = any(not charge.certain and charge.p >= WEIGHTY for charge in verdict.charges)
        likely = verdict.maybe[:2]
        close = verdict.p <= 1.0 / (1.0 + 10.0 ** (-CLOSE_DB / 10.0))
        if hangs and close and len(likely) == 2:
            return NameInDoubt(verdict.item, act, likely)
    return None


FIRST_ALTERNATIVES, LEAST_SHARE = 8, 0.005
"""How many of the cheapest are listed, and the least share of any others."""

UNLISTED = frozenset(
    {
        Cause.ILLEGAL,
        Cause.RARELY_ILLEGAL,
        Cause.ALSO_ILLEGAL,
        Cause.ON_OWN_TRAIN,
        Cause.ON_MEXICAN_TRAIN,
        Cause.ON_ANOTHERS_TRAIN,
        Cause.MARKED_AND_LAID,
        Cause.TURN_IN_PARTS,
        Cause.ANYBODY,
        Cause.UNREAD_TILE,
        Cause.NO_DOUBLE_ACROSS,
        Cause.DOUBLE_ALONG,
    }
)
"""Causes that an explanation does not list: the usual needs no words, a fault has its code, and the lie of a tile is
part of the cost of another one."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way in which a piece may have come about."""

    player: str
    cost: int
    """Decibans since the change before it."""
    p: float
    """Its share of the belief."""
    codes: tuple[tuple[str, str], ...]
    """(code, player) of each violation that it finds."""
    assumes: tuple[Cause, ...]
    """The unseen acts, in the order of the turns."""
    tile: Laid | None = None
    """The tile that lies there, where that is another one than was read."""

    def __str__(self) -> str:
        """`Ann (CLOSED_TRAIN): 53`, `the camera missed a draw and Cy: 54`, `it is another tile than was read and Ann
        with 5-3: 20`."""
        faults = ", ".join(code if by == self.player else f"{code} by {by}" for code, by in self.codes)
        player = self.player if self.tile is None else f"{self.player} with {print_laid(self.tile)}"
        text = " and ".join([*(PRIORS[cause].text for cause in self.assumes), player])
        return f"{text} ({faults}): {self.cost}" if faults else f"{text}: {self.cost}"


def alternatives(belief: TableFilter, item: int) -> list[Alternative]:
    """The hypotheses about who made `item`, cheapest first; none where it is settled.

    A hypothesis that several players may have made it by is one for each of them. Of its cheapest way all is known; of
    the other players' ways it is told what holds in most of them whoever it was.
    """
    found: dict[tuple[object, ...], Alternative] = {}
    hypotheses = sorted(belief.all, key=lambda one: one.cost)
    total = sum(one.weight for one in hypotheses) or 1.0
    least = base = 0.0
    for one in hypotheses:
        row = one.actors.get(item)
        if not row:
            continue
        steps = list(_steps(one, item))
        cheapest = next((step.player for step in steps if step.item == item and step.act is not None), None)
        if not found:
            least, base = one.cost + cost_of(row.get(cheapest, 1.0)), sum(step.cost for step in steps)
        tile = next((tile for (what, tile), p in one.others.items() if what == item and p > 0.5), None)
        for player, of in row.items():
            # So large a share of the hypothesis is in most of this player's ways, whichever they are.
            most = 1.0 - of / 2
            held = {(code, by) for (what, code, by), share in one.codes.items() if what == item and share > most}
            known = [cause for (what, cause), share in one.causes.items() if what == item and share > most]
            if player == cheapest:
                held |= {key for key in _codes_of(steps, item) if one.codes.get((item, *key), 0.0) > of / 2}
                known = list(_causes_before(steps, item))
            codes = tuple(sorted(held))
            assumes = tuple(dict.fromkeys(cause for cause in known if cause not in UNLISTED))
            key = (player, codes, assumes, tile)
            share = one.weight / total * of
            if key in found:
                found[key] = replace(found[key], p=found[key].p + share)
            else:
                cost = round(base + one.cost + cost_of(of) - least)
                found[key] = Alternative(player, cost, share, codes, assumes, tile)
    ranked = sorted(found.values(), key=lambda one: (one.cost, one.player))
    return [one for n, one in enumerate(ranked) if n < FIRST_ALTERNATIVES or one.p >= LEAST_SHARE]


def _codes_of(steps: Sequence[Step], item: int) -> Iterator[tuple[str, str]]:
    """(code, player) of what these steps hold against somebody over this item (`Hypothesis.after`)."""
    loose: list[tuple[str, str]] = []
    for step in steps:
        loose += [(code, step.player) for code in step.codes]
        if step.item == item:
            yield from loose
        if step.item is not None:
            loose = []


def _steps(one: Hypothesis, item: int) -> Iterator[Step]:
    """The steps of the way to it, from the change of `item` on."""
    for number, steps in one.path:
        if number >= item // ITEMS:
            yield from steps


def _causes_before(steps: Sequence[Step], item: int) -> Iterator[Cause]:
    """Assumptions between the change before and this item."""
    for step in steps:
        yield from step.causes
        if step.item == item and step.act is not None and not isinstance(step.act, End):
            return


WRONG = COST[Cause.WRONG_STATEMENT]
LATE = COST[Cause.LATE_STATEMENT]
BLIND = COST[Cause.BLIND_STATEMENT]


@dataclass(frozen=True, slots=True)
class Statement:
    """Everything people have said about one piece since it came."""

    by: str | None = None
    """The player who made it."""
    act: TableAct | None = None
    """The true act."""
    withdrawn: bool = False
    """It is to be off the record."""
    lifted: bool = False
    """It was withdrawn because it was taken back, so what comes there later is new."""
    unsaid: bool = False
    """They had entered it themselves, and nobody has looked in between."""
    seen: int | None = None
    """The number of the picture that shows what they entered."""


NO_STATEMENT = Statement()


def entered(item: int, act: TableAct, by: str | None) -> Piece:
    """A piece that somebody has entered and no picture shows.

    A draw or a pass too many may only be late. A marker that is entered late lies there already, and costs nothing.
    """
    tile = isinstance(act, Play)
    owned = by if isinstance(act, (End, Pass, Discard)) else None
    stated_player = None if owned is not None else by
    doubt = LATE if isinstance(act, (Draw, End, Pass)) else WRONG
    return Piece(item, act, by=owned, stated_player=stated_player, doubt=doubt, value_doubt=WRONG if tile else None)


def with_statements(
    evidence: Evidence, statements: Mapping[int, Statement], shown: Mapping[int, Piece], *, blind: bool
) -> Evidence:
    """A change of the table as it is believed after all that people have said.

    `shown`: item of a piece in this picture -> the piece that somebody had entered before. `blind`: as if their
    statements counted for nothing.
    """
    pieces = []
    for piece in evidence.pieces:
        earlier = shown.get(piece.item)
        said = NO_STATEMENT if earlier is None else statements.get(earlier.item, NO_STATEMENT)
        if earlier is not None and earlier.doubt is not None and said.withdrawn and said.seen is None:
            # They had put it in where it had happened before this picture.
            earlier = None
        if earlier is not None and said.seen != evidence.number:
            # It is on record with an earlier picture.
            continue
        if earlier is not None:
            # It keeps the number under which it was entered.
            piece = replace(piece, item=earlier.item, stated_player=earlier.stated_player, by=earlier.by)
        one = statements.get(piece.item, NO_STATEMENT)
        if one.unsaid or (one.seen is not None and earlier is None):
            continue
        if blind:
            pieces.append(_blind(piece, one))
        elif not one.withdrawn:
            pieces.append(_trusted(piece, one))
        elif piece.doubt is None and not one.lifted:
            # A picture showed it: what lies on it may show that it does lie there.
            pieces.append(replace(_trusted(piece, one), denied=WRONG))
    return replace(evidence, pieces=tuple(pieces))


def _trusted(piece: Piece, statement: Statement) -> Piece:
    if statement.by is not None:
        piece = replace(piece, stated_player=statement.by)
    if statement.act is not None:
        piece = replace(piece, act=statement.act, p=None, value_doubt=WRONG, others=(), listed=None, as_taken=0)
    return piece


def _blind(piece: Piece, statement: Statement) -> Piece:
    act = piece.act if statement.act is None else statement.act
    doubted = piece.doubt is not None or statement.withdrawn
    value = BLIND if piece.value_doubt is not None or statement.act is not None else None
    others = piece.others if statement.act is None else ()
    return replace(
        piece, act=act, stated_player=None, doubt=BLIND if doubted else None, value_doubt=value, others=others
    )
