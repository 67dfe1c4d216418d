"""What every test stands on: a silent inference runtime, and workers that do not get in each other's way."""

from __future__ import annotations

import cv2
import pytest

from vision import telemetry

telemetry.switch_off()


def pytest_configure(config: pytest.Config) -> None:
    """One OpenCV thread for each of several workers: they share the cores already."""
    if hasattr(config, "workerinput"):
        cv2.setNumThreads(1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a parallel run the slow tests begin first, so that no worker is left alone with one at the end.

    The tests of a module that drive one browser go to one worker in their order; modules with other dear fixtures say
    so themselves (`xdist_group`).
    """
    if not hasattr(config, "workerinput"):
        return
    items.sort(key=lambda item: not any(item.get_closest_marker(name) for name in ("browser", "slow")))
    for item in items:
        if item.get_closest_marker("browser") is not None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
