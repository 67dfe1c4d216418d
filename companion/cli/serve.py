"""The commands that put a page up: `companion serve`, `companion demo` and `companion hall`.

Errors go to stderr, where the service's log takes them: with a traceback, once a minute, without secrets.

`companion serve`: the product. The live page over a camera, or without one, where plays are tapped in.

`companion demo`: a made-up game, rendered as camera frames and seen by the real camera path.

Bots play, a renderer films their table (in a process of its own), and from there on nothing is made up: detector,
reader, layout, referee and page get pictures and the set-up file that a user would write, and nothing else.

`companion hall`: all tables of a club on one page.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import re
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

import click
from click.core import ParameterSource

from companion.cli.options import camera_settings, options, refusing
from companion.rules.ruleset import RULESET_NAMES, RuleSet, load_ruleset
from companion.rules.violations import Violation
from companion.storage.repairs import Repair
from companion.storage.state_file import takes_nothing

if TYPE_CHECKING:
    from companion.app.state import AppState
    from companion.app.table_service import WatchedTable
    from companion.cli.reporting import Storage
    from companion.web.serving import OwnAddress
    from hardware.camera.source import CameraSettings


SAY_AGAIN_S = 60.0
"""A fault that every picture repeats is logged once a minute, with how often it occurred."""

MOST_KINDS = 200


class ErrorLog(logging.Handler):
    """Writes errors to stderr. Of one kind (the same words, raised at the same place) one a minute; the next one says
    how many were left out. None of `secrets` of two characters or more stands there."""

    def __init__(
        self,
        secrets: Iterable[str] = (),
        *,
        out: Callable[[], TextIO] = lambda: sys.stderr,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._secrets = sorted({secret for secret in secrets if len(secret) > 1}, key=len, reverse=True)
        self._out, self._clock = out, clock
        self._said: dict[tuple[object, ...], tuple[float, int]] = {}
        self._saying = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        kind, now = _record_kind(record), self._clock()
        with self._saying:
            said, left_out = self._said.get(kind, (now - SAY_AGAIN_S, 0))
            if now - said < SAY_AGAIN_S:
                self._said[kind] = said, left_out + 1
                return
            if kind not in self._said and len(self._said) >= MOST_KINDS:
                del self._said[next(iter(self._said))]
            self._said[kind] = now, 0
        try:
            text = self.format(record) + (f"\n  (and {left_out} more like it since the last)" if left_out else "")
            for secret in self._secrets:
                text = text.replace(secret, "…")
            self._out().write(f"{text}\n")
            self._out().flush()
        except (OSError, ValueError):
            # Nobody reads it any more.
            return


def _record_kind(record: logging.LogRecord) -> tuple[object, ...]:
    """Where it was said, what, and where it was raised; not whom or which picture it is about."""
    fault = record.exc_info[1] if record.exc_info else None
    place = fault.__traceback__ if fault is not None else None
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    raised = None if place is None else (place.tb_frame.f_code.co_filename, place.tb_lineno)
    return record.name, record.msg, type(fault), raised


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
        with refusing(PanelError, into=click.BadParameter):
            load_settings(given)
    return given


def default_data_dir() -> Path:
    """Where games are kept unless `--data` says otherwise: COMPANION_DATA, else the user's own data folder.
    Raises ClickException where the user has none."""
    named = os.environ.get(DATA_VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME")
    try:
        return (Path(base) if base else Path.home() / ".local" / "share") / "companion"
    except RuntimeError:
        line = f"this user has no home folder: name a folder for the games with --data or {DATA_VARIABLE}"
        raise click.ClickException(line) from None


def made_data_dir(data_dir: Path | None) -> Path:
    """The data folder: writable, or with games to be looked at. Raises ClickException."""
    folder = data_dir or default_data_dir()
    games = folder / "games"
    try:
        if not folder.exists():
            games.mkdir(parents=True)
            click.echo(f"A new data folder: {folder}", err=True)
        games.mkdir(exist_ok=True)
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
"""The serial number of a Raspberry Pi's board. A cloned card copies the machine id, but not this."""


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
@options("serve", pin=warned_of_pin, broker=without_password, pins=understood_pins)
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
    """Show the live page over a camera, or without one. Prints its address, and the PIN for changes unless you chose
    one.

    \b
    companion serve                        # no camera: you tap the plays in
    companion serve --camera picamera
    """
    from companion.app.checkup import Machine, follow_choice, quick_reasons
    from companion.app.games import make_app_state
    from companion.app.learning import LabelKeeper, LearningDesk
    from companion.cli.reporting import Diagnostics, RecentLog, open_storage
    from companion.supervise.parts import Watchdog, feed_every_s, systemd_notifier
    from companion.tableside import ButtonPod
    from companion.web.access import fresh_pin
    from companion.web.app import PageSettings, create_app
    from companion.web.guard import own_names
    from companion.web.serving import OwnAddress, PortTakenError, listen, serve_on
    from hardware.camera.address import secrets_of

    if pin and not re.fullmatch("[0-9]{4,32}", pin):
        raise click.UsageError("--pin: expected 4 to 32 digits, as a phone's keys for it have no letters")
    used_pin = pin or fresh_pin()
    settings = camera_settings(camera_size, mains)
    table_name = _checked_name(table_name)
    with refusing(PortTakenError):
        sock = listen(host, port)
    with ExitStack() as parts:
        parts.callback(sock.close)
        folder = made_data_dir(data_dir)
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
        started = {"camera": _camera_kind(source), "broker": broker is not None, "safe": safe}
        hidden_names = (*names, *([table_name] if table_name else ()))
        app_state.diagnostics = Diagnostics(app_state, folder, started, log, hidden_names).pack
        watchdog = Watchdog(app_state.parts, notify=systemd_notifier(), every_s=feed_every_s())
        parts.enter_context(watchdog)
        address = OwnAddress(sock)
        if broker is not None:
            name = table_name or own_table_name()
            _publish(app_state, broker, name, folder, parts, buttons=broker_buttons, address=lambda: address.now)
        app_state.follow(LabelKeeper(folder).follow)
        # The games before leave megabytes of reference cycles, for which Python seldom looks.
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
        _read_earlier_games(app_state, parts)
        storage.repair_earlier_games(app_state, parts)
        _follow_the_address(address, app_state, parts)
        click.echo(f"The page: {address.now}")
        if address.name:
            click.echo(f"Also: {address.name}")
        if not pin:
            click.echo(f"PIN for changes: {used_pin}")
        click.echo("Ctrl-C ends it; every game is kept.", err=True)
        watchdog.ready()
        serve_on(app, sock)


