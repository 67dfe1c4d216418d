"""The statistics over evenings add up to what the journals say."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from shutil import copyfile

import pytest
from flask.testing import FlaskClient

from companion.app.game_index import GameSummary, groups, meetings, season, standings, summarize
from companion.app.games import create_game, look_at_game, make_app_state, open_game
from companion.app.state import AppState, GameRepository
from companion.game.replay import replay
from companion.log.journal import read_journal
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
    board = replay(path).board
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


@pytest.mark.parametrize("path", ["/games", "/statistics", "/statistics.csv"])
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


def test_the_game_on_the_table_counts_after_each_tap_without_its_journal_being_read(tmp_path: Path) -> None:
    """A journal that is played again takes seconds after each tap of a long game."""
    read: list[str] = []

    def counting(path: Path) -> GameSummary:
        read.append(path.parent.name)
        return summarize(path)

    repository = GameRepository(create=create_game, open=open_game, look=look_at_game, summarize=counting)
    state = AppState(data_dir=tmp_path, repository=repository)
    game = state.start_game({"rules": "tactic", "set": "double-9", "players": ["Ann", "Ben"], "options": {}})
    page = create_app(state, PageSettings(testing=True)).test_client()
    for number, points in ((1, {"Ann": 0, "Ben": 12}), (2, {"Ann": 5, "Ben": 0})):
        state.session.start_round(starter="Ann")  # type: ignore[attr-defined]
        state.session.enter_scores(points, number, out="Ann" if number == 1 else "Ben")  # type: ignore[attr-defined]
        [known] = state.counted()
        assert known is not None and known.summary == summarize(tmp_path / "games" / game / "journal.jsonl")
        assert page.get("/statistics").status_code == 200
    assert read == []
    state.session.close()  # type: ignore[attr-defined]
    state.signal.close()


def ended(begun: str, most_win: bool = False, **totals: int) -> GameSummary:
    """A match of one round that was played to its end, with other points brought along than the round has."""
    best = (max if most_win else min)(totals.values())
    winners = tuple(name for name, total in totals.items() if total == best)
    scores = ({name: total + 5 for name, total in totals.items()},)
    return GameSummary(
        "kkori" if most_win else "tactic", "double-12", tuple(totals), {}, winners=winners, begun=begun,
        most_points_win=most_win, scores=scores, totals=totals,
    )  # fmt: skip


def test_who_finished_ahead_of_whom_counts_matches_of_every_game_by_their_totals() -> None:
    games = [ended("", Ann=1, Ben=2, Cy=2), ended("", Ann=9, Ben=3), ended("", most_win=True, Ann=4, Ben=3)]
    games.append(match({"Ann": 1, "Ben": 50}))
    assert [tuple(one) for one in meetings(games)] == [("Ann", "Ben", 2, 1), ("Ann", "Cy", 1, 0), ("Ben", "Cy", 0, 0)]


def test_a_group_is_whoever_plays_together_and_part_of_it_belongs_to_it() -> None:
    games = [ended("", Ann=1, Ben=2), ended("", Ann=1, Ben=2, Cy=3), ended("", Dee=1, Eve=1), match()]
    assert groups(games) == (("Ann", "Ben", "Cy"), ("Dee", "Eve"))
    assert season(games, ("Cy", "Ann", "Ben")).matches == 2
    assert season(games).matches == 3 and season(games, ("Ann",)).matches == 0


def test_the_page_says_which_games_are_not_finished(tmp_path: Path) -> None:
    """Their rounds count among the points, and they are no match that somebody may have won."""
    state = make_app_state(tmp_path)
    for finished in (True, False):
        state.start_game({"rules": "tactic", "set": "double-9", "players": ["Ann", "Ben"], "options": {"rounds": 2}})
        for number in (1, 2) if finished else (1,):
            state.session.start_round()  # type: ignore[attr-defined]
            state.session.enter_scores({"Ann": 0, "Ben": 12}, number, out="Ann")  # type: ignore[attr-defined]
    state.session.start_round()  # type: ignore[attr-defined]
    state.session.play((8, 3), "Ann")  # type: ignore[attr-defined]
    read_all(state.index)
    client = create_app(state, PageSettings(testing=True)).test_client()
    told = re.sub(r"<[^>]*>", " ", client.get("/statistics").text)
    assert "2 games" in told and "One is not finished: its rounds count, but nobody has won it." in told
    assert "1 / 1" in told and re.search(r"1 / 1\s+3\s", told), "three rounds of two games"
    state.session.close()  # type: ignore[attr-defined]
    state.signal.close()


def test_an_evening_lasts_past_midnight() -> None:
    at = ["2026-03-01T19:00:00", "2026-03-01T23:59:00", "2026-03-02T02:00:00", "2026-03-02T19:00:00", "", "yesterday"]
    assert season([ended(begun, Ann=1, Ben=2) for begun in at]).evenings == 2


def test_the_best_round_of_a_season_is_one_with_tiles_left_where_the_fewest_points_win() -> None:
    early, late = "2026-03-01T19:00:00", "2026-04-01T19:00:00"
    [fewest] = standings([ended(late, Ann=-5, Ben=2), ended(early, Ann=-5, Ben=2)])
    assert fewest.best == (7, "Ben", early)
    [most] = standings([ended(early, most_win=True, Ann=-5, Ben=2)])
    assert most.best == (7, "Ben", early)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[FlaskClient]:
    """Two groups; the names of one need care in an address and in a spreadsheet."""
    state = make_app_state(tmp_path)
    for players, seat in ((("Ann & Ben", "=Cy"), 1), (("Ann & Ben", "=Cy"), 0), (("Dee", "Eve"), 0)):
        state.start_game({"rules": "tactic", "set": "double-9", "players": list(players), "options": {"rounds": 1}})
        state.session.start_round(starter=players[0])  # type: ignore[attr-defined]
        points = dict(zip(players, (12, 0) if seat else (0, 12), strict=True))
        state.session.enter_scores(points, 1, out=players[seat])  # type: ignore[attr-defined]
    read_all(state.index)
    yield create_app(state, PageSettings(testing=True)).test_client()
    state.session.close()  # type: ignore[attr-defined]
    state.signal.close()


def test_the_page_of_a_group_and_its_table_are_of_that_group_alone(club: FlaskClient) -> None:
    everybody = club.get("/statistics").get_data(as_text=True)
    assert "Dee" in everybody and "One evening, 3 games" in everybody
    assert "1 个晚上、3 场" in club.get("/statistics?lang=zh").text
    club.delete_cookie("lang")
    assert "Who finished ahead of whom" not in everybody
    [address] = re.findall(r'href="(/statistics\?with=[^"]*Ann[^"]*)"', everybody)
    shown = club.get(unescape(address)).get_data(as_text=True)
    assert 'aria-current="page">=Cy, Ann &amp; Ben' in shown and "One evening, 2 games" in shown
    assert "<span>=Cy</span><b>1 : 1</b><span>Ann &amp; Ben</span>" in shown
    [saved] = re.findall(r'href="(/statistics\.csv[^"]*)"', shown)
    answer = club.get(unescape(saved))
    rows = list(csv.reader(io.StringIO(answer.data.decode("utf-8-sig"))))
    assert answer.mimetype == "text/csv" and rows[0][:4] == ["Game", "Player", "Matches", "Won"]
    assert sorted(row[1:6] for row in rows[1:3]) == [["'=Cy", "2", "1", "2", "12"], ["Ann & Ben", "2", "1", "2", "12"]]
    assert rows[-1][1:3] == ["1", "1"] and "Dee" not in answer.text
    faults = re.findall(r'href="([^"]*faults=1)"', shown)
    assert club.get(unescape(faults[0])).get_data(as_text=True).count("Broken rules") == 1


def test_a_group_that_never_played_has_no_season(club: FlaskClient) -> None:
    shown = club.get("/statistics?with=Nobody").get_data(as_text=True)
    assert "No round has been scored yet." in shown and "statistics.csv" not in shown
