"""Rendered tables with real light transport: the same kinds of tables as `datasets.render`, traced by Blender's Cycles.

`solids` are bodies in millimetres and their meshes, `room` is the light, `tables` draws everything on a random table
from one seed. None of these needs Blender. `cycles` alone imports `bpy` and turns a table into light and owners;
`datasets.render` develops the light as a camera would and writes labels in its own format.
"""
