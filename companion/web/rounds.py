"""Rounds: starting one, laying the hands open at its end, and the sheet of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, redirect, render_template, request
from werkzeug.exceptions import Conflict, NotFound, RequestEntityTooLarge
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import event_lines
from companion.game.game import Game
from companion.game.game_view import GameView, TileShown
from companion.game.match import RoundSheet
from companion.log.event_fields import OF_A_HAND, QuestionKind
from companion.log.events import HandShown
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import SHIPPED, load_ruleset
from companion.web.access import needs_pin, signed_in
from companion.web.api import act, app_state, watched
from companion.web.archive import day_of, look_up
from companion.web.changing import changed, changes, expect_game, table_as_seen
from companion.web.forms import FieldError, asked_as, person, read_body, returned, tiles
from companion.web.forms import number as whole_number
from companion.web.guests import (
    as_typed,
    away_text,
    hands_sent,
    link_of,
    photo_note,
    read_hand_of,
    replaced_text,
    sent_otherwise,
)
from companion.web.hands import (
    HandPicture,
    HandTiles,
    empty_notes,
    half_read,
    hand_notes,
    hand_picture,
    hands_laid_open,
    mark_of,
    shows_the_table,
    tiles_left,
    unread,
)
from companion.web.languages import gettext as _
from companion.web.languages import listed, with_colon
from companion.web.plays import OF_THE_POINTS, changes_of
from companion.web.score_sheet import NARROW, PAPER, WIDE, left_texts, totals_chart
from companion.web.texts import translated
from companion.web.uploads import expect_photograph
from companion.web.wording import author_text, question_of, reason_text

rounds = Blueprint("rounds", __name__)

EVERYBODY = "*table"
"""Instead of a player: the photograph shows every hand."""

LONGEST_HAND = 400
"""Characters of a hand that come back with notes."""

MOST_ROUNDS = 999

EARLIER = 0
"""Instead of a line: the round that is counted again is an earlier one."""

MOST_POINTS = 9999
"""The most points of one round. Chinese games are settled with payments, which may be below zero."""


def _board() -> GameView:
    return app_state().session.snapshot()


def _round_asked(fields: Mapping[str, Any], board: GameView) -> GameView:
    """The table of the round that is named in `round`; without one that on the table. Of an earlier round that was
    counted it shows what there is to be put right, with the tiles that lay there then.

    Raises NotFound where it has no points, and Conflict where the form comes back from another game.
    """
    _expect_same_game()
    number = board.round if fields.get("round") in (None, "") else whole_number(fields, "round", 1, MOST_ROUNDS)
    if number == board.round:
        return board
    played = _counted(board, number)
    if played is None:
        raise NotFound(_("Round %(number)s has no points yet.", number=number))
    hands = {played.out: 0} if played.out and _how(fields, played) == "out" else {}
    table = app_state().session.table_of(played.round)
    return replace(board, round=number, phase="waiting", hands=hands, gone=played.gone, **_lain(board, table))


def _lain(board: GameView, table: Position | LinePosition | None) -> dict[str, Any]:
    """The fields of the table as a round lay there when it was counted."""
    if not isinstance(table, Position):
        line = () if table is None else tuple(map(TileShown, table.line))
        return {"engine": None, "trains": (), "line": line}
    laid = {name: tuple(map(TileShown, tiles)) for name, tiles in table.trains.items()}
    rows = tuple(replace(row, tiles=laid.get(row.name, ()), off_record=0) for row in board.trains)
    return {"engine": table.engine, "trains": rows, "line": ()}


def _expect_same_game() -> None:
    """A form that comes back is shown for its own game only. Raises Conflict."""
    back = returned()
    if back is not None:
        expect_game(back.entered, app_state().game)


def _counted(board: GameView, number: int | None) -> RoundSheet | None:
    return next((one for one in reversed(board.rounds_played) if one.round == number), None)


@rounds.get("/round-start")
def start() -> str:
    """The form for a new round."""
    board = _board()
    rules = load_ruleset(board.rules, board.options) if board.rules in SHIPPED else None
    drawing = rules is not None and rules.starter_by == "highest_tile" and not board.rounds_played
    return render_template("round_start.html", board=board, next=board.next or {}, drawing=drawing, tv=False)


@rounds.get("/match-end")
def end_match() -> str:
    """Show who wins if the players stop here, before they do."""
    return render_template("match_end.html", board=_board(), tv=False)


@rounds.get("/scores")
def sheet() -> str:
    """The score sheet of the game on the table."""
    return _sheet(app_state().session, app_state().game, current=True)


@rounds.get("/games/<game>/scores")
def earlier_sheet(game: str) -> str:
    """The score sheet of any game; everybody may look at it."""
    return _sheet(look_up(game), game, current=app_state().has_game and game == app_state().game)


def _sheet(session: Game, game: str, *, current: bool) -> str:
    board = session.snapshot()
    title = _("Totals after each round")
    charts = [
        totals_chart(board.seats, board.rounds_played, title, size, board.brought) for size in (WIDE, NARROW, PAPER)
    ]
    changed = changes_of(session, game, plain=False)
    return render_template(
        "scores.html", board=board, charts=charts if board.rounds_played else [], day=day_of(session), name=game,
        changed=changed, left=left_texts(board), order=sorted(board.scores, key=lambda row: row.rank),
        current=current, tv=False,
    )  # fmt: skip


@rounds.get("/round-end")
def end() -> AnyResponse | str:
    """The form for all hands at the end of a round; `round`: an earlier one, to be put right."""
    board = _round_asked(request.args, _board())
    played = _counted(board, board.round)
    known: Mapping[str, Any] = board.shown
    if played is not None:
        known = app_state().session.hands_of(played.round)
        if not known and not request.args.get("hands") and returned() is None:  # what was typed meanwhile comes back
            return redirect(f"/round-points/{board.round}")
    hands = _written(board, request.args)
    undone = (line.to_json() for line in app_state().session.to_put_back() if isinstance(line, HandShown))
    for name, shown in (
        {line["by"]: line["tiles"] or line.get("discards", ()) for line in undone} | dict(known)
    ).items():
        # A hand on record already, or until the last step back, is there to be put right.
        hands[name] = hands.get(name) or as_typed(board, shown)
    for name, sent in hands_sent(board).items():
        hands[name] = hands.get(name) or sent
    for name, (read, _why) in _hands_asked(board).items():
        hands[name] = hands.get(name) or read
    return _end_page(board, hands, None, how=request.args.get("how") or (played.how if played else board.how))


def _hands_asked(board: GameView) -> dict[str, tuple[str, str]]:
    """Player -> the hand that the camera read and asks about, as it is typed, and the question."""
    found = dict[str, tuple[str, str]]()
    for question in board.asked:
        asked = question_of(question)
        if asked.kind not in (*OF_A_HAND, QuestionKind.SET_SUM):
            continue
        for one in question.get("candidates") or ():
            lines = [line for line in one.get("events") or () if line.get("event") == "hand_shown"]
            for line in lines:
                hand = [*(line.get("tiles") or ()), *(line.get("discards") or ())]
                found.setdefault(str(line["by"]), (as_typed(board, hand), reason_text(question)))
    return found


def _written(board: GameView, fields: Mapping[str, Any]) -> dict[str, str]:
    """Player -> the hand as it was typed into this form."""
    return {seat.name: str(fields.get(f"hand_{seat.index}") or "")[:LONGEST_HAND] for seat in board.seats}


def _end_page(
    board: GameView,
    hands: Mapping[str, str],
    note: str | None,
    whose: str | None = None,
    how: str | None = None,
    notes: Mapping[str, list[str]] | None = None,
    picture: HandPicture | None = None,
    *,
    fine: bool = True,
) -> str:
    typed = {f"hand_{seat.index}": hands.get(seat.name, "") for seat in board.seats}
    shown: dict[str, HandTiles] = {}
    for seat in board.seats:
        with suppress(FieldError):
            shown[seat.name] = tiles(hands.get(seat.name, ""), board.set_max)
    counted_as = {name: as_typed(board, hand) for name, hand in _counted_as(app_state().session, board, shown).items()}
    asked_as("/round-end", typed | {"how": how or "", "round": str(board.round or "")})
    repository = app_state().repository
    eye = repository is not None and repository.read_hand is not None
    return render_template(
        "round_end.html",
        board=board, hands=hands, note=note, eye=eye, whose=whose, how=how, notes=notes or {},
        seen=mark_of(notes or {}), picture=picture, fine=fine, sent=hands_sent(board), link=link_of(board),
        at=round_at(board), counted=_counted(board, board.round), left=tiles_left(board), asked=_hands_asked(board),
        everybody=EVERYBODY, counted_as=counted_as, tv=False,
    )  # fmt: skip


def _next_seat(board: GameView, hands: Mapping[str, str]) -> str | None:
    """The seat whose photograph probably comes next."""
    return next((seat.name for seat in board.seats if not hands.get(seat.name)), None)


@rounds.post("/round-end")
@changes
def count() -> AnyResponse | str:
    """Take all hands at once: the round ends, each hand is shown, and the session scores it.

    Where the record of the table says otherwise, the hands come back once with notes, and count when sent again.
    """
    fields = read_body(request)
    board = _round_asked(fields, app_state().session.snapshot())
    if _counted(board, board.round) is not None and not _another_round(fields, board):
        shown, how = _hands(fields, board), _how(fields, _counted(board, board.round))
        app_state().session.work_ahead(lambda trial: _count(trial, board, shown, how), EARLIER)
    with table_as_seen(fields, _is_counted(board)) as session:
        board = _round_asked(fields, session.snapshot())
        shown = _hands(fields, board)
        played = _counted(board, board.round)
        how = _how(fields, played)
        if played is not None and _another_round(fields, board):
            # Another phone was faster. Two that counted the same agree; else whoever came later is asked.
            known = session.hands_of(played.round)
            if known and not _counted_as(session, board, shown) and how == played.how:
                return redirect("/scores", 303)
            return _end_page(board, _written(board, fields), already_text(session, board, played), how=how, fine=False)
        _expect_round(fields, board)
        if played is None and how not in ("out", "blocked_declared", "abandoned"):
            raise FieldError("how", _("Say how the round ended."))
        if (
            how == "out" and all(_of_those_there(shown, board).values()) and not board.chinese
        ):  # Chinese tiles put away count with the hand
            raise FieldError("how", _("If somebody went out, one hand must be empty."))
        notes = (
            {**empty_notes(board, _of_those_there(shown, board), how, watched=watched()), **_notes(board, shown, how)}
            if how != "abandoned"
            else {}
        )
        if unread(notes, fields.get("seen")):
            return _end_page(board, _written(board, fields), None, how=how, notes=notes)
        _count(session, board, shown, how)
    return redirect("/scores", 303)


def _notes(board: GameView, shown: Mapping[str, list[tuple[int, int]]], how: str) -> dict[str, list[str]]:
    """Where the record of the table says otherwise, and where a player's own phone does."""
    notes = hand_notes(board, shown, how, watched=watched())
    for name, sent in sent_otherwise(board, shown).items() if signed_in() else ():
        says = _("%(name)s's own phone says: %(tiles)s.", name=name, tiles=sent or _("no tiles"))
        notes[name] = [says, *notes.get(name, [])]
    return notes


