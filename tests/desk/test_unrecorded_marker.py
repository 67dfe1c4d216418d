"""cz with an empty boneyard: «musí pasovat», and whether a pass opens the track is not said. Somebody may mark the
train and not tap it in: then nobody else's tile there is held to be a fault."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from companion.game.session import Session
from companion.log.events import Header
from companion.rules.notation import parse_delta
from companion.rules.tile import Laid
from tests.desk.making import ticking
from tests.desk.watching import table_change

NAMES = ("Ann", "Ben", "Cy")
NOTHING_LEFT = {"hand": 18}
"""Three hands of 18 tiles and the engine are the whole double-9."""


def begun(path: Path, rules: str = "cz", options: Mapping[str, object] = NOTHING_LEFT) -> Session:
    """The boneyard is empty and the first trains are laid; Ann is next."""
    session = Session.create(path / "game.jsonl", Header(rules, "double-9", NAMES, dict(options)), ticking())
    session.start_round(Laid(9, 9), "Ann")
    for tile, train in (((9, 1), "Ann"), ((9, 2), "Ben"), ((9, 3), "Cy")):
        session.play(tile, train, train)
    return session


def codes(session: Session) -> set[tuple[str, bool]]:
    return {(one.code, one.certain) for _, one in session.scoreboard.violations}


def a_lap_later(session: Session, end: int) -> None:
    """Everybody goes on on their own trains, Cy first, Ann's ends in `end`; by now nothing of before is tapped late."""
    for tile, player in (((3, 8), "Cy"), ((end, 0), "Ann"), ((2, 5), "Ben"), ((8, 0), "Cy"), ((0, 6), "Ann")):
        session.play(tile, player, player)


def test_a_tile_where_somebody_passed_on_an_empty_boneyard_is_nobodys_fault(tmp_path: Path) -> None:
    session = begun(tmp_path)
    session.cannot_play("Ann")
    assert [row["name"] for row in session.snapshot()["trains"] if row["playable"]] == ["Ann", "Ben", "MX"]
    session.play((1, 4), "Ann", "Ben")
    session.play((4, 4), "Ann", "Cy")
    session.play((4, 6), "Ann", "Cy")
    assert codes(session) == set()


def test_before_anybody_passed_it_is_a_closed_train(tmp_path: Path) -> None:
    session = begun(tmp_path)
    session.play((9, 4), "MX", "Ann")
    session.play((1, 4), "Ann", "Ben")
    assert codes(session) == {("CLOSED_TRAIN", False)}, "a pass and its marker may still be tapped"
    a_lap_later(session, 4)
    assert codes(session) == {("CLOSED_TRAIN", True)}


def test_who_lays_on_the_own_train_closes_it_again(tmp_path: Path) -> None:
    session = begun(tmp_path)
    session.cannot_play("Ann")
    session.play((9, 4), "MX", "Ben")
    session.play((4, 5), "MX", "Cy")
    session.play((1, 6), "Ann", "Ann")
    session.play((6, 7), "Ann", "Ben")
    assert codes(session) == {("CLOSED_TRAIN", True)}


def test_a_marker_that_is_tapped_in_and_comes_off_leaves_nothing_open(tmp_path: Path) -> None:
    session = begun(tmp_path)
    session.cannot_play("Ann")
    session.mark("Ann", by="Ann")
    session.play((9, 4), "MX", "Ben")
    session.play((4, 5), "MX", "Cy")
    session.play((1, 6), "Ann", "Ann", lift=True)
    session.play((6, 7), "Ann", "Ben")
    a_lap_later(session, 7)
    assert codes(session) == {("CLOSED_TRAIN", True)}


def test_what_else_is_wrong_with_the_tile_is_held_to_be_so(tmp_path: Path) -> None:
    session = begun(tmp_path)
    session.cannot_play("Ann")
    session.play((4, 5), "Ann", "Ben")
    assert {code for code, certain in codes(session) if certain} == {"MISMATCH"}


def test_with_tiles_left_the_marker_is_tapped_with_the_pass(tmp_path: Path) -> None:
    session = begun(tmp_path, options={})
    session.cannot_play("Ann")
    assert session.snapshot()["markers"] == ["Ann"]


def test_where_a_camera_looks_on_the_marker_would_be_seen(tmp_path: Path) -> None:
    session = begun(tmp_path)
    session.observe(table_change(parse_delta(["+9-4@MX"])))
    session.pass_turn("Ben")
    session.observe(table_change(parse_delta(["+4-5@MX"])))
    table = session.position
    assert table is not None and not table.perhaps_marked  # type: ignore[union-attr]
