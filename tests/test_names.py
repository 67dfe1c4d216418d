"""A file's name and a class's name mean one thing in `companion`, and its modules are few and short."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

COMPANION = Path(__file__).resolve().parents[1] / "companion"
MODULES = sorted(COMPANION.rglob("*.py"))
MOST_MODULES = 150
MOST_LINES = 800


def twice(named: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Name -> the files that have it, of names that more than one file has."""
    found = defaultdict(list)
    for name, where in named:
        found[name].append(where)
    return {name: where for name, where in found.items() if len(where) > 1}


def test_a_file_name_stands_once() -> None:
    named = [(path.name, str(path.relative_to(COMPANION))) for path in MODULES if path.name != "__init__.py"]
    assert twice(named) == {}


def test_a_class_name_stands_once() -> None:
    named = [
        (node.name, str(path.relative_to(COMPANION)))
        for path in MODULES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    assert twice(named) == {}


def test_modules_are_few_and_short() -> None:
    assert len(MODULES) <= MOST_MODULES
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def test_a_name_that_stands_twice_is_found() -> None:
    assert twice([("Line", "a.py"), ("Line", "b.py"), ("Seat", "a.py")]) == {"Line": ["a.py", "b.py"]}
