"""Memory, bare places, weighing and hypotheses: a wavering eye never becomes an accusation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bench.stand_ins.seen_tables import SETUP, eastward, tile, view
from companion.game.game import Game
from companion.geometry import Layout, Problem, TableSetup, Trouble, reconstruct
from companion.geometry.diff import Observation, difference
from companion.geometry.layout import SeenHalf, SeenMarker, SeenTile
from companion.log.event_fields import Confidence
from companion.log.events import TableChange
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.observing.next_round import readings_of
from companion.observing.waiting import HAND_PATIENCE, Doubts
from companion.perception.background import BackgroundModel, SmallPicture, colours, recoloured
from companion.perception.projection import overlap
from companion.perception.setup_file import setup_from_json
from companion.perception.tracks import Looked, TableMemory
from companion.perception.understanding import with_given_values
from companion.rules.notation import print_change
from companion.rules.position import Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, Tile, double_set
from tests.shown import state_of
from vision.calibration import Calibration
from vision.frame import Frame

BOX = dict.fromkeys(double_set(12), 1)
EVERYWHERE = Looked()


def seen(first: tuple[int | None, float], second: tuple[int | None, float], *others: tuple[int, float]) -> SeenTile:
    """A tile in one place; `others` are runner-ups of the first half."""
    halves = SeenHalf(first[0], first[1], others), SeenHalf(second[0], second[1])
    return replace(tile(700.0, 450.0, 0.0, 1, 1), halves=halves)


def test_equal_readings_make_a_value() -> None:
    memory = TableMemory()
    for _ in range(3):
        memory.see([seen((5, 0.98), (7, 0.99))], [], EVERYWHERE, 24.0)
    assert [one.values for one in memory.tiles()] == [(5, 7)]


def test_a_wavering_reading_ends_unread_with_its_candidates() -> None:
    memory = TableMemory()
    for value, other in ((5, 6), (6, 5), (5, 6), (6, 5)):
        memory.see([seen((value, 0.6), (7, 0.99), (other, 0.38))], [], EVERYWHERE, 24.0)
    half = memory.tiles()[0].halves[0]  # type: ignore[index]
    assert half.value is None
    assert {value for value, _ in half.others[:2]} == {5, 6}


def test_three_half_sure_readings_are_not_one_sure_reading() -> None:
    memory = TableMemory()
    for _ in range(3):
        memory.see([seen((None, 0.6), (7, 0.99), (5, 0.6), (6, 0.3))], [], EVERYWHERE, 24.0)
    assert memory.tiles()[0].values is None


def test_one_wrong_reading_of_a_known_tile_changes_nothing() -> None:
    memory = TableMemory()
    for value in (5, 5, 8, 5):
        memory.see([seen((value, 0.97), (7, 0.99))], [], EVERYWHERE, 24.0)
    assert memory.tiles()[0].values == (5, 7)


def test_another_tile_in_the_same_place_is_believed_when_it_repeats() -> None:
    memory = TableMemory()
    for value in (5, 5, 8, 8):
        memory.see([seen((value, 0.97), (7, 0.99))], [], EVERYWHERE, 24.0)
    assert memory.tiles()[0].values == (8, 7)


def test_what_was_not_looked_at_is_not_missing() -> None:
    memory = TableMemory()
    memory.see([seen((5, 0.98), (7, 0.99))], [], EVERYWHERE, 24.0)
    for _ in range(5):
        memory.see([], [], Looked(boxes=((0.0, 0.0, 300.0, 300.0),)), 24.0)
        memory.see([], [], Looked(hidden=((600.0, 400.0, 800.0, 500.0),)), 24.0)
    assert memory.missing() == []
    memory.see([], [], EVERYWHERE, 24.0)
    assert memory.unsettled()
    memory.see([], [], EVERYWHERE, 24.0)
    assert len(memory.missing()) == 1


def test_a_box_over_two_neighbours_halves_is_no_tile() -> None:
    memory = TableMemory()
    memory.see(eastward([(12, 5), (5, 7)]), [], EVERYWHERE, 24.0)
    memory.see([tile(709.5, 450.0, 0.0, 5, 5)], [], Looked(boxes=()), 24.0)
    assert len(memory.tracks) == 2
    assert overlap(tile(709.5, 450.0, 0.0, 5, 5), eastward([(12, 5)])[0]) > 0.4


def table_picture(
    with_cup: bool = False, with_tile: bool = False, with_print: bool = False, light: float = 1.0
) -> tuple[Any, Calibration]:
    """A cloth of 800 x 600 mm at one pixel a millimetre, perhaps with a cup or a tile in one place."""
    rng = np.random.default_rng(3)
    image = (rng.normal(120, 4, (600, 800, 3)) * light).clip(0, 255)
    if with_cup:
        yy, xx = np.mgrid[:600, :800]
        image[(xx - 400) ** 2 + (yy - 300) ** 2 < 40**2] = (60, 40, 150)
    if with_tile:
        image[288:312, 376:424] = 225
        image[294:300, 384:390] = 20
    if with_print:
        for x in (380, 392, 404, 416):
            image[290:310, x : x + 4] = 20
    corners = [[0, 0], [800, 0], [800, 600], [0, 600]]
    calibration = Calibration.from_corners(corners, (800.0, 600.0), 0.001, size_wh=(800, 600))
    return image.astype(np.uint8), calibration


PLACE = tile(400.0, 300.0, 0.0, 5, 7)


@pytest.mark.parametrize("learnt", [True, False], ids=["seen bare before", "never seen bare"])
def test_an_empty_place_is_bare_and_a_cup_is_not(learnt: bool) -> None:
    bare = BackgroundModel()
    empty, calibration = table_picture()
    bare.learn(SmallPicture.of(empty, calibration), [] if learnt else [PLACE])
    assert bare.is_bare(SmallPicture.of(table_picture()[0], calibration), PLACE, [])
    assert bare.is_bare(SmallPicture.of(table_picture(light=0.85)[0], calibration), PLACE, [])
    assert not bare.is_bare(SmallPicture.of(table_picture(with_cup=True)[0], calibration), PLACE, [])
    assert not bare.is_bare(SmallPicture.of(table_picture(with_tile=True)[0], calibration), PLACE, [])
    assert not bare.is_bare(SmallPicture.of(table_picture(with_print=True)[0], calibration), PLACE, []), (
        "a tile as bright as the cloth"
    )


def test_a_marker_as_bright_as_the_cloth_is_seen_by_its_colour() -> None:
    before, _ = table_picture()
    after = before.copy()
    after[300:318, 500:518] = (60, 95, 190)

    def seen(image: np.ndarray) -> np.ndarray:
        return colours(Frame(image, 0.0, "frame"))

    regions = recoloured(seen(before), seen(after), (800, 600))
    assert len(regions) == 1
    x0, y0, x1, y1 = regions[0]
    assert x0 <= 500 and y0 <= 300 and x1 >= 518 and y1 >= 318
    dimmed = (before * 0.8).astype(np.uint8)
    assert recoloured(seen(before), seen(dimmed), (800, 600)) == ()


def unread_second(first: dict[int, float]) -> Layout:
    """Ann's train 12-5, then a tile whose inner half is not read."""
    others = tuple(sorted(first.items(), key=lambda item: -item[1]))
    unread = replace(eastward([(12, 5), (5, 7)])[1], halves=(SeenHalf(None, others[0][1], others), SeenHalf(7, 0.99)))
    return reconstruct(view([eastward([(12, 5)])[0], unread]), SETUP)