def _how(fields: Mapping[str, Any], played: RoundSheet | None) -> str:
    """How the round ended as the form says it; it does not tell a block that was proved from one that was declared."""
    said = str(fields.get("how") or "")
    if played is None:
        return said
    known = str(played.how)
    otherwise = {"out": "out", "blocked_declared": "blocked"}.get(said, known)
    return known if known.startswith(otherwise) else said


def _expect_round(fields: Mapping[str, Any], board: GameView) -> None:
    """Refuse a count only if the round is another by now or was counted meanwhile: raises Conflict. Plays that the
    camera still sees are no reason."""
    if _another_round(fields, board):
        raise Conflict(changed())


def _another_round(fields: Mapping[str, Any], board: GameView) -> bool:
    """Whether the round stands otherwise by now than the form says."""
    return fields.get("at") not in (None, "", round_at(board))


def _is_counted(board: GameView) -> Callable[[Game], bool]:
    """Whether this round has points by now: who counts it once more then is asked about those, and not refused."""
    return lambda session: _counted(session.snapshot(), board.round) is not None


def _counted_as(session: Game, board: GameView, shown: Mapping[str, HandTiles]) -> dict[str, list[list[int]]]:
    """Player -> the hand from which the round was counted, where `shown` has other tiles."""
    known = session.hands_of(board.round) if board.round and _counted(board, board.round) else {}
    there = {name: known.get(name, []) for name in shown} if known else {}
    return {name: hand for name, hand in there.items() if _apart(hand) != _apart(shown[name])}


