"""Every fault that bots can plant, again and again: `python -m bench.long_plant --seeds 20`.

A round is played until a fault was planted and a lap and two more turns were made (`--turns`: so many turns instead).
Then it must be asked about: its code is open, or as one of several only possible or behind another question. As nobody
answers, nothing may be certain. The round where no moment for the fault came must have no finding at all. Status 1
where any of this fails.

Some faults of the bots cannot be told from legal play. Where others may decline (`cz`) and their trains are marked
already, a pass leaves nothing on the record, and a second tile may be the next turn of whoever laid the first. While
first trains are laid at the same time, a tile, a draw or a marker may still belong to them. Such a fault is *not
provable* where nothing is asked, and counted apart.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import count
from random import Random

from companion.game.match import Match
from companion.game.round import Round
from companion.log.event_fields import Header
from companion.log.events import Event
from companion.rules.mexican.judge import after_turn, judge_turn
from companion.rules.position import Action, End, Position
from companion.rules.referee import undealt
from companion.rules.ruleset import RULESET_NAMES, RuleSet, load_ruleset
from companion.rules.violations import Violation
from datasets.bots import BotGame
from datasets.bots.planting import BY_HIDDEN_HANDS, plantable
from datasets.bots.recording import events_of, opening
from datasets.bots.rounds import BotTurn

FOUND, ONE_OF, MISSED, ACCUSED, NO_MOMENT = "found", "one of several", "missed", "wrongly accused", "no moment"
NOT_PROVABLE = "not provable"


def plant(name: str, code: Violation, seed: int, turns: int | None = None) -> str:
    """The fate of one fault after so many more turns (None: a lap and two); players and set follow from the seed."""
    rules, chance = load_ruleset(name), Random(f"{name} {code} {seed}")
    set_max = chance.choice((9, 12)) if rules.is_mexican else 6
    sets = set_max if rules.is_mexican else None
    players = chance.choice([n for n in range(2, 9) if undealt(rules, sets, n) is None])
    game = BotGame(rules, players, seed, set_max=set_max, plant=[code], plants_per_round=1, rounds=1)
    header = Header(name, f"double-{set_max}" if rules.is_mexican else "chinese", game.players)
    played, lines = next(iter(game.rounds())), count(1)
    now = Round(Match.of(header, rules), [replace(opening(played), seq=next(lines))])

    def happen(event: Event) -> None:
        nonlocal now
        for one in (*now.implied(event), event):
            now = Round(now.before, (*now.lines, replace(one, seq=next(lines))), known=now)

    more = players + 2 if turns is None else turns
    left = more if played.planted else -1
    unclear = False
    for turn in played.turns():
        course = now.match.course
        open_lap = course is not None and course.laying_together
        unclear = unclear or (turn.planted is not None and (open_lap or may_be_turns(rules, turn)))
        for event in events_of(turn):
            happen(event)
        left = more if turn.planted else left - 1
        if left == 0 or (now.match.course is not None and now.match.course.over is not None):
            break
    findings = [finding for seq in now.acts for finding in now.findings(seq)]
    if any(finding.certain for finding in findings):
        return ACCUSED
    if left < 0:
        return ACCUSED if findings else NO_MOMENT
    if any(finding.code == str(code) and finding.open for finding in findings):
        return FOUND
    if any(finding.code == str(code) for finding in findings) or any(finding.open for finding in findings):
        return ONE_OF
    return NOT_PROVABLE if unclear else MISSED


def may_be_turns(rules: RuleSet, turn: BotTurn) -> bool:
    """Whether these acts may as well be two turns of the same player, with nothing to be seen of the others between."""
    if not isinstance(turn.before, Position):
        return False
    others = len(turn.before.players) - 1
    for cut in range(1, len(turn.actions)):
        table, silent = turn.before, True
        parts: list[tuple[Action, ...]] = [turn.actions[:cut], *[(End(),)] * others, turn.actions[cut:]]
        for acts in parts:
            silent = silent and judge_turn(rules, table, acts).legal
            table = after_turn(rules, table, acts)
        if silent:
            return True
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=20, help="rounds for each fault of each rule set")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--turns", type=int, help="turns after the fault; a lap and two unless given")
    options = parser.parse_args()
    every: Counter[str] = Counter()
    began = time.monotonic()
    for name in RULESET_NAMES:
        for code in plantable(name):
            if code in BY_HIDDEN_HANDS:
                continue
            seeds = range(options.first, options.first + options.seeds)
            results = Counter(plant(name, code, seed, options.turns) for seed in seeds)
            every += results
            if results[MISSED] or results[ACCUSED]:
                print(f"{name} {code}: {dict(results)}", flush=True)
        print(f"after {name}: {dict(every)}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print(dict(every))
    return 1 if every[MISSED] or every[ACCUSED] else 0


if __name__ == "__main__":
    sys.exit(main())
