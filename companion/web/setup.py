"""Setting up a game in a minute: rules, set, players in their seats, house rules, start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.journal import JournalError
from companion.questions import answer
from companion.ruleset import house_file, load_ruleset
from companion.ruleset_fields import ContradictionError, RuleSetError
from companion.web.access import needs_pin, wants_page
from companion.web.api import house
from companion.web.body import MAX_NAME, read_body, text
from companion.web.changing import changes, expect_game
from companion.web.disk import disk_fault
from companion.web.drawing import seat_map
from companion.web.languages import gettext as _
from companion.web.look_alikes import skeleton
from companion.web.refusals import say
from companion.web.returned import FieldError
from companion.web.rule_words import QUESTIONS, RULES, HouseOption, RuleWords, option_value, options_of

setup = Blueprint("setup", __name__)

MOST_PLAYERS = 12
RESERVED = frozenset({"MX", "MX2", "R", "L"})


@setup.get("/setup")
def ask() -> str:
    chosen = RULES.get(request.args.get("rules", ""))
    last = _last_game()
    shown = {
        "all_rules": RULES, "rules": chosen, "options": _options(chosen), "seat_map": seat_map, "last": last,
        "names": list(last["players"]) if last else [], "running": _running(), "tv": False,
    }  # fmt: skip
    return render_template("setup.html", **shown, **_camera())


def _last_game() -> Mapping[str, Any] | None:
    """`game`, `rules`, `set`, `players` and `options` of the game on the table, else of the latest one."""
    games = [house().game] if house().has_game else house().games()[:1]
    for game in games:
        try:
            session = house().look_up(game)
        except (OSError, ValueError, JournalError):
            continue
        snapshot = {} if session is None else session.snapshot()
        if snapshot.get("rules") in RULES:
            return {"game": game, **{name: snapshot[name] for name in ("rules", "set", "players")},
                    "options": snapshot.get("options") or {}}  # fmt: skip
    return None


def _running() -> list[str]:
    """The players of a game that a new one would put aside."""
    if not house().has_game:
        return []
    snapshot = house().session.snapshot()
    over = snapshot.get("phase") == "match_over" or not snapshot.get("round")
    return [] if over else [str(name) for name in snapshot.get("players") or ()]


def _options(chosen: RuleWords | None) -> tuple[HouseOption, ...]:
    return () if chosen is None else options_of(chosen.name)


def _camera() -> dict[str, Any]:
    camera = house().camera
    if camera is None:
        return {"camera": None}
    return {"camera": {**camera.status(), "picture": camera.still() is not None}}


@setup.get("/camera.jpg")
@needs_pin
def camera_picture() -> Response:
    """What the camera sees now, for placing it. Nothing is painted over: only for whoever sets the table up."""
    camera = house().camera
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
    fields = read_body(request)
    header = read_header(fields)
    if house().workshop is None or house().data_dir is None:
        raise Conflict(_("This page shows one game only. Start new games with `companion serve`."))
    try:
        with house().switching:
            expect_game(fields, house().game)
            name = house().start_game(header)
    except ValueError as refusal:
        raise BadRequest(say(str(refusal))) from None
    except (JournalError, OSError) as fault:
        raise disk_fault(fault, _("The game could not be written to the disk: %(why)s")) from None
    unseated = (table := house().table) is not None and table.unseated()
    if wants_page():
        return redirect("/seats?next=/round-start" if unseated else "/round-start", 303)
    return jsonify({"game": name, "unseated": unseated})


@setup.post("/setup/rules.toml")
def own_rules() -> Response:
    """The rules chosen on the set-up page as a file of the house's own, which `extends` the published ones."""
    fields = read_body(request)
    rules = RULES.get(text(fields, "rules", longest=40))
    if rules is None:
        raise FieldError("rules", f"There are no rules called '{str(fields['rules'])[:40]}'.")
    options = _chosen_options(fields, rules)
    _refuse_contradiction(rules, options)
    written = house_file(rules.name, _("Our table"), options)
    response = Response(written, mimetype="application/toml")
    response.headers["Content-Disposition"] = "attachment; filename=our-table.toml"
    return response


