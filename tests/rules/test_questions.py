"""The form of a question to the referee. No question, however wrong, brings it down."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli.judging import judge
from companion.judge_api.definitions import kinds
from companion.judge_api.questions import answer
from tests.rules.test_examples import BASE, EXAMPLES, FOUR

TURN: dict[str, Any] = {"id": 1, "kind": "turn", "rules": "tactic", "state": BASE, "action": "play 8-3@Cy; end"}


def changed(**fields: Any) -> dict[str, Any]:
    return {**TURN, **fields}


def with_state(**fields: Any) -> dict[str, Any]:
    return {**TURN, "state": {**BASE, **fields}}


def without(question: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in question.items() if name != field}


def test_unknown_fields_are_ignored() -> None:
    assert answer({**TURN, "mood": "good", "state": {**BASE, "weather": "rain"}})["verdict"] == "legal"


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (changed(optoins={"draw": 2}), "optoins: unknown; is options meant?"),
        (with_state(roud=3), "state.roud: unknown; is round meant?"),
        (changed(state={}), "state.set, state.players, state.engine, state.trains, state.markers, state.open, "),
        ({"id": 1, "kind": "turn"}, "rules: missing"),
    ],
)
def test_a_misspelt_field_and_all_that_are_missing_are_named(question: dict[str, Any], says: str) -> None:
    assert answer(question)["error"].startswith(says)


@pytest.mark.parametrize("name", ["x", "", 0, 7, 1.5, "ä"])
def test_the_id_is_echoed(name: Any) -> None:
    assert answer(changed(id=name))["id"] == name
    assert answer(changed(id=name, kind="?"))["id"] == name


@pytest.mark.parametrize("field", ["id", "kind", "rules", "state", "action"])
def test_a_missing_field_of_the_question_is_named(field: str) -> None:
    told = answer(without(TURN, field))
    assert set(told) == {"id", "error"} and told["error"].startswith(field)


@pytest.mark.parametrize(
    "field", ["set", "players", "engine", "trains", "markers", "open", "turn", "first_turn", "boneyard"]
)
def test_a_missing_field_of_the_state_is_named(field: str) -> None:
    told = answer(changed(state=without(BASE, field)))
    assert told == {"id": 1, "error": f"state.{field}: missing"}


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (None, "question: expected an object"),
        ([TURN], "question: expected an object"),
        (changed(id=None), "id"),
        (changed(id=True), "id"),
        (changed(id=[1]), "id"),
        (changed(kind="Turn"), "kind"),
        (changed(kind=3), "kind"),
        (changed(kind=["turn"]), "kind"),
        (changed(rules="chess"), "rules"),
        (changed(rules=None), "rules"),
        (changed(rules="jielong"), "rules: expected one of tactic"),
        (changed(rules="/etc/passwd.toml"), "rules"),
        (changed(options=[]), "options"),
        (changed(options={"arms": 2}), "options.arms"),
        (changed(options={"first_draw": 1}), "options.first_draw"),
        (changed(options={"order": "up"}), "options.order"),
        (changed(state=[]), "state: expected an object"),
        (changed(action=["play 8-3@Cy"]), "action"),
        (changed(action="play 8/3@Cy"), "action"),
        (changed(action="play 8:3@Cy"), "action"),
        (changed(action="play 8-3"), "action"),
        (changed(action="play 8-3@Zed"), "action"),
        (changed(action="mark Zed"), "action"),
        (changed(action="flip Zed"), "action"),
        (changed(action="shout"), "action"),
        (changed(action="end; play 8-3@Cy"), "action"),
        (changed(after_round_end="yes"), "after_round_end"),
        (with_state(set="twelve"), "state.set"),
        (with_state(set=True), "state.set"),
        (with_state(set=12.0), "state.set"),
        (with_state(set=-1), "state.set"),
        (with_state(players="Ann"), "state.players"),
        (with_state(players=[]), "state.players"),
        (with_state(players=["Ann", "Ann", "Cy"]), "state.players"),
        (with_state(players=["Ann", "MX", "Cy"]), "state.players"),
        (with_state(players=["Ann", 2, "Cy"]), "state.players"),
        (with_state(engine="12"), "state.engine"),
        (with_state(engine="12-12 12-1"), "state.engine"),
        (with_state(engine=[12, 12]), "state.engine"),
        (with_state(trains=[]), "state.trains"),
        (with_state(trains={"Zed": ""}), "state.trains"),
        (with_state(trains={"Ann": "12-4,4-9"}), "state.trains.Ann"),
        (with_state(trains={"Ann": 4}), "state.trains.Ann"),
        (with_state(markers="Cy"), "state.markers"),
        (with_state(markers=["Zed"]), "state.markers"),
        (with_state(markers=[["Cy"]]), "state.markers"),
        (with_state(open=["Zed"]), "state.open"),
        (with_state(open={"Ann": 1}), "state.open"),
        (with_state(flipped=["Zed"]), "state.flipped"),
        (with_state(turn="Zed"), "state.turn"),
        (with_state(turn=None), "state.turn"),
        (with_state(first_turn=0), "state.first_turn"),
        (with_state(boneyard=-1), "state.boneyard"),
        (with_state(boneyard=True), "state.boneyard"),
        (with_state(boneyard="31"), "state.boneyard"),
        (with_state(hands={"Zed": 1}), "state.hands"),
        (with_state(hands={"Cy": True}), "state.hands"),
        (with_state(hands=[1]), "state.hands"),
        (with_state(round=0), "state.round"),
        (with_state(first_engine="12"), "state.first_engine"),
    ],
)
def test_a_wrong_question_is_refused_with_the_field(question: Any, says: str) -> None:
    told = answer(question)
    assert set(told) == {"id", "error"}
    assert says in told["error"] and "\n" not in told["error"]


HOME = 'extends = "reeves"\ntitle = "At home"\ndouble_blank = 25\n'


@pytest.fixture
def home(tmp_path: Path) -> Callable[[str | bytes], str]:
    """Writes a house's own file; its path."""

    def write(content: str | bytes) -> str:
        path = tmp_path / "home.toml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


