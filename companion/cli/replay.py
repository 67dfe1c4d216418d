"""`companion replay FILE`: a journal played again, every ruling and the scores."""

from __future__ import annotations

import json
from pathlib import Path

import click

from companion.cli.sentences import sentence
from companion.game.replay import Replay
from companion.game.replay import replay as play_again
from companion.log.journal import JournalError
from companion.rules.ruleset import RuleSetError


@click.command(name="replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="JSON lines: each event with its ruling, then the scores.")
def replay(file: Path, as_json: bool) -> None:
    """Play a journal again: every ruling and the scores.

    FILE is a journal.jsonl from the folder of the games, or from a zip that the page saved. Where the journal said
    something else at the time, both are shown. Exit status 1 where the file cannot be read.

    \b
    companion replay journal.jsonl
    """
    try:
        game = play_again(file)
    except (JournalError, RuleSetError) as error:
        raise click.ClickException(str(error)) from None
    if game.torn:
        click.echo(f"{file}: the last line is torn and was left out", err=True)
    if as_json:
        for line in game.lines:
            click.echo(json.dumps(line.to_json(), ensure_ascii=False))
        click.echo(json.dumps(game.summary(), ensure_ascii=False))
    else:
        for text in report_lines(game):
            click.echo(text)
    if not all(line.same for line in game.lines):
        seqs = ", ".join(str(line.event.seq) for line in game.lines if not line.same)
        click.echo(f"{file}: the journal itself says otherwise at seq {seqs}", err=True)


def report_lines(game: Replay) -> list[str]:
    """The game for people: what stands against whom, and the sheet."""
    header = game.text.header
    lines = [f"{game.rules.title}: {', '.join(header.players)}; {len(game.text.events)} events"]
    against = {line.event.seq: line for line, _ in game.violations}
    lines += [f"{seq:>4}  {sentence(line.to_json(), game.rules.family)}" for seq, line in against.items()]
    if not against:
        lines.append("Nothing stands against anybody.")
    width = max(len(name) for name in header.players) + 2
    lines.append("round".ljust(8) + "".join(name.rjust(width) for name in header.players))
    for sheet in game.board.rounds:
        scores = sheet.scores or {}
        cells = "".join(str(scores.get(name, "-")).rjust(width) for name in header.players)
        lines.append(str(sheet.number).ljust(8) + cells + f"  {sheet.how or 'being played'}")
    lines.append("total".ljust(8) + "".join(str(game.board.totals[name]).rjust(width) for name in header.players))
    if game.board.over:
        lines.append(f"winner: {', '.join(game.board.winners) or 'nobody'}")
    elif game.turn is not None:
        lines.append(f"to play: {game.turn}")
    return lines