def test_a_stray_reading_among_the_backs_takes_no_tile_from_a_train() -> None:
    stray = tile(100.0, 100.0, 0.0, 5, 7)
    lying = [placed.seen for placed in unread_second({5: 0.6, 9: 0.3}).trains["Ann"]]
    layout = reconstruct(view([stray, *lying]), SETUP)
    assert layout.loose or layout.hands
    assert weighed(layout)[1] == "5-7?"


def weighed(layout: Layout, box: Mapping[Tile, int] = BOX, **said: tuple[Laid, ...]) -> list[tuple[int, int] | str]:
    """The values of Ann's tiles, with a question mark where they were not read and are given."""
    found: list[tuple[int, int] | str] = []
    for one in with_given_values(layout, 12, box, said).trains["Ann"]:
        assert one.laid is not None
        found.append(f"{one.laid.inner}-{one.laid.outer}?" if one.given else (one.laid.inner, one.laid.outer))
    return found


def test_an_unread_half_is_what_it_looks_like_until_the_belief_weighs_it() -> None:
    assert weighed(unread_second({6: 0.5, 5: 0.45})) == [(12, 5), "6-7?"]


def test_a_tile_that_is_not_in_the_box_any_more_is_not_believed() -> None:
    box = {**BOX, Tile(6, 7): 0}
    assert weighed(unread_second({6: 0.55, 5: 0.4499}), box)[1] == "5-7?"


