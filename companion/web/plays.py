"""The changes in a game: who, when, what, before and after. A change that was undone stays, struck through.

Disputes and corrections: one play with its ruling and pictures, and the effect of a correction.

The candidates on the page: the hypotheses and costs of `companion explain`, in the reader's language.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, redirect, render_template, request, send_from_directory
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import event_lines
from companion.evidence.closeups import CloseUpView, close_up, lies_in, stood_before, unread_close_up
from companion.game.corrections import PUT_BACK
from companion.game.game import Game
from companion.game.game_view import SURE_ENOUGH, GameView, Line, change_made
from companion.game.replay import Dispute, NoSuchPlayError
from companion.log.event_fields import LAID, Confidence, EventError, QuestionKind
from companion.rules.written import written
from companion.web.access import needs_pin, who_changes
from companion.web.api import app_state, correction, run_command
from companion.web.changing import NOTED, OF_ALL_GAMES, PLAIN, CorrectedPlay, changes, table_as_seen, what_changes
from companion.web.forms import asked_as, number, read_body, text
from companion.web.guard import in_turn
from companion.web.hands import places_of
from companion.web.languages import gettext, listed, show_time, with_colon
from companion.web.languages import gettext as _
from companion.web.misfits import ACTS, Acts, act_name, answer_text
from companion.web.texts import code_title, why
from companion.web.wording import author_text, event_text, question_of, show_tile

TAPPED = ACTS
"""Taps in a game without a camera: on the printed sheet only where they no longer stand."""

OF_THE_POINTS = frozenset({"hand_shown", "round_ended", "round_scored"})
"""The points of a round follow from these."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One row of the list of changes."""

    at: str
    when: str
    who: str
    what: str
    before: str = ""
    after: str = ""
    undone: bool = False
    """It no longer stands."""
    plain: bool = False
    """It is an entry of the game like any other."""
    seq: int | None = None


def changes_of(session: Game, game: str, *, plain: bool = True) -> list[Changed]:
    """Everything that people entered in this game or changed around it, the oldest first; without what is `plain` and
    stands where that is False."""
    board = session.snapshot()
    players, family = [seat.name for seat in board.seats], board.family
    rows = [
        *_of_journal(event_lines(session), players, family, plain),
        *_of_box(app_state().trail.lines(), game, players),
    ]
    return sorted(rows, key=lambda row: row.at)


def _of_journal(lines: Sequence[Line], players: Sequence[str], family: str, plain: bool) -> Iterable[Changed]:
    stood = _Stood(lines)
    fallen = withdrawn(lines)
    rounds: dict[int, int] = {}
    number = 0
    for line in lines:
        number = line["round"] if line["event"] == "round_started" else number
        rounds[line["seq"]] = rounds.get(line.get("corrects") or 0, number)
        seq, tapped = int(line["seq"]), line["event"] in TAPPED
        if line.get("source") != "person" or (tapped and seq not in fallen and not plain):
            continue
        what = change_made(line)
        author = line.get("author") or (line.get("by") if line["event"] == "corrected" else None)
        row = Changed(
            str(line.get("at") or ""),
            _moment(line.get("at") or ""),
            author_text(author, players) if author else "",
            _row_text(line, stood.line(line.get("corrects")), rounds[seq], family),
            undone=seq in fallen,
            plain=tapped,
            seq=seq,
        )
        if line["event"] == "corrected":
            before, after = _both(line, what, stood, family)
            row = replace(row, before=before, after=after)
        yield row


def _row_text(line: Line, about: Line, number: int, family: str) -> str:
    """An entry of round `number`, or a correction of the entry `about`, in words."""
    if line["event"] == "round_scored":
        return with_colon(_("Points of round %(number)s", number=number), _with_points(line, family))
    if about.get("event") in OF_THE_POINTS and "withdrawn" not in change_made(line):
        return _("Correction of round %(number)s", number=number)
    return event_text(line, family)


