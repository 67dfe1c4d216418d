"""The camera at the desk: still tables become plays, undone plays or questions; the innocent are not accused."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from bench.stand_ins.playing import begin
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TilePlayed, TileTakenBack
from companion.rules.notation import Drawing, Vanishing, parse_delta
from companion.rules.position import SOMEBODY, Mark, Play, Position, Unmark
from companion.rules.ruleset import RULESET_NAMES
from companion.rules.tile import Laid, Tile
from datasets.bots.watching import note_layers, seen, table_change
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")


def table(tmp_path: Path, rules: str = "tactic", **options: object) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header(rules, "double-12", NAMES, options), ticking())
    session.start_round(starter="Ann")
    return session


def on_a_lap(tmp_path: Path) -> Game:
    """Everybody has laid one tile."""
    session = table(tmp_path)
    for number, name in enumerate(NAMES, start=4):
        session.observe(table_change([lay(name, 12, number)]))
    return session


def lay(train: str, *halves: int) -> Play:
    return Play(Laid(halves[0], halves[1]), train)


def held(session: Game) -> list[tuple[str, bool]]:
    return [(finding.code, finding.certain) for _, finding in session.scoreboard.violations]


def test_a_tile_is_laid_by_whoever_is_to_move(tmp_path: Path) -> None:
    session = table(tmp_path)
    (event,) = session.observe(table_change([lay("Ann", 12, 4)], "0001.jpg"))
    assert isinstance(event, TilePlayed)
    assert (event.by, event.source, event.frame) == ("Ann", "camera", "0001.jpg")
    assert held(session) == []


def test_two_turns_in_one_look_are_told_apart(tmp_path: Path) -> None:
    session = table(tmp_path)
    events = session.observe(table_change([lay("Ann", 12, 4), lay("Ben", 12, 5)]))
    assert [getattr(event, "by", None) for event in events] == ["Ann", "Ben"]


def test_a_stranger_on_a_closed_train_is_certain_when_no_other_story_is_as_short(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.observe(table_change([lay("Ann", 12, 4)]))
    session.observe(table_change([lay("Ben", 12, 5)]))
    session.observe(table_change([lay("Cy", 12, 6)]))
    session.observe(table_change([lay("Ann", 4, 8)]))
    assert session.accuses(table_change([lay("Cy", 5, 9)]))
    session.observe(table_change([lay("Cy", 5, 9)]))
    codes = {code for code, _ in held(session)}
    assert "CLOSED_TRAIN" in codes
    position = session.position
    assert isinstance(position, Position)
    assert position.trains["Cy"][-1] == (5, 9)


def test_one_of_two_is_said_where_two_stories_are_equally_bad(tmp_path: Path) -> None:
    """The example of the rules: a closed train by Ann, or by Cy an extra tile, which is rarer."""
    session = table(tmp_path, "reeves")
    session.observe(table_change([lay("Ann", 12, 4)]))
    session.observe(table_change([lay("Ben", 12, 10)]))
    session.observe(table_change([Drawing(1), Mark("Cy")]))
    session.observe(table_change([lay("Ann", 4, 9)]))
    session.observe(table_change([lay("Ben", 10, 1)]))
    session.observe(table_change([Unmark("Cy"), lay("Cy", 12, 3), lay("Cy", 3, 0)]))
    assert ("CLOSED_TRAIN", False) in held(session)
    assert not any(certain for _, certain in held(session))
    last = next(one.event for one in session.scoreboard.lines if getattr(one.event, "tile", None) == Laid(3, 0))
    assert isinstance(last, TilePlayed) and last.by is None and {"Ann", "Cy"} <= set(last.maybe)


def test_a_drawn_tile_may_be_the_next_players_and_nobody_is_named_until_it_shows(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.observe(table_change([Drawing(1), Mark("Ann")]))
    session.observe(table_change([lay("Ben", 12, 5)]))
    session.observe(table_change([lay("Cy", 12, 6)]))
    session.observe(table_change([Drawing(1)]))
    (tile,) = [event for event in session.observe(table_change([lay("MX", 12, 7)])) if isinstance(event, TilePlayed)]
    assert tile.by is None
    assert set(tile.maybe) == {"Ann", "Ben"}
    names = []
    for change in (lay("Cy", 6, 8), lay("Ann", 12, 9)):
        session.observe(table_change([change]))
        named = next(line.event for line in session.scoreboard.lines if line.seq == tile.seq)
        assert isinstance(named, TilePlayed)
        names.append(named.by)
    assert names == [None, "Ben"], "the first name has to last"
    assert held(session) == []


def test_a_tile_that_goes_back_to_the_hand_undoes_its_play(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.observe(table_change([lay("Ann", 12, 4)]))
    session.observe(table_change([lay("Ann", 4, 6)]))
    assert held(session) != []
    (event,) = [
        event
        for event in session.observe(table_change([Vanishing(Laid(4, 6), "Ann")]))
        if isinstance(event, TileTakenBack)
    ]
    assert event.undoes is not None
    assert held(session) == []
    position = session.position
    assert isinstance(position, Position)
    assert position.turn == "Ben"


def test_an_earlier_table_put_back_rewinds_the_game(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.observe(table_change([lay("Ann", 12, 4)]))
    before = session.position
    session.observe(table_change([Drawing(1), Mark("Ben")]))
    session.observe(table_change([lay("Cy", 12, 6)]))
    session.observe(table_change([Vanishing(Laid(12, 6), "Cy"), Unmark("Ben")]))
    position = session.position
    assert isinstance(position, Position) and isinstance(before, Position)
    assert position.trains == before.trains
    assert position.markers == before.markers
    assert held(session) == []


@pytest.mark.parametrize("remembered", [True, False])
def test_a_turn_taken_back_puts_its_drawn_tile_back(tmp_path: Path, remembered: bool) -> None:
    session = on_a_lap(tmp_path)
    before = session.position
    session.observe(table_change([lay("Ann", 4, 4), Drawing(1), Mark("Ann")]))
    if not remembered:
        session.announce("Cy")
    session.observe(table_change([Vanishing(Laid(4, 4), "Ann"), Unmark("Ann")], returned=1))
    after = session.position
    assert isinstance(before, Position) and isinstance(after, Position)
    assert after.boneyard == before.boneyard
    assert after.trains == before.trains
    assert after.markers == before.markers
    assert held(session) == []


def test_a_mismatch_that_breaks_the_turn_order_too_names_nobody(tmp_path: Path) -> None:
    """A draw or a marker that was overlooked would have given the turn to somebody else."""
    session = on_a_lap(tmp_path)
    session.observe(table_change([lay("Ann", 4, 8), lay("Ann", 9, 7)]))
    assert ("MISMATCH", True) in held(session)
    wrong = next(line.event for line in session.scoreboard.lines if getattr(line.event, "tile", None) == Laid(9, 7))
    assert isinstance(wrong, TilePlayed)
    assert wrong.by is None
    assert len(set(wrong.maybe)) > 1


def test_a_tile_taken_back_leaves_a_draw_that_lies_in_the_hand(tmp_path: Path) -> None:
    session = on_a_lap(tmp_path)
    before = session.position
    session.observe(table_change([lay("Ann", 4, 4), Drawing(1)]))
    session.observe(table_change([Vanishing(Laid(4, 4), "Ann")]))
    after = session.position
    assert isinstance(before, Position) and isinstance(after, Position)
    assert before.boneyard is not None
    assert after.boneyard == before.boneyard - 1


def test_nobody_is_accused_of_drawing_where_the_count_says_that_nothing_lies(tmp_path: Path) -> None:
    """The camera saw a tile leave the boneyard: it was the count that was wrong."""
    session = table(tmp_path)
    position = session.position
    assert isinstance(position, Position) and position.boneyard is not None
    session.observe(table_change([Drawing(position.boneyard)]))
    session.observe(table_change([Drawing(1), Mark("Ben")]))
    assert not [one for one in held(session) if one[1]]


def test_a_tile_gone_from_the_middle_of_the_game_was_moved(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.observe(table_change([lay("Ann", 12, 4)]))
    session.observe(table_change([lay("Ben", 12, 5)]))
    session.observe(table_change([Vanishing(Laid(12, 4), "Ann")]))
    assert held(session) == [("TILE_MOVED", True)]


def test_clearing_the_table_after_the_round_is_nobodys_fault(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.observe(table_change([lay("Ann", 12, 4)]))
    session.end_round("out")
    assert session.observe(table_change([Vanishing(Laid(12, 4), "Ann")])) == ()
    assert held(session) == []


@pytest.mark.parametrize("boneyard", [True, False], ids=["open boneyard", "stacked boneyard"])
@pytest.mark.parametrize("name", RULESET_NAMES)
def test_a_watched_game_of_legal_turns_accuses_nobody(tmp_path: Path, name: str, boneyard: bool) -> None:
    mexican = name in ("tactic", "reeves", "cz", "poltava")
    set_max, players = (9, 3) if mexican else (6, 4)
    session, game = begin(tmp_path / "g.jsonl", name, players, 2, set_max=set_max, rounds=1)
    laid = wrong = unnamed = 0
    for played in game.rounds():
        session.start_round(played.engine, played.starter, draws_seen=boneyard)
        truth: dict[tuple[Tile, str], list[str]] = {}
        for turn in played.turns():
            if session.phase != "playing":
                break
            note_layers(turn, truth)
            session.observe(seen([turn], boneyard=boneyard))
        if session.phase == "playing":
            session.end_round(played.how or "abandoned", played.out)
        for line in session.scoreboard.lines:
            if isinstance(line.event, TilePlayed):
                laid += 1
                unnamed += line.event.by is None
                wrong += line.event.by not in (None, *truth[(line.event.tile.tile, line.event.train)])
        assert held(session) == []
    assert laid > 20
    assert wrong <= 0.03 * laid
    assert unnamed <= 0.35 * laid


def test_halves_that_do_not_meet_are_certain_whoever_laid_the_tile(tmp_path: Path) -> None:
    """While it is open who played out of order, the mismatch on the table is not."""
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round(Laid(12, 12), "Ann", draws_seen=False)
    for delta in ("+12-9@Ann", "+12-5@Ben", "+12-7@Cy", "+9-3@Ann", "+5-8@Ben", "+3-0@Ann"):
        session.observe(table_change(parse_delta([delta])))
    events = session.observe(table_change(parse_delta(["+1-4@Ann"])))
    (event,) = (event for event in events if isinstance(event, TilePlayed))
    certain = {finding.code for finding in event.violations if finding.certain}
    assert certain == {"MISMATCH"}


def test_a_tile_of_which_the_box_has_one_less_was_first_of_all_misread(tmp_path: Path) -> None:
    """3-6 lies there already, and the Chinese set has one: whose fault that is nobody can tell."""
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", (*NAMES, "Dee")), ticking())
    session.start_round(starter="Ann")
    for halves in ((3, 6), (6, 6), (6, 3)):
        session.observe(table_change([lay("R", *halves)]))
    assert ("MULTIPLICITY", False) in held(session)
    assert not any(certain for _, certain in held(session))


def test_a_tile_put_away_that_shows_late_was_put_away_in_its_owners_turn(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", (*NAMES, "Dee")), ticking())
    session.start_round(starter="Ann")
    for who, change in (("Ann", lay("R", 3, 6)), ("Cy", lay("R", 6, 5)), ("Dee", lay("R", 5, 4))):
        arms = {change: {name: 0 if name == who else 15 for name in (*NAMES, "Dee")}}
        session.observe(table_change([change], arms=arms, whose={change: who}))
    session.observe(table_change([], discards={"Ben": 1}))
    session.observe(table_change([lay("R", 4, 1)]))
    plays = state_of(session)["plays"]
    names = {one["by"] for one in plays if one["event"] == "discarded"}
    laid = [one["by"] for one in plays if one["event"] == "tile_played"]
    assert laid == ["Ann", "Cy", "Dee", "Ann"] and names == {"Ben"}
    assert not any(finding["certain"] for one in plays for finding in one.get("violations") or ())


def test_a_tile_put_away_by_nobody_knows_whom_is_the_movers_and_the_next_one_is_named(tmp_path: Path) -> None:
    """Where no places are known, a tile put away still is a turn: whoever lays after it is the one behind."""
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", (*NAMES, "Dee")), ticking())
    session.start_round(starter="Ann")
    session.observe(table_change([lay("R", 3, 6)]))
    session.observe(table_change([], discards={SOMEBODY: 1}))
    session.observe(table_change([lay("R", 6, 5)]))
    plays = state_of(session)["plays"]
    assert [(one["event"], one["by"]) for one in plays if one["event"] in ("tile_played", "discarded")] == [
        ("tile_played", "Ann"),
        ("discarded", "Ben"),
        ("tile_played", "Cy"),
    ]


MESS = [
    *(lay("Ann", 4, 8), lay("Ann", 3, 1), lay("Ann", 0, 9)),
    lay("Ben", 2, 11),
    *(lay("Cy", 12, 6), lay("Cy", 7, 7), lay("Cy", 10, 8)),
]
"""Nobody breaks so many rules at once: something was misread, or the table was out of sight."""


def test_what_nothing_explains_is_recorded_as_it_lies_and_nobody_is_named_or_accused(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.observe(table_change([lay("Ann", 12, 4)]))
    session.observe(table_change([lay("Ben", 12, 5)]))
    assert session.accuses(table_change(MESS))
    events = session.observe(table_change(MESS, "0003.jpg"))
    laid = [event for event in events if isinstance(event, TilePlayed)]
    assert [Play(event.tile, event.train) for event in laid] == MESS
    assert {(event.by, frozenset(event.maybe), event.frame) for event in laid} == {(None, frozenset(NAMES), "0003.jpg")}
    assert held(session) == []
    position = session.position
    assert isinstance(position, Position)
    assert position.trains["Ann"] == (Laid(12, 4), Laid(4, 8), Laid(3, 1), Laid(0, 9))


def test_after_a_mess_the_game_goes_on_with_whoever_plays_next(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.observe(table_change([lay("Ann", 12, 4)]))
    session.observe(table_change([lay("Ben", 12, 5)]))
    session.observe(table_change(MESS))
    for change in (lay("Ben", 11, 3), lay("Cy", 8, 2), lay("Ann", 9, 5)):
        assert not session.accuses(table_change([change]))
        session.observe(table_change([change]))
    assert held(session) == []
    assert [event.by for event in session.events if isinstance(event, TilePlayed)][-3:] == ["Ben", "Cy", "Ann"]


def marked_and_to_move(tmp_path: Path) -> Game:
    """Ann's train carries her marker, and it is her turn again."""
    session = on_a_lap(tmp_path)
    session.observe(table_change([Drawing(1), Mark("Ann")]))
    session.observe(table_change([lay("Ben", 5, 8)]))
    session.observe(table_change([lay("Cy", 6, 9)]))
    return session


