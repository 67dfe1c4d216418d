"""What people change makes the belief run a round again, and nobody waits for that."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from companion.game.ingest import CameraIngest
from companion.game.session import Session
from companion.log.events import Header, TilePlayed
from companion.rules.notation import parse_delta
from tests.desk.making import ticking
from tests.desk.watching import table_change

ROUND = ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann", "+2-5@Ben", "+3-6@Cy")
MORE = ("+4-7@Ann", "+5-8@Ben")


def played(folder: Path, name: str) -> Session:
    session = Session.create(folder / name, Header("reeves", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((12, 12), "Ann")
    for change in ROUND:
        session.observe(table_change(parse_delta([change])))
    return session


def put_right(session: Session) -> None:
    """Somebody withdraws a tile, and says that another one was somebody else's."""
    plays = [event for event in session.events if isinstance(event, TilePlayed)]
    session.correct(plays[2].seq, {"withdrawn": True})
    session.correct(plays[4].seq, {"by": "Ann"})


def test_the_game_is_free_while_the_belief_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = played(tmp_path, "game.jsonl")
    put_right(session)
    free: list[bool] = []
    run = CameraIngest.catch_up

    def watched(self: CameraIngest) -> None:
        run(self)
        tapping = threading.Thread(target=lambda: free.append(session.snapshot()["phase"] == "playing"))
        tapping.start()
        tapping.join(10)

    monkeypatch.setattr(CameraIngest, "catch_up", watched)
    session.catch_up()
    assert free == [True]
    session.catch_up()
    assert free == [True], "there is nothing new"
    session.close()


def test_what_comes_of_it_is_the_same(tmp_path: Path) -> None:
    journals = []
    for name in ("at_once.jsonl", "beside.jsonl"):
        session = played(tmp_path, name)
        put_right(session)
        for change in MORE:
            if name.startswith("beside"):
                session.catch_up()
            session.observe(table_change(parse_delta([change])))
        session.close()
        journals.append((tmp_path / name).read_bytes())
    assert journals[0] == journals[1]


def test_what_is_tapped_meanwhile_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = played(tmp_path, "game.jsonl")
    put_right(session)
    plays = [event for event in session.events if isinstance(event, TilePlayed)]
    run, runs = CameraIngest.catch_up, []

    def tapped(self: CameraIngest) -> None:
        run(self)
        runs.append(self)
        session.correct(plays[3].seq, {"by": "Ben" if len(runs) == 1 else "Cy"})

    monkeypatch.setattr(CameraIngest, "catch_up", tapped)
    session.catch_up()
    assert len(runs) == 2, "somebody tapped each time, so it is left to the next change"
    session.observe(table_change(parse_delta([MORE[0]])))
    assert next(one["by"] for one in session.snapshot()["plays"] if one.get("seq") == plays[3].seq) == "Cy"
    session.close()
