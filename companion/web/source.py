"""The source that this box runs, for everybody who uses the page: the licence (AGPL-3.0, section 13) asks for it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import IO

from flask import Blueprint, Response, current_app

from companion.app.state import AppState
from companion.storage.packed import NewZip
from companion.web.disk import disk_fault
from companion.web.downloads import AGAIN_S, Packed, Places, send
from companion.web.languages import gettext as _

source = Blueprint("source", __name__)

PACKAGE = Path(__file__).resolve().parents[1]
CLONE = PACKAGE.parent
"""The folder of the whole source, where the program runs from it."""
FOLDERS = ("companion", "vision", "hardware", "datasets", "models", "deploy", "bench", "tests", "docs")
FILES = ("LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml", "constraints.txt")
LEFT_OUT = ("__pycache__",)


def write_source(into: IO[bytes]) -> None:
    """A zip of the folders and files of the project that are there; of an installed wheel, of its one package. What
    else lies beside that belongs to others."""
    folders = FOLDERS if is_clone() else (PACKAGE.name,)
    with NewZip(into) as archive:
        for folder in folders:
            for path in sorted((CLONE / folder).rglob("*")):
                if path.is_file() and not any(part in LEFT_OUT for part in path.parts):
                    archive.write(path, Path("tabletop-companion") / path.relative_to(CLONE))
        for name in FILES if is_clone() else ():
            if (CLONE / name).is_file():
                archive.write(CLONE / name, Path("tabletop-companion") / name)


def is_clone() -> bool:
    """Whether the program runs from a folder of its source, and is not an installed wheel."""
    return (CLONE / "pyproject.toml").is_file()


class SourceArchive:
    """The packed source: made when it is first asked for, then kept as long as the page runs."""

    def __init__(self) -> None:
        self.places = Places()
        self._lock = threading.Lock()
        self._packed: Packed | None = None

    def packed(self, folder: Path | None) -> Packed:
        """Raises OSError."""
        with self._lock:
            if self._packed is None:
                self._packed = Packed(write_source, folder)
            return self._packed


@source.get("/source")
def download() -> Response:
    """The source that this box runs, as a zip (AGPL-3.0)."""
    app_state: AppState = current_app.extensions["companion_state"]
    archive: SourceArchive = current_app.extensions["companion_source"]
    give_back = archive.places.take()
    try:
        packed = archive.packed(app_state.data_dir)
    except OSError as fault:
        give_back()
        raise disk_fault(fault, _("It could not be packed: %(why)s"), retry_after=AGAIN_S) from None
    return send(packed, "tabletop-companion.zip", give_back)
