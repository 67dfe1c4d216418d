"""What the page, `/api/state`, MQTT and the lamp are given of a game: plain JSON values, each with its type.

Tiles are [inner, outer] (in hands [low, high]); `seq` is the number of the journal's line that laid a tile, 0 of none.
"""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict


class FindingShown(TypedDict):
    """What stands against an act; `by` where that is not, or not surely, whoever made it. `open`: people are asked
    whether it was so; `confirmed_by` who said that it was, in line `confirmed_in`."""

    code: str
    certain: bool
    by: NotRequired[str | None]
    open: NotRequired[bool]
    confirmed_by: NotRequired[str | None]
    confirmed_in: NotRequired[int | None]


class CandidateShown(TypedDict):
    """One answer: its `story`, what would be recorded, and its weight."""

    story: str
    events: list[dict[str, Any]]
    kind: NotRequired[str]
    p: NotRequired[float]
    codes: NotRequired[list[str]]


class PlayShown(TypedDict):
    """An event of this round as the journal has it (log.events: which kind has which fields), with its ruling and what
    was made of it since.

    `overruled`: the table let it stand; `taken_back`: the tile was; `withdrawn`: it counts no more. `guess`: who it
    probably was, where nobody is named; `ruling_open`: people say that it was somebody else than the camera's pictures
    do, so that no ruling on it holds for both. `end_was`: the value to which a tile was laid that does not fit;
    `engine_due` the engine that the round should have had. `changed_by` are the lines that changed it, `changers` the
    people, `original` is how it was first written, `corrected` whether a person changed what it says.
    """

    seq: int
    at: str
    source: str
    event: str
    overruled: bool
    taken_back: bool
    frame: NotRequired[str]
    author: NotRequired[str]
    piece: NotRequired[int]
    turn: NotRequired[int]
    violations: NotRequired[list[FindingShown]]
    by: NotRequired[str | None]
    maybe: NotRequired[list[str]]
    tile: NotRequired[list[int] | None]
    train: NotRequired[str]
    outer_only: NotRequired[bool]
    end: NotRequired[int | None]
    undoes: NotRequired[int | None]
    reading: NotRequired[dict[str, Any]]
    arm: NotRequired[str]
    done: NotRequired[bool]
    face_up: NotRequired[bool]
    what: NotRequired[str]
    value: NotRequired[int | None]
    round: NotRequired[int]
    engine: NotRequired[list[int] | None]
    starter: NotRequired[str | None]
    draws_seen: NotRequired[bool]
    tiles: NotRequired[list[list[int]]]
    discards: NotRequired[list[list[int]]]
    in_order: NotRequired[bool]
    how: NotRequired[str]
    out: NotRequired[str | None]
    scores: NotRequired[dict[str, int]]
    totals: NotRequired[dict[str, int]]
    next_engine: NotRequired[list[int] | None]
    next_starter: NotRequired[str | None]
    winners: NotRequired[list[str]]
    reason: NotRequired[str]
    candidates: NotRequired[list[CandidateShown]]
    about: NotRequired[int]
    withdrawn: NotRequired[bool]
    guess: NotRequired[str]
    ruling_open: NotRequired[bool]
    end_was: NotRequired[int | None]
    engine_due: NotRequired[list[int]]
    changed_by: NotRequired[list[int]]
    changers: NotRequired[list[str]]
    original: NotRequired[Mapping[str, Any]]
    corrected: NotRequired[bool]


class QuestionShown(TypedDict):
    """What is asked and not answered yet (log.question says what a reason means). `about`: the line of a tap that does
    not fit; `alive`: which of its candidates fit all that was tapped since; `order`: the lines of the acts around it,
    as they happened as far as anybody has said."""

    seq: int
    at: str
    source: str
    event: str
    reason: str
    candidates: NotRequired[list[CandidateShown]]
    frame: NotRequired[str]
    about: NotRequired[int]
    alive: NotRequired[list[int]]
    order: NotRequired[list[int]]


class Fallen(TypedDict):
    """An accusation that stands no longer, and against whom."""

    code: str
    by: str | None


class RetractionShown(TypedDict):
    """Line `seq` says of line `play` that these findings stand no longer, and whether camera or people told."""

    seq: int
    play: int
    retracts: list[Fallen]
    because: str | None


class TileShown(TypedDict):
    """A laid tile: `sure` is how probably the camera read it right, None where a person said what it is; `others` are
    what else it may be, with probabilities."""

    tile: list[int]
    seq: int
    sure: float | None
    others: NotRequired[list[list[Any]]]