class TestAHousesOwnFile:
    def test_its_rules_are_judged_by(self, home: Callable[[str | bytes], str]) -> None:
        hands = {"Ann": [], "Ben": ["0-0", "7-1"]}
        asked = {"id": 1, "kind": "score", "rules": home(HOME), "hands": hands}
        assert answer(asked)["scores"] == {"Ann": 0, "Ben": 33}
        assert answer({**asked, "options": {"double_blank": 0}})["scores"] == {"Ann": 0, "Ben": 8}

    def test_what_it_chose_is_settled_and_explained_as_its_own(self, home: Callable[[str | bytes], str]) -> None:
        trains = {**BASE["trains"], "Ben": "12-10 10-10", "MX": "12-6 6-6"}
        asked = with_state(trains=trains, open=["MX", "Ben"]) | {"action": "play 6-3@MX; end"}
        assert answer({**asked, "rules": home(HOME)})["codes"] == []
        told = answer({**asked, "rules": home(f'{HOME}close_order = "lifo"\n')}, explain=True)
        assert told["codes"] == ["DOUBLE_ORDER"]
        assert "the last one played comes first" in told["reasons"][0]["rule"]
        assert told["reasons"][0]["source"].startswith("003, At home: ") and "house" in told["reasons"][0]["source"]

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (f"{HOME}duble_blank = 5\n", "duble_blank: no such field"),
            (f'{HOME}close_order = "sideways"\n', "close_order: expected one of any, single, fifo, lifo, either, not"),
            (f"{HOME}close_order =\n", "expected TOML"),
            (f'{HOME}close_order = "any"\n', "extra_in_order and close_order"),
            ('extends = "chess"\n', 'extends: no rule set "chess"'),
            ('extends = "a\\u0000.toml"\n', "expected the path of a .toml file"),
            (HOME + "#" * 70_000, "expected at most 65536 characters"),
            (b"\xff\xfe", "expected UTF-8"),
            ('extends = "kkori"\n', "rules: expected one of tactic, reeves"),
        ],
    )
    def test_a_bad_one_gets_one_line(self, home: Callable[[str | bytes], str], content: str | bytes, says: str) -> None:
        told = answer(changed(rules=home(content)))
        assert set(told) == {"id", "error"}
        assert told["error"].startswith("rules: ") and says in told["error"] and "\n" not in told["error"]

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("nowhere.toml", "rules: nowhere.toml: No such file or directory"),
            ("home.txt", 'rules: no rule set "home.txt", expected one of tactic'),
            ("a\0.toml", "rules: expected the path of a .toml file"),
            ("\ud800.toml", "rules: expected the path of a .toml file"),
            ("x" * 9000 + ".toml", "rules: "),
            ({"a": 1}, "rules: expected a text"),
        ],
    )
    def test_one_that_is_not_there_gets_one_line(self, name: Any, says: str) -> None:
        told = answer(changed(rules=name))
        assert set(told) == {"id", "error"} and told["error"].startswith(says) and "\n" not in told["error"]

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        (tmp_path / "home.toml").mkdir()
        assert "expected a rule set" in answer(changed(rules=str(tmp_path / "home.toml")))["error"]


