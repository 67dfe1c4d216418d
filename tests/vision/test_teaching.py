"""Learning a set from a row of doubles."""

import json

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.app.own_set import LEARNED
from companion.cli.photographs import teach
from datasets.render.table import TableCamera, TableScene, TableTile, render_table
from vision.adaptation import Adaptation, AdaptationError, learn, row_order
from vision.eye import open_eye
from vision.teaching import blank_end, self_test
from vision.teaching import teach as learn_from

RNG = np.random.default_rng(3)


def printed(value, rng, shift=(0, 0)):
    """One half in a print no network has seen: a letter-like blot per value."""
    shape = np.random.default_rng(100 + value).random((4, 4)) > 0.5
    half = np.kron(shape, np.ones((8, 8))) * 140 + 60
    picture = np.pad(half, 8, constant_values=60)
    picture = np.roll(picture, shift, (0, 1)) + rng.normal(0, 6, picture.shape)
    return np.repeat(np.clip(picture, 0, 255).astype(np.uint8)[:, :, None], 3, 2)


def tile(a, b, rng, shift=(0, 0)):
    return np.concatenate([printed(a, rng, shift), printed(b, rng, shift)[::-1, ::-1]], 1)


def lesson(values=range(7), known=1 / 19):
    """`known`: the probability that the network gives to what each double shows."""
    shifts = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))
    crops = np.array([[tile(v, v, RNG, s) for s in shifts] for v in values])
    network = np.full((len(crops), 2, 19), (1 - known) / 18, np.float32)
    network[np.arange(len(crops)), :, list(values)] = known
    return learn("blots", crops, [(v, v) for v in values], network)


def test_a_print_the_network_does_not_know_is_learned_from_the_doubles():
    adaptation, before, after = lesson()
    assert before < 0.4 and after == 1.0
    pairs = [(a, b) for a in range(7) for b in range(a)]
    crops = np.array([tile(a, b, RNG, (1, 1)) for a, b in pairs])
    p = adaptation.weighed(np.full((len(crops), 2, 21), 1 / 21, np.float32), crops, 19)
    assert [tuple(row) for row in p[:, :, :19].argmax(2).tolist()] == pairs
    assert p[:, :, 19:] == pytest.approx(1 / 21)
    assert p.sum(2) == pytest.approx(1, abs=1e-4)


def test_a_network_that_knows_the_print_is_helped_and_not_overruled():
    """The row shows one double of each value: a 3 that slants the other way on another tile is like none of its 3s."""
    adaptation, before, after = lesson(known=0.95)
    assert before == after == 1.0
    for told, like, right in ((0.99, 2, 3), (0.8, 3, 3)):
        p = np.full((1, 2, 21), (1 - told) / 20, np.float32)
        p[:, :, right] = told
        weighed = adaptation.weighed(p, tile(like, like, RNG)[None], 19)[0]
        assert (weighed.argmax(1) == right).all()
        assert (weighed.max(1) > (0.9 if like == right else 0.5)).all()


def test_what_was_learned_survives_the_file(tmp_path):
    adaptation, _, _ = lesson()
    adaptation.save(tmp_path / "deep" / "set.npz")
    again = Adaptation.load(tmp_path / "deep" / "set.npz")
    crops = np.array([tile(3, 5, RNG)])
    assert again.compared(crops, 19)[0] == pytest.approx(adaptation.compared(crops, 19)[0], abs=0.02)
    assert sorted(p.name for p in (tmp_path / "deep").iterdir()) == ["set.npz"]


def test_files_that_are_no_learned_set_are_refused(tmp_path):
    adaptation, _, _ = lesson(range(3))
    adaptation.save(tmp_path / "good.npz")
    whole = (tmp_path / "good.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.npz").write_text("no")
    (tmp_path / "empty.npz").write_bytes(b"")
    np.savez(tmp_path / "other.npz", a=1)
    for name in ("cut", "text", "empty", "other", "missing"):
        with pytest.raises(AdaptationError, match=f"{name}.npz") as refused:
            Adaptation.load(tmp_path / f"{name}.npz")
        assert "\n" not in str(refused.value)


