"""What the hands that were shown leave open about a round: said once for each kind, with links that tell its plays
apart. A link says which act it shows and no name, since nobody is accused of what is only possible."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from companion.game.game_view import Examined, GameView
from companion.web.languages import gettext as _
from companion.web.wording import show_tile

SHOWN_AT_ONCE = 6
"""Links before the fold; more of them at once are also a sign that the record itself is wrong."""


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """One kind: its code, how many acts it concerns, and (number, words) of those that have a page of their own."""

    code: str
    count: int
    links: tuple[tuple[int, str], ...]

    @property
    def first(self) -> tuple[tuple[int, str], ...]:
        return self.links[:SHOWN_AT_ONCE]

    @property
    def more(self) -> tuple[tuple[int, str], ...]:
        return self.links[SHOWN_AT_ONCE:]

    @property
    def many(self) -> bool:
        return self.count > SHOWN_AT_ONCE


def only_possible(one: Examined) -> bool:
    return one.offence and one.status == "possible"


def left_open(board: GameView) -> list[LeftOpen]:
    """The kinds of what is only possible, in the order of the round."""
    found: dict[str, list[int | None]] = {}
    for one in board.audit:
        if only_possible(one):
            found.setdefault(one.code, []).append(one.seq)
    when = moments(board)
    return [LeftOpen(code, len(seqs), _links(seqs, when)) for code, seqs in found.items()]


def _links(seqs: list[int | None], when: dict[int, str]) -> tuple[tuple[int, str], ...]:
    seen: Counter[str] = Counter()
    links = list[tuple[int, str]]()
    for seq in dict.fromkeys(one for one in seqs if one is not None):
        words = when.get(seq) or _("Look at it")
        seen[words] += 1
        links.append((seq, words if seen[words] == 1 else f"{words} ({seen[words]})"))
    return tuple(links)


def moments(board: GameView) -> dict[int, str]:
    """The number of each act of the round -> when it was, told by the last tile on the table."""
    words, told = _("at the beginning"), dict[int, str]()
    for play in board.lines:
        if play["event"] == "tile_played" and not play.get("taken_back"):
            words = _("after %(tile)s", tile=show_tile(play.get("tile"), board.family))
        told[play["seq"]] = words
    return told
