"""The one-line notation of tiles, chains, acts and changes; what is printed parses back to the same value.

Source: docs/rules.md 1. `12-5 5-7 7-7` is a chain, the inner half first; Chinese tiles are `a:b`, left to right.
Everything that cannot be understood raises `NotationError`, one line naming the text and what was expected.

A whole round as text: a head that says how the table lay before the first turn, an empty line, and a line a turn.

`# ...` after a space, or at the beginning of a line, is a remark. `read` makes the same board of what `write` gives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from companion.rules.position import (
    LEFT,
    RIGHT,
    Action,
    Chain,
    Discard,
    Draw,
    End,
    Flip,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    Unmark,
)
from companion.rules.ruleset import RuleSet, ruleset_of, ruleset_to_json
from companion.rules.tile import Laid, RulesError, Tile

if TYPE_CHECKING:
    from companion.rules.board import Board


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
class Vanishing:
    """A change: a tile of a train is gone."""

    tile: Laid
    train: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A change: the boneyard has fewer tiles."""

    count: int
    """How many fewer."""


Change = Play | Vanishing | Drawing | Mark | Unmark
"""One item of a `delta`: a tile that appeared at the end of a train is a `Play`, whoever laid it."""


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
        return Play(*_target(text[1:], "-"))
    if text.startswith("-"):
        return Vanishing(*_target(text[1:], "-"))
    raise NotationError(f"{text!r} is no change: expected +a-b@T, -a-b@T, mark P, -mark P or boneyard-N")


def parse_delta(items: Iterable[str]) -> tuple[Change, ...]:
    return tuple(parse_change(item) for item in items)


def print_change(change: Change) -> str:
    match change:
        case Play(tile, train):
            return f"+{print_laid(tile)}@{train}"
        case Vanishing(tile, train):
            return f"-{print_laid(tile)}@{train}"
        case Drawing(count):
            return f"boneyard-{count}"
        case Mark(player):
            return f"mark {player}"
        case Unmark(player):
            return f"-mark {player}"


ONCE = frozenset(
    {
        "rules",
        "options",
        "set",
        "engine",
        "starter",
        "round",
        "line",
        "markers",
        "open",
        "flipped",
        "boneyard",
        "first turn",
    }
)
SEVERAL = frozenset({"player", "train"})
"""Fields of the head that stand there once, and once for each player or train."""

_REMARK = re.compile(r"(?:^|\s)#.*")


def write(board: Board, start: Position | LinePosition, rules: str | RuleSet, options: Mapping[str, Any]) -> str:
    """The text of this board. `start`: the table before its first turn; `rules`, `options`: as the board was given
    them."""
    lines = [f"rules: {_rules_written(rules)}"]
    lines += [f"options: {json.dumps(dict(options), ensure_ascii=False)}"] if options else []
    if isinstance(start, Position):
        lines.append(f"set: {start.set_max}")
    lines += [f"player: {name}" for name in start.players]
    if isinstance(start, Position):
        lines.append(f"engine: {print_laid(start.engine)}")
        lines += [f"round: {start.round}"] if start.round is not None else []
        lines += _lying(board, start, rules, options)
    elif start.line:
        lines.append(f"line: {print_chain(start.line, ':')}")
    lines += [f"starter: {start.turn}", ""]
    sign = "-" if isinstance(start, Position) else ":"
    lines += [f"{turn.player}: {print_action(turn.actions, sign)}".rstrip() for turn in board.turns]
    return "\n".join(lines) + "\n"


def _lying(board: Board, start: Position, rules: str | RuleSet, options: Mapping[str, Any]) -> list[str]:
    """The words for the table: its tiles, and everything that differs from a fresh board."""
    trains = {train: chain for train, chain in start.trains.items() if chain or train not in (*start.players, "MX")}
    lines = [f"train: {train}; {print_chain(chain)}".rstrip() for train, chain in trains.items()]
    # A double that was turned over is not open by itself.
    plain = type(board)(
        rules,
        start.players,
        options=options,
        set=start.set_max,
        engine=start.engine,
        round=start.round,
        trains=trains,
        flipped=sorted(start.flipped),
    ).position
    assert isinstance(plain, Position)
    for field, own, usual in (
        ("markers", sorted(start.markers), sorted(plain.markers)),
        ("open", start.open, plain.open),
        ("flipped", sorted(start.flipped), ()),
    ):
        lines += [f"{field}: {'; '.join(own)}".rstrip()] if tuple(own) != tuple(usual) else []
    if (start.boneyard, start.hands) != (plain.boneyard, plain.hands):
        lines.append(f"boneyard: {start.boneyard}")
    if start.first_turn != plain.first_turn:
        lines.append(f"first turn: {'yes' if start.first_turn else 'no'}")
    return lines


