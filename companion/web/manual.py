"""The documents that came with the program, on the page: a box at a table may have no internet."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from flask import Blueprint, render_template
from markdown_it import MarkdownIt
from markupsafe import Markup
from werkzeug.exceptions import NotFound

from companion.web.source import CLONE, PACKAGE, is_clone

manual = Blueprint("manual", __name__)

ROOT = CLONE if is_clone() else PACKAGE
"""Where the documents lie: a wheel has them in its one package (deploy/one_name.py)."""
FIRST = (
    "first-evening",
    "camera-and-light",
    "troubleshooting",
    "house-rules",
    "rules",
    "install",
    "commands",
    "mqtt",
    "hall",
)
"""What people at a table look for, in this order; whatever else there is comes behind."""

LINK = re.compile(r'href="([^":#?]*/)?([\w-]+)\.md(#[\w-]*)?"')
PICTURE = re.compile(r"<img [^>]*?alt=\"([^\"]*)\"[^>]*>")


@cache
def documents() -> dict[str, Path]:
    """Name in the address -> file, where the documents were installed."""
    found = {path.stem: path for path in sorted((ROOT / "docs").glob("*.md"))}
    found |= {path.stem.lower(): path for path in sorted((ROOT / "hardware").glob("*.md"))}
    if (ROOT / "deploy/README.md").is_file():
        found["deploy"] = ROOT / "deploy/README.md"
    first = [name for name in FIRST if name in found]
    return {name: found[name] for name in (*first, *(name for name in found if name not in first))}


def title_of(path: Path) -> str:
    """The first heading."""
    with path.open(encoding="utf-8") as lines:
        return next((line.lstrip("# ").strip() for line in lines if line.startswith("# ")), path.stem)


def rendered(path: Path) -> Markup:
    """The document as HTML; links to other documents lead to their pages, pictures are named only."""
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(path.read_text(encoding="utf-8"))

    def target(match: re.Match[str]) -> str:
        folder, stem, place = match[1] or "", match[2], match[3] or ""
        name = "deploy" if stem == "README" and "deploy" in (folder or str(path.parent)) else stem
        name = name if name in documents() else name.lower()
        return f'href="/manual/{name}{place}"' if name in documents() else 'href="/manual"'

    return Markup(PICTURE.sub(r"<i>\1</i>", LINK.sub(target, html)))


@manual.get("/manual")
def contents() -> str:
    """The documents that came with the program."""
    return render_template("manual.html", titles={name: title_of(path) for name, path in documents().items()}, tv=False)


@manual.get("/manual/<name>")
def document(name: str) -> str:
    """One of these documents."""
    path = documents().get(name)
    if path is None:
        raise NotFound
    return render_template("manual.html", title=title_of(path), text=rendered(path), tv=False)
