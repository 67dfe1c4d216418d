"""What is taken for an arm: lengths, areas and differences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """Lengths in millimetres on the table; differences in the logarithm of brightness."""

    width_px: int = 240
    darker: float = 0.11
    tinted: float = 0.1
    shade: float = 0.8
    """No indoor shadow takes more than this of the light, and it is `soft`: its surroundings are nearly as dark."""
    soft: float = 0.09
    least_area: float = 1800.0
    least_reach: float = 35.0
    edge_row: float = 75.0
    """What goes no deeper into the table and is twice as wide is a row laid along its edge."""
    small: float = 8000.0
    """A smaller thing at the border is a hand only where it moves: tiles laid along the edge lie still."""
    least_hand: float = 3500.0
    """A hand that crosses no border covers so much, or it is a tile or two."""
    gap: float = 30.0
    """Openings of the border narrower than this do not part an arm."""
    sleeve: float = 130.0
    """Two thin marks on the border no farther apart are the outlines of one sleeve that looks like the table."""
    thin: float = 45.0
    widest: float = 190.0
    """Mean width beyond which a component is no single arm."""
    explained: float = 0.78
    """Strips that cover less of a component do not tell its arms apart."""
    flooded: float = 0.45
    """Where more of the table than this differs, nothing can be said."""
    most_border: float = 0.25
    """An arm over more of the border than this says nothing about where it comes from."""
