"""`companion serve`: the product. The live page over a camera, or without one, where plays are tapped in."""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from companion.cli.live_camera import camera_options, camera_settings
from companion.storage.repairs import Repair
from companion.storage.state_file import takes_nothing

if TYPE_CHECKING:
    from companion.app.state import AppState
    from companion.app.table_service import WatchedTable
    from companion.cli.serve_storage import Storage
    from companion.web.own_address import OwnAddress
    from hardware.camera.source import CameraSettings

DATA_VARIABLE = "COMPANION_DATA"

GAME_BEAT_S = 2.0
"""How often the game is asked whether it lives."""


def without_password(context: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """Refuse a password among the arguments, where everybody on the machine can read it."""
    source = context.get_parameter_source(option.name or "")
    if given is not None and "@" in given and source is ParameterSource.COMMANDLINE:
        line = "a password here can be read by everybody on this machine; write COMPANION_BROKER=USER:PASSWORD@HOST"
        raise click.UsageError(f"--broker: {line} into the environment or companion.conf")
    return given


def warned_of_pin(context: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """Say that a PIN among the arguments can be read by everybody on the machine."""
    if given is not None and context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:
        line = "everybody on this machine can read it there; write COMPANION_PIN=... into the environment instead"
        click.echo(f"--pin: {line}", err=True)
    return given


def understood_pins(context: click.Context, option: click.Parameter, given: Path | None) -> Path | None:
    """Refuse a file of pins that makes no sense, before anything is started with the wrong ones."""
    from hardware.panel import PanelError, load_settings

    if given is not None:
        try:
            load_settings(given)
        except PanelError as fault:
            raise click.BadParameter(str(fault)) from None
    return given


def default_data_dir() -> Path:
    """Where games are kept unless `--data` says otherwise: COMPANION_DATA, else the user's own data folder."""
    named = os.environ.get(DATA_VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "companion"


def made_data_dir(data_dir: Path | None) -> Path:
    """The data folder: writable, or with games to be looked at. Raises ClickException."""
    folder = data_dir or default_data_dir()
    games = folder / "games"
    try:
        games.mkdir(parents=True, exist_ok=True)
        why = takes_nothing(folder)
    except OSError as fault:
        why = fault.strerror or str(fault)
    if why and not (games.is_dir() and any(games.iterdir())):
        raise click.ClickException(f"data folder {folder}: {why}; choose another with --data")
    return folder


IN_USE_FILE = ".in-use"


def hold_data_dir(folder: Path) -> IO[bytes]:
    """Keep every other companion out of this data folder until the file is closed. Raises ClickException."""
    import fcntl

    try:
        held = (folder / IN_USE_FILE).open("ab")
    except OSError:
        return Path(os.devnull).open("rb")  # a disk that takes nothing: nobody else can write there either
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        raise click.ClickException(
            f"data folder {folder}: another companion uses it; stop that one, or choose another folder with --data"
        ) from None
    return held


BOARD_NUMBER = Path("/sys/firmware/devicetree/base/serial-number")
"""Of a Raspberry Pi's board: a card that was cloned brings its machine id along, and not this."""


def own_table_name(machine: Path = Path("/etc/machine-id"), board: Path = BOARD_NUMBER) -> str:
    """`Table 3f2a`: the same at every start and another on every machine, so that two tables do not share a topic."""
    try:
        secret = machine.read_bytes()
    except OSError:
        secret = socket.gethostname().encode()
    with suppress(OSError):
        secret += board.read_bytes()
    # Not the id itself: systemd asks to keep it to oneself.
    return f"Table {hashlib.sha256(b'companion table ' + secret).hexdigest()[:4]}"


@click.command("serve")
@click.option(
    "--camera",
    "source",
    metavar="SOURCE",
    envvar="COMPANION_CAMERA",
    help="picamera, usb:N, a path, rtsp:// or http://, sim:SEED; left out: no camera. An address with a password "
    "belongs into COMPANION_CAMERA.",
)
@camera_options
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any free one.")
@click.option("--host", default="::", show_default=True, help="The address to listen on; :: is every one.")
@click.option("--data", "data_dir", type=click.Path(path_type=Path), help="Folder for the games.")
@click.option(
    "--pin",
    metavar="DIGITS",
    envvar="COMPANION_PIN",
    callback=warned_of_pin,
    help="A PIN of your own, better in COMPANION_PIN; left out: a fresh one for each start.",
)
@click.option("--screen-key", envvar="COMPANION_SCREEN_KEY", hidden=True, default="")
@click.option("--name", "names", multiple=True, metavar="HOST", help="A further name this box answers to.")
@click.option(
    "--broker",
    metavar="[mqtts://]HOST[:PORT]",
    envvar="COMPANION_BROKER",
    callback=without_password,
    help="Tell a club's MQTT broker what happens here. With a password: COMPANION_BROKER=USER:PASSWORD@HOST.",
)
@click.option(
    "--broker-buttons",
    is_flag=True,
    envvar="COMPANION_BROKER_BUTTONS",
    help="Let Home Assistant begin the next round and undo. Whoever has the broker's password can press.",
)
@click.option(
    "--pins",
    type=click.Path(path_type=Path),
    envvar="COMPANION_PINS",
    callback=understood_pins,
    help="File of the pins of buttons and lamp, where they are wired otherwise than hardware/WIRING.md says.",
)
@click.option("--table-name", help="What this table is called at the broker.  [default: a name of this machine's own]")
@click.option(
    "--safe", is_flag=True, envvar="COMPANION_SAFE", help="Start with no camera, no broker and no learned set."
)
def serve(
    source: str | None,
    port: int,
    host: str,
    data_dir: Path | None,
    pin: str | None,
    screen_key: str,
    names: tuple[str, ...],
    broker: str | None,
    broker_buttons: bool,
    pins: Path | None,
    table_name: str | None,
    safe: bool,
    camera_size: tuple[int, int] | None,
    mains: str,
) -> None:
    """Show the live page over a camera, or without one. Prints its address and the PIN for changes.

    \b
    companion serve                        # no camera: you tap the plays in
    companion serve --camera picamera
    """
    from companion.app.checkup import Machine, quick_reasons
    from companion.app.games import make_app_state
    from companion.app.labels import LabelKeeper
    from companion.app.learning import LearningDesk
    from companion.app.runtime_choice import follow_choice
    from companion.cli.serve_diagnostics import Diagnostics, RecentLog
    from companion.cli.serve_log import ErrorLog
    from companion.cli.serve_storage import open_storage
    from companion.supervise.watchdog import Watchdog, feed_every_s, systemd_notifier
    from companion.tableside import ButtonPod
    from companion.web.app import PageSettings, create_app
    from companion.web.guard import own_names
    from companion.web.own_address import OwnAddress
    from companion.web.pin import fresh_pin
    from companion.web.serving import PortTakenError, listen, serve_on
    from hardware.camera.address import secrets_of

    if pin and not 4 <= len(pin) <= 32:
        raise click.UsageError("--pin: expected 4 to 32 characters")
    used_pin = pin or fresh_pin()
    settings = camera_settings(camera_size, mains)
    table_name = _checked_name(table_name)
    folder = made_data_dir(data_dir)
    try:
        sock = listen(host, port)
    except PortTakenError as fault:
        raise click.ClickException(str(fault)) from None
    with ExitStack() as parts:
        parts.callback(sock.close)
        parts.enter_context(hold_data_dir(folder))
        storage = open_storage(folder)
        if safe:
            source, broker = None, None
            storage.repairs.check(lambda: (Repair("SAFE_MODE"),))
            click.echo("Safe mode: no camera, no broker, no learned set.", err=True)
        if not safe:
            follow_choice(folder)
        app_state = make_app_state(folder, repairs=storage.repairs, learned=not safe)
        storage.copy_games_of(app_state, parts)
        app_state.checks.append(lambda: quick_reasons(Machine(data=folder)))
        app_state.delete_pictures = storage.delete_pictures
        log = RecentLog()
        hidden = (used_pin, screen_key, *secrets_of(source or ""), *secrets_of(broker or ""))
        for handler in (log, ErrorLog(hidden)):
            logging.getLogger().addHandler(handler)
            parts.callback(logging.getLogger().removeHandler, handler)
        started = {"camera": _kind_of(source), "broker": broker is not None, "safe": safe}
        app_state.diagnostics = Diagnostics(
            app_state, folder, started, log, (*names, *([table_name] if table_name else ()))
        )
        watchdog = Watchdog(app_state.parts, notify=systemd_notifier(), every_s=feed_every_s())
        parts.enter_context(watchdog)
        address = OwnAddress(sock)
        if broker is not None:
            name = table_name or own_table_name()
            _publish(app_state, broker, name, folder, parts, buttons=broker_buttons, address=lambda: address.now)
        app_state.follow(LabelKeeper(folder).follow)
        # What belonged to the games before holds itself in circles, megabytes of them, for which Python seldom looks.
        app_state.follow(lambda *_: _collect_garbage())
        table = None if source is None else _watch(app_state, source, settings, storage, parts)
        app_state.learning = LearningDesk(
            folder,
            (lambda: None) if table is None else table.photograph,
            changed=(lambda: None) if table is None else table.learned,
            on_news=app_state.signal.notify,
            damaged=storage.repairs.report_damaged,
        )
        parts.callback(app_state.learning.close)
        _delete_labels_too(app_state, storage)
        read_now = (lambda: None) if table is None else table.read_now
        parts.enter_context(ButtonPod(app_state, pins=pins, read_now=read_now))
        chosen = PageSettings(
            pin=used_pin,
            names=own_names() | {name.lower() for name in names},
            address=address,
            screen_key=screen_key,
            pin_is_drawn=not pin,
            pin_place="chosen" if pin else "terminal" if sys.stdout.isatty() else "log",
        )
        app = create_app(app_state, chosen)
        if table is not None:
            table.start()
        _beat_for_the_game(app_state, parts)
        _follow_the_address(address, app_state, parts)
        click.echo(f"The page: {address.now}")
        if address.name:
            click.echo(f"Also: {address.name}")
        click.echo(f"PIN for changes: {chosen.pin}")
        click.echo("Ctrl-C ends it; every game is kept.", err=True)
        watchdog.ready()
        serve_on(app, sock)


def _collect_garbage() -> None:
    gc.collect()


def _kind_of(source: str | None) -> str:
    """What kind of camera it is, without the place of a file or the number of a device."""
    if source is None:
        return "none"
    known = ("picamera", "usb:", "/dev/", "sim:", "rtsp", "http")
    return next((kind for kind in known if source.startswith(kind)), "a recording")


def _watch(
    app_state: AppState, source: str, settings: CameraSettings, storage: Storage, parts: ExitStack
) -> WatchedTable:
    from companion.app.table_service import WatchedTable
    from hardware.camera import CameraError
    from hardware.camera.opening import refuse_nonsense

    try:
        refuse_nonsense(source)  # a camera that is missing comes back by itself; a mistyped one never does
        table = WatchedTable(
            app_state, source, storage.folder, deleter=storage.deleter, trust=storage.trust, settings=settings
        )
    except CameraError as fault:
        raise click.ClickException(f"--camera {fault}") from None
    parts.callback(table.close)
    app_state.camera = app_state.table = table
    app_state.checks.append(table.troubles)
    app_state.delete_pictures = table.delete_pictures
    return table


def _delete_labels_too(app_state: AppState, storage: Storage) -> None:
    """Who deletes all pictures means the corrected tiles as well."""
    from companion.app.labels import delete_samples

    others = app_state.delete_pictures

    def delete() -> int:
        return (others() if others is not None else 0) + delete_samples(storage.folder, storage.deleter)

    app_state.delete_pictures = delete


def _checked_name(name: str | None) -> str | None:
    if name is None:
        return None
    from companion.publish.topics import table_name

    try:
        return table_name(name)
    except ValueError as fault:
        raise click.UsageError(f"--table-name {name!r}: {fault}") from None


def _publish(
    app_state: AppState,
    broker: str,
    table_name: str,
    folder: Path,
    parts: ExitStack,
    *,
    buttons: bool,
    address: Callable[[], str],
) -> None:
    try:
        from companion.app.state import NoGameError
        from companion.publish import Outbox, Publisher, parse_broker
        from companion.publish.discovery import BUTTONS
        from companion.publish.recorded import unfinished
    except ImportError:
        raise click.ClickException("paho-mqtt is not installed: pip install paho-mqtt") from None
    try:
        found = parse_broker(broker)
    except ValueError as fault:
        raise click.UsageError(f"--broker: {fault}") from None
    outbox = Outbox(folder / "published.json", app_state.repairs.report_damaged)

    def press(button: str) -> None:
        with suppress(NoGameError):
            game: Any = app_state.session
            game.start_round() if button == "next_round" else game.undo()

    publisher = Publisher(
        found,
        table_name,
        outbox,
        app_state.parts.add("publisher").loop,
        commands={key: partial(press, key) for key, *_ in BUTTONS} if buttons else None,
        address=address,
        version=version("tabletop-companion"),
    )
    for name, game in unfinished(outbox, folder / "games"):
        publisher.catch_up(name, game)
    publisher.start()
    app_state.checks.append(lambda: publisher.status.reasons)
    parts.callback(publisher.close)
    app_state.follow(publisher.follow)  # type: ignore[arg-type]


def _follow_the_address(address: OwnAddress, app_state: AppState, parts: ExitStack) -> None:
    """A box is up before its network: the QR code and the log follow the address."""
    over = threading.Event()

    def changed(found: str) -> None:
        click.echo(f"The page: {found}")
        app_state.signal.notify()

    loop, step = app_state.parts.add("address").loop, partial(address.follow, changed, over)
    threading.Thread(target=loop, args=(step,), name="own-address", daemon=True).start()
    parts.callback(over.set)


def _beat_for_the_game(app_state: AppState, parts: ExitStack) -> None:
    """The game lives while it can be had, and written where the card has refused it before."""
    from companion.app.state import NoGameError

    over = threading.Event()

    def ask() -> bool:
        app_state.try_the_disk()
        with suppress(NoGameError), app_state.session.hold():
            app_state.session.mend()
        return not over.wait(GAME_BEAT_S)

    threading.Thread(target=app_state.parts.add("game").loop, args=(ask,), name="game-beat", daemon=True).start()
    parts.callback(over.set)
