"""A snapshot of a game turned into what the templates draw. The only place that knows how a snapshot is built."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.game.game_view import (
    Blocked,
    Examined,
    GameView,
    MustCover,
    PlayShown,
    QuestionShown,
    RetractionShown,
    RoundScores,
    TileShown,
    TrainShown,
)
from companion.game.standing import is_fault, is_misfit, is_own_fault, standing_doubts
from companion.log.header import MOST_COLOURS
from companion.log.question import ANOTHER_ENGINE, Question, QuestionKind
from companion.rules.actions import LEFT, MEXICAN, RIGHT
from companion.rules.mexican.scoring import tiles_in
from companion.rules.ruleset import ANY_SET, SHIPPED, load_ruleset
from companion.rules.tile import chinese_set
from companion.web.drawing import SHAPES

SURE_ENOUGH = 0.9
"""Below this probability a tile is drawn amber and called unsure."""

MOST_STEPS = 40
"""Each row's tiles are drawn at a size at which its train fits; CSS has one class for each length up to this."""

SHOWN_FOR = 2
"""A retraction is shown until more tiles than this have been laid."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place and signs: `index` 1 ... is the seat, `colour` 1 ... gives colour and shape and stays the
    player's own at another seat, `initial` is one or two letters."""

    name: str
    index: int
    initial: str
    colour: int

    @property
    def shape(self) -> int:
        return (self.colour - 1) % SHAPES


@dataclass(frozen=True, slots=True)
class TileView:
    """One laid tile; `inner` is nearer the engine. `fault` marks an illegal play that stands, `doubt` one that is only
    possibly illegal, `newest` the last one."""

    inner: int
    outer: int
    seq: int
    unsure: bool = False
    fault: bool = False
    doubt: bool = False
    newest: bool = False

    @property
    def double(self) -> bool:
        return self.inner == self.outer and not self.unrecorded

    @property
    def unrecorded(self) -> bool:
        """It lies there and is not on record; `seq` is the question about it, where one is open."""
        return self.inner < 0


