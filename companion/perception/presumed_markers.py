"""Markers that nobody recognised: things beside trains, held to be markers where a fault would be none then."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from companion.geometry import Layout, TableSetup, owners_of
from companion.geometry.table_view import Point, SeenMarker
from companion.perception.projection import LEAST_THING_CONFIDENCE
from companion.perception.tracks import MarkerTrack, TableMemory


@dataclass(slots=True)
class PresumedMarkers:
    """`perhaps`: player -> the thing beside their train that may be their marker; `held`: those taken for markers."""

    perhaps: Mapping[str, Point] = field(default_factory=dict)
    held: dict[str, MarkerTrack] = field(default_factory=dict)

    def nothing(self) -> frozenset[str]:
        """Nobody's marker is missed."""
        self.perhaps = {}
        return frozenset()

    def look(
        self,
        places: Sequence[Point],
        old: Collection[Point],
        played_on: Collection[str],
        setup: TableSetup,
        before: Layout | None,
        layout: Layout,
    ) -> frozenset[str]:
        """The players whose marker one of the things at `places` may be; those at `old` places only for the owners of
        the trains `played_on`."""
        found: dict[str, Point] = {}
        for place in places:
            marker = SeenMarker(place, LEAST_THING_CONFIDENCE)
            owners = owners_of(marker, layout, setup, before) - layout.markers
            found |= dict.fromkeys(owners if place not in old else owners & set(played_on), place)
        self.perhaps = found
        return frozenset(found)

    def take(self, marked: Collection[str], memory: TableMemory) -> None:
        """What is on record as somebody's marker by now is watched like one from now on."""
        for player in self.perhaps.keys() & set(marked):
            track = MarkerTrack(SeenMarker(self.perhaps[player], LEAST_THING_CONFIDENCE, recognised=False), 1)
            memory.markers.append(track)
            self.held[player] = track
        self.perhaps = {}

    def drop_needless(self, memory: TableMemory, setup: TableSetup, before: Layout | None, layout: Layout) -> bool:
        """Things held for the marker of somebody who has another one after all were none. Was there one?

        What lies on a tile is dropped only for a marker that is recognised and lies there still: one that is missing
        may have been moved onto the tile.
        """

        def owners(track: MarkerTrack) -> frozenset[str]:
            return owners_of(track.seen, layout, setup, before)

        gone = []
        for player, track in list(self.held.items()):
            if not any(one is track for one in memory.markers):
                del self.held[player]
            elif any(player in owners(one) for one in memory.markers if one is not track):
                del self.held[player]
                gone.append(track)
        unknown = [one for one in memory.markers if not one.seen.recognised]
        if unknown:
            plain = [owners(one) for one in memory.markers if one.seen.recognised and one.missing == 0]
            sure = frozenset[str]().union(*plain)
            held = list(self.held.values())
            gone += [one for one in unknown if owners(one) & sure and not any(one is track for track in [*held, *gone])]
        memory.drop_markers(gone)
        return bool(gone)
