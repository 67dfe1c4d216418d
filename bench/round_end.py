"""How a filmed round should have ended, and whether the session has it so."""

from __future__ import annotations

from companion.game.game import Game
from companion.log.events import RoundScored
from companion.rules.chinese import settle
from companion.rules.mexican.judge import score
from datasets.simulator.camera import SimCamera

CUT, RIGHT, WRONG, OPEN = "cut", "right", "wrong", "open"


def due_scores(camera: SimCamera) -> dict[str, int]:
    """The round's points by the hands as they were really left."""
    game = camera.round
    rules = game.rules
    if rules.is_mexican:
        return dict(score(rules, game.hands, blocked=(game.how or "").startswith("blocked"), out=game.out))
    left = {name: [*game.hands[name], *game.discards.get(name, ())] for name in camera.plan.players}
    start = camera.plan.players.index(game.starter)
    order = camera.plan.players[start:] + camera.plan.players[:start]
    pips = {name: sum(tile.pips for tile in tiles) for name, tiles in left.items()}
    return dict(settle(rules, order, pips, discards={name: len(tiles) for name, tiles in left.items()}).result)


def how_it_ended(camera: SimCamera, session: Game) -> str:
    """`right`: the round is scored with the points due. `wrong`: otherwise. `open`: it is not scored, though
    all hands were laid open. `cut`: the film breaks off before that."""
    game = camera.round
    due = [
        (player, tuple(tiles))
        for player in game.hands
        for tiles in (game.hands[player], game.discards.get(player, ()))
        if tiles
    ]
    shown = [filmed.scene.shows for filmed in camera.truth if filmed.scene.shows]
    if game.how is None or len(shown) < len(due):
        return CUT
    found = [dict(event.scores) for event in session.events if isinstance(event, RoundScored)]
    if not found:
        return OPEN
    return RIGHT if found[-1] == due_scores(camera) else WRONG
