"""The page's pictures in the README, made anew from the page as it is: `python -m bench.page_pictures`.

A demo is started and watched until somebody has broken a rule. Beside the pictures a file says what the page looked
like, in words and structure, for a fixed table. A test compares it: it fails when the pictures are older than the page.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import click
from PIL import Image

from bench.stand_ins.background import serve_in_background
from companion.app.games import make_app_state
from companion.hall.page import create_hall_app
from companion.hall.tables import Tables
from companion.web.app import PageSettings, create_app

PICTURES = Path(__file__).resolve().parents[1] / "companion" / "pictures"
RECORDED = Path(__file__).resolve().parents[1] / "tests" / "games"
MADE_OF = PICTURES / "made-of.txt"
TV, PHONE, DESK = (1920, 1080), (390, 844), (1280, 900)
TILES = 8
"""So many lie there at least when the pictures are taken."""
PATIENCE_S = 900.0


def made_of() -> str:
    """A digest of what the pictures show (words, elements, classes), for one fixed table: it changes with the page."""
    with tempfile.TemporaryDirectory() as folder:
        app_state = make_app_state(Path(folder))
        client = create_app(app_state, PageSettings(pin="135790", testing=True)).test_client()
        name = {"X-Companion-Pin": "135790"}
        game = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"]}
        for path, body in (
            ("/api/games", game),
            ("/api/start-round", {"engine": "12-12", "starter": "Ann"}),
            ("/api/play", {"tile": "12-5", "train": "Ann"}),
            ("/api/play", {"tile": "5-6", "train": "Ann", "by": "Ben"}),
        ):
            assert client.post(path, json=body, headers=name).status_code == 200, path
        shown = [client.get(f"/regions?tv={tv}").json["regions"] for tv in (0, 1)]
        pages = [part for regions in shown for key, part in sorted(regions.items()) if key not in ("act", "join")]
        ruling = client.get(f"/play/{app_state.session.snapshot().seq}").text
        pages.append(ruling.partition("<article")[2].partition("</article>")[0])
        app_state.session.journal.close()  # type: ignore[attr-defined]
    return hashlib.sha256("\n".join(map(_skeleton, pages)).encode()).hexdigest()[:16]


def _skeleton(page: str) -> str:
    """Elements with their classes, and the words between them; of what is folded away only the summary."""
    page = re.sub(r"(<details(?![^>]*\bopen\b)[^>]*>.*?</summary>).*?(?=</details>)", r"\1", page, flags=re.DOTALL)
    tag = re.compile(r'<(/?\w+)(?:[^>]*?\bclass="([^"]*)")?[^>]*>')
    return " ".join(tag.sub(r" <\1 \2> ", page).split())


@contextmanager
def demo(seed: int) -> Iterator[tuple[str, str]]:
    """A demo of this checkout: its address and its PIN."""
    command = [sys.executable, "-m", "companion", "demo", "--port", "0", "--speed", "4", "--seed", str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            found = next(filter(None, (re.search(r"(http://127\S+) .*PIN (\d+)", line) for line in process.stdout)))
            yield found[1], found[2]
        finally:
            process.terminate()


def disputed(look: Any) -> int:
    """Wait until a rule was broken on a table with some tiles; the number of that play."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        state = look()
        laid = sum(len(train["tiles"]) for train in state.get("trains") or ())
        wrong = [play["seq"] for play in state.get("plays") or () if _is_certain(play) and play.get("frame")]
        if wrong and laid >= TILES:
            return int(wrong[-1])
        time.sleep(1)
    raise click.ClickException("nobody has broken a rule: try another --seed")


def _is_certain(play: dict[str, Any]) -> bool:
    return any(finding["certain"] for finding in play.get("violations") or ())


class Club:
    """A hall's knowledge of three tables in the middle of recorded games."""

    GAMES = (("tactic-5", 300), ("poltava-4", 150), ("longtrain-5", 60))

    def __init__(self) -> None:
        self.tables = Tables()
        for number, (game, count) in enumerate(self.GAMES, 1):
            header, *lines = (RECORDED / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()[: count + 1]
            name = f"table-{number}"
            self.tables.status(name, True)
            head = {"name": f"Table {number}", "game": game, "header": json.loads(header), "seq": len(lines)}
            self.tables.head(name, head)
            for line in lines:
                self.tables.event(name, {"game": game, "event": json.loads(line)})

    def snapshot(self) -> dict[str, Any]:
        return {"connected": True, "tables": [table.as_json() for table in self.tables]}


def without_demo(browser: Any) -> None:
    """The hall, and the page on which a family chooses its rules."""
    with tempfile.TemporaryDirectory() as folder:
        app_state = make_app_state(Path(folder))
        apps = {
            "hall.png": (create_hall_app(Club()), "/", 518),
            "rules.png": (create_app(app_state, PageSettings(pin="135790", testing=True)), "/setup", 610),
        }
        for name, (app, path, height) in apps.items():
            server, port = serve_in_background(app)
            page = browser.new_context(viewport={"width": DESK[0], "height": DESK[1]}, locale="en").new_page()
            if path == "/setup":
                page.context.request.post(f"http://127.0.0.1:{port}/api/pin", data={"pin": "135790"})
            page.goto(f"http://127.0.0.1:{port}{path}")
            page.wait_for_timeout(1000)
            _keep(page.screenshot(clip={"x": 0, "y": 0, "width": DESK[0], "height": height}), name)
            page.context.close()
            server.stop()


@click.command()
@click.option("--seed", default=127, show_default=True, help="Another seed, another game.")
@click.option("--still", is_flag=True, help="Only the pictures that need no demo.")
def main(seed: int, still: bool) -> None:
    """Make companion/pictures anew from a demo of the page as it is now."""
    from bench.stand_ins.browser import started

    if still:
        with started() as browser:
            without_demo(browser)
        return
    with demo(seed) as (address, pin), started() as browser:
        without_demo(browser)

        def page(path: str, size: tuple[int, int], *, signed: bool = True) -> Any:
            context = browser.new_context(
                base_url=address, viewport={"width": size[0], "height": size[1]}, color_scheme="light", locale="en"
            )
            if signed:
                context.request.post("/api/pin", data={"pin": pin})
            made = context.new_page()
            made.goto(path)
            made.wait_for_timeout(3000)
            return made

        tv, phone = page("/tv", TV), page("/", PHONE)
        seq = disputed(lambda: phone.request.get("/api/state").json())
        phone.wait_for_timeout(1500)
        _keep(tv.screenshot(), "live-tv.png")
        _keep(phone.screenshot(), "live-phone.png")
        _keep(page(f"/play/{seq}", DESK, signed=False).screenshot(), "dispute.jpg")
    MADE_OF.write_text(made_of() + "\n", encoding="utf-8")
    click.echo(f"{PICTURES}: play {seq} of the demo with seed {seed}")


def _keep(png: bytes, name: str) -> None:
    picture = Image.open(BytesIO(png)).convert("RGB")
    if name.endswith(".jpg"):
        picture.save(PICTURES / name, quality=85, optimize=True)
    else:
        picture.quantize(192, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)


if __name__ == "__main__":
    main()
