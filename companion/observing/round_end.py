"""The round's end by camera: hands laid open per seat, checked against the set before they count.

Chinese games: the tiles put away are turned over where they lie, and tell together with what is left in the hand.
A hand that is partly unread, too small or impossible is asked about; it is never completed by a guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from companion.game.game import Game
from companion.geometry import Layout, PlacedTile, Problem, Trouble
from companion.geometry.joints import distance
from companion.geometry.layout import Point
from companion.log.event_fields import Candidate, Question, QuestionKind
from companion.log.events import HandShown, RoundEnded
from companion.perception.understanding import likely_tiles
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Tile

BESIDE_HANDS = frozenset({Trouble.FORKED_TRAIN, Trouble.LONE_MARKER, Trouble.EITHER_MARKER})
"""A hand may touch the end of a train, and no hand consists of markers: none of these troubles rules out a hand."""

LEAST_AT_ONCE = 3
"""This many tiles laid open since the last play are a hand, even of one player alone; fewer may lie astray."""

LEAST_TOGETHER = 3
"""This many hands, all but one player's, or both of two players that came to lie open since the last play are no
accident, though a tile lies about or one of a hand lies under another."""

LEAST_CLEAR = 2
"""Two hands of at least so many tiles, all read and of the right number, are hands whatever else lies about, and so are
hands that all have their known sizes. A loose tile is asked about and keeps no round from ending."""

MOST_CANDIDATES = 4

LEAST_CANDIDATE = 0.02
"""A tile less likely than this is not offered."""


@dataclass(frozen=True, slots=True)
class OpenHand:
    """A hand as it lies open."""

    player: str
    tiles: tuple[Tile, ...] = ()
    """The tiles that were left."""
    discards: tuple[Tile, ...] = ()
    """Chinese games: the tiles laid aside."""
    fault: Question | None = None
    """The question to ask; None where the hand adds up."""
    choices: tuple[tuple[float, OpenHand], ...] = ()
    """Where it does not: the complete hands that it may be, likeliest first."""


@dataclass(slots=True)
class OpenHands:
    """The players' own tiles, as far as they are known.

    >>> from companion.geometry.layout import SeenHalf, SeenTile
    >>> from companion.rules import Board
    >>> halves = SeenHalf(6, 1.0), SeenHalf(5, 1.0)
    >>> tile = PlacedTile(1, SeenTile((700.0, 20.0), 0.0, 56.0, 28.0, True, halves, 1.0))
    >>> hands = OpenHands(("Ann", "Ben"), {Tile(5, 6): 1}, reach_mm=28.0)
    >>> table = replace(Board("tactic").position, hands={})
    >>> [(hand.player, hand.tiles, hand.fault) for hand in hands.read(Layout(hands={"Ben": (tile,)}), table)]
    [('Ben', (Tile(low=5, high=6),), None)]
    """

    players: Sequence[str]
    box: Mapping[Tile, int]
    """Tile -> how often it exists."""
    reach_mm: float
    """Half a tile."""
    _backs: tuple[Point, ...] = ()
    _away: Mapping[str, int] = field(default_factory=dict)
    _since: dict[int, int] = field(default_factory=dict)
    _last: int = 0

    def lie_open(self, layout: Layout, last: int) -> None:
        """Remember which play was the `last` one when each tile of a hand, and each loose one, was first seen."""
        lying = [tile.id for tiles in (*layout.hands.values(), layout.loose) for tile in tiles]
        self._since, self._last = {one: self._since.get(one, last) for one in lying}, last

    def _is_older(self, tile: int) -> bool:
        """Whether the tile of this identity lay there before the last play."""
        return self._since.get(tile, self._last) < self._last

    def _without_older(self, hand: Sequence[PlacedTile]) -> Sequence[PlacedTile]:
        """The hand without tiles that lay there before the last play, where more were laid open since."""
        new = [tile for tile in hand if not self._is_older(tile.id)]
        return new if 2 * len(new) > len(hand) else hand

    def _laid_open(self, layout: Layout) -> Layout:
        return replace(layout, hands={name: tuple(self._without_older(hand)) for name, hand in layout.hands.items()})

    def note(self, layout: Layout) -> None:
        """Remember where tiles are put away: they only become more until they are turned over."""
        if sum(layout.discards.values()) >= sum(self._away.values()):
            self._backs = tuple(tile.seen.center_mm for tile in layout.face_down)
            self._away = dict(layout.discards)

    def forget(self) -> None:
        self._backs, self._away, self._since, self._last = (), {}, {}, 0

    def read(
        self, layout: Layout, table: Position | LinePosition, least: Mapping[str, int] = MappingProxyType({})
    ) -> Iterator[OpenHand]:
        """The hands that lie open, and those that are known to be empty. `least`: player -> how many tiles must be left
        at least, for those whose draws may have gone unseen."""
        # Of a line some tiles lie under others, and equal ones are in the box twice.
        trains = isinstance(table, Position)
        astray = Counter(_on_record(table)) - Counter(self._on_the_table(layout)) if trains else Counter[Tile]()
        laid_open = self._laid_open(layout)
        for player in self.players:
            seen = _without(layout.hands.get(player, ()), astray)
            left = 0 if self._all_down(table) else table.hands.get(player)
            # The eye may have overlooked some that lie face down, and all of those put away are on record.
            on_record = table.discards.get(player, 0) if isinstance(table, LinePosition) else 0
            due = None if left is None else left + max(self._away.get(player, 0), on_record)
            counts = range(least.get(player, 0), sum(self.box.values()) + 1) if due is None else (due,)
            if seen:
                yield self._with_or_without_older(player, seen, laid_open, table, counts)
            elif due == 0 and isinstance(table, LinePosition):
                yield OpenHand(player)

    def out(
        self, layout: Layout, table: Position, last: int, least: Mapping[str, int] = MappingProxyType({})
    ) -> str | None:
        """The player with no tile left, once the others have laid theirs open; "" where everybody has some, None while
        they play.

        Two hands at least must lie there, or one that is as large as it is due or of several tiles that came to lie
        there after the `last` play: a single tile may lie astray, and some have their tiles open all the time. Hands
        with more copies of a tile than exist are no hands: something in the cloth looks like a tile. Where every tile
        of the set lies on the table nobody holds one.
        """
        shown = [player for player in self.players if layout.hands.get(player)]
        rest = [player for player in self.players if player not in shown]
        due = {player: table.hands.get(player) for player in self.players}
        if any(self.at_once(one, layout, last) and _more_than(layout.hands[one], due[one]) for one in shown):
            # Somebody has more than anybody saw them draw: what is known of the others tells as little.
            due = dict.fromkeys(self.players)
        unseen = self._unseen(layout)
        if unseen is not None and unseen <= 0 <= unseen + self._astray(layout) and len(rest) < 2:
            # A player who still has some laid them too near a train: while the round goes on they are no hand.
            return rest[0] if rest and not due[rest[0]] else ""
        read, layout = list(self.read(layout, table)), self._laid_open(layout)
        if QuestionKind.HAND_TWICE in (hand.fault.kind for hand in read if hand.fault is not None):
            return None
        clear = sum(hand.fault is None and len(hand.tiles) >= LEAST_CLEAR for hand in read)
        counted = bool(read) and all(hand.fault is None and due[hand.player] == len(hand.tiles) for hand in read)
        enough = len(rest) <= 1 and len(shown) >= min(LEAST_TOGETHER, len(self.players))
        together = enough and all(self._is_new(layout, one, last) for one in shown)
        beside = BESIDE_HANDS | {Trouble.LOOSE_TILE} if clear >= 2 or counted or together else BESIDE_HANDS
        if any(one.trouble not in beside and not self._is_of_before(one) for one in layout.problems):
            return None
        none_left = [player for player in rest if due[player] == 0]
        all_lie_open = none_left == rest and len(shown) > 1
        if len(none_left) == 1 and (
            clear >= 2 or (all_lie_open and all(_most_of(layout.hands[one], due[one]) for one in shown))
        ):
            # The other hands may be wrong (a tile may lie under another) or still to be laid open.
            return none_left[0]
        odd = [one for one in shown if due[one] not in (None, len(layout.hands[one]))]
        if len(rest) > 1 or (odd and not (together and all(_most_of(layout.hands[one], due[one]) for one in odd))):
            return None
        if len(shown) < 2 and any(due[player] is None and not self.at_once(player, layout, last) for player in shown):
            return None
        if not rest:
            return ""
        left = due[rest[0]]
        if left is None:
            # Tiles of the set that lie nowhere are in that player's hand, but for those that other hands lack.
            lacking = sum(max(0, least.get(one, 0) - len(layout.hands[one])) for one in shown)
            left = max(0, (unseen or 0) - lacking) if layout.boneyard == table.boneyard else 0
        return rest[0] if left == 0 else None

    def _is_of_before(self, problem: Problem) -> bool:
        """Whether it is a loose tile that lay there while people played on."""
        loose = problem.trouble is Trouble.LOOSE_TILE
        return loose and bool(problem.tiles) and all(map(self._is_older, problem.tiles))

    def _unseen(self, layout: Layout) -> int | None:
        """How many tiles of the set lie nowhere on the table; None where the boneyard cannot be counted."""
        if layout.boneyard is None:
            return None
        trains = sum(map(len, layout.trains.values())) + (layout.engine is not None)
        beside = sum(map(len, layout.hands.values())) + len(layout.loose)
        return sum(self.box.values()) - trains - beside - layout.boneyard

    def _astray(self, layout: Layout) -> int:
        """How many loose tiles lay there while people played: they may belong to another set."""
        return sum(self._is_older(tile.id) for tile in layout.loose)

    def at_once(self, player: str, layout: Layout, last: int) -> bool:
        return len(layout.hands.get(player, ())) >= LEAST_AT_ONCE and self._is_new(layout, player, last)

    def _is_new(self, layout: Layout, player: str, last: int) -> bool:
        return all(self._since.get(tile.id) == last for tile in layout.hands[player])

    def _all_down(self, table: Position | LinePosition) -> bool:
        """Whether every tile of the box is laid or put away, in a Chinese game."""
        if not isinstance(table, LinePosition):
            return False
        return len(table.line) + sum(table.discards.values()) >= sum(self.box.values())

    def _with_or_without_older(
        self,
        player: str,
        seen: Sequence[PlacedTile],
        layout: Layout,
        table: Position | LinePosition,
        counts: Container[int],
    ) -> OpenHand:
        """The hand as all that lies there, or without what lay there before; asked about where it may be either, and
        where it is a single tile that lay there while people played: that may be anybody's."""
        whole, new = self._hand(player, seen, layout, table, counts), self._without_older(seen)
        rest = whole if len(new) == len(seen) else self._hand(player, new, layout, table, counts)
        if rest is whole or rest.fault is not None:
            stray = len(seen) < LEAST_CLEAR and all(self._is_older(tile.id) for tile in seen)
            return self._asked(player, whole) if stray and whole.fault is None else whole
        if whole.fault is not None:
            return rest
        return self._asked(player, rest, whole)

    def _asked(self, player: str, *either: OpenHand) -> OpenHand:
        """One of these hands, all equally likely, or more of it is still to come."""
        fault = Question(QuestionKind.HAND_COUNT, player=player)
        return OpenHand(player, fault=fault, choices=tuple((1.0 / len(either), one) for one in either))

    def _hand(
        self,
        player: str,
        seen: Sequence[PlacedTile],
        layout: Layout,
        table: Position | LinePosition,
        counts: Container[int],
    ) -> OpenHand:
        # A tile on record lies in its train, whatever the hands laid beside that train make of it.
        others = Counter(self._on_the_table(layout)) | Counter(_on_record(table))
        for name, hand in layout.hands.items():
            if name != player:
                others.update(tile.laid.tile for tile in hand if tile.laid is not None)
        known = {tile.id: tile.laid.tile for tile in seen if tile.laid is not None}
        unread = [tile for tile in seen if tile.id not in known]
        if unread:
            return OpenHand(
                player,
                fault=Question(QuestionKind.HAND_UNREAD, player=player),
                choices=self._choices(player, seen, known, others),
            )
        here = Counter(known.values())
        open_hand = self._sorted(player, seen, known)
        if any(here[tile] + others[tile] > self.box.get(tile, 0) for tile in here):
            return OpenHand(player, fault=Question(QuestionKind.HAND_TWICE, player=player), choices=((1.0, open_hand),))
        if len(known) not in counts:
            return self._asked(player, open_hand)
        return open_hand

    def _sorted(self, player: str, seen: Sequence[PlacedTile], known: Mapping[int, Tile]) -> OpenHand:
        """The tiles that were left, and those that had been put away face down there."""
        away = [known[tile.id] for tile in seen if self._was_put_away(tile)]
        left = [known[tile.id] for tile in seen if not self._was_put_away(tile)]
        return OpenHand(player, tuple(sorted(left)), tuple(sorted(away)))

    def _on_the_table(self, layout: Layout) -> Iterator[Tile]:
        placed = [*layout.line, *(tile for train in layout.trains.values() for tile in train)]
        if layout.engine is not None:
            placed.append(layout.engine)
        return (tile.laid.tile for tile in placed if tile.laid is not None)

    def _was_put_away(self, tile: PlacedTile) -> bool:
        return any(distance(tile.seen.center_mm, place) <= self.reach_mm for place in self._backs)

    def _choices(
        self, player: str, seen: Sequence[PlacedTile], known: Mapping[int, Tile], others: Counter[Tile]
    ) -> tuple[tuple[float, OpenHand], ...]:
        """The hand with its one unread tile read in each likely way; more than one unread tile are not guessed at."""
        unread = [tile for tile in seen if tile.id not in known]
        if len(unread) > 1 or unread[0].halves is None:
            return ()
        lying = others + Counter(known.values())
        found: dict[Tile, float] = {}
        for p, laid in likely_tiles(unread[0].halves, 0, self.box, lying):
            found[laid.tile] = found.get(laid.tile, 0.0) + p
        ranked = sorted(found.items(), key=lambda item: -item[1])[:MOST_CANDIDATES]
        return tuple(
            (p, self._sorted(player, seen, {**known, unread[0].id: tile})) for tile, p in ranked if p >= LEAST_CANDIDATE
        )


