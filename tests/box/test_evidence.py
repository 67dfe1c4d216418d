"""The evidence: what is stored shows the table and nothing else, and never more than there is room for."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.evidence.store import PICTURE, Deleter, EvidenceSettings, EvidenceStore, delete_stored, expire_stored
from companion.storage.repairs import CLOCK_FILE, ClockTrust, Repair
from companion.supervise.parts import Parts
from vision.frame import Frame

CORNERS = [[100, 60], [540, 60], [540, 420], [100, 420]]


class World:
    """A clock and a disk of our own."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.free = 10**12

    def clock(self) -> float:
        return self.now

    def free_bytes(self, folder: Path) -> int:
        return self.free


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def games(tmp_path: Path) -> Path:
    (tmp_path / "games/evening").mkdir(parents=True)
    (tmp_path / "games/evening/journal.jsonl").write_text("{}\n", encoding="utf-8")
    return tmp_path / "games"


@pytest.fixture
def store(games: Path, world: World) -> Iterator[EvidenceStore]:
    store = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes)
    yield store
    store.close()


def frame(at: float = 0.0, level: int = 200) -> Frame:
    generator = np.random.default_rng(int(at * 10))
    noise = generator.integers(0, 40, (480, 640, 3), dtype=np.uint8)
    return Frame(np.full((480, 640, 3), level, np.uint8) + noise, at, f"frame-{at}")


def pictures(games: Path) -> list[Path]:
    return sorted(games.glob("*/*.jpg"))


def test_a_kept_picture_lies_beside_the_journal_under_the_name_that_was_given(
    store: EvidenceStore, games: Path
) -> None:
    name = store.keep("evening", frame(), CORNERS)
    store.flush()
    assert name is not None
    assert PICTURE.fullmatch(name)
    assert pictures(games) == [games / "evening" / name]
    assert store.status.pictures == 1


def test_outside_the_table_nothing_is_stored(store: EvidenceStore, games: Path) -> None:
    picture = frame()
    picture.image[:50] = (0, 0, 255)
    picture.image[:, :80] = (0, 255, 0)
    store.keep("evening", picture, CORNERS)
    store.flush()
    stored = cv2.imread(str(pictures(games)[0]))
    assert np.abs(stored[:45].astype(int) - 128).max() < 12
    assert np.abs(stored[:, :80].astype(int) - 128).max() < 12
    assert stored[100:400, 150:500].mean() > 190


def test_without_known_corners_nothing_is_stored(store: EvidenceStore, games: Path) -> None:
    assert store.keep("evening", frame(), None) is None
    store.flush()
    assert pictures(games) == []


def test_what_is_kept_is_for_the_services_user_alone(store: EvidenceStore, games: Path) -> None:
    before = os.umask(0o022)
    try:
        name = str(store.keep("evening", frame(), CORNERS))
        store.flush()
    finally:
        os.umask(before)
    assert stat.S_IMODE((games / "evening" / name).stat().st_mode) == 0o600


def test_the_table_before_is_the_one_that_was_read_last(store: EvidenceStore, games: Path) -> None:
    for second, level in ((1.0, 60), (2.0, 100)):
        store.settled(frame(second, level=level), [], CORNERS)
    name = store.keep("evening", frame(2.2, level=180), CORNERS, before=True)
    store.flush()
    assert name is not None
    earlier = games / "evening" / name.replace(".jpg", "-before-1.jpg")
    assert pictures(games) == sorted([games / "evening" / name, earlier]) and PICTURE.fullmatch(earlier.name)
    before = cv2.imread(str(earlier))
    assert np.abs(before[:20].astype(int) - 128).max() < 12, "the earlier picture is painted over too"
    assert 100 < before[150:400, 150:500].mean() < 140, "of the table that was read last, a moment before the play"
    larger = Frame(np.zeros((960, 1280, 3), np.uint8), 3.0, "f")
    other = store.keep("evening", larger, [[2 * x, 2 * y] for x, y in CORNERS], before=True)
    store.flush()
    assert other is not None and not (games / "evening" / other.replace(".jpg", "-before-1.jpg")).exists()


