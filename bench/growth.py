"""How what the box does grows: with games played, tiles on the table, players, pictures kept, screens and pixels.

    python -m bench.growth

Printed for each is the processor time of one answer (memory for the eye) at three sizes, and the exponent of the growth
between the last two: 0 costs the same whatever the size, 1 grows as the size does. Above 1 it grows worse than
linearly. For the page `tests/web/test_growth.py` holds the same in counted calls.
"""

from __future__ import annotations

import math
import shutil
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.eye import peak_megabytes, sixty_tiles
from bench.page import Phone
from bench.stand_ins import tables
from bench.stand_ins.background import serve_in_background
from bench.stand_ins.fakes import FakeSession
from bench.stand_ins.playing import begin, play_out, say
from bench.stopwatch import seconds_per_unit
from companion.app.games import create_game, look_at_game, open_game
from companion.app.state import AppState, GameRepository
from companion.game.game import Game
from companion.rules.position import Play
from companion.web.app import PageSettings, create_app
from companion.web.serving import ServingSettings
from companion.web.stream import StreamSettings
from vision.frame import reduced

ROUNDS = 5
GAMES, TILES, PLAYERS, PICTURES, SCREENS = (1, 13, 50), (10, 60, 180), (2, 6, 12), (10, 100, 1000), (1, 24, 390)
SET, DEALT = 18, 180
"""A double-18 has 190 tiles; so many are dealt, and the bots lay nearly all of them."""
SIDES_PX = (1000, 2000, 4000)

Work = Callable[[], object]


def growth(figures: Mapping[int, float]) -> float:
    """The exponent between the two largest sizes."""
    (small, one), (large, other) = sorted(figures.items())[-2:]
    return math.log(max(other, 1e-9) / max(one, 1e-9)) / math.log(large / small)


def timed(works: Mapping[int, Work]) -> dict[int, float]:
    """Milliseconds of processor time of one run each, at each size."""
    found = seconds_per_unit({str(size): (work, 1) for size, work in works.items()}, ROUNDS, time.process_time)
    return {int(size): 1000 * seconds for size, seconds in found.items()}


def pages(state: AppState, address: str) -> Work:
    client = create_app(state, PageSettings(pin="1", testing=True)).test_client()
    return lambda: client.get(address).get_data()


def house(folder: Path) -> AppState:
    return AppState(data_dir=folder, repository=GameRepository(create=create_game, open=open_game, look=look_at_game))


def a_match(path: Path) -> None:
    """A whole match of four bots."""
    path.parent.mkdir(parents=True)
    session, bots = begin(path, "tactic", 4, seed=7)
    for played in bots.rounds():
        play_out(session, played)
    session.close()


def games(folder: Path) -> tuple[dict[int, float], dict[int, float]]:
    """The list of so many games when it is first asked for after a start, and later."""
    a_match(folder / "match" / "journal.jsonl")
    first, later = dict[int, Work](), dict[int, Work]()
    for count in GAMES:
        home = folder / str(count)
        for number in range(count):
            shutil.copytree(folder / "match", home / "games" / f"game-{number + 1:04d}")
        first[count] = lambda home=home: pages(house(home), "/games")()  # type: ignore[misc]
        later[count] = pages(house(home), "/games")
    return timed(first), timed(later)


def with_tiles(path: Path, count: int, players: int = 4) -> Game:
    """A round in which so many tiles have been laid, or as many as the bots lay."""
    names = [f"Player {number}" for number in range(1, players + 1)]
    hand = DEALT // players
    session, bots = begin(path, "tactic", names, seed=7, set_max=SET, options={"hand": hand})
    table = next(iter(bots.rounds()))
    session.start_round(table.engine, table.starter)
    laid = 0
    for turn in table.turns():
        list(say(session, turn))
        laid += sum(isinstance(act, Play) for act in turn.actions)
        if laid >= count or session.phase != "playing":
            break
    return session


def tiles(folder: Path) -> tuple[dict[int, float], dict[int, float]]:
    """The live page, and one more tile recorded and taken back, with so many on the table."""
    shown, laid = dict[int, Work](), dict[int, Work]()
    for count in TILES:
        session = with_tiles(folder / f"{count}.jsonl", count)
        shown[count] = pages(AppState(session), "/api/state")
        laid[count] = lambda session=session: (session.draw(), session.undo())  # type: ignore[misc]
    return timed(shown), timed(laid)


def players(folder: Path) -> dict[int, float]:
    return timed(
        {count: pages(AppState(with_tiles(folder / f"{count}-p.jsonl", 20, count)), "/api/state") for count in PLAYERS}
    )


def pictures(folder: Path) -> dict[int, float]:
    """The page of one entry with so many pictures beside the journal."""
    works = dict[int, Work]()
    for count in PICTURES:
        home = folder / f"pictures-{count}"
        path = home / "games" / "game-0001" / "journal.jsonl"
        path.parent.mkdir(parents=True)
        with_tiles(path, 20).close()
        for number in range(count):
            (path.parent / f"evidence-{number:05d}.jpg").write_bytes(b"\xff\xd8")
        state = house(home)
        state.reopen("game-0001")
        works[count] = pages(state, "/play/5")
    return timed(works)


@contextmanager
def screens(count: int) -> Iterator[FakeSession]:
    session = FakeSession(tables.illegal(), lines=tables.lines())
    # A table takes 32 screens at most; the curve is looked at beyond that.
    app = create_app(AppState(session, game="bench"), PageSettings(pin="1", stream=StreamSettings(most=2 * count)))
    server, port = serve_in_background(app, settings=ServingSettings(threads=count + 16, of_one_address=count + 8))
    addresses = (f"127.0.{1 + number // 250}.{1 + number % 250}" for number in range(count))
    phones = [Phone(f"http://127.0.0.1:{port}", own, len(session.lines)) for own in addresses]
    for phone in phones:
        phone.start()
    for phone in phones:
        if not phone.ready.wait(30):
            raise RuntimeError("a screen could not connect")
    urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10).close()
    yield session
    server.stop()


def events() -> dict[int, float]:
    """Processor time of ten events with so many screens listening, theirs included, each."""
    found = {}
    for count in SCREENS:
        with screens(count) as session:
            begun = time.process_time()
            for _ in range(10):
                session.record(event="passed", by="Cyril", source="camera", violations=[])
                time.sleep(0.1)
            found[count] = 100 * (time.process_time() - begun)
    return found


def peaks() -> dict[int, float]:
    """MB at the peak of reading a table of 56 tiles that is so many pixels wide."""
    whole = sixty_tiles()
    h, w = whole.shape[:2]
    return {side: peak_megabytes(reduced(whole, (side, round(h * side / w)))[0]) for side in SIDES_PX}


def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        first, later = games(folder / "games")
        shown, laid = tiles(folder)
        rows = {
            "list of games, first view, ms, games": first,
            "list of games, later, ms, games": later,
            "state of the table, ms, tiles": shown,
            "an act recorded and taken back, ms, tiles": laid,
            "state of the table, ms, players": players(folder),
            "page of an entry, ms, pictures kept": pictures(folder),
            "an event told to all, ms, screens": events(),
            "peak of the eye, MB, pixels across": peaks(),
        }
    figures = {}
    for name, row in rows.items():
        figures |= {f"{name}: {size}": value for size, value in row.items()}
        figures[f"{name}: exponent"] = growth(row)
    return figures


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:60} {value:12,.2f}", flush=True)