def _apart(hand: Sequence[Sequence[int]]) -> list[list[int]]:
    """The same for hands of the same tiles, however they lie."""
    return sorted(map(sorted, hand))


def already_text(session: Game, board: GameView, played: RoundSheet) -> str:
    """The sentence to whoever counts a round of which another phone has told the points meanwhile."""
    told = (line for line in reversed(event_lines(session)) if line["event"] in {*OF_THE_POINTS, "corrected"})
    author = next((line["author"] for line in told if line.get("author")), None)
    return _(
        "This round has been counted already (%(who)s): %(points)s. You have something else: which is right?",
        who=author_text(author, board.players),
        points=listed(f"{name}\xa0{count}" for name, count in played.scores.items()),
    )


def round_at(board: GameView) -> str:
    """Where a round stands: being played, over, or counted with these points."""
    played = _counted(board, board.round)
    points = () if played is None else (played.scores.get(seat.name) for seat in board.seats)
    return "-".join(map(str, (board.round, *points) if played else (board.round, board.phase)))


def _hands(fields: Mapping[str, Any], board: GameView) -> dict[str, list[tuple[int, int]]]:
    shown = {}
    for seat in board.seats:
        field = fields.get(f"hand_{seat.index}")
        try:
            shown[seat.name] = tiles(field, board.set_max, name=f"hand_{seat.index}")
        except FieldError as fault:
            raise FieldError(fault.field, with_colon(seat.name, fault.description), fault.plain) from None
    return shown


