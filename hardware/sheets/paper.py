"""One page in millimetres: the paper, the pen, the ruler every sheet carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
from fpdf import FPDF, ViewerPreferences
from fpdf.enums import XPos, YPos
from numpy.typing import NDArray

PAPERS: Mapping[str, tuple[float, float]] = {"A4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height in mm, upright."""

MARGIN_MM = 10.0
"""No home printer prints the outer few millimetres."""

RULER_MM = 100.0
DRAWN = datetime(2026, 1, 1, tzinfo=UTC)
"""The sheets carry a fixed date, so that the same sheet is the same file on every machine."""


class Sheet:
    """A page with its origin at the top left, +x to the right, +y down, everything in mm.

    Black is full black and white is the bare paper. Text is Latin-1 in the PDF standard font, so that no font file
    has to be there.
    """

    def __init__(self, title: str, paper: str, *, landscape: bool = False, address: str | None = None) -> None:
        short, long = PAPERS[paper]
        self.width_mm, self.height_mm = (long, short) if landscape else (short, long)
        self.paper = paper
        self.address = address
        self._pdf = FPDF(unit="mm", format=(short, long), orientation="landscape" if landscape else "portrait")
        self._pdf.set_creation_date(DRAWN)
        self._pdf.set_title(f"Tabletop companion: {title}")
        self._pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
        self._pdf.set_auto_page_break(False)
        self._pdf.set_margins(0, 0, 0)
        self._pdf.c_margin = 0
        self._pdf.add_page()

    def to_pdf(self) -> bytes:
        return bytes(self._pdf.output())

    def box(self, x: float, y: float, w: float, h: float, *, grey: float = 0.0) -> None:
        """A filled rectangle; `grey` 0 is black, 1 white."""
        self._pdf.set_fill_color(round(grey * 255))
        self._pdf.rect(x, y, w, h, style="F")

    def frame(self, x: float, y: float, w: float, h: float, *, dashed: bool = False) -> None:
        """A hairline rectangle; dashed means: cut here."""
        self._pdf.set_line_width(0.15)
        if dashed:
            self._pdf.set_dash_pattern(dash=2, gap=2)
        self._pdf.rect(x, y, w, h, style="D")
        self._pdf.set_dash_pattern()

    def line(self, x0: float, y0: float, x1: float, y1: float, *, width: float = 0.2) -> None:
        self._pdf.set_line_width(width)
        self._pdf.line(x0, y0, x1, y1)

    def dot(self, x: float, y: float, diameter: float) -> None:
        """A filled black circle around (x, y)."""
        self._pdf.set_fill_color(0)
        self._pdf.circle(x, y, diameter / 2, style="F")

    def cells(self, x: float, y: float, edge: float, dark: NDArray[np.bool_]) -> None:
        """A square of `edge` mm filled with a (n, n) pattern of cells; True is black.

        Black runs of one row are one rectangle: side by side, viewers draw hairlines between cells.
        """
        n = len(dark)
        cell = edge / n
        for row, values in enumerate(dark):
            column = 0
            while column < n:
                end = column
                while end < n and values[end]:
                    end += 1
                if end > column:
                    # A hair of overlap downwards closes the seam to the next row where that is black too.
                    below = row + 1 < n and bool(dark[row + 1, column:end].all())
                    self.box(x + column * cell, y + row * cell, (end - column) * cell, cell + (0.02 if below else 0))
                column = end + 1

    def text(self, x: float, y: float, words: str, *, size: float = 9, bold: bool = False) -> None:
        """One line whose baseline is at `y`."""
        self._pen(size, bold)
        self._pdf.text(x, y, words)

    def paragraph(self, x: float, y: float, width: float, words: str, *, size: float = 10, bold: bool = False) -> float:
        """Words broken to `width`; returns the y below them."""
        self._pen(size, bold)
        self._pdf.set_xy(x, y)
        self._pdf.multi_cell(width, size * 0.45, words, align="L", new_x=XPos.LEFT, new_y=YPos.NEXT)
        return float(self._pdf.get_y())

    def steps(self, x: float, y: float, width: float, sentences: Sequence[str], *, size: float = 10) -> float:
        """A numbered list; returns the y below it."""
        for number, sentence in enumerate(sentences, start=1):
            self.text(x, y + size * 0.36, f"{number}.", size=size, bold=True)
            y = self.paragraph(x + 7, y, width - 7, sentence, size=size) + 1.5
        return y

    def heading(self, words: str) -> None:
        self.text(MARGIN_MM, MARGIN_MM + 6, words, size=16, bold=True)

    def ruler(self, x: float, y: float, length: float = RULER_MM, *, upright: bool = False) -> None:
        """A ruler from (x, y) to the right (or down): mm ticks, longer at 5 and 10, numbers in mm at every 10."""
        for millimetre in range(round(length) + 1):
            tick = 5.0 if millimetre % 10 == 0 else 3.5 if millimetre % 5 == 0 else 2.0
            if upright:
                self.line(x, y + millimetre, x + tick, y + millimetre, width=0.15)
            else:
                self.line(x + millimetre, y, x + millimetre, y - tick, width=0.15)
            if millimetre % 10 == 0 and upright:
                self.text(x + 6, y + millimetre + 1, str(millimetre), size=6)
            elif millimetre % 10 == 0:
                self.text(x + millimetre - 1, y - 6, str(millimetre), size=6)
        self.line(x, y, x if upright else x + length, y + length if upright else y, width=0.15)

    def scale_check(self) -> None:
        """The ruler at the foot of every sheet, and what to do about it."""
        y = self.height_mm - MARGIN_MM
        self.ruler(MARGIN_MM, y)
        self.text(MARGIN_MM + 105, y - 4.5, 'Print at 100 % ("actual size") on matt paper.', size=8, bold=True)
        self.text(MARGIN_MM + 105, y - 0.8, "This ruler must measure 100 mm. If not, print again.", size=8)

    def _pen(self, size: float, bold: bool) -> None:
        self._pdf.set_font("Helvetica", style="B" if bold else "", size=size)
        self._pdf.set_text_color(0)
