"""A board: one round under one rule set, and the turns played on it. The door of the rules for other programs.

The rules themselves are in `companion.rules.referee`; nothing is decided here. A `Board` checks what it is given, asks
the referee and keeps what was played, as the board of a chess library does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.rules import chinese, notation
from companion.rules.mexican import judge as scoring
from companion.rules.mexican.turn import dead_status
from companion.rules.notation import (
    NotationError,
    parse_action,
    parse_chain,
    parse_laid,
    parse_tile,
    print_chain,
    print_laid,
)
from companion.rules.position import (
    MEXICAN,
    SECOND_MEXICAN,
    Action,
    Chain,
    Discard,
    Draw,
    End,
    Flip,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    Unmark,
)
from companion.rules.reasons import Reason, explain_all
from companion.rules.referee import Referee
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.ruleset_fields import ANY_SET
from companion.rules.tile import Laid, RulesError, Tile, double_set, highest_double
from companion.rules.violations import Ruling, Violation

AnyTurn = str | Action | Iterable[Action]
"""A turn as notation (`"play 12-5@Ann; end"`), as one act, or as several."""

AnyHand = str | Iterable[Tile | str]
"""Tiles as notation (`"12-5 3-3"`), or one by one."""

LARGEST_SET = 99
MOST_PIPS = 999
"""The most pips that the notation allows on a half."""
_ACTS = (Play, Draw, Mark, Unmark, Flip, Discard, Pass, End)


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """One turn of a board's record: who made it, its acts, and the ruling on it.

    >>> board = Board("tactic")
    >>> board.push("play 12-5@Ann; end").legal
    True
    >>> board.turns[0].ruling.verdict
    'legal'
    """

    player: str
    actions: tuple[Action, ...]
    ruling: Ruling


class Board:
    """One round under one rule set, from the deal on or from any table on.

    Args:
        rules: the name of a rule set (`RULESET_NAMES`), the path of a house's own .toml file, or a `RuleSet`.
        players: names in playing order: clockwise, in the Chinese games counter-clockwise.
        options: single rules that this table changes, by field name (docs/house-rules.md).
        set: the highest double of the set (6, 9, 12 ..., or "double-12"); None is the rule set's usual one. The Chinese
            games have one.
        engine: the tile in the middle, `"12-12"`; None is the one that is due in this round.
        turn: who is to move; None is the first player.
        round: the number of the round, from 1. The engine is checked against it.
        trains: Mexican Train as it lies: player, or `MX`, -> tiles from the engine outwards, `"12-5 5-7"`.
        line: a Chinese line as it lies, from left to right, `"2:6 6:4"`.
        markers: whose trains carry a marker.
        open: trains that end in an uncovered double, in the order of laying; None: every train that ends in one.
        flipped: trains that a face-down dead double closes.
        boneyard: tiles left to draw; None: what the deal leaves where nothing lies yet, else nobody can count them.
        first_turn: whether `turn` has the first turn of the round; None: where nothing lies yet.

    Raises:
        RulesError: one of them cannot be used; nothing else is raised.

    >>> board = Board("tactic", ["Ann", "Ben"])
    >>> board.push("play 12-5@Ann; end").legal
    True
    >>> sorted(map(str, board.push("play 5-6@Ann").codes))
    ['CLOSED_TRAIN']
    """

    def __init__(
        self,
        rules: str | Path | RuleSet = "tactic",
        players: Sequence[str] = ("Ann", "Ben"),
        *,
        options: Mapping[str, Any] | None = None,
        set: int | str | None = None,
        engine: str | Laid | None = None,
        turn: str | None = None,
        round: int | None = None,
        trains: Mapping[str, str | Chain] | None = None,
        line: str | Chain = "",
        markers: Iterable[str] = (),
        open: Iterable[str] | None = None,
        flipped: Iterable[str] = (),
        boneyard: int | None = None,
        first_turn: bool | None = None,
    ) -> None:
        self._rules = _rules(rules, options)
        self._referee = Referee(self._rules)
        self._options = dict(options or {})
        self._given: str | RuleSet = rules if isinstance(rules, RuleSet) else str(rules)
        names = _players(players)
        mover = names[0] if turn is None else _one_of("turn", turn, names)
        self._position: Position | LinePosition
        if self._rules.is_mexican:
            if line:
                raise RulesError("line: expected trains, for this is Mexican Train")
            self._position = _mexican(
                self._rules, names, mover, set, engine, round, trains, markers, open, flipped, boneyard, first_turn
            )
        else:
            if set is not None or engine is not None or trains:
                raise RulesError("set, engine, trains: expected none of them, for the Chinese games have a line")
            chain = _chain("line", line, ":")
            hand = None if chain else self._rules.hand_size(ANY_SET, len(names))
            hands = {} if hand is None else dict.fromkeys(names, hand)
            self._position = LinePosition(names, chain, mover, hands=hands)
        self._start = self._position
        self._played: list[tuple[PlayedTurn, Position | LinePosition]] = []

    @classmethod
    def read(cls, text: str) -> Board:
        """A whole round from its notation, as `text` writes it: a head, then a line a turn. `#` begins a remark.

        Raises RulesError naming the line.

        >>> board = Board.read('''
        ... rules: tactic
        ... player: Ann
        ... player: Ben
        ...
        ... Ann: play 12-5@Ann    # the turn is over with the line
        ... Ben: draw; mark Ben
        ... ''')
        >>> board.turn, [turn.ruling.verdict for turn in board.turns]
        ('Ann', ['legal', 'legal'])
        """
        return notation.read(cls, text)

    def text(self) -> str:
        """The round as notation, with the table that it began on; `Board.read` gives the same board.

        >>> board = Board("jielong", ["Ann", "Ben", "Cy"])
        >>> board.push("play 2:6@R").legal
        True
        >>> print(board.text())
        rules: jielong
        player: Ann
        player: Ben
        player: Cy
        starter: Ann
        <BLANKLINE>
        Ann: play 2:6@R
        <BLANKLINE>
        """
        return notation.write(self, self._start, self._given, self._options)

    @property
    def rules(self) -> RuleSet:
        """The rule set, its options applied.

        >>> Board("reeves").rules.title
        'Mexican Train (Reeves)'
        """
        return self._rules

    @property
    def position(self) -> Position | LinePosition:
        """The table as it lies now, a frozen value.

        >>> Board("tactic").position.boneyard
        58
        """
        return self._position

    @property
    def players(self) -> tuple[str, ...]:
        """The names in playing order.

        >>> Board("cz", ["Ann", "Ben", "Cy"]).players
        ('Ann', 'Ben', 'Cy')
        """
        return self._position.players

    @property
    def turn(self) -> str:
        """The player to move.

        >>> Board("tactic", ["Ann", "Ben"], turn="Ben").turn
        'Ben'
        """
        return self._position.turn

    @property
    def turns(self) -> tuple[PlayedTurn, ...]:
        """The turns played, the first one first.

        >>> board = Board("tactic")
        >>> board.push("draw; mark Ann").legal
        True
        >>> board.turns[0].player, board.turns[0].actions
        ('Ann', (Draw(), Mark(player='Ann')))
        """
        return tuple(turn for turn, _ in self._played)

    @property
    def trains(self) -> dict[str, str]:
        """Each train in notation; of a Chinese game the one `chinese`.

        >>> Board("tactic", trains={"Ann": "12-5 5-7"}).trains
        {'Ann': '12-5 5-7', 'Ben': '', 'MX': ''}
        """
        if isinstance(self._position, LinePosition):
            return {"line": print_chain(self._position.line, ":")}
        return {name: print_chain(chain) for name, chain in self._position.trains.items()}

    @property
    def ends(self) -> dict[str, int]:
        """The value that the next tile must show, by train; of a Chinese line by arm, none while nothing lies.

        >>> Board("tactic", trains={"Ann": "12-5 5-7"}).ends
        {'Ann': 7, 'Ben': 12, 'MX': 12}
        >>> Board("kkori", line="2:6 6:4").ends
        {'L': 2, 'R': 4}
        """
        position = self._position
        if isinstance(position, LinePosition):
            return {} if position.ends is None else dict(zip("LR", position.ends, strict=True))
        return {train: position.value_due(train) for train in position.train_names()}

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """Every tile of the set, a tile that exists twice twice.

        >>> len(Board("tactic").tiles), len(Board("jielong").tiles)
        (91, 32)
        """
        if isinstance(self._position, Position):
            return tuple(sorted(double_set(self._position.set_max)))
        copies = chinese.tiles_of(self._rules, len(self.players))
        return tuple(sorted(tile for tile, count in copies.items() for _ in range(count)))

    @property
    def unseen(self) -> tuple[Tile, ...]:
        """The tiles that do not lie face up on the table: in hands, in the boneyard, or out of play.

        >>> len(Board("tactic", trains={"Ann": "12-5 5-7"}).unseen)
        88
        """
        position = self._position
        laid = position.laid() if isinstance(position, Position) else position.line
        left = Counter(self.tiles) - Counter(one.tile for one in laid)
        return tuple(sorted(left.elements()))

    @property
    def hand_size(self) -> int | None:
        """How many tiles each player is dealt; None where the source has no number for so many players.

        >>> Board("tactic", ["Ann", "Ben"]).hand_size
        16
        """
        return self._rules.hand_size(self._position.set_max, len(self.players))

    def legal_plays(self, hand: AnyHand | None = None, done: AnyTurn = (), *, surely: bool = False) -> list[Play]:
        """Every tile and place that the player to move may choose next. Empty: draw, or the turn is over.

        These are next acts, not whole turns: after a double the turn goes on, and `judge` and `push`, which rule on
        whole turns, find a fault in the double alone. Pass what was laid as `done` to see what may follow.

        Args:
            hand: the player's tiles; None: any tile that is not on the table.
            done: the acts that this turn has seen already.
            surely: only what is right however the open questions of the source are answered.

        Raises RulesError.

        >>> Board("tactic").legal_plays("12-5 3-3")
        [Play(tile=Laid(inner=12, outer=5), train='Ann'), Play(tile=Laid(inner=12, outer=5), train='MX')]
        """
        tiles = None if hand is None else [self._tile("hand", one) for one in _items("hand", hand)]
        acts = self._actions(done)
        return self._referee.legal_plays(self._position, tiles, acts, surely=surely)

    def legal_turns(self, hand: AnyHand) -> Iterator[tuple[Action, ...]]:
        """Every whole turn that the player to move may make with this hand, as `push` takes it: tiles laid one after
        the other, else a draw, a marker, a tile laid aside or nothing. Nobody knows what a drawn tile fits.
        A long first train may be laid in thousands of ways: take as many as you need.

        Raises RulesError.

        >>> next(Board("tactic").legal_turns("12-5 3-3"))
        (Play(tile=Laid(inner=12, outer=5), train='Ann'),)
        """
        yield from self._turns_from((), [self._tile("hand", one) for one in _items("hand", hand)])

    def _turns_from(self, laid: tuple[Play, ...], left: list[Tile]) -> Iterator[tuple[Action, ...]]:
        plays = self.legal_plays(left, laid)
        declined = not laid and self._rules.may_decline
        if not plays or declined or (laid and not laid[-1].tile.is_double):
            turns = [(*laid, *way) for way in self._ways_to_end(bool(laid))]
            rulings = [self.judge(turn) for turn in turns]
            fine = [turn for turn, ruling in zip(turns, rulings, strict=True) if ruling.legal and not ruling.may]
            legal = [turn for turn, ruling in zip(turns, rulings, strict=True) if ruling.legal]
            # Each says what those before it say, and something more.
            yield from (fine or legal)[:1]
        for play in plays if self._rules.is_mexican or not laid else ():
            rest = list(left)
            rest.remove(play.tile.tile)
            yield from self._turns_from((*laid, play), rest)

    def _ways_to_end(self, laid: bool) -> list[tuple[Action, ...]]:
        """Acts that may follow the last tile of a turn, or stand for one, the shortest first."""
        me = self.turn
        if not self._rules.is_mexican:
            return [()] if laid else [(Discard(),), (Pass(),)]
        ways: list[tuple[Action, ...]] = [(Draw(),), (Mark(me),), (Draw(), Mark(me))]
        return [(), (Unmark(me),), *ways] if laid else [*ways, (End(),)]

    def is_legal(self, turn: AnyTurn) -> bool:
        """Whether this whole turn by the player to move breaks no rule for certain. Raises RulesError.

        >>> Board("tactic").is_legal("play 12-5@Ben; end")
        False
        """
        return self.judge(turn).legal

    def judge(self, turn: AnyTurn, by: str | None = None) -> Ruling:
        """The ruling on a whole turn; the table stays as it is. `by`: who makes it; None is the player to move.

        An illegal turn is a ruling, not an exception. Raises RulesError where the turn is no notation, or names
        somebody who does not play.

        >>> Board("tactic").judge("play 12-5@Ben; end")
        Ruling(codes=frozenset({<Violation.CLOSED_TRAIN: 'CLOSED_TRAIN'>}), may=frozenset())
        """
        mover = self.turn if by is None else _one_of("by", by, self.players)
        return self._ruled_by(mover, self._actions(turn))

    def explain(self, turn: AnyTurn | PlayedTurn, by: str | None = None, *, may: bool = False) -> list[Reason]:
        """Why that turn is illegal: for each certain code a sentence, the rule and the source it rests on.

        Args:
            turn: a whole turn, as for `push`; the table stays as it is. Or one of `turns`, on the table as it lay then.
            by: who makes it; None is the player to move.
            may: whether to add the faults that are only possible (`Ruling.may`). Their `certain` is False, and they
                accuse nobody.

        Raises RulesError.

        >>> [reason] = Board("tactic").explain("play 12-5@Ben; end")
        >>> reason.sentence
        "Ann played 12-5 on Ben's train, which is closed to others."
        """
        if isinstance(turn, PlayedTurn):
            return self._before(turn).explain(turn.actions, turn.player, may=may)
        mover, acts = self.turn if by is None else _one_of("by", by, self.players), self._actions(turn)
        ruling = self._ruled_by(mover, acts)
        facts = self._referee.facts(self._turned_to(mover), acts)
        reasons = explain_all(self._rules, ruling.codes, facts, mover or None)
        if may:
            reasons += explain_all(self._rules, ruling.may, facts, mover or None, certain=False)
        return reasons

    def _before(self, played: PlayedTurn) -> Board:
        """The board as it was before that turn."""
        place = next((n for n, (turn, _) in enumerate(self._played) if turn is played), None)
        if place is None:
            raise RulesError("turn: expected one of the turns of this board")
        then = self.copy()
        then._position = self._played[place][1]
        del then._played[place:]
        return then

    def status(self) -> Ruling:
        """The ruling on the table as it lies, whoever laid what: what one photograph proves.

        >>> sorted(Board("tactic", trains={"Ann": "12-5 6-7"}).status().codes)
        [<Violation.MISMATCH: 'MISMATCH'>]
        """
        if isinstance(self._position, Position):
            from companion.rules.mexican.judge import judge_state

            return judge_state(self._rules, self._position)
        grown = LinePosition(self.players)
        codes: set[Violation] = set()
        may: set[Violation] = set()
        for laid in self._position.line:
            ruling = self._referee.judge_play(grown, Play(laid, "R"))
            codes |= ruling.codes
            may |= ruling.may
            grown = replace(grown, line=(*grown.line, laid))
        return Ruling.of(codes, may)

    def push(self, turn: AnyTurn, by: str | None = None) -> Ruling:
        """Play a whole turn, right or wrong, and rule on it: the table follows what lies there.

        `by`: who made it; None is the player to move. Anybody else is out of turn, and the next turn is that of
        the player after. Raises RulesError.

        >>> board = Board("tactic")
        >>> board.push("play 12-5@Ann; end").verdict
        'legal'
        >>> board.turn
        'Ben'
        """
        mover = self.turn if by is None else _one_of("by", by, self.players)
        position, acts = self._turned_to(mover), self._actions(turn)
        ruling = self._ruled_by(mover, acts)
        self._played.append((PlayedTurn(mover, acts, ruling), self._position))
        self._position = self._after(position, acts)
        return ruling

    def pop(self) -> PlayedTurn:
        """Take back the last turn. Raises RulesError without one.

        >>> board = Board("tactic")
        >>> board.push("draw; mark Ann").legal
        True
        >>> board.pop().player, board.turn
        ('Ann', 'Ann')
        """
        if not self._played:
            raise RulesError("pop: expected a turn, and none was played on this board")
        turn, self._position = self._played.pop()
        return turn

    def copy(self) -> Board:
        """A board of its own with the same table and turns.

        >>> board = Board("tactic")
        >>> other = board.copy()
        >>> other.push("draw; mark Ann").legal, board.turn
        (True, 'Ann')
        """
        other = Board.__new__(Board)
        other._rules, other._referee = self._rules, self._referee
        other._options, other._given = dict(self._options), self._given
        other._position, other._start, other._played = self._position, self._start, list(self._played)
        return other

    def is_blocked(self) -> bool:
        """Whether nobody can ever play again, provably, whoever holds what.

        >>> Board("tactic").is_blocked()
        False
        """
        return self._referee.blocked(self._position)

    def is_dead(self, train: str) -> bool:
        """Whether the open double at the end of this train can never be covered, provably. Raises RulesError.

        >>> Board("tactic", trains={"Ann": "12-5 5-5"}).is_dead("Ann")
        False
        """
        if not isinstance(self._position, Position):
            raise RulesError("train: expected a game of Mexican Train, for a Chinese line has no trains")
        return dead_status(self._position, _one_of("train", train, self._position.train_names())) == "certain"

    def score(
        self,
        hands: Mapping[str, AnyHand],
        *,
        out: str | None = None,
        blocked: bool = False,
        mode: str | None = None,
    ) -> dict[str, int]:
        """The result of the round: points, in the Chinese games the net payment (positive: receives).

        Args:
            hands: player -> the tiles left; in the Chinese games those laid aside as well.
            out: who laid the last tile; None: the player with none left.
            blocked: the round ended with nobody out.
            mode: another way of counting than the rule set's: `SCORE_MODES`, for the Chinese games `SETTLEMENTS`.

        Raises RulesError.

        >>> Board("tactic").score({"Ann": "", "Ben": "12-5 3-3"})
        {'Ann': 0, 'Ben': 23}
        >>> Board("kkori", ["Ann", "Ben"]).score({"Ann": "", "Ben": "6:5"})
        {'Ann': 1, 'Ben': -1}
        """
        if not isinstance(hands, Mapping):
            raise RulesError(f"hands: expected player -> tiles, not {type(hands).__name__}")
        left = {
            _one_of("hands", player, self.players): [self._tile("hands", one) for one in _items("hands", tiles)]
            for player, tiles in hands.items()
        }
        missing = [player for player in self.players if player not in left]
        if missing:
            raise RulesError(f"hands: expected the tiles of each player, and {', '.join(missing)} is missing")
        modes = scoring.SCORE_MODES if self._rules.is_mexican else chinese.SETTLEMENTS
        if mode is not None:
            _one_of("mode", mode, modes)
        if self._rules.is_mexican:
            winner = None if out is None else _one_of("out", out, self.players)
            return scoring.score(self._rules, left, mode=mode, blocked=blocked, out=winner)
        start = self.players.index(self._start.turn)
        order = self.players[start:] + self.players[:start]
        pips = {player: sum(tile.pips for tile in tiles) for player, tiles in left.items()}
        aside = self._position.discards if isinstance(self._position, LinePosition) else {}
        discards = {player: aside.get(player, 0) for player in order} if self._played else None
        return dict(chinese.settle(self._rules, order, pips, discards=discards, mode=mode).result)

    def __str__(self) -> str:
        """The table in words, a line a train.

        >>> print(Board("tactic", trains={"Ann": "12-5 5-7"}, markers=["Ben"]))
        12-12
        Ann  12-5 5-7
        Ben  (marker)
        MX
        Ann to move
        """
        if isinstance(self._position, LinePosition):
            lines = [self.trains["line"] or "nothing laid"]
        else:
            lines = [print_laid(self._position.engine)]
            for name, chain in self.trains.items():
                marked = "(marker)" if name in self._position.markers else ""
                lines.append("  ".join(part for part in (name, chain, marked) if part))
        return "\n".join([*lines, f"{self.turn} to move"])

    def __repr__(self) -> str:
        rules = self._rules.name if isinstance(self._given, RuleSet) else self._given
        return f"<Board {rules} {', '.join(self.players)}: {len(self._played)} turns, {self.turn} to move>"

    @property
    def _sign(self) -> str:
        return "-" if self._rules.is_mexican else ":"

    def _tile(self, field: str, one: Tile | str) -> Tile:
        if isinstance(one, Tile):
            return one
        try:
            return parse_tile(one, self._sign)
        except RulesError as wrong:
            raise RulesError(f"{field}: {wrong}") from None

    def _actions(self, turn: AnyTurn) -> tuple[Action, ...]:
        """The acts of a turn. Each may name only players and trains of this board."""
        if isinstance(turn, str):
            acts = self._parsed(turn)
        elif isinstance(turn, _ACTS):
            acts = (turn,)
        elif isinstance(turn, Iterable):
            acts = tuple(turn)
        else:
            raise RulesError(f"turn: expected notation or acts, not {type(turn).__name__}")
        if any(isinstance(act, End) or (isinstance(act, Pass) and self._rules.is_mexican) for act in acts[:-1]):
            raise RulesError("turn: expected nothing after its end")
        if self._rules.is_mexican:
            trains: tuple[str, ...] = (*self.players, MEXICAN, SECOND_MEXICAN)
        else:
            trains = ("R", "L")
        for act in acts:
            match act:
                case Play(tile, train):
                    _one_of("turn: train", train, trains)
                    _laid("turn: tile", tile, self._sign)
                case Flip(train):
                    _one_of("turn: train", train, trains)
                case Mark(player) | Unmark(player):
                    _one_of("turn: player", player, (*self.players, MEXICAN))
                case Draw() | Discard() | Pass() | End():
                    pass
                case _:
                    raise RulesError(f"turn: expected acts such as Play or Draw, not {type(act).__name__}")
        return acts

    def _parsed(self, turn: str) -> tuple[Action, ...]:
        """In the notation of this game; `str` of a tile laid on the train of somebody called L or R has that of the
        other."""
        try:
            return parse_action(turn, self._sign)
        except NotationError:
            if not self._rules.is_mexican or not {"L", "R"}.intersection(self.players):
                raise
            acts = parse_action(turn, ":")
            if not all(isinstance(act, Play) for act in acts):
                raise
            return acts

    def _ruled_by(self, mover: str, acts: Sequence[Action]) -> Ruling:
        ruling = self._referee.judge(self._turned_to(mover), acts)
        return ruling if mover == self.turn else Ruling.of({*ruling.codes, Violation.OUT_OF_TURN}, ruling.may)

    def _turned_to(self, player: str) -> Position | LinePosition:
        if player == self.turn:
            return self._position
        if isinstance(self._position, LinePosition):
            return replace(self._position, turn=player)
        first = self._position.first_turn and not self._position.trains.get(player)
        return replace(self._position, turn=player, first_turn=first and player not in self._position.markers)

    def _after(self, position: Position | LinePosition, acts: Sequence[Action]) -> Position | LinePosition:
        if isinstance(position, Position):
            return self._referee.after_turn(position, acts)
        after = self._referee.after_turn(position, acts)
        for _ in self.players:  # a player with no tile left has no turn
            if after.hands.get(after.turn) != 0:
                break
            after = replace(after, turn=after.after(after.turn))
        return after


def _rules(rules: str | Path | RuleSet, options: Mapping[str, Any] | None) -> RuleSet:
    if options is not None and not isinstance(options, Mapping):
        raise RulesError(f"options: expected field names with values, not {type(options).__name__}")
    if isinstance(rules, RuleSet):
        from companion.rules.ruleset import with_options

        return with_options(rules, options or {})
    return load_ruleset(rules, options)


def _players(players: Sequence[str]) -> tuple[str, ...]:
    names = tuple(_items("players", players)) if not isinstance(players, str) else ()
    texts = [name for name in names if isinstance(name, str) and name.strip() == name and name]
    if len(names) < 2 or len(texts) < len(names) or len({*names}) < len(names):
        raise RulesError(f"players: expected two or more different names, not {players!r}"[:300])
    for name in names:
        if name in (MEXICAN, SECOND_MEXICAN) or any(sign in name for sign in ";@#") or len(name.splitlines()) > 1:
            raise RulesError(f"players: expected a name in one line without ; @ # and not MX or MX2, not {name!r}")
    return names


def _mexican(
    rules: RuleSet,
    names: tuple[str, ...],
    mover: str,
    set_max: int | str | None,
    engine: str | Laid | None,
    round_number: int | None,
    trains: Mapping[str, str | Chain] | None,
    markers: Iterable[str],
    opened: Iterable[str] | None,
    flipped: Iterable[str],
    boneyard: int | None,
    first_turn: bool | None,
) -> Position:
    set_max = rules.sets[0] if set_max is None else _number("set", highest_double(set_max), 1, LARGEST_SET)
    if round_number is not None:
        _number("round", round_number, 1)
    places = (*names, MEXICAN)
    turned = _items("flipped", flipped)
    if trains is not None and not isinstance(trains, Mapping):
        raise RulesError(f"trains: expected train -> tiles, not {type(trains).__name__}")
    laid: dict[str, Chain] = dict.fromkeys(places, ())
    for train, chain in (trains or {}).items():
        laid[_one_of("trains", train, (*places, SECOND_MEXICAN))] = _chain(f"trains.{train}", chain, "-")
    if engine is None:
        due = scoring.engine_due(rules, set_max, round_number or 1)
        if due < 0:
            raise RulesError(f"round: expected 1 to {scoring.last_round(rules, set_max)}, not {round_number}")
        middle = Laid(due, due)
    else:
        middle = _laid("engine", engine, "-")
    fresh = not any(laid.values())
    hands: dict[str, int] = {}
    if boneyard is not None:
        _number("boneyard", boneyard, 0)
    elif fresh and rules.engine_from == "set_aside":
        dealt = scoring.deal(rules, set_max, len(names))
        if dealt.hand is not None and dealt.boneyard is not None and dealt.boneyard >= 0:
            boneyard, hands = dealt.boneyard, dict.fromkeys(names, dealt.hand)
    if opened is None:
        ends = tuple(train for train, chain in laid.items() if chain and chain[-1].is_double)
        ends = tuple(train for train in ends if train not in turned)
    else:
        ends = tuple(_one_of("open", train, tuple(laid)) for train in _items("open", opened))
    return Position(
        set_max,
        names,
        middle,
        laid,
        markers=frozenset(_one_of("markers", one, places) for one in _items("markers", markers)),
        open=ends,
        flipped=frozenset(_one_of("flipped", one, tuple(laid)) for one in turned),
        turn=mover,
        first_turn=fresh if first_turn is None else bool(first_turn),
        boneyard=boneyard,
        hands=hands,
        round=round_number,
        first_engine=rules.first_engine,
    )


def _items(field: str, values: Any) -> Collection[Any]:
    """The items of a list or the words of a text; RulesError for anything else."""
    if isinstance(values, str):
        return values.split()
    if not isinstance(values, Iterable) or isinstance(values, (bytes, Mapping)):
        raise RulesError(f"{field}: expected a list, not {type(values).__name__}")
    return list(values)


def _one_of(field: str, value: Any, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise RulesError(f"{field}: expected one of {', '.join(known)}, not {value!r}"[:300])
    return value


def _number(field: str, value: Any, least: int, most: int = 10_000) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise RulesError(f"{field}: expected a whole number from {least} to {most}, not {value!r}"[:300])
    return value


def _laid(field: str, value: Any, sign: str) -> Laid:
    if isinstance(value, str):
        try:
            return parse_laid(value, sign)
        except RulesError as wrong:
            raise RulesError(f"{field}: {wrong}") from None
    if (
        isinstance(value, tuple)
        and len(value) == 2
        and all(type(half) is int and 0 <= half <= MOST_PIPS for half in value)
    ):
        return Laid(*value)
    raise RulesError(f"{field}: expected one tile, such as 6{sign}4, not {value!r}"[:300])


def _chain(field: str, value: Any, sign: str) -> Chain:
    try:
        if isinstance(value, str):
            return parse_chain(value, sign)
        return tuple(_laid(field, one, sign) for one in _items(field, value))
    except RulesError as wrong:
        text = str(wrong)
        raise RulesError(text if text.startswith(field) else f"{field}: {text}") from None
