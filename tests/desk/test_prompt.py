"""Whatever a round, a game and a journal are made of can be tried at a prompt, as its docstring shows."""

from __future__ import annotations

import doctest
import inspect
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

from companion import game, log, observing, perception, tracking
from companion.perception import setup_file
from companion.tracking import tracker


def modules(*rooms: ModuleType) -> Iterator[ModuleType]:
    for room in rooms:
        for found in iter_modules(room.__path__, f"{room.__name__}."):
            yield import_module(found.name)


WHOLE = (*modules(game, log, observing), setup_file, tracker)
"""Every class of these that does anything has an example."""


def examples(module: ModuleType) -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [one for one in finder.find(module, module.__name__) if one.examples]


def name_of(module: ModuleType) -> str:
    return module.__name__.removeprefix("companion.")


TRIED = [one for one in (*WHOLE, *modules(tracking, perception)) if examples(one)]


@pytest.mark.parametrize("module", dict.fromkeys(TRIED), ids=name_of)
def test_every_example_does_what_it_says(module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    runner = doctest.DocTestRunner()
    for one in examples(module):
        runner.run(one)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("module", WHOLE, ids=name_of)
def test_every_public_class_that_does_anything_has_an_example(module: ModuleType) -> None:
    """Values without a method of their own are read in the examples of others."""
    classes = [
        value
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_")
    ]
    shown = {one.name.rpartition(".")[2] for one in examples(module)}
    assert [one.__name__ for one in classes if _does_anything(one) and one.__name__ not in shown] == []


def _does_anything(value: type) -> bool:
    kinds = (property, classmethod, staticmethod)
    own = ((name, one) for name, one in vars(value).items() if not name.startswith("_"))
    does = any(inspect.isfunction(one) or isinstance(one, kinds) for _, one in own)
    return does and not getattr(value, "_is_protocol", False)
