"""The loop: a frame, a look where something changed, and only what was read equally twice becomes an observation.

The camera's state is published with every change: hand, settling, reading, read. No state is final: the settler forces
a reading after a timeout, and `read_now` does at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.geometry import Layout, TableSetup, Trouble, owners_of, with_history
from companion.geometry.diff import Observation, difference, with_backs
from companion.geometry.identity import before_the_next, may_be_a_wall
from companion.geometry.layout import Point, SeenTile
from companion.perception.attributing import Attribution
from companion.perception.marker_evidence import OwnMarkersHere, PresumedMarkers
from companion.perception.projection import (
    around,
    at_edge,
    box_mm,
    middle_mm,
    united,
)
from companion.perception.settings import (
    EQUAL_READINGS,
    FOLLOW_PX,
    LINE,
    MOST_READINGS,
    SURE_READINGS,
    WHOLE_AFTER,
    CameraNews,
    Frames,
    ObservationSink,
    TableReading,
    Where,
    wants,
)
from companion.perception.table_reader import TableReader, box_of
from companion.perception.tracks import Looked, TableMemory
from companion.perception.understanding import BackCount, at_most, named_as_recorded, understood, with_unseen
from companion.rules.tile import Laid
from vision.calibration import Calibration
from vision.eye import Eye, Region
from vision.fiducials import corners_again
from vision.frame import Frame
from vision.known_set import KnownSet
from vision.settle import Settler, SettleState, TableState

ELSEWHERE = "this photograph is taken from another place, and too few tiles are found again to see from where: not read"


class Watcher:
    """Frames in, observations to the sink. `step` is one frame; `run` goes on until the source ends."""

    def __init__(
        self,
        camera: Frames,
        eye: Eye,
        settler: Settler,
        calibration: Calibration,
        setup: TableSetup,
        sink: ObservationSink,
        *,
        known: KnownSet | None = None,
        publish: Callable[[CameraNews], None] = lambda news: None,
        arms: Attribution | None = None,
        own: OwnMarkersHere | None = None,
    ) -> None:
        """`arms` None: nobody is named by an arm. `own`: the markers that the family has shown or said are theirs."""
        self.camera = camera
        self.reader = TableReader(eye, calibration, setup, known, own)
        self.settler = settler
        self.sink = sink
        self.box = {} if known is None else box_of(known)
        self.publish = publish
        self.arms = arms or Attribution((), {}, off=True)
        self.layout: Layout | None = None
        self.supposed = PresumedMarkers()
        self.backs = BackCount()
        self._reading: TableReading | None = None
        self._left_over: tuple[Region, ...] = ()
        self._hand_was_here = False
        self._held_back: Layout | None = None
        self._wall: Layout | None = None
        self._nameless: dict[str, Point] = {}
        self.asked_about: tuple[SeenTile, ...] = ()
        self._unread_among: Mapping[str, Sequence[Laid]] | None = None
        self._before: Frame | None = None
        self._passed_over: tuple[Frame, SettleState] | None = None
        self._idle = 0.0
        self._state = ""

    @property
    def memory(self) -> TableMemory:
        return self.reader.memory

    @property
    def calibration(self) -> Calibration:
        return self.reader.calibration

    @property
    def setup(self) -> TableSetup:
        return self.reader.setup

    def run(self) -> None:
        while self.step():
            pass

    def step(self) -> bool:
        """One frame; False when the source has ended. Raises what the camera raises."""
        frame = self.camera.read()
        if frame is None:
            self._read_the_last()
            self._set_state("ended", "")
            return False
        self.see(frame)
        return True

    def see(self, frame: Frame) -> None:
        if self.sink.cleared():
            self.forget()
        before, self._before = self._before, frame
        if self.camera.stills and not self._find_again(frame):
            return
        if self._reading is None:
            self.reader.ahead_again(frame, before)
        state = self.settler.see(frame, still=self.camera.stills)
        self.arms.see(frame, self.calibration)
        self._set_state(
            TableState.READING if self._reading and state.state is TableState.READ else state.state, frame.name
        )
        self._hand_was_here = self._hand_was_here or state.state is TableState.HAND
        if state.state is not TableState.READ:
            self._idle = 0.0
        self._passed_over = (frame, state) if self.camera.stills and not state.should_read else None
        if state.should_read:
            self._begin(frame, state, before)
        elif self._hand_was_here and state.state is TableState.READ and self._reading is None:
            # Nothing brighter or darker; perhaps something of another colour.
            if self.reader.recoloured(frame):
                self._begin(frame, state, before)
            else:
                self._record_reaches(frame)
            self._hand_was_here = False
        elif self._reading is None and state.state is TableState.READ and self._was_corrected():
            self._begin(frame, state, before)
        elif self._reading is not None and state.state is TableState.READ:
            self._look(frame)
        elif self._reading is None and self.layout is not None and state.state is TableState.READ:
            self._idle += state.counts
            if self._idle >= WHOLE_AFTER:
                self._compare(frame, state)
        elif self._reading is None and self.layout is not None and state.regions:
            self.reader.begin_ahead(frame, state.regions)
        elif self._reading is not None and state.state is TableState.HAND and not self._taken_in_passing(self._reading):
            # A hand came back before the table was read: look there again once it is still.
            self._left_over = self._due(frame)
            self.settler.not_done()
            self._reading = None
        self._read_photograph(frame)

    def _find_again(self, frame: Frame) -> bool:
        """Is it known where the table is in this photograph, which may be taken from another place?"""
        moved = None if self.layout is None else self.reader.find_again(frame)
        if self.layout is not None and moved is None:
            self._set_state("lost", frame.name, ELSEWHERE)
            return False
        if moved:
            # Nothing in it lies where it lay in the picture before: what an arm hides cannot be told.
            self.arms.forget()
            self.settler.forget()
        return True

    def _read_photograph(self, frame: Frame) -> None:
        """A photograph is looked at until it is read: no other picture of the same table comes."""
        while self.camera.stills and self._reading is not None:
            self._look(frame)

    def _read_the_last(self) -> None:
        """The last photograph of all, if it was passed over because of an arm: around the arm it is read after all."""
        if self._passed_over is not None and self.layout is not None:
            frame, state = self._passed_over
            self._passed_over = None
            self._begin(frame, state, None)
            self._read_photograph(frame)

    def read_now(self) -> None:
        """Read the next frame as it is, whatever the table looks like."""
        self.settler.read_now()

    def forget(self) -> None:
        """A new round, or another calibration: nothing that lay there counts any more."""
        self.layout = self._held_back = self._wall = None
        self.backs = BackCount()
        self.reader.forget()
        self._reading = self._before = None
        self.settler.forget()
        self.arms.forget()

    def _compare(self, frame: Frame, state: SettleState) -> None:
        """Nothing has happened for a while: is the whole table as it is on record? Where not, it is read again."""
        self._idle = 0.0
        regions = self.reader.differing(frame)
        if regions:
            self._begin(frame, replace(state, regions=regions), None, overlooked=True)

    def _differs_elsewhere(self, frame: Frame) -> bool:
        """Where another look at the rest of the table is asked for: does it lie as it is on record?

        Where it does not, it is read along, and all is weighed once more.
        """
        reading = self._reading
        assert reading is not None
        if reading.compared or reading.regions is None or not wants(reading.again, Where.THE_REST):
            return False
        reading.compared = True
        more = self.reader.differing(frame, self.reader.hidden(reading))
        boxes = [box_mm(region, self.calibration) for region in reading.regions]
        looked = Looked(tuple(boxes))
        more = tuple(region for region in more if not looked.covers(middle_mm(region, self.calibration)))
        if not more:
            return False
        reading.regions = united([*reading.regions, *more])
        reading.count, reading.agreed, reading.last = 0, 0, None
        return True

    def _begin(self, frame: Frame, state: SettleState, before: Frame | None, *, overlooked: bool = False) -> None:
        """Read what lies there, in this picture and in the one `before` it that shows the same still table."""
        self._follow(frame, state)
        if self._reading is None:
            self.memory.begin()
            self.settler.begin()
        else:
            # Something moved on before the last reading ended: that one counts for nothing, and its places are due.
            self._left_over = (*self._left_over, *self._due(frame))
        regions: tuple[Region, ...] | None = None
        if self.layout is not None and not state.camera_moved and not self.camera.stills:
            regions = united([*state.regions, *self._left_over, *self.reader.recoloured(frame)]) or None
        self._left_over = ()
        self._hand_was_here = False
        self._reading = TableReading(frame, regions, state.hidden, overlooked=overlooked)
        # A change at the picture's edge may be an arm that looks like the table: the next picture has to agree.
        gone = regions and not at_edge(regions, frame.size_wh) and not state.forced
        if gone and before is not None and state.still_for:
            self._look(before)
        self.reader.prepare(frame)
        if self._reading is not None:
            self._look(frame)

    def _taken_in_passing(self, reading: TableReading) -> bool:
        """Record what all looks so far agree about, though the game asked for more than people leave time for.

        It counts as seen in passing: clouded, so that it accuses nobody. If it waited for a longer look, people who
        play fast would never be read again.
        """
        found, layout = reading.last, reading.layout
        agreed = reading.agreed >= EQUAL_READINGS and not self.memory.unsettled()
        if found is None or layout is None or found.empty or found.doubts or reading.overlooked or not agreed:
            return False
        self._commit(reading.frame, replace(found, clouded=True), layout, in_passing=True)
        return True

    def _due(self, frame: Frame) -> tuple[Region, ...]:
        """The regions that the reading under way has not settled."""
        return (self._reading and self._reading.regions) or ((0, 0, *frame.size_wh),)

    def _look(self, frame: Frame) -> None:
        """One more reading of the table that is being read; ends it once enough of them agree."""
        reading = self._reading
        assert reading is not None
        reading.count += 1
        markers_mm = self.reader.read(frame, reading, self.layout)
        if reading.regions is None:
            self.arms.noticed(markers_mm)
        self._count_overlooked(frame)
        believed, none = self.reader.backs(), self.reader.let_go(frame)
        if none and self.layout is not None:
            self.layout = at_most(self.layout, believed - none)
        self.settler.done()
        layout = self._understood(frame)
        if self.supposed.drop_needless(self.memory, self.setup, self.layout, layout):
            layout = self._understood(frame)
        if self.layout is None:
            if reading.count >= EQUAL_READINGS:
                middle = None if layout.engine is None else layout.engine.seen.center_mm
                if not any(layout.trains.values()) and self.memory.park(middle):
                    layout = self._understood(frame)
                layout = with_history(layout, self.sink.recorded().get(LINE, ()))
                if self._adopt(frame, layout):
                    self.memory.begin()
                    self._reading = TableReading(frame, None, reading.hidden)
            return
        if self.sink.is_cleared(layout):
            self._wait_for_another_round(frame, layout, reading)
            return
        observation = self.sink.still_new(difference(self.layout, layout), layout)
        ways = list(with_unseen(observation, layout, self.layout, self.setup, self.sink))
        observation, layout = ways[self.sink.likeliest(one for one, _ in ways)]
        reading.ask(self.sink.look_again(observation))
        # A marker that is on record and not to be seen may be gone: what it forbids or allows is uncertain.
        clouded = observation.clouded or any(marker.hidden for marker in self.memory.markers) or reading.overlooked
        doubted = [owners_of(one, layout, self.setup, self.layout) for one in self.memory.doubted_markers()]
        maybe_marked = self._unrecognised(frame, observation, layout).union(*doubted) - layout.markers
        observation = replace(observation, maybe_marked=maybe_marked, clouded=clouded)
        self._nameless = self._unsure_markers(layout)
        same = reading.last is not None and observation.key == reading.last.key
        reading.agreed = reading.agreed + 1 if same else 1
        reading.last, reading.layout = observation, layout
        settled = not self.memory.unsettled()
        if observation.empty and not observation.doubts and settled and reading.agreed >= EQUAL_READINGS:
            # Nothing new is a finding like any other: one look may have missed the tile that was laid.
            self._record_reaches(frame)
            self._finish(frame, layout)
            if not reading.overlooked:
                self._ask_unread(frame, layout)
            return
        needed = reading.needed(observation, reading.again)
        enough = reading.count >= MOST_READINGS or (settled and reading.agreed >= needed)
        if enough and not self._differs_elsewhere(frame):
            self._commit(frame, observation, layout)

    def _adopt(self, frame: Frame, layout: Layout) -> bool:
        """Take over the table that is seen for the first time. A wall in play waits for its next tile, which tells how
        it lies: then it is taken over as it was before that, and True asks to look once more."""
        row, self._wall = self._wall, None
        if not self.sink.recorded().get(LINE) and may_be_a_wall(layout, self.setup):
            known = None if row is None else before_the_next(row, layout, self.setup.tile_mm[1])
            if known is None:
                self._finish(frame, layout)
                self.layout, self._wall = None, layout
                return False
            layout = known
        self._finish(frame, layout)
        begun = self.sink.first_table(layout, frame.name)
        self._ask_unread(frame, layout)
        self.backs.most = self.sink.face_down() if begun else None
        self.layout = self.backs.real(layout, None) if begun else None
        return begun and row is not None

    def _wait_for_another_round(self, frame: Frame, layout: Layout, reading: TableReading) -> None:
        """Once the cleared table is surely read, ask. Until that is answered it is compared with what lay there."""
        sure = reading.count >= SURE_READINGS and not self.memory.unsettled()
        if sure or reading.count >= MOST_READINGS:
            self.memory.keep_known()
            self.sink.ask_about_another_round(layout, frame.name)
            assert self.layout is not None
            self._finish(frame, self.layout)

    def _unrecognised(self, frame: Frame, observation: Observation, layout: Layout) -> frozenset[str]:
        """Players beside whose trains something lies that may be a marker, where the game asks for it."""
        reading = self._reading
        if layout.line or reading is None or not wants(reading.again, Where.BESIDE_THE_TRAINS):
            return self.supposed.nothing()
        # A thing that lay there before may excuse a tile on its owner's train, but is no marker put there just now.
        places, old = self.reader.things(frame)
        played_on = {change.train for change in observation.laid}
        return self.supposed.look(places, old, played_on, self.setup, self.layout, layout)

    def _commit(self, frame: Frame, observation: Observation, layout: Layout, *, in_passing: bool = False) -> None:
        reading = self._reading
        assert reading is not None
        self.memory.keep_known()
        if self.layout is not None:
            markers = self.memory.seen_markers()
            observation = self.arms.seen(observation, self.layout, layout, markers, self.setup)
        sure = in_passing or reading.agreed >= reading.needed(observation, self.sink.look_again(observation))
        taken = True
        if observation.empty or not sure:
            self.sink.ask(observation, layout, frame.name)
            taken = observation.empty
        else:
            taken = self.sink.record(replace(observation, again=reading.reasons), layout, frame.name)
            if taken:
                self.arms.taken()
            self.arms.compare(self.sink, frame.name)
            self.supposed.take(self.sink.marked(), self.memory)
        # A table that is still in question is compared again as a whole, with whatever comes next.
        self._finish(frame, layout if taken or self.layout is None else self.layout)
        if not taken and layout.line:
            self._held_back = layout
        self._ask_unread(frame, layout)
        # Look again at the doubtful places with the next still table.
        self._left_over = around(observation.doubts, 1.5 * self.setup.tile_mm[0], self.calibration, frame.size_wh)

    def _record_reaches(self, frame: Frame) -> None:
        """Somebody may have drawn from a stacked boneyard, which looks as before."""
        if self.layout is not None:
            markers = self.memory.seen_markers()
            seen = self.arms.seen(Observation(), self.layout, self.layout, markers, self.setup)
            if not seen.empty and self.sink.record(seen, self.layout, frame.name):
                self.arms.taken()
                self.arms.settled(frame, markers, self.layout, self.setup)

    def _ask_unread(self, frame: Frame, layout: Layout) -> None:
        """Let the sink ask about unread tiles, and remember what was on record: somebody may add what they are."""
        self.sink.understood(layout, frame.name)
        self._ask_whose(frame)
        self._unread_among = self.sink.recorded() if layout.has(Trouble.UNREADABLE_TILE) else None

    def _unsure_markers(self, layout: Layout) -> dict[str, Point]:
        """Player -> what lies at their train and may be their marker: the eye alone does not know it for one."""
        unsure = [one.seen for one in self.memory.markers if not one.seen.recognised or one.with_its_tile]
        found = dict(self.supposed.perhaps)
        for one in unsure:
            owners = owners_of(one, layout, self.setup, self.layout)
            found |= dict.fromkeys(owners if len(owners) == 1 else (), one.center_mm)
        return {player: place for player, place in found.items() if not self.reader.own.knows(player)}

    def _ask_whose(self, frame: Frame) -> None:
        """Ask once an evening: is this your marker? The answer holds from then on."""
        answered = self.sink.own_markers()
        for player, place in self._nameless.items():
            if player in answered or self.reader.own.waits_for(player):
                continue
            self.asked_about = (self.reader.unread_at(place),)
            asks = partial(self.sink.ask_about_marker, player, frame.name)
            self.reader.ask_about_marker(player, place, frame, asks)
        self._nameless, self.asked_about = {}, ()

    def _was_corrected(self) -> bool:
        """Has a person said what lies there, or ended the round? Then what was held back for it is looked at again."""
        corrected = self._unread_among is not None and self.sink.recorded() != self._unread_among
        heard = self.reader.own.answered(self.sink.own_markers(), self.memory)
        return corrected or self.sink.stirred() or heard

    def _finish(self, frame: Frame, layout: Layout) -> None:
        self.backs.settled(self.layout, layout)
        self.layout, self._held_back = layout, None
        if self._reading is None or not self._reading.hidden:
            # An arm that rests on the table must not count as the table.
            self.arms.settled(frame, self.memory.seen_markers(), layout, self.setup)
        self._reading = None
        self._idle = 0.0
        self.reader.keep(frame)
        self._set_state("read", frame.name)

    def _understood(self, frame: Frame) -> Layout:
        setup = replace(self.setup, over=self.sink.over(), engine=self.sink.engine())
        if self.layout is not None:
            self.layout = named_as_recorded(self.layout, self.sink.recorded())
        view = self.reader.view(frame)
        found = understood(view, setup, self.sink, self.box, self.layout, self._held_back)
        return self.backs.real(found, self.layout)

    def _count_overlooked(self, frame: Frame) -> None:
        """A tile found face down that was overlooked before must not hide a draw, nor be put away once more."""
        if self.layout is not None and (places := self.reader.overlooked_backs(frame)):
            more = with_backs(self.layout, places, self.reader.view(frame), self.setup, self.sink.face_down())
            self.layout = self.backs.real(more, self.layout)

    def _follow(self, frame: Frame, state: SettleState) -> None:
        """After a bump: the corner markers say where the table is now, else the shift of the picture does."""
        moved = np.hypot(*state.moved_px)
        if moved < FOLLOW_PX and not state.camera_moved:
            return
        corners = corners_again(frame.image) if state.camera_moved else None
        if corners is None:
            corners = self.calibration.corners_px + np.array(state.moved_px)
        self.reader.moved(corners)
        if state.camera_moved:
            self.reader.forget_pictures()
            self.arms.forget()
            self._set_state("moved", frame.name, "the camera was moved; the table was found again")

    def relocate(self, corners_px: NDArray[np.floating[Any]]) -> None:
        """The table's corners, (4, 2), are there now, measured from outside: the next still table is read whole."""
        self.reader.moved(corners_px)
        self.reader.forget_pictures()
        self.arms.forget()
        self._reading = self._before = None
        self.settler.forget()

    def _set_state(self, state: str, frame: str, detail: str = "") -> None:
        if state != self._state or detail:
            self._state = state
            self.publish(CameraNews(state, frame, detail))