def _rules_written(rules: str | RuleSet) -> str:
    """The name of a rule set or the path of its file, in quotes where it would be cut; else all that it says."""
    if isinstance(rules, RuleSet):
        return json.dumps(ruleset_to_json(rules), ensure_ascii=False)
    plain = rules.strip() == rules and _REMARK.search(rules) is None and len(rules.splitlines()) == 1
    return rules if plain and rules[0] not in '"{' else json.dumps(rules, ensure_ascii=False)


def read(kind: type[Board], text: str) -> Board:
    """The board of a text. Raises RulesError naming the line."""
    if not isinstance(text, str):
        raise RulesError(f"text: expected a text, not {type(text).__name__}")
    head: dict[str, str] = {}
    players: list[str] = []
    trains: dict[str, str] = {}
    board: Board | None = None
    ends = False
    for number, written in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        ends = ends or (bool(head) and not written.strip())
        name, colon, value = (part.strip() for part in written.partition(":"))
        # A JSON object may hold what looks like a remark.
        said = written.strip() if value.startswith(("{", '"')) else _REMARK.sub("", written).strip()
        if not said:
            continue
        value = value if value.startswith(("{", '"')) else said.partition(":")[2].strip()
        of_head = name in SEVERAL or (name in ONCE and name not in head)
        try:
            of_player = ends and any(said.startswith(f"{player}:") for player in players)
            if board is None and colon and of_head and not of_player:
                head[name] = value
                if name == "player":
                    players.append(value)
                if name == "train":
                    train, _, chain = value.partition(";")
                    trains[train.strip()] = chain.strip()
                continue
            board = _begun(kind, head, players, trains) if board is None else board
            _push(board, said)
        except RulesError as wrong:
            raise RulesError(f"line {number}: {wrong}") from None
    return _begun(kind, head, players, trains) if board is None else board


def _push(board: Board, said: str) -> None:
    movers = sorted((name for name in board.players if said.startswith(f"{name}:")), key=len)
    if not movers:
        raise RulesError(f"expected PLAYER: TURN by {', '.join(board.players)}, not {said[:40]!r}")
    while len(movers) > 1:
        # One name may begin like another, and a colon stands in a Chinese tile as well.
        mover = movers.pop()
        try:
            board.push(said[len(mover) + 1 :], by=mover)
        except RulesError:
            continue
        return
    board.push(said[len(movers[0]) + 1 :], by=movers[0])


def _begun(kind: type[Board], head: Mapping[str, str], players: list[str], trains: Mapping[str, str]) -> Board:
    if "rules" not in head:
        raise RulesError("rules: missing in the head, such as rules: tactic")
    if head.get("first turn", "yes") not in ("yes", "no"):
        raise RulesError(f"first turn: expected yes or no, not {head['first turn'][:40]!r}")
    return kind(
        _rules_read(head["rules"]),
        players,
        options=_object("options", head["options"]) if "options" in head else None,
        set=_whole("set", head["set"]) if "set" in head else None,
        engine=head.get("engine"),
        turn=head.get("starter"),
        round=_whole("round", head["round"]) if "round" in head else None,
        trains=trains or None,
        line=head.get("line", ""),
        markers=_names(head.get("markers", "")),
        open=_names(head["open"]) if "open" in head else None,
        flipped=_names(head.get("flipped", "")),
        boneyard=_whole("boneyard", head["boneyard"]) if "boneyard" in head else None,
        first_turn=head["first turn"] == "yes" if "first turn" in head else None,
    )


def _rules_read(written: str) -> str | RuleSet:
    if written.startswith("{"):
        return ruleset_of(_object("rules", written))
    if not written.startswith('"'):
        return written
    try:
        return str(json.loads(written))
    except ValueError:
        raise RulesError(f"rules: expected a name or a path, not {written[:40]!r}") from None


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(";") if name.strip()]


def _whole(field: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 5:
        raise RulesError(f"{field}: expected a whole number, not {text[:40]!r}")
    return int(text)


def _object(field: str, text: str) -> dict[str, Any]:
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        found, end = None, 0
    if not isinstance(found, dict) or _REMARK.sub("", text[end:]).strip():
        raise RulesError(f"{field}: expected a JSON object, not {text[:40]!r}")
    return found
