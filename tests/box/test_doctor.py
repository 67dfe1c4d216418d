"""The doctor: each check against a made-up machine, and the whole command on the one it runs on."""

from __future__ import annotations

import errno
import json
import os
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import companion.app.checkup as checkup
from bench.stand_ins.refusing_disk import refusing
from companion.app.checkup import Machine, check_all, check_games
from companion.cli.doctor import doctor
from companion.log.copies import journal_of, keep_copy
from companion.log.event_fields import Header
from companion.log.events import Drew
from companion.log.journal import Journal
from companion.storage.repairs import REPAIRS_FILE, Repair, Repairs


@pytest.fixture(scope="module", autouse=True)
def tried_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The trial of the runtimes is a process of its own that takes seconds: here all get the answer of the first."""
    folder = tmp_path_factory.mktemp("tried")
    tried = cache(lambda: checkup.choose_runtime(folder))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("companion.cli.doctor.choose_runtime", lambda data: tried())
        yield


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_whole_machine_is_ready_and_each_check_has_its_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(doctor, ["--data", str(tmp_path), "--port", str(free_port())])
    assert result.exit_code == 0, result.output
    assert "Ready" in result.output
    for name in checkup.CHECKS:
        assert f" {name} " in result.output


def test_without_a_camera_it_says_what_works_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "ribbon_cameras", list)
    finding = checkup.check_cameras(Machine(root=tmp_path))
    assert not finding.ok
    assert not finding.needed
    assert "read, score, judge, replay and demo" in finding.found


def test_it_looks_for_letters_where_the_picture_of_the_scores_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.app.fonts._files", lambda: [None])
    finding = checkup.check_fonts(Machine())
    assert not finding.ok and not finding.needed
    assert finding.found.startswith("none for Latin, Bengali, Chinese, Korean: the picture of the scores")


def test_a_camera_that_was_asked_for_is_needed(tmp_path: Path) -> None:
    arguments = ["--camera", "usb:97", "--data", str(tmp_path), "--port", str(free_port()), "--json"]
    result = CliRunner().invoke(doctor, arguments)
    assert result.exit_code == 1
    answer = json.loads(result.output)
    assert answer["ok"] is False
    [camera] = [check for check in answer["checks"] if check["name"] == "camera"]
    assert camera["ok"] is False
    assert camera["mend"]


def plug_in(root: Path, number: int, name: str, bus: str, index: str = "0") -> None:
    device = root / "sys/devices" / bus / f"1-{number}"
    device.mkdir(parents=True)
    node = root / f"sys/class/video4linux/video{number}"
    node.mkdir(parents=True)
    (node / "device").symlink_to(device)
    (node / "name").write_text(name + "\n", encoding="utf-8")
    (node / "index").write_text(index + "\n", encoding="ascii")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("http://ann:s3cr3t@127.0.0.1:{port}/video", "camera http://127.0.0.1:{port}/video: nobody answers"),
        ("no-such.mp4", "no-such.mp4: there is no such file"),
        ("webcam", "webcam: expected picamera"),
        ("usb:x", "usb:x: expected a number"),
    ],
)
def test_a_camera_of_any_kind_that_was_asked_for_is_tried(source: str, words: str, tmp_path: Path) -> None:
    port = free_port()
    finding = checkup.check_cameras(Machine(camera=source.format(port=port), root=tmp_path))
    assert not finding.ok and finding.needed and finding.found.startswith(words.format(port=port))


def test_usb_cameras_are_told_from_codecs_and_second_nodes(tmp_path: Path) -> None:
    plug_in(tmp_path, 0, "HD Webcam", "pci/usb1")
    plug_in(tmp_path, 1, "HD Webcam", "pci/usb2", index="1")
    plug_in(tmp_path, 10, "bcm2835-codec-decode", "platform/codec")
    assert checkup.usb_cameras(tmp_path) == ["usb:0 (HD Webcam)"]


def test_a_port_in_use_is_named_with_its_mend() -> None:
    with socket.socket() as holder:
        holder.bind(("0.0.0.0", 0))
        holder.listen()
        port = int(holder.getsockname()[1])
        finding = checkup.check_port(Machine(port=port))
    assert not finding.ok
    assert str(port) in finding.found
    assert "--port" in finding.mend


def test_beside_a_companion_that_runs_it_is_ready(tmp_path: Path) -> None:
    said = {"status": "degraded", "reasons": ["the clock was never set"]}

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        port = int(server.server_address[1])
        finding = checkup.check_port(Machine(port=port))
        said = {"status": "ok", "reasons": []}
        result = CliRunner().invoke(doctor, ["--data", str(tmp_path)], env={"COMPANION_PORT": str(port)})
        said = {"program": "another"}  # type: ignore[dict-item]
        other = checkup.check_port(Machine(port=port))
        server.shutdown()
    assert finding.ok and finding.found == f"the companion is running on port {port} and says: the clock was never set"
    assert f"the companion is running on port {port} and is well" in result.output and "Ready" in result.output
    assert not other.ok and "another program" in other.mend


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="ascii")
    finding = checkup.check_disk(Machine(data=blocked / "data"))
    assert not finding.ok
    assert "file" in finding.found


def test_a_card_that_became_read_only_is_named_by_the_doctor_and_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refusing(tmp_path, errno.EROFS):
        finding = checkup.check_disk(Machine(data=tmp_path))
    assert not finding.ok and finding.found == f"{tmp_path}: {checkup.READ_ONLY}"
    assert "take a new one" in finding.mend
    monkeypatch.setattr(
        os,
        "statvfs",
        lambda folder: SimpleNamespace(f_flag=os.ST_RDONLY, f_bavail=1, f_bfree=1, f_blocks=1, f_frsize=10**9),
    )
    assert checkup.quick_reasons(Machine(data=tmp_path)) == [checkup.READ_ONLY]


def test_a_card_that_the_system_gave_up_is_named_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "LEAST_DISK_MB", 0)
    device = tmp_path.stat().st_dev
    mounts = tmp_path / "proc/self/mountinfo"
    mounts.parent.mkdir(parents=True)
    machine = Machine(data=tmp_path, root=tmp_path)
    for options, found in (("rw", []), ("rw,errors=remount-ro,emergency_ro", [checkup.READ_ONLY])):
        mounts.write_text(f"29 1 {os.major(device)}:{os.minor(device)} / / rw,relatime - ext4 /dev/root {options}\n")
        assert checkup.quick_reasons(machine) == found


def test_little_room_and_little_memory_are_not_ok(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "LEAST_DISK_MB", 10**9)
    assert not checkup.check_disk(Machine(data=tmp_path)).ok
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 512000 kB\nMemAvailable: 90000 kB\n", encoding="ascii")
    finding = checkup.check_memory(Machine(root=tmp_path))
    assert not finding.ok
    assert finding.found == "90 MB of 512 MB available"


def test_a_clock_from_before_the_program_was_never_set(tmp_path: Path) -> None:
    never_set = Machine(now=lambda: datetime(1970, 1, 1, tzinfo=UTC), root=tmp_path)
    assert not checkup.check_clock(never_set).ok
    assert checkup.check_clock(Machine(now=lambda: datetime(2027, 5, 1, tzinfo=UTC), root=tmp_path)).ok


def test_damaged_weights_are_named_and_the_mend_is_to_install_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import vision.weights as shipped

    good = shipped.WEIGHTS
    for file in good.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    victim = next(tmp_path.glob("*.onnx"))
    victim.write_bytes(victim.read_bytes()[:-100])
    monkeypatch.setattr(shipped, "WEIGHTS", tmp_path)
    monkeypatch.setattr(shipped.shipped_weights, "__defaults__", (None, tmp_path))
    finding = checkup.check_weights(Machine())
    assert not finding.ok
    assert victim.name in finding.found
    assert "install" in finding.mend


def test_a_check_that_fails_to_check_is_a_line_and_not_a_traceback(tmp_path: Path) -> None:
    findings = {finding.name: finding for finding in check_all(Machine(root=tmp_path / "nowhere", data=tmp_path))}
    assert not findings["memory"].ok
    assert "could not be checked" in findings["memory"].found


def test_the_optics_are_judged_for_the_table_that_is_named(tmp_path: Path) -> None:
    arguments = ["--json", "--data", str(tmp_path), "--port", str(free_port()), "--table", "800x600"]
    result = CliRunner().invoke(doctor, [*arguments, "--model", "camera-module-3", "--height", "500"])
    [view] = json.loads(result.output)["optics"]
    assert view["verdict"] == "cut off"
    assert "higher" in view["sentence"]


@pytest.mark.parametrize(
    "wrong",
    [["--table", "big"], ["--table", "0x0"], ["--model", "box-brownie"], ["--height", "3"], ["--port", "65536"]],
)
def test_wrong_usage_is_one_line_and_status_2(wrong: list[str]) -> None:
    result = CliRunner().invoke(doctor, wrong)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_the_quick_reasons_for_health_are_disk_and_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checkup.quick_reasons(Machine(data=tmp_path / "not/yet/there")) == []
    monkeypatch.setattr(checkup, "LEAST_DISK_MB", 10**9)
    never_set = Machine(data=tmp_path, now=lambda: datetime(1970, 1, 1, tzinfo=UTC))
    disk, clock = checkup.quick_reasons(never_set)
    assert "MB are free" in disk
    assert "never set" in clock


def test_reports_that_nobody_has_seen_are_named(tmp_path: Path) -> None:
    Repairs(tmp_path / REPAIRS_FILE).report(
        Repair("STATE_FILE", {"file": "seats.json", "aside": "seats.json.damaged-1"})
    )
    before = (tmp_path / REPAIRS_FILE).read_bytes()
    result = CliRunner().invoke(doctor, ["--data", str(tmp_path), "--port", "0"])
    assert "The file seats.json made no sense" in result.output and "No game was in it." in result.output
    assert "-> press its button on the page Help" in result.output
    (tmp_path / REPAIRS_FILE).write_bytes(b"nonsense")
    assert CliRunner().invoke(doctor, ["--data", str(tmp_path), "--port", "0", "--json"]).exit_code == 0
    assert (tmp_path / REPAIRS_FILE).read_bytes() == b"nonsense", "the doctor only looks"
    assert before


def test_buttons_are_never_needed(tmp_path: Path) -> None:
    without = checkup.check_buttons(Machine(root=tmp_path))
    assert (without.ok, without.needed) == (False, False)
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/gpiochip0").touch()
    assert checkup.check_buttons(Machine(root=tmp_path)).ok


def test_the_doctor_reads_every_game_and_changes_none(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "games", "game-0001")
    path.parent.mkdir(parents=True)
    with Journal.create(path, Header("tactic", "double-9", ("Ann", "Ben"))) as journal:
        journal.append_all([Drew(by="Ann")] * 5)
        keep_copy(tmp_path / "games", "game-0001", journal.content)
    assert check_games(Machine(data=tmp_path)).found == "1 games, 1 copies, all whole"
    damaged = path.read_bytes().replace(b"Ann", b"Bob", 3)
    path.write_bytes(damaged)
    finding = check_games(Machine(data=tmp_path))
    assert not finding.ok and "damaged: game-0001" in finding.found and finding.mend
    assert path.read_bytes() == damaged