class RoundEnding:
    """Shows the session the hands that lie open once its round is over, and asks about those that cannot be right.

    >>> from tempfile import mkdtemp
    >>> from companion.geometry.layout import SeenHalf, SeenTile
    >>> from companion.log.event_fields import Header
    >>> game = Game.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    >>> ending = RoundEnding(game, OpenHands(("Ann", "Ben"), {Tile(5, 6): 1}, reach_mm=28.0), lambda frame: None)
    >>> started, ended = game.start_round(starter="Ann"), game.end_round("out", "Ann")
    >>> halves = SeenHalf(6, 1.0), SeenHalf(5, 1.0)
    >>> tile = PlacedTile(1, SeenTile((700.0, 20.0), 0.0, 56.0, 28.0, True, halves, 1.0))
    >>> ending.see(Layout(hands={"Ben": (tile,)}), "0001.jpg")
    >>> [question.reason for question in game.questions]
    ['hand_count: Ben']
    >>> game.close()
    """

    def __init__(self, session: Game, hands: OpenHands, keep: Callable[[str], str | None]) -> None:
        self.session = session
        self.hands = hands
        self.keep = keep
        self._asked: dict[str, tuple[OpenHand, int]] = {}
        self._phase = ""
        self._against_the_record: OpenHand | None = None

    def stirred(self) -> bool:
        """Whether somebody has ended the round since the last look: the hands may lie there already."""
        return self._phase == "playing" and bool(self.session.phase == "ended")

    def see(self, layout: Layout, frame: str) -> None:
        """A still table was read."""
        if self._end_where_hands_lie_open(layout):
            # The same picture once more, now that what lies at a seat is a hand and no part of a train.
            self._phase = "playing"
            return
        phase = self._phase = self.session.phase
        if phase not in ("ended", "scored"):
            for player in list(self._asked):
                if self._against_the_record is None or player != self._against_the_record.player:
                    self._drop(player)
        if self._against_the_record is not None:
            self._ask(self._against_the_record, frame)
        if phase == "waiting":
            self.hands.forget()
        if phase in ("playing", "ended"):
            self.hands.note(layout)
        table = self.session.position
        if table is None or phase not in ("ended", "scored"):
            return
        shown = self.session.match.shown
        # Of those that are asked about first it is known how many tiles they may have when the last one is counted.
        hands = sorted(self.hands.read(layout, table, self.session.match.least_left), key=lambda one: one.fault is None)
        new = [hand.player for hand in hands if hand.fault is None and hand.player not in shown]
        for hand in hands:
            before = shown.get(hand.player)
            if before is not None and not (before.source == "camera" and _more(before, hand)):
                self._drop(hand.player)
            elif hand.fault is not None:
                # Once the points are told people clear the table, and what lies near a seat is nobody's hand.
                if phase == "ended":
                    self._ask(hand, frame)
            elif self._was_only_slow(hand) or before is not None or phase == "ended":
                self._drop(hand.player)
                if hand.player in new[:-1]:
                    self._show(hand)
                else:
                    self._show_if_all_add_up(layout, table, hand, frame)
        self._phase = self.session.phase

    def _end_where_hands_lie_open(self, layout: Layout) -> bool:
        """Nobody said that the round is over, and the counts do not tell: the hands laid open do.

        A round counts as given up and blocked only if no draw is left; else somebody would be to blame.
        """
        table, self._against_the_record = self.session.position, None
        if table is None or self.session.phase != "playing" or self.session.rules.open_hands:
            return False
        if isinstance(table, LinePosition):
            # Nobody turns over what they have put away while tiles are laid, however many were seen to be.
            if all(layout.hands.get(name) for name in table.players if name not in table.gone):
                self.session.end_round("out", source="camera")
            return bool(self.session.phase == "ended")
        if not any(layout.hands.values()):
            self.hands.lie_open(layout, 0)
            return False
        plays = self.session.snapshot().plays
        laid = [play for play in plays if play.get("event") == "tile_played" and not play.get("taken_back")]
        last, by = (laid[-1]["seq"], laid[-1].get("by")) if laid else (0, None)
        self.hands.lie_open(layout, last)
        out = self.hands.out(layout, table, last, self.session.match.least_left)
        dealt = self.session.rules.hand_size(table.set_max, len(table.players)) or 0
        if out and sum(map(len, table.trains.values())) < dealt:
            # Nobody has laid a whole hand yet: what seems to lie open are backs that were taken for faces.
            return False
        # Where all lay their first trains together, somebody may lay on after the one who is out.
        together = self.session.rules.first_simultaneous and all(play.get("by") == play["train"] for play in laid)
        if out and (together or by in (out, None)):
            self.session.end_round("out", out, source="camera")
        elif out and by is not None and self.hands.at_once(by, layout, last):
            # On record the last tile is another player's, whose hand lies open: a name is wrong, or a count.
            self._against_the_record = OpenHand(by, fault=Question(QuestionKind.HAND_COUNT, player=by))
        elif out == "" and not table.boneyard and not layout.boneyard:
            self.session.end_round("blocked_declared", source="camera")
        return bool(self.session.phase == "ended")

    def _was_only_slow(self, hand: OpenHand) -> bool:
        """Whether the player who seemed to be out was only the last to lay the hand open; then nobody was out."""
        ended = next(event for event in reversed(self.session.events) if isinstance(event, RoundEnded))
        if not hand.tiles or ended.source != "camera" or ended.out != hand.player:
            return False
        self.session.correct(ended.seq, {"how": "blocked_declared", "out": None}, source="camera")
        return True

    def _show_if_all_add_up(self, layout: Layout, table: Position | LinePosition, hand: OpenHand, frame: str) -> None:
        count = self._count_with(layout, table, hand)
        if count is None:
            self._show(hand)
            return
        fault = Question(QuestionKind.SET_SUM, about=f"{count}/{sum(self.hands.box.values())}")
        self._ask(replace(hand, fault=fault, choices=((1.0, hand),)), frame)

    def _show(self, hand: OpenHand) -> None:
        self.session.show_hand(hand.player, hand.tiles, hand.discards, source="camera")

    def _count_with(self, layout: Layout, table: Position | LinePosition, hand: OpenHand) -> int | None:
        """Played + hands + what nobody has, with the last hand, where that cannot be the whole set.

        A boneyard that cannot be counted has what was neither dealt nor seen to be drawn, or fewer: some draws go
        unseen. A hand that is asked about has as many tiles as lie there, or as are due.
        """
        shown: dict[str, HandShown | OpenHand] = {**self.session.match.shown, hand.player: hand}
        whole, taken, trains = sum(self.hands.box.values()), self.session.match.taken, isinstance(table, Position)
        nobodys = layout.boneyard if trains else None
        stacked = trains and nobodys is None
        if nobodys is None and taken is not None:
            nobodys = whole - trains - taken
        if nobodys is None:
            return None
        sheet = self.session.scoreboard.round
        empty = {name for name, left in table.hands.items() if left == 0 and trains} | {sheet.out if sheet else None}
        asked = [name for name in self._asked if name not in shown]
        if any(name not in shown and name not in {*asked, *empty, *table.gone} for name in table.players):
            return None
        lying = {name: len(layout.hands.get(name, ())) for name in asked}
        left = sum(len(one.tiles) + len(one.discards) for one in shown.values()) + sum(lying.values())
        count = left + len(_on_record(table)) + nobodys
        more = [(self._due(table, name) or lying[name]) - lying[name] for name in asked]
        least, most = sum(min(0, one) for one in more), sum(max(0, one) for one in more)
        return None if (stacked or count + least <= whole) and whole <= count + most else count

    def _due(self, table: Position | LinePosition, player: str) -> int:
        """How many tiles that player has, those put away too; 0 where nobody can say."""
        held = table.hands.get(player)
        if held is None:
            return max(0, self.session.match.least_left.get(player, 0))
        return held + (table.discards.get(player, 0) if isinstance(table, LinePosition) else 0)

    def _ask(self, hand: OpenHand, frame: str) -> None:
        known = self._asked.get(hand.player)
        if known is not None and known[0] == hand:
            return
        self._drop(hand.player)
        candidates = [_candidate(one, p) for p, one in hand.choices]
        assert hand.fault is not None
        asked = self.session.ask(hand.fault, candidates, frame=self.keep(frame))
        self._asked[hand.player] = (hand, asked[0].seq)

    def _drop(self, player: str) -> None:
        """The question about this hand has answered itself."""
        known = self._asked.pop(player, None)
        if known is not None:
            self.session.drop_question(known[1])


