"""The players' signs on the page: seat, colour, shape and initials.

Standing faults: the findings against a play that the page, the lamp, MQTT and `replay` show as an accusation.

A play is a JSON line as in a snapshot's `plays` or in `companion replay --json`.

The view of a game for everybody: the page draws it, MQTT and the lamp read it, `/api/state` has it as JSON.

Tiles are (inner, outer), in hands (low, high); `seq` is the number of the journal's line that laid a tile, 0 of none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from companion.game.match import RoundSheet
from companion.log.event_fields import ANOTHER_ENGINE, MOST_COLOURS, Question, QuestionKind
from companion.rules.mexican.judge import tiles_in
from companion.rules.position import LEFT, MEXICAN, RIGHT
from companion.rules.ruleset import SHIPPED, load_ruleset
from companion.rules.ruleset_fields import ANY_SET
from companion.rules.tile import chinese_set

SHAPES = 12
"""Players' signs differ in shape, not in colour alone."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place and signs.

    >>> [(seat.initial, seat.shape) for seat in seats_of(("Ann", "Ben", "Bo"))]
    [('A', 0), ('BE', 1), ('BO', 2)]
    """

    name: str
    index: int
    """The seat, from 1."""
    initial: str
    """One or two letters."""
    colour: int
    """From 1: colour and shape. It stays the player's own at another seat."""

    @property
    def shape(self) -> int:
        return (self.colour - 1) % SHAPES


def seats_of(players: Sequence[str], colours: Mapping[str, int] | None = None) -> tuple[Seat, ...]:
    """Initials: one letter, two where players share the first. `colours` where they are not those of the seats."""
    firsts = [_letters(name, 1) for name in players]
    return tuple(
        Seat(name, i, first if firsts.count(first) == 1 else _letters(name, 2), (colours or {}).get(name, i))
        for i, (name, first) in enumerate(zip(players, firsts, strict=True), start=1)
    )


def colours_kept(players: Sequence[str], before: Sequence[Seat]) -> dict[str, Any]:
    """The header's field `colours` for a game of these players: who played before keeps their own, anybody else gets
    one that is free; {} where these are the seats' own."""
    kept = {seat.name: seat.colour for seat in before if seat.name in players}
    free = [number for number in range(1, MOST_COLOURS + 1) if number not in kept.values()]
    colours = {name: kept[name] if name in kept else free.pop(0) for name in players}
    return {} if list(colours.values()) == list(range(1, len(players) + 1)) else {"colours": colours}


def _letters(name: str, count: int) -> str:
    """The first letters with the marks that belong to them."""
    clusters = re.findall(r"\w[\u0300-\u036f\u0981-\u0983\u09bc-\u09cd]*", name) or [name[:1]]
    return "".join(clusters[:count]).upper()


SET_ASIDE = ("overruled", "taken_back", "withdrawn")
"""Any of these on a line means that its findings count no more: the table let the play stand, the tile was taken back,
somebody withdrew the entry, or it no longer follows from the rules."""


