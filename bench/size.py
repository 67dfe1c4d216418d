"""The product's lines by kind and room: `python -m bench.size`.

A line is code, prose (docstrings, texts under constants, comments of a whole line) or blank.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("code", "prose", "blank")


def kinds_of(source: str) -> Counter[str]:
    """How many lines of a module are of each kind."""
    prose: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    found: Counter[str] = Counter()
    for number, line in enumerate(source.splitlines(), start=1):
        text = line.strip()
        found["prose" if number in prose or text.startswith("#") else "code" if text else "blank"] += 1
    return found


def rooms(package: Path) -> dict[str, Counter[str]]:
    """Room -> lines of each kind, and the files; modules of the package itself count as "."."""
    found: dict[str, Counter[str]] = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        room = found.setdefault(parts[0] if len(parts) > 1 else ".", Counter())
        room.update(kinds_of(path.read_text(encoding="utf-8")))
        room["files"] += 1
    return found


def main() -> None:
    for package in ("companion", "vision", "hardware"):
        found = rooms(ROOT / package)
        print(f"{package:12} {'lines':>7} {'code':>7} {'prose':>7} {'blank':>7} {'files':>6}")
        whole = sum(found.values(), Counter())
        for room, count in [*sorted(found.items(), key=lambda one: -one[1]["code"]), ("all", whole)]:
            lines = [count[kind] for kind in KINDS]
            print(f"  {room:10} {sum(lines):7} {lines[0]:7} {lines[1]:7} {lines[2]:7} {count['files']:6}")


if __name__ == "__main__":
    main()
