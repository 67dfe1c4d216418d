"""The kits are data; these are the promises the data keeps."""

from __future__ import annotations

import datetime as dt
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import hardware.bom
from hardware.bom import KITS, BomError, as_markdown, document, load_kit, parse_kit
from hardware.optics import cameras, lowest_height, outlook


@pytest.mark.parametrize("name", KITS)
def test_each_kit_has_a_board_power_and_a_camera_that_reads_the_usual_table(name: str) -> None:
    kit = load_kit(name)
    ids = {item.id for item in kit.items}
    assert any(id.startswith("board") for id in ids)
    assert "power" in ids
    assert "tether" in ids, "whatever hangs over people hangs twice"
    [camera] = [cameras()[item.camera] for item in kit.items if item.camera]
    assert outlook(camera, lowest_height(camera, (1200, 900)), (1200, 900)).verdict.usable


def test_a_pi_4_has_a_part_of_its_own_for_each_that_is_of_the_pi_5_alone() -> None:
    own = {item.id.removesuffix("-4") for item in load_kit("pi-4").items}
    of_the_5 = {item.id for item in load_kit("minimal").items if "Raspberry Pi 5" in item.name}
    assert {one.replace("clock-battery", "clock") for one in of_the_5} | {"power", "cooler"} == own


def test_comfort_is_minimal_and_more() -> None:
    minimal, comfort = load_kit("minimal"), load_kit("comfort")
    assert set(minimal.items) < set(comfort.items)
    assert {"buttons", "lamp", "hub", "button-pod"} <= {item.id for item in comfort.items}


def test_the_kit_for_a_large_table_replaces_camera_and_card() -> None:
    ids = {item.id for item in load_kit("large-table").items}
    assert {"board", "camera-hq", "drive"} <= ids
    assert not {"camera", "card"} & ids


@pytest.mark.parametrize("name", KITS)
def test_every_price_is_an_estimate_with_its_day(name: str) -> None:
    for item in load_kit(name).items:
        if item.estimate_eur is not None:
            assert isinstance(item.estimated, dt.date)
    assert "estimated 2026-" in as_markdown(load_kit(name))


def test_a_pack_is_paid_once() -> None:
    [screws] = [item for item in load_kit("minimal").items if item.id == "camera-screws"]
    assert screws.quantity == 4
    assert screws.total_eur == screws.estimate_eur


GOOD: dict[str, Any] = {"id": "a", "name": "A", "why": "because", "quantity": 1, "part": "hub"}


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({**GOOD, "quantity": 0}, "quantity is 1 or more"),
        ({**GOOD, "price": 3}, "unknown field 'price'"),
        ({**GOOD, "estimate_eur": 3}, "only one of the two"),
        ({**GOOD, "part": None}, "only one of the two"),
        ({**GOOD, "part": None, "estimate_eur": 3}, "carries the day"),
        ({**GOOD, "part": None, "estimate_eur": -3, "estimated": dt.date(2026, 1, 1)}, "above 0"),
        ({**GOOD, "id": "No Good"}, "lower-case"),
        ({"id": "a", "part": "hub"}, "name is missing"),
    ],
)
def test_a_faulty_item_is_refused_in_one_line(row: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BomError, match=complaint) as refusal:
        parse_kit("trial", {"title": "T", "purpose": "P", "item": [row]})
    assert "\n" not in str(refusal.value)


def test_an_item_twice_a_missing_one_left_out_and_an_unknown_kit_are_refused() -> None:
    with pytest.raises(BomError, match="twice"):
        parse_kit("trial", {"title": "T", "purpose": "P", "item": [GOOD, GOOD]})
    with pytest.raises(BomError, match="does not have"):
        parse_kit("trial", {"title": "T", "purpose": "P", "extends": "minimal", "without": ["sofa"]})
    with pytest.raises(BomError, match="no kit called"):
        load_kit("maximal")


def test_the_written_list_is_what_the_data_say() -> None:
    written = Path(hardware.bom.__file__).parents[1] / "PARTS.md"
    assert written.read_text(encoding="utf-8") == document()


def test_the_assembly_guide_names_only_what_is_there() -> None:
    guide = Path(hardware.bom.__file__).parents[1] / "ASSEMBLY.md"
    targets = re.findall(r"\]\(([^)#]+)\)", guide.read_text(encoding="utf-8"))
    assert len(targets) >= 8
    for target in targets:
        assert (guide.parent / target).resolve().is_file(), target


@pytest.mark.parametrize("drawing", ["desk-arm", "ceiling", "table", "pod"])
def test_a_drawing_is_a_drawing(drawing: str) -> None:
    file = Path(hardware.bom.__file__).parents[1] / "drawings" / f"{drawing}.svg"
    root = ElementTree.parse(file).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
