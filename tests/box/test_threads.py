"""Matrices a few numbers wide are multiplied by one thread: two would wait for one another, each at full load."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SAID_IN_TIME = """
import os, sys
from companion.__main__ import main
early = "numpy" in sys.modules
sys.argv = ["companion", "--version"]
try:
    main()
except SystemExit:
    print(early, os.environ["OPENBLAS_NUM_THREADS"])
"""


@pytest.mark.parametrize(("set_before", "expected"), [(None, "1"), ("3", "3")])
def test_the_command_asks_for_one_thread_before_numpy_is_loaded(set_before: str | None, expected: str) -> None:
    around = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    given = {} if set_before is None else {"OPENBLAS_NUM_THREADS": set_before}
    done = subprocess.run(
        [sys.executable, "-c", SAID_IN_TIME], env={**around, **given}, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == f"False {expected}"
