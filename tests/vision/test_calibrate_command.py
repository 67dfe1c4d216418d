"""`companion calibrate` on pictures."""

import json
from functools import cache

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli.cameras import calibrate
from vision.fiducials import BOARD_DICTIONARY, BOARD_MARKER_MM, BOARD_SQUARE_MM, BOARD_SQUARES, DICTIONARY
from vision.lens import Lens, calibrate_lens


def run(*arguments):
    return CliRunner().invoke(calibrate, [str(a) for a in arguments])


@cache
def drawn():
    """Straight from above, 2 px a mm, 600 x 400 mm, the four printed corners laid inside it."""
    image = np.random.default_rng(0).normal(110, 12, (1000, 1400, 3)).clip(0, 255).astype(np.uint8)
    kind = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    for k, (x, y) in enumerate([(100, 100), (1220, 100), (1220, 820), (100, 820)]):
        image[y - 12 : y + 92, x - 12 : x + 92] = 235
        image[y : y + 80, x : x + 80] = np.maximum(cv2.aruco.generateImageMarker(kind, k, 80), 20)[:, :, None]
    return cv2.imencode(".png", image)[1].tobytes()


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "table.png"
    file.write_bytes(drawn())
    return file


def test_the_table_is_found_by_its_printed_corners(table):
    done = run(table, "--json")
    answer = json.loads(done.stdout)
    assert done.exit_code == 0 and answer["problems"] == []
    assert answer["table"]["size_mm"] == pytest.approx([600, 400], abs=2)
    assert np.array(answer["table"]["corners_px"]) == pytest.approx(
        np.array([[100, 100], [1300, 100], [1300, 900], [100, 900]]), abs=0.5
    )
    assert answer["error_mm"] < 0.5 and answer["px_per_mm"] == pytest.approx(2, rel=0.05)
    assert "good to play" in run(table).stdout


def test_corners_given_by_hand_and_pips_too_small_to_read(table):
    done = run(table, "--corners", "100,100 1300,100 1300,900 100,900", "--size", "2400x1600")
    assert done.exit_code == 1 and "too small to read" in done.stdout


def test_a_covered_marker_is_named(table):
    image = cv2.imread(str(table))
    image[800:, 1200:] = 90
    cv2.imwrite(str(table), image)
    done = run(table)
    assert done.exit_code == 1 and "corner marker 2 not found" in done.output
    assert done.output.count("\n") == 1


@pytest.mark.parametrize(
    ("below_px", "said"),
    [
        (
            4,
            "2 mm of the surroundings are seen at one edge of the table; once the camera moves, nobody is named",
        ),
        (14, None),
    ],
)
def test_a_picture_without_a_border_says_what_becomes_of_arms_there(table, below_px, said):
    """2 px a mm: 2 mm of what lies around are too little, 7 mm are just enough."""
    cv2.imwrite(str(table), cv2.imread(str(table))[: 900 + below_px])
    done = run(table)
    lines = [line for line in done.stdout.splitlines() if "no border" in line]
    assert done.exit_code == int(said is not None) and len(lines) == int(said is not None)
    assert said is None or (said in lines[0] and "100 mm" in lines[0])


def test_a_picture_that_ends_within_the_table_says_that_no_arm_is_named_there(table):
    """The corners of the table are named by hand; 40 mm of it are not in the picture."""
    cv2.imwrite(str(table), cv2.imread(str(table))[:820])
    named = "100,100 1300,100 1300,900 100,900"
    done = run(table, "--corners", named, "--size", "600x400")
    (line,) = (line for line in done.stdout.splitlines() if "no border" in line)
    assert "ends 40 mm within the table" in line and "nobody is named by the arm that comes in there" in line
    assert "no border" in " ".join(
        json.loads(run(table, "--corners", named, "--size", "600x400", "--json").stdout)["problems"]
    )


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [(lambda image: image // 25, "too dark"), (lambda image: cv2.GaussianBlur(image, (0, 0), 15), "blurred")],
)
def test_where_no_marker_is_found_the_picture_itself_is_looked_at(table, spoilt, said):
    cv2.imwrite(str(table), spoilt(cv2.imread(str(table))))
    done = run(table)
    assert done.exit_code == 1 and "not found" in done.output and said in done.output and "sheets" in done.output
    assert done.output.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--corners", "1,2 3,4", "--size", "600x400"], 2),
        (["--corners", "100,100 1300,100 1300,900 100,900"], 2),
        (["--size", "large"], 2),
        (["--corners", "100,100 100,900 1300,900 1300,100", "--size", "600x400"], 1),
        (["--lens", "/no/lens.json"], 1),
    ],
)
def test_nonsense_is_refused(table, arguments, status):
    done = run(table, *arguments)
    assert done.exit_code == status and "Traceback" not in done.output


def test_a_picture_that_is_none_is_named(tmp_path):
    (tmp_path / "x.png").write_bytes(b"no")
    done = run(tmp_path / "x.png")
    assert done.exit_code == 1 and "not a picture" in done.output


@pytest.mark.slow
def test_the_lens_is_measured_with_the_board():
    true = Lens((1000, 750), 940.0, 930.0, 508.0, 370.0, (-0.18, 0.05, 0.0, 0.0, 0.0))
    kind = cv2.aruco.getPredefinedDictionary(BOARD_DICTIONARY)
    board = cv2.aruco.CharucoBoard(BOARD_SQUARES, BOARD_SQUARE_MM, BOARD_MARKER_MM, kind)
    px_per_mm = 4
    flat = board.generateImage((7 * 35 * px_per_mm, 5 * 35 * px_per_mm))
    rng = np.random.default_rng(2)
    grid = np.stack(np.meshgrid(np.arange(1000.0), np.arange(750.0)), 2).reshape(-1, 2)
    rays = true.rays(grid + 0.5)
    pictures = []
    for _ in range(6):
        turn = cv2.Rodrigues(rng.normal(0, 0.35, 3))[0]
        place = np.array([rng.uniform(-60, 60), rng.uniform(-60, 60), rng.uniform(300, 420)])
        plane = np.column_stack([turn[:, 0], turn[:, 1], place - turn @ np.array([122.5, 87.5, 0])])
        mm = np.column_stack([rays, np.ones(len(rays))]) @ np.linalg.inv(plane).T
        mm = (mm[:, :2] / mm[:, 2:]).reshape(750, 1000, 2).astype(np.float32) * px_per_mm - 0.5
        seen = cv2.remap(flat, mm[..., 0], mm[..., 1], cv2.INTER_AREA, borderValue=180)
        pictures.append(cv2.cvtColor(cv2.GaussianBlur(seen, (0, 0), 0.7), cv2.COLOR_GRAY2BGR))
    fit = calibrate_lens(pictures)
    assert fit.pictures >= 5 and fit.error_px < 0.5
    assert fit.lens.fx == pytest.approx(940, rel=0.015) and fit.lens.cx == pytest.approx(508, abs=8)
    corners = np.array([[40.0, 40.0], [960, 710], [500, 375]])
    assert np.abs(fit.lens.rays(corners) - true.rays(corners)).max() < 0.012


def test_too_few_pictures_of_the_board_are_said():
    with pytest.raises(ValueError, match="in 0 of 1 pictures"):
        calibrate_lens([np.full((480, 640, 3), 128, np.uint8)])
