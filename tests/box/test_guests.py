"""A guest without the PIN takes nothing from the game: no route makes the eye look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.attacks.guests import addresses, measure
from bench.stand_ins.telling import TellingTable, telling_table
from companion.app.table_place import TablePlace
from companion.web.app import PageSettings, create_app
from vision.reading import PictureReading


class CountingEye:
    def __init__(self) -> None:
        self.looks = 0

    def look(self, image: Any, *_: object) -> PictureReading:
        self.looks += 1
        return PictureReading((image.shape[1], image.shape[0]), ())

    look_again = look

    def close(self) -> None: ...


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TellingTable]:
    made = telling_table(tmp_path, every_s=0.1)
    assert made.tells_more()
    made._eye = CountingEye()  # type: ignore[assignment]
    yield made
    made.close()
    made._app_state.session.close()  # type: ignore[attr-defined]


def test_nothing_a_guest_asks_for_looks_with_the_eye_of_a_watched_game(table: TellingTable) -> None:
    # The dearest case: corners set by hand, the size to be measured by tiles.
    table._place = TablePlace(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), None)
    app = create_app(table._app_state, PageSettings(pin="135790", testing=True))
    asked = addresses(app, table._app_state.game)
    assert len(asked) > 35
    guest = app.test_client()
    for address in asked:
        guest.get(address).close()
        guest.get(address, headers={"Accept": "text/html"}).close()
    assert table._eye.looks == 0  # type: ignore[attr-defined]
    keeper = app.test_client()
    keeper.post("/api/pin", json={"pin": "135790"})
    assert keeper.get("/seats").status_code == 200
    assert table._eye.looks == 1, "who has the PIN may have a look taken"  # type: ignore[attr-defined]


def test_where_no_table_is_found_yet_guests_share_one_look(table: TellingTable) -> None:
    table._stop.set()
    table._thread.join()
    table._watcher = None
    table._place = TablePlace(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), None)
    app = create_app(table._app_state, PageSettings(pin="135790", testing=True))
    for _ in range(20):
        assert app.test_client().get("/api/table").status_code == 200
    assert table._eye.looks == 1  # type: ignore[attr-defined]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_flood_of_guests_stops_no_game(tmp_path: Path) -> None:
    # How many looks are left to the game, the long run tells: here other tests take the processor from either half.
    report = measure(tmp_path, 2.0, turns=1)
    assert report.alone > 0 and report.beside > 0
