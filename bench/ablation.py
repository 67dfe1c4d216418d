"""The worth of each special case: `python -m bench.ablation DIR --meddled 8`.

Each veto and special case outside `companion/tracking/costs.py` is switched off alone, and the same rounds are told
again: the files of `bench.corpus` in DIR, with the arms that were seen and without (`bench.reissue`), and whole
sketched rounds with somebody at the page who may be mistaken (`bench.meddling`). `--tapped 14` tells rounds as they
lie, and somebody taps after every seventh change, true or not: seconds a round. A row that reads like the first one
buys nothing on these rounds. `bench/results/ablation.md` has the table; `--only` runs some of the cases.
"""

from __future__ import annotations

import argparse
import inspect
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from bench.counting import AccusationLog, count_plays
from bench.meddling import Meddled as MeddledRound
from bench.meddling import meddle
from bench.reissue import reissue, said_by_people
from bench.replay import Recorded
from bench.somebody import SLIPS, TRUE
from bench.table import FIRST_SEED, RoundResult, faults, with_faults
from bench.told import Meddled, ToldTable, UnfilmedRound
from companion.log.journal import Journal
from companion.rules.position import Play
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.tracking.tracker import Untouched
from datasets.folder_argument import RECORDED, folder_with
from datasets.simulator.room import BlankFilm

FIRST_MEDDLED, FIRST_TAPPED = 163720, 196200
UNREAD, MISREAD = 0.01, 0.03


@dataclass(frozen=True, slots=True)
class Case:
    """`place` is "module:name"; `off` what stands there instead, or, of a function, does. `lines` of the source."""

    name: str
    place: str
    off: Any

    @property
    def target(self) -> tuple[Any, str]:
        owner, _, name = self.place.rpartition("." if "." in self.place.partition(":")[2] else ":")
        return resolve_name(owner), name

    @property
    def lines(self) -> int:
        owner, name = self.target
        found = inspect.getattr_static(owner, name)
        return len(inspect.getsource(found).splitlines()) if callable(found) else 1


def always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


TRACKING, GAME, SINK = "companion.tracking", "companion.game", "companion.observing.game_sink"

CASES = (
    Case("codes that are never certain", f"{TRACKING}.verdict:NEVER_CERTAIN", frozenset()),
    Case("certain all the same by clear arms", f"{TRACKING}.verdict:proved_by_arms", always(False)),
    Case("an arm counts 10 dB at most against somebody", f"{TRACKING}.verdict:MOST_DB", 999),
    Case("a second Mexican train once there are too many", f"{TRACKING}.verdict:_one_too_many", always(False)),
    Case("faults of doubles beside a doubtful double", f"{TRACKING}.verdict:_beside_a_doubtful_double", always(False)),
    Case("a marker in the common lap is not settled", f"{TRACKING}.verdict:NOT_SETTLED", ()),
    Case("a misreading weighs against a tile that does not fit", f"{TRACKING}.verdict:NO_PROOF", ()),
    Case("no charge of values where another tile is believed", f"{TRACKING}.verdict:OF_VALUES", frozenset()),
    Case(
        "a statement makes nothing certain",
        f"{TRACKING}.tracker:_without_statements",
        lambda verdict, blind, untouched: verdict,
    ),
    Case(
        "nothing certain where people touched the train",
        f"{TRACKING}.tracker:RoundTracker._untouched",
        always(Untouched(True, True)),
    ),
    Case("more than two misfits are not understood", f"{TRACKING}.tracker:MOST_MISFITS", 99),
    Case("more than two tiles gone are not moved", f"{TRACKING}.tracker:MOST_MOVED", 99),
    Case("a tile hardly read was not moved", f"{TRACKING}.tracker:RoundFold._hardly_read", always(False)),
    Case(
        "a misfit has to be one of what is believed too",
        f"{TRACKING}.tracker:RoundFold._believed",
        lambda fold: fold.table,
    ),
    Case("more than five tiles at once are not understood", f"{TRACKING}.filter:MOST_AT_ONCE", 99),
    Case("faults are looked for where arms contradict", f"{TRACKING}.filter:UNLIKE_ARM", 999),
    Case("faults are looked for where the rest is unlikely", f"{TRACKING}.filter:UNLIKELY", 999),
    Case("two equal tiles only if all halves are sure", f"{GAME}.watched_round:SURE_OF_TWO", 0.0),
    Case("two equal tiles only if seen clearly", f"{GAME}.watched_round:PictureProof.is_clear", always(True)),
    Case("certain only with another picture", f"{GAME}.watched_round:on_one_picture", lambda verdict, proved: verdict),
    Case("a round that only counts had ended goes on", f"{GAME}.reports:goes_on", always(False)),
    Case("a pass after a tile ends the turn", f"{GAME}.watched_round:WatchedRound._laid_in_turn", always(False)),
    Case("things beside a train may be markers", f"{SINK}:GameSink._perhaps_marked", lambda sink, seen: seen),
    Case("the record is not borne out by the picture", f"{SINK}:not_borne_out", always(frozenset())),
    Case("other markers lie there than are recorded", f"{SINK}:marked_otherwise", always(False)),
    Case("a withdrawn tile with another on it is back", f"{SINK}:laid_after_all", lambda seen, *_: seen),
    Case("a corrected tile is not new", f"{SINK}:without_corrected_tiles", lambda seen, *_: seen),
    Case("entered draws are not seen again", f"{SINK}:without_entered_draws", lambda seen, _: seen),
    Case("a stray tile at the edge may be a hand", f"{SINK}:GameSink._may_be_a_hand", always(False)),
)


