"""The optics table, held against the figures that were measured or stated independently of the code."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import hardware.optics as optics
from hardware.optics import CameraModel, Coverage, cameras, highest_height, lowest_height, outlook

TABLE = (1200.0, 900.0)


def test_camera_module_3_over_the_usual_table_gives_the_known_resolution() -> None:
    seen = outlook(cameras()["camera-module-3"], 1260, TABLE)
    assert seen.nominal_px_per_mm == pytest.approx(2.7, abs=0.1)
    assert 50.8 * seen.nominal_px_per_mm == pytest.approx(139, abs=5)
    assert seen.pip_px == pytest.approx(8.8, abs=0.3)
    assert seen.verdict is Coverage.GOOD


def test_its_binned_mode_halves_that_and_is_no_longer_good() -> None:
    seen = outlook(cameras()["camera-module-3"].binned(), 1260, TABLE)
    assert seen.nominal_px_per_mm == pytest.approx(1.4, abs=0.05)
    assert seen.verdict is Coverage.POOR


def test_the_wide_lens_loses_its_resolution_towards_the_corners() -> None:
    seen = outlook(cameras()["camera-module-3-wide"], 710, TABLE, tilt_deg=0)
    assert seen.nominal_px_per_mm == pytest.approx(2.7, abs=0.2)
    assert seen.worst_px_per_mm < 0.9 * seen.nominal_px_per_mm


def test_a_1080p_webcam_serves_only_the_small_table() -> None:
    webcam = cameras()["webcam-1080p"]
    over_big = outlook(webcam, lowest_height(webcam, TABLE), TABLE)
    assert over_big.nominal_px_per_mm == pytest.approx(1.1, abs=0.1)
    assert not over_big.verdict.usable
    assert outlook(webcam, lowest_height(webcam, (800, 600)), (800, 600)).verdict is Coverage.TIGHT


def test_the_table_plane_is_6_9_mm_off_at_one_metre_and_0_72_m_off_axis() -> None:
    seen = outlook(cameras()["camera-module-3"], 1000, (1152.0, 864.0), tile_height_mm=9.5)
    assert seen.parallax_mm == pytest.approx(6.9, abs=0.1)


def test_a_camera_too_low_cuts_the_table_off_and_says_so() -> None:
    seen = outlook(cameras()["camera-module-3"], 900, TABLE)
    assert seen.verdict is Coverage.CUT_OFF
    assert "higher" in seen.sentence


def test_the_lowest_height_just_covers_and_a_little_lower_does_not() -> None:
    for camera in cameras().values():
        height = lowest_height(camera, TABLE)
        assert outlook(camera, height, TABLE).verdict is not Coverage.CUT_OFF
        assert outlook(camera, height * 0.97, TABLE).verdict is Coverage.CUT_OFF


def test_above_the_highest_height_the_corner_is_too_coarse() -> None:
    camera = cameras()["camera-module-3"]
    highest = highest_height(camera, TABLE)
    assert highest is not None
    assert outlook(camera, highest, TABLE).verdict.usable
    assert outlook(camera, highest + 10, TABLE).verdict is Coverage.POOR
    assert highest_height(cameras()["webcam-1080p"], TABLE) is None


def test_a_perfect_pinhole_without_tilt_is_equally_fine_everywhere() -> None:
    pinhole = CameraModel("pin", "pinhole", (4000, 3000), (2 * math.degrees(math.atan(0.5)), 41.1))
    pinhole = CameraModel("pin", "pinhole", (4000, 3000), (pinhole.fov_deg[0], 2 * math.degrees(math.atan(0.375))))
    seen = outlook(pinhole, 1009, (900, 700), tilt_deg=0)
    assert seen.nominal_px_per_mm == pytest.approx(4.0, rel=1e-6)
    assert seen.worst_px_per_mm == pytest.approx(4.0, rel=1e-5)


def test_tilt_only_ever_costs_resolution() -> None:
    camera = cameras()["camera-module-3"]
    corners = [outlook(camera, 1300, TABLE, tilt_deg=tilt).worst_px_per_mm for tilt in (0, 5, 10, 15)]
    assert corners == sorted(corners, reverse=True)


def test_a_binned_mode_is_the_same_view_with_fewer_pixels() -> None:
    for camera in cameras().values():
        assert camera.binned().view_mm(1000) == camera.view_mm(1000)
        assert camera.binned().size_px[0] <= camera.size_px[0]


@pytest.mark.parametrize(("height", "table"), [(5.0, TABLE), (1000.0, (0.0, 900.0)), (1000.0, (1200.0, -1.0))])
def test_an_impossible_mount_is_refused(height: float, table: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="mm"):
        outlook(cameras()["camera-module-3"], height, table)


def test_the_written_table_is_what_the_code_reckons() -> None:
    written = Path(optics.__file__).with_name("OPTICS.md").read_text(encoding="utf-8")
    assert written == optics.document()
