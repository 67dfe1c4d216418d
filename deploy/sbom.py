"""The bill of materials of a release, as CycloneDX: `python -m deploy.sbom > sbom.cdx.json`; and the same in words,
NOTICE.

Every package of an installation with its version, licence and the hashes of deploy/hashes.txt, and every shipped
network with the licence that its card names.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from deploy.wheels import HASHES, ROOT

NETWORKS = ROOT / "vision" / "networks"
CARDS = ROOT / "models"
ELSEWHERE = {
    "colorzero": "BSD License",
    "gpiozero": "BSD-3-Clause",
    "opencv-python-headless": "Apache-2.0",
    "paho-mqtt": "EPL-2.0 OR BSD-3-Clause",
    "setuptools": "MIT License",
    "simplejpeg": "MIT",
}
"""Licences of what an installation takes and `make release` does not install: they come by other extras than `box`."""
LINE = re.compile(r"^([a-z0-9.-]+)==(\S+)((?: --hash=sha256:[0-9a-f]{64})+)$")


def packages() -> list[dict[str, Any]]:
    """The packages that deploy/hashes.txt installs."""
    found = []
    for line in HASHES.read_text(encoding="utf-8").splitlines():
        if not (match := LINE.match(line)):
            continue
        name, version, hashes = match.groups()
        component: dict[str, Any] = {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
            "hashes": [{"alg": "SHA-256", "content": one.split(":")[1]} for one in hashes.split()],
        }
        component["licenses"] = [{"license": {"name": licence_of(name)}}]
        found.append(component)
    return found


def licence_of(name: str) -> str:
    """As the installed package says it. LookupError where nothing says it."""
    try:
        told = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return ELSEWHERE[name]
    classified = [
        value.rpartition(":: ")[2] for value in told.get_all("Classifier") or () if value.startswith("License")
    ]
    said = told.get("License-Expression") or next(iter(classified), "")
    if not (said := said or (told.get("License") or "").split("\n")[0][:80]):
        raise LookupError(f"{name} names no licence: put it into ELSEWHERE")
    return said


def networks() -> list[dict[str, Any]]:
    """The shipped weights, each file of them. KeyError for one that no card tells of."""
    listed = json.loads((NETWORKS / "manifest.json").read_text(encoding="utf-8"))["weights"]
    return [
        {
            "type": "machine-learning-model",
            "bom-ref": f"networks/{path.name}",
            "name": path.name,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
            "licenses": [{"license": {"id": licence_in(CARDS / listed[path.name.split(".")[0]]["card"])}}],
        }
        for path in sorted(NETWORKS.iterdir())
        if path.name != "manifest.json"
    ]


def licence_in(card: Path) -> str:
    """The licence of the networks that a card tells of. LookupError where it names none."""
    found = re.search(r"^\| licence \| ([\w.+-]+)", card.read_text(encoding="utf-8"), re.M)
    if found is None:
        raise LookupError(f"{card.name} names no licence")
    return found[1]


def notice() -> str:
    """NOTICE: what an installation consists of besides this program, and under which licence each part is."""
    told = bill()
    own = told["metadata"]["component"]
    lines = [f"{own['name']} {own['version']}", f"{own['licenses'][0]['license']['id']}; the text is in LICENSE.", ""]
    for kind, head in (
        ("library", "Packages that an installation takes, with the licence that each names of itself:"),
        ("machine-learning-model", "Networks, trained by this project on rendered pictures (models/CARD-*.md):"),
    ):
        parts = [part for part in told["components"] if part["type"] == kind]
        rows = [
            f"  {part['name']} {part.get('version', '')}".rstrip()
            + f": {next(iter(part['licenses'][0]['license'].values()))}"
            for part in parts
        ]
        lines += [head, *rows, ""]
    return "\n".join(lines)


def bill() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = f"pkg:pypi/{project['name']}@{project['version']}"
    parts = [*packages(), *networks()]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": project["name"],
                "version": project["version"],
                "purl": own,
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": parts,
        "dependencies": [{"ref": own, "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def main() -> None:
    json.dump(bill(), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
