"""The rules of this house, kept on the box: files in `rules/` of the data folder, offered at set-up by their titles.

Each file extends a published rule set and holds only what differs, as the set-up page saves it or as somebody wrote it
(companion/rules/rulesets/README.md). A game's header keeps the published name and the differences, so that it can be
replayed when the file is gone.

Setting up a game in a minute: rules, set, players in their seats, house rules, start.

How long we play: so many rounds, until somebody has so many points, or until a time of day. Rounds and points end a
match by themselves. When the time is up the table is asked: a round that has begun is played to its end, and whoever
plays another one is not asked again.

In the middle of a match somebody joins, goes home or takes another chair: said first, then done in one go.

A journal is of fixed players. So the match goes on in a new game, to which everybody brings the points won so far; the
game until now stays under Games as it is.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from statistics import mean
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.game.game_view import GameView, colours_kept
from companion.judge_api.questions import answer
from companion.log.journal import JournalError
from companion.rules.ruleset import MOST_PLAYERS, OPEN, SHIPPED, house_file, load_ruleset, loaded
from companion.rules.ruleset_fields import (
    FIELDS,
    LABELS,
    MANY_TILES,
    OPTION_NAMES,
    ContradictionError,
    RuleSetError,
)
from companion.rules.tile import highest_double
from companion.storage.repairs import Repair
from companion.storage.state_file import set_aside, write_whole
from companion.web.access import needs_pin, signed_in, wants_page
from companion.web.api import app_state
from companion.web.changing import changes, expect_game
from companion.web.forms import FieldError, asked_as, number, read_body, refuse_name, text
from companion.web.languages import gettext as _
from companion.web.languages import listed
from companion.web.texts import (
    HouseOption,
    RuleSetText,
    choice_of,
    disk_fault,
    offered_lengths,
    option_value,
    options_of,
    question_about,
    rule_sets,
    translated,
)
from companion.web.wording import UNTIL, has_come, has_passed

FOLDER = "rules"
LARGEST = 65_536
"""Bytes of a file that is looked at."""
MOST = 40
"""Files that are offered, by their names."""
LONGEST_TITLE = 40


class TooManyRulesError(Exception):
    """There is no room for another file."""


@dataclass(frozen=True, slots=True)
class OwnRules:
    """A house's own rules, from a file."""

    key: str
    """Stands for the file in an address."""
    title: str = ""
    extends: str = ""
    """The published rule set that they change."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The fields that differ from it."""
    fault: str = ""
    """Why the file cannot be used, in one line; then nothing else but the key is known."""
    bad: bool = False
    """The file's content is at fault, not the card."""


def own_rules(data_dir: Path | None) -> tuple[OwnRules, ...]:
    """Every file that lies there, by title, those that cannot be used last."""
    if data_dir is None:
        return ()
    files = sorted((data_dir / FOLDER).glob("*.toml"))[:MOST]
    found = [_read(path) for path in files]
    return tuple(sorted(found, key=lambda one: (one.fault != "", one.title.casefold(), one.key)))


def find(data_dir: Path | None, key: str) -> OwnRules | None:
    """The rules of that key; None where the file is missing or cannot be used."""
    return next((one for one in own_rules(data_dir) if one.key == key and not one.fault), None)


def keep(data_dir: Path, extends: str, title: str, options: Mapping[str, Any]) -> str:
    """Write the file; one of the same title is replaced. Its key. Raises OSError, RuleSetError, TooManyRulesError."""
    content = house_file(extends, title, options).encode()
    folder = data_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    known = {one.title: one.key for one in own_rules(data_dir)}
    key = known.get(title) or _free_key(folder, title)
    write_whole(folder / f"{key}.toml", content)
    return key


def forget(data_dir: Path, key: str) -> bool:
    """Delete the file of that key; False where it is missing. Raises OSError."""
    if key not in (one.key for one in own_rules(data_dir)):
        return False
    (data_dir / FOLDER / f"{key}.toml").unlink(missing_ok=True)
    return True


def _free_key(folder: Path, title: str) -> str:
    taken = {path.stem for path in folder.glob("*.toml")}
    if len(taken) >= MOST:
        raise TooManyRulesError
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().casefold()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "rules"
    return next(key for n in range(1, MOST + 2) if (key := stem if n == 1 else f"{stem}-{n}") not in taken)


