"""The stages of reading, tried at a prompt as their module shows."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from vision import detections, reader, reading


@pytest.mark.parametrize("module", [reader, detections, reading])
def test_the_examples_give_what_they_say(module: ModuleType) -> None:
    told = doctest.testmod(module)
    assert told.attempted and not told.failed
