"""`companion judge --help` names every kind of question, and its example is one."""

from __future__ import annotations

import json

from click.testing import CliRunner

from companion.cli.judging import EXAMPLE, judge
from companion.judge_api.definitions import kinds


def test_every_kind_of_question_is_explained() -> None:
    told = CliRunner().invoke(judge, ["--help"]).output
    assert all(f"{kind.name} " in told and kind.asks in told for kind in kinds().values())


def test_the_example_can_be_asked_as_it_stands() -> None:
    told = CliRunner().invoke(judge, ["--help"]).output
    assert EXAMPLE in told
    answered = CliRunner().invoke(judge, [], input=EXAMPLE + "\n")
    assert answered.exit_code == 0
    assert json.loads(answered.stdout)["codes"] == ["CLOSED_TRAIN"]
    assert answered.stdout.strip() in told
