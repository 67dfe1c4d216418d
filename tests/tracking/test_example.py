"""The examples of docs/belief.md are what the belief says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "belief.md"
BLOCKS = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("block", BLOCKS, ids=["with a camera", "tapped"])
def test_an_example_comes_out_as_it_is_written(block: str) -> None:
    said: list[str] = []
    example = doctest.DocTestParser().get_doctest(block, {}, "belief.md", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(example, out=said.append).failed == 0, "".join(said)
