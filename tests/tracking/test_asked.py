"""Questions about taps that do not fit: told acts -> keys of the question -> answer -> faults by player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from companion.rules.position import (
    MEXICAN,
    Action,
    Chain,
    Discard,
    Draw,
    End,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    Unmark,
)
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.asked import AskedRound, Tap, TapAnswer, TapQuestion
from companion.tracking.edits import EditKind
from companion.tracking.strict import Setting, Told, begun

THREE = ("Ann", "Ben", "Cy")
WORDS: Mapping[str, Action] = {"draws": Draw(), "passes": Pass(), "discards": Discard(), "done": End()}


def table(players: Sequence[str] = THREE) -> Position:
    trains: dict[str, Chain] = dict.fromkeys((*players, MEXICAN), ())
    return Position(12, tuple(players), Laid(12, 12), trains, turn=players[0], first_turn=True, boneyard=40)


def tap(seq: int, said: str) -> Tap:
    """`Ann 12-3@MX`, `Ann 3@MX 12` (the outer half, and the end shown), `Ann draws`; `#2` at the end: for her 2nd
    turn."""
    said, _, turn = said.partition(" #")
    who, what, *end = said.split()
    act: Action
    if "@" in what:
        halves, train = what.split("@")
        inner, _, outer = halves.rpartition("-")
        act = Play(Laid(int(inner or end[0]), int(outer)), train)
    else:
        act = {"marks": Mark(who), "unmarks": Unmark(who)}.get(what) or WORDS[what]
    shown = int(end[0]) if end else None
    return Tap(seq, act, who, outer_only=bool(end), end=shown, turn=int(turn) if turn else None)


def told(
    *said: str,
    players: Sequence[str] = THREE,
    rules: str = "tactic",
    answers: Mapping[int, Sequence[TapAnswer]] | None = None,
    hands: Mapping[str, int] | None = None,
) -> AskedRound:
    """The round with these taps, from line 1 on; `hands`: so many tiles each holds in a Chinese game."""
    ruleset = load_ruleset(rules)
    line = LinePosition(tuple(players), turn=players[0], hands=dict(hands or {}))
    asked = AskedRound(ruleset, table(players) if ruleset.is_mexican else line, players[0], answers=answers)
    for seq, one in enumerate(said, 1):
        asked.take(tap(seq, one))
    return asked


def keys(question: TapQuestion) -> list[tuple[str, ...]]:
    """The keys in words: what, and who or which line."""
    return [
        (str(key.kind), *(str(event.get("by", event.get("seq", event.get("boneyard")))) for event in key.events))
        for key in question.keys
    ]


def answered(asked: AskedRound, *kinds: EditKind) -> dict[int, list[TapAnswer]]:
    """The first question answered by its key of this kind."""
    (question,) = asked.questions()
    said = []
    for kind in kinds:
        events = next((key.events for key in question.keys if key.kind is kind), ())
        said.append(TapAnswer(kind, events, "Dad", 99))
    return {question.seq: said}


def against(asked: AskedRound) -> set[tuple[int, str, str | None]]:
    """Line, code, and who confirmed it (None: open)."""
    return {
        (seq, fault.code, said.by if said else None)
        for seq, row in asked.against().items()
        for fault, said in row
        if fault.sure
    }


HONEST = ("Ann 12-3@Ann", "Ben 12-5@MX", "Cy 12-7@Cy", "Ann 3-4@Ann", "Ben 5-6@MX", "Cy 7-2@Cy")


def test_a_round_in_order_asks_nothing() -> None:
    asked = told(*HONEST)
    assert not asked.questions() and not asked.silent() and not against(asked)
    assert [turn.player for turn in asked.turns().values()] == ["Ann", "Ben", "Cy", "Ann", "Ben", "Cy"]


def test_a_quick_neighbour_is_waited_for_in_silence_and_then_asked_about() -> None:
    asked = told(*HONEST[:4], "Cy 7-2@Cy")
    assert not asked.questions() and [one.seq for one in asked.silent()] == [5]
    asked = told(*HONEST[:4], "Cy 7-2@Cy", "Ann 4-9@Ann")
    (question,) = asked.questions()
    assert question.seq == 5 and keys(question)[0] == ("later", "Ben")
    assert against(asked) == {(5, "OUT_OF_TURN", None)}


def test_a_turn_that_comes_late_goes_where_it_was_missing() -> None:
    asked = told(*HONEST[:4], "Cy 7-2@Cy", "Ben 5-6@MX")
    assert not asked.questions() and not asked.silent() and not asked.to_come()
    assert list(asked.turns()) == [1, 2, 3, 4, 6, 5] and asked.filled() == ((6, 5),)


def test_what_is_answered_later_waits_for_the_tap_and_holds_nothing_against_anybody() -> None:
    taps = (*HONEST[:4], "Cy 7-2@Cy", "Ann 4-9@Ann")
    answers = answered(told(*taps), EditKind.LATER)
    asked = told(*taps, answers=answers)
    assert not asked.questions() and [one[:3] for one in asked.to_come()] == [("Ben", 2, 5)] and not against(asked)
    asked = told(*taps, "Ben 5-6@MX #2", answers=answers)
    assert not asked.to_come() and list(asked.turns()) == [1, 2, 3, 4, 7, 5, 6]


def test_it_was_really_so_makes_it_certain_and_names_who_said_it() -> None:
    taps = (*HONEST[:4], "Cy 7-2@Cy", "Ann 4-9@Ann")
    asked = told(*taps, answers=answered(told(*taps), EditKind.SO))
    assert against(asked) == {(5, "OUT_OF_TURN", "Dad")} and not asked.questions()
    # Both the player who was jumped over and the next may go on.
    assert not told(*taps[:5], "Ben 5-6@MX", answers={5: [TapAnswer(EditKind.SO, (), "Dad", 99)]}).questions()


def test_taking_the_answer_back_takes_the_finding_away() -> None:
    taps = ("Ann 12-3@Ann", "Ann 3-4@Ann")
    assert against(told(*taps)) == {(2, "EXTRA_TILE", None)}
    assert against(told(*taps, answers={2: [TapAnswer(EditKind.SO, (), "Dad", 9)]})) == {(2, "EXTRA_TILE", "Dad")}


@pytest.mark.parametrize(
    ("taps", "first"),
    [
        (("Ann draws", "Ben 12-5@MX"), ("missing", "Ann")),
        (("Ann marks", "Ben 12-5@MX"), ("missing", "Ann")),
        (("Ann draws", "Ann draws"), ("twice", "2")),
        (("Ann 3@Ann 12", "Ann 3@Ann 12"), ("twice", "2")),
        (("Ann draws", "Ann marks", "Ben draws", "Ben marks", "Ben 12-5@Cy"), ("name", "Cy")),
        (("Ann draws", "Ann marks", "Ben 12-5@MX", "Cy 12-7@Cy", "Ann 12-3@Ann", "Ben 5-6@MX"), ("missing", "Ann")),
        (("Ann 12-3@Ann", "Ben 12-5@Ben", "Cy 12-7@Cy", "Ann 3-3@Ann", "Ben 5-6@Ben"), ("later", "Ann")),
        (("Ann 12-3@Ann", "Ben 12-5@Ben", "Cy 12-7@Cy", "Ann 4-9@Ann"), ("later", "Ann")),
        (("Ann 12-3@Ann", "Ben draws", "Ben marks", "Cy 12-7@Cy", "Ann 3-4@Ann", "Ben draws", "Ben unmarks",
          "Cy 7-8@Cy"), ("later", "Ben")),
    ],
)  # fmt: skip
def test_the_first_key_is_what_is_likeliest(taps: Sequence[str], first: tuple[str, ...]) -> None:
    (question,) = told(*taps).questions()
    assert keys(question)[0] == first


SHOWN = ("Ann 12-3@Ann #1", "Ben 12-5@MX #1", "Cy 12-7@Cy #1", "Ann 3-4@Ann #2")
"""Each tapped on the phone of whoever did it."""


@pytest.mark.parametrize(
    ("taps", "first"),
    [
        ((*SHOWN, "Cy 5-6@MX"), ("name", "Ben")),
        ((*SHOWN, "Cy 5-6@MX #2"), ("later", "Ben")),
        ((*HONEST[:4], "Cy 5-6@MX"), ("later", "Ben")),
        ((*SHOWN[:3], "Ann draws #2", "Ben 3-1@Ann #2"), ("missing", "Ann")),
        ((*SHOWN[:3], "Ann draws #2", "Ben 3-1@Ann"), ("name", "Ann")),
    ],
)
def test_a_tile_tapped_on_another_phone_than_the_others_of_its_player_may_be_somebody_else_s(
    taps: Sequence[str], first: tuple[str, ...]
) -> None:
    asked = told(*taps)
    (question,) = (*asked.questions(), *asked.silent())
    assert keys(question)[0] == first


def test_a_chinese_tile_that_comes_again_some_turns_later_may_be_its_twin() -> None:
    line = ("Ann 3-4@R", "Ben 4-6@R", "Ann 6-1@R", "Ben 1-3@R", "Ann 3-1@R", "Ben 1-2@R")
    asked = told(*line, "Ben 4-6@R", rules="kkori", players=("Ann", "Ben"))
    (question,) = (*asked.questions(), *asked.silent())
    assert keys(question) == [("later", "Ann"), ("twice", "7")]


def test_with_two_players_two_turns_in_a_row_may_miss_the_one_between() -> None:
    asked = told("Ann 12-3@Ann", "Ann 3-4@Ann", players=("Ann", "Ben"))
    (question,) = asked.questions()
    assert keys(question)[0] == ("later", "Ben")
    filled = told("Ann 12-3@Ann", "Ann 3-4@Ann", "Ben 12-5@MX #1", players=("Ann", "Ben"),
                  answers=answered(asked, EditKind.LATER))  # fmt: skip
    assert not filled.questions() and list(filled.turns()) == [1, 3, 2]


def test_a_forgotten_act_that_was_put_in_gives_way_to_the_tap_that_comes_later() -> None:
    ruleset = load_ruleset("tactic")
    asked = AskedRound(ruleset, table(), "Ann")
    taps = [tap(1, "Ann draws"), tap(4, "Ann marks")._replace(put_in=True), tap(2, "Ben 12-5@MX"), tap(5, "Ann marks")]
    for one in taps:
        asked.take(one)
    assert not asked.questions() and list(asked.turns()) == [1, 5, 2]


def test_an_inner_half_that_nobody_named_follows_from_the_order() -> None:
    taps = ("Ann 12-3@Ann", "Ben 12-5@Ben", "Ann 1@MX 12", "Ben 5-7@Ben", "Ann 3-9@Ann", "Ben 2@MX 1")
    asked = told(*taps, players=("Ann", "Ben"))
    assert asked.tiles() == {3: Laid(12, 1), 6: Laid(1, 2)}
    crossed = told("Ann 12-3@Ann", "Ben 12-5@Ben", "Ben 2@MX 12", "Ann 1@MX 12", players=("Ann", "Ben"))
    assert crossed.tiles() == {4: Laid(12, 1), 3: Laid(1, 2)} and crossed.filled() == ((4, 3),)


def test_a_tap_goes_where_its_train_ends_as_the_phone_showed_it() -> None:
    """In a long first train a tile is still to come: what is tapped for the end behind it lies there."""
    taps = ("Ann 12-3@Ann", "Ben 12-5@Ben", "Cy 12-7@Cy", "Ann 4-6@Ann")
    asked = told(*taps, rules="cz")
    answers = answered(asked, EditKind.LATER)
    asked = told(*taps, "Ann 8@Ann 6", "Ann 3-4@Ann", rules="cz", answers=answers)
    assert [seq for seq, turn in asked.turns().items() if turn.player == "Ann"] == [1, 6, 4, 5]
    assert not asked.to_come() and not against(asked)


def test_an_order_put_right_by_hand_is_taken() -> None:
    taps = ("Ann 12-3@Ann", "Cy 12-7@Cy", "Ben 12-5@MX", "Ann 7-2@Cy")
    (question,) = told(*taps).questions()
    order = TapAnswer(EditKind.ORDER, ({"order": [4, 1, 3, 2]},), "Dad", 9)
    asked = told(*taps, answers={question.seq: [order]})
    assert list(asked.turns()) == [4, 1, 3, 2]
    # The game asks once more about a fault that remains in that order.
    assert [one.again for one in asked.questions()] == [2]


def test_an_order_may_move_taps_that_came_after_the_one_that_was_asked_about() -> None:
    taps = (*HONEST[:3], "Cy 7-2@Cy", "Ann 3-4@Ann", "Ben 5-6@MX")
    assert [one.seq for one in told(*taps).questions()] == [4]
    asked = told(*taps, answers={4: [TapAnswer(EditKind.ORDER, ({"order": [3, 5, 6, 4]},), "Dad", 9)]})
    assert not asked.questions() and not asked.to_come() and not against(asked)
    assert list(asked.turns()) == [1, 2, 3, 5, 6, 4]


def test_a_tile_put_away_is_asked_about_when_a_later_play_proves_it() -> None:
    taps = ("Ann 1-6@R", "Ben discards", "Cy 6-5@R", "Ann 5-3@R", "Ben 3-6@R")
    asked = told(*taps, rules="jielong")
    (question,) = asked.questions()
    assert question.seq == 5 and [fault.tap for fault in question.faults] == [2]
    shown = ({"seq": 2, "violation": "DISCARD_WITH_PLAYABLE", "by": "Ben"},)
    sure = told(*taps, rules="jielong", answers={5: [TapAnswer(EditKind.SO, shown, "Dad", 9)]})
    assert against(sure) == {(2, "DISCARD_WITH_PLAYABLE", "Dad")}


@pytest.mark.parametrize(
    ("rules", "taps", "missing"),
    [
        ("cz", ("Ann 12-5@Ann", "Cy 12-1@Cy", "Ann 12-3@MX"), ("Ben",)),
        ("cz", ("Ann 12-3@Ann", "Ann 3-4@Ann", "Ben 12-5@MX"), ("Ben", "Cy", "Ann")),
        ("poltava", ("Ann 12-5@MX",), ("Ann", "Ben", "Cy")),
    ],
)
def test_a_mexican_train_too_early_may_mean_that_first_trains_are_still_to_come(
    rules: str, taps: Sequence[str], missing: Sequence[str]
) -> None:
    (question,) = told(*taps, rules=rules).questions()
    assert [fault.code for fault in question.faults] == ["MX_TOO_EARLY"]
    assert ("later", *missing) in keys(question)


def test_a_first_train_that_was_said_to_be_still_to_come_goes_before_the_mexican_train() -> None:
    taps = ("Ann 12-5@Ann", "Cy 12-1@Cy", "Ann 12-3@MX")
    answers = answered(told(*taps, rules="cz"), EditKind.LATER)
    asked = told(*taps, "Ben 12-8@Ben #1", "Ben 8-2@Ben #1", "Ben done #1", "Ben 3-7@MX", rules="cz", answers=answers)
    assert not asked.questions() and not asked.silent() and not against(asked)
    assert [turn.player for turn in asked.turns().values()][-2:] == ["Ann", "Ben"]


@pytest.mark.parametrize("rules", ["tactic", "poltava", "cz"])
@pytest.mark.parametrize("before", [(), ("Ann 12-3@Ann", "Ann done")])
def test_who_says_that_a_turn_is_over_of_which_nothing_is_tapped_may_tap_it_later(
    rules: str, before: Sequence[str]
) -> None:
    who, first = ("Ben", "12-5@Ben") if before else ("Ann", "12-5@Ann")
    taps = (*before, f"{who} done")
    asked = told(*taps, rules=rules)
    assert ("later", who) in keys(asked.questions()[0])
    answers = answered(asked, EditKind.LATER)
    assert not against(told(*taps, rules=rules, answers=answers))
    asked = told(*taps, f"{who} {first} #1", rules=rules, answers=answers)
    assert not asked.questions() and not asked.to_come() and not against(asked)


@pytest.mark.parametrize("players", [("Ann", "Ben"), THREE])
def test_a_tile_of_a_first_train_may_be_tapped_after_my_turn_is_over(players: Sequence[str]) -> None:
    taps = ("Ann 12-3@Ann", "Ann done", "Ann 3-4@Ann", *(f"{name} 12-{n}@{name}" for n, name in enumerate(players[1:])))
    asked = told(*taps, players=players, rules="poltava")
    (question,) = asked.questions() or asked.silent() or told(*taps[:3], players=players, rules="poltava").silent()
    assert ("earlier", "3") in keys(question)
    earlier = next(key for key in question.keys if key.kind is EditKind.EARLIER)
    asked = told(
        *taps, players=players, rules="poltava", answers={3: [TapAnswer(EditKind.EARLIER, earlier.events, "Dad", 9)]}
    )
    assert list(asked.turns())[:3] == [1, 3, 2] and not asked.questions() and not against(asked)


def test_a_marker_put_on_beside_a_first_train_is_no_turn_before_the_starter_s() -> None:
    """cz: everybody has begun; only Ann may have had a second turn."""
    taps = ("Ann 12-3@Ann", "Ben 12-5@Ben", "Cy 12-8@Cy", "Ben marks", "Ben 5-9@Ben", "Ann 3-1@MX")
    (question,) = told(*taps, rules="cz").questions()
    assert [(fault.code, fault.player) for fault in question.faults] == [("MARKER_UNEARNED", "Ben")]


def test_where_the_others_have_no_tile_left_each_tile_is_a_turn() -> None:
    taps = ("Ann 1-6@R", "Ben passes", "Ann 6-5@R", "Ben 5-3@R", "Ben 3-3@R")
    asked = told(*taps, players=("Ann", "Ben"), rules="jielong", hands={"Ann": 2, "Ben": 2})
    assert [question.seq for question in asked.questions()] == [2]


def test_who_laid_a_tile_that_is_none_of_these_may_hold_one_more() -> None:
    taps = ("Ann 1-6@R", "Ben 6-9@R", "Ann 9-5@R", "Ben 5-1@R")
    asked = told(*taps, players=("Ann", "Ben"), rules="jielong", hands={"Ann": 2, "Ben": 1},
                 answers={seq: [TapAnswer(EditKind.SO, (), "Dad", 9)] for seq in (2, 3)})  # fmt: skip
    assert not asked.questions() and "OUT_OF_TURN" not in {code for _, code, _ in against(asked)}


def test_whoever_laid_a_tile_that_lay_there_already_is_not_counted_out() -> None:
    """By the count the 4-4 is Ann's last tile, and asks for no second one; she drew for it, and marked."""
    said = ("Ann 12-4@Ann", "Ben 12-5@Ben", "Ann 4-12@Ann", "Ben 5-6@Ben", "Ann 12-12@MX", "Ann draws", "Ann marks")
    asked = AskedRound(load_ruleset("tactic"), replace(table(("Ann", "Ben")), hands={"Ann": 3, "Ben": 9}), "Ann",
                       answers={n: [TapAnswer(EditKind.SO, (), "Dad", 9)] for n in (3, 5)})  # fmt: skip
    for seq, one in enumerate(said, 1):
        asked.take(tap(seq, one))
    assert {code for _, code, _ in against(asked)} == {"DUPLICATE_TILE"} and not asked.questions()


