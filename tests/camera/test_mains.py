"""50 or 60 Hz: by the time zone's country, and by the bands that lamps leave in a rolling shutter's pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hardware.camera.flicker import LEAST_BANDING, PICTURES, SHORT_US, banding, chosen_mains, measured_mains
from hardware.camera.mains import country_here, mains_of_country
from vision.frame import Image


def rolling_shutter(lamps_hz: int, exposure_us: int, depth: float, rows: int = 240, noise: float = 4.0) -> list[Image]:
    """Pictures under lamps that pulse with twice `lamps_hz`, each row exposed a little after the one above it."""
    rng = np.random.default_rng(exposure_us)
    table = rng.uniform(60, 160, (rows, 64, 3))
    pictures = []
    for number in range(PICTURES):
        began_s = number * 0.0337 + np.arange(rows) / rows * 0.028
        exposed_s = exposure_us / 1e6
        pulse = 2 * np.pi * 2 * lamps_hz
        # The light of 1 + depth cos(pulse t), averaged over each row's exposure.
        light = 1 + depth * (np.sin(pulse * (began_s + exposed_s)) - np.sin(pulse * began_s)) / (pulse * exposed_s)
        picture = table * light[:, None, None] + rng.normal(0, noise, table.shape)
        pictures.append(picture.clip(0, 255).astype(np.uint8))
    return pictures


@pytest.mark.parametrize("lamps_hz", [50, 60])
@pytest.mark.parametrize("depth", [0.2, 0.5, 1.0])
def test_the_lamps_tell_their_frequency(lamps_hz: int, depth: float) -> None:
    assert measured_mains(lambda exposure_us: rolling_shutter(lamps_hz, exposure_us, depth)) == lamps_hz


def test_lamps_that_do_not_pulse_tell_nothing() -> None:
    assert measured_mains(lambda exposure_us: rolling_shutter(50, exposure_us, 0.0)) is None
    assert banding(rolling_shutter(50, SHORT_US, 0.0)) < LEAST_BANDING / 3
    assert measured_mains(lambda _exposure_us: None) is None, "a camera that sets no exposure"


def test_a_lamp_that_is_switched_on_is_no_band() -> None:
    steady = rolling_shutter(50, SHORT_US, 0.0)
    brighter = [np.asarray(np.clip(one * (1 + 0.1 * n), 0, 255), np.uint8) for n, one in enumerate(steady)]
    assert banding(brighter) < LEAST_BANDING


@pytest.mark.parametrize(
    ("zone", "country", "mains"),
    [
        ("America/New_York", "US", 60),
        ("America/Sao_Paulo", "BR", 60),
        ("America/Argentina/Buenos_Aires", "AR", 50),
        ("Europe/Prague", "CZ", 50),
        ("Europe/Kiev", "UA", 50),
        ("Asia/Seoul", "KR", 60),
        ("Asia/Dhaka", "BD", 50),
        ("Asia/Tokyo", "JP", None),
        ("Etc/UTC", "", None),
        ("US/Pacific", "US", 60),
    ],
)
def test_the_time_zone_tells_the_country_and_that_the_mains(zone: str, country: str, mains: int | None) -> None:
    assert country_here(zone=zone) == country
    assert mains_of_country(country) == mains


def test_the_zone_is_where_the_systems_link_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    zone = tmp_path / "zoneinfo/America/Bogota"
    zone.parent.mkdir(parents=True)
    zone.touch()
    (tmp_path / "localtime").symlink_to(zone)
    assert country_here(tmp_path / "localtime") == "CO"
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/localtime").touch()
    (tmp_path / "copy/timezone").write_text("Europe/Lisbon\n", encoding="ascii")
    assert country_here(tmp_path / "copy/localtime") == "PT"


def test_what_is_asked_for_counts_then_the_lamps_then_the_country() -> None:
    def sixty(exposure_us: int) -> list[Image]:
        return rolling_shutter(60, exposure_us, 0.5)

    assert chosen_mains(50, sixty, lambda: "US") == (50, "")
    assert chosen_mains(None, sixty, lambda: "US") == (60, "")
    measured, note = chosen_mains(None, sixty, lambda: "CZ")
    assert measured == 60 and note == "the lamps run on 60 Hz, though this time zone's country has 50 Hz"
    assert chosen_mains(None, lambda _us: None, lambda: "US") == (60, "")
    assert chosen_mains(None, lambda _us: None, lambda: "") == (50, "")
