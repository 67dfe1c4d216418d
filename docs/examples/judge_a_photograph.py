"""Judge a photographed table: `python docs/examples/judge_a_photograph.py [PICTURE]`.

Mexican Train with Ann's train below the middle of the picture, Ben's to the left, Cy's to the right. Look at the
trains that it prints: from a wrong direction a train goes to the neighbour, and so does the fault in it.
"""

import sys
from pathlib import Path

from companion.reading import ReadingError, lay_out, open_eye, open_picture
from companion.rules import rule_text

STATIONS = {"Ann": 90, "Ben": 180, "Cy": 0, "MX": 270}
"""Where each train begins as seen from the middle: degrees clockwise, 0 is to the right."""


def main(picture: Path) -> None:
    eye = open_eye()
    reading = eye.look(open_picture(picture), set=12)
    table = lay_out(reading, STATIONS)
    for name, chain in table.trains.items():
        print(f"{name}: {chain}")
    board = table.board("tactic")
    ruling = board.status()
    print(ruling.verdict)
    for code in sorted(ruling.codes):
        print(f"  {code}: {rule_text(board.rules, code)}")


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("table.jpg")
    try:
        main(chosen)
    except ReadingError as refused:
        sys.exit(f"{chosen.name}: nothing is judged: {refused}")
