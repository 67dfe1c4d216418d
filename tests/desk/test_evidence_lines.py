"""The journal keeps each seen change in a line of its own, and the belief is worked out again from these lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.game.replay import dispute
from companion.log.copies import copy_of, entries_of, keep_copy, repair_game
from companion.log.event_fields import Confidence, Header
from companion.log.events import SeenLine, TableChange, TilePlayed
from companion.log.journal import Journal, JournalError, parse_journal, read_journal
from companion.rules.notation import Drawing, Vanishing, parse_delta
from companion.rules.position import Mark, Play, Unmark
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")
HEADER = Header("reeves", "double-12", NAMES)
ROUND = ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy", "+2-6@Ben", "+5-7@Cy", "+1-8@Ann", "+6-9@Ben", "+7-10@Cy")
"""Ann lays 3-5 on the closed train of Cy."""


def begin(path: Path) -> Game:
    session = Game.create(path, HEADER, ticking())
    session.start_round((12, 12), "Ann", draws_seen=True)
    return session


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def on_record(session: Game) -> list[tuple[object, ...]]:
    """Tile, player and findings of every play that stands."""
    return [
        (line["tile"], line["by"], [(one["code"], one["certain"]) for one in line["violations"]])
        for line in state_of(session)["plays"]
        if line["event"] == "tile_played" and not line["taken_back"] and not line.get("withdrawn")
    ]


def test_each_change_is_a_line_before_the_events_that_it_brought(tmp_path: Path) -> None:
    session = begin(tmp_path / "g.jsonl")
    session.observe(
        table_change(
            parse_delta(["+12-1@Ann"]), "1.jpg", readings={Play(Laid(12, 1), "Ann"): Confidence((0.98765432, 0.99))}
        )
    )
    session.observe(
        table_change(parse_delta(["+12-2@Ben", "boneyard-1"]), arms={Play(Laid(12, 2), "Ben"): {"Ben": 0, "Cy": 20}})
    )
    session.close()
    header, started, seen, played, also, *_ = lines_of(tmp_path / "g.jsonl")
    assert header["journal"] == 3
    assert played["by"] is None and "violations" not in played, "what it comes to is no fact"
    assert (started["event"], played["event"]) == ("round_started", "tile_played")
    assert (seen["seen"], seen["after"], seen["delta"], seen["frame"]) == (1, 1, ["+12-1@Ann"], "1.jpg")
    assert seen["readings"] == [["+12-1@Ann", {"p": [0.98765432, 0.99]}]], "probabilities are not rounded"
    assert (also["seen"], also["after"], also["arms"]) == (2, 2, [["+12-2@Ben", {"Ben": 0, "Cy": 20}]])
    assert [event.seq for event in read_journal(tmp_path / "g.jsonl").events] == [1, 2, 3, 4]


def test_what_people_enter_is_no_evidence_line(tmp_path: Path) -> None:
    session = begin(tmp_path / "g.jsonl")
    session.play((12, 1), "Ann")
    session.close()
    assert read_journal(tmp_path / "g.jsonl").seen == ()


@pytest.mark.parametrize("place", range(1, len(ROUND)))
def test_a_restart_changes_nobody_s_name_and_no_finding(tmp_path: Path, place: int) -> None:
    through, broken = begin(tmp_path / "a.jsonl"), begin(tmp_path / "b.jsonl")
    for n, change in enumerate(ROUND):
        if n == place:
            broken.close()
            broken = Game.open(tmp_path / "b.jsonl", ticking())
        for session in (through, broken):
            session.observe(table_change(parse_delta([change]), f"{n}.jpg"))
    assert on_record(through) == on_record(broken)
    assert ([3, 5], "Ann", [("CLOSED_TRAIN", True)]) in on_record(broken)


def test_statements_are_entered_again_where_they_were_made(tmp_path: Path) -> None:
    through, broken = begin(tmp_path / "a.jsonl"), begin(tmp_path / "b.jsonl")
    for session in (through, broken):
        for n, change in enumerate(ROUND[:4]):
            session.observe(table_change(parse_delta([change]), f"{n}.jpg"))
        laid = next(one.seq for one in session.events if isinstance(one, TilePlayed) and one.tile == Laid(3, 5))
        session.correct(laid, {"by": "Cy"})
        session.play((2, 6), "Ben", by="Ben")
        session.undo()
        session.draw("Ben")
        session.observe(table_change(parse_delta(["+2-6@Ben"]), "4.jpg"))
    broken.close()
    broken = Game.open(tmp_path / "b.jsonl", ticking())
    for session in (through, broken):
        for n, change in enumerate(ROUND[5:], 5):
            session.observe(table_change(parse_delta([change]), f"{n}.jpg"))
    assert on_record(through) == on_record(broken)


def test_buried_tiles_stay_unknown_after_a_restart(tmp_path: Path) -> None:
    """A wall that was taken over in play: between what is seen others lie, so nothing there is held against anybody."""
    path = tmp_path / "g.jsonl"
    session = Game.create(path, Header("jielong", "chinese", NAMES), ticking())
    session.start_round(starter="Ann")
    wall = [Laid(4, 6), Laid(6, 5), Laid(5, 1), Laid(1, 6), Laid(6, 4), Laid(5, 1), Laid(1, 3), Laid(3, 5)]
    session.observe(table_change([Play(tile, "R") for tile in wall], "0", adopted=True))
    session.close()
    session = Game.open(path, ticking())
    session.observe(table_change([Play(Laid(5, 5), "R")], "1"))
    assert [findings for _, _, findings in on_record(session)] == [[]] * 9


def test_evidence_whose_events_were_cut_off_does_not_count_twice(tmp_path: Path) -> None:
    """The power went between a change and its events: the tile is on record all the same, and lies there once."""
    path = tmp_path / "g.jsonl"
    session = begin(path)
    for n, change in enumerate(ROUND[:3]):
        session.observe(table_change(parse_delta([change]), f"{n}.jpg"))
    session.close()
    lines = path.read_bytes().splitlines(keepends=True)
    assert b'"tile_played"' in lines[-1] and b'"seen"' in lines[-2]
    path.write_bytes(b"".join(lines[:-1]))
    session = Game.open(path, ticking())
    assert len(session.journal.seen) == 3 and len(on_record(session)) == 3
    session.observe(table_change(parse_delta([ROUND[4]]), "4.jpg"))
    assert [tile for tile, _, _ in on_record(session)] == [[12, 1], [12, 2], [12, 3], [2, 6]]
    assert not any(certain for _, _, findings in on_record(session) for _, certain in findings)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"seen": 2}, "seen 2; expected seen 1"),
        ({"after": 7}, "seen 1: after 7; expected 0"),
        ({"seen": True}, "seen: expected a whole number, not True"),
        ({"delta": None}, "seen 1: delta: expected a list, not None"),
        ({"delta": ["12-1@Ann"]}, r"seen 1: delta\[0\]: '12-1@Ann' is no change: expected"),
        ({"readings": [["mark Ann", {"p": [1, 1]}]]}, r"seen 1: readings\[0\]\[0\]: expected a laid tile such as"),
        (
            {"readings": [["+12-1@Ann", {"p": [1, 2]}]]},
            r"seen 1: readings\[0\]\[1\].p\[1\]: expected a number from 0 to 1",
        ),
        ({"arms": [["+12-1@Ann"]]}, r"seen 1: arms\[0\]: expected a list of 2"),
        ({"arms": [["+12-1@Ann", {"Ann": 0.5}]]}, r"arms\[0\]\[1\].Ann: expected a whole number"),
        ({"whose": [["+12-1@Ann", ""]]}, r"whose\[0\]\[1\]: expected a name"),
        ({"discards": {"Ann": -1}}, "discards.Ann: expected 1 or more"),
        ({"returned": -2}, "returned: expected 0 or more"),
        ({"clouded": 1}, "clouded: expected true or false"),
    ],
)
def test_an_evidence_line_that_makes_no_sense_is_named(line: dict[str, Any], complaint: str) -> None:
    whole = {"seen": 1, "after": 0, "at": "", "delta": ["+12-1@Ann"]} | line
    content = json.dumps({"journal": 3, "rules": "reeves", "set": "double-12", "players": ["Ann", "Ben"]})
    with pytest.raises(JournalError, match=f"^game: line 2: .*{complaint}"):
        parse_journal(f"{content}\n{json.dumps(whole)}\n".encode(), "game")


halves = st.integers(0, 12)
laid = st.builds(Laid, halves, halves)
names = st.sampled_from(NAMES)
layings = st.builds(Play, laid, names)
changes = st.one_of(
    layings, st.builds(Vanishing, laid, names), st.builds(Drawing, st.integers(1, 9)), st.builds(Mark, names),
    st.builds(Unmark, names),
)  # fmt: skip
shares = st.floats(0, 1)


@given(
    st.builds(
        TableChange,
        delta=st.lists(changes, max_size=4).map(tuple),
        flips=st.lists(names, max_size=2).map(tuple),
        discards=st.dictionaries(names, st.integers(1, 3)),
        frame=st.none() | st.text(st.characters(codec="utf-8"), max_size=9),
        readings=st.dictionaries(layings, st.builds(Confidence, st.tuples(shares, shares)), max_size=3),
        clouded=st.booleans(),
        guessed=st.booleans(),
        returned=st.integers(0, 3),
        arms=st.dictionaries(changes, st.dictionaries(names, st.integers(0, 40)), max_size=3),
        whose=st.dictionaries(changes, names, max_size=3),
        adopted=st.booleans(),
        again=st.lists(st.sampled_from(["no legal play explains it", "the round may end with it"]), max_size=2).map(
            tuple
        ),
    )
)
def test_a_change_is_read_as_it_was_written(change: TableChange) -> None:
    line = json.loads(json.dumps(SeenLine(3, 8, "2026-11-20T18:00:00.000Z", change).to_json()))
    assert SeenLine.from_json(line) == SeenLine(3, 8, "2026-11-20T18:00:00.000Z", change)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    (folder / "evening").mkdir(parents=True)
    session = begin(folder / "evening/journal.jsonl")
    for n, change in enumerate(ROUND):
        session.observe(table_change(parse_delta([change]), f"{n}.jpg"))
    session.close()
    return folder


@pytest.mark.parametrize("line", [2, 3, 8, 9, 12])
@pytest.mark.parametrize("harm", ["wiped", "a byte", "cut off"])
def test_damaged_evidence_comes_back_from_the_copy(games: Path, line: int, harm: str) -> None:
    path = games / "evening/journal.jsonl"
    whole = path.read_bytes()
    keep_copy(games, "evening", whole)
    lines = whole.splitlines(keepends=True)
    if harm == "wiped":
        lines[line] = b"\x00" * (len(lines[line]) - 1) + b"\n"
    elif harm == "a byte":
        lines[line] = lines[line][:12] + b"\xff" + lines[line][13:]
    else:
        lines = lines[:line]
    path.write_bytes(b"".join(lines))
    [report] = repair_game(games, "evening")
    assert path.read_bytes() == whole and report.about["events"] == len(parse_journal(whole).events)


def test_a_changed_byte_of_evidence_comes_back_from_the_copy(games: Path) -> None:
    path = games / "evening/journal.jsonl"
    whole = path.read_bytes()
    keep_copy(games, "evening", whole)
    path.write_bytes(whole.replace(b'"seen": 4, "after": 4', b'"seen": 4, "after": 5', 1))
    assert [one.code for one in repair_game(games, "evening")] == ["JOURNAL_DAMAGED"]
    assert path.read_bytes() == whole and not copy_of(games, "evening").with_suffix(".damaged-1").exists()


def test_without_the_evidence_the_game_ends_before_it(games: Path) -> None:
    """A line that neither file holds is not guessed, and what lies behind it is counted."""
    path = games / "evening/journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    entries = entries_of(path.read_bytes())
    lost = next(n for n, line in enumerate(lines) if b'"seen": 5' in line)
    path.write_bytes(b"".join([*lines[:lost], *lines[lost + 1 :]]))
    [gap] = repair_game(games, "evening")
    assert (gap.code, gap.about["events"], gap.about["beyond"]) == ("JOURNAL_GAP", 5, entries - 5)
    with Journal.open(path) as journal:
        assert len(journal.events) == 5 and len(journal.seen) == 4


def test_explain_weighs_what_the_camera_saw_and_not_what_was_made_of_it(tmp_path: Path) -> None:
    """The arm over the tile is in no event of the journal; that it speaks against Ann costs what the arm says."""
    cost = {}
    for decibans in (0, 30):
        path = tmp_path / f"{decibans}.jsonl"
        session = begin(path)
        for n, change in enumerate(ROUND[:5]):
            [seen] = parse_delta([change])
            arm = {seen: {"Cy": 0, "Ann": decibans, "Ben": decibans}} if n == 3 and decibans else {}
            session.observe(table_change([seen], f"{n}.jpg", arms=arm))
        seq = next(one.seq for one in session.events if isinstance(one, TilePlayed) and one.tile == Laid(3, 5))
        session.close()
        cost[decibans] = next(one.cost for one in dispute(path, seq).alternatives if one.player == "Ann")
    assert cost[30] == cost[0] + 30