@contextmanager
def switched_off(case: Case | None) -> Iterator[None]:
    if case is None:
        yield
        return
    owner, name = case.target
    kept = inspect.getattr_static(owner, name)
    setattr(owner, name, case.off)
    try:
        yield
    finally:
        setattr(owner, name, kept)


def told(files: Sequence[Recorded]) -> str:
    """All rounds with arms and without, as one cell of each figure."""
    rounds = [reissue(one, arms=arms) for one in files for arms in (True, False)]

    def total(count: Callable[[RoundResult], int]) -> int:
        return sum(map(count, rounds))

    figures = (
        total(lambda one: one.plays.named),
        total(lambda one: len(one.plays.misnamed)),
        total(lambda one: len(one.plays.lost)),
        total(lambda one: one.faults.shown + one.faults.nameless),
        total(lambda one: one.faults.possible),
        total(lambda one: len(one.faults.false_ever)),
        total(lambda one: one.questions),
    )
    return " | ".join(map(str, figures))


def meddled(seeds: Sequence[int]) -> str:
    rounds: list[MeddledRound] = [meddle(seed, TRUE + SLIPS, unread=UNREAD, misread=MISREAD)[0] for seed in seeds]
    figures = (
        sum(len(one.false) for one in rounds),
        sum(one.true for one in rounds),
        f"{sum(one.recorded for one in rounds)} of {sum(one.lying for one in rounds)}",
        sum(one.questions for one in rounds),
    )
    return " | ".join(map(str, figures))


def tapped(seeds: Sequence[int]) -> str:
    """Told rounds in which somebody taps, as cells: certain accusations that ever stood, wrongly and rightly; plays
    named rightly, and wrongly."""
    wrong = right = named = misnamed = 0
    for seed in seeds:
        rules = RULESET_NAMES[(seed - FIRST_SEED) % len(RULESET_NAMES)]
        camera = UnfilmedRound(seed, with_faults(rules, None), BlankFilm)
        with tempfile.TemporaryDirectory() as folder:
            Meddled.rng = random.Random(seed)
            session = Meddled(Journal.create(Path(folder) / "game.jsonl", camera.setup().header), load_ruleset(rules))
            log, table = AccusationLog(session), ToldTable(camera)
            table.tell(session)
            plays = session.snapshot().plays
            session.close()
        real = faults(rules, table.turns)
        true = {one for one in log.ever if any(code == one[0] and one[1] in (None, player) for code, player in real)}
        wrong, right = wrong + len(log.ever - true), right + len(true)
        laid = [(turn.player, act) for turn in table.turns for act in turn.actions if isinstance(act, Play)]
        counted = count_plays([(player, (tuple(act.tile), act.train)) for player, act in laid], plays)
        named, misnamed = named + counted.named, misnamed + len(counted.misnamed)
    return " | ".join(map(str, (wrong, right, named, misnamed)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=folder_with(RECORDED), nargs="*")
    parser.add_argument("--meddled", type=int, default=0, help="so many sketched rounds with somebody at the page")
    parser.add_argument("--tapped", type=int, default=0, help="so many told rounds in which somebody taps")
    parser.add_argument("--only", nargs="+", help="only cases whose name has one of these words")
    args = parser.parse_args()
    recorded = [Recorded.read(path) for folder in args.folders for path in sorted(folder.glob("*.jsonl"))]
    files = [one for one in recorded if not said_by_people(one)]
    seeds = range(FIRST_MEDDLED, FIRST_MEDDLED + args.meddled)
    heads = ["switched off", "lines"]
    heads += ["named", "misnamed", "lost", "faults shown", "possible", "accused wrongly", "questions"] if files else []
    heads += ["meddled: accused wrongly", "rightly", "on record", "questions"] if seeds else []
    tapped_seeds = range(FIRST_TAPPED, FIRST_TAPPED + args.tapped)
    heads += ["tapped: accused wrongly", "rightly", "named", "misnamed"] if tapped_seeds else []
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads), flush=True)
    for case in (None, *CASES):
        if case is not None and args.only and not any(word in case.name for word in args.only):
            continue
        with switched_off(case):
            cells = [told(files)] if files else []
            cells += [meddled(seeds)] if seeds else []
            cells += [tapped(tapped_seeds)] if tapped_seeds else []
        name, lines = ("nothing", "") if case is None else (case.name, str(case.lines))
        print("| " + " | ".join([name, lines, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
