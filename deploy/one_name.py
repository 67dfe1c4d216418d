"""The wheel under one import name: `companion`, with `vision`, `hardware` and `datasets` as packages within it.

In the source these are folders side by side. As top-level packages of an installation they would clash with others:
`pip install datasets` is somebody else's. So the build, which pyproject.toml names as setuptools' `cmdclass`, moves
them below `companion` and says so in each import, line by line. Nothing else is changed, and an editable installation
is left as it is. The rest serves development alone: training, parts to print, tests.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

NAME = "companion"
MOVED = ("vision", "hardware", "datasets")
DOCUMENTS = ("docs/*.md", "hardware/*.md", "deploy/README.md")
"""The documents that the page shows as its manual."""

_IMPORT = re.compile(rf"^([ \t]*(?:>>> |\.\.\. )?(?:from|import) )({'|'.join(MOVED)})(?=[.\s])", re.M)


def renamed(source: str) -> str:
    """Python source with its imports of the moved packages under the one name."""
    return _IMPORT.sub(rf"\1{NAME}.\2", source)


def gather(built: Path, root: Path) -> None:
    """Put what was built in the folder `built` under one name; `root` is the source, for the documents."""
    for package in MOVED:
        if (built / package).is_dir():
            shutil.rmtree(built / NAME / package, ignore_errors=True)
            shutil.move(built / package, built / NAME / package)
    for path in (built / NAME).rglob("*.py"):
        before = path.read_text(encoding="utf-8")
        after = renamed(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
    for pattern in DOCUMENTS:
        for page in root.glob(pattern):
            copy = built / NAME / page.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, copy)


class BuildPy(build_py):
    """setuptools' own step, and then the one name."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            gather(Path(self.build_lib), Path.cwd())


class EggInfo(egg_info):
    """The metadata name one top-level package, as the wheel has it, and the address of whoever publishes it.

    The project has no address of its own: PROJECT_URL, which the release workflow sets, is that of the repository.
    """

    def run(self) -> None:
        if url := os.environ.get("PROJECT_URL"):
            pages = {"Source": url, "Issues": f"{url}/issues", "Changelog": f"{url}/blob/main/CHANGELOG.md"}
            self.distribution.metadata.project_urls = pages
        super().run()
        (Path(self.egg_info) / "top_level.txt").write_text(f"{NAME}\n", encoding="utf-8")