class _Stood:
    """How each line read at a moment: with the corrections that stood then."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = {int(line["seq"]): line for line in lines}
        self._made: dict[int, dict[int, Mapping[str, Any]]] = {}
        self._fallen: dict[int, Mapping[str, Any]] = {}

    def line(self, seq: int | None) -> Line:
        """The line as it was written; {} for none."""
        return self._lines.get(seq or 0, {})

    def reads(self, seq: int) -> dict[str, Any]:
        """The line as it read then; {} for none."""
        line = dict(self._lines.get(seq, {}))
        for changed in self._made.get(seq, {}).values():
            line.update({"violations": [], **changed} if "engine" in changed else changed)
        return line

    def acts(self, family: str) -> Acts:
        return Acts(self._lines.values(), family)

    def correct(self, line: Line, changed: Mapping[str, Any]) -> None:
        self._made.setdefault(int(line["corrects"]), {})[int(line["seq"])] = changed

    def withdraw(self, seq: int) -> None:
        """From now on this correction, if it is one, does not stand."""
        made = self._made.get(self.corrected_by(seq), {})
        if seq in made:
            self._fallen[seq] = made.pop(seq)

    def put_back(self, seq: int) -> None:
        """It stands again."""
        if seq in self._fallen:
            self.correct(self._lines[seq], self._fallen.pop(seq))

    def corrected_by(self, seq: int) -> int:
        """The line that line `seq` corrects; 0: it corrects none."""
        return int(self._lines.get(seq, {}).get("corrects") or 0)


def _both(line: Line, what: Mapping[str, Any], stood: _Stood, family: str) -> tuple[str, str]:
    """The texts before and after a correction."""
    corrected = int(line.get("corrects") or 0)
    target = stood.reads(corrected)
    before = _with_points(target, family) if target else ""
    after = ""
    if what.get("note") == PUT_BACK["note"]:
        again = stood.corrected_by(corrected)
        stood.put_back(again)
        before, after = "", _with_points(stood.reads(again), family)
    elif what.get("withdrawn"):
        stood.withdraw(corrected)
        after = _("no longer counts")
    elif what.get("overruled"):
        after = _("let stand")
    elif what.get("so"):
        after = _("It was really so.")
    elif what.get("insert"):
        before, after = "", _with_points(what["insert"][0], family)
    elif "answer" in what:
        after = answer_text(target, what, stood.acts(family)) or _("answered")
    else:
        names = (*target, "by", "tile", "train")
        stood.correct(line, {name: value for name, value in what.items() if name in names})
        after = _with_points(stood.reads(corrected), family)
    return before, after


def _with_points(line: Line, family: str) -> str:
    """An entry in words; points that people typed with their numbers."""
    points = line.get("scores") if line["event"] == "round_scored" else None
    return listed(f"{name}\xa0{count}" for name, count in points.items()) if points else event_text(line, family)


def withdrawn(lines: Sequence[Line]) -> set[int]:
    """The numbers of the lines that no longer stand: removed by a correction that stands, or taken back."""
    fallen: set[int] = set()
    for line in reversed(lines):
        if line["seq"] in fallen:
            continue
        if change_made(line).get("withdrawn"):
            fallen.add(int(line["corrects"]))
        elif line["event"] == "tile_taken_back" and line.get("undoes"):
            fallen.add(int(line["undoes"]))
    return fallen


def _of_box(lines: Sequence[Line], game: str, players: Sequence[str]) -> Iterable[Changed]:
    before: dict[str, str] = {}
    for line in lines:
        what = str(line["what"])
        after = "" if what in PLAIN else listed(with_colon(name, value) for name, value in line["about"].items())
        earlier, before[what] = before.get(what, ""), after
        if line["game"] == game or what in OF_ALL_GAMES:
            words = _(NOTED[what]) if what in NOTED else what
            at = str(line["at"])
            yield Changed(at, _moment(at), author_text(line["author"], players), words, earlier, after)


def _moment(at: Any) -> str:
    try:
        return show_time(datetime.fromisoformat(str(at)))
    except ValueError:
        return str(at)


def trail_text(rows: Sequence[Changed]) -> str:
    """The same as a table of tabs, for the export."""
    head = [_("When"), _("Who"), _("What"), _("Before"), _("After"), _("Undone")]
    body = [[row.at, row.who, row.what, row.before, row.after, _("undone") if row.undone else ""] for row in rows]
    return "".join("\t".join(" ".join(cell.split()) for cell in line) + "\n" for line in [head, *body])


plays = Blueprint("plays", __name__)


PICTURE = re.compile(r"[\w][\w.-]{0,120}\.(jpg|jpeg|png|webp)", re.ASCII | re.IGNORECASE)
"""File names that may be pictures beside a journal: no folders, nothing hidden."""


NEXT_FRAMES = 6
MOST_FRAMES = 24
"""At most this many pictures are searched for a tile that its own entry has no picture of."""


def line_of(seq: int) -> dict[str, Any]:
    """The journal's line with this number. Raises NotFound."""
    # Event n has seq n + 1: what comes later is not read.
    for event in app_state().session.events[max(0, seq - 1) : seq]:
        if event.seq == seq:
            return event.to_json()
    raise NotFound(_("This game has no entry number %(number)s.", number=seq))