def test_the_arm_over_what_changed_is_stored_with_it_painted_over_outside_the_table(
    store: EvidenceStore, games: Path
) -> None:
    arm = np.full((300, 400, 3), 90, np.uint8)
    arm[:25] = (0, 0, 255)
    name = store.keep("evening", frame(), CORNERS, arms={2: arm})
    store.flush()
    assert name is not None
    kept = games / "evening" / name.replace(".jpg", "-arm-2.jpg")
    assert pictures(games) == sorted([games / "evening" / name, kept]) and PICTURE.fullmatch(kept.name)
    stored = cv2.imread(str(kept))
    assert stored.shape[:2] == (300, 400)
    assert np.abs(stored[:25].astype(int) - 128).max() < 14
    assert np.abs(stored[80:220, 100:300].astype(int) - 90).max() < 14
    assert store.delete_all() == 2 and pictures(games) == []


def test_the_budget_is_kept_and_the_oldest_goes_first(games: Path, world: World) -> None:
    store = EvidenceStore(games, EvidenceSettings(budget_bytes=400_000), clock=world.clock, free_bytes=world.free_bytes)
    names = []
    for number in range(20):
        world.now += 1
        names.append(store.keep("evening", frame(float(number)), CORNERS))
        store.flush()
        assert sum(path.stat().st_size for path in pictures(games)) <= 400_000
    left = [path.name for path in pictures(games)]
    assert left == names[-len(left) :]
    assert 1 <= len(left) < 20
    store.close()


def test_old_pictures_expire_and_other_files_never_do(store: EvidenceStore, games: Path, world: World) -> None:
    mine = games / "evening" / "holiday.jpg"
    mine.write_bytes(b"mine")
    store.keep("evening", frame(), CORNERS)
    store.flush()
    world.now += 31 * 86400
    assert store.expire() == 1
    assert pictures(games) == [mine]


def test_a_full_disk_is_a_banner_and_the_next_picture_after_it_is_kept(
    store: EvidenceStore, games: Path, world: World
) -> None:
    world.free = 1000
    assert store.keep("evening", frame(), CORNERS) is None
    assert "disk is full" in store.status.trouble
    assert pictures(games) == []
    world.free = 10**12
    assert store.keep("evening", frame(), CORNERS) is not None
    store.flush()
    assert store.status.trouble == ""


def test_a_disk_that_fills_up_in_the_middle_leaves_no_half_picture(
    store: EvidenceStore, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    store.keep("evening", frame(), CORNERS)
    store.flush()
    monkeypatch.undo()
    assert "disk is full" in store.status.trouble
    assert [path.name for path in (games / "evening").iterdir()] == ["journal.jsonl"]


def test_a_card_that_refuses_in_any_way_is_said_until_a_picture_is_kept(
    games: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = Parts()
    store = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes, part=parts.add("pictures"))

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", refused)
        patched.setattr(Path, "unlink", refused)
        store.keep("evening", frame(), CORNERS)
        store.flush()
        assert [one.about for one in parts.repairs()] == [{"part": "pictures", "why": "Input/output error"}]
    store.keep("evening", frame(1.0), CORNERS)
    store.close()
    assert parts.repairs() == []


def test_a_card_that_hangs_is_said_and_memory_stays_bounded(games: Path, world: World) -> None:
    now = [0.0]
    parts, answers = Parts(clock=lambda: now[0]), threading.Event()
    store = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes, part=parts.add("pictures"))
    put = store._put
    store._put = lambda path, made: (answers.wait(60), put(path, made))  # type: ignore[assignment, func-returns-value]
    kept = [store.keep("evening", frame(0.1 * n), CORNERS) for n in range(60)]
    now[0] = 8.0
    assert [one.about for one in parts.repairs()] == [{"part": "pictures"}]
    assert kept[-1] is None and None not in kept[:20]
    assert store.status.trouble == "the disk is slow: pictures are not kept, the game is"
    answers.set()
    store.flush()
    assert store.keep("evening", frame(9.0), CORNERS) is not None and store.status.trouble == ""
    store.close()


