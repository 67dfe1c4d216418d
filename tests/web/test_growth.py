"""No page costs more because much was played before: counted in calls, so that a busy machine changes nothing."""

from __future__ import annotations

import cProfile
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins.playing import begin, play_out, say
from companion.app.games import create_game, look_at_game, open_game
from companion.app.learning import FOLDER, LearningDesk
from companion.app.state import AppState, GameRepository
from companion.game.game import Game
from companion.rules.position import Play
from companion.web import archive
from companion.web.app import PageSettings, create_app
from tests.desk.reading import read_all

Written = Callable[[int], Path]

OF_A_GAME = 2_000
"""Calls that one more game on the list may cost; playing it again takes a hundred thousand."""

OF_NAMES = 200 * 6
"""Calls for reading the names of so many pictures and corrections, none of which is opened."""

LINEAR = 1.1
"""A cost that grows as what it is about does has the exponent 1; what grows worse has more."""

NO_HISTORY = {
    "/api/stream": "never ends",
    "/source": "packs the program's own files once",
    "/static/<path:filename>": "a file of the program",
    "/qr.svg": "an address that a test has not",
    "/join/<code>": "leads on",
}

NEEDS_PIN = {
    "/api/view",
    "/hand.svg",
    "/camera.jpg",
    "/corrections.zip",
    "/diagnostics.zip",
    "/games/<game>/export.zip",
    "/play/<int:seq>/correction",
    "/question/<int:seq>/order",
    "/round-end/by-photo",
    "/api/seats",
    "/seats",
    "/whose",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A game of bots by how many rounds it has, the last of which is still being played; each is written once."""

    @cache
    def write(rounds: int) -> Path:
        path = tmp_path_factory.mktemp("games") / "journal.jsonl"
        session, bots = begin(path, "tactic", 3, seed=5, rounds=rounds)
        for number, played in enumerate(bots.rounds(), start=1):
            if number < rounds:
                play_out(session, played)
            else:
                session.start_round(played.engine, played.starter)
        session.close()
        return path

    return write


def laid(path: Path, tiles: int, players: int) -> Game:
    """A round of bots in which so many tiles lie, or as many as it took."""
    session, bots = begin(path, "tactic", players, seed=7)
    table = next(iter(bots.rounds()))
    session.start_round(table.engine, table.starter)
    for turn in table.turns():
        list(say(session, turn))
        tiles -= sum(isinstance(act, Play) for act in turn.actions)
        if tiles <= 0 or session.phase != "playing":
            break
    return session


def exponent(costs_of: Mapping[int, int]) -> float:
    """By what power of the size the cost grows between the smallest and the largest."""
    (small, one), (large, other) = min(costs_of.items()), max(costs_of.items())
    return math.log(other / one) / math.log(large / small)


def house(
    folder: Path, written: Written, *, games: int, rounds: int = 1, pictures: int = 3, running: bool = True
) -> Flask:
    """A box with so many earlier games of one round, and a running one of `rounds` with `pictures` kept beside it."""
    earlier = folder / "games" / "game-0001"
    earlier.mkdir(parents=True)
    shutil.copy(written(2), earlier)
    for number in range(2, games + 1):
        shutil.copytree(earlier, folder / "games" / f"game-{number:04d}")
    last = folder / "games" / "game-0900"
    last.mkdir()
    shutil.copy(written(rounds), last)
    (folder / FOLDER).mkdir()
    for number in range(pictures):
        (last / f"evidence-{number:04d}.jpg").write_bytes(b"\xff\xd8")
        (folder / FOLDER / f"{number:04d}.jpg").write_bytes(b"\xff\xd8")
        (folder / FOLDER / f"{number:04d}.json").write_bytes(b"{}")
    state = AppState(data_dir=folder, repository=GameRepository(create=create_game, open=open_game, look=look_at_game))
    read_all(state.index)
    state.learning = LearningDesk(folder)
    if running:
        state.reopen("game-0900")
    return create_app(state, PageSettings(pin="1", testing=True))


FILLED_IN = {
    "<game>": ("game-0001", "game-0900"),
    "<name>": ("evidence-0001.jpg",),
    "<int:seq>": ("2",),
    "<int:number>": ("1",),
    "<token>": ("of-no-round",),
}


def pages(app: Flask) -> list[str]:
    """The address of everything that can be looked at without the PIN."""
    rules = {rule.rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    assert rules >= {*NO_HISTORY, *NEEDS_PIN}
    addresses = sorted(rules - {*NO_HISTORY, *NEEDS_PIN})
    for part, values in FILLED_IN.items():
        addresses = [one.replace(part, value) for one in addresses for value in (values if part in one else values[:1])]
    assert not any("<" in address for address in addresses), "a new kind of address: say what to fill in for it"
    return addresses


def calls(client: FlaskClient, address: str) -> int:
    """How many functions one answer calls, Python's own among them, after it was given once."""
    with client.get(address) as answer:
        answer.get_data()
    assert answer.status_code < 500 and answer.status_code != 401, f"{address}: {answer.status_code}"
    counter = cProfile.Profile()
    counter.enable()
    try:
        with client.get(address) as answer:
            answer.get_data()
    finally:
        counter.disable()
    return sum(called.callcount for called in counter.getstats())


def costs(app: Flask, addresses: Sequence[str] = ()) -> Mapping[str, int]:
    """The calls that each of `addresses` takes; by default all that a guest may see."""
    client = app.test_client()
    found = {address: calls(client, address) for address in addresses or pages(app)}
    app.extensions["companion_state"].signal.close()
    return found


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory, written: Written) -> Mapping[str, int]:
    return costs(house(tmp_path_factory.mktemp("usual"), written, games=3))