def test_a_double_on_the_own_train_takes_the_marker_off_wherever_the_second_tile_goes(tmp_path: Path) -> None:
    """004: «пока в один из Ваших ходов Вы не положите кость домино в свой личный поезд»: any tile of the turn."""
    session = table(tmp_path)
    for number, name in enumerate(NAMES, start=4):
        session.play((12, number), name, name)
    session.draw("Ann")
    session.mark("Ann")
    session.play((5, 8), "Ben", "Ben")
    session.play((6, 9), "Cy", "Cy")
    session.play((4, 4), "Ann", "Ann")
    session.play((12, 7), "MX", "Ann")
    assert held(session) == []
    session.play((4, 10), "Ann", "Ben")
    assert held(session) == [("MARKER_NOT_REMOVED", False)]
    session.unmark("Ann", "Ann")
    assert not any(code == "MARKER_REMOVED_WRONGLY" for code, _ in held(session))


@pytest.mark.parametrize("late", [False, True])
def test_such_a_marker_may_come_off_at_once_or_a_moment_later(tmp_path: Path, late: bool) -> None:
    session = marked_and_to_move(tmp_path)
    session.observe(table_change([lay("Ann", 4, 4), lay("MX", 12, 7), *([] if late else [Unmark("Ann")])]))
    if late:
        session.observe(table_change([Unmark("Ann")]))
    session.observe(table_change([lay("Ann", 4, 10)]))
    session.observe(table_change([lay("Cy", 9, 11)]))
    assert held(session) == []


