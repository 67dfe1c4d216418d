"""The sheets as a printer and a camera see them: measured in mm, markers found by the reader's own code."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from companion.cli.cameras import sheets
from hardware.sheets import LANDSCAPE, SHEETS, SheetError, render, write_sheets
from hardware.sheets.paper import MARGIN_MM, PAPERS
from vision.fiducials import (
    BOARD_DICTIONARY,
    BOARD_MARKER_MM,
    BOARD_SQUARE_MM,
    BOARD_SQUARES,
    CORNER_EDGE_MM,
    CORNER_IDS,
    HUB_EDGE_MM,
    HUB_ID,
    find_markers,
)

PX_PER_MM = 150 / 25.4
Picture = NDArray[np.uint8]


def printed(pdf: bytes) -> Picture:
    """The first page at 150 dots per inch, (h, w) grey."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        assert len(document) == 1
        return np.array(document[0].render(scale=150 / 72, grayscale=True).to_numpy()).squeeze()
    finally:
        document.close()


@pytest.fixture(scope="module", params=PAPERS)
def paper(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("name", SHEETS)
def test_the_page_is_the_paper_and_nothing_touches_its_edge(name: str, paper: str) -> None:
    page = printed(render(name, paper))
    short, long = PAPERS[paper]
    width, height = (long, short) if name in LANDSCAPE else (short, long)
    assert page.shape[1] / PX_PER_MM == pytest.approx(width, abs=0.3)
    assert page.shape[0] / PX_PER_MM == pytest.approx(height, abs=0.3)
    edge = round(4.5 * PX_PER_MM)
    inside = page[edge:-edge, edge:-edge]
    assert (inside < 128).any()
    assert (page < 200).sum() == (inside < 200).sum(), "ink where no home printer prints"


@pytest.mark.parametrize("name", SHEETS)
def test_every_sheet_carries_a_ruler_of_100_mm(name: str, paper: str) -> None:
    page = printed(render(name, paper))
    row = round(page.shape[0] - MARGIN_MM * PX_PER_MM)
    strip = page[row - 4 : row + 5, : round(112 * PX_PER_MM)].min(axis=0) < 128
    dark = np.flatnonzero(strip)
    assert (dark[-1] - dark[0]) / PX_PER_MM == pytest.approx(100.0, abs=0.4)
    assert dark[0] / PX_PER_MM == pytest.approx(MARGIN_MM, abs=0.3)


def test_the_corner_markers_are_found_40_mm_large_clockwise_from_the_top_left(paper: str) -> None:
    found = find_markers(printed(render("corner-markers", paper)))
    assert set(found) == {*CORNER_IDS, HUB_ID}
    for marker, corners in found.items():
        expected = HUB_EDGE_MM if marker == HUB_ID else CORNER_EDGE_MM
        edges = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1) / PX_PER_MM
        assert edges == pytest.approx([expected] * 4, abs=0.25)
    middles = np.array([found[marker].mean(axis=0) for marker in CORNER_IDS])
    assert cv2.contourArea(middles.astype(np.float32), oriented=True) > 0, "clockwise as displayed"
    assert middles[0].sum() == min(middle.sum() for middle in middles), "0 is top left"
    for marker in CORNER_IDS:
        assert found[marker][0].sum() == min(corner.sum() for corner in found[marker]), "printed upright"


def test_the_lens_board_is_found_whole_with_squares_of_35_mm(paper: str) -> None:
    page = printed(render("lens-board", paper))
    dictionary = cv2.aruco.getPredefinedDictionary(BOARD_DICTIONARY)
    board = cv2.aruco.CharucoBoard(BOARD_SQUARES, BOARD_SQUARE_MM, BOARD_MARKER_MM, dictionary)
    corners, ids, _, marker_ids = cv2.aruco.CharucoDetector(board).detectBoard(page)
    inner = (BOARD_SQUARES[0] - 1) * (BOARD_SQUARES[1] - 1)
    assert sorted(np.asarray(ids).ravel()) == list(range(inner))
    assert len(marker_ids) == len(board.getIds())
    seen = np.asarray(corners, np.float64).reshape(-1, 2)[np.argsort(np.asarray(ids).ravel())]
    meant = np.asarray(board.getChessboardCorners())[:, :2] * PX_PER_MM
    offset = seen.mean(axis=0) - meant.mean(axis=0)
    assert np.abs(seen - meant - offset).max() / PX_PER_MM < 0.15


def test_the_greys_of_the_glare_card_are_seven_steps() -> None:
    page = printed(render("glare-card", "A4"))
    levels = {int(value) for value in np.unique(page) if (page == value).sum() > 20 * PX_PER_MM**2 * 15}
    assert len(levels) == 8, "seven greys and the paper"


def test_the_quick_start_card_leads_to_the_page() -> None:
    address = "http://192.168.4.1:8000"
    page = printed(render("quick-start", "A4", address))
    read, *_ = cv2.QRCodeDetector().detectAndDecode(cv2.cvtColor(page, cv2.COLOR_GRAY2BGR))
    assert read == address


def test_the_same_sheet_is_the_same_file_and_asks_not_to_be_scaled() -> None:
    once, again = render("ruler", "A4"), render("ruler", "A4")
    assert once == again
    assert b"/PrintScaling /None" in once


def test_the_command_writes_all_sheets_and_names_them(tmp_path: Path) -> None:
    result = CliRunner().invoke(sheets, ["--paper", "letter", "--out", str(tmp_path / "new" / "folder")])
    assert result.exit_code == 0
    files = [Path(line) for line in result.output.splitlines()]
    assert [file.name for file in files] == [f"{name}-letter.pdf" for name in SHEETS]
    assert all(file.read_bytes().startswith(b"%PDF") for file in files)
    assert not list((tmp_path / "new" / "folder").glob("*.part"))


def test_a_folder_that_cannot_be_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    result = CliRunner().invoke(sheets, ["--out", str(tmp_path / "file")])
    assert result.exit_code == 1
    assert len(result.output.strip().splitlines()) == 1
    with pytest.raises(SheetError, match="cannot be written"):
        write_sheets(tmp_path / "file", "A4")


@pytest.mark.parametrize("wrong", [["--paper", "A3"], ["--sheet", "poster"], ["--address", "héllo"]])
def test_wrong_usage_is_status_2(wrong: list[str]) -> None:
    assert CliRunner().invoke(sheets, wrong).exit_code == 2


def test_an_unknown_sheet_or_paper_is_refused_by_name() -> None:
    with pytest.raises(SheetError, match="no sheet called 'poster'"):
        render("poster", "A4")
    with pytest.raises(SheetError, match="no paper called 'A3'"):
        render("ruler", "A3")
