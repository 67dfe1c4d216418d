"""A round that is over: what the page says of it, and what of it can be taken along."""

from __future__ import annotations

import csv
import io
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from PIL import Image

from bench.stand_ins import tables
from bench.stand_ins.fakes import PIN, QUICK, FakeSession
from bench.stand_ins.views import view_of
from companion.app import fonts
from companion.app.fonts import in_fonts
from companion.app.games import make_app_state
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app
from companion.web.score_sheet import as_csv, summary_of


def scored(**changes: Any) -> dict[str, Any]:
    """Round 3 has its points: Ben went out, Ann leads."""
    table = tables.midgame(phase="waiting", turn=None)
    last = {"round": 3, "how": "out", "out": "Ben", "engine": [10, 10],
            "scores": {"Ann": 9, "Ben": 0, "Cyril": 4, "Dorothea": 40}}  # fmt: skip
    table["rounds_played"] = [*table["rounds_played"], last]
    table["totals"] = {"Ann": 46, "Ben": 55, "Cyril": 65, "Dorothea": 113}
    table["shown"] = {"Ann": [[4, 5]], "Ben": [], "Cyril": [[0, 4]]}
    return {**table, **changes}


def test_the_score_comes_first_when_a_round_is_over(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(scored())
    page = " ".join(anyone.get("/").text.split())
    assert "Ben went out" in page and "Ann leads by 9." in page
    assert "Best round without going out: Cyril, 4 points (round 3)." in page, "Ben has 0: he went out"
    assert 'aria-label="4-5 "' in page and 'class="trains"' not in page, "the tiles left, not the old trains"
    session.show(scored(shown={"Ann": [[4, 5]]}))
    assert anyone.get("/").text.count('class="left">no tiles<') == 1, "whoever went out has none left, shown or not"
    session.show(tables.midgame())
    playing = anyone.get("/").text
    assert "round-over" not in playing and ">closed</span>" in playing
    session.show(tables.midgame(phase="ended", turn=None))
    assert ">closed</span>" not in anyone.get("/").text, "nobody may play anywhere: no train is closed to anybody"


def test_hands_of_a_round_without_points_are_not_shown_with_the_points_of_another() -> None:
    summary = summary_of(view_of(scored(round=4)))
    assert summary is not None and {row.left for row in summary.rows} == {None}


def test_the_scores_are_text_table_and_picture(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(scored())
    assert "1. Ann: 46 (+9)" in anyone.get("/share").text
    answer = anyone.get("/games/tonight/scores.csv")
    rows = list(csv.reader(io.StringIO(answer.data.decode("utf-8-sig"))))
    assert rows[0] == ["Round", "Engine", "How it ended", "Ann", "Ben", "Cyril", "Dorothea"]
    assert rows[3] == ["3", "10-10", "Ben went out", "9", "0", "4", "40"] and rows[-1][3:] == ["46", "55", "65", "113"]
    picture = Image.open(io.BytesIO(anyone.get("/games/tonight/scores.png").data))
    assert picture.format == "PNG" and picture.size[0] == 1080 and len(set(picture.get_flattened_data())) > 50


def test_no_name_is_a_formula_in_the_spreadsheet() -> None:
    names = ["=1+1", "Ben", "Cyril", "Dorothea"]
    table = scored(players=names, totals=dict.fromkeys(names, 0))
    assert b",'=1+1,Ben" in as_csv(view_of(table))


def test_a_letter_without_a_font_is_left_out_of_the_picture(
    anyone: FlaskClient, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fonts, "_files", lambda: [None])
    assert [part for part, _font in in_fonts("Winner: Annর 小 B", 32)] == ["Winner: Ann  B"]
    assert in_fonts("রহিম", 32) == []
    names = ["Ann", "রহিম", "Cyril", "Dorothea"]
    session.show(scored(players=names, totals=dict(zip(names, (1, 2, 3, 4), strict=True))))
    answer = anyone.get("/games/tonight/scores.png")
    assert answer.status_code == 200 and Image.open(io.BytesIO(answer.data)).size[0] == 1080
    assert "/games/tonight/scores.png" in anyone.get("/share").text


def test_a_font_of_any_name_writes_what_it_has_letters_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only the files of a list: each machine brings others."""
    known = in_fonts("Ж", 32)[0][1].path if in_fonts("Ж", 32) else pytest.skip("no font here has this letter")
    shutil.copy(str(known), tmp_path / "Family-Own.otf")
    (tmp_path / "Broken-Bold.ttf").write_bytes(b"no font")
    monkeypatch.setattr(fonts, "FOLDERS", (tmp_path,))
    monkeypatch.setattr(fonts, "_files", fonts._files.__wrapped__)
    assert [(part, str(font.path)) for part, font in in_fonts("Ж 小", 32)] == [("Ж ", str(tmp_path / "Family-Own.otf"))]


def test_two_boxes_for_a_letter_are_no_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shaped, the one letter falls into two that the font lacks, and does not look like one that it lacks."""
    latin = [path for path in fonts._files() if path is None or path.name.startswith("DejaVu")]
    monkeypatch.setattr(fonts, "_files", lambda: latin)
    assert in_fonts("জ\u09dfী", 32) == []


def test_a_picture_without_a_font_for_the_language_is_in_english(
    anyone: FlaskClient, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not what is left of the sentences without their letters."""
    monkeypatch.setattr(fonts, "_files", lambda: [None])
    session.show(scored())
    english, *others = (anyone.get(f"/games/tonight/scores.png?lang={one}").data for one in ("en", "bn", "zh", "ko"))
    assert others == [english] * 3 != [anyone.get("/games/tonight/scores.png?lang=de").data] * 3
    assert "第 3 局" in anyone.get("/share?lang=zh").text


def test_the_zip_of_a_game_without_a_camera_holds_the_sheet_too(tmp_path: Any) -> None:
    state = make_app_state(tmp_path)
    app = create_app(state, PageSettings(pin=PIN, testing=True), PinLock.of(PIN, QUICK))
    client = app.test_client()
    client.post("/api/pin", json={"pin": PIN})
    game = client.post("/api/games", json={"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]}).json
    packed = zipfile.ZipFile(io.BytesIO(client.get(f"/games/{game['game']}/export.zip").data))  # type: ignore[index]
    assert {"journal.jsonl", "scores.csv", "scores.txt", "scores.png"} <= {
        name.split("/")[1] for name in packed.namelist()
    }
    state.session.journal.close()  # type: ignore[attr-defined]


def test_the_next_phone_finds_the_way_in(anyone: FlaskClient) -> None:
    page = anyone.get("/invite").text
    assert "192.168.1.23:8000" in page and "/qr.svg" in page
    assert "It has 6 digits. It stands on the screen of the box." in anyone.get("/pin").text


def test_the_screen_shows_the_way_in_for_as_long_as_no_round_is_played(
    anyone: FlaskClient, session: FakeSession
) -> None:
    session.show(tables.midgame())
    assert "data-stays" not in anyone.get("/tv").text
    session.show(scored())
    assert "data-stays" in anyone.get("/tv").text


@pytest.mark.parametrize("page", ["/setup", "/games", "/table", "/seats", "/invite"])
def test_every_page_is_two_taps_away(anyone: FlaskClient, page: str) -> None:
    menu = anyone.get("/").text.partition('<details class="rest">')[2].partition("</details>")[0]
    assert f'href="{page}"' in menu
