"""The end of a round by camera: hands laid open are read, checked against the set and scored; nothing is guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.round_end import due_scores
from bench.stand_ins.seen_tables import tile, view
from bench.stand_ins.sketch import KnowingEye, sketched
from companion.game.game import Game
from companion.geometry import Layout, PlacedTile, Problem, Trouble, reconstruct
from companion.geometry.layout import SeenHalf, TableView
from companion.log.event_fields import OF_A_HAND, Header, Question, QuestionKind
from companion.log.events import RoundEnded, RoundScored, TilePlayed, Unclear
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.observing.round_end import OpenHands, RoundEnding
from companion.perception import Watcher
from companion.perception.setup_file import setup_from_json
from companion.perception.table_reader import box_of, chinese_box, known_set
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, Tile, double_set
from datasets.bots.recording import events_of, opening
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.lying import Lying
from datasets.simulator.script import Troubles
from datasets.simulator.tabletop import TableTop
from tests.lanes import nightly
from vision.calibration import Calibration
from vision.reading import HalfReading, TileReading
from vision.settle import Settler


class Poor(KnowingEye):
    """An eye that cannot make out one half of the tiles it is told."""

    blind: tuple[Tile, ...] = ()

    def _read(self, quad: Any, lying: Lying) -> TileReading:
        tile = super()._read(quad, lying)
        if lying.laid.tile in self.blind and tile.halves is not None and lying.layer == 0:
            other = (lying.laid.inner + 1) % 7
            unread = HalfReading(None, 0.6, ((lying.laid.inner, 0.6), (other, 0.35)))
            keep = 1 if tile.halves[0].value == lying.laid.inner else 0
            halves = (tile.halves[0], unread) if keep == 0 else (unread, tile.halves[1])
            tile = replace(tile, halves=halves)
        return tile


def late_table(
    seed: int, rules_name: str, journal: Path, last: int, counted: bool | None = None, players: int | None = None
) -> tuple[SimCamera, Game, Watcher, Poor]:
    """The last scenes of a round; what was played before is on record already. `counted`: whether hands are."""
    settings = SimSettings(
        rules=rules_name, players=players, troubles=Troubles.none(), hand_frames=3, still_frames=7, last_scenes=last
    )
    camera = sketched(seed, settings)
    first = camera.read()
    assert first is not None
    setup = camera.setup()
    setup = replace(setup, tile_mm=(*setup.tile_mm[:2], 0.001))
    rules = load_ruleset(rules_name)
    log = Journal.create(journal, setup.header)
    counted = setup.boneyard != "stacked" if counted is None else counted
    log.append(replace(opening(camera.round), draws_seen=counted))
    session = Game(log, rules)
    for scene in camera.before:
        for turn in scene.turns:
            for event in events_of(turn):
                session._add(event)
    eye = Poor(camera, unread=0.0, missed=0.0)
    calibration = Calibration.from_corners(setup.table.corners_px, setup.table.size_mm, 0.0, size_wh=first.size_wh)  # type: ignore[arg-type]
    known = known_set(setup)
    box = box_of(known)
    sink = GameSink(session, setup, box)
    watcher = Watcher(camera, eye, Settler(), calibration, setup.table_setup(), sink, known=known)  # type: ignore[arg-type]
    watcher.see(first)
    return camera, session, watcher, eye


def scored(session: Game) -> RoundScored:
    found = [event for event in session.events if isinstance(event, RoundScored)]
    assert len(found) == 1
    return found[0]


def questions(session: Game) -> list[str]:
    return [event.reason for event in session.events if isinstance(event, Unclear)]


def accused(session: Game) -> list[object]:
    return [finding for event in session.events for finding in getattr(event, "violations", ())]


Watched = tuple[SimCamera, Game, RoundEnding, list[tuple[Layout, Any]]]


def watched(folder: Path, rules: str, seed: int) -> Watched:
    """A round whose hands are laid open, with (layout, table on record) of each look at its end."""
    camera, session, watcher, _ = late_table(seed, rules, folder / "game.jsonl", 6)
    ending, kept = watcher.sink._ending, []  # type: ignore[attr-defined]
    see = ending.see
    ending.see = lambda layout, frame: (kept.append((layout, session.position)), see(layout, frame))
    watcher.run()
    return camera, session, ending, kept


@pytest.fixture(scope="module")
def laid_open(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return watched(tmp_path_factory.mktemp("reeves"), "reeves", 5)


def assert_scored(camera: SimCamera, session: Game) -> None:
    assert session.phase in ("scored", "over")
    assert scored(session).scores == due_scores(camera)
    assert questions(session) == []
    assert accused(session) == []


@pytest.mark.slow
def test_hands_laid_open_are_read_and_the_round_is_scored(laid_open: Watched) -> None:
    camera, session, _, _ = laid_open
    assert_scored(camera, session)
    assert scored(session).next_engine == (11, 11)


@pytest.mark.nightly
def test_so_are_the_hands_at_a_line(tmp_path: Path) -> None:
    camera, session, _, _ = watched(tmp_path, "chedeng", 8)
    assert_scored(camera, session)
    assert scored(session).next_engine is None


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "seed"), [nightly("poltava", 5), nightly("reeves", 4), ("jielong", 7)])
def test_the_end_shows_where_no_hand_could_be_counted(rules: str, seed: int, tmp_path: Path) -> None:
    """Trains: the hands laid open, by all but the one who is out. Chinese: every tile is laid or put away."""
    camera, session, watcher, _ = late_table(seed, rules, tmp_path / "game.jsonl", 6, counted=False)
    watcher.run()
    assert scored(session).scores == due_scores(camera)
    ended = [event for event in session.events if isinstance(event, RoundEnded)]
    assert [event.out for event in ended] == [camera.round.out if session.rules.is_mexican else None]
    assert questions(session) == []
    assert accused(session) == []


@pytest.mark.slow
def test_the_last_to_lay_a_hand_open_was_not_out(tmp_path: Path) -> None:
    camera, session, watcher, _ = late_table(4, "poltava", tmp_path / "game.jsonl", 3, counted=False)
    ending, seen = watcher.sink._ending, []  # type: ignore[attr-defined]
    see = ending.see
    ending.see = lambda layout, frame: (seen.append(layout), see(layout, frame))
    watcher.run()
    before = scored(session).scores
    assert before == due_scores(camera)
    slow = next(event.out for event in session.events if isinstance(event, RoundEnded))
    assert slow is not None
    lying = {laid.tile for laid in session.position.laid()}  # type: ignore[union-attr]
    lying |= {tile for hand in session.match.shown.values() for tile in hand.tiles}
    missing = max(tile for tile in double_set(12) if tile not in lying)
    first = next(iter(seen[-1].hands.values()))[0]
    halves = (SeenHalf(missing.low, 1.0), SeenHalf(missing.high, 1.0))
    late = replace(first, seen=replace(first.seen, halves=halves))
    see(replace(seen[-1], boneyard=None, hands={**seen[-1].hands, slow: (late,)}), "late.jpg")
    assert session.scoreboard.rounds[-1].how == "blocked_declared"
    assert session.scoreboard.rounds[-1].scores == {**before, slow: missing.pips}


def test_one_tile_that_lies_astray_ends_no_round(tmp_path: Path) -> None:
    camera, session, watcher, _ = late_table(4, "poltava", tmp_path / "game.jsonl", 4, counted=False)
    show = camera.table.__class__.show_hand
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            TableTop, "show_hand", lambda table, player, tiles: player != "Ann" or show(table, player, tiles[:1])
        )
        watcher.run()
    assert session.phase == "playing"


@pytest.mark.slow
@pytest.mark.parametrize("all_along", [False, nightly(True)])
def test_one_hand_laid_open_at_the_end_ends_a_round_of_two(all_along: bool, tmp_path: Path) -> None:
    """A hand of several tiles does, unless it lay open before the last tile was played: some play like that."""
    camera, session, watcher, _ = late_table(3, "tactic", tmp_path / "game.jsonl", 8, players=2)
    assert camera.round.out is not None
    other = next(name for name in camera.plan.players if name != camera.round.out)
    ending = watcher.sink._ending  # type: ignore[attr-defined]
    see = ending.see
    hand = tuple(PlacedTile(900 + n, tile(60.0 * n, 20.0, 90.0, 0, n)) for n in range(3))
    if all_along:
        ending.see = lambda layout, frame: see(replace(layout, hands=dict(layout.hands) | {other: hand}), frame)
    watcher.run()
    assert accused(session) == []
    if all_along:
        assert session.phase == "playing"
    else:
        assert len(camera.round.hands[other]) >= 3
        assert scored(session).scores == due_scores(camera)


@pytest.mark.slow
def test_what_is_no_riddle_of_hands_keeps_no_round_from_ending(tmp_path: Path) -> None:
    _, session, watcher, _ = late_table(5, "tactic", tmp_path / "game.jsonl", 4, counted=False)
    ending, seen = watcher.sink._ending, []  # type: ignore[attr-defined]
    see = ending.see

    def troubled(layout: Layout, *troubles: Trouble) -> None:
        see(replace(layout, problems=(*layout.problems, *map(Problem, troubles))), "late.jpg")

    ending.see = lambda layout, frame: (seen.append(layout), troubled(layout, Trouble.UNREADABLE_TILE))
    watcher.run()
    assert session.phase == "playing"
    for _ in range(2):
        troubled(seen[-1], Trouble.LONE_MARKER, Trouble.EITHER_MARKER)
    assert session.phase == "scored"


@pytest.mark.slow
def test_a_trains_own_tile_beside_a_hand_is_none_of_the_hand(laid_open: Watched) -> None:
    """It is where it lies in no train; where its equal does, the hand's tile was misread."""
    _, _, ending, kept = laid_open
    hands, (layout, table) = ending.hands, next(one for one in reversed(kept) if one[0].hands)
    train = next(name for name, tiles in layout.trains.items() if tiles)
    player, open_hand = next(iter(layout.hands.items()))
    both = replace(layout, hands={player: (*open_hand, layout.trains[train][-1])})
    apart = replace(both, trains={**layout.trains, train: layout.trains[train][:-1]})

    def fault(seen: Layout) -> Question | None:
        return next(hand.fault for hand in hands.read(seen, table) if hand.player == player)

    assert fault(apart) is None
    assert fault(both) == Question(QuestionKind.HAND_TWICE, player=player)