def test_no_page_costs_more_for_the_games_of_the_past(
    usual: Mapping[str, int], tmp_path: Path, written: Written
) -> None:
    later = costs(house(tmp_path, written, games=30))
    lists = {"/games", "/statistics", "/statistics.csv"}
    assert all(later[one] < usual[one] + 27 * OF_A_GAME for one in lists)
    grown = {address: (usual[address], cost) for address, cost in later.items() if cost > 1.02 * usual[address]}
    assert grown.keys() <= lists, grown


def test_the_list_of_games_ends(tmp_path: Path, written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    assert archive.MOST_LISTED <= 100
    monkeypatch.setattr(archive, "MOST_LISTED", 10)
    whole = calls(house(tmp_path / "a", written, games=10).test_client(), "/games")
    assert calls(house(tmp_path / "b", written, games=40).test_client(), "/games") < 1.1 * whole


def test_the_last_game_is_not_played_again_to_set_up_the_next(tmp_path: Path, written: Written) -> None:
    both = ("/setup", "/games")
    short = costs(house(tmp_path / "a", written, games=1, running=False), both)
    long = costs(house(tmp_path / "b", written, games=1, rounds=2, running=False), both)
    grown = {address: (short[address], cost) for address, cost in long.items() if cost > 1.5 * short[address]}
    assert not grown


def test_no_page_costs_more_for_the_pictures_that_are_kept(
    usual: Mapping[str, int], tmp_path: Path, written: Written
) -> None:
    later = costs(house(tmp_path, written, games=3, pictures=200))
    grown = {address: (usual[address], cost) for address, cost in later.items() if cost > usual[address] + OF_NAMES}
    assert not grown


def test_no_page_of_the_table_grows_worse_than_the_table(tmp_path: Path) -> None:
    pages_of_it = ("/api/state", "/", "/tv", "/regions")
    found = dict[tuple[int, int], dict[str, int]]()
    for tiles, players in ((5, 2), (60, 2), (5, 8)):
        session = laid(tmp_path / f"{tiles}-{players}.jsonl", tiles, players)
        client = create_app(AppState(session), PageSettings(pin="1", testing=True)).test_client()
        found[tiles, players] = {address: calls(client, address) for address in pages_of_it}
    for address in pages_of_it:
        few, many, crowd = (found[key][address] for key in ((5, 2), (60, 2), (5, 8)))
        assert exponent({5: few, 60: many}) < LINEAR, (address, few, many)
        assert exponent({2: few, 8: crowd}) < LINEAR, (address, few, crowd)


def test_a_cost_that_turns_worse_than_linear_is_seen() -> None:
    assert exponent({10: 1000, 50: 5000}) < LINEAR < exponent({10: 1000, 50: 5000 * 3})


@pytest.mark.nightly
@pytest.mark.slow
def test_a_long_match_costs_no_more_than_its_length(tmp_path: Path, written: Written) -> None:
    third = costs(house(tmp_path / "a", written, games=3, rounds=1))
    whole = costs(house(tmp_path / "b", written, games=3, rounds=2))
    lengths = [len((tmp_path / part / "games/game-0900/journal.jsonl").read_bytes().splitlines()) for part in "ab"]
    longer = lengths[1] / lengths[0]
    grown = {
        address: (third[address], cost) for address, cost in whole.items() if cost > 1.05 * longer * third[address]
    }
    assert not grown, longer