def _of_those_there(shown: Mapping[str, HandTiles], board: GameView) -> dict[str, HandTiles]:
    """The hands of those who have not left in the middle of the round."""
    return {name: hand for name, hand in shown.items() if name not in board.gone}


def _count(session: Any, board: GameView, shown: Mapping[str, list[tuple[int, int]]], how: str) -> None:
    there = _of_those_there(shown, board)
    empty = [name for name, hand in there.items() if not hand]
    out = empty[0] if how == "out" and len(empty) == 1 and not board.chinese else None
    played = _counted(board, board.round)
    if played is not None and (how != played.how or out not in (None, played.out)):
        act(session.end_otherwise, board.round, how, out)
    number = None if played is None else board.round
    known = session.snapshot().shown if number is None else session.hands_of(number)
    playing = {"how": how, "out": out} if board.phase == "playing" else {}
    if how == "abandoned" and (played is None or known):
        if playing:
            act(session.end_round, how)
        return

    def is_new(name: str, hand: HandTiles) -> bool:
        if name not in known:
            return name in there or bool(hand)
        return _apart(known[name]) != _apart(hand)

    new = {name: hand for name, hand in shown.items() if is_new(name, hand)}
    if new or playing:
        act(session.show_hands, new, number, **playing)


@rounds.get("/round-end/notes")
def notes_now() -> Response:
    """The notes at hands that are still being written, and the hands that were sent; `otherwise` are fields of those
    that differ: `{"notes": {field: [sentence]}, "seen": mark, "sent": {field: hand}, "otherwise": [field]}`."""
    board = _round_asked(request.args, _board())
    shown: dict[str, list[tuple[int, int]]] = {}
    for seat in board.seats:
        with suppress(FieldError):
            shown[seat.name] = tiles(request.args.get(f"hand_{seat.index}", ""), board.set_max)
    played = _counted(board, board.round)
    how = _how(request.args, played)
    # A form that came back goes on saying what it came back for.
    there = _of_those_there(shown, board)
    empty = empty_notes(board, there, how, watched=watched()) if request.args.get("asked") else {}
    notes = {**empty, **_notes(board, shown, how)}
    fields = {f"hand_{seat.index}": notes[seat.name] for seat in board.seats if seat.name in notes}
    seats = {seat.name: f"hand_{seat.index}" for seat in board.seats}
    sent = {seats[name]: hand for name, hand in hands_sent(board).items()} if signed_in() else {}
    otherwise = [seats[name] for name in sent_otherwise(board, shown)] if signed_in() else []
    return jsonify({"notes": fields, "seen": mark_of(notes), "sent": sent, "otherwise": otherwise})


