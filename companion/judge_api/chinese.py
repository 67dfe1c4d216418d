"""The questions about the connecting games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from companion.judge_api.answer import Answer, ruled
from companion.judge_api.fields import Fields, QuestionError
from companion.rules import audit
from companion.rules.actions import Action
from companion.rules.chinese import line, settlement
from companion.rules.chinese.facts import turn_facts
from companion.rules.chinese.judge import judge_turn
from companion.rules.notation import NotationError, parse_action
from companion.rules.position import LinePosition
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation


def turn(rules: RuleSet, asked: Fields) -> Answer:
    position = position_of(asked.inner("state"))
    actions = _action(asked)
    ruling = judge_turn(rules, position, actions)
    player = position.turn or None
    return ruled(ruling, turn_facts(rules, position, actions), player)


def setup(rules: RuleSet, asked: Fields) -> Answer:
    if asked.has("players") == asked.has("hand"):
        raise QuestionError("players: expected either players (a number) or hand (the tiles of one player)")
    if asked.has("hand"):
        redeal = line.must_redeal(rules, asked.tiles("hand", ":"))
        return Answer({"verdict": "redeal" if redeal else "play"})
    deal = line.deal(rules, asked.number("players", 1))
    return Answer({"verdict": deal.verdict, "hand": deal.hand, "tiles": deal.tiles, "unused": deal.unused})


def settle(rules: RuleSet, asked: Fields) -> Answer:
    order = asked.new_players("order")
    pips = _of_everybody(asked, "pips", order)
    discards = _of_everybody(asked, "discards", order) if asked.has("discards") else None
    mode = asked.one_of("mode", settlement.SETTLEMENTS) if asked.has("mode") else None
    settled = settlement.settle(rules, order, pips, discards=discards, mode=mode)
    return Answer({"result": dict(settled.result), "winner": settled.winner})


def audited(rules: RuleSet, asked: Fields) -> Answer:
    ends = asked.numbers("ends")
    held = [*asked.tiles("later_played", ":"), *asked.tiles("declared", ":")]
    draws = asked.number("draws_after") if asked.has("draws_after") else 0
    code = Violation.DISCARD_WITH_PLAYABLE
    status = audit.status_by_ends(held, ends, draws)
    out = {"code": str(code), "status": str(status)}
    if status is audit.Status.CLEAR:
        return Answer(out)
    certain = status is audit.Status.CERTAIN
    return Answer(out, frozenset({code} if certain else ()), frozenset(() if certain else {code}))


def block(rules: RuleSet, asked: Fields) -> Answer:
    arms = asked.number("arms", 1, 2) if asked.has("arms") else rules.arms
    players = asked.number("players", 1) if asked.has("players") else None
    return Answer({"provable": line.blocked(rules, asked.chain("line", ":"), players, arms=arms)})


ANSWERS: Mapping[str, Callable[[RuleSet, Fields], Answer]] = {
    "cn_turn": turn,
    "cn_setup": setup,
    "cn_settle": settle,
    "cn_audit": audited,
    "cn_block": block,
}


def position_of(fields: Fields) -> LinePosition:
    players = fields.new_players("players")
    mover = fields.name_of("turn", players) if fields.has("turn") else ""
    return LinePosition(players=players, line=fields.chain("line", ":"), turn=mover)


def _of_everybody(asked: Fields, name: str, order: Sequence[str]) -> dict[str, int]:
    counts = asked.counts(name, order)
    if len(counts) < len(order):
        raise asked.refuse(name, f"a number for each of {', '.join(order)}")
    return counts


def _action(asked: Fields) -> tuple[Action, ...]:
    try:
        return parse_action(asked.text("action"), ":")
    except NotationError as wrong:
        raise QuestionError(f"action: {wrong}") from None
