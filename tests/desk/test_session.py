"""The desk in sentences: what is recorded, what is held against whom, what is refused."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from bench.stand_ins.settling import asked, confirm, settle
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.event_fields import Finding, Header
from companion.log.events import Corrected, Drew, Event, Passed, RoundEnded, RoundScored, TilePlayed, Unclear
from companion.log.journal import JournalError
from companion.rules.position import Position
from tests.shown import state_of, take_back

NAMES = ("Ann", "Ben", "Cy")


def table(tmp_path: Path, rules: str = "tactic", tile_set: str = "double-12", **options: object) -> Game:
    """A round 1 with Ann to start."""
    session = Game.create(tmp_path / "game.jsonl", Header(rules, tile_set, NAMES, options), ticking())
    session.start_round(starter="Ann")
    return session


def codes(session: Game) -> list[tuple[int, str, bool]]:
    return [(line.seq, finding.code, finding.certain) for line, finding in session.scoreboard.violations]


def turn(session: Game) -> str | None:
    position = session.position
    return None if position is None else position.turn


def test_a_closed_train_refuses_a_stranger_and_the_table_follows_all_the_same(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    event, question = session.play((3, 7), "Ann", by="Ben")
    assert isinstance(event, TilePlayed) and isinstance(question, Unclear)
    assert event.violations == (Finding("CLOSED_TRAIN", certain=False, open=True),)
    assert (question.about, question.source, question.reason) == (event.seq, "rule", "does_not_fit")
    position = session.position
    assert isinstance(position, Position)
    assert position.trains["Ann"] == ((12, 3), (3, 7))
    assert position.turn == "Cy"


def test_a_finding_is_certain_once_somebody_says_that_it_was_so(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    wrong = session.play((3, 7), "Ann", by="Ben")[0]
    (question,) = asked(session)
    so = [choice.kind for choice in question.candidates].index("so")
    said = session.answer(question.seq, so, by="Cy")[0]
    (finding,) = next(play for play in state_of(session)["plays"] if play["seq"] == wrong.seq)["violations"]
    assert (finding["code"], finding["certain"]) == ("CLOSED_TRAIN", True)
    assert (finding["confirmed_by"], finding["confirmed_in"]) == ("Cy", said.seq)
    session.undo()
    assert codes(session) == [(wrong.seq, "CLOSED_TRAIN", False)] and len(asked(session)) == 1


def test_points_never_wait_for_an_answer(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.play((3, 7), "Ann", by="Ben")
    session.end_round("out", out="Ann")
    session.show_hand("Ben", [(5, 7)])
    session.show_hand("Cy", [(9, 9)])
    points = dict(session.scoreboard.totals)
    assert session.phase == "scored" and points == {"Ann": 0, "Ben": 12, "Cy": 18} and len(asked(session)) == 1
    confirm(session)
    assert dict(session.scoreboard.totals) == points and True in {certain for *_, certain in codes(session)}


def test_a_double_is_not_held_against_anybody_before_the_next_player_begins(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 4), "Ann")
    session.play((12, 5), "Ben")
    session.play((12, 6), "Cy")
    double = session.play((4, 4), "Ann")[0]
    assert codes(session) == []
    assert turn(session) == "Ann"
    events = session.play((5, 9), "Ben", by="Ben")
    late = next(event for event in events if isinstance(event, Corrected))
    assert (late.source, late.corrects) == ("rule", double.seq)
    assert (double.seq, "DOUBLE_NOT_FOLLOWED", False) in codes(session)
    confirm(session)
    assert (double.seq, "DOUBLE_NOT_FOLLOWED", True) in codes(session)


def test_a_double_whose_cover_comes_a_moment_late_is_no_fault(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 4), "Ann")
    session.play((12, 5), "Ben")
    session.play((12, 6), "Cy")
    session.play((4, 4), "Ann")
    session.play((5, 9), "Ben", by="Ben")
    settle(session, "later")
    assert codes(session) == [] and state_of(session)["to_come"] == [["Ann", 2, 6]]
    session.play((4, 8), "Ann", by="Ann")
    assert codes(session) == [] and state_of(session)["to_come"] == []
    assert turn(session) == "Cy"


def test_a_marker_that_stays_on_is_asked_about_when_the_next_player_begins(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.draw()
    session.mark("Ann")
    session.play((12, 5), "Ben")
    session.play((12, 6), "Cy")
    played = session.play((12, 7), "Ann")[0]
    assert codes(session) == []
    session.play((5, 9), "Ben")
    assert codes(session) == [(played.seq, "MARKER_NOT_REMOVED", False)]
    settle(session)
    assert codes(session) == [(played.seq, "MARKER_NOT_REMOVED", True)]


@pytest.mark.parametrize("tapped_first", [True, False])
def test_a_marker_taken_off_a_moment_late_is_no_fault(tmp_path: Path, tapped_first: bool) -> None:
    """The answer puts it in; the tap that comes all the same, before or after the answer, is the same removal."""
    session = table(tmp_path)
    session.draw()
    session.mark("Ann")
    session.play((12, 5), "Ben")
    session.play((12, 6), "Cy")
    session.play((12, 7), "Ann")
    session.play((5, 9), "Ben")
    assert [code for _, code, _ in codes(session)] == ["MARKER_NOT_REMOVED"]
    if tapped_first:
        session.unmark("Ann", by="Ann")
    assert [certain for *_, certain in codes(session)] == [False]
    settle(session, "missing")
    if not tapped_first:
        session.unmark("Ann", by="Ann")
    assert codes(session) == [] and state_of(session)["markers"] == [] and turn(session) == "Cy"


def test_a_draw_and_a_forgotten_pass_are_recorded_for_the_player_who_goes_on(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.draw()
    events = session.play((12, 5), "Ben", by="Ben")
    assert isinstance(events[0], Passed)
    assert (events[0].by, events[0].source) == ("Ann", "rule")
    assert codes(session) == [(2, "MARKER_MISSING", False)], "the draw is the last thing that Ann did"
    settle(session, "missing")
    assert codes(session) == [] and state_of(session)["markers"] == ["Ann"] and turn(session) == "Cy"


@pytest.mark.parametrize(("kind", "to_come"), [("so", []), ("start", []), ("later", [["Ann", 1, 2]]), ("missing", [])])
def test_who_begins_out_of_turn_is_asked_about(tmp_path: Path, kind: str, to_come: list[list[object]]) -> None:
    session = table(tmp_path)
    early = session.play((12, 5), "Ben", by="Ben")[0]
    assert codes(session) == [] and state_of(session)["to_come"] == [["Ann", 1, 2]], "Ann may be slower on her phone"
    session.play((12, 6), "Cy", by="Cy")
    assert codes(session) == [(early.seq, "OUT_OF_TURN", False)]
    settle(session, kind)
    assert codes(session) == ([(early.seq, "OUT_OF_TURN", True)] if kind == "so" else [])
    assert state_of(session)["to_come"] == to_come and turn(session) == "Ann"


def test_who_holds_one_tile_is_the_one_who_knocks(tmp_path: Path) -> None:
    session = table(tmp_path, hand=2)
    session.play((12, 3), "Ann")
    assert turn(session) == "Ben"
    assert [session.announce()[0].who for _ in range(2)] == ["Ann", "Ben"], "nobody says it twice"


def test_a_player_may_be_called_as_a_round_may_be(tmp_path: Path) -> None:
    header = Header("tactic", "double-12", ("ended", "scored", "Cy"))
    session = Game.create(tmp_path / "game.jsonl", header, ticking())
    session.start_round(starter="Cy")
    session.end_round("blocked_declared")
    for name in header.players:
        session.show_hand(name, [(3, 4)])
    session.end_otherwise(1, "out", "Cy")
    sheet = session.scoreboard.round
    assert sheet is not None and (sheet.how, sheet.out) == ("out", "Cy")


def test_a_tile_taken_back_undoes_its_play_and_its_ruling(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    wrong = session.play((3, 7), "Ann", by="Ben")[0]
    assert codes(session) != []
    take_back(session, wrong.seq)
    assert codes(session) == []
    position = session.position
    assert isinstance(position, Position)
    assert position.trains["Ann"] == ((12, 3),)
    assert position.turn == "Ben"
    plays = {play["seq"]: play for play in state_of(session)["plays"]}
    assert plays[wrong.seq]["taken_back"] is True


def test_undo_goes_back_step_by_step(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.draw("Ben")
    session.undo()
    session.undo()
    position = session.position
    assert isinstance(position, Position)
    assert position.trains["Ann"] == ()
    assert turn(session) == "Ann"


def test_a_correction_rules_anew_on_everything_after_it_and_says_what_changed(tmp_path: Path) -> None:
    session = table(tmp_path)
    first = session.play((12, 3), "Ann")[0]
    second = session.play((12, 5), "Ben")[0]
    third = session.play((4, 9), "Ann", by="Cy")[0]
    assert [code for _, code, _ in codes(session)] == ["CLOSED_TRAIN"]
    confirm(session)
    fourth = session.play((3, 4), "Ann", by="Ann")[0].seq
    assert (fourth, "MISMATCH", False) in codes(session)
    confirm(session)
    assert (fourth, "MISMATCH", True) in codes(session)
    events = session.correct(third.seq, {"train": "Cy", "tile": [12, 9]}, by="Ben")
    assert codes(session) == []
    changes = [event for event in events if isinstance(event, Corrected)]
    assert (changes[0].corrects, changes[0].source) == (third.seq, "person")
    assert {(event.corrects, event.source) for event in changes[1:]} == {(third.seq, "rule"), (fourth, "rule")}
    assert [event.what["retracts"] for event in changes if event.corrects == fourth and "retracts" in event.what] == [
        [{"code": "MISMATCH", "by": "Ann"}]
    ]
    events = session.correct(first.seq, {"tile": [12, 4]})
    assert [(event.corrects, event.source) for event in events if isinstance(event, Corrected)] == [
        (first.seq, "person"),
        (fourth, "rule"),
    ]
    assert [(seq, code) for seq, code, _ in codes(session)] == [(fourth, "MISMATCH")]
    session.correct(first.seq, {"tile": [12, 3]})
    assert codes(session) == []
    assert second.seq == 3


def test_what_a_correction_would_change_is_told_before_it_is_made(tmp_path: Path) -> None:
    session = table(tmp_path)
    first = session.play((12, 3), "Ann")[0]
    session.play((12, 5), "Ben")
    before = session.seq
    then = session.what_if(first.seq, {"by": "Ben"})
    changed = next(play for play in then.plays if play["seq"] == first.seq)
    assert changed["by"] == "Ben"
    assert changed["violations"] != []
    assert session.seq == before
    assert codes(session) == []


def test_an_inserted_pass_explains_what_looked_out_of_turn(tmp_path: Path) -> None:
    session = table(tmp_path)
    early = session.play((12, 5), "Ben", by="Ben")[0]
    for line in ({"event": "drew", "by": "Ann"}, {"event": "marker_placed", "by": "Ann", "train": "Ann"}):
        session.correct(early.seq, {"insert": [line]})
    assert codes(session) == []
    assert turn(session) == "Cy"


@pytest.mark.parametrize(
    ("seq", "what", "complaint"),
    [
        (99, {"withdrawn": True}, "no_earlier_event (seq: 99)"),
        (2, {"tile": [1]}, "expected two numbers"),
        (2, {"colour": 1}, "no_such_field (event: tile_played, field: 'colour')"),
        (2, {}, "no_change"),
    ],
)
def test_a_correction_that_means_nothing_is_refused(tmp_path: Path, seq: int, what: object, complaint: str) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    with pytest.raises(CommandRejected) as refused:
        session.correct(seq, what)  # type: ignore[arg-type]
    assert complaint in str(refused.value)
    assert session.seq == 2


@pytest.mark.parametrize("verb", ["mark", "unmark", "flip"])
def test_a_line_of_chinese_dominoes_has_no_markers(tmp_path: Path, verb: str) -> None:
    session = Game.create(tmp_path / "line.jsonl", Header("jielong", "chinese", ("Ann", "Ben")))
    session.start_round(starter="Ann")
    with pytest.raises(CommandRejected, match="no_markers"):
        getattr(session, verb)("Ann")
    assert session.seq == 1


def test_the_table_may_agree_to_let_a_fault_stand(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    wrong = session.play((3, 7), "Ann", by="Ben")[0]
    session.correct(wrong.seq, {"overruled": True}, by="Ann")
    assert codes(session) == []
    plays = {play["seq"]: play for play in state_of(session)["plays"]}
    assert plays[wrong.seq]["overruled"] is True
    assert [finding["code"] for finding in plays[wrong.seq]["violations"]] == ["CLOSED_TRAIN"]


def test_a_round_is_scored_when_the_last_hand_is_shown(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.end_round("out")
    assert session.phase == "ended"
    session.show_hand("Ben", [(5, 7)])
    events = session.show_hand("Cy", [(9, 9), (0, 0)])
    scored = next(event for event in events if isinstance(event, RoundScored))
    assert scored.scores == {"Ann": 0, "Ben": 12, "Cy": 18}
    assert scored.next_engine == (11, 11)
    assert scored.next_starter == "Ben"
    assert state_of(session)["next"] == {"round": 2, "engine": [11, 11], "starter": "Ben"}
    session.start_round()
    assert turn(session) == "Ben"


def test_a_hand_corrected_after_the_count_changes_the_totals(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.end_round("out")
    session.show_hand("Ben", [(5, 7)])
    session.show_hand("Cy", [(9, 9)])
    session.start_round()
    shown = next(event.seq for event in session.events if event.KIND == "hand_shown")
    session.correct(shown, {"tiles": [[5, 8]]})
    assert session.scoreboard.totals == {"Ann": 0, "Ben": 13, "Cy": 18}


def test_counting_in_a_tile_nobody_held_is_found(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.end_round("out")
    shown = session.show_hand("Ben", [(5, 7)])[0]
    assert (shown.seq, "HAND_COUNT_INCONSISTENT", False) in codes(session), "or a tile was not written down"


def test_a_match_ends_after_its_last_round(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", NAMES, {"rounds": 1}), ticking())
    session.start_round(starter="Ann")
    session.play((12, 3), "Ann")
    session.end_round("out")
    session.show_hand("Ben", [(5, 7)])
    session.show_hand("Cy", [(9, 9)])
    assert session.phase == "over"
    assert state_of(session)["winner"] == ["Ann"]
    with pytest.raises(CommandRejected, match="match_over"):
        session.start_round()


def test_a_house_that_writes_down_only_the_hands_is_accused_of_nothing(tmp_path: Path) -> None:
    for how, rules in (("out", "tactic"), ("blocked_declared", "tactic"), ("blocked_declared", "poltava")):
        path = tmp_path / f"{how}-{rules}.jsonl"
        session = Game.create(path, Header(rules, "double-12", NAMES), ticking())
        session.start_round(starter="Ann")
        session.end_round(how, out="Ann" if how == "out" else None)
        for player, hand in (("Ann", []), ("Ben", [(12, 5), (5, 7)]), ("Cy", [(12, 9)] * (how == "out"))):
            session.show_hand(player, hand)
        assert session.phase == "scored"
        assert codes(session) == []
        assert not any(play["violations"] for play in state_of(session)["plays"] if "violations" in play)


def test_what_the_hands_show_is_not_certain_where_the_record_has_gaps(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.draw("Ben")
    session.mark("Ben", by="Ben")
    session.end_round("blocked_declared")
    session.show_hand("Ben", [(12, 4)])
    assert {certain for _seq, code, certain in codes(session) if code != "FALSE_BLOCK"} == {False}


def test_a_false_block_is_seen_at_once_while_tiles_are_left_to_draw(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    (ended,) = session.end_round("blocked_declared")
    assert isinstance(ended, RoundEnded)
    assert [finding.code for finding in ended.violations] == ["FALSE_BLOCK"]


def test_a_round_that_is_broken_off_is_dealt_again(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.end_round("abandoned")
    session.start_round()
    assert state_of(session)["round"] == 1


def test_the_engine_due_is_known(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-9", NAMES), ticking())
    event, _asked = session.start_round((8, 8), "Ann")
    assert [finding["code"] for finding in event.to_json()["violations"]] == ["WRONG_ENGINE"]


def test_whoever_does_not_play_can_do_nothing(tmp_path: Path) -> None:
    session = table(tmp_path)
    with pytest.raises(CommandRejected, match=r"no_such_player \(name: Zoe\)"):
        session.play((12, 3), "Ann", by="Zoe")
    assert session.seq == 1


def test_between_rounds_nothing_is_laid(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", NAMES), ticking())
    for act in (session.draw, session.pass_turn, session.undo, lambda: session.play((1, 2), "Ann")):
        with pytest.raises(CommandRejected):
            act()
    assert session.seq == 0


def test_asking_the_referee_changes_nothing(tmp_path: Path) -> None:
    session = table(tmp_path)
    assert session.judge((12, 5), "Ann")["codes"] == []
    assert session.judge((11, 5), "Ann")["codes"] == ["WRONG_ROOT"]
    turned = session.judge((5, 12), "Ann")
    assert (turned["codes"], turned["tile"]) == ([], [12, 5]), "a tile is one tile, whichever half is named first"
    assert session.seq == 1


def test_what_does_not_meet_is_said_with_its_values(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 8), "Ann", by="Ann")
    session.play((11, 4), "MX", by="Ben")
    wrong = [play.get("end_was") for play in state_of(session)["plays"] if play["event"] == "tile_played"]
    assert wrong == [None, 12]


def test_a_game_that_is_only_looked_at_shows_everything_and_nothing_is_written(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 5), "Ann")
    wrong = session.play((5, 9), "Ann", by="Ben")[0]
    confirm(session)
    session.correct(wrong.seq, {"by": "Cy"})
    files = {file: file.read_bytes() for file in tmp_path.iterdir()}
    looked = Game.read_only(tmp_path / "game.jsonl")
    assert state_of(looked) == state_of(session)
    assert (looked.events, looked.fallen) == (session.events, session.fallen) and session.fallen
    assert state_of(looked, at=3) == state_of(session, at=3)
    with pytest.raises(JournalError, match="it is only being looked at"):
        looked.undo()
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == files


def test_every_event_reaches_the_subscribers_in_order(tmp_path: Path) -> None:
    session = table(tmp_path)
    heard: list[Event] = []
    stop = session.subscribe(heard.append)
    session.draw()
    session.play((12, 5), "Ben", by="Ben")
    assert [(event.seq, event.KIND) for event in heard] == [
        (2, "drew"), (3, "passed"), (4, "tile_played"), (5, "unclear"), (5, "corrected")
    ]  # fmt: skip
    assert tuple(heard[:-1]) == session.events[1:], "what reads otherwise comes last, and is no line"
    stop()
    session.draw("Cy")
    assert len(heard) == 5


def test_a_subscriber_that_fails_does_not_stop_the_game(tmp_path: Path) -> None:
    session = table(tmp_path)

    def fails(_: Event) -> None:
        raise RuntimeError("the page is gone")

    session.subscribe(fails)
    assert isinstance(session.draw()[0], Drew)
    assert isinstance(session.mark("Ann")[0].seq, int)


def test_two_people_at_once_get_two_lines(tmp_path: Path) -> None:
    session = table(tmp_path)
    threads = [threading.Thread(target=session.announce, args=(name,)) for name in NAMES * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.seq for event in session.events] == list(range(1, 14))


def test_the_snapshot_is_plain_json_and_an_earlier_one_can_be_had(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.play((12, 5), "Ben")
    now, then = state_of(session), state_of(session, at=2)
    assert json.loads(json.dumps(now)) == now
    assert (then["seq"], then["turn"], now["turn"]) == (2, "Ben", "Cy")
    assert [train["name"] for train in now["trains"]] == ["Ann", "Ben", "Cy", "MX"]
    assert now["trains"][1]["tiles"] == [{"tile": [12, 5], "seq": 3, "sure": None}]
    assert [train["name"] for train in now["trains"] if train["playable"]] == ["Cy", "MX"]
    assert state_of(session, at=0)["phase"] == "waiting"


def test_an_open_double_says_who_must_cover_it_and_since_when(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 4), "Ann")
    session.play((12, 5), "Ben")
    session.play((12, 6), "Cy")
    double = session.play((4, 4), "Ann")[0]
    session.draw()
    session.mark("Ann")
    shown = state_of(session)
    assert shown["must_cover"] == {"train": "Ann", "value": 4, "by": "Ben", "since": double.seq}
    assert [train["name"] for train in shown["trains"] if train["playable"]] == ["Ann"]


def test_a_game_goes_on_after_a_crash(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    shown = state_of(session)
    session.close()
    with (tmp_path / "game.jsonl").open("ab") as file:
        file.write(b'{"seq": 3, "at": "2026-')
    again = Game.open(tmp_path / "game.jsonl", ticking())
    assert state_of(again) == shown
    assert again.journal.set_aside is not None


def test_what_follows_from_the_rules_is_made_good_after_a_crash(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    session.end_round("out")
    session.show_hand("Ben", [(5, 7)])
    session.show_hand("Cy", [(9, 9)])
    session.close()
    path = tmp_path / "game.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert b"round_scored" in lines[-1]
    again = Game.open(path, ticking())
    assert again.scoreboard.totals == {"Ann": 0, "Ben": 12, "Cy": 18}


def test_chinese_tiles_are_put_away_and_settled(tmp_path: Path) -> None:
    names = ("Ann", "Ben", "Cy", "Dee")
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", names), ticking())
    session.start_round(starter="Ann")
    session.play((6, 3), "R")
    session.discard()
    wrong = session.play((6, 1), "L")[0]
    assert [finding["code"] for finding in wrong.to_json()["violations"]] == ["CLOSED_END"]
    settle(session)
    assert (wrong.seq, "CLOSED_END", True) in codes(session)
    shown = state_of(session)
    assert shown["discards"] == {"Ann": 0, "Ben": 1, "Cy": 0, "Dee": 0}
    assert shown["turn"] == "Dee"
    session.end_round("blocked_declared")
    for name, tile in zip(names, [(1, 1), (6, 6), (5, 5), (2, 2)], strict=True):
        session.show_hand(name, [tile])
    assert session.scoreboard.totals == {"Ann": 20, "Ben": -20, "Cy": -12, "Dee": 12}