def _collect_garbage() -> None:
    gc.collect()


def _camera_kind(source: str | None) -> str:
    """The kind of camera, without the place of a file or the number of a device."""
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
    """Delete the corrected tiles along with all pictures."""
    from companion.app.learning import delete_samples

    others = app_state.delete_pictures

    def delete() -> int:
        return (others() if others is not None else 0) + delete_samples(storage.folder, storage.deleter)

    app_state.delete_pictures = delete


def _checked_name(name: str | None) -> str | None:
    if name is None:
        return None
    from companion.publish.broker import table_name

    with refusing(ValueError, about=f"--table-name {name!r}", into=click.UsageError):
        return table_name(name)


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
        from companion.publish.publisher import BUTTONS, unfinished
    except ImportError:
        raise click.ClickException("paho-mqtt is not installed: pip install paho-mqtt") from None
    with refusing(ValueError, about="--broker", into=click.UsageError):
        found = parse_broker(broker)
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
    # The game first: a table that waits, and then has its game, would tell Home Assistant of a new leader.
    app_state.follow(publisher.follow)
    publisher.start()
    app_state.checks.append(lambda: publisher.status.reasons)
    parts.callback(publisher.close)


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


def _read_earlier_games(app_state: AppState, parts: ExitStack) -> None:
    """For the list of games and the statistics, while the page answers."""
    if app_state.index is not None:
        app_state.index.start(app_state.parts.add("game index").loop)
        parts.callback(app_state.index.close)


LOOPBACK = "127.0.0.1"

FILM_WH = (2240, 1680)
"""1.8 pixels per mm of the made-up table: what hardware/OPTICS.md calls good, and quickly rendered."""

PLANT_RATE = 0.25
"""The share of turns with a fault, so high that the first faults show before anybody gets up again."""

CALM_TABLE: Mapping[str, float] = {
    "apart": 0.15,
    "two_turns": 0.0,
    "take_back": 0.02,
    "bump": 0.0,
    "nudge": 0.02,
    "lamp": 0.02,
    "cup": 0.01,
    "passing_hand": 0.02,
}
"""How often something happens that is no play: less than in the simulator's films, which are there to be hard."""

LAYING_S = 300.0
"""A busy machine may need so long to render a table, or to read it while the film waits."""


