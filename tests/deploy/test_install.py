"""The installer, run whole against a pretended Raspberry Pi."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from companion.log.event_fields import Header
from companion.log.events import Drew
from companion.log.journal import Journal
from tests.deploy.pretended import DEPLOY, Box


def test_the_scripts_are_clean_shell() -> None:
    checker = Path(sys.executable).with_name("shellcheck")
    scripts = [*DEPLOY.glob("*.sh"), DEPLOY / "companion", *(DEPLOY.parent / ".ci").iterdir()]
    answer = subprocess.run([checker, *map(str, scripts)], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


def test_a_fresh_pi_gets_packages_user_release_settings_and_a_running_service(box: Box) -> None:
    result = box.run()
    assert result.returncode == 0, result.stderr
    assert any(
        "apt-get install" in call and "python3-picamera2" in call and "fonts-dejavu-core" in call for call in box.calls
    )
    assert any(call.startswith("useradd --system") and call.endswith("companion") for call in box.calls)
    assert {call for call in box.calls if call.startswith("usermod")} == {
        f"usermod --append --groups {group} companion" for group in ("video", "render", "gpio")
    }
    assert any(call.startswith("python3 -m venv --system-site-packages") for call in box.calls)
    packages, program = [call for call in box.calls if "pip install" in call]
    assert "--require-hashes" in packages and "hashes.txt" in packages
    assert "--no-deps" in program and "--editable" in program
    assert "simplejpeg==" in (DEPLOY / "hashes.txt").read_text(encoding="ascii"), "Bookworm's own clashes with numpy 2"
    assert box.present.startswith("1.2.3-")
    assert (box.home / "current/companion/program.py").read_text(encoding="utf-8") == "# first\n"
    assert (box.root / "etc/systemd/system/companion.service").is_file()
    assert not (box.root / "etc/systemd/system/companion-kiosk.service").exists()
    assert "systemctl enable --quiet companion.service companion-backup.timer" in box.calls
    assert "systemctl restart companion.service" in box.calls
    assert "http://box.local:8000" in result.stdout


def test_the_services_user_reads_the_program_whatever_the_administrators_umask(box: Box) -> None:
    before = os.umask(0o077)
    try:
        result = box.run()
    finally:
        os.umask(before)
    assert result.returncode == 0, result.stderr
    for folder in (box.home, box.home / "releases", box.home / "current" / "companion"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o755, folder
    assert stat.S_IMODE((box.home / "current/companion/program.py").stat().st_mode) & 0o044 == 0o044


def test_the_pin_is_made_once_kept_and_read_by_root_only(box: Box) -> None:
    first = box.run()
    settings = box.root / "etc/companion/companion.conf"
    [pin] = re.findall(r"^COMPANION_PIN=(\d{6})$", settings.read_text(encoding="utf-8"), re.MULTILINE)
    assert f"PIN for changes: {pin}" in first.stdout
    assert settings.stat().st_mode & 0o777 == 0o600
    box.new_version("second")
    assert box.run().returncode == 0
    assert f"COMPANION_PIN={pin}\n" in settings.read_text(encoding="utf-8")


def test_what_is_wrong_with_the_pi_camera_is_said_in_its_own_words(box: Box) -> None:
    box.set("camera-stack", "picamera2 is installed but cannot be loaded (ValueError: numpy.dtype size changed)")
    result = box.run()
    assert result.returncode == 0, result.stderr
    assert "cannot be used yet: picamera2 is installed but cannot be loaded (ValueError: numpy" in result.stderr
    (box.folder / "model").unlink()
    box.new_version("second")
    assert "picamera2" not in box.run().stderr, "no Pi, no question"


def test_nothing_of_a_desktop_is_installed(box: Box) -> None:
    assert box.run().returncode == 0
    assert not any("libgl" in call for call in box.calls if "apt-get" in call)
    hashes = (DEPLOY / "hashes.txt").read_text(encoding="ascii")
    assert "opencv-python-headless==" in hashes and "opencv-python==" not in hashes, "one of them, for one cv2 folder"


def test_the_command_is_in_everybodys_path_and_goes_with_the_program(box: Box) -> None:
    assert box.run().returncode == 0
    command = box.root / "usr/local/bin/companion"
    assert command.read_bytes() == (DEPLOY / "companion").read_bytes() and command.stat().st_mode & 0o111 == 0o111
    assert (box.home / "current/docs/install.md").is_file()
    assert box.run("--uninstall").returncode == 0
    assert not command.exists()


@pytest.mark.parametrize(
    ("stub", "body", "says"),
    [
        ("dpkg", "echo armhf", "expected a 64-bit system; this one is armhf"),
        ("df", 'printf "Avail\\n900000\\n"', "878 MB are free where the program goes, 1171 MB are needed"),
    ],
)
def test_what_no_package_can_mend_is_said_before_anything_is_changed(box: Box, stub: str, body: str, says: str) -> None:
    box.stub_command(stub, body)
    refused = box.run()
    assert refused.returncode == 1 and says in refused.stderr and refused.stderr.count("\n") == 1
    assert box.files() == {} and not any(call.startswith(("apt-get", "useradd", "python3 -m")) for call in box.calls)


def test_a_camera_stack_that_is_broken_already_is_said_before_anything_is_changed(box: Box) -> None:
    box.set("packages", "python3-picamera2")
    box.set("own-stack", "ImportError: libcamera.so.0.5: cannot open shared object file")
    told = box.run("--dry-run")
    assert told.returncode == 0 and "cannot be loaded: ImportError: libcamera.so.0.5" in told.stderr
    assert "picamera2" not in box.run("--dry-run", "--camera", "usb:0").stderr
    (box.stub / "own-stack").unlink()
    assert box.run("--dry-run").stderr == ""
    assert box.files() == {}


def settings_of(box: Box) -> str:
    return (box.root / "etc/companion/companion.conf").read_text(encoding="utf-8")


def test_size_and_mains_are_words_of_the_service_and_can_be_changed(box: Box) -> None:
    assert box.run("--camera", "usb:0", "--camera-size", "1920x1080", "--mains", "60").returncode == 0
    assert "COMPANION_ARGS=--camera usb:0 --camera-size 1920x1080 --mains 60\n" in settings_of(box)
    assert box.run("--mains", "auto").returncode == 0
    assert "COMPANION_ARGS=--mains auto --camera usb:0 --camera-size 1920x1080\n" in settings_of(box)


def test_the_address_of_a_camera_stands_where_only_root_reads_it(box: Box) -> None:
    address = "rtsp://ann:s3cr3t@192.168.1.20/stream"
    result = box.run("--camera", address)
    assert result.returncode == 0 and "s3cr3t" not in result.stdout + result.stderr
    assert f"COMPANION_CAMERA={address}\n" in settings_of(box) and "COMPANION_ARGS=\n" in settings_of(box)
    assert box.run("--camera", "usb:1").returncode == 0
    assert "COMPANION_CAMERA=\n" in settings_of(box) and "COMPANION_ARGS=--camera usb:1\n" in settings_of(box)


def test_the_hall_is_a_unit_of_its_own_over_the_clubs_broker(box: Box) -> None:
    box.stub_command("mosquitto_passwd", "exit 0")
    result = box.run("--hall", "--camera", "none")
    assert result.returncode == 0, result.stderr
    assert "all tables: http://box.local:8010" in result.stdout
    assert (box.root / "etc/systemd/system/companion-hall.service").is_file()
    assert any("apt-get install" in call and "mosquitto" in call for call in box.calls)
    assert "systemctl enable --quiet companion-hall.service" in box.calls
    assert "COMPANION_BROKER=companion:" in settings_of(box)
    assert box.run("--uninstall").returncode == 0
    assert not (box.root / "etc/systemd/system/companion-hall.service").exists()


def test_an_update_brings_the_hall_and_the_tv_along(box: Box) -> None:
    box.stub_command("mosquitto_passwd", "exit 0")
    assert box.run("--hall", "--kiosk", "--camera", "none").returncode == 0
    units = [box.root / "etc/systemd/system" / f"companion-{name}.service" for name in ("hall", "kiosk")]
    for unit in units:
        unit.write_text("of an earlier release\n", encoding="ascii")
    box.new_version("two")
    box.forget()
    assert box.run().returncode == 0
    for unit in units:
        assert unit.read_bytes() == (DEPLOY / "units" / unit.name).read_bytes()
        assert f"systemctl restart {unit.name}" in box.calls


def test_a_hall_that_does_not_answer_is_said(box: Box) -> None:
    box.stub_command("mosquitto_passwd", "exit 0")
    box.set("mute-hall")
    result = box.run("--hall", "--camera", "none")
    assert result.returncode == 1 and "all tables: http" not in result.stdout
    assert "the page of all tables does not answer; journalctl -u companion-hall says why" in result.stderr


@pytest.mark.parametrize(
    "words", [["--mains", "55"], ["--camera-size", "big"], ["--camera-size", "1x2x3"], ["--camera", "http:// a b"]]
)
def test_words_that_make_no_sense_change_nothing(box: Box, words: list[str]) -> None:
    result = box.run(*words)
    assert result.returncode == 2 and "expected" in result.stderr and words[0] in result.stderr
    assert box.files() == {} and box.calls == []


def test_a_python_that_is_too_new_is_said_before_anything_is_changed(box: Box) -> None:
    box.stub_command("python3", 'case "$1" in -c) echo 315 ;; --version) echo Python 3.15.0 ;; esac')
    refused = box.run()
    assert refused.returncode == 1 and "expected the system's Python to be 3.11 to 3.14" in refused.stderr
    assert box.files() == {}


def test_an_empty_folder_of_wheels_is_said_before_anything_is_changed(box: Box) -> None:
    (box.folder / "none").mkdir()
    refused = box.run("--wheels", str(box.folder / "none"))
    assert refused.returncode == 1 and "`make wheels` fills such a folder" in refused.stderr
    assert box.files() == {}


def test_a_second_run_changes_nothing(box: Box) -> None:
    assert box.run().returncode == 0
    box.set(
        "packages",
        "python3\npython3-venv\nfonts-dejavu-core\nfonts-lohit-beng-bengali\nfonts-wqy-microhei\n"
        "avahi-daemon\npython3-picamera2\npython3-lgpio",
    )
    accounts = (box.stub / "accounts").read_text(encoding="utf-8")
    box.set("accounts", f"{accounts}passwd companion")
    before = box.files()
    box.forget()
    again = box.run()
    assert again.returncode == 0, again.stderr
    assert box.files() == before
    assert "nothing to change" in again.stdout
    assert not any(word in call for call in box.calls for word in ("apt-get", "venv", "pip", "restart", "useradd"))


def test_a_dry_run_names_every_step_and_writes_nothing(box: Box) -> None:
    result = box.run("--dry-run", "--kiosk")
    assert result.returncode == 0, result.stderr
    assert box.files() == {}
    for step in ("apt-get install", "useradd", "venv", "pip install", "companion.service", "kiosk", "restart"):
        assert step in result.stdout
    assert not any(call.startswith(("apt-get", "useradd", "systemctl restart", "python3 -m")) for call in box.calls)


def test_settings_a_person_changed_survive_an_update(box: Box) -> None:
    box.run("--camera", "usb:0", "--port", "8080")
    settings = box.root / "etc/companion/companion.conf"
    assert "COMPANION_ARGS=--camera usb:0" in settings.read_text(encoding="utf-8")
    assert "COMPANION_PORT=8080" in settings.read_text(encoding="utf-8")
    settings.write_text(settings.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    box.new_version("second")
    assert box.run().returncode == 0
    assert settings.read_text(encoding="utf-8").endswith("# mine\n")
    assert "COMPANION_PORT=8080" in settings.read_text(encoding="utf-8")


def test_a_machine_that_is_no_pi_starts_without_a_camera(box: Box) -> None:
    (box.folder / "model").unlink()
    assert box.run().returncode == 0
    assert "COMPANION_ARGS=\n" in (box.root / "etc/companion/companion.conf").read_text(encoding="utf-8")
    assert not any("picamera2" in call for call in box.calls if "apt-get" in call)


def test_no_update_during_a_game_unless_told(box: Box) -> None:
    box.run()
    first = box.present
    box.new_version("second")
    box.systemd_starts_the_service("playing")
    refused = box.run()
    assert refused.returncode == 1
    assert refused.stderr.strip().splitlines() == [
        "companion: a game is being played; try again when the round is over, or use --force"
    ]
    assert box.present == first
    assert box.run("--force").returncode == 0
    assert box.present != first


def test_a_companion_that_does_not_answer_may_be_in_a_game(box: Box) -> None:
    box.run()
    box.systemd_starts_the_service("")
    box.new_version("second")
    refused = box.run()
    assert refused.returncode == 1
    assert "--force" in refused.stderr


def test_an_update_keeps_a_copy_of_the_games_and_can_be_rolled_back(box: Box) -> None:
    box.run()
    first = box.present
    box.data.mkdir(parents=True)
    (box.data / "game.jsonl").write_text('{"journal": 1}\n', encoding="utf-8")
    box.new_version("second")
    assert box.run().returncode == 0
    second = box.present
    assert second != first
    [copy] = (box.root / "var/backups/companion").glob("*.tar.gz")
    listed = subprocess.run(["tar", "tzf", str(copy)], capture_output=True, text=True, check=True).stdout
    assert "./game.jsonl" in listed
    assert box.run("--rollback").returncode == 0
    assert box.present == first
    assert box.run("--rollback").returncode == 0
    assert box.present == second, "back and forth"


def test_a_release_that_is_unwell_never_becomes_the_running_one(box: Box) -> None:
    box.run()
    first = box.present
    box.set("unwell")
    box.new_version("second")
    result = box.run()
    assert result.returncode == 1
    assert "not touched" in result.stderr
    assert box.present == first
    assert [path.name for path in (box.home / "releases").iterdir()] == [first]


def test_a_release_that_does_not_answer_is_taken_back_by_itself(box: Box) -> None:
    box.run()
    first = box.present
    box.new_version("second")
    found = box.run("--dry-run").stdout
    second = found.split("building release ")[1].split()[0]
    box.set("broken", f"releases/{second}")
    result = box.run()
    assert result.returncode == 1
    assert "taken back" in result.stderr
    assert box.present == first
    assert box.calls[-1].startswith(("systemctl restart", "python3 -c"))


def test_rollback_without_an_older_release_says_so(box: Box) -> None:
    box.run()
    result = box.run("--rollback")
    assert result.returncode == 1
    assert result.stderr.strip() == "companion: there is no release to go back to"


def test_old_releases_go_but_the_present_and_the_one_before_stay(box: Box) -> None:
    seen = []
    for words in ("first", "second", "third", "fourth", "fifth"):
        box.new_version(words)
        assert box.run().returncode == 0
        seen.append(box.present)
    left = {path.name for path in (box.home / "releases").iterdir()}
    assert len(left) <= 4
    assert {seen[-1], seen[-2]} <= left


def test_a_restored_copy_sets_the_present_games_aside(box: Box) -> None:
    box.run()
    game = box.data / "games/game.jsonl"
    game.parent.mkdir(parents=True)
    game.write_text("old\n", encoding="utf-8")
    copy = box.run(script="backup.sh").stdout.strip()
    game.write_text("new\n", encoding="utf-8")
    result = box.run("--restore", copy)
    assert result.returncode == 0, result.stderr
    assert game.read_text(encoding="utf-8") == "old\n"
    [aside] = box.data.parent.glob("companion.before-*")
    assert (aside / "games/game.jsonl").read_text(encoding="utf-8") == "new\n"


HEADER = Header("tactic", "double-9", ("Ann", "Ben"))


def play(data: Path, game: str, events: int) -> None:
    folder = data / "games" / game
    folder.mkdir(parents=True)
    with Journal.create(folder / "journal.jsonl", HEADER) as journal:
        journal.append_all([Drew(by="Ann")] * events)


def test_the_copy_made_before_an_update_brings_every_game_back(box: Box) -> None:
    box.run()
    play(box.data, "game-0001", 12)
    play(box.data, "game-0002", 30)
    box.new_version("second")
    assert "copying the games before the update" in box.run().stdout
    [copy] = (box.root / "var/backups/companion").glob("*.tar.gz")
    assert copy.stat().st_mode & 0o777 == 0o600
    for path in box.data.glob("games/*/journal.jsonl"):
        path.write_bytes(b"spoiled by the new release\n")
    result = box.run("--restore", str(copy))
    assert result.returncode == 0, result.stderr
    for game, events in (("game-0001", 12), ("game-0002", 30)):
        with Journal.open(box.data / "games" / game / "journal.jsonl") as journal:
            assert len(journal.events) == events
            journal.append(Drew(by="Ben"))


def test_nothing_is_updated_while_the_games_cannot_be_copied(box: Box) -> None:
    box.run()
    first = box.present
    play(box.data, "game-0001", 3)
    box.stub_command("tar", 'case "$*" in *--create*var/lib/companion*) exit 2 ;; esac\nexec /usr/bin/tar "$@"')
    box.new_version("second")
    result = box.run()
    assert result.returncode == 1
    assert "nothing was updated" in result.stderr
    assert box.present == first
    assert list((box.root / "var/backups/companion").iterdir()) == []


def test_a_copy_that_lacks_a_game_is_no_copy(box: Box) -> None:
    play(box.data, "game-0001", 3)
    box.stub_command(
        "tar", 'case "$*" in *--create*) set -- --exclude=journal.jsonl "$@" ;; esac\nexec /usr/bin/tar "$@"'
    )
    result = box.run(script="backup.sh")
    assert result.returncode == 1
    assert "holds 0 of 1 games" in result.stderr
    assert list((box.root / "var/backups/companion").iterdir()) == []


def evil(kind: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo("./games/evil")
    if kind == "symlink":
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/shadow"
    elif kind == "hard link":
        member.type, member.linkname = tarfile.LNKTYPE, "./games"
    elif kind == "device":
        member.type, member.devmajor, member.devminor = tarfile.BLKTYPE, 179, 0
    elif kind == "pipe":
        member.type = tarfile.FIFOTYPE
    elif kind == "setuid":
        member.mode = 0o4755
    elif kind == "setgid":
        member.mode = 0o2755
    elif kind == "upwards":
        member.name = "./games/../../../../etc/cron.d/evil"
    else:
        member.name = "/etc/cron.d/evil"
    return member


@pytest.mark.parametrize("kind", ["hard link", "setuid", "setgid", "upwards", "absolute", "no games", "cut off"])
def test_a_copy_that_is_none_is_refused_and_the_companion_runs_on(box: Box, kind: str) -> None:
    box.run()
    play(box.data, "game-0001", 3)
    before = box.files()
    copy = box.folder / "copy.tar.gz"
    with tarfile.open(copy, "w:gz") as archive:
        if kind != "no games":
            folder = tarfile.TarInfo("./games/")
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder)
        if kind not in ("no games", "cut off"):
            archive.addfile(evil(kind))
        archive.add(box.data / "games/game-0001/journal.jsonl", "./other/journal.jsonl")
    if kind == "cut off":
        copy.write_bytes(copy.read_bytes()[:-40])
    box.forget()
    result = box.run("--restore", str(copy))
    assert result.returncode == 1
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert box.files() == before
    assert not any(call.startswith(("systemctl stop", "systemctl restart")) for call in box.calls)


@pytest.mark.parametrize("kind", ["symlink", "device", "pipe"])
def test_what_is_safe_comes_back_and_what_is_left_out_is_said(box: Box, kind: str) -> None:
    box.run()
    copy = box.folder / "copy.tar.gz"
    play(box.folder, "game-0001", 3)
    with tarfile.open(copy, "w:gz") as archive:
        archive.addfile(evil(kind))
        archive.add(box.folder / "games", "./games")
    result = box.run("--restore", str(copy))
    assert result.returncode == 0, result.stderr
    assert result.stderr.strip() == "companion: left out, because it is neither a folder nor a file: ./games/evil"
    assert [path.name for path in (box.data / "games").iterdir()] == ["game-0001"]


def test_our_own_copy_comes_back_whatever_lay_beside_the_games(box: Box) -> None:
    box.run()
    play(box.data, "game-0001", 3)
    journal = box.data / "games/game-0001/journal.jsonl"
    (box.data / "copies").mkdir()
    (box.data / "copies/game-0001.jsonl").hardlink_to(journal)
    (box.data / "latest").symlink_to("games/game-0001")
    (box.data / "games/shadow of [mine] & \n more").symlink_to("/etc/shadow")
    os.mkfifo(box.data / "pipe")
    kept = journal.read_bytes()
    made = box.run(script="backup.sh")
    assert made.returncode == 0, made.stderr
    assert made.stderr.count("left out of the copy: ") == 3
    result = box.run("--restore", made.stdout.strip())
    assert (result.returncode, result.stderr) == (0, "")
    assert journal.read_bytes() == (box.data / "copies/game-0001.jsonl").read_bytes() == kept
    assert sorted(path.name for path in box.data.iterdir()) == ["copies", "games"]


def test_games_that_lie_behind_a_link_are_not_said_to_be_copied(box: Box) -> None:
    play(box.folder / "disk", "game-0001", 3)
    box.data.mkdir(parents=True)
    (box.data / "games").symlink_to(box.folder / "disk/games")
    result = box.run(script="backup.sh")
    assert result.returncode == 1
    assert "games is a link" in result.stderr
    assert not list((box.root / "var/backups/companion").glob("*"))


def test_games_with_which_the_companion_does_not_start_are_taken_back(box: Box) -> None:
    box.run()
    play(box.data, "game-0001", 3)
    copy = box.run(script="backup.sh").stdout.strip()
    play(box.data, "game-0002", 5)
    box.set("mute")
    result = box.run("--restore", copy)
    assert result.returncode == 1
    assert "those of before are back" in result.stderr
    assert sorted(path.name for path in (box.data / "games").iterdir()) == ["game-0001", "game-0002"]
    assert box.calls[-1] == "systemctl start companion.service"
    assert not list(box.data.parent.glob("companion.before-*"))


def test_a_second_run_with_another_camera_keeps_broker_and_table_name(box: Box) -> None:
    box.run("--camera", "usb:0")
    settings = box.root / "etc/companion/companion.conf"
    words = settings.read_text(encoding="utf-8").replace(
        "COMPANION_ARGS=--camera usb:0", "COMPANION_ARGS=--broker 192.168.1.7 --camera usb:0 --table-name Table-3|&"
    )
    settings.write_text(words, encoding="utf-8")
    for camera, expected in (
        ("usb:1", "--camera usb:1 --broker 192.168.1.7 --table-name Table-3|&"),
        ("none", "--broker 192.168.1.7 --table-name Table-3|&"),
        ("/dev/v4l/by-id/cam", "--camera /dev/v4l/by-id/cam --broker 192.168.1.7 --table-name Table-3|&"),
        ("picamera", "--camera picamera --broker 192.168.1.7 --table-name Table-3|&"),
    ):
        assert box.run("--camera", camera).returncode == 0
        lines = settings.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if line.startswith("COMPANION_ARGS=")] == [f"COMPANION_ARGS={expected}"]
        assert settings.stat().st_mode & 0o777 == 0o600
        assert len([line for line in lines if line.startswith("COMPANION_PIN=")]) == 1


def test_something_that_is_no_copy_is_not_restored(box: Box) -> None:
    box.run()
    box.data.mkdir(parents=True)
    (box.data / "game.jsonl").write_text("mine\n", encoding="utf-8")
    wrong = box.folder / "wrong.tar.gz"
    wrong.write_bytes(b"not a tar")
    result = box.run("--restore", str(wrong))
    assert result.returncode == 1
    assert "not a copy" in result.stderr
    assert (box.data / "game.jsonl").read_text(encoding="utf-8") == "mine\n"


def test_backups_are_kept_fourteen_times_and_leave_the_pictures_out(box: Box) -> None:
    (box.data / "evidence").mkdir(parents=True)
    (box.data / "evidence/frame.jpg").write_bytes(b"picture")
    (box.data / "game.jsonl").write_text("{}\n", encoding="utf-8")
    for _ in range(16):
        result = box.run(script="backup.sh")
        assert result.returncode == 0, result.stderr
    copies = list((box.root / "var/backups/companion").iterdir())
    assert len(copies) == 14
    listed = subprocess.run(["tar", "tzf", str(copies[0])], capture_output=True, text=True, check=True).stdout
    assert "evidence" not in listed


def test_uninstall_leaves_the_games_and_purge_does_not(box: Box) -> None:
    box.run("--kiosk")
    box.data.mkdir(parents=True)
    (box.data / "game.jsonl").write_text("{}\n", encoding="utf-8")
    assert box.run("--uninstall").returncode == 0
    assert not box.home.exists()
    assert not list((box.root / "etc/systemd/system").iterdir())
    assert (box.data / "game.jsonl").exists()
    # What a restore set aside, the TV's browser and the broker keep.
    for kept in ("var/lib/companion.before-20261120T190000Z/games", "var/lib/companion-tv", "etc/mosquitto/conf.d"):
        (box.root / kept).mkdir(parents=True)
        (box.root / kept / "companion.conf").write_text("ours\n", encoding="ascii")
    (box.root / "etc/mosquitto/companion.passwd").write_text("companion:hashed\n", encoding="ascii")
    for written in ("var/lib/mosquitto/mosquitto.db", "var/lib/systemd/timers/stamp-companion-backup.timer"):
        (box.root / written).parent.mkdir(parents=True)
        (box.root / written).write_text("Ann, Ben\n", encoding="ascii")
    assert box.run("--uninstall", "--purge").returncode == 0
    assert box.files() == {}
    assert box.run("--uninstall").returncode == 0, "removing twice is no error"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--camera"], "needs a value"),
        (["--camera", "usb:0; reboot"], "expected picamera"),
        (["--camera", "/dev/$(reboot)"], "plain device path"),
        (["--port", "80"], "1024 to 65535"),
        (["--port", "99999999999999999999"], "1024 to 65535"),
        (["--purge"], "--uninstall"),
        (["--restore", "/nowhere"], "no such file"),
        (["--wheels", "/nowhere"], "no such folder"),
        (["--fast"], "unknown option"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(box: Box, arguments: list[str], complaint: str) -> None:
    result = box.run(*arguments)
    assert result.returncode == 2
    assert complaint in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert box.files() == {}


def test_another_system_is_refused_before_anything_is_done(box: Box) -> None:
    Path(box.folder / "os-release").write_text("VERSION_CODENAME=bullseye\n", encoding="ascii")
    result = box.run()
    assert result.returncode == 1
    assert "bookworm or trixie" in result.stderr
    assert box.calls == []


def test_wheels_of_ones_own_mean_no_internet(box: Box) -> None:
    wheels = box.folder / "wheels"
    wheels.mkdir()
    (wheels / "numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl").touch()
    assert box.run("--wheels", str(wheels)).returncode == 0
    pips = [call for call in box.calls if "pip install" in call]
    assert pips
    assert all(f"--no-index --find-links {wheels}" in call for call in pips)


def test_a_broker_lets_the_other_tables_in_by_a_password(box: Box) -> None:
    box.stub_command("mosquitto_passwd", 'echo "mosquitto_passwd $*" >> "$STUB/calls"; sed -i "s/:.*/:hashed/" "$2"')
    done = box.run("--broker")
    assert done.returncode == 0, done.stderr
    listener = (box.root / "etc/mosquitto/conf.d/companion.conf").read_text(encoding="utf-8")
    assert "listener 1883" in listener and "allow_anonymous false" in listener
    settings = (box.root / "etc/companion/companion.conf").read_text(encoding="utf-8")
    [password] = re.findall(r"^COMPANION_BROKER=companion:([0-9a-f]{32})@127\.0\.0\.1$", settings, re.MULTILINE)
    assert password not in done.stdout + done.stderr
    assert not any(password in call for call in box.calls), "the list of processes never shows it"
    assert (box.root / "etc/mosquitto/companion.passwd").read_text(encoding="utf-8") == "companion:hashed\n"
    assert "systemctl restart mosquitto.service" in box.calls
    box.forget()
    box.run("--broker")
    assert "systemctl restart mosquitto.service" not in box.calls, "once is enough"
