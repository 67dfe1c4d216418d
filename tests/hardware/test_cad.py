"""The printed parts as they are committed: closed, to size, made from the present numbers. No CAD is needed here."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest

import hardware.cad
from hardware.bom import KITS, MOUNTS, load_kit
from hardware.cad.parameters import SIZES, parameters, parameters_mark, pod_spacing
from tests.hardware.mesh import Mesh, MeshError, read_stl

PARTS = Path(hardware.cad.__file__).parent / "parts"
P = parameters()


@pytest.fixture(scope="module")
def meshes() -> dict[str, Mesh]:
    return {name: read_stl(PARTS / f"{name}.stl") for name in SIZES}


def test_the_files_were_made_from_the_present_numbers() -> None:
    manifest = json.loads((PARTS / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["parameters"] == parameters_mark(), "run `python -m hardware.cad`"
    assert set(manifest["parts"]) == set(SIZES)
    assert {path.name for path in PARTS.iterdir()} == {
        "manifest.json",
        *(f"{name}.{kind}" for name in SIZES for kind in ("stl", "step")),
    }


def test_the_files_are_small_enough_to_be_kept() -> None:
    sizes = [path.stat().st_size for path in PARTS.iterdir()]
    assert max(sizes) < 1_000_000
    assert sum(sizes) < 4_000_000


@pytest.mark.parametrize("name", SIZES)
def test_a_part_is_closed_the_right_way_out_and_to_size(meshes: dict[str, Mesh], name: str) -> None:
    mesh = meshes[name]
    assert mesh.open_edges == 0
    assert mesh.volume_mm3 > 0
    assert mesh.size_mm == pytest.approx(SIZES[name](P), abs=0.15)
    assert mesh.corners[:, 2].min() == pytest.approx(0, abs=0.01), "it stands on the bed"


@pytest.mark.parametrize("name", SIZES)
def test_a_part_weighs_what_the_cad_said_and_fits_a_home_printer(meshes: dict[str, Mesh], name: str) -> None:
    made = json.loads((PARTS / "manifest.json").read_text(encoding="utf-8"))["parts"][name]
    assert meshes[name].volume_mm3 == pytest.approx(made["volume_mm3"], rel=0.01)
    assert max(meshes[name].size_mm) <= 210


@pytest.mark.parametrize("name", SIZES)
def test_the_step_file_is_one_solid_in_millimetres(name: str) -> None:
    text = (PARTS / f"{name}.step").read_text(encoding="utf-8")
    assert text.startswith("ISO-10303-21;")
    assert text.count("MANIFOLD_SOLID_BREP(") == 1
    assert "SI_UNIT(.MILLI.,.METRE.)" in text


@pytest.mark.parametrize(("name", "table"), [("camera_bracket", "camera"), ("pi_clip", "board")])
def test_the_boards_screws_find_their_holes(meshes: dict[str, Mesh], name: str, table: str) -> None:
    mesh = meshes[name]
    middle = (mesh.corners.max(axis=0) + mesh.corners.min(axis=0)) / 2
    across, along = P[table]["hole_spacing"]
    for x in (-across / 2, across / 2):
        for y in (-along / 2, along / 2):
            assert mesh.walls_below(middle[0] + x + 0.01, middle[1] + y + 0.02) == 0, "an open hole"
            beside = P[table]["hole"] / 2 + 0.6
            assert mesh.walls_below(middle[0] + x + beside, middle[1] + y + 0.02) >= 2, "and wall around it"


def test_the_hub_has_its_stations_its_engine_and_its_fiducial(meshes: dict[str, Mesh]) -> None:
    mesh, hub = meshes["hub"], P["hub"]
    count, rim = hub["stations"], hub["diameter"] / 2
    for number in range(count):
        notch, between = (2 * math.pi * (number + part) / count for part in (0.5, 0.0))
        radius = rim - hub["slot_depth"] / 2
        assert mesh.walls_below(radius * math.cos(notch) + 0.01, radius * math.sin(notch) + 0.02) == 0
        assert mesh.walls_below(radius * math.cos(between) + 0.01, radius * math.sin(between) + 0.02) == 2
    assert hub["slot_width"] > 25.4, "a professional tile fits"
    assert hub["engine"][0] > 50.8
    assert hub["fiducial"] > 34.0, "the card of `companion sheets` is 34 mm"
    top = mesh.corners[:, 2].max()
    levels = {round(float(z), 2) for z in np.unique(mesh.corners[:, 2])}
    assert {0.0, top - hub["engine_depth"], top - hub["fiducial_depth"], top} <= levels


def test_the_pod_has_a_hole_for_each_button_and_the_lamp(meshes: dict[str, Mesh]) -> None:
    mesh, pod = meshes["button_pod"], P["pod"]
    for place in pod_spacing(P):
        assert mesh.walls_below(place + 0.01, 0.02) == 0
        assert mesh.walls_below(place + 0.01, pod["button_hole"] / 2 + 1) == 2
    assert mesh.walls_below(0.01, pod["size"][1] / 2 - 2 * pod["wall"] - pod["lamp_hole"] / 2 + 0.02) == 0


def test_the_tube_fits_every_socket(meshes: dict[str, Mesh]) -> None:
    inside = P["tube"]["diameter"] / 2 - 0.2
    assert meshes["tube_end"].walls_below(0.01, inside) == 2, "the end plate"
    wall = P["tube"]["diameter"] / 2 + P["print"]["clearance"] + P["print"]["wall"] / 2
    assert meshes["tube_end"].walls_below(0.7 * wall, 0.7 * wall) == 2
    assert meshes["ceiling_plate"].walls_below(0.01, inside) == 2


def test_every_printed_part_of_a_kit_is_here_and_every_part_here_is_in_a_kit() -> None:
    wanted = {item.part for name in (*KITS, *MOUNTS) for item in load_kit(name).items if item.part}
    assert wanted == set(SIZES)


def test_a_torn_mesh_is_found_out(tmp_path: Path, meshes: dict[str, Mesh]) -> None:
    whole = meshes["hub"]
    assert Mesh(whole.corners, whole.triangles[:-1]).open_edges > 0
    turned = whole.triangles.copy()
    turned[0] = turned[0, ::-1]
    assert Mesh(whole.corners, turned).open_edges > 0
    torn = tmp_path / "torn.stl"
    for content in (b"", b"solid ascii", b"\0" * 80 + struct.pack("<I", 9) + b"\0" * 50):
        torn.write_bytes(content)
        with pytest.raises(MeshError):
            read_stl(torn)
