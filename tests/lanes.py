"""Of a family of cases `make test` runs one of each kind; `make test-nightly` runs the others."""

from __future__ import annotations

from typing import Any

import pytest


def nightly(*case: Any) -> Any:
    """A case of a parametrized test, one value for each of its arguments, that waits for the night."""
    return pytest.param(*case, marks=pytest.mark.nightly)
