"""A family's own markers at the table: asked about once, known from then on, and found where no network finds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.app.own_set import OWN_MARKERS, keep_own_markers, own_markers
from companion.game.game import Game
from companion.geometry.layout import Point, SeenHalf, SeenMarker, SeenTile
from companion.log.event_fields import Question, QuestionKind
from companion.observing.unread import MarkerQuestions
from companion.perception.background import SmallPicture
from companion.perception.marker_evidence import OwnMarkersHere, StillLook, let_go
from companion.perception.projection import square_of
from companion.perception.tracks import Looked
from companion.rules.position import Draw, Mark, Play, Unmark
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.desk.test_belief_on_record import table as session_at
from tests.shown import state_of
from tests.table.test_marker_evidence import BUTTON, LAST, NEXT, RED, Watched, drawn
from tests.table.test_things import CALIBRATION

LENGTH = 48.0
GREEN = (60, 150, 40)


class Knowing(Watched):
    """The same by an eye that finds no marker, at a table where the family's own are known."""

    def __init__(self) -> None:
        super().__init__()
        self.own = OwnMarkersHere()

    def see(self, picture: NDArray[np.uint8], tiles: list[SeenTile], *said: tuple[Point, float]) -> None:
        self.memory.begin()
        place = StillLook(SmallPicture.of(picture, CALIBRATION), 24.0, self.things, self.bare)
        markers = [SeenMarker(where, score) for where, score in said]
        markers = self.own.recognised(markers, tiles, self.memory, Looked(), place, LENGTH)
        self.memory.see(tiles, markers, Looked(), 24.0)
        let_go(self.memory, place)
        known = [*self.memory.tiles(), *(square_of(one.seen, 24.0) for one in self.memory.markers)]
        self.things.keep(SmallPicture.of(picture, CALIBRATION), known)

    def learn(self, picture: NDArray[np.uint8], at: Point, *, theirs: bool = True) -> None:
        self.own.ask("Ann", at, StillLook(SmallPicture.of(picture, CALIBRATION), 24.0, self.things, self.bare), LENGTH)
        assert self.own.answered({"Ann": theirs, "Ben": True}, self.memory)
        assert not self.own.answered({"Ann": theirs}, self.memory), "heard once"


@pytest.fixture
def knowing() -> Knowing:
    """Ann has said of the red button beside the last tile that it is hers; then it was taken away."""
    one = Knowing()
    one.see(drawn(LAST), [LAST])
    with_it = drawn(LAST, things=((BUTTON, 9, RED),))
    one.see(with_it, [LAST])
    assert one.places == [], "nobody has found it"
    one.learn(with_it, BUTTON)
    assert one.places == [BUTTON] and one.own.knows("Ann") and not one.own.knows("Ben")
    one.memory.markers.clear()
    one.see(drawn(LAST), [LAST])
    return one


def test_it_is_found_with_its_tile_and_on_it_and_whose_it_is(knowing: Knowing) -> None:
    on_next = (437.0, 300.0)
    unread = replace(NEXT, halves=(SeenHalf(None, 0.2), SeenHalf(6, 0.99)))
    knowing.see(drawn(LAST, NEXT, things=((on_next, 9, RED),)), [LAST, unread])
    [seen] = knowing.memory.seen_markers()
    assert (seen.recognised, seen.known, seen.owner) == (True, True, "Ann")
    assert np.hypot(seen.center_mm[0] - on_next[0], seen.center_mm[1] - on_next[1]) < 3


def test_another_thing_and_one_far_from_the_trains_are_none(knowing: Knowing) -> None:
    for things in (((BUTTON, 9, GREEN),), (((800.0, 700.0), 9, RED),), ((BUTTON, 4, RED),)):
        knowing.see(drawn(LAST, things=things), [LAST])
        assert knowing.places == []
        knowing.see(drawn(LAST), [LAST])


def test_a_faint_find_that_looks_like_it_is_it(knowing: Knowing) -> None:
    knowing.see(drawn(LAST, things=((BUTTON, 9, RED),)), [LAST], (BUTTON, 0.2))
    assert [one.confidence for one in knowing.memory.seen_markers()] == [0.97]


def test_what_is_nobodys_marker_is_none_from_then_on() -> None:
    one = Knowing()
    one.see(drawn(LAST), [LAST])
    with_it = drawn(LAST, things=((BUTTON, 9, RED),))
    one.see(with_it, [LAST], (BUTTON, 0.7))
    assert one.places == [BUTTON]
    one.learn(with_it, BUTTON, theirs=False)
    assert one.places == [] and not one.own.own.looks
    one.see(with_it, [LAST], (BUTTON, 0.7))
    assert one.places == []


