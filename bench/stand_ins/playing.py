"""Bots at the desk: their turns said to a session, as the people at a table would say them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.stand_ins.making import ticking
from bench.stand_ins.settling import confirm
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import Event
from companion.rules.position import Discard, Draw, Flip, Mark, Pass, Play, Unmark
from companion.rules.ruleset import load_ruleset
from datasets.bots import BotGame, BotRound, BotTurn
from datasets.bots.recording import reveal


def begin(
    path: Path,
    rules_name: str,
    players: int | Sequence[str],
    seed: int,
    *,
    set_max: int = 12,
    options: dict[str, object] | None = None,
    **bots: object,
) -> tuple[Game, BotGame]:
    """A new session and the bots that will play at it."""
    rules = load_ruleset(rules_name, options)
    game = BotGame(rules, players, seed, set_max=set_max, **bots)  # type: ignore[arg-type]
    tile_set = f"double-{set_max}" if rules.is_mexican else "chinese"
    return Game.create(path, Header(rules_name, tile_set, game.players, options or {}), ticking()), game


def say(session: Game, turn: BotTurn) -> Iterator[Event]:
    """One turn, act by act."""
    by = turn.player
    for action in turn.actions:
        match action:
            case Play(tile, train):
                yield from session.play(tile, train, by)
            case Draw():
                yield from session.draw(by)
            case Mark(train):
                yield from session.mark(train, by)
            case Unmark(train):
                yield from session.unmark(train, by)
            case Flip(train):
                yield from session.flip(train, by)
            case Discard(face_up):
                yield from session.discard(by, tile=turn.discarded if face_up else None, face_up=face_up)
            case Pass():
                yield from session.pass_turn(by)
    if not turn.complete and Mark(by) not in turn.actions and Pass() not in turn.actions:
        yield from session.pass_turn(by)


def play_out(session: Game, game: BotRound, *, confirmed: bool = False) -> list[tuple[Event, BotTurn | None]]:
    """A whole round with its end and the hands shown; each event with the turn it belongs to.

    `confirmed`: whatever is asked after a turn, somebody says at once that it was so."""
    told: list[tuple[Event, BotTurn | None]] = []
    told += [(event, None) for event in session.start_round(game.engine, game.starter)]
    for turn in game.turns():
        if session.phase != "playing":
            break
        told += [(event, turn) for event in say(session, turn)]
        if confirmed:
            confirm(session)
    if session.phase == "playing":
        told += [(event, None) for event in session.end_round(game.how or "abandoned", game.out)]
    for shown in reveal(game):
        told += [
            (event, None) for event in session.show_hand(shown.by, shown.tiles, shown.discards, in_order=shown.in_order)
        ]
    return told
