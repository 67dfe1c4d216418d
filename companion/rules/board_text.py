"""A whole round as text: a head that says how the table lay before the first turn, an empty line, and a line a turn.

`# ...` after a space, or at the beginning of a line, is a remark. What `write` gives `read` takes for the same board.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from companion.rules.errors import RulesError
from companion.rules.notation import print_action, print_chain, print_laid
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import RuleSet, ruleset_of, ruleset_to_json

if TYPE_CHECKING:
    from companion.rules.board import Board

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
    """What lies on the table, and what of it is otherwise than a board has it by itself."""
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
    for number, written in enumerate(text.split("\n"), 1):
        ends = ends or (bool(head) and not written.strip())
        name, colon, value = (part.strip() for part in written.partition(":"))
        # A JSON object may hold what looks like a remark.
        said = written.strip() if value.startswith(("{", '"')) else _REMARK.sub("", written).strip()
        if not said:
            continue
        value = value if value.startswith(("{", '"')) else said.partition(":")[2].strip()
        of_head = name in SEVERAL or (name in ONCE and name not in head)
        try:
            if board is None and colon and of_head and not (ends and name in players):
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
