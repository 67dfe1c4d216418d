"""`companion demo`: a made-up game, rendered as camera frames and seen by the real camera path.

Bots play, a renderer films their table (in a process of its own), and from there on nothing is made up: detector,
reader, layout, referee and page get pictures and the set-up file that a user would write, and nothing else.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from companion.rules.ruleset import RULESET_NAMES, RuleSet, load_ruleset
from companion.rules.violations import Violation

LOOPBACK = "127.0.0.1"

FILM_WH = (2240, 1680)
"""1.8 pixels per mm of the made-up table: what hardware/OPTICS.md calls good, and quickly rendered."""

PLANT_RATE = 0.25
"""Of the turns; the first faults are to be seen before anybody gets up again."""

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
@click.option(
    "--rules",
    "rules_name",
    type=click.Choice(RULESET_NAMES),
    default="tactic",
    show_default=True,
    help="The game that is played.",
)
@click.option("--players", type=int, default=None, help="How many play.  [default: 3, or 4 with the Chinese set]")
@click.option("--seed", type=click.IntRange(0), default=127, show_default=True, help="Another seed, another game.")
@click.option("--speed", type=click.FloatRange(0.1, 100), default=1.0, show_default=True, help="Frames come faster.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any free one.")
@click.option(
    "--rounds", type=click.IntRange(1), help="End after so many.  [default: one match after the other until Ctrl-C]"
)
def demo(rules_name: str, players: int | None, seed: int, speed: float, port: int, rounds: int | None) -> None:
    """Show a made-up game on a rendered table, seen by the real camera path, on the live page.

    Round follows round, scored by the camera, and match follows match. Illegal plays are planted now and then. Ctrl-C
    ends it.
    """
    from companion.web.serving import PortTakenError, listen, port_of

    rules = load_ruleset(rules_name)
    seats = _seats(rules, players)
    try:
        sock = listen(port=port)
    except PortTakenError as taken:
        raise click.ClickException(str(taken)) from None
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
    from companion.app.demo_table import DemoCamera
    from companion.app.games import make_app_state
    from companion.app.table_service import WatchedTable
    from companion.supervise import SupervisedCamera, SupervisionSettings, Watchdog
    from companion.web.app import PageSettings, create_app
    from companion.web.own_address import OwnAddress
    from companion.web.pin import fresh_pin
    from companion.web.serving import serve_on
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
        filmed = SupervisedCamera(f"sim:{seed}", supervision=patient, opener=EveningOpener(seed, evening))
        return DemoCamera(filmed, place_of, begin, lambda: app_state.session.snapshot().phase)

    watched = WatchedTable(app_state, f"sim:{seed}", data, camera=film(), reopen=film)
    app_state.camera = app_state.table = watched
    pin = fresh_pin()
    address = OwnAddress(sock)
    app = create_app(app_state, PageSettings(pin=pin, address=address))
    watched.start()
    click.echo(
        f"The table is being filmed. Open http://{LOOPBACK}:{port} here, or {address.now} on a phone; PIN {pin}."
    )
    click.echo("Ctrl-C ends the demo.", err=True)
    try:
        with Watchdog(app_state.parts):
            serve_on(app, sock)
    except KeyboardInterrupt:
        click.echo("The demo is over.", err=True)
    finally:
        watched.close()
