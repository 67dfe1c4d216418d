"""Reads a binary STL and measures it, without any CAD: is it closed, how large, how heavy, where are its holes?"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
WELD_MM = 1e-4
"""Corners nearer than this are one corner: STL writes each triangle's corners anew, as 32-bit numbers."""


class MeshError(ValueError):
    """A file that is no binary STL; one line."""


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """`corners` (n, 3) mm; `triangles` (m, 3) indices into them, counter-clockwise seen from outside."""

    corners: Floats
    triangles: NDArray[np.int64]

    @property
    def size_mm(self) -> tuple[float, float, float]:
        x, y, z = (float(v) for v in self.corners.max(axis=0) - self.corners.min(axis=0))
        return x, y, z

    @property
    def volume_mm3(self) -> float:
        """Signed: negative for a mesh that is inside out."""
        a, b, c = (self.corners[self.triangles[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)

    @property
    def open_edges(self) -> int:
        """Edges that are not shared by exactly two triangles running opposite ways; 0 for a watertight solid."""
        edges: Counter[tuple[int, int]] = Counter()
        for k in range(3):
            starts, ends = self.triangles[:, k], self.triangles[:, (k + 1) % 3]
            edges.update(zip(starts.tolist(), ends.tolist(), strict=True))
        return sum(1 for (start, end), count in edges.items() if count != 1 or edges[(end, start)] != 1)

    def walls_below(self, x: float, y: float) -> int:
        """How many surfaces a vertical line through (x, y) crosses: 0 through a hole, 2 through a plate."""
        a, b, c = (self.corners[self.triangles[:, k]][:, :2] for k in range(3))
        point = np.array([x, y])
        sides = np.stack([_side(a, b, point), _side(b, c, point), _side(c, a, point)])
        return int(((sides > 0).all(axis=0) | (sides < 0).all(axis=0)).sum())


def _side(start: Floats, end: Floats, point: Floats) -> Floats:
    across = (end[:, 0] - start[:, 0]) * (point[1] - start[:, 1]) - (end[:, 1] - start[:, 1]) * (point[0] - start[:, 0])
    return np.asarray(across, np.float64)


def read_stl(path: Path) -> Mesh:
    """Raises MeshError for anything that is not a whole binary STL."""
    data = path.read_bytes()
    if len(data) < 84:
        raise MeshError(f"{path}: too short for a binary STL")
    (count,) = struct.unpack_from("<I", data, 80)
    if len(data) != 84 + 50 * count:
        raise MeshError(f"{path}: {len(data)} bytes, expected {84 + 50 * count} for {count} triangles")
    rows = np.frombuffer(data, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("_", "<u2")]), offset=84)
    points = rows["corners"].reshape(-1, 3).astype(np.float64)
    _, first, index = np.unique(
        np.round(points / WELD_MM).astype(np.int64), axis=0, return_index=True, return_inverse=True
    )
    triangles = index.reshape(-1, 3)
    distinct = (triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2])
    distinct &= triangles[:, 2] != triangles[:, 0]
    return Mesh(points[first], triangles[distinct].astype(np.int64))