@pytest.mark.parametrize("astray", [False, True])
@pytest.mark.parametrize(("boneyard", "ends"), [(4, True), (3, False), (None, False)])
def test_where_the_whole_set_lies_on_the_table_the_round_is_over(
    boneyard: int | None, ends: bool, astray: bool
) -> None:
    """One tile laid open may lie astray, and hands that nobody could count tell nothing; but nobody holds a tile. A
    loose tile that lay there while people played may be of another set."""
    lying = [PlacedTile(n, tile(50.0 * n, 300.0, 0.0, 1, n % 7)) for n in range(24)]
    layout = Layout(
        engine=lying[0],
        trains={"Ann": tuple(lying[1:12]), "Ben": tuple(lying[12:23])},
        hands={"Ann": (lying[23],)},
        boneyard=boneyard,
        problems=(Problem(Trouble.LOOSE_JOINT),),
    )
    hands = OpenHands(("Ann", "Ben"), dict.fromkeys(double_set(6), 1), 24.0)
    table = Position(6, ("Ann", "Ben"), Laid(1, 1), {"Ann": (), "Ben": (), "MX": ()})
    if astray:
        layout = replace(layout, loose=(PlacedTile(99, tile(500.0, 500.0, 40.0, 3, 5)),))
        hands.lie_open(layout, 6)
        hands.lie_open(layout, 7)
    over = ends or (astray and boneyard == 3)
    assert hands.out(layout, table, 7) == ("Ben" if over else None)
    due = replace(table, hands={"Ann": 1, "Ben": 1})
    assert hands.out(layout, due, 7) == ("" if over else None), (
        "Ben's tile lies too near a train to be seen as his hand"
    )