def pictures_of(seq: int) -> tuple[str | None, str | None]:
    """The whole table before and after: the last picture that does not show yet what entry `seq` is about, of its
    round, and its own picture. Where it has none of its own, the last one that was kept before it."""
    folder = pictures_folder(app_state().game)
    if folder is None:
        return None, None
    line, lines = line_of(seq), _round_until(seq)
    kept = [frame for one in lines if (frame := _pictured(one)) and (folder / frame).is_file()]
    after = _pictured(line)
    if not after or not (folder / after).is_file():
        return kept[-1] if kept else None, None
    if line.get("event") == "unclear":
        if question_of(line).kind in (QuestionKind.MARKER, QuestionKind.SEATS):
            return None, after
        tiles: list[Sequence[int] | None] = [None]
    else:
        tiles = [line["tile"]] if line.get("tile") else list(_laid_with(after))
        moment = f"{Path(after).stem}-before-1{Path(after).suffix}"
        if (folder / moment).is_file() and not any(stood_before(folder, after, tile) for tile in tiles):
            return moment, after
    earlier = [frame for frame in reversed(kept) if frame != after][:MOST_FRAMES]
    before = (frame for frame in earlier if not any(lies_in(folder, frame, tile) for tile in tiles))
    return next(before, None), after


def _round_until(seq: int) -> list[Line]:
    """The entries of its round before entry `seq`."""
    lines = list[Line]()
    for line in event_lines(app_state().session):
        lines = [] if line.get("event") == "round_started" and line["seq"] <= seq else lines
        if line["seq"] >= seq:
            break
        lines.append(line)
    return lines


def _laid_with(frame: str) -> list[Sequence[int]]:
    """The tiles that were recorded with this picture."""
    lines = event_lines(app_state().session)
    return [one["tile"] for one in lines if one.get("frame") == frame and one.get("event") == "tile_played"]


def shown_play(seq: int, board: GameView) -> dict[str, Any]:
    """The play as it stands now, in any round; another line as the journal has it. A play that no longer counts is
    `withdrawn`, with the entries that removed it in `changed_by`."""
    held = board.play(seq) or app_state().session.held_line(seq)
    if held is not None:
        return dict(held)
    lines = event_lines(app_state().session)
    fallen = withdrawn(lines)
    removed = [one["seq"] for one in lines if one.get("corrects") == seq and change_made(one).get("withdrawn")]
    otherwise = (one for one in app_state().session.read_otherwise() if one.corrects == seq)
    gone = {
        "withdrawn": seq in fallen or any(one.what.get("withdrawn") for one in otherwise),
        "changed_by": [one for one in removed if one not in fallen],
    }
    return line_of(seq) | (gone if gone["withdrawn"] else {})


