"""The short version of bench/attacks/dead.py: every long-lived part, killed once by exception and once by a hang."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.attacks.dead import STEPS, kill_all

HASTE = 6.0


@pytest.mark.slow
def test_no_part_dies_in_silence_and_each_goes_on(tmp_path: Path) -> None:
    parts = {step.part: step for step in STEPS}
    kinds = ("exception", "hang", "exit", "hang")
    steps = [(step, kinds[n % 4]) for n, step in enumerate(parts.values())]
    deaths, lost = kill_all(tmp_path, HASTE, steps)
    assert {death.part for death in deaths} == {*parts, "reader"}
    assert [death for death in deaths if not death.good] == []
    assert lost == 0


def test_every_part_of_the_table_in_the_documents_is_killed() -> None:
    """SECURITY.md tells what is killed; what it tells has to be so."""
    told = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    for step in STEPS:
        assert f"| {step.part} |" in told and step.name in told, (step.part, step.name)