@pytest.mark.parametrize(
    ("boneyard", "least", "ends"),
    [(24, {}, True), (22, {}, False), (22, {"Ann": 4}, True), (None, {}, True)],
)
def test_who_may_hold_the_tiles_that_lie_nowhere_is_not_out(
    boneyard: int | None, least: Mapping[str, int], ends: bool
) -> None:
    """Unless another hand lacks them, or nobody can count the boneyard: Cy is slow, and not out."""
    hands = {
        name: tuple(PlacedTile(10 * n + k, tile(300.0 * n + 30 * k, 60.0, 90.0, n + 1, 3 + k)) for k in range(2))
        for n, name in enumerate(("Ann", "Ben"))
    }
    names = ("Ann", "Ben", "Cy")
    lying = PlacedTile(98, tile(600.0, 450.0, 0.0, 0, 0))
    layout = Layout(engine=lying, hands=hands, boneyard=boneyard)
    table = Position(6, names, Laid(0, 0), dict.fromkeys((*names, "MX"), ()), hands={}, boneyard=boneyard)
    players = OpenHands(names, dict.fromkeys(double_set(6), 1), 24.0)
    assert players.out(replace(layout, boneyard=boneyard and boneyard - 1), table, 7, least) == "Cy", "miscounted"
    assert players.out(layout, table, 7, least) == ("Cy" if ends else None)


def test_the_sum_is_asked_about_once_all_that_lies_open_is_counted(tmp_path: Path) -> None:
    """Cy seemed to be out and was only slow: then the set comes out with Ben's hand, which was asked about."""
    names, box = ("Ann", "Ben", "Cy"), dict.fromkeys(double_set(6), 1)
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-6", names))
    ending = RoundEnding(session, OpenHands(names, box, 24.0), lambda frame: None)
    session.start_round((6, 6), "Ann", draws_seen=False)
    session._add(TilePlayed(source="camera", by=None, maybe=("Ann", "Ben"), tile=Laid(6, 5), train="Ann"))
    session.end_round("out", "Cy", source="camera")
    rest = iter(sorted(set(box) - {Tile(6, 6), Tile(5, 6)}))
    hands = {
        name: tuple(PlacedTile(100 * n + k, tile(30.0 * k, 200.0 * n, 90.0, *_ends(next(rest)))) for k in range(size))
        for n, (name, size) in enumerate(zip(names, (9, 9, 8), strict=True))
    }
    ending.see(Layout(hands={name: hands[name] for name in ("Ann", "Ben")}, boneyard=0), "1.jpg")
    assert [event.reason for event in session.questions] == ["set_sum: 20/28"]
    ending.see(Layout(hands=hands, boneyard=0), "2.jpg")
    assert not session.questions and session.phase == "scored"
    assert session.scoreboard.round is not None and session.scoreboard.round.out is None


