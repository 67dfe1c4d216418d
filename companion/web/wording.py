"""Events, trains and rulings as sentences in the viewer's language.

Names are never inflected, and other languages than English put the verbs in the present, so that one sentence is
right whoever plays.

Notices of the big screen: what has to be said to the room now, each in one line, the most urgent first.

The caller: what was played and by whom, for the voice, the sounds and screen readers. Nothing is said twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypedDict

from companion.game.corrections import PUT_BACK
from companion.game.game_view import (
    SURE_ENOUGH,
    Examined,
    GameView,
    OwnTurn,
    Seat,
    change_made,
    confirmed,
    is_fault,
    is_own_fault,
    others_at_fault,
    signs_of,
    standing_faults,
)
from companion.game.match import RoundSheet
from companion.log.event_fields import ANOTHER_ENGINE, Question, QuestionKind
from companion.log.journal import ASSISTANT, BUTTON, PHONE
from companion.rules.position import LEFT, MEXICAN, RIGHT
from companion.rules.reasons import quotation
from companion.rules.ruleset import load_ruleset
from companion.rules.ruleset_fields import FIELDS
from companion.rules.written import written
from companion.supervise.parts import UnreadReason
from companion.web.access import SHARED
from companion.web.languages import current_language, in_a_sentence, listed, ngettext, with_colon
from companion.web.languages import gettext as _
from companion.web.texts import GAMES, code_title, reader_slow, rule_sets, translated

WORDING = "web/texts/wording.toml"


def said(table: str, code: str, **values: object) -> str:
    """One text of `texts/wording.toml` in the viewer's language; "" for a code without one."""
    text = written(WORDING)[table].get(code)
    return "" if text is None else _(text, **values)


def show_tile(tile: Any, family: str = "mexican") -> str:
    """`12-5`; Chinese tiles are written with a colon."""
    if not tile:
        return "?"
    return f"{tile[0]}{':' if family == 'chinese' else '-'}{tile[1]}"


def train_name(train: str | None) -> str:
    """The name of a train in a table."""
    if train == MEXICAN:
        return _("Mexican train")
    if train == "MX2":
        return _("Second Mexican train")
    if train == "R":
        return _("Right end")
    if train == "L":
        return _("Left end")
    return _("%(owner)s's train", owner=train or "?")


MOST_NAMED = 2
"""More names for one play tell nobody anything."""


def who(by: str | None, maybe: Sequence[str] = ()) -> str:
    """The name of a player, or of those whom the record cannot tell apart, the likeliest first.

    Of more than `MOST_NAMED` even the likeliest is improbable; a probable one would stand alone.
    """
    if by:
        return by
    if len(maybe) == 1:
        return _("Probably %(name)s", name=maybe[0])
    if 0 < len(maybe) <= MOST_NAMED:
        return _("%(names)s or %(last)s", names=listed(maybe[:-1]), last=maybe[-1])
    return _("Somebody")


