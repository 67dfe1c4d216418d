"""The data card's sheets exist, are small, and can be made again."""

from pathlib import Path

import numpy as np
import pytest

import datasets.render.samples as samples

CARD = Path(samples.__file__).parents[1] / "CARD.md"


def test_the_card_shows_every_sheet_and_each_is_small() -> None:
    text = CARD.read_text("utf-8")
    for name in samples.SHEETS:
        assert f"samples/{name}.jpg" in text
        assert 20_000 < (CARD.parent / "samples" / f"{name}.jpg").stat().st_size < samples.MAX_BYTES


@pytest.mark.parametrize("name", sorted(samples.SHEETS))
def test_each_sheet_can_be_drawn(name: str) -> None:
    sheet = samples.make_sheet(name, 1, columns=2, rows=1)
    assert sheet.shape == (240, 640, 3)
    assert sheet.std() > 5


def test_a_noisy_sheet_is_squeezed_under_the_limit() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (320, 480, 3), np.uint8)
    assert len(samples.encode(noise)) < samples.MAX_BYTES
