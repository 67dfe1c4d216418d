"""`companion explain JOURNAL PLAY`: who it may have been, what each hypothesis costs and what it rests on."""

from __future__ import annotations

import json
from pathlib import Path

import click

from companion.game.disputes import Dispute, NoSuchPlayError
from companion.game.disputes import dispute as look_into
from companion.log.journal import JournalError
from companion.play.event_actions import act_of
from companion.rules.notation import print_act
from companion.rules.ruleset import RuleSetError
from companion.tracking.costs import PRIORS

LEAST_SHOWN = 0.00005
"""A smaller share prints as nothing."""


@click.command(name="explain")
@click.argument("journal", type=click.Path(path_type=Path))
@click.argument("play", type=int)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def explain(journal: Path, play: int, as_json: bool) -> None:
    """Explain one play: the hypotheses about it, their costs and what each rests on.

    PLAY is the entry's number (its seq). Costs are in decibans: 10 more is ten times less likely. The belief is worked
    out anew from the journal's evidence up to a lap after the play; it decides nothing of a game being played.
    """
    try:
        found = look_into(journal, play)
    except (JournalError, RuleSetError, NoSuchPlayError) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        for text in lines_of(found):
            click.echo(text)


def lines_of(found: Dispute) -> list[str]:
    """The dispute for people, one hypothesis a line."""
    act = act_of(found.event)
    verdict = found.verdict
    assert act is not None
    who = verdict.by or f"nobody can be named ({' or '.join(verdict.maybe)})"
    lines = [f"no. {found.seq}, {print_act(act)}: {who}"]
    for charge in verdict.charges:
        sure = "certain" if charge.certain else f"possible, {charge.p:.0%}"
        lines.append(f"  {charge.code}, {charge.by or 'whoever it was'}: {sure}")
    lines += [f"  {one.p:7.2%}  {one}" for one in found.alternatives]
    if found.rest >= LEAST_SHOWN:
        lines.append(f"  {found.rest:7.2%}  in another way")
    lines += [f"  looked at again: {why}" for why in found.again]
    assumed = dict.fromkeys(cause for one in found.alternatives for cause in one.assumes)
    lines += [f"  {PRIORS[one].text}: {PRIORS[one].decibans} dB, {PRIORS[one].source}" for one in assumed]
    return lines
