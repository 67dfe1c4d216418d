"""The search between two tables that the page uses, beside the one that `companion judge` answers with.

The judge's search is held to a plain second reading on every small table. The desk's search continues the course of a
round: a last turn may be unfinished there, and what its end would show is still pending. So every change that the judge
explains without a fault must be explained by the desk; where only the desk explains one, something is pending; and a
player whom the desk would hold for certain to be at fault must be among those whom the judge names.
"""

from __future__ import annotations

from random import Random

import pytest

from companion.bots import BotGame
from companion.bots.planting import BY_HIDDEN_HANDS, plantable
from companion.bots.recording import events_of, opening
from companion.corrections import Held
from companion.desk.history import History
from companion.desk.stories import Telling, tell_with_faults
from companion.events import Header
from companion.mexican.inference import infer
from companion.position import Position
from companion.ruleset import load_ruleset
from tests.desk.watching import difference

MEXICAN = ("tactic", "reeves", "cz", "poltava")


def unfinished(telling: Telling) -> bool:
    """Whether the last player may still go on."""
    turn = telling.course.turn
    return turn is not None and not turn.finished(telling.course.rules)


@pytest.mark.parametrize("name", MEXICAN)
def test_both_searches_clear_the_same_players(name: str) -> None:
    rules, chance = load_ruleset(name), Random(name)
    codes = [code for code in plantable(name) if code not in BY_HIDDEN_HANDS]
    legal = illegal = pending = 0
    for seed in range(4):
        game = BotGame(rules, 3, seed, set_max=9, rounds=1, plant=codes, plant_rate=0.3)
        history = History(Header(name, "double-9", game.players), rules)
        played = next(iter(game.rounds()))
        history.take(Held(opening(played)))
        for turn in list(played.turns())[:40]:
            course = history.match.course
            assert course is not None
            before = course.position
            assert isinstance(before, Position) and isinstance(turn.after, Position)
            course = course.close()[0]
            delta = difference(before, turn.after, boneyard=True)
            flips = sorted(turn.after.flipped - before.flipped)
            settled = not before.first_turn and not course.laying_together and turn.player == before.turn
            if settled and not flips and delta and chance.random() < 0.8:
                judged = infer(rules, before, delta, before.turn)
                faultless = tell_with_faults(course, delta, 0)
                if judged.explainable:
                    legal += 1
                    assert faultless, (turn.actions, judged.explanations)
                elif faultless:
                    pending += 1
                    assert all(telling.pending or unfinished(telling) for telling in faultless), turn.actions
                elif judged.stories:
                    tellings = tell_with_faults(course, delta, 1)
                    blamed = [{player for player, _ in telling.blame} for telling in tellings]
                    named = {player for story in judged.stories for player in story.blames}
                    if blamed:
                        illegal += 1
                        assert set.intersection(*blamed) <= named, (turn.actions, judged.explanations)
            for event in events_of(turn):
                for implied in history.implied(event):
                    history.take(Held(implied))
                history.take(Held(event))
            if history.match.course is not None and history.match.course.over_by_rule() is not None:
                break
    assert legal > 15 and illegal > 4, (legal, illegal, pending)