def test_a_second_tile_put_away_in_a_turn_is_in_place_of_none() -> None:
    taps = ("Ann 1-6@R", "Ann discards", "Ben 6-5@R", "Cy 5-3@R", "Ann 3-6@R")
    asked = told(*taps, rules="jielong", answers={2: [TapAnswer(EditKind.SO, (), "Dad", 9)]})
    assert against(asked) == {(2, "EXTRA_TILE", "Dad")} and not asked.questions()


def test_no_answer_makes_anybody_certain() -> None:
    asked = told("Ann 12-3@Ann", "Ann draws", "Cy 12-7@Ben", "Cy 1-2@Ann", "Ben passes", "Ann 9-9@MX", "Ann unmarks")
    assert asked.questions() and {said for _, _, said in against(asked)} == {None}


@pytest.mark.parametrize(("left", "offered"), [(40, False), (6, True)])
def test_a_boneyard_is_no_empty_one_with_most_of_its_tiles_in_it(left: int, offered: bool) -> None:
    """Ben's marker is tapped and his draw is not."""
    asked = AskedRound(load_ruleset("tactic"), replace(table(), boneyard=left), "Ann")
    asked.take(Tap(2, Play(Laid(12, 3), "Ann"), "Ann"))
    asked.take(Tap(3, Mark("Ben"), "Ben"))
    asked.take(Tap(4, Play(Laid(12, 4), "Cy"), "Cy"))
    (question,) = asked.questions()
    assert (EditKind.BONEYARD in {key.kind for key in question.keys}) == offered


