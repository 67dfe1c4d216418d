"""A tile that cannot be read: asked with what it may be, held against nobody, and answered by a tap or a later look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.game.session import Session
from companion.geometry import reconstruct
from companion.geometry.diff import difference
from companion.geometry.layout import SeenHalf, SeenTile
from companion.observing.game_sink import GameSink
from companion.perception import Watcher
from companion.perception.table_reader import box_of, first_calibration, known_set
from companion.perception.understanding import weigh_unread
from companion.play.setup_file import setup_from_json
from companion.rules.position import Play
from companion.rules.tile import Laid, Tile, double_set
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.script import Troubles
from tests.shown import state_of
from tests.table.sketch import KnowingEye, sketched
from tests.table.tables import SETUP, eastward, tile, view
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
        self.session = Session.create(folder / "game.jsonl", setup.header)
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
    """What the film shows: every play of it."""
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


def test_an_unread_tile_is_asked_with_its_likely_values_and_accuses_nobody(
    evening: Evening, truth: list[Play3]
) -> None:
    question = evening.until_asked()
    player, laid, train = truth[1]
    assert question.reason == f"unreadable_tile: {train}"
    assert [one.story for one in question.candidates] == [
        f"{laid.inner}-{laid.outer}",
        f"{laid.inner}-{laid.outer + 1}",
    ]
    assert question.candidates[0].events[-1]["by"] == player
    assert evening.accusations() == []
    assert len(evening.recorded()) < len(truth)


def test_the_tile_laid_behind_tells_what_an_unread_one_is(evening: Evening, truth: list[Play3]) -> None:
    _, laid, train = truth[1]
    assert any(tile.inner == laid.outer and where == train for _, tile, where in truth[2:])
    evening.watcher.run()
    assert evening.session.questions == ()
    assert evening.accusations() == []
    assert tell_the_same(evening.recorded(), truth)


def test_a_tap_lets_the_held_plays_through_as_legal(evening: Evening, truth: list[Play3]) -> None:
    while len(filmed(evening.camera)) < 3:
        assert evening.watcher.step()
    assert len(evening.recorded()) == 1
    evening.session.answer(evening.session.questions[0].seq, 0)
    # Nobody moves: the answer alone makes the watcher look again.
    for n in range(8):
        evening.watcher.see(Frame(evening.camera.film.frame(), 0.0, f"still {n}"))
    assert tell_the_same(evening.recorded(), truth[:3])
    assert evening.accusations() == []
    assert evening.session.questions == ()


def test_what_a_person_puts_in_by_hand_closes_the_question(evening: Evening, truth: list[Play3]) -> None:
    evening.until_asked()
    player, laid, train = truth[1]
    evening.session.play(laid, train, by=player)
    evening.watcher.run()
    assert tell_the_same(evening.recorded(), truth)
    assert evening.session.questions == () and evening.accusations() == []


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
        patience: int = 8,
        halves: tuple[SeenHalf, SeenHalf] = UNREAD,
        behind: Sequence[SeenTile] = (),
        beside: Sequence[SeenTile] = (SOUTH,),
    ) -> None:
        self.setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
        self.box = dict.fromkeys(double_set(12), 1)
        session = Session.create(folder / "game.jsonl", self.setup.header)
        session.start_round((12, 12), "Ann", draws_seen=False)
        self.watched_anew(session)
        self.sink.unread.patience = patience
        first, second = eastward([(12, 5), (5, 9)])
        self.show([first])
        self.show([first, WEST])
        unread = replace(second, halves=halves)
        self.show([first, WEST, unread, *behind])
        self.lying = [first, WEST, unread, *behind, *beside]
        if beside:
            self.show(self.lying)

    def watched_anew(self, session: Session) -> None:
        """As after a restart: nothing is known but what is on record."""
        self.session = session
        self.sink = GameSink(session, self.setup, self.box)
        self.layout = reconstruct(view([]), SETUP)

    def show(self, tiles: list[SeenTile]) -> None:
        layout = reconstruct(view(tiles), SETUP, self.layout)
        known, guessed = self.sink.recorded(), self.sink.guessed()
        weighed = weigh_unread(layout, tiles, 12, self.box, known, guessed)
        layout = reconstruct(view(weighed), SETUP, self.layout)
        observation = self.sink.still_new(difference(self.layout, layout), layout)
        taken = observation.empty or self.sink.record(observation, layout, "")
        self.sink.understood(layout, "")
        self.layout = layout if taken else self.layout

    def plays(self) -> list[tuple[str | None, str]]:
        plays = [play for play in state_of(self.session)["plays"] if play["event"] == "tile_played"]
        assert not any(play["violations"] for play in plays)
        return [(play["by"], "{}-{}@".format(*play["tile"]) + play["train"]) for play in plays]


FIRST = [("Ann", "12-5@Ann"), ("Ben", "12-7@Ben")]


def test_what_is_laid_after_an_unread_tile_waits_and_keeps_its_player(tmp_path: Path) -> None:
    table = Table(tmp_path)
    # 12-4 would be legal for Ann, who is to move as long as her own tile is unread.
    assert table.plays() == FIRST
    (question,) = table.session.questions
    table.session.answer(question.seq, 0)
    table.show([*eastward([(12, 5), (5, 9)]), WEST, SOUTH])
    assert table.plays() == [*FIRST, ("Ann", "5-9@Ann"), ("Ben", "12-4@MX")]


def test_a_tile_that_nobody_names_is_guessed_and_nothing_beside_it_is_certain(tmp_path: Path) -> None:
    table = Table(tmp_path, patience=0)
    assert table.session.questions == () and table.plays() == FIRST
    assert table.sink.stirred(), "the table is to be read again"
    table.show(table.lying)
    assert table.plays() == [*FIRST, ("Ann", "5-9@Ann"), ("Ben", "12-4@MX")]
    guess = next(play for play in state_of(table.session)["plays"] if play.get("tile") == [5, 9])
    assert guess["reading"]["p"][1] == 0.67
    table.show([*table.lying, eastward([(12, 5), (5, 9), (10, 3)])[2]])
    last = state_of(table.session)["plays"][-1]
    assert last["tile"] == [10, 3]
    assert not last["violations"], "that the guess was wrong is likelier than a broken rule"


def test_unread_tiles_that_lie_behind_each_other_are_guessed_together(tmp_path: Path) -> None:
    """A glare over a long first train: what nobody could read waited for one tile after the other, and all for it. A
    tile that came later, unread as well, has its own time to be named."""
    third, late = eastward([(12, 5), (5, 9), (9, 3), (3, 1)])[2:]
    glare = SeenHalf(None, 0.6, ((9, 0.6), (10, 0.2)))
    table = Table(tmp_path, patience=2, behind=[replace(third, halves=(glare, SeenHalf(3, 0.99)))])
    table.show(table.lying)
    assert table.sink.guessed() == {}
    hidden = replace(late, halves=(SeenHalf(3, 0.99), SeenHalf(None, 0.6, ((1, 0.6), (2, 0.2)))))
    table.show([*table.lying, hidden])
    assert {place: laid.tile for place, laid in table.sink.guessed().items()} == {
        ("Ann", 1): Tile(5, 9),
        ("Ann", 2): Tile(3, 9),
    }


def test_where_no_change_can_be_recorded_unread_tiles_wait_no_longer_than_elsewhere(tmp_path: Path) -> None:
    """A whole table in a glare: every tile that came lay beyond an unread one, so nothing was recorded, no change was
    counted, and the table stood still until somebody answered."""
    glare = SeenHalf(None, 0.6, ((9, 0.6), (10, 0.2)))
    first, second, third, fourth = eastward([(12, 5), (5, 9), (9, 3), (3, 1)])
    unread = replace(second, halves=UNREAD)
    behind = replace(third, halves=(glare, SeenHalf(3, 0.99)))
    west = replace(tile(465.0, 450.0, 180.0, 7, 2), halves=(SeenHalf(7, 0.99), SeenHalf(None, 0.6, ((2, 0.6),))))
    table = Table(tmp_path, patience=2, beside=())
    for more in ((west,), (west, behind), (west, behind, fourth)):
        assert table.sink.guessed() == {} and table.plays() == FIRST
        table.show([first, WEST, unread, *more])
    assert set(table.sink.guessed()) >= {("Ann", 1), ("Ben", 1)}
    assert table.sink.stirred(), "the table is to be read again"


FAINT = (SeenHalf(5, 0.99), SeenHalf(None, 0.1, tuple((value, 0.1) for value in range(10))))
"""Nobody can guess what it is."""


def test_without_an_idea_of_the_unread_tile_the_game_goes_on_and_the_question_stays(tmp_path: Path) -> None:
    table = Table(tmp_path, patience=0, halves=FAINT)
    assert [question.reason for question in table.session.questions] == ["unreadable_tile: Ann"]
    assert not table.sink.stirred()
    assert len(table.plays()) == 3
    assert table.plays()[-1] == (None, "12-4@MX"), "it is Ben's, and passed for Ann's while hers was not on record"


def gone_on(folder: Path) -> Table:
    """Ann's 5-9 was never read, and the game has gone on without it: 12-4 and 4-1 on the Mexican train."""
    table = Table(folder, patience=0, halves=FAINT)
    table.lying.append(tile(600.0, 584.0, 90.0, 4, 1))
    table.show(table.lying)
    assert [told for _, told in table.plays()] == ["12-5@Ann", "12-7@Ben", "12-4@MX", "4-1@MX"]
    return table


