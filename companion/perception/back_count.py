"""How many tiles can lie face down: what looks like one more is none, and where it is gone again nobody drew it.

The rules say how many are left over when all have their hands, and only a tile that is taken back adds one. Sometimes
the eye takes a shadow or a print for a back; before this every such find ended as a draw that nobody had made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.geometry import Layout


@dataclass(slots=True)
class BackCount:
    """`most`: so many can lie there; None where nobody knows."""

    most: int | None = None

    def real(self, layout: Layout, before: Layout | None) -> Layout:
        """The layout with no more backs than can be; of tiles that lay there `before` and are gone each may be one."""
        if self.most is None or layout.boneyard is None:
            return layout
        ids, tiles = {tile.id for tile in layout}, {tile.laid.tile for tile in layout if tile.laid is not None}
        gone = [tile for tile in before or () if tile.seen.face_up and tile.id not in ids]
        # A tile that has another number, but lies there all the same, was not taken back.
        back = sum(tile.laid is None or tile.laid.tile not in tiles for tile in gone)
        return replace(layout, boneyard=min(layout.boneyard, self.most + back))

    def settled(self, before: Layout | None, after: Layout) -> None:
        """What lies there is on record."""
        if self.most is None or before is None or before.boneyard is None or after.boneyard is None:
            return
        drawn = max(0, before.boneyard - after.boneyard)
        self.most = max(self.most - drawn, after.boneyard)


def at_most(layout: Layout, backs: int) -> Layout:
    """The layout with no more than so many backs: the others that the eye took for some were none."""
    return layout if layout.boneyard is None else replace(layout, boneyard=min(layout.boneyard, backs))
