"""Rounds with filmed arms over tables told exactly, recorded once: the desk's calls, and the truth.

The table and its arms are filmed as in bench/arms.py. The changes are told exactly and only the arms are seen, so that
nothing but the arm and the belief is measured. A recorded round can be told to any desk again in a second, with its
arms and without: `retell`. Its file has the form of `bench.corpus`, so `bench.replay` reads it too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.arms import SIZE_WH, ArmCamera
from bench.corpus import RecordedSession, plain, turn_line
from bench.counting import AccusationLog, Laid
from bench.provable import planted_in, proofs
from bench.replay import Recorded, laid_by, table_of
from bench.table import reaches, with_faults
from bench.told import as_seen, reports_of
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TableChange
from companion.log.journal import Journal
from companion.perception.arm_votes import Reach, Reaches, Sleeves, Vote, counted_once, together, vote
from companion.rules.notation import Change, Drawing, parse_act, print_act
from companion.rules.position import Draw, LinePosition, Mark, Play, Position, Unmark
from companion.rules.referee import Referee, undealt
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid as LaidTile
from companion.tracking.evidence import Evidence
from datasets.bots import BotTurn
from datasets.simulator.camera import Filmed, SimSettings
from datasets.simulator.film import FilmSettings
from datasets.simulator.plan import Point
from datasets.simulator.reaching import Reaching
from vision.calibration import Calibration
from vision.frame import Frame

RULES = ("tactic", "reeves", "cz", "poltava", "jielong", "chedeng", "kkori")


def who_plays(n: int) -> tuple[str, int | None]:
    """The rules and the number of players of the nth round: each Mexican set in turn has 2 to 8, as far as they go
    round."""
    rules = RULES[n % len(RULES)]
    if not load_ruleset(rules).is_mexican:
        return rules, None
    players = 2 + (n // len(RULES) + n) % 7
    while undealt(load_ruleset(rules), 12, players) is not None:
        players -= 1
    return rules, players


def settings_of(rules: str, players: int | None, scenes: int | None, confusing: float) -> SimSettings:
    return with_faults(
        rules,
        scenes,
        players=players,
        film=FilmSettings(size_wh=SIZE_WH),
        reaching=Reaching(confusing=confusing),
        still_frames=2,
        show_hands=False,
    )


def film_round(seed: int, rules: str, players: int | None, scenes: int | None, confusing: float) -> list[Any]:
    """The lines of one round's file: header, calls, truth, and what today's engine made of it."""
    camera = ArmCamera(seed, settings_of(rules, players, scenes, confusing))
    calibration = Calibration.from_corners(camera.film.corners_px(), camera.plan.size_mm, 9.0, None, SIZE_WH)
    counted = camera.plan.boneyard_spread or camera.plan.chinese
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal.create(Path(folder) / "game.jsonl", camera.setup().header)
        session = RecordedSession(journal, camera.round.rules)
        session.start_round(camera.round.engine, camera.round.starter, draws_seen=counted)
        teller = _Teller(camera, session)
        seen = Reaches()
        last: Frame | None = None
        while (frame := camera.read()) is not None:
            if last is not None:
                # The truth of a scene is known with the frame after its last one.
                teller.go_on(seen, last)
            seen.see(frame, calibration)
            if last is None:
                seen.still(frame)
            last = frame
        assert last is not None
        teller.go_on(seen, last)
        golden = {"plays": plain(session.snapshot().plays), "events": [plain(e.to_json()) for e in session.events]}
        golden["ever"] = sorted(map(list, session.ever), key=str)
        golden["questions"] = [line for line in golden["events"] if line["event"] == "unclear"]
        session.close()
    head = {
        "corpus": 1, "kind": "armed", "seed": seed, "rules": camera.rules_name, "confusing": confusing,
        "header": plain(session.header.to_json()), "players": list(camera.plan.players),
        "spread": camera.plan.boneyard_spread and not camera.plan.chinese, "stacked": not counted,
    }  # fmt: skip
    return [head, *session.lines, {"truth": _truth(camera)}, {"golden": golden}]


def _truth(camera: ArmCamera) -> dict[str, Any]:
    sign = ":" if camera.plan.chinese else "-"
    turns = [turn for filmed in camera.truth for turn in filmed.scene.turns]
    laid = [one for filmed in camera.truth for one in filmed.scene.plays]
    return {
        "turns": [turn_line(turn) for turn in turns],
        "laid": [[who, print_act(act, sign)] for who, act in laid],
        "reaches": [[kind, player, *plain(laid)] for kind, player, laid in reaches(camera)],
        "end": {"how": camera.round.how, "out": camera.round.out},
    }


class _Teller:
    """Tells a session what each scene changed and whose arms did it."""

    def __init__(self, camera: ArmCamera, session: RecordedSession) -> None:
        self.camera = camera
        self.session = session
        self.table: Any = camera.round.start
        self.referee: Any = Referee(camera.round.rules)
        self.done = 0
        self.sleeves = Sleeves()

    def go_on(self, seen: Reaches, frame: Frame) -> None:
        for filmed in self.camera.truth[self.done :]:
            self._scene(filmed, seen)
            if filmed.scene.trouble != "silent":
                seen.still(frame)
        self.done = len(self.camera.truth)

    def _scene(self, filmed: Filmed, seen: Reaches) -> None:
        scene, plan = filmed.scene, self.camera.plan
        after = self.table
        for player, act in scene.plays:
            after = self.referee.apply(replace(after, turn=player), as_seen(act))
        places = self.camera.places.get(id(scene), ())
        stacked = not plan.boneyard_spread and not plan.chinese
        reports = list(reports_of(self.table, after, scene, plan.boneyard_spread and not plan.chinese))
        laid = [place for _, act, place in places if not isinstance(act, Draw)]
        reached = self._reached(seen, laid) if stacked and filmed.scene.trouble != "silent" else []
        self.table = after
        votes: dict[Change, Vote] = {}
        bare: dict[Change, Vote] = {}
        for report in reports:
            for change in report.delta:
                reaches = [seen.over(place) for _, act, place in places if _shows(change, act)]
                votes[change] = together([self._vote(one) for one in reaches], plan.players)
                bare[change] = together([self._bare(one) for one in reaches], plan.players)
        if reached:
            draw = Drawing(len(reached))
            votes[draw] = together([self._vote(one) for one in reached], plan.players)
            bare[draw] = together([self._bare(one) for one in reached], plan.players)
            reports = reports or [TableChange()]
            reports[0] = replace(reports[0], delta=(*reports[0].delta, draw))
        whose = {change: one.clear for change, one in votes.items() if one.clear is not None}
        seen_bare = TableChange(arms=counted_once(bare)).to_json().get("arms", [])
        for n, report in enumerate(reports):
            self.session.observe(replace(report, arms=counted_once(votes), whose=whose))
            self.session.lines[-1] |= {"bare": seen_bare} if votes else {}
            if reached and n == 0:
                self.session.lines[-1]["reached"] = len(reached)

    def _vote(self, reach: Reach) -> Vote:
        return vote(reach, dict(self.camera.plan.seat_deg), self.camera.plan.size_mm, self.sleeves)

    def _bare(self, reach: Reach) -> Vote:
        return vote(reach, dict(self.camera.plan.seat_deg), self.camera.plan.size_mm)

    def _reached(self, seen: Reaches, changed: Sequence[Point]) -> list[Reach]:
        """Each reach into the stacked boneyard that was not on the way to where something else changed."""
        return list(seen.reached([lying.center_mm for lying in self.camera.table.boneyard], changed))


def _shows(change: Change, act: Any) -> bool:
    """Is this change what that act did?"""
    match change:
        case Play(tile, train):
            return isinstance(act, Play) and as_seen(act) == Play(tile, train)
        case Drawing():
            return isinstance(act, Draw)
        case Mark() | Unmark():
            return bool(act == change)
    return False


def retell(recorded: Recorded, journal: Path, *, arms: bool, sleeves: bool = True) -> tuple[Game, AccusationLog]:
    """A session of now that was told the round; without `arms` nobody is named by one, and draws that only an arm shows
    are not seen. Without `sleeves` an arm says what its line says, whatever it wears."""
    header: Header = Header.from_json(dict(recorded.head["header"]))
    session = Game(Journal.create(journal, header), recorded.rules)
    log = AccusationLog(session)
    for line in recorded.lines:
        if line["call"] == "start_round":
            (engine, starter), named = line["args"], line["named"]
            session.start_round(
                None if engine is None else LaidTile(*engine), starter, draws_seen=bool(named["draws_seen"])
            )
        elif report := report_of(line, arms=arms, sleeves=sleeves):
            session.observe(report)
    return session, log


def report_of(line: Mapping[str, Any], *, arms: bool, sleeves: bool = True) -> TableChange | None:
    """The camera's report; None where only an arm shows that something happened."""
    seen = TableChange.from_json(line if sleeves else {**line, "arms": line.get("bare", line.get("arms", []))})
    report = TableChange(seen.delta, flips=seen.flips, discards=seen.discards)
    if arms:
        report = replace(report, arms=seen.arms, whose=seen.whose)
    elif "reached" in line:
        report = replace(report, delta=report.delta[:-1])
    return None if report.empty else report


