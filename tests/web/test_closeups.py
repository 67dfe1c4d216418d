"""A dispute over one tile: its place before, the tile after at full resolution, and what was read, over it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeSession
from companion.app.state import AppState
from companion.evidence.closeups import close_up, read_index, unread_close_up
from companion.evidence.store import PICTURE, EvidenceStore
from companion.geometry.layout import Point, SeenHalf, SeenTile
from tests.shown import state_of
from vision.frame import Frame

CORNERS = [[50.0, 40.0], [950.0, 40.0], [950.0, 660.0], [50.0, 660.0]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    (tmp_path / "games/tonight").mkdir(parents=True)
    made = EvidenceStore(tmp_path / "games", free_bytes=lambda folder: 10**12)
    yield made
    made.close()


def tile(x: float, y: float, a: int | None, b: int | None, p: float = 0.99) -> SeenTile:
    """A tile of 60 x 30 px that lies along x; a picture pixel is a millimetre."""
    quad: tuple[Point, Point, Point, Point] = ((x, y + 30), (x, y), (x + 60, y), (x + 60, y + 30))
    return SeenTile((x + 30, y + 15), 0.0, 60, 30, True, (SeenHalf(a, p), SeenHalf(b, 0.98)), 0.9, quad)


def frame(at: float, *tiles: SeenTile) -> Frame:
    """The tiles as white boxes on a dark table."""
    image = np.full((700, 1000, 3), 60, np.uint8)
    for one in tiles:
        assert one.box_px is not None
        (x0, y0), (x1, y1) = one.box_px[1], one.box_px[3]
        image[round(y0) : round(y1), round(x0) : round(x1)] = 240
    return Frame(image, at, f"f{at}")


def kept(store: EvidenceStore, *frames_and_tiles: tuple[Frame, list[SeenTile]]) -> list[str]:
    """Each table is kept as a picture of the game and then comes to rest."""
    names = []
    for shown, tiles in frames_and_tiles:
        name = store.keep("tonight", shown, CORNERS, tiles=tiles)
        store.settled(shown, tiles, CORNERS)
        assert name is not None
        names.append(name)
    store.flush()
    return names


def brightness(path: Path, quad: list[list[float]]) -> float:
    image = cv2.imread(str(path))
    (x0, y0), (x1, y1) = quad[1], quad[3]
    return float(image[round(y0) + 3 : round(y1) - 3, round(x0) + 3 : round(x1) - 3].mean())


def test_the_tile_is_cut_out_before_and_after_it_was_laid(store: EvidenceStore, tmp_path: Path) -> None:
    first, second = tile(300, 300, 12, 5), tile(365, 300, 5, 7)
    kept(store, (frame(1, first), [first]))
    (name,) = kept(store, (frame(2, first, second), [first, second]))
    folder = tmp_path / "games/tonight"
    rows = read_index(folder / name.replace(".jpg", ".json"))
    assert [(row["values"], row["new"]) for row in rows] == [([12, 5], False), ([5, 7], True)]
    laid = rows[1]
    assert brightness(folder / laid["after"], laid["quad"]) > 220
    assert brightness(folder / laid["before"], laid["quad"]) < 80, "before, its place was empty"
    assert cv2.imread(str(folder / laid["after"])).shape[1::-1] == tuple(laid["size"])


def test_crops_show_the_table_and_nothing_beside_it(store: EvidenceStore, tmp_path: Path) -> None:
    edge = tile(60, 50, 1, 2)
    picture = frame(1, edge)
    picture.image[:, :20] = (0, 0, 255)
    kept(store, (picture, [edge]))
    (crop,) = (tmp_path / "games/tonight").glob("*-tile-1.jpg")
    assert np.abs(cv2.imread(str(crop))[:, :8].astype(int) - 128).max() < 20


def test_a_tile_that_was_asked_about_first_keeps_its_pictures(store: EvidenceStore, tmp_path: Path) -> None:
    unread, read = tile(300, 300, 12, None), tile(301, 300, 12, 5)
    names = kept(store, (frame(1), []), (frame(2, unread), [unread]), (frame(3, read), [read]))
    made = close_up(tmp_path / "games/tonight", [names[2]], [12, 5])
    assert made is not None and made.before is not None
    assert made.after.startswith(names[1].removesuffix(".jpg"))
    unanswered = unread_close_up(tmp_path / "games/tonight", names[1])
    assert unanswered is not None and [label.value for label in unanswered.labels] == ["12", "?"]


def inked(at: float, *tiles: SeenTile) -> Frame:
    """The tiles as boxes whose halves are as dark as they count."""
    shown = frame(at, *tiles)
    for one in tiles:
        assert one.box_px is not None
        (x0, y0), (x1, _) = one.box_px[1], one.box_px[3]
        for half, (left, right) in enumerate(((x0, (x0 + x1) / 2), ((x0 + x1) / 2, x1))):
            value = one.halves[half].value if one.halves is not None else None
            if value:
                shown.image[round(y0) + 4 : round(y0) + 4 + 3 * value, round(left) + 4 : round(right) - 4] = 20
    return shown


def test_a_tile_laid_on_another_has_a_picture_of_its_own(store: EvidenceStore, tmp_path: Path) -> None:
    under, upon = tile(300, 300, 1, 6), tile(303, 298, 4, 6)
    (first,) = kept(store, (inked(1, under), [under]))
    (second,) = kept(store, (inked(2, upon), [upon]))
    folder = tmp_path / "games/tonight"
    (row,) = read_index(folder / second.replace(".jpg", ".json"))
    assert row["values"] == [4, 6] and row["new"] and row["after"].startswith(second.removesuffix(".jpg"))
    lower, upper = close_up(folder, [first], [1, 6]), close_up(folder, [second], [4, 6])
    assert lower is not None and upper is not None and lower.after != upper.after
    shown, below = (cv2.imread(str(folder / str(name))) for name in (upper.after, upper.before))
    left = np.s_[70:100, 70:90]
    assert shown[left].mean() < below[left].mean(), "the four is darker than the one that lay there before"


def test_a_tile_in_the_place_of_a_half_read_one_is_told_from_it_by_the_picture(
    store: EvidenceStore, tmp_path: Path
) -> None:
    half_read, in_its_place = tile(300, 300, 5, None), tile(300, 300, 5, 2)
    (first,) = kept(store, (inked(1, tile(300, 300, 5, 6)), [half_read]))
    (second,) = kept(store, (inked(2, tile(300, 300, 5, 2)), [in_its_place]))
    made = close_up(tmp_path / "games/tonight", [second, first], [5, 2])
    assert made is not None and made.after.startswith(second.removesuffix(".jpg"))


def test_two_unread_tiles_in_one_picture_show_neither(store: EvidenceStore, tmp_path: Path) -> None:
    one, other = tile(300, 300, 12, None), tile(500, 300, None, 3)
    (name,) = kept(store, (frame(1, one, other), [one, other]))
    assert unread_close_up(tmp_path / "games/tonight", name) is None


def test_crops_go_with_the_other_pictures(store: EvidenceStore, tmp_path: Path) -> None:
    one = tile(300, 300, 12, 5)
    kept(store, (frame(1), []), (frame(2, one), [one]))
    names = sorted(path.name for path in (tmp_path / "games/tonight").glob("*.jpg"))
    assert len(names) == 4 and all(PICTURE.fullmatch(name) for name in names)
    assert store.status.pictures == 4
    assert store.delete_all() == 4
    assert list((tmp_path / "games/tonight").iterdir()) == []


def test_a_table_that_was_laid_while_nobody_watched_does_not_flood_the_disk(
    store: EvidenceStore, tmp_path: Path
) -> None:
    tiles = [tile(60 + 70 * (n % 12), 60 + 60 * (n // 12), n % 13, n % 7) for n in range(90)]
    kept(store, (frame(1, *tiles), tiles))
    assert len(list((tmp_path / "games/tonight").glob("*-tile-*.jpg"))) <= 24


def test_the_close_ups_of_a_new_table_do_not_cost_the_next_play_its_picture(store: EvidenceStore) -> None:
    """A busy card has written none of them when the next tile is laid, two seconds later."""
    put, answers = store._put, threading.Event()
    store._put = lambda path, made: (answers.wait(60), put(path, made))  # type: ignore[assignment, func-returns-value]
    backs = [tile(60 + 70 * (n % 6), 60 + 40 * (n // 6), None, None) for n in range(24)]
    store.settled(frame(1), [], CORNERS)
    names = [store.keep("tonight", frame(2 + n, *backs), CORNERS, before=True, tiles=backs) for n in range(2)]
    answers.set()
    assert None not in names


def test_the_play_shows_the_tile_with_its_reading_and_the_other_readings(
    anyone: FlaskClient, session: FakeSession, app_state: AppState, tmp_path: Path, store: EvidenceStore
) -> None:
    laid = tile(300, 300, 0, 11, 0.72)
    kept(store, (frame(1), []))
    (name,) = kept(store, (frame(2, laid), [laid]))
    (tmp_path / "games/tonight/journal.jsonl").write_text("{}\n", encoding="utf-8")
    session.lines[31] |= {"frame": name, "reading": {"p": [0.72, 0.98], "others": [[[6, 0.25]], []]}}
    page = anyone.get("/play/32").get_data(as_text=True)
    assert f"{name.removesuffix('.jpg')}-tile-1.jpg" in page
    assert f"{name.removesuffix('.jpg')}-tile-1-before.jpg" in page
    assert "<polygon" in page and ">11</text>" in page
    assert "70.6 %" in page and "24.5 %" in page and "6-11" in page


def test_the_play_shows_the_arm_that_it_rests_on(
    anyone: FlaskClient, session: FakeSession, app_state: AppState, tmp_path: Path, store: EvidenceStore
) -> None:
    (tmp_path / "games/tonight/journal.jsonl").write_text("{}\n", encoding="utf-8")
    players = [str(name) for name in state_of(session)["players"]]
    arm = np.full((300, 400, 3), 90, np.uint8)
    name = store.keep("tonight", frame(1), CORNERS, arms={players.index("Ben"): arm})
    store.flush()
    assert name is not None
    session.lines[31] |= {"frame": name}

    def rests_on(player: str) -> None:
        now = state_of(session)
        session.show({**now, "plays": [{**one, "arm": player} if one["seq"] == 32 else one for one in now["plays"]]})

    rests_on("Ben")
    picture = f"{name.removesuffix('.jpg')}-arm-{players.index('Ben')}.jpg"
    page = anyone.get("/play/32").get_data(as_text=True)
    assert picture in page and "The arm came from Ben's side." in page
    with anyone.get(f"/games/tonight/pictures/{picture}") as answer:
        assert answer.status_code == 200
    rests_on("Ann")
    page = anyone.get("/play/32").get_data(as_text=True)
    assert "-arm-" not in page and "The arm came from Ann's side." in page


def _game(session: FakeSession, folder: Path, *lines: dict[str, Any]) -> None:
    """These lines and no others."""
    (folder / "journal.jsonl").write_text("{}\n", encoding="utf-8")
    session.lines[:] = [{"source": "camera", "violations": [], **line, "seq": n} for n, line in enumerate(lines, 1)]


def _close_ups_on(anyone: FlaskClient, seq: int) -> set[str]:
    page = anyone.get(f"/play/{seq}").get_data(as_text=True)
    return set(re.findall(r"evidence-[\w-]+-tile-\d+", page))


def test_the_next_rounds_tile_is_not_shown_as_it_lay_in_the_round_before(
    anyone: FlaskClient, session: FakeSession, tmp_path: Path, store: EvidenceStore
) -> None:
    laid = tile(300, 300, 12, 5)
    (before, after) = kept(store, (frame(1, laid), [laid]), (frame(2), []))
    _game(
        session,
        tmp_path / "games/tonight",
        {"event": "round_started", "round": 1, "engine": [12, 12]},
        {"event": "tile_played", "by": "Ann", "tile": [12, 5], "train": "Ann", "frame": before},
        {"event": "round_started", "round": 2, "engine": [11, 11]},
        {"event": "tile_played", "by": "Ben", "tile": [5, 12], "train": "Ben", "frame": after},
    )
    assert _close_ups_on(anyone, 2)
    assert not _close_ups_on(anyone, 4)


@pytest.mark.parametrize("seen", [True, False])
def test_the_second_of_two_equal_tiles_is_shown_by_its_own_picture_or_by_none(
    seen: bool, anyone: FlaskClient, session: FakeSession, tmp_path: Path, store: EvidenceStore
) -> None:
    one, other = tile(300, 300, 5, 5), tile(500, 300, 5, 5)
    there = [one, other] if seen else [one]
    names = kept(store, (frame(1), []), (frame(2, one), [one]), (frame(3, *there), there))
    _game(
        session,
        tmp_path / "games/tonight",
        {"event": "round_started", "round": 1, "frame": names[0]},
        {"event": "tile_played", "by": "Ann", "tile": [5, 5], "train": "R", "frame": names[1]},
        {"event": "tile_played", "by": "Ben", "tile": [5, 5], "train": "R", "frame": names[2]},
    )
    first, second = _close_ups_on(anyone, 2), _close_ups_on(anyone, 3)
    assert {name[:29] for name in first} == {names[1][:29]}
    assert {name[:29] for name in second} == ({names[2][:29]} if seen else set())


def test_a_play_that_was_recorded_anew_keeps_its_picture(
    anyone: FlaskClient, session: FakeSession, tmp_path: Path, store: EvidenceStore
) -> None:
    one = tile(300, 300, 12, 5)
    names = kept(store, (frame(1), []), (frame(2, one), [one]), (frame(3, one), [one]))
    _game(
        session,
        tmp_path / "games/tonight",
        {"event": "round_started", "round": 1, "frame": names[0]},
        {"event": "tile_played", "by": "Ann", "tile": [12, 5], "train": "Ann", "frame": names[1]},
        {"event": "corrected", "corrects": 2, "what": {"withdrawn": True}},
        {"event": "tile_played", "by": "Ben", "tile": [12, 5], "train": "Ann", "frame": names[2]},
    )
    assert {name[:29] for name in _close_ups_on(anyone, 4)} == {names[1][:29]}


def test_the_table_before_a_round_s_first_play_is_not_the_last_round_s(
    anyone: FlaskClient, session: FakeSession, tmp_path: Path, store: EvidenceStore
) -> None:
    one, other = tile(300, 300, 12, 5), tile(500, 300, 11, 5)
    names = kept(store, (frame(1), []), (frame(2, one), [one]), (frame(3, other), [other]))
    _game(
        session,
        tmp_path / "games/tonight",
        {"event": "round_started", "round": 1, "frame": names[0]},
        {"event": "tile_played", "by": "Ann", "tile": [12, 5], "train": "Ann", "frame": names[1]},
        {"event": "round_started", "round": 2},
        {"event": "tile_played", "by": "Ben", "tile": [11, 5], "train": "Ben", "frame": names[2]},
    )
    assert f"/pictures/{names[0]}" in anyone.get("/play/2").text
    page = anyone.get("/play/4").text
    assert f"/pictures/{names[2]}" in page and f"/pictures/{names[1]}" not in page
    assert not _whole_table_on(anyone, 3), "nor is it the picture of the round's start"


def test_a_picture_that_shows_the_tile_already_is_not_its_before(
    anyone: FlaskClient, session: FakeSession, tmp_path: Path, store: EvidenceStore
) -> None:
    """Two tiles had been lying there while a question was open; both are recorded with one picture."""
    one, two, last = tile(300, 300, 12, 5), tile(365, 300, 5, 7), tile(430, 300, 7, 1)
    (empty,) = kept(store, (frame(1), []))
    store.settled(frame(2, one, two), [one, two], CORNERS)
    late = store.keep("tonight", frame(3, one, two), CORNERS, before=True, tiles=[one, two])
    store.settled(frame(3, one, two), [one, two], CORNERS)
    then = store.keep("tonight", frame(4, one, two, last), CORNERS, before=True, tiles=[one, two, last])
    store.flush()
    assert late and then
    _game(
        session,
        tmp_path / "games/tonight",
        {"event": "round_started", "round": 1, "frame": empty},
        {"event": "tile_played", "by": "Ann", "tile": [12, 5], "train": "Ann", "frame": late},
        {"event": "marker_placed", "by": "Ben", "train": "Ben", "frame": late},
        {"event": "tile_played", "by": "Ann", "tile": [7, 1], "train": "Ann", "frame": then},
        {"event": "drew", "source": "person", "by": "Ben"},
    )
    before = {seq: _whole_table_on(anyone, seq) for seq in (2, 3, 4, 5)}
    assert before[2] == before[3] == [empty, late]
    assert before[4] == [then.replace(".jpg", "-before-1.jpg"), then]
    assert before[5] == [then], "it has no picture of its own"
    assert "The last picture before this entry" in anyone.get("/play/5").text
    session.lines[0]["frame"] = None
    page = anyone.get("/play/2").text
    assert _whole_table_on(anyone, 2) == [late] and "No picture of the table from before this was kept." in page


def test_a_question_shows_the_place_that_it_is_about(
    anyone: FlaskClient, session: FakeSession, tmp_path: Path, store: EvidenceStore
) -> None:
    """A tile of a train happened to be unread while a hand was laid open: the question is about the hand."""
    unread, four, eight = tile(300, 300, None, 5), tile(100, 600, 4, 4), tile(165, 600, 8, 8)
    (before, asked) = kept(store, (frame(1), []), (frame(2, unread, four, eight), [unread, four, eight]))
    hand = {"event": "hand_shown", "source": "person", "by": "Ann", "tiles": [[4, 4], [8, 8]]}
    question = {"event": "unclear", "frame": asked, "candidates": [{"story": "4-4 8-8", "events": [hand]}]}
    _game(
        session,
        tmp_path / "games/tonight",
        {"event": "round_started", "round": 1, "frame": before},
        {**question, "reason": "hand_count: Ann"},
        {**question, "reason": "unreadable_tile: Ann"},
        {**question, "reason": "marker: Ann"},
        {**question, "reason": "new_round: 2", "candidates": []},
    )
    rows = {
        str(row["values"]): row["after"]
        for row in read_index(tmp_path / "games/tonight" / asked.replace("jpg", "json"))
    }
    shown = {
        seq: re.findall(r'src="/games/\w+/pictures/(\S+-tile-\d+.jpg)"', anyone.get(f"/play/{seq}").text)
        for seq in range(2, 6)
    }
    assert shown[2] == [rows["[4, 4]"]]
    assert shown[3] == shown[4] == [rows["[None, 5]"]] and not shown[5]
    assert anyone.get("/play/4").text.count("Is this Ann&#39;s marker?</h1>") == 1
    assert _whole_table_on(anyone, 2) == [before, asked] and _whole_table_on(anyone, 4) == [asked]


def _whole_table_on(anyone: FlaskClient, seq: int) -> list[str]:
    page = anyone.get(f"/play/{seq}").text
    return re.findall(r'src="/games/\w+/pictures/(evidence-[\dT]+-\d+(?:-before-1)?\.jpg)"', page)


@pytest.mark.parametrize(
    "index",
    [
        b"not json",
        b"[]",
        b'{"tiles": 3}',
        b'{"tiles": [1]}',
        b'{"tiles": [{"values": [0, 11], "quad": [[1, 2]], "size": [3, 4], "after": "a.jpg"}]}',
        b'{"tiles": [{"values": [0, 11], "quad": "abcd", "size": [3, 4], "after": "../a.jpg"}]}',
        b'{"tiles": [{"values": [0, 11], "quad": [[NaN,1],[1,1],[1,1],[1,1]], "size": [3, 4], "after": "f32.jpg"}]}',
        b"[" * 100_000,
    ],
)
def test_a_broken_index_shows_no_crops_and_breaks_nothing(
    anyone: FlaskClient, session: FakeSession, tmp_path: Path, index: bytes
) -> None:
    folder = tmp_path / "games/tonight"
    folder.mkdir(parents=True)
    for name, content in (("journal.jsonl", b"{}\n"), ("f32.jpg", b"\xff\xd8\xff"), ("f32.json", index)):
        (folder / name).write_bytes(content)
    session.lines[31]["frame"] = "f32.jpg"
    answer = anyone.get("/play/32")
    assert answer.status_code == 200 and "<polygon" not in answer.get_data(as_text=True)


def test_only_pictures_of_the_game_itself_are_named(tmp_path: Path) -> None:
    (tmp_path / "secret.jpg").write_bytes(b"x")
    inside = tmp_path / "game"
    inside.mkdir()
    row: dict[str, Any] = {
        "values": [1, 2],
        "quad": [[0, 0]] * 4,
        "size": [9, 9],
        "after": "../secret.jpg",
        "new": True,
    }
    (inside / "f.json").write_text(json.dumps({"tiles": [row]}), encoding="utf-8")
    assert close_up(inside, ["f.jpg"], [1, 2]) is None
