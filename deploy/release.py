"""Build what a release consists of: `python -m deploy.release --into dist` (or `make release`).

Wheel and sdist, made in an environment of their own with the build tools of pyproject.toml, the bill of materials,
NOTICE with every licence, the notes for people (the version's part of CHANGELOG.md), the sentences of the page for
translators, and the hash of each.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
from pathlib import Path

from deploy.sbom import bill, notice
from deploy.wheels import ROOT

SUMS = "SHA256SUMS"

BUILD = """
import sys
from setuptools import build_meta
kind, into = sys.argv[1:]
getattr(build_meta, "build_" + kind)(into)
"""


def build(into: Path) -> None:
    """Raises CalledProcessError."""
    into.mkdir(parents=True, exist_ok=True)
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder)
        python = Path(folder) / "bin" / "python"
        pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *tools], check=True)
        target, source = str(into.resolve()), Path(folder) / "source"
        subprocess.run([python, "-c", BUILD, "sdist", target], check=True, cwd=ROOT, stdout=sys.stderr)
        # The wheel is made from the sdist: what that lacks shows at once, and nothing of this folder gets in.
        [packed] = sorted(into.glob("*.tar.gz"), key=lambda path: path.stat().st_mtime)[-1:]
        with tarfile.open(packed) as archive:
            archive.extractall(source, filter="data")
        [unpacked] = source.iterdir()
        subprocess.run([python, "-c", BUILD, "wheel", target], check=True, cwd=unpacked, stdout=sys.stderr)
    (into / "sbom.cdx.json").write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    (into / "NOTICE").write_text(notice(), encoding="utf-8")
    (into / "NOTES.md").write_text(notes(version), encoding="utf-8")
    sentences = subprocess.run(
        [sys.executable, "-m", "companion.web.messages"], check=True, cwd=ROOT, capture_output=True
    )
    (into / "page.pot").write_bytes(sentences.stdout)
    (into / SUMS).unlink(missing_ok=True)
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(into.iterdir())]
    (into / SUMS).write_text("\n".join(sums) + "\n", encoding="utf-8")


def notes(version: str) -> str:
    """The entry of a version in CHANGELOG.md. Raises LookupError where it has no entry."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(version)}\n+(.*?)(?=^## |\Z)", text, re.M | re.S)
    if found is None:
        raise LookupError(f"CHANGELOG.md has no part '## {version}'")
    return found[1].strip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=Path("dist"))
    build(parser.parse_args().into)


if __name__ == "__main__":
    main()
