"""Tiles that lie face up on the table and are not on record: what the camera saw last, beside what the game has.

The view of a game: everything that the page and /api/state show.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

from companion.game.corrections import EffectiveEvent
from companion.game.course import Course, acts_when_unable, after_double, still_laying
from companion.game.game_view import (
    Blocked,
    Examined,
    GameView,
    Line,
    MustCover,
    NextRound,
    OffRecordShown,
    OpenDouble,
    OwnTurn,
    Playable,
    TileShown,
    TrainShown,
)
from companion.game.match import Match, examined_decisions, prove, surely
from companion.game.round import History, Round
from companion.log.events import Event, RoundStarted, TilePlayed, Unclear
from companion.rules.audit import Status
from companion.rules.chinese import open_arms
from companion.rules.mexican.judge import last_round, legal_plays
from companion.rules.mexican.turn import dead_status, live_doubles, reachable_trains
from companion.rules.notation import print_act
from companion.rules.position import LEFT, MEXICAN, RIGHT, LinePosition, Position
from companion.rules.tile import Laid, double_set
from companion.rules.violations import Violation
from companion.tracking.asked import AskedRound
from companion.tracking.costs import POSSIBLE, Cause, probably
from companion.tracking.verdict import Verdict

FaceUpRow = tuple[Laid | None, ...]
"""Face-up tiles in the order in which they lie, None for one that is not read."""


@dataclass(frozen=True, slots=True)
class Lying:
    """The table as it was looked at last. No journal has it."""

    trains: Mapping[str, FaceUpRow] = field(default_factory=dict)
    """From the engine outwards."""
    line: FaceUpRow = ()
    """A Chinese line, from left to right."""
    apart: FaceUpRow = ()
    """Tiles that belong to neither."""


@dataclass(frozen=True, slots=True)
class OffRecord:
    """Tiles that lie on the table and are not on record.

    >>> bool(OffRecord({"Ann": 1})), bool(OffRecord())
    (True, False)
    """

    beyond: Mapping[str, int] = field(default_factory=dict)
    """How many lie at each train, or at an end of the line (L, R). A train with none is not named."""
    apart: int = 0
    """How many lie apart from all trains."""

    def __bool__(self) -> bool:
        return bool(self.beyond) or self.apart > 0


def off_record(lying: Lying, table: Position | LinePosition) -> OffRecord:
    """Tiles in `lying` that this table's record lacks. Where people say what an unread tile is, that is it."""
    if isinstance(table, LinePosition):
        left, right = _beyond(lying.line, table.line)
        found = {LEFT: left, RIGHT: right}
        known = set(table.line)
    else:
        found = {name: sum(_beyond(row, table.trains.get(name, ()))) for name, row in lying.trains.items()}
        known = set(table.laid())
    tiles = {laid.tile for laid in known}
    apart = sum(laid is None or laid.tile not in tiles for laid in lying.apart)
    return OffRecord({name: count for name, count in found.items() if count}, apart)


def _beyond(row: FaceUpRow, recorded: Sequence[Laid]) -> tuple[int, int]:
    """How many tiles lie before the first, and beyond the last, that the row and the record have in common, and are not
    accounted for by those on record there. With nothing in common, all are beyond."""
    same = SequenceMatcher(None, row, recorded, autojunk=False).get_matching_blocks()[:-1]
    if not same:
        return 0, max(0, len(row) - len(recorded))
    first, last = same[0], same[-1]
    before = max(0, first.a - first.b)
    behind = max(0, (len(row) - last.a) - (len(recorded) - last.b))
    return before, max(behind, len(row) - len(recorded) - before)


MX_ANNOUNCE = "MX_ANNOUNCE"
"""A reminder: opening the Mexican train is announced."""

NOBODYS = 0
"""Stands for a tile that no line of this round laid."""

NEARLY = 2
"""A table on which so few unseen tiles still fit anywhere is called nearly blocked."""

DO_NOT_MEET = (str(Violation.MISMATCH), str(Violation.WRONG_ROOT))
"""Findings about two halves that touch."""

MOST_TILES, LEAST_ALTERNATIVE = 6, 0.01
"""How many tiles, of what one may be, a telephone can offer without scrolling; one less likely than the second is not:
"None of these" is there for it."""

ACTS_BEFORE, ACTS_AFTER = 8, 4
"""How many acts around one that does not fit can be put in another order."""

ARMS = (LEFT, RIGHT)

PHASES = {"waiting": "waiting", "playing": "playing", "ended": "round_over", "scored": "waiting", "over": "match_over"}


