"""The short versions of `make faults` and `make soak`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.attacks.faults import TROUBLES, kill_children, kill_writers, trouble_camera
from bench.attacks.power_cut import cut_everywhere
from bench.attacks.soak import soak
from companion.supervise.camera import SupervisionSettings
from companion.supervise.pictures import STEADY_FRAMES

pytestmark = pytest.mark.slow


def test_killed_writers_lose_no_acknowledged_event(tmp_path: Path) -> None:
    report = kill_writers(tmp_path, kills=8)
    assert report.acknowledged >= 8
    assert report.lost == 0
    assert report.false_alarms == 0


def test_a_power_cut_leaves_a_beginning_of_the_game(tmp_path: Path) -> None:
    report = cut_everywhere(tmp_path, rounds=1, step=29)
    assert report.events > 20
    assert report.cuts > 100


@pytest.mark.nightly
def test_the_shipped_settings_notice_within_3_seconds_and_are_back_within_10(tmp_path: Path) -> None:
    settings = SupervisionSettings()
    assert settings.silent_s < 3.0
    assert settings.judging.frozen_after_s < 3.0
    assert max(settings.retry_s) + STEADY_FRAMES < 10.0
    report = trouble_camera(tmp_path, "hang")
    assert report.noticed_s >= settings.silent_s * 0.5, "a slow picture is no trouble yet"


@pytest.mark.nightly
@pytest.mark.parametrize("trouble", ["crash"])
def test_every_trouble_ends(tmp_path: Path, trouble: str) -> None:
    assert trouble in TROUBLES
    assert trouble_camera(tmp_path, trouble).trouble == trouble


@pytest.mark.nightly
def test_killed_cameras_leave_no_process_behind(tmp_path: Path) -> None:
    assert kill_children(tmp_path, kills=3) == 0


@pytest.mark.nightly
def test_a_thousand_frames_and_events_leave_memory_files_and_threads_flat(tmp_path: Path) -> None:
    report = soak(tmp_path, frames=1000, events=400, look_every=200)
    assert (report.frames, report.events, report.looks) == (1000, 400, 5)
    assert report.late.files <= report.early.files + 2
    assert report.late.threads <= report.early.threads
    # The network's memory depends on what its first pictures show; what leaks goes on growing.
    assert report.late.memory_mb - report.midway.memory_mb < 20
    assert report.growth_mb < 100