@click.command()
@options("demo", rules_name=click.Choice(RULESET_NAMES))
def demo(rules_name: str, players: int | None, seed: int, speed: float, port: int, rounds: int | None) -> None:
    """Show a made-up game on a rendered table, seen by the real camera path, on the live page.

    Round follows round, scored by the camera, and match follows match. Illegal plays are planted now and then. Ctrl-C
    ends it.
    """
    from companion.web.serving import PortTakenError, listen, port_of

    rules = load_ruleset(rules_name)
    seats = _seats(rules, players)
    with refusing(PortTakenError):
        sock = listen(port=port)
    click.echo("Laying the table ...", err=True)
    with tempfile.TemporaryDirectory(prefix="companion-demo-") as folder:
        _play(rules, seats, seed, speed, rounds, sock, port_of(sock), Path(folder))


def _seats(rules: RuleSet, players: int | None) -> int:
    """How many sit at the table; a number that cannot be dealt is a wrong use of the command."""
    set_max = rules.first_engine_of(12) if rules.is_mexican else None
    allowed = rules.players_allowed() if set_max is None else rules.players_allowed(set_max)
    chosen = players if players is not None else (3 if rules.is_mexican else 4)
    if chosen not in allowed:
        raise click.UsageError(f"--players {chosen}: {rules.name} is played by {', '.join(map(str, allowed))}")
    return chosen


def plantable(rules: RuleSet, codes: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the codes that can be broken under these rules."""
    return tuple(code for code in codes if rules.name in Violation(code).games)


def _play(
    rules: RuleSet, players: int, seed: int, speed: float, rounds: int | None, sock: Any, port: int, data: Path
) -> None:
    from companion.app.games import make_app_state
    from companion.app.table_place import DemoCamera
    from companion.app.table_service import WatchedTable
    from companion.supervise.camera import SupervisedCamera, SupervisionSettings
    from companion.supervise.parts import Watchdog
    from companion.web.access import fresh_pin
    from companion.web.app import PageSettings, create_app
    from companion.web.serving import OwnAddress, serve_on
    from datasets.simulator.camera import VISIBLE_FAULTS, SimSettings
    from datasets.simulator.evening import EveningOpener, EveningSettings, evening_table, place_of
    from datasets.simulator.film import FilmSettings
    from datasets.simulator.script import Troubles

    table = SimSettings(
        plant=plantable(rules, VISIBLE_FAULTS),
        plant_rate=PLANT_RATE,
        troubles=Troubles(**CALM_TABLE),
        film=FilmSettings(size_wh=FILM_WH),
        boneyard_spread=rules.is_mexican,
    )
    evening = EveningSettings(rules=rules.name, players=players, rounds=rounds, speed=speed, table=table)
    app_state = make_app_state(data)

    def begin(match: int) -> None:
        app_state.start_game(evening_table(seed, evening, match, 1).setup_json())

    def film() -> DemoCamera:
        patient = SupervisionSettings(opening_s=LAYING_S, recording_silent_s=LAYING_S)
        part = app_state.parts.add("camera")
        filmed = SupervisedCamera(f"sim:{seed}", supervision=patient, opener=EveningOpener(seed, evening), part=part)
        return DemoCamera(filmed, place_of, begin, lambda: app_state.session.snapshot().phase)

    watched = WatchedTable(app_state, f"sim:{seed}", data, camera=film(), reopen=film)
    app_state.camera = app_state.table = watched
    app_state.checks.append(watched.troubles)
    pin = fresh_pin()
    address = OwnAddress(sock)
    app = create_app(app_state, PageSettings(pin=pin, address=address))
    watched.start()
    click.echo(
        f"The table is being filmed. Open http://{LOOPBACK}:{port} here, or {address.now} on a phone; PIN {pin}."
    )
    click.echo("Ctrl-C ends the demo.", err=True)
    try:
        with ExitStack() as parts, Watchdog(app_state.parts):
            _read_earlier_games(app_state, parts)
            serve_on(app, sock)
    except KeyboardInterrupt:
        click.echo("The demo is over.", err=True)
    finally:
        watched.close()


@click.command()
@options("hall", broker=without_password)
def hall(broker: str, port: int, host: str) -> None:
    """Show every table that publishes on a broker, live."""
    try:
        from companion.hall import Hall
        from companion.publish import parse_broker
    except ImportError:
        raise click.ClickException("paho-mqtt is not installed: pip install paho-mqtt") from None
    from companion.hall.page import create_hall_app
    from companion.web.serving import PortTakenError, serve

    with refusing(ValueError, about="--broker", into=click.UsageError):
        address = parse_broker(broker)
    with Hall(address) as tables, refusing(PortTakenError):
        serve(create_hall_app(tables), host, port, ready=lambda found: click.echo(f"all tables: {found}", err=True))
