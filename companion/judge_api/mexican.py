"""The questions about Mexican Train."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from companion.judge_api.answer import Answer, ruled
from companion.judge_api.definitions import LARGEST_SET, MANY
from companion.judge_api.fields import Fields, QuestionError
from companion.rules import audit
from companion.rules.actions import MEXICAN, SECOND_MEXICAN, Action, Mark, Unmark
from companion.rules.explain import Facts
from companion.rules.mexican import scoring
from companion.rules.mexican.blocks import dead_status, provably_blocked
from companion.rules.mexican.facts import table_facts, turn_facts
from companion.rules.mexican.judge import judge_state, judge_turn
from companion.rules.notation import Change, Drawing, NotationError, Vanishing, parse_action, parse_change, print_laid
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation
from companion.tracking.exact import infer


def turn(rules: RuleSet, asked: Fields) -> Answer:
    position = position_of(asked.inner("state"))
    actions = _action(asked, position)
    over = asked.has("after_round_end") and asked.flag("after_round_end")
    ruling = judge_turn(rules, position, actions, after_round_end=over)
    return ruled(ruling, turn_facts(rules, position, actions), position.turn)


def state(rules: RuleSet, asked: Fields) -> Answer:
    position = position_of(asked.inner("state"))
    return ruled(judge_state(rules, position), table_facts(position))


def setup(rules: RuleSet, asked: Fields) -> Answer:
    deal = scoring.deal(rules, asked.highest_double("set", LARGEST_SET), asked.number("players", 1))
    return Answer({"hand": deal.hand, "boneyard": deal.boneyard, "verdict": deal.verdict})


def dead(rules: RuleSet, asked: Fields) -> Answer:
    position = position_of(asked.inner("state"))
    train = asked.name_of("train", position.train_names(), "a train")
    return Answer({"status": dead_status(position, train)})


def block(rules: RuleSet, asked: Fields) -> Answer:
    position = position_of(asked.inner("state"))
    return Answer({"provable": provably_blocked(rules, position)})


def score(rules: RuleSet, asked: Fields) -> Answer:
    hands = asked.hands("hands")
    mode = _mode(rules, asked)
    blocked = asked.has("end") and asked.one_of("end", ("blocked",)) == "blocked"
    out = asked.name_of("out", tuple(hands)) if asked.has("out") else None
    try:
        return Answer({"scores": scoring.score(rules, hands, mode=mode, blocked=blocked, out=out)})
    except scoring.ScoringError as refused:
        raise QuestionError(str(refused)) from None


def match(rules: RuleSet, asked: Fields) -> Answer:
    totals = asked.counts("totals", None, least=-MANY)
    winners = scoring.match_winners(totals, _mode(rules, asked))
    return Answer({"winner": winners[0] if len(winners) == 1 else list(winners)})


def round_end(rules: RuleSet, asked: Fields) -> Answer:
    order = asked.new_players("order")
    lap = asked.number("lap", 1)
    moved = asked.names_of("moved", order)
    out = None if asked.raw("out") is None else asked.name_of("out", order)
    end = scoring.round_end(rules, order, lap=lap, moved=moved, out=out)
    return Answer({"ends_now": end.ends_now, "remaining_turns": list(end.remaining_turns)})


def announce(rules: RuleSet, asked: Fields) -> Answer:
    form = scoring.announcement(rules, asked.number("hand_after"))
    return Answer({"required": form is not None, "form": form})


def audited(rules: RuleSet, asked: Fields) -> Answer:
    decision = asked.one_of("decision", ("pass", "draw")) if asked.has("decision") else "pass"
    code = Violation.NEEDLESS_DRAW if decision == "draw" else Violation.PASSED_WITH_PLAYABLE
    ends = asked.numbers("ends")
    held = [*asked.tiles("later_played"), *asked.tiles("declared")]
    status = audit.status_by_ends(held, ends, asked.number("draws_after"))
    feeding = asked.has("feeding") and asked.flag("feeding")
    out = {"code": str(code), "status": str(status), "offence": audit.is_offence(rules, code, feeding=feeding)}
    if status is audit.Status.CLEAR:
        return Answer(out)
    certain = status is audit.Status.CERTAIN
    return Answer(out, frozenset({code} if certain else ()), frozenset(() if certain else {code}))


def inference(rules: RuleSet, asked: Fields) -> Answer:
    before = position_of(asked.inner("before"))
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
    return Answer(out, frozenset(codes), facts=facts)


ANSWERS: Mapping[str, Callable[[RuleSet, Fields], Answer]] = {
    "turn": turn,
    "state": state,
    "setup": setup,
    "dead": dead,
    "block": block,
    "score": score,
    "match": match,
    "round_end": round_end,
    "announce": announce,
    "audit": audited,
    "inference": inference,
}


def position_of(fields: Fields) -> Position:
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
    return asked.one_of("mode", scoring.SCORE_MODES) if asked.has("mode") else rules.scoring


def _action(asked: Fields, position: Position) -> tuple[Action, ...]:
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
    """Whoever and whatever an act names must sit or lie at this table."""
    if isinstance(act, (Mark, Unmark)):
        if act.player not in (*players, MEXICAN):
            raise QuestionError(f"{field}: expected a player ({', '.join(players)}), not {act.player!r}")
        return
    train = getattr(act, "train", None)
    if train is not None and train not in (*players, MEXICAN, SECOND_MEXICAN):
        raise QuestionError(f"{field}: expected a train ({', '.join(players)}, MX, MX2), not {train!r}")
