"""The view of a game, put together from its timeline: everything that the page and /api/state show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from companion.game.game_view import (
    Blocked,
    Examined,
    FindingShown,
    GameView,
    MustCover,
    NextRound,
    PlayShown,
    QuestionShown,
    RoundScores,
    TileShown,
    TrainShown,
)
from companion.game.off_record import Lying, OffRecord, off_record
from companion.game.timeline import Timeline
from companion.log.corrections import EffectiveEvent
from companion.log.events import Event, Header, RoundStarted, TilePlayed, Unclear
from companion.play.course import Course
from companion.play.scoreboard import Scoreboard
from companion.play.shown_hands import examined_decisions, prove, surely
from companion.play.taps import acts_when_unable, after_double, still_laying
from companion.rules.actions import LEFT, MEXICAN, RIGHT
from companion.rules.audit import Status
from companion.rules.chinese.line import open_arms
from companion.rules.mexican.blocks import dead_status, live_doubles, reachable_trains
from companion.rules.mexican.judge import legal_plays
from companion.rules.mexican.scoring import last_round
from companion.rules.notation import print_act
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid, double_set
from companion.rules.violations import Violation
from companion.tracking.costs import POSSIBLE, Cause, probably

MX_ANNOUNCE = "MX_ANNOUNCE"
"""A reminder: opening the Mexican train is announced."""

NOBODYS = -1
"""Stands for a tile that no event of this round laid."""

NEARLY = 2
"""A table on which so few unseen tiles still fit anywhere is called nearly blocked."""

DO_NOT_MEET = (str(Violation.MISMATCH), str(Violation.WRONG_ROOT))
"""Findings about two halves that touch."""

ACTS_BEFORE, ACTS_AFTER = 8, 4
"""So many acts around one that does not fit can be put in another order."""

PHASES = {"waiting": "waiting", "playing": "playing", "ended": "round_over", "scored": "waiting", "over": "match_over"}


def scene(
    header: Header,
    rules: RuleSet,
    timeline: Timeline,
    held: Sequence[EffectiveEvent],
    seq: int,
    questions: Sequence[Unclear],
    lying: Lying | None = None,
) -> GameView:
    """The game after journal line `seq`. `lying`: what the camera sees on the table now, where that is to be shown."""
    match = timeline.match
    course = match.course
    board = match.board
    playing = match.phase == "playing"
    shown: GameView = {
        "seq": seq,
        "phase": PHASES[match.phase],
        "rules": header.rules,
        "title": rules.title,
        "family": rules.family,
        "set": header.set,
        "set_max": match.set_max,
        "players": list(header.players),
        "options": dict(header.options),
        "round": board.round.number if board.round else None,
        "rounds": last_round(rules, match.set_max) if rules.is_mexican else None,
        "starter": board.round.starter if board.round else None,
        "how": board.round.how if board.round else None,
        "engine": None,
        "turn": None,
        "turn_actions": [],
        "turn_finished": False,
        "first_turn": False,
        "unable": [],
        "still_laying": None,
        "laying_together": False,
        "after_double": None,
        "boneyard": None,
        "hands": {},
        "markers": [],
        "trains": [],
        "line": [],
        "arms": rules.arms,
        "ends": [None, None],
        "discards": {},
        "open_doubles": [],
        "must_cover": None,
        "may_play": [],
        "blocked": None,
        "plays": _plays(timeline, held),
        "questions": [_question(question, timeline) for question in questions],
        "to_come": [] if timeline.asked is None else [list(one) for one in timeline.asked.to_come()],
        "put_before": [] if timeline.asked is None else [list(one) for one in timeline.asked.filled()],
        "own_turns": {} if timeline.asked is None else dict(timeline.asked.reading.now.turns),
        "totals": dict(board.totals),
        "most_points_win": match.most_points_win,
        "rounds_played": _rounds(board),
        "winner": list(board.winners) or None,
        "audit": _audit(course, timeline) if course is not None and course.ended is not None else [],
        "shown": match.hands_shown(),
        "next": _next(match) if match.phase in ("waiting", "scored") else None,
        "camera": None,
    }
    if any(header.brought.values()):
        shown["brought"] = dict(header.brought)
    if header.left:
        shown["left"] = dict(header.left)
    if "colours" in header.extra:
        shown["colours"] = dict(header.colours)
    if course is None:
        return shown
    table = course.position
    shown["hands"] = dict(table.hands)
    if playing and not course.turn_open:
        shown["turn"] = table.turn
        turn = course.turn
        if turn is not None and turn.player == table.turn:
            shown["turn_actions"] = [print_act(action, "-" if rules.is_mexican else ":") for action in turn.actions]
        elif turn is not None:
            shown["turn_finished"] = True
    if playing:
        sign = "-" if rules.is_mexican else ":"
        shown["unable"] = [print_act(action, sign) for action in acts_when_unable(course)]
        shown["still_laying"] = still_laying(course)
        shown["laying_together"] = course.laying_together
        shown["after_double"] = after_double(course)
    off = OffRecord() if lying is None or not playing else off_record(lying, table)
    if isinstance(table, Position):
        _show_trains(shown, course, timeline, table, off, playing=playing)
    else:
        _show_line(shown, course, timeline, table, off, playing=playing)
    return shown


def _show_trains(
    shown: GameView, course: Course, timeline: Timeline, table: Position, off: OffRecord, *, playing: bool
) -> None:
    rules = course.rules
    turn = course.turn
    done = turn.actions if turn is not None and turn.player == table.turn else ()
    before = turn.before if done and turn is not None and isinstance(turn.before, Position) else table
    table, before = _without_doubles_under(table, off), _without_doubles_under(before, off)
    if shown["after_double"] in off.beyond:
        # Its next tile lies there already.
        shown["after_double"], done, before = None, (), table
    plays = legal_plays(rules, before, None, done, surely=True) if playing else []
    playable = dict.fromkeys(play.train for play in plays)
    plays = [play for play in plays if play.train not in off.beyond]
    if playing:
        playable.update(dict.fromkeys(_open_to(course, table)))
    live = live_doubles(rules, table)
    due = reachable_trains(rules, table) if live else ()
    names = tuple(dict.fromkeys((*table.players, MEXICAN, *table.trains, *off.beyond)))
    trains: list[TrainShown] = [
        {
            "name": name,
            "owner": name if name in table.players else None,
            "tiles": _tiles(timeline, course, name, table.trains.get(name, ())),
            "end": None if name in off.beyond else table.value_due(name),
            "marker": name in table.markers,
            "open": name in table.open,
            "flipped": name in table.flipped,
            "dead": dead_status(table, name),
            "playable": name in playable,
        }
        for name in names
    ]
    for train in trains:
        if train["name"] in off.beyond:
            train["off_record"] = off.beyond[train["name"]]
    if off.apart:
        shown["off_record"] = {"left": 0, "right": 0, "apart": off.apart}
    must: MustCover | None = None
    if playing and due and not done:
        must = {
            "train": due[0],
            "value": table.value_due(due[0]),
            "by": table.turn,
            "since": _seq_of_end(timeline, course, due[0]),
        }
    shown["engine"] = list(table.engine)
    shown["first_turn"] = playing and table.first_turn
    shown["boneyard"] = table.boneyard
    shown["markers"] = sorted(table.markers)
    shown["trains"] = trains
    shown["open_doubles"] = [
        {
            "train": name,
            "value": table.value_due(name),
            "dead": dead_status(table, name) == "certain",
            "since": _seq_of_end(timeline, course, name),
        }
        for name in table.open
    ]
    shown["must_cover"] = must
    shown["reminders"] = _reminders(course, table) if playing else []
    shown["turns_over"] = rules.dead_double == "flip"
    shown["knocks"] = rules.announce == "tap"
    shown["may_play"] = [{"tile": list(play.tile), "train": play.train} for play in plays]
    shown["blocked"] = _blocked(course, table, off) if playing else None


def _without_doubles_under(table: Position, off: OffRecord) -> Position:
    """The table without the open doubles on which something lies that is not on record."""
    return replace(table, open=tuple(name for name in table.open if name not in off.beyond)) if off.beyond else table


def _reminders(course: Course, table: Position) -> list[str]:
    """What the rules ask for when somebody has just begun the Mexican train: a hint, never a fault."""
    last = course.turn.plays[-1:] if course.turn is not None else ()
    begun = len(table.trains.get(MEXICAN, ())) == 1 and last and last[0].train == MEXICAN
    if not begun or course.rules.mx_sign is None:
        return []
    if course.rules.mx_sign == "announce":
        return [MX_ANNOUNCE]
    return [] if MEXICAN in table.markers else [str(Violation.MX_MARKER_MISSING)]


def _open_to(course: Course, table: Position) -> tuple[str, ...]:
    """The trains with a double that the player to move has to close, whatever value fits there."""
    turn = course.turn
    waits = turn is None or turn.player != table.turn
    return reachable_trains(course.rules, table) if waits and live_doubles(course.rules, table) else ()


def _show_line(
    shown: GameView, course: Course, timeline: Timeline, table: LinePosition, off: OffRecord, *, playing: bool
) -> None:
    arms = open_arms(course.rules)
    ends = table.ends
    known = [arm for arm in (LEFT, RIGHT) if arm in arms and arm not in off.beyond]
    tiles = [_shown_tile(timeline, laid, key) for laid, key in zip(table.line, _line_keys(course), strict=False)]
    plays = course.referee.legal_plays(table, None) if playing else []
    plays = [play for play in plays if play.train not in off.beyond]
    blocked: Blocked | None = None
    if playing and ends is not None:
        proved = course.referee.blocked(table) and not off
        values = sorted({end for arm, end in ((LEFT, ends[0]), (RIGHT, ends[1])) if arm in known})
        blocked = {"provable": proved, "nearly": not proved and not off and len(plays) <= NEARLY, "values": values}
    shown["line"] = tiles
    shown["ends"] = [ends[0] if ends and LEFT in known else None, ends[1] if ends and RIGHT in known else None]
    if off:
        left, right = off.beyond.get(LEFT, 0), off.beyond.get(RIGHT, 0)
        shown["off_record"] = {"left": left, "right": right, "apart": off.apart}
    shown["discards"] = {player: table.discards.get(player, 0) for player in table.players}
    shown["may_play"] = [{"tile": list(play.tile), "train": play.train} for play in plays]
    shown["blocked"] = blocked


def _tiles(timeline: Timeline, course: Course, train: str, chain: Sequence[Any]) -> list[TileShown]:
    keys = list(course.laid.get(train, ()))
    if len(keys) != len(chain):
        keys = [*([NOBODYS] * max(0, len(chain) - len(keys))), *keys][-len(chain) :] if chain else []
    return [_shown_tile(timeline, laid, key) for laid, key in zip(chain, keys, strict=True)]


def _line_keys(course: Course) -> list[int]:
    return [*reversed(course.laid.get(LEFT, ())), *course.laid.get(RIGHT, ())]


def _shown_tile(timeline: Timeline, laid: Laid, key: int) -> TileShown:
    shown: TileShown = {"tile": list(laid), "seq": _seq(timeline, key), "sure": None}
    held = timeline.acts[key].held if 0 <= key < len(timeline.acts) else None
    event = held.event if held is not None else None
    if held is None or not isinstance(event, TilePlayed) or event.reading is None:
        return shown
    reading = event.reading
    if held.by_people and isinstance(held.original, TilePlayed) and held.original.tile != event.tile:
        return shown
    shown["sure"] = round(reading.sure, 4)
    shown["others"] = [[list(tile), round(p, 4)] for tile, p in reading.alternatives(event.tile)]
    return shown


def _seq(timeline: Timeline, key: int) -> int:
    return timeline.acts[key].held.event.seq if 0 <= key < len(timeline.acts) else 0


def _seq_of_end(timeline: Timeline, course: Course, train: str) -> int | None:
    keys = course.laid.get(train, ())
    return _seq(timeline, keys[-1]) if keys else None


def _blocked(course: Course, table: Position, off: OffRecord) -> Blocked:
    """Whether nothing can be laid any more, with the values that prove it; or whether it is nearly so. Nothing of it is
    known while a tile lies there that is not on record."""
    rules = course.rules
    values = sorted({table.value_due(train) for train in reachable_trains(rules, table) if train not in off.beyond})
    proved = course.referee.blocked(table) and not off
    unseen = double_set(table.set_max) - table.visible
    fitting = sum(any(tile.has(value) for value in values) for tile in unseen)
    nearly = not proved and not off and fitting <= NEARLY
    return {"provable": proved, "nearly": nearly, "values": values, "fitting": fitting}


def _plays(timeline: Timeline, held: Sequence[EffectiveEvent]) -> list[PlayShown]:
    """This round's events, the newest last, as they are held now."""
    start = max((n for n, item in enumerate(held) if isinstance(item.event, RoundStarted)), default=len(held))
    index = {id(act.held): n for n, act in enumerate(timeline.acts)}
    lines = []
    for item in held[start:]:
        line = shown_line(item)
        n = index.get(id(item))
        if n is not None:
            line["violations"] = [cast(FindingShown, finding.to_json()) for finding in timeline.findings(n)]
            due = _engine_missed(timeline, item.event)
            if due is not None:
                line["engine_due"] = list(due)
            act = timeline.acts[n]
            if isinstance(act.event, TilePlayed):
                line["tile"] = list(act.event.tile)
            if any(finding.code in DO_NOT_MEET for finding in timeline.findings(n)):
                line["end_was"] = _end_before(timeline, n, item.event)
            if act.event is None and (item.event.source == "rule" or item.put_in):
                line["withdrawn"] = True
        if n is None and not item.undone:
            line["withdrawn"] = True
        lines.append(line)
    return lines