def test_a_boneyard_that_is_empty_asks_for_no_draw() -> None:
    fold = begun(load_ruleset("tactic"), table(), "Ann")
    emptied, _ = fold.take(Told(Setting(0), ""))
    for start, codes in ((fold, ["NO_DRAW"]), (emptied, [])):
        marked, _ = start.take(Told(Mark("Ann"), "Ann", 1))
        _, faults = marked.take(Told(Play(Laid(12, 5), MEXICAN), "Ben", 2))
        assert [fault.code for fault in faults] == codes


def test_absurd_taps_are_taken() -> None:
    """Tiles that are in no set, trains of others, acts of a round that is over: all of it is asked about."""
    said = ("Cy 9-9@Ben", "Cy unmarks", "Ann marks", "Ben 0-0@MX", "Ben passes", "Ben passes", "Ann 12-12@Ann #9")
    for rules in ("tactic", "reeves", "cz", "poltava"):
        asked = told(*said * 3, rules=rules)
        assert len(asked.taps) == 21 and asked.questions() and not asked.reading.wrong()


def test_behind_a_turn_to_come_a_tile_may_be_a_double_of_which_nobody_named_the_inner_half() -> None:
    """Ben's 4-6 is tapped last: the 6 that Cy tapped for the end 4 is the 6-6, and Cy covered it."""
    asked = told("Ann 12-4@MX", "Cy 6@MX 4", "Cy 3@MX 6", "Ben 4-6@MX")
    assert not asked.questions() and not asked.silent() and list(asked.turns()) == [1, 4, 2, 3]
    assert asked.tiles() == {2: Laid(6, 6), 3: Laid(6, 3)}


