"""The real Picamera2 class on a machine without a camera: imported with stand-ins for what only a Pi has.

`python -m tests.camera.real_picamera2` prints the signatures in use, which `picamera2_signatures.json` records so that
the adapter is held to them where the package cannot be installed (it needs libcamera, which is not on the index).
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import sys
from typing import Any
from unittest.mock import MagicMock

CAMERA_METHODS = (
    "create_still_configuration",
    "configure",
    "start",
    "stop",
    "close",
    "set_controls",
    "captured_request",
    "global_camera_info",
)
REQUEST_METHODS = ("make_array", "get_metadata")
STAND_INS = ("libcamera", "pykms", "prctl", "videodev2", "av", "piexif", "pidng", "pidng.core", "pidng.camdefs")
STAND_INS += ("simplejpeg", "tqdm", "jsonschema", "OpenGL", "v4l2")


def import_picamera2() -> Any:
    """The module, or ImportError. Stand-ins are installed only for what is missing."""
    if importlib.util.find_spec("picamera2") is None:
        raise ImportError("picamera2 is not installed")
    for name in STAND_INS:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = MagicMock(name=name)
    return importlib.import_module("picamera2")


def signatures() -> dict[str, dict[str, list[str]]]:
    """Class -> method -> its parameters without `self`; those with a default end in `=`."""
    module = import_picamera2()
    request = importlib.import_module("picamera2.request").CompletedRequest
    return {
        "Picamera2": {name: _parameters(getattr(module.Picamera2, name)) for name in CAMERA_METHODS},
        "CompletedRequest": {name: _parameters(getattr(request, name)) for name in REQUEST_METHODS},
    }


def _parameters(method: Any) -> list[str]:
    parameters = [p for name, p in inspect.signature(method).parameters.items() if name != "self"]
    return [p.name + ("" if p.default is inspect.Parameter.empty else "=") for p in parameters]


if __name__ == "__main__":
    json.dump({"version": "0.3.38", "classes": signatures()}, sys.stdout, indent=1)
