"""Runs what README and every page of the documents tell people to type, in order and as written: a script of the
standard library alone.

    python3 tests/deploy/typed_commands.py FOLDER [--only PREFIX] [--hours]

`--hours` types the pages in `FOR_HOURS` instead, each line with the fewer pictures, rounds and minutes of `SHORTER`.
FOLDER is a copy of the source; exit status 1 means that a line is false. The script types the lines of every code block
that names no language, and each has to succeed. It leaves out those in `WITHOUT`, each with a reason. Those in
`REFUSED` name something that is not there and have to fail with one clear line. Those in `LASTING` run until the page
answers; then the script ends them.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

FIRST = ("README.md", "docs/install.md", "docs/camera-and-light.md", "docs/which-camera.md", "docs/hall.md")
LAST = "deploy/README.md"
"""It ends with the removal of what was installed."""

FOR_HOURS = {
    "CONTRIBUTING.md": "the suite, the benches and the environment for training",
    "docs/training.md": "hours of training in that environment",
    "datasets/CARD.md": "hours of drawing",
}
""".ci/hours types them, shortened. Without it test_documents.py holds that each module, option and target is there."""

SHORTER = (
    (r"--n \d+", "--n 12"),
    (r"--sheets \d+", "--sheets 40"),
    (r"--minutes \d+", "--minutes 0.5"),
    (r"--rounds \d+", "--rounds 1"),
    (r"/home/pi/", ""),
    (
        r"^(python -m models\.export covers .*)",
        r"\1 --into work/covers/eye",
    ),  # the few minutes' network replaces nothing
)
"""Pattern and replacement, in every line of `FOR_HOURS`: the same command with less to do."""

PREPARED = {
    "python -m models.export detector": "mkdir -p runs/obb/train && cp -r work/detector runs/obb/train/weights",
    "companion --eye my-eye read table.jpg": "cp docs/examples/table.jpg .",
    "companion explain GAME.jsonl": "cp tests/games/tactic-5.jsonl GAME.jsonl",
}
"""Beginning of a line -> what puts there what its reader has: their own detector, photograph and game."""

WITHOUT = {
    "git clone <this repository> companion && cd companion": "the copy lies there",
    "git pull && sudo deploy/install.sh": "the copy has no history",
    "sudo deploy/install.sh --camera usb:0 --kiosk": "needs a webcam, a screen and a browser of 400 MB",
    "podman compose --file deploy/oci/compose.yaml up --build --detach": "needs podman; .ci/container builds it",
    "podman compose --file deploy/oci/compose.yaml logs": "needs podman",
    "sudo nmcli connection up dominoes": "needs a Wi-Fi",
    "make test": "the whole suite runs by itself",
    "make release": "tests/deploy/test_release.py builds one",
    "pipx install dist/tabletop_companion-*.whl": "tests/deploy/test_release.py installs it",
    "make wheels": "downloads for four kinds of machine; tried by its own command",
    "sudo deploy/install.sh --wheels wheels": "needs that folder; .ci/debian-root SUITE WHEELS runs it",
    "sudo deploy/install.sh --camera usb:0 --camera-size 1920x1080 --mains 60": "needs a webcam to be well",
    "sudo deploy/install.sh --camera rtsp://192.168.1.20/stream": "needs that camera to be well",
    "companion teach row.jpg --set double-12": "needs a photograph of the reader's own tiles",
    "COMPANION_BROKER=companion:PASSWORD@192.168.1.20 companion hall": "needs that broker",
    """change games '{"rules": "tactic", "set": 12, "players": ["Ann", "Ben", "Cy"]}'""": "needs that box and its PIN",
    """change start-round '{"engine": "12-12", "starter": "Ann"}'""": "needs that box and its PIN",
    """change play '{"train": "Ann", "tile": "12-5"}'""": "needs that box and its PIN",
    "sudo apt update && sudo apt install git make python3-venv libgl1 libglib2.0-0 python3-picamera2": "it asks back",
    "sudo apt update && sudo apt install git make python3-venv libgl1 libglib2.0-0": "it asks back",
    "sudo apt update && sudo apt install git": "it asks back",
}

REFUSED = {
    "companion calibrate usb:0 --camera-size 1920x1080 --mains 60": r"camera usb:0 is not there",
    "companion calibrate http://192.168.1.30:8080/video": r"camera http://192\.168\.1\.30:8080/video: ",
    "companion calibrate rtsp://192.168.1.20/stream": r"camera rtsp://192\.168\.1\.20/stream: ",
    "companion cameras --thumbnails small": r"",
    "sudo deploy/install.sh --rollback": r"there is no release to go back to",
    "sudo deploy/install.sh --restore /var/backups/companion/companion-....tar.gz": r"--restore .*: no such file",
    "deploy/image/build": r"needs (git|docker)",
}
"""Lines that name something this machine does not have. A list of cameras may be empty, too."""

LASTING = ("make run", "companion serve", "companion hall")

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+|http://[\d.]+:\d+")
TIMEOUT_S = 1200.0


def pages(folder: Path) -> tuple[str, ...]:
    """README, what a newcomer reads after it, every other page of the documents, and the one for the box's owner."""
    others = {str(page.relative_to(folder)) for page in (folder / "docs").glob("*.md")} - {*FIRST, *FOR_HOURS}
    return (*FIRST, *sorted(others), LAST)