def test_a_pass_before_the_turn_of_the_neighbour_is_a_turn_once_that_is_to_come() -> None:
    """The boneyard is empty: Cy, who has marked, passes before Ben has tapped; Ann goes on."""
    said = ("Ann 12-3@Ann", "Ben 12-5@Ben", "Cy marks", "Ann 3-4@Ann", "Cy passes", "Ann 4-6@Ann")
    asked = AskedRound(load_ruleset("tactic"), replace(table(), boneyard=0), "Ann")
    for seq, one in enumerate(said, 1):
        asked.take(tap(seq, one))
    (question,) = asked.questions()
    assert keys(question)[0] == ("later", "Ben") and question.keys[0].events[0]["before"] == 5
    asked.take(tap(7, "Ben 5-7@Ben #2"))
    assert list(asked.turns()) == [1, 2, 3, 4, 7, 5, 6]


def test_a_key_tapped_again_on_a_page_that_is_behind_is_no_other_tile() -> None:
    """12-9, and once more for the end with 12: by then that would read as 9-9."""
    asked = told("Ann 9@Ann 12", "Ann 9@Ann 12", rules="cz")
    (question,) = asked.questions()
    assert question.seq == 2 and keys(question)[0] == ("twice", "2")


def test_the_tile_below_may_belong_to_more_of_anybodys_turn() -> None:
    taps = ("Ann draws", "Ann marks", "Ben 12-5@Ben", "Cy draws", "Ann draws", "Ann 6-1@Ann")
    asked = told(*taps, "Ben 5-4@Ben", rules="reeves")
    (question,) = asked.questions() or asked.silent()
    waits = [dict(key.events[0]) for key in question.keys if key.kind is EditKind.LATER]
    assert {"event": "turn_to_come", "by": "Cy", "before": 5} in waits


