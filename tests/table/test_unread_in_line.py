"""A tile of a Chinese line that cannot be read, perhaps never, as others will lie on it: on record, and asked about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.seen_tables import tile
from companion.game.game import Game
from companion.geometry import Layout, reconstruct
from companion.geometry.chinese_line import as_recorded
from companion.geometry.diff import difference
from companion.geometry.layout import Family, SeenHalf, SeenTile, TableSetup, TableView
from companion.observing.game_sink import GameSink
from companion.perception.setup_file import setup_from_json
from companion.perception.understanding import understood
from companion.rules.tile import Laid, chinese_set
from tests.shown import state_of

PLAYERS = ("Ann", "Ben", "Cy", "Dee")
SETUP = TableSetup(
    family=Family.CHINESE,
    players=PLAYERS,
    stations={"Ann": 90.0, "Ben": 0.0, "Cy": -90.0, "Dee": 180.0},
    set_max=None,
)
ROW = [(6, 6), (6, 4), (4, 4), (4, 1), (1, 5), (5, 4), (4, 6)]
UNSURE = SeenHalf(None, 0.67, ((1, 0.67), (2, 0.33)))


def placed(n: int, left: int, right: int) -> SeenTile:
    return tile(300.0 + n * 49.0, 400.0, 0.0, left, right)


def half_read(n: int, left: int) -> SeenTile:
    return replace(placed(n, left, left), halves=(SeenHalf(left, 0.99), UNSURE))


class Line:
    """A game of Che Deng that a camera watches, one still table a change."""

    def __init__(self, folder: Path) -> None:
        header = {"rules": "chedeng", "set": "chinese", "players": list(PLAYERS)}
        setup = setup_from_json(header)
        self.session = Game.create(folder / "game.jsonl", setup.header)
        self.session.start_round(None, "Ann", draws_seen=True)
        self.box = chinese_set()
        self.sink = GameSink(self.session, setup, self.box)
        self.layout: Layout = reconstruct(TableView((), size_mm=(1000.0, 800.0)), SETUP)
        self.frames = 0

    def show(self, *tiles: SeenTile) -> None:
        view = TableView(tiles, size_mm=(1000.0, 800.0))
        before: Layout | None = self.layout if self.layout.line else None
        layout = understood(view, SETUP, self.sink, self.box, before, None)
        observation = self.sink.still_new(difference(self.layout, layout), layout)
        self.frames += 1
        name = f"frame-{self.frames}"
        recorded = self.sink.record(observation, layout, name)
        self.sink.understood(layout, name)
        if recorded:
            self.layout = layout

    @property
    def laid(self) -> list[tuple[int, int]]:
        plays = state_of(self.session)["plays"]
        return [tuple(play["tile"]) for play in plays if play["event"] == "tile_played"]

    @property
    def accusations(self) -> list[str]:
        plays = state_of(self.session)["plays"]
        return [finding["code"] for play in plays for finding in play.get("violations", ())]


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path)


def laid_in_a_row(line: Line, values: list[tuple[int, int]]) -> list[SeenTile]:
    row = [placed(n, *two) for n, two in enumerate(values)]
    for n in range(len(row)):
        line.show(*row[: n + 1])
    return row


def test_an_unread_tile_of_a_line_is_on_record_and_asked_about(line: Line) -> None:
    row = laid_in_a_row(line, ROW[:3])
    line.show(*row, half_read(3, 4))
    (question,) = line.session.questions
    assert question.reason == "unreadable_tile: R"
    assert [one.story for one in question.candidates] == ["4-1", "4-2"]
    assert line.laid == [*ROW[:3], (4, 1)]
    line.session.answer(question.seq, 1)
    assert line.laid == [*ROW[:3], (4, 2)]
    line.show(*row, half_read(3, 4), placed(4, 2, 5))
    assert line.laid == [*ROW[:3], (4, 2), (2, 5)] and not line.session.questions


def test_the_next_tile_of_a_line_tells(line: Line) -> None:
    row = laid_in_a_row(line, ROW[:3])
    line.show(*row, half_read(3, 4))
    for _ in range(2):
        line.show(*row, half_read(3, 4), placed(4, 2, 5))
    assert line.laid == [*ROW[:3], (4, 2), (2, 5)] and not line.session.questions
    assert line.accusations == []


def test_where_a_wall_turns_the_tile_below_is_on_record_as_well(line: Line) -> None:
    """6-2 is covered by 2-3 before it is seen, and the 2 cannot be read: what lies there is told for good."""
    row = laid_in_a_row(line, ROW)
    line.show(*row, half_read(7, 3))
    assert not line.session.questions, "the next tile tells first whether it lies on another one"
    line.show(*row[:6], placed(6, 6, 3), half_read(7, 3))
    line.show(*row[:5], placed(5, 5, 6), placed(6, 6, 3), half_read(7, 3))
    assert line.laid == [*ROW, (6, 1), (1, 3), (3, 6), (6, 5)]
    further = [*row[:4], placed(4, 3, 5), placed(5, 5, 6), placed(6, 6, 3), half_read(7, 3)]
    line.show(*further)
    line.show(*further)
    assert line.laid == [*ROW, (6, 1), (1, 3), (3, 6), (6, 5), (5, 3)]
    assert line.accusations == []


def test_what_is_on_record_of_a_covered_tile_is_known() -> None:
    """The third tile was not read, and another one lies on it now."""
    view = TableView((placed(0, 6, 6), placed(1, 6, 4), half_read(2, 4), placed(3, 2, 5)), size_mm=(1000.0, 800.0))
    layout = reconstruct(view, SETUP)
    recorded = [Laid(6, 6), Laid(6, 4), Laid(4, 2)]
    assert [one.laid for one in as_recorded(layout, recorded).line][2] == Laid(4, 2)
    renamed = as_recorded(as_recorded(layout, recorded), [*recorded[:2], Laid(4, 1)])
    assert renamed.line[2].laid == Laid(4, 1), "what it was given before counts for nothing"
    assert as_recorded(layout, [Laid(4, 4), Laid(4, 2)]).line[2].laid is None, "another line is on record"
