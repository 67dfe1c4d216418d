"""The only bridge from the game to vision: frames come in, changes of the table go out to an `ObservationSink`.

It asks nobody what a change means: it is told where to look again, and why. Reading order: projection (px to mm),
background (is a place empty, does something unrecognised lie there?), tracks (the things on the table, from many
readings), marker_evidence, table_reader (looks, and the look ahead after a hand), understanding (unread tiles),
arm_votes and attributing (whose arm it was), watcher (the loop).
"""

from companion.perception.settings import CameraNews
from companion.perception.watcher import Watcher

__all__ = ["CameraNews", "Watcher"]
