"""The stages of reading, tried at a prompt as their module shows."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from vision import candidates, reading, stages


@pytest.mark.parametrize("module", [stages, candidates, reading])
def test_the_examples_give_what_they_say(module: ModuleType) -> None:
    told = doctest.testmod(module)
    assert told.attempted and not told.failed
