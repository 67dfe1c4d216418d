"""The only bridge from the game to vision: frames come in, the session hears what happened.

Reading order: view (px to mm), shrunken (one small picture a frame), bare (is a place empty?), things (what lies there
unrecognised?), memory (what lies on the table, from many readings), weighing and hypotheses (is a reading sure enough
to accuse?), glimpse (the look ahead after a hand), watcher (the loop).
"""

from companion.watch.watched import CameraNews, WatchSettings
from companion.watch.watcher import Watcher

__all__ = ["CameraNews", "WatchSettings", "Watcher"]
