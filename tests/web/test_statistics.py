"""The statistics over evenings add up to what the journals say."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

import pytest
from flask.testing import FlaskClient

from companion.app.game_index import GameSummary, standings, summarize
from companion.app.games import make_app_state
from companion.log.journal import read_journal
from companion.play.match import fold
from companion.web.app import PageSettings, create_app
from tests.desk.reading import read_all

GAMES = Path(__file__).parents[1] / "games"


def match(*rounds: dict[str, int], winners: tuple[str, ...] = (), most_win: bool = False) -> GameSummary:
    players = tuple(rounds[0]) if rounds else ("Ann", "Ben")
    return GameSummary("tactic", "double-12", players, {}, winners=winners, most_points_win=most_win, scores=rounds)


def test_wins_average_best_and_worst() -> None:
    first = match({"Ann": 10, "Ben": 0}, {"Ann": 4, "Ben": 30}, winners=("Ann",))
    second = match({"Ann": 7, "Ben": 9})
    [game] = standings([first, second])
    ann, ben = game.players
    assert (ann.name, ann.wins, ann.matches, ann.rounds) == ("Ann", 1, 1, 3)
    assert (ann.average, ann.best, ann.worst) == (7.0, 4, 10)
    assert (ben.name, ben.wins, ben.average, ben.best, ben.worst) == ("Ben", 0, 13.0, 0, 30)


def test_most_points_are_best_where_most_points_win() -> None:
    [game] = standings([match({"Ann": 10, "Ben": -10}, {"Ann": 40, "Ben": -40}, most_win=True)])
    assert [one.name for one in game.players] == ["Ann", "Ben"]
    assert (game.players[0].best, game.players[0].worst) == (40, 10)


def test_points_that_mean_different_things_are_kept_apart() -> None:
    assert len(standings([match({"Ann": 1, "Ben": 2}), match({"Ann": 1, "Ben": 2}, most_win=True)])) == 2


def test_a_game_without_a_scored_round_is_left_out() -> None:
    assert standings([match()]) == ()


@pytest.mark.parametrize("name", ["tactic-5", "kkori-3", "cz-winner-takes-4"])
def test_a_match_is_counted_as_its_journal_has_it(name: str) -> None:
    path = GAMES / f"{name}.jsonl"
    journal = read_journal(path)
    board = fold(journal.header, journal.events)
    [game] = standings([summarize(path)])
    for player in game.players:
        assert player.points == sum(sheet.scores[player.name] for sheet in board.rounds if sheet.scores)
    assert sum(one.wins for one in game.players) == len(board.winners)
    assert sum(sum(one.faults.values()) for one in game.players) == len(board.faults)


@pytest.fixture
def page(tmp_path: Path) -> FlaskClient:
    for name in ("tactic-5", "kkori-3"):
        folder = tmp_path / "games" / f"20261120-1900-{name}"
        folder.mkdir(parents=True)
        copyfile(GAMES / f"{name}.jsonl", folder / "journal.jsonl")
    broken = tmp_path / "games" / "20261121-1900-broken"
    broken.mkdir()
    (broken / "journal.jsonl").write_text("no journal\n")
    app_state = make_app_state(tmp_path)
    read_all(app_state.index)
    return create_app(app_state, PageSettings(testing=True)).test_client()


def test_the_page_shows_every_player_and_no_fault_unless_asked(page: FlaskClient) -> None:
    shown = page.get("/statistics").get_data(as_text=True)
    for name in read_journal(GAMES / "tactic-5.jsonl").header.players:
        assert name in shown
    assert "Broken rules" not in shown
    assert "Broken rules" in page.get("/statistics?faults=1").get_data(as_text=True)


def test_averages_are_written_as_the_reader_writes_them(page: FlaskClient) -> None:
    [game] = standings([summarize(GAMES / "tactic-5.jsonl")])
    average = f"{game.players[0].average:.1f}"
    assert average in page.get("/statistics?lang=en").get_data(as_text=True)
    assert average.replace(".", ",") in page.get("/statistics?lang=cs").get_data(as_text=True)


@pytest.mark.parametrize("path", ["/games", "/statistics"])
def test_a_page_says_that_games_are_still_being_read_and_waits_for_none(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "games" / "game-0001"
    folder.mkdir(parents=True)
    copyfile(GAMES / "tactic-5.jsonl", folder / "journal.jsonl")
    app_state = make_app_state(tmp_path)
    app_state.put_on_the_table(app_state.session, "another")
    page = create_app(app_state, PageSettings(testing=True)).test_client()
    said = "Some games are still being read."
    shown = page.get(path).get_data(as_text=True)
    assert said in shown and "No round has been scored yet." not in shown
    read_all(app_state.index)
    shown = page.get(path).get_data(as_text=True)
    assert said not in shown and read_journal(GAMES / "tactic-5.jsonl").header.players[0] in shown
