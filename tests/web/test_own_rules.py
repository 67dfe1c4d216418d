"""Rules of the house: kept on the box, offered at set-up, played, and forgotten again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeSession
from companion.rules.ruleset import load_ruleset
from companion.web.setup import MOST, find, forget, keep, own_rules
from companion.web.texts import question_about, rule_sets
from tests.web.reading import words

FOUR = {f"player_{n}": name for n, name in enumerate(("Ann", "Ben", "Cyril", "Dorothea"), start=1)}
KITCHEN = {"rules": "tactic", "title": "Our kitchen", "option_double_blank": "25", "option_announce": "tap_or_say"}


def put(data: Path, name: str, content: str) -> None:
    (data / "rules").mkdir(exist_ok=True)
    (data / "rules" / name).write_text(content, encoding="utf-8")


def newest_options(data: Path) -> Any:
    journal = max((data / "games").glob("*/journal.jsonl"))
    return json.loads(journal.read_text(encoding="utf-8").splitlines()[0])["options"]


def test_rules_are_kept_offered_chosen_and_forgotten(keeper: FlaskClient, tmp_path: Path) -> None:
    kept = keeper.post("/setup/rules", data=KITCHEN, headers={"Accept": "text/html"})
    assert (kept.status_code, kept.location) == (303, "/setup?own=our-kitchen")
    assert load_ruleset(tmp_path / "rules" / "our-kitchen.toml").double_blank == 25
    page = words(keeper.get("/setup").text)
    assert "Our kitchen" in page and f"{question_about('double_blank')} 25" in page
    form = words(keeper.get("/setup?own=our-kitchen").text)
    assert '<option value="25" selected>' in form and '<option value="tap_or_say" selected>' in form
    assert f"<li>{question_about('double_blank')} 25</li>" in form
    assert not any(sentence in form for sentence in rule_sets()["tactic"].special), "they may not hold any more"
    forgotten = keeper.post("/setup/rules/forget", data={"own": "our-kitchen"}, headers={"Accept": "text/html"})
    assert (forgotten.status_code, forgotten.location) == (303, "/setup")
    assert "Our kitchen" not in keeper.get("/setup").text
    assert keeper.post("/setup/rules/forget", json={"own": "our-kitchen"}).status_code == 404


def test_a_game_by_own_rules_carries_them_in_its_header(keeper: FlaskClient, tmp_path: Path) -> None:
    put(tmp_path, "club.toml", 'extends = "tactic"\ntitle = "Club"\ndouble_blank = 33\n[hand_table.value.12]\n4 = 11\n')
    assert '<option value="33" selected>' in keeper.get("/setup?own=club").text
    started = keeper.post("/setup", data={"rules": "tactic", "own": "club", "option_double_blank": "33", **FOUR})
    assert started.status_code in (200, 303), started.text
    assert newest_options(tmp_path) == {"double_blank": 33, "hand_table": {"12": {"4": 11}}}


def test_the_form_may_change_what_the_file_says_for_one_evening(keeper: FlaskClient, tmp_path: Path) -> None:
    keep(tmp_path, "tactic", "Club", {"double_blank": 25})
    body = {"rules": "tactic", "own": "club", "players": list(FOUR.values()), "option_double_blank": "0"}
    assert keeper.post("/api/games", json=body).status_code == 200
    assert newest_options(tmp_path) == {}
    also = {"rules": "tactic", "own": "club", "players": list(FOUR.values()), "options": {"announce": "none"}}
    assert keeper.post("/api/games", json=also).status_code == 200
    assert newest_options(tmp_path) == {"double_blank": 25, "announce": "none"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("extends = ", "expected TOML"),
        ('extends = "chess"', "extends: expected one of"),
        ('extends = "tactic"\ndouble_blank = -1', "options.double_blank: expected"),
        ('extends = "tactic"\nbranching = true', "options.branching: no such field"),
        ('extends = "cz"\nlong_first = false', "long_first"),
        ('extends = "tactic"\ndouble_blank = { value = 25, mark = "A", source = "x" }', "double_blank.mark: expected"),
        ('extends = "tactic"\n#' + "x" * 70_000, "expected at most"),
    ],
)
def test_a_file_that_cannot_be_used_is_said_in_one_line(
    keeper: FlaskClient, tmp_path: Path, content: str, says: str
) -> None:
    put(tmp_path, "bad.toml", content)
    [bad] = own_rules(tmp_path)
    assert bad.fault.startswith("bad.toml: ") and says in bad.fault and "\n" not in bad.fault
    assert str(tmp_path) not in bad.fault
    page = keeper.get("/setup").text
    assert "This rule file cannot be used" in page
    assert find(tmp_path, "bad") is None
    refused = keeper.post("/api/games", json={"rules": "tactic", "own": "bad", "players": list(FOUR.values())})
    assert refused.status_code == 400


def test_a_title_kept_again_replaces_its_file_and_others_get_names_of_their_own(tmp_path: Path) -> None:
    assert keep(tmp_path, "tactic", "Náš stůl", {"double_blank": 25}) == "nas-stul"
    assert keep(tmp_path, "tactic", "Náš stůl", {"double_blank": 50}) == "nas-stul"
    assert keep(tmp_path, "cz", "Nas stul", {}) == "nas-stul-2"
    assert keep(tmp_path, "cz", "আমাদের", {}) == "rules"
    assert [one.title for one in own_rules(tmp_path)] == ["Nas stul", "Náš stůl", "আমাদের"]
    assert forget(tmp_path, "../state") is False


def test_there_is_an_end_to_the_number_of_files(keeper: FlaskClient, tmp_path: Path) -> None:
    for number in range(MOST):
        put(tmp_path, f"r{number:02}.toml", 'extends = "tactic"\n')
    answer = keeper.post("/setup/rules", json=KITCHEN)
    assert answer.status_code == 409 and "too many" in answer.text


def test_nobody_keeps_or_forgets_rules_without_the_pin(
    anyone: FlaskClient, session: FakeSession, tmp_path: Path
) -> None:
    put(tmp_path, "club.toml", 'extends = "tactic"\n')
    assert anyone.post("/setup/rules", json=KITCHEN).status_code == 401
    assert anyone.post("/setup/rules/forget", json={"own": "club"}).status_code == 401
    assert len(own_rules(tmp_path)) == 1
    assert "club" in anyone.get("/setup").text
    assert session.calls == []


def test_rules_that_contradict_each_other_are_not_kept(keeper: FlaskClient, tmp_path: Path) -> None:
    refused = keeper.post("/setup/rules", data={"rules": "cz", "option_long_first": "false", "title": "No"})
    assert refused.status_code == 400
    assert own_rules(tmp_path) == ()
