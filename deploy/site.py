"""The documents as a site: `python -m deploy.site --into site` (or `make docs`).

The documents link to each other across the repository. A copy of them, in the same folders, is what mkdocs is given;
README.md is its first page. The long tables that only the code knows (deploy/tables.py) are added to the copy. Needs
mkdocs-material, which `make docs` installs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from deploy.tables import TABLES
from deploy.wheels import ROOT

PAGES = (
    "*.md", "docs/*.md", "hardware/*.md", "models/*.md", "datasets/*.md", "deploy/*.md", "bench/*.md",
    "bench/results/*.md",
)  # fmt: skip
BESIDE = (
    "companion/pictures/*", "hardware/drawings/*", "datasets/samples/*", "docs/examples/*", "LICENSE",
    "companion/rules/rulesets/*.md",
)  # fmt: skip
"""The files that the pages show or link to."""


def stage(into: Path) -> list[Path]:
    """Copy the pages and what they show into the folder `into`; returns their paths within it."""
    copied = []
    for pattern in (*PAGES, *BESIDE):
        for source in sorted(ROOT.glob(pattern)):
            if source.is_file():
                path = source.relative_to(ROOT)
                (into / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, into / path)
                copied.append(path)
    for name, table in TABLES.items():
        with (into / "docs" / f"{name}.md").open("a", encoding="utf-8") as page:
            page.write(f"\n{table()}")
    return copied


def build(into: Path) -> None:
    """Build the site into the folder `into`. Raises CalledProcessError where a page or a link is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        stage(work / "pages")
        shutil.copyfile(ROOT / "docs" / "mkdocs.yml", work / "mkdocs.yml")
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", work / "mkdocs.yml"]
        quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        subprocess.run([*command, "--site-dir", into.resolve()], check=True, cwd=work, env=quiet)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=Path("site"))
    build(parser.parse_args().into)


if __name__ == "__main__":
    main()
