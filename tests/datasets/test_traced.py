"""Traced tables: what is put into the light is sound, and the labels are where the tiles are."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from datasets.render.arrange import Placed
from datasets.render.camera import Camera, axes, rounded_outline
from datasets.render.labels import tile_object
from datasets.render.scenes import Plan
from datasets.render.styles import TileStyle, make_style
from datasets.traced.__main__ import finished, main
from datasets.traced.room import make_room
from datasets.traced.solids import Collector, Paint, Solid, mesh_of, normals_of, upright
from datasets.traced.tables import HORIZON, SHOWING, STEEPEST, Printer, Table, make_table, stand_row

ROOT = Path(__file__).parents[2]
TRACER = ROOT / ".venv-trace" / "bin" / "python"
PLAIN = Paint((0.5, 0.5, 0.5), 0.5)


@lru_cache
def table(index: int, scene: str | None = None) -> Table:
    return make_table(np.random.default_rng([41, index]), 160, 160, scene)


def body(bevel: float = 1.5, thickness: float = 9.0, outline: np.ndarray | None = None) -> Solid:
    shape = rounded_outline(50, 25, 3, 5) if outline is None else outline
    return Solid(np.array([3.0, 4.0, 0.0]), axes(0.7), shape, thickness, PLAIN, PLAIN, 0.4, bevel, None, 1)


def volume(solid: Solid) -> float:
    """Of the closed mesh; negative where its faces look inwards."""
    mesh, total = mesh_of(solid), 0.0
    for face in mesh.faces:
        for k in range(1, len(face) - 1):
            a, b, c = mesh.vertices[[face[0], face[k], face[k + 1]]]
            total += float(np.dot(a, np.cross(b, c))) / 6
    return total


def common_set(seed: int = 5, **pin: float) -> TileStyle:
    style = make_style(np.random.default_rng(seed), "western", 6)
    while style.pips.moulded or style.pips.numerals:
        seed += 1
        style = make_style(np.random.default_rng(seed), "western", 6)
    return replace(style, divider=replace(style.divider, pin_radius=pin.get("pin", 0.0)))


def printer_of(style: TileStyle, tilt: float = 0.0) -> Printer:
    camera = Camera(400, 400, 50.0, 200.0, tilt=np.radians(tilt))
    return Printer(np.random.default_rng(8), style, Collector(camera))


def test_the_same_seed_gives_the_same_table() -> None:
    first, again = table(0), make_table(np.random.default_rng([41, 0]), 160, 160)
    assert len(first.solids) == len(again.solids) > 0
    for one, other in zip(first.solids, again.solids, strict=True):
        assert np.array_equal(mesh_of(one).vertices, mesh_of(other).vertices)
    assert np.array_equal(first.room.surroundings, again.room.surroundings)
    assert not np.array_equal(first.camera.centre, table(1).camera.centre)


@pytest.mark.parametrize("outline", [rounded_outline(50, 25, 3, 5), rounded_outline(50, 25, 3, 5)[::-1]])
def test_a_body_is_closed_and_looks_outwards(outline: np.ndarray) -> None:
    solid = body(outline=outline)
    edges = Counter((face[i], face[(i + 1) % len(face)]) for face in mesh_of(solid).faces for i in range(len(face)))
    assert all(count == 1 and edges[end, start] == 1 for (start, end), count in edges.items())
    full = volume(body(bevel=0.0, outline=outline))
    assert 50 * 25 * 9 * 0.97 < full < 50 * 25 * 9
    assert full * 0.93 < volume(solid) < full


def test_a_bevel_takes_the_edges_and_leaves_the_sides_where_they_were() -> None:
    sharp, round_ = (mesh_of(body(bevel=bevel)).vertices for bevel in (0.0, 1.5))
    assert np.allclose(np.ptp(sharp, axis=0), np.ptp(round_, axis=0))
    top = round_[np.isclose(round_[:, 2], 9.0)]
    assert np.ptp(top[:, 0]) < np.ptp(round_[:, 0]) - 2


def test_sides_are_painted_in_two_colours_up_to_the_split() -> None:
    mesh = mesh_of(body())
    for face, paint in zip(mesh.faces, mesh.paint, strict=True):
        middle = mesh.vertices[list(face)][:, 2].mean()
        assert paint == (0 if middle < 9.0 * 0.4 else 1)


def test_what_is_printed_lies_on_the_face_as_the_other_renderer_lays_it() -> None:
    """The texture's left edge is half 0's outer end, its first row where across is negative."""
    printer = printer_of(common_set())
    printer.lay(Placed(10.0, -5.0, 0.4, 2, 5))
    solid = printer.stage.solids[0]
    mesh = mesh_of(solid)
    along, across, _ = (np.array([*axis[:2], 0]) for axis in axes(0.4))
    local = mesh.vertices * (1, -1, 1) - solid.base
    assert np.corrcoef(local @ along, mesh.uv[:, 0])[0, 1] > 0.999
    assert np.corrcoef(local @ across, mesh.uv[:, 1])[0, 1] < -0.999
    assert mesh.uv.min() >= 0
    assert mesh.uv.max() <= 1


def test_a_slope_that_rises_along_the_tile_leans_the_normal_back() -> None:
    printer = printer_of(common_set())
    face = printer.faces.face(0, 0, printer.rng)
    relief = np.zeros_like(face.relief)
    relief[..., 0] = 1.0
    tilted = normals_of(replace(face, relief=relief))[0, 0] * 2 - 1
    assert np.allclose(tilted, [-(0.5**0.5), 0, 0.5**0.5], atol=1e-6)


def test_labels_are_the_corners_of_the_upper_face_as_the_camera_projects_them() -> None:
    printer = printer_of(common_set(), tilt=45)
    drawn = printer.lay(Placed(20.0, 10.0, 0.3, 2, 5))
    solid, camera = printer.stage.solids[0], printer.stage.camera
    vertices = mesh_of(solid).vertices * (1, -1, 1)
    reach = (vertices - solid.base) @ np.stack(solid.frame).T
    highest = camera.project(vertices[np.isclose(reach[:, 2], solid.thickness)])
    body_ = printer.style.body
    assert np.linalg.norm(drawn.quad.mean(0) - highest.mean(0)) < 1.0
    wide = np.linalg.norm(drawn.quad[0] - drawn.quad[1])
    assert wide < np.linalg.norm(drawn.quad[1] - drawn.quad[2])
    end = camera.project([solid.base - solid.frame[0] * body_.length / 2 + solid.frame[2] * solid.thickness])
    assert np.linalg.norm(drawn.quad[:2].mean(0) - end) < 1.0


def test_the_visible_share_counts_the_face_alone_and_each_half_by_itself() -> None:
    quad = np.array([[20.0, 60.0], [20.0, 20.0], [100.0, 20.0], [100.0, 60.0]])
    owners = np.zeros((100, 120), np.int16)
    owners[20:80, 20:100] = 7  # the lower twenty rows are the flank
    plain = tile_object(quad, (1, 2), True, 7, owners, {})
    owners[20:60, 60:100] = 9
    covered = tile_object(quad, (1, 2), True, 7, owners, {})
    assert plain is not None
    assert covered is not None
    assert plain["vis"] == pytest.approx(1, abs=0.03)
    assert covered["half_vis"][0] == pytest.approx(1, abs=0.05)
    assert covered["half_vis"][1] < 0.05


def test_a_camera_looks_at_the_table_with_the_far_side_on_top() -> None:
    upright_pictures = 0
    for index in range(12):
        camera = table(index).camera
        right, down, ahead = camera.world_axes()
        assert np.allclose(np.stack([right, down, ahead]) @ np.stack([right, down, ahead]).T, np.eye(3))
        assert ahead[2] < 0
        assert 0 <= np.degrees(camera.tilt) <= STEEPEST
        corners = np.array([[0, 0], [160, 0], [160, 160], [0, 160]])
        rays = (corners - 80) @ np.stack([right, down]) + camera.focal * ahead
        assert np.degrees(np.arccos(-rays[:, 2] / np.linalg.norm(rays, axis=1))).max() < HORIZON + 8
        upright_pictures += down[2] <= 0
    assert upright_pictures >= 7


@pytest.mark.parametrize("scene", ["train", "hand", "pile", "neg"])
def test_everything_stands_on_the_table(scene: str) -> None:
    drawn = table(3, scene)
    for solid in drawn.solids:
        vertices = mesh_of(solid).vertices
        assert np.isfinite(vertices).all()
        assert vertices[:, 2].max() > 0
        assert vertices[:, 2].min() > -12  # a tile that tips in a heap reaches a little under it
    owners = [solid.owner for solid in drawn.solids]
    assert {tile.owner for tile in drawn.tiles} <= set(owners)
    assert bool(drawn.tiles) == (scene != "neg")


def test_nails_and_pins_are_metal_and_belong_to_their_tile() -> None:
    printer = printer_of(common_set(pin=2.0))
    printer.nailed = True
    drawn = printer.lay(Placed(0.0, 0.0, 0.0, 5, 3))
    heads = [solid for solid in printer.stage.solids if solid.low.metallic == 1]
    assert len(heads) == 5 + 3 + 1
    assert {solid.owner for solid in heads} == {drawn.owner}
    along = [float(solid.base[0]) for solid in heads]
    assert sum(x < -1 for x in along) == 5
    assert sum(x > 1 for x in along) == 3


def test_a_standing_tile_shows_its_face_the_way_it_was_turned() -> None:
    along, down, out = upright(0.0, 0.0)
    assert np.allclose([along, down, out], [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    leaning = upright(0.0, 0.4)
    assert leaning[2][2] > 0.3
    assert np.allclose(np.cross(leaning[0], leaning[1]), leaning[2])


def test_a_row_of_standing_tiles_is_labelled_where_it_shows_its_faces() -> None:
    style, seen, hidden = common_set(), 0, 0
    for seed in range(12):
        camera = Camera(160, 160, 50.0, 300.0, tilt=np.radians(50), tilt_toward=seed * 0.5)
        stage = Collector(camera)
        labelled = {tile.owner for tile in stand_row(np.random.default_rng(seed), stage, Plan("close", style))}
        for solid in (one for one in stage.solids if one.texture is not None):
            away = camera.centre - (solid.base + solid.frame[2] * solid.thickness)
            faces = float(solid.frame[2] @ away / np.linalg.norm(away))
            assert (solid.owner in labelled) == (faces >= SHOWING)
            assert mesh_of(solid).vertices[:, 2].min() > -0.5
            seen, hidden = seen + (faces >= SHOWING), hidden + (faces < SHOWING)
    assert seen > 10
    assert hidden > 10


def test_a_lamp_in_the_glare_is_mirrored_into_the_camera() -> None:
    camera = Camera(160, 160, 50.0, 400.0, (20.0, -30.0), np.radians(40), 1.0)
    mirrored = 0
    for seed in range(40):
        lamp = make_room(np.random.default_rng(seed), camera).lamps[-1]
        down, up = lamp.toward - camera.centre, lamp.position - lamp.toward
        mirrored += np.allclose(
            down / np.linalg.norm(down) * (1, 1, -1), up / np.linalg.norm(up), atol=1e-9
        ) and not np.allclose(lamp.toward[:2], camera.target)
    assert 5 <= mirrored <= 20


def test_light_and_owners_become_a_picture_with_labels() -> None:
    drawn = table(2, "hand")
    owners = np.zeros((160, 160), np.int16)
    for tile in drawn.tiles:
        low, high = np.floor(tile.quad.min(0)).astype(int), np.ceil(tile.quad.max(0)).astype(int)
        owners[max(low[1], 0) : max(high[1], 0), max(low[0], 0) : max(high[0], 0)] = tile.owner
    light = np.random.default_rng(1).random((160, 160, 3), np.float32)
    picture = finished(np.random.default_rng(1), drawn, (light, owners))
    assert picture.image.shape == (160, 160, 3)
    shown = [thing for thing in picture.objects if thing["cls"] == 0 and thing["in_frame"] > 0.9]
    assert shown
    for thing in shown:
        assert {"quad", "values", "vis", "half_vis", "half_contrast", "style"} <= set(thing)
    assert picture.meta["tilt_deg"] == pytest.approx(np.degrees(drawn.camera.tilt), abs=0.1)


def test_what_cannot_be_drawn_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["--tilt", "50", "20"], "--tilt 50 20: expected two angles up to 60 degrees, the smaller first"),
        (["--size", "8"], "--size at least 64"),
        ([], "run `make trace-env`"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["--out", str(tmp_path / "out"), *words])
        assert ended.value.code in (1, 2)
        assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not TRACER.exists(), reason="no .venv-trace here (make trace-env)")
@pytest.mark.slow
def test_cycles_sees_each_tile_where_its_label_says(tmp_path: Path) -> None:
    command = [str(TRACER), "-m", "datasets.traced", "--out", str(tmp_path), "--n", "1", "--seed", "3"]
    subprocess.run(
        [*command, "--size", "200", "--samples", "1", "--scene", "hand", "--tilt", "0", "30"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    meta = json.loads((tmp_path / "meta" / "t3_000000.json").read_text(encoding="utf-8"))
    tiles = [thing for thing in meta["objects"] if thing["cls"] < 2 and thing["in_frame"] > 0.99]
    assert len(tiles) > 1
    assert np.median([thing["vis"] for thing in tiles]) > 0.9
    assert (tmp_path / "images" / "t3_000000.jpg").stat().st_size > 2000
