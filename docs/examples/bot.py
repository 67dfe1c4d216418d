"""A bot that plays a round of Mexican Train against itself: `python docs/examples/bot.py [SEED]`.

It asks the board what may be laid, lays its dearest tile, and otherwise draws and marks its train.
"""

import random
import sys

from companion.rules import Action, Board, Draw, End, Mark, Play, Tile, Unmark

PLAYERS = ("Ann", "Ben", "Cy")


def ended(board: Board, acts: list[Action]) -> list[Action] | None:
    """The turn brought to an end that breaks no rule; None where it has to go on."""
    me = board.turn
    ways = ([End()], [Unmark(me), End()], [Mark(me), End()])
    return next(([*acts, *way] for way in ways if board.is_legal([*acts, *way])), None)


def turn_of(board: Board, hand: list[Tile], boneyard: list[Tile]) -> list[Action]:
    """A legal turn of the player to move; hand and boneyard change with it."""
    acts: list[Action] = []
    while True:
        laid = any(isinstance(act, Play) for act in acts)
        if laid and (turn := ended(board, acts)):
            return turn
        if plays := board.legal_plays(hand, acts):
            play = max(plays, key=lambda one: one.tile.tile.pips)
            hand.remove(play.tile.tile)
            acts.append(play)
        elif turn := ended(board, acts):
            return turn
        elif not boneyard:
            return [*acts, End()]
        else:
            hand.append(boneyard.pop())
            acts.append(Draw())


def play_round(seed: int) -> Board:
    """A whole round, dealt and played with this seed."""
    chance = random.Random(seed)
    board = Board("tactic", PLAYERS)
    boneyard = list(board.unseen)
    chance.shuffle(boneyard)
    hands = {player: [boneyard.pop() for _ in range(board.hand_size or 0)] for player in PLAYERS}
    idle = 0
    while all(hands.values()) and idle < len(PLAYERS):
        player = board.turn
        turn = turn_of(board, hands[player], boneyard)
        idle = 0 if any(isinstance(act, (Play, Draw)) for act in turn) else idle + 1
        board.push(turn)
    blocked = all(hands.values())
    print(f"{len(board.turns)} turns, {'blocked' if blocked else 'somebody is out'}")
    print(board.score(hands, blocked=blocked))
    return board


if __name__ == "__main__":
    played = play_round(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    print(f"{sum(not turn.ruling.legal for turn in played.turns)} illegal turns")
