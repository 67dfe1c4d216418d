"""`Board.text` and `Board.read` are inverses, whatever a board was given: names, rules, table, turns."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import companion
from companion.rules import (
    Board,
    Discard,
    Draw,
    End,
    Flip,
    Laid,
    Mark,
    Pass,
    Play,
    RulesError,
    Tile,
    Unmark,
    house_file,
    load_ruleset,
    print_action,
    with_options,
)
from companion.rules.ruleset import SHIPPED

ODD_NAMES = (
    "player",
    "player: Q",
    "round",
    "rules",
    "train",
    "open",
    "first turn",
    "Ann: B",
    "Ann: play 2",
    "L",
    "R",
    "{",
    '"',
    "-",
)
NAMES = st.lists(
    st.one_of(st.sampled_from(("Ann", "Ben", "Cy", *ODD_NAMES)), st.text(min_size=1, max_size=6)),
    min_size=2,
    max_size=4,
    unique=True,
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"draws": "until_playable"},
    {"order": "either", "announce": None, "max_doubles_per_turn": None},
    {"sets": [9, 12], "hand_table": {"any": {"2": 7, "3": 6, "4": 5}}},
    {"may_decline": True, "rounds": 3, "mx_sign": "announce"},
)
LINE_OPTIONS: tuple[dict[str, Any], ...] = ({}, {"may_decline": True}, {"arms": 2, "match_points": 30})
HALF = st.integers(0, 12)
LAID = st.builds(Laid, HALF, HALF)


def alike(one: Board, other: Board) -> bool:
    """Whether two boards have the same rules, sources included, the same table and the same past."""
    same_rules = one.rules == other.rules and dict(one.rules.sources) == dict(other.rules.sources)
    return same_rules and one.position == other.position and one.turns == other.turns and one.turn == other.turn


@st.composite
def rules_given(draw: st.DrawFn) -> tuple[Any, dict[str, Any] | None]:
    """A rule set as a board takes it, and the options beside it."""
    name = draw(st.sampled_from(SHIPPED))
    rules = load_ruleset(name)
    options = draw(st.sampled_from(OPTIONS if rules.is_mexican else LINE_OPTIONS))
    kind = draw(st.sampled_from(("name", "rules", "rules and options")))
    if kind == "name":
        return name, options
    changed = rules
    with suppress(RulesError):  # a contradiction
        changed = with_options(rules, options)
    return changed, None if kind == "rules" else {"open_hands": True}


@st.composite
def boards(draw: st.DrawFn) -> Board | None:
    """A board with turns, right and wrong; None where what was drawn cannot be used."""
    rules, options = draw(rules_given())
    names = draw(NAMES)
    mexican = (load_ruleset(rules) if isinstance(rules, str) else rules).is_mexican
    places = st.sampled_from([*names, "MX"])
    table: dict[str, Any] = {"turn": draw(st.sampled_from(names))}
    if mexican:
        chains = st.dictionaries(st.sampled_from([*names, "MX", "MX2"]), st.lists(LAID, max_size=3).map(tuple))
        more = {
            "trains": chains,
            "markers": st.lists(places, unique=True),
            "open": st.lists(places, unique=True),
            "flipped": st.lists(places, unique=True),
            "boneyard": st.integers(0, 90),
            "first_turn": st.booleans(),
            "engine": LAID,
            "round": st.integers(1, 4),
            "set": st.sampled_from((9, 12)),
        }
        table |= {field: draw(value) for field, value in more.items() if draw(st.booleans())}
        acts = [
            st.builds(Play, LAID, places),
            st.just(Draw()),
            st.builds(Mark, places),
            st.builds(Unmark, places),
            st.builds(Flip, places),
        ]
    else:
        table["line"] = draw(st.lists(LAID, max_size=3))
        acts = [
            st.builds(Play, LAID, st.sampled_from("LR")),
            st.builds(Discard, st.just(True), st.one_of(st.none(), st.builds(Tile, HALF, HALF))),
            st.just(Discard()),
        ]
    try:
        board = Board(rules, names, options=options, **table)
    except RulesError:
        return None
    for turn in draw(st.lists(st.lists(st.one_of(*acts), max_size=3), max_size=4)):
        end = draw(st.sampled_from(([], [End()], [Pass()])))
        with suppress(RulesError):
            board.push([*turn, *end], by=draw(st.sampled_from(names)))
    return board


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(boards())
def test_what_a_board_writes_is_the_same_board(board: Board | None) -> None:
    if board is not None:
        text = board.text()
        again = Board.read(text)
        assert alike(board, again), text
        assert again.text() == text


def test_a_houses_own_file_travels_as_its_path_and_as_a_rule_set(tmp_path: Path) -> None:
    for name in ("kitchen.toml", "our #1 rules.toml"):
        file = tmp_path / name
        file.write_text(house_file("tactic", "At home", {"draws": "until_playable"}), encoding="utf-8")
        for rules in (file, str(file), load_ruleset(file)):
            board = Board(rules, ["Ann", "Ben"])
            board.push("play 12-5@Ann")
            board.push("draw; draw; play 12-3@Ben")
            again = Board.read(board.text())
            assert alike(board, again) and again.turns[1].ruling.legal and again.rules.title == "At home"
        file.unlink()
        assert Board.read(Board(board.rules, ["Ann", "Ben"]).text()).rules.title == "At home", "the rules stand in it"


def test_what_an_editor_on_windows_writes_first_is_no_part_of_a_text(tmp_path: Path) -> None:
    file = tmp_path / "home.toml"
    file.write_text("\ufeff" + house_file("tactic", "At home", {"rounds": 3}), encoding="utf-8", newline="\r\n")
    assert Board(file).rules.title == "At home"
    assert Board.read("\ufeffrules: tactic\r\nplayer: Ann\r\nplayer: Ben\r\n").players == ("Ann", "Ben")


def test_a_head_may_be_written_by_hand_without_an_empty_line_and_with_remarks() -> None:
    board = Board.read("rules: tactic # the boxed game\nplayer: Ann\nplayer: Ben #2\n# nothing\nAnn: play 12-5@Ann\n")
    assert board.players == ("Ann", "Ben") and board.turn == "Ben"
    table = "rules: tactic\nplayer: Ann\nplayer: Ben\ntrain: Ann; 12-5\nmarkers: Ann\nfirst turn: no\nstarter: Ben\n"
    assert Board.read(table + "\nBen: play 5-6@Ann").turns[0].ruling.legal


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("boneyard: many", "boneyard: expected a whole number"),
        ("first turn: perhaps", "first turn: expected yes or no"),
        ("rules: {", "rules: expected a JSON object"),
        ('rules: {"name": "h"}', "expected name and extends"),
        ("markers: Dora", "markers: expected one of Ann, Ben, MX"),
    ],
)
def test_a_head_that_cannot_be_used_is_refused_in_words(line: str, why: str) -> None:
    rules = "" if line.startswith("rules") else "rules: tactic\n"
    with pytest.raises(RulesError, match=why):
        Board.read(f"{rules}player: Ann\nplayer: Ben\n{line}\n")


@pytest.mark.parametrize(
    ("rules", "names"), [("tactic", ("Ann", "R")), ("jielong", ("Ann", "Ben")), ("cz", ("L", "R"))]
)
def test_a_play_as_text_is_what_push_and_explain_take(rules: str, names: tuple[str, str]) -> None:
    board = Board(rules, names)
    for play in board.legal_plays():
        assert board.copy().push(str(play)) == board.judge([play])
        assert board.explain(str(play), may=True) == board.explain([play], may=True)
    for act in (Draw(), Mark("Ann"), Unmark("Ann"), Flip("Ann"), Pass(), End()) if rules == "tactic" else ():
        assert board.judge(str(act)) == board.judge(act)


def test_a_turn_that_was_played_can_be_explained_on_the_table_as_it_lay_then() -> None:
    board = Board("tactic", ["Ann", "Ben"])
    for turn in ("play 12-5@Ann", "play 5-6@Ann", "play 6-6@Ann"):
        board.push(turn)
    [reason] = board.explain(board.turns[1])
    assert reason.sentence == "Ben played 5-6 on Ann's train, which is closed to others."
    assert not board.explain(board.turns[0]) and board.turn == "Ben"
    assert Board.read(board.text()).turns[1].player == "Ben"
    with pytest.raises(RulesError, match="one of the turns of this board"):
        Board("tactic").explain(board.turns[1])


@pytest.mark.parametrize("rules", ["tactic", "reeves", "cz", "poltava", "jielong", "kkori"])
def test_every_legal_turn_is_legal_and_of_this_hand(rules: str) -> None:
    board = Board(rules, ["Ann", "Ben", "Cy"])
    tiles = [tile for tile in board.tiles if tile.low == tile.high or tile.high - tile.low == 3][:7]
    hands = [
        tiles,
        tiles[:1],
        [Tile(12, 5), Tile(5, 5), Tile(5, 7), Tile(3, 3)] if board.rules.is_mexican else tiles[2:4],
    ]
    for hand in hands:
        turns = list(board.legal_turns(hand))
        assert turns and len({print_action(turn, board._sign) for turn in turns}) == len(turns)
        for turn in turns:
            assert board.judge(turn).legal
            laid = [act.tile.tile for act in turn if isinstance(act, Play)]
            assert len(laid) == len(set(laid)) and set(laid) <= set(hand)
        plays = board.legal_plays(hand)
        assert {turn[0] for turn in turns if isinstance(turn[0], Play)} <= set(plays)
        if plays and not board.rules.may_decline:
            assert all(isinstance(turn[0], Play) for turn in turns)


def test_a_double_is_covered_or_drawn_for_and_a_marker_comes_off() -> None:
    board = Board("tactic", ["Ann", "Ben"], trains={"Ann": "12-5"}, markers=["Ann"])
    turns = [print_action(turn) for turn in board.legal_turns("5-5 5-7")]
    assert "play 5-5@Ann; play 5-7@Ann; unmark Ann" in turns and "play 5-7@Ann; unmark Ann" in turns
    assert "play 5-5@Ann" not in turns
    assert [print_action(turn) for turn in board.legal_turns("1-1")] == ["draw"]


def test_the_version_is_that_of_the_package() -> None:
    assert companion.__version__.count(".") == 2
    with pytest.raises(AttributeError):
        companion.no_such_thing  # noqa: B018


@pytest.mark.parametrize("open_doubles", [None, [], ["Ann"]])
def test_a_double_that_was_turned_over_is_open_only_where_it_says_so(open_doubles: list[str] | None) -> None:
    board = Board("tactic", ["Ann", "Ben"], set=12, trains={"Ann": "0-0"}, flipped=["Ann"], open=open_doubles)
    assert alike(board, Board.read(board.text()))
