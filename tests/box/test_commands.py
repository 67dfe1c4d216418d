"""What every command says of itself."""

from __future__ import annotations

import click
import pytest

from companion.__main__ import companion


def _commands() -> list[tuple[str, click.Command]]:
    context = click.Context(companion)
    found = [(name, companion.get_command(context, name)) for name in companion.list_commands(context)]
    return [(name, command) for name, command in found if command is not None]


@pytest.mark.parametrize(("name", "command"), _commands(), ids=[name for name, _ in _commands()])
def test_every_option_has_help(name: str, command: click.Command) -> None:
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    assert [one.name for one in options if not one.help] == []
    assert command.help
