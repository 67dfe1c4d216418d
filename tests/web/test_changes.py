"""Plays, corrections, rounds and new games as people tap them."""

from __future__ import annotations

import html
import io
import re
import zipfile
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession
from companion.app.state import AppState
from companion.rules.ruleset import SHIPPED, load_ruleset
from companion.rules.ruleset_fields import ContradictionError, fields_of
from companion.rules.written import written
from companion.web.changing import changes_between
from companion.web.setup import lengths_of
from companion.web.texts import HOUSE_RULES, code_title, option_value, options_of, rule_sets
from tests.shown import state_of


def test_a_tapped_end_becomes_the_tile_that_fits_the_train(keeper: FlaskClient, session: FakeSession) -> None:
    assert keeper.post("/api/play", json={"train": "Cyril", "outer": 4}).status_code == 200
    named = {"by": None, "outer_only": True}
    assert session.calls == [("play", ((11, 4), "Cyril"), named)]


def test_a_tile_that_does_not_match_can_be_entered_as_it_lies(keeper: FlaskClient, session: FakeSession) -> None:
    keeper.post("/api/play", json={"train": "Ann", "inner": 3, "outer": 4, "by": "Ben"})
    assert session.calls == [("play", ((3, 4), "Ann"), {"by": "Ben"})]


def test_the_left_end_of_a_chinese_line_takes_tiles_turned_round(keeper: FlaskClient, session: FakeSession) -> None:
    table = tables.chinese_line()
    session.show({**table, "arms": 2, "ends": [3, 4]})
    keeper.post("/api/play", json={"train": "L", "outer": 6})
    assert session.calls[0][1] == ((6, 3), "L")


def test_a_form_returns_to_the_table(keeper: FlaskClient, session: FakeSession) -> None:
    answer = keeper.post("/api/play", data={"train": "Ann", "outer": "4", "inner": "", "by": "", "expected_seq": "32"})
    assert answer.status_code == 303 and answer.headers["Location"] == "/"
    assert session.calls[0][1] == ((12, 4), "Ann")


def test_a_form_without_the_pin_leads_to_the_pin(anyone: FlaskClient, session: FakeSession) -> None:
    answer = anyone.post("/api/undo", data={"x": "1"}, headers={"Referer": "http://localhost/play/32"})
    assert answer.status_code == 303 and answer.headers["Location"] == "/pin?next=/play/32"
    assert session.calls == []


@pytest.mark.parametrize(
    ("verb", "body", "call"),
    [
        ("draw", {}, ("draw", ("Cyril",), {})),
        ("pass", {"by": "Ben"}, ("pass_turn", ("Ben",), {})),
        ("discard", {}, ("discard", ("Cyril",), {})),
        ("mark", {"train": "Ben"}, ("mark", ("Ben",), {"by": None})),
        ("unmark", {"train": "Ben", "by": "Ben"}, ("unmark", ("Ben",), {"by": "Ben"})),
        ("flip", {"train": "Ann"}, ("flip", ("Ann",), {"by": "Cyril"})),
        ("undo", {}, ("undo", (), {})),
        ("answer", {"seq": 5, "choice": 0}, ("answer", (5, 0), {"by": "Olena", "tile": None})),
        ("answer", {"seq": 5, "choice": -1}, ("answer", (5, None), {"by": "Olena", "tile": None})),
        ("correct", {"seq": 5, "tile": [3, 4]}, ("correct", (5, {"tile": [3, 4]}), {"by": "Olena"})),
        ("correct", {"seq": 5, "train": "MX"}, ("correct", (5, {"train": "MX"}), {"by": "Olena"})),
        ("correct", {"seq": 5, "withdrawn": True}, ("correct", (5, {"withdrawn": True}), {"by": "Olena"})),
        ("correct", {"seq": 32, "overruled": True}, ("correct", (32, {"overruled": True}), {"by": "Olena"})),
        ("start-round", {"engine": "9-9", "starter": "Ann"}, ("start_round", ((9, 9), "Ann"), {})),
        ("show-hand", {"by": "Ann", "tiles": "12-5 3-3"}, ("show_hand", ("Ann", [(12, 5), (3, 3)]), {})),
        ("end-round", {"how": "out"}, ("end_round", ("out",), {})),
    ],
)
def test_each_tap_calls_its_verb(keeper: FlaskClient, session: FakeSession, verb: str, body: dict, call: tuple) -> None:
    assert keeper.post(f"/api/{verb}", json=body).status_code == 200
    assert session.calls == [call]


