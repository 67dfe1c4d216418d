"""The parts of an answer, before it is written down.

The questions about Mexican Train.

The questions about the connecting games.

Questions to the referee and their answers, field by field. Their fields: `judge.toml`.

`answer` is the one front door; it never raises for what it is asked. Unknown fields are ignored; a field that is
missing, of a wrong type, or names something unknown is refused with one line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.judge_api.definitions import LARGEST_SET, MANY, Fields, QuestionError, kinds, question_fields, shown
from companion.rules import audit, chinese
from companion.rules.chinese import judge_turn
from companion.rules.chinese import turn_facts as chinese_facts
from companion.rules.mexican import judge
from companion.rules.mexican.judge import judge_state, table_facts, turn_facts
from companion.rules.mexican.judge import judge_turn as judge_mexican_turn
from companion.rules.mexican.turn import dead_status, provably_blocked
from companion.rules.notation import Change, Drawing, NotationError, Vanishing, parse_action, parse_change, print_laid
from companion.rules.position import MEXICAN, SECOND_MEXICAN, Action, LinePosition, Mark, Position, Unmark
from companion.rules.reasons import Facts, explain_all
from companion.rules.ruleset import SHIPPED, RuleSet, load_ruleset
from companion.rules.ruleset_fields import RuleSetError
from companion.rules.tile import Laid
from companion.rules.violations import Ruling, Violation
from companion.tracking.exact import infer


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """An answer, and what an explanation of it needs."""

    out: Mapping[str, Any]
    """The fields of the answer."""
    codes: frozenset[Violation] = frozenset()
    may: frozenset[Violation] = frozenset()
    facts: Mapping[Violation, Facts] = field(default_factory=dict)
    player: str | None = None


def ruled(ruling: Ruling, facts: Mapping[Violation, Facts], player: str | None = None) -> JudgeAnswer:
    """The answer that is a verdict."""
    out = {"verdict": ruling.verdict, "codes": written(ruling.codes), "may": written(ruling.may)}
    return JudgeAnswer(out, ruling.codes, ruling.may, facts, player)


def written(codes: Iterable[Violation]) -> list[str]:
    return sorted(str(code) for code in codes)


def mexican_turn(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    position = mexican_position_of(asked.inner("state"))
    actions = _mexican_action(asked, position)
    over = asked.has("after_round_end") and asked.flag("after_round_end")
    ruling = judge_mexican_turn(rules, position, actions, after_round_end=over)
    return ruled(ruling, turn_facts(rules, position, actions), position.turn)


def state(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    position = mexican_position_of(asked.inner("state"))
    return ruled(judge_state(rules, position), table_facts(position))


def mexican_setup(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    deal = judge.deal(rules, asked.highest_double("set", LARGEST_SET), asked.number("players", 1))
    return JudgeAnswer({"hand": deal.hand, "boneyard": deal.boneyard, "verdict": deal.verdict})


def dead(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    position = mexican_position_of(asked.inner("state"))
    train = asked.name_of("train", position.train_names(), "a train")
    return JudgeAnswer({"status": dead_status(position, train)})


def mexican_block(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    position = mexican_position_of(asked.inner("state"))
    return JudgeAnswer({"provable": provably_blocked(rules, position)})


def score(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    hands = asked.hands("hands")
    mode = _mode(rules, asked)
    blocked = asked.has("end") and asked.one_of("end", ("blocked",)) == "blocked"
    out = asked.name_of("out", tuple(hands)) if asked.has("out") else None
    try:
        return JudgeAnswer({"scores": judge.score(rules, hands, mode=mode, blocked=blocked, out=out)})
    except judge.ScoringError as refused:
        raise QuestionError(str(refused)) from None


def match(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    totals = asked.counts("totals", None, least=-MANY)
    winners = judge.match_winners(totals, _mode(rules, asked))
    return JudgeAnswer({"winner": winners[0] if len(winners) == 1 else list(winners)})


def round_end(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    order = asked.new_players("order")
    lap = asked.number("lap", 1)
    moved = asked.names_of("moved", order)
    out = None if asked.raw("out") is None else asked.name_of("out", order)
    end = judge.round_end(rules, order, lap=lap, moved=moved, out=out)
    return JudgeAnswer({"ends_now": end.ends_now, "remaining_turns": list(end.remaining_turns)})


def announce(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    form = judge.announcement(rules, asked.number("hand_after"))
    return JudgeAnswer({"required": form is not None, "form": form})


def mexican_audited(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    decision = asked.one_of("decision", ("pass", "draw")) if asked.has("decision") else "pass"
    code = Violation.NEEDLESS_DRAW if decision == "draw" else Violation.PASSED_WITH_PLAYABLE
    ends = asked.numbers("ends")
    held = [*asked.tiles("later_played"), *asked.tiles("declared")]
    status = audit.status_by_ends(held, ends, asked.number("draws_after"))
    feeding = asked.has("feeding") and asked.flag("feeding")
    return _audited(code, status, offence=audit.is_offence(rules, code, feeding=feeding))


def _audited(code: Violation, status: audit.Status, **more: Any) -> JudgeAnswer:
    certain = {code} if status is audit.Status.CERTAIN else frozenset[Violation]()
    possible = {code} if status is audit.Status.POSSIBLE else frozenset[Violation]()
    return JudgeAnswer({"code": str(code), "status": str(status), **more}, frozenset(certain), frozenset(possible))


def inference(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    before = mexican_position_of(asked.inner("before"))
    expected = asked.name_of("expected_player", before.players)
    delta = _delta(asked, before)
    found = infer(rules, before, delta, expected)
    codes = {code for row in found.rows for blamed in row.blames.values() for code in blamed}
    facts: dict[Violation, Facts] = {}
    for change in delta:
        if found.vanished and isinstance(change, Vanishing):
            codes.add(Violation.TILE_MOVED)
            facts.setdefault(Violation.TILE_MOVED, Facts(tile=print_laid(change.tile), train=change.train))
    for row in found.rows:
        for played in row.turns:
            for code in played.codes:
                facts.setdefault(code, Facts(played.player))
    out = {"explainable": found.explainable, "explanations": list(found.explanations)}
    return JudgeAnswer(out, frozenset(codes), facts=facts)


MEXICAN_ANSWERS: Mapping[str, Callable[[RuleSet, Fields], JudgeAnswer]] = {
    "turn": mexican_turn,
    "state": state,
    "setup": mexican_setup,
    "dead": dead,
    "block": mexican_block,
    "score": score,
    "match": match,
    "round_end": round_end,
    "announce": announce,
    "audit": mexican_audited,
    "inference": inference,
}


def mexican_position_of(fields: Fields) -> Position:
    """The table of a `state`."""
    set_max = fields.highest_double("set", LARGEST_SET)
    players = fields.new_players("players")
    places = (*players, MEXICAN, SECOND_MEXICAN)
    chains = fields.inner("trains")
    for train in chains.names():
        if train not in places:
            raise chains.refuse(train, f"trains of {', '.join(players)} or MX; {train} is unknown")
    trains = {train: chains.chain(train) if chains.has(train) else () for train in (*players, MEXICAN)}
    if chains.has(SECOND_MEXICAN):
        trains[SECOND_MEXICAN] = chains.chain(SECOND_MEXICAN)

    return Position(
        set_max=set_max,
        players=players,
        engine=_engine(fields),
        trains=trains,
        markers=frozenset(fields.names_of("markers", (*players, MEXICAN)) if fields.due("markers") else ()),
        open=fields.names_of("open", tuple(trains), "trains") if fields.due("open") else (),
        flipped=frozenset(fields.names_of("flipped", tuple(trains), "trains") if fields.has("flipped") else ()),
        turn=fields.name_of("turn", players) if fields.due("turn") else players[0],
        first_turn=fields.flag("first_turn") if fields.due("first_turn") else False,
        boneyard=fields.number("boneyard") if fields.due("boneyard") and fields.raw("boneyard") is not None else None,
        hands=fields.counts("hands", players) if fields.has("hands") else {},
        round=fields.number("round", 1) if fields.has("round") else None,
        first_engine=fields.number("first_engine", 0, LARGEST_SET) if fields.has("first_engine") else None,
    )


def _engine(fields: Fields) -> Laid:
    chain = fields.chain("engine")
    if len(chain) != 1:
        raise fields.refuse("engine", "one tile, such as 12-12")
    return chain[0]


def _mode(rules: RuleSet, asked: Fields) -> str:
    return asked.one_of("mode", judge.SCORE_MODES) if asked.has("mode") else rules.scoring


def _mexican_action(asked: Fields, position: Position) -> tuple[Action, ...]:
    try:
        actions = parse_action(asked.text("action"))
    except NotationError as wrong:
        raise QuestionError(f"action: {wrong}") from None
    for act in actions:
        _check_names("action", act, position.players)
    return actions


def _delta(asked: Fields, before: Position) -> tuple[Change, ...]:
    changes = []
    for item in asked.items("delta", "changes such as +12-5@Ann"):
        try:
            change = parse_change(item)
        except NotationError as wrong:
            raise QuestionError(f"delta: {wrong}") from None
        if isinstance(change, Drawing) and not change.count:
            continue
        _check_names("delta", change, before.players)
        changes.append(change)
    return tuple(changes)


def _check_names(field: str, act: Action | Change, players: Sequence[str]) -> None:
    """Check that the players and tiles an act names are at this table."""
    if isinstance(act, (Mark, Unmark)):
        if act.player not in (*players, MEXICAN):
            raise QuestionError(f"{field}: expected a player ({', '.join(players)}), not {act.player!r}")
        return
    train = getattr(act, "train", None)
    if train is not None and train not in (*players, MEXICAN, SECOND_MEXICAN):
        raise QuestionError(f"{field}: expected a train ({', '.join(players)}, MX, MX2), not {train!r}")


def chinese_turn(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    position = chinese_position_of(asked.inner("state"))
    actions = _chinese_action(asked)
    ruling = judge_turn(rules, position, actions)
    player = position.turn or None
    return ruled(ruling, chinese_facts(rules, position, actions), player)


def chinese_setup(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    if asked.has("players") == asked.has("hand"):
        raise QuestionError("players: expected either players (a number) or hand (the tiles of one player)")
    if asked.has("hand"):
        redeal = chinese.must_redeal(rules, asked.tiles("hand", ":"))
        return JudgeAnswer({"verdict": "redeal" if redeal else "play"})
    deal = chinese.deal_line(rules, asked.number("players", 1))
    return JudgeAnswer({"verdict": deal.verdict, "hand": deal.hand, "tiles": deal.tiles, "unused": deal.unused})


def settle(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    order = asked.new_players("order")
    pips = _of_everybody(asked, "pips", order)
    discards = _of_everybody(asked, "discards", order) if asked.has("discards") else None
    mode = asked.one_of("mode", chinese.SETTLEMENTS) if asked.has("mode") else None
    settled = chinese.settle(rules, order, pips, discards=discards, mode=mode)
    return JudgeAnswer({"result": dict(settled.result), "winner": settled.winner})


def chinese_audited(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    ends = asked.numbers("ends")
    held = [*asked.tiles("later_played", ":"), *asked.tiles("declared", ":")]
    draws = asked.number("draws_after") if asked.has("draws_after") else 0
    return _audited(Violation.DISCARD_WITH_PLAYABLE, audit.status_by_ends(held, ends, draws))


def chinese_block(rules: RuleSet, asked: Fields) -> JudgeAnswer:
    arms = asked.number("arms", 1, 2) if asked.has("arms") else rules.arms
    players = asked.number("players", 1) if asked.has("players") else None
    return JudgeAnswer({"provable": chinese.blocked(rules, asked.chain("line", ":"), players, arms=arms)})


CHINESE_ANSWERS: Mapping[str, Callable[[RuleSet, Fields], JudgeAnswer]] = {
    "cn_turn": chinese_turn,
    "cn_setup": chinese_setup,
    "cn_settle": settle,
    "cn_audit": chinese_audited,
    "cn_block": chinese_block,
}


def chinese_position_of(fields: Fields) -> LinePosition:
    players = fields.new_players("players")
    mover = fields.name_of("turn", players) if fields.has("turn") else ""
    return LinePosition(players=players, line=fields.chain("line", ":"), turn=mover)


def _of_everybody(asked: Fields, name: str, order: Sequence[str]) -> dict[str, int]:
    counts = asked.counts(name, order)
    if len(counts) < len(order):
        raise asked.refuse(name, f"a number for each of {', '.join(order)}")
    return counts


def _chinese_action(asked: Fields) -> tuple[Action, ...]:
    try:
        return parse_action(asked.text("action"), ":")
    except NotationError as wrong:
        raise QuestionError(f"action: {wrong}") from None


ANSWERS: Mapping[str, Callable[[RuleSet, Fields], JudgeAnswer]] = {**MEXICAN_ANSWERS, **CHINESE_ANSWERS}
"""Kind of question -> what answers it."""

LONGEST_ERROR = 300


def answer(question: Any, explain: bool = False) -> dict[str, Any]:
    """The answer to one question, its `id` echoed; `{"id": ..., "error": "field: what was expected"}` where it
    cannot be understood. With `explain` the answer also carries `reasons`, one for each code.
    """
    name = _id_of(question)
    try:
        fields = Fields(question, defined=question_fields())
        if name is None:
            raise QuestionError("id: missing" if not fields.has("id") else "id: expected a text or a number")
        kind = fields.one_of("kind", tuple(kinds()))
        fields.check_spelling(one.name for one in kinds()[kind].fields)
        rules = _rules_of(fields, kinds()[kind].family)
        found = ANSWERS[kind](rules, Fields(question, defined=kinds()[kind].fields))
    except QuestionError as refused:
        return {"id": name, "error": _one_line(str(refused))}
    answer = {"id": name, **found.out}
    if explain:
        reasons = explain_all(rules, found.codes, found.facts, found.player)
        reasons += explain_all(rules, found.may, found.facts, found.player, certain=False)
        answer["reasons"] = [reason.as_dict() for reason in reasons]
    return answer


def _id_of(question: Any) -> str | int | float | None:
    if not isinstance(question, Mapping):
        return None
    name = question.get("id")
    if isinstance(name, bool) or not isinstance(name, (str, int, float)):
        return None
    return None if isinstance(name, float) and not math.isfinite(name) else name


def _rules_of(fields: Fields, family: str) -> RuleSet:
    name = fields.text("rules")
    try:
        rules = load_ruleset(name)
    except RuleSetError as refused:
        raise QuestionError(f"rules: {str(refused).removeprefix('rules: ')}") from None
    if rules.family != family:
        fitting = [other for other in SHIPPED if load_ruleset(other).family == family]
        raise QuestionError(f"rules: expected one of {', '.join(fitting)} for this kind, not {shown(name)}")
    if not fields.has("options"):
        return rules
    options = fields.raw("options")
    if not isinstance(options, Mapping):
        raise QuestionError(f"options: expected an object, not {shown(options)}")
    try:
        return load_ruleset(name, options)
    except RuleSetError as refused:
        raise QuestionError(str(refused)) from None


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_ERROR else line[: LONGEST_ERROR - 3] + "..."