def event_text(event: Mapping[str, Any], family: str = "mexican") -> str:
    """One event as one sentence."""
    kind = str(event.get("event", ""))
    guess = event.get("guess")
    by = who(event.get("by"), (guess,) if guess else event.get("maybe") or ())
    tile = show_tile(signs_of(event), family)
    train = event.get("train")
    if kind == "tile_played":
        return _laid_text(by, tile, train, own=train == event.get("by"))
    if kind == "marker_placed":
        return _("%(owner)s's train now carries a marker.", owner=train or "?")
    if kind == "marker_removed":
        return _("%(owner)s's train no longer carries a marker.", owner=train or "?")
    if kind == "double_flipped":
        return _("The dead double is turned over: %(train)s.", train=train_name(train))
    if kind == "tile_taken_back":
        return _("%(tile)s was taken back: %(train)s.", tile=tile, train=train_name(train))
    if kind == "round_started":
        return _round_start_text(event, family)
    if kind == "round_ended":
        return _round_end_text(event, family)
    if kind == "round_scored":
        return _("The round has been scored.")
    if kind == "match_ended":
        won = event.get("winners") or ()
        if len(won) > 1:
            return _("The match is over. Shared win: %(names)s.", names=listed(won))
        return _("The match is over. Winner: %(names)s.", names=listed(won) or "–")
    if kind == "hand_shown":
        shown, away = (" ".join(show_tile(t, family) for t in event.get(name) or ()) for name in ("tiles", "discards"))
        if away:
            return _("%(by)s put away: %(tiles)s.", by=by, tiles=f"{away} {shown}".strip())
        return _("%(by)s had left: %(tiles)s.", by=by, tiles=shown) if shown else _("%(by)s has no tiles left.", by=by)
    if kind == "announced" and event.get("what", "last_tile") != "last_tile":
        return _report_text(event, by)
    if kind == "corrected":
        return correction_text(event, family)
    if kind == "unclear":
        return reason_text(event)
    if kind == "passed" and event.get("done"):
        kind = "done"
    return said("events", kind, by=by) or kind.replace("_", " ")


def _laid_text(by: str, tile: str, train: str | None, *, own: bool) -> str:
    values = {"by": by, "tile": tile, "owner": train or "?"}
    if own:
        return said("laid", "own", **values)
    return said("laid_on", str(train), **values) or said("laid", "other", **values)


def _round_start_text(event: Mapping[str, Any], family: str) -> str:
    number, starter = event.get("round"), event.get("starter")
    if event.get("engine"):
        engine = show_tile(event["engine"], family)
        if not event.get("overruled") and _engine_is_wrong(event):
            return wrong_engine_text(event, family)
        started = _("Round %(number)s starts with %(engine)s.", number=number, engine=engine)
    else:
        started = _("Round %(number)s starts.", number=number)
    return started + " " + _("%(name)s goes first.", name=starter) if starter else started


def _engine_is_wrong(started: Mapping[str, Any]) -> bool:
    found = {one.get("code") for one in started.get("violations") or () if one.get("certain")}
    return not found.isdisjoint({"WRONG_ENGINE", "ENGINE_NOT_DOUBLE"})


def wrong_engine_text(started: Mapping[str, Any], family: str) -> str:
    """The engine that a round began with, and the one that belongs there."""
    number, due = started.get("round"), started.get("engine_due")
    engine = show_tile(started["engine"], family)
    if not due:
        return _(
            "%(engine)s lies in the middle, but another double belongs there in round %(number)s.",
            engine=engine,
            number=number,
        )
    return _(
        "%(engine)s lies in the middle, but %(due)s belongs there in round %(number)s.",
        engine=engine,
        due=show_tile(due, family),
        number=number,
    )


def _round_end_text(event: Mapping[str, Any], family: str) -> str:
    how = event.get("how")
    if how == "out" and family == "chinese":
        return _("The round is over: all tiles are played or put away.")
    if how == "out" and not event.get("out"):
        return _("The round is over: somebody went out.")
    if how == "out":
        return _("The round is over: %(by)s went out.", by=who(event.get("out")))
    return said("round_ends", str(how)) or said("round_ends", "abandoned")


def proof_text(play: Mapping[str, Any], players: Sequence[str] = ()) -> str:
    """The evidence that a certain ruling rests on. People may have tapped a wrong tile, so their entries prove
    nothing."""
    said = [author_text(str(one["confirmed_by"]), players) for one in confirmed(play)]
    if said:
        told = _("%(names)s said that it was really so.", names=in_a_sentence(dict.fromkeys(said)))
        return told[:1].upper() + told[1:]
    if play.get("source") == "camera" and not play.get("corrected"):
        return _("Certain: the tiles on the table prove it.")
    names = [author_text(one, players) for one in (*play.get("changers", ()), play.get("author")) if one]
    if not names:
        return _("As the plays were entered.")
    return _("As the plays were entered (%(names)s).", names=listed(dict.fromkeys(names)))


