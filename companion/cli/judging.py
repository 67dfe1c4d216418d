"""The commands for other programs: `companion judge` and `companion schema`.

`companion judge`: questions to the referee, one JSON object a line, answered in order.

`companion schema NAME`: what the program reads and writes, as JSON Schema or OpenAPI.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import click

from companion.cli.options import options
from companion.judge_api.definitions import kinds
from companion.judge_api.definitions import schema as schema_of_questions
from companion.judge_api.questions import answer

EXAMPLE = (
    '{"id": 1, "kind": "turn", "rules": "tactic", "action": "play 8-1@Ben; end", "state": {"set": 12, '
    '"players": ["Ann", "Ben"], "engine": "12-12", "trains": {"Ann": "12-3", "Ben": "12-8", "MX": ""}, "markers": [], '
    '"open": [], "turn": "Ann", "first_turn": false, "boneyard": 40}}'
)
"""Ann lays on Ben's closed train."""

LONGEST_NUMBER = 40
"""No number of a game or of an id has more digits."""


def help_text() -> str:
    """The text of `companion judge --help` below its first lines."""
    listed = "\n".join(f"  {kind:<10} {asks}" for kind, asks in ((one.name, one.asks) for one in kinds().values()))
    answer = as_line(answer_line(EXAMPLE.encode(), explain=False)).decode().strip()
    return (
        "\b\nA question has an `id` (a text or a number, given back with the answer), a `kind`,\n"
        "`rules` (a name, or the path of your own .toml file) and the fields of its kind:\n"
        f"{listed}\n\n"
        "\b\nOne question and its answer:\n"
        f"  {EXAMPLE}\n  {answer}\n\n"
        "Every field of every kind: --schema."
    )


class _WithKinds(click.Command):
    """The command whose help ends with the kinds of questions and an example."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.epilog = help_text()
        super().format_epilog(ctx, formatter)


@click.command(cls=_WithKinds)
@options("judge")
def judge(explain: bool, schema: bool) -> None:
    """Answer questions to the referee: JSON lines on stdin, answers on stdout.

    A question that is not understood is answered with an error, and the next one goes on. The exit status is then 1.
    """
    if schema:
        click.echo(json.dumps(schema_of_questions(), indent=1))
        return
    refused = False
    answers = sys.stdout.buffer
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        answer = answer_line(line, explain)
        refused = refused or "error" in answer
        answers.write(as_line(answer))
        answers.flush()
    if refused:
        raise SystemExit(1)


def answer_line(line: bytes, explain: bool) -> dict[str, Any]:
    """The answer to one line of input, whatever it holds."""
    try:
        question = read_question(line)
    except ValueError as wrong:
        return {"id": None, "error": f"question: {wrong}"}
    try:
        return answer(question, explain)
    except Exception as failed:
        # A fault of the program's own must not cost the answers to all the questions behind it.
        name = question.get("id") if isinstance(question, dict) else None
        click.echo(f"judge: question {name!r} failed: {type(failed).__name__}: {failed}", err=True)
        return {"id": name, "error": f"the referee failed on this question ({type(failed).__name__})"}


def read_question(line: bytes) -> Any:
    """One line as JSON; ValueError with what was expected. NaN, Infinity and numbers beyond a float are no JSON."""
    try:
        text = line.decode("utf-8-sig").rstrip()
    except UnicodeDecodeError:
        raise ValueError("expected UTF-8") from None
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)
    except json.JSONDecodeError as wrong:
        ends = wrong.pos >= len(text) or wrong.msg.startswith("Unterminated")
        what = "the line ends before the object does" if ends else f"{wrong.msg} at column {wrong.colno}"
        raise ValueError(f"expected a JSON object on one line ({what})") from None
    except RecursionError:
        raise ValueError("expected a JSON object, this one is nested too deeply") from None


def _no_constant(name: str) -> float:
    raise ValueError(f"expected a number, {name} is none")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"expected a number, {text[:20]} is too large")
    return number


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"expected a number, {text[:20]}... is too large")
    return int(text)


def as_line(answer: dict[str, Any]) -> bytes:
    """The answer as one line of UTF-8; half a surrogate pair in a name is escaped, since UTF-8 has no place for it."""
    try:
        return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(answer, allow_nan=False).encode("ascii") + b"\n"


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
        return schema_of_questions()
    if name == "events":
        from companion.log.events import schema as events

        return events()
    if name == "setup":
        from companion.perception.setup_file import schema as setup

        return setup()
    from companion.app.state import AppState
    from companion.web.app import create_app
    from companion.web.openapi import document

    return document(create_app(AppState()))