def test_two_people_correcting_at_once_do_not_overwrite_each_other(keeper: FlaskClient, session: FakeSession) -> None:
    stale = {"seq": 32, "tile": [0, 9], "expected_seq": 31}
    answer = keeper.post("/api/correct", json=stale)
    assert answer.status_code == 409 and "changed meanwhile" in answer.json["error"]
    assert session.calls == []


def test_a_correction_shows_what_it_changes_before_it_is_made(keeper: FlaskClient, session: FakeSession) -> None:
    then = tables.illegal()
    then["plays"][-1]["violations"] = []
    then["turn"] = "Ann"
    session.answers["what_if"] = then
    page = keeper.post("/play/32/preview", data={"tile": "11-0"}).text
    assert session.calls == [("what_if", (32, {"tile": [11, 0]}, "Olena"), {})]
    assert "This train is closed" in page and "within the rules" in page
    assert "Then Ann is to play." in page
    assert "Until now:" in page and ">Until now<" in page, "the old state is not what is so now"
    assert 'name="expected_seq" value="32"' in page and 'name="tile" value="11-0"' in page


def test_a_correction_is_kept_although_others_play_on_while_it_changes_what_it_showed(
    keeper: FlaskClient, session: FakeSession
) -> None:
    now, then = tables.illegal(), tables.illegal()
    then["plays"][-1]["violations"] = []
    session.answers["what_if"] = then
    page = keeper.post("/play/32/preview", data={"tile": "11-0"}).text
    form = dict(re.findall(r'type="hidden" name="(seq|tile|shows|expected_game|expected_seq)" value="([^"]*)"', page))
    drawn = {"seq": 33, "event": "drew", "by": "Ben", "source": "person"}
    session.show({**now, "seq": 33, "plays": [*now["plays"], drawn]})
    session.answers["what_if"] = {**then, "plays": [*then["plays"], drawn]}
    assert keeper.post("/api/correct", data={**form, "shows": "another"}).status_code == 409
    session.answers["what_if"] = {**then, "plays": [*now["plays"], drawn]}
    assert keeper.post("/api/correct", data=form).status_code == 409, "it changes nothing by now"
    session.answers["what_if"] = {**then, "plays": [*then["plays"], drawn]}
    assert keeper.post("/api/correct", data=form).status_code == 303
    assert session.calls[-1][0] == "correct"


def test_only_rulings_that_differ_are_listed() -> None:
    now = [tables.play(1, "Ann", (1, 2), "Ann"), tables.play(2, "Ben", (2, 3), "Ann", "CLOSED_TRAIN")]
    then = [tables.play(1, "Ann", (1, 2), "Ann"), tables.play(2, "Ben", (2, 3), "Ann", "MISMATCH")]
    (change,) = changes_between(now, then)
    titles = (code_title("CLOSED_TRAIN"), code_title("MISMATCH"))
    assert (change.seq, *(ruled.faults for ruled in change.ruled)) == (2, titles[:1], titles[1:])


def test_a_ruling_that_would_only_be_open_is_not_called_within_the_rules(
    keeper: FlaskClient, session: FakeSession
) -> None:
    then = tables.illegal()
    then["plays"][-1]["violations"] = [{"code": "OUT_OF_TURN", "certain": False}]
    session.answers["what_if"] = then
    page = keeper.post("/play/32/preview", data={"tile": "11-0"}).text
    assert "within the rules" not in page
    assert "ruling open: Out of turn" in " ".join(page.split())


