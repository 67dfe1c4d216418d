"""A board without trains: every tile is reported as it appears, and nothing is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from companion.geometry import Layout
from companion.geometry.diff import Observation
from companion.log.events import Event, TilePlayed, TileTakenBack, Unclear
from companion.perception.sink import LookAgain, Where, Why
from companion.rules.tile import Laid

BOARD = "board"
"""The name of the place where every tile of a free board lies."""

FIRST_TILES = 3
"""A first picture with more tiles than this shows a board in use: they lie there, nobody laid them just now."""


class PrintSink:
    """Turns new and vanished tiles into events. `emit` gets each event and the name of its frame."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self.emit = emit

    def first_table(self, layout: Layout, frame: str) -> bool:
        if len(layout.loose) > FIRST_TILES:
            return True
        for tile in layout.loose:
            if tile.laid is not None:
                self.emit(TilePlayed(source="camera", frame=frame, by=None, tile=tile.laid, train=BOARD))
        return True

    def recorded(self) -> Mapping[str, Sequence[Laid]]:
        return {}

    def guessed(self) -> Mapping[tuple[str, int], Laid]:
        return {}

    def engine(self) -> int | None:
        return None

    def marked(self) -> frozenset[str]:
        return frozenset()

    def face_down(self) -> int | None:
        return None

    def still_new(self, observation: Observation, layout: Layout) -> Observation:
        return observation

    def look_again(self, observation: Observation) -> tuple[LookAgain, ...]:
        return tuple(LookAgain(place, Why.NO_LEGAL_PLAY) for place in Where) if observation.gone else ()

    def likeliest(self, ways: Iterable[Observation]) -> int:
        return 0

    def record(self, observation: Observation, layout: Layout, frame: str) -> bool:
        for lost in observation.gone:
            self.emit(TileTakenBack(source="camera", frame=frame, by=None, tile=lost.tile, train=BOARD))
        for change in observation.laid:
            self.emit(TilePlayed(source="camera", frame=frame, by=None, tile=change.tile, train=BOARD))
        if observation.doubts:
            self.ask(observation, layout, frame)
        return True

    def named(self) -> Sequence[tuple[str, str]]:
        return ()

    def ask_about_seats(self, player: str, seat: str, frame: str) -> None:
        """Never: nobody is named here."""

    def ask_about_marker(self, player: str, frame: str) -> bool:
        return False

    def own_markers(self) -> Mapping[str, bool]:
        return {}

    def ask(self, observation: Observation, layout: Layout, frame: str) -> None:
        for doubt in observation.doubts:
            self.emit(Unclear(source="camera", frame=frame, reason=str(doubt)))

    def understood(self, layout: Layout, frame: str) -> None:
        """A free board has no trains to ask about."""

    def stirred(self) -> bool:
        return False

    def is_cleared(self, layout: Layout) -> bool:
        return False

    def ask_about_another_round(self, layout: Layout, frame: str) -> None:
        """Never: there are no rounds."""

    def cleared(self) -> bool:
        return False

    def over(self) -> bool:
        return False