@pytest.mark.parametrize(
    ("first", "second", "ends"), [((1, 3), (2, 5), True), ((1, 1), (1, 1), False), ((6, 4), (2, 5), False)]
)
def test_hands_of_which_a_tile_is_there_too_often_end_nothing(
    first: tuple[int, int], second: tuple[int, int], ends: bool
) -> None:
    """Flowers of the cloth were taken for three 1-1: the round was over twelve times, and they played on."""
    train = tuple(PlacedTile(n, tile(50.0 * n, 300.0, 0.0, *pair)) for n, pair in enumerate([(0, 6), (6, 4)]))
    hands = {
        name: (PlacedTile(10 + n, tile(100.0 * n, 60.0, 90.0, *pair)),)
        for n, (name, pair) in enumerate([("Ann", first), ("Ben", second)])
    }
    layout = Layout(trains={"Ann": train}, hands=hands)
    table = Position(
        12, ("Ann", "Ben", "Cy"), Laid(0, 0), {"Ann": (Laid(0, 6), Laid(6, 4)), "Ben": (), "Cy": (), "MX": ()}
    )
    players = OpenHands(("Ann", "Ben", "Cy"), dict.fromkeys(double_set(12), 1), 24.0)
    assert players.out(layout, table, 7) == ("Cy" if ends else None)


@pytest.mark.parametrize(
    ("second", "due", "ends"),
    [
        (((2, 5), (2, 6)), {}, True),
        (((2, 5),), {}, False),
        (((2, 5), (2, 5)), {}, False),
        (((2, 5),), {"Ann": 2, "Ben": 1, "Cy": 0}, True),
        (((2, 5),), {"Ann": 2, "Ben": 2, "Cy": 0}, False),
    ],
)
def test_two_clear_hands_are_two_hands_though_a_tile_lies_about(
    second: Sequence[tuple[int, int]], due: Mapping[str, int], ends: bool
) -> None:
    """And so are hands that are all as large as is known."""
    laid = {"Ann": ((1, 3), (1, 4)), "Ben": second}
    hands = {
        name: tuple(PlacedTile(10 * n + k, tile(100.0 * n + 30 * k, 60.0, 90.0, *pair)) for k, pair in enumerate(pairs))
        for n, (name, pairs) in enumerate(laid.items())
    }
    astray = PlacedTile(99, tile(500.0, 300.0, 40.0, 3, 9))
    layout = Layout(hands=hands, loose=(astray,), problems=(Problem(Trouble.LOOSE_TILE, (500.0, 300.0), (99,)),))
    table = Position(12, ("Ann", "Ben", "Cy"), Laid(0, 0), {"Ann": (), "Ben": (), "Cy": (), "MX": ()}, hands=due)
    players = OpenHands(("Ann", "Ben", "Cy"), dict.fromkeys(double_set(12), 1), 24.0)
    assert players.out(layout, table, 7) == ("Cy" if ends else None)


@pytest.mark.parametrize(("since", "ends"), [(0, True), (6, True), (7, False)])
def test_a_tile_that_lay_about_while_people_played_keeps_no_round_from_ending(since: int, ends: bool) -> None:
    astray = PlacedTile(99, tile(500.0, 300.0, 40.0, 3, 9))
    before = Layout(loose=(astray,), problems=(Problem(Trouble.LOOSE_TILE, (500.0, 300.0), (99,)),))
    hands = {name: (PlacedTile(n, tile(300.0 * n, 60.0, 90.0, 1, 3 + n)),) for n, name in enumerate(("Ann", "Ben"))}
    names = ("Ann", "Ben", "Cy")
    table = Position(12, names, Laid(0, 0), dict.fromkeys((*names, "MX"), ()), hands={})
    players = OpenHands(names, dict.fromkeys(double_set(12), 1), 24.0)
    players.lie_open(before, since)
    players.lie_open(replace(before, hands=hands), 7)
    assert players.out(replace(before, hands=hands), table, 7) == ("Cy" if ends else None)


