"""What the belief comes to: who laid what, what is held against whom and how surely. Thresholds are in costs.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from companion.rules.actions import MEXICAN, SECOND_MEXICAN, Action, Play
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.arm_proof import arms_doubted, proved_by_arms
from companion.tracking.costs import ACCUSED, CERTAIN, HELD_AGAINST, NAMED, OF_VALUES, POSSIBLE, Cause
from companion.tracking.evidence import ITEMS, Piece
from companion.tracking.filter import Hypothesis

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
camera watches, except where clear arms tell who acted (`arm_proof`). Relax it code by code, with evidence. What looks
like a second Mexican train is more often a player's train that does not begin where it should: it is proved once it
lies there in `ENOUGH_PICTURES` beside the Mexican train and a train of every player."""

ENOUGH_PICTURES = 3


OF_DOUBLES = frozenset(map(str, (V.OPEN_DOUBLE_IGNORED, V.DOUBLE_ORDER, V.DOUBLE_NOT_FOLLOWED, V.EXTRA_NOT_ON_DOUBLE)))
"""What is held against somebody because a double lies open."""


NO_PROOF = (Cause.MISREAD, Cause.ANOTHER_TILE, Cause.ON_ANOTHER_TILE, Cause.UNSEEN_IN_CLUTTER)
"""What may be behind a tile that does not fit, beside a broken rule: a picture not understood proves nothing."""


NOT_SETTLED = (Cause.MARKED_IN_LAP,)
"""No source says whether this is a fault: what may rest on it is possible at most."""


NO_ARMS: Mapping[int, Mapping[str, int]] = {}


@dataclass(frozen=True, slots=True)
class Charge:
    """A violation: `by` None is open, `certain` is beyond the threshold, `proved` by one picture, whoever it was."""

    code: str
    by: str | None
    certain: bool
    p: float
    proved: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """One piece as the belief has it. `by` None: nobody can be named; `maybe`: who it may have been, likeliest first.
    In `act` is the tile that most likely lies there, which may be another one than was read.

    `p` is the share of the likeliest player.
    """

    item: int
    act: Action
    by: str | None
    p: float
    maybe: tuple[str, ...] = ()
    charges: tuple[Charge, ...] = ()
    taken_back: bool = False


@dataclass(slots=True)
class Marginals:
    """Shares of players, charges, causes and other tiles over all hypotheses, each item by itself."""

    actors: dict[int, dict[str, float]] = field(default_factory=dict)
    codes: dict[int, dict[tuple[str, str], float]] = field(default_factory=dict)
    causes: dict[int, dict[Cause, float]] = field(default_factory=dict)
    others: dict[int, dict[Laid, float]] = field(default_factory=dict)

    @classmethod
    def over(cls, hypotheses: Sequence[Hypothesis]) -> Marginals:
        found = cls()
        total = sum(one.shown_weight for one in hypotheses)
        rows: dict[tuple[int, int], tuple[dict[str, float], float]] = {}
        charged: dict[tuple[int, str, str], float] = {}
        assumed: dict[tuple[int, Cause], float] = {}
        for one in hypotheses:
            share = one.shown_weight / total
            for item, row in one.actors.items():
                # Most hypotheses have most rows in common.
                key = (item, id(row))
                known = rows.get(key)
                rows[key] = (row, share if known is None else known[1] + share)
            for charge, p in one.codes.items():
                charged[charge] = charged.get(charge, 0.0) + share * p
            for cause, p in one.causes.items():
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

    def tile_of(self, item: int, act: Action) -> Action:
        """The act with the tile that most likely lies there: another one where that is likelier than what was read.

        That it is some other tile, nobody knows which, says nothing for one of them.
        """
        others = self.others.get(item)
        if not others or not isinstance(act, Play):
            return act
        tile, p = max(others.items(), key=lambda one: (one[1], one[0]))
        as_read = 1.0 - sum(others.values()) - self.causes.get(item, {}).get(Cause.MISREAD, 0.0)
        return Play(tile, act.train) if p > as_read else act


def judge_item(
    item: int,
    act: Action,
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
    stated = next((piece.stated_player for piece in pieces if piece.item == item), None)
    charges = list(_charges(item, codes, *told, proved, pieces, players, best if p >= NAMED else stated))
    lies = marginals.tile_of(item, act)
    if lies != act:
        # What would be wrong with the tile that was read is not held against one that fits.
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
    return Verdict(item, lies, by, p, maybe, tuple(charges))


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
