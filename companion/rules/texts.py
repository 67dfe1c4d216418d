"""What the referee says about each code: a sentence for the table and the rule behind it, in the project's own words.

This is the one table of words for codes: the page shows the titles and rules in its reader's language, and
`companion judge --explain` adds a sentence with named places, {player}, {tile} and {train}. Source of the meanings:
docs/rules.md 6; of the rules: the field that each `Rule` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.rules.violations import Violation as V


def _(text: str) -> str:
    """Marks a text for the translators."""
    return text


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule behind a code.

    Args:
        text: the rule; where `variants` is given, the text for every other value.
        rests_on: the preset field that the rule follows, and whose source is named; None where every game agrees.
        variants: that field's value -> the rule in that case.
    """

    text: str
    rests_on: str | None = None
    variants: Mapping[object, str] = field(default_factory=dict)


SOMEBODY = "somebody"
A_TILE = "a tile"
A_TRAIN = "a train"
THE_MEXICAN_TRAIN = "the Mexican train"
TRAIN_OF = "{player}'s train"
RESTS_ON_ALL = "common to all games of this kind"
HOUSE_RULE = "house rule"
LEFT_OPEN = "the text leaves part of this open"
CONTRADICTS_ITSELF = "the text contradicts itself here"

SENTENCES: Mapping[V, str] = {
    V.WRONG_ENGINE: "{tile} is in the middle, but this round needs another double.",
    V.ENGINE_NOT_DOUBLE: "{tile} is in the middle, and it is not a double.",
    V.TILE_NOT_IN_SET: "{tile} does not belong to this set; check first whether it was read right.",
    V.DUPLICATE_TILE: "{tile} is on the table twice; check first whether both were read right.",
    V.MULTIPLICITY: "There are more of {tile} than the set has; check the reading first.",
    V.MISMATCH: "{tile} does not match the half that it touches.",
    V.WRONG_ROOT: "{tile} starts {train} without showing the engine's value inwards.",
    V.SECOND_MEXICAN: "{tile} would start a second Mexican train.",
    V.HAND_SIZE: "{player} was not dealt the right number of tiles.",
    V.CLOSED_TRAIN: "{player} played {tile} on {train}, which is closed to others.",
    V.FIRST_TURN_OWN_ONLY: "{player} played {tile} on {train}, but the first turn is on your own train only.",
    V.MX_TOO_EARLY: "{player} played {tile} on the Mexican train in the first turn.",
    V.OPEN_DOUBLE_IGNORED: "{player} played {tile} on {train} while a double was waiting to be covered.",
    V.DOUBLE_ORDER: "{player} covered the double of {train} with {tile}, but another double comes first.",
    V.EXTRA_NOT_ON_DOUBLE: "{player} played {tile} on {train} instead of covering the double.",
    V.EXTRA_NOT_ON_FIRST_DOUBLE: "{player} played {tile} on {train}, but it belongs on another of the new doubles.",
    V.DOUBLE_NOT_FOLLOWED: "{player} stopped after a double: no second tile, no draw and no marker.",
    V.EXTRA_TILE: "{player} played {tile} after the turn was complete.",
    V.DEAD_TRAIN: "{player} played {tile} on {train}, which is closed for good.",
    V.WRONG_FLIP: "The double at the end of {train} was turned over, but it may still be covered.",
    V.FLIP_NOT_IN_RULES: "The double at the end of {train} was turned over, which these rules do not allow.",
    V.TILE_MOVED: "{tile} was moved from its place on {train}.",
    V.OUT_OF_TURN: "{player} played {tile}, but it was another player's turn.",
    V.PLAY_AFTER_END: "{player} played {tile} after the end of the round.",
    V.MARKER_MISSING: "{player} did not complete the turn and has no marker on their own train.",
    V.MARKER_UNEARNED: "{player} marked their own train although the turn was completed.",
    V.MARKER_REMOVED_WRONGLY: "{player} took their own marker off without a play that allows it.",
    V.MARKER_NOT_REMOVED: "{player} made the play that takes the marker off, and it is still there.",
    V.MARKER_WRONG_TRAIN: "{player} put on or took off a marker on {train}.",
    V.MX_MARKER_MISSING: "The Mexican train has no marker at its start.",
    V.NO_DRAW: "{player} ended the turn without drawing, though there are tiles to draw.",
    V.EXTRA_DRAW: "{player} drew one tile too many.",
    V.DRAW_FIRST_TURN: "{player} drew a tile in the first turn.",
    V.DRAW_FROM_EMPTY: "{player} drew a tile, but the boneyard is empty.",
    V.DRAW_WHEN_BLOCKED: "{player} drew a tile although no tile fits any more.",
    V.NEEDLESS_DRAW: "{player} drew a tile while holding one that fits.",
    V.PASSED_WITH_PLAYABLE: "{player} passed while holding a tile that fits.",
    V.FIRST_TRAIN_NOT_MAXIMAL: "{player} still held a tile that makes the first train longer.",
    V.HAND_COUNT_INCONSISTENT: "{player} shows more or fewer tiles than were dealt and drawn, less those played.",
    V.UNACCOUNTED_TILE: "The tiles on the table, in the hands and in the boneyard are not the whole set.",
    V.ANNOUNCE_MISSING: "{player} has one tile left and did not say so.",
    V.FIRST_LAP_NOT_FINISHED: "The round was stopped before {player} had the first turn.",
    V.FALSE_BLOCK: "The round was stopped as blocked, but it was not.",
    V.SCORE_ERROR: "The points written down for {player} are not the pips of the tiles shown.",
    V.SETTLEMENT_ERROR: "What {player} pays or gets does not follow from the tiles shown.",
    V.CLOSED_END: "{player} joined {tile} to the closed end.",
    V.PASS_WITHOUT_DISCARD: "{player} passed without putting a tile away.",
    V.DISCARD_FACE_UP: "{player} put a tile away with its pips showing.",
    V.LEAD_MUST_PLAY: "{player} leads the deal and put a tile away instead of playing one.",
    V.DISCARD_WITH_PLAYABLE: "{player} put a tile away while holding one that fits.",
    V.REDEAL_MISSED: "{player} was dealt so many doubles that the tiles should have been dealt again.",
    V.OPEN_END_UNDECLARED: "{player} led without naming the open end.",
}
"""Code -> what happened, said to the table."""

