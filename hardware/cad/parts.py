"""The parts as solids. Every part stands on z = 0 as it is printed; x is its long side. Needs build123d."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from build123d import Align, Box, Cylinder, Pos, RegularPolygon, Rot, extrude

from hardware.cad.parameters import Parameters, clip_drop, end_plate, pod_spacing, socket_outer

Solid = Any
MIDDLE = (Align.CENTER, Align.CENTER, Align.MIN)


def block(x: float, y: float, z: float) -> Solid:
    """A box standing on z = 0, its middle over the origin."""
    return Box(x, y, z, align=MIDDLE)


def slab(size: tuple[float, float], thickness: float) -> Solid:
    """A flat block of `size` (x, y) in millimetres, standing on z = 0."""
    x, y = size
    return block(x, y, thickness)


def rod(diameter: float, height: float) -> Solid:
    return Cylinder(diameter / 2, height, align=MIDDLE)


def hexagon(across_flats: float, height: float) -> Solid:
    return extrude(RegularPolygon(across_flats / 2, 6, major_radius=False), height)


def grid(spacing: tuple[float, float]) -> list[tuple[float, float]]:
    """The four corners of a rectangle of holes around the origin."""
    x, y = spacing[0] / 2, spacing[1] / 2
    return [(-x, -y), (x, -y), (x, y), (-x, y)]


def bore(p: Parameters) -> float:
    return float(p["tube"]["diameter"] + p["print"]["clearance"])


def socket(p: Parameters) -> Solid:
    """A sleeve for the tube with a hole for its set screw, standing on z = 0."""
    grip = p["tube"]["grip"]
    sleeve = rod(socket_outer(p), grip) - rod(bore(p), grip)
    return sleeve - Pos(0, 0, grip / 2) * Rot(0, 90, 0) * rod(p["tube"]["set_screw"], socket_outer(p))


def camera_bracket(p: Parameters) -> Solid:
    """Camera on four standoffs, the tripod's screw from the other side; the nut is pressed in on the camera's side,
    flush with the plate, so that the weight pulls it against the plate and never out of it."""
    camera, screw = p["camera"], p["photo_screw"]
    thick = camera["plate_thickness"]
    part = slab(camera["plate"], thick)
    for x, y in grid(camera["hole_spacing"]):
        part += Pos(x, y, 0) * rod(camera["standoff_diameter"], thick + camera["standoff"])
    for x, y in grid(camera["hole_spacing"]):
        part -= Pos(x, y, 0) * rod(camera["hole"], thick + camera["standoff"])
    part -= rod(screw["hole"], thick)
    corner = camera["plate"][0] / 2 - camera["tether_hole"]
    part -= Pos(corner, corner, 0) * rod(camera["tether_hole"], thick)
    return part - Pos(0, 0, thick - screw["nut_depth"]) * hexagon(screw["nut_across_flats"], screw["nut_depth"])


def pi_clip(p: Parameters) -> Solid:
    """The board on four standoffs; below the plate a ring, open at the bottom, that snaps on the tube."""
    board, wall = p["board"], p["print"]["wall"]
    drop, thick = clip_drop(p), board["plate_thickness"]
    inner = bore(p) / 2
    outer = inner + wall
    centre = drop - outer + wall / 2
    length = board["clip_length"]
    along = Pos(-length / 2, 0, centre) * Rot(0, 90, 0)
    ring = along * (rod(2 * outer, length) - rod(2 * inner, length))
    opening = Pos(0, 0, centre - outer) * block(length, board["clip_opening"], outer)
    part = ring - opening
    part += Pos(0, 0, drop) * slab(board["plate"], thick)
    for x, y in grid(board["hole_spacing"]):
        part += Pos(x, y, drop) * rod(board["standoff_diameter"], thick + board["standoff"])
    for x, y in grid(board["hole_spacing"]):
        part -= Pos(x, y, drop) * rod(board["hole"], thick + board["standoff"])
    part -= along * rod(2 * inner, length)
    lowest = part.bounding_box().min.Z
    return Pos(0, 0, -lowest) * part


def desk_clamp(p: Parameters) -> Solid:
    """A C around the table's edge: screw from below (M8, its nut in the lower jaw), the tube's socket on top."""
    clamp = p["clamp"]
    thick, jaw, width = clamp["thickness"], clamp["jaw"], clamp["width"]
    deep = clamp["depth"] + thick
    part = block(deep, width, jaw + 2 * thick)
    part -= Pos(thick, 0, thick) * block(deep, width, jaw)
    screw_x = deep / 2 - clamp["depth"] / 2
    part -= Pos(screw_x, 0, 0) * rod(clamp["screw_hole"], thick)
    part -= Pos(screw_x, 0, thick - clamp["nut_depth"]) * hexagon(clamp["nut_across_flats"], clamp["nut_depth"])
    # Over the back of the C, where the pull goes straight down into it.
    return part + Pos(-deep / 2 + socket_outer(p) / 2, 0, jaw + 2 * thick) * socket(p)


def tube_elbow(p: Parameters) -> Solid:
    """Joins the standing and the lying tube at a right angle; a cube in the corner keeps them apart."""
    outer = socket_outer(p)
    part = block(outer, outer, outer)
    part += Pos(0, 0, outer) * socket(p)
    return part + Pos(outer / 2, 0, outer / 2) * Rot(0, 90, 0) * socket(p)


def tube_end(p: Parameters) -> Solid:
    """Closes a tube with a plate for the tripod screw, whose hexagon head lies in the pocket on the tube's side."""
    screw, plate = p["photo_screw"], end_plate(p)
    part = rod(socket_outer(p), plate) + Pos(0, 0, plate) * socket(p)
    part -= rod(screw["hole"], plate)
    return part - Pos(0, 0, plate - screw["nut_depth"]) * hexagon(screw["nut_across_flats"], screw["nut_depth"])


