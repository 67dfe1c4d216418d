"""`bench.ablation` switches off only code that exists."""

from __future__ import annotations

from inspect import getattr_static

import pytest

from bench.ablation import CASES, Case, switched_off


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_case_is_off_only_for_a_while(case: Case) -> None:
    owner, name = case.target
    on = getattr_static(owner, name)
    with switched_off(case):
        assert getattr_static(owner, name) is case.off
    assert getattr_static(owner, name) is on
    assert case.lines > 0