def scene(history: History, lying: Lying | None = None) -> GameView:
    """The game as it stands. `lying`: what the camera sees on the table now, where that is to be shown."""
    header, rules, now, questions = history.header, history.rules, history.last, history.questions()
    match, asked = now.match, now.asked
    course, board = match.course, match.board
    begun, playing = board.round, match.phase == "playing"
    shown = GameView(
        seq=len(history.lines),
        phase=PHASES[match.phase],
        rules=header.rules,
        title=rules.title,
        family=rules.family,
        set=header.set,
        set_max=match.set_max,
        players=tuple(header.players),
        options=dict(header.options),
        round=begun.round if begun else None,
        rounds=last_round(rules, match.set_max) if rules.is_mexican else None,
        starter=begun.starter if begun else None,
        how=begun.how if begun else None,
        arms=rules.arms,
        plays=_plays(now, questions),
        questions=tuple(_question(question, asked) for question in questions),
        to_come=() if asked is None else tuple(OwnTurn(*one[:3]) for one in asked.to_come()),
        put_before=() if asked is None else tuple((late, before) for late, before in asked.filled()),
        own_turns={} if asked is None else dict(asked.reading.now.turns),
        totals=dict(board.totals),
        most_points_win=match.most_points_win,
        rounds_played=tuple(one for one in board.rounds if one.scores),
        winner=tuple(board.winners) or None,
        audit=_audit(course, match) if course is not None and course.ended is not None else (),
        shown=match.hands_shown(),
        next=NextRound(match.next_number, match.engine_due(match.next_number) or None, match.next_starter)
        if match.phase in ("waiting", "scored")
        else None,
        brought=dict(header.brought) if any(header.brought.values()) else {},
        left=dict(header.left),
        colours=dict(header.colours) if "colours" in header.extra else None,
    )
    if course is None:
        return shown
    table, at_it = course.position, course.going_on
    gone = tuple(name for name in shown.players if name in table.gone)
    shown = replace(shown, hands=dict(table.hands), gone=gone)
    sign = "-" if rules.is_mexican else ":"
    if playing and not course.turn_open:
        done = () if at_it is None else tuple(print_act(action, sign) for action in at_it.actions)
        finished = course.turn is not None and at_it is None
        shown = replace(shown, turn=table.turn, turn_actions=done, turn_finished=finished)
    if playing:
        shown = replace(
            shown,
            unable=tuple(print_act(action, sign) for action in acts_when_unable(course)),
            unable_late={}
            if asked is None
            else {
                player: tuple(print_act(action, sign) for action in acts)
                for player, *_, acts in reversed(asked.to_come())
            },
            still_laying=still_laying(course),
            laying_together=course.laying_together,
            after_double=after_double(course),
        )
    off = OffRecord() if lying is None or not playing else off_record(lying, table)
    if isinstance(table, Position):
        return _with_trains(shown, course, now, table, off)
    return _with_line(shown, course, now, table, off)


def _with_trains(shown: GameView, course: Course, now: Round, table: Position, off: OffRecord) -> GameView:
    rules, playing = course.rules, shown.playing
    before, done = course.so_far
    assert isinstance(before, Position)
    table, before = _without_doubles_under(table, off), _without_doubles_under(before, off)
    if shown.after_double in off.beyond:
        # Its next tile lies there already.
        shown, done, before = replace(shown, after_double=None), (), table
    plays = legal_plays(rules, before, None, done, surely=True) if playing else []
    playable = {play.train for play in plays} | set(_open_to(course, table) if playing else ())
    plays = [play for play in plays if play.train not in off.beyond]
    due = reachable_trains(rules, table) if live_doubles(rules, table) else ()
    tiles = {name: _tiles(now, course, name, chain) for name, chain in table.trains.items()}
    unread = {name for name, row in tiles.items() if row and row[-1].unread[1]}
    plays = [play for play in plays if play.train not in unread]
    trains = tuple(
        TrainShown(
            name,
            owner=name if name in table.players else None,
            tiles=tiles.get(name, ()),
            end=None if name in off.beyond or name in unread else table.value_due(name),
            marker=name in table.markers,
            open=name in table.open,
            flipped=name in table.flipped,
            dead=dead_status(table, name),
            playable=name in playable,
            off_record=off.beyond.get(name, 0),
        )
        for name in dict.fromkeys((*table.players, MEXICAN, *table.trains, *off.beyond))
    )
    must = None
    if playing and due and not done:
        must = MustCover(due[0], table.value_due(due[0]), table.turn, _seq_of_end(course, due[0]))
    return replace(
        shown,
        engine=table.engine,
        first_turn=playing and table.first_turn,
        boneyard=table.boneyard,
        markers=tuple(sorted(table.markers)),
        trains=trains,
        open_doubles=tuple(
            OpenDouble(
                name,
                table.value_due(name),
                dead=dead_status(table, name) == "certain",
                since=_seq_of_end(course, name),
            )
            for name in table.open
        ),
        must_cover=must,
        may_play=tuple(Playable(play.tile, play.train) for play in plays),
        blocked=_blocked(course, table, off) if playing and not unread else None,
        off_record=OffRecordShown(apart=off.apart) if off.apart else None,
        reminders=_reminders(course, table) if playing else (),
        turns_over=rules.dead_double == "flip",
        announces=rules.announce,
    )


