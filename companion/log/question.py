"""What people are asked: of which kind a question is, and which train, player or place it is about.

A journal holds a question as one text, its reason: `unreadable_tile: Ann`, or what the layout found wrong and where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

TROUBLE_CODE = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")
PLACE = re.compile(r"\((-?\d+), (-?\d+)\) mm")

ANOTHER_ENGINE = "ANOTHER_ENGINE"
"""What a question of the TABLE is about where another double lies in the middle than the round began with."""


class QuestionKind(StrEnum):
    """The word before the colon of a reason; TABLE for what the layout found wrong, in its own words."""

    SEVERAL_EXPLANATIONS = "several_stories"
    MISREAD_OR_ILLEGAL = "misread_or_illegal"
    UNREADABLE = "unreadable"
    UNREADABLE_TILE = "unreadable_tile"
    NEW_ROUND = "new_round"
    NO_POINTS = "no_points"
    HAND_UNREAD = "hand_unread"
    HAND_COUNT = "hand_count"
    HAND_TWICE = "hand_twice"
    SET_SUM = "set_sum"
    SEATS = "seats"
    MARKER = "marker"
    DOES_NOT_FIT = "does_not_fit"
    TABLE = "table"


ROUNDS = (QuestionKind.NEW_ROUND, QuestionKind.NO_POINTS)
OF_A_HAND = frozenset({QuestionKind.HAND_UNREAD, QuestionKind.HAND_COUNT, QuestionKind.HAND_TWICE})
OF_POINTS = OF_A_HAND | {QuestionKind.SET_SUM, QuestionKind.NO_POINTS}
"""What is asked about the points of a round, and is worth an answer when the next one has begun."""


@dataclass(frozen=True, slots=True)
class Question:
    """`train` and `player` are names, `place` is in mm. `about`: the tiles read, the round's number, the count, whose
    seat it is (SEATS), or the words of the layout (TABLE)."""

    kind: QuestionKind
    train: str | None = None
    player: str | None = None
    place: tuple[int, int] | None = None
    about: str = ""

    @classmethod
    def of(cls, reason: str) -> Question:
        """The question of a journal's reason. What is not one of the kinds is the layout's."""
        kind, colon, rest = reason.partition(": ")
        known = kind in set(QuestionKind) and kind != QuestionKind.TABLE
        if not known or bool(colon) != bool(rest):
            return cls.of_table(reason)
        match asked := QuestionKind(kind):
            case QuestionKind.UNREADABLE_TILE:
                return cls(asked, train=rest or None)
            case QuestionKind.SEATS:
                player, _comma, other = rest.partition(", ")
                return cls(asked, player=player, about=other)
            case _ if asked in OF_A_HAND or asked is QuestionKind.MARKER:
                return cls(asked, player=rest or None)
        return cls(asked, about=rest)

    @classmethod
    def of_table(cls, codes: str) -> Question:
        """Something on the table is not understood: `codes` are the codes of the trouble, with their places in mm."""
        found = PLACE.search(codes)
        return cls(QuestionKind.TABLE, place=None if found is None else (int(found[1]), int(found[2])), about=codes)

    @property
    def reason(self) -> str:
        """The text that a journal holds."""
        if self.kind is QuestionKind.TABLE:
            return self.about
        if self.kind is QuestionKind.SEATS:
            return f"{self.kind}: {self.player}, {self.about}"
        rest = self.train or self.player or self.about
        return f"{self.kind}: {rest}" if rest else str(self.kind)

    def __str__(self) -> str:
        return self.reason

    @property
    def round(self) -> int | None:
        """The number of the round that a question of rounds is about."""
        return int(self.about) if self.about.isdigit() and self.kind in ROUNDS else None

    @property
    def troubles(self) -> tuple[str, ...]:
        """The codes of what the layout found wrong, each once."""
        return tuple(dict.fromkeys(TROUBLE_CODE.findall(self.about))) if self.kind is QuestionKind.TABLE else ()

    @property
    def same(self) -> object:
        """What two questions have in common that ask for the same thing at two places."""
        return self.troubles or self.reason
