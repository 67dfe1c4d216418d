"""What a change that a camera reports gives to write, beside the pieces that the belief finds in it.

Each function takes the game as worked out and returns lines, or says whether something is so. `game.Game` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from companion.game.corrections import UNDONE, standing_corrections
from companion.game.course import event_of
from companion.game.round import History
from companion.game.watched_round import UNSEEN
from companion.log.event_fields import Candidate, QuestionKind
from companion.log.events import Corrected, Event, RoundEnded, TableChange, TilePlayed, TileTakenBack, Unclear
from companion.rules.chinese import open_arms
from companion.rules.notation import Change
from companion.rules.position import LEFT, RIGHT, LinePosition, Play
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.tracking.evidence import Evidence

AnyValue = TypeVar("AnyValue")


def placed(now: History, report: TableChange) -> TableChange:
    """The change with its tiles at the ends where they count, as the table lies now."""
    course = now.match.course
    if course is None or not isinstance(course.position, LinePosition):
        return report
    return at_the_open_end(report, course.rules, course.position.line)


def at_the_open_end(report: TableChange, rules: RuleSet, line: Sequence[Laid]) -> TableChange:
    """The change with its tiles at the open end, where only one is open and the line reads the same either way.

    6:6 laid beside 6:6 looks the same at either end. Only its place on the table tells the ends apart then, and a nudge
    of the camera moves that. No fault may rest on it.
    """
    left = [change.tile for change in report.laid if change.train == LEFT]
    if not left or not line or report.gone or LEFT in open_arms(rules):
        return report
    if [*left[::-1], *line] != [*line, *left]:
        return report

    def moved(change: Change) -> Change:
        return Play(change.tile, RIGHT) if isinstance(change, Play) else change

    def again(values: Mapping[Change, AnyValue]) -> dict[Change, AnyValue]:
        return {moved(change): value for change, value in values.items()}

    readings = {Play(laid.tile, RIGHT): certainty for laid, certainty in report.readings.items()}
    delta = tuple(map(moved, report.delta))
    return replace(report, delta=delta, readings=readings, arms=again(report.arms), whose=again(report.whose))


def accuses(now: History, report: TableChange) -> bool:
    """Whether this change would hold something against somebody, or ask."""
    if now.match.phase != "playing":
        return False
    tracker = now.last.belief.tracker
    evidence = Evidence.of(tracker.number, placed(now, report))
    if evidence.gone:
        return not tracker.takes_back(evidence.gone)
    return bool(evidence.pieces) and not tracker.faultless(evidence)


def expects(now: History, report: TableChange) -> bool:
    """Whether this change would be legal whichever way everything before it went."""
    if now.match.phase != "playing" or report.gone:
        return False
    tracker = now.last.belief.tracker
    return tracker.expected(Evidence.of(tracker.number, placed(now, report)))


def lines_of(now: History, then: History, report: TableChange) -> list[Event]:
    """The lines of a change, before which the game was `now` and after which it is `then`: entries that it takes back,
    tiles that went or were moved, which nobody may, and what it cannot tell."""
    belief, common = then.last.belief, dict[str, Any](source="camera", frame=report.frame)
    lines = [Corrected(corrects=seq, what={"withdrawn": True}, source="camera") for seq in belief.effect.back]
    gone, unclear = list[Event](), (Unclear(reason=one, **common) for one in belief.effect.unclear)
    for item in belief.effect.gone:
        act, seq = belief.tracker.entries[item].verdict.act, belief.line_of.get(item)
        if not isinstance(act, Play):
            continue
        held = (one.event for one in reversed(now.held) if one.event.seq == seq and not one.undone)
        play, whose = next(held, None), dict[str, Any](by=None)
        if isinstance(play, TilePlayed) and not belief.effect.moved:
            whose = {"by": play.by, "undoes": play.seq}
        gone.append(TileTakenBack(tile=act.tile, train=act.train, **whose, **common))
    return [*lines, *gone, *unclear]


def question(now: History) -> list[Event]:
    """The line of a question, at most one a round, where a fault hangs on a name that the table will not tell; or the
    line that drops it, once the table tells all the same."""
    belief = now.last.belief
    asked = (one for one in now.last.lines if isinstance(one, Unclear) and one.candidates)
    earlier = next((one for one in asked if one.reason == QuestionKind.SEVERAL_EXPLANATIONS), None)
    if earlier is not None:
        about = next((line.get("seq", 0) for key in earlier.candidates for line in key.events), 0)
        entry = belief.tracker.entries.get(belief.item_of.get(about, -1))
        told = entry is None or entry.taken_back or entry.verdict.by is not None
        waits = told and any(one.seq == earlier.seq for one in now.questions())
        return [Corrected(corrects=earlier.seq, what={"withdrawn": True}, source="camera")] if waits else []
    due = belief.tracker.question()
    seq = None if due is None or due.item in belief.stated else belief.line_of.get(due.item)
    if due is None or seq is None:
        return []
    plays = {name: event_of(due.play, name) for name in due.players}
    candidates = tuple(Candidate(name, ({**play.to_insert(), "seq": seq},)) for name, play in plays.items())
    frame = belief.proof.shown.get(due.item, UNSEEN).frame
    reason = str(QuestionKind.SEVERAL_EXPLANATIONS)
    return [Unclear(reason=reason, candidates=candidates, source="camera", frame=frame)]


# ---- the end of a round ----------------------------------------------------------------------------------------------


def goes_on(now: History, waiting: Sequence[TableChange], report: TableChange) -> bool:
    """Was the end only counted, and do they play on regardless? Then the count was wrong."""
    if not report.laid or report.gone or not now.last.only_counted:
        return False
    tried = now.last.belief.tracker.fork()
    for one in (*waiting, placed(now, report)):
        tried.observe(Evidence.of(tried.number, one))
    way = min(tried.filter.all, key=lambda one: one.cost + one.pending)
    return way.born is None and not any(step.codes for step in way.path[-1][1])


def end_due(now: History) -> list[Event]:
    """The round's end, where the belief has it and the record alone cannot tell.

    Where a counted end of this round was taken back, by the table or by somebody, what is counted counts for nothing.
    """
    due, begun = now.last.belief.tracker.end(), now.last.begun
    if due is None or begun is None or now.match.phase != "playing":
        return []
    withdrawn = (one for one in standing_corrections(now.lines[begun.seq :]) if one.what.get("withdrawn") is True)
    ends = (now.lines[one.corrects - 1] for one in withdrawn)
    if any(isinstance(one, RoundEnded) and one.source != "person" for one in ends):
        return []
    return [RoundEnded(how=due[0], out=due[1], source="camera")]


def reopening(now: History, source: str) -> list[Event]:
    """`source` takes the end back. The tiles of a player who was counted down to none can no longer be counted in
    this round."""
    course, begun = now.match.course, now.last.begun
    assert course is not None
    lines: list[Event] = []
    if course.ended_by == "rule" and begun is not None and begun.draws_seen:
        lines.append(Corrected(corrects=begun.seq, what={"draws_seen": False}, source="camera"))
    ended = next((one.event for one in reversed(now.held) if isinstance(one.event, RoundEnded)), None)
    if ended is not None:
        what = UNDONE if source == "person" else {"withdrawn": True}
        lines.append(Corrected(corrects=ended.seq, what=what, source=source))
    return lines


def waits(now: History, report: TableChange) -> bool:
    """Whether a change after the end counts if that turns out to be none: markers and draws, and tiles where only a
    count says that the round is over."""
    return not report.gone and (now.last.only_counted or not report.laid)


def after_the_end(report: TableChange) -> list[Event]:
    """When the round is over people clear the table. Only a single tile more is still a play."""
    if len(report.delta) != 1 or not isinstance(report.delta[0], Play) or report.discards or report.flips:
        return []
    laid = report.delta[0]
    shown: dict[str, Any] = {"frame": report.frame, "reading": report.readings.get(laid), "arm": report.whose.get(laid)}
    return [TilePlayed(by=None, tile=laid.tile, train=laid.train, source="camera", **shown)]
