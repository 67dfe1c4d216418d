"""While long first trains are laid, header, big screen, panel and keys speak of the same player, or of everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shown import state_of
from tests.web.reading import words
from tests.web.real_table import Table


@pytest.fixture
def cz(tmp_path: Path) -> Iterator[Table]:
    """First trains laid by all at the same time."""
    table = Table(tmp_path, "cz", "double-12")
    yield table
    table.session.close()


@pytest.fixture
def poltava(tmp_path: Path) -> Iterator[Table]:
    """First trains laid one after the other."""
    table = Table(tmp_path, "poltava", "double-12")
    yield table
    table.session.close()


def region(table: Table, name: str, *, tv: bool = False) -> str:
    shown = table.client.get(f"/regions?tv={int(tv)}").get_json()["regions"][name]
    return " ".join(re.sub(r"(?s)<svg.*?</svg>|<[^>]*>", " ", words(shown)).replace("&#39;", "'").split())


def sent_by(table: Table, action: str) -> list[str]:
    """For whom the keys of this kind are."""
    forms = re.findall(rf'<form method="post" action="/api/{action}".*?</form>', table.page, re.DOTALL)
    return [name for form in forms for name in re.findall(r'name="by" value="(\w+)"', form)]


def everybody_builds(table: Table) -> None:
    for tv in (False, True):
        header = region(table, "turn", tv=tv)
        assert "Everybody builds their first train" in header and "Ann" not in header and "Ben" not in header
    assert region(table, "act").startswith("Everybody builds their first train Which train?")
    assert "to play" not in table.page.split("<title>")[1].split("</title>")[0]
    assert '<tr class="moves' not in table.page
    assert table.client.get("/regions").get_json()["next"] == "Everybody builds their first train"


def test_while_everybody_builds_nobody_is_said_to_be_to_move(cz: Table) -> None:
    everybody_builds(cz)
    assert sent_by(cz, "pass") == [] and sent_by(cz, "cannot-play") == ["Ann", "Ben", "Cy"]
    cz.lay("Ann", "12-3", "3-5")
    cz.lay("Cy", "12-4")
    everybody_builds(cz)
    assert "open to all" not in region(cz, "yard"), "the Mexican train is closed until ordinary turns begin"
    assert sent_by(cz, "pass") == ["Ann", "Cy"]
    cz.client.post("/whose", data={"name": "Ann"})
    assert "/api/draw" not in cz.page, "nobody draws while first trains are laid"
    assert "Cannot play: marker, next Ben" in region(cz, "act")
    assert region(cz, "yard").count("open ") >= 3, "each of them may be built on"


def test_on_a_players_own_phone_the_own_key_comes_first(cz: Table) -> None:
    cz.client.post("/whose", data={"name": "Cy"})
    assert sent_by(cz, "cannot-play") == ["Cy", "Ann", "Ben"]
    cz.lay("Ann", "12-3")
    cz.lay("Cy", "12-4")
    assert sent_by(cz, "pass") == ["Cy", "Ann"]


def test_each_builder_says_when_the_own_train_is_done(cz: Table) -> None:
    cz.lay("Ann", "12-3")
    cz.lay("Cy", "12-4", "4-5")
    cz.post("pass", by="Ann")
    assert sent_by(cz, "pass") == ["Cy"] and sent_by(cz, "cannot-play") == ["Ben"]
    cz.post("cannot-play", by="Ben")
    assert sent_by(cz, "cannot-play") == []
    everybody_builds(cz)
    assert sent_by(cz, "pass") == ["Cy"] and state_of(cz.session)["markers"] == ["Ben"]
    cz.post("pass", by="Cy")
    assert "to play Ann" in region(cz, "turn") and region(cz, "act").startswith("Ann: tap what was played.")
    assert "passed" not in region(cz, "plays") and "Cy ended their turn." in region(cz, "plays")
    cz.lay("Ann", "3-9")
    assert "to play Ben" in region(cz, "turn")
    assert not cz.held()


def test_whoever_has_no_tiles_left_is_named_while_the_others_still_build(tmp_path: Path) -> None:
    table = Table(tmp_path, "cz", "double-12", options={"hand": 2})
    table.lay("Cy", "12-4")
    table.lay("Ann", "12-5", "5-6", by="Ann")
    for tv in (False, True):
        assert region(table, "turn", tv=tv).startswith("No tiles left: Ann. The others still lay their first train.")
    table.session.close()


def test_a_train_that_grows_is_its_owners_in_every_place(poltava: Table) -> None:
    poltava.lay("Ann", "12-3", "3-5")
    for tv in (False, True):
        assert region(poltava, "turn", tv=tv) == "first train Ann Ann can play on 5 own"
    assert region(poltava, "act").startswith("Ann's first train: tap its next tile.")
    assert sent_by(poltava, "pass") == ["Ann"] and "cannot-play" not in poltava.page and "/api/draw" not in poltava.page
    assert "Ann to play" in poltava.page.split("</title>")[0]
    assert re.findall(r'<tr class="moves[^"]*">.*?</svg><span>(\w+)', poltava.page, re.DOTALL) == ["Ann"]
    assert poltava.client.get("/regions").get_json()["next"] == "Ann to play."
    poltava.post("pass", by="Ann")
    assert region(poltava, "turn").startswith("first turn Ben") and "cannot-play" in poltava.page
    assert "Ann ended their turn." in region(poltava, "plays")
    poltava.lay("Ben", "12-4")
    assert region(poltava, "turn").startswith("first train Ben"), "nobody needs to say that the last one is done"
    poltava.lay("Cy", "12-6")
    assert not poltava.held()


def test_a_players_own_phone_is_theirs_while_anothers_train_grows(poltava: Table) -> None:
    poltava.lay("Ann", "12-3")
    assert poltava.client.post("/whose", data={"name": "Ben", "next": "/"}).status_code == 303
    keys = region(poltava, "act")
    assert keys.startswith("Ben: tap what was played.") and "Ann's first train is done" in keys
    assert re.findall(r'name="train" value="(\w+)" required checked', poltava.page) == ["Ben"]
    assert "Cannot play: marker, next" in keys and sent_by(poltava, "cannot-play") == ["Ben"]
    assert region(poltava, "turn").startswith("first train Ann"), "the header is the same on every phone"


def test_a_players_own_phone_lays_their_own_train_while_everybody_builds(cz: Table) -> None:
    cz.lay("Ann", "12-3")
    assert cz.client.post("/whose", data={"name": "Cy", "next": "/"}).status_code == 303
    assert region(cz, "act").startswith("Cy: tap what was played.")
    assert re.findall(r'name="train" value="(\w+)" required checked', cz.page) == ["Cy"]
    cz.lay("Cy", "12-4")
    assert region(cz, "act").startswith("Cy's first train: tap its next tile.") and sent_by(cz, "pass") == ["Cy", "Ann"]