def shown_line(item: EffectiveEvent) -> PlayShown:
    """An event as it is held now, with the rulings that it brings itself."""
    said = item.event.to_json()
    said.pop("settled", None)
    line = cast(PlayShown, said)
    line["overruled"] = item.overruled
    line["taken_back"] = item.undone
    if item.ruling_open:
        line["ruling_open"] = True
    if item.changed_by:
        line["changed_by"] = list(item.changed_by)
    if item.original is not None:
        line["original"] = item.original.to_json()
        line["corrected"] = item.by_people
    return line


def _end_before(timeline: Timeline, n: int, event: Event) -> int | None:
    """The value to which the tile of the act `n` was laid."""
    course = timeline.acts[n - 1].after.course if n else None
    if course is None or not isinstance(event, TilePlayed):
        return None
    table = course.position
    if isinstance(table, Position):
        return table.value_due(event.train)
    return None if table.ends is None else table.ends[0 if event.train == LEFT else 1]


def _engine_missed(timeline: Timeline, event: Event) -> Laid | None:
    """The engine that a round should have had, where it was begun with another tile."""
    if not isinstance(event, RoundStarted) or event.engine is None:
        return None
    due = timeline.match.engine_due(event.round)
    return due if due != event.engine else None


def _question(question: Unclear, timeline: Timeline) -> QuestionShown:
    shown = cast(QuestionShown, question.to_json())
    asked = () if timeline.asked is None or question.about is None else timeline.asked.questions()
    about = next((one for one in asked if one.seq == question.about), None)
    if about is not None and timeline.asked is not None:
        shown["alive"] = sorted(about.alive)
        shown["order"] = _around(about.seq, list(timeline.asked.turns()))
    return shown