def test_tiles_in_a_heap_are_no_row():
    with pytest.raises(AdaptationError, match="one row"):
        row_order(np.array([[0, 0], [10, 0], [0, 10], [10, 10]], np.float32))
    assert list(row_order(np.array([[0, 0], [20, 1], [10, -1]], np.float32))) in ([0, 2, 1], [1, 2, 0])


def test_singles_cannot_be_left_out():
    crops = np.array([[tile(0, 1, RNG)], [tile(2, 3, RNG)]])
    with pytest.raises(AdaptationError, match="doubles"):
        learn("x", crops, [(0, 1), (2, 3)], np.full((2, 2, 19), 1 / 19, np.float32))


@pytest.fixture(scope="module")
def row(tmp_path_factory):
    """Two photographs of the doubles 0-0 to 6-6 of one rendered set: to learn from and to be tested with."""
    folder = tmp_path_factory.mktemp("row")
    for n, tilt in enumerate((0, 6)):
        tiles = tuple(TableTile((70 + 38.0 * v, 120.0), 90.0 + tilt, (v, v)) for v in range(7))
        camera = TableCamera(width=1280, height=960, height_mm=330)
        scene = TableScene((360.0, 240.0), tiles, camera=camera, set_max=6, background="cloth", frame=n)
        image, _ = render_table(scene, 21)
        cv2.imwrite(str(folder / f"{n}.png"), image)
    return folder


@pytest.mark.slow
def test_a_photographed_row_teaches_and_tests_itself(row, tmp_path):
    done = CliRunner().invoke(
        teach,
        [str(row / "0.png"), "--set", "double-6", "--check", str(row / "1.png"), "--data", str(tmp_path), "--json"],
    )
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["tiles"] == 7 and answer["kept"] and answer["after"] >= answer["before"]
    assert (tmp_path / LEARNED).exists() and answer["wrong"] == 0 and answer["right"] >= 11
    gone = CliRunner().invoke(teach, ["--forget", "--data", str(tmp_path)])
    assert gone.exit_code == 0 and not (tmp_path / LEARNED).exists()


@pytest.mark.slow
def test_the_row_may_lie_the_other_way_round(row):
    eye = open_eye()
    image = np.ascontiguousarray(cv2.imread(str(row / "0.png"))[::-1, ::-1])
    values = learn_from(eye, image, list(range(7)), "mine").adaptation.values
    assert sorted(set(values.tolist())) == list(range(7))
    assert self_test(eye, image, list(range(7))).right >= 11


def test_a_row_that_is_too_long_or_something_else_is_refused(row, tmp_path):
    done = CliRunner().invoke(teach, [str(row / "0.png"), "--set", "double-12", "--data", str(tmp_path)])
    assert done.exit_code == 1 and "7 tiles found, expected 13 doubles" in done.output
    assert not (tmp_path / LEARNED).exists()
    assert CliRunner().invoke(teach, []).exit_code == 2


@pytest.mark.parametrize("seed", range(4))
def test_a_row_in_a_print_nobody_knows_begins_at_its_blank(seed):
    rng = np.random.default_rng(seed)
    blank = np.concatenate([np.full((48, 96, 3), 60, np.uint8)]) + rng.integers(0, 9, (48, 96, 3), dtype=np.uint8)
    row = np.array([blank, *(tile(n, n, rng) for n in range(1, 7))])
    assert blank_end(row) is True
    assert blank_end(row[::-1]) is False
    assert blank_end(row[1:]) is None


def test_what_cannot_be_forgotten_is_said_in_one_line(tmp_path):
    (tmp_path / LEARNED).mkdir()
    kept = CliRunner().invoke(teach, ["--forget", "--data", str(tmp_path)])
    assert kept.exit_code == 1 and kept.output == f"Error: {tmp_path / LEARNED}: Is a directory\n"