def test_a_marker_that_begins_a_turn_is_the_one_that_an_answer_put_in() -> None:
    asked = AskedRound(load_ruleset("tactic"), table(("Ann", "Ben")), "Ann")
    row = [
        "Ann 12-3@Ann",
        "Ben draws",
        "Ben marks",
        "Ann 3-4@Ann",
        "Ben 12-5@Ben",
        "Ben unmarks",
        "Ann draws",
        "Ben marks",
    ]
    for seq, one in enumerate(row, 1):
        asked.take(tap(seq, one)._replace(put_in=seq == 3))
    assert not asked.questions() and 3 not in asked.turns() and asked.turns()[8] == asked.turns()[2]


def test_a_second_draw_may_have_a_double_between() -> None:
    taps = (*HONEST, "Ann draws", "Ann draws")
    asked = told(*taps)
    (question,) = asked.questions()
    assert ("later", "Ann") in keys(question)
    asked = told(*taps, "Ann marks", "Ann 4-4@Ann", answers=answered_by(question, ("later", "Ann")))
    assert not against(asked)


def answered_by(question: TapQuestion, key: tuple[str, ...]) -> dict[int, list[TapAnswer]]:
    """The question answered by this key."""
    one = question.keys[keys(question).index(key)]
    return {question.seq: [TapAnswer(one.kind, one.events, "Dad", 99)]}