def author_text(author: str | None, players: Sequence[str]) -> str:
    """The author of an entry in words: one of `players`, or the name that a phone calls itself."""
    if author in players:
        return str(author)
    if author == PHONE:
        return _("a phone without a name")
    if author == SHARED:
        return _("everybody's phone")
    if author == BUTTON:
        return _("a button at the table")
    if author == ASSISTANT:
        return "Home Assistant"
    return _("a phone signed in as “%(name)s”", name=author) if author else _("not known")


def meeting_text(play: Mapping[str, Any], family: str = "mexican") -> str:
    """Which values touch where a tile does not fit, and what the camera read; "" where nothing is known of it."""
    tile, end = play.get("tile"), play.get("end_was")
    if not tile or end is None:
        return ""
    value = tile[1] if play.get("train") == LEFT else tile[0]
    told = _("The end was %(end)s; %(value)s was laid against it.", end=end, value=value)
    if play.get("source") != "camera":
        return told
    seen = signs_of(play.get("original") or play)
    return told + " " + _("The camera read %(tile)s.", tile=show_tile(seen, family))


def open_text(play: Mapping[str, Any]) -> str:
    """Why a tile that does not fit is nobody's certain fault; "" for every other play."""
    if play.get("end_was") is None:
        return ""
    if play.get("source") != "camera" or play.get("corrected"):
        return _("It rests on what somebody entered, and anybody may mistype.")
    if min((play.get("reading") or {}).get("p") or [1.0]) < SURE_ENOUGH:
        return _("The camera is not sure that it read this tile right.")
    return _("It is open whether the camera read both tiles right.")


def entry_text(board: GameView) -> str:
    """The task of the player at work, shown over the keys."""
    if board.together:
        return _("Everybody builds their first train")
    name = board.at_work.name if board.at_work else ""
    if not name:
        return _("Enter a play")
    if board.growing:
        return _("%(name)s's first train: tap its next tile.", name=board.growing)
    if board.after_double and board.turn_actions:
        return _("%(name)s played a double: one more tile.", name=name)
    if board.must_cover:
        where = train_name(board.must_cover.train)
        return _("%(name)s: cover the double first (%(train)s).", name=name, train=where)
    if board.drew:
        return _("%(name)s has drawn. Does it fit?", name=name)
    return _("%(name)s: tap what was played.", name=name)


def unable_text(board: GameView, me: Seat | None, own: OwnTurn | None = None) -> str:
    """The button of who cannot play, with all that it does; it names the player to move where that is not `me`. `own`:
    a turn of `me` that is still to come."""
    name = board.mover.name if board.mover and board.mover != me and own is None else ""
    unable = board.unable if own is None else board.unable_late.get(own.player, ())
    if unable == ("discard",):
        alone = _("Cannot play: one tile face down")
        return _("%(name)s cannot play: one tile face down", name=name) if name else alone
    words = {"draw": _("draw"), "mark": _("marker"), "end": _("next")}
    steps = listed(words[act.split()[0]] for act in unable if act.split()[0] in words)
    if name:
        return _("%(name)s cannot play: %(steps)s", name=name, steps=steps)
    return _("Cannot play: %(steps)s", steps=steps)


