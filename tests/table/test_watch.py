"""A whole simulated table through settler, memory, layout and observation, against the truth of every scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pytest

from bench.stand_ins.sketch import KnowingEye, an_arm, sketched
from companion.geometry import Layout, Trouble
from companion.geometry.diff import Observation
from companion.perception import CameraNews, Watcher
from companion.perception.settings import LookAgain, LookReason, Where
from companion.perception.table_reader import known_set
from companion.rules.notation import Drawing, Vanishing, print_change
from companion.rules.position import Discard, Draw, Mark, Play, Unmark
from companion.rules.tile import Laid
from datasets.simulator.camera import VISIBLE_FAULTS, Filmed, SimCamera, SimSettings
from datasets.simulator.script import Scene, Troubles
from tests.lanes import nightly
from vision.calibration import Calibration
from vision.frame import Frame
from vision.settle import Settler


class Notebook:
    """A desk that believes everything and writes it down."""

    def __init__(self) -> None:
        self.first: Layout | None = None
        self.records: list[tuple[str, Observation]] = []
        self.questions: list[tuple[str, Observation]] = []
        self.due: int | None = None

    def recorded(self) -> Mapping[str, Sequence[Laid]]:
        return {}

    def first_table(self, layout: Layout, frame: str) -> bool:
        self.first = layout
        return True

    def engine(self) -> int | None:
        return self.due

    def marked(self) -> frozenset[str]:
        return frozenset()

    def face_down(self) -> int | None:
        return None

    def still_new(self, observation: Observation, layout: Layout) -> Observation:
        return observation

    def look_again(self, observation: Observation) -> tuple[LookAgain, ...]:
        return tuple(LookAgain(place, LookReason.NO_LEGAL_PLAY) for place in Where) if observation.gone else ()

    def likeliest(self, ways: Iterable[Observation]) -> int:
        return 0

    def record(self, observation: Observation, layout: Layout, frame: str) -> bool:
        self.records.append((frame, observation))
        return True

    def ask(self, observation: Observation, layout: Layout, frame: str) -> None:
        self.questions.append((frame, observation))

    def understood(self, layout: Layout, frame: str) -> None:
        pass

    def stirred(self) -> bool:
        return False

    def own_markers(self) -> Mapping[str, bool]:
        return {}

    def ask_about_marker(self, player: str, frame: str) -> bool:
        return False

    def is_cleared(self, layout: Layout) -> bool:
        return False

    def ask_about_another_round(self, layout: Layout, frame: str) -> None:
        raise AssertionError("no round is on record")

    def cleared(self) -> bool:
        return False

    def over(self) -> bool:
        return False


SHORT = {"hand_frames": 3, "still_frames": 7, "show_hands": False}


def seat_a_watcher(
    seed: int, settings: SimSettings, **errors: float
) -> tuple[SimCamera, Watcher, Notebook, list[CameraNews], KnowingEye]:
    """A watcher before a sketched table, the first frame seen."""
    camera = sketched(seed, settings)
    setup = camera.setup()
    eye = KnowingEye(camera, **errors)  # type: ignore[arg-type]
    sink = Notebook()
    news: list[CameraNews] = []
    first = camera.read()
    assert first is not None
    calibration = Calibration.from_corners(setup.table.corners_px, setup.table.size_mm, 0.0, size_wh=first.size_wh)  # type: ignore[arg-type]
    watcher = Watcher(
        camera,
        eye,  # type: ignore[arg-type]
        Settler(),
        calibration,
        setup.table_setup(),
        sink,
        known=known_set(setup),
        publish=news.append,
    )
    watcher.see(first)
    return camera, watcher, sink, news, eye


def watched(
    seed: int, settings: SimSettings, **errors: float
) -> tuple[SimCamera, Notebook, list[CameraNews], KnowingEye]:
    camera, watcher, sink, news, eye = seat_a_watcher(seed, settings, **errors)
    watcher.run()
    return camera, sink, news, eye


def truth(filmed: Sequence[Filmed]) -> list[Counter[str]]:
    """The changes of each scene that changed something; a take-back is seen as it comes and as it goes."""
    scenes: list[Counter[str]] = []
    for one in filmed:
        changes = expected(one.scene)
        if changes:
            scenes.append(changes)
    return scenes


def expected(scene: Scene) -> Counter[str]:
    found: Counter[str] = Counter()
    marks: dict[str, int] = {}
    for player, act in scene.plays:
        match act:
            case Play(tile, train):
                found[f"+{tile.inner}-{tile.outer}@{train}"] += 1
            case Draw():
                found["draw"] += 1
            case Mark(owner):
                marks[owner] = marks.get(owner, 0) + 1
            case Unmark(owner):
                marks[owner] = marks.get(owner, 0) - 1
            case Discard():
                found[f"discard {player}"] += 1
            case _:
                pass
    for owner, count in marks.items():
        if count:
            found[f"{'mark' if count > 0 else '-mark'} {owner}"] += 1
    return found


def told(observation: Observation) -> Counter[str]:
    found: Counter[str] = Counter()
    for change in observation.delta:
        if isinstance(change, Drawing):
            found["draw"] += change.count
        else:
            found[print_change(change)] += 1
    for player, count in observation.discards.items():
        found[f"discard {player}"] += count
    return found


def without_draws(scenes: Sequence[Counter[str]]) -> list[Counter[str]]:
    """A pile shows no draws."""
    bare = [Counter({what: n for what, n in scene.items() if what != "draw"}) for scene in scenes]
    return [scene for scene in bare if scene]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "rules"), [nightly(2, "cz"), (12, "tactic")])
def test_a_quiet_game_is_seen_exactly(seed: int, rules: str) -> None:
    settings = SimSettings(rules=rules, most_scenes=9, troubles=Troubles.none(), **SHORT)
    camera, sink, _, _ = watched(seed, settings)
    seen, true = [told(observation) for _, observation in sink.records], truth(camera.truth)
    if not camera.plan.boneyard_spread:
        seen, true = without_draws(seen), without_draws(true)
    assert seen == true
    assert sink.questions == []


@pytest.mark.slow
def test_a_chinese_line_with_discards_and_a_wall_is_seen_exactly() -> None:
    settings = SimSettings(rules="jielong", most_scenes=14, troubles=Troubles.none(), **SHORT)
    camera, sink, _, _ = watched(4, settings)
    assert [told(observation) for _, observation in sink.records] == truth(camera.truth)
    assert sink.questions == []
    assert len(camera.table.line) > 8


@pytest.mark.slow
def test_bumps_lamps_nudges_and_passing_hands_are_no_plays() -> None:
    troubles = Troubles(0.3, 0.1, 0.0, 0.15, 0.15, 0.15, 0.0, 0.15)
    settings = SimSettings(rules="reeves", most_scenes=9, troubles=troubles, plant=VISIBLE_FAULTS, **SHORT)
    camera, sink, _, _ = watched(9, settings)
    kinds = {one.scene.trouble for one in camera.truth} - {None}
    assert {"bump", "nudge", "lamp"} & kinds
    assert [told(observation) for _, observation in sink.records] == truth(camera.truth)


@pytest.mark.slow
def test_a_tile_taken_back_is_seen_to_go() -> None:
    troubles = Troubles(0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0)
    settings = SimSettings(rules="tactic", most_scenes=7, troubles=troubles, **SHORT)
    camera, sink, _, _ = watched(5, settings)
    taken = sum(one.scene.trouble == "take_back" for one in camera.truth)
    gone = [change for _, observation in sink.records for change in observation.delta if isinstance(change, Vanishing)]
    assert taken > 0 and len(gone) == taken
    # The record keeps why it was looked at again.
    assert {one.again for _, one in sink.records if one.gone} == {(str(LookReason.NO_LEGAL_PLAY),)}


@pytest.mark.slow
def test_a_wavering_eye_ends_in_questions_and_not_in_wrong_tiles() -> None:
    settings = SimSettings(rules="reeves", most_scenes=8, troubles=Troubles.none(), **SHORT)
    camera, sink, _, _ = watched(3, settings, unread=0.3, jitter_mm=1.2, missed=0.03)
    real = Counter(change for scene in truth(camera.truth) for change in scene if change.startswith("+"))
    seen = Counter(
        print_change(change)
        for _, observation in sink.records
        for change in observation.delta
        if isinstance(change, Play)
    )
    assert not seen - real


def test_the_cameras_state_is_published_from_hand_to_read() -> None:
    settings = SimSettings(rules="reeves", most_scenes=2, troubles=Troubles.none(), **SHORT)
    _, _, news, eye = watched(3, settings)
    states = [one.state for one in news]
    assert states[-1] == "ended"
    assert states.count("read") >= 3
    first_hand = states.index("hand")
    assert "read" in states[first_hand:]
    # Two equal readings make a change real: the first table, and two tiles.
    assert eye.looks <= 12


@pytest.mark.slow
def test_a_cup_put_on_a_train_takes_nothing_away() -> None:
    settings = SimSettings(rules="reeves", most_scenes=6, troubles=Troubles.none(), **SHORT)
    camera, watcher, sink, _, _ = seat_a_watcher(3, settings)
    watcher.run()
    before = list(sink.records)
    end = next(train[-1] for train in camera.table.trains.values() if train)
    for cup in (end.center_mm, None):
        camera.film.cup_mm = cup
        for n in range(3):
            watcher.see(Frame(camera.film.frame([an_arm(end.center_mm, camera.plan)], n), 0.0, "hand"))
        camera.film.develop(camera.table)
        for n in range(14):
            watcher.see(Frame(camera.film.frame(), 0.0, f"still {n}"))
    assert sink.records == before


@pytest.mark.slow
def test_where_the_hub_is_not_found_the_engine_of_the_game_on_record_is_the_middle() -> None:
    """A game made on the page has no engine in its set-up: its round names it."""
    settings = SimSettings(rules="tactic", most_scenes=5, troubles=Troubles.none(), **SHORT)
    camera, watcher, sink, _, eye = seat_a_watcher(12, settings)
    look_again = eye.look_again
    eye.look_again = lambda *a, **k: replace(look_again(*a, **k), hub=None)  # type: ignore[method-assign]
    watcher.reader.setup = replace(watcher.setup, engine=None)
    assert camera.round.engine is not None
    sink.due = camera.round.engine.outer
    watcher.run()
    assert sink.first is not None and not sink.first.has(Trouble.NO_HUB)
    assert [told(one) for _, one in sink.records] == truth(camera.truth) != []
