"""The only bridge from the game to vision: frames come in, the session hears what happened.

Reading order: projection (px to mm), thumbnails (one small picture a frame), background (is a place empty?), blobs
(what lies there unrecognised?), tracks (what lies on the table, from many readings), half_values and hypotheses (is a
reading sure enough to accuse?), prefetch (the look ahead after a hand), watcher (the loop).
"""

from companion.perception.settings import CameraNews, WatchSettings
from companion.perception.watcher import Watcher

__all__ = ["CameraNews", "WatchSettings", "Watcher"]
