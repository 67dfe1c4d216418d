"""Tiles in sentences stay in one line: `8-` at a line's end is read as something else.

Browsers may break a line after the hyphen. So every tile in the text of an answer is wrapped, wherever it was written.
"""

from __future__ import annotations

import re

from flask import Flask, Response
from markupsafe import Markup

PARTS = re.compile(
    r'(?P<whole><span class="(?:whole|unseen)">[^<]*</span>)'
    r"|(?P<plain><(?P<of>title|option|textarea|text)\b.*?</(?P=of)>)"
    r"|(?P<tag><[^>]*>)"
    r"|(?P<tile>(?<![\w.:-])(?:\d{1,2}[-:]|[^\W\d_]+-)\d{1,2}(?![\w.:-]*\d))",
    re.DOTALL,
)
"""What is whole already or only heard, elements that hold text alone, tags with their attributes, and what is wrapped:
tiles, and sets like `Double-12`."""


def whole_tiles(page: str) -> Markup:
    """HTML with each tile of its text in an element of its own, which no line's end parts."""
    return Markup(PARTS.sub(_wrapped, page))


def _wrapped(part: re.Match[str]) -> str:
    return part[0] if part["tile"] is None else f'<span class="whole">{part[0]}</span>'


def keep_tiles_whole(app: Flask) -> None:
    @app.after_request
    def keep(response: Response) -> Response:
        if response.mimetype == "text/html" and not response.is_streamed:
            response.set_data(whole_tiles(response.get_data(as_text=True)))
        return response
