"""A fault that could be several people's is told as one of these until the later plays decide."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.game.round import Round
from companion.log.event_fields import Header
from companion.log.events import MarkerPlaced, RoundEnded, TilePlayed
from companion.rules.notation import Drawing, Vanishing, parse_delta
from companion.rules.position import Mark, Play, Unmark
from companion.rules.tile import Laid, Tile
from datasets.bots.watching import table_change
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy", "Dee")


def table(tmp_path: Path, rules: str = "tactic", *, draws_seen: bool = False) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header(rules, "double-12", NAMES, {}), ticking())
    session.start_round(Laid(12, 12), "Ann", draws_seen=draws_seen)
    return session


def watch(session: Game, *deltas: str) -> None:
    for delta in deltas:
        session.observe(table_change(parse_delta(delta.split("; "))))


def held(session: Game) -> list[tuple[str, bool, str | None]]:
    """(code, certain, offender) of everything that stands."""
    return [
        (finding.code, finding.certain, finding.by or getattr(line.event, "by", None))
        for line, finding in session.scoreboard.violations
    ]


def acts(session: Game) -> set[tuple[object, ...]]:
    """(kind, player, tile) of every line that still stands."""
    taken = {getattr(line.event, "undoes", None) for line in session.scoreboard.lines}
    return {
        (line.event.KIND, getattr(line.event, "by", None), getattr(line.event, "tile", None))
        for line in session.scoreboard.lines
        if line.seq not in taken and line.event.KIND != "tile_taken_back"
    }


def by(session: Game, *halves: int) -> str | None:
    return next(
        line.event.by
        for line in session.scoreboard.lines
        if isinstance(line.event, TilePlayed) and line.event.tile == Laid(*halves)
    )


def test_a_fault_that_nobody_noticed_is_found_turns_later(tmp_path: Path) -> None:
    """Ben played and put his marker on all the same; until Cy plays too it may have been Cy's tile after Ben's pass.

    So nobody is named for it, and nobody blamed.
    """
    session = table(tmp_path)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy", "+12-9@Dee", "mark Ann", "+12-4@MX; mark Ben")
    assert held(session) == []
    assert by(session, 12, 4) is None
    watch(session, "+11-8@Cy")
    assert ("MARKER_UNEARNED", False, "Ben") in held(session)
    assert not any(certain for _, certain, _ in held(session))
    watch(session, "+4-11@MX", "+3-9@Ann", "+10-1@Ben", "+8-5@Cy")
    assert "MARKER_UNEARNED" in {code for code, _, _ in held(session)}
    assert not any(certain for _, certain, _ in held(session))
    assert by(session, 12, 4) in ("Ben", None)
    assert by(session, 11, 8) in ("Cy", None)


def test_of_two_who_may_have_erred_the_next_play_names_one(tmp_path: Path) -> None:
    """On a closed train by Cy, or one too many by Ben, which is rarer: when Dee goes on at her own train it was Cy."""
    session = table(tmp_path)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy", "+12-9@Dee", "+3-7@Ann", "+10-2@Ben", "+2-6@Ben")
    assert {(code, certain) for code, certain, _ in held(session)} >= {("CLOSED_TRAIN", False)}
    assert by(session, 2, 6) is None
    watch(session, "+9-8@Dee", "+7-1@Ann")
    assert ("CLOSED_TRAIN", True, "Cy") in held(session)
    assert not any(code == "EXTRA_TILE" for code, _, _ in held(session))
    assert by(session, 2, 6) == "Cy"


def test_taking_the_tile_back_takes_back_what_it_made_doubtful(tmp_path: Path) -> None:
    session = table(tmp_path)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy", "+12-9@Dee", "mark Ann", "+12-4@MX; mark Ben")
    before = acts(session)
    watch(session, "+11-8@Cy")
    assert acts(session) != before
    session.observe(table_change([Vanishing(Laid(11, 8), "Cy")]))
    assert held(session) == []
    assert acts(session) == before


def test_a_draw_that_the_camera_overlooked_accuses_nobody_for_certain(tmp_path: Path) -> None:
    """Ann's marker appears without a draw: she did not draw, or the pile was counted wrongly."""
    session = table(tmp_path, "reeves", draws_seen=True)
    for train, outer in zip(NAMES, (3, 10, 11, 9), strict=True):
        session.observe(table_change([Play(Laid(12, outer), train)]))
    session.observe(table_change([Mark("Ann")]))
    session.observe(table_change([Play(Laid(10, 2), "Ben")]))
    assert any(isinstance(line.event, MarkerPlaced) for line in session.scoreboard.lines)
    assert not any(certain for _, certain, _ in held(session))
    session.observe(table_change([Drawing(1), Mark("Cy")]))
    session.observe(table_change([Play(Laid(9, 1), "Dee")]))
    assert not any(certain for _, certain, _ in held(session))


