"""`companion watch SOURCE --setup FILE [--json]`: frames in, events out, no page."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.cli.options import camera_settings, options, refusing
from hardware.camera.address import shown
from vision.frame import Frame

if TYPE_CHECKING:
    from companion.perception.setup_file import GameSetup
    from hardware.camera import Camera
    from vision.own_markers import OwnMarkers


@click.command()
@click.argument("source")
@options("watch")
def watch(
    source: str,
    setup_path: Path | None,
    as_json: bool,
    journal_path: Path | None,
    data_dir: Path | None,
    camera_size: tuple[int, int] | None,
    mains: str,
) -> None:
    """Watch a table and print what happens on it.

    SOURCE is picamera, usb:N, /dev/v4l/by-id/..., rtsp://..., http://..., a video file, a folder of images in name
    order, or sim:SEED.

    \b
    companion watch sim:7
    companion watch evening.mp4 --setup game.json --json
    """
    from companion.app.own_set import learned_for, own_markers
    from companion.cli.serve import default_data_dir
    from companion.perception.setup_file import SetupError
    from companion.perception.table_reader import first_calibration, with_measured_tiles
    from companion.supervise.pictures import judged
    from hardware.camera import CameraError, open_camera
    from vision.adaptation import AdaptationError
    from vision.eye import open_eye
    from vision.weights import WeightsError

    failed = False
    with refusing(CameraError, SetupError, WeightsError, AdaptationError):
        setup = _setup(setup_path)
        with judged(open_camera(source, camera_settings(camera_size, mains)), source) as camera:
            _tell_skipped(camera)
            setup = setup or _own_setup(camera, source)
            eye = open_eye(learned_for(data_dir or default_data_dir(), setup.header.set), one_box=True)
            first = _first(camera)
            if first is None:
                raise click.ClickException(f"{shown(source)}: no picture in it")
            calibration = first_calibration(first, setup, eye, photograph=camera.stills)
            setup = with_measured_tiles(setup, first, calibration, eye)
            printer = Printer(as_json, "chinese" if setup.chinese else "mexican")
            own = own_markers(data_dir or default_data_dir())
            watcher = _watcher(camera, eye, calibration, setup, printer, journal_path, own)
            watcher.see(first)
            frames = 1
            while not printer.closed:
                try:
                    if not watcher.step():
                        break
                    frames += 1
                except CameraError as error:
                    # A damaged picture of a folder or a film is named, and the game goes on with the next.
                    if camera.live:
                        raise
                    failed = True
                    click.echo(f"Error: {error}", err=True)
            if _nothing_read(watcher) and not printer.closed:
                failed = True
                click.echo(f"Error: {shown(source)}: {_never_settled(frames)}", err=True)
            elif not printer.seq:
                seen = "one picture" if frames == 1 else f"{frames} pictures"
                click.echo(f"Note: {shown(source)}: nothing changed on the table in its {seen}.", err=True)
    if failed or printer.closed:
        sys.exit(1)


def _nothing_read(watcher: Any) -> bool:
    """Was no still table seen at all? One whose trains wait for the answer to a question was."""
    return watcher.layout is None and not watcher.memory.tiles()


def _never_settled(frames: int) -> str:
    """Why no table was read at all."""
    return (
        f"nothing settled in its {frames} {'frame' if frames == 1 else 'frames'}, so nothing was read; "
        "expected a second or more in which no hand moves"
    )


def _first(camera: Camera) -> Frame | None:
    """The first picture that can be read; what is wrong with those before it is said."""
    from hardware.camera import CameraError

    while True:
        try:
            return camera.read()
        except CameraError as error:
            if camera.live or camera.stills:
                raise
            click.echo(f"Error: {error}", err=True)


def _tell_skipped(camera: Camera) -> None:
    """Files of a folder that are no pictures."""
    if skipped := getattr(camera, "skipped", ""):
        click.echo(f"Note: {skipped}.", err=True)


class Printer:
    """Prints each event once, as it is recorded: a journal line, or the page's sentence for it.

    `closed`: the reader has gone (`companion watch ... | head`), and watching on is for nobody.
    """

    def __init__(self, as_json: bool, family: str = "mexican") -> None:
        self.as_json = as_json
        self.family = family
        self.seq = 0
        self.closed = False

    def line(self, data: dict[str, Any]) -> None:
        """An event of a free board has not been through a journal, so it gets its number and its time here."""
        from companion.log.journal import stamp, utc_now

        self.seq += 1
        data = {**data, "seq": data.get("seq") or self.seq, "at": data.get("at") or stamp(utc_now())}
        text = json.dumps(data, ensure_ascii=False) if self.as_json else self._sentence(data)
        if self.closed:
            return
        try:
            click.echo(text)
            sys.stdout.flush()
        except BrokenPipeError:
            self.closed = True
            # Python would write the rest of the buffer once more at exit, and fail again.
            sys.stdout = io.StringIO()

    def _sentence(self, data: dict[str, Any]) -> str:
        from companion.cli.journals import sentence

        where = f"  ({data['frame']})" if data.get("frame") else ""
        return f"{data['seq']:>4}  {sentence(data, self.family)}{where}"


def _setup(path: Path | None) -> GameSetup | None:
    from companion.perception.setup_file import read_setup

    return None if path is None else read_setup(path)


def _own_setup(camera: Camera, source: str) -> GameSetup:
    """The simulated table brings its set-up file along; every other camera needs one."""
    own = getattr(camera, "setup", None)
    if own is None:
        raise click.UsageError(f"--setup FILE is needed for {shown(source)}: players, rules and where the table is")
    setup: GameSetup = own()
    return setup


def _watcher(
    camera: Camera,
    eye: Any,
    calibration: Any,
    setup: GameSetup,
    printer: Printer,
    journal_path: Path | None,
    own: OwnMarkers,
) -> Any:
    from companion.observing.game_sink import PrintSink
    from companion.perception import Watcher
    from companion.perception.attributing import attribution_for
    from companion.perception.marker_evidence import OwnMarkersHere
    from companion.perception.settings import ObservationSink
    from companion.perception.table_reader import StillEye, known_set
    from vision.settle import Settler

    known = known_set(setup)
    sink: ObservationSink
    if setup.free:
        sink = PrintSink(lambda event: printer.line(event.to_json()))
    else:
        sink = _game_sink(setup, known, printer, journal_path, camera.stills)

    looks_right = getattr(camera, "looks_right", lambda: None)

    def publish(news: Any) -> None:
        if news.state == "read":
            looks_right()
        if news.detail:
            click.echo(f"{news.frame}: {news.detail}", err=True)

    if camera.stills:
        eye = StillEye(eye)
    arms = attribution_for(setup)
    if arms.trouble is not None and not arms.off:
        click.echo(arms.trouble, err=True)
    return Watcher(
        camera,
        eye,
        Settler(),
        calibration,
        setup.table_setup(),
        sink,
        known=known,
        publish=publish,
        arms=arms,
        own=OwnMarkersHere(own),
    )


def _game_sink(setup: GameSetup, known: Any, printer: Printer, journal_path: Path | None, stills: bool) -> Any:
    from companion.game.game import Game
    from companion.log.journal import JournalError
    from companion.observing.game_sink import GameSink
    from companion.perception.table_reader import box_of
    from companion.rules.ruleset_fields import RuleSetError

    path = journal_path or Path(tempfile.mkdtemp(prefix="companion-watch-")) / "game.jsonl"
    with refusing(JournalError, RuleSetError):
        session = Game.create(path, setup.header)
    session.subscribe(lambda event: printer.line(event.to_json()))
    box = box_of(known)
    return GameSink(session, setup, box, stills=stills)