def _around(seq: int, row: list[int]) -> list[int]:
    """The lines of the acts around that of line `seq`, in the order in which they happened as far as anybody has
    said."""
    row = row if seq in row else sorted([*row, seq])
    place = row.index(seq)
    return row[max(0, place - ACTS_BEFORE) : place + ACTS_AFTER]


def _rounds(board: Scoreboard) -> list[RoundScores]:
    return [
        {
            "round": sheet.number,
            "engine": list(sheet.engine) if sheet.engine else None,
            "starter": sheet.starter,
            "how": sheet.how,
            "out": sheet.out,
            "scores": dict(sheet.scores),
            "totals": dict(sheet.totals or {}),
        }
        for sheet in board.rounds
        if sheet.scores is not None
    ]


def _audit(course: Course, timeline: Timeline) -> list[Examined]:
    """What the shown hands prove about earlier passes, draws and discards, and what they make possible: that somebody
    broke a rule, against having drawn every tile that tells of it later."""
    match = timeline.match
    if not match.shown:
        return []
    out = match.board.round.out if match.board.round else None
    proved = prove(course, match.shown)
    return [
        {
            "player": examined.by,
            "code": str(examined.code),
            "status": str(
                examined.status
                if (proved and surely(course, examined.code)) or examined.status is not Status.CERTAIN
                else Status.POSSIBLE
            ),
            "offence": examined.offence,
            "seq": _seq(timeline, key) if key is not None else None,
            "tiles": [[tile.low, tile.high] for tile in examined.tiles],
        }
        for examined, key in examined_decisions(course, match.shown, out)
        if probably(examined.by_chance, Cause.ILLEGAL) >= POSSIBLE
    ]


def _next(match: Any) -> NextRound:
    engine = match.engine_due(match.next_number)
    return {
        "round": match.next_number,
        "engine": list(engine) if engine else None,
        "starter": match.next_starter,
    }