def test_a_tile_on_a_train_whose_owner_takes_the_marker_off_is_the_owners(tmp_path: Path) -> None:
    """Ann marks; Ben's draw is overlooked; a tile comes to Ann's train as its marker goes: that is what it goes for."""
    house = {"mx_root": "engine"}
    session = Game.create(tmp_path / "g.jsonl", Header("cz", "double-12", ("Ann", "Ben"), house), ticking())
    session.start_round(Laid(12, 12), "Ann", draws_seen=True)
    for tile, train in ((Laid(12, 3), "Ann"), (Laid(12, 10), "Ben")):
        session.observe(table_change([Play(tile, train)]))
    session.observe(table_change([Play(Laid(3, 4), "Ann")]))
    session.observe(table_change([Drawing(1), Mark("Ben")]))
    session.observe(table_change([Drawing(1), Mark("Ann")]))
    session.observe(table_change([Play(Laid(4, 0), "Ann"), Unmark("Ann")]))
    (laid,) = [line.event for line in session.scoreboard.lines if getattr(line.event, "tile", None) == Laid(4, 0)]
    assert isinstance(laid, TilePlayed)
    assert laid.by == "Ann"
    assert held(session) == []


def counted_out(tmp_path: Path) -> Game:
    """Four first tiles lie there, and the camera has counted Dee out though she is not."""
    session = table(tmp_path, "reeves", draws_seen=True)
    for train, outer in zip(NAMES, (3, 10, 11, 9), strict=True):
        session.observe(table_change([Play(Laid(12, outer), train)]))
    session._add(RoundEnded(how="out", out="Dee", source="camera"))
    assert session.phase == "ended"
    return session


def test_a_round_that_only_the_count_ended_goes_on_with_the_next_tile(tmp_path: Path) -> None:
    """Nobody is blamed for a tile after an end that the camera itself had counted."""
    session = counted_out(tmp_path)
    session.observe(table_change([Play(Laid(3, 7), "Ann")]))
    assert session.phase == "playing"
    assert by(session, 3, 7) == "Ann"
    assert held(session) == []


def test_a_marker_seen_after_an_end_that_was_none_counts(tmp_path: Path) -> None:
    """Ann draws and marks while the round passes for ended: Ben's tile on her train is no fault."""
    session = counted_out(tmp_path)
    assert session.observe(table_change([Drawing(1), Mark("Ann")])) == ()
    session.observe(table_change([Play(Laid(3, 7), "Ann")]))
    assert session.phase == "playing"
    assert session.position.markers == {"Ann"}
    assert by(session, 3, 7) == "Ben"
    assert held(session) == []


def test_a_tile_that_rests_on_what_was_seen_since_the_end_opens_the_round_again(tmp_path: Path) -> None:
    """Ann draws and marks, then Ben lays on her train: the tile alone would be against the rules."""
    session = counted_out(tmp_path)
    session.observe(table_change([Drawing(1), Mark("Ann")]))
    session.observe(table_change([Play(Laid(3, 7), "Ann")]))
    session.observe(table_change([Play(Laid(7, 7), "Ann"), Play(Laid(7, 1), "Ann")]))
    assert session.phase == "playing"
    assert [by(session, *tile) for tile in ((3, 7), (7, 7), (7, 1))] == ["Ben", "Cy", "Cy"]
    assert held(session) == []


def test_a_tile_against_the_rules_after_a_counted_end_counts_with_the_next_one(tmp_path: Path) -> None:
    """Alone it may be a tile that somebody puts down beside a train; once they play on it was laid."""
    session = counted_out(tmp_path)
    session.observe(table_change([Play(Laid(5, 6), "Ann")]))
    assert session.phase == "ended" and held(session) == []
    session.observe(table_change([Play(Laid(10, 2), "Ben")]))
    assert session.phase == "playing"
    assert by(session, 10, 2) == "Ben"
    assert [code for code, _, _ in held(session)] == ["MISMATCH"]