@pytest.mark.parametrize(
    ("due", "ends"),
    [
        ({"Ann": 3, "Ben": 4, "Cy": 0}, True),
        ({"Ann": 2, "Ben": 6, "Cy": 0}, False),
        ({"Ann": 2, "Ben": 2, "Cy": 0}, False),
        ({"Ann": 3, "Ben": 4, "Cy": 1}, False),
    ],
)
def test_hands_in_which_a_tile_lies_under_another_end_a_round_and_are_asked_about(
    due: Mapping[str, int], ends: bool
) -> None:
    """Ann shows two tiles and Ben three."""
    hands = {
        name: tuple(PlacedTile(10 * n + k, tile(300.0 * n + 30 * k, 60.0, 90.0, n + 1, 5 + k)) for k in range(2 + n))
        for n, name in enumerate(("Ann", "Ben"))
    }
    layout = Layout(hands=hands)
    table = Position(12, ("Ann", "Ben", "Cy"), Laid(0, 0), {"Ann": (), "Ben": (), "Cy": (), "MX": ()}, hands=due)
    players = OpenHands(("Ann", "Ben", "Cy"), dict.fromkeys(double_set(12), 1), 24.0)
    assert players.out(layout, table, 7) == ("Cy" if ends else None)
    if ends:
        faults = [hand.fault.kind for hand in players.read(layout, table) if hand.fault is not None]
        assert faults == [QuestionKind.HAND_COUNT] * 2


@pytest.mark.parametrize(
    ("since", "due", "ends"),
    [
        (7, {"Ann": 2, "Ben": 1}, True),
        (6, {"Ann": 2, "Ben": 1}, False),
        (7, {"Ann": 4, "Ben": 1}, False),
    ],
)
def test_a_hand_larger_than_anybody_knew_ends_the_round_and_is_asked_about(
    since: int, due: Mapping[str, int], ends: bool
) -> None:
    """Draws went unseen, so what is known of Ben's hand tells as little."""
    hand = tuple(PlacedTile(n, tile(30.0 * n, 60.0, 90.0, 1, 3 + n)) for n in range(4))
    names, layout = ("Ann", "Ben"), Layout(hands={"Ann": hand})
    table = Position(12, names, Laid(0, 0), dict.fromkeys((*names, "MX"), ()), hands=due)
    players = OpenHands(names, dict.fromkeys(double_set(12), 1), 24.0)
    players.lie_open(layout, since)
    assert players.out(layout, table, 7) == ("Ben" if ends else None)
    asked = [hand.fault for hand in players.read(layout, table) if hand.fault is not None]
    assert asked == ([Question(QuestionKind.HAND_COUNT, player="Ann")] if due["Ann"] == 2 else [])


@pytest.mark.parametrize(("since", "asked"), [(6, True), (7, False)])
def test_one_tile_that_lay_there_while_people_played_is_no_hand_unasked(since: int, asked: bool) -> None:
    names, layout = ("Ann", "Ben"), Layout(hands={"Ann": (PlacedTile(1, tile(60.0, 20.0, 40.0, 2, 2)),)})
    table = Position(12, names, Laid(0, 0), dict.fromkeys((*names, "MX"), ()), hands={"Ann": 1, "Ben": 0})
    players = OpenHands(names, dict.fromkeys(double_set(12), 1), 24.0)
    players.lie_open(layout, since)
    players.lie_open(layout, 7)
    (hand,) = players.read(layout, table)
    assert [one.tiles for _, one in hand.choices] == ([(Tile(2, 2),)] if asked else [])
    assert hand.fault == (Question(QuestionKind.HAND_COUNT, player="Ann") if asked else None)


@pytest.mark.parametrize(
    ("older", "due", "asked", "choices"),
    [
        ((1, 6), {}, False, 0),  # it lies in a train, so its equal here is no tile of the hand
        ((1, 8), {}, True, 2),
        ((1, 8), {"Ann": 3, "Ben": 0}, False, 0),
        ((1, 8), {"Ann": 4, "Ben": 0}, False, 0),
    ],
)
def test_a_tile_that_lay_there_before_the_last_play_is_of_the_hand_only_if_the_count_says_so(
    older: tuple[int, int], due: Mapping[str, int], asked: bool, choices: int
) -> None:
    train = (PlacedTile(50, tile(300.0, 300.0, 0.0, 0, 1)), PlacedTile(51, tile(350.0, 300.0, 0.0, 1, 6)))
    stray = PlacedTile(1, tile(60.0, 20.0, 40.0, *older))
    hand = tuple(PlacedTile(10 + n, tile(120.0 + 30 * n, 20.0, 90.0, 3, n)) for n in range(3))
    table = Position(12, ("Ann", "Ben"), Laid(0, 0), {"Ann": (Laid(0, 1), Laid(1, 6)), "Ben": (), "MX": ()}, hands=due)
    hands = OpenHands(("Ann", "Ben"), dict.fromkeys(double_set(12), 1), 24.0)
    hands.lie_open(Layout(hands={"Ann": (stray,)}), 6)
    layout = Layout(trains={"Ann": train}, hands={"Ann": (stray, *hand)})
    hands.lie_open(layout, 7)
    (read,) = hands.read(layout, table)
    assert (read.fault is not None, len(read.choices)) == (asked, choices)
    assert len(read.tiles) == (0 if asked else due.get("Ann", 3))
    if due.get("Ann") != 4:
        assert hands.out(layout, table, 7) == "Ben"


