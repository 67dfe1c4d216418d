"""The numbers of parameters.toml, and what follows from them without any CAD: which parts there are and how large."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any

Parameters = Mapping[str, Mapping[str, Any]]
Size = tuple[float, float, float]


@cache
def parameters() -> Parameters:
    """The parameter file, table by table."""
    return tomllib.loads(_text())


def parameters_mark() -> str:
    """Changes with any number: the made files carry it, so that stale ones are found out."""
    return hashlib.sha256(repr(sorted(_flat(parameters()).items())).encode()).hexdigest()[:16]


def socket_outer(p: Parameters) -> float:
    """Outer diameter of a socket for the tube."""
    return float(p["tube"]["diameter"] + 2 * p["print"]["clearance"] + 2 * p["print"]["wall"])


def pod_spacing(p: Parameters) -> list[float]:
    """Where the buttons' middles are along the pod, from its middle; the lamp sits in the middle of the row's gap."""
    count, step = p["pod"]["buttons"], p["pod"]["button_spacing"]
    return [(number - (count - 1) / 2) * step for number in range(count)]


def _camera_bracket(p: Parameters) -> Size:
    camera = p["camera"]
    return (*camera["plate"], camera["plate_thickness"] + camera["standoff"])


def _pi_clip(p: Parameters) -> Size:
    board = p["board"]
    return (*board["plate"], board["standoff"] + board["plate_thickness"] + clip_drop(p))


def clip_drop(p: Parameters) -> float:
    """How far the tube's clip reaches below the Pi's plate: a ring cut open at the bottom, its wall sunk into the
    plate."""
    inner = p["tube"]["diameter"] / 2 + p["print"]["clearance"] / 2
    outer = inner + p["print"]["wall"]
    half_open = p["board"]["clip_opening"] / 2
    return float(outer - p["print"]["wall"] / 2 + (outer**2 - half_open**2) ** 0.5)


def _desk_clamp(p: Parameters) -> Size:
    clamp = p["clamp"]
    deep = clamp["depth"] + clamp["thickness"]
    return (deep, max(clamp["width"], socket_outer(p)), clamp["jaw"] + 2 * clamp["thickness"] + p["tube"]["grip"])


def _tube_elbow(p: Parameters) -> Size:
    outer, grip = socket_outer(p), p["tube"]["grip"]
    return (outer + grip, outer, outer + grip)


def _tube_end(p: Parameters) -> Size:
    outer = socket_outer(p)
    return (outer, outer, p["tube"]["grip"] + end_plate(p))


def end_plate(p: Parameters) -> float:
    """Thickness of the plate that closes a tube's end: the nut and a wall."""
    return float(p["photo_screw"]["nut_depth"] + p["print"]["wall"])


def _ceiling_plate(p: Parameters) -> Size:
    ceiling = p["ceiling"]
    return (ceiling["diameter"], ceiling["diameter"], ceiling["thickness"] + p["tube"]["grip"])


def _hub(p: Parameters) -> Size:
    return (p["hub"]["diameter"], p["hub"]["diameter"], p["hub"]["thickness"])


def _button_pod(p: Parameters) -> Size:
    return (*p["pod"]["size"], p["pod"]["height"])


def _button_pod_lid(p: Parameters) -> Size:
    return (*p["pod"]["size"], p["pod"]["lid_thickness"] + p["pod"]["lid_lip"])


SIZES: Mapping[str, Callable[[Parameters], Size]] = {
    "camera_bracket": _camera_bracket,
    "pi_clip": _pi_clip,
    "desk_clamp": _desk_clamp,
    "tube_elbow": _tube_elbow,
    "tube_end": _tube_end,
    "ceiling_plate": _ceiling_plate,
    "hub": _hub,
    "button_pod": _button_pod,
    "button_pod_lid": _button_pod_lid,
}
"""Part -> (x, y, z) of its bounding box in mm. The hub's rim is notched, so its box may be up to 3 mm smaller."""


def _text() -> str:
    return resources.files(__package__).joinpath("parameters.toml").read_text(encoding="utf-8")


def _flat(table: Parameters) -> dict[str, Any]:
    return {f"{name}.{key}": value for name, rows in table.items() for key, value in rows.items()}