def test_what_a_person_said_about_an_unread_tile_is_known() -> None:
    assert weighed(unread_second({6: 0.5, 8: 0.45}), Ann=(Laid(12, 5), Laid(8, 7)))[1] == "8-7?"


class Desk:
    """A session that finds fault with every tile that does not match 5, and remembers what it was told."""

    def __init__(self) -> None:
        self.position = None
        self.rules = load_ruleset("tactic")
        self.phase = "playing"
        self.observed: list[list[str]] = []
        self.asked: list[str] = []
        self.questions: list[Any] = []
        self.events: list[Any] = []
        self.candidates: Any = ()
        self.readings: Mapping[Play, Confidence] = {}
        self.clouded: object = None
        self.guessed: object = None

    def look(self, lying: object) -> None:
        """Whatever lies there, nobody looks at this view."""

    def accuses(self, change: TableChange) -> bool:
        return any(one.tile.inner != 5 for one in change.laid)

    def observe(self, change: TableChange) -> tuple[object, ...]:
        self.observed.append([print_change(one) for one in change.delta])
        self.clouded, self.guessed, self.readings = change.clouded, change.guessed, change.readings
        return ()

    def ask(self, reason: str, candidates: Any = (), frame: str | None = None) -> list[Any]:
        self.asked.append(reason)
        self.candidates = candidates
        self.questions.append(SimpleNamespace(seq=len(self.asked)))
        return self.questions[-1:]

    def is_open(self, seq: int | None) -> bool:
        return any(one.seq == seq for one in self.questions)

    def drop_question(self, seq: int) -> None:
        self.questions = [one for one in self.questions if one.seq != seq]


def observed(inner: SeenHalf) -> tuple[Observation, Layout, GameSink, Desk]:
    before = reconstruct(view(eastward([(12, 5)])), SETUP)
    new = replace(eastward([(12, 5), (8, 7)])[1], halves=(inner, SeenHalf(7, 0.999)))
    after = reconstruct(view([eastward([(12, 5)])[0], new]), SETUP, before)
    session = Desk()
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    return difference(before, after), after, GameSink(session, setup, BOX), session


def test_a_fault_with_a_likely_legal_runner_up_goes_on_record_as_it_was_read_and_the_belief_weighs_it() -> None:
    observation, layout, sink, session = observed(SeenHalf(8, 0.97, ((5, 0.02),)))
    assert sink.record(observation, layout, "f")
    assert session.observed == [["+8-7@Ann"]]
    assert session.readings == {Play(Laid(8, 7), "Ann"): Confidence((0.97, 0.999), (((5, 0.02),), ()), across=False)}
    assert session.questions == [] and session.guessed is False


def test_of_an_unread_half_its_value_is_as_sure_as_the_eye_has_it() -> None:
    """What is on record need not be what the eye thinks likeliest; what it has not listed is all as likely."""
    half = SeenHalf(None, 0.5, ((6, 0.5), (5, 0.3)))
    new = replace(eastward([(12, 5), (8, 7)])[1], halves=(half, SeenHalf(7, 0.999)))
    unread = reconstruct(view([eastward([(12, 5)])[0], new]), SETUP)
    odds = {6: 0.5, 5: 0.3, **{value: 0.2 / 11 for value in range(13) if value not in (5, 6)}}
    for value, p in ((5, 0.3), (6, 0.5), (9, 0.02)):
        guessed = reconstruct(view([eastward([(12, 5)])[0], unread.trains["Ann"][1].read_as(Laid(value, 7))]), SETUP)
        laying = Play(Laid(value, 7), "Ann")
        (reading,) = readings_of(Observation((laying,)), guessed, BOX).values()
        assert reading.p == pytest.approx((p, 0.999)) and reading.others[1] == ()
        assert dict(reading.others[0]) == pytest.approx({one: q for one, q in odds.items() if one != value}, abs=0.002)


