"""Was that pass honest? The tiles shown at the end as proof of earlier decisions. Source: docs/rules.md section 8.

For a decision of a player, U is what he laid after it and what he shows at the end: his hand then and what he drew
since, each draw exactly one unknown tile. Of the tiles in U that would have been playable, more than he drew since
prove that he held one. Anything that cannot be proved stays `possible` and is never an accusation.

Sums that must be right once everybody has shown the tiles left: counts, blocks, scores, the deal.

Each function answers one code of docs/rules.md section 6 (evidence H); nobody is blamed for anything unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb

from companion.rules.position import Action, Discard, Draw, End, Pass, Play
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Tile
from companion.rules.violations import Violation

NEVER_CERTAIN = 10_000
"""More draws than any round has: where they cannot be bounded, nothing is proved."""


class Status(StrEnum):
    """The status of a decision once hands are shown.

    >>> from companion.rules import Status
    >>> [str(status) for status in Status]
    ['certain', 'possible', 'clear']
    """

    CERTAIN = "certain"
    POSSIBLE = "possible"
    CLEAR = "clear"


def status_of(held: Collection[Tile], playable: Collection[Tile], draws_after: int) -> Status:
    """`held` is U, `playable` the tiles that could have been laid; draws with each one unknown tile. Raises RulesError.

    >>> from companion.rules import Tile, status_of
    >>> status_of([Tile(4, 6), Tile(1, 1)], [Tile(4, 6)], draws_after=0)
    <Status.CERTAIN: 'certain'>
    """
    proof = set(held) & set(playable)
    if len(proof) > draws_after:
        return Status.CERTAIN
    return Status.POSSIBLE if proof else Status.CLEAR


def status_by_ends(held: Collection[Tile], ends: Collection[int], draws_after: int) -> Status:
    """The same, with the playable tiles named by the values that were due (the open-double rule applied). Raises
    RulesError.

    >>> from companion.rules import Tile, status_by_ends
    >>> status_by_ends([Tile(4, 6)], [6, 9], draws_after=1)
    <Status.POSSIBLE: 'possible'>
    """
    return status_of(held, {tile for tile in held if tile.low in ends or tile.high in ends}, draws_after)


def is_offence(rules: RuleSet, code: Violation, *, feeding: bool = False) -> bool:
    """Whether the examined decision is forbidden at all: where players may decline it is information only.

    `feeding`: a double had to be covered, which nobody may decline. Source: docs/rules.md 2.3. Raises RulesError.

    >>> from companion.rules import Violation, is_offence, load_ruleset
    >>> is_offence(load_ruleset('poltava'), Violation.PASSED_WITH_PLAYABLE)
    True
    """
    declined = rules.may_decline or (rules.is_mexican and rules.leaves_open("may_decline"))
    return code is Violation.FIRST_TRAIN_NOT_MAXIMAL or feeding or not declined


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act of the round's log, in the order of the round.

    Args:
        by: the player.
        act: Play, Draw, Discard, or Pass / End for a turn that ended without a further tile.
        playable: the tiles that this player could have laid at that moment instead (from `legal_plays` with hand
            None); None where the act was no decision or nothing is known of it.
        first_train: the act ends a long first train, and the tiles of `playable` would have made it longer.
        feeding: a double had to be covered: one that was open when the turn began, or the player's own.
    """

    by: str
    act: Action
    playable: frozenset[Tile] | None = None
    first_train: bool = False
    feeding: bool = False