def test_the_hands_end_the_round_and_are_shown_at_once(keeper: FlaskClient, session: FakeSession) -> None:
    session.show({**tables.illegal(), "hands": {}})
    form = {"how": "out", "hand_1": "", "hand_2": "12-5 3-3", "hand_3": "0-0", "hand_4": "1-2,4-4"}
    assert keeper.post("/round-end", data=form).headers["Location"] == "/scores"
    shown = {"Ann": [], "Ben": [(12, 5), (3, 3)], "Cyril": [(0, 0)], "Dorothea": [(1, 2), (4, 4)]}
    assert session.calls == [
        ("show_hands", (shown, None), {"how": "out", "out": "Ann"}),
    ]


@pytest.mark.parametrize(
    ("form", "part"),
    [
        ({"how": "out", "hand_1": "1-1", "hand_2": "2-2", "hand_3": "3-3", "hand_4": "4-4"}, "one hand must be empty"),
        ({"how": "out", "hand_1": "1-"}, "Half of a tile is missing"),
        ({"how": "out", "hand_2": "1-99"}, "0 to 12 pips, not “99”"),
        ({"how": "never"}, "how the round ended"),
        ({"hand_1": ""}, "how the round ended"),
    ],
)
def test_hands_that_cannot_be_counted_change_nothing(
    keeper: FlaskClient, session: FakeSession, form: dict, part: str
) -> None:
    answer = keeper.post("/round-end", data=form)
    assert answer.status_code == 400 and part in answer.text
    assert session.calls == []


def test_chinese_tiles_that_were_put_away_count_with_the_hands(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.chinese_line())
    assert "has put away or still holds" in keeper.get("/round-end").text
    players = tables.chinese_line()["players"]
    left = ("1:2", "1:3", "2:4", "2:5")
    form = {"how": "out"} | {f"hand_{n}": left[n - 1] for n in range(1, len(players) + 1)}
    asked = keeper.post("/round-end", data=form).text
    assert "should have 10 tiles." in asked, "what does not add up is asked about once"
    seen = re.search(r'name="seen" value="([^"]+)"', asked)
    assert seen is not None
    again = keeper.post("/round-end", data=form | {"seen": html.unescape(seen[1])})
    assert again.headers["Location"] == "/scores", "nobody's hand need be empty"
    [hands] = [call[1][0] for call in session.calls if call[0] == "show_hands"]
    assert list(hands) == list(players)


def test_a_photographed_hand_is_looked_over_before_it_counts(keeper: FlaskClient, session: FakeSession) -> None:
    form = {"by": "Ben", "hand_1": "1-1", "photo": (io.BytesIO(b"\xff\xd8\xff\xe0"), "hand.jpg")}
    page = keeper.post("/round-end/photo", data=form, content_type="multipart/form-data").text
    assert 'name="hand_2" value="12-5 3-3"' in page
    assert 'name="hand_1" value="1-1"' in page, "what was typed before is kept"
    assert "One tile could not be read" in page
    assert session.calls == []


SETUP = {"rules": "cz", "set": "double-12", "player_1": "Ann", "player_2": " Ben  B ", "option_scoring": "winner_takes"}


def test_a_game_is_set_up_and_comes_on_the_table(keeper: FlaskClient, app_state: AppState) -> None:
    answer = keeper.post("/setup", data=SETUP)
    assert answer.headers["Location"] == "/round-start"
    state = keeper.get("/api/state").json
    assert state["players"] == ["Ann", "Ben B"] and state["rules"] == "cz"
    assert app_state.games() == [state["game"]]
    assert app_state.folder(state["game"]).joinpath("journal.jsonl").exists()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"rules": "chess"}, "no rules called"),
        ({"set": "double-7"}, "played with"),
        ({"player_2": ""}, "2 to 8 players, not 1"),
        ({"player_2": "ann"}, "same name"),
        ({"player_2": "MX"}, "cannot be a player"),
        ({"player_2": "x" * 25}, "at most 24"),
        ({"option_scoring": "bingo"}, "no choice"),
        ({"rules": "poltava", "set": "double-9", **{f"player_{i}": f"P{i}" for i in range(1, 9)}}, "cannot be dealt"),
        (
            {"rules": "reeves", "set": "double-15", **{f"player_{i}": f"P{i}" for i in range(1, 12)}},
            "The rules do not say how many tiles 11 players get.",
        ),
        ({"rules": "chedeng", "set": "chinese"}, "exactly 4 players, not 2"),
    ],
)
def test_a_set_up_that_cannot_be_played_makes_no_game(
    keeper: FlaskClient, app_state: AppState, change: dict, part: str
) -> None:
    answer = keeper.post("/setup", data={**SETUP, **change})
    assert answer.status_code == 400 and part in answer.text
    assert app_state.games() == []


