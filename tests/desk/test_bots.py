"""Bots play by the rules in every game, and break them on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.playing import begin, play_out, say
from bench.stand_ins.settling import asked
from companion.game.game import Game
from companion.log.events import Drew, HandShown
from companion.rules.referee import Referee
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.rules.violations import Certainty, Violation
from datasets.bots import BotGame, BotRound
from datasets.bots.planting import AT_THE_DEAL, BY_HIDDEN_HANDS, plantable
from datasets.bots.recording import reveal
from tests.lanes import nightly
from tests.shown import state_of

SIZES = {"tactic": (9, 4), "reeves": (9, 4), "poltava": (9, 4), "cz": (9, 3)}
"""Set and players of the shortest games that each rule set deals; the Chinese games are played by four."""

SITUATIONS = ("DEAD_TRAIN", "DOUBLE_ORDER", "DRAW_FROM_EMPTY")
"""Moments for these are rare: they are looked for in more rounds."""


def bots(name: str, seed: int, **options: object) -> BotGame:
    set_max, players = SIZES.get(name, (6, 4))
    return BotGame(load_ruleset(name), players, seed, set_max=set_max, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_every_turn_of_a_bot_is_legal(name: str) -> None:
    turns = 0
    for seed in range(2):
        game = bots(name, seed, rounds=3)
        for turn in game.turns():
            turns += 1
            assert game.referee.judge(turn.before, turn.actions).legal, turn
    assert turns > 100


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_the_same_seed_plays_the_same_game(name: str) -> None:
    assert list(bots(name, 5, rounds=1).turns()) == list(bots(name, 5, rounds=1).turns())
    assert list(bots(name, 5, rounds=1).turns()) != list(bots(name, 6, rounds=1).turns())


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_no_tile_is_lost_or_doubled(name: str) -> None:
    game = next(iter(bots(name, 3).rounds()))
    whole = sum(map(len, game.hands.values())) + len(game.pile)
    last = game.start
    for turn in game.turns():
        last = turn.after
    table = sum(map(len, getattr(last, "trains", {"": getattr(last, "line", ())}).values()))
    away = sum(map(len, game.discards.values()))
    assert table + away + sum(map(len, game.hands.values())) + len(game.pile) == whole


def test_bots_can_plant_whatever_a_table_can_show() -> None:
    """Every code that two still tables prove, but for those of a tile moved, a play after the end and a hint."""
    elsewhere = {Violation.TILE_MOVED, Violation.PLAY_AFTER_END, Violation.MX_MARKER_MISSING,
                 Violation.FIRST_LAP_NOT_FINISHED, Violation.DRAW_WHEN_BLOCKED}  # fmt: skip
    for name in RULESET_NAMES:
        table = {code for code in Violation if name in code.games and code.certainty is Certainty.TABLE}
        if name == "reeves":
            table -= {Violation.MARKER_NOT_REMOVED}
        assert table - elsewhere <= set(plantable(name)), name


PLANTED = [(name, code) for name in RULESET_NAMES for code in plantable(name) if code not in BY_HIDDEN_HANDS]
COMMON = {code for name, code in PLANTED if name in ("tactic", "reeves")}
AT_NIGHT = [
    ("tactic", Violation.DOUBLE_ORDER),
    *((name, code) for name, code in PLANTED if name in ("cz", "poltava") and code in COMMON),
]
"""Slow cases that run at night only: other rule sets try the same faults every day."""


@pytest.mark.parametrize(
    ("name", "code"),
    [nightly(*one) if one in AT_NIGHT else one for one in PLANTED],
    ids=[f"{name}-{code}" for name, code in PLANTED],
)
def test_a_planted_fault_is_asked_about_and_certain_once_it_is_confirmed(
    tmp_path: Path, name: str, code: Violation
) -> None:
    set_max, players = SIZES.get(name, (6, 4))
    for seed in range(60 if code in SITUATIONS else 12):
        session, game = begin(
            tmp_path / f"{seed}.jsonl", name, players, seed, set_max=set_max, plant=[code], plants_per_round=1, rounds=1
        )
        if play_until_planted(session, next(iter(game.rounds()))):
            tells = tells_of(session, code)
            session.close()
            if tells:
                return
            continue
        assert session.scoreboard.violations == ()
        session.close()
    pytest.fail(f"{code} could not be planted, or was never asked about")


def tells_of(session: Game, code: Violation) -> bool:
    """Whether the fault is asked about, or is on record as a quick neighbour; if so somebody confirms it. Before,
    nothing is certain, and afterwards nothing but what the question said."""
    found = {finding.code for _, finding in session.scoreboard.violations}
    assert session.scoreboard.faults == (), "nobody has confirmed anything"
    questions = [
        (one.seq, n, key.codes)
        for one in asked(session)
        for n, key in enumerate(one.candidates)
        if key.kind == "so" and str(code) in key.codes
    ]
    quick = state_of(session)["put_before"]
    if questions:
        assert str(code) in found
        seq, choice, said = questions[0]
        session.answer(seq, choice)
    elif code is Violation.OUT_OF_TURN and quick:
        session.was_so(quick[0][1])
        said = (str(code),)
    else:
        return False
    sure = {finding.code for _, finding in session.scoreboard.faults}
    assert str(code) in sure and sure <= set(said), "somebody is accused of what was not done"
    return True


def play_until_planted(session: Game, game: BotRound) -> bool:
    """Play a round until two turns after the planted fault; False where there was none."""
    session.start_round(game.engine, game.starter)
    left = 2 if game.planted else -1
    for turn in game.turns():
        if session.phase != "playing":
            break
        for _ in say(session, turn):
            pass
        left = 2 if turn.planted else left - 1
        if left == 0:
            return True
    return left >= 0


@pytest.mark.parametrize("code", sorted(BY_HIDDEN_HANDS))
def test_what_only_hands_prove_is_silent_before_they_are_shown(tmp_path: Path, code: Violation) -> None:
    name = "tactic" if code is not Violation.DISCARD_WITH_PLAYABLE else "jielong"
    set_max = 9 if name == "tactic" else 6
    session, game = begin(tmp_path / "g.jsonl", name, 4, 3, set_max=set_max, plant=[code], plants_per_round=1, rounds=1)
    played = next(iter(game.rounds()))
    told = play_out(session, played)
    assert any(turn is not None and turn.planted for _, turn in told)
    revealed = next(event.seq for event, _ in told if event.KIND == "round_ended")
    assert not any(getattr(event, "violations", ()) for event, _ in told if event.seq < revealed)
    examined = {entry["code"] for entry in state_of(session)["audit"]}
    assert str(code) in examined


@pytest.mark.parametrize("astray", [0, 1])
def test_an_honest_round_is_not_suspected_act_by_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, astray: int
) -> None:
    """Nearly every tile that is laid late would have fitted somewhere before it was drawn."""

    def shown(game: BotRound) -> Iterator[HandShown]:
        """With one tile in the hand of somebody else."""
        most, least, *others = sorted(reveal(game), key=lambda one: -len(one.tiles))
        yield replace(most, tiles=most.tiles[astray:])
        yield replace(least, tiles=(*least.tiles, *most.tiles[:astray]))
        yield from others

    monkeypatch.setattr("bench.stand_ins.playing.reveal", shown)
    session, game = begin(tmp_path / "g.jsonl", "poltava", 3, 5, set_max=9, rounds=1)
    told = play_out(session, next(iter(game.rounds())))
    assert sum(isinstance(event, Drew) for event, _ in told) > 10
    assert any(one.code == "HAND_COUNT_INCONSISTENT" for _, one in session.scoreboard.violations) == bool(astray)
    assert len(state_of(session)["audit"]) <= 2
    session.close()


def test_wrong_engines_are_planted_at_the_deal() -> None:
    for code in AT_THE_DEAL:
        game = next(iter(bots("tactic", 1, plant=[code]).rounds()))
        assert game.planted == str(code)


def test_a_number_of_players_that_cannot_be_dealt_is_refused() -> None:
    with pytest.raises(ValueError, match="chedeng has no deal for 3 players"):
        BotGame(load_ruleset("chedeng"), 3, 1)
    assert Referee(load_ruleset("chedeng")) is not None
