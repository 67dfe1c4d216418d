"""From tiles on the table to trains: geometry decides, values only break ties between equal geometry.

Reading order: setup (what is known beforehand), shape (the results), ports and joints (which tiles touch), chains (who
follows whom), then mexican, line (with covering and wall_in_play) and free, which name what was found. `reconstruct` is
the one way in.
"""

from companion.layout.covering import covered, under_the_next, with_history
from companion.layout.markers import owners_of
from companion.layout.reconstruct import reconstruct
from companion.layout.setup import TableSetup
from companion.layout.shape import Layout, PlacedTile, Problem, Trouble

__all__ = [
    "Layout",
    "PlacedTile",
    "Problem",
    "TableSetup",
    "Trouble",
    "covered",
    "owners_of",
    "reconstruct",
    "under_the_next",
    "with_history",
]