@pytest.mark.parametrize(("p", "certain"), [(0.9968, False), (0.9995, True)])
def test_nobody_has_a_wrong_root_for_certain_by_a_half_that_is_not_read_beyond_doubt(
    p: float, certain: bool, tmp_path: Path
) -> None:
    """A twelve in two rows of six on a coarse picture was read as a six with .9968."""
    setup = setup_from_json({"rules": "reeves", "set": "double-12", "players": ["Ann", "Ben", "Cy"]})
    session = Game(Journal.create(tmp_path / "game.jsonl", setup.header), load_ruleset("reeves"))
    session.start_round(Laid(12, 12), "Ann")
    session.observe(TableChange((Play(Laid(12, 9), "Ann"),)))
    laying = Play(Laid(6, 7), "Ben")
    session.observe(TableChange((laying,), readings={laying: Confidence((p, 0.9999), (((8, 0.0012),), ()))}))
    play = state_of(session)["plays"][-1]
    assert Laid(*play["tile"]) == Laid(6, 7)
    assert [one["certain"] for one in play["violations"] if one["code"] == "WRONG_ROOT"] == [certain]
    session.close()


def test_a_fault_read_beyond_doubt_goes_on_record() -> None:
    observation, layout, sink, session = observed(SeenHalf(8, 0.9999, ((5, 0.00001),)))
    assert sink.record(observation, layout, "f1") is True
    assert session.observed == [["+8-7@Ann"]]
    assert session.asked == [] and session.guessed is False


def test_what_looks_like_a_fault_beside_something_not_understood_goes_on_record_at_once() -> None:
    """Clouded: the belief may find that something hid what happened, and nothing is certain."""
    _, _, sink, session = observed(SeenHalf(8, 0.9999))
    before = reconstruct(view([]), SETUP)
    loose = reconstruct(view([*eastward([(8, 7)]), tile(900.0, 250.0, 30.0, 3, 4)]), SETUP, before)
    doubtful = difference(before, loose)
    assert doubtful.doubts and sink.record(doubtful, loose, "f") is True
    assert session.observed == [["+8-7@Ann"]] and session.clouded is True
    assert session.asked == [], "the doubt may go with the next table"


def test_a_hand_being_laid_open_at_the_edge_is_not_asked_about_at_once() -> None:
    session = Desk()
    setup = setup_from_json(
        {
            "rules": "tactic",
            "set": "double-12",
            "players": ["Ann", "Ben"],
            "table": {"size_mm": [1200, 900]},
        }
    )
    sink = GameSink(session, setup, BOX)
    before = reconstruct(view([]), SETUP)
    for n, (place, looks) in enumerate((((900.0, 32.0), HAND_PATIENCE), ((900.0, 250.0), 0))):
        session.asked.clear()
        layout = reconstruct(view([]), SETUP, before)
        layout = replace(layout, problems=(Problem(Trouble.FORKED_TRAIN, place, (n,)),))
        doubtful = difference(before, layout)
        assert doubtful.doubts
        sink.ask(doubtful, layout, "f")
        for look in range(looks + 1):
            sink.understood(layout, f"f{look}")
            assert len(session.asked) == (look == looks)