def _round_of(number: int) -> GameView:
    """The table of that round, as far as its points need one."""
    board = _board()
    return board if number == board.round else replace(board, round=number, phase="waiting")


@rounds.get("/round-points/<int:number>")
def points(number: int) -> str:
    """The points of one round as the players counted them."""
    _expect_same_game()
    board = _round_of(number)
    known = _counted(board, number)
    scores = {} if known is None else known.scores
    ended = _ended(board, number)
    out = None if ended in (None, (True, None)) else ended[1] or ""
    how = None if ended is None else "out" if ended[0] else "blocked_declared"
    by_hands = known is not None and bool(app_state().session.hands_of(number))
    return render_template(
        "round_points.html",
        board=board, number=number, scores=scores, out=out, how=how, by_hands=by_hands, at=round_at(board),
        tv=False,
    )  # fmt: skip


def _ended(board: GameView, number: int) -> tuple[bool, str | None] | None:
    """Whether somebody went out in a round that has ended, and who; None where it has not, or was broken off."""
    found = _counted(board, number)
    if found is not None:
        return found.how == "out", found.out
    if number != board.round or board.phase != "round_over":
        return None
    ended = next((play for play in reversed(board.lines) if play["event"] == "round_ended"), None)
    return None if ended is None else (ended["how"] == "out", ended.get("out"))


@rounds.post("/round-points/<int:number>")
@changes
def write_points(number: int) -> AnyResponse:
    """Write down the points of one round; a round that is still being played is over with that."""
    fields = read_body(request)
    if number != _board().round:
        board = _round_of(number)
        app_state().session.work_ahead(lambda trial: _write_points(trial, fields, board, number), EARLIER)
    with table_as_seen(fields, _is_counted(_round_of(number))) as session:
        board = _round_of(number)
        played = _counted(board, number)
        if played is not None and _another_round(fields, board):
            if _points(fields, board) == played.scores and _ended(board, number) == _end_of(fields, board):
                return redirect("/scores", 303)
            raise Conflict(already_text(session, board, played))
        _expect_round(fields, board)
        _write_points(session, fields, board, number)
    return redirect("/scores", 303)


def _write_points(session: Any, fields: Mapping[str, Any], board: GameView, number: int) -> None:
    scores = _points(fields, board)
    how, out = _told_end(fields, board)
    _expect_none_left(fields, board, scores, out)
    ended, played = _ended(board, number), _counted(board, number)
    otherwise = ended is not None and ended != _end_of(fields, board)
    if played is None or scores != played.scores or not otherwise:
        act(session.enter_scores, scores, number, out=out, how=how)
    if otherwise:
        act(session.end_otherwise, number, how, out)


def _expect_none_left(fields: Mapping[str, Any], board: GameView, scores: Mapping[str, int], out: str | None) -> None:
    """Raises FieldError where whoever went out has points, unless people have looked at these once more."""
    seat = board.seat(out)
    if seat is None or out is None or board.most_points_win or not scores[out]:
        return
    if fields.get("sure") != f"{out} {fields[f'points_{seat.index}']}":
        sentence = _(
            "%(name)s went out, yet has points: %(points)s. If that is right, write them down again.",
            name=out, points=scores[out],
        )  # fmt: skip
        raise FieldError("sure", sentence)


def _points(fields: Mapping[str, Any], board: GameView) -> dict[str, int]:
    """The points of everybody; payments add up to 0, and other points are not below it."""
    low = -MOST_POINTS if board.pays else 0
    scores = {seat.name: whole_number(fields, f"points_{seat.index}", low, MOST_POINTS) for seat in board.seats}
    total = sum(scores.values())
    if board.pays and total:
        told = _(
            "What somebody gets, others pay: the payments add up to 0. These add up to %(sum)s.", sum=f"{total:+d}"
        )
        raise FieldError(f"points_{board.seats[-1].index}", told)
    return scores


