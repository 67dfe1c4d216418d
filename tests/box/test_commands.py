"""What every command says of itself."""

from __future__ import annotations

import subprocess
import sys

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
