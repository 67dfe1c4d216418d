"""The bill of materials of a release, as CycloneDX: `python -m deploy.sbom > sbom.cdx.json`.

Every package of an installation with its version, licence and the hashes of deploy/hashes.txt, and the shipped
networks.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import sys
import tomllib
from typing import Any

from deploy.wheels import HASHES, ROOT

NETWORKS = ROOT / "vision" / "networks"
LINE = re.compile(r"^([a-z0-9.-]+)==(\S+)((?: --hash=sha256:[0-9a-f]{64})+)$")


def packages() -> list[dict[str, Any]]:
    """What deploy/hashes.txt installs."""
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
        if licence := licence_of(name):
            component["licenses"] = [{"license": {"name": licence}}]
        found.append(component)
    return found


def licence_of(name: str) -> str:
    """As the installed package says it; "" where it is not installed here."""
    try:
        told = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
    classified = [
        value.rpartition(":: ")[2] for value in told.get_all("Classifier") or () if value.startswith("License")
    ]
    return (
        told.get("License-Expression") or next(iter(classified), "") or (told.get("License") or "").split("\n")[0][:80]
    )


def networks() -> list[dict[str, Any]]:
    """The shipped weights."""
    return [
        {
            "type": "machine-learning-model",
            "bom-ref": f"networks/{path.name}",
            "name": path.name,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
        }
        for path in sorted(NETWORKS.glob("*.onnx"))
    ]


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
