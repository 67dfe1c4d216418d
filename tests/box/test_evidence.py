"""The evidence: what is stored shows the table and nothing else, and never more than there is room for."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.evidence import PICTURE, EvidenceSettings, EvidenceStore, delete_stored, expire_stored
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


def test_the_seconds_before_are_stored_when_they_are_asked_for(store: EvidenceStore, games: Path) -> None:
    for second in range(60):
        store.remember(frame(float(second) / 2, level=100))
    name = store.keep("evening", frame(30.0), CORNERS, before=True)
    store.flush()
    assert name is not None
    stem = name.removesuffix(".jpg")
    names = [path.name for path in pictures(games)]
    assert names == sorted([name, *(f"{stem}-before-{n}.jpg" for n in range(1, 5))])
    before = cv2.imread(str(games / "evening" / f"{stem}-before-1.jpg"))
    assert np.abs(before[:20].astype(int) - 128).max() < 12, "the earlier pictures are painted over too"


def test_memory_is_bounded_however_long_the_evening(store: EvidenceStore) -> None:
    for second in range(2000):
        store.remember(Frame(np.zeros((48, 64, 3), np.uint8), second / 5, "f"))
    assert len(store._ring) == EvidenceSettings().before


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


def test_one_tap_deletes_every_picture_and_no_journal(store: EvidenceStore, games: Path) -> None:
    (games / "other").mkdir()
    for game in ("evening", "other"):
        store.remember(frame(1.0))
        store.keep(game, frame(2.0), CORNERS, before=True)
    store.flush()
    assert store.delete_all() == 4
    assert pictures(games) == []
    assert (games / "evening/journal.jsonl").exists()
    assert store.status.bytes == 0
    assert len(store._ring) == 0


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
    assert delete_stored(games) == 1
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
    open_all_month.remember(frame())
    assert not path.exists()
    open_all_month.close()


def test_without_a_camera_old_evidence_goes_too(games: Path) -> None:
    names = ["evidence-20260101T200000-0001.jpg", "evidence-20260601T200000-0001.jpg", "ours.jpg"]
    for at, name in enumerate(names):
        (games / "evening" / name).write_bytes(b"x")
        os.utime(games / "evening" / name, (at, at))
    assert expire_stored(games, before=1) == 1
    assert sorted(path.name for path in (games / "evening").glob("*.jpg")) == sorted(names[1:])


def test_a_picture_that_was_being_written_when_the_power_went_is_not_left_behind(games: Path, world: World) -> None:
    torn = games / "evening" / "evidence-20260101T200000-0001-before-2.part"
    torn.write_bytes(b"half a picture")
    foreign = games / "evening" / "download.part"
    foreign.write_bytes(b"not ours")
    EvidenceStore(games, clock=world.clock, free_bytes=world.free_bytes).close()
    assert not torn.exists()
    torn.write_bytes(b"half a picture")
    delete_stored(games)
    assert not torn.exists()
    assert foreign.exists()


def test_deleting_everything_waits_for_what_is_being_written(store: EvidenceStore, games: Path) -> None:
    for _ in range(5):
        store.keep("evening", frame(), CORNERS)
    assert store.delete_all() == 5
    store.close()
    assert list(games.glob("*/evidence-*")) == []