class TrainShown(TypedDict):
    """A train from the engine outwards. `end` is the value that is due, `dead` whether its double can be covered.

    `off_record`: how many tiles lie there that are not on record, left out where none do. They are not in `tiles`, and
    the train's `end` is not known.
    """

    name: str
    owner: str | None
    tiles: list[TileShown]
    end: int | None
    marker: bool
    open: bool
    flipped: bool
    dead: str
    playable: bool
    off_record: NotRequired[int]


class MustCover(TypedDict):
    """The open double that binds the player to move, and the line that laid it."""

    train: str
    value: int | None
    by: str
    since: int | None


class OpenDouble(TypedDict):
    train: str
    value: int | None
    dead: bool
    since: int | None


class Playable(TypedDict):
    tile: list[int]
    train: str


class Blocked(TypedDict):
    """Whether nothing can be laid any more, with the values that prove it; or whether it is nearly so."""

    provable: bool
    nearly: bool
    values: list[int]
    fitting: NotRequired[int]


class RoundScores(TypedDict):
    round: int
    engine: list[int] | None
    starter: str | None
    how: str | None
    out: str | None
    scores: dict[str, int]
    totals: dict[str, int]


class Examined(TypedDict):
    """What the shown hands prove or leave possible about an earlier decision."""

    player: str
    code: str
    status: str
    offence: bool
    seq: int | None
    tiles: list[list[int]]


class OffRecordShown(TypedDict):
    """Tiles that lie on the table and are not on record, apart from those at the trains: at the two ends of a line, and
    those that belong to nothing."""

    left: int
    right: int
    apart: int


class NextRound(TypedDict):
    round: int
    engine: list[int] | None
    starter: str | None


class GameView(TypedDict):
    """The game after journal line `seq`.

    `phase` is waiting (for a round), playing, round_over (hands are to be shown) or match_over; `plays` are this
    round's events as they are held now, with their rulings; `must_cover` the open double that binds the player to move;
    `unable` the acts that end the turn of a player who cannot play; `still_laying` whose long first train may go on;
    `laying_together` says that first trains may still be laid, by everybody at the same time; `after_double` is the
    train of a double just laid, to which one more tile is due; `questions` are those that nobody has answered. In a
    round that people tap `to_come` are the turns still to come (player, which of the player's turns, from 1, and the
    line of the tap before which it is), `own_turns` how many turns each player has begun, and `put_before` the taps
    that were put before others without a question. `turns_over` says that these rules turn a dead double face down,
    `knocks` that a last tile is announced by a knock. `brought` are the points with which everybody began, left out
    where all began with none; `left` those of whoever went home earlier in the match; `colours` the players' numbers
    where they are not those of their seats.
    `off_record` is left out where there is nothing to count, and so it is after a restart until the camera has looked.
    """

    seq: int
    phase: str
    rules: str
    title: str
    family: str
    set: str
    set_max: int
    players: list[str]
    options: dict[str, Any]
    round: int | None
    rounds: int | None
    starter: str | None
    how: str | None
    engine: list[int] | None
    turn: str | None
    turn_actions: list[str]
    turn_finished: bool
    first_turn: bool
    unable: list[str]
    still_laying: str | None
    laying_together: bool
    after_double: str | None
    boneyard: int | None
    hands: Mapping[str, int | None]
    markers: list[str]
    trains: list[TrainShown]
    line: list[TileShown]
    arms: int
    ends: list[int | None]
    discards: dict[str, int]
    open_doubles: list[OpenDouble]
    must_cover: MustCover | None
    may_play: list[Playable]
    blocked: Blocked | None
    plays: list[PlayShown]
    questions: list[QuestionShown]
    to_come: list[list[Any]]
    put_before: list[list[int]]
    own_turns: dict[str, int]
    totals: dict[str, int]
    brought: NotRequired[dict[str, int]]
    left: NotRequired[dict[str, int]]
    colours: NotRequired[dict[str, int]]
    most_points_win: bool
    rounds_played: list[RoundScores]
    winner: list[str] | None
    audit: list[Examined]
    shown: dict[str, list[list[int]]]
    next: NextRound | None
    camera: None
    off_record: NotRequired[OffRecordShown]
    reminders: NotRequired[list[str]]
    turns_over: NotRequired[bool]
    knocks: NotRequired[bool]
    retractions: NotRequired[list[RetractionShown]]
