"""A table traced by Blender's Cycles: linear light and, at each pixel, whose surface is seen. Needs `bpy`."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import cv2
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from datasets.render.camera import Camera
from datasets.render.gbuffer import Texture
from datasets.render.surfaces import Surface
from datasets.traced.room import Lamp, Room
from datasets.traced.solids import Paint, Solid, mesh_of, normals_of
from datasets.traced.tables import Table

F = np.float32
UNIT = 0.01
"""Blender's units in a millimetre: rays start at a distance that suits things of about a unit."""
BOUNCES, SAMPLES = 2, 8
FLOOR_MM = 700.0
"""How far the floor lies below a table that ends in the picture."""


def trace(table: Table, samples: int = SAMPLES, threads: int = 1) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
    """(h, w, 3) linear RGB and (h, w) owners, both before the lens bends them."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    _settings(scene, table.camera, samples, threads)
    _hang(scene, table.camera)
    _light(scene, table.room)
    maker = _Maker(scene)
    maker.table_top(table)
    for solid in table.solids:
        maker.add(solid)
    with tempfile.TemporaryDirectory() as folder:
        _output(scene, folder)
        bpy.ops.render.render()
        light, owners = (_read(Path(folder) / f"{name}0001.exr", table.camera) for name in ("light", "owner"))
    return np.ascontiguousarray(light[..., :3]), np.round(owners[..., 0]).astype(np.int16)


def _settings(scene: Any, camera: Camera, samples: int, threads: int) -> None:
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.device, cycles.samples, cycles.max_bounces = "CPU", samples, BOUNCES
    cycles.use_denoising, cycles.denoiser = True, "OPENIMAGEDENOISE"
    cycles.denoising_quality, cycles.denoising_prefilter = "FAST", "NONE"
    cycles.denoising_input_passes = "RGB_ALBEDO_NORMAL"
    cycles.sample_clamp_indirect, cycles.caustics_reflective = 4.0, False
    scene.render.threads_mode, scene.render.threads = "FIXED", threads
    scene.render.resolution_x, scene.render.resolution_y = camera.width, camera.height
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform = "Raw"
    scene.view_layers[0].use_pass_object_index = True


def _hang(scene: Any, camera: Camera) -> None:
    """The same pinhole: `camera.world_axes()` are the picture's right, its down and the way ahead, y up in Blender."""
    lens = bpy.data.cameras.new("camera")
    lens.sensor_fit = "HORIZONTAL"
    lens.angle = 2 * math.atan(camera.width / 2 / camera.focal)
    lens.clip_start, lens.clip_end = 0.01, 1e4
    right, down, ahead = camera.world_axes() * (1, -1, 1)
    held = bpy.data.objects.new("camera", lens)
    turn = Matrix(np.stack([right, -down, -ahead], 1).tolist()).to_4x4()
    held.matrix_world = Matrix.Translation(_vector(camera.centre)) @ turn
    scene.collection.objects.link(held)
    scene.camera = held


def _light(scene: Any, room: Room) -> None:
    for lamp in room.lamps:
        scene.collection.objects.link(_lamp(lamp))
    world = bpy.data.worlds.new("room")
    scene.world = world
    world.use_nodes = True
    nodes = world.node_tree.nodes
    around = nodes.new("ShaderNodeTexEnvironment")
    around.image = _image("surroundings", room.surroundings)
    world.node_tree.links.new(around.outputs["Color"], nodes["Background"].inputs["Color"])


def _lamp(lamp: Lamp) -> Any:
    """A square whose light on what faces it, at the distance it points at, is `lamp.light` (albedo 1 shows as that)."""
    data = bpy.data.lights.new("lamp", "AREA")
    data.size = lamp.size * UNIT
    far = float(np.linalg.norm(lamp.toward - lamp.position)) * UNIT
    strength = float(np.max(lamp.light))
    data.energy = strength * math.pi * (math.pi * far**2 + data.size**2)
    data.color = (lamp.light / strength).tolist()
    held = bpy.data.objects.new("lamp", data)
    to = _vector(lamp.toward) - _vector(lamp.position)
    held.matrix_world = Matrix.Translation(_vector(lamp.position)) @ to.to_track_quat("-Z", "Y").to_matrix().to_4x4()
    return held


def _vector(mm: Any) -> Vector:
    x, y, z = (float(v) * UNIT for v in mm)
    return Vector((x, -y, z))


def _image(name: str, pixels: NDArray[np.float32]) -> Any:
    """(h, w, 3 or 4) linear floats as one of Blender's images."""
    h, w = pixels.shape[:2]
    image = bpy.data.images.new(name, w, h, alpha=True, float_buffer=True, is_data=True)
    full = np.ones((h, w, 4), F)
    full[..., : pixels.shape[2]] = pixels
    image.pixels.foreach_set(np.ascontiguousarray(full[::-1]).ravel())
    image.update()
    return image