def broken(data_dir: Path | None, report: Callable[[Repair], None]) -> list[Repair]:
    """Set each file aside that makes no sense, and report it; those that stay and cannot be used."""
    left = []
    for one in own_rules(data_dir):
        if not one.fault:
            continue
        aside = set_aside(data_dir / FOLDER / f"{one.key}.toml", "bad") if data_dir is not None and one.bad else None
        if aside is None:
            left.append(Repair("RULES_FILE", {"why": one.fault}))
        else:
            report(Repair("RULES_ASIDE", {"why": one.fault, "aside": aside.name}))
    return left


def _read(path: Path) -> OwnRules:
    """The file, read anew where it has changed."""
    try:
        stat = path.stat()
    except OSError as error:
        return OwnRules(path.stem, fault=f"{path.name}: {error.strerror or 'cannot be read'}")
    if not S_ISREG(stat.st_mode):
        return OwnRules(path.stem, fault=f"{path.name}: expected a file", bad=True)
    return _read_file(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=2 * MOST)
def _read_file(path: Path, _changed: int, size: int) -> OwnRules:
    try:
        if size > LARGEST:
            raise RuleSetError(f"expected at most {LARGEST} bytes")
        with path.open("rb") as file:
            content = file.read(LARGEST)
        written = loaded(content.decode())
        extends = written.pop("extends", None)
        if extends not in SHIPPED:
            raise RuleSetError(f"extends: expected one of {', '.join(SHIPPED)}")
        labels = {name: written.pop(name) for name in LABELS if name in written}
        options = {OPTION_NAMES.get(name, name): _plain(name, entry) for name, entry in written.items()}
        load_ruleset(extends, options)
    except OSError as error:
        return OwnRules(path.stem, fault=f"{path.name}: {error.strerror or 'cannot be read'}")
    except RuleSetError as error:
        return OwnRules(path.stem, fault=f"{path.name}: {error}", bad=True)
    except (ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        return OwnRules(path.stem, fault=f"{path.name}: expected TOML: {why}", bad=True)
    title = str(labels.get("title") or path.stem)[:LONGEST_TITLE]
    return OwnRules(path.stem, title, extends, options)


def _plain(name: str, entry: Any) -> Any:
    """The value alone: in a game's header what a house chooses is settled, so nothing there can be open."""
    if not (isinstance(entry, dict) and "value" in entry):
        return entry
    if entry.get("mark") == OPEN:
        raise RuleSetError(f"{name}.mark: expected a rule that this house has settled, not {OPEN}")
    return entry["value"]


setup = Blueprint("setup", __name__)


def seat_places(count: int, clockwise: bool) -> list[tuple[float, float]]:
    """The seats around the table of `setup.html`, in its SVG's units: the first one at the bottom, in order of play."""
    turns = (math.radians(90 + (360 if clockwise else -360) * i / count) for i in range(count))
    return [(200 + 168 * math.cos(turn), 130 + 104 * math.sin(turn)) for turn in turns]


@setup.get("/setup")
def ask() -> str:
    """The form for a new game."""
    own = find(app_state().data_dir, request.args.get("own", ""))
    chosen = rule_sets().get(request.args.get("rules", "")) if own is None else rule_sets()[own.extends]
    last = last_game()
    shown = {
        "all_rules": rule_sets(), "rules": chosen, "options": _options(chosen, own), "last": last,
        "seat_places": seat_places, "own": own, "differences": [] if own is None else _differences(own),
        "all_own": [(one, _differences(one)) for one in own_rules(app_state().data_dir)],
        "choice_of": choice_of, "most_dealt": most_dealt,
        "lengths": () if chosen is None else lengths_of(chosen, {} if own is None else own.options),
        "names": list(last["players"]) if last else [], "running": _running(), "tv": False,
    }  # fmt: skip
    return render_template("setup.html", **shown, **_camera())


def last_game() -> Mapping[str, Any] | None:
    """`game`, `rules`, `set`, `players` and `options` of the game on the table, else of the latest one. A time of day
    at which that one was to end goes once it has come: it was agreed on for that evening."""
    games = [app_state().game] if app_state().has_game else app_state().games(1)
    for game in games:
        known = app_state().known(game, now=True)
        last = None if known is None else known.summary
        if last is not None and last.rules in rule_sets():
            over = has_come(last.options.get(UNTIL), last.begun)
            options = {field: value for field, value in last.options.items() if not (over and field == UNTIL)}
            return {"game": game, "rules": last.rules, "set": last.set, "players": list(last.players),
                    "options": options}  # fmt: skip
    return None


def _running() -> list[str]:
    """The players of a game that a new one would put aside."""
    if not app_state().has_game:
        return []
    snapshot = app_state().session.snapshot()
    over = snapshot.phase == "match_over" or not snapshot.round
    return [] if over else list(snapshot.players)


def _options(chosen: RuleSetText | None, own: OwnRules | None = None) -> tuple[HouseOption, ...]:
    """The house rules that are offered; among their choices is what the house's own file says."""
    if chosen is None:
        return ()
    return options_of(chosen.name, {} if own is None else own.options)


def _differences(own: OwnRules) -> list[tuple[str, str]]:
    """Each question that the house answers otherwise, with its answer's words."""
    if own.fault:
        return []
    offered = {option.field: option for option in _options(rule_sets()[own.extends], own)}
    lengths = [(one.question, one.value) for one in lengths_of(rule_sets()[own.extends], own.options) if one.value]
    return lengths + [
        (offered[field].question, dict(offered[field].choices)[choice_of(field, value)])
        for field, value in own.options.items()
        if field in offered
    ]


@dataclass(frozen=True, slots=True)
class MatchLength:
    """One field of the set-up page that says how long a match lasts."""

    field: str
    question: str
    value: str
    """As the house's own rules have it."""
    otherwise: str
    """Its value where it is left empty."""
    is_time: bool


def lengths_of(rules: RuleSetText, own: Mapping[str, Any]) -> tuple[MatchLength, ...]:
    """The fields that these rules have, filled in as the house's `own` differ."""
    fields = offered_lengths(rules.family)
    return tuple(
        MatchLength(field, question_about(field), str(own.get(field) or ""), otherwise, field == UNTIL)
        for field, otherwise in fields.items()
    )


def lengths_chosen(fields: Mapping[str, Any], family: str) -> dict[str, int | str]:
    """The lengths of a form, without fields left empty. Raises FieldError."""
    names = {f"option_{field}": field for field in offered_lengths(family)}
    written = {name: field for name, field in names.items() if fields.get(name) not in (None, "")}
    return {field: _length(fields, name, field) for name, field in written.items()}


def _length(fields: Mapping[str, Any], name: str, field: str) -> int | str:
    if field != UNTIL:
        return number(fields, name, 1, MANY_TILES)
    try:
        return str(FIELDS[field].value(fields[name]))
    except ValueError:
        raise FieldError(name, _("Please enter a time of day, such as 22:30.")) from None


def _camera() -> dict[str, Any]:
    camera = app_state().camera
    if camera is None:
        return {"camera": None}
    return {"camera": {**camera.status(), "picture": camera.still() is not None}}


@setup.get("/camera.jpg")
@needs_pin
def camera_picture() -> Response:
    """The camera's picture of now, for placing it. Nothing is painted over: only for setting the table up."""
    camera = app_state().camera
    picture = None if camera is None else camera.still()
    if picture is None:
        raise NotFound(_("There is no picture from a camera."))
    response = Response(picture, mimetype="image/jpeg")
    response.headers["Cache-Control"] = "no-store"
    return response


@setup.post("/setup")
@setup.post("/api/games")
@changes
def start() -> AnyResponse:
    """Start a game; with `same_as` the same again."""
    fields = read_body(request)
    header = read_header(fields)
    if app_state().has_game:
        header |= colours_kept(header["players"], app_state().session.snapshot().seats)
    if app_state().repository is None or app_state().data_dir is None:
        raise Conflict(_("This page shows one game only. Start new games with `companion serve`."))
    try:
        with app_state().switching:
            expect_game(fields, app_state().game)
            name = app_state().start_game(header)
    except ValueError as refusal:
        raise BadRequest(translated(str(refusal))) from None
    except (JournalError, OSError) as fault:
        raise disk_fault(fault, _("The game could not be written to the disk: %(why)s")) from None
    unseated = (table := app_state().table) is not None and table.unseated()
    if wants_page():
        return redirect("/seats?next=/round-start" if unseated else "/round-start", 303)
    return jsonify({"game": name, "unseated": unseated})


@setup.post("/setup/rules.toml")
def own_file() -> Response:
    """The rules chosen on the set-up page as a file of the house's own, which `extends` the published ones."""
    rules, title, options = _own_choice(read_body(request))
    response = Response(house_file(rules.name, title, options), mimetype="application/toml")
    response.headers["Content-Disposition"] = "attachment; filename=our-table.toml"
    return response


@setup.post("/setup/rules")
@changes
def keep_rules() -> AnyResponse:
    """Keep the rules chosen on the box, to be offered at every set-up."""
    rules, title, options = _own_choice(read_body(request))
    try:
        key = keep(_data_dir(), rules.name, title, options)
    except TooManyRulesError:
        raise Conflict(_("There are too many rule files already. Forget one of them first.")) from None
    except OSError as fault:
        raise disk_fault(fault, _("The rules could not be written to the disk: %(why)s")) from None
    return redirect(f"/setup?own={key}", 303) if wants_page() else jsonify({"own": key})


@setup.post("/setup/rules/forget")
@changes
def forget_rules() -> AnyResponse:
    """Forget rules that were kept on the box, by their key `own`."""
    try:
        known = forget(_data_dir(), text(read_body(request), "own", longest=80))
    except OSError as fault:
        raise disk_fault(fault, _("The rules could not be deleted: %(why)s")) from None
    if not known:
        raise NotFound(_("These rules are not here any more."))
    return redirect("/setup", 303) if wants_page() else jsonify({"forgotten": True})


def _own_choice(fields: dict[str, Any]) -> tuple[RuleSetText, str, dict[str, Any]]:
    rules = _rules_of(fields)
    options = _chosen_options(fields, rules)
    _refuse_contradiction(rules, options)
    title = " ".join(text(fields, "title", longest=LONGEST_TITLE, default=_("Our table")).split())
    if not title:
        raise FieldError("title", _("Please fill this in."))
    return rules, title, options


def _rules_of(fields: dict[str, Any]) -> RuleSetText:
    rules = rule_sets().get(text(fields, "rules", longest=40))
    if rules is None:
        raise FieldError("rules", f"There are no rules called '{str(fields['rules'])[:40]}'.")
    return rules


def _data_dir() -> Path:
    if (data_dir := app_state().data_dir) is None:
        raise Conflict(_("This page shows one game only. Start new games with `companion serve`."))
    return data_dir


def read_header(fields: dict[str, Any]) -> dict[str, Any]:
    """The journal's header from the form (`player_1` ... and `option_*`) or from JSON (`players`, `options`)."""
    if fields.get("same_as"):
        return _same_as(text(fields, "same_as", longest=80))
    rules = _rules_of(fields)
    number = highest_double(fields.get("set"))
    named = {"set": f"double-{number}"} if type(number) is int else fields
    chosen_set = text(named, "set", default=rules.sets[0], longest=20)
    if chosen_set not in rules.sets:
        raise FieldError("set", f"{rules.name} is played with {' or '.join(rules.sets)}.")
    players = _players(fields, rules)
    options = _chosen_options(fields, rules)
    _refuse_contradiction(rules, options)
    _refuse_undealt(rules, chosen_set, len(players), options)
    if has_passed(until := options.get(UNTIL), datetime.now()):
        told = _("It is past %(time)s already. Please enter a later time, or leave the field empty.", time=until)
        raise FieldError(f"option_{UNTIL}", told)
    return {"rules": rules.name, "set": chosen_set, "players": players, "options": options}


def _same_as(game: str) -> dict[str, Any]:
    """The header of an earlier game: the same players play it again."""
    last = last_game()
    if last is None or last["game"] != game:
        raise Conflict(_("Another game is on the table now. Please look again."))
    return {name: last[name] for name in ("rules", "set", "players", "options")}


def _refuse_contradiction(rules: RuleSetText, options: dict[str, Any]) -> None:
    """Two house rules that do not go together are named by their questions."""
    try:
        load_ruleset(rules.name, options)
    except ContradictionError as fault:
        one, other = (_(question_about(field)) for field in fault.fields)
        sentence = _("These two house rules do not go together: %(one)s %(other)s", one=one, other=other)
        raise FieldError(f"option_{fault.fields[0]}", sentence) from None
    except RuleSetError as fault:
        raise BadRequest(translated(str(fault))) from None


def most_dealt(rules: RuleSetText, chosen_set: str, options: Mapping[str, Any]) -> int:
    """How many players the rules deal in with this set; where they say it for no number, as many as may play."""
    low, high = rules.players
    known = (n for n in range(high, low - 1, -1) if _dealing(rules, chosen_set, n, options).startswith("ok"))
    return next(known, high)


def _dealing(rules: RuleSetText, chosen_set: str, count: int, options: Mapping[str, Any]) -> str:
    """The referee's verdict on dealing this set to so many players."""
    question: dict[str, Any] = {"id": 0, "rules": rules.name, "players": count, "options": dict(options)}
    if rules.family == "chinese":
        question["kind"] = "cn_setup"
    else:
        question |= {"kind": "setup", "set": int(chosen_set.removeprefix("double-"))}
    return str(answer(question).get("verdict", ""))


def _refuse_undealt(rules: RuleSetText, chosen_set: str, count: int, options: Mapping[str, Any]) -> None:
    """So many players must be dealt in. Raises FieldError."""
    verdict = _dealing(rules, chosen_set, count, options)
    if verdict == "unsupported" and rules.family != "chinese" and "hand" not in options:
        raise FieldError(
            "option_hand", _("The rules do not say how many tiles %(count)s players get. Choose it here.", count=count)
        )
    if not verdict.startswith("ok"):
        raise FieldError("set", _("This set cannot be dealt to %(count)s players.", count=count))


def _players(fields: dict[str, Any], rules: RuleSetText) -> list[str]:
    given: Any = fields.get("players")
    if given is None:
        given = [fields.get(f"player_{i}") or "" for i in range(1, MOST_PLAYERS + 1)]
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise BadRequest("The players are a list of names.")
    names: list[str] = []
    last = 0
    for seat, written in enumerate(given, start=1):
        name = " ".join(written.split())
        if name:
            refuse_name(f"player_{seat}", name, names)
            names.append(name)
            last = seat
    low, high = rules.players
    if not low <= len(names) <= high:
        if low == high:
            sentence = _("These rules need exactly %(low)s players, not %(count)s.", low=low, count=len(names))
        else:
            sentence = _(
                "These rules need %(low)s to %(high)s players, not %(count)s.", low=low, high=high, count=len(names)
            )
        free = next((seat for seat, written in enumerate(given, start=1) if not written.strip()), last)
        raise FieldError(f"player_{free if len(names) < low else last}", sentence)
    return names


def players_of(fields: dict[str, Any], rules: str, chosen_set: str, options: Mapping[str, Any]) -> list[str]:
    """The players of a form for a game of these rules, who can be dealt in. Raises FieldError."""
    known = rule_sets().get(rules)
    if known is None:
        raise Conflict(_("That is not possible now."))
    players = _players(fields, known)
    _refuse_undealt(known, chosen_set, len(players), options)
    return players


def _own_of(fields: dict[str, Any], rules: RuleSetText) -> OwnRules:
    """The house's own rules that a form or a request names; without any, none that differ."""
    if not fields.get("own"):
        return OwnRules("")
    own = find(app_state().data_dir, text(fields, "own", longest=80))
    if own is None or own.extends != rules.name:
        raise FieldError("own", _("These rules are not here any more."))
    return own


def _chosen_options(fields: dict[str, Any], rules: RuleSetText) -> dict[str, Any]:
    own = _own_of(fields, rules)
    given = fields.get("options")
    if given is not None:
        if not isinstance(given, dict):
            raise BadRequest("The options are an object of names and values.")
        return {**own.options, **given}
    offered = _options(rules, own)
    # Fields that the form does not ask stay as the house's file has them.
    asked = {*(one.field for one in offered), *offered_lengths(rules.family)}
    chosen = {name: value for name, value in own.options.items() if name not in asked}
    chosen |= lengths_chosen(fields, rules.family)
    for option in offered:
        value = fields.get(f"option_{option.field}")
        if value in (None, "") or value == option.choices[0][0]:
            continue
        if value not in (choice for choice, _text in option.choices):
            raise FieldError(
                f"option_{option.field}", f"The house rule '{option.field}' has no choice '{str(value)[:40]}'."
            )
        chosen[option.field] = option_value(str(value))
    return chosen


changing_players = Blueprint("changing_players", __name__)

MOST_POINTS = 9999


@dataclass(frozen=True, slots=True)
class LineUp:
    """The players from now on."""

    players: tuple[str, ...]
    totals: dict[str, int]
    """The points that each has."""
    left: dict[str, int]
    """The points of players who have gone home by then."""
    effects: tuple[str, ...]


@changing_players.get("/players")
def ask_players() -> str:
    """The form for who plays on."""
    return _preview(request.args.to_dict()) if "player_1" in request.args and signed_in() else _page(_board())


@changing_players.post("/players")
@needs_pin
def preview() -> AnyResponse | str:
    """Preview the change of players."""
    return _preview(read_body(request))


def _preview(fields: dict[str, Any]) -> str:
    board = _board()
    wanted = change_of(fields, board)
    asked_as("/players", {name: str(value) for name, value in fields.items()})
    return _page(board, wanted)


@changing_players.post("/players/change")
@changes
def change() -> AnyResponse:
    """Go on with these players."""
    fields = read_body(request)
    board = _board()
    wanted = change_of(fields, board)
    rounds = (board.next.round if board.next else board.round or 1) - 1
    header: dict[str, Any] = {
        "rules": board.rules, "set": board.set, "players": list(wanted.players),
        "options": dict(board.options), **colours_kept(wanted.players, board.seats),
        "brought": {"rounds": rounds, "totals": wanted.totals, "left": wanted.left, **_starter(board, wanted.players)},
    }  # fmt: skip
    try:
        with app_state().switching:
            expect_game(fields, app_state().game)
            app_state().start_game(header)
    except ValueError as refusal:
        raise BadRequest(translated(str(refusal))) from None
    except (JournalError, OSError) as fault:
        raise disk_fault(fault, _("The game could not be written to the disk: %(why)s")) from None
    table = app_state().table
    return redirect("/seats?next=/round-start" if table is not None and table.unseated() else "/round-start", 303)


def _starter(board: GameView, players: Collection[str]) -> dict[str, str]:
    """`starter` of the next round, as the match has named it; of whoever went home the next in turn who stays. Nothing
    where nobody is named."""
    named = board.next.starter if board.next else board.starter
    place = board.players.index(named) if named in board.players else len(board.players)
    row = (*board.players[place:], *board.players[:place]) if named else ()
    stays = next((name for name in row if name in players), None)
    return {} if stays is None else {"starter": stays}


def _board() -> GameView:
    board = app_state().session.snapshot()
    if board.phase == "match_over":
        raise Conflict(_("The match is over. Begin a new game."))
    if app_state().repository is None or app_state().data_dir is None:
        raise Conflict(_("This page shows one game only. Start new games with `companion serve`."))
    return board


def average(board: GameView) -> int:
    """With what a newcomer begins if nothing else is said: what the others have on average."""
    return round(mean(row.total for row in board.scores)) if board.scores else 0


def change_of(fields: dict[str, Any], board: GameView) -> LineUp:
    """From the fields `player_1` ... and `points`, which newcomers begin with. Raises FieldError, BadRequest."""
    players = tuple(players_of(fields, board.rules, board.set, board.options))
    before = {row.seat.name: row.total for row in board.scores}
    joined = [name for name in players if name not in before and name not in board.left]
    back = [name for name in players if name in board.left]
    gone = [name for name in before if name not in players]
    points = number(fields, "points", -MOST_POINTS, MOST_POINTS) if joined else 0
    effects = [_("%(name)s joins and begins with %(points)s points.", name=name, points=points) for name in joined]
    effects += [_("%(name)s is back, with %(points)s points.", name=name, points=board.left[name]) for name in back]
    effects += [
        _("%(name)s goes home with %(points)s points, which stay on the sheet.", name=name, points=before[name])
        for name in gone
    ]
    stay = [name for name in before if name in players]
    if [name for name in players if name in before] != stay:
        effects.append(_("The seats are now: %(names)s.", names=listed(players)))
    if not effects:
        raise BadRequest(_("Nothing would change."))
    effects.append(_("Everybody else keeps their points."))
    if board.phase in ("playing", "round_over"):
        effects.append(_("The round on the table is not counted and is dealt again."))
    known = {**board.left, **before}
    left = {name: total for name, total in known.items() if name not in players}
    return LineUp(players, {name: known.get(name, points) for name in players}, left, tuple(effects))


def _page(board: GameView, wanted: LineUp | None = None) -> str:
    there, known = len(board.seats), rule_sets().get(board.rules)
    dealt = MOST_PLAYERS if known is None else most_dealt(known, board.set, board.options)
    most = max(there, min(dealt, max(there + 2, 4)))
    return render_template(
        "players.html",
        board=board,
        change=wanted,
        most=most,
        points=request.values.get("points") or average(board),
        tv=False,
    )
