"""One process per danger: camera and inference each run in a child that may hang, crash or be killed.

Read camera.py first. What a child does badly comes out as a value (`Health`) or as `AwayError`, never as a play;
`watchdog.py` tells systemd that all is well only while camera, referee and page all live.
"""

from companion.supervise.camera import SupervisedCamera, SupervisionSettings
from companion.supervise.eye import EyeAwayError, SupervisedEye
from companion.supervise.health import AwayError, Health, State
from companion.supervise.running import keep_watching
from companion.supervise.watchdog import Watchdog

__all__ = [
    "AwayError",
    "EyeAwayError",
    "Health",
    "State",
    "SupervisedCamera",
    "SupervisedEye",
    "SupervisionSettings",
    "Watchdog",
    "keep_watching",
]
