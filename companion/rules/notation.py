"""The one-line notation of tiles, chains, acts and changes; what is printed parses back to the same value.

Source: docs/rules.md 1. `12-5 5-7 7-7` is a chain, the inner half first; Chinese tiles are `a:b`, left to right.
Everything that cannot be understood raises `NotationError`, one line naming the text and what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.rules.actions import LEFT, RIGHT, Action, Discard, Draw, End, Flip, Mark, Pass, Play, Unmark
from companion.rules.errors import RulesError
from companion.rules.position import Chain
from companion.rules.tile import Laid, Tile

_TILE = re.compile(r"([0-9]{1,3})\s*([-:])\s*([0-9]{1,3})")


class NotationError(RulesError, ValueError):
    """A text that is not the notation.

    >>> from companion.rules import NotationError, parse_tile
    >>> parse_tile('5/7')
    Traceback (most recent call last):
        ...
    companion.rules.notation.NotationError: '5/7' is no tile: expected two numbers joined by '-', such as 5-7
    """


@dataclass(frozen=True, slots=True)
class Laying:
    """A change between two still tables: a tile appeared at the end of `train`."""

    tile: Laid
    train: str


@dataclass(frozen=True, slots=True)
class Vanishing:
    """A change: a tile of `train` is gone."""

    tile: Laid
    train: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A change: the boneyard has `count` tiles fewer."""

    count: int


Change = Laying | Vanishing | Drawing | Mark | Unmark
"""One item of a `delta`."""


def parse_laid(text: str, sign: str = "-") -> Laid:
    """`5-7` (or `5:7` with `sign` ':'), the inner or left half first. Raises RulesError.

    >>> from companion.rules import parse_laid
    >>> parse_laid('5-7'), parse_laid('2:6', ':')
    (Laid(inner=5, outer=7), Laid(inner=2, outer=6))
    """
    found = _TILE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or found[2] != sign:
        raise NotationError(f"{text!r} is no tile: expected two numbers joined by {sign!r}, such as 5{sign}7")
    return Laid(int(found[1]), int(found[3]))


def parse_tile(text: str, sign: str = "-") -> Tile:
    """A tile in notation, whichever way it is written. Raises NotationError.

    >>> from companion.rules import parse_tile
    >>> parse_tile('7-5')
    Tile(low=5, high=7)
    """
    return parse_laid(text, sign).tile


def print_laid(laid: Laid, sign: str = "-") -> str:
    """A laid tile in notation, the inner or left half first. Raises RulesError.

    >>> from companion.rules import Laid, print_laid
    >>> print_laid(Laid(7, 5))
    '7-5'
    """
    return f"{laid.inner}{sign}{laid.outer}"


def parse_chain(text: str, sign: str = "-") -> Chain:
    """Tiles separated by spaces; the empty text is a train that has not started. Raises RulesError.

    >>> from companion.rules import parse_chain
    >>> parse_chain('12-5 5-7')
    (Laid(inner=12, outer=5), Laid(inner=5, outer=7))
    """
    if not isinstance(text, str):
        raise NotationError(f"{text!r} is no chain: expected tiles separated by spaces")
    return tuple(parse_laid(part, sign) for part in text.split())


def print_chain(chain: Iterable[Laid], sign: str = "-") -> str:
    """A chain in notation. Raises RulesError.

    >>> from companion.rules import parse_chain, print_chain
    >>> print_chain(parse_chain(' 12-5  5-7'))
    '12-5 5-7'
    """
    return " ".join(print_laid(t, sign) for t in chain)


def _target(text: str, sign: str) -> tuple[Laid, str]:
    tile, at, train = text.strip().partition("@")
    if not at or not train.strip():
        raise NotationError(f"{text!r} names no train: expected a{sign}b@TRAIN")
    train = train.strip()
    if sign == ":" and train not in (LEFT, RIGHT):
        raise NotationError(f"{text!r} names no arm: expected a:b@R or a:b@L")
    return parse_laid(tile, sign), train


def _named(parts: Sequence[str], text: str) -> str:
    if len(parts) != 2 or not parts[1].strip():
        raise NotationError(f"{text!r} names nobody: expected {parts[0]!r} and a name")
    return parts[1].strip()