def test_one_tap_deletes_every_picture_and_no_journal(store: EvidenceStore, games: Path) -> None:
    (games / "other").mkdir()
    for game in ("evening", "other"):
        store.settled(frame(1.0), [], CORNERS)
        store.keep(game, frame(2.0), CORNERS, before=True)
    store.flush()
    assert store.delete_all() == 4
    assert pictures(games) == []
    assert (games / "evening/journal.jsonl").exists()
    assert store.status.bytes == 0
    assert store._closeups.still is None


def test_pictures_of_earlier_evenings_count_after_a_restart(games: Path, world: World) -> None:
    first = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes)
    name = first.keep("evening", frame(), CORNERS)
    first.close()
    os.utime(games / "evening" / str(name), (world.now, world.now))
    again = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes)
    assert again.status.pictures == 1
    assert again.status.bytes == pictures(games)[0].stat().st_size
    assert again.delete_all() == 1
    again.close()


def test_pictures_of_earlier_evenings_can_be_deleted_without_a_camera(games: Path, world: World) -> None:
    store = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes)
    store.keep("evening", frame(), CORNERS)
    store.close()
    assert delete_stored(games, Deleter()) == 1
    assert pictures(games) == []
    assert (games / "evening/journal.jsonl").exists()


def test_old_evidence_goes_at_the_start_and_while_nobody_plays(games: Path, world: World) -> None:
    first = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes)
    path = games / "evening" / str(first.keep("evening", frame(), CORNERS))
    first.close()
    os.utime(path, (world.now, world.now))
    world.now += 31 * 86400
    EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes).close()
    assert not path.exists()
    open_all_month = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes)
    path = games / "evening" / str(open_all_month.keep("evening", frame(), CORNERS))
    open_all_month.flush()
    world.now += 31 * 86400
    open_all_month.tidy()
    assert not path.exists()
    open_all_month.close()


def test_without_a_camera_old_evidence_goes_too(games: Path) -> None:
    names = ["evidence-20260101T200000-0001.jpg", "evidence-20260601T200000-0001.jpg", "ours.jpg"]
    for at, name in enumerate(names):
        (games / "evening" / name).write_bytes(b"x")
        os.utime(games / "evening" / name, (at, at))
    assert expire_stored(games, 1, Deleter()) == 1
    assert sorted(path.name for path in (games / "evening").glob("*.jpg")) == sorted(names[1:])


def test_a_picture_that_was_being_written_when_the_power_went_is_not_left_behind(games: Path, world: World) -> None:
    torn = games / "evening" / "evidence-20260101T200000-0001-before-2.part"
    torn.write_bytes(b"half a picture")
    foreign = games / "evening" / "download.part"
    foreign.write_bytes(b"not ours")
    EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes).close()
    assert not torn.exists()
    torn.write_bytes(b"half a picture")
    delete_stored(games, Deleter())
    assert not torn.exists()
    assert foreign.exists()


def test_deleting_everything_waits_for_what_is_being_written(store: EvidenceStore, games: Path) -> None:
    for _ in range(5):
        store.keep("evening", frame(), CORNERS)
    assert store.delete_all() == 5
    store.close()
    assert list(games.glob("*/evidence-*")) == []


def test_one_picture_that_cannot_be_deleted_keeps_no_other_and_is_reported(
    games: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Repair] = []
    store = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes, deleter=Deleter(said.append))
    for at in range(4):
        store.keep("evening", frame(float(at)), CORNERS)
    store.flush()
    stuck = pictures(games)[1]
    unlink = Path.unlink

    def failing(path: Path, missing_ok: bool = False) -> None:
        if path == stuck:
            raise OSError(errno.EPERM, "Operation not permitted")
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", failing)
        assert store.delete_all() == 3
        assert pictures(games) == [stuck]
        assert stuck.read_bytes() == b"", "what was on it is gone all the same"
    store.close()
    [repair] = said
    assert (repair.code, repair.about) == ("PICTURES_LEFT", {"count": 1, "why": "Operation not permitted"})


