"""Small ways in which a box could be held up, filled, or keep what it should not."""

from __future__ import annotations

import http.client
import io
import json
import os
import time
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins.background import serve_in_background
from companion.app.games import open_hand_eye
from companion.app.learning import FOLDER, LearningDesk, delete_samples, pack
from companion.app.state import AppState
from companion.evidence.store import Deleter
from companion.hall.tables import MOST_BYTES, MOST_OF_ALL, Tables
from companion.log.events import Drew
from companion.publish.broker import unpack
from companion.publish.publisher import Outbox
from companion.rules.ruleset import load_ruleset
from companion.rules.ruleset_fields import RuleSetError
from companion.web.guard import address_of, network_of
from companion.web.setup import own_rules

HEADER = {"journal": 3, "rules": "tactic", "set": "double-9", "players": ["Ann", "Ben"], "options": {}}


def head(tables: Tables, seq: int, by: str = "") -> None:
    tables.head("t", {"name": "Table", "game": "game-0001", "seq": seq, "header": HEADER, "by": by})


def drew(tables: Tables, seq: int, by: str = "Ann", size: int = 100) -> None:
    tables.event("t", {"game": "game-0001", "event": Drew(seq=seq, by=by).to_json()}, size)


def test_a_table_that_lost_its_end_is_not_shown_with_it(tmp_path: Path) -> None:
    tables = Tables()
    head(tables, 5)
    for seq in range(1, 6):
        drew(tables, seq)
    head(tables, 3)
    drew(tables, 4, "Ben")
    known = tables.get("t")
    assert known is not None and [event.who for event in known.events] == ["Ann", "Ann", "Ann", "Ben"]
    outbox = Outbox(tmp_path / "published.json")
    outbox.begin("game-0001")
    outbox.confirm("game-0001", 5)
    outbox.limit("game-0001", 3)
    assert Outbox(tmp_path / "published.json").confirmed("game-0001") == 3


def test_a_table_that_lost_its_end_and_is_past_it_by_now_is_heard_anew() -> None:
    tables = Tables()
    head(tables, 5, "first start")
    for seq in range(1, 6):
        drew(tables, seq)
    head(tables, 6, "second start")
    drew(tables, 6, "Ben")
    known = tables.get("t")
    assert known is not None and known.missing and known.events == [], "the old end and the new one are no game"
    for seq in range(1, 6):
        drew(tables, seq, "Ann" if seq < 4 else "Ben")
    assert [event.who for event in known.events] == ["Ann"] * 3 + ["Ben"] * 3 and not known.missing


def test_a_table_takes_so_much_of_the_halls_memory_and_no_more() -> None:
    tables = Tables()
    head(tables, 5)
    for seq in range(1, 100):
        drew(tables, seq, size=MOST_BYTES // 10)
    known = tables.get("t")
    assert known is not None and len(known.events) == 10 and known.missing
    for name in "abcdefghijkl":
        tables.head(name, {"name": name, "game": "game-0001", "seq": 1, "header": HEADER})
        tables.event(name, {"game": "game-0001", "event": Drew(seq=1, by="Ann").to_json()}, MOST_BYTES)
    assert sum(table.size for table in tables) == MOST_OF_ALL


def test_a_name_that_fills_the_halls_memory_is_passed_over() -> None:
    tables = Tables()
    long = "x" * 450_000
    tables.status(long, True)
    tables.head("t", {"name": "t", "game": "game-0001", "seq": 1, "header": HEADER})
    assert [table.id for table in tables] == ["t"]
    assert unpack(json.dumps({"game": long, "seq": 1, "header": HEADER}).encode()) is None


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"x = " + b"9" * 5000, "digits"),
        (b"extends = 'tactic'\n" + b".".join([b"a"] * 20_000) + b" = 1", "dots"),
        (b"x = " + b"[" * 5000, "expected TOML"),
        (b"#" * 70_000, "at most"),
        (b"\xff\xfe", "expected TOML"),
    ],
)
def test_a_file_of_house_rules_cannot_hold_anybody_up(tmp_path: Path, content: bytes, why: str) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "bad.toml").write_bytes(content)
    began = time.process_time()
    [found] = own_rules(tmp_path)
    assert why in found.fault and found.fault.startswith("bad.toml: ")
    assert time.process_time() - began < 10, "it took forty seconds"
    with pytest.raises(RuleSetError, match="expected"):
        load_ruleset(str(folder / "bad.toml"))


def test_what_is_no_file_is_not_waited_for_and_said_on_the_page(anyone: FlaskClient, app_state: AppState) -> None:
    assert app_state.data_dir is not None
    folder = app_state.data_dir / "rules"
    folder.mkdir()
    os.mkfifo(folder / "pipe.toml")
    assert [one.fault for one in own_rules(app_state.data_dir)] == ["pipe.toml: expected a file"]
    assert anyone.get("/setup").status_code == 200
    assert "set aside as pipe.toml.bad-1: pipe.toml: expected a file" in anyone.get("/repairs").text
    assert [path.name for path in folder.iterdir()] == ["pipe.toml.bad-1"]