@plays.get("/play/<int:seq>")
def show_play(seq: int) -> str:
    """One play: ruling, rule, pictures, and the ways to correct it."""
    line = line_of(seq)
    board = app_state().session.snapshot()
    play = shown_play(seq, board)
    folder = pictures_folder(app_state().game)
    # Read anew, a line may tell of another act than was written: what was kept of that one says nothing of this.
    told = play.get("event", line["event"])
    same = told == line["event"]
    before, after = pictures_of(seq) if same else (None, None)
    said = _confirmations(seq)
    fallen = [one.to_json() for one in app_state().session.fallen if one.corrects == seq]
    history = [_history_line(one, line) for one in (*map(line_of, play.get("changed_by") or ()), *fallen)]
    return render_template(
        "play.html",
        board=board,
        line={**line, "event": told},
        play=play,
        asked=next((card for card in board.cards if seq in card[1]), None),
        reading=_reading(line, play.get("unread") or ()) if same else None,
        close=_close_up(folder, line) if same and folder is not None else None,
        before=before,
        after=after,
        examined=[one for one in board.audit if one.seq == seq and one.status != "clear"],
        arm=_arm_picture(folder, board, play, line) if same and folder is not None else None,
        history=sorted([*history, *said], key=lambda one: int(one["seq"])),
        misfit=next((one for one in board.misfits if seq in (one["seq"], one.get("about"))), None),
        step=_step_to_undo(history),
        tv=False,
    )


def _arm_picture(folder: Path, board: GameView, play: Mapping[str, Any], line: Mapping[str, Any]) -> str | None:
    """The picture with the arm that this entry rests on, where one was kept."""
    frame, players = _pictured(line), [seat.name for seat in board.seats]
    if not frame or play.get("arm") not in players:
        return None
    name = f"{Path(frame).stem}-arm-{players.index(play['arm'])}.jpg"
    return name if (folder / name).is_file() else None


def _reading(line: Mapping[str, Any], unread: Sequence[bool]) -> dict[str, Any] | None:
    """How the camera read the tile that this entry laid: its halves' probabilities and what else it may be. `told`: of
    the halves that it did not read none is `unread` any more, for the tiles around it tell."""
    try:
        certainty = Confidence.from_json(line.get("reading"))
        tile = LAID.read(line.get("tile"))
    except EventError:
        return None
    others = [(list(other), p) for other, p in certainty.alternatives(tile)]
    told = bool(unread) and not any(unread) and min(certainty.p) < SURE_ENOUGH
    return {"tile": list(tile), "sure": certainty.sure, "halves": certainty.p, "others": others, "told": told}


def _step_to_undo(history: Sequence[Line]) -> int | None:
    """The person's correction that stands last, or by which an accusation fell last: *Undo* takes it back whatever
    others have played since."""
    line = history[-1] if history else {}
    if "retracts" in change_made(line):
        return brought_down_by(int(line["seq"]), change_made(line).get("because"))
    return int(line["seq"]) if line.get("event") == "corrected" and line.get("source") == "person" else None


def undo_text(board: GameView, step: int | None = None) -> str:
    """The key of a step back, or of taking the correction `step` back: what it takes away, or that it closes the
    question that was asked last; "" where there is nothing to take back."""
    told = app_state().session.to_undo() if step is None else app_state().session.events[step - 1 : step]
    lines = [shown_play(event.seq, board) for event in told]
    if not lines:
        return ""
    first, *more = sorted(lines, key=lambda one: one["event"] != "round_scored")  # which also brought the round's end
    if first["event"] == "unclear":
        return _("Close the question")
    marked = first["event"] in ACTS and any(one["event"] in ("marker_placed", "marker_removed") for one in more)
    return taken_back_text(listed([_step_text(first, board), *([_("marker")] if marked else [])]))