def proofs_of(recorded: Recorded, *, arms: bool) -> list[str]:
    """The proof of each planted fault by the tables (bench/provable.py), with `arms` together with the clear and right
    arms."""
    turns = [_turn(line) for line in recorded.truth["turns"]]
    if not turns:
        return []
    lines = [line for line in recorded.lines if line["call"] == "observe"]
    changes = [_change(recorded, n, line, arms) for n, line in enumerate(lines)]
    start = turns[0].before
    if isinstance(start, Position) and not recorded.lines[0]["named"]["draws_seen"]:
        start = replace(start, boneyard=None, hands={})
    starter = recorded.lines[0]["args"][1] or turns[0].player
    planted = planted_in(recorded.rules, turns, _shown(turns, changes))
    return proofs(recorded.rules, start, starter, changes, planted, weighed=False)


def _turn(line: Mapping[str, Any]) -> BotTurn:
    before = table_of(line["before"])
    sign = ":" if isinstance(before, LinePosition) else "-"
    acts = tuple(parse_act(text, sign) for text in line["actions"])
    return BotTurn(line["player"], acts, before, before, line.get("planted"), ())


def _change(recorded: Recorded, number: int, line: Mapping[str, Any], arms: bool) -> Evidence:
    report = report_of(line, arms=arms) or TableChange()
    true = dict(laid_by(recorded))
    whose = {}
    for change, player in report.whose.items():
        match change:
            case Play(tile, train):
                right = true.get((tuple(tile), train)) == player
            case Mark(owner) | Unmark(owner):
                right = owner == player
            case _:
                right = False
        if right:
            whose[change] = player
    return Evidence.of(number, replace(report, arms={}, whose=whose))


def _shown(turns: Sequence[BotTurn], changes: Sequence[Evidence]) -> list[int]:
    """The last change that each turn made (-1: none): its acts are looked for in order."""
    left = [[piece.act for piece in change.pieces] for change in changes]
    at, found = 0, []
    for turn in turns:
        last = -1
        for act in map(as_seen, turn.actions):
            place = next((n for n in range(at, len(left)) if act in left[n]), None)
            if place is not None and place <= at + len(turns[0].before.players):
                left[place].remove(act)
                at = last = place
        found.append(last)
    return found


def reached_by(recorded: Recorded) -> Iterator[tuple[str, str, Laid]]:
    """(how the arm came, player, tile and train) of every play, in order."""
    for kind, player, tile, train in recorded.truth["reaches"]:
        yield kind, player, (tuple(tile), train)


def true_draws(recorded: Recorded) -> Sequence[str]:
    """The players who drew, in order."""
    return [player for player, text in recorded.truth["laid"] if text == "draw"]