def test_in_reeves_a_marker_comes_off_whenever_its_owner_likes(tmp_path: Path) -> None:
    """003: «আপনি মার্কারটি সরাতে পারেন», with no time limit."""
    session = table(tmp_path, "reeves")
    session.observe(table_change([lay("Ann", 12, 4)]))
    session.observe(table_change([lay("Ben", 12, 5)]))
    session.observe(table_change([lay("Cy", 12, 6)]))
    session.observe(table_change([Drawing(1), Mark("Ann")]))
    session.observe(table_change([lay("Ben", 5, 8)]))
    session.observe(table_change([lay("Cy", 6, 9)]))
    session.observe(table_change([lay("Ann", 4, 7)]))
    session.observe(table_change([lay("Ben", 8, 10)]))
    session.observe(table_change([lay("Cy", 9, 11)]))
    session.observe(table_change([lay("MX", 12, 1), Unmark("Ann")]))
    session.observe(table_change([lay("Ben", 10, 2)]))
    assert held(session) == []


def test_in_reeves_a_dead_first_double_lets_the_extra_tile_cover_the_second(tmp_path: Path) -> None:
    """Every other three lies there when Ann lays 3-3: only 1-1 can be closed."""
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-6", NAMES[:2]), ticking())
    session.start_round(Laid(6, 6), "Ann", draws_seen=False)
    lap = [("Ann", 6, 3), ("Ben", 6, 4), ("MX", 6, 1), ("Ben", 4, 3), ("Ann", 3, 0), ("Ben", 3, 5), ("Ann", 0, 1)]
    for train, inner, outer in [*lap, ("Ben", 5, 2), ("Ann", 1, 3), ("Ben", 2, 3)]:
        session.observe(table_change([lay(train, inner, outer)]))
    session.observe(table_change([lay("Ann", 3, 3), lay("MX", 1, 1), lay("MX", 1, 2)]))
    session.observe(table_change([lay("MX", 2, 0)]))
    assert held(session) == []


