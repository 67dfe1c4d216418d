"""The standing of a match as a picture to send to friends: drawn on the box, with the box's own fonts."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

from companion.game.game_view import GameView
from companion.web.fonts import NoFontError, font_for
from companion.web.languages import gettext as _
from companion.web.wording import ended_text, rules_name

WIDTH = 1080
MARGIN = 72
TOP = 330
ROW = 118
GROUND, SHEET, INK, SOFT, LINE, ACCENT = "#f2ebdd", "#fcf8ef", "#1b1916", "#5f574b", "#d6cab4", "#0f4f3d"
PLAYERS = (
    "#b3261e", "#1b57a6", "#25713a", "#75369b", "#9a5200", "#0a6b78",
    "#ad2169", "#62620c", "#46566a", "#744425", "#3d43ab", "#861a3a",
)  # fmt: skip
"""The page's colours by day, in order of seats."""


def lines_of(board: GameView, day: str) -> tuple[str, str, str]:
    """Title, what is told large, and how the last round ended."""
    title = rules_name(board.rules)
    last = board.rounds_played[-1] if board.rounds_played else None
    if board.winners:
        told = _("Winner: %(names)s", names=", ".join(board.winners))
    elif last is not None:
        told = _("After round %(number)s", number=last.round)
    else:
        told = _("Scores")
    ended = "" if last is None else ended_text(last, board.family)
    return (f"{title} · {day}" if day else title), told, ended[:1].upper() + ended[1:]


def can_be_drawn(board: GameView, day: str) -> bool:
    """Whether this machine has fonts for everything that would stand in the picture."""
    try:
        for text in (*lines_of(board, day), *(seat.name + seat.initial for seat in board.seats)):
            font_for(text, 32)
    except NoFontError:
        return False
    return True


def score_picture(board: GameView, day: str) -> bytes:
    """A PNG, 1080 pixels wide. Raises NoFontError where this machine lacks a letter."""
    rows = sorted(board.scores, key=lambda row: row.rank)
    picture = Image.new("RGB", (WIDTH, TOP + ROW * len(rows) + MARGIN), GROUND)
    draw = ImageDraw.Draw(picture)
    title, told, ended = lines_of(board, day)
    _write(draw, (MARGIN, 84), title, 36, SOFT, "ls", WIDTH - 2 * MARGIN)
    _write(draw, (MARGIN, 184), told, 84, INK, "ls", WIDTH - 2 * MARGIN)
    _write(draw, (MARGIN, 252), ended, 40, SOFT, "ls", WIDTH - 2 * MARGIN)
    draw.line((MARGIN, TOP - 24, WIDTH - MARGIN, TOP - 24), INK, 4)
    for place, row in enumerate(rows):
        middle = TOP + ROW * place + ROW // 2
        if row.rank == 1:
            draw.rounded_rectangle((MARGIN - 28, middle - 54, WIDTH - MARGIN + 28, middle + 54), 24, SHEET, LINE, 2)
        draw.ellipse((MARGIN, middle - 36, MARGIN + 72, middle + 36), PLAYERS[(row.seat.colour - 1) % len(PLAYERS)])
        _write(draw, (MARGIN + 36, middle), row.seat.initial, 36, "#fffdf8", "mm", 60)
        _write(draw, (MARGIN + 104, middle), row.seat.name, 52, INK, "lm", 480)
        if row.last is not None:
            _write(draw, (WIDTH - MARGIN - 250, middle), f"{row.last:+d}", 44, SOFT, "rm", 160)
        _write(draw, (WIDTH - MARGIN, middle), str(row.total), 72, ACCENT if row.rank == 1 else INK, "rm", 230)
        if place and row.rank != 1 and rows[place - 1].rank != 1:
            draw.line((MARGIN, middle - ROW // 2, WIDTH - MARGIN, middle - ROW // 2), LINE, 2)
    made = io.BytesIO()
    picture.save(made, "PNG", optimize=True)
    return made.getvalue()


def _write(
    draw: ImageDraw.ImageDraw, at: tuple[int, int], text: str, size: int, colour: str, anchor: str, most: int
) -> None:
    """One line of text, smaller where it would be wider than `most` pixels."""
    if not text:
        return
    width = draw.textlength(text, font_for(text, size))
    if width > most:
        size = max(12, int(size * most / width))
    draw.text(at, text, colour, font_for(text, size), anchor)
