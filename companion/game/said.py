"""What people say, as the lines to write: what they did, how their tiles counted, and what they answer.

Each function takes the game as worked out and returns lines. `game.Game` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.game.corrections import of_one_command
from companion.game.course import (
    DEALT,
    act_of,
    acts_when_unable,
    closed_to_mover,
    event_of,
    lifts_marker,
    still_laying,
    without_a_tile,
)
from companion.game.match import Match
from companion.game.rejected import CommandRejected, RejectionReason, TileLike, laid_of
from companion.game.round import History
from companion.log.events import (
    Announced,
    Corrected,
    Drew,
    Event,
    HandShown,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    PlayerLeft,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    Unclear,
)
from companion.rules.position import End, Play
from companion.rules.tile import Laid
from companion.tracking.edits import EditKind

LEAST_PLAYING = 2
"""With so few players nobody can leave and let the others play on."""


# ---- acts ------------------------------------------------------------------------------------------------------------


def a_player(now: History, name: str) -> str:
    """The name of somebody who plays. Raises CommandRejected."""
    if name not in now.header.players:
        raise CommandRejected(RejectionReason.NO_SUCH_PLAYER, name=name)
    return name


def whose(now: History, by: str | None) -> str | None:
    """The player of an act: `by`, else who is to move; None where that is open."""
    if by is not None:
        return a_player(now, by)
    course = now.match.course
    return None if course is None or course.turn_open else course.mover


def who_laid(now: History, by: str | None, play: Play) -> str | None:
    """The player of a tile: as said, else who is to move; the train's owner while first trains are laid at the
    same time, while the owner lays a long one that may go on, and where the train is closed to who is to move."""
    course, train = now.match.course, play.train
    if by is not None or course is None:
        return whose(now, by)
    together = course.laying_together and not (course.all_begun and train in course.table.markers)
    own = together or still_laying(course) == train or closed_to_mover(course, play)
    return train if own and train in now.header.players else whose(now, None)


def round_started(
    now: History, engine: Laid | None, starter: str | None, *, first_number: int | None, after: int | None, guess: bool
) -> RoundStarted:
    """The beginning of the next round, as `Game.start_round` takes it. Raises CommandRejected."""
    match = now.match
    if match.phase == "playing":
        raise CommandRejected(RejectionReason.ROUND_RUNS)
    if match.phase == "ended":
        raise CommandRejected(RejectionReason.ROUND_UNSCORED)
    if match.phase == "over":
        raise CommandRejected(RejectionReason.MATCH_OVER)
    laid = engine if now.rules.is_mexican else None
    number = match.number_with(laid) if first_number is None or match.board.rounds else first_number
    number = number if after is None else max(number, after + 1)
    if now.rules.is_mexican:
        laid = laid or match.engine_due(number)
        if laid is None:
            raise CommandRejected(RejectionReason.ALL_ROUNDS_PLAYED)
    if starter is not None:
        starter = a_player(now, starter)
    elif guess or match.starter_is_named:
        starter = match.starter_of(number)
    return RoundStarted(round=number, engine=laid, starter=starter)


def with_marker(now: History, played: TilePlayed) -> list[Event]:
    """A tile, and the marker that its player takes off with it where the rules take it off."""
    who, course = played.by, now.match.course
    if who and course and now.last.may_tap_for(who) and lifts_marker(course, who, Play(played.tile, played.train)):
        return [played, MarkerRemoved(by=who, train=who, turn=played.turn)]
    return [played]


def turn_over(now: History, player: str, turn: int | None) -> list[Event]:
    """`player` says that their own turn is over: no line where the table has shown that already."""
    course = now.match.course
    acts = (one.event for one in reversed(now.last.taken) if act_of(one.event) is not None)
    last = next(acts, None)
    shown = course is not None and course.mover != player and still_laying(course) != player
    return [] if shown and last is not None and last.who == player else [Passed(by=player, done=True, turn=turn)]


def unable(now: History, by: str | None, turn: int | None) -> list[Event]:
    """A player has no tile that fits: all that the rules then ask for. Raises CommandRejected."""
    course = now.match.course
    assert course is not None
    mover = None if course.turn_open else course.mover
    who = mover if by is None else a_player(now, by)
    out = course.table.hands.get(who or "") == 0
    if who is None or (who != mover and out) or not now.last.may_tap_for(who):
        raise CommandRejected(RejectionReason.NOT_YOUR_TURN)
    due = () if now.last.asked is None else now.last.asked.to_come()
    acts = next((unable for player, own, _, unable in due if (player, own) == (who, turn)), None)
    if acts is None:
        acts = acts_when_unable(course) if who == mover else without_a_tile(course.table, who)
    if not acts:
        raise CommandRejected(RejectionReason.FIRST_TILE_DUE)
    events = [event_of(act, who, source="person", turn=turn) for act in acts if not isinstance(act, End)]
    # The marker ends the turn by itself; else the end of the turn is an event.
    ends = not events or isinstance(events[-1], Drew)
    return [*events, *([Passed(by=who, turn=turn)] if ends else ())]


def said_anew(now: History, said: Announced) -> list[Event]:
    """A report, or what takes the place of the same said before: of a deal in this round, else since the player's last
    tile. No line where it says the same."""
    for event in (one.event for one in reversed(now.last.taken)):
        if isinstance(event, TilePlayed) and event.by == said.by and said.what != DEALT:
            break
        if isinstance(event, Announced) and (event.by, event.what) == (said.by, said.what):
            return [] if event.value == said.value else [Corrected(corrects=event.seq, what={"value": said.value})]
    return [said]


def left(now: History, player: str) -> list[Event]:
    """`player` goes away in the middle of the round. Raises CommandRejected."""
    course = now.match.course
    assert course is not None
    playing = [name for name in course.players if name not in course.table.gone]
    if player not in playing:
        raise CommandRejected(RejectionReason.HAS_LEFT, name=player)
    if len(playing) <= LEAST_PLAYING:
        raise CommandRejected(RejectionReason.TOO_FEW_LEFT)
    return [PlayerLeft(by=player)]


# ---- hands and points ------------------------------------------------------------------------------------------------


def match_counted(now: History, number: int) -> Match | None:
    """The match as it stood after round `number`, once that had its points."""
    for one in reversed(now.rounds.values()):
        sheet = one.match.board.round
        if sheet is not None and sheet.round == number and sheet.scores:
            return one.match
    return None


def match_to_count(now: History, number: int | None) -> Match:
    """The match with the round whose hands are shown: `number`, or the last one. Raises CommandRejected."""
    match = now.match if number is None else match_counted(now, number)
    if match is None or match.course is None or match.course.ended is None:
        raise CommandRejected(RejectionReason.HANDS_TOO_EARLY)
    return match


def typed_points(now: History, match: Match) -> bool:
    """Whether people typed the points of this round."""
    scored = match.lines.get("scored")
    return scored is not None and now.acts[scored].held.event.source == "person"


def shown_by(
    player: str, match: Match, tiles: Iterable[TileLike], discards: Iterable[TileLike] = (), *,
    in_order: bool = False, source: str = "person",
) -> HandShown:  # fmt: skip
    """The line of a shown hand. Where somebody has no tile left, tiles of a Chinese game are those put away."""
    left = tuple(laid_of(tile).tile for tile in tiles)
    away = tuple(laid_of(tile).tile for tile in discards)
    if match.course and not match.rules.is_mexican and not away and match.course.table.hands.get(player) == 0:
        left, away = (), left
    return HandShown(by=player, tiles=left, discards=away, in_order=in_order and bool(away), source=source)


def hands_in(hands: Sequence[HandShown], match: Match) -> list[Event]:
    """The lines of these hands: said anew where one was shown before, or taken to be empty."""
    scored, lines = match.lines.get("scored"), list[Event]()
    for shown in hands:
        earlier = match.shown.get(shown.by)
        if earlier is not None:
            rows = {"tiles": shown.tiles, "discards": shown.discards}
            what: dict[str, Any] = {name: [[tile.low, tile.high] for tile in row] for name, row in rows.items()}
            lines.append(Corrected(corrects=earlier.seq, what=what, by=shown.by, source=shown.source))
        elif scored is None:
            lines.append(shown)
        elif shown.tiles or shown.discards:
            # It was taken to be empty when the round was scored.
            what = {"insert": [shown.to_insert()]}
            lines.append(Corrected(corrects=scored, what=what, by=shown.by, source=shown.source))
    return lines


def counted_from(hands: Sequence[HandShown], match: Match) -> list[Event]:
    """The lines by which points that people typed follow from these hands."""
    due = match.score_of({one.by: (*one.tiles, *one.discards) for one in hands})
    return counted_anew(match, *hands, *([] if due is None else [due]))


def counted_anew(match: Match, *lines: Event) -> list[Event]:
    """The points of the round that `match` ended with follow from these lines now, instead of those until now."""
    gone = [match.lines["scored"], *(shown.seq for shown in match.shown.values())]
    put_in = [{"insert": [line.to_insert()], "after": True} for line in lines]
    return [
        *(Corrected(corrects=seq, what={"withdrawn": True}) for seq in gone),
        *(Corrected(corrects=match.lines["ended"], what=what) for what in put_in),
    ]


def scored_late(now: History, scores: Mapping[str, int], number: int, how: str, out: str | None) -> list[Event]:
    """Points for a round that was broken off and after which the game went on, or others than it has. Raises
    CommandRejected where it has these already."""
    rounds = (one for one in reversed(now.rounds.values()) if one.begun and one.begun.round == number)
    acts = (act for one in rounds for act in reversed(one.acts.values()))
    last = next((act for act in acts if isinstance(act.event, (RoundEnded, RoundScored))), None)
    match last and last.event:
        case RoundScored(seq=seq, source="person", scores=written) if scores != dict(written):
            return [Corrected(corrects=seq, what={"scores": scores})]
        case RoundScored(scores=written) if scores != dict(written):
            assert last is not None
            return counted_anew(last.after, replace(last.after.with_scores(scores), source="person"))
        case RoundEnded(seq=seq, how="abandoned"):
            assert last is not None
            line = replace(last.after.with_scores(scores), source="person").to_insert()
            # The next round has begun already: what the rules would have named for it is of no use any more.
            line |= {"next_engine": None, "next_starter": None}
            return [Corrected(corrects=seq, what={"how": how, "out": out, "insert": [line], "after": True})]
    raise CommandRejected(RejectionReason.ROUND_HAS_POINTS, number=number)


# ---- answers ---------------------------------------------------------------------------------------------------------


def question_of(now: History, seq: int, choice: int | None = None) -> Unclear:
    """The question of line `seq`, which is open and has that candidate. Raises CommandRejected."""
    question = next((one for one in now.questions() if one.seq == seq), None)
    if question is None:
        raise CommandRejected(RejectionReason.NO_OPEN_QUESTION, seq=seq)
    if choice is not None and not 0 <= choice < len(question.candidates):
        raise CommandRejected(RejectionReason.NO_SUCH_ANSWER, seq=seq, last=len(question.candidates) - 1)
    return question


def about_the_table(question: Unclear, choice: int | None, by: str | None, tile: Laid | None) -> list[Corrected]:
    """The lines of candidate `choice` of a camera's question (None: none of them); where a tile on record is asked
    about it may be another `tile`."""
    seq, what = question.seq, dict[str, Any](answer=choice)
    lines: Sequence[Mapping[str, Any]] = () if choice is None else question.candidates[choice].events
    if tile is not None and question.on_record is not None:
        lines = [{"seq": question.on_record, "tile": list(tile)}]
    known = [line for line in lines if isinstance(line.get("seq"), int)]
    if known:
        # On record already: an act by somebody unnamed, a tile not read, a round whose engine was not found.
        changes = [
            {"by": line.get("by")} if "event" in line else {name: line[name] for name in line if name != "seq"}
            for line in known
        ]
        corrected = [Corrected(corrects=line["seq"], what=one, by=by) for line, one in zip(known, changes, strict=True)]
        return [Corrected(corrects=seq, what=what, by=by), *corrected]
    # One line for each event, so that each can be put right by itself.
    put_in = [{"insert": [dict(line)], "after": True} for line in lines] or [{}]
    put_in[0] = what | put_in[0]
    return [Corrected(corrects=seq, what=one, by=by) for one in put_in]


def about_a_tap(
    now: History, question: Unclear, choice: int | None, by: str | None, order: Sequence[int] | None = None
) -> list[Corrected]:
    """The lines of the answer about a tap that does not fit: a key, or the `order` of these taps. Raises
    CommandRejected."""
    if choice is None or (order is None and question.candidates[choice].kind == EditKind.ORDER):
        raise CommandRejected(RejectionReason.NO_SUCH_ANSWER, seq=question.seq, last=len(question.candidates) - 2)
    key, said = question.candidates[choice], {} if order is None else {"order": list(order)}
    lines = [Corrected(corrects=question.seq, what={"answer": choice} | said, by=by)]
    for event in key.events:
        told: dict[str, Any] = {"answers": question.seq}
        if key.kind == EditKind.NAME:
            lines.append(Corrected(corrects=event["seq"], what=told | {"by": event["by"]}, by=by))
        elif key.kind == EditKind.TWICE:
            lines.append(Corrected(corrects=event["seq"], what=told | {"withdrawn": True}, by=by))
        elif key.kind == EditKind.START:
            begun = now.last.begun
            assert begun is not None
            told |= {name: event[name] for name in ("starter", "engine") if name in event}
            lines.append(Corrected(corrects=begun.seq, what=told, by=by))
        elif key.kind == EditKind.MISSING:
            line = {name: value for name, value in event.items() if name not in ("before", "after")}
            told |= {"insert": [line | {"source": "person"}], "after": "after" in event}
            lines.append(Corrected(corrects=event.get("after", event.get("before")), what=told, by=by))
    return [*lines, *(_markers_with(now, lines, by) if key.kind == EditKind.NAME else ())]


def _markers_with(now: History, lines: Sequence[Corrected], by: str | None) -> list[Corrected]:
    """The markers of tiles for which `lines` name somebody else, as if they had tapped it themselves: the one that
    came off with the tap is on again, and theirs comes off, unless somebody has moved it or played there since."""
    named, told, found = {line.corrects for line in lines[1:]}, {"answers": lines[0].corrects}, list[Corrected]()
    for line in now.lines:
        lifted = isinstance(line, MarkerRemoved) and line.seq - 1 in named and line.seq not in named
        if lifted and of_one_command(now.lines, line):
            found.append(Corrected(corrects=line.seq, what=told | {"withdrawn": True}, by=by))
    numbered = enumerate((*lines, *found), len(now.lines) + 1)
    then = now.told(replace(line, seq=seq) for seq, line in numbered).last
    before, acts = then.before, list(then.acts.values())
    for n, act in enumerate(acts):
        tile, course = act.event, before.course
        before = act.after
        if act.held.seq not in named or not isinstance(tile, TilePlayed) or tile.by is None or course is None:
            continue
        moved = (TilePlayed, MarkerPlaced, MarkerRemoved)
        since = any(isinstance(one.event, moved) and one.event.train == tile.by for one in acts[n + 1 :])
        if not since and lifts_marker(course, tile.by, Play(tile.tile, tile.train)):
            off = MarkerRemoved(by=tile.by, train=tile.by).to_insert() | {"source": "person"}
            found.append(Corrected(corrects=tile.seq, what=told | {"insert": [off], "after": True}, by=by))
    return found
