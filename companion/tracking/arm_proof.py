"""Where clear arms and the table together make a fault certain that the table alone leaves open, code by code.

What turn order, counts or markers tell is never certain by itself (`verdict.NEVER_CERTAIN`): the acts that the fault is
made of may be another player's. Where the arms over them were clear, that story is excluded. The belief has to be as
sure of the fault as of any other, so an arm alone never outweighs a legal story.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from companion.rules.actions import Mark, Play
from companion.rules.violations import Violation as V
from companion.tracking.evidence import ITEMS, Piece

MOST_DB = 10
"""For a certain accusation no arm counts for more. With a quarter of confusing arms one clear arm in ten is somebody
else's (models/CARD-arms.md), and one told round in 150 accused a neighbour before this was so."""

Proof = Callable[[Sequence[Piece], int, str], bool]
"""The standing pieces of the round in order, the place of the piece that is charged, and the player."""


def arms_doubted(
    actors: Mapping[str, float], codes: Mapping[tuple[str, str], float], arm: Mapping[str, int]
) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    """The shares of who made a piece, and of what is held against whom, if its arm counts for `MOST_DB` at most.

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