def read_header(fields: dict[str, Any]) -> dict[str, Any]:
    """The journal's header from the form (`player_1` ... and `option_*`) or from JSON (`players`, `options`)."""
    if fields.get("same_as"):
        return _same_as(text(fields, "same_as", longest=80))
    rules = RULES.get(text(fields, "rules", longest=40))
    if rules is None:
        raise FieldError("rules", f"There are no rules called '{str(fields['rules'])[:40]}'.")
    chosen_set = text(fields, "set", default=rules.sets[0], longest=20)
    if chosen_set not in rules.sets:
        raise FieldError("set", f"{rules.name} is played with {' or '.join(rules.sets)}.")
    players = _players(fields, rules)
    options = _chosen_options(fields, rules)
    _refuse_contradiction(rules, options)
    _refuse_undealt(rules, chosen_set, len(players), options)
    return {"rules": rules.name, "set": chosen_set, "players": players, "options": options}


def _same_as(game: str) -> dict[str, Any]:
    """The header of an earlier game: the same players play it again."""
    last = _last_game()
    if last is None or last["game"] != game:
        raise Conflict(_("Another game is on the table now. Please look again."))
    return {name: last[name] for name in ("rules", "set", "players", "options")}


def _refuse_contradiction(rules: RuleWords, options: dict[str, Any]) -> None:
    """Two house rules that do not go together are named by their questions."""
    try:
        load_ruleset(rules.name, options)
    except ContradictionError as fault:
        one, other = (_(QUESTIONS.get(field, field)) for field in fault.fields)
        sentence = _("These two house rules do not go together: %(one)s %(other)s", one=one, other=other)
        raise FieldError(f"option_{fault.fields[0]}", sentence) from None
    except RuleSetError as fault:
        raise BadRequest(say(str(fault))) from None


def _refuse_undealt(rules: RuleWords, chosen_set: str, count: int, options: dict[str, Any]) -> None:
    """Ask the referee whether so many players can be dealt in at all."""
    question: dict[str, Any] = {"id": 0, "rules": rules.name, "players": count, "options": options}
    if rules.family == "chinese":
        question["kind"] = "cn_setup"
    else:
        question |= {"kind": "setup", "set": int(chosen_set.removeprefix("double-"))}
    if not str(answer(question).get("verdict", "")).startswith("ok"):
        raise FieldError("set", _("This set cannot be dealt to %(count)s players.", count=count))


def _players(fields: dict[str, Any], rules: RuleWords) -> list[str]:
    given: Any = fields.get("players")
    if given is None:
        given = [fields.get(f"player_{i}") or "" for i in range(1, MOST_PLAYERS + 1)]
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise BadRequest("The players are a list of names.")
    names: list[str] = []
    for seat, written in enumerate(given, start=1):
        name = " ".join(written.split())
        if name:
            _refuse_name(f"player_{seat}", name, names)
            names.append(name)
    low, high = rules.players
    if not low <= len(names) <= high:
        if low == high:
            sentence = _("These rules need exactly %(low)s players, not %(count)s.", low=low, count=len(names))
        else:
            sentence = _(
                "These rules need %(low)s to %(high)s players, not %(count)s.", low=low, high=high, count=len(names)
            )
        raise FieldError(f"player_{min(len(given), len(names) + 1)}", sentence)
    return names


def _refuse_name(field: str, name: str, earlier: Sequence[str]) -> None:
    if len(name) > MAX_NAME:
        raise FieldError(field, _("A player's name has at most 24 letters."))
    if name.upper() in RESERVED:
        raise FieldError(field, _("%(name)s cannot be a player's name here.", name=name))
    if name.casefold() in (other.casefold() for other in earlier):
        raise FieldError(field, _("Two players have the same name."))
    for other in earlier:
        if skeleton(name) == skeleton(other):
            sentence = _(
                "%(one)s and %(other)s look the same on the screen. Write one of them otherwise.", one=other, other=name
            )
            raise FieldError(field, sentence)


def _chosen_options(fields: dict[str, Any], rules: RuleWords) -> dict[str, Any]:
    given = fields.get("options")
    if given is not None:
        if not isinstance(given, dict):
            raise BadRequest("The options are an object of names and values.")
        return given
    chosen = {}
    for option in _options(rules):
        value = fields.get(f"option_{option.field}")
        if value in (None, "") or value == option.choices[0][0]:
            continue
        if value not in (choice for choice, _words in option.choices):
            raise FieldError(
                f"option_{option.field}", f"The house rule '{option.field}' has no choice '{str(value)[:40]}'."
            )
        chosen[option.field] = option_value(str(value))
    return chosen
