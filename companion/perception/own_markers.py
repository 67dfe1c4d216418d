"""The family's own markers at the table: recognised by their looks, learned where somebody says that one is theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from companion.geometry.joints import distance
from companion.geometry.table_view import Point, SeenMarker, SeenTile
from companion.perception.lifted import Places
from companion.perception.marker_evidence import at_a_train
from companion.perception.projection import LEAST_THING_CONFIDENCE, inside
from companion.perception.tracks import MARKER_REACH_MM, Looked, MarkerTrack, TableMemory
from vision.own_markers import OF_A_TILE, ColouredPicture, MarkerLook, OwnMarkers

KNOWN = 0.97
"""How surely a place shows a marker that looks like one of the family's."""


@dataclass(slots=True)
class OwnMarkersHere:
    """`own` are known; `learned` is told of each change. `_asked`: player -> where and how the thing looks that may be
    theirs, while nobody has said."""

    own: OwnMarkers = field(default_factory=OwnMarkers)
    learned: Callable[[OwnMarkers], None] = lambda own: None
    _asked: dict[str, tuple[Point, MarkerLook]] = field(default_factory=dict)

    def knows(self, player: str) -> bool:
        return any(look.owner == player for look in self.own.looks)

    def waits_for(self, player: str) -> bool:
        """Whether somebody has been asked about this player's marker and has not answered."""
        return player in self._asked

    def recognised(
        self,
        markers: Sequence[SeenMarker],
        tiles: Sequence[SeenTile],
        memory: TableMemory,
        looked: Looked,
        place: Places,
        length_mm: float,
    ) -> list[SeenMarker]:
        """The markers of one look with those known for what they are, and those that nobody else has found."""
        if not self.own.looks:
            return list(markers)
        small, scale, changed = place.things.changed_places(place.image, place.calibration)
        unit_px = scale * place.calibration.px_per_mm * length_mm / OF_A_TILE
        picture = ColouredPicture.of(small, unit_px)

        def px(at: Point) -> Point:
            x, y = place.calibration.to_px(np.array([at], np.float64))[0] * scale
            return float(x), float(y)

        found = []
        for one in markers:
            shown = self.own.at(picture, px(one.center_mm))
            found.append(one if shown is None else _known(one, shown[0]))
        up = [tile for tile in tiles if tile.face_up]
        for at, look in self.own.search(picture, changed):
            x, y = place.calibration.to_mm(np.array([at], np.float64) / scale)[0]
            here = float(x), float(y)
            lie = [one.center_mm for one in found if one.confidence >= LEAST_THING_CONFIDENCE]
            if (
                looked.covers(here)
                and inside(here, place.calibration)
                and all(distance(here, other) > MARKER_REACH_MM for other in (*lie, *memory.parked))
                and at_a_train(here, up, memory.hub, place.side_mm)
            ):
                found.append(_known(SeenMarker(here, KNOWN), look))
        return found

    def ask(
        self, player: str, at: Point, place: Places, length_mm: float, asks: Callable[[], bool] = lambda: True
    ) -> None:
        """Let `asks` ask whether the thing at a place is this player's marker, where an answer would tell it from its
        ground: a shadow is not asked about."""
        small, scale, _ = place.things.changed_places(place.image, place.calibration)
        picture = ColouredPicture.of(small, scale * place.calibration.px_per_mm * length_mm / OF_A_TILE)
        x, y = place.calibration.to_px(np.array([at], np.float64))[0] * scale
        look = picture.learn((float(x), float(y)), player)
        if look.useful and asks():
            self._asked[player] = at, look

    def answered(self, answers: Mapping[str, bool], memory: TableMemory) -> bool:
        """Take in what people have said by now; whether that changes what lies there."""
        heard = False
        for player, theirs in answers.items():
            if player not in self._asked:
                continue
            at, look = self._asked.pop(player)
            near = [one for one in memory.markers if distance(one.seen.center_mm, at) <= MARKER_REACH_MM]
            memory.drop_markers(near)
            if theirs:
                seen = _known(SeenMarker(near[0].seen.center_mm if near else at, KNOWN), look)
                memory.markers.append(MarkerTrack(seen, 1, came=True, born=memory.readings))
                self.own = self.own.with_one(look)
                self.learned(self.own)
            else:
                memory.parked = (*memory.parked, at)
            heard = True
        return heard


def _known(marker: SeenMarker, look: MarkerLook) -> SeenMarker:
    return replace(marker, confidence=max(KNOWN, marker.confidence), recognised=True, known=True, owner=look.owner)
