"""A disk that does not wait, for tests that record thousands of events and cut no power."""

from __future__ import annotations

import pytest

from companion.log import journal


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal.os, "fsync", lambda _: None)
