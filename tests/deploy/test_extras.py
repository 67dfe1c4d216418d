"""Each extra installs only the packages that it uses: by default the referee, `eye` the reader, `box` the page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest

from deploy.wheels import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
QUESTION = {"id": 1, "kind": "setup", "rules": "cz", "set": 9, "players": 4}


def named(requirements: list[str]) -> list[str]:
    """The packages of some requirements, the project itself left out."""
    names = [re.split(r"[<>=\[ ]", one)[0] for one in requirements]
    return [name for name in names if name != PROJECT["name"]]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the program and what it always needs, and no other package."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder)
    [packages] = folder.glob("lib/python3*/site-packages")
    (packages / "program.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    for name in named(PROJECT["dependencies"]):
        for top in {file.parts[0] for file in distribution(name).files or () if file.suffix == ".py"}:
            (packages / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    return folder / "bin" / "python"


def asked(python: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python), "-s", *words], input=stdin, cwd=python.parent, capture_output=True, text=True, check=False
    )


def test_what_is_always_installed_is_pure_python() -> None:
    for name in named(PROJECT["dependencies"]):
        assert not [file for file in distribution(name).files or () if file.suffix in (".so", ".pyd")], name


def test_a_bare_install_referees(bare: Path) -> None:
    program = (
        "from companion.rules import Board; board = Board('tactic', ['Ann', 'Ben', 'Cy']);"
        "print(board.push('play 12-5@Ann').verdict, board.explain('play 5-6@Ann')[0].sentence)"
    )
    done = asked(bare, "-c", program)
    assert done.stdout == "legal Ben played 5-6 on Ann's train, which is closed to others.\n", done.stderr
    judged = asked(bare, "-m", "companion", "judge", "--explain", stdin=json.dumps(QUESTION))
    assert judged.returncode == 0 and json.loads(judged.stdout)["verdict"] == "impossible", judged.stderr
    assert json.loads(asked(bare, "-m", "companion", "schema", "judge").stdout)


@pytest.mark.parametrize("words", [["read", "picture.jpg"], ["serve"], ["replay", "journal.jsonl"]])
def test_what_a_bare_install_lacks_is_named_with_its_extra(bare: Path, words: list[str]) -> None:
    done = asked(bare, "-m", "companion", *words)
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(r"Error: the package \w+ is missing .*\[eye\] for pictures or \[box\] .*\n", done.stderr)


def test_the_reader_needs_nothing_of_the_page(bare: Path) -> None:
    pages = named(PROJECT["optional-dependencies"]["box"])
    modules = {"markdown-it-py": "markdown_it", "fpdf2": "fpdf"}
    without = {modules.get(name, name) for name in pages}
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({without!r}));"
        " import companion.reading, companion.cli.photographs"
    )
    done = asked(
        Path(sys.executable),
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); {program}, companion.cli.photographs",
    )
    assert done.returncode == 0, done.stderr
