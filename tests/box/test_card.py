"""The short version of bench/attacks/card.py: the card refuses in every way there is, beside a watching camera."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.attacks.card import NEW_GAMES, TROUBLES, measure


@pytest.mark.slow
def test_a_failing_card_is_said_and_loses_nothing(tmp_path: Path) -> None:
    report = measure(tmp_path, games=1)
    assert (report.troubles, report.new_games) == (len(TROUBLES), NEW_GAMES)
    assert (report.deaths, report.silent, report.stuck, report.lost) == (0, 0, 0, 0)
    assert report.acknowledged > 0
