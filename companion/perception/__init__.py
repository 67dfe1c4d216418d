"""The only bridge from the game to vision: frames come in, changes of the table go out to whoever listens (`settings`).

It asks nobody what a change means: it is told where to look again, and why. Reading order: projection (px to mm),
thumbnails (one small picture a frame), background (is a place empty?), blobs (what lies there unrecognised?), tracks
(what lies on the table, from many readings), half_values (what an unread half may be), prefetch (the look ahead after a
hand), watcher (the loop).
"""

from companion.perception.settings import CameraNews
from companion.perception.watcher import Watcher

__all__ = ["CameraNews", "Watcher"]