@pytest.mark.parametrize(("players", "since", "ends"), [(2, 7, True), (2, 6, False), (3, 7, False)])
def test_both_hands_of_two_players_end_a_round_though_a_tile_of_each_lies_under_another(
    players: int, since: int, ends: bool
) -> None:
    names = ("Ann", "Ben", "Cy")[:players]
    hands = {
        name: tuple(PlacedTile(10 * n + k, tile(300.0 * n + 30 * k, 60.0, 90.0, n + 1, 5 + k)) for k in range(3))
        for n, name in enumerate(names[:2])
    }
    table = Position(12, names, Laid(0, 0), dict.fromkeys((*names, "MX"), ()), hands=dict.fromkeys(names, 4))
    open_hands = OpenHands(names, dict.fromkeys(double_set(12), 1), 24.0)
    open_hands.lie_open(Layout(hands=hands), since)
    assert open_hands.out(Layout(hands=hands), table, 7) == ("" if ends else None)


@pytest.mark.parametrize(("tiles", "since", "ends"), [(3, 7, True), (3, 6, False), (1, 7, False)])
def test_one_hand_alone_ends_a_round_where_it_came_to_lie_open_after_the_last_play(
    tiles: int, since: int, ends: bool
) -> None:
    """Some have their tiles open all the time, and one tile may lie astray."""
    hands = OpenHands(("Ann", "Ben"), dict.fromkeys(double_set(12), 1), 24.0)
    layout = Layout(hands={"Ann": tuple(PlacedTile(n, tile(60.0 * n, 20.0, 90.0, 3, n)) for n in range(tiles))})
    hands.lie_open(layout, since)
    table = Position(12, ("Ann", "Ben"), Laid(0, 0), {"Ann": (), "Ben": (), "MX": ()})
    assert hands.out(layout, table, 7) == ("Ben" if ends else None)


@pytest.mark.parametrize(("seen", "put_away", "asked"), [(1, 2, False), (2, 2, False), (0, 1, True)])
def test_a_hand_is_as_large_as_the_tiles_put_away_on_record_whatever_of_them_the_eye_overlooked(
    seen: int, put_away: int, asked: bool
) -> None:
    box = {Tile(1, 2): 1, Tile(2, 2): 1, Tile(3, 3): 1, Tile(2, 5): 1}
    hands = OpenHands(("Ann", "Ben"), box, 24.0)
    hands.note(Layout(discards={"Ann": seen, "Ben": 0}))
    line = (Laid(1, 2), Laid(2, 5))[: 4 - put_away]
    table = LinePosition(("Ann", "Ben"), line, "Ann", {"Ann": put_away, "Ben": 4 - put_away - len(line)})
    laid = tuple(PlacedTile(n, tile(40.0 * n, 60.0, 90.0, n, n)) for n in (2, 3))
    hand = next(hands.read(Layout(hands={"Ann": laid}), table))
    assert (hand.fault == Question(QuestionKind.HAND_COUNT, player="Ann")) is asked


@pytest.mark.parametrize(("shown", "phase"), [("Ann Ben Cy", "playing"), ("Ann Ben Cy Dee", "ended")])
def test_where_all_have_turned_their_tiles_over_a_deal_is_over_whatever_was_counted(
    shown: str, phase: str, tmp_path: Path
) -> None:
    """A tile of the line is not on record, so by the count somebody still has one."""
    names = ("Ann", "Ben", "Cy", "Dee")
    session = Game.create(tmp_path / "game.jsonl", Header("kkori", "chinese", names))
    ending = RoundEnding(session, OpenHands(names, box_of(chinese_box()), 24.0), str)
    session.start_round(None, "Ann")
    session._add(TilePlayed(source="camera", by="Ann", tile=Laid(6, 5), train="R"))
    hands = {name: (PlacedTile(n, tile(60.0, 200.0 * n, 90.0, 1, n + 1)),) for n, name in enumerate(shown.split())}
    ending.see(Layout(hands=hands), "open.jpg")
    assert session.phase == phase


def test_backs_taken_for_open_hands_end_no_round_that_has_hardly_begun(tmp_path: Path) -> None:
    names = ("Ann", "Ben", "Cy")
    session = Game.create(tmp_path / "game.jsonl", Header("poltava", "double-12", names, {}))
    session.start_round((12, 12), "Ann", draws_seen=False)
    ending = RoundEnding(session, OpenHands(names, dict.fromkeys(double_set(12), 1), 24.0), str)
    astray = {name: (PlacedTile(n, tile(100.0 * n, 60.0, 90.0, n, 3)),) for n, name in enumerate(names) if n}
    ending.see(Layout(hands=astray), "1.jpg")
    assert session.phase == "playing"