def taken_back_text(what: str) -> str:
    """The key that takes `what` back, a sentence or a part of one."""
    return _("Undo: %(what)s", what=what.rstrip(" .।。"))


def _step_text(line: Line, board: GameView) -> str:
    """The act that a step back takes away, as short as a key."""
    kind = line["event"]
    if kind in ACTS:
        return act_name(line, board.family)
    if kind == "round_started":
        return _("Round %(number)s", number=line.get("round"))
    if kind == "match_ended":
        return _("The match is over")
    if kind in ("hand_shown", "round_scored") and board.phase != "round_over":
        return _("Points of round %(number)s", number=_round_at(line["seq"]))
    if kind == "corrected":
        about = line_of(int(line["corrects"]))
        if about["event"] in OF_THE_POINTS:
            return _("Correction of round %(number)s", number=_round_at(about["seq"]))
        return _answer_words(about, line, board) or str(_history_line(line, about)["words"])
    return event_text(line, board.family)


def _answer_words(question: Line, line: Line, board: GameView) -> str:
    """The answer of `line` as its key said it, with the names that the acts had before it; "" where it is none."""
    lines = event_lines(app_state().session)[: int(line["seq"]) - 1]
    fallen = withdrawn(lines)
    names = {one["seq"]: one.get("by") for one in lines}
    names |= {
        one["corrects"]: what["by"] for one in lines if "by" in (what := change_made(one)) and one["seq"] not in fallen
    }
    told = [{**one, "by": names.get(one["seq"], one.get("by"))} for one in board.lines]
    return answer_text(question, change_made(line), Acts(told, board.family))


def _round_at(seq: int) -> int:
    """The number of the round to which line `seq` belongs."""
    begun = (line for line in event_lines(app_state().session) if line["event"] == "round_started")
    return max(((int(line["seq"]), int(line["round"])) for line in begun if line["seq"] <= seq), default=(0, 0))[1]


def may_put_back(about: int | None = None) -> bool:
    """Whether what the last step back took away may count again; with `about`: and it is that entry, or changes it."""
    lines = app_state().session.to_put_back()
    return any(about in (None, line.seq, getattr(line, "corrects", None)) for line in lines)


def brought_down_by(seq: int, because: str | None) -> int | None:
    """The person's correction by which an accusation fell, as line `seq` says; None where a camera told, or a step
    back."""
    lines = event_lines(app_state().session)
    people = (line for line in lines[:seq] if line.get("source") == "person" and "note" not in change_made(line))
    made: Line = max(people, key=lambda line: int(line["seq"]), default={})
    stands = made.get("event") == "corrected" and made["seq"] not in withdrawn(lines)
    return int(made["seq"]) if because == "person" and stands else None


def _history_line(line: Line, about: Line) -> dict[str, Any]:
    """A later correction of entry `about` in words, with its moment in the viewer's writing; "" for a journal that does
    not say when."""
    try:
        when = show_time(datetime.fromisoformat(str(line.get("at") or "")))
    except ValueError:
        when = ""
    board = app_state().session.snapshot()
    answer = _answer_words(about, line, board)
    words = _("Answered: %(answer)s", answer=answer) if answer else event_text(line, board.family)
    return {**line, "when": when, "words": words}


def _confirmations(seq: int) -> list[dict[str, Any]]:
    """Statements that entry `seq` was really so, with the question about it; also those that were taken back."""
    lines = event_lines(app_state().session)
    asked = {line["seq"]: line for line in lines if line.get("about") == seq}
    fallen, found = withdrawn(lines), list[dict[str, Any]]()
    for line in lines:
        what, about = change_made(line), line.get("corrects")
        of_it = (about == seq and what.get("so")) or (about in asked and "answer" in what)
        if of_it and line.get("source") == "person":
            found.append(_history_line(line, asked.get(about, {})) | {"undone": line["seq"] in fallen})
    return found