def ceiling_plate(p: Parameters) -> Solid:
    """A disc for the ceiling with a socket for the hanging tube and a hole of its own for the tether."""
    ceiling = p["ceiling"]
    part = rod(ceiling["diameter"], ceiling["thickness"]) + Pos(0, 0, ceiling["thickness"]) * socket(p)
    for number in range(ceiling["screws"]):
        part -= around(number, ceiling["screws"], ceiling["screw_circle"] / 2) * rod(
            ceiling["screw_hole"], ceiling["thickness"]
        )
    between = around(0.5, ceiling["screws"], ceiling["screw_circle"] / 2)
    return part - between * rod(ceiling["tether_hole"], ceiling["thickness"])


def around(number: float, count: int, radius: float) -> Solid:
    """The place `number` of `count` on a circle, x pointing outwards there."""
    angle = 360 * number / count
    x, y = radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))
    return Pos(x, y, 0) * Rot(0, 0, angle)


def hub(p: Parameters) -> Solid:
    """A disc with a notch for the first tile of each train, the engine's bed, and the fiducial's under it."""
    hub = p["hub"]
    part = rod(hub["diameter"], hub["thickness"])
    for number in range(hub["stations"]):
        # Half a step round, so that no notch lies on the axes and the box keeps the full diameter.
        place = around(number + 0.5, hub["stations"], hub["diameter"] / 2)
        part -= place * block(2 * hub["slot_depth"], hub["slot_width"], hub["thickness"])
    top = hub["thickness"]
    part -= Pos(0, 0, top - hub["engine_depth"]) * slab(hub["engine"], hub["engine_depth"])
    bed = hub["fiducial"]
    return part - Pos(0, 0, top - hub["fiducial_depth"]) * block(bed, bed, hub["fiducial_depth"])


def button_pod(p: Parameters) -> Solid:
    """A box open at the bottom, printed upside down: the buttons' face lies on the bed."""
    pod = p["pod"]
    x, y = pod["size"]
    wall, height = pod["wall"], pod["height"]
    part = block(x, y, height) - Pos(0, 0, wall) * block(x - 2 * wall, y - 2 * wall, height)
    for place in pod_spacing(p):
        part -= Pos(place, 0, 0) * rod(pod["button_hole"], wall)
    part -= Pos(0, y / 2 - 2 * wall - pod["lamp_hole"] / 2, 0) * rod(pod["lamp_hole"], wall)
    return part - Pos(0, y / 2, height / 2) * Rot(90, 0, 0) * rod(pod["cable_hole"], 2 * wall)


def button_pod_lid(p: Parameters) -> Solid:
    """The pod's floor with a lip that presses into the box."""
    pod, play = p["pod"], p["print"]["clearance"]
    x, y = pod["size"]
    inner_x, inner_y = x - 2 * pod["wall"] - 2 * play, y - 2 * pod["wall"] - 2 * play
    lip = block(inner_x, inner_y, pod["lid_lip"]) - block(
        inner_x - 2 * pod["wall"], inner_y - 2 * pod["wall"], pod["lid_lip"]
    )
    return block(x, y, pod["lid_thickness"]) + Pos(0, 0, pod["lid_thickness"]) * lip


PARTS: Mapping[str, Callable[[Parameters], Solid]] = {
    "camera_bracket": camera_bracket,
    "pi_clip": pi_clip,
    "desk_clamp": desk_clamp,
    "tube_elbow": tube_elbow,
    "tube_end": tube_end,
    "ceiling_plate": ceiling_plate,
    "hub": hub,
    "button_pod": button_pod,
    "button_pod_lid": button_pod_lid,
}
