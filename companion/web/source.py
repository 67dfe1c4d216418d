"""The source that this box runs, for everybody who uses the page: the licence (AGPL-3.0, section 13) asks for it."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, send_file

source = Blueprint("source", __name__)

FOLDERS = ("companion", "vision", "hardware", "datasets", "models", "deploy", "tests", "bench")
FILES = ("LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml", "constraints.txt")
LEFT_OUT = ("__pycache__",)


@cache
def source_zip(root: Path) -> bytes:
    """The folders and files of the project below `root` that are there, packed once."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in FOLDERS:
            for path in sorted((root / folder).rglob("*")):
                if path.is_file() and not any(part in LEFT_OUT for part in path.parts):
                    archive.write(path, Path("tabletop-companion") / path.relative_to(root))
        for name in FILES:
            if (root / name).is_file():
                archive.write(root / name, Path("tabletop-companion") / name)
    return packed.getvalue()


@source.get("/source")
def download() -> Response:
    root = Path(__file__).resolve().parents[2]
    return send_file(
        io.BytesIO(source_zip(root)), "application/zip", as_attachment=True, download_name="tabletop-companion.zip"
    )