def test_in_reeves_with_two_dead_doubles_the_extra_tile_goes_anywhere(tmp_path: Path) -> None:
    """All other ones and threes lie there when Ann lays 3-3 on Ben's marked train and 1-1 on the Mexican one."""
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-9", NAMES[:2]), ticking())
    session.start_round(Laid(9, 9), "Ann", draws_seen=True)
    session.observe(table_change([lay("Ann", 9, 4)]))
    session.observe(table_change([lay("Ben", 9, 3)]))
    for half in ("91", "13", "32", "21", "14", "43", "35", "51", "16", "63", "37", "71", "18", "83", "30", "01"):
        session.observe(table_change([lay("MX", int(half[0]), int(half[1]))]))
    session.observe(table_change([Drawing(1), Mark("Ann")]))
    session.observe(table_change([Drawing(1), Mark("Ben")]))
    session.observe(table_change([lay("Ben", 3, 3), lay("MX", 1, 1), lay("Ann", 4, 5)]))
    session.observe(table_change([lay("Ann", 5, 8)]))
    session.observe(table_change([lay("Ann", 8, 6)]))
    assert held(session) == []
    laid = [play["by"] for play in state_of(session)["plays"] if play["event"] == "tile_played"]
    assert laid[18:21] == ["Ann"] * 3