class Board:
    """A small board: a clock that may be set, time that only runs, and perhaps a network."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.path = world, folder / CLOCK_FILE
        self.running, self.network = 0.0, False

    def start(self, earlier: float | None = None) -> ClockTrust:
        return ClockTrust(
            self.path,
            earlier,
            clock=self.world.clock,
            monotonic=lambda: self.running,
            set_by_network=lambda: self.network,
        )

    def run(self, seconds: float) -> None:
        self.world.now += seconds
        self.running += seconds


@pytest.fixture
def board(world: World, tmp_path: Path) -> Board:
    return Board(world, tmp_path)


def test_a_clock_that_leaps_ahead_at_the_start_deletes_nothing_until_it_is_confirmed(
    board: Board, world: World, games: Path
) -> None:
    trust = board.start()
    first = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes, trust=trust)
    path = games / "evening" / str(first.keep("evening", frame(), CORNERS))
    first.close()
    os.utime(path, (world.now, world.now))
    world.now += 5 * 365 * 86400
    trust = board.start()
    assert not trust.sure
    assert [one.code for one in trust.repairs()] == ["CLOCK_LEAPT"]
    store = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes, trust=trust)
    assert path.exists()
    trust.confirm()
    assert trust.repairs() == ()
    store.expire()
    assert not path.exists()
    store.close()


def test_a_network_that_sets_the_clock_during_play_does_not_make_tonight_old(
    board: Board, world: World, games: Path
) -> None:
    """The board had stood still for two months; the network comes in the middle of the evening."""
    trust = board.start()
    store = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes, trust=trust)
    path = games / "evening" / str(store.keep("evening", frame(), CORNERS))
    store.flush()
    board.run(1800)
    world.now += 60 * 86400
    board.network = True
    store.expire()
    assert path.exists()
    assert path.stat().st_mtime == pytest.approx(world.now - 1800, abs=60)
    board.run(31 * 86400)
    store.expire()
    assert not path.exists()
    store.close()


def test_a_box_that_is_used_every_week_is_asked_nothing(board: Board, world: World, games: Path) -> None:
    for _ in range(8):
        trust = board.start()
        assert trust.sure and trust.repairs() == ()
        board.run(4 * 3600)
        trust.tick()
        world.now += 7 * 86400


def test_a_clock_that_went_back_is_not_believed(board: Board, world: World) -> None:
    board.start()
    world.now -= 400 * 86400
    assert not board.start().sure
    board.network = True
    assert board.start().sure


def test_a_picture_dated_in_the_future_grows_old_from_the_day_the_clock_is_right(
    board: Board, world: World, games: Path
) -> None:
    trust = board.start()
    future = games / "evening" / "evidence-20310101T200000-0001.jpg"
    future.write_bytes(b"x")
    os.utime(future, (world.now + 10**8, world.now + 10**8))
    store = EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes, trust=trust)
    assert future.exists() and future.stat().st_mtime == pytest.approx(world.now, abs=60)
    board.run(31 * 86400)
    store.expire()
    assert not future.exists()
    store.close()


@pytest.mark.parametrize("content", ['{"last": 1e300}', '{"last": "x"}', "[]", '{"last": NaN}', "\x00"])
def test_a_clock_file_that_makes_no_sense_is_set_aside(board: Board, content: str) -> None:
    board.path.write_text(content, encoding="utf-8")
    aside: list[Path] = []
    trust = ClockTrust(board.path, clock=board.world.clock, monotonic=lambda: 0.0, damaged=aside.append)
    assert trust.sure and len(aside) == 1