def standing_findings(play: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The findings that stand against a play for certain."""
    return _findings(play, certain=True)


def standing_faults(play: Mapping[str, Any]) -> tuple[str, ...]:
    """The codes that stand against a play for certain, sorted; () where nobody is accused."""
    return _codes(play, certain=True)


def others_at_fault(play: Mapping[str, Any], code: str) -> tuple[str, ...]:
    """Other players who broke this rule for certain, sorted: somebody owed something before, and it
    came out here. Of a play that nobody is named for they are its own."""
    own = play.get("by")
    named = {str(one["by"]) for one in standing_findings(play) if one["code"] == code and one.get("by")}
    return () if own is None else tuple(sorted(named - {own}))


def is_own_fault(play: Mapping[str, Any]) -> bool:
    """Whether the accusation is against this play itself."""
    return any(not others_at_fault(play, code) for code in standing_faults(play))


def standing_doubts(play: Mapping[str, Any]) -> tuple[str, ...]:
    """The codes that are only possible, sorted, without those that are certain as well. They accuse nobody."""
    possible = {str(one["code"]) for one in _findings(play, certain=False) if not one.get("open")}
    return tuple(sorted(possible - set(_codes(play, certain=True))))


def is_misfit(line: Mapping[str, Any]) -> bool:
    """Whether a line asks about a tap that does not fit: the person who tapped is asked, and nobody else is called."""
    return line.get("reason") == QuestionKind.DOES_NOT_FIT


def open_findings(play: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Findings that people are asked about: the tap may not show what happened. They are no faults."""
    return tuple(one for one in _findings(play, certain=False) if one.get("open"))


def standing_open(play: Mapping[str, Any]) -> tuple[str, ...]:
    """The codes that people can settle, sorted: nobody has said yet whether it was so."""
    return tuple(sorted({str(one["code"]) for one in open_findings(play)}))


def confirmed(play: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Findings that somebody had to confirm first."""
    return tuple(one for one in standing_findings(play) if one.get("confirmed_by"))


def change_made(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The change that a correction made; {} for every other line, where `what` is a word somebody said."""
    return dict(line.get("what") or {}) if line.get("event") == "corrected" else {}


def is_fault(play: Mapping[str, Any]) -> bool:
    """Whether a play is shown as an accusation."""
    return bool(standing_faults(play))


def _codes(play: Mapping[str, Any], *, certain: bool) -> tuple[str, ...]:
    return tuple(sorted({str(one["code"]) for one in _findings(play, certain=certain)}))


def _findings(play: Mapping[str, Any], *, certain: bool) -> tuple[Mapping[str, Any], ...]:
    if any(play.get(key) for key in SET_ASIDE):
        return ()
    findings = play.get("violations") or ()
    return tuple(one for one in findings if bool(one.get("certain", True)) is certain)


SURE_ENOUGH = 0.9
"""Below this probability a tile is drawn amber and called unsure."""

MOST_STEPS = 40
"""Each row's tiles are drawn at a size at which its train fits; CSS has one class for each length up to this."""

UNREAD = 0.5
"""A half that was read less surely than this is more likely another value."""

SHOWN_FOR = 2
"""A retraction is shown until more tiles than this have been laid."""

Pair = tuple[int, int]

Line = Mapping[str, Any]
"""An event as the journal has it (log.events: which kind has which fields), as it is held now, with its ruling
(`violations`: code, certain, by; `open` where people are asked whether it was so, `confirmed_by` who said that it was)
and what was made of it since.

`overruled`: the table let it stand; `taken_back`: the tile was; `withdrawn`: it counts no more. `guess`: who it
probably was, where nobody is named; `unread`: which halves of a tile that was weighed are a mere guess; `ruling_open`:
people say that it was somebody else than the camera's pictures do, so that no ruling on it holds for both. `end_was`:
the value to which a tile was laid that does not fit; `engine_due` the engine that the round should have had.
`changed_by` are the lines that changed it, `changers` the people, `original` is how it was first written, `corrected`
whether a person changed what it says.

Of a question `about` is the line of a tap that does not fit, `alive` which of its candidates fit all that was tapped
since, `came` those of them whose turns have been tapped by now, each with the last tap of these, and `order` the lines
of the acts around it, as they happened as far as anybody has said.
"""


def left_out(nothing: Any = None) -> Any:
    """A field that JSON leaves out where it holds `nothing`."""
    return field(default_factory=lambda: nothing, metadata={"nothing": nothing})


def as_json(value: Any) -> Any:
    """A view, or a part of one, as JSON has it."""
    if is_dataclass(value):
        held = ((one, getattr(value, one.name)) for one in fields(value))
        return {one.name: as_json(own) for one, own in held if not one.metadata or own != one.metadata["nothing"]}
    if isinstance(value, Mapping):
        return {name: as_json(own) for name, own in value.items()}
    return [as_json(own) for own in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class RetractionShown:
    """Findings of an earlier line that no longer stand."""

    seq: int
    """The line that retracts them."""
    play: int
    """The line that had them."""
    retracts: tuple[Mapping[str, str | None], ...]
    """The findings: `code` and `by`."""
    because: str | None
    """Its source: camera or people."""


def signs(tile: Pair, unread: tuple[bool, bool]) -> tuple[str, str]:
    """The halves of a tile as they are written, a question mark for one that is a mere guess."""
    inner, outer = ("?" if guess else str(value) for value, guess in zip(tile, unread, strict=True))
    return inner, outer


def signs_of(play: Line) -> tuple[str, str] | None:
    """The same of the tile of a play; None where it has none."""
    tile = play.get("tile")
    if not tile:
        return None
    named = (play.get("original") or play).get("tile") != tile
    inner, outer = (1.0, 1.0) if named else (play.get("reading") or {}).get("p", (1.0, 1.0))
    told: Sequence[bool] = (inner < UNREAD, outer < UNREAD) if named or "unread" not in play else play["unread"]
    return signs(tile, (told[0], told[1]))


@dataclass(frozen=True, slots=True)
class TileShown:
    """A laid tile.

    >>> tile = TileShown((6, 6), seq=4, sure=0.8)
    >>> tile.double, tile.unsure, as_json(tile)
    (True, True, {'tile': [6, 6], 'seq': 4, 'sure': 0.8})
    """

    tile: Pair
    seq: int = 0
    sure: float | None = None
    """How probably the camera read it right; None where a person said what it is."""
    others: tuple[tuple[Pair, float], ...] | None = left_out()
    """The other tiles it may be, with probabilities."""
    unread: tuple[bool, bool] = left_out((False, False))
    """Whether its inner and its outer half are a mere guess."""

    @property
    def signs(self) -> tuple[str, str]:
        """Its halves as they are written: `12` and `?`."""
        return signs(self.tile, self.unread)

    @property
    def inner(self) -> int:
        return self.tile[0]

    @property
    def outer(self) -> int:
        return self.tile[1]

    @property
    def unsure(self) -> bool:
        return self.sure is not None and self.sure < SURE_ENOUGH

    @property
    def double(self) -> bool:
        return self.inner == self.outer and not self.unrecorded and not any(self.unread)

    @property
    def unrecorded(self) -> bool:
        """It lies there and is not on record; `seq` is the question about it, where one is open."""
        return self.inner < 0


@dataclass(frozen=True, slots=True)
class TrainShown:
    """A train from the engine outwards.

    >>> tiles = (TileShown((12, 5)), TileShown((5, 5)))
    >>> train = TrainShown("Ann", "Ann", tiles, end=5, marker=False, open=True, flipped=False, dead="no", playable=True)
    >>> train.steps, train.end_sign
    (2, '5')
    """

    name: str
    owner: str | None
    tiles: tuple[TileShown, ...]
    """Those that are on record."""
    end: int | None
    """The value that is due; None while tiles lie there that are not on record."""
    marker: bool
    open: bool
    flipped: bool
    dead: str
    """Whether its double can still be covered."""
    playable: bool
    off_record: int = left_out(0)
    """How many tiles lie there that are not on record."""

    @property
    def end_sign(self) -> str:
        return "?" if self.end is None else str(self.end)

    @property
    def steps(self) -> int:
        """The train's length in tiles, rounded up; doubles lie across and take 0.6."""
        long = sum((0.6 if tile.double else 1.0 for tile in self.tiles), float(self.off_record))
        return min(MOST_STEPS, max(1, math.ceil(long)))


@dataclass(frozen=True, slots=True)
class MustCover:
    """The open double that binds the player to move, and the line that laid it."""

    train: str
    value: int | None
    by: str
    since: int | None = None


@dataclass(frozen=True, slots=True)
class OpenDouble:
    train: str
    value: int | None
    dead: bool
    since: int | None


@dataclass(frozen=True, slots=True)
class Playable:
    tile: Pair
    train: str


@dataclass(frozen=True, slots=True)
class Blocked:
    """Whether anything can still be laid."""

    provable: bool
    """Nothing can, and the table proves it."""
    nearly: bool
    """Hardly anything can."""
    values: tuple[int, ...]
    """The open ends."""
    fitting: int | None = left_out()
    """How many unseen tiles still fit one of them."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A ruling on an earlier decision from the hands shown later, certain or possible."""

    player: str
    code: str
    status: str
    offence: bool
    seq: int | None
    tiles: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class OffRecordShown:
    """How many tiles lie on the table and are not on record, apart from those at the trains."""

    left: int = 0
    """At the left end of a line."""
    right: int = 0
    """At its right end."""
    apart: int = 0
    """They belong to nothing."""


@dataclass(frozen=True, slots=True)
class NextRound:
    round: int
    engine: Pair | None = None
    starter: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A line of the scoreboard."""

    seat: Seat
    total: int
    last: int | None
    hand: int | None
    """A count, where it is known."""
    rank: int
    """1 leads; shared where totals are equal."""


class OwnTurn(NamedTuple):
    """One turn of a player."""

    player: str
    number: int
    """In the round, from 1."""
    before: int | None = None
    """The line before which it is still to come; None: it is the next turn."""


@dataclass(frozen=True)
class GameView:
    """The game after a line of the journal.

    >>> names = ("Ann", "Ben")
    >>> view = GameView(0, "waiting", "tactic", "Tactic", "mexican", "double-12", 12, names, {}, totals={"Ann": 9})
    >>> view.playing, view.most_points_win, [seat.name for seat in view.seats]
    (False, False, ['Ann', 'Ben'])
    """

    seq: int
    """The line."""
    phase: str
    """`waiting` (for a round), `playing`, `round_over` (hands are to be shown) or `match_over`."""
    rules: str
    title: str
    family: str
    set: str
    set_max: int
    players: tuple[str, ...]
    options: Mapping[str, Any]
    round: int | None = None
    rounds: int | None = None
    starter: str | None = None
    how: str | None = None
    engine: Pair | None = None
    turn: str | None = None
    turn_actions: tuple[str, ...] = ()
    turn_finished: bool = False
    first_turn: bool = False
    unable: tuple[str, ...] = ()
    """The acts that end the turn of a player who cannot play."""
    unable_late: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By player, the same for the first turn of theirs that is still to come."""
    still_laying: str | None = None
    """The player whose long first train may go on."""
    laying_together: bool = False
    """First trains may still be laid, by everybody at the same time."""
    after_double: str | None = None
    """The train of a double just laid, to which one more tile is due."""
    boneyard: int | None = None
    hands: Mapping[str, int | None] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    trains: tuple[TrainShown, ...] = ()
    line: tuple[TileShown, ...] = ()
    arms: int = 1
    ends: tuple[int | None, int | None] = (None, None)
    discards: Mapping[str, int] = field(default_factory=dict)
    open_doubles: tuple[OpenDouble, ...] = ()
    must_cover: MustCover | None = None
    """The open double that binds the player to move."""
    may_play: tuple[Playable, ...] = ()
    blocked: Blocked | None = None
    plays: tuple[Line, ...] = ()
    """This round's events as they read now, with their rulings."""
    questions: tuple[Line, ...] = ()
    """Those that nobody has answered."""
    to_come: tuple[OwnTurn, ...] = ()
    """In a round that people tap: the turns still to come."""
    put_before: tuple[Pair, ...] = ()
    """Taps put before others without a question: line of the late one, line of the other."""
    own_turns: Mapping[str, int] = field(default_factory=dict)
    """In a round that people tap: how many turns each player has begun."""
    totals: Mapping[str, int] = field(default_factory=dict)
    most_points_win: bool = False
    rounds_played: tuple[RoundSheet, ...] = ()
    winner: tuple[str, ...] | None = None
    audit: tuple[Examined, ...] = ()
    shown: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)
    next: NextRound | None = None
    camera: None = None
    brought: Mapping[str, int] = left_out({})
    """The points with which everybody began, where anybody had some."""
    left: Mapping[str, int] = left_out({})
    """The points of players who went home earlier in the match."""
    colours: Mapping[str, int] | None = left_out()
    """The players' numbers, where they are not those of their seats."""
    gone: tuple[str, ...] = left_out(())
    """The players who left in the middle of this round."""
    off_record: OffRecordShown | None = field(default=None, metadata={"nothing": None})
    """Left out where there is nothing to count, and after a restart until the camera has looked."""
    reminders: tuple[str, ...] | None = left_out()
    turns_over: bool | None = left_out()
    """These rules turn a dead double face down."""
    announces: str | None = left_out()
    """How these rules announce a last tile: `tap` or `tap_or_say`."""
    retractions: tuple[RetractionShown, ...] | None = left_out()

    # ---- what follows from it, for whoever draws it --------------------------------------------------------------

    @property
    def chinese(self) -> bool:
        return self.family == "chinese"

    @property
    def pays(self) -> bool:
        """Whether a round is settled with payments, which add up to 0; else nobody has points below 0."""
        return self.chinese and self.most_points_win

    @property
    def box(self) -> int:
        """How many tiles the set has."""
        return sum(chinese_set().values()) if self.chinese else tiles_in(self.set_max)

    @property
    def lowest(self) -> int:
        """The least value of a half: no Chinese tile has a blank."""
        return 1 if self.chinese else 0

    @property
    def playing(self) -> bool:
        return self.phase == "playing"

    @property
    def fresh(self) -> bool:
        """Whether the first round of this game has not begun."""
        return self.phase == "waiting" and not self.lines and not self.rounds_played

    @property
    def winners(self) -> tuple[str, ...]:
        return self.winner or ()

    @property
    def drew(self) -> bool:
        return "draw" in self.turn_actions

    @property
    def apart(self) -> int:
        """How many tiles that are not on record belong to nothing."""
        return 0 if self.off_record is None else self.off_record.apart

    @property
    def end_signs(self) -> tuple[str, str]:
        """The values at the left and the right end of a line that has begun."""
        left, right = ("?" if end is None else str(end) for end in self.ends)
        return left, right

    @property
    def counted(self) -> bool:
        """Whether anybody has won points in this match, here or before the players changed."""
        return bool(self.rounds_played or self.brought or self.left)

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        return seats_of(self.players, self.colours)

    def seat(self, name: str | None) -> Seat | None:
        return next((seat for seat in self.seats if seat.name == name), None)

    @property
    def mover(self) -> Seat | None:
        return self.seat(self.turn)

    @cached_property
    def asked(self) -> tuple[Line, ...]:
        """The questions to everybody."""
        return tuple(one for one in self.questions if not is_misfit(one))

    @cached_property
    def misfits(self) -> tuple[Line, ...]:
        """Those about taps that do not fit."""
        return tuple(one for one in self.questions if is_misfit(one))

    @property
    def cards(self) -> tuple[tuple[Line, tuple[int, ...]], ...]:
        """The questions to show: for each kind without answers only the newest, with the numbers of all."""
        cards: dict[object, tuple[Line, tuple[int, ...]]] = {}
        for question in self.asked:
            kind = question["seq"] if question.get("candidates") else Question.of(question.get("reason") or "").same
            earlier = cards.pop(kind)[1] if kind in cards else ()
            cards[kind] = (question, (*earlier, int(question["seq"])))
        return tuple(cards.values())

    @cached_property
    def deals(self) -> int | None:
        """How many tiles the rules deal to each; None where they do not say."""
        if self.rules not in SHIPPED:
            return None
        rules = load_ruleset(self.rules, dict(self.options))
        return rules.hand_size(self.set_max if rules.is_mexican else ANY_SET, len(self.players))

    @property
    def double_blank(self) -> int:
        """How many points 0-0 counts."""
        return load_ruleset(self.rules, dict(self.options)).double_blank if self.rules in SHIPPED else 0

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The plays as they are told. That a wrong engine lies there is no fact while it is asked which tile is the
        engine; who was dealt another number of tiles than the rules deal is told with both; whoever says that the own
        first train is done has ended a turn, not passed."""
        which_engine = any(Question.of(one.get("reason") or "").about == ANOTHER_ENGINE for one in self.asked)
        told, last = list[Line](), dict[str | None, Line]()
        for play in self.plays:
            if is_misfit(play):
                continue
            by, event = play.get("by"), play["event"]
            first = all(one["event"] == "passed" or one.get("train") == one.get("by") for one in last.values())
            if event == "passed" and first and last.get(by, play)["event"] == "tile_played":
                play = {**play, "done": True}
            elif event == "round_started" and which_engine:
                play = {**play, "violations": []}
            elif play.get("what") == "dealt":
                play = {**play, "due": self.deals}
            told.append(play)
            if by is not None and not play.get("taken_back") and not play.get("withdrawn"):
                last[by] = play
        return tuple(told)

    def play(self, seq: int) -> Line | None:
        return next((play for play in self.lines if play.get("seq") == seq), None)

    @property
    def faults(self) -> tuple[Line, ...]:
        """Plays of this round that break a rule and have not been let stand, the newest first."""
        return tuple(play for play in reversed(self.lines) if is_fault(play))

    @cached_property
    def at_fault(self) -> frozenset[int]:
        """The lines of illegal plays that stand."""
        return frozenset(play["seq"] for play in self.lines if is_own_fault(play))

    @cached_property
    def doubted(self) -> frozenset[int]:
        """The lines of plays that are only possibly illegal."""
        return frozenset(play["seq"] for play in self.lines if standing_doubts(play)) - self.at_fault

    @cached_property
    def laid(self) -> tuple[int, ...]:
        """The lines that laid the tiles of this round, the newest last."""
        return tuple(one["seq"] for one in self.lines if one["event"] == "tile_played" and not one.get("taken_back"))

    @property
    def fell_lately(self) -> tuple[RetractionShown, ...]:
        """Accusations that fell lately: only few tiles have been laid since, so that everybody sees it once."""
        return tuple(one for one in self.retractions or () if sum(seq > one.seq for seq in self.laid) <= SHOWN_FOR)

    def beyond(self, place: str) -> tuple[TileShown, ...]:
        """Tiles that lie on this train, or at this end of the line, and are not on record."""
        off = self.off_record or OffRecordShown()
        counts = {LEFT: off.left, RIGHT: off.right} | {train.name: train.off_record for train in self.trains}
        reason = Question(QuestionKind.UNREADABLE_TILE, train=place).reason
        newest = max((int(one["seq"]) for one in self.asked if one.get("reason") == reason), default=0)
        return (TileShown((-1, -1), newest),) * counts[place]

    @cached_property
    def which_tile(self) -> Mapping[int, int]:
        """Line of a laid tile -> the open question which one it is."""
        asked = [one for one in self.asked if Question.of(one["reason"]).kind is QuestionKind.UNREADABLE_TILE]
        ways = ((way, one["seq"]) for one in asked for way in one.get("candidates") or ())
        return {event["seq"]: question for way, question in ways for event in way["events"] if "tile" in event}

    @cached_property
    def scores(self) -> tuple[ScoreRow, ...]:
        """In order of seats: a scoreboard whose lines jump about cannot be read from across the room."""
        last: Mapping[str, int] = self.rounds_played[-1].scores if self.rounds_played else {}
        # Whoever left in the middle of a round is dealt in again, and ranks by the total like everybody.
        numbers = sorted(self.totals.values(), reverse=self.most_points_win)
        return tuple(
            ScoreRow(
                seat,
                self.totals[seat.name],
                last.get(seat.name),
                self.hands.get(seat.name),
                numbers.index(self.totals[seat.name]) + 1 if self.counted else 0,
            )
            for seat in self.seats
        )

    def turn_of(self, name: str) -> OwnTurn:
        """The turn of this player to which an act of now belongs: the one that is begun, or the next."""
        begun = self.turn if self.turn_actions else None
        return OwnTurn(name, self.own_turns.get(name, 0) + (name != begun))

    # ---- whose keys are shown, and where the next tile goes ------------------------------------------------------

    @property
    def open_trains(self) -> tuple[TrainShown, ...]:
        """The trains that the player at work may play on, their own first."""
        mine = self.at_work.name if self.at_work else None
        if self.growing is not None:
            return tuple(train for train in self.trains if train.name == mine)
        return tuple(sorted((train for train in self.trains if train.playable), key=lambda train: train.name != mine))

    @property
    def preselected(self) -> str | None:
        """Where the next tile probably goes: on the long first train that grows, on the double that waits, else on the
        own train, or past an end that the player has just passed up."""
        open_to = [train.name for train in self.trains if train.playable]
        due = self.must_cover.train if self.must_cover else self.after_double
        if self.growing:
            return self.growing
        if due is not None and (due in open_to or not open_to):
            return due
        mine = self.turn
        if mine in open_to:
            passed_up = self._passed_up(mine)
            ends = {train.name: train.end for train in self.trains if train.playable}
            return min(ends, key=lambda name: (ends[name] in passed_up, name != mine, name != MEXICAN))
        return mine if mine is not None or not open_to else open_to[0]

    def _passed_up(self, player: str) -> frozenset[int | None]:
        """The ends of the own and the Mexican train at which this player, last time, laid no tile."""
        start = self.engine[1] if self.engine else None
        ends = dict.fromkeys((player, MEXICAN), start)
        found = frozenset[int | None]()
        for play in self.lines:
            event, train = play["event"], str(play.get("train"))
            if play.get("taken_back") or play.get("withdrawn"):
                continue
            if play.get("by") == player and event in ("drew", "marker_placed", "passed"):
                found = frozenset(ends.values())
            elif event == "tile_played":
                if play.get("by") == player and train != player:
                    found = frozenset(end for name, end in ends.items() if name != train)
                if train in ends:
                    ends[train] = play["tile"][1]
        return found

    @property
    def growing(self) -> str | None:
        """The player now laying a long first train: all of its tiles are the latest on the table.

        Later the rules may still let it go on, but then it is no more likely than anybody's next turn.
        """
        row = next((train for train in self.trains if train.name == self.still_laying), None)
        laid = [play for play in self.lines if play["event"] == "tile_played" and not play.get("taken_back")]
        latest = laid[len(laid) - len(row.tiles) :] if row is not None and row.tiles else []
        alone = bool(latest) and all(play.get("by") == play.get("train") == self.still_laying for play in latest)
        return self.still_laying if alone else None

    @property
    def together(self) -> bool:
        """Whether everybody builds a first train at the same time, and somebody has not said that it is done."""
        return bool(self.building)

    @property
    def at_work(self) -> Seat | None:
        """The player whose turn the page shows: whoever builds a long first train until it is done, else the
        player to move; None while everybody builds."""
        return None if self.together else self.seat(self.growing) or self.mover

    @property
    def building(self) -> tuple[Seat, ...]:
        """Players who may still build their first train while everybody does: all who have not said that it is done."""
        if not self.laying_together:
            return ()
        ended = {play.get("by") for play in self.lines if play["event"] in ("passed", "marker_placed")}
        return tuple(seat for seat in self.seats if seat.name not in ended)

    @property
    def builders(self) -> tuple[Seat, ...]:
        """Those of them who have begun."""
        begun = {train.name for train in self.trains if train.tiles}
        return tuple(seat for seat in self.building if seat.name in begun)

    def takes(self, train: TrainShown) -> bool:
        """Whether the next tile may be laid there."""
        return train.playable or train.name == self.growing or self.seat(train.owner) in self.building

    @property
    def by_likelihood(self) -> tuple[TrainShown, ...]:
        """The trains as they are offered for the next tile: where it probably goes, what is open, what is closed."""
        return tuple(sorted(self.trains, key=lambda train: (train.name != self.preselected, not self.takes(train))))

    def as_seen_by(self, me: Seat | None) -> GameView:
        """The same for the keys of a player's own phone: what is tapped there is theirs, whoever is to move."""
        if me is None:
            return self
        still = self.still_laying if self.still_laying == me.name else None
        if me == self.mover:
            return replace(self, still_laying=still, laying_together=False)
        due = None if self.must_cover is None else self.must_cover.train
        own = tuple(
            replace(
                row,
                playable=(row.owner in (None, me.name) or row.marker or row.name == self.after_double)
                and not row.flipped
                and due in (None, row.name),
            )
            for row in self.trains
        )
        return replace(
            self, turn=me.name, turn_actions=(), trains=own, still_laying=still, laying_together=False,
        )  # fmt: skip
