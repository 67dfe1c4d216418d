"""Is any page wider than a phone's screen? Every page of the app in every language at 320, 360 and 390 px.

Pages are found by the app's own routes, so that a new one is looked at as well; what needs a part of its address gets
those below. One load a page and language: the widths are taken in turn on the page that is open.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask
from playwright.sync_api import Browser

from bench.stand_ins import tables
from bench.stand_ins.browser import served, started
from bench.stand_ins.fakes import FakeCamera, FakeDesk, FakeSession, FakeTable, fake_workshop
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.rules.notation import parse_delta
from companion.web.app import PageSettings, create_app
from companion.web.languages import LANGUAGES
from datasets.bots.watching import table_change

WIDTHS = (320, 360, 390)
PIN = "135790"
NO_PAGES = (
    "/api/",
    "/static",
    "/health",
    "/qr.svg",
    "/hand.svg",
    "/camera.jpg",
    ".zip",
    ".csv",
    ".png",
    "/regions",
    "/notes",
    "/source",
)
MORE = ("/setup?rules=cz", "/setup?rules=jielong", "/ask?train=Ann&low=1&high=2", "/scores?at=1", "/nowhere")

LAID = ("+12-1@Ann", "+12-2@Ben", "+1-3@Ann", "+2-6@Ben", "+3-4@Ann", "+6-7@Ben", "+4-9@Ann", "mark Ann", "+8-8@Ben")


@contextmanager
def shown_table() -> Iterator[tuple[Flask, list[str]]]:
    """Eight players, everything that a page can show, and a referee that answers."""
    session = FakeSession(tables.eight_players(), lines=tables.lines())
    session.answers["judge"] = {"verdict": "illegal", "codes": ["MISMATCH"], "may": []}
    with tempfile.TemporaryDirectory() as folder:
        app_state = AppState(
            session, data_dir=Path(folder), repository=fake_workshop(), camera=FakeCamera(), game="tonight"
        )
        app_state.table, app_state.learning = FakeTable(), FakeDesk()
        game, play = "/games/tonight", "/play/32"
        yield create_app(app_state, PageSettings(pin=PIN, testing=True)), [
            play, f"{game}/replay?at=3", f"{game}/changes", f"{game}/scores",
            f"{game}/share", f"{game}/delete", "/round-points/2", "/round-end?round=2",
        ]  # fmt: skip


@contextmanager
def played_game() -> Iterator[tuple[Flask, list[str]]]:
    """A game of two with a tile that does not fit, hands shown, what they leave open, and a second round."""
    with tempfile.TemporaryDirectory() as folder:
        app_state = make_app_state(Path(folder))
        app_state.start_game(  # type: ignore[attr-defined]
            {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "options": {}}
        )
        session = app_state.session
        session.start_round((12, 12), "Ann")  # type: ignore[attr-defined]
        for change in LAID:
            session.observe(table_change(parse_delta([change])))  # type: ignore[attr-defined]
        session.end_round("blocked_declared")  # type: ignore[attr-defined]
        for name, hand in (("Ann", [(0, 1), (5, 5)]), ("Ben", [(0, 2), (1, 9)])):
            session.show_hand(name, hand)  # type: ignore[attr-defined]
        game, seqs = f"/games/{app_state.game}", [play["seq"] for play in session.snapshot().plays]
        yield create_app(app_state, PageSettings(pin=PIN, testing=True)), [
            *(f"/play/{seq}" for seq in seqs[-3:]), f"/play/{seqs[2]}/why", f"/play/{seqs[1]}/correction?tile=12-4",
            *(f"{game}/replay?at={at}" for at in (1, len(session.events) // 2, len(session.events))),
            f"{game}/changes", f"{game}/share", "/round-points/1", "/round-end?round=1",
        ]  # fmt: skip


def paths_of(app: Flask, named: list[str]) -> list[str]:
    plain = sorted(
        rule.rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ()) and not rule.arguments
    )
    return [path for path in [*plain, *MORE, *named] if not any(part in path for part in NO_PAGES)]


def too_wide(browser: Browser, app: Flask, named: list[str], *, guest: bool) -> tuple[int, list[str]]:
    """How many pages were looked at, and those that are wider than their screen."""
    looked, wide = 0, list[str]()
    with served(app) as address:
        for language in LANGUAGES:
            context = browser.new_context(base_url=address, is_mobile=True, has_touch=True, locale=language)
            context.add_cookies([{"name": "lang", "value": language, "url": address}])
            if not guest:
                assert context.request.post("/api/pin", data={"pin": PIN}).ok
            page = context.new_page()
            for path in paths_of(app, named):
                page.set_viewport_size({"width": 320, "height": 640})
                page.goto(path, wait_until="domcontentloaded")
                looked += 1
                page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": 640})
                    found = page.evaluate("document.documentElement.scrollWidth")
                    if found > width:
                        wide.append(f"{language} {width} px: {path} is {found} px wide")
            context.close()
    return looked, wide


def main() -> int:
    looked, wide = 0, list[str]()
    with started() as browser:
        for world in (shown_table, played_game):
            for guest in (False, True):
                with world() as (app, named):
                    pages, found = too_wide(browser, app, named, guest=guest)
                looked, wide = looked + pages, wide + found
    print("\n".join(wide))
    print(f"{looked} pages at {len(WIDTHS)} widths, {len(wide)} too wide")
    return 1 if wide else 0


if __name__ == "__main__":
    sys.exit(main())