def _output(scene: Any, folder: str) -> None:
    scene.use_nodes = True
    tree = scene.node_tree
    tree.nodes.clear()
    layers, files = tree.nodes.new("CompositorNodeRLayers"), tree.nodes.new("CompositorNodeOutputFile")
    files.base_path = folder
    files.format.file_format, files.format.color_depth = "OPEN_EXR", "32"
    files.file_slots.clear()
    for name, source in (("light", "Image"), ("owner", "IndexOB")):
        files.file_slots.new(name)
        tree.links.new(layers.outputs[source], files.inputs[name])
    tree.links.new(layers.outputs["Image"], tree.nodes.new("CompositorNodeComposite").inputs[0])


def _read(path: Path, camera: Camera) -> NDArray[np.float32]:
    image = bpy.data.images.load(str(path))
    pixels = np.empty(camera.height * camera.width * 4, F)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(camera.height, camera.width, 4)[::-1]


@dataclass(slots=True, eq=False)
class _Maker:
    """Puts bodies into a scene; equal paints share a material."""

    scene: Any
    _plain: dict[Paint, Any] = field(default_factory=dict)

    def add(self, solid: Solid) -> None:
        mesh = mesh_of(solid)
        data = bpy.data.meshes.new("solid")
        data.from_pydata((mesh.vertices * UNIT).tolist(), [], mesh.faces)
        materials = [self._paint(solid.low), self._paint(solid.high)]
        if solid.texture is not None:
            materials.append(self._face(solid.texture, solid.high))
            corners = data.uv_layers.new(name="uv").data
            index = np.empty(len(data.loops), np.int32)
            data.loops.foreach_get("vertex_index", index)
            corners.foreach_set("uv", mesh.uv[index].astype(F).ravel())
        for material in materials:
            data.materials.append(material)
        data.polygons.foreach_set("material_index", np.array(mesh.paint, np.int32))
        data.polygons.foreach_set("use_smooth", np.array([len(face) == 4 for face in mesh.faces]))
        self._link(data, max(solid.owner, 0))

    def table_top(self, table: Table) -> None:
        surface, reach = table.surface, table.reach_mm
        gloss = min(surface.gloss, 1.5)
        paint = Paint((0.5, 0.5, 0.5), float(np.clip(0.2 + 1.6 * surface.roughness + 0.3 * (1 - gloss), 0.12, 1)))
        self._sheet(table, reach, 0.0, self._face(_as_texture(surface), paint))
        colour = surface.albedo.mean((0, 1)) * 0.5
        floor = Paint(tuple(float(c) for c in 0.5 * colour + 0.1), 0.6)
        self._sheet(table, 30 * reach, -FLOOR_MM, self._paint(floor))

    def _sheet(self, table: Table, reach: float, z: float, material: Any) -> None:
        c, s = math.cos(table.heading), math.sin(table.heading)
        x, y = table.camera.target
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = [(x + reach * (a * c - b * s), y + reach * (a * s + b * c)) for a, b in signs]
        data = bpy.data.meshes.new("sheet")
        data.from_pydata([_vector((*corner, z)) for corner in corners], [], [(3, 2, 1, 0)])
        corner_uv = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        layer = data.uv_layers.new(name="uv").data
        for loop, at in zip(layer, reversed(corner_uv), strict=True):
            loop.uv = (at[0], 1 - at[1])
        data.materials.append(material)
        self._link(data, 0)

    def _link(self, data: Any, owner: int) -> None:
        body = bpy.data.objects.new("body", data)
        body.pass_index = owner
        self.scene.collection.objects.link(body)

    def _paint(self, paint: Paint) -> Any:
        if paint not in self._plain:
            self._plain[paint], _ = _material(paint)
        return self._plain[paint]

    def _face(self, texture: Texture, paint: Paint) -> Any:
        material, shader = _material(paint)
        tree = material.node_tree
        colour = tree.nodes.new("ShaderNodeTexImage")
        colour.image = _image("face", texture.albedo)
        tree.links.new(colour.outputs["Color"], shader.inputs["Base Color"])
        if float(texture.albedo[..., 3].min()) < 1:
            tree.links.new(colour.outputs["Alpha"], shader.inputs["Alpha"])
        if np.abs(texture.relief[..., :2]).max() > 1e-3:
            relief, bump = tree.nodes.new("ShaderNodeTexImage"), tree.nodes.new("ShaderNodeNormalMap")
            relief.image = _image("relief", normals_of(texture))
            bump.uv_map = "uv"
            tree.links.new(relief.outputs["Color"], bump.inputs["Color"])
            tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])
        return material


def _material(paint: Paint) -> tuple[Any, Any]:
    material = bpy.data.materials.new("paint")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*paint.colour, 1.0)
    shader.inputs["Roughness"].default_value = paint.roughness
    shader.inputs["Metallic"].default_value = paint.metallic
    if paint.clear:
        shader.inputs["Subsurface Weight"].default_value = paint.clear
        shader.inputs["Subsurface Scale"].default_value = 2.0 * UNIT
    return material, shader


def _as_texture(surface: Surface) -> Texture:
    """The table top as the texture of a sheet."""
    n = surface.albedo.shape[0]
    albedo = np.dstack([surface.albedo, np.ones((n, n), F)])
    relief = np.zeros((n, n, 4), F)
    if surface.slope is not None:
        relief[..., :2] = surface.slope
    return Texture(albedo.astype(F), cv2.min(relief, 4.0), 1 / surface.mm_per_px)