def correction_text(event: Mapping[str, Any], family: str) -> str:
    """A person's correction in words."""
    what = change_made(event)
    if what.get("retracts"):
        fallen = " ".join(retraction_text(one) for one in what["retracts"])
        return f"{fallen} {retraction_cause(what.get('because'))}"
    if event.get("source") == "rule":
        return _("Settled by what was tapped since.") if what.get("withdrawn") else _("The ruling was made anew.")
    if what.get("note") == PUT_BACK["note"]:
        return _("It was put back.")
    if what.get("withdrawn"):
        return _("Correction: it no longer counts.")
    if what.get("so"):
        return _("It was really so.")
    if "overruled" in what:
        return _("You agreed to let it stand.")
    if what.get("tile") or what.get("engine"):
        tile = show_tile(what.get("tile") or what["engine"], family)
        return _("Correction: it was %(tile)s.", tile=tile)
    if what.get("train"):
        return _("Correction: %(train)s.", train=train_name(what["train"]))
    if what.get("insert"):
        return _("Put in: %(what)s", what=event_text(what["insert"][0], family))
    if what.get("by") and event.get("source") == "camera":
        return _("It became clear later that it was %(by)s.", by=what["by"])
    if what.get("by"):
        return _("Correction: it was %(by)s.", by=what["by"])
    return _("Correction.")


def retraction_text(accusation: Mapping[str, Any]) -> str:
    """An accusation that no longer stands."""
    title = code_title(str(accusation.get("code") or ""))
    if accusation.get("by") is None:
        return _("No longer certain: %(fault)s.", fault=title)
    return _("No longer held against %(name)s: %(fault)s.", name=who(accusation.get("by")), fault=title)


def retraction_cause(because: Any) -> str:
    """Why an accusation no longer stands; `because` of a `person` or of the camera."""
    if because == "person":
        return _("Somebody has corrected what was recorded.")
    return _("There is another way to explain what the camera has seen since.")


def reads_slowly(camera: Mapping[str, Any] | None) -> bool:
    """Whether nothing but a reader that takes its time is the matter; the camera sees the table well."""
    return (camera or {}).get("why") == UnreadReason.SLOW


def camera_doing(camera: Mapping[str, Any]) -> str:
    """The state of the camera; it is not called away if something else keeps the table from being read."""
    message = str(camera.get("message") or "")
    if reads_slowly(camera):
        return _("Reading is slow")
    if camera["state"] == "lost" and message and camera.get("why") != UnreadReason.AWAY:
        return _("Not watching")
    return camera_text(str(camera["state"]))


def camera_message(camera: Mapping[str, Any]) -> str:
    """The message about the camera, as a sentence if it has one."""
    message = str(camera.get("message") or "")
    if reads_slowly(camera):
        return _(reader_slow().title)
    return translated(message) if message else camera_text(str(camera["state"]))


def camera_text(state: str) -> str:
    """The state of the camera in words."""
    return said("camera", state) or said("camera", "looking")


def turn_text(board: GameView) -> str:
    """The player whose turn it is, in a sentence to be read aloud; "" where nobody knows."""
    if board.together:
        return _("Everybody builds their first train")
    return "" if board.at_work is None else _("%(name)s to play.", name=board.at_work.name)


def question_of(line: Mapping[str, Any]) -> Question:
    """The question that a line of the journal asks."""
    return Question.of(str(line.get("reason") or ""))


def unscored_round(line: Mapping[str, Any]) -> int | None:
    """The number of the round whose points a question asks for; None for every other question."""
    return question_of(line).round


def asks_about_seats(line: Mapping[str, Any]) -> bool:
    """Whether a question is about where people sit, so that no tile answers it."""
    return question_of(line).kind is QuestionKind.SEATS


def asks_about_marker(line: Mapping[str, Any]) -> bool:
    """Whether a question is about somebody's marker, so that the answer is yes or no."""
    return question_of(line).kind is QuestionKind.MARKER


def reason_text(line: Mapping[str, Any]) -> str:
    """Why a person is asked, in one sentence."""
    question = question_of(line)
    if question.about == "NO_HUB" and line.get("candidates"):
        return _("We cannot find the engine. Which tile is it?")
    if question.about == ANOTHER_ENGINE:
        return _("Another double lies in the middle than this round began with. Which one is the engine?")
    if question.kind is QuestionKind.DOES_NOT_FIT:
        return settle_text(1)
    if question.kind is QuestionKind.UNREADABLE_TILE:
        return _unread_text(question.train or "")
    one, about = question.player or "", question.about
    asked = said("questions", question.kind, name=one, one=one, other=about, number=about)
    if asked:
        return asked
    troubles = [trouble_text(code) for code in question.troubles]
    return " ".join(text for text in troubles if text) or _("Something on the table changed. What was it?")


