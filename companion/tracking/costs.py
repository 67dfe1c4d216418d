"""The priors of the belief, in decibans. `costs.toml` has each with its source: the one table to change.

A cost is -10 log10 of a probability, rounded: 10 dB is one in ten, 23 dB one in two hundred. Costs add up along a
hypothesis; a hypothesis 23 dB dearer than another is two hundred times less likely. Integers keep the order of
hypotheses exact and make a sentence that a player can read: "Ben: 31; overlooked draw and Cy: 54".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from companion.rules.violations import Violation as V
from companion.rules.written import written


class Prior(NamedTuple):
    """The cost of an assumption."""

    decibans: int
    text: str
    """The assumption in words."""
    source: str
    """Where the number comes from."""


class Cause(StrEnum):
    """An assumption that a hypothesis may make beyond what was seen."""

    ILLEGAL = "illegal"
    RARELY_ILLEGAL = "rarely_illegal"
    UNSETTLED = "unsettled"
    UNSETTLED_END = "unsettled_end"
    ALSO_ILLEGAL = "also_illegal"
    SILENT_PASS = "silent_pass"
    TURN_IN_BETWEEN = "turn_in_between"
    ANOTHER_IN_BETWEEN = "another_in_between"
    TURN_IN_PARTS = "turn_in_parts"
    PASS_AT_DOUBLE = "pass_at_double"
    MARKED_AND_LAID = "marked_and_laid"
    CLOSED_DOUBLE = "closed_double"
    MARKED_AND_CLOSED_DOUBLE = "marked_and_closed_double"
    ON_OWN_TRAIN = "on_own_train"
    ON_MEXICAN_TRAIN = "on_mexican_train"
    ON_ANOTHERS_TRAIN = "on_anothers_train"
    MARKED_ON_OWN_TRAIN = "marked_on_own_train"
    MARKED_ON_MEXICAN_TRAIN = "marked_on_mexican_train"
    STRAY_START = "stray_start"
    SKIPPED_FIRST_TRAIN = "skipped_first_train"
    MARKED_IN_LAP = "marked_in_lap"
    PLAYED_ON_AFTER_MARKING = "played_on_after_marking"
    MISSED_DRAW = "missed_draw"
    MISSED_DISCARD = "missed_discard"
    LIES_OPEN = "lies_open"
    PHANTOM_DRAW = "phantom_draw"
    REACHED_FOR_NOTHING = "reached_for_nothing"
    MARKER_NOT_SEEN = "marker_not_seen"
    MARKER_STILL_SEEN = "marker_still_seen"
    MARKER_UNSEEN_AGAIN = "marker_unseen_again"
    DISCARD_UNSEEN_AGAIN = "discard_unseen_again"
    STILL_TO_COME = "still_to_come"
    MARKER_LEFT_ON = "marker_left_on"
    NO_MARKER = "no_marker"
    DOUBTFUL_MARKER = "doubtful_marker"
    MISREAD = "misread"
    ANOTHER_TILE = "another_tile"
    UNREAD_TILE = "unread_tile"
    ON_ANOTHER_TILE = "on_another_tile"
    NO_DOUBLE_ACROSS = "no_double_across"
    DOUBLE_ALONG = "double_along"
    FITS_BY_CHANCE = "fits_by_chance"
    DOUBTFUL_NEIGHBOUR = "doubtful_neighbour"
    MISCOUNTED_HAND = "miscounted_hand"
    ANYBODY = "anybody"
    WRONG_STATEMENT = "wrong_word"
    LATE_STATEMENT = "late_word"
    BLIND_STATEMENT = "blind_word"
    UNSEEN = "unseen"
    UNSEEN_IN_CLUTTER = "unseen_in_clutter"
    CUT_SHORT = "cut_short"


PRIORS = {Cause(name): Prior(**prior) for name, prior in written("tracking/costs.toml").items()}

COST = {cause: prior.decibans for cause, prior in PRIORS.items()}
"""The cost of each assumption, in decibans."""

ILLEGAL = COST[Cause.ILLEGAL]

RARE = frozenset(
    {
        V.EXTRA_TILE, V.MARKER_WRONG_TRAIN, V.EXTRA_DRAW, V.DRAW_FROM_EMPTY, V.DRAW_FIRST_TURN, V.WRONG_FLIP,
        V.FLIP_NOT_IN_RULES, V.DISCARD_FACE_UP, V.LEAD_MUST_PLAY, V.DUPLICATE_TILE, V.MULTIPLICITY,
    }
)  # fmt: skip
"""Nobody lays two tiles or draws twice by oversight, and no box holds a tile twice; the others are forgotten or
overlooked."""


OF_VALUES = frozenset({V.MISMATCH, V.WRONG_ROOT, V.DUPLICATE_TILE, V.MULTIPLICITY, V.TILE_NOT_IN_SET})
"""Violations that rest on a tile's values: another value explains them."""


