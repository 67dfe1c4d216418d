"""The short version of the siege: some phones, some hostile guests, a camera that dies and returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.attacks.siege import lay_siege


@pytest.mark.nightly
@pytest.mark.slow
def test_viewers_miss_nothing_while_others_misbehave_and_the_camera_dies(tmp_path: Path) -> None:
    report = lay_siege(tmp_path, viewers=12, connects=40, slow=10, events=20)
    faults = {status: count for status, count in report.statuses.items() if status is not None and status >= 500}
    assert set(faults) <= {501}, f"only an unknown method may be answered that way: {report.statuses}"
    assert report.memory_after_mb - report.memory_before_mb < 20
