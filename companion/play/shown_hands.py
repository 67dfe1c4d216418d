"""What shown hands prove about the round: dishonest passes and draws, false blocks, tiles that do not add up.

Only what is certain becomes a finding; what stays possible is told on request and never held against anybody. Where
the camera named players, by nothing but the turn order, no count and no decision is certain. Nor is it where people
wrote the round down and the tiles do not add up: what is missing is then missing in the record. A round of which no
tile was written down proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from companion.log.event_fields import Finding
from companion.log.events import HandShown, RoundEnded
from companion.play.course import Course, Turn
from companion.play.event_actions import Table
from companion.rules.actions import Action, Discard, Draw, End, Mark, Play, Unmark
from companion.rules.audit import Entry, Reveal, Status, audit_round
from companion.rules.audit import Finding as Examined
from companion.rules.chinese.line import tiles_of
from companion.rules.mexican.open_questions import open_codes
from companion.rules.position import LinePosition, Position
from companion.rules.reveal import count_is_inconsistent, is_false_block, lap_was_cut, unaccounted
from companion.rules.tile import Tile, double_set
from companion.rules.violations import Violation


def block_findings(course: Course, event: RoundEnded) -> tuple[Finding, ...]:
    """What is wrong with ending the round now, as far as the table alone tells: perhaps, where the camera counted."""
    found = list(event.violations)
    if not recorded(course):
        return tuple(found)
    table = course.position
    boneyard = table.boneyard if isinstance(table, Position) else None
    codes = {finding.code for finding in found}
    if event.how == "blocked_declared" and is_false_block(course.rules, {}, {}, boneyard):
        found.append(_end_finding(course, Violation.FALSE_BLOCK))
    moved = course.moved | ({course.turn.player} if course.turn is not None else set())
    if event.how == "out" and lap_was_cut(moved, course.players, course.rules):
        found.append(_end_finding(course, Violation.FIRST_LAP_NOT_FINISHED))
    return tuple(finding for n, finding in enumerate(found) if n < len(event.violations) or finding.code not in codes)


def _end_finding(course: Course, code: Violation) -> Finding:
    """Not certain before a camera that counted, nor where the source leaves the question open."""
    return Finding(str(code), certain=not course.watched and code not in open_codes(course.rules))


def recorded(course: Course) -> bool:
    """Whether the round was written down play by play: somebody laid a tile."""
    return any(course.laid.values())


def reveal_findings(
    course: Course, shown: Mapping[str, HandShown], out: str | None, keys: Mapping[str, int], new: str
) -> dict[int, tuple[Finding, ...]]:
    """Key of an event -> all its findings, for the events about which the hand of `new` proves something.

    `shown` holds that hand and the earlier ones; with the first the decisions of who went `out` are examined too.
    """
    own = keys[new]
    if not recorded(course):
        return {own: ()}
    found: dict[int, list[Finding]] = {own: _hand_findings(course, new, shown[new])}
    open_hands = _open_hands(shown, out)
    sure = prove(course, shown)
    whose = {new} if len(shown) > 1 or out is None else {new, out}
    for examined, key in examined_decisions(course, shown, out, whose):
        if examined.status is Status.CERTAIN and examined.offence and key is not None:
            found.setdefault(key, [])
            code = Finding(str(examined.code), certain=sure and surely(course, examined.code), by=examined.by)
            if code not in found[key]:
                found[key].append(code)
    ended = keys.get("ended")
    if ended is None:
        return {key: tuple(findings) for key, findings in found.items()}
    table = course.position
    sums: list[Finding] = []
    if (course.ended or "").startswith("blocked") and not course.rules.may_decline:
        fitting = {who: playable_tiles(course, _as_mover(table, who), hand) for who, hand in open_hands.items()}
        # Those of a mixed hand may all have been put away.
        gone = {who: len(_put_away(course, who)) for who, hand in shown.items() if _is_mixed(course, who, hand)}
        playable = {who: tiles for who, tiles in fitting.items() if len(tiles) > gone.get(who, 0)}
        if is_false_block(course.rules, playable, open_hands, None):
            sums.append(Finding(str(Violation.FALSE_BLOCK), certain=sure))
    if len(open_hands) == len(course.players) and not _explained(course, shown):
        sums += _sum_findings(course, shown, open_hands)
    if sums:
        found[ended] = sums
    return {key: tuple(findings) for key, findings in found.items()}


def prove(course: Course, shown: Mapping[str, HandShown]) -> bool:
    """Whether shown hands prove anything of a pass or a draw.

    A count that does not add up says first that the camera gave a tile to the wrong player.
    """
    return not course.watched and not any(_miscounted(course, player, hand) for player, hand in shown.items())


def surely(course: Course, code: Violation) -> bool:
    """Whether the rules forbid for certain what shown hands tell."""
    return not course.rules.is_mexican or code not in open_codes(course.rules)


def _explained(course: Course, shown: Mapping[str, HandShown]) -> bool:
    """Whether a fault that was found already explains why tiles do not add up."""
    foreign = any(turn.foreign for turn in _turns(course))
    return foreign or any(_hand_findings(course, player, hand) for player, hand in shown.items())


def examined_decisions(
    course: Course, shown: Mapping[str, HandShown], out: str | None, whose: Collection[str] | None = None
) -> list[tuple[Examined, int | None]]:
    """Every pass, draw and discard that the shown hands put in doubt, with the key of its event; of `whose` only."""
    hands = _open_hands(shown, out)
    log: list[Entry] = []
    keys: list[int | None] = []
    tiles = {player: _known_tiles(course, shown, player) for player in hands if whose is None or player in whose}
    for turn in _turns(course):
        if turn.player in tiles:
            for entry, key in _entries(course, turn, tiles[turn.player]):
                log.append(entry)
                keys.append(key)
    turned = {player: hand.discards for player, hand in shown.items() if hand.in_order}
    mixed = {player for player, hand in shown.items() if _is_mixed(course, player, hand)}
    astray = sum(_miscounted(course, player, hand) for player, hand in shown.items())
    reveal = Reveal(hands, turned, dealt=_dealt(course), draws_seen=False, mixed=frozenset(mixed), astray=astray)
    return [(finding, keys[finding.at]) for finding in audit_round(course.rules, log, reveal)]


def _known_tiles(course: Course, shown: Mapping[str, HandShown], player: str) -> frozenset[Tile]:
    """Every tile that this player is known to have held at some time."""
    laid = {play.tile.tile for turn in _turns(course) if turn.player == player for play in turn.plays}
    hand = shown.get(player)
    return frozenset(laid | set(() if hand is None else (*hand.tiles, *hand.discards)))


def playable_tiles(
    course: Course, table: Table, tiles: Collection[Tile], done: tuple[Action, ...] = ()
) -> frozenset[Tile]:
    """Those of `tiles` that the player to move could lay, however the open questions of the source are answered.

    After an own double nobody has to lay another one. Source: 004, «которая не является дублем» (which is no double).
    """
    legal = frozenset(play.tile.tile for play in course.referee.legal_plays(table, tiles, done, surely=True))
    laid = [action.tile.tile for action in done if isinstance(action, Play)]
    after_double = bool(laid) and all(tile.is_double for tile in laid)
    return frozenset(tile for tile in legal if not tile.is_double) if after_double else legal


def _turns(course: Course) -> tuple[Turn, ...]:
    made = (*course.turns, *course.first_turns.values())
    return (*made, course.turn) if course.turn is not None else made


def _entries(course: Course, turn: Turn, tiles: Collection[Tile]) -> list[tuple[Entry, int | None]]:
    entries: list[tuple[Entry, int | None]] = []
    long = turn.long(course.rules)
    for n, (action, key) in enumerate(zip(turn.actions, turn.keys, strict=True)):
        if isinstance(action, Play):
            entries.append((Entry(turn.player, action), key))
        elif isinstance(action, (Draw, Discard)):
            decided = not long and not replace(turn, actions=turn.actions[:n]).complete(course.rules)
            playable = playable_tiles(course, turn.before, tiles, turn.actions[:n]) if decided else None
            feeding = turn.feeds(course.rules, n)
            entries.append((Entry(turn.player, action, playable, feeding=feeding), key))
    if not turn.complete(course.rules) and isinstance(turn.before, Position):
        done = tuple(action for action in turn.actions if not isinstance(action, (Mark, Unmark)))
        last = turn.passed if turn.passed is not None else turn.keys[-1] if turn.keys else None
        playable = None if long and course.rules.first_optional else playable_tiles(course, turn.before, tiles, done)
        entries.append((Entry(turn.player, End(), playable, feeding=turn.feeds(course.rules)), last))
    elif long and course.rules.strict_first_train and turn.keys:
        playable = playable_tiles(course, turn.before, tiles, turn.actions)
        entries.append((Entry(turn.player, End(), playable, first_train=True), turn.keys[-1]))
    return entries


def _dealt(course: Course) -> int | None:
    table = course.table
    set_max = table.set_max if isinstance(table, Position) else -1
    return course.rules.hand_size(set_max, len(course.players))


def _acts_of(course: Course, player: str) -> list[Action]:
    return [action for turn in _turns(course) if turn.player == player for action in turn.actions]


def _is_mixed(course: Course, player: str, hand: HandShown) -> bool:
    """Whether the tiles of a Chinese hand, by their number, are those held together with those put away."""
    dealt = _dealt(course)
    if not isinstance(course.table, LinePosition) or hand.discards or dealt is None:
        return False
    laid = sum(isinstance(action, Play) for action in _acts_of(course, player))
    return bool(_put_away(course, player)) and len(hand.tiles) == dealt - laid


def _put_away(course: Course, player: str) -> list[Action]:
    return [action for action in _acts_of(course, player) if isinstance(action, Discard)]


def _miscounted(course: Course, player: str, hand: HandShown) -> bool:
    if _is_mixed(course, player, hand):
        return False
    dealt = _dealt(course)
    acts = _acts_of(course, player)
    laid = sum(isinstance(action, (Play, Discard)) for action in acts)
    drawn = sum(isinstance(action, Draw) for action in acts)
    counted = isinstance(course.table, LinePosition) or course.counted
    foreign = any(turn.foreign for turn in _turns(course) if turn.player == player)
    if dealt is None or foreign:
        return False
    if isinstance(course.table, Position) and course.counted and player not in course.table.hands:
        # Whose a tile or a draw was is open, so nobody knows how many there should be.
        return False
    return count_is_inconsistent(dealt=dealt, drawn=drawn if counted else None, laid=laid, shown=len(hand.tiles))


def _hand_findings(course: Course, player: str, hand: HandShown) -> list[Finding]:
    found = []
    if _miscounted(course, player, hand):
        found.append(Finding(str(Violation.HAND_COUNT_INCONSISTENT), certain=False))
    limit = course.rules.redeal_doubles
    if limit is not None:
        had = [action.tile.tile for action in _acts_of(course, player) if isinstance(action, Play)]
        if sum(tile.is_double for tile in (*had, *hand.tiles, *hand.discards)) >= limit:
            found.append(Finding(str(Violation.REDEAL_MISSED)))
    return found


def _sum_findings(
    course: Course, shown: Mapping[str, HandShown], hands: Mapping[str, tuple[Tile, ...]]
) -> list[Finding]:
    """Table, hands and boneyard against the whole set; whose fault it is nobody can tell."""
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
    return (
        [Finding(str(Violation.UNACCOUNTED_TILE), certain=False)] if unaccounted(whole, lying, hands, face_down) else []
    )


def _open_hands(shown: Mapping[str, HandShown], out: str | None) -> dict[str, tuple[Tile, ...]]:
    hands = {player: hand.tiles for player, hand in shown.items()}
    if out is not None:
        hands.setdefault(out, ())
    return hands


def _as_mover(table: Table, player: str) -> Table:
    if isinstance(table, Position):
        return replace(table, turn=player, first_turn=False)
    return replace(table, turn=player)
