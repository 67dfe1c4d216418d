"""Set-up for every test: a silent inference runtime, and workers that keep out of each other's way."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import cv2
import pytest
from flask import Flask
from werkzeug.routing import Rule

from bench.stand_ins.background import Compiled
from vision import telemetry

telemetry.switch_off()


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_the_disk() -> Iterator[None]:
    """Skip every wait for the disk. The tests of power cuts run in processes of their own, which do wait."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        yield


COMPILED = ("arguments", "_parts", "_trace", "_converters", "_build", "_build_unknown")
"""The attributes that compiling adds to one of Werkzeug's rules."""


@pytest.fixture(autouse=True, scope="session")
def nothing_compiled_twice() -> Iterator[None]:
    """Nearly every test of the page makes an app of its own, each of which would compile its templates and each of its
    hundred addresses: nine tenths of what such a test takes."""
    compile_rule, compiled = Rule.compile, dict[tuple[Any, ...], dict[str, Any]]()

    def once(rule: Rule) -> None:
        key = (rule.rule, rule.subdomain, rule.host, repr(rule.defaults), rule.merge_slashes)
        if key not in compiled:
            compile_rule(rule)
            compiled[key] = {name: getattr(rule, name) for name in COMPILED}
        vars(rule).update(compiled[key])

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Rule, "compile", once)
        patched.setattr(Flask, "jinja_options", {**Flask.jinja_options, "bytecode_cache": Compiled()})
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