def settle_text(count: int) -> str:
    """A sentence on how many taps are asked about, without a name."""
    return ngettext("One thing to settle", "%(num)s things to settle", count)


def place_of_question(line: Mapping[str, Any]) -> str | None:
    """The train that a question is about, where it says."""
    question = question_of(line)
    if question.kind is QuestionKind.UNREADABLE_TILE:
        return question.train
    trains = {act.get("train") for one in line.get("candidates") or () for act in one.get("events") or ()}
    return trains.pop() if len(trains) == 1 else None


def _unread_text(train: str) -> str:
    place = "line" if train in (RIGHT, LEFT) else "mexican" if train in (MEXICAN, "MX2") else "train"
    return said("unread", place, name=train)


def apart_text(count: int) -> str:
    """A sentence on how many tiles lie on the table apart from all trains, or from the line."""
    return ngettext(
        "%(num)s tile lies apart from the others and is not recorded.",
        "%(num)s tiles lie apart from the others and are not recorded.",
        count,
    )


def trouble_text(code: str) -> str:
    """A thing on the table that the camera cannot make out, in words that accuse nobody. "" for an unknown code."""
    return said("troubles", code)


def _report_text(event: Mapping[str, Any], by: str) -> str:
    """A report in words: of an announcement that was made or forgotten, or of a deal."""
    if event.get("due") not in (None, event.get("value")):
        count, due = event.get("value"), event["due"]
        return _("%(by)s was dealt %(count)s tiles; the rules deal %(due)s.", by=by, count=count, due=due)
    what = str(event.get("what"))
    return said("reports", what, by=by, count=event.get("value")) or what


def rules_name(name: str) -> str:
    """The name of a rule set, with the one that its own players use where that differs."""
    known = written(GAMES)["games"].get(name, {})
    english, own = known.get("name", ""), known.get("own_name", "")
    called = _(english) if english else ""
    twice = own in called or current_language().startswith(known.get("own_language", " "))
    return called if called and twice else f"{called} {own}".strip() or name


def set_title(name: str) -> str:
    if name.startswith("double-"):
        return _("Double-%(number)s set", number=name.removeprefix("double-"))
    return _("Chinese set") if name == "chinese" else name


def fault_title(play: Mapping[str, Any], code: str) -> str:
    """A rule that was broken for certain, and by whom where that is not the play's own player."""
    names = others_at_fault(play, code)
    return with_colon(listed(names), code_title(code)) if names else code_title(code)


def faults_title(play: Mapping[str, Any]) -> str:
    """All that stands against a play for certain, in one line."""
    return " · ".join(fault_title(play, code) for code in standing_faults(play))


def fault_text(play: Mapping[str, Any], family: str = "mexican") -> str:
    """The play under a fault's title, with the values that met where they do not fit."""
    if not is_own_fault(play):
        return _("It came out when this was played: %(play)s", play=event_text(play, family))
    return f"{event_text(play, family)} {meeting_text(play, family)}".strip()


def fault_tag(play: Mapping[str, Any]) -> str:
    """The tag at a play, or "": against the rules, with the names of who broke one where it is not this play."""
    if not standing_faults(play):
        return ""
    if is_own_fault(play):
        return _("against the rules")
    names = sorted({name for code in standing_faults(play) for name in others_at_fault(play, code)})
    return with_colon(listed(names), _("against the rules"))