@pytest.mark.parametrize(
    ("kind", "rules", "fields", "says"),
    [
        ("setup", "tactic", {"set": 12, "players": ["Ann", "Ben"]}, "players"),
        ("setup", "tactic", {"set": 12, "players": True}, "players"),
        ("setup", "tactic", {"players": 4}, "set: missing"),
        ("dead", "tactic", {"state": BASE}, "train: missing"),
        ("dead", "tactic", {"state": BASE, "train": "Zed"}, "train"),
        ("score", "cz", {}, "hands: missing"),
        ("score", "cz", {"hands": {}}, "hands"),
        ("score", "cz", {"hands": {"Ann": "4-4"}}, "hands.Ann"),
        ("score", "cz", {"hands": {"Ann": ["4:4"]}}, "hands.Ann"),
        ("score", "cz", {"hands": {"Ann": [[4, 4]]}}, "hands.Ann"),
        ("score", "cz", {"hands": {"Ann": []}, "mode": "best"}, "mode"),
        ("score", "cz", {"hands": {"Ann": []}, "end": "out"}, "end"),
        ("score", "cz", {"hands": {"Ann": []}, "out": "Zed"}, "out"),
        ("score", "cz", {"hands": {"Ann": ["4-4"]}, "mode": "winner_takes"}, "out"),
        ("match", "cz", {"totals": {}}, "totals"),
        ("match", "cz", {"totals": {"Ann": "3"}}, "totals"),
        ("match", "cz", {"totals": {"Ann": False}}, "totals"),
        ("round_end", "cz", {"order": FOUR, "lap": 0, "moved": [], "out": None}, "lap"),
        ("round_end", "cz", {"order": FOUR, "lap": 1, "moved": ["Zed"], "out": None}, "moved"),
        ("round_end", "cz", {"order": FOUR, "lap": 1, "moved": []}, "out: missing"),
        ("round_end", "cz", {"order": FOUR, "lap": 1, "moved": [], "out": "Zed"}, "out"),
        ("announce", "cz", {}, "hand_after"),
        ("announce", "cz", {"hand_after": -1}, "hand_after"),
        ("audit", "cz", {"ends": ["5"], "later_played": [], "declared": [], "draws_after": 0}, "ends"),
        ("audit", "cz", {"ends": [], "later_played": ["5"], "declared": [], "draws_after": 0}, "later_played"),
        ("audit", "cz", {"ends": [], "later_played": [], "declared": [], "draws_after": None}, "draws_after"),
        ("audit", "cz", {"decision": "nap", "ends": [], "later_played": [], "declared": []}, "decision"),
        ("inference", "cz", {"before": BASE, "delta": ["10-3@Ben"], "expected_player": "Ben"}, "delta"),
        ("inference", "cz", {"before": BASE, "delta": ["+10-3@Zed"], "expected_player": "Ben"}, "delta"),
        ("inference", "cz", {"before": BASE, "delta": "+10-3@Ben", "expected_player": "Ben"}, "delta"),
        ("inference", "cz", {"before": BASE, "delta": [7], "expected_player": "Ben"}, "delta"),
        ("inference", "cz", {"before": BASE, "delta": [], "expected_player": "Zed"}, "expected_player"),
        ("cn_turn", "tactic", {"state": {"players": FOUR, "line": ""}, "action": "pass"}, "rules"),
        ("cn_turn", "kkori", {"state": {"players": 4, "line": ""}, "action": "pass"}, "state.players"),
        ("cn_turn", "kkori", {"state": {"players": FOUR, "line": "2-6"}, "action": "pass"}, "state.line"),
        ("cn_turn", "kkori", {"state": {"players": FOUR, "line": ""}, "action": "play 2:6@Ann"}, "action"),
        ("cn_turn", "kkori", {"state": {"players": FOUR, "line": ""}, "action": "play 2-6@R"}, "action"),
        ("cn_turn", "kkori", {"state": {"players": FOUR, "line": ""}, "action": "draw"}, "action"),
        ("cn_turn", "kkori", {"options": {"arms": 3}, "state": {}, "action": "pass"}, "options.arms"),
        ("cn_setup", "kkori", {}, "players"),
        ("cn_setup", "kkori", {"players": 4, "hand": []}, "players"),
        ("cn_setup", "kkori", {"hand": ["1-1"]}, "hand"),
        ("cn_settle", "kkori", {"order": FOUR, "pips": {"Ann": 1}}, "pips"),
        ("cn_settle", "kkori", {"order": ["Ann"], "pips": {"Ann": 1, "Zed": 2}}, "pips"),
        ("cn_settle", "kkori", {"order": ["Ann"], "pips": {"Ann": -1}}, "pips"),
        ("cn_settle", "kkori", {"order": ["Ann"], "pips": {"Ann": 1}, "discards": {}}, "discards"),
        ("cn_settle", "kkori", {"order": ["Ann"], "pips": {"Ann": 1}, "mode": "chips"}, "mode"),
        ("cn_audit", "kkori", {"ends": [5], "later_played": ["1-5"], "declared": []}, "later_played"),
        ("cn_block", "kkori", {"line": "2:6", "arms": 0}, "arms"),
        ("cn_block", "kkori", {"line": "2:6", "players": FOUR}, "players"),
        ("cn_block", "kkori", {}, "line"),
    ],
)
def test_every_kind_refuses_what_it_cannot_read(kind: str, rules: str, fields: dict[str, Any], says: str) -> None:
    told = answer({"id": 1, "kind": kind, "rules": rules, **fields})
    assert set(told) == {"id", "error"}
    assert told["error"].startswith(says)


