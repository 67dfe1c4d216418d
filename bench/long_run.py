"""Thousands of bot matches through the desk's own course: `python -m bench.long_run --matches 10000`.

Every match is played legally and judged act by act, with round ends, hands shown and scores; any certain or uncertain
finding is a false accusation and ends the run with status 1. The seeds follow from the number of the match, so that a
run can be divided (`--first`) and repeated.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from itertools import count

from companion.game.match import Match
from companion.game.round import Round
from companion.log.event_fields import Header
from companion.log.events import Event, RoundEnded
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.rules.ruleset_fields import ANY_SET
from datasets.bots import BotGame
from datasets.bots.recording import events_of, opening, reveal

SETS = {"tactic": (9, 12), "reeves": (9, 12), "cz": (9, 12), "poltava": (9, 12)}


@dataclass(frozen=True, slots=True)
class Result:
    """One match: how many turns, and what was wrongly held against whom."""

    turns: int
    accusations: tuple[str, ...]


def play_match(number: int, rounds: int | None = None, latitude: float = 0.0) -> Result:
    """Match `number`: rule set, set, players and every tile follow from it."""
    name = RULESET_NAMES[number % len(RULESET_NAMES)]
    rules = load_ruleset(name)
    sets = SETS.get(name, (6,))
    set_max = sets[number // 7 % len(sets)]
    allowed = [n for n in rules.players_allowed(set_max if rules.is_mexican else ANY_SET) if _dealt(rules, set_max, n)]
    players = allowed[number // 14 % len(allowed)]
    game = BotGame(rules, players, number, set_max=set_max, rounds=rounds, latitude=latitude)
    header = Header(name, f"double-{set_max}" if rules.is_mexican else "chinese", game.players)
    now = Round(Match.of(header, rules))
    turns, lines, found = 0, count(1), list[str]()

    def happen(event: Event) -> None:
        nonlocal now
        for one in (*now.implied(event), event):
            now = Round(now.before, (*now.lines, replace(one, seq=next(lines))), known=now)

    for played in game.rounds():
        now = Round(now.match, [replace(opening(played), seq=next(lines))])
        for turn in played.turns():
            turns += 1
            for event in events_of(turn):
                happen(event)
        course = now.match.course
        assert course is not None
        due = course.over
        happen(due if due is not None else RoundEnded(how=played.how or "abandoned", out=played.out))
        for hand in reveal(played):
            happen(hand)
        while (follows := now.consequence()) is not None:
            happen(follows)
        several = [(act, now.findings(seq)) for seq, act in now.acts.items()]
        found += [f"{act.held.event}: {findings}" for act, findings in several if findings]
    return Result(turns, tuple(found))


def _dealt(rules: object, set_max: int, players: int) -> bool:
    """Whether the set has tiles enough for them."""
    size = rules.hand_size(set_max, players)  # type: ignore[attr-defined]
    mexican = rules.is_mexican  # type: ignore[attr-defined]
    return not mexican or (size is not None and players * size + 1 <= (set_max + 1) * (set_max + 2) // 2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first match")
    parser.add_argument("--rounds", type=int, default=None, help="rounds of each match; all of them if left out")
    parser.add_argument("--latitude", type=float, default=0.0, help="share of turns that only an open question allows")
    options = parser.parse_args()
    began = time.monotonic()
    turns = 0
    for number in range(options.first, options.first + options.matches):
        result = play_match(number, options.rounds, options.latitude)
        turns += result.turns
        if result.accusations:
            print(f"match {number}: a false accusation\n" + "\n".join(result.accusations))
            return 1
        if (number + 1) % 100 == 0:
            print(f"{number + 1} matches, {turns} turns, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print(f"{options.matches} matches, {turns} turns, no false accusation")
    return 0


if __name__ == "__main__":
    sys.exit(main())