def _end_of(fields: Mapping[str, Any], board: GameView) -> tuple[bool, str | None]:
    """How the round ended, as `_ended` says it of the record."""
    how, out = _told_end(fields, board)
    return how == "out", out


def _told_end(fields: Mapping[str, Any], board: GameView) -> tuple[str, str | None]:
    """How the round ended, and who went out; in the Chinese games nobody does."""
    name = "how" if board.chinese else "out"
    if name not in fields or (board.chinese and fields["how"] not in ("out", "blocked_declared")):
        raise FieldError(name, _("Say how the round ended."))
    if board.chinese:
        return str(fields["how"]), None
    out = None if fields["out"] in (None, "") else person(fields, "out", [seat.name for seat in board.seats])
    return "blocked_declared" if out is None else "out", out


@rounds.get("/round-end/by-photo")
@needs_pin
def photo_page(fault: str | None = None) -> str:
    """The form for a photograph of a hand without scripts: nothing else can be typed here, so nothing can be lost."""
    board = _round_asked(request.args, _board())
    hands = _written(board, request.args)
    kept = {f"hand_{seat.index}": hands[seat.name] for seat in board.seats} | {
        "how": request.args.get("how", "out"), "round": str(board.round or ""),
    }  # fmt: skip
    whose = _next_seat(board, hands)
    return render_template(
        "hand_photo.html",
        board=board, hands=hands, kept=kept.items(), query=urlencode(kept), whose=whose, fault=fault,
        everybody=EVERYBODY, tv=False,
    )  # fmt: skip


@rounds.post("/round-end/photo")
@needs_pin
def photo() -> AnyResponse | str | tuple[str, int]:
    """Read a photograph of one open hand, or of the whole table with all of them. The reading comes back to be looked
    over; nothing is recorded yet. A picture of the whole table is not taken for a hand: every hand is read from it."""
    try:
        expect_photograph(request)
    except RequestEntityTooLarge as refused:
        if "how" not in request.args:
            raise
        return photo_page(refused.description), 413
    board = _round_asked(request.form, _board())
    seat = board.seat(request.form.get("by", ""))
    if seat is None and request.form.get("by") != EVERYBODY:
        raise FieldError("by", _("Say whose hand it is."))
    read = read_hand_of(request, board)
    if seat is None or shows_the_table(read, board):
        return _all_hands(read, board)
    hands = _written(board, request.form)
    replaced = replaced_text(hands[seat.name], read, board)
    note, fine = photo_note(seat.name, read, _("Check it, then count."), replaced)
    hands[seat.name] = as_typed(board, read.get("tiles") or ())
    how = request.form.get("how")
    picture = hand_picture(read, board, seat.index)
    return _end_page(board, hands, note, _next_seat(board, hands), how, picture=picture, fine=fine)


def _all_hands(read: Mapping[str, Any], board: GameView) -> str:
    """Every hand from a photograph of the whole table. Raises FieldError where it does not tell whose is whose."""
    if not any(train.tiles for train in board.trains) and not board.line:
        raise FieldError(
            "photo",
            _("No tile of this round is on record, so hands and trains cannot be told apart. Photograph each hand."),
        )
    laid = hands_laid_open(read, board)
    if laid is None:
        raise FieldError("photo", _("This picture does not tell whose hand is whose. Photograph each hand."))
    hands = _written(board, request.form)
    told, fine = [_("This shows the whole table, so every hand was read from it.")], laid.apart == 0
    for seat in board.seats:
        if seat.name in laid.hands:
            one = {"tiles": laid.hands[seat.name], "unreadable": laid.unread[seat.name]}
            words, good = photo_note(seat.name, one, "", replaced_text(hands[seat.name], one, board))
            hands[seat.name], fine = as_typed(board, laid.hands[seat.name]), fine and good
            told.append(words.strip())
    told += filter(None, (half_read(one) for n, one in enumerate(read["found"]) if n in laid.whose))
    if laid.apart:
        told.append(away_text(laid.apart))
    told += [translated(str(why)) for why in read.get("why") or ()]
    picture = hand_picture(read, board, 0, laid.whose)
    note = " ".join([*told, _("Check it, then count.")])
    return _end_page(board, hands, note, EVERYBODY, request.form.get("how"), picture=picture, fine=fine)