@pytest.mark.parametrize(("train", "ends"), [("Ann", True), ("Ben", False)])
def test_where_first_trains_are_laid_together_another_may_lay_the_last_tile(
    train: str, ends: bool, tmp_path: Path
) -> None:
    """Ann lays the last tile, and Ben is out: only where all that lies there may be first trains."""
    names = ("Ann", "Ben")
    session = Game.create(tmp_path / "game.jsonl", Header("cz", "double-12", names, {}))
    session.start_round((12, 12), "Ann", draws_seen=False)
    ending = RoundEnding(session, OpenHands(names, dict.fromkeys(double_set(12), 1), 24.0), str)
    row = [(12, 1), (1, 3), (3, 5), (5, 7), (7, 9), (9, 11), (11, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    for inner, outer in row:
        session.play(Laid(inner, outer), "Ben", by="Ben")
    for inner, outer in [(12, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 10)]:
        session.play(Laid(inner, outer), "Ann", by="Ann")
    session.play(Laid(10, 11), train, by="Ann")
    hand = tuple(PlacedTile(n, tile(100.0 * n, 60.0, 90.0, n, n + 7)) for n in range(4))
    ending.see(Layout(), "1.jpg")
    ending.see(Layout(hands={"Ann": hand}), "2.jpg")
    assert session.phase == ("ended" if ends else "playing")
    ended = [event for event in session.events if isinstance(event, RoundEnded)]
    assert [event.out for event in ended] == (["Ben"] if ends else [])
    assert not ends or accused(session) == []


def test_a_hand_laid_open_by_the_player_who_laid_last_on_record_is_asked_about(tmp_path: Path) -> None:
    """A name or a count on record is wrong: nobody is out, and the round does not go on in silence."""
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben"), {}))
    session.start_round((12, 12), "Ann", draws_seen=False)
    ending = RoundEnding(session, OpenHands(("Ann", "Ben"), dict.fromkeys(double_set(12), 1), 24.0), str)
    for inner, outer in pairwise((12, 1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10)):
        session.play(Laid(inner, outer), "Ben", by="Ben")
    for inner, outer in pairwise((12, 2, 3, 4, 5, 6)):
        session.play(Laid(inner, outer), "Ann", by="Ann")
    hands = Layout(hands={"Ann": tuple(PlacedTile(n, tile(100.0 * n, 60.0, 90.0, n, n + 7)) for n in range(4))})
    ending.see(Layout(), "1.jpg")
    for frame in ("2.jpg", "3.jpg"):
        ending.see(hands, frame)
    assert session.phase == "playing"
    assert [one.reason for one in session.questions if one.question.kind in OF_A_HAND] == ["hand_count: Ann"]
    ending.see(Layout(), "4.jpg")
    assert not [one for one in session.questions if one.question.kind in OF_A_HAND]


def test_a_round_that_a_person_ends_is_scored_by_the_hands_that_lie_there_already(tmp_path: Path) -> None:
    camera, session, watcher, _ = late_table(1, "tactic", tmp_path / "game.jsonl", 0)
    for _ in range(2):
        watcher.step()
    assert session.phase == "playing"
    session.end_round("out" if camera.round.out else "blocked_declared", camera.round.out)
    watcher.run()
    assert scored(session).scores == due_scores(camera)


def test_a_hand_that_is_partly_unread_is_asked_about_and_never_guessed(tmp_path: Path) -> None:
    camera, session, watcher, eye = late_table(7, "jielong", tmp_path / "game.jsonl", 4)
    player, away = next((name, tiles) for name, tiles in camera.round.discards.items() if tiles)
    eye.blind = (next(tile for tile in away if away.count(tile) == 1),)
    watcher.run()
    assert f"hand_unread: {player}" in [event.reason for event in session.questions]
    assert session.phase == "ended"
    for asked in session.questions:
        session.answer(asked.seq, 0)
    assert scored(session).scores == due_scores(camera)


@pytest.mark.parametrize("counted", [True, False])
def test_a_hand_with_too_few_tiles_is_asked_about(counted: bool, tmp_path: Path) -> None:
    """Where draws may have gone unseen, those that were seen tell how many must be left at least."""
    camera, session, watcher, _ = late_table(5, "reeves", tmp_path / "game.jsonl", 6, counted)
    show = camera.table.__class__.show_hand

    def one_too_few(table: TableTop, player: str, tiles: Sequence[Tile]) -> bool:
        return show(table, player, tiles[1:] if player == "Cy" else tiles)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TableTop, "show_hand", one_too_few)
        watcher.run()
    assert [event.reason for event in session.questions] == ["hand_count: Cy"]
    assert session.phase == "ended"
    session.answer(session.questions[0].seq, 0)
    assert session.phase == "scored"


def test_a_hand_short_of_a_tile_is_asked_about_though_another_is_not_read(tmp_path: Path) -> None:
    """Else the answer about the other one would settle the round with the wrong points."""
    camera, session, watcher, eye = late_table(5, "reeves", tmp_path / "game.jsonl", 6, False)
    show = camera.table.__class__.show_hand
    eye.blind = (camera.round.hands["Dee"][0],)

    def one_too_few(table: TableTop, player: str, tiles: Sequence[Tile]) -> bool:
        return show(table, player, tiles[1:] if player == "Cy" else tiles)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TableTop, "show_hand", one_too_few)
        watcher.run()
    assert [event.reason for event in session.questions] == ["hand_count: Cy", "hand_unread: Dee"]
    session.answer(session.questions[0].seq, 0)
    assert session.phase == "ended"
    session.answer(session.questions[0].seq, 0)
    assert session.phase == "scored"


