"""A rendered table, read through the front door; its labels are exact."""

import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.app.own_set import known_set
from companion.cli.photographs import read, score
from datasets.render.table import TableCamera, TableScene, TableTile, corners_px, render_table
from tests.lanes import nightly
from vision.calibration import Calibration
from vision.detections import Detections, records
from vision.detector import Detector
from vision.eye import open_eye
from vision.familiar import Appearance
from vision.known_set import KnownSet
from vision.reader import Reader, _parts, found, split
from vision.rotated import iou
from vision.weights import WeightsError, shipped_weights

PHOTOS = Path(os.environ.get("COMPANION_PHOTOS", Path(__file__).parents[3] / "shared" / "photos"))


def scene():
    """Twenty tiles of a double-six, well apart, two of them face down."""
    rng = np.random.default_rng(5)
    pairs = [(a, b) for a in range(7) for b in range(a + 1)]
    chosen = rng.permutation(len(pairs))[:20]
    tiles = []
    for i, k in enumerate(chosen):
        place = (80 + 110 * (i % 5) + rng.uniform(-12, 12), 70 + 100 * (i // 5) + rng.uniform(-10, 10))
        tiles.append(TableTile(place, float(rng.uniform(-180, 180)), pairs[int(k)], face_up=i not in (3, 11)))
    return TableScene(
        size_mm=(600.0, 450.0),
        tiles=tuple(tiles),
        camera=TableCamera(width=1600, height=1200, height_mm=620, lean_deg=6),
        set_max=6,
        background="cloth",
    )


@pytest.fixture(scope="module")
def table():
    """(image, labels of the tiles, scene)."""
    laid = scene()
    image, labels = render_table(laid, 11)
    return image, [label for label in labels if label["cls"] <= 1], laid


@pytest.fixture(scope="module")
def eye():
    return open_eye()


@pytest.fixture(scope="module")
def reading(eye, table):
    return eye.look(table[0])


def matched(reading, labels):
    """(label, tile) pairs that lie on each other."""
    pairs = []
    for label in labels:
        for tile in reading.tiles:
            if iou(label["quad"], tile.quad_px) > 0.5:
                pairs.append((label, tile))
    return pairs


def wrong(pairs):
    """Claimed values that are not true; a face-down tile has none."""
    claimed = [(label, tile) for label, tile in pairs if tile.values is not None]
    return [t for label, t in claimed if label["cls"] == 1 or sorted(t.values) != sorted(label["values"])]


@pytest.mark.slow
def test_the_tiles_are_found_and_nothing_else(reading, table):
    pairs = matched(reading, table[1])
    assert len({id(label) for label, _ in pairs}) >= len(table[1]) - 1
    assert len(reading.tiles) <= len(pairs) + 1


def test_what_is_claimed_is_true_and_most_is_claimed(reading, table):
    pairs = matched(reading, table[1])
    assert wrong(pairs) == []
    assert sum(tile.values is not None for _, tile in pairs) >= 0.8 * sum(label["cls"] == 0 for label in table[1])


def test_a_value_belongs_to_its_end(reading, table):
    for label, tile in matched(reading, table[1]):
        if tile.values is not None and label["values"][0] != label["values"][1]:
            truth = np.asarray(label["quad"])
            same = np.linalg.norm(truth[:2].mean(0) - tile.quad_px[:2].mean(0))
            other = np.linalg.norm(truth[:2].mean(0) - tile.quad_px[2:].mean(0))
            assert list(tile.values) == list(label["values"] if same < other else label["values"][::-1])


def test_quads_run_clockwise(reading):
    for tile in reading.tiles:
        (ax, ay), (bx, by) = tile.quad_px[1] - tile.quad_px[0], tile.quad_px[2] - tile.quad_px[1]
        assert ax * by - ay * bx > 0


def test_tiles_lie_where_they_were_laid_in_mm(reading, table):
    _, labels, laid = table
    size_wh = (laid.camera.width, laid.camera.height)
    calibration = Calibration.from_corners(corners_px(laid), laid.size_mm, laid.tile_size_mm[2], size_wh=size_wh)
    off = []
    for label, tile in matched(reading, labels):
        lie = calibration.lie(tile.quad_px)
        truth = laid.tiles[label["index"]]
        off.append(np.hypot(lie.center_mm[0] - truth.center_mm[0], lie.center_mm[1] - truth.center_mm[1]))
        turned = (lie.heading_deg - truth.heading_deg + 90) % 180 - 90
        assert abs(turned) < 8
    assert np.median(off) < 1.5 and max(off) < 4


@pytest.mark.parametrize("turns", [1, 2])
def test_the_same_table_from_the_other_side_reads_the_same(eye, reading, table, turns):
    image = np.ascontiguousarray(np.rot90(table[0], turns))
    values = sorted(tuple(sorted(t.values)) for t in eye.look(image).tiles if t.values is not None)
    before = sorted(tuple(sorted(t.values)) for t in reading.tiles if t.values is not None)
    assert len(set(values) ^ set(before)) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["blur", "dark", nightly("tiny")])
def test_what_cannot_be_read_is_not_guessed(eye, table, damage):
    image, labels, _ = table
    if damage == "blur":
        image = cv2.GaussianBlur(image, (0, 0), 12)
    elif damage == "dark":
        image = (image // 40 + np.random.default_rng(0).integers(0, 9, image.shape)).astype(np.uint8)
    else:
        image = cv2.resize(cv2.resize(image, (160, 120), interpolation=cv2.INTER_AREA), (1600, 1200))
    assert len(wrong(matched(eye.look(image), labels))) <= 1


def test_a_picture_of_nothing_has_no_tiles(eye):
    grey = np.full((480, 640, 3), 128, np.uint8)
    noise = np.random.default_rng(0).integers(0, 255, (480, 640, 3)).astype(np.uint8)
    assert eye.look(grey).tiles == () and eye.look(noise).tiles == ()


def test_only_the_asked_regions_are_looked_at_again(eye, reading, table):
    target = next(t for t in reading.tiles if t.values is not None)
    x, y = target.quad_px.mean(0)
    length = float(np.linalg.norm(target.quad_px[1] - target.quad_px[2]))
    region = (int(x - length), int(y - length), int(x + length), int(y + length))
    again = eye.look_again(table[0], [region], length)
    assert any(iou(t.quad_px, target.quad_px) > 0.6 and set(t.values or ()) == set(target.values) for t in again.tiles)
    assert all(region[0] < t.quad_px[:, 0].mean() < region[2] for t in again.tiles)
    assert eye.look_again(table[0], [], length).tiles == ()
    assert eye.look_again(table[0], [(5000, 5000, 6000, 6000)], length).tiles == ()


def test_what_a_look_took_is_given_back_at_its_end(eye, table, monkeypatch):
    given: list[str] = []
    monkeypatch.setattr("vision.eye.give_back_memory", lambda: given.append("back"))
    eye.look(table[0], 60.0)
    eye.look_again(table[0], [(0, 0, 200, 200)], 60.0)
    assert given == ["back", "back"]


def test_a_known_set_leaves_no_value_outside_it(eye, table):
    readings = eye.look(table[0], known=known_set("chinese")).tiles
    assert all(1 <= v <= 6 for t in readings if t.values for v in t.values)


@pytest.mark.slow
def test_read_answers_one_line_a_picture_and_goes_on_after_a_bad_one(tmp_path, table):
    good, bad = tmp_path / "table.png", tmp_path / "bad.jpg"
    cv2.imwrite(str(good), table[0])
    bad.write_bytes(b"\xff\xd8 not really")
    drawn = tmp_path / "drawn"
    done = CliRunner().invoke(read, [str(bad), str(good), str(good), "--json", "--draw", str(drawn)])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1 and [line["image"] for line in lines] == [str(bad), str(good), str(good)]
    assert set(lines[0]) == {"image", "error"} and "bad.jpg" in done.stderr
    assert set(lines[1]) == {"image", "size", "ms", "tiles", "markers", "hub", "warnings"}
    assert lines[1]["size"] == [1600, 1200]
    for tile in lines[1]["tiles"]:
        assert len(tile["quad"]) == 4 and tile["face"] in ("up", "down")
        if tile["face"] == "down":
            assert tile["values"] is None and "halves" not in tile
        else:
            read_halves = [half["value"] for half in tile["halves"]]
            assert tile["values"] == (None if None in read_halves else read_halves)
    assert sorted(p.name for p in drawn.iterdir()) == ["table-2.jpg", "table.jpg"]


def test_a_hand_is_counted_or_said_to_be_incomplete(tmp_path, table):
    file = tmp_path / "hand.png"
    cv2.imwrite(str(file), table[0])
    done = CliRunner().invoke(score, [str(file), "--json", "--rules", "cz"])
    answer = json.loads(done.stdout)
    assert answer["score"] in (None, answer["at_least"])
    blanks = 50 if [0, 0] in answer["tiles"] else 0
    assert answer["at_least"] == sum(map(sum, answer["tiles"])) + blanks
    assert done.exit_code == (1 if answer["score"] is None else 0)


def test_a_picture_with_more_to_show_is_searched_once_more_and_closer():
    looks = []

    class Watched(Detector):
        def _looks(self, image, scales):
            looks.extend(scales)
            return super()._looks(image, scales)

    detector = Watched(shipped_weights("tiles"))
    large = np.full((1500, 2000, 3), 120, np.uint8)
    detector.find(large, tile_length_px=140.0)
    assert looks == pytest.approx([0.5, 0.65])
    looks.clear()
    detector.find(large, tile_length_px=63.0)
    assert len(looks) == 1, "at its own size already"


def test_weights_that_are_not_the_right_ones_are_refused_by_name(eye, tmp_path):
    read = partial(Reader, backs=eye.reader.backs)
    torn = tmp_path / "torn.onnx"
    torn.write_bytes(shipped_weights("pips").read_bytes()[:5000])
    for make, path in ((read, torn), (Detector, torn), (Detector, shipped_weights("pips"))):
        with pytest.raises(WeightsError, match=path.name) as refused:
            make(path)
        assert "\n" not in str(refused.value)
    with pytest.raises(WeightsError, match="expected"):
        read(shipped_weights("tiles"))
    with pytest.raises(WeightsError, match="no such model"):
        read(tmp_path / "none.onnx")


@pytest.mark.photographs
def test_real_ivory_tiles_on_black_cloth_are_read(eye):
    if not (PHOTOS / "labels.jsonl").is_file():
        pytest.skip(f"the labelled photographs are not at {PHOTOS} (set COMPANION_PHOTOS)")
    from vision.pictures import open_picture

    right = claimed = truths = 0
    for label in map(json.loads, (PHOTOS / "labels.jsonl").read_text(encoding="utf-8").splitlines()):
        if label["group"] != "domibot":
            continue
        for tile in eye.look(open_picture(PHOTOS / label["image"])).tiles:
            true = [t for t in label["tiles"] if iou(t["quad"], tile.quad_px) > 0.5]
            if tile.values is not None:
                claimed += 1
                right += bool(true) and sorted(true[0]["values"]) == sorted(tile.values)
        truths += len(label["tiles"])
    assert claimed >= 0.9 * truths and right >= claimed - 1


def test_a_tile_found_twice_is_read_as_well_where_the_set_is_known(eye, table):
    """Two finds of one tile want the one copy of it there is; only the find that stays may have a say."""
    image, labels, _ = table
    found = eye.detector.find(image)
    nudged = Detections(found.quads_px + np.float32(3), found.kind, found.confidence * np.float32(0.95))
    plain = eye.reader.read(eye.reader.at(image, known=KnownSet.double(6)), found)
    doubled = eye.reader.read(eye.reader.at(image, known=KnownSet.double(6)), found.together(nudged))
    read = sorted(tile.values for tile in plain if tile.values is not None)
    assert len(read) >= 0.8 * len(labels)
    again = sorted(tile.values for tile in doubled if tile.values is not None)
    assert len(again) >= len(read) - 1


def test_half_a_tile_that_reads_as_a_whole_one_is_known_by_its_length_where_all_are_as_far_away(eye):
    """A square nine reads as a clear double six; a photograph from the side may show one tile half as long."""
    corners = np.array([[0, 30], [0, 0], [60, 0], [60, 30]], np.float32)
    quads = np.stack([corners + np.array([80 * n, 40], np.float32) for n in range(5)])
    quads[4, 2:] -= np.array([30, 0], np.float32)
    values = np.zeros((5, 2, 19), np.float32)
    values[:, :, 6] = 0.995
    here = Detections(quads, np.zeros(5, np.int8), np.full(5, 0.9, np.float32))
    image = np.zeros((90, 400, 3), np.uint8)
    box, photograph = eye.reader.at(image, familiar=Appearance()), eye.reader.at(image)
    assert _parts(box, records(here, padded(values))).tolist() == [4]
    assert _parts(photograph, records(here, padded(values))).tolist() == []
    faint = replace(here, confidence=np.full(5, 0.3, np.float32))
    assert _parts(box, records(faint, padded(values))).tolist() == []


def padded(values):
    """(n, 2, 19) -> (n, 2, 21): neither nothing nor backs."""
    return np.concatenate([values, np.zeros((len(values), 2, 2), np.float32)], 2)


@pytest.mark.slow
def test_clear_tiles_are_read_hardly_more_than_once(eye, table, monkeypatch):
    cuts, finds = [], []
    classify, find = eye.reader.classify, eye.detector.find
    monkeypatch.setattr(eye.reader, "classify", lambda crops: cuts.append(len(crops)) or classify(crops))
    monkeypatch.setattr(eye.detector, "find", lambda *asked: finds.append(find(*asked)) or finds[-1])
    seen = eye.look(table[0])
    assert len(seen.tiles) == 20
    assert sum(cuts) <= 1.6 * np.count_nonzero(finds[0].kind <= 1)


@pytest.mark.parametrize("gap", [6, 10])
def test_a_box_across_a_seam_is_read_half_a_tile_off_however_surely_it_is_none(eye, gap):
    """A 1-2 and a 2-3, found as one tile that lies over both: the wider the gap, the less it looks like one."""
    image = np.full((200, 400, 3), (60, 70, 50), np.uint8)
    for x, pips in ((80, (1, 2)), (200 + gap, (2, 3))):
        image[70:130, x : x + 120] = (90, 240, 90)
        cv2.line(image, (x + 60, 72), (x + 60, 128), (30, 60, 120), 4)
        for half, value in enumerate(pips):
            for off in ((0,), (-16, 16), (-16, 0, 16))[value - 1]:
                cv2.circle(image, (x + 30 + 60 * half + off, 100 + off), 5, (30, 50, 120), -1, cv2.LINE_AA)
    quad = np.array([[140, 130], [140, 70], [260 + gap, 70], [260 + gap, 130]], np.float32)
    look = eye.reader.at(image)
    finds = found(look, Detections(quad[None], np.zeros(1, np.int8), np.full(1, 0.9, np.float32)))
    assert (finds.none.max() > 0.9) == (gap == 10)
    assert {(1, 2), (2, 3)} <= {tuple(values) for values in split(look, finds).values.argmax(2).tolist()}
