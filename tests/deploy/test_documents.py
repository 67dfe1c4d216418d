"""What the documents tell people to type can be typed: every command exists and takes these words."""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from companion.__main__ import companion

HERE = Path(__file__).resolve().parents[2]
PAGES = sorted(p for p in HERE.glob("**/*.md") if not any(part.startswith(".") for part in p.relative_to(HERE).parts))


def typed(page: Path, first: str) -> Iterator[list[str]]:
    """The words after `first` in every line of a code block and every piece of code in the text that begins with it."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^\s*```.*?\n(.*?)^\s*```", text, re.M | re.S)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S).replace("\n", " "))
    for line in lines:
        words = shlex.split(line, comments=True) if line.startswith(first) else []
        if words[: len(first.split())] == first.split() and len(words) > len(first.split()):
            yield words[len(first.split()) :]


def commands() -> list[tuple[str, tuple[str, ...]]]:
    return sorted({(page.name, tuple(words)) for page in PAGES for words in typed(page, "companion")})


def modules() -> list[tuple[str, str]]:
    return sorted({(page.name, words[0]) for page in PAGES for words in typed(page, "python -m")})


@pytest.mark.parametrize(("page", "words"), commands(), ids=lambda v: v if isinstance(v, str) else " ".join(v))
def test_every_companion_command_in_the_documents_is_understood(page: str, words: tuple[str, ...]) -> None:
    while words and words[0].startswith("--"):
        [option] = [one for one in companion.params if words[0] in one.opts]
        words = words[1 if isinstance(option, click.Option) and option.is_flag else 2 :]
    if not words:
        return
    if words[0] == "COMMAND":
        return
    command = companion.get_command(click.Context(companion), words[0])
    assert command is not None, f"{page}: there is no `companion {words[0]}`"
    if len(words) == 1 or "..." in words:
        return
    try:
        # A word in capitals stands for what people put there; a number will do for each.
        command.make_context(words[0], ["1" if word.isupper() and word.isalpha() else word for word in words[1:]])
    except click.BadOptionUsage:
        assert any(words[-1] in option.opts for option in command.params), f"{page}: an option without its value"


@pytest.mark.parametrize(("page", "module"), modules())
def test_every_module_in_the_documents_is_there(page: str, module: str) -> None:
    assert importlib.util.find_spec(module) is not None, f"{page}: there is no {module}"


def test_the_documents_name_commands_at_all() -> None:
    assert len(commands()) >= 12 and len(modules()) >= 12
