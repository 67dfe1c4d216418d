"""Printable parts, parametric. parameters.toml has the numbers, parts.py the shapes (build123d, optional extra `cad`),
mesh.py reads what was made without any CAD. `python -m hardware.cad` makes the files in parts/ again."""
