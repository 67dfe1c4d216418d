"""A command that cannot be meant now: a code and what it is about. The page and the terminal find the words."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from companion.game.corrections import CorrectionError
from companion.log.event_fields import EventError
from companion.rules.tile import Laid, Tile

TileLike = Laid | Tile | tuple[int, int] | Sequence[int]


class RejectionReason(StrEnum):
    """Why a command is rejected. Beside a code stand its params."""

    NO_ROUND = "no_round"
    ROUND_RUNS = "round_runs"
    ROUND_UNSCORED = "round_unscored"
    MATCH_OVER = "match_over"
    ALL_ROUNDS_PLAYED = "all_rounds_played"
    NO_BONEYARD = "no_boneyard"
    NO_MARKERS = "no_markers"
    NO_DISCARDS = "no_discards"
    HANDS_TOO_EARLY = "hands_too_early"
    POINTS_TOO_EARLY = "points_too_early"
    ROUND_HAS_POINTS = "round_has_points"  # number
    POINTS_OF_ALL = "points_of_all"  # names
    MATCH_IN_ROUND = "match_in_round"
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOTHING_TO_PUT_BACK = "nothing_to_put_back"
    NOT_YOUR_TURN = "not_your_turn"
    END_NOT_RECORDED = "end_not_recorded"
    FIRST_TILE_DUE = "first_tile_due"
    HAS_LEFT = "has_left"  # name
    TOO_FEW_LEFT = "too_few_left"
    NO_OPEN_QUESTION = "no_open_question"  # seq
    NO_SUCH_ANSWER = "no_such_answer"  # seq, last
    NO_SUCH_PLAYER = "no_such_player"  # name
    NO_SUCH_REPORT = "no_such_report"  # names
    NO_TILE = "no_tile"  # tile
    NO_EARLIER_EVENT = "no_earlier_event"  # seq
    NO_CHANGE = "no_change"
    NO_SUCH_FIELD = "no_such_field"  # event, field
    BAD_CORRECTION = "bad_correction"  # fault: the sentence of the check that found it


class CommandRejected(ValueError):  # noqa: N818  (nobody's error: a command that does not fit the game as it stands)
    """This cannot be done now, and nothing has changed.

    >>> CommandRejected(RejectionReason.NO_SUCH_PLAYER, name="Zoe")
    CommandRejected('no_such_player (name: Zoe)')
    >>> str(CommandRejected(RejectionReason.NO_ROUND))
    'no_round'
    """

    def __init__(self, code: RejectionReason, **params: object) -> None:
        about = ", ".join(f"{name}: {value}" for name, value in params.items())
        super().__init__(f"{code} ({about})" if about else str(code))
        self.code, self.params = code, params

    @classmethod
    def of(cls, error: EventError) -> CommandRejected:
        """A correction that cannot be applied."""
        known = error if isinstance(error, CorrectionError) else CorrectionError(str(error))
        return cls(RejectionReason(known.code), **known.params)


def laid_of(tile: TileLike) -> Laid:
    """The tile that a command names, its inner half first. Raises CommandRejected."""
    if isinstance(tile, Tile):
        return Laid(tile.low, tile.high)
    halves = tuple(tile)
    if len(halves) != 2 or not all(type(half) is int and 0 <= half <= 99 for half in halves):
        raise CommandRejected(RejectionReason.NO_TILE, tile=repr(tile))
    return Laid(halves[0], halves[1])