def test_every_kind_has_an_example() -> None:
    assert {kind for kind, _, _, _ in EXAMPLES} == set(kinds())


def test_no_mangled_question_brings_the_referee_down() -> None:
    """Every example with one value anywhere in it replaced by something else: an answer or an error, never a fall."""
    chance = random.Random(20)
    strange = [None, True, False, 0, -1, 1.5, 10**30, "", "MX", "Ann", "5-5", "x" * 500, [], {}, [None], {"Ann": []}]
    for kind, rules, fields, _ in EXAMPLES:
        question = {"id": 1, "kind": kind, "rules": rules, **fields}
        for place in _places(question):
            mangled = json.loads(json.dumps(question))
            _put(mangled, place, chance.choice(strange))
            told = answer(mangled, explain=chance.random() < 0.5)
            assert json.loads(json.dumps(told, allow_nan=False)) == told
            assert "error" not in told or ("\n" not in told["error"] and set(told) == {"id", "error"})


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    places = [path] if path else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        places.extend(_places(item, (*path, key)))
    return places


def _put(question: Any, place: tuple[Any, ...], value: Any) -> None:
    for key in place[:-1]:
        question = question[key]
    question[place[-1]] = value


def test_an_explanation_gives_each_code_a_reason() -> None:
    told = answer({**TURN, "action": "play 9-2@Ann; mark Cy; end"}, explain=True)
    assert [reason["code"] for reason in told["reasons"]] == ["CLOSED_TRAIN", "MARKER_UNEARNED"]
    closed = told["reasons"][0]
    assert closed["sentence"] == "Cy played 9-2 on Ann's train, which is closed to others."
    assert closed["certain"] is True and closed["source"].startswith("004")
    assert answer(TURN, explain=True)["reasons"] == []
    assert "reasons" not in answer(TURN)


