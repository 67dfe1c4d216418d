"""What must add up once everybody has shown the tiles left: counts, blocks, scores, the deal.

Each function answers one code of docs/rules.md section 6 (evidence H); what is unknown is never held against anybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from companion.rules.ruleset import RuleSet
from companion.rules.tile import Tile
from companion.rules.violations import Violation


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

    `face_down` counts the boneyard (Chinese: the tiles that do not play); None cannot be counted, and then only a
    tile that is there too often is held against the count. All players' hands must be given. Raises RulesError.

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
