"""What every test stands on: a silent inference runtime, and workers that do not get in each other's way."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import cv2
import pytest

from vision import telemetry

telemetry.switch_off()


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_the_disk() -> Iterator[None]:
    """What survives a power cut is tried in processes of their own; here nobody waits until a disk has written."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        yield


def pytest_configure(config: pytest.Config) -> None:
    """One OpenCV thread for each of several workers: they share the cores already."""
    if hasattr(config, "workerinput"):
        cv2.setNumThreads(1)


def pytest_collection_finish() -> None:
    """Python looks for circles seldom, and never among the thousands of tests collected: an eighth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


TOOLS = frozenset({"datasets", "deploy", "models"})
"""Folders with tests of tools; `.ci/changed` knows them too."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of tools are marked by their folder.

    In a parallel run the slow tests begin first, so that no worker is left alone with one at the end.

    `--dist loadfile` keeps each module on one worker, in its order: browsers and other dear fixtures are set up once.
    `--no-loadscope-reorder` keeps the modules in this order; without it those with the most tests begin, and the few
    long ones are left for the end.
    """
    for item in items:
        if item.path.relative_to(config.rootpath).parts[1] in TOOLS:
            item.add_marker("tools")
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not any(item.get_closest_marker(name) for name in ("browser", "slow")))