@pytest.mark.parametrize(
    ("rules", "sizes", "asked"),
    [
        ("tactic", (15, 16), []),
        ("tactic", (14, 16), ["set_sum: 90/91"]),
        ("tactic", (16, 19), []),
        ("jielong", (7, 8, 8, 8), []),
        ("jielong", (7, 7, 8, 8), ["set_sum: 31/32"]),
    ],
)
def test_where_nobody_can_say_who_laid_a_tile_all_hands_together_tell(
    rules: str, sizes: Sequence[int], asked: Sequence[str], tmp_path: Path
) -> None:
    """Draws from a stack may have gone unseen, so there may be more tiles than are known, and not fewer."""
    trains, players = rules == "tactic", ("Ann", "Ben", "Cy", "Dee")[: len(sizes)]
    header = Header(rules, "double-12" if trains else "chinese", players)
    box: Mapping[Tile, int] = dict.fromkeys(double_set(12), 1) if trains else box_of(chinese_box())
    session = Game.create(tmp_path / "game.jsonl", header)
    ending = RoundEnding(session, OpenHands(players, box, 24.0), lambda frame: None)
    session.start_round((12, 12) if trains else None, "Ann", draws_seen=not trains)
    laid, train = (Laid(12, 5), "Ann") if trains else (Laid(6, 5), "R")
    session._add(TilePlayed(source="camera", by=None, maybe=("Ann", "Ben"), tile=laid, train=train))
    session.end_round("blocked_declared")
    left = Counter(box) - Counter([laid.tile, *([Tile(12, 12)] if trains else [])])
    rest = iter(sorted(left.elements()))
    hands = {
        name: tuple(PlacedTile(100 * n + k, tile(30.0 * k, 200.0 * n, 90.0, *_ends(next(rest)))) for k in range(size))
        for n, (name, size) in enumerate(zip(players, sizes, strict=True))
    }
    ending.see(Layout(hands=hands), "open.jpg")
    assert [event.reason for event in session.questions] == asked
    assert session.phase == ("ended" if asked else "scored")


def _ends(tile: Tile) -> tuple[int, int]:
    return tile.low, tile.high


@pytest.mark.parametrize(
    ("since", "due", "ends"),
    [(7, {"Ben": 4}, True), (6, {"Ben": 4}, False), (7, {"Ben": 2}, True), (7, {"Ben": 4, "Dee": 1}, False)],
)
def test_three_hands_laid_open_since_the_last_play_end_a_round_though_a_tile_lies_about_and_one_is_short(
    since: int, due: Mapping[str, int], ends: bool
) -> None:
    hands = {
        name: tuple(PlacedTile(10 * n + k, tile(300.0 * n + 30 * k, 60.0, 90.0, n + 1, 5 + k)) for k in range(tiles))
        for n, (name, tiles) in enumerate((("Ann", 1), ("Ben", 3), ("Cy", 2)))
    }
    astray = PlacedTile(99, tile(500.0, 300.0, 40.0, 3, 9))
    layout = Layout(hands=hands, loose=(astray,), problems=(Problem(Trouble.LOOSE_TILE, (500.0, 300.0), (99,)),))
    names = ("Ann", "Ben", "Cy", "Dee")
    table = Position(12, names, Laid(0, 0), dict.fromkeys((*names, "MX"), ()), hands=due)
    players = OpenHands(names, dict.fromkeys(double_set(12), 1), 24.0)
    players.lie_open(layout, since)
    assert players.out(layout, table, 7) == ("Dee" if ends else None)


def test_a_middle_that_nobody_finds_is_asked_for_until_it_is_found(tmp_path: Path) -> None:
    setup = setup_from_json({"journal": 1, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    rules = load_ruleset("tactic")
    session = Game(Journal.create(tmp_path / "game.jsonl", setup.header), rules)
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
    lost = reconstruct(TableView((), hub=None), setup.table_setup())
    sink.first_table(lost, "1.jpg")
    for _ in range(2):
        sink.understood(lost, "1.jpg")
    assert [question.reason for question in session.questions] == ["NO_HUB"]
    sink.understood(reconstruct(view([]), setup.table_setup(), lost), "2.jpg")
    assert session.questions == ()