@dataclass(frozen=True, slots=True)
class TrainView:
    """One row of the yard. `seat` is None for the Mexican train; `end` the value that is due, None where `beyond` the
    tiles others lie that are not on record."""

    name: str
    seat: Seat | None
    row: int
    tiles: tuple[TileView, ...]
    beyond: tuple[TileView, ...]
    end: int | None
    marker: bool
    open: bool
    flipped: bool
    dead: bool
    playable: bool
    to_cover: bool

    @property
    def end_sign(self) -> str:
        return "?" if self.end is None else str(self.end)

    @property
    def steps(self) -> int:
        """The train's length in tiles, rounded up; doubles lie across and take 0.6."""
        return min(
            MOST_STEPS, max(1, math.ceil(sum(0.6 if tile.double else 1.0 for tile in (*self.tiles, *self.beyond))))
        )


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A line of the scoreboard; `rank` 1 leads, shared where totals are equal; `hand` a count where it is known."""

    seat: Seat
    total: int
    last: int | None
    hand: int | None
    rank: int


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """For which turn a phone shows its keys: that of `player` with this `number` in the round, from 1. `before`: the
    line before which it is still to come; None: it is the next turn."""

    player: str
    number: int
    before: int | None = None


@dataclass(frozen=True, slots=True)
class PageView:
    """Everything the live page shows, apart from sentences. `asked`: questions to everybody; `misfits`: those about
    taps that do not fit; `beside_line`: the tiles at its left and its right end that
    are not on record; `apart`: how many such tiles belong to nothing; `turns_over`: dead doubles are turned face
    down; `shown`: the hands laid open after this round; `options`: the house rules; `deals`: how many tiles the rules
    deal to each, None where they do not say; `brought`: the
    points with which everybody began, where anybody had some; `left`: those of whoever went home in this match;
    `own_turns`: the turn of each player in which an act of now is; `to_come`: turns that are still to come before what
    was told; `put_before`: (line of a late tap, line before which it was put).
    """

    seq: int
    phase: str
    rules: str
    family: str
    set_name: str
    highest: int
    round: int | None
    rounds: int | None
    engine: tuple[int, int] | None
    boneyard: int | None
    first_turn: bool
    turn: Seat | None
    seats: tuple[Seat, ...]
    trains: tuple[TrainView, ...]
    must_cover: MustCover | None
    line: tuple[TileView, ...]
    beside_line: tuple[tuple[TileView, ...], tuple[TileView, ...]]
    arms: int
    ends: tuple[int | None, int | None]
    apart: int
    discards: Mapping[str, int]
    plays: tuple[PlayShown, ...]
    asked: tuple[QuestionShown, ...]
    misfits: tuple[QuestionShown, ...]
    blocked: Blocked | None
    scores: tuple[ScoreRow, ...]
    rounds_played: tuple[RoundScores, ...]
    winners: tuple[str, ...]
    audit: tuple[Examined, ...]
    retractions: tuple[RetractionShown, ...]
    drew: bool
    unable: tuple[str, ...]
    still_laying: str | None
    laying_together: bool
    deals: int | None
    after_double: str | None
    reminders: tuple[str, ...]
    turns_over: bool
    knocks: bool
    shown: Mapping[str, Sequence[Sequence[int]]]
    options: Mapping[str, Any]
    most_points_win: bool
    brought: Mapping[str, int]
    left: Mapping[str, int]
    own_turns: Mapping[str, OwnTurn]
    to_come: tuple[OwnTurn, ...]
    put_before: tuple[tuple[int, int], ...]

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
        return sum(chinese_set().values()) if self.chinese else tiles_in(self.highest)

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
        return self.phase == "waiting" and not self.plays and not self.rounds_played

    @property
    def end_signs(self) -> tuple[str, str]:
        """The values at the left and the right end of a line that has begun."""
        left, right = ("?" if end is None else str(end) for end in self.ends)
        return left, right

    @property
    def counted(self) -> bool:
        """Whether anybody has won points in this match, here or before the players changed."""
        return bool(self.rounds_played or self.brought or self.left)

    @property
    def open_trains(self) -> tuple[TrainView, ...]:
        """What the player at work may lay on, their own train first."""
        mine = self.at_work.name if self.at_work else None
        if self.growing is not None:
            return tuple(train for train in self.trains if train.name == mine)
        return tuple(sorted((train for train in self.trains if train.playable), key=lambda train: train.name != mine))

    @property
    def preselected(self) -> str | None:
        """Where the next tile probably goes: on the double that waits, on the long first train that grows, else on the
        own train."""
        open_to = [train.name for train in self.trains if train.playable]
        due = str(self.must_cover["train"]) if self.must_cover else self.after_double
        if due is not None and (due in open_to or not open_to):
            return due
        if self.growing is not None:
            return self.growing
        mine = self.turn.name if self.turn else None
        return mine if mine is not None or not open_to else open_to[0]

    @property
    def growing(self) -> str | None:
        """Whose long first train is being laid just now: all of its tiles are the latest ones on the table.

        Later the rules may still let it go on, but then it is no more likely than anybody's next turn.
        """
        row = next((train for train in self.trains if train.name == self.still_laying), None)
        laid = [play for play in self.plays if play.get("event") == "tile_played" and not play.get("taken_back")]
        latest = laid[len(laid) - len(row.tiles) :] if row is not None and row.tiles else []
        alone = bool(latest) and all(play.get("by") == play.get("train") == self.still_laying for play in latest)
        return self.still_laying if alone else None

    @property
    def together(self) -> bool:
        """Whether everybody builds a first train at the same time, and somebody has not said that it is done."""
        return bool(self.building)

    @property
    def at_work(self) -> Seat | None:
        """Whose turn the page shows: of whoever builds a long first train until its end is said, else `turn`; None
        while everybody builds."""
        return None if self.together else self.seat(self.growing) or self.turn

    @property
    def building(self) -> tuple[Seat, ...]:
        """Whose first train may begin or go on while everybody builds: of all who have not said that it is done."""
        if not self.laying_together:
            return ()
        ended = {play.get("by") for play in self.plays if play["event"] in ("passed", "marker_placed")}
        return tuple(seat for seat in self.seats if seat.name not in ended)

    @property
    def builders(self) -> tuple[Seat, ...]:
        """Those of them who have begun."""
        begun = {train.name for train in self.trains if train.tiles}
        return tuple(seat for seat in self.building if seat.name in begun)

    def takes(self, train: TrainView) -> bool:
        """Whether the next tile may be laid there."""
        return train.playable or train.name == self.growing or train.seat in self.building

    @property
    def by_likelihood(self) -> tuple[TrainView, ...]:
        """The trains as they are offered for the next tile: where it probably goes, what is open, what is closed."""
        return tuple(sorted(self.trains, key=lambda train: (train.name != self.preselected, not self.takes(train))))

    @property
    def questions(self) -> tuple[tuple[QuestionShown, tuple[int, ...]], ...]:
        """What is asked: of questions of one kind that offer no answers only the newest, with the numbers of all."""
        cards: dict[object, tuple[QuestionShown, tuple[int, ...]]] = {}
        for question in self.asked:
            kind = (
                question["seq"] if question.get("candidates") else Question.of(str(question.get("reason") or "")).same
            )
            earlier = cards.pop(kind)[1] if kind in cards else ()
            cards[kind] = (question, (*earlier, int(question["seq"])))
        return tuple(cards.values())

    @property
    def faults(self) -> tuple[PlayShown, ...]:
        """Plays of this round that break a rule and have not been let stand, the newest first."""
        return tuple(play for play in reversed(self.plays) if is_fault(play))

    def as_seen_by(self, me: Seat | None) -> PageView:
        """The same for the keys of a player's own phone: what is tapped there is theirs, whoever is to move."""
        if me is None:
            return self
        still = self.still_laying if self.still_laying == me.name else None
        if me == self.turn:
            return replace(self, still_laying=still, laying_together=False)
        due = None if self.must_cover is None else self.must_cover["train"]
        to_me = {row.name for row in self.trains if row.seat in (None, me) or row.marker}
        own = tuple(
            replace(row, playable=row.name in to_me and not row.flipped and due in (None, row.name))
            for row in self.trains
        )
        return replace(
            self, turn=me, trains=own, after_double=None, still_laying=still, laying_together=False, drew=False
        )

    def seat(self, name: str | None) -> Seat | None:
        return next((seat for seat in self.seats if seat.name == name), None)

    def play(self, seq: int) -> PlayShown | None:
        return next((play for play in self.plays if play.get("seq") == seq), None)


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


