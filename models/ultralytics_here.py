"""ultralytics, imported so that it stays off the network and works beside a CPU build of torch.

Importing this module imports torch and ultralytics: only what trains or exports does that.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from models.torchvision_stand_in import install

os.environ.setdefault("YOLO_OFFLINE", "true")
os.environ.setdefault("YOLO_AUTOINSTALL", "false")
os.environ.setdefault("YOLO_CONFIG_DIR", str(Path(tempfile.gettempdir()) / "ultralytics-settings"))
install()

import ultralytics  # noqa: E402
from ultralytics import YOLO, settings  # noqa: E402

settings.update({"sync": False})

ULTRALYTICS = Path(ultralytics.__file__).parent

__all__ = ["ULTRALYTICS", "YOLO"]
