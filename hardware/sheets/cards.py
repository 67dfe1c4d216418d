"""The sheets people read: ruler, glare card, quick-start card."""

from __future__ import annotations

import numpy as np
import segno

from hardware.sheets.paper import MARGIN_MM, Sheet

TILE_SIZES_MM = (("professional", 50.8, 25.4), ("common", 48.0, 24.0), ("mini", 30.0, 14.0))
PIPS_MM = (4.0, 3.2, 2.6, 2.0, 1.5)
GREYS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)


def ruler_sheet(sheet: Sheet) -> None:
    """Rulers both ways, since a printer may stretch one way only, and outlines to lay a tile on."""
    sheet.heading("Ruler and tile gauge")
    foot = sheet.paragraph(
        MARGIN_MM,
        MARGIN_MM + 10,
        sheet.width_mm - 2 * MARGIN_MM,
        "Measure both rulers against a steel rule. Lay one of your tiles on the outlines: the one it covers is its "
        "size; for any other, read length and width off the rulers and give them to `companion calibrate`.",
    )
    sheet.ruler(MARGIN_MM, foot + 14, 180)
    sheet.ruler(MARGIN_MM, foot + 22, 180, upright=True)
    y = foot + 34
    for name, length, width in TILE_SIZES_MM:
        sheet.frame(60, y, length, width)
        sheet.line(60 + length / 2, y, 60 + length / 2, y + width)
        sheet.text(60 + length + 6, y + width / 2, f"{name}: {length:g} x {width:g} mm", size=9)
        y += width + 14
    sheet.scale_check()


def glare_card(sheet: Sheet) -> None:
    """Black that shines where a tile would shine, greys that drown first, pips that blur first."""
    sheet.heading("Glare card")
    foot = sheet.steps(
        MARGIN_MM,
        MARGIN_MM + 12,
        sheet.width_mm - 2 * MARGIN_MM,
        (
            "Put two strips of clear tape across the black field, so that it shines as a tile does.",
            "Lay the card in the middle of the table and then in each corner, lamps as on a game night. In the "
            "camera's picture no bright patch may lie on the black field: move the lamp that makes "
            "it, or put paper before it.",
            "All seven greys must be told apart. Light ones run together: too bright; dark ones: too dark.",
            "The smallest row of pips that can be counted must be no larger than the pips of your tiles.",
        ),
    )
    width = sheet.width_mm - 2 * MARGIN_MM
    sheet.box(MARGIN_MM, foot + 4, width, 70)
    y = foot + 80
    step = width / len(GREYS)
    for number, grey in enumerate(GREYS):
        sheet.box(MARGIN_MM + number * step, y, step, 22, grey=grey)
    sheet.frame(MARGIN_MM, y, width, 22)
    y += 32
    for diameter in PIPS_MM:
        for column in range(12):
            sheet.dot(MARGIN_MM + 6 + column * 2 * diameter, y, diameter)
        sheet.text(MARGIN_MM + 130, y + 1, f"{diameter:g} mm", size=9)
        y += diameter * 2 + 3
    sheet.scale_check()


def quick_start_card(sheet: Sheet) -> None:
    """For the players: what to do, what the words on the page mean, what to say when it is wrong."""
    sheet.heading("Tabletop companion: quick start")
    width = sheet.width_mm - 2 * MARGIN_MM
    y = MARGIN_MM + 16
    if sheet.address is not None:
        cells = np.array([[bool(cell) for cell in row] for row in segno.make_qr(sheet.address).matrix_iter(border=0)])
        sheet.cells(sheet.width_mm - MARGIN_MM - 42, y, 40, cells)
        sheet.text(MARGIN_MM, y + 5, "Scores, live, on your phone:", size=11)
        sheet.text(MARGIN_MM, y + 12, sheet.address, size=13, bold=True)
        y += 48
    y = sheet.paragraph(MARGIN_MM, y, width, "Playing", size=13, bold=True) + 2
    y = sheet.steps(
        MARGIN_MM,
        y,
        width,
        (
            "A new game: choose the rules, write the names, drag each to where its train starts, say who starts.",
            "Play as always. Nobody has to press anything after a tile.",
            "Lay the tile, take your hand away: the picture is read when the table is still and clear.",
            "Drew and passed? Say so with one tap, or press the pass button: the camera does not see hands.",
            "Put a marker on an open train and take it off again; the camera sees it.",
            "At the end of the round lay the rest of your hand open in front of you, tiles apart.",
        ),
        size=11,
    )
    y = sheet.paragraph(MARGIN_MM, y + 3, width, "What the page says", size=13, bold=True) + 2
    for word, meaning in (
        ("hand over the table", "waiting until the table is clear"),
        ("settling", "clear, waiting until nothing moves"),
        ("reading", "looking at what changed"),
        ("read", "done; the play is written down"),
        ("a question", "it is not sure: answer with one tap. It never guesses aloud"),
        ("illegal", "it is sure that a rule was broken, and says which; the table decides what happens"),
        ("camera lost", "play on; tap in what is played, or wait: it comes back by itself"),
    ):
        sheet.text(MARGIN_MM, y + 4, word, size=11, bold=True)
        y = sheet.paragraph(MARGIN_MM + 50, y, width - 50, meaning, size=11) + 1
    y = sheet.paragraph(MARGIN_MM, y + 4, width, "When it is wrong", size=13, bold=True) + 2
    sheet.steps(
        MARGIN_MM,
        y,
        width,
        (
            "Tap the play on the page and choose what it really was. Changing a game needs the PIN.",
            "Take a tile back from the table: the play is undone by itself.",
            'Press "read now" whenever it seems to wait for nothing.',
        ),
        size=11,
    )
    sheet.scale_check()