def _without_doubles_under(table: Position, off: OffRecord) -> Position:
    """The table without the open doubles on which something lies that is not on record."""
    return replace(table, open=tuple(name for name in table.open if name not in off.beyond)) if off.beyond else table


def _reminders(course: Course, table: Position) -> tuple[str, ...]:
    """Reminders for the player who has just begun the Mexican train: hints, never faults."""
    last = course.turn.plays[-1:] if course.turn is not None else ()
    begun = len(table.trains.get(MEXICAN, ())) == 1 and last and last[0].train == MEXICAN
    if not begun or course.rules.mx_sign is None:
        return ()
    if course.rules.mx_sign == "announce":
        return (MX_ANNOUNCE,)
    return () if MEXICAN in table.markers else (str(Violation.MX_MARKER_MISSING),)


def _open_to(course: Course, table: Position) -> tuple[str, ...]:
    """The trains with a double that the player to move has to close, whatever value fits there."""
    waits = course.going_on is None
    return reachable_trains(course.rules, table) if waits and live_doubles(course.rules, table) else ()


def _with_line(shown: GameView, course: Course, now: Round, table: LinePosition, off: OffRecord) -> GameView:
    arms, ends, playing = open_arms(course.rules), table.ends, shown.playing
    lines = (*reversed(course.laid.get(LEFT, ())), *course.laid.get(RIGHT, ()))
    tiles = tuple(_shown_tile(now, laid, seq) for laid, seq in zip(table.line, lines, strict=False))
    unread = {arm for n, arm in enumerate(ARMS) if tiles and tiles[-n].unread[n]}
    hidden = unread.union(off.beyond)
    left, right = (ends[n] if ends and arm in arms and arm not in hidden else None for n, arm in enumerate(ARMS))
    plays = course.referee.legal_plays(table, None) if playing else []
    plays = [play for play in plays if play.train not in hidden]
    blocked: Blocked | None = None
    if playing and ends is not None and not unread:
        proved = course.referee.blocked(table) and not off
        values = tuple(sorted({end for end in (left, right) if end is not None}))
        blocked = Blocked(proved, nearly=not proved and not off and len(plays) <= NEARLY, values=values)
    apart = OffRecordShown(off.beyond.get(LEFT, 0), off.beyond.get(RIGHT, 0), off.apart)
    return replace(
        shown,
        line=tiles,
        ends=(left, right),
        off_record=apart if off else None,
        discards={player: table.discards.get(player, 0) for player in table.players},
        may_play=tuple(Playable(play.tile, play.train) for play in plays),
        blocked=blocked,
    )


def _tiles(now: Round, course: Course, train: str, chain: Sequence[Laid]) -> tuple[TileShown, ...]:
    lines = course.laid.get(train, ())
    if len(lines) != len(chain):
        lines = (*([NOBODYS] * (len(chain) - len(lines))), *lines)[-len(chain) :] if chain else ()
    return tuple(_shown_tile(now, laid, seq) for laid, seq in zip(chain, lines, strict=True))


def _shown_tile(now: Round, laid: Laid, seq: int) -> TileShown:
    held = now.acts[seq].held if seq else None
    event = held.event if held is not None else None
    shown = TileShown(laid, seq)
    if held is None or not isinstance(event, TilePlayed) or event.reading is None:
        return shown
    if held.by_people and isinstance(held.original, TilePlayed) and held.original.tile != event.tile:
        return shown
    verdict = _weighed(now, event)
    if verdict is None:
        others = tuple((tile, round(p, 4)) for tile, p in event.reading.alternatives(event.tile))
        return replace(shown, sure=round(event.reading.sure, 4), others=others)
    (_, sure), *rest = [(tile, round(p, 4)) for tile, p in verdict.tiles[:MOST_TILES]]
    others = tuple(one for one in rest if one[1] >= LEAST_ALTERNATIVE)
    return replace(shown, sure=sure, others=others, unread=verdict.unread(event.reading))


def _weighed(now: Round, event: TilePlayed) -> Verdict | None:
    """The verdict on this tile, where the belief has weighed which one it is."""
    verdict = now.verdict_on(event)
    return verdict if verdict is not None and verdict.tiles and verdict.tiles[0][0] == event.tile else None