def lines_of(page: str, folder: Path) -> Iterator[str]:
    """The lines to type, without remarks; a line that continues counts as one."""
    text = (folder / page).read_text(encoding="utf-8")
    # A block that names its language holds no commands.
    for language, block in re.findall(r"^[ ]*```(\w*)\n(.*?)^[ ]*```", text, re.M | re.S):
        if language:
            continue
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            typed = re.sub(r"\s+#\s.*$", "", line).strip()
            if typed and not typed.startswith(("{", "#")):
                yield typed


def left_out(typed: str) -> bool:
    return typed in WITHOUT or typed.startswith("sudo nmcli connection add ")


def shortened(typed: str) -> str:
    """A line of `FOR_HOURS` with less to do, and what it needs put there first."""
    for pattern, less in SHORTER:
        typed = re.sub(pattern, less, typed)
    return "".join(f"{do}\n" for start, do in PREPARED.items() if typed.startswith(start)) + typed


def run(typed: str, folder: Path, before: str) -> str:
    """Type it in a shell; "" where it went as the documents say, else what went wrong."""
    script = f"{before}\n{typed}\n"
    if typed.startswith(LASTING) or " companion serve" in typed:
        return run_until_it_answers(script, folder, with_game=typed == "make run")
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, input=""
    )
    said = f"{done.stdout}\n{done.stderr}".strip()
    if "Traceback" in said:
        return f"a traceback: {said[-600:]}"
    if typed in REFUSED:
        lines = [line for line in done.stderr.strip().splitlines() if line]
        if done.returncode == 0:
            return ""
        clear = done.returncode in (1, 2) and len(lines) <= 1 and re.search(REFUSED[typed], said)
        return "" if clear else f"status {done.returncode}: {said[-600:]}"
    return "" if done.returncode == 0 else f"status {done.returncode}: {said[-600:]}"


def run_until_it_answers(script: str, folder: Path, *, with_game: bool) -> str:
    """A page is up once it names its address and answers there, the demo's with a game on it; then it is ended as
    Ctrl-C ends it."""
    with subprocess.Popen(
        ["bash", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True, stdin=subprocess.DEVNULL,
    ) as page:  # fmt: skip
        said, answer = "", "it never named its address"
        until = time.monotonic() + TIMEOUT_S
        assert page.stdout is not None
        for line in page.stdout:
            said += line
            if found := ADDRESS.search(line):
                answer = asked(found[0], until, with_game=with_game)
                break
        os.killpg(page.pid, signal.SIGINT)
        try:
            page.wait(120)
        except subprocess.TimeoutExpired:
            os.killpg(page.pid, signal.SIGKILL)
            answer = answer or "Ctrl-C did not end it"
    return f"{answer}: {said[-600:]}" if answer else ""


def asked(address: str, until: float, *, with_game: bool) -> str:
    """ "" once /health of this page answers and, `with_game`, its round is being played; else what is wrong."""
    import json
    import urllib.error
    import urllib.request

    opener, why = urllib.request.build_opener(urllib.request.ProxyHandler({})), ""
    while time.monotonic() < until:
        try:
            with opener.open(f"{address}/health", timeout=60) as answer:
                why = "" if b"status" in answer.read() else "/health says nothing"
            if with_game and not why:
                with opener.open(f"{address}/api/state", timeout=60) as answer:
                    phase = json.load(answer)["phase"]
                why = "" if phase == "playing" else f"no round is being played ({phase})"
        except urllib.error.HTTPError as error:
            with error:
                why = "" if error.code == 503 and not with_game else f"{error.url} answers {error.code}"
        except OSError as error:
            why = f"{address} does not answer ({error})"
        if not why:
            break
        time.sleep(0.5)
    return why


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only lines that begin with one of these, split by commas")
    parser.add_argument("--hours", action="store_true", help="the pages that take hours, shortened")
    chosen = parser.parse_args()
    beginnings = tuple(chosen.only.split(",")) if chosen.only else ("",)
    before, wrong, ran, found = "", 0, 0, set()
    for page in FOR_HOURS if chosen.hours else pages(chosen.folder):
        for typed in lines_of(page, chosen.folder):
            found.add(typed)
            if typed.startswith(". "):
                before += f"\n{typed}"  # what one terminal keeps
            if left_out(typed) or not typed.startswith(beginnings):
                continue
            fault = run(shortened(typed) if chosen.hours else typed, chosen.folder, before)
            ran += 1
            wrong += bool(fault)
            print(f"{'FALSE' if fault else 'true '}  {page}: {typed}{f' -> {fault}' if fault else ''}", flush=True)
    for typed in [one for one in (*WITHOUT, *REFUSED) if one not in found and not chosen.hours]:
        print(f"FALSE  no document says any more: {typed}")
        wrong += 1
    print(f"{ran} lines, {wrong} false")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
