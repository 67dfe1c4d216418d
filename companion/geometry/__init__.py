"""From tiles on the table to trains: geometry decides, values only break ties between equal geometry.

Reading order: table_setup (what is known beforehand), layout (the results), ports and joints (which tiles touch),
chains (who follows whom), then trains, line (with covering and walls) and free, which name what was found.
`reconstruct` in `trains` is the one way in, and `diff` says what changed between two layouts.
"""

from companion.geometry.identity import covered, under_the_next, with_history
from companion.geometry.layout import Layout, PlacedTile, Problem, TableSetup, Trouble
from companion.geometry.trains import owners_of, reconstruct

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