UNREAD = frozenset({QuestionKind.UNREADABLE, QuestionKind.UNREADABLE_TILE, QuestionKind.MARKER})
"""Questions about a place that could not be read. A TABLE may be one, and so may one that offers tiles which all fit
the half that was read. Otherwise a tile that happens to be unread in the same picture has nothing to do with it."""


def question_picture(question: Mapping[str, Any]) -> CloseUpView | None:
    """The place that a question is about, from close by; None where no picture of it was kept."""
    frame = str(question.get("frame") or "")
    folder = pictures_folder(app_state().game) if frame else None
    if folder is None:
        return None
    asked = question_of(question)
    tiles = [tile for one in question.get("candidates") or () for line in one.get("events") or () for tile in _of(line)]
    unread = unread_close_up(folder, frame)
    if unread is not None and (asked.kind in {*UNREAD, QuestionKind.TABLE} or _may_be_any(unread, tiles)):
        return unread
    return next((made for tile in tiles if (made := close_up(folder, [frame], tile))), None)


def _may_be_any(unread: CloseUpView, tiles: Sequence[Sequence[int]]) -> bool:
    """Whether the half that was read there is one of each of the tiles that are offered."""
    values = {int(label.value) for label in unread.labels if label.value.isdigit()}
    return bool(values and tiles) and all(values <= set(tile) for tile in tiles)


def _of(line: Line) -> Sequence[Sequence[int]]:
    """The tile that an offered line is about, or those of a hand."""
    tile = line.get("tile")
    return [tile] if tile else line.get("tiles") or ()


def _close_up(folder: Path, line: Mapping[str, Any]) -> CloseUpView | None:
    """The crops of the tile that this entry is about; None rather than those of another tile of the same values."""
    if line.get("event") == "unclear":
        return question_picture(line)
    tile, seq = line.get("tile"), int(line["seq"])
    if not isinstance(tile, list) or len(tile) != 2:
        return None
    since, lines = _of_this_tile(seq, tile)
    pictures = [(int(one["seq"]), str(one.get("frame") or "")) for one in lines]
    pictured = [(at, frame) for at, frame in pictures if PICTURE.fullmatch(frame)]
    earlier = [frame for at, frame in pictured if at < seq]
    # Its own picture comes first, then the next ones, then those before it.
    frames = [*[frame for at, frame in pictured if at >= seq][:NEXT_FRAMES], *reversed(earlier)][:MOST_FRAMES]
    return close_up(folder, frames, tile, since)


def _of_this_tile(seq: int, tile: Sequence[int]) -> tuple[str, list[dict[str, Any]]]:
    """The entries of the round in which an equal tile can only be this one, and the last picture before them.

    They end where the next tile of the same values is laid: Chinese tiles are in the box twice. Plays that were
    withdrawn and recorded anew are of the same tile.
    """
    since, last, window = "", "", list[dict[str, Any]]()
    lines = event_lines(app_state().session)
    gone = {line.get("corrects") for line in lines if change_made(line).get("withdrawn")}
    gone |= {line.get("undoes") for line in lines}
    for line in lines:
        other = line["seq"] != seq and line["seq"] not in gone and _lays(line, tile)
        if line["seq"] > seq and (other or line.get("event") == "round_started"):
            break
        if other or line.get("event") == "round_started":
            window = []
            since = _pictured(line) or last
        last = _pictured(line) or last
        window.append(line)
    return since, window


def _lays(line: Mapping[str, Any], tile: Sequence[int]) -> bool:
    laid = line.get("tile")
    same = isinstance(laid, list) and sorted(map(str, laid)) == sorted(map(str, tile))
    return same and line.get("event") == "tile_played"


def _pictured(line: Mapping[str, Any]) -> str:
    frame = str(line.get("frame") or "")
    return frame if PICTURE.fullmatch(frame) else ""