def test_what_was_learned_lasts_and_a_damaged_file_is_set_aside(knowing: Knowing, tmp_path: Path) -> None:
    assert not own_markers(tmp_path / "none").looks
    keep_own_markers(tmp_path / "data", knowing.own.own)
    assert [one.owner for one in own_markers(tmp_path / "data").looks] == ["Ann"]
    aside: list[Path] = []
    (tmp_path / OWN_MARKERS).write_text('{"version": 1, "markers": [{}]}', encoding="utf-8")
    assert not own_markers(tmp_path, aside.append).looks and len(aside) == 1


def test_what_cannot_be_told_from_its_ground_is_not_asked_about() -> None:
    one = Knowing()
    one.see(drawn(LAST), [LAST])
    place = StillLook(SmallPicture.of(drawn(LAST), CALIBRATION), 24.0, one.things, one.bare)
    asked = list[str]()
    one.own.ask("Ann", BUTTON, place, LENGTH, lambda: bool(asked.append("Ann")) or True)
    assert asked == [] and not one.own.answered({"Ann": True}, one.memory)
    place = StillLook(SmallPicture.of(drawn(LAST, things=((BUTTON, 9, RED),)), CALIBRATION), 24.0, one.things, one.bare)
    one.own.ask("Ann", BUTTON, place, LENGTH, lambda: bool(asked.append("Ann")))
    assert asked == ["Ann"] and not one.own.answered({"Ann": True}, one.memory), "it was asked before"


def asked(session: Game) -> list[Question]:
    return [one.question for one in session.questions]


def test_it_is_asked_once_a_game_and_one_at_a_time(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    questions = MarkerQuestions(session, lambda frame: f"{frame}.jpg")
    assert questions.ask("Ann", "f1") and not questions.ask("Ann", "f2") and not questions.ask("Ben", "f2")
    assert asked(session) == [Question(QuestionKind.MARKER, player="Ann")] and questions.answers() == {}
    session.answer(session.questions[0].seq, 0)
    assert questions.answers() == {"Ann": True} and questions.ask("Ben", "f3")
    session.answer(session.questions[0].seq, None)
    assert questions.answers() == {"Ann": True, "Ben": False}
    again = MarkerQuestions(session, lambda frame: None)
    assert not again.ask("Ann", "f4") and again.ask("Cy", "f4")
    session.close()


def test_what_is_none_goes_off_the_record(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    session.observe(table_change([Mark("Ann")]))
    assert session.position is not None and session.position.markers == {"Ann"}  # type: ignore[union-attr]
    questions = MarkerQuestions(session, lambda frame: None)
    questions.ask("Ann", "f1")
    session.answer(session.questions[0].seq, None)
    assert questions.answers() == {"Ann": False}
    assert session.position.markers == set() and questions.answers() == {"Ann": False}  # type: ignore[union-attr]
    session.close()


def test_no_takes_off_what_was_asked_about_and_nothing_else(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    questions = MarkerQuestions(session, lambda frame: None)
    session.observe(table_change([Play(Laid(12, 3), "Ann"), Mark("Ann")]))
    questions.ask("Ann", "f1")
    session.observe(table_change([Play(Laid(12, 4), "Ben"), Mark("Ben")]))
    [ann, _] = [event.seq for event in session.events if event.KIND == "marker_placed"]

    def seen() -> dict[int, str]:
        told = [play for play in state_of(session)["plays"] if play["event"] in ("tile_played", "marker_placed")]
        return {play["seq"]: play["event"] for play in told if play["seq"] != ann}

    before = seen()
    assert sorted(before.values()) == ["marker_placed", "tile_played", "tile_played"]
    session.answer(session.questions[0].seq, None)
    assert questions.answers() == {"Ann": False}
    assert session.position.markers == {"Ben"}  # type: ignore[union-attr]
    assert seen() == before
    session.close()


def test_a_marker_that_came_after_the_question_stays(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    questions = MarkerQuestions(session, lambda frame: None)
    questions.ask("Ann", "f1")
    session.observe(table_change([Draw(), Mark("Ann")]))
    session.answer(session.questions[0].seq, None)
    assert questions.answers() == {"Ann": False}
    assert session.position.markers == {"Ann"}  # type: ignore[union-attr]
    session.close()


@pytest.mark.parametrize(
    "settle",
    [
        lambda session: session.end_round("out", "Ben"),
        lambda session: session.mark("Ann", "Ann"),
        lambda session: session.observe(table_change([Unmark("Ann")])),
    ],
    ids=["the round is over", "a person has said so", "it was taken off"],
)
def test_a_question_that_is_settled_otherwise_goes(tmp_path: Path, settle: Callable[[Game], None]) -> None:
    session = session_at(tmp_path)
    session.observe(table_change([Mark("Ann")]))
    questions = MarkerQuestions(session, lambda frame: None)
    questions.ask("Ann", "f1")
    session.observe(table_change([Mark("Ben")]))
    assert questions.answers() == {} and len(asked(session)) == 1, "another's marker says nothing of hers"
    settle(session)
    before = session.position
    assert questions.answers() == {} and asked(session) == [], "nobody has said that it is none"
    assert session.position == before
    session.close()