def fault(codes: Iterable[str]) -> Cause:
    """The assumption behind several broken rules at once: the least rare of them is the root."""
    return Cause.ILLEGAL if any(code not in RARE for code in codes) else Cause.RARELY_ILLEGAL


ERRORS = frozenset(
    {
        Cause.ILLEGAL, Cause.RARELY_ILLEGAL, Cause.ALSO_ILLEGAL, Cause.PLAYED_ON_AFTER_MARKING, Cause.MISSED_DRAW,
        Cause.PHANTOM_DRAW, Cause.MARKER_NOT_SEEN, Cause.MARKER_STILL_SEEN, Cause.NO_MARKER, Cause.DOUBTFUL_MARKER,
        Cause.REACHED_FOR_NOTHING, Cause.MISSED_DISCARD, Cause.LIES_OPEN, Cause.MARKED_IN_LAP,
        Cause.MISREAD, Cause.ANOTHER_TILE, Cause.UNSETTLED_END, Cause.MISCOUNTED_HAND, Cause.WRONG_STATEMENT,
    }
)  # fmt: skip
"""Where the likeliest explanation needs one of these, a broken rule may be as likely, and is looked for."""

LATE_PICTURES = 2
"""How many more pictures count against a marker that none of them shows, with MARKER_UNSEEN_AGAIN each: people who are
late soon make up for it, and a marker that the eye has lost stays lost. One of 42 filmed rounds showed a marker for 18
pictures after it had been taken off."""

FARTHEST = 90
"""An explanation this much dearer than the best hypothesis is not looked for: the outlier is likelier."""

CALM_REACH = 19
"""While every change has a faultless explanation, explanations this much dearer than the best are dropped: no fault."""
CALM_KEEP = 23
"""A hypothesis stays while an explanation from it is no dearer than this, which is what CERTAIN leaves open."""
WIDE_REACH = 46
"""When a change has none, those of the window are searched again for two faults, or one and camera errors."""
BACK_REACH, BACK_WORK = 40, 300
"""In the changes before the last one fault is looked for: nobody noticed it at the time, and two are too many."""

CALM_BEAM, WIDE_BEAM = 40, 48
CALM_WORK, WIDE_WORK = 600, 450
"""Nodes that one search opens at most."""

NAMED = 0.95
"""So likely must a player be to be named."""
CERTAIN = 0.995
"""So likely must a fault be to be certain; the outlier is then 23 dB away at least."""
ACCUSED = 0.998
"""So likely must its player be to be accused of it. Somebody else may be the one who broke it if a neighbour broke one
more rule (25 dB with the tile it came by), or by ways that CALM_KEEP drops: 27 dB are above both. At CERTAIN one of 840
told rounds accused an innocent player (three rules were broken within three turns)."""
POSSIBLE = 0.05
"""A fault below this is not mentioned."""
HELD_AGAINST = 0.15
"""Nor is it held below this, as possible, against a player whose act it need not be. From .05 on nine claims stood over
innocents at the end of 40 told rounds, from .15 on four, and of the 71 faults planted there each was shown as often;
from .3 on two more were missed (bench/standing.py over 40 seeds, 27 November 2026). 40 fresh rounds, on which it was
not chosen, say the same: fourteen, seven and six claims, and 71, 71 and 68 of 73 faults shown."""
CLOSE_DB = 6
"""Two players this close to each other are both likely, and worth a question."""
WEIGHTY = 0.3
"""A charge below this is not worth a question."""


def decibans(p: float) -> int:
    """The cost of an event of probability `p`, at most 99."""
    return 99 if p <= 1e-10 else max(0, round(-10 * math.log10(p)))


def probably(by_chance: float, cause: Cause) -> float:
    """How likely `cause` is behind what it always shows, and what is shown `by_chance` without it."""
    against: float = by_chance * 10.0 ** (COST[cause] / 10.0)
    return 1.0 / (1.0 + against)


def misread(p: float | None) -> int:
    """The cost of a half's having been read wrongly that was read with `p`; None: read surely.

    Readings of one picture err together, so they are never multiplied, and no p is worth more than the tail that was
    measured. A fault that rests on what a half shows is certain only if the half was read beyond doubt.
    """
    most = COST[Cause.MISREAD]
    if p is None or p >= BEYOND_DOUBT:
        return most
    return COST[Cause.ANOTHER_TILE] if p >= SURE else min(most, decibans(1.0 - p))


READ = 0.9
"""From this probability on the eye has read a half."""

SURE, BEYOND_DOUBT = 0.98, 0.999
"""Halves read at least so surely as the first count as surely read, as the second as read beyond doubt. Between them
the eye's p is not calibrated: a twelve in two rows of six on a coarse picture was read as a six with .9968."""