@dataclass(frozen=True, slots=True)
class Reveal:
    """The tiles that lie open when the round is over.

    Args:
        shown: the tiles left in the hand of each player who showed it (empty for who went out).
        turned: the face-down tiles of the Chinese games, in the order in which they were laid aside.
        dealt: tiles dealt to each player; None where unknown.
        draws_seen: whether every draw is in the log; False with a boneyard that cannot be counted.
        mixed: players of the Chinese games whose `shown` tiles hold those that they put away as well.
        astray: how many tiles of the shown hands do not add up with the log: nobody knows whose they were, or when.
    """

    shown: Mapping[str, Collection[Tile]]
    turned: Mapping[str, Sequence[Tile]]
    dealt: int | None = None
    draws_seen: bool = True
    mixed: frozenset[str] = frozenset()
    astray: int = 0


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One decision that was examined."""

    at: int
    """Its place in the log."""
    by: str
    code: Violation
    """The violation it would be."""
    status: Status
    offence: bool
    tiles: tuple[Tile, ...]
    """The shown tiles that speak against it."""
    by_chance: float
    """How often an honest player holds these tiles later all the same, having drawn each since."""


def all_drawn_since(held: int, proof: int, draws: int) -> float:
    """How likely it is that, of so many tiles `held` by now, those that prove something are all among the last `draws`.

    >>> from companion.rules.audit import all_drawn_since
    >>> all_drawn_since(10, 1, 5), all_drawn_since(10, 2, 1), all_drawn_since(3, 1, 9)
    (0.5, 0.0, 1.0)
    """
    return comb(held - proof, held - draws) / comb(held, draws) if draws < held else 1.0


def audit_round(rules: RuleSet, log: Sequence[AuditEntry], reveal: Reveal) -> tuple[AuditFinding, ...]:
    """Every decision of the round that the shown tiles put in doubt, in the order of the round; clear ones are left
    out. Unlogged draws (an uncountable boneyard) count against every decision, so they never make a finding surer.
    """
    findings = []
    own: dict[str, list[tuple[int, AuditEntry]]] = {}
    for at, entry in enumerate(log):
        own.setdefault(entry.by, []).append((at, entry))
    unseen = {player: _unseen_draws(player, [entry for _, entry in acts], reveal) for player, acts in own.items()}
    for at, entry in enumerate(log):
        code = _examined(rules, entry)
        if code is None or entry.playable is None:
            continue
        held = _held_after(entry.by, at, own[entry.by], reveal)
        draws = sum(1 for number, later in own[entry.by] if number >= at and isinstance(later.act, Draw))
        # Which of a mixed hand's tiles had been put away by then is not known: each may be one of the proof.
        gone = sum(1 for number, earlier in own[entry.by] if number < at and isinstance(earlier.act, Discard))
        unknown = draws + unseen[entry.by] + (gone if entry.by in reveal.mixed else 0)
        status = status_of(held, entry.playable, unknown)
        if status is not Status.CLEAR:
            proof = tuple(sorted(set(held) & entry.playable))
            offence = is_offence(rules, code, feeding=entry.feeding)
            by_chance = all_drawn_since(len(held), len(proof), unknown + reveal.astray)
            findings.append(AuditFinding(at, entry.by, code, status, offence, proof, by_chance))
    return tuple(findings)


def _examined(rules: RuleSet, entry: AuditEntry) -> Violation | None:
    if entry.first_train:
        return Violation.FIRST_TRAIN_NOT_MAXIMAL if rules.strict_first_train else None
    if isinstance(entry.act, Draw):
        return Violation.NEEDLESS_DRAW
    if isinstance(entry.act, Discard):
        return Violation.DISCARD_WITH_PLAYABLE
    if isinstance(entry.act, (Pass, End)):
        return Violation.PASSED_WITH_PLAYABLE if rules.is_mexican else None
    return None


def _held_after(player: str, at: int, acts: Sequence[tuple[int, AuditEntry]], reveal: Reveal) -> list[Tile]:
    """U: laid or laid aside from `at` on (a discard is the decision and a tile in one), and shown at the end."""
    held = list(reveal.shown.get(player, ()))
    discards = 0
    for number, entry in acts:
        if isinstance(entry.act, Discard):
            turned = reveal.turned.get(player, ())
            if number >= at and discards < len(turned):
                held.append(turned[discards])
            discards += 1
        elif isinstance(entry.act, Play) and number > at:
            held.append(entry.act.tile.tile)
    return held


def _unseen_draws(player: str, entries: Sequence[AuditEntry], reveal: Reveal) -> int:
    """Draws that no event tells of: shown + laid - dealt, less those in the log. Unknown without a shown hand, and
    where fewer tiles are there than the log accounts for: then it holds acts of somebody else, or one never made."""
    if reveal.draws_seen:
        return 0
    if reveal.dealt is None or player not in reveal.shown:
        return NEVER_CERTAIN
    own = [entry.act for entry in entries]
    gone = Play if player in reveal.mixed else (Play, Discard)
    laid = sum(isinstance(act, gone) for act in own)
    drawn = sum(isinstance(act, Draw) for act in own)
    unaccounted = len(reveal.shown[player]) + laid - reveal.dealt - drawn
    return unaccounted if unaccounted >= 0 else NEVER_CERTAIN


def count_is_inconsistent(*, dealt: int, drawn: int | None, laid: int, shown: int) -> bool:
    """HAND_COUNT_INCONSISTENT: dealt + drawn - laid is not what is shown.

    `drawn` None (a boneyard that cannot be counted) leaves only the proof that tiles are missing. Raises RulesError.

    >>> from companion.rules import count_is_inconsistent
    >>> count_is_inconsistent(dealt=15, drawn=2, laid=9, shown=8)
    False
    """
    if drawn is None:
        return shown + laid < dealt
    return dealt + drawn - laid != shown


def unaccounted(
    whole_set: Mapping[Tile, int],
    table: Iterable[Tile],
    hands: Mapping[str, Collection[Tile]],
    face_down: int | None,
) -> bool:
    """UNACCOUNTED_TILE: table, all hands and the tiles nobody took are not the whole set.

    `face_down` counts the boneyard (Chinese: the tiles that do not play). None: it cannot be counted, and then only a
    tile that is there too often is wrong. All players' hands must be given. Raises RulesError.

    >>> from companion.rules import Tile, unaccounted
    >>> unaccounted({Tile(0, 0): 1, Tile(0, 1): 1}, [Tile(0, 0)], {'Ann': [Tile(0, 1)]}, face_down=0)
    False
    """
    seen = Counter(table)
    for tiles in hands.values():
        seen.update(tiles)
    if any(count > whole_set.get(tile, 0) for tile, count in seen.items()):
        return True
    return face_down is not None and seen.total() + face_down != sum(whole_set.values())


def is_false_block(
    rules: RuleSet,
    playable: Mapping[str, Collection[Tile]],
    shown: Mapping[str, Collection[Tile]],
    boneyard: int | None,
) -> bool:
    """FALSE_BLOCK: stopped as blocked although a shown hand could play.

    Where a block needs an empty boneyard, tiles in it are proof enough. `playable` are the tiles that each player
    could have laid on the last table.
    """
    if rules.is_mexican and rules.block_rule == "empty_and_all_pass" and boneyard is not None and boneyard > 0:
        return True
    return any(set(tiles) & set(playable.get(player, ())) for player, tiles in shown.items())


def wrong_scores(written: Mapping[str, int], due: Mapping[str, int]) -> tuple[str, ...]:
    """SCORE_ERROR, SETTLEMENT_ERROR: the players whose written number differs from the tiles' number. Raises
    RulesError.

    >>> from companion.rules import wrong_scores
    >>> wrong_scores({'Ann': 4, 'Ben': 9}, {'Ann': 4, 'Ben': 10})
    ('Ben',)
    """
    return tuple(player for player, points in due.items() if written.get(player) != points)


def score_code(rules: RuleSet) -> Violation:
    return Violation.SCORE_ERROR if rules.is_mexican else Violation.SETTLEMENT_ERROR


def lap_was_cut(first_lap_moved: Collection[str], players: Collection[str], rules: RuleSet) -> bool:
    """FIRST_LAP_NOT_FINISHED: the round was stopped before somebody had the first turn that the rules give."""
    return rules.finish_first_lap and any(player not in first_lap_moved for player in players)