LATER = {"12-5@Ann", "12-7@Ben", "12-4@MX", "4-1@MX"}


def test_a_question_that_is_answered_when_the_game_has_gone_on_puts_its_tile_on_record(tmp_path: Path) -> None:
    for choice in range(6):
        folder = tmp_path / str(choice)
        folder.mkdir()
        table = gone_on(folder)
        (question,) = table.session.questions
        text = question.candidates[choice].story
        table.session.answer(question.seq, choice)
        table.show(table.lying)
        assert {told for _, told in table.plays()} == {*LATER, f"{text}@Ann"}
        assert table.session.questions == ()
        table.show([*table.lying, tile(600.0, 633.0, 90.0, 1, 2)])
        assert {told for _, told in table.plays()} == {*LATER, f"{text}@Ann", "1-2@MX"}


@pytest.mark.parametrize(("named", "beyond"), [((5, 9), (9, 3)), ((5, 11), (11, 3)), ((8, 11), (11, 3))])
def test_another_tile_that_somebody_enters_late_accuses_nobody(
    tmp_path: Path, named: tuple[int, int], beyond: tuple[int, int]
) -> None:
    """Nor does one that cannot lie there: it is likelier to have been named wrongly. What lies beyond it follows."""
    table = gone_on(tmp_path)
    (question,) = table.session.questions
    line = {"event": "tile_played", "source": "person", "by": None, "tile": list(named), "train": "Ann"}
    table.session.correct(question.seq, {"answer": None, "insert": [line], "after": True})
    table.lying.append(tile(465.0, 450.0, 180.0, 7, 2))
    table.show(table.lying)
    on = eastward([(12, 5), (5, 9), (9, 3)])[2]
    table.show([*table.lying, replace(on, halves=tuple(SeenHalf(value, 0.99) for value in beyond))])
    plays = [play for play in state_of(table.session)["plays"] if play["event"] == "tile_played"]
    told = {"{}-{}@".format(*play["tile"]) + play["train"] for play in plays}
    assert told == {*LATER, "7-2@Ben", "{}-{}@Ann".format(*named), "{}-{}@Ann".format(*beyond)}
    assert [finding for play in plays for finding in play["violations"]] == []


