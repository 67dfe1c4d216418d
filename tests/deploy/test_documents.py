"""Every command in the documents exists and takes the words that they tell people to type."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from companion.__main__ import companion
from deploy.site import stage
from tests.deploy.test_examples import LANGUAGES
from tests.deploy.test_examples import PAGES as EXAMPLE_PAGES
from tests.deploy.typed_commands import FOR_HOURS, lines_of
from tests.deploy.typed_commands import pages as typed_pages

HERE = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
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


def words_of(module: str) -> set[str]:
    """Every text in a module and the modules of this project that it imports: its options are among them."""
    spec = importlib.util.find_spec(module)
    if spec is not None and spec.submodule_search_locations:
        spec = importlib.util.find_spec(f"{module}.__main__")
    assert spec is not None and spec.origin is not None, module
    return set(re.findall(r'"([^"\n]+)"', Path(spec.origin).read_text(encoding="utf-8")))


def for_hours() -> list[tuple[str, str]]:
    return sorted({(page, line) for page in FOR_HOURS for line in lines_of(page, HERE)})


@pytest.mark.parametrize(("page", "line"), for_hours())
def test_a_line_that_takes_hours_names_modules_options_and_targets_that_are_there(page: str, line: str) -> None:
    words = [word for word in shlex.split(line) if not re.fullmatch(r"[A-Z_]+=\S+", word)]
    if words[:2] == ["python", "-m"]:
        known = words_of(words[2])
        assert [word for word in words[3:] if word.startswith("--") and word not in known] == []
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (HERE / "Makefile").read_text(encoding="utf-8"), re.M)
    elif words[0] == "git":
        assert words[1] in ("tag", "push") and words[-1] in (f"v{VERSION}", VERSION)
    elif words[0] == ".":
        assert words[1].removesuffix("/bin/activate") in (".venv", ".venv-train", ".venv-trace")
    elif words[0] == "pre-commit":
        assert (HERE / ".pre-commit-config.yaml").is_file()
    else:
        assert words[0] == "companion"  # test_every_companion_command_in_the_documents_is_understood


def test_every_code_block_is_run_by_some_test() -> None:
    typed, nobody = {*typed_pages(HERE), *FOR_HOURS}, []
    with tempfile.TemporaryDirectory() as folder:
        pages = [str(page) for page in stage(Path(folder)) if page.suffix == ".md"]
    for page in pages:
        text = (HERE / page).read_text(encoding="utf-8")
        plain = re.sub(r"^[ ]*```.*?^[ ]*```", "", text, flags=re.M | re.S)
        assert re.search(r"^    (python|companion|make|pip|sudo) ", plain, re.M) is None, f"{page}: no fence"
        for language in re.findall(r"^[ ]*```(\w*)[^\n]*\n.*?^[ ]*```", text, re.M | re.S):
            run = page in typed if not language else language in LANGUAGES and HERE / page in EXAMPLE_PAGES
            if not run and language != "text":  # a drawing, or what a command prints
                nobody.append((page, language))
    assert nobody == []


def test_every_file_that_the_architecture_names_is_there() -> None:
    text = (HERE / "docs/architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/.-]+/[\w.-]+\.py|\w+/)`", text)
    assert len(named) > 10
    assert [one for one in named if not (HERE / one).exists() and not (HERE / "companion" / one).exists()] == []
