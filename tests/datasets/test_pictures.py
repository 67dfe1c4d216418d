"""Random pictures: seeded, labelled exactly, every value present, and nothing claimed where nothing lies."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.render.__main__ import main
from datasets.render.labels import CLASSES, clockwise, yolo_obb
from datasets.render.picture import draw_crop, draw_picture
from datasets.render.scenes import SCENES, make_plan
from datasets.render.styles import make_style


def test_the_same_seed_gives_the_same_picture_and_labels() -> None:
    first, again = (draw_picture(np.random.default_rng([1, 2]), 320, 240) for _ in range(2))
    assert np.array_equal(first.image, again.image)
    assert first.objects == again.objects
    assert not np.array_equal(first.image, draw_picture(np.random.default_rng([1, 3]), 320, 240).image)


@pytest.mark.parametrize("scene", sorted(SCENES))
def test_every_kind_of_table_renders_with_sound_labels(scene: str) -> None:
    picture = draw_picture(np.random.default_rng([5, 0]), 400, 300, scene)
    assert picture.image.shape == (300, 400, 3)
    assert picture.image.dtype == np.uint8
    for thing in picture.objects:
        quad = np.array(thing["quad"])
        assert np.array_equal(clockwise(quad), quad)
        assert 0 <= thing["vis"] <= 1
        if thing["cls"] == 0:
            top = thing["style"]["nmax"]
            assert all(0 <= v <= top for v in thing["values"])
            long, short = np.linalg.norm(quad[2] - quad[1]), np.linalg.norm(quad[1] - quad[0])
            assert long > 1.05 * short or picture.meta["tilt_deg"] > 25 or scene == "pile"
        if thing["cls"] == 1:
            assert thing["values"] is None


@pytest.mark.parametrize("draw", [draw_picture, draw_crop])
def test_a_camera_leans_as_it_is_told(draw) -> None:
    tilts = [
        draw(np.random.default_rng([3, i]), 96, 96, scene="train", tilt_deg=(30, 40)).meta["tilt_deg"] for i in range(3)
    ]
    assert all(30 <= tilt <= 40 for tilt in tilts)
    assert len(set(tilts)) == 3


def test_a_table_without_tiles_is_labelled_without_tiles() -> None:
    """Printed dominoes, cards, dice, bricks and tiles standing on edge lie there; none of them is claimed."""
    for seed in range(8):
        picture = draw_picture(np.random.default_rng([seed, 9]), 320, 240, "neg")
        assert not [thing for thing in picture.objects if thing["cls"] in (0, 1)]


def test_every_value_up_to_eighteen_is_laid_and_none_up_to_twelve_is_rare() -> None:
    counts = np.zeros(19)
    for seed in range(150):
        rng = np.random.default_rng(seed)
        for tile in make_plan(rng, make_style(rng)).tiles:
            if tile.face_up:
                counts[tile.first] += 1
                counts[tile.second] += 1
    assert (counts > 0).all()
    assert counts[:13].min() > 0.25 * counts[:13].max()


def test_halves_hidden_by_others_are_known_to_be_hidden() -> None:
    shares = []
    for seed in range(3):
        picture = draw_picture(np.random.default_rng([seed, 4]), 400, 300, "pile")
        shares += [s for thing in picture.objects if thing["cls"] < 2 for s in thing["half_vis"]]
    assert min(shares) < 0.5 < max(shares)


def test_crops_show_tiles_at_the_size_asked_for() -> None:
    lengths = []
    for seed in range(12):
        picture = draw_crop(np.random.default_rng([seed, 1]), 256, 256, (40.0, 60.0), "scatter")
        assert picture.image.shape == (256, 256, 3)
        if picture.meta["tilt_deg"] < 10:
            for thing in picture.objects:
                if thing["cls"] < 2:
                    q = np.array(thing["quad"])
                    lengths.append(np.linalg.norm((q[2] + q[3] - q[0] - q[1]) / 2))
    assert lengths
    assert 30 < np.median(lengths) < 72


def test_yolo_lines_stay_in_the_picture_and_leave_out_what_is_hidden() -> None:
    inside = {"cls": 0, "quad": [[10, 10], [30, 10], [30, 50], [10, 50]], "vis": 1.0}
    over_edge = {"cls": 2, "quad": [[-10, 10], [30, 10], [30, 50], [-10, 50]], "vis": 1.0}
    hidden = {"cls": 1, "quad": [[10, 10], [30, 10], [30, 50], [10, 50]], "vis": 0.1}
    lines = yolo_obb([inside, over_edge, hidden], 100, 100)
    assert lines[0] == "0 0.100000 0.100000 0.300000 0.100000 0.300000 0.500000 0.100000 0.500000"
    assert len(lines) == 2
    xy = np.array(lines[1].split()[1:], float).reshape(4, 2)
    assert xy.min() >= 0
    assert xy.max() <= 0.5 + 1e-6


@pytest.mark.parametrize("crops", [[], ["--crops", "160x128"]])
def test_the_command_writes_pictures_labels_and_meta(tmp_path: Path, crops: list[str]) -> None:
    command = ["--out", str(tmp_path), "--n", "3", "--seed", "11", "--workers", "1", "--size", "200", *crops]
    assert main(command) == 0
    images = sorted((tmp_path / "images").iterdir())
    assert [p.name for p in images] == [f"s11_{i:06d}.jpg" for i in range(3)]
    for path in images:
        h, w = cv2.imread(str(path)).shape[:2]
        assert (w, h) == ((160, 128) if crops else (200, 150))
        meta = json.loads((tmp_path / "meta" / f"{path.stem}.json").read_text("utf-8"))
        assert (meta["width"], meta["height"]) == (w, h)
        for line in (tmp_path / "labels" / f"{path.stem}.txt").read_text("utf-8").splitlines():
            kind, *numbers = line.split()
            assert 0 <= int(kind) < len(CLASSES)
            assert len(numbers) == 8
            assert all(0 <= float(n) <= 1 for n in numbers)


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--tile-px", "90", "20"], 2, "the smaller first"),
        (["--tilt", "50", "20"], 2, "two angles up to 60 degrees"),
        (["--tilt", "20", "70"], 2, "two angles up to 60 degrees"),
        (["--crops", "wide"], 2, "--crops"),
        (["--n", "0"], 2, "at least 1"),
        (["--out", "{file}/below"], 1, "cannot write there"),
    ],
)
def test_what_cannot_be_rendered_is_refused_in_one_line(
    arguments: list[str], status: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("a file", "utf-8")
    filled = [a.format(file=tmp_path / "file") for a in arguments]
    with pytest.raises(SystemExit) as stop:
        main(["--out", str(tmp_path), "--workers", "1", "--n", "1", *filled])
    assert stop.value.code == status
    assert told in capsys.readouterr().err.splitlines()[-1]


def test_trains_leave_a_hub_or_touch_the_engine_or_begin_around_it() -> None:
    """Half of the tables have no hub; on more than half of those the first tiles lie against the engine."""
    hubs, touching, tables, on_a_tile = 0, 0, 60, 0
    for seed in range(tables):
        rng = np.random.default_rng([seed, 43])
        style = make_style(rng, "western", 12)
        plan = make_plan(rng, style, "train")
        hubs += plan.hub is not None
        on_a_tile += any(z > 0 for _, _, z, _ in plan.markers)
        engine, *others = [tile for tile in plan.tiles if tile.face_up]
        near = min((np.hypot(tile.x, tile.y) for tile in others), default=np.inf)
        touching += (engine.x, engine.y) == (0, 0) and near < 1.2 * style.body.length
        assert plan.hub is None or near > 0.5 * style.body.length
    assert 0.3 * tables < hubs < 0.7 * tables
    assert 0.15 * tables < touching < 0.5 * tables
    assert on_a_tile > 0.1 * tables
