"""The commands that read journals, one sentence an event.

`companion replay FILE` makes every ruling and score anew. `companion explain JOURNAL PLAY` says who it may have been,
what each hypothesis costs and what it rests on. `companion convert OLD NEW` makes a journal of an earlier version anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from companion.cli.options import options, refusing
from companion.game.converting import convert as make_anew
from companion.game.course import act_of
from companion.game.game_view import change_made, standing_doubts, standing_faults, standing_open
from companion.game.replay import Dispute, NoSuchPlayError, Replay
from companion.game.replay import dispute as look_into
from companion.game.replay import replay as play_again
from companion.log.journal import JournalError
from companion.rules.notation import print_act
from companion.rules.position import Leave
from companion.rules.ruleset_fields import RuleSetError
from companion.tracking.costs import PRIORS
from companion.web.texts import code_title
from companion.web.wording import event_text


def sentence(event: Mapping[str, Any], family: str = "mexican") -> str:
    """One event as a sentence, with its ruling where it has one."""
    kind, change = event.get("event"), change_made(event)
    if kind == "unclear":
        return f"Question: {event_text(event, family)}"
    if kind == "corrected" and "violations" in change and not change.get("retracts"):
        ruled = ruling({"violations": change["violations"]}) or "within the rules"
        return f"No. {event.get('corrects')}: {ruled}"
    ruled = ruling(event)
    return f"{event_text(event, family)} {ruled}".rstrip() if ruled else event_text(event, family)


def ruling(event: Mapping[str, Any]) -> str:
    """The findings against an event; "" without any."""
    certain = [_fault(event, code) for code in standing_faults(event)]
    unsettled = [_fault(event, code) for code in standing_open(event)]
    possible = [_fault(event, code) for code in standing_doubts(event)]
    parts = [f"Against the rules: {', '.join(certain)}."] if certain else []
    parts += [f"Open, nobody has said that it was so: {', '.join(unsettled)}."] if unsettled else []
    parts += [f"Perhaps: {', '.join(possible)}."] if possible else []
    return " ".join(parts)


def _fault(event: Mapping[str, Any], code: str) -> str:
    """A fault by its title, its code, and whose it is where that is not the event's own player."""
    findings = event.get("violations") or ()
    others = {one["by"] for one in findings if one["code"] == code and one.get("by")} - {event.get("by")}
    return f"{code_title(code)} ({code}{': ' + ' or '.join(sorted(others)) if others else ''})"


@click.command(name="replay")
@click.argument("file", type=click.Path(path_type=Path))
@options("replay")
def replay(file: Path, as_json: bool) -> None:
    """Play a journal again: every ruling and the scores.

    FILE is a journal.jsonl from the folder of the games, or from a zip that the page saved. Exit status 1 where the
    file cannot be read.

    \b
    companion replay journal.jsonl
    """
    with refusing(JournalError, RuleSetError):
        game = play_again(file)
    if game.torn:
        click.echo(f"{file}: the last line is torn and was left out", err=True)
    if as_json:
        for line in game.to_json():
            click.echo(json.dumps(line, ensure_ascii=False))
        click.echo(json.dumps(game.summary(), ensure_ascii=False))
    else:
        for text in report_lines(game):
            click.echo(text)


def report_lines(game: Replay) -> list[str]:
    """The game for people: what stands against whom, and the sheet."""
    header = game.text.header
    lines = [f"{game.rules.title}: {', '.join(header.players)}; {len(game.text.events)} events"]
    against = {line.event.seq: line.event.to_json() for line, _ in game.violations}
    lines += [f"{seq:>4}  {sentence(line, game.rules.family)}" for seq, line in against.items()]
    if not against:
        lines.append("Nothing stands against anybody.")
    width = max(len(name) for name in header.players) + 2
    lines.append("round".ljust(8) + "".join(name.rjust(width) for name in header.players))
    for sheet in game.board.rounds:
        scores = sheet.scores
        cells = "".join(str(scores.get(name, "-")).rjust(width) for name in header.players)
        lines.append(str(sheet.round).ljust(8) + cells + f"  {sheet.how or 'being played'}")
    lines.append("total".ljust(8) + "".join(str(game.board.totals[name]).rjust(width) for name in header.players))
    if game.board.over:
        lines.append(f"winner: {', '.join(game.board.winners) or 'nobody'}")
    elif game.turn is not None:
        lines.append(f"to play: {game.turn}")
    return lines


@click.command(name="convert")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
def convert(old: Path, new: Path) -> None:
    """Make a journal of version 3 from one of version 1 or 2.

    OLD stays as it is. Exit status 1 where it cannot be read, or NEW is there already.

    \b
    companion convert old/journal.jsonl journal.jsonl
    """
    with refusing(JournalError):
        events = make_anew(old, new)
    click.echo(f"{new}: {events} events")


LEAST_SHOWN = 0.00005
"""A smaller share prints as nothing."""


@click.command(name="explain")
@click.argument("journal", type=click.Path(path_type=Path))
@click.argument("play", type=int)
@options("explain")
def explain(journal: Path, play: int, as_json: bool) -> None:
    """Explain one play: the hypotheses about it, their costs and what each rests on.

    PLAY is the entry's number (its seq). Costs are in decibans: 10 more is ten times less likely. The belief is worked
    out anew from the journal's evidence up to a lap after the play; it decides nothing of a game being played.
    """
    with refusing(JournalError, RuleSetError, NoSuchPlayError):
        found = look_into(journal, play)
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        for text in lines_of(found):
            click.echo(text)


def lines_of(found: Dispute) -> list[str]:
    """The dispute for people, one hypothesis a line."""
    act = act_of(found.event)
    verdict = found.verdict
    assert act is not None and not isinstance(act, Leave)
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