def test_whoever_goes_on_with_no_tile_left_by_the_count_has_drawn_before() -> None:
    ruleset = load_ruleset("reeves")
    asked = AskedRound(ruleset, replace(table(("Ann", "Ben")), hands={"Ann": 2, "Ben": 9}), "Ann")
    for seq, one in enumerate(["Ann 12-3@Ann", "Ben 12-5@Ben", "Ann 3-3@Ann", "Ann draws"], 1):
        asked.take(tap(seq, one))
    (question,) = asked.questions()
    assert keys(question)[0] == ("missing", "Ann")


def test_a_second_draw_for_the_turn_that_was_shown_is_none_of_the_next_turn() -> None:
    taps = ("Eva 12-3@Eva #1", "Eva 3-5@Eva #2", "Finn draws #1", "Finn draws #1")
    asked = told(*taps, players=("Eva", "Finn"))
    assert keys(next(one for one in asked.questions() if one.seq == 4))[0] == ("twice", "4")
    assert [(player, own, unable) for player, own, _, unable in told(*taps[:3], players=("Eva", "Finn")).to_come()] == [
        ("Finn", 1, (Mark("Finn"),))
    ]


def test_a_double_that_a_second_tap_made_up_has_a_key() -> None:
    """The page shows the new end already: the same half tapped again reads as its double."""
    asked = told("Ann 3@Ann 12", "Ann 3@Ann 3", "Ben 5@MX 12")
    (question,) = asked.questions() or asked.silent()
    assert ("twice", "2") in keys(question)