def examined_text(one: Examined, family: str = "mexican") -> str:
    """The ruling of the hands shown at the end on an earlier decision."""
    tiles = " ".join(show_tile(tile, family) for tile in one.tiles)
    if not one.offence:
        return _("%(tiles)s would have fitted. These rules allow it all the same.", tiles=tiles)
    if one.status == "certain":
        return _("The hands that were shown prove it: %(tiles)s would have fitted.", tiles=tiles)
    open_still = _(
        "%(tiles)s would have fitted. It came to light later and may have been drawn after this.", tiles=tiles
    )
    return f"{_('Possible; nobody is accused.')} {open_still}"


def candidate_text(candidate: Mapping[str, Any], family: str = "mexican") -> str:
    """One candidate, in words where its events are known."""
    events = candidate.get("events") or ()
    if events and all(isinstance(event, Mapping) and event.get("event") for event in events):
        return " ".join(event_text(event, family) for event in events)
    known = {"new_round": _("Yes, skip its points"), "same_round": _("No, it is still being played")}
    known["theirs"] = _("Yes")
    trains = [event["train"] for event in events if "train" in event]
    if trains:
        return train_name(trains[0])
    text = str(candidate.get("story") or "?")
    return known.get(text, text)


def answer_text(question: Mapping[str, Any], what: Mapping[str, Any], family: str = "mexican") -> str:
    """A person's answer to a question in the words of its buttons; "" where `what` is no answer or puts something
    in."""
    if "answer" not in what or what.get("insert"):
        return ""
    candidates = question.get("candidates") or ()
    choice = what["answer"]
    if isinstance(choice, int) and 0 <= choice < len(candidates):
        return candidate_text(candidates[choice], family)
    return none_text(question)


def none_text(question: Mapping[str, Any]) -> str:
    """The button that says that nothing of what a question offers is true."""
    if unscored_round(question):
        return _("Skip its points")
    if asks_about_marker(question):
        return _("No")
    return _("None of these") if question.get("candidates") else _("Done, we sorted it out")


def ended_text(played: RoundSheet, family: str = "mexican") -> str:
    """How a round ended, in a cell of the score sheet."""
    how, out = played.how, played.out
    if how == "out" and family == "chinese":
        return _("all tiles are played or put away")
    if how == "out":
        return _("%(name)s went out", name=out) if out else _("somebody went out")
    return said("ended", str(how)) or "–"


def gone_texts(board: GameView) -> list[str]:
    """A sentence for everybody who went home in the middle of the match: their points stay in sight."""
    return [
        _("%(name)s went home with %(points)s points.", name=name, points=points) for name, points in board.left.items()
    ]


class QuotedWords(NamedTuple):
    """A quotation from a rule set's text."""

    words: str
    """In `language`."""
    language: str
    meaning: str | None
    """In the reader's language; None where that is the same."""


def quoted_words(rules: str, about: str) -> QuotedWords | None:
    """The sentence on a code or a field in the text that a rule set rests on; None without one."""
    found = quotation(rules, about)
    if found is None:
        return None
    language = load_ruleset(rules).language
    return QuotedWords(found.words, language, None if language == current_language() else _(found.meaning))


def rules_source(name: str) -> str:
    """The text that a rule set rests on."""
    return _(rule_sets()[name].source) if name in rule_sets() else name


MOST_LINES = 3
"""More lines would take the table its room; what is left out is counted."""

TURNS_SHOWN = 2
"""After this many turns the room has seen a fault; it stays in the list of plays and at the tile."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the page tells."""

    kind: str
    """fault, question or note."""
    title: str
    detail: str = ""
    fading: bool = False
    """Shown for the last turn."""

    @property
    def sign(self) -> str:
        return {"fault": "!", "question": "?"}.get(self.kind, "i")


