"""`companion hall`: all tables of a club on one page."""

from __future__ import annotations

import click

from companion.cli.serve import without_password


@click.command()
@click.option(
    "--broker",
    required=True,
    metavar="[mqtts://]HOST[:PORT]",
    envvar="COMPANION_BROKER",
    callback=without_password,
    help="The MQTT broker the tables publish to. With a password: COMPANION_BROKER=USER:PASSWORD@HOST.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8010, show_default=True, help="This page's port.")
@click.option("--host", default="::", show_default=True, help="The address to listen on; :: is every one.")
def hall(broker: str, port: int, host: str) -> None:
    """Show every table that publishes on a broker, live."""
    try:
        from companion.hall import Hall
        from companion.publish import parse_broker
    except ImportError:
        raise click.ClickException("paho-mqtt is not installed: pip install paho-mqtt") from None
    from companion.hall.page import create_hall_app
    from companion.web.serving import PortTakenError, serve

    try:
        address = parse_broker(broker)
    except ValueError as error:
        raise click.UsageError(f"--broker: {error}") from None
    with Hall(address) as tables:
        try:
            serve(
                create_hall_app(tables),
                host,
                port,
                ready=lambda found: click.echo(f"all tables: {found}", err=True),
            )
        except PortTakenError as error:
            raise click.ClickException(str(error)) from None