def parse_act(text: str, sign: str = "-") -> Action:
    """One act: `play a-b@T`, `draw`, `mark P`, `unmark P`, `flip T`, `discard`, `discard faceup` (with the tile, where
    it is known), `pass`, `end`. Raises RulesError.

    >>> from companion.rules import parse_act
    >>> parse_act('mark Ann')
    Mark(player='Ann')
    """
    text = text.strip()
    parts = text.split(None, 1)
    verb = parts[0] if parts else ""
    if verb == "play" and len(parts) == 2:
        return Play(*_target(parts[1], sign))
    if verb == "mark" and sign == "-":
        return Mark(_named(parts, text))
    if verb == "unmark" and sign == "-":
        return Unmark(_named(parts, text))
    if verb == "flip" and sign == "-":
        return Flip(_named(parts, text))
    if verb == "discard" and sign == ":":
        shown = parts[1].split() if len(parts) == 2 else []
        if shown[:1] in ([], ["faceup"]) and len(shown) < 3:
            return Discard(bool(shown), parse_tile(shown[1], sign) if len(shown) == 2 else None)
    if text == "draw" and sign == "-":
        return Draw()
    if text == "pass":
        return Pass()
    if text == "end":
        return End()
    known = "play, draw, mark, unmark, flip, end" if sign == "-" else "play, discard, discard faceup, pass"
    raise NotationError(f"{text!r} is no act: expected one of {known}")


def parse_action(text: str, sign: str = "-") -> tuple[Action, ...]:
    """The acts of one turn, separated by `;`. `end` and `pass` can only be the last. Raises RulesError.

    >>> from companion.rules import parse_action
    >>> parse_action('draw; mark Ann; end')
    (Draw(), Mark(player='Ann'), End())
    """
    if not isinstance(text, str):
        raise NotationError(f"{text!r} is no action: expected acts separated by ';'")
    acts = tuple(parse_act(part, sign) for part in text.split(";") if part.strip())
    for act in acts[:-1]:
        if isinstance(act, End) or (isinstance(act, Pass) and sign == "-"):
            raise NotationError(f"{text!r}: the turn goes on after its end")
    return acts


def print_act(act: Action, sign: str = "-") -> str:
    """One act in notation. Raises RulesError.

    >>> from companion.rules import Draw, print_act
    >>> print_act(Draw())
    'draw'
    """
    return f"play {print_laid(act.tile, sign)}@{act.train}" if isinstance(act, Play) else str(act)


def print_action(acts: Iterable[Action], sign: str = "-") -> str:
    """A turn in notation. Raises RulesError.

    >>> from companion.rules import Draw, Mark, print_action
    >>> print_action([Draw(), Mark('Ann')])
    'draw; mark Ann'
    """
    return "; ".join(print_act(a, sign) for a in acts)


def parse_change(text: str) -> Change:
    """One item of a delta: `+a-b@T`, `-a-b@T`, `mark P`, `+mark P`, `-mark P`, `boneyard-N`."""
    if not isinstance(text, str):
        raise NotationError(f"{text!r} is no change: expected a text such as '+5-7@Ann'")
    text = text.strip()
    bare = text.removeprefix("+")
    if bare.startswith("mark "):
        return Mark(_named(bare.split(None, 1), text))
    if text.startswith("-mark "):
        return Unmark(_named(text[1:].split(None, 1), text))
    if found := re.fullmatch(r"boneyard\s*-\s*([0-9]{1,4})", text):
        return Drawing(int(found[1]))
    if text.startswith("+"):
        return Laying(*_target(text[1:], "-"))
    if text.startswith("-"):
        return Vanishing(*_target(text[1:], "-"))
    raise NotationError(f"{text!r} is no change: expected +a-b@T, -a-b@T, mark P, -mark P or boneyard-N")


def parse_delta(items: Iterable[str]) -> tuple[Change, ...]:
    return tuple(parse_change(item) for item in items)


def print_change(change: Change) -> str:
    match change:
        case Laying(tile, train):
            return f"+{print_laid(tile)}@{train}"
        case Vanishing(tile, train):
            return f"-{print_laid(tile)}@{train}"
        case Drawing(count):
            return f"boneyard-{count}"
        case Mark(player):
            return f"mark {player}"
        case Unmark(player):
            return f"-mark {player}"
