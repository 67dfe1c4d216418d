"""The whole box before a live camera: camera and eye in processes of their own, referee, page and stream."""

from __future__ import annotations

import pytest

from bench import live


@pytest.mark.slow
def test_what_is_laid_before_a_live_camera_reaches_the_page() -> None:
    # Of such a width the remembered view is no whole part: every picture had passed for one of a moved camera.
    told = live.measure(live.Shot(scenes=1, size_wh=(1690, 1268), still_frames=120))
    assert told["changes"] == 1