@plays.get("/play/<int:seq>/correction")
@needs_pin
def previewed(seq: int) -> str:
    """Preview a correction by a link."""
    return _preview(seq, request.args.to_dict())


@plays.post("/play/<int:seq>/preview")
@needs_pin
def preview(seq: int) -> str:
    """Preview a correction: show its effect before it is made."""
    return _preview(seq, read_body(request))


@plays.post("/play/<int:seq>/tile")
@changes
def is_this_tile(seq: int) -> AnyResponse | str:
    """Say which tile an entry was. Where nothing else changes it is kept at once; else what does is shown first."""
    fields = read_body(request)
    what = correction({**fields, "seq": seq})[1]
    if shown_play(seq, app_state().session.snapshot()).get("tile") == what.get("tile"):
        return redirect("/", 303)
    change = what_changes(app_state().session, seq, what)
    now, then = change.turn
    if any(map(reads_otherwise, change.plays)) or change.totals or now != then:
        return _preview(seq, fields)
    with table_as_seen(fields):
        return run_command("correct", seq, what, by=who_changes())


def _preview(seq: int, fields: dict[str, Any]) -> str:
    asked = {name: str(value) for name, value in fields.items()}
    fields["seq"] = seq
    number(fields, "seq", 1, 10**9)
    line_of(seq)
    _seq, what = correction(fields)
    held = shown_play(seq, app_state().session.snapshot())
    if all(name in ("tile", "train", "by") and held.get(name) == value for name, value in what.items()):
        raise BadRequest(_("That correction changes nothing."))
    change = what_changes(app_state().session, seq, what)
    board = change.now
    asked_as(f"/play/{seq}/correction", asked)
    return render_template(
        "preview.html",
        board=board,
        play=shown_play(seq, board),
        what=what,
        put_in={name: value for name, value in fields.items() if name.startswith("insert_") and value},
        after={"event": "corrected", "corrects": seq, "what": what},
        changes=[one for one in change.plays if reads_otherwise(one, board.family)],
        totals=change.totals,
        turn=change.turn,
        shows=change.mark,
        tv=False,
    )


def reads_otherwise(change: CorrectedPlay, family: str = "mexican") -> bool:
    """Whether anything of a change is to be seen: who put a marker is not said in its sentence."""
    now, then = change.ruled
    return now != then or event_text(change.before or {}, family) != event_text(change.after or {}, family)


@plays.get("/ask")
def ask() -> str:
    """Ask the referee: may this tile be laid there now? Changes nothing, so it needs no PIN."""
    session = app_state().session
    board = session.snapshot()
    answer: Mapping[str, Any] | None = None
    fields = dict(request.args)
    if fields.get("train") and fields.get("low") and fields.get("high"):
        train = text(fields, "train", longest=24)
        tile = (number(fields, "low", 0, 18), number(fields, "high", 0, 18))
        try:
            answer = session.judge(tile, train)
        except (ValueError, LookupError) as refusal:
            raise Conflict(why(refusal) or _("The referee cannot answer that now.")) from None
    lies = _lies_already(board, answer.get("tile") or tile) if answer and answer.get("codes") else None
    return render_template("ask.html", board=board, answer=answer, lies=lies, asked=fields, tv=False)


def _lies_already(board: GameView, tile: Sequence[int]) -> str | None:
    """Where this tile lies on the table, in words; Chinese tiles come twice."""
    where = None if board.chinese else places_of(board).get((min(tile), max(tile)))
    return where and _("%(tile)s is already on the table: %(where)s.", tile=show_tile(tile), where=where)


@plays.get("/games/<game>/pictures/<name>")
def picture(game: str, name: str) -> Response:
    """A picture beside a journal."""
    folder = pictures_folder(game)
    if folder is None or not PICTURE.fullmatch(name) or (folder / name).is_symlink():
        raise NotFound(_("There is no such picture."))
    response = send_from_directory(folder, name)
    response.headers["Cache-Control"] = "private, max-age=86400"
    return response