TITLES: Mapping[V, str] = {
    V.WRONG_ENGINE: _("Wrong engine"),
    V.ENGINE_NOT_DOUBLE: _("The engine is not a double"),
    V.TILE_NOT_IN_SET: _("This tile is not in the set"),
    V.DUPLICATE_TILE: _("This tile is on the table twice"),
    V.MULTIPLICITY: _("One tile too many of this kind"),
    V.MISMATCH: _("The halves do not match"),
    V.WRONG_ROOT: _("The train does not start from the engine"),
    V.SECOND_MEXICAN: _("A second Mexican train"),
    V.HAND_SIZE: _("Wrong number of tiles dealt"),
    V.CLOSED_TRAIN: _("This train is closed"),
    V.FIRST_TURN_OWN_ONLY: _("First turn: own train only"),
    V.MX_TOO_EARLY: _("Too early for the Mexican train"),
    V.OPEN_DOUBLE_IGNORED: _("An open double must be covered first"),
    V.DOUBLE_ORDER: _("Another double must be covered first"),
    V.EXTRA_NOT_ON_DOUBLE: _("The second tile must cover the double"),
    V.EXTRA_NOT_ON_FIRST_DOUBLE: _("The second tile belongs on another double"),
    V.DOUBLE_NOT_FOLLOWED: _("A double without a second tile"),
    V.EXTRA_TILE: _("One tile too many"),
    V.DEAD_TRAIN: _("This train is closed for good"),
    V.WRONG_FLIP: _("This double is not dead yet"),
    V.FLIP_NOT_IN_RULES: _("Doubles are not turned over here"),
    V.TILE_MOVED: _("A tile was moved"),
    V.OUT_OF_TURN: _("Out of turn"),
    V.PLAY_AFTER_END: _("The round was over already"),
    V.MARKER_MISSING: _("The marker is missing"),
    V.MARKER_UNEARNED: _("No marker was due"),
    V.MARKER_REMOVED_WRONGLY: _("The marker must stay"),
    V.MARKER_NOT_REMOVED: _("The marker must come off"),
    V.MARKER_WRONG_TRAIN: _("Hands off other players' markers"),
    V.MX_MARKER_MISSING: _("No marker at the Mexican train"),
    V.NO_DRAW: _("A tile must be drawn"),
    V.EXTRA_DRAW: _("One draw too many"),
    V.DRAW_FIRST_TURN: _("No drawing in the first turn"),
    V.DRAW_FROM_EMPTY: _("The boneyard is empty"),
    V.DRAW_WHEN_BLOCKED: _("Drawing while the table is blocked"),
    V.NEEDLESS_DRAW: _("Drew with a tile that fits"),
    V.PASSED_WITH_PLAYABLE: _("Passed with a tile that fits"),
    V.FIRST_TRAIN_NOT_MAXIMAL: _("The first train could be longer"),
    V.HAND_COUNT_INCONSISTENT: _("The number of tiles does not add up"),
    V.UNACCOUNTED_TILE: _("A tile of the set is missing"),
    V.ANNOUNCE_MISSING: _("The last tile was not announced"),
    V.FIRST_LAP_NOT_FINISHED: _("Somebody has not had a first turn"),
    V.FALSE_BLOCK: _("The table was not blocked"),
    V.SCORE_ERROR: _("The score differs from the tiles"),
    V.SETTLEMENT_ERROR: _("The payment differs from the tiles"),
    V.CLOSED_END: _("This end is closed"),
    V.PASS_WITHOUT_DISCARD: _("Passing costs a tile"),
    V.DISCARD_FACE_UP: _("Put away face down"),
    V.LEAD_MUST_PLAY: _("The leader must play a tile"),
    V.DISCARD_WITH_PLAYABLE: _("Put a tile away with one that fits"),
    V.REDEAL_MISSED: _("Seven doubles: deal again"),
    V.OPEN_END_UNDECLARED: _("The open end was not named"),
}
"""Code -> its name."""

