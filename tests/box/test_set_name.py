"""A set is typed by its name, or by its highest double alone."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from companion.__main__ import companion
from companion.app.own_set import SETS
from companion.cli.photographs import SetName


@pytest.mark.parametrize(("typed", "meant"), (("12", "double-12"), ("double-6", "double-6"), ("auto", "auto")))
def test_a_set_has_a_name_and_a_number(typed: str, meant: str) -> None:
    assert SetName(SETS).convert(typed, None, None) == meant


def test_what_is_no_set_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(click.BadParameter, match="'13' is not one of 'auto', 'double-6'"):
        SetName(SETS).convert("13", None, None)


@pytest.mark.parametrize("command", ("read", "score", "teach"))
def test_every_command_that_takes_a_set_takes_its_number(command: str, tmp_path: Path) -> None:
    nothing = str(tmp_path / "none.jpg")
    assert "is not one of" in CliRunner().invoke(companion, [command, nothing, "--set", "13"]).output
    assert "is not one of" not in CliRunner().invoke(companion, [command, "--help", "--set", "12"]).output


def test_the_page_about_commands_names_every_set() -> None:
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    [line] = [part for part in page.split("\n\n") if part.startswith("`--set` is ")]
    assert [name for name in SETS if f"`{name}`" not in line] == []
