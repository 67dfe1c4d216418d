"""`companion schema NAME`: what the program reads and writes, as JSON Schema or OpenAPI."""

from __future__ import annotations

import json

import click

NAMES = ("judge", "events", "setup", "api")


@click.command()
@click.argument("name", type=click.Choice(NAMES))
def schema(name: str) -> None:
    """Print the JSON Schema of `judge` (questions and answers), `events` (the lines of a journal) or `setup` (the file
    of watch --setup), or the OpenAPI document of the page's API (`api`)."""
    click.echo(json.dumps(made(name), indent=1, ensure_ascii=False))


def made(name: str) -> dict[str, object]:
    """The schema of that name."""
    if name == "judge":
        from companion.judge_api.reference import schema as questions

        return questions()
    if name == "events":
        from companion.log.schema import schema as events

        return events()
    if name == "setup":
        from companion.play.setup_schema import schema as setup

        return setup()
    from companion.app.state import AppState
    from companion.web.app import create_app
    from companion.web.openapi import document

    return document(create_app(AppState()))
