"""Whatever can be typed, asked or subscribed to stands in docs/: a command, an option, a route, a topic."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import click
import pytest

from companion.__main__ import COMMANDS, MODULES
from companion.app.state import AppState
from companion.log.events import OWN_FIELDS
from companion.publish import broker
from companion.publish.publisher import FAULT, PLAY, TableDevice, discovery
from companion.web.app import create_app
from companion.web.openapi import document

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROUTE = re.compile(r"`((?:GET|POST) /[^`]*)`")


@cache
def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_each_of_its_options_is_documented(name: str) -> None:
    [row] = [line for line in page("commands.md").splitlines() if line.startswith(f"| `{name}` ")]
    command = getattr(importlib.import_module(f"companion.cli.{MODULES.get(name, name)}"), name)
    options = [option.opts[-1] for option in command.params if isinstance(option, click.Option)]
    assert [option for option in options if f"`{option}`" not in row and f"`{option} " not in row] == []


def test_every_documented_command_exists() -> None:
    rows = re.findall(r"^\| `(\w+)` ", page("commands.md"), re.MULTILINE)
    assert sorted(rows) == sorted(COMMANDS)


def test_every_route_is_described_and_every_documented_route_exists() -> None:
    app = create_app(AppState())
    operations = {
        f"{method.upper()} {path}": operation
        for path, methods in document(app)["paths"].items()
        for method, operation in methods.items()
    }
    told = {route for name in ("api.md", "house-rules.md") for route in ROUTE.findall(page(name))}
    assert len(told) > 20 and told - operations.keys() == set()
    assert [rule.rule for rule in app.url_map.iter_rules() if not app.view_functions[rule.endpoint].__doc__] == [
        "/static/<path:filename>"
    ]


def test_every_kind_of_event_is_documented() -> None:
    assert [kind for kind in OWN_FIELDS if f"`{kind}`" not in page("api.md")] == []


def test_every_topic_is_documented() -> None:
    said = set(re.findall(r"topic\([^,()]+(?:\.[a-z]+)?, \"(\w+)\"\)", published()))
    said |= set(re.findall(r"_publish\(\"(\w+)\"", published())) | {PLAY, FAULT}
    told = set(re.findall(rf"`{broker.ROOT}/TABLE/(\w+)`", page("mqtt.md")))
    assert said == told
    for where in discovery(TableDevice("TABLE", "x")):
        prefix, kind, table, key, last = where.split("/")
        assert f"{prefix}/KIND/{table}/KEY/{last}" in page("mqtt.md"), (kind, key)


def published() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in (ROOT / "companion" / "publish").glob("*.py"))


def test_every_variable_of_the_environment_is_documented() -> None:
    found = set()
    for room in ("companion", "vision", "hardware"):
        for path in (ROOT / room).rglob("*.py"):
            found |= set(re.findall(r'"(COMPANION_[A-Z_]+)"', path.read_text(encoding="utf-8")))
    told = "".join(
        path.read_text(encoding="utf-8") for path in (*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "deploy/README.md")
    )
    assert [name for name in sorted(found) if name not in told] == []


def test_the_links_between_documents_lead_somewhere() -> None:
    broken = []
    for path in (*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "deploy" / "README.md"):
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            if "://" not in target and not (path.parent / target).exists():
                broken.append(f"{path.name}: {target}")
    assert broken == []
