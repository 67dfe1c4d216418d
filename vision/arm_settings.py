"""The measures of an arm: lengths in millimetres on the table, areas, differences in the logarithm of brightness."""

from __future__ import annotations

WIDTH_PX = 240
"""Pictures are compared at this width."""
DARKER = 0.11
"""Brighter or darker by more than this is something else than the still table."""
TINTED = 0.1
"""Another colour by more than this is no shade."""
SHADE = 0.8
"""No indoor shadow takes more than this of the light, and it is `SOFT`: its surroundings are nearly as dark."""
SOFT = 0.09
LEAST_AREA = 1800.0
"""A component at the border is an arm from so many square millimetres on."""
LEAST_REACH = 35.0
"""A shape that reaches less deep into the table than this is nobody's arm."""
EDGE_ROW = 75.0
"""A shape that goes no deeper into the table and is twice as wide is a row laid along its edge."""
SMALL = 8000.0
"""A smaller thing at the border is a hand only where it moves: tiles laid along the edge lie still."""
LEAST_HAND = 3500.0
"""A hand that crosses no border covers so much, or it is a tile or two."""
GAP = 30.0
"""Openings of the border narrower than this do not part an arm."""
SLEEVE = 130.0
"""Two thin marks on the border no farther apart are the outlines of one sleeve that looks like the table."""
THIN = 45.0
"""A crossing of the border no wider than this is thin: a finger, or one outline of a sleeve."""
WIDEST = 190.0
"""Mean width beyond which a component is no single arm."""
EXPLAINED = 0.78
"""Strips that cover less of a component do not tell its arms apart."""
FLOODED = 0.45
"""Where more of the table than this differs, nothing can be said."""
MOST_BORDER = 0.25
"""An arm over more of the border than this says nothing about where it comes from."""
HAND = 190.0
"""Nearer to the tips than this is the hand, which wears no sleeve."""
LEAST_SLEEVE = 1500.0
"""Of a sleeve so much has to be seen for its colour to count."""
