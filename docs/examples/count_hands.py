"""Count the hands in a folder of photographs: `python docs/examples/count_hands.py [FOLDER]`.

One picture a player, named after the player. A hand with a tile that cannot be read gets no sum.
"""

import sys
from pathlib import Path

from companion.reading import ReadingError, in_hand, open_eye, open_picture
from companion.rules import Tile, load_ruleset, pips


def main(folder: Path) -> None:
    rules = load_ruleset("tactic")
    eye = open_eye()
    for picture in sorted(folder.iterdir()):
        try:
            hand = in_hand(eye.look(open_picture(picture)))
        except ReadingError as refused:
            print(f"{picture.name}: {refused}")
            continue
        read = [Tile(*tile.values) for tile in hand if tile.values is not None]
        unread = len(hand) - len(read)
        known = f"{pips(rules, read)} pips in {len(read)} tiles"
        print(f"{picture.stem}: {known}" if not unread else f"{picture.stem}: at least {known}, {unread} not read")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("hands"))