def test_one_step_back_takes_a_counted_end_back_and_no_tile(tmp_path: Path) -> None:
    session = counted_out(tmp_path)
    session.undo()
    assert session.phase == "playing"
    assert by(session, 12, 9) == "Dee"
    session.close()
    session = Game.open(tmp_path / "g.jsonl", ticking())
    assert session.phase == "playing"
    session.observe(table_change([Play(Laid(3, 7), "Ann")]))
    assert by(session, 3, 7) == "Ann"


def test_an_end_that_somebody_took_back_is_not_counted_again(tmp_path: Path) -> None:
    """The rules count a hand down to none: whoever says that the round goes on is believed, over a restart too."""
    session = for_two(tmp_path)
    plays = lay_down_to_nothing(session)
    while session.phase == "playing":
        last = next(plays)
    session.undo()
    assert session.phase == "playing" and by(session, *last[1]) == last[0]
    session.close()
    session = Game.open(tmp_path / "g.jsonl", ticking())
    assert session.phase == "playing"
    other = "Ben" if last[0] == "Ann" else "Ann"
    session.observe(table_change([Drawing(1), Mark(other)]))
    assert session.phase == "playing"
    assert held(session) == []


def lay_down_to_nothing(session: Game, *, overlooked: int | None = None) -> Iterator[tuple[str, Laid]]:
    """Ann and Ben lay in turn, each on their own train, a tile after which most others still fit. In one turn Ben only
    sets his marker, as if he had drawn where nobody saw it."""
    mover, ends, lying = "Ann", {"Ann": 12, "Ben": 12}, {Tile(12, 12)}
    for turn in count():
        if turn == overlooked:
            session.observe(table_change([Mark("Ben")]))
        else:
            free = [n for n in range(13) if n != ends[mover] and Tile(ends[mover], n) not in lying]
            laid = Laid(ends[mover], max(free, key=lambda n: sum(Tile(n, m) not in lying for m in range(13))))
            session.observe(table_change([Play(laid, mover)]))
            lying.add(laid.tile)
            ends[mover] = laid.outer
            yield mover, laid
        mover = "Ben" if mover == "Ann" else "Ann"


def for_two(tmp_path: Path) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben"), {}), ticking())
    session.start_round(Laid(12, 12), "Ann", draws_seen=True)
    return session


def test_a_round_that_the_rules_ended_on_a_wrong_count_goes_on_too(tmp_path: Path) -> None:
    """Draws were overlooked until a hand seemed empty: the end is taken back, and hands are not counted any more."""
    session = for_two(tmp_path)
    plays = lay_down_to_nothing(session)
    while session.phase == "playing":
        next(plays)
    assert any(isinstance(line.event, RoundEnded) and line.event.source == "rule" for line in session.scoreboard.lines)
    mover, laid = next(plays)
    assert session.phase == "playing"
    assert by(session, *laid) == mover
    assert held(session) == []
    session.close()
    assert Game.open(tmp_path / "g.jsonl", ticking()).phase == "playing"


def test_a_draw_that_was_overlooked_leaves_the_other_hands_counted(tmp_path: Path) -> None:
    """Ben may have drawn unseen; Ann has laid all her tiles all the same."""
    session = for_two(tmp_path)
    plays = lay_down_to_nothing(session, overlooked=3)
    laid: dict[str, int] = {"Ann": 0, "Ben": 0}
    while session.phase == "playing":
        laid[next(plays)[0]] += 1
    assert session.scoreboard.round is not None and session.scoreboard.round.out == "Ann"
    assert laid["Ann"] == session.rules.hand_size(12, 2) > laid["Ben"]
    assert held(session) == [("NO_DRAW", False, "Ben")]


def test_who_would_have_the_turn_if_a_draw_was_overlooked_may_be_to_blame_too(tmp_path: Path) -> None:
    """Ben's marker lies there: had he drawn unseen, he would have passed, and the tile on his train were Cy's."""
    session = table(tmp_path, draws_seen=True)
    watch(session, "+12-3@Ann", "boneyard-1; mark Ben", "+12-11@Cy", "+12-9@Dee", "+3-7@Ann", "+4-7@Ben")
    (laid,) = (line.event for line in session.scoreboard.lines if getattr(line.event, "tile", None) == Laid(4, 7))
    assert isinstance(laid, TilePlayed)
    assert laid.by is None
    assert {"Ben", "Cy"} <= set(laid.maybe)


