"""The bundle for whoever helps from afar says how the box is, and nothing of the people around it."""

from __future__ import annotations

import io
import json
import logging
import socket
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.cli.reporting import Diagnostics, RecentLog, Redaction, stand_ins
from companion.web.app import PageSettings, create_app

PIN = "481623"
PEOPLE = ("Zdeňka", "Олена", "by", "Ann-Marie O'Neil", "P2", "রহিম")
CORRECTOR = "Bartholomew"
CHOSEN = ("Sunday at Bo", "the-lighthouse", "our-cellar", "Oak table", "oak.example")


@pytest.fixture
def app_state(tmp_path: Path) -> Iterator[AppState]:
    made = make_app_state(tmp_path)
    header = {
        "rules": "tactic",
        "set": "double-12",
        "players": list(PEOPLE),
        "options": {},
        "table": {"room": "Zdeňka"},
    }
    made.start_game(header)
    session = made.session
    session.start_round((12, 12), PEOPLE[0])  # type: ignore[attr-defined]
    [play, *_] = session.play((12, 5), PEOPLE[0])  # type: ignore[attr-defined]
    session.correct(play.seq, {"tile": [12, 6]}, by=CORRECTOR)  # type: ignore[attr-defined]
    session.draw(PEOPLE[1])  # type: ignore[attr-defined]
    (tmp_path / "games" / made.game / "evidence-20261120T200000-0001.jpg").write_bytes(b"PICTURE")
    (tmp_path / "games" / "game-0007").mkdir()
    (tmp_path / "games" / "game-0007" / "journal.jsonl").write_text(
        json.dumps({"journal": 1, "rules": "tactic", "set": "double-9", "players": ["Grandma", "Grandma"]}) + "\n",
        encoding="utf-8",
    )
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "the-lighthouse.toml").write_text('extends = "tactic"\ntitle = "Sunday at Bo"\n', "utf-8")
    (tmp_path / "rules" / "our-cellar.toml").write_text("extends = ", encoding="utf-8")
    made.checks.append(lambda: ["Sunday at Bo, the-lighthouse and our-cellar by the Oak table of oak.example"])
    made.checks.append(lambda: [f"{tmp_path} cannot be looked at (asked by Олена)"])
    log = RecentLog()
    logger = logging.getLogger("companion.test")
    logger.addHandler(log)
    logger.warning(
        "%s at 192.168.1.77 opened %s/games with PIN %s on %s", "zdeňka", tmp_path, PIN, socket.gethostname()
    )
    logger.removeHandler(log)
    names = ("Oak table", "oak.example")
    made.diagnostics = Diagnostics(made, tmp_path, {"camera": "usb:", "broker": False}, log, names).pack
    yield made
    session.journal.close()
    made.signal.close()


@pytest.fixture
def page(app_state: AppState) -> FlaskClient:
    return create_app(app_state, PageSettings(pin=PIN, testing=True)).test_client()


def bundle_of(page: FlaskClient) -> zipfile.ZipFile:
    answer = page.get("/diagnostics.zip", headers={"X-Companion-Pin": PIN})
    assert answer.status_code == 200
    return zipfile.ZipFile(io.BytesIO(answer.data))


def test_nothing_in_it_names_people_pin_machine_address_or_place(page: FlaskClient, tmp_path: Path) -> None:
    bundle = bundle_of(page)
    everything = "\n".join(bundle.read(name).decode() for name in bundle.namelist()).casefold()
    for secret in (
        *PEOPLE[:2],
        *PEOPLE[3:4],
        PEOPLE[5],
        CORRECTOR,
        PIN,
        str(tmp_path),
        "192.168.1.77",
        "grandma",
        *CHOSEN,
    ):
        assert secret.casefold() not in everything, secret
    host = socket.gethostname().casefold()
    if len(host) > 6:
        assert host not in everything
    aside = ("READ-ME.txt", "doctor.json")
    told = "".join(bundle.read(name).decode() for name in bundle.namelist() if name not in aside)
    assert "picture" not in told, "what doctor finds speaks of fonts for pictures where they are missing"
    assert not any(name.endswith((".jpg", ".png")) for name in bundle.namelist())


def test_the_game_is_in_it_with_other_names(page: FlaskClient) -> None:
    lines = [json.loads(line) for line in bundle_of(page).read("journal.jsonl").decode().splitlines()]
    assert lines[0]["players"] == ["P1", "P2", "P3", "P4", "P5", "P6"] and "table" not in lines[0]
    plays = [line for line in lines if line.get("event") == "tile_played"]
    assert (plays[0]["by"], plays[0]["train"], plays[0]["tile"]) == ("P1", "P1", [12, 5])
    corrected = next(line for line in lines if line.get("event") == "corrected" and line["source"] == "person")
    assert corrected["by"] == "somebody"
    assert [line["seq"] for line in lines[1:]] == list(range(1, len(lines)))


def test_it_says_how_box_and_games_are(page: FlaskClient) -> None:
    bundle = bundle_of(page)
    about = json.loads(bundle.read("about.json"))
    assert about["started"] == {"camera": "usb:", "broker": False} and about["packages"]["flask"]
    games = {one["game"]: one for one in json.loads(bundle.read("games.json"))}
    assert games["game-0001"]["events"]["tile_played"] == 1 and games["game-0001"]["players"] == 6
    assert games["game-0007"]["whole"] is False and games["game-0007"]["fault"] == "line 1: players"
    assert {"python", "disk", "games"} <= {one["name"] for one in json.loads(bundle.read("doctor.json"))}
    [warning] = [json.loads(line) for line in bundle.read("log.jsonl").decode().splitlines()]
    assert warning["level"] == "WARNING" and "somebody at … opened" in warning["words"]


def test_only_who_has_the_pin_gets_it(page: FlaskClient) -> None:
    assert page.get("/diagnostics.zip").status_code in (303, 401)
    assert page.get("/diagnostics.zip", headers={"X-Companion-Pin": "000000"}).status_code == 403
    assert "Save the diagnostics" not in page.get("/repairs").text
    page.post("/api/pin", json={"pin": PIN})
    assert "Save the diagnostics" in page.get("/repairs").text


def test_a_name_within_another_word_is_none() -> None:
    redaction = Redaction(stand_ins(["Ann", "Al"]), [])
    assert redaction.text("Ann, ANN and Annika; also Al.") == "P1, P1 and Annika; also P2."
    assert redaction.event({"by": "Ann", "Ann": 1, "scores": {"Ann": 5, "Al": 0}}) == {
        "by": "P1",
        "Ann": 1,
        "scores": {"P1": 5, "P2": 0},
    }


@pytest.mark.parametrize(
    "text", ["/var/lib/companion/games", "fe80::1ff:fe23:4567:890a", "10.0.0.1", "/home/ann/x.py, line 3"]
)
def test_places_and_addresses_are_not_told(text: str) -> None:
    told = Redaction({}).text(f"it was at {text}.")
    assert text.split(",")[0] not in told and "…" in told
