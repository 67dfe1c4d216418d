"""The worked example of docs/belief.md is what the belief says."""

from __future__ import annotations

from pathlib import Path

from companion.tracking.verdict import alternatives
from tests.tracking.rounds import play, tracked

DOCUMENT = Path(__file__).parents[2] / "docs" / "belief.md"


def test_the_worked_example_comes_out_as_it_is_written() -> None:
    block = DOCUMENT.read_text(encoding="utf-8").split("## A worked example")[1].split("```text\n")[1].split("```")[0]
    belief = tracked("reeves", ["boneyard-1, mark Ann", "+12-2@Ben", "+12-3@Cy", "+2-5@Ben"])
    verdict = play(belief, "2-5@Ben")
    found = [f"{one.p:4.0%}  {one}" for one in alternatives(belief.filter, verdict.item)]
    assert block.splitlines() == found[:4]
    assert verdict.by is None and not any(charge.certain for charge in verdict.charges)
