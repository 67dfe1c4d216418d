"""The JSON interface: the state for everybody, the verbs for who has the PIN."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, redirect, request
from werkzeug.exceptions import BadRequest, Conflict
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import AppState
from companion.game.corrections import UNDONE, withdrawn_corrections
from companion.game.course import DEALT
from companion.game.game import Game
from companion.game.game_view import GameView, as_json
from companion.log.events import Corrected, Discarded, Event, MarkerPlaced, Passed, TilePlayed, Unclear
from companion.log.journal import JournalError
from companion.rules.mexican.judge import starters
from companion.rules.tile import Laid, Tile
from companion.supervise.parts import line_of
from companion.web.access import own_path, say_whose, this_browser, wants_page, who_changes
from companion.web.changing import LastUnable, changes, table_as_seen, what_changes
from companion.web.forms import HIGHEST, FieldError, number, person, read_body, text, tile, tiles
from companion.web.hands import copies_of, has_none_left, places_of
from companion.web.languages import gettext as _
from companion.web.languages import in_a_sentence
from companion.web.tapping import Carried, carried, comes_after, missing_act
from companion.web.texts import disk_fault, in_english, why
from companion.web.wording import show_tile

api = Blueprint("api", __name__)

MOST_ALIKE = 50
"""Questions of one kind that one tap settles."""


def app_state() -> AppState:
    found: AppState = current_app.extensions["companion_state"]
    return found


GAME_ANSWERS_S = 1.0
"""A game that is held for longer hangs: a request for its health is told so instead of waiting with it."""


@api.get("/health")
def health() -> Response:
    """`ok`, or `degraded` with the reasons in plain words; `parts`: the last sign of life of each, and its trouble."""
    reasons = []
    camera = app_state().camera_status()
    if camera is not None and camera.get("state") == "lost":
        reasons.append(str(camera.get("message") or "the camera gives no pictures"))
    reasons += [*app_state().troubles(), *_not_shown()]
    reasons += [in_english(repair) for repair in app_state().repairs.to_show()]
    parts = {
        one.part: {"seconds": round(one.silent_s, 1), "hangs": one.hangs, "trouble": one.trouble}
        for one in app_state().parts.signs()
    }
    return jsonify({"status": "degraded" if reasons else "ok", "reasons": reasons, "parts": parts})


def _not_shown() -> list[str]:
    """Why the game on the table cannot be shown; [] where it can, or without a game."""
    game, session = app_state().on_the_table()
    try:
        if session is not None and not session.is_free(GAME_ANSWERS_S):
            return [f"the game {game} does not answer"]
        if session is not None:
            session.snapshot()
    except Exception as fault:  # whatever it is, the page fails of it too
        return [f"the game {game} cannot be shown ({line_of(fault)})"]
    return []


@api.get("/api/state")
def state() -> Response:
    """The whole table and scoreboard."""
    if not app_state().has_game:
        return jsonify({"seq": 0, "game": None, "phase": "no_game", "camera": app_state().camera_status()})
    around = {"game": app_state().game, "camera": app_state().camera_status()}
    return jsonify(as_json(_board()) | around)


def watched() -> bool:
    """Whether a camera keeps the record of this table."""
    camera = app_state().camera_status()
    return camera is not None and camera.get("state") != "lost"


def act(call: Callable[..., Any], *arguments: Any, **named: Any) -> Sequence[Any]:
    """Call one verb of the session; a refusal is 409 with its sentence, and nothing has changed."""
    try:
        events: Sequence[Any] = call(*arguments, **named) or ()
    except JournalError as fault:
        raise disk_fault(fault, _("The game could not be written to the disk: %(why)s")) from None
    except (ValueError, LookupError) as refusal:
        raise Conflict(why(refusal) or _("That is not possible now.")) from None
    return events


def run_command(verb: str, *arguments: Any, **named: Any) -> AnyResponse:
    """Do it, and answer."""
    return answer_to(act(getattr(app_state().session, verb), *arguments, **named))


def answer_to(events: Sequence[Event]) -> AnyResponse:
    """The answer to a tap: the events it brought, or for a form the page it came from."""
    if wants_page():
        return redirect(own_path(request.form.get("next") or "/"), 303)
    return jsonify({"events": [event.to_json() for event in events]})


def _board() -> GameView:
    return app_state().session.snapshot()


def _players() -> list[str]:
    return list(_board().players)


def _mover(fields: dict[str, Any]) -> str | None:
    """The player of an act: the one named, else the one whose turn was shown, else the one to move."""
    if fields.get("by"):
        return person(fields, "by", _players())
    return carried(fields, _players(), None).turn or _board().turn


def _carried(fields: dict[str, Any], by: str | None, train: str | None = None) -> Carried:
    """The turn that the key was shown for, which turn of `by` that is, and with a `train` its end then."""
    return carried(fields, _players(), by, train)


def _is_told(fields: Mapping[str, Any]) -> Callable[[Game], bool]:
    """Whether a tap says itself what it was meant for: in a round that people tap it is recorded then, whatever others
    have tapped meanwhile, and asked about where it does not fit."""
    return lambda session: fields.get("turn") not in (None, "") and bool(session.snapshot().own_turns)


def _train(fields: dict[str, Any], name: str = "train") -> str:
    train = text(fields, name, longest=24)
    board = _board()
    known = {*(one.name for one in board.trains), *board.players, "MX", "MX2", "R", "L"}
    if train not in known:
        raise BadRequest(_("There is no train '%(train)s' on this table.", train=train))
    return train


def _due(train: str) -> int | None:
    """The value due on a train, for a tile with only its new end tapped: that of the last tile on record, also where
    others lie there that are not."""
    board = _board()
    if train in ("R", "L"):
        if not board.line or (train == "L" and board.arms == 1):
            return None
        return board.line[-1].outer if train == "R" else board.line[0].inner
    row = next((row for row in board.trains if row.name == train), None)
    if row is not None and row.tiles:
        return row.tiles[-1].outer
    return board.engine[-1] if board.engine else None


def laid_tile(fields: dict[str, Any], train: str, end: int | None = None) -> tuple[int, int]:
    """The tile of a play: `tile`, or `outer` with `inner` (missing: the `end` that was shown, or the value due on the
    train)."""
    if fields.get("tile") not in (None, ""):
        return tile(fields["tile"], HIGHEST)
    if fields.get("outer") in (None, ""):
        raise FieldError("outer", _("The field '%(name)s' is missing.", name="tile"), _("Please choose a number."))
    outer = number(fields, "outer", 0, HIGHEST)
    if fields.get("inner") not in (None, ""):
        inner = number(fields, "inner", 0, HIGHEST)
    else:
        due = _due(train) if end is None else end
        if due is None:
            raise FieldError(
                "inner",
                _("The first tile needs both halves: the field 'inner' is missing."),
                _("Tap the left half first, then the right one."),
            )
        inner = due
    return (outer, inner) if train == "L" else (inner, outer)


@api.post("/api/play")
@changes
def play() -> AnyResponse:
    """Record a tile laid.

    Without `by` it is the player to move; while first trains are laid together, and where it is closed to whoever
    is to move, the train's owner.
    """
    fields = read_body(request)
    with table_as_seen(fields, _is_told(fields)):
        train = _train(fields)
        by = person(fields, "by", _players()) if fields.get("by") else None
        shown = _carried(fields, by, train)
        laid, said = laid_tile(fields, train, shown.end), dict[str, Any](shown.said())
        if wants_page() and not fields.get("again"):
            _expect_possible(laid)
        if wants_page() and by is None:
            by = _whose(train, laid)
        if all(fields.get(name) in (None, "") for name in ("tile", "inner")):
            said["outer_only"] = True
        lifting = {"lift": True} if wants_page() else {}
        return run_command("play", laid, train, by=by, **lifting, **said)


class AskBack(Conflict):
    """A tapped tile is rather a slip of the finger than a play: nothing is recorded before somebody has chosen.

    `choices`: (words, what the choice adds to the fields).
    """

    def __init__(self, sentence: str, choices: Sequence[tuple[str, Mapping[str, str]]]) -> None:
        super().__init__(sentence)
        self.choices = tuple(choices)


def _whose(train: str, laid: tuple[int, int]) -> str | None:
    """The player who laid a tapped tile; None: as the game has it. Raises AskBack where the train's owner is likelier
    than the player to move."""
    board, mover = _board(), _mover({})
    row = next((row for row in board.trains if row.name == train), None)
    if row is None or row.playable or mover is None or train == mover or train not in _players():
        return None
    if board.laying_together or board.still_laying == train:
        return None
    sentence = _(
        "%(owner)s's train is closed to %(mover)s. Who played %(tile)s?", owner=train, mover=mover, tile=show_tile(laid)
    )
    raise AskBack(sentence, [(name, {"by": name}) for name in (train, mover)])


def _expect_possible(laid: tuple[int, int]) -> None:
    """Raises AskBack for a tile that the set does not have, or of which all that it has lie on the table already."""
    board = _board()
    if not copies_of(board).get((min(laid), max(laid))):
        sentence = f"{show_tile(laid, board.family)}? {_('The set of this game has no such tile.')}"
        raise AskBack(sentence, [(_("Record it all the same"), {"again": "1"})])
    where = None if board.chinese else places_of(board).get((min(laid), max(laid)))
    if where is not None:
        sentence = _("%(tile)s is already on the table: %(where)s.", tile=show_tile(laid), where=where)
        raise AskBack(sentence, [(_("Record it all the same"), {"again": "1"})])
    if has_none_left(board, laid):
        sentence = _("All %(tile)s tiles of the set are already on the table.", tile=show_tile(laid, board.family))
        raise AskBack(sentence, [(_("Record it all the same"), {"again": "1"})])


@api.post("/api/<any(draw,pass,discard):what>")
@changes
def turn_act(what: str) -> AnyResponse:
    """Record a draw, a pass or a tile put away."""
    fields = read_body(request)
    with table_as_seen(fields, _is_told(fields)):
        verb, by = {"draw": "draw", "pass": "pass_turn", "discard": "discard"}[what], _mover(fields)
        return run_command(verb, by, **_carried(fields, by).said())


@api.post("/api/done")
@changes
def done() -> AnyResponse:
    """End the turn of `by`, in their own words: this player laid the last tiles."""
    fields = read_body(request)
    with table_as_seen(fields, _is_told(fields)):
        by = _mover(fields)
        return run_command("done", by, **_carried(fields, by).said())


@api.post("/api/<any(mark,unmark,flip):what>")
@changes
def marker_act(what: str) -> AnyResponse:
    """Record a marker put on or taken off, or a dead double turned over."""
    fields = read_body(request)
    with table_as_seen(fields, _is_told(fields)):
        # A marker that nobody is named for is rather its owner's, who may have just laid, than the next player's.
        named = what == "flip" or fields.get("by")
        by, train = _mover(fields) if named else None, _train(fields)
        return run_command(what, train, by=by, **_carried(fields, by or train).said())


@api.post("/api/cannot-play")
@changes
def cannot_play() -> AnyResponse:
    """End a turn without a tile that fits: draw, marker and end as the rules ask, in one. Of the same turn, told by the
    fields `turn` and `expected_seq`, it counts once, however many phones say it."""
    fields = read_body(request)

    def told(session: Game) -> bool:
        turn, seen = _carried(fields, None).turn, fields.get("expected_seq")
        return turn is not None and seen not in (None, "") and _turn_is_over(session.events[int(str(seen)) :], turn)

    # A player's own phone is believed; another phone is asked again where its page is old.
    own = _is_told(fields) if fields.get("by") == who_changes() else lambda _session: False
    with table_as_seen(fields, lambda session: told(session) or own(session)) as session:
        by = _mover(fields)
        if told(session):
            return answer_to(())
        if wants_page() and by not in (None, who_changes()) and not fields.get("again") and not _board().together:
            _expect_anothers(by)
        done = run_command("cannot_play", by, **_carried(fields, by).said())
        current_app.extensions["companion_unable"].say(by, this_browser())
        return done


def _expect_anothers(player: str) -> None:
    """Raises AskBack where this has only just been said of somebody else: the key has named the next player since,
    perhaps under a finger that was on its way or taps twice."""
    last: LastUnable = current_app.extensions["companion_unable"]
    said = last.said_just_now(this_browser())
    if said not in (None, player):
        sentence = _("It has only just been said that %(name)s cannot play.", name=said)
        raise AskBack(sentence, [(_("%(name)s cannot play either", name=player), {"by": player})])


def _turn_is_over(since: Sequence[Event], player: str) -> bool:
    """Whether by these events, the first since a turn of `player` was shown, that very turn ended without a tile."""
    own = list(takewhile(lambda event: event.who == player, since))
    ended = any(isinstance(one, MarkerPlaced | Discarded) or (isinstance(one, Passed) and not one.done) for one in own)
    changed = any(isinstance(one, TilePlayed) for one in own) or any(isinstance(one, Corrected) for one in since)
    return ended and not changed


@api.post("/api/announce")
@changes
def announce() -> AnyResponse:
    """Record an announcement. Where nobody is named, it is by the player with one tile: the turn has often gone on
    before they knock."""
    fields = read_body(request)
    with table_as_seen(fields):
        return run_command("announce", person(fields, "by", _players()) if fields.get("by") else None)


@api.post("/api/report")
@changes
def report() -> AnyResponse:
    """Report what a player did not announce, or how many tiles they were dealt."""
    fields = read_body(request)
    with table_as_seen(fields):
        what, given = text(fields, "what", longest=40), fields.get("value") not in (None, "")
        board, by = _board(), person(fields, "by", _players())
        value = number(fields, "value", 0, board.box) if given or what == DEALT else None
        if what == DEALT and wants_page() and board.deals not in (None, value) and not fields.get("again"):
            sentence = _(
                "These rules deal %(due)s tiles. Was %(name)s dealt %(count)s?", due=board.deals, name=by, count=value
            )
            raise AskBack(sentence, [(_("Record it all the same"), {"again": "1"})])
        return run_command("report", by, what, value)


@api.post("/api/leave")
@changes
def leave() -> AnyResponse:
    """Let a player leave in the middle of the round: the hand lies aside, and the others play on."""
    fields = read_body(request)
    with table_as_seen(fields):
        return run_command("leave", person(fields, "by", _players()))


@api.post("/api/undo")
@changes
def undo() -> AnyResponse:
    """Undo the last thing that counts; with `seq` that correction, whatever has come after it, and an answer as a
    whole."""
    fields = read_body(request)
    seq = None if fields.get("seq") in (None, "") else number(fields, "seq", 1, 10**9)
    app_state().session.work_ahead(lambda trial: _undo(trial, seq), seq)
    with table_as_seen(fields) as session:
        return answer_to(_undo(session, seq))


@api.post("/api/put-back")
@changes
def put_back() -> AnyResponse:
    """Restore what the last step back took away, unless something has happened since."""
    fields = read_body(request)
    about = next((line.seq for line in app_state().session.to_put_back()), None)
    app_state().session.work_ahead(lambda trial: trial.put_back(), about)
    with table_as_seen(fields):
        return run_command("put_back")


def _undo(session: Any, seq: int | None) -> Sequence[Any]:
    if seq is None:
        return act(session.undo)
    first, *more = _standing_step(session.events, seq)
    for part in more:
        act(session.correct, part, UNDONE, by=who_changes())
    return act(session.correct, first, UNDONE, by=who_changes())


def _standing_step(events: Sequence[Any], seq: int) -> list[int]:
    """The numbers of a person's correction and of all that the same answer brought, the answer first. Raises Conflict
    where it no longer stands."""
    made, gone = next((one for one in events if one.seq == seq), None), withdrawn_corrections(events)
    if not isinstance(made, Corrected) or made.source != "person" or seq in gone:
        raise Conflict(_("That has been taken back already."))
    asked = events[made.corrects - 1]
    if not isinstance(asked, Unclear):
        return [seq]
    named = {line.get("seq") for one in asked.candidates for line in one.events}
    parts = [one for one in events if isinstance(one, Corrected) and one.source == "person" and one.seq not in gone]
    step = list[int]()
    for one in parts:
        # An act already on record, by somebody unnamed, follows its answer at once.
        of_it = one.corrects == asked.seq or one.what.get("answers") == asked.seq
        if of_it or (one.corrects in named and one.seq - 1 in step):
            step.append(one.seq)
    return step


@api.post("/api/answer")
@changes
def answer() -> AnyResponse:
    """Answer a question: which of an unclear event's candidates is true; -1: none of them; or `train` and `outer` of
    the tile that it was; or, of a tap that does not fit, `order`: the lines of these acts as they happened, with spaces
    between.

    `also`: numbers of further questions of the same kind that this settles, with spaces between.
    """
    fields = read_body(request)
    with table_as_seen(fields) as session:
        if fields.get("order") not in (None, ""):
            seq = number(fields, "seq", 1, 10**9)
            return run_command("put_in_order", seq, _order(fields), by=who_changes())
        own = fields.get("outer") not in (None, "")
        choice = -1 if own else number(fields, "choice", -1, 50)
        seq = number(fields, "seq", 1, 10**9)
        known = _asked_on_record(seq) if own else None
        line = _tile_that_it_was(fields) if own and known is None else None
        also = [number({"also": one}, "also", 1, 10**9) for one in str(fields.get("also") or "").split()[:MOST_ALIKE]]
        for other in also:
            act(session.answer, other, None, by=who_changes())
        if line is not None:
            return run_command("correct", seq, {"answer": None, "insert": [line], "after": True}, by=who_changes())
        named = None if known is None else Laid(*_tile_in_place(fields, known))
        return run_command("answer", seq, None if choice < 0 else choice, by=who_changes(), tile=named)


def _order(fields: Mapping[str, Any]) -> list[int]:
    """The lines of acts of this round, each once. Raises FieldError."""
    known = {str(play["seq"]) for play in _board().plays}
    lines = str(fields["order"]).split()
    wrong = next((one for n, one in enumerate(lines) if one not in known or one in lines[:n]), None)
    if wrong is not None or not lines:
        raise FieldError(
            "order", _("order: expected numbers of acts of this round, each once, not '%(given)s'.", given=wrong or "")
        )
    return [int(one) for one in lines]


def _asked_on_record(seq: int) -> int | None:
    """The line of the tile on record that question `seq` is about, where it was not read."""
    asked = next((one for one in _board().asked if one["seq"] == seq), {})
    lines = (line for one in asked.get("candidates") or () for line in one.get("events") or ())
    return next((int(line["seq"]) for line in lines if "tile" in line and "event" not in line), None)


def _tile_in_place(fields: dict[str, Any], seq: int) -> tuple[int, int]:
    """The tile of a line in one's own numbers; a half that is not given is the one on record."""
    held = next((play for play in _board().plays if play["seq"] == seq), None)
    there = None if held is None else (held["tile"][0], held["tile"][1])
    return laid_tile(fields, "", None if there is None else there[0])


