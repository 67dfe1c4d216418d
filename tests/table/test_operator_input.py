"""People are quicker than the camera, or say otherwise than it reads: neither is held against anybody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.meddling import meddle
from bench.somebody import SLIPS, TRUE
from bench.stand_ins.seen_tables import tile
from bench.stand_ins.sketch import SMALL, sketched
from bench.stand_ins.watching import watching
from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.log.events import Discarded, Drew, TilePlayed
from companion.observing.unread import (
    marked_otherwise,
    new_in_line,
    not_borne_out,
    without_corrected_tiles,
    without_entered_draws,
)
from companion.rules.notation import Drawing, Vanishing
from companion.rules.position import Mark, Play, Position
from companion.rules.tile import Laid
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.lanes import nightly
from tests.shown import state_of

ANN = [PlacedTile(n, tile(100.0 + 50 * n, 100.0, 0.0, a, b)) for n, (a, b) in enumerate([(12, 5), (5, 7), (7, 3)])]
THREE = Layout(trains={"Ann": tuple(ANN)})
TABLE = Position(12, ("Ann", "Ben"), Laid(12, 12), {"Ann": (Laid(12, 5), Laid(5, 7))})
NEW = Observation((Play(Laid(7, 3), "Ann"),))


def test_a_draw_that_was_entered_and_is_seen_is_one_draw() -> None:
    record = [Drew(by="Ann", source="person")]
    assert without_entered_draws(Observation((Drawing(1),)), record) == Observation()
    assert without_entered_draws(Observation((Drawing(3),)), record) == Observation((Drawing(2),))
    assert without_entered_draws(Observation((Drawing(1),)), [Drew(by="Ann", source="camera")]).delta == (Drawing(1),)


def test_a_tile_put_away_that_was_entered_is_one_tile() -> None:
    seen = Observation(discards={"Ann": 1, "Ben": 2})
    record = [Discarded(by="Ann", source="person"), Discarded(by="Ben", source="person")]
    assert without_entered_draws(seen, record).discards == {"Ben": 1}


def test_what_somebody_entered_counts_for_the_tile_that_is_read_in_its_place() -> None:
    record = replace(TABLE, trains={"Ann": (Laid(12, 5), Laid(5, 7), Laid(7, 4))})
    assert without_corrected_tiles(NEW, THREE, record).delta == ()
    assert without_corrected_tiles(NEW, THREE, TABLE) == NEW


def test_a_tile_put_in_that_is_not_seen_hides_no_new_one() -> None:
    record = replace(TABLE, trains={"Ann": (Laid(12, 5), Laid(5, 5), Laid(5, 7))})
    assert without_corrected_tiles(NEW, THREE, record) == NEW


@pytest.mark.parametrize(
    ("record", "astray"),
    [
        (((12, 5), (5, 7)), False),
        (((12, 9), (5, 7)), False),
        (((12, 5), (5, 8)), True),
        (((12, 5),), True),
        (((5, 7), (12, 5)), True),
    ],
)
def test_a_record_that_the_table_does_not_bear_out_is_known(record: tuple[tuple[int, int], ...], astray: bool) -> None:
    """A tile of which somebody has said that it is another one is doubtful only beside a new one."""
    table = replace(TABLE, trains={"Ann": tuple(Laid(*one) for one in record)})
    assert not_borne_out(NEW, THREE, table) == (frozenset({"Ann"}) if astray else frozenset())


def test_a_marker_that_somebody_took_off_the_record_is_known() -> None:
    marked = replace(THREE, markers=frozenset({"Ben"}))
    assert marked_otherwise(NEW, marked, TABLE)
    assert not marked_otherwise(NEW, marked, replace(TABLE, markers=frozenset({"Ben"})))
    assert not marked_otherwise(replace(NEW, delta=(Mark("Ben"),)), marked, TABLE)


def in_line(*tiles: tuple[int, int]) -> list[Laid]:
    return [Laid(*one) for one in tiles]


def test_a_line_lost_from_view_is_not_recorded_twice() -> None:
    record = in_line((6, 6), (6, 4), (4, 4))
    whole = Observation(tuple(Play(one, "R") for one in record))
    assert new_in_line(whole, record, record).delta == ()
    longer = [*record, Laid(4, 1)]
    again = Observation(tuple(Play(one, "R") for one in longer))
    assert new_in_line(again, longer, record).delta == (Play(Laid(4, 1), "R"),)


def test_in_a_line_of_equal_tiles_the_new_one_lies_where_it_was_seen_to_come() -> None:
    both = in_line((1, 1), (1, 1))
    for arm in ("L", "R"):
        come, gone = Observation((Play(both[0], arm),)), Observation((Vanishing(both[0], arm),))
        assert new_in_line(come, both, both[:1]) == come
        assert new_in_line(gone, both[:1], both) == gone
        assert new_in_line(gone, both, both).delta == new_in_line(come, both, both).delta == ()


def test_a_tile_off_the_record_stays_so_until_another_lies_beyond_it() -> None:
    lying = in_line((6, 6), (6, 4), (4, 1))
    assert new_in_line(Observation(), lying[:2], lying[:1]).delta == ()
    last = Observation((Play(lying[2], "R"),))
    assert new_in_line(last, lying, lying[:1]).delta == (Play(lying[1], "R"), Play(lying[2], "R"))
    assert new_in_line(Observation(), lying[:2], lying[:1], missed=True).delta == (Play(lying[1], "R"),)


def test_where_a_tile_of_the_line_was_renamed_only_what_fits_there_is_new() -> None:
    lying, record = in_line((6, 6), (6, 4), (4, 1)), in_line((6, 6), (6, 5))
    last = Observation((Play(lying[2], "R"),))
    assert new_in_line(last, lying, record) == last
    assert new_in_line(last, lying[:2], record).delta == ()


@pytest.mark.slow
@pytest.mark.parametrize("rules", [nightly("reeves"), "jielong"])
def test_a_round_ended_by_mistake_goes_on_with_what_was_laid_meanwhile(rules: str, tmp_path: Path) -> None:
    camera = sketched(
        4, SimSettings(rules=rules, troubles=Troubles.none(), most_scenes=14, hand_frames=3, still_frames=7)
    )
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")

    def laid() -> int:
        plays = state_of(session)["plays"]
        return sum(play["event"] == "tile_played" and not play.get("taken_back") for play in plays)

    while laid() < 4:
        assert watcher.step()
    session.end_round("blocked_declared")
    for _ in range(20):
        watcher.step()
    while session.phase != "playing":
        session.undo()
    watcher.run()
    table = camera.table
    assert laid() == len(table.line) + sum(map(len, table.trains.values()))


def test_a_beginning_that_was_undone_begins_again_with_the_next_still_table(tmp_path: Path) -> None:
    camera = sketched(4, SimSettings(rules="jielong", troubles=Troubles.none(), most_scenes=6))
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    while session.phase != "playing":
        assert watcher.step()
    session.undo()
    assert session.phase == "waiting"
    watcher.run()
    played = [event for event in session.events if isinstance(event, TilePlayed)]
    assert session.phase == "playing" and len(played) == len(camera.table.line) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "taps"), [(1008, TRUE + SLIPS)])
def test_somebody_at_the_page_gets_nobody_accused(seed: int, taps: tuple[str, ...]) -> None:
    result, person = meddle(seed, taps, scenes=16, size_wh=SMALL)
    assert result.false == ()
    assert len(person.done) >= 3


@pytest.mark.slow
def test_a_tile_misread_as_its_neighbour_and_taken_back_was_not_moved(tmp_path: Path) -> None:
    """1001: a 9-10 laid on the 9-9 and read as another one is taken back; the 9-9 lies where it lay."""
    camera = sketched(
        5, SimSettings(rules="reeves", troubles=Troubles.none(), most_scenes=10, hand_frames=3, still_frames=7)
    )
    _, sink, watcher = watching(camera, tmp_path / "game.jsonl")
    watcher.run()
    layout = watcher.layout
    assert layout is not None
    train, placed = next((name, row[-1].laid) for name, row in layout.trains.items() if row)
    assert placed is not None
    gone = Observation((Vanishing(placed, train),))
    assert sink.still_new(gone, layout).delta == ()
    shorter = replace(layout, trains={**layout.trains, train: layout.trains[train][:-1]})
    assert sink.still_new(gone, shorter).delta == gone.delta
