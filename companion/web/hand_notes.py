"""Notes at the hands of a round's end, before they count: what the record of the table says otherwise.

A note accuses nobody. It may as well be the record that has a gap, so people look once more and count as they like.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from companion.game.game_view import GameView
from companion.rules.tile import double_set
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.wording import show_tile, train_name

Hand = Sequence[tuple[int, int]]

OVERLOOKED = 3
"""So many tiles of whoever went out may lie there without being on record."""

MOST_TO_CHOOSE = 60
"""Among more tiles than these, typing two numbers is quicker than looking for one."""


def hand_notes(board: GameView, hands: Mapping[str, Hand], how: str, *, watched: bool = False) -> dict[str, list[str]]:
    """Player -> sentences about that hand; players without any are left out. `watched`: a camera keeps the record, so
    that it holds also where nothing was laid.

    Chinese tiles come twice, so only their number is compared: what was put away and what is still held.
    """
    found: dict[str, list[str]] = {}
    places = {} if board.chinese else places_of(board)
    held: dict[tuple[int, int], str] = {}
    for player, hand in hands.items():
        notes = found.setdefault(player, [])
        for tile in hand:
            one = _sorted(tile)
            if one in places:
                notes.append(_("%(tile)s is already on the table: %(where)s.", tile=show_tile(tile), where=places[one]))
            if one in held and not board.chinese:
                notes.append(_("%(tile)s is already in the hand of %(name)s.", tile=show_tile(tile), name=held[one]))
            held.setdefault(one, player)
        notes += _count_note(board, player, len(hand), how, watched)
    return {player: notes for player, notes in found.items() if notes}


def empty_notes(board: GameView, hands: Mapping[str, Hand], how: str, *, watched: bool = False) -> dict[str, list[str]]:
    """The same for hands that were left empty although somebody else's is empty too, nobody went out, or their player
    still holds many; who is out on record is silent.

    It is asked when everybody has been entered: until then every hand is empty.
    """
    empty = [player for player, hand in hands.items() if not hand]
    if how == "blocked_declared" and not board.chinese:
        return {name: [_("Nobody went out, so %(name)s has tiles left. Tap them.", name=name)] for name in empty}
    if how != "out" or board.chinese:
        return {}
    if len(empty) == 1:
        many = any(row.seat.name in empty and (row.hand or 0) > OVERLOOKED for row in board.scores)
        notes = _count_note(board, empty[0], 0, "", watched) if many else []
        return {empty[0]: notes} if notes else {}
    out = {row.seat.name for row in board.scores if row.hand == 0}
    words = _(
        "These hands are empty: %(names)s. Leave only the hand of the player who went out empty.",
        names=", ".join(empty),
    )
    return {player: [words] for player in empty if player not in out}


def mark_of(notes: Mapping[str, Sequence[str]]) -> str:
    """Names these notes, so that a form can say that its sender has read them."""
    return hashlib.sha256(repr(sorted(notes.items())).encode()).hexdigest()[:12] if notes else ""


def unread(notes: Mapping[str, Sequence[str]], seen: object) -> bool:
    """Whether there are notes, and others than those that the form says its sender has `seen`."""
    return bool(notes) and mark_of(notes) != str(seen or "")


def places_of(board: GameView) -> dict[tuple[int, int], str]:
    """Tile of Mexican Train, its lower half first -> where it lies, in words."""
    places = {}
    if board.engine:
        places[_sorted(board.engine)] = _("the engine")
    for train in board.trains:
        for tile in train.tiles:
            if not tile.unrecorded:
                places[_sorted((tile.inner, tile.outer))] = train_name(train.name)
    return places


def tiles_left(board: GameView) -> list[str]:
    """Every tile of Mexican Train that lies nowhere on the table, as it is typed, the lower half first; [] where these
    are too many to choose from."""
    if board.chinese:
        return []
    lying = places_of(board)
    left = sorted((tile.low, tile.high) for tile in double_set(board.set_max) if (tile.low, tile.high) not in lying)
    return [f"{low}-{high}" for low, high in left] if len(left) <= MOST_TO_CHOOSE else []


def _count_note(board: GameView, player: str, count: int, how: str, watched: bool) -> list[str]:
    """Whether the record expects another number of tiles; silent where nobody wrote down what was played."""
    row = next((row for row in board.scores if row.seat.name == player), None)
    recorded = watched or bool(board.line) or any(train.tiles for train in board.trains)
    if not recorded or row is None or row.hand is None or (how == "out" and count == 0 and not board.chinese):
        return []
    left = row.hand + (board.discards.get(player, 0) if board.chinese else 0)
    if left == count:
        return []
    return [ngettext("%(name)s should have one tile.", "%(name)s should have %(num)s tiles.", left, name=player)]


def _sorted(tile: Sequence[int]) -> tuple[int, int]:
    return min(tile), max(tile)
