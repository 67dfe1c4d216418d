"""Every sentence of the page, for translators: `python -m companion.web.messages > page.pot`."""

from __future__ import annotations

import sys
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract, extract_from_dir
from babel.messages.pofile import write_po

COMPANION = Path(__file__).resolve().parents[1]
ROOMS = ("web", "hall")
"""The rooms whose code and templates hold sentences."""

RULES = ("texts.py", "quotations.py")
"""The rules' own sentences, and what their sources say, marked for translation where they stand."""

KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}
METHODS = [("**.py", "python"), ("**/templates/**.html", "jinja2.ext:babel_extract")]

Message = str | tuple[str, str]
"""A message, or singular and plural of one."""


def template() -> Catalog:
    """All messages with the places where they stand, as paths inside `companion`."""
    catalogue = Catalog(project="tabletop-companion", charset="utf-8")
    for name in RULES:
        with (COMPANION / "rules" / name).open("rb") as file:
            for line, message, comments, _context in extract("python", file, keywords={"_": None}):
                catalogue.add(message, locations=[(f"rules/{name}", line)], auto_comments=comments)
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