def page_view_of(snapshot: GameView) -> PageView:
    """The view of one snapshot."""
    seats = seats_of(snapshot["players"], snapshot.get("colours"))
    asked = tuple(one for one in snapshot["questions"] if not is_misfit(one))
    played = [play for play in snapshot["plays"] if not is_misfit(play)]
    deals = _deals(snapshot)
    plays = _with_deal(_with_trains_done(_with_open_engine(played, asked)), deals)
    faults = {play["seq"] for play in plays if is_own_fault(play)}
    doubts = {play["seq"] for play in plays if standing_doubts(play)} - faults
    laid = [play["seq"] for play in plays if play["event"] == "tile_played" and not play.get("taken_back")]
    marks = _Marks(faults, doubts, laid[-1] if laid else None)
    off = snapshot.get("off_record") or {"left": 0, "right": 0, "apart": 0}
    must_cover, engine = snapshot["must_cover"], snapshot["engine"]
    return PageView(
        seq=snapshot["seq"],
        phase=snapshot["phase"],
        rules=snapshot["rules"],
        family=snapshot["family"],
        set_name=snapshot["set"],
        highest=snapshot["set_max"],
        round=snapshot["round"],
        rounds=snapshot["rounds"],
        engine=(engine[0], engine[1]) if engine else None,
        boneyard=snapshot["boneyard"],
        first_turn=snapshot["first_turn"],
        turn=next((seat for seat in seats if seat.name == snapshot["turn"]), None),
        seats=seats,
        trains=tuple(_train(train, i, seats, must_cover, marks, asked) for i, train in enumerate(snapshot["trains"])),
        must_cover=must_cover,
        line=tuple(_tile(tile, marks) for tile in snapshot["line"]),
        beside_line=(_unrecorded(off["left"], LEFT, asked), _unrecorded(off["right"], RIGHT, asked)),
        arms=snapshot["arms"],
        ends=(snapshot["ends"][0], snapshot["ends"][1]),
        apart=off["apart"],
        discards=snapshot["discards"],
        plays=plays,
        asked=asked,
        misfits=tuple(one for one in snapshot["questions"] if is_misfit(one)),
        blocked=snapshot["blocked"],
        scores=_scores(snapshot, seats),
        rounds_played=tuple(snapshot["rounds_played"]),
        winners=tuple(snapshot["winner"] or ()),
        audit=tuple(snapshot["audit"]),
        retractions=_fresh_retractions(snapshot, laid),
        drew="draw" in snapshot["turn_actions"],
        unable=tuple(snapshot["unable"]),
        still_laying=snapshot["still_laying"],
        laying_together=snapshot["laying_together"],
        deals=deals,
        after_double=snapshot["after_double"],
        reminders=tuple(snapshot.get("reminders", ())),
        turns_over=snapshot.get("turns_over", False),
        knocks=snapshot.get("knocks", False),
        shown=snapshot["shown"],
        options=snapshot["options"],
        most_points_win=snapshot["most_points_win"],
        brought=snapshot.get("brought", {}),
        left=snapshot.get("left", {}),
        own_turns=_own_turns(snapshot),
        to_come=tuple(OwnTurn(*one) for one in snapshot["to_come"]),
        put_before=tuple((late, before) for late, before in snapshot["put_before"]),
    )


def _own_turns(snapshot: GameView) -> dict[str, OwnTurn]:
    """The turn of each player to which an act of now belongs: the one that is begun, or the next."""
    begun = snapshot["turn"] if snapshot["turn_actions"] else None
    turns = snapshot["own_turns"]
    return {name: OwnTurn(name, turns.get(name, 0) + (name != begun)) for name in snapshot["players"]}