def test_an_earlier_game_is_listed_replayed_and_reopened(keeper: FlaskClient, app_state: AppState) -> None:
    keeper.post("/setup", data=SETUP)
    first = app_state.game
    keeper.post("/setup", data={**SETUP, "player_1": "Zoe"})
    second = app_state.game
    assert first != second
    listing = keeper.get("/games").text
    assert first in listing and "Zoe" in listing
    keeper.post(f"/games/{first}/open", data={"x": "1"})
    assert app_state.game == first


def test_a_broken_game_does_not_hide_the_others(keeper: FlaskClient, app_state: AppState, tmp_path: Path) -> None:
    keeper.post("/setup", data=SETUP)
    broken = tmp_path / "games" / "2020-01-01-000000"
    broken.mkdir()
    broken.joinpath("journal.jsonl").write_text("{", encoding="utf-8")
    page = keeper.get("/games")
    assert page.status_code == 200 and "2020-01-01-000000" in page.text and app_state.game in page.text


def test_a_game_is_taken_away_with_its_pictures(keeper: FlaskClient, app_state: AppState) -> None:
    keeper.post("/setup", data=SETUP)
    folder = app_state.folder(app_state.game)
    assert folder is not None
    folder.joinpath("f1.jpg").write_bytes(b"\xff\xd8\xff")
    folder.joinpath("secret.txt").write_text("no", encoding="utf-8")
    answer = keeper.get(f"/games/{app_state.game}/export.zip")
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        sheet = {"scores.csv", "scores.txt", "scores.png"}
        kept = {"journal.jsonl", "f1.jpg", "what-was-changed.txt"} | sheet
        assert sorted(archive.namelist()) == sorted(f"{app_state.game}/{name}" for name in kept)


def test_the_replay_asks_for_the_table_as_it_was(anyone: FlaskClient, session: FakeSession) -> None:
    page = anyone.get("/games/tonight/replay?at=7").text
    assert "7 / 32" in page
    assert anyone.get("/games/tonight/replay?at=4000").text.count("32 / 32") == 1


@pytest.mark.parametrize("name", SHIPPED)
def test_every_field_of_a_rule_set_is_offered_and_begins_with_what_is_written(name: str) -> None:
    rules = load_ruleset(name)
    offered = options_of(name)
    typed = {one.field for one in lengths_of(rule_sets()[name], {})}
    silent = set(written(HOUSE_RULES)["silent"])
    assert {option.field for option in offered} | typed == set(fields_of(rules.family)) - silent
    for option in offered:
        values = [option_value(value) for value, _words in option.choices]
        assert len(values) > 1 and len(set(map(str, values))) == len(values), option.field
        for value in values:
            try:
                chosen = load_ruleset(name, {option.field: value})
            except ContradictionError as fault:
                assert option.field in fault.fields
                continue
            if value == values[0]:
                assert getattr(chosen, option.field) == getattr(rules, option.field)


def test_two_house_rules_that_contradict_each_other_are_named(keeper: FlaskClient) -> None:
    form = {"rules": "cz", "player_1": "Ann", "player_2": "Ben", "option_long_first": "false"}
    page = keeper.post("/setup", data=form, headers={"Accept": "text/html"})
    assert page.status_code == 400
    assert "These two house rules do not go together" in page.text
    assert "Is the first turn a long train?" in page.text


