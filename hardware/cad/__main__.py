"""`python -m hardware.cad`: make the STL and STEP files of all parts again, and the manifest that says from what."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hardware.cad.parameters import parameters, parameters_mark

OUT = Path(__file__).parent / "parts"
TOLERANCE_MM, ANGLE_RAD = 0.05, 0.1


def main() -> int:
    try:
        from build123d import export_step, export_stl

        from hardware.cad.parts import PARTS
    except ImportError:
        print("build123d is not installed: pip install build123d (1 GB)", file=sys.stderr)
        return 1
    OUT.mkdir(exist_ok=True)
    made = {}
    for name, shape in PARTS.items():
        part = shape(parameters())
        export_stl(part, str(OUT / f"{name}.stl"), tolerance=TOLERANCE_MM, angular_tolerance=ANGLE_RAD)
        export_step(part, str(OUT / f"{name}.step"))
        box = part.bounding_box().size
        made[name] = {"size_mm": [round(v, 3) for v in (box.X, box.Y, box.Z)], "volume_mm3": round(part.volume, 1)}
        print(f"{name}: {box.X:.1f} x {box.Y:.1f} x {box.Z:.1f} mm, {part.volume / 1000:.1f} cm3")
    manifest = {"parameters": parameters_mark(), "parts": made}
    (OUT / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