def _most_of(hand: Sequence[PlacedTile], due: int | None) -> bool:
    """Does most of a hand that is so large lie there, and no more than that?"""
    return due is not None and due / 2 < len(hand) <= due


def _more_than(hand: Sequence[PlacedTile], due: int | None) -> bool:
    return due is not None and len(hand) > due


def _on_record(table: Position | LinePosition) -> list[Tile]:
    chain = table.line if isinstance(table, LinePosition) else table.laid()
    return [laid.tile for laid in chain]


def _without(hand: Sequence[PlacedTile], astray: Counter[Tile]) -> list[PlacedTile]:
    """A hand less what is on record as laid and lies in no train now: that is one of a train's tiles beside it."""
    own = []
    for tile in hand:
        if tile.laid is not None and astray[tile.laid.tile] > 0:
            astray[tile.laid.tile] -= 1
        else:
            own.append(tile)
    return own


def _more(before: HandShown, hand: OpenHand) -> bool:
    """Whether tiles were added to a hand that was shown; they are taken away when the table is cleared."""
    was, now = Counter((*before.tiles, *before.discards)), Counter((*hand.tiles, *hand.discards))
    return was < now


def _candidate(hand: OpenHand, p: float) -> Candidate:
    line = HandShown(by=hand.player, tiles=hand.tiles, discards=hand.discards, source="person").to_insert()
    text = " ".join(f"{tile.low}-{tile.high}" for tile in (*hand.tiles, *hand.discards))
    return Candidate(text, (line,), p=p)
