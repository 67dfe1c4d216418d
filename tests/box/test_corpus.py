"""Rounds recorded once are followed again without an eye."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bench.corpus import record
from bench.reissue import calls, reissue, said_by_people
from bench.replay import Recorded, as_plays, follow, laid_by, score, true_faults

SEEDS = (41000, 41001, 41003, 41005)
"""A deal of a Chinese game, and rounds of cz, poltava and tactic."""


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> list[Recorded]:
    folder = tmp_path_factory.mktemp("corpus")
    for seed in SEEDS:
        lines = record("told", seed, 14, None, (1600, 1200))
        (folder / f"told-{seed}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [Recorded.read(path) for path in sorted(folder.glob("*.jsonl"))]


def test_a_file_holds_evidence_truth_and_what_was_made_of_it(rounds: list[Recorded]) -> None:
    for one in rounds:
        observed = [line for line in one.lines if line.get("call") == "observe"]
        assert observed and all("delta" in line for line in observed)
        assert laid_by(one) and one.golden["plays"]
        assert {player for _, player in laid_by(one)} <= set(one.head["players"])


def test_the_belief_follows_a_round_without_an_eye(rounds: list[Recorded]) -> None:
    for one in rounds:
        tracker = None
        for tracker, _ in follow(one):  # noqa: B007
            pass
        assert tracker is not None
        found, _ = score(one, as_plays(tracker.verdicts()))
        assert found.lost == 0 and found.right + found.unnamed + found.wrong == found.plays == len(laid_by(one))
        assert found.false == []


def test_a_planted_fault_is_among_the_true_ones(rounds: list[Recorded]) -> None:
    planted = [
        (turn["planted"], turn["player"], one) for one in rounds for turn in one.truth["turns"] if "planted" in turn
    ]
    for code, player, one in planted:
        assert (code, player) in true_faults(one)


def test_what_people_said_of_a_round_reaches_the_belief(rounds: list[Recorded]) -> None:
    """A name, its undoing, a withdrawal and a tile put right, in the lines that a journal has for them."""
    one = rounds[1]
    last = one.golden["events"][-1]["seq"]
    played = next(event for event in one.golden["events"] if event["event"] == "tile_played")
    right = [played["tile"][0], (played["tile"][1] + 1) % 7]
    said = [
        (played["seq"], {"by": one.head["players"][-1]}),
        (last + 1, {"withdrawn": True, "note": "undo"}),
        (played["seq"], {"tile": right}),
        (played["seq"], {"withdrawn": True}),
    ]
    lines = [*one.lines, *({"call": "correct", "seq": last + n, "ms": 0} for n in range(len(said)))]
    events = [
        *one.golden["events"],
        *(
            {"seq": last + 1 + n, "source": "person", "event": "corrected", "corrects": about, "what": what}
            for n, (about, what) in enumerate(said)
        ),
    ]
    told = Recorded(one.name, one.head, lines, one.truth, {**one.golden, "events": events})
    after = [list(tracker.verdicts()) for tracker, _ in follow(told)][-len(said) - 1 :]
    assert [verdict.p for verdict in after[2]] == [verdict.p for verdict in after[0]], "the name was taken back"
    assert any(list(getattr(verdict.act, "tile", ())) == right for verdict in after[3])
    assert not any(verdict.taken_back for verdict in after[3]) and any(verdict.taken_back for verdict in after[4])


def test_a_round_told_again_comes_to_what_was_on_record(rounds: list[Recorded]) -> None:
    for one in rounds:
        assert not said_by_people(one)
        again = reissue(one, arms=True)
        named = sum(play.get("by") is not None for play in one.golden["plays"] if play["event"] == "tile_played")
        assert again.plays.named + len(again.plays.misnamed) == named
        assert again.plays.lost == () and again.faults.false_ever == ()


def test_without_arms_a_pile_shows_no_draw(rounds: list[Recorded]) -> None:
    tactic = next(one for one in rounds if one.head["rules"] == "tactic")
    seen = {"call": "observe", "delta": ["+1-2@Ann", "boneyard-1"], "arms": [["+1-2@Ann", {"Ann": 0}]], "whose": []}
    drawn = {"call": "observe", "delta": ["boneyard-1"], "arms": [["boneyard-1", {"Ann": 0}]]}
    round_ = replace(tactic, lines=[seen, drawn])
    assert list(calls(round_, arms=True)) == [seen, drawn]
    assert list(calls(round_, arms=False)) == [{"call": "observe", "delta": ["+1-2@Ann"]}]


def test_a_question_of_the_camera_is_asked_again(rounds: list[Recorded]) -> None:
    story = {"by": "Ann", "events": []}
    asked = {"call": "ask", "args": ["doubtful", [story]], "named": {"frame": None}}
    dropped = {"call": "drop_question", "args": [99], "named": {}}
    first = rounds[1].lines[0]
    again = reissue(replace(rounds[1], lines=[first, asked, dropped]), arms=True)
    assert again.questions == 1 and again.reasons == ("doubtful",)