def test_a_bad_house_file_is_set_aside_once_and_one_that_cannot_be_read_stays(
    anyone: FlaskClient, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert app_state.data_dir is not None
    folder = app_state.data_dir / "rules"
    folder.mkdir()
    for content in ("extends = ", "extends = 3"):
        (folder / "club.toml").write_text(content)
        anyone.get("/health")
    (folder / "ours.toml").write_text("extends = 'tactic'")
    anyone.get("/health")
    assert sorted(path.name for path in folder.iterdir()) == ["club.toml.bad-1", "club.toml.bad-2", "ours.toml"]
    codes = [repair.code for repair in app_state.repairs.open()]
    assert codes == ["RULES_ASIDE", "RULES_ASIDE"]

    def refused(path: Path, mode: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", refused)
    (folder / "ours.toml").touch()
    assert [(one.fault, one.bad) for one in own_rules(app_state.data_dir)] == [("ours.toml: Input/output error", False)]
    assert [repair.code for repair in app_state.repairs.open()] == ["RULES_FILE", "RULES_ASIDE", "RULES_ASIDE"]
    assert (folder / "ours.toml").exists()


def test_a_photograph_of_a_hand_is_never_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    import vision.eye
    from vision.pictures import PictureError
    from vision.reading import PictureReading

    class Eye:
        def look(self, image: np.ndarray, known: object = None) -> PictureReading:
            return PictureReading((image.shape[1], image.shape[0]), ())

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file is made")

    monkeypatch.setattr(vision.eye, "open_eye", lambda learned: Eye())
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    read = open_hand_eye()
    with pytest.raises(PictureError):
        read(b"no picture", "double-9", "")


def test_pictures_without_labels_are_deleted_too(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir()
    for name in ("a.jpg", "a.json", "b.jpg", "c.json"):
        (folder / name).write_bytes(b"{}")
    assert delete_samples(tmp_path, Deleter()) == 2
    assert list(folder.iterdir()) == []


def test_a_link_among_the_pictures_leads_nowhere(anyone: FlaskClient, app_state: AppState, tmp_path: Path) -> None:
    assert app_state.data_dir is not None
    folder = app_state.data_dir / "games" / "earlier"
    folder.mkdir(parents=True)
    secret = tmp_path / "elsewhere.jpg"
    secret.write_bytes(b"\xff\xd8secret")
    (folder / "journal.jsonl").write_text("{}\n")
    (folder / "f1.jpg").write_bytes(b"\xff\xd8own")
    (folder / "f2.jpg").symlink_to(secret)
    with anyone.get("/games/earlier/pictures/f1.jpg") as own, anyone.get("/games/earlier/pictures/f2.jpg") as other:
        assert (own.status_code, other.status_code) == (200, 404)


def test_a_link_among_the_corrected_tiles_leads_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir()
    label = {"tile": [1, 2], "read": [1, 3], "quad": [[0, 0], [40, 0], [40, 80], [0, 80]], "set": "double-9"}
    for name in ("own", "linked"):
        (folder / f"{name}.json").write_text(json.dumps(label))
    cv2.imwrite(str(folder / "own.jpg"), np.zeros((90, 50, 3), np.uint8))
    cv2.imwrite(str(tmp_path / "elsewhere.jpg"), np.zeros((90, 50, 3), np.uint8))
    (folder / "linked.jpg").symlink_to(tmp_path / "elsewhere.jpg")
    packed = io.BytesIO()
    pack(tmp_path, packed)
    with zipfile.ZipFile(packed) as archive:
        assert [name for name in archive.namelist() if name.endswith(".jpg")] == ["images/own.jpg"]


def test_all_addresses_of_one_machine_on_a_link_count_as_one() -> None:
    assert network_of("fe80::1%eth0") == network_of("fe80::dead:beef%eth0")
    assert network_of("192.168.1.2") != network_of("192.168.1.3")


def test_two_phones_of_one_house_are_two_addresses_over_ipv6_too() -> None:
    assert address_of("fe80::1%eth0") != address_of("fe80::2%eth0")
    assert address_of("::ffff:192.168.1.2") == address_of("192.168.1.2")


def test_asking_only_for_the_head_of_the_stream_ends(anyone: FlaskClient) -> None:
    for _ in range(20):
        answer = anyone.head("/api/stream")
        assert answer.status_code == 200 and answer.mimetype == "text/event-stream" and answer.data == b""


def test_a_task_of_learning_that_fails_in_any_way_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = LearningDesk(tmp_path, lambda: b"picture")

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(desk._teacher, "ask", fail)
    assert desk.begin("learn", "double-9")
    desk.wait(30)
    assert desk.status()["busy"] is None and desk.status()["last"]["why"] == "OTHER"
    desk.close()


def test_a_hundred_kilobytes_of_headers_are_refused_before_anybody_reads_them() -> None:
    server, port = serve_in_background(Flask(__name__))
    try:
        for size, status in ((10_000, 404), (100_000, 431)):
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            line.request("GET", "/", headers={"X-Long": "a" * size})
            assert line.getresponse().status == status
            line.close()
    finally:
        server.stop()


@pytest.mark.parametrize("address", ["/" + "x" * 12_000, "/?asked=" + "y" * 12_000])
def test_an_address_longer_than_any_of_ours_is_not_repeated(anyone: FlaskClient, address: str) -> None:
    usual = len(anyone.get("/nowhere" if "?" not in address else "/").data)
    assert len(anyone.get(address).data) < usual + 1000
