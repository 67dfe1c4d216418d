"""The short version of the crowd: everybody misbehaves at once, and the others notice nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.attacks import reconnect
from bench.attacks.crowd import CrowdSize, attack


@pytest.mark.nightly
@pytest.mark.slow
def test_other_phones_are_served_while_a_crowd_misbehaves(tmp_path: Path) -> None:
    size = CrowdSize(streams=60, half_open=100, floods=20, slow_readers=40, bodies=6, seconds=4.0)
    report = attack(tmp_path, size)
    assert set(report.statuses) == {200} and len(report.taps_s) >= 3
    assert report.screens_lost == 0
    assert report.memory_most_mb - report.memory_before_mb < 50
    assert report.slowest_s < 20, "nobody waited for a deadline of somebody else's"


@pytest.mark.nightly
@pytest.mark.slow
def test_a_tap_is_taken_while_screens_of_one_address_come_back_again_and_again(tmp_path: Path) -> None:
    report = reconnect.attack(tmp_path, 4, screens=8, rounds=2)
    assert report.taps >= 4
    assert report.slowest_s < 20, "nobody waited for a deadline of somebody else's"