def journal_of(game: str) -> Path | None:
    """Where a game's journal lies: in its folder, or where the game on the table is written."""
    folder = app_state().folder(game)
    if folder is not None:
        return folder / "journal.jsonl"
    state = app_state()
    return state.session.journal.path if state.has_game and game == state.game else None


def pictures_folder(game: str) -> Path | None:
    """Where a game's pictures lie: beside its journal."""
    journal = journal_of(game)
    return None if journal is None else journal.parent.resolve()


@plays.get("/play")
def latest() -> AnyResponse:
    """The latest play."""
    board = app_state().session.snapshot()
    return redirect(f"/play/{board.lines[-1]['seq']}" if board.lines else "/")


hypotheses = Blueprint("hypotheses", __name__)

HYPOTHESES = "web/texts/hypotheses.toml"
"""The assumptions of hypotheses in words, and the reasons why the game looked again (`perception.settings.Why`)."""

MOST_KEPT = 32
"""At most this many entries' explanations are kept."""


def explained(session: Game, seq: int) -> Dispute | None:
    """The belief's explanation of entry `seq`, worked out once for each state of the game; None without one."""
    kept: OrderedDict[tuple[str, int, int], Dispute | None] = current_app.extensions["companion_disputes"]
    mark = app_state().game, len(session.events), seq
    if mark not in kept:
        try:
            kept[mark] = session.dispute(seq)
        except NoSuchPlayError:
            kept[mark] = None
        while len(kept) > MOST_KEPT:
            kept.popitem(last=False)
    return kept[mark]


@hypotheses.get("/play/<int:seq>/why")
@in_turn
def show_hypotheses(seq: int) -> str:
    """The ways in which an entry may have come about, the likeliest first, each with its share, the faults it holds
    against somebody and what it assumes."""
    line = line_of(seq)
    found = explained(app_state().session, seq)
    if found is None:
        raise NotFound(gettext("Nothing more is known about entry number %(number)s.", number=seq))
    board = app_state().session.snapshot()
    ways = sorted(found.alternatives, key=lambda one: -one.p)
    shares = whole_percent([*(one.p for one in ways), found.rest])
    assumed, looked_again = (written(HYPOTHESES)[name] for name in ("assumed", "again"))
    rows = [
        {
            "by": one.player,
            "share": share,
            "tile": one.tile,
            "faults": [(code_title(code), player) for code, player in one.codes],
            "assumes": [gettext(assumed[cause]) for cause in one.assumes],
        }
        for one, share in zip(ways, shares, strict=False)
        if share
    ]
    named = {code for one, share in zip(ways, shares, strict=False) if share for code, _by in one.codes}
    # A fault whose share is too small for any one line is a reason all the same.
    doubts = [
        f"{code_title(one.code)} ({max(1, round(100 * one.p))} %)"
        for one in found.verdict.charges
        if one.p and not one.certain and one.code not in named
    ]
    again = [gettext(looked_again[why]) for why in found.again if why in looked_again]
    return render_template(
        "why.html",
        again=again,
        doubts=doubts,
        board=board,
        line=line,
        play=shown_play(seq, board),
        rows=rows,
        rest=shares[-1],
        alone=len(ways) == 1 and not shares[-1],
        watched=found.watched,
        tv=False,
    )


def whole_percent(shares: Sequence[float]) -> list[int]:
    """Shares of one in whole per cent that add up to 100, each rounded up or down; the largest remainders go up."""
    if not sum(shares):
        return [0] * len(shares)
    exact = [100 * one / sum(shares) for one in shares]
    found = [int(one) for one in exact]
    by_remainder = sorted(range(len(exact)), key=lambda n: found[n] - exact[n])
    for n in by_remainder[: 100 - sum(found)]:
        found[n] += 1
    return found
