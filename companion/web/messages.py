"""Every sentence of the page, for translators: `python -m companion.web.messages > page.pot`."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

COMPANION = Path(__file__).resolve().parents[1]
ROOMS = ("web", "hall")
"""The rooms whose code and templates hold sentences."""

WRITTEN = {
    "rules/codes.toml": ("title", "rule", "variants"),
    "rules/quotations.toml": ("meaning",),
    "web/texts/refusals.toml": ("refusals", "troubles", "plainer", "status"),
    "web/texts/repairs.toml": ("title", "meaning", "remedy", "button", "parts"),
    "web/texts/hypotheses.toml": ("assumed", "again"),
    "web/texts/games.toml": ("name", "special", "source"),
    "web/texts/house_rules.toml": ("questions", "flags", "choices"),
    "web/texts/wording.toml": (
        *("events", "laid", "laid_on", "round_ends", "ended", "reports", "camera", "questions", "unread", "troubles"),
    ),
}
"""Files of texts -> the keys under which every text is a message."""

KEYWORDS = {"_": None, "marked": None, "gettext": None, "ngettext": (1, 2)}
METHODS = [("**.py", "python"), ("**/templates/**.html", "jinja2.ext:babel_extract")]

Message = str | tuple[str, str]
"""A message, or singular and plural of one."""


def texts_in(content: str, keys: Collection[str]) -> Iterator[tuple[int, str]]:
    """The texts of a TOML file under `keys`, and all in tables of that name, each with its line."""
    lines = content.splitlines()

    def found(value: Any, wanted: bool) -> Iterator[str]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from found(inner, wanted or key in keys)
        elif isinstance(value, list):
            for inner in value:
                yield from found(inner, wanted)
        elif isinstance(value, str) and wanted:
            yield value

    for text in found(tomllib.loads(content), False):
        quoted = json.dumps(text, ensure_ascii=False)
        yield next(number for number, line in enumerate(lines, 1) if quoted in line), text


def template() -> Catalog:
    """All messages with the places where they stand, as paths inside `companion`."""
    catalogue = Catalog(project="tabletop-companion", charset="utf-8")
    for name, keys in WRITTEN.items():
        for line, text in texts_in((COMPANION / name).read_text(encoding="utf-8"), keys):
            catalogue.add(text, locations=[(name, line)])
    for room in ROOMS:
        found = extract_from_dir(str(COMPANION / room), method_map=METHODS, keywords=KEYWORDS)
        for name, line, message, comments, _context in found:
            catalogue.add(message, locations=[(f"{room}/{name}", line)], auto_comments=comments)
    return catalogue


@cache
def messages() -> frozenset[Message]:
    """The messages alone."""
    found = (message.id for message in template() if message.id)
    return frozenset((one[0], one[1]) if isinstance(one, list | tuple) else one for one in found)


if __name__ == "__main__":
    written = BytesIO()
    write_po(written, template(), width=120, sort_by_file=True)
    sys.stdout.write(written.getvalue().decode("utf-8"))