def test_a_wall_that_is_not_understood_is_one_question(tmp_path: Path) -> None:
    """Every further tile of it shows another value than what lay there before."""
    setup = setup_from_json({"rules": "jielong", "set": "chinese", "players": ["Ann", "Ben", "Cy", "Dee"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    session.start_round(starter="Ann")
    sink = GameSink(session, setup, dict.fromkeys(double_set(6), 2))
    empty = Layout()
    for n, x in enumerate((570.0, 520.0, 470.0)):
        layout = Layout(problems=(Problem(Trouble.VALUE_CHANGED, (x, 340.0), (n,)),))
        sink.ask(difference(empty, layout), layout, f"{n}")
        sink.understood(layout, f"{n}a")
        sink.understood(layout, f"{n}b")
    assert [question.reason for question in session.questions] == ["VALUE_CHANGED at (570, 340) mm"]
    session.drop_question(session.questions[0].seq)
    layout = Layout(problems=(Problem(Trouble.VALUE_CHANGED, (420.0, 340.0), (9,)),))
    sink.ask(difference(empty, layout), layout, "9")
    sink.understood(layout, "9a")
    sink.understood(layout, "9b")
    assert [question.reason for question in session.questions] == ["VALUE_CHANGED at (420, 340) mm"]
    session.close()


def test_a_doubt_that_is_gone_with_the_next_table_is_nobodys_question() -> None:
    doubts = Doubts(patience=1)
    clear = reconstruct(view([]), SETUP)
    marker = Problem(Trouble.EITHER_MARKER, (300.0, 250.0))
    odd = replace(clear, problems=(Problem(Trouble.LOOSE_TILE, (900.0, 250.0), (7,)), marker))
    doubts.put_off(odd.problems, "f1")
    assert doubts.lasting(odd, "f1", lambda _: False) == []
    moved = replace(clear, problems=(replace(marker, where_mm=(304.0, 251.0)),))
    assert doubts.lasting(moved, "f2", lambda _: False) == [marker]
    assert doubts.lasting(odd, "f3", lambda _: False) == []
    doubts.put_off([marker], "f4")
    assert doubts.waiting == []


def test_of_photographs_nothing_is_put_off() -> None:
    doubts = Doubts(0)
    odd = replace(reconstruct(view([]), SETUP), problems=(Problem(Trouble.LOOSE_TILE, (900.0, 250.0), (7,)),))
    doubts.put_off(odd.problems, "f1")
    assert doubts.lasting(odd, "f1", lambda _: False) == list(odd.problems)


def test_the_setup_of_a_table_is_what_reconstruction_gets() -> None:
    assert isinstance(SETUP, TableSetup)


def test_the_engine_on_record_is_read_where_its_picture_is_not() -> None:
    table = view(eastward([(12, 3)]))
    unread = replace(table.tiles[0], halves=(SeenHalf(None, 0.6, ((12, 0.6), (10, 0.3))), SeenHalf(12, 0.95)))
    layout = reconstruct(replace(table, tiles=(unread, *table.tiles[1:])), SETUP)
    assert layout.engine is not None and layout.engine.laid is None
    engine = with_given_values(layout, 12, BOX, {}).engine
    assert engine is not None and engine.laid == Laid(12, 12)


def test_a_middle_that_is_read_as_another_tile_is_not_taken_for_the_engine() -> None:
    table = view(eastward([(12, 3)]))
    other = replace(table.tiles[0], halves=(SeenHalf(None, 0.6, ((12, 0.6),)), SeenHalf(5, 0.95)))
    layout = reconstruct(replace(table, tiles=(other, *table.tiles[1:])), SETUP)
    engine = with_given_values(layout, 12, BOX, {}).engine
    assert engine is not None and engine.laid is None


def test_a_marker_is_believed_when_sure_and_kept_when_less_so() -> None:
    memory = TableMemory()
    memory.see([], [SeenMarker((300.0, 300.0), 0.3)], EVERYWHERE, 24.0)
    assert memory.seen_markers() == []
    memory.see([], [SeenMarker((300.0, 300.0), 0.7)], EVERYWHERE, 24.0)
    for _ in range(4):
        memory.see([], [SeenMarker((303.0, 301.0), 0.25)], EVERYWHERE, 24.0)
    assert len(memory.seen_markers()) == 1
    assert not memory.missing_markers()


def test_a_marker_not_found_is_missing_and_leaves_only_when_dropped() -> None:
    memory = TableMemory()
    memory.see([], [SeenMarker((300.0, 300.0), 0.7)], EVERYWHERE, 24.0)
    memory.see([], [], EVERYWHERE, 24.0)
    assert memory.unsettled() and not memory.missing_markers()
    memory.see([], [], EVERYWHERE, 24.0)
    assert len(memory.seen_markers()) == 1
    memory.drop_markers(memory.missing_markers())
    assert memory.seen_markers() == []