def test_a_table_s_explanation_names_the_tile() -> None:
    state = {**BASE, "trains": {"Ann": "12-4 5-9", "Ben": "", "Cy": "", "MX": ""}}
    told = answer({"id": 1, "kind": "state", "rules": "cz", "state": state}, explain=True)
    assert told["reasons"][0]["sentence"] == "5-9 does not match the half that it touches."


def test_a_vanished_tile_s_explanation_names_tile_and_train_and_nobody() -> None:
    asked = {"before": BASE, "delta": ["-1-8@Cy"], "expected_player": "Cy"}
    told = answer({"id": 1, "kind": "inference", "rules": "cz", **asked}, explain=True)
    assert told["explanations"] == ["!TILE_MOVED by ?"]
    assert told["reasons"][0]["sentence"] == "1-8 was moved from its place on Cy's train."


def test_an_empty_delta_needs_no_explanation() -> None:
    for delta in ([], ["boneyard-0"]):
        asked = {"before": BASE, "delta": delta, "expected_player": "Cy"}
        told = answer({"id": 1, "kind": "inference", "rules": "cz", **asked})
        assert told == {"id": 1, "explainable": True, "explanations": []}


class TestTheCommand:
    def ask(self, *lines: bytes | dict[str, Any], explain: bool = False) -> tuple[int, list[dict[str, Any]]]:
        fed = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        done = CliRunner().invoke(judge, ["--explain"] if explain else [], input=fed)
        return done.exit_code, [json.loads(line) for line in done.stdout_bytes.decode().splitlines()]

    def test_questions_are_answered_in_order(self) -> None:
        status, told = self.ask(changed(id="a"), changed(id="b", action="end"))
        assert status == 0
        assert [(each["id"], each["verdict"]) for each in told] == [("a", "legal"), ("b", "illegal")]

    def test_a_refused_question_makes_the_status_one_and_the_next_goes_on(self) -> None:
        status, told = self.ask(changed(id="a", kind="?"), changed(id="b"))
        assert status == 1
        assert "error" in told[0] and told[1]["verdict"] == "legal"

    def test_empty_lines_are_skipped(self) -> None:
        assert self.ask(b"", b"  \r", TURN, b"")[1][0]["verdict"] == "legal"
        assert self.ask(b"", b"") == (0, [])

    @pytest.mark.parametrize(
        "line",
        [
            b"[]",
            b"3",
            b"null",
            b"{",
            b"not json",
            b'{"id": 1, "kind": "announce", "rules": "cz", "hand_after": NaN}',
            b'{"id": 1, "kind": "announce", "rules": "cz", "hand_after": -Infinity}',
            b'{"id": 1e999}',
            b'{"id": ' + b"9" * 5000 + b"}",
            b'{"id": "\xff"}',
            b"[" * 100_000,
            b"\x00",
        ],
    )
    def test_a_line_that_is_no_question_gets_an_error_and_no_id(self, line: bytes) -> None:
        status, told = self.ask(line, TURN)
        assert status == 1
        assert told[0]["id"] is None and told[0]["error"].startswith("question: ")
        assert told[1]["verdict"] == "legal"

    def test_names_come_back_as_they_were_written(self) -> None:
        question = {"id": "№1", "kind": "match", "rules": "cz", "totals": {"Ганна": 3, "Олег": 5}}
        done = CliRunner().invoke(judge, input=json.dumps(question))
        assert done.stdout_bytes.decode() == '{"id": "№1", "winner": "Ганна"}\n'

    def test_half_a_surrogate_pair_still_makes_a_line(self) -> None:
        assert self.ask(b'{"id": "\\ud800", "kind": "?"}')[1][0]["id"] == "\ud800"

    def test_explanations_are_given_on_demand(self) -> None:
        assert self.ask(changed(action="end"), explain=True)[1][0]["reasons"]
