"""Build what a release consists of: `python -m deploy.release --into dist` (or `make release`).

Wheel and sdist, made in an environment of their own with the build tools of pyproject.toml, and the bill of materials.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

from deploy.sbom import bill
from deploy.wheels import ROOT

BUILD = """
import sys
from setuptools import build_meta
print(build_meta.build_sdist(sys.argv[1]))
print(build_meta.build_wheel(sys.argv[1]))
"""


def build(into: Path) -> None:
    """Raises CalledProcessError."""
    into.mkdir(parents=True, exist_ok=True)
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *tools], check=True)
        subprocess.run([python, "-c", BUILD, str(into.resolve())], check=True, cwd=ROOT, stdout=sys.stderr)
    (into / "sbom.cdx.json").write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=Path("dist"))
    build(parser.parse_args().into)


if __name__ == "__main__":
    main()