def test_a_marker_on_another_s_train_beside_the_first_trains_begins_no_turn() -> None:
    """cz: Cy puts his marker on Ann's train; that is one charge, and no turn before the starter's."""
    asked = AskedRound(load_ruleset("cz"), table(), "Ann")
    for seq, one in enumerate(("Ann 12-3@Ann", "Ben 12-5@Ben", "Cy 12-8@Cy"), 1):
        asked.take(tap(seq, one))
    asked.take(Tap(4, Mark("Ann"), "Cy"))
    (question,) = asked.questions()
    assert [(fault.code, fault.player) for fault in question.faults] == [("MARKER_WRONG_TRAIN", "Cy")]
    asked.take(tap(5, "Ann 3-4@Ann"))
    assert [(fault.code, fault.player) for one in asked.questions() for fault in one.faults] == [
        ("MARKER_WRONG_TRAIN", "Cy")
    ]
    asked.take(tap(6, "Ben 8-9@Cy"))
    charged = {(fault.code, fault.player) for one in asked.questions() for fault in one.faults}
    assert "MARKER_UNEARNED" not in {code for code, _ in charged}


def test_a_charge_that_no_turn_to_come_takes_away_is_asked_apart_from_the_turn() -> None:
    """Ben's tile is late, and Cy puts a tile away face up: it was so, but Cy was not out of turn."""

    def taken(*taps: Tap, answers: Mapping[int, Sequence[TapAnswer]] | None = None) -> AskedRound:
        asked = AskedRound(load_ruleset("jielong"), LinePosition(THREE, turn="Ann"), "Ann", answers=answers)
        for one in taps:
            asked.take(one)
        return asked

    face_up = Tap(2, Discard(face_up=True), "Cy")
    (first,) = taken(tap(1, "Ann 3-6@R"), face_up).questions()
    assert [fault.code for fault in first.faults] == ["DISCARD_FACE_UP"]
    said = {2: [TapAnswer(EditKind.SO, ({"violation": "DISCARD_FACE_UP", "by": "Cy"},), "Dad", 9)]}
    (second,) = taken(tap(1, "Ann 3-6@R"), face_up, answers=said).silent()
    assert [fault.code for fault in second.faults] == ["OUT_OF_TURN"] and ("later", "Ben") in keys(second)
    asked = taken(tap(1, "Ann 3-6@R"), face_up, tap(3, "Ben 6-6@R"), tap(4, "Ann 6-5@R"), answers=said)
    assert not asked.questions()
    assert against(asked) == {(2, "DISCARD_FACE_UP", "Dad")}