def notices(
    board: GameView, camera: Mapping[str, Any] | None, troubles: Sequence[str]
) -> tuple[tuple[Notice, ...], int]:
    """The lines to show and how many more there are."""
    found = [*_faults(board), *_retractions(board), *_questions(board), *_misfits(board), *_camera(camera)]
    late = time_is_up(board) if board.playing else ""
    found += [*([Notice("note", late_text(late))] if late else []), *_block(board), *_apart(board)]
    said = {notice.title for notice in found}
    found += [Notice("note", words) for words in dict.fromkeys(map(translated, troubles)) if words not in said]
    if len(found) <= MOST_LINES:
        return tuple(found), 0
    return tuple(found[: MOST_LINES - 1]), len(found) - MOST_LINES + 1


def turns_since(board: GameView, seq: int) -> int:
    """How many turns have been begun by others since that entry."""
    begun = board.play(seq)
    turns, actor = 0, None if begun is None else begun.get("by")
    for play in board.lines:
        by = play.get("by")
        if play["seq"] > seq and by is not None and by != actor:
            turns, actor = turns + 1, by
    return turns


def recent_faults(board: GameView) -> list[Mapping[str, Any]]:
    """The faults that are still news, the newest first."""
    return [play for play in board.faults if turns_since(board, play["seq"]) <= _turns_shown(board, play)]


def _turns_shown(board: GameView, play: Mapping[str, Any]) -> int:
    return TURNS_SHOWN + len(board.seats) if confirmed(play) else TURNS_SHOWN


def _faults(board: GameView) -> list[Notice]:
    found = []
    for play in recent_faults(board):
        title = faults_title(play)
        last_turn = turns_since(board, int(play.get("seq") or 0)) == _turns_shown(board, play)
        told = fault_text(play, board.family)
        if play.get("corrected") or confirmed(play):
            told += " " + proof_text(play, [seat.name for seat in board.seats])
        found.append(Notice("fault", title, told, last_turn))
    return found


def _retractions(board: GameView) -> list[Notice]:
    return [
        Notice("note", " ".join(retraction_text(gone) for gone in one.retracts), retraction_cause(one.because))
        for one in board.fell_lately
    ]


def _questions(board: GameView) -> list[Notice]:
    if not board.asked:
        return []
    more = len(board.asked) - 1
    detail = ngettext("And one more question.", "And %(num)s more questions.", more) if more else ""
    return [Notice("question", reason_text(board.asked[0]), detail)]


def _misfits(board: GameView) -> list[Notice]:
    """How many things people are asked about what they tapped: whose they are, the room need not know."""
    if not board.misfits:
        return []
    return [Notice("note", settle_text(len(board.misfits)))]


def _camera(camera: Mapping[str, Any] | None) -> list[Notice]:
    state = (camera or {}).get("state")
    if state == "unseated":
        return [Notice("question", _("Who sits where?"))]
    if state in ("lost", "ended"):
        assert camera is not None
        urgent = state == "lost" and not reads_slowly(camera)
        return [Notice("question" if urgent else "note", camera_message(camera))]
    return []


def _apart(board: GameView) -> list[Notice]:
    return [Notice("note", apart_text(board.apart))] if board.apart else []


UNTIL = "match_until"


def match_ends_at(board: GameView) -> str:
    """The points and the time of day that end the match, "" where nobody has agreed on any and once it is over."""
    if board.phase == "match_over":
        return ""
    agreed = (board.options.get(field) for field in ("match_points", UNTIL))
    return " · ".join(str(value) for value in agreed if value not in (None, "none"))


def time_is_up(board: GameView) -> str:
    """The time of day agreed on, once it has come since the last round began; else ""."""
    until = board.options.get(UNTIL)
    begun = next((line for line in board.plays if line["event"] == "round_started"), None)
    return str(until) if begun is not None and has_come(until, begun.get("at")) else ""


def has_come(until: object, begun: object) -> bool:
    """Whether a time of day agreed on has come since that moment; False where either is missing."""
    if not isinstance(until, str) or FIELDS[UNTIL].value(until) is None or not begun:
        return False
    start = datetime.fromisoformat(str(begun)).astimezone()
    end = start.replace(hour=int(until[:2]), minute=int(until[3:]), second=0, microsecond=0)
    if end <= start:
        end += timedelta(days=1)
    return datetime.now(end.tzinfo) >= end