def test_the_set_up_page_offers_every_rule_set() -> None:
    assert set(rule_sets()) == set(SHIPPED)
    for name, words in rule_sets().items():
        assert words.family == load_ruleset(name).family


def test_the_same_players_play_again_by_the_same_house_rules(keeper: FlaskClient, app_state: AppState) -> None:
    keeper.post("/setup", data=SETUP)
    first = app_state.game
    page = keeper.get("/setup").text
    assert f'name="same_as" value="{first}"' in page and "Ann, Ben B" in page
    answer = keeper.post("/setup", data={"same_as": first})
    assert answer.headers["Location"] == "/round-start" and app_state.game != first
    state = keeper.get("/api/state").json
    assert (state["rules"], state["set"], state["players"]) == ("cz", "double-12", ["Ann", "Ben B"])
    assert keeper.post("/setup", data={"same_as": first}).status_code == 409, "that game is no longer the last one"


def test_a_running_game_is_said_to_be_put_aside(keeper: FlaskClient, session: FakeSession) -> None:
    assert "The game of Ann, Ben, Cyril, Dorothea is not over." in keeper.get("/setup?rules=cz").text
    session.show(tables.match_over())
    assert "is not over" not in keeper.get("/setup?rules=cz").text


def test_pictures_are_deleted_only_after_a_question(keeper: FlaskClient, app_state: AppState) -> None:
    deleted: list[int] = []
    app_state.delete_pictures = lambda: deleted.append(1) or 0  # type: ignore[func-returns-value]
    listing = keeper.get("/games").text
    assert 'href="/pictures/delete"' in listing and 'action="/pictures/delete"' not in listing
    assert "for good" in keeper.get("/pictures/delete").text
    assert deleted == []
    keeper.post("/pictures/delete", data={"x": "1"})
    assert deleted == [1]


def test_the_sheet_is_ordered_by_totals_and_says_who_went_out(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.match_over()
    table["rounds_played"][0]["out"] = "Ann"
    table["totals"] = {"Ann": 61, "Ben": 55, "Cyril": 12, "Dorothea": 73}
    session.show(table)
    page = anyone.get("/games/tonight/scores").text
    heads = [page.index(f'<span class="col-name">{name}') for name in ("Cyril", "Ben", "Ann", "Dorothea")]
    assert heads == sorted(heads)
    assert "Ann went out" in page
    assert "(went out)" in page


def test_the_chosen_rules_are_a_file_that_can_be_read_again(keeper: FlaskClient, tmp_path: Path) -> None:
    form = {"rules": "goodsam", "option_double_blank": "25", "option_announce": "tap", "option_draws": "until_playable"}
    answer = keeper.post("/setup/rules.toml", data=form)
    assert answer.headers["Content-Disposition"] == "attachment; filename=our-table.toml"
    file = tmp_path / "our-table.toml"
    file.write_bytes(answer.data)
    rules = load_ruleset(file)
    assert (rules.title, rules.extra_tile) == ("Our table", "this_double")
    assert (rules.double_blank, rules.announce, rules.draws) == (25, "tap", "until_playable")
    refused = keeper.post("/setup/rules.toml", data={"rules": "cz", "option_long_first": "false"})
    assert refused.status_code == 400


def test_whoever_drew_the_highest_tile_starts(keeper: FlaskClient, session: FakeSession) -> None:
    """001: «Hráč s nejvyšším součtem bodů na kameni bude začínat hru»."""
    players = len(tables.illegal()["players"])
    drawn = {f"drawn_{n}": f"{n}-{n}" for n in range(1, players + 1)}
    body = {"engine": "12-12", "starter": state_of(session)["players"][0], **drawn}
    assert keeper.post("/api/start-round", json=body).status_code == 200
    assert session.calls[-1] == ("start_round", ((12, 12), state_of(session)["players"][-1]), {})
    again = keeper.post("/api/start-round", json={**body, "drawn_1": f"0-{2 * players}"})
    assert again.status_code == 400
    assert "drew the same sum" in again.text
    assert keeper.post("/api/start-round", json={**body, "drawn_1": ""}).status_code == 400
