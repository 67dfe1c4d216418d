"""Notes at the hands of a round's end, before they count: what the record of the table says otherwise.

A note accuses nobody. It may as well be the record that has a gap, so people look once more and count as they like.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from companion.web.board import Board
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.wording import show_tile, train_name

Hand = Sequence[tuple[int, int]]


def hand_notes(board: Board, hands: Mapping[str, Hand], how: str) -> dict[str, list[str]]:
    """Player -> sentences about that hand; players without any are left out.

    Only Mexican Train has notes: Chinese tiles come twice, and their hands hold what was put away.
    """
    if board.chinese:
        return {}
    found: dict[str, list[str]] = {}
    places = _places(board)
    held: dict[tuple[int, int], str] = {}
    for player, hand in hands.items():
        notes = found.setdefault(player, [])
        for tile in hand:
            one = _sorted(tile)
            if one in places:
                notes.append(_("%(tile)s is already on the table: %(where)s.", tile=show_tile(tile), where=places[one]))
            if one in held:
                notes.append(_("%(tile)s is already in the hand of %(name)s.", tile=show_tile(tile), name=held[one]))
            held.setdefault(one, player)
        notes += _count_note(board, player, len(hand), how)
    return {player: notes for player, notes in found.items() if notes}


def mark_of(notes: Mapping[str, Sequence[str]]) -> str:
    """Names these notes, so that a form can say that its sender has read them."""
    return hashlib.sha256(repr(sorted(notes.items())).encode()).hexdigest()[:12] if notes else ""


def _places(board: Board) -> dict[tuple[int, int], str]:
    """Tile -> where it lies."""
    places = {}
    if board.engine:
        places[_sorted(board.engine)] = _("the engine")
    for train in board.trains:
        for tile in train.tiles:
            if not tile.unread:
                places[_sorted((tile.inner, tile.outer))] = train_name(train.name)
    return places


def _count_note(board: Board, player: str, count: int, how: str) -> list[str]:
    """Whether the record expects another number of tiles; silent where nobody wrote down what was played."""
    row = next((row for row in board.scores if row.seat.name == player), None)
    recorded = any(train.tiles for train in board.trains)
    if not recorded or row is None or row.hand is None or row.hand == count or (how == "out" and count == 0):
        return []
    expected = ngettext("We expected one tile here", "We expected %(num)s tiles here", row.hand)
    return [expected + ", " + _("not %(count)s.", count=count)]


def _sorted(tile: Sequence[int]) -> tuple[int, int]:
    return min(tile), max(tile)
