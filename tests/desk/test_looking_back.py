"""Whoever looks back, or puts an early entry right, holds up nobody who goes on with the game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from bench.stand_ins.playing import begin, play_out, say
from companion.game import game as game_room
from companion.game.game import Game
from companion.game.replay import Dispute, dispute, dispute_in
from companion.game.round import History, Round
from companion.game.watched_round import WatchedRound
from companion.log.events import Drew, HandShown, TilePlayed
from datasets.bots.watching import seen
from tests.shown import state_of

ROUNDS = 3

GOLDEN = Path(__file__).parent.parent / "games"


def tapped(path: Path) -> Game:
    """A round, a few turns of another one, which is broken off, and the first of a third."""
    session, game = begin(path, "tactic", 3, 5)
    for number, played in enumerate(game.rounds(), 1):
        if number == 1:
            play_out(session, played)
            continue
        session.start_round(played.engine, played.starter)
        for turn in list(played.turns())[:5]:
            list(say(session, turn))
        if number == ROUNDS:
            break
        session.end_round("abandoned")
    return session


def watched(path: Path) -> Game:
    """Rounds that a camera watches, each broken off after a while."""
    session, game = begin(path, "tactic", 3, 5)
    for number, played in enumerate(game.rounds(), 1):
        session.start_round(played.engine, played.starter)
        for turn in list(played.turns())[:9]:
            session.observe(seen([turn]))
        if number == ROUNDS:
            break
        session.end_round("abandoned")
    return session


@pytest.fixture(scope="module", params=[tapped, watched])
def journal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "g.jsonl"
    request.param(path).close()
    return path


@pytest.fixture
def session(journal: Path, tmp_path: Path) -> Iterator[Game]:
    copyfile(journal, tmp_path / "g.jsonl")
    opened = Game.open(tmp_path / "g.jsonl")
    yield opened
    opened.close()


def an_early_entry(session: Game) -> tuple[int, dict[str, Any]]:
    """A tile of the first round, and the correction that says that somebody else laid it."""
    first = [one for one in session.events if isinstance(one, TilePlayed)][3]
    other = next(name for name in session.header.players if name != first.by)
    return first.seq, {"by": other}


def meanwhile(monkeypatch: pytest.MonkeyPatch, go_on: Callable[[], Any]) -> list[bool]:
    """Whether `go_on` was done while the past was worked out, each time when it was."""
    work_out = History.__init__
    done: list[bool] = []

    def beside(self: History, *args: Any, **named: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            other = threading.Thread(target=go_on, daemon=True)
            other.start()
            other.join(5)
            done.append(not other.is_alive())
        work_out(self, *args, **named)

    monkeypatch.setattr(History, "__init__", beside)
    return done


def test_the_game_goes_on_while_somebody_looks_back(session: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    session.correct(*an_early_entry(session))
    done = meanwhile(monkeypatch, lambda: session.announce(session.header.players[0], "last_tile"))
    state_of(session, at=session.seq // 2)
    assert done == [True]


def test_the_game_goes_on_while_a_change_is_worked_out(session: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    seq, what = an_early_entry(session)
    done = meanwhile(monkeypatch, lambda: session.phase)
    session.work_ahead(lambda trial: trial.correct(seq, what), seq)
    assert done
    assert all(done)


def test_what_was_worked_out_is_not_worked_out_again(session: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    seq, what = an_early_entry(session)
    taken: list[int] = []
    take = Round.take
    monkeypatch.setattr(Round, "take", lambda *args, **named: (taken.append(1), take(*args, **named))[1])
    session.work_ahead(lambda trial: trial.correct(seq, what), seq)
    assert len(taken) > 20
    taken.clear()
    session.correct(seq, what)
    assert len(taken) < 5
    session.work_ahead(lambda trial: trial.undo())
    taken.clear()
    session.undo()
    assert len(taken) < 5


def test_a_correction_of_an_earlier_round_shows_the_belief_nothing_again(
    session: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_again: list[int] = []
    observe = WatchedRound.observe
    monkeypatch.setattr(WatchedRound, "observe", lambda *args: (seen_again.append(1), observe(*args))[1])
    seq, what = an_early_entry(session)
    session.correct(seq, what)
    line = session.held_line(seq)
    assert line is not None
    assert line["by"] == what["by"]
    assert not seen_again


def test_a_moment_of_the_past_knows_nothing_of_hands_shown_later(tmp_path: Path) -> None:
    """Only the shown hands reveal a needless draw."""
    copyfile(GOLDEN / "tactic-quick-3.jsonl", tmp_path / "g.jsonl")
    game = Game.open(tmp_path / "g.jsonl")
    drawn = next(event.seq for event in game.events if isinstance(event, Drew) and event.seq > 20)
    shown = next(event.seq for event in game.events if isinstance(event, HandShown) and event.by == "Ann")

    def found(at: int) -> list[str]:
        play = next(play for play in state_of(game, at=at)["plays"] if play["seq"] == drawn)
        return [one["code"] for one in play["violations"]]

    assert [found(at) for at in (drawn, shown - 1, shown)] == [[], [], ["NEEDLESS_DRAW"]]
    game.close()


def test_looking_back_twice_works_it_out_once(session: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    session.correct(*an_early_entry(session))
    at = session.seq // 2
    first = state_of(session, at=at)
    taken: list[int] = []
    take = Round.take
    monkeypatch.setattr(Round, "take", lambda *args, **named: (taken.append(1), take(*args, **named))[1])
    assert state_of(session, at=at) == first
    assert not taken


def test_a_change_that_was_worked_out_first_comes_to_the_same(journal: Path, session: Game, tmp_path: Path) -> None:
    copyfile(journal, tmp_path / "plain.jsonl")
    plain = Game.open(tmp_path / "plain.jsonl")
    seq, what = an_early_entry(session)
    for change, about in (
        (lambda one: one.correct(seq, what), seq),
        (lambda one: one.undo(), None),
        (lambda one: one.correct(seq, {"withdrawn": True}), seq),
    ):
        session.work_ahead(change, about)
        done = [event.to_json() | {"at": ""} for event in change(session)]
        assert done == [event.to_json() | {"at": ""} for event in change(plain)]
        assert state_of(session) == state_of(plain)
        for at in (seq + 2, session.seq // 2, session.seq - 1):
            assert state_of(session, at=at) == state_of(plain, at=at)
    now = state_of(session)
    session.close()
    plain.close()
    again = Game.open(tmp_path / "g.jsonl")
    assert state_of(again) == now
    again.close()


def test_the_game_goes_on_while_somebody_asks_why(session: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def beside(*args: Any) -> Dispute:
        other = threading.Thread(target=lambda: done.append(session.phase), daemon=True)
        other.start()
        other.join(5)
        return dispute_in(*args)

    monkeypatch.setattr(game_room, "dispute_in", beside)
    seq, _what = an_early_entry(session)
    assert session.dispute(seq) == dispute(session.journal.path, seq)
    assert done == ["playing"]