RULES: Mapping[V, Rule] = {
    V.WRONG_ENGINE: Rule(_("Each round starts with the next lower double."), "first_engine"),
    V.ENGINE_NOT_DOUBLE: Rule(_("The tile in the middle must show the same value twice."), "first_engine"),
    V.TILE_NOT_IN_SET: Rule(_("The set of this game has no such tile.")),
    V.DUPLICATE_TILE: Rule(_("There is only one of each tile. One of the two is a mistake.")),
    V.MULTIPLICITY: Rule(_("The set has fewer tiles of this kind.")),
    V.MISMATCH: Rule(_("Touching halves must show the same value.")),
    V.WRONG_ROOT: Rule(
        _("A train starts with the engine's value."),
        "mx_root",
        {"any": _("A player's train starts with the engine's value; the Mexican train may start with any.")},
    ),
    V.SECOND_MEXICAN: Rule(_("There is only one Mexican train.")),
    V.HAND_SIZE: Rule(_("How many tiles you are dealt depends on how many play."), "hand_table"),
    V.CLOSED_TRAIN: Rule(_("You may play on another player's train only while it carries a marker.")),
    V.FIRST_TURN_OWN_ONLY: Rule(_("In your first turn you play on your own train only."), "long_first"),
    V.MX_TOO_EARLY: Rule(_("You may start the Mexican train from your second turn on."), "mx_from_turn"),
    V.OPEN_DOUBLE_IGNORED: Rule(_("While a double is open, cover it before you play anything else.")),
    V.DOUBLE_ORDER: Rule(
        _("Cover open doubles in the order that the rules name."),
        "close_order",
        {
            "fifo": _("Open doubles are covered in the order in which they were played."),
            "lifo": _("Open doubles are covered in reverse order: the last one played comes first."),
            "either": _("Open doubles are covered in the order in which they were played, or in reverse."),
        },
    ),
    V.EXTRA_NOT_ON_DOUBLE: Rule(_("If you play a double, cover that same double."), "extra_tile"),
    V.EXTRA_NOT_ON_FIRST_DOUBLE: Rule(
        _("After several doubles, the extra tile goes on the one that comes first."), "extra_tile"
    ),
    V.DOUBLE_NOT_FOLLOWED: Rule(
        _("After a double you play a second tile, or you draw and then mark your train."), "extra_tile"
    ),
    V.EXTRA_TILE: Rule(_("You play one tile a turn, and more only after a double.")),
    V.DEAD_TRAIN: Rule(_("A train that ends in a turned-over double is closed."), "dead_double"),
    V.WRONG_FLIP: Rule(_("A double is turned over only when every tile of its value is on the table."), "dead_double"),
    V.FLIP_NOT_IN_RULES: Rule(_("These rules do not turn over doubles."), "dead_double"),
    V.TILE_MOVED: Rule(_("A tile stays where you played it.")),
    V.OUT_OF_TURN: Rule(_("It was another player's turn.")),
    V.PLAY_AFTER_END: Rule(_("Nobody plays once the round is over.")),
    V.MARKER_MISSING: Rule(_("If you cannot play, put the marker on your train."), "marker_on_empty_boneyard"),
    V.MARKER_UNEARNED: Rule(_("You mark your train only when you cannot play."), "marker_after"),
    V.MARKER_REMOVED_WRONGLY: Rule(
        _("The marker comes off only after a play that earns it."),
        "marker_off",
        {"own": _("The marker comes off when you play on your own train."), "any": _("Any play takes the marker off.")},
    ),
    V.MARKER_NOT_REMOVED: Rule(
        _("After such a play, take the marker off."),
        "marker_off_required",
        {False: _("After such a play the marker may come off, but it may also stay.")},
    ),
    V.MARKER_WRONG_TRAIN: Rule(_("You move only your own marker.")),
    V.MX_MARKER_MISSING: Rule(_("Put the black marker at the start of the Mexican train."), "mx_sign"),
    V.NO_DRAW: Rule(
        _("If you cannot play, draw one tile while there are any."),
        "draws",
        {"until_playable": _("If you cannot play, draw until a tile fits.")},
    ),
    V.EXTRA_DRAW: Rule(_("You draw one tile, and another only after drawing a double."), "redraw_after_drawn_double"),
    V.DRAW_FIRST_TURN: Rule(_("By these rules you do not draw in your first turn."), "first_draw"),
    V.DRAW_FROM_EMPTY: Rule(_("There is nothing left to draw.")),
    V.DRAW_WHEN_BLOCKED: Rule(_("When no tile fits any more, the round ends at once."), "block_rule"),
    V.NEEDLESS_DRAW: Rule(
        _("If you have a tile that fits, you must play it."),
        "may_decline",
        {True: _("You may decline to play, unless there is a double to cover.")},
    ),
    V.PASSED_WITH_PLAYABLE: Rule(
        _("If you have a tile that fits, you must play it."),
        "may_decline",
        {True: _("You may decline to play, unless there is a double to cover.")},
    ),
    V.FIRST_TRAIN_NOT_MAXIMAL: Rule(
        _("By this house rule the first train is as long as possible."), "strict_first_train"
    ),
    V.HAND_COUNT_INCONSISTENT: Rule(_("What you were dealt and drew, less what you played, must be what you show.")),
    V.UNACCOUNTED_TILE: Rule(_("The table, the hands and the boneyard must add up to the whole set.")),
    V.ANNOUNCE_MISSING: Rule(
        _("Announce it when you have one tile left."), "announce", {"tap": _("Knock on the table with your last tile.")}
    ),
    V.FIRST_LAP_NOT_FINISHED: Rule(_("Everybody gets a first turn before the round ends."), "finish_first_lap"),
    V.FALSE_BLOCK: Rule(_("One of the hands could still have played."), "block_rule"),
    V.SCORE_ERROR: Rule(
        _("The points are the pips of the tiles left."),
        "scoring",
        {"winner_takes": _("The winner of the round scores the pips of all the others.")},
    ),
    V.SETTLEMENT_ERROR: Rule(_("The payments follow from the pips."), "settlement"),
    V.CLOSED_END: Rule(_("You play at the open end only."), "arms"),
    V.PASS_WITHOUT_DISCARD: Rule(_("If you cannot play, put one tile away, face down.")),
    V.DISCARD_FACE_UP: Rule(_("A tile put away stays face down until the end.")),
    V.LEAD_MUST_PLAY: Rule(_("The first player must play a tile.")),
    V.DISCARD_WITH_PLAYABLE: Rule(_("Put a tile away only if you cannot play."), "may_decline"),
    V.REDEAL_MISSED: Rule(_("A hand with seven doubles is dealt again."), "redeal_doubles"),
    V.OPEN_END_UNDECLARED: Rule(_("The leader names the open end of the first tile."), "arms"),
}
"""Code -> the rule that it breaks, in one sentence."""

CHINESE_SENTENCES: Mapping[V, str] = {
    V.EXTRA_TILE: "{player} played or put away more than one tile in a turn.",
}
CHINESE_RULES: Mapping[V, Rule] = {
    V.EXTRA_TILE: Rule(_("You play one tile a turn, or put one away.")),
}
"""Where the connecting games need other words for a code that both families share."""
