"""What the referee says about each code: a sentence for the table and the rule behind it, in the project's own words.

All texts are gettext message ids with named places: {player}, {tile} and {train}. Source of the meanings:
docs/rules.md, section 6; of the rules: the preset field that each `Rule` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.violation import Violation as V


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


SOMEBODY = _("somebody")
A_TILE = _("a tile")
A_TRAIN = _("a train")
THE_MEXICAN_TRAIN = _("the Mexican train")
TRAIN_OF = _("the train of {player}")
RESTS_ON_ALL = _("common to all games of this kind")

SENTENCES: Mapping[V, str] = {
    V.WRONG_ENGINE: _("{tile} lies in the middle, but another double is due in this round."),
    V.ENGINE_NOT_DOUBLE: _("{tile} lies in the middle, and it is no double."),
    V.TILE_NOT_IN_SET: _("{tile} does not belong to this set; please check first whether it was read rightly."),
    V.DUPLICATE_TILE: _("{tile} lies on the table twice; please check first whether both were read rightly."),
    V.MULTIPLICITY: _("{tile} lies here more often than the set has it; please check the reading first."),
    V.MISMATCH: _("{tile} does not match the half that it touches."),
    V.WRONG_ROOT: _("{tile} starts {train} without showing the engine's value inwards."),
    V.SECOND_MEXICAN: _("{tile} would start a second Mexican train."),
    V.HAND_SIZE: _("{player} was not dealt the right number of tiles."),
    V.CLOSED_TRAIN: _("{player} laid {tile} on {train}, which is closed to others."),
    V.FIRST_TURN_OWN_ONLY: _("{player} laid {tile} on {train}, but the first turn builds the own train only."),
    V.MX_TOO_EARLY: _("{player} laid {tile} on the Mexican train in the first turn."),
    V.OPEN_DOUBLE_IGNORED: _("{player} laid {tile} on {train} while a double was waiting to be covered."),
    V.DOUBLE_ORDER: _("{player} covered the double of {train} with {tile}, but another double comes first."),
    V.EXTRA_NOT_ON_DOUBLE: _("{player} laid {tile} on {train} instead of on the double just laid."),
    V.EXTRA_NOT_ON_FIRST_DOUBLE: _("{player} laid {tile} on {train}, but it belongs on another of the new doubles."),
    V.DOUBLE_NOT_FOLLOWED: _("{player} stopped after a double: no second tile, no draw and no marker."),
    V.EXTRA_TILE: _("{player} laid {tile} although the turn was complete."),
    V.DEAD_TRAIN: _("{player} laid {tile} on {train}, which is closed for good."),
    V.WRONG_FLIP: _("The double at the end of {train} was turned over, but it may still be covered."),
    V.FLIP_NOT_IN_RULES: _("The double at the end of {train} was turned over, and these rules do not know that."),
    V.TILE_MOVED: _("{tile} no longer lies where it lay on {train}."),
    V.OUT_OF_TURN: _("{player} laid {tile}, but it was another player's turn."),
    V.PLAY_AFTER_END: _("{player} laid {tile} after the end of the round."),
    V.MARKER_MISSING: _("{player} did not complete the turn and has no marker on the own train."),
    V.MARKER_UNEARNED: _("{player} put a marker on the own train although the turn was completed."),
    V.MARKER_REMOVED_WRONGLY: _("{player} took the own marker off without a play that allows it."),
    V.MARKER_NOT_REMOVED: _("{player} made the play that takes the marker off, and it is still there."),
    V.MARKER_WRONG_TRAIN: _("{player} put on or took off a marker on {train}."),
    V.MX_MARKER_MISSING: _("The Mexican train has no marker at its start."),
    V.NO_DRAW: _("{player} ended the turn without drawing, though there are tiles to draw."),
    V.EXTRA_DRAW: _("{player} drew one tile too many."),
    V.DRAW_FIRST_TURN: _("{player} drew a tile in the first turn."),
    V.DRAW_FROM_EMPTY: _("{player} drew a tile, but the boneyard is empty."),
    V.DRAW_WHEN_BLOCKED: _("{player} drew a tile although nothing can be laid any more."),
    V.NEEDLESS_DRAW: _("{player} drew a tile while holding one that fits."),
    V.PASSED_WITH_PLAYABLE: _("{player} passed while holding a tile that fits."),
    V.FIRST_TRAIN_NOT_MAXIMAL: _("{player} still held a tile that makes the first train longer."),
    V.HAND_COUNT_INCONSISTENT: _("{player} does not show as many tiles as were dealt and drawn, less those laid."),
    V.UNACCOUNTED_TILE: _("The tiles on the table, in the hands and in the boneyard are not the whole set."),
    V.ANNOUNCE_MISSING: _("{player} has one tile left and did not say so."),
    V.FIRST_LAP_NOT_FINISHED: _("The round was stopped before {player} had the first turn."),
    V.FALSE_BLOCK: _("The round was stopped as blocked, but it was not."),
    V.SCORE_ERROR: _("The points written for {player} are not those of the tiles shown."),
    V.SETTLEMENT_ERROR: _("What {player} pays or gets does not follow from the tiles shown."),
    V.CLOSED_END: _("{player} joined {tile} to the closed end."),
    V.PASS_WITHOUT_DISCARD: _("{player} passed without putting a tile away."),
    V.DISCARD_FACE_UP: _("{player} put a tile away with its pips showing."),
    V.LEAD_MUST_PLAY: _("{player} leads the deal and put a tile away instead of laying one."),
    V.DISCARD_WITH_PLAYABLE: _("{player} put a tile away while holding one that fits."),
    V.REDEAL_MISSED: _("{player} was dealt so many doubles that the tiles should have been dealt again."),
    V.OPEN_END_UNDECLARED: _("{player} led without naming the open end."),
}
"""Code -> what happened, said to the table."""

_PLAYABLE = Rule(
    _("Who has a tile that fits must lay it."),
    "may_decline",
    {True: _("Here nobody has to play: this is for information only.")},
)
_EXTRA = Rule(
    _("After a double comes one more tile, anywhere it may be laid."),
    "extra_tile",
    {
        "this_double": _("Who lays a double covers that same double with the next tile."),
        "anywhere_but_first_if_many": _(
            "The tile after one double may go anywhere; after several doubles it covers the one that is due first."
        ),
    },
)
_MARKER_OFF = Rule(
    _("The marker comes off with a play on the own train."),
    "marker_off",
    {"any": _("The marker comes off with any play, wherever the tile goes.")},
)
_FLIP = Rule(
    _("These rules do not turn doubles over."),
    "dead_double",
    {"flip": _("An open double is turned over only when all tiles of its value lie on the table.")},
)

RULES: Mapping[V, Rule] = {
    V.WRONG_ENGINE: Rule(
        _("Each round starts from the next lower double, beginning with the highest."), "first_engine"
    ),
    V.ENGINE_NOT_DOUBLE: Rule(_("The engine shows the same value on both halves."), "first_engine"),
    V.TILE_NOT_IN_SET: Rule(_("Only the tiles of the set in use are played.")),
    V.DUPLICATE_TILE: Rule(_("The set has every tile once.")),
    V.MULTIPLICITY: Rule(_("The set has eleven kinds of tiles twice and ten kinds once.")),
    V.MISMATCH: Rule(_("Touching halves show the same value.")),
    V.WRONG_ROOT: Rule(
        _("Every train starts with a tile that turns the engine's value inwards."),
        "mx_root",
        {"any": _("A player's train starts with a tile that turns the engine's value inwards.")},
    ),
    V.SECOND_MEXICAN: Rule(_("There is one Mexican train for everybody, and no second one.")),
    V.HAND_SIZE: Rule(_("How many tiles everybody gets depends on the number of players."), "hand_table"),
    V.CLOSED_TRAIN: Rule(_("Another player's train takes your tile only while it carries a marker.")),
    V.FIRST_TURN_OWN_ONLY: Rule(_("The first turn builds one long train, the own one."), "long_first"),
    V.MX_TOO_EARLY: Rule(
        _("The Mexican train may be started in any turn."),
        "mx_from_turn",
        {2: _("The Mexican train may be started from the second turn on.")},
    ),
    V.OPEN_DOUBLE_IGNORED: Rule(
        _("While an open double can still be covered, the next tile goes there."),
        "dead_double",
        {"blocks": _("While a double is open, the next tile goes there, even if it can no longer be covered.")},
    ),
    V.DOUBLE_ORDER: Rule(
        _("Of several open doubles any may be covered first."),
        "close_order",
        {
            "fifo": _("Open doubles are covered in the order in which they were laid."),
            "lifo": _("Open doubles are covered in reverse order: the last one laid comes first."),
        },
    ),
    V.EXTRA_NOT_ON_DOUBLE: _EXTRA,
    V.EXTRA_NOT_ON_FIRST_DOUBLE: _EXTRA,
    V.DOUBLE_NOT_FOLLOWED: Rule(
        _("A double asks for a second tile; who has none draws, and if that does not help sets the marker."),
        "extra_tile",
    ),
    V.EXTRA_TILE: Rule(_("A turn is one tile; only a double asks for another.")),
    V.DEAD_TRAIN: Rule(_("A double that was turned over closes its train for the rest of the round."), "dead_double"),
    V.WRONG_FLIP: _FLIP,
    V.FLIP_NOT_IN_RULES: _FLIP,
    V.TILE_MOVED: Rule(_("A laid tile stays where and how it lies.")),
    V.OUT_OF_TURN: Rule(_("The players move one after the other, in their order around the table.")),
    V.PLAY_AFTER_END: Rule(_("Once the round is over, nothing more is laid.")),
    V.MARKER_MISSING: Rule(
        _("Who ends the turn without completing it sets the marker on the own train."),
        "marker_on_empty_boneyard",
        {
            "optional": _(
                "Who ends the turn without completing it sets the marker on the own train; "
                "only with an empty boneyard and no draw that is left open."
            )
        },
    ),
    V.MARKER_UNEARNED: Rule(_("The marker is set only when the turn could not be completed.")),
    V.MARKER_REMOVED_WRONGLY: _MARKER_OFF,
    V.MARKER_NOT_REMOVED: Rule(
        _("After a play on the own train the marker comes off."),
        "marker_off_required",
        {False: _("After a play on the own train the marker may come off, but it may also stay.")},
    ),
    V.MARKER_WRONG_TRAIN: Rule(_("Everybody sets and takes off the own marker only.")),
    V.MX_MARKER_MISSING: Rule(_("The black marker stands at the start of the Mexican train.")),
    V.NO_DRAW: Rule(_("Who cannot or does not want to lay a tile draws one, as long as there are any.")),
    V.EXTRA_DRAW: Rule(
        _("A turn draws one tile."),
        "redraw_after_drawn_double",
        {True: _("A turn draws one tile, and another one only after a double was laid.")},
    ),
    V.DRAW_FIRST_TURN: Rule(
        _("In the first turn a tile may be drawn like in any other."),
        "first_draw",
        {False: _("Who cannot start a train in the first turn sets the marker and does not draw.")},
    ),
    V.DRAW_FROM_EMPTY: Rule(_("When the boneyard is empty, there is nothing to draw.")),
    V.DRAW_WHEN_BLOCKED: Rule(
        _("Drawing goes on until the boneyard is empty."),
        "block_rule",
        {"provable_stop": _("When no tile can be laid any more, the round ends at once, without further draws.")},
    ),
    V.NEEDLESS_DRAW: _PLAYABLE,
    V.PASSED_WITH_PLAYABLE: _PLAYABLE,
    V.FIRST_TRAIN_NOT_MAXIMAL: Rule(
        _("The length of the first train is free."),
        "strict_first_train",
        {True: _("The first train is built for as long as a tile fits.")},
    ),
    V.HAND_COUNT_INCONSISTENT: Rule(_("The tiles dealt and drawn, less the tiles laid, are the hand that is left.")),
    V.UNACCOUNTED_TILE: Rule(_("No tile of the set leaves the table during a round.")),
    V.ANNOUNCE_MISSING: Rule(
        _("The last tile need not be announced."),
        "announce",
        {
            "tap": _("Who has one tile left knocks with it on the table."),
            "tap_or_say": _("Who has one tile left taps on the table or says so."),
        },
    ),
    V.FIRST_LAP_NOT_FINISHED: Rule(
        _("The round ends as soon as somebody is out."),
        "finish_first_lap",
        {True: _("Everybody has the first turn, even if somebody goes out in the first lap.")},
    ),
    V.FALSE_BLOCK: Rule(
        _("A round is blocked only when nobody at all can play."),
        "block_rule",
        {"empty_and_all_pass": _("A round is blocked only with an empty boneyard and when nobody can play.")},
    ),
    V.SCORE_ERROR: Rule(
        _("The tiles left in a hand count their pips; everybody writes down the own ones."),
        "scoring",
        {"winner_takes": _("The winner of the round writes down the pips of all the others.")},
    ),
    V.SETTLEMENT_ERROR: Rule(
        _("Everybody pays everybody with a lower sum the difference of their pips."),
        "settlement",
        {
            "kkori": _("The highest sum pays the winner one chip; other losers pay only above thirty."),
            "winner_chip": _("Every loser pays the winner one chip."),
        },
    ),
    V.CLOSED_END: Rule(
        _("Tiles are joined at the open end only."),
        "arms",
        {2: _("Both ends of the line take tiles.")},
    ),
    V.PASS_WITHOUT_DISCARD: Rule(_("Who cannot lay a tile puts one of the own tiles away.")),
    V.DISCARD_FACE_UP: Rule(_("A tile that is put away lies face down until the deal is counted.")),
    V.LEAD_MUST_PLAY: Rule(_("The leader opens the deal by laying a tile; any tile will do.")),
    V.DISCARD_WITH_PLAYABLE: Rule(
        _("Only who cannot lay a tile puts one away."),
        "may_decline",
        {True: _("In this house anybody may put a tile away instead of laying one.")},
    ),
    V.REDEAL_MISSED: Rule(
        _("So many doubles in one hand, and everything is dealt again."),
        "redeal_doubles",
        {
            None: _("Every deal is played, whatever was dealt."),
            7: _("Seven or more doubles in one hand, and everything is dealt again."),
        },
    ),
    V.OPEN_END_UNDECLARED: Rule(_("The leader says which end of the first tile is open."), "arms"),
}
"""Code -> the rule that it breaks."""

CHINESE_SENTENCES: Mapping[V, str] = {
    V.EXTRA_TILE: _("{player} laid or put away more than one tile in a turn."),
}
CHINESE_RULES: Mapping[V, Rule] = {
    V.EXTRA_TILE: Rule(_("A turn is one tile: laid, or put away.")),
    V.HAND_COUNT_INCONSISTENT: Rule(_("Every tile dealt is laid, put away or still in the hand; nothing is drawn.")),
    V.FALSE_BLOCK: Rule(_("The deal is stopped early only when nobody can join a tile any more.")),
}
"""Where the connecting games need other words for a code that both families share."""
