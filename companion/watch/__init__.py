"""The only bridge from the game to vision: frames come in, the session hears what happened.

Reading order: view (px to mm), bare (is a place empty?), memory (what lies on the table, from many readings), doubt
(is a reading sure enough to accuse?), watcher (the loop).
"""

from companion.watch.watcher import CameraNews, Watcher, WatchSettings

__all__ = ["CameraNews", "WatchSettings", "Watcher"]
