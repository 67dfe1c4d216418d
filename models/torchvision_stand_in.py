"""A stand-in for torchvision where the real one cannot be imported beside a CPU build of torch.

ultralytics asks torchvision for its version and for one function, the suppression of overlapping upright boxes.
"""

from __future__ import annotations

import importlib.metadata
import sys
import types

VERSION = "0.28.0"


def install() -> bool:
    """Put the stand-in in place unless torchvision works; returns whether it was needed."""
    try:
        import torchvision  # noqa: F401
    except (ImportError, RuntimeError, OSError):
        pass
    else:
        return False
    known_version = importlib.metadata.version
    importlib.metadata.version = lambda name: VERSION if name == "torchvision" else known_version(name)
    module = types.ModuleType("torchvision")
    module.__version__ = VERSION
    module.ops = types.SimpleNamespace(nms=_suppress)
    sys.modules["torchvision"] = module
    return True


def _suppress(boxes, scores, iou_threshold):
    from ultralytics.utils.nms import TorchNMS

    return TorchNMS.nms(boxes, scores, iou_threshold)
