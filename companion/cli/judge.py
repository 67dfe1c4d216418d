"""`companion judge`: questions to the referee, one JSON object a line, answered in order."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import click

from companion.questions import answer

LONGEST_NUMBER = 40
"""No number of a game or of an id has more digits."""


@click.command()
@click.option("--explain", is_flag=True, help="Add the reason for each code: what happened, the rule, its source.")
def judge(explain: bool) -> None:
    """Answer questions to the referee: JSON lines on stdin, answers on stdout.

    A question that cannot be understood is answered with an error, and the next one goes on; the exit status is
    then 1.
    """
    refused = False
    answers = sys.stdout.buffer
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        told = answer_line(line, explain)
        refused = refused or "error" in told
        answers.write(as_line(told))
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
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("expected UTF-8") from None
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)
    except json.JSONDecodeError as wrong:
        raise ValueError(f"expected a JSON object on one line ({wrong.msg} at column {wrong.colno})") from None
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


def as_line(told: dict[str, Any]) -> bytes:
    """The answer as one line of UTF-8; half a surrogate pair in a name is escaped, since UTF-8 has no place for it."""
    try:
        return json.dumps(told, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(told, allow_nan=False).encode("ascii") + b"\n"