def _seq_of_end(course: Course, train: str) -> int | None:
    lines = course.laid.get(train, ())
    return lines[-1] if lines else None


def _blocked(course: Course, table: Position, off: OffRecord) -> Blocked:
    """Whether nothing can be laid any more, with the values that prove it; or whether it is nearly so. Nothing of it is
    known while a tile lies there that is not on record."""
    rules = course.rules
    ends = {table.value_due(train) for train in reachable_trains(rules, table) if train not in off.beyond}
    values = tuple(sorted(ends))
    proved = course.referee.blocked(table) and not off
    unseen = double_set(table.set_max) - table.visible
    fitting = sum(not ends.isdisjoint((tile.low, tile.high)) for tile in unseen)
    nearly = not proved and not off and fitting <= NEARLY
    return Blocked(proved, nearly, values, fitting)


def _plays(now: Round, questions: Collection[Unclear]) -> tuple[Line, ...]:
    """This round's events as they count now, the newest last, without questions that settled themselves."""
    asked = {question.seq for question in questions}
    lines = []
    for item in now.held if now.begun is not None else ():
        if isinstance(item.event, Unclear) and item.event.about is not None and item.event.seq not in asked:
            continue
        act = now.acts.get(item.event.seq)
        line = shown_line(replace(item, event=now.reads(item.event)))
        if act is not None:
            findings = now.findings(item.event.seq)
            line.setdefault("violations", [])
            if isinstance(item.event, RoundStarted) and item.event.engine is not None:
                due = now.before.engine_due(item.event.round)
                line |= {"engine_due": list(due)} if due is not None and due != item.event.engine else {}
            if any(finding.code in DO_NOT_MEET for finding in findings):
                line["end_was"] = _end_before(now, item.event)
            if isinstance(item.event, TilePlayed) and item.event.reading is not None:
                verdict = _weighed(now, item.event)
                line |= {} if verdict is None else {"unread": list(verdict.unread(item.event.reading))}
            if act.void:
                line["withdrawn"] = True
        elif not item.undone:
            line["withdrawn"] = True
        lines.append(line)
    return tuple(lines)


def shown_line(item: EffectiveEvent) -> dict[str, Any]:
    """An event as it is held now, with the rulings that it brings itself."""
    line = item.event.to_json() | {"overruled": item.overruled, "taken_back": item.undone}
    if item.ruling_open:
        line["ruling_open"] = True
    if item.changed_by:
        line["changed_by"] = list(item.changed_by)
    if item.original is not None:
        line |= {"original": item.original.to_json(), "corrected": item.by_people}
    return line


def _end_before(now: Round, event: Event) -> int | None:
    """The value to which the tile of this act was laid."""
    before = list(takewhile(lambda seq: seq != event.seq, now.acts))
    course = now.acts[before[-1]].after.course if before else None
    if course is None or not isinstance(event, TilePlayed):
        return None
    table = course.position
    if isinstance(table, Position):
        return table.value_due(event.train)
    return None if table.ends is None else table.ends[0 if event.train == LEFT else 1]


def _question(question: Unclear, asked: AskedRound | None) -> Line:
    shown = question.to_json()
    known = () if asked is None or question.about is None else asked.questions()
    about = next((one for one in known if one.seq == question.about), None)
    if about is not None and asked is not None:
        came = sorted(asked.came(about).items())
        shown |= {"alive": sorted(about.alive), "came": came, "order": _around(about.seq, list(asked.turns()))}
    return shown


def _around(seq: int, row: list[int]) -> list[int]:
    """The lines of the acts around that of line `seq`, in the order in which they happened as far as anybody has
    said."""
    row = row if seq in row else sorted([*row, seq])
    place = row.index(seq)
    return row[max(0, place - ACTS_BEFORE) : place + ACTS_AFTER]


def _audit(course: Course, match: Match) -> tuple[Examined, ...]:
    """Earlier passes, draws and discards judged by the shown hands, proved or possible: that somebody
    broke a rule, against having drawn every tile that tells of it later."""
    if not match.shown:
        return ()
    out = match.board.round.out if match.board.round else None
    proved = prove(course, match.shown)
    return tuple(
        Examined(
            player=examined.by,
            code=str(examined.code),
            status=str(
                examined.status
                if (proved and surely(course, examined.code)) or examined.status is not Status.CERTAIN
                else Status.POSSIBLE
            ),
            offence=examined.offence,
            seq=seq,
            tiles=tuple((tile.low, tile.high) for tile in examined.tiles),
        )
        for examined, seq in examined_decisions(course, match.shown, out)
        if probably(examined.by_chance, Cause.ILLEGAL) >= POSSIBLE
    )