def _tile_that_it_was(fields: dict[str, Any]) -> dict[str, Any]:
    """The answer to a question in one's own numbers, as the event that it was."""
    train = _train(fields)
    laid, by = laid_tile(fields, train), _mover(fields)
    return {"event": "tile_played", "source": "person", "by": by, "tile": list(laid), "train": train, "violations": []}


def correction(fields: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Read a correction: `tile`, `train`, `by`, a missing act, or the flag `withdrawn` or `overruled`."""
    seq = number(fields, "seq", 1, 10**9)
    what: dict[str, Any] = {}
    if fields.get("low") not in (None, "") or fields.get("high") not in (None, ""):
        what["tile"] = [number(fields, "low", 0, HIGHEST), number(fields, "high", 0, HIGHEST)]
    if fields.get("tile") not in (None, ""):
        what["tile"] = list(tile(fields["tile"], HIGHEST))
    if fields.get("train") not in (None, ""):
        what["train"] = _train(fields)
    if fields.get("by") not in (None, ""):
        what["by"] = person(fields, "by", _players())
    if any(fields.get(name) not in (None, "") for name in ("insert_event", "insert_train")):
        what["insert"] = [missing_act(fields, _board(), _players()) or _missing_tile(fields)]
        what["after"] = comes_after(fields)
    for flag in ("withdrawn", "overruled"):
        if fields.get(flag) in (True, "1", "true", "on"):
            what[flag] = True
    if not what:
        raise BadRequest(_("That correction changes nothing."))
    return seq, what


def _missing_tile(fields: dict[str, Any]) -> dict[str, Any]:
    """A tile that was laid and not seen, as the event it would have been."""
    laid = [number(fields, "insert_low", 0, HIGHEST), number(fields, "insert_high", 0, HIGHEST)]
    train = _train(fields, "insert_train")
    by = person(fields, "insert_by", _players())
    return {"event": "tile_played", "source": "person", "by": by, "tile": laid, "train": train, "violations": []}


@api.post("/api/correct")
@changes
def correct() -> AnyResponse:
    """Correct an earlier entry, or put in an act beside it that nobody saw."""
    fields = read_body(request)
    seq, what = correction(fields)
    shown = fields.get("shows")
    app_state().session.work_ahead(lambda trial: trial.correct(seq, what, by=who_changes()), seq)
    with table_as_seen(fields, lambda session: bool(shown) and shown == what_changes(session, seq, what).mark):
        return run_command("correct", seq, what, by=who_changes())


@api.post("/api/start-round")
@changes
def start_round() -> AnyResponse:
    """Start a round; in place of `engine` and `starter` also `drawn_1`, `drawn_2` ...: the tiles that everybody
    drew. `whose`, from the page: whose phone it is, as `/whose` takes it."""
    fields = read_body(request)
    if fields.get("whose"):
        say_whose(fields, "whose")
    with table_as_seen(fields):
        highest = _board().set_max
        engine = None if fields.get("engine") in (None, "") else tile(fields["engine"], highest, "engine")
        if engine is not None and engine[0] != engine[1] and wants_page():
            raise FieldError("engine", _("The engine is a double, such as 12-12."))
        starter = None if fields.get("starter") in (None, "") else person(fields, "starter", _players())
        return run_command("start_round", engine, _starter_by_tiles(fields) or starter)


def _starter_by_tiles(fields: Mapping[str, Any]) -> str | None:
    """The player who drew the highest tile, where the tiles that everybody drew are written (`drawn_1` ...)."""
    players = _players()
    written = {n: fields.get(f"drawn_{n}") for n in range(1, len(players) + 1)}
    if not any(written.values()):
        return None
    drawn = {players[n - 1]: Tile(*tile(value or "", HIGHEST, f"drawn_{n}")) for n, value in written.items()}
    highest = starters(drawn)
    if len(highest) > 1:
        again = f"drawn_{players.index(highest[0]) + 1}"
        raise FieldError(again, _("%(names)s drew the same sum. Please draw again.", names=in_a_sentence(highest)))
    return highest[0]


@api.post("/api/show-hand")
@changes
def show_hand() -> AnyResponse:
    """Report the tiles that a player has left at the end of the round."""
    fields = read_body(request)
    with table_as_seen(fields):
        return run_command("show_hand", person(fields, "by", _players()), tiles(fields.get("tiles"), HIGHEST))


@api.post("/api/end-match")
@changes
def end_match() -> AnyResponse:
    """End the match here; the leader has won."""
    fields = read_body(request)
    with table_as_seen(fields):
        return run_command("end_match")


@api.post("/api/end-round")
@changes
def end_round() -> AnyResponse:
    """End the round."""
    fields = read_body(request)
    with table_as_seen(fields):
        how = text(fields, "how", default="blocked_declared", longest=20)
        if how not in ("out", "blocked_proved", "blocked_declared", "abandoned"):
            raise BadRequest("A round ends by out, blocked_proved, blocked_declared or abandoned.")
        return run_command("end_round", how)
