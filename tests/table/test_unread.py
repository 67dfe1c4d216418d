"""A tile that cannot be read: asked with what it may be, held against nobody, and answered by a tap or a later look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.seen_tables import SETUP, eastward, tile, view
from bench.stand_ins.sketch import KnowingEye, sketched
from companion.game.game import Game
from companion.geometry import reconstruct
from companion.geometry.diff import difference
from companion.geometry.layout import SeenHalf, SeenTile
from companion.observing.game_sink import GameSink
from companion.perception import Watcher
from companion.perception.setup_file import setup_from_json
from companion.perception.table_reader import box_of, first_calibration, known_set
from companion.perception.understanding import with_given_values
from companion.rules.position import Play
from companion.rules.tile import Laid, double_set
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.script import Troubles
from tests.shown import state_of
from vision.frame import Frame
from vision.reading import HalfReading
from vision.settle import Settler

pytestmark = pytest.mark.slow

SEED, RULES, SCENES = 3, "reeves", 4
SETTINGS = SimSettings(
    rules=RULES, most_scenes=SCENES, troubles=Troubles.none(), hand_frames=3, still_frames=7, show_hands=False
)


Play3 = tuple[str | None, Laid, str]
"""Player, tile and train."""


class HalfBlindEye(KnowingEye):
    """Reads everything but the outer half of one tile, which may be one more."""

    def __init__(self, camera: SimCamera) -> None:
        super().__init__(camera, unread=0.0, missed=0.0)
        self.blind: Laid | None = None

    def _read(self, quad: Any, lying: Any) -> Any:
        read = super()._read(quad, lying)
        if lying.laid != self.blind or read.halves is None:
            return read
        value = lying.laid.outer
        unread = HalfReading(None, 0.67, ((value, 0.67), (value + 1, 0.27)))
        halves = tuple(unread if half.value == value else half for half in read.halves)
        return replace(read, halves=halves)


class Evening:
    """A filmed game, its watcher and its session, and who laid what in truth."""

    def __init__(self, folder: Path) -> None:
        self.camera = sketched(SEED, SETTINGS)
        setup = self.camera.setup()
        setup = replace(setup, tile_mm=(*setup.tile_mm[:2], 0.001))
        self.session = Game.create(folder / "game.jsonl", setup.header)
        self.eye = HalfBlindEye(self.camera)
        known = known_set(setup)
        box = box_of(known)
        first = self.camera.read()
        assert first is not None
        self.watcher = Watcher(
            self.camera,
            self.eye,  # type: ignore[arg-type]
            Settler(),
            first_calibration(first, setup, self.eye),  # type: ignore[arg-type]
            setup.table_setup(),
            GameSink(self.session, setup, box),
            known=known,
        )
        self.watcher.see(first)

    def until_asked(self) -> Any:
        while not self.session.questions:
            assert self.watcher.step(), "the film ended and nothing was asked"
        return self.session.questions[0]

    def recorded(self) -> list[Play3]:
        plays = [play for play in state_of(self.session)["plays"] if play["event"] == "tile_played"]
        return [(play["by"], Laid(*play["tile"]), play["train"]) for play in plays]

    def accusations(self) -> list[Any]:
        return [play for play in state_of(self.session)["plays"] if play.get("violations")]


def filmed(camera: SimCamera) -> list[Play3]:
    turns = [turn for filmed in camera.truth for turn in filmed.scene.turns]
    return [(turn.player, act.tile, act.train) for turn in turns for act in turn.actions if isinstance(act, Play)]


def tell_the_same(recorded: list[Play3], truth: list[Play3]) -> bool:
    """Every tile in its place, and nobody named who did not lay it."""
    by = {(tile, train): player for player, tile, train in truth}
    return len(recorded) == len(truth) and all(
        (tile, train) in by and player in (None, by[tile, train]) for player, tile, train in recorded
    )


@pytest.fixture(scope="module")
def truth() -> list[Play3]:
    """Every play of the film."""
    camera = sketched(SEED, SETTINGS)
    while camera.read() is not None:
        pass
    return filmed(camera)


@pytest.fixture
def evening(tmp_path: Path, truth: list[Play3]) -> Evening:
    """The same film, seen by an eye that cannot read the second tile."""
    evening = Evening(tmp_path)
    evening.eye.blind = truth[1][1]
    return evening


def test_an_unread_tile_is_on_record_at_once_and_asked_with_its_likely_values(
    evening: Evening, truth: list[Play3]
) -> None:
    question = evening.until_asked()
    player, laid, train = truth[1]
    assert question.reason == f"unreadable_tile: {train}"
    assert [one.story for one in question.candidates] == [
        f"{laid.inner}-{laid.outer}",
        f"{laid.inner}-{laid.outer + 1}",
    ]
    assert evening.recorded()[1] == (player, laid, train)
    assert evening.accusations() == []


def test_the_tile_laid_behind_tells_what_an_unread_one_is(evening: Evening, truth: list[Play3]) -> None:
    _, laid, train = truth[1]
    assert any(tile.inner == laid.outer and where == train for _, tile, where in truth[2:])
    evening.watcher.run()
    assert evening.session.questions == ()
    assert evening.accusations() == []
    assert tell_the_same(evening.recorded(), truth)


def test_nothing_waits_for_an_answer(evening: Evening, truth: list[Play3]) -> None:
    while len(filmed(evening.camera)) < 3:
        assert evening.watcher.step()
    assert len(evening.recorded()) == 3 and len(evening.session.questions) == 1
    for n in range(8):
        evening.watcher.see(Frame(evening.camera.film.frame(), 0.0, f"still {n}"))
    assert tell_the_same(evening.recorded(), truth[:3])
    evening.session.answer(evening.session.questions[0].seq, 0)
    assert tell_the_same(evening.recorded(), truth[:3])
    assert evening.accusations() == []
    assert evening.session.questions == ()


def test_another_tile_that_somebody_names_takes_its_place(evening: Evening, truth: list[Play3]) -> None:
    question = evening.until_asked()
    player, laid, train = truth[1]
    evening.session.answer(question.seq, 1)
    assert evening.recorded()[1] == (player, Laid(laid.inner, laid.outer + 1), train)
    evening.session.undo()
    assert evening.recorded()[1] == (player, laid, train)
    assert [one.seq for one in evening.session.questions] == [question.seq]


def test_none_of_these_is_not_asked_again(evening: Evening) -> None:
    question = evening.until_asked()
    evening.session.answer(question.seq, None)
    evening.watcher.run()
    assert evening.session.questions == () and evening.accusations() == []


def test_a_tile_that_is_read_later_takes_its_question_along(evening: Evening, truth: list[Play3]) -> None:
    evening.until_asked()
    evening.eye.blind = None
    evening.watcher.run()
    assert state_of(evening.session)["questions"] == []
    assert tell_the_same(evening.recorded(), truth)
    assert evening.accusations() == []


WEST, SOUTH = tile(515.0, 450.0, 180.0, 12, 7), tile(600.0, 535.0, 90.0, 12, 4)
UNREAD = (SeenHalf(5, 0.99), SeenHalf(None, 0.67, ((9, 0.67), (10, 0.27))))


class Table:
    """Ann 12-5, Ben 12-7, then Ann lays 5-9, which cannot be read, and Ben 12-4 on the Mexican train. `behind`: what
    else comes with 5-9, `beside`: what Ben lays."""

    def __init__(
        self,
        folder: Path,
        halves: tuple[SeenHalf, SeenHalf] = UNREAD,
        behind: Sequence[SeenTile] = (),
        beside: Sequence[SeenTile] = (SOUTH,),
    ) -> None:
        self.setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
        self.box = dict.fromkeys(double_set(12), 1)
        session = Game.create(folder / "game.jsonl", self.setup.header)
        session.start_round((12, 12), "Ann", draws_seen=False)
        self.watched_anew(session)
        first, second = eastward([(12, 5), (5, 9)])
        self.show([first])
        self.show([first, WEST])
        unread = replace(second, halves=halves)
        self.show([first, WEST, unread, *behind])
        self.lying = [first, WEST, unread, *behind, *beside]
        if beside:
            self.show(self.lying)

    def watched_anew(self, session: Game) -> None:
        """As after a restart: nothing is known but what is on record."""
        self.session = session
        self.sink = GameSink(session, self.setup, self.box)
        self.layout = reconstruct(view([]), SETUP)

    def show(self, tiles: list[SeenTile]) -> None:
        layout = reconstruct(view(tiles), SETUP, self.layout)
        known = self.sink.recorded()
        layout = with_given_values(layout, 12, self.box, known)
        observation = self.sink.still_new(difference(self.layout, layout), layout)
        taken = observation.empty or self.sink.record(observation, layout, "")
        self.sink.understood(layout, "")
        self.layout = layout if taken else self.layout

    def plays(self, faultless: bool = True) -> list[tuple[str | None, str]]:
        plays = [play for play in state_of(self.session)["plays"] if play["event"] == "tile_played"]
        assert not (faultless and any(play["violations"] for play in plays))
        return [(play["by"], "{}-{}@".format(*play["tile"]) + play["train"]) for play in plays]


FIRST = [("Ann", "12-5@Ann"), ("Ben", "12-7@Ben")]


def test_what_is_laid_after_an_unread_tile_goes_on_record_with_its_player(tmp_path: Path) -> None:
    table = Table(tmp_path)
    # 12-4 would be legal for Ann, who would be to move if her own tile were not on record.
    assert table.plays() == [*FIRST, ("Ann", "5-9@Ann"), ("Ben", "12-4@MX")]
    (question,) = table.session.questions
    guess = next(play for play in state_of(table.session)["plays"] if play.get("tile") == [5, 9])
    assert guess["reading"]["p"][1] == 0.67
    assert [line["seq"] for one in question.candidates for line in one.events] == [guess["seq"]] * 2


def test_the_next_tile_tells_which_it_was_and_nothing_beside_it_is_certain(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.show([*table.lying, eastward([(12, 5), (5, 9), (10, 3)])[2]])
    assert table.plays() == [*FIRST, ("Ann", "5-10@Ann"), ("Ben", "12-4@MX"), ("Ann", "10-3@Ann")]
    table.show([*table.lying, eastward([(12, 5), (5, 9), (10, 3)])[2]])
    assert table.session.questions == (), "the table has told"


def test_a_tile_that_nothing_can_make_fit_is_held_against_nobody_for_certain(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.show([*table.lying, eastward([(12, 5), (5, 9), (2, 3)])[2]])
    last = state_of(table.session)["plays"][-1]
    assert last["tile"] == [2, 3] and not any(one["certain"] for one in last["violations"])


def test_a_tile_that_is_read_later_is_what_is_read_then(tmp_path: Path) -> None:
    table = Table(tmp_path)
    first, second = eastward([(12, 5), (5, 10)])
    for _ in range(2):
        table.show([first, WEST, second, SOUTH])
        assert table.plays() == [*FIRST, ("Ann", "5-10@Ann"), ("Ben", "12-4@MX")]
        (late,) = [play for play in state_of(table.session)["plays"] if play.get("tile") == [5, 10]]
        assert late["reading"]["p"] == [0.99, 0.99] and table.session.questions == ()
    table.session.close()
    table.session = Game.open(tmp_path / "game.jsonl")
    assert table.plays() == [*FIRST, ("Ann", "5-10@Ann"), ("Ben", "12-4@MX")]
    table.session.close()


def test_what_is_read_of_one_tile_says_nothing_of_another(tmp_path: Path) -> None:
    """Somebody takes 12-5 off the record, though it lies there: 5-9 is first on record then."""
    table = Table(tmp_path)
    first = next(play["seq"] for play in state_of(table.session)["plays"] if play.get("tile") == [12, 5])
    table.session.correct(first, {"withdrawn": True})
    table.show(table.lying)
    (unread,) = [play for play in state_of(table.session)["plays"] if play.get("tile") == [5, 9]]
    assert unread["reading"]["p"] == [0.99, 0.67]


def test_a_tile_that_is_read_later_proves_what_it_shows(tmp_path: Path) -> None:
    """A likely 5-9 turns out to be a sure 6-10, which does not meet the 12-5."""
    halves = (SeenHalf(None, 0.6, ((5, 0.6), (6, 0.4))), SeenHalf(None, 0.6, ((9, 0.6), (10, 0.4))))
    table = Table(tmp_path, halves=halves)
    first, second = eastward([(12, 5), (6, 10)])
    sure = replace(second, halves=(SeenHalf(6, 0.9995), SeenHalf(10, 0.9995)))
    table.show([first, WEST, sure, SOUTH])
    table.show([first, WEST, sure, SOUTH, tile(465.0, 450.0, 180.0, 7, 2)])
    plays = [play for play in state_of(table.session)["plays"] if play["event"] == "tile_played"]
    assert [play["tile"] for play in plays] == [[12, 5], [12, 7], [6, 10], [12, 4], [7, 2]]
    assert "MISMATCH" in [one["code"] for one in plays[2]["violations"]]


def test_a_tile_read_unsurely_that_does_not_meet_the_one_before_it_is_asked_about_and_holds_nothing_up(
    tmp_path: Path,
) -> None:
    """An 8 that may be a 5: as 5-9 it fits. Whatever comes next goes on record, and a surer look is believed."""
    table = Table(tmp_path, halves=(SeenHalf(8, 0.97, ((5, 0.02),)), SeenHalf(9, 0.999)))
    (question,) = table.session.questions
    assert question.reason == "unreadable_tile: Ann"
    assert [one.story for one in question.candidates] == ["5-9", "8-9"]
    plays = table.plays(faultless=False)
    assert [told for _, told in plays] == ["12-5@Ann", "12-7@Ben", "5-9@Ann", "12-4@MX"]
    found = [one for play in state_of(table.session)["plays"] for one in play.get("violations", ())]
    assert not any(one["certain"] for one in found)
    table.session.answer(question.seq, 1)
    assert ("Ann", "8-9@Ann") in table.plays(faultless=False)
    table.session.undo()
    first, second = eastward([(12, 5), (5, 9)])
    sure = replace(second, halves=(SeenHalf(8, 0.9995), SeenHalf(9, 0.9995)))
    table.show([first, WEST, sure, SOUTH])
    assert table.session.questions == () and "8-9@Ann" in [told for _, told in table.plays(faultless=False)]


@pytest.mark.parametrize(("value", "asked"), [(9, 0), (10, 1)])
def test_what_the_table_tells_is_not_asked(tmp_path: Path, value: int, asked: int) -> None:
    """5-9 is the likeliest, and 9-3 lies on it: then it is that at once. 5-10 stays as likely if 9-5 lies elsewhere."""
    halves = (SeenHalf(5, 0.99), SeenHalf(None, 0.75, ((value, 0.75), (9 if value == 10 else 10, 0.25))))
    behind = [eastward([(12, 5), (5, 9), (9, 3)])[2]]
    table = Table(tmp_path, halves=halves, behind=behind if value == 9 else ())
    assert f"5-{value}@Ann" in {told for _, told in table.plays(faultless=False)}
    assert [one.reason for one in table.session.questions].count("unreadable_tile: Ann") == asked


def test_unread_tiles_that_lie_behind_each_other_go_on_record_together(tmp_path: Path) -> None:
    """A glare over a long first train."""
    third = eastward([(12, 5), (5, 9), (9, 3)])[2]
    glare = SeenHalf(None, 0.6, ((9, 0.6), (10, 0.2)))
    table = Table(tmp_path, behind=[replace(third, halves=(glare, SeenHalf(3, 0.99)))])
    told = {told for _, told in table.plays(faultless=False)}
    assert told == {"12-5@Ann", "12-7@Ben", "5-9@Ann", "9-3@Ann", "12-4@MX"}


FAINT = (SeenHalf(5, 0.99), SeenHalf(None, 0.1, tuple((value, 0.1) for value in range(10))))
"""Nobody can guess what it is."""


def test_a_tile_of_which_nobody_has_an_idea_is_on_record_too(tmp_path: Path) -> None:
    table = Table(tmp_path, halves=FAINT)
    (question,) = table.session.questions
    assert question.reason == "unreadable_tile: Ann" and len(question.candidates) == 6
    (guess,) = [play for play in state_of(table.session)["plays"] if play.get("train") == "Ann"][1:]
    assert guess["by"] == "Ann" and guess["tile"][0] == 5 and guess["reading"]["p"][1] == 0.1
    assert table.plays()[-1] == ("Ben", "12-4@MX")
    table.show([*table.lying, eastward([(12, 5), (5, 9), (9, 3)])[2]])
    assert table.session.questions == (), "the table has told"
    told = [told for _, told in table.plays()]
    assert told == ["12-5@Ann", "12-7@Ben", "5-9@Ann", "12-4@MX", "9-3@Ann"]


@pytest.mark.parametrize("value", [7, 10])
def test_a_half_that_something_covers_is_what_the_next_tile_makes_of_it(tmp_path: Path, value: int) -> None:
    """A toy stands on it: until a tile lies on it, it may be anything that the box has."""
    table = Table(tmp_path, halves=(SeenHalf(5, 0.99), SeenHalf(None, 0.0)))
    (question,) = table.session.questions
    assert question.reason == "unreadable_tile: Ann" and len(question.candidates) == 6
    covered = state_of(table.session)["trains"][0]["tiles"][1]
    assert covered["unread"] == [False, True] and covered["sure"] < 0.2
    table.show([*table.lying, eastward([(12, 5), (5, 9), (value, 3)])[2]])
    told = state_of(table.session)["trains"][0]["tiles"][1]
    assert told["tile"] == [5, value] and "unread" not in told and told["sure"] > 0.95
    (play,) = [play for play in state_of(table.session)["plays"] if play.get("tile") == [5, value]]
    assert play["unread"] == [False, False] and not play["violations"]
    table.show([*table.lying, eastward([(12, 5), (5, 9), (value, 3)])[2]])
    assert table.session.questions == ()


def test_another_tile_than_is_offered_is_put_in_its_place(tmp_path: Path) -> None:
    table = Table(tmp_path)
    (question,) = table.session.questions
    table.session.answer(question.seq, None, tile=Laid(5, 11))
    assert {told for _, told in table.plays()} == {"12-5@Ann", "12-7@Ben", "5-11@Ann", "12-4@MX"}
    assert table.session.questions == ()
    table.show(table.lying)
    assert table.session.questions == () and ("Ann", "5-11@Ann") in table.plays()


def test_after_a_restart_the_same_question_stays(tmp_path: Path) -> None:
    table = Table(tmp_path)
    (question,) = table.session.questions
    table.session.close()
    again = Game.open(tmp_path / "game.jsonl")
    table.watched_anew(again)
    table.show(table.lying)
    assert [one.seq for one in again.questions] == [question.seq] and table.plays()[2] == ("Ann", "5-9@Ann")
    again.close()


def test_what_may_be_no_tile_and_shows_nothing_is_on_record_as_none() -> None:
    """A shadow at the end of a train is no play."""
    first, second = eastward([(12, 5), (5, 9)])
    box = dict.fromkeys(double_set(12), 1)
    for halves, confidence, given in ((FAINT, 0.6, False), (FAINT, 0.9, True), (UNREAD, 0.6, True)):
        tiles = [first, replace(second, halves=halves, confidence=confidence)]
        layout = reconstruct(view(tiles), SETUP)
        assert (with_given_values(layout, 12, box, {}).trains["Ann"][1].laid is not None) == given


def test_each_tile_of_the_set_lies_there_once() -> None:
    """The tile on record for one unread tile cannot be another one, too."""
    first, second, south = *eastward([(12, 5), (5, 9)]), tile(600.0, 535.0, 90.0, 12, 9)
    odds = SeenHalf(None, 0.6, ((9, 0.6), (10, 0.3)))
    tiles = [first, replace(second, halves=(SeenHalf(5, 0.99), odds)), replace(south, halves=(odds, SeenHalf(5, 0.99)))]
    box = dict.fromkeys(double_set(12), 1)
    layout = reconstruct(view(tiles), SETUP)
    guessed = with_given_values(layout, 12, box, {}).trains
    assert (guessed["Ann"][1].laid, guessed["MX"][0].laid) == (Laid(5, 9), Laid(10, 5))
    on_record = {"Ann": [Laid(12, 5), Laid(5, 10)]}
    guessed = with_given_values(layout, 12, box, on_record).trains
    assert (guessed["Ann"][1].laid, guessed["MX"][0].laid) == (Laid(5, 10), Laid(9, 5))