@pytest.mark.parametrize(
    ("late", "key"),
    [
        # Ben's second turn had a draw, and its end is tapped a lap later.
        (("Ann 3-4@Ann", "Ben draws", "Cy 8-9@Cy", "Ann 4-6@Ann", "Ben passes"), ("earlier", "9")),
        # Cy's double, which opens his train to Ann, is not tapped yet.
        (("Ann 3-4@Ann", "Ben 12-6@MX", "Cy 12-1@MX", "Ann 8-7@Cy"), ("later", "Cy")),
    ],
)
def test_what_another_turn_of_the_last_lap_lacks_has_the_first_key(late: tuple[str, ...], key: tuple[str, ...]) -> None:
    (question,) = told("Ann 12-3@Ann", "Ben draws", "Ben marks", "Cy 12-8@Cy", *late).questions()
    assert keys(question)[0] == key


def test_the_long_first_train_that_ends_in_an_open_double_may_go_on() -> None:
    asked = told("Ann 12-3@Ann", "Ben 12-5@Ben", "Ben 5-5@Ben", "Cy 12-8@Cy", "Ann 3-4@Ann", rules="poltava")
    (question,) = asked.questions()
    assert [one.code for one in question.faults] == ["OPEN_DOUBLE_IGNORED"] and ("later", "Ben") in keys(question)


def test_two_turns_of_one_player_are_settled_by_the_other_s_where_nothing_else_fits() -> None:
    """As long as the second may be a tile too many it is asked about."""
    two, taps = ("Ann", "Ben"), ("Ann 12-3@Ann #1", "Ann 3-4@Ann #2", "Ben 12-5@Ben #1")
    open_ = told(*taps, players=two)
    (question,) = open_.questions()
    assert against(open_) == {(2, "EXTRA_TILE", None)} and open_.came(question) == {0: 3}
    settled = told(*taps, "Ben 5-6@Ben #2", players=two)
    assert not settled.questions() and not against(settled) and settled.filled() == ((3, 2),)
    so = told(*taps, "Ben 5-6@Ben #2", players=two, answers={2: [TapAnswer(EditKind.SO, (), "Dad", 9)]})
    assert (2, "EXTRA_TILE", "Dad") in against(so)


def test_the_last_tap_of_an_order_that_somebody_gave_is_asked_about_once() -> None:
    answers = {2: [TapAnswer(EditKind.ORDER, ({"order": [1, 2, 3]},), "Dad", 9)]}
    asked = told("Ann 12-3@Ann", "Cy 12-8@Cy", "Cy 8-9@Cy", "Ann 3-4@Ann", answers=answers)
    assert [one.seq for one in (*asked.questions(), *asked.silent())] == [3]
