"""Printable sheets, true to scale: corner markers, lens board, ruler, glare card, quick-start card.

Everything is drawn as vectors in millimetres, asks the viewer not to scale, and carries a 100 mm ruler, because
printers scale anyway. Which markers they are stands in vision/fiducials.py, where the reader of the same sheets looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hardware.sheets.cards import glare_card, quick_start_card, ruler_sheet
from hardware.sheets.markers import corner_markers, lens_board
from hardware.sheets.paper import PAPERS, Sheet

SHEETS: Mapping[str, Callable[[Sheet], None]] = {
    "corner-markers": corner_markers,
    "lens-board": lens_board,
    "ruler": ruler_sheet,
    "glare-card": glare_card,
    "quick-start": quick_start_card,
}
LANDSCAPE = frozenset({"lens-board"})


class SheetError(Exception):
    """Sheets that cannot be made; one line."""


def render(name: str, paper: str, address: str | None = None) -> bytes:
    """One sheet as a PDF. `address` is the box's page, printed with a QR code on the quick-start card."""
    if name not in SHEETS:
        raise SheetError(f"no sheet called {name!r}; the sheets are {', '.join(SHEETS)}")
    if paper not in PAPERS:
        raise SheetError(f"no paper called {paper!r}; the papers are {', '.join(PAPERS)}")
    sheet = Sheet(name, paper, landscape=name in LANDSCAPE, address=address)
    SHEETS[name](sheet)
    return sheet.to_pdf()


def write_sheets(out: Path, paper: str, names: Sequence[str] = (), address: str | None = None) -> list[Path]:
    """Write `names` (all of them when empty) as `NAME-PAPER.pdf` into `out`; returns the files. A file is whole or not
    there. Raises SheetError where the folder cannot be made or written."""
    written = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in names or SHEETS:
            target = out / f"{name}-{paper}.pdf"
            unfinished = target.with_suffix(".part")
            unfinished.write_bytes(render(name, paper, address))
            unfinished.replace(target)
            written.append(target)
    except OSError as error:
        raise SheetError(f"{out}: cannot be written ({error.strerror}); expected a folder for the sheets") from None
    return written