def has_passed(until: object, now: datetime) -> bool:
    """Whether a time of day is more likely one of the last twelve hours than one of the next."""
    if not isinstance(until, str) or FIELDS[UNTIL].value(until) is None:
        return False
    ago = timedelta(hours=now.hour - int(until[:2]), minutes=now.minute - int(until[3:])) % timedelta(days=1)
    return ago < timedelta(hours=12)


def late_text(until: str) -> str:
    """The notice that the agreed time came during a round."""
    return _("It is past %(time)s: this round is the last one.", time=until)


def _block(board: GameView) -> list[Notice]:
    if not board.playing or not board.blocked:
        return []
    if board.blocked.provable:
        values = listed(str(value) for value in board.blocked.values)
        return [
            Notice("note", _("No tile fits any more"), _("Every tile with %(values)s is on the table.", values=values))
        ]
    return [Notice("note", _("Nearly blocked"))] if board.blocked.nearly else []


def winners_text(winners: Sequence[str]) -> str:
    """The winners of the match, as a title."""
    names = listed(winners)
    return _("%(names)s wins", names=names) if len(winners) == 1 else _("Shared win: %(names)s", names=names)


def ahead_text(board: GameView) -> str:
    """The leader and the lead, in a sentence."""
    leaders = [row for row in board.scores if row.rank == 1]
    others = [abs(row.total - leaders[0].total) for row in board.scores if row.rank > 1]
    if not others:
        return _("It is a tie.")
    names = in_a_sentence(row.seat.name for row in leaders)
    if len(leaders) > 1:
        return _("%(names)s share the lead, %(points)s ahead.", names=names, points=min(others))
    return _("%(name)s leads by %(points)s.", name=names, points=min(others))


MOST_CALLED = 4
"""The number of latest plays that are called out: a phone that was away for longer does not hear of a whole evening."""


class Call(TypedDict):
    """Something that the page says aloud."""

    key: str
    """Names what is said, so that a page says it once. A fault that is found later has its own."""
    text: str
    tone: str
    """The sound that goes with it: play, fault, question, good or won."""


def calls_of(board: GameView) -> list[Call]:
    """All messages of now: faults and fallen accusations, the plays in their order, questions, at last who leads.

    The key of who leads begins with how many rounds are counted, so that a page tells a correction from another round.
    """
    faults: list[Call] = []
    plays: list[Call] = []
    latest = board.lines[-MOST_CALLED:]
    for play in (*(play for play in reversed(recent_faults(board)) if play not in latest), *latest):
        if play.get("taken_back") or play.get("withdrawn"):
            continue
        text, key = str(event_text(play, board.family)), str(play["seq"])
        if is_fault(play):
            titles = " ".join(f"{fault_title(play, code)}." for code in standing_faults(play))
            faults.append({"key": f"{key}!", "text": f"{titles} {text}", "tone": "fault"})
        else:
            plays.append({"key": key, "text": text, "tone": "won" if play["event"] == "match_ended" else "play"})
    for one in board.fell_lately:
        words = " ".join(retraction_text(gone) for gone in one.retracts)
        faults.append({"key": f"{one.seq}-", "text": words, "tone": "good"})
    asked: list[Call] = [
        {"key": f"{question['seq']}?", "text": reason_text(question), "tone": "question"}
        for question, _seqs in board.cards
    ]
    if not board.rounds_played or board.phase == "match_over":
        return [*faults, *plays, *asked]
    ahead = ".".join(str(row.seat.index) for row in board.scores if row.rank == 1)
    lead: Call = {"key": f"lead{len(board.rounds_played)}:{ahead}", "text": ahead_text(board), "tone": "good"}
    return [*faults, *plays, *asked, lead]
