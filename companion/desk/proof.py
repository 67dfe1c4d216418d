"""What shown hands prove about the round: dishonest passes and draws, false blocks, tiles that do not add up.

Only what is certain becomes a finding; what stays possible is told on request and never held against anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.audit import Entry, Reveal, Status, audit_round
from companion.audit import Finding as Examined
from companion.chinese.line import tiles_of
from companion.desk.course import Course
from companion.desk.made_turn import MadeTurn, Table
from companion.event_fields import Finding
from companion.events import HandShown, RoundEnded
from companion.position import LinePosition, Position
from companion.reveal import count_is_inconsistent, is_false_block, lap_was_cut, unaccounted
from companion.tile import Tile, double_set
from companion.turn import Action, Discard, Draw, End, Mark, Play, Unmark
from companion.violation import Violation

FOREIGN_TILES = frozenset({Violation.DUPLICATE_TILE, Violation.TILE_NOT_IN_SET, Violation.MULTIPLICITY})


def block_findings(course: Course, event: RoundEnded) -> tuple[Finding, ...]:
    """What is wrong with ending the round now, as far as the table alone tells."""
    found = list(event.violations)
    table = course.position
    boneyard = table.boneyard if isinstance(table, Position) else None
    codes = {finding.code for finding in found}
    if event.how == "blocked_declared" and is_false_block(course.rules, {}, {}, boneyard):
        found.append(Finding(str(Violation.FALSE_BLOCK)))
    moved = course.moved | ({course.turn.player} if course.turn is not None else set())
    if event.how == "out" and lap_was_cut(moved, course.players, course.rules):
        found.append(Finding(str(Violation.FIRST_LAP_NOT_FINISHED)))
    return tuple(finding for n, finding in enumerate(found) if n < len(event.violations) or finding.code not in codes)


def reveal_findings(
    course: Course, shown: Mapping[str, HandShown], out: str | None, keys: Mapping[str, int]
) -> dict[int, tuple[Finding, ...]]:
    """Key of an event -> all its findings, for the events about which the hands shown so far prove something."""
    found: dict[int, list[Finding]] = {}
    for player, hand in shown.items():
        found[keys[player]] = [finding for finding in hand.violations if finding.code not in _COMPUTED]
        found[keys[player]] += _hand_findings(course, player, hand)
    open_hands = _open_hands(course, shown, out)
    for examined, key in examined_decisions(course, shown, out):
        if examined.status is Status.CERTAIN and examined.offence and key is not None:
            found.setdefault(key, list(_told(course, key)))
            code = Finding(str(examined.code), by=examined.by)
            if code not in found[key]:
                found[key].append(code)
    ended = keys.get("ended")
    if ended is not None and (course.ended or "").startswith("blocked") and not course.rules.may_decline:
        playable = {player: playable_tiles(course, _as_mover(course.position, player)) for player in open_hands}
        if is_false_block(course.rules, playable, open_hands, None):
            found[ended] = [Finding(str(Violation.FALSE_BLOCK))]
    if len(open_hands) == len(course.players) and shown:
        last = keys[list(shown)[-1]]
        found[last] += _sum_findings(course, shown, open_hands, sound=not any(found.values()))
    return {key: tuple(findings) for key, findings in found.items()}


_COMPUTED = frozenset(
    {str(Violation.HAND_COUNT_INCONSISTENT), str(Violation.UNACCOUNTED_TILE), str(Violation.REDEAL_MISSED)}
)


def examined_decisions(
    course: Course, shown: Mapping[str, HandShown], out: str | None
) -> list[tuple[Examined, int | None]]:
    """Every pass, draw and discard that the shown hands put in doubt, with the key of its event."""
    log: list[Entry] = []
    keys: list[int | None] = []
    for turn in _turns(course):
        for entry, key in _entries(course, turn):
            log.append(entry)
            keys.append(key)
    hands = {player: hand.tiles for player, hand in shown.items()}
    if out is not None:
        hands.setdefault(out, ())
    turned = {player: hand.discards for player, hand in shown.items() if hand.in_order}
    reveal = Reveal(hands, turned, dealt=_dealt(course), draws_seen=False)
    findings = audit_round(course.rules, log, reveal)
    return [(finding, keys[finding.at]) for finding in findings if finding.by in hands]


def playable_tiles(course: Course, table: Table, done: tuple[Action, ...] = ()) -> frozenset[Tile]:
    """Every tile that the player to move could lay, wherever it may be."""
    return frozenset(play.tile.tile for play in course.referee.legal_plays(table, None, done))


def _turns(course: Course) -> tuple[MadeTurn, ...]:
    return (*course.turns, course.turn) if course.turn is not None else course.turns


def _entries(course: Course, turn: MadeTurn) -> list[tuple[Entry, int | None]]:
    entries: list[tuple[Entry, int | None]] = []
    long = turn.long(course.rules)
    for n, (action, key) in enumerate(zip(turn.actions, turn.keys, strict=True)):
        if isinstance(action, Play):
            entries.append((Entry(turn.player, action), key))
        elif isinstance(action, (Draw, Discard)):
            decided = not long and not replace(turn, actions=turn.actions[:n]).complete(course.rules)
            playable = playable_tiles(course, turn.before, turn.actions[:n]) if decided else None
            entries.append((Entry(turn.player, action, playable), key))
    if not turn.complete(course.rules) and isinstance(turn.before, Position):
        done = tuple(action for action in turn.actions if not isinstance(action, (Mark, Unmark)))
        last = turn.passed if turn.passed is not None else turn.keys[-1] if turn.keys else None
        playable = None if long and course.rules.first_optional else playable_tiles(course, turn.before, done)
        entries.append((Entry(turn.player, End(), playable), last))
    elif long and course.rules.strict_first_train and turn.keys:
        playable = playable_tiles(course, turn.before, turn.actions)
        entries.append((Entry(turn.player, End(), playable, first_train=True), turn.keys[-1]))
    return entries


def _told(course: Course, key: int) -> tuple[Finding, ...]:
    """What the turn itself has already been found guilty of."""
    for turn in _turns(course):
        if key in turn.keys or key == turn.passed:
            return turn.findings(course.referee, over=True).get(key, ())
    return ()


def _dealt(course: Course) -> int | None:
    table = course.table
    set_max = table.set_max if isinstance(table, Position) else -1
    return course.rules.hand_size(set_max, len(course.players))


def _hand_findings(course: Course, player: str, hand: HandShown) -> list[Finding]:
    dealt = _dealt(course)
    acts = [action for turn in _turns(course) if turn.player == player for action in turn.actions]
    laid = sum(isinstance(action, (Play, Discard)) for action in acts)
    drawn = sum(isinstance(action, Draw) for action in acts)
    found = []
    counted = isinstance(course.table, LinePosition) or course.counted
    if dealt is not None and count_is_inconsistent(
        dealt=dealt, drawn=drawn if counted else None, laid=laid, shown=len(hand.tiles)
    ):
        found.append(Finding(str(Violation.HAND_COUNT_INCONSISTENT)))
    limit = course.rules.redeal_doubles
    if limit is not None:
        had = [action.tile.tile for action in acts if isinstance(action, Play)]
        if sum(tile.is_double for tile in (*had, *hand.tiles, *hand.discards)) >= limit:
            found.append(Finding(str(Violation.REDEAL_MISSED)))
    return found


def _sum_findings(
    course: Course, shown: Mapping[str, HandShown], hands: Mapping[str, tuple[Tile, ...]], *, sound: bool
) -> list[Finding]:
    """Table, hands and boneyard against the whole set; a fault found already explains what does not add up."""
    table = course.table
    whole: Mapping[Tile, int]
    if isinstance(table, Position):
        whole = dict.fromkeys(double_set(table.set_max), 1)
        lying = [laid.tile for laid in table.laid()]
        face_down = table.boneyard
    else:
        whole = tiles_of(course.rules, len(course.players))
        lying = [laid.tile for laid in table.line]
        lying += [tile for hand in shown.values() for tile in hand.discards]
        dealt = _dealt(course) or 0
        face_down = sum(whole.values()) - dealt * len(course.players)
    if not unaccounted(whole, lying, hands, face_down):
        return []
    foreign = any(codes & FOREIGN_TILES for turn in _turns(course) for codes in turn.codes)
    return [Finding(str(Violation.UNACCOUNTED_TILE), certain=sound and not foreign)]


def _open_hands(course: Course, shown: Mapping[str, HandShown], out: str | None) -> dict[str, tuple[Tile, ...]]:
    hands = {player: hand.tiles for player, hand in shown.items()}
    if out is not None:
        hands.setdefault(out, ())
    return hands


def _as_mover(table: Table, player: str) -> Table:
    if isinstance(table, Position):
        return replace(table, turn=player, first_turn=False)
    return replace(table, turn=player)