def test_a_tile_that_is_read_when_the_game_has_gone_on_takes_its_question_along(tmp_path: Path) -> None:
    table = gone_on(tmp_path)
    first, second = eastward([(12, 5), (5, 9)])
    table.show([first, WEST, second, *table.lying[3:]])
    assert {told for _, told in table.plays()} == {*LATER, "5-9@Ann"}
    assert table.session.questions == () and not table.sink.unread.off_the_record(table.layout)


def test_none_of_these_leaves_open_whose_turn_it_is(tmp_path: Path) -> None:
    """12-4 is Ben's, and would be taken for Ann's while hers is not on record."""
    table = Table(tmp_path, beside=())
    table.session.answer(table.session.questions[0].seq, None)
    table.show([*table.lying, SOUTH])
    assert table.plays() == [*FIRST, (None, "12-4@MX")]


def test_a_half_under_a_coin_is_not_what_its_neighbours_ask_for() -> None:
    """Nothing was seen of it: that it would fit is no reading, however few other tiles are left."""
    first, covered, last = eastward([(12, 5), (5, 9), (9, 3)])
    box = dict.fromkeys((Tile(12, 5), Tile(5, 9), Tile(9, 3), Tile(5, 1)), 1)
    for half, held in ((SeenHalf(None, 0.0), None), (SeenHalf(None, 0.1, ((9, 0.1),)), (5, 9))):
        tiles = [first, replace(covered, halves=(SeenHalf(5, 0.99), half)), last]
        layout = reconstruct(view(tiles), SETUP)
        weighed = weigh_unread(layout, tiles, 12, box, {})
        assert weighed[1].values == held