def _with_open_engine(plays: Sequence[PlayShown], asked: Sequence[QuestionShown]) -> tuple[PlayShown, ...]:
    """The plays; that a wrong engine lies there is no fact while it is asked which tile is the engine."""
    if not any(Question.of(str(one.get("reason") or "")).about == ANOTHER_ENGINE for one in asked):
        return tuple(plays)
    return tuple({**play, "violations": []} if play["event"] == "round_started" else play for play in plays)


def _deals(snapshot: GameView) -> int | None:
    if snapshot["rules"] not in SHIPPED:
        return None
    rules = load_ruleset(snapshot["rules"], dict(snapshot["options"]))
    return rules.hand_size(snapshot["set_max"] if rules.is_mexican else ANY_SET, len(snapshot["players"]))


def _with_deal(plays: Sequence[PlayShown], deals: int | None) -> tuple[PlayShown, ...]:
    """The plays; who was dealt another number of tiles than the rules deal is told with both."""
    return tuple({**play, "due": deals} if play.get("what") == "dealt" else play for play in plays)  # type: ignore[typeddict-unknown-key]


def _with_trains_done(plays: Sequence[PlayShown]) -> tuple[PlayShown, ...]:
    """The plays; whoever says that the own first train is done has ended a turn, not passed."""
    shown, last = list[PlayShown](), dict[str | None, PlayShown]()
    for play in plays:
        by = play.get("by")
        first = all(one["event"] == "passed" or one.get("train") == one.get("by") for one in last.values())
        if play["event"] == "passed" and first and last.get(by, play)["event"] == "tile_played":
            play = {**play, "done": True}
        shown.append(play)
        if by is not None and not play.get("taken_back") and not play.get("withdrawn"):
            last[by] = play
    return tuple(shown)


def _train(
    train: TrainShown,
    row: int,
    seats: Sequence[Seat],
    must_cover: MustCover | None,
    marks: _Marks,
    asked: Sequence[QuestionShown],
) -> TrainView:
    name = train["name"]
    return TrainView(
        name=name,
        seat=None if name == MEXICAN else next((seat for seat in seats if seat.name == name), None),
        row=row,
        tiles=tuple(_tile(tile, marks) for tile in train["tiles"]),
        beyond=_unrecorded(train.get("off_record", 0), name, asked),
        end=train["end"],
        marker=train["marker"],
        open=train["open"],
        flipped=train["flipped"],
        dead=train["dead"] == "certain",
        playable=train["playable"],
        to_cover=must_cover is not None and must_cover["train"] == name,
    )


def _unrecorded(count: int, train: str, asked: Sequence[QuestionShown]) -> tuple[TileView, ...]:
    """Tiles that lie on this train, or at this end of the line, and are not on record."""
    reason = Question(QuestionKind.UNREADABLE_TILE, train=train).reason
    newest = max((int(question["seq"]) for question in asked if question.get("reason") == reason), default=0)
    return (TileView(-1, -1, newest),) * count


def _fresh_retractions(snapshot: GameView, laid: Sequence[Any]) -> tuple[RetractionShown, ...]:
    """Accusations that fell lately: only few tiles have been laid since, so that everybody sees it once."""
    lately = snapshot.get("retractions") or ()
    return tuple(one for one in lately if sum(seq > one["seq"] for seq in laid) <= SHOWN_FOR)


@dataclass(frozen=True, slots=True)
class _Marks:
    """The plays, by their numbers, that get a sign at their tile."""

    faults: set[Any]
    doubts: set[Any]
    newest: int | None


def _tile(tile: TileShown, marks: _Marks) -> TileView:
    values, seq, sure = tile["tile"], tile["seq"], tile["sure"]
    return TileView(
        inner=values[0],
        outer=values[1],
        seq=seq,
        unsure=sure is not None and sure < SURE_ENOUGH,
        fault=seq in marks.faults,
        doubt=seq in marks.doubts,
        newest=seq == marks.newest and seq > 0,
    )


def _scores(snapshot: GameView, seats: Sequence[Seat]) -> tuple[ScoreRow, ...]:
    """In order of seats: a scoreboard whose lines jump about cannot be read from across the room."""
    totals, played = snapshot["totals"], snapshot["rounds_played"]
    counted = bool(played or snapshot.get("brought") or snapshot.get("left"))
    last: Mapping[str, int] = played[-1]["scores"] if played else {}
    numbers = sorted((totals[seat.name] for seat in seats), reverse=snapshot["most_points_win"])
    return tuple(
        ScoreRow(
            seat=seat,
            total=totals[seat.name],
            last=last.get(seat.name),
            hand=snapshot["hands"].get(seat.name),
            rank=numbers.index(totals[seat.name]) + 1 if counted else 0,
        )
        for seat in seats
    )
