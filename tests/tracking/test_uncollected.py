"""The collector of cycles rests during a search and is as it was afterwards."""

from __future__ import annotations

import gc

import pytest

from companion.tracking.filter import uncollected


def test_it_rests_and_goes_on_also_after_an_error() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="broken"), uncollected():
        raise ValueError("broken")
    assert gc.isenabled()


def test_whoever_has_switched_it_off_keeps_it_off() -> None:
    with uncollected(), uncollected():
        assert not gc.isenabled()
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