def test_without_a_marker_no_draw_goes_by_unseen(tmp_path: Path) -> None:
    session = table(tmp_path, draws_seen=True)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy", "+12-9@Dee", "+3-7@Ann", "+10-2@Ben", "+4-7@Cy", "+9-1@Dee")
    watch(session, "+7-8@Ann", "+2-5@Ben")
    assert ("MISMATCH", True, "Cy") in held(session)


def test_a_tile_that_does_not_fit_where_it_may_not_lie_may_be_somebody_elses(tmp_path: Path) -> None:
    """Ben draws and forgets the marker, Cy errs on their own train: in one fault, Ben had laid that tile there."""
    session = table(tmp_path, draws_seen=True)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy", "+12-9@Dee", "+3-7@Ann", "boneyard-1", "+5-4@Cy")
    certain = [(code, offender) for code, sure, offender in held(session) if sure]
    assert certain == [("MISMATCH", None)]


def test_who_moves_next_keeps_two_stories_of_one_fault_apart(tmp_path: Path) -> None:
    """Ann's tile and Ben's wrong root came in one picture; that Ann goes on shows whose turn came last."""
    house = {"mx_root": "engine"}
    session = Game.create(tmp_path / "g.jsonl", Header("cz", "double-12", ("Ann", "Ben"), house), ticking())
    session.start_round(Laid(12, 12), "Ann", draws_seen=True)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+3-7@Ann", "boneyard-1; mark Ben", "+7-11@Ann", "boneyard-1")
    watch(session, "+11-4@Ann; +1-4@MX", "+4-5@Ann", "boneyard-1")
    certain = {(code, offender) for code, sure, offender in held(session) if sure}
    assert not certain & {("CLOSED_TRAIN", "Ben"), ("CLOSED_TRAIN", None)}
    assert ("WRONG_ROOT", None) in certain, "the picture proves that it lies wrong, and not who laid it"


def test_whose_mismatch_it_was_is_open_while_another_rule_may_have_been_broken(tmp_path: Path) -> None:
    """Ann lays 9-1 where it does not fit; later Ben lays on her closed train. That Ann laid there, so that all before
    was the other's, needs no second broken rule. It is likelier by then, and not certain."""
    session = Game.create(tmp_path / "game.jsonl", Header("reeves", "double-12", ("Ann", "Ben"), {}))
    session.start_round((12, 12), "Ann")
    blamed = set()
    for delta in (
        ["+12-11@Ann"], ["+12-5@Ben"], ["+11-10@Ann", "+5-8@Ben"], ["+12-3@MX", "+3-4@MX"], ["+9-1@MX"],
        ["+8-6@Ben", "+1-8@MX"], ["+10-4@Ann"], ["+8-9@MX"], ["+9-12@MX"], ["+4-11@Ann"],
    ):  # fmt: skip
        session.observe(table_change(parse_delta(delta)))
        found = [finding for play in state_of(session)["plays"] for finding in play.get("violations", ())]
        blamed |= {(one["code"], one.get("by")) for one in found if one["certain"]}
    assert blamed == {("MISMATCH", None)}


def test_who_it_probably_was_is_a_guess_that_nothing_rests_on(tmp_path: Path) -> None:
    """Draws are not seen here, so nobody is named after the first tile; the order of turns still tells a little."""
    session = table(tmp_path, "kkori")
    watch(session, "+6-6@R", "+6-5@R; +5-4@R; +4-6@R; +5-1@R")
    plays = [play for play in state_of(session)["plays"] if play["event"] == "tile_played"]
    assert [(play["by"], play.get("guess")) for play in plays[1:4]] == [(None, "Ben"), (None, "Cy"), (None, "Dee")]
    assert "guess" not in plays[0] and not any(event.to_json().get("guess") for event in session.events)
    session.correct(plays[1]["seq"], {"by": "Cy"})
    after = next(play for play in state_of(session)["plays"] if play["seq"] == plays[1]["seq"])
    assert after["by"] == "Cy" and "guess" not in after
    session.close()


def test_an_end_that_only_the_counts_tell_needs_the_belief_or_somebodys_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = for_two(tmp_path)
    plays = lay_down_to_nothing(session)
    while session.phase == "playing":
        next(plays)
    ended = session.history.last
    now = Round(ended.before, ended.lines[:-1], ended.seen)
    assert [type(line) for line in now.due(counted=False)] == [RoundEnded], "the belief says so too"
    monkeypatch.setattr(type(now.belief.tracker), "end", lambda _: None)
    assert not now.due(counted=False)
    assert [type(line) for line in now.due(counted=True)] == [RoundEnded]
