"""A real game with a phone that may change it: for tests of what people tap, and of what a program sends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from werkzeug.test import TestResponse

from bench.stand_ins.fakes import PIN, QUICK
from companion.app.state import AppState
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")


class Table:
    """A real game, a phone that may change it, and the page's fields as a browser would send them."""

    def __init__(
        self, path: Path, rules: str, box: str, names: tuple[str, ...] = NAMES, options: dict[str, Any] | None = None
    ) -> None:
        self.session = Game.create(path / "g.jsonl", Header(rules, box, names, options or {}))
        self.session.start_round(starter=names[0])
        app = create_app(AppState(self.session, data_dir=path), PageSettings(pin=PIN), PinLock.of(PIN, QUICK))
        self.client = app.test_client()
        assert self.client.post("/api/pin", json={"pin": PIN}).status_code == 200

    @property
    def page(self) -> str:
        return self.client.get("/").text

    def post(self, verb: str, **fields: str) -> TestResponse:
        """A tap on the page."""
        seen = {"expected_seq": str(self.session.seq), "page": "/", "form": verb}
        return self.client.post(f"/api/{verb}", data={**seen, **fields})

    def send(self, verb: str, **fields: Any) -> None:
        """The same by a program: JSON, and it has to be taken."""
        answer = self.client.post(f"/api/{verb}", json=fields)
        assert answer.status_code == 200, answer.text

    def lay(self, train: str, *tiles: str, by: str | None = None) -> None:
        """The tiles, such as `"12-4"`, by this player, or by whoever is to move."""
        for tile in tiles:
            self.send("play", train=train, tile=[int(half) for half in tile.split("-")], **({"by": by} if by else {}))

    def was_so(self) -> None:
        """Somebody at the table says of everything that does not fit that it was really so."""
        while questions := state_of(self.session)["questions"]:
            kinds = [one["kind"] for one in questions[0]["candidates"]]
            self.send("answer", seq=questions[0]["seq"], choice=kinds.index("so"))

    def plays(self) -> list[tuple[str | None, str, list[int]]]:
        lines = state_of(self.session)["plays"]
        return [(line["by"], line["train"], line["tile"]) for line in lines if line["event"] == "tile_played"]

    def held(self) -> list[tuple[str | None, str, bool]]:
        """Everything held against anybody in `/api/state`: by whom, the code, whether it is certain."""
        plays = self.client.get("/api/state").get_json()["plays"]
        return [(play.get("by"), one["code"], one["certain"]) for play in plays for one in play["violations"]]
