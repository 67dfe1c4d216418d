"""How long a match is: any number of rounds or points, or a time of day; and its winners on their steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession
from bench.stand_ins.views import view_of
from companion.app.games import make_app_state
from companion.game.game import Game
from companion.web.app import PageSettings, create_app
from companion.web.setup import keep
from companion.web.wording import calls_of, event_text, has_passed, match_ends_at, time_is_up
from tests.web.test_own_rules import FOUR, newest_options

PAGE = {"Accept": "text/html"}


LATER = f"{datetime.now() + timedelta(hours=6):%H:%M}"
EARLIER = f"{datetime.now() - timedelta(hours=3):%H:%M}"


def whole(page: str) -> str:
    """The page without the marks that keep a tile, or a time, in one line."""
    return re.sub(r'<span class="whole">([^<]*)</span>', r"\1", page)


def start(keeper: FlaskClient, **fields: str) -> Any:
    return keeper.post("/setup", data={"rules": "tactic", **FOUR, **fields}, headers=PAGE)


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({"option_rounds": "5"}, {"rounds": 5}),
        ({"option_rounds": "৩"}, {"rounds": 3}),
        ({"option_match_points": "137", "option_match_until": LATER}, {"match_points": 137, "match_until": LATER}),
        ({"option_rounds": "", "option_match_until": ""}, {}),
        ({"rules": "kkori", "option_match_deals": "6"}, {"match_deals": 6}),
    ],
)
def test_any_number_and_any_time_may_be_typed(
    keeper: FlaskClient, tmp_path: Path, fields: dict[str, str], options: dict[str, Any]
) -> None:
    assert start(keeper, **fields).status_code == 303
    assert newest_options(tmp_path) == options


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"option_rounds": "0"}, "Please enter a number from 1 to 1000."),
        ({"option_match_points": "many"}, "Please enter a number from 1 to 1000."),
        ({"option_match_until": "25:00"}, "Please enter a time of day, such as 22:30."),
        ({"option_match_until": EARLIER}, f"It is past {EARLIER} already."),
        ({"rules": "kkori", "option_match_points": "50"}, "How many points end a match?"),
    ],
    ids=["no rounds", "no number", "no time of day", "a time that is past", "not in this game"],
)
def test_what_is_no_number_or_time_is_refused_at_its_field(
    keeper: FlaskClient, fields: dict[str, str], sentence: str
) -> None:
    answer = keeper.post(f"/setup?rules={fields.get('rules', 'tactic')}", data={"rules": "tactic", **FOUR, **fields})
    assert answer.status_code == 400 and 'class="complaint"' in answer.text and sentence in whole(answer.text)


def test_the_houses_own_length_is_filled_in_and_may_be_emptied(keeper: FlaskClient, tmp_path: Path) -> None:
    keep(tmp_path, "tactic", "Club", {"rounds": 6, "match_until": LATER})
    form = keeper.get("/setup?own=club").text
    assert re.search(r'name="option_rounds"[^>]*value="6"', form)
    assert re.search(rf'name="option_match_until" type="time" value="{LATER}"', form)
    assert "<li>How many rounds? 6</li>" in form
    assert start(keeper, own="club", option_rounds="", option_match_until=LATER).status_code == 303
    assert newest_options(tmp_path) == {"match_until": LATER}


def begun(ago: timedelta, until: timedelta, **changes: Any) -> dict[str, Any]:
    """A table whose round began so long ago; the time agreed on lies so far from now."""
    now = datetime.now().astimezone()
    line = {"seq": 1, "event": "round_started", "at": (now - ago).astimezone(UTC).isoformat(), "source": "person"}
    options = {"match_until": f"{now + until:%H:%M}"}
    return tables.midgame(options=options, **changes) | {"plays": [line, *tables.midgame()["plays"]]}


HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.mark.parametrize(
    ("ago", "until", "up"),
    [(2 * HOUR, -HOUR, True), (2 * HOUR, HOUR, False), (HOUR, -2 * HOUR, False), (2 * MINUTE, -MINUTE, True)],
    ids=["came while it was played", "is to come", "came before it began", "has just come"],
)
def test_the_time_is_up_when_it_came_since_the_last_round_began(ago: timedelta, until: timedelta, up: bool) -> None:
    board = view_of(begun(ago, until))
    assert bool(time_is_up(board)) is up
    assert match_ends_at(board) == board.options["match_until"]
    assert time_is_up(view_of(begun(ago, until) | {"options": {"match_until": "none"}})) == ""


def test_when_the_time_is_up_the_next_step_is_the_end(
    anyone: FlaskClient, keeper: FlaskClient, session: FakeSession
) -> None:
    session.show(begun(2 * HOUR, -HOUR))
    for path in ("/", "/tv"):
        assert "this round is the last one" in anyone.get(path).text
    session.show(begun(2 * HOUR, -HOUR, phase="waiting", turn=None))
    page = keeper.get("/").text
    assert "Was that the last round?" in page
    assert 'class="button dock-key" href="/match-end"' in page
    assert 'class="button quiet" href="/round-start">Play another round' in page
    page = keeper.get("/scores").text
    assert 'class="button" href="/match-end">End the match' in page and "Next round" not in page
    assert 'class="button quiet" href="/round-start">Play another round' in page
    session.show(begun(2 * HOUR, HOUR, phase="waiting", turn=None))
    assert 'class="button" href="/round-start">Next round' in keeper.get("/scores").text
    page = keeper.get("/").text
    assert "Ready for the next round" in page and 'class="button dock-key" href="/round-start"' in page


@pytest.mark.parametrize("until", [-HOUR, HOUR], ids=["the time is up", "it is to come"])
def test_whoever_only_watches_is_offered_no_next_step(
    anyone: FlaskClient, keeper: FlaskClient, session: FakeSession, until: timedelta
) -> None:
    session.show(begun(2 * HOUR, until, phase="waiting", turn=None))
    for path in ("/", "/tv"):
        page = anyone.get(path).text
        assert 'href="/round-start"' not in page and 'href="/match-end"' not in page
    page = keeper.get("/").text
    assert 'href="/round-start"' in page and 'href="/match-end"' in page


@pytest.mark.parametrize(("until", "kept"), [(-MINUTE, False), (HOUR, True)], ids=["it has come", "it is to come"])
def test_the_same_players_again_keep_no_time_that_has_come(tmp_path: Path, until: timedelta, kept: bool) -> None:
    now = datetime.now().astimezone()
    agreed = {"rounds": 5, "match_until": f"{now + until:%H:%M}"}
    state = make_app_state(tmp_path)
    game = state.start_game({"rules": "tactic", "set": "double-9", "players": ["Ann", "Ben"], "options": agreed})
    client = create_app(state, PageSettings(pin="135790")).test_client()
    client.post("/pin", data={"pin": "135790"})
    state.session.close()  # type: ignore[attr-defined]
    path = tmp_path / "games" / game / "journal.jsonl"
    begun = Game.open(path, lambda: (now - 2 * HOUR).astimezone(UTC))
    begun.start_round()
    state.put_on_the_table(begun, game)
    assert client.post("/setup", data={"same_as": game}, headers=PAGE).status_code == 303
    assert state.session.snapshot().options == ({"rounds": 5} if not kept else agreed)
    begun.close()
    state.session.close()  # type: ignore[attr-defined]
    state.signal.close()


def test_a_table_without_an_agreement_says_nothing_of_it(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.midgame())
    assert "Match ends at" not in anyone.get("/").text
    session.show(tables.midgame(options={"match_points": 200, "match_until": "22:30"}))
    assert "<dt>Match ends at</dt><dd>200 · 22:30</dd>" in whole(anyone.get("/").text)


def test_a_match_that_is_over_ends_at_no_time(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.match_over() | {"options": {"match_until": "22:30"}})
    assert "Match ends at" not in anyone.get("/").text


@pytest.mark.parametrize(
    ("until", "passed"),
    [("22:59", True), ("23:00", True), ("23:01", False), ("01:30", False), ("11:01", True), ("none", False)],
)
def test_a_time_after_midnight_is_to_come(until: str, passed: bool) -> None:
    assert has_passed(until, datetime(2026, 1, 31, 23, 0)) is passed


def test_the_winners_stand_on_their_steps(anyone: FlaskClient, session: FakeSession) -> None:
    totals = {"Ann": 37, "Ben": 37, "Cyril": 61, "Dorothea": 73}
    session.show(tables.match_over() | {"winner": ["Ann", "Ben"], "totals": totals})
    for path in ("/", "/tv"):
        page = anyone.get(path).text
        podium = page.split('<section class="podium"')[1].split("</section>")[0]
        found = re.findall(r'<li class="([^"]*)">.*?<b>(\w+)</b><span>(\d+)</span>', podium, re.DOTALL)
        steps = [("step step-1 won", "Ann"), ("step step-1 won", "Ben"), ("step step-3", "Cyril"), ("", "Dorothea")]
        assert [(one, name) for one, name, _total in found] == steps
        assert ">leads<" not in page.split("region-scores")[1].split("</table>")[0]
    assert 'href="/share"' in anyone.get("/").text


def test_the_end_of_a_match_sounds_like_one() -> None:
    ended = {"seq": 99, "event": "match_ended", "winners": ["Ann"], "source": "rule"}
    table = tables.match_over()
    tones = [one["tone"] for one in calls_of(view_of({**table, "plays": [*table["plays"], ended]}))]
    assert tones.count("won") == 1


def test_a_shared_win_has_the_same_words_everywhere(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.match_over() | {"winner": ["Ann", "Ben"]})
    for path in ("/", "/scores", "/share"):
        page = anyone.get(path).text
        assert "Shared win: Ann, Ben" in page and "Winner" not in page
    ended = {"event": "match_ended", "winners": ["Ann", "Ben"]}
    assert event_text(ended, "mexican") == "The match is over. Shared win: Ann, Ben."


@pytest.mark.parametrize(("table", "tile"), [(tables.chinese_line, "1:5"), (tables.midgame, "10-5")])
def test_a_tile_is_written_as_in_the_list_of_plays(
    anyone: FlaskClient, session: FakeSession, table: Callable[[], dict[str, Any]], tile: str
) -> None:
    session.show(table())
    under = re.findall(r'<span class="num" aria-hidden="true">(.*?)</span>', anyone.get("/").text)
    assert tile in [re.sub("<.*?>", "", one) for one in under]
