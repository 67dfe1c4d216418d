"""Every command: its help, its streams and its encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import click
import pytest

from companion.__main__ import COMMANDS, companion


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help(name: str) -> None:
    command = companion.get_command(click.Context(companion), name)
    assert command is not None
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    assert [one.name for one in options if not one.help] == []
    assert command.help


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_a_command_that_was_started_without_an_input_or_an_output_ends_well(closed: str) -> None:
    command = ["sh", "-c", f'exec "$0" -m companion judge {closed}', sys.executable]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    header = {"journal": 3, "rules": "tactic", "set": "double-12", "players": ["Анна", "Бен"], "options": {}}
    path = tmp_path / "journal.jsonl"
    path.write_text(json.dumps(header, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def ran(journal: Path, *more: str, into: IO[bytes] | int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    """`companion replay` where the system's own encoding has no Cyrillic letters."""
    command = [sys.executable, "-m", "companion", "replay", str(journal), *more]
    surroundings = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    return subprocess.run(command, stdout=into, stderr=subprocess.PIPE, env=surroundings, timeout=120)


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_files_and_programs_get_utf_8_whatever_the_terminal_takes(journal: Path, more: list[str]) -> None:
    done = ran(journal, *more)
    assert done.returncode == 0 and "Анна" in done.stdout.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a disk that is always full")
def test_an_answer_that_a_full_disk_does_not_take_is_one_line(journal: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = ran(journal, into=full)
    assert done.returncode == 1
    assert done.stderr.decode() == "Error: No space left on device: not everything could be written\n"
