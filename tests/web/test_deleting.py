"""An earlier game is deleted: asked first, with what goes with it, and it does not come back at the next start."""

from __future__ import annotations

from pathlib import Path

from bench.stand_ins.fakes import PIN, QUICK
from companion.app.games import make_app_state
from companion.log.copies import copy_of, keep_copy, kept_games
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app

GAME = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]}


def test_a_game_is_deleted_for_good_and_the_one_on_the_table_is_not(tmp_path: Path) -> None:
    state = make_app_state(tmp_path)
    client = create_app(state, PageSettings(pin=PIN, testing=True), PinLock.of(PIN, QUICK)).test_client()
    client.post("/api/pin", json={"pin": PIN})
    old, new = (client.post("/api/games", json=GAME).json["game"] for _ in range(2))  # type: ignore[index]
    games = tmp_path / "games"
    keep_copy(games, old, (games / old / "journal.jsonl").read_bytes())
    assert "0 rounds, their points and their pictures are deleted for good" in client.get(f"/games/{old}/delete").text
    assert "on the table" in client.get(f"/games/{new}/delete").text
    assert client.post(f"/games/{new}/delete").status_code == 404 and (games / new).is_dir()
    assert client.post(f"/games/{old}/delete").status_code == 303
    assert not (games / old).exists() and not copy_of(games, old).exists()
    state.session.journal.close()  # type: ignore[attr-defined]
    assert old not in kept_games(games), "our own copy does not bring it back"
    assert client.post(f"/games/{old}/delete").status_code == 404


def test_nobody_without_the_pin_deletes_anything(tmp_path: Path) -> None:
    state = make_app_state(tmp_path)
    app = create_app(state, PageSettings(pin=PIN, testing=True), PinLock.of(PIN, QUICK))
    app.test_client().post("/api/games", json=GAME, headers={"X-Companion-Pin": PIN})
    assert app.test_client().post("/games/game-0001/delete").status_code == 401
    state.session.journal.close()  # type: ignore[attr-defined]
